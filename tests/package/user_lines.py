"""Ordinary lines of a person who uses f1ci; `make test` runs mypy --strict on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import f1ci


def run() -> None:
    """Use floats as floats and arrays as arrays, without a cast."""
    y_true: list[str] = ["a", "b", "b", "a", "b", "a"] * 9
    y_pred: Sequence[str] = ("a", "b", "a", "a", "b", "a") * 9
    codes = np.array([0, 1, 1, 0, 1, 0] * 9)
    groups = [k // 3 for k in range(len(y_true))]
    x: float = f1ci.f1_score_interval(y_true, y_pred, pos_label="a").low
    low, high = f1ci.f1_interval(77, 44, 10)
    width: float = high - low
    print(f"{x:.2f} {width:.2f} {round(low, 2)}")
    many = f1ci.f1_interval([77, 10], [44, 5], 10)
    rounded: list[float] = many.low.round(2).tolist()
    longest: float = many.length.max()
    numbers: dict[str, float] = {"low": many.low[0], "longest": longest}
    print(rounded, numbers, 0.7 in f1ci.f1_interval(np.int64(77), 44, 10))
    each = f1ci.f1_score_interval(codes, codes[::-1], average=None)
    for name, value in zip(each.classes or (), each.estimate, strict=True):
        print(name, value)
    grouped = f1ci.f1_score_interval(y_true, y_pred, average="macro", groups=groups)
    error: float = grouped.standard_error
    matrix = f1ci.confusion_matrix(y_true, y_pred)
    least: float = f1ci.metric_interval(matrix, "macro_f1", alternative="greater").low
    batch = f1ci.metric_interval(np.stack([matrix, matrix]), f1ci.metrics.fbeta(2))
    print(error, least, batch.high.shape, batch.to_dict()["method"])
    difference: float = f1ci.difference_interval(y_true, y_pred, y_true, "macro_f1").estimate
    test = f1ci.difference_test(y_true, y_pred, y_true, "macro_f1", groups=groups, rng=1)
    p: float = test.p_value
    best: str = f1ci.compare_models(codes, {"a": codes, "b": codes[::-1]}).verdict()
    joint = f1ci.joint_intervals(codes, {"a": codes, "b": codes[::-1]}, ["f1", "accuracy"])
    joint_low: float = joint["b", "f1"].low
    print(difference, p, best, joint_low, joint.low.max())
    mean: float = f1ci.mean_interval([0.9, 0.8, 0.7, 0.85]).low
    gain: float = f1ci.mean_difference(np.array([0.9, 0.8, 0.7]), [0.9, 0.85, 0.8]).high
    runs = f1ci.repeated_interval(codes, [codes, codes[::-1]])
    part: float = runs.share_of_runs
    shares = {"a": 0.1, "b": 0.9}
    used: float = f1ci.score_interval(y_true, y_pred, pos_label="a", class_shares=shares).low
    by_row = f1ci.metric_interval(matrix, "macro_f1", class_shares=[0.1, 0.9])
    drawn = f1ci.score_interval(y_true, y_pred, "mcc", strata=y_pred, stratum_shares=shares).high
    print(drawn, f1ci.classification_report(y_true, y_pred, class_shares=shares))
    plan: int = f1ci.pilot_interval_size(y_true, y_pred, "macro_f1", half_width=0.1).items
    print(mean, gain, part, runs.scores.max(), used, by_row.high, plan)
    items: int = f1ci.sample_size(half_width=0.02).positives
    posterior: float = f1ci.posterior(77, 44, 10).interval().low
    units: float = f1ci.clustered_interval(np.array([[8, 1, 2], [5, 0, 0], [9, 4, 3]])).high
    print(items, posterior, units, f1ci.coverage.exact(9, [0.4, 0.1, 0.1, 0.4]).coverage)
