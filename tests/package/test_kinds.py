"""Every kind of data answers every question, or says why not; the warnings are the same."""

import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from examples import ask, labels_of, noisy, quiet
from scipy import stats

import f1ci
from f1ci.results import (
    ClassificationReport,
    DifferenceSampleSize,
    DifferenceTest,
    Interval,
    JointIntervals,
    ModelComparison,
    PilotSize,
    RunsInterval,
)

RNG = np.random.default_rng(20261120)
TRUE = RNG.integers(0, 2, 60)
A, B, C, D = (noisy(RNG, TRUE, right, 2) for right in (0.7, 0.8, 0.75, 0.9))
UNIT = np.arange(60) // 4
TABLES = {"A": [[20, 7], [6, 27]], "B": [[22, 5], [3, 30]], "C": [[21, 6], [2, 31]]}
BY_UNIT = RNG.poisson((4, 1, 1), (12, 2, 3))
DATA = {
    "Counts": f1ci.Counts({"A": (27, 7, 6, 20), "B": (30, 5, 3, 22), "C": (31, 6, 2, 21)}),
    "Matrix": f1ci.Matrix(TABLES),
    "Labels": f1ci.Labels(TRUE, {"A": A, "B": B, "C": C}),
    "groups": f1ci.Labels(TRUE, {"A": A, "B": B, "C": C}, groups=UNIT),
    "strata": f1ci.Labels(
        TRUE, {"A": A, "B": B, "C": C}, strata=np.arange(60) % 2, stratum_shares={0: 0.3, 1: 0.7}
    ),
    "units of strata": f1ci.Labels(
        TRUE,
        {"A": A, "B": B, "C": C},
        groups=UNIT,
        strata=UNIT % 2,
        stratum_shares={0: 0.3, 1: 0.7},
    ),
    "indicators": f1ci.Labels(
        np.array([TRUE, C]).T, {"A": np.array([A, C]).T, "B": np.array([B, D]).T}
    ),
    "Units": f1ci.Units(
        {"A": BY_UNIT, "B": np.add(BY_UNIT, [2, 0, 0]), "C": np.add(BY_UNIT, [0, 1, 0])}
    ),
    "Scores": f1ci.Scores({"A": RNG.random(20), "B": RNG.random(20), "C": RNG.random(20)}),
    "Runs": f1ci.Runs(TRUE, {"A": [A, C], "B": [B, D, C], "C": [C, D]}),
}
# Indicators and counts by class have scores of one class only as averages.
ASKED = {"indicators": {"average": "macro"}, "Units": {"average": "macro"}}
SECOND = {"b": "B", "a": "A"}
QUESTIONS = {
    "interval": ({"model": "A"}, Interval),
    "difference": ({**SECOND, "margin": 0.1}, DifferenceTest),
    "compare": ({}, ModelComparison),
    "joint": ({}, JointIntervals),
    "report": ({"model": "A"}, ClassificationReport),
    "plan": ({"half_width": 0.1, "model": "A"}, PilotSize),
    "plan of two": ({"difference": 0.1, **SECOND}, DifferenceSampleSize),
}
# What cannot be answered, and what the refusal says.
REFUSED = {
    (
        "Counts",
        "report",
    ): r"a report has a row for each class: Matrix\(\[\[tn, fp\], \[fn, tp\]\]\)",
    ("Counts", "plan of two"): "needs both models on the same items: Labels or Units",
    ("Matrix", "plan of two"): "needs both models on the same items: Labels or Units",
    ("Scores", "report"): r"bring counts by unit and class \(Units\)",
    (
        "Runs",
        "joint",
    ): r"are not known for the mean over runs: bring one run as Labels\(y_true, run",
    ("Runs", "report"): "a report is for one run: bring one run as Labels",
    ("Runs", "plan"): "two unknown numbers, of items and of runs: bring one run",
    ("Runs", "plan of two"): "two unknown numbers, of items and of runs: bring one run",
}


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind", DATA)
def test_every_kind_answers_every_question_or_says_why_not(kind, question):
    options, result = QUESTIONS[question]
    options = options | ({} if question == "report" else ASKED.get(kind, {}))
    metrics = ["mean"] if kind == "Scores" else ["f1", "recall"]
    arguments = [metrics] if question == "joint" else []
    method = getattr(DATA[kind], question.partition(" ")[0])
    if (kind, question) in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[kind, question]):
            method(*arguments, **options)
    else:
        answer = method(*arguments, **options)
        assert isinstance(answer, result)
        assert str(answer)


