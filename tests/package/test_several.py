"""Several models on one test set: the parts are those of the package, Holm is statsmodels'."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import f1ci

RNG = np.random.default_rng(7)
TRUE = RNG.integers(0, 3, 240)
MODELS = {
    name: np.where(RNG.random(240) < right, TRUE, RNG.integers(0, 3, 240))
    for name, right in (("low", 0.3), ("mid", 0.6), ("also", 0.65), ("high", 0.9))
}
GROUPS = np.arange(240) // 6


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_the_parts_are_those_of_the_package(groups):
    options = {"groups": groups, "confidence_level": 0.9}
    found = f1ci.compare_models(TRUE, MODELS, "macro_f1", rng=1, **options)
    assert len(found.tests) == 6
    for (a, b), test in found.tests.items():
        alone = f1ci.difference_test(TRUE, MODELS[a], MODELS[b], "macro_f1", rng=1, **options)
        # Rows of items come in another order: rounding.
        assert (test.p_value, *test.interval) == pytest.approx(
            (alone.p_value, *alone.interval), rel=1e-9, abs=0.0
        )
    for name, interval in found.intervals.items():
        alone = f1ci.f1_score_interval(TRUE, MODELS[name], average="macro", **options)
        assert tuple(interval) == pytest.approx(tuple(alone), abs=1e-12)
    assert next(iter(found.intervals)) == "high"
    raw = [test.p_value for test in found.tests.values()]
    assert list(found.adjusted.values()) == pytest.approx(multipletests(raw, method="holm")[1])


def test_the_verdict_names_the_best_model_and_its_equals():
    assert f1ci.compare_models(TRUE, MODELS, "macro_f1").verdict() == (
        "high is better than every other model"
    )
    close = {name: MODELS[name] for name in ("low", "mid", "also")}
    comparison = f1ci.compare_models(TRUE, close, "macro_f1")
    best, second, _ = comparison.intervals
    assert comparison.verdict() == (
        f"{best} has the best estimate; it is not distinguished from {second}"
    )
    assert str(comparison).endswith(comparison.verdict())
    frame = comparison.to_frame()
    assert frame.loc[("low", "mid"), "p_adjusted"] == comparison.adjusted["low", "mid"]


def test_bad_input_is_quoted():
    with pytest.raises(ValueError, match="at least two models, got 1"):
        f1ci.compare_models(TRUE, {"a": TRUE}, "macro_f1")
    with pytest.raises(
        TypeError, match=r"predictions must map names of models to labels, got \[1, 2\]"
    ):
        f1ci.compare_models(TRUE, [1, 2], "macro_f1")


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_a_class_that_one_model_alone_predicts_does_not_count_for_the_others():
    odd = np.where(np.arange(240) == 0, 9, TRUE)
    found = f1ci.compare_models(TRUE, MODELS | {"odd": odd}, "macro_f1").tests["low", "mid"]
    alone = f1ci.difference_test(TRUE, MODELS["low"], MODELS["mid"], "macro_f1")
    assert (found.p_value, *found.interval) == (alone.p_value, *alone.interval)
