"""Intervals for one score: a door for each kind of data that one may hold.

`f1_interval` takes counts, `f1_score_interval` labels, `metric_interval` confusion matrices. All
turn their input into one table (TP, FP and FN, or a matrix), and then the same kernel of the same
method answers: the same question has the same answer through each, to the last bit. Which method
is which, and the default of each metric, says `f1ci.methods`.

What numbers do not show is said by warnings, all of them `f1ci.IntervalWarning`: a score
that is undefined, a standard error of zero, a class with fewer than three items that matter to
its score. (Over 27 designs with so few expected items the score intervals of averages cover
98 % on average instead of 95 %, and are long; the delta method covers 55 %.)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _validation, clustered
from f1ci import counts as _counts
from f1ci import metrics as _metrics
from f1ci._labels import are_indicators
from f1ci.methods import BY_KIND, Method, choose, delta, documented, exact, names
from f1ci.methods.quantile import normal_quantile
from f1ci.metrics import Metric, Question, count_moments
from f1ci.results import (
    Array,
    DegenerateVarianceWarning,
    Interval,
    SmallSampleWarning,
    UndefinedMetricWarning,
    as_scalar,
    warn,
)

Answer: TypeAlias = tuple[Array, Array, Array, Array]

# Counts per block: temporaries of 64 kB stay in the cache, and are small enough for the memory
# allocator to keep (it gives 128 kB back at once in a Dask worker, which takes half of the time).
_BLOCK = 1 << 13

_OF_F1 = {
    "binary": _metrics.f1,
    "micro": _metrics.micro_f1,
    "macro": _metrics.macro_f1,
    "weighted": _metrics.weighted_f1,
    "macro_star": _metrics.macro_f1_star,
}

# Fewer items than this that matter to the score of a class are too few.
FEW = 3

# The level of nearly every call.
_Z_95 = normal_quantile(0.95)


@documented("f1")
def f1_interval(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Confidence interval for the F1 score of a binary classifier, from its counts.

    Parameters
    ----------
    tp, fp, fn : int or array_like of int
        True positives, false positives and false negatives, up to 2**50 each.
        Arrays broadcast against each other.
    method : str, optional
        By default "score".

        {methods}
    confidence_level : float, default 0.95
        Nominal probability, between 0 and 1, that the interval holds the true score.

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
        Where the standard error is zero, and the method has no use for that.

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
    """
    level = _validation.confidence_level(confidence_level)
    table = (
        _validation.counts("tp", tp),
        _validation.counts("fp", fp),
        _validation.counts("fn", fn),
    )
    if table[0].ndim or table[1].ndim or table[2].ndim:
        _validation.broadcastable(tp=table[0], fp=table[1], fn=table[2])
    return _interval(_metrics.f1, table, method, level)


