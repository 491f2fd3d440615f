r"""Wilson direct: the score test on the scale of F1, with the large-sample variance of F1.

Lam, Gopal and Qian (2024), section 4. Write v = TP + FP + FN for the number of relevant items,
f for the sample F1 score and :math:`k = z^2 / v`. The variance of f is
:math:`F_1 (1 - F_1)(2 - F_1)^2 / (2 v)` (eq. 25). The interval holds the values that a test with
this variance does not reject, eq. 34, :math:`2 (F - f)^2 = k F (1 - F)(2 - F)^2`.
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

When it fails: it covers its level on average over the truth, not at each truth.
"""

from __future__ import annotations

import numpy as np

from f1ci.methods.closed_form import Limits
from f1ci.types import Array, FloatOrArray

# Newton steps. Four are within 3e-13 of the root whatever the counts and the level, a fifth
# brings all to rounding error.
_NEWTON_STEPS = 5


def limits(tp: Array, fp: Array, fn: Array, z: FloatOrArray) -> Limits:
    r"""Return the roots of the quartic 37 for F1.

    With u^2 = F* / (1 - F*) the root of eq. 34 reads, for F below the estimate,
    (TP - W u^2)(1 + 2 u^2) = D u (1 + u^2), W = FP + FN, D = z (v + TP) / sqrt(v);
    above it, w = 1 / u solves the same equation with TP and W, and 1 and 2,
    exchanged. Then F = 2 u^2 / (1 + 2 u^2) = 2 / (2 + w^2): no digits are lost at
    either border.
    """
    wrong = fp + fn
    v = tp + wrong
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = z * (v + tp) / np.sqrt(v)
        u = _odds_root(tp, wrong, slope, 1.0, 2.0)
        w = _odds_root(wrong, tp, slope, 2.0, 1.0)
        estimate = 2.0 * tp / (v + tp)
    low = 2.0 * u * u / (1.0 + 2.0 * u * u)
    high = 2.0 / (2.0 + w * w)
    # Rounding alone could put a limit on the wrong side. Without relevant items all is possible.
    low = np.where(v == 0.0, 0.0, np.minimum(low, estimate))
    return low, np.where(v == 0.0, 1.0, np.maximum(high, estimate))


def _odds_root(a: Array, b: Array, slope: Array, alpha: float, beta: float) -> Array:
    r"""Solve (a - b t^2)(alpha + beta t^2) = slope t (1 + t^2) for the t in [0, sqrt(a / b)].

    Put E(t) = slope (1 + t^2) / (alpha + beta t^2). Then t is the positive root T(E) of
    b t^2 + E t - a, which lies in the bracket whatever E is; so the root is the fixed point of
    t -> T(E(t)). That map contracts log t by a factor of at most 0.344 (its derivative is
    -E / sqrt(E^2 + 4 a b) times 2 t^2 (alpha - beta) / {(1 + t^2)(alpha + beta t^2)}), so
    Newton's method on t - T(E(t)) converges from anywhere, and a last application of the map
    leaves the result inside the bracket.
    """
    four_ab = 4.0 * a * b
    two_a = 2.0 * a
    t = two_a / (slope + np.sqrt(slope * slope + four_ab))
    for _ in range(_NEWTON_STEPS + 1):
        square = t * t
        denominator = alpha + beta * square
        e = slope * (1.0 + square) / denominator
        root = np.sqrt(e * e + four_ab)
        image = two_a / (e + root)
        derivative = 2.0 * (beta - alpha) * image * t * e / (root * (1.0 + square) * denominator)
        t = t - (t - image) / (1.0 - derivative)
    return image
