"""Several runs: the analysis of variance of items by runs is the reference, from statsmodels."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

import f1ci


def crossed(rng, items, runs, of_items=1.0, of_runs=0.3, right=0.8):
    """Truth, and runs that are right if a threshold is above an item's and a run's effect."""
    truth = np.repeat([1, 0], [items // 2, items - items // 2])
    effect = rng.normal(0, of_items, items) + rng.normal(0, of_runs, (runs, 1))
    right = effect + rng.normal(size=(runs, items)) < stats.norm.ppf(right)
    return truth, np.where(right, truth, 1 - truth)


def mean_squares(right):
    """The mean squares of items, runs and residuals, by statsmodels."""
    runs, items = np.indices(right.shape)
    frame = pd.DataFrame({"x": right.ravel(), "run": runs.ravel(), "item": items.ravel()})
    table = anova_lm(ols("x ~ C(item) + C(run)", frame).fit())
    return table["mean_sq"].to_numpy()


def on_log_odds(p, half):
    """The limits p give or take `half`, on the scale of log odds."""
    return special.expit(special.logit(p) + np.array([-half, half]) / (p * (1 - p)))


def test_accuracy_has_the_variance_of_a_crossed_design():
    truth, runs = crossed(np.random.default_rng(1), 40, 4, of_runs=1.0)
    interval = f1ci.Runs(truth, runs).interval("accuracy")
    right = (runs == truth).astype(float)
    of_items, of_runs, residual = mean_squares(right) / right.size
    assert of_runs > residual
    total = of_items + of_runs - residual
    assert interval.scores == pytest.approx(right.mean(axis=1), abs=1e-15)
    assert interval.standard_error == pytest.approx(np.sqrt(total), rel=1e-9)
    assert interval.share_of_runs == pytest.approx((of_runs - residual) / total, rel=1e-9)
    # The items have 39 degrees of freedom, and the runs 3.
    quantiles = [*stats.t.ppf(0.975, [39, 3]), stats.norm.ppf(0.975)]
    square = np.square(quantiles) @ [of_items, of_runs, -residual]
    expected = on_log_odds(right.mean(), np.sqrt(square))
    assert list(interval) == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*their seeds did nothing:f1ci.IntervalWarning")
def test_runs_that_agree_are_one_model():
    """The same predictions again and again: a t interval of the items, on the logit scale."""
    truth, (run,) = crossed(np.random.default_rng(2), 60, 1)
    interval = f1ci.Runs(truth, [run] * 5).interval("accuracy")
    right = (run == truth).astype(float)
    half = stats.t.ppf(0.975, 59) * stats.sem(right)
    assert list(interval) == pytest.approx(on_log_odds(right.mean(), half), rel=1e-9)
    assert interval.share_of_runs == 0.0


def test_a_metric_that_is_no_mean():
    """Macro F1 by its definition: leave items out one by one, which the influences approximate."""
    truth, runs = crossed(np.random.default_rng(3), 400, 3)
    interval = f1ci.Runs(truth, runs).interval("macro_f1")
    kept = 1 - np.vstack([np.zeros(400), np.eye(400)])  # all items, and all but one
    scores = np.zeros((3, 401))
    for k in range(2):
        true, predicted = truth == k, runs == k
        scores += 2 * (true & predicted) @ kept.T / ((true * 1 + predicted) @ kept.T) / 2
    assert interval.scores == pytest.approx(scores[:, 0], abs=1e-14)
    # The items' part: the jackknife of the mean over runs.
    of_items = np.var(scores[:, 1:].mean(axis=0)) * 399
    share = interval.standard_error**2 * (1 - interval.share_of_runs)
    assert share == pytest.approx(of_items, rel=0.02)


def test_two_recipes_share_the_items():
    truth, runs = crossed(np.random.default_rng(4), 50, 7)
    interval = f1ci.Runs(truth, {"A": runs[:3], "B": runs[3:]}).difference("accuracy").interval
    right = (runs == truth).astype(float)
    a, b = right[:3], right[3:]
    difference = b.mean(axis=0) - a.mean(axis=0)
    variance = np.var(difference, ddof=1) / 50
    for recipe in (a, b):
        _, between, residual = mean_squares(recipe) / recipe.size
        variance += max(between - residual, 0.0)
    assert interval.estimate == pytest.approx(difference.mean(), abs=1e-15)
    assert interval.standard_error**2 == pytest.approx(variance, rel=1e-9)
    swapped = f1ci.Runs(truth, {"A": runs[3:], "B": runs[:3]}).difference("accuracy").interval
    assert list(swapped) == pytest.approx([-interval.high, -interval.low], abs=1e-15)


def test_groups_of_items_are_the_units():
    truth, runs = crossed(np.random.default_rng(5), 60, 3)
    groups = np.arange(60) // 3
    interval = f1ci.Runs(truth, runs, groups=groups).interval("accuracy")
    right = (runs == truth).reshape(3, 20, 3).mean(axis=2)
    of_items, of_runs, residual = mean_squares(right) / right.size
    total = of_items + max(of_runs - residual, 0.0)
    assert interval.standard_error == pytest.approx(np.sqrt(total), rel=1e-9)
    assert interval.method == "logit+groups"


@pytest.mark.filterwarnings("ignore:.*their seeds did nothing:f1ci.IntervalWarning")
def test_perfect_runs_do_not_tell_all():
    truth = [0, 1] * 30
    interval = f1ci.Runs(truth, [truth] * 3).interval("accuracy")
    wilson = stats.binomtest(60, 60).proportion_ci(method="wilson")
    assert list(interval) == pytest.approx(list(wilson), abs=1e-9)
    low, high = (
        f1ci.Runs(truth, {"A": [truth] * 3, "B": [truth] * 2}).difference("accuracy").interval
    )
    assert -0.2 < low < 0 < high < 0.2


def test_an_undefined_run_is_named():
    truth = [0] * 6
    with pytest.warns(f1ci.UndefinedMetricWarning) as caught:
        interval = f1ci.Runs(truth, [truth, truth, [0, 0, 0, 0, 0, 1]]).interval()
    assert any("undefined for 2 of 3 runs" in str(warning.message) for warning in caught)
    assert np.isnan(interval.estimate)


@pytest.mark.parametrize("runs", [2, 5, 20])
def test_new_items_and_new_runs_are_covered(runs):
    """A fixed design: items and runs of normal effects; accuracy of a new run on new items."""
    rng = np.random.default_rng(8)
    of_items, of_runs, replicates = 1.0, 0.2, 600
    truth = stats.norm.cdf(stats.norm.ppf(0.8) / np.sqrt(1 + of_items**2 + of_runs**2))
    inside = 0
    for _ in range(replicates):
        labels, predicted = crossed(rng, 200, runs, of_items, of_runs)
        inside += truth in f1ci.Runs(labels, predicted).interval("accuracy")
    # The study in the book has 0.933 to 0.976 on designs of this kind; four errors are 0.036.
    assert 0.933 - 0.036 < inside / replicates < 0.976 + 0.023


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_the_order_of_runs_without_a_variance_does_not_matter():
    """One run finds items in three documents, the other in one: alone that says less."""
    y_true = [1] * 6 + [0] * 4
    groups = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    runs = [[1, 0, 1, 0, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]]
    limits = [
        tuple(f1ci.Runs(y_true, order, groups=groups).interval("precision"))
        for order in (runs, runs[::-1])
    ]
    alone = [f1ci.score_interval(y_true, run, "precision", groups=groups).low for run in runs]
    assert limits == [(min(alone), 1.0)] * 2
