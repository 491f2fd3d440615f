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
