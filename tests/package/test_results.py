"""Records: what unpacks, what is frozen."""

import dataclasses
import json
import pickle
from functools import partial

import numpy as np
import pytest
from examples import ask

import f1ci
from f1ci import Interval

INTERVAL = Interval(0.5, 0.25, 1.0, 0.125, 0.95, "wald", "f1")


def test_records_are_frozen_and_travel():
    with pytest.raises(dataclasses.FrozenInstanceError):
        INTERVAL.low = 0.0
    posterior = f1ci.posterior(3, 4, 5)
    for result in (INTERVAL, f1ci.f1_interval([5, 6], 1, 2), of_two(3, 4).difference(), posterior):
        copy = pickle.loads(pickle.dumps(result))
        assert copy == result
        assert {copy: 1}[result] == 1  # equal results have one hash
    assert f1ci.posterior(3, 4, 6) != posterior


@pytest.mark.filterwarnings("ignore::f1ci.UndefinedMetricWarning")
def test_records_are_equal_if_their_values_are():
    interval = f1ci.f1_interval
    assert dataclasses.replace(INTERVAL, low=np.nextafter(INTERVAL.low, 1.0)) != INTERVAL
    assert f1ci.sample_size(half_width=0.1) != INTERVAL
    assert interval(5, 1, 2) == interval(5, 1, 2)
    assert interval(5, 1, 2) != interval(5, 1, 2, method="wald")
    assert interval(5, 1, 2) != (0.0, 1.0)
    assert interval([5, 6], 1, 2) == interval([5, 6], 1, 2)
    assert interval([5, 6], 1, 2) != interval([5, 7], 1, 2)
    assert interval(0, 0, 0) == interval(0, 0, 0)


def test_numbers_deep_inside_are_compared():
    """Text of long arrays is abbreviated, and once two different comparisons were equal."""
    many = f1ci.f1_interval(np.arange(1500), 44, 10)
    changed = dataclasses.replace(many, low=np.where(np.arange(1500) == 700, 0.0, many.low))
    test = of_two(3, 4).difference()
    assert dataclasses.replace(test, interval=many) == dataclasses.replace(test, interval=many)
    assert dataclasses.replace(test, interval=many) != dataclasses.replace(test, interval=changed)


Y_TRUE, A, B = [0, 1, 1, 0] * 9, [0, 1, 0, 1] * 9, [0, 1, 1, 1] * 9
FOLDS = [[[40, 9, 6], [38, 8, 8]]], [[[41, 4, 5], [39, 5, 7]]]


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize(
    ("door", "path", "value"),
    [
        (partial(f1ci.f1_interval, [3, 0], [1, 0], [1, 0]), ["estimate"], [0.75, None]),
        (partial(f1ci.f1_score_interval, [*"xy"], [*"xx"], average=None), ["classes"], [*"xy"]),
        (
            partial(ask, f1ci.Labels, "joint", (Y_TRUE, {"a": A, "b": B}), "f1"),
            ["metrics"],
            ["f1", "f1"],
        ),
        (partial(f1ci.compare_models, Y_TRUE, {"a": A, "b": B}), ["tests", "a, b", "margin"], 0),
        (
            partial(ask, f1ci.Labels, "difference", (Y_TRUE, {"A": A, "B": B})),
            ["discordant"],
            [0, 9],
        ),
        (
            partial(ask, f1ci.Labels, "difference", (Y_TRUE, {"A": A, "B": B})),
            ["interval", "method"],
            "score",
        ),
        (partial(f1ci.sample_size, half_width=0.02), ["total"], None),
        (partial(f1ci.bayes_test, *FOLDS), ["metric"], "f1"),
    ],
)
def test_every_record_can_be_written_as_json(door, path, value):
    record = door().to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    for name in path:
        record = record[name]
    assert record == value


def test_a_limit_that_is_the_truth_covers_it():
    """Whatever the rounding of the two, as a study of coverage counts it."""
    truth = 0.1 + 0.2  # 0.30000000000000004
    interval = Interval([0.3] * 3, [0.2, truth, 0.3 + 1e-9], [0.3, 0.4, 0.4], 0.1, 0.95, "", "f1")
    assert interval.covers(truth).tolist() == [True, True, False]
    assert f1ci.coverage.covers(interval.low, np.inf, 0.3).tolist() == [True, True, False]
    assert INTERVAL.covers(0.25) is True
    assert not INTERVAL.covers(np.nan)


