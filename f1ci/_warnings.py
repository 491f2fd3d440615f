"""Warnings: what the numbers of an interval do not show.

A score is undefined, a standard error is zero, or a class has fewer than three items that matter
to its score. (Over 27 designs with so few expected items the score limits of averages cover 98 %
on average instead of 95 %, and are long; the delta method covers 55 %.)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.counts import Matrix
from f1ci.methods import Method
from f1ci.methods.score import Sample
from f1ci.metrics import Metric
from f1ci.results import (
    Array,
    DegenerateVarianceWarning,
    SmallSampleWarning,
    UndefinedMetricWarning,
    warn,
)

Classes = Sequence[Hashable] | None

# Fewer items than this that matter to the score of a class are too few.
FEW = 3


def check(
    sample: Sample, method: Method, name: str, *, classes: Classes = None, each: bool = False
) -> None:
    """Warn of a sample of the metric called `name` that is undefined, degenerate or too small.

    With `each` the sample has one score for each of the classes.
    """
    undefined = np.isnan(np.asarray(sample.estimate))
    if undefined.any():
        where = _places(undefined, classes if each else None, sample.matrix is None)
        reason = "" if each else missing_classes(sample, undefined, classes)
        warn(f"{name} is undefined{where}{reason}; nan was returned", UndefinedMetricWarning)
    flat = (np.asarray(sample.error) == 0.0) & ~undefined
    if method.at_zero_error and flat.any():
        advice = "collect more items"
        if sample.limits is not None:
            advice = "method='score' avoids this"
        elif method.name != "logit":
            advice = "method='logit' avoids this"
        where = _places(flat, classes if each else None, sample.matrix is None)
        text = f"{name} has a standard error of zero{where}, so that {method.at_zero_error}"
        warn(f"{text}; {advice}", DegenerateVarianceWarning)
    if sample.metric.parts is not None and sample.matrix is not None:
        _check_few(sample.metric, sample.matrix, undefined, classes)


def _check_few(
    metric: Metric, matrix: Matrix, undefined: NDArray[np.bool_], classes: Classes
) -> None:
    """Warn if a class of an average has too few items that matter to its score."""
    parts = metric.parts
    assert parts is not None  # noqa: S101 - the caller asks
    false_positives = any(score.a > 0.0 for score in parts.scores)
    false_negatives = any(score.b > 0.0 for score in parts.scores)
    items = matrix.right + (matrix.predicted - matrix.right) * false_positives
    items = items + (matrix.true - matrix.right) * false_negatives
    few = (items < FEW) & ~undefined[..., None]
    if parts.weighted:
        few &= matrix.true > 0
    if few.any():
        some = few.any(axis=-1)
        first = few[tuple(np.argwhere(some)[0])]
        named = [classes[k] if classes else k for k in np.flatnonzero(first).tolist()]
        where = _places(some, None, False)
        text = f"{metric.name}{where}: fewer than {FEW} items matter to the score of class"
        rest = "so that little is known of the average; collect more items of it, or leave it out"
        warn(f"{text} {_validation.listing(named, 3)}, {rest}", SmallSampleWarning)


def _places(which: Any, classes: Classes, counts: bool) -> str:
    """Return a clause that says which of several tables, or of several classes, are meant."""
    if not np.ndim(which):
        return ""
    places = np.argwhere(which)
    if classes is not None:
        return f" for class {_validation.listing([classes[int(place[0])] for place in places], 3)}"
    first = ", ".join(map(str, places[0]))
    what = "counts" if counts else "matrices"
    return f" for {len(places)} of {which.size} {what} (the first at [{first}])"


def missing_classes(sample: Sample, undefined: NDArray[np.bool_], classes: Classes) -> str:
    """Return a clause that says which classes the first undefined table lacks."""
    if sample.matrix is None:
        nothing = "no item is relevant" if sample.independent else "no unit holds a relevant item"
        return f", because {nothing}"
    place = tuple(np.argwhere(undefined)[0]) if undefined.ndim else ()
    return lacking(
        sample.metric, sample.matrix.true[place], sample.matrix.predicted[place], classes
    )


def lacking(metric: Metric, true: Array, predicted: Array, classes: Classes) -> str:
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
