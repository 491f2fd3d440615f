"""Tables of counts from printed numbers: which integers are printed so? (`yuan`).

A share of n items is a whole number over n, so not every printed number can occur. Where a paper
prints accuracy, F0.5 and perhaps lift of a rule, all tables of counts that print so can be searched.
Often one is left. `consistent_tables` finds the tables of one rule, `common_tables` those of several
rules that share their positive items. All comparisons are of integers, so no rounding of ours enters.

Where the size of the population is infinite, `from_true_values` solves for the cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from compendium.published import Number
from numpy.typing import ArrayLike, NDArray

from f1ci.metrics import BinaryMetric
from notebooks.shared.joint_coverage import true_values

__all__ = [
    "cells_of",
    "common_tables",
    "consistent_tables",
    "cut_off",
    "from_true_values",
    "on_grid",
    "printed_as",
    "redrawn",
]

Array = NDArray[np.float64]


def cells_of(total: int, positives: int, tp: int, predicted: int) -> tuple[int, int, int, int]:
    """Return TN, FP, FN, TP of a rule from the numbers of positives, true and predicted ones."""
    return total - positives - predicted + tp, predicted - tp, positives - tp, tp


def from_true_values(prevalence: float, f_half: float, accuracy: float) -> Array:
    """Return TN, FP, FN and TP as probabilities, from the measures that a paper prints of a rule.

    With x = E(ZA) and s = EA, accuracy is 2x - s - prevalence + 1, and F0.5 is
    x / (0.8 s + 0.2 prevalence): two linear equations for x and s.
    """
    wrong = 1 - accuracy
    x = f_half * (0.8 * wrong - 0.6 * prevalence) / (1 - 1.6 * f_half)
    s = 2 * x - prevalence + wrong
    return np.array([1 - s - prevalence + x, s - x, prevalence - x, x])


def redrawn(
    cells: ArrayLike, metrics: Sequence[BinaryMetric], cases: int, size: int, rng: Any
) -> Array:
    """Return what `from_true_values` makes of simulated true values of a population.

    The paper learns true values from `cases` drawn ones. Their error is that of the cells.

    Parameters
    ----------
    cells : array_like, shape (4,)
        The population as probabilities: TN, FP, FN, TP.
    metrics : sequence of BinaryMetric
        F0.5 and accuracy.
    cases, size : int
        How many cases make one set of true values, and how many sets to draw.
    rng : None, int, SeedSequence or Generator

    Returns
    -------
    ndarray, shape (size, 4)
    """
    p = np.asarray(cells, dtype=np.float64)
    drawn = np.random.default_rng(rng).multinomial(cases, p, size=size)
    values = true_values(drawn, metrics)
    return np.array([from_true_values(float(p[2] + p[3]), f, a) for f, a in values])


def consistent_tables(
    total: int,
    f_half: Number,
    accuracy: Number,
    lift: Number | None = None,
    *,
    cut: bool = False,
) -> set[tuple[int, int, int]]:
    """Return all (Z, TP, A) of a population whose measures are printed so.

    All arithmetic is exact: shares are compared as integers.

    Parameters
    ----------
    total : int
        Size of the population.
    f_half, accuracy, lift : Number
        Printed F0.5, accuracy and, if there is one, lift.
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
        if lift is not None:
            fits &= printed_so(lift, tp * total, a * z)
        zs = np.broadcast_to(z, tp.shape)
        found |= {
            (int(i), int(j), int(k)) for i, j, k in zip(zs[fits], tp[fits], a[fits], strict=True)
        }
    return found


def common_tables(
    total: int, printed: Mapping[str, Sequence[Number]], *, cut: bool = False
) -> dict[int, dict[str, list[tuple[int, int]]]]:
    """Return the tables (TP, A) of all rules, for each number of positives that all of them allow.

    Parameters
    ----------
    total, cut
        As in `consistent_tables`.
    printed : mapping of str to sequence of Number
        For each rule F0.5, accuracy and, if there is one, lift.
    """
    found = {rule: consistent_tables(total, *values, cut=cut) for rule, values in printed.items()}
    common = set.intersection(*({z for z, _, _ in tables} for tables in found.values()))
    return {
        z: {rule: [(tp, a) for i, tp, a in tables if i == z] for rule, tables in found.items()}
        for z in sorted(common)
    }


def cut_off(value: float, digits: int = 4) -> Number:
    """Return a number as it is printed if the digits after the last printed one are cut off."""
    unit = Fraction(1, 10**digits)
    # A share such as .8995 may be stored as a little less.
    return Number(math.floor(Fraction(value + 1e-12) / unit) * unit, unit / 2)


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
