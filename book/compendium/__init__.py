"""What the compendium needs beside the methods: data, splits, ledger, pipeline, figures.

Nothing in :mod:`f1ci` imports from here.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DATA", "NOTEBOOKS", "PUBLISHED", "RESULTS", "ROOT"]

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = NOTEBOOKS / "data"
PUBLISHED = ROOT / "book" / "published"
# The pipeline's runner redirects results through this variable.
RESULTS = Path(os.environ.get("F1CI_RESULTS") or ROOT / "_build" / "results")
