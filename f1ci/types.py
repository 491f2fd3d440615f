"""Types of arguments and results, and the package's warnings: every module may import these."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Types of arguments.

# True labels, predicted labels or groups: whatever numpy can read, or a sequence of Python objects.
LabelsLike: TypeAlias = ArrayLike | Sequence[Hashable]
# The classes in their order.
Classes: TypeAlias = Sequence[Hashable]
# A source of random numbers, as SciPy has it; an integer is a seed.
Seed: TypeAlias = int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None

# Types of results.

Array: TypeAlias = NDArray[np.float64]
AnyArray: TypeAlias = NDArray[Any]
# Scalars in, floats out; arrays in, arrays out.
FloatOrArray: TypeAlias = float | Array
# The same in a public result. Only the user knows which of the two it is. So a type checker lets
# the user write both `x: float = interval.low` and `interval.low.round(2)`.
Value: TypeAlias = Any
# Values by name: numbers, text, lists, None, and such dictionaries.
Fields: TypeAlias = dict[str, Any]
# The head of a printed table, its rows, and lines of text below.
TextTable: TypeAlias = tuple[list[str], list[list[str]], list[str]]


def as_scalar(value: ArrayLike) -> FloatOrArray:
    """Return a float for a scalar or an array without dimensions, and otherwise an array."""
    array: Array = np.asarray(value, dtype=np.float64)
    return array if array.ndim else float(array)


class IntervalWarning(RuntimeWarning):
    """Base class of f1ci's warnings."""


class UndefinedMetricWarning(IntervalWarning):
    """A metric is undefined for these data: its estimate is ``nan``."""


class DegenerateVarianceWarning(IntervalWarning):
    """A standard error is zero. The interval has length zero, or is the whole range."""


class SmallSampleWarning(IntervalWarning):
    """A class has too few items for more than a long interval."""


def warn(text: str, category: type[IntervalWarning]) -> None:
    """Warn at the line that called the package."""
    level = 1
    frame = inspect.currentframe()
    while frame and frame.f_globals.get("__name__", "").split(".")[0] == "f1ci":
        level += 1
        frame = frame.f_back
    warnings.warn(text, category, stacklevel=level)
