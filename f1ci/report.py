"""The classification report with an interval for each of its numbers.

Every number is that of `f1ci.f1_score_interval`, for precision and recall too. The report only
arranges them, and says in words below the table what is undefined or hardly known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _tables, _validation, intervals, methods, metrics
from f1ci import counts as _counts
from f1ci._limits import FEW
from f1ci.results import Classes, Fields, Interval, Labels, Record

if TYPE_CHECKING:
    import pandas

METRICS = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True, eq=False)
class ClassificationReport(Record):
    """The report of `classification_report`; printing it prints the report.

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
        The number of true items of each class.
    items : int
        The number of items.
    notes : tuple of str
        Sentences about scores that are undefined or hardly known.
    method : str
        The name of the method.
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
            parts = {m: (x.estimate[k], x.low[k], x.high[k]) for m, x in self.by_class.items()}
            yield name, parts, int(self.support[k])
        for row, averages in self.averages.items():
            yield row, {m: (x.estimate, *x) for m, x in averages.items()}, int(self.support.sum())

    def records(self) -> list[Fields]:
        """A flat dictionary for each number and its interval."""
        return [
            {"name": name, "metric": metric, "estimate": estimate, "low": low, "high": high}
            | {"support": support}
            for name, parts, support in self.rows()
            for metric, (estimate, low, high) in parts.items()
        ]

    def to_dict(self) -> Fields:
        """Return what scikit-learn's ``output_dict=True`` has, with low and high of each number.

        Beside "precision" stands "precision_interval", the pair of its limits.
        """
        rows: Fields = {}
        for name, parts, support in self.rows():
            ends = {m.replace("f1", "f1-score"): x for m, x in parts.items()}
            row: Fields = {m: x[0] for m, x in ends.items()}
            row |= {f"{m}_interval": x[1:] for m, x in ends.items()}
            rows |= row if "accuracy" in row else {str(name): row | {"support": support}}
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas data frame, indexed by name and metric."""
        import pandas

        return pandas.DataFrame(self.records()).set_index(["name", "metric"])

    def _table(self) -> tuple[list[str], list[list[str]], list[str]]:
        ends = [end for _, parts, _ in self.rows() for end in parts.values()]
        digits = _tables.decimals(np.array([high - low for _, low, high in ends]))
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
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Classes | None = None,
    target_names: Sequence[str] | None = None,
    groups: Labels | None = None,
    sample_weight: None = None,
    zero_division: float = np.nan,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> ClassificationReport:
    """Return precision, recall and F1 of every class and their averages, with intervals.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels, or indicators where an item may be of several classes.
    labels : sequence, optional
        The classes in the order of the rows; by default those that occur. See `f1_score_interval`
        for some of the classes, and for indicators.
    target_names : sequence of str, optional
        What the classes are called in the report, in the order of the rows.
    groups : sequence, optional
        What cluster each item belongs to; see `f1_score_interval`.
    sample_weight : None
        Not offered; an error says what to do instead.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts in averages. By default it is left out of them.
    method : {"score", "cautious", "logit", "delta"}, optional
        "score" by default; see `f1ci.methods`.
    confidence_level : float, default 0.95
        The nominal level of each interval by itself.

    Returns
    -------
    ClassificationReport
        Prints as a table; ``to_frame()`` gives a pandas data frame. Nothing is warned of: lines
        below the table say what is undefined or hardly known.

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
    intervals.refuse_weights(sample_weight)
    level = _validation.confidence_level(confidence_level)
    data = _named(intervals.class_counts(y_true, y_pred, labels, groups), target_names)
    return _report(data, intervals.zero_division_of(zero_division), method, level)


def matrix_report(
    matrix: ArrayLike,
    classes: Classes | None = None,
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
    table = _validation.matrices(metrics.micro_f1, matrix)
    _validation.shaped("matrix", table, table.ndim == 2, "(r, r)")
    level = _validation.confidence_level(confidence_level)
    filled = np.nonzero(table)
    items = _counts.Items(np.array(filled), table[filled], None, range(len(table)))
    return _report(_named(intervals.counts_of_items(items), classes), np.nan, method, level)


def _named(data: intervals.ClassCounts, names: Classes | None) -> intervals.ClassCounts:
    """Return the counts of classes with the names that the caller gives them, if any."""
    wanted, r = data.classes if names is None else names, len(data.classes)
    given = _validation.listed("names of classes", wanted)
    if len(given) != r:
        raise ValueError(f"names of {r} classes are wanted, got {_validation.short(given)}")
    return data._replace(classes=given)


def _report(
    data: intervals.ClassCounts, zero_division: float, method: str | None, level: float
) -> ClassificationReport:
    """Return the report of counts by class."""
    shown = (metrics.precision, metrics.micro_f1, metrics.macro_f1)
    known = {name: x for name, x in methods.METHODS.items() if all(map(x.applies_to, shown))}
    method, _ = methods.pick(method, known, "a classification report")
    of = tuple(data.classes)
    # Averages over classes of which an item may have several have no score limits.
    method = None if method == "score" else method

    def ask(metric: str, average: str | None) -> Interval:
        """Return an interval without warnings: the notes say it."""
        score = getattr(metrics, metric)
        return intervals.interval_of_classes(
            data, score, average, zero_division, method, level, quiet=True
        )

    complete = data.items is not None and len(data.items.classes) == len(data.classes)
    rows = ["macro", "weighted"] if complete else ["micro", "macro", "weighted"]
    if data.items is None and not data.grouped:
        rows.append("samples")
    by_class = {m: ask(m, None) for m in METRICS}
    averages = {}
    if complete:
        averages["accuracy"] = {"accuracy": replace(ask("f1", "micro"), metric="accuracy")}
    averages |= {f"{row} avg": {m: ask(m, row) for m in METRICS} for row in rows}
    printed = [*by_class.values(), *(x for each in averages.values() for x in each.values())]
    name = ", ".join(dict.fromkeys(x.method for x in printed))
    tp, fp, fn = data.totals.T
    left_out = np.isnan(zero_division)
    counted = "left out of its averages" if left_out else f"counted as {zero_division:g}"
    notes = [
        f"undefined, and {counted}: {m} of {_listing(of, relevant == 0.0)}"
        for m, relevant in zip(METRICS, (tp + fp, tp + fn, tp + fp + fn), strict=True)
        if not relevant.all()
    ]
    little = tp + fp + fn < FEW
    if little.any():
        notes.append(f"too few items to say much of {_listing(of, little)}, and of the averages")
    support = (tp + fn).astype(np.int64)
    return ClassificationReport(
        of, by_class, averages, support, data.number, tuple(notes), name, level
    )


def _listing(classes: Classes, which: NDArray[np.bool_]) -> str:
    return _validation.first_few(list(map(_tables.label, compress(classes, which))), 6)
