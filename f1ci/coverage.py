"""Coverage and length of an interval, by exact enumeration or by simulation.

Test sets enter a method through the counts of some cells alone: true positives, false
positives, false negatives and the rest; a confusion matrix; the joint outcomes of several
classifiers. These counts are multinomial. `exact` sums over all tables of counts that can
occur, so coverage, expected length, overshoot and degeneracy (section 5.2 of Lam, Gopal
and Qian 2024, whose eqs. 15 and 16 are the case of one F1) need no replicates. `simulate`
draws tables, takes the same arguments, and works where there are too many tables to sum.
`tables` lists the tables and their probabilities.

Simulation works in batches of bounded memory. Every batch has a random stream of its own, and
results are added up in the order of the batches. So one process, several or a cluster give the
same numbers.

When it fails: the number of tables grows like a power of the size of the test set. For one F1
there are about 40 n (a test set of ten million takes minutes), for a matrix of nine cells and 25
items fourteen million. Tables that are too unlikely to matter are left out;
`Coverage.enumerated` says how much probability was kept. Probabilities have a relative error of
1e-11 for 10^4 items, and of 1e-6 for 10^9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial, reduce
from math import comb, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

from f1ci import _validation, metrics
from f1ci._limits import interval_of
from f1ci.methods.score import sample_of_counts
from f1ci.results import Array, Interval, Seed, Value, as_scalar

Cells: TypeAlias = NDArray[np.int64]
IntervalMethod: TypeAlias = Callable[[Cells], Iterable[ArrayLike]]
Measure: TypeAlias = Callable[[Cells, Array], Array]

# More tables than this take an hour; more counts of one cell do not fit in memory.
_MOST_TABLES, _MOST_COUNTS = 1e10, 1e7
# The logarithm of a factorial has six digits after the point for this many items, fewer for more.
_MOST_ITEMS = 10**9
_MOST_REPLICATES = 10**10
# Tables per block of `tables`, and numbers per batch of `simulate`.
_BLOCK = 1 << 17
_BATCH = 1 << 19


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Properties of an interval in one design, exact or simulated; of several intervals, arrays.

    Attributes
    ----------
    coverage : float or ndarray
        Probability that the interval holds the truth; an undefined one counts as a miss.
    coverage_if_defined : float or ndarray
        The same, given that the interval is defined.
    expected_length : float or ndarray
        Mean length of the defined intervals.
    length_deviation : float or ndarray
        Standard deviation of the length from one test set to the next.
    overshoot : float or ndarray
        Probability that an end point lies outside [0, 1].
    degeneracy : float or ndarray
        Probability that the interval has no width.
    undefined : float or ndarray
        Probability that the interval is undefined. That of a named method never is: for a test
        set without any relevant item it is [0, 1], which covers.
    enumerated : float
        Total probability of the tables summed over; 1 if simulated.
    replicates : int
        How many test sets were drawn; 0 if exact.
    coverage_error : float or ndarray
        Standard error of a simulated `coverage`; 0 if exact.
    coverage_if_defined_error : float or ndarray
        Standard error of a simulated `coverage_if_defined`; 0 if exact.
    length_error : float or ndarray
        Standard error of a simulated `expected_length`; 0 if exact.
    """

    coverage: Value
    coverage_if_defined: Value
    expected_length: Value
    length_deviation: Value
    overshoot: Value
    degeneracy: Value
    undefined: Value
    enumerated: float = 1.0
    replicates: int = 0
    coverage_error: Value = 0.0
    coverage_if_defined_error: Value = 0.0
    length_error: Value = 0.0


