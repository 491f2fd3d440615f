"""Whatever is passed for whatever argument: an answer, or one sentence that says what is wrong.

Every argument of every public function is replaced by what people pass by mistake, one at a time.
Legal are an answer (without any warning except the package's own), and a `ValueError` or
`TypeError` of fewer than 500 characters that says what it got.
"""

import inspect
import warnings
from functools import partial

import numpy as np
import pytest

import f1ci
from f1ci import coverage, metrics

TRUE = [1, 0, 1, 1, 0, 0, 1, 0] * 2
A = [1, 0, 0, 1, 0, 1, 1, 0] * 2
B = [1, 0, 1, 1, 1, 0, 0, 0] * 2
COUNTS = [[8, 1, 2], [5, 0, 1], [9, 4, 3]]
FOLDS = [[[8, 1, 2], [7, 2, 1]], [[8, 2, 2], [7, 1, 1]]]
DESIGN = [0.4, 0.1, 0.1, 0.4]


def first_table(**options):
    return next(coverage.tables(**options), None)


def a_posterior(do, **options):
    return getattr(f1ci.posterior(7, 2, 1), do)(**options)


# What many of them take.
AT = {"method": "score", "confidence_level": 0.9}
SIDE = {**AT, "alternative": "greater"}
BY_GROUP = {**SIDE, "method": "logit"}
ONE = {"y_true": TRUE, "y_pred": A}
PAIR = {"y_true": TRUE, "y_pred_a": A, "y_pred_b": B}
MODELS = {"y_true": TRUE, "predictions": {"A": A, "B": B}}
MATRIX = {"matrix": [[9, 2], [3, 8]]}
CLASSES = {"labels": [0, 1], "groups": [0, 1, 2, 3] * 4}
COUNTED = {"sample_weight": None, "zero_division": 0}
UNITS = {"metric": "f1", "average": None, "zero_division": 0, **BY_GROUP}
SCORES = [0.9, 0.7, 0.8, 1.0] * 4
OF_MEANS = {"groups": [0, 1, 2, 3] * 4, "empty": 0, **SIDE, "method": "logit"}
KNOWN = {"class_shares": {1: 0.1, 0: 0.9}}
DESIGNED = {"strata": A, "stratum_shares": {1: 0.1, 0: 0.9}}
REPEATED = {**CLASSES, "metric": "f1", "average": "macro", "confidence_level": 0.9}
REPEATED["alternative"] = "less"
LARGE = {"metric": "f1", "difference": 0.1, "power": 0.7}
DRAWN = {"metric": "f1", "margin": 0.1, "pos_label": 1, "rng": 1, "confidence_level": 0.9}
WEIGHTS = {"prior": 1.0, "rope": 0.01, "rho1": 0.3, "rho2": 0.3}
RUN = {"n": 5, "cells": DESIGN, **AT}

