"""Coverage: the paper's tables, brute force, and one stream on any executor."""

import itertools
import math
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import mpmath
import numpy as np
import pytest
from scipy import stats

import f1ci
from f1ci import coverage

# Test sets without relevant items are part of every design.
pytestmark = pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")

METHODS = ["wilson_indirect", "wilson_direct", "clopper_pearson", "wald"]

SCENARIOS = {1: (0.4, 0.1, 0.1), 2: (0.64, 0.16, 0.16), 3: (0.16, 0.04, 0.64)}


def design(p11, p10, p01):
    """All four cells."""
    return [p11, p10, p01, max(1 - p11 - p10 - p01, 0.0)]


# All tables of six items.
SIX = np.array([t for t in itertools.product(range(7), repeat=4) if sum(t) == 6])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "p", [(0.3, 0.2, 0.1), (0.05, 0.05, 0.0), (0.5, 0.5, 0.0), (0.9, 0.1, 0.0)]
)
def test_exact_equals_the_sum_over_all_tables(method, p):
    """The definition: every multinomial table of n = 6 with its probability from factorials."""
    chance = stats.multinomial.pmf(SIX, 6, design(*p))
    truth = 2 * p[0] / (2 * p[0] + p[1] + p[2])
    low, high = f1ci.f1_interval(*SIX.T[:3], method=method)
    mean_square = chance @ (high - low) ** 2
    expected = {
        "coverage": chance @ ((low <= truth) & (truth <= high)),
        "expected_length": chance @ (high - low),
        "overshoot": chance @ ((low < 0) | (high > 1)),
        "degeneracy": chance @ (low == high),
        "undefined": 0.0,
        "enumerated": 1.0,
    }
    ours = coverage.exact(6, design(*p), method=method)
    for name, value in expected.items():
        # 84 products of doubles; the enumeration leaves out at most 1e-9.
        assert getattr(ours, name) == pytest.approx(value, abs=1e-9), name
    # The root may double the relative error; the variances here are above 0.001.
    deviation = np.sqrt(mean_square - expected["expected_length"] ** 2)
    assert ours.length_deviation == pytest.approx(deviation, abs=1e-7)


# Enumeration

# Takahashi et al. (2022), scenario 2, rows true: unequal cells.
SKEW = np.array([[64, 8, 8], [3, 4, 3], [3, 3, 4]]) / 100


@pytest.mark.parametrize(
    ("n", "cells"),
    [
        (7, [1.0]),
        (12, [0.3, 0.7]),
        (5, [[0.2, 0.0], [0.5, 0.3]]),
        (6, [0.1, 0.2, 0.3, 0.25, 0.15]),
        (4, SKEW),
    ],
)
def test_every_table_once_with_its_multinomial_probability(n, cells):
    design = np.asarray(cells)
    counts, probability = map(np.concatenate, zip(*coverage.tables(n, cells), strict=True))
    assert counts.shape[1:] == design.shape
    flat = counts.reshape(len(counts), -1)
    assert np.all(flat.sum(axis=1) == n)
    k = np.count_nonzero(design)
    assert len(np.unique(flat, axis=0)) == len(flat) == math.comb(n + k - 1, k - 1)
    assert flat.tolist() == sorted(flat.tolist())
    # Rounding of a few logarithms.
    expected = stats.multinomial.pmf(flat, n, design.ravel())
    np.testing.assert_allclose(probability, expected, rtol=1e-12)
    assert probability.sum() == pytest.approx(1, abs=1e-12)


def test_rare_tables_are_left_out_and_nothing_else():
    every = np.concatenate([p for _, p in coverage.tables(8, SKEW)])
    counts, kept = map(np.concatenate, zip(*coverage.tables(8, SKEW, least=1e-6), strict=True))
    assert len(kept) == np.count_nonzero(every >= 1e-6) < len(every)
    np.testing.assert_allclose(kept, every[every >= 1e-6], rtol=1e-13)
    assert counts.reshape(-1, 9).tolist() == sorted(counts.reshape(-1, 9).tolist())


@pytest.mark.parametrize(("n", "rel"), [(10**3, 5e-12), (10**8, 3e-6)])
@pytest.mark.parametrize("share", [60, 1.5])
def test_probabilities_of_rare_cells_against_40_digits(n, rel, share):
    # A rare class, its complement, and a tiny cell. The logarithm of the factorial of 1e8 is 1.7e9,
    # so a double knows it to 2e-7; four of them meet.
    rare, tiny = share / n, 1e-3 / n
    p = [rare, 1 - rare - tiny, tiny]
    with mpmath.workdps(40):
        exact_p = [mpmath.mpf(x) for x in p]
        exact_p = [x / sum(exact_p) for x in exact_p]
        for counts, probability in coverage.tables(n, p, least=1e-25):
            for table, found in list(zip(counts.tolist(), probability, strict=True))[::5]:
                ways = mpmath.gamma(mpmath.mpf(n) + 1)
                for x, q in zip(table, exact_p, strict=True):
                    ways *= q**x / mpmath.gamma(mpmath.mpf(x) + 1)
                assert found == pytest.approx(float(ways), rel=rel)


