"""What wangli's notebooks compute: regressions by scikit-learn, folds and words by hand."""

from math import comb

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix

import f1ci
from notebooks.data import train_tag_sets
from notebooks.own import wangli_simulation as logistic_folds
from notebooks.own import wangli_tag_sets as tag_sets
from notebooks.own.wangli_simulation import Design
from notebooks.shared import fold_statistics

MEANS = ((0.0, 0.0), (0.5, 0.5))


# Logistic regressions on simulated data


def test_true_rates_are_those_of_many_draws():
    rule = np.array([[-0.3, 1.0, 0.0], [-0.25, 0.5, 0.5], [0.4, -2.0, 0.7]])
    rates = logistic_folds.rates(rule, MEANS)
    draws = np.random.default_rng(2).normal(size=(200_000, 2))
    for column, mean in enumerate((MEANS[1], MEANS[0])):
        share = (rule[:, :1] + rule[:, 1:] @ (draws + mean).T > 0).mean(axis=1)
        # Four standard errors of a share of 200,000 draws.
        assert rates[:, column] == pytest.approx(share, abs=4 * np.sqrt(0.25 / 200_000))


def test_f1_follows_from_true_rates():
    # 1000 items: 250 positives, of which 200 are found, and 225 false alarms.
    f1 = logistic_folds.f1_of_rates(np.array([0.8, 0.3]), 0.25)
    assert f1 == pytest.approx(400 / (400 + 225 + 50))


@pytest.mark.parametrize("partition", ["stratified blocks", "blocks", "random halves"])
def test_the_folds_are_what_their_names_say(partition):
    design = Design(40, MEANS, 0.5, partition, exact_classes=True)
    stream = np.random.default_rng(3)
    _, labels = logistic_folds.draw(design, stream, 20)
    assert (labels.sum(axis=1) == 20).all()
    train, test = logistic_folds.folds(design, labels, stream, logistic_folds.partition)
    # Each fold tests what it is not trained with, and the next one trains with what it tests.
    assert (np.sort(np.concatenate([train, test], axis=2)) == np.arange(40)).all()
    assert (np.sort(train[:, ::2]) == np.sort(test[:, 1::2])).all()
    shared = {np.intersect1d(one[0], one[2]).size for one in train}
    assert (shared == {10}) == (partition != "random halves")
    positives = np.take_along_axis(labels[:, None], test, axis=2).sum(axis=2)
    uneven = np.abs(positives[:, ::2] - positives[:, 1::2]).max()
    # Two blocks of one class differ by at most one, so two pairs of blocks by at most two.
    assert (uneven <= 2) == (partition == "stratified blocks")


@pytest.mark.parametrize("penalty", [0.0, 1.0, 25.0])
def test_a_data_set_is_cross_validated_as_by_scikit_learn(penalty):
    design = Design(60, MEANS, 0.5, penalty=penalty)
    trials = logistic_folds.run(design, 1, rng=np.random.default_rng(4))
    stream = np.random.default_rng(4).spawn(1)[0]
    (x,), (y,) = logistic_folds.draw(design, stream, 1)
    model = LogisticRegression(C=1 / penalty if penalty else np.inf, tol=1e-10, max_iter=1000)
    for fold, (train, test) in enumerate(f1ci.bcv_partitions(60, stratify=y, rng=0)):
        model.fit(x[train], y[train])
        (_, fp), (fn, tp) = confusion_matrix(y[test], model.predict(x[test]))
        assert trials.counts[0, fold // 2, fold % 2].tolist() == [tp, fp, fn]
    model.fit(x, y)
    rates = logistic_folds.rates(np.array([*model.intercept_, *model.coef_[0]]), MEANS)
    assert trials.rates_of_all[0] == pytest.approx(rates, abs=1e-5)


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
