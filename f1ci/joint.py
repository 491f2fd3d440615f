"""Joint intervals: several metrics of several classifiers on one test set.

The estimates are asymptotically normal together, with the covariance of the items' influences
(Yuan & Jiang 2025, proposition 1; see `f1ci.delta`) and the divisor n - 1 (their remark 2). The
joint intervals extend as many standard errors as the largest of so many correlated normal
variables reaches with the nominal probability.

When the method fails: in small samples, as the delta method does.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import counts, validation
from f1ci import metrics as _metrics
from f1ci.counts import group_codes
from f1ci.delta import ROUNDING, blur_variance, end_points, item_covariance, method_name
from f1ci.metrics import BinaryMetric, Metric
from f1ci.normal import equicoordinate_quantile, normal_quantile
from f1ci.results import DegenerateVarianceWarning, JointIntervals, UndefinedMetricWarning

__all__ = ["joint_critical_value", "joint_from_cells", "joint_intervals"]

# A float array. (Arithmetic on numpy arrays has type Any for mypy.)
Array: TypeAlias = Any


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
    >>> from f1ci.joint import joint_intervals
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
        covariance = item_covariance([row[code] for row in influence], group_codes(groups, labels))
    covariance = _finished_covariance(covariance, slopes, cells.sum(), level if blur else None)

    standard_error = np.sqrt(np.diagonal(covariance))
    degenerate = ~(standard_error > 0)
    rows = [(name, metric) for name, _ in pairs for metric in resolved]
    _warn_degenerate(rows, estimate, degenerate)
    critical_value = float(joint_critical_value(covariance, confidence_level=level))
    # Where every row is degenerate there is no critical value, and no length to multiply.
    joint_low, joint_high = end_points(
        estimate, standard_error, np.nan_to_num(critical_value), transform
    )
    low, high = end_points(estimate, standard_error, normal_quantile(level), transform)
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
        method=method_name(blur, transform, groups is not None),
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
    >>> from f1ci.joint import joint_from_cells
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
    >>> from f1ci.joint import joint_critical_value
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


# Kernels, on validated arguments.


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


def _finished_covariance(
    covariance: Array, slopes: Array, n: Array, blur_level: float | None
) -> Array:
    """Without the rounding of variances that are zero, and with the blur."""
    variance = n[..., None] * np.diagonal(covariance, axis1=-2, axis2=-1)
    kept = ~(variance <= ROUNDING * np.abs(slopes).sum(axis=0) ** 2)
    finished = np.where(kept[..., :, None] & kept[..., None, :], covariance, 0.0)
    if blur_level is not None:
        diagonal = np.arange(finished.shape[-1])
        finished[..., diagonal, diagonal] += blur_variance(slopes, n[..., None], blur_level)
    return finished


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
