"""What each public function refuses: an error whose sentence quotes the value.

test_mistakes.py has what people pass by mistake, with the hint that each mistake needs.
"""

from functools import partial

import numpy as np
import pytest
from examples import DOCUMENTS, TOY, ask

import f1ci
from f1ci import coverage, metrics
from f1ci.metrics import BinaryMetric, MatrixMetric, fbeta, tversky

NAN = float("nan")
TRUE = [0, 1, 1, 0, 1, 0]
PRED = [0, 1, 0, 0, 1, 1]
B = [[702, 44], [10, 77]]
FLAGS = [[1, 0], [0, 1], [1, 1]]
FOLDS = np.ones((3, 2, 3))
PAIR = f1ci.posterior([7, 8], 3, 2)


counts = f1ci.f1_interval
score = partial(f1ci.f1_score_interval, TRUE, PRED)
COUNTS = [
    (partial(counts, 2**51, 2, 3), "tp must be a whole number .*, got 2251799813685248"),
    (partial(counts, True, 2, 3), "tp must be numeric, got True"),
    (partial(counts, [[1], [2, 3]], 2, 3), "tp must be a regular array"),
    (partial(counts, [1, 2], [1, 2, 3], 0), r"fit together, got \(2,\), \(3,\), \(\)"),
    (lambda: "x" in counts(7, 2, 1), "a value must be numeric, got 'x'"),
]
OPTIONS = [
    (partial(score, method=["wald"]), r"method must be one of 'score', .*, got \['wald'\]"),
    (partial(score, method="blur", groups=TRUE), "for 'f1' of items in groups, got 'blur'"),
    (
        partial(score, method="cautious", average="macro", groups=TRUE),
        "one of 'score', 'logit', 'delta' for 'macro_f1' of items in groups, got 'cautious'",
    ),
]


def units(counts, *arguments, **options):
    return ask(f1ci.Units, "interval", (counts,), *arguments, **options)


UNITS = [
    (partial(units, [1, 2, 3]), r"shape \(units, 3\) or .*, got shape \(3,\)"),
    (partial(units, [[1, 2, 3]]), "at least two units, got 1"),
    (partial(units, DOCUMENTS, "accuracy"), "got 'accuracy'"),
    (
        partial(units, DOCUMENTS, average="macro"),
        r"'macro_f1' needs counts by class, .* got shape \(8, 3\)",
    ),
    (
        partial(ask, f1ci.Units, "difference", ({"A": DOCUMENTS, "B": DOCUMENTS[1:]},)),
        r"got shape \(7, 3\)",
    ),
]

means = f1ci.mean_interval


def runs(predictions, **options):
    return ask(f1ci.Runs, "interval", ([0, 1, 1, 0], predictions), **options)


MEANS_AND_RUNS = [
    (partial(means, [91.0, 84.0]), r"between 0 and 1 \(divide percentages by 100\), got 91.0"),
    (partial(means, np.ma.array([0.5, 0.6], mask=[0, 1])), "must not hold masked entries, got"),
    (partial(means, [0.5, NAN]), "two units with a score in scores, got 1"),
    (partial(means, [[0.5, 0.2]]), r"shape \(units,\), got shape \(1, 2\)"),
    (partial(means, [0.9, 0.8], empty=0.5), r"empty must be 'skip', 0 or 1, got 0\.5"),
    (partial(means, [0.5, 0.6, NAN], groups=[1, 1, 2]), "two groups with a score in scores, got 1"),
    (
        partial(ask, f1ci.Scores, "difference", ({"A": [0.1] * 8, "B": [0.1] * 7},)),
        r"scores\['B'\] must have shape \(8,\), got",
    ),
    (partial(runs, [[0, 1, 1, 0]]), "at least two runs, got 1"),
    (partial(runs, [0, 1, 1, 0]), r"predictions\[0\] must be a sequence of labels, got the int"),
    (partial(runs, [[0, 1, 1, 0], [0, 1, 1]]), r"predictions\[1\] must have 4 labels"),
    (partial(runs, [TRUE[:4]] * 2, average=None), "one mean score: name an average, .* got None"),
    (
        partial(ask, f1ci.Runs, "difference", ([0, 1], {"A": [[0, 1]] * 2, "B": [[0, 1]]})),
        r"predictions\['B'\], .* at least two runs, got 1",
    ),
]


