"""Intervals of the delta road.

Oracles: the published numbers and closed forms of Takahashi et al. (2022), Jiang (2020),
Yuan & Jiang (2025) and Lam et al. (2024, equation 29), written out here; the R code of
Takahashi et al., Appendix D, run in R; exact enumeration; simulation from known truths.
"""

import warnings
from functools import partial

import numpy as np
import pytest
from examples import JUICE, MNN, TOY, labels_of
from scipy import stats

import f1ci
from f1ci import metrics
from f1ci.metrics import fbeta, tversky
from f1ci.results import DegenerateVarianceWarning, UndefinedMetricWarning

Z = stats.norm.ppf(0.975)
metric_interval = partial(f1ci.metric_interval, method="delta")
ALL_BINARY = [
    *(metric for metric in metrics.METRICS.values() if metric.binary),
    fbeta(0.5),
    tversky(0.7, 0.1),
]


def random_tables(seed, r, size, n=200):
    rng = np.random.default_rng(seed)
    cells = rng.dirichlet(np.full(r * r, 2.0), size=size)
    return rng.multinomial(n, cells).reshape(size, r, r) + 1


# Takahashi et al.


@pytest.mark.parametrize(
    ("metric", "estimate", "standard_error", "low", "high"),
    [
        ("micro_f1", "0.870", "0.0336", "0.804", "0.936"),
        ("macro_f1", "0.689", "0.0650", "0.562", "0.817"),
        ("macro_f1_star", "0.691", "0.0649", "0.563", "0.818"),
    ],
)
def test_toy_example_as_printed(metric, estimate, standard_error, low, high):
    """Sections 2 and 3, every printed digit."""
    interval = metric_interval(TOY, metric)
    assert f"{interval.estimate:.3f}" == estimate
    assert f"{interval.standard_error:.4f}" == standard_error
    assert [f"{end:.3f}" for end in interval] == [low, high]
    assert (interval.method, interval.metric, interval.confidence_level) == (
        "delta",
        metric,
        0.95,
    )


@pytest.mark.parametrize(
    ("metric", "printed"),
    [
        ("micro_f1", ("0.859", "0.856", "0.862")),
        ("macro_f1", ("0.805", "0.801", "0.809")),
        ("macro_f1_star", ("0.807", "0.803", "0.811")),
    ],
)
def test_sleep_stages_as_printed(metric, printed):
    """Table 4, mixed neural network."""
    assert MNN.sum() == 59066
    interval = metric_interval(MNN, metric)
    assert tuple(f"{x:.3f}" for x in (interval.estimate, *interval)) == printed


@pytest.mark.parametrize(
    ("matrix", "metric", "estimate", "standard_error", "low", "high"),
    [
        (TOY, "micro_f1", 0.87, 0.0336303434416005, 0.804085738066750, 0.935914261933250),
        (
            TOY,
            "macro_f1",
            0.689392652968812,
            0.0650420386654390,
            0.561912599703490,
            0.816872706234134,
        ),
        (
            TOY,
            "macro_f1_star",
            0.690553355086206,
            0.0649258255825479,
            0.563301075277883,
            0.817805634894529,
        ),
        (
            MNN,
            "micro_f1",
            0.859276064063928,
            0.00143080867085396,
            0.856471730600287,
            0.862080397527570,
        ),
        (
            MNN,
            "macro_f1",
            0.805029303536755,
            0.00197835568741566,
            0.801151797640810,
            0.808906809432700,
        ),
        (
            MNN,
            "macro_f1_star",
            0.806916740326801,
            0.00195579806090687,
            0.803083446566390,
            0.810750034087212,
        ),
    ],
)
def test_against_the_papers_r_code(matrix, metric, estimate, standard_error, low, high):
    """Appendix D, run in R 4.2.2.

    Mended: as printed it does not set `a` and `b` to 0, lacks the line that adds to `a`
    (the first sum of Appendix B), and defines `flscores` but calls `f1scores`. R printed
    15 digits.
    """
    interval = metric_interval(matrix, metric)
    assert interval.estimate == pytest.approx(estimate, rel=1e-13)
    assert interval.standard_error == pytest.approx(standard_error, rel=1e-13)
    assert tuple(interval) == pytest.approx((low, high), rel=1e-13)


