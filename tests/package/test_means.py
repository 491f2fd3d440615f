"""Means of scores by unit.

Scipy's t interval is the reference of logit limits; those of score limits are in test_clustered.
"""

import numpy as np
import pytest
from examples import ask
from scipy import special, stats

import f1ci

DICE = np.array([0.91, 0.84, 0.79, 0.88, 0.93, 0.76, 0.82, 0.8])
OF_B = np.array([0.92, 0.86, 0.82, 0.89, 0.93, 0.8, 0.81, 0.83])
NAN = float("nan")


def logit_t(scores, level=0.95):
    """A t interval for the logit of the mean, from scipy: estimate plus minus t times sem / p q."""
    p = np.mean(scores)
    half = stats.t.ppf(0.5 + level / 2, len(scores) - 1) * stats.sem(scores) / (p * (1 - p))
    return special.expit(special.logit(p) + np.array([-half, half]))


def test_a_rare_failure_is_covered():
    """Fifteen images, of which 3 % fail: a t interval covers half of the time."""
    rng = np.random.default_rng(5)
    covered = {"score": 0, "logit": 0}
    truth = 0.97 * 40 / 42
    for _ in range(400):
        scores = rng.beta(40, 2, 15) * (rng.random(15) >= 0.03)
        for method in covered:
            low, high = f1ci.mean_interval(scores, method=method)
            covered[method] += low <= truth <= high
    assert covered["score"] / 400 > 0.93
    assert covered["logit"] / 400 < 0.65


def test_the_mean_is_a_t_interval_on_the_logit_scale():
    interval = f1ci.mean_interval(DICE, method="logit")
    assert interval.estimate == pytest.approx(DICE.mean(), abs=1e-15)
    assert interval.standard_error == pytest.approx(stats.sem(DICE), rel=1e-12)
    assert list(interval) == pytest.approx(logit_t(DICE), rel=1e-9)
    assert (interval.method, interval.metric) == ("logit", "mean")


def test_the_difference_is_the_paired_t_interval():
    """Near zero Fisher's scale is straight, so the limits are those of t to four digits."""
    interval = f1ci.Scores({"A": DICE, "B": OF_B}).difference().interval
    expected = stats.ttest_rel(OF_B, DICE).confidence_interval()
    assert interval.standard_error == pytest.approx(stats.sem(OF_B - DICE), rel=1e-9)
    assert list(interval) == pytest.approx(list(expected), abs=1e-4)
    swapped = f1ci.Scores({"A": OF_B, "B": DICE}).difference().interval
    assert list(swapped) == pytest.approx([-interval.high, -interval.low], abs=1e-15)


def test_images_of_patients_are_a_cluster_robust_mean():
    """statsmodels' cluster-robust error of a mean, times the root of G / (G - 1)."""
    sm = pytest.importorskip("statsmodels.api")
    patients = np.repeat([0, 1, 2, 3], 2)
    interval = f1ci.mean_interval(DICE, groups=patients, method="logit")
    fit = sm.OLS(DICE, np.ones(8)).fit(
        cov_type="cluster", cov_kwds={"groups": patients, "use_correction": False}
    )
    assert interval.standard_error == pytest.approx(fit.bse[0] * np.sqrt(4 / 3), rel=1e-12)
    # Patients of one size: their means are the units.
    means = DICE.reshape(4, 2).mean(axis=1)
    assert list(interval) == pytest.approx(logit_t(means), rel=1e-9)
    assert interval.method == "logit+groups"
    paired = f1ci.Scores({"A": DICE, "B": OF_B}, groups=patients).difference().interval
    by_patient = (OF_B - DICE).reshape(4, 2).mean(axis=1)
    expected = stats.ttest_1samp(by_patient, 0).confidence_interval()
    assert list(paired) == pytest.approx(list(expected), abs=2e-4)


def test_a_unit_with_nothing_to_find():
    with pytest.warns(
        f1ci.UndefinedMetricWarning, match="mean leaves out 2 units whose score is undefined; empty"
    ):
        skipped = f1ci.mean_interval([*DICE, NAN, NAN], method="logit")
    assert list(skipped) == pytest.approx(logit_t(DICE), rel=1e-9)
    assert skipped.standard_error == pytest.approx(stats.sem(DICE), rel=1e-12)
    for constant in (0, 1):
        counted = f1ci.mean_interval([*DICE, NAN, NAN], empty=constant, method="logit")
        expected = logit_t([*DICE, constant, constant])
        assert list(counted) == pytest.approx(expected, rel=1e-9)


def test_each_model_has_the_mean_that_it_has_alone():
    """B finds something on the last image, where there is nothing."""
    with pytest.warns(f1ci.UndefinedMetricWarning, match="A leaves out 1 units"):
        interval = f1ci.Scores({"A": [*DICE, NAN], "B": [*OF_B, 0.0]}).difference().interval
    assert interval.estimate == pytest.approx(np.mean([*OF_B, 0]) - DICE.mean(), abs=1e-14)


def f1_by_document(counts):
    """F1 of each document; nan of one with nothing to find."""
    tp, fp, fn = counts.T
    with np.errstate(invalid="ignore"):
        return 2 * tp / (2 * tp + fp + fn)


@pytest.mark.filterwarnings("ignore::f1ci.UndefinedMetricWarning")
@pytest.mark.parametrize("constant", [NAN, 0, 1])
def test_counts_of_documents_follow_the_same_rule(constant):
    counts = np.array([[8, 1, 2], [5, 0, 0], [0, 0, 0], [2, 2, 1], [7, 0, 1], [0, 0, 0]])
    other = counts[:, [0, 2, 1]] + [1, 0, 0]
    a, b = f1_by_document(counts), f1_by_document(other)
    of_means = {"empty": "skip" if np.isnan(constant) else constant}
    of_units = {"average": "samples", "zero_division": constant}
    one = ask(f1ci.Units, "interval", (counts[:, None],), **of_units)
    assert list(one) == pytest.approx(list(f1ci.mean_interval(a, **of_means)), abs=1e-15)
    both = ask(
        f1ci.Units, "difference", ({"A": counts[:, None], "B": other[:, None]},), **of_units
    ).interval
    assert list(both) == pytest.approx(
        list(ask(f1ci.Scores, "difference", ({"A": a, "B": b},), **of_means).interval), abs=1e-15
    )
