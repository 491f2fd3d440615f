"""The stored answers of other packages are to the present questions, and right today.

Expected numbers come from the packages themselves: statsmodels and SciPy are at hand.
"""

import json

import numpy as np
import pytest
from benchmarks import peers
from compendium import data

import f1ci
from notebooks.shared import unit_scores


@pytest.fixture(scope="module")
def recorded():
    return json.loads(data.read_verified("peers.json"))


def test_every_package_has_answered(recorded):
    for design in recorded["asked"]["designs"].values():
        truth = f1ci.metrics.macro_f1.value(np.array(design["cells"]))
        assert design["truth"] == pytest.approx(truth)
    assert recorded["asked"]["resamples"] == peers.RESAMPLES
    rows = recorded["intervals"] + recorded["coverage"]
    assert {(row["package"], row["method"]) for row in rows} == set(peers.OF_MATRIX)
    # What failed is a fact about the package, not an import that failed.
    assert not [row for row in rows if "ModuleNotFound" in row["message"]]


def test_the_stored_answers_are_what_statsmodels_and_scipy_say_today(recorded):
    here = [row for row in recorded["intervals"] if "on F*" in row["method"]]
    of_two = [matrix for matrix in recorded["asked"]["probes"].values() if len(matrix) == 2]
    assert len(here) == 5 * len(of_two)
    for then in here:
        now = peers.of_probe(then, recorded["asked"]["probes"])
        # Another version may round differently.
        for what in ("estimate", "low", "high"):
            assert now[what] == pytest.approx(then[what], rel=1e-10, abs=1e-15)


def test_coverage_counts_what_holds_the_truth(monkeypatch):
    """An interval that always holds, one that never does, and one that sometimes fails."""
    design = {"cells": [[0.5, 0.0], [0.0, 0.5]], "n": 20, "truth": 0.5}
    asked = {"designs": {"one": design}, "seed": 1, "replicates": {"x": 100}}
    row = {"design": "one", "package": "x", "method": "y"}

    def study(call):
        monkeypatch.setitem(peers.OF_MATRIX, ("x", "y"), call)
        return peers.study(row, asked)

    always = study(lambda *_: (0.5, 0.25, 1.25))
    assert (always["covered"], always["overshoot"], always["length"]) == (100, 100, 1.0)
    never = study(lambda *_: (0.7, 0.6, 0.8))
    assert (never["covered"], never["defined"], never["message"]) == (0, 100, "")

    def fails(_, __, i):
        if i % 2:
            raise ValueError("odd")
        return 0.5, 0.4, 0.6

    half = study(fails)
    assert (half["covered"], half["defined"], half["message"]) == (50, 50, "ValueError: odd")


@pytest.fixture(scope="module")
def of_means():
    return json.loads(data.read_verified("means-peers.json"))


def test_every_package_has_answered_about_means(of_means):
    rows = of_means["intervals"] + of_means["coverage"]
    assert not [row for row in rows if row["message"]]
    asked = {(row["question"], row["package"]) for row in rows}
    assert {pair for pair in asked if pair[0] in peers.GIVEN} == set(peers.OF_SCORES)


def test_scipy_still_answers_as_stored(of_means):
    here = [row for row in of_means["intervals"] if row["package"] == "scipy"]
    assert len(here) == 2
    for then in here:
        now = peers.of_data_set(then, of_means)
        for field in ("estimate", "low", "high"):
            assert now[field] == pytest.approx(then[field], rel=1e-12)


def test_the_simulated_test_sets_are_those_of_the_stored_answers(of_means):
    then = next(row for row in of_means["coverage"] if row["package"] == "scipy")
    now = peers.study_of_scores(then, of_means)
    assert now["covered"] == then["covered"]
    assert now["length"] == pytest.approx(then["length"], rel=1e-10)


def test_evalstats_has_our_intervals(of_means):
    """Both have Student's quantile on the logit scale."""
    stored = {x["question"]: x for x in of_means["intervals"] if x["package"] == "evalstats"}
    a, b = (np.array(of_means["dice"][name]) for name in ("a", "b"))
    ours = f1ci.mean_interval(a)
    assert list(ours) == pytest.approx([stored["mean"]["low"], stored["mean"]["high"]], abs=1e-9)
    ours = f1ci.mean_difference(a, b)
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
