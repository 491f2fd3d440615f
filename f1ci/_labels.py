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

from f1ci import _validation

Codes: TypeAlias = NDArray[np.int64]
Classes: TypeAlias = list[Hashable]
Wanted: TypeAlias = Sequence[Hashable] | None

# Integer labels that span fewer values than this are coded without sorting.
_WIDEST_TABLE = 1 << 10

# A matrix of more classes than this does not fit in memory.
MOST_CLASSES = 10_000


def labels(name: str, value: Any) -> NDArray[Any]:
    """Return labels as a one-dimensional array of integers or of Python objects."""
    array = _as_array(name, value)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if not array.size:
        raise ValueError(f"{name} must not be empty, got {_validation.short(value)}")
    if isinstance(array, np.ma.MaskedArray):
        _refuse_missing(name, np.ma.getmaskarray(array), "a masked entry")
        array = np.asarray(array)
    if array.dtype.kind in "biu":
        return array
    if array.dtype.kind == "f":
        return _whole(name, array)
    # numpy's own scalars stand only for what Python has no type for, such as moments of time.
    objects = _as_objects(array if array.dtype.kind in "mM" else array.tolist())
    _check_objects(name, objects.tolist())
    return objects


def encode(
    named: Mapping[str, Any], *, wanted: Wanted = None, others: bool = False
) -> tuple[Codes, Classes]:
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

    Returns
    -------
    codes : ndarray of int, shape (len(named), n)
    classes : list
    """
    arrays = [labels(name, value) for name, value in named.items()]
    _validation.same_length(**dict(zip(named, arrays, strict=True)))
    codes, classes = _encode(arrays)
    occurs = [np.bincount(row, minlength=len(classes)) > 0 for row in codes]
    for name, here in zip(named, occurs, strict=True):
        if not (occurs[0] & here).any():
            _refuse_strangers(name, *(_at(classes, where) for where in (occurs[0], here)))
    seen = np.flatnonzero(np.any(occurs, axis=0))
    place = np.zeros(len(classes), dtype=np.int64)
    if wanted is None:
        if len(seen) == len(classes):
            return codes, classes
        place[seen] = np.arange(len(seen))
        return place[codes], [classes[code] for code in seen]
    order = labels("labels", wanted).tolist()
    _validation.distinct("labels", order)
    places = {label: k for k, label in enumerate(order)}
    present = [classes[code] for code in seen.tolist()]
    strange = [label for label in present if label not in places]
    if strange and (not others or len(strange) == len(present)):
        rule = "hold one of the labels" if others else "hold only the given labels"
        raise ValueError(
            f"y_true and y_pred must {rule} {_validation.listing(order)}, "
            f"got {_validation.short(strange[0])}"
        )
    place[seen] = [places.get(label, len(order)) for label in present]
    return place[codes], [*order, *["the other classes"] * bool(strange)]


def are_indicators(value: Any) -> bool:
    """Return True for rows of 0 and 1 by class. One column holds labels, and a tuple is a label."""
    if isinstance(value, (list, tuple)):
        first = value[0] if value else None
        return isinstance(first, (list, np.ndarray)) and len(first) != 1
    return getattr(value, "ndim", len(getattr(value, "shape", "1"))) == 2 and value.shape[1] != 1


def indicators(
    y_true: Any, y_pred: Any, names: Wanted
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Classes]:
    """Return indicators of the truth and of the predictions, and the names of their columns.

    Columns of data frames are matched by name. Names of columns, or their numbers 0, 1, ...,
    choose columns; other names are new ones for all of them.
    """
    columns = [list(x.columns) if hasattr(x, "columns") else None for x in (y_true, y_pred)]
    if columns[0] is not None and columns[1] is not None and columns[0] != columns[1]:
        if set(columns[0]) != set(columns[1]):
            of = " and ".join(_validation.listing(x or []) for x in columns)
            raise ValueError(f"y_true and y_pred must have the same columns, got {of}")
        y_pred = y_pred[columns[0]]
    true, pred = _indicators("y_true", y_true), _indicators("y_pred", y_pred)
    _validation.shaped("y_pred", pred, pred.shape == true.shape, str(true.shape))
    known: Classes = columns[0] or list(range(true.shape[1]))
    if names is None:
        return true, pred, known
    wanted = _validation.listed("labels", names)
    _validation.distinct("labels", wanted)
    if set(wanted) <= set(known):
        places = [known.index(name) for name in wanted]
        return true[:, places], pred[:, places], wanted
    if len(wanted) != len(known):
        raise ValueError(f"labels has {len(wanted)} names, the indicators have {len(known)}")
    return true, pred, wanted


def _as_array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array in which labels stay apart that Python keeps apart."""
    if isinstance(value, np.ndarray):
        return value
    kind = type(value).__name__
    if isinstance(value, (str, bytes, Mapping)) or not (
        hasattr(value, "__len__") and hasattr(value, "__getitem__")
    ):
        got = _validation.short(value)
        raise TypeError(f"{name} must be a sequence of labels, got the {kind} {got}")
    if hasattr(value, "to_pylist"):  # pyarrow
        value = value.to_pylist()
    if hasattr(value, "to_numpy"):  # pandas, polars
        return np.asarray(value.to_numpy())
    if hasattr(value, "__array__") or isinstance(value, (memoryview, bytearray)):
        return np.asarray(value)
    types = set(map(type, value))
    if types & {list, np.ndarray}:
        try:
            return np.asarray(value)
        except ValueError:  # rows of several lengths, or rows beside labels
            got = _validation.short(value)
            raise ValueError(f"{name} must be one-dimensional, got {got}") from None
    numbers = all(issubclass(t, (int, float, np.number, np.bool_)) for t in types)
    if numbers:
        with suppress(OverflowError):
            array = np.asarray(value)
            # numpy makes floats of integers beyond 64 bits.
            if array.dtype.kind != "f" or any(issubclass(t, (float, np.floating)) for t in types):
                return array
    return _as_objects(value)


