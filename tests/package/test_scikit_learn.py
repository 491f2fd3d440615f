"""Random questions: scikit-learn's numbers, or both packages refuse.

Labels are numbers, text or truth values, or indicators, some of the classes in any order, items in
groups, which change no score. Where scikit-learn has a convention for undefined scores that f1ci
does not have (a number instead of nan), the question is left out: correlation and kappa of one
class, and classes without true items in balanced accuracy, of which scikit-learn warns.
"""

import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.metrics as sk
from examples import noisy

import f1ci
from f1ci import metrics

NAMES = {
    "int": np.array([3, 1, 7, 5, 9]),
    "text": np.array(["ham", "spam", "eggs", "toast", "never"]),
    "bool": np.array([False, True]),
}
AVERAGED = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "jaccard": sk.jaccard_score,
    "f2": partial(sk.fbeta_score, beta=2),
    "f0.5": partial(sk.fbeta_score, beta=0.5),
}
WHOLE = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "matthews": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "linear_kappa": partial(sk.cohen_kappa_score, weights="linear"),
    "quadratic_kappa": partial(sk.cohen_kappa_score, weights="quadratic"),
}


def outcome(function, *arguments, **options):
    """The number, or "refused"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **options)
        except (ValueError, TypeError):
            return "refused"


def ours(*arguments, **options):
    """The estimate, which has to lie between the limits."""
    interval = f1ci.score_interval(*arguments, **options)
    known = np.isfinite(interval.estimate)
    assert np.all((interval.low <= interval.estimate) | ~known)
    assert np.all((interval.estimate <= interval.high) | ~known)
    return interval.estimate


def assert_same(found, expected, what):
    if isinstance(found, str) or isinstance(expected, str):
        assert str(found) == str(expected), what
        return
    # Both are a few sums and quotients of integers.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13, err_msg=str(what))


def random_labels(rng, kind):
    """Truth, predictions that share a label with it, and the names of classes."""
    names = NAMES[kind]
    r = min(int(rng.integers(2, 5)), len(names))
    true = rng.integers(0, r, int(rng.integers(3, 30)))
    predicted = noisy(rng, true, 0.5, r)
    predicted[0] = true[0]
    return names[true], names[predicted], names


def random_options(rng, true, predicted, names, k):
    """An average, a number for undefined scores, some of the classes, groups; or None.

    scikit-learn takes any label for 1 if all items are of one class, and f1ci needs two classes
    for an average.
    """
    average = ("binary", "micro", "macro", "weighted", None, "macro")[k % 6]
    options = {"average": average, "zero_division": (0, 1, np.nan)[k % 3]}
    occurring = {*true.tolist(), *predicted.tolist()}
    if average == "binary":
        options["pos_label"] = names[k % len(names)].item()
        return options if options["pos_label"] in occurring else None
    if k % 4 >= 2:
        options["labels"] = rng.permutation(names)[: rng.integers(1, len(names) + 1)].tolist()
        if not set(options["labels"]) & occurring:
            return None
    return options if len(occurring) > 1 else None


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("metric", AVERAGED)
def test_averages_and_binary_scores(kind, metric):
    """Macro averages leave undefined classes out, as nan does there."""
    rng = np.random.default_rng(len(kind) * 10 + len(metric))
    for k in range(24):
        true, predicted, names = random_labels(rng, kind)
        options = random_options(rng, true, predicted, names, k)
        if options is None:
            continue
        if metric == "jaccard" and k % 3 == 2:
            options["zero_division"] = 0  # scikit-learn's has no nan
        expected = outcome(AVERAGED[metric], true, predicted, **options)
        if k % 5 == 0:
            options["groups"] = np.arange(len(true)) // 2
        else:
            options["method"] = (None, "delta", "logit")[k % 3]
        found = outcome(ours, true, predicted, metric, **options)
        assert_same(found, expected, (metric, true.tolist(), predicted.tolist(), options))


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("metric", WHOLE)
def test_scores_of_all_classes(kind, metric):
    rng = np.random.default_rng(len(kind) + len(metric))
    for _ in range(6):
        true, predicted, _ = random_labels(rng, kind)
        if len({*true.tolist()}) > 1 and len({*predicted.tolist()}) > 1:
            expected = outcome(WHOLE[metric], true, predicted)
            found = outcome(ours, true, predicted, metric)
            assert_same(found, expected, (metric, true.tolist(), predicted.tolist()))


@pytest.mark.parametrize("metric", AVERAGED)
def test_indicators(metric):
    """Some items have no class, and some classes are never predicted."""
    rng = np.random.default_rng(len(metric))
    for k in range(20):
        true, predicted = (rng.random((2, 12, 3)) < [0.5, 0.3, 0.1]).astype(int)
        average = ("micro", "macro", "weighted", None, "samples")[k % 5]
        options = {"average": average, "zero_division": (0, 1)[k % 2]}
        if k >= 10 and average != "samples":
            options["labels"] = [2, 0]
        expected = outcome(AVERAGED[metric], true, predicted, **options)
        found = outcome(ours, true, predicted, metric, **options)
        assert_same(found, expected, (metric, true.tolist(), predicted.tolist(), options))


@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
def test_classes_that_are_predicted_but_never_true_have_equal_weights(zero_division):
    rows = np.zeros((4, 3), int), np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]])
    items = ["O"] * 6 + ["a"], ["a", "b"] * 3 + ["a"]
    for true, pred, labels in ((*rows, None), (*items, ["b", "c"]), (*items, ["a", "b", "c"])):
        options = {"average": "weighted", "labels": labels, "zero_division": zero_division}
        expected = outcome(sk.f1_score, true, pred, **options)
        assert_same(outcome(ours, true, pred, **options), expected, (true, pred, options))


# Reports

TRUE = ["a"] * 20 + ["b"] * 15 + ["O"] * 40 + ["c"]  # "c" is never predicted
PRED = ["a"] * 14 + ["b"] * 3 + ["O"] * 5 + ["b"] * 9 + ["a"] * 4 + ["O"] * 38 + ["a", "b", "O"]
FLAGS = (np.random.default_rng(1).random((2, 60, 3)) < 0.3) * [[[1, 1, 1]], [[1, 1, 0]]]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
@pytest.mark.parametrize(
    ("columns", "labels"),
    [((TRUE, PRED), None), ((TRUE, PRED), ["a", "b"]), ((TRUE, PRED), ["c", "a"]), (FLAGS, None)],
)
def test_reports_have_the_same_rows(columns, labels, zero_division):
    options = {"labels": labels, "zero_division": zero_division}
    expected = sk.classification_report(*columns, output_dict=True, **options)
    found = f1ci.classification_report(*columns, **options).to_dict()
    assert [name for name in found if not name.endswith("_interval")] == list(expected)
    assert found.get("accuracy", 0) == pytest.approx(expected.pop("accuracy", 0), rel=1e-13)
    for name, row in expected.items():
        for key, value in row.items():
            np.testing.assert_allclose(found[name][key], value, rtol=1e-13)


# Names


@pytest.mark.parametrize(
    ("name", "meant"),
    [("f1_macro", "macro_f1"), ("precision_weighted", "weighted_precision"), ("MCC", "mcc")],
)
def test_other_spellings(name, meant):
    assert metrics.get(name) == metrics.get(meant)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("macro_precison", "macro_precision"), ("sensitivty", "sensitivity"), ("kapa", "kappa")],
)
def test_unknown_names_are_answered_with_the_nearest(name, hint):
    with pytest.raises(ValueError, match=f"got '{name}'; did you mean '{hint}'"):
        metrics.get(name)
