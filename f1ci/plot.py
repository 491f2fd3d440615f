"""Draw intervals and differences with matplotlib.

Every function draws into the axes that the caller passes, or into new ones, and returns them.
Matplotlib is imported at the first drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from f1ci import _tables, _validation
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
    rows: list[tuple[str, Any, Any, Any]] = []
    for name, one in named.items():
        if not isinstance(one, (Interval, JointIntervals)):
            raise TypeError(f"intervals cannot be drawn, got {_validation.short(one)}")
        names, numbers = one._columns(slice(None))
        ends = numbers["estimate"], numbers["low"], numbers["high"]
        labels = [", ".join(map(str, row)) for row in zip(*names.values(), strict=True)]
        rows += zip([name] if name else labels, *ends, strict=True)
    if not rows:
        raise ValueError(f"intervals must not be empty, got {_validation.short(intervals)}")
    if ax is None:
        from matplotlib import pyplot

        size = 6.4, 1.1 + 0.3 * len(rows)  # inches
        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
    ax.spines[["top", "right", "left"]].set_visible(False)
    for k, (_, estimate, low, high) in enumerate(rows):
        ax.plot([low, high], [k, k], color="C0", linewidth=3, solid_capstyle="butt")
        ax.plot([estimate], [k], "o", color="C0", markersize=6, markeredgecolor="white")
    ax.set_yticks(range(len(rows)), [_tables.label(row[0]) for row in rows])
    ax.tick_params(left=False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("; ".join(dict.fromkeys(one._line() for one in named.values())))
    return ax


def difference(
    test: DifferenceTest, *, names: tuple[str, str] = ("A", "B"), ax: Axes | None = None
) -> Axes:
    """Draw the difference of two models with its interval, zero, the margin and the verdict.

    Parameters
    ----------
    test : DifferenceTest
        What `f1ci.difference_test` gives; `forest` draws a `f1ci.difference_interval`.
    names : tuple of str, default ("A", "B")
        What the models are called.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import f1ci
    >>> y_true, a, b = [1, 1, 0, 0] * 9, [1, 0, 0, 1] * 9, [1, 1, 0, 1] * 9
    >>> ax = f1ci.plot.difference(f1ci.difference_test(y_true, a, b))  # doctest: +SKIP
    """
    ax = forest({" − ".join(reversed(names)): test.interval}, ax=ax)
    ax.axvline(0.0, color="0.3", linewidth=1, zorder=0)
    if test.margin:
        ax.axvspan(-test.margin, test.margin, color="0.5", alpha=0.2, linewidth=0, zorder=0)
    ax.set_xlabel(f"{ax.get_xlabel()}\n{test.verdict(*names)}")
    return ax
