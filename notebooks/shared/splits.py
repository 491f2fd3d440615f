"""Classifiers trained anew on many independent splits, reduced to joint cell counts.

`jiang` and `yuan` train on one random split (or one random training set) that they do not
publish. Their numbers can therefore only be placed in the distribution over such splits.
Every interval depends on a test set only through the counts of the 2^(m+1) joint cells of the
outcome Z and the predictions A_1, ..., A_m of m rules. So ``notebooks/data/splits-<name>.csv``
holds these counts alone, one row per split.

The experiments, in `EXPERIMENTS`:

``orange-juice``
    `jiang`, section 1: train on one random half of the purchases, validate on the other.
``gaussian``
    `yuan`, section III-A: a training set of 500 draws of Z ~ Bernoulli(1/2), X ~ N(Z, 1).
    In one dimension each rule predicts 1 on a union of intervals, so the cells' true
    probabilities are integrals of two normal densities; no test set is drawn.
``abalone``, ``letters``
    `yuan`, sections III-B and III-C: train on 844 (3936) random rows; the other 3333
    (16064) are the population.
``letters-svm-unscaled``
    The same splits as ``letters``, with scikit-learn's default support vector machine.

The papers leave the learners' settings open. Here they follow the defaults of the R functions
that the authors are likely to have called. Logistic regression is plain maximum likelihood
without a penalty (``glm``). A random forest has 500 trees (``randomForest``) and otherwise
scikit-learn's defaults. The support vector machine standardises its features and has a radial
kernel with C = 1 and gamma = 1 / features (``svm`` of e1071). All other rules take the features
unchanged, unless ``standardise``. Sex of abalone is three columns
of zeros and ones (two for logistic regression, which has an intercept). Every rule predicts
1 when its estimated probability exceeds 1/2.

The seeds were set once, before any result was seen. One choice was made afterwards. With
scikit-learn's defaults (features as they are, gamma = 1 / (features x variance)) the
support vector machine of Table VII lay outside every band. So the defaults of R's `svm` were
taken instead. ``letters-svm-unscaled`` keeps the evidence, and ``splits-letters-r.csv`` has R's own
machine, which agrees (``notebooks/data/make_r_splits.py``).

In one dimension a forest of 500 trees is the 1NN rule. A training point is in a tree's
bootstrap sample with probability .632, so in more than half of 500 samples. So the forest
votes for the nearest point's outcome. There are 4 exceptions among 1000 training sets. They have
two points that trees, which compute in single precision, do not separate.

Split i of an experiment depends on its seed and on i alone. So every split can be made again
alone::

    python -m notebooks.shared.splits abalone --first 17 --last 18

Without ``--first`` and ``--last`` the data file and its entry in ``sources.csv`` are
made anew. Counts are reproducible for one version of scikit-learn, which ``sources.csv``
names. Another version may grow other trees.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from compendium import DATA, data
from numpy.typing import NDArray
from scipy.special import ndtr

from notebooks.shared import datasets

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "cells",
    "header",
    "joint_cells",
    "note_source",
    "positive_intervals",
]

NEAREST = "1nn"
LOGISTIC = "logistic-regression"
FOREST = "random-forest"
SVM = "svm"
UNSCALED_SVM = "svm-unscaled"


@dataclass(frozen=True)
class Experiment:
    """An experiment: what is trained on how much, how often, from which seed.

    Attributes
    ----------
    name : str
    rules : tuple of str
        The order of the cells' axes after the outcome's.
    train : int
        Size of the training set.
    splits : int
        How many splits are committed.
    seed : int
        Root of the seed sequence whose i-th child makes split i.
    trees : int
        Trees in a random forest.
    standardise : bool
        Whether features are brought to mean 0 and variance 1 of the training set first.
    """

    name: str
    rules: tuple[str, ...]
    train: int
    splits: int
    seed: int
    trees: int = 500
    standardise: bool = False


EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment("orange-juice", (LOGISTIC,), train=535, splits=1000, seed=2012_14894),
        Experiment("gaussian", (NEAREST, LOGISTIC, FOREST), train=500, splits=1000, seed=2025_3_01),
        Experiment("abalone", (NEAREST, LOGISTIC, FOREST), train=844, splits=1000, seed=2025_3_02),
        Experiment(
            "letters", (NEAREST, LOGISTIC, FOREST, SVM), train=3936, splits=500, seed=2025_3_03
        ),
        Experiment("letters-svm-unscaled", (UNSCALED_SVM,), 3936, splits=500, seed=2025_3_03),
    )
}


def _classifier(rule: str, experiment: Experiment, rng: np.random.Generator) -> Any:
    """Return an untrained scikit-learn classifier."""
    # Imported here: reading the committed counts does not need scikit-learn.
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    if rule == NEAREST:
        classifier = KNeighborsClassifier(1)
    elif rule == LOGISTIC:
        # An infinite C is no penalty. Newton steps do not mind the scale of the features.
        classifier = LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=1000)
    elif rule == FOREST:
        classifier = RandomForestClassifier(
            experiment.trees, random_state=int(rng.integers(2**32)), n_jobs=1
        )
    elif rule == SVM:
        classifier = make_pipeline(StandardScaler(), SVC(gamma="auto"))
    else:
        classifier = SVC()
    return make_pipeline(StandardScaler(), classifier) if experiment.standardise else classifier


def joint_cells(z: NDArray[np.int64], predictions: Sequence[NDArray[np.int64]]) -> NDArray[Any]:
    """Count the joint values of the outcome and of each rule: shape (2, 2, ...)."""
    columns = [z, *predictions]
    shape = (2,) * len(columns)
    flat = np.ravel_multi_index(columns, shape)
    return np.bincount(flat, minlength=2 ** len(columns)).reshape(shape)


def _population_cells(
    experiment: Experiment,
    x: NDArray[np.float64],
    z: NDArray[np.int64],
    rng: np.random.Generator,
    columns: dict[str, Sequence[int]] | None = None,
) -> NDArray[Any]:
    """Train on random rows and count the cells of all the others.

    `columns` names the features that a rule uses, if not all.
    """
    order = rng.permutation(len(z))
    train, rest = order[: experiment.train], order[experiment.train :]
    predictions = []
    for rule in experiment.rules:
        features = x[:, columns[rule]] if columns and rule in columns else x
        classifier = _classifier(rule, experiment, rng).fit(features[train], z[train])
        predictions.append(classifier.predict(features[rest]))
    return joint_cells(z[rest], predictions)


def _orange_juice(experiment: Experiment, rng: np.random.Generator) -> NDArray[Any]:
    x, z = datasets.orange_juice_problem()
    return _population_cells(experiment, x, z, rng)


def _abalone(experiment: Experiment, rng: np.random.Generator) -> NDArray[Any]:
    frame, z = datasets.abalone_problem()
    # With an intercept, three columns for three sexes would be one too many.
    identified = [i for i, name in enumerate(frame.columns) if name != "sex_F"]
    return _population_cells(experiment, frame.to_numpy(), z, rng, {LOGISTIC: identified})


def _letters(experiment: Experiment, rng: np.random.Generator) -> NDArray[Any]:
    x, z = datasets.letter_problem()
    return _population_cells(experiment, x, z, rng)


def positive_intervals(
    rule: str, classifier: Any, x: NDArray[np.float64], z: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return where a rule that was trained on one feature predicts 1.

    Parameters
    ----------
    rule : str
        "1nn", "logistic-regression" or "random-forest".
    classifier : object
        The trained scikit-learn classifier.
    x, z : ndarray
        The feature and the outcome that it was trained on, shape (n,).

    Returns
    -------
    edges : ndarray
        Sorted edges, shape (k,).
    values : ndarray
        The prediction below the first edge, between the edges, and above the last one,
        shape (k + 1,).
    """
    if rule == NEAREST:
        order = np.argsort(x)
        x, z = x[order], z[order]
        return (x[1:] + x[:-1]) / 2, z
    if rule == LOGISTIC:
        slope, intercept = float(classifier.coef_[0, 0]), float(classifier.intercept_[0])
        return np.array([-intercept / slope]), np.array([0, 1] if slope > 0 else [1, 0])
    # A forest's vote is a step function: the sum of its trees' steps.
    all_thresholds, all_steps, leftmost = [], [], 0.0
    for tree in classifier.estimators_:
        thresholds = np.unique(tree.tree_.threshold[tree.tree_.feature >= 0])
        # One point inside every interval between thresholds, and one beyond either end.
        inside = np.concatenate(
            [[thresholds[0] - 1], (thresholds[1:] + thresholds[:-1]) / 2, [thresholds[-1] + 1]]
        )
        # Zeros and ones, unless two outcomes have the same feature in single precision.
        votes = tree.predict_proba(inside[:, None])[:, 1]
        leftmost += votes[0]
        all_thresholds.append(thresholds)
        all_steps.append(np.diff(votes))
    edges, where = np.unique(np.concatenate(all_thresholds), return_inverse=True)
    steps = np.bincount(where, weights=np.concatenate(all_steps))
    votes = np.round(leftmost + np.concatenate([[0], np.cumsum(steps)]), 9)
    # A tie is a 0: scikit-learn takes the first class with the largest vote.
    return edges, (2 * votes > len(classifier.estimators_)).astype(np.int64)


