"""Tables of counts from printed numbers: which integers are printed so? (`yuan`).

A share of n items is a whole number over n, so not every printed number can occur. Where a paper
prints accuracy and F0.5 of a rule, all tables of counts that print so can be searched.
Often one is left. All comparisons are of integers, so no rounding of ours enters.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
from compendium.published import Number
from numpy.typing import NDArray

Array = NDArray[np.float64]


def cells_of(total: int, positives: int, tp: int, predicted: int) -> tuple[int, int, int, int]:
    """Return TN, FP, FN, TP of a rule from the numbers of positives, true and predicted ones."""
    return total - positives - predicted + tp, predicted - tp, positives - tp, tp


def consistent_tables(
    total: int, positives: int, f_half: Number, accuracy: Number
) -> list[tuple[int, int]]:
    """Return all (TP, A) whose F0.5 and accuracy are printed so, if further digits are cut off.

    Parameters
    ----------
    total, positives : int
        Size of the population, and how many of it are positive.
    f_half, accuracy : Number
        Printed F0.5 and accuracy.
    """
    # 1. How many items the rule gets wrong: the accuracy is a whole number over the total.
    errors = np.arange(total + 1)
    errors = errors[_cut(total - errors, np.full_like(errors, total), accuracy)]
    # 2. Every TP gives one A for each number of errors.
    tp = np.arange(positives + 1)[:, None]
    a = errors - positives + 2 * tp
    possible = (tp <= a) & (a - tp <= total - positives)
    # 3. F0.5 is 5 TP / (4 A + Z).
    fits = possible & _cut(5 * tp, 4 * np.maximum(a, 0) + positives, f_half)
    return [(int(i), int(a[i, k])) for i, k in np.argwhere(fits)]


def _cut(top: NDArray[np.int64], bottom: NDArray[np.int64], number: Number) -> NDArray[np.bool_]:
    """Check, in integers, which quotients have the printed digits before they are cut off."""
    unit = 2 * number.half_unit
    found: NDArray[np.bool_] = top * unit.denominator // bottom == number.value / unit
    return found


def printed_as(values: Array, number: Number, *, cut: bool) -> NDArray[np.bool_]:
    """Check which values are printed as a number, with digits cut off or rounded."""
    low, high = map(float, _ends(number, cut))
    return (low - 1e-12 <= values) & (values < high if cut else values <= high + 1e-12)


def _ends(number: Number, cut: bool) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest number that is printed so."""
    low = number.value if cut else number.value - number.half_unit
    return low, low + 2 * number.half_unit


def on_grid(printed: Number, replicates: int) -> bool:
    """Check that a printed share is the rounded share of some whole number of replicates."""
    least = ceil((printed.value - printed.half_unit) * replicates)
    largest = floor((printed.value + printed.half_unit) * replicates)
    return least <= largest