def appendix_a(p):
    return np.trace(p) * (1 - np.trace(p))


def appendix_b(p):
    """n times the variance of macro F1; p with predicted classes in rows, as printed."""
    r, own = len(p), np.diag(p)
    margins = p.sum(axis=0) + p.sum(axis=1)
    f1 = 2 * own / margins
    wrong = margins - 2 * own
    first = (f1 * wrong / margins**2 * (wrong / margins + f1 / 2)).sum()
    second = sum(
        p[i, j] * f1[i] * f1[j] / (margins[i] * margins[j])
        for i in range(r)
        for j in range(r)
        if i != j
    )
    return 2 / r**2 * (first + second)


def appendix_c(p, literal=False):
    """n times the variance of macro F1*; `literal` takes p_i for p_ii as section 3.3 prints it."""
    r, own = len(p), np.diag(p)
    row, column = p.sum(axis=1), p.sum(axis=0)
    mean_p, mean_r = (own / row).mean(), (own / column).mean()
    var_p = (own * (row - own) / row**3).sum() / r**2
    var_r = ((row if literal else own) * (column - own) / column**3).sum() / r**2
    cov = ((row - own) * own * (column - own) / (row**2 * column**2)).sum() / r**2
    cov += (
        sum(
            own[i] * p[i, j] * own[j] / (row[i] ** 2 * column[j] ** 2)
            for i in range(r)
            for j in range(r)
            if i != j
        )
        / r**2
    )
    numerator = mean_r**4 * var_p + 2 * mean_p**2 * mean_r**2 * cov + mean_p**4 * var_r
    return 4 * numerator / (mean_p + mean_r) ** 4


@pytest.mark.parametrize(
    ("metric", "closed_form"),
    [("micro_f1", appendix_a), ("macro_f1", appendix_b), ("macro_f1_star", appendix_c)],
)
@pytest.mark.parametrize("r", [2, 3, 6])
def test_appendix_closed_forms(metric, closed_form, r):
    tables = random_tables(10, r, size=25)
    errors = metric_interval(tables, metric).standard_error
    for table, error in zip(tables, errors, strict=True):
        n = table.sum()
        assert error == pytest.approx(np.sqrt(closed_form(table.T / n) / n), rel=1e-12)


def test_section_3_misprint():
    """p_i for p_ii in Var(maR), section 3.3, would give .0777 for the printed .0649."""
    p = TOY.T / 100
    assert f"{np.sqrt(appendix_c(p) / 100):.4f}" == "0.0649"
    assert f"{np.sqrt(appendix_c(p, literal=True) / 100):.4f}" == "0.0777"


# Jiang, and Lam et al.


def jiang_nu(table, a, b):
    """Proposition 1: n times the variance of the Tversky index."""
    n = table.sum()
    (_, fp), (fn, tp) = table

    def tau(a, b):
        return tp / (tp + a * fp + b * fn)

    return (1 / tau(a**2, b**2) - 1 + (1 / tau(a, b) - 1) ** 2) / (tp / n * tau(a, b) ** -4)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.8, 0.2), (1.0, 1.0), (0.3, 2.5)])
def test_jiang_proposition_1(a, b):
    tables = random_tables(11, 2, size=25)
    errors = metric_interval(tables, tversky(a, b)).standard_error
    expected = [np.sqrt(jiang_nu(table, a, b) / table.sum()) for table in tables]
    np.testing.assert_allclose(errors, expected, rtol=1e-12)


def test_jiang_orange_juice_as_printed():
    """Section 2.3; the table is the only one that gives the four printed inputs."""
    n = JUICE.sum()
    assert n == 535
    assert f"{JUICE[1, 1] / n:.3f}" == "0.535"
    assert f"{JUICE[1].sum() / n:.3f}" == "0.615"
    assert f"{metrics.tversky(0.64, 0.04).value(JUICE):.3f}" == "0.900"
    interval = metric_interval(JUICE, fbeta(0.5))
    assert f"{interval.estimate:.3f}" == "0.861"
    assert f"{interval.standard_error:.4f}" == "0.0162"
    assert f"{interval.length / 2:.3f}" == "0.032"
    assert interval.metric == "fbeta(0.5)"


