"""Covariances of estimates: several metrics of several models on the same items.

An item moves an estimate by its influence (see `f1ci.metrics`). The covariance of two estimates is
that of their items' influences over n (Yuan & Jiang 2025, proposition 1). A question is a pair: the
number of a model, and a metric. Arrays have questions and rows of items first, a batch of data sets
last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts, Cells, all_cells, sums_by_code
from f1ci.methods import linear
from f1ci.metrics import Metric
from f1ci.metrics.averages import settled
from f1ci.types import Array

# The table of two models gets so many more items in each true class, or in each stratum, of which
# each model has half right, independently of the other: for two classes half an item in each of the
# eight cells.
ADDED = 2.0

# More cells than this, which hold added items, do not fit in memory.
_MOST_CELLS = 10**6


def influence_of_rows(metric: Metric, items: Items, model: int) -> Array:
    """Return how each row of items moves a model's score, (rows, ...); nan if it is undefined."""
    alone = items.of_models(model)
    matrix = alone.matrix()
    _, influence = metric.evaluate(matrix)
    return alone.by_row(influence, 0, matrix.cells)


def moves_of_rows(metric: Metric, items: Items, model: int) -> Array:
    """Return how far one item of each row moves a model's score, (rows, ...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(influence_of_rows(metric, items, model) / items.counts.sum(axis=0))


def observed(items: Items, questions: Sequence[tuple[int, Metric]]) -> Array:
    """Return the covariance (K, K, ...) of independent items, with the divisor n - 1.

    Undefined metrics have ``nan`` rows, and exact ones rows of exact zeros.
    """
    moves = np.array([moves_of_rows(metric, items, model) for model, metric in questions])
    return linear.covariance_of(moves, items.counts, items.drawn_strata)


def error_of_difference(metric: Metric, items: Items) -> Array:
    """Return the standard error of metric(B) - metric(A) of independent items."""
    moves_a = moves_of_rows(metric, items, 0)
    moves_b = moves_of_rows(metric, items, 1)
    # What both models do alike cancels, except for rounding.
    moves = linear.without_rounding(moves_b - moves_a, np.abs(moves_a) + np.abs(moves_b))
    return linear.error_of(moves, items.counts, strata=items.drawn_strata)


def smoothed(items: Items, questions: Sequence[tuple[int, Metric]]) -> Array:
    """Return the covariance, times n^2, with `ADDED` more items in each true class, or stratum.

    Every model gets half of these right, independently of the others, and takes the rest for any
    other class alike. Correlations of estimates without variance are then defined, and models that
    agree on a small test set are no copies (Agresti and Min 2005, Statistics in Medicine 24,
    729-740).
    """
    added = _added(items)
    if len(added) * len(items.classes) > _MOST_CELLS:
        rows = [influence_of_rows(metric, items, model) for model, metric in questions]
        return _products(np.nan_to_num(rows), items.counts)
    # 1. The influence of each cell, at the tables with the added items.
    cells = np.array([_with_added_items(items, *question, added) for question in questions])
    # 2. Products over the items, and over the added ones.
    models = [model for model, _ in questions]
    rows_of_items = np.array(
        [cell[items.places(model)] for cell, model in zip(cells, models, strict=True)]
    )
    return _products(rows_of_items, items.counts) + _products_of_added(cells, models, added)


def correlation(covariance: Array) -> Array:
    """Return the correlation of two estimates from their covariance, 0 without a variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        r = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    return np.asarray(np.clip(np.nan_to_num(r), -1.0, 1.0))


def _products(values: Array, weights: Array | float) -> Array:
    """Return weighted sums of products of values (K, rows, ...), shape (K, K, ...)."""
    return np.asarray(np.einsum("kr...,lr...->kl...", values * weights, values))


def _products_of_added(cells: Array, models: list[int], added: Array) -> Array:
    """Return products (K, K, ...) over the added items, from influences by cell (K, cells, ...).

    Of one model the sum is over cells, of two models over the rows of their tables.
    """
    batch = cells.shape[2:]
    more = _by_cell(added, cells.shape[1] // len(added), len(batch))
    sums = (cells * more).reshape(len(cells), len(added), -1, *batch).sum(axis=2)
    some = added > 0.0
    of_two = _products(sums[:, some], (1.0 / added[some]).reshape(-1, *[1] * len(batch)))
    alike = np.equal.outer(models, models).reshape(len(cells), len(cells), *[1] * len(batch))
    return np.where(alike, _products(cells, more), of_two)


def _added(items: Items) -> Array:
    """Return the added items in each row of the tables: each true class, in strata in each stratum.

    Those of a stratum are spread over the true classes as its own items are.
    """
    r = len(items.classes)
    if items.strata is None:
        return np.full(r, ADDED)
    strata = int(items.strata.max()) + 1
    in_row = np.bincount(items.strata * r + items.codes[0], items.counts, strata * r)
    in_stratum = in_row.reshape(strata, r).sum(axis=1).repeat(r)
    return np.asarray(ADDED * in_row / np.maximum(in_stratum, 1.0))


def _by_cell(added: Array, r: int, batch: int) -> Array:
    """Return the added items by cell, (cells, 1, ...): half are right, the others spread evenly."""
    right = np.eye(r, dtype=bool)[np.arange(len(added)) % r]
    share = np.where(right, 0.5, 0.5 / (r - 1.0))
    return (added[:, None] * share).reshape(-1, *[1] * batch)


def _with_added_items(items: Items, model: int, metric: Metric, added: Array) -> Array:
    """Return the influence of each cell (cells, ...) on a metric if items are added.

    Classes without a score stay so.
    """
    r = len(items.classes)
    cells = all_cells(r) if items.strata is None else Cells.at(np.arange(len(added) * r), r)
    counts = sums_by_code(items.places(model), items.counts, len(added) * r)
    patterns = settled(metric, CellCounts(cells, counts))
    if len(patterns) == 1:
        metric = patterns[0][1]
    more = _by_cell(added, r, counts.ndim - 1)
    return np.nan_to_num(metric.evaluate(CellCounts(cells, counts + more))[1])
