"""Planning: the bound is never exceeded, is attained, and gives the published sizes.

`nu`, the variance that everything is compared with, is the formula that Jiang (2020) prints in
proposition 1. `worst_by_search` maximises it numerically and knows no derivation.
"""

import dataclasses
import math

import numpy as np
import pytest
from examples import TOY, labels_of, noisy
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, stats

import f1ci
from f1ci.methods.paired import exact_p_value
from f1ci.metrics import f1, fbeta, tversky
from f1ci.planning import _variance_bound

# Weights with a up to 2: b below and above a.
WEIGHTS = [
    *[(0.8, 0.2), (0.5, 0.5), (0.2, 0.8), (1.0, 1.0), (0.0, 1.0), (1.3, 2.5), (2.0, 1.0)],
    *[(1.9, 0.02), (2.0, 0.4), (2.0, 10.0), (1.0, 0.999), (1.0, 1.001)],
]
Z = 1.959963984540054  # the normal quantile of a level of .95


def nu(tp, fp, fn, a, b):
    """Proposition 1, for cell probabilities (the true negatives do not matter)."""
    tau = tp / (tp + a * fp + b * fn)
    # 1 / tau - 1 without its cancellation where there are few errors.
    odds, squared = (a * fp + b * fn) / tp, (a * a * fp + b * b * fn) / tp
    return (squared + odds**2) / tp * tau**4


def scaled(fp, fn, a, b):
    """nu b E(Z) for one true positive: it does not depend on the scale."""
    return nu(1.0, fp, fn, a, b) * b * (1.0 + fn)


def worst_by_search(a, b):
    """The largest `scaled` over all rules: a grid, then a local search from its best points."""
    grid = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 300)])
    fp, fn = np.meshgrid(grid, grid, indexing="ij")
    values = scaled(fp, fn, a, b)
    best = values.max()
    for k in np.argsort(values, axis=None)[-3:]:
        found = optimize.minimize(
            lambda s: -scaled(s[0] ** 2, s[1] ** 2, a, b),
            np.sqrt([fp.flat[k], fn.flat[k]]),  # squares stay above 0
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 4000},
        )
        best = max(best, -found.fun)
    return best


# The bound


@pytest.mark.parametrize(
    ("largest", "printed"),
    [(0.5, ".1549"), (0.6, ".1695"), (0.7, ".1861"), (0.8, ".2050"), (0.9, ".2262")],
)
def test_the_published_table(largest, printed):
    """Proposition 1 (iii)."""
    assert f"{_variance_bound(largest):.4f}"[1:] == printed


@pytest.mark.parametrize(("a", "b"), WEIGHTS)
def test_the_bound_is_what_a_search_finds(a, b):
    # The search stops at differences of 1e-14. So the bound is exceeded by no rule, and attained;
    # also at b = 1, where the printed formula fails.
    assert _variance_bound(b) == pytest.approx(worst_by_search(a, b), rel=1e-11)


def test_above_two_the_bound_fails_and_is_refused():
    assert worst_by_search(4.0, 0.05) > 1.01 * _variance_bound(0.05)
    with pytest.raises(ValueError, match=r"a <= 2 and b > 0, got .* a = 4"):
        f1ci.sample_size(tversky(4, 0.05), half_width=0.1)


# Sample sizes for one score


def test_the_published_example_without_rounding():
    """V z^2 / (b h^2) with z^2 = 3.841458820694124 (chi-squared tables) and V(.2).

    Section 2.3 has V(.8) and a rounded standard error: its 16667 is in the book's notebook.
    """
    plan = f1ci.sample_size(fbeta(0.5), half_width=0.02, prevalence=0.615)
    needed = 0.1214518969690813 * 3.841458820694124 / (0.2 * 0.02**2)
    assert (plan.positives, plan.total) == (math.ceil(needed), math.ceil(needed / 0.615))
    assert (plan.positives, plan.total) == (5832, 9483)
    assert plan.standard_error == pytest.approx(0.02 / Z, rel=1e-14)
    assert f1ci.sample_size(fbeta(0.5), half_width=Z * 0.01, prevalence=0.615).total == 9875


@pytest.mark.parametrize("error", [0.1, 0.05, 0.01, 0.005, 1e-3, 1e-5])
def test_a_whole_number_is_not_rounded_up(error):
    """Recall needs 1 / (4 delta^2) positives: 25, 100, 2500, ..., whatever the last bit says."""
    plan = f1ci.sample_size("recall", half_width=Z * error, prevalence=0.1)
    assert plan.positives == round(0.25 / error**2)
    assert plan.total == 10 * plan.positives


