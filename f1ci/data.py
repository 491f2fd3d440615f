"""Data of any origin become `Items`, `Matrix` or `UnitCounts`; everything else asks these.

`Items` are labels of one or several models, counted. A `Matrix` is a confusion matrix, or a batch
of them. `UnitCounts` are TP, FP and FN of documents or of multilabel items. `f1ci._labels` reads
labels and indicators. Arrays have cells, classes or rows first, and a batch of data sets last.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _labels, _validation
from f1ci._labels import Codes
from f1ci.results import Array, BinaryCounts, Classes, Labels

# Matrices of up to so many classes list all their cells, larger ones the cells with items.
ALL_CELLS = 30

# Matrices by stratum of more cells than this list the cells with items.
MOST_STRATIFIED_CELLS = 1 << 16


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
    items = binary_items({"y_true": y_true, "y_pred": y_pred}, pos_label)
    tn, fp, fn, tp = items.matrix().dense().astype(np.int64).ravel().tolist()
    return BinaryCounts(tp, fp, fn, tn)


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
    cells = (r * true + pred).astype(np.intp)
    return np.bincount(cells, minlength=r * r).reshape(r, r)


# Confusion matrices.


class Cells:
    """Some cells of confusion matrices of `r` classes. A cell may be listed more than once.

    Attributes
    ----------
    r : int
        The number of classes.
    true, predicted : ndarray of int, shape (K,)
        The true and the predicted class of each cell.
    stratum : ndarray of int, shape (K,)
        The stratum of each cell; by default its true class.
    stratified : bool
        The strata are not the true classes: each stratum lists cells of its own.
    """

    def __init__(self, r: int, true: Codes, predicted: Codes, stratum: Codes | None = None) -> None:
        self.r = r
        self.true = true
        self.predicted = predicted
        self.stratum = true if stratum is None else stratum
        self.stratified = stratum is not None

    @classmethod
    def at(cls, places: Codes, r: int) -> Cells:
        """Return the cells of strata at places: stratum times r squared, plus that in a matrix."""
        stratum, place = np.divmod(places, r * r)
        return cls(r, *np.divmod(place, r), stratum)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Tell for each cell if its items are right."""
        return np.asarray(self.true == self.predicted)

    @cached_property
    def places(self) -> Codes:
        """The place of each cell in a matrix, row by row."""
        return np.asarray(self.true * self.r + self.predicted)

    @cached_property
    def complete(self) -> bool:
        """True if all cells are listed, row by row."""
        every = self.r * self.r
        return len(self.true) == every and np.array_equal(self.places, np.arange(every))

    @cached_property
    def _sums(self) -> Any:
        """The sparse matrix of 0 and 1 that sums cells: right, predicted and true by class."""
        from scipy.sparse import csr_array  # slow to import

        cells = np.arange(len(self.true))
        rows = np.concatenate(
            [self.true[self.right], self.r + self.predicted, 2 * self.r + self.true]
        )
        columns = np.concatenate([cells[self.right], cells, cells])
        return csr_array((np.ones(len(rows)), (rows, columns)), (3 * self.r, len(cells)))

    def by_class(self, values: Array) -> Array:
        """Sum values by cell (K, ...) to right, predicted and true ones by class, (3, r, ...)."""
        batch = values.shape[1:]
        if self.complete:
            table = values.reshape(self.r, self.r, *batch)
            sums = np.empty((3, self.r, *batch))
            sums[0] = values[:: self.r + 1]
            np.add.reduce(table, axis=0, out=sums[1])
            np.add.reduce(table, axis=1, out=sums[2])
            return sums
        flat = self._sums @ values.reshape(len(values), -1)
        return np.asarray(flat).reshape(3, self.r, *batch)

    @cached_property
    def _sums_of_strata(self) -> Any:
        """The sparse matrix of 0 and 1 that sums cells by stratum."""
        from scipy.sparse import csr_array  # slow to import

        cells = np.arange(len(self.stratum))
        shape = int(self.stratum.max()) + 1, len(cells)
        return csr_array((np.ones(len(cells)), (self.stratum, cells)), shape)

    def sums_of_strata(self, values: Array) -> Array:
        """Sum values by cell (K, ...) to sums by stratum, (strata, ...)."""
        sums = np.asarray(self._sums_of_strata @ values.reshape(len(values), -1))
        return sums.reshape(-1, *values.shape[1:])

    def by_stratum(self, values: Array) -> Array:
        """Return for each cell the sum of values by cell (K, ...) over all cells of its stratum."""
        return np.asarray(self.sums_of_strata(values)[self.stratum])

    def by_cell(self, values: Array) -> Array:
        """Return for each cell the sum of the three values (3, r, ...) that its items count in."""
        of_right, of_predicted, of_true = values
        if self.complete:
            table = of_predicted[None] + of_true[:, None]
            cells = table.reshape(self.r * self.r, *table.shape[2:])
            cells[:: self.r + 1] += of_right
            return np.asarray(cells)
        cells = of_predicted.take(self.predicted, axis=0)
        cells += of_true.take(self.true, axis=0)
        cells[self.right] += of_right.take(self.true[self.right], axis=0)
        return np.asarray(cells)


