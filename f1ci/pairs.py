"""The p-value of two models: the level at which zero, or the margin, enters the interval.

So p is at most 0.05 exactly if the 95 % interval does not contain zero, for every kind of data and
every method. The null hypothesis is that the two models have the same score in the population.

"exact" and "randomisation" test more, and only where somebody asks for it: that A and B are
exchangeable, so that swapping their predictions on any item changes nothing (see
`f1ci.methods.paired`). Models with the same score need not be exchangeable. Such a test needs the
items one by one, and has neither a margin nor a direction.

With many pairs some small p-values come by chance, so they are adjusted by the method of Holm
(1979, Scandinavian Journal of Statistics 6, 65-70): whatever the truth, the probability that any
true null hypothesis is rejected stays below the level that the single tests keep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from f1ci.answers import Question, level_of_zero, method_for, tail
from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts, Cells
from f1ci.methods import paired
from f1ci.metrics import Metric, Tversky
from f1ci.results import DifferenceTest, Interval
from f1ci.runs import RunsSample
from f1ci.samples import Difference
from f1ci.types import Array, Seed


class Plan(NamedTuple):
    """How two models are compared.

    Attributes
    ----------
    test : str or None
        The name of a test of exchangeability; None for the level at which zero enters the interval.
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


def checked_plan(
    margin: float, test: str | None = None, replicates: int = 9_999, rng: Seed = None
) -> Plan:
    """Return a plan whose numbers are checked."""
    margin = checks.probability("margin", margin)
    replicates = checks.positive_integer("replicates", replicates)
    return Plan(test, margin, replicates, rng)


def with_p_values(
    sample: Difference | RunsSample, interval: Interval, asked: Question, plan: Plan
) -> DifferenceTest:
    """Return the p-values whether B is better than A, beside the interval of the difference."""
    p_value = np.nan
    if not np.isnan(sample.estimate):
        p_value = _p_value(sample, asked, plan)
    worse = None
    beyond = None
    if plan.margin:
        worse = tail(sample, asked.method, -plan.margin)
        beyond = max(worse, 1.0 - tail(sample, asked.method, plan.margin))
    return DifferenceTest(
        interval,
        p_value,
        None if sample.items is None else _discordant(sample.items),
        plan.margin,
        worse,
        beyond,
        plan.test or method_for(sample, asked.method)[0],
        sample.metric.name,
        sample.models,
    )


def refuse_test(sample: Difference | RunsSample, asked: Question, plan: Plan) -> None:
    """Refuse a test, or a method, that is not for these data."""
    method_for(sample, asked.method)
    if plan.test is None:
        return
    if sample.items is None:
        rule = "test= swaps predictions of items, and needs Labels with one run of each model"
        raise ValueError(f"{rule}, got {checks.short(plan.test)}")
    possible = ["exact", "randomisation"]
    if sample.items.groups is not None or _index_of(sample) is None:
        possible = ["randomisation"]
    checks.choice("test", plan.test, possible)
    if plan.margin or asked.alternative != "two-sided":
        rule = f"test={plan.test!r} asks if A and B are exchangeable, and takes"
        got = f"margin={plan.margin:g} and alternative={asked.alternative!r}"
        raise ValueError(f"{rule} neither margin nor alternative, got {got}")


def holm(p_values: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return adjusted p-values: the k-th smallest times the number of those not yet rejected."""
    order = sorted(p_values, key=lambda pair: np.nan_to_num(p_values[pair], nan=2.0))
    sizes = [(len(order) - k) * p_values[pair] for k, pair in enumerate(order)]
    adjusted = dict(zip(order, np.minimum(np.maximum.accumulate(sizes), 1.0).tolist(), strict=True))
    return {pair: adjusted[pair] for pair in p_values}


def _index_of(sample: Difference | RunsSample) -> Tversky | None:
    """Return the Tversky score that both models' metrics are, of the same class."""
    a, b = (part.metric for part in sample.parts)
    return a.index if a == b else None


def _p_value(sample: Difference | RunsSample, asked: Question, plan: Plan) -> float:
    """Return the p-value against equal scores, or that of a test of exchangeability."""
    items = sample.items
    metric = sample.parts[0].metric
    if items is None or plan.test is None:
        return level_of_zero(sample, asked)
    if plan.test == "randomisation" or metric.index is None:
        return _swapped_p_value(sample.metric, items, plan)
    single = metric.single(items)
    cells = np.zeros((2, 2, 2))
    np.add.at(cells, tuple(single.codes), single.counts)
    return paired.exact_p_value(cells, metric.index.a, metric.index.b)


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
