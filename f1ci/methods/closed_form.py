r"""Limits of one Tversky score F = TP / (TP + a FP + b FN).

The **score limits** are the values of F that Pearson's test does not reject (Wilson 1927; book,
chapter "Score intervals for every metric"). Given v = TP + FP + FN the three counts are
multinomial. If a = b the limits are Wilson's for TP / v, mapped to F (Lam et al. 2024, eq. 42). If
a or b is 0 they are Wilson's for recall or precision. Other weights need the search of
`f1ci.methods.region`, over the three cells TP, FP and FN.

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

from f1ci.methods import region
from f1ci.types import Array, FloatOrArray

Limits: TypeAlias = tuple[Array, Array]

# So many counts at a time are fastest.
_BLOCK = 1 << 14

# The correction near a perfect score is for so many errors.
_FEW = 3.0


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


def few_errors_factor(errors: Array, z: FloatOrArray) -> Array:
    """Return the factor on the distance of a limit from a perfect score, below 1 for 1 to 3 errors.

    Wilson's upper limit excludes rates of errors at which hardly one is expected. So the coverage
    dips where one, two or three errors, once seen, exclude the truth. Brown, Cai and DasGupta
    (2001, Statistical Science 16, 101-133) take the one-sided Poisson limit there. The factor is
    that limit divided by Wilson's lower limit for so many errors.
    """
    z = np.asarray(z)
    few = (errors > 0.0) & (errors <= _FEW)
    m = np.where(few, errors, 1.0)
    wilson = m * m / (m + z * z / 2.0 + z * np.sqrt(m + z * z / 4.0))
    poisson = gammaincinv(m, 2.0 * ndtr(-z))
    return np.where(few, np.minimum(poisson / wilson, 1.0), 1.0)


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
    """Return the limits for unequal weights, neither of them 0: the region has no closed form."""
    shape = np.broadcast_shapes(tp.shape, fp.shape, fn.shape, np.shape(z))
    counts = np.stack([np.broadcast_to(count, shape).ravel() for count in (tp, fp, fn)])

    def evaluate(q: Array) -> tuple[Array, Array]:
        D = q[0] + a * q[1] + b * q[2]
        F = q[0] / D
        return F, np.stack([1.0 - F, -a * F, -b * F]) / D

    low, high = region.score_limits(evaluate, counts, np.broadcast_to(z, shape).ravel())
    return low.reshape(shape), high.reshape(shape)
