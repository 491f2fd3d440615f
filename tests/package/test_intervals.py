"""The doors: the same question has the same answer through each, and bad ones get a sentence.

Oracles: the doors against one another, to the last bit; statsmodels' intervals for one
proportion; the invariants of every default.
"""

import warnings
from functools import partial

import numpy as np
import pytest
from examples import TOY, labels_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

import f1ci
from f1ci import cli, metrics
from f1ci.results import DegenerateVarianceWarning, SmallSampleWarning, UndefinedMetricWarning

NAMES = np.array(["ham", "spam"])
METHODS = ("score", "cautious", "wilson_direct", "logit", "delta", "blur")
PAPER_METHODS = ("wilson_indirect", "wilson_direct", "clopper_pearson", "wald")
AVERAGES = ("micro", "macro", "weighted", "macro_star")

cell = st.integers(0, 40) | st.integers(0, 10**6)
level = st.sampled_from([0.5, 0.9, 0.95, 0.999])


def same(one, other):
    """Equal to 1e-12, except for the name of the metric and the classes."""
    assert (one.method, one.confidence_level) == (other.method, other.confidence_level)
    for name in ("estimate", "low", "high", "standard_error"):
        left, right = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)
    return True


def quiet(door, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        return door(*arguments, **options)


# One answer


@given(cell, cell, cell, st.integers(0, 40), level, st.data())
def test_f1_is_the_same_through_every_door(tp, fp, fn, tn, at, data):
    """Counts, matrices, batches; and labels, if there are few enough."""
    method = data.draw(st.sampled_from([None, *METHODS, *PAPER_METHODS]))
    options = {"method": method, "confidence_level": at}
    matrix = [[tn, fp], [fn, tp]]
    expected = quiet(f1ci.f1_interval, tp, fp, fn, **options)
    assert same(quiet(f1ci.metric_interval, matrix, "f1", **options), expected)
    batch = quiet(f1ci.metric_interval, [matrix, [[5, 2], [3, 9]]], "f1", **options)
    ends = batch.low[0], batch.high[0]
    np.testing.assert_allclose(ends, tuple(expected), rtol=1e-12, atol=1e-12)
    if 0 < tp + fp + fn + tn < 200:
        labels = labels_of(matrix)
        assert same(quiet(f1ci.f1_score_interval, *labels, **options), expected)
        names = (list(NAMES[array]) for array in labels)
        named = quiet(f1ci.f1_score_interval, *names, pos_label="spam", **options)
        assert same(named, expected)


@pytest.mark.parametrize(("method", "theirs"), [("score", "wilson"), ("cautious", "beta")])
@pytest.mark.parametrize(
    ("metric", "right", "total"),
    [("accuracy", 779, 833), ("precision", 77, 121), ("recall", 77, 87), ("jaccard", 77, 131)],
)
def test_one_proportion_has_its_own_interval(method, theirs, metric, right, total):
    low, high = f1ci.metric_interval([[702, 44], [10, 77]], metric, method=method)
    # Two ways to the same quantile: rounding only.
    np.testing.assert_allclose(
        [low, high], proportion_confint(right, total, method=theirs), rtol=1e-12
    )


# What every default keeps


@given(
    st.integers(2, 4).flatmap(
        lambda r: st.lists(st.integers(0, 30), min_size=r * r, max_size=r * r)
    ),
    st.sampled_from([1e-4, 0.5, 0.95, 1 - 1e-12]),
    st.data(),
)
def test_no_default_has_length_zero_or_leaves_the_range(cells, at, data):
    r = round(len(cells) ** 0.5)
    table = np.reshape(cells, (r, r))
    known = [m for m in metrics.METRICS.values() if r == 2 or not m.binary]
    metric = data.draw(st.sampled_from([*known, metrics.macro("cosine")]))
    interval = quiet(f1ci.metric_interval, table, metric, confidence_level=at)
    if np.isnan(interval.estimate):
        return
    least, largest = metric.range
    assert least <= interval.low <= interval.estimate <= interval.high <= largest
    assert interval.length > 0


@pytest.mark.parametrize("value", [1e-9, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("method", ["score", "cautious", "wilson_direct", "logit"])
def test_levels_next_to_0_and_1(value, method):
    interval = f1ci.f1_interval(30, 4, 6, method=method, confidence_level=value)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert np.isfinite(interval.length)


def test_a_correlation_is_fishers():
    """The logit of (1 + r) / 2 is twice the inverse hyperbolic tangent."""
    table = [[40, 7], [3, 11]]
    interval = f1ci.metric_interval(table, "mcc", method="logit")
    error = f1ci.metric_interval(table, "correlation", method="delta").standard_error
    r = interval.estimate
    z = 1.959963984540054
    expected = np.tanh(np.arctanh(r) + np.array([-1, 1]) * z * error / (1 - r**2))
    np.testing.assert_allclose(tuple(interval), expected, rtol=1e-12)
    lift = f1ci.metric_interval(table, "lift", method="logit")
    plain = f1ci.metric_interval(table, "lift", method="delta")
    factor = np.exp(z * plain.standard_error / plain.estimate)
    np.testing.assert_allclose(
        tuple(lift), [plain.estimate / factor, plain.estimate * factor], rtol=1e-12
    )


# Warnings


def test_ordinary_data_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in metrics.METRICS.values():
            size = 2 if metric.binary else 3
            f1ci.metric_interval(np.full((size, size), 3) + 20 * np.eye(size, dtype=int), metric)
        f1ci.metric_interval([[12, 0, 0], [0, 9, 0], [0, 0, 30]], "macro_f1")
        f1ci.f1_interval([0, 5, 3], [3, 0, 2], [1, 0, 2])
        y_true, y_pred = labels_of(TOY)
        for average in (*AVERAGES, None):
            f1ci.f1_score_interval(y_true, y_pred, average=average)


LENGTH_ZERO = "standard error of zero, so that the interval has length zero; method='score' avoids"
WHOLE_RANGE = "so that the interval is the whole range; collect more items"
FEW = "fewer than 3 items matter to the score of class "
ABC = ["a"] * 5 + ["b"] * 5 + ["c"]
SMALL = [[9, 1, 0], [1, 9, 0], [0, 0, 2]]


@pytest.mark.parametrize(
    ("door", "arguments", "options", "category", "words"),
    [
        ("f1", (0, 0, 0), {}, UndefinedMetricWarning, "f1 is undefined; nan was returned"),
        ("f1", ([0, 1], 0, 0), {}, UndefinedMetricWarning, r"1 of 2 tables \(the first at \[0\]\)"),
        ("f1", (5, 0, 0), {"method": "wald"}, DegenerateVarianceWarning, LENGTH_ZERO),
        ("metric", ([[5, 0], [0, 5]], "overlap"), {}, DegenerateVarianceWarning, WHOLE_RANGE),
        ("metric", (SMALL, "macro_f1"), {}, SmallSampleWarning, "macro_f1: " + FEW + "2, so that"),
        ("f1_score", (ABC, ABC), {"average": "macro"}, SmallSampleWarning, FEW + "'c', so"),
        (
            "f1_score",
            (["a", "b"], ["a", "b"]),
            {"average": None, "labels": ["a", "b", "z"]},
            UndefinedMetricWarning,
            "f1 is undefined for 'z'; nan was returned",
        ),
    ],
)
def test_what_numbers_do_not_show_is_said(door, arguments, options, category, words):
    with pytest.warns(category, match=words) as caught:
        getattr(f1ci, f"{door}_interval")(*arguments, **options)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_undefined_score_intervals_are_the_whole_range():
    with pytest.warns(UndefinedMetricWarning, match="class 'positive' is never predicted"):
        batch = f1ci.metric_interval([[[5, 0], [3, 0]], [[5, 1], [1, 5]]], "precision")
    assert np.isnan(batch.estimate[0])
    assert (batch.low[0], batch.high[0]) == (0.0, 1.0)


# Labels


def test_one_interval_for_each_class():
    y_true, y_pred = labels_of(TOY)
    names = np.array(["x", "y", "z"])
    each = f1ci.f1_score_interval(names[y_true], names[y_pred], average=None)
    assert each.classes == ("x", "y", "z")
    for k, name in enumerate(names):
        alone = f1ci.f1_score_interval(names[y_true] == name, names[y_pred] == name, pos_label=True)
        ends = each.estimate[k], each.low[k], each.high[k]
        assert ends == pytest.approx((alone.estimate, *alone), rel=1e-12)
    chosen = f1ci.f1_score_interval(
        names[y_true], names[y_pred], average=None, labels=["z", "x", "y"]
    )
    assert chosen.classes == ("z", "x", "y")
    np.testing.assert_array_equal(chosen.low, each.low[[2, 0, 1]])


@pytest.mark.parametrize("average", ["binary", *AVERAGES])
def test_groups_of_single_items_have_the_divisor_n_minus_1(average):
    """And items that are repeated within their group add nothing."""
    y_true, y_pred = labels_of(TOY)
    y_true, y_pred = (y_true > 0, y_pred > 0) if average == "binary" else (y_true, y_pred)
    options = {"average": average, "pos_label": True}
    alone = f1ci.f1_score_interval(y_true, y_pred, method="delta", **options)
    for times in (1, 5):
        labels, groups = np.tile([y_true, y_pred], times), np.tile(np.arange(100), times)
        grouped = f1ci.f1_score_interval(*labels, groups=groups, **options)
        assert grouped.method == "logit+groups"
        assert grouped.estimate == pytest.approx(alone.estimate, rel=1e-14)
        error = alone.standard_error * np.sqrt(100 / 99)
        assert grouped.standard_error == pytest.approx(error, rel=1e-12)
        assert 0 < grouped.low < grouped.estimate < grouped.high < 1


TRUE = [0, 1, 1, 0, 1, 0]
PRED = [0, 1, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": ["wald"]}, r"method must be one of 'score', .*, got \['wald'\]"),
        ({"method": "wald", "average": "macro"}, "for 'macro_f1', got 'wald'"),
        (
            {"method": "cautious", "average": "macro", "groups": TRUE},
            "one of 'logit', 'delta' for 'macro_f1' of items in groups, got 'cautious'",
        ),
        ({"method": "blur", "groups": TRUE}, "for 'f1' of items in groups, got 'blur'"),
        ({"beta": 1e160}, "beta must lie between 1e-7 and 1e7, got 1e\\+160"),
        ({"average": "macro", "y_true": [1] * 6, "y_pred": [1] * 6}, "two classes, got 1"),
        ({"y_true": np.ma.array(TRUE, mask=PRED), "y_pred": np.array(PRED)}, "missing labels"),
    ],
)
def test_bad_options_are_quoted(options, message):
    with pytest.raises(ValueError, match=message):
        f1ci.f1_score_interval(**{"y_true": TRUE, "y_pred": PRED, **options})


@pytest.mark.parametrize(
    ("matrix", "metric", "method", "message"),
    [
        ([1, 2, 3, 4], "f1", None, r"got shape \(4,\)"),
        (
            [[5, 1], [2, 9]],
            "overlap",
            "score",
            "'logit', 'delta', 'blur' for 'overlap', got 'score'",
        ),
    ],
)
def test_bad_matrices_are_quoted(matrix, metric, method, message):
    with pytest.raises(ValueError, match=message):
        f1ci.metric_interval(matrix, metric, method=method)


@pytest.mark.parametrize("metric", ["weighted_f1", "macro_f1", "macro_f1_star", "micro_f1"])
def test_nothing_is_known_from_an_empty_matrix(metric):
    empty = np.zeros((3, 3), dtype=int)
    assert tuple(quiet(f1ci.metric_interval, empty, metric)) == (0.0, 1.0)


# One-sided limits


@pytest.mark.parametrize("side", ["greater", "less"])
@pytest.mark.parametrize(("method", "theirs"), [("score", "wilson"), ("cautious", "exact")])
@pytest.mark.parametrize(("k", "n"), [(77, 87), (0, 5), (5, 5), (1, 300)])
def test_one_sided_limits_of_proportions_are_those_of_scipy(side, method, theirs, k, n):
    expected = binomtest(k, n, alternative=side).proportion_ci(0.9, method=theirs)
    options = {"method": method, "confidence_level": 0.9, "alternative": side}
    recall = f1ci.metric_interval([[3, 4], [n - k, k]], "recall", **options)
    precision = f1ci.metric_interval([[3, n - k], [4, k]], "precision", **options)
    # SciPy finds its exact limits by root finding, to 1e-12.
    assert tuple(recall) == pytest.approx(tuple(expected), abs=1e-10)
    assert tuple(precision) == pytest.approx(tuple(expected), abs=1e-10)


@pytest.mark.parametrize("method", [None, "delta"])
def test_every_door_has_one_sided_limits(method):
    y, a, b, groups = np.random.default_rng(8).integers(0, 2, (4, 60))
    groups += np.arange(60)
    table = np.arange(1, 13).reshape(4, 3)
    rows = np.stack([y, b], axis=1), np.stack([a, b], axis=1)
    for least, question in (
        (0.0, partial(f1ci.f1_interval, [7, 40], 4, 1)),
        (0.0, partial(f1ci.f1_score_interval, y, a)),
        (0.0, partial(f1ci.f1_score_interval, *rows, average="macro")),
        (0.0, partial(f1ci.metric_interval, [[5, 2], [3, 9]], "macro_f1")),
        (0.0, partial(f1ci.clustered_interval, table)),
        (-1.0, partial(f1ci.metric_interval, [[5, 2], [3, 9]], "mcc")),
        (-1.0, partial(f1ci.difference_interval, y, a, b, "f1")),
        (-1.0, partial(f1ci.difference_interval, y, a, b, "f1", groups=groups)),
    ):
        both = question(method=method, confidence_level=0.9)
        low = question(method=method, alternative="greater")
        high = question(method=method, alternative="less")
        np.testing.assert_allclose(low.low, both.low, rtol=1e-9)
        np.testing.assert_allclose(high.high, both.high, rtol=1e-9)
        np.testing.assert_array_equal(low.high, np.ones_like(both.low))
        np.testing.assert_array_equal(high.low, np.full_like(both.low, least))


def test_one_sided_limits_print_and_refuse_low_levels(capsys):
    at_most = f1ci.f1_interval(77, 44, 10, alternative="less")
    assert str(at_most) == "f1 = 0.740 (95 % CI at most 0.792, score)"
    assert cli.main(["counts", "77", "44", "10", "--alternative", "less"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(at_most)
    assert "CI (at most high)" in str(f1ci.f1_interval([7, 5], 4, 1, alternative="less"))
    with pytest.raises(ValueError, match=r"above 0\.5 for alternative='less', .* got 0\.5"):
        f1ci.f1_interval(77, 44, 10, alternative="less", confidence_level=0.5)
    with pytest.raises(ValueError, match=r"alternative must be one of .* got 'smaller'"):
        f1ci.f1_interval(77, 44, 10, alternative="smaller")


# Groups


@pytest.mark.parametrize("method", ["logit", "delta"])
def test_items_in_groups_are_units_with_counts(method):
    """The same intervals for labels in groups and for counts by unit."""
    rng = np.random.default_rng(4)
    y_true, y_pred, groups = rng.integers(0, 3, (3, 90))
    counts = [
        [f1ci.binary_counts(y_true == k, y_pred == k, pos_label=True)[:3] for k in range(3)]
        for y_true, y_pred in ((y_true[groups == g], y_pred[groups == g]) for g in range(3))
    ]
    for average in ("macro", "weighted", None) if method == "delta" else (None,):
        options = {"average": average, "method": method}
        labels = f1ci.f1_score_interval(y_true, y_pred, groups=groups, **options)
        units = f1ci.clustered_interval(counts, "f1", **options)
        np.testing.assert_allclose(tuple(labels), tuple(units), rtol=0, atol=1e-12)


# F1 from counts: published numbers and statsmodels


counts = st.integers(0, 10**12) | st.integers(0, 30)
levels = st.floats(0.001, 1 - 1e-12)
# Comparisons between two calls allow for rounding: a few units in the last place of a number
# below one.
ROUNDING = 4e-16


def to_f1(share):
    """Equation 10."""
    return 2 * share / (1 + share)


# Published numbers

# Lam, Gopal and Qian (2024), section 6: BERT's counts give these end points and lengths.
SECTION_6 = {
    "clopper_pearson": ("0.665", "0.805", "0.139"),
    "wald": ("0.674", "0.807", "0.134"),
    "wilson_direct": ("0.664", "0.799", "0.135"),
    "wilson_indirect": ("0.669", "0.801", "0.133"),
}


@pytest.mark.parametrize("method", PAPER_METHODS)
def test_section_6_to_every_printed_digit(method):
    interval = f1ci.f1_interval(77, 44, 10, method=method)
    printed = tuple(f"{value:.3f}" for value in (*interval, interval.length))
    assert printed == SECTION_6[method]
    assert f"{interval.estimate:.3f}" == "0.740"


# Independent implementations


@pytest.mark.parametrize(
    ("method", "theirs"), [("clopper_pearson", "beta"), ("wilson_indirect", "wilson")]
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_binomial_intervals_of_statsmodels_mapped_to_f1(method, theirs, level):
    v = np.repeat([1, 2, 5, 40, 1000, 10**6], 6)
    tp = np.round(v * np.tile([0, 1e-5, 0.2, 0.5, 0.99, 1], 6)).astype(int)
    interval = f1ci.f1_interval(tp, 0, v - tp, method=method, confidence_level=level)
    low, high = proportion_confint(tp, v, alpha=1 - level, method=theirs)
    # Both work in double precision; statsmodels' Wilson loses a few digits near the borders.
    np.testing.assert_allclose(interval.low, to_f1(np.asarray(low)), atol=1e-13)
    np.testing.assert_allclose(interval.high, to_f1(np.asarray(high)), atol=1e-13)


# Properties


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@given(counts, counts, counts, levels, st.sampled_from(PAPER_METHODS[:3]))
def test_ends_and_estimate_are_in_order(tp, fp, fn, level, method):
    interval = f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=level)
    if tp + fp + fn == 0:
        assert np.isnan(interval.estimate)
        assert np.isnan(interval.standard_error)
        assert tuple(interval) == (0.0, 1.0)
        return
    assert 0.0 <= interval.low <= interval.estimate <= interval.high <= 1.0
    # Above a billion items an interval of low level can be shorter than the spacing of doubles.
    assert interval.length > 0.0 or tp + fp + fn > 10**9
    assert (interval.low == 0.0) == (tp == 0)
    assert interval.high == 1.0 or fp + fn > 0


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@given(counts, counts, levels, levels, st.sampled_from(PAPER_METHODS))
def test_a_higher_level_gives_a_wider_interval(tp, wrong, one, two, method):
    narrow, wide = (
        f1ci.f1_interval(tp, wrong, 0, method=method, confidence_level=level)
        for level in sorted((one, two))
    )
    assert wide.low <= narrow.low + ROUNDING
    assert wide.high >= narrow.high - ROUNDING


# Edges


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_wald_has_no_width_at_the_borders_and_may_leave_the_unit_interval():
    # Lam, Gopal and Qian, section 4.5: degeneracy and overshoot.
    for counted in ((0, 3, 4), (5, 0, 0)):
        interval = f1ci.f1_interval(*counted, method="wald")
        assert interval.low == interval.high == interval.estimate
        assert interval.standard_error == 0.0
    assert f1ci.f1_interval(1, 5, 0, method="wald").low < 0.0
    assert f1ci.f1_interval(9, 1, 0, method="wald").high > 1.0


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("method", PAPER_METHODS)
def test_counts_broadcast_and_no_relevant_items_give_nan(method):
    tp, fp, fn = np.arange(12).reshape(3, 4), 5, np.array([[1], [0], [7]])
    whole = f1ci.f1_interval(tp, fp, fn, method=method)
    assert whole.low.shape == (3, 4)
    one = f1ci.f1_interval(6, 5, 0, method=method)
    assert (whole.low[1, 2], whole.high[1, 2]) == pytest.approx(tuple(one), rel=1e-14)
    assert f1ci.f1_interval([], [], [], method=method).low.shape == (0,)
    nothing = f1ci.f1_interval([0, 1], [0, 0], 0, method=method)
    np.testing.assert_array_equal(np.isnan(nothing.estimate), [True, False])
    assert np.isnan(nothing.standard_error[0])
    assert (nothing.low[0], nothing.high[0]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ((-1, 2, 3), ValueError, "tp must be a whole number between 0 and 2.*, got -1"),
        ((1, 2.5, 3), ValueError, "fp must be a whole number .*, got 2.5"),
        ((1, 2, [3, np.nan]), ValueError, "fn must be a whole number .*, got nan"),
        ((np.inf, 2, 3), ValueError, "tp must be a whole number .*, got inf"),
        ((2**51, 2, 3), ValueError, "tp must be a whole number .*, got 2251799813685248"),
        (("1", 2, 3), TypeError, "tp must be numeric, got '1'"),
        ((True, 2, 3), TypeError, "tp must be numeric, got True"),
        (([[1], [2, 3]], 2, 3), ValueError, "tp must be a regular array"),
        (([1, 2], [1, 2, 3], 0), ValueError, r"shape \(2,\) and arg 1 .* \(3,\)"),
        ((1, 2, 3, 1.0), ValueError, "strictly between 0 and 1, got 1.0"),
        ((1, 2, 3, np.nan), ValueError, "got nan"),
        ((1, 2, 3, "95%"), TypeError, "must be numeric, got '95%'"),
    ],
)
def test_bad_counts_and_levels_are_quoted(counts, error, message):
    tp, fp, fn, level = counts if len(counts) == 4 else (*counts, 0.95)
    with pytest.raises(error, match=message):
        f1ci.f1_interval(tp, fp, fn, confidence_level=level)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
def test_the_type_of_the_counts_does_not_matter(dtype):
    tp, fp, fn = [3, 200, 0], [7, 1, 9], [250, 2, 4]
    arrays = [np.array(n).astype(dtype) for n in (tp, fp, fn)]
    assert f1ci.f1_interval(*arrays) == f1ci.f1_interval(tp, fp, fn)
