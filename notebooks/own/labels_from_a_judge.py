"""A judge that labels all items, people who check some, and intervals that use both.

A design says how often truth, a model's prediction and the judge's label occur together. From it
come pools of items; the intervals of several ways to use a judge are counted in them.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from compendium.data import read_verified
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

import f1ci

Array: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.intp]
Generator: TypeAlias = np.random.Generator

STAGES = ("W", "N1", "N2", "N3", "REM")


class Design(NamedTuple):
    """How often the judge, the model and the truth go together, and how much of it is seen.

    Attributes
    ----------
    cells : ndarray, shape (r, r, r)
        Probabilities by true class, prediction and judge's label.
    checked : int
        The number of items that people check.
    pool : int
        The number of all items.
    metric : str
        The score that is wanted.
    """

    cells: Array
    checked: int
    pool: int
    metric: str

    @property
    def truth(self) -> float:
        """The score in the population."""
        return float(f1ci.metrics.get(self.metric).value(self.cells.sum(axis=2)))


class Pool(NamedTuple):
    """Items: their truth, what a model predicts, and what a judge says; people check the first."""

    truth: Codes
    prediction: Codes
    judge: Codes


def cells_of(shares: Array, right: Array, judge_right: float, copied: float) -> Array:
    """Return the probabilities of truth, prediction and judge's label.

    The model is right with a probability for each class, and otherwise predicts any other class.
    The judge is so too, but copies a share of the model's errors.
    """
    r = len(shares)
    same = np.eye(r)
    model = np.where(same, right[:, None], (1 - right[:, None]) / (r - 1))
    judge = np.where(same, judge_right, (1 - judge_right) / (r - 1))[:, None, :]
    wrong = (1 - same)[:, :, None]
    judge = judge * (1 - copied * wrong) + copied * wrong * same[None, :, :]
    return np.asarray(shares[:, None, None] * model[:, :, None] * judge)


def drawn_design(rng: Generator) -> Design:
    """Draw a design: 2 to 4 classes, 60 to 400 checked items, a good or a poor judge."""
    r = int(rng.integers(2, 5))
    shares = 0.1 + (1 - 0.1 * r) * rng.dirichlet(np.ones(r))
    cells = cells_of(
        shares, rng.uniform(0.6, 0.95, r), rng.uniform(0.75, 0.98), rng.uniform(0, 0.5)
    )
    checked = int(rng.integers(60, 401))
    pool = checked * int(rng.choice([5, 20, 50]))
    return Design(cells, checked, pool, "f1" if r == 2 else "macro_f1")


def rare_design(positive: float, checked: int) -> Design:
    """Return a design with few positives, which the judge often misses."""
    cells = cells_of(np.array([1 - positive, positive]), np.array([0.98, 0.75]), 0.95, 0.2)
    return Design(cells, checked, 30 * checked, "f1")


def drawn_pool(design: Design, rng: Generator) -> Pool:
    """Draw the items of a pool."""
    cell = rng.choice(design.cells.size, design.pool, p=design.cells.ravel())
    return Pool(*np.unravel_index(cell, design.cells.shape))


def gold(truth: Codes, places: Codes) -> list[int | None]:
    """Return the truth at the places that people looked at, and None elsewhere."""
    labels = np.full(len(truth), None, dtype=object)
    labels[places] = truth[places]
    return list(labels)


Limits: TypeAlias = tuple[float, float]
Way: TypeAlias = Callable[[Pool, int, str, Generator], Limits]


def people_only(pool: Pool, checked: int, metric: str, _: Generator) -> Limits:
    """Return the score limits from the checked items alone."""
    low, high = f1ci.score_interval(pool.truth[:checked], pool.prediction[:checked], metric)
    return low, high


def judge_as_truth(pool: Pool, _: int, metric: str, __: Generator) -> Limits:
    """Return the score limits that take the judge's labels for the truth."""
    low, high = f1ci.score_interval(pool.judge, pool.prediction, metric)
    return low, high


def prediction_powered(pool: Pool, checked: int, metric: str, _: Generator) -> Limits:
    """Return the prediction-powered limits, on the logit scale; if nothing was found 0 and 1."""
    estimate, error, _tuning = ppi(pool, checked, metric)
    if np.isnan(estimate):
        return 0.0, 1.0
    inside = np.clip(estimate, 0.5 / checked, 1 - 0.5 / checked)
    half = ndtri(0.975) * error / (inside * (1 - inside))
    low, high = expit(logit(inside) + np.array([-half, half]))
    return low, high


def people_and_judge(pool: Pool, checked: int, metric: str, _: Generator) -> Limits:
    """Return the limits of `f1ci.Labels` with ``judge=``; people check random items."""
    labels = gold(pool.truth, np.arange(checked))
    low, high = f1ci.Labels(labels, pool.prediction, judge=pool.judge).interval(metric)
    return low, high


def planned(pool: Pool, checked: int, metric: str, rng: Generator) -> Limits:
    """Return the same limits if people check the items of `f1ci.label_plan`."""
    places = planned_places(pool, checked, metric, rng)
    labels = gold(pool.truth, places)
    low, high = f1ci.Labels(labels, pool.prediction, judge=pool.judge).interval(metric)
    return low, high


