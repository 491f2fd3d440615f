"""Wang and Li (2019), Tables 2 to 5, from the counts of their public program."""

import numpy as np
import pytest
from compendium.published import Published

import f1ci
from notebooks.shared import datasets

METRICS = ("precision", "recall", "f1")
FOLDS = datasets.wang_li_counts()
PRINTED = Published().rows
TABLE_2 = [row for row in PRINTED.values() if row.id.startswith("wangli/table-2/")]
TABLES_3_TO_5 = {"cws": "table-3", "ner": "table-4", "org": "table-5"}


@pytest.mark.parametrize("row", TABLE_2, ids=lambda row: row.id)
def test_intervals_of_table_2(row):
    _, _, task, model, metric, end = row.id.split("/")
    counts = f1ci.effective_counts(FOLDS[task, model.upper()])
    low, high = f1ci.posterior(*counts, metric, prior=1).interval(0.95)
    ours = f"{100 * {'low': low, 'high': high}[end]:.2f}"
    # Two of the 36 end points are cut off instead of rounded: an erratum says so.
    assert (ours == row.printed) == (not row.erratum)


@pytest.mark.parametrize("task", TABLES_3_TO_5)
@pytest.mark.parametrize("metric", METRICS)
def test_tables_3_to_5(task, metric):
    test = f1ci.bayes_test(FOLDS[task, "A"], FOLDS[task, "B"], metric, prior=1)
    lines = f"wangli/{TABLES_3_TO_5[task]}/{metric}/"
    assert f"Accept {test.most_probable}" == PRINTED[f"{lines}decision"].printed
    assert test.p_h0 + test.p_h1 == pytest.approx(1.0, abs=4e-16)
    # The paper draws 10^6 values (eq. 33): half a unit of the last digit and four of its
    # standard errors. Two of the probabilities cannot come from the counts: errata.
    tolerance = 0.0005 + 4 * np.sqrt(test.p_h0 * test.p_h1 / 1e6)
    for name, ours in (("p_h0", test.p_h0), ("p_h1", test.p_h1)):
        row = PRINTED[lines + name]
        agrees = abs(ours - float(row.printed)) <= tolerance
        assert agrees == (not row.erratum)
