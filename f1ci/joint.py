"""Joint intervals: several metrics of several classifiers on one test set.

The estimates are asymptotically normal together, with the covariance of the items' influences
(Yuan & Jiang 2025, proposition 1; see `f1ci.methods.delta`) and the divisor n - 1 (their remark 2).
Joint intervals of the delta method extend q standard errors, where q is the quantile of the largest
of so many correlated normal variables: then all of them hold at once with the nominal probability.

The same q serves any interval for one score that is built on a normal quantile z: q replaces z. So
the default takes the cautious limits of `f1ci.methods.score` at q, and the score limits of
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

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci.counts import Items, Matrix, items_of
from f1ci.methods import METHODS, Method, delta, known, pick, quantile
from f1ci.methods.samples import sample_of
from f1ci.methods.score import Sample, normal_quantile
from f1ci.metrics import Metric
from f1ci.results import (
    Array,
    DegenerateVarianceWarning,
    IntervalWarning,
    JointIntervals,
    UndefinedMetricWarning,
    warn,
)

# In order of preference.
_KNOWN = ("cautious", "score", "logit", "delta", "blur")


def joint_intervals(
    y_true: Any,
    predictions: Mapping[str, Any] | Iterable[tuple[str, Any]],
    metrics: Sequence[str | Metric],
    *,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
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
    metrics : sequence of str or Metric
        By name or as objects, for two classes, for many, or, with two classes, both.
    pos_label : hashable, optional
        The positive class of metrics for two classes.
    labels : sequence, optional
        The classes of metrics for many; by default those that occur in any of the sequences.
    groups : sequence, optional
        What cluster each item belongs to; see `f1_score_interval`. Needs "logit", the default
        then, or "delta".
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
        If a standard error is zero, and the method has no use for that.

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
    resolved = _resolved(metrics)
    chosen = [_chosen(metric, method, groups is not None) for metric in resolved]
    pairs = _predictions(predictions)
    named = {f"predictions[{_validation.short(name)}]": array for name, array in pairs}
    binary = any(metric.binary for metric in resolved)
    items = items_of({"y_true": y_true, **named}, binary, pos_label, labels, groups)
    _validation.at_least_two("items", int(items.counts.sum()))
    # 1. Estimates and their covariance.
    z = normal_quantile(level)
    models = np.stack([items.matrix(k).dense() for k in range(len(pairs))])
    matrix = Matrix(models)
    estimate, influence = _evaluated(matrix, items, resolved)
    covariance = delta.item_covariance(influence, items.groups, items.counts)
    if method == "blur":
        covariance = _blurred(covariance, matrix, resolved, z)
    error = np.sqrt(np.diagonal(covariance))
    # 2. The quantile of the largest of the correlated variables.
    own = groups is None and method not in ("delta", "blur")
    smoothed = own and method != "logit"
    correlated = _smoothed_covariance(models, items, resolved) if smoothed else covariance
    critical_value = float(_critical_values(correlated, level, 1e-3))
    # 3. Limits at z and at that quantile. Without it every row is degenerate.
    both = np.array([[z], [z if np.isnan(critical_value) else critical_value]])
    ends = []
    for k, (metric, entry) in enumerate(zip(resolved, chosen, strict=True)):
        rows = slice(k, None, len(resolved))
        sample = Sample(metric, estimate[rows], error[rows], metric.range)
        ends.append(entry.limits(sample_of(metric, matrix) if own else sample, both))
    (low, joint_low), (high, joint_high) = np.moveaxis(np.array(ends), 0, -1).reshape(2, 2, -1)
    names = [name for name, _ in pairs for _ in resolved]
    of, entries = resolved * len(pairs), chosen * len(pairs)
    _warn(names, of, entries, estimate, error)
    needs_error = np.array([entry.name in ("delta", "blur") for entry in entries])
    suffix = "" if groups is None else "+groups"
    return JointIntervals(
        classifiers=tuple(names),
        metrics=tuple(metric.name for metric in of),
        estimate=estimate,
        standard_error=error,
        low=joint_low,
        high=joint_high,
        individual_low=low,
        individual_high=high,
        critical_value=critical_value,
        covariance=covariance,
        degenerate=np.isnan(joint_low) | needs_error & ~(error > 0),
        confidence_level=level,
        methods=tuple(entry.name + suffix for entry in entries),
    )


def joint_critical_value(
    covariance: ArrayLike, *, confidence_level: float = 0.95, accuracy: float = 1e-3
) -> NDArray[np.float64]:
    """Return how many standard errors joint intervals extend, for one or more covariance matrices.

    Parameters
    ----------
    covariance : array_like, shape (..., K, K)
        Covariance matrices. Estimates whose variance is zero or undefined are left out.
    confidence_level : float, optional
        The nominal level.
    accuracy : float, optional
        See `equicoordinate_quantile`.

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
    array = np.asarray(covariance, dtype=np.float64)
    matrices = _validation.square("covariance", array, "(..., k, k)")
    level = _validation.confidence_level(confidence_level)
    return _critical_values(matrices, level, accuracy)


# Kernels, on validated arguments.


