"""Samples of scores and of differences: estimates, standard errors and score limits together.

One Tversky score has its limits in closed form (`f1ci.methods.score`). Every other smooth metric
has those of `f1ci.methods.matrices`.

**Differences.** The limits of B's score minus A's come from the two scores' own limits. Let F(s) be
the limit of a score at s times the normal quantile: the lower limit for s < 0, the upper one for
s > 0. With the correlation r of the two estimates, the limits of the difference are the extremes of
F_B(t) - F_A(s) over the ellipse s^2 - 2 r s t + t^2 = 1 - r^2, as in Zou and Donner (2008,
*Statistics in Medicine* 27, 1693-1702), who take one point of it.

These limits cover their level on average over the truth. That they do is measured, in the book's
chapter on score intervals. With classes of fewer than three expected items they are long, and may
still fall short.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv, ndtr

from f1ci.counts import Items, Matrix
from f1ci.methods.matrices import limits_of_tables
from f1ci.methods.score import Limits, LimitsAt, Sample, sample_of_counts
from f1ci.metrics import Metric
from f1ci.results import Array, FloatOrArray

# Up to how many wrong (or right) items the limit of an average gets more room. With three the
# worst designs gain one percentage point, and many with about one error to expect over-cover.
_FEW = 2.0

# Points of half an ellipse: the extreme lies at most 1 - cos(7.5 degrees) = .9 % further out.
_POINTS = 12


def sample_of(metric: Metric, matrix: Matrix, fixed: bool = False) -> Sample:
    """Return the sample of any metric for independent items; `fixed` if the class sizes are so."""
    if metric.index is not None:
        return sample_of_counts(metric, metric.counts(matrix), matrix)
    estimate, error = metric.moments(matrix)

    def limits(z: FloatOrArray, cautious: bool) -> Limits:  # noqa: ARG001 - only Tversky scores
        return _with_room(metric, matrix, estimate, z, fixed)

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
        low = low * _room(right, z)
    # 1. The value if all wrong items were right, which is the best one, or the worst.
    few = (wrong > 0.0) & (wrong <= _FEW)
    if np.any(few):
        perfect = np.asarray(metric.range[1])
        if metric.parts is None:
            perfect = metric.estimate(
                Matrix(matrix.true[..., None] * np.eye(matrix.true.shape[-1]))
            )
        # 2. The limit on its side is drawn towards it.
        room = np.where(few, _room(wrong, z), 1.0)
        above = np.greater_equal(perfect, estimate)
        high = np.where(above, perfect - (perfect - high) * room, high)
        low = np.where(above, low, perfect + (low - perfect) * room)
    # Two ways to an estimate differ by rounding. Nothing is known of an undefined one.
    undefined, (least, largest) = np.isnan(estimate), metric.range
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    return np.where(undefined, least, low), np.where(undefined, largest, high)


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


# Differences of two models.


def sample_of_difference(metric: Metric, items: Items) -> Sample:
    """Return the sample of metric(B) - metric(A) for independent items.

    The estimates are correlated, because the items are the same. The divisor of the variance is
    n - 1, as Yuan & Jiang (2025), remark 2, have it. For a batch of test sets the items' counts
    have shape (..., rows).
    """
    score, counted = metric.single(items)
    a, b = (sample_of(score, counted.matrix(model)) for model in (0, 1))
    by_a, by_b = (influences(score, counted, model)[1] for model in (0, 1))
    counts, difference = counted.counts, b.estimate - a.estimate
    # What both models do alike cancels, except for rounding.
    size = np.abs(by_a) + np.abs(by_b)
    moves = np.where(np.abs(by_b - by_a) <= 1e-14 * size, 0.0, by_b - by_a)
    n = counts.sum(axis=-1)
    variance = (counts * moves**2).sum(axis=-1) / (n * (n - 1))
    error = np.sqrt(np.where(np.isnan(difference), np.nan, variance))
    root = np.sqrt(counts)
    rows = [np.moveaxis(root * x, -1, 0) for x in (by_a, by_b)]
    item = 0.5 * np.prod([np.ptp(np.where(root > 0.0, x, 0.0), axis=-1) for x in (by_a, by_b)], 0)
    r = correlation(rows[0], rows[1], item)
    return _difference(metric, a, b, difference, error, r)


def influences(metric: Metric, items: Items, model: int) -> tuple[Array, Array]:
    """Return a model's score and what each row of items does to it; nothing if it is undefined."""
    value, influence = metric.evaluate(items.matrix(model))
    if items.counts.ndim > 1:
        influence = influence[..., items.codes[0], items.codes[model + 1]]
    return value, np.nan_to_num(influence)


def correlation(a: Array, b: Array, item: Array) -> Array:
    """Return the correlation of two scores that units (rows, ...) move by a and by b.

    As if half an item more told the models apart, so that they are never copies: `item` is what
    it moves the one score, times what it moves the other.
    """
    squares = (a * a).sum(axis=0) * (b * b).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.nan_to_num((a * b).sum(axis=0) / (np.sqrt(squares) + item))
    return np.asarray(np.clip(values, -1.0, 1.0))


def sample_of_unpaired(metric: Metric, a: Sample, b: Sample) -> Sample:
    """Return the sample of B minus A, tested on different items: their correlation is zero."""
    error = np.hypot(a.error, b.error)
    return _difference(metric, a, b, b.estimate - a.estimate, error, np.zeros(()))


def _difference(
    metric: Metric, a: Sample, b: Sample, value: Array, error: Array, r: Array
) -> Sample:
    low, high = metric.range
    of_a, of_b = a.limits, b.limits
    sample = Sample(metric, value, error, (low - high, high - low))
    if of_a is None or of_b is None:
        return sample
    return sample._replace(limits=lambda z, cautious: difference_limits(of_a, of_b, r, z, cautious))


def difference_limits(
    a: LimitsAt, b: LimitsAt, correlation: Array, z: FloatOrArray, cautious: bool
) -> Limits:
    """Return the extremes of B - A over the ellipse of two correlated scores.

    Its points are (cos(x + y), cos(x - y)), where the cosine of 2y is the correlation. Half the
    ellipse is enough: the other half has both signs turned. The points are mirrored, so that
    swapping A and B negates the difference to the last digit.
    """
    turn = 0.5 * np.arccos(correlation)
    angle = np.arange(_POINTS).reshape(-1, *(1,) * turn.ndim) * (np.pi / _POINTS)
    at_a = np.cos(angle + turn)
    at_b = np.concatenate([at_a[:1], -at_a[:0:-1]])
    limits_a, limits_b = a(z * np.abs(at_a), cautious), b(z * np.abs(at_b), cautious)
    end_a, back_a = np.where(np.signbit(at_a), limits_a, limits_a[::-1])
    end_b, back_b = np.where(np.signbit(at_b), limits_b, limits_b[::-1])
    differences = np.concatenate([end_b - end_a, back_b - back_a])
    return differences.min(axis=0), differences.max(axis=0)
