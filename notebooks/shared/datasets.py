"""The data sets of the worked examples, as their notebooks use them.

Each is read by :func:`compendium.data.read_verified`, which refuses bytes that
``notebooks/data/sources.csv`` does not promise.
"""

from __future__ import annotations

import io
import os
import re

import numpy as np
import pandas as pd
from compendium.data import read_verified
from numpy.typing import NDArray

ABALONE_COLUMNS = [
    "sex", "length", "diameter", "height", "whole_weight", "shucked_weight", "viscera_weight",
    "shell_weight", "rings",
]  # fmt: skip

LETTER_FEATURES = [
    "x_box", "y_box", "width", "height", "on_pixels", "x_bar", "y_bar", "x2_bar", "y2_bar",
    "xy_bar", "x2y_bar", "xy2_bar", "x_edge", "x_edge_y", "y_edge", "y_edge_x",
]  # fmt: skip


def _table(file: str, names: list[str] | None = None) -> pd.DataFrame:
    """Return a comma-separated file as a frame; `names` if it has no header."""
    # "NA" and the like are text, should they ever occur: no file here has missing values.
    return pd.read_csv(io.BytesIO(read_verified(file)), names=names, keep_default_na=False)


def orange_juice() -> pd.DataFrame:
    """Return orange juice purchases: 1070 rows and the 18 columns of the ISLR data set OJ."""
    return _table("oj.csv")


def orange_juice_problem() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return predictors (customer loyalty, price difference) and Z = 1 for Citrus Hill.

    `jiang` names these two factors in its introduction.
    """
    frame = orange_juice()
    features = frame[["LoyalCH", "PriceDiff"]].to_numpy(dtype=np.float64)
    return features, (frame["Purchase"] == "CH").to_numpy(dtype=np.int64)


def orange_juice_halves() -> pd.DataFrame:
    """Return how many halves of the orange juice data give the table of `jiang`, section 2.3.

    Each row is a way to take the half (``half``), the predictors (``two`` factors or ``all``
    columns) and the half's role. ``halves`` were tried, and ``hits`` of them give the table.
    """
    return _table("orange-juice-halves.csv")


def abalone() -> pd.DataFrame:
    """Return UCI Abalone: 4177 rows; sex (F, I, M), seven measurements, rings."""
    return _table("abalone.data", ABALONE_COLUMNS)


def letters() -> pd.DataFrame:
    """Return UCI Letter Recognition: 20000 rows, the letter and sixteen integer features."""
    return _table("letter-recognition.data", ["letter", *LETTER_FEATURES])


def wang_li_counts() -> dict[tuple[str, str], NDArray[np.int64]]:
    """Return the counts of the 3 x 2 cross-validations of `wangli`, section 4.

    Returns
    -------
    dict
        For each task ("cws", "ner", "org") and model ("A", "B") an array of shape (3, 2, 3):
        repetition, fold, and TP, FP, FN in chunks. TP is the number of correct chunks,
        FP what was predicted beyond them, FN what the gold standard has beyond them.
    """
    frame = _table("wang-li-2019-counts.csv").sort_values(["task", "model", "repetition", "fold"])
    correct = frame["correct_chunks"]
    counts = np.column_stack(
        [correct, frame["predicted_chunks"] - correct, frame["gold_chunks"] - correct]
    )
    keys = list(zip(frame["task"], frame["model"], strict=True))
    return {
        key: counts[[k == key for k in keys]].reshape(3, 2, 3).astype(np.int64)
        for key in dict.fromkeys(keys)
    }


def wang_li_program() -> dict[tuple[str, str, str, str], NDArray[np.float64]]:
    """Return what the public program of `wangli` printed.

    Returns
    -------
    dict
        By task ("cws", "ner", "org"), metric ("precision", "recall", "f1"), model and quantity:
        "low" and "high" of the models "A" and "B", and "p_h0" of "" (both) in each of twenty runs.
    """
    frame = _table("wang-li-2019-program.csv")
    groups = frame.groupby(["task", "metric", "model", "quantity"])["value"]
    return {key: values.to_numpy(dtype=np.float64) for key, values in groups}


def read_matrices(path: str | os.PathLike[str]) -> dict[str, pd.DataFrame]:
    """Return a reader's own confusion matrices from a CSV file with one line for each cell.

    Its columns are ``name``, ``true``, ``predicted`` and ``count``. Every pair of classes has
    a line, so no orientation has to be guessed. The matrices have true classes in rows, in
    the order of their first lines.
    """
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    columns = ["name", "true", "predicted", "count"]
    if sorted(frame.columns) != sorted(columns):
        raise ValueError(f"{path} must have the columns {columns}, got {list(frame.columns)}")
    if bad := [text for text in frame["count"] if not re.fullmatch(r"\d+", text)]:
        raise ValueError(f"{path}: a count must be an integer of at least 0, got {bad[0]!r}")
    frame["count"] = frame["count"].astype(np.int64)
    matrices = {}
    for name, cells in frame.groupby("name", sort=False):
        _check_pairs(f"{path}: {name!r}", cells)
        matrices[str(name)] = _matrix(cells)
    return matrices


def _check_pairs(what: str, cells: pd.DataFrame) -> None:
    """Check that every pair of classes has one line."""
    pairs = set(zip(cells["true"], cells["predicted"], strict=True))
    classes = len(set(cells["true"]) | set(cells["predicted"]))
    if len(pairs) < len(cells) or len(pairs) < classes**2:
        rule = f"must have one line for each pair of its {classes} classes"
        raise ValueError(f"{what} {rule}, got {len(cells)} lines for {len(pairs)} pairs")


def _matrix(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of one matrix as a square frame, true classes in rows."""
    labels = list(dict.fromkeys(cells["true"]))
    matrix = cells.pivot(index="true", columns="predicted", values="count")
    return matrix.loc[labels, labels].astype(np.int64)


