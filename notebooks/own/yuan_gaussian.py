"""The nine measures of Table III of `yuan`, with their derivatives as the paper prints them.

Each measure is a function of x = E(ZA), s = EA and t = EZ. The derivatives stand here as in print,
the two of the correlation that are misprinted included; a complex step says what they should be.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# F0.5, and a Tversky index that is no special case of another measure.
A, B = 0.8, 0.2
TVERSKY_A, TVERSKY_B = 0.7, 0.5


def values(x: Any, s: Any, t: Any) -> dict[str, Any]:
    """Return the nine measures at a point, which may be complex."""
    return {
        "accuracy": 2 * x - s - t + 1,
        "F1 (Dice)": 2 * x / (s + t),
        "F0.5": x / (A * s + B * t),
        "Jaccard": x / (-x + s + t),
        "Tversky": x / ((1 - TVERSKY_A - TVERSKY_B) * x + TVERSKY_A * s + TVERSKY_B * t),
        "correlation": (x - s * t) / ((t - t**2) * (s - s**2)) ** 0.5,
        "cosine": x / (t**0.5 * s**0.5),
        "lift": x / (s * t),
        "overlap": x / (s if s.real < t.real else t),
    }


def printed(x: float, s: float, t: float) -> dict[str, Array]:
    """Return the derivatives by x, s and t as Table III prints them."""
    g = values(x, s, t)
    table = {"accuracy": (2, -1, -1), "correlation": _correlation(x, s, t, g["correlation"])}
    table |= _ratios(x, s, t, g)
    table |= {
        "cosine": g["cosine"] * np.array([1 / x, -1 / (2 * s), -1 / (2 * t)]),
        "lift": g["lift"] * np.array([1 / x, -1 / s, -1 / t]),
        "overlap": (1 / min(s, t), -(s < t) * x / s**2, -(t < s) * x / t**2),
    }
    return {name: np.asarray(table[name], dtype=np.float64) for name in g}


def _ratios(x: float, s: float, t: float, g: dict[str, Any]) -> dict[str, Array]:
    """Return the derivatives of x over a weighted sum of x, s and t, which has the value g."""
    dice, f_half, jaccard, tversky = (g[name] for name in list(g)[1:5])
    of_tversky = np.array([TVERSKY_A * s + TVERSKY_B * t, -TVERSKY_A * x, -TVERSKY_B * x])
    return {
        "F1 (Dice)": np.array([1, -0.5 * dice, -0.5 * dice]) / (0.5 * (s + t)),
        "F0.5": np.array([1, -A * f_half, -B * f_half]) / (A * s + B * t),
        "Jaccard": np.array([jaccard * (s + t) / x, -jaccard, -jaccard]) / (s + t - x),
        "Tversky": (tversky / x) ** 2 * of_tversky,
    }


def _correlation(x: float, s: float, t: float, g: float) -> Array:
    """Return the derivatives of the correlation, which has the value g, misprints included."""
    by_s = (2 * (s - 1) * x - s * t) / (2 * (s - s**2))
    by_t = (2 * (t - 1) * x - s * t) / (2 * (t - t**2))
    return g / (x - s * t) * np.array([1, by_s, by_t])


def differences(x: float, s: float, t: float) -> dict[str, Array]:
    """Return the printed derivatives minus those by a complex step, which are right to rounding."""
    steps = [values(*(np.array([x, s, t]) + 1e-30j * unit)) for unit in np.eye(3)]
    return {
        name: derivatives - np.array([np.imag(step[name]) / 1e-30 for step in steps])
        for name, derivatives in printed(x, s, t).items()
    }
