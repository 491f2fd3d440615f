"""Time f1ci beside the packages that one would use instead, and store the ratios.

Times depend on the machine. Ratios of times hardly do, if both calls answer the same question and
are timed in turns, in one run. ``make bench`` runs this program in an environment that has the
other packages.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from compendium import data, versions

import f1ci

FILE = "speed.json"
PACKAGES = (
    *("f1-score-ci", "numpy", "scipy", "scikit-learn", "statsmodels"),
    *("confidenceinterval", "confidence-intervals", "prob-conf-mat"),
)
BERT = (77, 44, 10)  # TP, FP and FN of section 6 of Lam, Gopal and Qian


class Case(NamedTuple):
    """A question, who else answers it, and the two calls."""

    question: str
    other: str
    ours: Callable[[], object]
    theirs: Callable[[], object]


def from_counts() -> Iterator[Case]:
    """Give the cases that start from three counts."""
    from prob_conf_mat import Study
    from scipy.stats import binomtest
    from statsmodels.stats.proportion import proportion_confint

    tp, relevant = BERT[0], sum(BERT)

    def draws() -> None:
        study = Study(seed=0, num_samples=10_000, ci_probability=0.95)
        priors = {"prevalence_prior": 1, "confusion_prior": 1}
        study.add_experiment("test/set", confusion_matrix=[[702, 44], [10, 77]], **priors)
        study.add_metric("f1")
        study.get_metric_samples("f1", "test/set", "posterior")

    ours = partial(f1ci.f1_interval, *BERT)
    theirs = partial(proportion_confint, tp, relevant, method="wilson")
    yield Case("one interval", "statsmodels wilson, for F*", ours, theirs)

    def scipy_wilson() -> object:
        return binomtest(tp, relevant).proportion_ci(method="wilson")

    yield Case("one interval", "scipy binomtest wilson, for F*", ours, scipy_wilson)
    exact = partial(f1ci.f1_interval, *BERT, method="clopper_pearson")
    theirs = partial(proportion_confint, tp, relevant, method="beta")
    yield Case("one interval, Clopper-Pearson", "statsmodels beta, for F*", exact, theirs)

    def posterior() -> object:
        return f1ci.posterior(*BERT).interval(0.95)

    yield Case("one posterior interval", "prob-conf-mat, 10,000 draws", posterior, draws)


def a_million() -> Iterator[Case]:
    """Give the cases that start from a million triples of counts."""
    from statsmodels.stats.proportion import proportion_confint

    counts = np.random.default_rng(1).integers(1, 1000, (3, 1_000_000))
    total = counts.sum(axis=0)
    ours = partial(f1ci.f1_interval, *counts)
    question = "1,000,000 intervals"
    yield Case(question, "the formula in bare numpy", ours, partial(bare_wilson, *counts))
    theirs = partial(proportion_confint, counts[0], total, method="wilson")
    yield Case(question, "statsmodels wilson, for F*", ours, theirs)


def bare_wilson(tp: Any, fp: Any, fn: Any) -> tuple[Any, Any, Any]:
    """Return Wilson's limits for F1 without checks and borders: the least that they cost."""
    v = tp + fp + fn
    share, k = tp / v, 1.959963984540054**2 / v
    middle = 2 * share + k
    root = np.sqrt(middle * middle - 4 * (1 + k) * share * share)
    low, high = ((middle - root) / (2 * (1 + k)), (middle + root) / (2 * (1 + k)))
    return 2 * share / (1 + share), 2 * low / (1 + low), 2 * high / (1 + high)


