r"""Sample sizes: the number of items for a narrow interval, or to find a difference of two models.

**One score.** The variance of a Tversky index tau(a, b), and so of any F-beta, from n items is
nu / n. Jiang (2020), proposition 1 (ii), bounds it for every classifier at once:
``nu <= V(max{a, b}) / (b E(Z))``, where V(m) is the maximum of ``t (1 - t) (1 - (1 - m) t)^2``
over t in [0, 1]. For a <= 2, so for every F-beta, V(b) is enough, and one classifier attains it
(a theorem of the book's chapter on planning). V(m) is ``u (m + u)^2 / (1 + u)^4`` at
``u = (3 - 3 m + sqrt(9 m^2 - 14 m + 9)) / 2``.

The bound holds for sample proportions too. So the half width that will be computed from the data
is within the plan if the test set has the planned number of positives. It does not make the
interval cover: where the normal approximation is poor (see `f1ci.methods.delta`), a narrow
interval can miss.

**From a pilot.** The standard error of any score from n items is ``sqrt(V / n)``, where V is the
variance of one item's influence on the score. A pilot estimates V. The interval of the method
"delta" then has the half width ``z sqrt(V / n)``, so that ``n = z^2 V / half_width^2``. A pilot
with few errors, or with few items of a rare class, says little about V. So each plan has a range:
n for both ends of an interval for V. V is a function of the pilot's shares, too, so the delta
method gives the relative variance w of its estimate. A variance estimated with ``nu = 2 / w``
degrees of freedom varies as much (Satterthwaite 1946, Biometrics Bulletin 2, 110-114), and the ends
are ``nu V / chi^2`` with two quantiles of chi^2. The bound above holds for every model.

**Two models on the same items.** An item that only model B gets right moves the difference of
their scores by ``(1 - F + b F) / S`` if it is positive, and by ``a F / S`` if it is negative,
where S is ``E(TP) + a E(FP) + b E(FN)``. For F1 these are (2 - F) / D and F / D, with D the
predicted plus the true positive share. Items on which the models agree do not move it if both
models have the same F and the same S. With shares d1 and d0 of discordant positives and negatives
the variance per item is ``V = {d1 (1 - F + b F)^2 + d0 (a F)^2} / S^2``, and

    n = (z_(1 - alpha/2) + z_power)^2 V / delta^2.

The plan fails where few discordant items are expected, where the two models predict very
different numbers of positives, so that they have different S, and where the difference is not
small next to 1 - F. Then plan from the labels of a pilot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from f1ci import metrics
from f1ci.data import checks
from f1ci.methods.delta import normal_quantile
from f1ci.metrics import Metric
from f1ci.metrics.averages import Mean
from f1ci.results import DifferenceSampleSize, PilotSize, SampleSize
from f1ci.types import Array

# Double arithmetic may put a whole number this far above itself.
_ROUNDING = 1e-12

# Weights are changed by so much for a numeric slope.
_STEP = 1e-4


def sample_size(
    metric: str | Metric = "f1",
    *,
    half_width: float,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """Return the number of items that keeps an interval narrow, whatever the classifier.

    Jiang (2020), corollary 2: ``n E(Z) >= V / (b delta^2)`` for a standard error delta.

    Parameters
    ----------
    metric : str or Metric, default "f1"
        A Tversky index: "f1", "jaccard", "recall", ``f1ci.metrics.fbeta(beta)`` or
        ``f1ci.metrics.tversky(a, b)`` with a at most 2 and b above 0. Or its macro average, such as
        "macro_f1": a mean over classes has no larger standard error than its worst class, so the
        size for the rarest class is enough.
    half_width : float
        The largest half width wanted for the interval of the method "delta":
        the normal quantile of the level times the largest standard error.
    prevalence : float, optional
        E(Z), the share of truly positive items, in (0, 1]; of a macro average the share of the
        rarest class. With it, the whole number of items is given too.
    confidence_level : float, default 0.95
        Level of the interval whose half width is meant.

    Returns
    -------
    SampleSize
        `positives`, the number of truly positive items (of a macro average the number of items of
        the rarest class), and `total`.

    See Also
    --------
    comparison_sample_size : Items to find a difference of two models.

    Notes
    -----
    The width is guaranteed if `positives` positives are in the test set. A sample of
    `total` items has that many on average, hence in about half of all samples.

    Examples
    --------
    An F0.5 within 0.02, as in Jiang's example. His bound is V(a), with a above b here, and asks
    for 16,004 items:

    >>> import f1ci
    >>> plan = f1ci.sample_size(f1ci.metrics.fbeta(0.5), half_width=0.02, prevalence=0.615)
    >>> plan.positives, plan.total
    (5832, 9483)

    A macro F1 within 0.05, if one item in twenty is of the rarest class:

    >>> print(f1ci.sample_size("macro_f1", half_width=0.05, prevalence=0.05))
    macro_f1                   number
    items of the rarest class     477
    items in all                9,522
    keep the standard error at 0.02551 or below
    """
    metric = metrics.get(metric)
    level = checks.confidence_level(confidence_level)
    rule = "with b above 0 has a known sample size (Labels.plan plans others from a pilot)"
    of_class = metric.of if isinstance(metric, Mean) and metric.average == "macro" else metric
    a, b = metrics.tversky_weights(of_class, rule)
    if not (b > 0.0 and a <= 2.0):
        rule = "a sample size is known for a Tversky index with a <= 2 and b > 0"
        raise ValueError(f"{rule}, got {metric.name!r}, with a = {a:g} and b = {b:g}")
    # Corollary 2, with V(b) and the standard error of an interval of that half width.
    half_width = checks.fraction("half_width", half_width)
    standard_error = half_width / normal_quantile(level)
    variance_bound = _variance_bound(b)
    positives = variance_bound / b / standard_error / standard_error
    total = None
    if prevalence is not None:
        total = round_up(positives / checks.fraction("prevalence", prevalence))
    return SampleSize(
        positives=round_up(positives),
        total=total,
        variance_bound=variance_bound,
        standard_error=standard_error,
        confidence_level=level,
        metric=metric.name,
    )


class Variance(NamedTuple):
    """The variance of a score from one item, or unit, as a pilot has it.

    Attributes
    ----------
    value : float
        The variance.
    degrees : float
        The degrees of freedom of the estimated variance.
    units : int
        The number of items, or units, of the pilot.
    """

    value: float
    degrees: float
    units: int

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends of an interval for the variance."""
        tails = np.array([1.0 - level, 1.0 + level]) / 2.0
        low, high = self.value * self.degrees / special.chdtri(self.degrees, tails)
        return float(low), float(high)


