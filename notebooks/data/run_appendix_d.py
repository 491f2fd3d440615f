"""Run the R code of Takahashi et al., Appendix D, as printed and mended, and write what R says.

Needs R::

    python notebooks/data/run_appendix_d.py

It writes ``takahashi-appendix-d.json``: the mended lines, and R's words for both programs. The
example in the code is the mixed neural network (MNN) of section 5.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

CODE = Path(__file__).with_name("takahashi-appendix-d.R")
TARGET = Path(__file__).with_name("takahashi-appendix-d.json")
LOOP = "for(i in 1:r){\n  jj"  # before this line both sums must have a value
# The first sum of Appendix B, and a start for the second.
MENDED = """\
m <- pi.+p.i-2*pii
a <- sum(F1i*m/(pi.+p.i)^2 * (m/(pi.+p.i) + F1i/2))
b <- 0
"""


def run(lines: str = "") -> str:
    """Return what R says of the printed code with some lines before its loop."""
    code = CODE.read_text("utf-8").replace(LOOP, lines + LOOP, 1)
    program = ["Rscript", "-e", f"options(width = 80)\n{code}"]
    process = subprocess.run(program, capture_output=True, text=True, check=False)  # noqa: S603
    return process.stdout + process.stderr


def answers() -> dict[str, str]:
    """Return the mended lines, and what R says of the printed and of the mended code."""
    return {"lines": MENDED, "printed": run(), "mended": run(MENDED)}


if __name__ == "__main__":
    TARGET.write_text(json.dumps(answers(), indent=1) + "\n", encoding="utf-8")
