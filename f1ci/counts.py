"""From labels to counts: binary counts and confusion matrices.

A test set enters every method of this package only through its counts, and
counting is where the time goes when one starts from labels. So both functions
walk over the labels once, block by block: memory use is bounded whatever their
number, and a memory map works as well as an array.

Labels may be of any hashable kind; two labels are the same if Python says that
they are equal. Missing labels (``None``, NaN, ``pandas.NA``) are refused rather
than counted as a class.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.results import BinaryCounts

Codes: TypeAlias = NDArray[np.int64]
Classes: TypeAlias = list[Hashable]
Wanted: TypeAlias = Sequence[Hashable] | None

# Labels per block: small enough for the cache, large enough to hide the loop's own cost.
_BLOCK = 1 << 16

# A matrix of more classes than this does not fit in memory.
_MOST_CLASSES = 10_000

# Integer labels that span no more than this many values are counted without sorting.
_WIDEST_TABLE = 1 << 10


def binary_counts(y_true: Any, y_pred: Any, *, pos_label: Hashable = 1) -> BinaryCounts:
    """Count true and false positives and negatives.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels, of any hashable kind, at most two distinct ones.
    pos_label : hashable, default 1
        The label that counts as positive.

    Returns
    -------
    BinaryCounts
        The named tuple ``(tp, fp, fn, tn)`` of Python integers.

    Raises
    ------
    ValueError
        If there are more than two classes, if `pos_label` is not one of two, or
        if the labels are empty, missing or of unequal number.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.binary_counts([1, 1, 0, 0, 1], [1, 0, 0, 1, 1])
    BinaryCounts(tp=2, fp=1, fn=1, tn=1)
    >>> f1ci.binary_counts(["spam", "ham"], ["spam", "spam"], pos_label="spam")
    BinaryCounts(tp=1, fp=1, fn=0, tn=0)
    """
    arrays = {"y_true": y_true, "y_pred": y_pred}
    true, pred = _comparable(arrays)
    _hashable(pos_label)
    # Numpy would compare a tuple entry by entry.
    as_objects = true.dtype.kind == "O" or isinstance(pos_label, tuple)
    counts = None if as_objects else _binary_kernel(true, pred, pos_label)
    if counts is not None:
        return counts
    # Or the labels are not, as numpy compares, `pos_label` and one other.
    (true, pred), _ = coded(arrays, True, pos_label, None)
    tn, fp, fn, tp = np.bincount(2 * true + pred, minlength=4).tolist()
    return BinaryCounts(tp, fp, fn, tn)


def confusion_matrix(y_true: Any, y_pred: Any, *, labels: Wanted = None) -> NDArray[np.int64]:
    """Count how often each class was predicted as each class.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels, of any hashable kind.
    labels : sequence, optional
        The classes in the order of the rows. By default those that occur, sorted;
        or, if they cannot be sorted, in order of first appearance.

    Returns
    -------
    ndarray of int, shape (r, r)
        Rows are true classes, columns predicted ones: scikit-learn's orientation.
        (Takahashi et al. print predicted classes in rows: transpose theirs.)

    Raises
    ------
    ValueError
        If a label is not in `labels`, or if labels are empty, missing or of
        unequal number.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.confusion_matrix(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    array([[1, 0, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    return confusion_matrix_and_classes(y_true, y_pred, labels=labels)[0]


def confusion_matrix_and_classes(
    y_true: Any, y_pred: Any, *, labels: Wanted = None
) -> tuple[Codes, Classes]:
    """`confusion_matrix`, and the class that each row and column stands for."""
    true, pred = _comparable({"y_true": y_true, "y_pred": y_pred})
    to_codes, classes = _encoder(true, pred)
    width = len(classes)
    _refuse_scores(width)
    flat = np.zeros(width * width, dtype=np.int64)
    for a, b in _blocks(true, pred):
        flat += np.bincount(to_codes(a) * width + to_codes(b), minlength=flat.size)
    table = flat.reshape(width, width)
    present = np.flatnonzero(table.any(axis=0) | table.any(axis=1))
    if labels is None and len(present) == width:
        return table, classes
    places, classes = _ordered(present, classes, labels)
    ordered = np.zeros((len(classes), len(classes)), dtype=np.int64)
    ordered[np.ix_(places, places)] = table[np.ix_(present, present)]
    return ordered, classes


def encode(arrays: Mapping[str, Any], *, labels: Wanted = None) -> tuple[Codes, Classes]:
    """Several label sequences as positions in one list of classes, shape (len(arrays), n)."""
    comparable = _comparable(arrays)
    to_codes, classes = _encoder(*comparable)
    codes = np.stack([to_codes(array) for array in comparable])
    place = np.zeros(len(classes), dtype=np.int64)
    present = np.flatnonzero(np.bincount(codes.ravel(), minlength=len(classes)))
    place[present], classes = _ordered(present, classes, labels)
    return place[codes], classes


def group_codes(groups: Any, codes: NDArray[Any]) -> Codes:
    """The cluster of each item, as 0, 1, ...; there are at least two."""
    encoded, names = encode({"groups": groups})
    grouped: Codes = encoded[0]
    _validation.same_length(y_true=codes[0], groups=grouped)
    _validation.at_least_two("groups", len(names))
    return grouped


def by_group(table: NDArray[np.float64], groups: Any) -> NDArray[np.float64]:
    """Counts by item, shape (items, ...), summed by group."""
    codes = group_codes(groups, table[None, :, 0, 0])
    grouped = np.zeros((int(codes.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, codes, table)
    return grouped


def coded(
    arrays: Mapping[str, Any], binary: bool, pos_label: Hashable, labels: Wanted
) -> tuple[Codes, Classes]:
    """Codes of shape (len(arrays), n) and the classes they stand for, of two or of many."""
    if binary:
        _hashable(pos_label)
        refuse_labels(labels)
    codes, classes = encode(arrays, labels=labels)
    if binary:
        _two_classes(classes, pos_label)
        positive = classes.index(pos_label) if pos_label in classes else -1
        return (codes == positive).astype(np.int64), ["negative", "positive"]
    _refuse_scores(len(classes))
    _validation.at_least_two("classes", len(classes), "an average over classes")
    return codes, classes


class Items(NamedTuple):
    """Items by kind: their truth, predictions and group are all that a method asks of them."""

    codes: Codes  # truth and the predictions of each model, shape (1 + models, kinds)
    counts: NDArray[np.float64]  # how many items are of each kind
    groups: Codes | None  # the group of each kind, 0, 1, ...
    classes: Sequence[Hashable]  # what the codes stand for

    def tables(self) -> NDArray[np.float64]:
        """The confusion matrix of each model, shape (models, r, r)."""
        r = len(self.classes)
        flat = self.codes[0] * r + self.codes[1:]
        each = [np.bincount(f, weights=self.counts, minlength=r * r) for f in flat]
        return np.stack(each).astype(np.float64).reshape(len(each), r, r)


def items_of(
    arrays: Mapping[str, Any], binary: bool, pos_label: Hashable, labels: Wanted, groups: Any
) -> Items:
    """Labels of items, and their groups if there are any, as kinds; see `coded`."""
    codes, classes = coded(arrays, binary, pos_label, labels)
    return group_items(codes, classes, None if groups is None else group_codes(groups, codes))


def group_items(
    codes: Codes, classes: Sequence[Hashable], groups: Codes | None = None, items: Any = None
) -> Items:
    """Codes of items, or of so many items each, as distinct kinds in order."""
    rows = codes if groups is None else np.vstack([groups, codes])
    distinct, kind = distinct_columns(rows, len(classes))
    number = np.bincount(kind, weights=items).astype(np.float64)
    if groups is None:
        return Items(distinct, number, None, classes)
    return Items(distinct[1:], number, distinct[0], classes)


def distinct_columns(codes: Codes, r: int) -> tuple[Codes, Codes]:
    """The columns that differ, in order, and which of them each column is.

    Codes are below r, except those of the first row.
    """
    code = codes[0]
    for row in codes[1:]:
        # Renumbered at each step, so that any number of rows fits an integer.
        code = r * code + row
        if code.max() < max(len(code), _WIDEST_TABLE):
            code = (np.cumsum(np.bincount(code) > 0) - 1)[code]
        else:
            code = np.unique(code, return_inverse=True)[1]
    example = np.empty(code.max() + 1, dtype=np.intp)
    example[code] = np.arange(code.size)
    return codes[:, example], code


def refuse_labels(labels: Any) -> None:
    """Only an average over classes asks for a list of them."""
    if labels is not None:
        raise ValueError(
            "labels goes with averages over classes, and pos_label with scores of two classes; "
            f"got labels={_validation.short(labels)}"
        )


def _two_classes(classes: Sequence[Any], pos_label: Any) -> None:
    """The classes of a binary problem: `pos_label` and at most one other, or just one."""
    shown = _validation.listing(classes)
    if len(classes) > 2:
        raise ValueError(
            f"a binary score needs at most two classes, got {len(classes)}: {shown}; averages over "
            "classes, such as macro_f1, take any number, and so does micro_f1, their accuracy"
        )
    if len(classes) > 1 and pos_label not in classes:
        got = _validation.short(pos_label)
        raise ValueError(f"pos_label must be one of the labels {shown}, got {got}")


def _refuse_scores(classes: int) -> None:
    if classes > _MOST_CLASSES:
        raise ValueError(
            f"at most {_MOST_CLASSES} classes can be counted, got {classes}; are these scores "
            "rather than labels?"
        )


def _comparable(named: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Validated labels as arrays whose entries can be compared with one another."""
    arrays = {name: _validation.labels(name, array) for name, array in named.items()}
    _validation.same_length(**arrays)
    kinds = {array.dtype.kind for array in arrays.values()}
    # Numpy would not tell apart what Python does: together with other numbers, integers may
    # have to become floats.
    mixed = len(kinds) > 1 and not (
        kinds <= set("biuf")
        and all(
            array.dtype.kind == "f" or -(2**53) <= array.min() <= array.max() <= 2**53
            for array in arrays.values()
        )
    )
    return [array.astype(object) if mixed else array for array in arrays.values()]


def _hashable(pos_label: Any) -> None:
    """A value that may be a label."""
    try:
        hash(pos_label)
    except TypeError:
        raise TypeError(f"pos_label must be hashable, got {_validation.short(pos_label)}") from None


def _blocks(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    for start in range(0, len(arrays[0]), _BLOCK):
        yield tuple(array[start : start + _BLOCK] for array in arrays)


def _binary_kernel(
    true: NDArray[Any], pred: NDArray[Any], positive: Hashable
) -> BinaryCounts | None:
    """Counts in one pass; None if the labels are not `positive` and one other."""
    n = len(true)
    tp = true_positives = pred_positives = 0
    other = None
    for a, b in _blocks(true, pred):
        a_positive, b_positive = a == positive, b == positive
        a_count, b_count = int(np.count_nonzero(a_positive)), int(np.count_nonzero(b_positive))
        tp += int(np.count_nonzero(a_positive & b_positive))
        true_positives += a_count
        pred_positives += b_count
        for block, flags, count in ((a, a_positive, a_count), (b, b_positive, b_count)):
            negatives = len(block) - count
            if negatives:
                if other is None:
                    other = block[np.argmin(flags)]
                if np.count_nonzero(block == other) != negatives:
                    return None
    fp, fn = pred_positives - tp, true_positives - tp
    return BinaryCounts(tp, fp, fn, n - tp - fp - fn)


def _encoder(*arrays: NDArray[Any]) -> tuple[Callable[[NDArray[Any]], Codes], Classes]:
    """A function from labels to positions in a list of classes, and that list.

    Some of the classes may not occur.
    """
    if arrays[0].dtype.kind == "O":
        classes = list(dict.fromkeys(label for array in arrays for label in array.tolist()))
        with suppress(TypeError):
            classes = sorted(classes)
        codes = {label: code for code, label in enumerate(classes)}
        place = codes.__getitem__
        return lambda block: np.fromiter(map(place, block.tolist()), np.int64), classes
    kinds = {array.dtype.kind for array in arrays}
    if kinds <= set("biu"):
        low = min(int(array.min()) for array in arrays)
        width = max(int(array.max()) for array in arrays) - low + 1
        # Unsigned integers from 2**63 on have no place in the arithmetic of a table.
        if width <= _WIDEST_TABLE and low < 2**63:
            kind = bool if kinds == {"b"} else int
            classes = [kind(low + code) for code in range(width)]
            return lambda block: block.astype(np.int64) - low, classes
    parts = [np.unique(block) for blocks in _blocks(*arrays) for block in blocks]
    distinct = np.unique(np.concatenate(parts))
    return lambda block: np.searchsorted(distinct, block), distinct.tolist()


def _ordered(present: Codes, classes: Classes, labels: Wanted) -> tuple[Codes, Classes]:
    """The place of each class that occurs among those that are wanted, and the latter."""
    seen = [classes[code] for code in present]
    if labels is None:
        return np.arange(len(seen)), seen
    wanted = _validation.labels("labels", labels).tolist()
    _validation.distinct("labels", wanted)
    _refuse_scores(len(wanted))
    places = {label: place for place, label in enumerate(wanted)}
    for label in seen:
        if label not in places:
            listed, got = _validation.listing(wanted), _validation.short(label)
            raise ValueError(
                f"y_true and y_pred must hold only the given labels {listed}, got {got}"
            )
    return np.array([places[label] for label in seen], dtype=np.int64), wanted
