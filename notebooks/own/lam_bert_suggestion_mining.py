"""Classifiers of suggestions: the counts of three that were trained here, and what counts can say.

`sizes`, `joint_cells`, `counts_of` and `labels` read what ``data/train_suggestions.py`` counted.

The paper's own counts do not say on which items two models disagree. They give the least and the
largest possible number. `nested` and `disjoint` make the labels of these two extremes. Then every
comparison of f1ci can be made for both.
"""

from __future__ import annotations

import io
from typing import NamedTuple

import numpy as np
import pandas as pd
from compendium.data import read_verified
from numpy.typing import NDArray

Labels = NDArray[np.int64]


class Counts(NamedTuple):
    """The counts of one classifier."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def f1(self) -> float:
        """Return the F1 score."""
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn)


def _table() -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(read_verified("suggestion-counts.csv")))


def sizes() -> dict[str, tuple[int, int]]:
    """Return the numbers of sentences and of suggestions of each part, and of all parts."""
    frame = _table()
    found = {}
    for part in ("training", "validation", "test", "total"):
        rows = frame if part == "total" else frame[frame["part"] == part]
        suggestions = rows.loc[rows["suggestion"] == 1, "sentences"].sum()
        found[part] = int(rows["sentences"].sum()), int(suggestions)
    return found


def joint_cells(part: str) -> Labels:
    """Return a part's counts, shape (2, 2, 2, 2): truth, and the three classifiers' predictions."""
    frame = _table()
    rows = frame[frame["part"] == part]
    cells = np.zeros((2, 2, 2, 2), np.int64)
    place = rows[["suggestion", "logistic", "balanced", "svm"]].to_numpy(dtype=np.int64)
    cells[tuple(place.T)] = rows["sentences"]
    return cells


def counts_of(cells: Labels, classifier: int) -> Counts:
    """Return the counts of one of the three classifiers."""
    others = tuple(axis for axis in (1, 2, 3) if axis != classifier + 1)
    (tn, fp), (fn, tp) = cells.sum(axis=others).tolist()
    return Counts(tp, fp, fn, tn)


def labels(cells: Labels, a: int, b: int) -> tuple[Labels, Labels, Labels]:
    """Return true labels and the labels of two of the three classifiers, sentence by sentence."""
    place = np.repeat(np.indices(cells.shape).reshape(4, -1), cells.ravel(), axis=1)
    return place[0], place[a + 1], place[b + 1]


def _labels(a: Counts, b: Counts, *, from_the_end: bool) -> tuple[Labels, Labels, Labels]:
    """Return true labels and both models' labels; B's positives come first in each class, or last."""
    truth, predicted_a, predicted_b = [], [], []
    for is_positive, hits_a, hits_b, size in (
        (1, a.tp, b.tp, a.tp + a.fn),
        (0, a.fp, b.fp, a.fp + a.tn),
    ):
        place = np.arange(size)
        truth.append(np.full(size, is_positive))
        predicted_a.append(place < hits_a)
        predicted_b.append(place >= size - hits_b if from_the_end else place < hits_b)
    one, two, three = (
        np.concatenate(x).astype(np.int64) for x in (truth, predicted_a, predicted_b)
    )
    return one, two, three


def nested(a: Counts, b: Counts) -> tuple[Labels, Labels, Labels]:
    """Return truth, A and B with the least disagreement that their counts allow."""
    return _labels(a, b, from_the_end=False)


def disjoint(a: Counts, b: Counts) -> tuple[Labels, Labels, Labels]:
    """Return truth, A and B with the most disagreement that their counts allow."""
    return _labels(a, b, from_the_end=True)
