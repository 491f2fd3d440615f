"""The public face: the names that the book relies on."""

import inspect

import pytest

import f1ci

FUNCTIONS = [
    "binary_counts",
    "confusion_matrix",
    "f1_interval",
    "f1_score_interval",
    "metric_interval",
    "classification_report",
    "difference_interval",
    "joint_intervals",
    "equicoordinate_quantile",
    "sample_size",
    "bcv_partitions",
    "effective_counts",
    "posterior",
    "bayes_test",
]
METRICS = [
    "accuracy",
    "precision",
    "recall",
    "f1",
    "jaccard",
    "correlation",
    "cosine",
    "lift",
    "overlap",
    "micro_f1",
    "macro_f1",
    "macro_f1_star",
]


def test_every_public_name_is_exported_and_none_of_others():
    for name in f1ci.__all__:
        value = getattr(f1ci, name)
        module = value if inspect.ismodule(value) else inspect.getmodule(value)
        assert module.__name__.startswith("f1ci.")
    assert {*FUNCTIONS, "coverage", "methods", "metrics", "plot", "Interval"} <= set(f1ci.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented_with_an_example(name):
    text = inspect.getdoc(getattr(f1ci, name))
    assert "Parameters\n----------" in text
    assert "Returns\n-------" in text
    assert ">>>" in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_labels_counts_and_the_like_are_positional(name):
    parameters = inspect.signature(getattr(f1ci, name)).parameters.values()
    keyword_only = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    options = {"method", "beta", "pos_label", "labels", "groups", "blur", "prior", "rng"}
    assert {p.name for p in parameters} & options <= keyword_only
    assert "alpha" not in {p.name for p in parameters}


def test_metrics_are_there_by_name_and_as_objects():
    for name in METRICS:
        assert f1ci.metrics.get(name) is getattr(f1ci.metrics, name)
    assert f1ci.metrics.fbeta(1.0).a == f1ci.metrics.tversky(a=0.5, b=0.5).a
