"""Comparisons of two models, on the same items or on different ones.

On the same items two estimates are correlated. Their difference is the mean of what the items
contribute to it, and its variance is that of these contributions over n (see
`f1ci.methods.delta`); the divisor is n - 1, as Yuan & Jiang (2025), remark 2, have it.

On different items two estimates are independent. Then the score limits of the difference come from
the ellipse of `f1ci.methods.ellipse` with correlation zero, those of the delta method from the sum
of two squared standard errors.

The p-value of the method "score" inverts the interval, so the two never disagree: p is below 0.05
just if the 95 % interval does not hold zero.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._interval import Question, interval_of, limits_of, method_for
from f1ci._reading import Population, Reading, read
from f1ci.data import Cells, Items, Matrix
from f1ci.methods import ellipse, paired
from f1ci.methods.closed_form import Limits
from f1ci.metrics import Metric, Tversky
from f1ci.results import DifferenceTest, Interval
from f1ci.samples import Difference, difference, unpaired
from f1ci.types import Array, Classes, FloatOrArray, LabelsLike, Seed


def difference_interval(
    y_true: LabelsLike,
    y_pred_a: LabelsLike,
    y_pred_b: LabelsLike,
    metric: str | Metric,
    *,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: LabelsLike | None = None,
    zero_division: float = np.nan,
    class_shares: Mapping[Any, float] | None = None,
    strata: LabelsLike | None = None,
    stratum_shares: Mapping[Any, float] | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return an interval for metric(B) - metric(A) of two models on the same items.

    The two estimates are correlated, because the items are the same; the interval takes
    that into account, and is usually shorter than one for independent test sets.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : sequence, or array_like of 0 and 1, shape (items, classes)
        True labels, and the labels that classifiers A and B predict; or indicators.
    metric : str or Metric
        A name or an object, for two classes or many; see `metric_interval`.
    pos_label : hashable, optional
        The positive class of a binary metric.
    labels : sequence, optional
        The classes of a metric for many classes; by default those that occur in any
        of the three sequences. See `score_interval` for some of the classes.
    groups : sequence, optional
        What cluster each item belongs to; see `score_interval`.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts in averages; see `score_interval`. Each model has the score
        that it has alone.
    class_shares, strata, stratum_shares : optional
        Known shares of the true classes, or of the strata that items were drawn from, where the
        scores are wanted; see `score_interval`.
    method : str, optional
        "score", the default, for smooth metrics; the longer "cautious", for Tversky indices and
        accuracy; "logit" and "delta", for all. With `groups` "logit" is the default.
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
    0.139 (0.058, 0.234)
    """
    level = _validation.confidence_level(confidence_level)
    reading = read(
        {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b},
        metric,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        zero_division=zero_division,
        population=Population(class_shares, strata, stratum_shares),
    )
    return interval_of(two_models(reading), question_of(reading, level, method, alternative))


SWAPPED = (
    "swapping A's and B's predictions on any item or group would change nothing in distribution "
    "(more than that their scores are equal)"
)
EQUAL = "the two models have the same score in the population (or differ by the margin)"


