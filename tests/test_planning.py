"""Planning: the bounds are never exceeded, are attained, and give the published sizes.

`nu`, the variance that everything is compared with, is the formula that Jiang (2020) prints in
proposition 1; `worst_by_search` maximises it numerically and knows nothing of the derivation in
`f1ci.planning`.
"""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import f1ci
from f1ci.metrics import fbeta, tversky
from f1ci.planning import variance_bound, worst_rule

# Weights that meet all branches: b below and above a, a far above 2.
WEIGHTS = [
    *[(0.8, 0.2), (0.5, 0.5), (0.2, 0.8), (1.0, 1.0), (0.0, 1.0), (1.3, 2.5), (2.0, 1.0)],
    *[(1.9, 0.02), (2.5, 0.4), (2.9, 0.05), (2.5, 0.9), (3.0, 2.5), (4.0, 0.05), (20.0, 0.02)],
    *[(5.0, 1.0), (20.0, 1.0), (20.0, 5.0), (12.0, 10.0), (2.01, 1.0), (8.0, 0.3)],
]
weights = st.floats(1e-3, 30.0)
ratios = st.floats(0.0, 1e6)


def nu(tp, fp, fn, a, b):
    """Proposition 1, for cell probabilities (the true negatives do not matter)."""

    def tau(a, b):
        return tp / (tp + a * fp + b * fn)

    # 1 / tau - 1 without its cancellation where there are few errors.
    odds, squared = (a * fp + b * fn) / tp, (a * a * fp + b * b * fn) / tp
    return (squared + odds**2) / tp * tau(a, b) ** 4


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
        start = np.sqrt([fp.flat[k], fn.flat[k]])  # squares stay above 0
        found = optimize.minimize(
            lambda s: -scaled(s[0] ** 2, s[1] ** 2, a, b),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 4000},
        )
        best = max(best, -found.fun)
    return best


# ---------------------------------------------------------------- the bound


@pytest.mark.parametrize(
    ("largest", "printed"),
    [(0.5, ".1549"), (0.6, ".1695"), (0.7, ".1861"), (0.8, ".2050"), (0.9, ".2262")],
)
def test_the_published_table(largest, printed):
    """Proposition 1 (iii); with a = b both bounds are the paper's."""
    for bound in ("sharp", "jiang"):
        assert f"{variance_bound(largest, largest, bound=bound):.4f}"[1:] == printed
    assert f"{variance_bound(largest, 0.1, bound='jiang'):.4f}"[1:] == printed
    assert f"{variance_bound(0.1, largest, bound='jiang'):.4f}"[1:] == printed


@pytest.mark.parametrize("largest", [1e-6, 0.3, 0.999, 1.0, 1.001, 2.0, 40.0])
def test_the_maximum_is_a_maximum(largest):
    """V by its definition, t (1 - t) (1 - (1 - m) t)^2, also where the printed formula fails."""
    found = optimize.minimize_scalar(
        lambda t: -t * (1 - t) * (1 - (1 - largest) * t) ** 2,
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-10},
    )
    # A maximum is flat: an error of 1e-8 in t is one of 1e-16 in V.
    assert variance_bound(0, largest) == pytest.approx(-found.fun, rel=1e-13)


def test_values_that_are_known_in_closed_form():
    assert variance_bound(1, 1) == 0.25  # the limit at 1: t (1 - t)
    assert variance_bound(0, 1, bound="jiang") == 0.25  # recall is a proportion of the positives
    # t (1 - t)^3 and, over m^2, t^3 (1 - t) have the maximum 27/256.
    assert variance_bound(0, 1e-9) == pytest.approx(27 / 256, rel=1e-8)
    assert variance_bound(0, 1e6) / 1e12 == pytest.approx(27 / 256, rel=1e-5)


@pytest.mark.parametrize(("a", "b"), WEIGHTS)
def test_the_sharp_bound_is_what_a_search_finds(a, b):
    # The search stops at differences of 1e-14.
    assert variance_bound(a, b) == pytest.approx(worst_by_search(a, b), rel=1e-11)


