"""Effective counts, posteriors and the Bayes test, against the paper, scipy.stats and mpmath.

Expected numbers come from tables 2 to 5 of Wang and Li (2019), where the paper is right, and
from mpmath at 30 digits everywhere.
"""

import time

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.naive_bayes import GaussianNB

import f1ci
from f1ci.posteriors import Posterior, _fold_weight, _log_cdf, _probability_of_exceeding

METRICS = ("precision", "recall", "f1")

# The counts of the three experiments, as published with the authors' code
# (github.com/RamboWANG/acl2019): chunks in the gold standard, predicted chunks and correct ones,
# by fold: (repetition 1: fold 1, fold 2), (repetition 2: ...), (repetition 3: ...).
GOLD = {
    "cws": [560914, 549033, 555819, 554128, 552806, 557141],
    "ner": [11629, 11870, 11718, 11781, 11684, 11815],
    "org": [3146, 3175, 3142, 3179, 3143, 3178],
}
PREDICTED = {
    ("cws", "A"): [557693, 546259, 553001, 551283, 550079, 553922],
    ("cws", "B"): [558138, 546514, 553318, 551612, 550544, 554312],
    ("ner", "A"): [11322, 11428, 11370, 11402, 11264, 11494],
    ("ner", "B"): [11329, 11440, 11357, 11386, 11269, 11481],
    ("org", "A"): [2242, 2298, 2288, 2250, 2261, 2245],
    ("org", "B"): [2226, 2289, 2255, 2229, 2210, 2218],
}
CORRECT = {
    ("cws", "A"): [533644, 521973, 528014, 527333, 525858, 529186],
    ("cws", "B"): [534649, 522380, 528709, 527878, 526632, 529580],
    ("ner", "A"): [10297, 10423, 10333, 10347, 10276, 10424],
    ("ner", "B"): [10326, 10429, 10354, 10339, 10270, 10447],
    ("org", "A"): [2088, 2109, 2098, 2085, 2069, 2068],
    ("org", "B"): [2075, 2114, 2080, 2071, 2041, 2054],
}

# Table 2: intervals in per cent, as printed.
TABLE_2 = {
    ("cws", "A", "precision"): ("95.55", "95.62"),
    ("cws", "A", "recall"): ("95.04", "95.11"),
    ("cws", "A", "f1"): ("95.30", "95.36"),
    ("cws", "B", "precision"): ("95.60", "95.67"),
    ("cws", "B", "recall"): ("95.16", "95.23"),
    ("cws", "B", "f1"): ("95.39", "95.44"),
    ("ner", "A", "precision"): ("90.59", "91.30"),
    ("ner", "A", "recall"): ("87.69", "88.48"),
    ("ner", "A", "f1"): ("89.21", "89.77"),
    ("ner", "B", "precision"): ("90.70", "91.41"),
    ("ner", "B", "recall"): ("87.78", "88.57"),
    ("ner", "B", "f1"): ("89.32", "89.87"),
    ("org", "A", "precision"): ("91.37", "92.86"),
    ("org", "A", "recall"): ("64.89", "67.11"),
    ("org", "A", "f1"): ("76.06", "77.74"),
    ("org", "B", "precision"): ("91.85", "93.31"),
    ("org", "B", "recall"): ("64.45", "66.68"),
    ("org", "B", "f1"): ("75.93", "77.61"),
}
# Two of the 36 end points are not what the counts give: .951180 and .907096, printed as if cut off
# (all others are rounded).
TABLE_2_MISPRINTS = {
    ("cws", "A", "recall", 1): "95.1180",
    ("ner", "B", "precision", 0): "90.7096",
}

# Tables 3 to 5: P(H0), P(H1), decision, as printed.
TABLES_3_TO_5 = {
    ("cws", "precision"): (".024", ".976", "accept H1"),
    ("cws", "recall"): (".001", ".999", "accept H1"),
    ("cws", "f1"): (".001", ".999", "accept H1"),
    ("ner", "precision"): (".321", ".679", "accept H1"),
    ("ner", "recall"): (".372", ".628", "accept H1"),
    ("ner", "f1"): (".300", ".700", "accept H1"),
    ("org", "precision"): (".191", ".809", "accept H1"),
    ("org", "recall"): (".706", ".294", "accept H0"),
    ("org", "f1"): (".587", ".413", "accept H0"),
}
# Two of these probabilities cannot come from the counts, by any number of draws.
TABLE_3_MISPRINTS = {("cws", "recall"), ("cws", "f1")}


def paper_folds(task, model):
    """Counts (3, 2, 3): TP = correct, FP = predicted - correct, FN = gold - correct."""
    gold, predicted, correct = (
        np.reshape(counts, (3, 2))
        for counts in (GOLD[task], PREDICTED[task, model], CORRECT[task, model])
    )
    return np.stack([correct, predicted - correct, gold - correct], axis=-1)


def beta(alpha, beta, metric="recall"):
    """A posterior with these parameters."""
    return Posterior(metric, alpha - 1.0, beta - 1.0, float(alpha), float(beta))


def mp_beta_density(t, a, b):
    a, b = mp.mpf(a), mp.mpf(b)
    constant = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
    return mp.exp(constant + (a - 1) * mp.log(t) + (b - 1) * mp.log1p(-t))


