"""The ledger's roles: numbers that a text quotes.

``{published}`lam/section-6/wald/low``` gives the number as the paper prints it.
``{computed}`lam/section-6/wald/low``` gives our number, to the digits that the paper prints, or in
the format after a bar: ``{computed}`lam/section-6/wald/low|.5f```.
``{glue:text}`lam-coverage-largest:.1f``` gives a number that a notebook said; a notebook's address
and two colons before its key are for the reader of the source.
``{verdict}`lam/section-6/f1``` gives the verdict of a number, on pages of the book.
``{tally}`yuan-letter|erratum``` counts the numbers that a notebook recorded, here those with one
verdict.

Each role is replaced in the text, for the book by `in_book` and for Jupyter by `in_jupyter`. There
the roles of numbers that the notebook itself computes stay, and `prose` shows the text with the
numbers of the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from IPython import get_ipython
from IPython.display import DisplayHandle, Markdown, display
from markupsafe import escape

from compendium import ledger, show
from compendium.ledger import Record
from compendium.published import LedgerError, Published

# Blocks and quoted code come before roles: a role in code stays.
_ROLE = re.compile(
    r"^(?P<begin>[ \t]*(?P<fence>`{3,}))(?P<block>.*?)(?P<end>^[ \t]*(?P=fence))"
    r"|(?<!\{)`` ?.+? ?``"
    r"|\{(?P<name>[\w:]+)\}`(?P<text>[^`]+)`",
    re.S | re.M,
)
_ANCHOR = re.compile(r"^\([\w.-]+\)=\n|(?<=\$\$)[ \t]*\([\w-]+\)[ \t]*$", re.M)
# A figure of another run, or a part that only a page can show.
_BLOCK = re.compile(r"^(:{3,}|`{3,})\{\w+\}.*?^\1$\n?", re.M | re.S)
_TO_LABEL = re.compile(r"\[([^\]]+)\]\([\w-]+\)")
_PARAGRAPH = re.compile(r"(\n\n|\n(?=- ))")  # what is between paragraphs and entries of lists
_TITLED = re.compile(r"(?P<title>.*\S)\s*<[^<>]+>", re.S)
# By role and id: a value, and the number that the paper prints.
Known = Mapping[str, Mapping[str, tuple[float | str | None, str]]]
_shown: dict[DisplayHandle, tuple[str, str]] = {}  # texts with roles, and as they are shown


def known_values(published: Published, records: Mapping[str, Record]) -> Known:
    """Return what roles quote."""
    rows = published.everything
    return {
        "published": {i: (row.printed, row.printed) for i, row in rows.items()},
        "computed": {i: (r.value, rows[i].printed) for i, r in records.items() if i in rows},
        "glue:text": {i: (r.value, "") for i, r in records.items() if "/" not in i},
    }


def _replace(text: str, shown: Callable[[str, str], str | None]) -> str:
    """Replace each role by what `shown` returns for its name and content; None leaves it."""

    def role(match: re.Match[str]) -> str:
        block = match["block"] or ""
        if block.startswith("{"):  # a directive, such as a glossary
            return match["begin"] + _replace(block, shown) + match["end"]
        if not match["name"]:
            return match[0]
        new = shown(match["name"], match["text"].replace("\\|", "|"))  # escaped in a table
        return match[0] if new is None else new

    return _ROLE.sub(role, text)


def _quoted(known: Known, role: str, content: str) -> tuple[str, str]:
    """Return an id, and its number as a text quotes it, or "" if the number is not known."""
    separator = ":" if role == "glue:text" else "|"
    identity, _, form = content.rpartition("::")[2].partition(separator)
    value, printed = known[role].get(identity, (None, ""))
    return identity, show.quote(value, printed, form)


def in_book(text: str, known: Known, facts: Mapping[str, str], tally: Callable[[str], int]) -> str:
    """Replace the ledger's roles in a page's text. A number of a paper links to its row.

    `facts` describe each number, by id, and `tally` counts. An unknown id is an error. If no
    notebook of the build has computed a number, the page says "not computed" in red.
    """

    def shown(role: str, content: str) -> str | None:
        if role == "tally":
            return str(tally(content))
        if role not in known:
            return None
        identity, number = _quoted(known, role, content)
        if "/" in identity and identity not in facts:
            raise LedgerError(f"no published number has the id {identity!r}")
        if not number:
            return '<span class="not-computed">not computed</span>'
        if role in ("glue:text", "verdict"):
            return number
        row = f'href="../book/ledger.html#{identity}" title="{escape(facts[identity])}"'
        link = f'<a class="ledger-number {role}" {row}>{escape(number)}</a>'
        return link.replace("|", "&#124;")  # which would end a cell of a table

    return _replace(text, shown)


def in_jupyter(text: str, known: Known, names: Mapping[tuple[str, str], str]) -> str:
    """Replace roles by what Jupyter shows; a number that is not known keeps its role.

    `names` are those of labels (:mod:`compendium.references`). Only the book gives verdicts, so a
    paragraph that counts them is left to it.
    """

    def shown(role: str, content: str) -> str | None:
        if role in known:
            return _quoted(known, role, content)[1] or None
        titled = _TITLED.fullmatch(content)
        return titled["title"] if titled else names.get((role, content), f"`{content}`")

    plain = _BLOCK.sub("", _ANCHOR.sub("", text)).replace("](/", "](../")
    plain = _TO_LABEL.sub(r"\1", plain)
    kept = (part for part in _PARAGRAPH.split(plain) if "{tally}" not in part)
    return _replace("".join(kept), shown)


def with_numbers(text: str, known: Known) -> str:
    """Replace the roles of numbers by the numbers, or by "…" where a number is not known."""

    def shown(role: str, content: str) -> str | None:
        return (_quoted(known, role, content)[1] or "…") if role in known else None

    return _replace(text, shown)


# In a notebook's kernel


def prose(text: str, **where: Any) -> None:
    """Show a text of a notebook with the numbers that this run computes.

    A number that a later cell computes is "…" until then. `where` has the values of parameters for
    which a text is true; a run with other values leaves the text out.
    """
    shell: Any = get_ipython()
    if any(shell.user_ns[name] != value for name, value in where.items()):
        text = "*(A text about the default values of the parameters is left out.)*"
    text = text.strip()
    shown = with_numbers(text, _computed())
    _shown[display(Markdown(shown), display_id=True)] = (text, shown)
    shell.events.register("post_run_cell", _update)  # once, however often it is asked


def _update(_: object) -> None:
    """Show the texts again for which the last cell has computed a number."""
    known = _computed()
    for handle, (text, before) in _shown.items():
        if (shown := with_numbers(text, known)) != before:
            handle.update(Markdown(shown))
            _shown[handle] = (text, shown)


def _computed() -> Known:
    """Return the numbers that this notebook has computed so far."""
    try:
        page = ledger.opened()
    except LedgerError:  # the text stands above the cell that opens it
        return {"computed": {}, "glue:text": {}}
    return known_values(page.published, page.records | page.quoted)
