"""Read a confusion matrix as people paste it: numbers with or without names and totals.

Understood are what numpy, pandas, torch and spreadsheets print, CSV, Markdown and LaTeX. Rows are
true classes, columns predicted ones.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from f1ci import _validation

# What numpy, torch and pandas write around the numbers.
_WRAPPING = re.compile(
    r"(?:np\.|numpy\.|torch\.)?(?:array|matrix|tensor|u?int\d*|float\d*|DataFrame)\(|"
    r",?\s*(?:dtype|device)\s*=\s*[\w.:']+|\\hline|\\(?:top|mid|bottom)rule"
)
_RULE = re.compile(r"[-=:+| \t]+")
_NUMBER = re.compile(r"[-+]?[\d.,]*\d\.?(?:e[-+]?\d+)?", flags=re.IGNORECASE)
_TOTALS = {"total", "totals", "all", "sum", "sums", "margin"}


def read_matrix(text: str) -> tuple[NDArray[np.int64], list[str], list[str]]:
    """Return the matrix, the names of its classes, and notes on what was left out."""
    lines = [
        (number, cells)
        for number, line in enumerate(_one_row_a_line(text).splitlines(), start=1)
        if not _RULE.fullmatch(line) and (cells := _cells(line))
    ]
    # 1. A header of names. Classes may be called 0, 1, ...: then it has a cell less.
    widths = [len(cells) for _, cells in lines]
    numbered = set(widths[1:]) == {len(lines)} and widths[0] == len(lines) - 1
    named = bool(lines) and not any(map(_NUMBER.fullmatch, lines[0][1]))
    header = lines.pop(0)[1] if numbered or named else None
    # 2. pandas prints the name of the rows on a line of its own. Rows may begin with names.
    lines = [(number, cells) for number, cells in lines if any(map(_NUMBER.fullmatch, cells))]
    r = len(lines)
    wide = header is not None and all(len(cells) == r + 1 for _, cells in lines)
    names = None
    if wide or not any(_NUMBER.fullmatch(cells[0]) for _, cells in lines):
        names = [cells.pop(0) for _, cells in lines]
    for number, cells in lines:
        if len(cells) != r:
            counted = " or ".join(map(str, sorted({len(cells) for _, cells in lines})))
            got = f"{r} rows of {counted} numbers"
            raise ValueError(f"line {number}: a confusion matrix is square, got {got}")
    table = np.array([[_number(cell, number) for cell in cells] for number, cells in lines])
    names = names or (header or [str(k) for k in range(r)])[-r:]
    # 3. Totals are left out.
    notes = []
    if r > 2:
        sums = np.append(table[:-1, :-1].sum(axis=0), table[:-1, :-1].sum()).tolist()
        last = table[-1].tolist()
        if last == sums:
            table, names = table[:-1, :-1], names[:-1]
            notes.append("left out: the row and the column of totals")
        elif names[-1].strip().casefold() in _TOTALS:
            raise ValueError(f"the last row, {names[-1]!r}, must hold the sums {sums}, got {last}")
    if len(table) < 2:
        got = _validation.short(text)
        raise ValueError(f"a confusion matrix has at least two classes, got {got}")
    return table, names, notes


def _one_row_a_line(text: str) -> str:
    """Return the text without what programs write around numbers."""
    bare = _WRAPPING.sub(" ", text)
    bare = bare.replace(r"\\", "\n").replace("],", "\n").replace("];", "\n")
    return re.sub(r"[\[\](){}]", " ", bare)


def _cells(line: str) -> list[str]:
    """Split a line at the first separator that it has; blanks separate if nothing else does."""
    for separator in "\t|&;,":
        if separator in line:
            cells = [cell.strip(" \"'") for cell in line.split(separator)]
            # Markdown has bars at both ends, and Python a comma.
            return cells[bool(not cells[0] and separator == "|") : len(cells) - (not cells[-1])]
    return [cell.strip("\"'") for cell in line.split()]


def _number(cell: str, line: int) -> int:
    value = float(cell.replace(",", "")) if _NUMBER.fullmatch(cell) else -1.0
    if not 0.0 <= value <= _validation.MAX_COUNT or value != int(value):
        raise ValueError(f"line {line}: a whole number of items is wanted, got {cell!r}")
    return int(value)
