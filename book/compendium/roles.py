"""The ledger's roles: numbers that a text quotes.

``{published}`lam/section-6/wald/low``` gives the number as the paper prints it.
``{computed}`lam/section-6/wald/low``` gives our number, to the digits that the paper prints, or in
the format after a bar: ``{computed}`lam/section-6/wald/low|.5f```.
``{glue:text}`lam-coverage-largest:.1f``` gives a number that a notebook said; a notebook's address
and two colons before its key are for the reader of the source.
``{verdict}`lam/section-6/f1``` gives the verdict of a number, on pages of the book.
``{tally}`yuan-letter|erratum``` counts the numbers that a notebook recorded, here those with one
verdict.

Each role is replaced in the text, for the book by `in_book` and for Jupyter by `in_jupyter`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from markupsafe import escape

from compendium import SITE, show
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
_BLOCK = re.compile(r"^(:{3,}|`{3,})\{(?P<kind>\w+)\}.*?^\1$\n?", re.M | re.S)
_PAGE = re.compile(r"\]\((?:/|\.\./)(book|notebooks)/([\w-]+)\.(?:md|ipynb|html)")
_TITLED = re.compile(r"(?P<title>.*\S)\s*<[^<>]+>", re.S)
# By role and id: a value, and the number that the paper prints.
Known = Mapping[str, Mapping[str, tuple[float | str | None, str]]]


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


def in_jupyter(text: str, known: Known, page: str) -> str:
    """Replace all roles by what Jupyter shows; roles without a value link to the book's page."""
    there = f"[…]({SITE}{page}.html)"

    def shown(role: str, content: str) -> str:
        if role == "tally":
            return there
        if role in known:
            identity, number = _quoted(known, role, content)
            if role == "glue:text":
                return number or there
            return f"[{number or '…'}]({SITE}book/ledger.html#{identity})"
        titled = _TITLED.fullmatch(content)
        return titled["title"] if titled else f"`{content}`"

    def block(match: re.Match[str]) -> str:
        return "" if match["kind"] == "raw" else f"[Figure on the page]({SITE}{page}.html)\n"

    plain = _BLOCK.sub(block, _ANCHOR.sub("", text))
    plain = _PAGE.sub(rf"]({SITE}\1/\2.html", plain)
    return _replace(plain, shown)
