"""What labels mean: the positive class, the classes of an average, what is known of strata.

`f1ci.kinds.Labels` asks here, and so does every other kind for what they share.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from f1ci.data import checks
from f1ci.data.items import BINARY, Items, count_items
from f1ci.data.labels import Codes, encode
from f1ci.data.units import UnitCounts
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.averages import mean_of
from f1ci.metrics.base import ExpectationMetric
from f1ci.metrics.shares import KnownShares, shares_by_name
from f1ci.samples import ByClass, Sample, sample
from f1ci.types import Array, Classes, LabelsLike

AVERAGES = ("binary", "micro", "macro", "weighted", "samples")


def each_class(metric: Metric, items: Items) -> Sample:
    """Return the sample of a metric of two classes for each class against all others."""
    if items.strata is None:
        of_each = sample(metric, items.each_class())
    else:
        # What is possible in a stratum differs from class to class.
        alone = [sample(metric, items.one_class(place)) for place in range(items.asked)]
        of_each = ByClass(alone)
    of_each.each = True
    of_each.classes = list(items.classes)[: items.asked]
    return of_each


class Population(NamedTuple):
    """What is known of the place where a score is wanted, as users pass it; see `score_interval`.

    Attributes
    ----------
    class_shares : mapping, pandas Series or None
        The shares of the true classes.
    strata : sequence or None
        The stratum from which each item was drawn.
    stratum_shares : mapping, pandas Series or None
        The shares of the strata.
    stratum_counts : mapping, pandas Series or None
        How many items of a random pool each stratum has, if the shares are not known.
    """

    class_shares: Mapping[Any, float] | None = None
    strata: LabelsLike | None = None
    stratum_shares: Mapping[Any, float] | None = None
    stratum_counts: Mapping[Any, int] | None = None


class Strata(NamedTuple):
    """The stratum of each item, and the shares of the strata; None if nothing is known.

    The strata of known class shares are the true classes.
    """

    codes: Codes | None = None
    shares: Array | None = None
    of_truth: bool = False
    pool: Array | None = None

    def marked(self, items: Items) -> Items:
        """Return the items, which know if their strata are the true classes, and the pool."""
        items = items._replace(strata_of_truth=self.of_truth)
        return items if self.pool is None else items.with_pool(self.pool)

    def in_population(self, metric: Metric) -> Metric:
        """Return the metric in the population."""
        drawn = 0 if self.pool is None else len(self.pool)
        return metric if self.shares is None else KnownShares(metric, self.shares, drawn)


def strata_of(truth: LabelsLike, population: Population, groups: LabelsLike | None) -> Strata:
    """Return the checked strata of the items. Known class shares make strata of the true classes.

    Without shares there are no strata.
    """
    _check_population(population, groups)
    class_shares, strata, stratum_shares, stratum_counts = population
    if strata is None:
        if class_shares is None:
            return Strata()
        return _strata("class_shares", "y_true", truth, class_shares)._replace(of_truth=True)
    items = len(encode({"y_true": truth})[0][0])
    if stratum_counts is None:
        known = _strata("stratum_shares", "strata", strata, stratum_shares, items)
    else:
        known = _strata("stratum_counts", "strata", strata, stratum_counts, items)
        pool = checks.counts("stratum_counts", list(dict(stratum_counts).values()))
        known = known._replace(pool=known.shares * pool.sum())
    is_several = known.shares is not None and np.count_nonzero(known.shares) > 1
    # A single stratum is the whole population.
    return known if is_several else Strata()


def refuse_crossing(groups: Codes, strata: Codes) -> None:
    """Refuse groups whose items are of several strata, from which they cannot have been drawn."""
    pairs = np.unique(np.stack([groups, strata]), axis=1)[0]
    many = np.flatnonzero(np.bincount(pairs) > 1)
    if many.size:
        places = np.flatnonzero(groups == many[0])
        rule = "each group must lie in one stratum, from which it was drawn"
        raise ValueError(f"{rule}, got several strata for the group of item {places[0]}")


def _check_population(population: Population, groups: LabelsLike | None) -> None:
    """Check that what is known of a population is one design, of items drawn one by one."""
    given = {name: value for name, value in population._asdict().items() if value is not None}
    got = ", ".join(f"{name}={checks.short(value)}" for name, value in given.items())
    if "class_shares" in given and len(given) == 3:
        rule = "class_shares and stratum_shares are two designs: pass one of them"
        raise ValueError(f"{rule}, got {got}")
    if given.keys() - {"class_shares"} and ("strata" not in given or len(given) != 2):
        rule = "strata goes with stratum_shares, or with the stratum_counts of a pool"
        raise ValueError(f"{rule}, got {got}")
    if "stratum_counts" in given and groups is not None:
        rule = "stratum_counts is for a pool of items that were drawn one by one, not for groups"
        raise ValueError(f"{rule}, got groups={checks.short(groups)}")


def _strata(argument: str, name: str, labels: LabelsLike, shares: object, items: int = 0) -> Strata:
    """Return the strata that labels name, with their shares."""
    (codes,), names = encode({name: labels}, n=items)
    number = np.bincount(codes, minlength=len(names)).astype(np.float64)
    by_name = checks.as_mapping(shares)
    return Strata(codes, shares_by_name(argument, by_name, names, number))


def refuse_population(population: Population, rule: str) -> None:
    """Refuse known shares for what has none, by the rule."""
    for name, value in population._asdict().items():
        if value is not None:
            raise ValueError(f"{name} {rule}, got {checks.short(value)}")


def with_average(metric: Metric, average: str | None) -> Metric:
    """Return the average of a binary metric; the metric itself where each class is asked for."""
    if average is not None and checks.choice("average", average, AVERAGES) == "binary":
        return metric
    if not isinstance(metric, ExpectationMetric):
        how = "average= goes with metrics of two classes, such as 'f1' or 'precision'"
        raise ValueError(f"{how}, not with {metric.name!r}, got {average!r}")
    return metric if average is None else mean_of(average, metric)


def refuse_samples(metric: Metric) -> None:
    """Refuse the mean over items of several classes for items of one class."""
    if metric.over_items:
        raise ValueError("average='samples' needs indicators of shape (items, classes) as labels")


def refuse_labels(labels: Classes | None) -> None:
    """Refuse the classes of an average for the score of one class."""
    if labels is not None:
        rule = "labels goes with averages over classes, not with pos_label"
        raise ValueError(f"{rule}, got {checks.short(labels)}")


def with_classes(metric: Metric, items: Items, constant: float = np.nan) -> Metric:
    """Return the metric of the classes that are asked for, with its rule for undefined ones."""
    if items.asked == len(items.classes):
        return metric.counting(constant)
    if metric.averages:
        return metric.over_some(tuple(range(items.asked))).counting(constant)
    others = f"labels must name every class that occurs for {metric.name!r}"
    got = checks.listing(list(items.classes)[: items.asked])
    raise ValueError(f"{others}, which needs all items, got {got}")


def check_indicators(metric: Metric, average: str | None, data: UnitCounts) -> None:
    """Refuse what indicators, where an item may be of several classes, cannot answer."""
    averaged = metric.averages or metric.over_items or average is None
    if not (averaged and isinstance(metric.of_class, Tversky)):
        rule = "indicators of several classes need an average of a Tversky score"
        how = "average='micro', 'macro', 'weighted', 'samples' or None, or 'macro_f1'"
        raise ValueError(f"{rule}: {how}, got {metric.name!r}")
    if metric.over_items and data.grouped:
        raise ValueError("average='samples' is the mean over items, without groups")


def positive_items(items: Items, pos_label: Hashable) -> Items:
    """Return the items of the positive class against the rest."""
    classes = list(items.classes)
    if len(classes) > 2:
        got = f"got {len(classes)}: {checks.listing(classes)}"
        more = "averages over classes, such as macro_f1 and micro_f1, take any number"
        raise ValueError(f"a binary score needs at most two classes, {got}; {more}")
    if len(classes) > 1 and pos_label not in classes:
        got = f"{checks.listing(classes)}, got {checks.short(pos_label)}"
        raise ValueError(f"pos_label must be one of the labels {got}")
    positive = classes.index(pos_label) if pos_label in classes else -1
    codes = (items.codes == positive).astype(np.intp)
    binary = count_items(codes, BINARY, items.groups, items.counts, items.strata)
    return binary._replace(strata_of_truth=items.strata_of_truth, drawn=items.drawn)


def zero_division_of(value: float) -> float:
    """Return 0, 1 or nan: what an undefined score counts."""
    if not isinstance(value, (int, float, np.number)) or not (value in (0, 1) or value != value):
        raise ValueError(f"zero_division must be 0, 1 or nan, got {checks.short(value)}")
    return float(value)


def refuse_weights(sample_weight: object) -> None:
    """Refuse weights of items: what they do to the standard error depends on what they mean."""
    if sample_weight is not None:
        raise TypeError(
            "sample_weight is not offered: repeat rows that stand for several items, pass groups= "
            "for items that belong together, and class_shares= or strata= to score_interval if "
            "classes or strata have other shares where the score is wanted (see the page 'Another "
            "prevalence, another F1'); "
            f"got {checks.short(sample_weight)}"
        )


def refuse_formats(options: Mapping[str, object]) -> None:
    """Refuse scikit-learn's options for the form of a report: say what has the same numbers."""
    instead = {
        "digits": "the table has the digits that its intervals deserve; to_frame() has all",
        "output_dict": "to_dict() of the report is scikit-learn's dictionary, with the intervals",
    }
    for name in options.keys() & instead.keys():
        raise TypeError(f"{name} is not offered: {instead[name]}; got {options[name]!r}")
