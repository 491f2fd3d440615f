"""Read the files of the command line: UTF-8 tables with a header line, one label in a cell."""

from __future__ import annotations

import csv
import itertools
import math
import re
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from f1ci import _validation
from f1ci.results import IntervalWarning, warn

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

_MISSING = {"", "na", "nan", "none", "null", "<na>"}


def labels(options: Namespace) -> tuple[list[str], list[list[str]], list[str] | None]:
    """Return the names of models, the true labels and those of each model, and the groups."""
    groups, models = [options.groups] if options.groups else [], options.pred
    names, key = [*groups, options.true], options.on
    if key is None and options.file_b is None:
        columns = read(options.file, [*names, *models], options.delimiter)
    elif key is None or options.file_b is None or len(models) > 2:
        raise ValueError("two files need --on COLUMN and --pred with one name or two")
    else:
        first = read(options.file, [key, *names, models[0]], options.delimiter)
        second = read(options.file_b, [key, models[-1]], options.delimiter)
        columns = _joined(options, first, second)
        if models[0] == models[-1]:
            models = [Path(path).stem for path in (options.file, options.file_b)]
    column = columns.pop(0) if groups else None
    return models, _alike(columns), column


def _joined(options: Namespace, first: list[list[str]], second: list[list[str]]) -> list[list[str]]:
    """Return the columns of two files whose first columns name the items."""
    for path, (keys, *_) in ((options.file, first), (options.file_b, second)):
        key, number = Counter(keys).most_common(1)[0]
        if number > 1:
            raise ValueError(f"{path}: the row {_validation.short(key)} comes twice")
    of_b = dict(zip(*second, strict=True))
    rows = [(*row, of_b[key]) for key, *row in zip(*first, strict=True) if key in of_b]
    if not rows:
        raise ValueError(f"no row of {options.file} occurs in {options.file_b}")
    if alone := len(first[0]) + len(of_b) - 2 * len(rows):
        warn(f"{alone:,} rows without a partner in the other file are left out", IntervalWarning)
    return [list(column) for column in zip(*rows, strict=True)]


def _alike(columns: list[list[str]]) -> list[list[str]]:
    """Return labels in which 1.0 and 1, and True and true, are one label."""
    distinct = set().union(*columns)
    if len(distinct) > _MOST_LABELS:
        what = f"{len(distinct):,} different labels, {_validation.short(columns[0][0])} among them"
        raise ValueError(f"{what}; are these scores or identifiers?")
    spelled = {label: label.casefold() for label in distinct}
    if all(re.fullmatch(r"-?\d+(\.0*)?", label) for label in distinct):
        spelled = {label: label.partition(".")[0] for label in distinct}
    elif not set(spelled.values()) <= {"true", "false"}:
        return columns
    if len(set(spelled.values())) < len(distinct):
        pairs = ", ".join(f"{x} as {y}" for x, y in sorted(spelled.items()) if x != y)
        warn(f"labels are read {pairs}", IntervalWarning)
    return [[spelled[label] for label in column] for column in columns]


def opened(path: str) -> IO[str]:
    """Open a file of text, or standard input."""
    file: str | int = 0 if path == "-" else path
    return open(file, encoding="utf-8-sig", newline="")  # noqa: PTH123


def in_order(distinct: Iterable[str]) -> list[str]:
    """Return different labels in order: whole numbers by their size, then text."""
    whole = re.compile(r"-?\d+")
    return sorted(set(distinct), key=lambda x: (int(x) if whole.fullmatch(x) else math.inf, x))


def read(path: str, names: list[str], delimiter: str | None) -> list[list[str]]:
    """Return the columns of these names. An error says in which line something is wrong."""
    rows, line, where = [], 1, "standard input" if path == "-" else path
    with opened(path) as stream:
        try:
            head = stream.readline()
            # Columns are counted as CSV has them: what is inside quotes separates nothing.
            if delimiter is None:
                found = {d: next(csv.reader([head], delimiter=d), []) for d in ",;\t|"}
                delimiter = max(found, key=lambda d: len(found[d]))
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
        except UnicodeDecodeError:
            what = "not UTF-8 text; UTF-16 must be converted and gzip unpacked first"
            raise ValueError(f"{where}, line {line}: {what}") from None
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
