"""What other packages answer to the same questions: a script for an environment of theirs.

``make peers`` runs it there. It reads questions as JSON from standard input and writes
the answers as JSON to standard output, so that it shares nothing with the environment
of the book: it imports numpy, whichever of the packages are installed, and no f1ci.
Every call stands alone; one that fails leaves its message as the answer.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from datetime import datetime, timezone
from typing import Any

import numpy as np

PACKAGES = (
    "confidenceinterval",
    "confidence-intervals",
    "prob-conf-mat",
    "statsmodels",
    "scipy",
    "scikit-learn",
    "numpy",
)
ABSENT = "absent"

Answer = dict[str, Any]


def versions() -> dict[str, str]:
    """The version of each package, of Python, R and mvtnorm, or that it is absent."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ABSENT
    try:
        found["R"], found["mvtnorm"] = _run_r(
            'cat(as.character(getRversion()), as.character(packageVersion("mvtnorm")))'
        ).split()
    except (OSError, subprocess.CalledProcessError):
        found["R"] = found["mvtnorm"] = ABSENT
    return found


def labels(matrix: Any) -> tuple[Any, Any]:
    """True and predicted labels 0, ..., r - 1 that give a confusion matrix, rows true."""
    counts = np.asarray(matrix)
    true, predicted = np.indices(counts.shape)
    return np.repeat(true.ravel(), counts.ravel()), np.repeat(predicted.ravel(), counts.ravel())


# --- One interval each ----------------------------------------------------------------------

# What each call gives: an estimate (or None) and two end points.
Call = Callable[[], tuple[Any, Any, Any]]


def interval_calls(matrix: Any, resamples: int) -> Iterator[tuple[str, str, str, Call]]:
    """(package, method, metric, call) for every interval that one confusion matrix allows."""
    true, predicted = labels(matrix)
    binary = len(matrix) == 2
    averages = ["binary", "micro", "macro"] if binary else ["micro", "macro"]
    yield from _confidenceinterval(true, predicted, averages, resamples)
    yield from _prob_conf_mat(matrix)
    if binary:
        (_, fp), (fn, tp) = matrix
        yield from _shares(tp, tp + fp + fn)
    yield from _bootstraps(true, predicted, [a for a in averages if a != "micro"], resamples)


def _metric(average: str, score: str = "f1") -> str:
    return score if average == "binary" else f"{average}_{score}"


def _confidenceinterval(
    true: Any, predicted: Any, averages: list[str], resamples: int
) -> Iterator[tuple[str, str, str, Call]]:
    def scored(function: str, **options: Any) -> Call:
        def call() -> tuple[Any, Any, Any]:
            score = getattr(_module("confidenceinterval"), function)
            estimate, (low, high) = score(true, predicted, **options)
            return estimate, low, high

        return call

    for average in averages:
        yield (
            "confidenceinterval",
            "analytic",
            _metric(average),
            scored("f1_score", average=average),
        )
        if average != "micro":
            for score in ("precision", "recall"):
                yield (
                    "confidenceinterval",
                    "analytic",
                    _metric(average, score),
                    scored(f"{score}_score", average=average),
                )
            options = {"n_resamples": resamples, "random_state": np.random.RandomState(0)}
            yield (
                "confidenceinterval",
                "bootstrap BCa",
                _metric(average),
                scored("f1_score", average=average, method="bootstrap_bca", **options),
            )


def _prob_conf_mat(matrix: Any) -> Iterator[tuple[str, str, str, Call]]:
    metrics = [("micro_f1", "f1@micro", 0), ("macro_f1", "f1@macro", 0)]
    if len(matrix) == 2:
        metrics.append(("f1", "f1", 1))
    for prior in (0, 1):
        for metric, their_name, column in metrics:

            def call(prior: int = prior, name: str = their_name, column: int = column) -> Any:
                study = posterior_study(matrix, name, prior)
                observed = _samples(study, name, column, "input")[0]
                return observed, *posterior_interval(study, name, column)

            yield "prob-conf-mat", f"posterior, prior {prior}", metric, call


