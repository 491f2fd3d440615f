"""What the notebooks of Jiang share."""

from __future__ import annotations

import csv
import shutil
import subprocess

import pytest
from compendium import DATA

import f1ci
from notebooks.shared import tversky_index


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.8, 0.2), (0.2, 0.8), (1.0, 1.0)])
def test_the_worst_rule_attains_the_sharp_bound(a: float, b: float) -> None:
    # That no rule is worse is tested with the package, by a search.
    index = f1ci.metrics.tversky(a, b)
    attained = tversky_index.scaled_variance(index, tversky_index.worst_rule(b))
    assert float(attained) == pytest.approx(tversky_index.sharp_bound(index), rel=1e-12)


def test_plans_are_the_papers() -> None:
    # Section 2.3: 10,250 and 16,667 with the standard error and V as rounded there.
    assert tversky_index.plan(0.2050, 0.2, 0.01, 0.615) == (10250, 16667)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_r_finds_the_recorded_halves_again() -> None:
    with (DATA / "orange-juice-halves.csv").open(encoding="utf-8", newline="") as file:
        recorded = list(csv.DictReader(file))
    seeds = [int(seed) for line in recorded for seed in line["which"].split()]
    for seed in (min(seeds), max(seeds)):
        command = ["Rscript", "orange_juice_halves.R", str(seed), str(seed)]
        process = subprocess.run(command, cwd=DATA, capture_output=True, text=True, check=True)
        found = list(csv.DictReader(process.stdout.splitlines()))
        for line, again in zip(recorded, found, strict=True):
            hits = [s for s in line["which"].split() if s == str(seed)]
            assert again["which"].split() == hits
            names = ("half", "predictors", "role")
            assert [again[name] for name in names] == [line[name] for name in names]
