"""The classification report: scikit-learn's estimates, the doors' end points, a readable table."""

import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sklearn.metrics

import f1ci
from f1ci import metrics

RNG = np.random.default_rng(20)
CLASSES = ["cat", "dog", "a very long name of a class that no table has room for, really", "日本"]
TRUE = RNG.choice(CLASSES, 150, p=[0.4, 0.3, 0.2, 0.1]).tolist()
PREDICTED = [t if RNG.random() < 0.7 else str(RNG.choice(CLASSES)) for t in TRUE]
GROUPS = (np.arange(150) // 6).tolist()
INDICATORS = RNG.random((80, 3)) < 0.4, RNG.random((80, 3)) < 0.5
METRICS = ("precision", "recall", "f1")


def check_estimates(report, true, predicted):
    expected = sklearn.metrics.classification_report(
        true, predicted, output_dict=True, zero_division=np.nan
    )
    assert [str(name) for name, *_ in report.rows()] == list(expected)
    for name, parts, support in report.rows():
        row = expected[str(name)]
        if "accuracy" in parts:
            assert parts["accuracy"][0] == pytest.approx(row, rel=1e-14)
            continue
        for metric, (estimate, low, high) in parts.items():
            # Both are a few sums and quotients of integers.
            key = "f1-score" if metric == "f1" else metric
            assert estimate == pytest.approx(row[key], rel=1e-14)
            assert 0 <= low < estimate < high <= 1
        assert support == row["support"]


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_estimates_are_those_of_scikit_learn(groups):
    report = f1ci.classification_report(TRUE, PREDICTED, groups=groups)
    check_estimates(report, TRUE, PREDICTED)
    assert report.items == 150
    assert report.method == ("score" if groups is None else "score+groups")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_estimates_of_indicators_are_those_of_scikit_learn():
    report = f1ci.classification_report(*INDICATORS)
    check_estimates(report, *(x.astype(int) for x in INDICATORS))
    assert report.items == 80


def ends(interval):
    return interval.estimate, interval.low, interval.high, interval.standard_error


def same(one, other):
    for left, right in zip(ends(one), ends(other), strict=True):
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-12)
    assert one.method == other.method


@pytest.mark.parametrize(
    ("method", "groups"),
    [(method, groups) for method in ("score", "logit", "delta") for groups in (None, GROUPS)],
)
def test_numbers_are_those_of_the_doors(method, groups):
    options = {"labels": CLASSES, "method": method, "groups": groups}
    report = f1ci.classification_report(TRUE, PREDICTED, **options)
    each = f1ci.f1_score_interval(TRUE, PREDICTED, average=None, **options)
    same(report.by_class["f1"], each)
    assert report.by_class["f1"].classes == each.classes == tuple(CLASSES)
    for row, metric, average in (
        ("macro avg", "f1", "macro"),
        ("weighted avg", "f1", "weighted"),
        ("accuracy", "accuracy", "micro"),
    ):
        door = f1ci.f1_score_interval(TRUE, PREDICTED, average=average, **options)
        same(report.averages[row][metric], door)
    if groups is None:
        matrix = f1ci.confusion_matrix(TRUE, PREDICTED, labels=CLASSES)
        recall = f1ci.metric_interval(matrix, metrics.macro("recall"), method=method)
        same(report.averages["macro avg"]["recall"], recall)
        for k, name in enumerate(CLASSES):
            table = f1ci.confusion_matrix([t == name for t in TRUE], [p == name for p in PREDICTED])
            alone = f1ci.metric_interval(table, "precision", method=method)
            found = report.by_class["precision"]
            assert (found.low[k], found.high[k]) == pytest.approx(tuple(alone), abs=1e-12)


@pytest.mark.parametrize("groups", [None, np.arange(80) // 4])
def test_numbers_of_indicators_are_those_of_the_doors(groups):
    report = f1ci.classification_report(*INDICATORS, groups=groups, labels=["x", "y", "z"])
    door = f1ci.f1_score_interval(*INDICATORS, average=None, groups=groups)
    same(report.by_class["f1"], door)
    for average in ("micro", "macro", "weighted"):
        door = f1ci.f1_score_interval(*INDICATORS, average=average, groups=groups)
        same(report.averages[f"{average} avg"]["f1"], door)
    assert report.classes == ("x", "y", "z")


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def test_columns_are_aligned_whatever_the_names():
    lines = str(f1ci.classification_report(TRUE, PREDICTED)).splitlines()
    table = lines[:-1]
    assert len(table) == 8  # head, four classes, three averages
    assert len({width(line) for line in table}) == 1
    assert table[0].split() == ["precision", "recall", "f1", "support"]
    assert any(line.startswith("日本 ") for line in table)
    assert any("has room…" in line or "…" in line for line in table)
    assert lines[-1] == "95 % confidence intervals, each by itself; method score"


def test_many_classes():
    true = RNG.integers(0, 300, 20_000)
    predicted = np.where(RNG.random(20_000) < 0.8, true, RNG.integers(0, 300, 20_000))
    lines = str(f1ci.classification_report(true, predicted)).splitlines()
    assert len(lines) == 1 + 300 + 3 + 1
    assert lines[300].split()[0] == "299"


def test_html_is_escaped():
    true = ["<b>", "a & b"] * 20
    html = f1ci.classification_report(true, true[:20] + true[:0:-1][:20])._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert "a &amp; b" in html


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
    assert np.isnan(mean["precision"].estimate)
    assert tuple(mean["precision"]) == (0.0, 1.0)
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
    with pytest.raises(ImportError, match="needs pandas"):
        f1ci.classification_report(TRUE, PREDICTED).to_frame()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "blur"}, "one of 'score', 'logit', 'delta' .*, got 'blur'"),
    ],
)
def test_bad_input_is_quoted(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        f1ci.classification_report(TRUE, PREDICTED, **options)


def test_one_class_makes_no_report():
    with pytest.raises(ValueError, match="at least two classes, got 1"):
        f1ci.classification_report(["a", "a"], ["a", "a"])
    with pytest.raises(ValueError, match="labels has 2 names, the indicators have 3"):
        f1ci.classification_report(*INDICATORS, labels=["x", "y"])


# Other doors


def test_a_matrix_has_the_report_of_its_labels():
    classes = sorted(set(TRUE) | set(PREDICTED))
    matrix = f1ci.confusion_matrix(TRUE, PREDICTED)
    report = f1ci.matrix_report(matrix, classes)
    assert report == f1ci.classification_report(TRUE, PREDICTED)
    assert report != f1ci.classification_report(TRUE, TRUE)


def test_the_dictionary_is_that_of_scikit_learn_with_intervals():
    ours = f1ci.classification_report(TRUE, PREDICTED).to_dict()
    theirs = sklearn.metrics.classification_report(TRUE, PREDICTED, output_dict=True)
    assert ours["accuracy"] == pytest.approx(theirs.pop("accuracy"), abs=1e-12)
    low, high = ours["accuracy_interval"]
    assert low < ours["accuracy"] < high
    for row, numbers in theirs.items():
        for name, value in numbers.items():
            assert ours[str(row)][name] == pytest.approx(value, abs=1e-12)
            if name != "support":
                low, high = ours[str(row)][f"{name}_interval"]
                assert low <= value <= high


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
