"""The delta road: intervals for any smooth metric from one covariance formula.

With p the matrix of cell probabilities, estimated from n items by the observed
proportions, and g the gradient of a metric (see `f1ci.metrics`), the metric's estimate
is asymptotically normal with variance ``g' (diag(p) - p p') g / n`` (Takahashi et al.
2022, section 3; Jiang 2020, proposition 1; Yuan & Jiang 2025, proposition 1). The
published closed forms are special cases. Equivalently, an item of true class i and
predicted class j has influence ``g[i, j]``, and the covariance of two estimates, of
whatever metrics of whatever classifiers on the same items, is the covariance of their
items' influences over n.

Two conventions, after the papers: `metric_interval` and ungrouped labels divide by n
(the multinomial maximum likelihood of Takahashi et al.), `joint_intervals` and
`difference_interval` by n - 1 (Yuan & Jiang, remark 2). With ``groups=``, influences are
summed within each of the G groups, and the factor is G / (G - 1): groups of one item
each give back the divisor n - 1.

When the method fails: in small samples, near the borders of the metric's range, and
where the positive class is rare, the normal approximation is poor and the intervals are
too short or leave the range. An estimate at the border (no item right, or none wrong)
has standard error zero and an interval of length zero. ``blur=True`` (Yuan & Jiang,
choice II) adds to the variance of a binary metric what independent noise in E(ZA), EA
and EZ would add, and ``transform="logit"`` keeps the interval inside [0, 1]. With fewer
than a few dozen groups, the cluster-robust intervals are too short. For macro averages with
rare classes or scores near 0 or 1, `f1ci.classwise` (``method="wilson_indirect"`` and
``"clopper_pearson"``) covers much better than any of these.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from f1ci import classwise, counts, validation
from f1ci import metrics as _metrics
from f1ci.counts import group_codes
from f1ci.metrics import Metric
from f1ci.normal import normal_quantile
from f1ci.results import Interval, UndefinedMetricWarning, plain

__all__ = [
    "interval_from_labels",
    "metric_interval",
]

# A float array. (Arithmetic on numpy arrays has type Any for mypy.)
Array: TypeAlias = Any

# A variance this small next to the squared slopes is rounding, and is really zero: one
# differing item among n makes it about 1 / n, and rounding about 1e-31.
ROUNDING = 1e-28


def metric_interval(
    matrix: ArrayLike,
    metric: str | Metric,
    *,
    method: str = "delta",
    blur: bool = False,
    transform: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval for a metric, from one or more confusion matrices.

    Parameters
    ----------
    matrix : array_like of int, shape (..., r, r)
        Counts; rows are true classes and columns predicted ones (scikit-learn's
        orientation; Takahashi et al. print the transpose). In a 2 x 2 matrix index 1
        is the positive class: ``[[tn, fp], [fn, tp]]``.
    metric : str or Metric
        A name, such as "f1" or "macro_f1", or an object, such as
        ``f1ci.metrics.fbeta(0.5)``.
    method : {"delta", "wilson_indirect", "clopper_pearson"}, optional
        The delta method; or an interval put together from those of the classes, which
        stays inside [0, 1] and holds with rare classes and near-perfect scores too, see
        `f1ci.classwise`. The latter two are for macro averages of F1, Jaccard, precision
        and recall, for these measures themselves, and for accuracy (the micro average).
    blur : bool, optional
        Add the correction of Yuan & Jiang, choice II, to the variance: the squared
        slopes by E(ZA), EA and EZ, summed, times z^2 / 2n. For binary metrics only. For
        accuracy this is six times the increment of the Agresti-Coull interval.
    transform : {None, "logit"}, optional
        Compute the interval on the logit scale, so that it stays inside [0, 1]; for
        metrics with that range only. An estimate of exactly 0 or 1 has no logit, and
        its interval is the whole of [0, 1].
    confidence_level : float, optional
        The nominal level.

    Returns
    -------
    Interval
        Floats for one matrix, arrays of shape (...) for a batch. The end points are
        not clipped to the metric's range. The standard error includes the blur.

    Warns
    -----
    UndefinedMetricWarning
        Where the metric is undefined; the message says which class is missing, and all
        four numbers are ``nan``.

    Examples
    --------
    The example of Takahashi et al. (2022), Table 1, with true classes in rows:

    >>> from f1ci.delta import metric_interval
    >>> interval = metric_interval([[2, 5, 0], [2, 70, 2], [2, 2, 15]], "macro_f1")
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.689 (0.562, 0.817)

    A perfect score is not known exactly, as the delta method has it:

    >>> perfect = [[10, 0, 0], [0, 10, 0], [0, 0, 10]]
    >>> low, high = metric_interval(perfect, "macro_f1", method="wilson_indirect")
    >>> print(f"({low:.3f}, {high:.3f})")
    (0.885, 1.000)
    """
    metric = _metrics.get(metric)
    table = _batch_innermost(validation.metric_matrix(validation.matrix(matrix), metric=metric))
    level = validation.confidence_level(confidence_level)
    _check_options(metric, method, blur=blur, transform=transform)
    estimate, influence = metric.evaluate(table)
    warn_undefined(metric, table, estimate)
    variance = _matrix_variance(table, influence)
    if method != "delta":
        return _from_classes(metric, table, estimate, variance, method, level)
    if blur:
        variance = variance + _matrix_blur(table, metric, level)
    return wrapped(estimate, variance, metric.name, level, blur=blur, transform=transform)