def exact(
    n: int,
    cells: ArrayLike,
    *,
    method: str | IntervalMethod = "score",
    truth: ArrayLike | None = None,
    confidence_level: float = 0.95,
    least: float = 1e-18,
) -> Coverage:
    """Return coverage, length, overshoot and degeneracy of an interval, without simulation.

    Parameters
    ----------
    n, cells, method, truth, confidence_level
        As in `simulate`.
    least : float, optional
        Tables less likely than this are left out. By default what is left out adds up to
        less than 1e-9. A larger number is faster, and `Coverage.enumerated` says what it costs.

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
    design, measure = _study(cells, method, truth, confidence_level)
    if not callable(method):  # false positives and false negatives count alike: fewer tables
        design = np.array([design[0], design[1] + design[2], design[3]])
    sums = sum(measure(*block) for block in tables(n, design, least=least))
    if isinstance(sums, int):
        raise ValueError(f"least must leave some tables, got {least!r}")
    return _result(sums)


def tables(n: int, cells: ArrayLike, *, least: float = 0.0) -> Iterator[tuple[Cells, Array]]:
    """Yield every table of n items that is likely enough, in blocks, in lexicographic order.

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
    n = _validation.positive_integer("n", n, maximum=_MOST_ITEMS)
    design = _distribution("cells", cells)
    least = _validation.probability("least", least)
    possible = np.flatnonzero(design)
    p = design.ravel()[possible]
    with np.errstate(divide="ignore"):
        floor = np.maximum(np.log(least), -1e100)  # below any
    # Refuse what would take hours, before it begins.
    ranges = np.sort(np.minimum(2.0 * _reach(-floor, n * p * (1.0 - p)) + 1.0, n + 1.0))[:-1]
    count = min(prod(ranges.tolist()), comb(n + len(p) - 1, len(p) - 1))
    if count > _MOST_TABLES or ranges.max(initial=0.0) > _MOST_COUNTS:
        other = f"simulate instead, or leave out more of them than with least={least:.3g}"
        raise ValueError(f"n={n!r} gives about {count:.0e} tables to sum over; {other}")
    start = np.zeros((1, 0)), -_log_poisson(np.array([float(n)]), float(n))
    for counts, logs in _completed(*start, float(n), p, floor):
        block = np.zeros((len(counts), design.size), dtype=np.int64)
        block[:, possible] = counts
        yield block.reshape(-1, *design.shape), np.exp(logs)


def _reach(budget: float | Array, variance: Array) -> Array:
    """Return how far a binomial count may lie from its mean at -log(probability) <= budget.

    Bernstein's inequality.
    """
    return budget / 3.0 + np.sqrt(budget**2 / 9.0 + 2.0 * budget * variance)


