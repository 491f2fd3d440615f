"""Joint intervals of several metrics of several classifiers, in simulated test sets.

A test set is a row of joint cells: how many items have each combination of truth and predictions.
The cell's index in binary reads Z A_1 ... A_m. Five kinds of limits share a critical value q:
delta, blur, logit, score and cautious.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from f1ci.coverage import covers
from f1ci.joint import JointRows, critical_value, rows_of_cells

Array: TypeAlias = NDArray[Any]
Generator: TypeAlias = np.random.Generator

# The methods of one line share the correlations from which the critical value comes.
SHARED = (("delta", "logit"), ("blur",), ("score", "cautious"))


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


def hold(rows: JointRows, q: Array | float, truth: Array) -> Array:
    """Say where all intervals hold; an undefined estimate without an interval does no harm."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = rows.limits(q)
    return np.asarray((covers(low, high, truth[:, None]) | np.isnan(low)).all(axis=0))


class JointCoverage(NamedTuple):
    """Joint coverage, mean length, and how often an end lies outside [0, 1]."""

    coverage: float
    length: float
    outside: float


def study(drawn: Array, metrics: Sequence[Any], truth: Array, level: float, lengths: int) -> Any:
    """Measure coverage of each method, and its length in the first `lengths` test sets.

    Limits widen with q, and q lies between z and Sidak's bound. The quantile is not computed if
    both bounds give the same answer.
    """
    # Each distinct test set once.
    cells, which = np.unique(drawn, axis=0, return_inverse=True)
    which = which.reshape(-1)
    rows_of = partial(rows_of_cells, metrics=metrics, confidence_level=level)
    found: dict[str, JointCoverage] = {}
    for methods in SHARED:
        found |= _methods(methods, rows_of, cells, which, truth, level, lengths)
    return found


def _methods(
    methods: Sequence[str],
    rows_of: Callable[..., JointRows],
    cells: Array,
    which: Array,
    truth: Array,
    level: float,
    lengths: int,
) -> dict[str, JointCoverage]:
    """Measure methods that share a critical value."""
    # 1. What is sure at z, and what is open between z and Sidak's bound.
    sure, needed = _sure_and_open(methods, rows_of, cells, truth, level)
    needed |= np.isin(np.arange(len(cells)), which[:lengths])
    # 2. Quantiles of the others.
    others = {method: rows_of(cells[needed], method=method) for method in methods}
    q = _quantiles(others[methods[0]], level)
    # 3. Coverage and length.
    place = (np.cumsum(needed) - 1)[which[:lengths]]
    found = {}
    for method, rows in others.items():
        sure[method][needed] = hold(rows, q, truth)
        found[method] = JointCoverage(float(sure[method][which].mean()), *_lengths(rows, q, place))
    return found


def _sure_and_open(
    methods: Sequence[str],
    rows_of: Callable[..., JointRows],
    cells: Array,
    truth: Array,
    level: float,
) -> tuple[dict[str, Array], Array]:
    """Say which test sets are covered at z already, and which are only at Sidak's bound."""
    sidak = float(ndtri((1 + level ** (1 / len(truth))) / 2))
    sure = {}
    is_open = np.zeros(len(cells), dtype=bool)
    for method in methods:
        rows = rows_of(cells, method=method)
        sure[method] = hold(rows, float(ndtri((1 + level) / 2)), truth)
        is_open |= hold(rows, sidak, truth) & ~sure[method]
    return sure, is_open


def _quantiles(rows: JointRows, level: float) -> Array:
    """Return critical values, and the normal quantile where no estimate has a variance.

    An error of .005 turns less than one test set in a thousand, and as many in as out.
    """
    exact = critical_value(rows.correlated, level, 5e-3)
    return np.where(np.isnan(exact), ndtri((1 + level) / 2), exact)


def _lengths(rows: JointRows, q: Array, place: Array) -> tuple[float, float]:
    """Return the mean length of some test sets, and how often an end lies outside [0, 1]."""
    low, high = (end[:, place] for end in rows.limits(q))
    outside = ((low < -1e-12) | (high > 1 + 1e-12)).any(axis=0)
    return float(np.nanmean(high - low)), float(outside.mean())


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
