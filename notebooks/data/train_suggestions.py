"""Count the sentences of SemEval 2019, task 9, subtask A, and train three simple classifiers on them.

The sentences have a licence that does not allow them into this repository. Clone
github.com/Semeval2019Task9/Subtask-A at commit 3cd21f0, and name the folder::

    python notebooks/data/train_suggestions.py Subtask-A

It writes ``suggestion-counts.csv`` (ten seconds): how many sentences of each part have which true
label and which predictions. The training sentences have no predictions.

The three classifiers see the same features: TF-IDF of single words and of pairs of words that stand
in at least two training sentences, with logarithmic counts. They are scikit-learn's logistic
regression, the same with balanced classes, and its linear support vector machine, each with the
default penalty.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

FILES = {  # the file of each part, and its Git hash
    "training": ("V1.4_Training.csv", "739b675a6bb596701b9993f1c04ce5beb3b12d8a"),
    "validation": ("SubtaskA_Trial_Test_Labeled.csv", "d91ca68f580012f2edb9068df47ff1b45aabf4d6"),
    "test": ("SubtaskA_EvaluationData_labeled.csv", "1344942f43a8be24adbc3e926cd5581daf596c82"),
}
CLASSIFIERS = {
    "logistic": LogisticRegression(max_iter=1000),
    "balanced": LogisticRegression(max_iter=1000, class_weight="balanced"),
    "svm": LinearSVC(),
}
TARGET = Path(__file__).with_name("suggestion-counts.csv")


def read(path: Path, promised: str) -> tuple[list[str], NDArray[np.int64]]:
    """Return the sentences of a file and their labels."""
    content = path.read_bytes()
    found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    if found != promised:
        raise SystemExit(f"{path} is not the file of commit 3cd21f0")
    lines = content.decode("utf-8", errors="replace").splitlines(keepends=True)
    rows = [row for row in csv.reader(lines) if row and row[0] != "id"]
    return [row[1] for row in rows], np.array([int(row[2]) for row in rows])


def main(folder: Path) -> None:
    """Count, train, predict, and write the counts."""
    parts = {part: read(folder / name, promised) for part, (name, promised) in FILES.items()}
    features = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    sentences, labels = parts["training"]
    seen = features.fit_transform(sentences)
    for classifier in CLASSIFIERS.values():
        classifier.fit(seen, labels)
    cells = Counter(("training", int(label), "", "", "") for label in labels)
    for part in ("validation", "test"):
        sentences, labels = parts[part]
        predicted = predictions(features.transform(sentences))
        cells.update((part, *map(int, cell)) for cell in zip(labels, *predicted, strict=True))
    write(cells)


def predictions(features: Any) -> list[list[int]]:
    """Return the labels that each trained classifier gives."""
    return [classifier.predict(features).tolist() for classifier in CLASSIFIERS.values()]


def write(cells: Counter[Any]) -> None:
    """Write the counts."""
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["part", "suggestion", *CLASSIFIERS, "sentences"])
        writer.writerows([*cell, count] for cell, count in sorted(cells.items(), key=str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
