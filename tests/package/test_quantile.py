"""The equicoordinate quantile: against closed forms, one-dimensional integrals, R's mvtnorm."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import f1ci

ACCURACY = 1e-3  # the default
LEVELS = [0.5, 0.8, 0.95, 0.99, 0.9999]


def autoregression(k, rho):
    return rho ** np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)


def cosines(k, rank):
    """A correlation matrix that R computes alike: no pattern in it, and of the rank asked for."""
    i, j = np.arange(1, k + 1)[:, None], np.arange(1, rank + 1)
    loadings = np.cos(1 + i * j + 2 * i)
    covariance = loadings @ loadings.T
    scale = np.sqrt(np.diag(covariance))
    return covariance / np.outer(scale, scale)


def random_correlations(n, k, rank, seed):
    loadings = np.random.default_rng(seed).normal(size=(n, k, rank))
    loadings /= np.linalg.norm(loadings, axis=2, keepdims=True)
    matrices = loadings @ np.swapaxes(loadings, 1, 2)
    np.einsum("nii->ni", matrices)[...] = 1.0
    return matrices


def solve(probability, level):
    return optimize.brentq(lambda q: probability(q) - level, 1e-3, 9, xtol=1e-12)


def sidak(level, k):
    """All |Z_k| < q has probability (2 Phi(q) - 1)^k if they are independent."""
    return stats.norm.isf(-np.expm1(np.log(level) / k) / 2)


def one_factor(loadings):
    return np.outer(loadings, loadings) + np.diag(1 - np.square(loadings))


def one_factor_quantile(loadings, level):
    """For correlations l_i l_j: given the factor the variables are independent."""
    loadings = np.asarray(loadings)
    spread = np.sqrt(1 - loadings**2)

    def probability(q):
        def given_factor(t):
            above = stats.norm.cdf((q - loadings * t) / spread)
            below = stats.norm.cdf((-q - loadings * t) / spread)
            return stats.norm.pdf(t) * np.prod(above - below)

        return 2 * integrate.quad(given_factor, 0, 10, epsabs=1e-10, limit=200)[0]

    return solve(probability, level)


# In the plane: exact


@pytest.mark.parametrize("k", [1, 5])
def test_perfect_correlation_is_one_variable(k):
    signs = np.where(np.arange(k) % 3 == 0, -1.0, 1.0)
    found = f1ci.equicoordinate_quantile(np.outer(signs, signs), 0.95)
    # Rank one is computed exactly; 1e-10 is rounding in Owen's T.
    assert found == pytest.approx(stats.norm.ppf(0.975), abs=1e-10)


@pytest.mark.parametrize("rho", [0.0, 0.3, -0.7, 0.99, 0.999999])
@pytest.mark.parametrize("level", [0.2, *LEVELS])
def test_two_variables(rho, level):
    spread = np.sqrt(1 - rho**2)

    def probability(q):
        def inside(x):
            ends = (np.array([q, -q]) - rho * x) / spread
            return stats.norm.pdf(x) * -np.diff(stats.norm.cdf(ends))[0]

        # The integrand drops from 1 to 0 near the end: quad is told where.
        points = [q * (1 - 10 * spread), q * (1 - spread)]
        ends = [0.0, *(x for x in points if 0 < x < q), q]
        pieces = (integrate.quad(inside, *piece, epsabs=1e-13)[0] for piece in pairwise(ends))
        return 2 * sum(pieces)

    found = f1ci.equicoordinate_quantile([[1.0, rho], [rho, 1.0]], level)
    # Both sides are exact except for the quadrature: 1e-12 over a density as low as 1e-4.
    assert found == pytest.approx(solve(probability, level), abs=1e-7)


# Importance sampling: closed forms and one-dimensional integrals


@pytest.mark.parametrize(
    ("k", "level"), [(3, 0.5), (12, 0.5), (12, 0.95), (6, 1 - 1e-8), (40, 0.95)]
)
def test_independence_is_sidaks(k, level):
    found = f1ci.equicoordinate_quantile(np.eye(k), level)
    assert found == pytest.approx(sidak(level, k), abs=ACCURACY)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize(
    "loadings",
    [
        np.full(3, 0.5**0.5),
        np.full(6, 0.99**0.5),
        np.full(20, 0.3**0.5),
        [0.9, -0.3, 0.0, 0.6, 0.98],
        [0.5, 0, 0],
    ],
)
def test_one_factor(loadings, level):
    found = f1ci.equicoordinate_quantile(one_factor(loadings), level)
    assert found == pytest.approx(one_factor_quantile(loadings, level), abs=ACCURACY)


def test_a_tenth_of_the_error_for_a_hundred_times_the_work():
    loadings = np.linspace(0.3, 0.9, 6)
    found = f1ci.equicoordinate_quantile(one_factor(loadings), accuracy=1e-4)
    assert found == pytest.approx(one_factor_quantile(loadings, 0.95), abs=1e-4)


# P(max |Z_k| < q), and the error that it states for itself, by mvtnorm 1.1-3 in R 4.2.2:
# pmvnorm(rep(-q, k), rep(q, k), sigma = ..., algorithm = GenzBretz(maxpts = 2e7 or 5e6,
# abseps = 1e-7)), seed 1; loadings outer(1:k, 1:r, \(i, j) cos(1 + i * j + 2 * i)).
RECORDED = [
    (cosines(6, 8), 1.6, 0.577056926, 1.9e-6),
    (cosines(6, 8), 2.6, 0.953052481, 3.7e-6),
    (autoregression(6, 0.8), 2.4, 0.936488056, 5.9e-7),
    (cosines(6, 3), 2.4, 0.931024223, 1.1e-6),
    (cosines(12, 14), 2.8, 0.947293241, 4.4e-5),
    (cosines(12, 9), 2.7, 0.937007214, 7.9e-5),
    # Not randomised: algorithm = Miwa(steps = 4096); 2048 steps change it by less than 1e-9.
    (cosines(4, 5), 1.5, 0.625703531, 1e-9),
    (cosines(4, 5), 2.5, 0.957429480, 1e-9),
]


@pytest.mark.parametrize(("correlation", "q", "probability", "error"), RECORDED)
def test_recorded_mvtnorm(correlation, q, probability, error):
    # Its error in the probability becomes one in q over the density, here differenced.
    below, found, above = (
        f1ci.equicoordinate_quantile(correlation, probability + shift)
        for shift in (-0.01, 0.0, 0.01)
    )
    assert found == pytest.approx(q, abs=ACCURACY + error * (above - below) / 0.02)


# Properties


def test_a_batch_is_the_loop():
    # Every matrix stops by its own error; products of another shape round in another order,
    # which moves a point across the border once in a hundred million times.
    batch = np.concatenate(
        [
            random_correlations(7, 6, 6, seed=1),
            random_correlations(5, 6, 3, seed=2),
            random_correlations(1, 6, 2, seed=3),
            autoregression(6, 0.5)[None],
            np.ones((1, 6, 6)),
        ]
    )
    together = f1ci.equicoordinate_quantile(batch)
    alone = [f1ci.equicoordinate_quantile(matrix) for matrix in batch]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    shaped = f1ci.equicoordinate_quantile(batch.reshape(3, 5, 6, 6))
    np.testing.assert_array_equal(shaped, together.reshape(3, 5))
