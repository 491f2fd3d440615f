"""Ask other packages the questions of three pages, and store their answers.

``make peers`` runs this program in an environment of the other packages, because they pin versions
that the book cannot live with. It imports no f1ci function. Each file of answers also holds the
questions. A row that names a package and a question gets its answer again: to ask more, add a row.
The tables `OF_MATRIX`, `OF_SCORES` and `OF_TWO_MODELS` say how each package is called. A call that
fails has its message as the answer.

``peers.json``
    intervals of five small matrices, and how often intervals hold the true macro F1 in simulated
    test sets ("Comparison with other packages");
``compare-peers.json``
    tests of two models on the same items, and an interval for items in documents ("Two models,
    many documents");
``means-peers.json``
    intervals of means of scores by unit, of one data set and in simulated test sets, and of F1 in
    strata ("Another prevalence, another F1").
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from compendium import DATA, data, versions

from notebooks.shared import unit_scores

Answer = dict[str, Any]
Ends = tuple[Any, Any, Any]  # an estimate (or None) and two end points
RESAMPLES = 999

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


# Scores by unit, of two models; units may be images of patients. And F1 of the classes of a map.


def t_interval(scores: Any) -> Ends:
    """Return the t interval of SciPy's one-sample test; of differences the paired t interval."""
    ends = import_module("scipy.stats").ttest_1samp(scores, 0.0).confidence_interval()
    return scores.mean(), *ends


def errorbars_mean(scores: Any) -> Ends:
    """Return what ``errorbars summarize`` prints for scores that are not 0 and 1."""
    found = import_module("errorbars.stats").mean_ci_clt(scores)
    return found.mean, found.ci_low, found.ci_high


def errorbars_patients(scores: Any, patients: Any) -> Ends:
    """Return the clustered interval of ``errorbars summarize``, which has no function."""
    stats = import_module("errorbars.stats")
    quantile = stats.t_for_confidence(0.95, len(set(patients)) - 1)
    half = quantile * stats.cluster_robust_se(scores, patients)
    return scores.mean(), scores.mean() - half, scores.mean() + half


def errorbars_difference(a: Any, b: Any, patients: Any = None) -> Ends:
    """Return the paired interval of B minus A; with patients the clustered one."""
    found = import_module("errorbars.compare").paired_compare(b, a, patients)
    if patients is None:
        return found.mean_diff, found.ci_low, found.ci_high
    return found.mean_diff, found.ci_low_clustered, found.ci_high_clustered


def evalstats_mean(scores: Any) -> Ends:
    """Return the interval of evalstats; the range is given, not guessed from the scores."""
    found = import_module("evalstats").mean_ci(scores, score_range=(0, 1), rng=0)
    return found.mean, found.ci_low, found.ci_high


def evalstats_difference(a: Any, b: Any) -> Ends:
    """Return the interval of B minus A by the default method of ``compare``.

    ``compare`` refuses fewer than 15 items.
    """
    package = import_module("evalstats")
    scores = [("a", *pair) for pair in enumerate(a)] + [("b", *pair) for pair in enumerate(b)]
    frame = import_module("pandas").DataFrame(scores, columns=["model", "item", "score"])
    found = package.compare(package.load_from(frame), factors="model", score_range=(0, 1))
    (pair,) = found.to_dict()["pairwise"]
    sign = 1 if (pair["a"], pair["b"]) == ("b", "a") else -1
    low, high = sorted(sign * pair[end] for end in ("ci_low", "ci_high"))
    return sign * pair["diff"], low, high


def survey_mean(scores: Any, patients: Any = None) -> Ends:
    """Return R's interval of a mean, with patients as clusters, and with t."""
    unit = range(len(scores)) if patients is None else patients
    estimate, low, high = in_survey(
        f"d <- data.frame(x = {vector(scores)}, unit = {vector(unit)}); "
        "m <- svymean(~x, s <- svydesign(~unit, weights = ~1, data = d)); "
        "cat(format(c(coef(m), confint(m, df = degf(s))), digits = 12))"
    )
    return estimate, low, high


def survey_f1(k: int, counts: Any, areas: Any) -> Ends:
    """Return R's interval of F1 of one class of a map, with mapped classes in rows: a ratio."""
    mapped, true = labels(counts)
    weight = (np.array(areas) / np.sum(counts, axis=1))[mapped]
    estimate, low, high = in_survey(
        f"d <- data.frame(m = {vector(mapped)}, t = {vector(true)}, w = {vector(weight)}); "
        f"d$twice <- 2 * (d$m == {k} & d$t == {k}); d$both <- (d$m == {k}) + (d$t == {k}); "
        "s <- svydesign(~1, strata = ~m, weights = ~w, data = d); "
        "r <- svyratio(~twice, ~both, s); "
        "cat(format(c(coef(r), confint(r, df = degf(s))), digits = 12))"
    )
    return estimate, low, high


