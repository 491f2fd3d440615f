"""Train the rules of Yuan and Jiang (2025) in R again, and compare with the stored counts.

    python notebooks/data/make_yuan.py             # trains and compares, as `make train` does
    python notebooks/data/make_yuan.py --write     # replaces the stored files and their entries

`yuan.R` does the work. It needs R with four packages; on Debian::

    apt-get install r-base-core r-cran-class r-cran-randomforest r-cran-e1071 r-cran-mvtnorm

The whole run takes about fifteen minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from compendium import DATA, data

# How many splits beside the paper's own, and how many other forests, are stored.
SPLITS, FORESTS = 60, 200


def run(out: Path, splits: int = SPLITS, forests: int = FORESTS) -> str:
    """Write the files of `yuan.R` to a folder, and return the versions of R and its packages."""
    call = ["Rscript", str(DATA / "yuan.R"), str(DATA), str(out), str(splits), str(forests)]
    return subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main() -> None:
    """Make all files anew, and compare or replace the stored ones."""
    parser = argparse.ArgumentParser(description="Train the rules of Yuan and Jiang again.")
    parser.add_argument("--write", action="store_true", help="replace the stored files")
    write = parser.parse_args().write
    with tempfile.TemporaryDirectory() as folder:
        versions = run(Path(folder))
        differ = []
        for made in sorted(Path(folder).iterdir()):
            content = made.read_bytes()
            stored = DATA / made.name
            if write:
                data.register(made.name, content.decode("utf-8"), made_with=versions)
            elif content != stored.read_bytes():
                differ.append(made.name)
    if differ:
        raise SystemExit(f"{', '.join(differ)}: other counts than the stored ones, with {versions}")


if __name__ == "__main__":
    main()
