"""Labels from a judge: formulas of two-phase sampling by hand, and what the intervals cover."""

from collections import Counter

import numpy as np
import pytest
from examples import quiet
from scipy import optimize

import f1ci
from f1ci import judged


def population(rng, items, *, positive=0.3, model=0.85, judge=0.9):
    """Truth, a model's predictions and a judge's labels, both wrong at random."""
    truth = (rng.random(items) < positive).astype(int)
    prediction = np.where(rng.random(items) < model, truth, 1 - truth)
    labels = np.where(rng.random(items) < judge, truth, 1 - truth)
    return truth, prediction, labels


def checked(truth, places):
    """The truth at these places, and None elsewhere."""
    gold = np.full(len(truth), None, dtype=object)
    gold[places] = truth[places]
    return gold.tolist()


def f1_of(table):
    return 2 * table[1, 1] / (table[1].sum() + table[:, 1].sum())


def slopes(table, step=1e-6):
    """The derivatives of F1 by the cells, numerically."""
    g = np.zeros((2, 2))
    for cell in np.ndindex(2, 2):
        bump = np.zeros((2, 2))
        bump[cell] = step
        g[cell] = (f1_of(table + bump) - f1_of(table - bump)) / (2 * step)
    return g


@pytest.mark.parametrize("pool", [600, 3000])
def test_estimate_and_error_are_those_of_sampling_in_two_phases(pool):
    """Cochran (1977), section 12.2: within strata by the checked items, between them by all."""
    truth, prediction, judge = population(np.random.default_rng(5), pool)
    places = np.arange(150)
    strata = list(zip(prediction.tolist(), judge.tolist(), strict=True))
    table = np.zeros((2, 2))
    for stratum, number in Counter(strata).items():
        own = [truth[k] for k in places if strata[k] == stratum]
        for label in own:
            table[label, stratum[0]] += number / pool / len(own)
    g = slopes(table)
    within = between = 0.0
    mean = (table * g).sum()
    for stratum, number in Counter(strata).items():
        moves = [g[truth[k], stratum[0]] for k in places if strata[k] == stratum]
        within += (number / pool) ** 2 * np.var(moves, ddof=1) / len(moves)
        between += number / pool * (np.mean(moves) - mean) ** 2
    found = f1ci.Labels(checked(truth, places), prediction, judge=judge).interval()
    assert found.estimate == pytest.approx(f1_of(table), rel=1e-12)
    # The slopes are numerical.
    assert found.standard_error**2 == pytest.approx(within + between / (pool - 1), rel=1e-6)


def test_a_large_pool_has_known_shares():
    """The shares of a pool of 10^9 items are known to five digits."""
    truth, prediction, judge = population(np.random.default_rng(6), 200)
    strata = [f"{p}{j}" for p, j in zip(prediction, judge, strict=True)]
    counts = {name: 10**7 * k for name, k in Counter(strata).items()}
    shares = {name: k / sum(counts.values()) for name, k in counts.items()}
    for metric in ("f1", "macro_f1", "precision", "mcc"):
        of_pool = f1ci.Labels(truth, prediction, strata=strata, stratum_counts=counts)
        known = f1ci.Labels(truth, prediction, strata=strata, stratum_shares=shares)
        one, other = of_pool.interval(metric), known.interval(metric)
        assert one.estimate == pytest.approx(other.estimate, rel=1e-12)
        # The variance factor of the region is of the order 1 / 200, and counts the pool's items.
        assert list(one) == pytest.approx(list(other), abs=5e-4)
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-4)


def test_if_people_looked_at_everything_the_judge_changes_nothing():
    """The variances within and between strata are then all of it, but for the divisors n_h - 1."""
    truth, prediction, judge = population(np.random.default_rng(7), 2000)
    with_judge = f1ci.Labels(truth, prediction, judge=judge).interval()
    alone = f1ci.Labels(truth, prediction).interval()
    assert with_judge.estimate == pytest.approx(alone.estimate, rel=1e-12)
    assert with_judge.standard_error == pytest.approx(alone.standard_error, rel=1e-3)
    assert list(with_judge) == pytest.approx(list(alone), abs=2e-3)


