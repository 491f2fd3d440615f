"""Counts by unit.

Oracles: scipy's Wilson interval and SLSQP search; leaving units out by a loop; scipy's quantiles;
numeric derivatives; independent items; simulation from a known truth.
"""

import numpy as np
import pytest
from examples import DOCUMENTS, TOY, ask, labels_of, numbers, quiet
from scipy import optimize, stats

import f1ci
from f1ci.data.matrix import CellCounts, all_cells
from f1ci.methods import region


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


# A limit is sought until its slopes promise less than 1e-7 of the way from the estimate.
SEARCH = 1e-7

# TP, FP and FN of spans that are units of their own.
SPANS = np.repeat([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [77, 44, 10], axis=0)


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", f1ci.metrics.fbeta(2)])
def test_items_as_units_have_the_limits_of_independent_items(metric):
    alone = f1ci.Counts(77, 44, 10).interval(metric)
    units = f1ci.Units(SPANS).interval(metric)
    assert units.method == alone.method == "score"
    assert tuple(units) == pytest.approx(tuple(alone), abs=SEARCH * alone.length)


def test_two_kinds_of_units_have_wilsons_limits():
    """37 documents without an error and 5 without anything right, of nine spans each."""
    counts = [[9, 0, 0]] * 37 + [[0, 9, 0]] * 5
    wilson = np.array(stats.binomtest(37, 42).proportion_ci(method="wilson"))
    expected = 2 * wilson / (1 + wilson)  # F1 of the share of right spans
    assert tuple(f1ci.Units(counts).interval()) == pytest.approx(tuple(expected), abs=SEARCH)
    means = f1ci.mean_interval([1.0] * 37 + [0.0] * 5)
    assert tuple(means) == pytest.approx(tuple(wilson), abs=SEARCH)


def test_one_error_more_lowers_a_limit_by_little():
    """15 documents of 8 spans with 0, 1, 2 and 3 errors. The first is Wilson's, 15 of 15, as F1.

    A variance of zero, which is no case of its own, had a limit .17 lower than one error.
    """
    lows = []
    for errors in range(4):
        counts = np.array([[8, 0, 0]] * 15)
        counts[:errors] = [7, 1, 0]
        lows.append(f1ci.Units(counts).interval().low)
    wilson = stats.binomtest(15, 15).proportion_ci(method="wilson").low
    assert lows[0] == pytest.approx(2 * wilson / (1 + wilson), abs=SEARCH)
    np.testing.assert_array_less(np.diff(lows), 0.0)
    np.testing.assert_array_less(-0.005, np.diff(lows))


@pytest.mark.parametrize("side", [1, -1])
def test_the_limits_are_the_range_that_another_search_finds(side):
    """SLSQP over the shares of units, three kinds of them unseen: all found, spurious, missed."""
    size = DOCUMENTS.sum(axis=1)
    unseen = (size**2).sum() / size.sum() * np.eye(3)
    kinds = np.concatenate([DOCUMENTS, unseen])
    p = np.append(np.full(len(DOCUMENTS), 1 / len(DOCUMENTS)), np.zeros(3))
    allowed = 1 + stats.norm.ppf(0.975) ** 2 / len(DOCUMENTS)
    within = {"type": "ineq", "fun": lambda q: allowed - (p**2 / q).sum()}
    whole = {"type": "eq", "fun": lambda q: q.sum() - 1}
    found = optimize.minimize(
        lambda q: -side * f1_of(q[:, None] * kinds),
        (p + 0.05) / (p + 0.05).sum(),
        method="SLSQP",
        bounds=[(1e-9, 1)] * len(p),
        constraints=[within, whole],
        options={"ftol": 1e-12, "maxiter": 1_000},
    )
    interval = f1ci.Units(DOCUMENTS).interval()
    limit = interval.high if side == 1 else interval.low
    assert limit == pytest.approx(-side * found.fun, abs=1e-5)


@pytest.mark.parametrize("metric", ["macro_f1", "weighted_f1", "kappa", "mcc", "accuracy"])
def test_items_as_units_have_the_region_of_independent_items(metric):
    """The variance factor, which is for classes, is left out."""
    true, pred = labels_of(TOY)
    units = f1ci.score_interval(true, pred, metric, groups=np.arange(100))
    counts = np.array(TOY, float).reshape(9, 1)
    low, high = region.score_limits(
        lambda q: f1ci.metrics.get(metric).slopes(CellCounts(all_cells(3), q)),
        counts,
        stats.norm.ppf(0.975),
    )
    assert tuple(units) == pytest.approx((low[0], high[0]), abs=SEARCH)
    alone = f1ci.score_interval(true, pred, metric)
    assert tuple(units) == pytest.approx(tuple(alone), abs=0.02 * alone.length)


@pytest.mark.parametrize("metric", ["macro_f1", "kappa"])
def test_items_of_many_classes_as_units_have_the_region_of_independent_items(metric):
    """Of more than 30 classes only some cells are looked at, the same ones for units.

    Without the variance factor, at most 1 + 40 / 600, arms are shorter by its root, 3.3 %.
    """
    rng = np.random.default_rng(8)
    true = rng.integers(0, 40, 600)
    pred = np.where(rng.random(600) < 0.8, true, rng.integers(0, 40, 600))
    alone = f1ci.score_interval(true, pred, metric)
    units = f1ci.score_interval(true, pred, metric, groups=np.arange(600))
    assert units.estimate == pytest.approx(alone.estimate, rel=1e-12)
    assert tuple(units) == pytest.approx(tuple(alone), abs=0.033 * alone.length)


def test_a_known_class_that_no_unit_holds_makes_the_limits_wider():
    true, pred, groups = [0, 1, 1] * 8, [0, 1, 0] + [0, 1, 1] * 7, np.arange(24) // 3
    with pytest.warns(f1ci.UndefinedMetricWarning, match="leaves out class 2"):
        known = f1ci.f1_score_interval(true, pred, average="macro", groups=groups, labels=[0, 1, 2])
    without = f1ci.f1_score_interval(true, pred, average="macro", groups=groups)
    assert known.estimate == without.estimate
    assert known.low < without.low


@pytest.mark.parametrize("zero_division", [np.nan, 0, 1])
def test_a_column_without_items_is_a_class_of_which_nothing_is_known(zero_division):
    """As a row of a matrix: the limits of the mean are those of the other class and of 0 and 1."""
    counts = np.zeros((6, 2, 3), dtype=int)
    counts[:, 0] = DOCUMENTS[:6]
    alone = f1ci.Units(counts[:, 0]).interval()
    data = f1ci.Units(counts, zero_division=zero_division)
    found = quiet(data.interval, average="macro")
    assert tuple(found) == pytest.approx((alone.low / 2, (alone.high + 1) / 2), abs=SEARCH)
    counted = [alone.estimate] if np.isnan(zero_division) else [alone.estimate, zero_division]
    assert found.estimate == pytest.approx(np.mean(counted), rel=1e-14)
    assert quiet(data.interval, "macro_f1") == found


def test_an_answer_says_when_units_that_cannot_fail_have_shorter_limits():
    alike = f1ci.Units([[8, 1, 1]] * 9 + [[8, 2, 0], [7, 1, 1]])
    low, high = alike.interval(method="logit")
    assert alike.interval().note.startswith(f"{low:.4f} to {high:.4f} if no unit can be much worse")
    assert alike.interval().note in str(alike.interval())
    assert f1ci.Units([[9, 0, 0]] * 5 + [[0, 9, 0]] * 5).interval().note == ""


def test_logit_leaves_out_each_document_in_turn():
    """The degrees of freedom are 1 / sum of h^2 - 1, with the documents' shares h of the spans."""
    share = DOCUMENTS.sum(axis=1) / DOCUMENTS.sum()
    expected = jackknife_ends(f1_of, DOCUMENTS, 1 / (share**2).sum() - 1)
    found = f1ci.Units(DOCUMENTS).interval(method="logit")
    assert tuple(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted"])
@pytest.mark.parametrize("method", ["score", "logit", "delta"])
def test_documents_with_nothing_in_them_change_nothing(average, method):
    """Neither limits nor standard errors; the delta method once counted them in G / (G - 1)."""
    counts = np.random.default_rng(2).integers(0, 9, (2, 9, 2, 3))
    empty = np.concatenate([counts, np.zeros((2, 6, 2, 3), int)], axis=1)
    options = {"average": average, "method": method}
    questions = [
        lambda of: numbers(of.interval(model="a", **options)),
        lambda of: numbers(of.difference(average=average or "micro", method=method)),
        lambda of: of.joint(["f1", "recall"], average=average or "micro", method=method).covariance,
    ]
    # Differences and joint intervals of units have no score limits.
    for of_data in questions[: 1 if method == "score" else 3]:
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
def test_indicators_are_units_with_counts_by_class(average):
    rng = np.random.default_rng(7)
    y = (rng.random((80, 4)) < [0.5, 0.3, 0.2, 0.1]).astype(int)
    predicted = np.where(rng.random((80, 4)) < 0.85, y, 1 - y)
    of = {"average": average, "zero_division": 0}
    counts = np.stack([y & predicted, (1 - y) & predicted, y & (1 - predicted)], axis=-1)
    found = f1ci.f1_score_interval(y, predicted, **of)
    by_rows = ask(f1ci.Units, "interval", (counts,), **of)
    np.testing.assert_array_equal(tuple(by_rows), tuple(found))


def test_units_without_items_have_no_score():
    with pytest.warns(f1ci.UndefinedMetricWarning, match="f1 is undefined; nan was"):
        nothing = f1ci.Units([[0, 0, 0]] * 10).interval()
    assert np.isnan(nothing.estimate)
    assert tuple(nothing) == (0.0, 1.0)


def test_a_standard_error_of_zero_is_not_passed_over():
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="f1 has a standard error of zero"):
        assert tuple(f1ci.Units([[5, 0, 0]] * 10).interval(method="delta")) == (1.0, 1.0)
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="has length zero"):
        f1ci.Units({"A": DOCUMENTS, "B": DOCUMENTS}).difference(method="delta")
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="method='score' avoids this"):
        assert tuple(f1ci.Units([[5, 1, 0]] * 10).interval(method="logit")) == (0.0, 1.0)


