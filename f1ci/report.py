"""The classification report with an interval for each of its numbers.

Every number comes from the function that one would ask for it alone: `f1ci.metric_interval`, or
`f1ci.clustered_interval` where items come in groups or may be of several classes. The report only
arranges them, and says in words below the table what is undefined or hardly known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _tables, _validation, clustered, methods, metrics
from f1ci import counts as _counts
from f1ci._labels import are_indicators
from f1ci._limits import FEW
from f1ci.intervals import metric_interval
from f1ci.methods.clusters import units_of_items
from f1ci.results import Interval, Record, without_warnings

if TYPE_CHECKING:
    import pandas

Classes: TypeAlias = Sequence[Hashable]

METRICS = ("precision", "recall", "f1")

# Little is known of a class whose interval for F1 is longer than this.
_LONG = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ClassificationReport(Record):
    """What `classification_report` gives; printing it prints the report.

    Attributes
    ----------
    classes : tuple
        The classes, in the order of the rows.
    by_class : dict of str to Interval
        Under "precision", "recall" and "f1" arrays with an entry for each class.
    averages : dict of str to dict of str to Interval
        Under "accuracy" the interval of "accuracy"; or under "micro avg" (several classes for an
        item), and under "macro avg" and "weighted avg", those of the three metrics.
    support : ndarray of int
        How many items are truly of each class.
    items : int
        How many items there are.
    notes : tuple of str
        What is undefined or hardly known, in words.
    method : str
        How the end points were computed.
    confidence_level : float
        The nominal level of each interval by itself.
    """

    classes: tuple[Hashable, ...]
    by_class: dict[str, Interval]
    averages: dict[str, dict[str, Interval]]
    support: NDArray[np.int64]
    items: int
    notes: tuple[str, ...]
    method: str
    confidence_level: float

    def rows(self) -> Iterator[tuple[Hashable, dict[str, tuple[float, float, float]], int]]:
        """Name, estimate and end points of each metric, and support, row by row."""
        for k, name in enumerate(self.classes):
            yield name, {m: _ends(x, k) for m, x in self.by_class.items()}, int(self.support[k])
        for row, averages in self.averages.items():
            yield row, {m: _ends(x) for m, x in averages.items()}, int(self.support.sum())

    def records(self) -> list[dict[str, Any]]:
        """A flat dictionary for each number and its interval."""
        return [
            {"name": name, "metric": metric, "estimate": estimate, "low": low, "high": high}
            | {"support": support}
            for name, parts, support in self.rows()
            for metric, (estimate, low, high) in parts.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return what scikit-learn's ``output_dict=True`` has, and the end points of each number.

        Beside "precision" stands "precision_interval", the pair of its lower and upper end point.
        """
        rows: dict[str, Any] = {}
        for name, parts, support in self.rows():
            row: dict[str, Any] = {}
            for m, (estimate, low, high) in parts.items():
                key = "f1-score" if m == "f1" else m
                row |= {key: estimate, f"{key}_interval": (low, high)}
            rows[str(name)] = row | {"support": support}
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas data frame, indexed by name and metric."""
        return _tables.frame(self.records(), ["name", "metric"])

    def _table(self) -> tuple[list[str], list[list[str]], list[str]]:
        every = [*self.by_class.values(), *(x for e in self.averages.values() for x in e.values())]
        digits = _tables.decimals(np.concatenate([np.ravel(x.length) for x in every]))
        rows = []
        for name, parts, support in self.rows():
            if "accuracy" in parts:  # where scikit-learn has it
                parts = {"f1": parts["accuracy"]}
            cells = [
                "{:.{d}f} ({:.{d}f} to {:.{d}f})".format(*parts[m], d=digits) if m in parts else ""
                for m in METRICS
            ]
            rows.append([_tables.label(name), *cells, f"{support:,}"])
        level = _tables.percent(self.confidence_level)
        line = f"{level} confidence intervals, each by itself; method {self.method}"
        return ["", *METRICS, "support"], rows, [line, *self.notes]


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Hashable] | None = None,
    target_names: Sequence[str] | None = None,
    groups: Any = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> ClassificationReport:
    """Precision, recall and F1 of every class and their averages, each with its interval.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels, or indicators where an item may be of several classes.
    labels : sequence, optional
        The classes in the order of the rows; by default those that occur. For indicators
        the names of the columns.
    target_names : sequence of str, optional
        What the classes are called in the report, in the order of the rows.
    groups : sequence, optional
        What cluster each item belongs to; see `f1_score_interval`.
    method : {"score", "cautious", "logit", "delta"}, optional
        "score" by default; see `f1ci.methods`.
    confidence_level : float, default 0.95
        The nominal level of each interval by itself.

    Returns
    -------
    ClassificationReport
        Prints as a table; ``to_frame()`` gives a pandas data frame. Numbers that are undefined
        are ``nan`` (where scikit-learn puts 0), and a line says so: nothing is warned of.

    Examples
    --------
    >>> import f1ci
    >>> y_true = ["cat"] * 40 + ["dog"] * 60
    >>> y_pred = ["cat"] * 33 + ["dog"] * 62 + ["cat"] * 5
    >>> print(f1ci.classification_report(y_true, y_pred))
                               precision                  recall                      f1  support
    cat           0.868 (0.727 to 0.942)  0.825 (0.681 to 0.913)  0.846 (0.742 to 0.913)       40
    dog           0.887 (0.785 to 0.944)  0.917 (0.819 to 0.964)  0.902 (0.832 to 0.944)       60
    accuracy                                                      0.880 (0.802 to 0.930)      100
    macro avg     0.878 (0.795 to 0.930)  0.871 (0.788 to 0.925)  0.874 (0.794 to 0.927)      100
    weighted avg  0.880 (0.797 to 0.929)  0.880 (0.802 to 0.930)  0.879 (0.800 to 0.930)      100
    95 % confidence intervals, each by itself; method score
    """
    level = _validation.confidence_level(confidence_level)
    if are_indicators(y_true):
        table, columns = _counts.indicator_counts(y_true, y_pred, labels)
        named = _named(columns, target_names)
        if groups is not None:
            table = _counts.by_group(table, groups)
        ask, mark = partial(clustered.clustered_interval, table), "+groups" * (groups is not None)
        return _report(ask, table.sum(axis=0), named, len(y_true), mark, method, level)
    if groups is None:
        matrix, classes = _counts.confusion_matrix_and_classes(y_true, y_pred, labels=labels)
        return _of_matrix(matrix, _named(classes, target_names), method, level)
    items = _counts.items_of({"y_true": y_true, "y_pred": y_pred}, False, None, labels, groups)
    items = items._replace(classes=_named(items.classes, target_names))
    return _of_groups(items, method, level)


def matrix_report(
    matrix: ArrayLike,
    classes: Sequence[Hashable] | None = None,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> ClassificationReport:
    """Return the report of a confusion matrix.

    Parameters
    ----------
    matrix : array_like of int, shape (r, r)
        Counts; rows are true classes, columns predicted ones.
    classes : sequence, optional
        What the classes are called; 0, 1, ... by default.
    method, confidence_level
        See `classification_report`.

    Returns
    -------
    ClassificationReport

    Examples
    --------
    >>> import f1ci
    >>> report = f1ci.matrix_report([[33, 7], [5, 55]], ["cat", "dog"])
    >>> print(report.averages["accuracy"]["accuracy"])
    accuracy = 0.880 (95 % CI 0.802 to 0.930, score)
    """
    table = _validation.square("matrix", _validation.counts("matrix", matrix), "(r, r)", 2)
    _validation.shaped("matrix", table, table.ndim == 2, "(r, r)")
    level = _validation.confidence_level(confidence_level)
    return _of_matrix(table, _named(range(len(table)), classes), method, level)


def _named(classes: Sequence[Hashable], names: Any) -> Sequence[Hashable]:
    """Return the names that the caller gives the classes, or else the classes."""
    if names is None:
        return classes
    given = _validation.listed("names of classes", names)
    if len(given) != len(classes):
        raise ValueError(
            f"names of {len(classes)} classes are wanted, got {_validation.short(names)}"
        )
    return given


def _of_groups(items: _counts.Items, method: str | None, level: float) -> ClassificationReport:
    """Return the report of items in groups."""
    classes, units = items.classes, units_of_items(items)
    table = np.zeros((units.units, units.classes, 3))
    table[units.unit, units.of_class] = units.counts.T

    def ask(metric: str, average: str | None, **options: Any) -> Interval:
        if average == "micro":
            right_and_wrong = table.sum(axis=1) * [1, 1, 0]
            return clustered.clustered_interval(right_and_wrong, "precision", **options)
        return clustered.clustered_interval(table, metric, average=average, **options)

    return _report(ask, table.sum(axis=0), classes, None, "+groups", method, level)


def _of_matrix(
    matrix: NDArray[Any], classes: Classes, method: str | None, level: float
) -> ClassificationReport:
    """The report of independent items, from their confusion matrix."""
    _validation.at_least_two("classes", len(classes), "a report")
    total, right, predicted = matrix.sum(), np.diagonal(matrix), matrix.sum(axis=0)
    wrong, missed = predicted - right, matrix.sum(axis=1) - right
    each = np.moveaxis(np.array([[total - predicted - missed, wrong], [missed, right]]), -1, 0)

    def ask(metric: str, average: str | None, **options: Any) -> Interval:
        if average is None:  # every class against the rest
            return metric_interval(each, metric, **options)
        mean = "micro_f1" if average == "micro" else getattr(metrics, average)(metric)
        return metric_interval(matrix, mean, **options)

    return _report(ask, np.stack([right, wrong, missed], axis=-1), classes, None, "", method, level)


def _report(
    ask: Any, counts: Any, classes: Classes, items: int | None, mark: str, method: Any, level: float
) -> ClassificationReport:
    """All that `ask` answers, for metric and average; `counts` are TP, FP and FN by class.

    The number of items is given where an item may be of several classes. The mark is added to
    the name of the method.
    """
    options: dict[str, Any] = {"method": _method(method), "confidence_level": level}
    name = options["method"] + mark
    of = tuple(classes)
    with without_warnings():  # the notes say it
        by_class = {
            m: replace(ask(m, average=None, **options), classes=of, method=name) for m in METRICS
        }
        averages = {
            f"{row} avg": {m: replace(ask(m, average=row, **options), method=name) for m in METRICS}
            for row in ("micro", "macro", "weighted")
            if row != "micro" or items is not None
        }
        if items is None:
            share = replace(ask("f1", average="micro", **options), metric="accuracy", method=name)
            averages = {"accuracy": {"accuracy": share}, **averages}
    notes = []
    for m, x in by_class.items():
        if np.isnan(x.estimate).any():
            so = any(m in each and np.isnan(each[m].estimate) for each in averages.values())
            average = ", and so an average of it" * so
            notes.append(f"undefined: {m} of {_some(of, np.isnan(x.estimate))}{average}")
    little = (np.asarray(by_class["f1"].length) > _LONG) | (counts.sum(axis=1) < FEW)
    if little.any():
        notes.append(f"too few items to say much of {_some(of, little)}, and of the averages")
    support = (counts[:, 0] + counts[:, 2]).astype(np.int64)
    number = int(support.sum()) if items is None else items
    return ClassificationReport(of, by_class, averages, support, number, tuple(notes), name, level)


def _ends(interval: Interval, place: Any = ()) -> tuple[float, float, float]:
    estimate, low, high = (np.asarray(end)[place].item() for end in (interval.estimate, *interval))
    return estimate, low, high


def _some(classes: Classes, which: Any) -> str:
    """The first classes of those."""
    names = [_tables.label(name) for name, is_so in zip(classes, which, strict=True) if is_so]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _method(method: str | None) -> str:
    """One method for all that the report prints."""
    shown = (metrics.precision, metrics.micro_f1, metrics.macro_f1)
    entries = methods.METHODS.items()
    known = {name: each for name, each in entries if all(map(each.applies_to, shown))}
    return methods.pick(method, known, "a classification report")[0]
