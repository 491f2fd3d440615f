r"""Limits that hold at every look: for a test set that grows while you watch its score.

Given v = TP + FP + FN relevant items, TP is the number of successes of v Bernoulli trials with the
probability s = F1 / (2 - F1) (Lam, Gopal and Qian 2024, section 3.1). Let x of v trials succeed.
Under the true s the ratio of a mixture of likelihoods to the likelihood,

    M = B(x + 1/2, v - x + 1/2) / B(1/2, 1/2) / (s^x (1 - s)^(v - x)),

is a martingale with the mean 1, so that with probability 1 - alpha it never exceeds 1 / alpha,
however often one looks (Ville 1939; Robbins 1970, Annals of Mathematical Statistics 41, 1397-1409).
The limits are the two s with M = 1 / alpha, on the scale of the score. Precision, recall, Jaccard
and accuracy are shares of trials in the same way.

When it fails: never, if items are independent and come in an order that has nothing to do with the
model. The price is length: 1.5 to 1.9 times that of "score" at 20 to 1000 relevant items.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import betaln, ndtr, xlog1py, xlogy

from f1ci.methods.closed_form import Limits
from f1ci.types import Array, FloatOrArray

# Halvings of an interval below 1, after which floats change no more.
_HALVINGS = 60


def limits(right: Array, wrong: Array, weight: float, z: FloatOrArray) -> Limits:
    """Return the limits of TP / (TP + weight * errors), from right items and errors."""
    log_mixture = betaln(right + 0.5, wrong + 0.5) - betaln(0.5, 0.5)
    most = -np.log(2.0 * ndtr(-np.asarray(z)))

    def is_excluded(s: Array) -> Array:
        return np.asarray(log_mixture - xlogy(right, s) - xlog1py(wrong, -s) > most)

    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(right + wrong > 0.0, right / (right + wrong), 0.5)
    share = share + np.zeros(most.shape)
    low, high = (_last_inside(is_excluded, share, np.full(share.shape, end)) for end in (0.0, 1.0))
    return low / (low + weight * (1.0 - low)), high / (high + weight * (1.0 - high))


def _last_inside(is_excluded: Callable[[Array], Array], inside: Array, end: Array) -> Array:
    """Return the value between a share and an end beyond which all values are excluded."""
    beyond = end
    for _ in range(_HALVINGS):
        middle = (inside + beyond) / 2.0
        excluded = is_excluded(middle)
        inside, beyond = np.where(excluded, inside, middle), np.where(excluded, middle, beyond)
    return np.where(is_excluded(end), beyond, end)
