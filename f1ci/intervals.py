"""Intervals for one score: a public function for each form of data.

`f1_interval` takes counts, `score_interval` labels, `metric_interval` confusion matrices,
`f1ci.clustered` counts by document. All turn their input into a sample (`f1ci.samples`), of
which a method (`f1ci.methods`) computes limits. So the same question has the same answer through
each, to 12 digits.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._interval import Question, interval_of
from f1ci._reading import Population, read, refuse_weights
from f1ci.data import Matrix
from f1ci.metrics import Metric
from f1ci.metrics.shares import KnownShares, shares_by_row
from f1ci.results import Interval
from f1ci.samples import Counts, sample
from f1ci.types import Classes, LabelsLike


def f1_interval(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return a confidence interval for the F1 score of a binary classifier, from its counts.

    Parameters
    ----------
    tp, fp, fn : int or array_like of int
        True positives, false positives and false negatives, up to 2**50 each.
        Arrays broadcast against each other.
    method : str, optional
        By default "score".

        - ``"score"``: Wilson's idea: the values that a test with the standard error under each
          value does not reject.
        - ``"cautious"``: Longer, to hold at least the level: Clopper-Pearson, carried on to other
          scores of one class.
        - ``"wilson_direct"``: The same test on the scale of F1, for the F1 of one class.
        - ``"logit"``: The delta method on a scale without borders.
        - ``"delta"``: The estimate plus and minus z standard errors of the delta method.
        - ``"blur"``: The same with a larger standard error, for metrics of two classes.
        - ``"wilson_indirect"``, ``"clopper_pearson"`` and ``"wald"`` are the names of Lam, Gopal
          and Qian for "score", "cautious" and "delta", for the F1 of one class.
    confidence_level : float, default 0.95
        The share of test sets, between 0 and 1, in which the interval promises to hold the true
        score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        As in SciPy. "greater" gives the lower limit alone: the score is at least this limit with
        the probability of the level, and `high` is the end of the range. "less" gives the upper
        limit alone. The level must be above 0.5.

    Returns
    -------
    Interval
        With fields of the broadcast shape, or floats for scalar counts. The
        standard error is the root of eq. 29 of Lam, Gopal and Qian (2024); that of "blur" is
        larger.

    Warns
    -----
    UndefinedMetricWarning
        Where no item is relevant (``tp = fp = fn = 0``): the estimate and its standard error are
        ``nan`` and the interval is [0, 1], or ``nan`` too for "logit".
    DegenerateVarianceWarning
        Where the standard error is zero, and the method needs a positive error.

    Examples
    --------
    BERT's counts on the suggestion-mining test set (section 6 of the paper):

    >>> import f1ci
    >>> interval = f1ci.f1_interval(77, 44, 10)
    >>> low, high = interval
    >>> f"{interval.estimate:.3f} [{low:.3f}, {high:.3f}]"
    '0.740 [0.669, 0.801]'

    Many classifiers at once:

    >>> f1ci.f1_interval([77, 0, 40], 44, 10, method="cautious").low.round(3)
    array([0.665, 0.   , 0.49 ])

    The score is at least 0.681 with 95 % confidence:

    >>> print(f1ci.f1_interval(77, 44, 10, alternative="greater"))
    f1 = 0.740 (95 % CI at least 0.681, score)
    """
    level = _validation.confidence_level(confidence_level)
    tp, fp, fn = _validation.broadcast(_validation.counts, tp=tp, fp=fp, fn=fn)
    question = Question("f1", method, level, alternative)
    return interval_of(Counts(_metrics.f1, tp, fp, fn), question)


