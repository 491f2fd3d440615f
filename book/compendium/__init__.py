"""The compendium's machinery: what runs, checks and shows the notebooks; none of the methods."""

import os
from pathlib import Path

__all__ = ["DATA", "NOTEBOOKS", "PUBLISHED", "RESULTS", "ROOT"]

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = NOTEBOOKS / "data"
PUBLISHED = ROOT / "book" / "published"
# Where a notebook leaves its results; the runner points it at a folder of its own.
RESULTS = Path(os.environ.get("F1CI_RESULTS", ROOT / "_build" / "results"))
