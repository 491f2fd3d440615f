"""Read a file of predictions: delimited text or JSON becomes columns of text, a cell for each item.

Understood are CSV with any usual separator, columns between blanks, JSON lines, a JSON list of
objects, and JSON columns by name: lists, or values by line as pandas writes them. Dictionaries of
Python are read as JSON. `f1ci._columns` then says which column is what.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from f1ci._roles import Role, Roles, role_of, roles_of
from f1ci.data import checks

# A line of cells with its number.
Line: TypeAlias = tuple[int, list[str]]

_SEPARATORS = "\t;,|"


@dataclass
class Table:
    """The columns of a file.

    Attributes
    ----------
    file : str
        How messages call the file.
    columns : dict
        The cells of each column, without blanks at the ends, by its name.
    lines : list of int
        The line on which each item stands.
    roles : dict
        What each column holds, by its name and values.
    has_names : bool
        True if the file names its columns. Others are called "column 1", "column 2", ...
    in_file : dict
        How each column is called in its own file, if two files were joined.
    """

    file: str
    columns: dict[str, list[str]]
    lines: list[int]
    roles: Roles
    has_names: bool = True
    in_file: dict[str, str] = field(default_factory=dict)

    def with_role(self, *wanted: Role) -> list[str]:
        """Return the columns that hold one of these."""
        return [name for name, role in self.roles.items() if role in wanted]


def read(path: str, delimiter: str | None = None, names: Collection[str] = ()) -> Table:
    """Return the columns of a file. An error says in which line something is wrong.

    Parameters
    ----------
    path : str
        The path of the file; "-" is standard input.
    delimiter : str, optional
        The character between columns. By default it is found in the first line.
    names : collection of str, optional
        Names that the caller knows to be names of columns.
    """
    file = "standard input" if path == "-" else path
    text = _text(path, file)
    if re.match(r"\s*(\{|\[\s*\{)", text):
        return _table(file, _lines_of_json(text, file), has_names=True)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = list(_lines_of_text(text, delimiter or _separator(text), file))
    if not lines:
        raise ValueError(f"{file}: the file is empty")
    _check_widths(lines, file)
    is_named = not set(_stripped(lines[0][1])).isdisjoint(names)
    return _table(file, lines, is_named or _has_names(lines))


def _check_widths(lines: list[Line], file: str) -> None:
    """Refuse lines of other widths than the first; R gives no name to the names of the lines."""
    (_, head), *rows = lines
    names_lines = len({cells[0] for _, cells in rows}) == len(rows)
    is_index = names_lines and all(role_of(name) != "index" for name in head)
    if rows and is_index and all(len(cells) == len(head) + 1 for _, cells in rows):
        head.insert(0, "")
    for number, cells in rows:
        if len(cells) != len(head):
            got = f"{len(cells)} cells, the first line has {len(head)}"
            raise ValueError(f"{file}, line {number}: got {got}")


def _text(path: str, file: str) -> str:
    """Return the text of a file, in UTF-8 or, if it says so itself, in UTF-16."""
    with open(0 if path == "-" else path, "rb") as stream:  # noqa: PTH123
        data = stream.read()
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        number = 1 + data.count(b"\n", 0, error.start)
        what = "not UTF-8 text; a packed file must be unpacked first"
        raise ValueError(f"{file}, line {number}: {what}") from None


def _table(file: str, lines: list[Line], has_names: bool) -> Table:
    """Return the table of these lines, of which the first may hold names."""
    head = _stripped(lines[0][1])
    if not has_names:
        head = [f"column {k}" for k in range(1, len(head) + 1)]
    if len(set(head)) < len(head):
        got = checks.listing(head)
        raise ValueError(f"{file}: two columns have the same name, got the columns {got}")
    items = lines[1:] if has_names else lines
    if not items:
        raise ValueError(f"{file}: no rows below the header")
    columns = map(_stripped, zip(*(cells for _, cells in items), strict=True))
    named = dict(zip(head, columns, strict=True))
    return Table(file, named, [number for number, _ in items], roles_of(named), has_names)


def _stripped(cells: Sequence[str]) -> list[str]:
    """Return cells without blanks at their ends; equal labels become one object in memory."""
    stripped = {cell: cell.strip() for cell in set(cells)}
    return [stripped[cell] for cell in cells]


# Delimited text


def _separator(text: str) -> str:
    """Return the separator that cuts the first line into most cells; a tab if none does."""
    first = text.lstrip().partition("\n")[0]
    unquoted = re.sub('"[^"]*"', "", first)  # what is inside quotes separates nothing
    if any(mark in unquoted for mark in _SEPARATORS):
        return max(_SEPARATORS, key=unquoted.count)
    first_width, *widths = [len(cells) for _, cells in _lines_of_words(text)] or [0]
    same_width = len(set(widths)) == 1 and widths[0] in (first_width, first_width + 1)
    return " " if first_width > 1 and same_width else "\t"


def _lines_of_text(text: str, separator: str, file: str) -> Iterator[Line]:
    """Yield the cells of each line that is not empty: a spreadsheet may end in lines of commas."""
    if separator == " ":
        yield from _lines_of_words(text)
        return
    number = 1
    try:
        reader = csv.reader(
            io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True
        )
        for cells in reader:
            if any(map(str.strip, cells)):
                yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        what = str(error)
        if what == "unexpected end of data":
            what = "opens a quote that nothing closes"
        raise ValueError(f"{file}, line {number}: {what}") from None


def _lines_of_words(text: str) -> Iterator[Line]:
    """Yield the words of each line, with blanks between them, or inside quotes."""
    for number, line in enumerate(text.split("\n"), start=1):
        words = re.findall(r'"[^"]*"|\S+', line)
        if words:
            yield number, [word.strip('"') for word in words]


def _has_names(lines: list[Line]) -> bool:
    """Tell if the first line holds names and not labels.

    It holds labels if each of its cells stands in another line of its column too. Columns whose
    values are all different do not count.
    """
    (_, head), *rows = lines
    if any(role_of(cell) != "open" for cell in head):
        return True
    is_label = []
    for cell, *column in zip(head, *(cells for _, cells in rows), strict=True):
        values = set(column)
        if len(values) < len(column):
            is_label.append(cell.strip() in {value.strip() for value in values})
    return not is_label or not all(is_label)


# JSON


def _lines_of_json(text: str, file: str) -> list[Line]:
    """Return names and then a line for each object."""
    objects = _objects(text, file)
    names = list(dict.fromkeys(name for one in objects for name in one))
    lines: list[Line] = [(1, names)]
    for number, one in enumerate(objects, start=1):
        cells = [_cell(one.get(name)) for name in names]
        lines.append((number, cells))
    return lines


def _objects(text: str, file: str) -> list[dict[str, Any]]:
    """Return the objects of JSON lines, of a JSON list, or of columns by name."""
    try:
        whole = _parsed(text)
    except (ValueError, RecursionError):
        return _objects_of_lines(text, file)
    if isinstance(whole, dict):
        return _objects_of_columns(whole, file)
    for number, one in enumerate(whole, start=1):
        _check_object(one, number, file)
    return list(whole)


def _parsed(text: str) -> Any:
    """Return what a text of JSON holds, or one of Python's dictionaries."""
    if re.match(r"\s*\[?\s*\{\s*'", text):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(text.strip())
    return json.loads(text)


