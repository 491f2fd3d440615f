"""Choose the columns of a file of predictions in the open: the truth and the models.

What a person names is taken. Otherwise the names and the labels of the columns decide; and where
they leave a doubt, a sentence asks for the option that ends it. Nothing is guessed in silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from f1ci._files import Table
from f1ci._roles import word_set
from f1ci.data import checks
from f1ci.types import IntervalWarning, warn

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

# So many items have no use for a file that says how many a line stands for.
_MOST_ITEMS = 10**8

_MISSING = frozenset(["", "na", "n/a", "nan", "null", "<na>", "none"])
_WHOLE = re.compile(r"-?\d+(\.0*)?")
_TRUTH = {"true": "1", "false": "0"}
_POSITIVE = word_set("1 true yes y t pos positive + +1")
_NEGATIVE = word_set("0 -1 false no n f neg negative - other none o")


@dataclass
class Named:
    """What the person at the command line names; empty where the file is to say it."""

    truth: str = ""
    models: Sequence[str] = ()
    groups: str = ""
    key: str = ""

    def names(self) -> set[str]:
        """Return all names of columns."""
        return {self.truth, self.groups, self.key, *self.models} - {""}


@dataclass
class Predictions:
    """Labels of items: the true ones, and those of each model.

    Attributes
    ----------
    truth : str
        The name of the column of true labels.
    labels : list of list of str
        The true labels, then those of each model.
    models : list of str
        The names of the models.
    groups : list of str or None
        The group of each item.
    notes : list of str
        How the columns were chosen.
    """

    truth: str
    labels: list[list[str]]
    models: list[str]
    groups: list[str] | None = None
    notes: list[str] = field(default_factory=list)


# The columns of one table


def choose(table: Table, named: Named) -> Predictions:
    """Return the labels in the columns that are named or that cannot be meant otherwise."""
    truth = _truth(table, named)
    refuse_absent(table, [truth, *named.models, named.groups])
    _refuse_scores(table, truth)
    models = _named_models(table, named.models)
    if not models:
        models = _models_by_labels(table, truth)
    chosen = [truth, *models]
    _refuse_missing(table, chosen)
    _refuse_strange_models(table, truth, models)
    labels = spelled_alike([table.columns[name] for name in chosen])
    predictions = Predictions(truth, labels, models)
    if named.groups:
        _refuse_missing(table, [named.groups])
        predictions.groups = table.columns[named.groups]
    else:
        predictions.notes = _notes_on_groups(table)
    return _repeated(table, predictions)


def _truth(table: Table, named: Named) -> str:
    """Return the column of the truth: by name, or the only one that can be it."""
    truth: str | None = named.truth
    if not truth:
        truth = truth_by_name(table)
    if truth is None:
        truth = truth_by_rest(table)
    if truth is None:
        listed = checks.listing(list(table.columns))
        question = "which column is the truth? name it with --true"
        raise ValueError(f"{table.file}: {question}; got the columns {listed}")
    return truth


def truth_by_name(table: Table) -> str | None:
    """Return the one column that is called the truth; several columns are one if they agree."""
    names = table.with_role("truth") or table.with_role("label")
    if not names:
        return None
    first = table.columns[names[0]]
    agree = all(table.columns[name] == first for name in names)
    return names[0] if agree else None


def truth_by_rest(table: Table) -> str | None:
    """Return the only column whose name says nothing, if others are called models."""
    rest = table.with_role("open")
    if len(rest) != 1 or table.with_role("truth", "label") or not table.with_role("model"):
        return None
    return rest[0]


def refuse_absent(table: Table, names: Iterable[str]) -> None:
    """Refuse names that no column has."""
    known = {*table.columns, *table.in_file.values()}
    for name in names:
        if name and name not in known:
            listed = checks.listing(list(table.columns))
            raise ValueError(
                f"{table.file}: no column is called {name!r}; got the columns {listed}"
            )


def _named_models(table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns of these names, which may be their names in one of two files."""
    models = []
    for name in dict.fromkeys(names):
        if name in table.columns:
            models.append(name)
        else:
            models += [column for column, own in table.in_file.items() if own == name]
    return models


