"""Counts by unit.

Oracles: leaving units out by a loop; scipy's quantiles and Wilson interval; scikit-learn's
averages; numeric derivatives; items in groups; simulation from a known truth.
"""

import numpy as np
import pytest
from examples import DOCUMENTS, TOY, ask, labels_of, numbers, quiet
from scipy import stats
from sklearn.metrics import f1_score

import f1ci


def jackknife_ends(value, counts, degrees):
    """Limits on the scale of log odds: variance by leaving each unit out, Student's quantile."""
    units = len(counts)
    score = value(counts)
    others = np.array([value(np.delete(counts, unit, axis=0)) for unit in range(units)])
    error = np.sqrt((units - 1) / units * ((others - score) ** 2).sum())
    half = stats.t.ppf(0.975, degrees) * error / (score * (1 - score))
    centre = np.log(score / (1 - score))
    return 1 / (1 + np.exp(-centre + half)), 1 / (1 + np.exp(-centre - half))


def f1_of(counts):
    tp, fp, fn = counts.sum(axis=0)
    return 2 * tp / (2 * tp + fp + fn)


def test_the_interval_leaves_out_each_document_in_turn():
    """The degrees of freedom are 1 / sum of h^2 - 1, with the documents' shares h of the spans."""
    share = DOCUMENTS.sum(axis=1) / DOCUMENTS.sum()
    expected = jackknife_ends(f1_of, DOCUMENTS, 1 / (share**2).sum() - 1)
    found = f1ci.Units(DOCUMENTS).interval()
    assert found.method == "logit"
    assert tuple(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted"])
@pytest.mark.parametrize("method", ["logit", "delta"])
def test_documents_with_nothing_in_them_change_nothing(average, method):
    """Neither limits nor standard errors; the delta method once counted them in G / (G - 1)."""
    counts = np.random.default_rng(2).integers(0, 9, (2, 9, 2, 3))
    empty = np.concatenate([counts, np.zeros((2, 6, 2, 3), int)], axis=1)
    options = {"average": average, "method": method}
    for of_data in (
        lambda of: numbers(of.interval(model="a", **options)),
        lambda of: numbers(of.difference(average=average or "micro", method=method)),
        lambda of: of.joint(["f1", "recall"], average=average or "micro", method=method).covariance,
    ):
        one, other = (of_data(f1ci.Units({"a": a, "b": b})) for a, b in (counts, empty))
        np.testing.assert_allclose(other, one, rtol=1e-12)


def test_groups_of_true_negatives_change_nothing():
    """A document without relevant items, through the doors of labels and of runs."""
    y, a, b = np.random.default_rng(3).integers(0, 2, (3, 60))
    groups = np.arange(60) // 6
    more = [np.append(x, np.zeros(8, int)) for x in (y, a, b)]
    more_groups = np.append(groups, 10 + np.arange(8) // 2)

    def answers(y, a, b, groups):
        labels = f1ci.Labels(y, {"a": a, "b": b}, groups=groups)
        runs = f1ci.Runs(y, {"A": [a, y], "B": [b, a]}, groups=groups)
        of_one = numbers(labels.interval(model="a", method="delta"))
        of_two = numbers(labels.difference()), numbers(runs.difference())
        covariance = labels.joint(["f1", "recall"]).covariance
        return [*of_one, *of_two[0], *of_two[1], *numbers(runs.interval(model="A")), *covariance]

    found, expected = answers(*more, more_groups), answers(y, a, b, groups)
    np.testing.assert_allclose(np.hstack(found), np.hstack(expected), rtol=1e-12)


def weighted_f1(counts, weight):
    """Weighted F1 of classes, from units with weights."""
    tp, fp, fn = np.moveaxis(np.einsum("g,gkc->kc", weight, counts), -1, 0)
    return ((tp + fn) * 2 * tp / (2 * tp + fp + fn)).sum() / (tp + fn).sum()


def test_the_standard_error_is_a_numeric_derivative():
    """The jackknife's limit: each unit's influence by a small change of its weight."""
    counts = DOCUMENTS[:, None, :] + np.arange(6).reshape(1, 2, 3)
    units, step = len(counts), 1e-6
    influence = []
    for unit in step * np.eye(units):
        change = weighted_f1(counts, 1 + unit) - weighted_f1(counts, 1 - unit)
        influence.append(change / (2 * step))
    expected = np.sqrt(units / (units - 1) * np.square(influence).sum())
    found = f1ci.Units(counts).interval(average="weighted")
    assert found.estimate == pytest.approx(weighted_f1(counts, np.ones(units)), rel=1e-14)
    assert found.standard_error == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted", "samples"])
def test_indicators_have_the_scores_of_scikit_learn(average):
    rng = np.random.default_rng(7)
    y = (rng.random((80, 4)) < [0.5, 0.3, 0.2, 0.1]).astype(int)
    predicted = np.where(rng.random((80, 4)) < 0.85, y, 1 - y)
    of = {"average": average, "zero_division": 0}
    found = f1ci.f1_score_interval(y, predicted, **of)
    np.testing.assert_allclose(found.estimate, f1_score(y, predicted, **of), rtol=1e-13)
    if average != "samples":  # by default counts leave out documents without a score
        counts = np.stack([y & predicted, (1 - y) & predicted, y & (1 - predicted)], axis=-1)
        by_rows = quiet(ask, f1ci.Units, "interval", (counts,), average=average)
        np.testing.assert_array_equal(tuple(by_rows), tuple(found))


@pytest.mark.parametrize("counted", [0, 1])
def test_a_class_without_a_score_counts_as_asked_by_both_names_of_the_average(counted):
    """The first class has 25 TP and 13 errors, so F1 = 50 / 63. The second one has no items."""
    counts = np.zeros((4, 2, 3), dtype=int)
    counts[:, 0] = [[8, 1, 2], [5, 0, 1], [9, 4, 3], [3, 1, 1]]
    named = f1ci.Units(counts, zero_division=counted).interval("macro_f1")
    averaged = f1ci.Units(counts, zero_division=counted).interval("f1", average="macro")
    assert named.estimate == pytest.approx((50 / 63 + counted) / 2, rel=1e-14)
    assert tuple(named) == tuple(averaged)


def test_units_that_all_agree_count_as_one_item_each():
    wilson = stats.binomtest(10, 10).proportion_ci(method="wilson")
    assert tuple(f1ci.Units([[5, 0, 0]] * 10).interval()) == pytest.approx(tuple(wilson), abs=1e-12)
    wilson = stats.binomtest(0, 10).proportion_ci(method="wilson")
    assert tuple(f1ci.Units([[0, 3, 1]] * 10).interval()) == pytest.approx(tuple(wilson), abs=1e-12)
    with pytest.warns(f1ci.UndefinedMetricWarning, match="f1 is undefined; nan was"):
        nothing = f1ci.Units([[0, 0, 0]] * 10).interval()
    assert np.isnan(nothing.estimate)


def test_a_standard_error_of_zero_is_not_passed_over():
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="f1 has a standard error of zero"):
        assert tuple(f1ci.Units([[5, 0, 0]] * 10).interval(method="delta")) == (1.0, 1.0)
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="has length zero"):
        f1ci.Units({"A": DOCUMENTS, "B": DOCUMENTS}).difference(method="delta")


