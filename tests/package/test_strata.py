"""Strata with known shares: R's survey package, exact sums, and each door against the others.

`strata.csv` holds what `strata.R` printed with R 4.2.2 and survey 4.1-1: estimates and standard
errors of two published accuracy assessments of maps.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from examples import ask, labels_of
from scipy import stats

import f1ci
from f1ci import metrics

# Olofsson et al. (2014), Table 8, as mapaccuracy 0.1.2 (CRAN) quotes it. True classes are rows.
OLOFSSON = np.array([[66, 0, 1, 2], [0, 55, 0, 1], [5, 8, 153, 9], [4, 12, 11, 313]])
AREAS = {"1": 0.02, "2": 0.015, "3": 0.32, "4": 0.645}
# Stehman (2014), the numerical example: ten items of each stratum, which are not the map's classes.
STEHMAN = (
    list("AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB"),
    list("AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD"),
    np.repeat(list("ABCD"), 10),
    {"A": 0.4, "B": 0.3, "C": 0.2, "D": 0.1},
)


def olofsson():
    """True classes, the map's classes, the strata (which are these), and their shares."""
    y_true, y_pred = (np.array(["1", "2", "3", "4"])[codes] for codes in labels_of(OLOFSSON))
    return y_true, y_pred, y_pred, AREAS


DESIGNS = {"olofsson": olofsson(), "stehman": STEHMAN}


