"""Write rows of text as a person reads them, aligned."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

# A name is cut to so many letters.
_WIDEST = 40


def decimals(lengths: ArrayLike) -> int:
    """Return how many decimals show two digits of the median length; at least three."""
    array = np.atleast_1d(np.asarray(lengths, dtype=np.float64))
    array = array[np.isfinite(array) & (array > 0)]
    if not array.size:
        return 3
    # The exponent is -1 for a length of 0.1, and -2 for one of 0.01.
    exponent = math.floor(math.log10(np.median(array)))
    return min(12, max(3, 1 - exponent))


def percent(share: float) -> str:
    """Return 0.95 as "95 %"."""
    return f"{100 * share:.6g} %"


def p_value(p: float) -> str:
    """Return a p-value with two digits, or "< 0.0001"."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def label(name: object, widest: int = _WIDEST) -> str:
    """Return a name on one line. The middle of a long one is left out: ends tell models apart."""
    text = printable(name)
    if len(text) <= widest:
        return text
    half = widest // 2
    return f"{text[:half]}…{text[1 - half :]}"


def difference(a: object, b: object) -> str:
    """Return "B - A" on one line. If it is long, the middle of both names is left out."""
    text = f"{printable(b)} - {printable(a)}"
    if len(text) <= _WIDEST:
        return text
    return f"{label(b, _WIDEST // 2)} - {label(a, _WIDEST // 2)}"


def printable(name: object) -> str:
    """Return a name without characters that move the cursor."""
    text = str(name)
    return text if text.isprintable() and text.strip() else repr(text)


def as_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return aligned columns: the first, of names, to the left and the others to the right."""
    table = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_html(head: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """Return a table of HTML, for notebooks, with lines of text below."""

    def line(cells: Sequence[str], tag: str) -> str:
        first, *others = map(html.escape, cells)
        rest = "".join(f"<{tag}>{cell}</{tag}>" for cell in others)
        return f"<tr><th>{first}</th>{rest}</tr>"

    body = "".join(line(row, "td") for row in rows)
    # Jupyter and themes of books know how to show the class of pandas' tables.
    table = (
        f'<table class="dataframe"><thead>{line(head, "th")}</thead><tbody>{body}</tbody></table>'
    )
    return table + "".join(f"<p>{html.escape(text)}</p>" for text in below)
