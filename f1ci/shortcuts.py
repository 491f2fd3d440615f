"""Shortcuts: the questions that people ask most, in one call each.

Each makes a kind of data (`f1ci.kinds`) and asks it. Options of the data, such as ``groups`` or
``zero_division``, are those of the kind, and are explained there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import metrics
from f1ci.data import checks
from f1ci.data.labels import encode
from f1ci.kinds import Counts, Labels, Scores
from f1ci.metrics import Metric
from f1ci.reading import refuse_formats, refuse_weights
from f1ci.results import (
    BinaryCounts,
    ClassificationReport,
    Interval,
    ModelComparison,
)
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

        - ``"score"``: Wilson interval for TP / (TP + FP + FN), mapped to F1. Coverage is close to
          the level on average; it can fall to about 0.84 for F1 very close to 0 or 1.
        - ``"cautious"``: Clopper-Pearson interval, mapped to F1. Coverage is never below the level.
        - ``"logit"``: delta-method interval for log(F1 / (1 - F1)), transformed back; stays in
          (0, 1).
        - ``"delta"``: estimate plus and minus z standard errors (Wald). May leave [0, 1]; has
          length zero at 0 and 1.
        - ``"anytime"``: for looking again and again while items come in (Robbins 1970). With the
          probability of the level it contains the true score at every look; 1.5 to 1.9 times as
          long as "score" for 20 to 1000 relevant items.
        - ``"wilson_direct"``: score interval computed on the scale of F1 (Lam et al., section
          3.2.3).
        - ``"blur"``: "delta" with the larger variance of Yuan and Jiang (2025).
        - ``"wilson_indirect"``, ``"clopper_pearson"``, ``"wald"``: other names of "score",
          "cautious", "delta".

        Other metrics have the same methods: "score" for all smooth ones, "cautious" for F scores,
        precision, recall, Jaccard and accuracy.
    confidence_level : float, default 0.95
        The share of test sets, between 0 and 1, in which such an interval contains the true score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        As in SciPy. "greater" gives the lower limit alone, with `high` at the end of the range, and
        "less" the upper limit. One-sided limits of "score" cover unevenly: for scores near 1
        "greater" covers at least the level on average and "less" covers less; near 0 it is the
        other way round. ``method="cautious"`` never covers less. The level must be above 0.5.

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

    See Also
    --------
    Counts : The same counts, for other scores, differences and joint intervals.
    score_interval : From labels.

    References
    ----------
    Lam, Gopal and Qian (2024); Wilson (1927, Journal of the American Statistical Association 22,
    209-212); see the book's chapter on the F1 score.

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
    f1 = 0.740 (95 % CI at least 0.681, Wilson score)
    """
    return Counts(tp, fp, fn).interval(
        "f1", method=method, confidence_level=confidence_level, alternative=alternative
    )


