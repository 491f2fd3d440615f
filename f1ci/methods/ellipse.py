"""temporary"""
import numpy as np
from functools import cache
from scipy.special import ndtr
_POINTS = 12
_SMALLEST_Z, _LARGEST_Z = 1e-8, 38.0
def difference_limits(a, b, correlation, z):
    turn = 0.5 * np.arccos(correlation)
    angle = np.arange(_POINTS).reshape(-1, *(1,) * turn.ndim) * (np.pi / _POINTS)
    at_a = np.cos(angle + turn)
    at_b = np.concatenate([at_a[:1], -at_a[:0:-1]])
    limits_a, limits_b = a(z * np.abs(at_a)), b(z * np.abs(at_b))
    end_a, back_a = np.where(np.signbit(at_a), limits_a, limits_a[::-1])
    end_b, back_b = np.where(np.signbit(at_b), limits_b, limits_b[::-1])
    differences = np.concatenate([end_b - end_a, back_b - back_a])
    return differences.min(axis=0), differences.max(axis=0)
def tail_probability(limits, estimate, error, value):
    from scipy.optimize import brentq
    if np.isnan(estimate):
        return np.nan
    above = bool(estimate > value)
    @cache
    def beyond(z):
        low, high = limits(z)
        return float(value - low if above else high - value)
    start = abs(float(estimate) - value) / max(float(error), 1e-12)
    least, largest = _SMALLEST_Z, min(max(1.1 * start, 0.1), _LARGEST_Z)
    while beyond(largest) < 0.0 and largest < _LARGEST_Z:
        least, largest = largest, min(2.0 * largest, _LARGEST_Z)
    z = largest
    if beyond(largest) > 0.0:
        z = brentq(beyond, least, largest, xtol=1e-9) if beyond(least) < 0.0 else least
    return float(ndtr(-z if above else z))
