r"""The equicoordinate quantile of a normal vector, which joint intervals need.

Source: Yuan and Jiang (2025), Proposition 1: q solves P(max |Z_k| < q) = level for
Z ~ N(0, R). Their Remark 1 leaves the computation open. Two engines compute it:

- **In the plane** (R of rank 1 or 2, so always for one or two variables): exactly. The directions
  of the variables cut the circle into arcs, and each arc contributes an Owen's T function.
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

from functools import lru_cache
from math import ceil, exp, log, log1p, log2, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from scipy.special import ndtr, ndtri, owens_t

from f1ci.data import checks
from f1ci.types import Array, FloatOrArray

_MOST_VARIABLES = 200  # the random numbers of one step take 30 MB
_ZERO_PIVOT = 1e-12
_STANDARD_ERRORS = 3.5
_FIRST_POINTS = 128  # for each variable
_MOST_POINTS = 2**24
_SHORT_STEP = 0.1
_BLOCK = 2**14  # points at a time, over all variables: arrays stay in cache


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
    matrices = checks.correlation(correlation)
    level = checks.confidence_level(confidence_level)
    accuracy = checks.positive("accuracy", accuracy)
    k = matrices.shape[-1]
    quantiles = [quantile_of(matrix, level, accuracy) for matrix in matrices.reshape(-1, k, k)]
    if matrices.ndim == 2:
        return quantiles[0]
    return np.reshape(quantiles, matrices.shape[:-2])


def _sidak_quantile(level: float, k: int) -> float:
    """Return the quantile of independent variables: an upper bound for every R."""
    outside = -np.expm1(np.log(level) / k)  # of each variable
    return float(-ndtri(outside / 2))


def _normal_density(q: float) -> float:
    return exp(-q * q / 2) / sqrt(2 * pi)


def quantile_of(matrix: Array, level: float, accuracy: float) -> float:
    """Return the quantile of one checked correlation matrix, by the engine that its rank needs."""
    k = len(matrix)
    if k > _MOST_VARIABLES:
        raise ValueError(f"correlation must have at most {_MOST_VARIABLES} variables, got {k}")
    if k > 2 and level < 0.5:
        rule = "must be at least 0.5 for three or more variables"
        raise ValueError(f"confidence_level {rule}, got {level!r}")
    # Whatever the caller does about underflow: a tail of 1e-320 is as good as 0 here.
    with np.errstate(under="ignore", divide="ignore"):
        factor = _factor(matrix)
        if factor.shape[1] == 2:
            return _planar_quantile(factor, level)
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
    radius q / cos t. Integrating exp(-radius^2 / 2) over half an arc is Owen's T.
    """
    # 1. The axes of the variables cut the half circle into arcs.
    angles = np.sort(np.arctan2(factor[:, 1], factor[:, 0]) % pi)
    arcs = np.diff(angles, append=angles[0] + pi)
    slopes = np.tan(arcs / 2)
    # 2. Newton's method on the logarithm of the probability outside, a concave function of q.
    #    It starts above the quantile, and from there it cannot overshoot.
    q = _sidak_quantile(level, len(factor))
    for _ in range(100):
        outside = 4 * owens_t(q, slopes).sum()
        inside_arcs = ndtr(slopes * q) - 0.5
        density = 4 * inside_arcs.sum() * _normal_density(q)
        step = outside / density * (log(outside) - log1p(-level))
        q += float(step)
        if abs(step) < 1e-13:
            break
    return q


