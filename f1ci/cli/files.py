"""Read a file of predictions: its text becomes columns of labels, a cell for each item.

Understood are CSV with any usual separator, columns between blanks, JSON lines, a JSON list of
objects, and JSON columns by name: lists, or values by line as pandas writes them. Dictionaries of
Python are read as JSON.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from f1ci.cli import harness
from f1ci.cli.words import refuse, said_by
from f1ci.data import checks
from f1ci.types import IntervalWarning, warn

# A line of a file with its number; a blank line has no cells.
Line: TypeAlias = tuple[int, list[str]]

# Input that never ends is refused after so many bytes: labels of 50 million items.
MOST_BYTES = 2**30


class Row(NamedTuple):
    """The cells of a line that is not blank, and its place and number in the file."""

    place: int
    line: int
    cells: list[str]


@dataclass(eq=False)
class Column:
    """A column: its name, what the name says, its cells, and the lines of the file with them."""

    name: str
    says: str
    cells: list[str]
    lines: list[int]
    file: str
    in_file: str

    def at(self, places: Sequence[int]) -> Column:
        """Return the column of the items in these places."""
        cells = [self.cells[place] for place in places]
        return replace(self, cells=cells, lines=[self.lines[place] for place in places])

    def where(self, cell: str) -> str:
        """Return where a cell stands first: "a.csv: line 3"."""
        return f"{self.file}: line {self.lines[self.cells.index(cell)]}"

    def is_unnamed(self) -> bool:
        """Tell if this is an index to which a program gave no name."""
        return self.name.casefold().partition(":")[0] in ("", "unnamed")

    def repeats(self) -> bool:
        """Tell if a cell stands in two lines."""
        return len(set(self.cells)) < len(self.cells)

    def all_differ(self) -> bool:
        """Tell if the cells seem to name the items: four or more, all different."""
        return len(self.cells) > 3 and not self.repeats()


@dataclass
class Table:
    """The columns of a file, and the place of each item in it, at which blank lines count."""

    file: str
    columns: list[Column]
    places: Sequence[int]

    def __post_init__(self) -> None:
        """Refuse two columns of one name."""
        if len({column.name for column in self.columns}) < len(self.columns):
            got = f"got the columns {listing(self.columns)}"
            refuse(f"{self.file}: two columns have the same name", got)

    def called(self, name: str) -> list[Column]:
        """Return the columns of this name, which may be their name in one of two files."""
        found = [column for column in self.columns if column.name == name]
        found = found or [column for column in self.columns if column.in_file == name]
        got = f"got the columns {listing(self.columns)}"
        return found or refuse(f"{self.file}: no column is called {name!r}", got)


def listing(columns: Sequence[Column]) -> str:
    """Return the names of columns, as a message lists them."""
    return checks.listing([column.name for column in columns])


def text_of(path: str, file: str) -> str:
    """Return the text of a file; "-" is standard input."""
    data = bytearray()
    with open(0 if path == "-" else path, "rb") as stream:  # noqa: PTH123
        while chunk := stream.read(2**20):
            data += chunk
            if len(data) > MOST_BYTES:
                advice = "give the columns of labels alone, in a file that ends"
                refuse(f"{file}: there are more than {MOST_BYTES:,} bytes", advice)
    with_mark = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if with_mark else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace").replace("\ufffd", "\0")
        warn(f"{file} is not UTF-8 text, and is read as Windows-1252", IntervalWarning)
    if re.search("[\x00-\x08\x0e-\x1a]", text):
        advice = "unpack a packed file, or save the table as text in UTF-8"
        if file.endswith(".eval"):
            advice = "`inspect log dump` writes a log of Inspect as JSON"
        refuse(f"{file}: this is no text, it begins with {bytes(data[:8])!r}", advice)
    return unicodedata.normalize("NFC", text)


def table(text: str, file: str, delimiter: str | None) -> Table:
    """Return the columns of a text. An error says in which line something is wrong.

    Parameters
    ----------
    text : str
        The text of the file.
    file : str
        How messages call the file.
    delimiter : str, optional
        The character between columns. By default it is found in the first line.
    """
    is_json = re.match(r"\s*(\{|\[\s*\{)", text) is not None
    lines = _lines_of_json(text, file) if is_json else _lines(text, file, delimiter)
    rows = [Row(place, *line) for place, line in enumerate(lines) if line[1]]
    if not rows:
        refuse(f"{file}: the file is empty")
    head = _head(rows, file)
    has_names = is_json or _has_names(head, [row.cells for row in rows[1:]])
    start = rows[0].place if has_names else -1
    items = rows[has_names:]
    if not items:
        refuse(f"{file}: no rows below the header")
    if not has_names:
        head = [f"column {k}" for k in range(1, len(head) + 1)]
    return Table(file, _columns(head, items, file), [row.place - start for row in items])


def _columns(names: list[str], rows: list[Row], file: str) -> list[Column]:
    """Return the columns of these rows."""
    numbers = [row.line for row in rows]
    columns = zip(*(row.cells for row in rows), strict=True)
    return [
        Column(name, said_by(name), list(cells), numbers, file, name)
        for name, cells in zip(names, columns, strict=True)
    ]


def _head(rows: list[Row], file: str) -> list[str]:
    """Return the first line, to whose cells all others have one; R names no index."""
    head, *others = [row.cells for row in rows]
    is_index = len({cells[0] for cells in others}) == len(others) > 0
    one_more = all(len(cells) == len(head) + 1 for cells in others)
    if is_index and one_more and all(said_by(name) != "id" for name in head):
        return ["", *head]
    for _, line, cells in rows:
        if len(cells) != len(head):
            refuse(f"{file}: line {line} has {len(cells)} cells, the first line has {len(head)}")
    return head


def _has_names(head: list[str], rows: list[list[str]]) -> bool:
    """Tell if the first line holds names and not labels, which stand in other lines too.

    A column whose cells are all different holds no labels, and may have a name.
    """
    columns = list(zip(head, zip(*rows, strict=True), strict=False))
    labels = [(cell, column) for cell, column in columns if len(set(column)) < len(column)]
    has_name = any(said_by(pair[0]) for pair in columns if pair not in labels)
    return has_name or not labels or not all(cell in column for cell, column in labels)


# Delimited text


def _lines(text: str, file: str, delimiter: str | None) -> Iterator[Line]:
    """Yield the cells of each line; a spreadsheet may end in lines of commas, which are blank."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    separator = _separator(text) if delimiter is None else delimiter.replace("\\t", "\t")
    if len(separator) != 1:
        refuse(f"--delimiter must be one character, got {separator!r}")
    number = 1
    lines = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for cells in _words(text) if separator == " " else lines:
            stripped = [sys.intern(cell.strip()) for cell in cells]
            yield number, stripped if any(stripped) else []
            number = 1 + (number if separator == " " else lines.line_num)
    except csv.Error as error:
        what = str(error)
        if what == "unexpected end of data":
            what = "opens a quote that nothing closes"
        refuse(f"{file}: line {number} {what}")


