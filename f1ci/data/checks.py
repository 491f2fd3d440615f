"""Checks of arguments. Each raises an error that names the argument, the rule and the value.

Public functions check their arguments once, before they compute. Kernels never check again.
"""

from __future__ import annotations

import operator
import reprlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci.types import AnyArray, Array, IntervalWarning, Seed, warn

if TYPE_CHECKING:
    from f1ci.metrics import Metric

T = TypeVar("T")
Checked: TypeAlias = Callable[[str, ArrayLike], Array]

# People who pass these mean their complement.
_ERROR_RATES = (0.001, 0.01, 0.05, 0.1)

_LEAST_LEVEL = 1e-9

# Sums of finite numbers up to this are finite.
_LARGEST_NUMBER = 1e300

# Sums and differences of a few such counts are exact in double precision.
MAX_COUNT = 2**50

_SEEDS = (
    int,
    np.integer,
    np.random.SeedSequence,
    np.random.BitGenerator,
    np.random.Generator,
)


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def short(value: object) -> str:
    """Return a value as a message quotes it: at most 160 characters."""
    text = _SHORT.repr(value)
    return text if len(text) <= 160 else text[:157] + "..."


def choice(name: str, value: object, known: Iterable[str]) -> str:
    """Return a known name, or raise an error that lists the known ones."""
    if isinstance(value, str) and value in known:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {short(value)}")


def positive_integer(name: str, value: object, *, maximum: int = MAX_COUNT) -> int:
    """Return a whole number from 1 to `maximum`; booleans are refused."""
    try:
        if isinstance(value, bool):
            raise TypeError
        integer = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {short(value)}") from None
    if not 1 <= integer <= maximum:
        raise ValueError(f"{name} must lie between 1 and {maximum}, got {short(value)}")
    return integer


def generator(value: Seed) -> np.random.Generator:
    """Return a generator of random numbers: a fresh one, a seeded one, or the caller's."""
    rule = "rng must be None, a seed of at least 0 or a numpy Generator"
    # numpy would also follow a list into itself, until the interpreter dies.
    if value is not None and not isinstance(value, _SEEDS):
        raise TypeError(f"{rule}, got {short(value)}")
    try:
        return np.random.default_rng(value)
    except ValueError:
        raise ValueError(f"{rule}, got {short(value)}") from None


def number(name: str, value: object) -> float:
    """Return a real number as a float; booleans are refused."""
    array = real(name, value)
    if array.ndim:
        raise TypeError(f"{name} must be a number, got {short(value)}")
    return float(array)


def positive(name: str, value: object) -> float:
    """Return a finite number above 0."""
    result = number(name, value)
    if 0.0 < result <= _LARGEST_NUMBER:
        return result
    raise ValueError(f"{name} must be a finite number above 0, got {short(value)}")


def probability(name: str, value: object) -> float:
    """Return a number from 0 to 1."""
    result = number(name, value)
    if 0.0 <= result <= 1.0:
        return result
    raise ValueError(f"{name} must lie between 0 and 1, got {short(value)}")


def fraction(name: str, value: object) -> float:
    """Return a number above 0 and at most 1."""
    result = number(name, value)
    if 0.0 < result <= 1.0:
        return result
    raise ValueError(f"{name} must lie in (0, 1], got {short(value)}")


def inner(name: str, value: object) -> float:
    """Return a number between 0 and 1, such as a level; an error guesses what a percentage means.

    Below the lowest legal level intervals are shorter than rounding.
    """
    result = number(name, value)
    if _LEAST_LEVEL <= result < 1.0:
        return result
    hint = ""
    if 1.0 < result < 100.0:
        percent = result if result >= 50.0 else 100.0 - result  # 5 is an error rate
        hint = f"; did you mean {percent / 100:g}?"
    rule = f"be at least {_LEAST_LEVEL:g} and lie strictly between 0 and 1"
    raise ValueError(f"{name} must {rule}, got {short(value)}{hint}")


def confidence_level(value: float) -> float:
    """Return a level strictly between 0 and 1; warn of one that may be its complement."""
    level = inner("confidence_level", value)
    if level in _ERROR_RATES:
        warn(f"the confidence level is {level:g}; did you mean {1 - level:g}?", IntervalWarning)
    return level


def refuse(name: str, array: AnyArray, bad: NDArray[np.bool_], rule: str) -> None:
    """Raise an error that says what an array must be and quotes the first entry that is not."""
    if bad.any():
        raise ValueError(f"{name} must {rule}, got {array[bad].flat[0].item()!r}")


def shaped(name: str, array: AnyArray, legal: bool, expected: str) -> AnyArray:
    """Return the array, or raise an error that quotes its shape."""
    if not legal:
        raise ValueError(f"{name} must have shape {expected}, got shape {array.shape}")
    return array


def real(name: str, value: object) -> Array:
    """Return real numbers of any shape, as floats."""
    with np.errstate(over="ignore"):  # a long double may become infinite
        return _numeric(name, value).astype(np.float64, copy=False)


