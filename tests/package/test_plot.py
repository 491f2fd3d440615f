"""What the plots show, read back from the axes."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import f1ci

mpl.use("Agg")

TRUE = [1] * 40 + [0] * 60
A = [1] * 30 + [0] * 65 + [1] * 5
B = [1] * 37 + [0] * 60 + [1] * 3
INTERVALS = {"A": f1ci.f1_interval(30, 5, 10), "B": f1ci.f1_interval(37, 3, 3)}


@pytest.fixture(autouse=True)
def _close():
    yield
    pyplot.close("all")


def drawn(ax):
    """End points of the lines, row by row, and the dots."""
    lines = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2]
    dots = [tuple(line.get_xydata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    return lines, dots


def names(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_a_forest_shows_the_intervals_from_top_to_bottom():
    ax = f1ci.plot.forest(INTERVALS)
    lines, dots = drawn(ax)
    for k, interval in enumerate(INTERVALS.values()):
        np.testing.assert_array_equal(lines[k], [[interval.low, k], [interval.high, k]])
        assert dots[k] == (interval.estimate, k)
    assert ax.yaxis_inverted()
    assert names(ax) == ["A", "B"]
    assert ax.get_xlabel() == "f1, 95 % CI, Wilson score"
    ax.figure.canvas.draw()
    wider = {"C": f1ci.f1_interval(5, 1, 1, confidence_level=0.9), **INTERVALS}
    assert (
        f1ci.plot.forest(wider).get_xlabel()
        == "f1, 90 % CI, Wilson score; f1, 95 % CI, Wilson score"
    )


def test_a_forest_of_joint_intervals_and_of_arrays():
    joint = f1ci.Labels(TRUE, {"A": A, "B": B}).joint(["f1", "accuracy"])
    ax = f1ci.plot.forest(joint)
    ends = [line[:, 0].tolist() for line in drawn(ax)[0]]
    assert ends == list(map(list, zip(*joint, strict=True)))
    assert names(ax) == ["A, f1", "A, accuracy", "B, f1", "B, accuracy"]
    table = f1ci.f1_interval([[3, 4], [5, 6]], 1, 2)
    assert names(f1ci.plot.forest(table)) == ["0, 0", "0, 1", "1, 0", "1, 1"]
    each = f1ci.f1_score_interval(list("aab"), list("abb"), average=None)
    assert names(f1ci.plot.forest(each)) == ["a", "b"]


def test_a_difference_shows_zero_the_margin_and_the_verdict():
    test = f1ci.Labels(TRUE, {"old": A, "new": B}).difference(margin=0.02)
    _, ax = pyplot.subplots()
    assert f1ci.plot.difference(test, ax=ax) is ax
    lines, dots = drawn(ax)
    assert lines[0][:, 0].tolist() == [test.interval.low, test.interval.high]
    assert lines[1][:, 0].tolist() == [0.0, 0.0]
    assert dots == [(test.estimate, 0)]
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.x0, band.x1) == (pytest.approx(-0.02), pytest.approx(0.02))
    assert names(ax) == ["new − old"]
    assert test.verdict() in ax.get_xlabel()
