"""Coverage and length of the four intervals for one F1 score, given v relevant items.

TP is binomial with the share F* = F1 / (2 - F1), so every number here is a finite sum.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc
from scipy.stats import binom

import f1ci
from notebooks.shared.four_intervals import share_of

Array: TypeAlias = NDArray[np.float64]

# How far from an end point the coverage on its side is looked up.
_NEAR = 1e-11


class Interval(NamedTuple):
    """The end points of one method for each possible number of true positives."""

    tp: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, v: int, method: str, level: float) -> Interval:
        """Compute the intervals for 0 to v true positives among v relevant items."""
        tp = np.arange(v + 1.0)
        with warnings.catch_warnings():
            # Intervals without length, and undefined scores, are outcomes here.
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            low, high = f1ci.f1_interval(tp, v - tp, 0, method=method, confidence_level=level)
        return cls(tp, np.asarray(low), np.asarray(high))

    def at(self, f1: ArrayLike) -> tuple[Array, Array]:
        """Return exact coverage and expected length at true scores."""
        truth = np.atleast_1d(np.asarray(f1, dtype=float))[:, None]
        weight = binom.pmf(self.tp, self.tp[-1], share_of(truth))
        inside = f1ci.coverage.covers(self.low, self.high, truth)
        return (weight * inside).sum(axis=1), weight @ (self.high - self.low)

    def mean_coverage(self) -> float:
        """Return the mean coverage over F* uniform on [0, 1]."""
        low, high = (share_of(np.clip(end, 0, 1)) for end in (self.low, self.high))
        a, b = self.tp + 1, self.tp[-1] - self.tp + 1
        return float((betainc(a, b, high) - betainc(a, b, low)).mean())

    def least_coverage(self) -> tuple[float, float]:
        """Return the infimum of the coverage between 0 and 1, and the score where it is.

        Between neighbouring end points coverage rises, falls, or rises and then falls. So it is
        enough to look on both sides of every end point.
        """
        ends = np.concatenate([self.low, self.high])
        ends = ends[(ends > 0) & (ends < 1)]
        borders = np.array([1e-13, 1 - 1e-13])
        sides = np.concatenate([ends - _NEAR, ends + _NEAR, borders]).clip(*borders)
        coverage = np.concatenate([self.at(part)[0] for part in np.array_split(sides, 8)])
        worst = coverage.argmin()
        return float(coverage[worst]), float(sides[worst])


def needed(f1: float, length: float, level: float, method: str = "wilson_indirect") -> int:
    """Return the smallest v with an expected length of at most `length`."""

    def expected(v: int) -> float:
        return float(Interval.of(v, method, level).at(f1)[1][0])

    few, many = 1, 2
    while expected(many) > length:
        few, many = many, 2 * many
    while many - few > 1:
        v = (few + many) // 2
        few, many = (few, v) if expected(v) <= length else (v, many)
    return many
