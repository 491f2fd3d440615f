"""How fast is f1ci, beside bare numpy and beside what a user would pick instead?

Times depend on the machine; ratios of times taken side by side in one run hardly do. So
almost every line compares two calls that answer the same question, and alternates between
them. ``make bench`` runs this file in an environment of its own, which holds the other
packages; one that is not there is named as absent. ``make bench OPTIONS="--big --record"``
adds the two large jobs and writes the file that the book's speed page shows.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import math
import os
import pickle
import signal
import subprocess
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from compendium import ROOT

import f1ci
from benchmarks.environment import best_times, machine, quiet, run_r, versions
from benchmarks.results import RECORDING, Comparison, Growth, Line, save, text
from notebooks.shared import kernels

__all__ = ["BIG", "SECTIONS", "Case", "Sizes", "main", "peer", "run"]

PACKAGES = (
    "f1ci",
    "numpy",
    "scipy",
    "statsmodels",
    "scikit-learn",
    "confidenceinterval",
    "confidence-intervals",
    "prob-conf-mat",
    "distributed",
)
Z = 1.959963984540054
BERT = (77, 44, 10)  # TP, FP and FN of section 6 of Lam, Gopal and Qian
DESIGN = (0.4, 0.1, 0.1, 0.4)  # their scenario 1
# What others call the methods for F*, of which ours are the images.
STATSMODELS = {"wald": "normal", "wilson_indirect": "wilson", "clopper_pearson": "beta"}
SCIPY = {"wilson_indirect": "wilson", "clopper_pearson": "exact"}


@dataclass(frozen=True)
class Sizes:
    """How large the problems are, and how many seconds each time may take to measure."""

    counts: int = 1_000_000
    labels: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6, 10**7)
    classes: tuple[int, ...] = (2, 5, 10, 20, 50, 100)
    items_of_classes: int = 100_000
    metrics: tuple[int, ...] = (1, 2, 3, 5, 8, 11)
    classifiers: tuple[int, ...] = (1, 2, 3, 4, 6)
    quantiles: int = 10_000
    quantiles_in_r: int = 20
    replicates: int = 1_000_000
    resamples: int = 9999
    discordant: int = 1000
    units: int = 100_000
    test_sizes: tuple[int, ...] = (25, 50, 100, 500, 1000, 5000)
    many: int = 10**8
    seconds: float = 1.0


@dataclass(frozen=True)
class Case:
    """Two ways to one answer, to be timed in turns.

    Attributes
    ----------
    question, other : str
        What is asked, and who else answers.
    ours : callable
        Our way.
    theirs : callable or float
        The other way, which takes the modules of `needs`; or a limit in seconds.
    goal : float, optional
        The ratio that was promised.
    needs : tuple of str
        Modules of other packages; without them there is no comparison.
    patience : float
        How many times as long as others it may take to measure.
    """

    question: str
    other: str
    ours: Callable[[], object]
    theirs: Callable[..., object] | float
    goal: float | None = None
    needs: tuple[str, ...] = ()
    patience: float = 1.0

    def measure(self, seconds: float) -> Comparison | None:
        """Best times of both ways; None if a package is absent."""
        modules = [peer(name) for name in self.needs]
        if None in modules:
            return None
        with quiet():
            if callable(self.theirs):
                calls = (self.ours, partial(self.theirs, *modules))
                ours, theirs = best_times(*calls, seconds=seconds * self.patience)
            else:
                (ours,) = best_times(self.ours, seconds=seconds * self.patience)
                theirs = self.theirs
        return Comparison(self.question, self.other, ours, theirs, self.goal)


absent: set[str] = set()


def peer(module: str) -> Any:
    """A package to compare with; None, said aloud once, if it is not installed."""
    try:
        with quiet():
            return importlib.import_module(module)
    except ImportError:
        _is_absent(module.partition(".")[0])
        return None


def _is_absent(name: str) -> None:
    if name not in absent:
        absent.add(name)
        print(f"{name} is not installed: its comparisons are left out")


# --- From counts -------------------------------------------------------------------------------


def one_interval(_: Sizes) -> Iterator[Case]:
    """One interval from three counts."""
    tp, v = BERT[0], sum(BERT)

    def case(method: str, other: str, theirs: Any, goal: float | None = None, *needs: str) -> Case:
        ours = partial(f1ci.f1_interval, *BERT, method=method)
        return Case(f"one interval, {method}", other, ours, theirs, goal, needs)

    for method, name in STATSMODELS.items():
        call = partial(
            lambda package, name: package.proportion_confint(tp, v, method=name), name=name
        )
        yield case(method, f"statsmodels {name}, for F*", call, 1, "statsmodels.stats.proportion")
    for method, name in SCIPY.items():
        call = partial(
            lambda package, name: package.binomtest(tp, v).proportion_ci(method=name), name=name
        )
        yield case(method, f"scipy binomtest {name}, for F*", call, None, "scipy.stats")
    for method in ("wald", "wilson_indirect"):
        yield case(method, "a limit of 30 µs", 30e-6, 1)

    def study(prob_conf_mat: Any) -> None:
        study = prob_conf_mat.Study(seed=0, num_samples=10_000, ci_probability=0.95)
        matrix = [[702, 44], [10, 77]]
        study.add_experiment(
            "test/set", confusion_matrix=matrix, prevalence_prior=1, confusion_prior=1
        )
        study.add_metric("f1")
        study.get_metric_samples("f1", "test/set", "posterior")

    yield Case(
        "one posterior interval",
        "prob-conf-mat, 10,000 draws",
        lambda: f1ci.posterior(*BERT).interval(0.95),
        study,
        needs=("prob_conf_mat",),
    )


def bare_wald(tp: Any, fp: Any, fn: Any) -> tuple[Any, Any, Any]:
    """The formula, without validation and edges: the floor."""
    v = tp + fp + fn
    f = 2 * tp / (tp + v)
    half = Z * np.sqrt(f * (1 - f) * (2 - f) ** 2 / (2 * v))
    return f, f - half, f + half


def bare_wilson(tp: Any, fp: Any, fn: Any) -> tuple[Any, Any, Any]:
    """The formula, without validation and edges: the floor."""
    v = tp + fp + fn
    f, k = tp / v, Z * Z / v
    middle = 2 * f + k
    root = np.sqrt(middle * middle - 4 * (1 + k) * f * f)
    low, high = (middle - root) / (2 * (1 + k)), (middle + root) / (2 * (1 + k))
    return 2 * f / (1 + f), 2 * low / (1 + low), 2 * high / (1 + high)


def a_million_intervals(sizes: Sizes) -> Iterator[Case]:
    """A million intervals at once."""
    counts = np.random.default_rng(1).integers(1, 1000, (3, sizes.counts))
    tp, v = counts[0], counts.sum(axis=0)
    bare = {"wald": bare_wald, "wilson": bare_wilson}

    def confint(package: Any, name: str) -> object:
        return package.proportion_confint(tp, v, method=name)

    def floor(name: str) -> object:
        return bare[name](*counts)

    for method, other, theirs, goal, needs in (
        ("wald", "bare numpy", partial(floor, "wald"), 2, ()),
        ("wilson_indirect", "bare numpy", partial(floor, "wilson"), 2, ()),
        ("wilson_direct", "bare numpy, wilson_indirect", partial(floor, "wilson"), 12, ()),
        *(
            (
                method,
                f"statsmodels {name}, for F*",
                partial(confint, name=name),
                1 if name == "beta" else None,
                ("statsmodels.stats.proportion",),
            )
            for method, name in STATSMODELS.items()
        ),
    ):
        ours = partial(f1ci.f1_interval, *counts, method=method)
        question = f"{sizes.counts:,} intervals, {method}"
        yield Case(question, other, ours, theirs, goal, needs, patience=2)


# --- From labels -------------------------------------------------------------------------------


def labels(n: int, classes: int = 2, *, dtype: type = np.int64) -> tuple[Any, Any]:
    """True and predicted labels, four of five right (and some of the others by chance)."""
    rng = np.random.default_rng(2)
    y_true: Any = rng.integers(0, classes, n).astype(dtype)
    guess: Any = rng.integers(0, classes, n).astype(dtype)
    return y_true, np.where(rng.random(n) < 0.8, y_true, guess)


def a_thousand_labels(_: Sizes) -> Iterator[Case]:
    """One interval from 1000 labels."""
    pair = labels(1000)

    def score(average: str) -> Callable[[], object]:
        return partial(f1ci.f1_score_interval, *pair, average=average)

    matrix = partial(f1ci.confusion_matrix, *pair)
    their_matrix = "scikit-learn confusion_matrix", lambda package: package.confusion_matrix(*pair)
    their_score = (
        "scikit-learn f1_score, no interval",
        lambda package: package.f1_score(*pair),
    )
    for what, ours, (other, theirs), goal in (
        ("F1 interval", score("binary"), their_matrix, 1 / 5),
        ("matrix", matrix, their_matrix, 1 / 5),
        ("F1 interval", score("binary"), their_score, None),
    ):
        yield Case(f"{what} from 1000 labels", other, ours, theirs, goal, ("sklearn.metrics",))
    for average, goal in (("binary", 1 / 20), ("micro", None), ("macro", None)):
        yield Case(
            f"{average} F1 interval from 1000 labels",
            "confidenceinterval, analytic",
            score(average),
            partial(
                lambda package, average: package.f1_score(*pair, average=average), average=average
            ),
            goal,
            ("confidenceinterval",),
        )


def resampling(sizes: Sizes) -> Iterator[Case]:
    """Intervals and a test, against resampling."""
    yield from paired_and_clustered(sizes)
    pair = labels(1000)
    default, fewer = sizes.resamples, max(1, sizes.resamples // 10)

    def bca(package: Any) -> object:
        return package.f1_score(
            *pair, average="binary", method="bootstrap_bca", n_resamples=default
        )

    def luferrer(package: Any, sklearn: Any) -> object:
        return package.evaluate_with_conf_int(
            pair[1], sklearn.f1_score, pair[0], num_bootstraps=fewer + 1
        )

    def by_hand(scipy: Any) -> object:
        return scipy.bootstrap(
            pair, _f1, paired=True, vectorized=True, batch=500, n_resamples=default
        )

    def percentile(scipy: Any, sklearn: Any) -> object:
        return scipy.bootstrap(
            pair,
            sklearn.f1_score,
            paired=True,
            vectorized=False,
            n_resamples=fewer,
            method="percentile",
        )

    sklearn, scipy = "sklearn.metrics", "scipy.stats"
    for other, theirs, needs in (
        (f"confidenceinterval, BCa, {default:,} resamples", bca, ("confidenceinterval",)),
        (
            f"confidence-intervals, {fewer + 1:,} resamples",
            luferrer,
            ("confidence_intervals", sklearn),
        ),
        (f"scipy bootstrap, BCa, {default:,} resamples, bare numpy F1", by_hand, (scipy,)),
        (f"scipy bootstrap, percentile, {fewer:,} resamples", percentile, (scipy, sklearn)),
    ):
        ours = partial(f1ci.f1_score_interval, *pair)
        yield Case("F1 interval from 1000 labels", other, ours, theirs, needs=needs)


def paired_and_clustered(sizes: Sizes) -> Iterator[Case]:
    """Two models on the same items, and many documents."""
    rng = np.random.default_rng(4)
    truth, a = labels(10 * sizes.discordant)
    b = a.copy()
    b[rng.choice(truth.size, sizes.discordant, replace=False)] ^= 1
    swaps, resamples = sizes.resamples + 1, sizes.resamples // 10 + 1
    documents = rng.multinomial(10, (0.6, 0.1, 0.1, 0.2), sizes.units)[:, :3]
    for question, ours, limit, other, theirs in (
        (
            f"paired test, {sizes.discordant:,} discordant items",
            partial(f1ci.difference_test, truth, a, b),
            2e-3,
            f"{swaps:,} random swaps, bare numpy",
            partial(swapped, truth, a, b, swaps),
        ),
        (
            f"F1 interval from {sizes.units:,} documents",
            partial(f1ci.clustered_interval, documents),
            20e-3,
            f"bootstrap of documents, {resamples:,} resamples, bare numpy",
            partial(document_bootstrap, documents, resamples),
        ),
    ):
        yield Case(question, f"a limit of {text(limit)}", ours, limit, 1)
        yield Case(question, other, ours, theirs)


def swapped(truth: Any, a: Any, b: Any, swaps: int) -> float:
    """The p-value of the randomisation test for F1, by random swaps.

    Only predictions that differ are swapped: with others it changes nothing.
    """
    rng = np.random.default_rng(5)
    differ = a != b
    more = (b - a)[differ]
    changes = np.stack([more * truth[differ], more], axis=1).astype(float)
    start = np.array([truth @ a, a.sum()])  # true positives and positives of A
    positives = truth.sum()

    def difference(taken: Any) -> Any:
        """Of one model, which takes B's predictions for some items, and of the other."""
        change = taken @ changes
        one, other = start + change, start + changes.sum(axis=0) - change
        scores = (2 * x[..., 0] / (positives + x[..., 1]) for x in (one, other))
        return abs(next(scores) - next(scores))

    observed = difference(np.ones(len(changes)))
    as_large = 0
    for block in _blocks(range(swaps), size=1000):  # so that little memory is needed
        taken = rng.integers(0, 2, (len(block[0]), len(changes)), np.int8).astype(float)
        as_large += int((difference(taken) >= observed - 1e-12).sum())
    return (1 + as_large) / (1 + swaps)


