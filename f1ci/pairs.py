"""The test of two models: a p-value by one of four tests, and p-values against a margin.

The interval and the p-value of the test "score" (or "logit", for units and runs) are one thing: p
is the level at which zero enters the interval, so p is below 0.05 exactly if the 95 % interval
does not contain zero. "exact" and "randomisation" test more: that swapping A's and B's predictions
on any item changes nothing (see `f1ci.methods.paired`). They need the items one by one.

With many pairs some small p-values come by chance, so they are adjusted by the method of Holm
(1979, Scandinavian Journal of Statistics 6, 65-70): whatever the truth, the probability that any
true null hypothesis is rejected stays below the level that the single tests keep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from f1ci.answers import Question, method_for, tail, two_tails
from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts, Cells
from f1ci.methods import paired
from f1ci.metrics import Metric, Tversky
from f1ci.results import DifferenceTest, Interval
from f1ci.runs import RunsSample
from f1ci.samples import Difference
from f1ci.types import Array, Seed

SWAPPED = (
    "swapping A's and B's predictions on any item or group would change nothing in distribution "
    "(more than that their scores are equal)"
)
EQUAL = "the two models have the same score in the population (or differ by the margin)"


class Plan(NamedTuple):
    """How two models are with_p_values.

    Attributes
    ----------
    test : str or None
        The name of the test; None for the default.
    margin : float
        The difference that does not matter.
    replicates : int
        The number of random swaps.
    rng : None, int or numpy.random.Generator
        The source of random numbers.
    """

    test: str | None = None
    margin: float = 0.0
    replicates: int = 9_999
    rng: Seed = None


def checked_plan(test: str | None, margin: float, replicates: int, rng: Seed) -> Plan:
    """Return a plan whose numbers are checked."""
    margin = checks.probability("margin", margin)
    replicates = checks.positive_integer("replicates", replicates)
    return Plan(test, margin, replicates, rng)


def with_p_values(
    sample: Difference | RunsSample, interval: Interval, asked: Question, plan: Plan
) -> DifferenceTest:
    """Return the test whether B is better than A, beside the interval of the difference."""
    name = _test_for(sample, asked, plan.test)
    p_value = np.nan
    if not np.isnan(sample.estimate):
        p_value = _p_value(sample, asked, name, plan)
    worse = None
    beyond = None
    if plan.margin:
        worse = tail(sample, asked.method, -plan.margin)
        beyond = max(worse, 1.0 - tail(sample, asked.method, plan.margin))
    return DifferenceTest(
        interval,
        p_value,
        SWAPPED if name in ("exact", "randomisation") else EQUAL,
        None if sample.items is None else _discordant(sample.items),
        plan.margin,
        worse,
        beyond,
        name,
        sample.metric.name,
        sample.models,
    )


def refuse_test(sample: Difference | RunsSample, asked: Question, plan: Plan) -> None:
    """Refuse a test, or a method, that is not for these data."""
    _test_for(sample, asked, plan.test)


def holm(p_values: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return adjusted p-values: the k-th smallest times the number of those not yet rejected."""
    order = sorted(p_values, key=lambda pair: np.nan_to_num(p_values[pair], nan=2.0))
    sizes = [(len(order) - k) * p_values[pair] for k, pair in enumerate(order)]
    adjusted = dict(zip(order, np.minimum(np.maximum.accumulate(sizes), 1.0).tolist(), strict=True))
    return {pair: adjusted[pair] for pair in p_values}


def _test_for(sample: Difference | RunsSample, asked: Question, name: str | None) -> str:
    """Return the name of the test, the default of these data if there is none."""
    inverted, _ = method_for(sample, asked.method)
    possible = [inverted]
    if sample.items is not None and sample.items.groups is not None:
        possible.insert(0, "randomisation")
    elif sample.items is not None:
        possible.append("randomisation")
        if _index_of(sample) is not None:
            possible.insert(0, "exact")
    return possible[0] if name is None else checks.choice("test", name, possible)


def _index_of(sample: Difference | RunsSample) -> Tversky | None:
    """Return the Tversky score that both models' metrics are, of the same class."""
    a, b = (part.metric for part in sample.parts)
    return a.index if a == b else None


def _p_value(sample: Difference | RunsSample, asked: Question, test: str, plan: Plan) -> float:
    """Return the two-sided p-value of a test by its name."""
    items = sample.items
    metric = sample.parts[0].metric
    if items is not None and test == "randomisation":
        return _swapped_p_value(sample.metric, items, plan)
    if items is not None and test == "exact" and metric.index is not None:
        single = metric.single(items)
        cells = np.zeros((2, 2, 2))
        np.add.at(cells, tuple(single.codes), single.counts)
        return paired.exact_p_value(cells, metric.index.a, metric.index.b)
    return two_tails(sample, asked.method)


def _swapped_p_value(metric: Metric, items: Items, plan: Plan) -> float:
    """Return the p-value from random swaps of items, or of groups."""
    places, where = np.unique([items.places(0), items.places(1)], return_inverse=True)
    cells = Cells.at(places, len(items.classes))

    def evaluate(counts: Array) -> tuple[Array, Array]:
        return metric.evaluate(CellCounts(cells, counts))

    units = paired.swapped_units(where.reshape(2, -1), items.counts, items.groups)
    return paired.random_swaps(units, evaluate, plan.replicates, checks.generator(plan.rng))


def _discordant(items: Items) -> tuple[int, int]:
    """Return the numbers of items on which A alone is right, and on which B alone is."""
    right_a, right_b = items.codes[1:] == items.codes[0]
    only_a = items.counts[right_a & ~right_b].sum()
    only_b = items.counts[right_b & ~right_a].sum()
    return int(only_a), int(only_b)
