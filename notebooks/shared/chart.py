"""The chart of the front page: which function answers which question."""

from __future__ import annotations

import itertools
from typing import Any

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
            ("for a difference this small", "sample_size(difference=)"),
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