def _critical_values(matrices: Array, level: float, accuracy: float) -> Array:
    variance = np.diagonal(matrices, axis1=-2, axis2=-1)
    kept: NDArray[np.bool_] = variance > 0
    # A left-out estimate stands for the first kept one: a copy does not change the maximum.
    first = kept.argmax(axis=-1, keepdims=True)
    source = np.where(kept, np.arange(kept.shape[-1]), first)
    chosen = np.take_along_axis(matrices, source[..., :, None], axis=-2)
    chosen = np.take_along_axis(chosen, source[..., None, :], axis=-1)
    scale = np.sqrt(np.maximum(np.take_along_axis(variance, source, axis=-1), 0.0))
    possible = np.any(kept, axis=-1, keepdims=True)[..., 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        # Rounding must not make a correlation exceed 1, nor a diagonal differ from it.
        scaled = np.clip(chosen / (scale[..., :, None] * scale[..., None, :]), -1.0, 1.0)
    alike = (source[..., :, None] == source[..., None, :]) | ~possible[..., None, None]
    correlation = np.where(alike, 1.0, scaled)
    k = correlation.shape[-1]
    values = quantile.quantiles_of(correlation.reshape(-1, k, k), level, accuracy)
    return np.asarray(np.where(possible, values.reshape(possible.shape), np.nan))


def _evaluated(matrix: Matrix, items: Items, metrics: Sequence[Metric]) -> tuple[Array, Array]:
    """Return estimates (K,) and the influences (K, rows) of items on them, model by model."""
    true, *predicted = items.codes
    values, influences = zip(*(metric.evaluate(matrix) for metric in metrics), strict=True)
    rows = [cells[k][true, by] for k, by in enumerate(predicted) for cells in influences]
    return np.stack(values, axis=-1).reshape(-1), np.stack(rows)


def _blurred(covariance: Array, matrix: Matrix, metrics: Sequence[Any], z: float) -> Array:
    """Add to the variances what the correction of Yuan & Jiang, choice II, adds."""
    expectations = _metrics.positive_expectations(matrix)
    slopes = np.stack([np.stack(metric.partials(*expectations)) for metric in metrics], axis=-1)
    added = delta.blur_variance(slopes, matrix.total[:, None], z)
    return covariance + np.diag(added.reshape(-1))


def _smoothed_covariance(models: Array, items: Items, metrics: Sequence[Metric]) -> Array:
    """Return the covariance times n^2, with two more items in each true class.

    Every classifier gets half of them right, independently of the others, and takes the rest
    for any other class alike.
    """
    r = models.shape[-1]
    right = np.eye(r)
    added = right + (1.0 - right) / (r - 1.0)
    matrix = Matrix(models + added)
    _, influence = _evaluated(matrix, items, metrics)
    cells = np.stack([metric.evaluate(matrix)[1] for metric in metrics], axis=1)
    cells = cells.reshape(-1, r, r)
    by_class = (cells * added).sum(axis=-1)
    same = np.einsum("kij,lij,ij->kl", cells, cells, added)
    others = by_class @ by_class.T / 2
    classifier = np.repeat(np.arange(len(models)), len(metrics))
    covariance: Array = (influence * items.counts) @ influence.T
    covariance += np.where(classifier[:, None] == classifier, same, others)
    return covariance


def _chosen(metric: Metric, method: str | None, grouped: bool) -> Method:
    fitting = known(metric)
    possible = {name: METHODS[name] for name in _KNOWN if name in fitting}
    if metric.index is None and metric.parts is None:
        possible.pop("score", None)  # not tried with joint quantiles
    if grouped:
        possible = {name: METHODS[name] for name in ("logit", "delta")}
    what = "items in groups" if grouped else f"joint intervals of {metric.name!r}"
    return pick(method, possible, what)[1]


def _resolved(metrics: str | Metric | Sequence[str | Metric]) -> list[Metric]:
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    resolved = [_metrics.get(metric) for metric in _validation.listed("metrics", metrics)]
    _validation.distinct("metrics", [metric.name for metric in resolved])
    return resolved


def _predictions(value: Any) -> list[tuple[str, Any]]:
    """Return pairs of a classifier's name and its predicted labels; no name occurs twice."""
    try:
        pairs = [(name, array) for name, array in getattr(value, "items", lambda: value)()]
    except (TypeError, ValueError):
        shown = _validation.short(value)
        raise TypeError(
            f"predictions must map names of classifiers to predicted labels, got {shown}"
        ) from None
    for name, _ in pairs:
        if not isinstance(name, str):
            raise TypeError(f"names of classifiers must be text, got {_validation.short(name)}")
    _validation.distinct("names of classifiers", [name for name, _ in pairs])
    return pairs


def _warn(
    classifiers: Sequence[str],
    metrics: Sequence[Metric],
    methods: Sequence[Method],
    estimate: Array,
    error: Array,
) -> None:
    cases: dict[tuple[type[IntervalWarning], str], list[str]] = {}
    rows = zip(classifiers, metrics, methods, estimate, error, strict=True)
    for classifier, metric, method, value, deviation in rows:
        who = f"{metric.name} of {_validation.short(classifier)}"
        if np.isnan(value):
            case = UndefinedMetricWarning, "undefined, because a class does not occur"
            cases.setdefault(case, []).append(who)
        elif method.at_zero_error and deviation == 0.0:
            text = f"estimated with a standard error of zero, so that {method.at_zero_error}"
            cases.setdefault((DegenerateVarianceWarning, text), []).append(who)
    for (category, text), names in cases.items():
        warn(f"{_validation.first_few(names)}: {text}", category)