def test_the_interval_covers_although_the_judge_is_wrong():
    """A judge that copies half of the model's errors: taken for the truth it covers almost never.

    400 test sets; the standard error of a coverage of 0.95 is 0.011.
    """
    rng = np.random.default_rng(8)
    inside = np.zeros((400, 2), dtype=bool)
    cells = np.array([[0.55 * 0.85, 0.55 * 0.15], [0.45 * 0.2, 0.45 * 0.8]])
    for k in range(len(inside)):
        cell = rng.choice(4, 1500, p=cells.ravel())
        truth, prediction = np.divmod(cell, 2)
        judge = np.where(rng.random(1500) < 0.9, truth, 1 - truth)
        judge = np.where(rng.random(1500) < 0.5, prediction, judge)
        gold = checked(truth, np.arange(120))
        test = quiet(f1ci.Labels, gold, prediction, judge=judge)
        value = f1_of(cells)
        inside[k] = value in test.interval(), value in f1ci.Labels(judge, prediction).interval()
    ours, judge_as_truth = inside.mean(axis=0)
    assert 0.925 <= ours <= 0.985
    assert judge_as_truth < 0.1


def test_of_two_models_the_strata_are_of_both():
    """A judge that copies A's errors hides what B gains; the checked items do not."""
    rng = np.random.default_rng(9)
    truth, a, _ = population(rng, 4000, model=0.8)
    b = np.where(rng.random(4000) < 0.9, truth, 1 - truth)
    judge = np.where(rng.random(4000) < 0.6, a, truth)
    gain = f1ci.Labels(truth, {"a": a, "b": b}).difference().estimate
    by_judge = f1ci.Labels(judge, {"a": a, "b": b}).difference()
    assert by_judge.interval.high < gain
    gold = checked(truth, np.arange(300))
    test = quiet(f1ci.Labels, gold, {"a": a, "b": b}, judge=judge)
    found = test.difference()
    alone = f1ci.Labels(truth[:300], {"a": a[:300], "b": b[:300]}).difference()
    assert gain in found.interval
    assert found.interval.length < alone.interval.length
    assert found.discordant == alone.discordant
    joint = test.joint(["f1", "recall"])
    np.testing.assert_allclose(
        np.sqrt(np.diag(joint.covariance))[[0, 2]],
        [test.interval("f1", name).standard_error for name in "ab"],
        rtol=1e-9,
    )


def test_a_report_counts_the_checked_items_and_a_plan_is_refused():
    truth, prediction, judge = population(np.random.default_rng(10), 900)
    test = f1ci.Labels(checked(truth, np.arange(100)), prediction, judge=judge)
    report = test.report()
    assert report.items == 100
    assert report.support.tolist() == np.bincount(truth[:100]).tolist()
    with pytest.raises(ValueError, match="label_plan says what to check, got a pool of 900 items"):
        test.plan("f1", half_width=0.05)


def test_strata_with_too_few_checked_items_join_the_most_alike():
    """Where the model predicts what nobody checked, the same prediction comes first."""
    truth = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    prediction = [*truth[:-1], "a"]
    judge = [*truth[:-1], "b"]
    gold = truth.copy()
    gold[-1] = None
    with pytest.warns(f1ci.IntervalWarning, match=r"fewer than 2 items .* \('a', 'b'\); each"):
        test = f1ci.Labels(gold, prediction, judge=judge)
    # All checked items of ("a", "a") are right, and so is the one that joins them.
    assert test.interval("accuracy").estimate == 1.0
    _, _, counts = quiet(judged.post_stratified, {"y_true": gold, "y_pred": prediction}, judge)
    assert counts == {("a", "a"): 11, ("b", "b"): 10, ("c", "c"): 9}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"judge": [1, 0]}, "judge must have 8 labels"),
        ({"judge": [1, None] * 4}, "judge must not hold missing labels, got None at position 1"),
        ({"judge": [0.3, 0.9] * 4}, "must hold classes, got the fraction 0.3; compare prob"),
        ({"judge": [1, 0] * 4, "class_shares": {0: 0.5, 1: 0.5}}, "class_shares is not for a jud"),
        ({"judge": [1, 0] * 4, "groups": range(8)}, "drawn one by one, not for groups"),
        ({"strata": [0, 1] * 4, "stratum_counts": {0: 4}}, "above 0 for stratum 1, which has"),
        ({"strata": [0, 1] * 4, "stratum_counts": {0: 4, 1: 2.5}}, "whole number .* got 2.5"),
        ({"strata": [0, 1] * 4, "stratum_counts": {0: 4, 1: 2, 2: 1}}, "join a stratum without"),
        ({"stratum_counts": {0: 4}}, "strata goes with stratum_shares, or with"),
    ],
)
def test_mistakes_are_refused(options, sentence):
    y_true, y_pred = [0, 1, 1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 1, 0, 1]
    with pytest.raises(ValueError, match=sentence):
        quiet(f1ci.Labels, y_true, y_pred, **options)


