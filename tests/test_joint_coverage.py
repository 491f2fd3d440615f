"""The exact and simulated properties of joint intervals, against code that shares nothing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from compendium.published import Number, read_number
from scipy import stats

import f1ci
from notebooks.shared import joint_coverage, kernels

F_HALF, ACCURACY, LIFT = f1ci.metrics.fbeta(0.5), f1ci.metrics.accuracy, f1ci.metrics.lift
# TN, FP, FN, TP of the rules that yuan's Table VI determines, and one of Table VII.
LOGISTIC, FOREST, SVM = (3106, 21, 202, 4), (3047, 80, 169, 37), (14826, 3, 473, 762)
Z = float(stats.norm.ppf(0.975))


def number(text: str) -> Number:
    found = read_number(text)
    assert found is not None
    return found


def test_tables_are_the_multinomial_distribution() -> None:
    cells = np.array([5, 2, 2, 1])
    counts, probability = joint_coverage.tables(8, cells)
    expected = {
        (8 - sum(rest), *rest): stats.multinomial.pmf((8 - sum(rest), *rest), 8, cells / 10)
        for rest in itertools.product(range(9), repeat=3)
        if sum(rest) <= 8
    }
    found = {tuple(c): p for c, p in zip(counts.tolist(), probability.tolist(), strict=True)}
    assert len(found) == len(counts)
    # Tables with a probability below e^-26 are left out.
    assert {c for c, p in expected.items() if p > 1e-11} <= set(found)
    for table, value in found.items():
        assert value == pytest.approx(expected[table], rel=1e-10)


@pytest.mark.parametrize("cells", [LOGISTIC, (90, 0, 5, 5)])
def test_tables_leave_out_less_than_one_in_a_million(cells: tuple[int, ...]) -> None:
    assert 1 - 1e-6 < joint_coverage.tables(3333, cells)[1].sum() <= 1 + 1e-9


def test_true_values_of_two_rules() -> None:
    # Z A_1 A_2 from 000 to 111.
    cells = [50, 5, 4, 1, 6, 8, 9, 17]
    found = joint_coverage.true_values(cells, [F_HALF, ACCURACY, LIFT])
    z, both_1, both_2, a_1, a_2 = 40, 26, 25, 31, 31
    expected = []
    for tp, a in ((both_1, a_1), (both_2, a_2)):
        expected += [tp / (0.8 * a + 0.2 * z), 1 - (a + z - 2 * tp) / 100, 100 * tp / (a * z)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def plain_intervals(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F0.5, accuracy and their standard errors from TN, FP, FN, TP, written out."""
    n = counts.sum(-1)
    tp, a, z = counts[..., 3], counts[..., 1] + counts[..., 3], counts[..., 2] + counts[..., 3]
    weight = 0.8 * a + 0.2 * z
    f = tp / weight
    correct = (n - counts[..., 1] - counts[..., 2]) / n
    # The influence of an item on F0.5 is (ZA - f (0.8 A + 0.2 Z)) n / weight, with mean 0.
    squares = tp * (1 - f) ** 2 + counts[..., 1] * (0.8 * f) ** 2 + counts[..., 2] * (0.2 * f) ** 2
    variance = squares * (n / weight) ** 2 / (n - 1) / n
    return np.stack([f, correct], -1), np.sqrt(
        np.stack([variance, correct * (1 - correct) / (n - 1)], -1)
    )


def test_exact_agrees_with_a_simulation_written_out() -> None:
    found = joint_coverage.exact(3333, LOGISTIC, [F_HALF, ACCURACY])
    draws = np.random.default_rng(7).multinomial(3333, np.array(LOGISTIC) / 3333, size=200_000)
    estimate, error = plain_intervals(draws.astype(float))
    truth, _ = plain_intervals(np.array(LOGISTIC, float))
    held = np.abs(estimate - truth) <= Z * error
    both = found.of("rule", "individual")
    one, two = found.single["individual"]
    for result, values in (
        (one, held[:, 0]),
        (two, held[:, 1]),
        (both.coverage, held.all(-1)),
        (both.length, 2 * Z * error.mean(-1)),
    ):
        # Four standard errors of 200,000 draws, and 1e-6 that enumeration leaves out.
        margin = 4 * result.deviation / math.sqrt(200_000) + 1e-6
        assert result.mean == pytest.approx(values.mean(), abs=margin)
        assert result.deviation == pytest.approx(values.std(), rel=0.02)


