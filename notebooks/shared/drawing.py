"""Drawings that several notebooks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from compendium import figures, ledger


def allowed(axes: Any, rows: Mapping[str, str], *, ratio: bool = False) -> None:
    """Draw where printed numbers fall: what the ledger allows as a bar, the printed number on it.

    No verdict is drawn: the book gives it, in one place.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    rows : mapping of str to str
        Names, from top to bottom, and the ids of numbers that are recorded already.
    ratio : bool
        Show everything as a ratio to the reproduced value, so that any numbers compare.
    """
    page = ledger.opened()
    values = np.empty(
        (len(rows), 4)
    )  # lowest and highest printed number that agrees, ours, printed
    for place, i in enumerate(rows.values()):
        row, record = page.row(i), page.records[i]
        values[place] = [*ledger.allowed(record, row), record.value, float(row.printed)]
    low, high, ours, printed = (values / values[:, [2]] if ratio else values).T
    places = np.arange(len(rows))
    ranges(axes, list(rows), np.column_stack([low, high]), printed, "allowed by the ledger")
    axes.plot(ours, places, "|", markersize=9, color=figures.COLOURS["blue"], label="reproduced")


def ranges(axes: Any, names: Sequence[str], bands: Any, printed: Any, label: str) -> None:
    """Draw bands as bars from top to bottom, and on each the printed number.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    names : sequence of str
    bands : array_like, shape (rows, 2)
    printed : array_like, shape (rows,)
    label : str
        What the bars are.
    """
    low, high = np.asarray(bands).T
    values, places = np.asarray(printed), np.arange(len(names))
    axes.hlines(places, low, high, color=figures.COLOURS["sky"], linewidth=6, label=label)
    look = {"color": figures.COLOURS["black"], "markersize": 5, "label": "printed"}
    axes.plot(values, places, "o", **look)
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
