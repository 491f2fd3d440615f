r"""The exact road: four intervals for the F1 score of a binary classifier.

Lam, Gopal and Qian (2024), sections 2 to 4. Call :math:`v = TP + FP + FN` the
number of relevant items and :math:`F^*` the share of true positives among
them. Given :math:`v`, :math:`TP \sim \mathrm{Binomial}(v, F^*)` (eq. 16), and

.. math:: F_1 = \frac{2 F^*}{1 + F^*} \qquad (10)

is increasing. So every interval for a binomial proportion, mapped by eq. 10,
is an interval for :math:`F_1`: that gives ``clopper_pearson`` and
``wilson_indirect``. Two methods work on the scale of :math:`F_1` itself, with
the variance :math:`F_1 (1 - F_1)(2 - F_1)^2 / (2 v)` (eq. 25): ``wald`` plugs the
estimate into it, ``wilson_direct`` the unknown :math:`F_1`.

When they fail: ``wald`` undercovers for small :math:`v`, leaves [0, 1] near the borders and
has no width at :math:`F_1 = 0` and 1; ``clopper_pearson`` never covers less than its level and
pays with length. The two Wilson intervals cover their level on average over
:math:`F^*`, not at each :math:`F^*`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv, ndtri

from f1ci import validation
from f1ci.results import Interval

__all__ = ["METHODS", "f1_interval"]

Array = NDArray[np.float64]
# A kernel takes TP, FP + FN, the estimate, its standard error and the level, and gives the end
# points wherever there is a relevant item.
Kernel = Callable[[Array, Array, Array, Array, float], tuple[Array, Array]]

# Counts per block: temporaries of 64 kB stay in the cache, and are small enough for the memory
# allocator to keep (it gives 128 kB back at once in a Dask worker, which takes half of the time).
_BLOCK = 1 << 13

# Newton steps of `wilson_direct`: four are within 3e-13 of the root whatever the counts and the
# level, a fifth brings all to rounding error.
_NEWTON_STEPS = 5


def f1_interval(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    *,
    method: str = "wilson_indirect",
    confidence_level: float = 0.95,
) -> Interval:
    r"""Confidence interval for the F1 score of a binary classifier, from its counts.

    Parameters
    ----------
    tp, fp, fn : int or array_like of int
        True positives, false positives and false negatives, up to 2**50 each.
        Arrays broadcast against each other.
    method : {"wilson_indirect", "wilson_direct", "clopper_pearson", "wald"}
        How to compute the interval.
    confidence_level : float, default 0.95
        Nominal probability, between 0 and 1, that the interval holds the true score.

    Returns
    -------
    Interval
        With fields of the broadcast shape, or floats for scalar counts. The
        standard error is the root of eq. 29, whatever the method.

    Notes
    -----
    Write :math:`f` for the sample F1 score, :math:`z` for the normal quantile and
    :math:`k = z^2 / v`.

    ``clopper_pearson`` (eqs. 26, 27) and ``wilson_indirect`` (eq. 42) are the
    binomial intervals for :math:`F^*` mapped by eq. 10. ``wald`` (eqs. 30, 31) is
    :math:`f \pm z \sqrt{f (1 - f)(2 - f)^2 / (2 v)}`; it may leave [0, 1] and is not clipped.

    ``wilson_direct`` solves eq. 34, :math:`2 (F - f)^2 = k F (1 - F)(2 - F)^2`.
    The paper shows that this quartic has two real roots if :math:`k < 16/11`.
    It has exactly two, one on each side of :math:`f`, for every :math:`k > 0`:

    1. Outside [0, 1] the right-hand side is negative. Inside, roots solve
       :math:`k = h(F) = 2 (F - f)^2 / \{F (1 - F)(2 - F)^2\}`.
    2. :math:`(\log h)' = 2/(F - f) - 1/F + 1/(1 - F) + 2/(2 - F)` is positive on :math:`(f, 1)`,
       since :math:`2/(F - f) > 1/F`, and negative on :math:`(0, f)`, since
       :math:`2/(f - F) \ge 2/(1 - F)` and :math:`1/F + 1/(1 - F) \ge 4 > 2/(2 - F)`.
    3. So :math:`h` falls from infinity to 0 on :math:`(0, f)` and rises from 0 to
       infinity on :math:`(f, 1)`: it meets :math:`k` once on each side. (At :math:`f = 0`
       or 1 the root on the empty side is :math:`f` itself.)

    With no relevant item at all (``tp = fp = fn = 0``) the score is undefined:
    the estimate and its standard error are ``nan`` and the interval is [0, 1].

    References
    ----------
    Lam, Gopal and Qian (2024), *Confidence intervals for the F1 score: a
    comparison of four methods*, arXiv:2309.14621, sections 2 to 4.

    Examples
    --------
    BERT's counts on the suggestion-mining test set (section 6 of the paper):

    >>> import f1ci
    >>> interval = f1ci.f1_interval(77, 44, 10)
    >>> low, high = interval
    >>> f"{interval.estimate:.3f} [{low:.3f}, {high:.3f}]"
    '0.740 [0.669, 0.801]'

    Many classifiers at once:

    >>> f1ci.f1_interval([77, 0, 40], 44, 10, method="clopper_pearson").low.round(3)
    array([0.665, 0.   , 0.49 ])
    """
    level = validation.confidence_level(confidence_level)
    validation.choice("method", method, METHODS)
    true = validation.whole("tp", tp)
    false_positive = validation.whole("fp", fp)
    false_negative = validation.whole("fn", fn)
    validation.broadcastable(tp=true, fp=false_positive, fn=false_negative)
    wrong = np.add(false_positive, false_negative, dtype=np.float64)
    estimate, error, low, high = intervals(true, wrong, method, level)
    if estimate.ndim == 0:
        return Interval(float(estimate), float(low), float(high), float(error), level, method, "f1")
    return Interval(estimate, low, high, error, level, method, "f1")


def intervals(
    tp: NDArray[Any], wrong: NDArray[Any], method: str, level: float
) -> tuple[Array, Array, Array, Array]:
    """Estimate, standard error and end points for validated TP and FP + FN of any shapes."""
    kernel = _KERNELS[method]
    if np.ndim(tp) == np.ndim(wrong) == 0 or max(np.size(tp), np.size(wrong)) <= _BLOCK:
        return _one_block(_floats(tp), _floats(wrong), kernel, level)
    tp, wrong = np.broadcast_arrays(tp, wrong)
    shape, tp, wrong = tp.shape, tp.reshape(-1), wrong.reshape(-1)
    places: NDArray[np.intp] | None = None
    if kernel is _clopper_pearson:
        # Beta quantiles take far longer than a sort: equal counts are computed once.
        base = float(wrong.max(initial=0)) + 1.0
        if (float(tp.max(initial=0)) + 1.0) * base < 2.0**53:
            pairs, places = np.unique(tp * base + wrong, return_inverse=True)
            tp, wrong = np.divmod(pairs, base)
    out = [np.empty(tp.size) for _ in range(4)]
    for start in range(0, tp.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        ends = _one_block(_floats(tp[block]), _floats(wrong[block]), kernel, level)
        for row, values in zip(out, ends, strict=True):
            row[block] = values
    if places is not None:
        out = [row[places] for row in out]
    return tuple(row.reshape(shape) for row in out)  # type: ignore[return-value]


def _floats(values: NDArray[Any]) -> Array:
    """Floats; a scalar for an array without dimensions, which is faster and has the same bits."""
    floats: Array = np.asarray(values, dtype=np.float64)[()]
    return floats


def _one_block(
    tp: Array, wrong: Array, kernel: Kernel, level: float
) -> tuple[Array, Array, Array, Array]:
    # Empty tests (v = 0) divide 0 by 0 on purpose: nan is the answer, or is replaced below.
    with np.errstate(divide="ignore", invalid="ignore"):
        double = 2.0 * tp + wrong
        estimate = 2.0 * tp / double
        # The root of eq. 29, written in counts: with F = 2 TP / (2 TP + W),
        # 1 - F = W / (2 TP + W) and 2 - F = 2 v / (2 TP + W) it is exact at both borders.
        error = np.sqrt(estimate * wrong * (tp + wrong) * 2.0 / double) / double
        low, high = kernel(tp, wrong, estimate, error, level)
    if kernel is not _wald:
        # Rounding alone could put an end point on the wrong side of the estimate.
        low = np.minimum(low, estimate)
        high = np.maximum(high, estimate)
    empty = double == 0.0
    if empty.any():
        low, high = np.where(empty, 0.0, low), np.where(empty, 1.0, high)
    return estimate, error, low, high


def _quantile(level: float) -> float:
    """Two-sided normal quantile, exact also for levels that round to one."""
    return -float(ndtri(0.5 * (1.0 - level)))


def _clopper_pearson(
    tp: Array, wrong: Array, _estimate: Array, _error: Array, level: float
) -> tuple[Array, Array]:
    """Beta quantiles for F* (eqs. 26, 27), which do not exist at TP = 0 and TP = v."""
    tail = 0.5 * (1.0 - level)
    low = np.where(tp == 0.0, 0.0, betaincinv(tp, wrong + 1.0, tail))
    high = np.where(wrong == 0.0, 1.0, betainccinv(tp + 1.0, wrong, tail))
    return 2.0 * low / (1.0 + low), 2.0 * high / (1.0 + high)


def _wald(
    _tp: Array, _wrong: Array, estimate: Array, error: Array, level: float
) -> tuple[Array, Array]:
    """Estimate plus and minus z standard errors (eqs. 30, 31)."""
    half = _quantile(level) * error
    return estimate - half, estimate + half


def _wilson_indirect(
    tp: Array, wrong: Array, _estimate: Array, _error: Array, level: float
) -> tuple[Array, Array]:
    """Roots of the quadratic 42, each by the expression that does not cancel, mapped by eq. 10."""
    z = _quantile(level)
    v = tp + wrong
    root = z * np.sqrt(z * z + 4.0 * tp * wrong / v)
    sum_of_roots = 2.0 * tp + z * z + root
    # The product of the roots is TP^2 / (v (v + z^2)).
    low = 4.0 * tp * tp / (v * sum_of_roots + 2.0 * tp * tp)
    high = 2.0 * sum_of_roots / (2.0 * (v + z * z) + sum_of_roots)
    return low, np.where(wrong == 0.0, 1.0, np.minimum(high, 1.0))


def _wilson_direct(
    tp: Array, wrong: Array, _estimate: Array, _error: Array, level: float
) -> tuple[Array, Array]:
    r"""Roots of the quartic 37.

    With u^2 = F* / (1 - F*) the root of eq. 34 reads, for F below the estimate,
    (TP - W u^2)(1 + 2 u^2) = D u (1 + u^2), W = FP + FN, D = z (v + TP) / sqrt(v);
    above it, w = 1 / u solves the same equation with TP and W, and 1 and 2,
    exchanged. Then F = 2 u^2 / (1 + 2 u^2) = 2 / (2 + w^2): no digits are lost at
    either border.
    """
    v = tp + wrong
    slope = _quantile(level) * (v + tp) / np.sqrt(v)
    u = _odds_root(tp, wrong, slope, 1.0, 2.0)
    w = _odds_root(wrong, tp, slope, 2.0, 1.0)
    return 2.0 * u * u / (1.0 + 2.0 * u * u), 2.0 / (2.0 + w * w)


def _odds_root(a: Array, b: Array, slope: Array, alpha: float, beta: float) -> Array:
    r"""Solve (a - b t^2)(alpha + beta t^2) = slope t (1 + t^2) for the t in [0, sqrt(a / b)].

    Put E(t) = slope (1 + t^2) / (alpha + beta t^2). Then t is the positive root T(E) of
    b t^2 + E t - a, which lies in the bracket whatever E is; so the root is the fixed point of
    t -> T(E(t)). That map contracts log t by a factor of at most 0.344 (its derivative is
    -E / sqrt(E^2 + 4 a b) times 2 t^2 (alpha - beta) / {(1 + t^2)(alpha + beta t^2)}), so
    Newton's method on t - T(E(t)) converges from anywhere, and a last application of the map
    leaves the result inside the bracket. The number of steps is fixed: an array gives the same
    bits as its elements one by one.
    """
    four_ab = 4.0 * a * b
    two_a = 2.0 * a
    t = two_a / (slope + np.sqrt(slope * slope + four_ab))
    for _ in range(_NEWTON_STEPS):
        square = t * t
        denominator = alpha + beta * square
        e = slope * (1.0 + square) / denominator
        root = np.sqrt(e * e + four_ab)
        image = two_a / (e + root)
        derivative = 2.0 * (beta - alpha) * image * t * e / (root * (1.0 + square) * denominator)
        t = t - (t - image) / (1.0 - derivative)
    square = t * t
    e = slope * (1.0 + square) / (alpha + beta * square)
    return two_a / (e + np.sqrt(e * e + four_ab))


_KERNELS: dict[str, Kernel] = {
    "wilson_indirect": _wilson_indirect,
    "wilson_direct": _wilson_direct,
    "clopper_pearson": _clopper_pearson,
    "wald": _wald,
}

# The names of the four methods, the default first.
METHODS = tuple(_KERNELS)
