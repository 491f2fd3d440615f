"""Read labels and indicators: any sequence of labels becomes codes 0, 1, ... and a list of classes.

Two labels are the same class if Python says that they are equal, so 1, 1.0 and True are one class
and "1" is another. A numpy array of text has lost trailing NUL characters before it comes here.
Refused are missing labels (None, NaN, ``pandas.NA``), fractions (probabilities must be compared
with a threshold first), and truth and predictions that share no label.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.results import AnyArray, Classes, Labels

Codes: TypeAlias = NDArray[np.int64]

# Integers that span no more values than this, or than there are labels, are their own codes.
_NARROW = 1 << 10

# A matrix of more classes than this does not fit in memory.
MOST_CLASSES = 10_000

# What the last class is called if some classes are not asked for.
OTHERS = "the other classes"


def labels(name: str, value: Labels) -> AnyArray:
    """Return labels as a one-dimensional array of integers or of Python objects."""
    array = _as_array(name, value)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        what = f"{name} must be one-dimensional, got shape {array.shape}"
        raise ValueError(f"{what}; argmax(axis=1) makes classes of scores or flags by class")
    if not array.size:
        raise ValueError(f"{name} must not be empty, got {_validation.short(value)}")
    if array.dtype.kind == "f" and np.array_equal(array, np.rint(array)):
        array = array.astype(np.int64) if np.abs(array).max() < 2.0**63 else array
    if array.dtype.kind in "biu" and not np.ma.getmaskarray(array).any():
        return np.asarray(array)
    # numpy's own scalars stand only for what Python has no type for, such as moments of time.
    values = list(array) if array.dtype.kind in "mM" else array.tolist()
    _check(name, values)
    return np.fromiter(values, object, len(values))


def encode(
    named: Mapping[str, Labels], *, wanted: Classes | None = None, others: bool = False, n: int = 0
) -> tuple[Codes, list[Hashable]]:
    """Code several sequences by one list of classes.

    Parameters
    ----------
    named : mapping of str to sequence
        The sequences; the first is the truth, the others are predictions of it.
    wanted : sequence, optional
        The classes in their order. By default those that occur, sorted; or, if they cannot be
        sorted, in order of first appearance.
    others : bool, default False
        Labels that are not wanted are one more class, the last one. By default they are refused.
    n : int, default 0
        How many labels each sequence must have. 0 stands for as many as the first.

    Returns
    -------
    codes : ndarray of int, shape (len(named), n)
    classes : list
    """
    arrays = [labels(name, value) for name, value in named.items()]
    n = n or len(arrays[0])
    for name, array in zip(named, arrays, strict=True):
        if len(array) != n:
            raise ValueError(f"{name} must have {n} labels, one for each item, got {len(array)}")
    codes, classes = _encode(arrays)
    occurs = np.array([np.bincount(row, minlength=len(classes)) > 0 for row in codes])
    for name, predicted in zip(named, occurs, strict=True):
        _refuse_strangers(name, classes, occurs[0], predicted)
    present = [classes[code] for code in np.flatnonzero(occurs.any(axis=0)).tolist()]
    order = present
    if wanted is not None:
        order = labels("labels", wanted).tolist()
        _validation.distinct("labels", order)
    places = {label: k for k, label in enumerate(order)}
    strange = [label for label in present if label not in places]
    if strange and (not others or len(strange) == len(present)):
        got = f"{_validation.listing(order)}, got {_validation.short(strange[0])}"
        raise ValueError(f"y_true and y_pred must hold labels among {got}")
    if len(order) > MOST_CLASSES and len(named) > 1:  # groups may be as many as there are
        what = f"at most {MOST_CLASSES} classes can be counted, got {len(order)}"
        raise ValueError(f"{what}; are these identifiers rather than labels?")
    place = np.array([places.get(label, len(order)) for label in classes])
    return place[codes], [*order, OTHERS] if strange else order


def are_indicators(value: Labels) -> bool:
    """Return True for rows of 0 and 1 by class. One column holds labels, and a tuple is a label."""
    if isinstance(value, (list, tuple)):
        first = value[0] if value else None
        return isinstance(first, (list, np.ndarray)) and len(first) != 1
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return len(shape) == 2 and shape[1] != 1


def indicator_counts(
    y_true: Labels, y_pred: Labels, names: Classes | None
) -> tuple[NDArray[np.float64], list[Hashable]]:
    """Return TP, FP and FN by item and class, shape (items, classes, 3), and the classes.

    Columns of data frames are matched by name. Names of columns, or their numbers 0, 1, ...,
    choose columns; other names are new ones for all of them.
    """
    true, pred = _indicators("y_true", y_true), _indicators("y_pred", y_pred)
    _validation.shaped("y_pred", pred, pred.shape == true.shape, str(true.shape))
    columns, of_pred = (list(getattr(x, "columns", range(true.shape[1]))) for x in (y_true, y_pred))
    if hasattr(y_true, "columns") and hasattr(y_pred, "columns"):
        if set(columns) != set(of_pred):
            got = " and ".join(map(_validation.listing, (columns, of_pred)))
            raise ValueError(f"y_true and y_pred must have the same columns, got {got}")
        pred = pred[:, [of_pred.index(name) for name in columns]]
    wanted = columns if names is None else _validation.listed("labels", names)
    _validation.distinct("labels", wanted)
    if set(wanted) <= set(columns):
        places = [columns.index(name) for name in wanted]
        true, pred = true[:, places], pred[:, places]
    elif len(wanted) != len(columns):
        raise ValueError(f"labels has {len(wanted)} names, the indicators have {len(columns)}")
    table = np.stack([true & pred, ~true & pred, true & ~pred], axis=-1)
    return table.astype(np.float64), wanted


def _as_array(name: str, value: Any) -> AnyArray:
    """Return `value` as an array in which labels stay apart that Python keeps apart.

    This is the one place that knows other libraries.
    """
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "to_pylist"):  # pyarrow
        value = value.to_pylist()
    for method in ("toarray", "to_numpy", "__array__"):  # SciPy; pandas and polars; others
        if hasattr(value, method):
            return np.asarray(getattr(value, method)())
    text = isinstance(value, (str, bytes, Mapping))
    if text or not (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
        kind, got = type(value).__name__, _validation.short(value)
        raise TypeError(f"{name} must be a sequence of labels, got the {kind} {got}")
    types = set(map(type, value))
    if types & {list, np.ndarray}:
        with suppress(ValueError):  # rows of several lengths, or rows beside labels, are no labels
            return np.asarray(value)
    if all(issubclass(t, (int, np.integer, np.bool_)) for t in types):
        array = np.asarray(value)
        if array.dtype.kind in "biu":  # not of integers beyond 64 bits
            return array
    return np.fromiter(value, object, len(value))


def _check(name: str, values: list[Hashable]) -> None:
    """Check that labels can be hashed, that none is missing and none is a score."""
    try:
        distinct = dict.fromkeys(values)
    except TypeError:
        got = _validation.short(next(x for x in values if x.__class__.__hash__ is None))
        raise TypeError(f"{name} must hold hashable labels, got {got}") from None
    for label in distinct:
        # NaN differs from itself; pandas.NA cannot even say so.
        equal = label == label
        if label is None or not isinstance(equal, (bool, np.bool_)) or not equal:
            place = next(k for k, other in enumerate(values) if other is label)
            got = f"{_validation.short(label)} at position {place}"
            raise ValueError(f"{name} must not hold missing labels, got {got}")
        if isinstance(label, (float, np.floating)) and not float(label).is_integer():
            got = f"the fraction {float(label)!r}"
            advice = "compare probabilities or scores with a threshold first"
            raise ValueError(f"{name} must hold classes, got {got}; {advice}")


def _encode(arrays: list[AnyArray]) -> tuple[Codes, list[Hashable]]:
    """Return codes and the classes they stand for, some of which may not occur."""
    kinds = {array.dtype.kind for array in arrays}
    # numpy has no integer type for the largest unsigned and signed integers together.
    if kinds <= set("biu") and all(a.dtype.kind != "u" or a.max() < 2**63 for a in arrays):
        integers = np.stack([array.astype(np.int64) for array in arrays])
        low, kind = int(integers.min()), bool if kinds == {"b"} else int
        width = int(integers.max()) - low + 1
        if width <= max(_NARROW, integers.size):
            integers -= low
            return integers, [kind(low + code) for code in range(width)]
    values = [array.tolist() for array in arrays]
    classes: list[Any] = list(dict.fromkeys(chain.from_iterable(values)))
    with suppress(TypeError):
        classes = sorted(classes)
    place = {label: code for code, label in enumerate(classes)}.__getitem__
    return np.stack([np.fromiter(map(place, row), np.int64) for row in values]), classes


def _refuse_strangers(
    name: str, classes: list[Hashable], true: NDArray[np.bool_], pred: NDArray[np.bool_]
) -> None:
    """Refuse truth and predictions without a label in common, unless each is one class.

    A poor classifier may predict one class where all items are of another.
    """
    if (true & pred).any():
        return
    both = [[classes[k] for k in np.flatnonzero(x).tolist()] for x in (true, pred)]
    alike = set(map(_text, both[0])) & set(map(_text, both[1]))
    if alike or min(map(len, both)) > 1:
        why = "the same labels in two types? convert one of them" if alike else "two codings?"
        against = " against ".join(_validation.listing(labels, 3) for labels in both)
        raise ValueError(f"y_true and {name} share no label: {against}; {why}")


def _text(label: Hashable) -> str:
    """Return what labels have in common that differ in type, case or blanks only."""
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    return text.strip().casefold().removesuffix(".0")


def _indicators(name: str, value: Labels) -> NDArray[np.bool_]:
    array = _as_array(name, value)
    _validation.shaped(name, array, array.ndim == 2 and array.size > 0, "(items, classes)")
    try:
        array = array.astype(object) if array.dtype.kind not in "biuf" else array
        numbers = np.ma.filled(array.astype(np.float64), np.nan)
    except (TypeError, ValueError, OverflowError):
        got = _validation.short(value)
        how = "sklearn's MultiLabelBinarizer makes them of lists of labels"
        raise ValueError(f"{name} must hold indicators 0 and 1, got {got}; {how}") from None
    true: NDArray[np.bool_] = numbers == 1.0
    _validation.refuse(name, numbers, ~(true | (numbers == 0.0)), "hold indicators 0 and 1")
    return true
