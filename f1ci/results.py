"""Results: frozen records that know nothing of how they were computed.

Each prints for people, and shows itself as a table in notebooks.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _tables
from f1ci.types import Array, Fields, TextTable, Value

if TYPE_CHECKING:
    import pandas

# An array of intervals shows so many of its rows.
_MOST_ROWS = 30

# Limits and true values that differ by less are equal.
_TIE = 1e-12


class Frozen:
    """Base class of frozen results, which compare and hash by their fields.

    Two results are equal if all their fields are: arrays entry by entry, ``nan`` equal to ``nan``.
    """

    __slots__ = ()

    def _fields(self) -> list[tuple[str, object]]:
        return [(f.name, getattr(self, f.name)) for f in fields(self)]  # type: ignore[arg-type]

    def _key(self) -> Hashable:
        return _hashable([value for _, value in self._fields()])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))


def _hashable(value: Any) -> Hashable:
    """Return a field as something that hashes; fields that count as equal become equal."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return frozenset((key, _hashable(entry)) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(_hashable, value))
    return "nan" if isinstance(value, float) and np.isnan(value) else value


class Record(Frozen):
    """Base class of results that print as a table with lines of text below."""

    __slots__ = ()

    def to_dict(self) -> Fields:
        """Return the fields by name, in words of JSON: numbers, text, lists, None, dictionaries.

        JSON has no ``nan`` and no infinity; they become None.
        """
        return {name: in_json(value) for name, value in self._fields()}

    def _table(self) -> TextTable:
        """Return the head of the printed table, its rows, and the lines below."""
        raise NotImplementedError

    def __str__(self) -> str:
        head, rows, below = self._table()
        return "\n".join([_tables.as_text(head, rows), *below])

    def _repr_html_(self) -> str:
        return _tables.as_html(*self._table())


def _said(method: str) -> str:
    """Return what the book calls a method; "score" alone would be the number."""
    return f"Wilson {method}" if method.startswith("score") else method


