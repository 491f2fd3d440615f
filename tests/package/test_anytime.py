"""Limits for repeated looks: exact chances over all orders in which items come in."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import f1ci

LOOKS = 300


def chance_of_an_error(method, share, first=1):
    """The exact chance that the interval excludes the truth at any look from the first on.

    After v relevant items TP is x with a chance that follows from the one before; what a look has
    excluded is taken out.
    """
    v, x = np.meshgrid(np.arange(LOOKS + 1), np.arange(LOOKS + 1), indexing="ij")
    possible = (v >= x) & (v >= first)
    low, high = f1ci.f1_interval(x[possible], (v - x)[possible], 0, method=method)
    excluded = np.zeros(possible.shape, dtype=bool)
    truth = 2.0 * share / (1.0 + share)
    excluded[possible] = (truth < low) | (truth > high)
    chance = np.zeros(LOOKS + 1)
    chance[0] = 1.0
    for look in range(1, LOOKS + 1):
        chance = (1.0 - share) * chance + share * np.concatenate([[0.0], chance[:-1]])
        chance[excluded[look]] = 0.0
    return 1.0 - chance.sum()


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.6, 0.9, 0.99])
def test_any_look_excludes_the_truth_with_a_chance_of_at_most_5_percent(share):
    assert 0.0 < chance_of_an_error("anytime", share) <= 0.05


def test_intervals_for_one_look_exclude_the_truth_far_more_often():
    assert chance_of_an_error("score", 0.6, first=10) > 0.3
    assert chance_of_an_error("cautious", 0.6, first=10) > 0.2


@pytest.mark.parametrize(("tp", "wrong"), [(12, 8), (0, 5), (7, 0), (600, 400)])
def test_limits_are_where_the_mixture_is_20_times_as_likely(tp, wrong):
    """The mixture by quadrature, the root by SciPy."""

    def ratio(s):
        peak = [min(max(tp / (tp + wrong), 1e-3), 1 - 1e-3)]
        inside = integrate.quad(
            lambda t: stats.binom.pmf(tp, tp + wrong, t) * stats.beta.pdf(t, 0.5, 0.5),
            0.0,
            1.0,
            points=peak,
            limit=500,
        )[0]
        return np.log(inside) - stats.binom.logpmf(tp, tp + wrong, s) - np.log(20.0)

    low, high = f1ci.Counts(tp, wrong, 0).interval("precision", method="anytime")
    share = tp / (tp + wrong)
    # The quadrature has a square-root singularity at both ends.
    if tp:
        assert low == pytest.approx(optimize.brentq(ratio, 1e-9, share - 1e-9), rel=1e-5)
    else:
        assert low == 0.0
    if wrong:
        assert high == pytest.approx(optimize.brentq(ratio, share + 1e-9, 1 - 1e-9), rel=1e-5)
    else:
        assert high == 1.0


def test_shares_of_trials_have_the_same_limits_on_their_own_scale():
    y_true = [1] * 30 + [0] * 30
    y_pred = [1] * 25 + [0] * 30 + [1] * 5
    test = f1ci.Labels(y_true, y_pred)
    jaccard, f1 = (test.interval(name, method="anytime") for name in ("jaccard", "f1"))
    assert [2 * x / (1 + x) for x in jaccard] == pytest.approx(list(f1), rel=1e-12)
    recall = f1ci.Counts(25, 0, 5).interval("recall", method="anytime")
    assert list(test.interval("recall", method="anytime")) == list(recall)
    accuracy = f1ci.Counts(50, 10, 0).interval("precision", method="anytime")
    assert list(test.interval("accuracy", method="anytime")) == pytest.approx(list(accuracy))


def test_without_relevant_items_everything_is_possible():
    with pytest.warns(f1ci.UndefinedMetricWarning):
        assert tuple(f1ci.f1_interval(0, 0, 0, method="anytime")) == (0.0, 1.0)


def test_it_is_refused_where_there_are_no_trials():
    with pytest.raises(ValueError, match=r"method must be one of .* got 'anytime'"):
        f1ci.Matrix([[20, 4], [6, 30]]).interval("f2", method="anytime")
    with pytest.raises(ValueError, match=r"alternative must be 'two-sided' .* got 'less'"):
        f1ci.f1_interval(8, 1, 1, method="anytime", alternative="less")
    groups = np.arange(40) // 4
    with pytest.raises(ValueError, match=r"items in groups, got 'anytime'"):
        f1ci.Labels([0, 1] * 20, [0, 1, 1, 1] * 10, groups=groups).interval(method="anytime")


def test_the_word_bootstrap_is_answered():
    with pytest.raises(ValueError, match=r"does not resample.*: 'score' is hardly different"):
        f1ci.f1_interval(8, 1, 1, method="bootstrap")
