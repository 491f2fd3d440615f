"""Errors of earlier versions, each as a user met it."""

import itertools
import warnings

import numpy as np
import pytest

import f1ci

RNG = np.random.default_rng(4)
TRUE = RNG.choice(["a", "b", "c"], 200).tolist()
GOOD = [t if RNG.random() < 0.8 else str(RNG.choice(["a", "b", "c"])) for t in TRUE]
STRAY = ["n/a" if k == 7 else p for k, p in enumerate(GOOD)]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        yield


# One stray label


def test_one_stray_label_of_one_model_does_not_end_the_comparison():
    alone = [f1ci.score_interval(TRUE, p, "macro_f1").estimate for p in (STRAY, GOOD)]
    difference = f1ci.difference_interval(TRUE, STRAY, GOOD, "macro_f1")
    assert difference.estimate == pytest.approx(alone[1] - alone[0], abs=1e-14)
    assert difference.low < difference.estimate < difference.high
    assert 0.0 < f1ci.difference_test(TRUE, STRAY, GOOD, "macro_f1").p_value < 1.0
    both = {"stray": STRAY, "good": GOOD}
    joint = f1ci.joint_intervals(TRUE, both, "macro_f1")
    np.testing.assert_allclose(joint.estimate, alone, rtol=1e-14)
    assert np.isfinite([*joint.low, *joint.high]).all()
    models = f1ci.compare_models(TRUE, both, "macro_f1")
    assert models.intervals["stray"].estimate == pytest.approx(alone[0], rel=1e-14)


def test_comparisons_know_labels_and_zero_division():
    named = {"labels": ["a", "b"]}
    alone = [f1ci.score_interval(TRUE, p, "macro_f1", **named).estimate for p in (STRAY, GOOD)]
    for door in (f1ci.difference_interval, f1ci.difference_test):
        found = door(TRUE, STRAY, GOOD, "macro_f1", **named)
        assert found.estimate == pytest.approx(alone[1] - alone[0], abs=1e-14)
    joint = f1ci.joint_intervals(TRUE, {"a": STRAY, "b": GOOD}, "macro_f1", **named)
    np.testing.assert_allclose(joint.estimate, alone, rtol=1e-14)
    named = {"labels": ["a", "b", "c", "never"], "zero_division": 1}
    first, second = (f1ci.score_interval(TRUE, p, "macro_f1", **named) for p in (GOOD, GOOD[::-1]))
    found = f1ci.difference_interval(TRUE, GOOD, GOOD[::-1], "macro_f1", **named)
    assert found.estimate == pytest.approx(second.estimate - first.estimate, abs=1e-14)


def test_warnings_of_a_comparison_name_the_class():
    rare = [*TRUE, "rare!"], [*GOOD, "rare!"], [*STRAY, "a"]
    with pytest.warns(f1ci.SmallSampleWarning, match="of class 'rare!', so"):
        f1ci.difference_interval(*rare, "macro_f1")


def test_two_multilabel_models_are_compared():
    true, a, b = RNG.integers(0, 2, (3, 60, 4))
    found = f1ci.difference_interval(true, a, b, "macro_f1")
    single = [f1ci.score_interval(true, p, average="macro").estimate for p in (a, b)]
    assert found.estimate == pytest.approx(single[1] - single[0], abs=1e-14)
    assert found.low < found.estimate < found.high


# Matrices and verdicts


def test_an_empty_matrix_gets_a_sentence():
    with pytest.raises(ValueError, match="matrix must hold at least one item, got"):
        f1ci.matrix_report(np.zeros((3, 3), int))


def test_matrix_reports_name_classes_as_other_reports_do():
    assert f1ci.matrix_report([[9, 1], [2, 8]], labels=["cat", "dog"]).classes == ("cat", "dog")


def test_two_and_three_models_have_one_verdict():
    """The p-value and the interval must both tell models apart, whether others are there or not.

    A third model that equals the better one adds a pair; Holm's method doubles p-values at most.
    """
    y = np.array([1] * 30 + [0] * 30)
    for changed in range(1, 12):
        a = np.where(np.arange(60) < changed, 0, y)
        pair = f1ci.compare_models(y, {"a": a, "b": y})
        ((_, test),) = pair.tests.items()
        apart = test.p_value <= 0.05 and not test.interval.low <= 0.0 <= test.interval.high
        assert ("better" in pair.verdict()) == apart
        three = f1ci.compare_models(y, {"a": a, "b": y, "c": a})
        if "b is better than every" in three.verdict():
            assert apart
            assert three.adjusted["a", "b"] <= 0.05


# Limits


def test_room_is_for_metrics_whose_perfect_value_is_an_end_of_the_range():
    """More errors do not raise the upper limit of lift: it was 7.498, 5.726, 7.498."""
    highs = [f1ci.metric_interval([[80, 0], [e, 20 - e]], "lift").high for e in (0, 1, 2, 3)]
    estimates = [f1ci.metrics.lift.value([[80, 0], [e, 20 - e]]) for e in (0, 1, 2, 3)]
    assert all(high > estimate for high, estimate in zip(highs, estimates, strict=True))
    assert min(highs) > 0.95 * max(highs)
    ratio = f1ci.metrics.BinaryMetric(
        "LR+", lambda x, ea, ez: x * (1 - ez) / (ez * (ea - x)), range=(0, np.inf)
    )
    for errors in (1, 2, 3):
        interval = f1ci.metric_interval([[80, 2], [errors, 20]], ratio)
        assert interval.low < interval.estimate < interval.high


