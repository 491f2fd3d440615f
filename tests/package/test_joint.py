"""Joint intervals of several metrics and classifiers.

Oracles: remark 2 of Yuan & Jiang (2025) item by item; closed forms; simulation from known truths.
"""

from itertools import product

import numpy as np
import pandas
import pytest
from examples import JUICE, labels_of, labels_of_cells
from scipy import stats

import f1ci
from f1ci import confusion_matrix
from f1ci.joint import critical_value, rows_of_cells
from f1ci.metrics import fbeta
from f1ci.types import DegenerateVarianceWarning, UndefinedMetricWarning

Z = stats.norm.ppf(0.975)


FOUR = [fbeta(0.5), "accuracy", "lift", "correlation"]
CELLS = [120, 9, 7, 3, 8, 4, 2, 1, 6, 5, 4, 3, 9, 8, 7, 31]  # Z A1 A2 A3


def values(means):
    """The four metrics by Table III, from E(ZA), EA and EZ."""
    x, a, z = means
    correlation = (x - a * z) / np.sqrt(a * (1 - a) * z * (1 - z))
    return np.array([1.25 * x / (a + 0.25 * z), 1 - a - z + 2 * x, x / (a * z), correlation])


def influences(y_true, predicted):
    """Estimates, influences of the items, and squared slopes, which are complex steps."""
    items = np.array([y_true * predicted, predicted, y_true], dtype=float)
    steps = 1e-30j * np.eye(3)
    slopes = np.array([values(items.mean(axis=1) + step).imag / 1e-30 for step in steps]).T
    return values(items.mean(axis=1)), slopes @ items, (slopes**2).sum(axis=1)


def by_items(y_true, predictions, z, method):
    """Remark 2 of Yuan & Jiang (2025), item by item: the estimates and their covariance."""
    parts = [influences(y_true, predicted) for predicted in predictions.values()]
    estimate, h, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    n = len(y_true)
    covariance = np.cov(h, ddof=1) / n
    if method == "blur":
        covariance += np.diag(squares) * z**2 / 2 / n**2
    return estimate, covariance


@pytest.mark.parametrize("method", ["delta", "blur"])
@pytest.mark.parametrize("level", [0.95, 0.9])
def test_joint_intervals_are_remark_2(method, level):
    y_true, predictions = labels_of_cells(CELLS)
    z = stats.norm.ppf((1 + level) / 2)
    estimate, covariance = by_items(y_true, predictions, z, method)
    error = np.sqrt(np.diag(covariance))
    joint = f1ci.Labels(y_true, predictions).joint(FOUR, method=method, confidence_level=level)
    np.testing.assert_allclose(joint.estimate, estimate, rtol=1e-12)
    slack = 1e-13 * np.abs(covariance).max()
    np.testing.assert_allclose(joint.covariance, covariance, rtol=1e-9, atol=slack)
    np.testing.assert_allclose(joint.individual_low, estimate - z * error, rtol=1e-9)
    np.testing.assert_allclose(joint.individual_high, estimate + z * error, rtol=1e-9)
    reach = joint.critical_value * error
    np.testing.assert_allclose(tuple(joint), [estimate - reach, estimate + reach], rtol=1e-9)


def test_zero_variance_is_reported_and_left_out():
    """A rule without true positives, as logistic regression on the abalone data now and then."""
    y_true, predictions = labels_of_cells([160, 6, 10, 4, 5, 0, 15, 0])
    useful, useless = predictions.values()
    models = {"useful": useful, "useless": useless}
    warns = pytest.warns(
        DegenerateVarianceWarning, match="^f1 of useless has a standard error of zero, so that"
    )
    with warns:
        joint = f1ci.Labels(y_true, models).joint(["f1", "accuracy"], method="delta")
    np.testing.assert_array_equal(joint.degenerate, [False, False, True, False])
    assert tuple(joint["useless", "f1"]) == (0.0, 0.0)
    # The critical value is that of the other three rows.
    kept = [0, 1, 3]
    three = critical_value(joint.covariance[np.ix_(kept, kept)], 0.95)
    assert joint.critical_value == pytest.approx(three, abs=2e-4)
    blurred = f1ci.Labels(y_true, models).joint(["f1", "accuracy"], method="blur")
    assert not blurred.degenerate.any()


def test_critical_values_against_closed_forms():
    """Independence: (2 Phi(q) - 1)^2 = .95; perfect correlation: 1.96. Scale does not matter."""
    independent = stats.norm.ppf((1 + np.sqrt(0.95)) / 2)
    covariances = np.array(
        [
            [[4.0, 0.0], [0.0, 0.01]],
            [[4.0, 0.2], [0.2, 0.01]],  # correlation 1
            [[0.0, 0.0], [0.0, 7.0]],  # one left out
            [[np.nan, np.nan], [np.nan, 7.0]],
            [[0.0, 0.0], [0.0, 0.0]],
        ]
    )
    np.testing.assert_allclose(
        critical_value(np.moveaxis(covariances, 0, -1), 0.95),
        [independent, Z, Z, Z, np.nan],
        atol=1e-4,
    )