def test_labels_that_nobody_checked_are_refused():
    with pytest.raises(ValueError, match=r"y_true must hold the labels of the items that people"):
        f1ci.Labels([None] * 4, [0, 1, 0, 1], judge=[0, 1, 1, 1])
    with pytest.raises(ValueError, match="y_true must not hold missing labels"):
        f1ci.Labels([0, 1, None, 1], [0, 1, 0, 1])


def test_the_plan_has_the_least_variance():
    """SciPy's minimum of the variance over all allotments, with slopes by differences."""
    _, prediction, judge = population(np.random.default_rng(11), 4000)
    strata = [(1, 1), (1, 0), (0, 1), (0, 0)]
    number = Counter(zip(prediction.tolist(), judge.tolist(), strict=True))
    weight = np.array([number[one] for one in strata]) / 4000
    chance = {j: np.array([0.15, 0.85])[:: 1 if j else -1] for j in (0, 1)}
    table = np.zeros((2, 2))
    for share, (p, j) in zip(weight, strata, strict=True):
        table[:, p] += share * chance[j]
    g = slopes(table)
    variance = [chance[j] @ g[:, p] ** 2 - (chance[j] @ g[:, p]) ** 2 for p, j in strata]
    best = optimize.minimize(
        lambda n: (weight**2 * variance / n).sum() * 1e4,
        np.full(4, 75.0),
        bounds=[(5.0, None)] * 4,
        constraints={"type": "eq", "fun": lambda n: n.sum() - 300.0},
        options={"ftol": 1e-14},
    )
    plan = f1ci.label_plan(prediction, judge, 300)
    assert sum(plan.values()) == 300
    # Whole numbers, and a minimum that is flat.
    assert [plan[one] for one in strata] == pytest.approx(best.x, abs=1.5)


def test_plans_of_all_items_and_of_too_few():
    prediction, judge = [0, 0, 1, 1] * 20, [0, 1, 0, 1] * 20
    assert set(f1ci.label_plan(prediction, judge, 80).values()) == {20}
    assert set(f1ci.label_plan(prediction, judge, 8).values()) == {2}
    assert min(f1ci.label_plan(prediction, judge, 24).values()) == 3
    two = f1ci.label_plan({"a": prediction, "b": judge}, judge, 40, "macro_f1")
    assert sum(two.values()) == 40
    # Where both models say the same, the truth does not change their difference.
    assert two[0, 0, 0] == two[1, 1, 1] == 5
    with pytest.raises(ValueError, match=r"n must be at least 8, .* 80 items, got 7"):
        f1ci.label_plan(prediction, judge, 7)
    with pytest.raises(ValueError, match="pos_label must be one of the labels 0, 1, got 2"):
        f1ci.label_plan(prediction, judge, 30, pos_label=2)
    with pytest.raises(ValueError, match=r"of one model, or of two .* got 3"):
        f1ci.label_plan(dict.fromkeys("abc", prediction), judge, 30)


def test_runs_that_are_alike_are_one_model():
    truth, prediction, judge = population(np.random.default_rng(12), 2000)
    gold = checked(truth, np.arange(200))
    runs = quiet(f1ci.Runs(gold, [prediction, prediction], judge=judge).interval)
    alone = f1ci.Labels(gold, prediction, judge=judge).interval(method="logit")
    assert runs.estimate == pytest.approx(alone.estimate, rel=1e-12)
    assert runs.standard_error == pytest.approx(alone.standard_error, rel=1e-9)


def test_each_group_has_its_own_strata():
    truth, prediction, judge = population(np.random.default_rng(13), 2000)
    hospital = np.arange(2000) % 2
    gold = np.array(checked(truth, np.arange(400)), dtype=object)
    test = f1ci.Labels(gold, prediction, judge=judge, by=hospital)
    for name in (0, 1):
        own = hospital == name
        alone = f1ci.Labels(gold[own], prediction[own], judge=judge[own]).interval()
        assert test.interval("f1", str(name)) == alone
