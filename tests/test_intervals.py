"""The door from labels: it leads to the road it says, and nowhere without a sentence."""

import numpy as np
import pytest

import f1ci
from f1ci import exact, metrics

RNG = np.random.default_rng(8)
TRUE = RNG.integers(0, 2, 300)
PRED = np.where(RNG.random(300) < 0.8, TRUE, 1 - TRUE)
NAMES = np.array(["ham", "spam"])
FIELDS = ("estimate", "low", "high", "standard_error", "confidence_level")


def same(one, two):
    return [getattr(one, f) for f in FIELDS] == [getattr(two, f) for f in FIELDS]


@pytest.mark.parametrize("method", exact.METHODS)
def test_binary_f1_takes_the_exact_road(method):
    tp, fp, fn, _ = f1ci.binary_counts(TRUE, PRED)
    expected = f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=0.9)
    ours = f1ci.f1_score_interval(TRUE, PRED, method=method, confidence_level=0.9)
    assert same(ours, expected)
    assert ours.method == method


def test_the_default_is_wilson_indirect():
    assert f1ci.f1_score_interval(TRUE, PRED).method == "wilson_indirect"


def test_the_positive_class_may_have_any_name():
    by_name = f1ci.f1_score_interval(NAMES[TRUE], NAMES[PRED], pos_label="spam")
    assert same(by_name, f1ci.f1_score_interval(TRUE, PRED))
    other = f1ci.f1_score_interval(list(NAMES[TRUE]), list(NAMES[PRED]), pos_label="ham")
    assert same(other, f1ci.f1_score_interval(1 - TRUE, 1 - PRED))


def test_f_beta_takes_the_delta_road():
    matrix = f1ci.confusion_matrix(TRUE, PRED)
    expected = f1ci.metric_interval(matrix, metrics.fbeta(2.0))
    assert same(f1ci.f1_score_interval(TRUE, PRED, beta=2.0), expected)
    logit = f1ci.metric_interval(matrix, metrics.fbeta(2.0), transform="logit")
    assert same(f1ci.f1_score_interval(TRUE, PRED, beta=2.0, method="logit"), logit)


def test_the_two_roads_meet_at_wald():
    # Equation 29 of Lam, Gopal and Qian is the delta variance of F1: sums in another order.
    wald = f1ci.f1_score_interval(TRUE, PRED, method="wald")
    delta = f1ci.f1_score_interval(TRUE, PRED, method="delta")
    np.testing.assert_allclose(tuple(wald), tuple(delta), rtol=1e-13)


@pytest.mark.parametrize("average", ["micro", "macro", "macro_star"])
def test_averages_are_those_of_the_matrix(average):
    true, pred = RNG.integers(0, 3, (2, 200))
    metric = {"micro": "micro_f1", "macro": "macro_f1", "macro_star": "macro_f1_star"}[average]
    expected = f1ci.metric_interval(f1ci.confusion_matrix(true, pred), metric)
    ours = f1ci.f1_score_interval(true, pred, average=average)
    np.testing.assert_allclose(
        [getattr(ours, f) for f in FIELDS], [getattr(expected, f) for f in FIELDS], rtol=1e-13
    )


def test_groups_take_the_delta_road():
    groups = np.arange(300) // 10
    grouped = f1ci.f1_score_interval(TRUE, PRED, groups=groups)
    assert "groups" in grouped.method
    # One road divides counts, the other proportions: they differ by rounding.
    assert grouped.estimate == pytest.approx(f1ci.f1_score_interval(TRUE, PRED).estimate, rel=1e-14)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"average": "weighted"}, "average must be one of 'binary', 'micro', .*, got 'weighted'"),
        ({"method": "bootstrap"}, "method must be one of 'wilson_indirect', .*, got 'bootstrap'"),
        (
            {"method": "wald", "average": "macro"},
            "one of 'delta', 'logit', 'wilson_indirect', 'clopper_pearson', got 'wald'",
        ),
        ({"method": "clopper_pearson", "average": "macro_star"}, "one of 'delta', 'logit', got"),
        ({"method": "wald", "beta": 2.0}, "one of 'delta', 'logit', got 'wald'"),
        ({"method": "wilson_direct", "groups": TRUE}, "one of 'delta', 'logit', got"),
        ({"beta": 0}, "beta must be a finite number above 0, got 0"),
        ({"confidence_level": 95}, "got 95; did you mean 0.95"),
        ({"pos_label": 7}, "pos_label must be one of the labels 0, 1, got 7"),
    ],
)
def test_bad_options_are_quoted(options, message):
    with pytest.raises(ValueError, match=message):
        f1ci.f1_score_interval(TRUE, PRED, **options)


def test_more_than_two_classes_are_not_binary():
    with pytest.raises(ValueError, match="at most two classes, got 3: 0, 1, 2"):
        f1ci.f1_score_interval([0, 1, 2], [0, 1, 1])
