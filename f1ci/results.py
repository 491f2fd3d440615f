"""What a method gives back: frozen records that know nothing of how they were computed."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas

__all__ = [
    "BayesTest",
    "BinaryCounts",
    "DegenerateVarianceWarning",
    "DifferenceSampleSize",
    "DifferenceTest",
    "EffectiveCounts",
    "FloatOrArray",
    "Interval",
    "IntervalWarning",
    "JointIntervals",
    "Record",
    "SampleSize",
    "SmallSampleWarning",
    "UndefinedMetricWarning",
    "plain",
]

# Scalars in, floats out; arrays in, arrays out.
FloatOrArray = float | NDArray[np.float64]


def plain(value: ArrayLike) -> FloatOrArray:
    """A Python float for a scalar or an array without dimensions, else an array of floats."""
    array: NDArray[np.float64] = np.asarray(value, dtype=np.float64)
    return array if array.ndim else float(array)


class IntervalWarning(RuntimeWarning):
    """Something about an interval that its numbers do not show; the kinds below are of it."""


class UndefinedMetricWarning(IntervalWarning):
    """A metric is undefined for these data: its estimate is ``nan``."""


class DegenerateVarianceWarning(IntervalWarning):
    """A standard error is zero, so that its interval has length zero or is the whole range."""


class SmallSampleWarning(IntervalWarning):
    """A class has too few items for more than a long interval."""


class Record:
    """A frozen record: equal to another if all values are, arrays and ``nan`` included."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            _same(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
        )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, (float, np.ndarray)):
        return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")
    return bool(one == other)


class BinaryCounts(NamedTuple):
    """Counts of a binary classifier on a test set.

    Attributes
    ----------
    tp, fp, fn, tn : int
        True positives, false positives, false negatives and true negatives.
    """

    tp: int
    fp: int
    fn: int
    tn: int


class EffectiveCounts(NamedTuple):
    """How many independent counts the folds of a cross-validation are worth.

    Attributes
    ----------
    tp, fp, fn : float
        True positives, false positives and false negatives; fractions in general.
    """

    tp: float
    fp: float
    fn: float


