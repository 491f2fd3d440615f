"""Statistics of the six folds of a 3 x 2 cross-validation: correlations, t intervals, credibility.

Wang and Li (2019) take the correlations rho_1 and rho_2 of eq. 14 from experience, and their first
guideline warns of t intervals. A computation can show both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

import f1ci

Array = NDArray[np.float64]


def scores(counts: ArrayLike, metric: str) -> Array:
    """Return precision, recall or F1 from TP, FP and FN along the last axis."""
    tp, fp, fn = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    others = {"precision": fp, "recall": fn, "f1": (fp + fn) / 2}
    score: Array = tp / (tp + others[metric])
    return score


@dataclass(frozen=True)
class FoldCorrelations:
    """Variance and correlations of the folds of cross-validations over many corpora.

    Attributes
    ----------
    rho1, rho2 : float
        Correlation of the two folds of a repetition, and of folds of different repetitions.
    variance : float
        Mean variance of one fold.
    """

    rho1: float
    rho2: float
    variance: float

    def weight(self, binomial: float) -> float:
        """Return the weight of summed counts that gives their recall its true variance.

        Eqs. 14 to 16 with the variance that a fold has, instead of the `binomial` one of eq. 4.
        """
        return 1 / (self.variance / binomial * (1 + self.rho1 + 4 * self.rho2))


def fold_correlations(values: ArrayLike) -> FoldCorrelations:
    """Return the correlations of scores of shape (corpora, 3, 2): repetition, fold."""
    folds = np.asarray(values, dtype=float).reshape(len(np.asarray(values)), 6)
    covariance = np.cov(folds, rowvar=False)
    repetition = np.arange(6) // 2
    same = repetition[:, None] == repetition
    variance = covariance.diagonal().mean()
    partner = covariance[same & ~np.eye(6, dtype=bool)].mean()
    return FoldCorrelations(partner / variance, covariance[~same].mean() / variance, variance)


@dataclass(frozen=True)
class TInterval:
    """A t interval from the folds of cross-validations, and the test of zero that goes with it."""

    low: Array
    high: Array
    p_value: Array


def t_interval(values: ArrayLike, confidence_level: float = 0.95) -> TInterval:
    """Return the corrected resampled t interval of six fold values, shape (..., 3, 2).

    By Nadeau and Bengio (2003) the variance of the mean is (1/6 + 1) times that of the folds,
    because test sets and training sets have the same size. There are five degrees of freedom.
    """
    folds = np.asarray(values, dtype=float)
    folds = folds.reshape(*folds.shape[:-2], 6)
    mean = folds.mean(axis=-1)
    error = folds.std(axis=-1, ddof=1) * (1 / 6 + 1) ** 0.5
    reach = stats.t.ppf(0.5 + confidence_level / 2, 5) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stats.t.sf(np.abs(mean) / error, 5)
    return TInterval(mean - reach, mean + reach, p_value)


def contains(
    counts: ArrayLike, weight: float, truth: ArrayLike, confidence_level: float = 0.95
) -> NDArray[np.bool_]:
    """Return whether the credible interval of F1 (prior 1) holds the truth.

    It does if the posterior's probability below the truth lies between the two tails.
    """
    tp, fp, fn = weight * np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    below = f1ci.posterior(tp, fp, fn, prior=1.0).cdf(truth)
    return np.asarray(np.abs(np.subtract(below, 0.5)) <= confidence_level / 2)


def spread_of_difference(sd_a: float, sd_b: float, correlation: float = 0.0) -> float:
    """Return the standard deviation of a difference of two errors that are so correlated."""
    return float((sd_a**2 + sd_b**2 - 2 * correlation * sd_a * sd_b) ** 0.5)


def not_better(difference: float, sd_a: float, sd_b: float, correlation: float = 0.0) -> float:
    """Return the probability that B is not better, for normal errors that are so correlated."""
    return float(special.ndtr(-difference / spread_of_difference(sd_a, sd_b, correlation)))
