"""The stored answers of other packages are to the present questions, and right today.

Expected numbers come from the packages themselves: statsmodels and SciPy are at hand.
"""

import json

import numpy as np
import pytest
from benchmarks import means, peers
from compendium import data

import f1ci
from notebooks.shared import unit_scores


@pytest.fixture(scope="module")
def recorded():
    return json.loads(data.read_verified("peers.json"))


def test_every_package_has_answered_the_present_questions(recorded):
    assert recorded["asked"] == json.loads(json.dumps(peers.questions()))
    for design in recorded["asked"]["designs"].values():
        truth = f1ci.metrics.macro_f1.value(np.array(design["cells"]))
        assert design["truth"] == pytest.approx(truth)
    packages = "confidenceinterval confidence-intervals prob-conf-mat statsmodels scipy"
    assert {row["package"] for row in recorded["intervals"]} == set(packages.split())
    # What failed is a fact about the package, not an import that failed.
    assert not [row for row in recorded["intervals"] if "ModuleNotFound" in row["message"]]


def test_the_stored_answers_are_what_statsmodels_and_scipy_say_today(recorded):
    stored = {tuple(row.values())[:4]: row for row in recorded["intervals"]}
    asked = {
        (probe, *names): call
        for probe, matrix in peers.PROBES.items()
        for *names, call in peers.interval_calls(matrix)
    }
    assert asked.keys() == stored.keys()
    here = {question: call for question, call in asked.items() if "on F*" in question[2]}
    assert len(here) == 5 * sum(len(matrix) == 2 for matrix in peers.PROBES.values())
    for question, call in here.items():
        then, now = stored[question], peers.answer(call)
        # Another version may round differently.
        for what in ("estimate", "low", "high"):
            assert now[what] == pytest.approx(then[what], rel=1e-10, abs=1e-15)


def test_coverage_counts_what_holds_the_truth():
    """An interval that always holds, one that never does, and one that sometimes fails."""
    design = {"cells": [[0.5, 0.0], [0.0, 0.5]], "n": 20, "truth": 0.5}
    rng = np.random.default_rng(1)
    always = peers.study(design, lambda *_: (0.5, 0.25, 1.25), 100, rng)
    assert (always["covered"], always["overshoot"], always["length"]) == (100, 100, 1.0)
    never = peers.study(design, lambda *_: (0.7, 0.6, 0.8), 100, rng)
    assert (never["covered"], never["defined"], never["message"]) == (0, 100, "")

    def fails(_, i):
        if i % 2:
            raise ValueError("odd")
        return 0.5, 0.4, 0.6

    half = peers.study(design, fails, 100, rng)
    assert (half["covered"], half["defined"], half["message"]) == (50, 50, "ValueError: odd")


@pytest.fixture(scope="module")
def of_means():
    return json.loads(data.read_verified("means-peers.json"))


def test_the_answers_on_means_are_to_the_present_questions(of_means):
    assert of_means["dice"]["a"] == means.DICE_A.tolist()
    assert of_means["dice"]["b"] == means.DICE_B.tolist()
    assert of_means["map"]["counts"] == [list(row) for row in means.MAP]
    assert (of_means["seed"], of_means["replicates"]) == (means.SEED, means.REPLICATES)
    assert not [x for x in of_means["intervals"] + of_means["coverage"] if x["message"]]
    packages = {"scipy", "errorbars", "evalstats", "R survey"}
    assert {x["package"] for x in of_means["intervals"]} == packages


def test_scipy_still_answers_as_stored(of_means):
    stored = {(x["question"], x["package"]): x for x in of_means["intervals"]}
    for question, scores in [
        ("mean", means.DICE_A),
        ("difference", means.DICE_B - means.DICE_A),
    ]:
        now = peers.answer(lambda scores=scores: means.t_interval(scores))
        for field in ("estimate", "low", "high"):
            assert now[field] == pytest.approx(stored[question, "scipy"][field], rel=1e-12)


def test_evalstats_has_our_intervals(of_means):
    """Both have Student's quantile on the logit scale."""
    stored = {x["question"]: x for x in of_means["intervals"] if x["package"] == "evalstats"}
    ours = f1ci.mean_interval(means.DICE_A)
    assert list(ours) == pytest.approx([stored["mean"]["low"], stored["mean"]["high"]], abs=1e-9)
    ours = f1ci.mean_difference(means.DICE_A, means.DICE_B)
    theirs = [stored["difference"]["low"], stored["difference"]["high"]]
    assert list(ours) == pytest.approx(theirs, abs=1e-6)


def test_simulated_scores_have_the_means_that_are_said():
    rng = np.random.default_rng(1)
    of_patients = unit_scores.of_patients(rng, 20_000, 2, 3, 0.5)
    # Beta(19, 1) has the standard deviation .0476, and two patients, alike by half, hold 6 images.
    assert of_patients.mean() == pytest.approx(0.95, abs=4 * 0.0476 / np.sqrt(20_000 * 2))
    a, b = unit_scores.two_models(rng, (200_000,), 0.1)
    mean, gain = unit_scores.true_means(0.1)
    assert mean == pytest.approx(0.905)
    # The standard deviations are .152 and .0138. Four standard errors are .0014 and .0001.
    assert a.mean() == pytest.approx(mean, abs=0.0014)
    assert (b - a).mean() == pytest.approx(gain, abs=0.00013)
