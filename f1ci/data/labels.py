"""Read labels and indicators: any sequence of labels becomes codes 0, 1, ... and a list of classes.

Two labels are the same class if Python says that they are equal, so 1, 1.0 and True are one class
and "1" is another. A numpy array of text has lost trailing NUL characters before it comes here.
Refused are missing labels (None, NaN, ``pandas.NA``), fractions (probabilities must be compared
with a threshold first), and truth and predictions that share no label.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci.data import checks
from f1ci.types import AnyArray, Classes, LabelsLike

# The type of integers that numpy counts with (`numpy.bincount`): 32 bits wide on some systems.
Codes: TypeAlias = NDArray[np.intp]

# Integers that span no more values than this, or than there are labels, are their own codes.
_NARROW = 1 << 10

# A matrix of more classes than this does not fit in memory.
MOST_CLASSES = 10_000

# The name of the last class if some classes are not asked for.
OTHERS = "the other classes"


def labels(name: str, value: LabelsLike) -> AnyArray:
    """Return labels as a one-dimensional array of integers or of Python objects."""
    array = _as_array(name, value)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        what = f"{name} must be one-dimensional, got shape {array.shape}"
        raise ValueError(f"{what}; argmax(axis=1) makes classes of scores or flags by class")
    if not array.size:
        raise ValueError(f"{name} must not be empty, got {checks.short(value)}")
    if array.dtype.kind == "f" and _are_whole(array):
        array = array.astype(np.int64)
    if array.dtype.kind in "biu" and not np.ma.getmaskarray(array).any():
        return np.asarray(array)
    # numpy's own scalars stand only for what Python has no type for, such as moments of time.
    values = list(array) if array.dtype.kind in "mM" else array.tolist()
    _check(name, values)
    return np.fromiter(values, object, len(values))


def _are_whole(numbers: AnyArray) -> bool:
    """Tell if floats are whole numbers of at most 63 bits."""
    largest = float(np.abs(numbers).max())  # Python compares any two floats without a warning
    return largest < 2.0**63 and np.array_equal(numbers, np.rint(numbers))


def encode(
    named: Mapping[str, LabelsLike],
    *,
    wanted: Classes | None = None,
    others: bool = False,
    n: int = 0,
) -> tuple[Codes, list[Hashable]]:
    """Return the labels of several sequences as numbers that point into one list of classes.

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
    # 1. Code the labels by a list of classes, some of which may not occur.
    codes, classes = _coded(_read(named, n))
    occurs = [np.bincount(row, minlength=len(classes)) > 0 for row in codes]
    for name, predicted in zip(named, occurs, strict=True):
        _refuse_strangers(name, classes, occurs[0], predicted)
    # 2. The classes that are wanted, in their order.
    present = [classes[code] for code in np.flatnonzero(np.any(occurs, axis=0)).tolist()]
    order = present if wanted is None else _wanted_classes(wanted, present, others)
    if len(named) > 1:  # groups are coded alone, and there may be any number of them
        _refuse_identifiers(order)
    # 3. Codes in that order. Other classes become the last one.
    if set(present) <= set(order):
        return _recoded(codes, classes, order), order
    return _recoded(codes, classes, order), [*order, OTHERS]


def _recoded(codes: Codes, classes: list[Hashable], order: list[Hashable]) -> Codes:
    """Return codes that point into `order` instead of `classes`, or behind its end."""
    place = {label: k for k, label in enumerate(order)}
    new_codes = np.array([place.get(label, len(order)) for label in classes], dtype=np.intp)
    return new_codes[codes]


def _read(named: Mapping[str, LabelsLike], n: int) -> list[AnyArray]:
    """Return the sequences of labels, each of n labels; 0 stands for as many as the first."""
    arrays = [labels(name, value) for name, value in named.items()]
    n = n or len(arrays[0])
    for name, array in zip(named, arrays, strict=True):
        _check_number(name, array, n)
    return arrays


def _check_number(name: str, array: AnyArray, n: int) -> None:
    if len(array) != n:
        raise ValueError(f"{name} must have {n} labels, one for each item, got {len(array)}")


def _wanted_classes(wanted: Classes, present: Sequence[Hashable], others: bool) -> list[Hashable]:
    """Return the classes that the caller lists, if they are distinct and occur.

    If others are legal one of them must occur, and otherwise no other class may.
    """
    order: list[Hashable] = labels("labels", wanted).tolist()
    checks.distinct("labels", order)
    known = set(order)
    unwanted = [label for label in present if label not in known]
    if len(unwanted) == len(present) or (unwanted and not others):
        got = f"{checks.listing(order)}, got {checks.short(unwanted[0])}"
        raise ValueError(f"y_true and y_pred must hold labels among {got}")
    return order


