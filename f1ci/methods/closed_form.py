r"""Limits of one Tversky score F = TP / (TP + a FP + b FN), in closed form.

The **score limits** are the values of F that Pearson's test does not reject (Wilson 1927; book,
chapter "Score intervals for every metric"). Given v = TP + FP + FN the three counts are
multinomial. Under a value of F the most likely probabilities have one Lagrange multiplier, and
both limits are roots of one cubic. If a = b the limits are Wilson's for TP / v, mapped to F (Lam et
al. 2024, eq. 42). If a or b is 0 they are Wilson's for recall or precision.

The **cautious limits** are those of Clopper and Pearson (1934) if a = b, or if a or b is 0 (Lam et
al., eqs. 26 and 27). Otherwise they follow Fay and Feuer (1997). They are longer, and hardly ever
cover less than their level.

When they fail: score limits cover their level on average over the truth, not at each truth. They
cover least where one to three errors of the heavier kind are expected.

These are kernels: they take checked arrays of floats that broadcast. Counts may be fractions. `z`
is the two-sided normal quantile of the level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import betaincinv, gammaincinv, ndtr

from f1ci.types import Array, FloatOrArray

Limits: TypeAlias = tuple[Array, Array]

# So many counts at a time are fastest.
_BLOCK = 1 << 14


def tversky_moments(tp: Array, fp: Array, fn: Array, a: float, b: float) -> Limits:
    """Return a Tversky score and its standard error by the delta method.

    With D = TP + a FP + b FN the variance is {TP (1 - F)^2 + (a^2 FP + b^2 FN) F^2} / D^2. For F1
    this is eq. 29 of Lam et al. (2024).
    """
    if tp.size > _BLOCK:
        return _in_blocks(tversky_moments, tp, fp, fn, a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = _weighted(fp, fn, a, b)
        D = tp + errors
        F = tp / D
        wrong = errors / D  # 1 - F, without cancellation
        squares = a * errors if a == b else a * a * fp + b * b * fn
        square = tp * wrong * wrong + squares * F * F
        return F, np.sqrt(square) / D


def tversky_limits(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    """Return the score limits; (0, 1) where no item is relevant."""
    if tp.size > _BLOCK and not np.ndim(z):
        return _in_blocks(tversky_limits, tp, fp, fn, a, b, z)
    fp, fn = _relevant(fp, fn, a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        if a == b or a == 0.0 or b == 0.0:
            low, high = _wilson(tp, fp + fn, max(a, b), z)
        else:
            low, high = _two_weights(tp, fp, fn, a, b, z)
        return _with_edges(low, high, tp, _weighted(fp, fn, a, b))


def tversky_cautious_limits(
    tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray
) -> Limits:
    """Return the cautious limits; (0, 1) where no item is relevant.

    Errors of unequal weights are replaced by equal errors with the same sum and the same sum of
    squares (Fay and Feuer 1997). The lower limit counts one more error of the larger weight, the
    upper limit one more right item.
    """
    fp, fn = _relevant(fp, fn, a, b)
    tail = ndtr(-z)
    heaviest = max(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = _weighted(fp, fn, a, b)
        squares = _weighted(fp, fn, a * a, b * b)
        more_errors = errors + heaviest
        more_squares = squares + heaviest * heaviest
        right = betaincinv(tp, more_errors * more_errors / more_squares, tail)
        low = right / (right + more_squares / more_errors * (1.0 - right))
        wrong = betaincinv(errors * errors / squares, tp + 1.0, tail)
        high = (1.0 - wrong) / (1.0 - wrong + squares / errors * wrong)
        return _with_edges(low, high, tp, errors)


def room(count: Array, z: FloatOrArray, few: float = 3.0) -> Array:
    """Return the factor that leaves room for rare items, below 1 for up to `few` of them.

    Wilson's upper limit for a rare event excludes rates at which no event is likely. So the
    coverage dips where one, two or three events, once seen, exclude the truth. Brown, Cai and
    DasGupta (2001, Statistical Science 16, 101-133) take the one-sided Poisson limit there. The
    factor is that limit divided by Wilson's lower limit for so many events.
    """
    z = np.asarray(z)
    rare = (count > 0.0) & (count <= few)
    n = np.where(rare, count, 1.0)
    wilson = n * n / (n + z * z / 2.0 + z * np.sqrt(n + z * z / 4.0))
    one_sided = gammaincinv(n, 2.0 * ndtr(-z))
    return np.where(rare, np.minimum(one_sided / wilson, 1.0), 1.0)


def _relevant(fp: Array, fn: Array, a: float, b: float) -> tuple[Array, Array]:
    """Return the errors that matter. Errors without weight are not relevant items."""
    return (0.0 * fp if a == 0.0 else fp), (0.0 * fn if b == 0.0 else fn)


def _in_blocks(
    kernel: Callable[..., Limits], tp: Array, fp: Array, fn: Array, *rest: FloatOrArray
) -> Limits:
    """Return what a kernel gives, block by block: blocks stay in the processor's cache."""
    shape = np.broadcast_shapes(tp.shape, fp.shape, fn.shape)
    counts = [np.broadcast_to(count, shape).ravel() for count in (tp, fp, fn)]
    first, second = np.empty(counts[0].size), np.empty(counts[0].size)
    for start in range(0, len(first), _BLOCK):
        block = slice(start, start + _BLOCK)
        first[block], second[block] = kernel(*(count[block] for count in counts), *rest)
    return first.reshape(shape), second.reshape(shape)


