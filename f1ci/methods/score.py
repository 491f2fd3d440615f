r"""Score limits of scores and of differences, and the samples that they come from.

Wilson (1927) asks which values of a proportion a test with the standard error *under that value*
would not reject. The same question has an answer in closed form for every Tversky score
F = TP / (TP + a FP + b FN). Given v = TP + FP + FN the counts are multinomial, and F is fixed by
a linear constraint on their probabilities. The constrained maximum likelihood estimate (Miettinen
and Nurminen 1985; Tango 1998) has one Lagrange multiplier, the root of a cubic. Where a = b this
is Wilson indirect of Lam et al. (2024, eq. 42), where a or b is 0 Wilson's interval for recall or
precision.

Cautious limits are those of Clopper and Pearson (1934) where a = b (Lam et al., eqs. 26 and 27),
or where a or b is 0. Otherwise they follow Fay and Feuer (1997). They exchange length for a
coverage that hardly ever falls short.

Every other smooth metric has the limits of `f1ci.methods.matrices`.

**Differences.** The limits of B's score minus A's come from the two scores' own limits. Let F(s) be
the limit of a score at s times the normal quantile: the lower limit for s < 0, the upper one for
s > 0. With the correlation r of the two estimates, the limits of the difference are the extremes of
F_B(t) - F_A(s) over the ellipse s^2 - 2 r s t + t^2 = 1 - r^2, as in Zou and Donner (2008,
*Statistics in Medicine* 27, 1693-1702), who take one point of it.

When they fail: score limits cover their level on average over the truth, not at each truth. For
averages and differences that is measured, in the book's chapter on score intervals. With classes of
fewer than three expected items they are long, and may still fall short.

The functions take validated arrays of floats that broadcast. `z` is the two-sided normal quantile
of the level. They hold for real counts, too: `f1ci.methods.clusters` passes effective counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import betaincinv, erfinv, gammaincinv, ndtr, ndtri

from f1ci.counts import Items, Matrix
from f1ci.methods.matrices import limits_of_tables
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.classes import UNIT
from f1ci.results import Array, FloatOrArray

Limits: TypeAlias = tuple[Array, Array]
Counts: TypeAlias = tuple[Array, Array, Array]
# z, and True for cautious limits -> low, high
LimitsAt: TypeAlias = Callable[[FloatOrArray, bool], Limits]

# Up to how many wrong items the limit gets more room: as Brown, Cai and DasGupta have it for more
# than 50 items.
_FEW = 3.0

# Points of half an ellipse: the extreme lies at most 1 - cos(7.5 degrees) = .9 % further out.
_POINTS = 12

# A p-value is sought between these z. The tail of the largest is below 1e-300.
_SMALLEST_Z, _LARGEST_Z = 1e-8, 38.0


class Sample(NamedTuple):
    """What a method knows of a score, or of the difference of two scores.

    Attributes
    ----------
    metric : Metric
        The metric.
    estimate, error : ndarray
        The sample metric and its standard error by the delta method.
    range : tuple of float
        The smallest and the largest possible value.
    limits : callable or None
        Takes z, and True for cautious limits (one Tversky score and differences of two have
        them); returns the score limits. None if there are none.
    counts : tuple of ndarray or None
        TP, FP and FN if the metric is one Tversky score.
    matrix : Matrix or None
        The confusion matrices, if they are known.
    independent : bool
        One model, and items that do not depend on one another.
    mark : str
        What is added to the name of the method: "+groups", or nothing.
    error_at : callable or None
        For units: takes z; returns the standard error that "logit" uses, corrected for few units.
    bias : ndarray or float
        By how much the estimate is too high on average, if "logit" takes that into account.
    """

    metric: Metric
    estimate: Array
    error: Array
    range: tuple[float, float] = UNIT
    limits: LimitsAt | None = None
    counts: Counts | None = None
    matrix: Matrix | None = None
    independent: bool = False
    mark: str = ""
    error_at: Callable[[FloatOrArray], Array] | None = None
    bias: FloatOrArray = 0.0


def sample_of_counts(metric: Metric, counts: Counts, matrix: Matrix | None = None) -> Sample:
    """Return the sample of one Tversky score of independent items."""
    index = metric if isinstance(metric, Tversky) else metric.index
    assert index is not None  # noqa: S101 - the callers see to it
    a, b = index.a, index.b
    estimate, error = moments(*counts, a, b)
    at = partial(tversky_limits, *counts, a, b)
    return Sample(metric, estimate, error, UNIT, at, counts, matrix, True)


def normal_quantile(level: float) -> float:
    """Return z, the two-sided normal quantile of a level; exact next to 0 and 1, too."""
    return float(-ndtri((1.0 - level) / 2.0) if level > 0.1 else np.sqrt(2.0) * erfinv(level))


def score(sample: Sample, z: FloatOrArray, cautious: bool = False) -> Limits:
    """Return the score limits; the cautious ones are for Tversky scores, and differences of two."""
    assert sample.limits is not None  # noqa: S101 - `choose` offers the method only then
    return sample.limits(z, cautious)


def moments(tp: Array, fp: Array, fn: Array, a: float, b: float) -> tuple[Array, Array]:
    """Return a Tversky score and its standard error by the delta method.

    The variance is {TP (1 - F)^2 + (a^2 FP + b^2 FN) F^2} / D^2 with D = TP + a FP + b FN (for F1
    it is eq. 29 of Lam et al.), whatever the number of true negatives.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = _errors(fp, fn, a, b)
        whole = tp + errors
        value, wrong = tp / whole, errors / whole  # both are exact at the borders
        square = tp * wrong * wrong + _errors(fp, fn, a * a, b * b) * value * value
        return value, np.sqrt(square) / whole


