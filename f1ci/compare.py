"""Comparisons of two classifiers on the same items.

The two estimates are correlated, because the items are the same. Their difference is the mean
of what the items contribute to it, and its variance is that of these contributions over n (see
`f1ci.methods.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from f1ci import _validation, clustered
from f1ci import metrics as _metrics
from f1ci.counts import Items, items_of
from f1ci.intervals import missing_classes
from f1ci.methods import METHODS, Method, choose, paired
from f1ci.methods.delta import item_covariance
from f1ci.methods.quantile import normal_quantile
from f1ci.metrics import ROUNDING, Metric, Question
from f1ci.results import (
    DegenerateVarianceWarning,
    DifferenceTest,
    Interval,
    UndefinedMetricWarning,
    as_scalar,
    warn,
)

__all__ = ["difference_interval", "difference_test"]

Array: TypeAlias = NDArray[Any]

# Joint cells of more classes than this do not fit in memory.
_MOST_CLASSES = 200


def difference_interval(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    metric: str | Metric,
    *,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval for how much better B is than A on the same items: metric(B) - metric(A).

    The two estimates are correlated, because the items are the same; the interval takes
    that into account, and is usually shorter than one for independent test sets.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : sequence
        True labels, and the labels that classifiers A and B predict.
    metric : str or Metric
        A name or an object, for two classes or many; see `metric_interval`.
    pos_label : hashable, optional
        The positive class of a binary metric.
    labels : sequence, optional
        The classes of a metric for many classes; by default those that occur in any
        of the three sequences.
    groups : sequence, optional
        What cluster each item belongs to; see `f1_score_interval`.
    method : str, optional
        "score", the default, or "cautious", its longer kin, for Tversky indices, their averages
        over classes, macro_star and accuracy. For all metrics "logit", their default otherwise,
        and "delta". With more than 200 classes only these two, and for macro_star with `groups`.
    confidence_level : float, optional
        The nominal level.

    Returns
    -------
    Interval
        Above 0 where B is better than A.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined for one of the two.
    DegenerateVarianceWarning
        If the standard error is zero, and the method has no use for that.

    Examples
    --------
    >>> from f1ci import difference_interval
    >>> y_true = [1] * 50 + [0] * 50
    >>> a = [1] * 30 + [0] * 70
    >>> b = [1] * 40 + [0] * 60
    >>> interval = difference_interval(y_true, a, b, "f1")
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.139 (0.057, 0.235)
    """
    metric = _metrics.get(metric)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    kinds = items_of(named, metric.binary, pos_label, labels, groups)
    return compared(kinds, metric, method, confidence_level).interval


TESTS = {
    "exact": "swapping A's and B's predictions on any item would change nothing in distribution "
    "(more than that their scores are equal)",
    "score": "the two models have the same score in the population (or differ by the margin)",
    "randomisation": "swapping A's and B's predictions on any item or group would change nothing "
    "in distribution (more than that their scores are equal)",
}


def difference_test(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    metric: str | Metric = "f1",
    *,
    method: str | None = None,
    margin: float = 0.0,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
    replicates: int = 9_999,
    rng: Any = None,
    confidence_level: float = 0.95,
) -> DifferenceTest:
    """Test whether model B is better than model A on the same items.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : sequence
        True labels, and the labels that A and B predict.
    metric : str or Metric, default "f1"
        A name or an object, for two classes or many.
    method : {"exact", "score", "randomisation"}, optional
        "exact" needs no random numbers; it is for Tversky scores (F1, F-beta, precision,
        recall, Jaccard) and for accuracy and the micro average, and their default. "score",
        the default of all others, tests equality of the scores themselves, in large samples.
        "randomisation" swaps at random, and is the default with `groups`. See
        `f1ci.methods.paired`.
    margin : float, default 0
        A difference that does not matter. If given, two more p-values tell whether B is not
        worse than A by the margin, and whether they are equivalent. They invert the interval:
        equivalence has a p-value below 0.05 just if the interval of level 0.9 lies inside.
    pos_label, labels, groups, confidence_level
        See `difference_interval`.
    replicates : int, default 9999
        Of "randomisation".
    rng : None, int or numpy.random.Generator, optional
        Random numbers of "randomisation"; an integer is a seed.

    Returns
    -------
    DifferenceTest
        The difference with its interval, the p-value, and what it speaks against.

    Examples
    --------
    >>> import f1ci
    >>> y_true = [1] * 50 + [0] * 50
    >>> a = [1] * 30 + [0] * 70
    >>> b = [1] * 36 + [0] * 56 + [1] * 2 + [0] * 6
    >>> test = f1ci.difference_test(y_true, a, b)
    >>> test.discordant, round(test.p_value, 4)
    ((2, 6), 0.0781)
    >>> round(f1ci.difference_test(y_true, a, b, margin=0.05).p_not_inferior, 4)
    0.0015
    """
    metric = _metrics.get(metric)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    kinds = items_of(named, metric.binary, pos_label, labels, groups)
    found = compared(kinds, metric, None, confidence_level)
    return judged(found, method, margin, replicates, rng)


class Compared(NamedTuple):
    """Two models on the same items."""

    metric: Any
    kinds: Items
    interval: Interval
    limits: Callable[[float], tuple[Array, Array]]  # for any normal quantile


