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
from scipy import special, stats

import f1ci

__all__ = [
    "Plan",
    "exact_intervals",
    "jiang_bound",
    "likely_tables",
    "plan",
    "scaled_variance",
    "sharp_bound",
    "worst_rule",
]

Array = NDArray[np.float64]
LEFT_OUT = 1e-11  # probability that a sum over tables may leave out


def _worst_odds(m: float) -> float:
    """Return the u at which u (m + u)^2 / (1 + u)^4 is largest; tau_o of lem-jiang-v is 1 / (1 + u)."""
    return (3 - 3 * m + math.sqrt(9 * m * m - 14 * m + 9)) / 2


def _v(m: float) -> float:
    """Return the maximum V(m) of lem-jiang-v."""
    u = _worst_odds(m)
    return u * (m + u) ** 2 / (1 + u) ** 4


def jiang_bound(a: float, b: float) -> float:
    """Return V(max{a, b}), proposition 1 (ii) of the paper."""
    return _v(max(a, b))


def sharp_bound(a: float, b: float) -> float:
    """Return V(b), the best bound for a <= b + u_o (thm-jiang-sharp, part 1)."""
    if a > b + _worst_odds(b):
        raise ValueError(f"V(b) is a bound for a <= {b + _worst_odds(b):.3g} only, got a = {a}")
    return _v(b)


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


def likely_tables(n: int, cells: Array) -> tuple[NDArray[np.int64], Array]:
    """Return tables (tables, 2, 2) of n items, and probabilities that add up to 1 - 1e-11.

    1. Each of TP, FP and FN takes the values between its extreme quantiles.
    2. TN is what is left; tables with TN < 0 are dropped.
    3. The multinomial probability of each; those below 1e-18 are dropped.
    """
    (tn, fp, fn, tp) = cells.ravel()
    tail = LEFT_OUT / 6
    ranges = [
        np.arange(stats.binom.ppf(tail, n, p), stats.binom.isf(tail, n, p) + 1)
        for p in (tp, fp, fn)
    ]
    k = np.stack(np.meshgrid(*ranges, indexing="ij")).reshape(3, -1)
    k = np.vstack([k, n - k.sum(axis=0)])
    k = k[:, k[3] >= 0]
    log = special.gammaln(n + 1) - special.gammaln(k + 1).sum(axis=0)
    log += np.log([tp, fp, fn, tn]) @ k
    kept = log > np.log(1e-18)
    probability = np.exp(log[kept])
    if 1 - probability.sum() > 1e-9:
        raise ValueError(f"tables of {n} items: {1 - probability.sum():.1e} is left out")
    return np.moveaxis(k[:, kept][[3, 1, 2, 0]], 0, -1).reshape(-1, 2, 2).astype(
        np.int64
    ), probability


def exact_intervals(
    n: int, cells: Array, index: f1ci.metrics.Metric, method: str, level: float
) -> tuple[f1ci.Interval, Array]:
    """Return the intervals of all tables with a relevant item, and the tables' probabilities."""
    every, probability = likely_tables(n, cells)
    defined = every.sum(axis=(1, 2)) > every[:, 0, 0]
    every, probability = every[defined], probability[defined]
    with warnings.catch_warnings():
        # Intervals without length, and undefined scores, are outcomes here.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = f1ci.metric_interval(every, index, method=method, confidence_level=level)
    return interval, probability
