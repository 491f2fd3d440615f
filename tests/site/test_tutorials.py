"""The pages for newcomers run from top to bottom with f1ci and scikit-learn alone."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from compendium import NOTEBOOKS, ROOT

# As after `pip install . scikit-learn matplotlib`: nothing of the book can be imported.
ALONE = """
import sys, matplotlib
matplotlib.use("Agg")
for name in ("compendium", "benchmarks", "notebooks", "IPython"):
    sys.modules[name] = None
"""
QUICK = {"replicates": 200, "comparisons": 20}


def code_of(name: str) -> str:
    """The code of a notebook's cells, with few replicates."""
    source = (NOTEBOOKS / f"{name}.py").read_text("utf-8")
    for parameter, value in QUICK.items():
        source = re.sub(
            rf"^{parameter}: int = [\d_]+", f"{parameter}: int = {value}", source, flags=re.M
        )
    return source


@pytest.mark.parametrize("name", ["five-minutes", "questions"])
def test_it_runs_without_the_book(name, tmp_path):
    command = [sys.executable, "-c", ALONE + code_of(name)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)}
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "f1 = 0.740 (95 % CI 0.669 to 0.801" in ran.stdout


@pytest.mark.parametrize("name", ["five-minutes", "questions"])
def test_what_a_reader_sees_needs_nothing_hidden(name, tmp_path):
    # Hidden cells measure and quote; the lines that are shown run by themselves.
    source = (NOTEBOOKS / f"{name}.py").read_text("utf-8")
    cells = re.split(r"^# %%(.*)$", source, flags=re.M)
    shown = [
        body for head, body in zip(cells[1::2], cells[2::2], strict=True) if "show-input" in head
    ]
    ran = subprocess.run(
        [sys.executable, "-c", ALONE + "\n".join(shown)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
