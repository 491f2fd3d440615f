"""Joint intervals of several metrics and classifiers.

Oracles: remark 2 of Yuan & Jiang (2025) item by item; closed forms; simulation from known truths.
"""

import sys
import warnings

import numpy as np
import pytest
from examples import JUICE, labels_of, labels_of_cells
from scipy import stats

from f1ci import confusion_matrix
from f1ci.intervals import metric_interval
from f1ci.joint import joint_critical_value, joint_intervals
from f1ci.metrics import BinaryMetric, fbeta
from f1ci.results import DegenerateVarianceWarning, UndefinedMetricWarning
from notebooks.shared.kernels import joint_from_cells

Z = stats.norm.ppf(0.975)


def naive_choice(y_true, predictions, names, method, level=0.95):
    """Remark 2 of Yuan & Jiang item by item, for F0.5, accuracy, lift and correlation.

    Derivatives as in Table III, the correlation's corrected.
    """
    z_item = np.asarray(y_true, dtype=float)
    n, z = len(z_item), stats.norm.ppf((1 + level) / 2)
    estimates, h, d = [], [], []
    for array in predictions.values():
        a_item = np.asarray(array, dtype=float)
        x, ea, ez = (z_item * a_item).mean(), a_item.mean(), z_item.mean()
        for name in names:
            if name == "fbeta(0.5)":
                g = 1.25 * x / (ea + 0.25 * ez)
                slopes = np.array([1, -0.8 * g, -0.2 * g]) / (0.8 * ea + 0.2 * ez)
            elif name == "accuracy":
                g, slopes = 2 * x - ea - ez + 1, np.array([2, -1, -1])
            elif name == "lift":
                g = x / (ea * ez)
                slopes = g * np.array([1 / x, -1 / ea, -1 / ez])
            else:
                g = (x - ea * ez) / np.sqrt((ez - ez**2) * (ea - ea**2))
                slopes = (g / (x - ea * ez)) * np.array(
                    [
                        1,
                        ((2 * ea - 1) * x - ea * ez) / (2 * (ea - ea**2)),
                        ((2 * ez - 1) * x - ea * ez) / (2 * (ez - ez**2)),
                    ]
                )
            estimates.append(g)
            h.append(slopes[0] * z_item * a_item + slopes[1] * a_item + slopes[2] * z_item)
            d.append((slopes**2).sum() * z**2 / 2 / n)
    v = np.cov(h, ddof=1)
    return np.array(estimates), (v + np.diag(d) if method == "blur" else v) / n


FOUR = [fbeta(0.5), "accuracy", "lift", "correlation"]
FOUR_NAMES = ["fbeta(0.5)", "accuracy", "lift", "correlation"]
CELLS = [120, 9, 7, 3, 8, 4, 2, 1, 6, 5, 4, 3, 9, 8, 7, 31]  # Z A1 A2 A3


@pytest.mark.parametrize("method", ["delta", "blur"])
@pytest.mark.parametrize("level", [0.95, 0.9])
def test_joint_intervals_are_remark_2(method, level):
    y_true, predictions = labels_of_cells(CELLS)
    estimate, covariance = naive_choice(y_true, predictions, FOUR_NAMES, method, level)
    joint = joint_intervals(y_true, predictions, FOUR, method=method, confidence_level=level)
    np.testing.assert_allclose(joint.estimate, estimate, rtol=1e-12)
    np.testing.assert_allclose(
        joint.covariance, covariance, rtol=1e-9, atol=1e-13 * np.abs(covariance).max()
    )
    kernel = joint_from_cells(CELLS, FOUR, method=method, confidence_level=level)
    np.testing.assert_allclose(kernel[0], estimate, rtol=1e-12)
    np.testing.assert_allclose(kernel[1], joint.covariance, rtol=1e-9, atol=1e-15)
    error = np.sqrt(np.diag(covariance))
    z, q = stats.norm.ppf((1 + level) / 2), joint.critical_value
    np.testing.assert_allclose(joint.individual_low, estimate - z * error, rtol=1e-9)
    np.testing.assert_allclose(joint.individual_high, estimate + z * error, rtol=1e-9)
    np.testing.assert_allclose(joint.low, estimate - q * error, rtol=1e-9)
    np.testing.assert_allclose(joint.high, estimate + q * error, rtol=1e-9)
    assert z < q < stats.norm.ppf((1 + level ** (1 / 12)) / 2)  # Sidak's bound
    assert joint.methods == (method,) * 12
    assert not joint.degenerate.any()


