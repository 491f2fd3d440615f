"""Simulated Dice scores by image, of two models and of patients with several images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]

# The mean Dice of an image that does not fail: Beta(19, 1). That of failures is 0.5.
MEAN = 0.95


def two_models(
    rng: np.random.Generator, shape: tuple[int, ...], failures: float
) -> tuple[Array, Array]:
    """Return the scores of models A and B on the same images.

    Each image fails for both models with the probability `failures`. B is better by 0.003 on
    average without failures, and by 0.005 if one image in ten fails.
    """
    good = rng.beta(19, 1, shape)
    bad = rng.beta(4, 4, shape)
    a = np.where(rng.random(shape) < failures, bad, good)
    gain = 0.2 * (1 - a) * rng.beta(1, 3, shape)
    noise = a * (1 - a) * rng.normal(0, 0.1, shape)
    return a, np.clip(a + gain + noise, 0, 1)


def true_means(failures: float) -> tuple[float, float]:
    """Return the mean score of model A, and the mean gain of B from two million images."""
    a, b = two_models(np.random.default_rng(1), (2_000_000,), failures)
    return MEAN - failures * (MEAN - 0.5), float((b - a).mean())


def of_patients(
    rng: np.random.Generator, replicates: int, patients: int, images: int, correlation: float
) -> Array:
    """Return the scores of images, shape (replicates, patients * images), alike by patient.

    Each score is Beta(19, 1). The normal scores of two images of one patient have the correlation.
    """
    patient = rng.normal(size=(replicates, patients, 1))
    image = rng.normal(size=(replicates, patients, images))
    normal = np.sqrt(correlation) * patient + np.sqrt(1 - correlation) * image
    # The quantile function of Beta(19, 1) is u^(1/19).
    return np.asarray((ndtr(normal) ** (1 / 19)).reshape(replicates, -1))
