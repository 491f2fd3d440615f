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
DICE = np.linspace(0.6, 0.9, 30)


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


def questions() -> None:
    """Ask each kind of data a question, with labels in lists, tuples and arrays."""
    shares = {"a": 0.1, "b": 0.9}
    matrix = f1ci.confusion_matrix(Y_TRUE, Y_PRED)
    labels = f1ci.Labels(Y_TRUE, {"A": Y_PRED, "B": Y_TRUE}, groups=GROUPS)
    coded = f1ci.Labels(CODES, BOTH)
    each = coded.interval("f1", "a", average=None)
    named: dict[object, float] = dict(zip(each.classes or (), each.estimate, strict=True))
    numbers: list[float] = [
        f1ci.score_interval(Y_TRUE, Y_PRED, "mcc", strata=Y_PRED, stratum_shares=shares).high,
        f1ci.Matrix(np.stack([matrix, matrix])).interval(f1ci.metrics.fbeta(2)).high.max(),
        f1ci.Matrix(matrix, class_shares=[0.1, 0.9]).interval("macro_f1").standard_error,
        labels.difference("macro_f1", rng=1).p_value,
        coded.joint(["f1", "accuracy"])["b", "f1"].low,
        f1ci.Scores({"A": DICE, "B": [*DICE[::-1]]}).difference().p_value,
        f1ci.Units(np.array([[8, 1, 2], [5, 0, 0], [9, 4, 3]] * 9)).interval().length,
        f1ci.posterior(77, 44, 10).interval().low,
        f1ci.coverage.exact(9, [0.4, 0.1, 0.1, 0.4]).coverage,
    ]
    runs = f1ci.Runs(CODES, [CODES, CODES[::-1]]).interval()
    assert isinstance(runs, f1ci.results.RunsInterval)
    part: float = runs.share_of_runs
    items: int = coded.plan("f1", "b", half_width=0.1).items
    verdict: str = f1ci.compare_models(CODES, BOTH).verdict()
    print(named, numbers, part, items, verdict)
    print(f1ci.classification_report(Y_TRUE, Y_PRED, class_shares=shares))
