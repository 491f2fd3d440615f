"""What the notebook on score intervals computes: coverages, exact sums, and their bookkeeping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest, bootstrap, chisquare, dirichlet

import f1ci
from notebooks.own import score_intervals as own
from notebooks.shared import coverage_study as study
from notebooks.shared import kernels, score_designs

MACRO = f1ci.metrics.macro_f1
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
    expected = [both(table).difference(test="exact").p_value for table in tables]
    assert kernels.p_values(tables) == pytest.approx(expected, rel=1e-12)


def test_limits_of_many_tables_are_those_of_one():
    tables = np.random.default_rng(1).integers(0, 9, (5, 3, 3)) + 5 * np.eye(3, dtype=int)
    low, high = kernels.score_limits(tables, f1ci.metrics.macro_f1, study.Z)
    for place, table in enumerate(tables):
        interval = f1ci.Matrix(table).interval("macro_f1")
        # Newton's steps in a batch end when the last table is near enough: 1e-9 of h.
        assert (low[place], high[place]) == pytest.approx(tuple(interval), abs=1e-9)


@pytest.mark.parametrize("name", ["macro_f1", "macro_precision", "macro_recall", "weighted_f1"])
def test_parts_of_limits_make_up_the_limits_of_the_package(name):
    rng = np.random.default_rng(2)
    tables = rng.poisson(0.4, (40, 3, 3)) + rng.integers(3, 20, (40, 1, 1)) * np.eye(3, dtype=int)
    metric = f1ci.metrics.get(name)
    parts = kernels.parts_of_limits(tables, metric, study.Z)
    interval = f1ci.Matrix(tables).interval(metric)
    np.testing.assert_allclose(parts["whole"], (interval.low, interval.high), rtol=0, atol=1e-12)
    # The factor widens on both sides; the correction moves the upper limits of one to three errors.
    assert (parts["factor"][0] <= parts["plain"][0] + 1e-9).all()
    assert (parts["factor"][1] >= parts["plain"][1] - 1e-9).all()
    wrong = tables.sum(axis=(1, 2)) - np.trace(tables, axis1=1, axis2=2)
    moved = parts["correction"][1] > parts["plain"][1] + 1e-9
    np.testing.assert_array_equal(moved, (wrong >= 1) & (wrong <= 3))


def test_limits_with_each_part_differ_from_those_without():
    parts = kernels.parts_of_limits([[[20, 1, 0], [0, 19, 1], [0, 0, 9]]], MACRO, study.Z)
    ends = np.array([np.ravel(both) for both in parts.values()])
    assert len(np.unique(ends.round(6), axis=0)) == 4


# The rivals


def test_the_bootstrap_is_that_of_scipy():
    table = np.array([[12, 3, 1], [2, 30, 2], [0, 1, 5]])
    true, called = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))

    def statistic(true, called, axis):
        tables = np.apply_along_axis(np.bincount, axis, 3 * true + called, minlength=9)
        return own.macro_f1(np.moveaxis(tables, axis, -1).reshape(*tables.shape[:-1], 3, 3))

    ours = own.rivals(table[None].astype(float), 20_000, np.random.default_rng(1))
    for name, method in (("percentile", "percentile"), ("bca", "BCa")):
        found = bootstrap(
            (true, called),
            statistic,
            paired=True,
            method=method,
            n_resamples=4_999,
            random_state=2,
        ).confidence_interval
        # The standard error of such a quantile is .003 at 5,000 resamples.
        assert np.ravel(ours[name]) == pytest.approx(list(found), abs=0.012)


@pytest.mark.parametrize(("name", "prior"), [("dirichlet", 1.0), ("jeffreys", 0.5)])
def test_posteriors_are_quantiles_of_dirichlet_draws(name, prior):
    table = np.array([[12.0, 3.0], [2.0, 30.0]])
    ours = own.rivals(table[None], 20_000, np.random.default_rng(1))[name]
    q = dirichlet.rvs(table.ravel() + prior, 20_000, random_state=3).T
    scores = (2 * q[0] / (2 * q[0] + q[1] + q[2]) + 2 * q[3] / (2 * q[3] + q[1] + q[2])) / 2
    assert np.ravel(ours) == pytest.approx(np.quantile(scores, [0.025, 0.975]), abs=0.006)


def test_combined_wilson_limits_add_squared_distances():
    table = np.array([[12.0, 3.0], [2.0, 30.0]])
    below, above, scores = [], [], []
    for right in (12, 30):
        limits = binomtest(right, right + 5).proportion_ci(method="wilson")
        low, high = (2 * end / (1 + end) for end in limits)
        score = 2 * right / (2 * right + 5)
        scores.append(score)
        below.append(score - low)
        above.append(high - score)
    expected = np.mean(scores) + np.array([-np.hypot(*below), np.hypot(*above)]) / 2
    found = own.rivals(table[None], 9, np.random.default_rng(1))["wilson-combined"]
    assert np.ravel(found) == pytest.approx(expected, abs=1e-12)


def test_pearson_s_statistic_is_z_squared_on_the_border():
    counts = (30, 6, 12)
    border = own.border(counts, study.Z, 50)
    assert border.min() > 0
    for shares in border.T:
        assert chisquare(counts, 48 * shares).statistic == pytest.approx(study.Z**2, rel=1e-9)


def test_limits_are_where_lines_of_equal_score_touch_the_region():
    tp, fp, fn = own.border((30, 6, 12), study.Z, 20_000)
    scores = tp / (tp + 0.2 * fp + 0.8 * fn)
    interval = f1ci.Matrix([[0, 6], [12, 30]]).interval(f1ci.metrics.fbeta(2))
    # The score is flat along the border where it is extreme.
    assert (scores.min(), scores.max()) == pytest.approx(tuple(interval), abs=1e-7)


# Exact sums


def test_coverage_of_weighted_recall_is_a_binomial_sum():
    """Weighted recall is accuracy: its interval depends on the number of right items alone."""
    cells, n = np.array([[0.4, 0.1], [0.1, 0.4]]), 30
    metric = f1ci.metrics.get("accuracy")
    found = study.coverage([(cells, n)], metric, study.by_name("score"), 4_000, 1)["score"]
    right = np.arange(n + 1)
    tables = np.zeros((n + 1, 2, 2), dtype=int)
    tables[:, 0, 0], tables[:, 0, 1] = right, n - right
    low, high = study.limits(tables, metric, ["score"])["score"]
    exact = binom.pmf(right, n, 0.8)[(low <= 0.8) & (high >= 0.8)].sum()
    # Four standard errors of a share of 4,000.
    assert found.covered[0] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4_000))


def test_the_search_finds_an_exact_binomial_sum():
    n, metric = 20, f1ci.metrics.weighted("recall")
    cells, found = study.worst_of_two_classes(metric, n, 3)
    right = np.arange(n + 1)
    tables = np.zeros((n + 1, 2, 2), dtype=int)
    tables[:, 0, 0], tables[:, 0, 1] = right, n - right
    low, high = study.limits(tables, metric, ["score"])["score"]
    truth = np.trace(cells)
    inside = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    # The search ends where a limit is the truth to about eight digits: one side or the other.
    assert found == pytest.approx(binom.pmf(right, n, truth)[inside].sum(), abs=1e-9)
    assert n * cells.sum(axis=1).min() >= 3 - 1e-9


def test_the_search_finds_the_dip_of_wilson_s_interval_near_zero():
    """With nearly all items wrong, right ones are Poisson and limits are those of a proportion.

    Wilson's lower limit for one item of many is 0.1765 expected items. Just below it the interval
    covers only if there is none: exp(-0.1765) = 0.838 (Brown, Cai and DasGupta 2001).
    """
    cells, found = study.worst_of_two_classes(MACRO, 40, 10)
    assert np.trace(cells) < 0.02
    assert found == pytest.approx(0.838, abs=0.002)


def test_the_search_among_better_classifiers_stays_among_them():
    cells, found = study.worst_of_two_classes(MACRO, 20, 6, least_recall=0.5)
    recalls = np.diagonal(cells) / cells.sum(axis=1)
    assert recalls.min() >= 0.5 - 1e-9
    assert 0.85 < found < 0.95


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


def test_harsher_populations_are_what_their_names_say():
    kinds = score_designs.harsher()
    for populations in [*kinds.values(), score_designs.ordinary_and_hard().values()]:
        for cells, _ in populations:
            assert cells.min() >= 0
            assert cells.sum() == pytest.approx(1.0)
    errors = {round(n * (1 - np.trace(cells)), 6) for cells, n in kinds["nearly perfect"]}
    assert errors == {0.5, 2.0, 5.0}
    smallest = {round(n * cells.sum(axis=1).min(), 6) for cells, n in kinds["tiny classes"]}
    assert smallest == {1.0, 2.0, 3.0}
    assert all((cells[:2, 2:] == 0).all() for cells, _ in kinds["blocks"])
    assert all((cells[:, -1] == 0).all() for cells, _ in kinds["never predicted"])


def test_populations_that_are_measured_again_are_those_that_read_lowest():
    populations = score_designs.majority()[:10]
    covered = np.append([np.nan, 0.99], np.linspace(0.9, 0.97, 8))
    found = study.Result(covered, covered, covered, covered)
    least = study.again(populations, found, MACRO, 200, 1)
    measured = study.coverage(populations[2:], MACRO, study.by_name("score"), 200, 2)["score"]
    assert least == pytest.approx(measured.worst)


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
        # The search ends at 1e-7 of the length, table by table or together.
        assert (low[k], high[k]) == pytest.approx(tuple(interval), abs=1e-6)
