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
from scipy.optimize import brentq, minimize
from scipy.special import gammaln
from scipy.stats import chi2, norm
from statsmodels.stats.proportion import proportion_confint

import f1ci
from f1ci.methods import score
from f1ci.methods.quantile import normal_quantile
from f1ci.metrics import Metric, f1, fbeta, macro, macro_star, weighted

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


def test_f1_has_the_bits_of_wilson_indirect() -> None:
    x, y, w = np.random.default_rng(3).integers(0, 200, (3, 20_000)).astype(float)
    low, high = f1ci.f1_interval(x, y, w, method="wilson_indirect")
    assert_array_equal(score.tversky_limits(x, y, w, 0.5, 0.5, Z), (low, high))


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


def test_one_part_gives_its_own_limits() -> None:
    n = tuple(np.array([[value]]) for value in (17.0, 4.0, 6.0))
    for a, b in WEIGHTS:
        own = score.tversky_limits(*n, a, b, Z)
        mean = score.extremes(n, a, b, Z, score._mean, np.ones((1, 1, 1)), score.tversky_limits)
        assert_array_equal(np.array(mean)[:, 0], np.array(own)[:, 0, 0])


def test_equal_parts_give_their_own_limits() -> None:
    n = tuple(np.full(4, value) for value in (17.0, 4.0, 6.0))
    own = np.array(score.tversky_limits(*n, 0.2, 0.8, Z))[:, 0]
    mean = score.extremes(n, 0.2, 0.8, Z, score._mean, np.ones((4, 4)), score.tversky_limits)
    assert_allclose(mean, own, rtol=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_the_extreme_over_the_ellipsoid(seed: int) -> None:
    """Against scipy's optimum, with so many items that the two corrections are negligible."""
    rng = np.random.default_rng(seed)
    r, a, b = 4, 0.2, 0.8
    m = rng.integers(200, 2_000, (r, r)) + np.diag(rng.integers(500, 90_000, r)) * 1.0
    counts, weight = score._class_counts(m, a, b), rng.dirichlet(np.ones(r))
    correlation = score._class_correlation(m, a, b)
    root = np.linalg.cholesky(correlation)
    estimate = weight @ (counts[0] / (counts[0] + a * counts[1] + b * counts[2]))
    given = (counts, a, b, Z, score.sum_of(weight), correlation, score.tversky_limits)
    for side, end in zip((-1, 1), score.extremes(*given), strict=True):

        def mean(direction: np.ndarray, side: int = side) -> float:
            zeta = root @ (direction / np.linalg.norm(direction))
            low, high = score.tversky_limits(*counts, a, b, np.abs(zeta) * Z)
            return -side * float(weight @ np.where(zeta < 0, low, high))

        furthest = -side * minimize(mean, side * np.ones(r)).fun
        # Two steps of a fixed point, and corrections of order 1e-4: 5.2e-4 at most here.
        assert_allclose(end - estimate, furthest - estimate, rtol=1e-3)


def test_a_part_of_one_item_does_not_lead_the_average_astray() -> None:
    """It knows nothing of a class of one item: its limit may not pull the average's end back."""
    # One item is predicted as the first class, wrongly. The steps once took that class's upper
    # limit into the lower one of the average, which ended at the estimate.
    m = np.array([[0, 2, 0, 0, 10], [1, 6, 5, 0, 0], [0, 0, 13, 0, 3], [0, 0, 0, 3, 0]])
    m = np.vstack([m, [0, 0, 0, 0, 7]]) * 1.0
    low, high = score.mean_limits(m, 1.0, 0.0, Z, weighted=True)
    each = np.diag(m) / m.sum(axis=0)
    share = m.sum(axis=1) / m.sum()
    error = np.sqrt((share**2 * each * (1 - each) / m.sum(axis=0)).sum())  # shares known
    assert low < share @ each - Z * error
    assert high > share @ each + Z * error


def test_nothing_wrong_in_classes_of_unlike_sizes_is_not_certain() -> None:
    """Where no error is seen, up to ln 40 = 3.7 may be expected, by the Poisson limit of 95 %.

    The last step comes back to half of that; the furthest counts.
    """
    m = np.diag([3.0, 1, 2, 10, 4, 5, 8, 2, 1, 10, 4, 4, 4, 5, 10, 2, 6, 10, 5, 8])
    for a, b in ((1.0, 0.0), (0.5, 0.5), (0.2, 0.8)):
        low, high = score.mean_limits(m, a, b, Z, weighted=True)
        assert low < 1 - np.log(40) / m.sum()
        assert high == 1.0


def numeric_influence(function, p: np.ndarray) -> np.ndarray:
    """Central differences by each cell, less their mean."""
    moved = np.empty(p.shape)
    for cell in np.ndindex(p.shape):
        step = np.zeros(p.shape)
        step[cell] = 1e-6
        moved[cell] = (function(p + step) - function(p - step)) / 2e-6
    return moved - (p * moved).sum()


def class_score(p: np.ndarray, k: int, a: float, b: float) -> float:
    right = p[k, k]
    return right / (right + a * (p[:, k].sum() - right) + b * (p[k].sum() - right))


@pytest.mark.parametrize("r", [2, 4])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.2, 0.8), (1.0, 0.0)])
def test_correlations_are_those_of_the_influences(r: int, a: float, b: float) -> None:
    m = np.random.default_rng(r).integers(1, 30, (r, r)).astype(float)
    p = m / m.sum()

    def correlations(functions: list) -> np.ndarray:
        rows = np.array([numeric_influence(f, p).ravel() for f in functions])
        covariance = rows * p.ravel() @ rows.T
        deviation = np.sqrt(np.diag(covariance))
        return covariance / np.outer(deviation, deviation)

    def scores(a: float, b: float) -> list:
        return [lambda q, k=k: class_score(q, k, a, b) for k in range(r)]

    # Central differences are good to 1e-9 here.
    near = {"rtol": 0, "atol": 1e-8}
    assert_allclose(score._class_correlation(m, a, b), correlations(scores(a, b)), **near)
    both = correlations([*scores(1.0, 0.0), *scores(0.0, 1.0)])
    assert_allclose(score._both_correlation(m), both, **near)
    f = np.array([class_score(p, k, a, b) for k in range(r)])
    shares = [*scores(a, b), lambda q: (q.sum(axis=1) * f).sum() / q.sum()]
    spread, extra = score._share_part(m, a, b)
    assert_allclose(extra, correlations(shares)[-1, :-1], **near)
    moved = numeric_influence(shares[-1], p)
    assert_allclose(spread, np.sqrt((p * moved**2).sum() / m.sum()), **near)