def posterior_study(matrix: Any, metric: str, prior: int, seed: int = 0) -> Any:
    """A study of one confusion matrix with 10,000 posterior draws."""
    study = _module("prob_conf_mat").Study(seed=seed, num_samples=10_000, ci_probability=0.95)
    study.add_experiment(
        "test/set", confusion_matrix=matrix, prevalence_prior=prior, confusion_prior=prior
    )
    study.add_metric(metric)
    return study


def posterior_interval(study: Any, metric: str, column: int) -> Any:
    """The 95 % interval of highest posterior density, which the package reports."""
    samples = _samples(study, metric, column, "posterior")
    return _module("prob_conf_mat.stats").hdi_estimator(samples, prob=0.95)


def _samples(study: Any, metric: str, column: int, method: str) -> Any:
    result = study.get_metric_samples(
        metric=metric, experiment_name="test/set", sampling_method=method
    )
    return result.values[:, column]


def _shares(count: int, total: int) -> Iterator[tuple[str, str, str, Call]]:
    """Intervals for F* = TP / (TP + FP + FN), mapped to F1."""

    def mapped(ends: Any) -> tuple[Any, Any, Any]:
        low, high = (2 * q / (1 + q) for q in ends)
        return 2 * count / (count + total), low, high

    for theirs in ("wilson", "beta", "normal"):
        yield (
            "statsmodels",
            f"proportion_confint {theirs}, on F*",
            "f1",
            lambda theirs=theirs: mapped(
                _module("statsmodels.stats.proportion").proportion_confint(
                    count, total, method=theirs
                )
            ),
        )
    for theirs in ("wilson", "exact"):
        yield (
            "scipy",
            f"binomtest {theirs}, on F*",
            "f1",
            lambda theirs=theirs: mapped(
                _module("scipy.stats").binomtest(count, total).proportion_ci(method=theirs)
            ),
        )


def _bootstraps(
    true: Any, predicted: Any, averages: list[str], resamples: int
) -> Iterator[tuple[str, str, str, Call]]:
    for average in averages:

        def score(t: Any, p: Any, average: str = average) -> float:
            metrics = _module("sklearn.metrics")
            return float(metrics.f1_score(t, p, average=average, zero_division=0))

        def scipy_call(method: str, score: Callable[..., float] = score) -> tuple[Any, Any, Any]:
            result = _module("scipy.stats").bootstrap(
                (true, predicted),
                score,
                paired=True,
                vectorized=False,
                n_resamples=resamples,
                method=method,
                rng=0,
            )
            return score(true, predicted), *result.confidence_interval

        def luferrer_call(score: Callable[..., float] = score) -> tuple[Any, Any, Any]:
            center, (low, high) = _module("confidence_intervals").evaluate_with_conf_int(
                predicted, score, true, num_bootstraps=resamples
            )
            return center, low, high

        for method in ("percentile", "BCa"):
            yield (
                "scipy",
                f"bootstrap {method}",
                _metric(average),
                lambda method=method, call=scipy_call: call(method),
            )
        yield "confidence-intervals", "bootstrap percentile", _metric(average), luferrer_call


def intervals(probes: dict[str, Any], resamples: int) -> Iterator[Answer]:
    """Every package's answer to every probe."""
    for probe, matrix in probes.items():
        for package, method, metric, call in interval_calls(matrix, resamples):
            row = {"probe": probe, "package": package, "method": method, "metric": metric}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    values = dict(
                        zip(("estimate", "low", "high"), map(_number, call()), strict=True)
                    )
                    message = ""
                except Exception as error:  # whatever a package raises is its answer
                    values = dict.fromkeys(("estimate", "low", "high"))
                    message = f"{type(error).__name__}: {error}"
            seen = sorted({w.category.__name__ for w in caught} - _UNRELATED)
            yield row | values | {"message": message, "warnings": seen}


# Warnings about the way of calling, not about the data.
_UNRELATED = {"DeprecationWarning", "FutureWarning", "ConfigWarning"}


# --- Coverage -------------------------------------------------------------------------------


