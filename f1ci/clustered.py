"""Intervals for counts that come in units: documents with spans, images with objects.

What a unit holds may depend on one another; units may not. `f1ci.methods.units` has the
formulas, and says when they fail.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._interval import Question, interval_of
from f1ci._reading import zero_division_of
from f1ci.data import UnitCounts, unit_counts
from f1ci.metrics import Metric
from f1ci.metrics.averages import Mean, mean_of, with_rule
from f1ci.results import Interval
from f1ci.samples import difference, sample

AVERAGES = ("micro", "macro", "weighted", "samples")


def clustered_interval(
    counts: ArrayLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = None,
    zero_division: float = np.nan,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for a score pooled over documents, images, users or other units.

    Parameters
    ----------
    counts : array_like of int, shape (units, 3) or (units, classes, 3)
        True positives, false positives and false negatives of each unit; true negatives
        are not needed.
    metric : str or Metric, default "f1"
        A Tversky score: "f1", "precision", "recall", "jaccard", ``f1ci.metrics.fbeta(2)``.
    average : {None, "micro", "macro", "weighted", "samples"}, optional
        For counts by class: every class by itself; the score of all classes' counts; the mean
        of the classes' scores, plain or weighted by the classes' true items. "samples" is the
        mean of the units' scores. See `zero_division` for a unit with nothing to find and nothing
        found.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts in an average; see `score_interval`. By default it is left
        out, and a warning says so. scikit-learn counts 0.
    method : {"logit", "delta"}, optional
        "logit", the default, has the jackknife's variance and Student's quantile on the logit
        scale. "delta" is the plain cluster-robust normal interval.
    confidence_level : float, default 0.95
        The nominal level.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Which limits to give; see `f1_interval`.

    Returns
    -------
    Interval
        Floats, or one entry for each class. The standard error is the delta method's.

    Warns
    -----
    UndefinedMetricWarning
        If no unit holds a relevant item.
    DegenerateVarianceWarning
        If the standard error is zero, and the method is "delta" or "logit".

    Examples
    --------
    Spans found in six documents:

    >>> from f1ci.clustered import clustered_interval
    >>> spans = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]]
    >>> interval = clustered_interval(spans)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.795 (0.614, 0.905)
    """
    of = {"counts": counts}
    level = _validation.confidence_level(confidence_level)
    question = Question("", method, level, alternative)
    return _interval(of, metric, average, zero_division, question)


def clustered_difference(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = None,
    zero_division: float = np.nan,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for the score of B minus the score of A on the same units.

    Parameters
    ----------
    counts_a, counts_b : array_like of int, shape (units, 3) or (units, classes, 3)
        The counts of both models, the same unit in the same row.
    metric, average, zero_division, method, confidence_level, alternative
        See `clustered_interval`.

    Returns
    -------
    Interval
        Above 0 where B is better than A.

    Examples
    --------
    >>> from f1ci.clustered import clustered_difference
    >>> a = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]]
    >>> b = [[9, 1, 1], [5, 1, 0], [10, 2, 2], [2, 1, 1], [8, 0, 0], [5, 1, 2]]
    >>> interval = clustered_difference(a, b)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.071 (0.001, 0.141)
    """
    of = {"counts_a": counts_a, "counts_b": counts_b}
    level = _validation.confidence_level(confidence_level)
    question = Question("", method, level, alternative)
    return _interval(of, metric, average, zero_division, question)


def _interval(
    counts: dict[str, ArrayLike],
    metric: str | Metric,
    average: str | None,
    zero_division: float,
    question: Question,
) -> Interval:
    """Return the interval for the counts by unit of one model, or of A and B."""
    metric = _metrics.get(metric)
    constant = zero_division_of(zero_division)
    if average is not None:
        metric = mean_of(_validation.choice("average", average, AVERAGES), metric)
    metric = with_rule(metric, (), constant)
    averaged = isinstance(metric, Mean)
    tables = [unit_counts(name, value, averaged) for name, value in counts.items()]
    first = tables[0].shape
    _validation.shaped("counts_b", tables[-1], tables[-1].shape == first, str(first))
    units = UnitCounts(tuple(tables), range(first[1]))
    question = replace(question, name=metric.name, constant=constant)
    if len(tables) == 1:
        return interval_of(sample(metric, units), question)
    question = replace(question, name=f"{metric.name} (B - A)")
    return interval_of(difference(metric, units), question)
