"""How good is a method? Coverage and length, by enumeration or by simulation.

`exact` enumerates: given v, TP is binomial (Lam, Gopal and Qian 2024, eqs. 15
and 16), so coverage, expected length, overshoot and degeneracy of an interval
for F1 (their section 5.2) are sums over the pairs (v, TP) and need no
replicates.

`simulate` draws: any design whose test sets enter through multinomial cell
counts, any method that maps such counts to end points. `average` is the engine
below it, for any quantity that is a function of the cells. Both work in batches
of bounded memory, and give the same bits on one process, on several or on a
cluster, because every batch has a random stream of its own and results are
added up in the order of the batches.

When they fail: `exact` sums up to about 200 v pairs, so a test set of millions
takes minutes; pairs whose probabilities add up to less than 1e-9 are left out
(`Coverage.enumerated` says what was kept).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from f1ci import metrics, validation
from f1ci.intervals import answer
from f1ci.methods import BY_KIND
from f1ci.results import plain

__all__ = ["Average", "Coverage", "SimulatedCoverage", "average", "exact", "simulate"]

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

# Probability that enumeration may leave out, shared between the two binomials.
_LEFT_OUT = 1e-10
# Standard deviations beyond which a binomial has less than `_LEFT_OUT` mass even when it is skew.
_REACH = 9.0
# Pairs (v, TP) per block of `exact`, and numbers per batch of `average`.
_PAIRS = 1 << 18
_BATCH = 1 << 19
# Batches that wait for an executor at any time: enough for a cluster of a hundred cores, and no
# more to remember however many replicates there are.
_SUBMITTED = 256


@dataclass(frozen=True, slots=True)
class Coverage:
    """Exact properties of an interval for F1 in one design.

    A test set without any relevant item (v = 0) leaves the score undefined and its
    interval is [0, 1]: it counts as covering, with length one.

    Attributes
    ----------
    coverage : float
        Probability that the interval holds the true F1 score.
    expected_length : float
        Mean length of the interval.
    overshoot : float
        Probability that an end point lies outside [0, 1].
    degeneracy : float
        Probability that the interval has no width.
    undefined : float
        Probability that there is no relevant item.
    enumerated : float
        Total probability of the outcomes summed over; at least 1 - 1e-9.
    length_deviation : float
        Standard deviation of the length from one test set to the next.
    """

    coverage: float
    expected_length: float
    overshoot: float
    degeneracy: float
    undefined: float
    enumerated: float
    length_deviation: float


def exact(
    n: int,
    p11: float,
    p10: float,
    p01: float,
    *,
    method: str = "score",
    confidence_level: float = 0.95,
) -> Coverage:
    """Coverage, length, overshoot and degeneracy of an F1 interval, without simulation.

    Parameters
    ----------
    n : int
        Size of the test set.
    p11, p10, p01 : float
        Probabilities of a true positive, a false positive and a false negative.
    method : str, default "score"
        A method of `f1ci.f1_interval`.
    confidence_level : float, default 0.95
        Its nominal level.

    Returns
    -------
    Coverage
        See there for how a test set without relevant items counts.

    Examples
    --------
    Scenario 1 of Lam, Gopal and Qian at n = 25:

    >>> import f1ci
    >>> result = f1ci.coverage.exact(25, 0.4, 0.1, 0.1, method="wald")
    >>> f"{result.coverage:.3f} {result.expected_length:.3f} {result.overshoot:.4f}"
    '0.905 0.343 0.2305'
    """
    n = validation.positive_integer("n", n)
    cells = _cell_probabilities(p11=p11, p10=p10, p01=p01)
    level = validation.confidence_level(confidence_level)
    interval = BY_KIND["f1"][validation.choice("method", method, BY_KIND["f1"])]
    relevant = float(cells.sum())
    share = float(cells[0]) / relevant
    truth = 2.0 * share / (1.0 + share)
    # Moments about the length at the mean counts: the lengths of a large test hardly differ.
    mean = n * cells
    _, _, low, high = answer(metrics.f1, tuple(mean), interval, level)
    origin = high - low
    totals = np.zeros(7)
    for v, tp, probability in _pairs(n, min(relevant, 1.0), share):
        _, _, low, high = answer(metrics.f1, (tp, v - tp, np.float64(0.0)), interval, level)
        length = high - low
        totals += (
            probability.sum(),
            probability[(low <= truth) & (truth <= high)].sum(),
            (probability * length).sum(),
            (probability * (length - origin)).sum(),
            (probability * (length - origin) ** 2).sum(),
            probability[(low < 0.0) | (high > 1.0)].sum(),
            probability[high == low].sum(),
        )
    enumerated, coverage, length_mean, first, second, overshoot, degeneracy = map(float, totals)
    variance = second / enumerated - (first / enumerated) ** 2
    return Coverage(
        coverage=coverage,
        expected_length=length_mean,
        overshoot=overshoot,
        degeneracy=degeneracy,
        undefined=max(1.0 - relevant, 0.0) ** n,
        enumerated=enumerated,
        length_deviation=max(variance, 0.0) ** 0.5,
    )


def _pairs(n: int, relevant: float, share: float) -> Iterator[tuple[Array, Array, Array]]:
    """Blocks of (v, TP, probability) that leave out less than 1e-9 in total."""
    v = _support(float(n), relevant)
    v_log = _log_binomial(v, float(n), relevant)
    reach = np.ceil(_REACH * np.sqrt(v * share * (1.0 - share)) + 0.5 * _REACH**2)
    width = int(2 * reach.max()) + 1
    step = max(1, _PAIRS // width)
    for start in range(0, len(v), step):
        rows = slice(start, start + step)
        first = np.maximum(np.floor(v[rows] * share) - reach[rows], 0.0)
        tp = first[:, None] + np.arange(width)
        here = np.broadcast_to(v[rows, None], tp.shape)
        possible = tp <= here
        tp, here = tp[possible], here[possible]
        log = np.broadcast_to(v_log[rows, None], possible.shape)[possible]
        probability = np.exp(log + _log_binomial(tp, here, share))
        # All pairs below this threshold together hold less than `_LEFT_OUT`.
        likely = probability > _LEFT_OUT / (len(v) * width)
        yield here[likely], tp[likely], probability[likely]


def _support(n: float, p: float) -> Array:
    """The values of Binomial(n, p) but for tails of less than `_LEFT_OUT`."""
    reach = _REACH * np.sqrt(n * p * (1.0 - p)) + 0.5 * _REACH**2
    return np.arange(max(0.0, np.floor(n * p - reach)), min(n, np.ceil(n * p + reach)) + 1.0)


def _log_binomial(k: Array, n: Array | float, p: float) -> Array:
    """Log probability of k among n, exact at p = 0 and p = 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log = (
            gammaln(n + 1.0)
            - gammaln(k + 1.0)
            - gammaln(n - k + 1.0)
            + np.where(k == 0.0, 0.0, k * np.log(p))
            + np.where(k == n, 0.0, (n - k) * np.log1p(-p))
        )
    return np.asarray(log)


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
    measure: Callable[[Cells], ArrayLike],
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
    n = validation.positive_integer("n", n)
    replicates = validation.positive_integer("replicates", replicates)
    size = max(1, _BATCH // probabilities.size)
    sizes = [min(size, replicates - start) for start in range(0, replicates, size)]
    streams = np.random.default_rng(rng).spawn(len(sizes))
    task = partial(_batch_moments, measure, probabilities, n)
    batches = _in_order(executor, task, zip(streams, sizes, strict=True))
    moments: Moments | None = None
    done = 0
    for batch, drawn in zip(batches, sizes, strict=True):
        moments = batch if moments is None else _merge_moments(moments, batch)
        done += drawn
        if progress is not None:
            progress(done, replicates)
    assert moments is not None  # there is at least one replicate
    count, mean, square = moments
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(square / (count - 1))
    return Average(np.where(count > 0, mean, np.nan), deviation, count, replicates)


Moments = tuple[NDArray[np.int64], Array, Array]


def _in_order(
    executor: Executor | None,
    task: Callable[..., Moments],
    arguments: Iterable[tuple[Any, ...]],
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
    measure: Callable[[Cells], ArrayLike],
    probabilities: Array,
    n: int,
    stream: np.random.Generator,
    size: int,
) -> Moments:
    """Count, mean and sum of squared deviations of each quantity over one batch."""
    draws = stream.multinomial(n, probabilities.ravel(), size=size)
    values = np.asarray(measure(draws.reshape(size, *probabilities.shape)), dtype=np.float64)
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    square = (np.where(defined, values - mean, 0.0) ** 2).sum(axis=0)
    return count, mean, square


def _merge_moments(one: Moments, other: Moments) -> Moments:
    """Moments of two batches together (Chan, Golub and LeVeque 1983)."""
    count = one[0] + other[0]
    weight = other[0] / np.maximum(count, 1)
    difference = other[1] - one[1]
    mean = one[1] + difference * weight
    square = one[2] + other[2] + difference**2 * weight * one[0]
    return count, mean, square


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedCoverage:
    """Monte Carlo properties of an interval in one design; errors are standard errors.

    Attributes
    ----------
    coverage, coverage_error : float or ndarray
        Share of intervals that hold the truth; an undefined one counts as a miss.
    coverage_if_defined, coverage_if_defined_error : float or ndarray
        The same share among the defined intervals alone.
    expected_length, length_error : float or ndarray
        Mean length of the defined intervals.
    overshoot, degeneracy, undefined : float or ndarray
        Shares of intervals with an end point outside [0, 1], of those with no
        width, and of undefined ones.
    length_deviation : float or ndarray
        Standard deviation of the length from one test set to the next.
    replicates : int
        How many test sets were drawn.
    """

    coverage: Any
    coverage_error: Any
    coverage_if_defined: Any
    coverage_if_defined_error: Any
    expected_length: Any
    length_error: Any
    overshoot: Any
    degeneracy: Any
    undefined: Any
    length_deviation: Any
    replicates: int


def simulate(
    n: int,
    cells: ArrayLike,
    *,
    method: str | Callable[[Cells], tuple[ArrayLike, ArrayLike]] = "score",
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
    >>> exact = f1ci.coverage.exact(25, *design[:3], method="wald")
    >>> bool(abs(result.coverage - exact.coverage) < 4 * result.coverage_error)
    True
    """
    probabilities = _distribution("cells", cells)
    level = validation.confidence_level(confidence_level)
    if callable(method):
        if truth is None:
            raise TypeError("truth must be given with a method of your own, got None")
        target = np.asarray(truth, dtype=np.float64)
        interval: Callable[[Cells], tuple[ArrayLike, ArrayLike]] = method
    else:
        validation.choice("method", method, BY_KIND["f1"])
        validation.shape("cells", probabilities, (4,))
        p11, p10, p01, _ = probabilities
        _cell_probabilities(p11=p11, p10=p10, p01=p01)
        target = np.asarray(2.0 * p11 / (2.0 * p11 + p10 + p01))
        interval = partial(_named_interval, method=method, level=level)
    result = average(
        partial(_interval_quantities, interval, target),
        probabilities,
        n,
        replicates=replicates,
        rng=rng,
        executor=executor,
        progress=progress,
    )
    mean, error = result.mean, result.standard_error
    return SimulatedCoverage(
        coverage=plain(mean[0]),
        coverage_error=plain(error[0]),
        coverage_if_defined=plain(mean[1]),
        coverage_if_defined_error=plain(error[1]),
        expected_length=plain(mean[2]),
        length_error=plain(error[2]),
        length_deviation=plain(result.standard_deviation[2]),
        overshoot=plain(mean[3]),
        degeneracy=plain(mean[4]),
        undefined=plain(mean[5]),
        replicates=result.replicates,
    )


def _named_interval(counts: Cells, method: str, level: float) -> tuple[Array, Array]:
    tp, fp, fn, _ = counts.T.astype(np.float64)
    _, _, low, high = answer(metrics.f1, (tp, fp, fn), BY_KIND["f1"][method], level)
    return low, high


def _interval_quantities(
    interval: Callable[[Cells], tuple[ArrayLike, ArrayLike]], truth: Array, counts: Cells
) -> Array:
    """The quantities whose means `simulate` reports, shape (batch, 6, ...)."""
    low, high = (np.asarray(end, dtype=np.float64) for end in interval(counts))
    undefined = np.isnan(low) | np.isnan(high)
    covered = ((low <= truth) & (truth <= high)).astype(np.float64)
    return np.stack(
        [
            covered,
            np.where(undefined, np.nan, covered),
            high - low,
            ((low < 0.0) | (high > 1.0)).astype(np.float64),
            (high == low).astype(np.float64),
            undefined.astype(np.float64),
        ],
        axis=1,
    )


# What a legal argument is.


def _cell_probabilities(**named: Any) -> NDArray[np.float64]:
    """Probabilities of some cells of a table: together above 0 and at most 1."""
    cells = np.array([validation.probability(name, value) for name, value in named.items()])
    if not 0.0 < cells.sum() <= 1.0 + 1e-9:
        listed = " + ".join(named)
        raise ValueError(f"{listed} must lie in (0, 1], got {float(cells.sum())!r}")
    return cells


def _distribution(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Probabilities of any shape that add up to one (to nine digits; then exactly)."""
    array = validation.weights(name, value)
    total = float(array.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must add up to 1, got a sum of {total!r}")
    return array / total
