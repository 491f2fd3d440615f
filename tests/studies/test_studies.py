"""What the notebooks of our own work compute in `notebooks/own`."""

import numpy as np
import pytest

import f1ci
from f1ci.joint import rows_of_cells
from notebooks.own import choosing_a_method as one_score
from notebooks.own import joint_intervals as joint_sets
from notebooks.own import two_models_many_documents as comparisons
from notebooks.own import units_and_means as units
from notebooks.shared.four_intervals import share_of


def rng(seed=1):
    return np.random.default_rng(seed)


# One F1 score


@pytest.mark.parametrize("method", ["wilson_indirect", "clopper_pearson"])
def test_coverage_given_v_is_the_package_s_exact_coverage(method):
    # f1ci.coverage.exact sums over tables of counts; v is certain if every item is relevant.
    interval = one_score.Interval.of(12, method, 0.9)
    least, where = interval.least_coverage()
    for truth in (0.3, 0.85, where):
        share = share_of(truth)
        design = [share, 1 - share, 0, 0]
        exact = f1ci.coverage.exact(12, design, method=method, confidence_level=0.9)
        coverage, length = interval.at(truth)
        assert coverage[0] == pytest.approx(exact.coverage, abs=1e-8)
        assert length[0] == pytest.approx(exact.expected_length, abs=1e-8)
    assert least <= interval.at(np.linspace(0.001, 0.999, 2_001))[0].min()


# Two models


@pytest.mark.parametrize(
    ("p", "difference"),
    [
        (comparisons.equal_pair(0.1, 0.6, 0.25, 0.8), 0.0),
        (comparisons.better_pair(0.3, 0.8, 0.045, 0.045, 0.03), 0.03),
    ],
)
def test_pairs_of_models_differ_as_asked(p, difference):
    assert p.sum() == pytest.approx(1)
    assert p.min() >= 0
    assert comparisons.gap(p) == pytest.approx(difference, abs=1e-12)


# Units


@pytest.mark.parametrize("sizes", ["even", "lognormal", "Pareto", "giants"])
def test_documents_have_the_score_and_the_correlation_asked_for(sizes):
    population = units.Documents(100, sizes, 8, 2.5, right=2 / 3, correlation=0.3)
    population = population._replace(giants=3 * (sizes == "giants"))
    counts = population.draw(400, rng())
    tp, v = counts[..., 0], counts.sum(axis=-1)
    assert 2 * tp.sum() / (tp + v).sum() == pytest.approx(population.truth(rng()), abs=0.01)
    # Pairs of items of one document: P(both right) = p^2 + rho p (1 - p).
    few = v < 100  # the largest documents would decide the mean
    both = (tp * (tp - 1))[few].sum() / (v * (v - 1))[few].sum()
    assert both == pytest.approx(4 / 9 + 0.3 * 2 / 9, abs=0.015)


@pytest.mark.parametrize("slope", [False, True])
def test_drawn_documents_and_images_have_their_true_score(slope):
    """To three standard errors of 400 samples, and a tenth of the distance from a perfect score."""
    for k in range(12):
        population = units.documents_by_rule(rng(k), slope=slope)
        if population.sizes == "Pareto" and population.spread < 2:
            continue  # the largest document of all samples decides the mean
        tp, fp, fn = np.moveaxis(population.draw(400, rng(k)).sum(axis=0), -1, 0)
        found = 2 * tp.sum() / (2 * tp + fp + fn).sum()
        spread = np.std(2 * tp / (2 * tp + fp + fn)) / 20
        truth = population.truth(rng(100 + k))
        assert found == pytest.approx(truth, abs=3 * spread + 0.1 * (1 - truth)), population
    images = units.images_by_rule(rng(3))
    assert images.draw(20_000, rng()).mean() == pytest.approx(images.truth(rng()), abs=0.005)


def test_the_choice_is_that_of_the_package():
    counts = units.Documents(12, "lognormal", 8, correlation=0.3).draw(3, rng())
    ours = units.limits_of_documents(counts, "score", 0.95)
    chosen = units.limits_by_choice(counts, "as chosen", 0.95)
    np.testing.assert_allclose(chosen, ours, rtol=0, atol=1e-7)
    # For units of one size all choices are the same.
    counts = units.Documents(12, "even", 8, correlation=0.3).draw(2, rng())
    for choice in units.CHOICES:
        found = units.limits_by_choice(counts, choice, 0.95)
        expected = units.limits_of_documents(counts, "score", 0.95)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_classes_in_documents_have_their_true_average():
    population = units.Classes(
        2_000, 30, 0.05, np.array([0.6, 0.3, 0.1]), np.array([0.9, 0.7, 0.5])
    )
    true, predicted, _ = population.draw(rng())
    table = f1ci.confusion_matrix(true, predicted)
    for metric in ("macro_f1", "weighted_f1", "mcc"):
        value = f1ci.metrics.get(metric).value(table)
        assert population.truth(metric) == pytest.approx(value, abs=0.01)


# Two mistakes


def test_a_tuned_threshold_is_the_best_on_its_test_set():
    truth, counts = comparisons.tuned(5_000, rng())
    # The best F1 of two normal laws at 30 % positives is .6956, by a fine grid of thresholds.
    cut = np.linspace(-2, 4, 100_001)
    right = 0.3 * comparisons.stats.norm.sf(cut - 1.5)
    wrong = 0.7 * comparisons.stats.norm.sf(cut)
    best = (2 * right / (0.3 + right + wrong)).max()
    assert best - 0.01 < truth <= best
    assert f1ci.f1_interval(*counts).estimate == pytest.approx(best, abs=0.03)


# Joint intervals


def test_methods_that_share_a_critical_value_have_the_same_correlations():
    drawn = np.random.default_rng(1).multinomial(60, joint_sets.population(2, 0.1, 0.9, 0.5), 50)
    for first, *others in joint_sets.SHARED:
        expected = rows_of_cells(drawn, ["f1", "accuracy"], method=first).correlated
        for method in others:
            found = rows_of_cells(drawn, ["f1", "accuracy"], method=method).correlated
            np.testing.assert_array_equal(found, expected)