@pytest.mark.filterwarnings("ignore:.* rests on:f1ci.SmallSampleWarning")
def test_a_class_in_one_document_leaves_room_for_others():
    """Units of another kind are at most a share z^2 / (G + z^2), Wilson's limit for none of G."""
    low, high = f1ci.Units([[7, 6, 4], [0, 0, 0], [0, 0, 0]]).interval()
    estimate, z = 14 / 24, stats.norm.ppf(0.975)
    unseen = z * z / (1 + z * z)
    expected = estimate * (1 - unseen), estimate + (1 - estimate) * unseen
    assert (low, high) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("skewed", "least"), [(False, 0.93), (True, 0.92)])
def test_coverage_with_ten_documents(skewed, least):
    """Correlation 0.1 within documents of about 10 spans; the delta method covers 0.89, 0.84."""
    rng = np.random.default_rng(11)
    share, rho, runs = 2 / 3, 0.1, 1_000
    sizes = np.full(10, 10) if not skewed else np.array([2, 3, 4, 5, 6, 8, 10, 12, 20, 30])
    held = {"logit": 0, "delta": 0}
    for _ in range(runs):
        p = rng.beta(share * (1 - rho) / rho, (1 - share) * (1 - rho) / rho, 10)
        tp = rng.binomial(sizes, p)
        counts = np.stack([tp, sizes - tp, 0 * tp], axis=-1)
        for method in held:
            low, high = f1ci.Units(counts).interval(method=method)
            held[method] += low <= 0.8 <= high  # F1 = 2 * 2/3 / (1 + 2/3)
    assert held["logit"] / runs > least
    assert held["delta"] / runs < 0.92


