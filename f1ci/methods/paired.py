r"""Tests of whether two models score alike on the same items: kernels of `difference_test`.

**Exact test.** If A and B are exchangeable on every item (swapping their two predictions changes
the distribution of nothing), each item's pair may be swapped by the toss of a coin. Only items on
which they differ matter. Let there be n1 discordant positives and n0 discordant negatives, and
let B be right on k of the former and wrong on j of the latter. Under the coins k and j are
independent, Binomial(n1, 1/2) and Binomial(n0, 1/2), and everything else is fixed. So the p-value
is a sum over (n1 + 1)(n0 + 1) outcomes, without random numbers. Outcomes are ordered by the
difference of the scores over its standard error by the delta method, taken from the swapped
counts. With the standard error the test also holds its level, in large samples, if only the two
scores are equal (Janssen 1997; Chung and Romano 2013). Without it the test rejects too often
where the models find unlike shares of the positives.

Scores whose weights of errors are proportional order classifiers alike. F1 and Jaccard have one
hypothesis and one p-value: weights are scaled to the sum 1.

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

from collections.abc import Callable

import numpy as np
from scipy import special

from f1ci.data import Items, Matrix
SparseMatrix = Matrix
from f1ci.metrics import Metric
from f1ci.results import Array

# Scores are at most 1, and their differences in floats wrong by less than this.
_NEAR_TIE = 1e-13

_ROUNDS = 50  # of linearising the constraint

# Outcomes nearer to the observed one than this share of it are ties, which rounding has parted.
_TIES = 1e-10

# Outcomes of the exact test, and random swaps, are worked on in blocks of about so many numbers.
_BLOCK = 2_000_000


def exact_p_value(cells: Array, a: float, b: float) -> float:
    """Return the two-sided p-value of the exact test for a Tversky score.

    `cells` counts items by truth, A's and B's prediction, shape (2, 2, 2), 1 the positive.
    """
    a, b = a / (a + b), b / (a + b)
    n1, n0 = int(cells[1, 0, 1] + cells[1, 1, 0]), int(cells[0, 0, 1] + cells[0, 1, 0])

    positives, both_tp, both_fp = cells[1].sum(), cells[1, 1, 1], cells[0, 1, 1]

    def score(tp: Array, fp: Array) -> tuple[Array, Array, Array, Array]:
        """Return a score, and what one more TP, FP and FN do to it."""
        whole = tp + a * fp + b * (positives - tp)
        whole = np.where(whole > 0.0, whole, 1.0)
        f = tp / whole
        return f, (1.0 - f) / whole, -a * f / whole, -b * f / whole

    def statistic(k: Array, j: Array) -> Array:
        """Return the difference in standard errors if B is right on k and wrong on j."""
        f_a, up_a, false_a, miss_a = score(both_tp + n1 - k, both_fp + n0 - j)
        f_b, up_b, false_b, miss_b = score(both_tp + k, both_fp + j)
        variance = both_tp * (up_b - up_a) ** 2 + cells[1, 0, 0] * (miss_b - miss_a) ** 2
        variance = variance + k * (up_b - miss_a) ** 2 + (n1 - k) * (miss_b - up_a) ** 2
        variance = variance + both_fp * (false_b - false_a) ** 2
        variance = variance + j * false_b**2 + (n0 - j) * false_a**2
        difference = np.where(np.abs(f_b - f_a) < _NEAR_TIE, 0.0, f_b - f_a)
        # Without a variance one model is right wherever the other is wrong: nothing is further.
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = difference / np.sqrt(variance)
        return np.where(np.isnan(scaled), 0.0, scaled)

    observed = abs(float(statistic(cells[1, 0, 1], cells[0, 0, 1])))
    if not observed:
        return 1.0
    # Of many outcomes only those count whose probability is not below 1e-19 in all.
    least = 0.0 if (n1 + 1) * (n0 + 1) <= 2 * _BLOCK else 1e-19
    (k, chance_k), (j, chance_j) = (_tosses(n, least) for n in (n1, n0))
    extreme = 0.0
    for block in np.array_split(np.arange(len(k)), 1 + len(k) * len(j) // _BLOCK):
        beyond = np.abs(statistic(k[block, None], j)) >= observed * (1.0 - _TIES)
        extreme += float(chance_k[block] @ (beyond @ chance_j))
    return min(1.0, max(extreme, least))


def _tosses(n: int, least: float) -> tuple[Array, Array]:
    """Return the numbers of heads of n tosses that matter, and their probabilities."""
    k = np.arange(n + 1.0)
    chance = np.exp(-special.betaln(k + 1.0, n - k + 1.0) - np.log(n + 1.0) - n * np.log(2.0))
    few = chance > least / (n + 1.0)
    return k[few], chance[few] / chance.sum()


def score_statistic(items: Items, metric: Metric) -> tuple[float, bool]:
    """Return the difference in standard errors that hold if it is 0, and True if that converged.

    The probabilities of the rows of items are the most likely ones under which the scores are
    equal. What these rows cannot hold goes to one empty cell.
    """
    from scipy.optimize import brentq  # slow to import

    codes, counts, n = items.codes, items.counts, items.counts.sum()
    r = len(items.classes)
    matrices = [items.matrix(model).dense() for model in (0, 1)]
    observed, slopes = _difference(matrices, metric)
    if abs(observed) < _NEAR_TIE:
        return 0.0, True
    value, ends = observed, [_extreme(slopes, side)[0] for side in (-1.0, 1.0)]
    if not ends[0] < -observed < ends[1]:
        # No probabilities meet such a constraint. With half an item in every cell some do.
        value, slopes = _difference([matrix + 0.5 * r for matrix in matrices], metric)
    for _ in range(_ROUNDS):
        # 1. The influence of the rows and the cells of extreme influence, under the constraint.
        rows = slopes[1][codes[0], codes[2]] - slopes[0][codes[0], codes[1]] + value
        (least, bottom), (largest, top) = (_extreme(slopes, side) for side in (-1.0, 1.0))
        # 2. The most likely probabilities are count / (n + l influence). The multiplier l makes
        # the mean influence zero, or it is at an end, where the empty cell gets the rest.
        low, high = (-n / (end + value) * (1.0 - 1e-15) for end in (largest, least))
        mean: Callable[[float], float] = lambda at: (counts * rows / (n + at * rows)).sum()  # noqa: E731, B023
        multiplier = low if mean(low) <= 0.0 else high
        if mean(low) > 0.0 > mean(high):
            multiplier = brentq(mean, low, high, xtol=1e-16 * (high - low))
        p = counts / (n + multiplier * rows)
        # 3. What is left goes to the empty cell of extreme influence.
        shares = np.append(p, max(0.0, 1.0 - p.sum()))
        at = np.column_stack([codes, top if multiplier < 0 else bottom])
        moved = [SparseMatrix(at[0], by, shares, r).dense() for by in at[1:]]
        value, slopes = _difference(moved, metric)
        if abs(value) <= _NEAR_TIE:
            break
    influence = slopes[1][at[0], at[2]] - slopes[0][at[0], at[1]]
    error = np.sqrt((shares * influence**2).sum() / n)
    return float(observed / error) if error > 0.0 else 0.0, bool(abs(value) <= _NEAR_TIE)


def _difference(matrices: list[Array], metric: Metric) -> tuple[float, list[Array]]:
    """Return B's score minus A's, and the influence of each cell on each score."""
    (a, by_a), (b, by_b) = (metric.evaluate(Matrix(matrix)) for matrix in matrices)
    return float(b - a), [by_a, by_b]


def _extreme(slopes: list[Array], side: float) -> tuple[float, list[int]]:
    """Return the extreme influence of any cell (truth, A, B) on the difference, and the cell."""
    by_a, by_b = side * slopes[0], side * slopes[1]
    true = int((by_b.max(axis=1) - by_a.min(axis=1)).argmax())
    a, b = int(by_a[true].argmin()), int(by_b[true].argmax())
    return float(slopes[1][true, b] - slopes[0][true, a]), [true, a, b]


def random_swaps(items: Items, metric: Metric, replicates: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value from random swaps; the observed outcome counts as one of them.

    An undefined score counts as extreme.
    """
    from scipy.sparse import coo_array  # slow to import

    true, by_a, by_b = items.codes
    differ, r = np.flatnonzero(by_a != by_b), len(items.classes)
    # 1. The units that are swapped: rows of alike items by one binomial number, or groups.
    tosses = moved = items.counts[differ].astype(np.int64)
    if items.groups is None:
        unit, moved = np.arange(len(differ)), np.ones_like(tosses)
    else:
        swapped, unit = np.unique(items.groups[differ], return_inverse=True)
        tosses = np.ones_like(swapped)
    # 2. What the swap of a unit does to the cells of A's matrix; it does the opposite to B's.
    places = true[differ] * r + np.stack([by_b, by_a])[:, differ]
    values = np.concatenate([moved, -moved]), (np.tile(unit, 2), places.ravel())
    effects = coo_array(values, shape=(len(tosses), r * r)).tocsr()
    cells = [np.bincount(true * r + by, items.counts, r * r) for by in (by_a, by_b)]
    both = np.stack(cells, dtype=np.float64).reshape(2, r, r)
    observed = np.abs(np.diff(metric.estimate(Matrix(both))))
    # 3. Swap, score and compare, block by block.
    extreme = 0
    blocks = 1 + replicates * sum(effects.shape) // _BLOCK
    for block in np.array_split(np.arange(replicates), blocks):
        drawn = rng.binomial(tosses, 0.5, (len(block), len(tosses)))
        moves = (drawn @ effects).reshape(-1, 1, r, r)
        scores = metric.estimate(Matrix(both + np.concatenate([moves, -moves], axis=1)))
        # Outcomes that tie with the observed one may differ from it by rounding.
        extreme += int(np.count_nonzero(~(np.abs(np.diff(scores)) < observed - 1e-12)))
    return (1 + extreme) / (1 + replicates)