def tversky_limits(
    tp: Array,
    fp: Array,
    fn: Array,
    a: float,
    b: float,
    z: FloatOrArray,
    cautious: bool = False,
) -> Limits:
    """Return score limits of TP / (TP + a FP + b FN); (0, 1) where no item is relevant.

    Cautious limits are longer.
    """
    tp, fp, fn, z = (np.asarray(n, dtype=np.float64)[()] for n in (tp, fp, fn, z))
    # Errors without weight are irrelevant items, as true negatives are.
    fp, fn = (0.0 * fp if a == 0.0 else fp), (0.0 * fn if b == 0.0 else fn)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = _errors(fp, fn, a, b)
        estimate = tp / (tp + errors)
        if cautious:
            low, high = _beta_limits(tp, fp, fn, a, b, z)
        elif a == b or a == 0.0 or b == 0.0:
            low, high = _wilson(tp, fp + fn, max(a, b), z)
        else:
            low, high = _cubic(tp, fp, fn, a, b, z)
    # `fmin` and `fmax` leave nan, which 0 / 0 gives at borders, to the lines below.
    low = np.where(tp == 0.0, 0.0, np.fmin(low, estimate))
    high = np.where(errors == 0.0, 1.0, np.fmax(high, estimate))
    return low, high


def _errors(fp: Array, fn: Array, a: float, b: float) -> Array:
    """Return the weighted errors a FP + b FN; one product where the weights are equal."""
    return a * (fp + fn) if a == b else a * fp + b * fn


def _wilson(tp: Array, wrong: Array, weight: FloatOrArray, z: FloatOrArray) -> Limits:
    """Return p / (p + weight (1 - p)) for Wilson's limits p of TP / v.

    Only 1 - weight loses digits: a weight of 10^6 costs six of sixteen.
    """
    v = tp + wrong
    sum_of_roots = 2.0 * tp + z * z + z * np.sqrt(z * z + 4.0 * tp * wrong / v)
    # The product of the roots is TP^2 / (v (v + z^2)).
    square = 2.0 * tp * tp
    low = square / ((1.0 - weight) * square + weight * (v * sum_of_roots))
    high = sum_of_roots / ((1.0 - weight) * sum_of_roots + 2.0 * weight * (v + z * z))
    return low, np.minimum(high, 1.0)


