"""Stand-in, to be replaced."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm


def equicoordinate_quantile(
    correlation: ArrayLike, confidence_level: float = 0.95
) -> NDArray[np.float64]:
    """Stand-in."""
    batch = np.asarray(correlation, dtype=float)
    k = batch.shape[-1]
    out = np.empty(batch.shape[:-2])
    for index in np.ndindex(batch.shape[:-2]):
        r = batch[index]
        if k == 1 or np.all(np.abs(r) > 1 - 1e-12):
            out[index] = norm.ppf((1 + confidence_level) / 2)
            continue

        def excess(q: float, r: NDArray[np.float64] = r) -> float:
            dist = multivariate_normal(
                np.zeros(k), r, allow_singular=True, seed=0, maxpts=20000 * k
            )
            return float(dist.cdf(np.full(k, q), lower_limit=np.full(k, -q)) - confidence_level)

        out[index] = brentq(
            excess,
            norm.ppf((1 + confidence_level) / 2) - 1e-3,
            norm.ppf((1 + confidence_level ** (1 / k)) / 2) + 1e-3,
            xtol=1e-5,
        )
    return out
