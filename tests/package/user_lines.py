"""Ordinary lines of a person who uses f1ci; `make test` runs mypy --strict on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import f1ci

Y_TRUE: list[str] = ["a", "b", "b", "a", "b", "a"] * 9
Y_PRED: Sequence[str] = ("a", "b", "a", "a", "b", "a") * 9
CODES = np.array([0, 1, 1, 0, 1, 0] * 9)
BOTH = {"a": CODES, "b": CODES[::-1]}
GROUPS = [k // 3 for k in range(54)]


def intervals() -> None:
    """Use floats as floats and arrays as arrays, without a cast."""
    x: float = f1ci.f1_score_interval(Y_TRUE, Y_PRED, pos_label="a").low
    low, high = f1ci.f1_interval(77, 44, 10)
    width: float = high - low
    print(f"{x:.2f} {width:.2f} {round(low, 2)}", 0.7 in f1ci.f1_interval(np.int64(77), 44, 10))
    many = f1ci.f1_interval([77, 10], [44, 5], 10)
    rounded: list[float] = many.low.round(2).tolist()
    numbers: dict[str, float] = {"low": many.low[0], "longest": many.length.max()}
    print(rounded, numbers)


def classes() -> None:
    """Ask for each class, for documents, for another prevalence."""
    each = f1ci.f1_score_interval(CODES, CODES[::-1], average=None)
    for name, value in zip(each.classes or (), each.estimate, strict=True):
        print(name, value)
    grouped = f1ci.f1_score_interval(Y_TRUE, Y_PRED, average="macro", groups=GROUPS)
    error: float = grouped.standard_error
    shares = {"a": 0.1, "b": 0.9}
    used: float = f1ci.score_interval(Y_TRUE, Y_PRED, pos_label="a", class_shares=shares).low
    print(error, used)


def matrices() -> None:
    """Ask for one matrix, for many, with chosen shares."""
    matrix = f1ci.confusion_matrix(Y_TRUE, Y_PRED)
    least: float = f1ci.Matrix(matrix).interval("macro_f1", alternative="greater").low
    batch = f1ci.Matrix(np.stack([matrix, matrix])).interval(f1ci.metrics.fbeta(2))
    by_row = f1ci.Matrix(matrix, class_shares=[0.1, 0.9]).interval("macro_f1")
    print(least, batch.high.shape, batch.to_dict()["method"], by_row.high)


def comparisons() -> None:
    """Compare two models and several."""
    difference: float = (
        f1ci.Labels(Y_TRUE, {"A": Y_PRED, "B": Y_TRUE}).difference("macro_f1").interval.estimate
    )
    test = f1ci.Labels(Y_TRUE, {"A": Y_PRED, "B": Y_TRUE}, groups=GROUPS).difference(
        "macro_f1", rng=1
    )
    p: float = test.p_value
    best: str = f1ci.compare_models(CODES, BOTH).verdict()
    joint = f1ci.Labels(CODES, BOTH).joint(["f1", "accuracy"])
    joint_low: float = joint["b", "f1"].low
    print(difference, p, best, joint_low, joint.low.max())


def others() -> None:
    """Ask for means, runs, strata and a report."""
    mean: float = f1ci.mean_interval([0.9, 0.8, 0.7, 0.85]).low
    gain: float = (
        f1ci.Scores({"A": np.array([0.9, 0.8, 0.7, 0.9]), "B": [0.9, 0.85, 0.8, 0.7]})
        .difference()
        .interval.high
    )
    runs = f1ci.Runs(CODES, [CODES, CODES[::-1]]).interval()
    assert isinstance(runs, f1ci.results.RunsInterval)
    part: float = runs.share_of_runs
    shares = {"a": 0.1, "b": 0.9}
    drawn = f1ci.score_interval(Y_TRUE, Y_PRED, "mcc", strata=Y_PRED, stratum_shares=shares).high
    print(drawn, f1ci.classification_report(Y_TRUE, Y_PRED, class_shares=shares))
    print(mean, gain, part, runs.scores.max())


def plans() -> None:
    """Ask for plans, posteriors and coverage."""
    plan: int = f1ci.Labels(Y_TRUE, Y_PRED).plan("macro_f1", half_width=0.1).items
    items: int = f1ci.sample_size(half_width=0.02).positives
    print(plan, items)
    posterior: float = f1ci.posterior(77, 44, 10).interval().low
    units: float = f1ci.Units(np.array([[8, 1, 2], [5, 0, 0], [9, 4, 3]] * 2)).interval().high
    print(posterior, units, f1ci.coverage.exact(9, [0.4, 0.1, 0.1, 0.4]).coverage)
