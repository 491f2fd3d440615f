"""The notebooks of Takahashi et al.: a reader's own matrices, and nights as units."""

import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import f1ci
from notebooks.own import takahashi_nights as nights
from notebooks.shared import class_averages

# A reader's own matrices, without a kernel


# Averages over classes

DESIGN = np.array([[32, 24, 24], [1, 8, 1], [1, 1, 8]]) / 100  # scenario 3, true classes in rows


@pytest.mark.parametrize("measure", class_averages.MEASURES)
def test_fewer_cells_give_the_same_coverage(measure):
    whole = f1ci.coverage.exact(
        8,
        DESIGN,
        method=class_averages.one_measure(measure, 0.95),
        truth=f1ci.metrics.get(measure).value(DESIGN),
    )
    fewer = class_averages.exact_coverage(8, DESIGN, measure, 0.95)
    # Each leaves out 1e-9 at most.
    assert fewer.coverage == pytest.approx(whole.coverage, abs=4e-9)
    empty = class_averages.undefined_probability(8, DESIGN, measure)
    assert whole.undefined == pytest.approx(empty, abs=2e-9)


def test_wilson_coverage_is_a_binomial_sum():
    right, accuracy = np.arange(31), 0.8
    low, high = proportion_confint(right, 30, method="wilson")
    held = (low <= accuracy) & (accuracy <= high)
    expected = stats.binom.pmf(right, 30, accuracy) @ held
    assert class_averages.wilson_coverage(accuracy, 30, 0.95) == pytest.approx(expected, abs=1e-9)


def all_tables(n):
    """All 3 x 3 tables of n items: bars between nine cells."""
    bars = np.array(list(itertools.combinations(range(n + 8), 8)))
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n + 8)))
    return (np.diff(edges, axis=1) - 1).reshape(-1, 3, 3)


def test_coverages_of_measures_correlate_as_over_all_tables():
    n, draws, measures = 9, 40_000, list(class_averages.MEASURES)
    truth = [f1ci.metrics.get(m).value(DESIGN) for m in measures]
    tables = all_tables(n)
    weight = stats.multinomial.pmf(tables.reshape(-1, 9), n, DESIGN.ravel())
    low, high = class_averages.end_points(tables, measures, 0.95)
    defined = np.isfinite(low).all(axis=1)
    held = ((low <= truth) & (truth <= high))[defined].astype(float)
    covariance = np.cov(held.T, aweights=weight[defined])
    scale = 1 / np.sqrt(np.diag(covariance))
    found = class_averages.outcome_correlation(n, DESIGN, truth, 0.95, draws=draws, seed=4)
    # Four times 1 / sqrt(draws that define all), doubled because outcomes are far from normal.
    error = 8 / np.sqrt(draws * weight[defined].sum())
    assert found == pytest.approx(covariance * np.outer(scale, scale), abs=error)


# Nights


@pytest.mark.parametrize(("which", "mean"), [("dodh", "89.9"), ("dodo", "88.3")])
def test_the_published_means_come_out(which, mean):
    # The abstract of Guillot et al. (2020), SimpleSleepNet.
    assert f"{nights.published_mean(nights.sleep_stages(which), 'SimpleNet'):.1f}" == mean


def test_the_design_effect_is_that_of_a_jackknife_over_nights():
    tables = nights.matrices(nights.sleep_stages("dodo"), "Chambon")
    pooled = tables.sum(axis=0)

    def macro(table):
        return float(np.mean(2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1))))

    without = np.array([macro(pooled - table) for table in tables])
    jackknife = 54 / 55 * ((without - without.mean()) ** 2).sum()
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(pooled.sum(), (pooled / pooled.sum()).ravel(), 4_000)
    independent = np.var([macro(table.reshape(5, 5)) for table in drawn])
    effect = nights.design_effect(f1ci.metrics.macro_f1, tables)
    # A variance of 4,000 draws has a standard error of 2.2 %; jackknife and delta method differ
    # by a term of the order 1 / 55.
    assert effect == pytest.approx(jackknife / independent, rel=0.1)
