r"""Scores over units whose items may depend on one another: documents, images, users.

Units are independent, the items of one unit are not. A unit is a row of counts by cell: TP, FP and
FN; the cells of a confusion matrix; a score and what it lacks to 1. Any score is a function of the
sums of the rows.

**Score limits.** The sentence of `f1ci.methods.region` holds with units as the kinds: the limits
are the range of the score over all shares q of kinds of units with

    sum over g of p_g^2 / q_g <= 1 + z^2 / G,        p_g = 1 / G for each of G units seen.

Kinds of units that were not seen have p = 0. They are the units whose items are all in one cell, so
that the worst and the best unit are among them. Their size is the mean size of a unit as its items
see it, sum of n_g^2 / sum of n_g, because a perfect score then has about Wilson's limits for
1 / sum h_g^2 units, where h_g is the share of unit g in the items. If every item is a unit, these
are the limits of independent items; of two kinds of units they are Wilson's (1927). Neither
Student's quantile nor a variance is needed.

When they fail: near a perfect score coverage dips as that of Wilson's interval does, to 0.87 in the
study (book, chapter "Units"). If large units are harder and a few hold most items, a sample may
lack what decides the score. Limits are long where units hardly differ, since a unit that fails is
possible: those of a few images with nearly equal scores are six times as far apart as those of a t
interval.

**Logit limits** assume that no unit can be much worse than those seen; differences of two models
have no others, because a unit in which one model is perfect and the other all wrong is absurd.

1. Leave each unit out in turn. Without unit g the score changes by theta - theta_g. The jackknife
   variance is (G - 1) / G times the sum of the squares of these changes.
2. The limits are symmetric on the logit scale of the score's range, so they stay inside it.
3. The quantile is Student's, with 1 / sum(h_g^2) - 1 degrees of freedom. Units of one size give
   G - 1 degrees of freedom, and a few large units fewer.

If a fixed number of units was drawn from each of H strata, the factor is (G_h - 1) / G_h for the
G_h units of each stratum, and H takes the place of 1 in the degrees of freedom. A stratum with one
unit tells nothing of its variance, and counts as having none.

When they fail: if a rare kind of unit has a very low score, a small sample may not hold it, and
coverage falls to one half.

These are kernels: a table has the units first and the cells last. Units without items change
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from f1ci.methods import delta, region
from f1ci.methods.closed_form import Limits
from f1ci.types import Array, FloatOrArray

# A dense or sparse array of shape (units, cells).
Table: TypeAlias = Any

# Counts by cell (K, B) -> the score (B,), and the influence of each cell (K, B).
Evaluate: TypeAlias = Callable[[Array], tuple[Array, Array]]

# Counts by cell (K, B) -> the score (B,) alone, which costs less.
ValueOf: TypeAlias = Callable[[Array], Array]

# Changes this small relative to what they are differences of are rounding.
_ROUNDING = 1e-13

# A unit with all but this share holds everything, and leaving it out says nothing.
_EVERYTHING = 1e-12

_TINY = 1e-300

# Tables without a unit are worked on in blocks of about so many numbers.
_BLOCK = 1 << 18


def score_limits(evaluate: Evaluate, table: Table, z: float) -> tuple[float, float]:
    """Return the range of a score in Pearson's region, with units as kinds.

    Parameters
    ----------
    evaluate : callable
        Takes counts by cell (K, B); returns the score and its influences, whose mean is 0.
    table : ndarray or sparse array, shape (units, K)
        What each unit holds.
    z : float
        The two-sided normal quantile of the level.
    """
    size = np.asarray(table.sum(axis=1))
    table = table[size > 0.0]
    units, cells = table.shape
    if not units:
        return np.nan, np.nan
    unseen = (size * size).sum() / size.sum()

    def by_unit(q: Array) -> tuple[Array, Array]:
        counts = table.T @ q[:units] + unseen * q[units:]
        value, influence = evaluate(counts)
        slopes = influence / counts.sum(axis=0)
        return value, np.concatenate([table @ slopes, unseen * slopes])

    kinds = np.concatenate([np.ones(units), np.zeros(cells)])
    low, high = region.score_limits(by_unit, kinds[:, None], z)
    return float(low[0]), float(high[0])


class Moves(NamedTuple):
    """A score, or several, and how units move it.

    Attributes
    ----------
    estimate : ndarray, shape (...)
        The score of all units.
    influence : ndarray, shape (units, ...)
        How far each unit moves the score, by the delta method.
    left_out : ndarray, shape (units, ...)
        How far the score changes if the unit is left out.
    share : ndarray, shape (units, ...)
        The unit's share in the items that the score depends on.
    strata : ndarray of int, shape (units,), or None
        The stratum from which each unit was drawn, if a fixed number was drawn from each.
    """

    estimate: Array
    influence: Array
    left_out: Array
    share: Array
    strata: NDArray[np.intp] | None = None

    @property
    def number_of_strata(self) -> int:
        """The number of strata, 1 if units were drawn from one population."""
        return 1 if self.strata is None else len(np.unique(self.strata))

    @property
    def units(self) -> Array:
        """How many units hold items, at least 1; in strata how many of each unit's stratum."""
        holding = np.asarray(self.share > 0.0)
        if self.strata is None:
            return np.asarray(np.maximum(holding.sum(axis=0), 1))
        in_stratum = np.zeros((int(self.strata.max()) + 1, *holding.shape[1:]))
        np.add.at(in_stratum, self.strata, holding)
        return np.asarray(np.maximum(in_stratum[self.strata], 1.0))


