"""Logistic regression on random halves of the orange juice data, reduced to counts (`jiang`).

The paper trains on one random half of the purchases, which it does not publish. Its numbers can
only be placed among those of other halves. An interval depends on a half only through four counts,
so ``notebooks/data/splits-orange-juice.csv`` holds these counts alone. Half i depends on the seed
and on i alone::

    python -m notebooks.shared.splits    # writes the file and its entry in sources.csv
"""

from __future__ import annotations

import csv
import hashlib

import numpy as np
from compendium import DATA, data
from numpy.typing import NDArray

from notebooks.shared import datasets

__all__ = ["HALVES", "SEED", "half", "note_source"]

FILE = "splits-orange-juice.csv"
# The root of the seeds was set before any result was seen.
SEED, HALVES = 2012_14894, 1000


def half(i: int) -> NDArray[np.int64]:
    """Return outcome by prediction on one half, for a regression that is trained on the other."""
    from sklearn.linear_model import LogisticRegression

    x, z = datasets.orange_juice_problem()
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(i,)))
    train, rest = np.split(rng.permutation(len(z)), 2)
    # An infinite C is no penalty.
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=1000)
    predicted = model.fit(x[train], z[train]).predict(x[rest])
    return np.bincount(2 * z[rest] + predicted, minlength=4).reshape(2, 2)


def note_source(file: str, made_with: str) -> None:
    """Update a file's entry in sources.csv: its rows, its hash, and what made it."""
    entries = data.sources()
    content = (DATA / file).read_bytes()
    entries[file] |= {
        "rows": str(content.count(b"\n") - 1),
        "sha256": hashlib.sha256(content).hexdigest(),
        "made_with": made_with,
    }
    with (DATA / "sources.csv").open("w", newline="", encoding="utf-8") as lines:
        table = csv.DictWriter(lines, list(entries[file]), lineterminator="\n")
        table.writeheader()
        table.writerows(entries.values())


def main(halves: int = HALVES) -> None:
    """Make the data file anew."""
    import sklearn

    with (DATA / FILE).open("w", newline="", encoding="utf-8") as lines:
        table = csv.writer(lines, lineterminator="\n")
        table.writerow(["split", "00", "01", "10", "11"])
        for i in range(halves):
            table.writerow([i, *half(i).ravel()])
    note_source(FILE, f"scikit-learn {sklearn.__version__}; numpy {np.__version__}")


if __name__ == "__main__":
    main()
