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

**Two models on the same items.** An item that B gets right and A does not moves the difference
of their scores by ``(1 - F + b F) / S`` if it is positive, and by ``a F / S`` if it is negative,
where S is ``E(TP) + a E(FP) + b E(FN)``; for F1 these are (2 - F) / D and F / D, with D the
predicted plus the true positive share. Items on which they agree move it by nothing if both have
the same F and the same S. With shares d1 and d0 of discordant positives and negatives, the
variance is therefore ``V = {d1 (1 - F + b F)^2 + d0 (a F)^2} / S^2`` per item, and

    n = (z_(1 - alpha/2) + z_power)^2 V / delta^2.

It fails where normality does (few discordant items are expected), where the two models predict
very different numbers of positives, so that they have different S, and where the difference is
not small next to 1 - F. Then plan from a pilot's labels.

The bound is on the variance of the limiting normal distribution. It holds for the sample
proportions too, so the half width that will be computed from the data is within the plan
if the test set has the planned number of positives. It does not make the interval cover:
where the normal approximation is poor (see `f1ci.methods.delta`), a narrow interval may miss.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from scipy import special

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci.counts import Items, items_of
from f1ci.methods.delta import item_covariance
from f1ci.methods.quantile import normal_quantile
from f1ci.metrics import Metric
from f1ci.results import DifferenceSampleSize, SampleSize

BOUNDS = ("sharp", "jiang")
POWER = 0.8  # by default

# Double arithmetic may put a whole number this far above itself.
_ROUNDING = 1e-12


