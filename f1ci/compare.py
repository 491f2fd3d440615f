"""Comparisons of two classifiers on the same items.

The two estimates are correlated, because the items are the same. Their difference is the mean
of what the items contribute to it, and its variance is that of these contributions over n (see
`f1ci.methods.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._limits import Level, interval_of, lacking, level_of
from f1ci.counts import Items, items_of
from f1ci.methods import METHODS, paired
from f1ci.methods.clusters import sample_of_groups
from f1ci.methods.score import Limits, Sample, sample_of_difference
from f1ci.metrics import Metric
from f1ci.results import Classes, DifferenceTest, Interval, IntervalWarning, Labels, Seed, warn

__all__ = ["difference_interval", "difference_test"]

LimitsAt: TypeAlias = Callable[[Sample, float], Limits]

# A p-value is sought between these z. The tail of the largest is below 1e-300.
_SMALLEST_Z, _LARGEST_Z = 1e-8, 38.0


def difference_interval(
    y_true: Labels,
    y_pred_a: Labels,
    y_pred_b: Labels,
    metric: str | Metric,
    *,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for metric(B) - metric(A) of two models on the same items.

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
        "score", the default, for averages and for all other smooth metrics of up to ten classes;
        the longer "cautious", for Tversky indices and accuracy; "logit" and "delta", for all.
    confidence_level : float, optional
        The nominal level.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Which limits to give; see `f1_interval`.

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
    0.139 (0.059, 0.234)
    """
    metric = _metrics.get(metric)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    items = items_of(named, metric.binary, pos_label, labels, groups)
    return compare(items, metric, method, level_of(confidence_level, alternative)).interval


TESTS = {
    "exact": "swapping A's and B's predictions on any item would change nothing in distribution "
    "(more than that their scores are equal)",
    "score": "the two models have the same score in the population (or differ by the margin)",
    "randomisation": "swapping A's and B's predictions on any item or group would change nothing "
    "in distribution (more than that their scores are equal)",
}


def difference_test(
    y_true: Labels,
    y_pred_a: Labels,
    y_pred_b: Labels,
    metric: str | Metric = "f1",
    *,
    method: str | None = None,
    margin: float = 0.0,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
    replicates: int = 9_999,
    rng: Seed = None,
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
        The number of random swaps of "randomisation".
    rng : None, int or numpy.random.Generator, optional
        The source of random numbers of "randomisation"; an integer is a seed.

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
    0.0012
    """
    metric = _metrics.get(metric)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    items = items_of(named, metric.binary, pos_label, labels, groups)
    comparison = compare(items, metric, None, level_of(confidence_level))
    return run_test(comparison, method, margin, replicates, rng)


class Comparison(NamedTuple):
    """Two models on the same items: the difference, its interval, and what they come from."""

    metric: Metric
    items: Items
    sample: Sample
    interval: Interval


def compare(items: Items, metric: Metric, method: str | None, level: Level) -> Comparison:
    """Return the comparison of two models, from items by truth and both predictions."""
    _validation.at_least_two("items", int(items.counts.sum()))
    of = sample_of_difference if items.groups is None else sample_of_groups
    sample = of(metric, items)
    reason = _lacking(metric, items) if np.isnan(sample.estimate) else ""
    interval = interval_of(sample, method, level, f"{metric.name} (B - A)", reason=reason)
    return Comparison(metric, items, sample, interval)


def _lacking(metric: Metric, items: Items) -> str:
    """Return a clause that says for which models the metric is undefined, and why."""
    matrices = {name: items.matrix(model) for model, name in enumerate("AB")}
    undefined = {name: m for name, m in matrices.items() if np.isnan(metric.estimate(m))}
    first = next(iter(undefined.values()))
    reason = lacking(metric, first.true, first.predicted, items.classes)
    return f" for {' and '.join(undefined)}{reason}"


def run_test(
    comparison: Comparison,
    method: str | None = None,
    margin: float = 0.0,
    replicates: int = 9_999,
    rng: Seed = None,
) -> DifferenceTest:
    """Return the test of a comparison; see `difference_test`."""
    metric, items, sample, interval = comparison
    margin = _validation.probability("margin", margin)
    replicates = _validation.positive_integer("replicates", replicates)
    possible = ["score", "randomisation"] if items.groups is None else ["randomisation"]
    if items.groups is None and metric.index is not None:
        possible.insert(0, "exact")
    method = possible[0] if method is None else _validation.choice("method", method, possible)
    p_value, worse, beyond = np.nan, None, None
    if np.isnan(interval.estimate):
        worse = beyond = np.nan if margin else None
    elif method == "exact" and metric.index is not None:
        cells = paired.cells_of(metric.single(items)[1])
        p_value = paired.exact_p_value(cells, metric.index.a, metric.index.b)
    elif method == "score":
        statistic, converged = paired.score_statistic(items, metric)
        p_value = 2.0 * float(special.ndtr(-abs(statistic)))
        if not converged:
            text = "the score test did not converge; method='randomisation' needs no convergence"
            warn(text, IntervalWarning)
    else:
        generator = _validation.generator(rng)
        p_value = paired.random_swaps(items, metric, replicates, generator)
    if margin and worse is None:
        limits = METHODS[interval.method.removesuffix(sample.mark)].limits
        worse = tail(sample, limits, -margin)
        beyond = max(worse, 1.0 - tail(sample, limits, margin))
    right_a, right_b = items.codes[1:] == items.codes[0]
    only_a, only_b = items.counts[right_a & ~right_b].sum(), items.counts[right_b & ~right_a].sum()
    discordant = int(only_a), int(only_b)
    return DifferenceTest(
        interval, p_value, TESTS[method], discordant, margin, worse, beyond, method, metric.name
    )


def tail(sample: Sample, limits: LimitsAt, value: float) -> float:
    """Return the one-sided p-value against a difference of at most `value`.

    It is half of one minus the level at which a limit of the interval is `value`.
    """
    from scipy.optimize import brentq  # slow to import

    above = bool(sample.estimate > value)

    @cache
    def beyond(z: float) -> float:
        """Return how far the interval reaches beyond the value, on the side in question."""
        low, high = limits(sample, z)
        return float(value - low if above else high - value)

    # The normal approximation is a good start. The bracket is widened until it holds the root.
    start = abs(float(sample.estimate) - value) / max(float(sample.error), 1e-12)
    least, largest = _SMALLEST_Z, min(max(1.1 * start, 0.1), _LARGEST_Z)
    while beyond(largest) < 0.0 and largest < _LARGEST_Z:
        least, largest = largest, min(2.0 * largest, _LARGEST_Z)
    z = largest
    if beyond(largest) > 0.0:
        z = brentq(beyond, least, largest, xtol=1e-9) if beyond(least) < 0.0 else least
    return float(special.ndtr(-z if above else z))
