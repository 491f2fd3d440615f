"""Scores over units whose items may depend on one another: documents, images, users.

Units are independent, the items of one unit are not. One rule serves every score:

1. Leave each unit out in turn. Without unit g the score changes by theta - theta_g. The jackknife
   variance is (G - 1) / G times the sum of the squares of these changes, for G units.
2. The limits are symmetric on the logit scale of the score's range, so they stay inside it. The
   centre of an average over classes is the score less the jackknife's bias.
3. The quantile is Student's, with 1 / sum(h_g^2) - 1 degrees of freedom, where h_g is the share of
   unit g in the items that the score depends on. Units of one size give G - 1 degrees of freedom,
   and a few large units fewer.

If no unit changes the score, all units are alike, and nothing is known of other kinds. Their share
is at most Wilson's upper limit for none of G, z^2 / (G + z^2), and they may have any score. For a
perfect score these are Wilson's limits, with one item for each unit. Units without items change
nothing.

When this fails: coverage is below the level if the score is nearly perfect, the items are strongly
dependent, and a few units are much larger than the others; if a class of an average occurs in one
unit only; and if large units are harder than small ones.

These are kernels: arrays have the units first, and a batch or the classes last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from f1ci.methods import delta
from f1ci.methods.closed_form import Limits, tversky_moments
from f1ci.types import Array, FloatOrArray

# Changes this small relative to what they are differences of are rounding.
_ROUNDING = 1e-13

# A unit with all but this share holds everything, and leaving it out says nothing.
_EVERYTHING = 1e-12


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
    bias : ndarray or float
        By how much the score is too high on average, as the jackknife says; for averages by class.
    """

    estimate: Array
    influence: Array
    left_out: Array
    share: Array
    bias: FloatOrArray = 0.0

    @property
    def units(self) -> Array:
        """The number of units that hold items, at least 1."""
        return np.asarray(np.maximum((self.share > 0.0).sum(axis=0), 1))


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
    return np.asarray(np.sqrt(factor * (moves.left_out**2).sum(axis=0)))


def degrees_of_freedom(share: Array) -> Array:
    """Return Student's degrees of freedom, at least 1, from the units' shares (units, ...)."""
    # If no unit holds anything, the interval is the whole range for any quantile.
    squares = np.maximum((share**2).sum(axis=0), 1e-9)
    return np.asarray(np.maximum(1.0 / squares - 1.0, 1.0))


def limits(moves: Moves, z: FloatOrArray, range_: tuple[FloatOrArray, FloatOrArray]) -> Limits:
    """Return the limits of the jackknife on the logit scale of the range, with Student's quantile.

    Without a variance they leave room for units of a kind that was not seen. They are the whole
    range where the score is undefined.
    """
    estimate = moves.estimate
    least, largest = range_
    error = jackknife_error(moves)
    t = stdtrit(degrees_of_freedom(moves.share), ndtr(z))
    # 1. The bias moves the centre half of the way to a border at most.
    halfway = 0.5 * (least + estimate), 0.5 * (largest + estimate)
    low, high = delta.logit(np.clip(estimate - moves.bias, *halfway), error, t, range_)
    # 2. Without a variance all units are alike.
    low_if_alike, high_if_alike = _limits_of_alike_units(moves, z, range_)
    low = np.where(error == 0.0, low_if_alike, np.minimum(low, estimate))
    high = np.where(error == 0.0, high_if_alike, np.maximum(high, estimate))
    # 3. An undefined score may be anything.
    undefined = np.isnan(estimate)
    return np.where(undefined, least, low), np.where(undefined, largest, high)


def _limits_of_alike_units(
    moves: Moves, z: FloatOrArray, range_: tuple[FloatOrArray, FloatOrArray]
) -> Limits:
    """Return the limits if all units are alike.

    The share of other units is at most Wilson's upper limit for none of G. They may have any score.
    """
    estimate = moves.estimate
    least, largest = range_
    unseen = z * z / (moves.units + z * z)
    with np.errstate(invalid="ignore"):
        return estimate - unseen * (estimate - least), estimate + unseen * (largest - estimate)


def change(a: Moves, b: Moves) -> Moves:
    """Return how units move B's score minus A's; its range is symmetric about 0.

    What a unit does to both scores alike cancels, except for rounding.
    """
    influence = _rounded(b.influence - a.influence, np.abs(a.influence) + np.abs(b.influence))
    left_out = _rounded(b.left_out - a.left_out, np.abs(a.left_out) + np.abs(b.left_out))
    share = 0.5 * (a.share + b.share)
    return Moves(b.estimate - a.estimate, influence, left_out, share, b.bias - a.bias)


# From counts to moves.


def moves_of_counts(table: Array, a: float, b: float) -> Moves:
    """Return how units move a Tversky score, from TP, FP and FN of shape (units, 3, ...).

    A unit's share is its share of the relevant items.
    """
    matters = np.array([1.0, a > 0.0, b > 0.0]).reshape(1, 3, *(1,) * (table.ndim - 2))
    table = table * matters
    total = table.sum(axis=0)
    estimate = _score(total, a, b)
    without = _score(np.moveaxis(total - table, 1, 0), a, b)
    tp, fp, fn = np.moveaxis(table, 1, 0)
    D = tp + a * fp + b * fn
    influence = _shares_of(_rounded(tp - estimate * D, tp + D), D.sum(axis=0))
    share = _shares_of(tp + fp + fn, total.sum(axis=0))
    return Moves(estimate, influence, _changes(estimate, without), share)


