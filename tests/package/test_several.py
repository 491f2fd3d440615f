"""Several models on one test set: the parts are those of the package, Holm is statsmodels'."""

import numpy as np
import pytest
from examples import noisy
from statsmodels.stats.multitest import multipletests

import f1ci

RNG = np.random.default_rng(7)
TRUE = RNG.integers(0, 3, 240)
MODELS = {
    name: noisy(RNG, TRUE, right, 3)
    for name, right in (("low", 0.3), ("mid", 0.6), ("also", 0.65), ("high", 0.9))
}


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


def test_ranks_count_the_models_that_are_surely_better_and_worse():
    found = f1ci.compare_models(TRUE, MODELS, "micro_f1")
    better = dict.fromkeys(MODELS, 0)
    worse = dict.fromkeys(MODELS, 0)
    rejected = multipletests([t.p_value for t in found.tests.values()], method="holm")[0]
    for ((a, b), test), sure in zip(found.tests.items(), rejected, strict=True):
        if sure:
            better[a if test.estimate > 0 else b] += 1
            worse[b if test.estimate > 0 else a] += 1
    assert found.ranks == {name: (1 + better[name], 4 - worse[name]) for name in found.intervals}
    assert found.ranks["high"] == (1, 1)
    assert found.ranks["low"] == (4, 4)
    assert found.ranks["mid"] == found.ranks["also"] == (2, 3)


def test_a_table_has_a_line_for_each_model_and_pairs_on_demand():
    found = f1ci.compare_models(TRUE, MODELS, "micro_f1")
    head, *lines, verdict = str(found).splitlines()
    assert head.split()[-1] == "rank"
    assert [line.split()[0] for line in lines] == list(found.intervals)
    assert [line.split("  ")[-1].strip() for line in lines] == ["1", "2 to 3", "2 to 3", "4"]
    assert verdict == found.verdict()
    assert len(found.pairs().splitlines()) == 1 + len(found.tests)
    assert "p (Holm)" in found.pairs()


def test_all_ranks_are_right_at_once_in_95_percent_of_the_test_sets():
    """Five models, of which two are equal; 200 test sets, so that 5 % has a s.e. of 0.015."""
    rng = np.random.default_rng(12)
    right = {"a": 0.9, "b": 0.9, "c": 0.85, "d": 0.75, "e": 0.7}
    all_inside = narrow = 0
    for _ in range(200):
        y = rng.integers(0, 2, 200)
        models = {name: np.where(rng.random(200) < p, y, 1 - y) for name, p in right.items()}
        ranks = f1ci.compare_models(y, models, "accuracy").ranks
        true = {"a": (1, 2), "b": (1, 2), "c": (3, 3), "d": (4, 4), "e": (5, 5)}
        all_inside += all(
            ranks[m][0] <= last and ranks[m][1] >= one for m, (one, last) in true.items()
        )
        narrow += ranks["e"][0] > 2
    assert all_inside >= 184
    assert narrow > 150


def groups_of(rng, right, size):
    y = (rng.random(len(right) * size) < 0.4).astype(int)
    by = np.repeat(list(right), size)
    chance = np.repeat(list(right.values()), size)
    return y, np.where(rng.random(len(y)) < chance, y, 1 - y), by


def test_groups_of_items_are_compared_as_separate_test_sets():
    y, predicted, by = groups_of(np.random.default_rng(2), {"n": 0.9, "s": 0.7, "e": 0.85}, 80)
    test = f1ci.Labels(y, predicted, by=by)
    found = test.compare()
    for name in "nse":
        own = by == name
        alone = f1ci.Labels(y[own], predicted[own])
        assert found.intervals[name] == alone.interval() == test.interval("f1", name)
    counts = {}
    for name in "nse":
        tn, fp, fn, tp = f1ci.Labels(y[by == name], predicted[by == name]).binary_matrix()
        counts[name] = (tp, fp, fn, tn)
    unpaired = f1ci.Counts(counts).difference("f1", "n", "s")
    assert found.tests["n", "s"].p_value == unpaired.p_value
    assert found.verdict() == "a gap was found: s is below e, s is below n"
    patients = np.arange(len(y)) // 4
    in_units = f1ci.Labels(y, predicted, by=by, groups=patients).interval("f1", "n")
    assert in_units.method == "score+groups"


def test_a_gap_is_claimed_in_5_percent_of_the_test_sets_and_the_excluded_one_is_too_small_in_5():
    """Four groups with the same F1 (200 test sets): the true gap is 0. Then one with a gap."""
    rng = np.random.default_rng(13)
    alike = dict.fromkeys("nesw", 0.85)
    claimed = sum(
        "gap was found" in f1ci.Labels(y, p, by=by).compare("accuracy").verdict()
        for y, p, by in (groups_of(rng, alike, 60) for _ in range(200))
    )
    assert claimed <= 20  # 5 % and three standard errors
    apart = {"n": 0.85, "e": 0.75, "s": 0.8, "w": 0.8}
    too_small = sum(
        f1ci.Labels(y, p, by=by).compare("accuracy").largest_gap < 0.1
        for y, p, by in (groups_of(rng, apart, 60) for _ in range(200))
    )
    assert too_small <= 20


def test_groups_without_a_gap_say_how_large_a_gap_is_excluded():
    y, predicted, by = groups_of(np.random.default_rng(3), {"n": 0.9, "s": 0.9}, 200)
    found = f1ci.Labels(y, predicted, by=by).compare()
    ((_, test),) = found.tests.items()
    assert found.largest_gap == max(abs(x) for x in test.interval)
    excluded = float(found.verdict().split()[6])
    assert found.verdict() == f"no gap found, and gaps above {excluded:g} are excluded"
    assert 0 <= excluded - found.largest_gap < 1e-3


def test_what_groups_cannot_be_asked():
    y, predicted, by = groups_of(np.random.default_rng(4), {"n": 0.9, "s": 0.9}, 20)
    with pytest.raises(ValueError, match=r"by compares groups of items for one model.*'a', 'b'"):
        f1ci.Labels(y, {"a": predicted, "b": y}, by=by)
    with pytest.raises(ValueError, match="class_shares is not known by group"):
        f1ci.Labels(y, predicted, by=by, class_shares={0: 0.5, 1: 0.5})
    with pytest.raises(ValueError, match="by must have 40 labels"):
        f1ci.Labels(y, predicted, by=by[1:])
    test = f1ci.Labels(y, predicted, by=by)
    for question, asked in (("joint", {"metrics": "f1"}), ("report", {}), ("plan", {})):
        with pytest.raises(ValueError, match=rf"{question} is for models on the .*'n', 's'"):
            getattr(test, question)(**asked)
