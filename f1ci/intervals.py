"""Intervals for one score: a public function for each form of data.

`f1_interval` takes counts, `f1_score_interval` labels, `metric_interval` confusion matrices. All
turn their input into a `Sample`, of which a method computes limits. So the same question has the
same answer through each, to 12 digits. `f1ci.methods` lists the methods, and the default of each
metric; `f1ci._limits` warns of what the numbers do not show.

A class may be left out of an average because ``labels`` does not name it, or because its score is
undefined. What ``zero_division`` says of an undefined score is a constant: with the share c of the
classes whose score is defined, the average is c times the average over these plus 1 - c times the
constant. So are its limits.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation, clustered
from f1ci import counts as _counts
from f1ci import metrics as _metrics
from f1ci._labels import Codes, are_indicators, indicator_counts
from f1ci._limits import interval_of, sample_of_items
from f1ci.counts import Items, Matrix
from f1ci.methods.score import Sample, sample_of, sample_of_counts
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.classes import mean_of
from f1ci.results import Array, Classes, Interval, Labels, UndefinedMetricWarning, warn

_AVERAGES = ("binary", "micro", "macro", "weighted", "macro_star", "samples")


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
        Nominal probability, between 0 and 1, that the interval holds the true score.
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
    sample = sample_of_counts(_metrics.f1, (tp, fp, fn))
    return interval_of(sample, method, level, "f1", alternative=alternative)


def f1_score_interval(
    y_true: Labels,
    y_pred: Labels,
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    beta: float = 1.0,
    groups: Labels | None = None,
    sample_weight: None = None,
    zero_division: float = np.nan,
    method: str | None = None,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return a confidence interval for an F score, from true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : sequence, or array_like of 0 and 1, shape (items, classes)
        True and predicted labels, of any hashable kind; or indicators, where an item may be
        of several classes (multilabel). Then each item is a unit of `clustered_interval`. Rows of
        indicators are lists or arrays; a tuple is a label.
    average : {"binary", "micro", "macro", "weighted", "macro_star", "samples"} or None
        The score of the positive class; or over all classes the micro average, the mean
        of the classes' F scores, the same weighted by the classes' numbers of true items,
        or the F score of mean precision and mean recall (Takahashi et al. 2022,
        equations 1, 2 and 3). None gives an interval for each class. Of indicators "micro",
        "macro", "weighted", None, or "samples", the mean of the items' scores.
    pos_label : hashable, default 1
        The positive class if `average` is "binary".
    labels : sequence, optional
        The classes otherwise, in their order; by default those that occur. If these are only some
        of the classes, the score is that of these, and the others count where they are errors, as
        in scikit-learn. Of indicators the names or numbers of some columns, or new names of all.
    beta : float, default 1.0
        Weight of recall against precision.
    groups : sequence, optional
        What cluster each item belongs to (a patient, a document): items of one cluster
        may depend on one another. "score", "logit" and "delta" can take that into account, and
        "cautious" for the score of one class.
    sample_weight : None
        Not offered; an error says what to do instead.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts, of a class that is never true and never predicted or of
        an item without classes. By default an average leaves it out, and a warning says so.
    method : str, optional
        By default "score"; for averages over the classes of indicators "logit". See
        `f1_interval` for what "score", "cautious", "wilson_direct", "logit", "delta" and "blur"
        are, and for the names of Lam, Gopal and Qian: "wilson_indirect", "clopper_pearson" and
        "wald".
    confidence_level : float, default 0.95
        Nominal probability that the interval holds the true score.
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
        If the score is undefined; the message says which class is missing.
    SmallSampleWarning
        If a class of an average has fewer than three items that matter to its score.
    DegenerateVarianceWarning
        If the standard error is zero, and the method needs a positive error.

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
    level = _validation.confidence_level(confidence_level)
    constant = zero_division_of(zero_division)
    if average is not None:
        _validation.choice("average", average, _AVERAGES)
    if average not in ("binary", "macro_star") or are_indicators(y_true):
        data = class_counts(y_true, y_pred, labels, groups)
        score = _metrics.fbeta(beta)
        return interval_of_classes(data, score, average, constant, method, level, alternative)
    metric = (_metrics.fbeta if average == "binary" else _metrics.macro_star)(beta)
    named = {"y_true": y_true, "y_pred": y_pred}
    items = _counts.items_of(named, metric.binary, pos_label, labels, groups)
    sample = sample_of_items(metric, items)
    sample = sample._replace(estimate=np.nan_to_num(sample.estimate, nan=constant))
    return interval_of(sample, method, level, metric.name, items.classes, alternative=alternative)


def metric_interval(
    matrix: ArrayLike,
    metric: str | Metric,
    *,
    method: str | None = None,
    fixed: str | None = None,
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
        counts are random. For score limits of averages over classes; the standard error stays
        that of random counts.
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
    table = Matrix(_validation.matrices(metric, matrix))
    level = _validation.confidence_level(confidence_level)
    if fixed is not None:
        _validation.choice("fixed", fixed, ("rows",))
        if metric.parts is None:
            raise ValueError(f"fixed='rows' is for averages over classes, got {metric.name!r}")
        if method is not None:
            _validation.choice("method with fixed='rows'", method, ("score",))
    sample = sample_of(metric, table, fixed is not None)
    return interval_of(sample, method, level, metric.name, alternative=alternative)


# From labels to samples.


class ClassCounts(NamedTuple):
    """The classes of a test set, and how often a model was right about each.

    Attributes
    ----------
    classes : sequence
        The classes that are asked for, in their order.
    totals : ndarray, shape (classes, 3)
        TP, FP and FN by class.
    units : ndarray, shape (units, classes, 3)
        The same of each item or group, if an item may be of several classes; or of all once.
    items : Items or None
        The items, if each is of exactly one class. They may be of other classes, too: of one more
        class, the last.
    number : int
        How many items there are.
    grouped : bool
        True if the items came in groups.
    """

    classes: Classes
    totals: Array
    units: Array
    items: Items | None
    number: int
    grouped: bool


def class_counts(
    y_true: Labels, y_pred: Labels, labels: Classes | None, groups: Labels | None
) -> ClassCounts:
    """Return what labels or indicators say of the classes."""
    if not are_indicators(y_true):
        named = {"y_true": y_true, "y_pred": y_pred}
        items = _counts.items_of(named, False, None, labels, groups, others=True)
        return counts_of_items(items, labels)
    table, names = indicator_counts(y_true, y_pred, labels)
    _validation.at_least_two("items", len(table))
    units = table if groups is None else _counts.by_group(table, groups)
    return ClassCounts(names, table.sum(axis=0), units, None, len(table), groups is not None)


def counts_of_items(items: Items, classes: Classes | None = None) -> ClassCounts:
    """Return what items say of some classes, the first ones, or of all."""
    wanted = list(items.classes if classes is None else classes)
    units, number = items._replace(groups=None).by_group(), int(items.counts.sum())
    units = units[:, : len(wanted)]
    return ClassCounts(wanted, units[0], units, items, number, items.groups is not None)


def zero_division_of(value: float) -> float:
    """Return 0, 1 or nan: what an undefined score counts."""
    if not isinstance(value, (int, float, np.number)) or not (value in (0, 1) or value != value):
        raise ValueError(f"zero_division must be 0, 1 or nan, got {_validation.short(value)}")
    return float(value)


def refuse_weights(sample_weight: object) -> None:
    """Refuse weights of items: what they do to the standard error depends on what they mean."""
    if sample_weight is not None:
        raise TypeError(
            "sample_weight is not offered: repeat rows that stand for several items, pass groups= "
            "for items that belong together, and average scores of strata by hand; "
            f"got {_validation.short(sample_weight)}"
        )


def interval_of_classes(
    data: ClassCounts,
    score: Tversky,
    average: str | None,
    zero_division: float,
    method: str | None,
    level: float,
    alternative: str = "two-sided",
    quiet: bool = False,
) -> Interval:
    """Return the interval of a Tversky score of each class, or averaged over them.

    Without `quiet` a warning says what an average leaves out.
    """
    if data.items is None and average is not None:
        _validation.choice("average of indicators", average, clustered.AVERAGES)
    if average == "samples":
        share, (sample, left_out) = 1.0, _mean_over_items(data, score, zero_division)
    else:
        share, sample, left_out = _share_and_sample(data, score, average, zero_division)
    if left_out and not quiet:
        text = f"{score.name} is undefined for {left_out}, which the average leaves out"
        warn(f"{text}; zero_division=0 counts them as 0", UndefinedMetricWarning)
    name, each = score.name if average is None else f"{average}_{score.name}", average is None
    # The matrix may have one more class.
    classes = data.classes if each or data.items is None else data.items.classes
    # Nothing is known of an undefined score: only its estimate changes.
    sample = sample._replace(estimate=np.nan_to_num(sample.estimate, nan=zero_division))
    interval = interval_of(
        sample, method, level, name, classes, each, alternative=alternative, quiet=quiet
    )
    if share == 1.0:
        return interval
    rest = (1.0 - share) * zero_division
    ends = {name: share * getattr(interval, name) + rest for name in ("estimate", "low", "high")}
    return replace(interval, **ends, standard_error=share * interval.standard_error)


def _mean_over_items(data: ClassCounts, score: Tversky, zero_division: float) -> tuple[Sample, str]:
    """Return the sample of the mean of the items' scores, and how many items are left out."""
    if data.items is not None or data.grouped:
        needs = "needs indicators of shape (items, classes) as labels, without groups"
        raise ValueError(f"average='samples' {needs}")
    scores = clustered.unit_scores(data.units, score)
    scores = np.where(np.isnan(scores), zero_division, scores)
    known = ~np.isnan(scores)
    left_out = "" if known.all() else f"{np.sum(~known):,} items"
    return clustered.sample_of_scores([scores[known]]), left_out


