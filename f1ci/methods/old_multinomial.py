r"""Score limits of any smooth metric of counts by cell.

Wilson (1927) asks which values of a proportion a test with the standard error *under that value*
does not reject. The same question has an answer for every smooth function of the probabilities of
a table. Let n_c of N items fall into cell c, and let e_c be the slope of the metric there (its
influence). Pearson's statistic of the most likely probabilities q that give the metric a certain
value is z^2 where

    q_c = n_c / {N + z^2 + m (e_c - mean of e over the items)},    sum of q_c = 1.

One multiplier m on each side solves this. The slopes are those at q, so they are taken again until
q settles. For two cells this is Wilson's interval, for a Tversky score the cubic of `f1ci.methods.
score`, for any function Lang's (2008) score interval.

Two terms of second order follow (the book's chapter on score intervals has the derivation). Under
its constraint q differs from the true probabilities by a random vector v at right angles to the
influence. With H the second derivatives of the metric, the score statistic then has the mean
E(v' H v) / 2, which is taken from both limits, and the variance

    1 - {tr(H V H V) / 2 + C} / (variance of the metric),

V the covariance matrix of v and C the third cumulant E(L v' H v), L the linear part of the metric;
z^2 is multiplied by it. Both vanish for a single proportion.

Use them for averages, differences, kappa, Matthews' correlation and metrics of your own. They hold
the level on average over the truth, not at each truth.

These are kernels: arrays have the cells first and a batch of tables last, shape (K, B), and
nothing is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from f1ci.results import Array

__all__ = ["SecondOrder", "combined", "limits", "second_order", "settled"]

# Cell probabilities (K, B) -> values (B,) and slopes (K, B), up to a constant for each table.
Evaluate: TypeAlias = Callable[[Array], tuple[Array, Array]]
# The same -> N times the bias, and N times the excess of the variance over 1.
SecondOrder: TypeAlias = Callable[[Array], tuple[Array, Array]]
# Probabilities, and shares whose class sizes they are to have -> probabilities.
Rescaled: TypeAlias = Callable[[Array, Array], Array]

# Rounds in which the slopes are taken again. From round `_FIRST` on, when the variance is known,
# tables that do not come to rest are moved less and less: with empty cells whole steps may go back
# and forth for ever.
_FIRST, _ROUNDS = 5, 40

# z^2 of the level .95. The variance is taken there whatever the level: then limits widen with it.
_USUAL = 1.959963984540054**2

# Newton's steps for the multiplier, which each round starts from the one before.
_NEWTON = 2

# A table is at rest when no probability moves by more. The value is largest at the solution, so
# its own error is of the order of the square.
_REST = 1e-8

# How far the variance of the statistic may be from 1: tables of a few items promise anything.
_LEAST, _MOST = 0.5, 4.0

_STEP = 1e-5  # of a difference quotient, as a share of the items of the cell

# Tables are worked on in blocks of about so many numbers, which stay in the processor's cache.
BLOCK = 24_000


def limits(
    counts: Array,
    evaluate: Evaluate,
    z: Array | float,
    derivatives: SecondOrder | None = None,
    rescaled: Rescaled | None = None,
) -> tuple[Array, Array]:
    """Return the lower and the upper limits of a metric, from counts of shape (K, B).

    `derivatives` gives the terms of second order in closed form, where there is one. The limits
    are nan where the metric is.
    """
    of_second_order = derivatives or partial(second_order, evaluate=evaluate)
    z = np.broadcast_to(z, counts.shape[1:])
    ends, z = np.empty(2 * len(z)), np.concatenate([-z, z])
    size = max(1, BLOCK // len(counts) - 4)  # few wide tables are faster one by one
    for start in range(0, len(ends), size):
        places = np.arange(start, min(start + size, len(ends)))
        table, side = counts.take(places % counts.shape[1], axis=1), np.copysign(1.0, z[places])
        n = table.sum(axis=0)
        with np.errstate(all="ignore"):
            shares, square = table / n, np.square(z[places]) / n
            q = settled(shares, evaluate, side, square, n, of_second_order, rescaled)
            # The bias is taken from the value reached; a limit never passes the estimate.
            value, bias = evaluate(q)[0], of_second_order(q)[0] / n
            end = side * (value - np.where(np.isfinite(bias), bias, 0.0))
            ends[places] = side * np.fmax(end, side * evaluate(shares)[0])
    low, high = np.split(ends, 2)
    return low, high


def settled(
    shares: Array,
    evaluate: Evaluate,
    side: Array,
    square: Array,
    n: Array | float = 1.0,
    of_second_order: SecondOrder | None = None,
    rescaled: Rescaled | None = None,
) -> Array:
    """Return the cell probabilities at a limit: the lower one for side -1, the upper for 1.

    `square` is z^2 / N. With `of_second_order` it is multiplied by the variance of the statistic,
    which is taken at the limit of the level .95.
    Where the metric is undefined at some q, the q before counts. `rescaled` scales probabilities to
    class sizes that are fixed.
    """
    reached, columns = shares.copy(), np.arange(shares.shape[1])
    q = before = shares
    target, late, scale = np.zeros_like(shares), np.zeros(len(columns)), np.zeros(len(columns))
    last, n = np.full(len(columns), np.inf), np.broadcast_to(n, len(columns))
    for step in range(_ROUNDS + 1):
        # 1. Take the slopes at q. Tables that are at rest, or undefined, are done.
        value, slopes = evaluate(q)
        defined = np.isfinite(value)
        moving = defined & (last > _REST) & (step < _ROUNDS)
        if np.count_nonzero(moving) < 0.8 * len(columns):
            reached[:, columns] = np.where(defined, q, before)
            columns = columns[moving]
            tables = (q, shares, slopes, target)
            q, shares, slopes, target = (x[:, moving] for x in tables)
            rows = (side, square, scale, late, last, n)
            side, square, scale, late, last, n = (x[moving] for x in rows)
        if not len(columns):
            break
        # 2. Once q has settled roughly, take the variance there.
        if step == _FIRST and of_second_order is not None:
            variance = 1.0 + of_second_order(q)[1] / n
            variance = np.where(np.isfinite(variance), variance, 1.0)
            square = square * np.clip(variance, _LEAST, _MOST)
        # 3. Shift items.
        slopes *= side
        allowed = square if of_second_order is None or step >= _FIRST else _USUAL / n
        move, scale = _shifted(shares, slopes, 1.0 + allowed, scale, target, late)
        if rescaled is not None:
            move = rescaled(move, shares)
        move -= q
        size = largest(np.abs(move))
        # 4. A table that does not come to rest is moved less from round to round.
        move *= 3.0 / (3.0 + late)
        before, q = q, np.add(q, move, out=move)
        late = late + ((step > _FIRST) & (size > 0.5 * last))
        last = size if step >= _FIRST else last
    return reached


def _shifted(
    shares: Array, slopes: Array, kappa: Array, scale: Array, target: Array, late: Array
) -> tuple[Array, Array]:
    """Shift items towards larger slopes, until Pearson's statistic allows no more.

    Returns the probabilities, and the multiplier to start from next time. `target` says how empty
    cells share what has no place elsewhere; it is updated.
    """
    # 1. Slopes less their mean, in units of the largest: q_c = p_c / kappa / (1 - s w_c).
    slopes -= summed(shares * slopes)
    most = largest(slopes)
    slopes /= np.where(most > 0.0, most, 1.0)
    w = slopes
    # 2. Newton's method for 1 / (sum of p / (1 - s w)) = 1 / kappa, concave in s.
    if not scale.any():
        scale = np.sqrt((kappa - 1.0) / np.maximum(summed(shares * w * w), 1e-300))
        scale = np.where(scale < 0.9, scale, 1.0 - 0.09 / scale)
    factor, q = np.empty_like(w), np.empty_like(w)
    for newton in range(_NEWTON + 1):
        scale = np.clip(scale, 1e-12, 1.0 - 1e-12)
        np.multiply(w, -scale, out=factor)
        factor += 1.0
        np.divide(shares, factor, out=q)
        total = summed(q)
        if newton < _NEWTON:
            slope = (summed(np.divide(q, factor, out=factor)) - total) / scale
            ahead = scale + total * (1.0 - total / kappa) / np.maximum(slope, 1e-300)
            scale = np.where(ahead >= 1.0, 0.5 * (1.0 + scale), ahead)
    q /= total
    # 3. If the sum stays below 1 up to s = 1, the largest slope belongs to empty cells only. They
    # receive what is left, in turn.
    beyond = np.flatnonzero(ahead >= 1.0)
    if len(beyond):
        p, w = shares[:, beyond], w[:, beyond]
        part = np.where(p > 0.0, p / np.maximum(1.0 - w, 1e-300), 0.0) / kappa[beyond]
        top = np.where(p > 0.0, 0.0, w >= 1.0 - 1e-9)
        rest, tops = 1.0 - summed(part), summed(top)
        full = (rest >= 0.0) & (tops > 0.0)
        beyond, part, top = beyond[full], part[:, full], top[:, full] / tops[full]
        old = target[:, beyond]
        new = old + (top - old) / np.where(old.any(axis=0), 1.0 + late[beyond], 1.0)
        target[:, beyond], q[:, beyond] = new, part + rest[full] * new
    return q, scale


def summed(table: Array) -> Array:
    """Return the sums over the cells: for few tables far faster than numpy's own sum."""
    return np.asarray(np.ones(len(table)) @ table)


