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

from f1ci import metrics
from f1ci.answers import Question, interval_of
from f1ci.data import checks
from f1ci.results import covers
from f1ci.samples import CountSample
from f1ci.types import Array, Seed, Value, as_scalar

TableCounts: TypeAlias = NDArray[np.int64]
__all__ = ["Coverage", "covers", "exact", "simulate", "tables"]

IntervalMethod: TypeAlias = Callable[[TableCounts], Iterable[ArrayLike]]

# More tables than this take an hour; more counts of one cell do not fit in memory.
_MOST_TABLES = 1e10
_MOST_COUNTS = 1e7
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
    study = _study(cells, method, truth, confidence_level)
    design = study.cells
    if not callable(method):  # false positives and false negatives count alike: fewer tables
        p11, p10, p01, p00 = design
        design = np.array([p11, p10 + p01, p00])
    sums = [study.sums(*block) for block in tables(n, design, least=least)]
    if not sums:
        raise ValueError(f"least must leave some tables, got {least!r}")
    return _result(reduce(np.add, sums))


def tables(n: int, cells: ArrayLike, *, least: float = 0.0) -> Iterator[tuple[TableCounts, Array]]:
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
    n = checks.positive_integer("n", n, maximum=_MOST_ITEMS)
    design = _distribution("cells", cells)
    least = checks.probability("least", least)
    with np.errstate(divide="ignore"):
        floor = np.maximum(np.log(least), -1e100)  # below any
    possible = np.flatnonzero(design)
    p = design.ravel()[possible]
    _refuse_hours(n, p, floor, least)
    head = np.zeros((1, 0))
    known = -_log_poisson(np.array([float(n)]), float(n))
    for counts, logs in _completed(head, known, float(n), p, floor):
        block = np.zeros((len(counts), design.size), dtype=np.int64)
        block[:, possible] = counts
        yield block.reshape(-1, *design.shape), np.exp(logs)