@dataclass(frozen=True, slots=True, eq=False)
class Interval(Record):
    """A confidence interval for a metric; ``low, high = interval`` unpacks its end points.

    Attributes
    ----------
    estimate : float or ndarray
        The plain sample metric, whatever the method; ``nan`` where it is undefined.
    low, high : float or ndarray
        The end points.
    standard_error : float or ndarray
        The delta-method standard error of the estimate; ``nan`` where it is undefined.
    confidence_level : float
        The nominal level.
    method : str
        How the end points were computed: the name asked for, or that of the default. It ends
        in "+groups" where the items came in clusters.
    metric : str
        What they are end points for.
    classes : tuple or None
        The class of each entry, if there is an interval for each class.
    """

    estimate: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray
    standard_error: FloatOrArray
    confidence_level: float
    method: str
    metric: str
    classes: tuple[Hashable, ...] | None = None

    def __iter__(self) -> Iterator[FloatOrArray]:
        yield self.low
        yield self.high

    @property
    def length(self) -> FloatOrArray:
        """``high - low``."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class JointIntervals(Record):
    """Intervals for several metrics of several classifiers on one test set.

    The joint intervals hold all at once with the nominal probability; each
    individual interval holds with that probability by itself. There is one row for
    every classifier and metric, all metrics of the first classifier first.
    ``joint["1NN", "f1"]`` is one joint interval.

    Attributes
    ----------
    classifiers, metrics : tuple of str
        What each row is about.
    estimate, standard_error : ndarray
        The sample metrics and their standard errors.
    low, high : ndarray
        The end points of the joint intervals.
    individual_low, individual_high : ndarray
        The end points of the individual intervals.
    critical_value : float
        What stands in the joint intervals where the normal quantile stands in the individual
        ones: for "delta" half the length in standard errors.
    covariance : ndarray
        The covariance matrix of the estimates, blurred if the method says so.
    degenerate : ndarray of bool
        Rows without an interval worth the name, because the method needs a standard error
        above zero. They are left out of the joint statement.
    confidence_level : float
        The nominal level.
    methods : tuple of str
        How the end points of each row were computed; they end in "+groups" where the items
        came in clusters.
    """

    classifiers: tuple[str, ...]
    metrics: tuple[str, ...]
    estimate: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    individual_low: NDArray[np.float64]
    individual_high: NDArray[np.float64]
    critical_value: float
    covariance: NDArray[np.float64]
    degenerate: NDArray[np.bool_]
    confidence_level: float
    methods: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.metrics)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """The keys of the rows, as a mapping has them."""
        return zip(self.classifiers, self.metrics, strict=True)

    def __getitem__(self, row: tuple[str, str]) -> Interval:
        rows = list(self)
        if row not in rows:
            shown = ", ".join(map(reprlib.repr, rows[:6])) + (", ..." if len(rows) > 6 else "")
            raise KeyError(f"no row {reprlib.repr(row)}; the rows are {shown}")
        k = rows.index(row)
        return Interval(
            estimate=float(self.estimate[k]),
            low=float(self.low[k]),
            high=float(self.high[k]),
            standard_error=float(self.standard_error[k]),
            confidence_level=self.confidence_level,
            method=self.methods[k],
            metric=row[1],
        )

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a pandas data frame, indexed by classifier and metric."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_frame() needs pandas, which is not installed; the columns are also "
                "attributes of this object"
            ) from error
        columns = ("estimate", "low", "high", "individual_low", "individual_high", "standard_error")
        return pandas.DataFrame(
            {name: getattr(self, name) for name in columns},
            index=pandas.MultiIndex.from_arrays(
                [self.classifiers, self.metrics], names=["classifier", "metric"]
            ),
        )


@dataclass(frozen=True, slots=True)
class BayesTest:
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
    decision : str
        What is most probable: ``"accept H0"``, ``"accept H1"`` or ``"accept equivalence"``.
    metric : str
        What was compared.
    rope : float
        Half-width of the region of practical equivalence.
    method : str
        How the probabilities were computed.
    """

    p_h0: float
    p_h1: float
    p_rope: float
    decision: str
    metric: str
    rope: float
    method: str


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """Is B better than A on the same items, or no worse, or as good?

    Attributes
    ----------
    interval : Interval
        The difference, B minus A, and its interval.
    p_value : float
        Of the null hypothesis below; two-sided. ``nan`` where a score is undefined.
    null_hypothesis : str
        What the p-value speaks against, in words.
    discordant : tuple of int
        On how many items A alone is right, and on how many B alone.
    margin : float
        The difference that does not matter; 0 if none was given.
    p_not_inferior : float or None
        Of the null hypothesis that B is worse than A by `margin` or more; None without one.
    p_equivalent : float or None
        Of the null hypothesis that B and A differ by `margin` or more (two one-sided tests).
    method : str
        How `p_value` was computed.
    metric : str
        What was compared.
    """

    interval: Interval
    p_value: float
    null_hypothesis: str
    discordant: tuple[int, int]
    margin: float
    p_not_inferior: float | None
    p_equivalent: float | None
    method: str
    metric: str

    @property
    def estimate(self) -> float:
        """The difference, B minus A."""
        return float(self.interval.estimate)


@dataclass(frozen=True, slots=True)
class DifferenceSampleSize:
    """A planned comparison of two models on the same items.

    Attributes
    ----------
    items : int
        How many items give the power (units, if the plan was made from groups).
    unpaired : int
        How many items each model would need if each had a test set of its own.
    difference : float
        The difference to be found.
    power : float
        Probability that the test finds it.
    variance : float
        Of the estimated difference, times the number of items.
    confidence_level : float
        One minus the size of the two-sided test.
    metric : str
        What is compared.
    """

    items: int
    unpaired: int
    difference: float
    power: float
    variance: float
    confidence_level: float
    metric: str


@dataclass(frozen=True, slots=True)
class SampleSize:
    """A planned test set.

    Attributes
    ----------
    positives : int
        How many truly positive items guarantee the standard error.
    total : int or None
        How many items hold that many positives on average; None if the prevalence was
        not given.
    variance_bound : float
        The V in ``positives = V / (b standard_error**2)``, where b is the metric's weight
        of the false negatives (1/2 for F1).
    standard_error : float
        The one asked for, or the one that gives the half width asked for.
    bound : str
        Which bound V is.
    confidence_level : float
        Level of the interval whose half width was asked for.
    metric : str
        What the plan is for.
    """

    positives: int
    total: int | None
    variance_bound: float
    standard_error: float
    bound: str
    confidence_level: float
    metric: str
