"""The four intervals of Lam, Gopal and Qian (2024), as their notebooks study them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

import f1ci

from .kernels import limits_of_f1

Array = NDArray[np.float64]
Cells = Sequence[float]


def f1_of(share: ArrayLike) -> Array:
    """Return F1 for values of F*, equation 10 of the paper."""
    x = np.asarray(share, float)
    return np.asarray(2 * x / (1 + x))


def share_of(f1: ArrayLike) -> Array:
    """Return F* for values of F1, the same map backwards."""
    x = np.asarray(f1, float)
    return np.asarray(x / (2 - x))


def truth(cells: Cells) -> float:
    """Return F1 of the probabilities of TP, FP and FN, equation 6."""
    p11, p10, p01 = cells
    return 2 * p11 / (2 * p11 + p10 + p01)


def exact(
    scenarios: Mapping[str, Cells], sizes: Sequence[int], methods: Sequence[str], level: float
) -> dict[tuple[str, int, str], f1ci.coverage.Coverage]:
    """Return the exact coverage and expected length for each scenario, size and method."""
    return {
        (name, n, method): f1ci.coverage.exact(
            n, [*cells, 1 - sum(cells)], method=method, confidence_level=level
        )
        for name, cells in scenarios.items()
        for n in sizes
        for method in methods
    }


def end_points(
    counts: NDArray[np.int64], methods: Sequence[str], level: float
) -> tuple[Array, Array]:
    """Return lower and upper ends, shape (test sets, methods), for rows of TP, FP, FN and TN.

    The ends depend on TP and FP + FN alone, so each such pair is computed once.
    """
    tp, wrong = counts[:, 0], counts[:, 1] + counts[:, 2]
    base = int(counts[0].sum()) + 1
    pairs, which = np.unique(tp * base + wrong, return_inverse=True)
    tp, wrong = pairs // base, pairs % base
    with warnings.catch_warnings():
        # Intervals without length, and undefined scores, are outcomes here.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        found = [
            f1ci.f1_interval(tp, wrong, 0, method=method, confidence_level=level)
            for method in methods
        ]
    low = np.stack([interval.low for interval in found], axis=1)
    high = np.stack([interval.high for interval in found], axis=1)
    return low[which], high[which]


def outcome_correlations(
    n: int, cells: Cells, methods: Sequence[str], level: float, *, draws: int, seed: int
) -> tuple[Array, Array]:
    """Return how the methods' coverages, and their lengths, correlate over shared test sets."""
    counts = np.random.default_rng(seed).multinomial(n, [*cells, 1 - sum(cells)], draws)
    low, high = end_points(counts, methods, level)
    held = f1ci.coverage.covers(low, high, truth(cells))
    both = [np.corrcoef(outcome, rowvar=False) for outcome in (held, high - low)]
    return np.asarray(both[0]), np.asarray(both[1])


def degeneracy(n: int, cells: Cells) -> float:
    """Return the probability that Wald's interval has no length, the chapter's closed form.

    No relevant item is right, or none is wrong, but not both.
    """
    p11, p10, p01 = cells
    return (1 - p11) ** n + (1 - p10 - p01) ** n - 2 * (1 - p11 - p10 - p01) ** n


def in_words(probability: float, *, missing: float = 0.0) -> str:
    """Return a probability as text; below 100 times what a sum may be `missing`, only a bound."""
    if probability < 100 * missing:
        return f"< {100 * missing:.0e}".replace("e-0", "e-")
    return f"{probability:.4g}" if probability >= 1e-4 or probability == 0 else f"{probability:.1e}"


def ends_at(method: str, f1: ArrayLike, v: float, z: float) -> tuple[Array, Array]:
    """Return the end points of f1ci at any values of the sample F1, whole counts or not."""
    tp = v * share_of(f1)
    low, high = limits_of_f1(method, tp, np.asarray(v), z)
    return np.asarray(low), np.asarray(high)
