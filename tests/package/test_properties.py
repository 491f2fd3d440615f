"""What every door keeps for every metric, asked with random tables."""

import itertools
from functools import partial

import numpy as np
import pytest
from examples import ask, quiet
from hypothesis import given, settings
from hypothesis import strategies as st

import f1ci
from f1ci.metrics import METRICS

LEVELS = (1e-4, 0.5, 0.9, 0.99, 1 - 1e-12)
# Sums of rounded parts: a limit may move by this much.
ROUNDING = 1e-9
# Weighted kappa depends on the order of the classes.
ORDERED = ("linear_kappa", "quadratic_kappa")
rules = settings(max_examples=10)
metrics = pytest.mark.parametrize("name", METRICS)


def tables(r):
    """Small counts, and at times none of a class."""
    cells = st.lists(st.integers(0, 12), min_size=r * r, max_size=r * r)
    return cells.map(lambda cells: np.reshape(cells, (r, r)))


def three_labels(r):
    """Truth and two predictions, all classes among them."""
    codes = st.lists(st.tuples(*[st.integers(0, r - 1)] * 3), min_size=5, max_size=40)
    return codes.map(lambda rows: np.array([*rows, *[(k, k, k) for k in range(r)]]).T)


def ordered_intervals(range_, door, *arguments, levels=LEVELS[1:4], **options):
    """Ask at several levels: limits around the estimate, in the range, of some length, wider.

    Nothing is returned, nor asked, of a score that is undefined.
    """
    answers = [quiet(door, *arguments, confidence_level=x, **options) for x in levels]
    intervals = [getattr(answer, "interval", answer) for answer in answers]
    if np.isnan(intervals[0].estimate):
        return []
    least, largest = range_
    for interval in intervals:
        assert least <= interval.low <= interval.estimate + 1e-15
        assert interval.estimate - 1e-15 <= interval.high <= largest
        assert interval.low < interval.high
    for narrow, wide in itertools.pairwise(intervals):
        assert wide.low <= narrow.low + ROUNDING
        assert wide.high >= narrow.high - ROUNDING
    return intervals


@metrics
@rules
@given(st.data())
def test_matrices(name, data):
    metric = METRICS[name]
    r = 2 if metric.binary else data.draw(st.integers(2, 4))
    table = data.draw(tables(r))
    found = ordered_intervals(
        metric.range, partial(ask, f1ci.Matrix, "interval", (table,)), name, levels=LEVELS
    )
    if found and not metric.binary and name not in ORDERED:
        order = data.draw(st.permutations(range(r)))
        other = quiet(
            ask, f1ci.Matrix, "interval", (table[np.ix_(order, order)],), name, confidence_level=0.9
        )
        assert tuple(other) == pytest.approx(tuple(found[2]), abs=1e-8)


@metrics
@rules
@given(st.data())
def test_labels_in_groups(name, data):
    r = 2 if METRICS[name].binary else data.draw(st.integers(2, 3))
    true, predicted, _ = data.draw(three_labels(r))
    groups = np.arange(len(true)) // 2
    ordered_intervals(
        METRICS[name].range, f1ci.score_interval, true, predicted, name, groups=groups
    )


@metrics
@rules
@given(st.data())
def test_differences(name, data):
    """Also of a model and itself, and with groups; B minus A is minus A minus B."""
    r = 2 if METRICS[name].binary else 3
    true, a, b = data.draw(three_labels(r))
    least, largest = METRICS[name].range
    range_ = least - largest, largest - least
    grouped = data.draw(st.booleans())
    options = {"groups": np.arange(len(true)) // 4} if grouped else {}

    def of_two(a, b):
        return partial(ask, f1ci.Labels, "difference", (true, {"A": a, "B": b}))

    found = ordered_intervals(range_, of_two(a, b), name, **options)
    if found:
        back = quiet(of_two(b, a), name, confidence_level=0.9, **options).interval
        assert tuple(back) == pytest.approx((-found[1].high, -found[1].low), abs=1e-8)
    for interval in ordered_intervals(range_, of_two(a, a), name, levels=(0.9,), **options):
        assert interval.low < 0 < interval.high


@metrics
@settings(max_examples=8)
@given(st.data())
def test_joint_intervals(name, data):
    r = 2 if METRICS[name].binary else 3
    true, a, b = data.draw(three_labels(r))
    joint = quiet(ask, f1ci.Labels, "joint", (true, {"a": a, "b": b}), name)
    least, largest = METRICS[name].range
    for k in np.flatnonzero(np.isfinite(joint.estimate)):
        estimate = joint.estimate[k]
        assert least <= joint.low[k] <= joint.individual_low[k] + ROUNDING
        assert joint.individual_low[k] <= estimate + 1e-15
        assert estimate - 1e-15 <= joint.individual_high[k] <= joint.high[k] + ROUNDING
        assert joint.high[k] <= largest
        assert joint.low[k] < joint.high[k]


# Tables in which a limit once stood still, stepped back or had no length.


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ([[159, 1], [0, 40]], "lift"),
        ([[5, 1], [0, 1]], "lift"),
        ([[0, 0], [1, 9]], "kappa"),
        *(([[0, 20], [30, 0]], name) for name in ("macro_f1_star", "weighted_f1", "mcc", "f1")),
    ],
)
def test_tables_that_once_failed(table, name):
    levels = (0.8, 0.95, 0.99, 0.999)
    door = partial(ask, f1ci.Matrix, "interval", (table,))
    assert ordered_intervals(METRICS[name].range, door, name, levels=levels)


def test_differences_of_lift_with_three_groups_have_a_length():
    """They were -0.2 (-0.2 to -0.2)."""
    true, a, b = [1, 1, 0, 1, 1, 0], [1, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1]
    found = quiet(
        ask, f1ci.Labels, "difference", (true, {"A": a, "B": b}), "lift", groups=[0, 2, 2, 0, 1, 2]
    ).interval
    assert found.low < 0 < found.high


def test_f1_of_mean_precision_and_recall_with_three_groups_widens_with_the_level():
    """The lower limits were 0.107, 0.185 and 0.739."""
    options = {"average": "macro_star", "groups": [0, 1, 2], "levels": (0.8, 0.95, 0.99)}
    assert ordered_intervals((0, 1), f1ci.f1_score_interval, [0, 1, 0], [0, 1, 1], **options)