def confusion_matrix(name: str) -> pd.DataFrame:
    """Return a confusion matrix of the papers: rows are true classes, columns are predicted.

    `takahashi` prints the transpose. The file names both classes of every cell, so no
    orientation has to be guessed. ``frame.attrs["origin"]`` is "printed" or "reconstructed".
    A reconstructed matrix is the only matrix that fits the numbers of a paper that does not
    print it. The classes of a binary matrix are "0" and "1".
    """
    frame = _table("confusion-matrices.csv")
    cells = frame[frame["name"] == name]
    if cells.empty:
        known = ", ".join(map(repr, dict.fromkeys(frame["name"])))
        raise ValueError(f"name must be one of {known}, got {name!r}")
    matrix = _matrix(cells)
    matrix.attrs["origin"] = cells["origin"].iloc[0]
    return matrix


def abalone_rules() -> pd.DataFrame:
    """Return outcome and predictions of the abalone rules on their population (`yuan`, III-B).

    The columns are the row of the data set, from 1, then z, nn, logistic and forest.
    """
    return _table("yuan-abalone-rules.csv")


def yuan_splits(data: str, share: float = 0.2) -> NDArray[np.float64]:
    """Return joint cells of the rules of `yuan`, trained on this share of "abalone" or "letter".

    Returns
    -------
    ndarray, shape (splits, 2**(m + 1))
        The index of a cell, in binary, reads Z A_1 ... A_m. With the share 0.2 the first line is
        the paper's own split.
    """
    frame = _table(f"yuan-{data}-splits.csv")
    chosen = frame[frame["share"] == share].drop(columns=["share", "seed"])
    cells: NDArray[np.float64] = chosen.to_numpy(dtype=np.float64)
    return cells


def abalone_forests() -> NDArray[np.float64]:
    """Return true and predicted positives of other forests on the paper's own abalone split."""
    counts: NDArray[np.float64] = _table("yuan-abalone-forests.csv")[["tp", "predicted"]].to_numpy(
        dtype=np.float64
    )
    return counts


def yuan_searches() -> pd.DataFrame:
    """Return what was searched for the runs of `yuan`: tried, hits and by_chance, by search."""
    return _table("yuan-searches.csv").set_index("search")


def qmvnorm(correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the joint 95 % quantile of two measures as R's `qmvnorm` gives it.

    It stops its search early: its quantiles are too large by up to .0005.
    """
    frame = _table("yuan-qmvnorm.csv")
    q: NDArray[np.float64] = np.interp(np.abs(correlation), frame["rho"], frame["q"])
    return q


def table_2_quantiles() -> NDArray[np.float64]:
    """Return the joint quantile of Table II of `yuan` as R's `qmvnorm` gives it, for many seeds."""
    q: NDArray[np.float64] = _table("yuan-table-2.csv")["q"].to_numpy(dtype=np.float64)
    return q


def split_counts(name: str) -> NDArray[np.float64]:
    """Return counts of outcome and prediction for many independent splits.

    Returns
    -------
    ndarray, shape (splits, 2, 2)
    """
    frame = _table(f"splits-{name}.csv").drop(columns="split")
    counts: NDArray[np.float64] = frame.to_numpy(dtype=np.float64)
    return counts.reshape(len(frame), 2, 2)
