r"""The equicoordinate quantile of a normal vector, which joint intervals need.

Source: Yuan and Jiang (2025), Proposition 1: q solves P(max |Z_k| < q) = level for
Z ~ N(0, R). Their Remark 1 leaves the computation open.

What is computed, for a correlation matrix R of k variables and rank d:

- Rank 1 or 2 (hence k = 1 and k = 2): exactly. The directions of the variables cut the
  circle into arcs, and each arc contributes an Owen's T function.
- One factor, R_ij = l_i l_j for i != j (equal and zero correlations among them), and chains,
  R_ik = R_ij R_jk for j between i and k in some order (autoregression): by exact
  one-dimensional integrals, over the factor or from neighbour to neighbour, as long as all
  loadings, or all correlations of neighbours, are below .99.
- Otherwise the exceedance E(q) = P(max |Z_k| >= q) is integrated over directions u in d
  dimensions. The radius is integrated exactly: along u, variable k exceeds q with the
  chi probability S_k(u) = P(chi_d >= q / |a_k'u|), and E = mean of max S. A direction has
  no trouble with singular or nearly singular matrices, which is what metrics of one
  classifier give and where integration variable by variable (Genz) loses its rate.
- Up to rank 5 with rather more variables than that, directions are spread evenly over the
  sphere, and only the nearest variable counts in each. All metrics of m classifiers have
  rank 2m + 1 at most, so that further metrics of two classifiers cost next to nothing. So it is
  done in any dimension at levels below one half, where nearly every direction counts. Otherwise
  even points gain too little in more dimensions:
- Directions are drawn from the mixture of the k laws "given |Z_k| >= q", so that the
  integrand becomes max S / sum S, between 1/k and 1, whatever the level.
- The sums of S over pairs and over triples of variables (of the smallest in each) have
  exact means: Owen's T for pairs, Plackett's identity and ten Gauss nodes for triples.
  Used as control variates with coefficients near inclusion-exclusion's -1 and +1, they
  leave only what four variables do at once, a few per cent at most.
- Points are Sobol's, with fixed digital shifts: the answer is deterministic, and the
  answer for one matrix does not depend on the others in its batch.
- Points are added until 3.5 standard errors, from 16 stretches of the sequence, are
  within the accuracy asked for (over the sphere, stretches of even points make up for one
  another: their mean is taken to be better than each by 16^0.9, as measured).
  Inclusion-exclusion's own bounds hold throughout.

What else was measured: integration variable by variable (Genz; lattice points, variables
reordered) errs by 1e-3 to 1e-2 with 8000 points on matrices of low rank and on those of
real classifiers, where directions err by 2e-5 to 1e-4; without the triples the error is
three to five times as large; trees of pairs, principal components and more than one
threshold as further control variates gain less than they cost.

Observed error at the default accuracy, level .95, against runs at 2e-5: over 116 matrices 6 x 6
to 12 x 12 of twelve families (random, low rank, real classifiers, metrics of simulated ones)
root mean square 2.3e-5, largest 8e-5; with accuracy=1e-3 1.1e-4 and 4e-4. Structured matrices
have errors of 1e-9 or less. Ten thousand matrices 12 x 12 take 8 to 17 s of one core if they are
random and of full rank, 10 s with one factor or a chain, but 50 s for three blurred metrics
each of four classifiers.

When it fails: not by singularity. It is slow where many variables exceed together, that is
for many strongly correlated variables and for levels near one half; the limit of
2**18 directions per variable may then stop it at an error above the one asked for. Pivots
of R below 1e-12 count as zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache, partial
from math import factorial, gamma, lgamma, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfc, erfinv, gammainc, gammaincc, ndtr, ndtri, owens_t

from f1ci import _validation
from f1ci.results import FloatOrArray

Floats = NDArray[np.float64]

_ZERO_PIVOT = 1e-12
_STANDARD_ERRORS = 3.5
_PARTS = 4  # stretches of a block that are averaged separately
_MOST_POINTS = 2**18  # directions per variable
_WORKING_SET = 2**17  # numbers in an array that stays in cache
_FEW_DIMENSIONS = 5
_MOST_DIRECTIONS = 2**20
_STRETCHES = 16
_STRUCTURED = 1e-6  # levels nearer to 0 or 1 ask for more than the integrals' digits
_SAME = 1e-9  # rounding in a correlation
_NEARLY_ONE = 0.99  # from here on the integrands are too sharp for their nodes
_ELEMENTARY = 32  # largest dimension whose chi law is summed term by term
_FEW_TRIPLES = 30

# Gauss-Legendre nodes on (0, 1), gathered towards 1, where a singular triple is rough.
_LEGENDRE = np.polynomial.legendre.leggauss(10)
_NODES = (1 - ((1 - _LEGENDRE[0]) / 2) ** 2)[:, None, None]
_WEIGHTS = _LEGENDRE[1] * (1 - _LEGENDRE[0]) / 2


def equicoordinate_quantile(
    correlation: ArrayLike, confidence_level: float = 0.95, *, accuracy: float = 1e-4
) -> FloatOrArray:
    r"""The q with P(max \|Z_k\| < q) = `confidence_level` for a normal Z (Yuan and Jiang, Prop. 1).

    Parameters
    ----------
    correlation : array_like, shape (..., k, k)
        One or more correlation matrices; singular ones are legal.
    confidence_level : float
        The probability, strictly between 0 and 1.
    accuracy : float
        Largest absolute error aimed at, 3.5 estimated standard errors. A tenth of the
        error costs up to a hundred times the work: a simulation that averages over many
        matrices can ask for 5e-4 or 1e-3.

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
    >>> f1ci.equicoordinate_quantile(np.eye(3)[None], 0.9).round(3)
    array([2.114])
    """
    matrices = _validation.correlation(correlation)
    level = _validation.confidence_level(confidence_level)
    accuracy = _validation.positive("accuracy", accuracy)
    k = matrices.shape[-1]
    quantiles = quantiles_of(matrices.reshape(-1, k, k), level, accuracy)
    if matrices.ndim == 2:
        return float(quantiles[0])
    return quantiles.reshape(matrices.shape[:-2])


def quantiles_of(matrices: Floats, level: float, accuracy: float) -> Floats:
    """The quantile of each of (n, k, k) correlation matrices."""
    n, k, _ = matrices.shape
    quantiles = np.full(n, np.nan)
    if k > 2 and _STRUCTURED <= level <= 1 - _STRUCTURED:
        _structured_quantiles(matrices, level, quantiles)
    # So many at a time that the largest arrays, k factors of each matrix, take some 30 MB.
    for chunk in _chunks(np.flatnonzero(np.isnan(quantiles)), 2**22 // k**3):
        factors, ranks = _pivoted_cholesky(matrices[chunk], k)
        for rank in np.unique(ranks):
            chosen = ranks == rank
            some = chunk[chosen]
            quantiles[some] = (
                _planar_quantiles(factors[chosen], level)
                if rank <= 2
                else _spatial_quantiles(matrices[some], factors[chosen, :, :rank], level, accuracy)
            )
    return quantiles


def _chunks(index: NDArray[np.intp], size: int) -> list[NDArray[np.intp]]:
    size = max(1, size)
    return [index[first : first + size] for first in range(0, len(index), size)]


def _pivoted_cholesky(matrices: Floats, columns: int) -> tuple[Floats, NDArray[np.intp]]:
    """Factors A with A A' = matrix, `columns` wide and zero beyond the rank; and the ranks."""
    n, k, _ = matrices.shape
    every = np.arange(n)
    factors = np.zeros((n, k, columns))
    ranks = np.zeros(n, dtype=np.intp)
    left = np.einsum("nii->ni", matrices).copy()
    for j in range(columns):
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