def _numeric(name: str, value: object) -> AnyArray:
    """Return integers or floats of any shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a regular array of numbers, got {short(value)}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got {short(value)}")
    if np.ma.is_masked(value):
        raise ValueError(f"{name} must not hold masked entries, got {short(value)}")
    return array


def weights(name: str, value: ArrayLike) -> Array:
    """Return finite, non-negative numbers of any shape; fractions are legal."""
    array = real(name, value)
    legal = (array >= 0.0) & (array <= _LARGEST_NUMBER)
    refuse(name, array, ~legal, "be finite and not negative")
    return array


def counts(name: str, value: ArrayLike) -> Array:
    """Return whole, non-negative numbers up to `MAX_COUNT`, of any shape, as floats."""
    if type(value) is int and 0 <= value <= MAX_COUNT:
        # A numpy scalar is several times as fast as an array without dimensions.
        return np.float64(value)
    array = _numeric(name, value)
    if array.dtype.kind == "f" or not (
        array.min(initial=0) >= 0 and array.max(initial=0) <= MAX_COUNT
    ):
        array = real(name, array)
        legal = (array >= 0.0) & (array <= MAX_COUNT) & (np.rint(array) == array)
        refuse(name, array, ~legal, "be a whole number between 0 and 2**50")
    return array.astype(np.float64, copy=False)[()]


def matrices(metric: Metric, value: ArrayLike, check: Checked = counts) -> Array:
    """Return confusion matrices (..., r, r) that a metric can take, of counts or of shares."""
    array = confusion_matrices(value, check)
    takes(metric, array)
    return array


def takes(metric: Metric, matrix: Array) -> None:
    """Check that a metric can take matrices of so many classes."""
    if metric.binary and matrix.shape[-1] != 2:
        rule = f"{metric.name!r} is a binary metric: it takes (..., 2, 2), got shape {matrix.shape}"
        raise ValueError(f"{rule}; f1ci.metrics.macro averages it over classes")


def confusion_matrices(value: ArrayLike, check: Checked = counts) -> Array:
    """Return confusion matrices (..., r, r), of counts or of shares."""
    array = square("matrix", check("matrix", value), "(..., r, r) with r of at least 2", 2)
    if array.ndim == 2 and _has_totals(array):
        got = short(array[-1].tolist())
        raise ValueError(f"matrix must have no row and column of totals, got {got} at its end")
    return array


def _has_totals(matrix: Array) -> bool:
    """Tell if the last row and the last column of a matrix are sums of the others."""
    if len(matrix) == 2 or not matrix.any():
        return False
    sums_of_columns = matrix[:-1].sum(axis=0)
    sums_of_rows = matrix[:, :-1].sum(axis=1)
    return np.array_equal(matrix[-1], sums_of_columns) and np.array_equal(
        matrix[:, -1], sums_of_rows
    )


def square(name: str, array: AnyArray, expected: str, least: int = 1) -> AnyArray:
    """Return one or more square matrices."""
    legal = array.ndim > 1 and array.shape[-1] == array.shape[-2] >= least
    return shaped(name, array, legal, expected)


def listed(name: str, value: Iterable[T]) -> list[T]:
    """Return any sequence as a list."""
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"{name} must be a list, got {short(value)}") from None


def distinct(name: str, values: Sequence[object]) -> None:
    """Check that no value occurs twice, and that there is at least one."""
    if not len(values):
        raise ValueError(f"{name} must not be empty, got {short(values)}")
    value, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{name} must be distinct, got {short(value)} twice")


def as_models(predictions: Mapping[str, T]) -> Mapping[str, T]:
    """Return what maps names of models to their data; a data frame does so too."""
    if not hasattr(predictions, "keys"):
        raise TypeError(f"predictions must map names of models to labels, got {short(predictions)}")
    return predictions


def hashable(name: str, value: Hashable) -> Hashable:
    """Return a label, if it can be hashed. Some types, such as Decimal, hash only some values."""
    try:
        hash(value)
    except Exception:  # a label's own hash may raise anything
        raise TypeError(f"{name} must be hashable, got {short(value)}") from None
    return value


def as_mapping(value: Any) -> Any:
    """Return a pandas Series, or what else has names and values, as a dictionary."""
    if isinstance(value, Mapping) or not (hasattr(value, "keys") and hasattr(value, "items")):
        return value
    return dict(value.items())


def listing(classes: Sequence[object], most: int = 6) -> str:
    """Return the first few of some classes in words."""
    return first_few([short(label)[:40] for label in classes[: most + 1]], most)


def first_few(words: Sequence[str], most: int = 3) -> str:
    """Return the first few of some words."""
    return ", ".join(words[:most]) + (", ..." if len(words) > most else "")


def at_least_two(what: str, count: int, needed_by: str = "a standard error") -> None:
    """Check that there are at least two of something."""
    if count < 2:
        raise ValueError(f"{needed_by} needs at least two {what}, got {count}")


def correlation(value: ArrayLike) -> Array:
    """Return correlation matrices of shape (..., k, k), symmetric and rounded to [-1, 1]."""
    array = square("correlation", real("correlation", value), "(..., k, k)")
    bounded = np.clip(array, -1.0, 1.0)
    symmetric: Array = (bounded + np.swapaxes(bounded, -1, -2)) / 2.0
    symmetric[..., np.eye(array.shape[-1], dtype=bool)] = 1.0
    # Rounding in a computed matrix is far below this, a typing error far above.
    rounding = 1e-8
    wrong = ~(np.abs(array - symmetric) <= rounding)
    refuse("correlation", array, wrong, "be symmetric, from -1 to 1, with a diagonal of ones")
    least = np.linalg.eigvalsh(symmetric)[..., 0].min(initial=0.0)
    if least < -rounding * array.shape[-1]:
        raise ValueError(f"correlation must be positive semidefinite, got eigenvalue {least:g}")
    return symmetric


def broadcast(check: Checked, **named: ArrayLike) -> tuple[Array, ...]:
    """Return the named arrays, each checked, if their shapes broadcast against each other."""
    arrays = tuple(check(name, value) for name, value in named.items())
    shapes = [array.shape for array in arrays]
    if len(set(shapes)) > 1:
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            names = ", ".join(named)
            got = ", ".join(map(str, shapes))
            raise ValueError(f"{names} must have shapes that fit together, got {got}") from None
    return arrays