# By question: the scores of A, those of B, and the patients, as the calls below take them.
GIVEN = {
    "mean": ("a",),
    "difference": ("a", "b"),
    "mean, patients": ("a", "patient"),
    "difference, patients": ("a", "b", "patient"),
}
# By question and package: how to ask.
OF_SCORES: dict[tuple[str, str], Callable[..., Ends]] = {
    ("mean", "scipy"): t_interval,
    ("mean", "errorbars"): errorbars_mean,
    ("mean", "evalstats"): evalstats_mean,
    ("mean", "R survey"): survey_mean,
    ("difference", "scipy"): lambda a, b: t_interval(b - a),
    ("difference", "errorbars"): errorbars_difference,
    ("difference", "evalstats"): evalstats_difference,
    ("difference", "R survey"): lambda a, b: survey_mean(b - a),
    ("mean, patients", "errorbars"): errorbars_patients,
    ("mean, patients", "R survey"): survey_mean,
    ("difference, patients", "errorbars"): errorbars_difference,
    ("difference, patients", "R survey"): lambda a, b, patients: survey_mean(b - a, patients),
}


def of_scores(stored: Answer) -> Answer:
    """Return the answers about scores by unit, and about the map."""
    return {
        "versions": versions(["errorbars", "evalstats", "scipy"]) | survey_version(),
        "intervals": [row | of_data_set(row, stored) for row in stored["intervals"]],
        "coverage": [row | study_of_scores(row, stored) for row in stored["coverage"]],
    }


def of_data_set(row: Answer, stored: Answer) -> Answer:
    """Return the answer to a question about the stored scores, or about the map."""
    question = row["question"]
    if question not in GIVEN:
        return answer(partial(survey_f1, int(question.split()[-1]), **stored["map"]))
    scores = [np.array(stored["dice"][name]) for name in GIVEN[question]]
    return answer(partial(OF_SCORES[question, row["package"]], *scores))


def study_of_scores(row: Answer, stored: Answer) -> Answer:
    """Count how often intervals hold the true mean or difference of a design, and their length."""
    question = row["question"]
    scores, truth = test_sets(row, stored)
    ask = OF_SCORES[question, row["package"]]
    given = zip(*(scores[name] for name in GIVEN[question]), strict=True)
    limits, message = many(partial(ask, *one) for one in given)
    low, high = limits.T
    outside = None if question == "difference" else float(((low < 0) | (high > 1)).mean())
    return {
        "covered": float(((low <= truth) & (truth <= high)).mean()),
        "length": float((high - low).mean()),
        "outside": outside,
        "message": message,
    }


def test_sets(row: Answer, stored: Answer) -> tuple[dict[str, Any], float]:
    """Return the scores of A and B, or of A and the patients, in test sets of a design; the truth.

    The notebook draws the same test sets.
    """
    units, failures = row["units"], row["failures"]
    rng = np.random.default_rng([stored["seed"], place_of(row, stored["coverage"])])
    if row["question"] == "mean, patients":
        scores = unit_scores.of_patients(rng, stored["replicates"], units, 3, 0.5)
        patients = np.broadcast_to(np.repeat(np.arange(units), 3), scores.shape)
        return {"a": scores, "patient": patients}, unit_scores.MEAN
    a, b = unit_scores.two_models(rng, (stored["replicates"], units), failures)
    truth = unit_scores.true_means(failures)[row["question"] == "difference"]
    return {"a": a, "b": b}, truth


def place_of(row: Answer, rows: list[Answer]) -> int:
    """Return the place of a design among those of its question, which is part of its seed."""
    same = [x for x in rows if x["question"] == row["question"]]
    designs = list(dict.fromkeys((x["units"], x["failures"]) for x in same))
    place = designs.index((row["units"], row["failures"]))
    return 100 + place if row["question"] == "mean, patients" else place


# Two models on the same items: p-values of tests of equal F1, some with an interval.


def zmigrod(items: list[Any], _: Answer) -> Ends:
    """Return the p-value of the exact test of Zmigrod, Vieira and Cotterell."""
    package = import_module("pairedpermtest.f1")  # from github.com/rycolab/paired-perm-test
    truth, *models = items
    # Their code takes the number of true positives and of errors of each item.
    states = [
        [package.f1state(int(y & x), int(y != x)) for y, x in zip(truth, predicted, strict=True)]
        for predicted in models
    ]
    return package.perm_test(*states), None, None


