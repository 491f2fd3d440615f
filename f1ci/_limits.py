"""From items to a sample and to its interval, in one place, and what the limits do not show.

Warnings tell that a score is undefined, that a standard error is zero, or that a class has fewer
than three items that matter to its score. (Over 27 designs with so few expected items the score
limits of averages cover 98 % on average instead of 95 %, and are long; the delta method covers
55 %.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.counts import Items
from f1ci.methods import METHODS, Method, choose
from f1ci.methods.clusters import sample_of_groups
from f1ci.methods.score import Sample, normal_quantile, sample_of, sample_of_difference
from f1ci.metrics import Metric
from f1ci.results import (
    Array,
    Classes,
    DegenerateVarianceWarning,
    Interval,
    SmallSampleWarning,
    UndefinedMetricWarning,
    Value,
    warn,
)

# Fewer items than this that matter to the score of a class are too few.
FEW = 3

# Of more classes than this, the 24 limits behind a difference of kappa take seconds.
_MOST_CLASSES = 10


def sample_of_items(metric: Metric, items: Items) -> Sample:
    """Return the sample of items, in groups or not, of one model or of B minus A."""
    two = len(items.codes) == 3
    if items.groups is not None:
        sample = sample_of_groups(metric, items)
    elif two:
        _validation.at_least_two("items", int(items.counts.sum()))
        sample = sample_of_difference(metric, items)
    else:
        sample = sample_of(metric, items.matrix())
    closed = metric.index is not None or metric.parts is not None
    if two and len(items.classes) > _MOST_CLASSES and not closed:
        sample = sample._replace(limits=None)
    return sample


def interval_of(
    sample: Sample,
    method: str | None,
    level: float,
    name: str,
    classes: Classes | None = None,
    each: bool = False,
    *,
    alternative: str = "two-sided",
    quiet: bool = False,
) -> Interval:
    """Return the interval for the metric called `name` by a method, or by the default.

    With `each` the sample has one score for each of the classes. Without `quiet` a sample that is
    undefined, degenerate or too small gets a warning.
    """
    _validation.choice("alternative", alternative, ("two-sided", "greater", "less"))
    one_sided = alternative != "two-sided"
    if one_sided and level <= 0.5:
        what = f"alternative={alternative!r}, a one-sided limit"
        raise ValueError(f"confidence_level must be above 0.5 for {what}, got {level!r}")
    default = "logit" if sample.limits is None else "score"
    chosen, entry = (default, METHODS[default]) if method is None else choose(method, sample)
    # One limit has both tails for itself.
    z = normal_quantile(2.0 * level - 1.0 if one_sided else level)
    if entry.error is not None:
        sample = sample._replace(error=entry.error(sample, z))
    low, high = entry.limits(sample, z)
    # The other end of a one-sided interval is that of the range.
    if alternative == "greater":
        high = np.where(np.isnan(high), high, sample.range[1])
    elif alternative == "less":
        low = np.where(np.isnan(low), low, sample.range[0])
    ends: list[Value] = [sample.estimate, low, high, sample.error]
    if not low.ndim:
        ends = [end.item() for end in ends]
    if not quiet and (sample.matrix is not None or not np.all(sample.error > 0.0)):
        check(sample, entry, name, classes, each)
    of = tuple(classes) if each and classes is not None else None
    estimate, low, high, error = ends
    return Interval(estimate, low, high, error, level, chosen + sample.mark, name, of, alternative)


def check(
    sample: Sample, method: Method, name: str, classes: Classes | None, each: bool = True
) -> None:
    """Warn of a sample that is undefined, degenerate or too small."""
    names, matrix, parts = classes if each else None, sample.matrix, sample.metric.parts
    undefined = np.isnan(np.asarray(sample.estimate))
    if undefined.any():
        reason = ""
        if matrix is not None:
            place = tuple(np.argwhere(undefined)[0])
            reason = _lacking(sample.metric, matrix.true[place], matrix.predicted[place], classes)
        text = f"{name} is undefined{_places(undefined, names)}{reason}; nan was returned"
        warn(text, UndefinedMetricWarning)
    flat = (np.asarray(sample.error) == 0.0) & ~undefined
    if method.at_zero_error and flat.any():
        text = f"{name} has a standard error of zero{_places(flat, names)}, so that"
        other = "collect more items" if sample.limits is None else "method='score' avoids this"
        warn(f"{text} {method.at_zero_error}; {other}", DegenerateVarianceWarning)
    if parts is None or matrix is None:
        return
    a = max(score.a for score in parts.scores) > 0.0
    b = max(score.b for score in parts.scores) > 0.0
    wrong = a * (matrix.predicted - matrix.right) + b * (matrix.true - matrix.right)
    few = (matrix.right + wrong < FEW) & ~undefined[..., None]
    few &= (matrix.true > 0) | (not parts.weighted)
    if parts.chosen:
        few &= np.isin(np.arange(few.shape[-1]), parts.chosen)
    if few.any():
        some = few.any(axis=-1)
        first = np.flatnonzero(few[tuple(np.argwhere(some)[0])]).tolist()
        listed = _validation.listing([classes[k] if classes else k for k in first], 3)
        text = f"{name}{_places(some)}: fewer than {FEW} items matter to the score of class"
        warn(f"{text} {listed}, so that little is known of the average", SmallSampleWarning)


def _places(which: NDArray[np.bool_] | np.bool_, names: Classes | None = None) -> str:
    """Return a clause that says which of several tables, or of those with names, are meant."""
    if not np.ndim(which):
        return ""
    places = np.argwhere(which).tolist()
    if names is not None:
        return f" for {_validation.listing([names[k] for (k,) in places], 3)}"
    return f" for {len(places)} of {which.size} tables (the first at {places[0]})"


def _lacking(metric: Metric, true: Array, predicted: Array, classes: Classes | None) -> str:
    """Return a clause that says which classes are never true or never predicted."""
    names = ["negative", "positive"] if metric.binary else classes or range(len(true))
    lacks = []
    for name, *numbers in zip(names, true, predicted, strict=True):
        words = [word for word, n in zip(("true", "predicted"), numbers, strict=True) if not n]
        if words:
            lacks.append(f"class {_validation.short(name)} is never {' and never '.join(words)}")
    return f", because {_validation.first_few(lacks)}" if lacks else ""
