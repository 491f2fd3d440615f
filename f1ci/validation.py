"""What a legal argument is, and the sentence that says what is wrong with an illegal one.

What several rooms ask of an argument stands here; what one room asks stands beside its
functions. Public functions validate before they compute, and the kernels behind them never check
again.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MAX_COUNT",
    "among_labels",
    "at_least_two",
    "binary_metric",
    "broadcastable",
    "by_class",
    "choice",
    "confidence_level",
    "correlation",
    "countable",
    "counts",
    "covariance",
    "distinct",
    "exactly_one",
    "fraction",
    "generator",
    "indicators",
    "inner",
    "joint_cells",
    "labels",
    "listed",
    "matrix",
    "metric_matrix",
    "pair",
    "plannable",
    "positive",
    "positive_integer",
    "predictions",
    "probability",
    "proportions",
    "same_length",
    "shape",
    "tversky",
    "two_classes",
    "unit_counts",
    "weights",
    "whole",
]

_TEXT = {str, bytes, np.str_, np.bytes_}

# Below this intervals are shorter than rounding, and arithmetic with normal quantiles fails.
_LOWEST_LEVEL = 1e-9

# Sums of finite numbers up to this are finite.
_LARGEST_NUMBER = 1e300

# Products of weights up to this and of counts are finite, and their quotients above 0.
_LARGEST_WEIGHT = 1e15

# Sums and differences of a few such counts are exact in double precision.
MAX_COUNT = 2**50


def number(name: str, value: Any) -> float:
    """`value` as a float, if it is a real number and not a boolean."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise TypeError(f"{name} must be a number, got {short(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be at most 1e308, got {short(value)}") from None


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def short(value: Any) -> str:
    """How a value is quoted that may be long."""
    try:
        text = _SHORT.repr(value)
    except ValueError:  # an integer of more than 4300 digits
        return f"a long {type(value).__name__}"
    return text if len(text) <= 160 else text[:157] + "..."


def confidence_level(value: Any) -> float:
    """A level strictly between 0 and 1."""
    level = number("confidence_level", value)
    if not _LOWEST_LEVEL <= level < 1.0:
        hint = f"; did you mean {level / 100:g}?" if 1.0 < level < 100.0 else ""
        hint = f"; the lowest is {_LOWEST_LEVEL:g}" if 0.0 < level < 1.0 else hint
        raise ValueError(
            f"confidence_level must lie strictly between 0 and 1, got {short(value)}{hint}"
        )
    return level


def choice(name: str, value: Any, known: Iterable[str]) -> str:
    """One of the known names."""
    if isinstance(value, str) and value in known:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {short(value)}")


def positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    result = number(name, value)
    if not 0.0 < result <= _LARGEST_NUMBER:
        raise ValueError(f"{name} must be a finite number above 0, got {short(value)}")
    return result


def positive_integer(name: str, value: Any, *, minimum: int = 1, maximum: int = MAX_COUNT) -> int:
    """A whole number from `minimum` to `maximum`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {short(value)}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {short(value)}")
    if value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {short(value)}")
    return int(value)


def generator(value: Any) -> np.random.Generator:
    """A source of random numbers: fresh, seeded, or the one that is given."""
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"rng must be None, a seed of at least 0 or a numpy Generator, got {short(value)}"
        ) from None


def probability(name: str, value: Any) -> float:
    """A number in [0, 1]."""
    result = number(name, value)
    if not 0.0 <= result <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1, got {short(value)}")
    return result


def fraction(name: str, value: Any) -> float:
    """A number in (0, 1]."""
    result = number(name, value)
    if not 0.0 < result <= 1.0:
        raise ValueError(f"{name} must lie in (0, 1], got {short(value)}")
    return result


def inner(name: str, value: Any) -> float:
    """A number strictly between 0 and 1."""
    result = number(name, value)
    if not 0.0 < result < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {short(value)}")
    return result


def weights(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Finite, non-negative numbers of any shape; fractions are legal."""
    array = _numeric(name, value).astype(np.float64, copy=False)
    bad = ~((array >= 0.0) & (array <= _LARGEST_NUMBER))
    if bad.any():
        raise ValueError(f"{name} must be finite and not negative, got {_first(array, bad)!r}")
    return array


def counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Whole, non-negative numbers up to `MAX_COUNT`, of any shape, as floats."""
    if type(value) is int and 0 <= value <= MAX_COUNT:
        # A numpy scalar is several times as fast as an array without dimensions.
        return np.float64(value)
    return np.asarray(whole(name, value), dtype=np.float64)[()]


def whole(name: str, value: ArrayLike) -> NDArray[Any]:
    """Whole, non-negative numbers up to `MAX_COUNT`, of any shape and type."""
    if type(value) is int and abs(value) > MAX_COUNT:
        raise ValueError(f"{name} must be a whole number between 0 and 2**50, got {short(value)}")
    given = _numeric(name, value)
    # A negative or infinite entry fails the comparisons, NaN all of them, a fraction the last.
    in_range = not given.size or (given.min() >= 0 and given.max() <= MAX_COUNT)
    if in_range and (given.dtype.kind != "f" or np.array_equal(given, np.rint(given))):
        return given
    array = given.astype(np.float64)
    bad = ~((array >= 0.0) & (array <= MAX_COUNT) & (np.rint(array) == array))
    raise ValueError(
        f"{name} must be a whole number between 0 and 2**50, got {_first(given, bad)!r}"
    )


def shape(name: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """An array of just this shape."""
    if array.shape != expected:
        raise ValueError(f"{name} must have shape {expected}, got {array.shape}")


def matrix(value: ArrayLike) -> NDArray[np.float64]:
    """One or more square confusion matrices of counts, shape (..., r, r) with r >= 2."""
    return _square(counts("matrix", value))


def _square(array: NDArray[np.float64]) -> NDArray[np.float64]:
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(
            f"matrix must have shape (..., r, r) with r of at least 2, got shape {array.shape}"
        )
    return array


def proportions(value: ArrayLike, *, metric: Any) -> NDArray[np.float64]:
    """One or more confusion matrices of counts or probabilities that `metric` can take."""
    return metric_matrix(_square(weights("matrix", value)), metric=metric)


def metric_matrix(array: NDArray[np.float64], *, metric: Any) -> NDArray[np.float64]:
    """Square matrices of a size that `metric` can take."""
    if metric.binary and array.shape[-1] != 2:
        raise ValueError(
            f"{metric.name!r} is a binary metric and takes (..., 2, 2) matrices, got shape "
            f"{array.shape}; f1ci.metrics.macro averages it over classes"
        )
    index = getattr(metric, "of", metric)
    heavier = max(getattr(index, "a", 0.0), getattr(index, "b", 0.0))
    if heavier > _LARGEST_WEIGHT:
        raise ValueError(
            f"weights of errors must not exceed {_LARGEST_WEIGHT:g} here, got {heavier!r}"
        )
    return array


def unit_counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """TP, FP and FN by unit, shape (units, 3), or by unit and class, (units, classes, 3)."""
    array = counts(name, value)
    if array.ndim not in (2, 3) or array.shape[-1] != 3 or not array.size:
        raise ValueError(
            f"{name} must have shape (units, 3) or (units, classes, 3), for the counts TP, FP "
            f"and FN, got shape {array.shape}"
        )
    at_least_two("units", len(array))
    return array


def indicators(name: str, value: ArrayLike) -> NDArray[np.bool_]:
    """Zeros and ones of shape (items, classes)."""
    array = np.asarray(value)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} must have shape (items, classes), got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numeric, got {short(value)}")
    if not np.isin(array, (0, 1)).all():
        bad = _first(array, ~np.isin(array, (0, 1)))
        raise ValueError(f"{name} must hold 0 and 1 only, got {bad!r}")
    return array.astype(bool)


def by_class(average: str, array: NDArray[np.float64]) -> None:
    """Counts by class, for an average over classes."""
    if array.ndim != 3:
        raise ValueError(
            f"average={average!r} needs counts of shape (units, classes, 3), got shape "
            f"{array.shape}"
        )


def tversky(metric: Any) -> tuple[float, float]:
    """The weights of a Tversky score."""
    a, b = getattr(metric, "a", None), getattr(metric, "b", None)
    if a is None or b is None:
        raise ValueError(
            "only a Tversky score ('f1', 'precision', 'recall', 'jaccard', fbeta(beta), "
            f"tversky(a, b)) is known from TP, FP and FN, got {metric.name!r}"
        )
    return float(a), float(b)


def joint_cells(value: ArrayLike) -> NDArray[np.float64]:
    """Counts of the 2**(m + 1) joint outcomes of m classifiers, shape (..., 2**(m + 1))."""
    array = counts("cells", value)
    width = array.shape[-1] if array.ndim else 0
    if width < 4 or width & (width - 1):
        raise ValueError(
            f"cells must have shape (..., 2**(m + 1)) for m classifiers, got shape {array.shape}"
        )
    return array


def covariance(value: ArrayLike) -> NDArray[np.float64]:
    """One or more square matrices, shape (..., k, k); nan is legal."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or not array.shape[-1]:
        raise ValueError(f"covariance must have shape (..., k, k), got shape {array.shape}")
    return array


def predictions(value: Any) -> list[tuple[str, Any]]:
    """Pairs of a classifier's name and its predicted labels; no name occurs twice."""
    try:
        pairs = [(name, array) for name, array in getattr(value, "items", lambda: value)()]
    except (TypeError, ValueError):
        raise TypeError(
            f"predictions must map names of classifiers to predicted labels, got {short(value)}"
        ) from None
    for name, _ in pairs:
        if not isinstance(name, str):
            raise TypeError(f"names of classifiers must be text, got {short(name)}")
    distinct("names of classifiers", [name for name, _ in pairs])
    return pairs


def listed(name: str, value: Any) -> list[Any]:
    """Any sequence, as a list."""
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"{name} must be a list, got {short(value)}") from None


def distinct(name: str, values: Sequence[Any]) -> None:
    """No value occurs twice, and there is at least one."""
    if not len(values):
        raise ValueError(f"{name} must not be empty, got {short(values)}")
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{name} must be distinct, got {short(value)} twice")
        seen.add(value)


def two_classes(classes: Sequence[Any], pos_label: Any) -> None:
    """The classes of a binary problem: `pos_label` and at most one other, or just one."""
    if len(classes) > 1 and pos_label not in classes:
        raise ValueError(
            f"pos_label must be one of the labels {_listing(classes)}, got {short(pos_label)}"
        )
    if len(classes) > 2:
        raise ValueError(
            f"a binary score needs at most two classes, got {len(classes)}: {_listing(classes)}"
        )


def among_labels(classes: Sequence[Any], wanted: Sequence[Any]) -> None:
    """The classes that occur are among those that were asked for."""
    known = set(wanted)
    for label in classes:
        if label not in known:
            raise ValueError(
                f"y_true and y_pred must hold only the given labels {_listing(wanted)}, "
                f"got {short(label)}"
            )


def _listing(classes: Sequence[Any]) -> str:
    shown = ", ".join(short(label)[:40] for label in classes[:6])
    return shown + (", ..." if len(classes) > 6 else "")


def binary_metric(metric: Any) -> None:
    """A metric of a binary classifier."""
    if not metric.binary:
        raise ValueError(
            f"only a binary metric can be averaged or compared here, got {metric.name!r}"
        )


def at_least_two(what: str, count: int, needed_by: str = "a standard error") -> None:
    """There are enough of something."""
    if count < 2:
        raise ValueError(f"{needed_by} needs at least two {what}, got {count}")


def correlation(value: ArrayLike) -> NDArray[np.float64]:
    """One or more correlation matrices, shape (..., k, k); symmetric and rounded to [-1, 1]."""
    array = _numeric("correlation", value).astype(np.float64, copy=False)
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
    symmetric: NDArray[np.float64] = np.clip((array + transposed) / 2, -1.0, 1.0)
    np.einsum("...ii->...i", symmetric)[...] = 1.0
    smallest = np.asarray(np.linalg.eigvalsh(symmetric)[..., 0], np.float64)
    negative = smallest < -rounding * array.shape[-1]
    if negative.any():
        raise ValueError(
            "correlation must be positive semidefinite, got a matrix with eigenvalue "
            f"{_first(smallest, negative):g}"
        )
    return symmetric


def plannable(metric: Any) -> tuple[float, float]:
    """The weights of a Tversky index whose variance the number of positives bounds."""
    a, b = getattr(metric, "a", None), getattr(metric, "b", None)
    if a is None or b is None:
        raise ValueError(
            "a sample size is known only for the Tversky indices ('f1', 'jaccard', 'recall', "
            f"fbeta(beta), tversky(a, b)), got {metric.name!r}"
        )
    if not b > 0.0:
        raise ValueError(
            "no number of positives bounds the variance of a Tversky index with b = 0, which "
            f"depends on how many items are predicted positive; got {metric.name!r}"
        )
    return float(a), float(b)


def exactly_one(**named: Any) -> None:
    """One of the named arguments is given, the others are None."""
    if sum(value is not None for value in named.values()) != 1:
        listed = " and ".join(f"{name}={short(value)}" for name, value in named.items())
        raise ValueError(f"give exactly one of {', '.join(named)}, got {listed}")


def pair(value: Any) -> tuple[Any, Any]:
    """The shares of discordant positives and of discordant negatives."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ValueError(
            "disagreement must hold the shares of discordant positives and of discordant "
            f"negatives, got {short(value)}"
        )
    return value[0], value[1]


def countable(what: str, size: float) -> None:
    """A planned number of items that one could count."""
    if not size <= MAX_COUNT:
        raise ValueError(f"{what} must not exceed 2**50 items, but the plan asks for {size:.3g}")


def same_length(**arrays: Sequence[Any] | NDArray[Any]) -> None:
    """All of the named arrays have the same length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"labels must come in equal numbers: {listed}")