def mp_beta_cdf(t, a, b):
    """The regularised incomplete beta function by its continued fraction (DLMF 8.17.22)."""
    a, b, t = mp.mpf(a), mp.mpf(b), mp.mpf(t)
    c, d = mp.mpf(1), 1 / (1 - (a + b) * t / (a + 1))
    fraction = d
    for m in range(1, 10**5):
        for term in (
            m * (b - m) * t / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * t / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= c * d
        if abs(c * d - 1) < mp.mpf(10) ** (5 - mp.mp.dps):
            return mp_beta_density(t, a, b) * t * (1 - t) / a * fraction
    raise AssertionError("no convergence")


def mp_probability_of_exceeding(a1, b1, a2, b2):
    """P(X > Y), X ~ Be(a1, b1), Y ~ Be(a2, b2), as a finite sum: a1 must be whole.

    Integrating by parts over a1, a1 - 1, ...: the sum over i < a1 of
    B(a2 + i, b1 + b2) / {(b1 + i) B(1 + i, b1) B(a2, b2)}.
    """
    b1, a2, b2 = mp.mpf(b1), mp.mpf(a2), mp.mpf(b2)
    term = mp.beta(a2, b1 + b2) / (b1 * mp.beta(1, b1) * mp.beta(a2, b2))
    total = mp.mpf(0)
    for i in range(int(a1)):
        total += term
        term *= (a2 + i) / (a2 + i + b1 + b2) * (b1 + i) / (i + 1)
    return total


def mp_tail_of_difference(a1, b1, a2, b2):
    """P(X > Y) for narrow distributions, with no incomplete beta function.

    The double integral of both densities on the log-odds scale: over y by the trapezoidal rule,
    which converges exponentially (4e-14 at steps of .8 standard deviations), over the difference,
    from 0 to 8 standard deviations, by Gauss's rule.
    """

    def parts(a, b):
        a, b = mp.mpf(a), mp.mpf(b)
        constant = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
        return (
            mp.log(a / b),
            1 / a + 1 / b,
            lambda z: constant + a * z - (a + b) * mp.log1p(mp.exp(z)),
        )

    centre_x, variance_x, log_density_x = parts(a1, b1)
    centre_y, variance_y, log_density_y = parts(a2, b2)
    spread = mp.sqrt(variance_x + variance_y)
    step = 0.8 * mp.sqrt(variance_x * variance_y) / spread

    def density_of_difference(d):
        middle = ((centre_x - d) * variance_y + centre_y * variance_x) / spread**2
        grid = (middle + i * step for i in range(-11, 12))
        return step * mp.fsum(mp.exp(log_density_x(z + d) + log_density_y(z)) for z in grid)

    nodes, weights = np.polynomial.legendre.leggauss(30)
    return mp.fsum(
        2 * spread * weight * density_of_difference(2 * spread * (node + panel))
        for panel in (1, 3)
        for node, weight in zip(nodes, weights, strict=True)
    )


# --- effective counts ---


def test_weight_of_the_paper():
    # Eq. 22 prints .3688; the counts are multiplied by it.
    assert round(_fold_weight(3, None, None), 4) == 0.3688
    tp, fp, fn = f1ci.effective_counts(np.ones((3, 2, 3)) * [10, 20, 30])
    np.testing.assert_allclose([tp, fp, fn], 0.3688 * 6 * np.array([10, 20, 30]), rtol=1e-4)
    np.testing.assert_allclose([fp, fn], [2 * tp, 3 * tp], rtol=1e-15)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 10, 1000])
def test_weight_is_the_average_of_eq_22(m):
    def weight(rho1, rho2):
        return 1 / (1 + rho1 + 2 * (m - 1) * rho2)

    # dblquad and quad promise 1.5e-8 and here reach rounding error; 1e-13 is far above it.
    both, _ = integrate.dblquad(weight, 0.25, 0.5, 0.0, 0.5, epsabs=0, epsrel=1e-12)
    assert _fold_weight(m, None, None) == pytest.approx(8 * both, rel=1e-13)
    over_rho1, _ = integrate.quad(weight, 0.0, 0.5, args=(0.3,), epsabs=0)
    assert _fold_weight(m, None, 0.3) == pytest.approx(2 * over_rho1, rel=1e-13)
    over_rho2, _ = integrate.quad(lambda rho2: weight(0.2, rho2), 0.25, 0.5, epsabs=0)
    assert _fold_weight(m, 0.2, None) == pytest.approx(4 * over_rho2, rel=1e-13)
    assert _fold_weight(m, 0.2, 0.3) == pytest.approx(weight(0.2, 0.3), rel=1e-15)


@pytest.mark.parametrize("m", [2, 10**3, 10**6, 10**12])
def test_weight_keeps_its_digits_for_many_repetitions(m):
    # The four terms x log x of the closed form cancel: mpmath has the digits to spare.
    with mp.workdps(60):
        k = mp.mpf(2) * (m - 1)

        def h(x):
            return x * mp.log(x)

        exact = 8 / k * (h((3 + k) / 2) - h((2 + k) / 2) - h((6 + k) / 4) + h((4 + k) / 4))
    assert _fold_weight(m, None, None) == pytest.approx(float(exact), rel=1e-14)


def test_special_correlations():
    folds = paper_folds("org", "A")
    # Independent folds: the sum. Correlations of one: the average fold (Wang et al. 2015).
    assert f1ci.effective_counts(folds, rho1=0, rho2=0) == tuple(folds.sum(axis=(0, 1)))
    np.testing.assert_allclose(
        f1ci.effective_counts(folds, rho1=1, rho2=1), folds.mean(axis=(0, 1)), rtol=1e-15
    )
    # One repetition has no second correlation.
    once = folds[:1]
    assert f1ci.effective_counts(once, rho1=0.2) == f1ci.effective_counts(once, rho1=0.2, rho2=0.9)
    assert f1ci.effective_counts(once).tp == pytest.approx(
        2 * np.log(1.5) * once[..., 0].sum(), rel=1e-15
    )


# --- posteriors: the paper ---


@pytest.mark.parametrize(("task", "model", "metric"), TABLE_2)
def test_intervals_of_table_2(task, model, metric):
    counts = f1ci.effective_counts(paper_folds(task, model))
    interval = f1ci.posterior(*counts, metric).interval(0.95)
    for end, value in enumerate(interval):
        printed = TABLE_2[task, model, metric][end]
        ours = TABLE_2_MISPRINTS.get((task, model, metric, end))
        if ours is None:
            assert f"{100 * value:.2f}" == printed
        else:
            assert f"{100 * value:.4f}" == ours
            assert f"{100 * value:.2f}" != printed


@pytest.mark.parametrize(("task", "model", "metric", "end"), TABLE_2_MISPRINTS)
def test_misprints_of_table_2_are_not_ours(task, model, metric, end):
    # mpmath: the posterior probability below our end point is .025 or .975; below the printed one's
    # upper rounding limit (95.115) or above its lower one it is not, by far more than rounding.
    counts = f1ci.effective_counts(paper_folds(task, model))
    of = f1ci.posterior(*counts, metric)
    low, high = of.interval(0.95)
    limit = (float(TABLE_2[task, model, metric][end]) + 0.005) / 100
    with mp.workdps(30):
        ours = mp_beta_cdf((low, high)[end], of.alpha, of.beta)
        printed = mp_beta_cdf(limit, of.alpha, of.beta)
    target = (0.025, 0.975)[end]
    # The cdf is known to the rounding of the end point: density 2000 times 1e-16.
    assert float(ours) == pytest.approx(target, rel=1e-11)
    assert float(printed) < target - 1e-3


