"""Ask other packages the questions of two pages, and store their answers.

``make peers`` runs this program in an environment of the other packages, because they pin versions
that the book cannot live with. It imports no f1ci. Every call stands alone: one that fails leaves
its message as the answer.

``peers.json``
    intervals of five small matrices, and how often the packages' intervals hold the true macro F1
    in simulated test sets ("Comparison with other packages");
``compare-peers.json``
    tests of two models on the same items, and an interval for items in documents; the file also
    holds the question ("Two models, many documents").
"""

from __future__ import annotations

import importlib.util
import json
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from compendium import DATA, data

PACKAGES = (
    *("confidenceinterval", "confidence-intervals", "prob-conf-mat"),
    *("statsmodels", "scipy", "scikit-learn", "numpy"),
)
SEED = 20260101
RESAMPLES = 999
REPLICATES = {"confidenceinterval": 10_000, "prob-conf-mat": 1_000}

# True classes in rows, predicted ones in columns; in a 2 x 2 matrix index 1 is positive.
PROBES: dict[str, list[list[int]]] = {
    "a": [[702, 44], [10, 77]],  # lam, section 6
    "b": [[2, 5, 0], [2, 70, 2], [2, 2, 15]],  # takahashi, Table 1a
    "c": [[20, 0], [0, 20]],  # perfect
    "d": [[50, 3], [4, 0]],  # no item of the positive class found
    "e": [[10, 5, 0], [3, 20, 0], [2, 4, 0]],  # class 2 never predicted
}
# A population: what tables call it, shares of the true classes, the share of each class that is
# predicted right, and the size of a test set.
DESIGNS: dict[str, tuple[str, list[int], float, int]] = {
    "balanced": ("three equal classes, accuracy 0.8", [1, 1, 1], 0.8, 500),
    "rare": ("90/5/5, accuracy 0.8", [90, 5, 5], 0.8, 500),
    "nine-rare": ("ten classes, nine of 1 %, accuracy 0.8", [91] + [1] * 9, 0.8, 1000),
    "near-perfect": ("two equal classes, accuracy 0.98", [1, 1], 0.98, 400),
    "small": ("90/5/5, accuracy 0.8, small", [90, 5, 5], 0.8, 100),
    "many": ("ten equal classes, accuracy 0.99", [1] * 10, 0.99, 200),
}
Answer = dict[str, Any]
Ends = Callable[[], tuple[Any, Any, Any]]  # an estimate (or None) and two end points


def cells_of(prevalence: list[int], accuracy: float) -> Any:
    """Return cell probabilities; wrong predictions fall on other classes by their prevalence."""
    share = np.array(prevalence, dtype=float)
    share /= share.sum()
    others = np.tile(share, (len(share), 1))
    np.fill_diagonal(others, 0.0)
    others /= others.sum(axis=1, keepdims=True)
    return share[:, None] * (accuracy * np.eye(len(share)) + (1.0 - accuracy) * others)


def macro_f1(cells: Any) -> float:
    """Return the mean over classes of 2 TP / (2 TP + FP + FN)."""
    right = np.diagonal(cells)
    return float((2 * right / (cells.sum(axis=0) + cells.sum(axis=1))).mean())


def questions() -> Answer:
    """Return what the packages are asked, as it is stored with their answers."""
    designs = {}
    for key, (name, prevalence, accuracy, n) in DESIGNS.items():
        cells = cells_of(prevalence, accuracy)
        truth = macro_f1(cells)
        designs[key] = {"name": name, "cells": cells.tolist(), "n": n, "truth": truth}
    return {
        "probes": PROBES,
        "resamples": RESAMPLES,
        "designs": designs,
        "replicates": REPLICATES,
        "seed": SEED,
    }


def labels(matrix: Any) -> tuple[Any, Any]:
    """Return true and predicted labels 0, ..., r - 1 that give a confusion matrix, rows true."""
    counts = np.asarray(matrix)
    true, predicted = np.indices(counts.shape)
    return np.repeat(true.ravel(), counts.ravel()), np.repeat(predicted.ravel(), counts.ravel())


# One interval each


def interval_calls(matrix: Any) -> Iterator[tuple[str, str, str, Ends]]:
    """Give package, method, metric and call of every interval that one matrix allows."""
    pair, binary = labels(matrix), len(matrix) == 2
    for average in ["binary", "micro", "macro"] if binary else ["micro", "macro"]:
        yield from analytic_calls(pair, average)
        if average != "micro":
            yield from bootstrap_calls(pair, average)
    metrics = [("micro_f1", "f1@micro", 0), ("macro_f1", "f1@macro", 0)]
    for prior in (0, 1):
        for metric, name, column in metrics + [("f1", "f1", 1)] * binary:
            call = partial(posterior_ends, matrix, name, prior, column)
            yield "prob-conf-mat", f"posterior, prior {prior}", metric, call
    if binary:
        (_, fp), (fn, tp) = matrix
        yield from proportion_calls(tp, tp + fp + fn)


