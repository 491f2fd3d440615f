"""Write rows of text as a person reads them: aligned, or as HTML."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import pandas

# A name is cut to so many columns of a terminal.
_WIDEST = 40


def decimals(lengths: ArrayLike) -> int:
    """Return how many decimals show two digits of the median length; at least three."""
    array = np.atleast_1d(np.asarray(lengths, dtype=np.float64))
    array = array[np.isfinite(array) & (array > 0)]
    # 1 - floor(log10(length)) is 2 for a length of 0.1 and 3 for one of 0.01.
    return int(min(12, max(3, 1 - math.floor(math.log10(np.median(array)))))) if array.size else 3


def percent(share: float) -> str:
    """Return 0.95 as "95 %"."""
    return f"{100 * share:.6g} %"


def p_value(p: float) -> str:
    """Return a p-value with two digits, or "< 0.0001"."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def label(name: object) -> str:
    """Return a name on one line, without characters that move the cursor."""
    text = str(name)
    return text if text.isprintable() and text.strip() else repr(text)


def as_text(head: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """Return aligned columns: the first ones, of names, to the left and the others to the right."""
    short = [[*map(_cut, row[:names]), *row[names:]] for row in (head, *rows)]
    widths = [max(map(_width, column)) for column in zip(*short, strict=True)]
    lines = []
    for row in short:
        cells = []
        for k, (cell, width) in enumerate(zip(row, widths, strict=True)):
            pad = " " * (width - _width(cell))
            cells.append(cell + pad if k < names else pad + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_html(
    head: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1, below: Sequence[str] = ()
) -> str:
    """Return an HTML table with lines of text below it; every text is escaped."""

    def cells(tag: str, row: Sequence[str]) -> str:
        parts = []
        for k, cell in enumerate(row):
            kind = "th" if k < names else tag
            align = "left" if k < names else "right"
            parts.append(f'<{kind} style="text-align: {align}">{html.escape(cell)}</{kind}>')
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(cells("td", row) for row in rows)
    text = "".join(f"<p>{html.escape(line)}</p>" for line in below)
    return f"<table><thead>{cells('th', head)}</thead><tbody>{body}</tbody></table>{text}"


def frame(columns: object, index: list[str]) -> pandas.DataFrame:
    """Return a pandas data frame of these columns or records, indexed by some of its columns."""
    import pandas

    return pandas.DataFrame(columns).set_index(index)


def _width(text: str) -> int:
    """Return the width in a terminal: East Asian wide characters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me") for c in text)


def _cut(name: str) -> str:
    if _width(name) <= _WIDEST:
        return name
    while _width(name) >= _WIDEST:
        name = name[:-1]
    return name + "…"
