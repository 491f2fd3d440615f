"""The classification report: a readable table of numbers that test_invariants.py compares."""

import html
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import binomtest

import f1ci

RNG = np.random.default_rng(20)
CLASSES = ["cat", "dog", "a very long name of a class that no table has room for, really", "été"]
TRUE = RNG.choice(CLASSES, 150, p=[0.4, 0.3, 0.2, 0.1]).tolist()
PREDICTED = [t if RNG.random() < 0.7 else str(RNG.choice(CLASSES)) for t in TRUE]


def test_columns_are_aligned_whatever_the_names():
    lines = str(f1ci.classification_report(TRUE, PREDICTED)).splitlines()
    table = lines[:-1]
    assert len(table) == 8  # head, four classes, three averages
    assert len(set(map(len, table))) == 1
    assert table[0].split() == ["precision", "recall", "f1", "support"]
    assert any(line.startswith("été ") for line in table)
    assert any("…" in line for line in table)
    assert lines[-1] == "95 % confidence intervals, each by itself; method score"


def test_names_are_shown_as_text():
    """No name moves the cursor, and none is read as HTML."""
    true = ["a\x1b[2J", "b\nc", "", "<b>"] * 9
    report = f1ci.classification_report(true, true)
    text = str(report)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 1 + 4 + 3 + 1
    assert r"'b\nc'" in text
    shown = report._repr_html_()
    assert "<b>" not in shown
    cells = [html.unescape(cell) for cell in re.findall("<t[dh]>(.*?)</t[dh]>", shown)]
    *table, line = text.splitlines()
    assert [cell for cell in cells if cell] == re.split(r"  +", "  ".join(table).strip())
    assert html.unescape(shown).endswith(f"</table><p>{line}</p>")


def test_it_says_what_is_undefined_and_what_is_hardly_known():
    # "c" is never predicted, and occurs once.
    report = f1ci.classification_report(["a", "b"] * 30 + ["c"], ["a", "b"] * 30 + ["a"])
    assert np.isnan(report.by_class["precision"].estimate[2])
    assert report.notes == (
        "undefined, and left out of its averages: precision of c",
        "too few items to say much of c, and of the averages",
    )
    assert str(report).endswith("\n".join(report.notes))
    assert not f1ci.classification_report(["a", "b"] * 30, ["a", "b"] * 30).notes


@pytest.mark.parametrize("found", [0, 1])
def test_a_model_that_finds_nothing_has_a_report(found):
    """Precision is undefined for all items but one at most, so its mean is not known."""
    true = np.eye(3, dtype=int)
    predicted = true * (np.arange(3) < found)[:, None]
    mean = f1ci.classification_report(true, predicted).averages["samples avg"]
    # scikit-learn has the one item's precision, or nan of none. One item of one is right.
    assert mean["precision"].estimate == pytest.approx(1.0 if found else np.nan, nan_ok=True)
    wilson = binomtest(1, 1).proportion_ci(method="wilson") if found else (0, 1)
    assert tuple(mean["precision"]) == pytest.approx(tuple(wilson), abs=1e-9)
    assert mean["recall"].estimate == pytest.approx(found / 3)


def test_a_data_frame_holds_the_same_numbers():
    report = f1ci.classification_report(TRUE, PREDICTED)
    frame = report.to_frame()
    assert len(frame) == 3 * 4 + 1 + 3 * 2
    low = report.by_class["f1"].low[report.classes.index("cat")]
    assert frame.loc[("cat", "f1"), "low"] == low
    accuracy = report.averages["accuracy"]["accuracy"]
    assert frame.loc[("accuracy", "accuracy"), "high"] == accuracy.high
    assert frame.loc[("macro avg", "recall"), "support"] == 150
    assert list(frame.columns) == ["estimate", "low", "high", "support"]


def test_a_matrix_has_the_report_of_its_labels_and_names_may_be_changed():
    classes = sorted(CLASSES)
    matrix = f1ci.confusion_matrix(TRUE, PREDICTED)
    report = f1ci.Matrix(matrix, labels=classes).report()
    assert report == f1ci.classification_report(TRUE, PREDICTED)
    assert report != f1ci.classification_report(TRUE, TRUE)
    names = [f"class {k}" for k in range(4)]
    named = f1ci.classification_report(TRUE, PREDICTED, target_names=names)
    assert named.classes == tuple(names)
    assert named.support.tolist() == report.support.tolist() == matrix.sum(axis=1).tolist()


def test_reports_in_threads_leave_the_warnings_alone():
    y_true = np.random.default_rng(1).integers(0, 3, 300)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: f1ci.classification_report(y_true, y_true[::-1]), range(40)))
    with pytest.warns(f1ci.UndefinedMetricWarning):
        f1ci.f1_interval(0, 0, 0)


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"digits": 3}, r"digits is not.* to_frame\(\) has all; got 3"),
        ({"output_dict": True}, "to_dict"),
    ],
)
def test_the_options_of_scikit_learn_name_what_has_the_same_numbers(option, sentence):
    with pytest.raises(TypeError, match=sentence):
        f1ci.classification_report(TRUE, PREDICTED, **option)
