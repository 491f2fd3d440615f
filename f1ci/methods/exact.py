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

The kernels take the true positives and the number of wrong items, FP + FN, as counts.

When they fail: ``wald`` undercovers for small :math:`v`, leaves [0, 1] near the borders and
has no width at :math:`F_1 = 0` and 1; ``clopper_pearson`` never covers less than its level and
pays with length. The two Wilson intervals cover their level on average over
:math:`F^*`, not at each :math:`F^*`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.special import betainccinv, betaincinv

from f1ci.metrics import Question
from f1ci.results import Array

Limits: TypeAlias = tuple[Array, Array]

# Newton steps of `wilson_direct`: four are within 3e-13 of the root whatever the counts and the
# level, a fifth brings all to rounding error.
_NEWTON_STEPS = 5


def moments(tp: Array, wrong: Array) -> tuple[Array, Array]:
    """The estimate and its standard error; both ``nan`` where no item is relevant."""
    double = 2.0 * tp + wrong
    estimate = 2.0 * tp / double
    # The root of eq. 29, written in counts: with F = 2 TP / (2 TP + W),
    # 1 - F = W / (2 TP + W) and 2 - F = 2 v / (2 TP + W) it is exact at both borders.
    return estimate, np.sqrt(estimate * wrong * (tp + wrong) * 2.0 / double) / double


def wald(asked: Question) -> Limits:
    """Estimate plus and minus z standard errors (eqs. 30, 31)."""
    half = asked.z * asked.error
    return _whole_if_empty(asked, asked.estimate - half, asked.estimate + half)


def clopper_pearson(asked: Question) -> Limits:
    """Beta quantiles for F* (eqs. 26, 27), which do not exist at TP = 0 and TP = v."""
    tp, wrong, _ = asked.counts
    tail = 0.5 * (1.0 - asked.level)
    low = np.where(tp == 0.0, 0.0, betaincinv(tp, wrong + 1.0, tail))
    high = np.where(wrong == 0.0, 1.0, betainccinv(tp + 1.0, wrong, tail))
    return _settled(asked, 2.0 * low / (1.0 + low), 2.0 * high / (1.0 + high))


def wilson_indirect(asked: Question) -> Limits:
    """Roots of the quadratic 42, each by the expression that does not cancel, mapped by eq. 10."""
    (tp, wrong, _), z = asked.counts, asked.z
    v = tp + wrong
    root = z * np.sqrt(z * z + 4.0 * tp * wrong / v)
    sum_of_roots = 2.0 * tp + z * z + root
    # The product of the roots is TP^2 / (v (v + z^2)).
    low = 4.0 * tp * tp / (v * sum_of_roots + 2.0 * tp * tp)
    high = 2.0 * sum_of_roots / (2.0 * (v + z * z) + sum_of_roots)
    high = np.where(wrong == 0.0, 1.0, np.minimum(high, 1.0))
    return _settled(asked, low, high)


def wilson_direct(asked: Question) -> Limits:
    r"""Roots of the quartic 37.

    With u^2 = F* / (1 - F*) the root of eq. 34 reads, for F below the estimate,
    (TP - W u^2)(1 + 2 u^2) = D u (1 + u^2), W = FP + FN, D = z (v + TP) / sqrt(v);
    above it, w = 1 / u solves the same equation with TP and W, and 1 and 2,
    exchanged. Then F = 2 u^2 / (1 + 2 u^2) = 2 / (2 + w^2): no digits are lost at
    either border.
    """
    tp, wrong, _ = asked.counts
    v = tp + wrong
    slope = asked.z * (v + tp) / np.sqrt(v)
    u = _odds_root(tp, wrong, slope, 1.0, 2.0)
    w = _odds_root(wrong, tp, slope, 2.0, 1.0)
    return _settled(asked, 2.0 * u * u / (1.0 + 2.0 * u * u), 2.0 / (2.0 + w * w))


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


def _settled(asked: Question, low: Array, high: Array) -> Limits:
    # Rounding alone could put an end point on the wrong side of the estimate.
    estimate = asked.estimate
    return _whole_if_empty(asked, np.minimum(low, estimate), np.maximum(high, estimate))


def _whole_if_empty(asked: Question, low: Array, high: Array) -> Limits:
    """[0, 1] where no item is relevant."""
    empty = asked.estimate != asked.estimate
    if empty.any():
        return np.where(empty, 0.0, low), np.where(empty, 1.0, high)
    return low, high