def test_hold_out_posterior_of_section_2_1():
    # Eqs. 5 and 6: with a uniform prior the modes of precision and recall are the sample values.
    assert f1ci.posterior(30, 10, 20, "precision").mode() == pytest.approx(30 / 40)
    assert f1ci.posterior(30, 10, 20, "recall").mode() == pytest.approx(30 / 50)
    # Eqs. 17 and 20: those of effective counts are the micro-averages (eqs. 8, 9).
    folds = paper_folds("org", "B")
    tp, fp, fn = folds.sum(axis=(0, 1))
    counts = f1ci.effective_counts(folds)
    assert f1ci.posterior(*counts, "precision").mode() == pytest.approx(tp / (tp + fp))
    assert f1ci.posterior(*counts, "recall").mode() == pytest.approx(tp / (tp + fn))


def test_printed_exponents_of_eqs_25_and_26_do_not_make_a_density():
    # t^(TP + l) (1 - t)^(FN + l) / B(TP + l, FN + l) integrates to r (1 - r) or so, not to one:
    # .224 for recall in the ORG task. Ours integrates to one.
    tp, fp, fn = f1ci.effective_counts(paper_folds("org", "A"))
    with mp.workdps(30):
        printed = mp.beta(tp + 2, fn + 2) / mp.beta(tp + 1, fn + 1)
    assert round(float(printed), 3) == 0.224
    recall = f1ci.posterior(tp, fp, fn, "recall")
    low, high = recall.ppf(1e-14), recall.ppf(1 - 1e-14)
    total, _ = integrate.quad(recall.pdf, low, high, epsabs=0, epsrel=1e-12)
    assert total == pytest.approx(1.0, abs=1e-11)


# --- posteriors: against scipy.stats and mpmath ---

COUNTS = st.one_of(
    st.integers(0, 50), st.floats(0, 1e4, allow_subnormal=False), st.sampled_from([0, 1e6, 1e9])
)


def beta_density(t, a, b):
    """The Beta density in 60 digits."""
    with mp.workdps(60):
        t, a, b = mp.mpf(float(t)), mp.mpf(float(a)), mp.mpf(float(b))
        log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        return mp.exp((a - 1) * mp.log(t) + (b - 1) * mp.log1p(-t) - log_beta)


@settings(max_examples=100, deadline=None)
@given(tp=COUNTS, fp=COUNTS, fn=COUNTS, prior=st.sampled_from([0.5, 1.0, 2.5]))
def test_precision_and_recall_are_beta_distributions(tp, fp, fn, prior):
    q = np.array([0.001, 0.3, 0.5, 0.9])
    for metric, wrong in (("precision", fp), ("recall", fn)):
        ours = f1ci.posterior(tp, fp, fn, metric, prior=prior)
        theirs = stats.beta(tp + prior, wrong + prior)
        x = theirs.ppf(q)
        np.testing.assert_allclose(ours.ppf(q), x, rtol=1e-12)
        # scipy's density is off by 2e-8 at a billion counts in the releases for Python 3.10, so the
        # reference is mpmath's. Terms of the size of n log n cancel in its logarithm: with n up to
        # 2e9 that leaves about ten digits of a double; 4e-12 was the largest difference seen.
        inside = x[(x > 0) & (x < 1)]
        expected = [float(beta_density(t, tp + prior, wrong + prior)) for t in inside]
        np.testing.assert_allclose(ours.pdf(inside), expected, rtol=1e-10)
        np.testing.assert_allclose(ours.cdf(x), theirs.cdf(x), rtol=1e-12)
        assert ours.mean() == pytest.approx(theirs.mean(), rel=1e-14)


@settings(max_examples=100, deadline=None)
@given(tp=COUNTS, fp=COUNTS, fn=COUNTS, prior=st.sampled_from([0.5, 1.0, 2.5]))
def test_f1_agrees_with_the_beta_prime_quantiles_of_eq_30(tp, fp, fn, prior):
    level = 0.9
    low, high = f1ci.posterior(tp, fp, fn, prior=prior).interval(level)
    prime = stats.betaprime(fp + fn + 2 * prior, tp + prior)
    # betaprime.ppf is solved for numerically by scipy, and to about 1e-9.
    np.testing.assert_allclose(low, 2 / (2 + prime.ppf(0.95)), rtol=1e-8)
    np.testing.assert_allclose(high, 2 / (2 + prime.ppf(0.05)), rtol=1e-8)


