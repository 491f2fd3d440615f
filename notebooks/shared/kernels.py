"""f1ci's limits for many simulated test sets at once, and tests of two models for many tables.

A public function of `f1ci` takes the labels of one comparison, or one confidence level for a whole
batch. A study of coverage needs thousands of comparisons, or a critical value for each test set.
This is the only module of the notebooks that knows what stands behind the public functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
from f1ci.counts import Items, Matrix
from f1ci.methods.matrices import Average
from f1ci.metrics.classes import ExpectationMetric
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

import f1ci
from f1ci.methods import delta, multinomial, paired, quantile, score
from f1ci.metrics import Metric
from f1ci.results import FloatOrArray

Array = NDArray[np.float64]
Limits = tuple[Array, Array]


def tversky_limits(
    tp: Array, fp: Array, fn: Array, a: float, b: float, z: FloatOrArray, method: str = "score"
) -> Limits:
    """Return limits of Tversky scores; the normal quantile z may differ from set to set."""
    return score.tversky_limits(tp, fp, fn, a, b, z, method == "cautious")


def logit_limits(estimate: Array, error: Array, z: FloatOrArray) -> Limits:
    """Return limits of the delta method on the logit scale, [0, 1] where the error is zero."""
    return delta.transformed(estimate, error, z, (0.0, 1.0))


def changed_limits(
    matrices: Array,
    metric: Metric,
    z: float,
    *,
    few: float = 3.0,
    bounds: tuple[float, float] = (0.5, 4.0),
    rounds: tuple[int, int] = (5, 40),
    terms: bool = True,
) -> Limits:
    """Return score limits of an average with parts of their algorithm changed.

    Parameters
    ----------
    matrices : ndarray, shape (..., r, r)
        Confusion matrices.
    metric : Metric
        The average.
    z : float
        The normal quantile of the level.
    few : float
        Up to how many errors the limits leave room for.
    bounds : tuple of float
        The bounds of the variance of the score statistic; (1, 1) leaves the variance out.
    rounds : tuple of int
        The number of rounds before the variance is taken, and in all.
    terms : bool
        Keep the terms of second order. Without these and without room the limits are Lang's (2008).
    """
    (least, most), (first, last) = bounds, rounds
    second_order = Average.second_order if terms else lambda _, q: (0 * q[0], 0 * q[0])
    with (
        patch.object(score, "_FEW", few),
        patch.multiple(multinomial, _LEAST=least, _MOST=most, _FIRST=first, _ROUNDS=last),
        patch.object(Average, "second_order", second_order),
    ):
        return score.limits_of_metric(metric, Matrix(matrices), False, z, False)


def equation_limits(tables: Array, z: float) -> Limits:
    """Return limits of B's F1 minus A's by the equation over the cells of truth, A and B."""

    def evaluate(q: Array) -> tuple[Array, Array]:
        """Return the difference and its slopes by cell."""
        cells, f1 = np.moveaxis(q.reshape(2, 2, 2, -1), -1, 0), f1ci.metrics.f1
        of_a, of_b = cells.sum(axis=-1), cells.sum(axis=-2)
        slopes = f1.gradient(of_b)[..., :, None, :] - f1.gradient(of_a)[..., :, :, None]
        return np.asarray(f1.value(of_b) - f1.value(of_a)), slopes.reshape(-1, 8).T

    return multinomial.limits(np.ascontiguousarray(tables.reshape(-1, 8).T), evaluate, z)


def difference_limits(tables: ArrayLike, z: float, method: str = "score") -> Limits:
    """Return limits of B's F1 minus A's, for tables (..., truth, A, B) of counts."""
    counts = np.asarray(tables, dtype=np.float64).reshape(*np.shape(tables)[:-3], 8)
    codes = np.indices((2, 2, 2)).reshape(3, 8)
    items = Items(codes, counts, None, ("negative", "positive"))
    sample = score.sample_of_difference(f1ci.metrics.f1, items)
    return score.score(sample, z, method == "cautious")


def joint_critical_value(
    covariance: ArrayLike, *, confidence_level: float = 0.95, accuracy: float = 1e-3
) -> Array:
    """Return how many standard errors joint intervals extend, for one or more covariance matrices.

    Estimates whose variance is zero or undefined are left out; nan where every one is.
    """
    matrices = np.asarray(covariance, dtype=np.float64)
    kept = np.diagonal(matrices, axis1=-2, axis2=-1) > 0
    # A left-out estimate stands for the first kept one: a copy does not change the maximum.
    source = np.where(kept, np.arange(kept.shape[-1]), kept.argmax(axis=-1, keepdims=True))
    chosen = np.take_along_axis(matrices, source[..., :, None], axis=-2)
    chosen = np.take_along_axis(chosen, source[..., None, :], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(np.diagonal(chosen, axis1=-2, axis2=-1))
        # Without rounding errors no correlation exceeds 1, and the diagonal is 1.
        scaled = np.clip(chosen / (scale[..., :, None] * scale[..., None, :]), -1.0, 1.0)
    correlation = np.where(source[..., :, None] == source[..., None, :], 1.0, scaled)
    k = correlation.shape[-1]
    flat = correlation.reshape(-1, k, k)
    values = [quantile.quantile_of(matrix, confidence_level, accuracy) for matrix in flat]
    possible = kept.any(axis=-1)
    return np.asarray(np.where(possible, np.reshape(values, possible.shape), np.nan))


def joint_from_cells(
    cells: ArrayLike,
    metrics: Sequence[str | Metric],
    *,
    method: str = "delta",
    confidence_level: float = 0.95,
) -> tuple[Array, Array]:
    """Return estimates and their covariance from the joint outcomes of m binary classifiers.

    The index of a cell, in binary, reads Z A_1 ... A_m: with two classifiers, cell 6 = 0b110 holds
    the positive items that the first classifier finds and the second misses. "delta" and "blur"
    are the covariances of choices I and II of Yuan & Jiang, remark 2. "cautious" is proportional to
    the covariance with two more items in each true class, as in `f1ci.joint_intervals`.

    Returns
    -------
    estimate : ndarray, shape (..., K)
        All metrics of the first classifier, then all of the second, and so on.
    covariance : ndarray, shape (..., K, K)
        Undefined metrics have ``nan`` rows, and exact ones rows of exact zeros.
    """
    counts = np.asarray(cells, dtype=np.float64)
    chosen = [f1ci.metrics.get(metric) for metric in metrics]
    m = counts.shape[-1].bit_length() - 2
    # 1. The matrix of each classifier, shape (..., m, 2, 2).
    truth, *predicted = (np.arange(counts.shape[-1]) >> np.arange(m, -1, -1)[:, None]) & 1
    place = np.equal.outer(2 * truth + np.array(predicted), np.arange(4))
    tables = np.einsum("...c,mcp->...mp", counts, place).reshape(*counts.shape[:-1], m, 2, 2)
    estimate = np.stack([metric.value(tables) for metric in chosen], axis=-1)
    flat = estimate.reshape(*counts.shape[:-1], -1)
    if method == "cautious":  # two items of a class are 2^(1 - m) in each of its joint cells
        return flat, joint_from_cells(2 ** (m - 1) * counts + 1, chosen)[1]
    # 2. The influence of each joint cell on each estimate.
    gradient = np.stack([metric.gradient(tables) for metric in chosen], axis=-3)
    by_place = gradient.reshape(*gradient.shape[:-2], 4)
    influence = np.einsum("...mkp,mcp->...mkc", by_place, place)
    influence = influence.reshape(*counts.shape[:-1], -1, counts.shape[-1])
    # 3. The covariance with the divisor n - 1.
    n = counts.sum(axis=-1)[..., None, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = (influence * counts[..., None, :]) @ influence.swapaxes(-1, -2) / (n * (n - 1))
        if method == "blur":
            shares = tables / n[..., None]
            at = shares[..., 1, 1], shares[..., :, 1].sum(-1), shares[..., 1, :].sum(-1)
            slopes = np.stack(
                [np.stack(x.partials(*at)) for x in chosen if isinstance(x, ExpectationMetric)],
                axis=-1,
            )
            z = score.normal_quantile(confidence_level)
            added = ((slopes**2).sum(axis=0) * z**2 / (2 * n**2)).reshape(flat.shape)
            covariance = covariance + added[..., None] * np.eye(flat.shape[-1])
    return flat, covariance


def labels(table: ArrayLike) -> tuple[NDArray[np.intp], ...]:
    """Return truth and both models' predictions of the items that a table (truth, A, B) counts."""
    return tuple(np.repeat(axis.ravel(), np.ravel(table)) for axis in np.indices(np.shape(table)))


def p_values(tables: Sequence[ArrayLike], method: str = "exact") -> Array:
    """Return the p-value of `f1ci.difference_test` for F1, for each table (truth, A, B)."""
    # Without the interval that the public function adds.
    if method == "exact":
        return np.array([paired.exact_p_value(np.asarray(table), 0.5, 0.5) for table in tables])
    codes = np.indices((2, 2, 2)).reshape(3, 8)
    found = []
    for table in np.asarray(tables).reshape(-1, 8).astype(np.float64):
        some = table > 0
        items = Items(codes[:, some], table[some], None, ("negative", "positive"))
        found.append(2 * ndtr(-abs(paired.score_statistic(items, f1ci.metrics.f1)[0])))
    return np.array(found)
