"""Ask other packages for intervals, and store their answers for "Comparison with other packages".

``make peers`` runs this program in an environment of the other packages, because they pin versions
that the book cannot live with. It imports no f1ci function. ``peers.json`` also holds the
questions: intervals of five small matrices, and how often intervals hold the true macro F1 in
simulated test sets. A row that names a package and a question gets its answer again: to ask more,
add a row. The table `OF_MATRIX` says how each package is called. A call that fails has its message
as the answer.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from compendium import DATA, data, versions

Answer = dict[str, Any]
Ends = tuple[Any, Any, Any]  # an estimate (or None) and two end points
RESAMPLES = 999
FILE = "peers.json"

# A matrix has true classes in rows; of two classes the second is positive. A metric has the name
# f1, macro_f1, macro_recall or similar.


def labels(counts: Any) -> list[Any]:
    """Return labels 0, 1, ... by axis that give a table of counts: first true, then predicted."""
    cells = np.asarray(counts)
    return [np.repeat(axis.ravel(), cells.ravel()) for axis in np.indices(cells.shape)]


def analytic(metric: str, matrix: Any, _seed: int, **options: Any) -> Ends:
    """Return the interval of confidenceinterval."""
    average, _, score = metric.rpartition("_")
    function = getattr(import_module("confidenceinterval"), f"{score}_score")
    estimate, (low, high) = function(*labels(matrix), average=average or "binary", **options)
    return estimate, low, high


def analytic_bca(metric: str, matrix: Any, seed: int) -> Ends:
    """Return the bootstrap interval of confidenceinterval."""
    options = {"method": "bootstrap_bca", "n_resamples": RESAMPLES}
    return analytic(metric, matrix, seed, random_state=np.random.RandomState(seed), **options)


def score_of(metric: str) -> Callable[[Any, Any], float]:
    """Return scikit-learn's F1 as a function of labels."""
    score = import_module("sklearn.metrics").f1_score
    return partial(score, average=metric.rpartition("_")[0] or "binary", zero_division=0)


def scipy_bootstrap(method: str, metric: str, matrix: Any, seed: int) -> Ends:
    """Return SciPy's bootstrap interval."""
    pair, score = labels(matrix), score_of(metric)
    options = {"paired": True, "vectorized": False, "n_resamples": RESAMPLES, "rng": seed}
    found = import_module("scipy.stats").bootstrap(pair, score, method=method, **options)
    return score(*pair), *found.confidence_interval


def ferrer_bootstrap(metric: str, matrix: Any, _: int) -> Ends:
    """Return the bootstrap interval of L. Ferrer's package."""
    true, predicted = labels(matrix)
    ask = import_module("confidence_intervals").evaluate_with_conf_int
    center, (low, high) = ask(predicted, score_of(metric), true, num_bootstraps=RESAMPLES)
    return center, low, high


def posterior(prior: int, metric: str, matrix: Any, seed: int) -> Ends:
    """Return prob-conf-mat's 95 % interval of highest posterior density, from 10,000 draws."""
    package = import_module("prob_conf_mat")
    average, _, score = metric.rpartition("_")
    name, column = (f"{score}@{average}", 0) if average else (score, 1)
    study = package.Study(seed=seed, num_samples=10_000, ci_probability=0.95)
    priors = {"prevalence_prior": prior, "confusion_prior": prior}
    study.add_experiment("test/set", confusion_matrix=matrix, **priors)
    study.add_metric(name)
    observed, drawn = (
        study.get_metric_samples(name, "test/set", how).values[:, column]
        for how in ("input", "posterior")
    )
    return observed[0], *package.stats.hdi_estimator(drawn, prob=0.95)


def on_f1(ends: Callable[[int, int], Any], _: str, matrix: Any, __: int) -> Ends:
    """Return an interval for F* = TP / (TP + FP + FN), mapped to F1."""
    (_, fp), (fn, tp) = matrix
    relevant = tp + fp + fn
    low, high = (2 * q / (1 + q) for q in ends(tp, relevant))
    return 2 * tp / (tp + relevant), low, high


def statsmodels(method: str, count: int, total: int) -> Any:
    """Return the interval of statsmodels for a proportion."""
    package = import_module("statsmodels.stats.proportion")
    return package.proportion_confint(count, total, method=method)


def binomtest(method: str, count: int, total: int) -> Any:
    """Return the interval of SciPy's binomial test."""
    return import_module("scipy.stats").binomtest(count, total).proportion_ci(method=method)


