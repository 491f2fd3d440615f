"""Intervals for macro F1 that one could use instead of score intervals, and their comparison.

- Lang (2008): the same test inverted, without the terms of second order.
- MOVER (Zou and Donner 2008): Wilson's limits of the classes, joined as if classes were independent.
- BCa bootstrap (Efron 1987): percentiles corrected for bias and skewness.
- Bayes: a Dirichlet prior, in each row 1/2 on the right cell and 1/4 spread over the wrong ones.

And one for F1 where the number of positive items is fixed: psF1 (Hsu, Liu and Shyr 2026).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binom

import f1ci

from . import atlas, kernels

__all__ = ["bayes", "bca", "compare", "mover", "psf1", "with_fixed_positives"]

Array: TypeAlias = NDArray[np.float64]
Limits: TypeAlias = tuple[Array, Array]
Generator: TypeAlias = np.random.Generator

MACRO = f1ci.metrics.macro("f1")


def mover(m: Array) -> Limits:
    """Return limits of the mean of the classes' F1, from Wilson's limits of each class."""
    tp = np.diagonal(m, axis1=-2, axis2=-1)
    fp, fn = m.sum(axis=-2) - tp, m.sum(axis=-1) - tp
    f = 2 * tp / (2 * tp + fp + fn)
    low, high = (np.asarray(end) for end in f1ci.f1_interval(tp, fp, fn))
    below, above = (np.sqrt(np.square(end - f).sum(axis=-1)) / m.shape[-1] for end in (low, high))
    return f.mean(axis=-1) - below, f.mean(axis=-1) + above


def bayes(m: Array, draws: int, rng: Generator) -> tuple[float, float]:
    """Return percentiles of the posterior of one matrix."""
    r = len(m)
    prior = 0.5 * np.eye(r) + 0.25 * (1 - np.eye(r)) / (r - 1)
    values = atlas.value(rng.standard_gamma(m + prior, (draws, r, r)), MACRO)
    low, high = atlas.percentiles(values)
    return float(low), float(high)


def bca(m: Array, draws: int, rng: Generator) -> tuple[float, float]:
    """Return the BCa limits of one matrix."""
    n, estimate = int(m.sum()), float(atlas.value(m, MACRO))
    values = atlas.value(rng.multinomial(n, (m / n).ravel(), draws).reshape(-1, *m.shape), MACRO)
    values = values[~np.isnan(values)]
    # 1. The bias: how much of the bootstrap lies below the estimate; ties count half.
    share = (values < estimate - 1e-12).mean() + (np.abs(values - estimate) <= 1e-12).mean() / 2
    bias = ndtri(np.clip(share, 0.5 / draws, 1 - 0.5 / draws))
    # 2. The skewness: the jackknife, an item of each cell at a time.
    cells = np.argwhere(m > 0)
    less = np.repeat(m[None], len(cells), axis=0)
    less[np.arange(len(cells)), cells[:, 0], cells[:, 1]] -= 1
    weight, without = m[m > 0], np.nan_to_num(atlas.value(less, MACRO), nan=estimate)
    move = (weight * without).sum() / n - without
    square = (weight * move**2).sum()
    skewness = (weight * move**3).sum() / (6 * square**1.5) if square > 0 else 0.0
    # 3. The percentiles that belong to both.
    ends = []
    for z in (-atlas.Z, atlas.Z):
        level = ndtr(bias + (bias + z) / (1 - skewness * (bias + z)))
        ends.append(float(np.quantile(values, level)))
    return ends[0], ends[1]


def compare(
    populations: Sequence[atlas.Population], replicates: int, draws: tuple[int, int], seed: int
) -> dict[str, Array]:
    """Return coverage, mean length and seconds for an interval, by method; one row a population.

    `draws` are those of the bootstrap and of the posterior.
    """
    rng = np.random.default_rng(seed)
    drawn, of_posterior = draws
    methods: dict[str, Callable[[Array], Limits]] = {
        "score": lambda m: atlas.limits_of(m, MACRO),
        "Lang": lambda m: kernels.changed_limits(m, MACRO, atlas.Z, few=0, terms=False),
        "MOVER": mover,
        "BCa": lambda m: _one_by_one(lambda one: bca(one, drawn, rng), m),
        "Bayes": lambda m: _one_by_one(lambda one: bayes(one, of_posterior, rng), m),
    }
    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in methods}
    for cells, n in populations:
        m = atlas.matrices(cells, n, replicates, rng)
        m = m[~np.isnan(atlas.value(m, MACRO))]
        for name, method in methods.items():
            start = time.process_time()
            low, high = method(m)
            seconds = (time.process_time() - start) / len(m)
            inside = atlas.covered((low, high), float(atlas.value(cells, MACRO)))[0]
            rows[name].append((float(inside.mean()), float((high - low).mean()), seconds))
    return {name: np.array(row) for name, row in rows.items()}


def _one_by_one(method: Callable[[Array], tuple[float, float]], m: Array) -> Limits:
    low, high = np.transpose([method(one) for one in m])
    return low, high


def psf1(tp: int, fp: int, positives: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of the R package psF1 for the F1 of a test set with so many positives.

    They are quantiles of F1 if the classifier has the precision and recall that were observed.
    """
    # 1. Half an item more on each side of both shares; no false positive counts as half a one.
    wrong = fp or 0.5
    precision, recall = (tp + 0.5) / (tp + wrong + 1), (tp + 0.5) / (positives + 1)
    goal = 2 * precision * recall / (precision + recall)
    # 2. The rate of false positives at which F1 has that mean.
    right, wrongs = np.arange(positives + 1), np.arange(n - positives + 1)
    values = 2 * right[:, None] / (right[:, None] + wrongs + positives)
    chance = binom.pmf(right, positives, recall)

    def mean(rate: float) -> float:
        return float(chance @ values @ binom.pmf(wrongs, n - positives, rate))

    if not mean(1.0) <= goal <= mean(0.0):
        return 0.0, 1.0  # the package stops with an error
    rate = brentq(lambda rate: mean(rate) - goal, 0.0, 1.0)
    # 3. The outermost values that are as unlikely as half of 1 - level.
    joint = np.outer(chance, binom.pmf(wrongs, n - positives, rate))
    distinct, place = np.unique(values.round(10), return_inverse=True)
    p, tail = np.bincount(place.ravel(), joint.ravel()), (1 - level) / 2
    low = distinct[np.cumsum(p) <= tail].max(initial=0.0)
    high = distinct[np.cumsum(p[::-1])[::-1] <= tail].min(initial=1.0)
    return float(low), float(high)


def with_fixed_positives(n: int, positives: int, recall: float, rate: float) -> dict[str, Array]:
    """Return exact coverage and mean length for F1, by method, if the positives are fixed.

    `rate` is the share of the negative items that are predicted positive. Tables with a
    probability below 1e-9 are left out.
    """
    tp, fp = np.indices((positives + 1, n - positives + 1))
    p = binom.pmf(tp, positives, recall) * binom.pmf(fp, n - positives, rate)
    likely = p > 1e-9
    tp, fp, p = tp[likely], fp[likely], p[likely] / p[likely].sum()
    truth = 2 * positives * recall / (positives * recall + positives + (n - positives) * rate)
    limits = {
        "psF1": np.transpose([psf1(x, y, positives, n) for x, y in zip(tp, fp, strict=True)]),
        "score": np.array([*f1ci.f1_interval(tp, fp, positives - tp)]),
    }
    return {
        name: np.array([p @ ((low <= truth) & (truth <= high)), p @ (high - low)])
        for name, (low, high) in limits.items()
    }
