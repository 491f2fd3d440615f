r"""Score limits of any smooth metric: its range over tables that Pearson's test does not reject.

Let p_c be the share of N items that fall into cell c of a table. Pearson's test does not reject the
probabilities q exactly if

    sum over c of p_c^2 / q_c <= 1 + h,        h = z^2 / N.

These q form a convex region that contains p and grows with z. The limits are the smallest and the
largest value of the metric in it, so they contain the estimate and widen with the level. For two
cells, and so for F1, they are Wilson's (1927).

**The variance factor.** A table has more unknowns than a proportion, so that the least X^2 at the
true value is not quite a chi-square variable. Let e_c be the slope of the metric by cell c (its
influence) in units of its standard deviation, pi_i the share of class i and zeta_i^2 the class's
share in the variance. The signed root of the least X^2 has, to second order, the variance

    1 + L - 3 V / 4,    L = sum of zeta_i^2 (1 - zeta_i^2) / (N pi_i),    V = (m4 - 1 - m3^2) / N

for the mean of recalls, with the moments m3 and m4 of e. We multiply z^2 by it if it is above 1,
for every metric, with the larger L of the true and of the predicted classes.

**The search.** Along slopes e the furthest point of the region is q_c = p_c / sqrt(nu - e_c),
scaled to sum to 1, with one unknown nu. A round goes there, but in a smaller convex region that
contains the last point k: sum of (p_c^2 + d k_c^2) / q_c <= 1 + h + d. It lies in the region,
because the sum of k_c^2 / q_c is at least 1, and has the same points of rest. The *damping* d grows
after a step that brought less than its slopes had promised. The search ends when they
promise nothing more.

When they fail: the level holds on average over the truth, not at each truth, and less well where a
class expects fewer than three items (book, chapter "Score intervals for every metric"). Kappa and
MCC of a dozen items may have several local extremes, of which the search finds one.

These are kernels: arrays have the cells first and a batch of tables last, shape (K, B), and nothing
is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci.types import Array, FloatOrArray

__all__ = ["score_limits", "variance_factor"]

# Probabilities (K, B) -> the values (B,) and the slopes by cell (K, B), up to a constant.
Evaluate: TypeAlias = Callable[[Array], tuple[Array, Array]]

# The search starts where this share of the allowed h spreads items over all cells.
_SPREAD = 0.8

# The damping at first and at least; its factors after a step that brought more than the first share
# of its promise, and after one that brought less than the second. Few factors keep the way of a
# long search the same whatever the rounding.
_FIRST_DAMPING, _LEAST_DAMPING = 10.0, 0.001
_LESS_DAMPING, _MORE_DAMPING = 0.25, 4.0
_KEPT, _BROKEN = 0.75, 0.25

# The search ends when the slopes promise less than this share of the way from the estimate.
_PROMISE, _ROUNDS = 1e-7, 500

# Newton's steps for nu end where h is met to this share, or to the rounding of a sum over cells.
_STEPS, _NEAR, _ROUNDING = 100, 1e-9, 1e-15

# A smaller h is lost in 1 + h. The way from the estimate is that of this h, scaled by the root.
_SMALLEST_H = 1e-12

# The largest factor on z^2.
_LARGEST_FACTOR = 2.0

# Tables are worked on in blocks of about so many numbers, which stay in the processor's cache.
_BLOCK = 24_000

_TINY = 1e-300


def score_limits(evaluate: Evaluate, counts: Array, z: FloatOrArray) -> tuple[Array, Array]:
    """Return the smallest and the largest value of a metric in Pearson's region.

    Parameters
    ----------
    evaluate : callable
        Takes probabilities of shape (K, B), all positive; returns the metric, shape (B,), and its
        slopes by cell.
    counts : ndarray, shape (K, B)
        The counts by cell.
    z : float or ndarray, shape (..., B)
        The two-sided normal quantile of the level.

    Returns
    -------
    tuple of ndarray, shape (..., B)
        The limits; nan where the metric is undefined in the middle of the region.
    """
    tables = counts.shape[1]
    n = counts.sum(axis=0)
    h = np.broadcast_to(z, np.broadcast_shapes(np.shape(z), n.shape)) ** 2 / n
    every = h.ravel()
    limits = np.empty((2, every.size))
    size = max(1, _BLOCK // (2 * len(counts)))
    for start in range(0, every.size, size):
        block = slice(start, start + size)
        table = np.arange(every.size)[block] % tables
        p = counts[:, table] / n[table]
        with np.errstate(all="ignore"):
            limits[:, block] = _both_ends(evaluate, p, every[block])
    low, high = limits.reshape(2, *h.shape)
    return low, high


def variance_factor(p: Array, e: Array, n: Array, classes: Iterable[tuple[Array, Array]]) -> Array:
    """Return the factor on z^2, from 1 to 2; 2 where a slope is not finite.

    Parameters
    ----------
    p, e : ndarray, shape (K, ...)
        The observed shares by cell, and the slopes of the metric there, whose mean is 0.
    n : ndarray, shape (...)
        The number of items.
    classes : iterable of pairs of ndarray, shape (classes, ...)
        For the true and for the predicted classes: the share of each class, and its sum of p e^2.
    """
    with np.errstate(all="ignore"):
        square = (p * e * e).sum(axis=0)
        m3 = (p * e**3).sum(axis=0) / square**1.5
        m4 = (p * e**4).sum(axis=0) / square**2
        added = np.zeros_like(square)
        for share, part in classes:
            zeta2 = part / square
            line = np.where(share > 0.0, zeta2 * (1.0 - zeta2) / share, 0.0).sum(axis=0)
            added = np.fmax(added, line - 0.75 * (m4 - 1.0 - m3 * m3))
        return np.asarray(np.fmin(1.0 + added / n, _LARGEST_FACTOR))


def _both_ends(evaluate: Evaluate, p: Array, h: Array) -> Array:
    """Return the smallest and the largest values, shape (2, B), for shares p and h = z^2 / N."""
    side = np.repeat([-1.0, 1.0], len(h))
    p = np.tile(p, 2)
    h = np.tile(h, 2)
    reached = np.maximum(h, _SMALLEST_H)
    estimate = evaluate(p)[0]
    end = side * _furthest_value(evaluate, p, reached, side, side * np.nan_to_num(estimate))
    nearer = estimate + (end - estimate) * np.sqrt(h / reached)
    return np.where((h < _SMALLEST_H) & np.isfinite(estimate), nearer, end).reshape(2, -1)


class _Search(NamedTuple):
    """How far the search has come, in a batch of tables. Values and slopes are times the side."""

    p: Array  # the observed shares
    h: Array  # the size of the region
    side: Array  # 1 for the largest value, -1 for the smallest
    estimate: Array
    k: Array  # the last point
    value: Array  # there
    e: Array  # the slopes there
    damping: Array


def _furthest_value(evaluate: Evaluate, p: Array, h: Array, side: Array, estimate: Array) -> Array:
    """Return the largest value in the region, times the side."""
    # 1. Start where no cell is empty.
    k = _middle(p, h)
    value, e = (side * x for x in evaluate(k))
    search = _Search(p, h, side, estimate, k, value, e, np.full_like(h, _FIRST_DAMPING))
    places = np.arange(len(h))
    reached = np.empty_like(h)
    for _ in range(_ROUNDS):
        # 2. A round, and what it has reached.
        search, on = _round(evaluate, search)
        reached[places] = search.value
        # 3. Go on with the tables that have a way to go.
        if not on.any():
            break
        if not on.all():
            places = places[on]
            search = _Search(*(x[..., on] for x in search))
    return reached


def _round(evaluate: Evaluate, at: _Search) -> tuple[_Search, NDArray[np.bool_]]:
    """Return the search after one round, and where it has a way to go."""
    # 1. Look at the furthest point of the smaller region. Straight slopes promise this gain.
    weight = np.hypot(at.p, np.sqrt(at.damping) * at.k)
    q = _furthest(weight, at.e, 1.0 + at.h + at.damping, at.h)
    promise = _total(at.e * (q - at.k))
    value, e = (at.side * x for x in evaluate(q))
    gain = value - at.value
    # 2. Go there if it is further out. A value that is nan is not.
    further = gain >= -_ROUNDING
    after = at._replace(
        k=np.where(further, q, at.k),
        value=np.where(further, value, at.value),
        e=np.where(further, e, at.e),
        damping=_next_damping(at.damping, gain, promise),
    )
    # 3. The search ends where the slopes promise hardly more.
    least = _PROMISE * np.abs(after.value - at.estimate) + _ROUNDING
    return after, (1.0 + at.damping) * promise > least


def _next_damping(damping: Array, gain: Array, promise: Array) -> Array:
    """Return less damping where a step kept its promise, and more where it brought little."""
    other = np.where(gain > _BROKEN * promise, 1.0, _MORE_DAMPING)
    factor = np.where(gain > _KEPT * promise, _LESS_DAMPING, other)
    return np.asarray(np.maximum(factor * damping, _LEAST_DAMPING))


def _middle(p: Array, h: Array) -> Array:
    """Return a table in the middle of the region, in which no cell is empty.

    A table that is symmetric in two classes would rest between two extremes, so no two cells get
    quite the same.
    """
    spread = np.linspace(0.99, 1.01, len(p))[:, None] / len(p)
    return (p + _SPREAD * h * spread) / (1.0 + _SPREAD * h)


def _furthest(a: Array, e: Array, kappa: Array, h: Array) -> Array:
    """Return the q with sum of a^2 / q = kappa at which the sum of e q is largest.

    It is q = a / sqrt(nu - e), scaled. With A and B the sums of a / sqrt(nu - e) and of
    a sqrt(nu - e), A B must be kappa. The logarithm of A B is convex and falls in nu, so that a
    step of Newton's method ends left of the root, and all steps after it move right.
    """
    # 1. u is nu less the largest slope, in units of the range d of the slopes.
    d = e.max(axis=0) - e
    d /= np.maximum(d.max(axis=0), _TINY)
    # 2. A place left of the root: A exceeds its part where d is 0, and B its value at u = 0.
    top = _total(np.where(d == 0.0, a, 0.0))
    least = (top * _total(a * np.sqrt(d)) / kappa) ** 2
    # 3. Newton's steps.
    u = _root_if_small(a, d, kappa)
    near = _NEAR * h + _ROUNDING * np.sqrt(len(a))
    for _ in range(_STEPS):
        u = np.maximum(u, least)
        f, slope = _excess(u, a, d, kappa)
        on = ~(np.abs(f) <= near)
        if not on.any():
            break
        u = np.where(on, u - f / slope, u)
    q = a / np.sqrt(u + d)
    return np.asarray(q / _total(q))


def _excess(u: Array, a: Array, d: Array, kappa: Array) -> tuple[Array, Array]:
    """Return the logarithm f of A B / kappa at u, and the slope of f."""
    s = u + d
    root = np.sqrt(s)
    q = a / root
    A = _total(q)
    B = _total(a * root)
    return np.log(A * B / kappa), 0.5 * (A / B - _total(q / s) / A)


def _root_if_small(a: Array, d: Array, kappa: Array) -> Array:
    """Return the root u if the region is small: A B is S^2 (1 + (variance of d) / 4 u^2) there."""
    S = _total(a)
    mean = _total(a * d) / S
    variance = _total(a * (d - mean) ** 2) / S
    return np.asarray(0.5 * S * np.sqrt(variance / np.maximum(kappa - S * S, _TINY)) - mean)


def _total(table: Array) -> Array:
    """Return the sums over the cells; for few tables this is far faster than numpy's own sum."""
    return np.asarray(_ones(len(table)) @ table)


@lru_cache(maxsize=16)
def _ones(n: int) -> Array:
    return np.ones(n)
