"""Populations for score intervals, by rules that were written down before anything was tuned.

A population is a matrix of cell probabilities (rows are true classes) and a number of items.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

import f1ci
from f1ci.metrics import Metric

__all__ = [
    "Population",
    "drawn",
    "first_rule",
    "fixed_rows",
    "grid",
    "harsher",
    "majority",
    "mixture",
    "ordinary_and_hard",
    "rare_positives",
]

Probabilities = NDArray[np.float64]
Population = tuple[Probabilities, int]
Generator = np.random.Generator


def first_rule(count: int, rng: np.random.Generator) -> list[Population]:
    """Draw populations of 3 to 20 classes and 50 to 1000 items, from bad to nearly perfect.

    The smallest class expects 3 items or more. Shares of the classes come from a Dirichlet
    distribution, shares of right items from a Beta distribution. Wrong items are spread by a flat
    Dirichlet distribution.
    """
    populations: list[Population] = []
    while len(populations) < count:
        r = int(rng.choice([3, 5, 10, 20], p=[0.4, 0.3, 0.25, 0.05]))
        n = int(rng.choice([50, 100, 200, 500, 1000]))
        share = rng.dirichlet(np.full(r, rng.choice([0.5, 1.0, 5.0, 50.0])))
        right = rng.beta(*[(8, 2), (2, 2), (50, 1), (400, 2)][rng.integers(4)], size=r)
        cells = np.diag(right * share)
        for k in range(r):
            others = np.arange(r) != k
            cells[k, others] = (1 - right[k]) * share[k] * rng.dirichlet(np.ones(r - 1))
        if n * share.min() >= 3:
            populations.append((cells, n))
    return populations


def grid() -> list[Population]:
    """Return 144 populations: every combination of five plain choices.

    They are 3, 6 or 10 classes; classes of one size, of sizes 1, 1/2, 1/3, ..., or one rare
    class; 3 or 8 expected items in the smallest class; a share of right items of .5, .8, .95 or
    .99; wrong items spread evenly, or over the neighbouring classes.
    """
    populations: list[Population] = []
    choices = product((3, 6, 10), ("equal", "zipf", "rare"), (3, 8), (0.5, 0.8, 0.95, 0.99), (0, 1))
    for r, sizes, smallest, right, near in choices:
        weight = {"equal": np.ones(r), "zipf": 1 / np.arange(1.0, r + 1)}.get(
            sizes, np.append(np.ones(r - 1), 0.1)
        )
        share = weight / weight.sum()
        distance = np.abs(np.subtract.outer(np.arange(r), np.arange(r)))
        wrong = (distance == 1) if near else (distance > 0)
        wrong = wrong / wrong.sum(axis=1, keepdims=True)
        cells = share[:, None] * (right * np.eye(r) + (1 - right) * wrong)
        populations.append((cells, round(smallest / share.min())))
    return populations


def majority() -> list[Population]:
    """Return 18 populations in which wrong items are mostly taken for the largest class."""
    populations: list[Population] = []
    for r, smallest, recall in product((2, 3, 5), (3, 8), (0.1, 0.4, 0.8)):
        share = np.append(np.full(r - 1, 0.1), 1.0 - 0.1 * (r - 1))
        cells = np.diag(recall * share)
        cells[:-1, -1] += (1 - recall) * share[:-1]
        cells[-1] = share[-1] * np.append(np.full(r - 1, 0.02 / (r - 1)), 0.98)
        populations.append((cells, round(smallest / 0.1)))
    return populations


def drawn(classes: int, count: int, rng: np.random.Generator) -> list[Population]:
    """Draw populations of 30, 50 or 100 items that expect 3 or more in each row and column.

    Shares of the classes are uniform; the share of right items of each class is Beta (8, 2), and
    wrong ones are spread evenly.
    """
    populations: list[Population] = []
    while len(populations) < count:
        n = int(rng.choice([30, 50, 100]))
        right = rng.beta(8, 2, classes)[:, None]
        spread = (1.0 - np.eye(classes)) / (classes - 1)
        cells = rng.dirichlet(np.ones(classes))[:, None] * np.where(
            spread, (1 - right) * spread, right
        )
        if n * min(cells.sum(axis=0).min(), cells.sum(axis=1).min()) >= 3:
            populations.append((cells, n))
    return populations


def mixture(count: int, rng: np.random.Generator) -> list[Population]:
    """Draw populations of 2 to 16 classes by four rules for the errors, in turn.

    The smallest class expects 3 to 15 items. The rules: each row of the matrix from a Dirichlet distribution; all
    errors of a class go to the next class; all errors go to the first class; 1 to 6 expected errors
    in the whole table, anywhere.
    """
    populations: list[Population] = []
    for place in range(count):
        r = int(rng.choice([2, 3, 4, 7, 12, 16]))
        share = rng.dirichlet(np.full(r, rng.choice([1.0, 4.0, 40.0])))
        share = np.maximum(share, 0.02 / r)
        share /= share.sum()
        n = min(int(np.ceil(rng.uniform(3, 15) / share.min())), 2_000)
        right, wrong = _errors(place % 4, share, n, rng)
        cells = share[:, None] * (np.diag(right) + (1.0 - right)[:, None] * wrong)
        if n * share.min() >= 3:
            populations.append((cells, n))
    return populations


def _errors(rule: int, share: Probabilities, n: int, rng: Generator) -> tuple[Probabilities, ...]:
    """Return the share of right items of each class, and how its wrong items are spread."""
    r = len(share)
    right = rng.uniform(0.4, 0.98, r)
    if rule == 0:
        wrong = rng.dirichlet(np.full(r, 0.5), r)
    elif rule == 1:
        wrong = np.roll(np.eye(r), 1, axis=1)
    elif rule == 2:
        wrong = np.tile(np.eye(r)[0], (r, 1))
    else:
        right = 1.0 - rng.uniform(1, 6) / n * rng.dirichlet(np.ones(r)) / share
        right = np.maximum(right, 0.3)
        wrong = np.ones((r, r))
    # Where the rule leaves a class no other cell, its errors are spread evenly.
    others = 1.0 - np.eye(r)
    wrong = wrong * others + 1e-300 * others
    return right, wrong / wrong.sum(axis=1, keepdims=True)


def rare_positives() -> list[Population]:
    """Return 54 populations of two classes for lift, likelihood ratios and net benefit.

    A share of .1, .3 or .5 is positive; .5, .8 or .97 of the positives are found; .03, .1 or .3 of
    the negatives are false positives; 6 or 20 positive items are expected.
    """
    populations: list[Population] = []
    choices = product((0.1, 0.3, 0.5), (0.5, 0.8, 0.97), (0.03, 0.1, 0.3), (6, 20))
    for share, recall, false, positives in choices:
        negative = (1 - share) * np.array([1 - false, false])
        cells = np.array([negative, share * np.array([1 - recall, recall])])
        populations.append((cells, round(positives / share)))
    return populations


# Harsher populations


def harsher() -> dict[str, list[Population]]:
    """Return the harsher populations by their names."""
    return {
        "nearly perfect": nearly_perfect(),
        "tiny classes": tiny(),
        "blocks": blocks(),
        "never predicted": never_predicted(),
    }


def nearly_perfect() -> list[Population]:
    """Return 18 populations that expect half an error, two or five, spread evenly.

    They have 2, 4 or 8 classes of one size, or one class that is a tenth of the others; the
    smallest class expects 4 items.
    """
    populations: list[Population] = []
    for r, rare, errors in product((2, 4, 8), (1.0, 0.1), (0.5, 2.0, 5.0)):
        sizes = 4.0 / rare * np.append(np.ones(r - 1), rare)
        populations.append(_of_sizes(sizes, 1.0 - errors / sizes.sum(), _evenly(r)))
    return populations


def tiny() -> list[Population]:
    """Return 18 populations with classes of 1, 2 or 3 expected items.

    One class of three is so small, and the others expect 40 items; or all four are so small. Half
    of the items, .8 or .95 are right, and wrong ones are spread evenly.
    """
    populations: list[Population] = []
    for smallest, right in product((1.0, 2.0, 3.0), (0.5, 0.8, 0.95)):
        for sizes in ([40.0, 40.0, smallest], [smallest] * 4):
            populations.append(_of_sizes(np.array(sizes), right, _evenly(len(sizes))))
    return populations


def blocks() -> list[Population]:
    """Return 16 populations of 4 or 8 classes that are confused in pairs only.

    The classes have one size, or those of the last pair a tenth of it. The smallest class expects
    4 or 10 items. Of the items .6 or .9 are right.
    """
    populations: list[Population] = []
    for r, rare, smallest, right in product((4, 8), (1.0, 0.1), (4.0, 10.0), (0.6, 0.9)):
        sizes = smallest / rare * np.append(np.ones(r - 2), [rare, rare])
        pairs = np.eye(r)[np.arange(r) ^ 1]
        populations.append(_of_sizes(sizes, right, pairs))
    return populations


def never_predicted() -> list[Population]:
    """Return 16 populations of 3 or 5 classes, the last of which is never predicted.

    It expects 4 or 10 items; the others expect as many, or five times as many, of which .6 or .9
    are right.
    """
    populations: list[Population] = []
    choices = product((3, 5), (1.0, 0.2), (4.0, 10.0), (0.6, 0.9))
    for r, rare, smallest, recall in choices:
        sizes = smallest / rare * np.append(np.ones(r - 1), rare)
        right = np.append(np.full(r - 1, recall), 0.0)
        wrong = _evenly(r)
        wrong[:, -1] = 0.0
        wrong /= wrong.sum(axis=1, keepdims=True)
        populations.append(_of_sizes(sizes, right, wrong))
    return populations


def ordinary_and_hard() -> dict[str, Population]:
    """Return twelve populations by their names: easy ones, rare classes, many classes."""
    neighbours = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) == 1
    to_first = np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    designs: dict[str, tuple[ArrayLike, ArrayLike, ArrayLike | None]] = {
        "2 equal classes, 60 items": ([30, 30], [0.9, 0.7], None),
        "3 equal classes, 90 items": ([30, 30, 30], 0.8, None),
        "3 equal classes, 30 items": ([10, 10, 10], 0.7, None),
        "5 equal classes, 50 items, half wrong": ([10] * 5, 0.5, None),
        "10 equal classes, 200 items": ([20] * 10, 0.9, None),
        "6 classes of 60, 30, 20, ... items": (60 / np.arange(1, 7), 0.8, neighbours),
        "2 classes of 190 and 10 items": ([190, 10], [0.95, 0.6], None),
        "3 classes of 200, 200 and 3 items": ([200, 200, 3], 0.8, None),
        "3 classes of 300, 5 and 5 items": ([300, 5, 5], 0.8, None),
        "3 classes of 60, 8 and 8, taken for the first": ([60, 8, 8], [0.98, 0.4, 0.4], to_first),
        "3 classes of 150, 150 and 6, nearly perfect": ([150, 150, 6], 0.985, None),
        "9 classes of 4 items, one of 100": ([100] + [4] * 9, 0.85, None),
    }
    return {
        name: _of_sizes(sizes, right, _evenly(np.size(sizes)) if wrong is None else wrong)
        for name, (sizes, right, wrong) in designs.items()
    }


def _of_sizes(sizes: ArrayLike, right: ArrayLike, wrong: ArrayLike) -> Population:
    """Return a population by expected class sizes, shares of right items, and where errors go."""
    n = np.sum(sizes)
    share = np.asarray(sizes, float) / n
    right = np.broadcast_to(right, share.shape)
    spread = np.asarray(wrong, float) / np.sum(wrong, axis=1, keepdims=True)
    cells = share[:, None] * (np.diag(right) + (1.0 - right)[:, None] * spread)
    return cells, round(n)


def _evenly(r: int) -> Probabilities:
    """Return where errors go if they are spread evenly over the other classes."""
    return (1.0 - np.eye(r)) / (r - 1)


# Fixed class sizes


def fixed_rows(
    population: Population, metric: Metric, replicates: int, seed: int
) -> tuple[float, float]:
    """Return coverages with fixed class sizes: of the default, and of limits that know the sizes."""
    cells, n = population
    rng = np.random.default_rng([seed, len(cells), n])
    share = cells.sum(axis=1)
    sizes = np.rint(n * share).astype(int)
    rows = zip(sizes, cells / share[:, None], strict=True)
    tables = np.stack([rng.multinomial(size, p, replicates) for size, p in rows], axis=1)
    truth = float(metric.value(sizes[:, None] * cells / share[:, None]))
    tables = tables[tables.sum(axis=1).min(axis=1) > 0]
    covered = []
    for fixed in (None, "rows"):
        with warnings.catch_warnings():  # some simulated test sets are odd
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            interval = f1ci.Matrix(tables, fixed=fixed).interval(metric)
        covered.append(float(np.mean(interval.covers(truth))))
    return covered[0], covered[1]
