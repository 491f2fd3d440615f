"""Joint intervals: several metrics of several classifiers on one test set.

The estimates are asymptotically normal together, with the covariance of the items' influences
(Yuan & Jiang 2025, proposition 1; see `f1ci.methods.delta`) and the divisor n - 1 (their remark 2).
Joint intervals of the delta method extend q standard errors, where q is the quantile of the largest
of so many correlated normal variables: then all of them hold at once with the nominal probability.

The same q serves any interval for one score that is built on a normal quantile z: its limits at
q in the place of z. So the default takes the cautious limits of `f1ci.methods.score` at q, with one
difference. The correlations are those after adding two items to each true class, of which
every classifier gets half right, independently of the others (for two classes and two classifiers:
half an item in each of the eight joint cells): correlations of estimates without variance would
be undefined, and observed ones near 1 promise too much. That this holds is measured, not
proved: in small samples it covers the nominal level where the delta method covers as little as
nothing, see the book's page on joint intervals. Metrics that have no score limits
(correlation, lift, ...) get limits on the logit scale at the same q.

When the method fails: delta in small samples, as for one score; all of them where items depend
on one another and `groups` does not say so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._labels import Codes
from f1ci.counts import items_of
from f1ci.intervals import answer
from f1ci.methods import METHODS, Method, choose, delta
from f1ci.methods.quantile import equicoordinate_quantile, normal_quantile
from f1ci.metrics import ROUNDING, Metric, Question
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
    """Individual and joint intervals for several metrics of several classifiers.

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
        "cautious", the default for Tversky indices (F-beta, Jaccard, precision, recall), their
        averages over classes, macro_star and accuracy; "score", shorter, and in small samples
        below the level; "logit", the default for all other metrics; the papers' "delta" (choice I
        of Yuan & Jiang, remark 2) and, for metrics of two classes, "blur" (choice II).
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
    kinds = items_of({"y_true": y_true, **named}, binary, pos_label, labels, groups)
    cells, tables = kinds.counts, kinds.tables()
    _validation.at_least_two("items", int(cells.sum()))
    places = len(kinds.classes) * kinds.codes[0] + kinds.codes[1:]
    estimate, influence, by_cell = _evaluated(tables, places, resolved)
    covariance = _covariance(cells, influence, by_cell, kinds.groups)
    if method == "blur":
        covariance = _blurred(covariance, tables, resolved, level)
    own_limits = groups is None and method not in ("delta", "blur")
    compared = covariance
    if own_limits and method != "logit":
        compared = _smoothed_covariance(cells, tables, places, resolved)
    critical_value = float(joint_critical_value(compared, confidence_level=level))
    standard_error = np.sqrt(np.diagonal(covariance))
    names = [name for name, _ in pairs for _ in resolved]
    of, entries = resolved * len(pairs), chosen * len(pairs)
    table_of = tables.repeat(len(resolved), axis=0)
    rows = list(zip(names, of, entries, table_of, estimate, standard_error, strict=True))

    def limits(z: float) -> Array:
        # The level of one interval whose normal quantile this is.
        level_at = level if z == individual else float(1 - 2 * ndtr(-z))
        ends = [
            answer(metric, table, entry, level_at)[2:]
            if own_limits
            else entry.kernels[metric.kind](Question(metric, (), table, value, error, level_at, z))
            for _, metric, entry, table, value, error in rows
        ]
        return np.array(ends, dtype=np.float64).T

    individual = normal_quantile(level)
    own_low, own_high = limits(individual)
    # Where there is no critical value every row is degenerate, whatever it is multiplied with.
    low, high = limits(individual if np.isnan(critical_value) else critical_value)
    needs_error = np.array([entry.name in ("delta", "blur") for entry in entries])
    _warn(rows)
    suffix = "" if groups is None else "+groups"
    return JointIntervals(
        classifiers=tuple(names),
        metrics=tuple(metric.name for metric in of),
        estimate=estimate,
        standard_error=standard_error,
        low=low,
        high=high,
        individual_low=own_low,
        individual_high=own_high,
        critical_value=critical_value,
        covariance=covariance,
        degenerate=np.isnan(low) | needs_error & ~(standard_error > 0),
        confidence_level=level,
        methods=tuple(entry.name + suffix for entry in entries),
    )


