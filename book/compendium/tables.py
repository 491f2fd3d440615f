"""Tables for notebooks: published beside reproduced, with the verdict by word and colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from IPython.display import HTML

from compendium.ledger import Entry, Results, judge

__all__ = ["badge", "compare", "grid", "plain", "value_text"]


def badge(verdict: str) -> str:
    """A verdict by word and colour."""
    return f'<span class="verdict verdict-{verdict}">{verdict}</span>'


def value_text(value: float | str | None, printed: str, more: int = 2) -> str:
    """A reproduced value with a few digits more than the paper prints."""
    if value is None:
        return ""
    if isinstance(value, str):
        return escape(value)
    decimals = 4 if "/" in printed else len(printed.rstrip("%").partition(".")[2])
    if decimals == 0 and float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.{decimals + more}f}"


def compare(results: Results, ids: Iterable[str], *, names: Sequence[str] | None = None) -> HTML:
    """One line for each id: what it is, printed, reproduced, verdict.

    Parameters
    ----------
    results : Results
        Where the ids are recorded already.
    ids : iterable of str
        Ledger ids.
    names : sequence of str, optional
        What to call them; by default their descriptions.
    """
    entries = judge(results, list(ids))
    labels = names or [entry.description for entry in entries]
    rows = [
        [
            escape(label),
            _link(entry, entry.printed),
            value_text(entry.value, entry.printed),
            badge(entry.verdict),
        ]
        for label, entry in zip(labels, entries, strict=True)
    ]
    return _html(["", "published", "reproduced", "verdict"], rows, numeric=(1, 2))


def grid(
    results: Results,
    row_names: Mapping[str, str],
    column_names: Mapping[str, str],
    identity: Callable[[str, str], str],
    *,
    corner: str = "",
) -> HTML:
    """A table in the paper's own layout: printed above reproduced in every cell.

    Parameters
    ----------
    results : Results
        Where the ids are recorded already.
    row_names, column_names : mapping of str to str
        Keys, and what the table calls them.
    identity : callable
        ``identity(row_key, column_key)`` gives the ledger id of a cell, or "" for an
        empty one.
    corner : str, optional
        What the row names are.
    """
    rows = []
    for row_key, row_name in row_names.items():
        cells = [escape(row_name)]
        for column_key in column_names:
            key = identity(row_key, column_key)
            cells.append(_cell(judge(results, [key])[0]) if key else "")
        rows.append(cells)
    return _html([corner, *column_names.values()], rows, numeric=range(1, 1 + len(column_names)))


def plain(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int] = ()
) -> HTML:
    """Any table; `numeric` says which columns are numbers, to be aligned on the right."""
    return _html(head, [[escape(str(cell)) for cell in row] for row in rows], numeric=numeric)


def _cell(entry: Entry) -> str:
    title = escape(f"{entry.verdict}: {entry.reason}", quote=True)
    return (
        f'<span class="cell verdict-{entry.verdict}" title="{title}">'
        f"{_link(entry, entry.printed)}<br>{value_text(entry.value, entry.printed)}"
        f"<br><small>{entry.verdict}</small></span>"
    )


def _link(entry: Entry, text: str) -> str:
    return f'<a class="ledger-number" href="../book/ledger.html#{entry.id}">{escape(text)}</a>'


def _html(head: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int]) -> HTML:
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
    return HTML(
        f'<div class="wide" tabindex="0"><table class="comparison"><thead>{header}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
