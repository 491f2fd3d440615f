"""Tables of counts from printed numbers, against loops over all tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from compendium.published import Number, read_number

from notebooks.shared import printed_tables

FOREST = (3047, 80, 169, 37)  # TN, FP, FN, TP of a rule of yuan's Table VI


def number(text: str) -> Number:
    found = read_number(text)
    assert found is not None
    return found


@pytest.mark.parametrize("cut", [False, True])
def test_consistent_tables_are_all_of_them(cut: bool) -> None:
    total = 200
    low_f, high_f, low_a, high_a = (0.52, 0.53, 0.87, 0.88) if cut else (0.515, 0.525, 0.865, 0.875)
    expected = set()
    for z, tp in itertools.product(range(1, total), range(total)):
        for a in range(max(tp, 1), total - z + tp + 1) if tp <= z else ():
            # As integers: 5 TP / (4 A + Z), and the share of right answers.
            f, right = 5000 * tp / (4 * a + z), total - (a + z - 2 * tp)
            inside = 1000 * low_f <= f + 1e-9, 1000 * low_a <= 1000 * right / total + 1e-9
            top = -1e-9 if cut else 1e-9
            inside += f <= 1000 * high_f + top, 1000 * right / total <= 1000 * high_a + top
            if all(inside):
                expected.add((z, tp, a))
    assert len(expected) > 10
    assert (
        printed_tables.consistent_tables(total, number("0.52"), number("0.87"), cut=cut) == expected
    )


def test_tables_come_back_from_what_is_printed() -> None:
    rng = np.random.default_rng(11)
    for _ in range(5):
        cells = rng.multinomial(10_000, np.array(FOREST) / 3333)
        positives, predicted = cells[2] + cells[3], cells[1] + cells[3]
        # Four digits, cut off: in integers, so no rounding enters.
        f = 10_000 * 5 * cells[3] // (4 * predicted + positives)
        found = printed_tables.consistent_tables(
            10_000, number(f"0.{f:04d}"), number(f"0.{cells[0] + cells[3]:04d}"), cut=True
        )
        assert (positives, cells[3], predicted) in found
        assert printed_tables.cells_of(10_000, positives, cells[3], predicted) == tuple(cells)


def test_printed_as() -> None:
    values = np.array([0.21904, 0.21906, 0.21914, 0.21916, 0.21999])
    for text, cut, expected in (
        ("0.2191", False, [0, 1, 1, 0, 0]),
        ("0.2190", True, [1, 1, 0, 0, 0]),
    ):
        assert printed_tables.printed_as(values, number(text), cut=cut).tolist() == expected
