"""From a sample to its interval, in one place: limits at a level, and what they do not show.

Warnings tell that a score is undefined, that a standard error is zero, or that a class has fewer
than three items that matter to its score. (Over 27 designs with so few expected items the score
limits of averages cover 98 % on average instead of 95 %, and are long; the delta method covers
55 %.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.methods import METHODS, Method, choose
from f1ci.methods.score import Sample, normal_quantile
from f1ci.metrics import Metric
from f1ci.results import (
    Array,
    Classes,
    DegenerateVarianceWarning,
    Interval,
    Numbers,
    SmallSampleWarning,
    UndefinedMetricWarning,
    warn,
)

# Fewer items than this that matter to the score of a class are too few.
FEW = 3


class Level(NamedTuple):
    """A level that was checked, and whether both limits hold with it or one alone."""

    value: float
    alternative: str = "two-sided"

    @property
    def z(self) -> float:
        """The normal quantile of the limits. One limit has both tails for itself."""
        one_sided = self.alternative != "two-sided"
        return normal_quantile(2.0 * self.value - 1.0 if one_sided else self.value)


def level_of(confidence_level: float, alternative: str = "two-sided") -> Level:
    """Return the level, if it is one and fits the alternative."""
    value = _validation.confidence_level(confidence_level)
    _validation.choice("alternative", alternative, ("two-sided", "greater", "less"))
    if alternative != "two-sided" and value <= 0.5:
        what = f"alternative={alternative!r}, a one-sided limit"
        raise ValueError(f"confidence_level must be above 0.5 for {what}, got {value!r}")
    return Level(value, alternative)


def interval_of(
    sample: Sample,
    method: str | None,
    level: Level,
    name: str,
    *,
    classes: Classes | None = None,
    each: bool = False,
    reason: str = "",
) -> Interval:
    """Return the interval for the metric called `name` by a method, or by the default.

    With `each` the sample has one score for each of the classes. The reason is a clause that says
    why the score is undefined, where the sample cannot tell.
    """
    if method is None:  # nothing has to be looked up
        chosen = sample.default
        entry = METHODS[chosen]
    else:
        chosen, entry = choose(method, sample)
    z = level.z
    if entry.error is not None:
        sample = sample._replace(error=entry.error(sample, z))
    low, high = entry.limits(sample, z)
    # The other end of a one-sided interval is that of the range.
    if level.alternative == "greater":
        high = np.where(np.isnan(high), high, sample.range[1])
    elif level.alternative == "less":
        low = np.where(np.isnan(low), low, sample.range[0])
    ends: list[Numbers] = [sample.estimate, low, high, sample.error]
    if not low.ndim:
        ends = [end.item() for end in ends]
    if sample.matrix is not None or not np.all(sample.error > 0.0):
        _check(sample, entry, name, classes, each, reason)
    of = tuple(classes) if each and classes is not None else None
    estimate, low, high, error = ends
    method = chosen + sample.mark
    return Interval(estimate, low, high, error, level.value, method, name, of, level.alternative)


def _check(
    sample: Sample, method: Method, name: str, classes: Classes | None, each: bool, reason: str
) -> None:
    """Warn of a sample that is undefined, degenerate or too small."""
    names = classes if each else None
    undefined = np.isnan(np.asarray(sample.estimate))
    if undefined.any():
        if not each and not reason:
            reason = ", because no item is relevant"
            if sample.matrix is not None:
                place = tuple(np.argwhere(undefined)[0])
                true, predicted = sample.matrix.true[place], sample.matrix.predicted[place]
                reason = lacking(sample.metric, true, predicted, classes)
        text = f"{name} is undefined{_places(undefined, names)}{reason}; nan was returned"
        warn(text, UndefinedMetricWarning)
    flat = (np.asarray(sample.error) == 0.0) & ~undefined
    if method.at_zero_error and flat.any():
        text = f"{name} has a standard error of zero{_places(flat, names)}, so that"
        other = "collect more items" if sample.limits is None else "method='score' avoids this"
        warn(f"{text} {method.at_zero_error}; {other}", DegenerateVarianceWarning)
    parts, matrix = sample.metric.parts, sample.matrix
    if parts is None or matrix is None:
        return
    items = matrix.right + 0.0
    if any(score.a > 0.0 for score in parts.scores):
        items += matrix.predicted - matrix.right
    if any(score.b > 0.0 for score in parts.scores):
        items += matrix.true - matrix.right
    few = (items < FEW) & ~undefined[..., None] & ((matrix.true > 0) | (not parts.weighted))
    if few.any():
        some = few.any(axis=-1)
        first = np.flatnonzero(few[tuple(np.argwhere(some)[0])]).tolist()
        listed = _validation.listing([classes[k] if classes else k for k in first], 3)
        text = f"{name}{_places(some)}: fewer than {FEW} items matter to the score of class"
        warn(f"{text} {listed}, so that little is known of the average", SmallSampleWarning)


def _places(which: NDArray[np.bool_] | np.bool_, classes: Classes | None = None) -> str:
    """Return a clause that says which of several tables, or of several classes, are meant."""
    if not np.ndim(which):
        return ""
    places = np.argwhere(which)
    if classes is not None:
        return f" for class {_validation.listing([classes[place[0]] for place in places], 3)}"
    first = ", ".join(map(str, places[0]))
    return f" for {len(places)} of {which.size} tables (the first at [{first}])"


def lacking(metric: Metric, true: Array, predicted: Array, classes: Classes | None) -> str:
    """Return a clause that says which classes are never true or never predicted."""
    if not true.any():
        return ", because the matrix is empty"
    names = ["negative", "positive"] if metric.binary else classes or range(len(true))
    parts = []
    for name, t, p in zip(names, true, predicted, strict=True):
        lacks = [word for word, n in (("true", t), ("predicted", p)) if not n]
        if lacks:
            parts.append(f"class {_validation.short(name)} is never {' and never '.join(lacks)}")
    return f", because {_validation.first_few(parts)}" if parts else ""
