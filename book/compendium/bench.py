"""How fast is f1ci, beside bare numpy and beside what a user would pick instead?

Times depend on the machine; ratios of times taken side by side in one run
hardly do. So every line compares two calls that answer the same question, and
alternates between them. Nothing here is part of the tests.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

import f1ci

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
            f"{_duration(self.theirs):>10}  ratio {self.ratio:8.3f}{verdict}"
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


def from_labels() -> Iterator[Comparison]:
    """A thousand labels, and ten million."""
    rng = np.random.default_rng(2)
    y_true, y_pred = rng.integers(0, 2, (2, 1000))
    if metrics := peer("sklearn.metrics"):
        yield compare(
            "F1 interval from 1000 labels",
            lambda: f1ci.f1_interval(*f1ci.binary_counts(y_true, y_pred)[:3]),
            "scikit-learn confusion_matrix",
            lambda: metrics.confusion_matrix(y_true, y_pred),
            1 / 5,
        )
        yield compare(
            "confusion matrix from 1000 labels",
            lambda: f1ci.confusion_matrix(y_true, y_pred),
            "scikit-learn confusion_matrix",
            lambda: metrics.confusion_matrix(y_true, y_pred),
            1 / 5,
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
    scenarios = (design, (0.64, 0.16, 0.16), (0.16, 0.04, 0.64))
    sizes = (25, 50, 100, 500, 1000, 5000)

    def all_tables() -> None:
        for p in scenarios:
            for n in sizes:
                for method in ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect"):
                    f1ci.coverage.exact(n, *p, method=method)

    (seconds,) = best_times(all_tables)
    yield Comparison("exact coverage, 18 conditions x 4 methods", "3 s", seconds, 3.0, 1)


def main() -> None:
    """Print every comparison, and write all of them for the book."""
    results = []
    for section in (from_counts, from_labels, without_replicates):
        print(f"\n{(section.__doc__ or '').strip()}")
        for comparison in section():
            print(comparison, flush=True)
            results.append(asdict(comparison) | {"section": section.__name__})
    packages = ("f1ci", "numpy", "scipy", "statsmodels", "scikit-learn", "confidenceinterval")
    versions = {}
    for name in packages:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps({"versions": versions, "comparisons": results}, indent=1))


if __name__ == "__main__":
    main()