def document_bootstrap(counts: Any, resamples: int) -> Any:
    """The percentile interval of F1 from documents that are drawn with replacement."""
    rng = np.random.default_rng(6)
    n = len(counts)
    sums = np.array([counts[rng.integers(0, n, n)].sum(axis=0) for _ in range(resamples)])
    return np.quantile(2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1] + sums[:, 2]), [0.025, 0.975])


def _f1(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return 2 * (y_true & y_pred).sum(axis) / (y_true.sum(axis) + y_pred.sum(axis))


# --- Many at once ------------------------------------------------------------------------------


def joint_cells(classifiers: int, count: int, n: int = 1000) -> Any:
    """Joint cells of test sets of n items; each classifier is right on four items of five."""
    truth, *predictions = _outcomes(classifiers)
    right = sum((prediction == truth).astype(int) for prediction in predictions)
    p = 0.5 * 0.8**right * 0.2 ** (classifiers - right)
    return np.random.default_rng(3).multinomial(n, p / p.sum(), size=count)


def _outcomes(classifiers: int) -> Any:
    """Truth and predictions of each joint cell, shape (1 + classifiers, cells)."""
    places = np.arange(classifiers, -1, -1)
    return (np.arange(2 ** (classifiers + 1)) >> places[:, None]) & 1


def joint_quantiles(sizes: Sizes) -> Iterator[Case | Line]:
    """Ten thousand joint quantiles at once."""
    for classifiers, metrics, accuracy, limit in (
        (3, ("f1", "accuracy"), 1e-3, 15.0),
        (4, ("f1", "precision", "accuracy"), 1e-3, None),
    ):
        cells = joint_cells(classifiers, sizes.quantiles)
        # Blurred, so that their rank is full.
        _, covariance = kernels.joint_from_cells(cells, metrics, method="blur")
        scale = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        matrices = covariance / (scale[:, :, None] * scale[:, None, :])
        k = matrices.shape[-1]
        solve = partial(f1ci.equicoordinate_quantile, accuracy=accuracy)
        # Where time is promised, one measurement is not enough.
        patience = sizes.seconds * (1 if limit is None else 12)
        (ours,) = best_times(partial(solve, matrices), seconds=patience)
        if limit is not None:
            question = f"{sizes.quantiles:,} quantiles {k} x {k} to {accuracy:g}"
            yield Comparison(question, f"a limit of {text(limit)}", ours, limit, 1)
        some = matrices[: sizes.quantiles_in_r]
        if answer := _quantiles_in_r(some):
            theirs, quantiles = answer
            apart = float(np.abs(quantiles - solve(some)).max())
            yield Comparison(
                f"one quantile of {sizes.quantiles:,}, {k} x {k} to {accuracy:g}",
                "R mvtnorm::qmvnorm, as it comes",
                ours / sizes.quantiles,
                theirs / len(some),
                note=f"the two differ by at most {apart:.1g}",
            )


_R = """
suppressMessages(library(mvtnorm))
set.seed(1)
rows <- as.matrix(read.table(file("stdin")))
k <- sqrt(ncol(rows))
solve <- function(r) qmvnorm(0.95, tail = "both.tails", corr = matrix(r, k))$quantile
elapsed <- system.time(q <- apply(rows, 1, solve))[["elapsed"]]
cat(elapsed, format(q, digits = 15))
"""


def _quantiles_in_r(matrices: Any) -> tuple[float, Any] | None:
    """Seconds that R itself needs for the quantiles of some matrices, and the quantiles."""
    rows = [" ".join(map(repr, m.ravel().tolist())) for m in matrices]
    try:
        seconds, *quantiles = map(float, run_r(_R, given="\n".join(rows)).split())
    except (OSError, subprocess.CalledProcessError):
        _is_absent("R with mvtnorm")
        return None
    return seconds, np.array(quantiles)


# --- Studies of coverage -----------------------------------------------------------------------


def without_replicates(sizes: Sizes) -> Iterator[Case | Line]:
    """Exact coverage, against simulation that is as accurate."""
    for n in sizes.test_sizes[-2:]:
        exact, batch = best_times(
            partial(f1ci.coverage.exact, n, DESIGN),
            partial(f1ci.coverage.simulate, n, DESIGN, replicates=sizes.replicates, rng=1),
            seconds=sizes.seconds,
        )
        covered = f1ci.coverage.exact(n, DESIGN).coverage
        for error, words in ((1e-4, ""), (1e-9, "what enumeration leaves out; ")):
            needed = covered * (1 - covered) / error**2
            yield Comparison(
                f"exact coverage, n = {n:,}",
                f"{float(f'{needed:.2g}'):,.0f} replicates (standard error {error:g})",
                exact,
                batch * needed / sizes.replicates,
                note=f"{words}from {sizes.replicates:,} replicates",
            )

    def all_tables() -> None:
        for p in (DESIGN, (0.64, 0.16, 0.16, 0.04), (0.16, 0.04, 0.64, 0.16)):
            for n in sizes.test_sizes:
                for method in ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect"):
                    f1ci.coverage.exact(n, p, method=method)

    question = "exact coverage, 18 conditions x 4 methods"
    yield Case(question, "a limit of 3 s", all_tables, 3.0, 1)


def floors(sizes: Sizes) -> Iterator[Case]:
    """What cannot be avoided: drawing numbers, reading labels."""
    for n in (25, 1000):
        rng = np.random.default_rng(1)
        yield Case(
            f"{sizes.replicates:,} replicates, n = {n:,}",
            "drawing them with numpy",
            partial(f1ci.coverage.simulate, n, DESIGN, replicates=sizes.replicates, rng=1),
            partial(rng.multinomial, n, DESIGN, size=sizes.replicates),
        )
    n = sizes.labels[-1]
    for dtype in (np.int64, np.int8):
        pair = labels(n, dtype=dtype)
        yield Case(
            f"F1 interval from {n:,} labels, {np.dtype(dtype)}",
            "one pass: comparing the labels in numpy",
            partial(f1ci.f1_score_interval, *pair),
            partial(one_pass, *pair),
        )


def one_pass(y_true: Any, y_pred: Any) -> int:
    """The least that counting has to do: look at every label once."""
    return int(np.count_nonzero(y_true == y_pred))


# --- Growth ------------------------------------------------------------------------------------

Ways = dict[str, Callable[[], object]]


def _growth(
    question: str, by: str, values: Sequence[int], ways: Callable[[int], Ways], seconds: float
) -> Growth:
    table: dict[str, list[float]] = {}
    for value in values:
        calls = ways(value)
        with quiet():
            times = best_times(*calls.values(), seconds=seconds)
        for name, took in zip(calls, times, strict=True):
            table.setdefault(name, []).append(took)
    return Growth(question, by, values, table)


def growth_in_labels(sizes: Sizes) -> Iterator[Case | Line]:
    """From a thousand labels to ten million."""
    other = peer("confidenceinterval")

    def ways(n: int) -> Ways:
        pair = labels(n)
        calls: Ways = {
            "f1ci, F1": partial(f1ci.f1_score_interval, *pair),
            "f1ci, macro F1": partial(f1ci.f1_score_interval, *pair, average="macro"),
            "numpy, one pass": partial(one_pass, *pair),
        }
        if other:
            calls["confidenceinterval, F1"] = partial(other.f1_score, *pair, average="binary")
        return calls

    found = _growth("interval from labels", "labels", sizes.labels, ways, sizes.seconds)
    yield found
    before, last = sizes.labels[-2:]
    pair = labels(last)
    for average in ("binary", "macro"):
        whole = partial(f1ci.f1_score_interval, average=average)
        yield Case(
            f"{average} F1 interval from {last:,} labels",
            f"the same in {last // before} parts",
            partial(whole, *pair),
            partial(lambda whole: [whole(*part) for part in _blocks(*pair, size=before)], whole),
            1.2,
        )
    if other:
        yield Comparison(
            f"F1 interval from {last:,} labels",
            "confidenceinterval, analytic",
            found.seconds["f1ci, F1"][-1],
            found.seconds["confidenceinterval, F1"][-1],
        )


def growth_in_classes(sizes: Sizes) -> Iterator[Line]:
    """From two classes to a hundred."""
    other = peer("confidenceinterval")

    def ways(r: int) -> Ways:
        pair = labels(sizes.items_of_classes, r)
        matrix = f1ci.confusion_matrix(*pair)
        calls: Ways = {
            "f1ci, from labels": partial(f1ci.f1_score_interval, *pair, average="macro"),
            "f1ci, from the matrix": partial(f1ci.metric_interval, matrix, "macro_f1"),
        }
        if other:
            name = "confidenceinterval, from labels"
            calls[name] = partial(other.f1_score, *pair, average="macro")
        return calls

    question = f"macro F1 from {sizes.items_of_classes:,} labels"
    yield _growth(question, "classes", sizes.classes, ways, sizes.seconds)


def growth_of_joint_intervals(sizes: Sizes) -> Iterator[Line]:
    """Joint intervals: with more metrics, and with more classifiers."""
    names = [name for name, metric in f1ci.metrics.METRICS.items() if metric.binary]

    def ways(classifiers: int, metrics: int) -> Ways:
        cells = joint_cells(classifiers, 1)[0]
        items = np.repeat(_outcomes(classifiers), cells, axis=1)
        named = {f"classifier {i}": column for i, column in enumerate(items[1:])}
        call = partial(f1ci.joint_intervals, items[0], named, names[:metrics])
        _, covariance = kernels.joint_from_cells(cells, names[:metrics], method="cautious")
        quantile = partial(kernels.joint_critical_value, covariance)
        return {"joint_intervals": call, "its quantile": quantile}

    for question, by, values, of in (
        (
            "joint intervals of 2 classifiers, 1000 items",
            "metrics",
            [m for m in sizes.metrics if m <= len(names)],
            lambda m: ways(2, m),
        ),
        (
            "joint intervals of 2 metrics, 1000 items",
            "classifiers",
            sizes.classifiers,
            lambda c: ways(c, 2),
        ),
    ):
        yield _growth(question, by, values, of, sizes.seconds)


# --- Large jobs --------------------------------------------------------------------------------


def many_labels(sizes: Sizes) -> Iterator[Case | Line]:
    """A hundred million labels on disk, counted in little memory."""
    n = sizes.many
    with tempfile.TemporaryDirectory() as folder:
        mapped = [_labels_on_disk(Path(folder) / name, n, seed) for seed, name in enumerate("tp")]
        for what, count in (
            ("binary_counts", f1ci.binary_counts),
            ("confusion_matrix", f1ci.confusion_matrix),
            ("macro F1 interval", partial(f1ci.f1_score_interval, average="macro")),
        ):
            question = f"{what} of {n:,} labels in a memory map"
            ours = partial(count, *mapped)
            yield Case(
                question,
                "one pass: comparing the labels in numpy",
                ours,
                lambda: sum(one_pass(a, b) for a, b in _blocks(*mapped)),
            )
            peak = _peak_memory(ours)
            other = "the labels themselves"
            yield Comparison(f"memory for {question}", other, peak, 2 * n, 1 / 10, unit="B")


def _blocks(*arrays: Any, size: int = 1 << 16) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(arrays[0]), size):
        yield tuple(array[start : start + size] for array in arrays)


