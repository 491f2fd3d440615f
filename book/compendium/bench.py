"""How fast is f1ci, beside bare numpy and beside what a user would pick instead?

Times depend on the machine; ratios of times taken side by side in one run
hardly do. So every line compares two calls that answer the same question, and
alternates between them. Nothing here is part of the tests.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

import f1ci
from compendium import peers, probes, stress
from f1ci.delta import joint_critical_value, joint_from_cells

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "_build" / "bench.json"

Z = 1.959963984540054
MILLION = 1_000_000


@dataclass(frozen=True)
class Comparison:
    """Two ways to the same answer; `goal` bounds the ratio of our time to theirs."""

    question: str
    other: str
    ours: float
    theirs: float
    goal: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def __str__(self) -> str:
        verdict = ""
        if self.goal is not None:
            verdict = f"  goal {self.goal:g}: {'met' if self.ratio <= self.goal else 'MISSED'}"
        return (
            f"{self.question:<58}{_duration(self.ours):>10}  {self.other:<34}"
            f"{_duration(self.theirs):>10}  ratio {self.ratio:8.3g}{verdict}"
        )


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def best_times(*calls: Callable[[], object], budget: float = 1.0) -> list[float]:
    """Best time of each call, taken in turns until `budget` seconds per call are used."""
    loops = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        loops.append(max(1, int(0.01 / max(time.perf_counter() - start, 1e-7))))
    best = [np.inf] * len(calls)
    begin = time.perf_counter()
    rounds = 0
    while rounds < 3 or time.perf_counter() - begin < budget * len(calls):
        for i, (call, count) in enumerate(zip(calls, loops, strict=True)):
            start = time.perf_counter()
            for _ in range(count):
                call()
            best[i] = min(best[i], (time.perf_counter() - start) / count)
        rounds += 1
    return best


def compare(
    question: str,
    ours: Callable[[], object],
    other: str,
    theirs: Callable[[], object],
    goal: float | None = None,
) -> Comparison:
    """Time two calls side by side."""
    return Comparison(question, other, *best_times(ours, theirs), goal)


def proportional(
    question: str, large: Callable[[], object], small: Callable[[], object], factor: float
) -> Comparison:
    """A large case against a small one times the factor between them: 1 is in proportion."""
    ours, theirs = best_times(large, small)
    return Comparison(question, f"{factor:.3g} times the smaller", ours, factor * theirs)


def peer(name: str) -> ModuleType | None:
    """A package to compare with, or None (said aloud) if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"absent: {name} is not installed, its comparisons are left out")
        return None


# --- The floor: the same formulas in bare numpy, no validation, no edges ----------------------


def bare_wald(tp, fp, fn):
    v = tp + fp + fn
    f = 2 * tp / (tp + v)
    half = Z * np.sqrt(f * (1 - f) * (2 - f) ** 2 / (2 * v))
    return f, f - half, f + half


def bare_wilson(tp, fp, fn):
    v = tp + fp + fn
    f, k = tp / v, Z * Z / v
    middle = 2 * f + k
    root = np.sqrt(middle * middle - 4 * (1 + k) * f * f)
    low, high = (middle - root) / (2 * (1 + k)), (middle + root) / (2 * (1 + k))
    return 2 * f / (1 + f), 2 * low / (1 + low), 2 * high / (1 + high)


def from_counts() -> Iterator[Comparison]:
    """A million intervals, and one."""
    rng = np.random.default_rng(1)
    tp, fp, fn = (rng.integers(1, 1000, MILLION) for _ in range(3))
    one = (77, 44, 10)

    def million(method: str) -> Callable[[], object]:
        return lambda: f1ci.f1_interval(tp, fp, fn, method=method)

    yield compare("million Wald", million("wald"), "bare numpy", lambda: bare_wald(tp, fp, fn), 2)
    wilson = ("bare numpy Wilson indirect", lambda: bare_wilson(tp, fp, fn))
    yield compare("million Wilson indirect", million("wilson_indirect"), *wilson, 2)
    yield compare("million Wilson direct", million("wilson_direct"), *wilson, 12)
    if statsmodels := peer("statsmodels.stats.proportion"):
        interval = statsmodels.proportion_confint
        for method, theirs, goal in (
            ("clopper_pearson", "beta", 1),
            ("wilson_indirect", "wilson", 1),
        ):
            yield compare(
                f"million {method}",
                million(method),
                f"statsmodels {theirs} (on F*)",
                lambda theirs=theirs: interval(tp, tp + fp + fn, method=theirs),
                goal,
            )
            yield compare(
                f"one {method}",
                lambda method=method: f1ci.f1_interval(*one, method=method),
                f"statsmodels {theirs} (on F*)",
                lambda theirs=theirs: interval(77, 131, method=theirs),
                goal,
            )
    for method in ("wald", "wilson_indirect"):
        (seconds,) = best_times(lambda method=method: f1ci.f1_interval(*one, method=method))
        yield Comparison(f"one {method}", "30 µs", seconds, 30e-6, 1)


