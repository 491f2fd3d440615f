"""Averages over some of the classes, and what an undefined score counts: as in scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn.metrics as sk
from scipy.stats import binomtest

import f1ci
from f1ci import metrics
from f1ci.metrics.averages import Mean

AVERAGES = ("micro", "macro", "weighted")
TRUE = ["a"] * 20 + ["b"] * 15 + ["O"] * 40
PRED = ["a"] * 14 + ["b"] * 3 + ["O"] * 5 + ["b"] * 9 + ["a"] * 4 + ["O"] * 38 + ["a", "b"]
MATRIX = np.array([[30, 4, 2, 5], [5, 21, 9, 1], [1, 6, 40, 8], [2, 3, 9, 80]])


# scikit-learn's estimates


def problems(number):
    """Few items of some classes, some labels in any order, and one that never occurs."""
    rng = np.random.default_rng(0)
    for _ in range(number):
        r, n = rng.integers(3, 7), rng.integers(8, 60)
        true = rng.integers(0, r, n)
        pred = np.where(rng.random(n) < 0.5, true, rng.integers(0, r, n))
        labels = rng.permutation(r + 1)[: rng.integers(1, r + 1)].tolist()
        if set(true) & set(pred) and set(labels) & {*true, *pred}:
            yield true, pred, labels, rng.integers(0, 5, n)


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
@pytest.mark.parametrize("average", [*AVERAGES, None])
def test_some_classes_have_scikit_learns_scores(average, zero_division):
    options = {"average": average, "zero_division": zero_division, "beta": 2}
    for k, (true, pred, labels, groups) in enumerate(problems(60)):
        expected = sk.fbeta_score(true, pred, labels=labels, **options)
        options["groups"] = groups if k % 2 else None
        found = f1ci.f1_score_interval(true, pred, labels=labels, **options)
        del options["groups"]
        # Both are a few sums and quotients of integers.
        np.testing.assert_allclose(found.estimate, expected, rtol=0, atol=1e-14)
        known = ~np.isnan(found.estimate)
        assert np.all((found.low <= found.estimate) & (found.estimate <= found.high) | ~known)
        assert np.all((found.low < found.high) | ~known)


def assert_same_rows(report, expected):
    """The rows are scikit-learn's, with its estimates."""
    found = report.to_dict()
    assert [name for name in found if not name.endswith("_interval")] == list(expected)
    assert found.get("accuracy", 0) == pytest.approx(expected.get("accuracy", 0), rel=1e-13)
    for name, row in expected.items():
        for key, value in row.items() if name != "accuracy" else ():
            # Both are a few sums and quotients of integers.
            np.testing.assert_allclose(found[name][key], value, rtol=1e-13)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
@pytest.mark.parametrize("labels", [None, ["a", "b"], ["c", "a"]])
def test_reports_of_some_classes(labels, zero_division):
    true, pred = [*TRUE, "c"], [*PRED, "O"]  # "c" is never predicted
    options = {"labels": labels, "zero_division": zero_division}
    expected = sk.classification_report(true, pred, output_dict=True, **options)
    found = f1ci.classification_report(true, pred, **options)
    assert_same_rows(found, expected)


@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
def test_reports_of_indicators_with_undefined_scores(zero_division):
    """The third class is never predicted, and some items have no class."""
    rng = np.random.default_rng(1)
    true, pred = (rng.random((2, 60, 3)) < 0.3).astype(int)
    pred[:, 2] = 0
    of = {"output_dict": True, "zero_division": zero_division}
    expected = sk.classification_report(true, pred, **of)
    found = f1ci.classification_report(true, pred, zero_division=zero_division)
    assert_same_rows(found, expected)
    expected = sk.f1_score(true, pred, labels=[2, 0], average="macro", zero_division=zero_division)
    report = f1ci.f1_score_interval(true, pred, labels=[2, 0], average="macro")
    assert report.estimate == pytest.approx(expected, rel=1e-14)


# Limits


