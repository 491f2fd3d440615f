"""Simulated collections of documents, and of images with a score each, and what covers their score.

Counts have the units first, then collections, and TP, FP and FN last. Everything drawn comes from
the generator that is passed in. Collections stand where classes do, because intervals of classes
do not depend on one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

import f1ci
from f1ci.coverage import covers
from notebooks.shared.kernels import f1_over_kinds

Array: TypeAlias = NDArray[Any]
Generator: TypeAlias = np.random.Generator

# Documents hold at most so many items.
_LARGEST = 20_000


class Coverage(NamedTuple):
    """How often limits contain the truth, end too low, begin too high; and their mean length."""

    covered: float
    too_low: float
    too_high: float
    length: float


def coverage(low: Array, high: Array, truth: float) -> Coverage:
    """Count how often limits contain the truth."""
    too_low, too_high = ~covers(-np.inf, high, truth), ~covers(low, np.inf, truth)
    covered = 1.0 - too_low.mean() - too_high.mean()
    length = np.mean(high - low)
    return Coverage(*map(float, (covered, too_low.mean(), too_high.mean(), length)))


# Documents


class Documents(NamedTuple):
    """A population of documents, of which so many are sampled.

    Attributes
    ----------
    units : int
        How many documents are in a sample.
    sizes : str
        "even", "lognormal", "Pareto", or "giants": a few documents that are much larger.
    mean, spread : float
        The mean number of relevant items, and how unlike the sizes are: the standard deviation of
        the logarithm, Pareto's exponent, or how many times larger a giant is.
    giants : int
        The number of giants.
    right : float
        The share of items that are right, in a document of mean size.
    correlation : float
        The correlation of the items of a document that is not bad; 0 for none.
    bad : float
        The share of documents in which nothing is right.
    slope : float
        By how much the log odds of a right item change if a document is e times as large.
    """

    units: int
    sizes: str
    mean: float
    spread: float = 1.0
    giants: int = 0
    right: float = 0.8
    correlation: float = 0.0
    bad: float = 0.0
    slope: float = 0.0

    def draw_sizes(self, count: int, rng: Generator) -> Array:
        """Draw the numbers of relevant items, (units, count)."""
        shape = (self.units, count)
        size = np.full(shape, float(self.mean))
        if self.sizes == "lognormal":
            size = size * np.exp(rng.normal(-(self.spread**2) / 2, self.spread, shape))
        elif self.sizes == "Pareto":
            size = size * (1 - 1 / self.spread) * (1 + rng.pareto(self.spread, shape))
        size[: self.giants] *= self.spread
        return np.asarray(np.clip(np.rint(size), 1, _LARGEST), dtype=int)

    def _share_right(self, size: Array) -> Array:
        """Return the share of right items in documents that are not bad, on average."""
        if not self.slope:
            return np.full(size.shape, self.right)
        odds = special.logit(self.right) + self.slope * np.log(size / self.mean)
        return np.asarray(special.expit(odds))

    def truth(self, rng: Generator) -> float:
        """Return F1 in the population; simulated if it depends on the sizes."""
        share = self.right
        if self.slope:
            size = self.draw_sizes(200_000 // self.units, rng)
            share = float((size * self._share_right(size)).sum() / size.sum())
        share *= 1 - self.bad
        return 2 * share / (1 + share)

    def draw(self, count: int, rng: Generator) -> Array:
        """Draw counts (units, count, 3)."""
        size = self.draw_sizes(count, rng)
        right = self._share_right(size)
        if self.correlation:
            strength = (1 - self.correlation) / self.correlation
            right = rng.beta(right * strength, (1 - right) * strength)
        right = np.where(rng.random(size.shape) < self.bad, 0.0, right)
        tp = rng.binomial(size, right)
        fp = rng.binomial(size - tp, 0.5)
        return np.stack([tp, fp, size - tp - fp], axis=-1)


def documents_by_rule(rng: Generator, *, slope: bool = False) -> Documents:
    """Draw a population: 5 to 150 documents of 2 to 60 items, F1 from 0.5 to 0.997.

    With `slope` large documents are harder, or easier, than small ones. Otherwise items are
    correlated, or some documents are all wrong, or both.
    """
    units = int(_between(5, 150, rng))
    sizes = str(rng.choice(["even", "lognormal", "Pareto", "giants"]))
    spread = {"lognormal": (0.3, 1.6), "Pareto": (1.1, 3.0), "giants": (3.0, units)}
    population = Documents(
        units,
        sizes if not slope or sizes != "even" else "lognormal",
        _between(2, 60, rng),
        rng.uniform(*spread.get(sizes, (0.3, 1.6))),
        int(rng.integers(1, max(2, units // 5) + 1)) if sizes == "giants" else 0,
    )
    wrong = _between(0.003, 0.5, rng)  # one minus F1
    share = (1 - wrong) / (1 + wrong)
    if slope:
        return population._replace(right=share, slope=float(rng.uniform(-1, 1)))
    some = float(rng.choice([0.02, 0.1, 0.3, 0.6]))
    kind = rng.choice(["correlated", "bad", "both"])
    bad = 0.0 if kind == "correlated" else rng.uniform(0.3, 1.0) * (1 - share)
    correlation = 0.0 if kind == "bad" else some
    right = min(share / (1 - bad), 0.999)
    return population._replace(right=right, bad=bad, correlation=correlation)


def _between(least: float, most: float, rng: Generator) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(least), np.log(most))))


def limits_of_documents(counts: Array, method: str, level: float) -> tuple[Array, Array]:
    """Return the limits of F1 of each collection."""
    units = f1ci.Units(counts)
    interval = units.interval(average=None, method=method, confidence_level=level)
    return np.asarray(interval.low), np.asarray(interval.high)


def bootstrap(counts: Array, level: float, resamples: int, rng: Generator) -> Array:
    """Return percentiles of F1 over resampled documents, for each collection."""
    weights = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), resamples)
    tp, fp, fn = (weights @ counts[..., k] for k in range(3))
    with np.errstate(invalid="ignore"):
        scores = 2 * tp / (2 * tp + fp + fn)
    return np.asarray(np.nanquantile(scores, [(1 - level) / 2, (1 + level) / 2], axis=0))


def intervals_of_documents(
    counts: Array, level: float, resamples: int, rng: Generator
) -> Iterator[tuple[str, Any]]:
    """Find five intervals for each collection."""
    total = np.moveaxis(counts.sum(axis=0), -1, 0)
    yield "pooled", tuple(f1ci.f1_interval(*total, confidence_level=level))
    for method in ("delta", "logit", "score"):
        yield method, limits_of_documents(counts, method, level)
    yield "bootstrap", bootstrap(counts, level, resamples, rng)


def limits_by_choice(counts: Array, choice: str, level: float) -> tuple[Array, Array]:
    """Return the limits of F1 of each collection with another choice than the package's.

    "as chosen" is the package's. "mean size" gives unseen units the plain mean size. "G sum h^2"
    and "1 / (1 - sum h^2)" multiply z^2, and the latter is 1 for units of one size. "shares" gives
    each unit its share h of the items instead of 1 / G, and 1 / sum h^2 units in all.
    """
    z = float(special.ndtri(0.5 + level / 2))
    ends = []
    for held in np.moveaxis(counts, 1, 0).astype(np.float64):
        size = held.sum(axis=1)
        units, h = len(size), size / size.sum()
        squares = float((h * h).sum())
        seen, unseen, factor = np.ones(units), (size * h).sum(), 1.0
        if choice == "mean size":
            unseen = size.mean()
        elif choice == "G sum h^2":
            factor = units * squares
        elif choice == "1 / (1 - sum h^2)":
            factor = (1 - 1 / units) / (1 - squares)
        elif choice == "shares":
            held, seen, unseen = held / size[:, None], h / squares, 1.0
        kinds = np.concatenate([held, unseen * np.eye(3)])
        ends.append(f1_over_kinds(kinds, np.append(seen, np.zeros(3)), z * factor**0.5))
    low, high = np.array(ends).T
    return low, high


CHOICES = ("as chosen", "mean size", "G sum h^2", "1 / (1 - sum h^2)", "shares")


# Means of scores


class Images(NamedTuple):
    """A population of images: most have a score from a Beta distribution, a share fails.

    Attributes
    ----------
    units : int
        How many images are in a sample.
    fail : float
        The share of images with the score 0.
    a, b : float
        The parameters of the Beta distribution of the others.
    """

    units: int
    fail: float
    a: float
    b: float

    def truth(self, _rng: Generator) -> float:
        """Return the mean score in the population."""
        return (1 - self.fail) * self.a / (self.a + self.b)

    def draw(self, count: int, rng: Generator) -> Array:
        """Draw scores (units, count)."""
        shape = (self.units, count)
        return np.asarray(rng.beta(self.a, self.b, shape) * (rng.random(shape) >= self.fail))


def images_by_rule(rng: Generator) -> Images:
    """Draw a population: 5 to 200 images, of which none, or 1 to 30 %, fail."""
    fail = 0.0 if rng.random() < 0.25 else _between(0.01, 0.3, rng)
    mean = 1 - _between(0.02, 0.4, rng)
    strength = _between(3, 60, rng)
    return Images(int(_between(5, 200, rng)), fail, mean * strength, (1 - mean) * strength)


def limits_of_means(scores: Array, method: str, level: float) -> tuple[Array, Array]:
    """Return the limits of the mean of each collection."""
    ends = [
        tuple(f1ci.mean_interval(of_one, method=method, confidence_level=level))
        for of_one in scores.T
    ]
    low, high = np.array(ends, dtype=np.float64).T
    return low, high


# Averages over classes


class Classes(NamedTuple):
    """A population of several classes in documents."""

    units: int
    more: int  # items in a document beyond the first, on average
    correlation: float
    share: Array  # of the classes
    right: Array  # of the items of each class

    def truth(self, metric: str) -> float:
        """Return a score of the population."""
        wrong = (self.share * (1 - self.right))[:, None] / (len(self.share) - 1)
        table = np.where(np.eye(len(self.share), dtype=bool), 0.0, wrong)
        return float(f1ci.metrics.get(metric).value(table + np.diag(self.share * self.right)))

    def draw(self, rng: Generator) -> tuple[Array, Array, Array]:
        """Draw the true class, the predicted class and the document of each item.

        Wrong predictions are spread evenly over the other classes.
        """
        r = len(self.share)
        strength = (1 - self.correlation) / self.correlation
        documents = np.repeat(np.arange(self.units), 1 + rng.poisson(self.more, self.units))
        shares = rng.dirichlet(self.share * strength, self.units)
        rights = rng.beta(self.right * strength, (1 - self.right) * strength, (self.units, r))
        places = rng.random(len(documents))[:, None]
        true = (places > shares[documents].cumsum(axis=1)[:, :-1]).sum(axis=1)
        is_right = rng.random(len(documents)) < rights[documents, true]
        other = (true + rng.integers(1, r, len(documents))) % r
        return true, np.where(is_right, true, other), documents


def classes_by_rule(rng: Generator) -> Classes:
    """Draw a population whose smallest class expects 3 items or more."""
    while True:
        r = int(rng.choice([2, 3, 5, 10]))
        units, more = int(rng.choice([6, 10, 20, 50, 100])), int(rng.choice([3, 10, 30]))
        share = rng.dirichlet(np.full(r, rng.choice([1.0, 5.0, 50.0])))
        right = rng.beta(*[(8, 2), (2, 2), (50, 1)][rng.integers(3)], size=r)
        correlation = float(rng.choice([0.05, 0.3]))
        if units * (1 + more) * share.min() >= 3:
            return Classes(units, more, correlation, share, right)


def coverage_of_classes(
    population: Classes, metrics: Sequence[str], methods: Sequence[str], count: int, rng: Generator
) -> dict[tuple[str, str], Coverage]:
    """Measure the coverage of each metric and method, in samples that hold every class."""
    r = len(population.share)
    drawn = [population.draw(rng) for _ in range(count)]
    kept = [one for one in drawn if len(np.unique(one[0])) == r]
    found = {}
    for metric in metrics:
        truth = population.truth(metric)
        for method in methods:
            ends = [
                tuple(f1ci.score_interval(true, pred, metric, groups=document, method=method))
                for true, pred, document in kept
            ]
            low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
            found[metric, method] = coverage(low, high, truth)
    return found


# Studies

Limits: TypeAlias = Callable[[Array, str, float], tuple[Array, Array]]


def study(
    populations: Sequence[Documents] | Sequence[Images],
    limits: Limits,
    methods: Sequence[str],
    level: float,
    count: int,
    rng: Generator,
) -> dict[str, Array]:
    """Measure coverage, both misses and length of each method, (populations, 4)."""
    found: dict[str, list[Coverage]] = {method: [] for method in methods}
    for population in populations:
        truth = population.truth(rng)
        drawn = population.draw(count, rng)
        for method in methods:
            found[method].append(coverage(*limits(drawn, method, level), truth))
    return {method: np.array(rows) for method, rows in found.items()}


def lowest(
    populations: Sequence[Documents] | Sequence[Images], found: Array, number: int
) -> list[Any]:
    """Return the populations with the lowest measured coverages."""
    return [populations[k] for k in np.argsort(found[:, 0], kind="stable")[:number]]
