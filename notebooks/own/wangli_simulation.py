"""Logistic regressions on two normal classes, cross-validated on many simulated data sets.

Wang and Li (2019, section 2.4) simulate one example of this kind. `run` draws data sets, cross-
validates a logistic regression on each and returns the counts of all folds with the true rates of
all rules. The true rates need no test set: a fitted rule calls a half plane positive, so its rates
in both classes are normal probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

import f1ci

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Means = tuple[tuple[float, float], tuple[float, float]]
Blocks = Callable[..., Indices]

REPETITIONS = 3
BATCH = 50  # data sets whose training sets, six for each, fit into the processor's cache
TASK = 50  # batches that one process does in a row
NEWTON_STEPS = 30
LAST_STEP = 1e-5  # after a step this small the error is of the order of its square


@dataclass(frozen=True)
class Design:
    """A population and a cross-validation.

    Attributes
    ----------
    n : int
        Observations in a data set.
    means : pair of pairs
        Means of the two features in class 0 and in class 1. Both classes have covariance I.
    prevalence : float
        Probability of class 1.
    partition : {"stratified blocks", "blocks", "random halves"}
        How a data set is halved three times.
    exact_classes : bool
        Whether every data set has exactly ``prevalence * n`` observations of class 1.
    penalty : float
        Penalty of the regression, as in `fit`.
    """

    n: int
    means: Means
    prevalence: float
    partition: str = "stratified blocks"
    exact_classes: bool = False
    penalty: float = 0.0


@dataclass(frozen=True)
class Trials:
    """Many cross-validated data sets.

    Attributes
    ----------
    counts : ndarray, shape (replicates, 3, 2, 3)
        TP, FP and FN by repetition and fold.
    rates : ndarray, shape (replicates, 3, 2, 2)
        True positive rates of the folds' rules in class 1 and in class 0.
    rates_of_all : ndarray, shape (replicates, 2)
        True positive rates of the rule trained on the whole data set.
    """

    counts: NDArray[np.int64]
    rates: Array
    rates_of_all: Array


# Logistic regression


def terms_of(features: Array) -> Array:
    """Return the model's columns and the other products of two columns in the Hessian."""
    one, two = features[..., 0], features[..., 1]
    return np.stack([np.ones_like(one), one, two, one * one, one * two, two * two], axis=-1)


def fit(
    terms: Array, labels: NDArray[np.bool_], *, start: ArrayLike = 0.0, penalty: float = 0.0
) -> Array:
    """Return intercepts and slopes of logistic regressions of many samples.

    Parameters
    ----------
    terms : ndarray, shape (..., n, 6)
        What `terms_of` returns.
    labels : ndarray of bool, shape (..., n)
    start : array_like
        Where Newton's method starts.
    penalty : float
        Half the penalty times the squared slopes is added to the negative log likelihood.
        0 is maximum likelihood, 1 is scikit-learn's default.

    Returns
    -------
    ndarray, shape (..., 3)
    """
    shrink = np.diag([0.0, penalty, penalty])
    beta: Array = np.zeros((*labels.shape[:-1], 3)) + np.asarray(start)
    for _ in range(NEWTON_STEPS):
        step = newton_step(terms, labels, beta, shrink)
        beta += step
        if np.abs(step).max() < LAST_STEP:
            return beta
    raise RuntimeError(f"no convergence in {NEWTON_STEPS} steps: are the classes separable?")


def newton_step(terms: Array, labels: NDArray[np.bool_], beta: Array, shrink: Array) -> Array:
    """Return the step of Newton's method from the coefficients `beta`."""
    columns = terms[..., :3]
    share = special.expit((columns @ beta[..., None])[..., 0])
    gradient = ((labels - share)[..., None, :] @ columns)[..., 0, :] - beta @ shrink
    moments = ((share * (1.0 - share))[..., None, :] @ terms)[..., 0, :]
    hessian = moments[..., [[0, 1, 2], [1, 3, 4], [2, 4, 5]]] + shrink
    return np.linalg.solve(hessian, gradient[..., None])[..., 0]


# True scores of a rule


def rates(coefficients: Array, means: Means) -> Array:
    """Return the probabilities that ``b0 + b1 x1 + b2 x2 > 0`` in class 1 and in class 0."""
    length = np.hypot(coefficients[..., 1], coefficients[..., 2])
    centres = np.array([means[1], means[0]])
    scores = coefficients[..., :1] + coefficients[..., 1:] @ centres.T
    probabilities: Array = special.ndtr(scores / length[..., None])
    return probabilities


