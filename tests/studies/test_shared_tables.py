"""The helpers of the notebooks that judge statements and whole tables."""

import numpy as np
import pytest
from scipy import stats

from notebooks.shared import joint_test


def test_the_sum_of_squares_has_its_chi_square_p_value_where_rounding_is_small():
    # scipy's chi-square tail; four standard errors of 10,000 draws.
    z = np.linspace(-1.9, 2.3, 24).reshape(6, 4)
    test = joint_test.joint_test(0.9 + 0.01 * z, 0.9, 0.01, unit=1e-9)
    expected = stats.chi2.sf((z**2).sum(), 24)
    assert test.numbers == 24
    assert test.chi_square == pytest.approx((z**2).sum(), rel=1e-6)
    assert test.p_chi_square == pytest.approx(expected, abs=4 * np.sqrt(expected / 10_000))
    # Sidak's formula for independent numbers; the normal distribution of a mean.
    largest = 1 - (1 - 2 * stats.norm.sf(2.3)) ** 24
    assert test.p_largest == pytest.approx(largest, abs=0.02)
    assert test.p_mean == pytest.approx(2 * stats.norm.sf(0.2 * np.sqrt(24)), abs=0.02)


def test_numbers_that_share_test_sets_count_once():
    # Four copies of one number, two standard errors low: one fact, with the p-value of one.
    same = np.ones((1, 4, 4))
    test = joint_test.joint_test([[0.88] * 4], 0.9, 0.01, unit=1e-9, correlation=same)
    assert test.p_mean == pytest.approx(2 * stats.norm.sf(2), abs=0.01)
    alone = joint_test.joint_test([[0.88] * 4], 0.9, 0.01, unit=1e-9)
    assert alone.p_mean < 0.001


def test_a_shift_that_no_row_shows():
    printed = np.round(0.95 - 0.001 * np.ones((1, 14)), 4)
    test = joint_test.joint_test(printed, 0.95, 0.001, unit=0.0001)
    assert test.largest < 1.05
    assert test.p_largest > 0.9
    assert test.p_mean < 0.001
