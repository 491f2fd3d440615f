"""What a method gives back: frozen records that know nothing of how they were computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BinaryCounts", "FloatOrArray", "Interval", "SampleSize", "UndefinedMetricWarning"]

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
class SampleSize:
    """How many observations keep the standard error of a metric within a plan.

    Attributes
    ----------
    positives : int
        Observations of the positive class, rounded up.
    total : int or None
        Observations in all, rounded up; None without a prevalence.
    standard_error, half_width : float
        What was planned for; each follows from the other.
    prevalence : float or None
        The proportion of positives that was given.
    variance_bound : float
        Bound on the variance of the estimate times the number of positives.
    confidence_level : float
        The level that relates half width and standard error.
    metric : str
        What is to be estimated.
    """

    positives: int
    total: int | None
    standard_error: float
    half_width: float
    prevalence: float | None
    variance_bound: float
    confidence_level: float
    metric: str
