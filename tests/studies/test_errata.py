"""Errors in print, shown by computations that share nothing with the book's notebooks.

The ledger judges each erratum in the notebook that shows it. Here are the entries that plain NumPy
and SciPy, R, or the authors' own programs can decide too. Numbers are written as the paper prints
them, or as the entry does.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from compendium.published import Published
from numpy.typing import NDArray
from scipy import stats

import f1ci
from notebooks.data import run_appendix_d
from notebooks.shared import class_averages, datasets, printed_tables
from notebooks.shared.r_random import RRandom

Array = NDArray[np.float64]

Z = float(stats.norm.ppf(0.975))
ROWS = Published().rows


def rounds_to(value: float, printed: str) -> bool:
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed


# Takahashi et al.

TOY = np.array([[2.0, 2, 2], [5, 70, 2], [0, 2, 15]])  # table 1: rows predicted, columns true


def macro_star(cells: Array) -> float:
    """Return F1 of mean precision and mean recall, from the nine cells of a table."""
    table = cells.reshape(3, 3)
    precision = (np.diag(table) / table.sum(axis=1)).mean()
    recall = (np.diag(table) / table.sum(axis=0)).mean()
    return float(2 * precision * recall / (precision + recall))


def errors_of_macro_star() -> Iterable[float]:
    """Compute the toy example's standard error: by differences, and as section 3.3 prints it."""
    cells, step = TOY.ravel(), 1e-5
    changes = [macro_star(cells + step * e) - macro_star(cells - step * e) for e in np.eye(9)]
    # The score does not change with the scale of the table: the mean of the gradient is 0.
    yield math.sqrt(cells @ np.square(changes)) / (2 * step)
    forms, p = class_averages.closed_forms(TOY.T), TOY / 100
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    for numerator in (rows, columns):  # p_i may be either margin
        var_recall = (numerator * (columns - np.diag(p)) / columns**3).sum() / 900
        yield math.sqrt(class_averages.macro_star_variance(forms._replace(var_recall=var_recall)))


def errors_of_macro() -> Iterable[float]:
    """Compute the toy example's standard error: Appendix B's, Appendix D's, a public copy's."""
    forms = class_averages.closed_forms(TOY.T)
    copied = ((np.diag(TOY) / (TOY.sum(axis=0) + TOY.sum(axis=1))) ** 2).sum()
    for first_sum in (forms.first, 0.0, copied):
        yield math.sqrt((first_sum + forms.second) * forms.scale)


# Wang and Li

# TP, FP, FN summed over the six folds, published with the authors' code, by task and model.
COUNTS = {key: folds.sum(axis=(0, 1)) for key, folds in datasets.wang_li_counts().items()}
METRICS = ("precision", "recall", "f1")
WEIGHT = 0.3688  # equation 22


def beta_posterior(counts: Array, metric: str) -> Any:
    """The posterior of precision or recall, or of F* for that of F1."""
    tp, fp, fn = WEIGHT * counts
    return stats.beta(tp + 1, {"precision": fp + 1, "recall": fn + 1, "f1": fp + fn + 2}[metric])


# Jiang


def standard_error(tp: float, fp: float, fn: float, n: float) -> float:
    """The delta method's standard error of the Tversky index (.8, .2), from cell probabilities."""
    total = tp + 0.8 * fp + 0.2 * fn
    index = tp / total
    slopes = np.array([1 - index, -0.8 * index, -0.2 * index]) / total
    return math.sqrt(np.array([tp, fp, fn]) @ slopes**2 / n)


def error_of_the_only_table() -> Iterable[float]:
    """Compute the printed error from TP, FP and FN, which test_data.py finds."""
    yield standard_error(286 / 535, 47 / 535, 43 / 535, 535)


# The table

