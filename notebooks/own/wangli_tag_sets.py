"""Two models on the same words: the counts of `train_tag_sets`, and how the models' errors agree.

Words are counted in seven cells, named by three digits. The digits say whether a word is in the
gold standard, predicted by model A, and predicted by model B. There is no eighth cell: without all
three there is no word.
"""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
from compendium.data import read_verified
from numpy.typing import ArrayLike, NDArray

import f1ci

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

CELLS = ["100", "101", "110", "111", "001", "010", "011"]
# Truth, prediction of A and prediction of B, by cell.
_GOLD, _A, _B = np.array([[int(digit) for digit in cell] for cell in CELLS]).T
PREDICTED = {"A": _A, "B": _B}


def _read(file: str) -> pd.DataFrame:
    """Return a verified table."""
    return pd.read_csv(io.BytesIO(read_verified(file)))


def cells_by_dialogue(partition: str) -> Counts:
    """Return the words of the whole corpus, shape (3, 2, 58, 7).

    Parameters
    ----------
    partition : {"utterances", "dialogues"}
        What was dealt to the four blocks at random.

    Returns
    -------
    ndarray
        By repetition, fold, dialogue and cell; 0 for dialogues that are not in a test set.
    """
    table = _read("tag-sets-folds.csv")
    rows = table[table["partition"] == partition]
    cells = np.zeros((3, 2, 58, len(CELLS)), dtype=np.int64)
    cells[rows["repetition"] - 1, rows["fold"] - 1, rows["dialogue"]] = rows[CELLS]
    return cells


def corpora(pair: str, tested_on: str) -> Counts:
    """Return the words of the small corpora, shape (50, 3, 2, 7).

    Parameters
    ----------
    pair : {"tag sets", "seeds"}
        The two models.
    tested_on : {"fold", "outside"}
        The test set of the fold, or utterances outside the small corpus.
    """
    table = _read("tag-sets-corpora.csv")
    rows = table[(table["pair"] == pair) & (table["set"] == tested_on)]
    order = rows.sort_values(["corpus", "repetition", "fold"])
    cells: Counts = order[CELLS].to_numpy().reshape(-1, 3, 2, len(CELLS))
    return cells


def counts(cells: ArrayLike, model: str) -> Counts:
    """Return TP, FP and FN of model "A" or "B" from cells along the last axis."""
    predicted = PREDICTED[model]
    kinds = [_GOLD * predicted, (1 - _GOLD) * predicted, _GOLD * (1 - predicted)]
    of: Counts = np.asarray(cells) @ np.stack(kinds, axis=-1)
    return of


def deviations(cells: ArrayLike, metric: str) -> Array:
    """Return what one word of each cell adds to the error of A's and of B's score, shape (2, 7).

    A score is a ratio of two sums. A word adds its part of the numerator less the score times its
    part of the denominator. The words' deviations sum to zero; the error of the score is in
    proportion to their sum in another sample.
    """
    total = np.asarray(cells, dtype=float)
    rows = []
    for predicted in PREDICTED.values():
        right = _GOLD * predicted
        whole = {
            "precision": predicted,
            "recall": _GOLD,
            "f1": (predicted + _GOLD) / 2,
        }[metric]
        rows.append(right - (total @ right) / (total @ whole) * whole)
    return np.array(rows)


def error_correlation(cells: ArrayLike, metric: str) -> float:
    """Return the correlation of the errors of A's and B's scores.

    Parameters
    ----------
    cells : array_like, shape (7,) or (units, 7)
        Counts of words, which are taken as independent; or of the words of independent units.
    metric : {"precision", "recall", "f1"}
    """
    table = np.asarray(cells, dtype=float)
    a, b = deviations(table.reshape(-1, len(CELLS)).sum(axis=0), metric)
    if table.ndim == 1:
        products = [table @ (x * y) for x, y in ((a, b), (a, a), (b, b))]
    else:
        sums = {"a": table @ a, "b": table @ b}
        products = [sums[x] @ sums[y] for x, y in ("ab", "aa", "bb")]
    return float(products[0] / np.sqrt(products[1] * products[2]))


def labels(cells: ArrayLike) -> tuple[Counts, Counts, Counts]:
    """Return one label for each word: gold standard, model A, model B."""
    number = np.asarray(cells)
    gold, a, b = (np.repeat(digits, number) for digits in (_GOLD, _A, _B))
    return gold, a, b


def both(cells: ArrayLike) -> f1ci.Labels:
    """Return the labels of both models."""
    gold, a, b = labels(cells)
    return f1ci.Labels(gold, {"A": a, "B": b})
