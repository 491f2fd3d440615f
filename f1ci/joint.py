"""Joint intervals: several metrics of several classifiers on one test set.

The estimates are asymptotically normal together, with the covariance of the items' influences
(Yuan & Jiang 2025, proposition 1; see `f1ci.methods.delta`) and the divisor n - 1 (their remark 2).
Joint intervals of the delta method extend q standard errors, where q is the quantile of the largest
of so many correlated normal variables: then all of them hold at once with the nominal probability.

The same q serves any interval for one score that is built on a normal quantile z: q replaces z. The
default is the cautious limits of `f1ci.methods.closed_form` at q, and score limits for averages
over classes and for known shares. There is one difference. The correlations are those after adding
two items to each true class, or to each stratum, of which every classifier gets half right,
independently of the others (for two classes and two classifiers: half an item in each of the eight
joint cells). Correlations of estimates without variance would be undefined, and observed ones near
1 promise too much. That this holds is measured, not proved: in small samples it covers the nominal
level where the delta method covers as little as nothing, see the book's page on joint intervals.
Metrics that are not made of Tversky scores (correlation, lift, ...) get limits on the logit scale
at the same q.

When the method fails: delta in small samples, as for one score; all of them where items depend
on one another and `groups` does not say so.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation, covariance
from f1ci import metrics as _metrics
from f1ci._interval import Question, check, counted, limits_of, with_unknown
from f1ci._labels import are_indicators
from f1ci._reading import Population, strata_of, with_classes, zero_division_of
from f1ci.data import Items, binary_items, cell_items, class_items
from f1ci.methods import METHODS, Method, delta, one_of, quantile
from f1ci.metrics import Metric
from f1ci.metrics.averages import MacroStar, Mean
from f1ci.metrics.shares import KnownShares
from f1ci.results import JointIntervals
from f1ci.samples import Sample, sample
from f1ci.types import Array, Classes, FloatOrArray, LabelsLike

# In order of preference.
_KNOWN = ("cautious", "score", "logit", "delta", "blur")
_KNOWN_OF_GROUPS = ("logit", "delta")


def joint_intervals(
    y_true: LabelsLike,
    predictions: Mapping[str, LabelsLike],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: LabelsLike | None = None,
    zero_division: float = np.nan,
    class_shares: Mapping[Any, float] | None = None,
    strata: LabelsLike | None = None,
    stratum_shares: Mapping[Any, float] | None = None,
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
    class_shares, strata, stratum_shares : optional
        Known shares of the true classes, or of the strata that items were drawn from, where the
        scores are wanted; see `score_interval`. The default method is "score" then.
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
    population = Population(class_shares, strata, stratum_shares)
    constant = zero_division_of(zero_division)
    items, resolved = _read(arrays, metrics, pos_label, labels, groups, constant, population)
    rows = JointRows(items, resolved, method, level, constant)
    _warn(rows, models, level)
    return _intervals(rows, models, level)


def _intervals(rows: JointRows, models: Sequence[str], level: float) -> JointIntervals:
    """Return the individual and the joint intervals of rows."""
    z = delta.normal_quantile(level)
    value = float(critical_value(rows.correlated, level))
    low, high = rows.limits(z)
    # Without a critical value every row is degenerate.
    joint_low, joint_high = rows.limits(z if np.isnan(value) else value)
    named = zip(rows.methods, rows.samples, strict=True)
    return JointIntervals(
        classifiers=tuple(models[model] for model, _ in rows.questions),
        metrics=tuple(metric.name for _, metric in rows.questions),
        estimate=rows.estimate,
        standard_error=rows.error,
        low=joint_low,
        high=joint_high,
        individual_low=low,
        individual_high=high,
        critical_value=value,
        covariance=rows.covariance,
        degenerate=~(joint_high > joint_low),
        confidence_level=level,
        methods=tuple(entry.name + "+groups" * one.grouped for entry, one in named),
    )


def _warn(rows: JointRows, models: Sequence[str], level: float) -> None:
    """Warn of rows that are undefined or have no variance."""
    for (model, metric), one, entry in zip(rows.questions, rows.samples, rows.methods, strict=True):
        if not one.error > 0.0:
            name = f"{metric.name} of {models[model]}"
            check(one, entry, Question(name, None, level, constant=rows.constant))


class JointRows:
    """Several metrics of several models on the same items, in one test set or in a batch of them.

    Parameters
    ----------
    items : Items
        The items.
    metrics : sequence of Metric
        The metrics of every model.
    method : str or None
        The name of the method; None for the default of each metric.
    level : float
        The confidence level, which "blur" depends on.
    constant : float
        What an undefined score counts; nan if nothing.

    Attributes
    ----------
    questions : list of (int, Metric)
        The rows: the number of a model, and a metric.
    samples, methods : list
        The sample and the method of each row.
    estimate : ndarray, shape (K, ...)
        The estimates.
    covariance : ndarray, shape (K, K, ...)
        Their covariance, with the divisor n - 1; blurred for "blur".
    correlated : ndarray, shape (K, K, ...)
        A multiple of the covariance from whose correlations the critical value comes.
    """

    def __init__(
        self,
        items: Items,
        metrics: Sequence[Metric],
        method: str | None,
        level: float,
        constant: float = np.nan,
    ) -> None:
        models = [items.of_models(model) for model in range(items.models)]
        self.questions = [(model, metric) for model in range(items.models) for metric in metrics]
        self.samples = [sample(metric, models[model]) for model, metric in self.questions]
        self.methods = [_method_of(one, method) for one in self.samples]
        self.constant = constant
        self.estimate = np.array([counted(one, constant) for one in self.samples])
        self.covariance = covariance.observed(items, self.questions)
        if method == "blur":
            self._add_blur(delta.normal_quantile(level))
        self.correlated = self.covariance
        if items.groups is None and method not in ("delta", "blur", "logit"):
            self.correlated = covariance.smoothed(items, self.questions)

    def _add_blur(self, z: float) -> None:
        """Add to the variances what the blur adds to each."""
        for k, one in enumerate(self.samples):
            self.covariance[k, k] += one.blurred_error(z) ** 2 - one.error**2

    @property
    def error(self) -> Array:
        """The standard errors, shape (K, ...)."""
        variances = [self.covariance[k, k] for k in range(len(self.samples))]
        return np.asarray(np.sqrt(np.array(variances)))

    def limits(self, z: FloatOrArray) -> tuple[Array, Array]:
        """Return lower and upper limits (K, ...) at a normal quantile, or a critical value."""
        ends = []
        for one, method, error in zip(self.samples, self.methods, self.error, strict=True):
            if method.name in ("delta", "blur"):
                symmetric = delta.symmetric(one.estimate, error, z)
                ends.append(with_unknown(one, method, symmetric, self.constant))
            else:
                ends.append(limits_of(one, method, z, self.constant))
        low = np.array([low for low, _ in ends])
        high = np.array([high for _, high in ends])
        return low, high


def rows_of_cells(
    cells: ArrayLike,
    metrics: Sequence[str | Metric],
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> JointRows:
    """Return the rows of joint intervals of many test sets, from joint outcomes of binary models.

    Parameters
    ----------
    cells : array_like, shape (..., 2**(m + 1))
        Counts; fractions are legal. The index of a cell, in binary, reads Z A_1 ... A_m: with two
        models, cell 6 = 0b110 holds the positive items that the first finds and the second misses.
    metrics : sequence of str or Metric
        Metrics of two classes.
    method, confidence_level
        See `joint_intervals`.

    Returns
    -------
    JointRows
        Its arrays have the batch last.

    Examples
    --------
    >>> from f1ci.joint import rows_of_cells
    >>> rows = rows_of_cells([40, 2, 3, 5, 4, 6, 8, 32], ["accuracy", "f1"])
    >>> rows.estimate.round(3)
    array([0.82 , 0.816, 0.81 , 0.8  ])
    """
    items = cell_items(_validation.weights("cells", cells))
    resolved = [_metrics.get(metric) for metric in metrics]
    level = _validation.confidence_level(confidence_level)
    return JointRows(items, resolved, method, level)


def _read(
    arrays: Mapping[str, LabelsLike],
    metrics: str | Metric | Sequence[str | Metric],
    pos_label: Hashable,
    labels: Classes | None,
    groups: LabelsLike | None,
    constant: float,
    population: Population,
) -> tuple[Items, list[Metric]]:
    """Return the items, and the metrics with their rules for undefined classes."""
    named = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    resolved = [_metrics.get(metric) for metric in _validation.listed("metrics", named)]
    _validation.distinct("metrics", [metric.name for metric in resolved])
    if are_indicators(arrays["y_true"]):
        rule = "joint intervals take one label for each item, not indicators of several classes"
        raise ValueError(f"{rule}, got y_true={_validation.short(arrays['y_true'])}")
    known = strata_of(arrays["y_true"], population, groups)
    if any(metric.binary for metric in resolved):
        items = binary_items(arrays, pos_label, groups, known.codes)
    else:
        items = class_items(arrays, labels, groups, known.codes)
    _validation.at_least_two("items", int(items.counts.sum()))
    ruled = [with_classes(metric, items, constant) for metric in resolved]
    return known.marked(items), [known.in_population(metric) for metric in ruled]


def _method_of(one: Sample, name: str | None) -> Method:
    """Return the named method for one row of joint intervals, or the first that serves it."""
    known = _KNOWN_OF_GROUPS if one.grouped else _KNOWN
    serving = [known_name for known_name in known if METHODS[known_name].serves(one)]
    tried = isinstance(one.metric, Mean | MacroStar | KnownShares)
    if "score" in serving and not one.has_cautious_limits and not tried:
        serving.remove("score")  # not tried with joint quantiles
    what = "items in groups" if one.grouped else f"joint intervals of {one.metric.name!r}"
    return METHODS[serving[0] if name is None else one_of(name, serving, what)]


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
