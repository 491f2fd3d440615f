r"""Score limits of any smooth metric of counts by cell.

Let n_c of N items fall into cell c of a table, and let e_c be the slope of the metric there (its
influence). Which values of the metric does Pearson's test not reject, if each value is represented
by the most likely cell probabilities q that have it? At a limit

    q_c = n_c / {N + z^2 + mu (e_c - mean of e over the items)},    sum of q_c = 1,

with one multiplier mu on each side. The slopes are those at q, so they are taken again until q
settles. For two cells this is Wilson's (1927) interval, for one Tversky score the cubic of
`f1ci.methods.closed_form`, for any function Lang's (2008) score interval.

**The line.** A table has more unknowns than a single proportion, so the statistic varies more than
a standard normal. z^2 is multiplied by 1 + sum of zeta_i^2 (1 - zeta_i^2) / (N pi_i) over the
classes i, at most by 2. zeta_i^2 is the share of class i in the variance, and pi_i its probability.
The sum over the true classes is exactly the variance to second order for the mean of recalls, that
over the predicted classes for the mean of precisions. The larger of the two counts. For other
metrics it is an approximation, whose coverage the book measures.

**The bias.** B / N = {tr(H S) - u'Hu} / 2N is subtracted from both limits. H holds the second
derivatives of the metric, S is the covariance matrix of one item, and u = q e / sigma. It matters
for averages of F scores.

**The search.** Rounds of whole steps settle quickly, or go back and forth. Then the search starts
again with short steps: a round adds `drag` times N items that are spread as q is, and lets the
multiplier grow to the double at most.

When they fail: the level holds on average over the truth, not at each truth, and less well where a
class expects fewer than three items. With many empty cells the equation can have several solutions.

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

from f1ci.types import Array

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
        How often the slopes are taken again, at most, in each of two searches.
    bias : bool
        Subtract the bias from both limits.
    largest_factor : float
        The bound of the line; 1 leaves the line out.
    few : float
        Up to how many wrong items the limits leave room; 0 leaves the room out.
    """

    rounds: int = 200
    bias: bool = True
    largest_factor: float = 2.0
    few: float = 3.0


DEFAULT = Settings()

# A table has settled when no probability moves by more, and its multiplier is not held back.
_SETTLED = 1e-7

# The drag at the start, its least value where a move turns back, and its factors after a move that
# turns back and after any other.
_DRAG, _MORE_DRAG, _LESS_DRAG = 0.25, 2.0, 0.9
_MOST_DRAG = 1024.0

# A cell asks for items if its slope times the multiplier is larger. It gets so many items.
_ASKS, _SEED = 1.001, 0.01

# Newton's steps for the multiplier in each round, and more where the sum is rough by a share of
# z^2 / N. Each round starts from the multiplier of the round before.
_NEWTON, _MORE_NEWTON, _ROUGH = 2, 20, 0.1

# Multipliers and slopes that count as the largest possible one, 1.
_POLE, _TOP = 1.0 - 1e-12, 1.0 - 1e-9

# Slopes that are smaller than this share of the largest one are rounding, as are more digits.
_ROUNDING, _DIGITS = 1e-14, 9

# Of a smaller z^2 / N a limit is the estimate and z standard errors.
_NEAR = 1e-12

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
    predicted_class: NDArray[np.intp] | None = None,
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
    predicted_class : ndarray of int, shape (K,), optional
        The predicted class of each cell. Without it the line is that of the true classes.
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
    classes = _classes(true_class, predicted_class, fixed)
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
    """The classes of the cells: sums over them, and what is random.

    Attributes
    ----------
    row : ndarray of int, shape (K,)
        The true class of each cell, from 0 to r - 1.
    order : ndarray of int
        The cells in the order of their true class and, if it is known, once more in the order of
        their predicted class.
    first : ndarray of int
        Where each class begins in that order.
    halves : list of int
        Where the true classes begin in `first`, and where the predicted classes begin.
    fixed : bool
        The numbers of items of the true classes are fixed.
    """

    row: NDArray[np.intp]
    order: NDArray[np.intp]
    first: NDArray[np.intp]
    halves: list[int]
    fixed: bool

    def by_true(self, table: Array) -> Array:
        """Return the sums over the cells of each true class, shape (r, B)."""
        return np.asarray(np.add.reduceat(table, self.first[: self.row[-1] + 1], axis=0))

    def by_each(self, table: Array) -> Array:
        """Return the sums by true class, and below them those by predicted class."""
        return np.asarray(np.add.reduceat(table.take(self.order, axis=0), self.first, axis=0))

    def centred(self, slopes: Array, q: Array) -> Array:
        """Return slopes less their mean over all items, or over those of each fixed class."""
        if not self.fixed:
            return slopes - _total(q * slopes)
        # A class without items stays without.
        size = self.by_true(q)
        mean = np.nan_to_num(self.by_true(q * slopes) / size)
        centred = slopes - mean.take(self.row, axis=0)
        return np.where((size > 0.0).take(self.row, axis=0), centred, 0.0)

    def rescaled(self, q: Array, shares: Array) -> Array:
        """Return probabilities with the class sizes of the shares, if these are fixed."""
        if not self.fixed:
            return q
        scale = np.nan_to_num(self.by_true(shares) / self.by_true(q))
        return np.asarray(q * scale.take(self.row, axis=0))

    def factor(self, e: Array, q: Array, n: Array, largest: float) -> Array:
        """Return the variance of the score statistic: 1 and the larger line, at most `largest`."""
        square = q * e * e
        total = _total(square)
        # Slopes that are only rounding give no class a share: the line is 0.
        rounding = (_ROUNDING * _largest(np.abs(e))) ** 2
        zeta2 = self.by_each(square) / np.where(total > rounding, total, np.inf)
        added = zeta2 * (1.0 - zeta2) / (n * self.by_each(q))
        # A class without probability adds nothing: 0 / 0.
        added = np.where(added > 0.0, added, 0.0)
        lines = np.add.reduceat(added, self.halves, axis=0)
        return np.asarray(np.minimum(1.0 + lines.max(axis=0), largest))


