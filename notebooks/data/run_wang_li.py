"""Run the public program of Wang and Li, and write what it prints as a table.

The program is not part of this repository. Clone github.com/RamboWANG/acl2019 at commit ee811c8,
and name the file::

    python notebooks/data/run_wang_li.py acl2019/b3x2cv_baytest_prf.py

The program draws a million numbers from each posterior and sets no seed. So this script runs it
twenty times, with the seeds 1 to 20, and writes ``wang-li-2019-program.csv`` (two minutes). The
credible intervals involve no draws, so they are written once.
"""

from __future__ import annotations

import csv
import hashlib
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = "f0f6d4ae188a30035a8d25146a3c6360a0e7fd8a69830346276284acd21d1bcb"
TARGET = Path(__file__).with_name("wang-li-2019-program.csv")
RUNS = range(1, 21)
START = """\
import runpy, sys
import numpy
numpy.random.seed(int(sys.argv[2]))
runpy.run_path(sys.argv[1], run_name="__main__")
"""
METRICS = {"P": "precision", "R": "recall", "F1": "f1"}
MODELS = {"BMES": "A", "BB2B3MES": "B", "IOB2": "A", "IOBES": "B"}
INTERVAL = re.compile(r"(\w+):\[(?:np\.float64\()?([\d.]+)\)?, (?:np\.float64\()?([\d.]+)\)?\]")
PROBABILITY = re.compile(r"\[P\(H0\) ([\d.e-]+)\]")


def read(output: str) -> list[list[str]]:
    """Return the credible limits and the probabilities of H0 in the program's output."""
    rows = []
    # The program prints one section for each task.
    for task, section in zip(
        ("cws", "ner", "org"), output.split("Test decisions")[1:], strict=True
    ):
        for line in section.splitlines():
            if line.startswith("CI of "):
                metric = METRICS[line[len("CI of ") :].partition(":")[0]]
                for tags, low, high in INTERVAL.findall(line):
                    rows.append([task, metric, MODELS[tags], "low", low])
                    rows.append([task, metric, MODELS[tags], "high", high])
            elif "[Decision" in line:
                metric = METRICS[line.partition(":")[0]]
                rows.append([task, metric, "", "p_h0", *PROBABILITY.findall(line)])
    return rows


def main(program: Path) -> None:
    """Run the program and write the table."""
    if hashlib.sha256(program.read_bytes()).hexdigest() != PROGRAM:
        raise SystemExit(f"{program} is not the file of commit ee811c8")
    rows = []
    for seed in RUNS:
        command = [sys.executable, "-c", START, str(program), str(seed)]
        process = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        output = process.stdout
        rows += [[seed, *row] for row in read(output) if seed == RUNS[0] or row[3] == "p_h0"]
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["run", "task", "metric", "model", "quantity", "value"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
