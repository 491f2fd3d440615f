"""What the notebook on score intervals computes: coverages, exact sums, and their bookkeeping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import f1ci
from notebooks.shared import coverage_study as study
from notebooks.shared import kernels, score_designs

TABLE = np.array([[[60, 5], [2, 4]], [[8, 6], [1, 38]]])


def both(table):
    """The labels of two models, counted in a table."""
    y_true, a, b = kernels.labels(table)
    return f1ci.Labels(y_true, {"A": a, "B": b})


@pytest.mark.parametrize("metric", [f1ci.metrics.f1, f1ci.metrics.precision])
def test_limits_of_a_difference_are_the_package_s(metric):
    interval = both(TABLE).difference(metric).interval
    low, high = kernels.difference_of(TABLE[None], metric).score_limits(study.Z)
    assert (low[0], high[0]) == pytest.approx(tuple(interval), abs=1e-12)


def test_p_values_are_those_of_the_exact_test():
    tables = np.random.default_rng(3).integers(0, 12, (20, 2, 2, 2)) + 1
    tables[:5, 0, 0, 1] = 0
    expected = [both(table).difference().p_value for table in tables]
    assert kernels.p_values(tables) == pytest.approx(expected, rel=1e-12)


def test_limits_of_many_tables_are_those_of_one():
    tables = np.random.default_rng(1).integers(0, 9, (5, 3, 3)) + 5 * np.eye(3, dtype=int)
    low, high = kernels.score_limits(tables, f1ci.metrics.macro_f1, study.Z)
    for place, table in enumerate(tables):
        interval = f1ci.Matrix(table).interval("macro_f1")
        assert (low[place], high[place]) == pytest.approx(tuple(interval), abs=1e-12)


def test_coverage_of_weighted_recall_is_a_binomial_sum():
    """Weighted recall is accuracy: its interval depends on the number of right items alone."""
    cells, n = np.array([[0.4, 0.1], [0.1, 0.4]]), 30
    metric = f1ci.metrics.get("accuracy")
    found = study.coverage([(cells, n)], metric, {"score": "score"}, 4_000, 1)["score"]
    right = np.arange(n + 1)
    tables = np.zeros((n + 1, 2, 2), dtype=int)
    tables[:, 0, 0], tables[:, 0, 1] = right, n - right
    low, high = study.limits(tables, metric, "score")
    exact = binom.pmf(right, n, 0.8)[(low <= 0.8) & (high >= 0.8)].sum()
    # Four standard errors of a share of 4,000.
    assert found.covered[0] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4_000))


def test_the_search_finds_an_exact_binomial_sum():
    n, metric = 20, f1ci.metrics.weighted("recall")
    cells, found = study.worst_of_two_classes(metric, n, 3)
    right = np.arange(n + 1)
    tables = np.zeros((n + 1, 2, 2), dtype=int)
    tables[:, 0, 0], tables[:, 0, 1] = right, n - right
    low, high = study.limits(tables, metric, "score")
    truth = np.trace(cells)
    inside = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    # The search ends where a limit is the truth to about eight digits: one side or the other.
    assert found == pytest.approx(binom.pmf(right, n, truth)[inside].sum(), abs=1e-9)
    assert n * cells.sum(axis=1).min() >= 3 - 1e-9


def test_one_sided_chances_are_binomial():
    scores = np.array([0.5, 0.95])
    at_least, at_most = study.one_sided(20, scores)
    tp = np.arange(21)
    for k, score in enumerate(scores):
        chance = binom.pmf(tp, 20, score / (2 - score))
        low = f1ci.f1_interval(tp, 20 - tp, 0 * tp, alternative="greater").low
        high = f1ci.f1_interval(tp, 20 - tp, 0 * tp, alternative="less").high
        assert at_least[k] == pytest.approx(chance[low <= score].sum(), abs=1e-12)
        assert at_most[k] == pytest.approx(chance[high >= score].sum(), abs=1e-12)


@pytest.mark.parametrize(
    "populations",
    [
        score_designs.grid(),
        score_designs.majority(),
        score_designs.rare_positives(),
        score_designs.mixture(24, np.random.default_rng(1)),
        score_designs.first_rule(12, np.random.default_rng(1)),
        score_designs.drawn(3, 12, np.random.default_rng(1)),
    ],
)
def test_populations_are_probabilities_with_three_items_in_each_class(populations):
    for cells, n in populations:
        assert cells.min() >= 0
        assert cells.sum() == pytest.approx(1.0)
        # Numbers of items are rounded.
        assert n * cells.sum(axis=1).min() > 2.9


def test_test_sets_by_stratum_have_the_limits_of_their_labels():
    rng = np.random.default_rng(4)
    tables = rng.poisson(6.0, (3, 2, 3, 3)).astype(float) + 1.0
    shares = [0.8, 0.2]
    sample = kernels.of_strata(tables, shares, f1ci.metrics.macro_f1)
    low, high = sample.score_limits(study.Z)
    for k, table in enumerate(tables.astype(int)):
        stratum, true, predicted = (
            np.repeat(x.ravel(), table.ravel()) for x in np.indices(table.shape)
        )
        interval = f1ci.score_interval(
            true, predicted, "macro_f1", strata=stratum, stratum_shares=dict(enumerate(shares))
        )
        assert (sample.estimate[k], sample.error[k]) == pytest.approx(
            (interval.estimate, interval.standard_error), rel=1e-12
        )
        # The equation settles at 1e-7, table by table or together.
        assert (low[k], high[k]) == pytest.approx(tuple(interval), abs=1e-6)
