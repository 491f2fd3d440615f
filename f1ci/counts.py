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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from f1ci import validation
from f1ci.results import BinaryCounts

__all__ = ["binary_counts", "confusion_matrix"]

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
    true, pred = _pair(y_true, y_pred)
    _hashable(pos_label)
    # Numpy would compare a tuple entry by entry.
    as_objects = true.dtype.kind == "O" or isinstance(pos_label, tuple)
    counts = None if as_objects else _binary_kernel(true, pred, pos_label)
    if counts is not None:
        return counts
    # Or the labels are not, as numpy compares, `pos_label` and one other.
    encode, classes = _encoder(true, pred)
    validation.two_classes(classes, pos_label)
    code = classes.index(pos_label) if pos_label in classes else -1
    a, b = encode(true) == code, encode(pred) == code
    tp, fp, fn = (int(np.count_nonzero(cell)) for cell in (a & b, ~a & b, a & ~b))
    return BinaryCounts(tp, fp, fn, len(a) - tp - fp - fn)


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Sequence[Hashable] | None = None
) -> NDArray[np.int64]:
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
    y_true: Any, y_pred: Any, *, labels: Sequence[Hashable] | None = None
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """`confusion_matrix`, and the class that each row and column stands for."""
    true, pred = _pair(y_true, y_pred)
    if labels is None and (counted := _count_small_integers(true, pred)):
        return counted
    encode, classes = _encoder(true, pred)
    if labels is None:
        order = list(range(len(classes)))
    else:
        order, classes = _requested_order(labels, classes)
    width = len(classes)
    _refuse_scores(width)
    position = np.asarray(order, dtype=np.int64)
    flat = np.zeros(width * width, dtype=np.int64)
    for a, b in _blocks(true, pred):
        flat += np.bincount(position[encode(a)] * width + position[encode(b)], minlength=flat.size)
    return flat.reshape(width, width), classes


def confusion_classes(y_true: Any, y_pred: Any) -> list[Hashable]:
    """The distinct labels of both sequences, in `confusion_matrix`'s default order."""
    return _encoder(*_pair(y_true, y_pred))[1]