def test_cell_kernel_batches():
    rng = np.random.default_rng(30)
    cells = rng.multinomial(500, np.array(CELLS) / sum(CELLS), size=(4, 3))
    estimate, covariance = joint_from_cells(cells, FOUR, method="blur")
    assert estimate.shape == (4, 3, 12)
    assert covariance.shape == (4, 3, 12, 12)
    for index in np.ndindex(4, 3):
        one = joint_from_cells(cells[index], FOUR, method="blur")
        np.testing.assert_allclose(estimate[index], one[0], rtol=1e-13)
        np.testing.assert_allclose(covariance[index], one[1], rtol=1e-11, atol=1e-14)


def test_one_metric_is_metric_interval_with_n_minus_1():
    y_true, y_pred = labels_of(JUICE)
    joint = joint_intervals(y_true, {"rule": y_pred}, "f1", method="delta")
    single = metric_interval(JUICE, "f1", method="delta")
    assert joint.estimate[0] == pytest.approx(single.estimate, rel=1e-14)
    assert joint.standard_error[0] == pytest.approx(
        single.standard_error * np.sqrt(535 / 534), rel=1e-12
    )
    assert joint.critical_value == pytest.approx(Z, abs=1e-4)


def test_joint_coverage_on_a_known_population():
    """Three rules, two metrics, 10000 test sets of 3000 items: all six intervals at once.

    With the critical value of the population's correlation. Tolerance: 4 Monte Carlo
    standard errors (.0087), with .003 for finite n.
    """
    rng = np.random.default_rng(31)
    p = np.array(CELLS) / sum(CELLS)
    names = [fbeta(0.5), "accuracy"]
    truth, population = joint_from_cells(np.array(CELLS) * 10**6, names)
    q = joint_critical_value(population)
    replicates = 10000
    estimate, covariance = joint_from_cells(rng.multinomial(3000, p, size=replicates), names)
    error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    distance = (np.abs(estimate - truth) / error).max(axis=1)
    tolerance = 4 * np.sqrt(0.95 * 0.05 / replicates) + 0.003
    assert (distance <= q).mean() == pytest.approx(0.95, abs=tolerance)
    # Individual intervals do not hold jointly: Yuan & Jiang's reason for the method.
    assert (distance <= Z).mean() < 0.9


def test_singular_correlations_do_no_harm():
    """A classifier twice, and F1 with Jaccard, a function of it: one random variable."""
    y_true, y_pred = labels_of(JUICE)
    joint = joint_intervals(
        y_true, {"one": y_pred, "same": y_pred.copy()}, ["f1", "jaccard"], method="delta"
    )
    assert joint.critical_value == pytest.approx(Z, abs=1e-4)
    assert np.linalg.matrix_rank(joint.covariance, tol=1e-12) == 1


def test_twelve_measures_of_four_rules_have_rank_nine():
    """The influences span at most the 2m + 1 indicators of Z, A_k and Z A_k."""
    rng = np.random.default_rng(32)
    cells = rng.multinomial(3000, rng.dirichlet(np.ones(32)))
    _, covariance = joint_from_cells(cells, [fbeta(0.5), "accuracy", "lift"])
    scale = np.sqrt(np.diag(covariance))
    assert np.linalg.matrix_rank(covariance / np.outer(scale, scale), tol=1e-10) == 9
    _, blurred = joint_from_cells(cells, [fbeta(0.5), "accuracy", "lift"], method="blur")
    assert np.linalg.matrix_rank(blurred / np.outer(scale, scale), tol=1e-10) == 12


