"""What people paste, and what it means: the table of cases, read in Node."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compendium import ROOT
from scripts import evaluate
from sklearn.metrics import classification_report, f1_score
from test_harness import LOGS, PRINTED

CASES = json.loads((ROOT / "tests" / "cases" / "pasted.json").read_text())
ACCOUNTS = Path(__file__).with_name("accounts.js")

# The first reading; of tables also the choice of columns, and what is counted in them.
OUTCOME = """({ text, files }) => {
  try {
    const { readings, question } = files ? reader.readFiles(files) : reader.read(text);
    const found = { ...readings[0], number: readings.length, question };
    if (question !== null) return found;
    const choose = { predictions: tables.choose, scores: scores.choose }[found.kind];
    const choice = choose ? choose(found.table) : null;
    const notes = [...found.notes, found.how ?? "", ...(choice?.notes ?? [])];
    Object.assign(found, choice, { notes });
    if (choice?.question) return found;
    const { positive, question: asked } = reader.positiveOf(readings[0], choice);
    Object.assign(found, { positive, question: asked });
    if (found.kind !== "predictions") return found;
    if (choice.b) return { ...found, cells: tables.comparisonOf(found.table, found) };
    return { ...found, labels: choice.classes, matrix: tables.matrixOf(found.table, choice) };
  } catch (sentence) {
    if (typeof sentence !== "string") throw sentence;
    return { refused: sentence };
  }
}"""


@pytest.fixture(scope="module")
def outcomes():
    """What each case is read as, by its name."""
    found = evaluate(OUTCOME, CASES)
    return {case["name"]: one for case, one in zip(CASES, found, strict=True)}


def outcome(**given):
    """Read one text."""
    return evaluate(OUTCOME, [given])[0]


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


POSITIVE = "Which class is the positive one?"
COUNTED = ("tp", "fp", "fn")
PAIRS = ("both", "onlyA", "onlyB", "none")


def check_counts(found, case):
    """Compare counts of one class, of several, of units, and of pairs."""
    if "counts" in case:
        assert [found["counts"][key] for key in (*COUNTED, "tn")] == case["counts"]
    if "rows" in case:
        rows = [[row["name"], *(row[key] for key in COUNTED)] for row in found["rows"]]
        assert rows == case["rows"]
    if "pairs" in case:
        assert [found[key] for key in PAIRS] == case["pairs"]
    if "micro" in case:
        assert found["micro"]["positives"] == case["micro"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_case_is_read_as_it_is_meant(outcomes, case):
    found = outcomes[case["name"]]
    if "refuses" in case:
        assert case["refuses"] in found["refused"]
        return
    assert "refused" not in found, found["refused"]
    if "asks" in case:
        assert case["asks"] in found["question"]
        assert found["number"] == case.get("readings", 1)
        return
    # Which of two classes is positive is asked after they have been counted.
    assert found["question"] == (POSITIVE if found["question"] and not found["positive"] else None)
    check_counts(found, case)
    for key in ("kind", "matrix", "labels", "truth", "a", "b", "group", "cells", "positive"):
        if key in case:
            assert found[key] == case[key]
    check_scores(found, case)
    check_words(found, case)


def test_a_reader_accounts_for_every_number():
    """Each number of a text is in the reading, in a note, or in a line that a note names.

    This is asked of all cases, and of mutations of them: lines and numbers that are left out, put
    in or changed, other separators, and two cases in one text.
    """
    texts = [one["text"] for case in CASES for one in case.get("files", [case])]
    assert evaluate("(text) => accounts.fault(text)", texts, ACCOUNTS) == [""] * len(texts)
    (faults,) = evaluate("(texts) => accounts.faults(texts, 3000, 7)", [texts], ACCOUNTS)
    assert faults == []


@pytest.mark.parametrize("name", ["label", "y_pred"])
def test_answers_in_columns_of_one_name_are_called_by_their_files(name):
    texts = {file: f"id,gold,{name}\n0,0,0\n1,1,{file == 'a':d}\n2,0,0\n" for file in "ab"}
    files = [{"name": f"{file}.csv", "text": text} for file, text in texts.items()]
    columns = outcome(files=files)["table"]["columns"]
    assert [column["name"] for column in columns] == ["id", "gold", "a", "b"]


# What programs print today, and what they print of random data


def random_labels(rng, n=60, classes=("cat", "dog", "owl")):
    true = rng.choice(classes, n)
    return true, np.where(rng.random(n) < 0.7, true, rng.choice(classes, n))


def test_matrices_that_pandas_writes_are_read():
    true, pred = random_labels(np.random.default_rng(11))
    table = pd.crosstab(true, pred, rownames=["true"], colnames=["predicted"])
    sums = pd.crosstab(true, pred, rownames=["y"], colnames=["y_pred"], margins=True)
    for text in (str(table), table.to_csv(), table.to_html(), table.to_latex(), str(sums)):
        assert outcome(text=text)["matrix"] == table.to_numpy().tolist()


def test_predictions_that_pandas_writes_are_read():
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
def test_a_report_gives_its_counts_back(n, digits):
    """The F1 of every class is within those of the tables that fit."""
    true, pred = random_labels(np.random.default_rng(12), n)
    for row in evaluate(RESULTS, [classification_report(true, pred, digits=digits)])[0]:
        name = row["name"]
        f1 = f1_score(true == name, pred == name)
        assert row.get("least", f1) - 1e-12 <= f1 <= row.get("most", f1) + 1e-12
        if "least" not in row or row["least"] == row["most"]:
            assert row["estimate"] == pytest.approx(f1)


LONG = ["a", "1 ", "0.5 ", "[", "(", "{", "<", '"', "|", "-", " ", "\t", "a,", "\n", "p = ", "F1 "]
WORDS = ["both ", "only a ", "true positive ", "x 1\n", "[1, ", "1 | a = b\n", "\\begin{", "(1, "]


def test_no_text_freezes_the_page():
    """Texts of 60,000 letters are read or refused within seconds, whatever they repeat."""
    texts = [part * (60_000 // len(part)) for part in LONG + WORDS]
    call = """(text) => {
      const start = Date.now();
      cells.unlessRefused(() => reader.read(text));
      return Date.now() - start;
    }"""
    slow = {
        text[:9]: time
        for text, time in zip(texts, evaluate(call, texts), strict=True)
        if time > 5e3
    }
    assert slow == {}


@pytest.mark.parametrize(("name", "accuracy", "classes"), PRINTED)
def test_a_log_has_the_accuracy_that_its_harness_printed(name, accuracy, classes):
    (found,) = evaluate(OUTCOME, [{"text": (LOGS / name).read_text("utf-8")}])
    matrix = np.array(found["matrix"])
    assert np.trace(matrix) / matrix.sum() == accuracy
    assert set(classes) <= set(found["labels"])


def test_a_log_without_answers_says_what_is_missing():
    log = {"eval": {}, "status": "success", "samples": [{"id": 1, "target": "A", "scores": None}]}
    texts = [log, {**log, "samples": []}, {**log, "samples": [{**log["samples"][0], "scores": {
        "match": {"value": "C"}}}]}]  # fmt: skip
    found = evaluate(OUTCOME, [{"text": json.dumps(text)} for text in texts])
    assert [one["refused"].partition(":")[0] for one in found] == [
        "The sample 1 has no “scores”",
        "This log of Inspect has no “samples”.",
        "The scorer “match” wrote no “answer” for the sample 1",
    ]
