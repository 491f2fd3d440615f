"""Comparisons of two classifiers on the same items.

The two estimates are correlated, because the items are the same. Their difference is the mean
of what the items contribute to it, and its variance is that of these contributions over n (see
`f1ci.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from f1ci import clustered, paired, validation
from f1ci import metrics as _metrics
from f1ci.counts import coded, group_codes, table_of
from f1ci.delta import item_covariance
from f1ci.intervals import missing_classes
from f1ci.methods import METHODS, Method, choose
from f1ci.metrics import ROUNDING, Metric, Question
from f1ci.normal import normal_quantile
from f1ci.results import (
    DegenerateVarianceWarning,
    DifferenceTest,
    Interval,
    UndefinedMetricWarning,
    plain,
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
        over classes, macro or weighted, and accuracy. For all metrics "logit", their
        default otherwise, and "delta". With more than 200 classes only these two.
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
    named = (y_true, y_pred_a, y_pred_b)
    return _compared(named, metric, pos_label, labels, groups, method, confidence_level).interval


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
        "randomisation" swaps at random, and is the default with `groups`. See `f1ci.paired`.
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
    threshold = validation.probability("margin", margin)
    swaps = validation.positive_integer("replicates", replicates)
    found = _compared(
        (y_true, y_pred_a, y_pred_b), metric, pos_label, labels, groups, None, confidence_level
    )
    chosen, codes, r = found.metric, found.codes, found.classes
    possible = ["score", "randomisation"] if groups is None else ["randomisation"]
    if groups is None and chosen.kind in ("f1", "tversky", "share"):
        possible.insert(0, "exact")
    method = possible[0] if method is None else validation.choice("method", method, possible)
    true, by_a, by_b = codes
    only_a = int(np.count_nonzero((by_a == true) & (by_b != true)))
    only_b = int(np.count_nonzero((by_a != true) & (by_b == true)))
    if np.isnan(found.interval.estimate):
        p_value = np.nan
    elif method == "exact" and chosen.kind == "share":
        p_value = paired.mcnemar_p_value(only_a, only_b)
    elif method == "exact":
        p_value = paired.exact_p_value(_cells(codes, r), chosen.a, chosen.b)
    elif method == "score":
        statistic = paired.score_statistic(_cells(codes, r), chosen)
        p_value = 2.0 * float(special.ndtr(-abs(statistic)))
    else:
        p_value = paired.random_swaps(
            codes, found.groups, r, chosen, swaps, validation.generator(rng)
        )
    worse = beyond = None
    if threshold:
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
        metric=chosen.name,
    )


class _Compared(NamedTuple):
    """Two classifiers on the same items."""

    metric: Any
    codes: NDArray[np.int64]
    groups: NDArray[np.int64] | None
    classes: int
    interval: Interval
    limits: Callable[[float], tuple[Array, Array]]  # for any normal quantile


def _compared(
    named: tuple[Any, Any, Any],
    metric: str | Metric,
    pos_label: Hashable,
    labels: Sequence[Hashable] | None,
    groups: Any,
    method: str | None,
    confidence_level: Any,
) -> _Compared:
    metric = _metrics.get(metric)
    level = validation.confidence_level(confidence_level)
    arrays = dict(zip(("y_true", "y_pred_a", "y_pred_b"), named, strict=True))
    codes, classes = coded(arrays, metric.binary, pos_label, labels)
    r = len(classes)
    validation.at_least_two("items", codes.shape[1])
    name, entry = _chosen(metric, method, groups is not None, r)
    tables = np.stack([table_of(codes[0], predicted, r) for predicted in codes[1:]])
    estimates, influence = metric.evaluate(tables)
    items = influence[1][codes[0], codes[2]] - influence[0][codes[0], codes[1]]
    clusters = None if groups is None else group_codes(groups, codes)
    variance = item_covariance([items], clusters)[0, 0]
    if len(items) * variance <= ROUNDING * np.abs(influence).max() ** 2:
        variance = np.float64(0.0)
    estimate = estimates[1] - estimates[0]
    error = np.sqrt(np.where(np.isnan(estimate), np.nan, variance))
    cells = None if entry.border else _cells(codes, r).astype(np.float64)
    asked = Question(metric, (), cells, estimate, error, level, normal_quantile(level))

    def limits(z: float) -> tuple[Array, Array]:
        if clusters is None or entry.border:
            return entry.differences[metric.kind](asked._replace(z=z))
        return clustered.of_labels(metric, codes, clusters, r, name, z)[1:3]

    low, high = limits(asked.z)
    _warn(metric, tables, entry, estimates, error, classes)
    if clusters is not None:
        name += "+groups"
    ends = plain(estimate), plain(low), plain(high), plain(error)
    interval = Interval(*ends, level, name, f"{metric.name} (B - A)")
    return _Compared(metric, codes, clusters, r, interval, limits)


def _tail(found: _Compared, value: float) -> float:
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
    if r > _MOST_CLASSES:
        known = {name: known[name] for name in ("logit", "delta")}
    return choose(
        method, known, "items in groups" if grouped else f"differences of {metric.name!r}"
    )


def _cells(codes: NDArray[np.int64], r: int) -> NDArray[np.int64]:
    """Items by true class, prediction of A and prediction of B, shape (r, r, r)."""
    flat = (codes[0] * r + codes[1]) * r + codes[2]
    return np.bincount(flat, minlength=r**3).reshape(r, r, r)


def _warn(
    metric: Metric,
    tables: Array,
    method: Method,
    estimates: Array,
    error: Array,
    classes: Sequence[Hashable],
) -> None:
    undefined = np.isnan(estimates)
    if undefined.any():
        who = " and ".join(name for name, lacks in zip("AB", undefined, strict=True) if lacks)
        reason = missing_classes(metric, tables, undefined, classes)
        warnings.warn(
            f"{metric.name} is undefined for {who}{reason}; the difference is nan",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    elif method.border and error == 0.0:
        warnings.warn(
            f"the difference of {metric.name} has a standard error of zero, so that "
            f"{method.border}",
            DegenerateVarianceWarning,
            stacklevel=4,
        )