def _gaussian(experiment: Experiment, rng: np.random.Generator) -> NDArray[Any]:
    z = rng.integers(2, size=experiment.train)
    # Trees see their features in single precision. The others do too, so their edges coincide.
    x = rng.normal(loc=z).astype(np.float32).astype(np.float64)
    rules = [
        positive_intervals(rule, _classifier(rule, experiment, rng).fit(x[:, None], z), x, z)
        for rule in experiment.rules
    ]
    edges = np.unique(np.concatenate([e for e, _ in rules]))
    # Which of a rule's intervals holds a common interval follows from its left edge.
    decisions = [
        values[np.concatenate([[0], np.searchsorted(e, edges, side="right")])]
        for e, values in rules
    ]
    shape = (2,) * len(rules)
    flat = np.ravel_multi_index(decisions, shape)
    return np.stack(
        [
            0.5
            * np.bincount(
                flat,
                weights=np.diff(ndtr(np.concatenate([[-np.inf], edges, [np.inf]]) - mean)),
                minlength=2 ** len(rules),
            ).reshape(shape)
            for mean in (0, 1)
        ]
    )


_MAKERS: dict[str, Callable[[Experiment, np.random.Generator], NDArray[Any]]] = {
    "orange-juice": _orange_juice,
    "gaussian": _gaussian,
    "abalone": _abalone,
    "letters": _letters,
    "letters-svm-unscaled": _letters,
}