def _refuse_hours(n: int, p: Array, floor: float, least: float) -> None:
    """Refuse to sum over tables that would take hours, before the first one."""
    reach = _reach(-floor, n * p * (1.0 - p))
    numbers_of_counts = np.sort(np.minimum(2.0 * reach + 1.0, n + 1.0))[:-1]
    cells = len(p)
    number = min(prod(numbers_of_counts.tolist()), comb(n + cells - 1, cells - 1))
    if number > _MOST_TABLES or numbers_of_counts.max(initial=0.0) > _MOST_COUNTS:
        other = f"simulate instead, or leave out more of them than with least={least:.3g}"
        raise ValueError(f"n={n!r} gives about {number:.0e} tables to sum over; {other}")


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
    left = n - heads.sum(axis=1)
    p_left = p[heads.shape[1] :]
    if len(p_left) == 1:
        yield np.column_stack([heads, left]), known + _log_poisson(left, n * float(p_left[0]))
        return
    counts = _likely_counts(left, known, n, p_left, floor)
    for block in _slices(len(heads), max(1, _BLOCK // len(counts))):
        logs, likely = _next_cell(left[block], known[block], counts, n, p_left, floor)
        head, place = np.nonzero(likely)
        if len(head):
            longer = np.column_stack([heads[block][head], counts[place]])
            yield from _completed(longer, logs[head, place], n, p, floor)


def _slices(length: int, size: int) -> list[slice]:
    """Return the slices of at most so many entries that make up a sequence."""
    return [slice(start, start + size) for start in range(0, length, size)]


def _likely_counts(left: Array, known: Array, n: float, p: Array, floor: float) -> Array:
    """Return the counts of the first cell of p that are likely enough after one of the heads."""
    total = p.sum()
    share = p[0] / total
    logs = known + _log_poisson(left, n * total)
    mean = left * share
    reach = _reach(np.maximum(logs - floor, 0.0), mean * (1.0 - share)) + 1.0
    first = max(np.ceil((mean - reach).min()), 0.0)
    last = np.minimum(mean + reach, left).max()
    return np.arange(first, last + 1.0)


def _next_cell(
    left: Array, known: Array, counts: Array, n: float, p: Array, floor: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Return log probabilities of heads with one cell more, and which of these heads are likely.

    The shapes are (heads, counts of that cell).
    """
    here = float(p[0])
    after = float(p[1:].sum())
    logs = known[:, None] + _log_poisson(counts, n * here)
    rest = _log_poisson(left[:, None] - counts, n * after)
    return logs, logs + rest >= floor


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
    study = _study(cells, method, truth, confidence_level)
    n = checks.positive_integer("n", n)
    replicates = checks.positive_integer("replicates", replicates, maximum=_MOST_REPLICATES)
    # Each batch has a random stream of its own, so any number of processes gives these numbers.
    batches = _slices(replicates, max(1, _BATCH // study.cells.size))
    sizes = [min(batch.stop, replicates) - batch.start for batch in batches]
    streams = checks.generator(rng).spawn(len(sizes))
    compute = map if executor is None else executor.map
    sums = compute(partial(_batch, study, n), streams, sizes)
    return _result(reduce(np.add, sums), replicates)


@dataclass(frozen=True)
class _Study:
    """An interval, what it should hold, and the design of the test sets. It travels to workers."""

    cells: Array
    method: str | IntervalMethod
    truth: Array
    level: float

    def limits(self, counts: TableCounts) -> list[Array]:
        """Return the end points for some tables; those of F1 if the method has a name."""
        if callable(self.method):
            return [np.asarray(end, dtype=np.float64) for end in self.method(counts)]
        # Counts begin with the true positives and end with the true negatives.
        right = counts[:, 0].astype(float)
        wrong = counts[:, 1:-1].sum(axis=1).astype(float)
        sample = CountSample(metrics.f1, right, wrong, np.zeros(()))
        question = Question(self.method, self.level)
        return list(interval_of(sample, question))

    def sums(self, counts: TableCounts, weight: Array) -> Array:
        """Return weighted sums over tables, shape (7, ...), in the order of `_result`."""
        low, high = self.limits(counts)
        expected = (len(counts), *(self.truth.shape or low.shape[1:]))
        if not low.shape == high.shape == expected:
            rule = f"two arrays of end points of shape {expected} for {len(counts)} tables"
            raise ValueError(f"method must give {rule}, got shapes {low.shape} and {high.shape}")
        undefined = np.isnan(low) | np.isnan(high)
        covered = covers(low, high, self.truth)
        outside = (low < 0.0) | (high > 1.0)
        length = np.where(undefined, 0.0, high - low)
        rows = (~undefined, undefined, covered, outside, high == low, length, length**2)
        # Not by BLAS, whose sums depend on its number of threads: a worker may have another.
        return np.stack([np.einsum("i,i...->...", weight, row) for row in rows])


def _study(
    cells: ArrayLike, method: str | IntervalMethod, truth: ArrayLike | None, confidence_level: float
) -> _Study:
    """Return the checked arguments of `exact` and `simulate`."""
    design = _distribution("cells", cells)
    level = checks.confidence_level(confidence_level)
    if callable(method):
        return _Study(design, method, checks.real("truth", truth), level)
    checks.shaped("cells", design, design.shape == (4,), "(4,)")
    p11, p10, p01, _ = design
    if not design[:3].any():
        raise ValueError("p11 + p10 + p01 must lie in (0, 1], got 0.0")
    f1 = 2.0 * p11 / (2.0 * p11 + p10 + p01) if truth is None else truth
    return _Study(design, method, np.asarray(checks.number("truth", f1)), level)


def _batch(study: _Study, n: int, stream: np.random.Generator, size: int) -> Array:
    """Return the sums over one batch of drawn tables."""
    draws = stream.multinomial(n, study.cells.ravel(), size=size)
    return study.sums(draws.reshape(size, *study.cells.shape), np.ones(size))


def _result(sums: Array, replicates: int = 0) -> Coverage:
    """Return the result from the sums of `_Study.sums`, over replicates or over all tables."""
    defined, undefined, covered, outside, flat, length, square = sums
    total = replicates or 1.0
    # One replicate is spent on the mean. Of all tables nothing is random, and errors are 0.
    spent = 1.0 if replicates else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = length / defined
        deviation = np.sqrt(np.maximum(square - mean * length, 0.0) / (defined - spent))
        return Coverage(
            coverage=as_scalar(covered / total),
            coverage_if_defined=as_scalar(covered / defined),
            expected_length=as_scalar(mean),
            length_deviation=as_scalar(deviation),
            overshoot=as_scalar(outside / total),
            degeneracy=as_scalar(flat / total),
            undefined=as_scalar(undefined / total),
            enumerated=float(((defined + undefined) / total).flat[0]),
            replicates=replicates,
            coverage_error=as_scalar(_share_error(covered, total, spent)),
            coverage_if_defined_error=as_scalar(_share_error(covered, defined, spent)),
            length_error=as_scalar(spent * deviation / np.sqrt(defined)),
        )


def _share_error(number: Array, total: float | Array, spent: float) -> Array:
    """Return the standard error of the share of a number in a total; 0 if nothing is spent."""
    share = number / total
    return np.asarray(spent * np.sqrt(share * (1.0 - share) / (total - spent)))


def _distribution(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return probabilities of any shape that add up to one (to nine digits; then exactly)."""
    array = checks.weights(name, value)
    total = float(array.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must add up to 1, got a sum of {total!r}")
    return array / total
