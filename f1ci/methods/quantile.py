r"""The equicoordinate quantile of a normal vector, which joint intervals need.

Source: Yuan and Jiang (2025), Proposition 1: q solves P(max |Z_k| < q) = level for
Z ~ N(0, R). Their Remark 1 leaves the computation open. Three engines compute it:

- **In the plane** (R of rank 1 or 2, so always for one or two variables): exactly. The directions
  of the variables cut the circle into arcs, and each arc contributes an Owen's T function.
- **In space** (R of rank 3): in each direction the variables exceed q beyond a certain radius. The
  tail of the radius is averaged over directions that are spread evenly, on a spiral.
- **Importance sampling** otherwise. Choose one of the k variables at random, draw its value given
  that it exceeds q, and draw the others given that value. If N variables exceed q then

      P(max |Z_k| >= q) = (sum of P(|Z_k| >= q)) times (mean of 1 / N),

  because N of the k choices lead to the same point. The number 1 / N lies between 1 / k and 1
  whatever the level is, so rare events cost nothing. The mean of (N - 1) / 2 is known exactly,
  from the probabilities that pairs exceed q together (Owen's T again). It serves as control
  variate: it removes all noise from points where two variables exceed.

The quantile is the fixed point of "solve for q with the mean of 1 / N held constant", because that
mean hardly depends on q. Points are added until 3.5 standard errors are within the accuracy that
was asked for. The random numbers are fixed, so a matrix has the same quantile in every run and in
every batch.

When it fails: never by singularity, because Z is drawn from a factor of R. It is slow for many
strongly correlated variables and for levels near one half, where N varies most. Twelve variables
take 1 ms at level .95 if they are random, but 0.03 s with equal correlations of .5, and 0.5 s with
.9; at level .5 these are 0.1, 0.5 and 1.3 s. It stops at 2**24 points, which can leave an error
above an accuracy below 1e-4. Pivots of R below 1e-12 count as zero.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, log, log1p, log2, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.special import ndtr, ndtri, owens_t

from f1ci import _validation
from f1ci.results import Array, FloatOrArray

Tail = Callable[[float], tuple[Array, Array]]

_MOST_VARIABLES = 200  # the random numbers of one step take 30 MB
_ZERO_PIVOT = 1e-12
_STANDARD_ERRORS = 3.5
_FIRST_POINTS = 128  # for each variable
_MOST_POINTS = 2**24
_SHORT_STEP = 0.1
_BLOCK = 2**14  # points at a time, over all variables: arrays stay in cache

_pairs = lru_cache(np.triu_indices)


def equicoordinate_quantile(
    correlation: ArrayLike, confidence_level: float = 0.95, *, accuracy: float = 1e-3
) -> FloatOrArray:
    r"""Return the q with P(max \|Z_k\| < q) = `confidence_level` for a normal Z (Yuan and Jiang).

    Parameters
    ----------
    correlation : array_like, shape (..., k, k)
        One or more correlation matrices of at most 200 variables; singular ones are legal.
    confidence_level : float
        The probability, strictly between 0 and 1; at least 1/2 for three or more variables.
    accuracy : float
        Largest absolute error aimed at, 3.5 estimated standard errors. A tenth of the
        error costs a hundred times the work. One and two variables are always exact.

    Returns
    -------
    float or ndarray, shape (...)
        The quantile of each matrix; the same number in every run and in every batch.

    Examples
    --------
    >>> import numpy as np
    >>> import f1ci
    >>> round(f1ci.equicoordinate_quantile([[1.0]]), 6)  # one variable: the normal quantile
    1.959964
    >>> round(f1ci.equicoordinate_quantile([[1.0, 0.9], [0.9, 1.0]]), 6)
    2.108143
    >>> f1ci.equicoordinate_quantile(np.eye(3)[None], 0.9).round(2)
    array([2.11])
    """
    matrices = _validation.correlation(correlation)
    level = _validation.confidence_level(confidence_level)
    accuracy = _validation.positive("accuracy", accuracy)
    k = matrices.shape[-1]
    quantiles = [quantile_of(matrix, level, accuracy) for matrix in matrices.reshape(-1, k, k)]
    return quantiles[0] if matrices.ndim == 2 else np.reshape(quantiles, matrices.shape[:-2])


def _sidak_quantile(level: float, k: int) -> float:
    """Return the quantile of independent variables: an upper bound for every R."""
    return float(-ndtri(-np.expm1(np.log(level) / k) / 2))


def quantile_of(matrix: Array, level: float, accuracy: float) -> float:
    """Return the quantile of one correlation matrix."""
    k = len(matrix)
    if k > _MOST_VARIABLES:
        raise ValueError(f"correlation must have at most {_MOST_VARIABLES} variables, got {k}")
    if k > 2 and level < 0.5:
        rule = "must be at least 0.5 for three or more variables"
        raise ValueError(f"confidence_level {rule}, got {level!r}")
    factor = _factor(matrix)
    if factor.shape[1] == 2:
        return _planar_quantile(factor, level)
    if factor.shape[1] == 3:
        return _spatial_quantile(factor, level, accuracy)
    return _sampled_quantile(matrix, factor, level, accuracy)


def _factor(matrix: Array) -> Array:
    """Return A with A A' = matrix, of as many columns as the rank, and of two at least."""
    lower, order, rank, _ = linalg.lapack.dpstrf(matrix, tol=_ZERO_PIVOT, lower=1)
    factor = np.zeros((len(matrix), max(rank, 2)))
    factor[order - 1, :rank] = np.tril(lower)[:, :rank]
    return factor


