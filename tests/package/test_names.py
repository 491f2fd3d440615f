"""Metrics by the names that people know: scikit-learn's values, and coverage."""

import numpy as np
import pytest
import sklearn.metrics as sk
from examples import labels_of
from scipy import stats

import f1ci
from f1ci import metrics

MATRIX = np.array([[30, 4, 2], [5, 21, 9], [1, 6, 40]])
BINARY = np.array([[52, 9], [6, 33]])


# scikit-learn's values

OF_BOTH = {
    "kappa": lambda t, p: sk.cohen_kappa_score(t, p),
    "linear_kappa": lambda t, p: sk.cohen_kappa_score(t, p, weights="linear"),
    "quadratic_kappa": lambda t, p: sk.cohen_kappa_score(t, p, weights="quadratic"),
    "mcc": sk.matthews_corrcoef,
    "balanced_accuracy": sk.balanced_accuracy_score,
}
AVERAGED = {
    f"{average}_{name}": (lambda t, p, score=score, average=average: score(t, p, average=average))
    for average in ("macro", "weighted", "micro")
    for name, score in (
        ("precision", sk.precision_score),
        ("recall", sk.recall_score),
        ("f1", sk.f1_score),
        ("jaccard", sk.jaccard_score),
    )
    if (average, name) != ("micro", "jaccard")
}
OF_TWO = {
    "accuracy": sk.accuracy_score,
    "specificity": lambda t, p: sk.recall_score(t, p, pos_label=0),
    "npv": lambda t, p: sk.precision_score(t, p, pos_label=0),
    "f2": lambda t, p: sk.fbeta_score(t, p, beta=2),
    "f0.5": lambda t, p: sk.fbeta_score(t, p, beta=0.5),
    "F1": sk.f1_score,
    "matthews": sk.matthews_corrcoef,
    "correlation": sk.matthews_corrcoef,
}


@pytest.mark.parametrize(
    ("matrix", "scores"),
    [(BINARY, OF_BOTH | AVERAGED | OF_TWO), (MATRIX, OF_BOTH | AVERAGED)],
    ids=["two classes", "three"],
)
def test_names_have_scikit_learns_values(matrix, scores):
    for name, score in scores.items():
        expected, found = score(*labels_of(matrix)), f1ci.metric_interval(matrix, name)
        assert found.estimate == pytest.approx(expected, abs=1e-14), name
        assert found.low < expected < found.high, name


def test_specificity_is_the_recall_of_the_other_class():
    swapped = BINARY[::-1, ::-1]
    for name, other in (("specificity", "recall"), ("npv", "precision")):
        ours, theirs = f1ci.metric_interval(BINARY, name), f1ci.metric_interval(swapped, other)
        assert tuple(ours) == pytest.approx(tuple(theirs), abs=1e-15)
        assert ours.method == "score"
        truth, pred = labels_of(BINARY)
        groups = np.arange(len(truth)) // 5
        paired = f1ci.difference_interval(truth, pred, truth, name, groups=groups)
        flipped = f1ci.difference_interval(1 - truth, 1 - pred, 1 - truth, other, groups=groups)
        assert tuple(paired) == pytest.approx(tuple(flipped), abs=1e-12)


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


# Coverage: exact sums over all tables of thirty items

TABLES = np.array([c for c in np.ndindex(31, 31, 31) if sum(c) <= 30])
TABLES = np.column_stack([TABLES, 30 - TABLES.sum(axis=1)]).reshape(-1, 2, 2)


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("name", ["specificity", "npv", "mcc", "kappa"])
def test_the_default_covers(name):
    """The level on average over twelve populations, among test sets that have the metric."""
    rng, metric = np.random.default_rng(5), metrics.get(name)
    low, high = f1ci.metric_interval(TABLES, metric)
    covered = []
    for _ in range(12):
        share, (right, wrong) = rng.uniform(0.3, 0.5), rng.uniform(0.6, 0.9, 2)
        p = np.array([[wrong, 1 - wrong], [1 - right, right]]) * [[1 - share], [share]]
        weight = stats.multinomial.pmf(TABLES.reshape(-1, 4), 30, p.ravel())
        truth, defined = metric.value(p), ~np.isnan(low)
        inside = (low <= truth) & (truth <= high)
        covered.append((weight * inside)[defined].sum() / weight[defined].sum())
    # Wilson's interval for a share of ten items and more is within two points of its level.
    assert 0.93 < np.mean(covered) < 0.98, covered
    assert min(covered) > 0.88, covered


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("name", ["balanced_accuracy", "kappa", "quadratic_kappa", "mcc"])
def test_the_default_covers_for_three_classes(name):
    """Thirty items again, of random populations; eight thousand test sets."""
    rng, metric, covered = np.random.default_rng(6), metrics.get(name), []
    for _ in range(8):
        share = 0.1 + 0.7 * rng.dirichlet(np.full(3, 3.0))
        right = rng.uniform(0.6, 0.95, 3)
        p = share[:, None] * (np.diag(1.5 * right - 0.5) + (1 - right[:, None]) / 2)
        tables = rng.multinomial(30, p.ravel(), 1000).reshape(-1, 3, 3)
        low, high = f1ci.metric_interval(tables, metric)
        covered.append(((low <= metric.value(p)) & (metric.value(p) <= high)).mean())
    # The standard error of the mean is .0024, that of one population .007: four of each.
    assert 0.95 - 0.01 < np.mean(covered) < 0.98, covered
    assert min(covered) > 0.95 - 0.028, covered