@pytest.mark.parametrize("question", ["difference", "compare", "joint", "plan", "plan of two"])
@pytest.mark.parametrize("kind", ["Matrix", "Labels", "groups", "strata", "indicators", "Units"])
def test_a_question_for_one_score_says_so_where_each_class_is_asked_for(kind, question):
    """A difference for each class would be many tests: the advice names the class instead."""
    if (kind, question) in REFUSED:
        return
    options = QUESTIONS[question][0] | {"average": None}
    arguments = [["f1"]] if question == "joint" else []
    with pytest.raises(
        ValueError, match=r"this question is for one score: name an average, .*got N"
    ):
        getattr(DATA[kind], question.partition(" ")[0])(*arguments, **options)


def test_the_advice_for_one_class_works():
    alone = f1ci.Labels(TRUE, {"A": A, "B": B}, pos_label=0).difference()
    assert alone.estimate == pytest.approx(
        np.diff([f1ci.score_interval(TRUE, x, average=None).estimate[0] for x in (A, B)])[0]
    )


METHODS_OF_KINDS = [
    (kind, method)
    for kind in DATA
    for method in ("score", "cautious", "logit", "delta")
    if not (
        kind in ("groups", "units of strata", "indicators", "Units", "Scores", "Runs")
        and method in ("score", "cautious")
    )
    if (kind, method) != ("strata", "cautious")
]


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize(("kind", "method"), METHODS_OF_KINDS)
def test_a_p_value_is_the_level_at_which_zero_enters_the_interval(kind, method):
    """For every kind and method: the interval of the level 1 - p has zero as a limit.

    So p is at most 1 - level exactly if the interval of this level excludes zero, at any level, and
    the same holds of one limit. Cautious limits of every level may contain zero: then p is 1.
    """
    data, options = DATA[kind], ASKED.get(kind, {}) | {"method": method}
    for pair in combinations(data.models, 2):
        asked = partial(data.difference, None, *pair, **options)
        p = asked().p_value
        if 1e-12 < p < 1.0 - 1e-6:
            interval = asked(confidence_level=1 - p).interval
            # The search ends within 1e-9 in z, and a limit moves by about an error for each z.
            assert min(abs(interval.low), abs(interval.high)) == pytest.approx(0.0, abs=1e-8)
        for alternative in ("two-sided", "greater", "less"):
            for level in (0.6, 0.9, 0.95, 0.999):
                test = asked(confidence_level=level, alternative=alternative)
                low, high = test.interval
                assert (test.p_value <= 1.0 - level) == bool(low > 0.0 or high < 0.0)
                assert (" than " in test.verdict()) == bool(low > 0.0 or high < 0.0)


def test_equal_precision_is_not_rejected_because_recall_differs():
    """Swaps are rare for a reason that has nothing to do with precision.

    The exact test of swaps says p < 0.0001, and the interval of the precision contains 0.
    """
    table = np.reshape([64, 0, 0, 1, 1, 0, 23, 11], (2, 2, 2))
    true, a, b = labels_of(table)
    pair = f1ci.Labels(true, {"A": a, "B": b})
    assert pair.difference("precision", test="exact").p_value < 1e-4
    test = pair.difference("precision")
    assert test.interval.low < 0.0 < test.interval.high
    assert test.p_value > 0.05


def test_margins_of_units_and_scores_are_two_one_sided_tests():
    """The t test of Student, which the limits of means are close to in the middle of the range."""
    a, b = np.clip(np.random.default_rng(1).normal([[0.5], [0.52]], 0.02, (2, 200)), 0, 1)
    test = f1ci.Scores({"a": a, "b": b}).difference(margin=0.03)
    d = b - a
    t = (d.mean() + np.array([-0.03, 0.0, 0.03])) / (d.std(ddof=1) / np.sqrt(200))
    expected = stats.t.sf(t, 199)
    assert test.p_not_inferior == pytest.approx(expected[2], rel=0.01)
    assert test.p_equivalent == pytest.approx(max(expected[2], 1 - expected[0]), rel=0.01)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(t[1]), 199), rel=0.01)
    assert test.verdict() == "b is better than a"


def test_of_several_models_one_is_named():
    labels = DATA["Labels"]
    with pytest.raises(ValueError, match="model must name one of the models 'A', 'B', 'C', got N"):
        labels.interval()
    with pytest.raises(ValueError, match="model must be one of 'A', 'B', 'C', got 'D'"):
        labels.interval(model="D")
    with pytest.raises(
        ValueError, match=r"a and b must name two of the models .* got 'A' and None"
    ):
        labels.difference(a="A")
    with pytest.raises(ValueError, match="a and b must be two models, got 'A' twice"):
        labels.difference("f1", "A", "A")
    with pytest.raises(ValueError, match="a comparison needs at least two models, got 1"):
        f1ci.Labels(TRUE, A).compare()
    with pytest.raises(ValueError, match="pass one of the two, got None and None"):
        labels.plan()