def score_interval(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = "binary",
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
    """Return a confidence interval for any metric, from true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels, of any hashable kind; or indicators, where an item may be
        of several classes (multilabel). Then each item is a unit of `clustered_interval`. Rows of
        indicators are lists or arrays; a tuple is a label.
    metric : str or Metric, default "f1"
        A name, such as "precision", "macro_recall", "mcc" or "kappa", or an object, such as
        ``f1ci.metrics.fbeta(2)`` or a metric of your own.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None
        For metrics of two classes. The metric of the positive class; or over all classes the
        metric of their counts together, the mean of the classes' metrics, or this mean weighted by
        the classes' numbers of true items. None gives an interval for each class. "samples" is the
        mean over the items of indicators. Metrics of all classes, such as "mcc", take no average.
    pos_label : hashable, default 1
        The positive class if `average` is "binary".
    labels : sequence, optional
        The classes otherwise, in their order; by default those that occur. If these are only some
        of the classes, averages are over these, and the others count where they are errors, as
        in scikit-learn. Of indicators the names or numbers of some columns, or new names of all.
    groups : sequence, optional
        What cluster each item belongs to (a patient, a document): items of one cluster
        may depend on one another. "logit", the default then, and "delta" take that into account.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts, of a class that is never true and never predicted or of
        an item without classes. By default an average leaves it out, and a warning says so. With
        0 or 1 it counts so in the estimate; the limits are as wide as not knowing it makes them.
    class_shares : mapping or pandas Series, optional
        The share of each true class where the score is wanted, such as ``{1: 0.02, 0: 0.98}``, if
        it is known and another one than in the test set: another prevalence. The shares sum to 1.
        For the areas of a map see `strata`.
    strata : sequence, optional
        The stratum of each item, if a fixed number of items was drawn from each stratum: a class of
        a map, a region, a bin of the model's scores. Needs `stratum_shares`.
    stratum_shares : mapping or pandas Series, optional
        The share of each stratum where the score is wanted, such as its part of a map's area. The
        shares sum to 1. `class_shares` is the case in which the strata are the true classes.
    method : str, optional
        By default "score", or "logit" with `groups`, for averages over the classes of indicators,
        and for metrics that are not smooth. `f1_interval` says what each method is.
    confidence_level : float, default 0.95
        The share of test sets in which the interval promises to hold the true score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Which limits to give; see `f1_interval`.

    Returns
    -------
    Interval
        The estimate is the plain sample score, whatever the method. With ``average=None``
        the fields are arrays, and `classes` says what class each entry is of.

    Warns
    -----
    UndefinedMetricWarning
        If the score is undefined, or an average leaves a class out; the message names the class.
    SmallSampleWarning
        If a class of an average has fewer than three items that matter to its score.
    DegenerateVarianceWarning
        If the standard error is zero, and the method needs a positive error.

    Examples
    --------
    >>> import f1ci
    >>> y_true = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    >>> y_pred = ["a", "a", "b", "b", "b", "b", "c", "c", "a"]
    >>> interval = f1ci.score_interval(y_true, y_pred, "macro_recall")
    >>> f"{interval.estimate:.2f} ({interval.low:.2f}, {interval.high:.2f})"
    '0.78 (0.43, 0.96)'
    >>> each = f1ci.score_interval(y_true, y_pred, "precision", average=None)
    >>> each.classes, each.estimate.round(2)
    (('a', 'b', 'c'), array([0.67, 0.75, 1.  ]))

    Half of a test set is positive. Recall is 0.9, and 0.1 of the negatives are called positive. In
    use one item in a hundred is positive. Precision is then 0.009 / (0.009 + 0.099):

    >>> y_true = [1] * 100 + [0] * 100
    >>> y_pred = [1] * 90 + [0] * 10 + [1] * 10 + [0] * 90
    >>> rare = {1: 0.01, 0: 0.99}
    >>> interval = f1ci.score_interval(y_true, y_pred, "precision", class_shares=rare)
    >>> f"{interval.estimate:.4f}, {0.009 / (0.009 + 0.099):.4f}"
    '0.0833, 0.0833'

    Ten items were drawn from each of four strata, whose shares are 0.4, 0.3, 0.2 and 0.1. The
    example and the precision of class B, 0.574, are those of Stehman (2014, *International Journal
    of Remote Sensing* 35, 4923-4939):

    >>> strata = ["1"] * 10 + ["2"] * 10 + ["3"] * 10 + ["4"] * 10
    >>> y_true = list("AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB")
    >>> y_pred = list("AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD")
    >>> shares = {"1": 0.4, "2": 0.3, "3": 0.2, "4": 0.1}
    >>> drawn = {"strata": strata, "stratum_shares": shares}
    >>> each = f1ci.score_interval(y_true, y_pred, "precision", average=None, **drawn)
    >>> print(each.classes[1], [f"{x[1]:.3f}" for x in (each.estimate, each.low, each.high)])
    B ['0.574', '0.337', '0.774']
    """
    level = _validation.confidence_level(confidence_level)
    reading = read(
        {"y_true": y_true, "y_pred": y_pred},
        metric,
        average=average,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        zero_division=zero_division,
        population=Population(class_shares, strata, stratum_shares),
    )
    question = Question(
        reading.metric.name,
        method,
        level,
        alternative,
        reading.classes,
        reading.each,
        reading.constant,
    )
    return interval_of(reading.sample(), question)


def f1_score_interval(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    beta: float = 1.0,
    groups: LabelsLike | None = None,
    sample_weight: None = None,
    zero_division: float = np.nan,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return a confidence interval for an F score: `score_interval` as scikit-learn's `f1_score`.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels; or indicators, where an item may be of several classes.
    average : {"binary", "micro", "macro", "weighted", "macro_star", "samples"} or None
        The score of the positive class; or over all classes the micro average, the mean
        of the classes' F scores, the same weighted by the classes' numbers of true items,
        or the F score of mean precision and mean recall (Takahashi et al. 2022,
        equations 1, 2 and 3). None gives an interval for each class. Of indicators "micro",
        "macro", "weighted", None, or "samples", the mean of the items' scores.
    beta : float, default 1.0
        Weight of recall against precision.
    sample_weight : None
        Not offered; an error says what to do instead.
    pos_label, labels, groups, zero_division, method, confidence_level, alternative
        See `score_interval`.

    Returns
    -------
    Interval
        See `score_interval`, also for warnings.

    Examples
    --------
    >>> import f1ci
    >>> y_true = [1, 1, 1, 1, 0, 0, 1, 0]
    >>> y_pred = [1, 1, 0, 1, 0, 1, 1, 0]
    >>> low, high = f1ci.f1_score_interval(y_true, y_pred)
    >>> f"[{low:.2f}, {high:.2f}]"
    '[0.46, 0.95]'
    >>> y_true = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    >>> y_pred = ["a", "a", "b", "b", "b", "b", "c", "c", "a"]
    >>> interval = f1ci.f1_score_interval(y_true, y_pred, average="macro")
    >>> f"{interval.estimate:.2f} +- {interval.standard_error:.2f}"
    '0.77 +- 0.14'
    >>> each = f1ci.f1_score_interval(y_true, y_pred, average=None)
    >>> each.classes, each.low.round(2)
    (('a', 'b', 'c'), array([0.26, 0.46, 0.34]))
    """
    refuse_weights(sample_weight)
    metric: Metric = _metrics.fbeta(beta)
    if isinstance(average, str) and average == "macro_star":
        metric, average = _metrics.macro_star(beta), "binary"
    return score_interval(
        y_true,
        y_pred,
        metric,
        average=average,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        zero_division=zero_division,
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
    )


def metric_interval(
    matrix: ArrayLike,
    metric: str | Metric,
    *,
    method: str | None = None,
    fixed: str | None = None,
    class_shares: ArrayLike | Mapping[int, float] | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    r"""Return an interval for a metric, from one or more confusion matrices.

    Parameters
    ----------
    matrix : array_like of int, shape (..., r, r)
        Counts; rows are true classes and columns predicted ones (scikit-learn's
        orientation; Takahashi et al. print the transpose). In a 2 x 2 matrix index 1
        is the positive class: ``[[tn, fp], [fn, tp]]``.
    metric : str or Metric
        A name, such as "f1" or "macro_f1", or an object, such as
        ``f1ci.metrics.fbeta(0.5)``.
    method : str, optional
        By default "score". "cautious" is for single Tversky indices (F-beta, Jaccard, precision,
        recall), and accuracy; averages over classes have no cautious limits. "f1" also knows the
        names of Lam, Gopal and Qian. "score", "cautious", "logit", "delta" and "blur" are
        explained at `f1_interval`.
    fixed : {"rows"}, optional
        "rows" if the number of items of each true class was chosen beforehand. By default all
        counts are random. For score limits; the standard error stays that of random counts.
    class_shares : sequence, mapping or pandas Series, optional
        The known share of each true class where the score is wanted, by row; see `score_interval`.
    confidence_level : float, default 0.95
        The nominal level.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Which limits to give; see `f1_interval`.

    Returns
    -------
    Interval
        Floats for one matrix, arrays of shape (...) for a batch. The end points of "delta" and
        "blur" are not clipped to the metric's range. The standard error includes the blur.

    Warns
    -----
    UndefinedMetricWarning
        Where the metric is undefined; the message says which class is missing.
    SmallSampleWarning
        Where a class of an average has fewer than three items that matter to its score.
    DegenerateVarianceWarning
        Where the standard error is zero, and the method needs a positive error.

    Examples
    --------
    The example of Takahashi et al. (2022), Table 1, with true classes in rows:

    >>> from f1ci import metric_interval
    >>> matrix = [[2, 5, 0], [2, 70, 2], [2, 2, 15]]
    >>> interval = metric_interval(matrix, "macro_f1", method="delta")
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.689 (0.562, 0.817)

    A perfect score is not known exactly, as the delta method has it:

    >>> low, high = metric_interval([[10, 0, 0], [0, 10, 0], [0, 0, 10]], "macro_f1")
    >>> print(f"({low:.2f}, {high:.2f})")
    (0.89, 1.00)
    """
    metric = _metrics.get(metric)
    table = _validation.matrices(metric, matrix)
    level = _validation.confidence_level(confidence_level)
    if fixed is not None:
        _validation.choice("fixed", fixed, ("rows",))
        if method is not None:
            _validation.choice("method with fixed='rows'", method, ("score",))
    data = Matrix.of(table)
    if class_shares is not None:
        shares = shares_by_row(_validation.as_mapping(class_shares), data.true)
        metric = KnownShares(metric, shares)
    of_matrix = sample(metric, data, fixed=fixed is not None)
    return interval_of(of_matrix, Question(metric.name, method, level, alternative))