@pytest.mark.parametrize(
    ("cells", "metrics"), [(FOREST, [F_HALF, ACCURACY]), (SVM, [F_HALF, LIFT])]
)
def test_exact_agrees_with_the_public_functions_test_set_by_test_set(
    cells: tuple[int, ...], metrics: list[f1ci.metrics.BinaryMetric]
) -> None:
    n, size = 500, 20_000
    found = joint_coverage.exact(n, cells, metrics, rescaled=True)
    draws = np.random.default_rng(8).multinomial(n, np.array(cells) / sum(cells), size=size)
    truth = joint_coverage.true_values(cells, metrics)
    for kind, method in (("joint", "delta"), ("corrected", "blur")):
        estimate, covariance = kernels.joint_from_cells(draws, metrics, method=method)
        error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        q = f1ci.joint.joint_critical_value(covariance)[:, None]
        held = (np.abs(estimate - truth) <= q * error).all(-1)
        length = (2 * q * error / truth).mean(-1)
        for name, values in (("coverage", held), ("length", length)):
            result = getattr(found.of("rule", kind), name)
            margin = 4 * result.deviation / math.sqrt(size) + 1e-6
            assert result.mean == pytest.approx(values.mean(), abs=margin)


def test_three_measures_by_regression_agree_with_their_own_quantiles() -> None:
    metrics = [F_HALF, ACCURACY, LIFT]
    draws = np.random.default_rng(9).multinomial(3000, np.array(SVM) / 16064, size=3000)
    _, covariance = kernels.joint_from_cells(draws, metrics)
    own = f1ci.joint.joint_critical_value(covariance)
    (fitted,) = joint_coverage._critical_values([covariance], 0.95, each=True)
    # The docstring's order of 1e-3; the quantile is about 2.3.
    assert np.sqrt(np.mean((fitted - own) ** 2)) < 2e-3
    assert np.mean(fitted) == pytest.approx(np.mean(own), abs=3e-4)


def test_a_degenerate_measure_is_left_out_of_the_critical_value() -> None:
    metrics = [F_HALF, ACCURACY]
    draws = np.array([[90, 3, 7, 0], [90, 3, 4, 3]])
    _, covariance = kernels.joint_from_cells(draws, metrics)
    (found,) = joint_coverage._critical_values([covariance], 0.95, each=False)
    np.testing.assert_allclose(found, f1ci.joint.joint_critical_value(covariance), atol=1e-6)
    assert found[0] == pytest.approx(Z, abs=1e-6)


def test_several_rules_agree_with_one_run_of_the_public_functions() -> None:
    cells = np.array([60, 5, 4, 1, 6, 8, 9, 17]) / 110
    metrics, rules, size = [F_HALF, ACCURACY], ["a", "b"], 400
    found = joint_coverage.simulate(300, cells, metrics, rules, replicates=size, rng=3)
    draws = np.random.default_rng(3).multinomial(300, cells, size=size)
    truth = joint_coverage.true_values(cells, metrics)
    for kind, method in (("joint", "delta"), ("corrected", "blur")):
        estimate, covariance = kernels.joint_from_cells(draws, metrics, method=method)
        error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        q = f1ci.joint.joint_critical_value(covariance)[:, None]
        held = (np.abs(estimate - truth) <= q * error).all(-1).mean()
        # The common critical value may turn a case or two of the 400.
        assert found.of("all", kind).coverage == pytest.approx(held, abs=0.006)
        assert found.of("all", kind).length == pytest.approx((2 * q * error).mean(), rel=1e-3)
        b = slice(2, 4)
        q_b = f1ci.joint.joint_critical_value(covariance[:, b, b])[:, None]
        held_b = (np.abs(estimate - truth) <= q_b * error)[:, b].all(-1).mean()
        assert found.of("b", kind).coverage == held_b
        assert found.of("b", kind).length == pytest.approx((2 * q_b * error[:, b]).mean(), rel=1e-7)


def first_split(study: joint_coverage.Study[np.ndarray]) -> dict[tuple[str, ...], float]:
    """Every number of the first split, by name."""
    found = {(kind, f"m{k}"): v[0] for kind, of in study.single.items() for k, v in enumerate(of)}
    for key, intervals in study.families.items():
        found |= {(*key, name): values[0] for name, values in vars(intervals).items()}
    return found