def _planar_quantile(factor: Array, level: float) -> float:
    """Return the exact quantile for a factor of shape (k, 2).

    A half-line at angle t to the nearest variable's axis leaves the polygon |Z_k| < q at
    radius q / cos t; integrating exp(-radius^2 / 2) over half an arc is Owen's T.
    """
    angles = np.sort(np.arctan2(factor[:, 1], factor[:, 0]) % pi)
    slopes = np.tan(np.diff(angles, append=angles[0] + pi) / 2)

    def tail(q: float) -> tuple[Array, Array]:
        density = (ndtr(slopes * q) - 0.5) * 4 * exp(-q * q / 2) / sqrt(2 * pi)
        return 4 * owens_t(q, slopes), density

    return _solved(tail, _sidak_quantile(level, len(factor)), level)


def _spatial_quantile(factor: Array, level: float, accuracy: float) -> float:
    """Return the quantile for a factor of shape (k, 3).

    The error falls like one over the number of directions. It was at most 3.2 / number in 120
    random matrices, some nearly of rank one, at levels from .5 to 1 - 1e-12.
    """
    size = int(min(max(4 / accuracy, 1000), 2**20))
    reach = np.abs(factor @ _spiral(size)).max(axis=0)

    def tail(q: float) -> tuple[Array, Array]:
        radius = q / reach
        density = sqrt(2 / pi) * radius * np.exp(-radius * radius / 2)
        outside = 2 * ndtr(-radius) + density
        return outside / size, density * radius / reach / size

    return _solved(tail, _sidak_quantile(level, len(factor)), level)


@lru_cache(maxsize=4)
def _spiral(size: int) -> Array:
    """Return directions that are spread evenly over half the sphere, shape (3, size)."""
    turn = 2 * pi * np.arange(size) * (sqrt(5) - 1) / 2
    height = (np.arange(size) + 0.5) / size
    level_circle = np.sqrt(1 - height**2)
    return np.stack([level_circle * np.cos(turn), level_circle * np.sin(turn), height])


def _solved(tail: Tail, q: float, level: float) -> float:
    """Return where the sum of tail probabilities is 1 - level; `tail` gives them and densities."""
    for _ in range(100):
        outside, density = (float(part.sum()) for part in tail(q))
        # Newton on the logarithm, a concave function of q: from above it cannot overshoot.
        step = outside / density * (log(outside) - log1p(-level))
        q += step
        if abs(step) < 1e-13:
            break
    return q


