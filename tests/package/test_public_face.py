"""The public face: what users see, how they may call it, and what callers' settings may not break.

`CALLS` has each public function with every argument that it takes.
"""

import inspect
import re
import subprocess
import sys
import types
from functools import partial

import numpy as np
import pandas as pd
import pytest
import user_lines
from examples import ask

import f1ci
from f1ci import coverage, metrics

TRUE = [1, 0, 1, 1, 0, 0, 1, 0] * 2
A = [1, 0, 0, 1, 0, 1, 1, 0] * 2
B = [1, 0, 1, 1, 1, 0, 0, 0] * 2
BY = ["north"] * 8 + ["south"] * 8
OF_ONE = {"y_true": TRUE, "y_pred": A}
LABELS = {"y_true": TRUE, "predictions": A}
TWO = {"y_true": TRUE, "predictions": {"A": A, "B": B}}
FLAGS = {"y_true": np.array([TRUE, A]).T, "y_pred": np.array([A, B]).T}
RUNS = {"y_true": TRUE, "predictions": [A, B]}
RUNS_OF_TWO = {"y_true": TRUE, "predictions": {"A": [A, B], "B": [B, TRUE]}}
MATRIX = {"matrix": [[9, 2], [3, 8]]}
MATRICES = {"matrix": {"A": [[9, 2], [3, 8]], "B": [[7, 4], [3, 8]]}}
COUNTS = [[8, 1, 2], [5, 0, 1], [9, 4, 3]]
UNITS = {"counts": {"A": COUNTS, "B": COUNTS[::-1]}}
BY_CLASS = {"counts": np.arange(2, 26).reshape(4, 2, 3), "zero_division": 0}
FOLDS = [[[8, 1, 2], [7, 2, 1]], [[8, 2, 2], [7, 1, 1]]]
ONES = [0.9, 0.7, 0.8, 1.0] * 4
SCORES = {"scores": {"A": ONES, "B": [*ONES[1:], 0.9]}, "empty": 0}
DESIGN = {"n": 5, "cells": [0.4, 0.1, 0.1, 0.4]}

LEVEL = {"confidence_level": 0.9}
SCORE = {**LEVEL, "method": "score"}
SIDE = {**LEVEL, "alternative": "greater"}
LOGIT = {**LEVEL, "method": "logit"}
GROUPS = {"groups": [0, 1, 2, 3] * 4}
CLASSES = {"labels": [0, 1], "zero_division": 0}
MACRO = {"average": "macro"}
MACRO_F1 = {"metric": "macro_f1"}
SHARES = {"class_shares": {1: 0.1, 0: 0.9}}
STRATA = {"strata": A, "stratum_shares": {1: 0.1, 0: 0.9}}
POOL = {"strata": A, "stratum_counts": {1: 10, 0: 90}}
NAMED = {"a": "A", "b": "B", "metric": "f1"}
DRAWN = {"replicates": 9, "rng": 1}
WEIGHTS = {"rho1": 0.3, "rho2": 0.3}

Counts, Matrix, Labels = f1ci.Counts, f1ci.Matrix, f1ci.Labels
Units, Scores, Runs = f1ci.Units, f1ci.Scores, f1ci.Runs


def first_table(**options):
    """A generator does nothing before it is asked."""
    return next(coverage.tables(**options), None)


def binary_counts_of_text(y_true, y_pred):
    return f1ci.binary_counts([*map(str, y_true)], pd.Series([*map(str, y_pred)]), pos_label="1")


def asked(kind, question, **options):
    """A call of one question of one kind of data, with data and options by name."""
    return partial(ask, kind, question, (), **options)


