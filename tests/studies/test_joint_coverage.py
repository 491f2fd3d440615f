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
FAMILIES = {"a": slice(0, 2), "all": slice(None)}
Z = float(stats.norm.ppf(0.975))


def own_intervals(
    kind: str, draws: np.ndarray, metrics: list[f1ci.metrics.BinaryMetric]
) -> tuple[np.ndarray, np.ndarray]:
    """Return estimates and half lengths, with one critical value for each test set."""
    drawn = jc.estimates(draws, metrics)
    covariance = drawn.covariance
    if kind == "corrected":
        covariance = jc.blurred(drawn, draws, metrics, Z**2)
    error = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    q = np.full(len(draws), Z)
    both = (error > 0).all(-1) & (kind != "individual")
    if both.any():
        q[both] = jc.own_critical_values(covariance[both])
    return drawn.value, q[:, None] * error


# Enumeration


@pytest.mark.parametrize(
    ("cells", "metrics"), [(FOREST, [F_HALF, ACCURACY]), (SVM, [F_HALF, LIFT])]
)
def test_exact_agrees_with_one_critical_value_for_each_test_set(
    cells: tuple[int, ...], metrics: list[f1ci.metrics.BinaryMetric]
) -> None:
    n, size = 500, 5_000
    found = jc.exact(jc.Study(metrics, rescaled=True), n, cells)
    draws = np.random.default_rng(8).multinomial(n, np.array(cells) / sum(cells), size=size)
    truth = jc.true_values(cells, metrics)
    for kind in ("individual", "joint", "corrected"):
        value, half = own_intervals(kind, draws, metrics)
        coverage = (np.abs(value - truth) <= half).all(-1)
        length = (2 * half / truth).mean(-1)
        for name, values in (("coverage", coverage), ("length", length)):
            result = found[f"rule/{kind}/{name}"]
            # Four standard errors, and 1e-6 that enumeration leaves out.
            margin = 4 * result.deviation / math.sqrt(size) + 1e-6
            assert result.mean == pytest.approx(values.mean(), abs=margin)


# Simulation


@pytest.mark.parametrize("kind", ["joint", "corrected"])
def test_several_rules_agree_with_one_critical_value_for_each_test_set(kind: str) -> None:
    cells, metrics, size = TWO_RULES / TWO_RULES.sum(), [F_HALF, ACCURACY], 400
    found = jc.simulate(jc.Study(metrics, FAMILIES), 300, cells, replicates=size, rng=3)
    draws = np.random.default_rng(3).multinomial(300, cells, size=size)
    value, half = own_intervals(kind, draws, metrics)
    coverage = (np.abs(value - jc.true_values(cells, metrics)) <= half).all(-1)
    # The common critical value of four measures may turn a case or two of the 400.
    assert found[f"all/{kind}/coverage"].mean == pytest.approx(coverage.mean(), abs=0.006)
    length = (2 * half).mean()
    assert found[f"all/{kind}/length"].mean == pytest.approx(length, rel=1e-3)


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