def difference_test(
    y_true: LabelsLike,
    y_pred_a: LabelsLike,
    y_pred_b: LabelsLike,
    metric: str | Metric = "f1",
    *,
    method: str | None = None,
    margin: float = 0.0,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: LabelsLike | None = None,
    zero_division: float = np.nan,
    class_shares: Mapping[Any, float] | None = None,
    strata: LabelsLike | None = None,
    stratum_shares: Mapping[Any, float] | None = None,
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
    method : {"exact", "score", "logit", "randomisation"}, optional
        "exact" needs no random numbers; it is for Tversky scores (F1, F-beta, precision,
        recall, Jaccard) and for accuracy and the micro average, and their default. "score",
        the default of all others, inverts the interval: it tests equality of the scores
        themselves, in large samples. "randomisation" swaps at random, and is the default with
        `groups`; "logit" inverts the interval there. See `f1ci.methods.paired`.
    margin : float, default 0
        A difference that does not matter. If given, two more p-values tell whether B is not
        worse than A by the margin, and whether they are equivalent. They invert the interval:
        equivalence has a p-value below 0.05 just if the interval of level 0.9 lies inside.
    pos_label, labels, groups, zero_division, confidence_level
        See `difference_interval`.
    class_shares, strata, stratum_shares : optional
        See `difference_interval`. "exact" is not for known shares; "score" is the default then.
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
    0.0013
    """
    level = _validation.confidence_level(confidence_level)
    reading = read(
        {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b},
        metric,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        zero_division=zero_division,
        population=Population(class_shares, strata, stratum_shares),
    )
    plan = TestPlan(method, margin, replicates, rng)
    return paired_test(reading, question_of(reading, level), plan)


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
    metric = _metrics.get(metric)
    level = _validation.confidence_level(confidence_level)
    a = _one_matrix("matrix_a", metric, matrix_a)
    b = _one_matrix("matrix_b", metric, matrix_b)
    sample = unpaired(metric, a, b)
    interval = interval_of(sample, Question(f"{metric.name} (B - A)", method, level))
    p_value = inverted_p_value(sample, method)
    return DifferenceTest(
        interval, p_value, EQUAL, None, 0.0, None, None, interval.method, metric.name
    )


def _one_matrix(name: str, metric: Metric, value: ArrayLike) -> Matrix:
    """Return one checked confusion matrix; TP, FP and FN will do for a Tversky score."""
    table = np.asarray(_validation.counts(name, value))
    if table.shape == (3,) and isinstance(metric, Tversky):
        tp, fp, fn = table
        table = np.array([[0.0, fp], [fn, tp]])
    _validation.shaped(name, table, table.ndim == 2, "(r, r)")
    return Matrix.of(_validation.matrices(metric, table))


# What the doors share.


class TestPlan(NamedTuple):
    """How two models are tested.

    Attributes
    ----------
    method : str or None
        The name of the test; None for the default.
    margin : float
        The difference that does not matter.
    replicates : int
        The number of random swaps.
    rng : None, int or numpy.random.Generator
        The source of random numbers.
    """

    method: str | None = None
    margin: float = 0.0
    replicates: int = 9_999
    rng: Seed = None


def question_of(
    reading: Reading, level: float, method: str | None = None, alternative: str = "two-sided"
) -> Question:
    """Return the question of a difference."""
    name = f"{reading.metric.name} (B - A)"
    classes = reading.classes
    constant = reading.constant
    return Question(name, method, level, alternative, classes=classes, constant=constant)


def two_models(reading: Reading) -> Difference:
    """Return the sample of B minus A."""
    if isinstance(reading.data, Items):
        _validation.at_least_two("items", int(reading.data.counts.sum()))
    return difference(reading.metric, reading.data)


def paired_test(reading: Reading, question: Question, plan: TestPlan) -> DifferenceTest:
    """Return the test of two models on the same items; see `difference_test`."""
    margin = _validation.probability("margin", plan.margin)
    _validation.positive_integer("replicates", plan.replicates)
    sample = two_models(reading)
    interval = interval_of(sample, question)
    method = _test_method(reading, sample, question, plan.method)
    p_value = np.nan
    if not np.isnan(sample.estimate):
        p_value = _p_value(reading, sample, question, method, plan)
    worse = None
    beyond = None
    if margin:
        worse = tail(sample, question.method, -margin)
        beyond = max(worse, 1.0 - tail(sample, question.method, margin))
    hypothesis = SWAPPED if method in ("exact", "randomisation") else EQUAL
    discordant = _discordant(reading.data) if isinstance(reading.data, Items) else None
    name = reading.metric.name
    return DifferenceTest(
        interval, p_value, hypothesis, discordant, margin, worse, beyond, method, name
    )


def _test_method(reading: Reading, sample: Difference, question: Question, name: str | None) -> str:
    """Return the name of the test, the default of these data if there is none."""
    inverted, _ = method_for(sample, question.method)
    possible = [inverted]
    if isinstance(reading.data, Items) and reading.data.groups is not None:
        possible.insert(0, "randomisation")
    elif isinstance(reading.data, Items):
        possible.append("randomisation")
        if _index_of(sample.a.metric, sample.b.metric) is not None:
            possible.insert(0, "exact")
    return possible[0] if name is None else _validation.choice("method", name, possible)


def _index_of(a: Metric, b: Metric) -> Tversky | None:
    """Return the Tversky score that both models' metrics are, of the same class."""
    return a.index if a == b else None


def _p_value(
    reading: Reading, sample: Difference, question: Question, method: str, plan: TestPlan
) -> float:
    """Return the two-sided p-value of a test by its name."""
    data = reading.data
    metric = sample.a.metric
    if isinstance(data, Items) and method == "randomisation":
        return _swapped_p_value(reading.metric, data, plan)
    if isinstance(data, Items) and method == "exact" and metric.index is not None:
        items = metric.single(data)
        cells = np.zeros((2, 2, 2))
        np.add.at(cells, tuple(items.codes), items.counts)
        return paired.exact_p_value(cells, metric.index.a, metric.index.b)
    return inverted_p_value(sample, question.method)


def _swapped_p_value(metric: Metric, items: Items, plan: TestPlan) -> float:
    """Return the p-value from random swaps of items, or of groups."""
    places, where = np.unique([items.places(0), items.places(1)], return_inverse=True)
    cells = Cells.at(places, len(items.classes))

    def evaluate(counts: Array) -> tuple[Array, Array]:
        return metric.evaluate(Matrix(cells, counts))

    units = paired.swapped_units(where.reshape(2, -1), items.counts, items.groups)
    return paired.random_swaps(units, evaluate, plan.replicates, _validation.generator(plan.rng))


def inverted_p_value(sample: Difference, method: str | None) -> float:
    """Return one minus the level of the interval that has zero as a limit."""
    above = tail(sample, method, 0.0)
    return min(2.0 * min(above, 1.0 - above), 1.0)


def tail(sample: Difference, name: str | None, value: float) -> float:
    """Return the one-sided p-value against a difference of at most `value`."""
    _, method = method_for(sample, name)

    def limits(z: FloatOrArray) -> Limits:
        return limits_of(sample, method, z)

    return ellipse.tail_probability(limits, float(sample.estimate), float(sample.error), value)


def _discordant(items: Items) -> tuple[int, int]:
    """Return the numbers of items on which A alone is right, and on which B alone is."""
    right_a, right_b = items.codes[1:] == items.codes[0]
    only_a = items.counts[right_a & ~right_b].sum()
    only_b = items.counts[right_b & ~right_a].sum()
    return int(only_a), int(only_b)
