r"""Score limits of any smooth metric of counts by cell.

Let n_c of N items fall into cell c of a table, and let e_c be the slope of the metric there (its
influence). Which values of the metric does Pearson's test not reject, if each value is represented
by the most likely cell probabilities q that have it? At a limit

    q_c = n_c / {N + z^2 + mu (e_c - mean of e over the items)},    sum of q_c = 1,

with one multiplier mu on each side. The slopes are those at q, so they are taken again until q
settles. For two cells this is Wilson's (1927) interval, for one Tversky score the cubic of
`f1ci.methods.closed_form`, for any function Lang's (2008) score interval.

**The line.** A table has more unknowns than a single proportion, so the statistic varies more than
a standard normal. z^2 is multiplied by 1 + sum of zeta_i^2 (1 - zeta_i^2) / (N pi_i) over the true
classes i, at most by 2. zeta_i^2 is the share of class i in the variance, and pi_i its probability.
For the mean of recalls this is the variance to second order, exactly. For other metrics it is an
approximation, whose coverage the book measures.

**The bias.** B / N = {tr(H S) - u'Hu} / 2N is taken from both limits. H holds the second
derivatives of the metric, S is the covariance matrix of one item, and u = q e / sigma. It matters
for averages of F scores.

When they fail: the level holds on average over the truth, not at each truth, and less well where a
class expects fewer than three items.

These are kernels: arrays have the cells first and a batch of tables last, shape (K, B), and nothing
is checked. The book's chapter "Score intervals for every metric" derives all formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from f1ci.results import Array

__all__ = ["DEFAULT", "Settings", "score_limits"]

# Cell probabilities (K, B) -> values (B,) and slopes (K, B), up to a constant for each table.
Evaluate: TypeAlias = Callable[[Array], tuple[Array, Array]]
# Cell probabilities (K, B) -> tr(H S), shape (B,).
Trace: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True)
class Settings:
    """The parts of the algorithm, for studies that change or leave out one of them.

    Attributes
    ----------
    rounds : int
        How often the slopes are taken again, at most.
    bias : bool
        Take the bias from both limits.
    largest_factor : float
        The bound of the line; 1 leaves the line out.
    few : float
        Up to how many wrong items the limits leave room; 0 leaves the room out.
    """

    rounds: int = 40
    bias: bool = True
    largest_factor: float = 2.0
    few: float = 3.0


DEFAULT = Settings()

# A table has settled when no probability moves by more. The next move is smaller still, and the
# value changes by the square of it.
_SETTLED = 1e-7

# Newton's steps for the multiplier in each round, and more where the sum is rough by a share of
# z^2 / N. Each round starts from the multiplier of the round before.
_NEWTON, _MORE_NEWTON, _ROUGH = 2, 20, 0.1

# Multipliers and slopes that count as the largest possible one, 1.
_POLE, _TOP = 1.0 - 1e-12, 1.0 - 1e-9

# A metric is flat where all slopes to one side are smaller than this share of the largest slope.
_FLAT = 1e-9

_STEP = 1e-5  # of difference quotients, relative to what is moved

# Tables are worked on in blocks of about so many numbers, which stay in the processor's cache.
BLOCK = 24_000

_TINY = 1e-300


def score_limits(
    evaluate: Evaluate,
    counts: Array,
    true_class: NDArray[np.intp],
    z: Array | float,
    *,
    trace: Trace | None = None,
    fixed: bool = False,
    settings: Settings = DEFAULT,
) -> tuple[Array, Array]:
    """Return the lower and the upper limits of a metric, without room for rare errors.

    Parameters
    ----------
    evaluate : callable
        Takes probabilities of shape (K, B); returns the metric, shape (B,), and its slopes by cell.
    counts : ndarray, shape (K, B)
        The counts by cell. The cells are sorted by their true class.
    true_class : ndarray of int, shape (K,)
        The true class of each cell.
    z : float or ndarray, shape (B,)
        The two-sided normal quantile of the level.
    trace : callable, optional
        Takes probabilities; returns tr(H S), from which the bias is computed. Without it no bias is
        taken from the limits.
    fixed : bool, optional
        The numbers of items of the true classes are fixed, and not random.
    settings : Settings, optional
        Parts of the algorithm that are changed or left out.

    Returns
    -------
    tuple of ndarray, shape (B,)
        Limits on both sides of the estimate. They are nan where the metric is undefined, and where
        it is flat or undefined at the probabilities of the limit: then any value may be true.
    """
    is_first = np.diff(true_class, prepend=-1) > 0
    classes = _Classes(np.flatnonzero(is_first), np.cumsum(is_first) - 1, fixed)
    tables = counts.shape[1]
    z = np.broadcast_to(z, tables)
    quantiles = np.concatenate([-z, z])
    ends = np.empty(2 * tables)
    size = max(1, BLOCK // len(counts) - 4)  # few wide tables are faster one by one
    for start in range(0, 2 * tables, size):
        block = np.arange(start, min(start + size, 2 * tables))
        n_c = counts.take(block % tables, axis=1)
        with np.errstate(all="ignore"):
            ends[block] = _one_side(evaluate, n_c, quantiles[block], classes, trace, settings)
    return ends[:tables], ends[tables:]


def _one_side(
    evaluate: Evaluate,
    counts: Array,
    quantile: Array,
    classes: _Classes,
    trace: Trace | None,
    settings: Settings,
) -> Array:
    """Return lower limits for negative quantiles, upper limits for positive ones."""
    n = counts.sum(axis=0)
    side = np.copysign(1.0, quantile)
    tables = _tables(counts / n, side, quantile * quantile / n, n)
    estimate, reached = _most_likely(evaluate, tables, classes, settings)
    limit = reached.value
    if trace is not None and settings.bias:
        trace_there = trace(reached.q)
        if classes.fixed:
            trace_there = trace_there - _trace_between(evaluate, reached.q, classes)
        shift = _bias(evaluate, reached.q, reached.e, trace_there) / n
        limit = limit - np.where(np.isfinite(shift), shift, 0.0)
    # A limit never passes the estimate.
    return side * np.maximum(side * limit, side * estimate)


@dataclass(frozen=True)
class _Classes:
    """The true classes of the cells: sums over them, and what is random.

    Attributes
    ----------
    first : ndarray of int, shape (r,)
        The first cell of each class.
    row : ndarray of int, shape (K,)
        The class of each cell, from 0 to r - 1.
    fixed : bool
        The numbers of items of the classes are fixed.
    """

    first: NDArray[np.intp]
    row: NDArray[np.intp]
    fixed: bool

    def sums(self, table: Array) -> Array:
        """Return the sums over the cells of each class, shape (r, B)."""
        return np.asarray(np.add.reduceat(table, self.first, axis=0))

    def centred(self, slopes: Array, q: Array) -> Array:
        """Return slopes less their mean over all items, or over those of each fixed class."""
        if not self.fixed:
            return slopes - _total(q * slopes)
        mean = np.nan_to_num(self.sums(q * slopes) / self.sums(q))
        return np.asarray(slopes - mean.take(self.row, axis=0))

    def rescaled(self, q: Array, shares: Array) -> Array:
        """Return probabilities with the class sizes of the shares, if these are fixed."""
        if not self.fixed:
            return q
        scale = np.nan_to_num(self.sums(shares) / self.sums(q))
        return np.asarray(q * scale.take(self.row, axis=0))

    def factor(self, e: Array, q: Array, n: Array, largest: float) -> Array:
        """Return the line: the variance of the score statistic, at most the largest factor."""
        by_class = self.sums(q * e * e)
        zeta2 = by_class / by_class.sum(axis=0)
        added = zeta2 * (1.0 - zeta2) / (n * self.sums(q))
        # A class without probability adds nothing: 0 / 0.
        line = 1.0 + np.where(added > 0.0, added, 0.0).sum(axis=0)
        return np.asarray(np.minimum(line, largest))


@dataclass
class _Tables:
    """Tables on their way to a limit; the last axis of every array is the table.

    Attributes
    ----------
    shares, side, square, n
        The observed shares, -1 or 1, z^2 / N and N.
    q : ndarray, shape (K, B)
        The probabilities reached.
    empty : ndarray, shape (K, B)
        How empty cells share what has no place elsewhere.
    s : ndarray, shape (B,)
        The multiplier, as a share of the one at which the first denominator is 0.
    move : ndarray, shape (B,)
        The largest move of the last round.
    late : ndarray, shape (B,)
        In how many rounds the largest move has not halved.
    """

    shares: Array
    side: Array
    square: Array
    n: Array
    q: Array
    empty: Array
    s: Array
    move: Array
    late: Array

    def select(self, some: NDArray[np.bool_] | NDArray[np.intp]) -> _Tables:
        """Return some of the tables."""
        return _Tables(*(getattr(self, field.name)[..., some] for field in fields(self)))


def _tables(shares: Array, side: Array, square: Array, n: Array) -> _Tables:
    """Return tables at the start, where q are the observed shares."""
    zero = np.zeros(len(n))
    far = np.full(len(n), np.inf)
    return _Tables(shares, side, square, n, shares, np.zeros_like(shares), zero, far, zero)


@dataclass
class _Reached:
    """Probabilities that tables have reached, the metric there, and its centred slopes."""

    value: Array
    q: Array
    e: Array

    def keep(self, places: NDArray[np.intp], value: Array, q: Array, e: Array) -> None:
        """Keep what the tables at some places have reached."""
        self.value[places] = value
        self.q[:, places] = q
        self.e[:, places] = e


def _most_likely(
    evaluate: Evaluate, tables: _Tables, classes: _Classes, settings: Settings
) -> tuple[Array, _Reached]:
    """Return estimates, and the most likely probabilities at the limits."""
    estimate, slopes = _first_slopes(evaluate, tables)
    e = classes.centred(slopes, tables.q)
    value = _unless_flat(estimate, e, tables.side)
    reached = _Reached(value, tables.q.copy(), e.copy())
    places = np.arange(len(tables.n))
    moving = np.isfinite(value)
    for _ in range(settings.rounds):
        # 1. Go on with the tables that have not settled, and whose metric is defined at q.
        if not moving.any():
            break
        if not moving.all():
            places, tables, e = places[moving], tables.select(moving), e[:, moving]
        # 2. Solve the equation for the slopes at q, and take the slopes again.
        value, e = _round(evaluate, tables, e, classes, settings)
        reached.keep(places, value, tables.q, e)
        moving = np.isfinite(value) & (tables.move > _SETTLED)
    return estimate, reached


def _round(
    evaluate: Evaluate, tables: _Tables, e: Array, classes: _Classes, settings: Settings
) -> tuple[Array, Array]:
    """Move q by the slopes e, and return the values and the slopes there.

    If the metric is flat or undefined at the new q, go half of the way. If it still is, it is nan.
    """
    before = tables.q
    _move(tables, e, classes, settings)
    value, e = _value_and_slopes(evaluate, tables, classes)
    lost = np.flatnonzero(np.isnan(value))
    if len(lost):
        tables.q[:, lost] = 0.5 * (before + tables.q)[:, lost]
        value[lost], e[:, lost] = _value_and_slopes(evaluate, tables.select(lost), classes)
    return value, e


def _value_and_slopes(
    evaluate: Evaluate, tables: _Tables, classes: _Classes
) -> tuple[Array, Array]:
    """Return the values, nan where the metric is flat or undefined, and the centred slopes at q."""
    value, slopes = evaluate(tables.q)
    e = classes.centred(slopes, tables.q)
    return _unless_flat(value, e, tables.side), e


def _unless_flat(value: Array, e: Array, side: Array) -> Array:
    """Return values, nan where no cell leads further out: there the slopes are only rounding."""
    flat = _largest(side * e) <= _FLAT * _largest(np.abs(e))
    return np.where(flat, np.nan, value)


def _first_slopes(evaluate: Evaluate, tables: _Tables) -> tuple[Array, Array]:
    """Return the estimates and the slopes at the observed shares.

    Where the metric has no slopes they are those with one more item, spread evenly.
    """
    estimate, slopes = evaluate(tables.q)
    flat = np.flatnonzero(np.isfinite(estimate) & (np.ptp(slopes, axis=0) == 0.0))
    if len(flat):
        slopes[:, flat] = evaluate(_one_item_more(tables.select(flat)))[1]
    return estimate, slopes


def _one_item_more(tables: _Tables) -> Array:
    """Return the shares with one more item, spread evenly over the cells."""
    share = 1.0 / len(tables.q)
    return np.asarray((tables.n * tables.q + share) / (tables.n + 1.0))


def _move(tables: _Tables, e: Array, classes: _Classes, settings: Settings) -> None:
    """Move q to the solution for the slopes e, or less far if the moves do not get smaller."""
    factor = classes.factor(e, tables.q, tables.n, settings.largest_factor)
    new = _shifted(tables, tables.side * e, 1.0 + factor * tables.square)
    move = classes.rescaled(new, tables.shares) - tables.q
    size = _largest(np.abs(move))
    tables.q = tables.q + move * (3.0 / (3.0 + tables.late))
    tables.late = tables.late + (size > 0.5 * tables.move)
    tables.move = size


def _shifted(tables: _Tables, e: Array, kappa: Array) -> Array:
    """Return the solution of the equation for fixed slopes: items move towards larger slopes.

    kappa is 1 + z^2 / N. The multiplier and the shares of the empty cells are kept for next time.
    """
    p = tables.shares
    # 1. With w, the slopes less their mean over the items and divided by the largest of them, the
    # equation reads q = p / kappa / (1 - s w), 0 < s < 1.
    w = e - _total(p * e)
    w /= np.maximum(_largest(w), _TINY)
    s = _multiplier(p, w, kappa, tables.s)
    tables.s = s
    q = p / (1.0 - s * w)
    total = _total(q)
    # 2. If the sum stays below 1 up to s = 1, the largest slope belongs to empty cells only. They
    # receive what is left.
    left = np.flatnonzero((s >= _POLE) & (total < kappa))
    if not len(left):
        return np.asarray(q / total)
    rest = 1.0 - total[left] / kappa[left]
    total[left] = kappa[left]
    q /= total
    q[:, left] += rest * _turns(tables, w, left)
    return np.asarray(q)


def _multiplier(p: Array, w: Array, kappa: Array, s: Array) -> Array:
    """Return the root s of: sum of p / (1 - s w) = kappa, or almost 1 if it is larger.

    The search starts from s; in the first round, where s is 0, from the root for small moves.
    """
    if not s.any():
        s = np.sqrt((kappa - 1.0) / np.maximum(_total(p * w * w), _TINY))
        s = np.minimum(np.where(s < 0.9, s, 1.0 - 0.09 / s), _POLE)
    # Newton's steps: two for all tables, more where the last one was long.
    for _ in range(_NEWTON):
        s, total = _newton_step(p, w, kappa, s)
    for _ in range(_MORE_NEWTON):
        rough = np.abs(total - kappa) > _ROUGH * (kappa - 1.0)
        if not rough.any():
            break
        s[rough], total[rough] = _newton_step(p[:, rough], w[:, rough], kappa[rough], s[rough])
    return s


def _newton_step(p: Array, w: Array, kappa: Array, s: Array) -> tuple[Array, Array]:
    """Return a better root s of 1 / sum of p / (1 - s w) = 1 / kappa, and the sum before.

    The left side is concave and falls, so steps converge from the right.
    """
    factor = 1.0 - s * w
    q = p / factor
    total = _total(q)
    slope = (_total(q / factor) - total) / s
    s = s + total * (1.0 - total / kappa) / np.maximum(slope, _TINY)
    over = np.flatnonzero(s >= 1.0)
    if len(over):
        # No share is above 1. For the largest slopes that means s < 1 - p / kappa.
        top = _total(np.where(w[:, over] >= _TOP, p[:, over], 0.0))
        s[over] = 1.0 - top / kappa[over]
    return np.clip(s, 1e-12, _POLE), total


def _turns(tables: _Tables, w: Array, some: NDArray[np.intp]) -> Array:
    """Return how cells with the largest slope share what is left.

    They may take turns from round to round. So the mean over the rounds counts.
    """
    top = np.where(w[:, some] >= _TOP, 1.0, 0.0)
    top /= _total(top)
    before = tables.empty[:, some]
    part = np.where(before.any(axis=0), 1.0 / (1.0 + tables.late[some]), 1.0)
    tables.empty[:, some] = before + part * (top - before)
    return np.asarray(tables.empty[:, some])


def _bias(evaluate: Evaluate, q: Array, e: Array, trace: Array) -> Array:
    """Return N times the bias, B = {tr(H S) - u'Hu} / 2, from the centred slopes e at q."""
    sigma = np.sqrt(_total(q * e * e))
    u = q * e / sigma
    # u'Hu is the change of the slopes along u.
    step = _STEP / np.maximum(_largest(np.abs(e)) / sigma, 1.0)
    change = evaluate(q + step * u)[1] - e
    curve = _total(u * change) / step
    return 0.5 * (trace - curve)


def _trace_between(evaluate: Evaluate, q: Array, classes: _Classes) -> Array:
    """Return tr(H S) of the part of S that class sizes give, which is absent if these are fixed.

    It is the sum over the classes of their size times d'H d, where d leads from all items to those
    of the class.
    """
    slopes = evaluate(q)[1]
    sizes = classes.sums(q)
    trace = np.zeros(q.shape[1])
    for k, size in enumerate(sizes):
        own = np.where((classes.row == k)[:, None], q, 0.0) / np.maximum(size, _TINY)
        direction = np.where(size > 0.0, own - q, 0.0)
        change = evaluate(q + _STEP * direction)[1] - slopes
        trace += size * _total(direction * change) / _STEP
    return trace


def _total(table: Array) -> Array:
    """Return the sums over the cells: for few tables far faster than numpy's own sum."""
    return np.asarray(_ones(len(table)) @ table)


@lru_cache(maxsize=16)
def _ones(n: int) -> Array:
    return np.ones(n)


def _largest(table: Array) -> Array:
    """Return the largest number of each column: of few columns faster than numpy's own maximum."""
    few = table.shape[1] < 20
    return np.maximum.reduceat(table, [0], axis=0)[0] if few else np.asarray(table.max(axis=0))
