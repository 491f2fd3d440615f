"""What the notebooks of Yuan and Jiang share: fits of other runs, records, printed gradients."""

import csv
from unittest import mock

import numpy as np
import pytest
from compendium import DATA, ledger
from scipy import stats

import f1ci
from notebooks.data import make_r_splits
from notebooks.shared import datasets, joint_coverage, other_runs, recording, splits

METRICS = [f1ci.metrics.fbeta(0.5), f1ci.metrics.accuracy]
FOREST = np.array([3047, 80, 169, 37])  # TN, FP, FN, TP
KEYS = [f"rule/{kind}/{what}" for kind in other_runs.KINDS for what in ("coverage", "length")]


# Other runs


@pytest.fixture(scope="module")
def enumerated():
    return other_runs.Enumerated.of(400, FOREST, METRICS)


def test_another_population_is_the_same_sum_with_other_weights(
    enumerated,
):
    near = np.array([3050, 78, 165, 40]) / 3333
    mean, covariance = enumerated.expects(near, enumerated.values(KEYS))
    truth = joint_coverage.true_values(FOREST, METRICS)
    exact = joint_coverage.exact(400, near, METRICS, truth=truth)
    # Tables that are too unlikely to be enumerated have about 1e-8 in either population.
    np.testing.assert_allclose(mean, [exact[key].mean for key in KEYS], atol=1e-6)
    deviations = [exact[key].deviation for key in KEYS]
    np.testing.assert_allclose(np.sqrt(covariance.diagonal()), deviations, rtol=1e-4)
    again, spread = enumerated.moments(near, enumerated.values(KEYS))
    np.testing.assert_allclose(again, mean, rtol=1e-14)
    np.testing.assert_allclose(spread, np.sqrt(covariance.diagonal()), rtol=1e-9)


def test_a_fit_finds_the_population_that_made_its_numbers(
    enumerated,
):
    wanted = other_runs.cells_of_rates(0.062, 0.2, 0.33)
    mean, _ = enumerated.expects(wanted, enumerated.values(KEYS))
    fit = other_runs.RuleFit(enumerated, KEYS, mean, [3000, 2000, 3000])
    pair, least = fit.fit(0.062)
    np.testing.assert_allclose(pair, [0.2, 0.33], atol=2e-4)
    assert least < 1e-3 < fit.chi_square_at_start()
    # Rows from the same test sets have fewer errors, so the same difference weighs more.
    fit.printed = mean + np.array([0.004, 0, 0, 0, 0, 0])
    assert fit.as_one_run(0.062, (0, 2), 3000) > fit.fit(0.062)[1]


def test_rates():
    # Z A_1 A_2 from 000 to 111; 40 of 110 are positive, 31 predicted so by either rule.
    found = other_runs.rates([60, 5, 4, 1, 6, 8, 9, 17])
    expected = [40 / 110, 26 / 40, 26 / 31, 25 / 40, 25 / 31]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    p = other_runs.cells_of_rates(*found[:3])
    np.testing.assert_allclose(p * 110, [65, 5, 14, 26], rtol=1e-12)


def test_standard_errors_hold_the_rounding():
    off = other_runs.standard_errors(0.95, 0.94, 0.2, 10_000)
    assert off == pytest.approx(0.01 / np.hypot(0.002, 1e-4 / np.sqrt(12)), rel=1e-14)


# Records


def test_an_exact_value_has_the_error_of_its_population_as_well():
    record = mock.Mock()
    value = joint_coverage.Exact(0.95, 0.2)
    recording.as_exact(record, "a", value)
    assert record.call_args.kwargs["deviation"] == 0.2
    recording.as_exact(record, "b", value, error=0.001, replicates=10_000)
    # The mean of 10,000 test sets has the standard errors .002 and .001.
    assert record.call_args.kwargs["deviation"] == pytest.approx(100 * np.hypot(0.002, 0.001))


def test_z_scores_and_whole_tables(tmp_path):
    page = ledger.Page("yuan-test", folder=tmp_path)
    rows = [f"yuan/table-6/{rule}/joint/coverage" for rule in ("1nn", "logistic", "random_forest")]
    for identity, sigmas in zip(rows, (1.0, -2.0, 0.5), strict=True):
        error = float(np.hypot(0.0022, 1e-4 / np.sqrt(12)))
        value = joint_coverage.Exact(page.printed(identity) - sigmas * error, 0.22)
        recording.as_exact(page.record, identity, value)
        assert recording.z_score(page, identity) == pytest.approx(sigmas)
    assert recording.exact_coverages(page) == rows
    test = recording.whole_table(page, rows, np.eye(3))
    assert test.chi_square == pytest.approx(5.25)
    # 10,000 drawn tables: the p-value's standard error is .004.
    assert test.p_chi_square == pytest.approx(stats.chi2.sf(5.25, 3), abs=0.02)


# R's learners on the stored splits


@pytest.mark.parametrize("name", [n for n in make_r_splits.FILES if n.startswith("splits")])
def test_r_saw_the_same_splits(name):
    file = make_r_splits.FILES[name]
    with (DATA / name).open(newline="") as lines:
        header, *rows = csv.reader(lines)
    assert header == splits.header(file.experiment)
    assert [int(row[0]) for row in rows] == list(range(file.splits))
    by_r = datasets.split_counts(name.removeprefix("splits-").removesuffix(".csv"))
    if file.train == splits.EXPERIMENTS[file.experiment].train:
        ours = datasets.split_counts(file.experiment)[: file.splits]
        axes = tuple(range(2, ours.ndim))
        np.testing.assert_array_equal(by_r.sum(axis=axes), ours.sum(axis=axes))
        # The nearest neighbour is the same but for ties.
        off = np.abs(by_r.sum(axis=axes[1:]) - ours.sum(axis=axes[1:]))
        assert off.mean() < 0.002 * by_r[0].sum()


def test_the_first_forest_of_each_split_is_the_stored_one():
    grown, stored = datasets.abalone_forests("scikit-learn"), datasets.split_counts("abalone")
    for (tp, predicted), cells in zip(grown[:, 0], stored, strict=False):
        assert (tp, predicted) == (cells[1, ..., 1].sum(), cells[..., 1].sum())
    assert datasets.abalone_forests("R").shape == grown.shape == (5, make_r_splits.REFITS, 2)