def _sampled_quantile(matrix: Array, factor: Array, level: float, accuracy: float) -> float:
    """Return the quantile of a matrix of rank 3 or more, by importance sampling."""
    # 1. Come near with few points.
    q, slope = _coarse_quantile(matrix, factor, level)
    # 2. Step again, with as many points as are needed, until the error is small.
    points = _FIRST_POINTS
    most = max(_FIRST_POINTS, _MOST_POINTS // len(matrix))
    while True:
        step, noise = _step(matrix, factor, q, level, points)
        full_step = step / (1 - slope)
        error = noise / (1 - slope)
        q += full_step
        if abs(full_step) <= accuracy and (error <= accuracy or points == most):
            return q
        doublings = ceil(log2(max((error / accuracy) ** 2, 1.0)))
        points = min(points << doublings, most)


def _coarse_quantile(matrix: Array, factor: Array, level: float) -> tuple[float, float]:
    """Return a first quantile, and the slope of the map whose fixed point is wanted.

    A second step, from a little below, measures that slope. The plain step is too short by the
    factor 1 - slope.
    """
    q = _sidak_quantile(level, len(matrix))
    while True:
        step, _ = _step(matrix, factor, q, level, _FIRST_POINTS)
        step_below, _ = _step(matrix, factor, q - _SHORT_STEP, level, _FIRST_POINTS)
        slope = min(max(1 + (step - step_below) / _SHORT_STEP, 0.0), 0.9)
        full_step = step / (1 - slope)
        q += full_step
        if abs(full_step) <= _SHORT_STEP:
            return q, slope


def _step(matrix: Array, factor: Array, q: float, level: float, points: int) -> tuple[float, float]:
    """Return the fixed-point step from q, and `_STANDARD_ERRORS` standard errors of it."""
    # 1. The mean of 1 / N from a sample.
    k = len(matrix)
    counts = _numbers_exceeding(matrix, factor, q, points)
    mean, error = _mean_of_inverse(counts, _expected_pairs(matrix, q))
    mean = min(max(mean, 1 / k), 1.0)
    # 2. The q at which the sum of the k tails, times this mean, is 1 - level.
    tail = (1 - level) / (k * mean)
    new = -ndtri(tail / 2)
    # 3. An error of the mean moves q by this error over the mean and over the hazard rate.
    hazard = _normal_density(q) / ndtr(-q)
    noise = _STANDARD_ERRORS * error / (mean * hazard)
    return float(new - q), float(noise)


def _expected_pairs(matrix: Array, q: float) -> float:
    """Return the exact mean of (N - 1) / 2: the pairs that exceed q, over the tails that do.

    Both variables of a pair exceed q with the probability of the two tails, less what the arcs
    between their axes give.
    """
    k = len(matrix)
    rho = np.abs(matrix[_pairs(k)])
    slope = np.sqrt((1 - rho) / (1 + rho))
    arcs = owens_t(q, slope) + owens_t(q, 1 / slope)
    both = 4 * (ndtr(-q) - arcs)
    return float(both.sum() / (2 * k * ndtr(-q)))


@lru_cache(maxsize=32)
def _pairs(k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return both places of each pair of k variables."""
    return np.triu_indices(k, 1)


def _mean_of_inverse(counts: Array, expected_control: float) -> tuple[float, float]:
    """Return the mean of 1 / N and its standard error; (N - 1) / 2 is the control variate."""
    points = counts.sum()
    share = counts / points
    n = np.arange(1, len(counts) + 1)
    inverse = 1 / n
    control = (n - 1) / 2
    # 1. Means, variances and the covariance over the points.
    mean = share @ inverse
    mean_control = share @ control
    variance = share @ inverse**2 - mean**2
    variance_control = share @ control**2 - mean_control**2
    covariance = share @ (inverse * control) - mean * mean_control
    # 2. The regression on the control variate corrects the mean and takes its part of the variance.
    coefficient = covariance / (variance_control + 1e-30)
    corrected = mean - coefficient * (mean_control - expected_control)
    left = max(variance - coefficient * covariance, 0.0)
    return float(corrected), sqrt(left / points)


def _numbers_exceeding(matrix: Array, factor: Array, q: float, points: int) -> Array:
    """Count at how many points 1, 2, ..., k variables exceed q.

    Each variable is chosen at `points` points or, by full blocks, at a few more.
    """
    k = len(matrix)
    block = min(points, _BLOCK // k)
    width = max(1, _BLOCK // k**2)
    counts = np.zeros(k + 1)
    for start in range(0, points, block):
        normals, uniforms = _random_numbers(factor.shape, block, start)
        for first in range(0, block, width):
            part = slice(first, first + width)
            beyond = _beyond(matrix, factor, q, normals[..., part], uniforms[:, part])
            exceeding = beyond.sum(axis=1, dtype=np.uint8).ravel()
            counts += np.bincount(exceeding.astype(np.intp), minlength=k + 1)
    return counts[1:]


def _beyond(
    matrix: Array, factor: Array, q: float, normals: Array, uniforms: Array
) -> NDArray[np.bool_]:
    """Tell which variables exceed q, shape (k chosen, k, points).

    In row i variable i is the chosen one: it is drawn given that it exceeds q. The others follow
    by their covariance with it.
    """
    chosen = np.arange(len(matrix))
    z = factor @ normals
    tails = -ndtri(uniforms * ndtr(-q))
    shift = tails - z[chosen, chosen]
    z += matrix[:, :, None] * shift[:, None]
    beyond: NDArray[np.bool_] = np.abs(z, out=z) >= q
    beyond[chosen, chosen] = True
    return beyond


@lru_cache(maxsize=32)
def _random_numbers(shape: tuple[int, int], size: int, start: int) -> tuple[Array, Array]:
    """Return normals (*shape, size) and stratified uniforms (k, size), always the same ones."""
    rng = np.random.default_rng([*shape, size, start])
    normals = rng.standard_normal((*shape, size))
    uniforms = (np.arange(size) + rng.random((shape[0], size))) / size
    return normals, uniforms