def test_all_branches_are_met():
    """Rules without false positives, without false negatives, and with both."""
    kinds = {(x > 0, y > 0) for x, y in (worst_rule(a, b) for a, b in WEIGHTS)}
    assert kinds == {(False, True), (True, False), (True, True)}


@given(a=weights | st.just(0.0), b=weights, fp=ratios, fn=ratios)
def test_no_rule_exceeds_the_bounds(a, b, fp, fn):
    # 1e-12 is the rounding of some twenty operations.
    sharp, jiang = variance_bound(a, b), variance_bound(a, b, bound="jiang")
    assert scaled(fp, fn, a, b) <= sharp * (1 + 1e-12)
    assert sharp <= jiang * (1 + 1e-12)


@given(a=weights | st.just(0.0), b=weights)
def test_the_worst_rule_attains_the_sharp_bound(a, b):
    assert scaled(*worst_rule(a, b), a, b) == pytest.approx(variance_bound(a, b), rel=1e-9)


@given(a=weights, b=weights)
def test_when_the_published_function_of_b_is_sharp(a, b):
    """The supremum is V(b) if a <= b + u_o(b), which is at least 2, and more if not."""
    odds = (3 - 3 * b + math.sqrt(9 * b * b - 14 * b + 9)) / 2
    of_b = variance_bound(b, b)
    assert odds + b >= 2 - 1e-12
    if a <= b + odds:
        assert variance_bound(a, b) == pytest.approx(of_b, rel=1e-12)
    elif a > (b + odds) * 1.01:  # just above the difference is of fourth order
        assert variance_bound(a, b) > of_b


def test_both_kinds_of_errors_in_closed_form():
    """Where the worst rule has both, S = (a - 2b)^4 / {64 d (1 - b)^2 (d - 1)^2}, d = a - b."""
    for a, b in [(2.9, 0.05), (4.0, 0.05), (20.0, 0.02)]:
        d = a - b
        closed = (a - 2 * b) ** 4 / (64 * d * (1 - b) ** 2 * (d - 1) ** 2)
        if min(worst_rule(a, b)) > 0:
            assert variance_bound(a, b) == pytest.approx(closed, rel=1e-12)
    assert min(worst_rule(4.0, 0.05)) > 0


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_the_worst_table_of_counts(beta):
    """A table of whole numbers attains the bound, by the interval of the delta road."""
    metric = fbeta(beta)
    x, y = worst_rule(metric.a, metric.b)
    tp = 10**9  # rounding the others changes their ratios by 1e-9, the variance by far less
    table = np.array([[10**9, round(x * tp)], [round(y * tp), tp]])
    error = f1ci.metric_interval(table, metric).standard_error
    bound = variance_bound(metric.a, metric.b) / (metric.b * table[1].sum())
    assert error**2 == pytest.approx(bound, rel=1e-9)
    assert error**2 <= bound * (1 + 1e-12)


# ---------------------------------------------------------------- sample sizes


def test_the_published_example():
    """Section 2.3: 10250 and 16667, from V = .2050 and a standard error rounded to .01."""
    plan = f1ci.sample_size(fbeta(0.5), standard_error=0.01, prevalence=0.615, bound="jiang")
    assert f"{plan.variance_bound:.4f}" == "0.2050"
    assert round(round(plan.variance_bound, 4) / (0.01**2 * 0.2)) == 10250  # printed
    assert math.ceil(10250 / 0.615) == 16667  # printed
    # With all digits of V; mpmath: V = 0.204970225529479659...
    assert (plan.positives, plan.total) == (10249, 16665)
    # V = .2050, 1.96 and the standard error as it is: lead 21 of the errata.
    assert math.ceil(0.2050 / ((0.02 / 1.96) ** 2 * 0.2 * 0.615)) == 16007


