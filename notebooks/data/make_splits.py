"""Logistic regression on random halves of the orange juice data, reduced to counts (`jiang`).

The paper trains on one random half of the purchases, which it does not publish. Its numbers can
only be placed among those of other halves. An interval depends on a half only through four counts,
so ``notebooks/data/splits-orange-juice.csv`` holds these counts alone. Half i depends on the seed
and on i alone::

    python -m notebooks.data.make_splits    # writes the file and its entry in sources.csv
"""

from __future__ import annotations

import numpy as np
from compendium import data
from numpy.typing import NDArray

from notebooks.shared import datasets

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


def main(halves: int = HALVES) -> None:
    """Make the data file anew."""
    import sklearn

    counts = [",".join(map(str, [i, *half(i).ravel()])) for i in range(halves)]
    text = "\n".join(["split,00,01,10,11", *counts]) + "\n"
    data.register(
        FILE, text, made_with=f"scikit-learn {sklearn.__version__}; numpy {np.__version__}"
    )


if __name__ == "__main__":
    main()