CALLS = [
    partial(f1ci.binary_counts, **OF_ONE, pos_label=1),
    partial(binary_counts_of_text, **OF_ONE),
    partial(f1ci.confusion_matrix, **OF_ONE, labels=[0, 1]),
    partial(f1ci.f1_interval, tp=7, fp=2, fn=[1, 3], **SIDE, method="score"),
    partial(f1ci.score_interval, **OF_ONE, pos_label=1, metric="f1", **SIDE, method="score"),
    partial(f1ci.score_interval, **OF_ONE, **CLASSES, **GROUPS, **MACRO),
    partial(f1ci.score_interval, **OF_ONE, **SHARES, **GROUPS, **MACRO_F1),
    partial(f1ci.score_interval, **OF_ONE, **STRATA, **MACRO_F1),
    partial(f1ci.f1_score_interval, **OF_ONE, pos_label=1, **SIDE, method="score"),
    partial(f1ci.f1_score_interval, **OF_ONE, **CLASSES, **GROUPS, **MACRO, sample_weight=None),
    partial(f1ci.f1_score_interval, **OF_ONE, average=None, beta=2.0),
    partial(f1ci.f1_score_interval, **FLAGS, average="samples", zero_division=0),
    partial(f1ci.f1_score_interval, **FLAGS, **MACRO, beta=2.0),
    partial(f1ci.mean_interval, scores=ONES, **SIDE, method="logit", **GROUPS),
    partial(f1ci.compare_models, **TWO, **MACRO_F1, margin=0.1, **SCORE, **CLASSES),
    partial(f1ci.compare_models, **TWO, metric="f1", **MACRO),
    partial(f1ci.classification_report, **OF_ONE, **CLASSES, **SCORE, sample_weight=None),
    partial(f1ci.classification_report, **OF_ONE, **GROUPS, target_names=["a", "b"]),
    asked(Counts, "interval", tp=7, fp=2, fn=[1, 3], **SIDE, method="score"),
    asked(Counts, "interval", tp=7, fp=2, fn=1, tn=20, metric="accuracy"),
    asked(Counts, "difference", tp={"A": (7, 2, 1), "B": (9, 3, 1)}, **NAMED),
    asked(Counts, "joint", tp=7, fp=2, fn=1, tn=20, metrics=["f1", "accuracy"]),
    asked(Matrix, "interval", **MATRIX, **SIDE, **MACRO_F1, method="score", fixed="rows"),
    asked(Matrix, "interval", **MATRIX, metric="f1", class_shares=[0.9, 0.1]),
    asked(Matrix, "compare", **MATRICES, **MACRO_F1, **CLASSES),
    asked(Matrix, "joint", **MATRICES, metrics=["kappa"], method="delta"),
    asked(Matrix, "report", **MATRIX, labels=["a", "b"], zero_division=0, **SCORE),
    asked(Matrix, "report", **MATRIX, class_shares=[0.9, 0.1], names=["a", "b"]),
    asked(Matrix, "plan", **MATRIX, metric="f1", half_width=0.1),
    asked(Labels, "interval", **TWO, metric="f1", model="B", pos_label=1, **SIDE),
    asked(Labels, "interval", **LABELS, **GROUPS, **CLASSES, **MACRO, **LOGIT),
    asked(Labels, "interval", **LABELS, **STRATA, metric="kappa"),
    asked(Labels, "difference", **TWO, **NAMED, **SIDE, method="score", margin=0.1),
    asked(Labels, "difference", **TWO, **DRAWN, test="randomisation", pos_label=1),
    asked(
        Labels,
        "difference",
        **TWO,
        **GROUPS,
        **MACRO,
        **DRAWN,
        **CLASSES,
        test="randomisation",
    ),
    asked(Labels, "difference", **TWO, **SHARES),
    asked(Labels, "difference", **TWO, **STRATA),
    asked(Labels, "interval", **LABELS, **POOL, metric="kappa"),
    asked(Labels, "difference", **TWO, judge=A),
    asked(Labels, "compare", **LABELS, by=BY, **LOGIT),
    asked(Labels, "compare", **TWO, **GROUPS, **LOGIT, metric="f1", margin=0.1),
    asked(Labels, "compare", **TWO, **MACRO, **STRATA),
    asked(Labels, "joint", **TWO, metrics=["accuracy", "f1"], pos_label=1, **SCORE),
    asked(Labels, "joint", **TWO, metrics="f1", **MACRO, **CLASSES, **GROUPS),
    asked(Labels, "joint", **TWO, metrics="f1", **STRATA),
    asked(Labels, "report", **TWO, model="A", names=["a", "b"], **SCORE),
    asked(Labels, "plan", **TWO, model="A", metric="f1", half_width=0.1, **MACRO, **LEVEL),
    asked(Labels, "plan", **TWO, **NAMED, difference=0.1, power=0.7, **GROUPS),
    asked(Units, "interval", **BY_CLASS, metric="f1", average=None, **SIDE, method="logit"),
    asked(Units, "difference", **UNITS, margin=0.1),
    asked(Units, "compare", **UNITS, metric="recall"),
    asked(Units, "joint", **UNITS, metrics=["precision", "recall"]),
    asked(Units, "report", **BY_CLASS, method="delta"),
    asked(Units, "plan", **UNITS, difference=0.1),
    asked(Scores, "interval", **SCORES, **GROUPS, **SIDE, model="A"),
    asked(Scores, "difference", **SCORES, margin=0.1),
    asked(Scores, "compare", **SCORES),
    asked(Scores, "joint", **SCORES, metrics="mean"),
    asked(Scores, "plan", **SCORES, model="A", half_width=0.1),
    asked(Runs, "interval", **RUNS, **SIDE, **GROUPS, **MACRO, **CLASSES),
    asked(Runs, "interval", **RUNS, pos_label=1, **SHARES),
    asked(Runs, "interval", **RUNS, judge=A),
    asked(Runs, "interval", **RUNS, **POOL),
    asked(Runs, "difference", **RUNS_OF_TWO, margin=0.1),
    asked(Runs, "compare", **RUNS_OF_TWO, **MACRO_F1, **STRATA),
    partial(f1ci.equicoordinate_quantile, correlation=[[1, 0.5], [0.5, 1]], accuracy=1e-4, **LEVEL),
    partial(f1ci.equicoordinate_quantile, correlation=np.eye(4)),
    partial(f1ci.sample_size, metric="f1", half_width=0.1, prevalence=0.3, **LEVEL),
    partial(
        f1ci.comparison_sample_size,
        metric="f1",
        difference=0.1,
        power=0.7,
        **LEVEL,
        disagreement=(0.1, 0.1),
        score=0.8,
        prevalence=0.3,
    ),
    partial(f1ci.label_plan, A, B, n=16, metric="recall", pos_label=1, judge_accuracy=0.8),
    partial(f1ci.label_plan, predictions=A, judge=A, n=10),
    partial(f1ci.bcv_partitions, n=16, repetitions=3, stratify=TRUE, rng=1),
    partial(f1ci.effective_counts, folds=FOLDS, **WEIGHTS),
    partial(f1ci.posterior, tp=7, fp=2, fn=1, metric="f1", prior=1.0),
    partial(f1ci.posterior(7, 2, 1).interval, **LEVEL),
    partial(
        f1ci.bayes_test, folds_a=FOLDS, folds_b=FOLDS, metric="f1", prior=1.0, rope=0.01, **WEIGHTS
    ),
    partial(coverage.exact, **DESIGN, **SCORE, truth=None, least=0.0),
    partial(first_table, **DESIGN, least=0.0),
    partial(coverage.simulate, **DESIGN, **SCORE, truth=None, replicates=10, rng=1),
    partial(metrics.tversky, a=0.5, b=0.5),
    partial(metrics.fbeta, beta=2.0),
    partial(metrics.macro, metric="f1"),
    partial(metrics.weighted, metric="f1"),
    partial(metrics.macro_star, beta=2.0),
]
FUNCTIONS = {name: f for name, f in vars(f1ci).items() if inspect.isfunction(f)}
KINDS = (Counts, Matrix, Labels, Units, Scores, Runs)
QUESTIONS = ("interval", "difference", "compare", "joint", "report", "plan")


