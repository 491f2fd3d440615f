"""The size of a test set for one model, from the labels of a pilot: any metric, macro F1 included.

The standard error of a score from n items is ``sqrt(V / n)``, where V is the variance of one item's
influence on the score. The pilot estimates V. The interval of the method "delta" then has the half
width ``z sqrt(V / n)``, so that

    n = z^2 V / half_width^2.

When it fails: a pilot with few errors, or with few items of a rare class, says little about V. If
the pilot was too good by chance, the plan is too small. `f1ci.sample_size` holds for every model.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from f1ci import _tables, _validation
from f1ci._reading import read
from f1ci.data import Items, UnitCounts
from f1ci.methods.delta import normal_quantile
from f1ci.metrics import Metric
from f1ci.planning import round_up
from f1ci.results import Classes, Labels, Record, Table
from f1ci.samples import Sample, Units, sample


@dataclass(frozen=True, slots=True, eq=False)
class PilotSize(Record):
    """A planned test set for an interval of one model's score.

    Attributes
    ----------
    items : int
        The number of items; with groups the number of groups.
    pilot_items : int
        The number of items, or groups, of the pilot.
    variance : float
        The variance of the score from one item, as the pilot has it.
    half_width : float
        The planned half width.
    confidence_level : float
        The level of the planned interval.
    metric : str
        The planned metric.
    """

    items: int
    pilot_items: int
    variance: float
    half_width: float
    confidence_level: float
    metric: str

    def _table(self) -> Table:
        rows = [["pilot", f"{self.pilot_items:,}"], ["planned", f"{self.items:,}"]]
        level = _tables.percent(self.confidence_level)
        line = f"{level} interval of the estimate plus and minus {self.half_width:.4g}"
        return [self.metric, "items"], rows, [line]


def pilot_interval_size(
    y_true: Labels,
    y_pred: Labels,
    metric: str | Metric = "f1",
    *,
    half_width: float,
    average: str | None = "binary",
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: Labels | None = None,
    confidence_level: float = 0.95,
) -> PilotSize:
    """Return the number of items for a narrow interval of any metric, from a pilot's labels.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels of the pilot.
    metric, average, pos_label, labels, groups
        See `f1ci.score_interval`; one score, so `average` is not None. With groups the plan counts
        groups.
    half_width : float
        The half width wanted for the interval of the method "delta".
    confidence_level : float, default 0.95
        The level of the interval.

    Returns
    -------
    PilotSize

    See Also
    --------
    sample_size : Without a pilot, for F scores of one class, whatever the model.
    pilot_sample_size : Items to find a difference of two models.

    Examples
    --------
    An accuracy of 0.9 within 0.03 needs ``1.96^2 * 0.9 * 0.1 / 0.03^2 = 384.1`` items:

    >>> import f1ci
    >>> y_true = [0, 1] * 50
    >>> y_pred = [0, 1] * 45 + [1, 0] * 5
    >>> print(f1ci.pilot_interval_size(y_true, y_pred, "accuracy", half_width=0.03))
    accuracy  items
    pilot       100
    planned     385
    95 % interval of the estimate plus and minus 0.03
    """
    half_width = _validation.positive("half_width", half_width)
    level = _validation.confidence_level(confidence_level)
    if average is None:
        raise ValueError("average must name one score for a plan, such as 'macro', got None")
    reading = read(
        {"y_true": y_true, "y_pred": y_pred},
        metric,
        average=average,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
    )
    pilot = sample(reading.metric, reading.data)
    items = _number(pilot, reading.data)
    variance = items * float(pilot.error) ** 2
    if not variance > 0.0:
        rule = "a pilot must have right and wrong predictions for a plan"
        raise ValueError(f"{rule}, got a standard error of {float(pilot.error):g}")
    planned = round_up(variance * (normal_quantile(level) / half_width) ** 2)
    return PilotSize(planned, items, variance, half_width, level, reading.metric.name)


def _number(pilot: Sample, data: Items | UnitCounts) -> int:
    """Return the number of items, or of groups."""
    if isinstance(pilot, Units):
        return len(pilot.moves.share)
    if isinstance(data, UnitCounts):
        raise TypeError("unit counts make units")
    return int(data.counts.sum())