# Each public function with arguments that it takes.
CALLS = {
    "binary_counts": (f1ci.binary_counts, {**ONE, "pos_label": 1}),
    "confusion_matrix": (f1ci.confusion_matrix, {**ONE, "labels": [0, 1]}),
    "f1_interval": (f1ci.f1_interval, {"tp": 7, "fp": 2, "fn": [1, 3], **SIDE}),
    "f1_score_interval": (
        f1ci.f1_score_interval,
        {**ONE, **CLASSES, **BY_GROUP, **COUNTED, "average": "macro", "beta": 2.0},
    ),
    "score_interval": (
        f1ci.score_interval,
        {
            **ONE,
            **CLASSES,
            **BY_GROUP,
            "metric": "f1",
            "zero_division": 0,
            "average": "macro",
        },
    ),
    "score_interval, binary": (f1ci.score_interval, {**ONE, "pos_label": 1}),
    "f1_score_interval, binary": (
        f1ci.f1_score_interval,
        {**ONE, "pos_label": 1, "method": "score"},
    ),
    "f1_score_interval, indicators": (
        f1ci.f1_score_interval,
        {
            "y_true": np.array([TRUE, A]).T,
            "y_pred": np.array([A, B]).T,
            "average": "samples",
            "beta": 2.0,
            "zero_division": 0,
        },
    ),
    "metric_interval": (
        f1ci.metric_interval,
        {**MATRIX, **SIDE, "metric": "macro_f1", "fixed": "rows"},
    ),
    "metric_interval, shares": (
        f1ci.metric_interval,
        {**MATRIX, "metric": "f1", "class_shares": [0.9, 0.1]},
    ),
    "score_interval, shares": (f1ci.score_interval, {**ONE, **KNOWN, "metric": "macro_f1"}),
    "score_interval, strata": (f1ci.score_interval, {**ONE, **DESIGNED, "metric": "macro_f1"}),
    "mean_interval": (f1ci.mean_interval, {"scores": SCORES, **OF_MEANS}),
    "mean_difference": (
        f1ci.mean_difference,
        {"scores_a": SCORES, "scores_b": [*SCORES[1:], 0.9], **OF_MEANS},
    ),
    "repeated_interval": (f1ci.repeated_interval, {"y_true": TRUE, "y_preds": [A, B], **REPEATED}),
    "repeated_interval, binary": (
        f1ci.repeated_interval,
        {"y_true": TRUE, "y_preds": [A, B], "pos_label": 1},
    ),
    "repeated_difference": (
        f1ci.repeated_difference,
        {"y_true": TRUE, "y_preds_a": [A, B], "y_preds_b": [B, TRUE], **REPEATED},
    ),
    "repeated_difference, binary": (
        f1ci.repeated_difference,
        {"y_true": TRUE, "y_preds_a": [A, B], "y_preds_b": [B, TRUE], "pos_label": 1},
    ),
    "clustered_interval": (f1ci.clustered_interval, {"counts": COUNTS, **UNITS}),
    "clustered_difference": (
        f1ci.clustered_difference,
        {"counts_a": COUNTS, "counts_b": COUNTS[::-1], **UNITS},
    ),
    "difference_interval": (
        f1ci.difference_interval,
        {**PAIR, **CLASSES, **BY_GROUP, "metric": "macro_f1", "zero_division": 0},
    ),
    "difference_interval, binary": (
        f1ci.difference_interval,
        {**PAIR, **KNOWN, "metric": "f1", "pos_label": 1},
    ),
    "difference_interval, strata": (
        f1ci.difference_interval,
        {**PAIR, **DESIGNED, "metric": "f1"},
    ),
    "difference_test, shares": (f1ci.difference_test, {**PAIR, **KNOWN}),
    "difference_test, strata": (f1ci.difference_test, {**PAIR, **DESIGNED}),
    "joint_intervals, shares": (f1ci.joint_intervals, {**MODELS, **KNOWN, "metrics": "f1"}),
    "joint_intervals, strata": (f1ci.joint_intervals, {**MODELS, **DESIGNED, "metrics": "f1"}),
    "compare_models, shares": (f1ci.compare_models, {**MODELS, **KNOWN}),
    "compare_models, strata": (f1ci.compare_models, {**MODELS, **DESIGNED}),
    "classification_report, shares": (f1ci.classification_report, {**ONE, **KNOWN}),
    "classification_report, strata": (f1ci.classification_report, {**ONE, **DESIGNED}),
    "matrix_report, shares": (f1ci.matrix_report, {**MATRIX, "class_shares": [0.9, 0.1]}),
    "difference_test": (
        f1ci.difference_test,
        {**PAIR, **DRAWN, "method": "randomisation", "replicates": 9},
    ),
    "difference_test, classes": (
        f1ci.difference_test,
        {**PAIR, **CLASSES, "metric": "macro_f1", "replicates": 9, "zero_division": 0},
    ),
    "joint_intervals": (
        f1ci.joint_intervals,
        {
            **MODELS,
            "metrics": ["accuracy", "f1"],
            "pos_label": 1,
            "groups": [0, 1, 2, 3] * 4,
            "method": "logit",
            "confidence_level": 0.9,
        },
    ),
    "joint_intervals, classes": (
        f1ci.joint_intervals,
        {**MODELS, "metrics": ["macro_f1"], "labels": [0, 1], "zero_division": 0},
    ),
    "compare_models": (
        f1ci.compare_models,
        {**MODELS, **DRAWN, "groups": [0, 1, 2, 3] * 4, "method": "logit"},
    ),
    "compare_models, classes": (
        f1ci.compare_models,
        {**MODELS, "metric": "macro_f1", "labels": [0, 1], "zero_division": 0},
    ),
    "unpaired_difference": (
        f1ci.unpaired_difference,
        {"matrix_a": [[9, 2], [3, 8]], "matrix_b": [[7, 2], [3, 9]], "metric": "f1", **AT},
    ),
    "matrix_report": (
        f1ci.matrix_report,
        {**MATRIX, "labels": ["a", "b"], "zero_division": 0, **AT},
    ),
    "classification_report": (
        f1ci.classification_report,
        {**ONE, **CLASSES, **AT, **COUNTED, "method": "logit", "target_names": ["a", "b"]},
    ),
    "equicoordinate_quantile": (
        f1ci.equicoordinate_quantile,
        {"correlation": [[1, 0.5], [0.5, 1]], "confidence_level": 0.9, "accuracy": 1e-4},
    ),
    "sample_size": (
        f1ci.sample_size,
        {"metric": "f1", "half_width": 0.1, "prevalence": 0.3, "confidence_level": 0.9},
    ),
    "comparison_sample_size": (
        f1ci.comparison_sample_size,
        {
            **LARGE,
            "disagreement": (0.1, 0.1),
            "score": 0.8,
            "prevalence": 0.3,
            "confidence_level": 0.9,
        },
    ),
    "pilot_interval_size": (
        f1ci.pilot_interval_size,
        {
            **ONE,
            **CLASSES,
            "metric": "f1",
            "average": "macro",
            "half_width": 0.1,
            "confidence_level": 0.9,
        },
    ),
    "pilot_interval_size, binary": (
        f1ci.pilot_interval_size,
        {**ONE, "half_width": 0.1, "pos_label": 1},
    ),
    "pilot_sample_size": (
        f1ci.pilot_sample_size,
        {**PAIR, **LARGE, "pos_label": 1, "confidence_level": 0.9},
    ),
    "pilot_sample_size, classes": (
        f1ci.pilot_sample_size,
        {**PAIR, **LARGE, **CLASSES, "metric": "macro_f1"},
    ),
    "bcv_partitions": (
        f1ci.bcv_partitions,
        {"n": 16, "repetitions": 3, "stratify": TRUE, "rng": 1},
    ),
    "effective_counts": (f1ci.effective_counts, {"folds": FOLDS, "rho1": 0.3, "rho2": 0.3}),
    "posterior": (f1ci.posterior, {"tp": 7, "fp": 2, "fn": 1, "metric": "f1", "prior": 1.0}),
    "bayes_test": (
        f1ci.bayes_test,
        {"folds_a": FOLDS, "folds_b": FOLDS, "metric": "f1", **WEIGHTS},
    ),
    "coverage.exact": (coverage.exact, {**RUN, "truth": None, "least": 0.0}),
    "coverage.tables": (first_table, {"n": 5, "cells": DESIGN, "least": 0.0}),
    "coverage.simulate": (coverage.simulate, {**RUN, "replicates": 10, "rng": 1}),
    "tversky": (metrics.tversky, {"a": 0.5, "b": 0.5}),
    "fbeta": (metrics.fbeta, {"beta": 2.0}),
    "macro": (metrics.macro, {"metric": "f1"}),
    "weighted": (metrics.weighted, {"metric": "f1"}),
    "macro_star": (metrics.macro_star, {"beta": 2.0}),
    "metrics.get": (metrics.get, {"metric": "f1"}),
    "metric.value": (metrics.f1.value, MATRIX),
    "Posterior.interval": (partial(a_posterior, "interval"), {"confidence_level": 0.9}),
}
ARGUMENTS = [(name, argument) for name, (_, options) in CALLS.items() for argument in options]


