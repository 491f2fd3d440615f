"""How fast is f1ci, beside bare numpy and beside what a user would pick instead?

Times depend on the machine; ratios of times taken side by side in one run hardly do. So
almost every line compares two calls that answer the same question, and alternates between
them. ``make bench`` runs this file in an environment of its own, which holds the other
packages; one that is not there is named as absent. ``make bench OPTIONS="--big --record"``
adds the two large jobs and writes the file that the book's speed page shows.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import io
import json
import logging
import math
import os
import pickle
import platform
import shutil
import signal
import subprocess
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import f1ci
from compendium import DATA, ROOT

__all__ = ["RECORDING", "Comparison", "Growth", "Sizes", "load", "main", "share", "text"]

RECORDING = DATA / "bench.json"
PACKAGES = (
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
    test_sizes: tuple[int, ...] = (25, 50, 100, 500, 1000, 5000)
    many: int = 10**8
    seconds: float = 1.0


@dataclass(frozen=True)
class Comparison:
    """Two ways to the same answer; `goal` bounds the ratio of ours to theirs.

    Attributes
    ----------
    question, other : str
        What is asked, and who else answers.
    ours, theirs : float
        Seconds, or what `unit` says.
    goal : float, optional
        The ratio that was promised.
    unit : {"s", "B"}
        Seconds or bytes.
    note : str
        What a reader has to know.
    """

    question: str
    other: str
    ours: float
    theirs: float
    goal: float | None = None
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        """Ours in units of theirs."""
        return self.ours / self.theirs

    @property
    def verdict(self) -> str:
        """Whether the goal was met, by word; empty without a goal."""
        if self.goal is None:
            return ""
        return "met" if self.ratio <= self.goal else "missed"

    def __str__(self) -> str:
        goal = "" if self.goal is None else f"  goal {share(self.goal)}: {self.verdict}"
        return (
            f"{self.question:<50}{text(self.ours, self.unit):>10}  {self.other:<46}"
            f"{text(self.theirs, self.unit):>10}  {share(self.ratio):>8} of it{goal}"
            f"{f'  ({self.note})' if self.note else ''}"
        )


@dataclass(frozen=True)
class Growth:
    """How times grow with a size: `seconds` has one list of times for each way."""

    question: str
    by: str
    sizes: Sequence[int]
    seconds: dict[str, list[float]]

    def __str__(self) -> str:
        lines = [f"{self.question:<50}" + "".join(f"{size:>11,}" for size in self.sizes)]
        for name, times in self.seconds.items():
            lines.append(f"  {name:<48}" + "".join(f"{text(took):>11}" for took in times))
        return "\n".join([f"{lines[0]}  {self.by}", *lines[1:]])


Line = Comparison | Growth


SCALES = {
    "s": [
        (365.25 * 86400, "years"),
        (86400.0, "days"),
        (3600.0, "h"),
        (60.0, "min"),
        (1.0, "s"),
        (1e-3, "ms"),
        (1e-6, "µs"),
        (1e-9, "ns"),
    ],
    "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")],
}


def text(value: float, unit: str = "s") -> str:
    """A duration or a number of bytes as a person writes it: 1.25 ms, 3.1 MB."""
    scales = SCALES[unit]
    # What rounds to 1000 µs is 1 ms.
    size, name = next((s for s in scales if float(f"{value:.3g}") >= s[0]), scales[-1])
    number = float(f"{value / size:.3g}")
    return f"{number:,.0f} {name}" if number >= 100 else f"{number:g} {name}"


def share(ratio: float) -> str:
    """A ratio as a person writes it: 1.3, or 1/24."""
    if ratio >= 1:
        return f"{float(f'{ratio:.2g}'):,g}"
    if ratio == 0:
        return "0"
    inverse = float(f"{1 / ratio:.2g}")
    if inverse < 1.1:
        return "1"
    return f"1/{inverse:,g}" if inverse < 1e7 else f"1/{inverse:.0e}"


def best_times(*calls: Callable[[], object], seconds: float) -> list[float]:
    """Best time of each call, taken in turns until each has used about `seconds`.

    Short calls are timed in loops of a hundredth of a second. A call that takes longer
    than `seconds` is timed once or twice.
    """
    loops = []
    best = []
    begin = time.perf_counter()
    for call in calls:
        first = _seconds(call)
        if first < seconds:
            first = min(first, _seconds(call))
        loops.append(max(1, int(min(0.01, seconds) / max(first, 1e-7))))
        best.append(first)
    while time.perf_counter() - begin < seconds * len(calls):
        for i, (call, count) in enumerate(zip(calls, loops, strict=True)):
            best[i] = min(best[i], _seconds(call, count))
    return best


def _seconds(call: Callable[[], object], count: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings and the progress bars of other packages."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


absent: set[str] = set()


def peer(module: str) -> Any:
    """A package to compare with; None, said aloud once, if it is not installed."""
    try:
        with quiet():
            return importlib.import_module(module)
    except ImportError:
        return _is_absent(module.partition(".")[0])


def _is_absent(name: str) -> None:
    if name not in absent:
        absent.add(name)
        print(f"{name} is not installed: its comparisons are left out")


# --- From counts -------------------------------------------------------------------------------


def one_interval(sizes: Sizes) -> Iterator[Line]:
    """One interval from three counts."""

    def ours(method: str) -> Callable[[], object]:
        return lambda: f1ci.f1_interval(*BERT, method=method)

    def against(
        method: str, other: str, call: Callable[[], object], goal: float | None = None
    ) -> Comparison:
        times = best_times(ours(method), call, seconds=sizes.seconds)
        return Comparison(f"one interval, {method}", other, *times, goal)

    tp, wrong = BERT[0], BERT[1] + BERT[2]
    if statsmodels := peer("statsmodels.stats.proportion"):
        for method, theirs in (
            ("wald", "normal"),
            ("wilson_indirect", "wilson"),
            ("clopper_pearson", "beta"),
        ):
            call = partial(statsmodels.proportion_confint, tp, tp + wrong, method=theirs)
            yield against(method, f"statsmodels {theirs}, for F*", call, 1)
    if scipy := peer("scipy.stats"):
        for method, theirs in (("wilson_indirect", "wilson"), ("clopper_pearson", "exact")):
            yield against(
                method,
                f"scipy binomtest {theirs}, for F*",
                lambda theirs=theirs: scipy.binomtest(tp, tp + wrong).proportion_ci(method=theirs),
            )
    for method in ("wald", "wilson_indirect"):
        (seconds,) = best_times(ours(method), seconds=sizes.seconds)
        yield Comparison(f"one interval, {method}", "a limit of 30 µs", seconds, 30e-6, 1)
    if prob_conf_mat := peer("prob_conf_mat"):
        matrix = [[702, 44], [10, 77]]

        def study() -> None:
            study = prob_conf_mat.Study(seed=0, num_samples=10_000, ci_probability=0.95)
            study.add_experiment(
                "test/set", confusion_matrix=matrix, prevalence_prior=1, confusion_prior=1
            )
            study.add_metric("f1")
            study.get_metric_samples("f1", "test/set", "posterior")

        with quiet():
            times = best_times(
                lambda: f1ci.posterior(*BERT).interval(0.95), study, seconds=sizes.seconds
            )
        yield Comparison("one posterior interval", "prob-conf-mat, 10,000 draws", *times)


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


def a_million_intervals(sizes: Sizes) -> Iterator[Line]:
    """A million intervals at once."""
    rng = np.random.default_rng(1)
    tp, fp, fn = rng.integers(1, 1000, (3, sizes.counts))

    def against(
        method: str, other: str, call: Callable[[], object], goal: float | None
    ) -> Comparison:
        times = best_times(
            lambda: f1ci.f1_interval(tp, fp, fn, method=method), call, seconds=2 * sizes.seconds
        )
        return Comparison(f"{sizes.counts:,} intervals, {method}", other, *times, goal)

    yield against("wald", "bare numpy", lambda: bare_wald(tp, fp, fn), 2)
    yield against("wilson_indirect", "bare numpy", lambda: bare_wilson(tp, fp, fn), 2)
    indirect = "bare numpy, wilson_indirect"
    yield against("wilson_direct", indirect, lambda: bare_wilson(tp, fp, fn), 12)
    if statsmodels := peer("statsmodels.stats.proportion"):
        for method, theirs, goal in (
            ("wald", "normal", None),
            ("wilson_indirect", "wilson", None),
            ("clopper_pearson", "beta", 1),
        ):
            yield against(
                method,
                f"statsmodels {theirs}, for F*",
                lambda theirs=theirs: statsmodels.proportion_confint(
                    tp, tp + fp + fn, method=theirs
                ),
                goal,
            )


# --- From labels -------------------------------------------------------------------------------


def labels(n: int, classes: int = 2, *, dtype: type = np.int64) -> tuple[Any, Any]:
    """True and predicted labels, four of five right (and some of the others by chance)."""
    rng = np.random.default_rng(2)
    y_true = rng.integers(0, classes, n).astype(dtype)
    guess = rng.integers(0, classes, n).astype(dtype)
    return y_true, np.where(rng.random(n) < 0.8, y_true, guess)


def a_thousand_labels(sizes: Sizes) -> Iterator[Line]:
    """One interval from 1000 labels."""
    y_true, y_pred = labels(1000)

    def against(
        question: str,
        ours: Callable[[], object],
        other: str,
        theirs: Callable[[], object],
        goal: float | None = None,
    ) -> Comparison:
        times = best_times(ours, theirs, seconds=sizes.seconds)
        return Comparison(f"{question} from 1000 labels", other, *times, goal)

    def score(average: str) -> Callable[[], object]:
        return lambda: f1ci.f1_score_interval(y_true, y_pred, average=average)

    if sklearn := peer("sklearn.metrics"):
        matrix = (
            "scikit-learn confusion_matrix",
            lambda: sklearn.confusion_matrix(y_true, y_pred),
            1 / 5,
        )
        yield against("F1 interval", score("binary"), *matrix)
        yield against("matrix", lambda: f1ci.confusion_matrix(y_true, y_pred), *matrix)
        yield against(
            "F1 interval",
            score("binary"),
            "scikit-learn f1_score, no interval",
            lambda: sklearn.f1_score(y_true, y_pred),
        )
    if confidenceinterval := peer("confidenceinterval"):
        for average, goal in (("binary", 1 / 20), ("micro", None), ("macro", None)):
            yield against(
                f"{average} F1 interval",
                score(average),
                "confidenceinterval, analytic",
                lambda average=average: confidenceinterval.f1_score(
                    y_true, y_pred, average=average
                ),
                goal,
            )


def resampling(sizes: Sizes) -> Iterator[Line]:
    """One interval from 1000 labels, against the bootstrap."""
    y_true, y_pred = labels(1000)
    default, fewer = sizes.resamples, max(1, sizes.resamples // 10)

    def against(other: str, theirs: Callable[[], object]) -> Comparison:
        with quiet():
            times = best_times(
                lambda: f1ci.f1_score_interval(y_true, y_pred), theirs, seconds=sizes.seconds
            )
        return Comparison("F1 interval from 1000 labels", other, *times)

    sklearn, scipy = peer("sklearn.metrics"), peer("scipy.stats")
    if confidenceinterval := peer("confidenceinterval"):
        yield against(
            f"confidenceinterval, BCa, {default:,} resamples",
            lambda: confidenceinterval.f1_score(
                y_true, y_pred, average="binary", method="bootstrap_bca", n_resamples=default
            ),
        )
    luferrer = peer("confidence_intervals")
    if luferrer and sklearn:
        yield against(
            f"confidence-intervals, {fewer + 1:,} resamples",
            lambda: luferrer.evaluate_with_conf_int(
                y_pred, sklearn.f1_score, y_true, num_bootstraps=fewer + 1
            ),
        )
    if scipy:
        hand = partial(
            scipy.bootstrap, (y_true, y_pred), _f1, paired=True, vectorized=True, batch=500
        )
        yield against(
            f"scipy bootstrap, BCa, {default:,} resamples, bare numpy F1",
            lambda: hand(n_resamples=default),
        )
    if scipy and sklearn:
        yield against(
            f"scipy bootstrap, percentile, {fewer:,} resamples",
            lambda: scipy.bootstrap(
                (y_true, y_pred),
                sklearn.f1_score,
                paired=True,
                vectorized=False,
                n_resamples=fewer,
                method="percentile",
            ),
        )


def _f1(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return 2 * (y_true & y_pred).sum(axis) / (y_true.sum(axis) + y_pred.sum(axis))


# --- Many at once ------------------------------------------------------------------------------


def joint_cells(classifiers: int, count: int, n: int = 1000) -> Any:
    """Joint cells of test sets of n items; each classifier is right on four items of five."""
    places = np.arange(classifiers, -1, -1)
    bits = (np.arange(2 ** (classifiers + 1))[:, None] >> places) & 1
    right = (bits[:, 1:] == bits[:, :1]).sum(axis=1)
    p = 0.5 * 0.8**right * 0.2 ** (classifiers - right)
    return np.random.default_rng(3).multinomial(n, p / p.sum(), size=count)


def correlations(classifiers: int, metrics: Sequence[str], count: int) -> Any:
    """Correlations of the metrics of simulated test sets, blurred: their rank is full."""
    _, covariance = f1ci.joint.joint_from_cells(
        joint_cells(classifiers, count), metrics, method="blur"
    )
    scale = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    return covariance / (scale[:, :, None] * scale[:, None, :])


def joint_quantiles(sizes: Sizes) -> Iterator[Line]:
    """Ten thousand joint quantiles at once."""
    for classifiers, metrics, accuracy, limit in (
        (3, ("f1", "accuracy"), 1e-4, 4.0),
        (4, ("f1", "precision", "accuracy"), 1e-3, 10.0),
        (4, ("f1", "precision", "accuracy"), 1e-4, None),
    ):
        matrices = correlations(classifiers, metrics, sizes.quantiles)
        k = matrices.shape[-1]
        solve = partial(f1ci.equicoordinate_quantile, accuracy=accuracy)
        # Where time is promised, one measurement is not enough.
        patience = sizes.seconds * (1 if limit is None else 12)
        (ours,) = best_times(partial(solve, matrices), seconds=patience)
        question = f"{sizes.quantiles:,} quantiles {k} x {k} to {accuracy:g}"
        if limit is not None:
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
library(mvtnorm)
set.seed(1)
rows <- as.matrix(read.table(file("stdin")))
k <- sqrt(ncol(rows))
solve <- function(r) qmvnorm(0.95, tail = "both.tails", corr = matrix(r, k))$quantile
elapsed <- system.time(q <- apply(rows, 1, solve))[["elapsed"]]
cat(elapsed, format(q, digits = 15))
"""


