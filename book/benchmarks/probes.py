"""The questions that the validation page asks of f1ci and of other packages.

The answers of the other packages are data: ``notebooks/data/peers.json``, made by

    make peers

which installs them in an environment of their own (they pin versions that the book
cannot live with) and runs ``benchmarks/peers.py`` there. So the notebook runs anywhere,
and says of when and of which versions the answers are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from compendium import DATA, ROOT, data, write
from compendium.ledger import csv_text
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

import f1ci

__all__ = [
    "CORRELATIONS",
    "DESIGNS",
    "PROBES",
    "Correlation",
    "Design",
    "Line",
    "ask",
    "bootstrap_interval",
    "lines",
    "macro_f1",
    "main",
    "numeric_interval",
    "questions",
    "random_population",
    "recorded",
    "reference_quantile",
]

Array = NDArray[np.float64]

FILE = "peers.json"
SEED = 20260101
LEVEL = 0.95

# True classes in rows, predicted ones in columns; in a 2 x 2 matrix index 1 is positive.
PROBES: dict[str, list[list[int]]] = {
    "a": [[702, 44], [10, 77]],  # lam, section 6
    "b": [[2, 5, 0], [2, 70, 2], [2, 2, 15]],  # takahashi, Table 1a
    "c": [[20, 0], [0, 20]],  # perfect
    "d": [[50, 3], [4, 0]],  # no item of the positive class found
    "e": [[10, 5, 0], [3, 20, 0], [2, 4, 0]],  # class 2 never predicted
}


class Design:
    """A population of items: how they are distributed over the cells of the matrix.

    Parameters
    ----------
    name : str
        What tables call it.
    prevalence : sequence of float
        Shares of the true classes, in any unit.
    accuracy : float
        Share of each class that is predicted right; the wrong predictions fall on the
        other classes in proportion to their prevalence.
    n : int
        Size of a test set.
    """

    def __init__(self, name: str, prevalence: Sequence[float], accuracy: float, n: int) -> None:
        self.name, self.n = name, n
        share = np.array(prevalence, dtype=float)
        share /= share.sum()
        others = np.tile(share, (len(share), 1))
        np.fill_diagonal(others, 0.0)
        others /= others.sum(axis=1, keepdims=True)
        self.cells: Array = share[:, None] * (
            accuracy * np.eye(len(share)) + (1.0 - accuracy) * others
        )
        self.truth = float(macro_f1(self.cells))


def macro_f1(p: Any) -> Any:
    """The mean over classes of 2 TP / (2 TP + FP + FN), from matrices (..., r, r)."""
    right = np.diagonal(p, axis1=-2, axis2=-1)
    return (2 * right / (p.sum(axis=-1) + p.sum(axis=-2))).mean(axis=-1)


DESIGNS: dict[str, Design] = {
    "balanced": Design("three equal classes, accuracy 0.8", [1, 1, 1], 0.8, 500),
    "rare": Design("90/5/5, accuracy 0.8", [90, 5, 5], 0.8, 500),
    "nine-rare": Design("ten classes, nine of 1 %, accuracy 0.8", [91] + [1] * 9, 0.8, 1000),
    "near-perfect": Design("two equal classes, accuracy 0.98", [1, 1], 0.98, 400),
    "small": Design("90/5/5, accuracy 0.8, small", [90, 5, 5], 0.8, 100),
    "many": Design("ten equal classes, accuracy 0.99", [1] * 10, 0.99, 200),
}


@dataclass(frozen=True)
class Correlation:
    """A correlation matrix, and P(every |Z_k| < q) by integrals over one variable."""

    matrix: Array
    probability: Callable[[float], float]


def _equal(k: int, rho: float) -> Correlation:
    """All correlations equal: independent given one common normal variable."""
    node, weight = np.polynomial.hermite_e.hermegauss(200)
    weight = weight / weight.sum()
    root, rest = np.sqrt(rho), np.sqrt(1.0 - rho)

    def probability(q: float) -> float:
        inside = ndtr((q - root * node) / rest) - ndtr((-q - root * node) / rest)
        return float(weight @ inside**k)

    return Correlation((1.0 - rho) * np.eye(k) + rho, probability)


def _chain(k: int, rho: float) -> Correlation:
    """Correlations rho^|i - j|: a Markov chain, so one integral after another."""
    place = np.arange(k)
    rest = np.sqrt(1.0 - rho**2)

    def probability(q: float) -> float:
        node, weight = np.polynomial.legendre.leggauss(200)
        node, weight = q * node, q * weight
        # From each place (column) to each next one (row).
        density = np.exp(-0.5 * ((node[:, None] - rho * node) / rest) ** 2)
        density /= rest * np.sqrt(2.0 * np.pi)
        stay = np.ones(len(node))  # the chance to stay inside from each place on
        for _ in range(k - 1):
            stay = (weight * stay) @ density
        return float((weight * np.exp(-0.5 * node**2) / np.sqrt(2.0 * np.pi)) @ stay)

    return Correlation(rho ** np.abs(place[:, None] - place), probability)


def _fan(k: int) -> Correlation:
    """Variables that two independent ones determine: an integral over their angle."""
    angle = np.pi * np.arange(k) / k

    def probability(q: float) -> float:
        turn = 2.0 * np.pi * (np.arange(100_000) + 0.5) / 100_000
        longest = np.abs(np.cos(turn[:, None] - angle)).max(axis=1)
        return float((1.0 - np.exp(-0.5 * (q / longest) ** 2)).mean())

    return Correlation(np.cos(angle[:, None] - angle), probability)


CORRELATIONS: dict[str, Correlation] = {
    "independent, k = 3": _equal(3, 0.0),
    "equal 0.5, k = 4": _equal(4, 0.5),
    "equal 0.9, k = 10": _equal(10, 0.9),
    "0.7^|i-j|, k = 6": _chain(6, 0.7),
    "0.3^|i-j|, k = 12": _chain(12, 0.3),
    "singular (rank 2), k = 4": _fan(4),
}


def reference_quantile(correlation: Correlation, level: float = LEVEL) -> float:
    """The equicoordinate quantile from the one-dimensional integrals."""
    return float(brentq(lambda q: correlation.probability(q) - level, 1.0, 5.0, xtol=1e-12))


def random_population(rng: np.random.Generator) -> tuple[Array, int]:
    """Cell probabilities and a size of test set such that no class is smaller than eight items.

    Two to ten classes, more or less unequal, predicted badly, well or almost perfectly.
    """
    r = int(rng.choice([2, 3, 5, 10]))
    prevalence = np.maximum(rng.dirichlet(np.full(r, rng.choice([0.5, 1.0, 5.0]))), 0.005)
    prevalence /= prevalence.sum()
    accuracy = rng.beta(*[(8, 2), (2, 2), (50, 1)][rng.integers(3)], size=r)
    cells = np.diag(accuracy * prevalence)
    for i in range(r):
        others = np.arange(r) != i
        wrong = (1.0 - accuracy[i]) * prevalence[i]
        cells[i, others] = wrong * rng.dirichlet(np.ones(r - 1))
    smallest = (cells.sum(axis=0) + cells.sum(axis=1) - cells.diagonal()).min()
    return cells, int(np.ceil(rng.choice([8, 20, 100]) / smallest))


def bootstrap_interval(
    table: Any, resamples: int, rng: np.random.Generator, level: float = LEVEL
) -> tuple[float, float]:
    """Percentile bootstrap for macro F1, the mean over the classes that a resample holds.

    Drawing n items with replacement is drawing their cells from a multinomial
    distribution, so no label is needed.
    """
    counts = np.asarray(table)
    n = int(counts.sum())
    drawn = rng.multinomial(n, counts.ravel() / n, size=resamples).reshape(-1, *counts.shape)
    total = drawn.sum(axis=1) + drawn.sum(axis=2)
    right = np.diagonal(drawn, axis1=1, axis2=2)
    scores = (2 * right / np.maximum(total, 1)).sum(axis=1) / (total > 0).sum(axis=1)
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def numeric_interval(matrix: Any, metric: Callable[[Any], Any], level: float = LEVEL) -> Any:
    """Delta-method interval that shares no formula with f1ci: central differences.

    Parameters
    ----------
    matrix : array_like
        Counts.
    metric : callable
        Takes a matrix of proportions that need not add up to one.
    level : float
        The nominal level.

    Returns
    -------
    tuple of float
        Estimate, low, high.
    """
    counts = np.asarray(matrix, dtype=float)
    n = counts.sum()
    p = counts / n
    step = 1e-6
    gradient = np.empty(p.size)
    for cell in range(p.size):
        up, down = p.ravel().copy(), p.ravel().copy()
        up[cell] += step
        down[cell] -= step
        gradient[cell] = (metric(up.reshape(p.shape)) - metric(down.reshape(p.shape))) / (2 * step)
    flat = p.ravel()
    variance = gradient @ (np.diag(flat) - np.outer(flat, flat)) @ gradient / n
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(max(variance, 0.0))
    estimate = float(metric(p))
    return estimate, estimate - half, estimate + half


@dataclass(frozen=True)
class Line:
    """One interval for one metric of one probe, and what is to be said of it."""

    package: str
    method: str
    estimate: float
    low: float
    high: float
    remark: str


# What f1ci offers for a metric, the default first.
OURS = {
    "f1": ("wilson_indirect", "wilson_direct", "clopper_pearson", "wald"),
    "micro_f1": ("score", "cautious", "delta"),
}
_OURS_OTHERWISE = ("score", "delta", "logit")
# The metrics as plain functions of a matrix, for the numeric delta method.
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "f1": lambda p: 2 * p[1, 1] / (p[1].sum() + p[:, 1].sum()),
    "micro_f1": lambda p: np.trace(p) / p.sum(),
    "macro_f1": macro_f1,
    "macro_precision": lambda p: (p.diagonal() / p.sum(axis=0)).mean(),
    "macro_recall": lambda p: (p.diagonal() / p.sum(axis=1)).mean(),
}


def lines(probe: str, metric: str, answers: dict[str, Any]) -> list[Line]:
    """Every answer to a probe: the numeric delta method, f1ci, the other packages."""
    matrix = PROBES[probe]
    with np.errstate(invalid="ignore", divide="ignore"):
        numeric = numeric_interval(matrix, _PLAIN[metric])
    found = [_line("reference", "delta method, numeric", numeric, "")]
    found += [_ours(matrix, metric, method) for method in OURS.get(metric, _OURS_OTHERWISE)]
    for row in answers["intervals"]:
        if (row["probe"], row["metric"]) == (probe, metric):
            values = [np.nan if row[k] is None else row[k] for k in ("estimate", "low", "high")]
            problem = row["message"] or ", ".join(row["warnings"])
            found.append(_line(row["package"], row["method"], values, problem))
    return found


def _ours(matrix: list[list[int]], metric: str, method: str) -> Line:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        interval: Any
        if metric == "f1":
            (_, fp), (fn, tp) = matrix
            interval = f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=LEVEL)
        else:
            name, _, inner = metric.partition("_")
            plain = inner in ("precision", "recall")
            interval = f1ci.metric_interval(
                matrix,
                f1ci.metrics.macro(inner) if plain else f"{name}_{inner}",
                method=method,
                confidence_level=LEVEL,
            )
    problem = ", ".join(sorted({warning.category.__name__ for warning in caught}))
    return _line("f1ci", method, (interval.estimate, interval.low, interval.high), problem)


def _line(package: str, method: str, values: Sequence[float], problem: str) -> Line:
    """An interval, and what a reader must know of it by its numbers and by what was warned."""
    estimate, low, high = values
    facts = []
    if np.isnan(low) or np.isnan(high):
        facts.append("no interval")
    elif high - low < 1e-12:
        facts.append("no width")
    elif low < 0 or high > 1:
        facts.append("leaves [0, 1]")
    if estimate < low - 1e-12 or estimate > high + 1e-12:
        facts.append("excludes its estimate")
    remark = "; ".join([*facts, problem] if problem else facts)
    return Line(package, method, estimate, low, high, remark)


def questions(*, replicates: int = 10_000, posterior_replicates: int = 1_000) -> dict[str, Any]:
    """What the other packages are asked."""
    return {
        "probes": PROBES,
        "resamples": 999,
        "level": LEVEL,
        "quantiles": {name: c.matrix.tolist() for name, c in CORRELATIONS.items()},
        "designs": {
            key: {"cells": design.cells.tolist(), "n": design.n, "truth": design.truth}
            for key, design in DESIGNS.items()
        },
        "replicates": replicates,
        "posterior_replicates": posterior_replicates,
        "seed": SEED,
    }


def ask(python: str | Path, asked: dict[str, Any]) -> dict[str, Any]:
    """The answers of the packages that are installed beside a Python interpreter."""
    done = subprocess.run(
        [str(python), "-m", "benchmarks.peers"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "book")},
    )
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def recorded() -> dict[str, Any]:
    """The answers that are kept with the book."""
    answers: dict[str, Any] = json.loads(data.read_verified(FILE))
    return answers


def main() -> int:
    """Ask all questions and keep the answers."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probes", description=__doc__)
    parser.add_argument("python", help="interpreter of the other packages' environment")
    asked = questions()
    answers = ask(parser.parse_args().python, asked) | {"asked": asked}
    text = json.dumps(answers, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write(DATA / FILE, text)
    entries = data.sources()
    versions = ", ".join(f"{name} {version}" for name, version in answers["versions"].items())
    entries[FILE] = {
        "file": FILE,
        "rows": str(text.count("\n")),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "made_by": "make peers",
        "made_with": versions,
        "source": f"the packages' own answers to benchmarks/probes.py, on {answers['date']}",
        "licence": "numbers are facts; the file is CC BY 4.0",
        "citation": "The packages named in made_with.",
    }
    columns = list(entries[FILE])
    write(DATA / "sources.csv", csv_text(columns, entries.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