def _models_by_labels(table: Table, truth: str) -> list[str]:
    """Return the columns that are called models, or else those with the labels of the truth."""
    true = table.columns[truth]
    called = [name for name in table.with_role("model") if name != truth]
    strange = [name for name in called if _share_known(table.columns[name], true) < 0.5]
    alike = []
    for name in table.with_role("open"):
        cells = table.columns[name]
        if name == truth:
            continue
        if _share_known(cells, true) == 1.0:
            alike.append(name)
        elif _is_other_coding(cells, true):
            strange.append(name)
    doubt = _doubt(called, alike)
    if strange:
        doubt = f"those of {strange[0]!r} are {_some(table.columns[strange[0]])}"
    if doubt:
        labels = f"{table.file}: the labels of the truth {truth!r} are {_some(true)}"
        question = "which columns are the models? name them with --pred"
        raise ValueError(f"{labels}; {doubt}; {question}")
    return called + alike


def _doubt(called: list[str], alike: list[str]) -> str:
    """Return why the models are not certain, if they are not."""
    models = called + alike
    if not models:
        return "no other column has them"
    if len(models) > 2 or (called and alike):
        return f"the columns {checks.listing(models)} may be models"
    return ""


def _share_known(cells: list[str], true: list[str]) -> float:
    """Return the share of a column's labels, except missing ones, that are classes of the truth."""
    classes = set(true)
    labels = [cell for cell in cells if not _is_missing(cell, classes)]
    if not labels:
        return 0.0
    spelled_labels, spelled_true = respelled([labels, true])
    known = set(spelled_true)
    return sum(label in known for label in spelled_labels) / len(labels)


def _is_other_coding(cells: list[str], true: list[str]) -> bool:
    """Tell if two columns say yes and no in different words, such as True and 1.0."""
    if _share_known(cells, true) > 0.0:
        return False
    words = {label.casefold() for label in {*cells, *true}}
    return all(re.sub(r"\.0*$", "", word) in _POSITIVE | _NEGATIVE for word in words)


def _notes_on_groups(table: Table) -> list[str]:
    """Return a note for each column of groups of items, such as documents."""
    doubt = "the items are treated as independent; if those with the same"
    return [
        f"{doubt} {name!r} are alike, name it with --groups"
        for name in table.with_role("group")
        if len(set(table.columns[name])) < len(table.lines)
    ]


# Labels


def spelled_alike(columns: list[list[str]]) -> list[list[str]]:
    """Return labels in which 1.0 and 1, and True and true, are one; a note names them."""
    before = _distinct(columns)
    if len(before) > _MOST_LABELS:
        got = f"{len(before):,} different labels, {_some(before)} among them"
        raise ValueError(f"{got}; are these scores or identifiers?")
    spelling = _spelling(before)
    if len(set(spelling.values())) < len(before):
        changed = [f"{x} as {y}" for x, y in sorted(spelling.items()) if x != y]
        warn(f"labels are read {', '.join(changed)}", IntervalWarning)
        return respelled(columns)
    _note_alike(before)
    return respelled(columns)


def _note_alike(labels: set[str]) -> None:
    """Warn of classes that may be meant as one."""
    words = [label for label in labels if _WHOLE.fullmatch(label) or label.casefold() in _TRUTH]
    if len({_TRUTH.get(label.casefold(), _whole(label)) for label in words}) < len(words):
        what = f"{_some(words)} are different classes"
        warn(f"{what}: not all labels are numbers", IntervalWarning)
    # An accent is a part of its letter, or a character after it.
    accented = [label for label in labels if not label.isascii()]
    if len({unicodedata.normalize("NFC", label) for label in accented}) < len(accented):
        warn("labels that look alike are different classes: accents differ", IntervalWarning)


def respelled(columns: list[list[str]]) -> list[list[str]]:
    """Return labels of which those that mean the same are written alike."""
    spelling = _spelling(_distinct(columns))
    return [[spelling[label] for label in column] for column in columns]


def _distinct(columns: list[list[str]]) -> set[str]:
    return set().union(*columns)


def _spelling(labels: set[str]) -> dict[str, str]:
    """Return how to write each label: whole numbers without ".0", truth values in small letters.

    If there is any other label, all are text and stay as they are.
    """
    if all(_WHOLE.fullmatch(label) for label in labels):
        return {label: _whole(label) for label in labels}
    if all(label.casefold() in _TRUTH for label in labels):
        return {label: label.casefold() for label in labels}
    return {label: label for label in labels}