def coverage(
    designs: dict[str, Any], replicates: int, posterior_replicates: int, seed: int
) -> Iterator[Answer]:
    """How often the packages' own calls hold the true macro F1; only where every class occurs."""

    def analytic(matrix: Any, _: int) -> Any:
        true, predicted = labels(matrix)
        package = _module("confidenceinterval")
        return package.f1_score(true, predicted, average="macro")[1]

    def posterior(prior: int) -> Callable[[Any, int], Any]:
        def call(matrix: Any, i: int) -> Any:
            study = posterior_study(matrix, "f1@macro", prior, seed=i)
            return posterior_interval(study, "f1@macro", 0)

        return call

    methods = [
        ("confidenceinterval", "analytic", analytic, replicates),
        ("prob-conf-mat", "posterior, prior 0", posterior(0), posterior_replicates),
        ("prob-conf-mat", "posterior, prior 1", posterior(1), posterior_replicates),
    ]
    for number, (name, design) in enumerate(designs.items()):
        cells = np.asarray(design["cells"])
        for package, method, call, count in methods:
            rng = np.random.default_rng([seed, number])
            drawn = rng.multinomial(design["n"], cells.ravel(), size=count)
            tables = drawn.reshape(count, *cells.shape)
            occurs = ((tables.sum(axis=1) + tables.sum(axis=2)) > 0).all(axis=1)
            ends = np.full((count, 2), np.nan)
            message = ""
            begin = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for i in np.flatnonzero(occurs):
                    try:
                        ends[i] = call(tables[i], int(i))
                    except Exception as error:
                        message = f"{type(error).__name__}: {error}"
                        if isinstance(error, ImportError):
                            break
            seconds = time.perf_counter() - begin
            low, high = ends[occurs].T
            defined = ~(np.isnan(low) | np.isnan(high))
            truth = design["truth"]
            yield {
                "design": name,
                "package": package,
                "method": method,
                "replicates": int(occurs.sum()),
                "defined": int(defined.sum()),
                "covered": int(((low <= truth) & (truth <= high)).sum()),
                "length": _number((high - low)[defined].mean()) if defined.any() else None,
                "overshoot": int(((low < 0) | (high > 1))[defined].sum()),
                "seconds": round(seconds, 1),
                "message": message,
            }


# --- Joint quantiles ------------------------------------------------------------------------

_QUANTILE = """
suppressMessages(library(mvtnorm))
values <- as.numeric(commandArgs(TRUE))
k <- sqrt(length(values) - 1)
corr <- matrix(values[-1], k)
begin <- proc.time()[["elapsed"]]
q <- sapply(1:10, function(seed) {
  set.seed(seed)
  qmvnorm(values[1], tail = "both.tails", corr = corr)$quantile
})
cat(c(q, (proc.time()[["elapsed"]] - begin) / 10), sep = "\\n")
"""


def quantiles(matrices: dict[str, Any], level: float) -> Iterator[Answer]:
    """Equicoordinate quantiles by mvtnorm: mean and standard deviation over ten seeds."""
    for name, matrix in matrices.items():
        row: Answer = {"name": name, "level": level}
        try:
            numbers = [level, *np.ravel(matrix).tolist()]
            *values, seconds = map(float, _run_r(_QUANTILE, *map(repr, numbers)).split())
            row |= {
                "value": float(np.mean(values)),
                "deviation": float(np.std(values, ddof=1)),
                "seeds": len(values),
                "seconds": seconds,
                "message": "",
            }
        except OSError:
            row |= {"value": None, "message": f"{ABSENT}: Rscript"}
        except subprocess.CalledProcessError as error:
            row |= {"value": None, "message": error.stderr.strip()}
        yield row


