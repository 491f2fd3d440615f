"""Sleep stages by night: counts, scores and what the nights do to their errors.

The data are the nights of Guillot et al. (2020). For each night they have the stage that human
scorers agreed on and the stages that six networks gave, as counts of 30-second epochs. Epochs of
one night resemble one another, so the night is the independent unit, not the epoch.

The *design effect* of a score is the variance of its estimate when nights are the units, divided by
its variance if all epochs were independent. The *correlation within nights* is the number rho for
which nights of m epochs would have the design effect 1 + (m - 1) rho (Kish 1965).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from compendium.data import read_verified
from numpy.typing import NDArray
from scipy import stats

import f1ci

STAGES = ("W", "N1", "N2", "N3", "REM")
NETWORKS = (
    "SimpleNet",
    "DeepSleepNet",
    "SeqSleepNet",
    "Chambon",
    "MixedNeuralNetwork",
    "Tsinalis",
)
Array = NDArray[np.float64]
Tables = NDArray[np.int64]


def sleep_stages(which: str) -> pd.DataFrame:
    """Return the counts of a set, "dodh" or "dodo": one row for each kind of epoch of a night."""
    frame = pd.read_csv(io.BytesIO(read_verified("dreem-2020-sleep-stages.csv")))
    if which not in set(frame["set"]):
        raise ValueError(f"the set must be 'dodh' or 'dodo', got {which!r}")
    return frame[frame["set"] == which].reset_index(drop=True)


def labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each epoch, as label-based functions want it."""
    return frame.loc[frame.index.repeat(frame["epochs"])].reset_index(drop=True)


def matrices(frame: pd.DataFrame, network: str) -> Tables:
    """Return one confusion matrix for each night, true stages in rows: (nights, 5, 5)."""
    return _tables(frame, network, frame["epochs"].to_numpy(np.float64)).astype(np.int64)


def _tables(frame: pd.DataFrame, network: str, weights: Array) -> Array:
    """Return the weights of the epochs, added up by night, true stage and predicted stage."""
    tables = np.zeros((frame["night"].max(), len(STAGES), len(STAGES)))
    np.add.at(tables, (frame["night"] - 1, frame["consensus"], frame[network]), weights)
    return tables


def class_counts(tables: NDArray[Any]) -> NDArray[Any]:
    """Return true positives, false positives and false negatives by night and stage."""
    right = np.einsum("...ii->...i", tables)
    return np.stack([right, tables.sum(axis=-2) - right, tables.sum(axis=-1) - right], axis=-1)


def night_scores(tables: NDArray[Any]) -> Array:
    """Return F1 of each stage in each night; NaN where the stage does not occur."""
    tp, fp, fn = np.moveaxis(class_counts(tables).astype(np.float64), -1, 0)
    total = 2 * tp + fp + fn
    scores: Array = np.divide(2 * tp, total, out=np.full_like(tp, np.nan), where=total > 0)
    return scores


def published_mean(frame: pd.DataFrame, network: str) -> float:
    """Return the mean over nights of F1 as Guillot et al. define it, in per cent.

    Each epoch weighs as many quarters as scorers voted for its stage; the F1 scores of a night's
    stages are weighted by the stages' weights.
    """
    tables = _tables(frame, network, (frame["epochs"] * frame["votes"] / 4).to_numpy(np.float64))
    share = tables.sum(axis=2) / tables.sum(axis=(1, 2))[:, None]
    return float(100 * np.nansum(night_scores(tables) * share, axis=1).mean())


def influences(metric: f1ci.metrics.Metric, tables: NDArray[Any]) -> Array:
    """Return what each night adds to the deviation of a score from its true value.

    To first order the deviation is a sum over nights: the night's cells times the gradient of the
    metric at the pooled table (equation eq-takahashi-clusters of the chapter).
    """
    pull: Array = (tables * metric.gradient(tables.sum(axis=0))).sum(axis=(1, 2))
    return pull


def design_effect(metric: f1ci.metrics.Metric, tables: NDArray[Any]) -> float:
    """Return the variance with nights as units over the variance with independent epochs."""
    nights = len(tables)
    pooled = tables.sum(axis=0)
    by_night = nights / (nights - 1) * (influences(metric, tables) ** 2).sum()
    independent = (pooled * metric.gradient(pooled) ** 2).sum()
    return float(by_night / independent)


def within_night_correlation(metric: f1ci.metrics.Metric, tables: Tables) -> float:
    """Return the correlation that gives nights of these sizes their design effect."""
    sizes = tables.sum(axis=(1, 2))
    typical = (sizes**2).sum() / sizes.sum()
    return (design_effect(metric, tables) - 1) / (float(typical) - 1)


def stage_design_effect(tables: Tables, stage: int) -> float:
    """Return the design effect of one stage's F1 score."""
    tp, fp, fn = np.moveaxis(class_counts(tables)[:, stage].astype(np.float64), -1, 0)
    others = np.zeros_like(tp)
    binary = np.stack([np.stack([others, fp], -1), np.stack([fn, tp], -1)], axis=1)
    return design_effect(f1ci.metrics.f1, binary)


def level_of(quantile: float) -> float:
    """Return the level of a single interval that uses this normal quantile."""
    return float(2 * stats.norm.cdf(quantile) - 1)


def coverage(
    tables: Sequence[Tables],
    size: int,
    *,
    replicates: int,
    confidence_level: float,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Return how often intervals from a few nights hold the truth about all of them, in per cent.

    The nights at hand are the population; each replicate draws `size` of them with replacement.
    With the tables of one network the score is its macro F1. With the tables of two it is the
    second network's macro F1 minus the first network's.
    """
    target = true_score(tables)
    counts = list(map(class_counts, tables))
    level: Any = {"confidence_level": confidence_level}
    drawn = rng.integers(len(tables[0]), size=(replicates, size))
    covered = {}
    for name, method in (("nights, delta method", "delta"), ("nights, logit", "logit")):
        intervals = [by_night([c[some] for c in counts], method=method, **level) for some in drawn]
        covered[name] = share_held(intervals, target)
    if len(tables) == 1:
        intervals = [
            f1ci.Matrix(tables[0][some].sum(axis=0)).interval("macro_f1", method="delta", **level)
            for some in drawn
        ]
        covered["epochs independent"] = share_held(intervals, target)
    return covered


def true_score(tables: Sequence[Tables]) -> float:
    """Return the macro F1 of all nights, or the second network's minus the first network's."""
    scores = [float(np.mean(night_scores(t.sum(axis=0)))) for t in tables]
    return scores[-1] - sum(scores[:-1])


def share_held(intervals: Sequence[f1ci.Interval], target: float) -> float:
    """Return how many intervals hold the truth, in per cent."""
    return 100 * float(np.mean([target in interval for interval in intervals]))


def by_night(counts: Sequence[Tables], **options: Any) -> f1ci.Interval:
    """Return the interval of one network's macro F1, or of the difference of two networks."""
    if len(counts) == 1:
        return f1ci.Units(counts[0]).interval(average="macro", **options)
    both = f1ci.Units({"A": counts[0], "B": counts[1]})
    return both.difference(average="macro", **options).interval
