"""Exact coverage by summing over every table that a multinomial design can give.

A test set of n items in k cells has C(n + k - 1, k - 1) possible tables. What a simulation
estimates is a sum over them; it can be had exactly wherever there are not too many, and
the fewer cells a measure can tell apart, the larger n may be. Cells of probability zero
cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

__all__ = ["ExactCoverage", "exact_coverage", "probability_of_gap", "tables"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

_BLOCK = 1 << 17  # tables per block: memory stays small, and in the cache


@dataclass(frozen=True, slots=True)
class ExactCoverage:
    """Exact properties of an interval in one design.

    Attributes
    ----------
    coverage : float
        Probability that the interval holds the truth; an undefined one counts as a miss.
    coverage_if_defined : float
        The same, given that the interval is defined.
    undefined : float
        Probability that it is not.
    left_out : float
        Probability of the tables that were not summed over: no number here is further
        than this from the exact one.
    """

    coverage: float
    coverage_if_defined: float
    undefined: float
    left_out: float


def exact_coverage(
    n: int,
    cells: ArrayLike,
    *,
    method: Callable[[Counts], tuple[ArrayLike, ArrayLike]],
    truth: float,
    least: float = 1e-14,
) -> ExactCoverage:
    """Coverage of any interval, without simulation; arguments as `f1ci.coverage.simulate` has them.

    Parameters
    ----------
    n : int
        Size of a test set.
    cells : array_like
        Cell probabilities of any shape.
    method : callable
        Takes counts of shape (batch, *cells.shape), gives the end points ``(low, high)``,
        each of shape (batch,), ``nan`` where undefined.
    truth : float
        What the interval should hold.
    least : float, optional
        Tables less likely than this are left out; see `ExactCoverage.left_out`.
    """
    enumerated = covered = undefined = 0.0
    for counts, probability in tables(n, cells, least=least):
        low, high = (np.asarray(end, dtype=np.float64) for end in method(counts))
        enumerated += float(probability.sum())
        covered += float(probability[(low <= truth) & (truth <= high)].sum())
        undefined += float(probability[np.isnan(low) | np.isnan(high)].sum())
    given = covered / (enumerated - undefined) if undefined < enumerated else math.nan
    return ExactCoverage(covered, given, undefined, max(0.0, 1.0 - enumerated))


def tables(n: int, cells: ArrayLike, *, least: float = 0.0) -> Iterator[tuple[Counts, Array]]:
    """Every table of n items that has at least the probability `least`, in blocks.

    Parameters
    ----------
    n : int
        Number of items.
    cells : array_like
        Cell probabilities of any shape.
    least : float, optional
        Tables less likely than this are left out.

    Yields
    ------
    counts : ndarray of int, shape (batch, *cells.shape)
    probability : ndarray, shape (batch,)
    """
    design = np.asarray(cells, dtype=np.float64)
    possible = np.flatnonzero(design.ravel() > 0)
    p = design.ravel()[possible]
    split = (len(p) - 1) // 2
    head_cells, tail_cells = possible[:split], possible[split:]
    threshold = math.log(least) if least > 0 else -math.inf
    for items in range(n + 1) if split else [0]:
        # Any way to put some items into the first cells goes with any for the others.
        heads, tails = _compositions(items, split), _compositions(n - items, len(p) - split)
        log_heads = float(gammaln(n + 1)) + _log_weights(heads, p[:split])
        log_tails = _log_weights(tails, p[split:])
        step = max(1, _BLOCK // len(tails))
        for start in range(0, len(heads), step):
            log = log_heads[start : start + step, None] + log_tails
            i, j = np.nonzero(log >= threshold)
            if not len(i):
                continue
            counts = np.zeros((len(i), design.size), dtype=np.int64)
            counts[:, head_cells] = heads[start + i]
            counts[:, tail_cells] = tails[j]
            yield counts.reshape(-1, *design.shape), np.exp(log[i, j])


def probability_of_gap(n: int, cells: ArrayLike, groups: Sequence[NDArray[np.bool_]]) -> float:
    """Probability that at least one group of cells is empty, by inclusion and exclusion.

    Parameters
    ----------
    n : int
        Number of items.
    cells : array_like
        Cell probabilities of any shape.
    groups : sequence of ndarray of bool
        Masks of that shape; they may overlap.
    """
    design = np.asarray(cells, dtype=np.float64)
    total = 0.0
    for size in range(1, len(groups) + 1):
        for chosen in combinations(groups, size):
            outside = float(design[~np.any(chosen, axis=0)].sum())
            total -= (-1) ** size * outside**n
    return total


@cache
def _compositions(total: int, parts: int) -> Counts:
    """All ways to write `total` as an ordered sum of `parts` integers, one in each row."""
    if parts == 0:
        return np.zeros((int(total == 0), 0), dtype=np.int64)
    if parts == 1:
        return np.array([[total]], dtype=np.int64)
    rest = [_compositions(total - first, parts - 1) for first in range(total + 1)]
    first = np.repeat(np.arange(total + 1), [len(rows) for rows in rest])
    return np.column_stack([first, np.concatenate(rest)])


def _log_weights(counts: Counts, p: Array) -> Array:
    """The log of prod p**x / x! for each row."""
    weights: Array = counts @ np.log(p) - gammaln(counts + 1.0).sum(axis=1)
    return weights