@pytest.mark.parametrize(
    ("average", "metric"),
    [
        ("binary", fbeta(2)),
        ("macro", macro(fbeta(2))),
        ("weighted", weighted(fbeta(2))),
        ("macro_star", macro_star(2)),
    ],
)
def test_the_correlation_of_two_classifiers(average: str, metric: Metric) -> None:
    r, a, b = (2 if average == "binary" else 3), 0.2, 0.8
    cells = np.random.default_rng(1).integers(1, 30, (r, r, r)).astype(float)

    def whole(p: np.ndarray) -> float:
        each = np.array([class_score(p, k, a, b) for k in range(r)])
        if average == "binary":
            return each[1]
        if average == "weighted":
            return (p.sum(axis=1) * each).sum() / p.sum()
        if average == "macro":
            return each.mean()
        right = np.diag(p)
        mean_precision, mean_recall = (right / p.sum(axis=0)).mean(), (right / p.sum(axis=1)).mean()
        return 1 / (a / mean_precision + b / mean_recall)

    p = cells / cells.sum()
    first = numeric_influence(whole, p.sum(axis=2))[:, :, None]
    second = numeric_influence(whole, p.sum(axis=1))[:, None, :]
    expected = (p * first * second).sum() / np.sqrt((p * first**2).sum() * (p * second**2).sum())
    # Central differences are good to 1e-9 here.
    assert_allclose(score._paired_correlation(cells, metric), expected, rtol=0, atol=1e-8)


