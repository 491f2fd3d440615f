"""Tables of counts from printed numbers: which integers are printed so? (`yuan`).

A share of n items is a whole number over n, so not every printed number can occur. Where a paper
prints accuracy and F0.5 of a rule, all tables of counts that print so can be searched.
Often one is left. All comparisons are of integers, so no rounding of ours enters.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from compendium.published import Number
from numpy.typing import NDArray

__all__ = [
    "cells_of",
    "consistent_tables",
    "on_grid",
    "printed_as",
]

Array = NDArray[np.float64]


def cells_of(total: int, positives: int, tp: int, predicted: int) -> tuple[int, int, int, int]:
    """Return TN, FP, FN, TP of a rule from the numbers of positives, true and predicted ones."""
    return total - positives - predicted + tp, predicted - tp, positives - tp, tp


def consistent_tables(
    total: int,
    f_half: Number,
    accuracy: Number,
    *,
    cut: bool = False,
) -> set[tuple[int, int, int]]:
    """Return all (Z, TP, A) of a population whose measures are printed so.

    All arithmetic is exact: shares are compared as integers.

    Parameters
    ----------
    total : int
        Size of the population.
    f_half, accuracy : Number
        Printed F0.5 and accuracy.
    cut : bool
        Whether digits beyond the printed ones were cut off; else the last digit is rounded, and
        of a tie either way.

    Returns
    -------
    set of tuple
        Numbers of positives, of true and of predicted positives.
    """

    def printed_so(number: Number, top: NDArray[np.int64], bottom: NDArray[np.int64]) -> Any:
        low, high = _ends(number, cut)
        scale = math.lcm(low.denominator, high.denominator)
        above = int(low * scale) * bottom <= scale * top
        end = int(high * scale) * bottom
        return above & (scale * top < end if cut else scale * top <= end)

    right, f = _ends(accuracy, cut), float(sum(_ends(f_half, cut))) / 2
    found = set()
    z = np.arange(1, total)[:, None]
    for errors in range(int((1 - right[1]) * total), int((1 - right[0]) * total) + 2):
        # TP / (0.8 A + 0.2 Z) = f with A = errors - Z + 2 TP, solved for TP. The solution is
        # off by what f is off by, times a slope: look at enough integers around it.
        scale = 0.8 * errors - 0.6 * z
        slack = float(f_half.half_unit) * np.abs(scale).max() / (1 - 1.6 * f) ** 2
        reach = int(np.ceil(slack)) + 1
        tp = np.rint(f * scale / (1 - 1.6 * f)).astype(np.int64) + np.arange(-reach, reach + 1)
        a = errors - z + 2 * tp
        fits = (tp >= 0) & (tp <= np.minimum(a, z)) & (a - tp <= total - z) & (4 * a + z > 0)
        fits &= printed_so(accuracy, np.full_like(tp, total - errors), np.full_like(tp, total))
        fits &= printed_so(f_half, 5 * tp, 4 * a + z)
        zs = np.broadcast_to(z, tp.shape)
        found |= {
            (int(i), int(j), int(k)) for i, j, k in zip(zs[fits], tp[fits], a[fits], strict=True)
        }
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
    nearest = round(printed.value * replicates)
    return any(
        abs(Fraction(k, replicates) - printed.value) <= printed.half_unit
        for k in (nearest - 1, nearest, nearest + 1)
    )
