"""f1ci's limits for many simulated test sets at once, and tests of two models for many tables.

A public function of `f1ci` takes the labels of one comparison, or one confidence level for a whole
batch. A study of coverage needs thousands of comparisons, or a critical value for each test set.
This is the only module of the notebooks that knows what stands behind the public functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import f1ci
from f1ci.joint import joint_critical_value as joint_critical_value
from f1ci.joint import joint_from_cells as joint_from_cells
from f1ci.methods import delta, score

Array = NDArray[np.float64]
Limits = tuple[Array, Array]

_LIMITS = {"score": score.tversky_limits, "cautious": score.cautious_limits}


def tversky_limits(
    tp: Any, fp: Any, fn: Any, a: float, b: float, z: Any, method: str = "score"
) -> Limits:
    """Return limits of Tversky scores; the normal quantile z may differ from set to set."""
    return _LIMITS[method](tp, fp, fn, a, b, z)


def logit_limits(estimate: Array, error: Array, z: Any) -> Limits:
    """Return limits of the delta method on the logit scale, [0, 1] where the error is zero."""
    return delta.transformed(estimate, error, z, (0.0, 1.0))


def difference_limits(tables: Any, z: float, method: str = "score") -> Limits:
    """Return limits of B's F1 minus A's, for tables (..., truth, A, B) of counts."""
    return score.difference_limits(tables, f1ci.metrics.f1, z, limits=_LIMITS[method])


def labels(table: Any) -> tuple[NDArray[np.intp], ...]:
    """Return truth and both models' predictions of the items that a table (truth, A, B) counts."""
    return tuple(np.repeat(axis.ravel(), np.ravel(table)) for axis in np.indices(np.shape(table)))


def p_values(tables: Any, method: str = "exact") -> Array:
    """Return the p-value of `f1ci.difference_test` for F1, for each table (truth, A, B)."""
    found = []
    for table in tables:
        true, a, b = labels(table)
        found.append(f1ci.difference_test(true, a, b, "f1", method=method).p_value)
    return np.array(found)
