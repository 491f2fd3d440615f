"""A metric in a population whose parts have known shares: another prevalence, the areas of a map.

A test set tells how the items of each part are classified. It need not tell how large the parts
are: it may be balanced or enriched, or the model goes where positives are rarer. The parts are
strata from which items were drawn: the classes of a map, regions, bins of a model's scores. Known
class shares are the case in which the strata are the true classes.

Let W_h be the share of stratum h in the population. In the test set let p_hij be the probability of
true class i and predicted class j in stratum h, and p_h the sum of these. The metric is that of the
matrix

    s_ij = sum over h of W_h p_hij / p_h .

Let g_ij be the slope of the metric by s_ij. By the chain rule the slope by p_hij is, up to a
constant,

    (W_h / p_h) (g_ij - mean of g in stratum h).

If the shares were counted in a random pool, the counts of the pool are one more part of the table:
rows of their own strata, the h-th behind the strata that were drawn from. With r_h the share of
such a row, W_h is r_h / (sum of r), and the slope by r_h is

    (mean of g in stratum h - mean of g) / (sum of r).

The score limits of `f1ci.methods.region` need no more. The slopes have the mean 0 in each stratum,
so the sizes of the strata may be fixed or random: the limits are the same. The standard error is
that of stratified sampling, the root of ``sum of W_h^2 S_h^2 / n_h``, where S_h^2 is the variance
of the slopes in stratum h with the divisor n_h - 1 (Cochran 1977, *Sampling Techniques*, section
5.3).

Multiplying items by weights and calling the result a sample of that size is wrong. The weighted
matrix has the right score, but the number of rare items stays what it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci.data import checks
from f1ci.data.matrix import CellCounts, Cells
from f1ci.metrics.base import FEW, Metric
from f1ci.types import Array, Classes

# Shares that are typed with few digits sum to 1 within this.
_ROUNDED = 1e-3


@dataclass(frozen=True, repr=False, eq=False)
class KnownShares(Metric):
    """A metric in a population with known shares of the strata.

    Attributes
    ----------
    of : Metric
        The metric.
    shares : ndarray, shape (strata,)
        The shares, which sum to 1. A stratum without items has the share 0.
    drawn : int
        The number of strata that were drawn from, if their shares are counted in rows of a pool,
        whose strata are behind these; 0 if the shares are known.
    """

    of: Metric
    shares: Array
    drawn: int = 0
    averages = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the metric."""
        return self.of.name

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The range of the metric."""
        return self.of.range

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """True if the metric has no kink."""
        return self.of.smooth

    def scaled(self, matrix: CellCounts) -> CellCounts:
        """Return the matrix of the population: each stratum sums to its share."""
        return CellCounts(matrix.cells, matrix.counts * self._factor(matrix))

    def _factor(self, matrix: CellCounts) -> Array:
        """Return for each cell the share of its stratum by its number of items, (K, ...)."""
        share = self._share_of_cells(matrix)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(share > 0.0, share / matrix.cells.by_stratum(matrix.counts), 0.0)

    def _share_of_cells(self, matrix: CellCounts) -> Array:
        """Return the share of each cell's stratum, (K, 1, ...)."""
        if not self.drawn:
            return self.shares[matrix.cells.stratum].reshape(-1, *(1,) * matrix.total.ndim)
        counts = matrix.cells.sums_of_strata(matrix.counts)
        counts[: self.drawn] = counts[self.drawn :] / counts[self.drawn :].sum(axis=0)
        counts[self.drawn :] = 0.0
        return np.asarray(counts[matrix.cells.stratum])

    def estimate(self, matrix: CellCounts) -> Array:
        return self.of.estimate(self.scaled(matrix))

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        scaled = self.scaled(matrix)
        value, slopes, size = self.of.slopes_and_size(scaled)
        # The derivatives by shares of the items, which are counts over their total.
        factor = self._factor(matrix) * matrix.total
        stratum = matrix.cells.stratum
        means, sizes = _means(scaled, slopes), _means(scaled, size)
        slopes, size = factor * (slopes - means[stratum]), factor * (size + sizes[stratum])
        if self.drawn:
            slopes += self._by_pool(matrix, means - scaled.sum(means[stratum]))
            size += self._by_pool(matrix, sizes + scaled.sum(sizes[stratum]))
        return value, slopes, size

    def _by_pool(self, matrix: CellCounts, of_strata: Array) -> Array:
        """Return what the counts of the pool change, by cell, from what their strata change."""
        of_pool = np.zeros_like(of_strata)
        of_pool[self.drawn :] = of_strata[: self.drawn]
        in_pool = matrix.counts[matrix.cells.stratum >= self.drawn].sum(axis=0)
        return np.asarray(of_pool[matrix.cells.stratum] * matrix.total / in_pool)

    def perfect(self, matrix: CellCounts) -> Array:
        cells = matrix.cells
        right = Cells(cells.r, cells.true, cells.true, cells.stratum)
        return self.estimate(CellCounts(right, matrix.counts))

    def undefined(self, matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell which parts of an average are undefined."""
        return self.of.undefined(self.scaled(matrix))

    def settled(self, undefined: NDArray[np.bool_], /) -> KnownShares:
        """Return the average that has no value for certain parts."""
        return replace(self, of=self.of.settled(undefined))

    def over(self, classes: int, /) -> tuple[int, ...] | None:
        """Return the places of the classes that an average is over."""
        return self.of.over(classes)

    def left_out(self) -> tuple[int, ...]:
        """Return the classes that an average leaves out."""
        return self.of.left_out()

    @property
    def constant(self) -> float:
        """What a class without a score counts in an average."""
        return self.of.constant

    def counting(self, constant: float, /) -> KnownShares:
        """Return the average in which a class without a score counts so."""
        return replace(self, of=self.of.counting(constant))

    def with_few_items(self, matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell in which classes few items of the test set matter."""
        checked = matrix.counts * (self._share_of_cells(matrix) > 0.0)
        return self.of.with_few_items(CellCounts(matrix.cells, checked))

    def few_for_a_share(self, matrix: CellCounts, /) -> tuple[int, float] | None:
        """Return the items, fewer than `FEW`, that stand for a known share, and the share."""
        if self.drawn or self.simplest(matrix.cells) is self.of:
            return None
        sizes = matrix.cells.sums_of_strata(matrix.counts).reshape(len(self.shares), -1)
        few = np.argwhere((sizes < FEW) & (self.shares[:, None] > 0.0))
        if not len(few):
            return None
        stratum = max(few[:, 0].tolist(), key=lambda place: self.shares[place])
        return int(sizes[stratum].min()), float(self.shares[stratum])

    def strata(self, cells: Cells, /) -> NDArray[np.intp]:
        """Return the stratum of each cell; the pool is one."""
        return np.minimum(cells.stratum, self.drawn) if self.drawn else cells.stratum

    def simplest(self, cells: Cells, /) -> Metric:
        """Return the metric without shares if all cells that count in it are of one stratum.

        So the recall of a class has one interval whatever its share is.
        """
        index = self.of.index
        if index is None or self.drawn:
            return self
        # How many cells count, the sum of their strata, and the sum of the squares of these.
        powers = np.vander(cells.stratum.astype(np.float64), 3, increasing=True)
        powers[self.shares[cells.stratum] == 0.0] = 0.0
        tp, fp, fn = self.of.counts(CellCounts(cells, powers))
        number, total, squares = tp + (index.a > 0.0) * fp + (index.b > 0.0) * fn
        return self.of if number * squares == total**2 else self


def _means(scaled: CellCounts, values: Array) -> Array:
    """Return the means of values by cell (K, ...) in the strata, (strata, ...)."""
    share = scaled.cells.sums_of_strata(scaled.counts)
    sums = scaled.cells.sums_of_strata(scaled.counts * values)
    return np.asarray(sums / np.where(share > 0.0, share, 1.0))


# What shares are of, in the singular and the plural, and what these hold.
_WORDS = {
    "class_shares": ("class", "classes", "true items"),
    "stratum_shares": ("stratum", "strata", "items"),
    "stratum_counts": ("stratum", "strata", "items"),
}


def shares_by_row(value: ArrayLike | Mapping[int, float], true: Array) -> Array:
    """Return the checked shares of the rows of matrices, from a list or a mapping of places.

    The rows have so many true items, shape (r, ...).
    """
    rows = range(len(true))
    if isinstance(value, Mapping):
        return shares_by_name("class_shares", value, rows, true)
    shares = checks.weights("class_shares", value)
    checks.shaped("class_shares", shares, shares.shape == (len(true),), f"({len(true)},)")
    return _checked("class_shares", shares, value, rows, true)


def shares_by_name(argument: str, value: object, names: Classes, items: Array) -> Array:
    """Return the checked shares of classes or strata in their order, from a mapping.

    They have so many items, shape (strata, ...). What has no items may be named with the share 0.
    """
    one, several, _ = _WORDS[argument]
    if not isinstance(value, Mapping):
        how = f"{argument} must map each {one} to its share, such as {{'a': 0.02, 'b': 0.98}}"
        raise TypeError(f"{how}, got {checks.short(value)}")
    shares = {name: checks.number(argument, share) for name, share in value.items()}
    checks.weights(argument, list(shares.values()))
    _refuse_strangers(f"{argument} must name {several} that occur", shares, list(names))
    by_place = np.array([shares.get(name, 0.0) for name in names])
    return _checked(argument, by_place, value, names, items)


def _refuse_strangers(rule: str, shares: Mapping[Any, float], known: Classes) -> None:
    """Refuse a share of what does not occur."""
    for name, share in shares.items():
        if share > 0.0 and name not in known:
            got = f"({checks.listing(known)}), got {checks.short(name)}"
            raise ValueError(f"{rule} {got}; join a stratum without items with one that is alike")


def _checked(argument: str, shares: Array, value: object, names: Classes, items: Array) -> Array:
    """Return shares scaled to sum to 1. A share is above 0 exactly if there are items."""
    total = float(shares.sum())
    if argument != "stratum_counts" and abs(total - 1.0) > _ROUNDED:
        hint = "; divide percentages by 100" if abs(total - 100.0) <= 100.0 * _ROUNDED else ""
        rule = f"{argument} must sum to 1, got {checks.short(value)}"
        raise ValueError(f"{rule} with the sum {total:.6g}{hint}")
    by_name = items.reshape(len(items), -1)
    for name, share, number in zip(names, shares.tolist(), by_name, strict=True):
        _check_items(argument, name, share, number)
    return np.asarray(shares / total)


def _check_items(argument: str, name: Hashable, share: float, items: Array) -> None:
    """Check that what has a share has items, in all matrices of a batch, and that no other has."""
    one, _, held = _WORDS[argument]
    what = f"{one} {checks.short(name)}"
    if share > 0.0 and not items.all():
        raise ValueError(f"{argument} must be 0 for {what}, which has no {held}, got {share:g}")
    if share == 0.0 and items.any():
        raise ValueError(f"{argument} must be above 0 for {what}, which has {held}, got 0")
