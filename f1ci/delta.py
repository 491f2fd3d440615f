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
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from f1ci import classwise, counts, validation
from f1ci import metrics as _metrics
from f1ci.metrics import BinaryMetric, Metric
from f1ci.normal import equicoordinate_quantile
from f1ci.results import (
    DegenerateVarianceWarning,
    Interval,
    JointIntervals,
    UndefinedMetricWarning,
    plain,
)

__all__ = [
    "difference_interval",
    "interval_from_labels",
    "joint_critical_value",
    "joint_from_cells",
    "joint_intervals",
    "metric_interval",
]

# A float array. (Arithmetic on numpy arrays has type Any for mypy.)
Array: TypeAlias = Any

# A variance this small next to the squared slopes is rounding, and is really zero: one
# differing item among n makes it about 1 / n, and rounding about 1e-31.
_ROUNDING = 1e-28


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
    _warn_undefined(metric, table, estimate)
    variance = _matrix_variance(table, influence)
    if method != "delta":
        return _from_classes(metric, table, estimate, variance, method, level)
    if blur:
        variance = variance + _matrix_blur(table, metric, level)
    return _interval(estimate, variance, metric.name, level, blur=blur, transform=transform)


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
        codes, classes = _encoded({"y_true": y_true, "y_pred": y_pred}, metric, pos_label, labels)
        table = _table(codes[0], codes[1], len(classes))
    estimate, influence = metric.evaluate(table)
    _warn_undefined(metric, table, estimate, classes)
    if groups is None:
        variance = _matrix_variance(table, influence)
    else:
        items = influence[codes[0], codes[1]]
        variance = _item_covariance([items], _group_codes(groups, codes))[0, 0]
    if method != "delta":
        return _from_classes(metric, table, estimate, variance, method, level)
    if blur:
        variance = variance + _matrix_blur(table, metric, level)
    return _interval(
        estimate,
        variance,
        metric.name,
        level,
        blur=blur,
        transform=transform,
        clustered=groups is not None,
    )


