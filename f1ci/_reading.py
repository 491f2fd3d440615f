"""From labels and the name of a metric to data and a metric: one rule for every door.

This module decides which class is the positive one, which classes an average is over, what a class
without a score counts, and when labels are indicators of several classes for one item. Intervals,
comparisons, joint intervals, reports and the command line all ask here.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._labels import are_indicators
from f1ci.data import Items, UnitCounts, binary_items, class_items, indicator_units
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.averages import MacroStar, Mean, mean_of, with_rule
from f1ci.metrics.shares import shares_by_class, shares_of_two, with_shares
from f1ci.results import Classes, Labels

AVERAGES = ("binary", "micro", "macro", "weighted", "samples")


class Reading(NamedTuple):
    """A metric and the data it is asked of.

    Attributes
    ----------
    metric : Metric
        The metric, an average with its classes and its rule for undefined ones.
    data : Items or UnitCounts
        Items of one or more models; units if items may be of several classes.
    classes : sequence
        What the classes are called.
    each : bool
        There is a data set for each class.
    constant : float
        What an undefined score counts; nan if nothing.
    """

    metric: Metric
    data: Items | UnitCounts
    classes: Classes
    each: bool
    constant: float


def read(
    named: Mapping[str, Labels],
    metric: str | Metric,
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
    zero_division: float = np.nan,
) -> Reading:
    """Return the data of labels, and the metric with its rules.

    Parameters
    ----------
    named : mapping of str to sequence
        The truth, then the predictions of each model; the names are for messages.
    metric, average, pos_label, labels, groups, zero_division
        See `f1ci.score_interval`.
    """
    metric = _metrics.get(metric)
    constant = zero_division_of(zero_division)
    if average is not None:
        _validation.choice("average", average, AVERAGES)
    if average != "binary":
        metric = _averaged(metric, average)
    truth = next(iter(named.values()))
    if are_indicators(truth):
        return _of_indicators(named, metric, average, labels, groups, constant)
    if isinstance(metric, Mean) and metric.average == "samples":
        raise ValueError("average='samples' needs indicators of shape (items, classes) as labels")
    if metric.binary and average is not None:
        _refuse_labels(labels)
        items = binary_items(named, pos_label, groups)
        return Reading(metric, items, items.classes, False, constant)
    items = class_items(named, labels, groups)
    if average is None:
        classes = list(items.classes)[: items.asked]
        return Reading(metric, items.each_class(), classes, True, constant)
    return Reading(with_classes(metric, items, constant), items, items.classes, False, constant)


def _refuse_labels(labels: Classes | None) -> None:
    """Refuse the classes of an average for the score of one class."""
    if labels is not None:
        rule = "labels goes with averages over classes, not with pos_label"
        raise ValueError(f"{rule}, got {_validation.short(labels)}")


def with_classes(metric: Metric, items: Items, constant: float = np.nan) -> Metric:
    """Return the metric of the classes that are asked for, with its rule for undefined ones."""
    if items.asked == len(items.classes):
        return with_rule(metric, (), constant)
    if isinstance(metric, Mean | MacroStar):
        return with_rule(metric, tuple(range(items.asked)), constant)
    others = f"labels must name every class that occurs for {metric.name!r}"
    got = _validation.listing(list(items.classes)[: items.asked])
    raise ValueError(f"{others}, which needs all items, got {got}")


def _averaged(metric: Metric, average: str | None) -> Metric:
    """Return the average of a binary metric; the metric itself where each class is asked for."""
    if not isinstance(metric, _metrics.ExpectationMetric):
        how = "average= goes with metrics of two classes, such as 'f1' or 'precision'"
        raise ValueError(f"{how}, not with {metric.name!r}, got {average!r}")
    return metric if average is None else mean_of(average, metric)


def _of_indicators(
    named: Mapping[str, Labels],
    metric: Metric,
    average: str | None,
    labels: Classes | None,
    groups: Labels | None,
    constant: float,
) -> Reading:
    """Return the data of indicators, where an item may be of several classes."""
    each = average is None
    averaged = isinstance(metric, Mean) and isinstance(metric.of, Tversky)
    if not averaged and not (each and isinstance(metric, Tversky)):
        rule = "indicators of several classes need an average of a Tversky score"
        how = "average='micro', 'macro', 'weighted', 'samples' or None, or 'macro_f1'"
        raise ValueError(f"{rule}: {how}, got {metric.name!r}")
    if isinstance(metric, Mean) and metric.average == "samples" and groups is not None:
        raise ValueError("average='samples' is the mean over items, without groups")
    units = indicator_units(named, labels, groups)
    return Reading(with_rule(metric, (), constant), units, units.classes, each, constant)


def read_with_shares(
    named: Mapping[str, Labels],
    metric: str | Metric,
    class_shares: Mapping[Any, float] | None,
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
    zero_division: float = np.nan,
) -> Reading:
    """Return the data of labels, and the metric in a population with known shares of the classes.

    Averages are over `labels`, but the shares are those of all classes.
    """
    reading = read(
        named,
        metric,
        average=average,
        pos_label=pos_label,
        labels=labels if class_shares is None else None,
        groups=groups,
        zero_division=zero_division,
    )
    if class_shares is None:
        return reading
    return _in_population(reading, class_shares, pos_label, labels)


def _in_population(
    reading: Reading,
    class_shares: Mapping[Any, float],
    pos_label: Hashable,
    labels: Classes | None,
) -> Reading:
    """Return the reading with the metric of a population with known shares of the classes."""
    if reading.each:
        how = "labels=['a'] and average='macro' give the score of class 'a'"
        raise ValueError(f"class_shares goes with one score; {how}, got average=None")
    items = reading.data
    if not isinstance(items, Items):
        rule = "class_shares goes with one label for each item, not with indicators"
        raise ValueError(f"{rule}, got {_validation.short(class_shares)}")
    if reading.metric.binary:
        _refuse_labels(labels)
        shares = shares_of_two(class_shares, pos_label)
    else:
        shares = shares_by_class(class_shares, items.classes)
    of = reading.metric
    if labels is not None:
        places = tuple(_place_of(label, items.classes) for label in labels)
        of = with_rule(of, places, reading.constant)
    true = np.zeros(len(items.classes))
    np.add.at(true, items.codes[0], items.counts)
    # Every model keeps the classes of the shares.
    known = with_shares(of, shares, true, items.classes)
    return reading._replace(metric=known, data=items._replace(named=True))


def _place_of(label: Hashable, classes: Classes) -> int:
    """Return the place of a class, or refuse one that does not occur."""
    if label not in classes:
        rule = f"labels must name classes that occur ({_validation.listing(list(classes))})"
        raise ValueError(f"{rule}, got {_validation.short(label)}")
    return list(classes).index(label)


def zero_division_of(value: float) -> float:
    """Return 0, 1 or nan: what an undefined score counts."""
    if not isinstance(value, (int, float, np.number)) or not (value in (0, 1) or value != value):
        raise ValueError(f"zero_division must be 0, 1 or nan, got {_validation.short(value)}")
    return float(value)


def refuse_weights(sample_weight: object) -> None:
    """Refuse weights of items: what they do to the standard error depends on what they mean."""
    if sample_weight is not None:
        raise TypeError(
            "sample_weight is not offered: repeat rows that stand for several items, pass groups= "
            "for items that belong together, and class_shares= to score_interval if classes are as "
            "frequent elsewhere (see the page 'Another prevalence, another F1'); "
            f"got {_validation.short(sample_weight)}"
        )