def moves_of(evaluate: Evaluate, value_of: ValueOf, table: Table, part: NDArray[np.intp]) -> Moves:
    """Return how units move a score; cells belong to parts, such as classes."""
    total = np.asarray(table.sum(axis=0))
    value, by_cell = evaluate(total[:, None])
    slope = np.nan_to_num(by_cell[:, 0])
    moved = _rounded(table @ slope, table @ np.abs(slope)) / max(total.sum(), _TINY)
    share = _shares(table, total * slope * slope, part.astype(np.intp, copy=False))
    change = _rounded(value - _without_each(value_of, total, table), np.abs(value))
    # If the score is undefined without a unit, the influence says what it changes.
    others = np.maximum(1.0 - share, _EVERYTHING)
    by_influence = np.where(others > _EVERYTHING, moved / others, 0.0)
    left_out = np.where(np.isnan(change), by_influence, change)
    return Moves(value[0], moved, left_out, share)


def _shares(table: Table, squares: Array, part: NDArray[np.intp]) -> Array:
    """Return the units' shares, from the squared influences that each cell adds up to.

    A unit's share is the mean of its shares in the parts, which count by how much of the variance
    they would give if items were independent.
    """
    matters = np.asarray(table.sum(axis=1))
    if squares.any():
        items = np.bincount(part, np.asarray(table.sum(axis=0)))
        weight = np.bincount(part, squares) / np.maximum(items, _TINY)
        matters = np.asarray(table @ weight[part])
    return np.asarray(matters / max(matters.sum(), _TINY))


def _without_each(value_of: ValueOf, total: Array, table: Table) -> Array:
    """Return the score without each unit, (units,)."""
    step = max(1, _BLOCK // table.shape[1])
    values = []
    for start in range(0, table.shape[0], step):
        block = table[start : start + step]
        dense = block if isinstance(block, np.ndarray) else block.toarray()
        values.append(value_of(total[:, None] - dense.T))
    return np.concatenate(values)


def change(a: Moves, b: Moves) -> Moves:
    """Return how units move B's score minus A's; its range is symmetric about 0.

    What a unit does to both scores alike cancels, except for rounding.
    """
    influence = _rounded(b.influence - a.influence, np.abs(a.influence) + np.abs(b.influence))
    left_out = _rounded(b.left_out - a.left_out, np.abs(a.left_out) + np.abs(b.left_out))
    share = 0.5 * (a.share + b.share)
    return Moves(b.estimate - a.estimate, influence, left_out, share, a.strata)


def delta_moves(moves: Moves) -> Array:
    """Return moves (units, ...) whose sum of squares is the variance by the delta method.

    The factor is G / (G - 1) for the G units that hold items. They are nan where the score is.
    """
    factor = moves.units / np.maximum(moves.units - 1.0, 1.0)
    return np.where(np.isnan(moves.estimate), np.nan, np.sqrt(factor) * moves.influence)


def difference_error(a: Moves, b: Moves) -> Array:
    """Return the standard error of B's score minus A's by the delta method."""
    of_a, of_b = delta_moves(a), delta_moves(b)
    moves = _rounded(of_b - of_a, np.abs(of_a) + np.abs(of_b))
    return np.asarray(np.sqrt((moves**2).sum(axis=0)))


def jackknife_error(moves: Moves) -> Array:
    """Return the jackknife's standard error."""
    factor = 1.0 - 1.0 / moves.units
    return np.asarray(np.sqrt((factor * moves.left_out**2).sum(axis=0)))


def degrees_of_freedom(share: Array, strata: int = 1) -> Array:
    """Return Student's degrees of freedom, at least 1, from the units' shares (units, ...).

    Each stratum has a mean of its own, and takes one.
    """
    # If no unit holds anything, the interval is the whole range for any quantile.
    squares = np.maximum((share**2).sum(axis=0), 1e-9)
    return np.asarray(np.maximum(1.0 / squares - strata, 1.0))


def logit_limits(
    moves: Moves, z: FloatOrArray, range_: tuple[FloatOrArray, FloatOrArray]
) -> Limits:
    """Return the limits of the jackknife on the logit scale of the range, with Student's quantile.

    They are the whole range where the score is undefined or has no variance.
    """
    t = stdtrit(degrees_of_freedom(moves.share, moves.number_of_strata), ndtr(z))
    low, high = delta.logit(moves.estimate, jackknife_error(moves), t, range_)
    undefined = np.isnan(moves.estimate)
    return np.where(undefined, range_[0], low), np.where(undefined, range_[1], high)


def limits_of_difference(
    moves: Moves, z: FloatOrArray, range_: tuple[FloatOrArray, FloatOrArray]
) -> Limits:
    """Return the logit limits of a difference, also where all units have the same difference.

    The share of units of another kind is then at most Wilson's upper limit for none of G,
    z^2 / (G + z^2). They may have the opposite difference; any one, if the difference is 0.
    """
    estimate = moves.estimate
    low, high = logit_limits(moves, z, range_)
    number = np.maximum((moves.share > 0.0).sum(axis=0), 1)
    unseen = z * z / (number + z * z)
    below = np.where(estimate == 0.0, -range_[0], 2.0 * np.abs(estimate))
    above = np.where(estimate == 0.0, range_[1], 2.0 * np.abs(estimate))
    alike = jackknife_error(moves) == 0.0
    low = np.where(alike, np.maximum(estimate - unseen * below, range_[0]), low)
    high = np.where(alike, np.minimum(estimate + unseen * above, range_[1]), high)
    return low, high


def _rounded(difference: Array, size: Array) -> Array:
    """Return differences; those that are rounding, given the size of their terms, as 0."""
    return np.where(np.abs(difference) <= _ROUNDING * size, 0.0, difference)
