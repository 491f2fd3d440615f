"""Sample sizes: against Jiang's printed table and example, and against what they rest on."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import f1ci
from f1ci.planning import _largest_variance_at, _variance_constant

F_HALF = SimpleNamespace(a=0.8, b=0.2, name="fbeta(0.5)")  # Jiang's remark 1
NORMAL = 1.959963984540054  # qnorm(0.975) in R 4.2.2

weight = st.floats(0.02, 20.0)
probability = st.floats(1e-6, 1.0)


def asymptotic_variance(tp, fp, fn, tn, a, b):
    """Of a Tversky index: the delta method on multinomial cells, with no formula of Jiang's."""
    cells = np.array([tp, fp, fn, tn]) / (tp + fp + fn + tn)

    def index(p):
        return p[0] / (p[0] + a * p[1] + b * p[2])

    step = 1e-20j
    gradient = np.array([index(cells + step * unit).imag / 1e-20 for unit in np.eye(4)])
    return gradient @ (np.diag(cells) - np.outer(cells, cells)) @ gradient


# Jiang (2020), Proposition 1 (iii), all that is printed.
@pytest.mark.parametrize(
    ("m", "printed"), [(0.5, 0.1549), (0.6, 0.1695), (0.7, 0.1861), (0.8, 0.2050), (0.9, 0.2262)]
)
def test_constant_is_the_printed_one(m, printed):
    assert round(_variance_constant(m), 4) == printed


@given(m=st.floats(1e-3, 1e3))
@example(m=1.0)  # where the paper's expression for the maximiser divides by zero
@example(m=1 - 1e-9)
def test_constant_is_the_maximum_over_tau(m):
    found = minimize_scalar(
        lambda tau: -tau * (1 - tau) * (1 - (1 - m) * tau) ** 2,
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-10},
    )
    # The maximum is flat: an argument off by 1e-10 changes the value by 1e-16 or so. The
    # argument itself is only found to about the root of machine precision.
    assert _variance_constant(m) == pytest.approx(-found.fun, rel=1e-11)
    assert _largest_variance_at(m) == pytest.approx(found.x, abs=1e-6)


@given(m=st.floats(0.01, 50).filter(lambda m: abs(m - 1) > 1e-3))
def test_maximiser_is_the_papers_where_that_is_defined(m):
    c = 1 / (1 - m)
    root = np.sqrt(4 * c * c - 4 * c + 9)
    paper = (3 + 2 * c - root) / 8 if c > 1 else (3 + 2 * c + root) / 8
    # For c = 1000 the paper's expression loses four of its sixteen digits.
    assert _largest_variance_at(m) == pytest.approx(paper, rel=1e-11)


def test_constant_of_jaccard_is_a_quarter():
    # m = 1: max of tau (1 - tau).
    assert _variance_constant(1.0) == 0.25


@given(
    tp=probability, fp=st.floats(0, 1), fn=st.floats(0, 1), tn=st.floats(0, 1), a=weight, b=weight
)
@example(tp=0.1, fp=0.0, fn=0.4, tn=0.5, a=0.5, b=0.5)  # where Jiang's proof of (ii) fails
@example(tp=1.0, fp=10.0, fn=1e-3, tn=0.0, a=5.0, b=0.02)
def test_no_table_exceeds_either_bound(tp, fp, fn, tn, a, b):
    variance = asymptotic_variance(tp, fp, fn, tn, a, b)
    prevalence = (tp + fn) / (tp + fp + fn + tn)
    metric = SimpleNamespace(a=a, b=b)
    for sharp in (False, True):
        plan = f1ci.sample_size(metric, standard_error=0.01, sharp=sharp)
        # Rounding in the variance, a difference of numbers up to 1.
        assert variance * prevalence <= plan.variance_bound * (1 + 1e-9) + 1e-13


@given(a=st.floats(0.02, 2.0), b=weight)
def test_sharp_bound_is_attained(a, b):
    # No false positives, and false negatives so that the index is tau_o(b).
    tau = _largest_variance_at(b)
    tp, fn = 1.0, (1 / tau - 1) / b
    variance = asymptotic_variance(tp, 0.0, fn, 0.0, a, b)
    plan = f1ci.sample_size(SimpleNamespace(a=a, b=b), standard_error=0.01, sharp=True)
    assert variance == pytest.approx(plan.variance_bound, rel=1e-9)  # prevalence is 1
    published = f1ci.sample_size(SimpleNamespace(a=a, b=b), standard_error=0.01).variance_bound
    if a <= b:
        assert variance == pytest.approx(published, rel=1e-9)  # Jiang's bound is sharp too
    else:
        assert plan.variance_bound < published


def test_the_papers_bound_is_not_sharp_for_its_own_example():
    # (a, b) = (.8, .2): the largest variance that any of a fine grid of tables has, against
    # V(.8) / .2 = 1.025 and V(.2) / .2 = .607. Grid spacing 1 %, the maximum is flat.
    recall = 1 / (1 + np.geomspace(1e-4, 1e4, 1600))[:, None]
    fp = np.r_[0.0, np.geomspace(1e-6, 1e6, 1600)] * recall
    s, s2 = (0.8 * fp + 0.2 * (1 - recall)) / recall, (0.64 * fp + 0.04 * (1 - recall)) / recall
    largest = ((s2 + s * s) / (recall * (1 + s) ** 4)).max()  # Jiang's nu(a, b) with EZ = 1
    assert largest == pytest.approx(_variance_constant(0.2) / 0.2, rel=1e-4)
    assert largest < 0.6 * _variance_constant(0.8) / 0.2


