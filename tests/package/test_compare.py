"""Differences of two classifiers on the same items.

Oracles: differences item by item, the joint covariance.
"""

import numpy as np
import pytest
from scipy import stats

import f1ci
from f1ci.types import UndefinedMetricWarning


def test_difference_by_hand():
    """Accuracy: the mean of the item-wise differences and their standard deviation."""
    rng = np.random.default_rng(21)
    y_true, a, b = rng.integers(0, 2, (3, 80))
    d = (b == y_true).astype(float) - (a == y_true)
    interval = (
        f1ci.Labels(y_true, {"A": a, "B": b})
        .difference("accuracy", method="delta", confidence_level=0.9)
        .interval
    )
    assert interval.estimate == pytest.approx(d.mean(), abs=1e-15)
    assert interval.standard_error == pytest.approx(d.std(ddof=1) / np.sqrt(80), rel=1e-12)
    assert interval.high - interval.estimate == pytest.approx(
        stats.norm.ppf(0.95) * interval.standard_error
    )
    assert interval.metric == "accuracy (B - A)"
    # More than two classes: the same through the trace.
    micro = (
        f1ci.Labels(y_true, {"A": a, "B": b})
        .difference("micro_f1", method="delta", confidence_level=0.9)
        .interval
    )
    assert micro.standard_error == pytest.approx(interval.standard_error, rel=1e-12)


def test_an_undefined_difference_has_no_p_value():
    reason = "because class 'positive' is never predicted; nan was returned"
    with pytest.warns(UndefinedMetricWarning, match=rf"precision \(B - A\) is undefined, {reason}"):
        test = f1ci.Labels([1, 0, 1, 0], {"A": [0, 0, 0, 0], "B": [1, 0, 1, 0]}).difference(
            "precision", margin=0.1
        )
    assert np.isnan([test.p_value, test.p_not_inferior, test.p_equivalent]).all()
    assert "cannot be compared" in test.verdict()


def test_a_score_without_a_slope_where_nothing_is_right_has_a_p_value():
    """A model that is never right against one that always is.

    By McNemar's exact test 12 discordant items that all speak for one model have p = 2 / 2^12; the
    score test is for large samples, and need only be as small in order of magnitude.
    """
    y, wrong = [0, 1, 2] * 4, [1, 2, 0] * 4
    for metric in ("macro_f1", "macro_f1_star"):
        there = f1ci.Labels(y, {"A": y, "B": wrong}).difference(metric)
        back = f1ci.Labels(y, {"A": wrong, "B": y}).difference(metric)
        assert there.estimate == -1.0
        assert there.p_value == pytest.approx(back.p_value, rel=1e-6)
        assert 0.0 < there.p_value < 2 / 2**8


# Different items: exact coverage, the closed form of delta, one answer of p-value and interval


A = [[702, 44], [10, 77]]
B = [[1500, 60], [40, 180]]


@pytest.mark.parametrize("metric", ["f1", "recall", "accuracy", "correlation"])
def test_delta_adds_the_variances(metric):
    one, two = (f1ci.Matrix(m).interval(metric, method="delta") for m in (A, B))
    test = f1ci.Matrix({"A": A, "B": B}).difference(metric, method="delta")
    error = np.hypot(one.standard_error, two.standard_error)
    estimate = two.estimate - one.estimate
    z = stats.norm.isf(0.025)
    assert test.interval.estimate == pytest.approx(estimate, abs=1e-15)
    assert tuple(test.interval) == pytest.approx((estimate - z * error, estimate + z * error))
    assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(estimate) / error), rel=1e-7)


def test_three_counts_of_a_paper_are_enough_for_f_scores():
    alone = f1ci.Counts({"A": (77, 44, 10), "B": [80, 40, 20]})
    full = f1ci.Matrix({"A": [[0, 44], [10, 77]], "B": [[0, 40], [20, 80]]})
    for metric in ("f1", "recall", "f0.5"):
        assert alone.difference(metric) == full.difference(metric)
    with pytest.raises(
        ValueError, match=r"accuracy needs the true negatives: Counts\(tp, fp, fn, t"
    ):
        alone.difference("accuracy")
    with pytest.raises(ValueError, match=r"counts of 'A' must be .*, got \(1, 2\)"):
        f1ci.Counts({"A": (1, 2)})
