"""What a method gives back: frozen records that know nothing of how they were computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BayesTest",
    "BinaryCounts",
    "EffectiveCounts",
    "FloatOrArray",
    "Interval",
    "UndefinedMetricWarning",
]

# Scalars in, floats out; arrays in, arrays out.
FloatOrArray = float | NDArray[np.float64]


class UndefinedMetricWarning(RuntimeWarning):
    """A metric or its standard error is undefined for these data; ``nan`` was returned."""


class BinaryCounts(NamedTuple):
    """Counts of a binary classifier on a test set.

    Attributes
    ----------
    tp, fp, fn, tn : int
        True positives, false positives, false negatives and true negatives.
    """

    tp: int
    fp: int
    fn: int
    tn: int


class EffectiveCounts(NamedTuple):
    """How many independent counts the folds of a cross-validation are worth.

    Attributes
    ----------
    tp, fp, fn : float
        True positives, false positives and false negatives; fractions in general.
    """

    tp: float
    fp: float
    fn: float


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """A confidence interval for a metric; ``low, high = interval`` unpacks its end points.

    Attributes
    ----------
    estimate : float or ndarray
        The plain sample metric, whatever the method; ``nan`` where it is undefined.
    low, high : float or ndarray
        The end points.
    standard_error : float or ndarray
        The delta-method standard error of the estimate; ``nan`` where it is undefined.
    confidence_level : float
        The nominal level.
    method : str
        How the end points were computed.
    metric : str
        What they are end points for.
    """

    estimate: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray
    standard_error: FloatOrArray
    confidence_level: float
    method: str
    metric: str

    def __iter__(self) -> Iterator[FloatOrArray]:
        yield self.low
        yield self.high

    @property
    def length(self) -> FloatOrArray:
        """``high - low``."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class BayesTest:
    """Probabilities of the hypotheses about the difference between models B and A.

    Attributes
    ----------
    p_h0 : float
        Probability that B is not better than A; with a region of practical
        equivalence, that B is worse than A by more than its half-width.
    p_h1 : float
        Probability that B is better than A (by more than that half-width).
    p_rope : float
        Probability that the two differ by no more than that half-width; 0 without a region.
    decision : str
        What is most probable: ``"accept H0"``, ``"accept H1"`` or ``"accept equivalence"``.
    metric : str
        What was compared.
    rope : float
        Half-width of the region of practical equivalence.
    method : str
        How the probabilities were computed.
    """

    p_h0: float
    p_h1: float
    p_rope: float
    decision: str
    metric: str
    rope: float
    method: str
