"""What the notebook on score intervals computes: rivals of the default, and where limits touch.

The rivals are what a statistician would try for the macro average of a metric: the bootstrap, a
Dirichlet posterior, and Wilson's limits of each class, combined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import f1ci
from notebooks.shared import coverage_study as study
from notebooks.shared.kernels import Limits

__all__ = ["border", "rivals"]

Array: TypeAlias = NDArray[np.float64]
Generator: TypeAlias = np.random.Generator

# Test sets are resampled in blocks of about so many numbers.
_BLOCK = 4_000_000


def rivals(tables: Array, draws: int, rng: Generator) -> dict[str, Limits]:
    """Return limits of macro F1 by the default and its rivals, for test sets (count, r, r)."""
    own = study.limits(tables, f1ci.metrics.macro_f1, ("score", "delta", "logit"))
    found = {"default": own["score"], "delta": own["delta"], "logit": own["logit"]}
    percentile, bca = _bootstrap(tables, draws, rng)
    return found | {
        "percentile": percentile,
        "bca": bca,
        "dirichlet": _posterior(tables, 1.0, draws, rng),
        "jeffreys": _posterior(tables, 0.5, draws, rng),
        "dirichlet-1-r": _posterior(tables, 1.0 / tables.shape[-1], draws, rng),
        "wilson-combined": _wilson_combined(tables),
    }


def macro_f1(tables: NDArray[Any]) -> Array:
    """Return macro F1 of tables (..., r, r); a class without items and predictions is left out."""
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    relevant = tables.sum(axis=-1) + tables.sum(axis=-2)
    seen = relevant > 0
    scores = np.divide(2.0 * right, relevant, out=np.zeros(seen.shape), where=seen)
    return np.asarray(scores.sum(axis=-1) / seen.sum(axis=-1))


def _bootstrap(tables: Array, draws: int, rng: Generator) -> tuple[Limits, Limits]:
    """Return the limits of the bootstrap of items: percentiles, and BCa (Efron 1987)."""
    percentile, bca = [], []
    for some in _blocks(tables, draws):
        r = some.shape[-1]
        n = some.sum(axis=(1, 2)).astype(int)
        shares = some.reshape(len(some), 1, -1) / n[:, None, None]
        drawn = rng.multinomial(n[:, None], shares, (len(some), draws))
        values = np.sort(macro_f1(drawn.reshape(*drawn.shape[:2], r, r)), axis=1)
        tails = np.tile(ndtr([-study.Z, study.Z]), (len(some), 1))
        percentile.append(_quantiles(values, tails))
        bca.append(_quantiles(values, _bca_tails(some, values)))
    return _both(percentile), _both(bca)


def _bca_tails(tables: Array, values: Array) -> Array:
    """Return the shares of resamples below both BCa limits, for sorted values of resamples."""
    # 1. The bias: the share of resamples below the estimate. Of equal ones half count as below.
    estimate = macro_f1(tables)[:, None]
    below = (values < estimate - 1e-12).mean(axis=1) + (values < estimate + 1e-12).mean(axis=1)
    least = 0.5 / values.shape[1]
    z0 = ndtri(np.clip(below / 2.0, least, 1.0 - least))[:, None]
    # 2. The acceleration: the skewness when each item is left out in turn.
    r = tables.shape[-1]
    one = np.eye(r * r).reshape(-1, r, r)
    without = macro_f1(np.maximum(tables[:, None] - one, 0.0))
    weight = tables.reshape(len(tables), -1)
    total = weight.sum(axis=1, keepdims=True)
    fall = (weight * without).sum(axis=1, keepdims=True) / total - without
    square = (weight * fall**2).sum(axis=1)
    cube = (weight * fall**3).sum(axis=1)
    a = np.divide(cube, 6.0 * square**1.5, out=np.zeros_like(cube), where=square > 1e-20)[:, None]
    # 3. The levels.
    z = z0 + np.array([-study.Z, study.Z])
    return np.asarray(ndtr(z0 + z / (1.0 - a * z)))


def _posterior(tables: Array, prior: float, draws: int, rng: Generator) -> Limits:
    """Return the central limits of the posterior, for a prior count in each cell."""
    found = []
    for some in _blocks(tables, draws):
        shape = (len(some), draws, *some.shape[1:])
        drawn = rng.standard_gamma(np.broadcast_to(some[:, None] + prior, shape))
        tails = np.tile(ndtr([-study.Z, study.Z]), (len(some), 1))
        found.append(_quantiles(np.sort(macro_f1(drawn), axis=1), tails))
    return _both(found)


def _wilson_combined(tables: Array) -> Limits:
    """Return Wilson's limits of each class, combined as if classes were independent.

    The distances of the limits from the estimates are added as standard errors are (MOVER, Zou
    and Donner 2008).
    """
    tp = np.diagonal(tables, axis1=1, axis2=2)
    fp = tables.sum(axis=1) - tp
    fn = tables.sum(axis=2) - tp
    each = f1ci.f1_interval(tp, fp, fn, confidence_level=study.LEVEL)
    scores = np.asarray(each.estimate)
    below = np.sqrt(((scores - np.asarray(each.low)) ** 2).sum(axis=1)) / scores.shape[1]
    above = np.sqrt(((np.asarray(each.high) - scores) ** 2).sum(axis=1)) / scores.shape[1]
    mean = scores.mean(axis=1)
    return mean - below, mean + above


def _blocks(tables: Array, draws: int) -> Iterator[Array]:
    """Return some test sets at a time, so that their resamples stay small."""
    size = max(1, _BLOCK // (draws * tables[0].size))
    return (tables[start : start + size] for start in range(0, len(tables), size))


def _quantiles(values: Array, shares: Array) -> Array:
    """Return the quantiles of sorted values (count, draws) at shares (count, 2)."""
    place = shares * (values.shape[1] - 1)
    before = np.floor(place).astype(int)
    after = np.minimum(before + 1, values.shape[1] - 1)
    low = np.take_along_axis(values, before, axis=1)
    high = np.take_along_axis(values, after, axis=1)
    return np.asarray(low + (place - before) * (high - low))


def _both(blocks: list[Array]) -> Limits:
    low, high = np.concatenate(blocks).T
    return low, high


# The border of the region


def border(counts: tuple[float, ...], z: float, directions: int) -> Array:
    """Return shares (3, directions) at which Pearson's statistic of three counts is z^2.

    From the observed shares p we go in all directions until sum p^2 / q is 1 + z^2 / N, which is
    found by bisection.
    """
    n = np.sum(counts)
    p = np.asarray(counts, float)[:, None] / n
    angle = np.linspace(0.0, 2.0 * np.pi, directions, endpoint=False)
    plane = np.array([[-1.0, 1.0, 0.0], [-1.0, -1.0, 2.0]]).T / np.sqrt([2.0, 6.0])
    way = plane @ np.array([np.cos(angle), np.sin(angle)])
    # No share may become negative.
    far = np.where(way < 0, -p / np.where(way < 0, way, 1.0), np.inf).min(axis=0)
    near = np.zeros(directions)
    for _ in range(60):
        middle = (near + far) / 2.0
        inside = (p * p / (p + middle * way)).sum(axis=0) <= 1.0 + z * z / n
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    return np.asarray(p + near * way)
