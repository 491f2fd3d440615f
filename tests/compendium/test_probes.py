"""The validation page's questions, and the answers of other packages that are kept.

Expected numbers come from the packages themselves (through statsmodels, which the tests
have anyway), from scipy's randomised integration, and from closed forms.
"""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from benchmarks import peers, probes
from compendium import ROOT
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import f1ci

# The environment of the other packages: the one that `make peers` makes, or another.
PEERS_PYTHON = Path(os.environ.get("F1CI_PEERS_PYTHON") or ROOT / ".venv-bench/bin/python")


@pytest.fixture(scope="module")
def recorded():
    return probes.recorded()


def test_the_answers_are_to_the_present_questions(recorded):
    assert recorded["asked"] == json.loads(json.dumps(probes.questions()))


def test_every_package_was_there(recorded):
    assert all(recorded["versions"].values())
    packages = "confidenceinterval confidence-intervals prob-conf-mat statsmodels scipy"
    assert {row["package"] for row in recorded["intervals"]} == set(packages.split())
    # What failed is a fact about the package, not an import that failed.
    assert not [row for row in recorded["intervals"] if "ModuleNotFound" in row["message"]]
    assert all(row["value"] is not None for row in recorded["quantiles"])


def test_every_design_has_its_coverage(recorded):
    asked = recorded["asked"]
    assert asked["replicates"] >= 10_000
    for row in recorded["coverage"]:
        wanted = asked["replicates"]
        if row["package"] == "prob-conf-mat":
            wanted = asked["posterior_replicates"]
        # Only test sets that lack a class are left out: less than one in twenty here.
        assert 0.95 * wanted < row["replicates"] <= wanted
        assert 0 <= row["covered"] <= row["defined"] <= row["replicates"]
    assert {row["design"] for row in recorded["coverage"]} == set(probes.DESIGNS)


def test_the_kept_answers_are_what_statsmodels_says_today(recorded):
    rows = [row for row in recorded["intervals"] if row["package"] == "statsmodels"]
    assert len(rows) == 3 * sum(len(matrix) == 2 for matrix in probes.PROBES.values())
    for row in rows:
        (_, fp), (fn, tp) = probes.PROBES[row["probe"]]
        method = row["method"].split()[1].rstrip(",")
        ends = [2 * q / (1 + q) for q in proportion_confint(tp, tp + fp + fn, method=method)]
        # Another version may round differently.
        np.testing.assert_allclose([row["low"], row["high"]], ends, rtol=1e-10, atol=1e-15)


@pytest.mark.slow
@pytest.mark.skipif(not PEERS_PYTHON.exists(), reason="`make peers` makes their environment")
def test_the_kept_answers_are_what_the_packages_say_today(recorded):
    asked = probes.questions()
    del asked["designs"]
    asked["quantiles"] = {}
    live = probes.ask(PEERS_PYTHON, asked)
    if live["versions"] != recorded["versions"]:
        pytest.skip(f"other versions: {live['versions']}")
    # Every call has a fixed seed, so the same versions give the same bits.
    assert live["intervals"] == recorded["intervals"]


def test_absent_packages_are_named_and_stop_nothing():
    """The script in an interpreter that sees numpy only: no package, no R."""
    asked = probes.questions(replicates=2, posterior_replicates=2)
    asked["probes"] = {"a": probes.PROBES["a"]}
    absent = "scipy statsmodels sklearn confidenceinterval confidence_intervals prob_conf_mat"
    # None in the place of a module is how Python is told that it cannot be imported.
    block = f"""
import sys, runpy
sys.modules |= dict.fromkeys({absent.split()})
runpy.run_module("benchmarks.peers", run_name="__main__")
"""
    done = subprocess.run(
        [sys.executable, "-c", block],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": "", "PYTHONPATH": str(ROOT / "book")},
    )
    answers = json.loads(done.stdout)
    assert answers["versions"]["R"] is answers["versions"]["mvtnorm"] is None
    assert all(row["low"] is None for row in answers["intervals"])
    assert all("ModuleNotFoundError" in row["message"] for row in answers["intervals"])
    assert all(row["message"] == "absent: Rscript" for row in answers["quantiles"])
    assert all(row["defined"] == 0 for row in answers["coverage"])