def labels(items: int, classes: int = 2) -> tuple[Any, Any]:
    """Return true and predicted labels: four of five are right, the others are guessed."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, classes, items)
    guess = rng.integers(0, classes, items)
    return truth, np.where(rng.random(items) < 0.8, truth, guess)


def from_labels() -> Iterator[Case]:
    """Give the cases that start from labels, against formulas."""
    import confidenceinterval
    from sklearn.metrics import confusion_matrix

    pair = labels(1000)
    question = "F1 interval from 1000 labels"
    matrix = partial(confusion_matrix, *pair)
    ours = partial(f1ci.f1_score_interval, *pair)
    yield Case(question, "scikit-learn confusion_matrix, no interval", ours, matrix)
    for name, average, given in (
        (f"binary {question}", "binary", pair),
        (f"micro {question}", "micro", pair),
        (f"macro {question}", "macro", pair),
        ("macro F1 interval of 10 classes, 1000 labels", "macro", labels(1_000, 10)),
        ("macro F1 interval of 100 classes, 10000 labels", "macro", labels(10_000, 100)),
        ("F1 interval from 10,000,000 labels", "binary", labels(10_000_000)),
    ):
        ours = partial(f1ci.f1_score_interval, *given, average=average)
        theirs = partial(confidenceinterval.f1_score, *given, average=average)
        yield Case(name, "confidenceinterval, analytic", ours, theirs)


def resampling() -> Iterator[Case]:
    """Give the cases that start from labels, against the bootstrap."""
    import confidenceinterval
    from confidence_intervals import evaluate_with_conf_int
    from scipy.stats import bootstrap
    from sklearn.metrics import f1_score

    pair = truth, predicted = labels(1000)
    ours = partial(f1ci.f1_score_interval, *pair)
    question = "F1 interval from 1000 labels"
    bca = {"average": "binary", "method": "bootstrap_bca", "n_resamples": 9999}
    theirs = partial(confidenceinterval.f1_score, *pair, **bca)
    yield Case(question, "confidenceinterval, BCa, 9,999 resamples", ours, theirs)
    theirs = partial(evaluate_with_conf_int, predicted, f1_score, truth, num_bootstraps=1000)
    yield Case(question, "confidence-intervals, 1,000 resamples", ours, theirs)
    percentile = {"paired": True, "vectorized": False, "n_resamples": 999, "method": "percentile"}
    theirs = partial(bootstrap, pair, f1_score, **percentile)
    yield Case(question, "scipy bootstrap, percentile, 999 resamples", ours, theirs)


def best_times(*calls: Callable[[], object], budget: float = 1.0) -> list[float]:
    """Return the best time of each call, in turns until all have used about `budget` seconds each.

    Short calls are timed in loops of a hundredth of a second; the first call only warms up.
    """
    first = [min(seconds(call), seconds(call)) for call in calls]
    loops = [max(1, int(0.01 / max(took, 1e-7))) for took in first]
    best = first
    begin = time.perf_counter()
    while time.perf_counter() - begin < budget * len(calls):
        rounds = [seconds(call, count) for call, count in zip(calls, loops, strict=True)]
        best = list(map(min, best, rounds))
    return best


def seconds(call: Callable[[], object], count: int = 1) -> float:
    """Return how long a call takes, on average of a number of calls."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def measure() -> list[dict[str, Any]]:
    """Time all cases and print each."""
    lines = []
    for case in (*from_counts(), *a_million(), *from_labels(), *resampling()):
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            ours, theirs = (float(f"{t:.4g}") for t in best_times(case.ours, case.theirs))
        line = {"question": case.question, "other": case.other, "ours": ours, "theirs": theirs}
        print(f"{case.question:40}{ours:10.3g} s  {case.other:45}{theirs:10.3g} s", flush=True)
        lines.append(line)
    return lines


def processor() -> str:
    """Return the name of the processor and the number of its cores."""
    listed = Path("/proc/cpuinfo")  # of Linux
    lines = listed.read_text("utf-8").splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{[*names, platform.machine()][0]}, {os.cpu_count()} cores"


def main() -> None:
    """Measure, and store what was measured."""
    used = versions(PACKAGES)
    date = datetime.now(timezone.utc).date().isoformat()
    found = {"date": date, "processor": processor(), "versions": used, "lines": measure()}
    data.register(
        FILE,
        json.dumps(found, indent=1, ensure_ascii=False) + "\n",
        made_by="make bench",
        made_with=", ".join(f"{name} {number}" for name, number in used.items()),
        source=f"times of one run of book/benchmarks/speed.py, on {date}",
    )


if __name__ == "__main__":
    main()
