"""The same question has the same answer through every door, or the same refusal.

Two thousand random tables: labels that only one model predicts, classes that nobody has, one class
alone, ties. The doors are compared with one another; tests elsewhere compare the answers with
other sources.
"""

import warnings

import numpy as np
import pytest

import f1ci

ENDS = ("estimate", "low", "high", "standard_error")
F_SCORES = ("f1", "precision", "recall")
OF_CLASSES = (
    *(f"{average}_{name}" for average in ("micro", "macro", "weighted") for name in F_SCORES),
    *("macro_f1_star", "balanced_accuracy", "accuracy", "mcc", "kappa", "quadratic_kappa"),
    *("macro_jaccard", "macro_f2", "weighted_specificity"),
)
OF_TWO = ("f1", "precision", "recall", "jaccard", "f2", "specificity", "lift", "correlation")


def random_labels(rng):
    """Truth and two predictions; B may predict a class that nobody else has."""
    r = int(rng.integers(1, 6))
    n = int(rng.integers(2, 41))
    shares = rng.dirichlet(np.full(r, 0.7))
    y = rng.choice(r, n, p=shares)
    models = []
    for _ in range(2):
        right = rng.random(n) < rng.choice([0.0, 0.3, 0.8, 1.0])
        models.append(np.where(right, y, rng.choice(r, n)))
    a, b = models
    if rng.random() < 0.3:
        b[rng.integers(n)] = rng.choice([-1, r])
    a[0] = b[0] = y[0]  # truth and predictions share a label
    return y, a, b


def answer(door, *arguments, **options):
    """Return the numbers of an interval, or the type of the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        try:
            interval = door(*arguments, **options)
        except (ValueError, TypeError) as error:
            return type(error)
    return np.array([getattr(interval, name) for name in ENDS])


def assert_same(found, expected, what):
    """Compare two answers."""
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected, what
        return
    finite = np.nan_to_num([found, expected], nan=-99.0, posinf=99.0)
    np.testing.assert_allclose(*finite, rtol=1e-12, atol=1e-12, err_msg=str(what))


def report_number(door, *arguments, row, name, **options):
    """Return one interval of a report."""
    return door(*arguments, **options).averages[row][name]


def questions(rng, number):
    """Draw labels, a metric and options."""
    for k in range(number):
        y, a, b = random_labels(rng)
        metric = str(rng.choice(OF_CLASSES))
        options = {
            "method": ("delta", "logit")[k % 2] if k % 10 else None,
            "confidence_level": float(rng.choice([0.5, 0.9, 0.95])),
        }
        if options["method"] is None and metric == "quadratic_kappa":
            metric = "macro_f1"
        constant = float(rng.choice([np.nan, np.nan, 0.0, 1.0]))
        yield y, a, b, metric, constant, options


@pytest.mark.parametrize("seed", range(8))
def test_averages_and_agreement(seed):
    """200 tables a seed: one model by labels, matrix and report; two models in each comparison."""
    rng = np.random.default_rng(seed)
    for k, (y, a, b, metric, constant, options) in enumerate(questions(rng, 200)):
        what = (y.tolist(), a.tolist(), b.tolist(), metric, constant, options)
        rule = {"zero_division": constant}
        alone = answer(f1ci.score_interval, y, a, metric, **rule, **options)
        # 1. The confusion matrix, and the reports. A matrix knows of no rule but the default.
        matrix = f1ci.confusion_matrix(y, a)
        if np.isnan(constant):
            assert_same(answer(f1ci.metric_interval, matrix, metric, **options), alone, what)
        average, _, name = metric.partition("_")
        row = "accuracy" if metric == "accuracy" else f"{average} avg"
        name = "accuracy" if metric == "accuracy" else name
        if (name in F_SCORES and average != "micro") or metric == "accuracy":
            asked = {"row": row, "name": name, **rule, **options}
            found = answer(report_number, f1ci.classification_report, y, a, **asked)
            assert_same(found, alone, what)
            found = answer(report_number, f1ci.matrix_report, matrix, **asked)
            assert_same(found, alone, what)
        if average in ("micro", "macro", "weighted") and name in ("f1", "f2"):
            beta = 2.0 if name == "f2" else 1.0
            door = f1ci.f1_score_interval
            found = answer(door, y, a, average=average, beta=beta, **rule, **options)
            assert_same(found, alone, what)
        if k % 10 == 0 and k % 40:
            continue
        # 2. Two models. Both have the scores that they have alone.
        other = answer(f1ci.score_interval, y, b, metric, **rule, **options)
        if isinstance(alone, type) or isinstance(other, type):
            continue
        found = answer(f1ci.difference_interval, y, a, b, metric, **rule, **options)
        assert_same(found[:1], other[:1] - alone[:1], what)
        both = {"a": a, "b": b}
        models = f1ci.compare_models
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            singles = models(y, both, metric, **rule, **options).intervals
            joint = f1ci.joint_intervals(y, both, metric, **rule, **options)
        for name_of_model, one in (("a", alone), ("b", other)):
            single = [getattr(singles[name_of_model], end) for end in ENDS]
            assert_same(np.array(single), one, what)
        variance = np.array([-1.0, 1.0]) @ joint.covariance @ [-1.0, 1.0]
        assert_same(np.array([variance]), found[3:] ** 2, what)
        assert_same(joint.estimate, np.array([alone[0], other[0]]), what)
        if options["method"] == "logit" or joint.methods[0] == "score":
            assert_same(joint.individual_low, np.array([alone[1], other[1]]), what)
            assert_same(joint.individual_high, np.array([alone[2], other[2]]), what)


@pytest.mark.parametrize("seed", range(2))
def test_one_class_against_the_rest(seed):
    """200 tables a seed: counts, matrices, labels, units, both comparisons."""
    rng = np.random.default_rng(100 + seed)
    for k in range(200):
        y, a, b = (np.minimum(np.maximum(x, 0), 1) for x in random_labels(rng))
        metric = str(rng.choice(OF_TWO))
        options = {"method": (None, "delta", "logit")[k % 3], "confidence_level": 0.9}
        what = (y.tolist(), a.tolist(), b.tolist(), metric, options)
        alone = answer(f1ci.score_interval, y, a, metric, **options)
        other = answer(f1ci.score_interval, y, b, metric, **options)
        matrix = f1ci.confusion_matrix(y, a, labels=[0, 1])
        assert_same(answer(f1ci.metric_interval, matrix, metric, **options), alone, what)
        flags = answer(f1ci.score_interval, y == 1, a == 1, metric, pos_label=True, **options)
        assert_same(flags, alone, what)
        if metric in ("f1", "f2"):
            beta = 2.0 if metric == "f2" else 1.0
            found = answer(f1ci.f1_score_interval, y, a, beta=beta, **options)
            assert_same(found, alone, what)
        if metric == "f1":
            tp, fp, fn, _ = f1ci.binary_counts(y, a)
            assert_same(answer(f1ci.f1_interval, tp, fp, fn, **options), alone, what)
        if metric in F_SCORES and len({*y, *a}) == 2:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", f1ci.IntervalWarning)
                report = f1ci.classification_report(y, a, **options).by_class[metric]
            found = np.array([getattr(report, end)[1] for end in ENDS])
            assert_same(found, alone, what)
        found = answer(f1ci.difference_interval, y, a, b, metric, **options)
        assert_same(found[:1], other[:1] - alone[:1], what)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            singles = f1ci.compare_models(y, {"a": a, "b": b}, metric, **options).intervals
        for name, one in (("a", alone), ("b", other)):
            found = np.array([getattr(singles[name], end) for end in ENDS])
            assert_same(found, one, what)
