"""The registry: what is in it is what the doors know."""

import re
from functools import partial

import numpy as np
import pytest
from examples import ask
from scipy.stats import binom

import f1ci
from f1ci import methods, metrics
from f1ci.results import DifferenceTest

TRUE = np.repeat([1, 1, 0, 0], [30, 6, 4, 20])
PRED = np.repeat([1, 0, 1, 0], [30, 6, 4, 20])
THREE = [[12, 2, 1], [3, 15, 2], [0, 2, 23]]


def halfway(sample, z):  # noqa: ARG001
    low, high = sample.range
    return (low + sample.estimate) / 2, (high + sample.estimate) / 2


# The methods that are not for every metric, and the metrics that they are for.
OF_ONE_CLASS = [name for name, metric in metrics.METRICS.items() if metric.binary]
PROPORTIONS = ["accuracy", "micro_f1"]
SERVED = {
    "score": [name for name in metrics.METRICS if name != "overlap"],
    "cautious": ["f1", "precision", "recall", "jaccard", "specificity", "npv", *PROPORTIONS],
    "wilson_direct": ["f1"],
    "anytime": ["f1", "precision", "recall", "jaccard", "specificity", "npv", *PROPORTIONS],
    "blur": OF_ONE_CLASS,
}

TOY = methods.Method("toy", halfway)


DOORS = [
    partial(f1ci.f1_interval, 30, 4, 6),
    partial(f1ci.f1_score_interval, TRUE, PRED),
    partial(f1ci.f1_score_interval, TRUE, PRED, beta=2),
    partial(f1ci.f1_score_interval, TRUE, PRED, average=None),
    partial(f1ci.f1_score_interval, TRUE, PRED, average="macro"),
    partial(ask, f1ci.Matrix, "interval", (THREE,), "macro_f1_star"),
    partial(ask, f1ci.Matrix, "interval", ([[20, 4], [6, 30]],), "cosine"),
    partial(ask, f1ci.Labels, "difference", (TRUE, {"A": PRED, "B": TRUE}), "f1"),
]


def test_a_method_is_one_kernel_and_one_entry(monkeypatch):
    """It is seen through every door, and in the sentences that refuse others."""
    monkeypatch.setitem(methods.METHODS, "toy", TOY)
    for door in DOORS:
        answer = door(method="toy")
        interval = getattr(answer, "interval", answer)
        assert interval.method == "toy"
        half = 0.5 * np.asarray(interval.estimate)
        np.testing.assert_array_equal(interval.high, 0.5 + half)
        least = -0.5 if isinstance(answer, DifferenceTest) else 0.0
        np.testing.assert_array_equal(interval.low, least + half)
    joint = f1ci.Labels(TRUE, PRED).joint(["f1", "recall"], method="toy")
    assert joint.methods == ("toy", "toy")
    np.testing.assert_array_equal(joint.low, 0.5 * joint.estimate)
    assert f1ci.coverage.exact(20, [0.3, 0.1, 0.1, 0.5], method="toy").coverage > 0.5
    with pytest.raises(ValueError, match=r"'toy'.*got 'other'"):
        f1ci.f1_interval(1, 1, 1, method="other")


@pytest.mark.parametrize("metric", metrics.METRICS.values(), ids=lambda metric: metric.name)
def test_every_method_serves_a_metric_or_is_refused(metric):
    """The default is "score", except for the metric with a kink; the refusal names it first."""
    default = "logit" if metric.name == "overlap" else "score"
    size = 2 if metric.binary else 3
    table = np.full((size, size), 7) + 20 * np.eye(size, dtype=int)
    assert f1ci.Matrix(table).interval(metric).method == default
    refusal = f"one of {default!r}.* for {metric.name!r}, got "
    for name in methods.METHODS:
        if metric.name in SERVED.get(name, [metric.name]):
            assert f1ci.Matrix(table).interval(metric, method=name).method == name
        else:
            with pytest.raises(ValueError, match=refusal + repr(name)):
                f1ci.Matrix(table).interval(metric, method=name)


def test_f1_knows_the_papers_names():
    for paper, ours in (
        ("wilson_indirect", "score"),
        ("clopper_pearson", "cautious"),
        ("wald", "delta"),
    ):
        one, other = (f1ci.f1_interval(30, 4, 6, method=name) for name in (paper, ours))
        assert tuple(one) == tuple(other)
        assert (one.method, other.method) == (paper, ours)
        with pytest.raises(ValueError, match=f"for 'jaccard', got {paper!r}"):
            f1ci.Matrix([[20, 4], [6, 30]]).interval("jaccard", method=paper)


def test_the_docstring_that_everybody_reads_has_the_sentences_of_the_registry():
    listed = re.findall(r'- ``"(\w+)"``: (.*?)(?=\n\s*- ``|\n\n)', f1ci.f1_interval.__doc__, re.S)
    said = {name: " ".join(text.split()) for name, text in listed}
    others = [method.paper_name for method in methods.METHODS.values() if method.paper_name]
    assert said == {name: method.says for name, method in methods.METHODS.items()}
    assert all(f'``"{name}"``' in f1ci.f1_interval.__doc__ for name in others)


def coverage(v, share, method):
    """Return coverage of the F1 of `v` relevant items, of which a share is right: binomial sums."""
    tp = np.arange(v + 1)
    low, high = f1ci.f1_interval(tp, v - tp, 0, method=method)
    truth = 2 * share / (1 + share)
    holds = (low <= truth[:, None]) & (truth[:, None] <= high)
    return (binom.pmf(tp, v, share[:, None]) * holds).sum(axis=1)


@pytest.mark.parametrize("v", [10, 50, 200, 1000])
def test_methods_cover_as_their_sentences_say(v):
    """Near 1 the share of errors is below 3 / v, where the teeth of coverage are longest."""
    (least,) = re.findall(r"about (0\.\d+)", methods.METHODS["score"].says)
    everywhere, near_one = np.linspace(0.005, 0.995, 199), 1 - np.linspace(0.001, 3, 600) / v
    assert coverage(v, everywhere, "score").mean() == pytest.approx(0.95, abs=0.005)
    assert coverage(v, near_one, "score").min() == pytest.approx(float(least), abs=0.005)
    assert min(coverage(v, x, "cautious").min() for x in (everywhere, near_one)) >= 0.95


def test_an_anytime_interval_is_as_long_as_its_sentence_says():
    relevant = np.array([20, 50, 200, 1000])[:, None]
    right = np.rint(relevant * [0.5, 0.8, 0.9, 0.95])
    wrong = relevant - right
    low, high = f1ci.f1_interval(right, wrong, 0, method="anytime")
    low_once, high_once = f1ci.f1_interval(right, wrong, 0)
    ratio = (high - low) / (high_once - low_once)
    (said,) = re.findall(r"(\d\.\d) to (\d\.\d) times", methods.METHODS["anytime"].says)
    assert [ratio.min(), ratio.max()] == pytest.approx([*map(float, said)], abs=0.05)