@pytest.mark.parametrize("gain", [0.01, -0.2])
def test_equal_differences_of_all_units_are_judged_by_their_number(gain):
    """12 images, each better by .01. Wilson's limit for the share of images that are worse by it.

    It is z^2 / (12 + z^2), so that zero enters at z^2 = 12, where the p-value is .0005; that of a
    sign test is 2 / 2^12 = .0005.
    """
    scores = np.full(12, 0.5)
    test = f1ci.Scores({"A": scores, "B": scores + gain})
    with pytest.warns(f1ci.DegenerateVarianceWarning, match="how many units may be of another"):
        found = test.difference()
    z2 = stats.norm.ppf(0.975) ** 2
    half = 2 * abs(gain) * z2 / (12 + z2)
    assert tuple(found.interval) == pytest.approx((gain - half, gain + half), abs=1e-12)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(np.sqrt(12)), rel=1e-6)


@pytest.mark.filterwarnings("ignore:.* rests on:f1ci.SmallSampleWarning")
def test_a_class_in_one_document_leaves_room_for_others():
    """Units of another kind are at most a share z^2 / (1 + z^2), Wilson's limit for none of one."""
    low, high = f1ci.Units([[7, 6, 4], [0, 0, 0], [0, 0, 0]]).interval()
    z2 = stats.norm.ppf(0.975) ** 2
    # Times 17, the size of the document, TP and errors move to one side.
    tp, errors, more = 7 / (1 + z2), 10 / (1 + z2), 17 * z2 / (1 + z2)
    worst = 2 * tp / (2 * tp + errors + more)
    best = 2 * (tp + more) / (2 * (tp + more) + errors)
    assert (low, high) == pytest.approx((worst, best), abs=SEARCH)