def variance_of(
    error: float, influences: Callable[[Array | None], tuple[Array, Array]]
) -> Variance:
    """Return the variance of one item's influence, and how well a pilot knows it.

    Parameters
    ----------
    error : float
        The standard error of the score, or of a difference, in the pilot.
    influences : callable
        Takes a weight for each row of items; returns their influences on one score, or on two,
        (models, rows), and the numbers of items.
    """
    if not error > 0.0:
        rule = "a pilot must have right and wrong predictions for a plan"
        raise ValueError(f"{rule}, got a standard error of {error:g}")
    # 1. The influences psi.
    of_models, number = influences(None)
    psi = _b_less_a(of_models)
    # 2. The variance is a mean of psi^2. An item moves it by psi^2, and by what it does to all psi:
    #    twice the slope of psi where items count 1 + t psi times.
    step = _STEP / np.abs(psi).max()
    ahead, behind = (influences(1.0 + sign * step * psi)[0] for sign in (1.0, -1.0))
    slope = _b_less_a(ahead - behind) / (2.0 * step)
    units = float(number.sum())
    square = psi**2 + 2.0 * slope
    moved = square - number @ square / units
    # 3. The degrees of freedom that give this relative variance of an estimated variance.
    relative = (number @ moved**2) / (number @ psi**2) ** 2
    return Variance(units * error**2, 2.0 / max(float(relative), _ROUNDING), round(units))


def _b_less_a(of_models: Array) -> Array:
    """Return the influences (rows,) on one score, or on B's less A's, of shape (models, rows)."""
    return np.asarray(of_models[-1] - of_models[0] if len(of_models) == 2 else of_models[0])


def plan_of_interval(metric: str, pilot: Variance, half_width: float, level: float) -> PilotSize:
    """Return the number of units for an interval of a half width, from a pilot."""
    squares = (normal_quantile(level) / half_width) ** 2
    low, high = (round_up(end * squares) for end in pilot.ends(level))
    planned = round_up(pilot.value * squares)
    return PilotSize(planned, (low, high), pilot.units, pilot.value, half_width, level, metric)