@documented("f1", "macro_star")
def f1_score_interval(
    y_true: Any,
    y_pred: Any,
    *,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    beta: float = 1.0,
    groups: Any = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Confidence interval for an F score, from true and predicted labels.

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
        The classes otherwise, in their order; by default those that occur. Of indicators the
        names of the columns.
    beta : float, default 1.0
        Weight of recall against precision.
    groups : sequence, optional
        What cluster each item belongs to (a patient, a document): items of one cluster
        may depend on one another. "score", "cautious", "logit" and "delta" can take that into
        account; for macro_star the latter two.
    method : str, optional
        By default "score". The names of the papers, and "wilson_direct", are for the F1 of one
        class, and "blur" is for one class.

        {methods}
    confidence_level : float, default 0.95
        Nominal probability that the interval holds the true score.

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
        If the standard error is zero, and the method has no use for that.

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
    if are_indicators(y_true):
        return _multilabel(y_true, y_pred, average, labels, beta, groups, method, confidence_level)
    each = average is None
    if average is None:
        average = "binary"
    if not isinstance(average, str) or average not in _OF_F1:
        _validation.choice("average", average, (*_OF_F1, "samples"))
        raise ValueError("average='samples' needs indicators of shape (items, classes) as labels")
    f1 = type(beta) in (int, float) and beta == 1.0
    metric: Any = _OF_F1[average] if f1 else _metrics.averaged(average, beta)
    level = _validation.confidence_level(confidence_level)
    binary = metric.binary and not each
    if groups is not None:
        named = {"y_true": y_true, "y_pred": y_pred}
        kinds = _counts.items_of(named, binary, pos_label, labels, groups)
        return items_interval(metric, kinds, method, level, each=each)
    if binary:
        _counts.refuse_labels(labels)
        tp, fp, fn, tn = _counts.binary_counts(y_true, y_pred, pos_label=pos_label)
        return _interval(metric, np.array([[tn, fp], [fn, tp]], dtype=np.float64), method, level)
    matrix, classes = _counts.confusion_matrix_and_classes(y_true, y_pred, labels=labels)
    table: Any = matrix.astype(np.float64)
    if each:
        right = np.diagonal(table)
        table = right, table.sum(axis=0) - right, table.sum(axis=1) - right
    elif len(classes) < 2:
        _validation.at_least_two("classes", len(classes), "an average over classes")
    return _interval(metric, table, method, level, classes, each)


@documented("tversky", "macro_star")
def metric_interval(
    matrix: ArrayLike,
    metric: str | Metric,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    r"""Interval for a metric, from one or more confusion matrices.

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
        By default "score" for Tversky indices (F-beta, Jaccard, precision, recall) and their
        averages over classes, for macro\* and accuracy, and "logit" for all other metrics.
        "f1" also knows the names of `f1_interval`.

        {methods}
    confidence_level : float, default 0.95
        The nominal level.

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
        Where the standard error is zero, and the method has no use for that.

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
    return _interval(metric, table, method, _validation.confidence_level(confidence_level))


# From tables to intervals, for validated arguments.


def answer(metric: Any, table: Any, method: Method, level: float) -> Answer:
    """Estimates, standard errors, lower and upper end points.

    The table is TP, FP and FN for a Tversky index, arrays that broadcast, or else one or more
    matrices.
    """
    z = _Z_95 if level == 0.95 else normal_quantile(level)
    counts: Any = ()
    matrix = None
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if metric.kind in ("f1", "tversky", "share"):
            counts = tp, fp, fn = _counted(metric, table)
            if max(tp.size, fp.size, fn.size) > _BLOCK:
                return _in_blocks(metric, counts, method, level)
            if metric.kind == "f1":
                estimate, error = exact.moments(tp, fp)
            else:
                weights = (1.0, 0.0) if metric.kind == "share" else (metric.a, metric.b)
                estimate, error = count_moments(*counts, *weights)
        elif table.ndim == 2:
            # As one of a batch: sums are taken in the same order, and have the same last bit.
            ends = answer(metric, np.stack([table, table]), method, level)
            return ends[0][0], ends[1][0], ends[2][0], ends[3][0]
        else:
            matrix = _batch_innermost(table)
            estimate, error = metric.moments(matrix)
        asked = Question(metric, counts, matrix, estimate, error, level, z)
        if method.error is not None:
            asked = asked._replace(error=method.error(asked))
        return (estimate, asked.error, *method.kernels[metric.kind](asked))


def _counted(metric: Any, table: Any) -> tuple[Array, Array, Array]:
    """TP, FP and FN, or what stands for them: see `Question`."""
    if isinstance(table, tuple):
        tp, fp, fn = table
    elif metric.kind == "share":
        tp = np.trace(table, axis1=-2, axis2=-1)
        fp, fn = table.sum(axis=(-2, -1)) - tp, _ZERO
    else:
        tp, fp, fn = table[..., 1, 1], table[..., 0, 1], table[..., 1, 0]
    alike = metric.kind == "share" or metric.a == metric.b
    return (tp, fp + fn, _ZERO) if alike else (tp, fp, fn)


_ZERO: Any = np.float64(0.0)  # faster than an array


def _in_blocks(metric: Metric, counts: Any, method: Method, level: float) -> Answer:
    arrays = np.broadcast_arrays(*counts)
    shape, flat = arrays[0].shape, [array.reshape(-1) for array in arrays]
    places: Any = slice(None)
    if method.costly:
        # Beta quantiles take far longer than a sort: equal counts are computed once.
        bases = [float(array.max(initial=0)) + 1.0 for array in flat]
        if np.prod(bases) < 2.0**53:
            keys = (flat[0] * bases[1] + flat[1]) * bases[2] + flat[2]
            _, first, places = np.unique(keys, return_index=True, return_inverse=True)
            flat, places = [array[first] for array in flat], places.reshape(-1)
    out = [np.empty(flat[0].size) for _ in range(4)]
    for start in range(0, flat[0].size, _BLOCK):
        block = slice(start, start + _BLOCK)
        answered = answer(metric, tuple(array[block] for array in flat), method, level)
        for row, values in zip(out, answered, strict=True):
            row[block] = values
    estimate, error, low, high = (row[places].reshape(shape) for row in out)
    return estimate, error, low, high


def _batch_innermost(table: Array) -> Array:
    """The same matrices, laid out so that sums over a few classes run along the batch.

    That makes intervals for a million small matrices more than twice as fast.
    """
    if table.ndim == 2:
        return np.ascontiguousarray(table)
    classes_first = np.ascontiguousarray(np.moveaxis(table, (-2, -1), (0, 1)))
    return np.moveaxis(classes_first, (0, 1), (-2, -1))


def _interval(
    metric: Metric, table: Any, method: Any, level: float, classes: Any = None, each: bool = False
) -> Interval:
    known = BY_KIND[metric.kind]
    if method is None:
        name, entry = next(iter(known.items()))
    else:
        fitting = {name: each for name, each in known.items() if each.applies_to(metric)}
        name, entry = choose(method, fitting, repr(metric.name))
    if not isinstance(table, tuple):
        table = _batch_innermost(table)  # here, so that the warnings profit as well
    estimate, error, low, high = map(as_scalar, answer(metric, table, entry, level))
    of = tuple(classes) if each else None
    found = Interval(estimate, low, high, error, level, name, metric.name, of)
    return _warned(found, metric, table, entry, classes)


def _multilabel(
    y_true: Any,
    y_pred: Any,
    average: Any,
    labels: Any,
    beta: Any,
    groups: Any,
    method: Any,
    level: Any,
) -> Interval:
    """The interval for indicators: items, or groups of them, are the units."""
    table, names = _counts.indicator_counts(y_true, y_pred, labels)
    metric = _metrics.fbeta(beta)
    if groups is not None:
        if average == "samples":
            raise ValueError("groups goes with pooled counts, got average='samples'")
        table = _counts.by_group(table, groups)
    found = clustered.clustered_interval(
        table, metric, average=average, method=method, confidence_level=level
    )
    mark = "" if groups is None else "+groups"
    of = tuple(names) if average is None else None
    return replace(found, method=found.method + mark, classes=of)


def items_interval(
    metric: Any, kinds: _counts.Items, method: str | None, level: float, *, each: bool = False
) -> Interval:
    """The interval for one model, from kinds of items; with `each` of every class."""
    (table,) = kinds.tables()
    if kinds.groups is None:
        return _interval(metric, table, method, level, kinds.classes)
    pooled = metric.kind in clustered.KINDS
    usable = clustered.METHODS if pooled else ("logit", "delta")
    known = {name: entry for name, entry in BY_KIND[metric.kind].items() if name in usable}
    name, entry = choose(method, known, f"{metric.name!r} of items in groups")
    z = normal_quantile(level)
    if pooled:
        estimate, low, high, error = clustered.of_kinds(metric, kinds, name, z, each=each)
    else:
        estimate, influence = metric.evaluate(table)
        moved = influence[tuple(kinds.codes)]
        variance = delta.item_covariance([moved], kinds.groups, kinds.counts)[0, 0]
        error = np.sqrt(np.where(np.isnan(estimate), np.nan, variance))
        asked = Question(metric, (), table, estimate, error, level, z)
        low, high = entry.kernels[metric.kind](asked)
    ends = as_scalar(estimate), as_scalar(low), as_scalar(high), as_scalar(error)
    of = tuple(kinds.classes) if each else None
    found = Interval(*ends, level, f"{name}+groups", metric.name, of)
    return _warned(found, metric, table, entry, kinds.classes)


# Warnings, all at the line that called a public function.


def _warned(found: Interval, metric: Any, table: Any, method: Method, classes: Any) -> Interval:
    """The same interval, and a warning of what its numbers do not show."""
    error: Any = found.standard_error
    of_classes = metric.kind in ("mean", "macro_star")
    ordinary = error > 0.0 if isinstance(error, float) else (error > 0.0).all()
    if ordinary and not of_classes:
        return found
    undefined, flat = np.isnan(np.asarray(found.estimate)), np.asarray(error) == 0.0
    where = partial(_where, classes=found.classes, counts=isinstance(table, tuple))
    if undefined.any():
        reason = "" if found.classes else missing_classes(metric, table, undefined, classes)
        text = f"{metric.name} is undefined{where(undefined)}{reason}; nan was returned"
        warn(text, UndefinedMetricWarning)
        flat &= ~undefined
    if method.border and flat.any():
        default = names(metric)[0]
        known = default == method.name
        advice = "collect more items" if known else f"method={default!r} avoids this"
        text = f"{metric.name} has a standard error of zero{where(flat)}, so that {method.border}"
        warn(f"{text}; {advice}", DegenerateVarianceWarning)
    if of_classes:
        _warn_few(metric, table, undefined, classes)
    return found


def _warn_few(metric: Any, table: Array, undefined: NDArray[np.bool_], classes: Any) -> None:
    index = metric.of if metric.kind == "mean" else metric
    true, predicted = table.sum(axis=-1), table.sum(axis=-2)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    items = right + (predicted - right) * (index.a > 0) + (true - right) * (index.b > 0)
    few = (items < FEW) & ~undefined[..., None]
    if metric.kind == "mean" and metric.weighted:
        few &= true > 0
    if few.any():
        some = few.any(axis=-1)
        first = few[tuple(np.argwhere(some)[0])]
        of = [classes[k] if classes else k for k in np.flatnonzero(first).tolist()]
        text = f"{metric.name}{_where(some)}: fewer than {FEW} items matter to the score of class"
        rest = "so that little is known of the average; collect more items of it, or leave it out"
        warn(f"{text} {_validation.listing(of, 3)}, {rest}", SmallSampleWarning)


def _where(which: Array, classes: Sequence[Hashable] | None = None, counts: bool = False) -> str:
    """Which of several tables, or of several classes."""
    if not which.ndim:
        return ""
    places = np.argwhere(which)
    if classes is not None:
        return f" for class {_validation.listing([classes[int(place[0])] for place in places], 3)}"
    first = ", ".join(map(str, places[0]))
    what = "counts" if counts else "matrices"
    return f" for {len(places)} of {which.size} {what} (the first at [{first}])"


def missing_classes(
    metric: Metric, table: Any, undefined: Array, classes: Sequence[Hashable] | None
) -> str:
    """A clause that says which classes the first undefined table lacks."""
    if isinstance(table, tuple):
        return ", because no item is relevant"
    matrix = table[tuple(np.argwhere(undefined)[0])] if undefined.ndim else table
    if not matrix.any():
        return ", because the matrix is empty"
    known = ["negative", "positive"] if metric.binary else classes or range(len(matrix))
    parts = []
    for name, true, predicted in zip(known, matrix.sum(axis=1), matrix.sum(axis=0), strict=True):
        lacks = [word for word, n in (("true", true), ("predicted", predicted)) if not n]
        if lacks:
            parts.append(f"class {_validation.short(name)} is never {' and never '.join(lacks)}")
    return f", because {_validation.first_few(parts)}" if parts else ""
