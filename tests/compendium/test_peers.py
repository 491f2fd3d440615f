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
