"""How good is a method? Coverage and length, by enumeration or by simulation.

Test sets enter a method through the counts of some cells alone: true positives, false
positives, false negatives and the rest; a confusion matrix; the joint outcomes of several
classifiers. These counts are multinomial. `exact` sums over all tables of counts that can
occur, so that coverage, expected length, overshoot and degeneracy (section 5.2 of Lam, Gopal
and Qian 2024, whose eqs. 15 and 16 are the case of one F1) need no replicates. `simulate`
draws tables, takes the same arguments, and works where there are too many to sum.

`tables` and `average` are the engines below them, for any quantity that is a function of the
cells. Simulation works in batches of bounded memory, and gives the same bits on one process,
on several or on a cluster, because every batch has a random stream of its own and results are
added up in the order of the batches.

When they fail: the number of tables grows like a power of the size of the test set. For one F1
there are about 200 n (a test set of millions takes minutes), for a matrix of nine cells and 25
items fourteen million. Tables that are too unlikely to matter are left out;
`Coverage.enumerated` says what was kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from math import comb, log, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlog1py, xlogy

from f1ci import _validation, metrics
from f1ci.intervals import limits_of_f1
from f1ci.methods import known
from f1ci.methods.score import normal_quantile
from f1ci.results import as_scalar

Array = NDArray[np.float64]
Cells = NDArray[np.int64]
Interval = Callable[[Cells], tuple[ArrayLike, ArrayLike]]
Measure = Callable[[Cells], ArrayLike]
Moments = tuple[NDArray[Any], Array, Array]

# Probability that `exact` may leave out by itself.
_LEFT_OUT = 1e-10
# Standard deviations beyond which a binomial has less than `_LEFT_OUT` mass even when it is skew.
_REACH = 9.0
# More tables than this take hours.
_MOST_TABLES = 1e11
# Tables per block of `tables`, and numbers per batch of `average`.
_BLOCK = 1 << 17
_BATCH = 1 << 19
# Batches that wait for an executor at any time: enough for a cluster of a hundred cores, and no
# more to remember however many replicates there are.
_SUBMITTED = 256


@dataclass(frozen=True, slots=True, eq=False)
class _Properties:
    coverage: Any
    coverage_if_defined: Any
    expected_length: Any
    length_deviation: Any
    overshoot: Any
    degeneracy: Any
    undefined: Any


@dataclass(frozen=True, slots=True)
class Coverage(_Properties):
    """Exact properties of an interval in one design; of several, arrays.

    Attributes
    ----------
    coverage : float or ndarray
        Probability that the interval holds the truth; an undefined one counts as a miss.
    coverage_if_defined : float or ndarray
        The same, given that the interval is defined.
    expected_length, length_deviation : float or ndarray
        Mean length of the defined intervals, and its standard deviation from one test set to the
        next.
    overshoot : float or ndarray
        Probability that an end point lies outside [0, 1].
    degeneracy : float or ndarray
        Probability that the interval has no width.
    undefined : float or ndarray
        Probability that the interval is undefined. A named method has one even for a test set
        without any relevant item, [0, 1], which covers; here is the probability of such a set.
    enumerated : float
        Total probability of the tables summed over.
    """

    enumerated: float


def exact(
    n: int,
    cells: ArrayLike,
    *,
    method: str | Interval = "score",
    truth: ArrayLike | None = None,
    confidence_level: float = 0.95,
    least: float | None = None,
) -> Coverage:
    """Coverage, length, overshoot and degeneracy of an interval, without simulation.

    Parameters
    ----------
    n, cells, method, truth, confidence_level
        As in `simulate`.
    least : float, optional
        Tables less likely than this are left out. By default what is left out adds up to
        less than 1e-9; a larger number is faster, and `Coverage.enumerated` says what it costs.

    Returns
    -------
    Coverage
        See there for what counts as undefined.

    Examples
    --------
    Scenario 1 of Lam, Gopal and Qian at n = 25:

    >>> import f1ci
    >>> result = f1ci.coverage.exact(25, [0.4, 0.1, 0.1, 0.4], method="wald")
    >>> f"{result.coverage:.3f} {result.expected_length:.3f} {result.overshoot:.4f}"
    '0.905 0.343 0.2305'
    """
    n = _validation.positive_integer("n", n)
    design, measure = _study(cells, method, truth, confidence_level)
    named = not callable(method)
    if named:  # false positives and false negatives count alike, so that there are fewer tables
        design = np.array([design[0], design[1] + design[2], design[3]])
    reach = 2.0 * (_REACH * np.sqrt(n * design * (1.0 - design)) + 0.5 * _REACH**2)
    box = prod(np.sort(1.0 + reach[design > 0.0])[:-1].tolist())
    count = min(box, float(comb(n + np.count_nonzero(design) - 1, n)))
    if count > _MOST_TABLES:
        raise ValueError(f"n={n!r} gives about {count:.0e} tables to sum over; simulate instead")
    moments: Moments | None = None
    enumerated = 0.0
    for counts, probability in tables(n, design, least=_LEFT_OUT / box if least is None else least):
        values = np.asarray(measure(counts), dtype=np.float64)
        moments = _merged(moments, _moments(values, probability))
        enumerated += float(probability.sum())
    if moments is None:
        raise ValueError(f"least must leave some tables, got {least!r}")
    weight, mean, square = moments
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(square / weight)
    undefined = weight[5] * mean[5] if not named else design[2] ** n
    # The means of rows 1 and 2 are over what is defined, those of the others are probabilities.
    means = weight * mean
    means[1:3] = np.where(weight > 0.0, mean, np.nan)[1:3]
    return Coverage(*_properties(means, deviation, undefined, enumerated))


def tables(n: int, cells: ArrayLike, *, least: float = 0.0) -> Iterator[tuple[Cells, Array]]:
    """Every table of n items that is at least so likely, in blocks, in lexicographic order.

    Parameters
    ----------
    n : int
        Size of a test set.
    cells : array_like
        Cell probabilities of any shape; they must add up to one. Those that are zero cost
        nothing.
    least : float, default 0
        Tables less likely than this are left out, and all others are there.

    Yields
    ------
    counts : ndarray of int, shape (block, *cells.shape)
    probability : ndarray, shape (block,)

    Examples
    --------
    >>> import f1ci
    >>> for counts, probability in f1ci.coverage.tables(2, [0.5, 0.5]):
    ...     print(counts.tolist(), probability.round(9).tolist())
    [[0, 2], [1, 1], [2, 0]] [0.25, 0.5, 0.25]
    """
    n = _validation.positive_integer("n", n)
    design = _distribution("cells", cells)
    least = _validation.probability("least", least)
    possible = np.flatnonzero(design)
    start = np.zeros((1, 0)), _stirling(np.array([float(n)]))
    floor = log(least) if least else -1e100  # below any
    for counts, logs in _completed(*start, float(n), design.ravel()[possible], floor):
        block = np.zeros((len(counts), design.size), dtype=np.int64)
        block[:, possible] = counts
        yield block.reshape(-1, *design.shape), np.exp(logs)


def _completed(
    heads: Array, known: Array, n: float, p: Array, floor: float
) -> Iterator[tuple[Array, Array]]:
    """All tables that begin with some heads, and their log probabilities of at least `floor`.

    A table of n is a draw from independent Poisson counts given their sum, so its log
    probability is a sum over cells (`known`, for those of the heads). So is that of a head, with
    all other cells as one, and no table is likelier than its head.
    """
    j = heads.shape[1]
    left = n - heads.sum(axis=1)
    before, here, after = float(p[:j].sum()), float(p[j]), float(p[j + 1 :].sum())
    logs = known + _log_poisson(left, n, here + after, before)
    if j == len(p) - 1:
        yield np.column_stack([heads, left]), logs
        return
    # By Bernstein's inequality no count further from its mean is likely enough.
    mean, budget = left * here / (here + after), np.maximum(logs - floor, 0.0)
    reach = budget / 3.0
    reach += np.sqrt(reach**2 + 2.0 * budget * mean * after / (here + after)) + 1.0
    first = np.maximum(np.ceil(mean - reach), 0.0)
    sizes = (np.minimum(np.floor(mean + reach), left) - first).astype(np.int64) + 1
    ends = np.cumsum(sizes)
    start = 0
    while start < len(heads):
        behind = ends[start] - sizes[start]
        stop = max(start + 1, int(np.searchsorted(ends, behind + _BLOCK, side="right")))
        head = np.repeat(np.arange(start, stop), sizes[start:stop])
        x = first[head] + (behind + np.arange(len(head)) - (ends - sizes)[head])
        further = known[head] + _log_poisson(x, n, here, before + after)
        logs = further + _log_poisson(left[head] - x, n, after, before + here)
        kept = logs >= floor
        if kept.any():
            longer = np.column_stack([heads[head[kept]], x[kept]])
            yield from _completed(longer, further[kept], n, p, floor)
        start = stop


def _log_poisson(x: Array, n: float, p: float, q: float) -> Array:
    """Log density of Poisson(n p) at x, with q = 1 - p, to rounding for any n (Loader 2000)."""
    low, high = x.min(), x.max()
    if high - low + 1 < x.size:  # few different counts
        known = _log_poisson(np.arange(low, high + 1), n, p, q)
        return np.asarray(known[(x - low).astype(np.intp)])
    mean = n * p
    # How far x is above its mean, from the smaller one of p and q: nothing cancels.
    excess = x - mean if p <= q else n * q - (n - x)
    ratio = np.maximum(excess / mean, -1.0)
    deviance = mean * (xlog1py(1.0 + ratio, ratio) - ratio)
    return np.asarray(-_stirling(x) - deviance)


def _stirling(x: Array) -> Array:
    """The log of x! e**x / x**x, without its large terms; the first term left out is 2e-15."""
    large = np.maximum(x, 20.0)
    inverse = 1.0 / large**2
    series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / large
    small = np.minimum(x, 20.0)
    below = gammaln(small + 1.0) - xlogy(small, small) + small
    return np.where(x < 20.0, below, 0.5 * np.log(2.0 * np.pi * large) + series)


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """Means over simulated test sets.

    Attributes
    ----------
    mean, standard_deviation : ndarray
        Of each quantity, over the replicates in which it was defined.
    defined : ndarray of int
        In how many replicates each quantity was defined (not ``nan``).
    replicates : int
        How many test sets were drawn.
    """

    mean: Array
    standard_deviation: Array
    defined: NDArray[np.int64]
    replicates: int

    @property
    def standard_error(self) -> Array:
        """Monte Carlo standard error of the mean."""
        return self.standard_deviation / np.sqrt(self.defined)


def average(
    measure: Measure,
    cells: ArrayLike,
    n: int,
    *,
    replicates: int = 1_000_000,
    rng: Any = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Average:
    """Average any function of multinomial cell counts over simulated test sets.

    Parameters
    ----------
    measure : callable
        Takes counts of shape ``(batch, *cells.shape)``, gives numbers of shape (batch,)
        or (batch, quantities); ``nan`` where a quantity is undefined. With an
        executor of other processes it must be picklable.
    cells : array_like
        Cell probabilities of any shape; they must add up to one.
    n : int
        Size of a test set.
    replicates : int, default 1,000,000
        How many test sets to draw.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness. The same seed gives the same bits with any executor.
    executor : concurrent.futures.Executor, optional
        Where batches are computed: a process pool, or ``client.get_executor()`` of
        a Dask client, which survives the loss of a worker. By default in this process.
    progress : callable, optional
        Called as ``progress(done, replicates)`` after every batch, in order.

    Returns
    -------
    Average
        Means, standard deviations and the number of defined replicates.
    """
    probabilities = _distribution("cells", cells)
    n = _validation.positive_integer("n", n)
    replicates = _validation.positive_integer("replicates", replicates)
    size = max(1, _BATCH // probabilities.size)
    root = _validation.generator(rng)
    # One after another: however many replicates there are, they take no memory.
    starts = range(0, replicates, size)
    batches = ((root.spawn(1)[0], min(size, replicates - start)) for start in starts)
    task = partial(_batch_moments, measure, probabilities, n)
    moments: Any = None  # there is at least one replicate
    for done, batch in enumerate(_in_order(executor, task, batches), 1):
        moments = _merged(moments, batch)
        if progress is not None:
            progress(min(done * size, replicates), replicates)
    count, mean, square = moments
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(square / (count - 1))
    return Average(np.where(count > 0, mean, np.nan), deviation, count, replicates)


def _in_order(
    executor: Executor | None, task: Callable[..., Moments], arguments: Iterable[tuple[Any, ...]]
) -> Iterator[Moments]:
    """Results in the order of the arguments, with a bounded number of tasks under way."""
    waiting: deque[Future[Moments]] = deque()
    try:
        for each in arguments:
            if executor is None:
                yield task(*each)
                continue
            waiting.append(executor.submit(task, *each))
            if len(waiting) == _SUBMITTED:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # after an error, nothing else is computed
        for future in waiting:
            future.cancel()


def _batch_moments(
    measure: Measure, probabilities: Array, n: int, stream: np.random.Generator, size: int
) -> Moments:
    """Count, mean and sum of squared deviations of each quantity over one batch."""
    draws = stream.multinomial(n, probabilities.ravel(), size=size)
    values = np.asarray(measure(draws.reshape(size, *probabilities.shape)), dtype=np.float64)
    if values.ndim == 0 or len(values) != size:
        raise ValueError(
            f"measure must give one number, or a row of them, for each of {size} tables, "
            f"got shape {values.shape}"
        )
    return _moments(values)


def _moments(values: Array, weight: Array | None = None) -> Moments:
    """Count (or total weight), mean and sum of squared deviations of what is not nan."""

    def total(array: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(array.sum(axis=0) if weight is None else np.tensordot(weight, array, 1))

    defined = ~np.isnan(values)
    count = total(defined)
    mean = total(np.where(defined, values, 0.0)) / np.where(count > 0, count, 1)
    return count, mean, total(np.where(defined, values - mean, 0.0) ** 2)


def _merged(one: Moments | None, other: Moments) -> Moments:
    """Moments of two batches together (Chan, Golub and LeVeque 1983)."""
    if one is None:
        return other
    count = one[0] + other[0]
    weight = other[0] / np.where(count > 0, count, 1)
    difference = other[1] - one[1]
    mean = one[1] + difference * weight
    square = one[2] + other[2] + difference**2 * weight * one[0]
    return count, mean, square


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedCoverage(_Properties):
    """Monte Carlo properties of an interval in one design; errors are standard errors.

    Attributes
    ----------
    coverage, coverage_error : float or ndarray
        Share of intervals that hold the truth; an undefined one counts as a miss.
    coverage_if_defined, coverage_if_defined_error : float or ndarray
        The same share among the defined intervals alone.
    expected_length, length_error : float or ndarray
        Mean length of the defined intervals.
    length_deviation : float or ndarray
        Standard deviation of the length from one test set to the next.
    overshoot, degeneracy, undefined : float or ndarray
        Shares of intervals with an end point outside [0, 1], of those with no
        width, and of undefined ones.
    replicates : int
        How many test sets were drawn.
    """

    coverage_error: Any
    coverage_if_defined_error: Any
    length_error: Any
    replicates: int


def simulate(
    n: int,
    cells: ArrayLike,
    *,
    method: str | Interval = "score",
    truth: ArrayLike | None = None,
    confidence_level: float = 0.95,
    replicates: int = 1_000_000,
    rng: Any = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SimulatedCoverage:
    """Coverage and length of any interval, by simulation.

    Parameters
    ----------
    n : int
        Size of a test set.
    cells : array_like
        Cell probabilities of any shape that `method` understands. For a named
        method four of them: true positives, false positives, false negatives,
        true negatives.
    method : str or callable
        A method of `f1ci.f1_interval`; or a function that takes counts of shape
        ``(batch, *cells.shape)`` and gives the end points ``(low, high)``, each of
        shape (batch,) or (batch, intervals), ``nan`` where undefined.
    truth : float or array_like, optional
        What the intervals should hold. Needed for a callable; a named method's is
        the F1 score of `cells`.
    confidence_level : float, default 0.95
        Nominal level of a named method.
    replicates, rng, executor, progress
        As in `average`.

    Returns
    -------
    SimulatedCoverage
        Shares and means with their standard errors.

    Examples
    --------
    >>> import f1ci
    >>> design = [0.4, 0.1, 0.1, 0.4]
    >>> result = f1ci.coverage.simulate(25, design, method="wald", replicates=10_000, rng=1)
    >>> exact = f1ci.coverage.exact(25, design, method="wald")
    >>> bool(abs(result.coverage - exact.coverage) < 4 * result.coverage_error)
    True
    """
    design, measure = _study(cells, method, truth, confidence_level)
    result = average(
        measure, design, n, replicates=replicates, rng=rng, executor=executor, progress=progress
    )
    mean, others = result.mean, (*map(as_scalar, result.standard_error[:3]), result.replicates)
    return SimulatedCoverage(*_properties(mean, result.standard_deviation, mean[5], *others))


def _properties(mean: Array, deviation: Array, undefined: Any, *others: Any) -> Any:
    """What `exact` and `simulate` report, from the rows of `_interval_quantities`."""
    return *map(as_scalar, (*mean[:3], deviation[2], *mean[3:5], undefined)), *others


def _study(
    cells: ArrayLike, method: str | Interval, truth: ArrayLike | None, confidence_level: float
) -> tuple[Array, Measure]:
    """The design, and what is measured: `_interval_quantities` of the interval."""
    design = _distribution("cells", cells)
    level = _validation.confidence_level(confidence_level)
    if callable(method):
        if truth is None:
            raise TypeError("truth must be given with a method of your own, got None")
        return design, partial(_interval_quantities, method, np.asarray(truth, dtype=np.float64))
    if truth is not None:
        raise TypeError(
            f"truth goes with a method of your own; that of method={_validation.short(method)} is "
            f"the F1 score of cells; got {_validation.short(truth)}"
        )
    _validation.choice("method", method, known(metrics.f1))
    _validation.shaped("cells", design, design.shape == (4,), "(4,)")
    p11, p10, p01, _ = design
    if not design[:3].any():
        raise ValueError("p11 + p10 + p01 must lie in (0, 1], got 0.0")
    interval = partial(_named_interval, method=method, level=level)
    f1 = np.asarray(2.0 * p11 / (2.0 * p11 + p10 + p01))
    return design, partial(_interval_quantities, interval, f1)


def _named_interval(counts: Cells, method: str, level: float) -> tuple[Array, Array]:
    """From counts that begin with true positives and end with true negatives."""
    wrong = counts[:, 1:-1].sum(axis=1)
    return limits_of_f1(
        counts[:, 0].astype(float), wrong.astype(float), method, normal_quantile(level)
    )


def _interval_quantities(interval: Interval, truth: Array, counts: Cells) -> Array:
    """The quantities whose means `exact` and `simulate` report, shape (batch, 6, ...)."""
    low, high = (np.asarray(end, dtype=np.float64) for end in interval(counts))
    expected = (len(counts), *(truth.shape or low.shape[1:]))
    if not low.shape == high.shape == expected:
        raise ValueError(
            f"method must give two arrays of end points of shape {expected} for {len(counts)} "
            f"tables, got shapes {low.shape} and {high.shape}"
        )
    undefined = np.isnan(low) | np.isnan(high)
    covered = np.where((low <= truth) & (truth <= high), 1.0, 0.0)
    outside, flat = (low < 0.0) | (high > 1.0), high == low
    if_defined = np.where(undefined, np.nan, covered)
    return np.stack([covered, if_defined, high - low, outside, flat, undefined], axis=1)


# What a legal argument is.


def _distribution(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Probabilities of any shape that add up to one (to nine digits; then exactly)."""
    array = _validation.weights(name, value)
    total = float(array.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must add up to 1, got a sum of {total!r}")
    return array / total
