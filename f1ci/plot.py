"""Draw intervals, posteriors and differences with matplotlib.

Every function draws into the axes that the caller passes, or into new ones, and returns them.
Matplotlib is imported at the first drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from f1ci import _tables, _validation
from f1ci.posteriors import Posterior
from f1ci.report import ClassificationReport
from f1ci.results import DifferenceTest, Interval, JointIntervals, Numbers
from f1ci.several import ModelComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Drawable: TypeAlias = (
    Interval | JointIntervals | ClassificationReport | ModelComparison | Mapping[str, Interval]
)

# Told apart by those who see few colours (Okabe & Ito 2008).
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

# Rows of a forest that take an inch.
_ROWS_PER_INCH = 3.5


def forest(intervals: Drawable, *, metric: str = "f1", ax: Axes | None = None) -> Axes:
    """Draw a line for each interval, from top to bottom, with a dot at the estimate.

    Parameters
    ----------
    intervals : Interval, JointIntervals, ClassificationReport, ModelComparison or mapping
        One or more intervals. Joint ones are drawn thin, with the individual ones on them.
    metric : str, default "f1"
        What to show of a report.
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
    rows, label = _rows(intervals, metric)
    if not rows:
        raise ValueError(f"intervals must not be empty, got {_validation.short(intervals)}")
    ax = _axes(ax, (6.4, 1.1 + len(rows) / _ROWS_PER_INCH))
    for k, (_, estimate, low, high, *joint) in enumerate(rows):
        if joint:
            ax.plot(joint, [k, k], color=_COLOURS[0], linewidth=1)
        ax.plot([low, high], [k, k], color=_COLOURS[0], linewidth=3, solid_capstyle="butt")
        ax.plot([estimate], [k], "o", color=_COLOURS[0], markersize=6, markeredgecolor="white")
    ax.set_yticks(range(len(rows)), [_text(row[0]) for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel(label)
    return ax


def posterior(
    posteriors: Posterior | Mapping[str, Posterior],
    *,
    confidence_level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of posteriors, shaded where the credible interval is.

    Parameters
    ----------
    posteriors : Posterior or mapping of str to Posterior
        What `f1ci.posterior` gives, for scalar counts.
    confidence_level : float, default 0.95
        Of the shaded interval.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import f1ci
    >>> ax = f1ci.plot.posterior(f1ci.posterior(77, 44, 10))  # doctest: +SKIP
    """
    level = _validation.confidence_level(confidence_level)
    named = posteriors if isinstance(posteriors, Mapping) else {"": posteriors}
    for one in named.values():
        _check("posteriors", one, Posterior)
    ax = _axes(ax, (6.4, 3.6))
    for k, (name, one) in enumerate(named.items()):
        colour, (low, high) = _COLOURS[k % len(_COLOURS)], one.interval(level)
        first, last = np.asarray(one.ppf([1e-5, 1 - 1e-5])).tolist()
        x = np.union1d(np.linspace(first, last, 400), [low, high])
        density = np.asarray(one.pdf(x))
        ax.plot(x, density, color=colour, label=_text(name) if name else None)
        inside = (x >= low) & (x <= high)
        ax.fill_between(x[inside], density[inside], color=colour, alpha=0.25, linewidth=0)
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    if any(named):
        ax.legend(frameon=False)
    metrics = dict.fromkeys(one.metric for one in named.values())
    ax.set_xlabel(f"{', '.join(metrics)}, posterior; shaded: {_tables.percent(level)}")
    return ax


def difference(
    test: DifferenceTest | Interval,
    *,
    margin: float | None = None,
    names: tuple[str, str] = ("A", "B"),
    ax: Axes | None = None,
) -> Axes:
    """Draw the difference of two models with its interval, zero and the margin.

    Parameters
    ----------
    test : DifferenceTest or Interval
        What `f1ci.difference_test` or `f1ci.difference_interval` gives.
    margin : float, optional
        Half width of the band; by default the test's.
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
    _check("test", test, (DifferenceTest, Interval))
    interval = test if isinstance(test, Interval) else test.interval
    tested = 0.0 if isinstance(test, Interval) else test.margin
    band = _validation.probability("margin", tested if margin is None else margin)
    a, b = map(_text, names)
    ax = forest({f"{names[1]} − {names[0]}": interval}, ax=ax)
    ax.axvline(0.0, color="0.3", linewidth=1, zorder=0)
    if band:
        ax.axvspan(-band, band, color="0.5", alpha=0.2, linewidth=0, zorder=0)
    # Both models' sides are seen, whatever the interval.
    most = 1.1 * float(np.nanmax(np.abs([interval.low, interval.high, band]))) or 1.0
    ax.set_xlim(-most, most)
    # Over zero, wherever the user's style puts titles.
    ax.set_title(f"← {a} is better      {b} is better →", loc="center", fontsize="medium")
    if isinstance(test, DifferenceTest):
        ax.set_xlabel(f"{ax.get_xlabel()}\n{test.verdict(a, b)}")
    return ax


def _rows(intervals: Drawable, metric: str) -> tuple[list[tuple[Numbers, ...]], str]:
    """Return rows (name, estimate, end points, joint end points) and what the axis is called."""
    if isinstance(intervals, ModelComparison):
        intervals = intervals.intervals
    of, note = metric, ""
    if isinstance(intervals, Mapping):
        for one in intervals.values():
            _check("intervals", one, Interval)
        rows = [(name, one.estimate, *one) for name, one in intervals.items()]
        of = ", ".join(dict.fromkeys(one.metric for one in intervals.values()))
        levels = dict.fromkeys(one.confidence_level for one in intervals.values())
    else:
        _check("intervals", intervals, (Interval, JointIntervals, ClassificationReport))
        levels = dict.fromkeys([intervals.confidence_level])
    if isinstance(intervals, ClassificationReport):
        _validation.choice("metric", metric, intervals.by_class)
        rows = [(name, *parts[metric]) for name, parts, _ in intervals.rows() if metric in parts]
    elif isinstance(intervals, Interval):
        names, *ends, _ = intervals._columns().values()
        rows, of = list(zip(names, *ends, strict=True)), intervals.metric
    elif isinstance(intervals, JointIntervals):
        own = intervals.estimate, intervals.individual_low, intervals.individual_high
        rows = list(zip(map(", ".join, intervals.rows()), *own, *intervals, strict=True))
        of, note = "score", " (thick) and joint (thin)"
    level = ", ".join(map(_tables.percent, levels))
    return rows, f"{of} with {level} confidence interval{note}"


def _check(name: str, value: object, known: type | tuple[type, ...]) -> None:
    if not isinstance(value, known):
        raise TypeError(f"{name} cannot be drawn, got {_validation.short(value)}")


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the axes to draw in, without a frame."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(left=False)
    return ax


def _text(name: object) -> str:
    """Return a name in which matplotlib finds no formulas."""
    return _tables.label(name).replace("$", r"\$")