def in_json(value: object) -> Any:
    """Return a field in words of JSON."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {_json_key(key): in_json(entry) for key, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [in_json(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)


def _json_key(key: object) -> str:
    """Return a key as text: ``("a", "b")`` becomes "a, b"."""
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def covers(low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> NDArray[np.bool_]:
    """Tell where limits contain a true value; see `Interval.covers`."""
    reached = np.less_equal(low, np.add(truth, _TIE))
    return np.asarray(reached & np.greater_equal(high, np.subtract(truth, _TIE)))


class BinaryCounts(NamedTuple):
    """Counts of a binary classifier on a test set.

    Attributes
    ----------
    tp : int
        True positives.
    fp : int
        False positives.
    fn : int
        False negatives.
    tn : int
        True negatives.
    """

    tp: int
    fp: int
    fn: int
    tn: int


class EffectiveCounts(NamedTuple):
    """The independent counts that the folds of a cross-validation are worth.

    Attributes
    ----------
    tp : float
        True positives; a fraction in general.
    fp : float
        False positives.
    fn : float
        False negatives.
    """

    tp: float
    fp: float
    fn: float


class _Intervals(Record):
    """One interval, an array of intervals, or joint intervals: a table with a line below."""

    __slots__ = ()
    estimate: Value
    low: Value
    high: Value

    def _columns(self, rows: slice) -> tuple[Fields, Fields]:
        """Return the columns of names and the columns of numbers, by their heads."""
        raise NotImplementedError

    def _line(self) -> str:
        """Return the line below the table: metric, level and method."""
        raise NotImplementedError

    def _table(self) -> TextTable:
        names, numbers = self._columns(slice(_MOST_ROWS))
        del numbers["standard_error"]
        digits = _tables.decimals(numbers["high"] - numbers["low"])
        columns = [[_tables.label(name) for name in column] for column in names.values()]
        columns += [[f"{x:.{digits}f}" for x in column] for column in numbers.values()]
        rows = [list(row) for row in zip(*columns, strict=True)]
        below = [self._line()]
        more = np.size(self.estimate) - len(rows)
        if more:
            below.insert(0, f"and {more:,} more")
        return [*names, *numbers], rows, below

    def covers(self, truth: ArrayLike) -> Any:
        """Tell where intervals contain a true value: a bool, or an array of them.

        A value within 1e-12 of a limit counts as inside, because both are rounded.
        """
        number = np.asarray(truth)
        if number.dtype.kind not in "biuf":
            raise TypeError(f"a value must be numeric, got {reprlib.repr(truth)}")
        inside = covers(self.low, self.high, number)
        return inside if inside.ndim else bool(inside)

    def __contains__(self, value: ArrayLike) -> bool:
        """Tell if a value lies inside, or for several intervals each value inside its own."""
        return bool(np.all(self.covers(value)))

    def __iter__(self) -> Iterator[Value]:
        return iter((self.low, self.high))

    def to_frame(self) -> pandas.DataFrame:
        """Return a pandas data frame with a row for each interval."""
        import pandas

        names, numbers = self._columns(slice(None))
        return pandas.DataFrame(names | numbers).set_index(list(names))


@dataclass(frozen=True, slots=True, eq=False)
class Interval(_Intervals):
    """A confidence interval for a metric; ``low, high = interval`` unpacks its limits.

    ``0.7 in interval`` tells if a value lies inside; `covers` asks it of arrays.

    Attributes
    ----------
    estimate : float or ndarray
        The sample metric, the same for every method; ``nan`` if it is undefined.
    low : float or ndarray
        The lower limit.
    high : float or ndarray
        The upper limit.
    standard_error : float or ndarray
        The delta-method standard error of the estimate; ``nan`` if it is undefined.
    confidence_level : float
        The nominal level.
    method : str
        The name of the method. It ends in "+groups" if the items came in groups.
    metric : str
        The name of the metric.
    classes : tuple or None
        The class of each entry, if there is an interval for each class.
    alternative : {"two-sided", "greater", "less"}
        "greater" if only `low` is a limit, and `high` is the end of the range; "less" if only
        `high` is.
    over : tuple or None
        The classes that an average is over: those that occur and have a score. None for other
        scores, and for a difference of averages over different classes.
    note : str
        What else to know of the limits, for people.
    """

    estimate: Value
    low: Value
    high: Value
    standard_error: Value
    confidence_level: float
    method: str
    metric: str
    classes: tuple[Hashable, ...] | None = None
    alternative: str = "two-sided"
    over: tuple[Hashable, ...] | None = None
    note: str = ""

    @property
    def length(self) -> Value:
        """``high - low``."""
        return self.high - self.low

    def _columns(self, rows: slice) -> tuple[Fields, Fields]:
        numbers = ("estimate", "low", "high", "standard_error")
        columns = {name: np.asarray(getattr(self, name)).flat[rows] for name in numbers}
        shape = np.shape(self.estimate)
        size = np.size(self.estimate)
        places = [np.unravel_index(k, shape) for k in range(size)[rows]]
        if self.classes is not None:
            return {"class": [self.classes[place[-1]] for place in places]}, columns
        if shape:
            return {"place": [", ".join(map(str, place)) for place in places]}, columns
        return {"metric": [self.metric]}, columns

    def _line(self) -> str:
        sides = {"two-sided": "", "greater": " (at least low)", "less": " (at most high)"}
        level = _tables.percent(self.confidence_level)
        return f"{self.metric}, {level} CI{sides[self.alternative]}, {_said(self.method)}"

    def __str__(self) -> str:
        if np.ndim(self.estimate):
            return _Intervals.__str__(self)
        digits = _tables.decimals(self.length)
        estimate, low, high = (f"{x:.{digits}f}" for x in (self.estimate, self.low, self.high))
        value = "is undefined" if np.isnan(self.estimate) else f"= {estimate}"
        limits = {
            "two-sided": f"{low} to {high}",
            "greater": f"at least {low}",
            "less": f"at most {high}",
        }
        level = _tables.percent(self.confidence_level)
        method = _said(self.method)
        answer = f"{self.metric} {value} ({level} CI {limits[self.alternative]}, {method})"
        return f"{answer}\n{self.note}" if self.note else answer


@dataclass(frozen=True, slots=True, eq=False)
class RunsInterval(Interval):
    """An interval for the mean score over runs.

    Attributes
    ----------
    scores : ndarray
        The score of each run; of two recipes those of A, then those of B.
    share_of_runs : float
        The share of the variance that new items alone would not have: that of the runs.
    """

    scores: Array = ()  # type: ignore[assignment]
    share_of_runs: float = np.nan


@dataclass(frozen=True, slots=True, eq=False)
class JointIntervals(_Intervals):
    """Intervals for several metrics of several classifiers on one test set.

    The joint intervals hold all at once with the nominal probability; each
    individual interval holds with that probability by itself. There is one row for
    every classifier and metric, all metrics of the first classifier first.
    ``joint["1NN", "f1"]`` is one joint interval, and ``low, high = joint`` unpacks all limits.
    ``truth in joint`` tells if all joint intervals hold their values.

    Attributes
    ----------
    classifiers : tuple of str
        The classifier of each row.
    metrics : tuple of str
        The metric of each row.
    estimate : ndarray
        The sample metrics.
    standard_error : ndarray
        Their standard errors.
    low : ndarray
        The lower limits of the joint intervals.
    high : ndarray
        The upper limits of the joint intervals.
    individual_low : ndarray
        The lower limits of the individual intervals.
    individual_high : ndarray
        The upper limits of the individual intervals.
    critical_value : float
        The quantile of the joint intervals, which replaces the normal quantile: for "delta"
        half the length in standard errors.
    covariance : ndarray
        The covariance matrix of the estimates, blurred for the method "blur".
    degenerate : ndarray of bool
        Rows without a useful interval, because the method needs a standard error above zero.
        They are left out of the joint statement.
    confidence_level : float
        The nominal level.
    methods : tuple of str
        How the limits of each row were computed; they end in "+groups" where the items came
        in groups.
    """

    classifiers: tuple[str, ...]
    metrics: tuple[str, ...]
    estimate: Array
    standard_error: Array
    low: Array
    high: Array
    individual_low: Array
    individual_high: Array
    critical_value: float
    covariance: Array
    degenerate: NDArray[np.bool_]
    confidence_level: float
    methods: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.metrics)

    def rows(self) -> list[tuple[str, str]]:
        """Return classifier and metric of each row."""
        return list(zip(self.classifiers, self.metrics, strict=True))

    def __getitem__(self, row: tuple[str, str]) -> Interval:
        rows = self.rows()
        if row not in rows:
            raise KeyError(f"no row {reprlib.repr(row)}; the rows are {reprlib.repr(rows)}")
        k = rows.index(row)
        return Interval(
            estimate=self.estimate[k].item(),
            low=self.low[k].item(),
            high=self.high[k].item(),
            standard_error=self.standard_error[k].item(),
            confidence_level=self.confidence_level,
            method=self.methods[k],
            metric=self.metrics[k],
        )

    def _columns(self, rows: slice) -> tuple[Fields, Fields]:
        numbers = ("estimate", "low", "high", "individual_low", "individual_high", "standard_error")
        names: Fields = {"classifier": self.classifiers[rows], "metric": self.metrics[rows]}
        return names, {name: getattr(self, name)[rows] for name in numbers}

    def _line(self) -> str:
        level = _tables.percent(self.confidence_level)
        methods = ", ".join(dict.fromkeys(self.methods))
        return f"joint: all {len(self)} hold at once with {level} ({methods})"


# The columns of a report.
REPORTED = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True, eq=False)
class ClassificationReport(Record):
    """Precision, recall and F1 of every class and their averages; printing it prints the report.

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

    def _table(self) -> TextTable:
        ends = [end for _, parts, _ in self.rows() for end in parts.values()]
        digits = _tables.decimals(np.array([high - low for _, low, high in ends]))
        rows = []
        for name, parts, support in self.rows():
            if "accuracy" in parts:  # where scikit-learn has it
                parts = {"f1": parts["accuracy"]}
            cells = [
                "{:.{d}f} ({:.{d}f} to {:.{d}f})".format(*parts[m], d=digits) if m in parts else ""
                for m in REPORTED
            ]
            rows.append([_tables.label(name), *cells, f"{support:,}"])
        level = _tables.percent(self.confidence_level)
        line = f"{level} confidence intervals, each by itself; method {self.method}"
        return ["", *REPORTED, "support"], rows, [line, *self.notes]


