"""Choose the columns of a table of predictions in the open: the truth and the models.

What a person names is taken. Otherwise a column is the truth if its name says so. It is a model if
its name says so or, where no name does, if its labels are those of the truth. Where this leaves a
doubt, a sentence asks for the option that ends it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from f1ci.cli.files import Column, Table, listing
from f1ci.cli.words import alike_in_meaning, is_missing, number, refuse, some, spelling
from f1ci.data.checks import short
from f1ci.types import IntervalWarning, warn

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

_QUESTIONS = (
    "which column is the model? name it with --pred",
    "which columns are the models? name them with --pred",
)

# So many items have no use for a file that says how many a line stands for.
_MOST_ITEMS = 10**7


class Named(NamedTuple):
    """The columns that the person at the command line names; empty where the file is to say it."""

    truth: str = ""
    models: Sequence[str] = ()
    groups: str = ""
    counts: str = ""
    key: str | None = None


class Predictions(NamedTuple):
    """Labels of items: the true ones, and those of each model.

    Attributes
    ----------
    truth : str
        The name of the column of true labels.
    models : list of str
        The names of the models.
    labels : list of list of str
        The true labels, then those of each model.
    groups : list of str or None
        The group of each item.
    spelled : dict of str to str
        How each label of the file is written in `labels`.
    """

    truth: str
    models: list[str]
    labels: list[list[str]]
    groups: list[str] | None
    spelled: dict[str, str]


def chosen(table: Table, named: Named, wanted: int) -> Predictions:
    """Return the labels in the columns that are named or that cannot be meant otherwise.

    Parameters
    ----------
    table : Table
        The columns of one file, or of two.
    named : Named
        The columns that a person names.
    wanted : int
        The number of models, if no one names them.
    """
    # 1. The columns.
    truth = _only(table, named.truth) or _truth(table)
    _refuse_scores(truth)
    models = _named(table, named.models) or _models(table, truth, wanted)
    groups = _only(table, named.groups)
    counts = _only(table, named.counts) or _counts(table, [truth, *models])
    # 2. Their labels.
    _check_labels(truth, models, groups)
    if groups is None:
        _note_groups(table, [truth, *models])
    spelled = _spelled([truth, *models])
    # 3. A line may stand for several items.
    places = range(len(truth.cells)) if counts is None else _repeated(counts)
    columns = [truth, *models]
    labels = [[spelled[column.cells[place]] for place in places] for column in columns]
    of_items = None if groups is None else groups.at(places).cells
    return Predictions(truth.name, [model.name for model in models], labels, of_items, spelled)


def _only(table: Table, name: str) -> Column | None:
    """Return the one column of a name that a person gave, if one did."""
    if not name:
        return None
    column, *others = table.called(name)
    return refuse(f"{table.file}: the files differ in {name!r}") if others else column


def _named(table: Table, names: Sequence[str]) -> list[Column]:
    """Return the columns of these names, each once."""
    return list(dict.fromkeys(column for name in names for column in table.called(name)))


# The truth


def _truth(table: Table) -> Column:
    """Return the column that is called the truth, or ask for it."""
    question = f"{table.file}: which column is the truth? name it with --true"
    return truth_by_name(table) or refuse(question, f"got the columns {listing(table.columns)}")


def truth_by_name(table: Table) -> Column | None:
    """Return the one column that is called the truth; several columns are one if they agree."""
    of_name = {what: [x for x in table.columns if x.says == what] for what in ("truth", "label")}
    found = of_name["truth"] or of_name["label"]
    agree = all(column.cells == found[0].cells for column in found)
    return found[0] if found and agree else None


def _refuse_scores(truth: Column) -> None:
    """Refuse a truth of too many different labels."""
    items, classes = len(truth.cells), len(set(truth.cells))
    if classes > _MOST_LABELS or (items > 9 and classes > items / 2):
        got = f"{truth.name!r} has {classes:,} different labels in {items:,} lines"
        refuse(f"{truth.file}: {got}", "are these scores or identifiers?")


# The models


def _models(table: Table, truth: Column, wanted: int) -> list[Column]:
    """Return the columns that are called models, or else those with the labels of the truth."""
    called = [x for x in table.columns if x.says == "model" and x is not truth]
    others = [x for x in table.columns if x.says == "" and x is not truth]
    found = called or [x for x in others if _known(x, truth) == 1.0]
    strange = [x for x in called if _known(x, truth) < 0.5]
    if len(found) < wanted:
        strange = strange or [x for x in others if x not in found]
    if strange or len(found) != wanted:
        _ask_for_models(f"{table.file}: {_QUESTIONS[wanted > 1]}", truth, found, strange)
    return found


def _ask_for_models(
    question: str, truth: Column, found: list[Column], strange: list[Column]
) -> NoReturn:
    """Ask which columns are the models, with what speaks for and against some."""
    if strange:
        got = [f"the labels of {x.name!r} are {some(x.cells)}" for x in [truth, *strange[:3]]]
        refuse(question, *got)
    if found:
        refuse(question, f"got {listing(found)}")
    what = f"no column has the labels of the truth {truth.name!r}, {some(truth.cells)}"
    refuse(question, what)


def _known(column: Column, truth: Column) -> float:
    """Return the share of a column's labels, except missing ones, that are classes of the truth."""
    classes = set(truth.cells)
    labels = [cell for cell in column.cells if not is_missing(cell, classes)]
    spelled = spelling([*labels, *classes])
    known = {spelled[name] for name in classes}
    return sum(spelled[label] in known for label in labels) / max(1, len(labels))