def broadcastable(**arrays: NDArray[Any]) -> None:
    """The named arrays have shapes that broadcast against each other."""
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) == 1:
        return
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{name} has {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must broadcast against each other: {listed}") from None


def labels(name: str, value: Any) -> NDArray[Any]:
    """A one-dimensional, non-empty array of labels of any hashable kind, none of them missing."""
    array = _label_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if not array.size:
        raise ValueError(f"{name} must not be empty, got {short(value)}")
    kind = array.dtype.kind
    if isinstance(array, np.ma.MaskedArray):
        _refuse_missing(name, np.ma.getmaskarray(array), "a masked entry")
        return np.asarray(array)
    if kind in "fc":
        # A NaN makes the sum NaN: one pass and no temporary in the usual case.
        with np.errstate(over="ignore", invalid="ignore"):
            total = array.sum()
        if np.isnan(total):
            _refuse_missing(name, np.isnan(array), "nan")
    elif kind in "mM":
        _refuse_missing(name, np.isnat(array), "NaT")
    elif kind == "O":
        _refuse_bad_objects(name, array.tolist())
    return array


def _refuse_missing(name: str, missing: NDArray[np.bool_], what: str) -> None:
    if missing.any():
        place = int(np.argmax(missing))
        raise ValueError(f"{name} must not hold missing labels, got {what} at position {place}")


def _refuse_bad_objects(name: str, labels: list[Any]) -> None:
    try:
        distinct = set(labels)
    except TypeError:
        unhashable = next(label for label in labels if label.__class__.__hash__ is None)
        raise TypeError(f"{name} must hold hashable labels, got {short(unhashable)}") from None
    for label in distinct:
        # NaN differs from itself; pandas.NA cannot even say so.
        equal = label == label
        if label is None or not isinstance(equal, (bool, np.bool_)) or not equal:
            place = next(i for i, other in enumerate(labels) if other is label)
            raise ValueError(
                f"{name} must not hold missing labels, got {short(label)} at position {place}"
            )


def _label_array(name: str, value: Any) -> NDArray[Any]:
    """`value` as an array that keeps labels apart as Python would: 1 and "1" stay different."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise TypeError(f"{name} must be a sequence of labels, got {short(value)}")
    if hasattr(value, "to_numpy"):  # pandas, polars
        return np.asarray(value.to_numpy())
    first = next(iter(value), None)
    if first is None or isinstance(first, (tuple, frozenset)):
        return _objects(value)
    try:
        array = np.asarray(value)
    except ValueError:  # ragged nesting, or some labels are tuples
        if all(x.__class__.__hash__ for x in value):
            return _objects(value)
        raise ValueError(f"{name} must be one-dimensional, got {short(value)}") from None
    # numpy turns [1, "a"] into ["1", "a"], and [-1, 2**63 + 1] into floats: keep both.
    mixed = array.dtype.kind in "US" and not set(map(type, value)) <= _TEXT
    if mixed or (array.dtype.kind == "f" and array.size and float(np.abs(array).max()) > 2**53):
        array = np.asarray(value, dtype=object)
    return array


def _objects(value: Any) -> NDArray[Any]:
    array = np.empty(len(value), dtype=object)
    array[:] = list(value)
    return array


def _numeric(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a regular array of numbers, got {short(value)}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got {short(value)}")
    # Half precision has no room for the comparisons to come.
    return (
        array.astype(np.float64) if array.dtype.itemsize < 4 and array.dtype.kind == "f" else array
    )


def _first(array: NDArray[Any], bad: NDArray[np.bool_]) -> Any:
    return array[bad].flat[0].item()
