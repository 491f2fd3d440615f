"""Train word segmenters with four and with six tags and count what they get right.

    make train                                        # train anew, compare with the stored counts
    python notebooks/data/train_tag_sets.py --write   # train anew, replace the stored counts

Wang and Li (2019, section 4.1) compare the tag sets BMES and BB2B3MES with conditional random
fields in a 3 x 2 block-regularised cross-validation. This script does the same with a corpus that
everybody may use: the Hong Kong Cantonese Corpus, 58 dialogues, from the package pycantonese
(dependency group ``train`` in pyproject.toml). It takes a quarter of an hour on one core.

Two files of counts come out. The columns ``100`` to ``011`` are words: the first digit says
whether the word is in the gold standard, the second whether model A predicts it, the third
whether model B does. The notebook ``wangli-tag-sets`` reads them.

- ``tag-sets-folds.csv``: both tag sets on the whole corpus, by fold and dialogue; once with
  utterances dealt to the four blocks at random, once with whole dialogues.
- ``tag-sets-corpora.csv``: 50 small corpora of 320 utterances, drawn from the whole one. Each has
  its own cross-validation of the two tag sets, and of one tag set with two seeds. The models of
  each fold are also tested on 6000 utterances outside the small corpus.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import f1ci

HERE = Path(__file__).resolve().parent
SEED = 20190603
REPETITIONS = 3
CELLS = ["100", "101", "110", "111", "001", "010", "011"]
CORPORA, SIZE, OUTSIDE = 50, 320, 6000
ROUNDS = 10  # of the averaged perceptron
TOLERANCE = 5e-4  # of F1 by fold, where another processor rounds differently


@dataclass(frozen=True)
class Utterance:
    """One utterance: its dialogue, its words, and what a tagger sees of it."""

    dialogue: int
    words: tuple[str, ...]
    features: Any = None

    @property
    def spans(self) -> set[tuple[int, int]]:
        """Return where the words begin and end, in characters."""
        ends = np.cumsum([len(word) for word in self.words]).tolist()
        return set(zip([0, *ends[:-1]], ends, strict=True))


def features(text: str) -> list[list[str]]:
    """Return one, two and three characters in a row, up to two places from each character."""
    padded = f"<<{text}>>"
    windows = [padded[i : i + 5] for i in range(len(text))]
    pieces = [(size, at) for size in (1, 2, 3) for at in range(6 - size)]
    return [[f"{size}{at}{window[at : at + size]}" for size, at in pieces] for window in windows]


def corpus() -> list[Utterance]:
    """Return all utterances of the corpus, dialogue by dialogue."""
    import pycantonese
    import pycrfsuite

    dialogues = pycantonese.hkcancor().words(by_utterance=True, by_file=True)
    return [
        Utterance(dialogue, tuple(words), pycrfsuite.ItemSequence(features("".join(words))))
        for dialogue, utterances in enumerate(dialogues)
        for words in utterances
    ]


# Tag sets and learners


def tags(words: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return one tag for each character; `heads` name the first characters of a word."""
    found: list[str] = []
    for word in words:
        if len(word) == 1:
            found.append("S")
            continue
        begin = list(heads[: len(word) - 1])
        found += [*begin, *["M"] * (len(word) - 1 - len(begin)), "E"]
    return found


def spans(found: Sequence[str]) -> set[tuple[int, int]]:
    """Return the words that a sequence of tags cuts out; any sequence cuts the text into words."""
    starts = [
        i
        for i, tag in enumerate(found)
        if i == 0 or tag in ("B", "S") or found[i - 1] in ("E", "S")
    ]
    return set(zip(starts, [*starts[1:], len(found)], strict=True))


Predict = Callable[[Utterance], set[tuple[int, int]]]


def train(
    items: Sequence[Utterance],
    heads: Sequence[str],
    *,
    perceptron: np.random.Generator | None = None,
) -> Predict:
    """Train a conditional random field and return its predictor.

    Without a generator the penalised likelihood is maximised until CRFsuite's own rule says
    that it has converged (L-BFGS, c2 = 1). With one, ten rounds of averaged perceptron see the
    utterances in random order: two generators give two models that differ by chance only.
    """
    import pycrfsuite

    if perceptron is None:
        trainer = pycrfsuite.Trainer("lbfgs", {"c2": 1.0}, verbose=False)
    else:
        trainer = pycrfsuite.Trainer("ap", {"max_iterations": ROUNDS}, verbose=False)
        items = [items[i] for i in perceptron.permutation(len(items))]
    for item in items:
        trainer.append(item.features, tags(item.words, heads))
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        trainer.train(model)
        tagger.open(model)  # CRFsuite reads the whole file, which may go then
    return lambda item: spans(tagger.tag(item.features))


FOUR, SIX = ["B"], ["B", "B2", "B3"]


def tag_sets(items: Sequence[Utterance]) -> tuple[Predict, Predict]:
    """Return model A with BMES and model B with BB2B3MES."""
    return train(items, FOUR), train(items, SIX)


def seeds(items: Sequence[Utterance], stream: np.random.Generator) -> tuple[Predict, Predict]:
    """Return two models with BMES that differ by the order of their training utterances."""
    return train(items, FOUR, perceptron=stream), train(items, FOUR, perceptron=stream)


# Counting


def cells(items: Sequence[Utterance], predict_a: Predict, predict_b: Predict) -> np.ndarray:
    """Count words by gold standard, model A and model B, in the order of `CELLS`."""
    total = np.zeros(len(CELLS), dtype=int)
    for item in items:
        gold, a, b = item.spans, predict_a(item), predict_b(item)
        both, either = a & b, a | b
        right = [gold - either, gold & b - a, gold & a - b, gold & both]
        wrong = [b - a - gold, a - b - gold, both - gold]
        total += [len(words) for words in (*right, *wrong)]
    return total