def difference(y_true, a, b, metric):
    return ask(f1ci.Labels, "difference", (y_true, {"A": a, "B": b}), metric)


two = partial(ask, f1ci.Labels, "difference", ([0, 1, 1], {"A": [0, 1, 0], "B": [1, 1, 0]}))
COMPARISONS = [
    (partial(difference, TRUE, PRED, [0, 1], "f1"), r"\['B'\] must have 6 labels, .*, got 2"),
    (partial(difference, [1], [1], [1], "f1"), "two items, got 1"),
    (
        partial(ask, f1ci.Matrix, "difference", ({"A": B, "B": [B, B]},)),
        r"not of batches, got .* shape \(2,\)",
    ),
    (partial(two, test="mcnemar"), "test must be one of 'exact', 'randomisation', got 'mcnemar'"),
    (partial(two, "correlation", test="exact"), "must be one of 'randomisation', got 'exact'"),
    (partial(two, groups=[1, 1, 2], test="exact"), "must be one of 'randomisation', got 'exact'"),
    (partial(two, test="exact", margin=0.1), "neither margin nor alternative, got margin=0.1"),
    (partial(two, test="exact", alternative="less"), "and alternative='less'"),
    (
        partial(
            ask, f1ci.Scores, "difference", ({"A": [0.1, 0.2], "B": [0.3, 0.3]},), test="exact"
        ),
        "swaps predictions of items, and needs Labels .* got 'exact'",
    ),
    (partial(two, replicates=0), "replicates must lie between 1 and .* got 0"),
]


def joint(predictions, metrics, **options):
    return ask(f1ci.Labels, "joint", (TRUE, predictions), metrics, method="score", **options)


JOINT = [
    (partial(joint, {"a": PRED, "b": [1]}, "f1"), r"predictions\['b'\] must have .* got 1"),
    (partial(joint, {"1": PRED, 1: TRUE}, "f1"), "must be distinct, got '1' twice"),
    (partial(joint, {}, "f1"), "names of models must not be empty"),
    (partial(joint, {"a": PRED}, []), "metrics must not be empty"),
    (partial(joint, {"a": PRED}, ["f1", fbeta(1)]), "metrics must be distinct, got 'f1' twice"),
    (partial(joint, {"a": [0, 1, 2, 0, 1, 1]}, ["f1", "macro_f1"]), "two classes, got 3"),
    (partial(joint, {"a": PRED}, "overlap"), "'blur' for joint .* 'overlap', got 'score'"),
    (partial(joint, {"a": PRED}, "f1", groups=TRUE), "'logit', 'delta' for items in groups, got"),
]

quantile = f1ci.equicoordinate_quantile
QUANTILES = [
    (partial(quantile, [[1.0, 0.2], [0.3, 1.0]]), "be symmetric, .* got 0.2"),
    (partial(quantile, [[1.0, 0.2], [0.2, 0.9]]), "diagonal of ones, got 0.9"),
    (partial(quantile, [[1.0, 1.2], [1.2, 1.0]]), "from -1 to 1, .* got 1.2"),
    (partial(quantile, np.ones((2, 3))), r"shape \(..., k, k\), got shape \(2, 3\)"),
    (partial(quantile, np.eye(3) * 1.6 - 0.6), "positive semidefinite, got eigenvalue -0.2"),
    (partial(quantile, np.eye(201)), "at most 200 variables, got 201"),
    (partial(quantile, np.eye(3), 0.49), "at least 0.5 for three or more variables, got 0.49"),
    (partial(quantile, np.eye(3), accuracy=0), "accuracy must be a finite number above 0, got 0"),
]

report = f1ci.classification_report
REPORTS = [
    (partial(report, TRUE, PRED, method="blur"), "method must be one of 'score', .*, got 'blur'"),
    (partial(ask, f1ci.Matrix, "report", (np.zeros((3, 3), int),)), "at least one item, got"),
    (partial(f1ci.plot.forest, [1, 2]), r"intervals cannot be drawn, got \[1, 2\]"),
    (partial(f1ci.plot.difference, 1), "test must be a DifferenceTest, got 1"),
]

