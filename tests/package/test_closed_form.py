"""Score intervals against sources that share no code with them.

Limits are compared with mpmath's bisection in 40 digits, one proportion with statsmodels'
Wilson and Clopper-Pearson; coverage with exact sums. test_oracle.py asks for Pearson's statistic at
the ends of random counts through the public function.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import gammaln

import f1ci
from f1ci.methods import closed_form
from f1ci.methods.delta import normal_quantile

Z = normal_quantile(0.95)
cautious_limits = closed_form.tversky_cautious_limits
KERNELS = [closed_form.tversky_limits, cautious_limits]
WEIGHTS = [(0.2, 0.8), (0.8, 0.2), (0.5, 0.5), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.3, 2.0)]


def all_counts(v: int) -> np.ndarray:
    """Every (tp, fp, fn) with v relevant items."""
    rows = [(x, y, v - x - y) for x in range(v + 1) for y in range(v - x + 1)]
    return np.array(rows, dtype=float).T


def precise(counts: tuple[float, float, float], a: float, b: float, z: float) -> list[float]:
    """The same limits by bisection with 40 digits, where the least statistic is z squared."""
    with mpmath.workdps(40):
        x, y, w = (mpmath.mpf(value) for value in counts)
        f = x / (x + a * y + b * w)
        ends = []
        for border in (mpmath.mpf(0), mpmath.mpf(1)):
            inner, outer = f, border
            for _ in range(85):
                middle = (inner + outer) / 2
                statistic = oracle.pearson_statistic(x, y, w, a, b, middle)
                inside = statistic <= mpmath.mpf(z) ** 2
                inner, outer = (middle, outer) if inside else (inner, middle)
            ends.append(float(inner))
        return ends


@pytest.mark.parametrize(
    ("counts", "a", "b", "z", "share"),
    [
        # Of so many items few digits of z^2 / v are left in 1 + z^2 / v.
        ((1e12, 3.0, 1e6), 0.2, 0.8, Z, 1e-4),
        ((2.0, 1e12, 5e11), 0.9, 0.1, Z, 1e-4),
        ((1e6, 1e3, 1e2), 0.2, 0.8, 1e-6, 1e-4),
        ((1.0, 1.0, 1.0), 0.5, 0.8, 30.0, 1e-6),
        ((7.0, 0.0, 4.0), 0.2, 0.8, Z, 1e-6),  # one kind of error alone
        ((7.0, 4.0, 0.0), 0.2, 0.8, Z, 1e-6),
        ((3.0, 0.0, 2.0), 0.9, 0.1, Z, 1e-6),
        ((2.25, 0.75, 1.5), 0.2, 0.8, Z, 1e-6),  # fractional counts
    ],
)
def test_limits_are_where_the_least_statistic_is_z_squared(
    counts: tuple[float, float, float], a: float, b: float, z: float, share: float
) -> None:
    """To a share of the way from the estimate: the search promises 1e-7."""
    x, y, w = counts
    f = x / (x + a * y + b * w)
    found = closed_form.tversky_limits(*map(np.float64, counts), a, b, z)
    for ours, theirs in zip(found, precise(counts, a, b, z), strict=True):
        assert abs(ours - theirs) <= share * abs(theirs - f) + 1e-15


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("a", "b"), WEIGHTS)
def test_edges(kernel: Callable[..., closed_form.Limits], a: float, b: float) -> None:
    x, y, w = all_counts(9)
    low, high = kernel(x, y, w, a, b, Z)
    f = x / np.where(x + a * y + b * w > 0, x + a * y + b * w, 1)
    known = x + (a > 0) * y + (b > 0) * w > 0
    assert (low[x == 0] == 0).all()
    assert (high[(a * y + b * w == 0)] == 1).all()
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (low < high).all()
    assert (low <= f)[known].all()
    assert (f <= high)[known].all()
    nothing = np.zeros(())
    assert tuple(kernel(nothing, nothing, nothing, a, b, Z)) == (0.0, 1.0)


counts = st.tuples(*[st.integers(0, 300)] * 3)
weights = st.sampled_from(WEIGHTS)


@given(counts, weights, st.floats(0.1, 5))
def test_classes_of_error_can_be_exchanged(
    n: tuple[int, int, int], ab: tuple[float, float], z: float
) -> None:
    x, y, w = (np.float64(value) for value in n)
    a, b = ab
    for kernel in KERNELS:
        # The search for unequal weights ends within 1e-7 of the way.
        assert_allclose(kernel(x, y, w, a, b, z), kernel(x, w, y, b, a, z), rtol=0, atol=1e-6)


@given(counts, weights, st.floats(0.1, 5), st.integers(1, 40))
def test_limits_rise_with_right_items_fall_with_wrong_ones_and_widen_with_the_level(
    n: tuple[int, int, int], ab: tuple[float, float], z: float, more: int
) -> None:
    x, y, w = (np.float64(value) for value in n)
    a, b = ab
    slack = 1e-6  # the search for unequal weights ends within 1e-7 of the way
    low, high = closed_form.tversky_limits(x, y, w, a, b, z)
    for moved, sign in (
        (closed_form.tversky_limits(x + more, y, w, a, b, z), 1),
        (closed_form.tversky_limits(x, y + more, w, a, b, z), -1),
        (closed_form.tversky_limits(x, y, w + more, a, b, z), -1),
    ):
        if x + (a > 0) * y + (b > 0) * w > 0:  # an undefined score may be anything
            assert sign * (moved[0] - low) >= -slack
            assert sign * (moved[1] - high) >= -slack
    for kernel in KERNELS:
        narrow, wide = kernel(x, y, w, a, b, z), kernel(x, y, w, a, b, z * (1 + more / 40))
        assert wide[0] <= narrow[0] + slack
        assert wide[1] >= narrow[1] - slack


def exact_coverage(
    kernel: Callable[..., closed_form.Limits], v: int, p: np.ndarray, a: float, b: float
) -> float:
    """The chance, given v, that the limits hold the true score."""
    x, y, w = all_counts(v)
    logs = gammaln(v + 1) - gammaln(x + 1) - gammaln(y + 1) - gammaln(w + 1)
    chance = np.exp(logs + x * np.log(p[0]) + y * np.log(p[1]) + w * np.log(p[2]))
    low, high = kernel(x, y, w, a, b, Z)
    truth = p[0] / (p[0] + a * p[1] + b * p[2])
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    return float(chance[(low <= truth) & (truth <= high)].sum())


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.8), (0.8, 0.2), (1.0, 0.3)])
def test_coverage_of_small_designs(a: float, b: float) -> None:
    # Proved for neither with unequal weights: exact sums over a grid of truths.
    found = {closed_form.tversky_limits: [], cautious_limits: []}
    for v in (8, 20):
        for share in np.linspace(0.05, 0.95, 19):
            for mix in (0.1, 0.3, 0.5, 0.7, 0.9):
                p = np.array([share, (1 - share) * mix, (1 - share) * (1 - mix)])
                for kernel, values in found.items():
                    values.append(exact_coverage(kernel, v, p, a, b))
    assert min(found[cautious_limits]) >= 0.95
    assert 0.945 < np.mean(found[closed_form.tversky_limits]) < 0.965
    assert min(found[closed_form.tversky_limits]) > 0.88


# Wilson direct: equation 34 of Lam, Gopal and Qian


LEVELS = [0.001, 0.5, 0.95, 0.999, 1 - 1e-6, 1 - 1e-12]


def reference_wilson_direct(tp, wrong, level):
    """Bisection of equation 34 on each side of the estimate, in 50 digits."""
    with mpmath.workdps(50):
        tp, wrong = mpmath.mpf(tp), mpmath.mpf(wrong)
        z = mpmath.mpf(float(stats.norm.isf(0.5 * (1.0 - level))))
        estimate = 2 * tp / (2 * tp + wrong)
        k = z**2 / (tp + wrong)

        def excess(score):
            return 2 * (score - estimate) ** 2 - k * score * (1 - score) * (2 - score) ** 2

        ends = []
        for outside, empty in ((mpmath.mpf(0), tp == 0), (mpmath.mpf(1), wrong == 0)):
            inside = estimate
            for _ in range(0 if empty else 150):
                middle = (outside + inside) / 2
                if excess(middle) > 0:
                    outside = middle
                else:
                    inside = middle
            ends.append((outside + inside) / 2)
        return ends


SOME_COUNTS = [
    (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (1, 2), (0, 10), (130, 1), (3, 7), (77, 54), (5, 10**6),
    (10**12, 0), (0, 10**12), (10**12, 1), (1, 10**12), (10**12, 10**12), (10**6, 3 * 10**11),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")  # of the low level
@pytest.mark.parametrize("level", LEVELS)
def test_wilson_direct_is_right_to_twelve_digits(level):
    for tp, wrong in SOME_COUNTS:
        ours = tuple(f1ci.f1_interval(tp, wrong, 0, method="wilson_direct", confidence_level=level))
        expected = reference_wilson_direct(tp, wrong, level)
        assert max(abs(a - b) for a, b in zip(ours, expected, strict=True)) < 1e-12
