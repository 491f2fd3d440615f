"""Join two files of predictions: by a column that names the items, or line by line.

One file may lack the truth. If both have it, their true labels must be the same. Another column of
both files stays one column if it names the items, or if it holds no labels and is the same in each
item. Otherwise it becomes two, which are called by their files.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeAlias

from f1ci.cli.columns import Named, truth_by_name
from f1ci.cli.files import Column, Table
from f1ci.cli.words import number, refuse, said_by, spelling
from f1ci.data.checks import short
from f1ci.types import IntervalWarning, warn

# The places of the common items in the first file and in the second.
Places: TypeAlias = tuple[Sequence[int], Sequence[int]]

_CURE = 'give both files a column "id" that names the items'


def joined(one: Table, other: Table, named: Named) -> Table:
    """Return one table of the items of two files."""
    tables = (one, other)
    names = distinct_names(one.file, other.file)
    _name_by_files(tables, names)
    key = _key(one, other, named.key)
    places = _by_line(one, other) if key is None else _by_key(*key, asked=named.key is not None)
    for table, of_file in zip(tables, places, strict=True):
        table.columns = [column.at(of_file) for column in table.columns]
    has_truths = _are_truths_one(one, other, named.truth, by_line=key is None)
    if key is None:
        doubt = "; nothing in the files confirms that their lines are in the same order"
        warn(f"matched line by line{'' if has_truths else doubt}", IntervalWarning)
    _name_apart(one, other, names, named)
    return Table(_both(one, other), one.columns + other.columns, one.places)


def _both(one: Table | Column, other: Table | Column) -> str:
    """Return how messages call two files."""
    return f"{one.file} and {other.file}"


def distinct_names(one: str, other: str) -> list[str]:
    """Return names of two files: without folders and endings, if that tells them apart."""
    names = [Path(one).stem, Path(other).stem]
    return names if names[0] != names[1] else [one, other]


def _name_by_files(tables: Sequence[Table], names: Sequence[str]) -> None:
    """Call the columns by their files if each file has one, without a name or with the same."""
    one, other = [[x for x in table.columns if x.says != "id"] for table in tables]
    if len(one) == len(other) == 1 and one[0].name == other[0].name:
        for (column,), name in zip((one, other), names, strict=True):
            column.name = name
            column.says = said_by(Path(name).stem)


def _name_apart(one: Table, other: Table, names: Sequence[str], named: Named) -> None:
    """Call columns of one name by their files; the second goes if it says nothing new."""
    labels = [
        [x for x in table.columns if x.says in ("model", "") or x.name in named.models]
        for table in (one, other)
    ]
    for left, right in _pairs(one, other):
        is_index = left.says == "id" and left.name != named.groups
        if left not in labels[0] and (is_index or left.cells == right.cells):
            other.columns.remove(right)
            continue
        for column, of_file, name in zip((left, right), labels, names, strict=True):
            column.name = name if of_file == [column] else f"{column.name} ({name})"


def _pairs(one: Table, other: Table) -> list[tuple[Column, Column]]:
    """Return the columns that have the same name in both files."""
    return [(x, y) for x in one.columns for y in other.columns if x.name == y.name]


# The items of both


def _key(one: Table, other: Table, asked: str | None) -> tuple[Column, Column] | None:
    """Return the columns that name the items in both files; None if there are none."""
    if asked is not None:
        return one.called(asked)[0], other.called(asked)[0]
    pairs = [(x, y) for x, y in _pairs(one, other) if not (x.repeats() and y.repeats())]
    keys = [(x, y) for x, y in pairs if x.says == "id" or (x.all_differ() and y.all_differ())]
    # One with each value once comes first, and one without a name last.
    keys.sort(key=lambda key: (any(x.repeats() for x in key), key[0].is_unnamed()))
    return keys[0] if keys else None


def _by_key(one: Column, other: Column, asked: bool) -> Places:
    """Return the places of the items that a column names in both files."""
    write = spelling([*one.cells, *other.cells])
    first, second = [_place_by_name(column, write) for column in (one, other)]
    common = [name for name in first if name in second]
    alone = len(first) + len(second) - 2 * len(common)
    if not common:
        got = f"got {short(one.cells[0])} and {short(other.cells[0])}"
        refuse(f"{_both(one, other)}: the column {one.in_file!r} has no value in common", got)
    if alone and not asked:
        _refuse_other_numbers(one, other, _ends(first), _ends(second))
    _note_match(one.in_file, alone)
    one.says = other.says = "id"
    return [first[name] for name in common], [second[name] for name in common]


def _note_match(name: str, alone: int) -> None:
    """Say how the items were matched, and how many of them were not."""
    items = "1 item is" if alone == 1 else f"{alone:,} items are"
    left_out = f"; {items} in one file only, and left out" if alone else ""
    warn(f"matched by {name!r}{left_out}", IntervalWarning)


def _place_by_name(column: Column, write: dict[str, str]) -> dict[str, int]:
    """Return where each item stands."""
    places: dict[str, int] = {}
    for place, cell in enumerate(column.cells):
        if write[cell] in places:
            what = f"the column {column.in_file!r} names {short(cell)} twice in {column.file}"
            refuse(what, "leave out one of the lines, or name another column with --on")
        places[write[cell]] = place
    return places


def _refuse_other_numbers(one: Column, other: Column, first: str, second: str) -> None:
    """Refuse columns that number the lines of their files, but from or to another number."""
    if first and second:
        what = f"the column {one.in_file!r} numbers {first} in one file and {second} in the other"
        advice = f"if equal numbers are one item, give --on {one.in_file!r}"
        refuse(f"{_both(one, other)}: {what}", advice)


def _ends(names: Collection[str]) -> str:
    """Return "1 to 40" of whole numbers without a gap; otherwise nothing."""
    if not all(name.isdecimal() for name in names):
        return ""
    numbers = sorted(map(int, names))
    return f"{numbers[0]} to {numbers[-1]}" * (numbers[-1] - numbers[0] == len(numbers) - 1)


def _by_line(one: Table, other: Table) -> Places:
    """Return the places of the items, which stand in the same lines of both files."""
    m, n = len(one.places), len(other.places)
    if m != n:
        refuse(f"{_both(one, other)}: the files have {m:,} and {n:,} items", _CURE)
    _refuse_other_blanks(one, other)
    _refuse_other_order(one, other)
    return range(m), range(m)


def _refuse_other_blanks(one: Table, other: Table) -> None:
    """Refuse files in which an item stands before and after a blank line."""
    pairs = zip(one.places, other.places, strict=True)
    k = next((k for k, (x, y) in enumerate(pairs) if x != y), None)
    if k is not None:
        first, second = [table.columns[0].lines[k] for table in (one, other)]
        what = f"item {k + 1:,} stands in line {first:,} and in line {second:,}"
        advice = f"write a word into each blank line, or {_CURE}"
        refuse(f"{_both(one, other)}: {what}, because of blank lines", advice)


def _refuse_other_order(one: Table, other: Table) -> None:
    """Refuse lines that are those of other units in the second file."""
    for x, y in _pairs(one, other):
        if x.says in ("id", "group") and x.cells != y.cells:
            what = f"{_both(one, other)}: the lines differ in {x.name!r}"
            refuse(what, f"are they in another order? {_CURE}")


# The truth in both


def _are_truths_one(one: Table, other: Table, name: str, by_line: bool) -> bool:
    """Tell if both files have the truth, of which one column stays."""
    truths = [_truth_in(table, name) for table in (one, other)]
    if truths[0] is None or truths[1] is None:
        return False
    _refuse_other_truth(truths[0], truths[1], by_line)
    other.columns.remove(truths[1])
    return True


def _truth_in(table: Table, name: str) -> Column | None:
    """Return the column of the truth in one of the files, if it has one."""
    if not name:
        return truth_by_name(table)
    named = [column for column in table.columns if column.name == name]
    for column in named:
        column.says = "truth"
    return named[0] if named else None


def _refuse_other_truth(one: Column, other: Column, by_line: bool) -> None:
    """Refuse two files whose true labels differ."""
    write = spelling([*one.cells, *other.cells])
    unlike = [k for k, cell in enumerate(one.cells) if write[cell] != write[other.cells[k]]]
    if unlike:
        what = f"the true labels differ in {number(len(unlike), 'item')} of {len(one.cells):,}"
        got = [f"{short(x.cells[unlike[0]])} in line {x.lines[unlike[0]]:,}" for x in (one, other)]
        question = f"are the lines in another order? {_CURE}"
        advice = question if by_line else "leave out one of the two columns of true labels"
        refuse(f"{_both(one, other)}: {what}", f"the first is {' and '.join(got)}", advice)
