"""Averages over some of the classes; the others count where they are errors.

An item that truly belongs to another class and is predicted as one of these is a false positive of
it, and an item that is predicted as another class is a false negative, as scikit-learn has it for
``labels=``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from f1ci.metrics.classes import UNIT, ClassMetric, Numbers, Parts, Slopes, Tversky


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

    @cached_property
    def parts(self) -> Parts | None:  # type: ignore[override]
        """The score of the chosen classes; None for the micro average, which has no such parts."""
        if self.average == "micro":
            return None
        return Parts((self.of,), self.average == "weighted", self.chosen)

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """Return the average."""
        parts, shares = self._averaged(eza, ea, ez)
        return (shares * self.of.at(*parts)).sum(axis=-1)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        """Return its derivatives; those of the other classes are 0."""
        parts, shares = self._averaged(eza, ea, ez)
        slopes = shares * np.array(self.of.partials(*parts))
        if self.average == "weighted":
            values, whole = self.of.at(*parts), parts[2].sum(axis=-1, keepdims=True)
            slopes[2] += (values - (shares * values).sum(axis=-1, keepdims=True)) / whole
        every = np.zeros((3, *eza.shape))
        every[..., list(self.chosen)] = slopes
        return every[0], every[1], every[2]

    def _averaged(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Slopes, Numbers]:
        """Return the expectations of the classes, or of all in one, and their shares."""
        chosen = list(self.chosen)
        x, a, z = eza[..., chosen], ea[..., chosen], ez[..., chosen]
        if self.average == "micro":
            x, a, z = (part.sum(axis=-1, keepdims=True) for part in (x, a, z))
        weights = z if self.average == "weighted" else np.ones_like(z)
        return (x, a, z), weights / weights.sum(axis=-1, keepdims=True)