def joint_from_cells(
    cells: ArrayLike,
    metrics: Sequence[str | Metric],
    *,
    method: str = "delta",
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
        Metrics for two classes.
    method : {"delta", "blur", "cautious"}, optional
        The covariance of choice I or of choice II of Yuan & Jiang, remark 2; or that with two
        more items in each class, whose correlations the cautious limits of `joint_intervals`
        (and its score limits) use.
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
    counted = _validation.counts("cells", cells)
    width = counted.shape[-1] if counted.ndim else 0
    legal = width > 3 and not width & (width - 1)
    _validation.shaped("cells", counted, legal, "(..., 2**(m + 1)) for m classifiers")
    _validation.choice("method", method, ("delta", "blur", "cautious"))
    level = _validation.confidence_level(confidence_level)
    resolved = _resolved(metrics)
    for metric in resolved:
        _validation.binary_metric(metric)
    digits = np.arange(width.bit_length() - 2, -1, -1)
    truth, *predictions = (np.arange(width) >> digits[:, None]) & 1
    places = 2 * truth + np.array(predictions)
    tables = _tables(counted, places, 2)
    estimate, influence, by_cell = _evaluated(tables, places, resolved)
    if method == "cautious":
        return estimate, _smoothed_covariance(counted, tables, places, resolved)
    covariance = _covariance(counted, influence, by_cell)
    if method == "blur":
        covariance = _blurred(covariance, tables, resolved, level)
    return estimate, covariance


def joint_critical_value(
    covariance: ArrayLike, *, confidence_level: float = 0.95, accuracy: float = 1e-4
) -> NDArray[np.float64]:
    """How many standard errors joint intervals extend, for one covariance matrix or many.

    Parameters
    ----------
    covariance : array_like, shape (..., K, K)
        Covariance matrices, as `joint_from_cells` gives them. Estimates whose variance is
        zero or undefined are left out.
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
    given = np.asarray(covariance, dtype=np.float64)
    matrices = _validation.square("covariance", given, "(..., k, k)")
    level = _validation.confidence_level(confidence_level)
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
    quantile = equicoordinate_quantile(correlation, level, accuracy=accuracy)
    return np.where(possible, quantile, np.nan)


# Kernels, on validated arguments.


def _tables(cells: Array, places: Codes, r: int) -> Array:
    """The confusion matrices of the classifiers, shape (..., m, r, r)."""
    flat = cells.reshape(-1, cells.shape[-1])
    start = r * r * np.arange(len(flat))[:, None]
    tables = [
        np.bincount((start + place).ravel(), weights=flat.ravel(), minlength=len(flat) * r * r)
        for place in places
    ]
    by_set = np.stack(tables, dtype=np.float64).reshape(len(places), len(flat), r, r).swapaxes(0, 1)
    return by_set.reshape(*cells.shape[:-1], len(places), r, r)


def _evaluated(
    tables: Array, places: Codes, metrics: Sequence[Metric]
) -> tuple[Array, Array, Array]:
    """Estimates (..., K), and influences by combination (..., K, cells) and by cell of a matrix."""
    each = [metric.evaluate(tables) for metric in metrics]
    values = np.stack([value for value, _ in each], axis=-1)
    gradients = np.stack([gradient for _, gradient in each], axis=-3)
    by_cell = gradients.reshape(*gradients.shape[:-2], -1)
    rows = [np.take(by_cell[..., i, :, :], place, axis=-1) for i, place in enumerate(places)]
    by_cell = by_cell.reshape(*values.shape[:-2], -1, by_cell.shape[-1])
    return values.reshape(*values.shape[:-2], -1), np.concatenate(rows, axis=-2), by_cell


def _covariance(
    cells: Array, influence: Array, by_cell: Array, groups: Codes | None = None
) -> Array:
    """The covariance of the estimates, with exact zeros for what is nothing but rounding."""
    covariance = delta.item_covariance(influence, groups, cells)
    variance = cells.sum(axis=-1)[..., None] * np.diagonal(covariance, axis1=-2, axis2=-1)
    kept: NDArray[np.bool_] = ~(
        variance <= ROUNDING * np.einsum("...c,...c->...", by_cell, by_cell)
    )
    return np.where(kept[..., :, None] & kept[..., None, :], covariance, 0.0)


def _blurred(covariance: Array, tables: Array, metrics: Sequence[Any], level: float) -> Array:
    """With what the correction of Yuan & Jiang, choice II, adds to the variances."""
    n = tables.sum(axis=(-2, -1))[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        expectations = _metrics.positive_expectations(tables / n[..., None])
        slopes = np.stack([np.stack(metric.partials(*expectations)) for metric in metrics], axis=-1)
    added = delta.blur_variance(slopes, n, normal_quantile(level)).reshape(covariance.shape[:-1])
    diagonal: Array = added[..., None] * np.eye(covariance.shape[-1])
    return covariance + diagonal


def _smoothed_covariance(
    cells: Array, tables: Array, places: Codes, metrics: Sequence[Metric]
) -> Array:
    """The covariance, but for a factor, with two more items in each true class.

    Every classifier gets half of them right, independently of the others, and takes the rest
    for any other class alike.
    """
    r = tables.shape[-1]
    right = np.eye(r)
    added = right + (1.0 - right) / (r - 1.0)
    _, influence, by_cell = _evaluated(tables + added, places, metrics)
    by_class = (by_cell.reshape(*by_cell.shape[:-1], r, r) * added).sum(axis=-1)
    covariance: Array = (influence * cells[..., None, :]) @ np.swapaxes(influence, -1, -2)
    same = (by_cell * added.reshape(-1)) @ np.swapaxes(by_cell, -1, -2)
    others = by_class @ np.swapaxes(by_class, -1, -2) / 2
    classifier = np.repeat(np.arange(len(places)), len(metrics))
    covariance += np.where(classifier[:, None] == classifier, same, others)
    return covariance


def _chosen(metric: Metric, method: str | None, grouped: bool) -> Method:
    known = {name: METHODS[name] for name in _KNOWN if METHODS[name].applies_to(metric)}
    if grouped:
        known = {name: known[name] for name in ("logit", "delta")}
    crowd = "items in groups" if grouped else f"joint intervals of {metric.name!r}"
    return choose(method, known, crowd)[1]


def _resolved(metrics: str | Metric | Sequence[str | Metric]) -> list[Metric]:
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    resolved = [_metrics.get(metric) for metric in _validation.listed("metrics", metrics)]
    _validation.distinct("metrics", [metric.name for metric in resolved])
    return resolved


def _predictions(value: Any) -> list[tuple[str, Any]]:
    """Pairs of a classifier's name and its predicted labels; no name occurs twice."""
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


def _warn(rows: Sequence[tuple[str, Metric, Method, Array, Any, Any]]) -> None:
    said: dict[tuple[type[IntervalWarning], str], list[str]] = {}
    for classifier, metric, method, _, value, error in rows:
        who = f"{metric.name} of {_validation.short(classifier)}"
        if np.isnan(value):
            case = UndefinedMetricWarning, "undefined, because a class does not occur"
            said.setdefault(case, []).append(who)
        elif method.border and error == 0.0:
            text = f"estimated with a standard error of zero, so that {method.border}"
            said.setdefault((DegenerateVarianceWarning, text), []).append(who)
    for (category, text), names in said.items():
        warn(f"{_validation.first_few(names)}: {text}", category)
