"""What the notebooks of Yuan and Jiang share: fits of other runs, records, their own rules."""

import numpy as np
import pytest
from compendium import ledger
from scipy import stats

import f1ci
from notebooks.own import yuan_other_runs as other_runs
from notebooks.shared import datasets, joint_coverage, recording

METRICS = [f1ci.metrics.fbeta(0.5), f1ci.metrics.accuracy]
STUDY = joint_coverage.Study(METRICS)
FOREST = np.array([3047, 80, 169, 37])  # TN, FP, FN, TP
KEYS = [f"rule/{kind}/{what}" for kind in recording.KINDS for what in ("coverage", "length")]


# Other runs


@pytest.fixture(scope="module")
def enumerated():
    return other_runs.Enumerated.of(STUDY, 400, FOREST)


def test_another_population_is_the_same_sum_with_other_weights(enumerated):
    near = np.array([3050, 78, 165, 40]) / 3333
    fit = other_runs.RuleFit(enumerated, KEYS, [0.95, 0.1, 0.94, 0.1, 0.9, 0.1], [1, 1, 1])
    mean, covariance = fit.expects(near)
    truth = joint_coverage.true_values(FOREST, METRICS)
    exact = joint_coverage.exact(STUDY, 400, near, truth=truth)
    # Tables that are too unlikely to be enumerated have about 1e-8 in either population.
    np.testing.assert_allclose(mean, [exact[key].mean for key in KEYS], atol=1e-6)
    deviations = [exact[key].deviation for key in KEYS]
    np.testing.assert_allclose(np.sqrt(covariance.diagonal()), deviations, rtol=1e-4)
    variances = covariance.diagonal() - other_runs.ROUNDING**2
    again, spread = enumerated.moments(near, enumerated.values(KEYS))
    np.testing.assert_allclose(again, mean, rtol=1e-14)
    np.testing.assert_allclose(spread, np.sqrt(variances), rtol=1e-9)


def test_a_fit_finds_the_population_that_made_its_numbers(enumerated):
    wanted = other_runs.cells_of_rates(0.062, 0.2, 0.33)
    mean, _ = enumerated.moments(wanted, enumerated.values(KEYS))
    fit = other_runs.RuleFit(enumerated, KEYS, mean, [3000, 2000, 3000])
    pair, least = fit.fit(0.062)
    np.testing.assert_allclose(pair, [0.2, 0.33], atol=2e-4)
    assert least < 1e-3 < fit.chi_square_at_start()
    # Rows from the same test sets have fewer errors, so the same difference weighs more.
    fit.printed = mean + np.array([0.004, 0, 0, 0, 0, 0])
    assert fit.as_one_run(0.062, (0, 2), 3000) > fit.fit(0.062)[1]


# Records


def test_z_scores_and_whole_tables(tmp_path):
    page = ledger.Page("yuan-test", folder=tmp_path)
    rows = [f"yuan/table-6/{rule}/joint/coverage" for rule in ("1nn", "logistic", "random_forest")]
    for identity, sigmas in zip(rows, (1.0, -2.0, 0.5), strict=True):
        error = float(np.hypot(0.0022, 1e-4 / np.sqrt(12)))
        value = joint_coverage.Moments(page.printed(identity) - sigmas * error, 0.22)
        recording.mean(page, identity, value)
        assert recording.z_score(page, identity) == pytest.approx(sigmas)
    outcomes = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])  # not correlated
    test = recording.whole_table(page, rows, outcomes)
    assert test.chi_square == pytest.approx(5.25)
    # 10,000 drawn tables: the p-value's standard error is .004.
    assert test.p_chi_square == pytest.approx(stats.chi2.sf(5.25, 3), abs=0.02)


# The paper's own rules

ABALONE = {"nn": (62, 254), "logistic": (4, 25), "forest": (37, 117)}
LETTERS = [(1116, 1257), (470, 695), (925, 932), (762, 765)]


def test_the_stored_rules_have_the_counts_that_the_printed_true_values_need():
    # The only tables of 3333 (16064) cases with one Z that round to the printed values.
    rules = datasets.abalone_rules()
    assert (len(rules), rules["z"].sum()) == (3333, 206)
    for name, expected in ABALONE.items():
        assert ((rules["z"] * rules[name]).sum(), rules[name].sum()) == expected
    letters = datasets.yuan_splits("letter")[0].reshape(2, 2, 2, 2, 2)
    assert (letters.sum(), letters[1].sum()) == (16064, 1235)
    for r, expected in enumerate(LETTERS):
        table = np.moveaxis(letters, 1 + r, 1).sum(axis=(2, 3, 4))
        assert (table[1, 1], table[:, 1].sum()) == expected


def test_quantiles_of_qmvnorm_are_nearly_the_exact_ones():
    rho = np.array([0.0, 0.3, 0.8, 0.95])
    exact = [f1ci.equicoordinate_quantile(np.array([[1, r], [r, 1]]), 0.95) for r in rho]
    off = datasets.qmvnorm(-rho) - exact
    assert np.abs(off).max() < 1e-3
    assert np.abs(off).max() > 1e-4  # it stops early, which the notebook needs
    assert np.ptp(datasets.table_2_quantiles()) < 0.02