# One interval


def test_binomial_special_cases():
    """Accuracy, precision and recall are proportions: sqrt(p (1 - p) / m)."""
    for metric, p, m in (
        ("accuracy", 445 / 535, 535),
        ("precision", 286 / 333, 333),
        ("recall", 286 / 329, 329),
    ):
        interval = metric_interval(JUICE, metric)
        assert interval.estimate == pytest.approx(p, rel=1e-14)
        assert interval.standard_error == pytest.approx(np.sqrt(p * (1 - p) / m), rel=1e-12)
        half = Z * np.sqrt(p * (1 - p) / m)
        assert tuple(interval) == pytest.approx((p - half, p + half), rel=1e-12)


def test_blur_is_choice_ii():
    """Yuan & Jiang, remark 2, for F1 by hand: slopes 1, -g/2, -g/2 over (EA + EZ) / 2."""
    n, g = 535, 2 * 286 / (333 + 329)
    mean = (333 + 329) / 2 / n
    added = (1 + g**2 / 2) / mean**2 * Z**2 / 2 / n
    plain, blurred = metric_interval(JUICE, "f1"), metric_interval(JUICE, "f1", method="blur")
    assert n * (blurred.standard_error**2 - plain.standard_error**2) == pytest.approx(
        added, rel=1e-10
    )
    assert blurred.method == "blur"
    assert blurred.estimate == plain.estimate
    assert blurred.high - blurred.estimate == pytest.approx(Z * blurred.standard_error)


def test_blur_of_accuracy_is_six_times_agresti_coull():
    """It adds (4 + 1 + 1) z^2 / 2n to n times the variance; plus-four adds z^2 / 2n."""
    for level in (0.9, 0.95):
        n, z = JUICE.sum(), stats.norm.ppf((1 + level) / 2)
        errors = [
            metric_interval(JUICE, "accuracy", method=method, confidence_level=level).standard_error
            for method in ("delta", "blur")
        ]
        assert n * (errors[1] ** 2 - errors[0] ** 2) == pytest.approx(6 * z**2 / (2 * n), rel=1e-10)


def test_nothing_is_clipped_but_the_logit_stays_inside():
    table = [[50, 0], [1, 19]]
    plain = metric_interval(table, "f1")
    assert plain.high > 1.0
    logit = metric_interval(table, "f1", method="logit")
    assert 0.0 < logit.low < logit.estimate < logit.high < 1.0
    assert logit.method == "logit"
    assert logit.standard_error == plain.standard_error
    # By hand, on the logit scale.
    e, s = plain.estimate, plain.standard_error
    ends = np.log(e / (1 - e)) + np.array([-1, 1]) * Z * s / (e * (1 - e))
    assert tuple(logit) == pytest.approx(1 / (1 + np.exp(-ends)), rel=1e-12)


