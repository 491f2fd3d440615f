"""The random numbers of R: what `set.seed`, `runif`, `rbinom`, `rnorm` and `sample` return.

R's default generator is the Mersenne Twister, which NumPy has as well. Only three things differ:
how a seed becomes the generator's state, how many uniform numbers a function draws, and what it
makes of them. With these a notebook computes splits and simulations that were made in R, without R.

The functions follow R 3.6 and later (`sample` by rejection). They are exact, except for the last
bits of `rnorm`, whose quantile function is SciPy's here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]

# R multiplies 32-bit integers by this number, and keeps zero out.
UNIT = 2.3283064365386963e-10
# R's seeds follow one another by this congruential generator.
MULTIPLIER, WARM_UP, STATE = 69069, 50, 625
# A normal number takes two uniform numbers: 27 bits from the first, the rest from the second.
BIG = 134217728


class RRandom:
    """R's generator after `set.seed(seed)`."""

    def __init__(self, seed: int) -> None:
        for _ in range(WARM_UP):
            seed = (MULTIPLIER * seed + 1) % 2**32
        numbers = []
        for _ in range(STATE):
            seed = (MULTIPLIER * seed + 1) % 2**32
            numbers.append(seed)
        self._bits = np.random.MT19937()
        # The first number is R's place in the state, which set.seed moves to the end.
        self._bits.state = {
            "bit_generator": "MT19937",
            "state": {"key": np.array(numbers[1:], dtype=np.uint32), "pos": STATE - 1},
        }

    def runif(self, size: int) -> Array:
        """Return `runif(size)`."""
        u: Array = np.maximum(self._bits.random_raw(size) * UNIT, UNIT / 2)
        return u

    def rbinom_half(self, size: int) -> NDArray[np.int64]:
        """Return `rbinom(size, 1, .5)`: R's inversion compares one uniform number with one half."""
        return (self.runif(size) >= 0.5).astype(np.int64)

    def rnorm(self, mean: ArrayLike) -> Array:
        """Return `rnorm(length(mean), mean)`, by inversion."""
        u = self.runif(2 * np.size(mean))
        x: Array = ndtri((np.floor(BIG * u[::2]) + u[1::2]) / BIG) + np.asarray(mean)
        return x

    def sample_two(self, size: int, share: float) -> NDArray[np.int64]:
        """Return `sample(2, size, TRUE, c(share, 1 - share))`, for a share of at least one half."""
        return np.where(self.runif(size) <= share, 1, 2)

    def sample(self, largest: int, size: int) -> NDArray[np.int64]:
        """Return `sample(1:largest, size, TRUE)`, for `largest` up to 32,768.

        R takes as many random bits as `largest` needs, and takes new ones if they are too large.
        More than 15 bits would take two uniform numbers each.
        """
        bits = (largest - 1).bit_length()
        if bits > 15:
            raise ValueError(f"largest must be at most 32768, got {largest}")
        found = np.empty(0, dtype=np.int64)
        while len(found) < size:
            u = self.runif(size - len(found))
            drawn = np.floor(u * 65536).astype(np.int64) % 2**bits
            found = np.concatenate([found, drawn[drawn < largest]])
        return found + 1
