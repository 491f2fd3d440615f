"""A metric in a population whose class shares are known: another prevalence, the areas of a map.

A test set tells how the items of each true class are predicted. It need not tell how frequent the
classes are: it may be balanced or enriched, or the model goes where positives are rarer. Let pi_i
be the share of class i there. In the test set let p_ij be the probability of a cell, and p_i. that
of class i, the sum of a row. The metric is that of the matrix

    s_ij = pi_i p_ij / p_i. ,

whose row i sums to pi_i. Let g_ij be the slope of the metric by s_ij. By the chain rule the slope
by p_ij is, up to a constant,

    (pi_i / p_i.) (g_ij - sum_j g_ij p_ij / p_i.).

The score limits of `f1ci.methods.multinomial` need no more.

Multiplying items by weights and calling the result a sample of that size is wrong. The weighted
matrix has the right score, but the number of rare items stays what it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _validation
from f1ci.data import Matrix
from f1ci.metrics.base import Metric
from f1ci.results import Array, Classes

# Shares that are typed with few digits sum to 1 within this.
_ROUNDED = 1e-3


@dataclass(frozen=True, repr=False, eq=False)
class KnownShares(Metric):
    """A metric in a population with known shares of the true classes.

    Attributes
    ----------
    of : Metric
        The metric.
    shares : ndarray, shape (r,)
        The shares, which sum to 1. A class that is never true has the share 0.
    """

    of: Metric
    shares: Array

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

    def scaled(self, matrix: Matrix) -> Matrix:
        """Return the matrix of the population: each row sums to its share."""
        factor = self._factor(matrix)
        return Matrix(matrix.cells, matrix.counts * factor[matrix.cells.true])

    def _factor(self, matrix: Matrix) -> Array:
        """Return the share of each class by its number of items; 0 for a class without a share."""
        shares = self.shares.reshape(-1, *(1,) * matrix.total.ndim)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(shares > 0.0, shares / matrix.true, 0.0)

    def estimate(self, matrix: Matrix) -> Array:
        return self.of.estimate(self.scaled(matrix))

    def slopes_and_size(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        scaled = self.scaled(matrix)
        value, slopes, size = self.of.slopes_and_size(scaled)
        true = matrix.cells.true
        # The derivatives by shares of the items, which are counts over their total.
        factor = (self._factor(matrix) * matrix.total)[true]
        of_row = self._mean_of_row(scaled, slopes)[true]
        size_of_row = self._mean_of_row(scaled, size)[true]
        return value, factor * (slopes - of_row), factor * (size + size_of_row)

    def _mean_of_row(self, scaled: Matrix, values: Array) -> Array:
        """Return the means of values by cell (K, ...) in each true class, (r, ...)."""
        sums = scaled.cells.by_class(scaled.counts * values)[2]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scaled.true > 0.0, sums / scaled.true, 0.0)

    def undefined(self, matrix: Matrix, /) -> NDArray[np.bool_] | None:
        """Tell which parts of an average are undefined."""
        return self.of.undefined(self.scaled(matrix))

    def settled(self, undefined: NDArray[np.bool_], /) -> KnownShares:
        """Return the average that has no value for certain parts."""
        return replace(self, of=self.of.settled(undefined))


def with_shares(metric: Metric, shares: Array, true: Array, classes: Classes) -> KnownShares:
    """Return the metric with known shares of the classes, which have so many true items (r, ...).

    A class has a share above 0 just if it has items.
    """
    numbers = true.reshape(len(true), -1)
    for name, share, number in zip(classes, shares.tolist(), numbers, strict=True):
        label = _validation.short(name)
        if share > 0.0 and not number.all():
            rule = f"class_shares must be 0 for class {label}, which has no true item"
            raise ValueError(f"{rule}, got {share:g}")
        if share == 0.0 and number.any():
            rule = f"class_shares must be above 0 for class {label}, which has true items"
            raise ValueError(f"{rule}, got 0")
    return KnownShares(metric, shares)


def shares_by_row(value: ArrayLike | Mapping[int, float], classes: int) -> Array:
    """Return the checked shares of the rows of a matrix, from a list or a mapping of places."""
    if isinstance(value, Mapping):
        return shares_by_class(value, range(classes))
    shares = _validation.weights("class_shares", value)
    _validation.shaped("class_shares", shares, shares.shape == (classes,), f"({classes},)")
    return _summing_to_one(shares, value)


def shares_by_class(value: object, classes: Classes) -> Array:
    """Return the checked shares of the classes in their order, from a mapping.

    A class that is not named has the share 0.
    """
    if not isinstance(value, Mapping):
        how = "class_shares must map each label to its share, such as {'spam': 0.02, 'ham': 0.98}"
        raise TypeError(f"{how}, got {_validation.short(value)}")
    unknown = [label for label in value if label not in list(classes)]
    if unknown:
        known = _validation.listing(list(classes))
        rule = f"class_shares must name classes that occur ({known})"
        raise ValueError(f"{rule}, got {_validation.short(unknown[0])}")
    shares = [_validation.probability("class_shares", value.get(label, 0.0)) for label in classes]
    return _summing_to_one(np.array(shares), value)


def shares_of_two(value: object, pos_label: Hashable) -> Array:
    """Return the checked shares of the negative and the positive class, from a mapping."""
    if isinstance(value, Mapping) and pos_label not in value:
        rule = f"class_shares must name the positive class {_validation.short(pos_label)}"
        raise ValueError(f"{rule}, got {_validation.short(value)}")
    if isinstance(value, Mapping) and len(value) != 2:
        rule = "class_shares of a metric of two classes must name two classes"
        raise ValueError(f"{rule}, got {_validation.short(value)}")
    others: Sequence[Hashable] = []
    if isinstance(value, Mapping):
        others = [label for label in value if label != pos_label]
    return shares_by_class(value, [*others, pos_label])


def _summing_to_one(shares: Array, value: object) -> Array:
    """Return shares scaled to sum to 1, or refuse those that do not nearly."""
    total = float(shares.sum())
    if abs(total - 1.0) > _ROUNDED:
        hint = "; divide percentages by 100" if abs(total - 100.0) <= 100.0 * _ROUNDED else ""
        rule = f"class_shares must sum to 1, got {_validation.short(value)}"
        raise ValueError(f"{rule} with the sum {total:.6g}{hint}")
    return np.asarray(shares / total)