def test_zero_variance_is_reported_and_left_out():
    """A rule without true positives, as logistic regression on the abalone data now and then."""
    y_true = np.repeat([1, 0], [20, 180])
    useful = np.r_[np.ones(15), np.zeros(5), np.ones(10), np.zeros(170)]
    useless = np.r_[np.zeros(20), np.ones(4), np.zeros(176)]
    both = {"useful": useful, "useless": useless}
    with pytest.warns(
        DegenerateVarianceWarning, match=r"^f1 of 'useless': .* standard error of zero"
    ):
        joint = joint_intervals(y_true, both, ["f1", "accuracy"], method="delta")
    np.testing.assert_array_equal(joint.degenerate, [False, False, True, False])
    assert tuple(joint["useless", "f1"]) == (0.0, 0.0)
    # The critical value is that of the other three rows.
    kept = [0, 1, 3]
    three = joint_critical_value(joint.covariance[np.ix_(kept, kept)])
    assert joint.critical_value == pytest.approx(three, abs=2e-4)

    blurred = joint_intervals(y_true, both, ["f1", "accuracy"], method="blur")
    assert not blurred.degenerate.any()
    assert (blurred.standard_error > 0).all()
    low, high = blurred["useless", "f1"]
    assert low < 0 < high


def test_everything_degenerate():
    y_true = [0, 1] * 10
    with pytest.warns(DegenerateVarianceWarning, match="f1 of 'a', recall of 'a': "):
        joint = joint_intervals(y_true, {"a": y_true}, ["f1", "recall"], method="delta")
    assert np.isnan(joint.critical_value)
    np.testing.assert_array_equal([joint.low, joint.high], np.ones((2, 2)))


def test_undefined_rows_are_nan_and_left_out():
    y_true, y_pred = labels_of(JUICE)
    never = np.zeros(535, dtype=int)
    with pytest.warns(UndefinedMetricWarning, match="^precision of 'never': undefined"):
        joint = joint_intervals(
            y_true, {"rule": y_pred, "never": never}, ["precision", "accuracy"], method="delta"
        )
    np.testing.assert_array_equal(joint.degenerate, [False, False, True, False])
    assert np.isnan([joint.low[2], joint.high[2], joint.standard_error[2]]).all()
    assert np.isfinite([*joint.low[[0, 1, 3]], joint.critical_value]).all()


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
        joint_critical_value(covariances), [independent, Z, Z, Z, np.nan], atol=1e-4
    )


def test_joint_logit_intervals_are_transformed_row_by_row():
    y_true, predictions = labels_of_cells(CELLS)
    plain = joint_intervals(y_true, predictions, ["f1", "recall"], method="delta")
    logit = joint_intervals(y_true, predictions, ["f1", "recall"], method="logit")
    assert logit.critical_value == plain.critical_value
    n = len(y_true)  # the logit limits of one score have the divisor n
    e, s = plain.estimate, plain.standard_error * np.sqrt((n - 1) / n)
    half = plain.critical_value * s / (e * (1 - e))
    np.testing.assert_allclose(logit.low, 1 / (1 + (1 - e) / e * np.exp(half)), rtol=1e-12)
    np.testing.assert_allclose(logit.high, 1 / (1 + (1 - e) / e * np.exp(-half)), rtol=1e-12)
    assert logit.methods == ("logit",) * 6


@pytest.mark.parametrize("method", ["delta", "logit"])
def test_joint_groups(method):
    """Groups of one change nothing; repeated items in groups add nothing."""
    y_true, predictions = labels_of_cells(CELLS)
    two = [fbeta(0.5), "lift"]
    n = len(y_true)
    plain = joint_intervals(y_true, predictions, two, method="delta")
    single = joint_intervals(y_true, predictions, two, method="delta", groups=np.arange(n))
    np.testing.assert_allclose(single.covariance, plain.covariance, rtol=1e-9, atol=1e-15)
    tripled = {name: np.tile(array, 3) for name, array in predictions.items()}
    repeated = joint_intervals(
        np.tile(y_true, 3), tripled, two, method=method, groups=np.tile(np.arange(n), 3)
    )
    np.testing.assert_allclose(repeated.covariance, plain.covariance, rtol=1e-9, atol=1e-14)
    assert repeated.methods == (f"{method}+groups",) * 6
    if method == "delta":
        np.testing.assert_allclose(repeated.low, plain.low, rtol=1e-9)