@pytest.mark.parametrize("prior", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("counts", [(0, 0, 0), (5, 2, 1), (12.5, 0, 0), (0, 3, 4.25)])
def test_f1_density_is_eq_7(counts, prior):
    tp, fp, fn = counts
    a, b = mp.mpf(fp + fn + 2 * prior), mp.mpf(tp + prior)
    ours = f1ci.posterior(*counts, prior=prior)

    def eq_7(t):
        return 2**a * (1 - t) ** (a - 1) * (2 - t) ** (-a - b) * t ** (b - 1) / mp.beta(a, b)

    with mp.workdps(30):
        for t in (0.01, 0.3, 0.77, 0.999):
            assert ours.pdf(t) == pytest.approx(float(eq_7(mp.mpf(t))), rel=1e-12)
            # Integrated: t^(b - 1) is singular at 0 for b < 1, which mpmath's nodes can take.
            below = mp.quad(eq_7, [0, mp.mpf(t) / 2, t])
            assert ours.cdf(t) == pytest.approx(float(below), rel=1e-10)
            assert ours.sf(t) == pytest.approx(float(1 - below), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "counts", [(0, 0, 0), (3, 1, 2), (77, 44, 10), (1e6, 2e5, 3e4), (1e5, 0, 0), (0.3, 1e9, 4e8)]
)
def test_densities_integrate_to_one(metric, counts):
    of = f1ci.posterior(*counts, metric)
    # Between quantiles, so that the integrand fills the interval; 2e-12 lie outside.
    below = np.array([1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5])
    edges = of.ppf(np.concatenate([below, 1 - below[-2::-1]]))
    nodes, weights = np.polynomial.legendre.leggauss(60)
    half = np.diff(edges) / 2
    x = (edges[:-1] + half)[:, None] + half[:, None] * nodes
    # Near 1 a float t knows 1 - t to 1e-16, of a width of 1e-5: 1e-10 is what one can ask.
    assert (of.pdf(x) * weights * half[:, None]).sum() == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize(
    ("a", "b"), [(1e6, 2e5), (1e9, 3e8), (5e8, 0.7), (0.2, 1e9), (0.01, 0.02), (40.5, 2.25)]
)
@pytest.mark.parametrize("z", [-6.0, -1.0, 0.5, 3.0])
def test_log_density_keeps_its_digits(a, b, z):
    # At quantiles of a normal at -6 to 3. The error of log f is that of x, 1e-16, times f'/f:
    # about 1e-16 * n * |z| / sqrt(n) < 1e-10.
    x = float(beta(a, b).ppf(stats.norm.cdf(z)))
    if 0.0 < x < 1.0:
        with mp.workdps(40):
            exact = mp.log(mp_beta_density(mp.mpf(x), a, b))
        assert beta(a, b).logpdf(x) == pytest.approx(float(exact), rel=1e-12, abs=1e-9)


def test_the_f1_posterior_is_that_of_f_star_seen_through_the_map():
    # Where roads 1 and 3 meet: F* = TP / (TP + FP + FN) and F1 = 2 F* / (1 + F*).
    tp, fp, fn = 77, 44, 10
    star = stats.beta(tp + 1, fp + fn + 2)
    f1 = f1ci.posterior(tp, fp, fn)
    x = np.array([0.3, 0.55, 0.62])
    np.testing.assert_allclose(f1.cdf(2 * x / (1 + x)), star.cdf(x), rtol=1e-12)
    interval = f1.interval(0.95)
    assert interval.estimate == 2 * tp / (2 * tp + fp + fn)
    # The Wald variance of road 1: f (1 - f)(2 - f)^2 / (2 v).
    f, v = interval.estimate, tp + fp + fn
    assert interval.standard_error == pytest.approx(np.sqrt(f * (1 - f) * (2 - f) ** 2 / (2 * v)))


# --- mean, mode, random values ---


@pytest.mark.parametrize(
    "counts",
    [(0, 0, 0), (3, 1, 2), (0, 5, 2), (9.5, 0, 0), (1e6, 2e5, 3e4), (1e9, 1, 0), (0, 1e9, 0)],
)
@pytest.mark.parametrize("prior", [0.01, 1.0])
def test_mean_of_f1(counts, prior):
    tp, fp, fn = counts
    alpha, wrong = mp.mpf(tp + prior), mp.mpf(fp + fn + 2 * prior)
    with mp.workdps(40):
        n = alpha + wrong
        # Euler's integral for E 2X / (1 + X), X ~ Be(alpha, wrong), in its other form.
        exact = 2 * alpha / n * mp.hyp2f1(1, alpha + 1, n + 1, -1)
    assert f1ci.posterior(*counts, prior=prior).mean() == pytest.approx(float(exact), rel=1e-14)


def test_mean_of_f1_is_the_integral_of_t_times_eq_7():
    f1 = f1ci.posterior(5, 2.5, 1)
    mean, _ = integrate.quad(lambda t: t * f1.pdf(t), 0, 1, epsabs=0, epsrel=1e-12)
    assert f1.mean() == pytest.approx(mean, rel=1e-11)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("counts", "prior"),
    [
        ((5, 2, 1), 1.0),
        ((0, 0, 0), 2.0),
        ((7, 0, 0), 1.0),
        ((0, 1, 1), 1.0),
        ((0.2, 0.2, 0.1), 1.5),
        ((1e4, 3e3, 10), 0.5),
    ],
)
def test_mode_is_where_the_density_is_largest(metric, counts, prior):
    of = f1ci.posterior(*counts, metric, prior=prior)
    mode = of.mode()
    grid = np.concatenate([[0.0, 1.0], np.linspace(1e-9, 1 - 1e-9, 20001)])
    assert of.logpdf(mode) >= of.logpdf(grid).max() - 1e-12
    if 0.0 < mode < 1.0:
        # The derivative vanishes: central differences of two sizes, relative to the curvature.
        step = 1e-3 * min(mode, 1 - mode)
        left, right = of.logpdf(np.array([mode - step, mode + step])) - of.logpdf(mode)
        assert left < 0.0
        assert right < 0.0
        assert left == pytest.approx(right, rel=0.05)


def test_mode_of_f1_at_the_borders():
    def mode(alpha, beta_):
        return beta(alpha, beta_, "f1").mode()

    assert mode(1.0, 2.0) == 0.5  # no counts, uniform prior: eq. 7 is 4 (1 - t) / (2 - t)^3
    assert mode(1.0, 3.0) == 0.0  # (3 - a) / 2 reaches zero
    assert mode(1.0, 9.0) == 0.0
    assert mode(4.0, 1.0) == 1.0
    assert mode(0.5, 2.0) == 0.0  # infinite at 0
    assert mode(2.0, 0.5) == 1.0  # infinite at 1
    assert np.isnan(mode(0.5, 0.5))  # infinite at both
    # The root of the quadratic loses no digits for 1e9 counts: mode of F1 = 2x / (1 + x) near the
    # mean of x, to the order of 1 / n.
    x = 1e9 / (1e9 + 4e8)
    assert mode(1e9, 4e8) == pytest.approx(2 * x / (1 + x), rel=5e-9)
    assert mode(2.0, 1e12) == pytest.approx(2e-12, rel=1e-9)  # 2 (alpha - 1) / beta


def test_mode_of_precision_at_the_borders():
    def mode(alpha, beta_):
        return beta(alpha, beta_).mode()

    assert mode(1.0, 3.0) == 0.0
    assert mode(3.0, 1.0) == 1.0
    assert mode(0.5, 1.0) == 0.0
    assert np.isnan(mode(1.0, 1.0))  # uniform: all values are equally probable
    assert np.isnan(mode(0.5, 0.5))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("alpha", "wrong"), [(0.5, 3.0), (1.0, 3.0), (2.0, 3.0)])
