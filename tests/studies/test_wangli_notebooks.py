"""What wangli's notebooks compute: regressions by scikit-learn, folds and words by hand."""

from math import comb

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix

import f1ci
from notebooks.data import train_tag_sets
from notebooks.own import wangli_simulation as logistic_folds
from notebooks.own import wangli_tag_sets as tag_sets
from notebooks.own.wangli_simulation import Design
from notebooks.shared import fold_statistics

MEANS = ((0.0, 0.0), (0.5, 0.5))


def scikit_learn(penalty):
    """Logistic regression whose loss is the same as ours."""
    return LogisticRegression(C=1 / penalty if penalty else np.inf, tol=1e-10, max_iter=1000)


# Logistic regressions on simulated data


def test_true_rates_are_those_of_many_draws():
    rule = np.array([[-0.3, 1.0, 0.0], [-0.25, 0.5, 0.5], [0.4, -2.0, 0.7]])
    rates = logistic_folds.rates(rule, MEANS)
    assert rates[0] == pytest.approx(stats.norm.sf(0.3 - np.array([0.5, 0.0])), rel=1e-14)
    draws = np.random.default_rng(2).normal(size=(200_000, 2))
    # 1000 items: 250 positives, of which 200 are found, and 225 false alarms.
    f1 = logistic_folds.f1_of_rates(np.array([0.8, 0.3]), 0.25)
    assert f1 == pytest.approx(400 / (400 + 225 + 50))
    for column, mean in enumerate((MEANS[1], MEANS[0])):
        share = (rule[:, :1] + rule[:, 1:] @ (draws + mean).T > 0).mean(axis=1)
        # Four standard errors of a share of 200,000 draws.
        assert rates[:, column] == pytest.approx(share, abs=4 * np.sqrt(0.25 / 200_000))


@pytest.mark.parametrize("partition", ["stratified blocks", "blocks", "random halves"])
@pytest.mark.parametrize("exact_classes", [True, False])
def test_the_folds_are_what_their_names_say(partition, exact_classes):
    design = Design(40, MEANS, 0.5, partition, exact_classes)
    stream = np.random.default_rng(3)
    _, labels = logistic_folds.draw(design, stream, 20)
    assert (labels.sum(axis=1) == 20).all() == exact_classes
    train, test = logistic_folds.folds(design, labels, stream, logistic_folds.partition)
    assert train.shape == test.shape == (20, 6, 20)
    both = np.concatenate([train, test], axis=2)
    assert (np.sort(both, axis=2) == np.arange(40)).all()
    assert (np.sort(train[:, ::2]) == np.sort(test[:, 1::2])).all()
    pairs = ((one[j], one[k]) for one in train for j, k in ((0, 2), (0, 4), (2, 4)))
    overlaps = {np.intersect1d(*pair).size for pair in pairs}
    assert (overlaps == {10}) == (partition != "random halves")
    positives = np.take_along_axis(labels[:, None], test, axis=2).sum(axis=2)
    uneven = np.abs(positives[:, ::2] - positives[:, 1::2]).max()
    # Two blocks of one class differ by at most one, so two pairs of blocks by at most two.
    assert (uneven <= 2) == (partition == "stratified blocks")


