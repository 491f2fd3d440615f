"""The exact road: against published numbers, scipy, statsmodels, numpy and 50-digit arithmetic."""

import dataclasses

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import f1ci

# Warnings have tests of their own, in test_intervals.
pytestmark = pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")

METHODS = ["wilson_indirect", "wilson_direct", "clopper_pearson", "wald"]
ORDERLY = [method for method in METHODS if method != "wald"]
LEVELS = [0.001, 0.5, 0.95, 0.999, 1 - 1e-6, 1 - 1e-12]

counts = st.integers(0, 10**12) | st.integers(0, 30)
levels = st.floats(0.001, 1 - 1e-12)
# Comparisons between two calls allow for rounding: a few units in the last place of a number
# below one.
ROUNDING = 4e-16


def to_f1(share):
    """Equation 10."""
    return 2 * share / (1 + share)


# --- Published numbers ------------------------------------------------------------------------

# Lam, Gopal and Qian (2024), section 6: BERT's counts give these end points and lengths.
SECTION_6 = {
    "clopper_pearson": ("0.665", "0.805", "0.139"),
    "wald": ("0.674", "0.807", "0.134"),
    "wilson_direct": ("0.664", "0.799", "0.135"),
    "wilson_indirect": ("0.669", "0.801", "0.133"),
}


@pytest.mark.parametrize("method", METHODS)
def test_section_6_to_every_printed_digit(method):
    interval = f1ci.f1_interval(77, 44, 10, method=method)
    printed = tuple(f"{value:.3f}" for value in (*interval, interval.length))
    assert printed == SECTION_6[method]
    assert f"{interval.estimate:.3f}" == "0.740"


# --- Independent implementations --------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "theirs"), [("clopper_pearson", "beta"), ("wilson_indirect", "wilson")]
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_binomial_intervals_of_statsmodels_mapped_to_f1(method, theirs, level):
    v = np.repeat([1, 2, 5, 40, 1000], 6)
    tp = np.round(v * np.tile([0, 0.2, 0.5, 0.8, 0.99, 1], 5)).astype(int)
    interval = f1ci.f1_interval(tp, 0, v - tp, method=method, confidence_level=level)
    low, high = proportion_confint(tp, v, alpha=1 - level, method=theirs)
    # Both work in double precision; statsmodels' Wilson loses a few digits near the borders.
    np.testing.assert_allclose(interval.low, to_f1(np.asarray(low)), atol=1e-13)
    np.testing.assert_allclose(interval.high, to_f1(np.asarray(high)), atol=1e-13)


@pytest.mark.parametrize(
    ("method", "theirs"), [("clopper_pearson", "exact"), ("wilson_indirect", "wilson")]
)
def test_binomial_intervals_of_scipy_mapped_to_f1(method, theirs):
    for tp, wrong in [(0, 3), (3, 0), (77, 54), (5, 995)]:
        interval = f1ci.f1_interval(tp, wrong, 0, method=method)
        expected = stats.binomtest(tp, tp + wrong).proportion_ci(0.95, method=theirs)
        # scipy's exact interval comes from a root finder with a tolerance of about 1e-12.
        np.testing.assert_allclose(tuple(interval), to_f1(np.array(expected)), atol=1e-11)


