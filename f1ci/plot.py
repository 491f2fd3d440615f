"""Draw intervals and differences with matplotlib.

Every function draws into the axes that the caller passes, or into new ones, and returns them.
Matplotlib is imported at the first drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from f1ci import _tables
from f1ci.data import checks
from f1ci.results import DifferenceTest, Interval, JointIntervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forest(
    intervals: Interval | JointIntervals | Mapping[str, Interval], *, ax: Axes | None = None
) -> Axes:
    """Draw a line for each interval, from top to bottom, with a dot at the estimate.

    Parameters
    ----------
    intervals : Interval, JointIntervals or mapping of str to Interval
        One or more intervals, such as ``report.by_class["f1"]`` or ``comparison.intervals``.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import f1ci
    >>> intervals = {"BERT": f1ci.f1_interval(77, 44, 10), "ULMFiT": f1ci.f1_interval(70, 60, 17)}
    >>> ax = f1ci.plot.forest(intervals)  # doctest: +SKIP
    """
    named = intervals if isinstance(intervals, Mapping) else {"": intervals}
    rows = [row for name, one in named.items() for row in _rows(name, one)]
    if not rows:
        raise ValueError(f"intervals must not be empty, got {checks.short(intervals)}")
    ax = _axes(ax, len(rows))
    for k, (_, *numbers) in enumerate(rows):
        _draw(ax, k, *numbers)
    ax.set_yticks(range(len(rows)), [_tables.label(row[0]) for row in rows])
    ax.tick_params(left=False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("; ".join(dict.fromkeys(one._line() for one in named.values())))
    return ax


def _draw(ax: Axes, k: int, estimate: float, low: float, high: float) -> None:
    """Draw one interval in row k."""
    ax.plot([low, high], [k, k], color="C0", linewidth=3, solid_capstyle="butt")
    ax.plot([estimate], [k], "o", color="C0", markersize=6, markeredgecolor="white")


def _rows(name: str, intervals: Interval | JointIntervals) -> list[tuple[str, Any, Any, Any]]:
    """Return a name, an estimate and limits for each of the intervals."""
    if not isinstance(intervals, (Interval, JointIntervals)):
        raise TypeError(f"intervals cannot be drawn, got {checks.short(intervals)}")
    names, numbers = intervals._columns(slice(None))
    labels = [", ".join(map(str, row)) for row in zip(*names.values(), strict=True)]
    if name:
        labels = [name] * len(labels)
    return list(zip(labels, numbers["estimate"], numbers["low"], numbers["high"], strict=True))


def _axes(ax: Axes | None, rows: int) -> Axes:
    """Return the caller's axes or new ones, without a frame on three sides."""
    if ax is None:
        from matplotlib import pyplot

        inches = (4.8, 1.1 + 0.3 * rows)
        ax = pyplot.subplots(figsize=inches, layout="constrained")[1]
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax


def difference(test: DifferenceTest, *, ax: Axes | None = None) -> Axes:
    """Draw the difference of two models with its interval, zero, the margin and the verdict.

    Parameters
    ----------
    test : DifferenceTest
        What `f1ci.Labels.difference` gives; `forest` draws its interval alone.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import f1ci
    >>> y_true, a, b = [1, 1, 0, 0] * 9, [1, 0, 0, 1] * 9, [1, 1, 0, 1] * 9
    >>> test = f1ci.Labels(y_true, {"a": a, "b": b})
    >>> ax = f1ci.plot.difference(test.difference())  # doctest: +SKIP
    """
    if not isinstance(test, DifferenceTest):
        raise TypeError(f"test must be a DifferenceTest, got {checks.short(test)}")
    ax = forest({" − ".join(reversed(test.models)): test.interval}, ax=ax)
    ax.axvline(0.0, color="0.3", linewidth=1, zorder=0)
    if test.margin:
        ax.axvspan(-test.margin, test.margin, color="0.5", alpha=0.2, linewidth=0, zorder=0)
    ax.set_xlabel(f"{ax.get_xlabel()}\n{test.verdict()}")
    return ax
