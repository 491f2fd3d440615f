r"""Sample sizes: how many items guarantee a standard error, whatever the classifier.

The variance of a Tversky index tau(a, b), and so of any F-beta, from n items is nu / n.
Jiang (2020), proposition 1 (ii), bounds it for every classifier at once by
``nu <= V(max{a, b}) / (b E(Z))``, where V(m) is the maximum of
``t (1 - t) (1 - (1 - m) t)^2`` over t in [0, 1]. His formula for it leaves out m = 1, where
V = 1/4. For a <= b no smaller constant will do. For a > b, that is, for F-beta with beta
below 1, one will, as follows.

Let x = FP / TP, y = FN / TP, u = a x + b y, w = b y and d = a - b. Then, exactly,

    nu b E(Z) = (b + w) (a u + u^2 - d w) / (1 + u)^4,    0 <= w <= u.

If d <= 0 this increases in w. If d > 0 it is a concave parabola in w, with its top at
``w = (u (a + u) / d - b) / 2``, and the largest value at a given u is

    A(u) = u (b + u)^2 / (1 + u)^4                       at w = u, if u >= d,
    G(u) = {(u + b) (u + d) / (1 + u)^2}^2 / (4 d)       at the top, if u1 <= u <= d,
    H(u) = b u (a + u) / (1 + u)^4                       at w = 0, if u <= u1,

with ``u1 (a + u1) = b d``. Each has at most one stationary point with u > 0, the root of
an equation of degree two, one and two; the pieces join with equal slopes, so there is one
maximum in all. The maximum of A is V(b), at ``u_o = (3 - 3 b + sqrt(9 b^2 - 14 b + 9)) / 2``.
Hence the supremum over all classifiers is V(b) if and only if ``a <= b + u_o`` (so for
every a <= 2, and every F-beta), and else the maximum of G or H. A classifier with these
ratios attains it.

The bound is on the variance of the limiting normal distribution. It holds for the sample
proportions too, so the half width that will be computed from the data is within the plan
if the test set has the planned number of positives. It does not make the interval cover:
where the normal approximation is poor (see `f1ci.delta`), a narrow interval may miss.
"""

from __future__ import annotations

import math

from scipy import special

from f1ci import metrics as _metrics
from f1ci import validation
from f1ci.metrics import Metric
from f1ci.results import SampleSize

__all__ = ["sample_size", "variance_bound", "worst_rule"]

BOUNDS = ("sharp", "jiang")

# Double arithmetic may put a whole number this far above itself.
_ROUNDING = 1e-12


def sample_size(
    metric: str | Metric = "f1",
    *,
    half_width: float | None = None,
    standard_error: float | None = None,
    prevalence: float | None = None,
    bound: str = "sharp",
    confidence_level: float = 0.95,
) -> SampleSize:
    """Number of items that keeps an interval narrow, whatever the classifier.

    Jiang (2020), corollary 2: ``n E(Z) >= V / (b delta^2)`` for a standard error delta.

    Parameters
    ----------
    metric : str or Metric, default "f1"
        A Tversky index: "f1", "jaccard", "recall", ``f1ci.metrics.fbeta(beta)`` or
        ``f1ci.metrics.tversky(a, b)`` with b above 0.
    half_width : float, optional
        The largest half width wanted for `f1ci.metric_interval`'s interval.
    standard_error : float, optional
        The largest standard error wanted; give either this or `half_width`.
    prevalence : float, optional
        E(Z), the share of truly positive items, in (0, 1]. With it, the whole number of
        items is given too.
    bound : {"sharp", "jiang"}, optional
        How V is bounded: by the exact supremum over all classifiers, or as published, by
        ``V(max{a, b})``. Both guarantee the width; they differ only if a is above b (so
        not for F1), where the published bound asks for more items than needed.
    confidence_level : float, default 0.95
        Level of the interval whose half width is meant.

    Returns
    -------
    SampleSize
        `positives`, the number of truly positive items, and `total`.

    Notes
    -----
    The width is guaranteed once `positives` positives are in the test set. A sample of
    `total` items has that many on average, hence in about half of all samples.

    Examples
    --------
    Jiang's example, an F0.5 within 0.02. (He arrives at 16667, having rounded the standard
    error to 0.01 and V to 0.2050.)

    >>> import f1ci
    >>> half = f1ci.metrics.fbeta(0.5)
    >>> plan = f1ci.sample_size(half, half_width=0.02, prevalence=0.615, bound="jiang")
    >>> plan.positives, plan.total
    (9843, 16004)
    >>> plan = f1ci.sample_size(half, half_width=0.02, prevalence=0.615)
    >>> plan.positives, plan.total
    (5832, 9483)
    """
    metric = _metrics.get(metric)
    a, b = validation.plannable(metric)
    validation.exactly_one(half_width=half_width, standard_error=standard_error)
    share = None if prevalence is None else validation.fraction("prevalence", prevalence)
    validation.choice("bound", bound, BOUNDS)
    level = validation.confidence_level(confidence_level)
    if standard_error is not None:
        error = validation.positive("standard_error", standard_error)
    else:
        # The normal quantile, in a form that stays above 0 for the smallest levels.
        z = math.sqrt(2.0) * float(special.erfinv(level))
        error = validation.positive("half_width", half_width) / z
    largest = _variance_bound(a, b, bound)
    positives = largest / b / error / error
    total = positives if share is None else positives / share
    validation.countable("the sample", total)
    return SampleSize(
        positives=_round_up(positives),
        total=None if share is None else _round_up(total),
        variance_bound=largest,
        standard_error=error,
        bound=bound,
        confidence_level=level,
        metric=metric.name,
    )


