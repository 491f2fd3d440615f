"""What holds for every question, whatever the data: the campaign that outsiders run, in small.

Random labels of two models and random options; every invariant is asked of each draw. `make test`
asks a few hundred draws, with ``HYPOTHESIS_PROFILE=free`` ten thousand. Junk in place of arguments
is passed in test_public_face.py. Tests elsewhere compare the answers with other sources.
"""

import itertools
import os
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from examples import ask, labels_of, noisy, numbers, quiet

import f1ci

F_SCORES = ("f1", "precision", "recall")
OF_TWO = (*F_SCORES, "jaccard", "f2", "specificity", "lift", "correlation", "npv", "f0.5")
OF_CLASSES = (
    *(f"{average}_{name}" for average in ("micro", "macro", "weighted") for name in F_SCORES),
    *("macro_f1_star", "balanced_accuracy", "accuracy", "mcc", "kappa", "quadratic_kappa"),
    *("macro_jaccard", "macro_f2", "weighted_specificity"),
)
# These depend on the order of the classes, or may have several local extremes, and the search for
# a limit finds one of them ("Limits widen with the level" in score-intervals counts how often).
ORDERED = ("linear_kappa", "quadratic_kappa")
SEVERAL_EXTREMES = (*ORDERED, "kappa", "mcc")
# The default is slow for averages: two questions of five.
METHODS_OF_CLASSES = (None, None, "delta", "logit", "logit")
METHODS_OF_TWO = (None, "delta", "logit", "cautious", "wilson_direct", "blur", "clopper_pearson")
SYMMETRIC = ("delta", "blur")  # these leave the range and have the length zero at times
LEVELS = (0.5, 0.9, 0.99)
# The search for a limit ends within 1e-7 of the way to it; sums are rounded.
SEARCH, ROUNDING = 1e-6, 1e-9


class Draw(NamedTuple):
    """Labels of two models, a metric, and options of the data and of the questions."""

    true: Any
    a: Any
    b: Any
    metric: str
    data: dict[str, Any]
    how: dict[str, Any]

    @property
    def options(self):
        return self.data | self.how

    @property
    def several(self):
        """The limits are one of several local extremes, as a search finds it."""
        return self.metric in SEVERAL_EXTREMES and self.how["method"] is None

    @property
    def grouped(self):
        return "groups" in self.data

    @property
    def plain(self):
        """Nothing but labels: what a matrix knows too.

        The rows of a matrix are classes that exist, so that the limits of its averages allow for
        those without a score; of labels an average leaves these out.
        """
        classes = {*self.true, *self.a}
        whole = len(getattr(self.one(), "over", None) or classes) == len(classes)
        if self.metric == "macro_f1_star":  # leaves out a precision or a recall alone
            whole = {*self.true} == {*self.a}
        return whole and not self.data.keys() - {"zero_division"}

    def one(self, **more):
        """The interval of model A, or the type of the refusal."""
        return answer(f1ci.score_interval, self.true, self.a, self.metric, **self.options | more)

    def labels(self, a="a", b="b"):
        """The kind of data that both models are."""
        return f1ci.Labels(self.true, {a: self.a, b: self.b}, **self.data)


def answer(door, *arguments, **options):
    """An answer, or the type of the refusal."""
    try:
        return quiet(door, *arguments, **options)
    except (ValueError, TypeError) as error:
        if "read-only" in str(error):  # the arrays of a draw must not be changed
            raise
        return type(error)


def refuses(found):
    return isinstance(found, type)


def same(found, expected, draw, tolerance=1e-12):
    """Compare two answers, or two arrays: numbers to a tolerance, refusals by their type."""
    if refuses(expected) or refuses(found):
        assert found is expected, draw
        return
    pair = [x if isinstance(x, np.ndarray | float) else numbers(x) for x in (found, expected)]
    finite = np.nan_to_num(pair, nan=-99.0, posinf=99.0)
    np.testing.assert_allclose(*finite, rtol=tolerance, atol=tolerance, err_msg=str(draw))


