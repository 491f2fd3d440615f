"""Agreement beyond chance, and shares of the negative class.

Cohen's kappa (1960, Educational and Psychological Measurement 20, 37-46), weighted kappa (1968,
Psychological Bulletin 70, 213-220), and the correlation of two classifications with any number of
classes (Gorodkin 2004, Computational Biology and Chemistry 28, 367-374), which scikit-learn calls
Matthews' correlation coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from f1ci.counts import Items, Matrix
from f1ci.metrics.classes import (
    UNIT,
    BinaryMetric,
    MatrixMetric,
    Metric,
    Numbers,
    Tversky,
    precision,
    recall,
)
from f1ci.results import Array

# The smallest and the largest correlation and kappa.
SIGNED = (-1.0, 1.0)


@dataclass(frozen=True, repr=False)
class NegativeShare(BinaryMetric):
    """A Tversky score of the negative class: specificity is its recall."""

    of: Tversky | None = None

    @property
    def index(self) -> Tversky | None:
        return self.of

    def counts(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        tn = matrix.right[..., 0]
        return tn, matrix.predicted[..., 0] - tn, matrix.true[..., 0] - tn

    def single(self, items: Items) -> tuple[Metric, Items]:
        assert self.of is not None  # noqa: S101
        return self.of, items._replace(codes=1 - items.codes)


def specificity_of(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    """Return TN / (TN + FP)."""
    return (1 - ea - ez + eza) / (1 - ez)


def npv_of(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    """Return TN / (TN + FN), the negative predictive value."""
    return (1 - ea - ez + eza) / (1 - ea)


def _weights(r: int, power: int) -> Array:
    """Return what an error weighs: the classes' distance to a power, or 1."""
    place = np.arange(r)
    distance = np.abs(place[:, None] - place)
    return np.where(distance > 0, distance.astype(np.float64) ** power, 0.0)


@dataclass(frozen=True)
class _Kappa:
    """One minus the weighted share of errors over what chance would give."""

    power: int

    def __call__(self, p: Numbers) -> Numbers:
        w = _weights(p.shape[-1], self.power)
        chance = np.einsum("ij,...i,...j->...", w, p.sum(axis=-1), p.sum(axis=-2))
        return 1 - (w * p).sum(axis=(-2, -1)) / chance


@dataclass(frozen=True)
class _KappaSlopes:
    """The derivatives of `_Kappa` by the cells."""

    power: int

    def __call__(self, p: Numbers) -> Numbers:
        w, true, predicted = _weights(p.shape[-1], self.power), p.sum(axis=-1), p.sum(axis=-2)
        observed = (w * p).sum(axis=(-2, -1))[..., None, None]
        chance = np.einsum("ij,...i,...j->...", w, true, predicted)[..., None, None]
        shift = (predicted @ w)[..., :, None] + (true @ w)[..., None, :]
        return -w / chance + observed / chance**2 * shift


def kappa(name: str, power: int) -> MatrixMetric:
    """Return Cohen's kappa; an error weighs as the classes' distance to this power."""
    return MatrixMetric(name, _Kappa(power), _KappaSlopes(power), SIGNED)


def _apart(shares: Numbers) -> Numbers:
    """Return 1 - sum(shares^2) without cancellation, from products of different shares."""
    before = np.cumsum(shares, axis=-1)[..., :-1]
    return 2 * (shares[..., 1:] * before).sum(axis=-1)


def mcc_of(p: Numbers) -> Numbers:
    """Return the correlation of truth and prediction, for any number of classes."""
    true, predicted = p.sum(axis=-1), p.sum(axis=-2)
    common = np.trace(p, axis1=-2, axis2=-1) - (true * predicted).sum(axis=-1)
    if p.shape[-1] == 2:  # the same without cancellation
        common = 2 * (p[..., 0, 0] * p[..., 1, 1] - p[..., 0, 1] * p[..., 1, 0])
    return common / np.sqrt(_apart(true) * _apart(predicted))


def mcc_derivatives(p: Numbers) -> Numbers:
    """Return the derivatives of `mcc_of` by the cells."""
    true, predicted = p.sum(axis=-1), p.sum(axis=-2)
    a, b = (_apart(x)[..., None, None] for x in (true, predicted))
    rows, columns = true[..., :, None], predicted[..., None, :]
    slope = np.eye(p.shape[-1]) - predicted[..., :, None] - true[..., None, :]
    # _apart is 1 - sum(shares^2) where the shares add up to 1.
    return slope / np.sqrt(a * b) + mcc_of(p)[..., None, None] * (rows / a + columns / b)


specificity = NegativeShare("specificity", specificity_of, None, UNIT, of=recall)
npv = NegativeShare("npv", npv_of, None, UNIT, of=precision)
mcc = MatrixMetric("mcc", mcc_of, mcc_derivatives, SIGNED)


class Correlation(BinaryMetric):
    """The correlation of two classes, from the matrix: 1 - EZ has no digits where EZ is near 1."""

    def estimate(self, matrix: Matrix) -> Array:
        return mcc.estimate(matrix)

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        return mcc._evaluate(matrix)