def normal_quantile(level: float) -> float:
    """The two-sided one, also for levels next to 0 and 1: a lower bound for every R."""
    return float(-ndtri((1 - level) / 2) if level > 0.1 else sqrt(2) * erfinv(level))


def _sidak_quantile(level: float, k: int) -> float:
    """The quantile of independent variables: an upper bound for every R."""
    return float(-ndtri(-np.expm1(np.log(level) / k) / 2))


# One factor, and chains: one-dimensional integrals.


def _structured_quantiles(matrices: Floats, level: float, out: Floats) -> None:
    """Writes exact quantiles where the matrices have a structure that allows it."""
    from scipy.optimize import brentq  # slow to import

    k = matrices.shape[1]
    low, high = normal_quantile(level), _sidak_quantile(level, k)
    loadings, one_factor = _loadings(matrices)
    steps, chain = _chain(matrices)
    for i in np.flatnonzero(one_factor | chain):
        missing = (
            partial(_beyond_given_factor, loadings[i])
            if one_factor[i]
            else partial(_beyond_along_chain, steps[i])
        )
        excess = partial(_excess, missing, 1 - level)
        # The bounds are sharp, for equal and for independent variables.
        below, above = excess(low), excess(high)
        out[i] = low if below <= 0 else high if above >= 0 else brentq(excess, low, high)