def _shares_of(parts: Array, total: Array) -> Array:
    """Return parts over a total, 0 where the total is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(parts / total)


def moves_of_average(table: Array, a: float, b: float, weighted: bool) -> Moves:
    """Return how units move the mean over classes of a Tversky score, from (units, 3, classes).

    Every class has a score. A unit's share is its share in the classes, which count by how much of
    the variance they give.
    """
    total = table.sum(axis=0)
    classes = moves_of_counts(table, a, b)
    weight = _class_weights(total, weighted)
    scores = np.where(weight > 0.0, classes.estimate, 0.0)
    estimate = weight @ scores
    # 1. The influence; the weights are random, too.
    influence = np.where(weight > 0.0, classes.influence, 0.0) @ weight
    if weighted:
        true = table[:, 0] + table[:, 2]
        influence = influence + true @ (scores - estimate) / true.sum()
    share = classes.share @ _class_shares(total, a, b, weight)
    # 2. The changes without each unit, and the jackknife's bias.
    others = np.moveaxis(total - table, 1, 0)
    left_out = _changes(estimate, _average(others, a, b, weighted, scores))
    return Moves(estimate, influence, left_out, share, _bias(left_out, share))


def _average(counts: Array, a: float, b: float, weighted: bool, known: Array) -> Array:
    """Return averages over classes from TP, FP and FN, the first axis; classes last.

    A class without relevant items keeps its known score.
    """
    scores = _score(counts, a, b)
    scores = np.where(np.isnan(scores), known, scores)
    return np.asarray((_class_weights(counts, weighted) * scores).sum(axis=-1))


def _bias(left_out: Array, share: Array) -> Array:
    """Return (G - 1) (mean without a unit - score), over the G units that hold items."""
    units = np.maximum((share > 0.0).sum(axis=0), 1)
    return np.asarray(-(units - 1.0) * left_out.sum(axis=0) / units)


def _class_weights(counts: Array, weighted: bool) -> Array:
    """Return the weights of the classes, from TP, FP and FN, the first axis; classes last."""
    tp, _, fn = counts
    weight = tp + fn if weighted else np.ones_like(tp)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def _class_shares(total: Array, a: float, b: float, weight: Array) -> Array:
    """Return how much of the variance of an average each class gives, if items are independent."""
    tp, fp, fn = total
    error = tversky_moments(tp, fp, fn, a, b)[1]
    variance = np.where(weight > 0.0, weight * error, 0.0) ** 2
    if not variance.any():
        return weight
    return np.asarray(variance / variance.sum())


def moves_of_scores(scores: Array, groups: NDArray[np.intp] | None = None) -> Moves:
    """Return how units, or groups of them, move the mean of the units' scores (units,).

    Units whose score is nan are left out.
    """
    known = ~np.isnan(scores)
    number = max(int(known.sum()), 1)
    estimate = np.asarray(scores[known].sum() / number if known.any() else np.nan)
    moved = _rounded(scores - estimate, np.abs(scores) + np.abs(estimate)) / number
    influence = np.where(known, moved, 0.0)
    share = known / number
    if groups is not None:
        influence = np.asarray(np.bincount(groups, influence), dtype=np.float64)
        share = np.asarray(np.bincount(groups, share), dtype=np.float64)
    others = np.maximum(1.0 - share, _EVERYTHING)
    left_out = np.where(others > _EVERYTHING, influence / others, 0.0)
    return Moves(estimate, influence, left_out, share)


def moves_of_items(
    estimate: Array,
    influence: Array,
    counts: Array,
    true: NDArray[np.intp],
    groups: NDArray[np.intp],
) -> Moves:
    """Return how groups of items move any metric.

    Rows of alike items have an influence (of one item, mean 0), a count, a true class and a group.
    A group's share is its share of the items, which count by the mean square of the influences in
    their true class. A score without the group differs by its influence / (1 - share), exactly if
    the score is a proportion.
    """
    n = counts.sum()
    sums = np.asarray(np.bincount(groups, counts * influence), dtype=np.float64)
    sizes = np.asarray(np.bincount(groups, counts * np.abs(influence)), dtype=np.float64)
    moved = _rounded(sums, sizes) / n
    square = np.bincount(true, counts * influence**2)
    of_class = square / np.maximum(np.bincount(true, counts), 1.0)
    matters = counts * (of_class[true] if of_class.any() else 1.0)
    share = np.bincount(groups, matters) / matters.sum()
    others = np.maximum(1.0 - share, _EVERYTHING)
    left_out = np.where(others > _EVERYTHING, moved / others, 0.0)
    return Moves(estimate, moved, left_out, share)


def _score(counts: Array, a: float, b: float) -> Array:
    """Return Tversky scores from TP, FP and FN, the first axis."""
    tp, fp, fn = counts
    return tversky_moments(tp, fp, fn, a, b)[0]


def _changes(estimate: Array, without: Array) -> Array:
    """Return the changes of a score. One that is undefined without a unit does not change."""
    return np.nan_to_num(_rounded(estimate - without, np.abs(estimate)))


def _rounded(difference: Array, size: Array) -> Array:
    """Return differences; those that are rounding, given the size of their terms, as 0."""
    return np.where(np.abs(difference) <= _ROUNDING * size, 0.0, difference)
