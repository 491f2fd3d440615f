"""Block-regularised partitions: the conditions that define them, for many n, m and seeds."""

from itertools import combinations
from math import floor, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

import f1ci


def first_halves(folds, n):
    """Membership (m, n) of each observation in S_1, ..., S_m."""
    halves = np.zeros((len(folds) // 2, n), dtype=bool)
    for half, (train, _) in zip(halves, folds[::2], strict=True):
        half[train] = True
    return halves


def blocks_of(folds, n):
    """A number for each observation: the same if no S_j separates the two."""
    _, block = np.unique(first_halves(folds, n), axis=1, return_inverse=True)
    return block.reshape(-1)


def block_number(repetitions):
    return 1 << repetitions.bit_length()


# Table 1


def test_three_repetitions_are_table_1():
    # S1 = B1 B2, S2 = B1 B3, S3 = B2 B3: B1 is in S1 and S2, B2 in S1 and S3, B3 in S2 and S3,
    # B4 in none.
    halves = first_halves(f1ci.bcv_partitions(40, rng=0), 40)
    patterns, sizes = np.unique(halves.T, axis=0, return_counts=True)
    assert patterns.tolist() == [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert sizes.tolist() == [10, 10, 10, 10]


def test_pairs_come_in_the_order_of_the_formulas():
    folds = f1ci.bcv_partitions(17, repetitions=5, rng=2)
    assert len(folds) == 10
    for (train, test), (train_2, test_2) in zip(folds[::2], folds[1::2], strict=True):
        np.testing.assert_array_equal(train, test_2)
        np.testing.assert_array_equal(test, train_2)
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(17))


# The two regularity conditions


@pytest.mark.parametrize("repetitions", range(1, 20))
def test_conditions_hold_exactly_if_the_blocks_divide_n(repetitions):
    n = 4 * block_number(repetitions)
    halves = first_halves(f1ci.bcv_partitions(n, repetitions=repetitions, rng=1), n)
    overlaps = halves.astype(int) @ halves.T
    # n/2 on the diagonal (half sizes), n/4 beside it.
    expected = np.where(np.eye(repetitions, dtype=bool), n // 2, n // 4)
    np.testing.assert_array_equal(overlaps, expected)


@settings(max_examples=100)
@given(n=st.integers(4, 500), repetitions=st.integers(1, 17), seed=st.integers(0, 2**32 - 1))
def test_conditions_hold_within_the_stated_bounds(n, repetitions, seed):
    blocks = block_number(repetitions)
    n = max(n, blocks)
    folds = f1ci.bcv_partitions(n, repetitions=repetitions, rng=seed)
    halves = first_halves(folds, n)
    difference = np.abs(2 * halves.sum(axis=1) - n)
    assert difference.max() <= (1 + (n % 2 == 0) if repetitions <= 3 else floor(2.2 * sqrt(blocks)))
    overlaps = halves.astype(int) @ halves.T
    for j, k in combinations(range(repetitions), 2):
        assert abs(overlaps[j, k] - n / 4) <= 3 * blocks / 16
    if repetitions == blocks - 1:  # otherwise blocks cannot be told apart from outside
        assert np.ptp(np.bincount(blocks_of(folds, n), minlength=blocks)) <= 1


# Stratification


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5).filter(lambda x: sum(x) >= 8),
    repetitions=st.sampled_from([3, 7]),
    seed=st.integers(0, 2**32 - 1),
)
def test_classes_are_balanced_to_within_one(sizes, repetitions, seed):
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    n, blocks = labels.size, block_number(repetitions)
    folds = f1ci.bcv_partitions(n, repetitions=repetitions, stratify=labels, rng=seed)
    block = blocks_of(folds, n)
    assert np.ptp(np.bincount(block, minlength=blocks)) <= 1
    for label in np.unique(labels):
        assert np.ptp(np.bincount(block[labels == label], minlength=blocks)) <= 1


# Randomness


def test_the_same_seed_gives_the_same_partitions():
    once = f1ci.bcv_partitions(50, rng=7)
    again = f1ci.bcv_partitions(50, rng=np.random.default_rng(7))
    other = f1ci.bcv_partitions(50, rng=8)
    assert all(np.array_equal(a, b) for (a, _), (b, _) in zip(once, again, strict=True))
    assert not np.array_equal(once[0][0], other[0][0])


@pytest.mark.parametrize("stratify", [None, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]])
def test_every_pair_of_observations_meets_equally_often(stratify):
    # n = 10 in four blocks of 2 or 3: two blocks of three and two of two hold 2 * 3 + 2 * 1 = 8 of
    # the 45 pairs. Stratified into 5 + 5, one pair per class: 2 of the 10 + 10 pairs
    # within a class and 6 of the 25 between.
    # Tolerance: 4.5 standard errors of a share over 2000 seeds, for each of 45 pairs.
    replicates = 2000
    together = np.zeros((10, 10))
    for seed in range(replicates):
        block = blocks_of(f1ci.bcv_partitions(10, stratify=stratify, rng=seed), 10)
        together += block[:, None] == block
    labels = np.zeros(10) if stratify is None else np.asarray(stratify)
    same_class = labels[:, None] == labels
    expected = np.where(same_class, 8 / 45 if stratify is None else 2 / 20, 6 / 25)
    error = np.sqrt(expected * (1 - expected) / replicates)
    upper = np.triu_indices(10, 1)
    assert (np.abs(together / replicates - expected) / error)[upper].max() < 4.5


# Scikit-learn


def test_scikit_learn_takes_the_pairs_as_cv():
    x, y = np.zeros((24, 1)), np.tile([0, 1, 1], 8)
    folds = f1ci.bcv_partitions(24, stratify=y, rng=0)
    # 16 of 24 are positive, the same share in each fold: always saying 1 is right for 2/3.
    scores = cross_val_score(DummyClassifier(strategy="most_frequent"), x, y, cv=folds)
    np.testing.assert_allclose(scores, np.full(6, 2 / 3))