def one_pass(y_true, y_pred):
    """The least that counting can be: two comparisons and three sums."""
    true, pred = y_true == 1, y_pred == 1
    tp = np.count_nonzero(true & pred)
    return tp, np.count_nonzero(pred) - tp, np.count_nonzero(true) - tp


def from_labels() -> Iterator[Comparison]:
    """A thousand labels, and ten million."""
    rng = np.random.default_rng(2)
    y_true, y_pred = rng.integers(0, 2, (2, 1000))

    def binary() -> object:
        return f1ci.f1_score_interval(y_true, y_pred)

    if metrics := peer("sklearn.metrics"):
        theirs = (
            "scikit-learn confusion_matrix",
            lambda: metrics.confusion_matrix(y_true, y_pred),
            1 / 5,
        )
        yield compare("F1 interval from 1000 labels", binary, *theirs)
        yield compare(
            "confusion matrix from 1000 labels",
            lambda: f1ci.confusion_matrix(y_true, y_pred),
            *theirs,
        )
    if package := peer("confidenceinterval"):
        for average, goal in (("binary", 1 / 20), ("macro", 1 / 20)):
            yield compare(
                f"{average} F1 interval from 1000 labels",
                lambda average=average: f1ci.f1_score_interval(y_true, y_pred, average=average),
                "confidenceinterval, analytic",
                lambda average=average: package.f1_score(y_true, y_pred, average=average),
                goal,
            )
        yield compare(
            "F1 interval from 1000 labels",
            binary,
            "confidenceinterval, BCa, 999",
            lambda: package.f1_score(
                y_true, y_pred, average="binary", method="bootstrap_bca", n_resamples=999
            ),
        )
    if package := peer("confidence_intervals"):
        yield compare(
            "F1 interval from 1000 labels",
            binary,
            "confidence-intervals, 1000",
            lambda: package.evaluate_with_conf_int(
                y_pred, lambda t, p: metrics.f1_score(t, p), y_true, num_bootstraps=1000
            ),
        )
    if peer("prob_conf_mat"):
        matrix = [[702, 44], [10, 77]]

        def posterior() -> object:
            return peers.posterior_interval(peers.posterior_study(matrix, "f1", 1), "f1", 1)

        yield compare(
            "F1 interval from counts",
            lambda: f1ci.f1_interval(77, 44, 10),
            "prob-conf-mat, 10,000 draws",
            posterior,
        )
    y_true, y_pred = rng.integers(0, 2, (2, 10 * MILLION))
    yield compare(
        "F1 interval from 10 million labels",
        lambda: f1ci.f1_score_interval(y_true, y_pred),
        "bare numpy, one pass",
        lambda: one_pass(y_true, y_pred),
        2,
    )
    part = y_true[:MILLION], y_pred[:MILLION]
    yield proportional(
        "labels: 10 million against 1 million",
        lambda: f1ci.f1_score_interval(y_true, y_pred),
        lambda: f1ci.f1_score_interval(*part),
        10,
    )
    if package:
        yield compare(
            "F1 interval from 1 million labels",
            lambda: f1ci.f1_score_interval(*part),
            "confidenceinterval, analytic",
            lambda: importlib.import_module("confidenceinterval").f1_score(*part, average="binary"),
        )


def growth() -> Iterator[Comparison]:
    """How cost grows, against growth in proportion (ratio 1)."""
    rng = np.random.default_rng(3)
    labels = {r: rng.integers(0, r, (2, MILLION)) for r in (2, 100)}
    yield proportional(
        "confusion matrix of a million labels: 100 classes, 2",
        lambda: f1ci.confusion_matrix(*labels[100]),
        lambda: f1ci.confusion_matrix(*labels[2]),
        1,
    )
    tables = {r: rng.integers(1, 50, (1000, r, r)) for r in (3, 10, 30)}
    for method in ("delta", "wilson_indirect"):
        for small, large in ((3, 10), (10, 30)):
            yield proportional(
                f"1000 macro F1, {method}: {large} classes, {small}",
                lambda r=large, method=method: f1ci.metric_interval(
                    tables[r], "macro_f1", method=method
                ),
                lambda r=small, method=method: f1ci.metric_interval(
                    tables[r], "macro_f1", method=method
                ),
                (large / small) ** 2,
            )
    metrics = ["accuracy", "precision", "recall", "f1", "jaccard", "cosine", "lift", "correlation"]
    cells = {m: rng.integers(1, 50, (1000, 2 ** (m + 1))) for m in (2, 4)}
    yield proportional(
        "1000 joint covariances of 2 classifiers: 8 metrics, 4",
        lambda: joint_from_cells(cells[2], metrics),
        lambda: joint_from_cells(cells[2], metrics[:4]),
        4,
    )
    yield proportional(
        "1000 joint covariances of 4 metrics: 4 classifiers, 2",
        lambda: joint_from_cells(cells[4], metrics[:4]),
        lambda: joint_from_cells(cells[2], metrics[:4]),
        4,
    )


