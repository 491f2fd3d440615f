"""Write rows of text as a person reads them, aligned."""

from __future__ import annotations

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
    # 1 - floor(log10(length)) is 2 for a length of 0.1 and 3 for one of 0.01.
    return int(min(12, max(3, 1 - math.floor(math.log10(np.median(array)))))) if array.size else 3


def percent(share: float) -> str:
    """Return 0.95 as "95 %"."""
    return f"{100 * share:.6g} %"


def p_value(p: float) -> str:
    """Return a p-value with two digits, or "< 0.0001"."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def label(name: object) -> str:
    """Return a name on one line, cut if it is long, without characters that move the cursor."""
    text = str(name)
    text = text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
    return text if text.isprintable() and text.strip() else repr(text)


def as_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return aligned columns: the first, of names, to the left and the others to the right."""
    lines, widths = [], [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for name, *cells in (head, *rows):
        right = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *right]).rstrip())
    return "\n".join(lines)
