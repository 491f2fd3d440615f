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

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._labels import Codes
from f1ci._limits import check
from f1ci.counts import Items, Matrix, items_of
from f1ci.methods import Method, delta, known, pick, quantile
from f1ci.methods.score import Sample, normal_quantile, sample_of
from f1ci.metrics import Metric
from f1ci.results import Array, Classes, JointIntervals, Labels

# In order of preference.
_KNOWN = ("cautious", "score", "logit", "delta", "blur")


def joint_intervals(
    y_true: Labels,
    predictions: Mapping[str, Labels],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
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
    metrics = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    resolved = [_metrics.get(metric) for metric in _validation.listed("metrics", metrics)]
    _validation.distinct("metrics", [metric.name for metric in resolved])
    chosen = [_chosen(metric, method, groups is not None) for metric in resolved]
    models, arrays = _validation.models(y_true, predictions)
    binary = any(metric.binary for metric in resolved)
    items = items_of(arrays, binary, pos_label, labels, groups)
    _validation.at_least_two("items", int(items.counts.sum()))
    # 1. Estimates and their covariance, as they are and with two more items in each true class.
    z, r = normal_quantile(level), len(items.classes)
    every = np.arange(len(models))
    model = np.repeat(every, len(resolved))  # of each row
    counts = np.zeros((len(models), r, r))
    np.add.at(counts, (every[:, None], items.codes[0], items.codes[1:]), items.counts)
    added = np.where(np.eye(r) > 0.0, 1.0, 1.0 / (r - 1.0))
    matrix, both = Matrix(counts), Matrix(np.stack([counts, counts + added]))
    values, influences = zip(*(metric.evaluate(both) for metric in resolved), strict=True)
    estimate = np.stack([value[0] for value in values], axis=-1).ravel()
    cells, smoothed = np.stack(influences, axis=2).reshape(2, len(estimate), r, r)
    covariance = delta.item_covariance(_of_items(cells, items, model), items.groups, items.counts)
    if method == "blur":
        # What the correction of Yuan & Jiang, choice II, adds to each variance.
        zero = np.zeros(len(models))
        samples = [Sample(metric, zero, zero, matrix=matrix) for metric in resolved]
        added_error = np.stack([delta.blurred(sample, z) for sample in samples], axis=-1)
        covariance = covariance + np.diag(added_error.ravel() ** 2)
    error = np.sqrt(np.diagonal(covariance))
    # 2. The quantile of the largest of the correlated variables.
    own = groups is None and method not in ("delta", "blur")
    correlated = covariance
    if own and method != "logit":
        correlated = _smoothed_covariance(smoothed, added, items, model)
    critical_value = _critical_value(correlated, level)
    # 3. Limits at z and at that quantile. Without it every row is degenerate.
    quantiles = np.array([[z], [z if np.isnan(critical_value) else critical_value]])
    ends = []
    for k, (metric, entry) in enumerate(zip(resolved, chosen, strict=True)):
        rows = slice(k, None, len(resolved))
        sample = Sample(metric, estimate[rows], error[rows], metric.range)
        ends.append(entry.limits(sample_of(metric, matrix) if own else sample, quantiles))
        if not np.all(sample.error > 0.0):
            check(sample, entry, metric.name, models)
    (low, joint_low), (high, joint_high) = np.moveaxis(np.array(ends), 0, -1).reshape(2, 2, -1)
    entries = chosen * len(models)
    return JointIntervals(
        classifiers=tuple(models[k] for k in model),
        metrics=tuple(metric.name for metric in resolved) * len(models),
        estimate=estimate,
        standard_error=error,
        low=joint_low,
        high=joint_high,
        individual_low=low,
        individual_high=high,
        critical_value=critical_value,
        covariance=covariance,
        degenerate=~(joint_high > joint_low),
        confidence_level=level,
        methods=tuple(entry.name + "+groups" * (groups is not None) for entry in entries),
    )


def _critical_value(covariance: Array, level: float) -> float:
    """Return how many standard errors joint intervals extend; nan if no estimate has a variance."""
    kept = np.diagonal(covariance) > 0.0
    if not kept.any():
        return np.nan
    # A left-out estimate stands for the first kept one: a copy does not change the maximum.
    source = np.where(kept, np.arange(len(kept)), kept.argmax())
    chosen = covariance[np.ix_(source, source)]
    scale = np.sqrt(np.diagonal(chosen))
    # Rounding must not make a correlation exceed 1, nor a diagonal differ from it.
    scaled = np.clip(chosen / np.outer(scale, scale), -1.0, 1.0)
    correlation = np.where(np.equal.outer(source, source), 1.0, scaled)
    return quantile.quantile_of(correlation, level, 1e-3)


def _of_items(cells: Array, items: Items, model: Codes) -> Array:
    """Return the influences (K, rows) of items."""
    rows = np.arange(len(cells))[:, None]
    return np.asarray(cells[rows, items.codes[0], items.codes[1:][model]])


def _smoothed_covariance(cells: Array, added: Array, items: Items, model: Codes) -> Array:
    """Return the covariance times n^2, with two more items in each true class.

    Every classifier gets half of them right, independently of the others, and takes the rest
    for any other class alike.
    """
    influence = _of_items(cells, items, model)
    by_class = (cells * added).sum(axis=-1)
    same = np.einsum("kij,lij,ij->kl", cells, cells, added)
    more = np.where(model[:, None] == model, same, by_class @ by_class.T / 2)
    return np.asarray((influence * items.counts) @ influence.T + more)


def _chosen(metric: Metric, method: str | None, grouped: bool) -> Method:
    names = ("logit", "delta") if grouped else _KNOWN
    fitting = known(metric)
    possible = {name: fitting[name] for name in names if name in fitting}
    if metric.index is None and metric.parts is None:
        possible.pop("score", None)  # not tried with joint quantiles
    what = "items in groups" if grouped else f"joint intervals of {metric.name!r}"
    return pick(method, possible, what)[1]
