"""Counts from labels: binary counts, confusion matrices, and items that are alike.

Every method of this package sees a test set through its counts only. `f1ci._labels` reads the
labels; the functions here count them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from f1ci import _labels, _validation
from f1ci._labels import Classes, Codes, Wanted
from f1ci.results import Array, BinaryCounts

# Labels per block: small enough for the cache, large enough to hide the loop's own cost.
_BLOCK = 1 << 16

# Codes that span no more than this many values are counted without sorting.
_WIDEST_TABLE = 1 << 10

# Up to so many classes a product with a full matrix is faster than one with a sparse matrix.
_FEW_CLASSES = 200


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
    named = {"y_true": y_true, "y_pred": y_pred}
    arrays = {name: _labels.labels(name, value) for name, value in named.items()}
    _validation.same_length(**arrays)
    _hashable(pos_label)
    true, pred = arrays.values()
    fast = {true.dtype.kind, pred.dtype.kind} <= set("bi") and not isinstance(pos_label, tuple)
    counts = _count_integers(true, pred, pos_label) if fast else None
    if counts is None:
        codes, _ = coded(arrays, True, pos_label, None)
        tn, fp, fn, tp = np.bincount(2 * codes[0] + codes[1], minlength=4).tolist()
        counts = BinaryCounts(tp, fp, fn, tn)
    return counts


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
    return confusion_matrix_and_classes(y_true, y_pred, labels=labels)[0]


def confusion_matrix_and_classes(
    y_true: Any, y_pred: Any, *, labels: Wanted = None
) -> tuple[Codes, Classes]:
    """Return `confusion_matrix`, and the class that each row and column stands for."""
    (true, pred), classes = _labels.encode({"y_true": y_true, "y_pred": y_pred}, wanted=labels)
    r = len(classes)
    _refuse_many_classes(r)
    return np.bincount(r * true + pred, minlength=r * r).reshape(r, r), classes


def indicator_counts(
    y_true: Any, y_pred: Any, labels: Wanted
) -> tuple[NDArray[np.float64], Classes]:
    """Return TP, FP and FN by item and class, shape (items, classes, 3), and the classes."""
    true, pred, names = _labels.indicators(y_true, y_pred, labels)
    return np.stack([true & pred, ~true & pred, true & ~pred], axis=-1).astype(np.float64), names


def group_codes(groups: Any, codes: NDArray[Any]) -> Codes:
    """Return the group of each item as 0, 1, ...; there are at least two groups."""
    encoded, names = _labels.encode({"groups": groups})
    grouped: Codes = encoded[0]
    _validation.same_length(y_true=codes[0], groups=grouped)
    _validation.at_least_two("groups", len(names))
    return grouped


def by_group(table: NDArray[np.float64], groups: Any) -> NDArray[np.float64]:
    """Return counts by item, shape (items, ...), summed by group."""
    codes = group_codes(groups, table[None, :, 0, 0])
    grouped = np.zeros((int(codes.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, codes, table)
    return grouped


def coded(
    arrays: Mapping[str, Any],
    binary: bool,
    pos_label: Hashable,
    labels: Wanted,
    others: bool = False,
) -> tuple[Codes, Classes]:
    """Return codes of shape (len(arrays), n) and the classes they stand for, two or many."""
    if binary:
        _hashable(pos_label)
        refuse_labels(labels)
    codes, classes = _labels.encode(arrays, wanted=labels, others=others)
    if binary:
        _check_two_classes(classes, pos_label)
        positive = classes.index(pos_label) if pos_label in classes else -1
        return (codes == positive).astype(np.int64), ["negative", "positive"]
    _refuse_many_classes(len(classes))
    _validation.at_least_two("classes", len(classes), "an average over classes")
    return codes, classes


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

    def times(self, x: Array) -> Array:
        """Sum over the predicted classes: the product of matrix and vectors."""
        return np.asarray(np.einsum("...ij,...j->...i", self.counts, x))

    def transposed_times(self, x: Array) -> Array:
        """Sum over the true classes."""
        return np.asarray(np.einsum("...ij,...i->...j", self.counts, x))

    def dense(self) -> Array:
        """Return the counts with all empty cells, shape (..., r, r)."""
        return self.counts


class SparseMatrix(Matrix):
    """One confusion matrix of `r` classes as a list of cells; a cell may occur more than once."""

    def __init__(self, true: Codes, predicted: Codes, counts: Array, r: int) -> None:
        same = true == predicted
        self.counts = counts
        self._rows, self._columns, self._same, self._r = true, predicted, same, r
        self.right: Array = np.bincount(true[same], counts[same], r).astype(np.float64)
        self.true: Array = np.bincount(true, counts, r).astype(np.float64)
        self.predicted: Array = np.bincount(predicted, counts, r).astype(np.float64)
        self.total = np.asarray(counts.sum())[()]

    @property
    def places(self) -> Codes:
        """Where each listed cell is in the dense matrix, row by row."""
        return np.asarray(self._rows * self._r + self._columns)

    def by_cell(self, right: Array, predicted: Array, true: Array) -> Array:  # noqa: D102
        values: Array = true[self._rows] + predicted[self._columns]
        values[self._same] += right[self._rows[self._same]]
        return values

    def at_cells(self, values: Array) -> Array:  # noqa: D102
        return np.asarray(values[self._rows, self._columns])

    def sum(self, values: Array) -> Array:  # noqa: D102
        return np.asarray((self.counts * values).sum())[()]

    def times(self, x: Array) -> Array:  # noqa: D102
        return self._product(self._operator, x)

    def transposed_times(self, x: Array) -> Array:  # noqa: D102
        return self._product(self._operator.T, x)

    def dense(self) -> Array:  # noqa: D102
        flat = np.bincount(self._rows * self._r + self._columns, self.counts, self._r**2)
        return flat.astype(np.float64).reshape(self._r, self._r)

    @cached_property
    def _operator(self) -> Any:
        if self._r <= _FEW_CLASSES:
            return self.dense()
        from scipy.sparse import coo_array  # slow to import

        shape = self._r, self._r
        return coo_array((self.counts, (self._rows, self._columns)), shape=shape).tocsr()

    def _product(self, operator: Any, x: Array) -> Array:
        return np.asarray((operator @ x.reshape(-1, self._r).T).T).reshape(x.shape)


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
    classes: Sequence[Hashable]

    def matrix(self, model: int = 0) -> Matrix:
        """Return the confusion matrix of a model; its cells are the rows, unless it is a batch."""
        r, (true, predicted) = len(self.classes), self.codes[[0, model + 1]]
        if self.counts.ndim == 1:
            return SparseMatrix(true, predicted, self.counts, r)
        cells = np.equal.outer(true * r + predicted, np.arange(r * r))
        return Matrix((self.counts @ cells).reshape(*self.counts.shape[:-1], r, r))

    def by_group(self) -> Array:
        """Return TP, FP and FN by group and class of one model, shape (groups, classes, 3)."""
        groups = np.zeros(len(self.counts), np.int64) if self.groups is None else self.groups
        true, predicted = self.codes
        table = np.zeros((groups.max() + 1, len(self.classes), 3))
        right, wrong = true == predicted, true != predicted
        for rows, of_class, kind in ((right, true, 0), (wrong, predicted, 1), (wrong, true, 2)):
            np.add.at(table, (groups[rows], of_class[rows], kind), self.counts[rows])
        return table

    def right_or_wrong(self) -> Items:
        """Return the items as members of one class, "right", that a model may miss."""
        codes = (self.codes == self.codes[0]).astype(np.int64)
        return group_items(codes, ("wrong", "right"), self.groups, self.counts)


def items_of(
    arrays: Mapping[str, Any],
    binary: bool,
    pos_label: Hashable,
    labels: Wanted,
    groups: Any,
    others: bool = False,
) -> Items:
    """Group items by their labels, and by their groups if there are any; see `coded`."""
    codes, classes = coded(arrays, binary, pos_label, labels, others)
    return group_items(codes, classes, None if groups is None else group_codes(groups, codes))


def group_items(
    codes: Codes, classes: Sequence[Hashable], groups: Codes | None = None, counts: Any = None
) -> Items:
    """Put items, or rows of so many items each, that are alike into one row; rows are in order."""
    rows = codes if groups is None else np.vstack([groups, codes])
    code = rows[0]
    for row in rows[1:]:
        # Renumbered at each step, so that any number of rows fits an integer.
        code = len(classes) * code + row
        if code.max() < max(len(code), _WIDEST_TABLE):
            code = (np.cumsum(np.bincount(code) > 0) - 1)[code]
        else:
            code = np.unique(code, return_inverse=True)[1]
    example = np.empty(code.max() + 1, dtype=np.intp)
    example[code] = np.arange(code.size)
    distinct, number = rows[:, example], np.bincount(code, weights=counts).astype(np.float64)
    if groups is None:
        return Items(distinct, number, None, classes)
    return Items(distinct[1:], number, distinct[0], classes)


def refuse_labels(labels: Any) -> None:
    """Only an average over classes asks for a list of them."""
    if labels is not None:
        raise ValueError(
            "labels goes with averages over classes, and pos_label with scores of two classes; "
            f"got labels={_validation.short(labels)}"
        )


def _check_two_classes(classes: Sequence[Any], pos_label: Any) -> None:
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


def _refuse_many_classes(classes: int) -> None:
    if classes > _labels.MOST_CLASSES:
        raise ValueError(
            f"at most {_labels.MOST_CLASSES} classes can be counted, got {classes}; are these "
            "identifiers rather than labels?"
        )


def _hashable(pos_label: Any) -> None:
    """Check that a value may be a label."""
    try:
        hash(pos_label)
    except TypeError:
        raise TypeError(f"pos_label must be hashable, got {_validation.short(pos_label)}") from None


def _count_integers(
    true: NDArray[Any], pred: NDArray[Any], positive: Hashable
) -> BinaryCounts | None:
    """Count in one pass; return None if the labels are not `positive` and one other."""
    n = len(true)
    tp = true_positives = pred_positives = 0
    other = None
    for start in range(0, n, _BLOCK):
        a, b = true[start : start + _BLOCK], pred[start : start + _BLOCK]
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
