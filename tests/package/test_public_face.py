"""The public face: what users see, how they may call it, and what callers' settings may not break.

`CALLS` has each public function with every argument that it takes.
"""

import inspect
import subprocess
import sys
import types
from functools import partial

import numpy as np
import pandas as pd
import pytest
import user_lines

import f1ci
from f1ci import coverage, metrics

TRUE = [1, 0, 1, 1, 0, 0, 1, 0] * 2
A = [1, 0, 0, 1, 0, 1, 1, 0] * 2
B = [1, 0, 1, 1, 1, 0, 0, 0] * 2
OF_ONE = {"y_true": TRUE, "y_pred": A}
OF_PAIR = {"y_true": TRUE, "y_pred_a": A, "y_pred_b": B}
OF_MODELS = {"y_true": TRUE, "predictions": {"A": A, "B": B}}
FLAGS = {"y_true": np.array([TRUE, A]).T, "y_pred": np.array([A, B]).T}
RUNS = {"y_true": TRUE, "y_preds": [A, B]}
RUNS_OF_TWO = {"y_true": TRUE, "y_preds_a": [A, B], "y_preds_b": [B, TRUE]}
MATRIX = {"matrix": [[9, 2], [3, 8]]}
COUNTS = [[8, 1, 2], [5, 0, 1], [9, 4, 3]]
FOLDS = [[[8, 1, 2], [7, 2, 1]], [[8, 2, 2], [7, 1, 1]]]
SCORES = [0.9, 0.7, 0.8, 1.0] * 4
DESIGN = {"n": 5, "cells": [0.4, 0.1, 0.1, 0.4]}

LEVEL = {"confidence_level": 0.9}
SCORE = {**LEVEL, "method": "score"}
SIDE = {**LEVEL, "alternative": "greater"}
GROUPS = {"groups": [0, 1, 2, 3] * 4}
CLASSES = {"labels": [0, 1], "zero_division": 0}
MACRO = {"average": "macro"}
MACRO_F1 = {"metric": "macro_f1"}
SHARES = {"class_shares": {1: 0.1, 0: 0.9}}
STRATA = {"strata": A, "stratum_shares": {1: 0.1, 0: 0.9}}
UNITS = {**SIDE, "method": "logit", "metric": "f1", "average": None, "zero_division": 0}
MEANS = {**SIDE, **GROUPS, "method": "logit", "empty": 0}
PILOT = {**LEVEL, **GROUPS, **MACRO, "metric": "f1", "labels": [0, 1]}
OF_RUNS = {**PILOT, "alternative": "greater"}
DRAWN = {**LEVEL, "metric": "f1", "margin": 0.1, "pos_label": 1, "rng": 1}
LARGE = {**LEVEL, "metric": "f1", "difference": 0.1, "power": 0.7}
WEIGHTS = {"rho1": 0.3, "rho2": 0.3}


def first_table(**options):
    """A generator does nothing before it is asked."""
    return next(coverage.tables(**options), None)


def binary_counts_of_text(y_true, y_pred):
    return f1ci.binary_counts([*map(str, y_true)], pd.Series([*map(str, y_pred)]), pos_label="1")


