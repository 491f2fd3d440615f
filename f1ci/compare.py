"""Comparisons of two models, on the same items or on different ones.

On the same items two estimates are correlated. Their difference is the mean of what the items
contribute to it, and its variance is that of these contributions over n (see
`f1ci.methods.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.

On different items two estimates are independent. Then the score limits of the difference come from
the ellipse of `f1ci.methods.score` with correlation zero, those of the delta method from the sum of
two squared standard errors. The p-value inverts the interval, so the two never disagree: p is below
0.05 just if the 95 % interval does not hold zero.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._limits import interval_of, sample_of_items
from f1ci.counts import Items, Matrix, items_of
from f1ci.methods import METHODS, paired, score
from f1ci.metrics import Metric, Tversky
from f1ci.results import Classes, DifferenceTest, Interval, IntervalWarning, Labels, Seed, warn


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
        If the standard error is zero, and the method needs a positive error.

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
    level = _validation.confidence_level(confidence_level)
    items = items_of(named, metric.binary, pos_label, labels, groups)
    sample = sample_of_items(metric, items)
    return interval_of(sample, method, level, f"{metric.name} (B - A)", alternative=alternative)


SWAPPED = (
    "swapping A's and B's predictions on any item or group would change nothing in distribution "
    "(more than that their scores are equal)"
)
EQUAL = "the two models have the same score in the population (or differ by the margin)"


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
    level = _validation.confidence_level(confidence_level)
    items = items_of(named, metric.binary, pos_label, labels, groups)
    return paired_test(items, metric, level, None, method, margin, replicates, rng)


def unpaired_difference(
    matrix_a: ArrayLike,
    matrix_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> DifferenceTest:
    """Return an interval and a test for metric(B) - metric(A) of models on different items.

    Parameters
    ----------
    matrix_a, matrix_b : array_like of int, shape (r, r) or (3,)
        The confusion matrices of A and B; rows are true classes. For a binary metric
        ``[[tn, fp], [fn, tp]]``; for F scores, precision and recall also ``(tp, fp, fn)``, as a
        paper may print them.
    metric : str or Metric, default "f1"
        See `metric_interval`.
    method, confidence_level
        See `difference_interval`.

    Returns
    -------
    DifferenceTest
        Its p-value inverts the interval, and `discordant` is None.

    Examples
    --------
    BERT's counts on the suggestion-mining test set (Lam et al. 2024), and those of a model on a
    test set of its own:

    >>> import f1ci
    >>> print(f1ci.unpaired_difference([[702, 44], [10, 77]], [[1500, 60], [40, 180]]))
                p (score)
    difference       0.28
    f1 (B - A) = 0.042 (95 % CI -0.033 to 0.124, score)
    A and B are not distinguished
    """
    metric, level = _metrics.get(metric), _validation.confidence_level(confidence_level)
    named = {"matrix_a": matrix_a, "matrix_b": matrix_b}
    a, b = (score.sample_of(metric, _one_matrix(name, metric, m)) for name, m in named.items())
    sample = score.sample_of_two(metric, a, b, np.hypot(a.error, b.error), np.zeros(()))
    interval = interval_of(sample, method, level, f"{metric.name} (B - A)")
    above = score.tail(sample, METHODS[interval.method].limits, 0.0)
    p = min(2.0 * min(above, 1.0 - above), 1.0)
    return DifferenceTest(interval, p, EQUAL, None, 0.0, None, None, interval.method, metric.name)


def paired_test(
    items: Items,
    metric: Metric,
    level: float,
    interval_method: str | None = None,
    method: str | None = None,
    margin: float = 0.0,
    replicates: int = 9_999,
    rng: Seed = None,
) -> DifferenceTest:
    """Return the test of two models on the same items; see `difference_test`."""
    margin = _validation.probability("margin", margin)
    replicates = _validation.positive_integer("replicates", replicates)
    sample = sample_of_items(metric, items)
    interval = interval_of(sample, interval_method, level, f"{metric.name} (B - A)")
    possible = ["score", "randomisation"] if items.groups is None else ["randomisation"]
    if items.groups is None and metric.index is not None:
        possible.insert(0, "exact")
    method = possible[0] if method is None else _validation.choice("method", method, possible)
    p_value, worse, beyond = np.nan, None, None
    if not np.isnan(interval.estimate):
        p_value = _p_value(metric, items, method, replicates, rng)
    if margin:
        limits = METHODS[interval.method.removesuffix(sample.mark)].limits
        worse = score.tail(sample, limits, -margin)
        beyond = max(worse, 1.0 - score.tail(sample, limits, margin))
    right_a, right_b = items.codes[1:] == items.codes[0]
    only_a, only_b = items.counts[right_a & ~right_b].sum(), items.counts[right_b & ~right_a].sum()
    hypothesis, discordant = EQUAL if method == "score" else SWAPPED, (int(only_a), int(only_b))
    return DifferenceTest(
        interval, p_value, hypothesis, discordant, margin, worse, beyond, method, metric.name
    )


def _p_value(metric: Metric, items: Items, method: str, replicates: int, rng: Seed) -> float:
    """Return the two-sided p-value of a test by its name."""
    if method == "randomisation":
        return paired.random_swaps(items, metric, replicates, _validation.generator(rng))
    if method == "exact" and metric.index is not None:
        _, counted = metric.single(items)
        cells = np.zeros((2, 2, 2))
        np.add.at(cells, tuple(counted.codes), counted.counts)
        return paired.exact_p_value(cells, metric.index.a, metric.index.b)
    statistic, converged = paired.score_statistic(items, metric)
    if not converged:
        text = "the score test did not converge; method='randomisation' needs no convergence"
        warn(text, IntervalWarning)
    return 2.0 * float(special.ndtr(-abs(statistic)))


def _one_matrix(name: str, metric: Metric, value: ArrayLike) -> Matrix:
    table = np.asarray(_validation.counts(name, value))
    if table.shape == (3,) and isinstance(metric, Tversky):
        tp, fp, fn = table
        table = np.array([[0.0, fp], [fn, tp]])
    _validation.shaped(name, table, table.ndim == 2, "(r, r)")
    return Matrix(_validation.matrices(metric, table))
