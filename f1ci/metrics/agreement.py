"""Agreement beyond chance, and shares of the negative class.

Cohen's kappa (1960, Educational and Psychological Measurement 20, 37-46), weighted kappa (1968,
Psychological Bulletin 70, 213-220), and the correlation of two classifications with any number of
classes (Gorodkin 2004, Computational Biology and Chemistry 28, 367-374), which scikit-learn calls
Matthews' correlation coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts
from f1ci.metrics.base import (
    UNIT,
    BinaryMetric,
    Metric,
    Numbers,
    Tversky,
    counts_of_class,
    finite,
    precision,
    recall,
)
from f1ci.types import Array

# The smallest and the largest correlation and kappa.
SIGNED = (-1.0, 1.0)

# Agreement beyond chance that is this small next to the two is rounding, and is really zero.
_ROUNDING = 1e-14


@dataclass(frozen=True, repr=False)
class NegativeShare(BinaryMetric):
    """A Tversky score of the negative class: specificity is its recall."""

    index: Tversky | None = None

    def counts(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        return counts_of_class(matrix, 0)

    def single(self, items: Items) -> Items:
        return items.one_class(0)


def specificity_of(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    """Return TN / (TN + FP)."""
    return (1 - ea - ez + eza) / (1 - ez)


def npv_of(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    """Return TN / (TN + FN), the negative predictive value."""
    return (1 - ea - ez + eza) / (1 - ea)


@dataclass(frozen=True, repr=False)
class Kappa(Metric):
    """Cohen's kappa: one minus the weighted share of errors over what chance would give.

    An error weighs as the classes' distance to the power, or 1.
    """

    name: str
    power: int
    range: tuple[float, float] = SIGNED

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        cells = matrix.cells
        p = matrix.counts / matrix.total
        true = matrix.true / matrix.total
        predicted = matrix.predicted / matrix.total
        # 1. The weight of each cell, and the mean weight of each class against the other side.
        distance = np.abs(cells.true - cells.predicted) ** self.power
        weight = np.where(cells.right, 0.0, distance).reshape(-1, *(1,) * (p.ndim - 1))
        against_true = self._weighed(true)
        against_predicted = self._weighed(predicted)
        # 2. Kappa is 1 - observed / chance.
        observed = (weight * p).sum(axis=0)
        chance = (true * against_predicted).sum(axis=0)
        value = _less(chance, observed) / chance
        shift = observed / chance * (against_predicted[cells.true] + against_true[cells.predicted])
        return finite(value), (shift - weight) / chance, (shift + weight) / chance

    def _weighed(self, shares: Array) -> Array:
        """Return for each class the sum of the weights of all classes, times their shares."""
        if self.power == 0:
            return np.asarray(shares.sum(axis=0) - shares)
        place = np.arange(len(shares))
        weights = np.abs(place[:, None] - place).astype(np.float64) ** self.power
        return np.asarray(np.tensordot(weights, shares, axes=1))


@dataclass(frozen=True, repr=False)
class Mcc(Metric):
    """The correlation of truth and prediction, for any number of classes."""

    name: str
    range: tuple[float, float] = SIGNED

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        cells = matrix.cells
        true = matrix.true / matrix.total
        predicted = matrix.predicted / matrix.total
        common = self._covariance(matrix)
        of_true = _one_less_squares(true)
        of_predicted = _one_less_squares(predicted)
        root = np.sqrt(of_true * of_predicted)
        # Rounding must not make a perfect classification better than perfect.
        value = np.clip(common / root, -1.0, 1.0)
        right = cells.right.reshape(-1, *(1,) * (true.ndim - 1))
        by_chance = predicted[cells.true] + true[cells.predicted]
        scale = value * (true[cells.true] / of_true + predicted[cells.predicted] / of_predicted)
        # `_one_less_squares` is 1 - sum(shares^2) only where the shares add up to 1.
        slopes = (right - by_chance) / root + scale
        return finite(value), slopes, (right + by_chance) / root + np.abs(scale)

    def _covariance(self, matrix: CellCounts) -> Array:
        """Return the share of right items less what chance would give."""
        right = matrix.right / matrix.total
        if len(right) == 2:  # without cancellation
            wrong = (matrix.true - matrix.right) / matrix.total
            return np.asarray(2.0 * (right[0] * right[1] - wrong[0] * wrong[1]))
        chance = (matrix.true * matrix.predicted).sum(axis=0) / matrix.total**2
        return _less(right.sum(axis=0), chance)


def _less(a: Array, b: Array) -> Array:
    """Return a - b for positive sums; exactly zero where the difference is rounding."""
    return np.where(np.abs(a - b) <= _ROUNDING * (a + b), 0.0, a - b)


def _one_less_squares(x: Array) -> Array:
    """Return 1 - sum(x^2) for shares without cancellation, from products of different ones."""
    before = np.cumsum(x, axis=0)[:-1]
    return np.asarray(2.0 * (x[1:] * before).sum(axis=0))


specificity = NegativeShare("specificity", specificity_of, UNIT, index=recall)
npv = NegativeShare("npv", npv_of, UNIT, index=precision)
mcc = Mcc("mcc")


class Correlation(BinaryMetric):
    """The correlation of two classes, from the matrix: 1 - EZ has no digits where EZ is near 1."""

    def estimate(self, matrix: CellCounts) -> Array:
        return mcc.estimate(matrix)

    def slopes(self, matrix: CellCounts) -> tuple[Array, Array]:
        return mcc.slopes(matrix)

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        return mcc.slopes_and_size(matrix)