def comparison_sample_size(
    metric: str | Metric = "f1",
    *,
    difference: float,
    disagreement: Sequence[float],
    score: float,
    prevalence: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> DifferenceSampleSize:
    """Return the number of items that finds a difference of two models on the same items.

    As many items are taken to be predicted positive as are positive. `f1ci.Labels.plan` makes the
    plan from the labels of a pilot instead.

    Parameters
    ----------
    metric : str or Metric, default "f1"
        A Tversky index: "f1", "jaccard", "precision", "recall", ``f1ci.metrics.fbeta(beta)`` or
        ``f1ci.metrics.tversky(a, b)``.
    difference : float
        The difference between two models that a paired test should find.
    disagreement : tuple of float
        Two shares of all items: positives that exactly one model gets right, and such negatives.
    score : float
        The approximate score of both models.
    prevalence : float
        The share of truly positive items, in (0, 1].
    power : float, default 0.8
        Probability of finding the difference.
    confidence_level : float, default 0.95
        One minus the size of the test.

    Returns
    -------
    DifferenceSampleSize
        `items`, and `unpaired` for two separate test sets.

    Raises
    ------
    ValueError
        If the models disagree on too few items for such a difference, or if an argument is out of
        its range.

    Examples
    --------
    Two models with an F1 of about 0.8, which disagree on one item in ten:

    >>> import f1ci
    >>> plan = f1ci.comparison_sample_size(
    ...     "f1", difference=0.03, disagreement=(0.05, 0.05), score=0.8, prevalence=0.3
    ... )
    >>> plan.items, plan.unpaired
    (2520, 5582)
    """
    metric = metrics.get(metric)
    level = checks.confidence_level(confidence_level)
    power = checks.inner("power", power)
    delta = checks.positive("difference", difference)
    score = checks.fraction("score", score)
    prevalence = checks.fraction("prevalence", prevalence)
    shares = _discordant_shares(disagreement, prevalence)
    # How far a discordant item moves the difference: a positive one, and a negative one.
    moves = _moves(metric, score, prevalence)
    largest = float(shares @ moves)
    if delta > largest:
        all_right = f"right on all of disagreement={checks.short(disagreement)}"
        rule = f"at most {largest:.3g}, as B has if it is {all_right}"
        raise ValueError(f"difference must be {rule}, got {difference!r}")
    paired = Variance(float(shares @ moves**2), math.inf, 0)
    unpaired = 2.0 * _variance(metric, score, prevalence)
    return plan_of_difference(metric, delta, paired, unpaired, power, level)


def _discordant_shares(disagreement: Sequence[float], prevalence: float) -> Array:
    """Return (d1, d0), the shares of discordant positives and negatives among all items."""
    shares = checks.real("disagreement", disagreement)
    checks.shaped("disagreement", shares, shares.shape == (2,), "(2,): positives, negatives")
    for share in shares.tolist():
        checks.probability("disagreement", share)
    negatives = 1.0 - prevalence
    if shares[0] > prevalence or shares[1] > negatives:
        rule = f"within the shares of positives and negatives, {prevalence:g} and {negatives:g}"
        got = checks.short(disagreement)
        raise ValueError(f"disagreement must lie {rule}, got {got}")
    return shares


def _denominator(metric: Metric, f: float, prevalence: float) -> float:
    """Return S = E(TP) + a E(FP) + b E(FN), with as many items predicted positive as are."""
    a, b = metrics.tversky_weights(metric)
    return prevalence * (f + (a + b) * (1.0 - f))


def _moves(metric: Metric, f: float, prevalence: float) -> Array:
    """Return (1 - F + b F) / S and a F / S: the moves by discordant positives and negatives."""
    a, b = metrics.tversky_weights(metric)
    return np.array([1.0 - f + b * f, a * f]) / _denominator(metric, f, prevalence)


def _variance(metric: Metric, f: float, prevalence: float) -> float:
    """Return the variance of one score F, times the number of items."""
    a, b = metrics.tversky_weights(metric)
    right = prevalence * f * (1.0 - f) ** 2
    wrong = prevalence * (1.0 - f) * (a * a + b * b) * f * f
    return (right + wrong) / _denominator(metric, f, prevalence) ** 2


def plan_of_difference(
    metric: Metric, delta: float, paired: Variance, unpaired: float, power: float, level: float
) -> DifferenceSampleSize:
    """Return the plan from the variances of one item, for one test set and for two."""
    errors = float(normal_quantile(level) + special.ndtri(power))
    squares = (errors / delta) ** 2
    between = None
    if paired.units:
        low, high = paired.ends(level)
        between = round_up(squares * low), round_up(squares * high)
    return DifferenceSampleSize(
        items=round_up(squares * paired.value),
        between=between,
        unpaired=round_up(squares * unpaired),
        difference=delta,
        power=power,
        variance=paired.value,
        confidence_level=level,
        metric=metric.name,
    )


def _variance_bound(b: float) -> float:
    """Return V(b), the largest variance of a Tversky index over all classifiers, times b E(Z)."""
    root = math.hypot(3.0 * b - 7.0 / 3.0, math.sqrt(32.0) / 3.0)
    # The positive root u of u^2 + 3 (b - 1) u - b, without cancellation on either side of 1.
    u = 0.5 * (3.0 - 3.0 * b + root) if b <= 1.0 else 2.0 * b / (3.0 * b - 3.0 + root)
    return u * (b + u) ** 2 / (1.0 + u) ** 4


def round_up(items: float) -> int:
    """Return the whole number of items, at least one, that a plan asks for."""
    if not items <= checks.MAX_COUNT:
        raise ValueError(f"a sample must not exceed 2**50 items, but the plan asks for {items:.3g}")
    return max(1, math.ceil(items * (1.0 - _ROUNDING)))
