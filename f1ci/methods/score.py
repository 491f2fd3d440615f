r"""Score intervals: Wilson's, carried on to every Tversky score, to averages, to differences.

Not from the five papers. Wilson (1927) asks which values of a proportion a test with the
standard error *under that value* would not reject. The same question has an answer in closed
form for every Tversky score F = TP / (TP + a FP + b FN): given v = TP + FP + FN the counts are
multinomial, F is fixed by a linear constraint on their probabilities, and the constrained
maximum likelihood estimate (Miettinen and Nurminen 1985; Tango 1998) has one Lagrange
multiplier, the root of a cubic. Where a = b it is Wilson indirect of Lam et al. (2024), where
a or b is 0 Wilson's interval for recall or precision.

Averages over classes and paired differences take the limits of their parts at points of an
ellipsoid, in the spirit of Zou and Donner (2008, *Statistics in Medicine* 27, 1693-1702):
with R the correlations of the parts and F_k(zeta) the limit of part k at zeta times the normal
quantile, the limit of the sum of c_k F_k is the extreme of the sum of c_k F_k(zeta_k) over
zeta' R^-1 zeta <= 1. `extremes` says how it is found, and which two corrections it has.

The closed form is proved to be what it is said to be; that the intervals cover their level is
measured, in the book's chapter on score intervals. They cover on average over the truth, not at
each truth; with classes of fewer than three expected items they are long, and may still fall
short; `cautious_limits` exchange length for a coverage that hardly ever falls short.

These are kernels: they take validated arrays of floats that broadcast, and never check. `z` is
the two-sided normal quantile of the level.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import betaincinv, gammaincinv, ndtr

from f1ci.metrics import Question, recall
from f1ci.results import Array, FloatOrArray

__all__ = [
    "cautious",
    "cautious_difference",
    "cautious_limits",
    "difference",
    "difference_limits",
    "macro_star_limits",
    "mean_limits",
    "score",
    "tversky_limits",
    "weighted_excess",
]

Limits: TypeAlias = tuple[Array, Array]
# tp, fp, fn, a, b, z -> low, high
Kernel: TypeAlias = Callable[[Array, Array, Array, float, float, FloatOrArray], Limits]
# The values of the parts -> the score made of them, and its derivatives.
Objective: TypeAlias = Callable[[Array], tuple[Array, Array]]

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


# One score.


def tversky_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    """Limits of TP / (TP + a FP + b FN); (0, 1) where no item is relevant."""
    return _bounded(_score_limits, tp, fp, fn, a, b, z)


def cautious_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    """Longer limits of the same score; Clopper-Pearson's where a = b, or a or b is 0."""
    return _bounded(_beta_limits, tp, fp, fn, a, b, z)


def _bounded(
    kernel: Kernel, tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray
) -> Limits:
    """The kernel's limits, exact at the borders and on the right side of the estimate."""
    tp, fp, fn, z = (np.asarray(n, dtype=np.float64)[()] for n in (tp, fp, fn, z))
    # A kind of error without weight leaves items irrelevant, as true negatives are.
    fp, fn = (0.0 * fp if a == 0.0 else fp), (0.0 * fn if b == 0.0 else fn)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = kernel(tp, fp, fn, a, b, z)
        errors = _errors(fp, fn, a, b)
        estimate = tp / (tp + errors)
    # `fmin` and `fmax` leave nan, which 0 / 0 gives at borders, to the lines below.
    low = np.where(tp == 0.0, 0.0, np.fmin(low, estimate))
    high = np.where(errors == 0.0, 1.0, np.fmax(high, estimate))
    return low, high


def _errors(fp: Array, fn: Array, a: float, b: float) -> Array:
    """The weighted errors a FP + b FN; one product where the weights are one number."""
    return a * (fp + fn) if a == b else a * fp + b * fn


def _score_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    if a == b or a == 0.0 or b == 0.0:
        return _wilson(tp, fp + fn, max(a, b), z)
    return _cubic(tp, fp, fn, a, b, z)


