"""The same question has the same answer through every door, or the same refusal.

Random tables: labels that only one model predicts, classes that nobody has, one class alone, ties,
items in groups. The doors are compared with one another; tests elsewhere compare the answers with
other sources.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from examples import TOY, ask, noisy, numbers, quiet

import f1ci

F_SCORES = ("f1", "precision", "recall")
OF_CLASSES = (
    *(f"{average}_{name}" for average in ("micro", "macro", "weighted") for name in F_SCORES),
    *("macro_f1_star", "balanced_accuracy", "accuracy", "mcc", "kappa", "quadratic_kappa"),
    *("macro_jaccard", "macro_f2", "weighted_specificity"),
)
OF_TWO = ("f1", "precision", "recall", "jaccard", "f2", "specificity", "lift", "correlation")
# The score method of averages is slow: one question of ten.
METHODS_OF_CLASSES = (None, *("delta", "logit") * 4, "delta")
METHODS_OF_TWO = (
    *(None, "delta", "logit", "score", "cautious", "wilson_direct", "blur"),
    *("wilson_indirect", "clopper_pearson", "wald"),
)


class Question(NamedTuple):
    """Labels of two models, a metric and options."""

    true: Any
    a: Any
    b: Any
    metric: str
    options: dict[str, Any]

    @property
    def groups(self):
        return self.options.get("groups")

    def without(self, *names):
        """The options without some."""
        return {name: value for name, value in self.options.items() if name not in names}

    def alone(self, predicted):
        """The answer of the door that the others are compared with."""
        return answer(f1ci.score_interval, self.true, predicted, self.metric, **self.options)

    def both(self, door, **more):
        """The answer of a door for two models, named "a" and "b"."""
        predictions = {"a": self.a, "b": self.b}
        return quiet(door, self.true, predictions, self.metric, **self.options, **more)


def random_labels(rng):
    """Truth and two predictions; B may predict a class that nobody else has."""
    r = int(rng.integers(1, 6))
    n = int(rng.integers(2, 41))
    true = rng.choice(r, n, p=rng.dirichlet(np.full(r, 0.7)))
    a, b = (noisy(rng, true, rng.choice([0.0, 0.3, 0.8, 1.0]), r) for _ in range(2))
    if rng.random() < 0.3:
        b[rng.integers(n)] = rng.choice([-1, r])
    a[0] = b[0] = true[0]  # truth and predictions share a label
    return true, a, b


def questions(seed, number, binary):
    """Draw labels, a metric and options."""
    rng = np.random.default_rng(seed)
    methods = METHODS_OF_TWO if binary else METHODS_OF_CLASSES
    for k in range(number):
        labels = random_labels(rng)
        options = {"method": methods[k % 10], "confidence_level": rng.choice([0.5, 0.9, 0.95])}
        metric = str(rng.choice(OF_TWO if binary else OF_CLASSES))
        if binary:
            labels = tuple(np.clip(x, 0, 1) for x in labels)
        else:
            options["zero_division"] = rng.choice([np.nan, np.nan, 0.0, 1.0])
        if metric == "quadratic_kappa" and options["method"] is None:
            metric = "macro_f1"
        if rng.random() < 0.25:
            options["groups"] = rng.integers(0, 5, len(labels[0]))
        yield Question(*labels, metric, options)


def answer(door, *arguments, **options):
    """The numbers of an interval, or the type of the exception."""
    try:
        return numbers(quiet(door, *arguments, **options))
    except (ValueError, TypeError) as error:
        return type(error)


def assert_same(found, expected, question, tolerance=1e-12):
    """Compare two answers."""
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected, question
        return
    finite = np.nan_to_num([found, expected], nan=-99.0, posinf=99.0)
    np.testing.assert_allclose(*finite, rtol=tolerance, atol=tolerance, err_msg=str(question))


# One model


def number_of_report(door, *arguments, row, name, **options):
    """One interval of a report: an average, or the second class."""
    report = door(*arguments, **options)
    if row is not None:
        return report.averages[row][name]
    of = report.by_class[name]
    return f1ci.Interval(of.estimate[1], of.low[1], of.high[1], of.standard_error[1], 0, "", "")


def doors_of_reports(question):
    """The reports of labels and of a matrix, which has no groups."""
    average, _, name = question.metric.partition("_")
    asked = {"row": f"{average} avg", "name": name}
    if question.metric == "accuracy":
        asked = {"row": "accuracy", "name": "accuracy"}
    elif name not in F_SCORES or average == "micro":
        return
    yield partial(
        number_of_report,
        f1ci.classification_report,
        question.true,
        question.a,
        **asked,
        **question.options,
    )
    if question.groups is None:
        matrix = f1ci.confusion_matrix(question.true, question.a)
        yield partial(
            number_of_report,
            partial(ask, f1ci.Matrix, "report", (matrix,)),
            **asked,
            **question.options,
        )


def doors_of_classes(question):
    """Other doors for an average or a measure of agreement."""
    matrix = f1ci.confusion_matrix(question.true, question.a)
    if np.isnan(question.options["zero_division"]) and question.groups is None:
        options = question.without("zero_division")
        yield partial(ask, f1ci.Matrix, "interval", (matrix,), question.metric, **options)
    average, _, name = question.metric.partition("_")
    if average in ("micro", "macro", "weighted") and name in ("f1", "f2"):
        options = question.options | {"average": average, "beta": float(name[1])}
        yield partial(f1ci.f1_score_interval, question.true, question.a, **options)
    if len(matrix) > 1:
        yield from doors_of_reports(question)


def counts_by_group(true, predicted, groups):
    """TP, FP and FN of each group."""
    groups = np.unique(groups, return_inverse=True)[1]
    cells = [true & predicted, ~true & predicted, true & ~predicted]
    return np.transpose([np.bincount(groups, cell) for cell in cells]).astype(int)


def doors_of_two(question):
    """Other doors for one class against the rest: labels of other types, counts, a matrix."""
    true, a, _, metric, options = question
    flags = true == 1, a == 1
    yield partial(f1ci.score_interval, *flags, metric, pos_label=True, **options)
    text = np.array(["ham", "spam"])
    yield partial(f1ci.score_interval, text[true], text[a], metric, pos_label="spam", **options)
    if metric in ("f1", "f2"):
        yield partial(f1ci.f1_score_interval, true, a, beta=float(metric[1]), **options)
    if question.groups is None:
        yield from doors_without_groups(question)
    elif metric in (*F_SCORES, "jaccard", "f2"):
        counts = counts_by_group(*flags, question.groups)
        yield partial(ask, f1ci.Units, "interval", (counts,), metric, **question.without("groups"))


def doors_without_groups(question):
    """A matrix, three counts, a row of a report."""
    true, a, _, metric, options = question
    matrix = f1ci.confusion_matrix(true, a, labels=[0, 1])
    yield partial(ask, f1ci.Matrix, "interval", (matrix,), metric, **options)
    if metric == "f1":
        yield partial(f1ci.f1_interval, *f1ci.binary_counts(true, a)[:3], **options)
    if metric in F_SCORES and len({*true, *a}) == 2 and options["method"] in (None, "delta"):
        report = f1ci.classification_report
        yield partial(number_of_report, report, true, a, row=None, name=metric, **options)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("binary", "doors"), [(False, doors_of_classes), (True, doors_of_two)])
def test_one_model(seed, binary, doors):
    """150 tables a seed: labels, counts, matrix, units, reports."""
    for question in questions(seed, 150, binary):
        expected = question.alone(question.a)
        for door in doors(question):
            assert_same(answer(door), expected, question)


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_classes_by_group_are_units_with_counts(average):
    true, pred, groups = np.random.default_rng(4).integers(0, [[3], [3], [6]], (3, 90))
    counts = [counts_by_group(true == k, pred == k, groups) for k in range(3)]
    options = {"average": average, "method": "delta"}
    labels = f1ci.f1_score_interval(true, pred, groups=groups, **options)
    units = ask(f1ci.Units, "interval", (np.stack(counts, axis=1),), "f1", **options)
    np.testing.assert_allclose(numbers(labels), numbers(units), rtol=0, atol=1e-12)


@pytest.mark.parametrize("metric", ["macro_f1", "weighted_f2", "macro_f1_star"])
def test_a_batch_has_the_limits_of_its_matrices(metric):
    """To 1e-9: a table is at rest when no probability moves by 1e-8; in a batch it may go on."""
    rng = np.random.default_rng(7)
    matrices = rng.multinomial(200, rng.dirichlet(np.ones(9)), 4).reshape(-1, 3, 3)
    without_a_class = [[20, 3, 0], [4, 31, 0], [0, 0, 0]]
    matrices = np.stack([*matrices, TOY, without_a_class])
    batch = quiet(ask, f1ci.Matrix, "interval", (matrices,), metric)
    alone = [numbers(quiet(ask, f1ci.Matrix, "interval", (matrix,), metric)) for matrix in matrices]
    np.testing.assert_allclose(numbers(batch).T, alone, rtol=0, atol=1e-9)


# Two models: both have the scores that they have alone


def check_difference(question, first, second):
    """The difference, also of counts by group."""
    true, a, b, metric, options = question
    found = answer(ask, f1ci.Labels, "difference", (true, {"A": a, "B": b}), metric, **options)
    assert_same(found[:1], second[:1] - first[:1], question)
    if question.groups is not None and metric in F_SCORES:
        counts = [counts_by_group(true == 1, x == 1, question.groups) for x in (a, b)]
        of_units = answer(
            ask,
            f1ci.Units,
            "difference",
            (dict(zip("AB", counts, strict=True)),),
            metric,
            **question.without("groups"),
        )
        assert_same(found, of_units, question)
    return found


def check_joint(question, first, second, difference):
    """The rows of joint intervals, and their covariance."""
    predictions = {"a": question.a, "b": question.b}
    data = question.true, predictions
    joint = quiet(ask, f1ci.Labels, "joint", data, question.metric, **question.options)
    assert_same(joint.estimate, np.array([first[0], second[0]]), question)
    if question.groups is None or question.options.get("method") == "delta":
        variance = np.array([-1.0, 1.0]) @ joint.covariance @ [-1.0, 1.0]
        assert_same(np.array([variance]), difference[3:] ** 2, question)
    if question.options.get("method") == "logit" or joint.methods[0] == "score":
        individual = np.array([joint.individual_low, joint.individual_high])
        # A class of the other model is one more empty class; the search for a limit ends within
        # 1e-7 of the way to it.
        assert_same(individual.T, np.array([first[1:3], second[1:3]]), question, 1e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("binary", [False, True])
def test_two_models(seed, binary):
    """60 tables a seed."""
    for question in questions(100 + seed, 60, binary):
        first, second = question.alone(question.a), question.alone(question.b)
        if isinstance(first, type) or isinstance(second, type):
            continue
        if question.options["method"] in METHODS_OF_TWO[4:]:
            continue  # these are for one model
        difference = check_difference(question, first, second)
        models = question.both(f1ci.compare_models).intervals
        assert_same(numbers(models["a"]), first, question)
        assert_same(numbers(models["b"]), second, question)
        if not binary:
            check_joint(question, first, second, difference)


@pytest.mark.parametrize(
    "options", [{"labels": ["a", "b"]}, {"labels": [*"abcd"], "zero_division": 1}]
)
def test_comparisons_know_labels_and_zero_division(options):
    """The labels are text, one of them is predicted by one model alone."""
    rng = np.random.default_rng(4)
    names = np.array([*"abc", "n/a"])
    true = rng.integers(0, 3, 200)
    good, stray = noisy(rng, true, 0.8, 3), noisy(rng, true, 0.7, 3)
    stray[7] = 3
    question = Question(names[true], names[stray], names[good], "macro_f1", options)
    first, second = question.alone(question.a), question.alone(question.b)
    difference = check_difference(question, first, second)
    assert np.isfinite(difference).all()
    check_joint(question, first, second, difference)
    data = question.true, {"A": question.a, "B": question.b}
    test = ask(f1ci.Labels, "difference", data, question.metric, **options)
    assert test.estimate == pytest.approx(difference[0], abs=1e-14)
    assert 0.0 < test.p_value < 1.0