def test_the_published_example_without_rounding():
    """V z^2 / (b h^2) with z^2 = 3.841458820694124 (chi-squared tables), V(.8) and V(.2)."""
    options = {"half_width": 0.02, "prevalence": 0.615}
    for bound, v, positives, total in [
        ("jiang", 0.2049702255294797, 9843, 16004),
        ("sharp", 0.1214518969690813, 5832, 9483),
    ]:
        plan = f1ci.sample_size(fbeta(0.5), bound=bound, **options)
        needed = v * 3.841458820694124 / (0.2 * 0.02**2)
        assert (plan.positives, plan.total) == (math.ceil(needed), math.ceil(needed / 0.615))
        assert (plan.positives, plan.total) == (positives, total)
        assert plan.standard_error == pytest.approx(0.02 / 1.959963984540054, rel=1e-14)
        assert plan.bound == bound
    rounded = f1ci.sample_size(fbeta(0.5), standard_error=0.01, prevalence=0.615)
    assert rounded.total == 9875


def test_the_bounds_agree_unless_a_exceeds_b():
    for metric in ("f1", "jaccard", "recall", fbeta(2), tversky(0.3, 4)):
        plans = [f1ci.sample_size(metric, half_width=0.03, bound=b) for b in ("sharp", "jiang")]
        assert plans[0] == dataclasses.replace(plans[1], bound="sharp")


def test_recall_is_the_textbook_sample_size():
    """z^2 / (4 h^2): 385 positives for five points at 95 %, as in every textbook."""
    assert f1ci.sample_size("recall", half_width=0.05).positives == 385


@pytest.mark.parametrize("error", [0.1, 0.05, 0.01, 0.005, 1e-3, 1e-5])
def test_a_whole_number_is_not_rounded_up(error):
    """Recall needs 1 / (4 delta^2) positives: 25, 100, 2500, ..., whatever the last bit says."""
    plan = f1ci.sample_size("recall", standard_error=error, prevalence=0.1)
    assert plan.positives == round(0.25 / error**2)
    assert plan.total == 10 * plan.positives


def test_fields_and_defaults():
    plan = f1ci.sample_size(half_width=0.02)
    assert plan.metric == "f1"
    assert plan.total is None
    assert plan.bound == "sharp"
    assert plan.confidence_level == 0.95
    assert plan.positives == f1ci.sample_size("f1", half_width=0.02, prevalence=1.0).total
    assert type(plan.positives) is int
    assert plan == f1ci.sample_size(fbeta(1), half_width=np.float64(0.02))
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.total = 3


def test_a_plan_asks_for_at_least_one_positive():
    plan = f1ci.sample_size(standard_error=100.0, prevalence=0.3)
    assert (plan.positives, plan.total) == (1, 1)
    # A level near 0 gives a quantile near 0, which must not divide by zero.
    assert f1ci.sample_size(half_width=0.1, confidence_level=1e-9).positives == 1