@pytest.mark.parametrize("n", [7, 49, 535, 10**6 + 3, 10**12 + 39])
@pytest.mark.parametrize("metric", ALL_BINARY, ids=lambda metric: metric.name)
def test_zero_variance_is_exactly_zero(n, metric):
    """A perfect classifier; the shares of n are not exact in binary.

    The lift of a perfect classifier is 1 / EZ, and does vary.
    """
    table = np.array([[n - n // 3, 0], [0, n // 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateVarianceWarning)
        interval = metric_interval(table, metric)
    if metric.name == "lift":
        assert interval.standard_error > 0.0
    else:
        assert interval.standard_error == 0.0
        assert interval.estimate == pytest.approx(1.0, abs=1e-15)


def test_small_variances_are_not_taken_for_zero():
    """One error among 10^12 items: recall 1 - 1e-12 has variance 1e-24."""
    interval = metric_interval([[5, 0], [1, 10**12 - 1]], "recall")
    assert interval.standard_error == pytest.approx(1e-12, rel=1e-6)


def exact_f1_coverage(n, p_tp, p_off, **options):
    """Coverage, overshoot and undefined mass of an F1 interval: every table there is.

    F1 depends on TP and on FP + FN only, so three multinomial cells suffice.
    """
    tp, off = (part.ravel() for part in np.indices((n + 1, n + 1)))
    tp, off = tp[tp + off <= n], off[tp + off <= n]
    mass = stats.multinomial.pmf(
        np.column_stack([tp, off, n - tp - off]), n, [p_tp, p_off, 1 - p_tp - p_off]
    )
    tables = np.stack([n - tp - off, off, np.zeros_like(tp), tp], axis=-1).reshape(-1, 2, 2)
    defined = tp + off > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateVarianceWarning)
        interval = metric_interval(tables[defined], "f1", **options)
    truth, mass = 2 * p_tp / (2 * p_tp + p_off), mass[defined]
    covered = (interval.low <= truth) & (truth <= interval.high)
    outside = (interval.low < 0) | (interval.high > 1)
    return (mass * covered).sum(), (mass * outside).sum()


@pytest.mark.parametrize("n", [400, 800])
def test_large_samples_cover_as_claimed(n):
    """Exact enumeration at P(TP) = .3, P(FP or FN) = .2.

    Plain and logit intervals: the nominal level, up to an error of order 1 / n. Blurred
    ones are sqrt(1 + D / V) times longer, which is worth so much coverage in the normal
    approximation; the tolerance is again an error of order 1 / n.
    """
    plain, logit, blurred = (
        exact_f1_coverage(n, 0.3, 0.2, **options)[0]
        for options in ({}, {"method": "logit"}, {"method": "blur"})
    )
    assert plain == pytest.approx(0.95, abs=1.5 / n)
    assert logit == pytest.approx(0.95, abs=1.5 / n)
    f, mean = 0.75, 0.4  # F1, and (EA + EZ) / 2
    v = f * (1 - f) * (2 - f) ** 2 / (2 * 0.5)
    d = (1 + f**2 / 2) / mean**2 * Z**2 / 2 / n
    gain = 2 * stats.norm.cdf(Z * np.sqrt(1 + d / v)) - 1 - 0.95
    assert gain > 5 / n
    assert blurred - plain == pytest.approx(gain, abs=1.5 / n)


def test_undefined_metrics_warn_and_stay_in_their_place():
    tables = [[[5, 1], [2, 4]], [[5, 0], [3, 0]], [[0, 0], [0, 0]]]
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"precision is undefined for 2 of 3 matrices \(the first at \[1\]\), because class "
        r"'positive' is never predicted; nan was returned",
    ):
        interval = metric_interval(tables, "precision")
    for values in (interval.estimate, interval.low, interval.high, interval.standard_error):
        np.testing.assert_array_equal(np.isnan(values), [False, True, True])
    alone = metric_interval(tables[0], "precision")
    assert (interval.low[0], interval.high[0]) == tuple(alone)


@pytest.mark.parametrize("method", ["delta", "blur", "logit"])
def test_undefined_interval_is_nan_throughout(method):
    with pytest.warns(UndefinedMetricWarning, match="'positive' is never true and never predict"):
        interval = metric_interval([[5, 0], [0, 0]], "jaccard", method=method)
    assert np.isnan([interval.estimate, *interval, interval.standard_error]).all()


# From labels


def test_labels_fix_the_classes():
    y_true, y_pred = ["a", "b", "b", "a"], ["a", "b", "a", "a"]
    with pytest.warns(UndefinedMetricWarning, match="class 'c' is never true"):
        interval = f1ci.f1_score_interval(
            y_true, y_pred, average="macro", labels=["a", "b", "c"], method="delta"
        )
    assert np.isnan(interval.estimate)


def test_repeated_items_in_groups_add_no_information():
    """Each item five times over, grouped: the standard error of the items taken once."""
    y_true, y_pred = labels_of(TOY)
    once = f1ci.f1_score_interval(y_true, y_pred, average="macro_star", groups=np.arange(100))
    repeated = f1ci.f1_score_interval(
        np.tile(y_true, 5),
        np.tile(y_pred, 5),
        average="macro_star",
        groups=[f"item {k}" for k in range(100)] * 5,
    )
    assert repeated.standard_error == pytest.approx(once.standard_error, rel=1e-12)


def test_groups_restore_the_coverage_that_ignoring_them_loses():
    """Clusters of 10 items with a common error rate, Beta(4, 1): F1 is .8 in the population.

    Half of the items are positive whatever the cluster. Replicates: 1000, so 4 standard
    errors of a coverage of .95 are .028; that leaves room for the finite-sample error of
    150 clusters (about .005).
    """
    rng = np.random.default_rng(20)
    clusters, size, replicates = 150, 10, 1000
    groups = np.repeat(np.arange(clusters), size)
    covered = np.zeros((2, replicates), dtype=bool)
    for k in range(replicates):
        right = rng.random(clusters * size) < np.repeat(rng.beta(4, 1, clusters), size)
        y_true = rng.integers(0, 2, clusters * size)
        y_pred = np.where(right, y_true, 1 - y_true)
        for row, options in enumerate(({}, {"groups": groups})):
            low, high = f1ci.f1_score_interval(y_true, y_pred, method="delta", **options)
            covered[row, k] = low <= 0.8 <= high
    ignored, respected = covered.mean(axis=1)
    assert respected == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / replicates))
    assert ignored < 0.95 - 8 * np.sqrt(0.95 * 0.05 / replicates)