def score_interval(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = "binary",
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    **options: Any,
) -> Interval:
    """Return a confidence interval for any metric, from true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels, of any hashable kind; or indicators, where an item may be
        of several classes.
    metric : str or Metric, default "f1"
        A name, such as "precision", "macro_recall", "mcc" or "kappa", or an object, such as
        ``f1ci.metrics.fbeta(2)`` or a metric of your own.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None
        For metrics of two classes. The metric of the positive class; or over all classes the
        metric of their counts together, the mean of the classes' metrics, or this mean weighted by
        the classes' numbers of true items. None gives an interval for each class.
    method : str, optional
        By default "score", or "logit" for runs and metrics that are not smooth. `f1ci.f1_interval`
        says what each method is.
    confidence_level : float, default 0.95
        The share of test sets in which such an interval contains the true score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        As in SciPy. "greater" gives the lower limit alone, with `high` at the end of the range, and
        "less" the upper limit.
    **options
        Of `Labels`: pos_label, labels, groups, zero_division, class_shares, strata,
        stratum_shares, stratum_counts, judge.

    Returns
    -------
    Interval
        Estimate and limits; arrays with ``average=None``. Warnings name classes that are left out,
        or have few items.

    See Also
    --------
    Labels : The same labels, for other questions: is one model better, several scores at once.
    Matrix : From a confusion matrix.

    References
    ----------
    Averages: Takahashi, Yamamoto, Kuchiba and Koyama (2022, Applied Intelligence 52, 4961-4972).
    Limits: see the book's chapter "Score intervals for every metric".

    Examples
    --------
    >>> import f1ci
    >>> y_true = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    >>> y_pred = ["a", "a", "b", "b", "b", "b", "c", "c", "a"]
    >>> interval = f1ci.score_interval(y_true, y_pred, "macro_recall")
    >>> f"{interval.estimate:.2f} ({interval.low:.2f}, {interval.high:.2f})"
    '0.78 (0.44, 0.96)'
    >>> each = f1ci.score_interval(y_true, y_pred, "precision", average=None)
    >>> each.classes, each.estimate.round(2)
    (('a', 'b', 'c'), array([0.67, 0.75, 1.  ]))
    """
    return Labels(y_true, {"y_pred": y_pred}, **options).interval(
        metric,
        average=average,
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
    )