def draws(seed, number):
    """Draw labels, a metric and options. Who writes to an array that is read-only gets an error."""
    rng = np.random.default_rng(seed)
    for k in range(number):
        binary = k % 2 == 1
        r = 2 if binary else int(rng.integers(1, 6))
        n = int(rng.integers(2, 41))
        true = rng.choice(r, n, p=rng.dirichlet(np.full(r, 0.7)))
        a, b = (noisy(rng, true, rng.choice([0.0, 0.3, 0.8, 1.0]), r) for _ in range(2))
        if not binary and rng.random() < 0.3:
            b[rng.integers(n)] = rng.choice([-1, r])  # a class that nobody else has
        a[0] = b[0] = true[0]  # truth and predictions share a label
        of = rng.choice(["nothing", "nothing", "groups", "class_shares", "strata"])
        data = {} if binary else {"zero_division": rng.choice([np.nan, np.nan, 0.0, 1.0])}
        if of == "groups":
            data["groups"] = np.array([0, 1, *rng.integers(0, 5, n - 2)])
        elif of == "class_shares":
            classes = np.unique(true)
            shares = rng.dirichlet(np.full(len(classes), 2.0))
            data["class_shares"] = dict(zip(classes.tolist(), shares.tolist(), strict=True))
        elif of == "strata":
            data["strata"] = np.arange(n) % 2
            data["stratum_shares"] = {0: 0.3, 1: 0.7}
        metric = str(rng.choice(OF_TWO if binary else OF_CLASSES))
        methods = METHODS_OF_TWO if binary else METHODS_OF_CLASSES
        how = {"method": methods[k // 2 % len(methods)], "confidence_level": rng.choice(LEVELS)}
        for array in (true, a, b, data.get("groups"), data.get("strata")):
            if array is not None:
                array.setflags(write=False)
        yield Draw(true, a, b, metric, data, how)


# One model


def check_order(draw):
    """Limits are around the estimate, in the range, of some length, and widen with the level.

    A one-sided limit is the limit of the two-sided interval that misses as often on that side.
    """
    found = [draw.one(confidence_level=level) for level in LEVELS]
    if refuses(found[0]) or np.isnan(found[0].estimate):
        return
    least, largest = f1ci.metrics.get(draw.metric).range
    for interval in found:
        assert interval.low <= interval.estimate + 1e-15, draw
        assert interval.estimate - 1e-15 <= interval.high, draw
        if draw.how["method"] not in SYMMETRIC:
            assert least <= interval.low, draw
            assert interval.high <= largest, draw
            single = len({*draw.true}) == 1  # of one true class kappa is 0 whatever happens
            assert interval.length > 0.0 or (single and draw.metric in SEVERAL_EXTREMES), draw
    for narrow, wide in itertools.pairwise(found):
        assert draw.several or wide.low <= narrow.low + ROUNDING, draw
        assert draw.several or wide.high >= narrow.high - ROUNDING, draw
    if draw.how["method"] != "blur":  # whose error depends on the level
        at_least = draw.one(confidence_level=0.95, alternative="greater")
        at_most = draw.one(confidence_level=0.95, alternative="less")
        ends = np.array([at_least.low, at_most.high])
        same(ends, np.array([*found[1]]), draw, ROUNDING)


def check_order_of_items_and_classes(draw):
    expected = draw.one()
    order = np.random.default_rng(len(draw.true)).permutation(len(draw.true))
    of_items = {k: x[order] if isinstance(x, np.ndarray) else x for k, x in draw.data.items()}
    true, a = draw.true[order], draw.a[order]
    moved = draw._replace(true=true, a=a, data=of_items)
    same(moved.one(), expected, draw, SEARCH)
    if not f1ci.metrics.get(draw.metric).binary:
        names = np.array([*"zyxwvut"])  # in another order, for the labels -1 to 5
        data = dict(draw.data)
        if "class_shares" in data:
            data["class_shares"] = {names[k + 1]: x for k, x in data["class_shares"].items()}
        named = draw._replace(true=names[draw.true + 1], a=names[draw.a + 1], data=data)
        if draw.metric not in ORDERED and not draw.several:
            same(named.one(), expected, draw, SEARCH)


def number_of_report(door, *arguments, row, name, **options):
    """One interval of a report: an average, or the second class."""
    report = door(*arguments, **options)
    if row is not None:
        return report.averages[row][name]
    of = report.by_class[name]
    return f1ci.Interval(of.estimate[1], of.low[1], of.high[1], of.standard_error[1], 0, "", "")


def doors_of_reports(draw):
    """The reports of labels and of a matrix, which has no groups."""
    average, _, name = draw.metric.partition("_")
    asked = {"row": f"{average} avg", "name": name}
    if draw.metric == "accuracy":
        asked = {"row": "accuracy", "name": "accuracy"}
    elif name not in F_SCORES or average == "micro":
        return
    report = f1ci.classification_report
    yield partial(number_of_report, report, draw.true, draw.a, **asked, **draw.options)
    if draw.plain:
        matrix = f1ci.confusion_matrix(draw.true, draw.a)
        report = partial(ask, f1ci.Matrix, "report", (matrix,))
        yield partial(number_of_report, report, **asked, **draw.options)


def doors_of_classes(draw):
    """Other doors for an average or a measure of agreement."""
    matrix = f1ci.confusion_matrix(draw.true, draw.a)
    if draw.plain and np.isnan(draw.data["zero_division"]):
        yield partial(ask, f1ci.Matrix, "interval", (matrix,), draw.metric, **draw.how)
    average, _, name = draw.metric.partition("_")
    if average in ("micro", "macro", "weighted") and name in ("f1", "f2"):
        options = draw.options | {"average": average, "beta": float(name[1])}
        if draw.plain or draw.grouped:
            yield partial(f1ci.f1_score_interval, draw.true, draw.a, **options)
    if len(matrix) > 1:
        yield from doors_of_reports(draw)


def counts_by_group(true, predicted, groups):
    """TP, FP and FN of each group."""
    groups = np.unique(groups, return_inverse=True)[1]
    cells = [true & predicted, ~true & predicted, true & ~predicted]
    return np.transpose([np.bincount(groups, cell) for cell in cells]).astype(int)


def doors_of_two(draw):
    """Other doors for one class against the rest: labels of other types, counts, a matrix."""
    true, a, _, metric, data, how = draw
    flags = true == 1, a == 1
    if "class_shares" not in data:
        yield partial(f1ci.score_interval, *flags, metric, pos_label=True, **draw.options)
        text = np.array(["ham", "spam"])
        of_text = text[true], text[a]
        yield partial(f1ci.score_interval, *of_text, metric, pos_label="spam", **draw.options)
    if metric in ("f1", "f2") and (draw.plain or draw.grouped):
        yield partial(f1ci.f1_score_interval, true, a, beta=float(metric[1]), **draw.options)
    if draw.grouped and metric in (*F_SCORES, "jaccard", "f2", "f0.5"):
        counts = counts_by_group(*flags, data["groups"])
        yield partial(ask, f1ci.Units, "interval", (counts,), metric, **how)
    if draw.plain:
        matrix = f1ci.confusion_matrix(true, a, labels=[0, 1])
        yield partial(ask, f1ci.Matrix, "interval", (matrix,), metric, **how)
        if metric == "f1":
            yield partial(f1ci.f1_interval, *f1ci.binary_counts(true, a)[:3], **how)
        if metric in F_SCORES and len({*true, *a}) == 2 and how["method"] in (None, "delta"):
            report = f1ci.classification_report
            yield partial(number_of_report, report, true, a, row=None, name=metric, **how)


def check_doors(draw):
    """Labels, counts, matrices, units and reports have one answer, or the same refusal."""
    expected = draw.one()
    doors = doors_of_two if draw.metric in OF_TWO else doors_of_classes
    for door in doors(draw):
        same(answer(door), expected, draw, SEARCH if "labels" not in draw.data else 1e-12)


def check_batch(draw):
    """A matrix has the limits that it has in a batch."""
    if draw.plain:
        size = 2 if draw.metric in OF_TWO else 6
        matrix = f1ci.confusion_matrix(draw.true, draw.a, labels=range(size))
        other = np.ones_like(matrix) + np.diag(np.arange(size))
        options = {"zero_division": draw.data.get("zero_division", np.nan), **draw.how}
        of = partial(ask, f1ci.Matrix, "interval", metric=draw.metric, **options)
        batch, alone = (answer(of, (x,)) for x in (np.stack([matrix, other]), matrix))
        if not refuses(batch):
            same(numbers(batch)[:, 0], numbers(alone), draw, ROUNDING)


# Two models


def check_two(draw):
    """Both models have the scores that they have alone; swapped, the difference is mirrored."""
    first, second = draw.one(), draw._replace(a=draw.b).one()
    found = answer(draw.labels().difference, draw.metric, **draw.how)
    if refuses(first) or refuses(second) or refuses(found):
        return
    same(found.estimate, second.estimate - first.estimate, draw)
    swapped = {"b": draw.b, "a": draw.a}
    swapped = quiet(f1ci.compare_models, draw.true, swapped, draw.metric, **draw.options)
    same(swapped.intervals["a"], first, draw, SEARCH)
    same(swapped.intervals["b"], second, draw, SEARCH)
    there, back = found, swapped.tests["b", "a"]
    mirrored = [-there.interval.high, -there.interval.low, there.p_value]
    if not draw.several:
        same(np.array([*back.interval, back.p_value]), np.array(mirrored), draw, SEARCH)
    if draw.how["method"] != "blur":
        ends = [
            quiet(draw.labels().difference, draw.metric, **draw.how, alternative=side).interval
            for side in ("greater", "less")
            if draw.how["confidence_level"] > 0.5
        ]
        wider = {**draw.how, "confidence_level": 2 * draw.how["confidence_level"] - 1}
        if ends:
            both = quiet(draw.labels().difference, draw.metric, **wider).interval
            same(np.array([ends[0].low, ends[1].high]), np.array([*both]), draw, ROUNDING)
    copies = answer(draw._replace(b=draw.a).labels().difference, draw.metric, **draw.how)
    assert copies.p_value == 1.0 or np.isnan(copies.p_value), draw
    if draw.grouped and draw.metric in F_SCORES:
        counts = [
            counts_by_group(draw.true == 1, x == 1, draw.data["groups"]) for x in (draw.a, draw.b)
        ]
        of_units = f1ci.Units(dict(zip("ab", counts, strict=True)))
        same(answer(of_units.difference, draw.metric, **draw.how), found, draw)


def check_joint(draw):
    """The rows of joint intervals, their order, and the variance of the difference."""
    first, second = draw.one(), draw._replace(a=draw.b).one()
    joint = answer(draw.labels().joint, draw.metric, **draw.how)
    if refuses(joint) or refuses(first) or refuses(second):
        return
    same(joint.estimate, np.array([first.estimate, second.estimate]), draw)
    assert joint.methods[0].endswith("+groups") == draw.grouped, draw
    for k in np.flatnonzero(~joint.degenerate & np.isfinite(joint.estimate)):
        ends = joint.low[k], joint.individual_low[k], joint.estimate[k]
        assert list(ends) == sorted(ends) or np.ptp(ends[:2]) < ROUNDING, draw
        ends = joint.estimate[k], joint.individual_high[k], joint.high[k]
        assert list(ends) == sorted(ends) or np.ptp(ends[1:]) < ROUNDING, draw
    if draw.how["method"] == "delta":
        difference = quiet(draw.labels().difference, draw.metric, method="delta").interval
        variance = np.array([-1.0, 1.0]) @ joint.covariance @ [-1.0, 1.0]
        same(variance, difference.standard_error**2, draw)
    if draw.how["method"] == "logit" or joint.methods[0] == "score":
        individual = np.array([joint.individual_low, joint.individual_high])
        same(individual.T, np.array([tuple(first), tuple(second)]), draw, SEARCH)


CHECKS = [
    *(check_order, check_order_of_items_and_classes, check_doors, check_batch, check_two),
    check_joint,
]


def campaign(seed, number):
    state, settings = np.random.get_state()[1].tobytes(), np.geterr()  # noqa: NPY002
    for draw in draws(seed, number):
        options = repr(draw.options)
        for check in CHECKS:
            check(draw)
        assert repr(draw.options) == options, draw
    assert np.random.get_state()[1].tobytes() == state  # noqa: NPY002
    assert np.geterr() == settings


# Each has twenty draws; once a week there are ten thousand.
SEEDS = range(500 if os.environ.get("HYPOTHESIS_PROFILE") == "free" else 12)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_holds_for_every_draw(seed):
    campaign(seed, 20)


# Doors that random draws do not reach


def test_one_sided_limits_of_counts_units_scores_and_runs():
    scores = np.arange(1, 13) / 13
    truth, *runs = np.random.default_rng(7).integers(0, 2, (4, 40))
    for question in (
        partial(f1ci.f1_interval, [7, 40], 4, 1),
        f1ci.Units(np.arange(1, 13).reshape(4, 3)).interval,
        f1ci.Scores(scores).interval,
        f1ci.Scores({"a": scores, "b": scores[::-1]}).difference,
        f1ci.Runs(truth, runs).interval,
    ):
        both, low, high = (
            getattr(found, "interval", found)
            for found in (
                question(confidence_level=0.9),
                question(alternative="greater"),
                question(alternative="less"),
            )
        )
        np.testing.assert_allclose([low.low, high.high], tuple(both), rtol=1e-9)
        np.testing.assert_array_equal(low.high, np.ones_like(both.low))


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_classes_by_group_are_units_with_counts(average):
    true, pred, groups = np.random.default_rng(4).integers(0, 3, (3, 90))
    counts = [counts_by_group(true == k, pred == k, groups) for k in range(3)]
    options = {"average": average, "method": "delta"}
    labels = quiet(f1ci.f1_score_interval, true, pred, groups=groups, **options)
    units = quiet(f1ci.Units(np.stack(counts, axis=1)).interval, "f1", **options)
    np.testing.assert_allclose(numbers(labels), numbers(units), rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", [{"labels": [*"ab"]}, {"labels": [*"abcd"]}])
def test_comparisons_know_labels_and_zero_division(options):
    """The labels are text, and one of them is predicted by one model alone."""
    rng = np.random.default_rng(4)
    names = np.array([*"abc", "n/a"])
    true = rng.integers(0, 3, 200)
    good, stray = noisy(rng, true, 0.8, 3), noisy(rng, true, 0.7, 3)
    stray[7] = 3
    known = options | {"zero_division": 1}
    draw = Draw(names[true], names[stray], names[good], "macro_f1", known, {"method": None})
    check_two(draw._replace(how={"method": None, "confidence_level": 0.95}))
    check_joint(draw)


# Tables in which a limit once stood still, stepped back or had no length


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ([[159, 1], [0, 40]], "lift"),
        ([[5, 1], [0, 1]], "lift"),
        ([[0, 0], [1, 9]], "kappa"),
        *(([[0, 20], [30, 0]], name) for name in ("macro_f1_star", "weighted_f1", "mcc", "f1")),
    ],
)
def test_tables_that_once_failed(table, name):
    true, predicted = labels_of(table)
    draw = Draw(true, predicted, predicted, name, {}, {"method": None})
    check_order(draw)
    assert draw.one().length > 0


def test_differences_of_lift_with_three_groups_have_a_length():
    """They were -0.2 (-0.2 to -0.2)."""
    models = {"A": [1, 1, 0, 1, 1, 1], "B": [1, 0, 0, 0, 1, 1]}
    data = f1ci.Labels([1, 1, 0, 1, 1, 0], models, groups=[0, 2, 2, 0, 1, 2])
    found = quiet(data.difference, "lift").interval
    assert found.low < 0 < found.high


def test_f1_of_mean_precision_and_recall_with_three_groups_widens_with_the_level():
    """The lower limits were 0.107, 0.185 and 0.739."""
    true, a = np.array([[0, 1, 0], [0, 1, 1]])
    check_order(Draw(true, a, a, "macro_f1_star", {"groups": [0, 1, 2]}, {"method": None}))
