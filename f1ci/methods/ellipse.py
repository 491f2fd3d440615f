"""Differences of two models: limits from the two models' own limits, and p-values from limits.

Let F(s) be the limit of one model's score at abs(s) z instead of z: the lower limit for s < 0, the
upper one for s > 0. With the correlation r of the two estimates, the limits of the difference are
the extremes of F_B(t) - F_A(s) over the ellipse s^2 - 2 r s t + t^2 = 1 - r^2. Zou and Donner
(2008, Statistics in Medicine 27, 1693-1702) take one point of it, which is right for straight
limits.

**Correlation.** For models on the same items it comes from the items' influences after adding two
items to each true class. Each model gets half of them right, independently of the other. For two
classes that is half an item in each of the eight cells of truth, A and B (Agresti and Min 2005,
Statistics in Medicine 24, 729-740). So models that agree on every item are never taken for copies.

When they fail: if few items are expected on which the models differ, the limits are long.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
from scipy.special import ndtr

from f1ci.types import Array, FloatOrArray

# z -> low, high
LimitsAt: TypeAlias = Callable[[FloatOrArray], tuple[Array, Array]]

# Points of half an ellipse: the extreme lies at most 1 - cos(7.5 degrees) = .9 % further out.
_POINTS = 12

# A p-value is sought between these z. The tail of the largest is below 1e-300.
_SMALLEST_Z, _LARGEST_Z = 1e-8, 38.0


def difference_limits(
    limits_a: LimitsAt, limits_b: LimitsAt, correlation: Array, z: FloatOrArray
) -> tuple[Array, Array]:
    """Return the limits of B's score minus A's. The callables take arrays of z.

    A point of the ellipse is (cos(x + y), cos(x - y)) with cos(2 y) = r. Half the ellipse is
    enough, because the other half has both signs changed. The points are mirrored, so that swapping
    A and B negates the difference to the last digit.
    """
    # 1. The points of half the ellipse.
    y = 0.5 * np.arccos(correlation)
    x = np.arange(_POINTS) * (np.pi / _POINTS)
    s = np.cos(x.reshape(-1, *(1,) * y.ndim) + y)
    t = np.concatenate([s[:1], -s[:0:-1]])
    # 2. Each model's limits at all points.
    end_a, opposite_a = _ends(limits_a, s, z)
    end_b, opposite_b = _ends(limits_b, t, z)
    # 3. The extremes. Two infinite limits say nothing of their difference.
    with np.errstate(invalid="ignore"):
        differences = np.concatenate([end_b - end_a, opposite_b - opposite_a])
    return np.fmin.reduce(differences, axis=0), np.fmax.reduce(differences, axis=0)


def _ends(limits: LimitsAt, s: Array, z: FloatOrArray) -> tuple[Array, Array]:
    """Return a model's limits at points s of the ellipse: towards the point, and opposite to it."""
    limits_at = limits(z * np.abs(s))
    towards, opposite = np.where(np.signbit(s), limits_at, limits_at[::-1])
    return towards, opposite


def tail_probability(limits: LimitsAt, estimate: float, error: float, value: float) -> float:
    """Return the one-sided p-value against "the true value is at most `value`".

    It is half of one minus the level at which a limit of the interval equals `value`. `error` is a
    standard error, from which the search for that level starts.
    """
    from scipy.optimize import brentq  # slow to import

    if np.isnan(estimate):
        return np.nan
    # The estimate is between the limits of every level. Without a standard error it is both.
    if estimate == value:
        return 0.5
    above = estimate > value

    @cache
    def beyond(z: float) -> float:
        """Return how far the interval reaches beyond the value, on the side in question."""
        low, high = limits(z)
        return float(value - low if above else high - value)

    # 1. The normal approximation is a good start. Widen the bracket until it holds the root.
    start = abs(estimate - value) / max(error, 1e-12)
    smallest, largest = _SMALLEST_Z, min(max(1.1 * start, 0.1), _LARGEST_Z)
    while beyond(largest) < 0.0 and largest < _LARGEST_Z:
        smallest, largest = largest, min(2.0 * largest, _LARGEST_Z)
    # 2. Find the z at which the limit equals the value.
    z = largest
    if beyond(largest) > 0.0:
        z = brentq(beyond, smallest, largest, xtol=1e-9) if beyond(smallest) < 0.0 else smallest
    return float(ndtr(-z if above else z))
