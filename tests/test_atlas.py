"""The methods that the coverage atlas compares with f1ci's, and its bookkeeping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, multinomial

import f1ci
from notebooks.shared import atlas, kernels

COUNTS = np.array([[60.0, 10.0, 20.0], [8.0, 3.0, 1.0], [30.0, 1.0, 2.0]]).T
WEIGHTS = (0.2, 0.8)


def rng(seed=1):
    return np.random.default_rng(seed)


def test_outcomes_are_all_counts_once():
    x, y, w = atlas.outcomes(4)
    assert len({*zip(x, y, w, strict=True)}) == x.size == 34  # comb(7, 3) - 1
    assert np.all((x + y + w >= 1) & (x + y + w <= 4))


def test_probabilities_are_multinomial_given_v():
    # Given v = 7 the counts are multinomial, whatever the number of items (SciPy).
    chance, p = atlas.probabilities(10, 0.5, 0.7, 0.25)
    counts = atlas.outcomes(atlas.largest_number(10))
    seven = counts.sum(axis=0) == 7
    expected = multinomial.pmf(counts[:, seven].T, 7, p)
    np.testing.assert_allclose(chance[seven] / chance[seven].sum(), expected, rtol=1e-10)


def test_likelihood_limits_are_where_the_ratio_is_the_chi_squared_quantile():
    # The likelihood on a fine grid of the simplex, maximised under the constraint.
    low, high = atlas.likelihood_limits(COUNTS, *WEIGHTS)
    a, b = WEIGHTS
    x, y, w = COUNTS[:, 0]
    best = sum(n * np.log(n / COUNTS[:, 0].sum()) for n in (x, y, w))
    share = np.linspace(1e-4, 1 - 1e-4, 200_001)
    for f in (low[0], high[0]):
        # p1 / (a p2 + b p3) = t with p2 = s (1 - p1), p3 = (1 - s) (1 - p1).
        t = f / (1 - f)
        p1 = 1 - 1 / (1 + t * (a * share + b * (1 - share)))
        logs = x * np.log(p1) + y * np.log(share * (1 - p1)) + w * np.log((1 - share) * (1 - p1))
        assert 2 * (best - logs.max()) == pytest.approx(chi2.ppf(0.95, 1), abs=1e-6)


def test_saddlepoint_limits_have_the_exact_tails():
    # The chance of more than was seen (ties by half), summed over all outcomes at the likeliest
    # probabilities that have the limit as score. The saddlepoint is wrong by less than 1e-3.
    a, b = WEIGHTS
    seen = COUNTS[:, 0]
    n = int(seen.sum())
    counts = atlas.outcomes(n)
    counts = counts[:, counts.sum(axis=0) == n]
    limits = atlas.saddlepoint_limits(seen[:, None], a, b)
    for (limit,), side in zip(limits, (1, -1), strict=True):
        c, m = atlas.constrained(seen, a, b, limit / (1 - limit))
        p = seen / (1 + m * c)
        excess = side * (c @ counts - c @ seen)
        chance = multinomial.pmf(counts.T, n, p / p.sum())
        tail = chance[excess > 1e-9].sum() + chance[np.abs(excess) <= 1e-9].sum() / 2
        assert tail == pytest.approx(0.025, abs=1e-3)


@pytest.mark.parametrize("name", atlas.AVERAGES)
def test_delta_error_of_an_average_is_the_package_s(name):
    # Both divide by the number of items; agreement to rounding.
    metric = atlas.AVERAGES[name]
    m = rng().integers(1, 20, (4, 3, 3)).astype(float)
    estimate, error = atlas.value_and_error(m, metric)
    interval = f1ci.metric_interval(m, metric, method="delta")
    np.testing.assert_allclose(estimate, interval.estimate, rtol=1e-12)
    np.testing.assert_allclose(error, interval.standard_error, rtol=1e-11)


@pytest.mark.parametrize("method", ["score", "cautious", "delta"])
def test_limits_of_a_difference_are_the_package_s(method):
    table = np.array([[[60, 5], [2, 4]], [[8, 6], [1, 38]]])
    interval = f1ci.difference_interval(*kernels.labels(table), "f1", method=method)
    n = table.sum()
    if method == "delta":
        a, b, rho = atlas.paired_error(table[None].astype(float))
        error = np.sqrt((a**2 + b**2 - 2 * rho * a * b) * n / (n - 1))
        assert error[0] == pytest.approx(interval.standard_error, rel=1e-11)
    else:
        low, high = kernels.difference_limits(table[None].astype(float), atlas.Z, method)
        assert (low[0], high[0]) == pytest.approx(tuple(interval), abs=1e-12)


@pytest.mark.parametrize("method", ["exact", "score"])
def test_p_values_are_those_of_difference_test(method):
    tables = np.random.default_rng(3).integers(0, 12, (20, 2, 2, 2)) + 1
    tables[:5, 0, 0, 1] = 0
    expected = [
        f1ci.difference_test(*kernels.labels(t), "f1", method=method).p_value for t in tables
    ]
    assert kernels.p_values(tables, method) == pytest.approx(expected, rel=1e-9)


def test_an_atlas_counts_coverage_misses_and_faults():
    study = atlas.Atlas()
    low, high = np.array([0.1, 0.6, 0.0, np.nan]), np.array([0.5, 0.7, 0.1, np.nan])
    study.add("k", "delta", (low, high), 0.4, np.array([0.4, 0.3, 0.2, 0.1]))
    assert study.of("k", "delta")[0] == pytest.approx([0.4, 0.3, 0.2, 0.4 * 0.4 + 0.03 + 0.02])
    assert study.faults["k", "delta"] == pytest.approx([0, 0, 0.1])
    (summary,) = study.summaries("k")
    assert summary.numbers()["mean"] == pytest.approx(40)


def test_search_ends_where_less_is_covered():
    # Coverage that falls with the first cell's share, without noise: the search must raise it.
    def coverage(cells, *_):
        return 1 - float(cells[0, 0])

    start = atlas.even_population(3, 100, 30)
    end = atlas.search(start, 100, atlas.each_class_expects_three, coverage, rng(), 60, 1)
    assert coverage(end, 100, 1, rng()) < coverage(start, 100, 1, rng()) - 0.2
    assert end.sum() == pytest.approx(1)
    assert atlas.each_class_expects_three(end, 100)
