r"""Tests of whether two models score alike on the same items: kernels of `f1ci.pairs`.

**Exact test.** If A and B are exchangeable on every item (swapping their two predictions changes
the distribution of nothing), each item's pair may be swapped by the toss of a coin. Only items on
which they differ matter. Let there be n1 discordant positives and n0 discordant negatives. B is
right on k of the positives and wrong on j of the negatives. Under the coins k and j are
independent, Binomial(n1, 1/2) and Binomial(n0, 1/2), and everything else is fixed. So the p-value
is a sum over (n1 + 1)(n0 + 1) outcomes, without random numbers.

**Random swaps** do the same for any metric, and for whole groups of items.

Both order the outcomes by the difference of the scores over its standard error, which the delta
method takes from the swapped data. With the standard error the tests also hold their level, in
large samples, if only the two scores are equal (Janssen 1997; Chung and Romano 2013). Without it
they reject too often where the models find unlike shares of the positives.

Scores whose weights of errors are proportional order classifiers alike. F1 and Jaccard have one
hypothesis and one p-value: weights are scaled to the sum 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from f1ci.types import Array

__all__ = ["SwappedUnits", "exact_p_value", "random_swaps", "swapped_units"]

# Counts by cell (K, B) -> values (B,) and influences (K, B), of mean zero in each table.
Evaluate: TypeAlias = Callable[[Array], tuple[Array, Array]]

# Scores are at most 1, and their differences in floats wrong by less than this.
_NEAR_TIE = 1e-13

# Outcomes nearer to the observed one than this share of it are ties, which rounding has parted.
_TIES = 1e-10

# Outcomes of the exact test, and random swaps, are worked on in blocks of about so many numbers.
_BLOCK = 2_000_000


@dataclass(frozen=True)
class _Swaps:
    """What swapping pairs of predictions cannot change, for the score TP / (TP + a FP + b FN).

    Attributes
    ----------
    a, b : float
        The weights of false positives and false negatives.
    found, missed : float
        The positives that both models find, and those that both miss.
    wrong : float
        The negatives that both models take for positives.
    n1, n0 : int
        The discordant positives and the discordant negatives.
    """

    a: float
    b: float
    found: float
    missed: float
    wrong: float
    n1: int
    n0: int

    def score(self, tp: Array, fp: Array) -> tuple[Array, Array, Array, Array]:
        """Return a score, and what one more TP, FP and FN do to it."""
        fn = self.found + self.missed + self.n1 - tp
        D = tp + self.a * fp + self.b * fn
        D = np.where(D > 0.0, D, 1.0)
        F = tp / D
        return F, (1.0 - F) / D, -self.a * F / D, -self.b * F / D

    def statistic(self, k: Array, j: Array) -> Array:
        """Return B's score minus A's in standard errors if B is right on k and wrong on j."""
        score_a, tp_a, fp_a, fn_a = self.score(self.found + self.n1 - k, self.wrong + self.n0 - j)
        score_b, tp_b, fp_b, fn_b = self.score(self.found + k, self.wrong + j)
        # The squared influences on the difference: of items on which the models agree, ...
        agreed = self.found * (tp_b - tp_a) ** 2
        agreed = agreed + self.missed * (fn_b - fn_a) ** 2
        agreed = agreed + self.wrong * (fp_b - fp_a) ** 2
        # ... of discordant positives, and of discordant negatives.
        positives = k * (tp_b - fn_a) ** 2 + (self.n1 - k) * (fn_b - tp_a) ** 2
        negatives = j * fp_b**2 + (self.n0 - j) * fp_a**2
        return _in_errors(score_b - score_a, agreed + positives + negatives)

    def p_value(self, observed: float) -> float:
        """Return the probability of a statistic at least as far from 0 as the observed one.

        Of many outcomes only those count whose probability is not below 1e-19 in all.
        """
        least = 0.0 if (self.n1 + 1) * (self.n0 + 1) <= 2 * _BLOCK else 1e-19
        k, chance_k = _tosses(self.n1, least)
        j, chance_j = _tosses(self.n0, least)
        p = 0.0
        for block in np.array_split(np.arange(len(k)), 1 + len(k) * len(j) // _BLOCK):
            statistic = self.statistic(k[block, None], j)
            extreme = np.abs(statistic) >= observed * (1.0 - _TIES)
            p += float(chance_k[block] @ (extreme @ chance_j))
        return min(1.0, max(p, least))


def exact_p_value(cells: Array, a: float, b: float) -> float:
    """Return the two-sided p-value of the exact test for a Tversky score.

    `cells` counts items by truth, A's and B's prediction, shape (2, 2, 2), 1 the positive.
    """
    swaps = _swaps(cells, a / (a + b), b / (a + b))
    observed = abs(float(swaps.statistic(cells[1, 0, 1], cells[0, 0, 1])))
    return swaps.p_value(observed) if observed else 1.0


def _swaps(cells: Array, a: float, b: float) -> _Swaps:
    """Return what swaps cannot change, from counts by truth, A's and B's prediction."""
    found, missed, wrong = cells[1, 1, 1], cells[1, 0, 0], cells[0, 1, 1]
    n1 = int(cells[1, 0, 1] + cells[1, 1, 0])
    n0 = int(cells[0, 0, 1] + cells[0, 1, 0])
    return _Swaps(a, b, found, missed, wrong, n1, n0)


def _tosses(n: int, least: float) -> tuple[Array, Array]:
    """Return the numbers of heads of n tosses that matter, and their probabilities."""
    k = np.arange(n + 1.0)
    log_chance = -special.betaln(k + 1.0, n - k + 1.0) - np.log(n + 1.0) - n * np.log(2.0)
    chance = np.exp(log_chance)
    few = chance > least / (n + 1.0)
    return k[few], chance[few] / chance.sum()


def _in_errors(difference: Array, variance: Array) -> Array:
    """Return a difference of scores over its standard error; 0 if the scores are equal.

    Without a variance one model is right wherever the other is wrong: nothing is further.
    """
    difference = np.where(np.abs(difference) < _NEAR_TIE, 0.0, difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0.0, 0.0, difference / np.sqrt(variance))


@dataclass(frozen=True)
class SwappedUnits:
    """Rows of alike items, or groups of items, that are swapped as a whole.

    Attributes
    ----------
    of_a, of_b : sparse array, shape (units, K)
        The counts of one such unit by the cells of A's matrix, and of B's.
    number : ndarray, shape (units,)
        How many alike units there are.
    """

    of_a: Any
    of_b: Any
    number: Array

    def statistic(self, swapped: Array, evaluate: Evaluate) -> Array:
        """Return B's score minus A's in standard errors, for numbers of swapped units (B, units).

        It is nan where a score is undefined.
        """
        kept = self.number - swapped
        # 1. Both models' matrices, scores and influences.
        counts_a = (kept @ self.of_a + swapped @ self.of_b).T
        counts_b = (kept @ self.of_b + swapped @ self.of_a).T
        score_a, by_a = evaluate(counts_a)
        score_b, by_b = evaluate(counts_b)
        # 2. What a unit does to the difference, as it is and swapped.
        moves_kept = self.of_b @ by_b - self.of_a @ by_a
        moves_swapped = self.of_a @ by_b - self.of_b @ by_a
        variance = (kept.T * moves_kept**2 + swapped.T * moves_swapped**2).sum(axis=0)
        return _in_errors(score_b - score_a, variance / counts_a.sum(axis=0) ** 2)


def random_swaps(
    units: SwappedUnits, evaluate: Evaluate, replicates: int, rng: np.random.Generator
) -> float:
    """Return the two-sided p-value from random swaps; the observed outcome counts as one of them.

    Parameters
    ----------
    units : SwappedUnits
        What is swapped as a whole.
    evaluate : callable
        Takes counts by cell (K, B); returns scores (B,) and influences (K, B).
    replicates : int
        The number of random swaps.
    rng : numpy.random.Generator
        The source of random numbers.

    An undefined score counts as extreme.
    """
    nothing = np.zeros((1, len(units.number)))
    observed = np.abs(units.statistic(nothing, evaluate))
    number = units.number.astype(np.int64)
    extreme = 0
    blocks = 1 + replicates * 2 * sum(units.of_a.shape) // _BLOCK
    for block in np.array_split(np.arange(replicates), blocks):
        swapped = rng.binomial(number, 0.5, (len(block), len(number)))
        statistic = np.abs(units.statistic(swapped.astype(np.float64), evaluate))
        less = statistic < observed * (1.0 - _TIES)
        extreme += int(np.count_nonzero(~less))
    return (1 + extreme) / (1 + replicates)


def swapped_units(
    cells: NDArray[np.intp], counts: Array, groups: NDArray[np.intp] | None
) -> SwappedUnits:
    """Return what is swapped as a whole: rows of alike items one by one, or groups.

    Parameters
    ----------
    cells : ndarray of int, shape (2, rows)
        The cell of A's matrix, and of B's, that a row of alike items belongs to.
    counts : ndarray, shape (rows,)
        How many items each row has.
    groups : ndarray of int, shape (rows,), or None
        The group of each row: its items are swapped together. None swaps every item by itself.
    """
    from scipy.sparse import coo_array  # slow to import

    if groups is None:
        unit = np.arange(len(counts))
        items = np.ones(len(counts))
        number = counts
    else:
        unit = groups
        items = counts
        number = np.ones(int(groups.max()) + 1)
    shape = len(number), int(cells.max()) + 1
    of_a, of_b = (coo_array((items, (unit, cell)), shape=shape).tocsr() for cell in cells)
    return SwappedUnits(of_a, of_b, number)