def test_in_means_inside():
    assert 0.7 in f1ci.f1_interval(77, 44, 10)
    assert 0.9 not in f1ci.f1_interval(77, 44, 10)
    pair = f1ci.f1_interval([77, 10], 44, 10)
    assert [0.7, 0.3] in pair
    assert 0.7 not in pair  # each interval must hold it
    with pytest.warns(f1ci.UndefinedMetricWarning):
        assert np.nan not in f1ci.f1_interval(0, 0, 0)


# How results look to a person. The numbers are those of section 6 of Lam, Gopal and Qian (2024).


def test_an_interval_prints_as_a_line():
    interval = f1ci.f1_interval(77, 44, 10)
    assert str(interval) == f"{interval}" == "f1 = 0.740 (95 % CI 0.669 to 0.801, Wilson score)"
    assert "low=" in repr(interval)
    with pytest.warns(f1ci.UndefinedMetricWarning):
        text = str(f1ci.f1_interval(0, 0, 0))
    assert text == "f1 is undefined (95 % CI 0.000 to 1.000, Wilson score)"


@pytest.mark.parametrize(
    ("length", "digits"),
    [(0.011, 3), (0.0099, 4), (1.1e-5, 6), (0.0, 3), (np.nan, 3), (np.inf, 3)],
)
def test_digits_show_two_of_the_length(length, digits):
    text = str(Interval(0.5, 0.5, 0.5 + length, 0.1, 0.999, "score", "f1"))
    assert text.startswith(f"f1 = {0.5:.{digits}f} (99.9 % CI")


def test_arrays_print_as_a_table():
    lines = str(f1ci.f1_interval([77, 0], 44, 10)).splitlines()
    assert lines[0].split() == ["place", "estimate", "low", "high"]
    assert lines[1].split() == ["0", "0.740", "0.669", "0.801"]
    assert lines[2].split()[:3] == ["1", "0.000", "0.000"]
    assert lines[3] == "f1, 95 % CI, Wilson score"
    each = f1ci.f1_score_interval(["é", "<b>", "é"], ["é", "<b>", "<b>"], average=None)
    assert [line.split()[0] for line in str(each).splitlines()[1:3]] == ["<b>", "é"]
    assert "<b>" not in each._repr_html_()
    assert each.to_frame().index.tolist() == ["<b>", "é"]


def test_joint_intervals_print_as_a_table():
    predictions = {"<i>": [0, 1, 0, 1] * 9, "b": Y_TRUE[::-1]}
    joint = f1ci.Labels(Y_TRUE, predictions).joint(["f1", "accuracy"])
    _, first, *_, last = str(joint).splitlines()
    assert first.split()[:3] == ["<i>", "f1", f"{joint.estimate[0]:.3f}"]
    assert first.split()[-1] == f"{joint.individual_high[0]:.3f}"
    assert "hold at once with 95 %" in last


def labels(a_only, b_only, both=40):
    """A true positive each time; and which of A and B finds it."""
    truth = [1] * (a_only + b_only + both) + [0] * 30
    a = [1] * a_only + [0] * b_only + [1] * both + [0] * 30
    b = [0] * a_only + [1] * b_only + [1] * both + [0] * 30
    return truth, a, b


def of_two(*counts):
    truth, a, b = labels(*counts)
    return f1ci.Labels(truth, {"A": a, "B": b})


@pytest.mark.parametrize(
    ("counts", "margin", "verdict"),
    [
        ((0, 20), 0.0, "new is better than old"),
        ((20, 0), 0.0, "new is worse than old"),
        ((3, 4), 0.0, "old and new are not distinguished"),
        ((4, 3, 4000), 0.05, "old and new are equivalent: they differ by less than 0.05"),
        ((1, 5), 0.05, "new is not worse than old by 0.05 or more"),
    ],
)
def test_a_test_has_a_verdict(counts, margin, verdict):
    truth, old, new = labels(*counts)
    test = f1ci.Labels(truth, {"old": old, "new": new}).difference(margin=margin)
    assert test.verdict() == verdict
    assert test.verdict() in str(test)


def test_a_test_of_swaps_says_what_it_tests():
    """Five against none: the exact p-value is 2 / 32, and the interval lies above 0.

    The two answer different questions, so neither verdict speaks of the other's null hypothesis.
    """
    assert of_two(0, 5).difference().verdict() == "B is better than A"
    test = of_two(0, 5).difference(test="exact")
    assert test.p_value == pytest.approx(2 / 32, rel=1e-14)
    assert test.verdict() == "A and B may be exchangeable"
    assert of_two(0, 6).difference(test="exact").verdict() == "A and B are not exchangeable"
    assert "exchangeable      0.062" in str(test)