def assert_ordered_and_wider(a, b):
    """Limits of a difference; swapping the models negates them."""
    inner = 1.0, -1.0
    for level in (0.5, 0.9, 0.99, 0.9999999):
        found = f1ci.Units({"A": a, "B": b}).difference(confidence_level=level).interval
        back = f1ci.Units({"A": b, "B": a}).difference(confidence_level=level).interval
        low, high = found
        assert tuple(back) == pytest.approx((-high, -low), abs=1e-12)
        assert -1.0 <= low <= found.estimate <= high <= 1.0
        assert low < high
        # Both ends are made of sums of rounded parts.
        assert low <= inner[0] + 1e-12, (a, b, level)
        assert inner[1] - 1e-12 <= high, (a, b, level)
        inner = low, high


@pytest.mark.filterwarnings("ignore:.* rests on:f1ci.SmallSampleWarning")
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (DOCUMENTS, DOCUMENTS),
        ([[16, 7, 1], [1, 0, 0]], [[15, 6, 2], [1, 0, 0]]),
        ([[3, 13, 0], [4, 1, 0]], [[2, 13, 1], [4, 1, 0]]),
    ],
)
def test_differences_of_equal_models_and_of_two_units_widen_with_the_level(a, b):
    assert_ordered_and_wider(a, b)


# Any metric of items in groups


@pytest.mark.parametrize("metric", ["f1", "macro_f1", "weighted_f1", "macro_f1_star", "mcc"])
@pytest.mark.parametrize("times", [1, 3])
def test_groups_of_one_item_have_the_divisor_n_minus_1(metric, times):
    """And the delta method's error. What is repeated in its group adds nothing.

    The n of an average are all items; of F1 they are the relevant ones.
    """
    true, pred = labels_of(TOY)
    if metric == "f1":
        true, pred = (true > 0).astype(int), (pred > 0).astype(int)
    n = np.count_nonzero(true | pred) if metric == "f1" else 100
    alone = f1ci.score_interval(true, pred, metric, method="delta")
    true, pred = np.tile([true, pred], times)
    groups = np.tile(np.arange(100), times)
    grouped = f1ci.score_interval(true, pred, metric, groups=groups)
    assert grouped.method == "logit+groups"
    assert grouped.estimate == pytest.approx(alone.estimate, rel=1e-14)
    error = alone.standard_error * np.sqrt(n / (n - 1))
    assert grouped.standard_error == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("metric", ["f1", "macro_f1", "mcc"])
def test_differences_of_single_items_are_nearly_those_without_groups(metric):
    """Student's quantile of 299 degrees is .4 % longer, and half an item tells models apart."""
    y_true, a, b = np.random.default_rng(1).integers(0, 2, (3, 300))
    a, b = np.where(a, y_true, 1 - y_true), np.where(b, y_true, a)
    grouped = (
        f1ci.Labels(y_true, {"A": a, "B": b}, groups=np.arange(300)).difference(metric).interval
    )
    alone = f1ci.Labels(y_true, {"A": a, "B": b}).difference(metric).interval
    assert grouped.method == "logit+groups"
    assert tuple(grouped) == pytest.approx(tuple(alone), abs=0.02 * alone.length)
