"""Score limits of metrics of confusion matrices: the way from matrices to the kernel.

`f1ci.methods.multinomial` takes counts by cell and slopes. Here any metric gets them. Averages of
Tversky scores over classes have slopes and terms of second order in closed form, also where the
numbers of items of the true classes are fixed. Matrices of many classes are looked at in the cells
that hold items, and in the empty cells between the smallest classes.

Arrays have the cells, or the classes, first and a batch of tables last.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci.counts import Matrix, SparseMatrix
from f1ci.methods.multinomial import BLOCK, combined, limits
from f1ci.metrics import Metric, Parts
from f1ci.results import Array, FloatOrArray

__all__ = ["Average", "Cells", "limits_of_tables"]

Indices: TypeAlias = NDArray[np.intp]
# Second derivatives by x, R and C of each class.
Second: TypeAlias = list[list[Array]]

# Of more classes than this, cells without items are looked at between the smallest classes only.
_ALL_CELLS = 30


def limits_of_tables(
    metric: Metric, matrix: Matrix, z: FloatOrArray, fixed: bool = False
) -> tuple[Array, Array]:
    """Return the score limits of any metric of confusion matrices; they broadcast with z.

    With `fixed` the numbers of items of the true classes are not random; for averages only. The
    limits of an undefined metric are nan.
    """
    r = matrix.right.shape[-1]
    cells, counts = _cells_and_counts(matrix, r)
    shape = np.broadcast_shapes(np.shape(z), counts.shape[1:])
    counts = np.moveaxis(np.broadcast_to(np.moveaxis(counts, 0, -1), (*shape, len(counts))), -1, 0)
    counts = counts.reshape(len(counts), -1)
    quantiles = np.broadcast_to(z, shape).ravel()
    size = max(1, BLOCK // len(counts))
    ends = np.empty((2, counts.shape[1]))
    for start in range(0, counts.shape[1], size):
        block = slice(start, start + size)
        table = np.ascontiguousarray(counts[:, block])
        if metric.parts is None:
            ends[:, block] = limits(table, partial(_evaluate, metric, cells), quantiles[block])
            continue
        sizes = cells.by_class(table / np.maximum(table.sum(axis=0), 1e-300))[1] if fixed else None
        average = _average(metric, metric.parts, cells, sizes)
        kept = average.kept if fixed else None
        ends[:, block] = limits(table, average, quantiles[block], average.second_order, kept)
    low, high = np.clip(ends.reshape(2, *shape), *metric.range)
    return low, high


def _cells_and_counts(matrix: Matrix, r: int) -> tuple[Cells, Array]:
    """Return the cells that are looked at, and the counts in them, with the cells first."""
    if r <= _ALL_CELLS:
        dense = np.moveaxis(matrix.dense(), (-2, -1), (0, 1))
        return Cells(r), dense.reshape(r * r, *matrix.total.shape)
    if isinstance(matrix, SparseMatrix):
        filled, values = matrix.places, matrix.counts
    else:
        dense = np.moveaxis(matrix.counts, (-2, -1), (0, 1)).reshape(r * r, -1)
        filled = np.flatnonzero(dense.any(axis=1))
        values = dense[filled]
    few = np.argsort((matrix.true + matrix.predicted).reshape(-1, r).min(axis=0))[:_ALL_CELLS]
    between = np.add.outer(few * r, few).ravel()
    places = np.unique(np.concatenate([filled, np.arange(r) * (r + 1), between]))
    counts = np.zeros((len(places), *values.shape[1:]))
    np.add.at(counts, np.searchsorted(places, filled), values)
    return Cells(r, places // r, places % r), counts.reshape(len(places), *matrix.total.shape)


def _evaluate(metric: Metric, cells: Cells, q: Array) -> tuple[Array, Array]:
    """Return the values of any metric, and its slopes by cell."""
    r = cells.r
    table = np.zeros((r, r, q.shape[1]))
    table[cells.true, cells.predicted] = q
    value, slopes = metric.evaluate(Matrix(np.moveaxis(table, -1, 0)))
    return value, slopes[:, cells.true, cells.predicted].T


def _average(metric: Metric, parts: Parts, cells: Cells, sizes: Array | None) -> Average:
    """Return an average over classes as a function of cell probabilities of both limits."""
    scores = [(score.a, score.b) for score in parts.scores]
    star = (metric.a, metric.b) if len(scores) == 2 else None  # type: ignore[attr-defined]
    both = None if sizes is None else np.concatenate([sizes, sizes], axis=1)
    return Average(cells, scores, parts.weighted, star, both)


class Cells:
    """The cells of matrices of r classes that are looked at, and sums over them.

    Parameters
    ----------
    r : int
        The number of classes.
    true, predicted : ndarray of int, shape (K,), optional
        The classes of the cells, sorted, with every (k, k) among them. By default all cells.
    """

    def __init__(self, r: int, true: Indices | None = None, predicted: Indices | None = None):
        self.r = r
        if true is None or predicted is None:
            true, predicted = np.divmod(np.arange(r * r), r)
        self.true, self.predicted = true, predicted
        place = self.true * r + self.predicted
        self.right = np.searchsorted(place, np.arange(r) * (r + 1))
        self._all = len(place) == r * r
        self._by_prediction = np.argsort(self.predicted, kind="stable")
        self._first_true = np.searchsorted(self.true, np.arange(r))
        self._first_predicted = np.searchsorted(self.predicted[self._by_prediction], np.arange(r))
        # The cell of the opposite confusion, where it is looked at.
        opposite = self.predicted * r + self.true
        self._opposite = np.minimum(np.searchsorted(place, opposite), len(place) - 1)
        self._has_opposite = (place[self._opposite] == opposite)[:, None]

    def by_class(self, table: Array) -> list[Array]:
        """Return the right items of each class, the true ones and the predicted ones."""
        if self._all:
            square = table.reshape(self.r, self.r, -1)
            return [table[self.right], square.sum(axis=1), square.sum(axis=0)]
        return [
            table[self.right],
            np.add.reduceat(table, self._first_true, axis=0),
            np.add.reduceat(table[self._by_prediction], self._first_predicted, axis=0),
        ]

    def by_cell(self, parts: Sequence[Array]) -> Array:
        """Return for each cell the sum of the parts of the three numbers that an item moves."""
        right, true, predicted = parts
        if self._all:
            table = (true[:, None] + predicted).reshape(self.r**2, -1)
        else:
            table = true[self.true] + predicted[self.predicted]
        table[self.right] += right
        return table

    def wrong(self, table: Array) -> Array:
        """Return the table with zeros for right items."""
        wrong = table.copy()
        wrong[self.right] = 0.0
        return wrong

    def opposite(self, table: Array) -> Array:
        """Return for each cell the table's value for the opposite confusion."""
        return np.where(self._has_opposite, table[self._opposite], 0.0)


