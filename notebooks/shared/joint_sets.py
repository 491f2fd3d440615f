"""Joint intervals of several metrics of several classifiers, in simulated test sets.

A test set is a row of joint cells: how many items have each combination of truth and predictions.
The cell's index in binary reads Z A_1 ... A_m. Five kinds of limits share a critical value q:
delta, blur, logit, score and cautious.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import f1ci

from . import kernels

Array: TypeAlias = NDArray[Any]
Generator: TypeAlias = np.random.Generator

# Which limits share a covariance.
SHARED = {"delta": ("delta", "logit"), "blur": ("blur",), "cautious": ("score", "cautious")}


def population(rules: int, prevalence: float, rate: float, agreement: float) -> Array:
    """Return probabilities of the joint cells.

    A share `agreement` of the items is hard or easy for all rules alike. On the other items each
    rule is right with probability `rate`, independently of the others.
    """
    bits = cell_bits(rules)
    hits = bits[:, 1:] == bits[:, :1]
    alone = np.where(hits, rate, 1 - rate).prod(axis=1)
    together = np.where(hits.all(axis=1), rate, 0.0) + np.where(~hits.any(axis=1), 1 - rate, 0.0)
    share = np.where(bits[:, 0] == 1, prevalence, 1 - prevalence)
    return np.asarray(share * (agreement * together + (1 - agreement) * alone))


def cell_bits(rules: int) -> Array:
    """Return truth and predictions of each joint cell, shape (cells, 1 + rules)."""
    return np.asarray((np.arange(2 ** (rules + 1))[:, None] >> np.arange(rules, -1, -1)) & 1)


class Counts(NamedTuple):
    """Counts of every classifier, each of shape (tests, rules); n of shape (tests, 1)."""

    tp: Array
    fp: Array
    fn: Array
    n: Array

    @classmethod
    def of(cls, cells: Array) -> Counts:
        """Count from joint cells, shape (tests, cells)."""
        bits = cell_bits(cells.shape[1].bit_length() - 2)
        true, predicted = bits[:, :1], bits[:, 1:]
        tp, fp, fn = (
            (cells @ x).astype(float)
            for x in (true * predicted, (1 - true) * predicted, true - true * predicted)
        )
        return cls(tp, fp, fn, cells.sum(axis=1, keepdims=True))


def limits(
    method: str, metric: Any, counts: Counts, estimate: Array, error: Array, q: Array
) -> Any:
    """Return limits of one metric of all classifiers, at a critical value q (tests, 1)."""
    tp, fp, fn, n = counts
    if method in ("score", "cautious"):
        if metric is f1ci.metrics.accuracy:
            return kernels.tversky_limits(n - fp - fn, fp + fn, 0.0 * fn, 1.0, 0.0, q, method)
        return kernels.tversky_limits(tp, fp, fn, metric.a, metric.b, q, method)
    if method == "logit":
        return kernels.logit_limits(estimate, error * np.sqrt((n - 1) / n), q)
    return estimate - q * error, estimate + q * error


@dataclass(frozen=True)
class Sets:
    """All intervals of some test sets by one method, at any critical values."""

    method: str
    counts: Counts
    metrics: Sequence[Any]
    estimate: Array
    covariance: Array

    def ends(self, q: Array, some: Array) -> tuple[Array, Array]:
        """Return both ends of all intervals of some test sets."""
        counts = Counts(*(n[some] for n in self.counts))
        estimate = self.estimate[some]
        error = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))[some]
        low, high = np.empty((2, *estimate.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            for i, metric in enumerate(self.metrics):
                own = np.s_[:, i :: len(self.metrics)]
                low[own], high[own] = limits(
                    self.method, metric, counts, estimate[own], error[own], np.asarray(q)[:, None]
                )
        return low, high

    def hold(self, q: Array, some: Array, truth: Array) -> Array:
        """Say where all intervals hold; an undefined estimate without an interval does no harm."""
        low, high = self.ends(q, some)
        inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        return np.asarray((inside | np.isnan(low)).all(axis=1))


class Found(NamedTuple):
    """Joint coverage, mean length, and how often an end lies outside [0, 1]."""

    coverage: float
    length: float
    outside: float


def study(drawn: Array, metrics: Sequence[Any], truth: Array, level: float, lengths: int) -> Any:
    """Measure coverage of each method, and its length in the first `lengths` test sets.

    Limits widen with q, and q lies between z and Sidak's bound. The quantile is not computed if
    both bounds give the same answer.
    """
    found = {}
    # 1. Each distinct test set once.
    cells, which = np.unique(drawn, axis=0, return_inverse=True)
    which = which.reshape(-1)
    measured, every, counts = which[:lengths], np.arange(len(cells)), Counts.of(cells)
    least = np.full(len(cells), ndtri((1 + level) / 2))
    most = np.full(len(cells), ndtri((1 + level ** (1 / len(truth))) / 2))
    for kind, methods in SHARED.items():
        estimate, covariance = kernels.joint_from_cells(
            cells, metrics, method=kind, confidence_level=level
        )
        sets = {m: Sets(m, counts, metrics, estimate, covariance) for m in methods}
        # 2. What is sure at z, and what is possible at Sidak's bound.
        sure = {m: each.hold(least, every, truth) for m, each in sets.items()}
        possible = {m: each.hold(most, every, truth) for m, each in sets.items()}
        needed = np.isin(every, measured)
        for m in sets:
            needed |= possible[m] & ~sure[m]
        # 3. Quantiles of the others. An error of .005 turns less than one test set in a thousand,
        #    and as many in as out.
        q = least.copy()
        exact = kernels.joint_critical_value(
            covariance[needed], confidence_level=level, accuracy=5e-3
        )
        q[needed] = np.where(np.isnan(exact), least[needed], exact)
        for m, each in sets.items():
            held = sure[m].copy()
            held[needed] = each.hold(q[needed], every[needed], truth)
            low, high = each.ends(q[measured], measured)
            outside = ((low < -1e-12) | (high > 1 + 1e-12)).any(axis=1)
            length = float(np.nanmean(high - low))
            found[m] = Found(float(held[which].mean()), length, float(outside.mean()))
    return found


# Labels of four classes


class Labels(NamedTuple):
    """Truth and the predictions of two classifiers, each of shape (tests, items)."""

    true: Array
    a: Array
    b: Array

    def matrices(self) -> list[Array]:
        """Return the confusion matrices (tests, 4, 4) of both classifiers."""
        row = 16 * np.arange(len(self.true))[:, None] + 4 * self.true
        return [
            np.bincount((row + x).ravel(), minlength=16 * len(self.true)).reshape(-1, 4, 4)
            for x in (self.a, self.b)
        ]


def draw_labels(
    shares: Array, n: int, rate: float, agreement: float, count: int, rng: Generator
) -> Labels:
    """Draw labels of n items and of two classifiers that are right with probability `rate`."""
    true = rng.choice(4, size=(count, n), p=shares)
    shared = rng.random((count, n)) < agreement
    luck = rng.random((2, count, n))
    luck = np.where(shared, luck[0], luck)
    wrong = (true + rng.integers(1, 4, size=(2, count, n))) % 4
    a, b = np.where(luck < rate, true, wrong)
    return Labels(true, a, b)