CALLS = [
    partial(f1ci.binary_counts, **OF_ONE, pos_label=1),
    partial(binary_counts_of_text, **OF_ONE),
    partial(f1ci.confusion_matrix, **OF_ONE, labels=[0, 1]),
    partial(f1ci.f1_interval, tp=7, fp=2, fn=[1, 3], **SIDE, method="score"),
    partial(f1ci.metric_interval, **MATRIX, **SIDE, **MACRO_F1, method="score", fixed="rows"),
    partial(f1ci.metric_interval, **MATRIX, metric="f1", class_shares=[0.9, 0.1]),
    partial(f1ci.score_interval, **OF_ONE, pos_label=1, metric="f1", **SIDE, method="score"),
    partial(f1ci.score_interval, **OF_ONE, **CLASSES, **GROUPS, **MACRO),
    partial(f1ci.score_interval, **OF_ONE, **SHARES, **GROUPS, **MACRO_F1),
    partial(f1ci.score_interval, **OF_ONE, **STRATA, **MACRO_F1),
    partial(f1ci.f1_score_interval, **OF_ONE, pos_label=1, **SIDE, method="score"),
    partial(f1ci.f1_score_interval, **OF_ONE, **CLASSES, **GROUPS, **MACRO, sample_weight=None),
    partial(f1ci.f1_score_interval, **OF_ONE, average=None, beta=2.0),
    partial(f1ci.f1_score_interval, **FLAGS, average="samples", zero_division=0),
    partial(f1ci.f1_score_interval, **FLAGS, **MACRO, beta=2.0),
    partial(f1ci.mean_interval, scores=SCORES, **MEANS),
    partial(f1ci.mean_difference, scores_a=SCORES, scores_b=[*SCORES[1:], 0.9], **MEANS),
    partial(f1ci.repeated_interval, **RUNS, **OF_RUNS),
    partial(f1ci.repeated_interval, **RUNS, pos_label=1),
    partial(f1ci.repeated_difference, **RUNS_OF_TWO, **OF_RUNS),
    partial(f1ci.repeated_difference, **RUNS_OF_TWO, pos_label=1),
    partial(f1ci.clustered_interval, counts=COUNTS, **UNITS),
    partial(f1ci.clustered_difference, counts_a=COUNTS, counts_b=COUNTS[::-1], **UNITS),
    partial(f1ci.difference_interval, **OF_PAIR, **MACRO_F1, **CLASSES, **SIDE, method="score"),
    partial(f1ci.difference_interval, **OF_PAIR, **MACRO_F1, **GROUPS),
    partial(f1ci.difference_interval, **OF_PAIR, **SHARES, metric="f1", pos_label=1),
    partial(f1ci.difference_interval, **OF_PAIR, **STRATA, metric="f1"),
    partial(f1ci.difference_test, **OF_PAIR, **DRAWN, method="randomisation", replicates=9),
    partial(f1ci.difference_test, **OF_PAIR, pos_label=1),
    partial(f1ci.difference_test, **OF_PAIR, **SHARES),
    partial(f1ci.difference_test, **OF_PAIR, **STRATA),
    partial(f1ci.difference_test, **OF_PAIR, **CLASSES, **GROUPS, **MACRO_F1, replicates=9),
    partial(f1ci.unpaired_difference, matrix_a=COUNTS[0], matrix_b=COUNTS[1], metric="f1", **SCORE),
    partial(f1ci.joint_intervals, **OF_MODELS, metrics=["accuracy", "f1"], pos_label=1, **SCORE),
    partial(f1ci.joint_intervals, **OF_MODELS, metrics=["macro_f1"], **CLASSES, **GROUPS),
    partial(f1ci.joint_intervals, **OF_MODELS, metrics="f1", **SHARES),
    partial(f1ci.joint_intervals, **OF_MODELS, metrics="f1", **STRATA),
    partial(f1ci.compare_models, **OF_MODELS, **DRAWN, **GROUPS, method="logit"),
    partial(f1ci.compare_models, **OF_MODELS, **MACRO_F1, **CLASSES),
    partial(f1ci.compare_models, **OF_MODELS, **SHARES),
    partial(f1ci.compare_models, **OF_MODELS, **STRATA),
    partial(f1ci.matrix_report, **MATRIX, labels=["a", "b"], zero_division=0, **SCORE),
    partial(f1ci.matrix_report, **MATRIX, class_shares=[0.9, 0.1]),
    partial(f1ci.classification_report, **OF_ONE, **CLASSES, **SCORE, sample_weight=None),
    partial(f1ci.classification_report, **OF_ONE, **GROUPS, target_names=["a", "b"]),
    partial(f1ci.classification_report, **OF_ONE, **SHARES),
    partial(f1ci.classification_report, **OF_ONE, **STRATA),
    partial(f1ci.equicoordinate_quantile, correlation=[[1, 0.5], [0.5, 1]], accuracy=1e-4, **LEVEL),
    partial(f1ci.equicoordinate_quantile, correlation=np.eye(4)),
    partial(f1ci.sample_size, metric="f1", half_width=0.1, prevalence=0.3, **LEVEL),
    partial(
        f1ci.comparison_sample_size,
        **LARGE,
        disagreement=(0.1, 0.1),
        score=0.8,
        prevalence=0.3,
    ),
    partial(f1ci.pilot_interval_size, **OF_ONE, **PILOT, half_width=0.1),
    partial(f1ci.pilot_interval_size, **OF_ONE, half_width=0.1, pos_label=1),
    partial(f1ci.pilot_sample_size, **OF_PAIR, **LARGE, pos_label=1),
    partial(f1ci.pilot_sample_size, **OF_PAIR, **{**LARGE, **MACRO_F1}, labels=[0, 1], **GROUPS),
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


def test_all_is_what_a_user_sees():
    modules = {name for name, value in vars(f1ci).items() if isinstance(value, types.ModuleType)}
    public = {name for name in vars(f1ci) if not name.startswith("_")}
    assert sorted(f1ci.__all__) == f1ci.__all__
    assert set(f1ci.__all__) == public - modules | {"coverage", "methods", "metrics", "plot"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_called_here_with_every_argument(name):
    """And what tunes a method is keyword-only: data, metrics and counts may be positional."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    passed = set()
    for call in CALLS:
        if call.func is FUNCTIONS[name]:
            passed |= set(call.keywords)
    assert passed == set(parameters)
    positional = {p.name for p in parameters.values() if p.kind is not p.KEYWORD_ONLY}
    data = "y_true y_pred y_pred_a y_pred_b predictions tp fp fn matrix metric metrics"
    data += " counts counts_a counts_b matrix_a matrix_b folds folds_a folds_b correlation n"
    data += " confidence_level plan scores scores_a scores_b y_preds y_preds_a y_preds_b"
    assert positional <= set(data.split())
    assert "alpha" not in parameters


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.func.__name__)
def test_a_caller_who_raises_on_every_error_gets_an_answer(call):
    with np.errstate(all="raise"):
        call()
        assert set(np.geterr().values()) == {"raise"}


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.func.__name__)
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
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.func.__name__)
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
        ("pandas", f1ci.joint_intervals(TRUE, {"A": A, "B": B}, "f1").to_frame),
        ("matplotlib", partial(f1ci.plot.forest, f1ci.f1_interval(7, 2, 1))),
    ],
)
def test_a_library_that_is_missing_is_named(module, call, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=module):
        call()


def test_ordinary_lines_run_as_they_are_typed(capsys):
    """The type checker reads the same lines, with all other code."""
    for lines in ("intervals", "classes", "matrices", "comparisons", "others", "plans"):
        getattr(user_lines, lines)()
    assert capsys.readouterr().out.startswith("0.")