# Limits of one score at q


@pytest.mark.parametrize("method", ["cautious", "score", "logit"])
@pytest.mark.parametrize("metric", ["f1", "recall", "accuracy", fbeta(2), "macro_f1"])
def test_one_row_is_the_individual_interval(metric, method):
    y_true, y_pred = labels_of(JUICE)
    joint = joint_intervals(y_true, {"rule": y_pred}, metric, method=method)
    alone = metric_interval(JUICE, metric, method=method)
    # One variable: q is the normal quantile itself. No tolerance.
    assert tuple(joint["rule", joint.metrics[0]]) == tuple(alone)
    assert (joint.individual_low[0], joint.individual_high[0]) == tuple(alone)


def test_joint_limits_are_the_limits_of_one_score_at_a_higher_level():
    y_true, predictions = labels_of_cells(CELLS)
    joint = joint_intervals(y_true, predictions, ["f1", "precision", "correlation"])
    assert joint.methods == ("cautious", "cautious", "logit") * 3
    level = 2 * stats.norm.cdf(joint.critical_value) - 1
    for name, metric in joint.rows():
        table = confusion_matrix(y_true, predictions[name])
        method = "logit" if metric == "correlation" else "cautious"
        for at, ends in ((level, ("low", "high")), (0.95, ("individual_low", "individual_high"))):
            alone = metric_interval(table, metric, method=method, confidence_level=at)
            k = joint.rows().index((name, metric))
            # 1e-12: the level was computed from q by another code.
            assert tuple(getattr(joint, end)[k] for end in ends) == pytest.approx(
                tuple(alone), rel=1e-12
            )


def test_smoothing_for_many_classes_item_by_item():
    """Two more items of each class, in all 3 x 3 x 3 cells, written out as items."""
    rng = np.random.default_rng(34)
    y_true, a, b = rng.integers(0, 3, (3, 50))
    joint = joint_intervals(y_true, {"a": a, "b": b}, ["macro_f1", "micro_f1"])
    items = [(1.0, item) for item in zip(y_true, a, b, strict=True)]
    for cell in np.ndindex(3, 3, 3):
        share = [0.5 if predicted == cell[0] else 0.25 for predicted in cell[1:]]
        items.append((2 * share[0] * share[1], cell))
    weight = np.array([w for w, _ in items])
    labels = np.array([item for _, item in items])
    rows = []
    for column in (1, 2):
        right = labels[:, 0] == labels[:, column]
        total = 0.0
        for k in range(3):
            true, predicted = labels[:, 0] == k, labels[:, column] == k
            whole = weight @ (true * 1.0 + predicted)
            f = 2 * (weight @ (true & predicted)) / whole
            total = total + (2.0 * (true & predicted) - f * (true * 1.0 + predicted)) / whole / 3
        rows += [total * weight.sum(), right - weight @ right / weight.sum()]
    rows = np.array(rows)
    q = joint_critical_value((rows * weight) @ rows.T)
    # Two 4 x 4 matrices that differ by rounding: their quantiles differ by less than 1e-6.
    assert joint.critical_value == pytest.approx(q, abs=1e-6)


