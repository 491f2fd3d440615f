"""Join two files of predictions: by a column that names the items, or line by line.

One file may lack the truth. If both have it, their true labels must be the same. Another column of
both files stays one column if it names the items, or if it holds no labels and is the same in each
item. Otherwise it becomes two, which are called by their files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from f1ci.cli.columns import Named, truth_by_name
from f1ci.cli.files import Column, Table
from f1ci.cli.words import number, refuse, said_by, spelling
from f1ci.results import IntervalWarning, warn

# The places of the common items in the first file and in the second.
Places: TypeAlias = tuple[Sequence[int], Sequence[int]]

_CURE = 'give both files a column "id" that names the items'


def joined(one: Table, other: Table, named: Named) -> Table:
    """Return one table of the items of two files."""
    file = f"{one.file} and {other.file}"
    names = distinct_names(one.file, other.file)
    _name_by_files(one, other, names)
    key = _key(one, other, named.key)
    if key is None:
        places, how = _by_line(one, other, file)
    else:
        places, how = _by_key(*key, file, asked=named.key is not None)
        key[0].says = key[1].says = "id"
    for table, of_file in zip((one, other), places, strict=True):
        table.columns = [column.at(of_file) for column in table.columns]
    truths = [_truth_in(table, named.truth) for table in (one, other)]
    for truth in filter(None, truths):
        truth.says = "truth"
    if truths[0] and truths[1]:
        _refuse_other_truth(truths[0], truths[1], file, by_line=key is None)
        other.columns.remove(truths[1])
    elif key is None:
        how += "; nothing in the files confirms that their lines are in the same order"
    warn(how, IntervalWarning)
    _name_apart(one, other, names, named.models)
    return Table(file, one.columns + other.columns, one.places)


def distinct_names(one: str, other: str) -> list[str]:
    """Return names of two files: without folders and endings, if that tells them apart."""
    names = [Path(one).stem, Path(other).stem]
    return names if names[0] != names[1] else [one, other]


def _name_by_files(one: Table, other: Table, names: Sequence[str]) -> None:
    """Call the columns by their files if each file has one, without a name or with the same."""
    labels = [[x for x in table.columns if x.says != "id"] for table in (one, other)]
    if [len(columns) for columns in labels] == [1, 1]:
        columns = [column for (column,) in labels]
        for column, name in zip(columns, names, strict=True):
            if columns[0].in_file == columns[1].in_file:
                column.name = name
                column.says = said_by(Path(name).stem)


def _name_apart(one: Table, other: Table, names: Sequence[str], models: Sequence[str]) -> None:
    """Call columns of one name by their files; the second goes if it says nothing new."""
    labels = [[x for x in table.columns if x.says in ("model", "")] for table in (one, other)]
    for twins in [(x, y) for x in one.columns for y in other.columns if x.name == y.name]:
        says_nothing = twins[0].cells == twins[1].cells and twins[0] not in labels[0]
        if twins[0].name not in models and (twins[0].says == "id" or says_nothing):
            other.columns.remove(twins[1])
            continue
        for column, of_file, name in zip(twins, labels, names, strict=True):
            column.name = f"{column.name} ({name})" if len(of_file) > 1 else name


# The items of both


def _key(one: Table, other: Table, asked: str | None) -> tuple[Column, Column] | None:
    """Return the columns that name the items in both files; None if there are none."""
    if asked is not None:
        return one.called(asked)[0], other.called(asked)[0]
    pairs = [(x, y) for x in one.columns for y in other.columns if x.name == y.name]
    keys = [(x, y) for x, y in pairs if x.says == "id" or (x.all_differ() and y.all_differ())]
    # One with each value once comes first, and one without a name last.
    keys.sort(key=lambda key: (any(map(_twice, key)), key[0].is_unnamed()))
    return keys[0] if keys else None


def _twice(column: Column) -> list[str]:
    """Return the values that a column has more than once."""
    return [value for value, times in Counter(column.cells).items() if times > 1]


def _by_key(one: Column, other: Column, file: str, asked: bool) -> tuple[Places, str]:
    """Return the places of the items that a column names in both files, and how it did."""
    what = f"the column {one.in_file!r}"
    for column in (one, other):
        for value in _twice(column):
            advice = "leave one of the lines out, or name another column of both with --on"
            refuse(f"{what} names {value!r} twice in {column.file}", advice)
    write = spelling([*one.cells, *other.cells])
    ids = [[write[cell] for cell in column.cells] for column in (one, other)]
    place = {value: k for k, value in enumerate(ids[1])}
    common = [k for k, value in enumerate(ids[0]) if value in place]
    if not common:
        refuse(f"{file}: {what} has no value in common", f"got {ids[0][0]!r} and {ids[1][0]!r}")
    alone = len(ids[0]) + len(ids[1]) - 2 * len(common)
    how = f"matched by {one.in_file!r}"
    if alone:
        if not asked:
            _refuse_other_numbers(one.in_file, ids, file)
        how += f"; {alone:,} {'item is' if alone == 1 else 'items are'} in one file only"
        how += ", and left out"
    return (common, [place[ids[0][k]] for k in common]), how


def _refuse_other_numbers(name: str, ids: list[list[str]], file: str) -> None:
    """Refuse columns that number the lines of their files, but from or to another number."""
    first, second = map(_ends, ids)
    if first and second:
        what = f"the column {name!r} numbers {first} in the first file and {second} in the second"
        refuse(f"{file}: {what}", f"if equal numbers are one item, give --on {name!r}")


def _ends(values: Sequence[str]) -> str:
    """Return "1 to 40" of whole numbers without a gap; otherwise nothing."""
    if not all(value.isdecimal() for value in values):
        return ""
    numbers = sorted(map(int, values))
    return f"{numbers[0]} to {numbers[-1]}" * (numbers[-1] - numbers[0] == len(numbers) - 1)


def _by_line(one: Table, other: Table, file: str) -> tuple[Places, str]:
    """Return the places of the items, which stand in the same lines of both files."""
    m, n = len(one.places), len(other.places)
    if m != n:
        refuse(f"{file}: the files have {m:,} and {n:,} items", _CURE)
    unlike = [k for k in range(m) if one.places[k] != other.places[k]]
    if unlike:
        lines = [table.columns[0].lines[unlike[0]] for table in (one, other)]
        what = f"item {unlike[0] + 1:,} stands in line {lines[0]:,} and in line {lines[1]:,}"
        refuse(f"{file}: {what}, because of blank lines", f"write a word there, or {_CURE}")
    return (range(m), range(m)), "matched line by line"


# The truth in both


def _truth_in(table: Table, name: str) -> Column | None:
    """Return the column of the truth in one of the files, if it has one."""
    if not name:
        return truth_by_name(table)
    return next((column for column in table.columns if column.name == name), None)


def _refuse_other_truth(one: Column, other: Column, file: str, by_line: bool) -> None:
    """Refuse two files whose true labels differ."""
    write = spelling([*one.cells, *other.cells])
    unlike = [k for k, cell in enumerate(one.cells) if write[cell] != write[other.cells[k]]]
    if unlike:
        k = unlike[0]
        what = f"the true labels differ in {number(len(unlike), 'item')} of {len(one.cells):,}"
        got = f"one has {one.cells[k]!r} in line {one.lines[k]:,}"
        got += f", the other {other.cells[k]!r} in line {other.lines[k]:,}"
        question = f"are the lines in another order? {_CURE}"
        refuse(f"{file}: {what}", got, question if by_line else "leave one of the columns out")
