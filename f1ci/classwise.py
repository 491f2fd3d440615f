r"""Intervals for macro averages put together from the intervals of the classes.

The F1 score of one class has intervals that hold in small samples: those of `f1ci.exact`
(Lam, Gopal and Qian 2024). The delta method treats their mean over classes as normal, with
a variance that counts a class as known exactly as soon as none (or all) of its items are
right; with rare classes or near-perfect scores it is therefore too short. This module
combines the classes' own intervals instead. It is not from the five papers: the first step
is the method of variance estimates recovery (Zou and Donner 2008, *Statistics in Medicine*
27, 1693-1702), with the skewness of a mean of r classes in the place of that of one class.

Let class k have the estimate :math:`f_k` and the interval :math:`f_k + e_k \pm s_k`: half
its length is :math:`s_k`, and :math:`e_k` is how far its centre lies from the estimate,
because the distribution is skewed. Let R hold the correlations of the estimates. Then the
mean over classes gets the interval

.. math:: \bar f + \frac 1 r \sum_k \{\omega_k (e_k + b_k) - b_k\}
          \pm \frac 1 r \sqrt{s' R s},
          \qquad \omega_k = \frac{(R s)_k^2}{s' R s}

1. Half-lengths are multiples of standard deviations, so they add up like those.
2. A centre is off by an amount proportional to the third cumulant over the variance. Third
   cumulants of independent classes add up, so the shares :math:`s_k^2 / \sum s^2` say how much
   of each :math:`e_k` the mean inherits: of r equal classes one r-th, since a mean of many
   is less skewed. If the estimates are equal to one another it inherits all, as it should.
   The :math:`\omega_k` cover what lies between, as if what class j shares with class k were
   a regression on it.
3. A class score that is a curved function :math:`g(q)` of a proportion is biased by
   :math:`b_k = g'' / (2 g'^2) (s_k / z)^2`. An interval for one class, transformed by g, needs
   no correction; but the mean's bias is the mean of the biases, not their weighted sum.

With one class all three give that class's interval back. The end points lie in [0, 1],
enclose the estimate, and have no length zero.

R is the delta method's, evaluated after adding one right and one wrong item to each class,
because correlations of estimates without variance would be undefined. It affects nothing
else.

When the method fails: it holds for means of proportions and of functions of them (F1,
Jaccard, precision, recall), not for F-beta with another beta. It needs about ten relevant
items (true or predicted) in each class: with five in each of twenty classes,
``wilson_indirect`` covers 80 % instead of 95 %, and ``clopper_pearson``, the cautious
choice and about a tenth longer, 90 %.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from f1ci import exact
from f1ci import metrics as _metrics
from f1ci.metrics import Metric, Tversky

__all__ = ["METHODS", "applies_to", "intervals"]

Array: TypeAlias = Any

# The methods of the exact road that never have length zero nor leave [0, 1] and that are
# intervals for a proportion.
METHODS = ("wilson_indirect", "clopper_pearson")

# The share of items that are right, whatever their classes.
_PLAIN_SHARES = (_metrics.accuracy, _metrics.micro_f1)


def applies_to(metric: Metric) -> bool:
    """Whether the score of every class is a function of one proportion."""
    if metric in _PLAIN_SHARES:
        return True
    binary = _of_one_class(metric)
    return isinstance(binary, Tversky) and (binary.a == binary.b or 0.0 in (binary.a, binary.b))


def intervals(metric: Metric, table: Array, method: str, level: float) -> tuple[Array, Array]:
    """End points for validated matrices (..., r, r), each of shape (...)."""
    right, wrong, weight = _proportions(metric, table)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate, _, low, high = (
            # From F1 = TP / (TP + wrong / 2) to TP / (TP + weight * wrong).
            score / (score + 2.0 * weight * (1.0 - score))
            for score in exact.intervals(right, wrong, method, level)
        )
        if estimate.shape[-1] == 1:
            missing = np.isnan(estimate)
            low, high = np.where(missing, np.nan, low), np.where(missing, np.nan, high)
            return low[..., 0], high[..., 0]
        half, shift = (high - low) / 2, (high + low) / 2 - estimate
        curvature = (1.0 - weight) / (1.0 - (1.0 - weight) * estimate)
        bias = -curvature * (half / ndtri((1.0 + level) / 2.0)) ** 2
        shared = (_correlation(metric, table) * half[..., None, :]).sum(axis=-1)
        square = (shared * half).sum(axis=-1)
        inherited = shared**2 / square[..., None]
        mean = estimate.mean(axis=-1)
        centre = mean + (inherited * (shift + bias) - bias).mean(axis=-1)
        reach = np.sqrt(square) / estimate.shape[-1]
        return np.clip(centre - reach, 0.0, mean), np.clip(centre + reach, mean, 1.0)


def _proportions(metric: Metric, table: Array) -> tuple[Array, Array, float]:
    """What is right and wrong by class, (..., classes), and the weight of what is wrong.

    The score of a class is right / (right + weight * wrong).
    """
    if metric in _PLAIN_SHARES:
        right = np.trace(table, axis1=-2, axis2=-1)
        return right[..., None], (table.sum(axis=(-2, -1)) - right)[..., None], 1.0
    binary = _of_one_class(metric)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    wrong = (binary.a > 0) * (table.sum(axis=-2) - right)
    wrong = wrong + (binary.b > 0) * (table.sum(axis=-1) - right)
    if metric.binary:
        right, wrong = right[..., 1:], wrong[..., 1:]
    return right, wrong, max(binary.a, binary.b)


def _of_one_class(metric: Any) -> Any:
    """The measure of one class; None if that is unknown."""
    return metric if metric.binary else getattr(metric, "averages", None)


def _correlation(metric: Any, table: Array) -> Array:
    """Correlations of the classes' estimates, shape (..., r, r)."""
    r = table.shape[-1]
    eye = np.eye(r)
    added = table + eye + (1.0 - eye) / (2.0 * (r - 1))
    p = added / added.sum(axis=(-2, -1), keepdims=True)
    eza, ea, ez = np.diagonal(p, axis1=-2, axis2=-1), p.sum(axis=-2), p.sum(axis=-1)
    d1, d2, d3 = metric.averages.partials(eza, ea, ez)
    variance = eza * (d1 + d2 + d3) ** 2 + (ea - eza) * d2**2 + (ez - eza) * d3**2
    # Two classes share only the items of one that were predicted as the other.
    one_way = p * d3[..., :, None] * d2[..., None, :]
    covariance = one_way + np.swapaxes(one_way, -1, -2)
    deviation = np.sqrt(variance)
    correlation = covariance / (deviation[..., :, None] * deviation[..., None, :])
    return np.where(eye > 0, 1.0, correlation)