def stambo(items: list[Any], stored: Answer) -> Ends:
    """Return the p-value and the interval of stambo's bootstrap test."""
    options = {"metrics": ("F1Score",), "n_bootstrap": stored["resamples"], "seed": 0}
    ask = import_module("stambo").compare_models
    found = ask(*items, silent=True, **options)["F1Score"]
    return found[0], float(found[2]), float(found[3])


def mlxtend(items: list[Any], stored: Answer) -> Ends:
    """Return the p-value of mlxtend's permutation test."""

    def f1(codes: Any) -> float:
        truth, predicted = codes >= 2, codes % 2 == 1
        return float(2 * (truth & predicted).sum() / (truth.sum() + predicted.sum()))

    truth, first, second = items
    options = {"num_rounds": stored["permutations"], "seed": 0, "paired": True}
    p = import_module("mlxtend.evaluate").permutation_test(
        truth * 2 + first,
        truth * 2 + second,
        func=lambda x, y: abs(f1(x) - f1(y)),
        method="approximate",
        **options,
    )
    return p, None, None


# By the first word of a test's name: how to ask it about items.
OF_TWO_MODELS: dict[str, Callable[[list[Any], Answer], Ends]] = {
    "rycolab/paired-perm-test": zmigrod,
    "stambo": stambo,
    "mlxtend": mlxtend,
}


def of_two_models(stored: Answer) -> Answer:
    """Return the answers about two models, and R's interval for items in documents."""
    items = labels(stored["cells"])
    tests = []
    for row in stored["tests"]:
        call = partial(OF_TWO_MODELS[row["name"].partition(",")[0]], items, stored)
        tests.append(row | timed(call))
    return {
        "versions": versions(["stambo", "mlxtend"]) | survey_version(),
        "tests": tests,
        "svyciprop": svyciprop(stored["clusters"]),
    }


def timed(call: Callable[[], Ends]) -> Answer:
    """Return the answer of a test, with the processor time of a second call."""
    call()  # imports and compiles
    started = time.process_time()
    p, low, high = call()
    took = time.process_time() - started
    return {"p": float(p), "low": low, "high": high, "seconds": took}


def svyciprop(clusters: Any) -> list[float]:
    """Return R's interval for precision; each item predicted positive has a row."""
    right, wrong, _ = zip(*clusters, strict=True)
    return in_survey(
        f"tp <- {vector(right)}; fp <- {vector(wrong)}; "
        "d <- data.frame(id = rep(seq_along(tp), tp + fp), "
        "x = unlist(Map(function(a, b) c(rep(1, a), rep(0, b)), tp, fp))); "
        "ci <- confint(svyciprop(~x, svydesign(~id, weights = ~1, data = d), method = 'beta')); "
        "cat(format(ci, digits = 10))"
    )


# One call, many calls, R


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


def run_r(code: str) -> str:
    """Return what a piece of R prints."""
    program = ["Rscript", "--vanilla", "-"]  # what follows -e may not be long
    return subprocess.run(program, input=code, capture_output=True, text=True, check=True).stdout


def in_survey(code: str) -> list[float]:
    """Return the numbers that a piece of R prints, with the package survey."""
    return [float(word) for word in run_r(f"suppressMessages(library(survey)); {code}").split()]


def survey_version() -> dict[str, str]:
    """Return the version of R's package survey."""
    return {"R survey": run_r('cat(as.character(packageVersion("survey")))')}


def vector(values: Iterable[Any]) -> str:
    """Return numbers as R writes them."""
    return f"c({','.join(format(value, '.17g') for value in values)})"


FILES = {
    "peers.json": of_matrices,
    "compare-peers.json": of_two_models,
    "means-peers.json": of_scores,
}


def main() -> None:
    """Store new answers in one file, and its entry in the list of sources."""
    (file,) = sys.argv[1:] or ["peers.json"]
    stored = json.loads((DATA / file).read_text("utf-8"))
    date = datetime.now(timezone.utc).date().isoformat()
    answers = {**stored, "date": date, **FILES[file](stored)}
    data.register(
        file,
        json.dumps(answers, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        made_by=f"make peers OPTIONS={file}",
        made_with=", ".join(f"{name} {number}" for name, number in answers["versions"].items()),
        source=f"the packages' own answers to book/benchmarks/peers.py, on {date}",
    )


if __name__ == "__main__":
    main()