def smallest_classes(sizes: Array) -> Codes:
    """Return the places of the smallest classes, of which all cells are listed.

    Of classes of one size the first ones are taken, on every processor.
    """
    return np.argsort(sizes, kind="stable")[:ALL_CELLS]


def all_cells(r: int) -> Cells:
    """Return all cells of matrices of r classes, row by row."""
    return _few_cells(r) if r <= ALL_CELLS else Cells(r, *np.divmod(np.arange(r * r), r))


@lru_cache(maxsize=ALL_CELLS)
def _few_cells(r: int) -> Cells:
    return Cells(r, *np.divmod(np.arange(r * r), r))


class Matrix:
    """A confusion matrix, or a batch of them, by cell.

    Attributes
    ----------
    cells : Cells
        The cells that are listed.
    counts : ndarray, shape (K, ...)
        The items in each cell.
    by_class : ndarray, shape (3, r, ...)
        By class: items that are right, that are predicted as it, and that truly belong to it.
    right, predicted, true : ndarray, shape (r, ...)
        The three parts of `by_class`.
    total : ndarray, shape (...)
        All items.
    """

    def __init__(self, cells: Cells, counts: Array) -> None:
        self.cells = cells
        self.counts = counts
        self.by_class = cells.by_class(counts)
        self.right, self.predicted, self.true = self.by_class
        self.total: Array = np.asarray(counts.sum(axis=0))

    @classmethod
    def of(cls, tables: Array) -> Matrix:
        """Return the matrix of checked tables of shape (..., r, r); rows are true classes."""
        r = tables.shape[-1]
        batch = np.moveaxis(tables, (-2, -1), (0, 1))
        counts = np.ascontiguousarray(batch).reshape(r * r, *tables.shape[:-2])
        if r <= ALL_CELLS:
            return cls(all_cells(r), counts)
        filled = np.flatnonzero(counts.reshape(r * r, -1).any(axis=1))
        true, predicted = np.divmod(filled, r)
        return cls(Cells(r, true, predicted), counts[filled])

    def dense(self) -> Array:
        """Return the counts with all empty cells, shape (..., r, r)."""
        return dense(self.cells, self.counts)

    def sum(self, values: Array) -> Array:
        """Add up a value by cell (K, ...) over all items."""
        return np.asarray((self.counts * values).sum(axis=0))

    def some(self, which: Codes | slice) -> Matrix:
        """Return the matrices at some places of a flat batch."""
        return Matrix(self.cells, self.counts.reshape(len(self.counts), -1)[:, which])


