"""Averages over some of the classes, and undefined scores: limits, slopes, coverage.

test_scikit_learn.py has the estimates.
"""

from contextlib import nullcontext

import numpy as np
import pytest
from examples import ask, numbers, quiet
from scipy.stats import binomtest

import f1ci

AVERAGES = ("micro", "macro", "weighted")
TRUE = ["a"] * 20 + ["b"] * 15 + ["O"] * 40
PRED = ["a"] * 14 + ["b"] * 3 + ["O"] * 5 + ["b"] * 9 + ["a"] * 4 + ["O"] * 38 + ["a", "b"]
MATRIX = np.array([[30, 4, 2, 5], [5, 21, 9, 1], [1, 6, 40, 8], [2, 3, 9, 80]])


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("groups", [None, np.arange(75) % 9])
def test_one_class_has_the_interval_of_a_binary_score(average, groups):
    flags = [label == "a" for label in TRUE], [label == "a" for label in PRED]
    alone = f1ci.f1_score_interval(*flags, groups=groups)
    found = f1ci.f1_score_interval(TRUE, PRED, labels=["a"], average=average, groups=groups)
    np.testing.assert_allclose(tuple(found), tuple(alone), rtol=0, atol=1e-12)


@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("method", ["score", "cautious", "wilson_direct", "logit", "delta", "wald"])
def test_a_constant_has_limits_with_every_method(method, constant):
    """The delta method gave the estimate 0 or 1 with limits nan. Without items nothing is known."""
    interval = f1ci.f1_score_interval([0] * 5, [0] * 5, method=method, zero_division=constant)
    assert (interval.estimate, *interval) == (constant, 0.0, 1.0)


def test_an_undefined_class_is_left_out_or_a_constant():
    """With four classes of which one is undefined, three quarters of the average are random."""
    of = {"labels": ["a", "b", "O", "never"], "average": "macro"}
    with pytest.warns(
        f1ci.UndefinedMetricWarning, match="macro_f1 leaves out class 'never', where"
    ):
        alone = f1ci.f1_score_interval(TRUE, PRED, **of)
    plain = f1ci.f1_score_interval(TRUE, PRED, average="macro")
    estimate, low, high, error = numbers(plain)
    # The caller named the class, so it exists, and the limits do not know what it would score. The
    # search for a limit ends within 1e-7 of the way to it.
    limits = 0.75 * low, 0.75 * high + 0.25
    np.testing.assert_allclose(numbers(alone), [estimate, *limits, error], rtol=0, atol=1e-7)
    for constant in (0, 1):
        found = f1ci.f1_score_interval(TRUE, PRED, zero_division=constant, **of)
        expected = [0.75 * estimate + 0.25 * constant, *limits, 0.75 * error]
        np.testing.assert_allclose(numbers(found), expected, rtol=0, atol=1e-7)


def test_a_class_without_true_items_has_no_weight_and_no_say_in_the_limits():
    """Class 1 is predicted and never true; the lower limit was nan."""
    found = quiet(
        f1ci.f1_score_interval,
        [3, 2, 3, 0, 0],
        [3, 0, 2, 0, 1],
        labels=[0, 1],
        average="weighted",
    )
    assert found.estimate == pytest.approx(0.5, rel=1e-14)  # of class 0: one right, one of each
    assert 0 < found.low < 0.5 < found.high < 1


def test_items_without_classes_are_left_out_of_the_mean_over_items():
    true, pred = np.array([[1, 0], [0, 1], [0, 0]] * 2), np.array([[1, 0], [1, 1], [0, 0]] * 2)
    with pytest.warns(
        f1ci.UndefinedMetricWarning, match="leaves out 2 units whose score is undefined"
    ):
        found = f1ci.f1_score_interval(true, pred, average="samples")
    assert found.estimate == pytest.approx((1 + 2 / 3) / 2)
    alone = quiet(f1ci.f1_score_interval, true[1:3], pred[1:3], average="samples")
    # Wilson's upper limit for the share of items of another kind, none of one.
    unseen = binomtest(0, 1).proportion_ci(method="wilson").high
    ends = 2 / 3 * (1 - unseen), 2 / 3 + unseen / 3
    assert (alone.estimate, *alone) == pytest.approx((2 / 3, *ends), abs=1e-7)