def sample_size(
    metric: str | Metric = "f1",
    *,
    half_width: float | None = None,
    standard_error: float | None = None,
    prevalence: float | None = None,
    bound: str = "sharp",
    difference: float | None = None,
    disagreement: Sequence[float] | None = None,
    score: float | None = None,
    power: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize | DifferenceSampleSize:
    """Number of items that keeps an interval narrow, or finds a difference of two models.

    Jiang (2020), corollary 2: ``n E(Z) >= V / (b delta^2)`` for a standard error delta, whatever
    the classifier. With `difference`, for two models on the same items, our own: see above.

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
    difference : float, optional
        The difference between two models that a paired test should find; instead of a width.
        It needs the next two and `prevalence`, and takes as many items to be predicted
        positive as are. `pilot_sample_size` makes the plan from labels instead.
    disagreement : tuple of float, optional
        The shares of all items that are positive, and that are negative, and that one model
        gets right and the other wrong.
    score : float, optional
        About what both models score.
    power : float, optional
        Probability of finding the difference; by default 0.8.
    confidence_level : float, default 0.95
        Level of the interval whose half width is meant, or one minus the size of the test.

    Returns
    -------
    SampleSize
        `positives`, the number of truly positive items, and `total`. With `difference` a
        `DifferenceSampleSize`: `items`, and `unpaired` for two separate test sets.

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

    Two models with an F1 of about 0.8, which disagree on one item in ten:

    >>> plan = f1ci.sample_size(
    ...     "f1", difference=0.03, disagreement=(0.05, 0.05), score=0.8, prevalence=0.3
    ... )
    >>> plan.items, plan.unpaired
    (2520, 5582)
    """
    metric = _metrics.get(metric)
    _validation.choice("bound", bound, BOUNDS)
    level = _validation.confidence_level(confidence_level)
    goal = {"half_width": half_width, "standard_error": standard_error}
    if difference is not None:
        _validation.exactly_one(**goal, difference=difference)
        if bound != BOUNDS[0]:
            raise ValueError(f"bound goes with a width, got bound={bound!r} for a difference")
        variances = _variances(metric, disagreement, score, prevalence)
        power = _validation.inner("power", POWER if power is None else power)
        return _plan(metric, difference, *variances, power, level)
    for name, value in {"disagreement": disagreement, "score": score, "power": power}.items():
        if value is not None:
            raise ValueError(f"{name} goes with difference, got {name}={_validation.short(value)}")
    a, b = _plannable(metric)
    _validation.exactly_one(**goal)
    share = None if prevalence is None else _validation.fraction("prevalence", prevalence)
    if standard_error is not None:
        error = _validation.positive("standard_error", standard_error)
    else:
        half = _validation.positive("half_width", half_width)
        if half >= 1.0:
            raise ValueError(f"half_width must be below 1, the range of a score, got {half!r}")
        error = half / normal_quantile(level)
    largest = _variance_bound(a, b, bound)
    positives = largest / b / error / error
    total = None if share is None else _round_up(positives / share)
    return SampleSize(_round_up(positives), total, largest, error, bound, level, metric.name)


def pilot_sample_size(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    metric: str | Metric = "f1",
    *,
    difference: float,
    power: float = POWER,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
    confidence_level: float = 0.95,
) -> DifferenceSampleSize:
    """Number of items that finds a difference of two models, planned from a pilot's labels.

    The variance is the pilot's own, so a pilot of few discordant items makes a poor plan.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b, metric, pos_label, labels, groups
        See `f1ci.difference_interval`; any metric will do. With groups the plan counts groups.
    difference, power, confidence_level
        See `sample_size`.

    Returns
    -------
    DifferenceSampleSize

    Examples
    --------
    >>> from f1ci.planning import detectable_difference, pilot_sample_size
    >>> y_true = [1] * 50 + [0] * 50
    >>> a = [1] * 30 + [0] * 70
    >>> b = [1] * 36 + [0] * 56 + [1] * 2 + [0] * 6
    >>> plan = pilot_sample_size(y_true, a, b, difference=0.05)
    >>> plan.items, plan.unpaired
    (445, 1563)
    >>> print(f"{detectable_difference(plan, 1000):.3f}")
    0.033
    """
    metric = _metrics.get(metric)
    power, level = _validation.inner("power", power), _validation.confidence_level(confidence_level)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    return pilot_plan(
        items_of(named, metric.binary, pos_label, labels, groups), metric, difference, power, level
    )


def pilot_plan(
    pilot: Items, metric: Metric, difference: Any, power: float, level: float
) -> DifferenceSampleSize:
    """`pilot_sample_size` from kinds of items."""
    rows = np.stack([metric.evaluate(pilot.matrix(k))[1] for k in (0, 1)])
    units = pilot.counts.sum() if pilot.groups is None else pilot.groups.max() + 1
    (first, both), (_, second) = units * item_covariance(rows, pilot.groups, pilot.counts)
    separate = first + second
    return _plan(metric, difference, separate - 2.0 * both, separate, power, level)


def detectable_difference(plan: DifferenceSampleSize, items: int) -> float:
    """The smallest difference that so many items find with the plan's power.

    Parameters
    ----------
    plan : DifferenceSampleSize
        Of `sample_size` or `pilot_sample_size`; its difference does not matter.
    items : int
        How many items (or groups) there are.

    Returns
    -------
    float
    """
    if not isinstance(plan, DifferenceSampleSize):
        raise TypeError(f"plan must be a DifferenceSampleSize, got {_validation.short(plan)}")
    n = _validation.positive_integer("items", items)
    return _reach(plan.confidence_level, plan.power) * math.sqrt(plan.variance / n)


def _variances(
    metric: Metric, disagreement: Any, score: Any, prevalence: Any
) -> tuple[float, float]:
    """Of one item's part in the difference, if both models run on it, and on separate items."""
    a, b = _metrics.tversky_weights(metric)
    if not isinstance(disagreement, (list, tuple)) or len(disagreement) != 2:
        raise ValueError(
            "disagreement must hold the shares of discordant positives and of discordant "
            f"negatives, got {_validation.short(disagreement)}"
        )
    positives, negatives = (_validation.probability("disagreement", d) for d in disagreement)
    f, share = _validation.fraction("score", score), _validation.fraction("prevalence", prevalence)
    wrong = share * (1.0 - f)
    whole = share * f + (a + b) * wrong
    paired = positives * (1.0 - f + b * f) ** 2 + negatives * (a * f) ** 2
    single = share * f * (1.0 - f) ** 2 + (a * a + b * b) * wrong * f * f
    return paired / whole / whole, 2.0 * single / whole / whole


def _plan(
    metric: Metric, difference: Any, paired: float, unpaired: float, power: float, level: float
) -> DifferenceSampleSize:
    delta = _validation.positive("difference", difference)
    scale = (_reach(level, power) / delta) ** 2
    items, separate = _round_up(scale * paired), _round_up(scale * unpaired)
    return DifferenceSampleSize(items, separate, delta, power, float(paired), level, metric.name)


def _reach(level: float, power: float) -> float:
    """How many standard errors away a difference is found with that power."""
    return float(normal_quantile(level) + special.ndtri(power))


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
    weights = _plannable(_metrics.tversky(a, b))
    return _variance_bound(*weights, _validation.choice("bound", bound, BOUNDS))


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
    a, b = _plannable(_metrics.tversky(a, b))
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


def _round_up(items: float) -> int:
    if not items <= _validation.MAX_COUNT:
        raise ValueError(f"a sample must not exceed 2**50 items, but the plan asks for {items:.3g}")
    return max(1, math.ceil(items * (1.0 - _ROUNDING)))


def _plannable(metric: Metric) -> tuple[float, float]:
    """The weights of a Tversky index whose variance the number of positives bounds."""
    a, b = _metrics.tversky_weights(metric, "with b above 0 has a known sample size")
    if not b > 0.0:
        raise ValueError(
            "no number of positives bounds the variance of a Tversky index with b = 0, which "
            f"depends on how many items are predicted positive; got {metric.name!r}"
        )
    return a, b
