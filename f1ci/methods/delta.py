"""The delta road: intervals for any smooth metric from one covariance formula.

With p the matrix of cell probabilities, estimated from n items by the observed
proportions, and g the gradient of a metric (see `f1ci.metrics`), the metric's estimate
is asymptotically normal with variance ``g' (diag(p) - p p') g / n`` (Takahashi et al.
2022, section 3; Jiang 2020, proposition 1; Yuan & Jiang 2025, proposition 1). The
published closed forms are special cases. Equivalently, an item of true class i and
predicted class j has influence ``g[i, j]``, and the covariance of two estimates, of
whatever metrics of whatever classifiers on the same items, is the covariance of their
items' influences over n.

Two conventions, after the papers: one score of independent items has the divisor n (the
multinomial maximum likelihood of Takahashi et al.); differences, joint intervals and items in
clusters have n - 1 (Yuan & Jiang, remark 2). With clusters, influences are
summed within each of the G groups, and the factor is G / (G - 1): groups of one item
each give back the divisor n - 1.

A Tversky index of counts x = TP, y = FP, w = FN and D = x + a y + b w has the variance
``{x (1 - F)^2 + (a^2 y + b^2 w) F^2} / D^2``, whatever the number of true negatives.

When the method fails: in small samples, near the borders of the metric's range, and
where the positive class is rare, the normal approximation is poor and the intervals are
too short or leave the range. An estimate at the border (no item right, or none wrong)
has standard error zero and an interval of length zero. `blurred_error` (Yuan & Jiang,
choice II) adds to the variance of a binary metric what independent noise in E(ZA), EA
and EZ would add, and `logit` keeps the interval inside the range. With fewer
than a few dozen groups, the cluster-robust intervals are too short. Score intervals
(`f1ci.methods.closed_form`) cover much better than any of these.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from f1ci.methods.closed_form import Limits
from f1ci.metrics.base import ExpectationMetric, Slopes
from f1ci.types import Array, FloatOrArray

# An estimate this near to the border, as a share of the range, is at the border.
_BORDER = 1e-12


def normal_quantile(level: float) -> float:
    """Return z, the two-sided normal quantile of a level; exact next to 0 and 1, too."""
    if level > 0.1:
        return float(-special.ndtri((1.0 - level) / 2.0))
    return float(np.sqrt(2.0) * special.erfinv(level))


def symmetric(estimate: Array, error: Array, z: FloatOrArray) -> Limits:
    """Return the estimate plus and minus z standard errors."""
    half = z * error
    return estimate - half, estimate + half


def logit(
    estimate: Array, error: Array, z: FloatOrArray, range_: tuple[FloatOrArray, FloatOrArray]
) -> Limits:
    """Return limits inside a range; the whole range where nothing is known of the error.

    The scale is a logit if the range is finite (for correlations Fisher's z), a logarithm if it has
    one end, and the metric's own otherwise. An estimate within 1e-12 of a border counts as at the
    border.
    """
    least, largest = range_
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if np.isfinite(largest - least).all():
            low, high = _on_logit_scale((estimate - least) / (largest - least), error, z, range_)
        elif np.isfinite(least).all():
            low, high = _on_log_scale(estimate - least, error, z, least)
        else:
            low, high = symmetric(estimate, error, z)
    # The way there and back may round to the wrong side of the estimate.
    low = np.minimum(low, estimate)
    high = np.maximum(high, estimate)
    return np.where(error == 0.0, least, low), np.where(error == 0.0, largest, high)


def _on_logit_scale(
    share: Array, error: Array, z: FloatOrArray, range_: tuple[FloatOrArray, FloatOrArray]
) -> Limits:
    """Return the limits for an estimate that is at this share of a finite range."""
    least, largest = range_
    width = largest - least
    border = np.minimum(share, 1.0 - share) < _BORDER
    inside = np.where(border, 0.5, share)
    centre = special.logit(inside)
    half = z * (error / width) / (inside * (1.0 - inside))
    low = least + width * special.expit(centre - half)
    high = least + width * special.expit(centre + half)
    return np.where(border, least, low), np.where(border, largest, high)


def _on_log_scale(above: Array, error: Array, z: FloatOrArray, least: FloatOrArray) -> Limits:
    """Return the limits for an estimate that is this far above the only end of the range."""
    border = above <= 0.0
    inside = np.where(border, 1.0, above)
    factor = np.exp(z * error / inside)
    low = least + inside / factor
    high = least + inside * factor
    return np.where(border, least, low), np.where(border, np.inf, high)


def blurred_error(
    metric: ExpectationMetric, error: Array, means: Slopes, n: Array, z: FloatOrArray
) -> Array:
    """Return the standard error with the correction of Yuan & Jiang, remark 2, choice II.

    The squared slopes by E(ZA), EA and EZ, summed, times z^2 / 2n^2, are added to the variance.
    (For accuracy this is six times the increment of the Agresti-Coull interval.)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(error**2 + blur(metric, means, n, z)))


def blur(metric: ExpectationMetric, means: Slopes, n: Array, z: FloatOrArray) -> Array:
    """Return what choice II of Yuan & Jiang adds to the variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.stack(np.broadcast_arrays(*metric.partials(*means)))
        return np.asarray((slopes**2).sum(axis=0) * z**2 / (2.0 * n**2))