# What people pass by mistake: a percentage, text, a missing value, another container or shape.
JUNK = [
    *(-1, 0, 1, 2, 2.5, 95, True, 10**30, float("nan"), float("inf"), np.float16(7), np.int8(-3)),
    *("", "x", "f1", "score", "1", b"f1", "x" * 10**6, object(), len),
    *(None, [], (), {}, np.zeros(0), np.zeros((0, 2)), np.array(5), np.ones((2, 3))),
    *([1], [[1]], [[1, 2], [3]], ["a", 1] * 8, [[1, 2], [3, float("nan")]], {"a": [1, 0]}),
    *(list(range(10**5)), [float("nan")] * 16, "x" * 16, [None] * 16),
    *(np.full((2, 2), -1), np.full((2, 2), 1e308), np.full((3, 3), 2**62), np.zeros((2, 2))),
    *(np.full((2, 2, 3), 0.5), np.random.default_rng(1).random(10**5), np.zeros((16, 10**4))),
    np.ma.array(TRUE, mask=A),
]


def outcome(name, argument, junk):
    """Fail unless a public function takes the junk or refuses it in a short sentence."""
    function, options = CALLS[name]
    message = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        try:
            function(**{**options, argument: junk})
        except (ValueError, TypeError) as error:
            message = f"{type(error).__name__}: {error}"
    if message is not None:
        assert message.startswith(("ValueError:", "TypeError:")), message
        assert len(message) < 500, message[:500]
        assert any(phrase in message for phrase in QUOTING), message