def f1_score_interval(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    average: str | None = "binary",
    beta: float = 1.0,
    sample_weight: None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    **options: Any,
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
    method : str, optional
        By default "score", or "logit" for runs and metrics that are not smooth. `f1ci.f1_interval`
        says what each method is.
    confidence_level : float, default 0.95
        The share of test sets in which such an interval contains the true score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        As in SciPy. "greater" gives the lower limit alone, with `high` at the end of the range, and
        "less" the upper limit.
    **options
        Of `Labels`: pos_label, labels, groups, zero_division, class_shares, strata,
        stratum_shares, stratum_counts, judge.

    Returns
    -------
    Interval
        Estimate and limits; arrays with ``average=None``. Warnings name classes that are left out,
        or have few items.

    See Also
    --------
    Labels : The same labels, for other questions.

    References
    ----------
    Takahashi, Yamamoto, Kuchiba and Koyama (2022, Applied Intelligence 52, 4961-4972).

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
    """
    refuse_weights(sample_weight)
    metric: Metric = metrics.fbeta(beta)
    if isinstance(average, str) and average == "macro_star":
        metric, average = metrics.macro_star(beta), "binary"
    return score_interval(
        y_true,
        y_pred,
        metric,
        average=average,
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        **options,
    )


def classification_report(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    target_names: Sequence[str] | None = None,
    sample_weight: None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    **options: Any,
) -> ClassificationReport:
    """Return precision, recall and F1 of every class and their averages, with intervals.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels, or indicators where an item may be of several classes.
    target_names : sequence of str, optional
        What the classes are called in the report, in the order of the rows.
    sample_weight : None
        Not offered; an error says what to do instead.
    method : {"score", "logit", "delta"}, optional
        "score" by default.
    confidence_level : float, default 0.95
        The nominal level of each interval by itself.
    **options
        Of `Labels`: labels, groups, zero_division, class_shares, strata, stratum_shares,
        stratum_counts, judge.

    Returns
    -------
    ClassificationReport
        Prints as a table; ``to_frame()`` gives a pandas data frame.

    See Also
    --------
    Matrix : Its method `report` takes a confusion matrix.

    References
    ----------
    Averages: Takahashi, Yamamoto, Kuchiba and Koyama (2022, Applied Intelligence 52, 4961-4972).

    Examples
    --------
    >>> import f1ci
    >>> y_true = ["cat"] * 40 + ["dog"] * 60
    >>> y_pred = ["cat"] * 33 + ["dog"] * 62 + ["cat"] * 5
    >>> print(f1ci.classification_report(y_true, y_pred))
                               precision                  recall                      f1  support
    cat           0.868 (0.727 to 0.942)  0.825 (0.681 to 0.913)  0.846 (0.742 to 0.913)       40
    dog           0.887 (0.785 to 0.944)  0.917 (0.819 to 0.964)  0.902 (0.832 to 0.944)       60
    accuracy                                                      0.880 (0.802 to 0.930)      100
    macro avg     0.878 (0.795 to 0.930)  0.871 (0.788 to 0.925)  0.874 (0.792 to 0.927)      100
    weighted avg  0.880 (0.800 to 0.930)  0.880 (0.802 to 0.930)  0.879 (0.800 to 0.930)      100
    95 % confidence intervals, each by itself; method score
    """
    refuse_weights(sample_weight)
    refuse_formats(options)
    return Labels(y_true, {"y_pred": y_pred}, **options).report(
        names=target_names, method=method, confidence_level=confidence_level
    )


def compare_models(
    y_true: LabelsLike,
    predictions: Mapping[str, LabelsLike],
    metric: str | Metric = "f1",
    *,
    average: str | None = "binary",
    margin: float = 0.0,
    method: str | None = None,
    confidence_level: float = 0.95,
    **options: Any,
) -> ModelComparison:
    """Compare models pair by pair on one test set.

    Parameters
    ----------
    y_true : sequence
        True labels.
    predictions : mapping of str to sequence
        The labels that each model predicts; at least two models.
    metric : str or Metric, default "f1"
        A name, such as "precision", "macro_recall", "mcc" or "kappa", or an object, such as
        ``f1ci.metrics.fbeta(2)`` or a metric of your own.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None
        For metrics of two classes. The metric of the positive class; or over all classes the
        metric of their counts together, the mean of the classes' metrics, or this mean weighted by
        the classes' numbers of true items. None gives an interval for each class.
    margin : float, default 0
        A difference that does not matter.
    method : str, optional
        By default "score", or "logit" for runs and metrics that are not smooth. `f1ci.f1_interval`
        says what each method is.
    confidence_level : float, default 0.95
        The level of each interval and difference by itself.
    **options
        Of `Labels`: pos_label, labels, groups, zero_division, class_shares, strata,
        stratum_shares, stratum_counts, judge.

    Returns
    -------
    ModelComparison
        The interval of each model, the difference of each pair, and p-values adjusted by Holm's
        method.

    See Also
    --------
    Labels : Its method `difference` tells more of two models.
    Units, Scores, Runs : Comparisons of documents, images and seeds.

    References
    ----------
    Adjusted p-values: Holm (1979, Scandinavian Journal of Statistics 6, 65-70). Limits of
    differences: Zou and Donner (2008, Statistics in Medicine 27, 1693-1702).

    Examples
    --------
    >>> import f1ci
    >>> y_true = [1] * 60 + [0] * 60
    >>> a = [1] * 35 + [0] * 85
    >>> b = [1] * 50 + [0] * 70
    >>> c = [1] * 52 + [0] * 60 + [1] * 8
    >>> comparison = f1ci.compare_models(y_true, {"a": a, "b": b, "c": c})
    >>> print(comparison)
          f1  95 % low   high    rank
    b  0.909     0.837  0.951  1 to 2
    c  0.867     0.789  0.919  1 to 2
    a  0.737     0.628  0.823       3
    b has the best estimate; it is not distinguished from c
    >>> print(comparison.pairs())
           difference  95 % low   high  p (Holm)
    b - a       0.172     0.093  0.266  < 0.0001
    c - a       0.130     0.036  0.233     0.013
    c - b      -0.042    -0.100  0.011      0.11
    """
    return Labels(y_true, checks.as_models(predictions), **options).compare(
        metric,
        average=average,
        margin=margin,
        method=method,
        confidence_level=confidence_level,
    )


def mean_interval(
    scores: ArrayLike,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    **options: Any,
) -> Interval:
    """Return an interval for the mean of scores by unit, such as the Dice of each image.

    Parameters
    ----------
    scores : array_like of float, shape (units,)
        A score from 0 to 1 for each unit. ``nan`` is a unit with nothing to find and nothing found.
    method : {"score", "logit", "delta"}, optional
        "score", the default, allows for units that fail although none of those seen did. "logit" is
        a t interval that stays inside [0, 1], and "delta" the plain normal interval.
    confidence_level : float, default 0.95
        The share of test sets in which such an interval contains the true score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        As in SciPy. "greater" gives the lower limit alone, with `high` at the end of the range, and
        "less" the upper limit.
    **options
        Of `Scores`: groups, empty.

    Returns
    -------
    Interval
        The standard error is ``s / sqrt(n)``, with groups that of a cluster-robust mean.

    See Also
    --------
    Scores : The same scores, also of two models.

    References
    ----------
    Limits: see the book's chapter "Units". Wilson (1927, Journal of the American Statistical
    Association 22, 209-212) has those of two kinds of units.

    Examples
    --------
    Dice of eight images. The t interval is 0.791 to 0.892:

    >>> import f1ci
    >>> dice = [0.91, 0.84, 0.79, 0.88, 0.93, 0.76, 0.82, 0.8]
    >>> print(f1ci.mean_interval(dice))
    mean = 0.841 (95 % CI 0.568 to 0.897, Wilson score)
    0.784 to 0.885 if no unit can be much worse than those seen (method='logit')
    """
    return Scores(scores, **options).interval(
        method=method, confidence_level=confidence_level, alternative=alternative
    )


# Counting, as scikit-learn does it.


def binary_counts(
    y_true: LabelsLike, y_pred: LabelsLike, *, pos_label: Hashable = 1
) -> BinaryCounts:
    """Count true and false positives and negatives.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels, of any hashable kind, at most two distinct ones.
    pos_label : hashable, default 1
        The label that counts as positive.

    Returns
    -------
    BinaryCounts
        The named tuple ``(tp, fp, fn, tn)`` of Python integers.

    Raises
    ------
    ValueError
        If there are more than two classes, if `pos_label` is not one of two, if truth and
        predictions share no label, or if labels are empty, missing or of unequal number.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.binary_counts([1, 1, 0, 0, 1], [1, 0, 0, 1, 1])
    BinaryCounts(tp=2, fp=1, fn=1, tn=1)
    >>> f1ci.binary_counts(["spam", "ham"], ["spam", "spam"], pos_label="spam")
    BinaryCounts(tp=1, fp=1, fn=0, tn=0)
    """
    tn, fp, fn, tp = Labels(y_true, {"y_pred": y_pred}, pos_label=pos_label).binary_matrix()
    return BinaryCounts(tp, fp, fn, tn)


def confusion_matrix(
    y_true: LabelsLike, y_pred: LabelsLike, *, labels: Classes | None = None
) -> NDArray[np.int64]:
    """Count how often each class was predicted as each class.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels, of any hashable kind.
    labels : sequence, optional
        The classes in the order of the rows. By default those that occur, sorted;
        or, if they cannot be sorted, in order of first appearance.

    Returns
    -------
    ndarray of int, shape (r, r)
        Rows are true classes, columns predicted ones: scikit-learn's orientation.
        (Takahashi et al. print predicted classes in rows: transpose theirs.)

    Raises
    ------
    ValueError
        If a label is not in `labels`, if truth and predictions share no label, or if labels are
        empty, missing or of unequal number.

    Examples
    --------
    >>> import f1ci
    >>> f1ci.confusion_matrix(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    array([[1, 0, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    (true, pred), classes = encode({"y_true": y_true, "y_pred": y_pred}, wanted=labels)
    r = len(classes)
    cells = (r * true + pred).astype(np.intp)
    return np.bincount(cells, minlength=r * r).reshape(r, r)
