"""Intervals of one score: published numbers, statsmodels and SciPy, edges, warnings.

test_invariants.py compares the doors with one another, and asks what each of them keeps.
"""

import numpy as np
import pytest
from examples import ask
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

import f1ci
from f1ci import cli
from f1ci.types import DegenerateVarianceWarning, SmallSampleWarning, UndefinedMetricWarning

PAPER_METHODS = ("wilson_indirect", "wilson_direct", "clopper_pearson", "wald")
Z = 1.959963984540054


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


# Other software


@pytest.mark.parametrize(
    ("method", "theirs"), [("clopper_pearson", "beta"), ("wilson_indirect", "wilson")]
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_binomial_intervals_of_statsmodels_mapped_to_f1(method, theirs, level):
    v = np.repeat([1, 2, 5, 40, 1000, 10**6], 6)
    tp = np.round(v * np.tile([0, 1e-5, 0.2, 0.5, 0.99, 1], 6)).astype(int)
    interval = f1ci.f1_interval(tp, 0, v - tp, method=method, confidence_level=level)
    shares = proportion_confint(tp, v, alpha=1 - level, method=theirs)
    for ours, share in zip(interval, map(np.asarray, shares), strict=True):
        # Equation 10. statsmodels' Wilson loses a few digits near the borders.
        np.testing.assert_allclose(ours, 2 * share / (1 + share), atol=1e-13)


@pytest.mark.parametrize("side", ["greater", "less"])
@pytest.mark.parametrize(("method", "theirs"), [("score", "wilson"), ("cautious", "exact")])
@pytest.mark.parametrize(("k", "n"), [(77, 87), (0, 5), (5, 5), (1, 300)])
def test_one_sided_limits_of_proportions_are_those_of_scipy(side, method, theirs, k, n):
    expected = binomtest(k, n, alternative=side).proportion_ci(0.9, method=theirs)
    options = {"method": method, "confidence_level": 0.9, "alternative": side}
    recall = ask(f1ci.Matrix, "interval", ([[3, 4], [n - k, k]],), "recall", **options)
    precision = ask(f1ci.Matrix, "interval", ([[3, n - k], [4, k]],), "precision", **options)
    # SciPy finds its exact limits by root finding, to 1e-12.
    assert tuple(recall) == pytest.approx(tuple(expected), abs=1e-10)
    assert tuple(precision) == pytest.approx(tuple(expected), abs=1e-10)


def test_logit_limits_of_a_correlation_and_of_lift():
    """Fisher's scale, on which the logit of (1 + r) / 2 is; and the scale of logarithms."""
    table = [[40, 7], [3, 11]]
    plain = f1ci.Matrix(table).interval("mcc", method="delta")
    r = plain.estimate
    half = Z * plain.standard_error / (1 - r**2)
    expected = np.tanh(np.arctanh(r) + np.array([-half, half]))
    assert list(f1ci.Matrix(table).interval("mcc", method="logit")) == pytest.approx(expected)
    plain = f1ci.Matrix(table).interval("lift", method="delta")
    factor = np.exp(Z * plain.standard_error / plain.estimate)
    expected = [plain.estimate / factor, plain.estimate * factor]
    assert list(f1ci.Matrix(table).interval("lift", method="logit")) == pytest.approx(expected)


# Huge counts, levels next to 0 and 1, types


counts = st.integers(0, 10**12) | st.integers(0, 30)
levels = st.floats(0.001, 1 - 1e-12) | st.sampled_from([1e-9, 1 - 2**-53])
# A few units in the last place of a number below one.
ROUNDING = 4e-16


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@given(counts, counts, counts, levels, levels, st.sampled_from(PAPER_METHODS[:3]))
def test_ends_and_estimate_are_in_order(tp, fp, fn, one, two, method):
    narrow, wide = (
        f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=level)
        for level in sorted((one, two))
    )
    assert wide.low <= narrow.low + ROUNDING
    assert wide.high >= narrow.high - ROUNDING
    if tp + fp + fn == 0:
        assert np.isnan([narrow.estimate, narrow.standard_error]).all()
        assert tuple(narrow) == (0.0, 1.0)
        return
    assert 0.0 <= narrow.low <= narrow.estimate <= narrow.high <= 1.0
    # Above a billion items an interval of low level can be shorter than the spacing of doubles.
    assert narrow.length > 0.0 or tp + fp + fn > 10**9
    assert (narrow.low == 0.0) == (tp == 0)
    assert narrow.high == 1.0 or fp + fn > 0


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("method", PAPER_METHODS)
def test_counts_broadcast_and_no_relevant_items_give_nan(method):
    whole = f1ci.f1_interval(np.arange(12).reshape(3, 4), 5, [[1], [0], [7]], method=method)
    assert whole.low.shape == (3, 4)
    one = f1ci.f1_interval(6, 5, 0, method=method)
    assert (whole.low[1, 2], whole.high[1, 2]) == pytest.approx(tuple(one), rel=1e-14)
    nothing = f1ci.f1_interval([0, 1], [0, 0], 0, method=method)
    np.testing.assert_array_equal(np.isnan(nothing.estimate), [True, False])
    assert np.isnan(nothing.standard_error[0])
    assert (nothing.low[0], nothing.high[0]) == (0.0, 1.0)