def largest(table: Array) -> Array:
    """Return the largest number of each column: of few columns faster than numpy's own maximum."""
    few = table.shape[1] < 20
    return np.maximum.reduceat(table, [0], axis=0)[0] if few else np.asarray(table.max(axis=0))


def second_order(q: Array, evaluate: Evaluate) -> tuple[Array, Array]:
    """Return N times the bias and N times the excess variance, by differences of slopes."""
    slopes = evaluate(q)[1]
    slopes = slopes - summed(q * slopes)
    error = np.sqrt(summed(q * slopes * slopes))
    u = q * slopes / error
    along = np.zeros_like(q)
    trace, product, third = (np.zeros_like(error) for _ in range(3))
    used = np.flatnonzero((q > 0.0).any(axis=1))
    size = max(1, 10 * BLOCK // q.size)
    for some in np.split(used, range(size, len(used), size)):
        # Rows of the second derivatives, in directions that keep the total; all cells at once.
        step = _STEP * q[some]
        moved = (1.0 - step) * q[:, None]
        moved[some, np.arange(len(some))] += step
        rows = evaluate(moved.reshape(len(q), -1))[1].reshape(moved.shape) - slopes[:, None]
        rows /= step
        rows = np.where(step > 0.0, rows - (q[:, None] * rows).sum(axis=0), 0.0)
        own = q[some] * rows[some, np.arange(len(some))]
        trace = trace + own.sum(axis=0)
        product = product + (q[some] * (q[:, None] * rows**2).sum(axis=0)).sum(axis=0)
        third = third + (slopes[some] * own).sum(axis=0)
        along = along + (u[some] * rows).sum(axis=1)
    return combined(q, slopes, u, along, trace, product, third)


def combined(
    q: Array, slopes: Array, u: Array, along: Array, trace: Array, product: Array, third: Array
) -> tuple[Array, Array]:
    """The bias and the excess at right angles to u: `along` is H u, the others are sums of H."""
    twice = q * slopes * slopes
    variance = summed(twice)
    curve = summed(u * along)
    square = product - 2.0 * summed(q * along * along) + curve * curve
    cumulant = third - 2.0 * summed(twice * along) / np.sqrt(variance)
    cumulant = cumulant + summed(twice * slopes) * curve / variance
    return 0.5 * (trace - curve), -(0.5 * square + cumulant) / variance
