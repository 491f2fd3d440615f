"""Counts from labels: binary counts, confusion matrices, and items that are alike.

Every method of this package sees a test set through its counts only. `f1ci._labels` reads the
labels; the functions here count them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from f1ci import _labels, _validation
from f1ci._labels import Codes
from f1ci.results import Array, BinaryCounts, Classes, Labels

_BLOCK = 1 << 17  # labels at a time


def binary_counts(y_true: Labels, y_pred: Labels, *, pos_label: Hashable = 1) -> BinaryCounts:
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
        If there are more than two classes, if `pos_label` is not one of two, if truth and
        predictions share no label, or if labels are empty, missing or of unequal number.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.binary_counts([1, 1, 0, 0, 1], [1, 0, 0, 1, 1])
    BinaryCounts(tp=2, fp=1, fn=1, tn=1)
    >>> f1ci.binary_counts(["spam", "ham"], ["spam", "spam"], pos_label="spam")
    BinaryCounts(tp=1, fp=1, fn=0, tn=0)
    """
    items = items_of({"y_true": y_true, "y_pred": y_pred}, True, pos_label, None, None)
    tn, fp, fn, tp = items.matrix().dense().astype(np.int64).ravel().tolist()
    return BinaryCounts(tp, fp, fn, tn)


def _counts_of_integers(true: Any, pred: Any, pos_label: Hashable) -> list[int] | None:
    """Count arrays of two integers without coding them; return None for any other labels."""
    for x in (true, pred):
        if type(x) not in (np.ndarray, np.memmap) or x.dtype.kind not in "bi" or x.ndim != 1:
            return None
    if not isinstance(pos_label, int) or not true.size or true.shape != pred.shape:
        return None
    # Blocks stay in the processor's cache, and labels in a file need not fit in memory.
    starts, sums = range(0, true.size, _BLOCK), np.zeros(5, np.int64)
    blocks = [(true[k : k + _BLOCK], pred[k : k + _BLOCK]) for k in starts]
    firsts = (t[np.argmin(t == pos_label)] for t, _ in blocks)
    other = next((label for label in firsts if label != pos_label), pos_label)
    for t, p in blocks:
        a, b = t == pos_label, p == pos_label
        sums += [np.count_nonzero(x) for x in (a & b, a, b, t == other, p == other)]
    tp, of_true, of_pred, not_true, not_pred = sums.tolist()
    if not of_true or {of_true + not_true, of_pred + not_pred} != {true.size}:
        return None
    return [not_true - of_pred + tp, of_pred - tp, of_true - tp, tp]


