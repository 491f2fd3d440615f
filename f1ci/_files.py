"""Read the files of the command line: UTF-8 tables with a header line, one label in a cell."""

from __future__ import annotations

import csv
import itertools
import math
import re
import sys
from argparse import Namespace
from collections.abc import Iterable

from f1ci import _validation

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

_MISSING = {"", "na", "nan", "none", "null", "<na>"}


def labels(options: Namespace) -> tuple[list[list[str]], list[str] | None]:
    """Return the true labels and those that each model predicts, and the groups of the items."""
    groups = [options.groups] if options.groups else []
    columns = read(options.file, [*groups, options.true, *options.pred], options.delimiter)
    column = columns.pop(0) if groups else None
    distinct = set().union(*columns)
    if len(distinct) > _MOST_LABELS:
        what = f"{len(distinct):,} different labels, {_validation.short(columns[0][0])} among them"
        raise ValueError(f"{what}; are these scores or identifiers?")
    return columns, column


def in_order(distinct: Iterable[str]) -> list[str]:
    """Return different labels in order: whole numbers by their size, then text."""
    whole = re.compile(r"-?\d+")
    return sorted(set(distinct), key=lambda x: (int(x) if whole.fullmatch(x) else math.inf, x))


def read(path: str, names: list[str], delimiter: str | None) -> list[list[str]]:
    """Return the columns of these names. An error says in which line something is wrong."""
    rows, line, where = [], 1, "standard input" if path == "-" else path
    file: str | int = 0 if path == "-" else path
    # Bytes that are no UTF-8 are letters like others: they print as \xff.
    with open(file, encoding="utf-8-sig", errors="backslashreplace", newline="") as stream:  # noqa: PTH123
        try:
            head = stream.readline()
            # Columns are counted as CSV has them: what is inside quotes separates nothing.
            if delimiter is None:
                delimiter = max(
                    ",;\t|", key=lambda d: len(next(csv.reader([head], delimiter=d), []))
                )
            lines = itertools.chain([head], stream)
            reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
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
        except (csv.Error, ValueError) as error:
            raise ValueError(f"{where}, line {line}: {error}") from None
    if not rows:
        raise ValueError(f"{where}: no rows below the header")
    return [list(column) for column in zip(*rows, strict=True)]


def _label(cell: str, column: str) -> str:
    """Return what is in a cell, if it is a label."""
    label = cell.strip()
    if label.casefold() in _MISSING:
        raise ValueError(f"column {column!r}: the label is missing, got {label!r}")
    return sys.intern(label)  # each label is kept once
