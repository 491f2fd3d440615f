"""Tests of difference: the inverted interval, exact, randomisation, and margins.

Oracles: the binomial test of scipy; McNemar's statistic; a general optimiser for the constrained
likelihood; the definition of the two one-sided tests. test_oracle.py enumerates all swaps.
"""

import itertools

import numpy as np
import pytest
from examples import labels_of, noisy
from scipy import stats

import f1ci
from f1ci import metrics
from f1ci.methods import paired

CELLS = [[[300, 12], [25, 10]], [[14, 30], [18, 100]]]


def test_exact_ties_count():
    """Swapping everything gives minus the observed difference, which rounding must not lose."""
    cells = np.array([[[400, 0], [0, 7]], [[3, 1], [0, 90]]])
    assert paired.exact_p_value(cells, 0.8, 0.2) == 1.0


@pytest.mark.parametrize("scale", [1, 30, 3_000])
def test_many_discordant_positives_only_are_a_binomial_test(scale):
    """Without discordant negatives the score rises with the number found: a sign test."""
    cells = np.zeros((2, 2, 2), dtype=np.int64)
    cells[0, 0, 0], cells[1, 1, 1] = 50 * scale, 20 * scale
    cells[1, 0, 1], cells[1, 1, 0] = 7 * scale, 5 * scale
    expected = stats.binomtest(7 * scale, 12 * scale).pvalue
    # scipy's tail and ours are good to about 1e-12 at 36,000 trials.
    assert paired.exact_p_value(cells, 0.5, 0.5) == pytest.approx(expected, rel=1e-11)


def test_accuracy_and_the_micro_average_are_the_exact_mcnemar_test():
    rng = np.random.default_rng(4)
    y, a, b = (rng.integers(0, 4, 200) for _ in range(3))
    only_a, only_b = int(((a == y) & (b != y)).sum()), int(((a != y) & (b == y)).sum())
    expected = stats.binomtest(only_a, only_a + only_b).pvalue
    test = f1ci.Labels(y, {"A": a, "B": b}).difference("micro_f1", test="exact")
    assert test.discordant == (only_a, only_b)
    assert test.method == "exact"
    assert test.p_value == pytest.approx(expected, rel=1e-12)
    right = np.ones(200, dtype=int)
    alike = f1ci.Labels(right, {"A": a == y, "B": b == y}, pos_label=True)
    same = alike.difference("accuracy", test="exact")
    assert same.p_value == pytest.approx(test.p_value, rel=1e-12)


def test_models_that_agree_on_all_positives_have_equal_recall():
    """Nothing is divided by zero; the inverted interval of recall has the p-value 1."""
    y, a, b = labels_of(np.array([[[18, 1], [0, 2]], [[5, 0], [0, 1]]]))
    assert f1ci.Labels(y, {"A": a, "B": b}).difference("recall").p_value == pytest.approx(1.0)


def test_random_swaps_agree_with_the_exact_test():
    y, a, b = labels_of(CELLS)
    exact = f1ci.Labels(y, {"A": a, "B": b}).difference(test="exact").p_value
    random = f1ci.Labels(y, {"A": a, "B": b}).difference(
        test="randomisation", replicates=40_000, rng=3
    )
    # Four standard errors of a share of 40,000.
    assert random.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 40_000))
    one_each = f1ci.Labels(y, {"A": a, "B": b}, groups=np.arange(len(y))).difference(
        test="randomisation", replicates=20_000, rng=3
    )
    assert one_each.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def studentised_difference(y, a, b, groups):
    """The difference of macro F1 over its cluster-robust error, from the definitions."""
    moves, values = np.zeros(groups.max() + 1), []
    for sign, predicted in ((-1, a), (1, b)):
        matrix = f1ci.confusion_matrix(y, predicted)
        values.append(metrics.macro_f1.value(matrix))
        influence = metrics.macro_f1.gradient(matrix)[y, predicted]
        moves += sign * np.bincount(groups, influence)
    return abs(values[1] - values[0]) * len(y) / np.sqrt((moves**2).sum())


def test_groups_are_swapped_whole():
    """All 2^6 swaps of six documents, one by one."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 60)
    a, b = (noisy(rng, y, right, 3) for right in (0.5, 0.8))
    groups = np.repeat(np.arange(6), 10)
    found = []
    for swaps in itertools.product((False, True), repeat=6):
        swapped = np.array(swaps)[groups]
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        found.append(studentised_difference(y, one, other, groups))
    exact = np.mean(np.array(found) >= found[0] - 1e-12)
    test = f1ci.Labels(y, {"A": a, "B": b}, groups=groups).difference(
        "macro_f1", test="randomisation", replicates=20_000, rng=1
    )
    assert test.verdict() == "A and B are not exchangeable"
    assert test.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