@given(
    beta=st.floats(0.1, 10),
    half_width=st.floats(0.005, 0.4),
    shares=st.tuples(*[st.floats(0, 1)] * 2),
)
def test_the_planned_width_is_kept(beta, half_width, shares):
    """Any table with the planned number of positives has an interval that narrow."""
    metric = fbeta(beta)
    positives = f1ci.sample_size(metric, half_width=half_width).positives
    tp = max(1, round(shares[0] * positives))
    fp = round(shares[1] * 2 * positives)
    assume(fp or tp < positives)
    interval = f1ci.Matrix([[7, fp], [positives - tp, tp]]).interval(metric, method="delta")
    assert interval.length / 2 <= half_width * (1 + 1e-12)


# Two models on the same items


def cells_of_two_models(gain, prevalence, score, positive, negative):
    """Cell probabilities by truth, A and B: B wins the share (1 + gain) / 2 of discordant items.

    As many items are predicted positive as are, on the mean of both models.
    """
    p = np.zeros((2, 2, 2))
    wins = np.array([1 + gain, 1 - gain]) / 2
    p[1, 0, 1], p[1, 1, 0] = positive * wins
    p[0, 1, 0], p[0, 0, 1] = negative * wins
    p[1, 1, 1] = prevalence * score - positive / 2
    p[0, 1, 1] = prevalence * (1 - score) - negative / 2
    p[1, 0, 0] = prevalence - p[1].sum()
    p[0, 0, 0] = 1 - prevalence - p[0].sum()
    return p


@pytest.mark.parametrize(
    ("prevalence", "score", "positive", "negative", "difference"),
    [
        (0.1, 0.6, 0.015, 0.015, 0.03),
        (0.3, 0.8, 0.075, 0.015, 0.03),
        (0.5, 0.8, 0.075, 0.075, 0.06),
    ],
)
def test_the_planned_power_is_had(prevalence, score, positive, negative, difference):
    options = {"disagreement": (positive, negative), "score": score, "prevalence": prevalence}
    plan = f1ci.comparison_sample_size(difference=difference, power=0.8, **options)

    def missing(gain):
        """The difference of F1 that this gain makes, less the planned one."""
        p = cells_of_two_models(gain, prevalence, score, positive, negative)
        return f1.value(p.sum(axis=1)) - f1.value(p.sum(axis=2)) - difference

    gain = optimize.brentq(missing, 0, 1)
    p = cells_of_two_models(gain, prevalence, score, positive, negative)
    tables = np.random.default_rng(17).multinomial(plan.items, p.ravel(), 1500)
    p = [exact_p_value(cells.reshape(2, 2, 2), 0.5, 0.5) for cells in tables]
    # A point for the formula, and three standard errors of a share of 1500.
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.8, abs=0.01 + 3 * 0.0103)
    assert plan.unpaired > plan.items


def test_recall_is_planned_as_mcnemars_test():
    """Recall is the share right among positives, so d1 alone matters, whatever recall is."""
    plan = f1ci.comparison_sample_size(
        "recall", difference=0.1, disagreement=(0.1, 0.3), score=0.8, prevalence=0.5
    )
    z, w = stats.norm.ppf([0.975, 0.8])
    share = 0.1 / 0.5  # of the positives, on which McNemar's test is
    assert plan.items == np.ceil((z + w) ** 2 * share / 0.1**2 / 0.5)


def test_a_pilot_gives_its_own_variance():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    a, b = (noisy(rng, y, right, 3) for right in (0.6, 0.7))
    groups = np.arange(300) // 10
    for clusters, units in ((None, 300), (groups, 30)):
        plan = f1ci.Labels(y, {"A": a, "B": b}, groups=clusters).plan("macro_f1", difference=0.05)
        interval = f1ci.Labels(y, {"A": a, "B": b}, groups=clusters).difference("macro_f1").interval
        assert plan.variance == pytest.approx(units * interval.standard_error**2, rel=1e-12)


# One score, from a pilot


def test_a_published_interval_gives_back_its_items():
    """Takahashi et al. (2022): macro F1 of 100 items is .689, with the interval .562 to .817."""
    y_true, y_pred = labels_of(TOY)
    plan = f1ci.Labels(y_true, y_pred).plan("macro_f1", half_width=(0.817 - 0.562) / 2)
    # A limit is printed with three digits, so that the half width is known within 0.4 %.
    assert plan.items == pytest.approx(100, rel=0.01)
    assert plan.pilot_items == 100
    half = f1ci.Labels(y_true, y_pred).plan("macro_f1", half_width=0.1275 / 2)
    assert half.items == pytest.approx(400, rel=0.01)


