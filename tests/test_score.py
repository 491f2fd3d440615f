"""Score intervals against sources that share no code with them.

The closed form is compared with the constrained maximum likelihood estimate found by root
finding (scipy), with mpmath, and with statsmodels' Wilson and Clopper-Pearson; correlations with
numeric derivatives; coverage with exact sums and simulation.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.special import gammaln
from statsmodels.stats.proportion import proportion_confint

from f1ci.methods import score
from f1ci.methods.quantile import normal_quantile

Z = normal_quantile(0.95)
WEIGHTS = [(0.2, 0.8), (0.8, 0.2), (0.5, 0.5), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.3, 2.0)]


def all_counts(v: int) -> np.ndarray:
    """Every (tp, fp, fn) with v relevant items."""
    rows = [(x, y, v - x - y) for x in range(v + 1) for y in range(v - x + 1)]
    return np.array(rows, dtype=float).T


def pearson(f: float, counts: tuple[float, float, float], a: float, b: float) -> float:
    """Pearson's statistic at the maximum likelihood estimate under the score f.

    The probabilities with that score are a line between the two points without false negatives
    and without false positives; the likelihood is concave on it.
    """
    t = f / (1 - f)
    one = np.array([t * a, 1.0, 0.0]) / (1 + t * a)
    other = np.array([t * b, 0.0, 1.0]) / (1 + t * b)
    n = np.array(counts)

    def slope(u: float) -> float:
        p = other + u * (one - other)
        return float((n / p * (one - other)).sum())

    u = brentq(slope, 1e-15, 1 - 1e-15, xtol=1e-16, rtol=1e-15)
    p = other + u * (one - other)
    expected = n.sum() * p
    return float(((n - expected) ** 2 / expected).sum())


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.8), (0.8, 0.2), (1 / 17, 16 / 17), (0.3, 2.0)])
@pytest.mark.parametrize("counts", [(5, 3, 2), (1, 1, 9), (40, 1, 1), (77, 44, 10), (3, 20, 60)])
@pytest.mark.parametrize("z", [0.5, Z, 4.0])
def test_limits_are_where_the_constrained_likelihood_says(
    counts: tuple[int, int, int], a: float, b: float, z: float
) -> None:
    x, y, w = counts
    f = x / (x + a * y + b * w)

    def excess(g: float) -> float:
        return pearson(g, counts, a, b) - z * z

    low = brentq(excess, 1e-9, f * (1 - 1e-9), xtol=1e-14)
    high = brentq(excess, f + (1 - f) * 1e-9, 1 - 1e-9, xtol=1e-14)
    # Root finding within root finding: 1e-10 is what the inner tolerance leaves.
    assert_allclose(score.tversky_limits(x, y, w, a, b, z), (low, high), rtol=0, atol=1e-10)


def precise(counts: tuple[float, float, float], a: float, b: float, z: float) -> list[float]:
    """The same limits by bisection with 50 digits, from the equations of the multiplier."""
    with mpmath.workdps(50):
        n = [mpmath.mpf(value) for value in counts]

        def statistic(f: mpmath.mpf) -> mpmath.mpf:
            t = f / (1 - f)
            c = [mpmath.mpf(1), -t * a, -t * b]
            low, high = mpmath.mpf(-1), 1 / (t * max(a, b))
            for _ in range(120):
                m = (low + high) / 2
                rises = sum(k * i / (1 + m * k) for k, i in zip(c, n, strict=True) if i) > 0
                low, high = (m, high) if rises else (low, m)
            return m * (n[0] - t * (a * n[1] + b * n[2]))

        f = n[0] / (n[0] + a * n[1] + b * n[2])
        ends = []
        for border in (mpmath.mpf(0), mpmath.mpf(1)):
            inner, outer = f, border
            for _ in range(95):
                middle = (inner + outer) / 2
                inside = statistic(middle) <= mpmath.mpf(z) ** 2
                inner, outer = (middle, outer) if inside else (inner, middle)
            ends.append(float(inner))
        return ends


@pytest.mark.parametrize(
    ("counts", "a", "b", "z", "rtol"),
    [
        ((1e12, 3.0, 1e6), 0.2, 0.8, Z, 2e-12),
        ((2.0, 1e12, 5e11), 0.9, 0.1, Z, 2e-12),
        ((1.0, 1.0, 1.0), 0.5, 0.8, 30.0, 1e-9),
        ((1e6, 1e3, 1e2), 0.2, 0.8, 1e-6, 2e-12),
        ((7.0, 0.0, 4.0), 0.2, 0.8, Z, 2e-12),  # one kind of error alone: roots may coincide
        ((7.0, 4.0, 0.0), 0.2, 0.8, Z, 2e-12),
        ((3.0, 0.0, 2.0), 0.9, 0.1, Z, 2e-12),
        ((2.25, 0.75, 1.5), 0.2, 0.8, Z, 2e-12),  # fractional counts
    ],
)
def test_limits_keep_their_digits(
    counts: tuple[float, float, float], a: float, b: float, z: float, rtol: float
) -> None:
    # At z = 30 and three items the lower limit is .0006, the difference of two far larger numbers.
    assert_allclose(score.tversky_limits(*counts, a, b, z), precise(counts, a, b, z), rtol=rtol)


def test_three_real_roots_of_which_the_outer_ones_are_the_limits() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(1, 50, 3).astype(float)
        a, b, z = rng.uniform(0.05, 2), rng.uniform(0.05, 2), rng.uniform(0.3, 5)
        x, y, w = counts / counts.sum()
        k = z / np.sqrt(counts.sum())
        errors, e, c = a * y + b * w, a * b * (y + w), x * (a + b) + a * y + b * w
        polynomial = [
            errors**2 + e * k**2,
            k * (c * errors - 2 * e * x + a * b * k**2),
            -x * (c * errors - e * x + 2 * a * b * k**2),
            a * b * k * x**2,
        ]
        roots = np.roots(polynomial)
        # Eigenvalues of a companion matrix: 1e-7 where two of them are close.
        assert np.abs(roots.imag).max() < 1e-7
        t = (x - k * np.sort(roots.real)[[2, 0]]) / errors
        limits = score.tversky_limits(*counts, a, b, z)
        assert_allclose(limits, t / (1 + t), rtol=0, atol=1e-7)


@pytest.mark.parametrize("v", [1, 7, 30])
def test_equal_weights_are_wilson_and_clopper_pearson(v: int) -> None:
    x, y, w = all_counts(v)
    for kernel, name in ((score.tversky_limits, "wilson"), (score.cautious_limits, "beta")):
        share = np.array(proportion_confint(x, v, alpha=0.05, method=name))
        # Jaccard is the share itself, F1 its image by eq. 10; statsmodels adds and subtracts.
        assert_allclose(kernel(x, y, w, 1.0, 1.0, Z), share, rtol=1e-12, atol=2e-15)
        f1 = 2 * share / (1 + share)
        assert_allclose(kernel(x, y, w, 0.5, 0.5, Z), f1, rtol=1e-12, atol=2e-15)


def test_one_weight_of_zero_is_a_share_too() -> None:
    x, y, w = all_counts(12)
    some = x + y > 0
    for kernel, name in ((score.tversky_limits, "wilson"), (score.cautious_limits, "beta")):
        share = np.array(proportion_confint(x[some], (x + y)[some], alpha=0.05, method=name))
        precision = np.array(kernel(x, y, w, 1.0, 0.0, Z))
        assert_allclose(precision[:, some], share, rtol=1e-12, atol=2e-15)
        assert_array_equal(precision[:, ~some], [[0.0], [1.0]])


@pytest.mark.parametrize("kernel", [score.tversky_limits, score.cautious_limits])
@pytest.mark.parametrize(("a", "b"), WEIGHTS)
def test_edges(kernel: score.Kernel, a: float, b: float) -> None:
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
    assert tuple(kernel(0.0, 0.0, 0.0, a, b, Z)) == (0.0, 1.0)


counts = st.tuples(*[st.integers(0, 300)] * 3)
weights = st.sampled_from(WEIGHTS)


@given(counts, weights, st.floats(0.1, 5))
def test_classes_of_error_can_be_exchanged(
    n: tuple[int, int, int], ab: tuple[float, float], z: float
) -> None:
    x, y, w = (np.float64(value) for value in n)
    a, b = ab
    for kernel in (score.tversky_limits, score.cautious_limits):
        assert_array_equal(kernel(x, y, w, a, b, z), kernel(x, w, y, b, a, z))


@given(counts, weights, st.floats(0.1, 5), st.integers(1, 40))
def test_limits_rise_with_right_items_fall_with_wrong_ones_and_widen_with_the_level(
    n: tuple[int, int, int], ab: tuple[float, float], z: float, more: int
) -> None:
    x, y, w = (np.float64(value) for value in n)
    a, b = ab
    slack = 1e-13  # rounding of the cubic's roots
    low, high = score.tversky_limits(x, y, w, a, b, z)
    for moved, sign in (
        (score.tversky_limits(x + more, y, w, a, b, z), 1),
        (score.tversky_limits(x, y + more, w, a, b, z), -1),
        (score.tversky_limits(x, y, w + more, a, b, z), -1),
    ):
        if x + (a > 0) * y + (b > 0) * w > 0:  # an undefined score may be anything
            assert sign * (moved[0] - low) >= -slack
            assert sign * (moved[1] - high) >= -slack
    for kernel in (score.tversky_limits, score.cautious_limits):
        narrow, wide = kernel(x, y, w, a, b, z), kernel(x, y, w, a, b, z * (1 + more / 40))
        assert wide[0] <= narrow[0] + slack
        assert wide[1] >= narrow[1] - slack


def exact_coverage(kernel: score.Kernel, v: int, p: np.ndarray, a: float, b: float) -> float:
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
    found = {score.tversky_limits: [], score.cautious_limits: []}
    for v in (8, 20):
        for share in np.linspace(0.05, 0.95, 19):
            for mix in (0.1, 0.3, 0.5, 0.7, 0.9):
                p = np.array([share, (1 - share) * mix, (1 - share) * (1 - mix)])
                for kernel, values in found.items():
                    values.append(exact_coverage(kernel, v, p, a, b))
    assert min(found[score.cautious_limits]) >= 0.95
    assert 0.945 < np.mean(found[score.tversky_limits]) < 0.965
    assert min(found[score.tversky_limits]) > 0.88