def _as_objects(value: Any) -> NDArray[Any]:
    array = np.empty(len(value), dtype=object)
    array[:] = list(value)
    return array


def _whole(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return floats that are whole as integers."""
    rounded = np.rint(array)
    whole = rounded == array
    if not whole.all():
        _refuse_missing(name, np.isnan(array), "nan")
        raise ValueError(
            f"{name} must hold classes, got the fraction {array[~whole][0].item()!r}; "
            "compare probabilities or scores with a threshold first"
        )
    if np.abs(rounded).max() >= 2.0**63:
        raise ValueError(f"{name} must hold classes, got {array[np.abs(array).argmax()].item()!r}")
    integers: NDArray[np.int64] = rounded.astype(np.int64)
    return integers


def _refuse_missing(name: str, missing: NDArray[np.bool_], what: str) -> None:
    if missing.any():
        place = int(np.argmax(missing))
        raise ValueError(f"{name} must not hold missing labels, got {what} at position {place}")


def _check_objects(name: str, values: list[Any]) -> None:
    """Check that labels can be hashed and that none is missing."""
    try:
        distinct = set(values)
    except TypeError:
        bad = next(x for x in values if x.__class__.__hash__ is None)
        got = _validation.short(bad)
        raise TypeError(f"{name} must hold hashable labels, got {got}") from None
    for label in distinct:
        # NaN differs from itself; pandas.NA cannot even say so.
        equal = label == label
        if label is None or not isinstance(equal, (bool, np.bool_)) or not equal:
            missing = np.array([other is label for other in values])
            _refuse_missing(name, missing, _validation.short(label))
        if isinstance(label, (float, np.floating)) and not float(label).is_integer():
            raise ValueError(
                f"{name} must hold classes, got the fraction {float(label)!r}; "
                "compare probabilities or scores with a threshold first"
            )


def _encode(arrays: list[NDArray[Any]]) -> tuple[Codes, Classes]:
    """Return codes and the classes they stand for, some of which may not occur."""
    kinds = {array.dtype.kind for array in arrays}
    # numpy has no integer type for the largest unsigned and signed integers together.
    if kinds <= set("biu") and all(a.dtype.kind != "u" or a.max() < 2**63 for a in arrays):
        integers = np.stack([array.astype(np.int64) for array in arrays])
        low, kind = int(integers.min()), bool if kinds == {"b"} else int
        width = int(integers.max()) - low + 1
        if width <= _WIDEST_TABLE:
            integers -= low
            return integers, [kind(low + code) for code in range(width)]
        distinct, flat = np.unique(integers, return_inverse=True)
        return flat.reshape(integers.shape), distinct.tolist()
    values = [array.tolist() for array in arrays]
    classes = list(dict.fromkeys(chain.from_iterable(values)))
    with suppress(TypeError):
        classes = sorted(classes)
    place = {label: code for code, label in enumerate(classes)}.__getitem__
    return np.stack([np.fromiter(map(place, row), np.int64) for row in values]), classes


def _at(classes: Classes, where: NDArray[np.bool_]) -> Classes:
    return [classes[code] for code in np.flatnonzero(where).tolist()]


def _refuse_strangers(name: str, true: Classes, pred: Classes) -> None:
    """Refuse truth and predictions without a label in common, unless each is one class.

    A poor classifier may predict one class where all items are of another.
    """
    texts = [{_text(label) for label in classes} for classes in (true, pred)]
    alike = bool(texts[0] & texts[1])
    if alike or min(len(true), len(pred)) > 1:
        why = "the same labels in two types? convert one of them" if alike else "two codings?"
        raise ValueError(
            f"y_true and {name} share no label: {_validation.listing(true, 3)} against "
            f"{_validation.listing(pred, 3)}; {why}"
        )


def _text(label: Any) -> str:
    """Return what labels have in common that differ in type, case or blanks only."""
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    return text.strip().casefold().removesuffix(".0")


def _indicators(name: str, value: Any) -> NDArray[np.bool_]:
    if hasattr(value, "toarray"):  # scipy.sparse
        value = value.toarray()
    elif hasattr(value, "to_numpy"):  # pandas, polars
        value = value.to_numpy()
    try:
        array = np.asarray(value)
        numbers = array.astype(np.float64) if array.dtype == object else array
    except (TypeError, ValueError, OverflowError):
        got = _validation.short(value)
        raise ValueError(f"{name} must hold indicators 0 and 1, got {got}") from None
    legal = numbers.ndim == 2 and numbers.size > 0
    _validation.shaped(name, numbers, legal, "(items, classes)")
    if np.ma.getmaskarray(value).any():
        raise ValueError(f"{name} must not hold masked entries, got {_validation.short(value)}")
    if numbers.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold indicators 0 and 1, got {_validation.short(value)}")
    true: NDArray[np.bool_] = numbers == 1
    _validation.refuse(name, numbers, ~(true | (numbers == 0)), "hold indicators 0 and 1")
    return true
