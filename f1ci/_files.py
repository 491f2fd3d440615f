"""Read the files of the command line: tables with a header line, one label in a cell."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import sys
import warnings
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from f1ci import _validation
from f1ci.results import IntervalWarning

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

# A longer line is no line of a table.
LONGEST_LINE = 1 << 20

_MISSING = {"", "na", "nan", "none", "null", "<na>"}

Column = list[str]


def labels(options: Namespace) -> tuple[list[str], list[Column], Column | None]:
    """Return names of models, the truth and their predictions, and groups, from one file or two."""
    names, groups = options.pred, [options.groups] if options.groups else []
    if (options.on is None) != (options.file_b is None) or (options.on and len(names) > 2):
        raise ValueError("two files need --on COLUMN and --pred with one name or two; one no --on")
    if options.on is None:
        columns = read(options.file, [options.true, *groups, *names], options.delimiter)
    else:
        paths, key = [options.file, options.file_b], options.on
        first = read(paths[0], [key, options.true, *groups, names[0]], options.delimiter)
        second = read(paths[1], [key, names[-1]], options.delimiter)
        columns = _joined(paths, first, second)
        names = [Path(path).stem for path in paths] if len(set(names)) == 1 else names
    column = columns.pop(1) if groups else None
    return names, _alike(columns), column


def _joined(paths: list[str], first: list[Column], second: list[Column]) -> list[Column]:
    """Return the columns of two files without the first, which joins their rows."""
    rows: list[dict[str, tuple[str, ...]]] = []
    for path, (keys, *columns) in zip(paths, (first, second), strict=True):
        key, number = Counter(keys).most_common(1)[0]
        if number > 1:
            raise ValueError(f"{path}: the row {_validation.short(key)} comes twice")
        rows.append(dict(zip(keys, zip(*columns, strict=True), strict=True)))
    both = [key for key in rows[0] if key in rows[1]]
    if not both:
        raise ValueError(f"no row of {paths[0]} occurs in {paths[1]}")
    for path, by_key in zip(paths, rows, strict=True):
        if alone := len(by_key) - len(both):
            text = f"rows without a partner in the other file are left out: {alone:,} of {path}"
            warnings.warn(text, IntervalWarning, stacklevel=1)
    return [list(column) for column in zip(*(rows[0][k] + rows[1][k] for k in both), strict=True)]


def _alike(columns: list[Column]) -> list[Column]:
    """Return labels in which 1.0 and 1, and True and true, are one label."""
    distinct = set().union(*columns)
    if len(distinct) > _MOST_LABELS:
        some = _validation.short(columns[0][0])
        what = f"{len(distinct):,} different labels, {some} among them"
        raise ValueError(f"{what}; are these scores or identifiers?")
    spelled: dict[str, str] = {}
    if {label.casefold() for label in distinct} <= {"true", "false"}:
        spelled = {label: label.casefold() for label in distinct}
    elif all(re.fullmatch(r"-?\d+(\.0*)?", label) for label in distinct):
        spelled = {label: str(int(float(label))) for label in distinct}
    if len(set(spelled.values())) == len(spelled):
        return columns
    examples = ", ".join(f"{x} as {y}" for x, y in sorted(spelled.items()) if x != y)
    warnings.warn(f"labels are read {examples}", IntervalWarning, stacklevel=1)
    return [[spelled[label] for label in column] for column in columns]


def in_order(distinct: Iterable[str]) -> Column:
    """Return different labels in order, numbers by their size."""
    names = sorted(set(distinct))
    numeric = all(re.fullmatch(r"-?\d+", name) for name in names)
    return sorted(names, key=int) if numeric else names


@contextmanager
def opened(path: str) -> Iterator[IO[str]]:
    """Open a file of text: UTF-8 or UTF-16, compressed by gzip or not."""
    if path == "-" and sys.stdin is None:
        raise OSError(None, "it is closed", "standard input")
    with open(0 if path == "-" else path, "rb") as file:  # noqa: PTH123
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        binary = io.BufferedReader(gzip.GzipFile(fileobj=file) if packed else file)
        wide = binary.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
        # What is no UTF-8 passes here, and is refused where it is a label.
        encoding = "utf-16" if wide else "utf-8-sig"
        yield io.TextIOWrapper(binary, encoding, errors="surrogateescape", newline="")


def read(path: str, names: list[str], delimiter: str | None) -> list[Column]:
    """Return the columns of these names. An error says in which line something is wrong."""
    rows, line, where = [], 1, "standard input" if path == "-" else path
    with opened(path) as stream:
        try:
            lines = _lines(stream)
            head = next(lines, "")
            if delimiter is None:  # one inside quotes separates nothing
                delimiter = max(
                    ",;\t|", key=lambda d: len(next(csv.reader([head], delimiter=d), []))
                )
            text = itertools.chain([head], lines)
            reader = csv.reader(text, delimiter=delimiter, skipinitialspace=True, strict=True)
            header = [name.strip() for name in next(reader, [])]
            for name in names:
                if header.count(name) != 1:
                    got = _validation.short(header)
                    raise ValueError(f"wanted is one column {name!r}, got the columns {got}")
            line, places = reader.line_num + 1, [header.index(name) for name in names]
            for row in reader:
                if row and len(row) != len(header):
                    raise ValueError(f"the header has {len(header)} columns, got {len(row)}")
                if row:
                    rows.append([_label(row[place], header[place]) for place in places])
                line = reader.line_num + 1
        except (csv.Error, EOFError, ValueError) as error:
            raise ValueError(f"{where}, line {line}: {error}") from None
    if not rows:
        raise ValueError(f"{where}: no rows below the header")
    return [list(column) for column in zip(*rows, strict=True)]


def _lines(stream: IO[str]) -> Iterator[str]:
    while line := stream.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"a line of more than {LONGEST_LINE:,} characters")
        yield line


def _label(cell: str, column: str) -> str:
    """Return what is in a cell, if it is a label."""
    label = cell.strip()
    if label.casefold() in _MISSING:
        raise ValueError(f"column {column!r}: the label is missing, got {label!r}")
    if not label.isascii() and any("\udc80" <= c <= "\udcff" for c in label):
        raise ValueError(f"column {column!r}: not UTF-8 text, got {label[:80]!r}")
    return sys.intern(label)  # each label is kept once
