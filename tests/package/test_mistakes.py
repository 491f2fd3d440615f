"""Mistakes that people make: each gets an error or a warning with the hint that one needs.

The list has those that a study of the package's use found (probabilities for classes, labels in
two types, error rates for levels), and those that its messages speak of. Python itself refuses
unknown keywords.
"""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from examples import ask

import f1ci

T = [1, 0, 1, 1, 0, 0, 1, 0] * 2
P = [1, 0, 0, 1, 0, 1, 1, 0] * 2
Q = [1, 0, 1, 1, 1, 0, 0, 0] * 2
S = np.random.default_rng(0).random(16)
D, E = ["cat", "dog", "cat", "ham"] * 4, ["cat", "dog", "dog", "ham"] * 4
M, B = [[50, 3, 2], [4, 61, 5], [0, 5, 74]], [[702, 44], [10, 77]]
FLAGS = np.array([T, P]).T
DATES = np.array(["2020", "NaT"] * 8, dtype="M8[D]")
TOTALS = pd.crosstab(np.array(D), np.array(E), margins=True)
THRESHOLD = "must hold classes, got .*; compare probabilities or scores with a threshold first"
TYPES = "share no label: .*; the same labels in two types"
SEQUENCE = "must be a sequence of labels, got the "
MISSING = "must not hold missing labels, got .* at position 1"
COUNT = "must be a whole number between 0 and 2\\*\\*50, got "
ARGMAX = r"got shape \(16, 2\); argmax\(axis=1\) makes classes"
SQUARE = r"must have shape \(.*r, r\).*, got shape "

# What people pass as labels, and the hint.
LABELS = [
    (T, S, THRESHOLD),
    (T, S.tolist(), THRESHOLD),
    (T, [np.inf] * 16, "must hold classes, got"),
    (T, np.c_[1 - S, S], ARGMAX),
    (FLAGS, T, r"y_pred must have shape \(items, classes\), got shape \(16,\)"),
    (scipy.sparse.csr_matrix([T]), P, r"y_pred must have shape \(items, classes\)"),
    (FLAGS, np.c_[1 - S, S], "y_pred must hold indicators 0 and 1, got 0"),
    (2 * FLAGS, FLAGS, "y_true must hold indicators 0 and 1, got 2"),
    (FLAGS, FLAGS[:, [0, 1, 1]], r"y_pred must have shape \(16, 2\), got shape \(16, 3\)"),
    ([["a", "b"], ["a", "c"]], [["a", "b"], ["b", "c"]], "MultiLabelBinarizer"),
    ([[1, 0], [0]], [[1], [0]], r"y_true must have shape \(items, classes\)"),
    (pd.DataFrame(FLAGS, columns=["a", "b"]), pd.DataFrame(FLAGS), "the same columns, got 'a'"),
    (T, [str(label) for label in P], TYPES),
    (T, ["1"] * 16, TYPES),
    ([True, False], ["True", "False"], TYPES),
    (["Cat", "Dog"], ["cat", "dog"], TYPES),
    (D, [0, 1, 0, 2] * 4, "share no label: 'cat', 'dog', 'ham' against 0, 1, 2; two codings"),
    (T, P[:-1], "y_pred must have 16 labels, one for each item, got 15"),
    ([], [], r"y_true must not be empty, got \[\]"),
    ([1, np.nan], [1, 0], MISSING),
    (np.array([1, np.nan]), [1, 0], MISSING),
    (pd.Series([1, pd.NA]), [1, 0], MISSING),
    (pd.Series([1, None], dtype="Int64"), [1, 0], MISSING),
    (np.ma.array([1, 0], mask=[0, 1]), [1, 0], MISSING),
    (np.array(["a", np.nan], np.dtypes.StringDType(na_object=np.nan)), ["a", "b"], MISSING),
    (DATES, DATES, MISSING),
    ({1, 0}, [1, 0], SEQUENCE + "set"),
    ({0: 1, 1: 0}, [1, 0], SEQUENCE + "dict"),
    ("1011", "1001", SEQUENCE + "str '1011'"),
    (1, 1, SEQUENCE + "int 1"),
    ([0, {}], [0, 1], r"must hold hashable labels, got \{\}"),
    (range(20_000), range(20_000), "at most 10000 classes .* identifiers rather than labels"),
]