def planned_places(pool: Pool, checked: int, metric: str, rng: Generator) -> Codes:
    """Return the places of the items that a plan draws at random from each stratum."""
    plan = f1ci.label_plan(pool.prediction, pool.judge, checked, metric)
    drawn = [
        rng.choice(np.flatnonzero((pool.prediction == p) & (pool.judge == j)), n, replace=False)
        for (p, j), n in plan.items()
    ]
    return np.concatenate(drawn)


WAYS: dict[str, Way] = {
    "people only": people_only,
    "judge as truth": judge_as_truth,
    "prediction-powered": prediction_powered,
    "people and judge": people_and_judge,
    "planned": planned,
}


def ppi(pool: Pool, checked: int, metric: str) -> tuple[float, float, float]:
    """Return the prediction-powered estimate of a metric, its standard error and the tuning.

    Angelopoulos, Duchi and Zrnic (2023, PPI++): the table of the checked items, plus lambda times
    what the judge's table of the other items has more than that of the checked ones. lambda has
    the least variance for the influences at that table; the two are found in turn.
    """
    r = int(max(map(np.max, pool))) + 1
    theta = f1ci.metrics.get(metric)
    n, rest = checked, len(pool.truth) - checked
    own = slice(0, checked)
    truth = _table(pool.truth[own], pool.prediction[own], r)
    judged = _table(pool.judge[own], pool.prediction[own], r)
    change = _table(pool.judge[checked:], pool.prediction[checked:], r) - judged
    tuning, at, g = 1.0, truth, np.zeros((r, r))
    for _ in range(3):
        at = np.clip(truth + tuning * change, 1e-6, None)
        g = theta.gradient(at / at.sum())
        of_truth = g[pool.truth[own], pool.prediction[own]]
        proxy = g[pool.judge, pool.prediction]
        both = np.cov(of_truth, proxy[own], ddof=0)[0, 1]
        spread = float(np.var(proxy, ddof=1))
        tuning = float(np.clip(both / ((1 + n / rest) * spread), 0, 1)) if spread else 0.0
    at = np.clip(truth + tuning * change, 0, None)
    variance = np.var(of_truth - tuning * proxy[own]) / n + tuning**2 * np.var(proxy[n:]) / rest
    return float(theta.value(at / at.sum())), float(np.sqrt(variance)), tuning


def _table(rows: Codes, columns: Codes, r: int) -> Array:
    """Return the shares of the cells."""
    return np.bincount(rows * r + columns, minlength=r * r).reshape(r, r) / len(rows)


def study(design: Design, place: int, replicates: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return how often each way covers the true score, and its mean length."""
    limits: dict[str, list[Limits]] = {name: [] for name in WAYS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)  # odd test sets are outcomes here
        for k in range(replicates):
            rng = np.random.default_rng([seed, place, k])
            pool = drawn_pool(design, rng)
            for name, way in WAYS.items():
                limits[name].append(way(pool, design.checked, design.metric, rng))
    return {name: covered_and_length(found, design.truth) for name, found in limits.items()}


def covered_and_length(limits: list[Limits], truth: float) -> tuple[float, float]:
    """Return how often limits contain the truth, and their mean length."""
    low, high = np.array(limits).T
    return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def studies(
    designs: Sequence[Design], replicates: int, seed: int, executor: Executor | None = None
) -> dict[str, Array]:
    """Return coverage and mean length of each way in each design, (designs, 2)."""
    mapped = map if executor is None else executor.map
    of_design = partial(study, replicates=replicates, seed=seed)
    found = list(mapped(of_design, designs, range(len(designs))))
    return {name: np.array([row[name] for row in found]) for name in WAYS}


def two_models(rng: Generator, pool: int) -> tuple[Pool, Codes]:
    """Return items with a judge that copies half of model A's errors, and what model B predicts."""
    truth = (rng.random(pool) < 0.3).astype(np.intp)
    a = np.where(rng.random(pool) < 0.80, truth, 1 - truth)
    b = np.where(rng.random(pool) < 0.87, truth, 1 - truth)
    judge = np.where(rng.random(pool) < 0.95, truth, 1 - truth)
    judge = np.where((a != truth) & (rng.random(pool) < 0.5), a, judge)
    return Pool(truth, a, judge), b


def sleep(model: str, judge: str) -> Pool:
    """Return half-minutes of sleep: the stage by four scorers, a network's, and another's."""
    frame = pd.read_csv(io.BytesIO(read_verified("dreem-2020-sleep-stages.csv")))
    rows = frame.loc[frame.index.repeat(frame["epochs"])]
    columns = (rows[name].to_numpy(np.intp) for name in ("consensus", model, judge))
    return Pool(*columns)


def gain() -> float:
    """Return what B gains in `two_models`: the difference of the true F1 scores."""
    of_a, of_b = (cells_of(np.array([0.7, 0.3]), np.full(2, p), 1.0, 0.0) for p in (0.80, 0.87))
    a, b = (float(f1ci.metrics.f1.value(cells.sum(axis=2))) for cells in (of_a, of_b))
    return b - a
