"""The exact and simulated properties of joint intervals, against code that shares nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import f1ci
from notebooks.shared import joint_coverage as jc

F_HALF, ACCURACY, LIFT = f1ci.metrics.fbeta(0.5), f1ci.metrics.accuracy, f1ci.metrics.lift
# TN, FP, FN, TP of the rules that yuan's Table VI determines, and one of Table VII.
LOGISTIC, FOREST, SVM = (3106, 21, 202, 4), (3047, 80, 169, 37), (14826, 3, 473, 762)
TWO_RULES = np.array([60, 5, 4, 1, 6, 8, 9, 17])  # Z A_1 A_2 from 000 to 111
BOTH = {"a": slice(0, 2), "b": slice(2, 4), "all": slice(None)}
Z = float(stats.norm.ppf(0.975))


# Estimates and intervals


def by_items(cells: np.ndarray) -> tuple[list[float], np.ndarray, list[float]]:
    """F0.5, accuracy and lift of every rule, item by item: values, covariance, squared slopes."""
    items = np.repeat(np.arange(len(cells)), cells)
    z, *answers = (items >> np.arange(len(cells).bit_length() - 2, -1, -1)[:, None]) & 1
    values, influences, squares = [], [], []
    for a in answers:
        x, s, t = (z * a).mean(), a.mean(), z.mean()
        f, lift = x / (0.8 * s + 0.2 * t), x / (s * t)
        # Table III, by hand.
        for value, slopes in (
            (f, np.array([1, -0.8 * f, -0.2 * f]) / (0.8 * s + 0.2 * t)),
            (2 * x - s - t + 1, np.array([2, -1, -1])),
            (lift, lift * np.array([1 / x, -1 / s, -1 / t])),
        ):
            values.append(value)
            influences.append(slopes @ np.array([z * a, a, z]))
            squares.append(slopes @ slopes)
    return values, np.cov(influences) / len(items), squares


def test_estimates_are_those_of_the_items() -> None:
    cells = np.array([TWO_RULES, TWO_RULES[::-1]])
    found = jc.estimates(cells, [F_HALF, ACCURACY, LIFT])
    blurred = jc.blurred(found, cells, [F_HALF, ACCURACY, LIFT], 4.0)
    for i, test_set in enumerate(cells):
        values, covariance, squares = by_items(test_set)
        np.testing.assert_allclose(found.value[i], values, rtol=1e-13)
        np.testing.assert_allclose(found.covariance[i], covariance, rtol=1e-10, atol=1e-16)
        # Remark 2: the squared slopes times z^2 / 2n, over n.
        added = blurred[i] - found.covariance[i]
        expected = np.diag(squares) * 4 / 2 / test_set.sum() ** 2
        np.testing.assert_allclose(added, expected, atol=1e-14)


# Enumeration


@pytest.mark.parametrize(
    ("cells", "metrics"), [(FOREST, [F_HALF, ACCURACY]), (SVM, [F_HALF, LIFT])]
)
def test_exact_agrees_with_one_critical_value_for_each_test_set(
    cells: tuple[int, ...], metrics: list[f1ci.metrics.BinaryMetric]
) -> None:
    n, size = 500, 20_000
    found = jc.exact(jc.Study(metrics, rescaled=True), n, cells)
    draws = np.random.default_rng(8).multinomial(n, np.array(cells) / sum(cells), size=size)
    truth, drawn = jc.true_values(cells, metrics), jc.estimates(draws, metrics)
    for kind, covariance in (
        ("individual", drawn.covariance),
        ("joint", drawn.covariance),
        ("corrected", jc.blurred(drawn, draws, metrics, Z**2)),
    ):
        error = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        q = np.full(size, Z)
        both = (error > 0).all(-1) & (kind != "individual")
        if both.any():
            q[both] = jc.own_critical_values(covariance[both])
        held = (np.abs(drawn.value - truth) <= q[:, None] * error).all(-1)
        length = (2 * q[:, None] * error / truth).mean(-1)
        for name, values in (("coverage", held), ("length", length)):
            result = found[f"rule/{kind}/{name}"]
            # Four standard errors, and 1e-6 that enumeration leaves out.
            margin = 4 * result.deviation / math.sqrt(size) + 1e-6
            assert result.mean == pytest.approx(values.mean(), abs=margin)


def test_another_square_in_the_blur() -> None:
    # By hand: the blur of the accuracy is (4 + 1 + 1) square / 2 over n^2.
    counts = np.array([LOGISTIC])
    n, p = counts.sum(), (LOGISTIC[0] + LOGISTIC[3]) / sum(LOGISTIC)
    truth = jc.true_values(counts[0], [ACCURACY])
    for square, expected in ((None, Z**2), (Z**2, Z**2), (4.0, 4.0)):
        found = jc.quantities(jc.Study([ACCURACY], square=square), counts, truth)
        length = 2 * Z * math.sqrt(p * (1 - p) / (n - 1) + 3 * expected / n**2)
        assert found["rule/corrected_individual/length"][0] == pytest.approx(length, rel=1e-12)


# Simulation


def test_several_rules_agree_with_one_critical_value_for_each_test_set() -> None:
    cells, metrics, size = TWO_RULES / TWO_RULES.sum(), [F_HALF, ACCURACY], 400
    found = jc.simulate(jc.Study(metrics, BOTH), 300, cells, replicates=size, rng=3)
    draws = np.random.default_rng(3).multinomial(300, cells, size=size)
    truth, drawn = jc.true_values(cells, metrics), jc.estimates(draws, metrics)
    blurred = jc.blurred(drawn, draws, metrics, Z**2)
    for kind, covariance in (("joint", drawn.covariance), ("corrected", blurred)):
        error = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        for name, family in (("all", BOTH["all"]), ("b", BOTH["b"])):
            q = jc.own_critical_values(covariance[:, family, family])[:, None]
            held = np.abs(drawn.value - truth)[:, family] <= q * error[:, family]
            # The common critical value of four measures may turn a case or two of the 400.
            coverage = held.all(-1).mean()
            assert found[f"{name}/{kind}/coverage"].mean == pytest.approx(coverage, abs=0.006)
            length = (2 * q * error[:, family]).mean()
            assert found[f"{name}/{kind}/length"].mean == pytest.approx(length, rel=1e-3)


# Raking


def test_raked_cells_have_the_wanted_tables_and_keep_their_odds_ratios() -> None:
    # Two rules: raking multiplies each cell by a function of (Z, A_1) and one of (Z, A_2), so
    # the odds ratio of the two rules stays what it was, for either outcome.
    cells = np.array([40, 6, 5, 2, 3, 4, 6, 9])
    wanted = np.array([[700, 60, 90, 150], [690, 70, 120, 120]])  # TN, FP, FN, TP
    raked = jc.rake(cells, wanted).reshape(2, 2, 2)
    np.testing.assert_allclose(raked.sum(axis=2).ravel(), wanted[0] / 1000, atol=1e-9)
    np.testing.assert_allclose(raked.sum(axis=1).ravel(), wanted[1] / 1000, atol=1e-9)
    for before, after in zip(cells.reshape(2, 2, 2), raked, strict=True):
        odds = [t[0, 0] * t[1, 1] / (t[0, 1] * t[1, 0]) for t in (before, after)]
        assert odds[1] == pytest.approx(odds[0], rel=1e-9)
