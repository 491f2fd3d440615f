"""Score limits of metrics of confusion matrices: the way from matrices to the kernel.

`f1ci.methods.multinomial` takes counts by cell and slopes. Here any metric gets them. Averages of
Tversky scores over all classes have slopes and terms of second order in closed form, for other
metrics these terms are differences of slopes. Matrices of many classes are looked at in the cells
that hold items, and in the empty cells between the smallest classes.

Arrays have the cells, or the classes, first and a batch of tables last.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci.counts import Matrix, SparseMatrix
from f1ci.methods.old_multinomial import combined, limits, summed
from f1ci.metrics import Metric
from f1ci.metrics.classes import ClassMetric, MacroStar
from f1ci.results import Array, FloatOrArray

__all__ = ["Average", "Cells", "limits_of_tables"]

Indices: TypeAlias = NDArray[np.intp]

# Of more classes than this, cells without items are looked at between the smallest classes only.
_ALL_CELLS = 30


def limits_of_tables(
    metric: Metric, matrix: Matrix, z: FloatOrArray, fixed: bool = False
) -> tuple[Array, Array]:
    """Return the score limits of any metric of confusion matrices; they broadcast with z.

    With `fixed` the numbers of items of the true classes are not random; for averages only. The
    limits of an undefined metric are nan.
    """
    cells, counts = _cells_and_counts(matrix, matrix.right.shape[-1])
    shape = np.broadcast_shapes(np.shape(z), counts.shape[1:])
    counts = np.broadcast_to(np.moveaxis(counts, 0, -1), (*shape, len(counts)))
    counts = counts.reshape(-1, counts.shape[-1]).T
    quantiles = np.broadcast_to(z, shape).ravel()
    # A weighted mean over some of the classes is a ratio, without a closed form here.
    closed = metric.parts is not None and not (metric.parts.weighted and metric.parts.chosen)
    average = Average(metric, cells, fixed) if closed else None
    evaluate = average or partial(_evaluate, metric, cells)
    derivatives = average.second_order if average else None
    rescaled = average.rescaled if average and fixed else None
    ends = limits(counts, evaluate, quantiles, derivatives, rescaled)
    low, high = (np.clip(end.reshape(shape), *metric.range) for end in ends)
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
    looked_at = np.zeros(r * r, dtype=bool)
    for some in (filled, np.arange(r) * (r + 1), between):
        looked_at[some] = True
    places = np.flatnonzero(looked_at)
    counts = np.zeros((len(places), *values.shape[1:]))
    np.add.at(counts, np.searchsorted(places, filled), values)
    return Cells(r, places // r, places % r), counts.reshape(len(places), *matrix.total.shape)


def _evaluate(metric: Metric, cells: Cells, q: Array) -> tuple[Array, Array]:
    """Return the values of any metric, and its slopes by cell."""
    if isinstance(metric, ClassMetric):
        right, true, predicted = (x.T for x in cells.by_class(q))
        by_right, by_predicted, by_true = metric.slopes_of_classes(right, predicted, true)
        value = np.asarray(metric.of_classes(right, predicted, true))
        return value, cells.by_cell(np.stack([by_right.T, by_true.T, by_predicted.T]))
    r = cells.r
    table = np.zeros((r, r, q.shape[1]))
    table[cells.true, cells.predicted] = q
    value, slopes = metric.evaluate(Matrix(np.moveaxis(table, -1, 0)))
    return value, slopes[:, cells.true, cells.predicted].T


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
        self._by_prediction = np.argsort(self.predicted, kind="stable")
        self._first_true = np.searchsorted(self.true, np.arange(r))
        self._first_predicted = np.searchsorted(self.predicted[self._by_prediction], np.arange(r))
        # The cell of the opposite confusion, where it is looked at.
        opposite = self.predicted * r + self.true
        self._opposite = np.minimum(np.searchsorted(place, opposite), len(place) - 1)
        self._has_opposite = (place[self._opposite] == opposite)[:, None]

    def by_class(self, table: Array) -> Array:
        """Return the right items of each class, the true ones and the predicted ones."""
        return np.stack(
            [
                table.take(self.right, 0),
                np.add.reduceat(table, self._first_true, axis=0),
                np.add.reduceat(table.take(self._by_prediction, 0), self._first_predicted, axis=0),
            ]
        )

    def by_cell(self, parts: Array) -> Array:
        """Return for each cell the sum of the parts of the three numbers that an item moves."""
        right, true, predicted = parts
        table = true.take(self.true, 0) + predicted.take(self.predicted, 0)
        table[self.right] += right
        return np.asarray(table)

    def opposite(self, table: Array) -> Array:
        """Return for each cell the table's value for the opposite confusion."""
        return np.where(self._has_opposite, table.take(self._opposite, 0), 0.0)


