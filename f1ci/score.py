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
zeta' R^-1 zeta <= 1. `_extremes` says how it is found, and which two corrections it has.

The closed form is proved to be what it is said to be; that the intervals cover their level is
measured, in the book's chapter on score intervals. They cover on average over the truth, not at
each truth; with classes of fewer than three expected items they are long, and may still fall
short; `cautious_limits` exchange length for a coverage that hardly ever falls short.

These are kernels: they take validated arrays of floats that broadcast, and never check. `z` is
the two-sided normal quantile of the level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy.special import betaincinv, ndtr

__all__ = [
    "cautious_limits",
    "difference_limits",
    "macro_star_limits",
    "mean_limits",
    "tversky_limits",
]

Array: TypeAlias = Any
Limits: TypeAlias = tuple[Array, Array]
# tp, fp, fn, a, b, z -> low, high
Kernel: TypeAlias = Callable[[Array, Array, Array, float, float, Array], Limits]
# The values of the parts -> the score made of them, and its derivatives.
Objective: TypeAlias = Callable[[Array], tuple[Array, Array]]

# Counts per block: temporaries of 64 kB stay in the cache.
_BLOCK = 1 << 13

# Fixed-point steps to the extreme over the ellipsoid; a third changes no coverage by more
# than .001.
_STEPS = 2

# Parts that are nearly uncorrelated with the sum still get a slope of their own.
_LEAST = 1e-3


# One score.


def tversky_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array) -> Limits:
    """Limits of TP / (TP + a FP + b FN); (0, 1) where no item is relevant."""
    return _in_blocks(_score_limits, tp, fp, fn, a, b, z)


def cautious_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array) -> Limits:
    """Longer limits of the same score; Clopper-Pearson's where a = b, or a or b is 0."""
    return _in_blocks(_beta_limits, tp, fp, fn, a, b, z)


def _in_blocks(
    kernel: Kernel, tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array
) -> Limits:
    # A kind of error without weight leaves items irrelevant, as true negatives are.
    fp, fn = (0.0 * fp if a == 0.0 else fp), (0.0 * fn if b == 0.0 else fn)
    arrays = np.broadcast_arrays(tp, fp, fn, z)
    shape = arrays[0].shape
    size = arrays[0].size
    if size <= _BLOCK:
        x, y, w, q = (np.asarray(n, dtype=np.float64)[()] for n in arrays)
        return _bounded(kernel, x, y, w, a, b, q)
    flat = [n.reshape(-1) for n in arrays]
    low, high = np.empty(size), np.empty(size)
    for start in range(0, size, _BLOCK):
        block = slice(start, start + _BLOCK)
        x, y, w, q = (n[block].astype(np.float64) for n in flat)
        low[block], high[block] = _bounded(kernel, x, y, w, a, b, q)
    return low.reshape(shape), high.reshape(shape)


def _bounded(
    kernel: Kernel, tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array
) -> Limits:
    """The kernel's limits, exact at the borders and on the right side of the estimate."""
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


def _score_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array) -> Limits:
    if a == b or a == 0.0 or b == 0.0:
        return _wilson(tp, fp + fn, max(a, b), z)
    return _cubic(tp, fp, fn, a, b, z)


def _wilson(tp: Array, wrong: Array, weight: Array, z: Array) -> Limits:
    """Wilson's limits p of TP / v, free of cancellation, as p / (p + weight (1 - p))."""
    v = tp + wrong
    sum_of_roots = 2.0 * tp + z * z + z * np.sqrt(z * z + 4.0 * tp * wrong / v)
    # The product of the roots is TP^2 / (v (v + z^2)).
    square = 2.0 * tp * tp
    low = square / ((1.0 - weight) * square + weight * (v * sum_of_roots))
    high = sum_of_roots / ((1.0 - weight) * sum_of_roots + 2.0 * weight * (v + z * z))
    return low, np.minimum(high, 1.0)