@pytest.mark.parametrize(("skewed", "least"), [(False, 0.93), (True, 0.92)])
def test_coverage_with_ten_documents(skewed, least):
    """Correlation 0.1 within documents of about 10 spans; the delta method covers 0.89, 0.84.

    A unit that fails is possible, but no unit does, so the score limits cover nearly always.
    """
    rng = np.random.default_rng(11)
    share, rho, runs = 2 / 3, 0.1, 1_000
    sizes = np.full(10, 10) if not skewed else np.array([2, 3, 4, 5, 6, 8, 10, 12, 20, 30])
    p = rng.beta(share * (1 - rho) / rho, (1 - share) * (1 - rho) / rho, (runs, 10))
    tp = rng.binomial(sizes, p).T
    counts = np.stack([tp, sizes[:, None] - tp, 0 * tp], axis=-1)

    def covered(method, some=runs):
        """How often the limits contain F1 = 2 * 2/3 / (1 + 2/3); samples stand as classes."""
        units = f1ci.Units(counts[:, :some])
        return np.mean(units.interval(average=None, method=method).covers(0.8))

    assert covered("score", 200) > 0.97
    assert covered("logit") > least
    assert covered("delta") < 0.92


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
@pytest.mark.filterwarnings("ignore:.*how many units may be:f1ci.DegenerateVarianceWarning")
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
    assert grouped.method == "score+groups"
    assert grouped.estimate == pytest.approx(alone.estimate, rel=1e-14)
    error = alone.standard_error * np.sqrt(n / (n - 1))
    assert grouped.standard_error == pytest.approx(error, rel=1e-9)