def difference_interval(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    metric: str | Metric,
    *,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval for how much better B is than A on the same items: metric(B) - metric(A).

    The two estimates are correlated, because the items are the same; the interval takes
    that into account, and is usually shorter than one for independent test sets.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : sequence
        True labels, and the labels that classifiers A and B predict.
    metric : str or Metric
        A name or an object, for two classes or many; see `metric_interval`.
    pos_label : hashable, optional
        The positive class of a binary metric.
    labels : sequence, optional
        The classes of a metric for many classes; by default those that occur in any
        of the three sequences.
    groups : sequence, optional
        What cluster each item belongs to; see `interval_from_labels`.
    confidence_level : float, optional
        The nominal level.

    Returns
    -------
    Interval
        Above 0 where B is better than A.

    Examples
    --------
    >>> from f1ci.delta import difference_interval
    >>> y_true = [1] * 50 + [0] * 50
    >>> a = [1] * 30 + [0] * 70
    >>> b = [1] * 40 + [0] * 60
    >>> interval = difference_interval(y_true, a, b, "f1")
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.139 (0.055, 0.223)
    """
    metric = _metrics.get(metric)
    level = validation.confidence_level(confidence_level)
    named = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    codes, classes = _encoded(named, metric, pos_label, labels)
    validation.at_least_two("items", codes.shape[1])
    tables = np.stack([_table(codes[0], predicted, len(classes)) for predicted in codes[1:]])
    estimates, influence = metric.evaluate(tables)
    _warn_undefined(metric, tables, estimates, classes)
    items = influence[1][codes[0], codes[2]] - influence[0][codes[0], codes[1]]
    group_codes = None if groups is None else _group_codes(groups, codes)
    variance = _item_covariance([items], group_codes)[0, 0]
    if len(items) * variance <= _ROUNDING * np.abs(influence).max() ** 2:
        variance = np.float64(0.0)
    return _interval(
        estimates[1] - estimates[0],
        variance,
        f"{metric.name} (B - A)",
        level,
        clustered=groups is not None,
    )


def joint_intervals(
    y_true: Any,
    predictions: Mapping[str, Any] | Iterable[tuple[str, Any]],
    metrics: Sequence[str | Metric],
    *,
    pos_label: Hashable = 1,
    blur: bool = True,
    groups: Any = None,
    transform: str | None = None,
    confidence_level: float = 0.95,
) -> JointIntervals:
    """Individual and joint intervals for several metrics of several binary classifiers.

    Yuan & Jiang (2025), proposition 1 and remark 2. The joint intervals extend q standard
    errors to each side, where q is the quantile of the largest of correlated standard
    normal variables: with probability `confidence_level` all of them hold at once, so any
    comparison read from them may be made after looking at the data.

    Parameters
    ----------
    y_true : sequence
        True labels.
    predictions : mapping of str to sequence
        The labels that each classifier predicts for the same items. A data frame with a
        column for each classifier will do.
    metrics : sequence of str or Metric
        Binary metrics, by name or as objects.
    pos_label : hashable, optional
        The positive class.
    blur : bool, optional
        Correct the variances as the authors recommend (choice II); ``False`` is their
        choice I. See `metric_interval`.
    groups : sequence, optional
        What cluster each item belongs to; see `interval_from_labels`.
    transform : {None, "logit"}, optional
        See `metric_interval`; for metrics with range [0, 1] only.
    confidence_level : float, optional
        The nominal level, of all joint intervals together and of each individual one.

    Returns
    -------
    JointIntervals
        One row for each classifier and metric. The correlation may be singular: two
        classifiers may be identical, and metrics functions of one another.

    Warns
    -----
    UndefinedMetricWarning
        If a metric is undefined for a classifier; its row is ``nan``.
    DegenerateVarianceWarning
        If a standard error is zero (without `blur` only): the interval has length zero.
        Rows of either kind are marked ``degenerate`` and left out of the critical value.

    Examples
    --------
    >>> from f1ci.delta import joint_intervals
    >>> y_true = [1] * 50 + [0] * 50
    >>> predictions = {"A": [1] * 40 + [0] * 60, "B": [1] * 70 + [0] * 30}
    >>> joint = joint_intervals(y_true, predictions, ["accuracy", "f1"])
    >>> print(f"q = {joint.critical_value:.2f}")
    q = 2.47
    >>> low, high = joint["A", "f1"]
    >>> print(f"{low:.2f}, {high:.2f}")
    0.76, 1.01
    """
    level = validation.confidence_level(confidence_level)
    resolved = _binary_metrics(metrics)
    for metric in resolved:
        validation.delta_options(metric, blur=blur, transform=transform)
    pairs = validation.predictions(predictions)
    arrays = {"y_true": y_true, **{f"predictions[{name!r}]": array for name, array in pairs}}
    labels = counts.encode_binary(arrays, pos_label=pos_label)
    validation.at_least_two("items", labels.shape[1])

    bits, code = _occupied_cells(labels)
    cells = np.bincount(code, minlength=len(bits)).astype(np.float64)
    estimate, influence, slopes = _joint_influence(cells, bits, resolved)
    if groups is None:
        covariance = _cell_covariance(cells, influence)
    else:
        covariance = _item_covariance(
            [row[code] for row in influence], _group_codes(groups, labels)
        )
    covariance = _finished_covariance(covariance, slopes, cells.sum(), level if blur else None)

    standard_error = np.sqrt(np.diagonal(covariance))
    degenerate = ~(standard_error > 0)
    rows = [(name, metric) for name, _ in pairs for metric in resolved]
    _warn_degenerate(rows, estimate, degenerate)
    critical_value = float(joint_critical_value(covariance, confidence_level=level))
    # Where every row is degenerate there is no critical value, and no length to multiply.
    joint_low, joint_high = _end_points(
        estimate, standard_error, np.nan_to_num(critical_value), transform
    )
    low, high = _end_points(estimate, standard_error, _normal_quantile(level), transform)
    return JointIntervals(
        classifiers=tuple(name for name, _ in rows),
        metrics=tuple(metric.name for _, metric in rows),
        estimate=estimate,
        standard_error=standard_error,
        low=joint_low,
        high=joint_high,
        individual_low=low,
        individual_high=high,
        critical_value=critical_value,
        covariance=covariance,
        degenerate=degenerate,
        confidence_level=level,
        method=_method(blur, transform, groups is not None),
    )


def joint_from_cells(
    cells: ArrayLike,
    metrics: Sequence[str | Metric],
    *,
    blur: bool = False,
    confidence_level: float = 0.95,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimates and their covariance from the joint outcomes of m binary classifiers.

    A test set enters the joint intervals only through how many items have each
    combination of truth and predictions, whatever its size; so a simulated test set is
    one multinomial draw, and a whole batch of them is one call.

    Parameters
    ----------
    cells : array_like of int, shape (..., 2**(m + 1))
        Counts. The index of a cell, in binary, reads Z A_1 ... A_m: with two
        classifiers, cell 6 = 0b110 holds the positive items that the first classifier
        finds and the second misses.
    metrics : sequence of str or Metric
        Binary metrics.
    blur : bool, optional
        Choice II instead of choice I; see `joint_intervals`.
    confidence_level : float, optional
        The nominal level; only the blur depends on it.

    Returns
    -------
    estimate : ndarray, shape (..., K)
        All metrics of the first classifier, then all of the second, and so on.
    covariance : ndarray, shape (..., K, K)
        The covariance matrix of the estimates (the papers' V over n). Undefined metrics
        have ``nan`` rows, and exact ones rows of exact zeros.

    See Also
    --------
    joint_critical_value : The batch of quantiles that goes with the covariances.

    Examples
    --------
    >>> import numpy as np
    >>> from f1ci.delta import joint_from_cells
    >>> estimate, covariance = joint_from_cells([50, 5, 4, 1, 6, 8, 9, 17], ["f1", "accuracy"])
    >>> np.round(estimate, 3)
    array([0.732, 0.81 , 0.704, 0.79 ])
    >>> covariance.shape
    (4, 4)
    """
    table = validation.joint_cells(cells)
    level = validation.confidence_level(confidence_level)
    resolved = _binary_metrics(metrics)
    for metric in resolved:
        validation.delta_options(metric, blur=blur, transform=None)
    width = table.shape[-1]
    places = np.arange(width.bit_length() - 2, -1, -1)
    bits = (np.arange(width)[:, None] >> places) & 1
    estimate, influence, slopes = _joint_influence(table, bits, resolved)
    covariance = _cell_covariance(table, influence)
    n = table.sum(axis=-1)
    return estimate, _finished_covariance(covariance, slopes, n, level if blur else None)


def joint_critical_value(
    covariance: ArrayLike, *, confidence_level: float = 0.95
) -> NDArray[np.float64]:
    """How many standard errors joint intervals extend, for one covariance matrix or many.

    Parameters
    ----------
    covariance : array_like, shape (..., K, K)
        Covariance matrices, as `joint_from_cells` gives them. Estimates whose variance is
        zero or undefined are left out.
    confidence_level : float, optional
        The nominal level.

    Returns
    -------
    ndarray, shape (...)
        ``nan`` where every estimate is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from f1ci.delta import joint_critical_value
    >>> print(np.round(joint_critical_value([[4.0, 0.0], [0.0, 9.0]]), 3))
    2.236
    """
    matrices = validation.covariance(covariance)
    level = validation.confidence_level(confidence_level)
    variance = np.diagonal(matrices, axis1=-2, axis2=-1)
    kept = np.asarray(variance > 0)
    # A left-out estimate stands for the first kept one: a copy does not change the maximum.
    first = kept.argmax(axis=-1, keepdims=True)
    source = np.where(kept, np.arange(kept.shape[-1]), first)
    chosen = np.take_along_axis(matrices, source[..., :, None], axis=-2)
    chosen = np.take_along_axis(chosen, source[..., None, :], axis=-1)
    scale = np.sqrt(np.take_along_axis(variance, source, axis=-1))
    possible = np.asarray(kept.any(axis=-1))
    scale = np.where(possible[..., None], scale, 1.0)
    correlation = np.where(
        possible[..., None, None], chosen / (scale[..., :, None] * scale[..., None, :]), 1.0
    )
    # Rounding must not make a correlation exceed 1, nor a diagonal differ from it.
    correlation = np.clip(correlation, -1.0, 1.0)
    same = source[..., :, None] == source[..., None, :]
    correlation = np.where(same, 1.0, correlation)
    return np.where(possible, equicoordinate_quantile(correlation, level), np.nan)


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
        return np.where(variance <= _ROUNDING * scale**2, 0.0, variance) / n


def _matrix_blur(table: Array, metric: Any, level: float) -> Array:
    """What `blur` adds to the variance of the estimate from each matrix, shape (...)."""
    n = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        expectations = _metrics.positive_expectations(table / n[..., None, None])
        return _blur(np.stack(metric.partials(*expectations)), n, level)


def _blur(slopes: Array, n: Array, level: float) -> Array:
    """D / n of Yuan & Jiang, remark 2, from slopes of shape (3, ...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return (slopes**2).sum(axis=0) * _normal_quantile(level) ** 2 / (2 * n**2)


def _joint_influence(
    cells: Array, bits: NDArray[np.int64], metrics: Sequence[BinaryMetric]
) -> tuple[Array, Array, Array]:
    """Estimates (..., K), their influence by cell (..., K, cells), slopes (3, ..., K)."""
    truth, predicted = bits[:, 0], bits[:, 1:]
    both = truth[:, None] * predicted
    with np.errstate(invalid="ignore", divide="ignore"):
        n = cells.sum(axis=-1)[..., None]
        eza, ea, ez = cells @ both / n, cells @ predicted / n, cells @ truth[:, None] / n
        weight = (cells / n)[..., None, :]
    ez = np.broadcast_to(ez, ea.shape)
    shape = (*ea.shape[:-1], ea.shape[-1] * len(metrics))
    values = np.stack([metric.at(eza, ea, ez) for metric in metrics], axis=-1)
    slopes = np.stack([np.stack(m.partials(eza, ea, ez)) for m in metrics], axis=-1)
    slopes = np.where(np.isnan(values), np.nan, slopes)
    influence = (
        slopes[0][..., None] * both.T[:, None, :]
        + slopes[1][..., None] * predicted.T[:, None, :]
        + slopes[2][..., None] * truth
    ).reshape(*shape, -1)
    influence = influence - (influence * weight).sum(axis=-1, keepdims=True)
    return values.reshape(shape), influence, slopes.reshape(3, *shape)


def _cell_covariance(cells: Array, influence: Array) -> Array:
    """The covariance of the estimates when items are independent."""
    n = cells.sum(axis=-1)[..., None, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        products = (influence * cells[..., None, :]) @ np.swapaxes(influence, -1, -2)
        return products / (n * (n - 1))


def _item_covariance(rows: Sequence[Array], groups: NDArray[np.int64] | None) -> Array:
    """The covariance of the estimates from each item's influences, summed within groups."""
    n = len(rows[0])
    units = np.stack(
        list(rows) if groups is None else [np.bincount(groups, weights=row) for row in rows]
    )
    count = units.shape[1]
    return (units @ units.T) * (count / (count - 1) / n**2)


def _finished_covariance(
    covariance: Array, slopes: Array, n: Array, blur_level: float | None
) -> Array:
    """Without the rounding of variances that are zero, and with the blur."""
    variance = n[..., None] * np.diagonal(covariance, axis1=-2, axis2=-1)
    kept = ~(variance <= _ROUNDING * np.abs(slopes).sum(axis=0) ** 2)
    finished = np.where(kept[..., :, None] & kept[..., None, :], covariance, 0.0)
    if blur_level is not None:
        diagonal = np.arange(finished.shape[-1])
        finished[..., diagonal, diagonal] += _blur(slopes, n[..., None], blur_level)
    return finished


def _end_points(
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


def _interval(
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
    low, high = _end_points(estimate, standard_error, _normal_quantile(level), transform)
    return Interval(
        estimate=plain(estimate),
        low=plain(low),
        high=plain(high),
        standard_error=plain(standard_error),
        confidence_level=level,
        method=_method(blur, transform, clustered),
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


def _method(blur: bool, transform: str | None, clustered: bool) -> str:
    parts = ["delta", "blur" if blur else "", transform or "", "groups" if clustered else ""]
    return "+".join(part for part in parts if part)


def _normal_quantile(level: float) -> float:
    return float(special.ndtri((1 + level) / 2))


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


def _encoded(
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


def _group_codes(groups: Any, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    encoded, names = counts.encode({"groups": groups})
    grouped: NDArray[np.int64] = encoded[0]
    validation.same_length(y_true=codes[0], groups=grouped)
    validation.at_least_two("groups", len(names))
    return grouped


def _table(true: NDArray[np.int64], predicted: NDArray[np.int64], r: int) -> Array:
    return np.bincount(true * r + predicted, minlength=r * r).reshape(r, r).astype(np.float64)


def _occupied_cells(labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct columns of a 0/1 array, in rows, and which of them each column is."""
    code = labels[0]
    for row in labels[1:]:
        # Renumbered at each step, so that any number of classifiers fits a table.
        code = 2 * code + row
        present = np.zeros(code.max() + 1, dtype=bool)
        present[code] = True
        code = (np.cumsum(present) - 1)[code]
    example = np.empty(code.max() + 1, dtype=np.intp)
    example[code] = np.arange(code.size)
    return labels[:, example].T, code


def _binary_metrics(metrics: str | Metric | Sequence[str | Metric]) -> list[BinaryMetric]:
    listed = (
        [metrics] if isinstance(metrics, (str, Metric)) else validation.listed("metrics", metrics)
    )
    resolved: list[Any] = [_metrics.get(metric) for metric in listed]
    for metric in resolved:
        validation.binary_metric(metric)
    validation.distinct("metrics", [metric.name for metric in resolved])
    return resolved


# Warnings.


def _warn_undefined(
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


def _warn_degenerate(
    rows: Sequence[tuple[str, Metric]], estimate: Array, degenerate: NDArray[np.bool_]
) -> None:
    undefined = np.isnan(estimate)
    length_zero = (
        "estimated with a standard error of zero, so that its interval has length zero "
        "(blur=True avoids this)"
    )
    for which, category, text in (
        (undefined, UndefinedMetricWarning, "undefined, because a class does not occur"),
        (degenerate & ~undefined, DegenerateVarianceWarning, length_zero),
    ):
        names = [f"{metric.name} of {name!r}" for k, (name, metric) in enumerate(rows) if which[k]]
        if names:
            warnings.warn(
                f"{', '.join(names)}: {text}; left out of the joint critical value",
                category,
                stacklevel=3,
            )
