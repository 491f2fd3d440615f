r"""Limits of averages over classes and of paired differences.

The score limits of averages, and of every metric that is not one Tversky score, come from
`f1ci.methods.matrices`. Cautious limits of averages, averages over units of items, and paired
differences combine the limits of their parts, as follows.

Not from the five papers. An average is an objective of Tversky scores of the classes, its parts
(`f1ci.metrics.Parts`). In the spirit of Zou and Donner (2008, *Statistics in Medicine* 27,
1693-1702), the parts are moved to their own limits at points of an ellipsoid. With R the
correlations of the parts and F_k(zeta) the limit of part k at zeta times the normal quantile, the
limit of the sum of c_k F_k is the extreme of the sum of c_k F_k(zeta_k) over zeta' R^-1 zeta <= 1.
`extremes` finds it. A difference is an objective of two scores, and its ellipse is searched by
angle.

These limits cover their level on average over the truth. That they do is measured, in the book's
chapter on score intervals. With classes of fewer than three expected items they are long, and may
still fall short. Cautious weighted averages cover too little where a rare class is mostly missed.

A matrix enters through `Matrix`, which may be sparse: nothing here is computed for empty cells.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import gammaincinv, ndtr

from f1ci.counts import Items, Matrix
from f1ci.methods.matrices import limits_of_tables
from f1ci.methods.score import Counts, Kernel, Limits, Sample, sample_of_counts
from f1ci.metrics import Metric, Parts
from f1ci.results import Array, FloatOrArray

__all__ = [
    "ellipse",
    "extremes",
    "limits_of",
    "paired_limits",
    "sample_of",
    "sample_of_difference",
]

# Values of the parts -> the score, and its slopes.
Objective: TypeAlias = Callable[[Array], tuple[Array, Array]]
# z or shares of it -> limits of one score.
LimitsAt: TypeAlias = Callable[[Kernel, FloatOrArray], Limits]

# Fixed-point steps to the extreme over the ellipsoid; a third changes no coverage by more
# than .004, in 300 designs of four averages.
_STEPS = 2

# Parts that are nearly uncorrelated with the sum still get a slope of their own.
_LEAST = 1e-3

# Up to how many wrong (or right) items the limit of an average gets more room. With three the
# worst designs gain one percentage point, and many with about one error to expect over-cover.
_FEW = 2.0

# Points of half an ellipse: the extreme lies at most 1 - cos(7.5 degrees) = .9 % further out.
_POINTS = 12


class PartCounts(NamedTuple):
    """The parts of an average as numbers.

    Attributes
    ----------
    counts : tuple of ndarray, shape (..., K)
        TP, FP and FN of the parts; zeros for errors without weight.
    a, b : float
        The weights of FP and FN.
    objective : callable
        Takes values of the parts; returns the average and its slopes.
    correlation : callable
        Multiplies vectors of parts, (..., K), by the parts' correlations.
    spread : ndarray, shape (..., 1), or None
        The standard deviation of one more part that is not a score: what random shares of the
        classes add.
    """

    counts: Counts
    a: float
    b: float
    objective: Objective
    correlation: Callable[[Array], Array]
    spread: Array | None = None


def sample_of(metric: Metric, matrix: Matrix, fixed: bool = False) -> Sample:
    """Return the sample of any metric for independent items; `fixed` if the class sizes are so."""
    if metric.index is not None:
        index = metric.index
        return sample_of_counts(metric, index.a, index.b, metric.counts(matrix), matrix)
    estimate, error = metric.moments(matrix)

    def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
        if not kernel.cautious:
            return _with_room(metric, matrix, estimate, z, fixed)
        at = _bounded(limits_of(metric, matrix), estimate, weighted_excess(metric, matrix))
        return at(kernel, z)

    at = limits if metric.smooth else None
    return Sample(metric, estimate, error, metric.range, at, None, matrix, True)


def _with_room(
    metric: Metric, matrix: Matrix, estimate: Array, z: FloatOrArray, fixed: bool
) -> Limits:
    """Return the score limits of any metric, with room where hardly an item is wrong, or right."""
    low, high = limits_of_tables(metric, matrix, z, fixed)
    right = matrix.right.sum(axis=-1)
    wrong = matrix.total - right
    if metric.parts is not None:
        low = np.fmin(low * _room(right, z), estimate)
        low, high = (np.where(np.isnan(estimate), end, x) for x, end in ((low, 0.0), (high, 1.0)))
    # 1. The value if all wrong items were right, which is the best one, or the worst.
    few = (wrong > 0.0) & (wrong <= _FEW)
    if not np.any(few):
        return np.fmin(low, estimate), np.fmax(high, estimate)
    perfect = np.asarray(metric.range[1])
    if metric.parts is None:
        perfect = metric.estimate(Matrix(matrix.true[..., None] * np.eye(matrix.true.shape[-1])))
    # 2. The limit on its side is drawn towards it.
    room = _room(wrong, z)
    above = np.greater_equal(perfect, estimate)
    high = np.where(few & above, perfect - (perfect - high) * room, np.fmax(high, estimate))
    low = np.where(few & (perfect < estimate), perfect + (low - perfect) * room, low)
    # Two ways to an estimate differ by rounding. An undefined one is nan: nothing changes.
    return np.fmin(low, estimate), np.fmax(high, estimate)


def _bounded(limits_at: LimitsAt, estimate: Array, excess: Array | None) -> LimitsAt:
    """Return limits on the right side of the estimate, lowered by the excess of the estimate."""

    def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
        low, high = limits_at(kernel, z)
        if excess is not None:
            # The excess is undefined, and nothing is known, where there are no items.
            low = np.fmax(low - excess, 0.0)
            high = np.where(np.isnan(excess), 1.0, high)
        # Two ways to an estimate differ by rounding. An undefined one is nan: nothing changes.
        return np.fmin(low, estimate), np.fmax(high, estimate)

    return limits


def limits_of(metric: Metric, matrix: Matrix) -> LimitsAt:
    """Return a function from kernel and z to the limits of a score, which prepares parts once."""
    if metric.index is not None:
        counts, index = metric.counts(matrix), metric.index
        return lambda kernel, z: kernel.limits(*counts, index.a, index.b, z)
    parts = metric.parts
    assert parts is not None  # noqa: S101 - otherwise there are no such limits
    prepared = cache(lambda: _part_counts(parts, matrix))
    wrong = matrix.total - matrix.right.sum(axis=-1)

    def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
        low, high = extremes(prepared(), z, kernel)
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        if kernel.cautious:
            return low, high
        return low * _room(matrix.total - wrong, z), 1.0 - (1.0 - high) * _room(wrong, z)

    return limits


def weighted_excess(metric: Metric, matrix: Matrix) -> Array | None:
    """Return by how much a mean weighted by the classes' true items is too high on average.

    An item that is right adds to its class's share and to its score. The excess is the sum of the
    covariances of the two. In a difference the two classifiers' excesses nearly cancel.
    """
    if metric.parts is None or not metric.parts.weighted:
        return None
    (index,) = metric.parts.scores
    tp, fp, fn = matrix.right, matrix.predicted - matrix.right, matrix.true - matrix.right
    whole = tp + index.a * fp + index.b * fn
    with np.errstate(divide="ignore", invalid="ignore"):
        by_class = np.where(whole > 0.0, index.a * tp * fp / whole**2, 0.0)
        return np.asarray(by_class.sum(axis=-1) / matrix.total)


# The parts of an average.


def _part_counts(parts: Parts, matrix: Matrix) -> PartCounts:
    tp, fp, fn = matrix.right, matrix.predicted - matrix.right, matrix.true - matrix.right
    counted = [(tp, fp * (s.a > 0.0), fn * (s.b > 0.0)) for s in parts.scores]
    # Precision and recall are scores with weights 1 and 1 where the other error is left out.
    a, b = (parts.scores[0].a, parts.scores[0].b) if len(parts.scores) == 1 else (1.0, 1.0)
    joined = [np.concatenate(same, axis=-1) for same in zip(*counted, strict=True)]
    with np.errstate(invalid="ignore"):
        shares = matrix.true / matrix.total[..., None]
    correlation, spread = _correlation(parts, matrix)
    objective: Objective = lambda values: parts.objective(values, shares)  # noqa: E731
    return PartCounts((joined[0], joined[1], joined[2]), a, b, objective, correlation, spread)


def _correlation(parts: Parts, matrix: Matrix) -> tuple[Callable[[Array], Array], Array | None]:
    """Return the product with the correlations of the parts, and the spread of the shares.

    Two scores are correlated by the items that move both: those of one class predicted as the
    other. One more right item is added to each class, and a quarter of a wrong one that is spread
    over the other classes: correlations of estimates without variance would be undefined.
    """
    r = matrix.right.shape[-1]
    added = 0.25 / (r - 1.0)
    right, fp = matrix.right + 1.0, matrix.predicted - matrix.right + 0.25
    fn = matrix.true - matrix.right + 0.25
    # 1. What a right item, a false positive and a false negative of a class do to its scores,
    # in standard deviations of the score.
    moves = []
    for score in parts.scores:
        errors = score.a * fp + score.b * fn
        f = right / (right + errors)
        move = np.stack([1.0 - f, -score.a * f, -score.b * f])
        moves.append(move / np.sqrt((np.stack([right, fp, fn]) * move**2).sum(axis=0)))
    by_right, by_fp, by_fn = np.stack(moves, axis=1)  # each (scores, ..., r)
    # 2. What an item of a class does to the classes' shares times their scores.
    spread = move_share = None
    if parts.weighted:
        true, n = right + fn, (right + fn).sum(axis=-1, keepdims=True)
        mean = (true * f).sum(axis=-1, keepdims=True) / n
        square = (true * (f - mean) ** 2).sum(axis=-1, keepdims=True)
        move_share = (f - mean) / np.sqrt(np.where(square > 0.0, square, 1.0))
        spread = np.sqrt(square) / n

    def wrong_times(x: Array, product: Callable[[Array], Array]) -> Array:
        """Multiply by the wrong items, those that were added included."""
        total: Array = x.sum(axis=-1, keepdims=True)
        return np.asarray(product(x) - matrix.right * x + added * (total - x))

    def multiply(vector: Array) -> Array:
        # 3. By how much right items, and wrong ones by true and by predicted class, are moved.
        k = len(parts.scores)
        slopes = [vector[..., i * r : (i + 1) * r] for i in range(k)]
        at_right, at_fp, at_fn = (
            sum(by[i] * slopes[i] for i in range(k)) for by in (by_right, by_fp, by_fn)
        )
        if move_share is not None:
            at_right = at_right + move_share * vector[..., r:]
            at_fn = at_fn + move_share * vector[..., r:]
        # 4. Sums over the items of each class: right, false positives and false negatives.
        of_right = right * at_right
        of_fp = fp * at_fp + wrong_times(at_fn, matrix.transposed_times)
        of_fn = fn * at_fn + wrong_times(at_fp, matrix.times)
        rows = [by_right[i] * of_right + by_fp[i] * of_fp + by_fn[i] * of_fn for i in range(k)]
        if move_share is not None:
            rows.append((move_share * (of_right + of_fn)).sum(axis=-1, keepdims=True))
        return np.concatenate(rows, axis=-1)

    return multiply, spread


def _room(count: Array, z: FloatOrArray) -> Array:
    """Return the modified Wilson limit of one or two items over Wilson's own, for rare items.

    Wilson's coverage dips where such a count is unlikely but his limit excludes the truth; Brown,
    Cai and DasGupta (2001, Statistical Science 16, 101-133) put the one-sided limit there.
    """
    few = (count > 0.0) & (count <= _FEW)
    if not np.any(few):
        return np.ones(np.shape(few))
    n, z = np.where(few, count, 1.0), np.asarray(z)
    wilson = n * n / (n + z * z / 2.0 + z * np.sqrt(n + z * z / 4.0))
    one_sided = gammaincinv(n, 2.0 * ndtr(-z))
    return np.where(few, np.minimum(one_sided / wilson, 1.0), 1.0)


def extremes(parts: PartCounts, z: FloatOrArray, kernel: Kernel) -> Limits:
    r"""Return the least and the largest value of a score that is made of correlated parts.

    Part k has the limits F_k(zeta) at zeta z, above the estimate for zeta > 0 and below it for
    zeta < 0. Over the ellipsoid the extreme satisfies zeta = R g / sqrt(g' R g), where g_k is the
    derivative of the score by zeta_k.
    """
    (tp, fp, fn), a, b, objective, correlation, spread = parts
    # 1. The parts at their estimates. A part without items is unknown.
    v = tp + fp + fn
    empty = v == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = a * fp + b * fn
        whole = tp + errors
        f = np.where(empty, 0.5, tp / whole)
        # Bias of second order: E(f) - F = -cov(TP, whole) / whole^2 + TP var(whole) / whole^3.
        bias = (f * (a * a * fp + b * b * fn) - tp * (1.0 - f)) / (whole * whole)
        # A class can have less than one effective item. Then at most that much is taken away.
        per_item = np.minimum(v, 1.0 / v)
    # One item alone has no bias.
    bias = np.where(empty, 0.0, bias) * np.clip(v - 1.0, 0.0, 1.0)
    unknown = empty
    if spread is not None:
        nothing = np.zeros_like(spread)
        f, bias, per_item = (np.concatenate([p, nothing], axis=-1) for p in (f, bias, per_item))
        unknown = np.concatenate([empty, nothing > 0.0], axis=-1)
    value, first = objective(f)
    # 2. Start from each part at its own limit, on the lower and on the upper side at once.
    k, quantile = tp.shape[-1], np.asarray(z)[..., None]
    dimensions = max(np.ndim(z), tp.ndim - 1)
    side = np.array([-1.0, 1.0]).reshape(2, *(1,) * dimensions)
    start = np.where(side[..., None] * first < 0.0, -1.0, 1.0)
    zeta, end = start, side * value
    for step in range(_STEPS + 1):
        # 3. The parts at zeta. What lies inside the ellipsoid is estimated with one degree of
        # freedom less, and has a bias.
        shrunk = 1.0 - zeta * zeta
        left = 1.0 - shrunk * per_item
        at, kept = zeta * quantile, left[..., :k]
        reached = kernel.at(tp * kept, fp * kept, fn * kept, a, b, at[..., :k])
        if spread is not None:
            reached = np.concatenate([reached, at[..., k:] * spread], axis=-1)
        here, slope = objective(reached - shrunk * bias / left)
        # 4. The start lies outside of the ellipsoid. The second step can undo most of the first
        # one, so the furthest point is kept.
        if step > 0:
            end = np.maximum(end, side * here)
        if step == _STEPS:
            break
        # 5. The next zeta, with secants in the place of derivatives. No part moves back, whatever
        # its correlation with the others.
        reach = np.where(unknown, 0.0, slope * (reached - f) / zeta)
        shared = correlation(reach)
        total = (shared * reach).sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            turned = side[..., None] * shared / np.sqrt(total)
        turned = np.where(unknown | (total <= 0.0), start, turned)
        zeta = start * np.clip(start * turned, _LEAST, 1.0)
    low, high = side * end
    return low, high


# Differences of two models on the same items.


class Ellipse(NamedTuple):
    """Points of the ellipse of two correlated scores: where A and B are, in normal quantiles."""

    by_a: Array
    by_b: Array

    def extremes(self, limits_a: Limits, limits_b: Limits) -> Limits:
        """Return the least and the largest difference B - A, from both scores' limits there."""
        end_a, back_a = np.where(np.signbit(self.by_a), limits_a, limits_a[::-1])
        end_b, back_b = np.where(np.signbit(self.by_b), limits_b, limits_b[::-1])
        differences = np.concatenate([end_b - end_a, back_b - back_a])
        return differences.min(axis=0), differences.max(axis=0)


def ellipse(correlation: Array) -> Ellipse:
    """Return points (cos(t + u), cos(t - u)), where the cosine of 2u is the correlation.

    Half the ellipse is enough: the other half has both signs turned. The points are mirrored, so
    that swapping A and B negates the difference to the last digit.
    """
    turn = 0.5 * np.arccos(correlation)
    angle = np.arange(_POINTS).reshape(-1, *(1,) * turn.ndim) * (np.pi / _POINTS)
    by_a = np.cos(angle + turn)
    return Ellipse(by_a, np.concatenate([by_a[:1], -by_a[:0:-1]]))


def sample_of_difference(metric: Metric, items: Items) -> Sample:
    """Return the sample of metric(B) - metric(A) for independent items, and A's and B's values.

    The estimates are correlated, because the items are the same. The divisor of the variance is
    n - 1, as Yuan & Jiang (2025), remark 2, have it.
    """
    (a, by_a), (b, by_b) = (metric.evaluate(items.matrix(model)) for model in (0, 1))
    influence, n = by_b - by_a, items.counts.sum()
    # What both models do alike cancels, except for rounding.
    influence = np.where(np.abs(influence) <= 1e-14 * (np.abs(by_a) + np.abs(by_b)), 0.0, influence)
    variance = (items.counts * influence**2).sum() / (n * (n - 1))
    error = np.sqrt(np.where(np.isnan(b - a), np.nan, variance))
    low, high = metric.range
    limits = paired_limits(metric, items) if metric.index or metric.parts else None
    return Sample(metric, b - a, error, (low - high, high - low), limits)


def paired_limits(metric: Metric, items: Items) -> LimitsAt:
    """Return a function from kernel and z to the limits of B's score minus A's.

    For a batch of test sets the items' counts have shape (..., rows).
    """
    score, counted = metric.single(items)
    a, b = (limits_of(score, counted.matrix(model)) for model in (0, 1))
    prepared = cache(lambda: ellipse(_paired_correlation(score, counted)))

    def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
        points = prepared()
        at_a, at_b = a(kernel, z * np.abs(points.by_a)), b(kernel, z * np.abs(points.by_b))
        return points.extremes(at_a, at_b)

    return limits


def _paired_correlation(metric: Metric, items: Items) -> Array:
    """Return the correlation of the scores of two models, from the items' influences on them.

    By class, a quarter of an item is added that is right for both models, half of one for each
    model alone, and a quarter that is wrong for both. This understates the dependence.
    """
    r = len(items.classes)
    right = np.eye(r)
    added = 0.75 * right + 0.75 * (1.0 - right) / (r - 1.0)
    matrices = [Matrix(items.matrix(model).dense() + added) for model in (0, 1)]
    a, b = (metric.evaluate(matrix)[1] for matrix in matrices)
    squares = [m.sum(g * g) for m, g in zip(matrices, (a, b), strict=True)]
    true, by_a, by_b = items.codes
    shared = (items.counts * a[..., true, by_a] * b[..., true, by_b]).sum(axis=-1)
    right_a, right_b = (np.diagonal(g, axis1=-2, axis2=-1) for g in (a, b))
    wrong_a, wrong_b = (
        (g.sum(axis=-1) - np.diagonal(g, axis1=-2, axis2=-1)) / (r - 1.0) for g in (a, b)
    )
    same = 0.25 * (right_a * right_b + wrong_a * wrong_b)
    shared = shared + (same + 0.5 * (right_a * wrong_b + wrong_a * right_b)).sum(axis=-1)
    correlation: Array = np.clip(shared / np.sqrt(squares[0] * squares[1]), -1.0, 1.0)
    return correlation