def _separator(text: str) -> str:
    """Return the mark that cuts the first line into most cells, or a blank if the lines agree."""
    first = next(filter(str.strip, text.split("\n")), "")
    unquoted = re.sub('"[^"]*"', "", first)  # what is inside quotes separates nothing
    mark = max("\t;,|", key=unquoted.count)
    if mark in unquoted:
        return mark
    first_width, *widths = [len(words) for words in _words(text) if words] or [0]
    same_width = len(set(widths)) == 1 and widths[0] in (first_width, first_width + 1)
    return " " if first_width > 1 and same_width else "\t"


def _words(text: str) -> Iterator[list[str]]:
    """Yield the words of each line, with blanks between them, or inside quotes."""
    for line in text.split("\n"):
        yield [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]


# JSON


def _lines_of_json(text: str, file: str) -> Iterator[Line]:
    """Yield the names, and then the cells of each object."""
    objects = harness.rows(_objects(text, file), file)
    for k, one in enumerate(objects, start=1):
        if not isinstance(one, dict):
            refuse(f"{file}: object {k} must have names, got {checks.short(one)}")
    names = list(dict.fromkeys(name for one in objects for name in one))
    yield 0, [str(name).strip() for name in names]
    for k, one in enumerate(objects, start=1):
        yield k, [_cell(one.get(name)) for name in names]


def _objects(text: str, file: str) -> list[Any]:
    """Return the objects of a JSON list, of columns by name, or of the lines of a text."""
    whole = _parsed(text)
    if isinstance(whole, dict):
        return _rows_of_columns(whole, file)
    if whole is not None:
        return list(whole)
    lines = list(filter(str.strip, text.split("\n")))  # a string may hold other ends of lines
    objects = list(map(_parsed, lines))
    if None in objects:
        k = objects.index(None)
        refuse(f"{file}: object {k + 1} is not JSON, got {checks.short(lines[k])}")
    return objects


def _parsed(text: str) -> Any:
    """Return what a text of JSON holds, or one of Python's dictionaries; None if it is neither."""
    with suppress(ValueError, SyntaxError, RecursionError):
        of_python = re.match(r"\s*\[?\s*\{\s*'", text)
        return ast.literal_eval(text.strip()) if of_python else json.loads(text)
    return None


def _rows_of_columns(columns: dict[str, Any], file: str) -> list[Any]:
    """Return an object for each line of columns; what holds anything but columns is one object."""
    cells = list(columns.values())
    if not cells or not all(isinstance(one, (list, dict)) for one in cells) or "eval" in columns:
        return [columns]
    by_line = [one if isinstance(one, dict) else dict(enumerate(one)) for one in cells]
    if any(one.keys() != by_line[0].keys() for one in by_line):
        refuse(f"{file}: the columns have different lengths, or names of lines")
    return [dict(zip(columns, [one[k] for one in by_line], strict=True)) for k in by_line[0]]


def _cell(value: object) -> str:
    """Return a value of JSON as the text of a cell; null is an empty one.

    A list of one value is that value, because harnesses log one response so.
    """
    if isinstance(value, list) and len(value) == 1:
        return _cell(value[0])
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = value if isinstance(value, str) else json.dumps(value)
    return "" if value is None else sys.intern(text.strip())