def test_density_at_the_borders_is_its_limit(metric, alpha, wrong):
    for a, b, border in ((alpha, wrong, 0.0), (wrong, alpha, 1.0)):
        of = beta(a, b, metric)
        near = of.pdf(abs(border - 1e-12))
        if alpha == 1.0:
            assert of.pdf(border) == pytest.approx(near, rel=1e-10)
        else:
            assert of.pdf(border) == (np.inf if alpha < 1.0 else 0.0)
            assert near > 1e4 if alpha < 1.0 else near < 1e-8
    assert beta(2.0, 3.0, metric).pdf([-0.1, 1.1]).tolist() == [0.0, 0.0]
    assert beta(2.0, 3.0, metric).cdf([-0.1, 0.0, 1.0, 1.1]).tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("metric", METRICS)
def test_random_values_follow_the_posterior(metric):
    of = f1ci.posterior(12, 3, 5, metric)
    draws = of.rvs(20_000, rng=1)
    # Kolmogorov-Smirnov: P(sqrt(n) D > 2.3) is 5e-5.
    distance = stats.kstest(draws, of.cdf).statistic
    assert distance < 2.3 / np.sqrt(20_000)
    assert of.rvs(rng=1) == of.rvs(rng=np.random.default_rng(1))
    assert isinstance(of.rvs(), float)


def test_ppf_inverts_cdf():
    q = np.array([1e-12, 0.01, 0.5, 0.99, 1 - 1e-9])
    for metric in METRICS:
        for counts in ((0, 0, 0), (5, 2, 1), (1e6, 1e5, 3e5)):
            of = f1ci.posterior(*counts, metric)
            np.testing.assert_allclose(of.cdf(of.ppf(q)), q, rtol=1e-9)
    assert of.ppf([0.0, 1.0]).tolist() == [0.0, 1.0]


def test_arrays_broadcast():
    of = f1ci.posterior([[5], [7]], [1, 2, 3], 4)
    assert np.shape(of.mean()) == np.shape(of.mode()) == np.shape(of.rvs()) == (2, 3)
    interval = of.interval()
    single = f1ci.posterior(7, 2, 4)
    assert interval.low[1, 1] == single.interval().low
    assert of.pdf(0.4)[1, 1] == single.pdf(0.4)
    assert of.cdf(0.4)[1, 1] == single.cdf(0.4)
    assert of.mean()[1, 1] == single.mean()
    assert of.mode()[1, 1] == single.mode()
    assert of.rvs((4, 2, 3), rng=0).shape == (4, 2, 3)
    assert f1ci.posterior([5, 7], [1, 2], 4, "recall").cdf([0.5, 0.5]).shape == (2,)


def test_scalars_give_floats():
    of = f1ci.posterior(5, 2, 1)
    for value in (of.pdf(0.5), of.logpdf(0.5), of.cdf(0.5), of.sf(0.5), of.ppf(0.5), of.mean()):
        assert type(value) is float
    assert all(type(end) is float for end in of.interval())


def test_no_counts_leave_the_prior_and_no_estimate():
    interval = f1ci.posterior(0, 0, 0, "recall").interval(0.9)
    assert tuple(interval) == pytest.approx((0.05, 0.95))
    assert np.isnan(interval.estimate)
    assert np.isnan(interval.standard_error)


def test_posterior_is_frozen():
    of = f1ci.posterior(5, 2, 1)
    with pytest.raises(AttributeError):
        of.alpha = 2.0


# --- the Bayes test: the paper ---


@pytest.mark.parametrize(("task", "metric"), TABLES_3_TO_5)
def test_tables_3_to_5(task, metric):
    printed_h0, printed_h1, decision = TABLES_3_TO_5[task, metric]
    test = f1ci.bayes_test(paper_folds(task, "A"), paper_folds(task, "B"), metric)
    assert test.decision == decision
    assert test.p_h0 + test.p_h1 == pytest.approx(1.0, abs=4e-16)
    # The paper draws 10^6 values (eq. 33): half a unit of the last digit and four of its
    # standard errors.
    tolerance = 0.0005 + 4 * np.sqrt(test.p_h0 * test.p_h1 / 1e6)
    agrees = abs(test.p_h0 - float(printed_h0)) <= tolerance
    assert agrees == ((task, metric) not in TABLE_3_MISPRINTS)
    assert agrees == (abs(test.p_h1 - float(printed_h1)) <= tolerance)


@pytest.mark.parametrize(
    ("task", "metric", "leading"),
    [
        # P(H0) to four digits; the paper has .001 for the first two.
        ("cws", "recall", "1.461e-05"),
        ("cws", "f1", "8.678e-06"),
        ("cws", "precision", "2.409e-02"),
        ("ner", "f1", "3.002e-01"),
        ("org", "recall", "7.050e-01"),
    ],
)
def test_probabilities_of_the_paper_against_mpmath(task, metric, leading):
    test = f1ci.bayes_test(paper_folds(task, "A"), paper_folds(task, "B"), metric)
    a, b = (
        f1ci.posterior(*f1ci.effective_counts(paper_folds(task, model)), metric)
        for model in ("A", "B")
    )
    with mp.workdps(25):
        exact = mp_tail_of_difference(a.alpha, a.beta, b.alpha, b.beta)
    # The reference cuts the difference at eight standard deviations: 1e-10 of the whole or less.
    assert test.p_h0 == pytest.approx(float(exact), rel=1e-8)
    assert f"{test.p_h0:.3e}" == leading


@pytest.mark.parametrize("metric", ["recall", "f1"])
def test_table_3_cannot_be_right(metric):
    # P(H0) printed as .001 must be at least .0005; it is below .00002.
    test = f1ci.bayes_test(paper_folds("cws", "A"), paper_folds("cws", "B"), metric)
    assert 0.0 < test.p_h0 < 2e-5
    assert f"{test.p_h0:.3f}" == "0.000"


def test_sign_is_that_of_eq_31():
    # H0: B is not better. Eqs. 32, 33 and algorithm 1 compute P(A <= B) instead: with B clearly
    # better (table 3, precision: .976) they would print P(H0) = .976.
    better, worse = np.tile([90, 5, 5], (3, 2, 1)), np.tile([60, 30, 30], (3, 2, 1))
    assert f1ci.bayes_test(worse, better).decision == "accept H1"
    assert f1ci.bayes_test(better, worse).decision == "accept H0"
    test = f1ci.bayes_test(paper_folds("cws", "A"), paper_folds("cws", "B"), "precision")
    assert f"{test.p_h0:.3f}" == "0.024"


