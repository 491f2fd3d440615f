"""Join two files of predictions: by a column that names the items, or line by line.

One file may lack the truth. If both have it, their true labels must be the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from f1ci import _columns
from f1ci._columns import Named
from f1ci._files import Table
from f1ci._roles import all_different, role_of


@dataclass
class _File:
    """One of two files: its name, its table, and which column is the truth.

    The places are those of the common items.
    """

    name: str
    table: Table
    truth: str | None = None
    places: Sequence[int] = ()

    def cells(self, name: str) -> list[str]:
        """Return the cells of the common items in a column."""
        column = self.table.columns[name]
        return [column[place] for place in self.places]


def joined(one: Table, other: Table, named: Named) -> tuple[Table, list[str]]:
    """Return one table of the items of two files, and notes."""
    names = distinct_names([one.file, other.file])
    first = _File(names[0], one)
    second = _File(names[1], other)
    _name_by_files(first, second)
    _find_truths(first, second, named)
    notes = _match(first, second, named)
    origins = _origins(first, second, named)
    table = Table(
        file=f"{one.file} and {other.file}",
        columns={new: file.cells(name) for new, (file, name) in origins.items()},
        lines=[one.lines[place] for place in first.places],
        roles={new: file.table.roles[name] for new, (file, name) in origins.items()},
        in_file={new: name for new, (_, name) in origins.items()},
    )
    return table, notes


def _origins(first: _File, second: _File, named: Named) -> dict[str, tuple[_File, str]]:
    """Return the names of the columns in the joined table, and where each comes from.

    The truth comes from the first file that has it.
    """
    origins: dict[str, tuple[_File, str]] = {}
    for file in (second, first):
        if file.truth is not None:
            origins = {file.truth: (file, file.truth)}
    for file, other in ((first, second), (second, first)):
        for name, new in _new_names(file, other, named).items():
            origins.setdefault(new, (file, name))
    return origins


def _name_by_files(first: _File, second: _File) -> None:
    """Call the columns by their files if each file has one, without a name or with the same."""
    files = (first, second)
    lone = [[x for x, role in file.table.roles.items() if role != "index"] for file in files]
    if any(len(names) != 1 for names in lone):
        return
    same = lone[0] == lone[1]
    for file, (name,) in zip(files, lone, strict=True):
        if same or not file.table.has_names:
            columns = file.table.columns
            file.table.columns = {file.name if x == name else x: columns[x] for x in columns}
            del file.table.roles[name]
            file.table.roles[file.name] = role_of(Path(file.table.file).stem)


def _find_truths(first: _File, second: _File, named: Named) -> None:
    """Find the column of the truth in each file. One file may lack it."""
    files = (first, second)
    for file in files:
        if not named.truth:
            file.truth = _columns.truth_by_name(file.table)
        elif named.truth in file.table.columns:
            file.truth = named.truth
    if not named.truth and first.truth is None and second.truth is None:
        for file in files:
            file.truth = _columns.truth_by_rest(file.table)
    if first.truth is None and second.truth is None:
        called = repr(named.truth) if named.truth else "the truth"
        where = f"{first.table.file} and {second.table.file}"
        advice = "" if named.truth else "; name it with --true"
        raise ValueError(f"{where}: neither file has a column that is called {called}{advice}")


def _new_names(file: _File, other: _File, named: Named) -> dict[str, str]:
    """Return what the columns except the truth and identifiers are called in the joined table."""
    models = file.table.with_role("model", "open")
    wanted = {named.groups, *named.models}
    names = {}
    for name, role in file.table.roles.items():
        if name == file.truth or (role == "index" and name not in wanted):
            continue
        shared = name in other.table.columns and name != named.groups
        by_file = f"{name} ({file.name})" if len(models) > 1 else file.name
        names[name] = by_file if shared or name == other.truth else name
    return names


# The items of both


def _key(first: _File, second: _File, named: Named) -> str | None:
    """Return the column that names the items in both files; None if there is none."""
    if named.key:
        for file in (first, second):
            _columns.refuse_absent(file.table, [named.key])
        return named.key
    common = [name for name in first.table.columns if _names_items(name, first, second)]
    common.sort(key=lambda name: not name or name.casefold().startswith("unnamed"))
    for name in common:
        if _repeated(first, name) is None and _repeated(second, name) is None:
            return name
    return common[0] if common else None


def _names_items(name: str, first: _File, second: _File) -> bool:
    """Tell if a column of both files is an index by its name, or has no value twice."""
    if name not in second.table.columns:
        return False
    columns = (first.table.columns[name], second.table.columns[name])
    return first.table.roles[name] == "index" or all(map(all_different, columns))


def _repeated(file: _File, name: str) -> str | None:
    """Return a value that a column has twice."""
    value, times = Counter(file.table.columns[name]).most_common(1)[0]
    return value if times > 1 else None


def _match(first: _File, second: _File, named: Named) -> list[str]:
    """Find the items of both files; return notes."""
    key = _key(first, second, named)
    notes = _match_lines(first, second) if key is None else _match_by(key, first, second)
    if first.truth is not None and second.truth is not None:
        _refuse_other_truth(first.cells(first.truth), second.cells(second.truth), key)
    return notes


def _match_by(key: str, first: _File, second: _File) -> list[str]:
    """Match the items by a column that names them in both files."""
    _refuse_repeated(first, key)
    _refuse_repeated(second, key)
    of_first = first.table.columns[key]
    place = {value: k for k, value in enumerate(second.table.columns[key])}
    first.places = [k for k, value in enumerate(of_first) if value in place]
    second.places = [place[of_first[k]] for k in first.places]
    if not first.places:
        where = f"{first.table.file} and {second.table.file}"
        raise ValueError(f"{where}: the column {key!r} has no value in common")
    alone = len(of_first) + len(place) - 2 * len(first.places)
    left_out = f"; items in one file only are left out: {alone:,}" if alone else ""
    return [f"matched by {key!r}{left_out}"]


def _refuse_repeated(file: _File, key: str) -> None:
    """Refuse a column that does not name the items."""
    value = _repeated(file, key)
    if value is not None:
        raise ValueError(f"{file.table.file}: the column {key!r} names {value!r} twice")


def _match_lines(first: _File, second: _File) -> list[str]:
    """Match the items line by line; return a note that says so."""
    items = len(first.table.lines)
    if items != len(second.table.lines):
        got = f"{items:,} and {len(second.table.lines):,} items"
        where = f"{first.table.file} and {second.table.file}"
        raise ValueError(f"{where}: the files have {got}; name a column of both with --on")
    first.places = range(items)
    second.places = range(items)
    if first.truth is not None and second.truth is not None:
        return ["matched line by line"]
    doubt = "nothing in the files confirms that their lines are in the same order"
    return [f"matched line by line; {doubt}"]


def _refuse_other_truth(true: list[str], other: list[str], key: str | None) -> None:
    """Refuse two files whose true labels differ."""
    one, two = _columns.respelled([true, other])
    unlike = sum(x != y for x, y in zip(one, two, strict=True))
    if unlike:
        what = f"the true labels of the two files differ in {unlike:,} of {len(true):,} items"
        if key is None:
            what += "; are their lines in another order? name a column of both with --on"
        raise ValueError(what)


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Return names of files that tell them apart: without folders and endings, if that does."""
    names = [Path(path).stem for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(paths)) == len(paths):
        return list(paths)
    return [f"{path} ({k})" for k, path in enumerate(paths, start=1)]  # one file twice
