"""Values and gradients of the metrics.

Oracles: the examples of Takahashi et al. (2022), section 2; differences of values;
40 digits. tests/studies/test_printed_formulas.py has Table III of Yuan & Jiang (2025).
"""

import pickle

import mpmath
import numpy as np
import pytest
from examples import TOY, quiet

import f1ci
from f1ci import metrics
from f1ci.metrics import METRICS, BinaryMetric, MatrixMetric, fbeta, macro, macro_star, tversky
from f1ci.metrics.averages import Mean

# Exact identities are asked to hold to rounding: a few operations of 1e-16 each, on
# gradients that can reach a few hundred at the tables below.
ROUNDING = {"rtol": 1e-12, "atol": 1e-11}

BINARY = {
    **{name: metric for name, metric in METRICS.items() if metric.binary},
    "fbeta(0.5)": fbeta(0.5),
    "fbeta(2)": fbeta(2),
    "tversky": tversky(0.8, 0.3),
    "tversky > 1": tversky(1.5, 2.5),
}
MATRIX = {
    **{name: metric for name, metric in METRICS.items() if not metric.binary},
    "macro recall": macro(metrics.recall),
    "macro F2": macro(fbeta(2)),
    "macro star F0.5": macro_star(0.5),
    "macro correlation": macro(metrics.correlation),
    "weighted F2 of two classes": Mean("some", fbeta(2), "weighted", (0, 1), chosen=(1, 0)),
}


@pytest.mark.parametrize("name", [*BINARY, *MATRIX])
def test_metrics_pass_their_check(name):
    """Slopes against central differences, borders, perfect tables, limits, and an exact sum."""
    metrics.check({**BINARY, **MATRIX}[name])


class WrongSlopes(metrics.Metric):
    """The share of right items, twice as steep as it is."""

    name, range = "steep", (0, 1)

    def slopes_and_size(self, matrix):
        value, slopes, size = metrics.accuracy.slopes_and_size(matrix)
        return value, 2 * slopes, size


class OfCounts(metrics.Metric):
    """A value that grows with the number of items."""

    name, range = "counted", (0, 1e9)

    def slopes_and_size(self, matrix):
        value, slopes, size = metrics.accuracy.slopes_and_size(matrix)
        return value * matrix.total, slopes, size


class First(metrics.Metric):
    """The value of the first table of a batch, for all."""

    name, range = "first", (0, 1)

    def slopes_and_size(self, matrix):
        value, slopes, size = metrics.accuracy.slopes_and_size(matrix)
        return value.flat[0] + 0 * value, slopes, size


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        (WrongSlopes(), "'steep' has the slope .* in cell .0, 0., where differences give"),
        (OfCounts(), "'counted' is 44 from counts and .* from shares"),
        (First(), "'first' is .* among other tables and .* alone"),
        (BinaryMetric("j", lambda x, ea, ez: x / ez - ea, range=(0, 1)), "outside of its range"),
        (BinaryMetric("kink", lambda x, ea, ez: np.abs(x - ea * ez)), "'kink' has the slope"),
        ("f1", "metric must be a Metric, got 'f1'"),
    ],
)
def test_a_wrong_metric_does_not_pass_its_check(metric, says):
    with pytest.raises((ValueError, TypeError), match=says):
        metrics.check(metric)


class GeometricMean(metrics.Metric):
    """The geometric mean of the recalls, whose slope is infinite where a recall is 0."""

    name, range = "gmean", (0.0, 1.0)

    def slopes_and_size(self, matrix):
        recall = matrix.right / matrix.true
        value = recall.prod(axis=0) ** (1 / len(recall))
        cells = matrix.cells
        own = np.where(cells.right[:, None] if recall.ndim > 1 else cells.right, 1.0, 0.0)
        share = (matrix.true / matrix.total)[cells.true]
        slopes = value / len(recall) * (own / recall[cells.true] - 1.0) / share
        return value, slopes, np.abs(slopes)


def test_a_slope_that_is_not_finite_is_said_and_limits_are_found_without_it():
    """No item of class 2 is found: a recall of 0 of 3, whose Wilson limit at 95 % is 0.56."""
    table = [[30, 1, 1], [2, 12, 1], [2, 1, 0]]
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="gmean has a slope that is not finite"):
        interval = f1ci.Matrix(table).interval(GeometricMean())
    assert (interval.estimate, interval.low) == (0.0, 0.0)
    assert 0.5 < interval.high < 0.9
    assert np.isnan(interval.standard_error)


def test_orientation_rows_are_true():
    """The toy example as Takahashi et al., section 2.2 and 2.3 print it, transposed to ours."""
    assert macro(metrics.precision).value(TOY) == pytest.approx(0.708, abs=5e-4)
    assert macro(metrics.recall).value(TOY) == pytest.approx(0.674, abs=5e-4)
    assert macro(metrics.precision).value(TOY.T) == pytest.approx(0.674, abs=5e-4)
    assert metrics.recall.value([[90, 0], [5, 5]]) == 0.5
    assert metrics.precision.value([[90, 0], [5, 5]]) == 1.0


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("precision", [[5, 0], [3, 0]]),  # nothing predicted positive
        ("recall", [[5, 3], [0, 0]]),  # nothing truly positive
        ("f1", [[5, 0], [0, 0]]),  # neither
        ("jaccard", [[5, 0], [0, 0]]),
        ("cosine", [[5, 0], [3, 0]]),
        ("lift", [[5, 0], [3, 0]]),
        ("overlap", [[5, 0], [3, 0]]),
        ("correlation", [[0, 3], [0, 5]]),  # everything predicted positive
        ("accuracy", [[0, 0], [0, 0]]),
        ("micro_f1", [[0, 0], [0, 0]]),
    ],
)
def test_division_by_zero_is_nan_in_its_place_only(name, table):
    metric = METRICS[name]
    good = np.arange(1, np.size(table) + 1).reshape(np.shape(table))
    values, gradients = metric.value([good, table]), metric.gradient([good, table])
    np.testing.assert_array_equal(np.isnan(values), [False, True])
    assert np.isfinite(gradients[0]).all()
    assert np.isnan(gradients[1]).all()