def test_worked_example_with_its_rounding():
    # Section 2.3: V = .2050, delta = .02 / 1.96 rounded to .01, EZ = .615.
    assert round(0.2050 / (0.01**2 * 0.2)) == 10250
    # With V unrounded one needs 10248.5 and 16664.2.
    plan = f1ci.sample_size(F_HALF, standard_error=0.01, prevalence=0.615)
    assert (plan.positives, plan.total) == (10249, 16665)
    assert plan.positives == pytest.approx(10250, abs=2)
    assert plan.total == pytest.approx(16667, abs=3)


def test_worked_example_without_rounding():
    # .02 / 1.95996 = .0102043, not .01: 4 % fewer. By hand: V / (.2 delta^2) with
    # V = .20497022552947964, the maximum found by Brent's method in R 4.2.2's optimize.
    plan = f1ci.sample_size(F_HALF, half_width=0.02, prevalence=0.615)
    delta = 0.02 / NORMAL
    positives = 0.20497022552947964 / (0.2 * delta**2)
    assert (plan.positives, plan.total) == (np.ceil(positives), np.ceil(positives / 0.615))
    assert (plan.positives, plan.total) == (9843, 16004)
    assert plan.standard_error == pytest.approx(delta, rel=1e-14)


def test_sharp_needs_fewer_for_the_papers_example():
    plan = f1ci.sample_size(F_HALF, half_width=0.02, prevalence=0.615, sharp=True)
    assert (plan.positives, plan.total) == (5832, 9483)  # V(.2) / V(.8) = .593 times as many


@pytest.mark.parametrize("metric", ["f1", SimpleNamespace(a=0.5, b=0.5)])
def test_both_ways_to_ask_agree(metric):
    by_error = f1ci.sample_size(metric, standard_error=0.013, prevalence=0.2, confidence_level=0.9)
    by_width = f1ci.sample_size(
        metric, half_width=by_error.half_width, prevalence=0.2, confidence_level=0.9
    )
    assert (by_error.positives, by_error.total) == (by_width.positives, by_width.total)
    # qnorm(0.95) in R 4.2.2
    assert by_error.half_width == pytest.approx(0.013 * 1.644853626951472, rel=1e-14)


def test_sizes_are_integers_rounded_up():
    # Jaccard: .25 / .01^2 is 2500 exactly, and stays; .25 / .0101^2 = 2450.74.
    exact = f1ci.sample_size("jaccard", standard_error=0.01, prevalence=1.0)
    assert (exact.positives, exact.total) == (2500, 2500)
    up = f1ci.sample_size("jaccard", standard_error=0.0101, prevalence=0.3)
    assert (up.positives, up.total) == (2451, 8170)  # 8169.1
    assert isinstance(up.positives, int)
    assert isinstance(up.total, int)
    assert f1ci.sample_size("f1", half_width=0.05).total is None


@given(a=weight, b=weight, error=st.floats(1e-4, 0.3), prevalence=st.floats(0.01, 1))
def test_planned_size_keeps_the_standard_error(a, b, error, prevalence):
    plan = f1ci.sample_size(SimpleNamespace(a=a, b=b), standard_error=error, prevalence=prevalence)
    assert np.sqrt(plan.variance_bound / plan.positives) <= error * (1 + 1e-9)
    assert np.sqrt(plan.variance_bound / (plan.total * prevalence)) <= error * (1 + 1e-9)
    # and not more than one observation too many
    assert np.sqrt(plan.variance_bound / max(plan.positives - 1, 1e-9)) >= error * (1 - 1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give exactly one of half_width and standard_error, got half_width=None"),
        ({"half_width": 0.1, "standard_error": 0.1}, "got half_width=0.1, standard_error=0.1"),
        ({"half_width": 0.0}, "half_width must be a finite number above 0, got 0.0"),
        ({"half_width": -0.1}, "got -0.1"),
        ({"standard_error": float("nan")}, "standard_error must be a finite number above 0"),
        ({"half_width": 0.1, "prevalence": 0.0}, r"prevalence must lie in \(0, 1\], got 0.0"),
        ({"half_width": 0.1, "prevalence": 1.01}, "got 1.01"),
        ({"half_width": 0.1, "confidence_level": 95}, "got 95; did you mean 0.95"),
        ({"metric": "accuracy", "half_width": 0.1}, "one of 'f1', 'jaccard', got 'accuracy'"),
        ({"metric": "recall", "half_width": 0.1}, "limits and not covered.*got 'recall'"),
        ({"metric": "precision", "half_width": 0.1}, "limits and not covered.*got 'precision'"),
        ({"metric": SimpleNamespace(a=1.0, b=0.0), "half_width": 0.1}, "a > 0 and b > 0"),
        ({"metric": 3, "half_width": 0.1}, "metric must be a Tversky index.*got 3"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        f1ci.sample_size(**arguments)