# Limits of one score at q


def test_joint_limits_are_the_limits_of_one_score_at_a_higher_level():
    y_true, predictions = labels_of_cells(CELLS)
    joint = f1ci.Labels(y_true, predictions).joint(["f1", "correlation"])
    assert joint.methods == ("cautious", "score") * 3
    level = 2 * stats.norm.cdf(joint.critical_value) - 1
    for (name, metric), method in zip(joint.rows(), joint.methods, strict=True):
        table = confusion_matrix(y_true, predictions[name])
        alone = f1ci.Matrix(table).interval(metric, method=method, confidence_level=level)
        # 1e-12: the level was computed from q by another code.
        assert tuple(joint[name, metric]) == pytest.approx(tuple(alone), rel=1e-12)


def test_what_has_no_value_is_left_out():
    y_true, y_pred = labels_of(JUICE)
    predictions = {"rule": y_pred, "never": 0 * y_true}
    words = "^precision of never is undefined, because class 'positive' is never"
    with pytest.warns(UndefinedMetricWarning, match=words):
        joint = f1ci.Labels(y_true, predictions).joint(["precision", "accuracy"], method="delta")
    np.testing.assert_array_equal(joint.degenerate, [False, False, True, False])
    np.testing.assert_array_equal(np.isfinite(joint.low), [True, True, False, True])


def macro_f1_influences(true, predicted, weight):
    """The slope of macro F1 of three classes by each item's weight, times the sum of weights."""
    total = np.zeros(len(weight))
    for k in range(3):
        right = (true == k) & (predicted == k)
        both = (true == k) * 1.0 + (predicted == k)
        f = 2 * (weight @ right) / (weight @ both)
        total += (2.0 * right - f * both) / (weight @ both) / 3
    return total * weight.sum()


def with_two_more_of_each_class(labels):
    """Labels of the items, and of all 3 x 3 x 3 cells; and the weight of each."""
    cells = np.indices((3, 3, 3)).reshape(3, -1)
    share_a, share_b = np.where(cells[1:] == cells[0], 0.5, 0.25)
    weight = np.concatenate([np.ones(labels.shape[1]), 2 * share_a * share_b])
    return np.concatenate([labels, cells], axis=1), weight


def test_smoothing_for_many_classes_item_by_item():
    """Two more items of each class, in all 3 x 3 x 3 cells, written out as items."""
    true, a, b = labels = np.random.default_rng(34).integers(0, 3, (3, 50))
    joint = f1ci.Labels(true, {"a": a, "b": b}).joint(["macro_f1", "micro_f1"])
    labels, weight = with_two_more_of_each_class(labels)
    rows = []
    for predicted in labels[1:]:
        right = labels[0] == predicted
        rows.append(macro_f1_influences(labels[0], predicted, weight))
        rows.append(right - weight @ right / weight.sum())
    q = critical_value((np.array(rows) * weight) @ np.transpose(rows), 0.95)
    # Two 4 x 4 matrices that differ by rounding: their quantiles differ by less than 1e-6.
    assert joint.critical_value == pytest.approx(q, abs=1e-6)


def test_rows_are_classifier_by_metric():
    y_true, predictions = labels_of_cells(CELLS)
    joint = f1ci.Labels(y_true, predictions).joint(["f1", "accuracy"])
    assert joint.rows() == list(product(["A1", "A2", "A3"], ["f1", "accuracy"]))
    assert len(joint) == 6
    share = (predictions["A2"] == y_true).mean()
    assert joint["A2", "accuracy"].estimate == pytest.approx(share, rel=1e-14)
    assert joint.to_frame().loc[("A3", "f1"), "low"] == joint["A3", "f1"].low
    with pytest.raises(KeyError, match=r"no row \('A4', 'f1'\)"):
        joint["A4", "f1"]
    assert f1ci.Labels(y_true, pandas.DataFrame(predictions)).joint(["f1", "accuracy"]) == joint


# Many test sets at once


@pytest.mark.parametrize("method", [None, "delta", "blur", "logit", "score", "cautious"])
def test_rows_of_cells_are_the_intervals_of_their_labels(method):
    cells = np.array([[50, 5, 4, 1, 6, 8, 9, 17], [30, 2, 2, 9, 1, 7, 4, 25]])
    metrics = ["f1", "accuracy"]
    rows = rows_of_cells(cells, metrics, method=method)
    values = critical_value(rows.correlated, 0.95)
    low, high = rows.limits(values)
    for k, counts in enumerate(cells):
        joint = f1ci.Labels(labels_of_cells(counts)[0], labels_of_cells(counts)[1]).joint(
            metrics, method=method
        )
        assert values[k] == pytest.approx(joint.critical_value, abs=1e-12)
        np.testing.assert_allclose(rows.estimate[:, k], joint.estimate, atol=1e-12)
        np.testing.assert_allclose(rows.covariance[..., k], joint.covariance, atol=1e-12)
        np.testing.assert_allclose([low[:, k], high[:, k]], tuple(joint), atol=1e-12)
