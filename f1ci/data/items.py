"""Items of a test set: labels of one or several models, counted by what is alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from f1ci.data import checks
from f1ci.data.labels import Codes, encode
from f1ci.data.matrix import ALL_CELLS, CellCounts, Cells, all_cells, smallest_classes, sums_by_code
from f1ci.types import Array, Classes, LabelsLike

# Matrices by stratum of more cells than this list the cells with items.
MOST_STRATIFIED_CELLS = 1 << 16


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
    drawn : int
        The number of strata that items were drawn from, if rows with strata behind these count a
        pool (see `f1ci.metrics.shares`); otherwise 0.
    """

    codes: Codes
    counts: Array
    groups: Codes | None
    classes: Classes
    asked: int
    named: bool = False
    strata: Codes | None = None
    strata_of_truth: bool = False
    drawn: int = 0

    @property
    def drawn_strata(self) -> Codes | None:
        """The stratum of each row, for items that were drawn one by one; the pool is one."""
        if self.drawn and self.strata is not None:
            return np.minimum(self.strata, self.drawn)
        return self.strata if self.groups is None else None

    def with_pool(self, counts: Array) -> Items:
        """Return the items with rows that count a pool, by stratum.

        The rows are right items of the most frequent class, so that no class and no error is new.
        """
        if self.strata is None:
            raise TypeError("these items have no strata")
        most = np.bincount(self.codes[0]).argmax()
        codes = np.full((len(self.codes), len(counts)), most, dtype=np.intp)
        strata = np.arange(len(counts), 2 * len(counts), dtype=np.intp)
        return self._replace(
            codes=np.hstack([self.codes, codes]),
            counts=np.append(self.counts, counts),
            strata=np.append(self.strata, strata),
            drawn=len(counts),
        )

    @property
    def checked(self) -> Items:
        """The items without the rows of the pool."""
        if not self.drawn or self.strata is None:
            return self
        own = self.strata < self.drawn
        counts, strata = self.counts[own], self.strata[own]
        return self._replace(codes=self.codes[:, own], counts=counts, strata=strata, drawn=0)

    def strata_of_groups(self) -> Codes | None:
        """Return the stratum that each group was drawn from; None if they were not drawn so."""
        if self.groups is None or self.strata is None or self.strata_of_truth:
            return None
        of_groups = np.zeros(int(self.groups.max()) + 1, dtype=np.intp)
        of_groups[self.groups] = self.strata
        return of_groups

    @property
    def models(self) -> int:
        """The number of models."""
        return len(self.codes) - 1

    @property
    def number(self) -> int:
        """The number of items."""
        return int(self.checked.counts.sum())

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

    def weighted(self, weight: Array) -> Items:
        """Return the items with a weight for each row, or for each group."""
        of_rows = weight if self.groups is None else weight[self.groups]
        return self._replace(counts=self.counts * of_rows)

    def matrix(self, model: int = 0) -> CellCounts:
        """Return the confusion matrix of a model, whose cells are all cells, or the rows."""
        r = len(self.classes)
        true, predicted = self.codes[[0, model + 1]]
        if self.strata is not None:
            return self._stratified_matrix(model)
        if r > ALL_CELLS:
            return CellCounts(Cells(r, true, predicted), self.counts)
        return CellCounts(all_cells(r), sums_by_code(true * r + predicted, self.counts, r * r))

    def _stratified_matrix(self, model: int) -> CellCounts:
        """Return the matrix of a model by stratum, with the cells that may hold items."""
        occupied = self.places(model)
        possible = self._possible_places(model)
        places = np.searchsorted(possible, occupied)
        counts = sums_by_code(places, self.counts, len(possible))
        return CellCounts(Cells.at(possible, len(self.classes)), counts)

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
            # The truth of a pool is not known, so that its strata are of the predictions.
            only = np.array([self.strata_of_truth, bool(self.drawn)])
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

    def counts_by_class(self) -> Array:
        """Return TP, FP and FN of the first model for each class that is asked for."""
        matrix = self.checked.matrix()
        counts = [matrix.right, matrix.predicted - matrix.right, matrix.true - matrix.right]
        return np.array(counts)[:, : self.asked]

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


BINARY = ("negative", "positive")


def cell_items(cells: Array) -> Items:
    """Return the items of joint outcomes of m binary models, shape (..., 2**(m + 1)).

    The index of a cell, in binary, reads Z A_1 ... A_m: with two models, cell 6 = 0b110 holds the
    positive items that the first model finds and the second misses.
    """
    number = cells.shape[-1]
    models = number.bit_length() - 2
    codes = (np.arange(number) >> np.arange(models, -1, -1)[:, None]) & 1
    return Items(codes, np.ascontiguousarray(np.moveaxis(cells, -1, 0)), None, BINARY, 2)


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


def group_codes(groups: LabelsLike | None, items: int) -> Codes | None:
    """Return the group of each item as 0, 1, ...; there are at least two groups."""
    return None if groups is None else codes_of(groups, items)


def codes_of(groups: LabelsLike, items: int) -> Codes:
    """Return the group of each item as 0, 1, ..."""
    (codes,), names = encode({"groups": groups}, n=items)
    checks.at_least_two("groups", len(names))
    return np.asarray(codes)