@pytest.mark.parametrize("level", LEVELS)
def test_clopper_pearson_ends_solve_their_equations(level):
    # Equations 26 and 27 say P(TP >= observed) = tail at the low end, P(TP <= observed) = tail at
    # the high one; the binomial tails are mpmath's incomplete beta functions in 50 digits.
    tail = 0.5 * (1.0 - level)
    # An end point near one is a double with an error of up to its last bits, whatever the method:
    # so the exact tail must be met between the neighbours at four units of rounding.
    slack = mpmath.mpf(4 * np.finfo(float).eps)
    for tp, v in [(1, 2), (3, 10), (77, 131), (10, 10**6), (10**6 - 1, 10**6)]:
        interval = f1ci.f1_interval(tp, v - tp, 0, method="clopper_pearson", confidence_level=level)
        with mpmath.workdps(50):
            low, high = (mpmath.mpf(end) / (2 - mpmath.mpf(end)) for end in interval)

            def at_least(share, tp=tp, v=v):
                return mpmath.betainc(tp, v - tp + 1, 0, share, regularized=True)

            def at_most(share, tp=tp, v=v):
                return mpmath.betainc(tp + 1, v - tp, share, 1, regularized=True)

            assert at_least(low * (1 - 1e-10) - slack) < tail < at_least(low * (1 + 1e-10) + slack)
            top = min(high * (1 + 1e-10) + slack, mpmath.mpf(1))
            assert at_most(top) < tail < at_most(high * (1 - 1e-10) - slack)


def test_standard_error_is_equation_29():
    tp, fp, fn = 77, 44, 10
    f, v = 2 * tp / (2 * tp + fp + fn), tp + fp + fn
    expected = (f * (1 - f) * (2 - f) ** 2 / (2 * v)) ** 0.5
    for method in METHODS:
        # Same formula, other order of operations.
        error = f1ci.f1_interval(tp, fp, fn, method=method).standard_error
        assert error == pytest.approx(expected, rel=1e-14)


# --- Properties -------------------------------------------------------------------------------


@given(counts, counts, counts, levels, st.sampled_from(ORDERLY))
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


@given(counts, counts, levels, levels, st.sampled_from(METHODS))
def test_a_higher_level_gives_a_wider_interval(tp, wrong, one, two, method):
    narrow, wide = (
        f1ci.f1_interval(tp, wrong, 0, method=method, confidence_level=level)
        for level in sorted((one, two))
    )
    assert wide.low <= narrow.low + ROUNDING
    assert wide.high >= narrow.high - ROUNDING


@given(st.integers(0, 10**6), st.integers(1, 10**6), levels, st.sampled_from(ORDERLY))
def test_one_more_hit_moves_both_ends_up(tp, wrong, level, method):
    # Among the same v: one error turns into a hit.
    before = f1ci.f1_interval(tp, wrong, 0, method=method, confidence_level=level)
    after = f1ci.f1_interval(tp + 1, wrong - 1, 0, method=method, confidence_level=level)
    assert after.low >= before.low - ROUNDING
    assert after.high >= before.high - ROUNDING


@given(counts, counts, counts, st.sampled_from(METHODS))
def test_only_the_number_of_errors_matters(tp, fp, fn, method):
    one, two = (f1ci.f1_interval(tp, *errors, method=method) for errors in ((fp, fn), (fn, fp)))
    np.testing.assert_allclose(dataclasses.astuple(one)[:4], dataclasses.astuple(two)[:4])


@pytest.mark.parametrize("v", [1, 2, 3, 7, 25, 60])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_clopper_pearson_never_covers_less_than_its_level(v, level):
    # Its guarantee, exactly: coverage jumps at end points, so the grid holds those as well.
    tp = np.arange(v + 1)
    low, high = (
        end / (2 - end)
        for end in f1ci.f1_interval(tp, v - tp, 0, method="clopper_pearson", confidence_level=level)
    )
    edges = np.concatenate([low, high])
    grid = np.concatenate([np.linspace(0, 1, 2001), edges, edges - 1e-9, edges + 1e-9]).clip(0, 1)
    inside = (low <= grid[:, None] + 1e-12) & (grid[:, None] <= high + 1e-12)
    coverage = (stats.binom.pmf(tp, v, grid[:, None]) * inside).sum(axis=1)
    # 1e-12 is the rounding of v + 1 probabilities.
    assert coverage.min() >= level - 1e-12


