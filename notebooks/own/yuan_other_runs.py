"""Fits of populations to printed numbers: which run do the numbers of a table come from? (`yuan`).

All test sets that a population can show are enumerated once, with their intervals. For a
population near it, expected coverages and lengths are the same sums with other weights, and no
interval is computed anew. `Enumerated` holds these test sets. `RuleFit` finds the recall and
precision that fit the six printed numbers of a rule, by chi-square.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from notebooks.shared import joint_coverage

Array = NDArray[np.float64]

# The standard deviation of a rounding error in the fourth digit.
ROUNDING = 1e-4 / np.sqrt(12)
# Less likely test sets weigh nothing in any population that is tried.
FAINT = 1e-11


def cells_of_rates(prevalence: float, recall: float, precision: float) -> Array:
    """Return TN, FP, FN and TP as probabilities."""
    tp = prevalence * recall
    fp = tp * (1 / precision - 1)
    return np.array([1 - prevalence - fp, fp, prevalence - tp, tp])


def rates(cells: ArrayLike) -> Array:
    """Return the prevalence, then recall and precision of each rule, of joint cells (..., 2**k)."""
    p = np.asarray(cells, dtype=np.float64)
    p = p / p.sum(axis=-1, keepdims=True)
    places = np.arange(p.shape[-1].bit_length() - 2, -1, -1)
    z, *answers = (np.arange(p.shape[-1]) >> places[:, None]) & 1
    values = [p @ z]
    for answer in answers:
        values += [p @ (z * answer) / (p @ z), p @ (z * answer) / (p @ answer)]
    return np.stack(values, axis=-1)


def standard_errors(
    printed: ArrayLike, mean: ArrayLike, deviation: ArrayLike, replicates: float
) -> Array:
    """Return how many standard errors, rounding included, printed numbers are off."""
    error = np.hypot(np.asarray(deviation) / np.sqrt(replicates), ROUNDING)
    found: Array = (np.asarray(printed) - np.asarray(mean)) / error
    return found


@dataclass(frozen=True)
class Enumerated:
    """All test sets of one rule, from a population `start`, and the intervals of each.

    Attributes
    ----------
    start : ndarray, shape (4,)
        TN, FP, FN, TP as probabilities.
    counts, probability : ndarray
        As `joint_coverage.tables` gives them.
    quantities : dict of ndarray
        As `joint_coverage.quantities` gives them, of one family called "rule".
    """

    start: Array
    counts: Array
    probability: Array
    quantities: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls, study: joint_coverage.Study, n: int, population: ArrayLike, *, least: float = 0.0
    ) -> Enumerated:
        """Enumerate test sets of size n, whose intervals should hold the population's values.

        Test sets whose probability is at most `least` are left out.
        """
        cells = np.asarray(population, dtype=np.float64)
        start = cells / cells.sum()
        counts, probability = joint_coverage.tables(n, start)
        likely = probability > least
        counts, probability = counts[likely], probability[likely]
        truth = joint_coverage.true_values(start, study.metrics)
        quantities = joint_coverage.quantities(study, counts, truth)
        return cls(start, counts.astype(float), probability, quantities)

    def values(self, keys: Iterable[str]) -> Array:
        """Return these quantities of every test set, shape (tests, keys)."""
        return np.column_stack([np.asarray(self.quantities[key], dtype=np.float64) for key in keys])

    def weights(self, cells: ArrayLike) -> tuple[Array, float]:
        """Return the test sets' probabilities under another population, and their sum before."""
        with np.errstate(divide="ignore"):
            change = self.counts @ (np.log(cells) - np.log(self.start))
        weight = self.probability * np.exp(change)
        total = float(weight.sum())
        return weight / total, total

    def moments(self, cells: ArrayLike, values: Array) -> tuple[Array, Array]:
        """Return means of `values` under another population, and their standard deviations."""
        weight, _ = self.weights(cells)
        mean: Array = weight @ values
        return mean, np.sqrt(np.maximum(weight @ np.square(values) - mean**2, 0.0))


class RuleFit:
    """The six printed numbers of one rule, with their expectations in populations near its own.

    Parameters
    ----------
    tables : Enumerated
        From the population of the rule's printed true values.
    keys : sequence of str
        The quantities that the printed numbers stand for, row by row: coverage, then length.
    printed : array_like, shape (6,)
    test_sets : sequence of int
        How many test sets each row is thought to have.
    """

    def __init__(
        self,
        tables: Enumerated,
        keys: Sequence[str],
        printed: ArrayLike,
        test_sets: Sequence[int],
    ) -> None:
        self.tables, self.keys = tables, list(keys)
        self.values = tables.values(keys)
        # The products of a covariance take long rows a third faster than long columns.
        self.long_rows = np.ascontiguousarray(self.values.T)
        self.printed = np.asarray(printed, dtype=np.float64)
        row = np.repeat(range(3), 2)
        self.sets = np.asarray(test_sets)[row]
        # The two numbers of one row come from the same test sets; rows are runs of their own.
        self.per_row = (row[:, None] == row) / self.sets
        _, fp, fn, tp = tables.start
        self.guess = np.array([tp / (tp + fn), tp / (tp + fp)])

    def expects(self, cells: ArrayLike) -> tuple[Array, Array]:
        """Return mean and covariance of the six numbers, rounding included."""
        weight, _ = self.tables.weights(cells)
        mean: Array = weight @ self.values
        centred = self.long_rows - mean[:, None]
        covariance = (centred * weight) @ centred.T
        return mean, covariance * self.per_row + np.eye(len(mean)) * ROUNDING**2

    def residuals(self, pair: ArrayLike, prevalence: float) -> Array:
        """Return six independent standardised differences, for recall and precision."""
        mean, covariance = self.expects(cells_of_rates(prevalence, *np.clip(pair, 0.01, 0.9999)))
        found: Array = np.linalg.solve(np.linalg.cholesky(covariance), self.printed - mean)
        return found

    def fit(
        self, prevalence: float, starts: Iterable[ArrayLike] | None = None
    ) -> tuple[Array, float]:
        """Return recall and precision with the least chi-square, and that chi-square."""
        steps = np.array([[0, 0], [-0.02, 0.003]])
        tried = [
            optimize.least_squares(
                self.residuals,
                start,
                args=(prevalence,),
                diff_step=1e-4,
                x_scale=[0.01, 0.01],
                xtol=1e-5,
                ftol=1e-4,
            )
            for start in (self.guess * (1 + steps) if starts is None else starts)
        ]
        best = min(tried, key=lambda one: one.cost)
        return best.x, float(2 * best.cost)

    def chi_square_at_start(self) -> float:
        """Return chi-square of the printed population itself, with nothing fitted."""
        mean, covariance = self.expects(self.tables.start)
        off = self.printed - mean
        return float(off @ np.linalg.solve(covariance, off))

    def as_one_run(self, prevalence: float, rows: Sequence[int], size: int) -> float:
        """Return the least chi-square if some rows came from the same `size` test sets."""
        separate = self.per_row
        row = np.repeat(range(3), 2)
        run = np.where(np.isin(row, rows), -1, row)
        self.per_row = (run[:, None] == run) / np.where(run == -1, size, self.sets)
        least = self.fit(prevalence)[1]
        self.per_row = separate
        return least
