r"""Tests of whether two models score alike on the same items: kernels of `difference_test`.

**Exact randomisation.** If A and B are exchangeable on every item (swapping their two
predictions changes the distribution of nothing), each item's pair may be swapped by the toss of a
coin. Only items on which they differ matter. Let there be n1 discordant positives and n0
discordant negatives, and let B be right on k of the former and wrong on j of the latter. Under
the coins k and j are independent, Binomial(n1, 1/2) and Binomial(n0, 1/2), and everything else
is fixed; so the p-value is a sum over (n1 + 1)(n0 + 1) outcomes, without random numbers.
The difference of two Tversky scores rises with k and falls with j. Hence, for each k, the
outcomes at least as large as the observed one are those with j up to a threshold, which bisection
finds, and the sum needs n1 + 1 binomial distribution functions. Swapping all items changes the
sign, so that both tails are equal. Whether two outcomes tie is decided in integers.
(Zmigrod, Vieira & Cotterell 2022 compute such p-values for counts per sentence by convolution.)

**Score test.** The difference over its standard error at the cell probabilities that are most
likely if the scores are equal, or differ by a margin (the principle of Tango 1998 for
proportions). The constraint is not linear in the probabilities, so it is linearised again and
again: given the influence e of each cell on the difference, centred so that it vanishes under
the constraint, the most likely probabilities are ``count / (n + l e)`` for the multiplier l
that makes their mean influence zero. For accuracy this is McNemar's test.

**Random swaps** do for any metric, and for whole groups of items, what the exact test does for
binary items.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from f1ci.counts import Items
from f1ci.metrics import Metric

__all__ = ["exact_p_value", "mcnemar_p_value", "random_swaps", "score_statistic"]

# Scores are at most 1, and their differences in floats wrong by less than this: nearer than
# this to a tie, fractions decide.
_NEAR_TIE = 1e-13

# Rounds of linearising the constraint, and halvings of the range of its multiplier.
_ROUNDS, _HALVINGS = 50, 60

# Outcomes of the exact test are summed in blocks of so many numbers k.
_OUTCOMES = 1 << 11

# Random swaps are drawn and scored in blocks of about so many numbers.
_BLOCK = 2_000_000


def exact_p_value(cells: NDArray[Any], a: float, b: float) -> float:
    """Two-sided p-value of the randomisation test for a Tversky score of two classes.

    `cells` counts items by truth, A's and B's prediction, shape (2, 2, 2), 1 the positive.
    """
    both_tp, both_fp = int(cells[1, 1, 1]), int(cells[0, 1, 1])
    n1, n0 = int(cells[1, 0, 1] + cells[1, 1, 0]), int(cells[0, 0, 1] + cells[0, 1, 0])
    positives = int(cells[1].sum())
    weight_a, weight_b = _fraction(a), _fraction(b)

    def exact(tp: int, fp: int) -> Fraction:
        below = tp + weight_a * fp + weight_b * (positives - tp)
        return Fraction(tp) / below if below else Fraction(0)

    def score(tp: Any, fp: Any) -> Any:
        below = tp + a * fp + b * (positives - tp)
        return tp / np.where(below > 0, below, 1.0)

    def swapped(value: Any, k: Any, j: Any) -> Any:
        """B's score minus A's if B is right on k positives and wrong on j negatives."""
        return value(both_tp + k, both_fp + j) - value(both_tp + n1 - k, both_fp + n0 - j)

    observed = abs(swapped(exact, int(cells[1, 0, 1]), int(cells[0, 0, 1])))
    if not observed:
        return 1.0
    extreme = whole = 0.0
    for start in range(0, n1 + 1, _OUTCOMES):
        right = np.arange(start, min(start + _OUTCOMES, n1 + 1))
        low, high = np.full(len(right), -1), np.full(len(right), n0)  # the threshold is in between
        while np.any(low < high):
            wrong = (low + high + 1) // 2
            excess = swapped(score, right, wrong) - float(observed)
            reached = excess >= 0.0
            for place in np.flatnonzero(np.abs(excess) < _NEAR_TIE):
                reached[place] = swapped(exact, int(right[place]), int(wrong[place])) >= observed
            low, high = np.where(reached, wrong, low), np.where(reached, high, wrong - 1)
        weight = np.exp(-special.betaln(right + 1.0, n1 - right + 1.0) - n1 * np.log(2.0))
        tail = np.where(low >= 0, special.bdtr(np.maximum(low, 0), n0, 0.5), 0.0)
        extreme, whole = extreme + weight @ tail, whole + weight.sum()
    return min(1.0, 2.0 * float(extreme / whole))


def mcnemar_p_value(only_a: int, only_b: int) -> float:
    """The same for accuracy: an exact binomial test on the items that one model has right."""
    fewer = min(only_a, only_b)
    return min(1.0, 2.0 * float(special.bdtr(fewer, only_a + only_b, 0.5)))


def score_statistic(cells: NDArray[Any], metric: Metric, margin: float = 0.0) -> float:
    """How far the difference is from `margin`, in standard errors that hold if it is `margin`.

    `cells` counts items by truth, A's and B's prediction, shape (r, r, r).
    """
    p = cells / cells.sum()
    observed, influence = _difference(p, metric)
    if observed == margin:
        return 0.0
    value = observed
    if not influence.min() < margin - observed < influence.max():
        # Such a constraint no probabilities meet; with half an item in every cell some do.
        value, influence = _difference((cells + 0.5) / (cells + 0.5).sum(), metric)
    for _ in range(_ROUNDS):
        p = _most_likely(cells, influence + (value - margin))
        value, influence = _difference(p, metric)
        if not abs(value - margin) > 1e-13:
            break
    return (observed - margin) / float(np.sqrt((p * influence**2).sum() / cells.sum()))


def random_swaps(kinds: Items, metric: Metric, replicates: int, rng: np.random.Generator) -> float:
    """Two-sided p-value from random swaps; the observed outcome counts as one of them.

    An undefined score counts as extreme.
    """
    (true, by_a, by_b), items, groups, classes = kinds
    r = len(classes)
    a_cell, b_cell = true * r + by_a, true * r + by_b
    differ = np.flatnonzero(by_a != by_b)
    moved = items[differ]
    if groups is None:  # items of one kind are swapped by one binomial number
        unit, tosses, moved = np.arange(len(differ)), moved.astype(np.int64), np.ones(len(differ))
    else:
        swapped, unit = np.unique(groups[differ], return_inverse=True)
        tosses = np.ones_like(swapped)
    effects = np.zeros((len(tosses), r * r))
    np.add.at(effects, (unit, b_cell[differ]), moved)
    np.add.at(effects, (unit, a_cell[differ]), -moved)
    tables = kinds.tables().reshape(2, r * r)

    def differences(moves: NDArray[np.float64]) -> Any:
        a, b = tables[0] + moves, tables[1] - moves
        shape = (*moves.shape[:-1], r, r)
        return np.abs(metric.estimate(b.reshape(shape)) - metric.estimate(a.reshape(shape)))

    observed = differences(np.zeros(r * r))
    extreme, block = 0, max(1, _BLOCK // (len(tosses) + r * r))
    for start in range(0, replicates, block):
        count = min(block, replicates - start)
        drawn = rng.binomial(tosses, 0.5, (count, len(tosses)))
        # Outcomes that tie with the observed one may differ from it by rounding.
        extreme += int(np.count_nonzero(~(differences(drawn @ effects) < observed - 1e-12)))
    return (1 + extreme) / (1 + replicates)


def _fraction(weight: float) -> Fraction:
    """A weight as the simple fraction it is meant to be (0.8 is four fifths), if it is one."""
    simple = Fraction(weight).limit_denominator(10_000)
    return simple if abs(float(simple) - weight) <= 1e-15 * weight else Fraction(weight)


def _difference(p: NDArray[np.float64], metric: Metric) -> tuple[float, NDArray[np.float64]]:
    """B's score minus A's, and the influence of each cell (truth, A, B) on it."""
    values, influence = metric.evaluate(np.stack([p.sum(axis=2), p.sum(axis=1)]))
    return float(values[1] - values[0]), influence[1][:, None, :] - influence[0][:, :, None]


def _most_likely(cells: NDArray[Any], slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cell probabilities of greatest likelihood under which the mean of `slope` is 0.

    They are ``count / (n + l slope)``. Where even the largest or least l leaves probability
    over, it goes to the empty cell of the extreme slope.
    """
    n = cells.sum()
    counts, values = cells[cells > 0], slope[cells > 0]
    low, high = -n / slope.max(), -n / slope.min()
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if (counts * values / (n + middle * values)).sum() > 0:
            low = middle
        else:
            high = middle
    p = np.zeros(cells.shape)
    p[cells > 0] = counts / (n + middle * values)
    p.flat[slope.argmax() if middle < 0 else slope.argmin()] += max(0.0, 1.0 - p.sum())
    return p
