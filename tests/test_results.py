"""Records: what unpacks, what is frozen."""

import dataclasses
import pickle

import numpy as np
import pytest

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