def _run_r(code: str, *arguments: str) -> str:
    """What a piece of R prints; OSError if there is no R."""
    program = shutil.which("Rscript")
    if program is None:
        raise OSError("Rscript was not found")
    done = subprocess.run(
        [program, "--vanilla", "-e", code, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


# --- Plumbing -------------------------------------------------------------------------------


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _number(value: Any) -> float | None:
    """A number that JSON knows; None for what is undefined."""
    return None if value is None or not np.isfinite(value) else float(value)


# --- Two models, many documents --------------------------------------------------------------


def comparisons(question: Answer) -> Answer:
    """Tests of equal F1 on the same items, and R's interval for a proportion in clusters.

    `question` has the counts by truth, prediction of A and of B, (tp, fp, fn) of each document,
    how often a bootstrap resamples and how often a permutation test permutes. The seconds are
    those of the processor, of a second call.
    """
    cells = np.asarray(question["cells"])
    truth, first, second = (
        np.repeat(axis.ravel(), cells.ravel()) for axis in np.indices(cells.shape)
    )
    tests = []
    for name, exact, call in _paired_tests(truth, first, second, question):
        call()  # imports and compiles
        started = time.process_time()
        p, low, high = call()
        tests.append(
            {
                "name": name,
                "exact": exact,
                "p": float(p),
                "low": low,
                "high": high,
                "seconds": time.process_time() - started,
            }
        )
    wanted = ("stambo", "mlxtend")
    found = {name: importlib.metadata.version(name) for name in wanted}
    found["R survey"] = _run_r('cat(as.character(packageVersion("survey")))').strip()
    return {
        **question,
        "date": datetime.now(timezone.utc).date().isoformat(),
        "versions": found,
        "tests": tests,
        "svyciprop": _svyciprop(question["clusters"]),
    }


def _paired_tests(
    truth: Any, first: Any, second: Any, question: Answer
) -> Iterator[tuple[str, bool, Call]]:
    def f1(y: Any, x: Any) -> float:
        return float(2 * (y & x).sum() / (y.sum() + x.sum()))

    def zmigrod() -> tuple[Any, Any, Any]:
        # Their code takes the number of true positives and of errors of each item.
        module = _module("pairedpermtest.f1")
        xs, ys = (
            [module.f1state(int(y & x), int(y != x)) for y, x in zip(truth, predicted, strict=True)]
            for predicted in (first, second)
        )
        return module.perm_test(xs, ys), None, None

    def stambo() -> tuple[Any, Any, Any]:
        module = _module("stambo")
        found = module.compare_models(
            truth,
            first,
            second,
            metrics=("F1Score",),
            n_bootstrap=question["resamples"],
            seed=0,
            silent=True,
        )["F1Score"]
        return found[0], float(found[2]), float(found[3])

    def mlxtend() -> tuple[Any, Any, Any]:
        test = _module("mlxtend.evaluate").permutation_test
        code = truth * 2
        p = test(
            code + first,
            code + second,
            func=lambda x, y: abs(f1(x >= 2, x % 2 == 1) - f1(y >= 2, y % 2 == 1)),
            method="approximate",
            num_rounds=question["permutations"],
            seed=0,
            paired=True,
        )
        return p, None, None

    if importlib.util.find_spec("pairedpermtest"):
        yield "rycolab/paired-perm-test", True, zmigrod
    yield f"stambo, {question['resamples']:,} resamples", False, stambo
    yield f"mlxtend, {question['permutations']:,} permutations", False, mlxtend


def _svyciprop(clusters: Any) -> list[float]:
    """Precision by svyciprop(method = "beta"), a row for each item predicted positive."""
    right = ",".join(str(tp) for tp, _, _ in clusters)
    wrong = ",".join(str(fp) for _, fp, _ in clusters)
    found = _run_r(
        f"suppressMessages(library(survey)); tp <- c({right}); fp <- c({wrong}); "
        "d <- data.frame(id = rep(seq_along(tp), tp + fp), "
        "x = unlist(Map(function(a, b) c(rep(1, a), rep(0, b)), tp, fp))); "
        "ci <- confint(svyciprop(~x, svydesign(~id, weights = ~1, data = d), method = 'beta')); "
        "cat(format(ci, digits = 10))"
    )
    return [float(end) for end in found.split()]


def main() -> None:
    """Answer the questions that come on standard input."""
    questions = json.load(sys.stdin)
    if "cells" in questions:
        json.dump(comparisons(questions), sys.stdout, allow_nan=False)
        return
    answers = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "versions": versions(),
        "intervals": list(intervals(questions["probes"], questions["resamples"])),
        "quantiles": list(quantiles(questions["quantiles"], questions["level"])),
    }
    if "designs" in questions:
        answers["coverage"] = list(
            coverage(
                questions["designs"],
                questions["replicates"],
                questions["posterior_replicates"],
                questions["seed"],
            )
        )
    json.dump(answers, sys.stdout, allow_nan=False)


if __name__ == "__main__":
    with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):  # noqa: PTH123
        main()