class Average:
    """An average of Tversky scores over classes, as a function of cell probabilities.

    With x right items, R true and C predicted ones of a class its score is x / D,
    D = (1 - a - b) x + a C + b R. A class without items has the score 0 here.

    Parameters
    ----------
    metric : Metric
        A plain mean over all classes or some, a weighted one over all, or macro*.
    cells : Cells
        The cells that probabilities belong to.
    fixed : bool
        The sizes of the true classes are fixed and not random.
    """

    def __init__(self, metric: Metric, cells: Cells, fixed: bool = False):
        assert metric.parts is not None  # noqa: S101 - the callers see to it
        self.cells, self.fixed, self.weighted = cells, fixed, metric.parts.weighted
        self.scores = [(score.a, score.b) for score in metric.parts.scores]
        self.star = (metric.a, metric.b) if isinstance(metric, MacroStar) else None
        places = list(metric.parts.chosen or range(cells.r))
        self._shares = np.zeros((cells.r, 1))
        self._shares[places] = 1.0 / len(places)

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return the average and its slopes by cell; with fixed class sizes centred by class."""
        value, first = self._outer(self.cells.by_class(q))[:2]
        slopes = self.cells.by_cell(first)
        return value, self.centred(slopes, q) if self.fixed else slopes

    def rescaled(self, q: Array, shares: Array) -> Array:
        """Return probabilities scaled to the class sizes of the shares."""
        scale = np.nan_to_num(self.cells.by_class(shares)[1] / self.cells.by_class(q)[1])
        return np.asarray(scale.take(self.cells.true, 0) * q)

    def centred(self, values: Array, q: Array) -> Array:
        """Return values less their mean, over all items or over those of each class."""
        if not self.fixed:
            return np.asarray(values - summed(q * values))
        means = self.cells.by_class(q * values)[1] / self.cells.by_class(q)[1]
        return np.asarray(values - np.nan_to_num(means).take(self.cells.true, 0))

    def _outer(self, counts: Array) -> tuple[Array, Array, list[Array], Array | None]:
        """Return the value, its derivatives by class, the weights of the means, and the bend.

        The second derivatives of macro* are those of the two means, weighted, less the square of
        one direction, the bend.
        """
        means = [self._mean(counts, a, b) for a, b in self.scores]
        if self.star is None:
            return *means[0], [np.ones(1)], None
        (a, b), (p, by_p), (r, by_r) = self.star, *means
        whole = np.where(a * r + b * p > 0.0, a * r + b * p, 1.0)
        weights = [a * (r / whole) ** 2, b * (p / whole) ** 2]
        bend = np.sqrt(2.0 * a * b / whole**3) * (r * by_p - p * by_r)
        return p * r / whole, weights[0] * by_p + weights[1] * by_r, weights, bend

    def _mean(self, counts: Array, a: float, b: float) -> tuple[Array, Array]:
        """Return the mean of one score, and its derivatives by class."""
        _, score, first = _tversky(counts, a, b)
        if not self.weighted:
            return (self._shares * score).sum(axis=0), self._shares * first
        first = counts[1] * first
        first[1] += score
        return (counts[1] * score).sum(axis=0), first

    def _second(self, counts: Array, a: float, b: float) -> Array:
        """Return the second derivatives of the mean of one score by class, shape (3, 3, r, B)."""
        down, _, first = _tversky(counts, a, b)
        second = -(first[:, None] * down + down[:, None] * first)
        if not self.weighted:
            return np.asarray(self._shares * second)
        second = counts[1] * second
        second[1] += first
        second[:, 1] += first
        return np.asarray(second)

    def second_order(self, q: Array) -> tuple[Array, Array]:
        """Return N times the bias and N times the excess variance.

        With fixed class sizes a variance within a class is taken about the mean of the class, which
        is estimated: each class lacks a degree of freedom, less its share in the constraint.
        """
        cells, counts = self.cells, self.cells.by_class(q)
        _, first, weights, bend = self._outer(counts)
        slopes = self.centred(cells.by_cell(first), q)
        second = np.zeros((3, 3, *first.shape[1:]))
        for weight, (a, b) in zip(weights, self.scores, strict=True):
            second += weight * self._second(counts, a, b)
        if self.fixed:
            second[1] = second[:, 1] = 0.0
        # 1. Second derivatives by one cell twice, and along the direction u of the influence.
        corners = second[0, 1] + second[0, 2] + second[1, 2]
        alone = np.stack([second[0, 0] + 2.0 * corners, second[1, 1], second[2, 2]])
        twice = cells.by_cell(alone)
        variance = summed(q * slopes * slopes)
        u = q * slopes / np.sqrt(variance)
        along = self.centred(cells.by_cell(_times(second, cells.by_class(u))), q)
        # 2. The sum over two cells of the squared second derivatives: of two classes, of one.
        trace, third = summed(q * twice), summed(q * slopes * twice)
        x, many, called = counts
        if self.fixed:
            product = self._square_in_rows(second, counts, q)
            share = np.nan_to_num(q / many.take(cells.true, 0)) * q * twice
            trace, third = trace - summed(share), third - 2.0 * summed(share * slopes)
        else:
            true, predicted = cells.true, cells.predicted
            wrong = q.copy()
            wrong[cells.right] = 0.0
            straight = wrong * second[1, 1].take(true, 0) * second[2, 2].take(predicted, 0)
            crossed = (
                cells.opposite(wrong) * second[1, 2].take(true, 0) * second[1, 2].take(predicted, 0)
            )
            product = 2.0 * summed(wrong * (straight + crossed))
            shared = np.array([[x, x, x], [x, many, x], [x, x, called]])
            turned = np.einsum("ijkb,jlkb->ilkb", second, shared)
            product = product + np.einsum("ilkb,likb->b", turned, turned)
            if not self.weighted:
                # A plain mean does not change if all cells grow alike: H q = -slopes.
                product, third = product - 2.0 * variance, third + 2.0 * variance
        # 3. The bend.
        if bend is not None:
            bent = self.centred(cells.by_cell(bend), q)
            moved, size = cells.by_class(q * bent), summed(q * bent * bent)
            product = product + size**2 - 2.0 * (moved * _times(second, moved)).sum(axis=(0, 1))
            trace, third = trace - size, third - summed(q * bent * bent * slopes)
            along = along - bent * summed(u * bent)
        bias, excess = combined(q, slopes, u, along, trace, product, third)
        if self.fixed:
            part = cells.by_class(q * slopes * slopes)[1] / variance
            excess += np.nan_to_num(part * (1.0 - part) / many).sum(axis=0)
        return bias, excess

    def _square_in_rows(self, second: Array, counts: Array, q: Array) -> Array:
        """Return the sum of squared second derivatives where class sizes are fixed."""
        (x, true, called), r, n = counts, self.cells.r, q.shape[1]
        # The right items and the predicted ones of each class, by the true class.
        rows, each = np.zeros((n, 2 * r, r)), np.arange(r)
        rows[:, each, each] = x.T
        rows[:, r + self.cells.predicted, self.cells.true] = q.T
        # Their covariance, times the second derivatives.
        spread = -rows @ np.swapaxes(rows * np.nan_to_num(1.0 / true.T[:, None]), 1, 2)
        blocks = spread.reshape(n, 2, r, 2, r)
        for i, j, both in ((0, 0, x), (0, 1, x), (1, 0, x), (1, 1, called)):
            blocks[:, i, each, j, each] += both.T
        turned = np.einsum("ijkb,bjkm->bikm", second[::2, ::2], spread.reshape(n, 2, r, 2 * r))
        turned = turned.reshape(n, 2 * r, 2 * r)
        return np.asarray(np.einsum("bij,bji->b", turned, turned))


def _tversky(counts: Array, a: float, b: float) -> tuple[Array, Array, Array]:
    """Return the derivatives of D over D, the scores of the classes, and their derivatives."""
    weights = np.array([1.0 - a - b, b, a])[:, None, None]
    whole = (weights * counts).sum(axis=0)
    up = np.where(whole > 0.0, 1.0 / whole, 0.0)
    score, down = counts[0] * up, weights * up
    first = -score * down
    first[0] += up
    return down, score, first


def _times(second: Array, moved: Array) -> Array:
    """Return the product of the second derivatives of each class with three numbers of it."""
    return np.asarray(np.einsum("ijkb,jkb->ikb", second, moved))
