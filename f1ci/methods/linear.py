"""One variance for every score: of items, pairs, units, strata, runs and means.

An estimate is, to first order, a sum over the items of the test set. An item moves it by its
influence over n (see `f1ci.metrics.base`). The variance of the estimate is then the sum of the
squares of these moves, and the covariance of two estimates the sum of their products (Takahashi et
al. 2022, section 3; Yuan & Jiang 2025, proposition 1). Three things change what is summed:

- **Units.** If items of one unit depend on one another, units are what was drawn: the moves of
  their items are summed first (`f1ci.methods.units`).
- **Strata.** If a fixed number was drawn from each stratum, the moves have the mean 0 in each, and
  the factor n_h / (n_h - 1) is that of the stratum (Cochran 1977, *Sampling Techniques*, section
  5.3). A stratum with one item has no variance, and the factor 1.
- **The divisor.** n - 1 is the rule (Yuan & Jiang, remark 2). One score of independent items has n,
  the maximum likelihood of Takahashi et al.

It is the idea of `svyrecvar` of R's package survey: one function for all designs.

When it fails: where the estimate is far from linear, so in small samples and near a perfect score.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from f1ci.types import Array

# Sums of moves this small next to what they add up are rounding, and are really zero.
_ROUNDING = 1e-14


def covariance_of(
    moves: Array,
    number: Array,
    strata: NDArray[np.intp] | None = None,
    ddof: int = 1,
) -> Array:
    """Return the covariance (K, K, ...) of K estimates.

    Parameters
    ----------
    moves : ndarray, shape (K, rows, ...)
        How far one item of each row moves the estimates; of mean zero.
    number : ndarray, shape (rows, ...)
        The number of alike items in each row.
    strata : ndarray of int, shape (rows,), optional
        The stratum of each row.
    ddof : int, default 1
        What is taken from n in the divisor.
    """
    factor = _factor(number, strata, ddof)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.einsum("kr...,lr...->kl...", moves * (number * factor), moves))


def error_of(
    moves: Array,
    number: Array,
    strata: NDArray[np.intp] | None = None,
    ddof: int = 1,
) -> Array:
    """Return the standard error (...) of one estimate from its moves (rows, ...)."""
    return np.asarray(np.sqrt(covariance_of(moves[None], number, strata, ddof)[0, 0]))


def without_rounding(values: Array, size: Array) -> Array:
    """Return sums of terms of some size; those that are rounding as exact zeros."""
    return np.where(np.abs(values) <= _ROUNDING * size, 0.0, values)


def _factor(number: Array, strata: NDArray[np.intp] | None, ddof: int) -> Array:
    """Return n / (n - ddof) of all items, or for each row of its stratum."""
    if strata is None:
        n = number.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(n / (n - ddof))
    # Matrices of a batch have the strata in the same rows.
    n_h = np.zeros((int(strata.max(initial=0)) + 1, *number.shape[1:]))
    np.add.at(n_h, strata, number)
    return np.asarray(n_h / np.maximum(n_h - 1.0, 1.0))[strata]