size = f1ci.sample_size
PLAN = {"difference": 0.1, "disagreement": (0.1, 0.1), "score": 0.8, "prevalence": 0.3}


def plan(**options):
    return partial(f1ci.comparison_sample_size, **(PLAN | options))


def pilot(y_pred, **options):
    return ask(f1ci.Labels, "plan", ([0, 1] * 9, y_pred), **options)


PLANS = [
    (partial(size, half_width=2), r"half_width must lie in \(0, 1\], got 2"),
    (partial(size, half_width=True), "half_width must be numeric, got True"),
    (partial(size, half_width=0.1, prevalence=61.5), "prevalence .* got 61.5"),
    (partial(size, half_width=1e-200), r"2\*\*50 items, but the plan asks for inf"),
    (partial(size, "accuracy", half_width=0.1), "Tversky.*got 'accuracy'"),
    (partial(size, "precision", half_width=0.1), "b > 0, got 'precision'.* b = 0"),
    (plan(disagreement=0.1), r"disagreement must have shape \(2,\): .*, got shape \(\)"),
    (plan(disagreement=(0.1, 2)), "disagreement must lie between 0 and 1, got 2"),
    (plan(disagreement=(0.4, 0.1)), "within the shares of positives and negatives, 0.3 and 0.7"),
    # A positive is worth .6 / .3 and a negative .4 / .3 here: .001 of each makes 1/300.
    (
        plan(difference=0.5, disagreement=(0.001, 0.001)),
        r"difference must be at most 0.00333, .*disagreement=\(0.001, 0.001\), got 0.5",
    ),
    (plan(power=1.2), r"power must .* lie strictly between 0 and 1, got 1\.2"),
    (plan(score=0), r"score must lie in \(0, 1\], got 0"),
    (partial(pilot, [0, 1] * 9, half_width=0.1), "right and wrong predictions for a plan, got a"),
    (partial(pilot, [1, 0] * 9, half_width=0), "half_width must be a finite number above 0, got 0"),
]

folds = f1ci.bcv_partitions
posterior = f1ci.posterior
FOLDS_AND_POSTERIORS = [
    (partial(folds, 3), "n must be at least 4, the number of blocks for rep.*=3, got 3"),
    (partial(folds, True), "n must be an integer, got True"),
    (partial(folds, 8, stratify=[0, 1] * 3), "stratify must have 8 labels, .*, got 6"),
    (partial(folds, 4, stratify=[0.0, 0.0, NAN, 0.0]), "missing labels, got nan"),
    (partial(f1ci.effective_counts, FOLDS[0]), r"folds must .* shape \(2, 3\)"),
    (partial(f1ci.effective_counts, FOLDS, rho1=-0.1), "rho1 must .*, got -0.1"),
    (partial(posterior, -1, 2, 3), "tp must be finite .*, got -1"),
    (partial(posterior, 1, 2, "3"), "fn must be numeric, got '3'"),
    (partial(posterior, 1, 2, 3, prior=0), "prior must be .* above 0, got 0"),
    (partial(PAIR.ppf, 1.5), "q must lie between 0 and 1, got 1.5"),
    (partial(f1ci.bayes_test, FOLDS, FOLDS[:2]), r"folds_b must .*, got shape \(2, 2, 3\)"),
    (partial(f1ci.bayes_test, FOLDS, FOLDS, rope=-0.01), "rope must .*, got -0.01"),
]

HALVES = (0.5, 0.5, 0, 0)
exact, simulate = coverage.exact, partial(coverage.simulate, 5)


def tables(*arguments):
    """A generator does nothing before it is asked."""
    return lambda: next(coverage.tables(*arguments))


def two_intervals(cells):
    return np.zeros((len(cells), 2)), np.ones((len(cells), 2))


