"""Compare two models that were tested on different items, or with a published score.

The two estimates are independent. So the limits of the difference are those of two independent
parts: with the score method the ellipse of `f1ci.methods.averages` with correlation zero, with the
delta method the root of the sum of two squared standard errors. The p-value inverts the interval,
so the two never disagree: p is below 0.05 just if the 95 % interval does not hold zero.

Two models on the same items need `f1ci.difference_test`: it uses that the items are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _tables, _validation
from f1ci import metrics as _metrics
from f1ci.compare import tail
from f1ci.counts import Matrix
from f1ci.methods import choose
from f1ci.methods.averages import ellipse, sample_of
from f1ci.methods.score import Kernel, Limits, Sample, normal_quantile
from f1ci.metrics import Metric
from f1ci.results import FloatOrArray, Interval, Record, UndefinedMetricWarning, warn

__all__ = ["UnpairedTest", "unpaired_difference"]


@dataclass(frozen=True, slots=True)
class UnpairedTest(Record):
    """The difference of two models on different items.

    Attributes
    ----------
    interval : Interval
        The difference, B minus A, and its interval.
    p_value : float
        Two-sided, of the null hypothesis that both have the same score; it inverts the interval.
    """

    interval: Interval
    p_value: float

    def verdict(self, a: str = "A", b: str = "B") -> str:
        """Return what to conclude, in a sentence, at the interval's level."""
        if np.isnan(self.p_value):
            return f"{a} and {b} cannot be compared, because a score is undefined"
        if 0.0 in self.interval:
            return f"{a} and {b} are not distinguished"
        return f"{b} is {'better' if self.interval.estimate > 0.0 else 'worse'} than {a}"

    def _table(self) -> tuple[list[str], list[list[str]], list[str]]:
        return (
            ["", "p"],
            [["difference", _tables.p_value(self.p_value)]],
            [
                str(self.interval),
                self.verdict(),
            ],
        )


def unpaired_difference(
    matrix_a: ArrayLike,
    matrix_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> UnpairedTest:
    """Return an interval and a test for metric(B) - metric(A) of models on different items.

    Parameters
    ----------
    matrix_a, matrix_b : array_like of int, shape (r, r)
        The confusion matrices of A and B; rows are true classes. For a binary metric
        ``[[tn, fp], [fn, tp]]``; a score without true negatives takes 0 for them.
    metric : str or Metric, default "f1"
        See `metric_interval`.
    method, confidence_level
        See `difference_interval`.

    Returns
    -------
    UnpairedTest

    Examples
    --------
    BERT's counts on the suggestion-mining test set (Lam et al. 2024), and those of a model on a
    test set of its own:

    >>> import f1ci
    >>> print(f1ci.unpaired_difference([[702, 44], [10, 77]], [[1500, 60], [40, 180]]))
                   p
    difference  0.28
    f1 (B - A) = 0.042 (95 % CI -0.033 to 0.124, score)
    A and B are not distinguished
    """
    metric = _metrics.get(metric)
    level = _validation.confidence_level(confidence_level)
    a, b = (
        sample_of(metric, _one_matrix(name, metric, matrix))
        for name, matrix in (("matrix_a", matrix_a), ("matrix_b", matrix_b))
    )
    low, high = metric.range
    error = np.hypot(a.error, b.error)
    limits = None if a.limits is None or b.limits is None else _combined(a, b)
    sample = Sample(metric, b.estimate - a.estimate, error, (low - high, high - low), limits)
    chosen, entry = choose(method, sample)
    ends = [float(end) for end in entry.limits(sample, normal_quantile(level))]
    name = f"{metric.name} (B - A)"
    estimate = float(sample.estimate)
    interval = Interval(estimate, ends[0], ends[1], float(error), level, chosen, name)
    if np.isnan(estimate):
        lacking = " and ".join(n for n, x in (("A", a), ("B", b)) if np.isnan(x.estimate))
        text = f"{metric.name} is undefined for {lacking}; the difference is nan"
        warn(text, UndefinedMetricWarning)
        return UnpairedTest(interval, np.nan)
    above = tail(sample, entry.limits, 0.0)
    return UnpairedTest(interval, min(1.0, 2.0 * min(above, 1.0 - above)))


def _one_matrix(name: str, metric: Metric, value: ArrayLike) -> Matrix:
    table = np.asarray(_validation.counts(name, value))
    _validation.shaped(name, table, table.ndim == 2, "(r, r)")
    return Matrix(_validation.matrices(metric, table))


def _combined(a: Sample, b: Sample) -> Callable[[Kernel, FloatOrArray], Limits]:
    """Return limits of the difference of two independent samples."""

    def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
        assert a.limits is not None  # noqa: S101 - the caller asks
        assert b.limits is not None  # noqa: S101
        points = ellipse(np.zeros(()))  # their correlation is zero
        of_a, of_b = np.abs(points.by_a), np.abs(points.by_b)
        return points.extremes(a.limits(kernel, z * of_a), b.limits(kernel, z * of_b))

    return limits
