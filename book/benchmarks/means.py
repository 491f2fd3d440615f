"""Ask other packages for intervals of means of scores by unit, and of a score by strata.

``make peers OPTIONS=means-peers.json`` stores the answers for the notebook "Another prevalence,
another F1", which puts ours beside them. The questions are data of two kinds: one small data set,
and simulated test sets (`notebooks.shared.unit_scores`) on which the packages' intervals are
counted as right or wrong. The module imports no f1ci function.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.peers import Answer, Ends, answer, run_r, store
from notebooks.shared import unit_scores

SEED = 20261120
REPLICATES = 500
IMAGES = (10, 20, 50)
FAILURES = (0.0, 0.1)
PATIENTS = (8, 20)
IMAGES_OF_PATIENT = 3
CORRELATION = 0.5

# Dice of 24 images of eight patients by two models.
PATIENT = np.repeat(np.arange(8), 3)
DICE_A, DICE_B = (
    np.round(scores, 3)
    for scores in unit_scores.two_models(np.random.default_rng(SEED), (24,), 0.1)
)

# Olofsson et al. (2014), Table 8, as mapaccuracy 0.1.2 (CRAN) quotes it: mapped classes in rows.
MAP = ((66, 0, 5, 4), (0, 55, 8, 12), (1, 0, 153, 11), (2, 1, 9, 313))
AREAS = (0.02, 0.015, 0.32, 0.645)


def answers() -> Answer:
    """Return the questions and the packages' answers."""
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in ("errorbars", "evalstats", "scipy")}
    versions["R survey"] = run_r('cat(as.character(packageVersion("survey")))')
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "versions": versions,
        "seed": SEED,
        "replicates": REPLICATES,
        "dice": {"a": DICE_A.tolist(), "b": DICE_B.tolist(), "patient": PATIENT.tolist()},
        "map": {"counts": MAP, "areas": AREAS},
        "intervals": list(intervals()),
        "coverage": list(coverage()),
    }


# One data set


def intervals() -> Iterator[Answer]:
    """Give every package's answer to every question about the small data set."""
    calls: list[tuple[str, str, Ends]] = [
        ("mean", "scipy", partial(t_interval, DICE_A)),
        ("mean", "errorbars", partial(errorbars_mean, DICE_A)),
        ("mean", "evalstats", partial(evalstats_mean, DICE_A)),
        ("mean", "R survey", partial(survey_mean, DICE_A)),
        ("difference", "scipy", partial(t_interval, DICE_B - DICE_A)),
        ("difference", "errorbars", partial(errorbars_difference, DICE_A, DICE_B)),
        ("difference", "evalstats", partial(evalstats_difference, DICE_A, DICE_B)),
        ("difference", "R survey", partial(survey_mean, DICE_B - DICE_A)),
        ("mean, patients", "errorbars", partial(errorbars_patients, DICE_A, PATIENT)),
        ("mean, patients", "R survey", partial(survey_mean, DICE_A, PATIENT)),
        (
            "difference, patients",
            "errorbars",
            partial(errorbars_difference, DICE_A, DICE_B, PATIENT),
        ),
        ("difference, patients", "R survey", partial(survey_mean, DICE_B - DICE_A, PATIENT)),
    ]
    calls += [(f"map, class {k}", "R survey", partial(survey_f1, k)) for k in range(len(MAP))]
    for question, package, call in calls:
        yield {"question": question, "package": package, **answer(call)}


def t_interval(scores: Any) -> tuple[Any, Any, Any]:
    """Return the t interval of SciPy's one-sample test; of differences the paired t interval."""
    from scipy.stats import ttest_1samp

    return scores.mean(), *ttest_1samp(scores, 0.0).confidence_interval()


def errorbars_mean(scores: Any) -> tuple[Any, Any, Any]:
    """Return what ``errorbars summarize`` prints for scores that are not 0 and 1."""
    from errorbars.stats import mean_ci_clt

    found = mean_ci_clt(scores)
    return found.mean, found.ci_low, found.ci_high


def errorbars_patients(scores: Any, patients: Any) -> tuple[Any, Any, Any]:
    """Return the clustered interval of ``errorbars summarize``, which has no function."""
    from errorbars.stats import cluster_robust_se, t_for_confidence

    half = t_for_confidence(0.95, len(set(patients)) - 1) * cluster_robust_se(scores, patients)
    return scores.mean(), scores.mean() - half, scores.mean() + half


def errorbars_difference(a: Any, b: Any, patients: Any = None) -> tuple[Any, Any, Any]:
    """Return the paired interval of B minus A; with patients the clustered one."""
    from errorbars.compare import paired_compare

    found = paired_compare(b, a, patients)
    if patients is None:
        return found.mean_diff, found.ci_low, found.ci_high
    return found.mean_diff, found.ci_low_clustered, found.ci_high_clustered


def evalstats_mean(scores: Any) -> tuple[Any, Any, Any]:
    """Return the interval of evalstats; the range is given, not guessed from the scores."""
    import evalstats

    found = evalstats.mean_ci(scores, score_range=(0, 1), rng=0)
    return found.mean, found.ci_low, found.ci_high