def interval_from_labels(
    y_true: Any,
    y_pred: Any,
    metric: str | Metric,
    *,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
    method: str = "delta",
    blur: bool = False,
    transform: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """`metric_interval` from labels, for items that are independent or come in groups.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels.
    metric : str or Metric
        A name or an object; see `metric_interval`.
    pos_label : hashable, optional
        The positive class of a binary metric.
    labels : sequence, optional
        The classes of a metric for many classes; by default those that occur.
    groups : sequence, optional
        What cluster each item belongs to (a patient, a document): items of one cluster
        may depend on one another, clusters may not.
    method, blur, transform, confidence_level
        See `metric_interval`. Groups need the delta method.

    Returns
    -------
    Interval
        See `metric_interval`.

    Examples
    --------
    Each item three times over tells nothing new. Saying so gives an honest interval:

    >>> from f1ci.delta import interval_from_labels
    >>> y_true = [1, 1, 1, 0, 0, 1, 0, 1] * 3
    >>> y_pred = [1, 1, 0, 0, 1, 1, 0, 1] * 3
    >>> interval_from_labels(y_true, y_pred, "accuracy").length < 0.4
    True
    >>> interval_from_labels(y_true, y_pred, "accuracy", groups=[*range(8)] * 3).length > 0.6
    True
    """
    metric = _metrics.get(metric)
    level = validation.confidence_level(confidence_level)
    _check_options(metric, method, blur=blur, transform=transform, groups=groups)
    if groups is None:
        table, classes = _counted(y_true, y_pred, metric, pos_label, labels)
    else:
        codes, classes = encoded({"y_true": y_true, "y_pred": y_pred}, metric, pos_label, labels)
        table = table_of(codes[0], codes[1], len(classes))
    estimate, influence = metric.evaluate(table)
    warn_undefined(metric, table, estimate, classes)
    if groups is None:
        variance = _matrix_variance(table, influence)
    else:
        items = influence[codes[0], codes[1]]
        variance = item_covariance([items], group_codes(groups, codes))[0, 0]
    if method != "delta":
        return _from_classes(metric, table, estimate, variance, method, level)
    if blur:
        variance = variance + _matrix_blur(table, metric, level)
    return wrapped(
        estimate,
        variance,
        metric.name,
        level,
        blur=blur,
        transform=transform,
        clustered=groups is not None,
    )


def _check_options(metric: Metric, method: Any, **options: Any) -> None:
    """Options that go together."""
    validation.choice("method", method, ("delta", *classwise.METHODS))
    validation.delta_options(metric, blur=options["blur"], transform=options["transform"])
    if method != "delta":
        validation.classwise_options(metric, classwise.applies_to(metric), method=method, **options)


# Kernels, on validated arguments.


def _batch_innermost(table: Array) -> Array:
    """The same matrices, laid out so that sums over a few classes run along the batch.

    That makes intervals for a million small matrices more than twice as fast.
    """
    if table.ndim == 2:
        return table
    classes_first = np.ascontiguousarray(np.moveaxis(table, (-2, -1), (0, 1)))
    return np.moveaxis(classes_first, (0, 1), (-2, -1))


def _matrix_variance(table: Array, influence: Array) -> Array:
    """The variance of the estimate from each matrix, shape (...)."""
    n = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.einsum("...ij,...ij,...ij->...", table, influence, influence) / n
        scale = np.abs(influence).max(axis=(-2, -1))
        return np.where(variance <= ROUNDING * scale**2, 0.0, variance) / n


def _matrix_blur(table: Array, metric: Any, level: float) -> Array:
    """What `blur` adds to the variance of the estimate from each matrix, shape (...)."""
    n = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        expectations = _metrics.positive_expectations(table / n[..., None, None])
        return blur_variance(np.stack(metric.partials(*expectations)), n, level)


def blur_variance(slopes: Array, n: Array, level: float) -> Array:
    """D / n of Yuan & Jiang, remark 2, from slopes of shape (3, ...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return (slopes**2).sum(axis=0) * normal_quantile(level) ** 2 / (2 * n**2)


def item_covariance(rows: Sequence[Array], groups: NDArray[np.int64] | None) -> Array:
    """The covariance of the estimates from each item's influences, summed within groups."""
    n = len(rows[0])
    units = np.stack(
        list(rows) if groups is None else [np.bincount(groups, weights=row) for row in rows]
    )
    count = units.shape[1]
    return (units @ units.T) * (count / (count - 1) / n**2)


def end_points(
    estimate: Array, standard_error: Array, quantile: float, transform: str | None
) -> tuple[Array, Array]:
    if transform is None:
        half = quantile * standard_error
        return estimate - half, estimate + half
    border = np.minimum(estimate, 1 - estimate) < 1e-12
    inside = np.where(border, 0.5, estimate)
    centre, half = special.logit(inside), quantile * standard_error / (inside * (1 - inside))
    return (
        np.where(border, 0.0, special.expit(centre - half)),
        np.where(border, 1.0, special.expit(centre + half)),
    )


def wrapped(
    estimate: Array,
    variance: Array,
    metric: str,
    level: float,
    *,
    blur: bool = False,
    transform: str | None = None,
    clustered: bool = False,
) -> Interval:
    standard_error = np.sqrt(np.where(np.isnan(estimate), np.nan, variance))
    low, high = end_points(estimate, standard_error, normal_quantile(level), transform)
    return Interval(
        estimate=plain(estimate),
        low=plain(low),
        high=plain(high),
        standard_error=plain(standard_error),
        confidence_level=level,
        method=method_name(blur, transform, clustered),
        metric=metric,
    )


def _from_classes(
    metric: Metric, table: Array, estimate: Array, variance: Array, method: str, level: float
) -> Interval:
    """The interval from those of the classes, with the delta method's standard error."""
    low, high = classwise.intervals(metric, table, method, level)
    return Interval(
        estimate=plain(estimate),
        low=plain(low),
        high=plain(high),
        standard_error=plain(np.sqrt(np.where(np.isnan(estimate), np.nan, variance))),
        confidence_level=level,
        method=method,
        metric=metric.name,
    )


def method_name(blur: bool, transform: str | None, clustered: bool) -> str:
    parts = ["delta", "blur" if blur else "", transform or "", "groups" if clustered else ""]
    return "+".join(part for part in parts if part)


# From labels to codes.


def _counted(
    y_true: Any,
    y_pred: Any,
    metric: Metric,
    pos_label: Hashable,
    labels: Sequence[Hashable] | None,
) -> tuple[Array, list[Hashable]]:
    """The confusion matrix, in one pass over the labels, and the classes it is of."""
    if metric.binary:
        tp, fp, fn, tn = counts.binary_counts(y_true, y_pred, pos_label=pos_label)
        return np.array([[tn, fp], [fn, tp]], dtype=np.float64), ["negative", "positive"]
    table, classes = counts.confusion_matrix_and_classes(y_true, y_pred, labels=labels)
    validation.at_least_two("classes", len(classes))
    return table.astype(np.float64), classes


def encoded(
    arrays: Mapping[str, Any],
    metric: Metric,
    pos_label: Hashable,
    labels: Sequence[Hashable] | None,
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Codes of shape (len(arrays), n) and the classes they stand for."""
    if metric.binary:
        return counts.encode_binary(arrays, pos_label=pos_label), ["negative", "positive"]
    codes, classes = counts.encode(arrays, labels=labels)
    validation.at_least_two("classes", len(classes))
    return codes, classes


def table_of(true: NDArray[np.int64], predicted: NDArray[np.int64], r: int) -> Array:
    return np.bincount(true * r + predicted, minlength=r * r).reshape(r, r).astype(np.float64)


# Warnings.


def warn_undefined(
    metric: Metric, tables: Array, estimate: Array, classes: Sequence[Hashable] | None = None
) -> None:
    missing = np.isnan(estimate)
    if not missing.any():
        return
    undefined = np.argwhere(missing)
    where = ""
    if np.ndim(estimate):
        first = ", ".join(map(str, undefined[0]))
        where = f" for {len(undefined)} of {np.size(estimate)} matrices (the first at [{first}])"
    reason = _missing_classes(metric, tables[tuple(undefined[0])], classes)
    warnings.warn(
        f"{metric.name} is undefined{where}{reason}; nan was returned",
        UndefinedMetricWarning,
        stacklevel=3,
    )


def _missing_classes(metric: Metric, table: Array, classes: Sequence[Hashable] | None) -> str:
    """A clause that says which classes a matrix lacks."""
    if not table.any():
        return ", because the matrix is empty"
    if metric.binary:
        classes = ["negative", "positive"]
    names = list(range(len(table))) if classes is None else list(classes)
    parts = []
    for name, true, predicted in zip(names, table.sum(axis=1), table.sum(axis=0), strict=True):
        lacks = [word for word, n in (("true", true), ("predicted", predicted)) if not n]
        if lacks:
            parts.append(f"class {name!r} is never {' and never '.join(lacks)}")
    shown = ", ".join(parts[:3]) + (", ..." if len(parts) > 3 else "")
    return f", because {shown}" if shown else ""
