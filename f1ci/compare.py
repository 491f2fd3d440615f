"""Comparisons of two classifiers on the same items.

The two estimates are correlated, because the items are the same. Their difference is the mean
of what the items contribute to it, and its variance is that of these contributions over n (see
`f1ci.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from scipy import special

from f1ci import metrics as _metrics
from f1ci import paired, validation
from f1ci.counts import group_codes
from f1ci.delta import ROUNDING, encoded, item_covariance, table_of, warn_undefined, wrapped
from f1ci.metrics import Metric
from f1ci.results import DifferenceTest, Interval

__all__ = ["difference_interval", "difference_test"]


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
        worse than A by the margin, and whether they are equivalent: score tests at the margin
        (with groups, t tests with the cluster-robust standard error).
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
    0.0024
    """
    metric = _metrics.get(metric)
    threshold = validation.probability("margin", margin)
    weights = getattr(metric, "a", None), getattr(metric, "b", None)
    share = metric.name in ("accuracy", "micro_f1")
    possible = ["score", "randomisation"] if groups is None else ["randomisation"]
    if groups is None and (share or weights[0] is not None):
        possible.insert(0, "exact")
    method = possible[0] if method is None else validation.choice("method", method, possible)
    swaps = validation.positive_integer("replicates", replicates)
    interval = difference_interval(
        y_true,
        y_pred_a,
        y_pred_b,
        metric,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        confidence_level=confidence_level,
    )
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    codes, classes = encoded(named, metric, pos_label, labels)
    clusters = None if groups is None else group_codes(groups, codes)
    r = len(classes)
    cells = np.bincount((codes[0] * r + codes[1]) * r + codes[2], minlength=r**3)
    cells = cells.reshape(r, r, r)
    right_a, right_b = codes[1] == codes[0], codes[2] == codes[0]
    only_a, only_b = int(np.sum(right_a & ~right_b)), int(np.sum(right_b & ~right_a))
    estimate = float(interval.estimate)
    if np.isnan(estimate):
        p_value = np.nan
    elif method == "exact":
        p_value = (
            paired.mcnemar_p_value(only_a, only_b)
            if share
            else paired.exact_p_value(cells, *weights)
        )
    elif method == "score":
        p_value = 2.0 * float(special.ndtr(-abs(paired.score_statistic(cells, metric))))
    else:
        generator = np.random.default_rng(rng)
        p_value = paired.random_swaps(codes, clusters, r, metric, swaps, generator)
    worse = beyond = None
    if threshold:
        if clusters is None:
            above = paired.score_statistic(cells, metric, -threshold)
            below = paired.score_statistic(cells, metric, threshold)
            worse, better = float(special.ndtr(-above)), float(special.ndtr(below))
        else:
            scale, degrees = float(interval.standard_error), float(clusters.max())
            worse = float(special.stdtr(degrees, -(estimate + threshold) / scale))
            better = float(special.stdtr(degrees, (estimate - threshold) / scale))
        beyond = max(worse, better)
    return DifferenceTest(
        interval=interval,
        p_value=p_value,
        null_hypothesis=TESTS[method],
        discordant=(only_a, only_b),
        margin=threshold,
        p_not_inferior=worse,
        p_equivalent=beyond,
        method=method,
        metric=metric.name,
    )
