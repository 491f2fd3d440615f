"""One test for a whole table of simulated numbers.

A table of 72 numbers can disagree with a computation in a way that no row shows. All numbers may be
a little low, or too many deviations may be large. `joint_test` tests the whole table. It prints the
table anew, many times, as a simulation without any error would print it. Then it counts how often
such a table is further off than the paper's.

The steps, for printed numbers y, exact values m and standard errors s:

1. z = (y - m) / sqrt(s^2 + u^2 / 12), where u is a unit of the last printed digit: rounding adds
   the variance of a uniform distribution.
2. Three statistics: the sum of z^2 (any disagreement), the largest absolute z (one wrong number) and
   the mean of z (all numbers off to one side).
3. The same for many tables drawn as m + s e, rounded to u, with e standard normal. Numbers of one
   row may share their test sets, and then e has the row's correlation.
4. Each p-value is the share of drawn tables whose statistic is at least that of the paper's table.

The test is not for deterministic numbers (s = 0): there each digit must match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from compendium import show
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
DRAWS = 10_000  # tables
SEED = 20260101


@dataclass(frozen=True)
class JointTest:
    """How a whole table agrees with its exact values.

    Attributes
    ----------
    numbers : int
        How many numbers the table has.
    chi_square, largest, mean : float
        Sum of z^2, largest absolute z, mean of z.
    p_chi_square, p_largest, p_mean : float
        The p-values of the three; that of the mean is two-sided.
    """

    numbers: int
    chi_square: float
    largest: float
    mean: float
    p_chi_square: float
    p_largest: float
    p_mean: float


def joint_test(
    printed: ArrayLike,
    exact: ArrayLike,
    errors: ArrayLike,
    *,
    unit: float | ArrayLike,
    correlation: ArrayLike | None = None,
) -> JointTest:
    """Return the joint test of a table's printed numbers.

    Parameters
    ----------
    printed, exact, errors : array_like, shape (rows, columns)
        What the paper prints, what it should be, and the standard errors of the printed numbers
        (with those of `exact`, if that is simulated too). NaN in any of them leaves a cell out.
    unit : float or array_like
        A unit of the last printed digit.
    correlation : array_like, shape (rows, columns, columns), optional
        The correlation of the numbers in each row; by default they are independent.

    Examples
    --------
    >>> test = joint_test([[0.95, 0.94]], [[0.9501, 0.9402]], [[0.001, 0.001]], unit=0.001)
    >>> test.numbers, test.p_chi_square > 0.05
    (2, True)
    """
    y, m, s, u = np.broadcast_arrays(*map(np.atleast_2d, (printed, exact, errors, unit)))
    used = _used(y, m, s)
    scale = np.sqrt(s**2 + u**2 / 12)
    theirs = _statistics(((y - m) / scale)[used])
    chance = _statistics(((_drawn(m, s, u, correlation) - m) / scale)[:, used])
    further = (np.abs(chance) >= np.abs(theirs)[:, None] - 1e-12).sum(axis=1)
    p = (1 + further) / (1 + DRAWS)
    return JointTest(int(used.sum()), *theirs.tolist(), *p.tolist())


def _used(y: Array, m: Array, s: Array) -> NDArray[np.bool_]:
    """Tell which cells have all three numbers; their standard errors must be positive."""
    used: NDArray[np.bool_] = np.isfinite(y + m + s)
    if not used.any() or (s[used] <= 0).any():
        raise ValueError("the table needs numbers, each with a standard error above 0")
    return used


def _drawn(m: Array, s: Array, u: Array, correlation: ArrayLike | None) -> Array:
    """Return tables as a simulation without any mistake would print them."""
    return np.asarray(np.round((m + s * _noise(m.shape, correlation)) / u) * u)


def _statistics(z: Array) -> Array:
    """Return the sum of squares, the largest absolute value and the mean of the last axis."""
    return np.stack([(z**2).sum(-1), np.abs(z).max(-1), z.mean(-1)])


def _noise(shape: tuple[int, ...], correlation: ArrayLike | None) -> Array:
    """Return normal numbers for each drawn table, of the given correlation within rows."""
    e = np.random.default_rng(SEED).standard_normal((DRAWS, *shape))
    if correlation is None:
        return e
    # The symmetric root of the correlation, which may be singular.
    values, vectors = np.linalg.eigh(np.asarray(correlation, float))
    scaled = vectors * np.sqrt(np.maximum(values, 0))[..., None, :]
    return np.asarray(np.einsum("...ij,d...j->d...i", scaled @ np.swapaxes(vectors, -1, -2), e))


def table(tests: dict[str, JointTest]) -> Any:
    """Return a table of joint tests, one line for each published table."""
    rows = [
        [
            name,
            str(t.numbers),
            f"{t.chi_square:.1f}",
            f"{t.p_chi_square:.2g}",
            f"{t.largest:.2f}",
            f"{t.p_largest:.2g}",
            f"{t.mean:+.2f}",
            f"{t.p_mean:.2g}",
        ]
        for name, t in tests.items()
    ]
    head = ["printed", "numbers", "sum of z²", "p", "largest |z|", "p", "mean z", "p"]
    caption = (
        "One test for each whole table. z is printed minus computed in standard errors; each p is the "
        "share of faultless tables that would be further off."
    )
    return show.table(head, rows, caption=caption, numeric=range(1, 8))
