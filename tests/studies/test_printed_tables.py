"""Tables of counts from printed numbers, against loops over all tables."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from compendium.published import Number, read_number

from notebooks.shared import printed_tables


def number(text: str) -> Number:
    found = read_number(text)
    assert found is not None
    return found


def test_consistent_tables_are_all_of_them() -> None:
    total, expected = 200, {}
    for z, tp in itertools.product(range(1, total), range(total)):
        for a in range(max(tp, 1), total - z + tp + 1) if tp <= z else ():
            # As fractions: 5 TP / (4 A + Z), and the share of right answers.
            f, right = Fraction(5 * tp, 4 * a + z), Fraction(total - (a + z - 2 * tp), total)
            if f * 100 // 1 == 52 and right * 100 // 1 == 87:
                expected.setdefault(z, []).append((tp, a))
    assert sum(map(len, expected.values())) > 10
    for z in range(1, total):
        found = printed_tables.consistent_tables(total, z, number("0.52"), number("0.87"))
        assert found == sorted(expected.get(z, [])), z


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
