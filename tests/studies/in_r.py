"""R, where it is installed with the packages that a test needs."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
from numpy.typing import NDArray


def r_has(*packages: str) -> bool:
    """Check that R is there with these packages."""
    if shutil.which("Rscript") is None:
        return False
    wanted = ", ".join(f"'{package}'" for package in packages)
    code = f"quit(status = !all(c({wanted}) %in% rownames(installed.packages())))"
    return subprocess.run(["Rscript", "-e", code], check=False).returncode == 0


def in_r(code: str) -> NDArray[np.float64]:
    """Return the numbers that R prints for each value of an expression."""
    found = subprocess.run(["Rscript", "-e", code], check=True, capture_output=True, text=True)
    return np.array(found.stdout.split(), dtype=float)
