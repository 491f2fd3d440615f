"""TP, FP and FN of units: documents, images, or items that may be of several classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from f1ci.data import checks
from f1ci.data.items import codes_of
from f1ci.data.labels import indicator_counts
from f1ci.types import Array, Classes, LabelsLike


class UnitCounts(NamedTuple):
    """TP, FP and FN of units: documents, or items that may be of several classes.

    Attributes
    ----------
    tables : tuple of ndarray, shape (units, 3) or (units, 3, classes)
        The counts of each model.
    classes : sequence
        The classes.
    grouped : bool
        The units are groups of items.
    items : int
        The number of items, if units are made of these.
    """

    tables: tuple[Array, ...]
    classes: Classes
    grouped: bool = False
    items: int = 0

    @property
    def named(self) -> bool:
        """True: each column is a class that exists, also if no unit holds an item of it."""
        return True

    @property
    def number(self) -> int:
        """The number of items, if units are made of these; of units otherwise."""
        return self.items or len(self.tables[0])

    def counts_by_class(self) -> Array:
        """Return TP, FP and FN of the first model for each class."""
        return np.asarray(self.tables[0].sum(axis=0))

    def of_models(self, *models: int) -> UnitCounts:
        """Return the counts of some models."""
        return self._replace(tables=tuple(self.tables[model] for model in models))

    def weighted(self, weight: Array) -> UnitCounts:
        """Return the counts with a weight for each unit."""
        tables = [np.moveaxis(np.moveaxis(table, 0, -1) * weight, -1, 0) for table in self.tables]
        return self._replace(tables=tuple(tables))


def indicator_units(
    named: Mapping[str, LabelsLike], labels: Classes | None, groups: LabelsLike | None = None
) -> UnitCounts:
    """Count TP, FP and FN by class of each multilabel item, or of each group of items."""
    (of_true, true), *predictions = named.items()
    counted = [
        indicator_counts(true, prediction, labels, (of_true, name))
        for name, prediction in predictions
    ]
    tables = [table for table, _ in counted]
    items = len(tables[0])
    checks.at_least_two("items", items)
    if groups is not None:
        tables = [_by_group(table, groups) for table in tables]
    by_class = tuple(np.moveaxis(table, 2, 1) for table in tables)
    return UnitCounts(by_class, counted[0][1], groups is not None, items)


def _by_group(table: Array, groups: LabelsLike) -> Array:
    """Sum counts by item, shape (items, ...), by group."""
    codes = codes_of(groups, len(table))
    grouped = np.zeros((int(codes.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, codes, table)
    return grouped


def unit_counts(name: str, value: ArrayLike) -> Array:
    """Return checked TP, FP and FN by unit, shape (units, 3) or (units, 3, classes)."""
    array = np.asarray(checks.counts(name, value))
    legal = array.ndim in (2, 3) and array.shape[-1] == 3 and array.size > 0
    expected = "(units, 3) or (units, classes, 3), for the counts TP, FP and FN"
    checks.shaped(name, array, legal, expected)
    checks.at_least_two("units", len(array))
    return array if array.ndim == 2 else np.moveaxis(array, 2, 1)
