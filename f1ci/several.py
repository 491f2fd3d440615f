"""Compare any number of models on one test set.

Every pair of models gets the test of `f1ci.difference_test`. With many pairs some small p-values
come by chance, so they are adjusted by the method of Holm (1979, Scandinavian Journal of
Statistics 6, 65-70): whatever the truth, the probability that any true null hypothesis is rejected
stays below the level that the single tests keep.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from f1ci import _tables, _validation
from f1ci import metrics as _metrics
from f1ci._limits import level_of
from f1ci.compare import difference_test
from f1ci.counts import items_of
from f1ci.intervals import items_interval
from f1ci.metrics import Metric
from f1ci.results import DifferenceTest, Interval, Record, p_value

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True, eq=False)
class ModelComparison(Record):
    """Several models on one test set; printing it prints the table.

    Attributes
    ----------
    intervals : dict of str to Interval
        The interval of each model by itself, best estimate first.
    tests : dict of (str, str) to DifferenceTest
        The test of each pair: of the second model minus the first.
    adjusted : dict of (str, str) to float
        The p-values of the pairs, adjusted by Holm's method.
    """

    intervals: dict[str, Interval]
    tests: dict[tuple[str, str], DifferenceTest]
    adjusted: dict[tuple[str, str], float]

    def verdict(self) -> str:
        """Return what to conclude about the best model, in one sentence."""
        best, *others = self.intervals
        if len(others) == 1:
            ((pair, test),) = self.tests.items()
            return test.verdict(*pair)
        size = 1.0 - self.intervals[best].confidence_level
        p = {a: self.adjusted.get((best, a), self.adjusted.get((a, best), 1.0)) for a in others}
        alike = [name for name in others if not p[name] <= size]
        if not alike:
            return f"{best} is better than every other model"
        return f"{best} has the best estimate; it is not distinguished from {', '.join(alike)}"

    def records(self) -> list[dict[str, Any]]:
        """Return a flat dictionary for each pair of models."""
        return [
            {"a": a, "b": b, "estimate": test.estimate}
            | {"low": test.interval.low, "high": test.interval.high}
            | {"p_value": test.p_value, "p_adjusted": self.adjusted[a, b]}
            for (a, b), test in self.tests.items()
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas data frame, indexed by the two models."""
        return _tables.frame(self.records(), ["a", "b"])

    def _table(self) -> tuple[list[str], list[list[str]], list[str]]:
        differences = {f"{b} - {a}": test for (a, b), test in self.tests.items()}
        shown = [*self.intervals.values(), *(test.interval for test in differences.values())]
        digits = _tables.decimals([interval.length for interval in shown])
        names = [*self.intervals, *differences]
        p = [""] * len(self.intervals) + [p_value(x) for x in self.adjusted.values()]
        rows = [
            [_tables.label(name), *(f"{x:.{digits}f}" for x in (i.estimate, i.low, i.high)), last]
            for name, i, last in zip(names, shown, p, strict=True)
        ]
        first = shown[0]
        level = _tables.percent(first.confidence_level)
        head = ["", first.metric, f"{level} low", "high", "p" if len(p) < 4 else "p (Holm)"]
        return head, rows, [self.verdict()]


def compare_models(
    y_true: Any,
    predictions: Mapping[str, Any],
    metric: str | Metric = "f1",
    *,
    margin: float = 0.0,
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    groups: Any = None,
    rng: Any = None,
    confidence_level: float = 0.95,
) -> ModelComparison:
    """Compare models pair by pair on one test set.

    Parameters
    ----------
    y_true : sequence
        True labels.
    predictions : mapping of str to sequence
        The labels that each model predicts; at least two models.
    metric, margin, pos_label, labels, groups, rng, confidence_level
        See `difference_test`. Intervals have the level one by one.

    Returns
    -------
    ModelComparison
        The interval of each model, the test of each pair, and p-values adjusted by Holm's method.

    Examples
    --------
    >>> import f1ci
    >>> y_true = [1] * 60 + [0] * 60
    >>> a = [1] * 35 + [0] * 85
    >>> b = [1] * 50 + [0] * 70
    >>> c = [1] * 52 + [0] * 60 + [1] * 8
    >>> print(f1ci.compare_models(y_true, {"a": a, "b": b, "c": c}))
               f1  95 % low   high  p (Holm)
    b       0.909     0.837  0.951
    c       0.867     0.789  0.919
    a       0.737     0.628  0.823
    b - a   0.172     0.092  0.267   0.00018
    c - a   0.130     0.035  0.234     0.023
    c - b  -0.042    -0.100  0.012      0.11
    b has the best estimate; it is not distinguished from c
    """
    metric = _metrics.get(metric)
    if not isinstance(predictions, Mapping):
        got = _validation.short(predictions)
        raise TypeError(f"predictions must map names of models to labels, got {got}")
    named = {str(name): value for name, value in predictions.items()}
    _validation.at_least_two("models", len(named), "a comparison")
    items = items_of({"y_true": y_true, **named}, metric.binary, pos_label, labels, groups)
    level = level_of(confidence_level)
    intervals = {
        name: items_interval(metric, items._replace(codes=items.codes[[0, k]]), None, level)
        for k, name in enumerate(named, start=1)
    }
    shared: dict[str, Any] = {"pos_label": pos_label, "labels": labels, "groups": groups}
    shared |= {"margin": margin, "rng": rng, "confidence_level": level.value}
    tests = {
        (a, b): difference_test(y_true, named[a], named[b], metric, **shared)
        for a, b in combinations(named, 2)
    }
    by_estimate = sorted(intervals, key=lambda name: -np.nan_to_num(intervals[name].estimate))
    ordered = {name: intervals[name] for name in by_estimate}
    return ModelComparison(ordered, tests, _holm({p: test.p_value for p, test in tests.items()}))


def _holm(p_values: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return adjusted p-values: the k-th smallest times the number of those not yet rejected."""
    order = sorted(p_values, key=lambda pair: np.nan_to_num(p_values[pair], nan=2.0))
    adjusted, largest = {}, 0.0
    for k, pair in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - k) * p_values[pair]))
        adjusted[pair] = largest if p_values[pair] == p_values[pair] else np.nan
    return {pair: adjusted[pair] for pair in p_values}