def _refuse_identifiers(classes: Sequence[Hashable]) -> None:
    """Refuse more classes than can be counted."""
    if len(classes) > MOST_CLASSES:
        what = f"at most {MOST_CLASSES} classes can be counted, got {len(classes)}"
        raise ValueError(f"{what}; are these identifiers rather than labels?")


def are_indicators(value: LabelsLike) -> bool:
    """Tell if these are rows of 0 and 1 by class. One column holds labels; a tuple is a label."""
    if isinstance(value, (list, tuple)):
        first = value[0] if value else None
        return isinstance(first, (list, np.ndarray)) and len(first) != 1
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return len(shape) == 2 and shape[1] != 1


def indicator_counts(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    names: Classes | None,
    called: tuple[str, str] = ("y_true", "y_pred"),
) -> tuple[NDArray[np.float64], list[Hashable]]:
    """Return TP, FP and FN by item and class, shape (items, classes, 3), and the classes.

    Columns of data frames are matched by name. Names of columns, or their numbers 0, 1, ...,
    choose columns; other names are new ones for all of them.
    """
    true = _indicators(called[0], y_true)
    pred = _indicators(called[1], y_pred)
    checks.shaped(called[1], pred, pred.shape == true.shape, str(true.shape))
    columns = _column_names(y_true, true)
    if hasattr(y_true, "columns") and hasattr(y_pred, "columns"):
        pred = pred[:, _places(columns, _column_names(y_pred, pred))]
    wanted, places = _wanted_columns(columns, names)
    true = true[:, places]
    pred = pred[:, places]
    counts = np.stack([true & pred, ~true & pred, true & ~pred], axis=-1)
    return counts.astype(np.float64), wanted


def _wanted_columns(
    columns: list[Hashable], names: Classes | None
) -> tuple[list[Hashable], list[int]]:
    """Return the names of the wanted columns, and where these columns stand."""
    if names is None:
        names = columns
    wanted = checks.listed("labels", names)
    checks.distinct("labels", wanted)
    if set(wanted) <= set(columns):
        return wanted, [columns.index(name) for name in wanted]
    if len(wanted) != len(columns):
        raise ValueError(f"labels has {len(wanted)} names, the indicators have {len(columns)}")
    return wanted, list(range(len(columns)))


def _places(columns: list[Hashable], columns_of_pred: list[Hashable]) -> list[int]:
    """Return where the columns of the truth stand in the predictions."""
    if set(columns) != set(columns_of_pred):
        got = f"{checks.listing(columns)} and {checks.listing(columns_of_pred)}"
        raise ValueError(f"y_true and y_pred must have the same columns, got {got}")
    return [columns_of_pred.index(name) for name in columns]


def _column_names(value: LabelsLike, indicators: NDArray[np.bool_]) -> list[Hashable]:
    """Return the names of a data frame's columns, or the numbers 0, 1, ..."""
    return list(getattr(value, "columns", range(indicators.shape[1])))


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
    is_sequence = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    if isinstance(value, (str, bytes, Mapping)) or not is_sequence:
        got = f"{type(value).__name__} {checks.short(value)}"
        raise TypeError(f"{name} must be a sequence of labels, got the {got}")
    return _from_sequence(value)


def _from_sequence(value: Sequence[Any]) -> AnyArray:
    """Return a list or tuple as an array, of objects unless it holds integers or rows."""
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
    except Exception:  # a label's own hash may raise anything
        got = checks.short(next(x for x in values if not is_hashable(x)))
        raise TypeError(f"{name} must hold hashable labels, got {got}") from None
    for label in distinct:
        if _is_missing(label):
            place = next(k for k, other in enumerate(values) if other is label)
            got = f"{checks.short(label)} at position {place}"
            raise ValueError(f"{name} must not hold missing labels, got {got}")
        if isinstance(label, (float, np.floating)) and not float(label).is_integer():
            advice = "compare probabilities or scores with a threshold first"
            got = f"the fraction {float(label)!r}"
            raise ValueError(f"{name} must hold classes, got {got}; {advice}")


def at(places: Codes, name: str, value: LabelsLike, n: int) -> AnyArray:
    """Return the labels, which are not checked, of some of n items."""
    array = np.atleast_1d(_as_array(name, value))
    _check_number(name, array, n)
    return np.asarray(array[places])