class Average:
    """An average of Tversky scores over classes, as a function of cell probabilities.

    With x right items, R true and C predicted ones of a class its score is x / D,
    D = (1 - a - b) x + a C + b R. A class without items has the score 0 here.

    Parameters
    ----------
    cells : Cells
        The cells that probabilities belong to.
    scores : sequence of (a, b)
        The weights of the errors: of one score, or of precision and recall.
    weighted : bool
        Weigh the classes by their true items.
    star : (a, b), optional
        Take 1 / (a / mean of the first scores + b / mean of the second ones).
    sizes : ndarray, shape (r,) or (r, B), optional
        The shares of the true classes, if they are fixed and not random.
    """

    def __init__(
        self,
        cells: Cells,
        scores: Sequence[tuple[float, float]],
        weighted: bool = False,
        star: tuple[float, float] | None = None,
        sizes: Array | None = None,
    ):
        self.cells, self.scores, self.weighted, self.star = cells, scores, weighted, star
        self.sizes = sizes

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return the average and its slopes by cell; with fixed class sizes centred by class."""
        counts = self.cells.by_class(q)
        means = [self._mean(counts, a, b) for a, b in self.scores]
        value, by_class = means[0]
        if self.star is not None:
            value, outer = self._star(means)[:2]
            by_class = [outer[0] * x + outer[1] * y for x, y in zip(*(m[1] for m in means), strict=True)]
        slopes = self.cells.by_cell(by_class)
        return value, slopes if self.sizes is None else self._centred(slopes, q)

    def kept(self, q: Array, shares: Array) -> Array:
        """Return probabilities scaled to the class sizes of the shares."""
        scale: Array = np.nan_to_num(self.cells.by_class(shares)[1] / self.cells.by_class(q)[1])
        return np.asarray(scale[self.cells.true] * q)

    def _centred(self, values: Array, q: Array) -> Array:
        """Return values less their mean, over all items or over those of each class."""
        if self.sizes is None:
            return np.asarray(values - (q * values).sum(axis=0))
        means = self.cells.by_class(q * values)[1] / self.cells.by_class(q)[1]
        by_class: Array = np.nan_to_num(means)
        return np.asarray(values - by_class[self.cells.true])

    def _mean(self, counts: list[Array], a: float, b: float) -> tuple[Array, list[Array]]:
        """Return the mean of one score, and its derivatives by class."""
        up, score, first = _tversky(counts, a, b)
        if self.weighted:
            first = [counts[1] * part for part in first]
            first[1] += score
            return (counts[1] * score).sum(axis=0), first
        return score.mean(axis=0), [part / self.cells.r for part in first]

    def _second(self, counts: list[Array], a: float, b: float) -> Second:
        """Return the second derivatives of the mean of one score by class."""
        up, _, first = _tversky(counts, a, b)
        down = [up * weight for weight in (1.0 - a - b, b, a)]
        second = [[-(first[i] * down[j] + first[j] * down[i]) for j in range(3)] for i in range(3)]
        if not self.weighted:
            return [[part / self.cells.r for part in row] for row in second]
        for i in range(3):
            second[i] = [counts[1] * part for part in second[i]]
        for i in range(3):
            second[i][1] += first[i]
            second[1][i] += first[i]
        return second

    def _star(self, means: Any) -> tuple[Array, list[Array], list[list[Array]]]:
        """Return 1 / (a / P + b / Q) of two means, and its first and second derivatives."""
        assert self.star is not None  # noqa: S101 - the callers see to it
        (a, b), p, q = self.star, means[0][0], means[1][0]
        whole = a * q + b * p
        whole = np.where(whole > 0.0, whole, 1.0)
        both = -2.0 * a * b / whole**3
        mixed = -both * p * q
        seconds = [[both * q * q, mixed], [mixed, both * p * p]]
        return p * q / whole, [a * (q / whole) ** 2, b * (p / whole) ** 2], seconds

    def second_order(self, q: Array) -> tuple[Array, Array]:
        """Return N times the bias and N times the excess variance, in closed form."""
        cells, counts = self.cells, self.cells.by_class(q)
        slopes = self._centred(self(q)[1], q)
        means = [self._mean(counts, a, b) for a, b in self.scores]
        second = self._second(counts, *self.scores[0])
        outer: list[list[Array]] = []
        if self.star is not None:
            _, weight, outer = self._star(means)
            other = self._second(counts, *self.scores[1])
            second = [
                [weight[0] * second[i][j] + weight[1] * other[i][j] for j in range(3)]
                for i in range(3)
            ]
        # 1. Second derivatives by one cell twice, and along the direction u of the influence.
        corners = second[0][1] + second[0][2] + second[1][2]
        twice = cells.by_cell([second[0][0] + 2.0 * corners, second[1][1], second[2][2]])
        variance = (q * slopes**2).sum(axis=0)
        u = q * slopes / np.sqrt(variance)
        along = self._centred(cells.by_cell(_times(second, cells.by_class(u))), q)
        # 2. The sum over two cells of the squared second derivatives: of two classes, of one.
        true, predicted, wrong = cells.true, cells.predicted, cells.wrong(q)
        straight = wrong * second[1][1][true] * second[2][2][predicted]
        crossed = cells.opposite(wrong) * second[1][2][true] * second[1][2][predicted]
        product = 2.0 * (wrong * (straight + crossed)).sum(axis=0)
        x, many, called = counts
        shared = [[x, x, x], [x, many, x], [x, x, called]]
        turned = [_times(second, [row[j] for row in shared]) for j in range(3)]
        for i in range(3):
            for j in range(3):
                product = product + (turned[j][i] * turned[i][j]).sum(axis=0)
        if self.sizes is not None:
            less, fewer = self._of_means(q, counts, second)
            twice, product = twice + less, product + fewer
        trace = (q * twice).sum(axis=0)
        third = (q * slopes * twice).sum(axis=0)
        if not self.weighted and self.sizes is None:
            # A plain mean does not change if all cells grow alike: H q = -slopes.
            product, third = product - 2.0 * variance, third + 2.0 * variance
        # 3. The outer function of two means adds products of their slopes.
        if outer:
            first = [self._centred(cells.by_cell(mean[1]), q) for mean in means]
            moved = [cells.by_class(q * part) for part in first]
            for i in range(2):
                turn = _times(second, moved[i])
                for j in range(2):
                    pair = q * first[i] * first[j]
                    trace = trace + outer[i][j] * pair.sum(axis=0)
                    third = third + outer[i][j] * (pair * slopes).sum(axis=0)
                    along = along + outer[i][j] * first[i] * (u * first[j]).sum(axis=0)
                    inner = sum((t * m).sum(axis=0) for t, m in zip(turn, moved[j], strict=True))
                    product = product + 2.0 * outer[i][j] * inner
                    for k in range(2):
                        for m in range(2):
                            shared_1 = (q * first[j] * first[k]).sum(axis=0)
                            shared_2 = (q * first[m] * first[i]).sum(axis=0)
                            product = product + outer[i][j] * outer[k][m] * shared_1 * shared_2
        return combined(q, slopes, u, along, trace, product, third)

    def _of_means(self, q: Array, counts: list[Array], second: Second) -> tuple[Array, Array]:
        """Return what fixed class sizes add to `twice` and to `product`.

        Items of class h differ from their mean, which moves (M_hh, 1, M_hh) in class h and M_hl
        in the predicted items of class l, with M the shares of predictions in each class.
        """
        cells, r, every = self.cells, self.cells.r, np.arange(self.cells.r)
        share = np.zeros((r, r, q.shape[1]))
        share[cells.true, cells.predicted] = np.nan_to_num(q / counts[1][cells.true])
        right = share[every, every]
        # 1. H times the mean of h, by what items of class k move: right, true, predicted ones.
        moved = [share * second[i][2] for i in range(3)]
        for i in range(3):
            moved[i][every, every] += second[i][0] * right + second[i][1]
        by_right, by_true, by_called = moved
        # 2. Second derivatives of the means of two classes, and of a cell and its class's mean.
        both = np.einsum("gkb,hkb->hgb", share, by_called) + right * by_right + by_true
        own = by_true[cells.true, cells.true] + by_called[cells.true, cells.predicted]
        own[cells.right] += by_right[every, every]
        # 3. Sums over two cells of squared second derivatives of a cell and a class's mean.
        right_items, true, called = counts
        crossed = np.einsum("hkb,kjb,hjb->hb", by_true, share * true[:, None], by_called)
        corner = by_right * (by_right + 2.0 * (by_true + by_called))
        one = by_true**2 * true + by_called**2 * called + corner * right_items
        mixed = (true * (one.sum(axis=1) + 2.0 * crossed)).sum(axis=0)
        means = (true[:, None] * true * both**2).sum(axis=(0, 1))
        return both[cells.true, cells.true] - 2.0 * own, means - 2.0 * mixed


def _tversky(counts: list[Array], a: float, b: float) -> tuple[Array, Array, list[Array]]:
    """Return 1 / D, the scores of the classes and their derivatives."""
    right, true, predicted = counts
    whole = (1.0 - a - b) * right + b * true + a * predicted
    up = np.where(whole > 0.0, 1.0 / whole, 0.0)
    score = right * up
    down = score * up
    return up, score, [up - (1.0 - a - b) * down, -b * down, -a * down]


def _times(second: Second, moved: Sequence[Array]) -> list[Array]:
    """Return the product of the second derivatives of each class with three numbers of it."""
    return [row[0] * moved[0] + row[1] * moved[1] + row[2] * moved[2] for row in second]