def _excess(missing: Callable[[float], float], goal: float, q: float) -> float:
    return missing(q) / goal - 1


def _loadings(matrices: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The l with R_ij = l_i l_j for i != j, (n, k), and for which matrices it has one.

    With i and j the largest correlation and m the variable that has most to do with both,
    l_i^2 = R_ij R_im / R_jm. The Cauchy-Schwarz inequality bounds what is lost by rounding.
    """
    n, k, _ = matrices.shape
    every = np.arange(n)
    off = matrices * (1 - np.eye(k))
    i, j = np.divmod(np.abs(off).reshape(n, k * k).argmax(axis=1), k)
    m = np.minimum(np.abs(off[every, i]), np.abs(off[every, j])).argmax(axis=1)
    r_ij, r_im, r_jm = off[every, i, j], off[every, i, m], off[every, j, m]
    with np.errstate(divide="ignore", invalid="ignore"):
        square = np.where(r_jm == 0.0, np.abs(r_ij), r_ij * r_im / r_jm)
        loadings = off[every, i] / np.sqrt(square)[:, None]
        loadings[every, i] = np.sqrt(square)
        loadings = np.where((r_ij == 0.0)[:, None], 0.0, loadings)
        gap = np.abs(loadings[:, :, None] * loadings[:, None] - off) * (1 - np.eye(k))
        found = (gap.max(axis=(1, 2)) < _SAME) & (np.abs(loadings).max(axis=1) < _NEARLY_ONE)
    return loadings, found


def _chain(matrices: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Sizes of the correlations of neighbours, (n, k - 1), and for which matrices Z is Markov.

    Then every correlation is the product of those between, in an order that the correlations
    with one end show; the end has the smallest correlation of all. Signs do not matter.
    """
    n, k, _ = matrices.shape
    every = np.arange(n)
    size = np.abs(matrices)
    end = size.reshape(n, k * k).argmin(axis=1) // k
    order = np.argsort(-size[every, end], axis=1, kind="stable")
    sorted_ = matrices[every[:, None, None], order[:, :, None], order[:, None]]
    steps = np.einsum("nii->ni", sorted_[:, :-1, 1:])
    product = np.ones((n, k, k))
    for i in range(k - 1):
        product[:, i, i + 1 :] = np.cumprod(steps[:, i:], axis=1)
    gap = np.abs(np.triu(product - sorted_, 1)).max(axis=(1, 2))
    return np.abs(steps), (gap < _SAME) & (np.abs(steps).max(axis=1) < _NEARLY_ONE)


def _beyond_given_factor(loadings: Floats, q: float) -> float:
    """P(max |Z_k| > q): given the factor the variables are independent."""
    node, weight = _half_normal(9.0, 256)  # 2e-19 of the factor's law lies beyond 9
    tails = _tails(np.outer(loadings, node), np.sqrt(1 - loadings**2)[:, None], q)
    return float(weight @ (1 - np.prod(1 - tails, axis=0)))


def _beyond_along_chain(steps: Floats, q: float) -> float:
    """P(max |Z_k| > q): variable by variable, the density of those that stayed inside."""
    node, stay = _half_normal(q, 64)
    weight = stay * np.exp(node * node / 2) * sqrt(pi / 2)
    outside = 2 * ndtr(-q)
    last = None
    for step in steps:
        if step != last:  # autoregression has one step only
            mean, spread, last = step * node, sqrt(1 - step * step), step
            beyond = _tails(mean, spread, q)
            toward, away = ((node[:, None] + sign * mean) / spread for sign in (-1, 1))
            move = np.exp(-0.5 * toward**2) + np.exp(-0.5 * away**2)
            move *= weight[:, None] / (spread * sqrt(2 * pi))
        outside += stay @ beyond
        stay = move @ stay
    return float(outside)


def _half_normal(end: float, nodes: int) -> tuple[Floats, Floats]:
    """Gauss nodes on (0, end) and their weights under the law of |Z|."""
    node, weight = _legendre(nodes)
    node = end * (node + 1) / 2
    return node, end * weight * np.exp(-0.5 * node * node) / sqrt(2 * pi)


_legendre = lru_cache(np.polynomial.legendre.leggauss)


def _tails(mean: Floats, spread: Any, q: float) -> Floats:
    """P(|mean + spread Z| > q)."""
    return np.asarray(ndtr((mean - q) / spread) + ndtr((-mean - q) / spread))


# Rank 1 and 2: arcs of the circle.


def _planar_quantiles(factors: Floats, level: float) -> Floats:
    """Exact quantiles for factors (n, k, k) of which at most two columns are not zero.

    A half-line at angle t to the nearest variable's axis leaves the polygon |Z_k| < q at
    radius q / cos t; integrating exp(-radius^2 / 2) over half an arc is Owen's T.
    """
    n, k, columns = factors.shape
    if columns == 1:
        return np.full(n, normal_quantile(level))
    angles = np.sort(np.arctan2(factors[:, :, 1], factors[:, :, 0]) % pi, axis=1)
    arcs = np.diff(angles, axis=1, append=angles[:, :1] + pi)
    slopes = np.tan(arcs / 2)
    q = np.full((n, 1), _sidak_quantile(level, k))
    for _ in range(100):
        outside = 4 * owens_t(q, slopes).sum(axis=1, keepdims=True)
        density = (ndtr(slopes * q) - 0.5).sum(axis=1, keepdims=True)
        density *= 4 * np.exp(-q * q / 2) / sqrt(2 * pi)
        if level >= 0.5:  # Newton on the logarithm, a concave function of q
            step = outside / density * np.log(outside / (1 - level))
            q = q + step
        else:
            inside = 1 - outside
            step = -np.log(inside / level) * inside / density
            q = q * np.exp(step / q)
        if np.abs(step).max() < 1e-14:
            break
    return q[:, 0]


# Rank 3 and more: directions.


def _spatial_quantiles(matrices: Floats, factors: Floats, level: float, accuracy: float) -> Floats:
    """Quantiles of (n, k, k) matrices with factors (n, k, rank), of rank 3 or more."""
    n, k, rank = factors.shape
    # Single precision does for a chi probability, unless a small polytope is all that is left.
    fast = level >= 0.05 and rank <= _ELEMENTARY
    dtype: Any = np.float32 if fast else np.float64
    factors = factors.astype(dtype)
    q, _ = _by_directions(factors, np.full(n, _sidak_quantile(level, k)), level, 2**11)
    # Below one half even points do well in any number of dimensions.
    if level < 0.5 or (rank <= _FEW_DIMENSIONS and k >= 2 * rank - 2):
        return _in_few_dimensions(factors, q, level, accuracy)
    # The chi law of an even dimension is the cheapest; one dimension may be idle for it.
    dimension = rank + rank % 2 if fast else rank
    frames = np.empty((n, k, k, rank), dtype)
    for some in _chunks(np.arange(n), _WORKING_SET // (k * k * 256)):
        frames[some] = _frames(matrices[some], rank)
    redo = np.arange(n)
    for _ in range(4):
        sums = _pair_and_triple_sums(matrices[redo], q[redo])
        better = _refined(frames[redo], dimension, q[redo], sums, level, accuracy)
        far = np.abs(better - q[redo]) > 0.02 * np.minimum(1.0, q[redo])
        q[redo] = better
        redo = redo[far]
        if not len(redo):
            break
    return q


# All variables at once: cheap directions, evenly over the sphere.


def _in_few_dimensions(factors: NDArray[Any], q: Floats, level: float, accuracy: float) -> Floats:
    """Quantiles from first guesses q, with as many directions as each matrix needs."""
    q = q.copy()
    active = np.arange(len(q))
    points = 2**11
    while len(active) and points < _MOST_DIRECTIONS:
        points *= 2
        q[active], error = _by_directions(factors[active], q[active], level, points)
        active = active[error > accuracy]
    return q


def _by_directions(
    factors: NDArray[Any], q: Floats, level: float, points: int
) -> tuple[Floats, Floats]:
    """Quantiles by Newton steps from q, and their errors as `_STANDARD_ERRORS` says.

    Along a direction the variable nearest to its limit decides, so that one chi
    probability is needed for each direction.
    """
    n, k, rank = factors.shape
    dtype = factors.dtype
    directions = _sphere(rank, points, dtype)
    found, error = np.empty(n), np.empty(n)
    for some in _chunks(np.arange(n), _WORKING_SET // (k * points)):
        scale = np.empty((len(some), points), dtype)
        for part in _chunks(np.arange(points), _WORKING_SET // k):
            columns = slice(part[0], part[-1] + 1)
            products = factors[some] @ directions[:, columns]
            np.maximum(products.max(axis=1), -products.min(axis=1), out=scale[:, columns])
        np.maximum(scale, dtype.type(1e-9), out=scale)
        np.divide(dtype.type(0.5), np.square(scale, out=scale), out=scale)
        at, moving = q[some], np.ones(len(some), dtype=bool)
        for _ in range(30):
            t = np.minimum(scale * np.square(at).astype(dtype)[:, None], _farthest(dtype))
            slope = _chi_slope(t, rank).mean(axis=1, dtype=np.float64)  # q times the density
            tail = _chi_tail(t, rank) if level >= 0.5 else gammainc(rank / 2, t)
            means = tail.reshape(len(some), _STRETCHES, -1).mean(axis=2, dtype=np.float64)
            mean = means.mean(axis=1)
            if level >= 0.5:  # Newton on the logarithm, as in the plane
                new = at + at * np.log(mean / (1 - level)) * mean / slope
            else:
                new = at * np.exp(-np.log(mean / level) * mean / slope)
            # Each matrix stops by itself, so that a batch gives what a loop gives.
            new = np.where(moving, new, at)
            moving &= np.abs(new - at) > 1e-3 * at
            at = new
            if not moving.any():
                break
        found[some] = at
        error[some] = means.std(axis=1, ddof=1) / _STRETCHES**0.9 * at / slope
    return found, _STANDARD_ERRORS * error


@lru_cache(maxsize=32)
def _sphere(dimension: int, points: int, dtype: Any) -> NDArray[Any]:
    """Directions (dimension, points), evenly over the sphere, or half of it, up to sign.

    Pairs of coordinates are an angle and a share of the squared length, whose law given the
    shares before it is Beta(1, half of the dimensions left): one uniform number fewer than
    normal variables would need, and smooth ones.
    """
    uniforms = iter(_sobol(dimension - 1, points)[0])
    directions = np.empty((dimension, points), dtype)
    left = np.ones(points)
    for first in range(0, dimension - 1, 2):
        later = (dimension - first - 2) / 2
        remaining = left * next(uniforms) ** (1 / later) if later else np.zeros(points)
        angle, radius = 2 * pi * next(uniforms), np.sqrt(left - remaining)
        directions[first], directions[first + 1] = radius * np.cos(angle), radius * np.sin(angle)
        left = remaining
    if dimension % 2:
        directions[-1] = np.sqrt(left)
    return directions


def _sobol(dimension: int, points: int, shifts: int = 1, first: int = 0) -> Floats:
    """Sobol points (shifts, dimension, points), each shifted digitally by its own multiples.

    The multiples are of square roots of primes: fixed, and the same in every version.
    """
    from scipy.stats import qmc  # slow to import, and not needed for rank 1 and 2

    sequence = qmc.Sobol(dimension, scramble=False, bits=30)
    if first:
        sequence.fast_forward(first)
    digits = (sequence.random(points) * 2**30).astype(np.int64)
    roots = np.sqrt(list(itertools.islice(_primes(), dimension)))
    shift = (np.arange(1, shifts + 1)[:, None] * roots % 1 * 2**30).astype(np.int64)
    uniforms: Floats = ((digits.T ^ shift[:, :, None]) + 0.5) / 2**30
    return uniforms


def _primes() -> Any:
    return (n for n in itertools.count(2) if all(n % m for m in range(2, int(sqrt(n)) + 1)))


# More dimensions: directions by variable.


def _frames(matrices: Floats, rank: int) -> Floats:
    """For every variable i a factor (k, rank) of the matrix whose first column is R[:, i].

    So Z = frame @ (z, g) has Z_i = z, and given Z_i the rest needs rank - 1 normal
    variables g, the most important first.
    """
    n, k, _ = matrices.shape
    column = matrices[:, :, :, None]  # R is symmetric: row i is column i
    conditional = matrices[:, None] - column * matrices[:, :, None, :]
    factors, _ = _pivoted_cholesky(conditional.reshape(n * k, k, k), rank - 1)
    return np.concatenate([column, factors.reshape(n, k, k, rank - 1)], axis=3)


@lru_cache(maxsize=32)
def _points(k: int, dimension: int, block: int, dtype: Any) -> tuple[Floats, Any, Any]:
    """Block of Sobol points: uniforms u (N), normals g (k, dimension - 1, N), and |g|^2.

    The k components use one sequence, digitally shifted by multiples of square roots of
    primes. The uniform that becomes the component's own z is shared and comes last, since
    the direction hardly depends on it.
    """
    size = _block_size(k)
    uniforms = _sobol(dimension, size, k, block * size)
    normals = ndtri(uniforms[:, :-1])
    return uniforms[0, -1], normals.astype(dtype), (normals**2).sum(axis=1).astype(dtype)


def _block_size(k: int) -> int:
    """Directions per variable in one block."""
    return 512 if k <= 8 else 256 if k <= 24 else 128


def _chi_tail(t: NDArray[Any], dimension: int, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """P(chi^2 > 2t). Overwrites t."""
    if dimension > _ELEMENTARY:
        return np.asarray(gammaincc(dimension / 2, t, out=out))
    if dimension % 2:
        root = np.sqrt(t)
        terms = np.zeros_like(t)
        for j in range((dimension - 1) // 2, 0, -1):
            terms *= t
            terms += 1 / gamma(j + 0.5)
        terms *= root
        np.negative(t, out=t)
        np.exp(t, out=t)
        terms *= t
        terms += erfc(root)
        return terms
    tail: NDArray[Any] = np.multiply(t, 1 / factorial(dimension // 2 - 1), out=out)
    for j in range(dimension // 2 - 2, 0, -1):
        tail += 1 / factorial(j)
        tail *= t
    tail += 1.0
    np.negative(t, out=t)
    np.exp(t, out=t)
    tail *= t
    return tail


def _chi_slope(t: NDArray[Any], dimension: int) -> NDArray[Any]:
    """-q d/dq P(chi^2 > 2t), for t a multiple of q^2."""
    slope: NDArray[Any] = np.log(t)
    slope *= dimension / 2
    slope -= t
    slope += log(2) - lgamma(dimension / 2)
    np.exp(slope, out=slope)
    return slope


def _farthest(dtype: Any) -> Any:
    """A t whose exp(-t) is 0 to any accuracy and still a normal number."""
    return dtype.type(80.0 if dtype == np.float32 else 600.0)


def _pair_and_triple_sums(matrices: Floats, q: Floats) -> Floats:
    """(n, 2): sums over pairs and over triples of the probability that all exceed q."""
    k = matrices.shape[1]
    i, j = np.triu_indices(k, 1)
    sums = np.zeros((len(q), 2))
    for some in _chunks(np.arange(len(q)), _WORKING_SET // k**2):
        sums[some, 0] = _pair_probability(matrices[some][:, i, j], q[some, None]).sum(axis=1)
    triples = np.array(list(itertools.combinations(range(k), 3)))
    for part in _chunks(np.arange(len(triples)), 2048):
        a, b, c = triples[part].T
        for some in _chunks(np.arange(len(q)), 2048 // len(part)):
            r, at = matrices[some], q[some, None]
            probability = _triple_probability(r[:, a, b], r[:, a, c], r[:, b, c], at)
            sums[some, 1] += probability.sum(axis=1)
    np.maximum(sums, 0.0, out=sums)  # rounding
    return sums


def _pair_probability(rho: Floats, q: Floats) -> Floats:
    """P(|X| >= q, |Y| >= q): the two tails less what the arcs of the circle give."""
    slope = np.sqrt((1 - np.abs(rho)) / (1 + np.abs(rho)))
    with np.errstate(divide="ignore"):
        return np.asarray(4 * (ndtr(-q) - owens_t(q, slope) - owens_t(q, 1 / slope)))


def _triple_probability(r12: Floats, r13: Floats, r23: Floats, q: Floats) -> Floats:
    """P(all of three |Z| >= q), by Plackett's identity.

    Starting from Z3 independent of the pair (1, 2), whose correlation is the largest, the
    other two correlations grow in proportion. The derivative in r13 is twice
    phi2(q, q; r13) P(|Z2| >= q | q, q) - phi2(q, -q; r13) P(|Z2| >= q | q, -q); the
    substitution r13 = sin(angle) removes the root in phi2.
    """
    triples = np.stack([r12, r13, r23])
    largest = np.abs(triples).argmax(axis=0)
    r12, r13, r23 = (
        np.take_along_axis(triples, ((largest + turn) % 3)[None], axis=0)[0] for turn in range(3)
    )
    total: Floats = 2 * ndtr(-q) * _pair_probability(r12, q)
    for end, other_end in ((r13, r23), (r23, r13)):
        angle = np.arcsin(end)
        r = np.sin(angle * _NODES)
        s = r * (other_end / np.where(end == 0.0, 1.0, end))  # where end is 0, so is angle
        variance = (1 - r12**2 - s**2 - r**2 + 2 * r12 * s * r) / (1 - r**2)
        scale = q / np.sqrt(np.maximum(variance, 1e-14))
        same, opposite = (r12 + s) / (1 + r), (r12 - s) / (1 - r)
        tails = _upper_tail(
            np.stack([1 - same, 1 + same, 1 - opposite, 1 + opposite]).astype(np.float32)
            * scale.astype(np.float32)
        )
        integrand = np.exp(-q * q / (1 + r)) * (tails[0] + tails[1])
        integrand -= np.exp(-q * q / (1 - r)) * (tails[2] + tails[3])
        total = total + angle / pi * np.tensordot(_WEIGHTS, integrand, 1)
    return total


def _upper_tail(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """P(Z > x) to 1e-7 (Abramowitz and Stegun 26.2.17): five times as fast as ndtr."""
    size = np.abs(x)
    t = size * 0.2316419
    t += 1.0
    np.reciprocal(t, out=t)
    tail = t * 0.53070271
    for coefficient in (-0.72657602, 0.7107068714, -0.142248368, 0.127414796):
        tail += coefficient
        tail *= t
    size *= size
    size *= -0.5
    np.exp(size, out=size)
    tail *= size
    upper: NDArray[np.float32] = np.where(x < 0, 1 - tail, tail)
    return upper


def _refined(
    frames: NDArray[Any], dimension: int, q: Floats, sums: Floats, level: float, accuracy: float
) -> Floats:
    """The quantiles, one Newton step from q, with as many points as each matrix needs."""
    n, k, _, _ = frames.shape
    mass = 2 * k * ndtr(-q)
    known = sums / mass[:, None]
    parts: list[Floats] = []
    products = np.zeros((n, 3, 3))
    slopes = np.zeros(n)
    refined = np.empty(n)
    active = np.arange(n)
    while True:
        # 1, 2, 4, 8, 12, 16, 24, ...: four stretches each, to be counted in sixteens.
        blocks = max(1, 2 * len(parts)) if len(parts) < 8 else len(parts) * 3 // 8 * 4
        for block in range(len(parts), blocks):
            part = np.zeros((n, 3, _PARTS))
            for some in _chunks(active, _WORKING_SET // (k * k * _block_size(k))):
                part[some], product, slope = _sampled(
                    frames[some], dimension, q[some], known[some], block
                )
                products[some] += product
                slopes[some] += slope
            parts.append(part)
        size = len(parts) * k * _block_size(k)
        at, weight = q[active], mass[active]
        means = np.concatenate([part[active] for part in parts], axis=2)
        mean = means.mean(axis=2)
        covariance = products[active] / size - mean[:, :, None] * mean[:, None]
        triples = known[active, 1]
        few = size * triples < _FEW_TRIPLES
        coefficients = np.where(few[:, None], 0.0, _regression(covariance))
        combine = np.column_stack([np.ones(len(active)), -coefficients])
        probability = np.einsum("nc,nc->n", combine, mean)
        # Bonferroni: inclusion-exclusion cut after pairs, and after triples.
        first_two = 1 - known[active, 0]
        probability = np.clip(probability, np.maximum(first_two, 1 / k), first_two + triples)
        density = slopes[active] / size
        if len(parts) * _PARTS > 16:
            means = means.reshape(len(active), 3, 16, -1).mean(axis=3)
        stretches = np.einsum("nc,ncp->np", combine, means)
        error = stretches.std(axis=1, ddof=1) / sqrt(stretches.shape[1])
        # What independent points would give, halved: a floor for the few stretches at first.
        variance = np.einsum("nc,ncd,nd->n", combine, covariance, combine)
        error = np.maximum(error, np.sqrt(np.maximum(variance, 0.0) / size) / 2)
        # Too few triples seen to know; four at once are rarer than a quarter of the triples.
        error = np.where(few, np.hypot(error, np.sqrt(triples / (4 * size))), error)
        step = np.log(probability * weight / (1 - level)) * probability / density
        # The curvature of log P(Z > q), whose hazard h has h' = h (h - q).
        excess = np.maximum(density / probability - at, 0.0)
        refined[active] = at + step - excess * step**2 / 2
        # At most half the width of Bonferroni's bounds.
        error = np.minimum(_STANDARD_ERRORS * error, triples / 4) / density
        active = active[error > accuracy]
        if not len(active) or size >= k * _MOST_POINTS:
            return refined


def _regression(covariance: Floats) -> Floats:
    """Coefficients of the first variable on the others, shrunk a little where these are few."""
    controls = covariance[:, 1:, 1:]
    ridge = 1e-3 * np.einsum("ncc->nc", controls) + 1e-30
    controls = controls + ridge[:, :, None] * np.eye(controls.shape[1])
    solution: Floats = np.linalg.solve(controls, covariance[:, 1:, :1])
    return solution[:, :, 0]


def _sampled(
    frames: NDArray[Any], dimension: int, q: Floats, known: Floats, block: int
) -> tuple[Floats, Floats, Floats]:
    """One block's means (n, columns, parts), sums of products, and sum of slopes.

    The columns are, over sum S: max S, put right by inclusion-exclusion, then pairs and triples
    less their exact means.
    """
    n, k, _, rank = frames.shape
    dtype = frames.dtype
    uniforms, normals, squares = _points(k, dimension, block, dtype)
    z = -ndtri(uniforms * ndtr(-q)[:, None])
    points = uniforms.size
    x = np.empty((n, k, rank, points), dtype)
    x[:, :, 0] = z[:, None]
    x[:, :, 1:] = normals[:, : rank - 1]
    numerator = ((z * z)[:, None] + squares) * (q * q / 2)[:, None, None]
    numerator = numerator.astype(dtype)
    squared = np.matmul(frames, x)
    squared *= squared
    # Variables first from here on: (k, n, component, point).
    t = np.maximum(squared.transpose(2, 0, 1, 3), numerator / _farthest(dtype))
    np.divide(numerator, t, out=t)
    nearest = t.min(axis=0)
    rows = list(_chi_tail(t, dimension, out=squared.reshape(t.shape)))
    spare = t[0]
    for i, j in _sorting_network(k):
        np.maximum(rows[i], rows[j], out=spare)
        np.minimum(rows[i], rows[j], out=rows[j])
        rows[i], spare = spare, rows[i]
    # With S sorted, S_j is the smallest of j pairs and of j (j - 1) / 2 triples.
    singles = rows[-1]
    pairs, triples = np.zeros_like(singles), np.zeros_like(singles)
    for row in rows[-2::-1]:
        triples += pairs
        pairs += singles
        singles += row
    columns = np.empty((3, n, k, points), dtype)
    columns[0], columns[1], columns[2] = rows[0], pairs, triples
    columns /= singles
    columns[1:] -= known.T.astype(dtype)[:, :, None, None]
    columns[0] += columns[1]
    columns[0] -= columns[2]
    slope = (_chi_slope(nearest, dimension) / singles).sum(axis=(1, 2), dtype=np.float64) / q
    flat = columns.reshape(len(columns), n, k * points)
    products = np.einsum("cnp,dnp->ncd", flat, flat).astype(np.float64)
    length = points // _PARTS
    parts = columns.reshape(len(columns), n, k, _PARTS, length) @ np.ones(length, dtype)
    means = parts.mean(axis=2, dtype=np.float64).transpose(1, 0, 2) / length
    return means, products, slope


@lru_cache
def _sorting_network(n: int) -> list[tuple[int, int]]:
    """Batcher's odd-even merge: the pairs to compare, in order, to sort n arrays elementwise."""
    pairs = []
    merged = 1
    while merged < n:
        step = merged
        while step >= 1:
            for start in range(step % merged, n - step, 2 * step):
                for i in range(start, start + min(step, n - start - step)):
                    if i // (2 * merged) == (i + step) // (2 * merged):
                        pairs.append((i, i + step))
            step //= 2
        merged *= 2
    return pairs
