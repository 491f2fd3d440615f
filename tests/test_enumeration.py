"""Enumeration of multinomial tables, against scipy and against other roads to the same sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from compendium.enumeration import exact_coverage, probability_of_gap, tables
from scipy import stats

import f1ci

# The paper's scenario 2, rows true: unequal cells, and a swap of two classes changes nothing.
SKEW = np.array([[64, 8, 8], [3, 4, 3], [3, 3, 4]]) / 100


@pytest.mark.parametrize(
    ("n", "cells"),
    [
        (7, [1.0]),
        (12, [0.3, 0.7]),
        (5, [[0.2, 0.0], [0.5, 0.3]]),
        (6, [0.1, 0.2, 0.3, 0.25, 0.15]),
        (4, SKEW),
    ],
)
def test_every_table_once_with_its_multinomial_probability(n, cells):
    design = np.asarray(cells)
    counts, probability = map(np.concatenate, zip(*tables(n, cells), strict=True))
    assert counts.shape[1:] == design.shape
    flat = counts.reshape(len(counts), -1)
    assert np.all(flat.sum(axis=1) == n)
    k = np.count_nonzero(design)
    assert len(np.unique(flat, axis=0)) == len(flat) == math.comb(n + k - 1, k - 1)
    # Rounding of a few logarithms.
    expected = stats.multinomial.pmf(flat, n, design.ravel())
    np.testing.assert_allclose(probability, expected, rtol=1e-12)
    assert probability.sum() == pytest.approx(1, abs=1e-12)


def test_rare_tables_are_left_out_and_nothing_else():
    _, every = map(np.concatenate, zip(*tables(8, SKEW), strict=True))
    _, kept = map(np.concatenate, zip(*tables(8, SKEW, least=1e-6), strict=True))
    assert len(kept) == np.count_nonzero(every >= 1e-6) < len(every)
    assert kept.sum() == pytest.approx(every[every >= 1e-6].sum(), abs=1e-14)


def test_coverage_agrees_with_the_sums_over_relevant_items():
    # f1ci.coverage.exact sums over (v, TP): another enumeration of the same design.
    def wald(counts):
        interval = f1ci.f1_interval(*counts[:, :3].T, method="wald")
        return interval.low, interval.high

    design = np.array([0.4, 0.1, 0.1, 0.4])
    mine = exact_coverage(25, design, method=wald, truth=0.8)
    other = f1ci.coverage.exact(25, *design[:3], method="wald")
    # What either leaves out is below 1e-9.
    assert mine.coverage == pytest.approx(other.coverage, abs=2e-9)
    assert mine.left_out < 1e-9


def test_undefined_intervals_count_as_misses_or_not_at_all():
    def only_when_even(counts):
        low = np.where(counts[:, 0] % 2 == 0, 0.0, np.nan)
        return low, low + 1

    result = exact_coverage(2, [0.5, 0.5], method=only_when_even, truth=0.5)
    assert result.coverage == pytest.approx(0.5, abs=1e-15)
    assert result.undefined == pytest.approx(0.5, abs=1e-15)
    assert result.coverage_if_defined == pytest.approx(1, abs=1e-15)
    never = exact_coverage(2, [1.0], method=lambda c: (c[:, 0] * np.nan,) * 2, truth=0.5)
    assert never.coverage == 0
    assert math.isnan(never.coverage_if_defined)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_gaps_agree_with_enumeration(n):
    lines = [np.arange(3)[:, None] == k for k in range(3)]
    lines = [np.broadcast_to(m, (3, 3)) for line in lines for m in (line, line.T)]
    expected = sum(
        probability[[any(not c[m].any() for m in lines) for c in counts]].sum()
        for counts, probability in tables(n, SKEW)
    )
    assert probability_of_gap(n, SKEW, lines) == pytest.approx(float(expected), abs=1e-13)


def test_gaps_of_one_class():
    # No item of a class that has probability 0.1 among 25: 0.9**25.
    mask = np.array([False, True])
    assert probability_of_gap(25, [0.9, 0.1], [mask]) == pytest.approx(0.9**25, rel=1e-14)