@pytest.mark.parametrize(("y_true", "y_pred", "hint"), LABELS)
def test_what_is_no_label_is_refused(y_true, y_pred, hint):
    for call in (
        lambda: f1ci.f1_score_interval(y_true, y_pred, average="macro"),
        lambda: f1ci.classification_report(y_true, y_pred),
    ):
        with pytest.raises((TypeError, ValueError), match=hint):
            call()


def score(*labels, **options):
    return lambda: f1ci.f1_score_interval(*(labels or (T, P)), **options)


def counts(*numbers, **options):
    return lambda: f1ci.f1_interval(*(numbers or (77, 44, 10)), **options)


def metric(matrix, name, **options):
    return lambda: ask(f1ci.Matrix, "interval", (matrix,), name, **options)


OPTIONS = [
    (score(D, E), "at most two classes, got 3: 'cat', 'dog', 'ham'; averages over classes"),
    (score(["ham", "spam"], ["ham", "ham"]), "pos_label must be one of the labels 'ham', 'spam'"),
    (score(pos_label="1"), "pos_label must be one of the labels 0, 1, got '1'"),
    (score([-1, 1], [1, 1], pos_label=0), "pos_label must be one of the labels -1, 1, got 0"),
    (score(FLAGS, FLAGS), "indicators of several classes need an average .*, got 'f1'"),
    (score(average="macro_f1"), "average must be one of 'binary', 'micro', 'macro'"),
    (score(average="samples"), r"needs indicators of shape \(items, classes\)"),
    (score(FLAGS, FLAGS, average="samples", groups=T), "is the mean over items, without groups"),
    (score(D, E, average="macro", labels=["x"]), "hold labels among 'x', got 'cat'"),
    (score(D, E, average="macro", labels=["cat"] * 2), "must be distinct, got 'cat' twice"),
    (score(D, E, average="macro", labels="cat"), "labels " + SEQUENCE + "str 'cat'"),
    (score(D, E, average="macro", labels=[]), "labels must not be empty"),
    (score(FLAGS, FLAGS, average="macro", labels=["a"]), "labels has 1 names, the indicators have"),
    (score(sample_weight=[1] * 16), "sample_weight is not offered.* pass groups="),
    (score(zero_division="warn"), "zero_division must be 0, 1 or nan, got 'warn'"),
    (score(beta=0), "beta must be a finite number above 0, got 0"),
    (score(groups=T[:-1]), "groups must have 16 labels, one for each item, got 15"),
    (score(groups=[1] * 16), "at least two groups, got 1"),
    (score(groups=[0, np.nan] * 8), "groups " + MISSING),
    (counts(confidence_level=95), r"did you mean 0\.95\?"),
    (counts(confidence_level="95%"), "must be numeric, got '95%'"),
    (counts(confidence_level=1), "strictly between 0 and 1.*, got 1"),
    (counts(alternative="two_sided"), "alternative must be one of 'two-sided'"),
    (counts(77.5, 44, 10), "tp " + COUNT + "77.5"),
    (counts(77, 44, np.nan), "fn " + COUNT + "nan"),
    (counts("77", "44", "10"), "tp must be numeric, got '77'"),
    (counts(method="wilson"), "method must be one of .*; it is called 'score' here"),
    (counts(method="normal"), "it is called 'delta' here"),
    (counts(method="bootstrap"), "method must be one of 'score', 'cautious'"),
    (metric(B, "recall", method="wald"), "it is called 'delta' here"),
    (metric(M, "macro_f1", method="blur"), "method must be one of 'score'.* for 'macro_f1'"),
    (metric(B, "macro"), "did you mean 'macro_f1'"),
    (metric(B, "roc_auc"), "known are accuracy, precision"),
    (metric(B, max), "metric must be one of 'accuracy', 'precision'"),
    (metric(M, "f1"), "takes .* 2, 2.* got shape .*; f1ci.metrics.macro averages it"),
    (metric([702, 44, 10, 77], "f1"), SQUARE),
    (metric(np.array(B) / 833, "f1"), "matrix " + COUNT),
    (metric(TOTALS, "macro_f1"), "must have no row and column of totals, got .* at its end"),
    (lambda: f1ci.Matrix(TOTALS).report(), "must have no row and column of totals"),
    (lambda: f1ci.Matrix(M, labels=["a"]).report(), r"names of 3 classes are wanted, got \['a'\]"),
    (lambda: f1ci.Units([[1, 2], [3, 4]]).interval(), "for the counts TP, FP and FN, got shape"),
    (lambda: f1ci.compare_models(T, [P, Q]), "must map names of models to labels"),
    (lambda: f1ci.Labels(T, {"A": P, "B": Q}).difference(margin=-1), "margin must"),
]