@given(
    beta=st.floats(0.1, 10),
    half_width=st.floats(0.005, 0.4),
    shares=st.tuples(*[st.floats(0, 1)] * 2),
)
def test_the_planned_width_is_kept(beta, half_width, shares):
    """Any table with the planned number of positives has an interval that narrow."""
    metric = fbeta(beta)
    for bound in ("sharp", "jiang"):
        positives = f1ci.sample_size(metric, half_width=half_width, bound=bound).positives
        tp = max(1, round(shares[0] * positives))
        fp = round(shares[1] * 2 * positives)
        interval = f1ci.metric_interval([[7, fp], [positives - tp, tp]], metric)
        assert interval.length / 2 <= half_width * (1 + 1e-12)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "exactly one of half_width, standard_error.*half_width=None"),
        ({"half_width": 0.1, "standard_error": 0.1}, ValueError, "exactly one of"),
        ({"half_width": 0}, ValueError, "half_width must be a finite number above 0, got 0"),
        (
            {"half_width": 2},
            ValueError,
            "half_width must be below 1, the range of a score, got 2.0",
        ),
        ({"half_width": -0.1}, ValueError, "half_width .* got -0.1"),
        ({"half_width": math.nan}, ValueError, "half_width .* got nan"),
        ({"half_width": "wide"}, TypeError, "half_width must be a number, got 'wide'"),
        ({"standard_error": True}, TypeError, "standard_error must be a number, got True"),
        ({"standard_error": math.inf}, ValueError, "standard_error .* got inf"),
        ({"half_width": 0.1, "prevalence": 0.0}, ValueError, r"prevalence .*\(0, 1\], got 0.0"),
        ({"half_width": 0.1, "prevalence": 61.5}, ValueError, "prevalence .* got 61.5"),
        ({"half_width": 0.1, "prevalence": "half"}, TypeError, "prevalence .* got 'half'"),
        ({"half_width": 0.1, "confidence_level": 95}, ValueError, "did you mean 0.95"),
        ({"half_width": 0.1, "bound": "best"}, ValueError, "'sharp', 'jiang', got 'best'"),
        ({"half_width": 0.1, "power": 2}, ValueError, "power goes with difference, got power=2"),
        ({"difference": 0.1, "bound": "jiang"}, ValueError, "goes with a width, got bound='jiang'"),
        ({"half_width": 0.1, "score": 0.8}, ValueError, "goes with difference, got score=0.8"),
        (
            {"half_width": 0.1, "disagreement": (0.1, 0.1)},
            ValueError,
            r"goes with difference, got disagreement=\(0.1, 0.1\)",
        ),
        ({"metric": tversky(10, 1), "half_width": 10**400}, ValueError, "at most 1e308, got 1000"),
        ({"half_width": 1e-200}, ValueError, r"2\*\*50 items, but the plan asks for inf"),
        ({"half_width": 1e-3, "prevalence": 1e-12}, ValueError, r"2\*\*50 items"),
        ({"metric": "f2", "half_width": 0.1}, ValueError, "metric must be one of .* got 'f2'"),
        ({"metric": "accuracy", "half_width": 0.1}, ValueError, "Tversky.*got 'accuracy'"),
        ({"metric": "macro_f1", "half_width": 0.1}, ValueError, "Tversky.*got 'macro_f1'"),
        ({"metric": "precision", "half_width": 0.1}, ValueError, "b = 0.*got 'precision'"),
        ({"metric": tversky(2, 0), "half_width": 0.1}, ValueError, r"got 'tversky\(2, 0\)'"),
    ],
)
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        f1ci.sample_size(**arguments)


@pytest.mark.parametrize("function", [variance_bound, worst_rule])
def test_bad_weights(function):
    with pytest.raises(ValueError, match="b = 0"):
        function(1.0, 0.0)
    with pytest.raises(ValueError, match="got -1"):
        function(-1, 0.5)
    with pytest.raises(TypeError, match="got '1'"):
        function("1", 0.5)


# ---------------------------------------------------------------- two models on the same items


def two_models(n, prevalence, score, positive, negative, difference, rng):
    """Cell probabilities by truth, A and B: shares of discordant items, a known difference of F1.

    B wins the share (1 + gain) / 2 of the discordant items, and as many items are predicted
    positive as are, on the mean of both models.
    """

    def cells(gain):
        p = np.zeros((2, 2, 2))
        p[1, 0, 1], p[1, 1, 0] = positive * (1 + gain) / 2, positive * (1 - gain) / 2
        p[0, 0, 1], p[0, 1, 0] = negative * (1 - gain) / 2, negative * (1 + gain) / 2
        p[1, 1, 1] = prevalence * score - positive / 2
        p[0, 1, 1] = prevalence * (1 - score) - negative / 2
        p[1, 0, 0] = prevalence - p[1].sum()
        p[0, 0, 0] = 1 - prevalence - p[0].sum()
        return p

    def found(gain):
        by_a, by_b = cells(gain).sum(axis=2), cells(gain).sum(axis=1)
        return f1ci.metrics.f1.value(by_b) - f1ci.metrics.f1.value(by_a) - difference

    return rng.multinomial(n, cells(optimize.brentq(found, 0, 1)).ravel(), 4_000)