# The labels


def _check_labels(truth: Column, models: list[Column], groups: Column | None) -> None:
    """Refuse labels that are missing, and models that cannot be those of this truth."""
    classes = set(truth.cells)
    for column in filter(None, [truth, *models, groups]):
        for cell in dict.fromkeys(column.cells):
            if is_missing(cell, classes):
                what = f"{column.where(cell)} has no label in {column.name!r}, it has {cell!r}"
                refuse(what, "leave the line out, or write the name of a class")
    for model in models:
        if model is truth:
            refuse(f"{truth.file}: {truth.name!r} is the truth", "name another column with --pred")
        _check_classes(model, truth)


def _check_classes(model: Column, truth: Column) -> None:
    """Refuse a model without a class of the truth; a note counts other labels that are none."""
    spelled = spelling([*model.cells, *truth.cells])
    known = {spelled[cell] for cell in set(truth.cells)}
    strange = [cell for cell in model.cells if spelled[cell] not in known]
    if len(strange) == len(model.cells):
        what = f"the labels of {model.name!r} are {some(strange)}"
        of_truth = f"those of the truth {truth.name!r} are {some(truth.cells)}"
        refuse(f"{model.file}: {what}", f"{of_truth}; write them alike")
    _refuse_other_case(model, strange, truth)
    if strange:
        labels = f"{number(len(strange), 'label')} of {model.name!r} ({some(strange)})"
        is_ = "is" if len(strange) == 1 else "are"
        warn(f"{labels} {is_} no class of the truth", IntervalWarning)


def _refuse_other_case(model: Column, strange: list[str], truth: Column) -> None:
    """Refuse labels that differ from those of the truth in case alone."""
    written = {label.casefold(): label for label in set(truth.cells)}
    for cell in dict.fromkeys(strange):
        if cell.casefold() in written:
            what = f"{model.where(cell)}: {short(cell)} in {model.name!r} is written in another way"
            refuse(f"{what} in the truth, {short(written[cell.casefold()])}", "write both alike")


def _spelled(columns: list[Column]) -> dict[str, str]:
    """Return how to write each label, so that those that mean the same are one; a note says so."""
    labels = {cell for column in columns for cell in column.cells}
    if len(labels) > _MOST_LABELS:
        got = f"{len(labels):,} different labels, {some(labels)} among them"
        refuse(f"{columns[0].file}: {got}", "are these scores or identifiers?")
    spelled = spelling(labels)
    changed = [f"{x} as {y}" for x, y in sorted(spelled.items()) if x != y]
    if len(set(spelled.values())) < len(labels):
        warn(f"labels are read {', '.join(changed)}", IntervalWarning)
    alike = alike_in_meaning(spelled.values())
    if alike:
        warn(f"{some(alike)} are different classes: not all labels are numbers", IntervalWarning)
    return spelled


# Groups and counts


def _note_groups(table: Table, used: list[Column]) -> None:
    """Note columns of groups of items, such as documents."""
    for column in table.columns:
        if column.says in ("group", "id") and column.repeats() and column not in used:
            same = f"if those with the same {column.name!r} are alike, name it with --groups"
            warn(f"the items are treated as independent; {same}", IntervalWarning)


def _counts(table: Table, used: list[Column]) -> Column | None:
    """Return the column that says how many items a line stands for, if its name says so.

    It does not if a column names the items; and a person is asked if one may do so.
    """
    *others, counts = sorted(table.columns, key=lambda column: column.says == "count")
    if counts.says != "count" or counts in used:
        return None
    name = counts.name
    ids = [column.name for column in others if column.says == "id" and not column.is_unnamed()]
    if ids:
        what = f"each line is one item, because {ids[0]!r} names them"
        advice = f"if {name!r} says how many items a line stands for, name it with --count"
        warn(f"{what}; {advice}", IntervalWarning)
        return None
    if _numbers_lines(counts) or any(map(_may_name_items, others)):
        question = f"{table.file}: does {name!r} say how many items a line stands for?"
        refuse(f"{question} then name it with --count", "otherwise give it another name")
    warn(f"each line counts as often as {name!r} says", IntervalWarning)
    return counts


def _numbers_lines(column: Column) -> bool:
    """Tell if the cells are 0, 1, 2, ... or 1, 2, 3, ... in any order."""
    lines = range(len(column.cells) + 1)
    return sorted(column.cells) in (sorted(map(str, lines[:-1])), sorted(map(str, lines[1:])))


def _may_name_items(column: Column) -> bool:
    """Tell if a column beside one of counts leaves a doubt about it."""
    return column.is_unnamed() or column.all_differ() or column.says == "count"


def _repeated(counts: Column) -> list[int]:
    """Return the place of each line, as often as its count says."""
    for cell in dict.fromkeys(counts.cells):
        if not re.fullmatch(r"[0-9]+(\.0*)?", cell):
            what = f"{counts.where(cell)} has {short(cell)} in {counts.name!r}"
            refuse(what, "a number of items is a whole number of at least 0")
    times = [int(cell.partition(".")[0]) for cell in counts.cells]
    items = sum(times)
    if not 0 < items <= _MOST_ITEMS:
        what = f"{counts.file}: the column {counts.name!r} adds up to {items:,} items"
        refuse(f"{what}, not to 1 to {_MOST_ITEMS:,}", "give their matrix to f1ci.Matrix")
    return [place for place, often in enumerate(times) for _ in range(often)]
