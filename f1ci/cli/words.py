"""The words of names and labels: what the name of a column says, and which labels mean the same.

The lists stand in `words.json`, which the calculator in the book shares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import NoReturn

from f1ci.data import checks

_LISTS = json.loads(files("f1ci.cli").joinpath("words.json").read_text("utf-8"))
WORDS = {what: frozenset(words.split()) for what, words in _LISTS.items()}

_WHOLE = re.compile(r"-?[0-9]+(\.0*)?")


def refuse(*parts: str) -> NoReturn:
    """Raise the sentence that says what is wrong and what helps."""
    raise ValueError("; ".join(parts))


def said_by(name: str) -> str:
    """Return what a column of this name holds; "" if the name does not say it.

    "id" names the items, "truth" and the weaker "label" are true labels, "model" predicted ones;
    "count", "group" and "beside" (folds, texts, scores) are none of these.
    """
    # "yTrue", "y_true" and "y true" are y and true, and "pred2" is pred and 2.
    spaced = re.sub(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[^\W\d_])(?=\d)", " ", name)
    words = re.findall(r"[^\W_]+", spaced.lower())
    whole = "".join(words)
    for what in ("id", "count", "label"):
        if whole in WORDS[what]:
            return what
    if not words or words[-1] in ("id", "idx", "index"):
        return "id"
    said = (what for what in ("group", "beside", "model", "truth") if WORDS[what] & {*words, whole})
    return next(said, "")


def spelling(labels: Iterable[str]) -> dict[str, str]:
    """Return how to write each label: if all are whole numbers 1.0 is 1, and True is true.

    If there is any other label, all are text and stay as they are.
    """
    distinct = set(labels)
    if all(map(_WHOLE.fullmatch, distinct)):
        return {label: label.partition(".")[0] for label in distinct}
    if all(label.casefold() in ("true", "false") for label in distinct):
        return {label: label.casefold() for label in distinct}
    return {label: label for label in distinct}


def alike_in_meaning(labels: Iterable[str]) -> list[str]:
    """Return the numbers and truth values among labels if some of them mean the same."""
    values = {"true": "1", "false": "0"}
    words = [x for x in set(labels) if _WHOLE.fullmatch(x) or x.casefold() in values]
    meanings = {values.get(word.casefold(), word.partition(".")[0]) for word in words}
    return words if len(meanings) < len(words) else []


def in_order(labels: Iterable[str]) -> list[str]:
    """Return different labels in order: by size if all are whole numbers, otherwise as text."""
    distinct = set(labels)
    if all(map(_WHOLE.fullmatch, distinct)):
        return sorted(distinct, key=lambda label: (float(label), label))
    return sorted(distinct)


def some(labels: Iterable[str]) -> str:
    """Return the first labels in order, as a message lists them."""
    return checks.listing(in_order(labels), 4)


def positive_class(classes: Sequence[str]) -> str | None:
    """Return the one of two classes that is called positive, or whose opposite is negative."""
    if len(classes) > 2:
        return None
    positive = [name for name in classes if name.casefold() in WORDS["positive"]]
    if len(positive) == 1:
        return positive[0]
    other = [name for name in classes if name.casefold() not in WORDS["negative"]]
    return other[0] if len(classes) == 2 and len(other) == 1 else None


def is_missing(label: str, classes: Iterable[str]) -> bool:
    """Tell if a label says that there is none. "none" may be a class of the truth."""
    word = label.casefold()
    return not word or (word in WORDS["missing"] and not (word == "none" and label in classes))


def number(count: int, noun: str) -> str:
    """Return "1 item" or "1,000 items"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