def _share_and_sample(
    data: ClassCounts, score: Tversky, average: str | None, zero_division: float
) -> tuple[float, Sample, str]:
    """Return the share of the classes that have a score in an average, and their sample.

    Without `zero_division`, that is nan, the third result says which classes are left out.
    """
    chosen, share, left_out = np.arange(len(data.classes)), 1.0, ""
    true = data.totals[:, 0] + data.totals[:, 2]
    if average == "weighted" and not true.any():
        average = "macro"
    relevant = (data.totals * [1.0, score.a > 0.0, score.b > 0.0]).sum(axis=-1) > 0.0
    if average in ("macro", "weighted") and relevant.any() and not relevant.all():
        chosen = np.flatnonzero(relevant)
        if np.isnan(zero_division):
            rest = [data.classes[k] for k in np.flatnonzero(~relevant).tolist()]
            left_out = f"class {_validation.listing(rest, 3)}"
        else:
            weight = true if average == "weighted" else np.ones(len(true))
            share = weight[chosen].sum() / weight.sum()
    return share, _sample_of_classes(data, score, average, chosen), left_out


def _sample_of_classes(
    data: ClassCounts, score: Tversky, average: str | None, chosen: Codes
) -> Sample:
    """Return the sample of the classes at these places: of each, or of an average over them."""
    each, items = average is None, data.items
    single = items is not None and not each and len(chosen) == 1
    if items is None or (data.grouped and (each or single)):
        units = data.units if items is None else items.by_group()
        one = "micro" if single else average
        sample = clustered.sample_of_tables([units[:, chosen]], score, one)
        return sample._replace(mark="+groups") if data.grouped else sample
    if each or single:
        tp, fp, fn = data.totals[chosen[0] if single else chosen].T
        return sample_of_counts(score, (tp, fp, fn))
    places = tuple(chosen.tolist()) if len(chosen) < len(items.classes) else ()
    return sample_of_items(mean_of(str(average), score, places), items)