@dataclass(frozen=True, slots=True, eq=False)
class BayesTest(Record):
    """Probabilities of the hypotheses about the difference between models B and A.

    Attributes
    ----------
    p_h0 : float
        Probability that B is not better than A; with a region of practical
        equivalence, that B is worse than A by more than its half-width.
    p_h1 : float
        Probability that B is better than A (by more than that half-width).
    p_rope : float
        Probability that the two differ by no more than that half-width; 0 without a region.
    most_probable : str
        The most probable hypothesis: ``"H0"``, ``"H1"`` or ``"equivalence"``.
    metric : str
        The compared metric.
    rope : float
        Half-width of the region of practical equivalence.
    """

    p_h0: float
    p_h1: float
    p_rope: float
    most_probable: str
    metric: str
    rope: float

    def _table(self) -> TextTable:
        by = f" by more than {self.rope:g}" if self.rope else ""
        rows = [[f"H1: B is better than A{by}", f"{self.p_h1:.3g}"]]
        if self.rope:
            rows.append([f"equivalence: within {self.rope:g}", f"{self.p_rope:.3g}"])
        worse = "worse" if self.rope else "not better"
        rows.append([f"H0: B is {worse} than A{by}", f"{self.p_h0:.3g}"])
        return [self.metric, "probability"], rows, [f"most probable: {self.most_probable}"]


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceTest(Record):
    """A test whether model B is better than model A, no worse, or as good.

    Attributes
    ----------
    interval : Interval
        The difference, B minus A, and its interval.
    p_value : float
        One minus the level at which zero enters the interval; ``nan`` where a score is undefined.
        Of "exact" and "randomisation" the p-value against exchangeable models.
    discordant : tuple of int
        The numbers of items on which A alone is right, and on which B alone is right; None if
        the models were tested on different items.
    margin : float
        The difference that does not matter; 0 if none was given.
    p_not_inferior : float or None
        The p-value of the null hypothesis that B is worse than A by `margin` or more; None
        without a margin.
    p_equivalent : float or None
        The p-value of the null hypothesis that B and A differ by `margin` or more (two
        one-sided tests).
    method : str
        The method of the interval; or the test of exchangeability, if one was asked for.
    metric : str
        The metric that was compared.
    models : tuple of str
        What A and B are called.
    """

    interval: Interval
    p_value: float
    discordant: tuple[int, int] | None
    margin: float
    p_not_inferior: float | None
    p_equivalent: float | None
    method: str
    metric: str
    models: tuple[str, str] = ("A", "B")

    @property
    def estimate(self) -> float:
        """The difference, B minus A."""
        return float(self.interval.estimate)

    def verdict(self) -> str:
        """Return the conclusion in a sentence, at the interval's level."""
        a, b = self.models
        if np.isnan(self.p_value):
            return f"{a} and {b} cannot be compared, because a score is undefined"
        if self._of_swaps:
            are = "are not" if self._is_significant(self.p_value) else "may be"
            return f"{a} and {b} {are} exchangeable"
        if self._is_significant(self.p_value):
            return f"{b} is {'better' if self.estimate > 0.0 else 'worse'} than {a}"
        if self._is_significant(self.p_equivalent):
            return f"{a} and {b} are equivalent: they differ by less than {self.margin:g}"
        if self._is_significant(self.p_not_inferior):
            return f"{b} is not worse than {a} by {self.margin:g} or more"
        return f"{a} and {b} are not distinguished"

    @property
    def _of_swaps(self) -> bool:
        """Tell if the p-value is against exchangeable models."""
        return self.method in ("exact", "randomisation")

    def _is_significant(self, p: float | None) -> bool:
        """Tell if a p-value is at most one minus the interval's level; None is not."""
        return p is not None and p <= 1.0 - self.interval.confidence_level

    def _table(self) -> TextTable:
        p_values = {
            "exchangeable" if self._of_swaps else "difference": self.p_value,
            "not inferior": self.p_not_inferior,
            "equivalent": self.p_equivalent,
        }
        rows = [[name, _tables.p_value(p)] for name, p in p_values.items() if p is not None]
        below = [str(self.interval)]
        if self.discordant is not None:
            a, b = map(_tables.label, self.models)
            only_a, only_b = self.discordant
            below.append(f"only {a} is right on {only_a:,} items, only {b} on {only_b:,}")
        below.append(self.verdict())
        return ["", f"p ({self.method})"], rows, below


