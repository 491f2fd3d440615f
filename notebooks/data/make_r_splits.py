"""Train R's own learners on the stored splits, and keep the counts as data.

    python notebooks/data/make_r_splits.py splits-abalone-r.csv     # or another of FILES

`yuan` thank a colleague for R programs, so their rules are likely to be those of R: `class::knn`,
`glm`, `randomForest` and, for the letters, `svm` of e1071, all with their defaults. This script
writes the data and the rows of each split for `r_learners.R`, runs it, and brings ``sources.csv`` up
to date. It needs R with these packages; on Debian::

    apt-get install r-base-core r-cran-class r-cran-randomforest r-cran-e1071

``forests-abalone.csv`` has many forests on each of a few splits, by R and by scikit-learn: how much
do two forests on the same data differ?
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from compendium import DATA
from numpy.typing import NDArray

from notebooks.shared import datasets, splits

HERE = Path(__file__).resolve().parent
FORESTS, REFITS = "forests-abalone.csv", 24
R_VERSIONS = "cat(R.version$major, '.', R.version$minor, sep = ''); for (p in c('class', 'randomForest', 'e1071')) cat(';', p, as.character(packageVersion(p)))"


@dataclass(frozen=True)
class File:
    """What a data file holds: an experiment of `splits`, how many splits, how many training rows."""

    experiment: str
    splits: int
    train: int


FILES = {
    "splits-abalone-r.csv": File("abalone", 1000, 844),
    "splits-abalone-r-1688.csv": File("abalone", 60, 1688),
    "splits-abalone-r-2532.csv": File("abalone", 60, 2532),
    "splits-letters-r.csv": File("letters", 160, 3936),
    FORESTS: File("abalone", 5, 844),
}


def problem(name: str) -> pd.DataFrame:
    """Return the outcome and the features of an experiment, as R takes them."""
    if name == "abalone":
        frame = datasets.abalone()
        outcome, features = frame["rings"] == 6, frame.drop(columns="rings")
    else:
        frame = datasets.letters()
        outcome, features = frame["letter"].isin(["A", "B"]), frame.drop(columns="letter")
    features.insert(0, "z", outcome.astype(int))
    return features


def permutations(
    file: File, rows: int
) -> Iterator[tuple[int, NDArray[np.int64], np.random.Generator]]:
    """Yield each split's number, the order of its rows, and the generator that made it."""
    seed = splits.EXPERIMENTS[file.experiment].seed
    for split in range(file.splits):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(split,)))
        order = rng.permutation(rows)
        yield split, order, rng


def by_r(file: File, forests: int = 0) -> list[list[str]]:
    """Return the lines that R prints: cells of each split, or counts of each forest."""
    frame = problem(file.experiment)
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(Path(folder, "data.csv"), index=False)
        train = [[i, *(order[: file.train] + 1)] for i, order, _ in permutations(file, len(frame))]
        np.savetxt(Path(folder, "train.csv"), train, fmt="%d", delimiter=",")
        call = ["Rscript", HERE / "r_learners.R", folder, "0", str(file.splits), str(forests)]
        found = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [line.split(",") for line in found.splitlines()]


def by_scikit_learn(file: File) -> Iterator[list[str]]:
    """Yield split, forest, true and predicted positives of scikit-learn's forests."""
    from sklearn.ensemble import RandomForestClassifier

    frame, z = datasets.abalone_problem()
    x, trees = frame.to_numpy(), splits.EXPERIMENTS[file.experiment].trees
    for split, order, rng in permutations(file, len(z)):
        train, rest = order[: file.train], order[file.train :]
        for forest, child in enumerate(rng.integers(2**32, size=REFITS)):
            model = RandomForestClassifier(trees, random_state=int(child)).fit(x[train], z[train])
            answer = model.predict(x[rest])
            yield [str(i) for i in (split, forest, (answer * z[rest]).sum(), answer.sum())]


def table(name: str) -> tuple[list[str], Iterable[list[str]]]:
    """Return the header and the lines of a data file."""
    file = FILES[name]
    if name == FORESTS:
        lines = [["R", *line] for line in by_r(file, REFITS)]
        lines += [["scikit-learn", *line] for line in by_scikit_learn(file)]
        return ["learner", "split", "forest", "tp", "predicted"], lines
    return splits.header(file.experiment), by_r(file)


def main() -> None:
    """Make one data file and its entry in ``sources.csv``."""
    parser = argparse.ArgumentParser(description="Train R's learners on the stored splits.")
    parser.add_argument("file", choices=FILES)
    name = parser.parse_args().file
    header, lines = table(name)
    with (DATA / name).open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)
    versions = subprocess.run(["Rscript", "-e", R_VERSIONS], check=True, stdout=subprocess.PIPE)
    splits.note_source(name, made_with="R " + versions.stdout.decode())


if __name__ == "__main__":
    main()