def _quantiles_in_r(matrices: Any) -> tuple[float, Any] | None:
    """Seconds that R itself needs for the quantiles of some matrices, and the quantiles."""
    if not r_version():
        _is_absent("R with mvtnorm")
        return None
    rows = "\n".join(
        " ".join(map(repr, row)) for row in matrices.reshape(len(matrices), -1).tolist()
    )
    seconds, *quantiles = map(float, _run_r(_R, rows).split())
    return seconds, np.array(quantiles)


def r_version() -> str:
    """The versions of R and mvtnorm, or nothing."""
    try:
        return _run_r('cat(paste0(getRversion(), ", mvtnorm ", packageVersion("mvtnorm")))')
    except (OSError, subprocess.CalledProcessError):
        return ""


def _run_r(code: str, given: str = "") -> str:
    return subprocess.run(
        [shutil.which("Rscript") or "Rscript", "-e", code],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


# --- Studies of coverage -----------------------------------------------------------------------


def without_replicates(sizes: Sizes) -> Iterator[Line]:
    """Exact coverage, against simulation that is as accurate."""
    design = (0.4, 0.1, 0.1, 0.4)
    for n in sizes.test_sizes[-2:]:
        exact, batch = best_times(
            partial(f1ci.coverage.exact, n, *design[:3]),
            partial(f1ci.coverage.simulate, n, design, replicates=sizes.replicates, rng=1),
            seconds=sizes.seconds,
        )
        covered = f1ci.coverage.exact(n, *design[:3]).coverage
        for error, words in ((1e-4, ""), (1e-9, "what enumeration leaves out")):
            needed = covered * (1 - covered) / error**2
            yield Comparison(
                f"exact coverage, n = {n:,}",
                f"{float(f'{needed:.2g}'):,.0f} replicates (standard error {error:g})",
                exact,
                batch * needed / sizes.replicates,
                note="; ".join(filter(None, [words, f"from {sizes.replicates:,} replicates"])),
            )

    def all_tables() -> None:
        for p in (design[:3], (0.64, 0.16, 0.16), (0.16, 0.04, 0.64)):
            for n in sizes.test_sizes:
                for method in ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect"):
                    f1ci.coverage.exact(n, *p, method=method)

    (seconds,) = best_times(all_tables, seconds=sizes.seconds)
    yield Comparison("exact coverage, 18 conditions x 4 methods", "a limit of 3 s", seconds, 3.0, 1)


def floors(sizes: Sizes) -> Iterator[Line]:
    """What cannot be avoided: drawing numbers, reading labels."""
    design = (0.4, 0.1, 0.1, 0.4)
    for n in (25, 1000):
        rng = np.random.default_rng(1)
        yield Comparison(
            f"{sizes.replicates:,} replicates, n = {n:,}",
            "drawing them with numpy",
            *best_times(
                partial(f1ci.coverage.simulate, n, design, replicates=sizes.replicates, rng=1),
                partial(rng.multinomial, n, design, size=sizes.replicates),
                seconds=sizes.seconds,
            ),
        )
    n = sizes.labels[-1]
    for dtype in (np.int64, np.int8):
        y_true, y_pred = labels(n, dtype=dtype)
        yield Comparison(
            f"F1 interval from {n:,} labels, {np.dtype(dtype)}",
            "one pass: comparing the labels in numpy",
            *best_times(
                partial(f1ci.f1_score_interval, y_true, y_pred),
                partial(one_pass, y_true, y_pred),
                seconds=sizes.seconds,
            ),
        )


def one_pass(y_true: Any, y_pred: Any) -> int:
    """The least that counting has to do: look at every label once."""
    return int(np.count_nonzero(y_true == y_pred))


# --- Growth ------------------------------------------------------------------------------------


def _growth(
    question: str,
    by: str,
    values: Sequence[int],
    ways: Callable[[int], dict[str, Callable[[], object]]],
    seconds: float,
) -> Growth:
    table: dict[str, list[float]] = {}
    for value in values:
        calls = ways(value)
        with quiet():
            times = best_times(*calls.values(), seconds=seconds)
        for name, took in zip(calls, times, strict=True):
            table.setdefault(name, []).append(took)
    return Growth(question, by, values, table)


def growth_in_labels(sizes: Sizes) -> Iterator[Line]:
    """From a thousand labels to ten million."""
    confidenceinterval = peer("confidenceinterval")

    def ways(n: int) -> dict[str, Callable[[], object]]:
        pair = labels(n)
        calls: dict[str, Callable[[], object]] = {
            "f1ci, F1": lambda: f1ci.f1_score_interval(*pair),
            "f1ci, macro F1": lambda: f1ci.f1_score_interval(*pair, average="macro"),
            "numpy, one pass": lambda: one_pass(*pair),
        }
        if confidenceinterval:
            calls["confidenceinterval, F1"] = lambda: confidenceinterval.f1_score(
                *pair, average="binary"
            )
        return calls

    found = _growth("interval from labels", "labels", sizes.labels, ways, sizes.seconds)
    yield found
    before, last = sizes.labels[-2:]
    y_true, y_pred = labels(last)
    for average in ("binary", "macro"):
        whole = partial(f1ci.f1_score_interval, average=average)
        times = best_times(
            lambda f=whole: f(y_true, y_pred),
            lambda f=whole: [f(*part) for part in _blocks(y_true, y_pred, size=before)],
            seconds=sizes.seconds,
        )
        parts = f"the same in {last // before} parts"
        yield Comparison(f"{average} F1 interval from {last:,} labels", parts, *times, 1.2)
    if confidenceinterval:
        yield Comparison(
            f"F1 interval from {last:,} labels",
            "confidenceinterval, analytic",
            found.seconds["f1ci, F1"][-1],
            found.seconds["confidenceinterval, F1"][-1],
        )


def growth_in_classes(sizes: Sizes) -> Iterator[Line]:
    """From two classes to a hundred."""
    confidenceinterval = peer("confidenceinterval")

    def ways(r: int) -> dict[str, Callable[[], object]]:
        pair = labels(sizes.items_of_classes, r)
        matrix = f1ci.confusion_matrix(*pair)
        calls: dict[str, Callable[[], object]] = {
            "f1ci, from labels": lambda: f1ci.f1_score_interval(*pair, average="macro"),
            "f1ci, from the matrix": lambda: f1ci.metric_interval(matrix, "macro_f1"),
        }
        if confidenceinterval:
            calls["confidenceinterval, from labels"] = lambda: confidenceinterval.f1_score(
                *pair, average="macro"
            )
        return calls

    question = f"macro F1 from {sizes.items_of_classes:,} labels"
    yield _growth(question, "classes", sizes.classes, ways, sizes.seconds)


def growth_of_joint_intervals(sizes: Sizes) -> Iterator[Line]:
    """Joint intervals: with more metrics, and with more classifiers."""
    names = [name for name, metric in f1ci.metrics.METRICS.items() if metric.binary]

    def ways(classifiers: int, metrics: int) -> dict[str, Callable[[], object]]:
        y_true, *predictions = np.repeat(*_unpacked(joint_cells(classifiers, 1)[0]), axis=1)
        named = {f"classifier {i}": column for i, column in enumerate(predictions)}
        chosen = names[:metrics]
        cells = joint_cells(classifiers, 1)[0]
        _, covariance = f1ci.joint.joint_from_cells(cells, chosen, method="cautious")
        return {
            "joint_intervals": lambda: f1ci.joint_intervals(y_true, named, chosen),
            "its quantile": lambda: f1ci.joint.joint_critical_value(covariance),
        }

    yield _growth(
        "joint intervals of 2 classifiers, 1000 items",
        "metrics",
        [m for m in sizes.metrics if m <= len(names)],
        lambda m: ways(2, m),
        sizes.seconds,
    )
    yield _growth(
        "joint intervals of 2 metrics, 1000 items",
        "classifiers",
        sizes.classifiers,
        lambda c: ways(c, 2),
        sizes.seconds,
    )


def _unpacked(cells: Any) -> tuple[Any, Any]:
    """Truth and predictions of each joint cell, in columns, and how often each occurs."""
    places = np.arange(len(cells).bit_length() - 2, -1, -1)
    return (np.arange(len(cells)) >> places[:, None]) & 1, cells


# --- Large jobs --------------------------------------------------------------------------------


def many_labels(sizes: Sizes) -> Iterator[Line]:
    """A hundred million labels on disk, counted in little memory."""
    n = sizes.many
    with tempfile.TemporaryDirectory() as folder:
        mapped = [_labels_on_disk(Path(folder) / name, n, seed) for seed, name in enumerate("tp")]
        for question, count in (
            ("binary_counts", f1ci.binary_counts),
            ("confusion_matrix", f1ci.confusion_matrix),
            ("macro F1 interval", partial(f1ci.f1_score_interval, average="macro")),
        ):
            times = best_times(
                lambda count=count: count(*mapped),
                lambda: sum(one_pass(a, b) for a, b in _blocks(*mapped)),
                seconds=sizes.seconds,
            )
            question = f"{question} of {n:,} labels in a memory map"
            yield Comparison(question, "one pass: comparing the labels in numpy", *times)
            yield Comparison(
                f"memory for {question}",
                "the labels themselves",
                _peak_memory(partial(count, *mapped)),
                2 * n,
                1 / 10,
                unit="B",
            )


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


def many_replicates(sizes: Sizes) -> Iterator[Line]:
    """A hundred million replicates on two Dask workers, one of which is killed."""
    distributed = peer("distributed")
    if not distributed:
        return
    study = partial(
        f1ci.coverage.simulate,
        1000,
        (0.4, 0.1, 0.1, 0.4),
        method="wilson_direct",
        replicates=sizes.many,
        rng=1,
    )
    killed: list[int] = []
    told: set[int] = set()
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

        def progress(done: int, total: int) -> None:
            tenths = 10 * done // total
            if tenths not in told:
                told.add(tenths)
                left = (time.perf_counter() - begin) * (total / done - 1)
                print(f"  {done:,} done, {text(left)} left", flush=True)
            if done > total / 3 and not killed:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(done)

        result = study(executor=client.get_executor(), progress=progress)
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
        note=f"killed after {killed[0]:,}; {'the same bits' if same else 'OTHER BITS'}",
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
    return {r["name"]: r["seconds"] for r in records if r["status"] == "done"}


def machine() -> dict[str, Any]:
    """What the times were measured on."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next((x.partition(":")[2].strip() for x in lines if "model name" in x), model)
    return {"processor": model, "cores": os.cpu_count(), "system": platform.system()}


def versions() -> dict[str, str | None]:
    """The version of everything that took part; None if absent."""
    found: dict[str, str | None] = {
        "f1ci": f1ci.__version__,
        "python": platform.python_version(),
    }
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found | {"R": r_version() or None}


def run(sections: Sequence[Callable[[Sizes], Iterator[Line]]], sizes: Sizes) -> dict[str, Any]:
    """Run some sections and print their lines; give all of it as data."""
    found: dict[str, Any] = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "notebooks": notebook_seconds(),
        "sections": {},
    }
    for section in sections:
        title = (section.__doc__ or "").strip()
        print(f"\n{title}")
        lines: dict[str, Any] = {"title": title, "comparisons": [], "growth": []}
        for line in section(sizes):
            print(line, flush=True)
            lines["growth" if isinstance(line, Growth) else "comparisons"].append(asdict(line))
        found["sections"][section.__name__] = lines
    rounded: dict[str, Any] = _rounded(found)
    return rounded


def load(path: Path = RECORDING) -> dict[str, Any]:
    """A recorded run, with `Comparison` and `Growth` objects again."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for section in found["sections"].values():
        section["comparisons"] = [Comparison(**line) for line in section["comparisons"]]
        section["growth"] = [Growth(**line) for line in section["growth"]]
    return found


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
    parser = argparse.ArgumentParser(prog="python -m compendium.bench", description=__doc__)
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
        RECORDING.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(f"\nwrote {RECORDING.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
