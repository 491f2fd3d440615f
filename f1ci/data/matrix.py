"""Confusion matrices by cell: which cells there are, and what they sum to.

Rows are true classes, columns predicted ones. A matrix of many classes lists the cells with items,
one by stratum the cells of each stratum.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from f1ci.data.labels import Codes
from f1ci.types import Array

# Matrices of up to so many classes list all their cells, larger ones the cells with items.
ALL_CELLS = 30


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


class CellCounts:
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
    named : bool
        True: the classes of a matrix exist, also those without items.
    """

    named = True

    def __init__(self, cells: Cells, counts: Array) -> None:
        self.cells = cells
        self.counts = counts
        self.by_class = cells.by_class(counts)
        self.right, self.predicted, self.true = self.by_class
        self.total: Array = np.asarray(counts.sum(axis=0))

    @classmethod
    def of(cls, tables: Array) -> CellCounts:
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

    def some(self, which: Codes | slice) -> CellCounts:
        """Return the matrices at some places of a flat batch."""
        return CellCounts(self.cells, self.counts.reshape(len(self.counts), -1)[:, which])


def dense(cells: Cells, values: Array) -> Array:
    """Return values by cell (K, ...) as tables (..., r, r), with zeros in cells not listed."""
    r = cells.r
    table = np.zeros((r * r, *values.shape[1:]), values.dtype)
    np.add.at(table, cells.places, values)
    return np.moveaxis(table.reshape(r, r, *values.shape[1:]), (0, 1), (-2, -1))


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
