"""Three hundred random questions: scikit-learn's numbers, or both packages refuse.

Labels are numbers, text or truth values, or indicators. Where scikit-learn has a convention for
undefined scores that f1ci does not have (a number instead of nan), the question is left out:
correlation and kappa of one class, and classes without true items in balanced accuracy, of which
scikit-learn warns.
"""

import warnings

import numpy as np
import pytest
import sklearn.metrics as sk

import f1ci

NAMES = {
    "int": np.array([3, 1, 7, 5]),
    "text": np.array(["ham", "spam", "eggs", "toast"]),
    "bool": np.array([False, True]),
}
AVERAGED = {
    "precision": (sk.precision_score, {}),
    "recall": (sk.recall_score, {}),
    "f1": (sk.f1_score, {}),
    "jaccard": (sk.jaccard_score, {}),
    "f2": (sk.fbeta_score, {"beta": 2}),
    "f0.5": (sk.fbeta_score, {"beta": 0.5}),
}
WHOLE = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "linear_kappa": lambda t, p: sk.cohen_kappa_score(t, p, weights="linear"),
    "quadratic_kappa": lambda t, p: sk.cohen_kappa_score(t, p, weights="quadratic"),
}


def outcome(function, *arguments, **options):
    """Return the number, or "refused"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **options)
        except (ValueError, TypeError):
            return "refused"


def ours(*arguments, **options):
    return f1ci.score_interval(*arguments, method="delta", **options).estimate


def assert_same(found, expected, what):
    if isinstance(found, str) or isinstance(expected, str):
        assert str(found) == str(expected), what
        return
    # Both are a few sums and quotients of integers.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13, err_msg=str(what))


def random_labels(rng, kind):
    names = NAMES[kind]
    r = min(int(rng.integers(2, 5)), len(names))
    n = int(rng.integers(3, 30))
    true = rng.integers(0, r, n)
    predicted = np.where(rng.random(n) < 0.5, true, rng.integers(0, r, n))
    predicted[0] = true[0]  # f1ci refuses labels that share nothing
    return names[true], names[predicted], names[:r]


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("metric", AVERAGED)
def test_averages_and_binary_scores(kind, metric):
    """Twelve questions each: 216. Macro averages leave undefined classes out, as nan does there."""
    rng = np.random.default_rng(len(kind) * 10 + len(metric))
    score, more = AVERAGED[metric]
    for k in range(12):
        true, predicted, names = random_labels(rng, kind)
        average = ("binary", "micro", "macro", "weighted", None, "macro")[k % 6]
        options = {"average": average, "zero_division": (0, 1, np.nan)[k % 3]}
        if metric == "jaccard" and k % 3 == 2:
            options["zero_division"] = 0  # scikit-learn's has no nan
        if average == "binary":
            options["pos_label"] = names[k % len(names)].item()
            if options["pos_label"] not in {*true.tolist(), *predicted.tolist()}:
                continue  # scikit-learn takes any label for 1 if all items are of one class
        elif k >= 6 and len({*true.tolist(), *predicted.tolist()}) > 1:
            number = int(rng.integers(1, len(names) + 1))
            options["labels"] = rng.permutation(names)[:number].tolist()
        what = (metric, true.tolist(), predicted.tolist(), options)
        if average != "binary" and len({*true.tolist(), *predicted.tolist()}) == 1:
            continue  # f1ci needs two classes for an average
        expected = outcome(score, true, predicted, **options, **more)
        assert_same(outcome(ours, true, predicted, metric, **options), expected, what)


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("metric", WHOLE)
def test_scores_of_all_classes(kind, metric):
    """Four questions each: 72."""
    rng = np.random.default_rng(len(kind) + len(metric))
    for _ in range(4):
        true, predicted, _ = random_labels(rng, kind)
        if len({*true.tolist()}) < 2 or len({*predicted.tolist()}) < 2:
            continue
        expected = outcome(WHOLE[metric], true, predicted)
        found = outcome(ours, true, predicted, metric)
        assert_same(found, expected, (metric, true.tolist(), predicted.tolist()))


@pytest.mark.parametrize("metric", AVERAGED)
def test_indicators(metric):
    """Ten questions each: 60."""
    rng = np.random.default_rng(len(metric))
    score, more = AVERAGED[metric]
    for k in range(10):
        true, predicted = (rng.random((2, 12, 3)) < [0.5, 0.3, 0.1]).astype(int)
        average = ("micro", "macro", "weighted", None, "samples")[k % 5]
        options = {"average": average, "zero_division": (0, 1)[k % 2]}
        if k >= 5 and average != "samples":
            options["labels"] = [2, 0]
        expected = outcome(score, true, predicted, **options, **more)
        found = outcome(ours, true, predicted, metric, **options)
        assert_same(found, expected, (metric, true.tolist(), predicted.tolist(), options))


def test_both_refuse():
    three = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    two = [0, 1, 1], [0, 1, 0]
    for arguments, options in (
        (three, {}),
        (two, {"pos_label": 2}),
        (two, {"average": "samples"}),
        (([[0, 1], [1, 0]], [[0, 1], [1, 1]]), {}),
        (([0, 1], [0, 1, 1]), {}),
        (([0.3, 0.7], [0, 1]), {}),
    ):
        assert outcome(sk.f1_score, *arguments, **options) == "refused"
        assert outcome(f1ci.score_interval, *arguments, **options) == "refused"
