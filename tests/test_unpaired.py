"""Two test sets: exact coverage, the closed form of delta, one answer of p-value and interval."""

import numpy as np
import pytest
from scipy import stats

import f1ci
from f1ci import unpaired_difference

A = [[702, 44], [10, 77]]
B = [[1500, 60], [40, 180]]
THREE = [[[30, 4, 2], [5, 21, 9], [1, 6, 40]], [[60, 3, 1], [9, 48, 8], [2, 6, 70]]]


@pytest.mark.parametrize("metric", ["f1", "recall", "accuracy", "correlation"])
def test_delta_adds_the_variances(metric):
    one, two = (f1ci.metric_interval(m, metric, method="delta") for m in (A, B))
    test = unpaired_difference(A, B, metric, method="delta")
    error = np.hypot(one.standard_error, two.standard_error)
    estimate = two.estimate - one.estimate
    z = stats.norm.isf(0.025)
    assert test.interval.estimate == pytest.approx(estimate, abs=1e-15)
    assert tuple(test.interval) == pytest.approx((estimate - z * error, estimate + z * error))
    assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(estimate) / error), rel=1e-7)


@pytest.mark.parametrize("matrices", [(A, B), THREE])
@pytest.mark.parametrize("method", ["score", "cautious", "logit", "delta"])
def test_the_p_value_inverts_the_interval_and_models_may_be_swapped(matrices, method):
    metric = "f1" if matrices[0] is A else "macro_f1"
    if metric != "f1" and method == "cautious":
        pytest.skip("cautious limits are for single scores")
    test = unpaired_difference(*matrices, metric, method=method)
    other = unpaired_difference(*matrices[::-1], metric, method=method)
    assert tuple(other.interval) == pytest.approx([-test.interval.high, -test.interval.low])
    assert other.p_value == pytest.approx(test.p_value, rel=1e-6)
    at_p = unpaired_difference(*matrices, metric, method=method, confidence_level=1 - test.p_value)
    # The limit on the side of zero is zero there.
    assert min(abs(end) for end in at_p.interval) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("n", "m"), [(12, 20), (30, 30)])
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.7), (0.9, 0.95), (0.8, 0.8)])
def test_coverage_of_two_shares_is_near_its_level(n, m, p, q):
    """Summed exactly over both binomials. Newcombe (1998) finds .95 on average for such limits."""
    covered = 0.0
    for x in range(n + 1):
        for y in range(m + 1):
            a, b = [[0, 0], [n - x, x]], [[0, 0], [m - y, y]]
            inside = (q - p) in unpaired_difference(a, b, "recall").interval
            covered += inside * stats.binom.pmf(x, n, p) * stats.binom.pmf(y, m, q)
    # Discrete: at single designs of this size Newcombe's table has .93 to .99.
    assert 0.93 < covered < 0.99


def test_three_counts_of_a_paper_are_enough_for_f_scores():
    alone, full = ((77, 44, 10), [80, 40, 20]), ([[0, 44], [10, 77]], [[0, 40], [20, 80]])
    for metric in ("f1", "recall", "f0.5"):
        assert unpaired_difference(*alone, metric) == unpaired_difference(*full, metric)
    with pytest.raises(ValueError, match=r"matrix_a must have shape \(r, r\), got shape \(3,\)"):
        unpaired_difference(*alone, "accuracy")


def test_verdicts():
    assert unpaired_difference(A, B).verdict("x", "y") == "x and y are not distinguished"
    good = [[1500, 10], [10, 200]]
    assert unpaired_difference(A, good).verdict() == "B is better than A"
    assert unpaired_difference(good, A).verdict() == "B is worse than A"
    with pytest.warns(f1ci.UndefinedMetricWarning):
        nothing = unpaired_difference([[5, 0], [0, 0]], A)
    assert nothing.verdict() == "A and B cannot be compared, because a score is undefined"


def test_bad_input_is_quoted():
    with pytest.raises(
        ValueError, match=r"matrix_b must have shape \(r, r\), got shape \(2, 2, 2\)"
    ):
        unpaired_difference(A, [A, A])
    with pytest.raises(ValueError, match=r"matrix_a must be a whole number .*, got -1"):
        unpaired_difference([[1, -1], [1, 1]], A)