def rows_of_r():
    with (Path(__file__).parent / "strata.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def known(strata, shares):
    return {"strata": strata, "stratum_shares": shares}


@pytest.mark.parametrize("row", rows_of_r(), ids=lambda row: "-".join(list(row.values())[:3]))
def test_r_has_the_same_estimate_and_error(row):
    y_true, y_pred, strata, shares = DESIGNS[row["design"]]
    options = known(strata, shares)
    if row["class"]:
        options |= {"average": "macro", "labels": [row["class"]]}
    found = f1ci.score_interval(y_true, y_pred, row["metric"], **options)
    # R was asked for 15 digits.
    assert found.estimate == pytest.approx(float(row["estimate"]), rel=1e-12)
    assert found.standard_error == pytest.approx(float(row["error"]), rel=1e-12)
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize("name", DESIGNS)
def test_a_report_and_each_class_say_the_same(name):
    y_true, y_pred, strata, shares = DESIGNS[name]
    options = known(strata, shares)
    report = f1ci.classification_report(y_true, y_pred, **options)
    for metric in ("precision", "recall", "f1"):
        each = f1ci.score_interval(y_true, y_pred, metric, average=None, **options)
        assert np.array_equal(each.low, report.by_class[metric].low)
        assert np.array_equal(each.high, report.by_class[metric].high)
        for k, label in enumerate(each.classes):
            one = f1ci.score_interval(
                y_true, y_pred, metric, average="macro", labels=[label], **options
            )
            # Cells of other classes are one here and several there. The equation settles at 1e-7.
            assert list(one) == pytest.approx([each.low[k], each.high[k]], abs=1e-6)
    assert "have the given shares" in report.notes[0]


def test_true_classes_as_strata_are_class_shares():
    y_true, y_pred, _, _ = DESIGNS["olofsson"]
    shares = {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.4}
    for metric in ("macro_f1", "accuracy", "mcc"):
        of_strata = f1ci.score_interval(y_true, y_pred, metric, **known(y_true, shares))
        of_classes = f1ci.score_interval(y_true, y_pred, metric, class_shares=shares)
        of_matrix = f1ci.Matrix(OLOFSSON, class_shares=list(shares.values())).interval(metric)
        assert list(of_strata) == pytest.approx(list(of_classes), abs=1e-12)
        assert list(of_matrix) == pytest.approx(list(of_classes), abs=1e-12)
        assert of_strata.standard_error == pytest.approx(of_matrix.standard_error, rel=1e-12)


@pytest.mark.parametrize("metric", ["macro_f1", "accuracy", "kappa", "weighted_precision"])
def test_one_stratum_is_no_stratum(metric):
    y_true, y_pred, *_ = STEHMAN
    one = known(["everywhere"] * len(y_true), {"everywhere": 1.0})
    assert f1ci.score_interval(y_true, y_pred, metric, **one) == f1ci.score_interval(
        y_true, y_pred, metric
    )


def test_a_stratum_without_positives_leaves_room_for_some():
    """Of the positives alone, all in the other stratum, scipy has Wilson's interval."""
    y_true = [1] * 30 + [0] * 170
    y_pred = [1] * 22 + [0] * 8 + [1] * 5 + [0] * 165
    strata = ["rich"] * 60 + ["poor"] * 140
    expected = stats.binomtest(22, 30).proportion_ci(method="wilson")
    shares = {"rich": 0.1, "poor": 0.9}
    longer = f1ci.score_interval(y_true, y_pred, "recall", **known(strata, shares))
    assert longer.low < expected.low < expected.high <= longer.high + 1e-8


def exact_coverage(n, shares, right, missed, **options):
    """The coverage for F1 of a map of two classes, by exact sums.

    Of n items from the positive stratum Binomial(right) are positive, of n from the negative one
    Binomial(missed).
    """
    tp, fn = np.divmod(np.arange((n + 1) ** 2), n + 1)
    weight = stats.binom.pmf(tp, n, right) * stats.binom.pmf(fn, n, missed)
    positive, negative = shares
    truth = 2 * positive * right / (positive * (1 + right) + negative * missed)
    y_pred = np.repeat([1, 0], n)
    covered = 0.0
    for k in np.flatnonzero(weight > 1e-6):
        y_true = np.r_[np.arange(n) < tp[k], np.arange(n) < fn[k]].astype(int)
        if not y_true.any():
            continue
        low, high = f1ci.score_interval(
            y_true, y_pred, **known(y_pred, {1: positive, 0: negative}), **options
        )
        covered += weight[k] * (low <= truth <= high)
    return covered


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize(("right", "missed"), [(0.9, 0.05), (0.6, 0.1)])
def test_limits_of_a_map_cover_by_exact_sums(right, missed):
    """A tenth of the area is mapped as positive; 20 items are drawn from each class of the map."""
    score = exact_coverage(20, (0.1, 0.9), right, missed)
    delta = exact_coverage(20, (0.1, 0.9), right, missed, method="delta")
    assert 0.93 < score < 0.985
    assert delta < score


STRATUM_SIZES = np.array([50, 30, 20])
STRATUM_SHARES = np.array([0.9, 0.08, 0.02])


def two_models_by_stratum():
    """Truth, the predictions of two models, and the strata of 100 items."""
    rng = np.random.default_rng(5)
    strata = np.repeat([0, 1, 2], STRATUM_SIZES)
    y_true = (rng.random(100) < np.array([0.1, 0.5, 0.8])[strata]).astype(int)
    a, b = (np.where(rng.random(100) < 0.8, y_true, 1 - y_true) for _ in range(2))
    return y_true, a, b, strata


def f1_by_stratum(y_true, y_pred, strata, weight):
    """F1 of items with weights, each stratum scaled to its share."""
    table = np.zeros((3, 2, 2))
    np.add.at(table, (strata, y_true, y_pred), weight)
    scale = STRATUM_SHARES / table.sum(axis=(1, 2))
    return metrics.f1.value((scale[:, None, None] * table).sum(axis=0))


def test_a_difference_has_the_moves_of_both_by_stratum():
    """The standard error from numeric derivatives, item by item, with n - 1 in each stratum."""
    y_true, a, b, strata = two_models_by_stratum()
    options = known(strata, dict(enumerate(STRATUM_SHARES)))
    found = ask(f1ci.Labels, "difference", (y_true, {"A": a, "B": b}), "f1", **options).interval

    def change(weight):
        of_b = f1_by_stratum(y_true, b, strata, weight)
        return of_b - f1_by_stratum(y_true, a, strata, weight)

    steps = 1e-5 * np.eye(100)
    moves = np.array([change(1 + step) - change(1 - step) for step in steps]) / 2e-5
    n = STRATUM_SIZES[strata]
    assert found.estimate == pytest.approx(change(np.ones(100)), abs=1e-12)
    expected = np.sqrt((moves**2 * n / (n - 1)).sum())
    assert found.standard_error == pytest.approx(expected, rel=1e-5)


def test_perfect_scores_are_not_known_exactly():
    """Every stratum has one true and one predicted class. Errors of both kinds are possible."""
    y = [0] * 40 + [1] * 20
    shares = {0: 0.9, 1: 0.1}
    wilson = stats.binomtest(20, 20).proportion_ci(method="wilson").low
    recall = f1ci.score_interval(y, y, "recall", class_shares=shares)
    assert list(recall) == pytest.approx([wilson, 1.0], abs=1e-7)
    # In a map the items of the large stratum may be missed positives.
    for metric in ("recall", "precision", "f1"):
        low, high = f1ci.score_interval(y, y, metric, **known(y, shares))
        assert 0.0 < low < (wilson if metric == "recall" else 0.9)
        assert high == 1.0


def test_random_swaps_keep_the_strata():
    """Model B is A in the large stratum, so only items of the small one can be swapped."""
    strata = np.repeat(["large", "small"], 40)
    y_true = np.tile([1, 0], 40)
    a = y_true.copy()
    a[40:50] = 1 - a[40:50]
    b = y_true
    for share in (0.5, 0.999):
        test = ask(
            f1ci.Labels,
            "difference",
            (y_true, {"A": a, "B": b}),
            test="randomisation",
            rng=1,
            **known(strata, {"large": share, "small": 1 - share}),
        )
        # Ten items that only B has right: the sign test has 2 / 2^10.
        assert test.p_value == pytest.approx(2 / 2**10, abs=2e-3)


HALVES = {0: 0.5, 1: 0.5}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"strata": [0, 1]}, r"strata goes with stratum_shares, or .*, got strata=\[0, 1\]$"),
        ({"stratum_shares": {0: 1.0}}, r"strata goes with .*, got stratum_shares=\{0: 1.0\}$"),
        (known([0, 1] * 3, HALVES), "strata must have 8 labels, one for each item"),
        (known([0, 1] * 4, {0: 0.5, 1: 0.6}), "stratum_shares must sum to 1, got .* sum 1.1"),
        (known([0, 1] * 4, {0: 1.0}), "above 0 for stratum 1, which has items, got 0"),
        (known([0, 1] * 4, {0: 0.5, 1: 0.4, 2: 0.1}), r"name strata that occur .0, 1., got 2"),
        (known([0, 1] * 4, [0.5, 0.5]), r"map each stratum to its share, .* got \[0.5, 0.5\]"),
        (
            {**known([0, 1] * 4, HALVES), "groups": [0] * 4 + [1] * 4},
            "several strata for the group",
        ),
        ({**known([0, 1] * 4, HALVES), "class_shares": HALVES}, "two designs: pass one of them"),
    ],
)
def test_designs_that_are_mistakes(options, sentence):
    y_true, y_pred = [0, 1, 1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 1, 0, 1]
    with pytest.raises((ValueError, TypeError), match=sentence):
        f1ci.score_interval(y_true, y_pred, **options)
    with pytest.raises((ValueError, TypeError), match=sentence):
        ask(f1ci.Labels, "difference", (y_true, {"A": y_pred, "B": y_true}), "f1", **options)