COVERAGE = [
    (tables(2**60, HALVES), "n must lie between 1 and 1000000000, got 11529"),
    (tables(10**9, [0.5, 0.5]), r"about 1e\+09 tables .*, or leave out .* least=0"),
    (partial(exact, 10**9, [0.25] * 4), "gives about .* simulate instead"),
    (partial(exact, 5, [0.5, 0.4, 0.2, 0]), "add up to 1, got a sum of 1.1"),
    (partial(exact, 5, [0, 0, 0, 1]), r"must lie in \(0, 1\], got 0.0"),
    (partial(exact, 5, HALVES, method="x"), "got 'x'"),
    (partial(exact, 5, HALVES, least=2), "between 0 and 1, got 2"),
    (
        partial(simulate, HALVES, method=two_intervals, truth=[0.1] * 3, replicates=9),
        r"\(9, 3\) for 9 .* shapes \(9, 2\)",
    ),
    (partial(simulate, HALVES, method=two_intervals), "truth must be numeric, got None"),
    (partial(simulate, [0.5, 0.5]), r"shape \(4,\), got shape \(2,\)"),
]

METRICS = [
    (partial(metrics.get, 2), "metric must be one of .* got 2"),
    (partial(metrics.macro, "macro_f1"), "only a binary metric .* got 'macro_f1'"),
    (partial(metrics.macro, "f1", undefined=0.5), "undefined must be .*, got 0.5"),
    (partial(fbeta, "1"), "beta must be numeric, got '1'"),
    (partial(tversky, 0, 0), "be 0, not both, or .* got a=0, b=0"),
    (partial(tversky, -1, 2), r"lie between 1e-15 and 1e\+06, got a=-1"),
    (partial(tversky, 0.5, NAN), "weights of errors must .*, b=nan"),
    (partial(metrics.f1.value, TOY), r"'f1' is a binary metric.* \(3, 3\)"),
    (partial(metrics.macro_f1.value, [[1, 2, 3], [4, 5, 6]]), r"\(2, 3\)"),
    (partial(metrics.f1.value, [[1, -2], [3, 4]]), "not negative, got -2"),
    (partial(metrics.f1.value, "f1"), "matrix must be numeric, got 'f1'"),
    (partial(BinaryMetric, "b", max, range=(1, 0)), r"largest value, got \(1, 0\)"),
    (
        partial(ask, f1ci.Matrix, "interval", (np.eye(61),), MatrixMetric("own", np.trace)),
        "'own' takes at most 60 classes, .* got 61",
    ),
]

by_row = partial(ask, f1ci.Matrix, "interval", (B,), "f1")
LABELLED = {"y_true": ["a"] * 5 + ["b"] * 5, "y_pred": ["a"] * 4 + ["b"] * 4 + ["a", "c"]}
by_label = partial(f1ci.score_interval, **LABELLED, average="macro")
HALF = {"a": 0.5, "b": 0.5}
SHARES = [
    (partial(by_row, class_shares=[0.95, 0.06]), "sum to 1, got .0.95, 0.06. with the sum 1.01"),
    (partial(by_row, class_shares=[0.5]), r"shape \(2,\), got shape \(1,\)"),
    (partial(by_row, class_shares=[-0.1, 1.1]), "not negative, got -0.1"),
    (partial(by_row, class_shares=[0, 1]), "above 0 for class 0, which has true items, got 0"),
    (partial(by_row, class_shares={0: 0.5, 2: 0.5}), "name classes that occur .0, 1., got 2"),
    (partial(by_label, class_shares={"a": 0.5, "d": 0.5}), "occur .'a', 'b'., got 'd'"),
    (partial(by_label, class_shares={"a": 1.0}), "above 0 for class 'b', which has true items"),
    (partial(by_label, class_shares=[0.5, 0.5]), r"map each class to its share, .* got \[0.5"),
    (partial(by_label, class_shares=HALF, labels=["z"]), "must hold labels among 'z', got 'a'"),
    (partial(by_label, y_true=FLAGS, y_pred=FLAGS, class_shares=HALF), "not with indicators"),
    (
        partial(f1ci.score_interval, TRUE, PRED, class_shares={"yes": 0.5, 0: 0.5}),
        "name classes that occur .0, 1., got 'yes'",
    ),
]


@pytest.mark.filterwarnings("ignore::f1ci.UndefinedMetricWarning")
@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        *(COUNTS + OPTIONS + UNITS + MEANS_AND_RUNS + COMPARISONS + JOINT + QUANTILES + REPORTS),
        *(PLANS + FOLDS_AND_POSTERIORS + COVERAGE + METRICS + SHARES),
    ],
)
def test_a_sentence_quotes_the_value(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