@pytest.mark.parametrize(
    ("prevalence", "score", "positive", "negative", "difference"),
    [
        (0.1, 0.6, 0.015, 0.015, 0.03),
        (0.3, 0.8, 0.075, 0.015, 0.03),
        (0.5, 0.8, 0.075, 0.075, 0.06),
    ],
)
def test_the_planned_power_is_had(prevalence, score, positive, negative, difference):
    plan = f1ci.sample_size(
        "f1",
        difference=difference,
        disagreement=(positive, negative),
        score=score,
        prevalence=prevalence,
        power=0.8,
    )
    rng = np.random.default_rng(17)
    drawn = two_models(plan.items, prevalence, score, positive, negative, difference, rng)
    p = [
        f1ci.methods.paired.exact_p_value(cells.reshape(2, 2, 2), 0.5, 0.5)
        for cells in drawn[:1500]
    ]
    # A point for the formula, and three standard errors of a share of 1500.
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.8, abs=0.01 + 3 * 0.0103)
    assert plan.unpaired > plan.items
    found = f1ci.planning.detectable_difference(plan, plan.items)
    assert found == pytest.approx(difference, rel=1 / plan.items)  # items are whole numbers


def test_the_plan_for_f1_is_the_formula_of_the_page():
    """(z + w)^2 {d1 (2 - F)^2 + d0 F^2} / (D delta)^2."""
    d1, d0, score, prevalence, difference = 0.04, 0.03, 0.7, 0.2, 0.01
    plan = f1ci.sample_size(
        difference=difference,
        disagreement=(d1, d0),
        score=score,
        prevalence=prevalence,
        power=0.9,
        confidence_level=0.99,
    )
    variance = (d1 * (2 - score) ** 2 + d0 * score**2) / (2 * prevalence) ** 2
    z, w = stats.norm.ppf([0.995, 0.9])
    assert plan.variance == pytest.approx(variance, rel=1e-13)
    assert plan.items == pytest.approx((z + w) ** 2 * variance / difference**2, abs=1)


def test_recall_is_planned_as_mcnemars_test():
    """Recall is the share right among positives, so d1 alone matters, whatever recall is."""
    plan = f1ci.sample_size(
        "recall", difference=0.1, disagreement=(0.1, 0.3), score=0.8, prevalence=0.5
    )
    z, w = stats.norm.ppf([0.975, 0.8])
    share = 0.1 / 0.5  # of the positives, on which McNemar's test is
    assert plan.items == np.ceil((z + w) ** 2 * share / 0.1**2 / 0.5)


def test_a_pilot_gives_its_own_variance():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    a, b = (np.where(rng.random(300) < right, y, rng.integers(0, 3, 300)) for right in (0.6, 0.7))
    groups = np.arange(300) // 10
    for clusters, units in ((None, 300), (groups, 30)):
        plan = f1ci.planning.pilot_sample_size(
            y, a, b, "macro_f1", difference=0.05, groups=clusters
        )
        interval = f1ci.difference_interval(y, a, b, "macro_f1", groups=clusters)
        assert plan.variance == pytest.approx(units * interval.standard_error**2, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"disagreement": 0.1}, "disagreement must hold the shares .*, got 0.1"),
        ({"disagreement": (0.1, 2)}, "disagreement must lie between 0 and 1, got 2"),
        ({"difference": 0}, "difference must be a finite number above 0, got 0"),
        ({"power": 1.2}, r"power must lie strictly between 0 and 1, got 1\.2"),
        ({"score": 0}, r"score must lie in \(0, 1\], got 0"),
        ({"half_width": 0.1}, "give exactly one of half_width, standard_error, difference"),
        ({"metric": "accuracy"}, "got 'accuracy'"),
    ],
)
def test_bad_plans_for_differences(options, message):
    plan = {"difference": 0.1, "disagreement": (0.1, 0.1), "score": 0.8, "prevalence": 0.3}
    with pytest.raises(ValueError, match=message):
        f1ci.sample_size(**(plan | options))