def test_strata_are_not_for_indicators():
    flags = np.array([[1, 0], [0, 1], [1, 1]])
    with pytest.raises(ValueError, match="strata goes with one label for each item"):
        f1ci.score_interval(flags, flags, average="macro", **known([0, 1, 1], HALVES))


# Units that were drawn by stratum


def units_by_stratum(seed=3, units=(5, 7, 4), most=6):
    """True and predicted labels, strata and units; each unit lies in one stratum."""
    rng = np.random.default_rng(seed)
    of_unit = np.repeat(np.arange(len(units)), units)
    sizes = rng.integers(2, most, len(of_unit))
    unit = np.repeat(np.arange(len(of_unit)), sizes)
    y_true = rng.choice(list("ab"), len(unit))
    right = rng.random(len(unit)) < rng.beta(4, 2, len(of_unit))[unit]
    y_pred = np.where(right, y_true, np.where(y_true == "a", "b", "a"))
    return y_true, y_pred, of_unit[unit], unit, {0: 0.5, 1: 0.3, 2: 0.2}


def test_units_of_strata_have_the_variance_of_a_stratified_cluster_sample():
    """Cochran (1977), equation 11.30 in each stratum: the ratio of right items to items by unit.

    The share of right items is sum of W_h r_h, and its variance the sum of
    W_h^2 G_h / (G_h - 1) sum over units of (y_g - r_h m_g)^2 / M_h^2.
    """
    y_true, y_pred, strata, unit, shares = units_by_stratum()
    estimate = variance = 0.0
    for h, share in shares.items():
        y = np.array([(y_true == y_pred)[unit == g].sum() for g in np.unique(unit[strata == h])])
        m = np.array([(unit == g).sum() for g in np.unique(unit[strata == h])])
        r = y.sum() / m.sum()
        estimate += share * r
        residual = y - r * m
        variance += share**2 * len(y) / (len(y) - 1) * (residual**2).sum() / m.sum() ** 2
    test = f1ci.Labels(y_true, y_pred, strata=strata, stratum_shares=shares, groups=unit)
    found = test.interval("accuracy", method="delta")
    assert found.estimate == pytest.approx(estimate, rel=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize("metric", ["macro_f1", "accuracy", "kappa", "f1"])
def test_units_of_one_item_in_strata_are_items_in_strata(metric):
    y_true, y_pred, strata, _, shares = units_by_stratum(most=3)
    design = {"strata": strata, "stratum_shares": shares, "pos_label": "a"}
    alone = f1ci.Labels(y_true, y_pred, **design, groups=np.arange(len(y_true)))
    items = f1ci.Labels(y_true, y_pred, **design)
    found, expected = (x.interval(metric, method="delta") for x in (alone, items))
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-10)


