"""Means of scores by unit: Dice of each image, F1 of each document, token F1 of each answer.

Each unit brings a score of its own, and the mean of these scores is reported. Units are
independent. Several units of one patient may depend on one another: then `groups` says which belong
together. The variance is the jackknife's. Without groups it is the square of ``s / sqrt(n)``. The
limits are symmetric on the logit scale, with Student's quantile (`f1ci.methods.units`). So an
interval is as long as a t interval, and stays inside the range.

A unit may have nothing to find, and the model may find nothing there. Its score is 0 / 0, given as
``nan``. `empty` says what such a unit counts.

When it fails: if a rare kind of unit has a very low score, a small test set may not hold it. With
20 images, of which one in ten fails, the interval covers 84 % instead of 95 %, as the t interval
does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _validation
from f1ci._interval import Question, interval_of
from f1ci.data import group_codes
from f1ci.methods import units
from f1ci.metrics.base import UNIT, Metric
from f1ci.results import Interval
from f1ci.samples import Units, difference_of_units
from f1ci.types import Array, LabelsLike, UndefinedMetricWarning, warn


class _MeanScore(Metric):
    """The mean of scores from 0 to 1."""

    name = "mean"
    range = UNIT


_MEAN = _MeanScore()


def mean_interval(
    scores: ArrayLike,
    *,
    groups: LabelsLike | None = None,
    empty: str | float = "skip",
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for the mean of scores by unit, such as the Dice of each image.

    Parameters
    ----------
    scores : array_like of float, shape (units,)
        A score from 0 to 1 for each unit. ``nan`` is a unit with nothing to find and nothing found.
    groups : sequence, optional
        What cluster each unit belongs to: several images of one patient. Every image counts alike
        in the mean. For a mean over patients, pass each patient's mean as one score.
    empty : {"skip", 0, 1}, default "skip"
        What a unit counts whose score is ``nan``. By default it is left out, and a warning says so.
    method : {"logit", "delta"}, optional
        "logit", the default, stays inside [0, 1]. "delta" is the plain normal interval.
    confidence_level : float, default 0.95
        The nominal level.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Which limits to give; see `f1_interval`.

    Returns
    -------
    Interval
        The standard error is ``s / sqrt(n)``, with groups that of a cluster-robust mean.

    Warns
    -----
    UndefinedMetricWarning
        If units without a score are left out.

    See Also
    --------
    clustered_interval : From counts TP, FP and FN by unit, also for the pooled score.

    Examples
    --------
    Dice of eight images. The t interval is 0.791 to 0.892:

    >>> import f1ci
    >>> dice = [0.91, 0.84, 0.79, 0.88, 0.93, 0.76, 0.82, 0.8]
    >>> interval = f1ci.mean_interval(dice)
    >>> print(f"{interval.estimate:.4f} ({interval.low:.3f}, {interval.high:.3f})")
    0.8413 (0.784, 0.885)
    """
    level = _validation.confidence_level(confidence_level)
    question = Question("mean", method, level, alternative)
    return _interval({"scores": scores}, groups, empty, question)


def mean_difference(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    groups: LabelsLike | None = None,
    empty: str | float = "skip",
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for the mean score of B minus that of A on the same units.

    Parameters
    ----------
    scores_a, scores_b : array_like of float, shape (units,)
        The scores of both models, the same unit at the same place.
    groups, empty, method, confidence_level, alternative
        See `mean_interval`. Each model has the mean that it has alone: a unit may be left out for
        one model and count for the other, which found something where there is nothing.

    Returns
    -------
    Interval
        Above 0 where B is better than A. It is about as long as the paired t interval.

    Warns
    -----
    UndefinedMetricWarning
        If units without a score are left out.

    Examples
    --------
    The paired t interval is 0.0022 to 0.0303:

    >>> import f1ci
    >>> a = [0.91, 0.84, 0.79, 0.88, 0.93, 0.76, 0.82, 0.8]
    >>> b = [0.92, 0.86, 0.82, 0.89, 0.93, 0.8, 0.81, 0.83]
    >>> interval = f1ci.mean_difference(a, b)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.4f}, {interval.high:.4f})")
    0.016 (0.0022, 0.0303)
    """
    level = _validation.confidence_level(confidence_level)
    question = Question("mean (B - A)", method, level, alternative)
    return _interval({"scores_a": scores_a, "scores_b": scores_b}, groups, empty, question)


def _interval(
    named: Mapping[str, ArrayLike],
    groups: LabelsLike | None,
    empty: str | float,
    question: Question,
) -> Interval:
    """Return the interval for the scores of one model, or of A and B."""
    scores = _scores(named, _constant(empty))
    codes = group_codes(groups, scores.shape[1])
    # Units that have a score for no model change nothing.
    some = ~np.isnan(scores).all(axis=0)
    groups_of_some = None if codes is None else codes[some]
    rows = zip(named, scores[:, some], strict=True)
    samples = [_sample(name, row, groups_of_some) for name, row in rows]
    if len(samples) == 1:
        return interval_of(samples[0], question)
    return interval_of(difference_of_units(_MEAN, *samples), question)


def _scores(named: Mapping[str, ArrayLike], constant: float) -> Array:
    """Return the checked scores of all models, (models, units), with a number for empty units."""
    rows = [_checked(name, value) for name, value in named.items()]
    for name, row in zip(named, rows, strict=True):
        _validation.shaped(name, row, row.shape == rows[0].shape, str(rows[0].shape))
    if np.isnan(constant):
        _warn_of_empty(named, rows)
    return np.where(np.isnan(rows), constant, rows)


def _sample(name: str, scores: Array, codes: NDArray[np.intp] | None) -> Units:
    """Return the sample of a mean; at least two units, or groups, have a score."""
    known = ~np.isnan(scores)
    distinct = np.count_nonzero(known) if codes is None else len(np.unique(codes[known]))
    what = "units" if codes is None else "groups"
    _validation.at_least_two(f"{what} with a score in {name}", int(distinct))
    if codes is not None:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.intp)
    return Units(_MEAN, units.moves_of_scores(scores, codes), codes is not None)


def _checked(name: str, value: ArrayLike) -> Array:
    """Return scores from 0 to 1, or nan."""
    scores = _validation.real(name, value)
    _validation.shaped(name, scores, scores.ndim == 1, "(units,)")
    outside = ~(np.isnan(scores) | ((scores >= 0.0) & (scores <= 1.0)))
    rule = "lie between 0 and 1"
    if outside.any() and 2.0 < np.nanmax(scores) <= 100.0:
        rule += " (divide percentages by 100)"
    _validation.refuse(name, scores, outside, rule)
    return scores


def _constant(empty: object) -> float:
    """Return what a unit without a score counts; nan if it is left out."""
    if isinstance(empty, str) and empty == "skip":
        return np.nan
    if isinstance(empty, (int, float, np.number)) and empty in (0, 1):
        return float(empty)
    raise ValueError(f"empty must be 'skip', 0 or 1, got {_validation.short(empty)}")


def _warn_of_empty(named: Mapping[str, ArrayLike], scores: list[Array]) -> None:
    """Warn of units that a mean leaves out because they have no score."""
    counts = {name: int(np.isnan(x).sum()) for name, x in zip(named, scores, strict=True)}
    texts = [f"{count:,} of {name}" for name, count in counts.items() if count]
    if texts:
        text = f"the mean leaves out units whose score is nan ({', '.join(texts)})"
        warn(f"{text}; empty=0 or empty=1 counts them", UndefinedMetricWarning)