@pytest.mark.parametrize(
    "kind", ["Labels", "groups", "units of strata", "Units", "Scores", "Matrix"]
)
def test_a_model_has_the_interval_that_it_has_alone(kind):
    data, options = DATA[kind], ASKED.get(kind, {})
    together = quiet(data.compare, **options).intervals["B"]
    assert tuple(together) == tuple(quiet(data.interval, model="B", **options))


def test_several_runs_have_their_scores():
    interval = DATA["Runs"].interval(model="B")
    assert isinstance(interval, RunsInterval)
    alone = [quiet(f1ci.score_interval, TRUE, x).estimate for x in (B, D, C)]
    assert interval.scores.tolist() == alone
    assert interval.estimate == pytest.approx(np.mean(alone))


def test_a_series_is_of_one_model_and_a_frame_has_a_model_in_each_column():
    frame = pd.DataFrame({"A": A, "B": B})
    two = f1ci.Labels(pd.Series(TRUE), frame)
    assert two.models == ("A", "B")
    assert tuple(f1ci.Labels(TRUE, frame["B"]).interval()) == tuple(two.interval(model="B"))
    scores = pd.DataFrame({"A": [0.5, 0.7, 0.6, 0.8], "B": [0.4, 0.8, 0.9, 0.7]})
    assert f1ci.Scores(scores).models == ("A", "B")
    assert f1ci.Scores(scores["A"]).interval() == f1ci.mean_interval([0.5, 0.7, 0.6, 0.8])
    crossed = pd.crosstab(pd.Series(TRUE), pd.Series(A))
    assert f1ci.Matrix(crossed).interval("f1") == f1ci.Matrix(crossed.to_numpy()).interval("f1")
    indicators = pd.DataFrame({"x": TRUE, "y": C})
    alone = f1ci.Labels(indicators, pd.DataFrame({"x": A, "y": C}))
    assert alone.models == ("y_pred",)


# One stray answer of a language model, "n/a!", is a class of one model's average


Y = np.random.default_rng(0).choice(list("abc"), 60).tolist()


def right_on(share, seed):
    rng = np.random.default_rng(seed)
    return [y if rng.random() < share else rng.choice(list("abc")) for y in Y]


CLEAN, OTHER = right_on(0.8, 1), right_on(0.8, 2)
STRAY = ["n/a!", *right_on(0.8, 3)[1:]]
SAID = "over different classes: that of clean over 3 classes, that of stray over 4 classes ('n/a!' "


