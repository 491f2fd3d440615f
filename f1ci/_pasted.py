"""Read a confusion matrix as people paste it: numbers with or without names and totals.

Understood are what numpy, pandas, torch and spreadsheets print, CSV, Markdown and LaTeX. Rows are
true classes, columns predicted ones.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation
from f1ci.results import IntervalWarning, warn

# What numpy, torch and pandas write around the numbers.
_WRAPPING = re.compile(
    r"(?:np\.|numpy\.|torch\.)?(?:array|matrix|tensor|u?int\d*|float\d*|DataFrame)\(|"
    r",?\s*(?:dtype|device)\s*=\s*[\w.:']+|\\hline|\\(?:top|mid|bottom)rule"
)
_RULE = re.compile(r"[-=:+| \t]+")
_NUMBER = re.compile(r"[-+]?[\d.,]*\d\.?(?:e[-+]?\d+)?", flags=re.IGNORECASE)
_TOTALS = {"total", "totals", "all", "sum", "sums", "margin"}


def read_matrix(text: str) -> tuple[NDArray[np.int64], list[str]]:
    """Return the matrix and the names of its classes; warn if totals are left out."""
    # 1. A row a line, without what programs write around numbers.
    bare = _WRAPPING.sub(" ", text)
    bare = bare.replace(r"\\", "\n").replace("],", "\n").replace("];", "\n")
    rows = map(_cells, re.sub(r"[\[\](){}]", " ", bare).splitlines())
    lines = [cells for cells in rows if cells]
    # 2. A header of names. Classes may be called 0, 1, ...: then it has a cell less.
    widths = list(map(len, lines))
    numbered = set(widths[1:]) == {len(lines)} and widths[0] == len(lines) - 1
    named = bool(lines) and not any(map(_NUMBER.fullmatch, lines[0]))
    header = lines.pop(0) if numbered or named else []
    # 3. pandas prints the name of the rows on a line of its own. Rows may begin with names.
    lines = [cells for cells in lines if any(map(_NUMBER.fullmatch, cells))]
    r, names = len(lines), header
    wide = bool(header) and all(len(cells) == r + 1 for cells in lines)
    if wide or not any(_NUMBER.fullmatch(cells[0]) for cells in lines):
        names = [cells.pop(0) for cells in lines]
    if r < 2 or {len(cells) for cells in lines} != {r}:
        rule = "a confusion matrix has as many rows as columns, at least two of each"
        raise ValueError(f"{rule}, got {_validation.short(text)}")
    table = np.array([list(map(_number, cells)) for cells in lines])
    names = names[-r:] or list(map(str, range(r)))
    # 4. Totals are left out.
    sums = np.append(table[:-1, :-1].sum(axis=0), table[:-1, :-1].sum()).tolist()
    if r > 2 and table[-1].tolist() == sums:
        warn("left out: the row and the column of totals", IntervalWarning)
        return table[:-1, :-1], names[:-1]
    if names[-1].strip().casefold() in _TOTALS:
        got = f"got {table[-1].tolist()}"
        raise ValueError(f"the last row, {names[-1]!r}, must hold the sums {sums}, {got}")
    return table, names


def _cells(line: str) -> list[str]:
    """Split a line at the first separator that it has; blanks separate if nothing else does."""
    if _RULE.fullmatch(line):
        return []
    for separator in "\t|&;,":
        if separator in line:
            cells = [cell.strip(" \"'") for cell in line.split(separator)]
            # Markdown has bars at both ends, and Python a comma.
            return cells[bool(not cells[0] and separator == "|") : len(cells) - (not cells[-1])]
    return [cell.strip("\"'") for cell in line.split()]


def _number(cell: str) -> int:
    value = float(cell.replace(",", "")) if _NUMBER.fullmatch(cell) else -1.0
    if not 0.0 <= value <= _validation.MAX_COUNT or value != int(value):
        raise ValueError(f"a whole number of items is wanted, got {cell!r}")
    return int(value)
