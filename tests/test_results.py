"""Records: what unpacks, what is frozen."""

import dataclasses
import pickle

import numpy as np
import pytest

import f1ci
from f1ci import BinaryCounts, Interval

INTERVAL = Interval(0.5, 0.25, 1.0, 0.125, 0.95, "wald", "f1")


def test_an_interval_unpacks_to_its_end_points():
    low, high = INTERVAL
    assert (low, high) == (0.25, 1.0)


def test_length_is_the_difference_of_the_end_points():
    assert INTERVAL.length == 0.75
    pair = Interval(np.zeros(2), np.zeros(2), np.array([1.0, 2.0]), np.ones(2), 0.9, "m", "f1")
    assert pair.length.tolist() == [1.0, 2.0]


def test_an_interval_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        INTERVAL.low = 0.0


def test_results_survive_pickling():
    # They travel between processes in simulations.
    again = pickle.loads(pickle.dumps(INTERVAL))
    assert dataclasses.astuple(again) == dataclasses.astuple(INTERVAL)


def test_binary_counts_are_a_plain_tuple():
    assert BinaryCounts(1, 2, 3, 4) == (1, 2, 3, 4)
    assert BinaryCounts(1, 2, 3, 4).fn == 3


def test_records_are_equal_if_their_values_are():
    assert f1ci.f1_interval(5, 1, 2) == f1ci.f1_interval(5, 1, 2)
    assert f1ci.f1_interval(5, 1, 2) != f1ci.f1_interval(5, 2, 2)
    assert f1ci.f1_interval(5, 1, 2) != f1ci.f1_interval(5, 1, 2, method="wald")
    assert f1ci.f1_interval(5, 1, 2) != (0.0, 1.0)
    many = f1ci.f1_interval([5, 6], 1, 2)
    assert many == f1ci.f1_interval([5, 6], 1, 2)
    assert many != f1ci.f1_interval([5, 7], 1, 2)
    with pytest.warns(f1ci.UndefinedMetricWarning):
        nothing = f1ci.f1_interval(0, 0, 0), f1ci.f1_interval(0, 0, 0)
    assert nothing[0] == nothing[1]
    with pytest.raises(TypeError, match="unhashable"):
        hash(many)


def test_joint_intervals_list_their_rows():
    y_true, y_pred = [0, 1, 1, 0] * 9, [0, 1, 0, 1] * 9
    options = {"predictions": {"a": y_pred, "b": y_true[::-1]}, "metrics": ["f1", "accuracy"]}
    joint = f1ci.joint_intervals(y_true, **options)
    assert list(joint) == [("a", "f1"), ("a", "accuracy"), ("b", "f1"), ("b", "accuracy")]
    assert len(list(joint)) == len(joint)
    assert joint[next(iter(joint))].metric == "f1"
    assert joint == f1ci.joint_intervals(y_true, **options)
