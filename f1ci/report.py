"""The classification report with an interval for each of its numbers.

Every number is that of `f1ci.score_interval`. The report only
arranges them, and says in words below the table what is undefined or hardly known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _tables, _validation
from f1ci import metrics as _metrics
from f1ci._interval import FEW, Question, interval_of
from f1ci._labels import are_indicators
from f1ci._reading import (
    Population,
    Strata,
    each_class,
    refuse_population,
    refuse_weights,
    strata_of,
    with_classes,
    zero_division_of,
)
from f1ci.data import Items, UnitCounts, class_items, indicator_units, matrix_items
from f1ci.metrics import Metric
from f1ci.metrics.averages import mean_of, with_rule
from f1ci.metrics.shares import shares_by_row
from f1ci.results import Interval, Record
from f1ci.samples import Sample, sample
from f1ci.types import Array, Classes, Fields, LabelsLike

if TYPE_CHECKING:
    import pandas

METRICS = ("precision", "recall", "f1")

# The first line of a report of scores in a population.
KNOWN = "scores where classes or strata have the given shares; support counts the test set"


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
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: Classes | None = None,
    target_names: Sequence[str] | None = None,
    groups: LabelsLike | None = None,
    sample_weight: None = None,
    zero_division: float = np.nan,
    class_shares: Mapping[Any, float] | None = None,
    strata: LabelsLike | None = None,
    stratum_shares: Mapping[Any, float] | None = None,
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
    class_shares, strata, stratum_shares : optional
        Known shares of the true classes, or of the strata that items were drawn from, where the
        scores are wanted; see `score_interval`.
    method : {"score", "logit", "delta"}, optional
        "score" by default, with `groups` and for indicators "logit"; see `f1ci.methods`.
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
    refuse_weights(sample_weight)
    level = _validation.confidence_level(confidence_level)
    constant = zero_division_of(zero_division)
    named = {"y_true": y_true, "y_pred": y_pred}
    population = Population(class_shares, strata, stratum_shares)
    data: Items | UnitCounts
    if are_indicators(y_true):
        refuse_population(population)
        known = Strata()
        data = indicator_units(named, labels, groups)
        names = list(data.classes)
    else:
        known = strata_of(y_true, population, groups)
        data = known.marked(class_items(named, labels, groups, known.codes))
        names = list(data.classes)[: data.asked]
    return _Asker(data, known, _names(names, target_names), constant, method, level).report()


def matrix_report(
    matrix: ArrayLike,
    *,
    labels: Classes | None = None,
    zero_division: float = np.nan,
    class_shares: ArrayLike | Mapping[int, float] | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> ClassificationReport:
    """Return the report of a confusion matrix.

    Parameters
    ----------
    matrix : array_like of int, shape (r, r)
        Counts; rows are true classes, columns predicted ones.
    labels : sequence, optional
        What the classes are called, in the order of the rows; 0, 1, ... by default.
    class_shares : sequence, mapping or pandas Series, optional
        The known share of each true class where the scores are wanted, by row.
    zero_division, method, confidence_level
        See `classification_report`.

    Returns
    -------
    ClassificationReport

    Examples
    --------
    >>> import f1ci
    >>> report = f1ci.matrix_report([[33, 7], [5, 55]], labels=["cat", "dog"])
    >>> print(report.averages["accuracy"]["accuracy"])
    accuracy = 0.880 (95 % CI 0.802 to 0.930, score)
    """
    table = _validation.matrices(_metrics.micro_f1, matrix)
    _validation.shaped("matrix", table, table.ndim == 2, "(r, r)")
    if not table.any():
        raise ValueError(f"matrix must hold at least one item, got {_validation.short(matrix)}")
    level = _validation.confidence_level(confidence_level)
    constant = zero_division_of(zero_division)
    data = matrix_items(table)._replace(named=True)
    known = Strata()
    if class_shares is not None:
        shares = shares_by_row(_validation.as_mapping(class_shares), table.sum(axis=1))
        known = Strata(data.codes[0], shares, True)
    data = known.marked(data._replace(strata=known.codes))
    names = _names(list(range(len(table))), labels)
    return _Asker(data, known, names, constant, method, level).report()


def _names(classes: list[Hashable], names: Classes | None) -> Classes:
    """Return the classes' names: those that the caller gives, if any."""
    if names is None:
        return classes
    given = _validation.listed("names of classes", names)
    if len(given) != len(classes):
        what = f"names of {len(classes)} classes are wanted"
        raise ValueError(f"{what}, got {_validation.short(given)}")
    return given