def _sampled_quantile(matrix: Array, factor: Array, level: float, accuracy: float) -> float:
    """Return the quantile of a matrix of rank 4 or more.

    1. From the quantile of independent variables, make fixed-point steps with few points. Another
       step from a little below measures the slope of the map whose fixed point is wanted: the
       plain step is too short by that share. Repeat this until the step is short.
    2. Step again, with as many points as are needed, until the error is small.
    """
    k = len(matrix)
    q, moved, slope = _sidak_quantile(level, k), np.inf, 0.0
    while abs(moved) > _SHORT_STEP:
        step, _ = _step(matrix, factor, q, level, _FIRST_POINTS)
        step_below, _ = _step(matrix, factor, q - _SHORT_STEP, level, _FIRST_POINTS)
        slope = min(max(1 + (step - step_below) / _SHORT_STEP, 0.0), 0.9)
        moved = step / (1 - slope)
        q += moved
    points, most = _FIRST_POINTS, max(_FIRST_POINTS, _MOST_POINTS // k)
    while True:
        step, noise = _step(matrix, factor, q, level, points)
        moved, error = step / (1 - slope), noise / (1 - slope)
        q += moved
        if abs(moved) <= accuracy and (error <= accuracy or points == most):
            return q
        growth = ceil(log2(max((error / accuracy) ** 2, 1.0)))
        points = min(points << growth, most)


def _step(matrix: Array, factor: Array, q: float, level: float, points: int) -> tuple[float, float]:
    """Return the fixed-point step from q, and `_STANDARD_ERRORS` standard errors of it."""
    k = len(matrix)
    counts = _histogram(matrix, factor, q, points)
    drawn = counts.sum()
    share = counts / drawn
    n = np.arange(1, k + 1)
    mass = 2 * k * ndtr(-q)
    # The probability that a pair exceeds: the two tails less what the arcs of the circle give.
    rho = np.abs(matrix[_pairs(k, 1)])
    with np.errstate(divide="ignore"):
        slope = np.sqrt((1 - rho) / (1 + rho))
        pairs = 4 * (ndtr(-q) - owens_t(q, slope) - owens_t(q, 1 / slope)).sum() / mass
    # 1. Means and covariances of 1 / N and of the control variate (N - 1) / 2.
    mean, control = share @ (1 / n), share @ ((n - 1) / 2)
    covariance = share @ ((n - 1) / (2 * n)) - mean * control
    coefficient = covariance / (share @ ((n - 1) / 2) ** 2 - control**2 + 1e-30)
    variance = share @ (1 / n**2) - mean**2 - coefficient * covariance
    # 2. The mean of 1 / N, corrected by what is known of the control variate.
    mean = min(max(mean - coefficient * (control - pairs), 1 / k), 1.0)
    error = sqrt(max(variance, 0.0) / drawn)
    # 3. The q with mass times mean = 1 - level, and what the error of the mean does to it.
    new = -ndtri((1 - level) / (2 * k * mean))
    hazard = exp(-q * q / 2) / (sqrt(2 * pi) * ndtr(-q))
    return float(new - q), float(_STANDARD_ERRORS * error / (mean * hazard))


def _histogram(matrix: Array, factor: Array, q: float, points: int) -> Array:
    """Count at how many points 1, 2, ..., k variables exceed q.

    Each variable is chosen at `points` points or, by full blocks, at a few more.
    """
    k, rank = factor.shape
    counts, chosen = np.zeros(k + 1), np.arange(k)
    block, width = min(points, _BLOCK // k), max(1, _BLOCK // k**2)
    for start in range(0, points, block):
        every, uniforms = _random_numbers(k, rank, block, start)
        for first in range(0, block, width):
            some = slice(first, first + width)
            # In row i variable i exceeds q; the others move along by their covariance with it.
            z = factor @ every[..., some]
            own = -ndtri(uniforms[:, some] * ndtr(-q))
            z += matrix[:, :, None] * (own - z[chosen, chosen])[:, None]
            beyond = np.abs(z, out=z) >= q
            beyond[chosen, chosen] = True
            exceeding = beyond.sum(axis=1, dtype=np.uint8)
            counts += np.bincount(exceeding.ravel(), minlength=k + 1)
    return counts[1:]


@lru_cache(maxsize=32)
def _random_numbers(k: int, rank: int, size: int, start: int) -> tuple[Array, Array]:
    """Return normals (k, rank, size) and stratified uniforms (k, size), always the same ones."""
    rng = np.random.default_rng([k, rank, size, start])
    return rng.standard_normal((k, rank, size)), (np.arange(size) + rng.random((k, size))) / size