def f1_of_rates(rates: Array, prevalence: float) -> Array:
    """Return F1 of rules whose positive rates in class 1 and class 0 are along the last axis."""
    hits, alarms = rates[..., 0], rates[..., 1]
    # TP = prevalence * hits, TP + FP + TP + FN = predicted + true positives.
    predicted = prevalence * hits + (1.0 - prevalence) * alarms
    f1: Array = 2.0 * prevalence * hits / (predicted + prevalence)
    return f1


# Data sets and their folds


def draw(design: Design, stream: np.random.Generator, size: int) -> tuple[Array, NDArray[np.bool_]]:
    """Return features and labels of `size` data sets.

    Observations of one class are exchangeable, so all of class 1 come first.
    """
    positives = np.full((size, 1), round(design.prevalence * design.n))
    if not design.exact_classes:
        positives = stream.binomial(design.n, design.prevalence, size=(size, 1))
    labels = np.arange(design.n) < positives
    features = stream.normal(size=(size, design.n, 2))
    features += np.asarray(design.means)[labels.astype(np.intp)]
    return features, labels


def partition(n: int, positives: int | None = None) -> Indices:
    """Return the training and test sets of block-regularised cross-validation, (2, 6, n / 2).

    With `positives`, each block has the same number of the first `positives` observations.
    """
    strata = None if positives is None else np.arange(n) < positives
    pairs = f1ci.bcv_partitions(n, repetitions=REPETITIONS, stratify=strata, rng=0)
    return np.stack(pairs, axis=1)


def folds(
    design: Design, labels: NDArray[np.bool_], stream: np.random.Generator, blocks: Blocks
) -> tuple[Indices, Indices]:
    """Return the indices of all training and test sets, shape (size, 6, n / 2) each."""
    size, n = labels.shape
    if design.partition == "stratified blocks":
        train, test = np.stack([blocks(n, k) for k in labels.sum(axis=1).tolist()], axis=1)
        return train, test
    if design.partition == "blocks":
        order = stream.permuted(np.tile(np.arange(n), (size, 1)), axis=1)
        train, test = blocks(n)
        return order[:, train], order[:, test]
    order = stream.permuted(np.tile(np.arange(n), (size, REPETITIONS, 1)), axis=2)
    halves = order.reshape(size, REPETITIONS, 2, n // 2)
    return halves.reshape(size, -1, n // 2), halves[:, :, ::-1].reshape(size, -1, n // 2)


# Cross-validation of many data sets


def one_batch(
    design: Design, stream: np.random.Generator, size: int, blocks: Blocks
) -> tuple[NDArray[np.int64], Array, Array]:
    """Cross-validate some data sets and return the three arrays of `Trials`."""
    features, labels = draw(design, stream, size)
    train, test = folds(design, labels, stream, blocks)
    sample = np.arange(size)[:, None, None]
    terms = terms_of(features)
    of_all = fit(terms, labels, penalty=design.penalty)
    # From the rule of the whole data set it is a step or two to those of its halves.
    known = terms[sample, train], labels[sample, train]
    beta = fit(*known, start=of_all[:, None], penalty=design.penalty)
    shape = (size, REPETITIONS, 2, -1)
    return (
        counts_of(beta, features[sample, test], labels[sample, test]).reshape(shape),
        rates(beta, design.means).reshape(shape),
        rates(of_all, design.means),
    )


def counts_of(beta: Array, features: Array, true: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return TP, FP and FN of rules on their test sets."""
    scores = beta[..., None, :1] + features @ beta[..., 1:, None]
    predicted = scores[..., 0] > 0.0
    cells = [predicted & true, predicted & ~true, ~predicted & true]
    return np.stack([cell.sum(axis=-1) for cell in cells], axis=-1)


def some_batches(
    design: Design, streams: list[np.random.Generator], sizes: list[int]
) -> list[tuple[Any, ...]]:
    """Cross-validate several batches, which share the partitions that they need."""
    blocks = cache(partition)
    return [one_batch(design, *each, blocks) for each in zip(streams, sizes, strict=True)]


def run(design: Design, replicates: int, *, rng: Any, executor: Executor | None = None) -> Trials:
    """Draw and cross-validate data sets; a seed gives the same numbers with any executor."""
    sizes = [min(BATCH, replicates - start) for start in range(0, replicates, BATCH)]
    streams = np.random.default_rng(rng).spawn(len(sizes))
    task = TASK if executor else len(sizes)
    tasks = [
        (streams[start : start + task], sizes[start : start + task])
        for start in range(0, len(sizes), task)
    ]
    compute: Callable[..., Any] = executor.map if executor else map
    batches = chain(*compute(partial(some_batches, design), *zip(*tasks, strict=True)))
    return Trials(*map(np.concatenate, zip(*batches, strict=True)))