def _cubic(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    # 1. Proportions, and k^2 = z^2 / v.
    v = tp + fp + fn
    x, y, w, k = tp / v, fp / v, fn / v, z / np.sqrt(v)
    kk, ab, errors = k * k, a * b, a * y + b * w
    spread, mixed = a * a * y + b * b * w, ab * (y + w)
    # 2. The cubic s^3 + b2 s^2 - b1 s + b0 = 0 for s = (x - t errors) / k, t = F / (1 - F).
    scale = errors * errors + mixed * kk
    b2 = k * (errors * errors + x * (spread - mixed) + ab * kk) / scale
    b1 = x * (errors * errors + x * spread + 2.0 * ab * kk) / scale
    b0 = ab * k * x * x / scale
    # 3. Its least and its largest root, by Viète's cosines.
    third = b2 / 3.0
    square = third * third + b1 / 3.0
    root = np.sqrt(square)
    cosine = (third * (third * third + 0.5 * b1) + 0.5 * b0) / (square * root)
    angle = np.arccos(np.minimum(cosine, 1.0)) / 3.0
    least = -2.0 * root * np.cos(angle) - third
    most = 2.0 * root * np.cos(np.pi / 3.0 - angle) - third
    # 4. Where z^2 is far larger than TP the largest root is a small difference of large numbers.
    # One Newton step gives it its digits back.
    residual = ((most + b2) * most - b1) * most + b0
    most = most - residual / ((3.0 * most + 2.0 * b2) * most - b1)
    # 5. Back to F.
    below, above = np.maximum(x - k * most, 0.0), x - k * least
    low, high = below / (below + errors), above / (above + errors)
    missing = (fp == 0.0) | (fn == 0.0)
    if np.any(missing):
        # 6. If FP or FN is 0 two roots may coincide. They are Wilson's, and the root at which the
        # missing kind of error gets a positive probability.
        present = np.where(fp > 0.0, a, np.where(fn > 0.0, b, max(a, b)))
        absent = np.where(present == a, b, a)
        low_one, high_one = _wilson(tp, fp + fn, present, z)
        low = np.where(missing, np.minimum(low_one, x / (x + errors + kk * absent)), low)
        high = np.where(missing, high_one, high)
    return low, high


def _beta_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    # Errors of unequal weight are taken for fewer errors of one weight with the same variance.
    # At the lower limit one more item is wrong, of the heavier kind; at the upper one is right.
    tail, largest = ndtr(-z), max(a, b)
    sums, squares = _errors(fp, fn, a, b), _errors(fp, fn, a * a, b * b)
    more, more_squares = sums + largest, squares + largest * largest
    right = betaincinv(tp, more * more / more_squares, tail)
    wrong = betaincinv(sums * sums / squares, tp + 1.0, tail)
    low = right / (right + more_squares / more * (1.0 - right))
    return low, (1.0 - wrong) / (1.0 - wrong + squares / sums * wrong)


# Any metric.


def sample_of(metric: Metric, matrix: Matrix, fixed: bool = False) -> Sample:
    """Return the sample of any metric for independent items; `fixed` if the class sizes are so."""
    if metric.index is not None:
        return sample_of_counts(metric, metric.counts(matrix), matrix)
    estimate, error = metric.moments(matrix)
    limits = partial(limits_of_metric, metric, matrix, fixed) if metric.smooth else None
    return Sample(metric, estimate, error, metric.range, limits, None, matrix, True)


def limits_of_metric(
    metric: Metric,
    matrix: Matrix,
    fixed: bool,
    z: FloatOrArray,
    cautious: bool,  # noqa: ARG001 - there are no such limits
) -> Limits:
    """Return the score limits of any metric, with room where hardly an item is wrong."""
    estimate = metric.estimate(matrix)
    low, high = limits_of_tables(metric, matrix, z, fixed)
    # 1. The value if all wrong items were right, which is the best one, or the worst.
    perfect = np.asarray(metric.range[1])
    if metric.parts is None:
        perfect = metric.estimate(Matrix(matrix.true[..., None] * np.eye(matrix.true.shape[-1])))
    # 2. The limit on its side is drawn towards it.
    room = _room(matrix.total - matrix.right.sum(axis=-1), z)
    above = np.greater_equal(perfect, estimate)
    high = np.where(above & (room < 1.0), perfect - (perfect - high) * room, high)
    low = np.where(above | (room == 1.0), low, perfect + (low - perfect) * room)
    # Two ways to an estimate differ by rounding. Nothing is known of an undefined one.
    undefined, (least, largest) = np.isnan(estimate), metric.range
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    return np.where(undefined, least, low), np.where(undefined, largest, high)


def _room(count: Array, z: FloatOrArray) -> Array:
    """Return the modified Wilson limit of up to three items over Wilson's own, for rare items.

    Wilson's coverage dips where such a count is unlikely but his limit excludes the truth; Brown,
    Cai and DasGupta (2001, Statistical Science 16, 101-133) put the one-sided limit there.
    """
    few = (count > 0.0) & (count <= _FEW)
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
    return sample_of_two(metric, a, b, error, r)


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


def sample_of_two(metric: Metric, a: Sample, b: Sample, error: Array, r: Array) -> Sample:
    """Return the sample of B minus A; r is the correlation, zero of models on different items."""
    value = b.estimate - a.estimate
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


def tail(sample: Sample, limits: Callable[[Sample, float], Limits], value: float) -> float:
    """Return the one-sided p-value against a difference of at most `value`.

    It is half of one minus the level at which a limit of the interval is `value`.
    """
    from scipy.optimize import brentq  # slow to import

    if np.isnan(sample.estimate):
        return np.nan
    above = bool(sample.estimate > value)

    @cache
    def beyond(z: float) -> float:
        """Return how far the interval reaches beyond the value, on the side in question."""
        low, high = limits(sample, z)
        return float(value - low if above else high - value)

    # The normal approximation is a good start. The bracket is widened until it holds the root.
    start = abs(float(sample.estimate) - value) / max(float(sample.error), 1e-12)
    least, largest = _SMALLEST_Z, min(max(1.1 * start, 0.1), _LARGEST_Z)
    while beyond(largest) < 0.0 and largest < _LARGEST_Z:
        least, largest = largest, min(2.0 * largest, _LARGEST_Z)
    z = largest
    if beyond(largest) > 0.0:
        z = brentq(beyond, least, largest, xtol=1e-9) if beyond(least) < 0.0 else least
    return float(ndtr(-z if above else z))