def _classes(
    true_class: NDArray[np.intp], predicted_class: NDArray[np.intp] | None, fixed: bool
) -> _Classes:
    """Return the classes of cells that are sorted by their true class."""
    by_true = np.arange(len(true_class))
    is_first = np.diff(true_class, prepend=-1) > 0
    first = np.flatnonzero(is_first)
    row = np.cumsum(is_first) - 1
    if predicted_class is None:
        return _Classes(row, by_true, first, [0], fixed)
    by_predicted = np.argsort(predicted_class, kind="stable")
    begins = np.diff(predicted_class[by_predicted], prepend=-1) > 0
    second = len(true_class) + np.flatnonzero(begins)
    order = np.concatenate([by_true, by_predicted])
    return _Classes(row, order, np.concatenate([first, second]), [0, len(first)], fixed)


@dataclass
class _Tables:
    """Tables on their way to a limit; the last axis of every array is the table.

    Attributes
    ----------
    shares, side, square, n
        The observed shares, -1 or 1, z^2 / N and N.
    q : ndarray, shape (K, B)
        The probabilities reached.
    move : ndarray, shape (K, B)
        How the last round moved q.
    s : ndarray, shape (B,)
        The multiplier, as a share of the one at which the first denominator is 0.
    tilt : ndarray, shape (B,)
        The multiplier of the last round divided by N.
    held : ndarray of bool, shape (B,)
        The multiplier was held back in the last round.
    drag : ndarray, shape (B,)
        How many items a round adds that are spread as q is, divided by N.
    """

    shares: Array
    side: Array
    square: Array
    n: Array
    q: Array
    move: Array
    s: Array
    tilt: Array
    held: NDArray[np.bool_]
    drag: Array

    def select(self, some: NDArray[np.bool_] | NDArray[np.intp]) -> _Tables:
        """Return some of the tables."""
        return _Tables(*(getattr(self, field.name)[..., some] for field in fields(self)))


def _tables(shares: Array, side: Array, square: Array, n: Array) -> _Tables:
    """Return tables at the start, where q are the observed shares."""
    none = np.zeros_like(shares)
    zero = np.zeros(len(n))
    return _Tables(shares, side, square, n, shares, none, zero, zero, zero > 0.0, zero.copy())


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
    # So near the estimate only the slopes count: 1 + z^2 / N would have no digits of z left.
    near = tables.square < _NEAR
    value = np.where(
        near, value + tables.side * np.sqrt(tables.square * _total(tables.q * e * e)), value
    )
    reached = _Reached(value, tables.q.copy(), e.copy())
    start = np.flatnonzero(np.isfinite(value) & ~near)
    # 1. In most tables whole steps settle in a few rounds.
    unsettled = _search(evaluate, tables, e, start, reached, classes, settings)
    # 2. The others start again with short steps.
    if len(unsettled):
        tables.drag[unsettled] = _DRAG
        _search(evaluate, tables, e, unsettled, reached, classes, settings)
    return estimate, reached


def _search(
    evaluate: Evaluate,
    tables: _Tables,
    e: Array,
    places: NDArray[np.intp],
    reached: _Reached,
    classes: _Classes,
    settings: Settings,
) -> NDArray[np.intp]:
    """Move the tables at some places to their limits, and return the places that gave up.

    Without drag a table gives up where a move is not half as long as the one before.
    """
    gave_up = [places[:0]]
    tables = tables.select(places)
    e = e[:, places]
    for _ in range(settings.rounds):
        if not len(places):
            break
        # 1. Solve the equation for the slopes at q, and take the slopes again.
        last = _largest(np.abs(tables.move))
        value, e = _round(evaluate, tables, e, classes, settings)
        reached.keep(places, value, tables.q, e)
        # 2. Go on with the tables that have not settled, and whose metric is defined at q. Drag
        # makes a move shorter than what is left.
        size = _largest(np.abs(tables.move))
        rough = (1.0 + tables.drag) * size > _SETTLED
        moving = np.isfinite(value) & (rough | tables.held)
        stuck = moving & (tables.drag == 0.0) & (last > 0.0) & (size > 0.5 * last)
        gave_up.append(places[stuck])
        moving &= ~stuck
        if not moving.all():
            places, tables, e = places[moving], tables.select(moving), e[:, moving]
    return np.concatenate(gave_up)