@pytest.mark.parametrize("penalty", [0.0, 1.0, 25.0])
def test_a_data_set_is_cross_validated_as_by_scikit_learn(penalty):
    design = Design(60, MEANS, 0.5, penalty=penalty)
    trials = logistic_folds.run(design, 1, rng=np.random.default_rng(4))
    stream = np.random.default_rng(4).spawn(1)[0]
    features, labels = logistic_folds.draw(design, stream, 1)
    x, y = features[0], labels[0]
    model = scikit_learn(penalty)

    def true_rates():
        return logistic_folds.rates(np.array([*model.intercept_, *model.coef_[0]]), MEANS)

    for fold, (train, test) in enumerate(f1ci.bcv_partitions(60, stratify=y, rng=0)):
        model.fit(x[train], y[train])
        (_, fp), (fn, tp) = confusion_matrix(y[test], model.predict(x[test]))
        assert trials.counts[0, fold // 2, fold % 2].tolist() == [tp, fp, fn]
        assert trials.rates[0, fold // 2, fold % 2] == pytest.approx(true_rates(), abs=1e-5)
    model.fit(x, y)
    assert trials.rates_of_all[0] == pytest.approx(true_rates(), abs=1e-5)


# Statistics of six folds


def test_fold_correlations_are_those_of_drawn_folds():
    # One effect of the corpus (variance 2), one of the repetition (1), one of the fold (1).
    rng = np.random.default_rng(6)
    corpus, repetition, fold = (rng.normal(size=(40_000, *s)) for s in ((1, 1), (3, 1), (3, 2)))
    correlations = fold_statistics.fold_correlations(2**0.5 * corpus + repetition + fold)
    # Four standard errors of a correlation of 40,000 pairs are at most 0.02.
    assert correlations.rho1 == pytest.approx(3 / 4, abs=0.02)
    assert correlations.rho2 == pytest.approx(2 / 4, abs=0.02)
    assert correlations.variance == pytest.approx(4, rel=0.03)
    # A rule without training: each item counts once, in three repetitions.
    assert fold_statistics.FoldCorrelations(0, 0.5, 4).weight(4) == pytest.approx(1 / 3)


def test_the_t_interval_is_that_of_a_textbook():
    folds = np.arange(6.0).reshape(3, 2)
    interval = fold_statistics.t_interval(folds)
    # Mean 2.5, variance 3.5; t(5) of .975 is 2.5706 in printed tables.
    reach = 2.5706 * (3.5 * (1 / 6 + 1)) ** 0.5
    assert interval.low == pytest.approx(2.5 - reach, abs=1e-3)
    assert interval.high == pytest.approx(2.5 + reach, abs=1e-3)
    at_the_border = fold_statistics.t_interval(folds - interval.low)
    assert at_the_border.p_value == pytest.approx(0.05)


def test_an_interval_holds_the_truth_if_the_binomial_tails_say_so():
    # With integer parameters a Beta probability is a binomial tail: (7, 4, 1) has Beta(8, 7).
    for truth in (0.35, 0.45, 0.6, 0.85, 0.9):
        star = truth / (2 - truth)
        below = sum(comb(14, k) * star**k * (1 - star) ** (14 - k) for k in range(8, 15))
        inside = bool(fold_statistics.contains([7, 4, 1], 1.0, truth))
        assert inside == (0.025 <= below <= 0.975)


# Word segmenters


def test_words_are_counted_by_gold_standard_and_models():
    item = train_tag_sets.Utterance(0, ("ab", "c", "de"))
    a = {(0, 2), (2, 3), (3, 4), (4, 5)}  # ab c d e: two right, two wrong
    b = {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)}  # a b c d e: one right, four wrong
    cells = train_tag_sets.cells([item, item], lambda _: a, lambda _: b)
    counted = dict(zip(train_tag_sets.CELLS, cells.tolist(), strict=True))
    assert counted == {"100": 2, "101": 0, "110": 2, "111": 2, "001": 4, "010": 0, "011": 4}
    assert train_tag_sets.CELLS == tag_sets.CELLS
    assert tag_sets.counts(cells, "A").tolist() == [4, 4, 2]
    assert tag_sets.counts(cells, "B").tolist() == [2, 8, 4]


def test_the_stored_counts_are_those_of_the_whole_corpus():
    for partition in ("utterances", "dialogues"):
        cells = tag_sets.cells_by_dialogue(partition)
        # 153,656 words, as the corpus's own documentation counts them, once in each repetition.
        assert cells[..., :4].sum(axis=(1, 2, 3)).tolist() == [153_656] * 3
        tested = (cells.sum(axis=-1) > 0).sum(axis=1)
        assert (tested == (2 if partition == "utterances" else 1)).all()


def test_the_error_correlation_is_that_of_the_labels():
    rng = np.random.default_rng(7)
    cells = rng.integers(1, 40, size=(9, 7))
    gold, a, b = tag_sets.labels(cells.sum(axis=0))
    # For recall the errors are right and wrong gold words: a plain correlation of two columns.
    right = np.stack([a, b])[:, gold == 1]
    expected = np.corrcoef(right)[0, 1]
    assert tag_sets.error_correlation(cells.sum(axis=0), "recall") == pytest.approx(expected)
    # With one unit for each word, units give the same; with equal models, one.
    one_by_one = np.repeat(np.eye(7, dtype=int), cells.sum(axis=0), axis=0)
    for metric in ("precision", "recall", "f1"):
        by_word = tag_sets.error_correlation(cells.sum(axis=0), metric)
        assert tag_sets.error_correlation(one_by_one, metric) == pytest.approx(by_word)
        same = cells * [1, 0, 0, 1, 0, 0, 1]
        assert tag_sets.error_correlation(same, metric) == pytest.approx(1)


def test_correlated_errors_make_a_difference_surer():
    # 1.645 standard errors of the difference at a correlation of one half, half of that at none.
    assert fold_statistics.not_better(1.6449, 1, 1, 0.5) == pytest.approx(0.05, abs=1e-5)
    independent = fold_statistics.not_better(1.6449, 1, 1)
    assert independent == pytest.approx(stats.norm.sf(1.6449 / 2**0.5))
