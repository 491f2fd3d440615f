"""Several models on one test set: the parts are those of the package, Holm is statsmodels'."""

import numpy as np
import pytest
from examples import ask, noisy, quiet
from statsmodels.stats.multitest import multipletests

import f1ci

RNG = np.random.default_rng(7)
TRUE = RNG.integers(0, 3, 240)
MODELS = {
    name: noisy(RNG, TRUE, right, 3)
    for name, right in (("low", 0.3), ("mid", 0.6), ("also", 0.65), ("high", 0.9))
}


@pytest.mark.parametrize("groups", [None, np.arange(240) // 6])
def test_the_parts_are_those_of_the_package(groups):
    """A class that one other model alone predicts does not count for a pair."""
    options = {"groups": groups, "confidence_level": 0.9}
    odd = np.where(np.arange(240) == 0, 9, TRUE)
    models = {"low": MODELS["low"], "high": MODELS["high"], "odd": odd}
    found = quiet(f1ci.compare_models, TRUE, models, "macro_f1", **options)
    assert list(found.intervals) == ["high", "odd", "low"]  # the best estimate first
    assert list(found.tests) == [("low", "high"), ("low", "odd"), ("high", "odd")]
    for (a, b), test in found.tests.items():
        alone = quiet(
            ask,
            f1ci.Labels,
            "difference",
            (TRUE, {"A": models[a], "B": models[b]}),
            "macro_f1",
            **options,
        )
        # Rows of items come in another order: rounding.
        expected = pytest.approx((alone.p_value, *alone.interval), rel=1e-9, abs=0.0)
        assert (test.p_value, *test.interval) == expected


def test_p_values_are_adjusted_as_by_holm():
    found = f1ci.compare_models(TRUE, MODELS, "micro_f1")
    raw = [test.p_value for test in found.tests.values()]
    assert list(found.adjusted.values()) == pytest.approx(multipletests(raw, method="holm")[1])


def test_the_verdict_names_the_best_model_and_its_equals():
    assert f1ci.compare_models(TRUE, MODELS, "micro_f1").verdict() == (
        "high is better than every other model"
    )
    close = {name: MODELS[name] for name in ("low", "mid", "also")}
    comparison = f1ci.compare_models(TRUE, close, "micro_f1")
    best, second, _ = comparison.intervals
    assert comparison.verdict() == (
        f"{best} has the best estimate; it is not distinguished from {second}"
    )
    assert str(comparison).endswith(comparison.verdict())
    frame = comparison.to_frame()
    assert frame.loc[("low", "mid"), "p_adjusted"] == comparison.adjusted["low", "mid"]


def test_two_and_three_models_have_one_verdict():
    """Models are told apart by p-value and interval alike, whether others are there or not.

    A third model that equals the better one adds a pair; Holm's method doubles p-values at most.
    """
    y = np.array([1] * 30 + [0] * 30)
    for changed in range(1, 12):
        a = np.where(np.arange(60) < changed, 0, y)
        pair = f1ci.compare_models(y, {"a": a, "b": y})
        ((_, test),) = pair.tests.items()
        apart = not test.interval.low <= 0.0 <= test.interval.high
        assert apart == (test.p_value <= 0.05)
        assert ("better" in pair.verdict()) == apart
        three = f1ci.compare_models(y, {"a": a, "b": y, "c": a})
        if "b is better than every" in three.verdict():
            assert apart
            assert three.adjusted["a", "b"] <= 0.05
