"""Scores over documents: the jackknife, Student's quantile, and what cannot be known."""

import warnings

import numpy as np
import pytest
from scipy import stats

import f1ci
from f1ci.methods import units

Z = float(stats.norm.ppf(0.975))
DOCUMENTS = np.array([[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1]], dtype=float)


def f1_of(counts):
    """F1 of counts TP, FP, FN, by its definition."""
    tp, fp, fn = counts
    return 2 * tp / (2 * tp + fp + fn)


def test_the_error_is_the_jackknifes():
    moves = units.moves_of_counts(DOCUMENTS, 0.5, 0.5)
    total = DOCUMENTS.sum(axis=0)
    without = np.array([f1_of(total - document) for document in DOCUMENTS])
    expected = np.sqrt(4 / 5 * ((without - f1_of(total)) ** 2).sum())
    assert moves.estimate == pytest.approx(f1_of(total), abs=1e-15)
    assert units.jackknife_error(moves) == pytest.approx(expected, rel=1e-12)


def test_the_mean_of_documents_scores_has_the_error_of_a_t_interval():
    scores = np.array([0.61, 0.72, 0.55, 0.9, 0.83, 0.7])
    moves = units.moves_of_scores(scores)
    assert units.jackknife_error(moves) == pytest.approx(stats.sem(scores), rel=1e-12)
    assert units.degrees_of_freedom(moves.share) == pytest.approx(5.0)
    # On the logit scale: the delta method's error of the logit, and Student's quantile.
    p = scores.mean()
    half = stats.t.ppf(0.975, 5) * stats.sem(scores) / (p * (1 - p))
    expected = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + np.array([-half, half]))))
    assert units.limits(moves, Z, (0.0, 1.0)) == pytest.approx(expected, rel=1e-9)


def test_a_few_large_documents_leave_fewer_degrees_of_freedom():
    share = np.array([0.4, 0.2, 0.2, 0.2])
    assert units.degrees_of_freedom(share) == pytest.approx(1 / 0.28 - 1)
    assert units.degrees_of_freedom(np.full(20, 0.05)) == pytest.approx(19.0)


def test_perfect_documents_count_as_one_item_each():
    """Wilson's limits of so many documents, all of them right."""
    moves = units.moves_of_counts(np.array([[8.0, 0, 0], [5, 0, 0], [9, 0, 0]]), 0.5, 0.5)
    expected = stats.binomtest(3, 3).proportion_ci(method="wilson")
    assert units.limits(moves, Z, (0.0, 1.0)) == pytest.approx(list(expected), abs=1e-12)


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted"])
def test_documents_with_nothing_in_them_change_nothing(average):
    rng = np.random.default_rng(1)
    counts = rng.poisson(3.0, (4, 2, 3))
    more = np.concatenate([counts, np.zeros((6, 2, 3), dtype=int)])
    before = f1ci.clustered_interval(counts, average=average)
    after = f1ci.clustered_interval(more, average=average)
    assert np.array(tuple(after)) == pytest.approx(np.array(tuple(before)), abs=1e-12)


def test_the_class_average_leaves_documents_out():
    rng = np.random.default_rng(2)
    counts = rng.poisson(4.0, (7, 3, 3)).astype(float)

    def macro(table):
        return np.mean([f1_of(row) for row in table.sum(axis=0)])

    def weighted(table):
        total = table.sum(axis=0)
        true = total[:, 0] + total[:, 2]
        return (true * [f1_of(row) for row in total]).sum() / true.sum()

    for score, flag in ((macro, False), (weighted, True)):
        moves = units.moves_of_average(np.moveaxis(counts, 2, 1), 0.5, 0.5, flag)
        without = [score(np.delete(counts, k, axis=0)) for k in range(7)]
        assert moves.estimate == pytest.approx(score(counts), rel=1e-12)
        assert moves.left_out == pytest.approx(score(counts) - np.array(without), rel=1e-9)
        # The influence is the derivative when the document counts a little more.
        moved = counts * (1 + 1e-6 * (np.arange(7) == 2))[:, None, None]
        numeric = (score(moved) - score(counts)) / 1e-6
        assert moves.influence[2] == pytest.approx(numeric, abs=1e-5)


def test_groups_of_one_item_have_the_delta_methods_error():
    """The cluster-robust error of single items has the divisor n - 1."""
    y, p = np.repeat([1, 1, 0, 0], [30, 10, 8, 52]), np.repeat([1, 0, 1, 0], [30, 10, 8, 52])
    matrix = f1ci.metric_interval(f1ci.confusion_matrix(y, p), "mcc", method="delta")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = f1ci.score_interval(y, p, "mcc", groups=np.arange(100))
    expected = matrix.standard_error * np.sqrt(100 / 99)
    assert interval.standard_error == pytest.approx(expected, rel=1e-9)


def test_paired_means_of_scores_are_as_short_as_students():
    """Thirty images, each better by about .007: the paired t interval."""
    rng = np.random.default_rng(4)
    a = 0.8 + 0.1 * rng.standard_normal(30)
    b = a + 0.007 + 0.0015 * rng.standard_normal(30)
    change = units.change(units.moves_of_scores(a), units.moves_of_scores(b))
    low, high = units.limits(change, Z, (-1.0, 1.0))
    expected = stats.ttest_rel(b, a).confidence_interval(0.95)
    # Near 0 the scale from -1 to 1 is straight.
    assert (low, high) == pytest.approx(list(expected), rel=1e-3)


def test_units_that_were_not_seen_bound_what_identical_ones_say():
    """At most the share of Wilson's upper limit for none of thirty is of another kind."""
    same = units.moves_of_scores(np.full(30, 0.01))
    share = stats.binomtest(0, 30).proportion_ci(method="wilson").high
    expected = 0.01 - 1.01 * share, 0.01 + 0.99 * share
    assert units.limits(same, Z, (-1.0, 1.0)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("score", "correlation"), [(0.8, 0.3), (0.5, 0.1)])
def test_ten_documents_are_covered(score, correlation):
    """F1 of ten documents of eight items whose items depend on one another."""
    rng = np.random.default_rng(5)
    right, strength = score / (2 - score), (1 - correlation) / correlation
    shape = (10, 2_000)
    share = rng.beta(right * strength, (1 - right) * strength, shape)
    tp = rng.binomial(8, share)
    fp = rng.binomial(8 - tp, 0.5)
    counts = np.stack([tp, fp, 8 - tp - fp], axis=1).astype(float)
    low, high = units.limits(units.moves_of_counts(counts, 0.5, 0.5), Z, (0.0, 1.0))
    covered = np.mean((low <= score) & (score <= high))
    # Standard error .005.
    assert 0.935 < covered < 0.985