def evalstats_difference(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Return the interval of B minus A by the default method of ``compare``.

    ``compare`` refuses fewer than 15 items.
    """
    import evalstats
    import pandas

    scores = [(m, k, x) for m, row in (("a", a), ("b", b)) for k, x in enumerate(row)]
    frame = pandas.DataFrame(scores, columns=["model", "item", "score"])
    found = evalstats.compare(evalstats.load_from(frame), factors="model", score_range=(0, 1))
    (pair,) = found.to_dict()["pairwise"]
    sign = 1 if (pair["a"], pair["b"]) == ("b", "a") else -1
    ends = sorted(sign * pair[end] for end in ("ci_low", "ci_high"))
    return sign * pair["diff"], *ends


def survey_mean(scores: Any, patients: Any = None) -> tuple[Any, Any, Any]:
    """Return R's interval of a mean, with patients as clusters, and with t."""
    unit = range(len(scores)) if patients is None else patients
    code = (
        f"d <- data.frame(x = {vector(scores)}, unit = {vector(unit)}); "
        "m <- svymean(~x, s <- svydesign(~unit, weights = ~1, data = d)); "
        "cat(format(c(coef(m), confint(m, df = degf(s))), digits = 12))"
    )
    return in_survey(code)


def survey_f1(k: int) -> tuple[Any, Any, Any]:
    """Return R's interval of F1 of one class of the map: a ratio, with t."""
    counts = np.array(MAP)
    mapped, true = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices(counts.shape))
    weight = (np.array(AREAS) / counts.sum(axis=1))[mapped]
    code = (
        f"d <- data.frame(m = {vector(mapped)}, t = {vector(true)}, w = {vector(weight)}); "
        f"d$twice <- 2 * (d$m == {k} & d$t == {k}); d$both <- (d$m == {k}) + (d$t == {k}); "
        "s <- svydesign(~1, strata = ~m, weights = ~w, data = d); "
        "r <- svyratio(~twice, ~both, s); "
        "cat(format(c(coef(r), confint(r, df = degf(s))), digits = 12))"
    )
    return in_survey(code)


def in_survey(code: str) -> tuple[Any, Any, Any]:
    """Return the three numbers that a piece of R prints."""
    estimate, low, high = run_r(f"suppressMessages(library(survey)); {code}").split()
    return float(estimate), float(low), float(high)


def vector(values: Any) -> str:
    """Return numbers as R writes them."""
    return f"c({','.join(format(value, '.17g') for value in values)})"


# Coverage


def coverage() -> Iterator[Answer]:
    """Give how often the packages' intervals hold the truth, and how long they are."""
    for question, design, data, truth in designs():
        for package, call in callers(question, design):
            found = [answer(partial(call, *row)) for row in zip(*data, strict=True)]
            ends = np.array([[x["low"], x["high"]] for x in found], dtype=float)
            low, high = ends.T
            yield {
                "question": question,
                **design,
                "package": package,
                "covered": float(((low <= truth) & (truth <= high)).mean()),
                "length": float((high - low).mean()),
                "outside": float(((low < 0) | (high > 1)).mean()) if "mean" in question else None,
                "message": next((x["message"] for x in found if x["message"]), ""),
            }


def designs() -> Iterator[tuple[str, Answer, tuple[Any, ...], float]]:
    """Give each question, its design, the data of all test sets, and the true value.

    The notebook draws the same test sets.
    """
    for place, (n, failures) in enumerate((n, f) for n in IMAGES for f in FAILURES):
        rng = np.random.default_rng([SEED, place])
        a, b = unit_scores.two_models(rng, (REPLICATES, n), failures)
        mean, gain = unit_scores.true_means(failures)
        design = {"units": n, "failures": failures}
        yield "mean", design, (a,), mean
        yield "difference", design, (a, b), gain
    for place, n in enumerate(PATIENTS):
        rng = np.random.default_rng([SEED, 100 + place])
        scores = unit_scores.of_patients(rng, REPLICATES, n, IMAGES_OF_PATIENT, CORRELATION)
        yield "mean, patients", {"units": n, "failures": 0.0}, (scores,), unit_scores.MEAN


def callers(question: str, design: Answer) -> list[tuple[str, Callable[..., Any]]]:
    """Return the packages that answer a question, and their calls."""
    if question == "mean":
        return [
            ("scipy", t_interval),
            ("errorbars", errorbars_mean),
            ("evalstats", evalstats_mean),
        ]
    if question == "mean, patients":
        patients = np.repeat(np.arange(design["units"]), IMAGES_OF_PATIENT)
        return [("errorbars", partial(errorbars_patients, patients=patients))]
    known = [("scipy", lambda a, b: t_interval(b - a)), ("errorbars", errorbars_difference)]
    if design["units"] < 15:
        return known
    return [*known, ("evalstats", evalstats_difference)]


if __name__ == "__main__":
    store("means-peers.json", answers(), "means")