@pytest.mark.parametrize(("call", "hint"), OPTIONS)
def test_an_option_that_cannot_be_meant_is_refused(call, hint):
    with pytest.raises((TypeError, ValueError), match=hint):
        call()


def test_what_can_be_meant_is_warned_of_or_read():
    with pytest.warns(f1ci.IntervalWarning, match=r"did you mean 0\.95\?"):
        f1ci.f1_interval(77, 44, 10, confidence_level=0.05)
    assert 0.7 in f1ci.f1_interval(77, 44, 10)
    # Keras and df[["y"]] have columns of shape (n, 1); scikit-learn takes them as labels.
    for average in ("binary", "macro"):
        plain = f1ci.f1_score_interval(T, P, average=average)
        for column in (np.array(P)[:, None], pd.DataFrame({"y": P}), [[label] for label in P]):
            assert f1ci.f1_score_interval(T, column, average=average) == plain
    for name in ("F1", "f1-score", "specificity", "f2", "macro_precision", "acc"):
        assert f1ci.Matrix(B).interval(name).low > 0.0


# What a careful statistician would say of these data, which are computed all the same.
RNG = np.random.default_rng(1)
TRUTH = np.repeat([1, 0], [40, 60])
ONE, OTHER = (np.where(RNG.random(100) < right, TRUTH, 1 - TRUTH) for right in (0.8, 0.85))
ONE_POSITIVE = np.arange(61) < 1
LITTLE = [
    (
        lambda: f1ci.Labels(TRUTH, ONE, groups=[1] * 2 + [0] * 96 + [2] * 2).interval("accuracy"),
        r"accuracy rests on 3 units, as good as 1\.1 of one size \(the largest holds 96 %\)",
    ),
    (
        lambda: f1ci.Labels(TRUTH, {"A": ONE, "B": OTHER}, groups=TRUTH).difference(),
        r"f1 \(B - A\) rests on 2 units, .*; units of another kind may be missing",
    ),
    (lambda: f1ci.mean_interval([0.9, 0.91, 0.92]), "mean rests on 3 units, as good as 3 of one"),
    (lambda: f1ci.Runs(TRUTH, [ONE] * 3).interval(), "f1: the 3 runs predict the same, so that .*"),
    (
        lambda: f1ci.Runs(TRUTH, {"x": [ONE, ONE], "y": [ONE, OTHER]}).difference(),
        r"f1 \(y - x\): the 2 runs of x predict the same, .* is for new items alone",
    ),
    (
        lambda: f1ci.Labels(
            TRUTH, ONE, strata=["s"] * 99 + ["t"], stratum_shares={"s": 0.5, "t": 0.5}
        ).interval("accuracy"),
        "accuracy: 1 item stands for 50 % of the population, so that little is known",
    ),
    (
        lambda: f1ci.Labels(
            ONE_POSITIVE, ONE_POSITIVE, class_shares={True: 0.02, False: 0.98}, pos_label=True
        ).interval(),
        "f1: 1 item stands for 2 % of the population",
    ),
]


@pytest.mark.parametrize(("call", "sentence"), LITTLE)
def test_what_rests_on_little_is_said(call, sentence):
    with pytest.warns(f1ci.IntervalWarning, match=sentence) as caught:
        call()
    assert len(caught) == 1


def test_enough_is_not_warned_of():
    """Four units, three items of a stratum, and runs of which one differs."""
    strata = {"strata": ["s"] * 97 + ["t"] * 3, "stratum_shares": {"s": 0.5, "t": 0.5}}
    f1ci.Labels(TRUTH, ONE, groups=np.arange(100) % 4).interval("accuracy")
    f1ci.Labels(TRUTH, ONE, **strata).interval("accuracy")
    f1ci.Runs(TRUTH, [ONE, ONE, OTHER]).interval()