def test_a_weighted_mean_is_too_high_by_the_covariances_of_shares_and_scores() -> None:
    a, b = 0.2, 0.8
    m = np.random.default_rng(2).integers(1, 30, (3, 3)).astype(float)
    p = m / m.sum()
    covariances = [
        (
            p
            * numeric_influence(lambda q, k=k: q[k].sum() / q.sum(), p)
            * numeric_influence(lambda q, k=k: class_score(q, k, a, b), p)
        ).sum()
        for k in range(3)
    ]
    # Central differences are good to 1e-9 here.
    expected = sum(covariances) / m.sum()
    assert_allclose(score.weighted_excess(m, a, b), expected, rtol=0, atol=1e-9)


matrices = st.integers(2, 5).flatmap(
    lambda r: st.lists(st.lists(st.integers(0, 12), min_size=r, max_size=r), min_size=r, max_size=r)
).map(lambda rows: np.array(rows, dtype=float)).filter(lambda m: m.sum() > 0)  # fmt: skip


@given(matrices, weights, st.booleans())
def test_means_lie_in_range_enclose_the_estimate_and_have_length(
    m: np.ndarray, ab: tuple[float, float], weighted: bool
) -> None:
    a, b = ab
    shares = m.sum(axis=1) / m.sum() if weighted else np.full(len(m), 1 / len(m))
    with np.errstate(invalid="ignore"):
        each = np.array([class_score(m, k, a, b) for k in range(len(m))])
    estimate = (shares * each).sum()
    previous = None
    for z in (1.0, Z, 3.0):
        low, high = score.mean_limits(m, a, b, z, weighted=weighted)
        assert 0 <= low < high <= 1
        if not np.isnan(estimate):
            assert low <= estimate + 1e-15
            assert high >= estimate - 1e-15
        if previous is not None:
            # Fixed-point steps stop early: measured, not proved.
            assert low <= previous[0] + 1e-3
            assert high >= previous[1] - 1e-3
        previous = low, high


@given(matrices)
def test_star_lies_in_range_and_encloses_the_estimate(m: np.ndarray) -> None:
    low, high = score.macro_star_limits(m, 0.5, 0.5, Z)
    assert 0 <= low < high <= 1
    with np.errstate(invalid="ignore"):
        p, q = (np.diag(m) / m.sum(axis=0)).mean(), (np.diag(m) / m.sum(axis=1)).mean()
    if p + q > 0:
        assert low <= 2 * p * q / (p + q) + 1e-15
        assert high >= 2 * p * q / (p + q) - 1e-15


def test_weighted_recall_is_accuracy() -> None:
    m = np.array([[20, 3, 1], [4, 31, 0], [2, 2, 9]], dtype=float)
    share = proportion_confint(60, m.sum(), alpha=0.05, method="wilson")
    assert_allclose(score.mean_limits(m, 0.0, 1.0, Z, weighted=True), share, rtol=1e-13)


@pytest.mark.parametrize("metric", [f1, macro(f1), weighted(f1), macro_star()], ids=str)
def test_differences(metric: Metric) -> None:
    rng = np.random.default_rng(5)
    r = 2 if metric.binary else 3
    cells = rng.multinomial(90, rng.dirichlet(np.ones(r**3)), 30).reshape(-1, r, r, r) * 1.0
    low, high = score.difference_limits(cells, metric, Z)
    assert (low >= -1).all()
    assert (low < high).all()
    assert (high <= 1).all()
    # B minus A is minus A minus B.
    other = score.difference_limits(np.swapaxes(cells, -1, -2), metric, Z)
    assert_allclose(other, (-high, -low), rtol=0, atol=1e-14)
    # One classifier twice: an interval about zero, not of length zero.
    twice = np.zeros((r, r, r))
    for k in range(r):
        twice[:, k, k] = cells[0].sum(axis=-1)[:, k]
    low, high = score.difference_limits(twice, metric, Z)
    assert low < 0 < high
    assert_allclose(low, -high, rtol=1e-12)


