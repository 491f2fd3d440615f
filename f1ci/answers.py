"""From a sample to its answer: limits, an interval, a p-value, and what these do not show.

Every question of every kind of data comes here, and this is the one place that warns. Warnings tell
that a score is undefined, that an average leaves a class out, that two models' averages are over
different classes, that a standard error is zero, that the runs of a recipe are one model, or that
little is known: because a class has fewer than three items that matter to its score, because fewer
than three items stand for a known share of the population, or because a few units hold nearly
everything. (Over 27 designs with so few expected items the score limits of averages cover 98 % on
average instead of 95 %, and are long; the delta method covers 55 %.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from f1ci._tables import decimals
from f1ci.data import checks
from f1ci.methods import METHODS, Method, choose, default, ellipse
from f1ci.methods.closed_form import Limits
from f1ci.methods.delta import normal_quantile
from f1ci.metrics.base import FEW
from f1ci.results import Interval
from f1ci.samples import CountSample, Sample, UnitSample
from f1ci.types import (
    Array,
    Classes,
    DegenerateVarianceWarning,
    FloatOrArray,
    IntervalWarning,
    SmallSampleWarning,
    UndefinedMetricWarning,
    Value,
    warn,
)

ALTERNATIVES = ("two-sided", "greater", "less")

# An answer names the logit limits of units if they are shorter than this share of the score limits.
_MUCH_SHORTER = 2.0 / 3.0


class Question(NamedTuple):
    """How limits are wanted.

    Attributes
    ----------
    method : str or None
        The name of the method; None for the default.
    level : float
        The confidence level, checked.
    alternative : str
        "two-sided", or "greater" or "less" for one limit.
    """

    method: str | None
    level: float
    alternative: str = "two-sided"


def question(
    method: str | None, confidence_level: float, alternative: str = "two-sided"
) -> Question:
    """Return a checked question; warn of a level that may be its complement."""
    level = checks.confidence_level(confidence_level)
    checks.choice("alternative", alternative, ALTERNATIVES)
    return Question(method, level, alternative)


def interval_of(sample: Sample, asked: Question) -> Interval:
    """Return the interval for a sample by the method that is asked for, or the default."""
    method_name, method = method_for(sample, asked.method)
    _refuse_side(method, asked.alternative)
    z = _quantile_for(asked.level, asked.alternative)
    low, high = _on_one_side(limits_of(sample, method, z), sample.range, asked.alternative)
    error = sample.error if method.error is None else method.error(sample, z)
    is_score = method_name == "score" and asked.alternative == "two-sided"
    return Interval(
        _number(sample.counted),
        _number(low),
        _number(high),
        _number(error),
        asked.level,
        method_name + "+groups" * sample.grouped,
        sample.name,
        tuple(sample.classes or ()) if sample.each else None,
        asked.alternative,
        sample.over,
        _if_no_unit_fails(sample, z, high - low) if is_score else "",
    )


def _refuse_side(method: Method, alternative: str) -> None:
    """Refuse one limit of a method whose limits belong together."""
    if method.two_sided and alternative != "two-sided":
        rule = f"alternative must be 'two-sided' for method={method.name!r}"
        raise ValueError(f"{rule}, got {alternative!r}")


def _if_no_unit_fails(sample: Sample, z: FloatOrArray, length: Array) -> str:
    """Return the logit limits of units in words, if they are much shorter than score limits."""
    if not isinstance(sample, UnitSample) or sample.each:
        return ""
    low, high = limits_of(sample, METHODS["logit"], z)
    if not 0.0 < high - low < _MUCH_SHORTER * length:
        return ""
    digits = decimals(high - low)
    limits = f"{low:.{digits}f} to {high:.{digits}f}"
    return f"{limits} if no unit can be much worse than those seen (method='logit')"


def limits_of(sample: Sample, method: Method, z: FloatOrArray) -> Limits:
    """Return the limits by a method, as wide as not knowing undefined scores makes them."""
    return with_unknown(sample, lambda one: method.limits(one, z))


def with_unknown(sample: Sample, limits: Callable[[Sample], Limits]) -> Limits:
    """Return limits as wide as not knowing undefined scores makes them; the one place that does so.

    The score of a class that exists, or counts, although no item tells it, may be anything: it is
    the least in the lower limit, and the largest in the upper one. So may a score be that is
    undefined itself but counts as a constant.
    """
    low, high = limits(sample)
    least, largest = sample.range
    if sample.ends is not None:
        worst, best = sample.ends
        low = np.where(np.isnan(worst.estimate), least, limits(worst)[0])
        high = np.where(np.isnan(best.estimate), largest, limits(best)[1])
    if np.isnan(sample.constant):
        return low, high
    undefined = np.isnan(sample.estimate) & ~np.isnan(sample.counted)
    return np.where(undefined, least, low), np.where(undefined, largest, high)


def tail(sample: Sample, name: str | None, value: float) -> float:
    """Return the one-sided p-value against a score, or a difference, of at most `value`.

    It inverts the interval of the method.
    """
    _, method = method_for(sample, name)

    def limits(z: FloatOrArray) -> Limits:
        return limits_of(sample, method, z)

    return ellipse.tail_probability(limits, float(sample.estimate), float(sample.error), value)


def level_of_zero(sample: Sample, asked: Question) -> float:
    """Return the p-value: one minus the level of the interval that has zero as a limit."""
    above = tail(sample, asked.method, 0.0)
    ends = {"greater": above, "less": 1.0 - above, "two-sided": 2.0 * min(above, 1.0 - above)}
    return ends[asked.alternative]


def method_for(sample: Sample, name: str | None) -> tuple[str, Method]:
    """Return the named method for a sample and its name, or the default."""
    if name is None:
        return default(sample)
    what = repr(sample.metric.name)
    if sample.name != sample.metric.name:
        what = f"differences of {what}"
    if sample.grouped:
        what = f"{what} of items in groups"
    return choose(name, sample, what)


def _quantile_for(level: float, alternative: str) -> float:
    """Return z for a level. One limit has both tails for itself."""
    if alternative == "two-sided":
        return normal_quantile(level)
    if level <= 0.5:
        what = f"alternative={alternative!r}, a one-sided limit"
        raise ValueError(f"confidence_level must be above 0.5 for {what}, got {level!r}")
    return normal_quantile(2.0 * level - 1.0)


def _on_one_side(limits: Limits, range_: tuple[float, float], alternative: str) -> Limits:
    """Return the limits that are asked for; the other end of a single one is that of the range."""
    low, high = limits
    if alternative == "greater":
        high = np.where(np.isnan(high), high, range_[1])
    elif alternative == "less":
        low = np.where(np.isnan(low), low, range_[0])
    return low, high


def _number(value: Array) -> Value:
    """Return a float if the array has no dimensions."""
    return value if value.ndim else value.item()


# Warnings.


def check(sample: Sample, method: Method, name: str = "") -> None:
    """Warn of a sample that is undefined, degenerate or too small; `name` is what it is called."""
    if isinstance(sample, CountSample) and sample.matrix is None and (sample.error > 0.0).all():
        return
    name = name or sample.name
    check_alike(list(zip(sample.part_names, sample.parts, strict=True)))
    _check_undefined(sample, name)
    _check_left_out(sample, name)
    _check_error(sample, method, name)
    for recipe, runs in sample.alike_runs:
        text = f"{name}: the {runs} runs{recipe} predict the same, so that their seeds did nothing"
        warn(f"{text}, and the interval is for new items alone", IntervalWarning)
    any(_is_small(part, name) for part in sample.parts)


def _is_small(part: Sample, name: str) -> bool:
    """Tell if little is known of a score because of few items, or few units; warn of it."""
    if part.matrix is not None:
        few = part.metric.with_few_items(part.matrix)
        if few is not None and few.any():
            _warn_of_few(few, name, part)
            return True
        known = part.metric.few_for_a_share(part.matrix)
        if known is not None:
            stand = "1 item stands" if known[0] == 1 else f"{known[0]} items stand"
            text = f"{name}: {stand} for {100 * known[1]:.2g} % of the population"
            warn(f"{text}, so that little is known of this part", SmallSampleWarning)
            return True
    return isinstance(part, UnitSample) and _has_few_units(part.moves.share, name)


def _has_few_units(share: Array, name: str) -> bool:
    """Tell if units with these shares of what matters are worth few of one size; warn of it."""
    worth = float(np.min(1.0 / np.maximum((share**2).sum(axis=0), 1e-9)))
    if round(worth, 9) > FEW:
        return False
    number = int(np.max((share > 0.0).sum(axis=0)))
    units = "one unit" if number == 1 else f"{number} units, as good as {worth:.2g} of one size"
    largest = f"the largest holds {100 * np.max(share):.3g} %"
    text = f"{name} rests on {units} ({largest}); units of another kind may be missing"
    warn(text, SmallSampleWarning)
    return True


def check_alike(samples: Sequence[tuple[str, Sample]]) -> None:
    """Warn that the averages of several models are over different classes.

    A class that only one model predicts, such as one stray "n/a", is a class of that model's
    average alone.
    """
    over = {name: one.over for name, one in samples if one.over is not None}
    sets = set(map(frozenset, over.values()))
    if len(sets) < 2:
        return
    common = frozenset.intersection(*sets)
    parts = []
    for name, classes in over.items():
        more = [_class_name(label) for label in classes if label not in common]
        also = f" ({checks.first_few(more)} among them)" if more else ""
        parts.append(f"that of {name} over {len(classes)} classes{also}")
    text = f"the averages {samples[0][1].metric.name} are over different classes"
    advice = "labels= says which classes count for all models"
    warn(f"{text}: {checks.first_few(parts, 4)}; {advice}", IntervalWarning)


def _check_undefined(sample: Sample, name: str) -> None:
    """Warn that a score is undefined, and say which class is missing."""
    undefined = np.isnan(np.asarray(sample.counted))
    if undefined.any():
        reason = next(filter(None, map(_lacking, sample.parts)), "")
        if sample.runs:
            count = sum(bool(np.isnan(part.counted)) for part in sample.parts)
            reason = f" for {count} of {sample.runs} runs{reason}"
        text = f"{name} is undefined{_places(undefined, sample)}{reason}"
        warn(f"{text}; nan was returned", UndefinedMetricWarning)


def _check_error(sample: Sample, method: Method, name: str) -> None:
    """Warn that a standard error is undefined or zero, and say what the method does if it is zero.

    The geometric mean of recalls has no standard error where a recall is 0: its slope is infinite.
    """
    steep = np.isnan(np.asarray(sample.error)) & ~np.isnan(np.asarray(sample.estimate))
    if steep.any():
        text = f"{name} has a slope that is not finite{_places(steep, sample)}"
        warn(f"{text}, so that its standard error is undefined", DegenerateVarianceWarning)
    if not method.at_zero_error or (method.name == "logit" and not sample.logit_needs_error):
        return
    flat = np.asarray(sample.error) == 0.0
    if flat.any():
        text = f"{name} has a standard error of zero{_places(flat, sample)}, so that"
        advice = "method='score' avoids this" if sample.has_score_limits else "collect more items"
        known = method.name == "logit" and sample.if_alike
        warn(f"{text} {known or method.at_zero_error}; {advice}", DegenerateVarianceWarning)


def _check_left_out(sample: Sample, name: str) -> None:
    """Warn of the classes, or units, that averages leave out because they have no score."""
    advice = sample.parts[0].counts_them
    for of, part in zip(sample.part_names, sample.parts, strict=True):
        if part.units_left_out:
            text = f"{of} leaves out {part.units_left_out:,} units whose score is undefined"
            warn(f"{text}; {advice}", UndefinedMetricWarning)
    called = [_called(place, part.classes) for part in sample.parts for place in part.left_out]
    names = list(dict.fromkeys(called))
    if names:
        text = f"{name} leaves out class {checks.first_few(names)}"
        warn(f"{text}, where a score is undefined; {advice}", UndefinedMetricWarning)


def _warn_of_few(few: NDArray[np.bool_], name: str, part: Sample) -> None:
    """Warn that some classes have so few items that little is known of the average."""
    some = few.any(axis=0)
    first = few if few.ndim == 1 else few.reshape(len(few), -1)[:, np.flatnonzero(some)[0]]
    names = [_called(place, part.classes) for place in np.flatnonzero(first).tolist()]
    text = f"{name}{_places(some, part)}: fewer than {FEW} items matter"
    text = f"{text} to the score of class {checks.first_few(names)}"
    warn(f"{text}, so that little is known of the average", SmallSampleWarning)


def _called(place: int, classes: Classes | None) -> str:
    return _class_name(place if classes is None else classes[place])


def _class_name(label: object) -> str:
    return checks.short(label)[:40]


def _places(which: NDArray[np.bool_] | np.bool_, sample: Sample) -> str:
    """Return a clause that says which of several tables, or of those with names, are meant."""
    if not np.ndim(which):
        return ""
    places = np.argwhere(which).tolist()
    if sample.each and sample.classes is not None:
        return f" for {checks.listing([sample.classes[k] for (k,) in places], 3)}"
    return f" for {len(places)} of {which.size} tables (the first at {places[0]})"


def _lacking(sample: Sample) -> str:
    """Return a clause that says which classes are never true or never predicted."""
    matrix = sample.matrix
    undefined = np.flatnonzero(np.isnan(sample.estimate))
    if matrix is None or sample.each or not len(undefined):
        return ""
    r = matrix.cells.r
    true = matrix.true.reshape(r, -1)[:, undefined[0]]
    predicted = matrix.predicted.reshape(r, -1)[:, undefined[0]]
    names = ["negative", "positive"] if r == 2 and sample.metric.binary else sample.classes
    lacks = []
    for place in range(r):
        words = ["true"] * (not true[place]) + ["predicted"] * (not predicted[place])
        if words:
            lacks.append(f"class {_called(place, names)} is never {' and never '.join(words)}")
    return f", because {checks.first_few(lacks)}" if lacks else ""