def name_of(call):
    """What a call is called in the list of tests."""
    if call.func is ask:
        return f"{call.args[0].__name__}.{call.args[1]}"
    return call.func.__name__


def test_all_is_what_a_user_sees():
    modules = {name for name, value in vars(f1ci).items() if isinstance(value, types.ModuleType)}
    public = {name for name in vars(f1ci) if not name.startswith("_")}
    assert sorted(f1ci.__all__) == f1ci.__all__
    assert set(f1ci.__all__) == public - modules | {
        "coverage",
        "methods",
        "metrics",
        "plot",
        "results",
    }


def passed_to(function):
    """The arguments with which the calls above call a function."""
    return {name for call in CALLS if call.func is function for name in call.keywords}


def own(function):
    """The parameters of a function by name, without what it hands on."""
    parameters = inspect.signature(function).parameters
    handed_on = ("self", "options")
    return {name: p for name, p in parameters.items() if name not in handed_on}


DATA = "y_true y_pred predictions judge tp fp fn tn matrix metric metrics counts scores"
DATA += " folds folds_a folds_b correlation n confidence_level model a b"


def check_positional(parameters):
    """What tunes a method is keyword-only: data, metrics, models and counts may be positional."""
    positional = {name for name, p in parameters.items() if p.kind is not p.KEYWORD_ONLY}
    assert positional <= set(DATA.split())
    assert "alpha" not in parameters


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_called_here_with_every_argument(name):
    parameters = own(FUNCTIONS[name])
    options = set(inspect.signature(Labels).parameters) | set(inspect.signature(Scores).parameters)
    assert set(parameters) <= passed_to(FUNCTIONS[name]) <= set(parameters) | options
    check_positional(parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_made_here_with_every_argument(kind):
    calls = [call for call in CALLS if call.func is ask and call.args[0] is kind]
    refused = {"by"} if kind is Runs else set()  # groups of items are for one model
    assert set(own(kind)) - refused <= {name for call in calls for name in call.keywords}
    check_positional(own(kind))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_asked_here_with_every_argument(question):
    calls = [call for call in CALLS if call.func is ask and call.args[1] == question]
    assert set(own(getattr(Labels, question))) <= {name for call in calls for name in call.keywords}
    check_positional(own(getattr(Labels, question)))


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_a_caller_who_raises_on_every_error_gets_an_answer(call):
    with np.errstate(all="raise"):
        call()
        assert set(np.geterr().values()) == {"raise"}


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_whatever_is_counted_has_the_index_type(call, monkeypatch):
    """Where integers have 32 bits, `numpy.bincount` refuses wider ones.

    Here `numpy.intp` is a narrower type, and `numpy.bincount` accepts only that.
    """
    bincount = np.bincount

    def strict_bincount(codes, *arguments, **options):
        assert codes.dtype == np.int32, f"bincount of {codes.dtype}"
        return bincount(codes, *arguments, **options)

    monkeypatch.setattr(np, "intp", np.int32)
    monkeypatch.setattr(np, "bincount", strict_bincount)
    call()


# What people pass by mistake for any argument: another type, another shape, a missing value.
JUNK = [
    *(-1, 2.5, 95, float("nan"), "x", object(), None, [], {"a": [1, 0]}),
    *(np.zeros((0, 2)), np.ones((2, 3)), [[1, 2], [3]], ["a", 1] * 8, [float("nan")] * 16),
    *("x" * 10**5, 10**30, np.full((2, 2, 3), 0.5)),
]


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_junk_gets_an_answer_or_a_short_sentence(call):
    """No other exception, and no warning of another library."""
    sentences = []
    for argument in call.keywords:
        for junk in JUNK:
            try:
                call(**{argument: junk})
            except (ValueError, TypeError) as error:
                sentences.append(str(error))
    assert sentences
    assert all(10 < len(sentence) < 500 for sentence in sentences), max(sentences, key=len)[:600]


def test_the_package_imports_without_optional_libraries():
    code = (
        "import sys; import f1ci; print(*(m for m in ('matplotlib', 'pandas', 'sklearn', "
        "'scipy.stats') if m in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("pandas", f1ci.f1_interval(7, 2, 1).to_frame),
        ("pandas", f1ci.classification_report(TRUE, A).to_frame),
        ("pandas", f1ci.Labels(TRUE, {"A": A, "B": B}).joint("f1").to_frame),
        ("matplotlib", partial(f1ci.plot.forest, f1ci.f1_interval(7, 2, 1))),
    ],
)
def test_a_library_that_is_missing_is_named(module, call, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=module):
        call()


