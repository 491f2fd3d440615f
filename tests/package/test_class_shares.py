"""Known class shares: Bayes' rule, the stratified estimator of a share, numeric derivatives."""

import numpy as np
import pandas as pd
import pytest
from examples import ask, labels_of, quiet
from scipy import stats

import f1ci
from f1ci import metrics
from f1ci.metrics.shares import KnownShares

MATRIX = np.array([[30, 4, 2], [5, 21, 9], [1, 6, 40]])
SHARES = np.array([0.7, 0.2, 0.1])
BINARY = np.array([[52, 9], [6, 33]])
ALL = ["macro_f1", "weighted_f1", "macro_f1_star", "micro_f1", "mcc", "kappa", "accuracy"]


def in_population(matrix, shares):
    """Rows scaled to their shares."""
    return matrix / matrix.sum(axis=-1, keepdims=True) * np.asarray(shares)[:, None]


@pytest.mark.parametrize("prevalence", [0.001, 0.02, 0.5, 0.9])
def test_precision_is_bayes_rule(prevalence):
    recall, false_alarms = 33 / 39, 9 / 61
    expected = prevalence * recall / (prevalence * recall + (1 - prevalence) * false_alarms)
    shares = [1 - prevalence, prevalence]
    found = f1ci.Matrix(BINARY, class_shares=shares).interval("precision")
    assert found.estimate == pytest.approx(expected, rel=1e-12)
    assert found.low < expected < found.high


@pytest.mark.parametrize("name", ALL)
def test_gradients_are_numeric_derivatives(name):
    metric = metrics.get(name)
    p = MATRIX / MATRIX.sum()
    step = 1e-6 * np.eye(9).reshape(9, 3, 3)
    ends = [metric.value(in_population(p + sign * step, SHARES)) for sign in (1, -1)]
    slopes = ((ends[0] - ends[1]) / 2e-6).reshape(3, 3)
    known = KnownShares(metric, SHARES)
    assert known.value(MATRIX) == pytest.approx(metric.value(in_population(p, SHARES)), abs=1e-14)
    assert known.gradient(MATRIX) == pytest.approx(slopes - (p * slopes).sum(), abs=1e-8)


def test_accuracy_has_the_error_of_a_stratified_share():
    """Cochran (1977), section 5.10: the variance is the sum of W^2 p (1 - p) / (n - 1)."""
    n = MATRIX.sum(axis=1)
    right = np.diag(MATRIX) / n
    error = np.sqrt((SHARES**2 * right * (1 - right) / (n - 1)).sum())
    found = f1ci.Matrix(MATRIX, class_shares=SHARES).interval("accuracy")
    assert found.estimate == pytest.approx(SHARES @ right, abs=1e-14)
    assert found.standard_error == pytest.approx(error, rel=1e-12)


def test_accuracy_by_other_names_has_the_same_limits():
    """They differed by 2e-6: rounding in equal slopes decides which of two empty cells moves."""
    y_true = [1, 0, 1, 0, 0] * 2
    known = {"class_shares": {0: 0.41, 1: 0.59}}
    accuracy = f1ci.score_interval(y_true, y_true, "accuracy", **known)
    for name in ("micro_f1", "weighted_recall"):
        assert tuple(f1ci.score_interval(y_true, y_true, name, **known)) == tuple(accuracy)


@pytest.mark.filterwarnings("ignore:.*fewer than 3 items")
@pytest.mark.parametrize(("right", "missed"), [(33, 6), (0, 2), (1, 1), (4, 0)])
def test_shares_do_not_matter_for_recall(right, missed):
    """Wilson's interval from scipy, of the positives alone."""
    wilson = stats.binomtest(right, right + missed).proportion_ci(method="wilson")
    expected = pytest.approx(list(wilson), abs=1e-12)
    matrix = [[52, 9], [missed, right]]
    rare = {0: 0.99, 1: 0.01}
    assert list(f1ci.Matrix(matrix, class_shares=rare).interval("recall")) == expected
    y_true, y_pred = labels_of(np.array(matrix))
    each = f1ci.score_interval(y_true, y_pred, "recall", average=None, class_shares=rare)
    assert [each.low[1], each.high[1]] == expected
    one = f1ci.score_interval(
        y_true, y_pred, "recall", average="macro", labels=[1], class_shares=rare
    )
    assert list(one) == expected


