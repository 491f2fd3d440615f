"""f1ci's limits and tests for many simulated test sets at once.

A public function of `f1ci` takes the labels of one comparison, or whole counts. A study of coverage
needs thousands of comparisons, real counts, or a part of the score limits alone. The samples and
methods of the package take them. This is the one module that imports inner modules of f1ci, which
may change; all others ask `f1ci` and its modules `coverage`, `joint`, `metrics` and `plot`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import f1ci
from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts
from f1ci.data.units import UnitCounts
from f1ci.methods import METHODS, closed_form, region
from f1ci.methods.delta import normal_quantile
from f1ci.methods.paired import exact_p_value
from f1ci.metrics import Metric
from f1ci.metrics.averages import settled
from f1ci.metrics.shares import KnownShares
from f1ci.samples import CountSample, Difference, Sample, TableSample, difference
from f1ci.types import FloatOrArray

__all__ = [
    "Limits",
    "difference_of",
    "f1_over_kinds",
    "labels",
    "limits_of_differences",
    "limits_of_f1",
    "limits_of_sample",
    "of_strata",
    "p_values",
    "parts_of_limits",
    "score_limits",
    "table_of",
    "variance_factor",
]

Array: TypeAlias = NDArray[np.float64]
Limits: TypeAlias = tuple[Array, Array]


def score_limits(tables: ArrayLike, metric: Metric, z: FloatOrArray) -> Limits:
    """Return score limits of confusion matrices (..., r, r)."""
    return table_of(tables, metric).score_limits(z)


def limits_of_sample(method: str, sample: Sample, z: FloatOrArray) -> Limits:
    """Return the limits by a method of the package."""
    return METHODS[method].limits(sample, z)


def limits_of_f1(method: str, tp: Array, v: Array, z: FloatOrArray) -> Limits:
    """Return limits of F1, by a method's name here or in the paper, from v relevant items."""
    named = next(x for x in METHODS.values() if method in (x.name, x.paper_name))
    return named.limits(CountSample(f1ci.metrics.f1, tp, v - tp, np.zeros_like(tp)), z)


def table_of(tables: ArrayLike, metric: Metric) -> TableSample:
    """Return the sample of a score, for confusion matrices (..., r, r) of counts."""
    return TableSample(metric, _matrix(tables))


def parts_of_limits(tables: ArrayLike, metric: Metric, z: float) -> dict[str, Limits]:
    """Return score limits with neither, either and both of their corrections.

    "plain" is the range of the metric in Pearson's region, "factor" multiplies z^2 by the variance
    factor, "correction" corrects for one to three errors, "whole" does both. The tables (B, r, r)
    have items in every row and column, and the metric has the value 1 for a perfect table.
    """
    matrix = _matrix(tables)
    ((_, every_class),) = settled(metric, matrix)
    evaluate = every_class.at_shares(matrix.cells)
    wide = z * np.sqrt(variance_factor(tables, metric))
    plain = region.score_limits(evaluate, matrix.counts, z)
    factor = region.score_limits(evaluate, matrix.counts, wide)
    nearer = closed_form.few_errors_factor(matrix.total - matrix.right.sum(axis=0), np.array(z))
    return {
        "plain": plain,
        "factor": factor,
        "correction": (plain[0], 1.0 - (1.0 - plain[1]) * nearer),
        "whole": (factor[0], 1.0 - (1.0 - factor[1]) * nearer),
    }


def variance_factor(tables: ArrayLike, metric: Metric) -> Array:
    """Return the factor on z^2 of confusion matrices (..., r, r)."""
    matrix = _matrix(tables)
    _, influence = metric.evaluate(matrix)
    shares = CellCounts(matrix.cells, matrix.counts / matrix.total)
    squares = CellCounts(matrix.cells, shares.counts * influence**2)
    classes = (shares.true, squares.true), (shares.predicted, squares.predicted)
    return region.variance_factor(shares.counts, influence, matrix.total, classes)


def _matrix(tables: ArrayLike) -> CellCounts:
    return CellCounts.of(np.asarray(tables, dtype=np.float64))


def of_strata(tables: ArrayLike, shares: ArrayLike, metric: Metric) -> TableSample:
    """Return the sample of a score in a population with known shares of the strata.

    The tables (test sets, strata, r, r) count items by stratum, true and predicted class.
    """
    counts = np.asarray(tables, dtype=np.float64)
    r = counts.shape[-1]
    strata, *codes = np.nonzero(counts.any(axis=0))
    rows = counts[:, strata, codes[0], codes[1]].T
    items = Items(np.array(codes), rows, None, tuple(range(r)), r, strata=strata)
    return TableSample(KnownShares(metric, np.asarray(shares)), items.matrix())


def difference_of(tables: ArrayLike, metric: Metric = f1ci.metrics.f1) -> Difference:
    """Return the sample of B's score minus A's, for tables (..., truth, A, B) of counts."""
    counts = np.asarray(tables, dtype=np.float64)
    r = counts.shape[-1]
    codes = np.indices((r, r, r)).reshape(3, -1)
    rows = np.moveaxis(counts.reshape(*counts.shape[:-3], r**3), -1, 0)
    return difference(metric, Items(codes, rows, None, tuple(range(r)), r))


def limits_of_differences(counts: ArrayLike, method: str, level: float) -> Limits:
    """Return limits of differences of two models' F1 over many collections of units.

    The counts have the models first, then units, collections, and TP, FP and FN. The collections
    stand where classes do, because intervals of classes do not depend on one another.
    """
    tables = tuple(np.moveaxis(np.asarray(counts, dtype=np.float64), 3, 2))
    pair = difference(f1ci.metrics.f1, UnitCounts(tables, range(tables[0].shape[2])))
    low, high = METHODS[method].limits(pair, normal_quantile(level))
    return np.asarray(low), np.asarray(high)


def f1_over_kinds(held: Array, seen: Array, z: float) -> tuple[float, float]:
    """Return the range of F1 in Pearson's region over kinds of units.

    Each kind holds TP, FP and FN, (kinds, 3), and was seen so often, (kinds,). The package has one
    choice of kinds; this takes any.
    """
    right, whole = held[:, 0], held @ [1.0, 0.5, 0.5]

    def evaluate(q: Array) -> tuple[Array, Array]:
        score = right @ q / (whole @ q)
        return score, (right[:, None] - score * whole[:, None]) / (whole @ q)

    low, high = region.score_limits(evaluate, seen[:, None], z)
    return float(low[0]), float(high[0])


def labels(table: ArrayLike) -> tuple[NDArray[np.intp], ...]:
    """Return truth and both models' predictions of the items that a table (truth, A, B) counts."""
    return tuple(np.repeat(axis.ravel(), np.ravel(table)) for axis in np.indices(np.shape(table)))


def p_values(tables: Sequence[ArrayLike], a: float = 0.5, b: float = 0.5) -> Array:
    """Return the p-value of the exact test of a Tversky score, for each table (truth, A, B)."""
    return np.array([exact_p_value(np.asarray(table), a, b) for table in tables])
