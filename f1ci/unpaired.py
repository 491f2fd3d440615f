"""Compare two models that were tested on different items, or with a published score.

The two estimates are independent. So the limits of the difference are those of two independent
parts: with the score method the ellipse of `f1ci.methods.score` with correlation zero, with the
delta method the root of the sum of two squared standard errors. The p-value inverts the interval,
so the two never disagree: p is below 0.05 just if the 95 % interval does not hold zero.

Two models on the same items need `f1ci.difference_test`: it uses that the items are the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from f1ci import _validation
from f1ci import metrics as _metrics
from f1ci._limits import interval_of, level_of
from f1ci.compare import tail
from f1ci.counts import Matrix
from f1ci.methods import METHODS
from f1ci.methods.score import sample_of, sample_of_unpaired
from f1ci.metrics import Metric, Tversky
from f1ci.results import DifferenceTest

EQUAL = "the two models have the same score in their populations"


def unpaired_difference(
    matrix_a: ArrayLike,
    matrix_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> DifferenceTest:
    """Return an interval and a test for metric(B) - metric(A) of models on different items.

    Parameters
    ----------
    matrix_a, matrix_b : array_like of int, shape (r, r) or (3,)
        The confusion matrices of A and B; rows are true classes. For a binary metric
        ``[[tn, fp], [fn, tp]]``; for F scores, precision and recall also ``(tp, fp, fn)``, as a
        paper may print them.
    metric : str or Metric, default "f1"
        See `metric_interval`.
    method, confidence_level
        See `difference_interval`.

    Returns
    -------
    DifferenceTest
        Its p-value inverts the interval, and `discordant` is None.

    Examples
    --------
    BERT's counts on the suggestion-mining test set (Lam et al. 2024), and those of a model on a
    test set of its own:

    >>> import f1ci
    >>> print(f1ci.unpaired_difference([[702, 44], [10, 77]], [[1500, 60], [40, 180]]))
                p (score)
    difference       0.28
    f1 (B - A) = 0.042 (95 % CI -0.033 to 0.124, score)
    A and B are not distinguished
    """
    metric, level = _metrics.get(metric), level_of(confidence_level)
    named = {"matrix_a": matrix_a, "matrix_b": matrix_b}
    a, b = (sample_of(metric, _one_matrix(name, metric, m)) for name, m in named.items())
    sample = sample_of_unpaired(metric, a, b)
    lacking = " and ".join(name for name, x in (("A", a), ("B", b)) if np.isnan(x.estimate))
    reason = f" for {lacking}"
    interval = interval_of(sample, method, level, f"{metric.name} (B - A)", reason=reason)
    p = np.nan
    if not lacking:
        above = tail(sample, METHODS[interval.method].limits, 0.0)
        p = min(1.0, 2.0 * min(above, 1.0 - above))
    return DifferenceTest(interval, p, EQUAL, None, 0.0, None, None, interval.method, metric.name)


def _one_matrix(name: str, metric: Metric, value: ArrayLike) -> Matrix:
    table = np.asarray(_validation.counts(name, value))
    if table.shape == (3,) and isinstance(metric, Tversky):
        tp, fp, fn = table
        table = np.array([[0.0, fp], [fn, tp]])
    _validation.shaped(name, table, table.ndim == 2, "(r, r)")
    return Matrix(_validation.matrices(metric, table))
