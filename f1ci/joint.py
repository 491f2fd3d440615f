"""Joint intervals: several metrics of several classifiers on one test set.

The estimates are asymptotically normal together, with the covariance of the items' influences
(Yuan & Jiang 2025, proposition 1; see `f1ci.methods.delta`) and the divisor n - 1 (their remark 2).
Joint intervals of the delta method extend q standard errors, where q is the quantile of the largest
of so many correlated normal variables: then all of them hold at once with the nominal probability.

The same q serves any interval for one score that is built on a normal quantile z: q replaces z. So
the default takes the cautious limits of `f1ci.methods.closed_form` at q, and the score limits of
averages over classes, with one difference. The
correlations are those after adding two items to each true class, of which
every classifier gets half right, independently of the others (for two classes and two classifiers:
half an item in each of the eight joint cells): correlations of estimates without variance would
be undefined, and observed ones near 1 promise too much. That this holds is measured, not
proved: in small samples it covers the nominal level where the delta method covers as little as
nothing, see the book's page on joint intervals. Metrics that are not made of Tversky scores
(correlation, lift, ...) get limits on the logit scale at the same q.

When the method fails: delta in small samples, as for one score; all of them where items depend
on one another and `groups` does not say so.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation, covariance
from f1ci import metrics as _metrics
from f1ci._interval import Question, check
from f1ci._reading import with_classes, zero_division_of
from f1ci.data import Items, Matrix, binary_items, cell_items, class_items
from f1ci.methods import METHODS, Method, delta, one_of, quantile
from f1ci.metrics import ExpectationMetric, Metric
from f1ci.metrics.averages import MacroStar, Mean
from f1ci.metrics.base import expectations
from f1ci.results import Array, Classes, JointIntervals, Labels
from f1ci.samples import Sample, own_classes, sample

# In order of preference.
_KNOWN = ("cautious", "score", "logit", "delta", "blur")
_KNOWN_OF_GROUPS = ("logit", "delta")


def joint_intervals(
    y_true: Labels,
    predictions: Mapping[str, Labels],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
    zero_division: float = np.nan,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> JointIntervals:
    """Return individual and joint intervals for several metrics of several classifiers.

    With probability `confidence_level` all joint intervals hold at once, so any comparison read
    from them may be made after looking at the data (Yuan & Jiang 2025, proposition 1).

    Parameters
    ----------
    y_true : sequence
        True labels.
    predictions : mapping of str to sequence
        The labels that each classifier predicts for the same items. A data frame with a
        column for each classifier will do.
    metrics : str, Metric or sequence of these
        By name or as objects, for two classes, for many, or, with two classes, both.
    pos_label : hashable, optional
        The positive class of metrics for two classes.
    labels : sequence, optional
        The classes of metrics for many; by default those that occur in any of the sequences.
    groups : sequence, optional
        What cluster each item belongs to; see `f1_score_interval`. Needs "logit", the default
        then, or "delta".
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts in averages; see `score_interval`.
    method : str, optional
        "cautious", the default for Tversky indices (F-beta, Jaccard, precision, recall) and
        accuracy; "score", the default for averages over classes and macro_star, shorter, and in
        small samples below the level; "logit", the default for all other metrics; the papers'
        "delta" (choice I of Yuan & Jiang, remark 2) and, for metrics of two classes, "blur"
        (choice II).
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
        If a metric is undefined for a classifier: its estimate is ``nan``.
    DegenerateVarianceWarning
        If a standard error is zero, and the method needs a positive error.

    Examples
    --------
    >>> from f1ci.joint import joint_intervals
    >>> y_true = [1] * 50 + [0] * 50
    >>> predictions = {"A": [1] * 40 + [0] * 60, "B": [1] * 70 + [0] * 30}
    >>> joint = joint_intervals(y_true, predictions, ["accuracy", "f1"])
    >>> print(f"q = {joint.critical_value:.2f}")
    q = 2.35
    >>> low, high = joint["A", "f1"]
    >>> print(f"{low:.2f}, {high:.2f}")
    0.78, 0.96
    """
    level = _validation.confidence_level(confidence_level)
    models, arrays = _validation.models(y_true, predictions)
    items, resolved = _read(arrays, metrics, pos_label, labels, groups, zero_division)
    rows = [
        (model, own_classes(metric, items.of_models(model)))
        for model in range(len(models))
        for metric in resolved
    ]
    # 1. Each row's sample and method, and the covariance of the estimates.
    samples = [sample(metric, items.of_models(model)) for model, metric in rows]
    methods = [_method_of(one, method) for one in samples]
    z = delta.normal_quantile(level)
    covariances = covariance.observed(items, rows)
    if method == "blur":
        covariances = covariances + np.diag([_added_by_blur(one, z) for one in samples])
    # 2. The quantile of the largest of the correlated variables.
    smoothed = groups is None and method not in ("delta", "blur", "logit")
    correlated = covariance.smoothed(items, rows) if smoothed else covariances
    value = float(critical_value(correlated, level))
    # 3. Limits at z and at that quantile. Without it every row is degenerate.
    error = np.sqrt(np.diagonal(covariances))
    quantiles = np.array([z, z if np.isnan(value) else value])
    ends = [_ends(*row, quantiles) for row in zip(samples, methods, error, strict=True)]
    (low, joint_low), (high, joint_high) = np.moveaxis(np.array(ends), 0, -1)
    names = [(models[model], metric.name) for model, metric in rows]
    _warn(names, samples, methods, level)
    return JointIntervals(
        classifiers=tuple(model for model, _ in names),
        metrics=tuple(metric for _, metric in names),
        estimate=np.array([float(one.estimate) for one in samples]),
        standard_error=error,
        low=joint_low,
        high=joint_high,
        individual_low=low,
        individual_high=high,
        critical_value=value,
        covariance=covariances,
        degenerate=~(joint_high > joint_low),
        confidence_level=level,
        methods=tuple(entry.name + "+groups" * (groups is not None) for entry in methods),
    )


def _read(
    arrays: Mapping[str, Labels],
    metrics: str | Metric | Sequence[str | Metric],
    pos_label: Hashable,
    labels: Classes | None,
    groups: Labels | None,
    zero_division: float,
) -> tuple[Items, list[Metric]]:
    """Return the items, and the metrics with their rules for undefined classes."""
    named = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    resolved = [_metrics.get(metric) for metric in _validation.listed("metrics", named)]
    _validation.distinct("metrics", [metric.name for metric in resolved])
    if any(metric.binary for metric in resolved):
        items = binary_items(arrays, pos_label, groups)
    else:
        items = class_items(arrays, labels, groups)
    _validation.at_least_two("items", int(items.counts.sum()))
    constant = zero_division_of(zero_division)
    return items, [with_classes(metric, items, constant) for metric in resolved]


def _added_by_blur(one: Sample, z: float) -> float:
    """Return what the correction of Yuan & Jiang, choice II, adds to the variance."""
    return float(one.blurred_error(z) ** 2 - one.error**2)


def _warn(
    names: list[tuple[str, str]], samples: list[Sample], methods: list[Method], level: float
) -> None:
    """Warn of rows that are undefined or have a standard error of zero."""
    for (model, metric), one, method in zip(names, samples, methods, strict=True):
        if not one.error > 0.0:
            check(one, method, Question(f"{metric} of {model}", None, level))


def _method_of(one: Sample, name: str | None) -> Method:
    """Return the named method for one row of joint intervals, or the first that serves it."""
    known = _KNOWN_OF_GROUPS if one.grouped else _KNOWN
    serving = [known_name for known_name in known if METHODS[known_name].serves(one)]
    average = isinstance(one.metric, Mean | MacroStar)
    if "score" in serving and not one.has_cautious_limits and not average:
        serving.remove("score")  # not tried with joint quantiles
    what = "items in groups" if one.grouped else f"joint intervals of {one.metric.name!r}"
    return METHODS[serving[0] if name is None else one_of(name, serving, what)]


def _ends(one: Sample, method: Method, error: float, quantiles: Array) -> tuple[Array, Array]:
    """Return the lower and the upper limits of one row at the two quantiles."""
    if method.name in ("delta", "blur"):
        return delta.symmetric(one.estimate, np.asarray(error), quantiles)
    limits = [method.limits(one, float(z)) for z in quantiles]
    below, above = one.unknown
    low = np.array([float(low) for low, _ in limits]) - below
    high = np.array([float(high) for _, high in limits]) + above
    return low, high


def critical_value(covariances: ArrayLike, level: float, accuracy: float = 1e-3) -> Array:
    """Return how many standard errors joint intervals extend, for one or more covariances.

    Parameters
    ----------
    covariances : array_like, shape (K, K, ...)
        Covariances of the estimates. Estimates whose variance is zero or undefined are left out.
    level : float
        The probability that all intervals hold.
    accuracy : float, default 1e-3
        The largest error of the quantile.

    Returns
    -------
    ndarray, shape (...)
        ``nan`` where no estimate has a variance.
    """
    matrices = np.asarray(covariances, dtype=np.float64)
    flat = matrices.reshape(*matrices.shape[:2], -1)
    values = [_one_critical_value(flat[..., k], level, accuracy) for k in range(flat.shape[-1])]
    return np.reshape(values, matrices.shape[2:])


def _one_critical_value(matrix: Array, level: float, accuracy: float) -> float:
    """Return the critical value for one covariance matrix."""
    kept = np.diagonal(matrix) > 0.0
    if not kept.any():
        return np.nan
    # A left-out estimate stands for the first kept one: a copy does not change the maximum.
    source = np.where(kept, np.arange(len(kept)), kept.argmax())
    chosen = matrix[np.ix_(source, source)]
    scale = np.sqrt(np.diagonal(chosen))
    # Rounding must not make a correlation exceed 1, nor a diagonal differ from it.
    scaled = np.clip(chosen / np.outer(scale, scale), -1.0, 1.0)
    correlation = np.where(np.equal.outer(source, source), 1.0, scaled)
    return quantile.quantile_of(correlation, level, accuracy)


class CellEstimates(NamedTuple):
    """Estimates of several metrics of binary models, from their joint outcomes.

    Attributes
    ----------
    estimate : ndarray, shape (..., K)
        All metrics of the first model, then all of the second, and so on.
    covariance : ndarray, shape (..., K, K)
        The covariance of the estimates, choice I of Yuan & Jiang (2025), remark 2.
    blur : ndarray, shape (..., K)
        What choice II adds to the variances, divided by the square of the normal quantile.
    """

    estimate: Array
    covariance: Array
    blur: Array


def cell_estimates(cells: ArrayLike, metrics: Sequence[str | Metric]) -> CellEstimates:
    """Return estimates and covariances of many test sets, from joint outcomes of binary models.

    Parameters
    ----------
    cells : array_like, shape (..., 2**(m + 1))
        Counts. The index of a cell, in binary, reads Z A_1 ... A_m: with two models, cell 6 = 0b110
        holds the positive items that the first model finds and the second misses.
    metrics : sequence of str or Metric
        Metrics of two classes.

    Returns
    -------
    CellEstimates

    Examples
    --------
    >>> from f1ci.joint import cell_estimates
    >>> estimates = cell_estimates([40, 2, 3, 5, 4, 6, 8, 32], ["accuracy", "f1"])
    >>> estimates.estimate.round(3)
    array([0.82 , 0.816, 0.83 , 0.817])
    """
    items = cell_items(np.asarray(_validation.counts("cells", cells)))
    resolved = [_metrics.get(metric) for metric in metrics]
    rows = [(model, metric) for model in range(items.models) for metric in resolved]
    matrices = [items.matrix(model) for model in range(items.models)]
    estimate = np.array([metric.estimate(matrices[model]) for model, metric in rows])
    blur = np.array([_blur(metric, matrices[model]) for model, metric in rows])
    covariances = np.moveaxis(covariance.observed(items, rows), (0, 1), (-2, -1))
    return CellEstimates(np.moveaxis(estimate, 0, -1), covariances, np.moveaxis(blur, 0, -1))


def _blur(metric: Metric, matrix: Matrix) -> Array:
    """Return what choice II adds to the variance of a metric, divided by z^2."""
    if not isinstance(metric, ExpectationMetric):
        raise ValueError(f"joint cells are for metrics of two classes, got {metric.name!r}")
    eza, ea, ez = expectations(matrix)
    return delta.blur(metric, (eza[1], ea[1], ez[1]), matrix.total, 1.0)