def _weighted(fp: Array, fn: Array, a: float, b: float) -> Array:
    """Return a FP + b FN, with one product if the weights are equal."""
    return a * (fp + fn) if a == b else a * fp + b * fn


def _with_edges(low: Array, high: Array, tp: Array, errors: Array) -> Limits:
    """Return limits on both sides of the estimate, 0 without right items, 1 without errors."""
    estimate = tp / (tp + errors)
    # `fmin` and `fmax` ignore nan, which 0 / 0 gives at the edges.
    low = np.where(tp == 0.0, 0.0, np.fmin(low, estimate))
    high = np.where(errors == 0.0, 1.0, np.fmax(high, estimate))
    return low, high


def _wilson(tp: Array, wrong: Array, weight: FloatOrArray, z: FloatOrArray) -> Limits:
    """Return p / (p + weight (1 - p)) for Wilson's limits p of TP / v.

    Only 1 - weight loses digits: a weight of 10^6 costs six of sixteen.
    """
    v = tp + wrong
    # The limits p are the roots of (v + z^2) p^2 - (2 TP + z^2) p + TP^2 / v. The larger one is
    # half / (v + z^2). The product of the two is TP^2 / (v (v + z^2)).
    half = tp + z * z / 2.0 + z * np.sqrt(tp * wrong / v + z * z / 4.0)
    square = tp * tp
    low = square / ((1.0 - weight) * square + weight * (v * half))
    high = half / ((1.0 - weight) * half + weight * (v + z * z))
    return low, np.minimum(high, 1.0)


def _two_weights(tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray) -> Limits:
    """Return the limits for unequal weights, neither of them 0, from the roots of the cubic P."""
    # 1. The shares x, y and w of the relevant items, and the letters of the chapter.
    v = tp + fp + fn
    x, y, w = tp / v, fp / v, fn / v
    k = z / np.sqrt(v)
    A = a * y + b * w
    # 2. The outer roots s of P. The limits have the odds t = (x - k s) / A.
    least, largest = _outer_roots(*_cubic(x, y, w, k, a, b))
    low_odds = np.maximum(x - k * largest, 0.0)
    high_odds = x - k * least
    low = low_odds / (low_odds + A)
    high = high_odds / (high_odds + A)
    # 3. If FP or FN is 0, two roots may coincide.
    missing = (fp == 0.0) | (fn == 0.0)
    if np.any(missing):
        low_one, high_one = _one_kind_of_error(tp, fp, fn, a, b, z)
        low = np.where(missing, low_one, low)
        high = np.where(missing, high_one, high)
    return low, high


def _one_kind_of_error(
    tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray
) -> Limits:
    """Return the limits where FP or FN is 0: Wilson's for the errors that occur.

    The lower one is smaller if the missing error gets a positive probability.
    """
    present = np.where(fp > 0.0, a, np.where(fn > 0.0, b, max(a, b)))
    absent = np.where(present == a, b, a)
    low, high = _wilson(tp, fp + fn, present, z)
    weighted = tp + a * fp + b * fn
    return np.minimum(low, tp / (weighted + z * z * absent)), high


def _cubic(
    x: Array, y: Array, w: Array, k: Array, a: float, b: float
) -> tuple[Array, Array, Array]:
    """Return p2, p1 and p0 of the chapter's cubic P = s^3 + p2 s^2 - p1 s + p0, times a factor."""
    A = a * y + b * w
    E = a * b * (y + w)
    C = (a + b) * x + A
    leading = A * A + E * k * k
    p2 = k * (C * A - 2.0 * E * x + a * b * k * k) / leading
    p1 = x * (C * A - E * x + 2.0 * a * b * k * k) / leading
    p0 = a * b * k * x * x / leading
    return p2, p1, p0


def _outer_roots(p2: Array, p1: Array, p0: Array) -> Limits:
    """Return the least and the largest of the three real roots of s^3 + p2 s^2 - p1 s + p0."""
    # 1. Viète's cosines: the roots are 2 R cos(angle) - p2 / 3 for three angles.
    third = p2 / 3.0
    square = third * third + p1 / 3.0
    R = np.sqrt(square)
    cosine = (third * (third * third + 0.5 * p1) + 0.5 * p0) / (square * R)
    angle = np.arccos(np.minimum(cosine, 1.0)) / 3.0
    least = -2.0 * R * np.cos(angle) - third
    largest = 2.0 * R * np.cos(np.pi / 3.0 - angle) - third
    # 2. Where z^2 is far larger than TP, the largest root is a small difference of large numbers.
    # One Newton step restores its digits.
    value = ((largest + p2) * largest - p1) * largest + p0
    slope = (3.0 * largest + 2.0 * p2) * largest - p1
    return least, largest - value / slope
