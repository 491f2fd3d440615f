"""Comparisons of two classifiers on the same items.

The two estimates are correlated, because the items are the same. Their difference is the mean
of what the items contribute to it, and its variance is that of these contributions over n (see
`f1ci.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from f1ci import metrics as _metrics
from f1ci import validation
from f1ci.counts import group_codes
from f1ci.delta import ROUNDING, encoded, item_covariance, table_of, warn_undefined, wrapped
from f1ci.metrics import Metric
from f1ci.results import Interval

__all__ = ["difference_interval"]


def difference_interval(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    metric: str | Metric,
    *,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
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
        What cluster each item belongs to; see `interval_from_labels`.
    confidence_level : float, optional
        The nominal level.

    Returns
    -------
    Interval
        Above 0 where B is better than A.

    Examples
    --------
    >>> from f1ci.compare import difference_interval
    >>> y_true = [1] * 50 + [0] * 50
    >>> a = [1] * 30 + [0] * 70
    >>> b = [1] * 40 + [0] * 60
    >>> interval = difference_interval(y_true, a, b, "f1")
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.139 (0.055, 0.223)
    """
    metric = _metrics.get(metric)
    level = validation.confidence_level(confidence_level)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    codes, classes = encoded(named, metric, pos_label, labels)
    validation.at_least_two("items", codes.shape[1])
    tables = np.stack([table_of(codes[0], predicted, len(classes)) for predicted in codes[1:]])
    estimates, influence = metric.evaluate(tables)
    warn_undefined(metric, tables, estimates, classes)
    items = influence[1][codes[0], codes[2]] - influence[0][codes[0], codes[1]]
    clusters = None if groups is None else group_codes(groups, codes)
    variance = item_covariance([items], clusters)[0, 0]
    if len(items) * variance <= ROUNDING * np.abs(influence).max() ** 2:
        variance = np.float64(0.0)
    return wrapped(
        estimates[1] - estimates[0],
        variance,
        f"{metric.name} (B - A)",
        level,
        clustered=groups is not None,
    )
