"""Tables for notebooks. Those of published numbers hold ids; the book fills in the rest.

A cell of such a table is a mark that names an id and what to show of it. When the book is built,
:mod:`compendium.pages` puts the printed number, ours, the verdict and the link there. Run by hand
(in Jupyter, by papermill, with parameters of one's own), a notebook has no book to wait for, and
its tables fill themselves in when they are shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from jinja2 import Template
from markupsafe import Markup

from compendium import ledger

_TEMPLATE = Template(
    Path(__file__).with_name("templates").joinpath("comparison.html").read_text("utf-8"),
    autoescape=True,
)
_MARK = Markup('<span data-ledger="{}" data-show="{}"></span>')


class table:  # noqa: N801 (notebooks say show.table)
    """Any table; `numeric` says which columns are numbers, to be aligned on the right."""

    def __init__(
        self, head: Sequence[str], rows: Iterable[Sequence[object]], *, numeric: Iterable[int] = ()
    ) -> None:
        self._html: str = _TEMPLATE.render(head=head, rows=rows, numeric=set(numeric))

    def _repr_html_(self) -> str:
        if os.environ.get("F1CI_IDS") or "data-ledger=" not in self._html:
            return self._html
        from compendium import pages, verdicts

        return pages.fill(self._html, verdicts.known(ledger.opened()))


def printed(identity: str) -> Markup:
    """A cell that shows a number as the paper prints it, for `table`."""
    return _MARK.format(identity, "printed")


def described(identity: str) -> Markup:
    """A cell that says what a number is, for `table`."""
    return _MARK.format(identity, "description")


def compare(ids: Iterable[str], *, names: Sequence[str] | None = None) -> table:
    """One line for each id: what it is, printed, reproduced, verdict.

    Parameters
    ----------
    ids : iterable of str
        Ledger ids.
    names : sequence of str, optional
        What to call them; by default their descriptions.
    """
    wanted = list(ids)
    rows = [
        [label, *(_MARK.format(i, what) for what in ("printed", "value", "verdict"))]
        for label, i in zip(names or map(described, wanted), wanted, strict=True)
    ]
    return table(["", "published", "reproduced", "verdict"], rows, numeric=(1, 2))


def grid(
    row_names: Mapping[str, str],
    column_names: Mapping[str, str],
    identity: Callable[[str, str], str],
    *,
    corner: str = "",
) -> table:
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
        [name, *(_MARK.format(i, "cell") if (i := identity(row, c)) else "" for c in column_names)]
        for row, name in row_names.items()
    ]
    head = [corner, *column_names.values()]
    return table(head, rows, numeric=range(1, len(head)))
