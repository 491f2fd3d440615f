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
has standard error zero and an interval of length zero. `blurred` (Yuan & Jiang,
choice II) adds to the variance of a binary metric what independent noise in E(ZA), EA
and EZ would add, and `logit` keeps the interval inside the range. With fewer
than a few dozen groups, the cluster-robust intervals are too short. Score intervals
(`f1ci.methods.score`) cover much better than any of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from f1ci.counts import Matrix
from f1ci.methods.score import Limits, Sample
from f1ci.metrics import BinaryMetric, Tversky
from f1ci.metrics.classes import expectations, is_f1
from f1ci.results import Array, FloatOrArray

# An estimate this near to the border, as a share of the range, is at the border.
_BORDER = 1e-12


def symmetric(sample: Sample, z: FloatOrArray) -> Limits:
    """Return the estimate plus and minus z standard errors."""
    half = z * sample.error
    low, high = sample.estimate - half, sample.estimate + half
    if sample.counts is None or not is_f1(sample.metric):
        return low, high
    # Without relevant items every F1 is possible (Lam, Gopal and Qian 2024).
    return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)


def logit(sample: Sample, z: FloatOrArray) -> Limits:
    """Return the same on a scale without borders: a logit, a logarithm, or the metric's own.

    An estimate within 1e-12 of a border counts as at the border: the limits are the whole range.
    """
    estimate, (least, largest) = sample.estimate, sample.range
    error = sample.error if sample.error_at is None else sample.error_at(z)
    # The bias moves the centre half of the way to a border at most.
    half = 0.5 * (least + estimate), 0.5 * (largest + estimate)
    low, high = transformed(np.clip(estimate - sample.bias, *half), error, z, sample.range)
    return np.minimum(low, estimate), np.maximum(high, estimate)


def transformed(
    estimate: Array, error: Array, z: FloatOrArray, limits: tuple[float, float]
) -> Limits:
    """Return limits inside a range; the whole range where nothing is known of the error.

    For (-1, 1) the scale is Fisher's for correlations.
    """
    least, largest = limits
    width = largest - least if np.isfinite(largest - least) else 1.0
    origin = least if np.isfinite(least) else 0.0
    share = (estimate - origin) / width
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        border = error == 0.0
        if np.isfinite(largest - least):
            border = border | (np.minimum(share, 1 - share) < _BORDER)
            share = np.where(border, 0.5, share)
            centre, slope, back = special.logit(share), share * (1 - share), special.expit
        elif np.isfinite(least):
            border = border | (share <= 0.0)
            share = np.where(border, 1.0, share)
            centre, slope, back = np.log(share), share, np.exp
        else:
            centre, slope, back = share, np.ones(()), np.positive
        half = z * (error / width) / slope
        # The way there and back may round to the wrong side of the estimate.
        low = np.minimum(origin + width * back(centre - half), estimate)
        high = np.maximum(origin + width * back(centre + half), estimate)
    return np.where(border, least, low), np.where(border, largest, high)


def blurred(sample: Sample, z: FloatOrArray) -> Array:
    """Return the standard error with the correction of Yuan & Jiang, remark 2, choice II.

    The squared slopes by E(ZA), EA and EZ, summed, times z^2 / 2n^2, are added to the variance.
    (For accuracy this is six times the increment of the Agresti-Coull interval.)
    """
    metric, matrix = sample.metric, sample.matrix
    assert isinstance(metric, BinaryMetric | Tversky)  # noqa: S101 - `choose` sees to it
    if matrix is None:
        # What is added does not depend on the true negatives of a Tversky score.
        assert sample.counts is not None  # noqa: S101 - there is a matrix or counts
        tp, fp, fn = np.broadcast_arrays(*sample.counts)
        matrix = Matrix(np.stack([0.0 * tp, fp, fn, tp], axis=-1).reshape(*tp.shape, 2, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        of_positive = (x[..., 1] for x in expectations(matrix))
        slopes = np.stack(np.broadcast_arrays(*metric.partials(*of_positive)))
        added = (slopes**2).sum(axis=0) * z**2 / (2 * matrix.total**2)
        return np.asarray(np.sqrt(sample.error**2 + added))


def item_covariance(rows: Array, groups: NDArray[np.int64] | None, counts: Array) -> Array:
    """Return the covariance of estimates (..., K) from influences (..., K, rows) and counts.

    With groups, one for each row, influences are summed within them.
    """
    n = counts.sum(axis=-1)[..., None, None]
    summed = rows * counts[..., None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        if groups is None:
            return np.asarray(summed @ np.swapaxes(rows, -1, -2) / (n * (n - 1)))
        units = np.stack([np.bincount(groups, weights=row) for row in summed])
        sizes = np.stack([np.bincount(groups, weights=row) for row in np.abs(summed)])
        units = np.where(np.abs(units) <= 1e-14 * sizes, 0.0, units)  # only rounding is left
        count = units.shape[1]
        return np.asarray((units @ units.T) * (count / (count - 1) / n**2))