def test_room_where_one_or_two_items_are_wrong() -> None:
    # The one-sided Poisson limit from chi-squared, over the lower root of Wilson's quadratic.
    for z in (1.0, Z, 3.0):
        errors = np.array([1.0, 2.0])
        poisson = chi2.ppf(2 * norm.sf(z), 2 * errors) / 2
        wilson = [np.roots([1, -(2 * e + z * z), e * e]).min() for e in errors]
        room = score._room(np.array([0.0, 1.0, 2.0, 3.0]), z)
        assert_allclose(room[1:3], np.minimum(poisson / wilson, 1), rtol=1e-9)
        assert_array_equal(room[[0, 3]], 1)
    # So a test set with one error does not exclude a population that has one in 300.
    one = np.diag([17.0, 17.0, 16.0])
    one[0, 1] = 1
    assert score.mean_limits(one, 0.5, 0.5, Z)[1] > 1 - 1 / 300


def test_a_batch_has_the_bits_of_its_matrices() -> None:
    rng = np.random.default_rng(7)
    for r in (2, 3, 9):
        m = rng.multinomial(200, rng.dirichlet(np.ones(r * r)), 40).reshape(-1, r, r) * 1.0
        c = rng.multinomial(200, rng.dirichlet(np.ones(r**3)), 5).reshape(-1, r, r, r) * 1.0
        for function, batch in (
            (lambda t: score.mean_limits(t, 0.5, 0.5, Z), m),
            (lambda t: score.mean_limits(t, 0.2, 0.8, Z, weighted=True), m),
            (lambda t: score.macro_star_limits(t, 0.5, 0.5, Z), m),
            (lambda t: score.difference_limits(t, macro(f1), Z), c),
        ):
            whole = np.array(function(batch))
            assert_array_equal(whole, np.transpose([function(one) for one in batch]))
            assert_array_equal(whole, function(np.asfortranarray(batch)))
    many = rng.integers(0, 50, (3, 20_000)).astype(float)
    low, high = score.tversky_limits(*many, 0.2, 0.8, Z)
    for k in range(0, 20_000, 997):
        one = score.tversky_limits(*many[:, k], 0.2, 0.8, Z)
        assert_array_equal((low[k], high[k]), one)


def test_coverage_where_the_delta_method_fails() -> None:
    # Ten equal classes, 99 % right, 200 items: on the validation page delta covers 84 %.
    r, count = 10, 4_000
    cells = (0.99 * np.eye(r) + 0.01 / (r - 1) * (1 - np.eye(r))) / r
    m = np.random.default_rng(11).multinomial(200, cells.ravel(), count).reshape(-1, r, r) * 1.0
    low, high = score.mean_limits(m, 0.5, 0.5, Z)
    share = ((low <= 0.99) & (high >= 0.99)).mean()
    # Between 93 and 98 %, give or take three standard errors of .0035.
    assert 0.92 < share < 0.99


@pytest.mark.parametrize(
    ("n", "cells"),
    [
        # Twenty classes of about five items, two expected errors: the worst of the atlas once.
        (100, (0.98 * np.eye(20) + 0.02 / 19 * (1 - np.eye(20))) / 20),
        # A class that is hardly predicted, found by a search: coverage was 70 %.
        (
            50,
            np.array(
                [
                    [0.015, 2.920, 0.334, 0.005, 8.916],
                    [0.454, 4.647, 3.272, 0.036, 0.066],
                    [0.005, 0.068, 11.812, 0.010, 2.129],
                    [0.002, 0.020, 0.014, 3.149, 0.154],
                    [0.536, 0.004, 0.021, 0.106, 11.304],
                ]
            )
            / 50,
        ),
    ],
)
def test_coverage_of_weighted_precision_where_it_is_hard(n: int, cells: np.ndarray) -> None:
    p = cells / cells.sum()
    m = np.random.default_rng(8).multinomial(n, p.ravel(), 4_000).reshape(-1, *p.shape) * 1.0
    m = m[(m.sum(axis=1) > 0).all(axis=1)]
    assert len(m) > 2_000
    truth = float((p.sum(axis=1) * np.diag(p) / p.sum(axis=0)).sum())
    low, high = score.mean_limits(m, 1.0, 0.0, Z, weighted=True)
    low = low - score.weighted_excess(m, 1.0, 0.0)
    # At least 93 %, less three standard errors of .005.
    assert ((low <= truth) & (truth <= high)).mean() > 0.915


