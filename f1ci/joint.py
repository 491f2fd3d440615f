"""Joint intervals: several metrics of several classifiers on one test set.

The estimates are asymptotically normal together, with the covariance of the items' influences
(Yuan & Jiang 2025, proposition 1; see `f1ci.methods.delta`) and the divisor n - 1 (their remark 2).
Joint intervals of the delta method extend q standard errors, where q is the quantile of the largest
of so many correlated normal variables: then all of them hold at once with the nominal probability.

The same q serves any interval for one score that is built on a normal quantile z: q replaces z. The
default is the cautious limits of `f1ci.methods.closed_form` at q where a score has such limits,
and score limits otherwise. There is one difference. The correlations are those after adding
two items to each true class, or to each stratum, of which every classifier gets half right,
independently of the others (for two classes and two classifiers: half an item in each of the eight
joint cells). Correlations of estimates without variance would be undefined, and observed ones near
1 promise too much. That this holds is measured, not proved: in small samples it covers the nominal
level where the delta method covers as little as nothing, see the book's page on joint intervals.

When the method fails: delta in small samples, as for one score; all of them where items depend
on one another and `groups` does not say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from f1ci import covariance
from f1ci import metrics as _metrics
from f1ci.answers import limits_of, with_unknown
from f1ci.data import checks
from f1ci.data.items import Items, cell_items
from f1ci.methods import METHODS, Method, delta, one_of, quantile
from f1ci.metrics import Metric
from f1ci.results import JointIntervals
from f1ci.samples import Sample, UnitSample, sample
from f1ci.types import Array, FloatOrArray

# What is asked of which model: its number, and a metric.
Row = tuple[int, Metric]


class JointRows:
    """Several scores, and how their estimates vary together, in one test set or in a batch of them.

    Parameters
    ----------
    samples : list of Sample
        The sample of each row: of a model and a metric.
    observed : ndarray, shape (K, K, ...)
        The covariance of their estimates, with the divisor n - 1.
    smoothed : ndarray, shape (K, K, ...), or None
        A multiple of the covariance after adding items; None if none are added.
    method : str or None
        The name of the method; None for the default of each score.
    level : float
        The confidence level, which "blur" depends on.

    Attributes
    ----------
    methods : list of Method
        The method of each row.
    estimate : ndarray, shape (K, ...)
        The estimates.
    covariance : ndarray, shape (K, K, ...)
        Their covariance; blurred for "blur".
    correlated : ndarray, shape (K, K, ...)
        A multiple of the covariance from whose correlations the critical value comes.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        observed: Array,
        smoothed: Array | None,
        method: str | None,
        level: float,
    ) -> None:
        self.samples = samples
        self.methods = [_method_of(one, method) for one in samples]
        self.estimate = np.array([one.counted for one in samples])
        self.covariance = observed.copy()
        if method == "blur":
            self._add_blur(delta.normal_quantile(level))
        by_error = method is not None and METHODS[method].by_error
        self.correlated = self.covariance if by_error or smoothed is None else smoothed

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
            if method.leaves_range:
                symmetric = partial(_symmetric, error=error, z=z)
                ends.append(with_unknown(one, symmetric))
            else:
                ends.append(limits_of(one, method, z))
        low = np.array([low for low, _ in ends])
        high = np.array([high for _, high in ends])
        return low, high

    def intervals(self, names: Sequence[str], level: float) -> JointIntervals:
        """Return individual and joint intervals; the rows are of models with these names."""
        z = delta.normal_quantile(level)
        value = float(critical_value(self.correlated, level))
        low, high = self.limits(z)
        # Without a critical value every row is degenerate.
        joint_low, joint_high = self.limits(z if np.isnan(value) else value)
        named = zip(self.methods, self.samples, strict=True)
        return JointIntervals(
            classifiers=tuple(names),
            metrics=tuple(one.metric.name for one in self.samples),
            estimate=self.estimate,
            standard_error=self.error,
            low=joint_low,
            high=joint_high,
            individual_low=low,
            individual_high=high,
            critical_value=value,
            covariance=self.covariance,
            degenerate=~(joint_high > joint_low),
            confidence_level=level,
            methods=tuple(entry.name + "+groups" * one.grouped for entry, one in named),
        )


def _symmetric(one: Sample, error: Array, z: FloatOrArray) -> tuple[Array, Array]:
    return delta.symmetric(one.estimate, error, z)


def covariances_of_items(items: Items, rows: Sequence[Row]) -> tuple[Array, Array]:
    """Return the covariance of estimates, and a multiple of it after adding items."""
    return covariance.observed(items, rows), covariance.smoothed(items, rows)


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
        See `f1ci.Labels.joint`.

    Returns
    -------
    JointRows
        Its arrays have the batch last. All metrics of the first model come first.

    Examples
    --------
    >>> from f1ci.joint import rows_of_cells
    >>> rows = rows_of_cells([40, 2, 3, 5, 4, 6, 8, 32], ["accuracy", "f1"])
    >>> rows.estimate.round(3)
    array([0.82 , 0.816, 0.81 , 0.8  ])
    """
    items = cell_items(checks.weights("cells", cells))
    level = checks.confidence_level(confidence_level)
    resolved = [_metrics.get(metric) for metric in metrics]
    rows = [(model, metric) for model in range(items.models) for metric in resolved]
    samples = [sample(metric, items.of_models(model)) for model, metric in rows]
    observed = covariance.observed(items, rows)
    smoothed = None
    if method is None or not METHODS[method].by_error:
        smoothed = covariance.smoothed(items, rows)
    return JointRows(samples, observed, smoothed, method, level)


def _method_of(one: Sample, name: str | None) -> Method:
    """Return the named method for one row of joint intervals, or the default: the longest."""
    serving = [method.name for method in METHODS.values() if method.serves(one)]
    if isinstance(one, UnitSample):  # score limits of units were not tried with a joint quantile
        serving = [served for served in serving if served != "score"]
    preferred = next(known for known in ("cautious", "score", "logit") if known in serving)
    what = "items in groups" if one.grouped else f"joint intervals of {one.metric.name!r}"
    return METHODS[preferred if name is None else one_of(name, serving, what)]


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