def test_an_average_leaves_out_a_class_without_a_score():
    """Class 2 never occurs; or it is never predicted, and has a recall, but no precision."""
    two = [[5, 1], [1, 2]]
    three = [[5, 1, 0], [1, 2, 0], [0, 0, 0]]
    for name in ("macro_f1", "weighted_f1", "weighted_recall"):
        metric = metrics.get(name)
        assert metric.value(three) == metric.value(two)
        np.testing.assert_array_equal(metric.gradient(three)[:2, :2], metric.gradient(two))
    p = (5 / 7 + 2 / 3) / 2
    r = (5 / 6 + 2 / 3 + 0) / 3
    star = metrics.macro_f1_star.value([[5, 1, 0], [1, 2, 0], [1, 0, 0]])
    assert star == pytest.approx(2 * p * r / (p + r), rel=1e-14)


def test_user_defined_metrics_differentiate_themselves():
    """Specificity, whose variance is the binomial s (1 - s) / P(Z = 0)."""
    specificity = BinaryMetric("specificity", lambda x, ea, ez: 1 - (ea - x) / (1 - ez))
    table = np.array([[30, 10], [20, 40]])
    p = table / 100
    assert specificity.value(table) == pytest.approx(0.75, rel=1e-14)
    variance = (p * specificity.gradient(table) ** 2).sum()
    assert variance == pytest.approx(0.75 * 0.25 / 0.4, rel=1e-12)
    trace = MatrixMetric("trace", lambda q: np.trace(q, axis1=-2, axis2=-1))
    np.testing.assert_allclose(trace.gradient(TOY), metrics.micro_f1.gradient(TOY), atol=1e-14)
    assert macro(specificity).value(TOY) == pytest.approx(
        np.mean([(93 - 4) / 93, (26 - 7) / 26, (81 - 2) / 81]), rel=1e-12
    )


def test_parameters_and_names():
    assert (fbeta(1).name, fbeta(0.5).name) == ("f1", "fbeta(0.5)")
    assert (fbeta(0.5).a, fbeta(0.5).b) == (0.8, 0.2)  # Jiang, remark 1
    assert (fbeta(2).a, fbeta(2).b) == (0.2, 0.8)
    assert (metrics.f1.a, metrics.f1.b) == (0.5, 0.5)
    assert (metrics.jaccard.a, metrics.jaccard.b) == (1.0, 1.0)
    assert macro(fbeta(2)).name == "macro_fbeta(2)"
    assert macro_star(2).name == "macro_fbeta(2)_star"
    assert macro_star().name == "macro_f1_star"
    assert all(METRICS[name].name == name for name in METRICS)
    assert repr(metrics.f1) == "<metric f1>"


@pytest.mark.parametrize("metric", [*BINARY.values(), *MATRIX.values()], ids=str)
def test_metrics_travel_to_other_processes(metric):
    again = pickle.loads(pickle.dumps(metric))
    assert again.value([[5, 2], [1, 7]]) == metric.value([[5, 2], [1, 7]])
    assert again == metric
    assert hash(again) == hash(metric)


LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


@pytest.mark.parametrize("name", ["kappa", "linear_kappa", "quadratic_kappa", "mcc"])
@pytest.mark.parametrize("predicted", [(14, 6), (7, 0), (1, 9), (5, 3, 11), (2, 7, 0)])
def test_agreement_by_chance_is_zero_and_no_rounding(name, predicted):
    """Rows that are multiples of one another: prediction and truth are independent."""
    r = len(predicted)
    for rows in (np.eye(r)[0], np.eye(r)[-1], np.arange(1, r + 1)):
        table = np.outer(rows, predicted).astype(int)
        estimate = f1ci.metrics.get(name).value(table)
        assert estimate == 0.0 or np.isnan(estimate)


@pytest.mark.parametrize("options", [{"class_shares": [1, 0]}, {"fixed": "rows"}])
@pytest.mark.parametrize("matrix", [[[14, 6], [0, 0]], [[3, 11], [0, 0]]])
def test_kappa_of_one_true_class_is_zero_at_every_level(matrix, options):
    """It is 0 whatever the model does. The limits were -1 or 1, by the sign of a rounding."""
    data = f1ci.Matrix(matrix, **options)
    for level in LEVELS:
        interval = quiet(data.interval, "kappa", confidence_level=level)
        assert (interval.low, interval.estimate, interval.high) == (0.0, 0.0, 0.0)


def test_digits_at_huge_and_lopsided_counts():
    """Against 40 digits; from shares alone, 1 - EZ has no digits left."""
    with mpmath.workdps(40):
        tn, fp, fn, tp = map(mpmath.mpf, (180, 48, 5, 10**14))
        root = mpmath.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        expected = float((tp * tn - fp * fn) / root)
    for metric in (metrics.correlation, metrics.mcc):
        assert metric.value([[180, 48], [5, 10**14]]) == pytest.approx(expected, rel=1e-12)
    # With TP = 0 the correlation is about -sqrt(FP FN) / n, with FP and FN about Poisson: its
    # error is sqrt(1/2) / n.
    interval = f1ci.Matrix([[2**31, 1], [1, 0]]).interval("correlation")
    assert interval.standard_error == pytest.approx(0.5**0.5 / 2**31, rel=1e-6)
