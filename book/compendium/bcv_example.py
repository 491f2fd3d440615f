"""The simulated example of `wangli`, section 2.4: logistic regression on two normal classes.

A data set has two features with unit covariance matrix, whose mean depends on the class. It is
cross-validated in 3 x 2 folds; every fold has a logistic regression of its own, fitted by Newton's
method, thousands of fits at a time. A fitted rule is a half plane, so that its true rates are
normal probabilities, and nothing has to be estimated from a large test set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

import f1ci

__all__ = ["PARTITIONS", "Design", "Trials", "f1_of_rates", "fit", "rates", "run"]

PARTITIONS = ("stratified blocks", "blocks", "random halves")
REPETITIONS = 3

Array = NDArray[np.float64]
Folds = tuple[NDArray[np.intp], NDArray[np.intp]]

# Data sets per batch: their training sets, six for each, should fit into the processor's cache.
_BATCH = 50
_NEWTON_STEPS = 30
# After a step this small the error is of the order of its square.
_LAST_STEP = 1e-5


@dataclass(frozen=True)
class Design:
    """What is drawn, and how it is cross-validated.

    Attributes
    ----------
    n : int
        Size of a data set, a multiple of 4.
    means : pair of pairs of float
        Mean of the two features in class 0 and in class 1.
    prevalence : float
        Probability of class 1.
    partition : str
        One of `PARTITIONS`: blocks with equally many of each class, blocks that do not look at the
        class, or three halvings that know nothing of each other.
    exact_classes : bool
        Whether every data set has exactly ``prevalence * n`` observations of class 1.
    penalty : float
        Half of it times the squared slopes is added to the negative log likelihood: 0 is maximum
        likelihood, 1 scikit-learn's default.
    """

    n: int
    means: tuple[tuple[float, float], tuple[float, float]]
    prevalence: float = 0.5
    partition: str = "stratified blocks"
    exact_classes: bool = False
    penalty: float = 0.0


@dataclass(frozen=True)
class Trials:
    """Many cross-validated data sets.

    Attributes
    ----------
    counts : ndarray of shape (replicates, 3, 2, 3)
        TP, FP, FN by repetition and fold.
    rates : ndarray of shape (replicates, 3, 2, 2)
        True share of class 1 and of class 0 that the rule of each fold calls positive.
    rates_of_all : ndarray of shape (replicates, 2)
        The same for the rule trained on the whole data set.
    """

    counts: NDArray[np.int64]
    rates: Array
    rates_of_all: Array


def run(
    design: Design, replicates: int, *, rng: Any = None, executor: Executor | None = None
) -> Trials:
    """Draw and cross-validate data sets; a seed gives the same numbers with any executor."""
    if design.partition not in PARTITIONS:
        raise ValueError(f"partition must be one of {PARTITIONS}, got {design.partition!r}")
    if design.n % 4:
        raise ValueError(f"n must be a multiple of 4, got {design.n!r}")
    sizes = [min(_BATCH, replicates - start) for start in range(0, replicates, _BATCH)]
    streams = np.random.default_rng(rng).spawn(len(sizes))
    task: Callable[..., tuple[Any, ...]] = partial(_batch, design)
    batches: Iterable[tuple[Any, ...]] = (executor.map if executor else map)(task, streams, sizes)
    return Trials(*map(np.concatenate, zip(*batches, strict=True)))


def f1_of_rates(rates: Array, prevalence: float = 0.5) -> Array:
    """F1 of rules whose positive rates in class 1 and in class 0 are along the last axis."""
    hits, alarms = rates[..., 0], rates[..., 1]
    # TP = prevalence * hits, TP + FP + TP + FN = predicted + true positives.
    predicted = prevalence * hits + (1.0 - prevalence) * alarms
    return np.asarray(2.0 * prevalence * hits / (predicted + prevalence))


def rates(coefficients: Array, means: tuple[tuple[float, float], tuple[float, float]]) -> Array:
    """Probability that ``b0 + b1 x1 + b2 x2 > 0`` in class 1 and in class 0 (last axis)."""
    length = np.hypot(coefficients[..., 1], coefficients[..., 2])
    centres = np.array([means[1], means[0]])
    scores = coefficients[..., :1] + coefficients[..., 1:] @ centres.T
    return np.asarray(ndtr(scores / length[..., None]))


def fit(features: Array, labels: NDArray[np.bool_], *, penalty: float = 0.0) -> Array:
    """Logistic regressions of many samples at once, by Newton's method from zero.

    Parameters
    ----------
    features : ndarray of shape (..., n, 2)
        Two features.
    labels : ndarray of bool, shape (..., n)
        Classes.
    penalty : float, optional
        As in `Design`; the intercept is not penalised.

    Returns
    -------
    ndarray of shape (..., 3)
        Intercept and two slopes.
    """
    one, two = features[..., 0], features[..., 1]
    # Columns of the model, then the other products of two columns that the Hessian needs.
    terms = np.stack([np.ones_like(one), one, two, one * one, one * two, two * two], axis=-1)
    columns = terms[..., :3]
    shrink = np.diag([0.0, penalty, penalty])
    beta = np.zeros((*one.shape[:-1], 3))
    for _ in range(_NEWTON_STEPS):
        share = expit((columns @ beta[..., None])[..., 0])
        gradient = ((labels - share)[..., None, :] @ columns)[..., 0, :] - beta @ shrink
        moments = ((share * (1.0 - share))[..., None, :] @ terms)[..., 0, :]
        hessian = moments[..., [[0, 1, 2], [1, 3, 4], [2, 4, 5]]] + shrink
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        beta += step
        if np.abs(step).max() < _LAST_STEP:
            return beta
    raise RuntimeError(
        f"Newton's method did not converge in {_NEWTON_STEPS} steps: are the classes separable?"
    )


def _batch(design: Design, stream: np.random.Generator, size: int) -> tuple[Any, ...]:
    features, labels = _draw(design, stream, size)
    train, test = _folds(design, labels, stream)
    sample = np.arange(size)[:, None, None]
    beta = fit(features[sample, train], labels[sample, train], penalty=design.penalty)
    of_all = fit(features, labels, penalty=design.penalty)
    scores = beta[..., None, :1] + features[sample, test] @ beta[..., 1:, None]
    predicted, true = scores[..., 0] > 0.0, labels[sample, test]
    counts = [predicted & true, predicted & ~true, ~predicted & true]
    shape = (size, REPETITIONS, 2)
    return (
        np.stack([cell.sum(axis=-1) for cell in counts], axis=-1).reshape(*shape, 3),
        rates(beta, design.means).reshape(*shape, 2),
        rates(of_all, design.means),
    )


def _draw(
    design: Design, stream: np.random.Generator, size: int
) -> tuple[Array, NDArray[np.bool_]]:
    """Data sets, all of class 1 first: observations of one class are exchangeable."""
    positives = np.full((size, 1), round(design.prevalence * design.n))
    if not design.exact_classes:
        positives = stream.binomial(design.n, design.prevalence, size=(size, 1))
    labels = np.arange(design.n) < positives
    features = stream.normal(size=(size, design.n, 2))
    features += np.asarray(design.means)[labels.astype(np.intp)]
    return features, labels


def _folds(design: Design, labels: NDArray[np.bool_], stream: np.random.Generator) -> Folds:
    """Indices of the training and the test sets of all data sets, (size, 6, n / 2) each."""
    size, n = labels.shape
    if design.partition == "stratified blocks":
        # Any partition with the right numbers will do, because the observations are exchangeable.
        found = [_stratified(n, int(positives)) for positives in labels.sum(axis=1)]
        return np.stack([train for train, _ in found]), np.stack([test for _, test in found])
    if design.partition == "blocks":
        pairs = f1ci.bcv_partitions(n, repetitions=REPETITIONS, rng=0)
        order = stream.permuted(np.tile(np.arange(n), (size, 1)), axis=1)
        train, test = (np.stack([pair[k] for pair in pairs]) for k in (0, 1))
        return order[:, train], order[:, test]
    order = stream.permuted(np.tile(np.arange(n), (size, REPETITIONS, 1)), axis=2)
    halves = order.reshape(size, REPETITIONS, 2, n // 2)
    return halves.reshape(size, -1, n // 2), halves[:, :, ::-1].reshape(size, -1, n // 2)


@cache
def _stratified(n: int, positives: int) -> Folds:
    pairs = f1ci.bcv_partitions(
        n, repetitions=REPETITIONS, stratify=np.arange(n) < positives, rng=0
    )
    return np.stack([train for train, _ in pairs]), np.stack([test for _, test in pairs])
