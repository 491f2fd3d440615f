"""From a sample to its interval, in one place, and what the limits do not show.

Warnings tell that a score is undefined, that an average leaves a class out, that a standard error
is zero, or that a class has fewer than three items that matter to its score. (Over 27 designs with
so few expected items the score limits of averages cover 98 % on average instead of 95 %, and are
long; the delta method covers 55 %.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.data import Matrix
from f1ci.methods import Method, choose, default
from f1ci.methods.closed_form import Limits
from f1ci.methods.delta import normal_quantile
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.averages import MacroStar, Mean
from f1ci.metrics.base import ShareRight
from f1ci.metrics.shares import KnownShares
from f1ci.results import (
    Array,
    Classes,
    DegenerateVarianceWarning,
    FloatOrArray,
    Interval,
    SmallSampleWarning,
    UndefinedMetricWarning,
    Value,
    warn,
)
from f1ci.samples import Counts, Difference, Sample, Units

# Fewer items than this that matter to the score of a class are too few.
FEW = 3

ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Question:
    """What an interval is asked for, beside the data.

    Attributes
    ----------
    name : str
        What the metric is called in the result.
    method : str or None
        The name of the method; None for the default.
    level : float
        The confidence level, checked.
    alternative : str
        "two-sided", or "greater" or "less" for one limit.
    classes : sequence or None
        What classes are called in warnings.
    each : bool
        The sample has one score for each of the classes.
    constant : float
        What an undefined score counts; nan if nothing.
    quiet : bool
        Nothing is warned of.
    """

    name: str
    method: str | None
    level: float
    alternative: str = "two-sided"
    classes: Classes | None = None
    each: bool = False
    constant: float = np.nan
    quiet: bool = False


def interval_of(sample: Sample, question: Question) -> Interval:
    """Return the interval for a sample by the method that the question names, or the default."""
    method_name, method = method_for(sample, question.method)
    z = quantile_for(question.level, question.alternative)
    low, high = limits_of(sample, method, z, question.constant)
    error = sample.error if method.error is None else method.error(sample, z)
    low, high = on_one_side((low, high), sample.range, question.alternative)
    if not question.quiet:
        check(sample, method, question)
    return Interval(
        _number(counted(sample, question.constant)),
        _number(low),
        _number(high),
        _number(error),
        question.level,
        method_name + "+groups" * sample.grouped,
        question.name,
        tuple(question.classes or ()) if question.each else None,
        question.alternative,
    )


def on_one_side(limits: Limits, range_: tuple[float, float], alternative: str) -> Limits:
    """Return the limits that are asked for; the other end of a single one is that of the range."""
    low, high = limits
    if alternative == "greater":
        high = np.where(np.isnan(high), high, range_[1])
    elif alternative == "less":
        low = np.where(np.isnan(low), low, range_[0])
    return low, high


def counted(sample: Sample, constant: float) -> Array:
    """Return the estimate, with a constant for a score that is undefined."""
    if math.isnan(constant):
        return sample.estimate
    if isinstance(sample, Difference):
        return np.asarray(counted(sample.b, constant) - counted(sample.a, constant))
    return np.where(np.isnan(sample.estimate), constant, sample.estimate)


def limits_of(sample: Sample, method: Method, z: FloatOrArray, constant: float = np.nan) -> Limits:
    """Return the limits by a method, also of a score that is undefined but counts as a constant."""
    return with_unknown(sample, method, method.limits(sample, z), constant)


def with_unknown(sample: Sample, method: Method, limits: Limits, constant: float) -> Limits:
    """Return limits as wide as not knowing undefined scores makes them.

    Classes that count 0 or 1, although nothing is known of them, make the interval wider; the score
    limits know it already. A score that is undefined but counts as a constant may be anything.
    """
    low, high = limits
    if sample.unknown is not None and method.name != "score":
        below, above = sample.unknown
        low = low - below
        high = high + above
        if method.name not in ("delta", "blur"):
            low = np.maximum(low, sample.range[0])
            high = np.minimum(high, sample.range[1])
    if math.isnan(constant):
        return low, high
    least, largest = sample.range
    undefined = np.isnan(sample.estimate)
    return np.where(undefined, least, low), np.where(undefined, largest, high)


def method_for(sample: Sample, name: str | None) -> tuple[str, Method]:
    """Return the named method for a sample and its name, or the default."""
    if name is None:
        return default(sample)
    what = repr(sample.metric.name)
    if isinstance(sample, Difference):
        what = f"differences of {what}"
    if sample.grouped:
        what = f"{what} of items in groups"
    return choose(name, sample, what)


def quantile_for(level: float, alternative: str) -> float:
    """Return z for a level. One limit has both tails for itself."""
    _validation.choice("alternative", alternative, ALTERNATIVES)
    if alternative == "two-sided":
        return normal_quantile(level)
    if level <= 0.5:
        what = f"alternative={alternative!r}, a one-sided limit"
        raise ValueError(f"confidence_level must be above 0.5 for {what}, got {level!r}")
    return normal_quantile(2.0 * level - 1.0)


def _number(value: Array) -> Value:
    """Return a float if the array has no dimensions."""
    return value if value.ndim else value.item()


# Warnings.


def check(sample: Sample, method: Method, question: Question) -> None:
    """Warn of a sample that is undefined, degenerate or too small."""
    if isinstance(sample, Counts) and sample.matrix is None and (sample.error > 0.0).all():
        return
    parts = [sample.a, sample.b] if isinstance(sample, Difference) else [sample]
    _check_undefined(sample, parts, question)
    _check_left_out(parts, question)
    # Units without a variance leave room for units of another kind.
    if method.at_zero_error and not (method.name == "logit" and isinstance(parts[0], Units)):
        _check_error(sample, method, question)
    for part in parts:
        few = None if part.matrix is None else _with_few_items(part.metric, part.matrix)
        if few is not None and few.any():
            _warn_of_few(few, question, part.classes or question.classes)
            return


def _check_undefined(sample: Sample, parts: list[Sample], question: Question) -> None:
    """Warn that a score is undefined, and say which class is missing."""
    undefined = np.isnan(np.asarray(sample.estimate))
    if undefined.any() and math.isnan(question.constant):
        reason = next(filter(None, (_lacking(part, question) for part in parts)), "")
        text = f"{question.name} is undefined{_places(undefined, question)}{reason}"
        warn(f"{text}; nan was returned", UndefinedMetricWarning)


def _check_error(sample: Sample, method: Method, question: Question) -> None:
    """Warn that a standard error is zero, and say what the method does then."""
    flat = np.asarray(sample.error) == 0.0
    if flat.any():
        text = f"{question.name} has a standard error of zero{_places(flat, question)}, so that"
        advice = "method='score' avoids this" if sample.has_score_limits else "collect more items"
        warn(f"{text} {method.at_zero_error}; {advice}", DegenerateVarianceWarning)


def _check_left_out(parts: list[Sample], question: Question) -> None:
    """Warn of the classes, or units, that averages leave out because they have no score."""
    advice = "zero_division=0 counts them as 0"
    units = max(part.units_left_out for part in parts)
    if units:
        text = f"{question.name} leaves out {units:,} units whose score is undefined"
        warn(f"{text}; {advice}", UndefinedMetricWarning)
    called = [
        _class_name(place, part.classes or question.classes)
        for part in parts
        for place in part.left_out
    ]
    names = list(dict.fromkeys(called))
    if names:
        text = f"{question.name} leaves out class {_validation.first_few(names)}"
        warn(f"{text}, where a score is undefined; {advice}", UndefinedMetricWarning)


def _with_few_items(metric: Metric, matrix: Matrix) -> NDArray[np.bool_] | None:
    """Tell in which classes of an average fewer than `FEW` items matter to the score."""
    if isinstance(metric, KnownShares):
        return _with_few_items(metric.of, matrix)
    if isinstance(metric, MacroStar):
        of_precision = _with_few_items(metric.of_precision, matrix)
        of_recall = _with_few_items(metric.of_recall, matrix)
        if of_precision is None or of_recall is None:
            return None
        return np.asarray(of_precision | of_recall)
    if not isinstance(metric, Mean) or isinstance(metric, ShareRight) or metric.average == "micro":
        return None
    if not isinstance(metric.of, Tversky):
        return None
    few = _items_that_matter(metric.of, matrix) < FEW
    if metric.average == "weighted":
        few &= matrix.true > 0.0
    few[~_averaged(metric, len(few))] = False
    return few


def _items_that_matter(metric: Tversky, matrix: Matrix) -> Array:
    """Return the relevant items of each class: right ones, and errors of the kinds that count."""
    matter = np.array(matrix.right)
    if metric.a > 0.0:
        matter += matrix.predicted - matrix.right
    if metric.b > 0.0:
        matter += matrix.true - matrix.right
    return matter


def _averaged(metric: Mean, classes: int) -> NDArray[np.bool_]:
    """Tell which classes an average is over: the chosen ones that have a score."""
    averaged = np.ones(classes, dtype=bool)
    if metric.chosen:
        averaged = np.isin(np.arange(classes), metric.chosen)
    averaged[list(metric.absent or ())] = False
    return averaged


def _warn_of_few(few: NDArray[np.bool_], question: Question, classes: Classes | None) -> None:
    """Warn that some classes have so few items that little is known of the average."""
    some = few.any(axis=0)
    first = few if few.ndim == 1 else few.reshape(len(few), -1)[:, np.flatnonzero(some)[0]]
    names = [_class_name(place, classes) for place in np.flatnonzero(first).tolist()]
    text = f"{question.name}{_places(some, question)}: fewer than {FEW} items matter"
    text = f"{text} to the score of class {_validation.first_few(names)}"
    warn(f"{text}, so that little is known of the average", SmallSampleWarning)


def _class_name(place: int, classes: Classes | None) -> str:
    return _validation.short(place if classes is None else classes[place])[:40]


def _places(which: NDArray[np.bool_] | np.bool_, question: Question) -> str:
    """Return a clause that says which of several tables, or of those with names, are meant."""
    if not np.ndim(which):
        return ""
    places = np.argwhere(which).tolist()
    if question.each and question.classes is not None:
        return f" for {_validation.listing([question.classes[k] for (k,) in places], 3)}"
    return f" for {len(places)} of {which.size} tables (the first at {places[0]})"


def _lacking(sample: Sample, question: Question) -> str:
    """Return a clause that says which classes are never true or never predicted."""
    matrix = sample.matrix
    undefined = np.flatnonzero(np.isnan(sample.estimate))
    if matrix is None or question.each or not len(undefined):
        return ""
    r = matrix.cells.r
    true = matrix.true.reshape(r, -1)[:, undefined[0]]
    predicted = matrix.predicted.reshape(r, -1)[:, undefined[0]]
    names = ["negative", "positive"] if r == 2 and sample.metric.binary else question.classes
    lacks = []
    for place in range(r):
        words = ["true"] * (not true[place]) + ["predicted"] * (not predicted[place])
        if words:
            lacks.append(f"class {_class_name(place, names)} is never {' and never '.join(words)}")
    return f", because {_validation.first_few(lacks)}" if lacks else ""
