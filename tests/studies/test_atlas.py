"""The methods that the coverage atlas compares with f1ci's, and its bookkeeping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, bootstrap, chi2, multinomial

import f1ci
from notebooks.shared import atlas, kernels, rivals

COUNTS = np.array([[60.0, 10.0, 20.0], [8.0, 3.0, 1.0], [30.0, 1.0, 2.0]]).T
WEIGHTS = (0.2, 0.8)


def rng(seed=1):
    return np.random.default_rng(seed)


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


def test_limits_of_a_difference_by_the_equation_are_deltas_among_many_items():
    # All score limits tend to the delta method's; at a million items a cell to three digits.
    table = 1e6 * np.array([[[60.0, 5.0], [2.0, 4.0]], [[8.0, 6.0], [1.0, 38.0]]])[None]
    expected = atlas.paired_methods(np.repeat(table, 20, axis=0))["delta"]
    found = kernels.equation_limits(table, atlas.Z)
    half = (expected[1][0] - expected[0][0]) / 2
    assert np.ravel(found) == pytest.approx([expected[0][0], expected[1][0]], abs=1e-3 * half)


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


def test_exact_coverage_of_two_classes_is_a_binomial_sum():
    """Weighted recall is accuracy: its interval depends on the number of right items alone."""
    n, metric = 20, f1ci.metrics.weighted("recall")
    cells, found = atlas.worst_of_two_classes(metric, n, 3)
    right = np.arange(n + 1)
    tables = np.zeros((n + 1, 2, 2))
    tables[:, 0, 0], tables[:, 0, 1] = right, n - right
    held = atlas.covered(atlas.limits_of(tables, metric), np.trace(cells))[0]
    # The search ends where a limit is the truth to about eight digits: one side or the other.
    assert found == pytest.approx(binom.pmf(right, n, np.trace(cells)) @ held, abs=1e-9)
    assert atlas.each_class_expects_three(cells, n)
    assert found < 0.95


def test_the_least_coverage_is_measured_again():
    atlas_of_three = atlas.Atlas(designs={"k": ["a", "b", "c"]})
    for low in (0.3, 0.5, 0.1):
        limits = np.array([0.2, low]), np.array([0.6, 0.7])
        atlas_of_three.add("k", "score", limits, 0.25)
    assert atlas_of_three.lowest("k", 2) == ["a", "b"]
    designs = [(np.eye(2) / 2, 10), (np.eye(2) / 2, 30)]
    assert atlas.measured_again(designs, lambda *of: of[1] / 100, 1, rng()) == 0.1


def test_variants_change_what_they_say():
    # Room: one item is wrong.
    metric, z = atlas.AVERAGES["macro precision"], atlas.Z
    m = np.diag([17.0, 17.0, 15.0])[None]
    m[0, 0, 1] = 1.0
    low, high = kernels.changed_limits(m, metric, z)
    np.testing.assert_allclose((low, high), atlas.limits_of(m, metric), rtol=1e-12)
    assert kernels.changed_limits(m, metric, z, few=0)[1] < high - 0.001
    assert kernels.changed_limits(m, metric, z, few=1)[1] == high
    # Bounds: of two items, both right, the variance to second order says that nothing is random.
    m, metric = np.eye(2)[None], atlas.AVERAGES["weighted precision"]
    assert kernels.changed_limits(m, metric, z)[0] < 0.5
    assert kernels.changed_limits(m, metric, z, bounds=(1e-3, np.inf))[0] > 0.9


# Rivals for macro F1

TABLE = np.array([[30.0, 4.0, 1.0], [3.0, 20.0, 2.0], [0.0, 5.0, 15.0]])


def test_mover_of_alike_classes_is_wilson_over_the_root_of_their_number():
    # Each class has 20 right items and 8 wrong ones of either kind: three equal parts.
    m = np.full((3, 3), 4.0) + 16 * np.eye(3)
    low, high = rivals.mover(m[None])
    one = f1ci.f1_interval(20, 8, 8)
    assert one.estimate - low[0] == pytest.approx((one.estimate - one.low) / 3**0.5)
    assert high[0] - one.estimate == pytest.approx((one.high - one.estimate) / 3**0.5)


def test_bca_limits_are_scipys():
    # SciPy resamples and jackknifes the items. Both have 20,000 resamples: errors of about .002.
    items = np.repeat(np.arange(9), TABLE.ravel().astype(int))

    def value(index, axis):
        counts = np.stack([(index == cell).sum(axis=axis) for cell in range(9)], axis=-1)
        return atlas.value(counts.reshape(*counts.shape[:-1], 3, 3), rivals.MACRO)

    expected = bootstrap(
        (items,), value, n_resamples=20_000, method="BCa", batch=2_000, rng=rng()
    ).confidence_interval
    assert rivals.bca(TABLE, 20_000, rng()) == pytest.approx(list(expected), abs=0.006)


def test_the_posterior_of_many_items_is_the_delta_methods():
    f, error = atlas.value_and_error(100 * TABLE, rivals.MACRO)
    low, high = rivals.bayes(100 * TABLE, 20_000, rng())
    assert (low, high) == pytest.approx(atlas.symmetric_limits(f, error), abs=0.001)


def test_rivals_are_compared_in_the_same_test_sets():
    rows = rivals.compare([(TABLE / TABLE.sum(), 80)], 20, (50, 200), 1)
    assert all(row.shape == (1, 3) for row in rows.values())
    # Some 25 items a class: the terms of second order change the length by a few per cent.
    assert rows["Lang"][0, 1] == pytest.approx(rows["score"][0, 1], rel=0.05)
    assert all(0.6 <= row[0, 0] <= 1 for row in rows.values())


def test_psf1_gives_what_its_readme_prints():
    # README of the R package psF1 0.4.7: ciFbOne(d = 10, b = 1, N = 58, s = 12).
    assert rivals.psf1(10, 1, 12, 58) == pytest.approx((0.6486486, 1.0), abs=1e-7)


@pytest.mark.parametrize(
    ("design", "of_psf1", "of_score"),
    [((58, 12, 0.8, 0.03), 0.987, 0.957), ((100, 40, 0.8, 0.1), 0.954, 0.959)],
)
def test_coverage_with_fixed_positives_is_that_of_an_outside_review(design, of_psf1, of_score):
    # A reviewer ran the R package; three digits.
    found = rivals.with_fixed_positives(*design)
    assert found["psF1"][0] == pytest.approx(of_psf1, abs=5e-4)
    assert found["score"][0] == pytest.approx(of_score, abs=5e-4)