def _wilson(tp: Array, wrong: Array, weight: FloatOrArray, z: FloatOrArray) -> Limits:
    """Wilson's limits p of TP / v, as p / (p + weight (1 - p)); nothing cancels but for 1 - weight.

    (A weight of 10^6 loses six digits of sixteen, no more.)
    """
    v = tp + wrong
    sum_of_roots = 2.0 * tp + z * z + z * np.sqrt(z * z + 4.0 * tp * wrong / v)
    # The product of the roots is TP^2 / (v (v + z^2)).
    square = 2.0 * tp * tp
    low = square / ((1.0 - weight) * square + weight * (v * sum_of_roots))
    high = sum_of_roots / ((1.0 - weight) * sum_of_roots + 2.0 * weight * (v + z * z))
    return low, np.minimum(high, 1.0)


def _cubic(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    v = tp + fp + fn
    x, y, w, k = tp / v, fp / v, fn / v, z / np.sqrt(v)
    kk, ab, errors = k * k, a * b, a * y + b * w
    spread, mixed = a * a * y + b * b * w, ab * (y + w)
    # s^3 + b2 s^2 - b1 s + b0 = 0 for s = (x - t errors) / k, t = F / (1 - F).
    scale = errors * errors + mixed * kk
    b2 = k * (errors * errors + x * (spread - mixed) + ab * kk) / scale
    b1 = x * (errors * errors + x * spread + 2.0 * ab * kk) / scale
    b0 = ab * k * x * x / scale
    third = b2 / 3.0
    square = third * third + b1 / 3.0
    root = np.sqrt(square)
    cosine = (third * (third * third + 0.5 * b1) + 0.5 * b0) / (square * root)
    angle = np.arccos(np.minimum(cosine, 1.0)) / 3.0
    least = -2.0 * root * np.cos(angle) - third
    most = 2.0 * root * np.cos(np.pi / 3.0 - angle) - third
    # Where z^2 is far larger than TP the largest root is a small difference: one Newton step
    # gives it its digits back.
    residual = ((most + b2) * most - b1) * most + b0
    most = most - residual / ((3.0 * most + 2.0 * b2) * most - b1)
    below, above = np.maximum(x - k * most, 0.0), x - k * least
    low, high = below / (below + errors), above / (above + errors)
    missing = (fp == 0.0) | (fn == 0.0)
    if np.any(missing):
        # With errors of one kind only two of the roots may coincide: they are Wilson's and the
        # one at which the missing kind gets a positive probability.
        present = np.where(fp > 0.0, a, np.where(fn > 0.0, b, max(a, b)))
        absent = np.where(present == a, b, a)
        low_one, high_one = _wilson(tp, fp + fn, present, z)
        low = np.where(missing, np.minimum(low_one, x / (x + errors + kk * absent)), low)
        high = np.where(missing, high_one, high)
    return low, high


def _beta_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    counts = tp, fp, fn
    return _signed_beta_limit(*counts, a, b, -z)[0], _signed_beta_limit(*counts, a, b, z)[1]


def _signed_beta_limit(
    tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray
) -> Limits:
    """The lower limit where z is negative, as if one more item were wrong; else the upper one.

    It stands in both places. One inverse beta function, which takes all the time, instead of two.
    """
    below, largest = np.signbit(z), max(a, b)
    errors = _errors(fp, fn, a, b) + largest * below
    spread = _errors(fp, fn, a * a, b * b) + largest * largest * below
    right, wrong = tp + ~below, errors * errors / spread
    p = betaincinv(np.where(below, right, wrong), np.where(below, wrong, right), ndtr(-np.abs(z)))
    share, rest = np.where(below, (p, 1.0 - p), (1.0 - p, p))
    limit = share / (share + spread / errors * rest)
    return limit, limit


def _limit_at(
    limits: Kernel, tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray
) -> Array:
    """The limit at a signed quantile: the lower one where it is negative."""
    if limits is cautious_limits:
        low, high = _bounded(_signed_beta_limit, tp, fp, fn, a, b, z)
    else:
        low, high = limits(tp, fp, fn, a, b, np.abs(z))
    return np.where(z < 0.0, low, high)


# Averages and differences.


def mean_limits(
    matrix: Array,
    a: float,
    b: float,
    z: FloatOrArray,
    *,
    weighted: bool = False,
    limits: Kernel = tversky_limits,
) -> Limits:
    """Limits of the mean of the classes' scores, from matrices (..., r, r).

    The classes count alike, or each as much as it has true items, whose share is random too.
    """
    if weighted and a == 0.0 and b == 1.0:
        # The mean of recalls weighted so is the share of all items that are right.
        right = np.trace(matrix, axis1=-2, axis2=-1)
        return limits(right, 0.0 * right, matrix.sum(axis=(-2, -1)) - right, a, b, z)
    matrix = np.ascontiguousarray(matrix)  # the order of summation is that of memory
    counts = _class_counts(matrix, a, b)
    smooth = _smoothed(matrix)
    correlation = _class_correlation(smooth, a, b)
    if not weighted:
        ends = extremes(counts, a, b, z, _mean, correlation, limits)
        return _finished(ends, matrix, z, limits)
    rows = matrix.sum(axis=-1)
    spread, extra = _share_part(smooth, a, b)
    corner = np.ones((*extra.shape[:-1], 1, 1))
    correlation = np.block([[correlation, extra[..., :, None]], [extra[..., None, :], corner]])
    # The spread of the shares, in the place of one more part with weight 1.
    shares = rows / rows.sum(axis=-1, keepdims=True)
    weight = np.concatenate([shares, np.ones_like(spread)], axis=-1)
    ends = extremes(counts, a, b, z, sum_of(weight), correlation, limits, spread)
    return _finished(ends, matrix, z, limits)


def macro_star_limits(
    matrix: Array, a: float, b: float, z: FloatOrArray, *, limits: Kernel = tversky_limits
) -> Limits:
    """Limits of 1 / (a / mean precision + b / mean recall), a + b = 1, from (..., r, r)."""
    matrix = np.ascontiguousarray(matrix)
    # Every precision, then every recall, as scores with weights 1 and 1.
    each = _class_counts(matrix, 1.0, 0.0), _class_counts(matrix, 0.0, 1.0)
    tp, fp, fn = (np.concatenate(same, axis=-1) for same in zip(*each, strict=True))
    correlation = _both_correlation(_smoothed(matrix))
    ends = extremes((tp, fp, fn), 1.0, 1.0, z, _star(a, b), correlation, limits)
    return _finished(ends, matrix, z, limits)


def difference_limits(
    cells: Array, metric: Any, z: FloatOrArray, *, limits: Kernel = tversky_limits
) -> Limits:
    """Limits of the score of B minus that of A on the same items.

    Cells (..., r, r, r) count the items by true class, class predicted by A, and by B.
    """
    cells = np.ascontiguousarray(cells)
    if metric.kind == "share":
        # The recall of a class to which every item belongs, predicted where a classifier is right.
        right = np.eye(cells.shape[-1])
        outcome = np.stack([1.0 - right, right])
        items = np.einsum("...ijk,pij,qik->...pq", cells, outcome, outcome)
        cells, metric = np.stack([np.zeros_like(items), items], axis=-3), recall

    def limits_of(table: Array, size: Array) -> Limits:
        return _limits_of(metric, _binary_counts(table), table, size * z, limits)

    by_a, by_b = cells.sum(axis=-1), cells.sum(axis=-2)
    correlation = _paired_correlation(_smoothed_cells(cells), metric)
    return paired_extremes(correlation, partial(limits_of, by_a), partial(limits_of, by_b))


def paired_extremes(
    correlation: Array, limits_a: Callable[[Array], Limits], limits_b: Callable[[Array], Limits]
) -> Limits:
    """The least and the largest difference B - A of two scores of this correlation.

    The functions give each score's limits at shares of the normal quantile, a first axis.
    """
    # By symmetry half the ellipse is enough: the other half has both signs turned.
    turn = 0.5 * np.arccos(correlation)
    angle = np.arange(_POINTS).reshape(-1, *(1,) * turn.ndim) * (np.pi / _POINTS)
    by_a, by_b = np.cos(angle + turn), np.cos(angle - turn)
    (low_a, high_a), (low_b, high_b) = limits_a(np.abs(by_a)), limits_b(np.abs(by_b))
    end_a, back_a = np.where(by_a < 0.0, (low_a, high_a), (high_a, low_a))
    end_b, back_b = np.where(by_b < 0.0, (low_b, high_b), (high_b, low_b))
    differences = np.concatenate([end_b - end_a, back_b - back_a])
    return differences.min(axis=0), differences.max(axis=0)


def weighted_excess(matrix: Array, a: float, b: float) -> Array:
    """By how much a mean weighted by the classes' true items is too high on average.

    An item that is right adds to its class's share and to its score: these are the covariances of
    the two. In a difference those of the two classifiers cancel, all but.
    """
    tp, fp, fn = _class_counts(matrix, a, b)
    whole = tp + _errors(fp, fn, a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(whole > 0.0, a * tp * fp / whole**2, 0.0)
    excess: Array = each.sum(axis=-1) / matrix.sum(axis=(-2, -1))
    return excess


def _limits_of(metric: Any, counts: Any, matrix: Any, z: FloatOrArray, limits: Kernel) -> Limits:
    """Limits of any metric that has such ones, from counts or else from matrices."""
    if metric.kind == "mean":
        a, b, weighted = metric.of.a, metric.of.b, metric.weighted
        return mean_limits(matrix, a, b, z, weighted=weighted, limits=limits)
    if metric.kind == "macro_star":
        return macro_star_limits(matrix, metric.a, metric.b, z, limits=limits)
    tp, fp, fn = counts
    a, b = (1.0, 0.0) if metric.kind == "share" else (metric.a, metric.b)
    return limits(tp, fp, fn, a, b, z)


# What the registry of methods names.


def _limits(asked: Question, limits: Kernel) -> Limits:
    metric: Any = asked.metric
    low, high = _limits_of(metric, asked.counts, asked.matrix, asked.z, limits)
    if metric.kind == "mean" and metric.weighted:
        low = np.maximum(low - weighted_excess(asked.matrix, metric.of.a, metric.of.b), 0.0)
        nothing = asked.matrix.sum(axis=(-2, -1)) == 0.0
        low, high = np.where(nothing, 0.0, low), np.where(nothing, 1.0, high)
    # Two ways to an estimate differ by rounding; an undefined one is nan, and changes nothing.
    return np.fmin(low, asked.estimate), np.fmax(high, asked.estimate)


def _difference(asked: Question, limits: Kernel) -> Limits:
    return difference_limits(asked.matrix, asked.metric, asked.z, limits=limits)


# Of any metric that has such limits, and of the difference of two scores, where the matrix of
# the question is `difference_limits`' cells.
score = partial(_limits, limits=tversky_limits)
cautious = partial(_limits, limits=cautious_limits)
difference = partial(_difference, limits=tversky_limits)
cautious_difference = partial(_difference, limits=cautious_limits)


def _finished(ends: Limits, matrix: Array, z: FloatOrArray, limits: Kernel) -> Limits:
    """Limits of an average inside [0, 1], with room where hardly an item is wrong, or right."""
    low, high = np.maximum(ends[0], 0.0), np.minimum(ends[1], 1.0)
    if limits is cautious_limits:
        return low, high
    right = np.trace(matrix, axis1=-2, axis2=-1)
    wrong = matrix.sum(axis=(-2, -1)) - right
    return low * _room(right, z), 1.0 - (1.0 - high) * _room(wrong, z)


def _room(count: Array, z: FloatOrArray) -> Array:
    """The modified Wilson limit of one or two items over Wilson's own, in the Poisson limit.

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


def _class_counts(matrix: Array, a: float, b: float) -> tuple[Array, Array, Array]:
    """TP, FP and FN of each class; zeros for what has no weight."""
    tp = np.diagonal(matrix, axis1=-2, axis2=-1)
    fp, fn = matrix.sum(axis=-2) - tp, matrix.sum(axis=-1) - tp
    return tp, (fp if a else 0.0 * fp), (fn if b else 0.0 * fn)


def _binary_counts(matrix: Array) -> tuple[Array, Array, Array]:
    return matrix[..., 1, 1], matrix[..., 0, 1], matrix[..., 1, 0]


def _smoothed(matrix: Array) -> Array:
    """One more right item in each class, and a quarter of a wrong one for the other classes.

    Correlations of estimates without variance would be undefined.
    """
    r = matrix.shape[-1]
    eye = np.eye(r)
    smooth: Array = matrix + eye + 0.25 * (1.0 - eye) / (r - 1.0)
    return smooth


def _smoothed_cells(cells: Array) -> Array:
    """The same kind of items for two classifiers.

    By class a quarter of an item right for both, half for A alone, half for B alone, and a
    quarter wrong for both: dependence is rather understated.
    """
    r = cells.shape[-1]
    right = np.eye(r)
    wrong = (1.0 - right) / (r - 1.0)  # by true class and predicted class
    outcome, items = np.stack([wrong, right]), np.array([[0.25, 0.5], [0.5, 0.25]])
    added: Array = np.einsum("pq,pij,qik->ijk", items, outcome, outcome)
    return cells + added


def _scores_and_units(tp: Array, fp: Array, fn: Array, a: float, b: float) -> tuple[Array, Array]:
    """Scores, and 1 / (whole times the standard deviation of the score)."""
    f = tp / (tp + _errors(fp, fn, a, b))
    return f, 1.0 / np.sqrt(tp * (1.0 - f) ** 2 + f * f * _errors(fp, fn, a * a, b * b))


def _class_correlation(smooth: Array, a: float, b: float) -> Array:
    """Two classes share only the items of one that were predicted as the other."""
    f, unit = _scores_and_units(*_class_counts(smooth, a, b), a, b)
    u = f * unit
    shared = a * b * (smooth + np.swapaxes(smooth, -1, -2))
    eye = np.eye(smooth.shape[-1])
    return np.where(eye > 0.0, 1.0, shared * u[..., :, None] * u[..., None, :])


def _both_correlation(smooth: Array) -> Array:
    """Correlations of every precision and recall; precisions share nothing, nor do recalls."""
    tp, fp, fn = _class_counts(smooth, 1.0, 1.0)
    p, unit_p = _scores_and_units(tp, fp, fn, 1.0, 0.0)
    q, unit_q = _scores_and_units(tp, fp, fn, 0.0, 1.0)
    eye = np.eye(smooth.shape[-1])
    # An item of class l predicted as k lowers the precision of k and the recall of l.
    wrong = np.swapaxes(smooth, -1, -2) * (p * unit_p)[..., :, None] * (q * unit_q)[..., None, :]
    right = (tp * (1.0 - p) * (1.0 - q) * unit_p * unit_q)[..., :, None] * eye
    across = np.where(eye > 0.0, right, wrong)
    same = np.broadcast_to(eye, across.shape)
    return np.block([[same, across], [np.swapaxes(across, -1, -2), same]])


def _share_part(smooth: Array, a: float, b: float) -> tuple[Array, Array]:
    """What random shares of the classes add to a sum of shares times scores.

    Its standard deviation, shape (..., 1), and its correlations with the classes' scores.
    """
    f, unit = _scores_and_units(*_class_counts(smooth, a, b), a, b)
    rows = smooth.sum(axis=-1)
    n = rows.sum(axis=-1, keepdims=True)
    mean = (rows * f).sum(axis=-1, keepdims=True) / n
    variance = (rows * (f - mean) ** 2).sum(axis=-1, keepdims=True) / n
    # The share of class j moves by an item of j, the score of k by those of j taken for k.
    moved = smooth.sum(axis=-2) * f - (smooth * f[..., :, None]).sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = a * f * unit * moved / np.sqrt(n * variance)
    return np.sqrt(variance / n), np.where(variance > 0.0, correlation, 0.0)


def _paired_correlation(smooth: Array, metric: Any) -> Array:
    """The correlation of the two scores, from their influences on the cells."""
    by_a, by_b = smooth.sum(axis=-1), smooth.sum(axis=-2)
    first, second = metric.evaluate(by_a)[1], metric.evaluate(by_b)[1]
    shared = (smooth * first[..., :, None] * second[..., None, :]).sum(axis=(-3, -2, -1))
    squares = (by_a * first**2).sum(axis=(-2, -1)) * (by_b * second**2).sum(axis=(-2, -1))
    correlation: Array = shared / np.sqrt(squares)
    return np.clip(correlation, -1.0, 1.0)


def _mean(parts: Array) -> tuple[Array, Array]:
    return parts.mean(axis=-1), np.full(parts.shape, 1.0 / parts.shape[-1])


def sum_of(weight: Array) -> Objective:
    return lambda parts: ((parts * weight).sum(axis=-1), weight)


def _star(a: float, b: float) -> Objective:
    """F-beta of the mean of the first half of the parts and the mean of the second half."""

    def objective(parts: Array) -> tuple[Array, Array]:
        r = parts.shape[-1] // 2
        p = parts[..., :r].mean(axis=-1, keepdims=True)
        q = parts[..., r:].mean(axis=-1, keepdims=True)
        weighted = a * q + b * p
        weighted = np.where(weighted == 0.0, 1.0, weighted)
        by_p, by_q = a / r * (q / weighted) ** 2, b / r * (p / weighted) ** 2
        slope = np.concatenate([np.repeat(by_p, r, -1), np.repeat(by_q, r, -1)], axis=-1)
        return (p * q / weighted)[..., 0], slope

    return objective


# Sums of correlated scores.


def extremes(
    counts: tuple[Array, Array, Array],
    a: float,
    b: float,
    z: FloatOrArray,
    objective: Objective,
    correlation: Array,
    limits: Kernel,
    spread: Array | None = None,
) -> Limits:
    r"""The least and the largest value of a score made of correlated parts.

    Part k, with counts of shape (..., K), has the limits F_k(zeta) at zeta z, above the estimate
    for zeta > 0 and below for zeta < 0. Over the ellipsoid the extreme satisfies
    zeta = R g / sqrt(g' R g), where g_k is the derivative of the score by zeta_k. Each step
    replaces g_k by (F_k(zeta_k) - f_k) / zeta_k times the derivative of the score by part k.
    Steps need not get nearer, so that the furthest of the points reached is taken.
    """
    tp, fp, fn = counts
    v = tp + fp + fn
    empty = v == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = _errors(fp, fn, a, b)
        whole = tp + errors
        f = np.where(empty, 0.5, tp / whole)
        # Of second order: E(f) - F = -cov(TP, whole) / whole^2 + TP var(whole) / whole^3.
        bias = (f * _errors(fp, fn, a * a, b * b) - tp * (1.0 - f)) / (whole * whole)
        # Effective counts may be worth less than one item, which is not theirs to give then.
        per_item = np.minimum(v, 1.0 / v)
    # One item alone has no bias.
    bias = np.where(empty, 0.0, bias) * np.clip(v - 1.0, 0.0, 1.0)
    unknown: Array = empty
    if spread is not None:
        nothing = np.zeros_like(spread)
        f, bias, per_item = (np.concatenate([p, nothing], axis=-1) for p in (f, bias, per_item))
        unknown = np.concatenate([empty, np.zeros(spread.shape, dtype=bool)], axis=-1)
    value, first = objective(f)
    parts = tp.shape[-1]
    quantile = np.asarray(z)[..., None]
    ends: list[Array] = []
    for side in (-1.0, 1.0):
        start = np.where(side * first < 0.0, -1.0, 1.0)
        zeta: Array = start
        end = side * value
        for step in range(_STEPS + 1):
            shrunk = 1.0 - zeta * zeta
            left = 1.0 - shrunk * per_item
            at = zeta * quantile
            worth = left[..., :parts]
            reached = _limit_at(limits, tp * worth, fp * worth, fn * worth, a, b, at[..., :parts])
            if spread is not None:
                reached = np.concatenate([reached, at[..., parts:] * spread], axis=-1)
            here, slope = objective(reached - shrunk * bias / left)
            if step > 0:  # the start lies outside of the ellipsoid
                end = np.maximum(end, side * here)
            if step == _STEPS:
                break
            reach = np.where(unknown, 0.0, slope * (reached - f) / zeta)
            shared = np.einsum("...ij,...j->...i", correlation, reach)
            total = (shared * reach).sum(axis=-1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                turned = side * shared / np.sqrt(total)
            turned = np.where(unknown | (total <= 0.0), start, turned)
            # No part moves back, whatever its correlation with the others.
            zeta = start * np.clip(start * turned, _LEAST, 1.0)
        ends.append(side * end)
    return ends[0], ends[1]