def test_replications_do_not_depend_on_the_other_splits() -> None:
    cells = np.array([[60, 5, 4, 1, 6, 8, 9, 17], [50, 5, 4, 1, 16, 8, 9, 17]])
    options = {"metrics": [ACCURACY, F_HALF], "rules": ["a", "b"], "replicates": 50}
    both = joint_coverage.replications(100, cells, seed=np.random.SeedSequence(5), **options)
    one = joint_coverage.replications(100, cells[:1], seed=np.random.SeedSequence(5), **options)
    assert first_split(both) == first_split(one)
    plain = joint_coverage.replications(
        100, cells[:1], seed=np.random.SeedSequence(5), corrected=False, **options
    )
    assert 0 < len(first_split(plain)) < len(first_split(one))
    assert first_split(plain).items() <= first_split(one).items()


def test_drift_is_small_where_the_measures_behave() -> None:
    cells = np.array([60, 5, 4, 1, 6, 8, 9, 17])
    found = joint_coverage.drift(1000, cells, [F_HALF, ACCURACY], replicates=300, rng=1)
    assert 0 < found.deviation < 0.02
    assert abs(found.coverage) < 0.01
    assert abs(found.length) < 1e-3


def test_consistent_tables_are_all_of_them() -> None:
    total, f, accuracy = 300, number("0.52"), number("0.87")
    expected = set()
    for z in range(1, total // 2):
        for tp in range(z + 1):
            for a in range(max(tp, 1), total - z + tp + 1):
                if (
                    abs(tp / (0.8 * a + 0.2 * z) - 0.52) <= 0.005 + 1e-12
                    and abs(1 - (a + z - 2 * tp) / total - 0.87) <= 0.005 + 1e-12
                ):
                    expected.add((z, tp, a))
    assert len(expected) > 10
    assert joint_coverage.consistent_tables(total, f, accuracy) == expected


@pytest.mark.parametrize(
    ("printed", "replicates", "expected"),
    [
        ("0.9442", 5000, True),
        ("0.9443", 5000, False),
        ("0.9597", 3000, True),  # 2879 of 3000 is 0.95966...
        ("0.9598", 3000, False),
        ("0.9485", 2000, True),
        ("0.9486", 2000, False),
        ("0.9486", 10000, True),
    ],
)
def test_on_grid(printed: str, replicates: int, expected: bool) -> None:
    assert joint_coverage.on_grid(number(printed), replicates) is expected


def test_raked_cells_have_the_wanted_tables_and_keep_their_odds_ratios() -> None:
    # Two rules: raking multiplies each cell by a function of (Z, A_1) and one of (Z, A_2), so
    # that the odds ratio of the two rules stays what it was, for either outcome.
    cells = np.array([40, 6, 5, 2, 3, 4, 6, 9])
    wanted = np.array([[700, 60, 90, 150], [690, 70, 120, 120]])  # TN, FP, FN, TP
    raked = joint_coverage.rake(cells, wanted).reshape(2, 2, 2)
    assert raked.sum() == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(raked.sum(axis=2).ravel(), wanted[0] / 1000, atol=1e-9)
    np.testing.assert_allclose(raked.sum(axis=1).ravel(), wanted[1] / 1000, atol=1e-9)
    for before, after in zip(cells.reshape(2, 2, 2), raked, strict=True):
        odds = [t[0, 0] * t[1, 1] / (t[0, 1] * t[1, 0]) for t in (before, after)]
        assert odds[1] == pytest.approx(odds[0], rel=1e-9)


def test_what_cannot_be_raked_is_nan() -> None:
    cells = np.array([40, 6, 5, 2, 3, 4, 0, 0])  # the first rule finds no positive
    wanted = np.array([[700, 60, 90, 150], [690, 70, 120, 120]])
    assert np.isnan(joint_coverage.rake(cells, wanted)).all()


def test_another_square_in_the_blur() -> None:
    # By hand: the blur of the accuracy is (4 + 1 + 1) square / 2 over n^2.
    counts = np.array([[3106, 21, 202, 4]])
    n = counts.sum()
    truth = joint_coverage.true_values(counts[0], [ACCURACY])
    lengths = [
        joint_coverage.quantities(counts, truth, [ACCURACY], ["rule"], square=square)
        .of("rule", "corrected_individual")
        .length[0]
        for square in (None, Z**2, 4.0)
    ]
    p = (counts[0, 0] + counts[0, 3]) / n
    for length, square in zip(lengths, (Z**2, Z**2, 4.0), strict=True):
        expected = 2 * Z * math.sqrt(p * (1 - p) / (n - 1) + 3 * square / n**2)
        assert length == pytest.approx(expected, rel=1e-12)