def test_one_class_has_the_interval_of_a_binary_score():
    flags = [label == "a" for label in TRUE], [label == "a" for label in PRED]
    alone = f1ci.f1_score_interval(*flags)
    groups = np.arange(len(TRUE)) % 9
    in_groups = f1ci.f1_score_interval(*flags, groups=groups)
    for average in AVERAGES:
        of = {"labels": ["a"], "average": average}
        assert tuple(f1ci.f1_score_interval(TRUE, PRED, **of)) == tuple(alone)
        found = f1ci.f1_score_interval(TRUE, PRED, groups=groups, **of)
        np.testing.assert_allclose(tuple(found), tuple(in_groups), rtol=0, atol=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
def test_gradients_are_the_numeric_ones(average):
    metric, p, step = (
        Mean("some", metrics.fbeta(2), average, (0, 1), chosen=(2, 0)),
        MATRIX / 226,
        1e-6,
    )
    for cell in np.ndindex(p.shape):
        forth, back = (1 - step) * p, (1 + step) * p
        forth[cell] += step
        back[cell] -= step
        slope = (metric.value(forth) - metric.value(back)) / (2 * step)
        # A central difference has an error of the order of step^2, and rounding of 1e-16 / step.
        assert metric.gradient(p)[cell] == pytest.approx(slope, abs=1e-8)


@pytest.mark.filterwarnings("ignore::f1ci.SmallSampleWarning")
@pytest.mark.parametrize("average", AVERAGES)
def test_some_classes_are_covered(average):
    """Three entities and "O", sixty items: the level, within the error of 1,600 test sets."""
    rng, covered = np.random.default_rng(5), []
    metric = Mean("some", metrics.f1, average, (0, 1), chosen=(0, 1, 2))
    for _ in range(4):
        right, shares = rng.uniform(0.5, 0.95, 4), np.array([0.2, 0.15, 0.1, 0.55])
        right[3] = 0.95
        wrong = rng.dirichlet(np.ones(4), 4)
        p = shares[:, None] * (np.diag(right) + (1 - right)[:, None] * wrong)
        tables = rng.multinomial(60, p.ravel(), 400).reshape(-1, 4, 4)
        with np.errstate(invalid="ignore"):
            low, high = f1ci.metric_interval(tables, metric)
        truth = metric.value(p)
        covered.append(np.mean((low <= truth) & (truth <= high)))
    # The standard error of each share is .011; the limits are a little long in small samples.
    assert 0.93 < np.mean(covered) < 0.975, covered


@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("method", ["score", "cautious", "wilson_direct", "logit", "delta", "wald"])
def test_a_constant_has_limits_with_every_method(method, constant):
    """The delta method gave the estimate 0 or 1 with limits nan. Without items nothing is known."""
    interval = f1ci.f1_score_interval([0] * 5, [0] * 5, method=method, zero_division=constant)
    assert interval.estimate == sk.f1_score([0] * 5, [0] * 5, zero_division=constant)
    assert tuple(interval) == (0.0, 1.0)


def test_an_undefined_class_is_left_out_or_a_constant():
    """With four classes of which one is undefined, three quarters of the average are random."""
    of = {"labels": ["a", "b", "O", "never"], "average": "macro"}
    with pytest.warns(
        f1ci.UndefinedMetricWarning, match="macro_f1 leaves out class 'never', where"
    ):
        alone = f1ci.f1_score_interval(TRUE, PRED, **of)
    plain = f1ci.f1_score_interval(TRUE, PRED, average="macro")
    # The cells of the empty class are looked at, too: the limits settle to about ten digits.
    np.testing.assert_allclose(tuple(alone), tuple(plain), rtol=0, atol=1e-9)
    for constant in (0, 1):
        found = f1ci.f1_score_interval(TRUE, PRED, zero_division=constant, **of)
        # The limits do not know what the class would score.
        expected = 0.75 * np.array(tuple(alone)) + [0.0, 0.25]
        assert found.estimate == pytest.approx(0.75 * alone.estimate + 0.25 * constant, rel=1e-14)
        np.testing.assert_allclose(tuple(found), expected, rtol=0, atol=1e-12)
        assert found.standard_error == pytest.approx(0.75 * alone.standard_error, rel=1e-14)


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
def test_a_class_without_true_items_has_no_weight_and_no_say_in_the_limits():
    """Class 1 is predicted and never true; the lower limit was nan."""
    found = f1ci.f1_score_interval(
        [3, 2, 3, 0, 0], [3, 0, 2, 0, 1], labels=[0, 1], average="weighted"
    )
    assert found.estimate == pytest.approx(0.5, rel=1e-14)  # of class 0: one right, one of each
    assert 0 < found.low < 0.5 < found.high < 1


@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
def test_classes_that_are_predicted_but_never_true_have_equal_weights(zero_division):
    rows = np.zeros((4, 3), int), np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]])
    items = ["O"] * 6 + ["a"], ["a", "b"] * 3 + ["a"]
    for true, pred, labels in ((*rows, None), (*items, ["b", "c"]), (*items, ["a", "b", "c"])):
        of = {"average": "weighted", "labels": labels, "zero_division": zero_division}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            found = f1ci.f1_score_interval(true, pred, **of)
        expected = sk.f1_score(true, pred, **of)
        np.testing.assert_allclose(found.estimate, expected, rtol=0, atol=1e-14)


def test_a_rare_class_is_named():
    with pytest.warns(f1ci.SmallSampleWarning, match="fewer than 3 items .* of class 'c', so"):
        f1ci.f1_score_interval([*TRUE, "c"], [*PRED, "c"], labels=["a", "c"], average="macro")


def test_nothing_is_known_of_an_undefined_score():
    found = f1ci.f1_score_interval([0, 0], [0, 0], zero_division=1)
    assert (found.estimate, *found) == (1.0, 0.0, 1.0)


def test_items_without_classes_are_left_out_of_the_mean_over_items():
    true, pred = np.array([[1, 0], [0, 1], [0, 0]]), np.array([[1, 0], [1, 1], [0, 0]])
    with pytest.warns(
        f1ci.UndefinedMetricWarning, match="leaves out 1 units whose score is undefined"
    ):
        found = f1ci.f1_score_interval(true, pred, average="samples")
    assert found.estimate == pytest.approx((1 + 2 / 3) / 2)
    with pytest.warns(f1ci.UndefinedMetricWarning):
        alone = f1ci.f1_score_interval(true[1:], pred[1:], average="samples")
    # Wilson's upper limit for the share of items of another kind, none of one.
    unseen = binomtest(0, 1).proportion_ci(method="wilson").high
    ends = 2 / 3 * (1 - unseen), 2 / 3 + unseen / 3
    assert (alone.estimate, *alone) == pytest.approx((2 / 3, *ends), rel=1e-12)
