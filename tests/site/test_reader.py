"""What people paste, and what it means: the table of cases, read in Chromium."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from compendium import ROOT
from sklearn.metrics import classification_report, f1_score

pytestmark = pytest.mark.slow

CASES = json.loads((ROOT / "tests" / "cases" / "pasted.json").read_text())
STATIC = ROOT / "book" / "_static"

# The first reading; of predictions also the choice of columns, and what is counted in them.
OUTCOME = """({ text, files }) => {
  try {
    const { readings, question } = files ? reader.readFiles(files) : reader.read(text);
    const found = { ...readings[0], number: readings.length, question };
    if (found.kind !== "predictions") return found;
    const choice = tables.choose(found.table);
    Object.assign(found, choice, { notes: [found.how, ...choice.notes] });
    if (choice.question !== null) return found;
    if (choice.b) return { ...found, cells: tables.comparisonOf(found.table, choice) };
    return { ...found, labels: choice.classes, matrix: tables.matrixOf(found.table, choice) };
  } catch (sentence) {
    if (typeof sentence !== "string") throw sentence;
    return { refused: sentence };
  }
}"""


@pytest.fixture(scope="module")
def tab(browser):
    tab = browser.new_page()
    for name in ("f1ci", "averages", "cells", "matrices", "tables", "reader", "results"):
        tab.add_script_tag(path=STATIC / f"{name}.js")
    yield tab
    tab.close()


@pytest.fixture(scope="module")
def outcome(tab):
    return lambda **given: tab.evaluate(OUTCOME, given)


def check_scores(found, case):
    """Compare printed scores, or the rows of a report."""
    for key in ("precision", "recall", "f1"):
        if key in case:
            assert found[key] == pytest.approx(case[key], abs=1e-12)
    if "report" in case:
        assert [row["name"] for row in found["classes"]] == case["report"]
        assert [row["positives"] for row in found["classes"]] == case["positives"]
    elif "positives" in case:
        assert found["positives"] == case["positives"]


def check_words(found, case):
    """Compare what is said beside the numbers."""
    if "note" in case:
        notes = " ".join(found["notes"]).strip()
        assert case["note"] in notes
        assert case["note"] or not notes  # nothing is said where nothing is to be said
    if found["kind"] == "matrix":
        assert found["said"].endswith("(turned)") == case.get("turned", False)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_case_is_read_as_it_is_meant(outcome, tab, case):
    found = outcome(text=case.get("text"), files=case.get("files"))
    if "refuses" in case:
        assert case["refuses"] in found["refused"]
        return
    assert "refused" not in found, found["refused"]
    if "asks" in case:
        assert case["asks"] in found["question"]
        assert found["number"] == case.get("readings", 1)
        return
    assert found["question"] is None
    if "counts" in case:
        assert [found["counts"][key] for key in ("tp", "fp", "fn", "tn")] == case["counts"]
    for key in ("matrix", "labels", "truth", "a", "b", "cells"):
        if key in case:
            assert found[key] == case[key]
    check_scores(found, case)
    if "positive" in case:
        labels = found.get("labels") or found["classes"]
        assert tab.evaluate("labels => tables.positiveOf(labels)", labels) == case["positive"]
    check_words(found, case)


# What programs print today, and what they print of random data


def random_labels(rng, n=60, classes=("cat", "dog", "owl")):
    true = rng.choice(classes, n)
    return true, np.where(rng.random(n) < 0.7, true, rng.choice(classes, n))


def test_matrices_that_pandas_writes_are_read(outcome):
    true, pred = random_labels(np.random.default_rng(11))
    table = pd.crosstab(true, pred, rownames=["true"], colnames=["predicted"])
    sums = pd.crosstab(true, pred, rownames=["y"], colnames=["y_pred"], margins=True)
    for text in (str(table), table.to_csv(), table.to_html(), table.to_latex(), str(sums)):
        assert outcome(text=text)["matrix"] == table.to_numpy().tolist()


def test_predictions_that_pandas_writes_are_read(outcome):
    true, pred = random_labels(np.random.default_rng(11))
    expected = pd.crosstab(true, pred).to_numpy().tolist()
    frame = pd.DataFrame({"text": [f"Line, {k}" for k in range(60)], "gold": true, "bert": pred})
    for text in (frame.to_csv(), frame.to_csv(sep="\t", index=False)):
        found = outcome(text=text)
        assert (found["truth"], found["a"], found["matrix"]) == ("gold", "bert", expected)
    lines = io.StringIO()
    frame.to_json(lines, orient="records", lines=True)
    assert outcome(text=lines.getvalue())["matrix"] == expected


RESULTS = """text => {
  const { readings: [reading] } = reader.read(text);
  return results.compute(reading, { level: 0.95, beta: 1 }, null, "pos").tables[0].rows;
}"""


@pytest.mark.parametrize(("n", "digits"), [(40, 2), (90, 2), (2000, 4)])
def test_a_report_gives_its_counts_back(tab, n, digits):
    """The F1 of every class is within those of the tables that fit."""
    true, pred = random_labels(np.random.default_rng(12), n)
    for row in tab.evaluate(RESULTS, classification_report(true, pred, digits=digits)):
        name = row["name"]
        f1 = f1_score(true == name, pred == name)
        assert row.get("least", f1) - 1e-12 <= f1 <= row.get("most", f1) + 1e-12
        if "least" not in row or row["least"] == row["most"]:
            assert row["estimate"] == pytest.approx(f1)