class _Asker(NamedTuple):
    """Asks for one interval of a report after the other.

    Attributes
    ----------
    data : Items or UnitCounts
        The test set.
    strata : Strata
        What is known of the place where the scores are wanted.
    names : sequence
        What the classes are called.
    constant, method, level
        See `Question`.
    """

    data: Items | UnitCounts
    strata: Strata
    names: Classes
    constant: float
    method: str | None
    level: float

    def report(self) -> ClassificationReport:
        """Return the report of the test set."""
        data = self.data
        by_class = {name: self.each_class(_metrics.get(name), name) for name in METRICS}
        complete = isinstance(data, Items) and data.asked == len(data.classes)
        averages: dict[str, dict[str, Interval]] = {}
        if complete:
            averages["accuracy"] = {"accuracy": self.one(_metrics.accuracy)}
        averages |= {f"{name} avg": self.average(name) for name in _averages_of(data, complete)}
        tp, fp, fn = _counts_by_class(data)
        notes = _notes(self.names, self.constant, tp, fp, fn)
        if self.strata.shares is not None:
            notes = (KNOWN, *notes)
        return ClassificationReport(
            classes=tuple(self.names),
            by_class=by_class,
            averages=averages,
            support=(tp + fn).astype(np.int64),
            items=_items_of(data),
            notes=notes,
            method=_methods_of(by_class, averages),
            confidence_level=self.level,
        )

    def each_class(self, metric: Metric, name: str) -> Interval:
        """Return the intervals of every class by itself."""
        if isinstance(self.data, UnitCounts):
            return self._interval(sample(metric, self.data), name)
        return self._interval(each_class(self.strata.in_population(metric), self.data), name)

    def average(self, average: str) -> dict[str, Interval]:
        """Return the intervals of one average."""
        means = [mean_of(average, _metrics.get(name)) for name in METRICS]
        ruled = [_with_rule(mean, self.data, self.constant) for mean in means]
        return {name: self.one(mean) for name, mean in zip(METRICS, ruled, strict=True)}

    def one(self, metric: Metric) -> Interval:
        """Return the interval of one number for all classes."""
        return self._interval(sample(self.strata.in_population(metric), self.data), metric.name)

    def _interval(self, of_data: Sample, name: str) -> Interval:
        """Return an interval without warnings: the notes say what they would."""
        question = Question(
            name,
            self.method,
            self.level,
            classes=self.names,
            each=np.ndim(of_data.estimate) > 0,
            constant=self.constant,
            quiet=True,
        )
        return interval_of(of_data, question)


def _methods_of(by_class: dict[str, Interval], averages: dict[str, dict[str, Interval]]) -> str:
    """Return the names of the methods that a report has."""
    printed = [*by_class.values(), *(x for row in averages.values() for x in row.values())]
    return ", ".join(dict.fromkeys(interval.method for interval in printed))


def _averages_of(data: Items | UnitCounts, complete: bool) -> list[str]:
    """Return the averages that a report has. Accuracy stands for "micro" of complete classes."""
    rows = ["macro", "weighted"] if complete else ["micro", "macro", "weighted"]
    if isinstance(data, UnitCounts) and not data.grouped:
        rows.append("samples")
    return rows


def _with_rule(metric: Metric, data: Items | UnitCounts, constant: float) -> Metric:
    if isinstance(data, Items):
        return with_classes(metric, data, constant)
    return with_rule(metric, (), constant)


def _counts_by_class(data: Items | UnitCounts) -> Array:
    """Return TP, FP and FN of each class."""
    if isinstance(data, UnitCounts):
        return np.asarray(data.tables[0].sum(axis=0))
    matrix = data.matrix()
    counts = [matrix.right, matrix.predicted - matrix.right, matrix.true - matrix.right]
    return np.array(counts)[:, : data.asked]


def _items_of(data: Items | UnitCounts) -> int:
    """Return the number of items."""
    return data.items if isinstance(data, UnitCounts) else int(data.counts.sum())


def _notes(names: Classes, constant: float, tp: Array, fp: Array, fn: Array) -> tuple[str, ...]:
    """Return sentences about scores that are undefined or hardly known."""
    counted = "left out of its averages" if np.isnan(constant) else f"counted as {constant:g}"
    relevant = (tp + fp, tp + fn, tp + fp + fn)
    notes = [
        f"undefined, and {counted}: {metric} of {_listing(names, items == 0.0)}"
        for metric, items in zip(METRICS, relevant, strict=True)
        if not items.all()
    ]
    few = tp + fp + fn < FEW
    if few.any():
        notes.append(f"too few items to say much of {_listing(names, few)}, and of the averages")
    return tuple(notes)


def _listing(classes: Classes, which: NDArray[np.bool_]) -> str:
    return _validation.first_few(list(map(_tables.label, compress(classes, which))), 6)
