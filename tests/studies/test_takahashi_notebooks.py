"""The notebooks of Takahashi et al.: a reader's own matrices, and nights as units."""

import csv
import itertools
import re

import compendium.figures
import compendium.ledger
import numpy as np
import pytest
from compendium import NOTEBOOKS, sources
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import f1ci
from notebooks.own import takahashi_nights as nights
from notebooks.shared import class_averages

NAME = "takahashi-sleep-stages"
Records = dict[str, dict[str, str]]

# A reader's own matrices, without a kernel


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the notebook's code with other parameters, in this process."""
    monkeypatch.setattr(compendium.ledger, "RESULTS", tmp_path)
    monkeypatch.setattr(compendium.figures, "RESULTS", tmp_path)

    def execute(**values):
        cells = [c for c in sources.read(NOTEBOOKS / f"{NAME}.py").cells if c.cell_type == "code"]
        code = "\n".join(c.source for c in cells)
        for name, value in values.items():
            code = re.sub(rf"^{name}: .*", f"{name} = {value!r}", code, flags=re.M)
        exec(compile(code, NAME, "exec"), {"__name__": "__main__"})
        compendium.ledger.opened().save()
        with (tmp_path / f"{NAME}.csv").open(newline="") as lines:
            return {line["id"]: line for line in csv.DictReader(lines)}

    return execute


def made_up(folder, name, wrong):
    """A file of two classes, 25,000 items each on the diagonal, the first taken for the second."""
    cells = {("a", "a"): 25_000, ("a", "b"): wrong, ("b", "a"): 0, ("b", "b"): 25_000}
    lines = [f"{name},{true},{predicted},{n}" for (true, predicted), n in cells.items()]
    path = folder / "own.csv"
    path.write_text("\n".join(["name,true,predicted,count", *lines, ""]))
    return str(path)


def test_own_matrices_fill_table_4(tmp_path, run):
    # 59,193 items, as many as the random forest classified.
    records = run(matrices=made_up(tmp_path, "rf", 9_193))
    macro = records["takahashi/table-4/rf/macro_f1/estimate"]
    # F1 of both classes, so their mean as well.
    assert float(macro["value"]) == pytest.approx(50_000 / (50_000 + 9_193), abs=1e-12)
    assert not macro["missing"]
    micro = records["takahashi/table-4/rf/micro_f1/estimate"]
    assert float(micro["value"]) == pytest.approx(50_000 / 59_193, abs=1e-12)
    # The others stay as they were.
    svm = records["takahashi/table-4/svm/macro_f1/estimate"]
    assert svm["missing"] == "the confusion matrix of the support vector machine"
    assert not svm["value"]


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [("rf", 1, "59193 items"), ("mnn", 9_193, "one of .'svm', 'rf', 'mlp'., got 'mnn'")],
)
def test_a_matrix_of_something_else_is_refused(tmp_path, run, name, wrong, message):
    with pytest.raises(ValueError, match=message):
        run(matrices=made_up(tmp_path, name, wrong))


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


def test_coverages_of_measures_correlate_as_over_all_tables():
    n, draws, measures = 9, 40_000, list(class_averages.MEASURES)
    truth = [f1ci.metrics.get(m).value(DESIGN) for m in measures]
    # All 24,310 tables of nine items: bars between nine cells.
    bars = np.array(list(itertools.combinations(range(n + 8), 8)))
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n + 8)))
    tables = np.diff(edges, axis=1) - 1
    weight = stats.multinomial.pmf(tables, n, DESIGN.ravel())
    low, high = class_averages.end_points(tables.reshape(-1, 3, 3), measures, 0.95)
    defined = np.isfinite(low).all(axis=1)
    held = ((low <= truth) & (truth <= high))[defined].astype(float)
    covariance = np.cov(held.T, aweights=weight[defined])
    deviation = np.sqrt(np.diag(covariance))
    correlation = class_averages.outcome_correlation(n, DESIGN, truth, 0.95, draws=draws, seed=4)
    # Four times 1 / sqrt(draws that define all), doubled because outcomes are far from normal.
    error = 8 / np.sqrt(draws * weight[defined].sum())
    assert correlation == pytest.approx(covariance / np.outer(deviation, deviation), abs=error)


# Nights


@pytest.mark.parametrize(("which", "mean"), [("dodh", "89.9"), ("dodo", "88.3")])
def test_the_published_means_come_out(which, mean):
    # The abstract of Guillot et al. (2020), SimpleSleepNet.
    assert f"{nights.published_mean(nights.sleep_stages(which), 'SimpleNet'):.1f}" == mean


def test_counts_are_those_of_the_data():
    # Epochs and nights: the README of the data.
    for which, size, epochs in (("dodh", 25, 24_662), ("dodo", 55, 53_236)):
        frame = nights.sleep_stages(which)
        assert len(nights.labels(frame)) == epochs
        for network in nights.NETWORKS:
            table = nights.matrices(frame, network)
            assert table.shape == (size, 5, 5)
            assert table.sum() == epochs
            counts = nights.class_counts(table)
            # Each wrong epoch is a false positive of one stage and a false negative of another.
            np.testing.assert_array_equal(counts[..., 1].sum(axis=1), counts[..., 2].sum(axis=1))


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


def test_nights_of_identical_epochs_are_worth_one_epoch_each():
    # 40 nights of 20 epochs that are all alike: correlation 1, design effect 20 (times 40 / 39).
    which = np.arange(40) % 25
    tables = np.zeros((40, 25), np.int64)
    tables[np.arange(40), which] = 20
    tables = tables.reshape(40, 5, 5)
    effect = nights.design_effect(f1ci.metrics.micro_f1, tables)
    assert effect == pytest.approx(20 * 40 / 39, rel=1e-12)
    rho = nights.within_night_correlation(f1ci.metrics.micro_f1, tables)
    assert rho == pytest.approx((20 * 40 / 39 - 1) / 19, rel=1e-12)


def test_a_stage_of_independent_epochs_has_no_design_effect():
    rng = np.random.default_rng(2)
    tables = rng.multinomial(200, np.full(25, 1 / 25), 2_000).reshape(2_000, 5, 5)
    # The variance of 2,000 nights has a relative standard error of 3.2 %.
    assert nights.stage_design_effect(tables, 2) == pytest.approx(1, abs=4 * 0.032)


def test_coverage_by_night_holds_its_level_and_epochs_do_not():
    # Nights that are all right or all wrong: independent epochs see 30 times too much.
    tables = np.zeros((40, 5, 5), np.int64)
    for k in range(40):
        i = k % 5
        tables[k, i, i if k < 28 else (i + 1) % 5] = 30
    covered = nights.coverage(
        [tables], 40, replicates=300, confidence_level=0.95, rng=np.random.default_rng(3)
    )
    assert covered["epochs independent"] < 50
    # Four standard errors of 300 draws below the level.
    assert covered["nights, default"] > 95 - 4 * 100 * np.sqrt(0.95 * 0.05 / 300)
