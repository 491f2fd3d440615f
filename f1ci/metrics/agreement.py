"""Agreement beyond chance, and shares of the negative class.

Cohen's kappa (1960, Educational and Psychological Measurement 20, 37-46), weighted kappa (1968,
Psychological Bulletin 70, 213-220), and the correlation of two classifications with any number of
classes (Gorodkin 2004, Computational Biology and Chemistry 28, 367-374), which scikit-learn calls
Matthews' correlation coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from f1ci.counts import Matrix
from f1ci.metrics.classes import (
    UNIT,
    BinaryMetric,
    Metric,
    Numbers,
    Tversky,
    precision,
    recall,
    shares,
)
from f1ci.results import Array

# The smallest and the largest correlation and kappa.
SIGNED = (-1.0, 1.0)


@dataclass(frozen=True, repr=False)
class NegativeShare(BinaryMetric):
    """A Tversky score of the negative class: specificity is its recall."""

    index: Tversky | None = None
    only: int = 0


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

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        p, place = shares(matrix), np.arange(matrix.true.shape[-1])
        w = np.abs(place[:, None] - place) ** self.power * (1.0 - np.eye(len(place)))
        true, predicted = p.sum(axis=-1), p.sum(axis=-2)
        observed = (w * p).sum(axis=(-2, -1))[..., None, None]
        chance = np.einsum("ij,...i,...j->...", w, true, predicted)[..., None, None]
        shift = (predicted @ w)[..., :, None] + (true @ w)[..., None, :]
        slopes = matrix.at_cells(-w / chance + observed / chance**2 * shift)
        return (1 - observed / chance)[..., 0, 0], slopes, np.abs(slopes)


def _apart(x: Array) -> Array:
    """Return 1 - sum(x^2) for shares without cancellation, from products of different ones."""
    before = np.cumsum(x, axis=-1)[..., :-1]
    return np.asarray(2 * (x[..., 1:] * before).sum(axis=-1))


@dataclass(frozen=True, repr=False)
class Mcc(Metric):
    """The correlation of truth and prediction, for any number of classes."""

    name: str
    range: tuple[float, float] = SIGNED

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        p = shares(matrix)
        true, predicted = p.sum(axis=-1), p.sum(axis=-2)
        common = np.trace(p, axis1=-2, axis2=-1) - (true * predicted).sum(axis=-1)
        if p.shape[-1] == 2:  # the same without cancellation
            common = 2 * (p[..., 0, 0] * p[..., 1, 1] - p[..., 0, 1] * p[..., 1, 0])
        a, b = _apart(true)[..., None, None], _apart(predicted)[..., None, None]
        root = np.sqrt(a * b)
        value = common[..., None, None] / root
        rows, columns = true[..., :, None], predicted[..., None, :]
        slope = np.eye(p.shape[-1]) - predicted[..., :, None] - true[..., None, :]
        # _apart is 1 - sum(shares^2) where the shares add up to 1.
        slopes = matrix.at_cells(slope / root + value * (rows / a + columns / b))
        return value[..., 0, 0], slopes, np.abs(slopes)


specificity = NegativeShare("specificity", specificity_of, UNIT, index=recall)
npv = NegativeShare("npv", npv_of, UNIT, index=precision)
mcc = Mcc("mcc")


class Correlation(BinaryMetric):
    """The correlation of two classes, from the matrix: 1 - EZ has no digits where EZ is near 1."""

    def estimate(self, matrix: Matrix) -> Array:
        return mcc.estimate(matrix)

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        return mcc._evaluate(matrix)
