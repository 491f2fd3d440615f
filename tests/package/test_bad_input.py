"""Whatever is passed for whatever argument: an answer, or one sentence that says what is wrong.

Every argument of every public function is replaced by junk, one at a time. Allowed are an answer
(without any warning but the package's own), and a `ValueError` or `TypeError` of fewer than 500
characters that quotes what it got.
"""

import inspect
import itertools
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import f1ci
from f1ci import coverage, metrics, planning
from f1ci._validation import short

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
ONE = {"y_true": TRUE, "y_pred": A}
PAIR = {"y_true": TRUE, "y_pred_a": A, "y_pred_b": B}
MODELS = {"y_true": TRUE, "predictions": {"A": A, "B": B}}
MATRIX = {"matrix": [[9, 2], [3, 8]]}
CLASSES = {"labels": [0, 1], "groups": [0, 1, 2, 3] * 4}
COUNTED = {"sample_weight": None, "zero_division": 0}
UNITS = {"metric": "f1", "average": None, **SIDE}
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
        {**ONE, **CLASSES, **SIDE, **COUNTED, "average": "macro", "beta": 2.0},
    ),
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
    "clustered_interval": (f1ci.clustered_interval, {"counts": COUNTS, **UNITS}),
    "clustered_difference": (
        f1ci.clustered_difference,
        {"counts_a": COUNTS, "counts_b": COUNTS[::-1], **UNITS},
    ),
    "difference_interval": (
        f1ci.difference_interval,
        {**PAIR, **CLASSES, **SIDE, "metric": "macro_f1"},
    ),
    "difference_interval, binary": (
        f1ci.difference_interval,
        {**PAIR, "metric": "f1", "pos_label": 1},
    ),
    "difference_test": (
        f1ci.difference_test,
        {**PAIR, **DRAWN, "method": "randomisation", "replicates": 9},
    ),
    "difference_test, classes": (
        f1ci.difference_test,
        {**PAIR, **CLASSES, "metric": "macro_f1", "replicates": 9},
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
        {**MODELS, "metrics": ["macro_f1"], "labels": [0, 1]},
    ),
    "compare_models": (
        f1ci.compare_models,
        {**MODELS, **DRAWN, "groups": [0, 1, 2, 3] * 4, "method": "score"},
    ),
    "compare_models, classes": (
        f1ci.compare_models,
        {**MODELS, "metric": "macro_f1", "labels": [0, 1]},
    ),
    "unpaired_difference": (
        f1ci.unpaired_difference,
        {"matrix_a": [[9, 2], [3, 8]], "matrix_b": [[7, 2], [3, 9]], "metric": "f1", **AT},
    ),
    "matrix_report": (f1ci.matrix_report, {**MATRIX, "classes": ["a", "b"], **AT}),
    "classification_report": (
        f1ci.classification_report,
        {**ONE, **CLASSES, **AT, **COUNTED, "target_names": ["a", "b"]},
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
    "pilot_sample_size": (planning.pilot_sample_size, {**PAIR, **LARGE}),
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


class Odd:
    """An object whose text is long."""

    def __repr__(self):
        return "odd" * 10_000


NUMBERS = [
    *(-1, 0, 1, 2, 2.5, -0.0, 95, 10**30, 2**64, -(2**63), 10**400, True),
    *(float("nan"), float("inf"), -float("inf"), 1e-320, 1e-9, 1 - 2**-53, 1e300, 1.7e308, 1j),
    *(np.float16(7), np.uint64(2**64 - 1), np.int8(-3), np.float64("nan"), np.bool_(True)),
]
WORDS = ["", "x", "f1", "score", "1", b"f1", "x" * 10**6, b"x" * 10**6, Odd(), object(), len]
EMPTY = [None, [], (), {}, set(), np.zeros(0), np.zeros((0, 2)), np.zeros((2, 0, 3)), iter([])]
NESTED = [
    *([1], [[1]], [[1, 2], [3]], ["a", 1] * 8, [[1, 2], [3, float("nan")]], {"a": [1, 0]}),
    *({"x" * 10**6: [1]}, [2**64] * 16, list(range(10**5)), [float("nan")] * 16, "x" * 16),
    ["x" * 10**6, *(str(k) for k in range(15))],
    [Odd() for _ in range(16)],
]
ARRAYS = [
    *(np.array(5), np.ones((2, 3)), np.ones((3, 2, 3)) * np.nan, np.full((2, 2), -1)),
    *(np.full((2, 2), 1e308), np.full((3, 3), 2**62), np.zeros((2, 2)), np.full((2, 2, 3), 0.5)),
    *(np.ones((2, 2), complex), np.array([None] * 16), np.array([b"a", b"b"] * 8)),
    np.array(["NaT", "2020-01-01"] * 8, "M8[D]"),
    np.ma.array(TRUE, mask=A),
    np.zeros(16, "i4,f8"),
    np.random.default_rng(1).random(10**5),
    np.zeros((16, 10**4)),
]
JUNK = [*NUMBERS, *WORDS, *EMPTY, *NESTED, *ARRAYS]


def parts(junk, depth=3):
    """A value, its shape and its first entries."""
    yield junk
    yield from getattr(junk, "shape", ())
    if isinstance(junk, (list, tuple)):
        yield len(junk)
    if isinstance(junk, np.ndarray):
        yield from (junk.shape, *junk.ravel()[:20].tolist())
    if isinstance(junk, dict):
        yield from parts([*junk, *junk.values()])
    if np.iterable(junk) and depth and not isinstance(junk, str):
        for entry in itertools.islice(junk, 20):
            yield from parts(entry, depth - 1)


def quotations(junk):
    """Texts of which a message about the junk must hold one."""
    for value in parts(junk):
        yield short(value)[:12]
        value = value.item() if isinstance(value, np.number) else value
        if isinstance(value, (int, float)) and abs(value) < 10**300:
            yield from (str(value)[:12], str(float(value))[:12], str(int(value))[:12])


# What one argument makes of another, of an absent or a missing value, of sizes and shapes.
PHRASES = (
    *("goes with", "give exactly one", "got None", "got []", "got array([]", "got nan", "got NaT"),
    *("masked entr", "got shape (", "got (", " has ", "twice", "a sum of", "the plan asks for"),
    *(
        "a test takes at most",
        "needs indicators",
        "needs at least two",
        "with shape (",
        "are wanted",
    ),
    *("labels among", "one for each item", "the str "),
)


def outcome(name, argument, junk):
    """Fail unless a public function takes the junk or refuses it in a sentence."""
    function, options = CALLS[name]
    caught = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            function(**{**options, argument: junk})
    except (ValueError, TypeError) as error:
        caught = error
    if caught is not None:
        message = str(caught)
        assert type(caught) in (ValueError, TypeError), type(caught)
        assert len(message) < 500, message[:500]
        # A single character stands behind "got": elsewhere it may have another meaning.
        behind = message.partition("got ")[2]
        assert any(phrase in message for phrase in PHRASES) or any(
            text in (message if len(text) > 1 else behind) for text in quotations(junk)
        ), message


def test_the_calls_are_legal_and_cover_the_public_face():
    for function, options in CALLS.values():
        function(**options)
    functions = {name for name in f1ci.__all__ if inspect.isfunction(getattr(f1ci, name))}
    assert functions <= set(CALLS)
    # Every argument is replaced in one call or another.
    for name in functions:
        passed = set().union(*(o for n, (_, o) in CALLS.items() if n.split(",")[0] == name))
        assert set(inspect.signature(getattr(f1ci, name)).parameters) <= passed, name


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_junk_gets_a_sentence(name, argument):
    for junk in JUNK:
        outcome(name, argument, junk)


values = st.one_of(
    st.sampled_from(NUMBERS + WORDS),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.none(),
    st.booleans(),
)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    which=st.sampled_from(ARGUMENTS),
    junk=st.recursive(values, lambda inner: st.lists(inner, max_size=4), max_leaves=12),
)
def test_any_junk_gets_a_sentence(which, junk):
    outcome(*which, junk)