def analytic_calls(pair: Any, average: str) -> Iterator[tuple[str, str, str, Ends]]:
    """Give confidenceinterval's analytic intervals."""
    for score in ("f1",) if average == "micro" else ("f1", "precision", "recall"):
        call = partial(confidenceinterval_ends, pair, score, average=average)
        yield "confidenceinterval", "analytic", metric_name(average, score), call


def bootstrap_calls(pair: Any, average: str) -> Iterator[tuple[str, str, str, Ends]]:
    """Give three packages' bootstrap intervals of F1."""
    f1 = metric_name(average, "f1")
    options = {"method": "bootstrap_bca", "n_resamples": RESAMPLES}
    state = np.random.RandomState(0)
    call = partial(confidenceinterval_ends, pair, "f1", average=average, random_state=state)
    yield "confidenceinterval", "bootstrap BCa", f1, partial(call, **options)
    for method in ("percentile", "BCa"):
        yield "scipy", f"bootstrap {method}", f1, partial(scipy_ends, pair, average, method)
    call = partial(confidence_intervals_ends, pair, average)
    yield "confidence-intervals", "bootstrap percentile", f1, call


def proportion_calls(count: int, total: int) -> Iterator[tuple[str, str, str, Ends]]:
    """Give intervals for F* = TP / (TP + FP + FN), mapped to F1."""
    for method in ("wilson", "beta", "normal"):
        call = partial(statsmodels_ends, count, total, method)
        yield "statsmodels", f"proportion_confint {method}, on F*", "f1", call
    for method in ("wilson", "exact"):
        call = partial(binomtest_ends, count, total, method)
        yield "scipy", f"binomtest {method}, on F*", "f1", call


def metric_name(average: str, score: str) -> str:
    """Return our name of a metric."""
    return score if average == "binary" else f"{average}_{score}"


def confidenceinterval_ends(pair: Any, score: str, **options: Any) -> tuple[Any, Any, Any]:
    """Return the interval of confidenceinterval."""
    import confidenceinterval

    function = getattr(confidenceinterval, f"{score}_score")
    estimate, (low, high) = function(*pair, **options)
    return estimate, low, high


def posterior_study(matrix: Any, metric: str, prior: int, seed: int = 0) -> Any:
    """Return a study by prob-conf-mat of one matrix, with 10,000 posterior draws."""
    from prob_conf_mat import Study

    study = Study(seed=seed, num_samples=10_000, ci_probability=0.95)
    priors = {"prevalence_prior": prior, "confusion_prior": prior}
    study.add_experiment("test/set", confusion_matrix=matrix, **priors)
    study.add_metric(metric)
    return study


def posterior_ends(
    matrix: Any, metric: str, prior: int, column: int, seed: int = 0
) -> tuple[Any, Any, Any]:
    """Return the 95 % interval of highest posterior density, which prob-conf-mat reports."""
    from prob_conf_mat.stats import hdi_estimator

    study = posterior_study(matrix, metric, prior, seed)
    asked = {"metric": metric, "experiment_name": "test/set"}
    observed, drawn = (
        study.get_metric_samples(**asked, sampling_method=how).values[:, column]
        for how in ("input", "posterior")
    )
    return observed[0], *hdi_estimator(drawn, prob=0.95)


def statsmodels_ends(count: int, total: int, method: str) -> tuple[Any, Any, Any]:
    """Return the interval of statsmodels."""
    from statsmodels.stats.proportion import proportion_confint

    return on_f1(count, total, proportion_confint(count, total, method=method))


def binomtest_ends(count: int, total: int, method: str) -> tuple[Any, Any, Any]:
    """Return the interval of SciPy's binomial test."""
    from scipy.stats import binomtest

    return on_f1(count, total, binomtest(count, total).proportion_ci(method=method))


def on_f1(count: int, total: int, ends: Any) -> tuple[Any, Any, Any]:
    """Map an interval for F* to F1."""
    low, high = (2 * q / (1 + q) for q in ends)
    return 2 * count / (count + total), low, high


def score_of(average: str, true: Any, predicted: Any) -> float:
    """Return scikit-learn's score."""
    from sklearn.metrics import f1_score

    return float(f1_score(true, predicted, average=average, zero_division=0))