def folds(
    pairs: Sequence[tuple[np.ndarray, ...]],
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Yield repetition, fold, training set and test set."""
    for i, (training, test) in enumerate(pairs):
        yield i // 2 + 1, i % 2 + 1, training, test


def partitions(items: list[Utterance]) -> dict[str, list[tuple[np.ndarray, ...]]]:
    """Return training and test sets, with utterances or whole dialogues dealt to the blocks."""
    dialogue = np.array([item.dialogue for item in items])
    by_dialogue = f1ci.bcv_partitions(dialogue[-1] + 1, repetitions=REPETITIONS, rng=SEED)
    return {
        "utterances": f1ci.bcv_partitions(len(items), repetitions=REPETITIONS, rng=SEED),
        "dialogues": [
            tuple(np.flatnonzero(np.isin(dialogue, half)) for half in halves)
            for halves in by_dialogue
        ],
    }


def whole_corpus(items: list[Utterance]) -> pd.DataFrame:
    """Cross-validate both tag sets on the whole corpus, with two partitions."""
    rows: list[list[object]] = []
    for name, pairs in partitions(items).items():
        for repetition, fold, training, test in folds(pairs):
            models = tag_sets([items[i] for i in training])
            by_dialogue = groupby((items[i] for i in sorted(test)), key=lambda x: x.dialogue)
            for which, tested in by_dialogue:
                rows.append([name, repetition, fold, which, *cells(list(tested), *models)])
            progress(f"{name}, repetition {repetition}, fold {fold}")
    return pd.DataFrame(rows, columns=["partition", "repetition", "fold", "dialogue", *CELLS])


def small_corpora(items: list[Utterance]) -> pd.DataFrame:
    """Cross-validate tag sets and seeds on small corpora drawn from the whole one."""
    rows: list[list[object]] = []
    streams = np.random.default_rng(SEED + 1).spawn(CORPORA + 1)
    order = streams.pop().permutation(len(items))
    for number, stream in enumerate(streams):
        inside = order[SIZE * number : SIZE * (number + 1)]
        outside = stream.permutation(np.setdiff1d(order, inside))[:OUTSIDE]
        parts = ([items[i] for i in some] for some in (inside, outside))
        rows += [[number, *row] for row in one_corpus(*parts, stream)]
        progress(f"small corpus {number + 1} of {CORPORA}")
    return pd.DataFrame(rows, columns=["corpus", "pair", "repetition", "fold", "set", *CELLS])


def one_corpus(
    corpus: list[Utterance], outside: list[Utterance], stream: np.random.Generator
) -> Iterator[list[object]]:
    """Yield the counts of each pair of models, in each fold of a corpus and outside it."""
    halvings = f1ci.bcv_partitions(len(corpus), repetitions=REPETITIONS, rng=stream)
    for repetition, fold, training, test in folds(halvings):
        learned, tested = ([corpus[i] for i in half] for half in (training, test))
        pairs = {"tag sets": tag_sets(learned), "seeds": seeds(learned, stream)}
        for name, models in pairs.items():
            yield [name, repetition, fold, "fold", *cells(tested, *models)]
            yield [name, repetition, fold, "outside", *cells(outside, *models)]


# Files


START = time.monotonic()


def progress(text: str) -> None:
    """Say what is done, and after how many seconds."""
    sys.stderr.write(f"{time.monotonic() - START:5.0f} s  {text}\n")


def f1(rows: pd.DataFrame) -> pd.DataFrame:
    """Return F1 of both models for each row."""
    gold = rows[["100", "101", "110", "111"]].sum(axis=1)
    right = {"A": rows["110"] + rows["111"], "B": rows["101"] + rows["111"]}
    wrong = {"A": rows["010"] + rows["011"], "B": rows["001"] + rows["011"]}
    return pd.DataFrame({m: 2 * right[m] / (right[m] + wrong[m] + gold) for m in "AB"})


def differences(file: str, trained: pd.DataFrame) -> str | None:
    """Return what differs from the stored counts by more than rounding, if anything."""
    stored = pd.read_csv(HERE / file)
    keys = [name for name in stored.columns if not name.isdigit()]
    if list(stored.columns) != list(trained.columns) or not stored[keys].equals(trained[keys]):
        return "other rows"
    if stored.equals(trained):
        return None
    fold = [name for name in keys if name != "dialogue"]
    gap = (f1(stored.groupby(fold).sum()) - f1(trained.groupby(fold).sum())).abs().max().max()
    sys.stdout.write(f"{file}: not all words are the same; F1 by fold moves by up to {gap:.1e}\n")
    return "F1 moved" if gap > TOLERANCE else None


def main() -> None:
    """Train everything; write the counts, or compare them with the stored ones."""
    parser = argparse.ArgumentParser(description="Train and count; compare with the stored counts.")
    parser.add_argument("--write", action="store_true", help="replace the stored counts")
    options = parser.parse_args()
    items = corpus()
    made = {
        "tag-sets-folds.csv": whole_corpus(items),
        "tag-sets-corpora.csv": small_corpora(items),
    }
    failed = False
    for file, table in made.items():
        text = table.to_csv(index=False, lineterminator="\n")
        if options.write:
            (HERE / file).write_text(text, encoding="utf-8", newline="")
            continue
        difference = differences(file, pd.read_csv(io.StringIO(text)))
        failed |= difference is not None
        sys.stdout.write(f"{file}: {difference or 'as stored'}\n")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
