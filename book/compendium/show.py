"""Tables for notebooks. Those of published numbers hold ids; the book fills in the rest.

A cell of such a table is a mark that names an id and what to show of it. When the book is built,
:mod:`compendium.pages` puts the printed number, ours, the verdict and the link there. Run by hand
(in Jupyter, by papermill, with parameters of one's own), a notebook has no book to wait for, and
its tables fill themselves in when they are shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from compendium import ledger

__all__ = ["Html", "compare", "described", "grid", "printed", "table"]


class Html(str):
    """Markup for a cell of a table, which is not to be escaped."""

    __slots__ = ()


class _Table:
    """A table as it looks in a notebook."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        if os.environ.get("F1CI_IDS") or "data-ledger=" not in self._html:
            return self._html
        from compendium import pages, verdicts

        return pages.fill(self._html, verdicts.known(ledger.opened()))


def _mark(identity: str, what: str) -> str:
    """What the book fills in: the printed number, our value, the verdict or a description."""
    return f'<span data-ledger="{escape(identity)}" data-show="{what}"></span>'


def printed(identity: str) -> Html:
    """A cell that shows a number as the paper prints it, for `table`."""
    return Html(_mark(identity, "printed"))


def described(identity: str) -> Html:
    """A cell that says what a number is, for `table`."""
    return Html(_mark(identity, "description"))


def compare(ids: Iterable[str], *, names: Sequence[str] | None = None) -> _Table:
    """One line for each id: what it is, printed, reproduced, verdict.

    Parameters
    ----------
    ids : iterable of str
        Ledger ids.
    names : sequence of str, optional
        What to call them; by default their descriptions.
    """
    wanted = list(ids)
    labels = (
        [described(i) for i in wanted] if names is None else [Html(escape(name)) for name in names]
    )
    rows = [
        [label, *(_mark(i, what) for what in ("printed", "value", "verdict"))]
        for label, i in zip(labels, wanted, strict=True)
    ]
    return _lay_out(["", "published", "reproduced", "verdict"], rows, (1, 2))


def grid(
    row_names: Mapping[str, str],
    column_names: Mapping[str, str],
    identity: Callable[[str, str], str],
    *,
    corner: str = "",
) -> _Table:
    """A table in the paper's own layout: printed above reproduced in every cell.

    Parameters
    ----------
    row_names, column_names : mapping of str to str
        Keys, and what the table calls them.
    identity : callable
        ``identity(row_key, column_key)`` gives the ledger id of a cell, or "" for an
        empty one.
    corner : str, optional
        What the row names are.
    """
    rows = [
        [
            escape(row_name),
            *(_mark(i, "cell") if (i := identity(row, column)) else "" for column in column_names),
        ]
        for row, row_name in row_names.items()
    ]
    return _lay_out([corner, *column_names.values()], rows, range(1, 1 + len(column_names)))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int] = ()
) -> _Table:
    """Any table; `numeric` says which columns are numbers, to be aligned on the right."""
    cells = [[c if isinstance(c, Html) else escape(str(c)) for c in row] for row in rows]
    return _lay_out(head, cells, numeric)


def _lay_out(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int]) -> _Table:
    right = set(numeric)

    def line(tag: str, cells: Sequence[str]) -> str:
        parts = []
        for i, cell in enumerate(cells):
            kind = ' class="number"' if i in right else ""
            scope = ' scope="col"' if tag == "th" else ""
            parts.append(f"<{tag}{kind}{scope}>{cell}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>"

    header = line("th", [escape(name) for name in head])
    body = "".join(line("td", row) for row in rows)
    return _Table(
        f'<div class="wide" tabindex="0"><table class="comparison"><thead>{header}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