@dataclass(frozen=True, slots=True, eq=False)
class ModelComparison(Record):
    """Several models on one test set; printing it prints the table.

    Attributes
    ----------
    intervals : dict of str to Interval
        The interval of each model by itself, best estimate first.
    tests : dict of (str, str) to DifferenceTest
        The test of each pair: of the second model minus the first.
    adjusted : dict of (str, str) to float
        The p-values of the pairs, adjusted by Holm's method.
    compared : {"models", "groups"}
        Whether models are compared, or groups of items for one model.
    """

    intervals: dict[str, Interval]
    tests: dict[tuple[str, str], DifferenceTest]
    adjusted: dict[tuple[str, str], float]
    compared: str = "models"

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank of each model, all right at once with the level.

        One plus the number of models that are surely better, and the number of models less those
        that are surely worse (Al Mohamad, Goeman and van Zwet 2022). All directions that Holm's
        method claims are right at once, and so are the ranks.
        """
        better = dict.fromkeys(self.intervals, 0)
        worse = dict.fromkeys(self.intervals, 0)
        for (a, b), test in self.tests.items():
            if self._apart(a, b):
                first, second = (b, a) if test.estimate > 0.0 else (a, b)
                better[second] += 1
                worse[first] += 1
        return {name: (1 + better[name], len(better) - worse[name]) for name in better}

    @property
    def largest_gap(self) -> float:
        """The largest difference that the intervals of the pairs leave possible.

        The pair with the truly largest difference is one, so its interval needs no adjustment.
        """
        return float(np.max([np.abs([*test.interval]) for test in self.tests.values()]))

    def _verdict_on_groups(self) -> str:
        """Return which groups differ, or how large a gap is excluded."""
        apart = [test for pair, test in self.tests.items() if self._apart(*pair)]
        if apart:
            sides = [test.models[:: 1 if test.estimate < 0.0 else -1] for test in apart]
            listed = [f"{worse} is below {better}" for better, worse in sides]
            return f"a gap was found: {', '.join(listed)}"
        if np.isnan(self.largest_gap):
            return "no gap found, and none is excluded, because a score is undefined"
        excluded = math.ceil(1e3 * self.largest_gap) / 1e3
        return f"no gap found, and gaps above {excluded:g} are excluded"

    def verdict(self) -> str:
        """Return what to conclude about the best model, or the groups, in one sentence."""
        if self.compared == "groups":
            return self._verdict_on_groups()
        best, *others = self.intervals
        if len(self.tests) == 1:
            (test,) = self.tests.values()
            return test.verdict()
        alike = [name for name in others if not self._apart(best, name)]
        if not alike:
            return f"{best} is better than every other model"
        return f"{best} has the best estimate; it is not distinguished from {', '.join(alike)}"

    def _apart(self, a: str, b: str) -> bool:
        """Tell if the adjusted p-value says that two models differ."""
        pair = (a, b) if (a, b) in self.tests else (b, a)
        return self.adjusted[pair] <= 1.0 - self.tests[pair].interval.confidence_level

    def records(self) -> list[Fields]:
        """Return a flat dictionary for each pair of models."""
        return [
            {"a": a, "b": b, "estimate": x.estimate, "low": x.interval.low, "high": x.interval.high}
            | {"p_value": x.p_value, "p_adjusted": self.adjusted[a, b]}
            for (a, b), x in self.tests.items()
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas data frame, indexed by the two models."""
        import pandas

        return pandas.DataFrame(self.records()).set_index(["a", "b"])

    def pairs(self) -> str:
        """Return a table of the differences of all pairs, with p-values adjusted by Holm."""
        head, rows = self._rows_of_pairs()
        return _tables.as_text(head, rows)

    def _rows_of_models(self) -> tuple[list[str], list[list[str]]]:
        """Return the head of a table with a line for each model, and its lines."""
        first = next(iter(self.intervals.values()))
        digits = _tables.decimals([one.length for one in self.intervals.values()])
        ranks = {name: " to ".join(map(str, sorted({*x}))) for name, x in self.ranks.items()}
        level = _tables.percent(first.confidence_level)
        return ["", first.metric, f"{level} low", "high", "rank"], [
            [_tables.label(name), *(f"{x:.{digits}f}" for x in (i.estimate, *i)), ranks[name]]
            for name, i in self.intervals.items()
        ]

    def _rows_of_pairs(self) -> tuple[list[str], list[list[str]]]:
        """Return the head of a table with a line for each pair, and its lines."""
        intervals = {pair: test.interval for pair, test in self.tests.items()}
        digits = _tables.decimals([one.length for one in intervals.values()])
        level = _tables.percent(next(iter(intervals.values())).confidence_level)
        head = [
            "",
            "difference",
            f"{level} low",
            "high",
            "p" if len(intervals) == 1 else "p (Holm)",
        ]
        adjusted = map(_tables.p_value, self.adjusted.values())
        return head, [
            [_tables.difference(*pair), *(f"{x:.{digits}f}" for x in (i.estimate, *i)), p]
            for (pair, i), p in zip(intervals.items(), adjusted, strict=True)
        ]

    def _table(self) -> TextTable:
        head, rows = self._rows_of_models()
        if len(self.tests) > 1:
            return head, rows, [self.verdict()]
        of_pair, ((*differences, p),) = self._rows_of_pairs()
        rows = [[*row[:-1], ""] for row in rows]
        return [*head[:-1], of_pair[-1]], [*rows, [*differences, p]], [self.verdict()]


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceSampleSize(Record):
    """A planned comparison of two models on the same items.

    Attributes
    ----------
    items : int
        The number of items that gives the power (of units, if the plan was made from groups).
    between : tuple of int or None
        The numbers for both ends of the pilot's interval of the variance; None without a pilot.
    unpaired : int
        The number of items for each model if the models had separate test sets.
    difference : float
        The difference that the test should find.
    power : float
        Probability that the test finds it.
    variance : float
        The variance of the estimated difference, times the number of items.
    confidence_level : float
        One minus the size of the two-sided test.
    metric : str
        The compared metric.
    """

    items: int
    between: tuple[int, int] | None
    unpaired: int
    difference: float
    power: float
    variance: float
    confidence_level: float
    metric: str

    def _table(self) -> TextTable:
        rows = [
            ["items on which both models run", f"{self.items:,}"],
            ["items for each, on separate test sets", f"{self.unpaired:,}"],
        ]
        power = _tables.percent(self.power)
        level = _tables.percent(self.confidence_level)
        line = f"to find a difference of {self.difference:g} in {power} of all cases, at {level}"
        sure = [] if self.between is None else [_how_sure(self.between, level)]
        return [self.metric, "number"], rows, [line, *sure]