def test_the_area_of_a_class_of_a_map_does_not_matter_for_its_precision():
    y_true, y_pred = labels_of(np.array([[52, 0], [6, 2]]))
    wilson = stats.binomtest(2, 2).proportion_ci(method="wilson")
    areas = {0: 0.9, 1: 0.1}
    found = f1ci.score_interval(y_true, y_pred, "precision", strata=y_pred, stratum_shares=areas)
    assert list(found) == pytest.approx(list(wilson), abs=1e-12)


def test_one_class_of_several():
    """All other classes keep their own shares: they are no single class "others"."""
    y_true, y_pred = labels_of(MATRIX)
    p = in_population(MATRIX, SHARES)
    by_label = {0: 0.7, 1: 0.2, 2: 0.1}
    each = f1ci.score_interval(y_true, y_pred, average=None, class_shares=by_label)
    for k in range(3):
        expected = 2 * p[k, k] / (p[k].sum() + p[:, k].sum())
        found = f1ci.score_interval(
            y_true, y_pred, average="macro", labels=[k], class_shares=by_label
        )
        assert found.estimate == pytest.approx(expected, rel=1e-12)
        assert found.low < expected < found.high
        assert each.estimate[k] == pytest.approx(expected, rel=1e-12)
        assert (each.low[k], each.high[k]) == pytest.approx(tuple(found), abs=1e-6)


def test_groups_of_one_item_have_the_items_influences():
    """The cluster-robust variance is the sum of squares of the influences, times G / (G - 1)."""
    y_true, y_pred = labels_of(BINARY)
    rare = {1: 0.05, 0: 0.95}
    grouped = f1ci.score_interval(y_true, y_pred, groups=range(100), class_shares=rare)
    influence = KnownShares(metrics.f1, np.array([0.95, 0.05])).gradient(BINARY)
    square = (BINARY * influence**2).sum() / 100**2
    assert grouped.standard_error == pytest.approx(np.sqrt(square * 100 / 99), rel=1e-9)


def test_an_average_that_leaves_a_class_out_says_so():
    matrix = np.array([[30, 0, 6], [5, 0, 9], [1, 0, 40]])
    with pytest.warns(f1ci.IntervalWarning) as caught:
        f1ci.Matrix(matrix, class_shares=SHARES).interval("macro_precision")
    assert any("leaves out class 1" in str(warning.message) for warning in caught)


def test_shares_in_a_series_of_pandas_are_read_by_name():
    y_true, y_pred = labels_of(BINARY)
    shares = {1: 0.02, 0: 0.98}
    expected = f1ci.score_interval(y_true, y_pred, class_shares=shares)
    series = pd.Series(shares)
    assert tuple(f1ci.score_interval(y_true, y_pred, class_shares=series)) == tuple(expected)
    assert tuple(f1ci.Matrix(BINARY, class_shares=series).interval("f1")) == tuple(expected)
    report = f1ci.Matrix(BINARY, class_shares=series).report()
    assert report.by_class["f1"].low[1] == pytest.approx(expected.low, abs=1e-9)
    with pytest.raises(ValueError, match="must name classes that occur"):
        f1ci.Matrix(BINARY, class_shares=pd.Series([0.98, 0.02], index=["a", "b"])).interval("f1")


@pytest.mark.parametrize("r", [40, 300])
def test_labels_and_matrices_of_many_classes_say_the_same(r):
    """Not all cells are listed then: those with items, the right ones, those of small classes."""
    rng = np.random.default_rng(1)
    y_true = np.concatenate([np.arange(r), rng.integers(0, r, r)])
    y_pred = np.where(rng.random(2 * r) < 0.8, y_true, rng.integers(0, r, 2 * r))
    matrix = f1ci.confusion_matrix(y_true, y_pred)
    shares = rng.dirichlet(np.full(r, 3.0))
    by_label = dict(enumerate(shares.tolist()))
    for metric in ("macro_precision", "macro_f1"):
        # The rows of a matrix are named, so that no class is left out that may exist.
        options = {"class_shares": by_label, "labels": range(r)}
        of_labels = quiet(f1ci.score_interval, y_true, y_pred, metric, **options)
        of_matrix = quiet(ask, f1ci.Matrix, "interval", (matrix,), metric, class_shares=shares)
        # The cells come in another order; the search ends within 1e-7 of the way to the limit.
        assert list(of_labels) == pytest.approx(list(of_matrix), abs=1e-7)