def test_ordinary_lines_run_as_they_are_typed(capsys):
    """The type checker reads the same lines, with all other code."""
    for lines in ("intervals", "questions"):
        getattr(user_lines, lines)()
    assert capsys.readouterr().out.startswith("0.")


# A shortcut, and the question whose parameters it repeats.
REPEATED = [
    (f1ci.score_interval, Labels.interval),
    (f1ci.f1_score_interval, Labels.interval),
    (f1ci.mean_interval, Scores.interval),
    (f1ci.compare_models, Labels.interval),
    (f1ci.compare_models, Labels.difference),
    (f1ci.classification_report, Labels.report),
]


def explained(function):
    """Return what a docstring says of each parameter, in one line of text."""
    text = inspect.getdoc(function).partition("Parameters\n---")[2].partition("\n\n")[0]
    entries = re.findall(r"^(\w+) :.*\n((?:    .*\n?)+)", text, re.MULTILINE)
    return {name: " ".join(words.split()) for name, words in entries}


@pytest.mark.parametrize(("shortcut", "question"), REPEATED)
def test_shortcuts_repeat_the_sentences_of_the_question(shortcut, question):
    """They may say less, and what differs is what the shortcut has of its own."""
    own = {
        "mean_interval": {"method"},
        "f1_score_interval": {"average"},
        "compare_models": {"confidence_level"},
    }
    short, long = explained(shortcut), explained(question)
    common = (short.keys() & long.keys()) - own.get(shortcut.__name__, set())
    assert common
    for name in common:
        assert long[name].startswith(short[name]), name
