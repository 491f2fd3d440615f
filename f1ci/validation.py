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
    "choice",
    "confidence_level",
    "correlation",
    "counts",
    "exactly_one",
    "fraction",
    "labels",
    "matrix",
    "plannable_weights",
    "positive",
    "positive_integer",
    "probability",
    "same_length",
    "weights",
]

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


def exactly_one(**arguments: Any) -> None:
    """Exactly one of the named arguments is given."""
    if sum(value is not None for value in arguments.values()) != 1:
        listed = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        raise ValueError(f"give exactly one of {' and '.join(arguments)}, got {listed}")


def plannable_weights(metric: Any, a: Any, b: Any) -> tuple[float, float]:
    """Weights of a Tversky index that are both finite and above 0."""
    try:
        weights = positive("a", a), positive("b", b)
    except (TypeError, ValueError):
        raise ValueError(
            "metric must be a Tversky index with finite weights a > 0 and b > 0 (precision, "
            f"b = 0, and recall, a = 0, are limits and not covered), got {metric!r}"
        ) from None
    return weights


def weights(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Finite, non-negative numbers of any shape; fractions are legal."""
    array = _numeric_array(name, value)
    bad = ~((array >= 0.0) & (array < np.inf))
    if bad.any():
        raise ValueError(f"{name} must be finite and not negative, got {_first(array, bad)!r}")
    return array


def counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Whole, non-negative numbers up to `MAX_COUNT`, of any shape, as floats."""
    array = _numeric_array(name, value)
    # A fractional, negative, infinite or NaN entry fails one of these comparisons.
    bad = ~((array >= 0.0) & (array <= MAX_COUNT) & (np.floor(array) == array))
    if bad.any():
        raise ValueError(
            f"{name} must be a whole number between 0 and 2**50, got {_first(array, bad)!r}"
        )
    return array


def matrix(value: ArrayLike) -> NDArray[np.float64]:
    """One or more square confusion matrices of counts, shape (..., r, r) with r >= 2."""
    array = counts("matrix", value)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(
            f"matrix must have shape (..., r, r) with r of at least 2, got shape {array.shape}"
        )
    return array


def correlation(value: ArrayLike) -> NDArray[np.float64]:
    """One or more correlation matrices, shape (..., k, k); symmetric and rounded to [-1, 1]."""
    array = _numeric_array("correlation", value)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or not array.shape[-1]:
        raise ValueError(f"correlation must have shape (..., k, k), got shape {array.shape}")
    # Rounding in a computed matrix is far below this, a typing error far above.
    rounding = 1e-8
    outside = ~(np.abs(array) <= 1.0 + rounding)
    if outside.any():
        raise ValueError(f"correlation must lie between -1 and 1, got {_first(array, outside)!r}")
    diagonal: NDArray[np.float64] = np.einsum("...ii->...i", array)
    wrong = np.abs(diagonal - 1.0) > rounding
    if wrong.any():
        raise ValueError(
            f"correlation must have ones on its diagonal, got {_first(diagonal, wrong)!r}"
        )
    transposed = np.swapaxes(array, -1, -2)
    skew = np.abs(array - transposed) > rounding
    if skew.any():
        raise ValueError(
            "correlation must be symmetric, got "
            f"{_first(array, skew)!r} opposite {_first(transposed, skew)!r}"
        )
    symmetric = np.clip((array + transposed) / 2, -1.0, 1.0)
    np.einsum("...ii->...i", symmetric)[...] = 1.0
    smallest = np.asarray(np.linalg.eigvalsh(symmetric)[..., 0], np.float64)
    negative = smallest < -rounding * array.shape[-1]
    if negative.any():
        raise ValueError(
            "correlation must be positive semidefinite, got a matrix with eigenvalue "
            f"{_first(smallest, negative):g}"
        )
    return symmetric


def same_length(**arrays: Sequence[Any] | NDArray[Any]) -> None:
    """All of the named arrays have the same length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"labels must come in equal numbers: {listed}")


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
        for position, label in enumerate(array):
            try:
                hash(label)
                missing = label is None or bool(label != label)
            except TypeError:  # unhashable; or pandas.NA, whose truth value is undefined
                if label.__class__.__hash__ is None:
                    raise TypeError(f"{name} must hold hashable labels, got {label!r}") from None
                missing = True
            if missing:
                raise ValueError(
                    f"{name} must not hold missing labels, got {label!r} at position {position}"
                )
    return array


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
    if array.dtype.kind in "US" and not all(isinstance(label, (str, bytes)) for label in value):
        array = np.asarray(value, dtype=object)
    return array


def _numeric_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a regular array of numbers, got {value!r}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got {value!r}")
    return array.astype(np.float64, copy=False)


def _first(array: NDArray[np.float64], bad: NDArray[np.bool_]) -> float:
    return float(array[bad][0])


def _where(array: NDArray[Any]) -> str:
    return f"position {int(np.flatnonzero(np.isnan(array))[0])}"