@pytest.mark.parametrize("matrix", [[[159, 1], [0, 40]], [[5, 1], [0, 1]]])
def test_limits_of_lift_widen_with_the_level(matrix):
    """With one item wrong the upper limit fell from 5.635 to 5.036."""
    levels = (0.8, 0.95, 0.99, 0.999)
    ends = [f1ci.metric_interval(matrix, "lift", confidence_level=x) for x in levels]
    for narrow, wide in itertools.pairwise(ends):
        assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high


@pytest.mark.parametrize("positives", [0.1, 0.2])
def test_lift_with_few_items_wrong_is_covered(positives):
    """Coverage was 0.859 and 0.879."""
    cells = np.array([0.99 - positives, 0.005, 0.005, positives])
    draws = np.random.default_rng(1).multinomial(200, cells, 6000).reshape(-1, 2, 2)
    truth = positives / (positives + 0.005) ** 2
    low, high = f1ci.metric_interval(draws, "lift")
    # Three standard errors of 6,000 draws.
    assert np.mean((low <= truth) & (truth <= high)) > 0.95 - 3 * (0.95 * 0.05 / 6000) ** 0.5


def test_differences_of_lift_with_three_groups_have_a_length():
    """They were -0.2 (-0.2 to -0.2)."""
    true, a, b = [1, 1, 0, 1, 1, 0], [1, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1]
    groups = [0, 2, 2, 0, 1, 2]
    found = f1ci.difference_interval(true, a, b, "lift", groups=groups)
    back = f1ci.difference_interval(true, b, a, "lift", groups=groups)
    assert found.low < 0 < found.high
    assert tuple(back) == pytest.approx((-found.high, -found.low), rel=1e-12)


def test_f1_of_mean_precision_and_recall_with_three_groups_widens_with_the_level():
    """The lower limits were 0.107, 0.185 and 0.739."""
    options = {"average": "macro_star", "groups": [0, 1, 2]}
    levels = (0.8, 0.95, 0.99)
    ends = [
        f1ci.f1_score_interval([0, 1, 0], [0, 1, 1], confidence_level=x, **options) for x in levels
    ]
    for narrow, wide in itertools.pairwise(ends):
        assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high


def test_an_absent_class_is_not_known_to_score_0():
    """Four classes of which one has a share of 1 %: the interval covers when it is absent, too."""
    shares = np.array([0.4, 0.3, 0.29, 0.01])
    p = shares[:, None] * (0.8 * np.eye(4) + 0.2 / 3 * (1 - np.eye(4)))
    rng = np.random.default_rng(3)
    absent = 0
    covered = 0
    labels = list(range(4))
    for _ in range(150):
        cells = rng.multinomial(40, p.ravel())
        true, predicted = np.divmod(np.repeat(np.arange(16), cells), 4)
        if (true == 3).any():
            continue
        absent += 1
        found = f1ci.score_interval(true, predicted, "macro_recall", labels=labels, zero_division=0)
        covered += 0.8 in found
    assert absent > 50
    # The level is .95, the standard error .022.
    assert covered / absent > 0.95 - 3 * 0.022


@pytest.mark.parametrize("zero_division", [0, 1])
def test_a_counted_class_makes_the_interval_longer(zero_division):
    labels = ["a", "b", "c", "never"]
    plain = f1ci.score_interval(TRUE, GOOD, "macro_f1")
    found = f1ci.score_interval(TRUE, GOOD, "macro_f1", labels=labels, zero_division=zero_division)
    # A quarter of the average is unknown.
    assert found.length == pytest.approx(0.75 * plain.length + 0.25, abs=1e-9)


def test_no_default_has_length_zero_where_nothing_is_right():
    for metric in ("macro_f1_star", "macro_f1", "weighted_f1", "mcc", "kappa", "f1"):
        low, high = f1ci.metric_interval([[0, 20], [30, 0]], metric)
        assert low < high, metric


def test_a_defined_kappa_has_limits():
    interval = f1ci.metric_interval([[0, 0], [1, 9]], "kappa")
    assert interval.estimate == pytest.approx(0.0, abs=1e-15)
    assert -1.0 <= interval.low < -0.1 < 0.1 < interval.high <= 1.0


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted"])
def test_documents_with_nothing_in_them_change_nothing(average):
    counts = np.random.default_rng(2).integers(0, 9, (9, 2, 3))
    empty = np.concatenate([counts, np.zeros((6, 2, 3), int)])
    one, other = (f1ci.clustered_interval(c, average=average) for c in (counts, empty))
    np.testing.assert_allclose(tuple(other), tuple(one), rtol=1e-12)