@dataclass(frozen=True, slots=True, eq=False)
class SampleSize(Record):
    """A planned test set.

    Attributes
    ----------
    positives : int
        The number of truly positive items that guarantees the standard error; of a macro average
        the number of items of the rarest class.
    total : int or None
        The number of items that have so many positives on average; None without a prevalence.
    variance_bound : float
        The V in ``positives = V / (b standard_error**2)``, where b is the metric's weight
        of the false negatives (1/2 for F1).
    standard_error : float
        The largest standard error, which gives the planned half width.
    confidence_level : float
        The level of the planned interval.
    metric : str
        The planned metric.
    """

    positives: int
    total: int | None
    variance_bound: float
    standard_error: float
    confidence_level: float
    metric: str

    def _table(self) -> TextTable:
        rarest = self.metric.startswith("macro_")
        what = "items of the rarest class" if rarest else "truly positive items"
        rows = [[what, f"{self.positives:,}"]]
        if self.total is not None:
            rows.append(["items in all", f"{self.total:,}"])
        line = f"keep the standard error at {self.standard_error:.4g} or below"
        return [self.metric, "number"], rows, [line]


@dataclass(frozen=True, slots=True, eq=False)
class PilotSize(Record):
    """A planned test set for an interval of one model's score.

    Attributes
    ----------
    items : int
        The number of items; with groups the number of groups.
    between : tuple of int
        The numbers for both ends of the pilot's interval of the variance.
    pilot_items : int
        The number of items, or groups, of the pilot.
    variance : float
        The variance of the score from one item, as the pilot has it.
    half_width : float
        The planned half width.
    confidence_level : float
        The level of the planned interval.
    metric : str
        The planned metric.
    """

    items: int
    between: tuple[int, int]
    pilot_items: int
    variance: float
    half_width: float
    confidence_level: float
    metric: str

    def _table(self) -> TextTable:
        rows = [["pilot", f"{self.pilot_items:,}"], ["planned", f"{self.items:,}"]]
        level = _tables.percent(self.confidence_level)
        line = f"{level} interval of the estimate plus and minus {self.half_width:.4g}"
        return [self.metric, "items"], rows, [line, _how_sure(self.between, level)]


def _how_sure(between: tuple[int, int], level: str) -> str:
    """Return what a pilot leaves open of a plan."""
    low, high = between
    return f"the pilot allows {low:,} to {high:,}, at {level}"