@pytest.mark.parametrize("weighted_mean", [False, True])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (1.0, 0.0), (0.2, 0.8)])
def test_averages_of_small_tables_widen_with_the_level(
    weights: tuple[float, float], weighted_mean: bool
) -> None:
    """Not proved: none of these tables has a limit that steps back."""
    rng = np.random.default_rng(3)
    for r in (2, 3, 5):
        m = rng.poisson(rng.choice([0.3, 1.0, 3.0], (500, 1, 1)) * (3 * np.eye(r) + 0.2)) * 1.0
        m = m[m.sum(axis=(1, 2)) > 0]
        ends = [
            score.mean_limits(m, *weights, normal_quantile(level), weighted=weighted_mean)
            for level in (0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)
        ]
        low, high = np.moveaxis(ends, 1, 0)
        assert (np.diff(low, axis=0) <= 0.0).all()
        assert (np.diff(high, axis=0) >= 0.0).all()


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("average", ["macro_f1", "weighted_f1", "weighted_precision"])
def test_cautious_averages_are_longer_and_widen_with_the_level(average: str) -> None:
    """In the first three tables the steps to the extreme once went astray.

    Weighted F1 of the first had the lower limits .019 at 95 % and .078 at 99 %. (At 99 % and more
    even Clopper-Pearson's interval for F1 need not hold Wilson's, but it is longer here.)
    """
    metric = f1ci.metrics.weighted("precision") if "precision" in average else average
    crossed = [[[4, 26], [20, 0]], [[4, 3], [0, 3]], [[4, 2], [1, 0]]]
    drawn = np.random.default_rng(5).integers(0, 12, (500, 2, 2)) + np.eye(2, dtype=int)
    matrices = np.concatenate([crossed, drawn])
    # Not proved: one table has an upper limit for weighted precision that steps back by .0013.
    back = 0.002 if average == "weighted_precision" else 0.0
    before = None
    for level in (0.5, 0.8, 0.95, 0.99, 0.999):
        long, short = (
            f1ci.metric_interval(matrices, metric, method=method, confidence_level=level)
            for method in ("cautious", "score")
        )
        if level <= 0.99:
            assert (long.length > short.length).all()
        if before is not None:
            assert (long.low <= before.low + back).all()
            assert (long.high >= before.high - back).all()
        before = long


@pytest.mark.parametrize("average", ["weighted_f1", "weighted_precision"])
@pytest.mark.parametrize("groups", [False, True])
def test_a_perfect_weighted_score_is_one_to_the_last_bit(average: str, groups: bool) -> None:
    """44 / 166 + 97 / 166 + 25 / 166 is more than 1 in doubles."""
    assert 44 / 166 + 97 / 166 + 25 / 166 > 1.0
    y = np.repeat([0, 1, 2], [44, 97, 25])
    if groups:
        counts = f1ci.clustered.label_counts(y, y, np.arange(166), 3)
        name = average.removeprefix("weighted_")
        interval = f1ci.clustered_interval(counts, name, average="weighted")
    else:
        metric = f1ci.metrics.weighted(average.removeprefix("weighted_"))
        interval = f1ci.metric_interval(np.diag([44, 97, 25]), metric)
    assert interval.estimate == 1.0
    assert interval.high == 1.0
    assert 0.9 < interval.low < 1.0