def encode(
    arrays: Mapping[str, Any], *, labels: Sequence[Hashable] | None = None
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Several label sequences as positions in one list of classes, shape (len(arrays), n)."""
    checked = {name: validation.labels(name, array) for name, array in arrays.items()}
    validation.same_length(**checked)
    joined = np.concatenate(_comparable(*checked.values()))
    to_codes, classes = _encoder(joined, joined[:0])
    codes = to_codes(joined)
    if labels is not None:
        order, classes = _requested_order(labels, classes)
        codes = np.asarray(order, dtype=np.int64)[codes]
    table: NDArray[np.int64] = codes.reshape(len(checked), -1)
    return table, classes


def encode_binary(arrays: Mapping[str, Any], *, pos_label: Hashable = 1) -> NDArray[np.int64]:
    """Several sequences of at most two labels as 1 (positive) and 0, shape (len(arrays), n)."""
    _hashable(pos_label)
    codes, classes = encode(arrays)
    validation.two_classes(classes, pos_label)
    positive = classes.index(pos_label) if pos_label in classes else -1
    flags: NDArray[np.int64] = (codes == positive).astype(np.int64)
    return flags


def group_codes(groups: Any, codes: NDArray[Any]) -> NDArray[np.int64]:
    """The cluster of each item, as 0, 1, ...; there are at least two."""
    encoded, names = encode({"groups": groups})
    grouped: NDArray[np.int64] = encoded[0]
    validation.same_length(y_true=codes[0], groups=grouped)
    validation.at_least_two("groups", len(names))
    return grouped


def by_group(table: NDArray[np.float64], groups: Any) -> NDArray[np.float64]:
    """Counts by item, shape (items, ...), summed by group."""
    codes = group_codes(groups, table[None, :, 0, 0])
    grouped = np.zeros((int(codes.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, codes, table)
    return grouped


def coded(
    arrays: Mapping[str, Any],
    binary: bool,
    pos_label: Hashable,
    labels: Sequence[Hashable] | None,
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Codes of shape (len(arrays), n) and the classes they stand for, of two or of many."""
    if binary:
        if labels is not None:
            raise ValueError(
                "labels goes with metrics for many classes, and pos_label with those for two; got "
                f"labels={validation.short(labels)}"
            )
        return encode_binary(arrays, pos_label=pos_label), ["negative", "positive"]
    codes, classes = encode(arrays, labels=labels)
    _refuse_scores(len(classes))
    validation.at_least_two("classes", len(classes), "an average over classes")
    return codes, classes


def table_of(true: NDArray[np.int64], predicted: NDArray[np.int64], r: int) -> NDArray[np.float64]:
    """The confusion matrix of codes below r."""
    return np.bincount(true * r + predicted, minlength=r * r).reshape(r, r).astype(np.float64)


def _refuse_scores(classes: int) -> None:
    if classes > _MOST_CLASSES:
        raise ValueError(
            f"at most {_MOST_CLASSES} classes can be counted, got {classes}; are these scores "
            "rather than labels?"
        )


def _pair(y_true: Any, y_pred: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Validated labels as arrays whose entries can be compared with one another."""
    true = validation.labels("y_true", y_true)
    pred = validation.labels("y_pred", y_pred)
    validation.same_length(y_true=true, y_pred=pred)
    true, pred = _comparable(true, pred)
    return true, pred


def _hashable(pos_label: Any) -> None:
    """A value that may be a label."""
    try:
        hash(pos_label)
    except TypeError:
        raise TypeError(f"pos_label must be hashable, got {validation.short(pos_label)}") from None


def _comparable(*arrays: NDArray[Any]) -> Sequence[NDArray[Any]]:
    """The same labels, as Python objects if numpy would not tell apart what Python does."""
    kinds = {array.dtype.kind for array in arrays}
    if len(kinds) == 1 or (
        kinds <= set("biuf")
        # Together with other numbers, integers may have to become floats.
        and all(a.dtype.kind == "f" or -(2**53) <= a.min() <= a.max() <= 2**53 for a in arrays)
    ):
        return arrays
    return [array.astype(object) for array in arrays]


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


def _count_small_integers(
    true: NDArray[Any], pred: NDArray[Any]
) -> tuple[NDArray[np.int64], list[Hashable]] | None:
    """Count integer labels through a table over their range; None if the range is wide."""
    span = _integer_span(true, pred)
    if span is None:
        return None
    low, width = span
    flat = np.zeros(width * width, dtype=np.int64)
    for a, b in _blocks(true, pred):
        pairs = _offsets(a, low) * width + _offsets(b, low)
        flat += np.bincount(pairs, minlength=flat.size)
    table = flat.reshape(width, width)
    present = np.logical_or(table.any(axis=0), table.any(axis=1))
    return table[present][:, present], _values(true, pred, low, present)


def _integer_span(true: NDArray[Any], pred: NDArray[Any]) -> tuple[int, int] | None:
    """The smallest integer label and how many values there are up to the largest, if few."""
    arrays = [array for array in (true, pred) if array.size]
    if any(array.dtype.kind not in "biu" for array in arrays):
        return None
    low = min(int(array.min()) for array in arrays)
    width = max(int(array.max()) for array in arrays) - low + 1
    # Unsigned integers from 2**63 on have no place in the arithmetic of the table.
    return (low, width) if width <= _WIDEST_TABLE and low < 2**63 else None


def _offsets(block: NDArray[Any], low: int) -> NDArray[np.int64]:
    """How far each label is above the smallest."""
    return block.astype(np.int64) - low


def _values(
    true: NDArray[Any], pred: NDArray[Any], low: int, present: NDArray[np.bool_]
) -> list[Hashable]:
    """The labels that a table over their range says are present."""
    kind = bool if true.dtype.kind == pred.dtype.kind == "b" else int
    return [kind(low + code) for code in np.flatnonzero(present)]


def _encoder(
    true: NDArray[Any], pred: NDArray[Any]
) -> tuple[Callable[[NDArray[Any]], NDArray[np.int64]], list[Hashable]]:
    """A function from labels to positions in the list of classes, and that list."""
    if true.dtype.kind == "O":
        classes = _sorted_if_possible(dict.fromkeys([*true.tolist(), *pred.tolist()]))
        codes = {label: code for code, label in enumerate(classes)}
        return (
            lambda block: np.fromiter((codes[x] for x in block.tolist()), np.int64, len(block)),
            classes,
        )
    if span := _integer_span(true, pred):
        low, width = span
        present = np.zeros(width, dtype=bool)
        for pair in _blocks(true, pred):
            for block in pair:
                present[_offsets(block, low)] = True
        position = np.cumsum(present) - 1
        return lambda block: position[_offsets(block, low)], _values(true, pred, low, present)
    parts = [np.unique(block) for pair in _blocks(true, pred) for block in pair]
    distinct = np.unique(np.concatenate(parts))
    return lambda block: np.searchsorted(distinct, block), distinct.tolist()


def _sorted_if_possible(classes: dict[Hashable, None]) -> list[Hashable]:
    try:
        return sorted(classes)  # type: ignore[type-var]
    except TypeError:
        return list(classes)


def _requested_order(
    labels: Sequence[Hashable], seen: list[Hashable]
) -> tuple[list[int], list[Hashable]]:
    """For each class that occurs its place in `labels`, and `labels` as a list."""
    wanted = validation.labels("labels", labels).tolist()
    validation.distinct("labels", wanted)
    places = {label: place for place, label in enumerate(wanted)}
    validation.among_labels(seen, wanted)
    return [places[label] for label in seen], wanted
