"""What a legal argument is, and the sentence that says what is wrong with an illegal one.

Every public function of f1ci passes its arguments through this module before it
computes, and the kernels behind them never check again. Nothing else in the
package raises for a bad argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MAX_COUNT",
    "broadcastable",
    "cell_probabilities",
    "choice",
    "confidence_level",
    "counts",
    "distribution",
    "fraction",
    "labels",
    "matrix",
    "positive",
    "positive_integer",
    "probability",
    "same_length",
    "shape",
    "weights",
]

_TEXT = {str, bytes, np.str_, np.bytes_}

# Sums and differences of a few such counts are exact in double precision.
MAX_COUNT = 2**50


def _number(name: str, value: Any) -> float:
    """`value` as a float, if it is a real number and not a boolean."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


def confidence_level(value: Any) -> float:
    """A level strictly between 0 and 1."""
    level = _number("confidence_level", value)
    if not 0.0 < level < 1.0:
        hint = f"; did you mean {level / 100:g}?" if 1.0 < level < 100.0 else ""
        raise ValueError(f"confidence_level must lie strictly between 0 and 1, got {value!r}{hint}")
    return level


def choice(name: str, value: Any, known: Iterable[str]) -> str:
    """One of the known names."""
    if isinstance(value, str) and value in known:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    number = _number(name, value)
    if not 0.0 < number < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def positive_integer(name: str, value: Any, *, minimum: int = 1) -> int:
    """A whole number, at least `minimum`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value!r}")
    return int(value)


def probability(name: str, value: Any) -> float:
    """A number in [0, 1]."""
    number = _number(name, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}")
    return number


def fraction(name: str, value: Any) -> float:
    """A number in (0, 1]."""
    number = _number(name, value)
    if not 0.0 < number <= 1.0:
        raise ValueError(f"{name} must lie in (0, 1], got {value!r}")
    return number


def weights(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Finite, non-negative numbers of any shape; fractions are legal."""
    array = _numeric(name, value).astype(np.float64, copy=False)
    bad = ~((array >= 0.0) & (array < np.inf))
    if bad.any():
        raise ValueError(f"{name} must be finite and not negative, got {_first(array, bad)!r}")
    return array


def counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Whole, non-negative numbers up to `MAX_COUNT`, of any shape, as floats."""
    given = _numeric(name, value)
    array = given.astype(np.float64, copy=False)
    # A negative or infinite entry fails the comparisons, NaN all of them, a fraction the last.
    in_range = not given.size or (given.min() >= 0 and given.max() <= MAX_COUNT)
    if in_range and (given.dtype.kind != "f" or np.array_equal(array, np.rint(array))):
        return array
    bad = ~((array >= 0.0) & (array <= MAX_COUNT) & (np.rint(array) == array))
    raise ValueError(
        f"{name} must be a whole number between 0 and 2**50, got {_first(given, bad)!r}"
    )


def cell_probabilities(**named: Any) -> NDArray[np.float64]:
    """Probabilities of some cells of a table: together above 0 and at most 1."""
    cells = np.array([probability(name, value) for name, value in named.items()])
    if not 0.0 < cells.sum() <= 1.0 + 1e-9:
        listed = " + ".join(named)
        raise ValueError(f"{listed} must lie in (0, 1], got {float(cells.sum())!r}")
    return cells


def distribution(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Probabilities of any shape that add up to one (to nine digits; then exactly)."""
    array = weights(name, value)
    total = float(array.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must add up to 1, got a sum of {total!r}")
    return array / total


def shape(name: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """An array of just this shape."""
    if array.shape != expected:
        raise ValueError(f"{name} must have shape {expected}, got {array.shape}")


def matrix(value: ArrayLike) -> NDArray[np.float64]:
    """One or more square confusion matrices of counts, shape (..., r, r) with r >= 2."""
    array = counts("matrix", value)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(
            f"matrix must have shape (..., r, r) with r of at least 2, got shape {array.shape}"
        )
    return array


def same_length(**arrays: Sequence[Any] | NDArray[Any]) -> None:
    """All of the named arrays have the same length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"labels must come in equal numbers: {listed}")


def broadcastable(**arrays: NDArray[Any]) -> None:
    """The named arrays have shapes that broadcast against each other."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        listed = ", ".join(f"{name} has {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must broadcast against each other: {listed}") from None


def labels(name: str, value: Any) -> NDArray[Any]:
    """A one-dimensional, non-empty array of labels of any hashable kind, none of them missing."""
    array = _label_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if not array.size:
        raise ValueError(f"{name} must not be empty, got {value!r}")
    kind = array.dtype.kind
    if kind == "f":
        # A NaN makes the sum NaN: one pass and no temporary in the usual case.
        if np.isnan(array.sum()) and np.isnan(array).any():
            raise ValueError(f"{name} must not hold missing labels, got nan at {_where(array)}")
    elif kind == "O":
        _refuse_bad_objects(name, array.tolist())
    return array


def _refuse_bad_objects(name: str, labels: list[Any]) -> None:
    try:
        distinct = set(labels)
    except TypeError:
        unhashable = next(label for label in labels if label.__class__.__hash__ is None)
        raise TypeError(f"{name} must hold hashable labels, got {unhashable!r}") from None
    for label in distinct:
        # NaN differs from itself; pandas.NA cannot even say so.
        equal = label == label
        if label is None or not isinstance(equal, (bool, np.bool_)) or not equal:
            place = next(i for i, other in enumerate(labels) if other is label)
            raise ValueError(
                f"{name} must not hold missing labels, got {label!r} at position {place}"
            )


def _label_array(name: str, value: Any) -> NDArray[Any]:
    """`value` as an array that keeps labels apart as Python would: 1 and "1" stay different."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise TypeError(f"{name} must be a sequence of labels, got {value!r}")
    if hasattr(value, "to_numpy"):  # pandas, polars
        return np.asarray(value.to_numpy())
    first = next(iter(value), None)
    if first is None or isinstance(first, (tuple, frozenset)):
        array = np.empty(len(value), dtype=object)
        array[:] = list(value)
        return array
    try:
        array = np.asarray(value)
    except ValueError:  # ragged nesting
        raise ValueError(f"{name} must be one-dimensional, got {value!r}") from None
    # numpy turns [1, "a"] into ["1", "a"]; keep such a mixture as it came.
    if array.dtype.kind in "US" and not set(map(type, value)) <= _TEXT:
        array = np.asarray(value, dtype=object)
    return array


def _numeric(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a regular array of numbers, got {value!r}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got {value!r}")
    return array


def _first(array: NDArray[Any], bad: NDArray[np.bool_]) -> Any:
    return array[bad].flat[0].item()


def _where(array: NDArray[Any]) -> str:
    return f"position {int(np.flatnonzero(np.isnan(array))[0])}"