def dense(cells: Cells, values: Array) -> Array:
    """Return values by cell (K, ...) as tables (..., r, r), with zeros in cells not listed."""
    r = cells.r
    table = np.zeros((r * r, *values.shape[1:]), values.dtype)
    np.add.at(table, cells.places, values)
    return np.moveaxis(table.reshape(r, r, *values.shape[1:]), (0, 1), (-2, -1))


# Items.


class Items(NamedTuple):
    """Items of a test set, counted by true class, predicted classes and group.

    Attributes
    ----------
    codes : ndarray of int, shape (1 + models, rows)
        The true class and the classes that the models predict.
    counts : ndarray, shape (rows, ...)
        How many items are so, in each data set of a batch.
    groups : ndarray of int or None
        The group of each row, as 0, 1, ...
    classes : sequence
        The classes that the codes stand for.
    asked : int
        How many of the classes, the first ones, averages are over. One more class, the last, may
        stand for all others.
    named : bool
        The classes were named by the caller. Otherwise they are those that occur.
    strata : ndarray of int or None
        The stratum of each row, as 0, 1, ..., if shares of strata are known.
    strata_of_truth : bool
        The strata are the true classes.
    """

    codes: Codes
    counts: Array
    groups: Codes | None
    classes: Classes
    asked: int
    named: bool = False
    strata: Codes | None = None
    strata_of_truth: bool = False

    @property
    def models(self) -> int:
        """The number of models."""
        return len(self.codes) - 1

    def of_models(self, *models: int) -> Items:
        """Return the same items with the predictions of some models, and the classes of these.

        A class that occurs only in the predictions of others is dropped, unless the caller named
        the classes. So a model has the scores in a comparison that it has alone.
        """
        codes = self.codes[[0, *(model + 1 for model in models)]]
        occurs = np.zeros(len(self.classes), dtype=bool)
        occurs[codes] = True
        if self.named or occurs.all() or occurs.sum() < 2:
            return self._replace(codes=codes)
        kept = np.flatnonzero(occurs)
        place = np.cumsum(occurs) - 1
        classes = [self.classes[k] for k in kept.tolist()]
        return self._replace(codes=place[codes], classes=classes, asked=len(kept))

    def matrix(self, model: int = 0) -> Matrix:
        """Return the confusion matrix of a model, whose cells are all cells, or the rows."""
        r = len(self.classes)
        true, predicted = self.codes[[0, model + 1]]
        if self.strata is not None:
            return self._stratified_matrix(model)
        if r > ALL_CELLS:
            return Matrix(Cells(r, true, predicted), self.counts)
        return Matrix(all_cells(r), sums_by_code(true * r + predicted, self.counts, r * r))

    def _stratified_matrix(self, model: int) -> Matrix:
        """Return the matrix of a model by stratum, with the cells that may hold items."""
        occupied = self.places(model)
        possible = self._possible_places(model)
        places = np.searchsorted(possible, occupied)
        counts = sums_by_code(places, self.counts, len(possible))
        return Matrix(Cells.at(possible, len(self.classes)), counts)

    def places(self, model: int) -> Codes:
        """Return the place of each row's cell: stratum, then true, then predicted class."""
        r = len(self.classes)
        true, predicted = self.codes[[0, model + 1]]
        rows = true if self.strata is None else self.strata * r + true
        return np.asarray(rows * r + predicted)

    def _possible_places(self, model: int) -> Codes:
        """Return the places of the cells that may hold items, in order.

        If there are too many, these are the cells with items, and the right ones beside them. Of
        many classes they are these, and the cells between the smallest classes.
        """
        r = len(self.classes)
        if r > ALL_CELLS:
            every = self._places_between(model, self._smallest_classes(model))
        else:
            every = self._places_between(model, np.arange(r))
            if every is not None:
                return every
        occupied = self.places(model)
        rows = occupied // r
        few = np.union1d(occupied, rows * r + rows % r)
        return few if every is None else np.union1d(few, every)

    def _smallest_classes(self, model: int) -> Codes:
        """Return the classes with the fewest items, true or predicted."""
        both = self.codes[[0, model + 1]].ravel()
        sizes = np.bincount(both, np.tile(self.counts, 2), len(self.classes))
        return smallest_classes(sizes.astype(np.float64))

    def _places_between(self, model: int, classes: Codes) -> Codes | None:
        """Return the places of the cells between some classes; None if there are too many."""
        r = len(self.classes)
        true, predicted = (
            possible if possible.shape[1] == 1 else np.tile(classes, (len(possible), 1))
            for possible in self._possible_classes(model)
        )
        if true.size * predicted.shape[1] > MOST_STRATIFIED_CELLS:
            return None
        strata = np.arange(len(true))
        places = (strata[:, None, None] * r + true[:, :, None]) * r + predicted[:, None, :]
        if len(classes) == r:
            return places.ravel()
        return places[np.isin(true, classes)[:, :, None] & np.isin(predicted, classes)[:, None, :]]

    def _possible_classes(self, model: int) -> tuple[Codes, Codes]:
        """Return the true and the predicted classes that may occur in each stratum.

        Both have shape (strata, classes). Strata may be made of the predictions, as those of a map
        are, or of the true classes. Then each has one predicted, or one true class. If both are so,
        it is not known which made the strata, and all classes may occur.
        """
        if self.strata is None:
            raise TypeError("these items have no strata")
        made = self.codes[[0, model + 1]]
        class_of = np.zeros((2, int(self.strata.max()) + 1), dtype=np.intp)
        class_of[:, self.strata] = made
        only = (class_of[:, self.strata] == made).all(axis=1) & (np.ptp(class_of, axis=1) > 0)
        if self.strata_of_truth or only.all():
            only = np.array([self.strata_of_truth, False])
        every = np.broadcast_to(
            np.arange(len(self.classes)), (class_of.shape[1], len(self.classes))
        )
        true, predicted = (
            classes[:, None] if one else every for classes, one in zip(class_of, only, strict=True)
        )
        return true, predicted

    def by_row(self, values: Array, model: int, cells: Cells) -> Array:
        """Return values by cell of a model's matrix (K, ...) for each row of items."""
        if self.strata is not None:
            listed = cells.stratum * cells.r**2 + cells.places
            return np.asarray(values[np.searchsorted(listed, self.places(model))])
        if len(self.classes) > ALL_CELLS:
            return values
        true, predicted = self.codes[[0, model + 1]]
        return np.asarray(values[true * cells.r + predicted])

    def one_class(self, place: int) -> Items:
        """Return the items with one class, now 1, against all others, now 0."""
        codes = (self.codes == place).astype(np.intp)
        return self._replace(codes=codes, classes=("others", self.classes[place]), asked=2)

    def right_or_wrong(self) -> Items:
        """Return the items as members of one class, "right", that a model may miss."""
        codes = (self.codes == self.codes[0]).astype(np.intp)
        return count_items(codes, ("wrong", "right"), self.groups, self.counts)

    def each_class(self) -> Items:
        """Return a batch with a data set for each class that is asked for, against all others."""
        number = 1 if self.groups is None else int(self.groups.max()) + 1
        outcomes = 2 ** len(self.codes)
        counts = np.zeros((number * outcomes, self.asked))
        for place in range(self.asked):
            counts[:, place] = np.bincount(self._outcomes(place), self.counts, len(counts))
        group, outcome = np.divmod(np.arange(len(counts)), outcomes)
        bits = (outcome >> np.arange(self.models, -1, -1)[:, None]) & 1
        return Items(bits, counts, None if self.groups is None else group, ("0", "1"), 2)

    def _outcomes(self, place: int) -> Codes:
        """Return one number for each row: its group, and in binary which labels are this class."""
        code = np.zeros(len(self.counts), np.intp) if self.groups is None else self.groups
        for row in self.codes:
            code = 2 * code + (row == place)
        return code

    def unit_counts(self, model: int = 0) -> Array:
        """Return TP, FP and FN of the positive class by group, shape (groups, 3, ...)."""
        groups = np.zeros(len(self.counts), np.intp) if self.groups is None else self.groups
        true, predicted = self.codes[[0, model + 1]]
        table = np.zeros((int(groups.max()) + 1, 4, *self.counts.shape[1:]))
        np.add.at(table, (groups, 2 * true + predicted), self.counts)
        return table[:, [3, 1, 2]]