def sentences(question, *arguments, **options):
    """What an answer warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", f1ci.IntervalWarning)
        question(*arguments, **options)
    return [str(one.message) for one in caught]


TWO = f1ci.Labels(Y, {"clean": CLEAN, "stray": STRAY})
SAME_CLASSES = f1ci.Labels(
    Y, {"clean": CLEAN, "stray": STRAY}, labels=["a", "b", "c", "n/a!"], zero_division=0
)


@pytest.mark.parametrize("question", ["difference", "compare", "joint"])
def test_averages_over_different_classes_are_said(question):
    assert any(SAID in text for text in sentences(getattr(TWO, question), "macro_f1"))
    texts = sentences(getattr(SAME_CLASSES, question), "macro_f1")
    assert not any("different" in text for text in texts)


def test_a_plan_says_that_averages_are_over_different_classes():
    assert any(SAID in text for text in sentences(TWO.plan, "macro_f1", difference=0.1))


@pytest.mark.parametrize("runs", [[CLEAN, OTHER, STRAY], [STRAY, OTHER, CLEAN]])
def test_several_runs_say_so_in_any_order(runs):
    texts = sentences(f1ci.Runs(Y, runs).interval, "macro_f1")
    assert any("over different classes" in text and "'n/a!' among them" in text for text in texts)
    assert any("fewer than 3 items matter to the score of class 'n/a!'" in text for text in texts)


@pytest.mark.parametrize(
    "question",
    [
        lambda: TWO.interval("macro_f1", "stray"),
        lambda: TWO.difference("macro_f1"),
        lambda: TWO.compare("macro_f1"),
        lambda: TWO.joint(["macro_f1"]),
        lambda: TWO.plan("macro_f1", "stray", half_width=0.1),
        lambda: f1ci.compare_models(Y, {"clean": CLEAN, "stray": STRAY}, "macro_f1"),
        lambda: f1ci.score_interval(Y, STRAY, "macro_f1"),
        lambda: f1ci.Matrix(
            f1ci.confusion_matrix(Y, STRAY), labels=["a", "b", "c", "n/a!"]
        ).interval("macro_f1"),
        lambda: f1ci.Runs(Y, [CLEAN, STRAY]).interval("macro_f1"),
    ],
)
def test_few_items_are_said_through_every_door(question):
    said = "fewer than 3 items matter to the score of class 'n/a!'"
    assert any(said in text for text in sentences(question))


def test_an_average_says_over_which_classes_it_is():
    assert quiet(TWO.interval, "macro_f1", "stray").over == ("a", "b", "c", "n/a!")
    comparison = quiet(TWO.compare, "macro_f1")
    assert comparison.intervals["clean"].over == ("a", "b", "c")
    assert comparison.tests["clean", "stray"].interval.over is None
    some = quiet(f1ci.score_interval, Y, STRAY, "macro_f1", labels=["b", "a"])
    assert some.over == ("b", "a")
    assert f1ci.f1_interval(7, 2, 1).over is None
    assert f1ci.score_interval(Y, CLEAN, "accuracy").over is None


# Refusals and advice that are the same through every door


def test_labels_of_an_average_are_no_positive_class():
    two = f1ci.Labels([1, 0] * 5, {"a": [1, 0] * 5}, labels=[0, 1])
    rule = r"labels goes with averages over classes, not with pos_label, got \[0, 1\]"
    for question in (two.interval, two.joint):
        with pytest.raises(ValueError, match=rule):
            question("f1")


EMPTY_CLASS = [[5, 1, 0], [2, 7, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("kind", "question", "data"),
    [
        (f1ci.Matrix, "interval", (EMPTY_CLASS,)),
        (f1ci.Matrix, "difference", ({"A": EMPTY_CLASS, "B": EMPTY_CLASS},)),
        (f1ci.Labels, "interval", ([0, 0, 1, 1], [0, 1, 1, 1])),
        (f1ci.Labels, "joint", ([0, 0, 1, 1], {"A": [0, 1, 1, 1]})),
        (f1ci.Runs, "interval", ([0, 0, 1, 1] * 5, [[0, 1, 1, 1] * 5, [0, 0, 1, 0] * 5])),
    ],
)
def test_advice_works_where_it_is_given(kind, question, data):
    """The warning that a class is left out says how to count it, and so it can be counted."""
    options = {} if kind is f1ci.Matrix else {"labels": [0, 1, 2]}
    texts = sentences(ask, kind, question, data, "macro_f1", **options)
    assert any("leaves out" in x and x.endswith("zero_division=0 counts them as 0") for x in texts)
    texts = sentences(ask, kind, question, data, "macro_f1", zero_division=0, **options)
    assert not any("leaves out" in text for text in texts)


def test_the_test_and_the_method_of_limits_are_two_choices():
    two = f1ci.Labels(Y, {"A": CLEAN, "B": OTHER})
    test = two.difference("macro_f1", test="randomisation", method="logit", replicates=99, rng=1)
    assert (test.method, test.interval.method) == ("randomisation", "logit")
    assert two.compare("micro_f1").tests["A", "B"].method == "score"


def test_what_is_refused_is_refused_before_anything_is_warned_of():
    for options in ({"test": "exact"}, {"method": "cautious"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error", f1ci.IntervalWarning)
            with pytest.raises(ValueError, match="must be one of"):
                TWO.difference("macro_f1", **options)


def test_a_plan_is_made_from_indicators_and_units():
    """The variance of a difference from G units is that of the units' own differences over G."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, (50, 3))
    a, b = (np.where(rng.random(y.shape) < 0.8, y, 1 - y) for _ in range(2))
    labels = f1ci.Labels(y, {"a": a, "b": b})
    plan = labels.plan("f1", difference=0.05, average="micro")
    error = labels.difference("f1", average="micro").interval.standard_error
    assert plan.variance == pytest.approx(50 * error**2, rel=1e-9)
    scores = f1ci.Scores({"a": rng.random(30), "b": rng.random(30)})
    width = scores.plan(model="a", half_width=0.1)
    z = stats.norm.ppf(0.975)
    variance = 30 * scores.interval(model="a").standard_error ** 2
    assert width.items == int(np.ceil(variance * (z / 0.1) ** 2))


def test_joint_intervals_of_units_have_the_covariance_of_their_moves():
    """Recall and precision of one unit each: the cluster-robust covariance by hand."""
    counts = np.array([[8, 1, 2], [5, 0, 1], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]])
    joint = f1ci.Units(counts).joint(["precision", "recall"])
    tp, fp, fn = counts.T
    p, r = tp.sum() / (tp + fp).sum(), tp.sum() / (tp + fn).sum()
    moves = np.array(
        [(tp - p * (tp + fp)) / (tp + fp).sum(), (tp - r * (tp + fn)) / (tp + fn).sum()]
    )
    np.testing.assert_allclose(joint.covariance, moves @ moves.T * 6 / 5, rtol=1e-12)


def test_models_on_different_items_are_independent():
    joint = DATA["Matrix"].joint(["accuracy", "recall"], method="delta")
    assert joint.covariance[0, 1] != 0.0
    assert not joint.covariance[:2, 2:].any()