def variance_bound(a: float, b: float, *, bound: str = "sharp") -> float:
    """The V of ``nu <= V / (b E(Z))``: the largest variance of a Tversky index.

    Parameters
    ----------
    a, b : float
        Weights of the false positives and of the false negatives, b above 0.
    bound : {"sharp", "jiang"}, optional
        The exact supremum over all classifiers, or Jiang's ``V(max{a, b})``.

    Returns
    -------
    float

    Examples
    --------
    >>> from f1ci.planning import variance_bound
    >>> [round(variance_bound(m, m, bound="jiang"), 4) for m in (0.5, 0.6, 0.7, 0.8, 0.9, 1)]
    [0.1549, 0.1695, 0.1861, 0.205, 0.2262, 0.25]
    >>> round(variance_bound(0.8, 0.2), 4)
    0.1215
    """
    a, b = validation.plannable(_metrics.tversky(a, b))
    validation.choice("bound", bound, BOUNDS)
    return _variance_bound(a, b, bound)


def worst_rule(a: float, b: float) -> tuple[float, float]:
    """The classifier that attains `variance_bound`'s sharp bound.

    Parameters
    ----------
    a, b : float
        Weights of the false positives and of the false negatives, b above 0.

    Returns
    -------
    false_positives, false_negatives : float
        For each true positive.

    Examples
    --------
    For F1: no false positives, and a recall of 1 / (1 + 1.78).

    >>> from f1ci.planning import worst_rule
    >>> x, y = worst_rule(0.5, 0.5)
    >>> x, round(y, 2)
    (0.0, 3.56)
    """
    a, b = validation.plannable(_metrics.tversky(a, b))
    u, w = _worst_ratios(a, b)
    return (u - w) / a if u > w else 0.0, w / b


def _variance_bound(a: float, b: float, bound: str) -> float:
    if bound == "jiang":
        b = max(a, b)
        u = w = _worst_odds(b)
    else:
        u, w = _worst_ratios(a, b)
    # At w = u this is u (b + u)^2 / (1 + u)^4, whatever a is.
    gain = u * (b + u) if w == u else u * (a + u) - (a - b) * w
    return (b + w) * gain / (1.0 + u) ** 4


def _worst_ratios(a: float, b: float) -> tuple[float, float]:
    """Where the variance is largest: u = (a FP + b FN) / TP and w = b FN / TP."""
    u, d = _worst_odds(b), a - b
    if a <= 2.0 or d <= u:
        return u, u
    joint = 2.0 * b * d / (a + math.sqrt(a * a + 4.0 * b * d))
    u = (a - 2.0 * b * d) / (a - 2.0)
    if u <= joint:
        slope = 3.0 * a - 2.0
        return 2.0 * a / (slope + math.sqrt(slope * slope + 8.0 * a)), 0.0
    return u, 0.5 * (u * (a + u) / d - b)


def _worst_odds(m: float) -> float:
    """The maximiser of u (m + u)^2 / (1 + u)^4: Jiang's tau_o is 1 / (1 + u)."""
    root = math.hypot(3.0 * m - 7.0 / 3.0, math.sqrt(32.0) / 3.0)
    # The positive root of u^2 + 3 (m - 1) u - m, without cancellation on either side of 1.
    return 0.5 * (3.0 - 3.0 * m + root) if m <= 1.0 else 2.0 * m / (3.0 * m - 3.0 + root)


def _round_up(value: float) -> int:
    return max(1, math.ceil(value * (1.0 - _ROUNDING)))