def test_a_perfect_weighted_score_is_one_to_the_last_bit():
    """44 / 166 + 97 / 166 + 25 / 166 is more than 1 in doubles."""
    assert 44 / 166 + 97 / 166 + 25 / 166 > 1.0
    for name in ("weighted_f1", "weighted_precision"):
        interval = f1ci.Matrix(np.diag([44, 97, 25])).interval(name)
        assert interval.estimate == interval.high == 1.0
        assert 0.9 < interval.low < 1.0


# One-sided limits


def test_one_sided_limits_print_and_refuse_low_levels(capsys):
    assert cli.main(["counts", "77", "44", "10", "--alternative", "less"]) == 0
    assert capsys.readouterr().out.endswith("f1 = 0.740 (95 % CI at most 0.792, Wilson score)\n")
    with pytest.raises(ValueError, match=r"above 0\.5 for alternative='less', .* got 0\.5"):
        f1ci.f1_interval(77, 44, 10, alternative="less", confidence_level=0.5)


# Warnings


LENGTH_ZERO = "standard error of zero, so that the interval has length zero; method='score' avoids"
WHOLE_RANGE = "so that the interval is the whole range; collect more items"
FEW = "fewer than 3 items matter to the score of class "
ABC = ["a"] * 5 + ["b"] * 5 + ["c"]
SMALL = [[9, 1, 0], [1, 9, 0], [0, 0, 2]]
MACRO = {"average": "macro"}


of_counts, of_labels = f1ci.f1_interval, f1ci.f1_score_interval


def of_matrix(matrix, metric):
    return f1ci.Matrix(matrix).interval(metric)


@pytest.mark.parametrize(
    ("door", "arguments", "options", "category", "words"),
    [
        (of_counts, (0, 0, 0), {}, UndefinedMetricWarning, "f1 is undefined; nan was returned"),
        (
            of_counts,
            ([0, 1], 0, 0),
            {},
            UndefinedMetricWarning,
            r"1 of 2 tables \(the first at \[0\]\)",
        ),
        (of_counts, (5, 0, 0), {"method": "wald"}, DegenerateVarianceWarning, LENGTH_ZERO),
        (of_matrix, ([[5, 0], [0, 5]], "overlap"), {}, DegenerateVarianceWarning, WHOLE_RANGE),
        (of_matrix, (SMALL, "macro_f1"), {}, SmallSampleWarning, "macro_f1: " + FEW + "2, so that"),
        (of_labels, (ABC, ABC), MACRO | {"labels": ["a", "c"]}, SmallSampleWarning, FEW + "'c'"),
        (
            of_labels,
            (["a", "b"], ["a", "b"]),
            {"average": None, "labels": ["a", "b", "z"]},
            UndefinedMetricWarning,
            "f1 is undefined for 'z'; nan was returned",
        ),
    ],
)
def test_what_numbers_do_not_show_is_said(door, arguments, options, category, words):
    with pytest.warns(category, match=words) as caught:
        door(*arguments, **options)
    assert caught[0].filename == __file__
    assert len(caught) == 1