ENTRIES = {
    "E-takahashi-1": (errors_of_macro_star, ["0.0649", "0.0777", "0.0808"]),
    "E-takahashi-2": (errors_of_macro, ["0.0650", "0.0244", "0.0389"]),
    "N-jiang-3": (error_of_the_only_table, ["0.0162"]),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_of_the_errata_is_right(entry: str) -> None:
    assert entry in Published().errata
    compute, printed = ENTRIES[entry]
    numbers = list(compute())
    assert len(numbers) == len(printed)
    assert [p for n, p in zip(numbers, printed, strict=True) if not rounds_to(n, p)] == []


# Programs of the authors

PROGRAM = datasets.wang_li_program()  # what Wang and Li's own program prints


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_appendix_d_stops_in_r_and_gives_appendix_b_once_it_is_mended() -> None:
    """R prints seven digits."""
    recorded = class_averages.appendix_d()
    answers = run_appendix_d.answers()
    assert answers == {key: recorded[key] for key in ("lines", "printed", "mended")}
    assert "object 'b' not found" in recorded["printed"]
    toy = "print(f1scores(rbind(c(2, 2, 2), c(5, 70, 2), c(0, 2, 15)))[[2]]['maF1', 'Sd'])"
    appendix_b, without_first_sum, _ = errors_of_macro()
    for lines, expected in (
        ("a <- 0; b <- 0\n", without_first_sum),
        (recorded["lines"], appendix_b),
    ):
        code = recorded["code"].replace(run_appendix_d.LOOP, lines + run_appendix_d.LOOP, 1)
        ran = subprocess.run(
            ["Rscript", "-e", code + toy], capture_output=True, text=True, check=True
        )
        assert float(ran.stdout.split()[-1]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("task", ["cws", "ner", "org"])
def test_the_bayes_test_is_that_of_the_authors_program(task: str, metric: str) -> None:
    folds = datasets.wang_li_counts()
    exact = f1ci.bayes_test(folds[task, "A"], folds[task, "B"], metric).p_h0
    # Twenty runs of a million draws, and four standard errors.
    error = math.sqrt(exact * (1 - exact) / 2e7)
    assert PROGRAM[task, metric, "", "p_h0"].mean() == pytest.approx(exact, abs=4 * error)


@pytest.mark.parametrize("model", ["A", "B"])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("task", ["cws", "ner", "org"])
def test_limits_are_those_of_the_authors_program(task: str, metric: str, model: str) -> None:
    ends = beta_posterior(COUNTS[task, model], metric).ppf([0.025, 0.975])
    # Equations 28 to 30: F1 = 2 F* / (1 + F*).
    ours = 2 * ends / (1 + ends) if metric == "f1" else ends
    for end, value in zip(("low", "high"), ours, strict=True):
        (theirs,) = PROGRAM[task, metric, model, end]
        assert value == pytest.approx(theirs, rel=1e-9)
        row = ROWS[f"wangli/table-2/{task}/{model.lower()}/{metric}/{end}"]
        assert rounds_to(100 * theirs, row.printed) == (row.erratum != "E-wangli-6")


# Z, TP and A of the 10,000 cases.
TABLE_1 = {"1nn": (609, 180, 756), "logistic": (609, 16, 69), "random_forest": (609, 112, 359)}


def test_table_1_of_yuan_is_a_sample_of_the_population() -> None:
    # `set.seed(599); sample(1:3333, 10000, TRUE)`; test_r_random.py compares with R.
    rules = datasets.abalone_rules().iloc[RRandom(599).sample(3333, 10_000) - 1]
    for name, column in (("1nn", "nn"), ("logistic", "logistic")):
        counted = rules["z"].sum(), (rules["z"] * rules[column]).sum(), rules[column].sum()
        assert counted == TABLE_1[name]


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_of_yuan_is_cut_off(name: str) -> None:
    z, tp, a = TABLE_1[name]
    f_half, accuracy = (ROWS[f"yuan/table-1/{name}/{m}"] for m in ("f0.5", "accuracy"))
    # In integers: F0.5 is 5 TP / (4 A + Z), and the accuracy a whole number over n.
    assert f_half.printed == f"0.{5 * tp * 10_000 // (4 * a + z):04d}"
    assert accuracy.printed == f"0.{10_000 - (a + z - 2 * tp):04d}"


def test_the_digits_of_the_random_forest_have_one_table() -> None:
    """Its rule is not at hand."""
    f_half, accuracy = (ROWS[f"yuan/table-1/random_forest/{m}"] for m in ("f0.5", "accuracy"))
    found = printed_tables.consistent_tables(10_000, 609, f_half.number, accuracy.number)
    assert found == [TABLE_1["random_forest"][1:]]