def _labels_on_disk(path: Path, n: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        for (block,) in _blocks(range(n), size=1 << 20):
            file.write(rng.integers(0, 2, len(block), dtype=np.int8).tobytes())
    return np.memmap(path, dtype=np.int8, mode="r")


def _peak_memory(call: Callable[[], object]) -> int:
    """Bytes that Python and numpy hold at most during a call; mapped files are not held."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class _Deadly(Executor):
    """An executor that kills a worker once a third of the results are there."""

    def __init__(self, pool: Executor, worker: int) -> None:
        self.pool, self.worker = pool, worker

    def map(self, *arguments: Any, **options: Any) -> Iterator[Any]:
        """Yield the pool's results."""
        batches = len(arguments[-1])
        for done, result in enumerate(self.pool.map(*arguments, **options), 1):
            if done == max(1, batches // 3):
                os.kill(self.worker, signal.SIGKILL)
            yield result


def many_replicates(sizes: Sizes) -> Iterator[Line]:
    """A hundred million replicates on two Dask workers, one of which is killed."""
    distributed = peer("distributed")
    if not distributed:
        return
    options: Any = {"method": "wilson_direct", "replicates": sizes.many, "rng": 1}
    study = partial(f1ci.coverage.simulate, 1000, DESIGN, **options)
    # Without MALLOC_TRIM_THRESHOLD_, which Dask would set for its workers: it makes the C library
    # hand every large array back to the system at once, which takes most of the time.
    environment = {"distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1}}
    with (
        importlib.import_module("dask").config.set(environment),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = sorted(client.run(os.getpid).values())
        begin = time.perf_counter()
        result = study(executor=_Deadly(client.get_executor(), workers[0]))
        ours = time.perf_counter() - begin
    begin = time.perf_counter()
    alone = study()
    theirs = time.perf_counter() - begin
    same = pickle.dumps(alone) == pickle.dumps(result)
    yield Comparison(
        f"{sizes.many:,} replicates, 2 Dask workers, one killed",
        "the same in one process",
        ours,
        theirs,
        note=f"one killed; {'the same bits' if same else 'OTHER BITS'}",
    )


# --- The run -----------------------------------------------------------------------------------

SECTIONS = (
    one_interval,
    a_million_intervals,
    a_thousand_labels,
    resampling,
    joint_quantiles,
    without_replicates,
    floors,
    growth_in_labels,
    growth_in_classes,
    growth_of_joint_intervals,
)
BIG = (many_labels, many_replicates)


def notebook_seconds(folder: Path = ROOT / "_build" / "records") -> dict[str, float]:
    """How long each notebook of the book took when it ran last, if it did."""
    records = (json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")))
    return {r["name"]: r["seconds"] for r in records if not r["error"]}


def run(sections: Sequence[Callable[[Sizes], Iterator[Any]]], sizes: Sizes) -> dict[str, Any]:
    """Run some sections and print their lines; give all of it as data."""
    found: dict[str, Any] = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": machine(),
        "versions": versions(PACKAGES),
        "notebooks": notebook_seconds(),
        "sections": {},
    }
    for section in sections:
        title = (section.__doc__ or "").strip()
        print(f"\n{title}")
        lines: dict[str, Any] = {"title": title, "comparisons": [], "growth": []}
        for case in section(sizes):
            line = case.measure(sizes.seconds) if isinstance(case, Case) else case
            if line is None:
                continue
            print(line, flush=True)
            lines["growth" if isinstance(line, Growth) else "comparisons"].append(asdict(line))
        found["sections"][section.__name__] = lines
    rounded: dict[str, Any] = _rounded(found)
    return rounded


def _rounded(value: Any) -> Any:
    """Four digits of every time; more would be noise."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, (list, tuple)) else value


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print, and record if asked to."""
    known = {section.__name__: section for section in (*SECTIONS, *BIG)}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(known))
    parser.add_argument("--big", action="store_true", help="also the large jobs (minutes)")
    parser.add_argument("--record", action="store_true", help=f"write {RECORDING.name}")
    options = parser.parse_args(arguments)
    for name in options.sections:
        if name not in known:
            parser.error(f"there is no section {name!r}; there are {', '.join(known)}")
    if options.record and (options.sections or not options.big):
        parser.error("only a whole run is recorded: --big --record, without sections")
    sections = [known[name] for name in options.sections] or list(SECTIONS)
    if options.big and not options.sections:
        sections += BIG
    found = run(sections, Sizes())
    if options.record:
        save(found)
        print(f"\nwrote {RECORDING.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
