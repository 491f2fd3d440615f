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
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, owens_t

from f1ci import _validation
from f1ci.methods.score import normal_quantile as normal_quantile
from f1ci.results import FloatOrArray

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
Tail = Callable[[Floats], tuple[Floats, Floats]]

_MOST_VARIABLES = 200  # the factors of one matrix take 64 MB
_ZERO_PIVOT = 1e-12
_STANDARD_ERRORS = 3.5
_FIRST_POINTS = 128  # for each variable
_MOST_POINTS = 2**24
_SHORT_STEP = 0.1
_WORKING_SET = 2**14  # numbers in an array: it stays in cache, and BLAS starts no threads


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
    quantiles = quantiles_of(matrices.reshape(-1, k, k), level, accuracy)
    return float(quantiles[0]) if matrices.ndim == 2 else quantiles.reshape(matrices.shape[:-2])


def _sidak_quantile(level: float, k: int) -> float:
    """Return the quantile of independent variables: an upper bound for every R."""
    return float(-ndtri(-np.expm1(np.log(level) / k) / 2))


def quantiles_of(matrices: Floats, level: float, accuracy: float) -> Floats:
    """Return the quantile of each of (n, k, k) correlation matrices."""
    n, k, _ = matrices.shape
    if k > _MOST_VARIABLES:
        raise ValueError(f"correlation must have at most {_MOST_VARIABLES} variables, got {k}")
    if k > 2 and level < 0.5:
        raise ValueError(
            f"confidence_level must be at least 0.5 for three or more variables, got {level!r}"
        )
    quantiles = np.empty(n)
    # So many matrices at a time that their factors take some 30 MB.
    for chunk in _chunks(np.arange(n), 2**22 // k**2):
        factors, ranks = _pivoted_cholesky(matrices[chunk])
        for rank in np.unique(ranks):
            some, factor = chunk[ranks == rank], factors[ranks == rank]
            if rank <= 2:
                quantiles[some] = _planar_quantiles(factor, level)
            elif rank == 3:
                quantiles[some] = _spatial_quantiles(factor[:, :, :3], level, accuracy)
            else:
                factor = factor[:, :, :rank]
                quantiles[some] = _sampled_quantiles(matrices[some], factor, level, accuracy)
    return quantiles


def _chunks(index: Index, size: int) -> list[Index]:
    size = max(1, size)
    return [index[first : first + size] for first in range(0, len(index), size)]


def _pivoted_cholesky(matrices: Floats) -> tuple[Floats, Index]:
    """Return factors A with A A' = matrix, zero beyond the rank; and the ranks."""
    n, k, _ = matrices.shape
    every = np.arange(n)
    factors = np.zeros((n, k, k))
    ranks = np.zeros(n, dtype=np.intp)
    left = np.einsum("nii->ni", matrices).copy()
    for j in range(k):
        pivot = left.argmax(axis=1)
        variance = left[every, pivot]
        live = variance > _ZERO_PIVOT
        known = np.einsum("nij,nj->ni", factors[:, :, :j], factors[every, pivot, :j])
        column = matrices[every, :, pivot] - known
        column *= np.where(live, 1 / np.sqrt(np.where(live, variance, 1.0)), 0.0)[:, None]
        factors[:, :, j] = column
        left -= column**2
        left[every, pivot] = 0.0
        ranks += live
    return factors, ranks


def _planar_quantiles(factors: Floats, level: float) -> Floats:
    """Return exact quantiles for factors (n, k, k) of which at most two columns are not zero.

    A half-line at angle t to the nearest variable's axis leaves the polygon |Z_k| < q at
    radius q / cos t; integrating exp(-radius^2 / 2) over half an arc is Owen's T.
    """
    n, k, _ = factors.shape
    if k == 1:
        return np.full(n, normal_quantile(level))
    angles = np.sort(np.arctan2(factors[:, :, 1], factors[:, :, 0]) % pi, axis=1)
    slopes = np.tan(np.diff(angles, axis=1, append=angles[:, :1] + pi) / 2)

    def tail(q: Floats) -> tuple[Floats, Floats]:
        density = (ndtr(slopes * q) - 0.5) * 4 * np.exp(-q * q / 2) / sqrt(2 * pi)
        return 4 * owens_t(q, slopes), density

    return _solved(tail, np.full((n, 1), _sidak_quantile(level, k)), level)


def _spatial_quantiles(factors: Floats, level: float, accuracy: float) -> Floats:
    """Return quantiles for factors (n, k, 3), from a spiral of directions on half the sphere.

    The error falls like one over the number of directions. It was at most 3.2 / number in 120
    random matrices, some nearly of rank one, at levels from .5 to 1 - 1e-12.
    """
    n, k, _ = factors.shape
    size = int(min(max(4 / accuracy, 1000), 2**20))
    turn = 2 * pi * np.arange(size) * (sqrt(5) - 1) / 2
    height = (np.arange(size) + 0.5) / size
    level_circle = np.sqrt(1 - height**2)
    spiral = np.stack([level_circle * np.cos(turn), level_circle * np.sin(turn), height])
    quantiles = np.empty(n)
    for some in _chunks(np.arange(n), 2**20 // (k * size)):
        reach = np.abs(factors[some] @ spiral).max(axis=1)

        def tail(q: Floats, reach: Floats = reach) -> tuple[Floats, Floats]:
            radius = q / reach
            density = sqrt(2 / pi) * radius * np.exp(-radius * radius / 2)
            outside = 2 * ndtr(-radius) + density
            return outside / size, density * radius / reach / size

        start = np.full((len(some), 1), _sidak_quantile(level, k))
        quantiles[some] = _solved(tail, start, level)
    return quantiles


def _solved(tail: Tail, q: Floats, level: float) -> Floats:
    """Return where the sum of tail probabilities is 1 - level; `tail` gives them and densities."""
    for _ in range(100):
        outside, density = (part.sum(axis=1, keepdims=True) for part in tail(q))
        # Newton on the logarithm, a concave function of q: from above it cannot overshoot.
        step = outside / density * (np.log(outside) - np.log1p(-level))
        q = q + step
        if np.abs(step).max() < 1e-13:
            break
    return q[:, 0]


def _sampled_quantiles(matrices: Floats, factors: Floats, level: float, accuracy: float) -> Floats:
    """Return quantiles of (n, k, k) matrices with factors (n, k, rank), of rank 4 or more.

    1. From the quantile of independent variables, make fixed-point steps with few points. Another
       step from a little below measures the slope of the map whose fixed point is wanted: the
       plain step is too short by that share. Repeat this until the step is short.
    2. Step again, with as many points as are needed, until the error is small.
    """
    n, k, _ = matrices.shape
    q, slope = np.full(n, _sidak_quantile(level, k)), np.zeros(n)
    error, points = np.zeros(n), np.full(n, _FIRST_POINTS)
    most = max(_FIRST_POINTS, _MOST_POINTS // k)
    for some in _chunks(np.arange(n), _WORKING_SET // (k * _FIRST_POINTS)):
        while len(some):
            step, step_below = (
                _step(matrices[some], factors[some], at, level, _FIRST_POINTS)[0]
                for at in (q[some], q[some] - _SHORT_STEP)
            )
            slope[some] = np.clip(1 + (step - step_below) / _SHORT_STEP, 0.0, 0.9)
            moved = step / (1 - slope[some])
            q[some] += moved
            some = some[np.abs(moved) > _SHORT_STEP]
    active = np.arange(n)
    while len(active):
        moved = np.zeros(n)
        for size in np.unique(points[active]).tolist():
            of_size = active[points[active] == size]
            for some in _chunks(of_size, _WORKING_SET // (k * size)):
                step, noise = _step(matrices[some], factors[some], q[some], level, size)
                moved[some] = step / (1 - slope[some])
                error[some] = noise / (1 - slope[some])
        q += moved
        growth = np.ceil(np.log2(np.maximum((error / accuracy) ** 2, 1.0))).astype(np.intp)
        growth = np.where(points < most, growth, 0)
        active = active[((growth > 0) | (np.abs(moved) > accuracy))[active]]
        points = np.minimum(points << growth, most)
    return q


def _step(
    matrices: Floats, factors: Floats, q: Floats, level: float, points: int
) -> tuple[Floats, Floats]:
    """Return the fixed-point step from q, and `_STANDARD_ERRORS` standard errors of it."""
    k = matrices.shape[1]
    counts = _histogram(matrices, factors, q, points)
    drawn = counts.sum(axis=1)
    share = counts / drawn[:, None]
    n = np.arange(1, k + 1)
    mass = 2 * k * ndtr(-q)
    i, j = np.triu_indices(k, 1)
    pairs = _pair_probability(matrices[:, i, j], q[:, None]).sum(axis=1) / mass
    # 1. Means and covariances of 1 / N and of the control variate (N - 1) / 2.
    mean, control = share @ (1 / n), share @ ((n - 1) / 2)
    covariance = share @ ((n - 1) / (2 * n)) - mean * control
    coefficient = covariance / (share @ ((n - 1) / 2) ** 2 - control**2 + 1e-30)
    variance = share @ (1 / n**2) - mean**2 - coefficient * covariance
    # 2. The mean of 1 / N, corrected by what is known of the control variate.
    mean = np.clip(mean - coefficient * (control - pairs), 1 / k, 1.0)
    error = np.sqrt(np.maximum(variance, 0.0) / drawn)
    # 3. The q with mass times mean = 1 - level, and what the error of the mean does to it.
    new = -ndtri((1 - level) / (2 * k * mean))
    hazard = np.exp(-q * q / 2) / (sqrt(2 * pi) * ndtr(-q))
    return new - q, _STANDARD_ERRORS * error / (mean * hazard)


def _pair_probability(rho: Floats, q: Floats) -> Floats:
    """Return P(|X| >= q, |Y| >= q): the two tails less what the arcs of the circle give."""
    slope = np.sqrt((1 - np.abs(rho)) / (1 + np.abs(rho)))
    with np.errstate(divide="ignore"):
        return np.asarray(4 * (ndtr(-q) - owens_t(q, slope) - owens_t(q, 1 / slope)))


def _histogram(matrices: Floats, factors: Floats, q: Floats, points: int) -> Floats:
    """Count at how many points 1, 2, ..., k variables exceed q, shape (n, k).

    Each variable is chosen at `points` points or, by full blocks, at a few more.
    """
    n, k, rank = factors.shape
    counts = np.zeros(n * (k + 1), dtype=np.intp)
    rows = (np.arange(n) * (k + 1))[:, None]
    block = min(points, _WORKING_SET // k)
    for start in range(0, points, block):
        normals, uniforms = _random_numbers(k, rank, block, start)
        for i in range(k):
            # Variable i exceeds q; the others move along by their covariance with it.
            z = (factors.reshape(n * k, rank) @ normals[i]).reshape(n, k, block)
            own = -ndtri(uniforms[i] * ndtr(-q)[:, None])
            z += matrices[:, i, :, None] * (own - z[:, i])[:, None]
            beyond = np.abs(z, out=z) >= q[:, None, None]
            beyond[:, i] = True
            exceeding = beyond.view(np.uint8).sum(axis=1, dtype=np.uint8)
            counts += np.bincount((exceeding + rows).ravel(), minlength=len(counts))
    return np.asarray(counts.reshape(n, k + 1)[:, 1:], dtype=np.float64)


@lru_cache(maxsize=32)
def _random_numbers(k: int, rank: int, size: int, start: int) -> tuple[Floats, Floats]:
    """Return normals (k, rank, size) and stratified uniforms (k, size), always the same ones."""
    rng = np.random.default_rng([k, rank, size, start])
    return rng.standard_normal((k, rank, size)), (np.arange(size) + rng.random((k, size))) / size