@pytest.mark.parametrize("method", [None, "cautious", "score", "logit"])
def test_ends_lie_in_the_range_and_have_a_length(method):
    """Perfect, useless and ordinary rules, few items: no default fails."""
    y_true = np.repeat([1, 0], [4, 11])
    predictions = {
        "perfect": y_true,
        "useless": 1 - y_true,
        "never": 0 * y_true,
        "ordinary": np.r_[1, 1, 0, 1, 1, np.zeros(10, int)],
    }
    names = ["f1", "precision", "recall", fbeta(2), "accuracy", "jaccard", "macro_f1", "micro_f1"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = joint_intervals(y_true, predictions, names, method=method)
    if method == "logit":  # what is undefined has no limits on a scale
        assert joint.degenerate.sum() == np.isnan(joint.estimate).sum()
    else:
        assert not joint.degenerate.any()
    kept = ~joint.degenerate
    assert (joint.low[kept] >= 0).all()
    assert (joint.high[kept] <= 1).all()
    assert (joint.high[kept] > joint.low[kept]).all()
    assert (joint.low[kept] <= joint.individual_low[kept]).all()
    assert (joint.high[kept] >= joint.individual_high[kept]).all()


def test_the_default_does_not_warn_where_it_has_nothing_to_warn_of():
    y_true, predictions = labels_of_cells(CELLS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        joint_intervals(y_true, {**predictions, "perfect": y_true}, ["f1", "accuracy"])


def test_order_of_rows_and_names_of_classes_do_not_matter():
    rng = np.random.default_rng(35)
    y_true, a, b = rng.integers(0, 3, (3, 80))
    names = ["macro_f1", "weighted_f1"]
    joint = joint_intervals(y_true, {"a": a, "b": b}, names)
    word = np.array(["x", "y", "z"])
    renamed = joint_intervals(word[y_true], {"a": word[a], "b": word[b]}, names)
    np.testing.assert_array_equal(renamed.low, joint.low)
    turned = joint_intervals(y_true, {"b": b, "a": a}, names[::-1])
    for row in joint.rows():
        # Other points for the quantile: its accuracy.
        assert tuple(turned[row]) == pytest.approx(tuple(joint[row]), abs=1e-4)


def test_joint_coverage_of_the_default_in_a_small_sample():
    """Two rules, three metrics, 40 items, 400 test sets, four standard errors."""
    rng = np.random.default_rng(36)
    cells = np.array([20, 1, 1, 1, 1, 1, 2, 8])
    names = ["f1", "accuracy", "precision"]
    truth, _ = joint_from_cells(cells, names)
    held = []
    for draw in rng.multinomial(40, cells / cells.sum(), size=400):
        y_true, predictions = labels_of_cells(draw)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            joint = joint_intervals(y_true, predictions, names)
        held.append(((joint.low <= truth) & (truth <= joint.high)).all())
    assert np.mean(held) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)


def test_rows_are_classifier_by_metric():
    y_true, predictions = labels_of_cells(CELLS)
    joint = joint_intervals(y_true, predictions, ["f1", "accuracy"])
    assert len(joint) == 6
    assert joint.classifiers == ("A1", "A1", "A2", "A2", "A3", "A3")
    assert joint.metrics == ("f1", "accuracy") * 3
    assert joint["A2", "accuracy"].estimate == pytest.approx(
        (predictions["A2"] == y_true).mean(), rel=1e-14
    )
    frame = joint.to_frame()
    assert frame.loc[("A3", "f1"), "low"] == joint["A3", "f1"].low
    assert list(frame.columns[:3]) == ["estimate", "low", "high"]
    with pytest.raises(KeyError, match=r"no row \('A4', 'f1'\)"):
        joint["A4", "f1"]


def test_many_classifiers_fit():
    """70 rules, more than an integer has bits: the covariance is that of their influences."""
    rng = np.random.default_rng(33)
    y_true = rng.integers(0, 2, 60)
    predictions = {f"rule {k}": rng.integers(0, 2, 60) for k in range(70)}
    joint = joint_intervals(y_true, predictions, ["accuracy"], method="delta")
    right = np.array([labels == y_true for labels in predictions.values()])
    np.testing.assert_allclose(joint.estimate, right.mean(axis=1), rtol=1e-13)
    # numpy's covariance has the divisor n - 1, as ours.
    np.testing.assert_allclose(joint.covariance, np.cov(right) / 60, atol=1e-15)


def test_predictions_as_a_data_frame_or_pairs():
    pandas = pytest.importorskip("pandas")
    y_true, predictions = labels_of_cells(CELLS)
    joint = joint_intervals(y_true, predictions, ["f1"])
    for other in (pandas.DataFrame(predictions), list(predictions.items())):
        np.testing.assert_array_equal(joint_intervals(y_true, other, ["f1"]).low, joint.low)


def test_to_frame_without_pandas(monkeypatch):
    y_true, predictions = labels_of_cells(CELLS)
    joint = joint_intervals(y_true, predictions, ["f1"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas"):
        joint.to_frame()


def test_user_defined_metric_everywhere():
    """Specificity has no derivatives of its own; it is the recall of the other class."""
    specificity = BinaryMetric("specificity", lambda x, ea, ez: 1 - (ea - x) / (1 - ez))
    y_true, predictions = labels_of_cells(CELLS)
    flipped = {name: 1 - array for name, array in predictions.items()}
    ours = joint_intervals(y_true, predictions, [specificity], method="delta")
    recall = joint_intervals(1 - y_true, flipped, ["recall"], method="delta")
    np.testing.assert_allclose(ours.covariance, recall.covariance, rtol=1e-10)


# Bad input

TRUE = [0, 1, 1, 0]
PRED = [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: joint_intervals(TRUE, {"a": PRED, "b": [1]}, ["f1"]),
            ValueError,
            r"predictions\['b'\] has 1",
        ),
        (
            lambda: joint_intervals(TRUE, [("a", PRED), ("a", TRUE)], ["f1"]),
            ValueError,
            "names of classifiers must be distinct, got 'a' twice",
        ),
        (
            lambda: joint_intervals(TRUE, {}, ["f1"]),
            ValueError,
            "names of classifiers must not be emp",
        ),
        (lambda: joint_intervals(TRUE, {"a": PRED}, []), ValueError, "metrics must not be empty"),
        (
            lambda: joint_intervals(TRUE, {"a": PRED}, ["f1", fbeta(1)]),
            ValueError,
            "metrics must be distinct, got 'f1' twice",
        ),
        (lambda: joint_intervals(TRUE, [PRED], ["f1"]), TypeError, "must map names of class"),
        (lambda: joint_intervals(TRUE, {1: PRED}, ["f1"]), TypeError, "must be text, got 1"),
        (lambda: joint_intervals(TRUE, {"a": PRED}, 5), TypeError, "metrics must be a list, got 5"),
        (lambda: joint_critical_value([1.0, 2.0]), ValueError, r"got shape \(2,\)"),
        (
            lambda: joint_intervals([0, 1, None], {"a": [0, 1, 1]}, ["f1"]),
            ValueError,
            "y_true must not hold missing labels, got None",
        ),
        (
            lambda: joint_intervals([*TRUE, 2], {"a": [*PRED, 2]}, ["f1", "macro_f1"]),
            ValueError,
            "two",
        ),
        (
            lambda: joint_intervals(TRUE, {"a": PRED}, ["lift"], method="score"),
            ValueError,
            "one of 'logit', 'delta', 'blur' for joint intervals of 'lift', got 'score'",
        ),
        (
            lambda: joint_intervals(TRUE, {"a": PRED}, ["f1"], method="score", groups=[1, 1, 2, 2]),
            ValueError,
            "one of 'logit', 'delta' for items in groups, got 'score'",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_undefined_replicates_do_not_warn_in_the_kernel():
    """Empty test sets and single items inside a batch: nan in place, silence otherwise."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate, covariance = joint_from_cells(
            [[0] * 8, [1, 0, 0, 0, 0, 0, 0, 0], [5, 1, 1, 1, 2, 1, 3, 6]], ["f1"], method="blur"
        )
    np.testing.assert_array_equal(np.isnan(estimate), [[True] * 2, [True] * 2, [False] * 2])
    np.testing.assert_array_equal(np.isnan(covariance).all(axis=(1, 2)), [True, True, False])