# --- Edges ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ORDERLY)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("v", [1, 2, 10**12])
def test_ends_are_exact_at_the_borders(method, level, v):
    none = f1ci.f1_interval(0, v, 0, method=method, confidence_level=level)
    assert (none.low, none.estimate) == (0.0, 0.0)
    assert 0.0 < none.high < 1.0
    # Beside a trillion hits Wilson's interval at level 0.001, of length z^2 / v = 1.6e-18, is
    # shorter than the spacing of doubles.
    visible = v < 10**12 or level > 0.001 or method == "clopper_pearson"
    every = f1ci.f1_interval(v, 0, 0, method=method, confidence_level=level)
    assert (every.high, every.estimate) == (1.0, 1.0)
    assert 0.0 < every.low <= 1.0
    assert (every.low < 1.0) == visible


def test_wald_has_no_width_at_the_borders_and_may_leave_the_unit_interval():
    # Lam, Gopal and Qian, section 4.5: degeneracy and overshoot.
    for counted in ((0, 3, 4), (5, 0, 0)):
        interval = f1ci.f1_interval(*counted, method="wald")
        assert interval.low == interval.high == interval.estimate
        assert interval.standard_error == 0.0
    assert f1ci.f1_interval(1, 5, 0, method="wald").low < 0.0
    assert f1ci.f1_interval(9, 1, 0, method="wald").high > 1.0


@pytest.mark.parametrize("method", METHODS)
def test_no_relevant_items(method):
    interval = f1ci.f1_interval([0, 1], [0, 0], 0, method=method)
    assert np.isnan(interval.estimate[0])
    assert np.isnan(interval.standard_error[0])
    assert (interval.low[0], interval.high[0]) == (0.0, 1.0)
    assert interval.estimate[1] == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_counts_broadcast(method):
    tp, fp, fn = np.arange(12).reshape(3, 4), 5, np.array([[1], [0], [7]])
    whole = f1ci.f1_interval(tp, fp, fn, method=method)
    assert whole.low.shape == (3, 4)
    one = f1ci.f1_interval(6, 5, 0, method=method)
    assert (whole.low[1, 2], whole.high[1, 2]) == pytest.approx(tuple(one), rel=1e-14)
    assert f1ci.f1_interval([], [], [], method=method).low.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((-1, 2, 3), {}, ValueError, "tp must be a whole number between 0 and 2.*, got -1"),
        ((1, 2.5, 3), {}, ValueError, "fp must be a whole number .*, got 2.5"),
        ((1, 2, [3, np.nan]), {}, ValueError, "fn must be a whole number .*, got nan"),
        ((np.inf, 2, 3), {}, ValueError, "tp must be a whole number .*, got inf"),
        ((2**51, 2, 3), {}, ValueError, "tp must be a whole number .*, got 2251799813685248"),
        (("1", 2, 3), {}, TypeError, "tp must be numeric, got '1'"),
        ((True, 2, 3), {}, TypeError, "tp must be numeric, got True"),
        (([[1], [2, 3]], 2, 3), {}, ValueError, "tp must be a regular array"),
        (([1, 2], [1, 2, 3], 0), {}, ValueError, r"tp has \(2,\), fp has \(3,\)"),
        ((1, 2, 3), {"confidence_level": 95}, ValueError, "got 95; did you mean 0.95"),
        ((1, 2, 3), {"confidence_level": 1.0}, ValueError, "strictly between 0 and 1, got 1.0"),
        ((1, 2, 3), {"confidence_level": np.nan}, ValueError, "got nan"),
        ((1, 2, 3), {"confidence_level": "95%"}, TypeError, "must be a number, got '95%'"),
        ((1, 2, 3), {"method": "wilson"}, ValueError, "'score', .*, got 'wilson'"),
        ((1, 2, 3), {"method": 5}, ValueError, "method must be one of .*, got 5"),
    ],
)
def test_bad_arguments_are_quoted(arguments, options, error, message):
    with pytest.raises(error, match=message):
        f1ci.f1_interval(*arguments, **options)