def _cubic(tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array) -> Limits:
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
        present, absent = np.where(fp == 0.0, b, a), np.where(fp == 0.0, a, b)
        low_one, high_one = _wilson(tp, fp + fn, present, z)
        low = np.where(missing, np.minimum(low_one, x / (x + errors + kk * absent)), low)
        high = np.where(missing, high_one, high)
    return low, high


def _beta_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: Array) -> Limits:
    tail, largest = ndtr(-np.asarray(z)), max(a, b)
    errors, spread = _errors(fp, fn, a, b), _errors(fp, fn, a * a, b * b)
    more, wider = errors + largest, spread + largest * largest
    p = betaincinv(tp, more * more / wider, tail)
    q = betaincinv(errors * errors / spread, tp + 1.0, tail)
    return p / (p + wider / more * (1.0 - p)), (1.0 - q) / ((1.0 - q) + spread / errors * q)


# Averages and differences.


def mean_limits(
    matrix: Array,
    a: float,
    b: float,
    z: float,
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
        return limits(right, 0.0, matrix.sum(axis=(-2, -1)) - right, a, b, z)
    counts = _class_counts(matrix, a, b)
    smooth = _smoothed(matrix)
    correlation = _class_correlation(smooth, a, b)
    if not weighted:
        return _clipped(_extremes(counts, a, b, z, _mean, correlation, limits), 0.0)
    shares = _shares(matrix)
    f, unit = _scores_and_units(*_class_counts(smooth, a, b), a, b)
    spread, extra = _share_part(smooth, f, f, unit, a)
    correlation = _bordered(correlation, extra)
    # The spread of the shares, in the place of one more part with weight 1.
    weight = np.concatenate([shares, np.ones_like(spread)], axis=-1)
    ends = _extremes(counts, a, b, z, _sum_of(weight), correlation, limits, spread)
    return _clipped(ends, 0.0)


def macro_star_limits(
    matrix: Array, a: float, b: float, z: float, *, limits: Kernel = tversky_limits
) -> Limits:
    """Limits of 1 / (a / mean precision + b / mean recall), a + b = 1, from (..., r, r)."""
    counts = _both_counts(matrix)
    correlation = _both_correlation(_smoothed(matrix))
    return _clipped(_extremes(counts, 1.0, 1.0, z, _star(a, b), correlation, limits), 0.0)


def difference_limits(
    cells: Array,
    a: float,
    b: float,
    z: float,
    *,
    average: str = "binary",
    limits: Kernel = tversky_limits,
) -> Limits:
    """Limits of the score of B minus that of A on the same items.

    Cells (..., r, r, r) count the items by true class, class predicted by A, and by B. The
    average is "binary" (of class 1 of two), "macro" or "weighted".
    """
    tables = cells.sum(axis=-1), cells.sum(axis=-2)
    smooth = _smoothed_cells(cells)
    smooth_tables = smooth.sum(axis=-1), smooth.sum(axis=-2)
    one = slice(1, None) if average == "binary" else slice(None)
    parts = [_class_counts(table, a, b) for table in tables]
    counts = _joined([tuple(n[..., one] for n in part) for part in parts])
    (f_a, unit_a), (f_b, unit_b) = (
        _scores_and_units(*_class_counts(table, a, b), a, b) for table in smooth_tables
    )
    between = _between(smooth, (f_a, unit_a), (f_b, unit_b), a, b)[..., one, one]
    within = [_class_correlation(table, a, b)[..., one, one] for table in smooth_tables]
    correlation = np.concatenate(
        [
            np.concatenate([within[0], between], axis=-1),
            np.concatenate([np.swapaxes(between, -1, -2), within[1]], axis=-1),
        ],
        axis=-2,
    )
    shares = _shares(tables[0]) if average == "weighted" else np.ones(tables[0].shape[:-1])
    shares = shares[..., one]
    if average != "weighted":
        shares = shares / shares.shape[-1]
    weight = np.concatenate([-shares, shares], axis=-1)
    spread = None
    if average == "weighted":
        spread, extra_a = _share_part(smooth_tables[0], f_b - f_a, f_a, unit_a, a)
        _, extra_b = _share_part(smooth_tables[1], f_b - f_a, f_b, unit_b, a)
        correlation = _bordered(correlation, np.concatenate([extra_a, extra_b], axis=-1))
        weight = np.concatenate([weight, np.ones_like(spread)], axis=-1)
    ends = _extremes(counts, a, b, z, _sum_of(weight), correlation, limits, spread)
    return _clipped(ends, -1.0)


def _clipped(ends: Limits, least: float) -> Limits:
    return np.maximum(ends[0], least), np.minimum(ends[1], 1.0)


def _class_counts(matrix: Array, a: float, b: float) -> tuple[Array, Array, Array]:
    """TP, FP and FN of each class; zeros for what has no weight."""
    tp = np.diagonal(matrix, axis1=-2, axis2=-1)
    fp, fn = matrix.sum(axis=-2) - tp, matrix.sum(axis=-1) - tp
    return tp, (fp if a else 0.0 * fp), (fn if b else 0.0 * fn)


def _both_counts(matrix: Array) -> tuple[Array, Array, Array]:
    """The same for every precision, then every recall, as scores with weights 1 and 1."""
    tp, fp, fn = _class_counts(matrix, 1.0, 1.0)
    return _joined([(tp, fp, 0.0 * fn), (tp, 0.0 * fp, fn)])


def _joined(parts: Any) -> tuple[Array, Array, Array]:
    tp, fp, fn = (np.concatenate(same, axis=-1) for same in zip(*parts, strict=True))
    return tp, fp, fn


def _shares(matrix: Array) -> Array:
    rows = matrix.sum(axis=-1)
    return rows / rows.sum(axis=-1, keepdims=True)


def _smoothed(matrix: Array) -> Array:
    """One more right item in each class, and one wrong one spread over the other classes."""
    r = matrix.shape[-1]
    eye = np.eye(r)
    return matrix + eye + (1.0 - eye) / (r - 1.0)


def _smoothed_cells(cells: Array) -> Array:
    """The same for two classifiers: half an item each for both right, A, B and none right."""
    r = cells.shape[-1]
    right = np.eye(r)
    odds = right + (1.0 - right) / (r - 1.0)  # by true class and predicted class
    return cells + 0.5 * odds[:, :, None] * odds[:, None, :]


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
    p, unit_p = _scores_and_units(tp, fp, 0.0 * fn, 1.0, 1.0)
    q, unit_q = _scores_and_units(tp, 0.0 * fp, fn, 1.0, 1.0)
    eye = np.eye(smooth.shape[-1])
    # An item of class l predicted as k lowers the precision of k and the recall of l.
    wrong = np.swapaxes(smooth, -1, -2) * (p * unit_p)[..., :, None] * (q * unit_q)[..., None, :]
    right = (tp * (1.0 - p) * (1.0 - q) * unit_p * unit_q)[..., :, None] * eye
    across = np.where(eye > 0.0, right, wrong)
    same = np.broadcast_to(eye, across.shape)
    return np.concatenate(
        [
            np.concatenate([same, across], axis=-1),
            np.concatenate([np.swapaxes(across, -1, -2), same], axis=-1),
        ],
        axis=-2,
    )


def _share_part(
    smooth: Array, score: Array, f: Array, unit: Array, a: float
) -> tuple[Array, Array]:
    """What random shares of the classes add to a sum of shares times scores.

    Its standard deviation, shape (..., 1), and its correlations with the classes' scores f.
    """
    rows = smooth.sum(axis=-1)
    n = rows.sum(axis=-1, keepdims=True)
    mean = (rows * score).sum(axis=-1, keepdims=True) / n
    variance = (rows * (score - mean) ** 2).sum(axis=-1, keepdims=True) / n
    # The share of class j moves by an item of j, the score of k by those of j taken for k.
    columns = smooth.sum(axis=-2)
    moved = columns * score - (smooth * score[..., :, None]).sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = a * f * unit * moved / np.sqrt(n * variance)
    return np.sqrt(variance / n), np.where(variance > 0.0, correlation, 0.0)


def _bordered(correlation: Array, extra: Array) -> Array:
    """The correlations with one more part."""
    column = extra[..., :, None]
    corner = np.ones((*extra.shape[:-1], 1, 1))
    above = np.concatenate([correlation, column], axis=-1)
    below = np.concatenate([np.swapaxes(column, -1, -2), corner], axis=-1)
    return np.concatenate([above, below], axis=-2)


def _between(
    smooth: Array, first: tuple[Array, Array], second: tuple[Array, Array], a: float, b: float
) -> Array:
    """Correlations of the scores of A by class (rows) with those of B (columns)."""
    (f, u), (g, w) = first, second
    by_a, by_b = smooth.sum(axis=-1), smooth.sum(axis=-2)
    right_a, right_b = np.einsum("...kkl->...kl", smooth), np.einsum("...lkl->...kl", smooth)
    eye = np.eye(smooth.shape[-1])
    f_right, g_right = 1.0 - f + (a + b) * f, 1.0 - g + (a + b) * g
    f, g = f[..., :, None], g[..., None, :]
    f_right, g_right = f_right[..., :, None], g_right[..., None, :]
    # An item moves the score of a class by what it is right, predicted and true of it.
    moved = (
        a * a * f * g * smooth.sum(axis=-3)
        - a * f_right * g * right_a
        - a * f * g_right * right_b
        + a * b * f * g * (np.swapaxes(by_a, -1, -2) + by_b)
    ) + eye * (
        f_right * g_right * np.einsum("...kkk->...k", smooth)[..., None]
        - b * f_right * g * np.einsum("...kk->...k", by_a)[..., None]
        - b * f * g_right * np.einsum("...kk->...k", by_b)[..., None]
        + b * b * f * g * by_a.sum(axis=-1)[..., None]
    )
    return moved * u[..., :, None] * w[..., None, :]


def _mean(parts: Array) -> tuple[Array, Array]:
    return parts.mean(axis=-1), np.full(parts.shape, 1.0 / parts.shape[-1])


def _sum_of(weight: Array) -> Objective:
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


def _extremes(
    counts: tuple[Array, Array, Array],
    a: float,
    b: float,
    z: float,
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
        per_item = 1.0 / np.maximum(v, 1.0)
    bias = np.where(empty, 0.0, bias)
    unknown: Array = empty
    if spread is not None:
        f = np.concatenate([f, np.zeros_like(spread)], axis=-1)
        unknown = np.concatenate([empty, np.zeros(spread.shape, dtype=bool)], axis=-1)
    value, slope = objective(f)
    ends: list[Array] = []
    for side in (-1.0, 1.0):
        zeta: Array = np.where(side * slope < 0.0, -1.0, 1.0)
        for step in range(_STEPS + 1):
            size = np.abs(zeta[..., : tp.shape[-1]])
            left = 1.0 - (1.0 - size * size) * per_item
            low, high = limits(tp * left, fp * left, fn * left, a, b, size * z)
            end = np.where(zeta[..., : tp.shape[-1]] < 0.0, low, high)
            shift = (size * size - 1.0) * bias / left
            if spread is not None:
                end = np.concatenate([end, zeta[..., -1:] * z * spread], axis=-1)
                shift = np.concatenate([shift, np.zeros_like(spread)], axis=-1)
            if step == _STEPS:
                break
            _, slope = objective(end)
            reach = np.where(unknown, 0.0, slope * (end - f) / zeta)
            shared = (correlation @ reach[..., None])[..., 0]
            total = (shared * reach).sum(axis=-1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                turned = side * shared / np.sqrt(total)
            turned = np.where(unknown | (total <= 0.0), zeta, turned)
            zeta = np.where(turned < 0.0, -1.0, 1.0) * np.clip(np.abs(turned), _LEAST, 1.0)
        ends.append(objective(end + shift)[0])
    return np.minimum(ends[0], value), np.maximum(ends[1], value)
