"""The classification report: scikit-learn's estimates, the doors' end points, a readable table."""

import html
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import binomtest

import f1ci

RNG = np.random.default_rng(20)
CLASSES = ["cat", "dog", "a very long name of a class that no table has room for, really", "été"]
TRUE = RNG.choice(CLASSES, 150, p=[0.4, 0.3, 0.2, 0.1]).tolist()
PREDICTED = [t if RNG.random() < 0.7 else str(RNG.choice(CLASSES)) for t in TRUE]
GROUPS = (np.arange(150) // 6).tolist()
INDICATORS = RNG.random((80, 3)) < 0.4, RNG.random((80, 3)) < 0.5
METRICS = ("precision", "recall", "f1")


def same(one, other):
    assert one.method == other.method
    for name in ("estimate", "low", "high", "standard_error"):
        found, expected = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", ["score", "logit", "delta"])
def test_numbers_are_those_of_the_matrix(method):
    report = f1ci.classification_report(TRUE, PREDICTED, labels=CLASSES, method=method)
    matrix = f1ci.confusion_matrix(TRUE, PREDICTED, labels=CLASSES)
    for metric in METRICS:
        for average in ("macro", "weighted"):
            alone = f1ci.metric_interval(matrix, f"{average}_{metric}", method=method)
            same(report.averages[f"{average} avg"][metric], alone)
        pairs = [(np.equal(TRUE, name), np.equal(PREDICTED, name)) for name in CLASSES]
        tables = [f1ci.confusion_matrix(*pair) for pair in pairs]
        same(report.by_class[metric], f1ci.metric_interval(tables, metric, method=method))
    accuracy = f1ci.metric_interval(matrix, "micro_f1", method=method)
    same(report.averages["accuracy"]["accuracy"], accuracy)
    assert report.items == 150
    assert report.by_class["f1"].classes == tuple(CLASSES)


@pytest.mark.parametrize("of", [(TRUE, PREDICTED, GROUPS), (*INDICATORS, np.arange(80) // 4)])
def test_numbers_of_groups_are_those_of_f1_score_interval(of):
    *labels, groups = of
    report = f1ci.classification_report(*labels, groups=groups)
    assert report.items == len(groups)
    assert report.method == "logit+groups"
    each = f1ci.f1_score_interval(*labels, average=None, groups=groups)
    same(report.by_class["f1"], each)
    macro = f1ci.f1_score_interval(*labels, average="macro", groups=groups)
    assert report.averages["macro avg"]["f1"].low == macro.low


def test_columns_are_aligned_whatever_the_names():
    lines = str(f1ci.classification_report(TRUE, PREDICTED)).splitlines()
    table = lines[:-1]
    assert len(table) == 8  # head, four classes, three averages
    assert len(set(map(len, table))) == 1
    assert table[0].split() == ["precision", "recall", "f1", "support"]
    assert any(line.startswith("été ") for line in table)
    assert any("has room…" in line or "…" in line for line in table)
    assert lines[-1] == "95 % confidence intervals, each by itself; method score"


def test_many_classes():
    true = RNG.integers(0, 300, 20_000)
    predicted = np.where(RNG.random(20_000) < 0.8, true, RNG.integers(0, 300, 20_000))
    lines = str(f1ci.classification_report(true, predicted)).splitlines()
    assert len(lines) == 1 + 300 + 3 + 1
    assert lines[300].split()[0] == "299"


def test_notebooks_show_the_escaped_text():
    true = ["<b>", "a & b"] * 20
    report = f1ci.classification_report(true, true[:20] + true[:0:-1][:20])
    shown = report._repr_html_()
    assert shown == f"<pre>{shown[5:-6]}</pre>"
    assert "<b>" not in shown
    assert html.unescape(shown[5:-6]) == str(report)


def test_names_that_move_the_cursor_are_quoted():
    true = ["a\x1b[2J", "b\nc", ""] * 9
    text = str(f1ci.classification_report(true, true))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 1 + 3 + 3 + 1
    assert r"'b\nc'" in text


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
    report = f1ci.classification_report(true, predicted)
    mean = report.averages["samples avg"]
    # scikit-learn has the one item's precision, or nan of none. One item of one is right.
    assert mean["precision"].estimate == pytest.approx(1.0 if found else np.nan, nan_ok=True)
    wilson = binomtest(1, 1).proportion_ci(method="wilson") if found else (0, 1)
    assert tuple(mean["precision"]) == pytest.approx(tuple(wilson), abs=1e-12)
    assert mean["recall"].estimate == pytest.approx(found / 3)
    with pytest.raises(ValueError, match="needs at least two items, got 1"):
        f1ci.classification_report(true[:1], predicted[:1])


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


def test_without_pandas_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas"):
        f1ci.classification_report(TRUE, PREDICTED).to_frame()


def test_bad_input_is_quoted():
    with pytest.raises(ValueError, match=r"method must be one of 'score', .*, got 'blur'"):
        f1ci.classification_report(TRUE, PREDICTED, method="blur")


def test_one_class_makes_no_report():
    with pytest.raises(ValueError, match="at least two classes, got 1"):
        f1ci.classification_report(["a", "a"], ["a", "a"])
    with pytest.raises(ValueError, match="labels has 2 names, the indicators have 3"):
        f1ci.classification_report(*INDICATORS, labels=["x", "y"])


# Other doors


def test_a_matrix_has_the_report_of_its_labels():
    classes = sorted(set(TRUE) | set(PREDICTED))
    matrix = f1ci.confusion_matrix(TRUE, PREDICTED)
    report = f1ci.matrix_report(matrix, labels=classes)
    assert report == f1ci.classification_report(TRUE, PREDICTED)
    assert report != f1ci.classification_report(TRUE, TRUE)


def test_target_names_are_those_of_the_rows():
    names = [f"class {k}" for k in range(len(set(TRUE) | set(PREDICTED)))]
    report = f1ci.classification_report(TRUE, PREDICTED, target_names=names)
    assert report.classes == tuple(names)
    assert report.support.tolist() == f1ci.classification_report(TRUE, PREDICTED).support.tolist()


def test_reports_in_threads_leave_the_warnings_alone():
    y_true = np.random.default_rng(1).integers(0, 3, 300)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: f1ci.classification_report(y_true, y_true[::-1]), range(40)))
    with pytest.warns(f1ci.UndefinedMetricWarning):
        f1ci.f1_interval(0, 0, 0)
