"""Checks of arguments. Each raises an error that names the argument, the rule and the value.

Public functions check their arguments once, before they compute. Kernels never check again.
"""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci.results import AnyArray, Array, IntervalWarning, Labels, Seed, warn

if TYPE_CHECKING:
    from f1ci.metrics import Metric

T = TypeVar("T")
Checked: TypeAlias = Callable[[str, ArrayLike], Array]

# People who pass these mean their complement.
_ERROR_RATES = (0.001, 0.01, 0.05, 0.1)

# Sums of finite numbers up to this are finite.
_LARGEST_NUMBER = 1e300

# Sums and differences of a few such counts are exact in double precision.
MAX_COUNT = 2**50


def number(name: str, value: object) -> float:
    """Return a real number as a float; booleans are refused."""
    array = real(name, value)
    if array.ndim:
        raise TypeError(f"{name} must be a number, got {short(value)}")
    return float(array)


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def short(value: object) -> str:
    """Return how a message quotes a value."""
    text = _SHORT.repr(value)
    return text if len(text) <= 160 else text[:157] + "..."


def choice(name: str, value: object, known: Iterable[str]) -> str:
    """Return a known name, or raise an error that lists the known ones."""
    if isinstance(value, str) and value in known:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {short(value)}")


def positive_integer(name: str, value: object, *, maximum: int = MAX_COUNT) -> int:
    """Return a whole number from 1 to `maximum`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {short(value)}")
    if not 1 <= value <= maximum:
        raise ValueError(f"{name} must lie between 1 and {maximum}, got {short(value)}")
    return int(value)


def generator(value: Seed) -> np.random.Generator:
    """Return a generator of random numbers: a fresh one, a seeded one, or the caller's."""
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError) as error:
        rule = "rng must be None, a seed of at least 0 or a numpy Generator"
        raise type(error)(f"{rule}, got {short(value)}") from None


def _rule(legal: Callable[[float], bool], rule: str) -> Callable[[str, object], float]:
    def checked(name: str, value: object) -> float:
        result = number(name, value)
        if not legal(result):
            percent = "strictly" in rule and 1.0 < result < 100.0
            meant = result if result >= 50.0 else 100.0 - result  # 5 is an error rate
            hint = f"; did you mean {meant / 100:g}?" if percent else ""
            raise ValueError(f"{name} must {rule}, got {short(value)}{hint}")
        return result

    return checked


positive = _rule(lambda x: 0.0 < x <= _LARGEST_NUMBER, "be a finite number above 0")
probability = _rule(lambda x: 0.0 <= x <= 1.0, "lie between 0 and 1")
fraction = _rule(lambda x: 0.0 < x <= 1.0, "lie in (0, 1]")
# Below the lowest level intervals are shorter than rounding.
inner = _rule(lambda x: 1e-9 <= x < 1.0, "be at least 1e-9 and lie strictly between 0 and 1")


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
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a regular array of numbers, got {short(value)}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got {short(value)}")
    if np.ma.is_masked(value):
        raise ValueError(f"{name} must not hold masked entries, got {short(value)}")
    return array.astype(np.float64, copy=False)


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
    array = real(name, value)
    legal = (array >= 0.0) & (array <= MAX_COUNT) & (np.rint(array) == array)
    refuse(name, array, ~legal, "be a whole number between 0 and 2**50")
    return array[()]


def matrices(metric: Metric, value: ArrayLike, check: Checked = counts) -> Array:
    """Return confusion matrices (..., r, r) that a metric can take, of counts or of shares."""
    array = square("matrix", check("matrix", value), "(..., r, r) with r of at least 2", 2)
    if metric.binary and array.shape[-1] != 2:
        rule = f"{metric.name!r} is a binary metric: it takes (..., 2, 2), got shape {array.shape}"
        raise ValueError(f"{rule}; f1ci.metrics.macro averages it over classes")
    if array.ndim == 2 and len(array) > 2 and array.any():
        rows, columns = array[:-1].sum(axis=0), array[:, :-1].sum(axis=1)
        if np.array_equal(array[-1], rows) and np.array_equal(array[:, -1], columns):
            got = short(array[-1].tolist())
            raise ValueError(f"matrix must have no row and column of totals, got {got} at its end")
    return array


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


def models(
    y_true: Labels, predictions: Mapping[str, Labels]
) -> tuple[list[str], dict[str, Labels]]:
    """Return the names of models, and all labels by how messages call them."""
    if not hasattr(predictions, "keys"):  # data frames have it too
        raise TypeError(f"predictions must map names of models to labels, got {short(predictions)}")
    names = [str(name) for name in predictions]
    distinct("names of models", names)
    named = {f"predictions[{short(str(name))}]": predictions[name] for name in predictions}
    return names, {"y_true": y_true} | named


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
    bounded, one = np.clip(array, -1.0, 1.0), np.eye(array.shape[-1])
    symmetric: Array = np.where(one, 1.0, (bounded + np.swapaxes(bounded, -1, -2)) / 2.0)
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
    np.broadcast_shapes(*(array.shape for array in arrays))
    return arrays
