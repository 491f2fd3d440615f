"""Jiang (2020): how large the variance of a Tversky index can be, and its exact distribution.

With weights a for false positives and b for false negatives, the variance nu of the index obeys
nu b E(Z) <= V, whatever the classifier. Jiang's V is V(max{a, b}); the best one is V(b) where
a <= b + u_o, which holds for every F-beta and for the Jaccard index (thm-jiang-sharp).
"""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import f1ci

Array = NDArray[np.float64]


def _worst_odds(m: float) -> float:
    """Return the u at which u (m + u)^2 / (1 + u)^4 is largest; tau_o of lem-jiang-v is 1 / (1 + u)."""
    return (3 - 3 * m + math.sqrt(9 * m * m - 14 * m + 9)) / 2


def _v(m: float) -> float:
    """Return the maximum V(m) of lem-jiang-v."""
    u = _worst_odds(m)
    return u * (m + u) ** 2 / (1 + u) ** 4


def jiang_bound(index: f1ci.metrics.Tversky) -> float:
    """Return V(max{a, b}), proposition 1 (ii) of the paper."""
    return _v(max(index.a, index.b))


def sharp_bound(index: f1ci.metrics.Tversky) -> float:
    """Return V(b), the best bound (thm-jiang-sharp), with which f1ci plans."""
    return f1ci.sample_size(index, half_width=0.5).variance_bound


def worst_rule(b: float) -> Array:
    """Return the table of the rule that attains `sharp_bound`: no false positive.

    It has u_o / b false negatives for each true positive; probabilities, true classes in rows, and
    as many true negatives as true positives.
    """
    table = np.array([[1.0, 0.0], [_worst_odds(b) / b, 1.0]])
    return np.asarray(table / table.sum())


def scaled_variance(index: f1ci.metrics.Tversky, rules: Array) -> Array:
    """Return nu b E(Z) for rules, as tables (..., 2, 2) of weights with true classes in rows."""
    rules = rules / rules.sum(axis=(-2, -1), keepdims=True)
    nu = (rules * index.gradient(rules) ** 2).sum(axis=(-2, -1))
    return np.asarray(nu * index.b * rules[..., 1, :].sum(axis=-1))


class Plan(NamedTuple):
    """How many positives, and how many items, a width needs."""

    positives: int
    total: int


def plan(bound: float, b: float, error: float, prevalence: float) -> Plan:
    """Return the sizes of corollary 2: bound / (b error^2) positives, rounded up."""
    positives = bound / b / error**2
    return Plan(*(math.ceil(x * (1 - 1e-12)) for x in (positives, positives / prevalence)))


def exact_intervals(
    n: int, cells: Array, index: f1ci.metrics.Metric, method: str, level: float
) -> tuple[f1ci.Interval, Array]:
    """Return the intervals of all tables with a relevant item, and the tables' probabilities.

    What is left out, of tables less likely than 1e-18, adds up to less than 1e-9.
    """
    blocks = list(f1ci.coverage.tables(n, cells, least=1e-18))
    every = np.concatenate([counts for counts, _ in blocks])
    probability = np.concatenate([weights for _, weights in blocks])
    defined = every.sum(axis=(1, 2)) > every[:, 0, 0]
    with warnings.catch_warnings():
        # Intervals without length, and undefined scores, are outcomes here.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = f1ci.Matrix(every[defined]).interval(
            index, method=method, confidence_level=level
        )
    return interval, probability[defined]