# --- the Bayes test: quadrature ---

SHAPES = [
    (1, 1, 1, 1),
    (1, 2, 3, 4),
    (30, 10, 10, 30),
    (10, 30, 30, 10),
    (100, 300, 300, 100),
    (1000, 1000, 1300, 700),
    (1300, 700, 1000, 1000),
    (1, 0.01, 5, 0.02),
    (1, 0.0001, 2, 0.0001),
    (3, 0.001, 0.001, 2),
    (2, 50000, 1, 0.5),
    (7, 1e9, 0.3, 5e8),
    (2000, 1e9, 2300, 1e9),
    (40, 1e6, 3, 20),
    (3, 20, 40, 1e6),
    (1, 1, 50000, 50000),
    (5000, 5000, 1, 1),
    (600, 1400, 1450, 550),
]


@pytest.mark.parametrize("metric", ["recall", "f1"])
@pytest.mark.parametrize("shape", SHAPES)
def test_quadrature_against_the_finite_sum(shape, metric):
    a1, b1, a2, b2 = shape
    with mp.workdps(40):
        exact = mp_probability_of_exceeding(*shape)
        if exact < mp.mpf(10) ** -300:
            pytest.fail("the reference is below the range of floats")
    ours = _probability_of_exceeding(beta(a1, b1, metric), beta(a2, b2, metric), 0.0)
    assert ours == pytest.approx(float(exact), rel=1e-11)


def test_quadrature_at_1e_minus_280():
    with mp.workdps(40):
        exact = mp_probability_of_exceeding(700, 1900, 1900, 700)
    assert 1e-285 < exact < 1e-245
    ours = _probability_of_exceeding(beta(700, 1900), beta(1900, 700), 0.0)
    assert ours == pytest.approx(float(exact), rel=1e-11)
    # Below the range of floats it is zero, without a warning.
    assert _probability_of_exceeding(beta(20, 4000), beta(4000, 20), 0.0) == 0.0


@settings(max_examples=60, deadline=None)
@given(
    shape=st.tuples(
        st.integers(1, 300), st.floats(0.01, 1e5), st.floats(0.01, 1e5), st.floats(0.01, 1e5)
    )
)
def test_quadrature_for_any_shape(shape):
    a1, b1, a2, b2 = shape
    with mp.workdps(40):
        exact = float(mp_probability_of_exceeding(*shape))
    ours = _probability_of_exceeding(beta(a1, b1), beta(a2, b2), 0.0)
    if exact > 1e-290:
        assert ours == pytest.approx(exact, rel=1e-9)
    reverse = _probability_of_exceeding(beta(a2, b2), beta(a1, b1), 0.0)
    assert ours + reverse == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("n", [0.01, 1.0, 1e3, 1e6, 1e9])
def test_equal_models_are_even(n):
    of = beta(0.7 * n, 0.3 * n, "f1")
    assert _probability_of_exceeding(of, of, 0.0) == pytest.approx(0.5, rel=1e-10)