# By package and method: how to ask for a metric of a matrix, with a seed.
OF_MATRIX: dict[tuple[str, str], Callable[[str, Any, int], Ends]] = {
    ("confidenceinterval", "analytic"): analytic,
    ("confidenceinterval", "bootstrap BCa"): analytic_bca,
    ("scipy", "bootstrap percentile"): partial(scipy_bootstrap, "percentile"),
    ("scipy", "bootstrap BCa"): partial(scipy_bootstrap, "BCa"),
    ("scipy", "binomtest wilson, on F*"): partial(on_f1, partial(binomtest, "wilson")),
    ("scipy", "binomtest exact, on F*"): partial(on_f1, partial(binomtest, "exact")),
    ("confidence-intervals", "bootstrap percentile"): ferrer_bootstrap,
    ("prob-conf-mat", "posterior, prior 0"): partial(posterior, 0),
    ("prob-conf-mat", "posterior, prior 1"): partial(posterior, 1),
    **{
        ("statsmodels", f"proportion_confint {method}, on F*"): partial(on_f1, call)
        for method in ("wilson", "beta", "normal")
        for call in [partial(statsmodels, method)]
    },
}


def of_matrices(stored: Answer) -> Answer:
    """Return the answers about matrices."""
    asked = stored["asked"]
    packages = ("confidenceinterval", "confidence-intervals", "prob-conf-mat", "statsmodels")
    return {
        "versions": versions([*packages, "scipy", "scikit-learn", "numpy"]),
        "intervals": [row | of_probe(row, asked["probes"]) for row in stored["intervals"]],
        "coverage": [row | study(row, asked) for row in stored["coverage"]],
    }


def of_probe(row: Answer, probes: Answer) -> Answer:
    """Return the answer to a question about a small matrix."""
    ask = OF_MATRIX[row["package"], row["method"]]
    return answer(partial(ask, row["metric"], probes[row["probe"]], 0))


def study(row: Answer, asked: Answer) -> Answer:
    """Count how often intervals hold the true macro F1 of a design, if every class occurs."""
    truth = asked["designs"][row["design"]]["truth"]
    ask = partial(OF_MATRIX[row["package"], row["method"]], "macro_f1")
    matrices = test_matrices(row, asked)
    limits, message = many(partial(ask, matrix, i) for i, matrix in matrices)
    low, high = limits[~np.isnan(limits).any(axis=1)].T
    inside, outside = (low <= truth) & (truth <= high), (low < 0) | (high > 1)
    return {
        "replicates": len(matrices),
        "defined": len(low),
        "covered": int(inside.sum()),
        "length": number((high - low).mean()) if len(low) else None,
        "overshoot": int(outside.sum()),
        "message": message,
    }


def test_matrices(row: Answer, asked: Answer) -> list[tuple[int, Any]]:
    """Return the test sets of a design in which every class occurs, with their numbers."""
    design = asked["designs"][row["design"]]
    rng = np.random.default_rng([asked["seed"], list(asked["designs"]).index(row["design"])])
    cells = np.asarray(design["cells"])
    replicates = asked["replicates"][row["package"]]
    matrices = rng.multinomial(design["n"], cells.ravel(), size=replicates)
    numbered = enumerate(matrices.reshape(replicates, *cells.shape))
    return [(i, m) for i, m in numbered if (m.sum(axis=0) + m.sum(axis=1)).all()]


# One call, many calls


def answer(call: Callable[[], Ends]) -> Answer:
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
    # These warn about the way of calling, not about the data.
    unrelated = {"DeprecationWarning", "FutureWarning", "ConfigWarning"}
    seen = sorted({w.category.__name__ for w in caught} - unrelated)
    return {**ends, "message": message, "warnings": seen}


def many(calls: Iterable[Callable[[], Ends]]) -> tuple[Any, str]:
    """Return the limits of many calls, nan where one failed, and the last message."""
    answers = [answer(call) for call in calls]
    limits = np.array([[x["low"], x["high"]] for x in answers], dtype=float)
    return limits, next((x["message"] for x in reversed(answers) if x["message"]), "")


def number(value: Any) -> float | None:
    """Return a number that JSON knows; None for what is undefined."""
    return None if value is None or not np.isfinite(value) else float(value)


def main() -> None:
    """Store new answers, and their entry in the list of sources."""
    stored = json.loads((DATA / FILE).read_text("utf-8"))
    date = datetime.now(timezone.utc).date().isoformat()
    answers = {**stored, "date": date, **of_matrices(stored)}
    data.register(
        FILE,
        json.dumps(answers, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        made_by="make peers",
        made_with=", ".join(f"{name} {number}" for name, number in answers["versions"].items()),
        source=f"the packages' own answers to book/benchmarks/peers.py, on {date}",
    )


if __name__ == "__main__":
    main()
