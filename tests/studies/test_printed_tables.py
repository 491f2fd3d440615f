"""Tables of counts from printed numbers, against loops over all tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from compendium.published import Number, read_number

from notebooks.shared import printed_tables


def number(text: str) -> Number:
    found = read_number(text)
    assert found is not None
    return found


def fits(total: int, z: int, tp: int, a: int) -> bool:
    """Tell, in fractions, if F0.5 is cut off to .52 and the accuracy to .87."""
    f = Fraction(5 * tp, 4 * a + z)
    right = Fraction(total - (a + z - 2 * tp), total)
    return f * 100 // 1 == 52 and right * 100 // 1 == 87


@pytest.mark.parametrize("z", [1, 22, 26, 150])
def test_consistent_tables_are_all_of_them(z: int) -> None:
    total = 200
    tables = [(tp, a) for tp in range(z + 1) for a in range(max(tp, 1), total - z + tp + 1)]
    expected = [(tp, a) for tp, a in tables if fits(total, z, tp, a)]
    found = printed_tables.consistent_tables(total, z, number("0.52"), number("0.87"))
    assert found == sorted(expected)
    assert bool(found) == (z in (22, 26))


def test_printed_as() -> None:
    values = np.array([0.21904, 0.21906, 0.21914, 0.21916, 0.21999])
    for text, cut, expected in (
        ("0.2191", False, [0, 1, 1, 0, 0]),
        ("0.2190", True, [1, 1, 0, 0, 0]),
    ):
        assert printed_tables.printed_as(values, number(text), cut=cut).tolist() == expected


def test_shares_of_n_replicates_lie_on_a_grid() -> None:
    """Of all numbers with four digits, 1/2 are shares of 5,000, and 3/10 of 3,000."""
    for replicates, share in ((5_000, 1 / 2), (3_000, 3 / 10)):
        numbers = [number(f"{i / 10_000:.4f}") for i in range(1, 10_000)]
        on_grid = [printed_tables.on_grid(x, replicates) for x in numbers]
        assert np.mean(on_grid) == pytest.approx(share, abs=0.001)
