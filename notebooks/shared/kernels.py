"""f1ci's limits and tests for many simulated test sets at once.

A public function of `f1ci` takes the labels of one comparison, or whole counts. A study of coverage
needs thousands of comparisons, real counts, or score limits with a part left out. The samples of
the package take them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

import f1ci
from f1ci.data.items import Items
from f1ci.data.matrix import Matrix
from f1ci.methods.multinomial import DEFAULT, Settings
from f1ci.methods.paired import exact_p_value
from f1ci.metrics import Metric
from f1ci.metrics.shares import KnownShares
from f1ci.samples import Difference, Table, difference

__all__ = [
    "DEFAULT",
    "Settings",
    "difference_of",
    "labels",
    "of_strata",
    "p_values",
    "score_limits",
]

Array = NDArray[np.float64]


def score_limits(
    tables: ArrayLike, metric: Metric, z: float, settings: Settings = DEFAULT
) -> tuple[Array, Array]:
    """Return score limits of confusion matrices (..., r, r), with parts of the algorithm changed."""
    matrix = Matrix.of(np.asarray(tables, dtype=np.float64))
    return Table(metric, matrix, settings=settings).score_limits(z)


def of_strata(tables: ArrayLike, shares: ArrayLike, metric: Metric) -> Table:
    """Return the sample of a score in a population with known shares of the strata.

    The tables (test sets, strata, r, r) count items by stratum, true and predicted class.
    """
    counts = np.asarray(tables, dtype=np.float64)
    r = counts.shape[-1]
    strata, *codes = np.nonzero(counts.any(axis=0))
    rows = counts[:, strata, codes[0], codes[1]].T
    items = Items(np.array(codes), rows, None, tuple(range(r)), r, strata=strata)
    return Table(KnownShares(metric, np.asarray(shares)), items.matrix())


def difference_of(tables: ArrayLike, metric: Metric = f1ci.metrics.f1) -> Difference:
    """Return the sample of B's score minus A's, for tables (..., truth, A, B) of counts."""
    counts = np.asarray(tables, dtype=np.float64)
    r = counts.shape[-1]
    codes = np.indices((r, r, r)).reshape(3, -1)
    rows = np.moveaxis(counts.reshape(*counts.shape[:-3], r**3), -1, 0)
    return difference(metric, Items(codes, rows, None, tuple(range(r)), r))


def labels(table: ArrayLike) -> tuple[NDArray[np.intp], ...]:
    """Return truth and both models' predictions of the items that a table (truth, A, B) counts."""
    return tuple(np.repeat(axis.ravel(), np.ravel(table)) for axis in np.indices(np.shape(table)))


def p_values(tables: Sequence[ArrayLike], a: float = 0.5, b: float = 0.5) -> Array:
    """Return the p-value of the exact test of a Tversky score, for each table (truth, A, B)."""
    return np.array([exact_p_value(np.asarray(table), a, b) for table in tables])