@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("options", [{}, {"method": "logit"}, {"groups": [0, 1, 2, 3, 4] * 3}])
@pytest.mark.parametrize("metric", ["macro_f1", "macro_precision", "macro_f1_star"])
@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_limits_stay_in_the_range_if_an_unknown_class_counts(metric, options, constant):
    y_true = [0, 1, 1] * 5
    y_pred = [0, 1, 0] + [0, 1, 1] * 4
    options = {"labels": [0, 1, 2], "zero_division": constant, **options}
    interval = f1ci.score_interval(y_true, y_pred, metric, **options)
    assert 0.0 <= interval.low <= interval.estimate <= interval.high <= 1.0
    change = ask(
        f1ci.Labels, "difference", (y_true, {"A": y_pred, "B": y_true}), metric, **options
    ).interval
    assert -1.0 <= change.low <= change.estimate <= change.high <= 1.0


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("method", ["score", "logit", "delta"])
def test_a_joint_interval_is_as_wide_for_an_unknown_class_as_one_alone(method):
    """That of the delta method did not know of the class; its error has the divisor n - 1."""
    y_true = [0, 1, 1] * 100
    y_pred = [0, 1, 0] + [0, 1, 1] * 99
    options = {"labels": [0, 1, 2], "zero_division": 0, "method": method}
    alone = f1ci.score_interval(y_true, y_pred, "macro_f1", **options)
    joint = ask(f1ci.Labels, "joint", (y_true, {"A": y_pred}), "macro_f1", **options)
    limits = joint.individual_low[0], joint.individual_high[0]
    assert limits == pytest.approx(tuple(alone), abs=1e-5)


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_a_difference_of_counts_has_the_constant_of_undefined_scores():
    """From indicators it was 0, from the same counts nan."""
    true = np.zeros((4, 2), dtype=int)
    counts = np.zeros((4, 2, 3), dtype=int)
    one = f1ci.Labels(true, {"A": true, "B": true}, zero_division=0).difference("macro_f1").interval
    other = (
        f1ci.Units({"A": counts, "B": counts}, zero_division=0).difference(average="macro").interval
    )
    assert one.estimate == other.estimate == 0.0
    assert tuple(one) == tuple(other)


@pytest.mark.parametrize("method", ["score", "delta"])
@pytest.mark.parametrize("zero_division", [np.nan, 0, 1])
@pytest.mark.parametrize("table", [[[27, 3], [2, 18]], [[9, 1], [0, 8]]])
def test_a_class_that_may_have_any_score_is_a_constant_at_each_limit(method, zero_division, table):
    """Its weight is a third: the limits are 2/3 of those of the other two classes, plus 0 or 1/3.

    The formula is that of a mean, whatever the method; also where one error is corrected for.
    """
    of_two = f1ci.Matrix(table).interval("macro_f1", method=method)
    of_three = np.pad(table, (0, 1))
    with pytest.warns(f1ci.UndefinedMetricWarning) if np.isnan(zero_division) else nullcontext():
        test = f1ci.Matrix(of_three, zero_division=zero_division)
        found = test.interval("macro_f1", method=method)
    assert found.low == pytest.approx(2 / 3 * of_two.low, abs=1e-6)  # the search settles at 1e-7
    assert found.high == pytest.approx(2 / 3 * of_two.high + 1 / 3, abs=1e-6)


@pytest.mark.parametrize("zero_division", [0, 1])
@pytest.mark.parametrize(
    "table", [[[3, 0, 0], [0, 0, 1], [0, 0, 6]], [[27, 3, 1], [2, 18, 0], [0, 1, 9]]]
)
def test_what_an_undefined_score_would_count_changes_nothing_if_all_are_defined(
    zero_division, table
):
    """The first table has one error, and a class that is never predicted but has an F1 of 0."""
    plain = quiet(f1ci.Matrix(table).interval, "macro_f1")
    counted = quiet(f1ci.Matrix(table, zero_division=zero_division).interval, "macro_f1")
    assert tuple(counted) == tuple(plain)
