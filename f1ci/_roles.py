"""Guess from the name of a column what it holds: the truth, a model, an index, ...

A name is cut into words: "y_true", "yTrue" and "y true" are y and true. The first list below that
fits decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

# "truth" is a strong name of the truth, "label" a weak one. "other" are texts, scores and the like.
Role: TypeAlias = Literal["index", "count", "group", "other", "model", "truth", "label", "open"]
Roles: TypeAlias = dict[str, Role]


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


_INDEX = word_set(
    "unnamed0 unnamed id ids idx index key row rowid rowname rownames rownum rownumber line nr no "
    "number item itemid sample sampleid case caseid example exampleid uid uuid guid"
)
_COUNT = word_set("count counts freq frequency n nitems")
_GROUP = word_set("doc document group cluster patient subject speaker user")
_OTHER = word_set(
    "fold split seed run epoch batch annotator text sentence token tokens word title url file path "
    "date time timestamp length prob probs probability proba score scores confidence logit logits "
    "loss weight correct right wrong error match hit"
)
_MODEL = word_set(
    "pred preds predicted predict prediction predictions hat yhat ypred guess guesses output "
    "outputs model classifier system response hyp hypothesis"
)
_TRUTH = word_set("true truth ytrue gold golden actual groundtruth gt ytest")
_LABEL = word_set(
    "y label labels class classes target targets reference ref expected answer category annotation"
)


def role_of(name: str) -> Role:
    """Return what a column of this name holds; "open" if the name does not say it."""
    words = _words(name)
    joined = "".join(words)
    every = {*words, joined}
    if not joined or joined in _INDEX or words[-1] in ("id", "idx", "index"):
        return "index"
    if joined in _COUNT:
        return "count"
    if every & _GROUP:
        return "group"
    if every & _OTHER:
        return "other"
    if every & _MODEL:
        return "model"
    if every & _TRUTH:
        return "truth"
    return "label" if joined in _LABEL else "open"


def _words(name: str) -> list[str]:
    """Cut a name at signs, between a small and a capital letter, and before a number."""
    spaced = ""
    last = ""
    for character in name:
        begins_word = last.islower() and character.isupper()
        begins_number = last.isalpha() and character.isdigit()
        if begins_word or begins_number:
            spaced += " "
        spaced += character if character.isalnum() else " "
        last = character
    return spaced.lower().split()


def roles_of(columns: Mapping[str, list[str]]) -> Roles:
    """Return what each column holds, by its name and, for counts and identifiers, its values."""
    roles: Roles = {}
    for name, cells in columns.items():
        role = role_of(name)
        if role == "count":
            role = "count" if _are_counts(cells) else "index"
        elif role not in ("truth", "label") and all_different(cells):
            role = "index"
        roles[name] = role
    return roles


def _are_counts(cells: list[str]) -> bool:
    """Tell if cells are whole numbers, but not those of the lines: 1, 2, 3, ... in any order."""
    if not all(cell.isdecimal() for cell in cells):
        return False
    numbers = sorted(map(int, cells))
    lines = range(len(cells)) if numbers[0] == 0 else range(1, len(cells) + 1)
    return numbers != list(lines)


def all_different(cells: Sequence[str]) -> bool:
    """Tell if cells name the items: four or more, all different."""
    return len(cells) > 3 and len(set(cells)) == len(cells)
