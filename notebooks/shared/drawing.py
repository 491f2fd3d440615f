"""Drawings that several notebooks share."""

from __future__ import annotations

from collections.abc import Mapping
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
    table = np.array([_limits(identity) for identity in rows.values()])
    low, high, ours, printed = (table / table[:, [2]] if ratio else table).T
    places = np.arange(len(rows))
    sky, blue, black = (figures.COLOURS[name] for name in ("sky", "blue", "black"))
    axes.hlines(places, low, high, color=sky, linewidth=6, label="allowed by the ledger")
    axes.plot(printed, places, "o", color=black, markersize=5, label="printed")
    axes.plot(ours, places, "|", markersize=9, color=blue, label="reproduced")
    axes.set_yticks(places, list(rows))
    axes.set_ylim(len(rows) - 0.4, -0.6)


def _limits(identity: str) -> list[float]:
    """Return the lowest and highest printed number that agrees, our number and the printed one."""
    page = ledger.opened()
    row = page.row(identity)
    record = page.records[identity]
    return [*map(float, ledger.allowed(record, row)), float(record.value or 0), float(row.printed)]


def ratios(table: str, lines: Mapping[str, str], height: float) -> Any:
    """Draw the coverages and the lengths of a table as ratios to the reproduced ones.

    Parameters
    ----------
    table : str
        The beginning of the ids.
    lines : mapping of str to str
        The lines of the table, such as "1nn/joint", and their names.
    height : float
        Of the figure, in inches.
    """
    figure, axes = figures.subplots(2, 1, height=height, sharey=True)
    for axis, quantity in zip(axes, ("coverage", "length"), strict=True):
        ids = {name: f"{table}/{line}/{quantity}" for line, name in lines.items()}
        allowed(axis, ids, ratio=True)
        axis.axvline(1, color=figures.COLOURS["grey"], linewidth=0.8)
        axis.set(title=quantity, xlabel="ratio to the reproduced value")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure
