"""How often intervals for a metric hold the truth, in populations from several rules.

A population is a matrix of cell probabilities and a number of items (`score_designs` has the
rules). Test sets are drawn from it. Only test sets in which every part of the metric is defined
count, and a population counts if at least half of its test sets are such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, gammaln, logit
from scipy.stats import multinomial

import f1ci
from f1ci.coverage import covers
from f1ci.metrics import Metric

from .kernels import Limits, difference_of, limits_of_sample, score_limits, table_of
from .score_designs import Population

__all__ = [
    "Result",
    "again",
    "coverage",
    "limits",
    "one_sided",
    "pairs",
    "steps_back",
    "worst_of_two_classes",
]

Array: TypeAlias = NDArray[np.float64]
Generator: TypeAlias = np.random.Generator

# Test sets (count, r, r) and a metric -> the limits by the name of the method.
Ask: TypeAlias = Callable[[Array, Metric], Mapping[str, Limits]]

LEVEL = 0.95
Z = 1.959963984540054
LOWEST = 8  # populations that are measured again, or from which a search goes on
_LARGEST_LOGIT = 8.0  # of the recalls in a search
_EQUAL = 1e-12  # limits and truths that differ by less are equal


@dataclass(frozen=True)
class Result:
    """Coverage of an interval, misses on both sides and mean length, one number a population.

    `above` counts intervals that lie above the truth, `below` those that lie below it.
    """

    covered: Array
    above: Array
    below: Array
    length: Array

    @property
    def mean(self) -> float:
        """The mean coverage in per cent."""
        return float(100 * np.nanmean(self.covered))

    @property
    def worst(self) -> float:
        """The least coverage in per cent; of simulated numbers it is too low."""
        return float(100 * np.nanmin(self.covered))

    @property
    def kept(self) -> float:
        """The share of populations, in per cent, that are covered between 93 and 98 %."""
        seen = self.covered[np.isfinite(self.covered)]
        return float(100 * np.mean((seen >= 0.93) & (seen <= 0.98)))

    @property
    def tails(self) -> str:
        """The mean share of intervals above the truth, and below it, in per cent."""
        return f"{100 * np.nanmean(self.above):.1f} / {100 * np.nanmean(self.below):.1f}"

    def over(self, rival: Result) -> float:
        """Return the median length over a rival's, where the rival covers 94 % or more."""
        ratio = (self.length / rival.length)[rival.covered >= 0.94]
        return float(np.median(ratio)) if len(ratio) else np.nan


def drawn(population: Population, metric: Metric, count: int, rng: Generator) -> Array:
    """Draw test sets in which every part of a metric is defined; none if most of them are not."""
    cells, n = population
    tables = rng.multinomial(n, cells.ravel() / cells.sum(), count).reshape(-1, *cells.shape)
    true, called = tables.sum(axis=2), tables.sum(axis=1)
    defined = np.isfinite(np.asarray(metric.value(tables)))
    defined &= (true + called).min(axis=1) > 0
    if "recall" in metric.name or "star" in metric.name:
        defined &= true.min(axis=1) > 0
    if "precision" in metric.name or "star" in metric.name:
        defined &= called.min(axis=1) > 0
    kept = tables[defined] if defined.mean() >= 0.5 else tables[:0]
    return kept.astype(np.float64)


def limits(tables: Array, metric: Metric, methods: Sequence[str]) -> dict[str, Limits]:
    """Return the limits of a metric by the package's methods of these names."""
    sample = table_of(tables, metric)
    return {name: limits_of_sample(name, sample, Z) for name in methods}


def by_name(*methods: str) -> Ask:
    """Return what asks for the limits by the package's methods of these names."""
    return lambda tables, metric: limits(tables, metric, methods)


def summary(low: Array, high: Array, truth: float) -> list[float]:
    """Return coverage, misses above and below the truth, and mean length."""
    above = ~covers(low, np.inf, truth)
    below = ~covers(-np.inf, high, truth)
    length = high - low
    finite = length[np.isfinite(length)]
    covered = 1.0 - above.mean() - below.mean()
    return [covered, above.mean(), below.mean(), finite.mean() if len(finite) else np.inf]


def coverage(
    populations: Sequence[Population], metric: Metric, ask: Ask, count: int, seed: int
) -> dict[str, Result]:
    """Return the coverage of several intervals for a metric, in the same test sets."""
    rows: list[dict[str, list[float]]] = []
    for place, population in enumerate(populations):
        tables = drawn(population, metric, count, np.random.default_rng([seed, place]))
        truth = float(metric.value(population[0]))
        ends = ask(tables, metric) if len(tables) else {}
        rows.append({name: summary(*both, truth) for name, both in ends.items()})
    names = max(rows, key=len)
    missing = [np.nan] * 4
    return {name: Result(*np.array([row.get(name, missing) for row in rows]).T) for name in names}


def again(
    populations: Sequence[Population], found: Result, metric: Metric, count: int, seed: int
) -> float:
    """Return the least coverage, in per cent, of the populations that read lowest.

    It is measured in fresh test sets, because the least of many noisy numbers is too low.
    """
    lowest = [populations[k] for k in _lowest(found)]
    return coverage(lowest, metric, by_name("score"), count, seed + 1)["score"].worst


def _lowest(found: Result) -> NDArray[np.intp]:
    """Return the places of the populations that read lowest."""
    return np.argsort(found.covered, kind="stable")[:LOWEST]


# Two models on the same items


def pair(rng: Generator) -> tuple[Array, int]:
    """Draw the cell probabilities of truth and two classifiers, and a number of items.

    50 to 1000 items, at least 10 of them positive. The two recalls differ little. Predictions are
    independent given the truth, or copied from one another in half or nine tenths of the cells.
    """
    while True:
        n = int(rng.choice([50, 100, 200, 500, 1000]))
        positive = rng.uniform(0.05, 0.6)
        recall = rng.beta(*[(8, 2), (2, 2), (50, 1)][rng.integers(3)])
        recalls = np.clip([recall, recall + rng.normal(0, 0.05)], 0.05, 0.995)
        wrong = rng.uniform(0.1, 1.5, 2) * (1 - recalls) * positive / (1 - positive)
        copied = rng.choice([0.0, 0.5, 0.9])
        if n * positive >= 10:
            break
    negatives = (1 - positive) * _both_models(np.minimum(wrong, 0.5), copied)
    return np.stack([negatives, positive * _both_models(recalls, copied)]), n


def _both_models(rates: Array, copied: float) -> Array:
    """Return the probabilities of what A and B predict, from the rates at which they predict 1."""
    p, q = rates
    both = (1 - copied) * p * q + copied * min(p, q)
    return np.array([[1 - p - q + both, q - both], [p - both, both]])


def pairs(
    metric: Metric, designs: int, count: int, count_again: int, seed: int
) -> tuple[dict[str, Result], float]:
    """Return the coverage of differences of a score, and the least of those measured again."""
    populations = [pair(np.random.default_rng([seed, place])) for place in range(designs)]
    score = _pairs(populations, metric, count, seed)
    lowest = [populations[k] for k in _lowest(score["score"])]
    return score, _pairs(lowest, metric, count_again, seed + 1)["score"].worst


def _pairs(
    populations: Sequence[tuple[Array, int]], metric: Metric, count: int, seed: int
) -> dict[str, Result]:
    rows: dict[str, list[list[float]]] = {"score": [], "logit": [], "delta": []}
    for place, (cells, n) in enumerate(populations):
        rng = np.random.default_rng([seed, 1, place])
        tables = rng.multinomial(n, cells.ravel(), count).reshape(-1, 2, 2, 2)
        truth = float(metric.value(cells.sum(axis=1)) - metric.value(cells.sum(axis=2)))
        for name, (low, high) in _limits_of_pairs(tables, metric).items():
            rows[name].append(summary(low, high, truth))
    return {name: Result(*np.array(row).T) for name, row in rows.items()}


def _limits_of_pairs(tables: NDArray[np.intp], metric: Metric) -> dict[str, Limits]:
    """Return the limits of differences by three methods, in test sets where both scores exist."""
    sample = difference_of(tables, metric)
    delta = sample.estimate - Z * sample.error, sample.estimate + Z * sample.error
    found = {"score": sample.score_limits(Z), "logit": sample.logit_limits(Z), "delta": delta}
    defined = np.isfinite(sample.estimate)
    return {name: (low[defined], high[defined]) for name, (low, high) in found.items()}


# Exact sums


@dataclass(frozen=True)
class _EveryTable:
    """All test sets of n items of two classes in which a metric is defined, and its limits there.

    `counts` has the four cells first; `ways` is the logarithm of the number of orders of the items.
    """

    metric: Metric
    n: int
    counts: Array
    ways: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, metric: Metric, n: int) -> _EveryTable:
        """Return all test sets of n items."""
        three = np.indices(3 * (n + 1,)).reshape(3, -1)
        three = three[:, three.sum(axis=0) <= n]
        counts = np.vstack([three, n - three.sum(axis=0)]).astype(float)
        tables = counts.T.reshape(-1, 2, 2)
        defined = np.isfinite(np.asarray(metric.value(tables)))
        low, high = score_limits(tables[defined], metric, Z)
        counts = counts[:, defined]
        ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=0)
        return cls(metric, n, counts, ways, low, high)

    def covered(self, cells: Array) -> float:
        """Return the chance that the limits hold the truth in a population.

        It is 1 if a class expects fewer than 3 items, which keeps a search away from there.
        """
        if cells.min() <= 0 or self.n * cells.sum(axis=1).min() < 3 - 1e-9:
            return 1.0
        chance = np.exp(self.ways + np.log(cells.ravel()) @ self.counts)
        truth = float(self.metric.value(cells))
        inside = covers(self.low, self.high, truth)
        return float(chance[inside].sum() / chance.sum())


def _cells_at(point: Array) -> Array:
    """Return the population with a share of the first class and the logits of both recalls."""
    share, *logits = point
    first, second = expit(logits)
    right = np.array([[first, 1 - first], [1 - second, second]])
    return np.asarray(right * np.array([[share], [1 - share]]))


def worst_of_two_classes(
    metric: Metric, n: int, steps: int, least_recall: float = 0.0
) -> tuple[Array, float]:
    """Return the population of two classes in which a metric is covered worst, and its coverage.

    Coverage is the exact sum over all test sets of n items in which the score is defined. Each
    class expects 3 items or more, and has at least a recall. The search starts from a grid over the
    share of one class and the logits of both recalls, and refines its lowest places by Nelder and
    Mead's method. Coverage jumps, so a fine grid and many places are needed.
    """
    every = _EveryTable.of(metric, n)

    def covered(point: Array) -> float:
        return every.covered(_cells_at(point))

    recalls = max(-_LARGEST_LOGIT, float(logit(least_recall))), _LARGEST_LOGIT
    box = (3 / n, 0.5), recalls, recalls
    grid = np.array(list(product(*(np.linspace(*side, steps) for side in box))))
    lowest = np.argsort([covered(point) for point in grid], kind="stable")[:LOWEST]
    options = {"maxfev": 100 * steps}
    refined = [
        minimize(covered, grid[k], method="Nelder-Mead", bounds=box, options=options)
        for k in lowest
    ]
    best = min(refined, key=lambda found: float(found.fun))
    return _cells_at(best.x), float(best.fun)


def one_sided(v: int, scores: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Return how often "F1 is at least" and "F1 is at most" hold, given v relevant items."""
    tp = np.arange(v + 1)
    ends = {}
    for alternative in ("greater", "less"):
        interval = f1ci.f1_interval(
            tp, v - tp, 0 * tp, confidence_level=level, alternative=alternative
        )
        ends[alternative] = np.asarray(interval.low), np.asarray(interval.high)
    share = scores / (2 - scores)
    chance = multinomial.pmf(
        np.stack([tp, v - tp], axis=-1)[:, None], v, np.stack([share, 1 - share], axis=-1)
    )
    at_least = (chance * (ends["greater"][0][:, None] <= scores + _EQUAL)).sum(axis=0)
    at_most = (chance * (ends["less"][1][:, None] >= scores - _EQUAL)).sum(axis=0)
    return at_least, at_most


# The level


def steps_back(metric: Metric, classes: int, count: int, rng: Generator) -> tuple[int, float]:
    """Return in how many sparse tables a limit steps back as the level rises, and how far.

    The tables have 5 to 19 items, in cells whose probabilities are very unequal. The levels run
    from 62 % to nearly 100 %.
    """
    shares = rng.dirichlet(np.full(classes**2, 0.3), count)
    items = rng.integers(5, 20, count)
    tables = np.stack([rng.multinomial(n, p) for n, p in zip(items, shares, strict=True)])
    tables = tables.reshape(-1, classes, classes)
    tables = tables[np.isfinite(np.asarray(metric.value(tables)))]
    low, high = score_limits(tables, metric, np.linspace(0.88, 3.6, 8)[:, None])
    back = np.maximum(np.diff(low, axis=0), -np.diff(high, axis=0)).max(axis=0)
    return int((back > 1e-6).sum()), float(back.max())
