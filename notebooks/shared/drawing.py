"""What several notebooks draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from compendium import figures, ledger, verdicts

__all__ = ["allowed"]


def allowed(axes: Any, rows: Mapping[str, str], *, ratio: bool = False) -> None:
    """Where printed numbers fall: what the ledger allows as a bar, the printed number on it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    rows : mapping of str to str
        Names, from top to bottom, and the ids of numbers that are recorded already.
    ratio : bool
        Show everything as a ratio to the reproduced value, so that any numbers compare.
    """
    entries = verdicts.judge(ledger.opened(), list(rows.values()))
    # Four columns: the lowest and the highest printed number that agrees, ours, the printed one.
    values = np.array([[*e.allowed, e.value, float(e.printed)] for e in entries], float)
    low, high, ours, printed = (values / values[:, [2]] if ratio else values).T
    inside = (low <= printed) & (printed <= high)
    places = np.arange(len(rows))
    look = {"color": figures.COLOURS["sky"], "linewidth": 6, "label": "allowed by the ledger"}
    axes.hlines(places, low, high, **look)
    axes.plot(ours, places, "|", markersize=9, color=figures.COLOURS["blue"], label="reproduced")
    for where, marker, size, colour, label in (
        (inside, "o", 5, "black", "printed, inside"),
        (~inside, "X", 7, "vermilion", "printed, outside"),
    ):
        look = {"color": figures.COLOURS[colour], "markersize": size, "label": label}
        axes.plot(printed[where], places[where], marker, **look)
    axes.set_yticks(places, list(rows))
    axes.set_ylim(len(rows) - 0.4, -0.6)
