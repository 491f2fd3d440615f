r"""Several runs of one recipe on one test set: five seeds, one number.

The question is about new items *and* new runs of the same recipe. Items and runs are crossed: every
run predicts every item (Owen 2007, Annals of Applied Statistics 1, 386-411). Let theta_s be the
score of run s of S, and e_si the influence of item i of N on it. The variance of the mean score is

    Var_i(mean_s e_si) / N + Var_s(theta_s) / S - Var(r_si) / (N S),

with the residuals ``r_si = e_si - mean_s e_si``, and divisors N - 1, S - 1 and (N - 1)(S - 1). The
first two terms both hold the noise of the residuals, so the third takes it away once. What the runs
add to the variance of the items is at least 0. The limits are symmetric on the logit scale of the
metric's range. The items' error and the runs' error each have their own half length, with Student's
quantile of N - 1 and of S - 1 degrees of freedom. The squares of the half lengths add up (Zou and
Donner 2008, Statistics in Medicine 27, 1693-1702). Two recipes share the items, but not the runs.

When it fails: two or three runs tell little of a seed's variance. If seeds matter much, intervals
are then very long, and two runs cover about 90 % instead of 95 %.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from f1ci import _validation
from f1ci._interval import Question, interval_of, on_one_side, quantile_for
from f1ci._reading import Reading, read
from f1ci.covariance import influence_of_rows
from f1ci.data import Items
from f1ci.methods import delta
from f1ci.methods.closed_form import Limits
from f1ci.metrics import Metric
from f1ci.results import Interval
from f1ci.samples import Sample, Units, difference, sample
from f1ci.types import Array, Classes, LabelsLike, UndefinedMetricWarning, warn


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedInterval(Interval):
    """An interval for the mean score over runs.

    Attributes
    ----------
    scores : ndarray
        The score of each run; of two recipes those of A, then those of B.
    share_of_runs : float
        The share of the variance that new items alone would not have: that of the runs.
    """

    scores: Array = ()  # type: ignore[assignment]
    share_of_runs: float = np.nan


def repeated_interval(
    y_true: LabelsLike,
    y_preds: Sequence[LabelsLike],
    metric: str | Metric = "f1",
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: LabelsLike | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> RepeatedInterval:
    """Return an interval for the mean score of a recipe that was run with several seeds.

    Parameters
    ----------
    y_true : sequence
        True labels.
    y_preds : sequence of sequences
        The predicted labels of each run, at least two, of the same items.
    metric, average, pos_label, labels, groups, confidence_level, alternative
        See `score_interval`; one score, so `average` is not None.

    Returns
    -------
    RepeatedInterval
        The estimate is the mean of the runs' scores. The interval is for new items and new runs.
        `share_of_runs` is the part of the variance that more runs would reduce.

    See Also
    --------
    score_interval : For the one model that you will use, whatever its seed.

    Examples
    --------
    Three runs with an accuracy of 0.90, 0.80 and 0.85:

    >>> import f1ci
    >>> y_true = [0, 1] * 50
    >>> wrong = [range(10), range(20), range(5, 20)]
    >>> runs = [[y if k not in w else 1 - y for k, y in enumerate(y_true)] for w in wrong]
    >>> interval = f1ci.repeated_interval(y_true, runs, "accuracy")
    >>> print(interval)
    accuracy = 0.850 (95 % CI 0.676 to 0.939, logit)
    >>> interval.scores.tolist(), round(interval.share_of_runs, 2)
    ([0.9, 0.8, 0.85], 0.41)
    """
    named = {"y_true": y_true, **_named("y_preds", y_preds)}
    reading = _read(named, metric, average, pos_label, labels, groups)
    level = _validation.confidence_level(confidence_level)
    question = Question(reading.metric.name, None, level, alternative, reading.classes)
    return _interval(reading, [_runs(reading, 0, len(named) - 1)], question)


def repeated_difference(
    y_true: LabelsLike,
    y_preds_a: Sequence[LabelsLike],
    y_preds_b: Sequence[LabelsLike],
    metric: str | Metric = "f1",
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: LabelsLike | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> RepeatedInterval:
    """Return an interval for the mean score of recipe B minus that of A, each run several times.

    Parameters
    ----------
    y_true : sequence
        True labels.
    y_preds_a, y_preds_b : sequence of sequences
        The predicted labels of each run, at least two of each recipe. The items are the same, the
        runs are not paired, and the numbers of runs may differ.
    metric, average, pos_label, labels, groups, confidence_level, alternative
        See `repeated_interval`.

    Returns
    -------
    RepeatedInterval
        Above 0 where recipe B is better than recipe A, for new items and new runs.

    Examples
    --------
    >>> import f1ci
    >>> y_true = [0, 1] * 50
    >>> a = [[1 - y if k in range(s, s + 20) else y for k, y in enumerate(y_true)] for s in (0, 9)]
    >>> b = [[1 - y if k in range(s, s + 8) else y for k, y in enumerate(y_true)] for s in (0, 9)]
    >>> interval = f1ci.repeated_difference(y_true, a, b, "accuracy")
    >>> print(f"{interval.estimate:.2f} ({interval.low:.3f}, {interval.high:.3f})")
    0.12 (0.071, 0.169)
    """
    runs_a = _named("y_preds_a", y_preds_a)
    named = {"y_true": y_true, **runs_a, **_named("y_preds_b", y_preds_b)}
    reading = _read(named, metric, average, pos_label, labels, groups)
    name = f"{reading.metric.name} (B - A)"
    level = _validation.confidence_level(confidence_level)
    question = Question(name, None, level, alternative, reading.classes)
    first_of_b = len(runs_a)
    recipes = [_runs(reading, 0, first_of_b), _runs(reading, first_of_b, len(named) - 1)]
    return _interval(reading, recipes, question)


class _Runs(NamedTuple):
    """The runs of one recipe.

    Attributes
    ----------
    scores : ndarray, shape (runs,)
        The score of each run.
    moves : ndarray, shape (runs, rows)
        How far a unit, an item or a group, moves each run's score.
    number : ndarray, shape (rows,)
        The number of such units.
    """

    scores: Array
    moves: Array
    number: Array

    @property
    def degrees(self) -> float:
        """The number of units minus 1."""
        return float(self.number.sum()) - 1.0

    def sum_of_squares(self, moves: Array) -> float:
        """Return the squares of moves (..., rows), added up over the units, times N / (N - 1)."""
        return float((moves**2 @ self.number).sum()) * (1.0 + 1.0 / self.degrees)


class _Variance(NamedTuple):
    """The variance of a mean over runs, in independent parts.

    Attributes
    ----------
    of_items : float
        The variance that new items give.
    degrees : float
        The degrees of freedom of this variance.
    of_runs : list of (float, float)
        For each recipe the variance that new runs add, and its degrees of freedom.
    """

    of_items: float
    degrees: float
    of_runs: list[tuple[float, float]]

    @property
    def total(self) -> float:
        """The variance."""
        return self.of_items + sum(part for part, _ in self.of_runs)

    @property
    def share_of_runs(self) -> float:
        """The part of the runs in the variance, from 0 to 1."""
        return 1.0 - self.of_items / self.total if self.total > 0.0 else 0.0

    def half_length(self, z: float) -> float:
        """Return the root of the sum of squares of Student's half lengths of all parts."""
        parts = [(self.of_items, self.degrees), *self.of_runs]
        squares = [part * stdtrit(degrees, ndtr(z)) ** 2 for part, degrees in parts]
        return float(np.sqrt(sum(squares)))