@pytest.mark.parametrize("probe", probes.PROBES)
def test_the_numeric_delta_method_agrees_with_f1ci(probe):
    with np.errstate(invalid="ignore", divide="ignore"):
        numeric = probes.numeric_interval(probes.PROBES[probe], probes.macro_f1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        ours = f1ci.metric_interval(probes.PROBES[probe], "macro_f1", method="delta")
    # Central differences with a step of 1e-6.
    np.testing.assert_allclose(numeric, [ours.estimate, ours.low, ours.high], atol=1e-8)


def test_remarks():
    lines = probes.lines("c", "macro_f1", {"intervals": []})
    degenerate = "DegenerateVarianceWarning"
    expected = ["no width", "", f"no width; {degenerate}", degenerate]
    assert [line.remark for line in lines] == expected
    row = {"probe": "c", "metric": "macro_f1", "package": "p", "method": "m", "warnings": ["W"]}
    answers = [
        row | {"estimate": 1.0, "low": 0.9, "high": 1.1, "message": ""},
        row | {"estimate": None, "low": None, "high": None, "message": "E: no", "warnings": []},
        row | {"estimate": 0.5, "low": 0.6, "high": 0.7, "message": "", "warnings": []},
    ]
    found = probes.lines("c", "macro_f1", {"intervals": answers})[-3:]
    assert [line.remark for line in found] == [
        "leaves [0, 1]; W",
        "no interval; E: no",
        "excludes its estimate",
    ]


@pytest.mark.parametrize("name", probes.CORRELATIONS)
def test_reference_quantiles(name):
    correlation = probes.CORRELATIONS[name]
    q = probes.reference_quantile(correlation)
    k = len(correlation.matrix)
    normal = stats.multivariate_normal(cov=correlation.matrix, allow_singular=True, maxpts=200_000)
    inside = normal.cdf(np.full(k, q), lower_limit=np.full(k, -q))
    # scipy's integration is randomised, to about 1e-4 with so many points.
    assert inside == pytest.approx(0.95, abs=3e-4)
    if name.startswith("independent"):
        assert q == pytest.approx(stats.norm.ppf((1 + 0.95 ** (1 / k)) / 2), abs=1e-10)


def test_designs_are_populations():
    for design in probes.DESIGNS.values():
        assert design.cells.sum() == pytest.approx(1)
        assert (design.cells >= 0).all()
        assert design.truth == pytest.approx(f1ci.metrics.macro_f1.value(design.cells))
    rng = np.random.default_rng(1)
    for _ in range(50):
        cells, n = probes.random_population(rng)
        assert cells.sum() == pytest.approx(1)
        relevant = cells.sum(axis=0) + cells.sum(axis=1) - cells.diagonal()
        assert n * relevant.min() >= 8


def test_bootstrap_from_counts_is_the_bootstrap_from_labels():
    table = np.array(probes.PROBES["b"])
    low, high = probes.bootstrap_interval(table, 4000, np.random.default_rng(1))
    true, predicted = peers.labels(table)
    rng = np.random.default_rng(2)
    scores = []
    for _ in range(4000):
        items = rng.integers(0, len(true), len(true))
        cells = np.zeros((3, 3))
        np.add.at(cells, (true[items], predicted[items]), 1)
        total = cells.sum(0) + cells.sum(1)
        scores.append((2 * cells.diagonal()[total > 0] / total[total > 0]).mean())
    # The 2.5 % quantile of 4000 draws has a standard error of about .0025; four of two such.
    np.testing.assert_allclose([low, high], np.quantile(scores, [0.025, 0.975]), atol=0.014)
