"""What every door keeps for every metric, asked with random tables."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import f1ci
from f1ci.metrics import METRICS

LEVELS = (0.5, 0.9, 0.99)
# Sums of rounded parts: a limit may move by this much.
ROUNDING = 1e-9
# Weighted kappa depends on the order of the classes.
ORDERED = ("linear_kappa", "quadratic_kappa")
rules = settings(max_examples=15)


def tables(r):
    return st.lists(st.integers(0, 12), min_size=r * r, max_size=r * r).map(
        lambda cells: np.reshape(cells, (r, r)) + np.eye(r, dtype=int)
    )


def three_labels(r):
    """Truth and two predictions, all classes among them."""
    codes = st.lists(st.tuples(*[st.integers(0, r - 1)] * 3), min_size=5, max_size=40)
    return codes.map(lambda rows: np.array([*rows, *[(k, k, k) for k in range(r)]]).T)


def quiet(door, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        return door(*arguments, **options)


def assert_in_order(intervals, range_):
    """Limits around the estimate, in the range, of some length, wider with the level."""
    least, largest = range_
    for interval in intervals:
        assert least <= interval.low <= interval.estimate + 1e-15
        assert interval.estimate - 1e-15 <= interval.high <= largest
        assert interval.low < interval.high
    for narrow, wide in itertools.pairwise(intervals):
        assert wide.low <= narrow.low + ROUNDING
        assert wide.high >= narrow.high - ROUNDING


@pytest.mark.parametrize("name", METRICS)
@rules
@given(st.data())
def test_matrices(name, data):
    metric = METRICS[name]
    r = 2 if metric.binary else data.draw(st.integers(2, 4))
    table = data.draw(tables(r))
    found = [quiet(f1ci.metric_interval, table, name, confidence_level=x) for x in LEVELS]
    if np.isnan(found[0].estimate):
        return
    assert_in_order(found, metric.range)
    if not metric.binary and name not in ORDERED:
        order = data.draw(st.permutations(range(r)))
        other = quiet(f1ci.metric_interval, table[np.ix_(order, order)], name)
        here = quiet(f1ci.metric_interval, table, name)
        assert tuple(other) == pytest.approx(tuple(here), abs=1e-8)


@pytest.mark.parametrize("name", METRICS)
@rules
@given(st.data())
def test_labels_and_groups(name, data):
    metric = METRICS[name]
    r = 2 if metric.binary else data.draw(st.integers(2, 3))
    true, predicted, _ = data.draw(three_labels(r))
    groups = np.arange(len(true)) // 2
    for options in ({}, {"groups": groups}):
        found = [
            quiet(f1ci.score_interval, true, predicted, name, confidence_level=x, **options)
            for x in LEVELS
        ]
        if np.isfinite(found[0].estimate):
            assert_in_order(found, metric.range)
    matrix = f1ci.confusion_matrix(true, predicted)
    here = quiet(f1ci.score_interval, true, predicted, name)
    there = quiet(f1ci.metric_interval, matrix, name)
    assert tuple(here) == pytest.approx(tuple(there), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
@rules
@given(st.data())
def test_differences(name, data):
    metric = METRICS[name]
    r = 2 if metric.binary else 3
    true, a, b = data.draw(three_labels(r))
    found = [quiet(f1ci.difference_interval, true, a, b, name, confidence_level=x) for x in LEVELS]
    if np.isnan(found[0].estimate):
        return
    least, largest = metric.range
    assert_in_order(found, (least - largest, largest - least))
    back = quiet(f1ci.difference_interval, true, b, a, name, confidence_level=LEVELS[1])
    assert tuple(back) == pytest.approx((-found[1].high, -found[1].low), abs=1e-8)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=8)
@given(st.data())
def test_joint_intervals(name, data):
    metric = METRICS[name]
    r = 2 if metric.binary else 3
    true, a, b = data.draw(three_labels(r))
    joint = quiet(f1ci.joint_intervals, true, {"a": a, "b": b}, name)
    least, largest = metric.range
    for k in np.flatnonzero(np.isfinite(joint.estimate)):
        estimate = joint.estimate[k]
        assert least <= joint.low[k] <= joint.individual_low[k] + ROUNDING
        assert joint.individual_low[k] <= estimate + 1e-15
        assert estimate - 1e-15 <= joint.individual_high[k] <= joint.high[k] + ROUNDING
        assert joint.high[k] <= largest
        assert joint.low[k] < joint.high[k]