@pytest.mark.parametrize("n", [1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("z", [-4.0, -1.5, 1.0])
def test_quadrature_for_huge_counts(n, z):
    # Means z standard deviations of the difference apart.
    p = 0.8
    shift = -z * np.sqrt(2 * p * (1 - p) / n)
    shapes = (p * n, (1 - p) * n, (p + shift) * n, (1 - p - shift) * n)
    ours = _probability_of_exceeding(beta(*shapes[:2]), beta(*shapes[2:]), 0.0)
    with mp.workdps(30):
        exact = mp_tail_of_difference(*shapes)
    # Log odds near 1.4 are known to 2e-16, which is this many standard deviations; 4 times 10 of
    # that moves a tail at z = -4, and 1e-9 is left for the rest.
    rounding = 2.2e-16 * np.sqrt(n)
    assert ours == pytest.approx(float(exact), rel=1e-9 + 10 * rounding)


@pytest.mark.parametrize(("a", "b"), [(1e7, 1e7), (1e7, 3e8), (8e12, 2e12), (1e7, 1e15)])
@pytest.mark.parametrize("z", [-12.0, -3.0, -1e-3, 0.0, 0.5])
def test_distribution_of_huge_counts(a, b, z):
    # mpmath integrates the density on the log-odds scale, from 18 standard deviations below.
    odds = np.log(a / b) + z * np.sqrt(1 / a + 1 / b)
    log_t, log_c = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
    with mp.workdps(40):
        constant = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
        step = mp.sqrt(1 / mp.mpf(a) + 1 / mp.mpf(b)) * 3 / 4
        exact = mp.quad(
            lambda s: mp.exp(constant - a * mp.log1p(mp.exp(-s)) - b * mp.log1p(mp.exp(s))),
            [odds - k * step for k in range(24, -1, -1)],
            maxdegree=4,
        )
        difference = float(_log_cdf(beta(a, b), log_t, log_c) - mp.log(exact))
    # Rounding of the log odds, as above; the slope of the logarithm is at most 12 here.
    assert abs(difference) < 1e-11 + 12 * 2.2e-16 * abs(odds) / np.sqrt(1 / a + 1 / b)


def test_the_test_is_as_fast_for_huge_counts():
    # Five seconds are some 30 times what it takes; refining rounding noise took minutes.
    a = np.broadcast_to([8e14, 1e14, 1e14], (3, 2, 3))
    b = np.broadcast_to([8e14, 1e14 + 1e7, 1e14], (3, 2, 3))
    begin = time.process_time()
    assert f1ci.bayes_test(a, a).p_h0 == 0.5
    assert 0.5 < f1ci.bayes_test(a, b).p_h0 < 1.0
    assert time.process_time() - begin < 5.0


def test_extreme_separation_of_huge_counts():
    # 35 standard deviations apart, P = 1e-268: Gauss's rule in mpmath over the one integral, with
    # the continued fraction for the cdf, on a window of 8 standard deviations about its peak.
    a1, b1, a2, b2 = 3e6, 1e6, 3e6 + 2.145e4 * 2, 1e6 - 2.145e4 * 2
    ours = _probability_of_exceeding(beta(a1, b1), beta(a2, b2), 0.0)
    mean = (a1 / (a1 + b1) + a2 / (a2 + b2)) / 2
    width = np.sqrt(mean * (1 - mean) / (a1 + b1)) * 8
    nodes, weights = np.polynomial.legendre.leggauss(40)
    with mp.workdps(30):
        exact = mp.fsum(
            weight * width * mp_beta_density(t, a1, b1) * mp_beta_cdf(t, a2, b2)
            for t, weight in zip(
                (mp.mpf(mean) + width * node for node in nodes), weights, strict=True
            )
        )
    assert 1e-300 < exact < 1e-200
    assert ours == pytest.approx(float(exact), rel=1e-8)


def mp_margin(first, second, margin, metric):
    """The single integral of the notes of `bayes_test`, by mpmath on the scale of the metric."""

    def variable(t):
        return t / (2 - t) if metric == "f1" else t

    def integrand(t):
        scale = 2 / (2 - t) ** 2 if metric == "f1" else 1
        below = mp.betainc(*second, 0, variable(t - margin), regularized=True)
        return mp_beta_density(variable(t), *first) * scale * below

    margin = mp.mpf(margin)
    return mp.quad(integrand, mp.linspace(margin, 1, 6))


@pytest.mark.parametrize("metric", ["recall", "f1"])
@pytest.mark.parametrize(
    ("first", "second", "margin"),
    [
        ((3, 2), (2, 2), 0.1),
        ((1, 1), (1, 1), 0.6),
        ((2, 9), (9, 2), 0.5),
        ((12, 4), (4, 12), 0.02),
        ((6, 20), (20, 6), 0.05),
        ((3, 2.5), (1.5, 2), 1e-9),
        ((15.3, 4.7), (15.3, 4.7), 0.05),
    ],
)
def test_quadrature_with_a_margin(first, second, margin, metric):
    with mp.workdps(20):
        exact = mp_margin(first, second, margin, metric)
    ours = _probability_of_exceeding(beta(*first, metric), beta(*second, metric), margin)
    assert ours == pytest.approx(float(exact), rel=1e-10)


def test_margin_between_uniform_distributions():
    # P(X - Y > d) = (1 - d)^2 / 2 for uniform X, Y.
    for margin in (0.0, 0.25, 0.999, 1.0):
        ours = _probability_of_exceeding(beta(1, 1), beta(1, 1), margin)
        assert ours == pytest.approx((1 - margin) ** 2 / 2, rel=1e-12)


@pytest.mark.parametrize("metric", ["recall", "f1"])
@pytest.mark.parametrize(("a", "b"), [(0.05, 3.0), (2.0, 0.05), (0.5, 0.5)])
def test_log_cdf_where_the_argument_underflows(a, b, metric):
    # At log odds of -900 and 900: the power laws of the tails, from mpmath's own cdf.
    of = beta(a, b, metric)
    with mp.workdps(450):
        for z in (-900, 900):
            t = 1 / (1 + mp.exp(mp.mpf(-z)))
            x = t / (2 - t) if metric == "f1" else t
            log_t, log_c = (np.array(float(mp.log(part))) for part in (t, 1 - t))
            exact = mp.log(mp.betainc(a, b, 0, x, regularized=True))
            ours = float(_log_cdf(of, log_t, log_c))
            assert ours == pytest.approx(float(exact), rel=1e-11, abs=1e-300)


# --- the Bayes test: its other options ---


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("rope", [0.0, 0.005])
def test_monte_carlo_agrees_with_quadrature(metric, rope):
    folds = paper_folds("org", "A"), paper_folds("org", "B")
    exact = f1ci.bayes_test(*folds, metric, rope=rope)
    draws = 200_000
    simulated = f1ci.bayes_test(
        *folds, metric, rope=rope, method="monte_carlo", replicates=draws, rng=4
    )
    for name in ("p_h0", "p_h1", "p_rope"):
        p = getattr(exact, name)
        # Four standard errors of a share.
        assert getattr(simulated, name) == pytest.approx(
            p, abs=4 * np.sqrt(p * (1 - p) / draws) + 1e-12
        )
    assert simulated.method == "monte_carlo"


def test_exchanging_the_models_exchanges_the_hypotheses():
    a, b = paper_folds("ner", "A"), paper_folds("ner", "B")
    for rope in (0.0, 0.002):
        one, other = f1ci.bayes_test(a, b, rope=rope), f1ci.bayes_test(b, a, rope=rope)
        assert one.p_h0 == pytest.approx(other.p_h1, rel=1e-10)
        assert one.p_rope == pytest.approx(other.p_rope, rel=1e-9)


def test_region_of_practical_equivalence():
    a, b = paper_folds("cws", "A"), paper_folds("cws", "B")
    # B's F1 is better by .0008 with near certainty, and certainly not by .01.
    assert f1ci.bayes_test(a, b).decision == "accept H1"
    test = f1ci.bayes_test(a, b, rope=0.01)
    assert test.decision == "accept equivalence"
    assert test.p_rope == pytest.approx(1.0, abs=1e-12)
    # A region wider than any difference; and one between, whose three parts add up to one.
    assert f1ci.bayes_test(a, b, rope=1.0).p_rope == 1.0
    part = f1ci.bayes_test(a, b, rope=0.0008)
    assert part.p_h0 + part.p_rope + part.p_h1 == pytest.approx(1.0, abs=1e-12)
    assert 0.3 < part.p_h1 < 0.7


@pytest.mark.parametrize("task", ["cws", "ner", "org"])
def test_a_tie_accepts_h0(task):
    same = paper_folds(task, "A")
    test = f1ci.bayes_test(same, same)
    assert test.p_h0 == test.p_h1 == 0.5
    assert test.decision == "accept H0"


def test_other_weights_and_priors_reach_the_test():
    a, b = paper_folds("org", "A"), paper_folds("org", "B")
    ours = f1ci.bayes_test(a, b, "precision", rho1=1, rho2=1, prior=2.0)
    posteriors = [
        f1ci.posterior(*folds.mean(axis=(0, 1)), "precision", prior=2.0) for folds in (a, b)
    ]
    assert ours.p_h0 == pytest.approx(_probability_of_exceeding(*posteriors, 0.0), rel=1e-11)
    # Fewer effective counts make the test less sure.
    assert f1ci.bayes_test(a, b, "precision").p_h1 > ours.p_h1 > 0.5


# --- it compares models ---


def test_two_classifiers_from_partitions_to_a_decision():
    x, y = make_classification(400, 6, n_informative=3, weights=[0.7], random_state=0)
    partitions = f1ci.bcv_partitions(len(y), stratify=y, rng=0)

    def folds_of(model):
        counts = []
        for train, test in partitions:
            predicted = model.fit(x[train], y[train]).predict(x[test])
            _, fp, fn, tp = confusion_matrix(y[test], predicted).ravel()
            counts.append((tp, fp, fn))
        return np.reshape(counts, (3, 2, 3))

    a, b = folds_of(GaussianNB()), folds_of(LogisticRegression())
    # Eq. 3: stratification gives each validation set the same number of positives, to within
    # one for each of its two blocks.
    positives = a[..., 0] + a[..., 2]
    assert np.abs(positives - y.sum() / 2).max() <= 2
    np.testing.assert_array_equal(positives, b[..., 0] + b[..., 2])
    test = f1ci.bayes_test(a, b)
    # The decision is for the model with the larger micro-averaged F1 (eq. 10), up to the prior.
    tp_a, wrong_a = a[..., 0].sum(), a[..., 1:].sum()
    tp_b, wrong_b = b[..., 0].sum(), b[..., 1:].sum()
    b_is_better = tp_b / (2 * tp_b + wrong_b) > tp_a / (2 * tp_a + wrong_a)
    assert test.decision == ("accept H1" if b_is_better else "accept H0")
    # And the other way round.
    assert f1ci.bayes_test(b, a).p_h0 == pytest.approx(test.p_h1, rel=1e-10)


# --- bad input ---

FOLDS = np.ones((3, 2, 3))


@pytest.mark.parametrize(
    ("folds", "error", "message"),
    [
        (np.ones((3, 3)), ValueError, r"folds must have shape \(m, 2, 3\), .* got shape \(3, 3\)"),
        (np.ones((3, 2, 4)), ValueError, r"got shape \(3, 2, 4\)"),
        (np.ones((3, 3, 2)), ValueError, r"got shape \(3, 3, 2\)"),
        (np.ones((0, 2, 3)), ValueError, r"got shape \(0, 2, 3\)"),
        (-FOLDS, ValueError, "folds must be finite and not negative, got -1.0"),
        (FOLDS * np.nan, ValueError, "folds must be finite and not negative, got nan"),
        (FOLDS.astype(str), TypeError, "folds must be numeric"),
        ([[[1, 2, 3], [1, 2]]], ValueError, "folds must be a regular array"),
    ],
)
def test_bad_folds(folds, error, message):
    with pytest.raises(error, match=message):
        f1ci.effective_counts(folds)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rho1": -0.1}, ValueError, "rho1 must lie between 0 and 1, got -0.1"),
        ({"rho2": 1.5}, ValueError, "rho2 must lie between 0 and 1, got 1.5"),
        ({"rho2": "half"}, TypeError, "rho2 must be a number, got 'half'"),
    ],
)
def test_bad_correlations(options, error, message):
    with pytest.raises(error, match=message):
        f1ci.effective_counts(FOLDS, **options)
    with pytest.raises(error, match=message):
        f1ci.bayes_test(FOLDS, FOLDS, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((-1, 2, 3), {}, ValueError, "tp must be finite and not negative, got -1"),
        ((1, np.inf, 3), {}, ValueError, "fp must be finite and not negative, got inf"),
        ((1, 2, "3"), {}, TypeError, "fn must be numeric, got '3'"),
        ((1, 2, 3, "accuracy"), {}, ValueError, "metric must be one of 'precision'.*'accuracy'"),
        ((1, 2, 3), {"prior": 0}, ValueError, "prior must be a finite number above 0, got 0"),
        ((1, 2, 3), {"prior": -1.0}, ValueError, "prior must be a finite number above 0, got -1.0"),
        (([1, 2], [1, 2, 3], 0), {}, ValueError, r"tp has \(2,\), fp has \(3,\)"),
    ],
)
def test_bad_counts(arguments, options, error, message):
    with pytest.raises(error, match=message):
        f1ci.posterior(*arguments, **options)