def least_root(counts, held, truth):
    """The signed root of the least X^2 of three kinds of units whose score is the true one.

    Shares q with the sums of q and of q e given have one unknown, in which X^2 is convex; golden
    section finds its least value.
    """
    units = counts.sum(axis=1)
    p = counts / units[:, None]
    e = held[:, 0] - truth * held[:, 1]
    start = np.linalg.lstsq(np.stack([np.ones(3), e]), np.array([1.0, 0.0]), rcond=None)[0]
    way = np.cross(np.ones(3), e)
    ends = -start / way
    low = np.full(len(p), ends[way > 0].max() + 1e-12)
    high = np.full(len(p), ends[way < 0].min() - 1e-12)
    golden = (5**0.5 - 1) / 2

    def statistic(t):
        return units * ((p**2 / (start + t[:, None] * way)).sum(axis=1) - 1)

    for _ in range(60):
        a, b = high - golden * (high - low), low + golden * (high - low)
        left = statistic(a) < statistic(b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    root = np.sqrt(np.maximum(statistic(0.5 * (low + high)), 0))
    return np.copysign(root, p @ e)


def test_a_ratio_over_units_needs_no_variance_factor():
    """E r = 0 and var r = 1 - 3 V / 4 G, by exact sums over all samples of 60 and 120 units."""
    held, q = np.array([[1.0, 1.0], [2.0, 4.0], [0.0, 2.0]]), np.array([0.5, 0.3, 0.2])
    truth = (q @ held[:, 0]) / (q @ held[:, 1])
    e = held[:, 0] - truth * held[:, 1]
    e = e / np.sqrt(q @ e**2)
    v = q @ e**4 - 1 - (q @ e**3) ** 2
    found = []
    for units in (60, 120):
        first, second = np.indices((units + 1, units + 1)).reshape(2, -1)
        counts = np.stack([first, second, units - first - second], axis=1)
        counts = counts[counts[:, 2] >= 0]
        chance = stats.multinomial.pmf(counts, units, q)
        r = least_root(counts, held, truth)
        mean = chance @ r
        found.append((np.sqrt(units) * mean, units * (chance @ (r - mean) ** 2 - 1)))
    # Extrapolated to infinitely many units, what is left is of the order 1 / G^2.
    mean, variance = 2 * np.array(found[1]) - np.array(found[0])
    assert mean == pytest.approx(0, abs=0.01)
    assert variance == pytest.approx(-0.75 * v, rel=0.05)
