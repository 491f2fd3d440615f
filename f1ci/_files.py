"""Read the files of the command line: tables with a header line, one label in a cell."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from f1ci import _validation
from f1ci.results import IntervalWarning

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

# A longer line is no line of a table.
LONGEST_LINE = 1 << 20

_MISSING = {"", "na", "nan", "none", "null", "<na>"}


def models(options: Any) -> tuple[list[str], dict[str, list[str]], list[str] | None]:
    """Return the truth, the predictions of each model, and groups, from one file or two."""
    names = options.pred
    if options.file_b is None:
        if len(names) < 2 or options.on is not None:
            raise ValueError(f"one file needs --pred A B and no --on, got --pred {' '.join(names)}")
        if len(set(names)) < len(names):
            raise ValueError(f"--pred must name different columns, got {' '.join(names)}")
        table = columns(options, [options.true, *names])
        groups = table.pop(options.groups, None)
        return table[options.true], {name: table[name] for name in names}, groups
    if options.on is None or len(names) > 2:
        raise ValueError("two files need --on COLUMN and --pred with one name or two")
    paths = options.file, options.file_b
    extra = [options.true, *([options.groups] if options.groups else [])]
    first = _by_key(paths[0], options, [names[0], *extra])
    second = _by_key(paths[1], options, [names[-1]])
    both = [key for key in first if key in second]
    if not both:
        raise ValueError(f"no {options.on} of {paths[0]} occurs in {paths[1]}")
    for path, rows in zip(paths, (first, second), strict=True):
        if alone := len(rows) - len(both):
            text = f"rows without a partner in the other file are left out: {alone:,} of {path}"
            warnings.warn(text, IntervalWarning, stacklevel=1)
    table = {
        "true": [first[key][1] for key in both],
        "a": [first[key][0] for key in both],
        "b": [second[key][0] for key in both],
    }
    table = _alike(table)
    names = [Path(path).stem for path in paths] if len(set(names)) == 1 else names
    groups = [first[key][2] for key in both] if options.groups else None
    return table["true"], {names[0]: table["a"], names[1]: table["b"]}, groups


def _by_key(path: str, options: Any, wanted: list[str]) -> dict[str, list[str]]:
    """Return the cells of these columns by the column that joins two files."""
    rows: dict[str, list[str]] = {}
    for line, (key, *cells) in _records(path, [options.on, *wanted], options.delimiter):
        _refuse_missing(path, line, [options.on, *wanted], [key, *cells])
        if key in rows:
            got = _validation.short(key)
            raise ValueError(f"{_at(path, line, options.on)}: {got} comes twice")
        rows[key] = cells
    return rows


def columns(options: Any, names: list[str]) -> dict[str, list[str]]:
    """Return the columns of a file, and its groups if they are asked for."""
    wanted = [*names, options.groups] if options.groups else names
    rows = []
    seen: dict[str, str] = {}  # each label is kept once
    for line, cells in _records(options.file, wanted, options.delimiter):
        _refuse_missing(options.file, line, wanted, cells)
        rows.append([seen.setdefault(cell, cell) for cell in cells])
    if not rows:
        raise ValueError(f"{_name(options.file)}: no rows below the header")
    table = dict(zip(wanted, map(list, zip(*rows, strict=True)), strict=True))
    groups = {name: table.pop(name) for name in wanted[len(names) :]}
    distinct = set().union(*table.values())
    if len(distinct) > _MOST_LABELS:
        raise ValueError(
            f"{_name(options.file)}: {len(distinct):,} different labels, "
            f"{_validation.short(rows[0][0])} among them; are these scores or identifiers?"
        )
    return _alike(table) | groups


def _alike(table: dict[Any, list[str]]) -> dict[Any, list[str]]:
    """Return labels in which 1.0 and 1, and True and true, are one label."""
    labels = set().union(*table.values())
    spelled: dict[str, str] = {}
    if {label.casefold() for label in labels} <= {"true", "false"}:
        spelled = {label: label.casefold() for label in labels}
    elif all(re.fullmatch(r"-?\d+(\.0*)?", label) for label in labels):
        spelled = {label: str(int(float(label))) for label in labels}
    if len(set(spelled.values())) == len(labels) or not spelled:
        return table
    examples = ", ".join(f"{x} as {y}" for x, y in sorted(spelled.items()) if x != y)
    warnings.warn(f"labels are read {examples}", IntervalWarning, stacklevel=1)
    return {name: [spelled[label] for label in column] for name, column in table.items()}


def in_order(labels: Iterable[str]) -> list[str]:
    """Return different labels in order, numbers by their size."""
    names = sorted(set(labels))
    numeric = all(re.fullmatch(r"-?\d+", name) for name in names)
    return sorted(names, key=int) if numeric else names


def one_against_rest(labels: list[str], positive: str) -> list[str]:
    """Return labels of two classes: the positive one, and all others as one."""
    return [label if label == positive else "" for label in labels]


def _refuse_missing(path: str, line: int, names: Sequence[str], cells: Sequence[str]) -> None:
    for column, cell in zip(names, cells, strict=True):
        if cell.casefold() in _MISSING:
            where, got = _at(path, line, column), _validation.short(cell)
            raise ValueError(f"{where}: the label is missing, got {got}")
        if not cell.isascii() and any("\udc80" <= c <= "\udcff" for c in cell):
            raise ValueError(f"{_at(path, line, column)}: not UTF-8 text, got {cell[:80]!r}")


def opened(path: str) -> IO[str]:
    """Return a file of text: UTF-8 or UTF-16, compressed by gzip or not."""
    if path == "-" and sys.stdin is None:
        raise OSError(None, "it is closed", "standard input")
    binary: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: PTH123, SIM115
    if binary.peek(2)[:2] == b"\x1f\x8b":
        if path != "-":
            binary.close()
        binary = io.BufferedReader(gzip.open(binary if path == "-" else path))  # noqa: SIM115
    wide = binary.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
    # What is no UTF-8 passes here, and is refused where it is a label.
    encoding = "utf-16" if wide else "utf-8-sig"
    return io.TextIOWrapper(binary, encoding, errors="surrogateescape", newline="")


def _lines(stream: IO[str], path: str) -> Iterator[str]:
    while line := stream.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{_name(path)}: a line of more than {LONGEST_LINE:,} characters")
        yield line


def _records(
    path: str, names: Sequence[str], delimiter: str | None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of these columns, row by row."""
    with opened(path) as stream:
        lines = _lines(stream, path)
        head = next(lines, "")
        if delimiter is None:  # one inside quotes separates nothing
            delimiter = max(",;\t|", key=lambda d: len(next(csv.reader([head], delimiter=d), [])))
        elif len(delimiter) != 1:
            raise ValueError(f"--delimiter must be one character, got {delimiter!r}")
        reader = csv.reader(
            itertools.chain([head], lines), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        try:
            header = [name.strip() for name in next(reader, [])]
            for column in names:
                if header.count(column) != 1:
                    got = _validation.short(header)
                    raise ValueError(
                        f"{_at(path, 1)}: wanted is one column {column!r}, got the columns {got}"
                    )
            places = [header.index(column) for column in names]
            for row in reader:
                if len(row) == len(header):
                    yield reader.line_num, [row[place].strip() for place in places]
                elif row:
                    raise ValueError(
                        f"{_at(path, reader.line_num)}, column {min(len(row), len(header))}: the "
                        f"header has {len(header)} columns, got {len(row)}"
                    )
        except csv.Error as error:
            raise ValueError(f"{_at(path, reader.line_num)}: {error}") from None


def _at(path: str, line: int, column: str | None = None) -> str:
    """Return a place in a file."""
    where = f"{_name(path)}, line {line}"
    return where if column is None else f"{where}, column {column!r}"


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
