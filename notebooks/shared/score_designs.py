"""Populations in which score intervals are measured: two families, each fixed by a rule.

Both were written down before anything was tuned on them. A population is a matrix of cell
probabilities (rows are true classes) and a number of items.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Population", "drawn", "grid", "majority", "paired", "sparse_tables"]

Population = tuple[NDArray[np.float64], int]

SEED = 20261125


def drawn(count: int, seed: int = SEED) -> list[Population]:
    """Return the first populations of the atlas's rule whose smallest class expects 3 items."""
    rng = np.random.default_rng(seed)
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


def paired(count: int, seed: int = SEED) -> list[Population]:
    """Return populations of two classifiers (truth, A, B) of two classes, as the atlas draws them."""
    rng = np.random.default_rng(seed)
    populations: list[Population] = []
    while len(populations) < count:
        n = int(rng.choice([50, 100, 200, 500, 1000]))
        positive = rng.uniform(0.05, 0.6)
        recall = rng.beta(*[(8, 2), (2, 2), (50, 1)][rng.integers(3)])
        recalls = np.clip([recall, recall + rng.normal(0, 0.05)], 0.05, 0.995)
        most = (1 - recalls) * positive / (1 - positive)
        false = np.minimum(rng.uniform(0.1, 1.5, 2) * most, 0.5)
        copied = rng.choice([0.0, 0.5, 0.9])
        cells = np.empty((2, 2, 2))
        for true, share, (p, q) in ((1, positive, recalls), (0, 1 - positive, false)):
            both = (1 - copied) * p * q + copied * min(p, q)
            cells[true] = share * np.array([[1 - p - q + both, q - both], [p - both, both]])
        if n * positive >= 10:
            populations.append((cells, n))
    return populations


def sparse_tables(count: int, seed: int = SEED) -> NDArray[np.float64]:
    """Return tables of 3 classes with few items, many cells of them empty."""
    rng = np.random.default_rng(seed)
    rate = rng.choice([0.3, 1.0, 4.0], (count, 3, 3)) + 4.0 * np.eye(3)
    return rng.poisson(rate).astype(np.float64)