# A sentence says what it got, or what does not fit together.
QUOTING = ("got ", "goes with", " has ", "needs ", "are wanted", "with shape (")


def test_the_calls_are_legal_and_cover_the_public_face():
    for function, options in CALLS.values():
        function(**options)
    functions = {name for name in f1ci.__all__ if inspect.isfunction(getattr(f1ci, name))}
    assert functions <= set(CALLS)
    # Every argument is replaced in one call or another.
    for name in functions:
        passed = set().union(*(o for n, (_, o) in CALLS.items() if n.split(",")[0] == name))
        assert set(inspect.signature(getattr(f1ci, name)).parameters) <= passed, name


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("name", CALLS)
def test_a_caller_who_raises_on_every_error_gets_an_answer(name):
    function, options = CALLS[name]
    with np.errstate(all="raise"):
        function(**options)
        assert set(np.geterr().values()) == {"raise"}


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_junk_gets_a_sentence(name, argument):
    for junk in JUNK:
        outcome(name, argument, junk)


def holds_itself():
    rows = []
    rows.append(rows)
    return rows


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: f1ci.bcv_partitions(8, rng=holds_itself()), r"rng must be .*, got \[\[\["),
        (lambda: f1ci.bcv_partitions(8, repetitions=np.timedelta64(3)), "must be an integer, got"),
        (
            lambda: coverage.simulate(**RUN, executor="x"),
            "executor must have a method map, got .x.",
        ),
        (lambda: f1ci.plot.forest(f1ci.f1_interval(7, 2, 1), ax=1), "ax must be .*, got 1"),
        (lambda: f1ci.plot.difference(1), "test must be a DifferenceTest, got 1"),
        (lambda: "x" in f1ci.f1_interval(7, 2, 1), "a value must be numeric, got 'x'"),
        (lambda: None in f1ci.f1_interval(7, 2, 1), "a value must be numeric, got None"),
        (lambda: metrics.BinaryMetric("own", max, range="1"), "range must be numeric, got '1'"),
        (lambda: metrics.MatrixMetric("own", max, range=None), "range must be numeric, got None"),
        (lambda: f1ci.metric_interval(**MATRIX, metric=metrics.Metric()), "got a Metric without"),
    ],
)
def test_an_object_of_the_wrong_type_gets_a_sentence(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call()
