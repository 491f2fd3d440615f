"""Labels of two classifiers on one test set for which only their own counts are published.

The counts of two models do not say on which items they disagree. They give the least and the
largest possible number. `nested` and `disjoint` make the labels of these two extremes. Then every
comparison of f1ci can be made for both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counts", "difference_variance", "disjoint", "nested"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class Counts(NamedTuple):
    """The counts of one classifier."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def f1(self) -> float:
        """Return the F1 score."""
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn)


def _labels(a: Counts, b: Counts, *, from_the_end: bool) -> tuple[Labels, Labels, Labels]:
    """Return true labels and both models' labels; B's positives come first in each class, or last."""
    truth, predicted_a, predicted_b = [], [], []
    for is_positive, hits_a, hits_b, size in (
        (1, a.tp, b.tp, a.tp + a.fn),
        (0, a.fp, b.fp, a.fp + a.tn),
    ):
        place = np.arange(size)
        truth.append(np.full(size, is_positive))
        predicted_a.append(place < hits_a)
        predicted_b.append(place >= size - hits_b if from_the_end else place < hits_b)
    one, two, three = (
        np.concatenate(x).astype(np.int64) for x in (truth, predicted_a, predicted_b)
    )
    return one, two, three


def nested(a: Counts, b: Counts) -> tuple[Labels, Labels, Labels]:
    """Return truth, A and B with the least disagreement that their counts allow."""
    return _labels(a, b, from_the_end=False)


def disjoint(a: Counts, b: Counts) -> tuple[Labels, Labels, Labels]:
    """Return truth, A and B with the most disagreement that their counts allow."""
    return _labels(a, b, from_the_end=True)


def difference_variance(cells: Array) -> Array:
    """Return the variance of A's F1 minus B's, times the number of items, by the delta method.

    `cells` has the shape (..., 2, 2, 2): probabilities of the true class, A's and B's prediction.
    Let z be 1 for a true positive class, and a be 1 for a predicted one. An item adds
    (2 z a - F (z + a)) / (E z + E a) to a model's F1. The two models' parts are subtracted.
    """
    z, a, b = np.indices((2, 2, 2))

    def pull(x: NDArray[np.int64]) -> Array:
        def mean(values: NDArray[np.int64]) -> Array:
            return np.asarray((cells * values).sum(axis=(-3, -2, -1), keepdims=True))

        f1 = 2 * mean(z * x) / mean(z + x)
        return np.asarray((2 * z * x - f1 * (z + x)) / mean(z + x))

    return np.asarray((cells * (pull(a) - pull(b)) ** 2).sum(axis=(-3, -2, -1)))
