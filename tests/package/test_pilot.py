"""Plans from a pilot: published intervals give back the number of items that they came from."""

import numpy as np
import pytest
from examples import TOY, labels_of
from scipy import stats

import f1ci


def test_a_published_interval_gives_back_its_items():
    """Takahashi et al. (2022): macro F1 of 100 items is .689, with the interval .562 to .817."""
    y_true, y_pred = labels_of(TOY)
    plan = f1ci.pilot_interval_size(y_true, y_pred, "macro_f1", half_width=(0.817 - 0.562) / 2)
    # A limit is printed with three digits, so that the half width is known within 0.4 %.
    assert plan.items == pytest.approx(100, rel=0.01)
    assert plan.pilot_items == 100
    half = f1ci.pilot_interval_size(y_true, y_pred, "macro_f1", half_width=0.1275 / 2)
    assert half.items == pytest.approx(400, rel=0.01)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_accuracy_is_a_share(level):
    y_true, y_pred = [0, 1] * 50, [0, 1] * 45 + [1, 0] * 5
    plan = f1ci.pilot_interval_size(
        y_true, y_pred, "accuracy", half_width=0.02, confidence_level=level
    )
    expected = stats.norm.ppf(0.5 + level / 2) ** 2 * 0.9 * 0.1 / 0.02**2
    assert plan.items == int(np.ceil(expected))


def test_groups_are_counted():
    """Groups of five items that are all alike: so many groups as items would be needed."""
    y_true, y_pred = [0, 1] * 20, [0, 1] * 18 + [1, 0] * 2
    alone = f1ci.pilot_interval_size(y_true, y_pred, "accuracy", half_width=0.05)
    many_true, many_pred = np.repeat(y_true, 5), np.repeat(y_pred, 5)
    groups = np.repeat(np.arange(40), 5)
    plan = f1ci.pilot_interval_size(
        many_true, many_pred, "accuracy", half_width=0.05, groups=groups
    )
    assert plan.pilot_items == 40
    # The cluster-robust error has the factor G / (G - 1).
    assert plan.items == pytest.approx(alone.items * 40 / 39, abs=1)


def test_indicators_are_units():
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 2, (60, 3))
    y_pred = np.where(rng.random((60, 3)) < 0.8, y_true, 1 - y_true)
    plan = f1ci.pilot_interval_size(y_true, y_pred, average="macro", half_width=0.05)
    error = f1ci.score_interval(y_true, y_pred, average="macro").standard_error
    assert plan.items == int(np.ceil(60 * error**2 * (stats.norm.ppf(0.975) / 0.05) ** 2))


def test_mistakes_get_a_sentence():
    with pytest.raises(ValueError, match="right and wrong predictions for a plan, got a standard"):
        f1ci.pilot_interval_size([0, 1] * 9, [0, 1] * 9, half_width=0.1)
    with pytest.raises(ValueError, match="one score for a plan, such as 'macro', got None"):
        f1ci.pilot_interval_size([0, 1] * 9, [1, 0] * 9, half_width=0.1, average=None)
    with pytest.raises(ValueError, match="half_width must be a finite number above 0, got 0"):
        f1ci.pilot_interval_size([0, 1] * 9, [1, 0] * 9, half_width=0)
