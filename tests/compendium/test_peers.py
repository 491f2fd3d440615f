"""The stored answers of other packages are to the present questions, and right today.

Expected numbers come from the packages themselves: statsmodels and SciPy are at hand.
"""

import json

import numpy as np
import pytest
from benchmarks import peers
from compendium import data

import f1ci


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


@pytest.fixture(scope="module")
def of_means():
    return json.loads(data.read_verified("means-peers.json"))


def test_every_package_has_answered_about_means(of_means):
    rows = of_means["intervals"] + of_means["coverage"]
    assert not [row for row in rows if row["message"]]
    asked = {(row["question"], row["package"]) for row in rows}
    assert {pair for pair in asked if pair[0] in peers.GIVEN} == set(peers.OF_SCORES)


def test_the_simulated_test_sets_are_those_of_the_stored_answers(of_means):
    then = next(row for row in of_means["coverage"] if row["package"] == "scipy")
    now = peers.study_of_scores(then, of_means)
    assert now["covered"] == then["covered"]
    assert now["length"] == pytest.approx(then["length"], rel=1e-10)
