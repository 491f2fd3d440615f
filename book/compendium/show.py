"""Tables for notebooks. Those of published numbers know which number is in which cell.

A cell of such a table is a mark with an id and a kind of value. It shows the printed number and
our number, wherever the notebook is opened. When the book is built, :mod:`compendium.book` replaces
each mark by the ledger's view of the number, with verdict and link. Only the book gives verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from pathlib import Path

from IPython.display import HTML
from jinja2 import Template
from markupsafe import Markup, escape

from compendium import ledger

_TEMPLATE = Template(
    Path(__file__).with_name("templates").joinpath("comparison.html").read_text("utf-8"),
    autoescape=True,
)
_LONG = 20  # lines; a longer table is folded
_MARK = Markup('<span data-ledger="{}" data-show="{}">{}</span>')
_MARKED = re.compile(r'<span data-ledger="([^"]*)" data-show="(\w+)">.*?</span>')


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str,
    numeric: Iterable[int] = (),
) -> HTML:
    """Return any table.

    A table of more than 20 lines is folded. The line above it says what is in it. In the book
    this line also counts the verdicts.

    Parameters
    ----------
    head : sequence of str
        The names of the columns.
    rows : iterable
        The lines.
    caption : str
        What the table is, as a sentence, then what to see in it. The first sentence is the name by
        which it is cited, so no two tables of a page share it.
    numeric : iterable of int
        Columns of numbers, aligned on the right.
    """
    if "" in head:
        raise ValueError(f"a column of the table {caption!r} has no name: {list(head)}")
    lines = [list(row) for row in rows]
    title, _, sees = caption.partition(". ")
    return HTML(
        _TEMPLATE.render(
            name="tab-" + re.sub(r"\W+", "-", title.lower()).strip("-"),
            title=title.rstrip("."),
            sees=sees,
            head=head,
            rows=lines,
            numeric=set(numeric),
            summary=_summary(title, lines),
        )
    )


def _cell(identity: str, what: str) -> Markup:
    """Return a mark with what it shows without the book: printed and our number, no verdict."""
    page = ledger.opened()
    row = page.row(identity)
    record = page.records.get(identity)
    ours = value_text(record.value if record else None, row.printed)
    shown = {
        "description": row.description,
        "printed": row.printed,
        "value": ours,
        "verdict": "",
        "cell": escape(row.printed) + Markup("<br>") + ours,
    }
    return _MARK.format(identity, what, shown[what])


def printed(identity: str) -> Markup:
    """Return a cell for `table` that shows a number as the paper prints it."""
    return _cell(identity, "printed")


def described(identity: str) -> Markup:
    """Return a cell for `table` that describes a number."""
    return _cell(identity, "description")


def compare(
    ids: Iterable[str], *, caption: str, names: Sequence[str] | None = None, corner: str = "number"
) -> HTML:
    """Return a table with a line for each id: description, printed, reproduced, verdict.

    Parameters
    ----------
    ids : iterable of str
        Ledger ids.
    caption : str
        As for `table`.
    names : sequence of str, optional
        Their names; by default their descriptions.
    corner : str, optional
        The heading of the names.
    """
    wanted = list(ids)
    rows = [
        [label, *(_cell(i, what) for what in ("printed", "value", "verdict"))]
        for label, i in zip(names or map(described, wanted), wanted, strict=True)
    ]
    head = [corner, "published", "reproduced", "verdict"]
    return table(head, rows, caption=caption, numeric=(1, 2))


def grid(
    row_names: Mapping[str, str],
    column_names: Mapping[str, str],
    identity: Callable[[str, str], str],
    *,
    caption: str,
    corner: str,
) -> HTML:
    """Return a table in the paper's own layout: printed above reproduced in every cell.

    Parameters
    ----------
    row_names, column_names : mapping of str to str
        Keys, and their names in the table.
    identity : callable
        ``identity(row_key, column_key)`` gives the ledger id of a cell, or "" for an
        empty one.
    caption : str
        As for `table`.
    corner : str
        The heading of the row names.
    """
    rows = []
    for row, name in row_names.items():
        ids = [identity(row, column) for column in column_names]
        rows.append([name, *(_cell(i, "cell") if i else "" for i in ids)])
    head = [corner, *column_names.values()]
    return table(head, rows, caption=caption, numeric=range(1, len(head)))


def _summary(title: str, rows: Sequence[Sequence[object]]) -> str:
    """Return the line above a long table, or "" for a short one."""
    marks = [_MARKED.match(str(cell)) for row in rows for cell in row]
    ids = [mark[1] for mark in marks if mark and mark[2] in ("cell", "verdict")]
    tall = any(mark and mark[2] == "cell" for mark in marks)  # the printed number above ours
    if len(rows) * (1 + tall) <= _LONG:
        return ""
    counts = _MARK.format(" ".join(ids), "tally", "") if ids else ""
    return Markup("{}, {} rows{}").format(title.rstrip("."), len(rows), counts)


def fill(html: str, content: Callable[[str, str], str]) -> str:
    """Replace each mark of a table by what `content` returns for its id and kind."""
    return _MARKED.sub(lambda mark: content(unescape(mark[1]), mark[2]), html)


def value_text(value: float | str | None, printed: str) -> str:
    """Return a reproduced value with two digits more than the paper prints."""
    if value is None or isinstance(value, str):
        return value or ""
    places = 4 if "/" in printed else decimals(printed)
    if places == 0 and value.is_integer():
        return f"{value:,.0f}"
    return f"{value:,.{places + 2}f}"


def decimals(printed: str) -> int:
    """Count the decimals of a printed number.

    >>> decimals("99.6%"), decimals("59,066")
    (1, 0)
    """
    return len(printed.rstrip("%").partition(".")[2])


def quote(value: float | str | None, printed: str, form: str = "") -> str:
    """Return a number as a text quotes it: in a format, or to the digits that the paper prints."""
    if value is None or isinstance(value, str):
        return value or ""
    if form.endswith("d") or (form == "," and float(value).is_integer()):
        return format(int(value), form)  # a file of results has no integers
    default = f".{decimals(printed)}f" if printed else ".6g"
    return format(value, form or default)
