"""Pictures without data: the chart of the front page, and two ideas of the chapter on comparisons."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from compendium import figures

# A question, its colour, and what one has with the calls that answer it.
CHART = (
    (
        "How good is\none model?",
        "blue",
        (
            ("two classes", "f1_interval, f1_score_interval"),
            ("several classes", 'f1_score_interval(average="macro"),\nclassification_report'),
            ("several labels for an item", "f1_score_interval(indicators, ...)"),
            ("documents, images, patients", "groups=, clustered_interval"),
            ("many scores at once", "joint_intervals"),
        ),
    ),
    (
        "Is B better\nthan A?",
        "vermilion",
        (
            ("one test set", "difference_test"),
            ("as good as A, or no worse", "difference_test(margin=)"),
            ("documents, images, patients", "groups=, clustered_difference"),
            ("cross-validation", "bcv_partitions, bayes_test"),
        ),
    ),
    (
        "How many\nitems?",
        "green",
        (
            ("for an interval this narrow", "sample_size(half_width=)"),
            ("for a difference this small", "comparison_sample_size"),
        ),
    ),
)


def draw(axes: Any) -> None:
    """Draw the chart, to be read from left to right."""
    rows = sum(len(answers) for _, _, answers in CHART)
    axes.set(xlim=(0, 100), ylim=(rows - 0.4, -1.1))
    axes.axis("off")
    for place, title in ((1, "you want to know"), (25, "you have"), (60, "use")):
        axes.text(place, -0.85, title, fontweight="bold", va="center")
    row = itertools.count()
    for question, colour, answers in CHART:
        places = [next(row) for _ in answers]
        middle = sum(places) / len(places)
        ink = figures.COLOURS[colour]
        box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": ink}
        axes.text(9, middle, question, ha="center", va="center", fontweight="bold", bbox=box)
        for place, (given, call) in zip(places, answers, strict=True):
            axes.plot([18.5, 21.5, 24], [middle, place, place], color=ink, linewidth=1.2)
            axes.text(25, place, given, va="center")
            arrow = {"arrowstyle": "-|>", "color": ink, "linewidth": 1.2}
            axes.annotate("", (59.3, place), (55, place), arrowprops=arrow)
            axes.text(60, place, call, va="center", family="DejaVu Sans Mono", fontsize=8)
        if places[-1] + 1 < rows:
            axes.axhline(places[-1] + 0.5, color="#dddddd", linewidth=0.8)


def disagreement(axes: Any) -> None:
    """Draw which items two models get right: only the columns in which they differ count."""
    right = np.ones((2, 30), dtype=bool)
    right[:, [4, 11, 17, 26]] = False  # both wrong
    right[0, [2, 8, 14, 20, 23, 28]] = False  # only B right
    right[1, [6, 18]] = False  # only A right
    differ = right[0] != right[1]
    for item in range(30):
        ink = "#dddddd"
        if differ[item]:
            ink = figures.COLOURS["blue" if right[1, item] else "vermilion"]
        for row in (0, 1):
            face = ink if right[row, item] else "white"
            box = {"marker": "s", "markersize": 8, "markeredgecolor": ink}
            axes.plot(item, -row, color=face, linestyle="", **box)
        if differ[item]:
            axes.annotate(
                "", (item, -2.1), (item, -1.5), arrowprops={"arrowstyle": "-|>", "color": ink}
            )
    only_b, only_a = int((right[1] & ~right[0]).sum()), int((right[0] & ~right[1]).sum())
    axes.text(-0.8, 0, "model A", ha="right", va="center")
    axes.text(-0.8, -1, "model B", ha="right", va="center")
    words = f"only B right: {only_b}        only A right: {only_a}"
    axes.text(14.5, -2.6, words, ha="center", va="center", fontweight="bold")
    axes.set(xlim=(-5, 30), ylim=(-3, 0.8))
    axes.axis("off")


def documents(axes: Any) -> None:
    """Draw twelve errors among ninety items of ten documents: scattered, and in two documents."""
    scattered = np.zeros((10, 9), dtype=bool)
    scattered[np.arange(12) % 10, (np.arange(12) * 4 + 2) % 9] = True
    clumped = np.zeros((10, 9), dtype=bool)
    clumped[3, :6] = clumped[7, 2:8] = True
    for axis, errors, title in zip(
        axes,
        (scattered, clumped),
        ("errors all over: ninety items", "errors together: ten documents"),
        strict=True,
    ):
        for document, item in itertools.product(range(10), range(9)):
            wrong = errors[document, item]
            ink = figures.COLOURS["vermilion"] if wrong else "#bbbbbb"
            axis.plot(document, item, "o", color=ink, markersize=6 if wrong else 4)
        axis.set(title=title, xlim=(-0.6, 9.6), ylim=(-0.8, 8.8), yticks=[], xticks=[])
        axis.set_xlabel("a column is a document")