def _named(name: str, runs: Sequence[LabelsLike]) -> dict[str, LabelsLike]:
    """Return the labels of each run by what messages call them."""
    listed = _validation.listed(name, runs)
    _validation.at_least_two("runs", len(listed), f"{name}, for the variance of runs,")
    return {f"{name}[{k}]": labels for k, labels in enumerate(listed)}


def _read(
    named: dict[str, LabelsLike],
    metric: str | Metric,
    average: str | None,
    pos_label: Hashable,
    labels: Classes | None,
    groups: LabelsLike | None,
) -> Reading:
    """Return the data of all runs, and the metric of one score."""
    if average is None:
        raise ValueError("average must name one score for runs, such as 'macro', got None")
    reading = read(
        named, metric, average=average, pos_label=pos_label, labels=labels, groups=groups
    )
    if isinstance(reading.data, Items):
        _validation.at_least_two("items", int(reading.data.counts.sum()))
    return reading


def _runs(reading: Reading, first: int, end: int) -> _Runs:
    """Return the runs of one recipe, those from `first` to before `end`."""
    scores = []
    moves = []
    number = None
    for run in range(first, end):
        one = sample(reading.metric, reading.data.of_models(run))
        scores.append(float(one.estimate))
        if isinstance(one, Units):
            moves.append(one.moves.influence)
        elif isinstance(reading.data, Items):
            number = reading.data.counts
            moves.append(influence_of_rows(reading.metric, reading.data, run) / number.sum())
    rows = np.array(moves)
    return _Runs(np.array(scores), rows, np.ones(rows.shape[1]) if number is None else number)


