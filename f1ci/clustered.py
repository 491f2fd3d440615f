"""Intervals for counts that come in units: documents with spans, images with objects.

What a unit holds may depend on one another; units may not. `f1ci.methods.clusters` has the
formulas, and says when they fail.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._limits import interval_of
from f1ci.methods.clusters import moved_by_classes, moved_by_table, sample_of_units
from f1ci.methods.score import Sample, moments
from f1ci.metrics import Metric
from f1ci.metrics.classes import mean_of
from f1ci.results import Array, Interval

AVERAGES = ("micro", "macro", "weighted", "samples")


def clustered_interval(
    counts: ArrayLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = None,
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
        mean of the units' scores, where a unit with nothing to find and nothing found counts 0
        (as scikit-learn has it).
    method : {"score", "cautious", "delta", "logit"}, optional
        "score", the default, is made for few units too; "cautious" is longer. "logit" has the
        jackknife's variance and Student's quantile on the logit scale; it is the default of
        "macro" and "weighted", which have no score limits here: counts of TP, FP and FN are no
        confusion matrix. "delta" is the plain cluster-robust normal interval.
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
    0.795 (0.620, 0.913)
    """
    return _interval({"counts": counts}, metric, average, method, confidence_level, alternative)


def clustered_difference(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for the score of B minus the score of A on the same units.

    Parameters
    ----------
    counts_a, counts_b : array_like of int, shape (units, 3) or (units, classes, 3)
        The counts of both models, the same unit in the same row.
    metric, average, method, confidence_level, alternative
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
    0.071 (-0.006, 0.178)
    """
    of = {"counts_a": counts_a, "counts_b": counts_b}
    return _interval(of, metric, average, method, confidence_level, alternative)


def sample_of_tables(tables: list[Array], metric: Metric, average: str | None) -> Sample:
    """Return the sample of validated counts by unit, of one model or of B minus A."""
    index = _metrics.tversky(*_metrics.tversky_weights(metric))
    if average in ("macro", "weighted"):
        moved = [moved_by_classes(table, index, average == "weighted") for table in tables]
        return sample_of_units(mean_of("macro", index), moved)
    if average == "micro":
        tables = [table.sum(axis=1) for table in tables]
    if average == "samples":
        return sample_of_scores([np.nan_to_num(unit_scores(table, index)) for table in tables])
    return sample_of_units(index, [moved_by_table(table, index) for table in tables])


def unit_scores(table: Array, index: _metrics.Tversky) -> Array:
    """Return the score of each unit's counts (units, classes, 3); nan where it is undefined."""
    tp, fp, fn = np.moveaxis(table.sum(axis=1), -1, 0)
    return moments(tp, fp, fn, index.a, index.b)[0]


def sample_of_scores(scores: list[Array]) -> Sample:
    """Return the sample of the mean of the units' scores, of one model or of B minus A.

    Each score is the share that is right of one item, whose recall it is.
    """
    tables = [np.stack([score, 0.0 * score, 1.0 - score], axis=-1) for score in scores]
    moved = [moved_by_table(table, _metrics.recall) for table in tables]
    return sample_of_units(_metrics.recall, moved, whole_items=False)


def _interval(
    counts: dict[str, ArrayLike],
    metric: str | Metric,
    average: str | None,
    method: str | None,
    confidence_level: float,
    alternative: str,
) -> Interval:
    """Return the interval for the counts by unit of one model, or of A and B."""
    metric = _metrics.get(metric)
    if average is not None:
        _validation.choice("average", average, AVERAGES)
    level = _validation.confidence_level(confidence_level)
    tables = [_unit_counts(name, value, average) for name, value in counts.items()]
    a, b = tables[0], tables[-1]
    _validation.shaped("counts_b", b, b.shape == a.shape, str(a.shape))
    name = metric.name if average is None else f"{average}_{metric.name}"
    name += "" if len(tables) == 1 else " (B - A)"
    sample = sample_of_tables(tables, metric, average)
    return interval_of(sample, method, level, name, alternative=alternative)


def _unit_counts(name: str, value: ArrayLike, average: str | None) -> Array:
    """Return TP, FP and FN by unit, or by unit and class, which averages need."""
    array = _validation.counts(name, value)
    shapes = {3: "(units, classes, 3)"} if average else {2: "(units, 3)", 3: "(units, classes, 3)"}
    legal = array.ndim in shapes and array.shape[-1] == 3 and array.size > 0
    expected = f"{' or '.join(shapes.values())}, for the counts TP, FP and FN"
    _validation.shaped(name, array, legal, expected)
    _validation.at_least_two("units", len(array))
    return array
