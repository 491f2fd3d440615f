"""Comparisons of two classifiers on the same items.

The two estimates are correlated, because the items are the same. Their difference is the mean
of what the items contribute to it, and its variance is that of these contributions over n (see
`f1ci.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci import metrics as _metrics
from f1ci import validation
from f1ci.counts import coded, group_codes, table_of
from f1ci.delta import ROUNDING, item_covariance
from f1ci.intervals import missing_classes
from f1ci.methods import METHODS, Method, refuse
from f1ci.metrics import Metric, Question
from f1ci.normal import normal_quantile
from f1ci.results import DegenerateVarianceWarning, Interval, UndefinedMetricWarning, plain

__all__ = ["difference_interval"]

# A float array. (Arithmetic on numpy arrays has type Any for mypy.)
Array: TypeAlias = Any

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
        What cluster each item belongs to; see `f1_score_interval`. Needs "logit", the default
        then, or "delta".
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
    0.139 (0.058, 0.234)
    """
    metric = _metrics.get(metric)
    level = validation.confidence_level(confidence_level)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    codes, classes = coded(named, metric.binary, pos_label, labels)
    validation.at_least_two("items", codes.shape[1])
    name, entry = _chosen(metric, method, groups is not None, len(classes))
    tables = np.stack([table_of(codes[0], predicted, len(classes)) for predicted in codes[1:]])
    estimates, influence = metric.evaluate(tables)
    items = influence[1][codes[0], codes[2]] - influence[0][codes[0], codes[1]]
    clusters = None if groups is None else group_codes(groups, codes)
    variance = item_covariance([items], clusters)[0, 0]
    if len(items) * variance <= ROUNDING * np.abs(influence).max() ** 2:
        variance = np.float64(0.0)
    estimate = estimates[1] - estimates[0]
    error = np.sqrt(np.where(np.isnan(estimate), np.nan, variance))
    cells = None if groups is not None else _cells(codes, len(classes), entry)
    asked = Question(metric, (), cells, estimate, error, level, normal_quantile(level))
    low, high = entry.differences[metric.kind](asked)
    _warn(metric, tables, entry, estimates, error, classes)
    if groups is not None:
        name += "+groups"
    ends = plain(estimate), plain(low), plain(high), plain(error)
    return Interval(*ends, level, name, f"{metric.name} (B - A)")


def _chosen(metric: Metric, method: str | None, grouped: bool, r: int) -> tuple[str, Method]:
    """The method, by its own name."""
    known = {name: each for name, each in METHODS.items() if metric.kind in each.differences}
    if grouped or r > _MOST_CLASSES:
        known = {name: known[name] for name in ("logit", "delta")}
    name = next(iter(known)) if method is None else method
    if not isinstance(name, str) or name not in known:
        crowd = "items in groups" if grouped else f"differences of {metric.name!r}"
        refuse(method, list(known), crowd)
    return name, known[name]


def _cells(codes: NDArray[np.int64], r: int, method: Method) -> Array:
    """Items by true class, prediction of A and prediction of B, if the method wants them."""
    if method.border:
        return None
    flat = (codes[0] * r + codes[1]) * r + codes[2]
    return np.bincount(flat, minlength=r**3).reshape(r, r, r).astype(np.float64)


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
            stacklevel=3,
        )
    elif method.border and error == 0.0:
        warnings.warn(
            f"the difference of {metric.name} has a standard error of zero, so that "
            f"{method.border}",
            DegenerateVarianceWarning,
            stacklevel=3,
        )