def _interval(reading: Reading, recipes: list[_Runs], question: Question) -> RepeatedInterval:
    """Return the interval for the mean of one recipe, or for that of B minus that of A."""
    one_run = next(_single_runs(reading, recipes))
    interval_of(one_run, question)  # which warns
    scores = np.concatenate([recipe.scores for recipe in recipes])
    _warn_of_undefined(scores, question)
    estimate = _change([recipe.scores for recipe in recipes])
    variance = _variance(recipes)
    if variance.total > 0.0:
        low, high = _limits(estimate, variance, one_run.range, question)
    else:
        low, high = _limits_of_single_runs(reading, recipes, question)
    return RepeatedInterval(
        float(estimate),
        float(np.minimum(low, estimate)),
        float(np.maximum(high, estimate)),
        float(np.sqrt(variance.total)),
        question.level,
        "logit" + "+groups" * one_run.grouped,
        question.name,
        alternative=question.alternative,
        scores=scores,
        share_of_runs=variance.share_of_runs,
    )


def _limits(
    estimate: Array, variance: _Variance, range_: tuple[float, float], question: Question
) -> Limits:
    """Return the limits on the logit scale that are asked for."""
    z = quantile_for(question.level, question.alternative)
    half = np.asarray(variance.half_length(z))
    limits = delta.logit(estimate, half, 1.0, range_)
    return on_one_side(limits, range_, question.alternative)


def _limits_of_single_runs(reading: Reading, recipes: list[_Runs], question: Question) -> Limits:
    """Return limits as if there were one run, whichever says least."""
    quiet = replace(question, quiet=True)
    runs = _single_runs(reading, recipes)
    of_each = np.array([tuple(interval_of(run, quiet)) for run in runs])
    return of_each[:, 0].min(), of_each[:, 1].max()


def _single_runs(reading: Reading, recipes: list[_Runs]) -> Iterator[Sample]:
    """Yield the sample of each run, or of each run of B minus each run of A."""
    first_of_b = len(recipes[0].scores)
    for a in range(first_of_b):
        if len(recipes) == 1:
            yield sample(reading.metric, reading.data.of_models(a))
        else:
            for b in range(len(recipes[1].scores)):
                data = reading.data.of_models(a, first_of_b + b)
                yield difference(reading.metric, data)


def _change(runs: list[Array]) -> Array:
    """Return the means over the runs (runs, ...) of one recipe, or those of B minus those of A."""
    means = [values.mean(axis=0) for values in runs]
    return np.asarray(means[0] if len(means) == 1 else means[1] - means[0])


def _variance(recipes: list[_Runs]) -> _Variance:
    """Return the variance of the mean over runs of one recipe, or of B minus A."""
    # 1. The items: each moves the mean over the runs.
    of_items = recipes[0].sum_of_squares(_change([recipe.moves for recipe in recipes]))
    # 2. The runs, less the noise of items within runs, which the items' part holds already.
    of_runs = []
    for recipe in recipes:
        runs = len(recipe.scores)
        between = float(recipe.scores.var(ddof=1)) / runs
        residual = recipe.moves - recipe.moves.mean(axis=0)
        noise = recipe.sum_of_squares(residual) / (runs * (runs - 1.0))
        of_runs.append((max(between - noise, 0.0), runs - 1.0))
    return _Variance(of_items, recipes[0].degrees, of_runs)


def _warn_of_undefined(scores: Array, question: Question) -> None:
    """Warn of runs whose score is undefined."""
    undefined = int(np.isnan(scores).sum())
    if undefined:
        text = f"{question.name} is undefined for {undefined} of {len(scores)} runs"
        warn(f"{text}; nan was returned", UndefinedMetricWarning)