def _completed(
    heads: Array, known: Array, n: float, p: Array, floor: float
) -> Iterator[tuple[Array, Array]]:
    """Yield all tables that begin with some heads, and their log probabilities above `floor`.

    A table of n items has the law of independent Poisson counts given their sum, so its log
    probability is a sum over cells (`known`, for the cells of the heads). The same holds for a
    head with all other cells as one cell, and no table is more likely than its head.
    """
    j = heads.shape[1]
    left = n - heads.sum(axis=1)
    here, after = float(p[j]), float(p[j + 1 :].sum())
    logs = known + _log_poisson(left, n * (here + after))
    if j == len(p) - 1:
        yield np.column_stack([heads, left]), logs
        return
    # 1. The counts of the next cell that are likely enough after one of the heads.
    mean = left * here / (here + after)
    reach = _reach(np.maximum(logs - floor, 0.0), mean * after / (here + after)) + 1.0
    first, last = max(np.ceil((mean - reach).min()), 0.0), np.minimum(mean + reach, left).max()
    x = np.arange(first, last + 1.0)
    # 2. Each of them after each head, block by block.
    size = max(1, _BLOCK // len(x))
    for start in range(0, len(heads), size):
        block = slice(start, start + size)
        further = known[block, None] + _log_poisson(x, n * here)
        logs = further + _log_poisson(left[block, None] - x, n * after)
        head, place = np.nonzero(logs >= floor)
        if len(head):
            longer = np.column_stack([heads[block][head], x[place]])
            yield from _completed(longer, further[head, place], n, p, floor)


def _log_poisson(x: Array, mean: float) -> Array:
    """Return the log density of a Poisson law at whole numbers, minus infinity below 0."""
    return np.asarray(xlogy(x, mean) - mean - gammaln(x + 1.0))


def simulate(
    n: int,
    cells: ArrayLike,
    *,
    method: str | IntervalMethod = "score",
    truth: ArrayLike | None = None,
    confidence_level: float = 0.95,
    replicates: int = 1_000_000,
    rng: Seed = None,
    executor: Executor | None = None,
) -> Coverage:
    """Return coverage and length of any interval, by simulation.

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
        What the intervals should hold. Needed for a callable; by default the F1 score of `cells`.
    confidence_level : float, default 0.95
        Nominal level of a named method.
    replicates : int, default 1,000,000
        How many test sets to draw.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness. The same seed gives the same numbers with any executor.
    executor : concurrent.futures.Executor, optional
        Where batches are computed: a process pool, or ``client.get_executor()`` of a Dask
        client. A method of your own must be picklable then. By default in this process.

    Returns
    -------
    Coverage
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
    n = _validation.positive_integer("n", n)
    replicates = _validation.positive_integer("replicates", replicates, maximum=_MOST_REPLICATES)
    size = max(1, _BATCH // design.size)
    sizes = [min(size, replicates - start) for start in range(0, replicates, size)]
    streams = _validation.generator(rng).spawn(len(sizes))
    compute = executor.map if executor else map
    batches = compute(partial(_batch, measure, design, n), streams, sizes)
    return _result(reduce(np.add, batches), replicates)


def _batch(
    measure: Measure, design: Array, n: int, stream: np.random.Generator, size: int
) -> Array:
    """Return the sums over one batch."""
    draws = stream.multinomial(n, design.ravel(), size=size)
    return measure(draws.reshape(size, *design.shape), np.ones(size))


def _study(
    cells: ArrayLike, method: str | IntervalMethod, truth: ArrayLike | None, confidence_level: float
) -> tuple[Array, Measure]:
    """Return the design, and the function that measures tables: `_sums`."""
    design = _distribution("cells", cells)
    level = _validation.confidence_level(confidence_level)
    if callable(method):
        return design, partial(_sums, method, _validation.real("truth", truth))
    _validation.shaped("cells", design, design.shape == (4,), "(4,)")
    p11, p10, p01, _ = design
    if not design[:3].any():
        raise ValueError("p11 + p10 + p01 must lie in (0, 1], got 0.0")
    interval = partial(_named_interval, method=method, level=level)
    f1 = 2.0 * p11 / (2.0 * p11 + p10 + p01) if truth is None else truth
    return design, partial(_sums, interval, np.asarray(_validation.number("truth", f1)))


def _named_interval(counts: Cells, method: str, level: float) -> Interval:
    """Return F1's from counts that begin with true positives and end with true negatives."""
    right, wrong = counts[:, 0], counts[:, 1:-1].sum(axis=1)
    of = right.astype(float), wrong.astype(float), np.zeros(())
    sample = sample_of_counts(metrics.f1, of)
    return interval_of(sample, method, level, "f1", quiet=True)


def _sums(interval: IntervalMethod, truth: Array, counts: Cells, weight: Array) -> Array:
    """Return weighted sums over tables, shape (7, ...): see `_result`."""
    low, high = (np.asarray(end, dtype=np.float64) for end in interval(counts))
    expected = (len(counts), *(truth.shape or low.shape[1:]))
    if not low.shape == high.shape == expected:
        rule = f"two arrays of end points of shape {expected} for {len(counts)} tables"
        raise ValueError(f"method must give {rule}, got shapes {low.shape} and {high.shape}")
    undefined = np.isnan(low) | np.isnan(high)
    length = np.where(undefined, 0.0, high - low)
    covered, outside = (low <= truth) & (truth <= high), (low < 0.0) | (high > 1.0)
    rows = ~undefined, undefined, covered, outside, high == low, length, length**2
    # Not by BLAS, whose sums depend on its number of threads: a worker may have another.
    return np.stack([np.einsum("i,i...->...", weight, row) for row in rows])


def _result(sums: Array, replicates: int = 0) -> Coverage:
    """Return the result from the sums of `_sums`, over replicates or over all tables."""
    defined, undefined, covered, outside, flat, length, square = sums
    total, spare = (replicates, 1.0) if replicates else (1.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share, if_defined, mean = covered / total, covered / defined, length / defined
        deviation = np.sqrt(np.maximum(square - mean * length, 0.0) / (defined - spare))
        shares = outside / total, flat / total, undefined / total
        # Of all tables nothing is random: `spare` is zero then.
        error = spare * np.sqrt(share * (1.0 - share) / (total - spare))
        error_if_defined = spare * np.sqrt(if_defined * (1.0 - if_defined) / (defined - spare))
        numbers = share, if_defined, mean, deviation, *shares
        errors = error, error_if_defined, spare * deviation / np.sqrt(defined)
    enumerated = float(((defined + undefined) / total).flat[0])
    noise = map(as_scalar, errors)
    fields: list[Value] = [*map(as_scalar, numbers), enumerated, replicates, *noise]
    return Coverage(*fields)


def _distribution(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return probabilities of any shape that add up to one (to nine digits; then exactly)."""
    array = _validation.weights(name, value)
    total = float(array.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must add up to 1, got a sum of {total!r}")
    return array / total