class UnitCounts(NamedTuple):
    """TP, FP and FN of units: documents, or items that may be of several classes.

    Attributes
    ----------
    tables : tuple of ndarray, shape (units, 3) or (units, 3, classes)
        The counts of each model.
    classes : sequence
        The classes.
    grouped : bool
        The units are groups of items.
    items : int
        The number of items, if units are made of these.
    """

    tables: tuple[Array, ...]
    classes: Classes
    grouped: bool = False
    items: int = 0

    def of_models(self, *models: int) -> UnitCounts:
        """Return the counts of some models."""
        return self._replace(tables=tuple(self.tables[model] for model in models))


def binary_items(
    named: Mapping[str, Labels],
    pos_label: Hashable,
    groups: Labels | None = None,
    strata: Codes | None = None,
) -> Items:
    """Count items by their labels, the positive class against the rest; names are for messages."""
    codes = _binary_codes(named, pos_label)
    return count_items(codes, _BINARY, group_codes(groups, codes.shape[1]), strata=strata)


_BINARY = ("negative", "positive")


def class_items(
    named: Mapping[str, Labels],
    labels: Classes | None,
    groups: Labels | None = None,
    strata: Codes | None = None,
) -> Items:
    """Count items by their labels, of any number of classes; names are for messages."""
    codes, classes = _labels.encode(named, wanted=labels, others=True)
    _validation.at_least_two("classes", len(classes), "an average over classes")
    items = count_items(codes, classes, group_codes(groups, codes.shape[1]), strata=strata)
    return items if labels is None else items._replace(asked=len(labels), named=True)