def test_bad_confidence_level():
    with pytest.raises(ValueError, match="strictly between 0 and 1, got 95"):
        f1ci.posterior(1, 2, 3).interval(95)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((FOLDS, FOLDS[:2]), {}, ValueError, "same partitions, got 3 and 2 repetitions"),
        ((FOLDS, FOLDS[0]), {}, ValueError, r"folds_b must have shape \(m, 2, 3\)"),
        ((-FOLDS, FOLDS), {}, ValueError, "folds_a must be finite and not negative, got -1.0"),
        ((FOLDS, FOLDS, "g-mean"), {}, ValueError, "metric must be one of .*got 'g-mean'"),
        ((FOLDS, FOLDS), {"method": "exact"}, ValueError, "'quadrature', 'monte_carlo', got 'ex"),
        ((FOLDS, FOLDS), {"prior": 0.0}, ValueError, "prior must be a finite number above 0"),
        ((FOLDS, FOLDS), {"rope": -0.01}, ValueError, "rope must lie between 0 and 1, got -0.01"),
        ((FOLDS, FOLDS), {"replicates": 0}, ValueError, "replicates must be at least 1, got 0"),
        ((FOLDS, FOLDS), {"replicates": 1e6}, TypeError, "replicates must be an integer"),
    ],
)
def test_bad_arguments_of_the_test(arguments, options, error, message):
    with pytest.raises(error, match=message):
        f1ci.bayes_test(*arguments, **options)


def test_metrics_may_be_objects():
    for metric in ("f1", "precision", "recall"):
        given_object = f1ci.posterior(7, 3, 2, f1ci.metrics.get(metric))
        assert given_object.metric == metric
        assert given_object.interval() == f1ci.posterior(7, 3, 2, metric).interval()
    with pytest.raises(ValueError, match="one of 'precision', 'recall', 'f1', got 'jaccard'"):
        f1ci.posterior(7, 3, 2, f1ci.metrics.jaccard)


def test_a_posterior_keeps_its_own_counts():
    tp = np.array([7.0, 8.0])
    posterior = f1ci.posterior(tp, 3.0, 2.0)
    before = posterior.interval()
    tp[:] = 0.0
    assert posterior.interval() == before
    assert posterior.hits.tolist() == [7.0, 8.0]
