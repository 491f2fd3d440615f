r"""Score limits of any smooth metric of counts by cell.

Wilson (1927) asks which values of a proportion a test with the standard error *under that value*
does not reject. The same question has an answer for every smooth function of the probabilities of
a table. Let n_c of N items fall into cell c, and let e_c be the slope of the metric there (its
influence, with mean zero). Pearson's statistic of the most likely probabilities q that give the
metric a certain value is z^2 where

    q_c = n_c / {N + z^2 + m (e_c - mean of e over the items)},    sum of q_c = 1.

One multiplier m on each side solves this. The slopes are those at q, so they are taken again until
q settles. For two cells this is Wilson's interval, for a Tversky score the cubic of `f1ci.methods.
score`, for any function Lang's (2008) score interval.

Two terms of second order follow (the book's chapter on score intervals has the derivation). Under
its constraint q differs from the true probabilities by a random vector v at right angles to the
influence. With H the second derivatives of the metric, the score statistic then has the mean
E(v' H v) / 2, which is taken from both limits, and the variance

    1 - {tr(H V H V) / 2 + C} / (variance of the metric),

V the covariance matrix of v and C the third cumulant E(L v' H v), L the linear part of the metric;
z^2 is multiplied by it. Both vanish for a single proportion.

Use them for averages, differences, kappa, Matthews' correlation and metrics of your own. They hold
the level on average over the truth, not at each truth.

These are kernels: arrays have the cells first and a batch of tables last, shape (K, B), and
nothing is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci.counts import Matrix, SparseMatrix
from f1ci.metrics import Metric, Parts
from f1ci.results import Array, FloatOrArray

__all__ = [
    "Average",
    "Cells",
    "SecondOrder",
    "limits",
    "limits_of_tables",
    "second_order",
    "settled",
]

# Cell probabilities (K, B) -> values (B,) and slopes (K, B) with mean zero.
Evaluate: TypeAlias = Callable[[Array], tuple[Array, Array]]
# The same -> N times the bias, and N times the excess of the variance over 1.
SecondOrder: TypeAlias = Callable[[Array], tuple[Array, Array]]
Indices: TypeAlias = NDArray[np.intp]
# Second derivatives by x, R and C of each class.
Second: TypeAlias = list[list[Array]]

# Rounds in which the slopes are taken again. From round `_FIRST` on, when the variance is known,
# tables that do not come to rest are moved less and less: with empty cells whole steps may go back
# and forth for ever.
_FIRST, _ROUNDS = 5, 16

# Newton's steps for the multiplier, which each round starts from the one before.
_NEWTON = 2

# How far the variance of the statistic may be from 1: tables of a few items promise anything.
_LEAST, _MOST = 0.5, 4.0

_STEP = 1e-5  # of a difference quotient, as a share of the items of the cell

# Tables are worked on in blocks of about so many numbers, which stay in the processor's cache.
_BLOCK = 50_000

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
    size = max(1, _BLOCK // len(counts))
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


def limits(
    counts: Array,
    evaluate: Evaluate,
    z: Array | float,
    derivatives: SecondOrder | None = None,
    kept: Callable[[Array], Array] | None = None,
) -> tuple[Array, Array]:
    """Return the lower and the upper limits of a metric, from counts of shape (K, B).

    `derivatives` gives the terms of second order in closed form, where there is one. The limits
    are nan where the metric is.
    """
    # Both sides at once, as twice the number of tables.
    side = np.repeat([-1.0, 1.0], counts.shape[1])
    z, counts = np.tile(np.broadcast_to(z, counts.shape[1:]), 2), np.tile(counts, 2)
    n = counts.sum(axis=0)

    def by_differences(q: Array) -> tuple[Array, Array]:
        return second_order(q, evaluate)

    of_second_order = by_differences if derivatives is None else derivatives
    with np.errstate(all="ignore"):
        shares = counts / n
        estimate = evaluate(shares)[0]
        q = settled(shares, evaluate, side, np.square(z) / n, n, of_second_order, kept)
        # The bias is taken from the value reached; a limit never passes the estimate.
        value, bias = evaluate(q)[0], of_second_order(q)[0] / n
        end = side * (value - np.where(np.isfinite(bias), bias, 0.0))
        low, high = np.split(side * np.fmax(end, side * estimate), 2)
    return low, high


def settled(
    shares: Array,
    evaluate: Evaluate,
    side: Array,
    square: Array,
    n: Array | float = 1.0,
    of_second_order: SecondOrder | None = None,
    kept: Callable[[Array], Array] | None = None,
) -> Array:
    """Return the cell probabilities at a limit: the lower one for side -1, the upper for 1.

    `square` is z^2 / N. With `of_second_order` it is multiplied by the variance of the statistic.
    Where the slopes at some q are undefined, the q before is kept. `kept` scales probabilities to
    class sizes that are fixed.
    """
    q = before = shares
    slopes = target = np.zeros_like(shares)
    late, last = np.zeros(shares.shape[1]), np.full(shares.shape[1], np.inf)
    scale = None
    for step in range(_ROUNDS):
        # 1. Take the slopes at q.
        value, new = evaluate(q)
        usable = np.isfinite(value)
        q, slopes = np.where(usable, q, before), np.where(usable, new, slopes)
        # 2. Once q has settled roughly, take the variance there.
        if step == _FIRST and of_second_order is not None:
            variance = 1.0 + of_second_order(q)[1] / n
            variance = np.where(np.isfinite(variance), variance, 1.0)
            square = square * np.clip(variance, _LEAST, _MOST)
        # 3. Shift items. What has no place goes to the empty cells of the largest slope, in turn.
        moved, rest, top, scale = _shifted(shares, side * slopes, 1.0 + square, scale)
        target = target + (top - target) / (1.0 + late)
        moved = moved + rest * target
        before, move = q, (moved if kept is None else kept(moved)) - q
        q = q + move * (3.0 / (3.0 + late))
        # 4. A table that does not come to rest is moved less from round to round.
        size = np.abs(move).max(axis=0)
        late = late + (step > _FIRST) * (size > 0.5 * last)
        last = size
        if step > _FIRST and not np.any(size > 1e-13):
            break
    return np.where(np.isfinite(evaluate(q)[0]), q, before)


def _shifted(
    shares: Array, slopes: Array, kappa: Array, scale: Array | None
) -> tuple[Array, Array, Array, Array]:
    """Shift items towards larger slopes, until Pearson's statistic allows no more.

    Returns the probabilities of cells with items, what is left for empty cells, the empty cells
    of the largest slope (with sum 1), and the multiplier to start from next time.
    """
    # 1. Slopes less their mean, in units of the largest: q_c = p_c / kappa / (1 - s w_c).
    w = slopes - (shares * slopes).sum(axis=0)
    largest = w.max(axis=0)
    flat = ~(largest > 0.0)
    w = w / np.where(flat, 1.0, largest)
    # 2. If the sum stays below 1 up to s = 1, the largest slope belongs to empty cells only.
    seen = shares > 0.0
    whole = np.where(seen, shares / np.maximum(1.0 - w, 1e-300), 0.0).sum(axis=0)
    full = whole <= kappa
    # 3. Else Newton's method for 1 / (sum of p / (1 - s w)) = 1 / kappa, concave in s.
    if scale is None:
        scale = np.sqrt((kappa - 1.0) / np.maximum((shares * w * w).sum(axis=0), 1e-300))
        scale = np.where(scale < 0.9, scale, 1.0 - 0.09 / scale)
    for _ in range(_NEWTON):
        factor = 1.0 / (1.0 - scale * w)
        part = shares * factor
        total, slope = part.sum(axis=0), (part * factor * w).sum(axis=0)
        ahead = scale + total * (1.0 - total / kappa) / np.maximum(slope, 1e-300)
        scale = np.where(ahead >= 1.0, 0.5 * (1.0 + scale), np.maximum(ahead, 1e-12))
    s = np.where(full, 1.0, scale)
    q = np.where(seen, shares / np.maximum(1.0 - s * w, 1e-300), 0.0)
    rest = np.where(full & ~flat, 1.0 - whole / kappa, 0.0)
    q = np.where(flat, shares, q * ((1.0 - rest) / q.sum(axis=0)))
    top = ~seen & (w >= 1.0 - 1e-9)
    return q, rest, top / np.maximum(top.sum(axis=0), 1), scale


def second_order(q: Array, evaluate: Evaluate) -> tuple[Array, Array]:
    """Return N times the bias and N times the excess variance, by differences of slopes."""
    slopes = evaluate(q)[1]
    error = np.sqrt((q * slopes * slopes).sum(axis=0))
    u = q * slopes / error
    along = np.zeros_like(q)
    trace, product, third = (np.zeros_like(error) for _ in range(3))
    used = np.flatnonzero((q > 0.0).any(axis=1))
    size = max(1, _BLOCK * 10 // q.size)
    for some in np.split(used, range(size, len(used), size)):
        # Rows of the second derivatives, in directions that keep the total; all cells at once.
        step = _STEP * q[some]
        moved = (1.0 - step) * q[:, None]
        moved[some, np.arange(len(some))] += step
        after = evaluate(moved.reshape(len(q), -1))[1].reshape(moved.shape)
        rows = (after - slopes[:, None]) / step
        rows = np.where(step > 0.0, rows - (q[:, None] * rows).sum(axis=0), 0.0)
        own = q[some] * rows[some, np.arange(len(some))]
        trace = trace + own.sum(axis=0)
        product = product + (q[some] * (q[:, None] * rows**2).sum(axis=0)).sum(axis=0)
        third = third + (slopes[some] * own).sum(axis=0)
        along = along + (u[some] * rows).sum(axis=1)
    return _combined(q, slopes, u, along, trace, product, third)


def _combined(
    q: Array, slopes: Array, u: Array, along: Array, trace: Array, product: Array, third: Array
) -> tuple[Array, Array]:
    """The bias and the excess at right angles to u: `along` is H u, the others are sums of H."""
    variance = (q * slopes**2).sum(axis=0)
    error = np.sqrt(variance)
    curve = (u * along).sum(axis=0)
    square = product - 2.0 * (q * along * along).sum(axis=0) + curve * curve
    cumulant = third - 2.0 * (q * slopes**2 * along).sum(axis=0) / error
    cumulant = cumulant + (q * slopes**3).sum(axis=0) * curve / variance
    return 0.5 * (trace - curve), -(0.5 * square + cumulant) / variance


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

    def by_class(self, table: Array) -> list[Array]:
        """Return the right items of each class, the true ones and the predicted ones."""
        ordered = table[self._by_prediction]
        return [
            table[self.right],
            np.add.reduceat(table, self._first_true, axis=0),
            np.add.reduceat(ordered, self._first_predicted, axis=0),
        ]

    def by_cell(self, parts: Sequence[Array]) -> Array:
        """Return for each cell the sum of the parts of the three numbers that an item moves."""
        right, true, predicted = parts
        table = np.asarray(true[self.true] + predicted[self.predicted])
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
        """Return the average and its slopes, by cell, with mean zero."""
        counts = self.cells.by_class(q)
        means = [self._mean(counts, a, b) for a, b in self.scores]
        value, slopes = means[0][0], self.cells.by_cell(means[0][1])
        if self.star is not None:
            (value, outer, _), first = self._star(means), self.cells.by_cell(means[1][1])
            slopes = outer[0] * slopes + outer[1] * first
        return value, self._centred(slopes, q)

    def kept(self, q: Array) -> Array:
        """Return probabilities scaled to the fixed sizes of the classes."""
        assert self.sizes is not None  # noqa: S101 - otherwise nothing is kept
        scale: Array = np.nan_to_num(self.sizes / self.cells.by_class(q)[1])
        return np.asarray(scale[self.cells.true] * q)

    def _centred(self, values: Array, q: Array) -> Array:
        """Return values less their mean, over all items or over those of each class."""
        if self.sizes is None:
            return np.asarray(values - (q * values).sum(axis=0))
        means = self.cells.by_class(q * values)[1] / self.cells.by_class(q)[1]
        by_class: Array = np.nan_to_num(means)
        return np.asarray(values - by_class[self.cells.true])

    def _mean(self, counts: list[Array], a: float, b: float) -> tuple[Array, list[Array], Second]:
        """Return the mean of one score, and its first and second derivatives by class."""
        right, true, predicted = counts
        down = (1.0 - a - b, b, a)
        whole = down[0] * right + b * true + a * predicted
        up = np.where(whole > 0.0, 1.0 / whole, 0.0)
        score = right * up
        first = [(float(i == 0) - score * down[i]) * up for i in range(3)]
        second = [
            [-(first[i] * down[j] + first[j] * down[i]) * up for j in range(3)] for i in range(3)
        ]
        if self.weighted:
            for i in range(3):
                for j in range(3):
                    second[i][j] = (
                        true * second[i][j] + float(i == 1) * first[j] + float(j == 1) * first[i]
                    )
            first = [true * part for part in first]
            first[1] = first[1] + score
            return (true * score).sum(axis=0), first, second
        r = self.cells.r
        second = [[part / r for part in row] for row in second]
        return score.mean(axis=0), [part / r for part in first], second

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
        slopes = self(q)[1]
        means = [self._mean(counts, a, b) for a, b in self.scores]
        second = means[0][2]
        outer: list[list[Array]] = []
        if self.star is not None:
            _, weight, outer = self._star(means)
            second = [
                [weight[0] * means[0][2][i][j] + weight[1] * means[1][2][i][j] for j in range(3)]
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
        return _combined(q, slopes, u, along, trace, product, third)

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


def _times(second: Second, moved: Sequence[Array]) -> list[Array]:
    """Return the product of the second derivatives of each class with three numbers of it."""
    return [row[0] * moved[0] + row[1] * moved[1] + row[2] * moved[2] for row in second]
