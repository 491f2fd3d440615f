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


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder for what matplotlib finds out once."""
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("cells", ["all", "shown"])
@pytest.mark.parametrize("name", ["five-minutes", "questions"])
def test_it_runs_without_the_book(name, cells, home):
    """Hidden cells measure and quote; the lines that are shown run by themselves."""
    code = (NOTEBOOKS / f"{name}.py").read_text("utf-8")
    for parameter, value in QUICK.items():
        code = re.sub(rf"^{parameter}: int = .*", f"{parameter} = {value}", code, flags=re.M)
    if cells == "shown":
        parts = re.split(r"^# %%(.*)$", code, flags=re.M)
        heads, bodies = parts[1::2], parts[2::2]
        code = "\n".join(
            body for head, body in zip(heads, bodies, strict=True) if "show-input" in head
        )
    ran = subprocess.run(
        [sys.executable, "-c", ALONE + code],
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(home)},
        cwd=home, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "f1 = 0.740 (95 % CI 0.669 to 0.801" in ran.stdout