def _round(
    evaluate: Evaluate, tables: _Tables, e: Array, classes: _Classes, settings: Settings
) -> tuple[Array, Array]:
    """Move q by the slopes e, and return the values and the slopes there.

    If the metric is flat or undefined at the new q, go half of the way. If it still is, it is nan.
    """
    before = tables.q
    tables.q = classes.rescaled(_likelier(tables, e, classes, settings), tables.shares)
    value, e = _value_and_slopes(evaluate, tables, classes)
    lost = np.flatnonzero(np.isnan(value))
    if len(lost):
        tables.q[:, lost] = 0.5 * (before + tables.q)[:, lost]
        value[lost], e[:, lost] = _value_and_slopes(evaluate, tables.select(lost), classes)
    # A move that turns back went too far. More drag makes the next ones shorter.
    move = tables.q - before
    if tables.drag.any():
        turned = _total(move * tables.move) < 0.0
        more = np.clip(_MORE_DRAG * tables.drag, _DRAG, _MOST_DRAG)
        tables.drag = np.where(turned, more, _LESS_DRAG * tables.drag)
    tables.move = move
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


def _likelier(tables: _Tables, e: Array, classes: _Classes, settings: Settings) -> Array:
    """Return the solution of the equation for fixed slopes e."""
    factor = classes.factor(e, tables.q, tables.n, settings.largest_factor)
    square = factor * tables.square
    if tables.drag.any():
        return _short_step(tables, e, square)
    w, _ = _scaled(tables.side * e, tables.shares)
    kappa = 1.0 + square
    tables.s = _multiplier(tables.shares, w, kappa, tables.s)
    return _solution(tables.shares, w, kappa, tables.s)


def _short_step(tables: _Tables, e: Array, square: Array) -> Array:
    """Return the solution with the drag, and with a multiplier that grows step by step."""
    # 1. The shares with the items that the drag adds, and 1 + z^2 / N for so many items.
    whole = 1.0 + tables.drag
    p = (tables.shares + tables.drag * _spread(tables, e)) / whole
    kappa = 1.0 + square / (whole * whole)
    # 2. The multiplier that solves the equation.
    w, largest = _scaled(tables.side * e, p)
    # Slopes that are equal but for rounding stay equal, whatever the order of the classes.
    w = np.round(w, _DIGITS)
    s = _multiplier(p, w, kappa, tables.s)
    tilt = whole * kappa * s / largest
    # 3. Where it has grown too much, a smaller z^2 holds it back.
    most = _most_tilt(tables, e, square)
    tables.held = tilt > most
    held = np.flatnonzero(tables.held)
    if len(held):
        kappa[held] = 1.0 + (kappa[held] - 1.0) * (most[held] / tilt[held]) ** 2
        s[held] = _multiplier(p[:, held], w[:, held], kappa[held], s[held])
    tables.s = s
    tables.tilt = np.fmin(tilt, most)
    return _solution(p, w, kappa, s)


def _most_tilt(tables: _Tables, e: Array, square: Array) -> Array:
    """Return the largest multiplier of a round, because a long step may miss the next solution.

    It grows at first to half of what the slopes ask for, then to the double in each round.
    """
    error = np.sqrt(_total(tables.q * e * e))
    return np.where(tables.tilt > 0.0, 2.0 * tables.tilt, 0.5 * np.sqrt(square) / error)


def _spread(tables: _Tables, e: Array) -> Array:
    """Return how the drag's items are spread: as q, where they change nothing once q rests.

    A cell whose slope is too large for the few items that it has would grow slowly. It gets more.
    """
    asks = tables.tilt * tables.side * e > _ASKS
    spread = np.where(asks, np.maximum(tables.q, _SEED / tables.n), tables.q)
    return np.asarray(spread / _total(spread))


def _scaled(slopes: Array, p: Array) -> tuple[Array, Array]:
    """Return slopes less their mean over the items, divided by the largest, and the largest."""
    w = slopes - _total(p * slopes)
    largest = np.maximum(_largest(w), _TINY)
    w /= largest
    return w, largest


def _solution(p: Array, w: Array, kappa: Array, s: Array) -> Array:
    """Return the probabilities p / kappa / (1 - s w), which sum to 1."""
    q = p / (1.0 - s * w)
    total = _total(q)
    # If the sum stays below 1 up to s = 1, the largest slope belongs to empty cells only. They
    # receive what is left.
    left = np.flatnonzero((s >= _POLE) & (total < kappa))
    if not len(left):
        return np.asarray(q / total)
    rest = 1.0 - total[left] / kappa[left]
    total[left] = kappa[left]
    q /= total
    top = np.where(w[:, left] >= _TOP, 1.0, 0.0)
    q[:, left] += rest * top / _total(top)
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
    sizes = classes.by_true(q)
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
