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
    "choice",
    "class_sizes",
    "confidence_level",
    "counts",
    "enough_for_blocks",
    "folds",
    "fraction",
    "labels",
    "matrix",
    "positive",
    "positive_integer",
    "probability",
    "same_folds",
    "same_length",
    "strata",
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


def strata(name: str, value: Any, n: int) -> list[NDArray[Any]]:
    """The keys to balance, each with one label per observation: none, one or several."""
    if value is None:
        return []
    if hasattr(value, "to_numpy"):  # pandas, polars
        value = value.to_numpy()
    if isinstance(value, np.ndarray) and value.ndim == 2:
        keys = list(value.T)
        names = [f"{name}[:, {i}]" for i in range(len(keys))]
    elif isinstance(value, (list, tuple)) and value and all(map(_holds_labels, value)):
        keys = list(value)
        names = [f"{name}[{i}]" for i in range(len(keys))]
    else:
        keys, names = [value], [name]
    arrays = [labels(key_name, key) for key_name, key in zip(names, keys, strict=True)]
    for key_name, array in zip(names, arrays, strict=True):
        if len(array) != n:
            raise ValueError(
                f"{key_name} must have one label for each of the n = {n} observations, "
                f"got {len(array)}"
            )
    return arrays


def _holds_labels(value: Any) -> bool:
    """Whether this is a collection of labels rather than a label (a tuple is a label)."""
    return isinstance(value, list) or getattr(value, "ndim", 0) == 1 or hasattr(value, "to_numpy")


def enough_for_blocks(n: int, blocks: int, repetitions: int) -> None:
    """No block stays empty."""
    if n < blocks:
        raise ValueError(
            f"n must be at least {blocks}, the number of blocks for {repetitions} "
            f"repetition{'s' if repetitions > 1 else ''}, got {n}"
        )


def class_sizes(name: str, sizes: NDArray[np.intp], classes: Sequence[Any], blocks: int) -> None:
    """Every class has a member for every block."""
    smallest = int(np.argmin(sizes))
    if sizes[smallest] < blocks:
        raise ValueError(
            f"every class of {name} must have at least {blocks} members, one for each block, "
            f"got {int(sizes[smallest])} of class {classes[smallest]!r}"
        )


def folds(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Counts TP, FP, FN of m two-fold cross-validations, shape (m, 2, 3)."""
    array = weights(name, value)
    if array.ndim != 3 or array.shape[1:] != (2, 3) or not array.size:
        raise ValueError(
            f"{name} must have shape (m, 2, 3), for m repetitions, 2 folds and the counts "
            f"TP, FP, FN, got shape {array.shape}"
        )
    return array


def same_folds(folds_a: NDArray[np.float64], folds_b: NDArray[np.float64]) -> None:
    """Both models were validated on the same number of folds."""
    if folds_a.shape != folds_b.shape:
        raise ValueError(
            "folds_a and folds_b must come from the same partitions, "
            f"got {len(folds_a)} and {len(folds_b)} repetitions"
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
