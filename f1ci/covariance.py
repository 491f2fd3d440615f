"""Covariances of estimates: several metrics of several models on the same items.

An item moves an estimate by its influence (see `f1ci.metrics`). The covariance of two estimates is
that of their items' influences over n (Yuan & Jiang 2025, proposition 1). A question is a pair: the
number of a model, and a metric. Arrays have questions and rows of items first, a batch of data sets
last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from f1ci.data import Items, Matrix, all_cells
from f1ci.methods import delta
from f1ci.metrics import Metric
from f1ci.metrics.averages import settled
from f1ci.results import Array

# The table of two models gets so many more items in each true class, of which each model has half
# right, independently of the other: for two classes half an item in each of the eight cells.
ADDED = 2.0

# Of more classes than this, the cells with added items do not fit in memory.
_MOST_CLASSES = 1000


def influence_of_rows(metric: Metric, items: Items, model: int) -> Array:
    """Return how each row of items moves a model's score, (rows, ...); nan if it is undefined."""
    alone = items.of_models(model)
    matrix = alone.matrix()
    _, influence = metric.evaluate(matrix)
    return alone.by_row(influence, 0, matrix.cells)


def observed(items: Items, questions: Sequence[tuple[int, Metric]]) -> Array:
    """Return the covariance (K, K, ...), with the divisor n - 1; for items in groups by group.

    Undefined metrics have ``nan`` rows, and exact ones rows of exact zeros.
    """
    rows = np.array([influence_of_rows(metric, items, model) for model, metric in questions])
    return delta.item_covariance(rows, items.counts, items.groups)


def smoothed(items: Items, questions: Sequence[tuple[int, Metric]]) -> Array:
    """Return the covariance, times n^2, with `ADDED` more items in each true class.

    Every model gets half of these right, independently of the others, and takes the rest for any
    other class alike. Correlations of estimates without variance are then defined, and models that
    agree on a small test set are no copies (Agresti and Min 2005, Statistics in Medicine 24,
    729-740).
    """
    r = len(items.classes)
    if r > _MOST_CLASSES:
        rows = [influence_of_rows(metric, items, model) for model, metric in questions]
        return _products(np.nan_to_num(rows), items.counts)
    # 1. The influence of each cell, at the tables with the added items.
    places = [items.codes[0] * r + items.codes[model + 1] for model, _ in questions]
    cells = np.array([_with_added_items(items, *question) for question in questions])
    rows_of_items = np.array([cell[place] for cell, place in zip(cells, places, strict=True)])
    # 2. Products over the items, and over the added ones: of one model cell by cell, of two models
    # class by class.
    added = _added(r).reshape(-1, *(1,) * (items.counts.ndim - 1))
    by_class = (cells * added).reshape(len(cells), r, r, *items.counts.shape[1:]).sum(axis=2)
    model = np.array([model for model, _ in questions])
    alike = np.equal.outer(model, model).reshape(*[len(model)] * 2, *[1] * (cells.ndim - 2))
    of_added = np.where(alike, _products(cells, added), _products(by_class, 1.0 / ADDED))
    return np.asarray(_products(rows_of_items, items.counts) + of_added)


def correlation(covariance: Array) -> Array:
    """Return the correlation of two estimates from their covariance, 0 without a variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        r = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    return np.asarray(np.clip(np.nan_to_num(r), -1.0, 1.0))


def _products(values: Array, weights: Array | float) -> Array:
    """Return weighted sums of products of values (K, rows, ...), shape (K, K, ...)."""
    return np.asarray(np.einsum("kr...,lr...->kl...", values * weights, values))


def _added(r: int) -> Array:
    """Return the added items by cell, shape (r * r,)."""
    return np.where(all_cells(r).right, ADDED / 2.0, ADDED / 2.0 / (r - 1.0))


def _with_added_items(items: Items, model: int, metric: Metric) -> Array:
    """Return the influence of each cell (r * r, ...) on a metric if items are added.

    Classes without a score stay so.
    """
    r = len(items.classes)
    cells = all_cells(r)
    counts = np.zeros((r * r, *items.counts.shape[1:]))
    np.add.at(counts, items.codes[0] * r + items.codes[model + 1], items.counts)
    patterns = settled(metric, Matrix(cells, counts))
    if len(patterns) == 1:
        metric = patterns[0][1]
    more = _added(r).reshape(-1, *(1,) * (counts.ndim - 1))
    return np.nan_to_num(metric.evaluate(Matrix(cells, counts + more))[1])