def joint_quantiles() -> Iterator[Comparison]:
    """Critical values of joint intervals."""
    asked = {
        name: c.matrix for name, c in probes.CORRELATIONS.items() if not name.startswith("independ")
    }
    answers = {row["name"]: row for row in peers.quantiles(asked, 0.95)}
    for name, matrix in asked.items():
        row = answers[name]
        if row["value"] is None:
            print(f"absent: mvtnorm ({row['message']}), its comparisons are left out")
            break
        (ours,) = best_times(lambda matrix=matrix: joint_critical_value(matrix))
        yield Comparison(f"quantile, {name}", "mvtnorm qmvnorm, one call", ours, row["seconds"])
    rng = np.random.default_rng(4)
    p = np.array([0.40, 0.05, 0.03, 0.02, 0.05, 0.05, 0.10, 0.30])
    cells = rng.multinomial(1000, p, size=100)
    _, covariances = joint_from_cells(cells, ["accuracy", "f1", "precision"])
    yield compare(
        "100 quantiles of 2 classifiers x 3 metrics, at once",
        lambda: joint_critical_value(covariances),
        "one after another",
        lambda: [joint_critical_value(c) for c in covariances],
    )


def without_replicates() -> Iterator[Comparison]:
    """Exact coverage against simulation."""
    design = (0.4, 0.1, 0.1)
    yield compare(
        "exact coverage, n = 1000",
        lambda: f1ci.coverage.exact(1000, *design),
        "a million replicates",
        lambda: f1ci.coverage.simulate(1000, [*design, 0.4], rng=1),
    )
    draws = np.random.default_rng(1)
    yield compare(
        "a million simulated Wilson intervals",
        lambda: f1ci.coverage.simulate(1000, [*design, 0.4], rng=1),
        "the random numbers alone",
        lambda: draws.multinomial(1000, [*design, 0.4], size=MILLION),
        2,
    )
    scenarios = (design, (0.64, 0.16, 0.16), (0.16, 0.04, 0.64))
    sizes = (25, 50, 100, 500, 1000, 5000)

    def all_tables() -> None:
        for p in scenarios:
            for n in sizes:
                for method in ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect"):
                    f1ci.coverage.exact(n, *p, method=method)

    (seconds,) = best_times(all_tables)
    yield Comparison("exact coverage, 18 conditions x 4 methods", "3 s", seconds, 3.0, 1)


def many_labels() -> Iterator[Comparison]:
    """A hundred million labels in a memory map."""
    n = 100 * MILLION
    rng = np.random.default_rng(5)

    def labels(path: Path) -> np.memmap:
        file = np.memmap(path, dtype=np.int8, mode="w+", shape=(n,))
        for start in range(0, n, MILLION):
            file[start : start + MILLION] = rng.integers(0, 2, MILLION, dtype=np.int8)
        return file

    with tempfile.TemporaryDirectory() as folder:
        true, pred = (labels(Path(folder) / name) for name in ("true", "pred"))
        tracemalloc.start()
        f1ci.f1_score_interval(true, pred)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"memory for a hundred million labels: {peak / 2**20:.1f} MiB at most")
        yield proportional(
            "labels in a memory map: 10^8 against 10^6",
            lambda: f1ci.f1_score_interval(true, pred),
            lambda: f1ci.f1_score_interval(true[:MILLION], pred[:MILLION]),
            100,
        )


def lost_worker() -> Iterator[Comparison]:
    """A hundred million replicates on a Dask cluster of two workers, one of them killed."""
    if not peer("distributed"):
        return
    replicates = 100 * MILLION
    start = time.perf_counter()
    alone = stress.study(replicates)
    seconds = time.perf_counter() - start
    outcome = stress.lose_a_worker(replicates, say=print)
    same = "the same bits" if outcome.bits == alone else "OTHER BITS"
    print(f"worker {outcome.killed} was killed; the result has {same}")
    yield Comparison("10^8 replicates, a worker lost", "one process", outcome.seconds, seconds)


def whole_notebooks() -> Iterator[Comparison]:
    """The last full run of each notebook, two at a time."""
    records = [json.loads(path.read_text()) for path in (ROOT / "_build/records").glob("*.json")]
    taken = [record["seconds"] for record in records if record.get("status") == "done"]
    if taken:
        yield Comparison(f"{len(taken)} notebooks, two at a time", "5 min", sum(taken) / 2, 300, 1)


SECTIONS = (
    from_counts,
    from_labels,
    growth,
    joint_quantiles,
    without_replicates,
    many_labels,
    lost_worker,
    whole_notebooks,
)


def main() -> None:
    """Print every comparison, and write all of them for the book."""
    wanted = sys.argv[1:] or [section.__name__ for section in SECTIONS]
    results = []
    for section in SECTIONS:
        if section.__name__ not in wanted:
            continue
        print(f"\n{(section.__doc__ or '').strip()}")
        for comparison in section():
            print(comparison, flush=True)
            results.append(asdict(comparison) | {"section": section.__name__})
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps({"versions": peers.versions(), "comparisons": results}, indent=1))


if __name__ == "__main__":
    main()
