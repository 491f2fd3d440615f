"""Scores of classes and averages over them, of all classes or of some.

A class may be left out because ``labels`` does not name it, or because its score is undefined.
What ``zero_division`` says of an undefined score is a constant: with the share c of the classes
whose score is defined, the average is c times the average over these plus 1 - c times the constant.
So are its limits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from f1ci import _validation, clustered, metrics
from f1ci import counts as _counts
from f1ci._labels import Codes, are_indicators
from f1ci._limits import FEW, Level, interval_of
from f1ci.counts import Items
from f1ci.methods.clusters import sample_of_groups
from f1ci.methods.score import Sample, sample_of, sample_of_counts
from f1ci.metrics import Tversky
from f1ci.metrics.classes import Mean
from f1ci.results import (
    Array,
    Classes,
    FloatOrArray,
    Interval,
    Labels,
    SmallSampleWarning,
    UndefinedMetricWarning,
    warn,
)


class ClassCounts(NamedTuple):
    """The classes of a test set, and how often a model was right about each.

    Attributes
    ----------
    classes : sequence
        The classes that are asked for, in their order.
    totals : ndarray, shape (classes, 3)
        TP, FP and FN by class.
    units : ndarray, shape (units, classes, 3)
        The same of each item or group, if an item may be of several classes; or of all once.
    items : Items or None
        The items, if each is of exactly one class. They may be of other classes, too: of one more
        class, the last.
    number : int
        How many items there are.
    grouped : bool
        True if the items came in groups.
    """

    classes: Classes
    totals: Array
    units: Array
    items: Items | None
    number: int
    grouped: bool


def class_counts(
    y_true: Labels, y_pred: Labels, labels: Classes | None, groups: Labels | None
) -> ClassCounts:
    """Return what labels or indicators say of the classes."""
    if not are_indicators(y_true):
        named = {"y_true": y_true, "y_pred": y_pred}
        items = _counts.items_of(named, False, None, labels, groups, others=True)
        return counts_of_items(items, labels)
    table, names = _counts.indicator_counts(y_true, y_pred, labels)
    _validation.at_least_two("items", len(table))
    units = table if groups is None else _counts.by_group(table, groups)
    return ClassCounts(names, table.sum(axis=0), units, None, len(table), groups is not None)


def counts_of_items(items: Items, classes: Classes | None = None) -> ClassCounts:
    """Return what items say of some classes, the first ones, or of all."""
    wanted = list(items.classes if classes is None else classes)
    units, number = items._replace(groups=None).by_group(), int(items.counts.sum())
    units = units[:, : len(wanted)]
    return ClassCounts(wanted, units[0], units, items, number, items.groups is not None)


def zero_division_of(value: float) -> float:
    """Return 0, 1 or nan: what an undefined score counts."""
    if not isinstance(value, (int, float, np.number)) or not (value in (0, 1) or value != value):
        raise ValueError(f"zero_division must be 0, 1 or nan, got {_validation.short(value)}")
    return float(value)


def refuse_weights(sample_weight: object) -> None:
    """Refuse weights of items: what they do to the standard error depends on what they mean."""
    if sample_weight is not None:
        raise TypeError(
            "sample_weight is not offered, because the error of a weighted score depends on what "
            "the weights mean: repeat rows that stand for several items, pass groups= for items "
            "that belong together, and average scores of strata by hand; got "
            f"{_validation.short(sample_weight)}"
        )


def interval_of_classes(
    data: ClassCounts,
    score: Tversky,
    average: str | None,
    zero_division: float,
    method: str | None,
    level: Level,
) -> Interval:
    """Return the interval of a Tversky score of each class, or averaged over them."""
    sample = _sample(data, score, average, zero_division)
    name, each = score.name if average is None else f"{average}_{score.name}", average is None
    # The matrix may have one more class.
    classes = data.classes if each or data.items is None else data.items.classes
    return interval_of(sample, method, level, name, classes=classes, each=each)


def _sample(data: ClassCounts, score: Tversky, average: str | None, zero_division: float) -> Sample:
    """Return the sample of a Tversky score: of each class, or averaged over them.

    Without `zero_division`, that is nan, a class whose score is undefined is left out of the
    average, and a warning says so.
    """
    chosen, share = np.arange(len(data.classes)), 1.0
    if average in (None, "micro"):
        return defined(_of_chosen(data, score, average, chosen), share, zero_division)
    if average == "samples":
        return _of_samples(data, score, zero_division)
    if data.items is None:
        _validation.choice("average of indicators", average, clustered.AVERAGES)
    true = data.totals[:, 0] + data.totals[:, 2]
    if average == "weighted" and not true.any():
        average = "macro"
    weight = true if average == "weighted" else np.ones(len(true))
    items = (data.totals * [1.0, score.a > 0.0, score.b > 0.0]).sum(axis=-1)
    relevant, few = items > 0.0, (items > 0.0) & (items < FEW)
    some = data.items is not None and relevant.sum() < len(data.items.classes)
    if some and few.any():
        named = _validation.listing([data.classes[k] for k in np.flatnonzero(few).tolist()], 3)
        text = f"fewer than {FEW} items matter to the {score.name} of class {named}"
        warn(f"{text}, so that little is known of the average", SmallSampleWarning)
    if relevant.any() and not relevant.all():
        chosen = np.flatnonzero(relevant)
        if np.isnan(zero_division):
            undefined = [data.classes[k] for k in np.flatnonzero(~relevant).tolist()]
            named = _validation.listing(undefined, 3)
            text = f"{score.name} is undefined for class {named}, which the average leaves out"
            warn(f"{text}; zero_division=0 counts it as 0", UndefinedMetricWarning)
        else:
            share = weight[chosen].sum() / weight.sum()
    return defined(_of_chosen(data, score, average, chosen), share, zero_division)


def _of_chosen(data: ClassCounts, score: Tversky, average: str | None, chosen: Codes) -> Sample:
    """Return the sample of the classes at these places: of each, or of an average over them."""
    if data.items is None or (average is None and data.grouped):
        units = data.units if data.items is None else data.items.by_group()
        sample = clustered.sample_of_tables([units[:, chosen]], score, average)
        return sample._replace(mark="+groups") if data.grouped else sample
    if average is None:
        tp, fp, fn = data.totals.T
        return sample_of_counts(score, (tp, fp, fn))
    metric: metrics.Metric = metrics.micro_f1
    if len(chosen) < len(data.items.classes):
        name, places = f"{average}_{score.name}", tuple(chosen.tolist())
        metric = Mean(name, score, average, score.range, chosen=places)
    elif average != "micro":
        metric = (metrics.macro if average == "macro" else metrics.weighted)(score)
    return sample_of_items(metric, data.items)


def _of_samples(data: ClassCounts, score: Tversky, zero_division: float) -> Sample:
    """Return the sample of the mean of the items' scores."""
    if data.items is not None:
        raise ValueError("average='samples' needs indicators of shape (items, classes) as labels")
    if data.grouped:
        raise ValueError("groups goes with pooled counts, got average='samples'")
    pooled = data.units.sum(axis=1) * [1.0, score.a > 0.0, score.b > 0.0]
    empty = ~pooled.any(axis=-1)
    table = data.units
    if empty.any() and np.isnan(zero_division):
        text = f"{score.name} is undefined for {empty.sum():,} items, which the average leaves out"
        warn(f"{text}; zero_division=0 counts them as 0", UndefinedMetricWarning)
        table = table[~empty]
    elif zero_division == 1.0:  # such an item is wholly right
        table = np.where(empty[:, None, None], [1.0, 0.0, 0.0], table)
    if len(table) < 2:  # nothing is known of the mean of one item
        tp, fp, fn = table.sum(axis=(0, 1))
        one = sample_of_counts(score, (tp, fp, fn))._replace(error=np.array(np.nan), counts=None)
        ends = np.zeros(()), np.ones(())
        return defined(one._replace(limits=lambda z, cautious: ends), 1.0, zero_division)  # noqa: ARG005
    return clustered.sample_of_tables([table], score, "samples")


def sample_of_items(metric: metrics.Metric, items: Items) -> Sample:
    """Return the sample of any metric for one model's items."""
    if items.groups is not None:
        return sample_of_groups(metric, items)
    return sample_of(metric, items.matrix())


def defined(sample: Sample, share: float, zero_division: float) -> Sample:
    """Return the sample of an average of which `share` is a score and the rest is a constant.

    A score that is undefined altogether is the constant, of which nothing is known.
    """
    undefined = np.isnan(sample.estimate)
    if share == 1.0 and not np.any(undefined):
        return sample
    at, error_at = sample.limits, sample.error_at
    constant = np.nan_to_num((1.0 - share) * zero_division)

    def limits(z: FloatOrArray, cautious: bool) -> tuple[Array, Array]:
        assert at is not None  # noqa: S101 - `limits` is used only then
        low, high = (share * end + constant for end in at(z, cautious))
        return np.where(undefined, 0.0, low), np.where(undefined, 1.0, high)

    return sample._replace(
        estimate=np.where(undefined, zero_division, share * sample.estimate + constant),
        error=share * sample.error,
        limits=None if at is None else limits,
        error_at=None if error_at is None else lambda z: share * error_at(z),
        bias=share * sample.bias,
    )