def cells(name: str, split: int, **changes: Any) -> NDArray[Any]:
    """Return the joint cells of one split, made anew.

    Parameters
    ----------
    name : str
        A key of `EXPERIMENTS`.
    split : int
        Which split; any non-negative number, also beyond the committed ones.
    **changes
        Fields of `Experiment` to change, such as ``trees=100`` or ``standardise=True``.

    Returns
    -------
    ndarray
        Shape (2, 2, ...): the outcome Z, then each rule. Counts, or probabilities for
        "gaussian".
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"name must be one of {', '.join(map(repr, EXPERIMENTS))}, got {name!r}")
    experiment = replace(EXPERIMENTS[name], **changes)
    # The same generator as SeedSequence(seed).spawn(split + 1)[split], without its elders.
    seed = np.random.SeedSequence(experiment.seed, spawn_key=(split,))
    return _MAKERS[name](experiment, np.random.default_rng(seed))


def _row(name: str, split: int) -> list[str]:
    """Return one line of the data file. Twelve decimals are more than the integrals have."""
    values = cells(name, split).ravel()
    whole = np.issubdtype(values.dtype, np.integer)
    return [str(split), *(str(v) if whole else f"{v:.12f}" for v in values)]


def header(name: str) -> list[str]:
    """Return the names of a file's columns: cells are named by their bits, outcome first."""
    bits = 1 + len(EXPERIMENTS[name].rules)
    return ["split", *(f"{i:0{bits}b}" for i in range(2**bits))]


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print some splits, or make the whole data file."""
    parser = argparse.ArgumentParser(description="Make splits-<name>.csv, or print rows.")
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument("--first", type=int, help="print from this split on, write nothing")
    parser.add_argument("--last", type=int, help="stop before this split")
    options = parser.parse_args(arguments)
    name = options.name
    if options.first is not None or options.last is not None:
        first = options.first or 0
        last = first + 1 if options.last is None else options.last
        csv.writer(sys.stdout, lineterminator="\n").writerows(
            [header(name), *(_row(name, split) for split in range(first, last))]
        )
        return
    path = DATA / f"splits-{name}.csv"
    part = path.with_suffix(".part")
    splits = EXPERIMENTS[name].splits
    begin = time.monotonic()
    with part.open("w", newline="", encoding="utf-8") as lines:
        table = csv.writer(lines, lineterminator="\n")
        table.writerow(header(name))
        for split in range(splits):
            table.writerow(_row(name, split))
            lines.flush()
            left = (time.monotonic() - begin) / (split + 1) * (splits - split - 1)
            sys.stderr.write(f"\r{name}: {split + 1} of {splits}, {left:.0f} s left ")
    sys.stderr.write("\n")
    part.replace(path)
    import sklearn

    note_source(path.name, f"scikit-learn {sklearn.__version__}; numpy {np.__version__}")


if __name__ == "__main__":
    main()
