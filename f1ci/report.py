"""The classification report with an interval for each of its numbers.

Every number is that of `interval` of the same data. The report only arranges them, and says in
words below the table what is undefined or hardly known.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from f1ci import _tables
from f1ci import metrics as _metrics
from f1ci.answers import Question, interval_of
from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.units import UnitCounts
from f1ci.metrics import Metric
from f1ci.metrics.base import FEW
from f1ci.results import REPORTED, ClassificationReport, Interval
from f1ci.samples import Sample
from f1ci.types import Array, Classes

# The first line of a report of scores in a population.
KNOWN = "scores where classes or strata have the given shares; support counts the test set"


class Reported(NamedTuple):
    """What a report asks of one model.

    Attributes
    ----------
    one : callable
        Takes a metric and an average, or None for each class; returns a sample.
    names : sequence
        What the classes are called.
    data : Items or UnitCounts
        The data of the model.
    counts : ndarray, shape (3, classes)
        TP, FP and FN of each class.
    constant : float
        What an undefined score counts in averages; nan if it is left out.
    known : bool
        Shares of classes or strata are known.
    """

    one: Callable[[Metric, str | None], Sample]
    names: Classes
    data: Items | UnitCounts
    counts: Array
    constant: float
    known: bool = False


def report_of(reported: Reported, asked: Question) -> ClassificationReport:
    """Return the report of one model."""

    def interval(name: str, average: str | None) -> Interval:
        of_row = interval_of(reported.one(_metrics.get(name), average), asked)
        return of_row if average else replace(of_row, classes=tuple(reported.names))

    by_class = {name: interval(name, None) for name in REPORTED}
    averages: dict[str, dict[str, Interval]] = {}
    names = _averages_of(reported.data)
    if "micro" not in names:
        averages["accuracy"] = {"accuracy": interval("accuracy", "binary")}
    for average in names:
        averages[f"{average} avg"] = {name: interval(name, average) for name in REPORTED}
    tp, fp, fn = reported.counts
    notes = _notes(reported.names, reported.constant, tp, fp, fn)
    return ClassificationReport(
        classes=tuple(reported.names),
        by_class=by_class,
        averages=averages,
        support=(tp + fn).astype(np.int64),
        items=reported.data.number,
        notes=(KNOWN, *notes) if reported.known else notes,
        method=_methods_of(by_class, averages),
        confidence_level=asked.level,
    )


def _averages_of(data: Items | UnitCounts) -> list[str]:
    """Return the averages that a report has. Accuracy stands for "micro" of complete classes."""
    if isinstance(data, Items):
        return ["micro", "macro", "weighted"][data.asked == len(data.classes) :]
    return ["micro", "macro", "weighted", "samples"][: 3 if data.grouped else 4]


def names_of(classes: Sequence[Hashable], names: Classes | None) -> Classes:
    """Return the classes' names: those that the caller gives, if any."""
    if names is None:
        return classes
    given = checks.listed("names of classes", names)
    if len(given) != len(classes):
        what = f"names of {len(classes)} classes are wanted"
        raise ValueError(f"{what}, got {checks.short(given)}")
    return given


def _methods_of(by_class: dict[str, Interval], averages: dict[str, dict[str, Interval]]) -> str:
    """Return the names of the methods that a report has."""
    printed = [*by_class.values(), *(x for row in averages.values() for x in row.values())]
    return ", ".join(dict.fromkeys(interval.method for interval in printed))


def _notes(names: Classes, constant: float, tp: Array, fp: Array, fn: Array) -> tuple[str, ...]:
    """Return sentences about scores that are undefined or hardly known."""
    counted = "left out of its averages" if np.isnan(constant) else f"counted as {constant:g}"
    relevant = (tp + fp, tp + fn, tp + fp + fn)
    notes = [
        f"undefined, and {counted}: {metric} of {_listing(names, items == 0.0)}"
        for metric, items in zip(REPORTED, relevant, strict=True)
        if not items.all()
    ]
    few = tp + fp + fn < FEW
    if few.any():
        notes.append(f"too few items to say much of {_listing(names, few)}, and of the averages")
    return tuple(notes)


def _listing(classes: Classes, which: NDArray[np.bool_]) -> str:
    return checks.first_few(list(map(_tables.label, compress(classes, which))), 6)