@pytest.mark.parametrize("n", [10**6, 10**8])
def test_exact_coverage_of_rare_positives_in_a_huge_test_set_is_the_poisson_limit(n):
    # 40 true positives and 20 wrong ones are expected. Binomial counts differ from Poisson ones by
    # at most p = 60 / n in total variation (Le Cam).
    p11, p10, p01 = 40 / n, 10 / n, 10 / n
    result = coverage.exact(n, [p11, p10, p01, 1 - p11 - p10 - p01])
    tp, wrong = np.meshgrid(np.arange(150), np.arange(120), indexing="ij")
    weight = stats.poisson.pmf(tp, 40) * stats.poisson.pmf(wrong, 20)
    interval = f1ci.f1_interval(tp, wrong, np.zeros_like(wrong))
    expected = weight[(interval.low <= 0.8) & (interval.high >= 0.8)].sum()
    # Probabilities are known to 1e-6.
    assert result.coverage == pytest.approx(expected, abs=60 / n + 1e-6)
    assert result.enumerated == pytest.approx(1, abs=1e-6)


def _named(counts, level=0.95, method="wilson_indirect"):
    interval = f1ci.f1_interval(*counts[:, :3].T, confidence_level=level, method=method)
    return interval.low, interval.high


def several(counts):
    """Two intervals per test set."""
    return tuple(
        np.stack(ends, axis=1) for ends in zip(_named(counts), _named(counts, 0.5), strict=True)
    )


def test_undefined_intervals_count_as_misses_or_not_at_all():
    def only_when_even(counts):
        low = np.where(counts[:, 0] % 2 == 0, 0.0, np.nan)
        return low, low + 1

    result = coverage.exact(2, [0.5, 0.5], method=only_when_even, truth=0.5)
    assert result.coverage == pytest.approx(0.5, abs=1e-15)
    assert result.undefined == pytest.approx(0.5, abs=1e-15)
    assert result.coverage_if_defined == pytest.approx(1, abs=1e-15)
    assert result.expected_length == pytest.approx(1, abs=1e-15)
    never = coverage.exact(2, [1.0], method=lambda c: (c[:, 0] * np.nan,) * 2, truth=0.5)
    assert never.coverage == 0
    assert math.isnan(never.coverage_if_defined)


@pytest.mark.parametrize("of", [coverage.exact, partial(coverage.simulate, replicates=999, rng=5)])
def test_several_intervals_at_once(of):
    cells = design(*SCENARIOS[1])
    both = of(20, cells, method=several, truth=[0.8, 0.7])
    assert both.coverage.shape == (2,)
    for k, (level, truth) in enumerate([(0.95, 0.8), (0.5, 0.7)]):
        alone = of(20, cells, method=partial(_named, level=level), truth=truth)
        assert both.coverage[k] == pytest.approx(alone.coverage, abs=1e-13)
        assert both.expected_length[k] == pytest.approx(alone.expected_length, abs=1e-13)


# Simulation


@pytest.mark.parametrize("method", METHODS)
def test_simulation_agrees_with_enumeration(method):
    p = SCENARIOS[3]
    simulated = coverage.simulate(25, [*p, 0.16], method=method, replicates=200_000, rng=20241118)
    expected = coverage.exact(25, design(*p), method=method)
    # Four standard errors; with 12 comparisons a correct program fails one time in a thousand,
    # and the seed is fixed.
    assert abs(simulated.coverage - expected.coverage) < 4 * simulated.coverage_error
    assert abs(simulated.expected_length - expected.expected_length) < 4 * simulated.length_error
    for name in ("overshoot", "degeneracy"):
        share = getattr(expected, name)
        error = math.sqrt(share * (1 - share) / 200_000)
        assert getattr(simulated, name) == pytest.approx(share, abs=4 * error)
    # The relative standard error is sqrt((kurtosis - 1) / (4 replicates)); the kurtosis is below 5.
    assert simulated.length_deviation == pytest.approx(
        expected.length_deviation, rel=4 * math.sqrt(1 / 200_000)
    )


def test_sums_of_batches_are_those_of_one_sample(monkeypatch):
    # The same draws in one batch, computed by numpy from all values at once.
    monkeypatch.setattr(coverage, "_BATCH", 400)
    p = [*SCENARIOS[1], 0.4]
    result = coverage.simulate(25, p, method=cautious, truth=0.8, replicates=250, rng=11)
    streams = np.random.default_rng(11).spawn(3)
    sizes = (100, 100, 50)
    draws = [s.multinomial(25, p, size=k) for s, k in zip(streams, sizes, strict=True)]
    low, high = cautious(np.concatenate(draws))
    covered = (low <= 0.8) & (high >= 0.8)
    length = (high - low)[np.isfinite(low)]
    assert result.coverage == pytest.approx(covered.mean(), rel=1e-13)
    assert result.coverage_error == pytest.approx(stats.sem(covered), rel=1e-12)
    assert result.expected_length == pytest.approx(length.mean(), rel=1e-13)
    assert result.length_deviation == pytest.approx(length.std(ddof=1), rel=1e-12)
    assert result.length_error == pytest.approx(stats.sem(length), rel=1e-12)


def cautious(counts):
    """An interval that refuses small counts: undefined there."""
    low, high = _named(counts)
    return np.where(counts[:, 0] > 2, low, np.nan), high


def _study(executor=None, rng=99):
    options = {"method": "wilson_direct", "replicates": 600_000, "rng": rng, "executor": executor}
    return coverage.simulate(60, [*SCENARIOS[2], 0.04], **options)


@pytest.fixture(scope="module")
def study():
    return pickle.dumps(_study())


def test_two_processes_give_the_same_numbers(study):
    with ProcessPoolExecutor(2) as pool:
        assert pickle.dumps(_study(pool)) == study


def test_seeds_of_every_kind_and_different_ones_differ(study):
    assert pickle.dumps(_study(rng=np.random.SeedSequence(99))) == study
    assert pickle.dumps(_study(rng=np.random.default_rng(99))) == study
    assert pickle.dumps(_study(rng=100)) != study
