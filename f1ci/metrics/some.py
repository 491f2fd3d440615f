"""Averages over some of the classes; the others count where they are errors.

An item that truly belongs to another class and is predicted as one of these is a false positive of
it, and an item that is predicted as another class is a false negative, as scikit-learn has it for
``labels=``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from f1ci.counts import Items, Matrix, group_items
from f1ci.metrics.classes import UNIT, ClassMetric, Metric, Numbers, Slopes, Tversky
from f1ci.results import Array


@dataclass(frozen=True, repr=False)
class SomeClasses(ClassMetric):
    """The average of a Tversky score over the classes at the places `chosen`.

    The average is "macro", "weighted" by the true items of these classes, or "micro", the score
    of their counts together.
    """

    name: str
    of: Tversky
    average: str
    chosen: tuple[int, ...]
    range: tuple[float, float] = UNIT

    @property
    def index(self) -> Tversky | None:  # type: ignore[override]
        """The score itself, if there is one class."""
        return self.of if len(self.chosen) == 1 else None

    def counts(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        """Return TP, FP and FN of the one class."""
        (k,) = self.chosen
        tp = matrix.right[..., k]
        return tp, matrix.predicted[..., k] - tp, matrix.true[..., k] - tp

    def single(self, items: Items) -> tuple[Metric, Items]:
        """Return the score of the one class against all others."""
        if self.index is None:
            return self, items
        codes = (items.codes == self.chosen[0]).astype(np.int64)
        return self.of, group_items(codes, ("others", "chosen"), items.groups, items.counts)

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """Return the average."""
        chosen = list(self.chosen)
        x, a, z = eza[..., chosen], ea[..., chosen], ez[..., chosen]
        if self.average == "micro":
            return self.of.at(x.sum(axis=-1), a.sum(axis=-1), z.sum(axis=-1))
        values = self.of.at(x, a, z)
        if self.average == "weighted":
            return (z * values).sum(axis=-1) / z.sum(axis=-1)
        return values.mean(axis=-1)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        """Return its derivatives; those of the other classes are 0."""
        chosen = list(self.chosen)
        x, a, z = eza[..., chosen], ea[..., chosen], ez[..., chosen]
        if self.average == "micro":
            x, a, z = (part.sum(axis=-1, keepdims=True) for part in (x, a, z))
        d1, d2, d3 = self.of.partials(x, a, z)
        if self.average == "macro":
            d1, d2, d3 = (slope / len(chosen) for slope in (d1, d2, d3))
        elif self.average == "weighted":
            whole, values = z.sum(axis=-1, keepdims=True), self.of.at(x, a, z)
            mean = (z * values).sum(axis=-1, keepdims=True) / whole
            d1, d2, d3 = z * d1 / whole, z * d2 / whole, (z * d3 + values - mean) / whole
        every = np.zeros((3, *eza.shape))
        for slopes, slope in zip(every, (d1, d2, d3), strict=True):
            slopes[..., chosen] = slope
        return every[0], every[1], every[2]
