"""The public face against `oracle`, which gets its answers another way, for random questions.

Tolerances: 1e-9 in what an equation should hold to, where a public answer enters it that is a
double near the root (conditions up to 1e5 or so); 1e-12 relative for closed forms.
"""

import warnings

import mpmath as mp
import oracle
import pytest
from examples import ask
from hypothesis import given, settings
from hypothesis import strategies as st

import f1ci
from f1ci.metrics import tversky

count = st.one_of(st.integers(0, 30), st.integers(0, 10**6))
some = st.one_of(st.integers(1, 30), st.integers(1, 10**5))
few = st.integers(1, 300)
level = st.sampled_from([0.5, 0.9, 0.95, 0.999])
far = st.sampled_from([0.001, 1 - 1e-6, 1 - 1e-12])
weight = st.sampled_from([0.1, 0.2, 0.5, 1.0, 3.0])
slowly = settings(max_examples=40, deadline=None)


def quiet(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        return function(*arguments, **options)


def close(ours, expected, rel=1e-12):
    return float(ours) == pytest.approx(float(expected), rel=rel, abs=1e-13)


@slowly
@given(some, some, some, level)
def test_wilson_and_the_score_intervals_of_every_tversky_index(tp, fp, fn, at):
    z_square = float(oracle.quantile(at) ** 2)
    for a, b in ((0.5, 0.5), (0.2, 0.8), (1.0, 1.0), (3.0, 0.1)):
        ours = f1ci.Matrix([[1, fp], [fn, tp]]).interval(tversky(a, b), confidence_level=at)
        for end in ours:
            found = oracle.pearson_statistic(tp, fp, fn, a, b, mp.mpf(end))
            # The end is a double: its last bit, next to 1, moves the statistic by this factor.
            slack = 1e-9 + 1e-14 * (tp + fp + fn) / min(end, 1 - end)
            assert float(found) == pytest.approx(z_square, rel=slack)


@slowly
@given(few, st.integers(0, 300), st.integers(0, 300), level | far, weight, weight)
def test_cautious(tp, fp, fn, at, a, b):
    if fp + fn == 0:
        fn = 1
    options = {"method": "cautious", "confidence_level": at}
    low, high = quiet(
        ask, f1ci.Matrix, "interval", ([[1, fp], [fn, tp]],), tversky(a, b), **options
    )
    tails = oracle.beta_tails(tp, fp, fn, a, b, low, high)
    for tail in tails:
        # A double next to 1 is known to 1e-16 only, which is large next to rare errors.
        slack = 1e-9 + 1e-14 * (tp + fp + fn)
        assert float(tail) == pytest.approx((1 - at) / 2, rel=slack)


@slowly
@given(count, count, count, level, weight, weight)
def test_normal_intervals(tp, fp, fn, at, a, b):
    if not tp or not fp + fn:
        tp, fp = tp + 1, fp + 1
    metric, table = tversky(a, b), [[0, fp], [fn, tp]]
    for method, expected in (
        ("delta", oracle.normal_ends(tp, fp, fn, a, b, at)),
        ("logit", oracle.logit_ends(tp, fp, fn, a, b, at)),
        ("blur", oracle.normal_ends(tp, fp, fn, a, b, at, blurred=True)),
    ):
        ours = f1ci.Matrix(table).interval(metric, method=method, confidence_level=at)
        assert all(close(*ends, 1e-10) for ends in zip(ours, expected, strict=True)), method
    assert close(ours.estimate, oracle.tversky(tp, fp, fn, a, b))


@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=2, max_size=8),
    st.sampled_from([(0.5, 0.5), (0.2, 0.8), (1.0, 0.0), (1.0, 1.0)]),
)
def test_variance_of_clusters(rows, weights):
    rows = [(tp + 1, fp, fn) for tp, fp, fn in rows]
    ours = quiet(ask, f1ci.Units, "interval", (rows,), tversky(*weights))
    score, variance = oracle.cluster_variance(rows, *weights)
    assert close(ours.estimate, score)
    assert close(ours.standard_error**2, variance, 1e-10)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=2, max_size=10),
    # The last is that of beta = 0.3.
    st.sampled_from(
        [(0.5, 0.5), (0.2, 0.8), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (100 / 109, 9 / 109)]
    ),
)
def test_exact_p_value_of_a_difference(items, weights):
    # Two items that both have right keep the scores defined.
    true, by_a, by_b = zip(*items, (1, 1, 1), (0, 0, 0), strict=True)
    ours = quiet(
        ask,
        f1ci.Labels,
        "difference",
        (true, {"A": by_a, "B": by_b}),
        tversky(*weights),
        test="exact",
    )
    assert close(ours.p_value, oracle.swap_p_value(true, by_a, by_b, *weights))