# Bad input

TRUE = [0, 1, 1, 0]
PRED = [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: metric_interval(TOY, "f1"), ValueError, r"'f1' is a binary metric .*\(3, 3\)"),
        (lambda: metric_interval(TOY[:2], "micro_f1"), ValueError, r"got shape \(2, 3\)"),
        (lambda: metric_interval([1, 2, 3, 4], "f1"), ValueError, r"got shape \(4,\)"),
        (lambda: metric_interval([[1.5, 2], [3, 4]], "f1"), ValueError, r"whole number .* 1\.5"),
        (lambda: metric_interval([[-1, 2], [3, 4]], "f1"), ValueError, r"got -1"),
        (lambda: metric_interval(JUICE, "f_3"), ValueError, "got 'f_3'"),
        (lambda: metric_interval(JUICE, "f1", confidence_level=95), ValueError, r"mean 0\.95"),
        (
            lambda: metric_interval(TOY, "macro_f1", method="blur"),
            ValueError,
            "one of 'score', 'cautious', 'logit', 'delta' for 'macro_f1', got 'blur'",
        ),
        (
            lambda: metric_interval(JUICE, "overlap", method="score"),
            ValueError,
            "method must be one of 'logit', 'delta', 'blur' for 'overlap', got 'score'",
        ),
        (
            lambda: f1ci.f1_score_interval(TRUE, PRED, average="samples"),
            ValueError,
            "average='samples' needs indicators",
        ),
        (
            lambda: f1ci.f1_score_interval(TRUE, PRED[:3], average="micro"),
            ValueError,
            "y_true has 4, y_pred has 3",
        ),
        (
            lambda: f1ci.f1_score_interval(
                ["a", "b"], ["a", "c"], average="micro", labels=["a", "b"]
            ),
            ValueError,
            "got 'c'",
        ),
        (
            lambda: f1ci.f1_score_interval([1, 1], [1, 1], average="macro"),
            ValueError,
            "at least two classes, got 1",
        ),
        (
            lambda: f1ci.f1_score_interval(TRUE, PRED, average="micro", groups=[1, 2, 3]),
            ValueError,
            "y_true has 4, groups has 3",
        ),
        (
            lambda: f1ci.f1_score_interval(TRUE, PRED, average="micro", groups=[1, 1, 1, 1]),
            ValueError,
            "at least two groups, got 1",
        ),
        (
            lambda: f1ci.f1_score_interval(["no", "yes"], ["no", "no"]),
            ValueError,
            "pos_label must be one of the labels 'no', 'yes', got 1",
        ),
        (
            lambda: f1ci.f1_score_interval([0, 1, 2], [0, 1, 2]),
            ValueError,
            "at most two classes, got 3: 0, 1, 2",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