def _objects_of_columns(columns: dict[str, Any], file: str) -> list[dict[str, Any]]:
    """Return an object for each line of columns: lists, or values by the name of the line.

    What holds anything else is one object.
    """
    cells = list(columns.values())
    if not cells or not all(isinstance(one, (list, dict)) for one in cells):
        return [columns]
    by_line = [one if isinstance(one, dict) else dict(enumerate(one)) for one in cells]
    lines = by_line[0].keys()
    if any(one.keys() != lines for one in by_line):
        raise ValueError(f"{file}: the columns have different lengths, or names of lines")
    return [{name: one[line] for name, one in zip(columns, by_line, strict=True)} for line in lines]


def _objects_of_lines(text: str, file: str) -> list[dict[str, Any]]:
    """Return the object of each line that is not blank."""
    objects: list[dict[str, Any]] = []
    for line in filter(str.strip, text.splitlines()):
        number = len(objects) + 1
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            got = checks.short(line)
            raise ValueError(f"{file}: object {number} is not JSON, got {got}") from None
        _check_object(one, number, file)
        objects.append(one)
    return objects


def _check_object(one: object, number: int, file: str) -> None:
    if not isinstance(one, dict):
        got = checks.short(one)
        raise ValueError(f"{file}: object {number} must have names, got {got}")


def _cell(value: object) -> str:
    """Return a value of JSON as the text of a cell; null is an empty one.

    A list of one value is that value: harnesses log one response so.
    """
    if value is None:
        return ""
    if isinstance(value, list) and len(value) == 1:
        return _cell(value[0])
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value)