def number_of(name: str, value: LabelsLike) -> int:
    """Return the number of items."""
    number = len(np.atleast_1d(_as_array(name, value)))
    return number or len(labels(name, value))  # which refuses what is empty


def looked_at(name: str, value: LabelsLike) -> Codes:
    """Return the places of the items that have a label."""
    known = [not _is_missing(label) for label in np.ravel(_as_array(name, value)).tolist()]
    places = np.flatnonzero(known).astype(np.intp)
    if not len(places):
        rule = f"{name} must hold the labels of the items that people checked, and None elsewhere"
        raise ValueError(f"{rule}, got {checks.short(value)}")
    return places


def is_hashable(label: object) -> bool:
    """Tell if a label can be hashed. Some types, such as Decimal, hash only some values."""
    try:
        hash(label)
    except Exception:
        return False
    return True


def _is_missing(label: object) -> bool:
    """Tell if a label is None, NaN or ``pandas.NA``."""
    equals_itself = label == label  # not so NaN; and pandas.NA cannot even say so
    is_known = isinstance(equals_itself, (bool, np.bool_))
    return label is None or not is_known or not equals_itself


def _coded(arrays: list[AnyArray]) -> tuple[Codes, list[Hashable]]:
    """Return codes and the classes they stand for, some of which may not occur."""
    narrow = _codes_of_integers(arrays)
    if narrow is not None:
        return narrow
    values = [array.tolist() for array in arrays]
    classes: list[Any] = list(dict.fromkeys(chain.from_iterable(values)))
    with suppress(TypeError):
        classes = sorted(classes)
    code_of = {label: code for code, label in enumerate(classes)}
    codes = [np.fromiter(map(code_of.__getitem__, row), np.intp, len(row)) for row in values]
    return np.stack(codes), classes


def _codes_of_integers(arrays: list[AnyArray]) -> tuple[Codes, list[Hashable]] | None:
    """Return the codes and classes of integers without looking at each; None if they are spread.

    The code is the label less the smallest one.
    """
    kinds = {array.dtype.kind for array in arrays}
    if not kinds <= set("biu"):
        return None
    # numpy has no integer type for the largest unsigned and signed integers together.
    if any(array.dtype.kind == "u" and array.max() >= 2**63 for array in arrays):
        return None
    integers = np.stack([array.astype(np.int64) for array in arrays])
    low = int(integers.min())
    width = int(integers.max()) - low + 1
    if width > max(_NARROW, integers.size):
        return None
    integers -= low
    label_type = bool if kinds == {"b"} else int
    classes: list[Hashable] = [label_type(low + code) for code in range(width)]
    return integers.astype(np.intp, copy=False), classes


def _refuse_strangers(
    name: str, classes: list[Hashable], true: NDArray[np.bool_], pred: NDArray[np.bool_]
) -> None:
    """Refuse truth and predictions without a label in common, unless each is one class.

    A poor classifier may predict one class where all items are of another.
    """
    if (true & pred).any():
        return
    true_labels = [classes[k] for k in np.flatnonzero(true).tolist()]
    pred_labels = [classes[k] for k in np.flatnonzero(pred).tolist()]
    alike = set(map(_text, true_labels)) & set(map(_text, pred_labels))
    if alike or min(len(true_labels), len(pred_labels)) > 1:
        why = "the same labels in two types? convert one of them" if alike else "two codings?"
        listed = f"{checks.listing(true_labels, 3)} against {checks.listing(pred_labels, 3)}"
        raise ValueError(f"y_true and {name} share no label: {listed}; {why}")


def _text(label: Hashable) -> str:
    """Return a text that is the same for labels that differ in type, case or blanks only."""
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    return text.strip().casefold().removesuffix(".0")


def _indicators(name: str, value: LabelsLike) -> NDArray[np.bool_]:
    """Return rows of 0 and 1 by class, shape (items, classes), as truth values."""
    array = _as_array(name, value)
    checks.shaped(name, array, array.ndim == 2 and array.size > 0, "(items, classes)")
    if array.dtype.kind not in "biuf":
        array = array.astype(object)  # numpy would read the text "1" as a number
    try:
        numbers = np.ma.filled(array.astype(np.float64), np.nan)
    except (TypeError, ValueError, OverflowError):
        got = checks.short(value)
        how = "sklearn's MultiLabelBinarizer makes them of lists of labels"
        raise ValueError(f"{name} must hold indicators 0 and 1, got {got}; {how}") from None
    true: NDArray[np.bool_] = numbers == 1.0
    checks.refuse(name, numbers, ~(true | (numbers == 0.0)), "hold indicators 0 and 1")
    return true
