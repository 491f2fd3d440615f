"""Compare any number of models on one test set.

Every pair of models gets the test of `f1ci.difference_test`. With many pairs some small p-values
come by chance, so they are adjusted by the method of Holm (1979, Scandinavian Journal of
Statistics 6, 65-70): whatever the truth, the probability that any true null hypothesis is rejected
stays below the level that the single tests keep.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from f1ci import _tables, _validation
from f1ci._interval import Question, interval_of
from f1ci._reading import Population, Reading, read
from f1ci.compare import TestPlan, paired_test, question_of
from f1ci.metrics import Metric
from f1ci.results import DifferenceTest, Interval, Record
from f1ci.samples import sample
from f1ci.types import Classes, Fields, LabelsLike, Seed, TextTable

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
        if len(self.tests) == 1:
            ((pair, test),) = self.tests.items()
            return test.verdict(*pair)
        alike = [name for name in others if not self._apart(best, name)]
        if not alike:
            return f"{best} is better than every other model"
        return f"{best} has the best estimate; it is not distinguished from {', '.join(alike)}"

    def _apart(self, a: str, b: str) -> bool:
        """Tell if the adjusted p-value and the interval both say that two models differ."""
        pair = (a, b) if (a, b) in self.tests else (b, a)
        interval = self.tests[pair].interval
        size = 1.0 - interval.confidence_level
        excludes_zero = interval.low > 0.0 or interval.high < 0.0
        return bool(excludes_zero and self.adjusted[pair] <= size)

    def records(self) -> list[Fields]:
        """Return a flat dictionary for each pair of models."""
        return [
            {"a": a, "b": b, "estimate": x.estimate, "low": x.interval.low, "high": x.interval.high}
            | {"p_value": x.p_value, "p_adjusted": self.adjusted[a, b]}
            for (a, b), x in self.tests.items()
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas data frame, indexed by the two models."""
        import pandas

        return pandas.DataFrame(self.records()).set_index(["a", "b"])

    def _shown(self) -> list[tuple[str, Interval]]:
        """Return the intervals of models and differences, with short names that may be alike."""
        shown = [(_tables.label(name), interval) for name, interval in self.intervals.items()]
        shown += [(_tables.difference(a, b), x.interval) for (a, b), x in self.tests.items()]
        return shown

    def _table(self) -> TextTable:
        shown = self._shown()
        digits = _tables.decimals([interval.length for _, interval in shown])
        p = [""] * len(self.intervals) + [_tables.p_value(x) for x in self.adjusted.values()]
        rows = [
            [name, *(f"{x:.{digits}f}" for x in (i.estimate, *i)), last]
            for (name, i), last in zip(shown, p, strict=True)
        ]
        first = shown[0][1]
        level = _tables.percent(first.confidence_level)
        head = ["", first.metric, f"{level} low", "high", "p" if len(p) < 4 else "p (Holm)"]
        return head, rows, [self.verdict()]


def compare_models(
    y_true: LabelsLike,
    predictions: Mapping[str, LabelsLike],
    metric: str | Metric = "f1",
    *,
    margin: float = 0.0,
    pos_label: Hashable = 1,
    labels: Classes | None = None,
    groups: LabelsLike | None = None,
    zero_division: float = np.nan,
    class_shares: Mapping[Any, float] | None = None,
    strata: LabelsLike | None = None,
    stratum_shares: Mapping[Any, float] | None = None,
    method: str | None = None,
    rng: Seed = None,
    confidence_level: float = 0.95,
) -> ModelComparison:
    """Compare models pair by pair on one test set.

    Parameters
    ----------
    y_true : sequence
        True labels.
    predictions : mapping of str to sequence
        The labels that each model predicts; at least two models.
    metric, margin, pos_label, labels, groups, zero_division, rng, confidence_level
        See `difference_test`. Intervals have the level one by one.
    class_shares, strata, stratum_shares : optional
        Known shares of classes or strata; see `difference_interval`.
    method : str, optional
        The method of the intervals; see `difference_interval`.

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
    b - a   0.172     0.093  0.266   0.00018
    c - a   0.130     0.036  0.233     0.023
    c - b  -0.042    -0.100  0.011      0.11
    b has the best estimate; it is not distinguished from c
    """
    names, arrays = _validation.models(y_true, predictions)
    _validation.at_least_two("models", len(names), "a comparison")
    level = _validation.confidence_level(confidence_level)
    reading = read(
        arrays,
        metric,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        zero_division=zero_division,
        population=Population(class_shares, strata, stratum_shares),
    )
    return _comparison(reading, names, TestPlan(None, margin, rng=rng), method, level)


def _comparison(
    reading: Reading, names: list[str], plan: TestPlan, method: str | None, level: float
) -> ModelComparison:
    """Return the intervals of all models, best first, and the tests of all pairs."""
    intervals = {name: _of_one(reading, k, method, level) for k, name in enumerate(names)}
    tests = {
        (names[a], names[b]): _of_two(reading, (a, b), plan, method, level)
        for a, b in combinations(range(len(names)), 2)
    }
    best_first = sorted(names, key=lambda name: -np.nan_to_num(intervals[name].estimate))
    adjusted = _holm({pair: test.p_value for pair, test in tests.items()})
    return ModelComparison({name: intervals[name] for name in best_first}, tests, adjusted)


def _of_one(reading: Reading, model: int, method: str | None, level: float) -> Interval:
    """Return the interval of one model, which it has alone."""
    of_model = sample(reading.metric, reading.data.of_models(model))
    name = reading.metric.name
    classes = reading.classes
    constant = reading.constant
    return interval_of(of_model, Question(name, method, level, classes=classes, constant=constant))


def _of_two(
    reading: Reading, models: tuple[int, int], plan: TestPlan, method: str | None, level: float
) -> DifferenceTest:
    """Return the test of two of the models."""
    data = reading.data.of_models(*models)
    pair = reading._replace(data=data, classes=data.classes)
    question = question_of(pair, level, method)
    return paired_test(pair, replace(question, quiet=True), plan)


def _holm(p_values: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return adjusted p-values: the k-th smallest times the number of those not yet rejected."""
    order = sorted(p_values, key=lambda pair: np.nan_to_num(p_values[pair], nan=2.0))
    sizes = [(len(order) - k) * p_values[pair] for k, pair in enumerate(order)]
    adjusted = dict(zip(order, np.minimum(np.maximum.accumulate(sizes), 1.0).tolist(), strict=True))
    return {pair: adjusted[pair] for pair in p_values}