@pytest.mark.slow
def test_units_of_strata_are_covered():
    """800 samples of 15 and 25 units from two strata; the binomial error is 0.8 points."""
    rng = np.random.default_rng(8)
    rates, shares, held = (0.9, 0.6), {0: 0.7, 1: 0.3}, 0
    for _ in range(800):
        strata = np.repeat([0, 1], [15, 25])
        right = rng.beta(10 * np.take(rates, strata), 10 - 10 * np.take(rates, strata))
        sizes = rng.integers(3, 12, 40)
        unit = np.repeat(np.arange(40), sizes)
        y_true = rng.integers(0, 2, len(unit))
        y_pred = np.where(rng.random(len(unit)) < right[unit], y_true, 1 - y_true)
        test = f1ci.Labels(y_true, y_pred, strata=strata[unit], stratum_shares=shares, groups=unit)
        low, high = test.interval("accuracy")
        held += low <= 0.7 * 0.9 + 0.3 * 0.6 <= high
    assert 0.93 <= held / 800 <= 0.98


@pytest.mark.parametrize("metric", ["accuracy", "micro_f1", "micro_precision"])
@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_a_perfect_score_is_1_to_the_last_bit(metric):
    """Two sums of the same shares in another order may differ by 2e-16."""
    y = np.array([0, 0, 0, 2, 2, 2, 0, 0, 0, 3, 0, 0, 3, 0])
    test = f1ci.Labels(y, y, strata=np.arange(14) % 2, stratum_shares={0: 0.3, 1: 0.7})
    interval = test.interval(metric)
    assert interval.estimate == interval.high == 1.0