def scipy_ends(pair: Any, average: str, method: str) -> tuple[Any, Any, Any]:
    """Return SciPy's bootstrap interval."""
    from scipy.stats import bootstrap

    score = partial(score_of, average)
    options = {"paired": True, "vectorized": False, "n_resamples": RESAMPLES, "rng": 0}
    result = bootstrap(pair, score, method=method, **options)
    return score(*pair), *result.confidence_interval


def confidence_intervals_ends(pair: Any, average: str) -> tuple[Any, Any, Any]:
    """Return the bootstrap interval of L. Ferrer's package."""
    from confidence_intervals import evaluate_with_conf_int

    true, predicted = pair
    score = partial(score_of, average)
    center, (low, high) = evaluate_with_conf_int(predicted, score, true, num_bootstraps=RESAMPLES)
    return center, low, high


# Warnings about the way of calling, not about the data.
UNRELATED = {"DeprecationWarning", "FutureWarning", "ConfigWarning"}


def intervals() -> Iterator[Answer]:
    """Give every package's answer to every probe."""
    for probe, matrix in PROBES.items():
        for package, method, metric, call in interval_calls(matrix):
            row = {"probe": probe, "package": package, "method": method, "metric": metric}
            yield {**row, **answer(call)}


def answer(call: Ends) -> Answer:
    """Return the interval of one call, or its message, and what it warned of."""
    message = ""
    values: tuple[Any, ...] = (None, None, None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values = tuple(map(number, call()))
        except Exception as error:  # whatever a package raises is its answer
            message = f"{type(error).__name__}: {error}"
    ends = dict(zip(("estimate", "low", "high"), values, strict=True))
    seen = sorted({w.category.__name__ for w in caught} - UNRELATED)
    return {**ends, "message": message, "warnings": seen}


def number(value: Any) -> float | None:
    """Return a number that JSON knows; None for what is undefined."""
    return None if value is None or not np.isfinite(value) else float(value)


# Coverage


def coverage(designs: dict[str, Any]) -> Iterator[Answer]:
    """Give how often the packages' own calls hold the true macro F1, if every class occurs."""

    def analytic(matrix: Any, _: int) -> tuple[Any, Any, Any]:
        return confidenceinterval_ends(labels(matrix), "f1", average="macro")

    def posterior(prior: int) -> Callable[[Any, int], tuple[Any, Any, Any]]:
        return lambda matrix, seed: posterior_ends(matrix, "f1@macro", prior, 0, seed)

    methods = [
        ("confidenceinterval", "analytic", analytic),
        ("prob-conf-mat", "posterior, prior 0", posterior(0)),
        ("prob-conf-mat", "posterior, prior 1", posterior(1)),
    ]
    for place, (key, design) in enumerate(designs.items()):
        for package, method, call in methods:
            rng = np.random.default_rng([SEED, place])
            row = {"design": key, "package": package, "method": method}
            yield {**row, **study(design, call, REPLICATES[package], rng)}


def study(design: Answer, call: Any, replicates: int, rng: np.random.Generator) -> Answer:
    """Return how often one method holds the truth of a design, and how long its intervals are."""
    cells = np.asarray(design["cells"])
    tables = rng.multinomial(design["n"], cells.ravel(), size=replicates)
    tables = tables.reshape(replicates, *cells.shape)
    occurs = ((tables.sum(axis=1) + tables.sum(axis=2)) > 0).all(axis=1)
    answers = [answer(partial(call, tables[i], int(i))) for i in np.flatnonzero(occurs)]
    ends = np.array([[x["low"], x["high"]] for x in answers], dtype=float)
    low, high = ends[~np.isnan(ends).any(axis=1)].T
    inside = (low <= design["truth"]) & (design["truth"] <= high)
    return {
        "replicates": int(occurs.sum()),
        "defined": len(low),
        "covered": int(inside.sum()),
        "length": number((high - low).mean()) if len(low) else None,
        "overshoot": int(((low < 0) | (high > 1)).sum()),
        "message": next((x["message"] for x in reversed(answers) if x["message"]), ""),
    }


# Two models, many documents


def comparisons(question: Answer) -> Answer:
    """Return tests of equal F1 on the same items, and R's interval for items in documents."""
    cells = np.asarray(question["cells"])
    items = [np.repeat(axis.ravel(), cells.ravel()) for axis in np.indices(cells.shape)]
    survey = run_r('cat(as.character(packageVersion("survey")))').strip()
    versions = {name: version(name) for name in ("stambo", "mlxtend")}
    return {
        **question,
        "date": datetime.now(timezone.utc).date().isoformat(),
        "versions": {**versions, "R survey": survey},
        "tests": [timed(*test) for test in paired_tests(items, question)],
        "svyciprop": svyciprop(question["clusters"]),
    }


def timed(name: str, exact: bool, call: Ends) -> Answer:
    """Return the answer of a test, with the processor time of a second call."""
    call()  # imports and compiles
    started = time.process_time()
    p, low, high = call()
    took = time.process_time() - started
    return {"name": name, "exact": exact, "p": float(p), "low": low, "high": high, "seconds": took}


def paired_tests(items: list[Any], question: Answer) -> Iterator[tuple[str, bool, Ends]]:
    """Give the name of each test of equal F1, whether it is exact, and its call."""
    resamples, rounds = question["resamples"], question["permutations"]
    if importlib.util.find_spec("pairedpermtest"):  # from github.com/rycolab/paired-perm-test
        yield "rycolab/paired-perm-test", True, partial(zmigrod_test, items)
    yield f"stambo, {resamples:,} resamples", False, partial(stambo_test, items, resamples)
    yield f"mlxtend, {rounds:,} permutations", False, partial(mlxtend_test, items, rounds)


def zmigrod_test(items: list[Any]) -> tuple[Any, Any, Any]:
    """Return the p-value of the exact test of Zmigrod, Vieira and Cotterell."""
    from pairedpermtest.f1 import f1state, perm_test

    truth, *models = items
    # Their code takes the number of true positives and of errors of each item.
    states = [
        [f1state(int(y & x), int(y != x)) for y, x in zip(truth, predicted, strict=True)]
        for predicted in models
    ]
    return perm_test(*states), None, None


def stambo_test(items: list[Any], resamples: int) -> tuple[Any, Any, Any]:
    """Return the p-value and the interval of stambo's bootstrap test."""
    from stambo import compare_models

    options = {"metrics": ("F1Score",), "n_bootstrap": resamples, "seed": 0, "silent": True}
    found = compare_models(*items, **options)["F1Score"]
    return found[0], float(found[2]), float(found[3])


def mlxtend_test(items: list[Any], rounds: int) -> tuple[Any, Any, Any]:
    """Return the p-value of mlxtend's permutation test."""
    from mlxtend.evaluate import permutation_test

    def difference(x: Any, y: Any) -> float:
        return abs(f1(x >= 2, x % 2 == 1) - f1(y >= 2, y % 2 == 1))

    truth, first, second = items
    codes = (truth * 2 + first, truth * 2 + second)
    options = {"method": "approximate", "num_rounds": rounds, "seed": 0, "paired": True}
    return permutation_test(*codes, func=difference, **options), None, None


def f1(truth: Any, predicted: Any) -> float:
    """Return the F1 score of two arrays of truth values."""
    return float(2 * (truth & predicted).sum() / (truth.sum() + predicted.sum()))


def svyciprop(clusters: Any) -> list[float]:
    """Return R's interval for precision; each item predicted positive has a row."""
    right = ",".join(str(tp) for tp, _, _ in clusters)
    wrong = ",".join(str(fp) for _, fp, _ in clusters)
    code = (
        f"suppressMessages(library(survey)); tp <- c({right}); fp <- c({wrong}); "
        "d <- data.frame(id = rep(seq_along(tp), tp + fp), "
        "x = unlist(Map(function(a, b) c(rep(1, a), rep(0, b)), tp, fp))); "
        "ci <- confint(svyciprop(~x, svydesign(~id, weights = ~1, data = d), method = 'beta')); "
        "cat(format(ci, digits = 10))"
    )
    return [float(end) for end in run_r(code).split()]


def run_r(code: str) -> str:
    """Return what a piece of R prints."""
    program = ["Rscript", "--vanilla", "-"]  # what follows -e may not be long
    return subprocess.run(program, input=code, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Store the answers of one page: its file is the argument."""
    (file,) = sys.argv[1:] or ["peers.json"]
    answers = again(file) if file == "compare-peers.json" else to_probes()
    store(file, answers, "peers")


def store(file: str, answers: Answer, module: str) -> None:
    """Write the answers and their entry in the list of sources."""
    data.register(
        file,
        json.dumps(answers, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        made_by=f"make peers OPTIONS={file}",
        made_with=", ".join(f"{name} {number}" for name, number in answers["versions"].items()),
        source=f"the packages' own answers to book/benchmarks/{module}.py, on {answers['date']}",
    )


def to_probes() -> Answer:
    """Return the answers to the questions of this file."""
    asked = questions()
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "versions": {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}},
        "asked": asked,
        "intervals": list(intervals()),
        "coverage": list(coverage(asked["designs"])),
    }


def again(file: str) -> Answer:
    """Return new answers to the questions that a stored file holds."""
    stored = json.loads((DATA / file).read_text("utf-8"))
    return comparisons({n: stored[n] for n in ("cells", "clusters", "resamples", "permutations")})


if __name__ == "__main__":
    main()