def test_a_macro_average_is_planned_by_its_rarest_class():
    """Its error is at most the mean of the classes' errors, so the bound of the rarest is kept."""
    plan = f1ci.sample_size("macro_f1", half_width=0.1, prevalence=0.1)
    of_rarest = f1ci.sample_size("f1", half_width=0.1, prevalence=0.1)
    assert plan == dataclasses.replace(of_rarest, metric="macro_f1")
    rng = np.random.default_rng(6)
    for sizes in (np.array([1, 1, 8]), np.array([1, 4, 5]), np.array([1, 2, 2, 5])):
        right = rng.uniform(0.1, 0.95, (50, len(sizes)))
        for shares in right:
            rows = [
                rng.multinomial(
                    plan.positives * size,
                    np.where(np.arange(len(sizes)) == k, p, (1 - p) / (len(sizes) - 1)),
                )
                for k, (size, p) in enumerate(zip(sizes, shares, strict=True))
            ]
            interval = f1ci.Matrix(rows).interval("macro_f1", method="delta")
            assert interval.length / 2 <= 0.1
    assert "items of the rarest class" in str(plan)


@pytest.mark.parametrize("items", [60, 200])
def test_the_range_of_a_plan_holds_what_is_needed(items):
    """Pilots of a known population: the range of 95 % for the variance of one score and of two."""
    rng = np.random.default_rng(items)
    p = np.array([[[0.54, 0.05], [0.07, 0.04]], [[0.03, 0.07], [0.03, 0.17]]])
    y, a, b = labels_of((p * 1e4).round().astype(int))  # the population itself
    population = f1ci.Labels(y, {"A": a, "B": b})
    one = population.plan("f1", "A", half_width=0.05).items
    two = population.plan("f1", difference=0.05).items
    held = []
    for counts in rng.multinomial(items, p.ravel(), 500):
        y, a, b = labels_of(counts.reshape(2, 2, 2))
        pilot = f1ci.Labels(y, {"A": a, "B": b})
        plans = pilot.plan("f1", "A", half_width=0.05), pilot.plan("f1", difference=0.05)
        held.append(
            [
                low <= n <= high
                for n, (low, high) in zip((one, two), (x.between for x in plans), strict=True)
            ]
        )
        assert all(plan.between[0] <= plan.items <= plan.between[1] for plan in plans)
    # A chi-square of estimated degrees of freedom is an approximation; the error is below 0.015.
    assert 0.90 <= np.min(np.mean(held, axis=0)) <= np.max(np.mean(held, axis=0)) <= 0.985


def leaving_out(kind, question, *arrays):
    """The jackknife's variance of the logarithm of a pilot's variance."""
    every = range(len(arrays[0]))
    left = [
        np.log(question(kind(*(np.delete(x, g, axis=0) for x in arrays))).variance) for g in every
    ]
    return (len(left) - 1) * np.var(left)


@pytest.mark.parametrize("difference", [False, True])
@pytest.mark.parametrize("kind", ["labels", "groups", "units", "scores"])
def test_how_sure_a_pilot_is_agrees_with_leaving_units_out(kind, difference):
    """The range has the degrees of freedom 2 / w, where w is the relative variance of V."""
    rng = np.random.default_rng(3)
    docs = np.add(rng.poisson((6, 1.5, 1.5), (150, 2, 3)), [1, 0, 0])
    y = rng.integers(0, 2, (150, 4))
    a, b = (noisy(rng, y, right, 2) for right in (0.6, 0.7))
    models = {
        "labels": lambda y, a, b: f1ci.Labels(y[:, 0], {"A": a[:, 0], "B": b[:, 0]}),
        "groups": lambda y, a, b: f1ci.Labels(
            y.ravel(), {"A": a.ravel(), "B": b.ravel()}, groups=np.arange(y.size) // 4
        ),
        "units": lambda a, b: f1ci.Units({"A": a, "B": b}),
        "scores": lambda a, b: f1ci.Scores({"A": a, "B": b}),
    }[kind]
    data = {"units": (docs[:, 0], docs[:, 1]), "scores": (rng.random(150), rng.random(150))}
    data = data.get(kind, (y, a, b))

    def plan(pilot):
        if difference:
            return pilot.plan(difference=0.05)
        return pilot.plan(model="A", half_width=0.02)

    low, high = plan(models(*data)).between
    degrees = 2 / leaving_out(models, plan, *data)
    expected = stats.chi2.ppf(0.975, degrees) / stats.chi2.ppf(0.025, degrees)
    # The jackknife and the delta method differ by terms of the order 1 / 150, and more where V is
    # hardly linear.
    assert np.log(high / low) == pytest.approx(np.log(expected), rel=0.06)


def test_a_pilot_of_six_items_allows_nearly_anything():
    plan = f1ci.Labels([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]).plan(half_width=0.05)
    low, high = plan.between
    assert high > 5 * low
    assert f"the pilot allows {low:,} to {high:,}, at 95 %" in str(plan)
