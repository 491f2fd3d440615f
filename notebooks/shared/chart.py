"""Pictures of ideas: forty test sets for the front page, and two for the chapters on comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
from compendium import figures
from numpy.typing import NDArray
from scipy import stats

import f1ci
from notebooks.shared.four_intervals import share_of


def forty_test_sets(axes: Any, *, relevant: int, f1: float) -> None:
    """Draw forty typical test sets of a classifier, as the page's script does.

    Their true positives are the quantiles of the binomial distribution, in an order that looks like
    none: the powers of 6 modulo 41.
    """
    ranks = np.array([pow(6, k + 5, 41) for k in range(40)])
    right = stats.binom(relevant, share_of(f1)).ppf((ranks - 0.5) / 40).astype(int)
    found = f1ci.f1_interval(right, relevant - right, 0)
    missed = (found.low > f1) | (found.high < f1)
    places = np.arange(40)
    for which, colour, width in ((~missed, "blue", 1.5), (missed, "vermilion", 3)):
        look = {"color": figures.COLOURS[colour]}
        axes.vlines(places[which], found.low[which], found.high[which], linewidth=width, **look)
        axes.plot(places[which], found.estimate[which], "o", **look)
    axes.axhline(f1, color="black", linewidth=1)
    axes.set(xticks=[], xlabel="forty test sets", ylabel="F1")


def disagreement(axes: Any) -> None:
    """Draw which items two models get right: only the columns in which they differ count."""
    right = _who_is_right()
    for item, (a, b) in enumerate(right.T):
        _column(axes, item, a, b)
    for row, name in ((0, "model A"), (-1, "model B")):
        axes.text(-0.8, row, name, ha="right", va="center")
    only_a, only_b = (right[0] > right[1]).sum(), (right[1] > right[0]).sum()
    words = f"only B right: {only_b}        only A right: {only_a}"
    axes.text(14.5, -2.6, words, ha="center", va="center", fontweight="bold")
    axes.set(xlim=(-7, 30), ylim=(-3, 0.8))
    axes.axis("off")


def _who_is_right() -> NDArray[np.bool_]:
    """Return which of 30 items the models A and B get right."""
    right = np.ones((2, 30), dtype=bool)
    right[:, [4, 11, 17, 26]] = False  # both wrong
    right[0, [2, 8, 14, 20, 23, 28]] = False  # only B right
    right[1, [6, 18]] = False  # only A right
    return right


def _column(axes: Any, item: int, a: bool, b: bool) -> None:
    """Draw a square for each model, filled if it is right, and an arrow if the models differ."""
    ink = figures.COLOURS["blue" if b else "vermilion"] if a != b else "#dddddd"
    box = {"marker": "s", "markersize": 7, "markeredgecolor": ink, "linestyle": ""}
    for row, is_right in ((0, a), (-1, b)):
        axes.plot(item, row, color=ink if is_right else "white", **box)
    if a != b:
        arrow = {"arrowstyle": "-|>", "color": ink}
        axes.annotate("", (item, -2.1), (item, -1.5), arrowprops=arrow)


def documents(axes: Any) -> None:
    """Draw twelve errors among ninety items of ten documents: scattered, and in two documents."""
    scattered = np.zeros((10, 9), dtype=bool)
    scattered[np.arange(12) % 10, (np.arange(12) * 4 + 2) % 9] = True
    clumped = np.zeros((10, 9), dtype=bool)
    clumped[3, :6] = clumped[7, 2:8] = True
    axes[0].set_title("errors all over:\nninety items")
    axes[1].set_title("errors together:\nten documents")
    for axis, errors in zip(axes, (scattered, clumped), strict=True):
        for (document, item), wrong in np.ndenumerate(errors):
            ink = figures.COLOURS["vermilion"] if wrong else "#bbbbbb"
            axis.plot(document, item, "o", color=ink, markersize=5 if wrong else 3)
        axis.set(xlim=(-0.6, 9.6), ylim=(-0.8, 8.8), yticks=[], xticks=[])
        axis.set_xlabel("a column is a document")