def _whole(label: str) -> str:
    """Return "1" for "1.0"."""
    return label.partition(".")[0]


def in_order(labels: Iterable[str]) -> list[str]:
    """Return different labels in order: by size if all are whole numbers, otherwise as text."""
    distinct = set(labels)
    if all(_WHOLE.fullmatch(label) for label in distinct):
        return sorted(distinct, key=lambda label: (float(label), label))
    return sorted(distinct)


def positive_class(classes: Sequence[str]) -> str | None:
    """Return the one of two classes that is called positive, or whose opposite is negative."""
    if len(classes) > 2:
        return None
    positive = [name for name in classes if name.casefold() in _POSITIVE]
    if len(positive) == 1:
        return positive[0]
    other = [name for name in classes if name.casefold() not in _NEGATIVE]
    if len(classes) == 2 and len(other) == 1:
        return other[0]
    return None


def _is_missing(label: str, classes: set[str]) -> bool:
    """Tell if a label says that there is none. "none" may be a class of the truth."""
    word = label.casefold()
    return word in _MISSING and not (word == "none" and label in classes)


def _some(labels: Iterable[str]) -> str:
    """Return the first labels in order, as a message lists them."""
    return checks.listing(in_order(labels), 4)


# What is refused


def _refuse_scores(table: Table, truth: str) -> None:
    """Refuse a truth of too many different labels."""
    items = len(table.lines)
    classes = len(set(table.columns[truth]))
    if classes > _MOST_LABELS or (items > 9 and classes > items / 2):
        got = f"{truth!r} has {classes:,} different labels in {items:,} lines"
        raise ValueError(f"{table.file}: {got}; are these scores or identifiers?")


def _refuse_missing(table: Table, chosen: list[str]) -> None:
    """Refuse a line without a label in one of the columns."""
    classes = set(table.columns[chosen[0]])
    for name in chosen:
        cells = table.columns[name]
        missing = {cell for cell in set(cells) if _is_missing(cell, classes)}
        if missing:
            place = next(k for k, cell in enumerate(cells) if cell in missing)
            where = f"{table.file}, line {table.lines[place]}: column {name!r}"
            raise ValueError(f"{where}: the label is missing, got {cells[place]!r}")


def _refuse_strange_models(table: Table, truth: str, models: list[str]) -> None:
    """Refuse a model without a class of the truth; a note counts other labels that are none."""
    for name in models:
        labels, classes = respelled([table.columns[name], table.columns[truth]])
        known = set(classes)
        strange = [label for label in labels if label not in known]
        if len(strange) == len(labels):
            got = f"the labels of {name!r} are {_some(strange)}"
            of_truth = f"those of the truth {truth!r} are {_some(table.columns[truth])}"
            raise ValueError(f"{table.file}: {got}, {of_truth}")
        _refuse_other_case(table, name, truth, strange)
        if strange:
            what = f"labels of {name!r} that are no class of the truth"
            warn(f"{what}: {len(strange):,} ({_some(strange)})", IntervalWarning)


def _refuse_other_case(table: Table, name: str, truth: str, strange: list[str]) -> None:
    """Refuse labels that differ from those of the truth in case alone."""
    written = {label.casefold(): label for label in table.columns[truth]}
    for label in strange:
        if label.casefold() in written:
            got = f"{name!r} has {label!r}, the truth {truth!r} has {written[label.casefold()]!r}"
            raise ValueError(f"{table.file}: write labels alike: {got}")


def _repeated(table: Table, chosen: Predictions) -> Predictions:
    """Return the labels as often as the column of counts says, if there is one."""
    counts = table.with_role("count")
    if not counts:
        return chosen
    name = counts[0]
    times = [int(cell) for cell in table.columns[name]]
    items = sum(times)
    if items > _MOST_ITEMS:
        got = f"the column {name!r} adds up to {items:,} items"
        raise ValueError(f"{table.file}: {got}; at most {_MOST_ITEMS:,} are read")
    places = [place for place, number in enumerate(times) for _ in range(number)]
    chosen.labels = [[column[place] for place in places] for column in chosen.labels]
    if chosen.groups is not None:
        chosen.groups = [chosen.groups[place] for place in places]
    chosen.notes.append(f"each line counts as often as {name!r} says")
    return chosen