def indicator_units(
    named: Mapping[str, Labels], labels: Classes | None, groups: Labels | None = None
) -> UnitCounts:
    """Count TP, FP and FN by class of each multilabel item, or of each group of items."""
    (of_true, true), *predictions = named.items()
    counted = [
        _labels.indicator_counts(true, prediction, labels, (of_true, name))
        for name, prediction in predictions
    ]
    tables = [table for table, _ in counted]
    items = len(tables[0])
    _validation.at_least_two("items", items)
    if groups is not None:
        tables = [_by_group(table, groups) for table in tables]
    by_class = tuple(np.moveaxis(table, 2, 1) for table in tables)
    return UnitCounts(by_class, counted[0][1], groups is not None, items)


def _by_group(table: Array, groups: Labels) -> Array:
    """Sum counts by item, shape (items, ...), by group."""
    codes = _codes_of(groups, len(table))
    grouped = np.zeros((int(codes.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, codes, table)
    return grouped


def cell_items(cells: Array) -> Items:
    """Return the items of joint outcomes of m binary models, shape (..., 2**(m + 1)).

    The index of a cell, in binary, reads Z A_1 ... A_m: with two models, cell 6 = 0b110 holds the
    positive items that the first model finds and the second misses.
    """
    number = cells.shape[-1]
    models = number.bit_length() - 2
    codes = (np.arange(number) >> np.arange(models, -1, -1)[:, None]) & 1
    return Items(codes, np.ascontiguousarray(np.moveaxis(cells, -1, 0)), None, _BINARY, 2)


def matrix_items(table: Array) -> Items:
    """Return the items of one checked confusion matrix (r, r)."""
    filled = np.nonzero(table)
    codes = np.array(filled, dtype=np.intp)
    return Items(codes, table[filled], None, range(len(table)), len(table))


def count_items(
    codes: Codes,
    classes: Classes,
    groups: Codes | None = None,
    counts: Array | None = None,
    strata: Codes | None = None,
) -> Items:
    """Put items, or rows of so many items each, that are alike into one row; rows are in order."""
    rows = np.vstack([row for row in (groups, strata, codes) if row is not None])
    # 1. One number for each row of labels.
    code = _one_number(rows)
    # 2. Renumber those that occur, and take one example of each.
    occurs = np.bincount(code) > 0
    code = (np.cumsum(occurs, dtype=np.intp) - 1)[code]
    number = int(occurs.sum())
    example = np.empty(number, dtype=np.intp)
    example[code] = np.arange(code.size)
    # 3. Count.
    own_groups, own_strata = (None if row is None else row[example] for row in (groups, strata))
    total = sums_by_code(code, counts, number)
    r = len(classes)
    return Items(codes[:, example], total, own_groups, classes, r, strata=own_strata)


def _one_number(rows: Codes) -> Codes:
    """Return one number for each column of codes. Large ones are renumbered, to fit an integer."""
    code = rows[0]
    for row in rows[1:]:
        code = (row.max(initial=0) + 1) * code + row
        if code.max(initial=0) > 2 * len(code):
            code = np.unique(code, return_inverse=True)[1]
    return np.asarray(code, dtype=np.intp)


def sums_by_code(code: Codes, counts: Array | None, number: int) -> Array:
    """Count codes, or sum counts (rows, ...) by code."""
    if counts is None or counts.ndim == 1:
        places = code.astype(np.intp, copy=False)
        return np.bincount(places, counts, number).astype(np.float64)
    total = np.zeros((number, *counts.shape[1:]))
    if len(counts) ** 2 > counts.size:
        np.add.at(total, code, counts)
        return total
    # Rows that are fewer than the data sets of the batch are added 25 times as fast one by one.
    for place, row in zip(code, counts, strict=True):
        total[place] += row
    return total


def _binary_codes(arrays: Mapping[str, Labels], pos_label: Hashable) -> Codes:
    """Return codes of shape (len(arrays), n), 1 for the positive label."""
    if not _labels.is_hashable(pos_label):
        raise TypeError(f"pos_label must be hashable, got {_validation.short(pos_label)}")
    codes, classes = _labels.encode(arrays)
    if len(classes) > 2:
        got = f"got {len(classes)}: {_validation.listing(classes)}"
        more = "averages over classes, such as macro_f1 and micro_f1, take any number"
        raise ValueError(f"a binary score needs at most two classes, {got}; {more}")
    if len(classes) > 1 and pos_label not in classes:
        got = f"{_validation.listing(classes)}, got {_validation.short(pos_label)}"
        raise ValueError(f"pos_label must be one of the labels {got}")
    positive = classes.index(pos_label) if pos_label in classes else -1
    return np.asarray(codes == positive, dtype=np.intp)


def group_codes(groups: Labels | None, items: int) -> Codes | None:
    """Return the group of each item as 0, 1, ...; there are at least two groups."""
    return None if groups is None else _codes_of(groups, items)


def _codes_of(groups: Labels, items: int) -> Codes:
    """Return the group of each item as 0, 1, ..."""
    (codes,), names = _labels.encode({"groups": groups}, n=items)
    _validation.at_least_two("groups", len(names))
    return np.asarray(codes)


def unit_counts(name: str, value: ArrayLike, averaged: bool) -> Array:
    """Return checked TP, FP and FN by unit, shape (units, 3) or (units, 3, classes).

    Averages need them by class.
    """
    array = np.asarray(_validation.counts(name, value))
    shapes = {3: "(units, classes, 3)"} if averaged else {2: "(units, 3)", 3: "(units, classes, 3)"}
    legal = array.ndim in shapes and array.shape[-1] == 3 and array.size > 0
    expected = f"{' or '.join(shapes.values())}, for the counts TP, FP and FN"
    _validation.shaped(name, array, legal, expected)
    _validation.at_least_two("units", len(array))
    return array if array.ndim == 2 else np.moveaxis(array, 2, 1)
