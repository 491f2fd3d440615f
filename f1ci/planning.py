r"""How many observations a planned standard error or half width needs, whatever the classifier.

Source: Jiang (2020), Proposition 1 (ii) and Corollary 2. The Tversky index tau(a, b), of
which F-beta and the Jaccard index are cases, has asymptotic variance nu(a, b) / n with
nu(a, b) <= V(max{a, b}) / (b EZ) for every prediction rule, where EZ is the prevalence and
V(m) = max over tau of tau (1 - tau) (1 - (1 - m) tau)^2. So n EZ = V / (b delta^2) positives
keep the standard error at or below delta.

Written with d = 1 - m, both of the paper's cases for the maximiser are one expression,
tau_o = 2 / (2 + 3d + sqrt(9 d^2 - 4 d + 4)), which also holds at m = 1, where the paper's
divides by zero (the Jaccard index; V = 1/4).

How sharp the bound is: the variance that no prediction rule exceeds is, for a <= 2 or
a <= b, exactly V(b) / (b EZ), attained without false positives where the index is
tau_o(b). For a <= b that is Jiang's bound; for a > b (F-beta with beta < 1) Jiang's is too
large, and `sharp=True` uses V(b). The reason: hold s = 1 / tau - 1 fixed and let t <= s be
the part of it due to false negatives; then nu EZ is (1 + t / b) (a s + s^2 - (a - b) t) /
(1 + s)^4. For a <= b it increases in t. For a > b it is concave in t, and its largest
value is at t = s if s >= a - b; for smaller s the largest value over t increases with s
as long as a <= 2. So nothing exceeds t = s, no false positives, where it is
(1 + s / b) (b s + s^2) / (1 + s)^4, that is tau (1 - tau) (1 - (1 - b) tau)^2 / b.

When it fails: these are large-sample standard errors, and the sizes are for the worst
prediction rule that could be met; a size planned for a known rule can be much smaller.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import Any

from scipy.special import ndtri

from f1ci import validation
from f1ci.results import SampleSize

__all__ = ["sample_size"]

# Weights of the false positives and of the false negatives, by name.
_WEIGHTS = {"f1": (0.5, 0.5), "jaccard": (1.0, 1.0)}


def sample_size(
    metric: Any = "f1",
    *,
    half_width: float | None = None,
    standard_error: float | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    sharp: bool = False,
) -> SampleSize:
    """Observations that suffice for a Tversky index of any prediction rule (Jiang, Corollary 2).

    Parameters
    ----------
    metric : str or metric
        "f1", "jaccard", or an object with weights ``a`` and ``b`` above 0, such as
        ``f1ci.metrics.fbeta(2)``. Precision and recall are limits and not covered.
    half_width : float, optional
        Wanted half width of the interval at `confidence_level`.
    standard_error : float, optional
        Wanted standard error; give either this or `half_width`.
    prevalence : float, optional
        Proportion of positives, in (0, 1], if a total is wanted as well.
    confidence_level : float
        Relates the half width and the standard error.
    sharp : bool
        Use the smallest constant that holds for every rule instead of the paper's. It
        needs fewer observations for a > b, that is for F-beta with beta below 1.

    Returns
    -------
    SampleSize
        With the number of `positives`, and the `total` if a prevalence was given.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.sample_size("f1", half_width=0.02).positives
    2976
    >>> plan = f1ci.sample_size("jaccard", standard_error=0.01, prevalence=0.2)
    >>> plan.positives, plan.total
    (2500, 12500)
    """
    a, b = _tversky_weights(metric)
    level = validation.confidence_level(confidence_level)
    quantile = float(-ndtri((1 - level) / 2))
    validation.exactly_one(half_width=half_width, standard_error=standard_error)
    if standard_error is None:
        half_width = validation.positive("half_width", half_width)
        standard_error = half_width / quantile
    else:
        standard_error = validation.positive("standard_error", standard_error)
        half_width = standard_error * quantile
    if prevalence is not None:
        prevalence = validation.fraction("prevalence", prevalence)
    bound = _variance_constant(b if sharp and a <= 2 else max(a, b)) / b
    positives = bound / standard_error**2
    return SampleSize(
        positives=_up(positives),
        total=None if prevalence is None else _up(positives / prevalence),
        standard_error=standard_error,
        half_width=half_width,
        prevalence=prevalence,
        variance_bound=bound,
        confidence_level=level,
        metric=metric if isinstance(metric, str) else str(getattr(metric, "name", metric)),
    )


def _tversky_weights(metric: Any) -> tuple[float, float]:
    if isinstance(metric, str) and metric not in ("precision", "recall"):
        return _WEIGHTS[validation.choice("metric", metric, _WEIGHTS)]
    a, b = getattr(metric, "a", None), getattr(metric, "b", None)
    return validation.plannable_weights(metric, a, b)


def _largest_variance_at(m: float) -> float:
    """The tau in (0, 1) at which tau (1 - tau) (1 - (1 - m) tau)^2 is largest, for m > 0."""
    d = 1 - m
    return 2 / (2 + 3 * d + sqrt(9 * d * d - 4 * d + 4))


def _variance_constant(m: float) -> float:
    """Jiang's V(m)."""
    tau = _largest_variance_at(m)
    return tau * (1 - tau) * (1 - (1 - m) * tau) ** 2


def _up(size: float) -> int:
    """The next whole number; a size that is whole but for rounding stays."""
    return ceil(size * (1 - 1e-12))