def compared(kinds: Items, metric: Metric, method: str | None, confidence_level: Any) -> Compared:
    """The interval of the difference, from kinds of items by truth and both predictions."""
    level = _validation.confidence_level(confidence_level)
    codes, items, groups, classes = kinds
    n = items.sum()
    _validation.at_least_two("items", int(n))
    name, entry = _chosen(metric, method, groups is not None, len(classes))
    tables = kinds.tables()
    estimates, influence = metric.evaluate(tables)
    moved = influence[1][codes[0], codes[2]] - influence[0][codes[0], codes[1]]
    variance = item_covariance([moved], groups, items)[0, 0]
    if n * variance <= ROUNDING * np.abs(influence).max() ** 2:
        variance = np.float64(0.0)
    estimate = estimates[1] - estimates[0]
    error = np.sqrt(np.where(np.isnan(estimate), np.nan, variance))
    z = normal_quantile(level)
    if groups is not None and metric.kind in clustered.KINDS:  # the bits of counts by unit
        estimate, _, _, error = clustered.of_kinds(metric, kinds, "delta", z)
    cells = None if entry.border or groups is not None else _cells(kinds)
    asked = Question(metric, (), cells, estimate, error, level, z)

    def limits(z: float) -> tuple[Array, Array]:
        if groups is None or entry.border:
            return entry.differences[metric.kind](asked._replace(z=z))
        return clustered.of_kinds(metric, kinds, name, z)[1:3]

    low, high = limits(asked.z)
    undefined = np.isnan(estimates)
    if undefined.any():
        who = " and ".join(name for name, lacks in zip("AB", undefined, strict=True) if lacks)
        text = f"is undefined for {who}{missing_classes(metric, tables, undefined, classes)}"
        warn(f"{metric.name} {text}; the difference is nan", UndefinedMetricWarning)
    elif entry.border and error == 0.0:
        text = f"has a standard error of zero, so that {entry.border}"
        warn(f"the difference of {metric.name} {text}", DegenerateVarianceWarning)
    if groups is not None:
        name += "+groups"
    ends = as_scalar(estimate), as_scalar(low), as_scalar(high), as_scalar(error)
    interval = Interval(*ends, level, name, f"{metric.name} (B - A)")
    return Compared(metric, kinds, interval, limits)


def judged(
    found: Compared,
    method: str | None = None,
    margin: float = 0.0,
    replicates: int = 9_999,
    rng: Any = None,
) -> DifferenceTest:
    """The test that goes with the interval; see `difference_test`."""
    threshold = _validation.probability("margin", margin)
    swaps = _validation.positive_integer("replicates", replicates)
    metric, kinds = found.metric, found.kinds
    possible = ["score", "randomisation"] if kinds.groups is None else ["randomisation"]
    if kinds.groups is None and metric.kind in ("f1", "tversky", "share"):
        possible.insert(0, "exact")
    method = possible[0] if method is None else _validation.choice("method", method, possible)
    right_a, right_b = kinds.codes[1:] == kinds.codes[0]
    only_a, only_b = (
        int(kinds.counts[which].sum()) for which in (right_a & ~right_b, right_b & ~right_a)
    )
    if np.isnan(found.interval.estimate):
        p_value = np.nan
    elif method == "exact" and metric.kind == "share":
        p_value = paired.mcnemar_p_value(only_a, only_b)
    elif method == "exact":
        p_value = paired.exact_p_value(_cells(kinds), metric.a, metric.b)
    elif method == "score":
        statistic = paired.score_statistic(_cells(kinds), metric)
        p_value = 2.0 * float(special.ndtr(-abs(statistic)))
    else:
        p_value = paired.random_swaps(kinds, metric, swaps, _validation.generator(rng))
    worse = beyond = None
    if threshold and np.isnan(p_value):
        worse = beyond = np.nan
    elif threshold:
        worse = _tail(found, -threshold)
        beyond = max(worse, 1.0 - _tail(found, threshold))
    return DifferenceTest(
        interval=found.interval,
        p_value=p_value,
        null_hypothesis=TESTS[method],
        discordant=(only_a, only_b),
        margin=threshold,
        p_not_inferior=worse,
        p_equivalent=beyond,
        method=method,
        metric=metric.name,
    )


def _tail(found: Compared, value: float) -> float:
    """One-sided p-value against a difference of at most `value`, from the interval's limits.

    It is half of one minus the level at which an end of the interval is `value`.
    """
    above = found.interval.estimate > value
    least, largest = 0.0, 40.0
    while largest - least > 1e-9:
        z = (least + largest) / 2.0
        low, high = found.limits(z)
        inside = low <= value if above else high >= value
        least, largest = (least, z) if inside else (z, largest)
    return float(special.ndtr(-least if above else least))


def _chosen(metric: Metric, method: str | None, grouped: bool, r: int) -> tuple[str, Method]:
    """The method, by its own name."""
    known = {name: each for name, each in METHODS.items() if metric.kind in each.differences}
    if r > _MOST_CLASSES or (grouped and metric.kind not in clustered.KINDS):
        known = {name: known[name] for name in ("logit", "delta")}
    return choose(
        method, known, "items in groups" if grouped else f"differences of {metric.name!r}"
    )


def _cells(kinds: Items) -> Array:
    """Items by true class, prediction of A and prediction of B, shape (r, r, r)."""
    cells = np.zeros((len(kinds.classes),) * 3)
    cells[tuple(kinds.codes)] = kinds.counts
    return cells