def confusion_matrix(
    y_true: Labels, y_pred: Labels, *, labels: Classes | None = None
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
        If a label is not in `labels`, if truth and predictions share no label, or if labels are
        empty, missing or of unequal number.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.confusion_matrix(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    array([[1, 0, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    (true, pred), classes = _labels.encode({"y_true": y_true, "y_pred": y_pred}, wanted=labels)
    r = len(classes)
    return np.bincount(r * true + pred, minlength=r * r).reshape(r, r)


def by_group(table: Array, groups: Labels) -> Array:
    """Return counts by item, shape (items, ...), summed by group."""
    codes = _group_codes(groups, len(table))
    grouped = np.zeros((int(codes.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, codes, table)
    return grouped


class Matrix:
    """A confusion matrix, or a batch of them: counts of shape (..., r, r), rows are true classes.

    Attributes
    ----------
    counts : ndarray
        The counts, cell by cell.
    right, true, predicted : ndarray, shape (..., r)
        By class: items that are right, that truly belong to it, and that are predicted as it.
    total : ndarray, shape (...)
        All items.
    """

    def __init__(self, counts: Array) -> None:
        if counts.ndim > 2:
            # A batch lies innermost in memory. Sums over a few classes are twice as fast then.
            by_class = np.ascontiguousarray(np.moveaxis(counts, (-2, -1), (0, 1)))
            counts = np.moveaxis(by_class, (0, 1), (-2, -1))
        self.counts: Array = counts
        self.right: Array = np.diagonal(counts, axis1=-2, axis2=-1)
        self.true: Array = counts.sum(axis=-1)
        self.predicted: Array = counts.sum(axis=-2)
        self.total: Array = self.true.sum(axis=-1)

    def by_cell(self, right: Array, predicted: Array, true: Array) -> Array:
        """Add up, for each cell, a number of its predicted and of its true class.

        A cell of right items gets the first number of its class as well.
        """
        values: Array = true[..., :, None] + predicted[..., None, :]
        diagonal = np.arange(values.shape[-1])
        values[..., diagonal, diagonal] += right
        return values

    def at_cells(self, values: Array) -> Array:
        """Return the entries of (..., r, r) that belong to the cells."""
        return values

    def sum(self, values: Array) -> Array:
        """Add up one number by cell over all items."""
        return np.asarray(np.einsum("...ij,...ij->...", self.counts, values))

    def dense(self) -> Array:
        """Return the counts with all empty cells, shape (..., r, r)."""
        return self.counts


class SparseMatrix(Matrix):
    """One confusion matrix of `r` classes as a list of cells; a cell may occur more than once."""

    def __init__(self, true: Codes, predicted: Codes, counts: Array, r: int) -> None:
        same = true == predicted
        self.counts = counts
        self._rows, self._columns, self._same, self._r = true, predicted, same, r
        # Where each listed cell is in the dense matrix, row by row.
        self.places: Codes = true * r + predicted
        self.right: Array = np.bincount(true[same], counts[same], r).astype(np.float64)
        self.true: Array = np.bincount(true, counts, r).astype(np.float64)
        self.predicted: Array = np.bincount(predicted, counts, r).astype(np.float64)
        self.total = np.asarray(counts.sum())[()]

    def by_cell(self, right: Array, predicted: Array, true: Array) -> Array:  # noqa: D102
        values: Array = true[self._rows] + predicted[self._columns]
        values[self._same] += right[self._rows[self._same]]
        return values

    def at_cells(self, values: Array) -> Array:  # noqa: D102
        return np.asarray(values[self._rows, self._columns])

    def sum(self, values: Array) -> Array:  # noqa: D102
        return np.asarray((self.counts * values).sum())[()]

    def dense(self) -> Array:  # noqa: D102
        flat = np.bincount(self.places, self.counts, self._r**2).astype(np.float64)
        return flat.reshape(self._r, self._r)


class Items(NamedTuple):
    """Items of a test set, counted by true class, predicted classes and group.

    Attributes
    ----------
    codes : ndarray of int, shape (1 + models, rows)
        The true class and the classes that the models predict.
    counts : ndarray, shape (rows,) or, for a batch of test sets, (..., rows)
        How many items are so.
    groups : ndarray of int or None
        The group of each row, as 0, 1, ...
    classes : sequence
        The classes that the codes stand for.
    """

    codes: Codes
    counts: Array
    groups: Codes | None
    classes: Classes

    def matrix(self, model: int = 0) -> Matrix:
        """Return the confusion matrix of a model; its cells are the rows, unless it is a batch."""
        r, (true, predicted) = len(self.classes), self.codes[[0, model + 1]]
        if self.counts.ndim == 1:
            return SparseMatrix(true, predicted, self.counts, r)
        cells = np.equal.outer(true * r + predicted, np.arange(r * r))
        return Matrix((self.counts @ cells).reshape(*self.counts.shape[:-1], r, r))

    def by_group(self, model: int = 0) -> Array:
        """Return TP, FP and FN by group and class of a model, shape (groups, classes, 3)."""
        groups = np.zeros(len(self.counts), np.int64) if self.groups is None else self.groups
        r = len(self.classes)
        true, predicted = groups * r + self.codes[[0, model + 1]]
        wrong = true != predicted
        cells = np.concatenate([3 * true + 2 * wrong, 3 * predicted[wrong] + 1])
        number = np.concatenate([self.counts, self.counts[wrong]])
        table = np.bincount(cells, number, 3 * r * (groups.max() + 1)).astype(np.float64)
        return table.reshape(-1, r, 3)

    def right_or_wrong(self) -> Items:
        """Return the items as members of one class, "right", that a model may miss."""
        codes = (self.codes == self.codes[0]).astype(np.int64)
        return group_items(codes, ("wrong", "right"), self.groups, self.counts)


def items_of(
    arrays: Mapping[str, Labels],
    binary: bool,
    pos_label: Hashable,
    labels: Classes | None,
    groups: Labels | None,
    others: bool = False,
) -> Items:
    """Group items by their labels, and by their groups if there are any."""
    if binary and len(arrays) == 2 and groups is None and labels is None:
        true, pred = arrays.values()
        counts = _counts_of_integers(true, pred, pos_label)
        if counts is not None:
            codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
            return Items(codes, np.array(counts, dtype=np.float64), None, ["negative", "positive"])
    if binary:
        codes, classes = _binary_codes(arrays, pos_label, labels)
    else:
        codes, classes = _labels.encode(arrays, wanted=labels, others=others)
        _validation.at_least_two("classes", len(classes), "an average over classes")
    of_items = None if groups is None else _group_codes(groups, codes.shape[1])
    return group_items(codes, classes, of_items)


def group_items(
    codes: Codes, classes: Classes, groups: Codes | None = None, counts: Array | None = None
) -> Items:
    """Put items, or rows of so many items each, that are alike into one row; rows are in order."""
    rows = codes if groups is None else np.vstack([groups, codes])
    code = rows[0]
    for row in rows[1:]:
        code = len(classes) * code + row
        # Large numbers are renumbered, so that any number of rows fits an integer.
        if code.max() > 2 * len(code):
            code = np.unique(code, return_inverse=True)[1]
    code = (np.cumsum(np.bincount(code) > 0) - 1)[code]
    example = np.empty(code.max() + 1, dtype=np.intp)
    example[code] = np.arange(code.size)
    distinct, number = rows[:, example], np.bincount(code, weights=counts).astype(np.float64)
    distinct_groups = None if groups is None else distinct[0]
    return Items(distinct[-len(codes) :], number, distinct_groups, classes)


def _binary_codes(
    arrays: Mapping[str, Labels], pos_label: Hashable, labels: Classes | None
) -> tuple[Codes, Classes]:
    """Return codes of shape (len(arrays), n), 1 for the positive label, and what they stand for."""
    if getattr(pos_label, "__hash__", None) is None:
        raise TypeError(f"pos_label must be hashable, got {_validation.short(pos_label)}")
    if labels is not None:
        got = _validation.short(labels)
        raise ValueError(f"labels goes with averages over classes, not with pos_label, got {got}")
    codes, classes = _labels.encode(arrays)
    if len(classes) > 2:
        got = f"got {len(classes)}: {_validation.listing(classes)}"
        more = "averages over classes, such as macro_f1 and micro_f1, take any number"
        raise ValueError(f"a binary score needs at most two classes, {got}; {more}")
    if len(classes) > 1 and pos_label not in classes:
        got = f"{_validation.listing(classes)}, got {_validation.short(pos_label)}"
        raise ValueError(f"pos_label must be one of the labels {got}")
    positive = classes.index(pos_label) if pos_label in classes else -1
    return (codes == positive).astype(np.int64), ["negative", "positive"]


def _group_codes(groups: Labels, items: int) -> Codes:
    """Return the group of each item as 0, 1, ...; there are at least two groups."""
    (codes,), names = _labels.encode({"groups": groups}, n=items)
    _validation.at_least_two("groups", len(names))
    return np.asarray(codes)
