"""What readers see of the ledger: marks in tables filled in, and the pages made from data.

How it looks is in the templates beside this module: `row.html` has one row wherever it stands, and
each `.md` file is a fragment that a page includes.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any
from unittest import mock

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from compendium import ROOT
from compendium.published import ERRATUM_KINDS, LedgerError, Row
from compendium.verdicts import VERDICTS, Entry, Ledger
from f1ci import cli

_MARK = re.compile(r'<span data-ledger="([^"]*)" data-show="(\w+)"></span>')
# The parts of pages that follow from the ledger and from the last runs.
FRAGMENTS = (
    *("sentence", "verdicts", "power", "scoreboard", "ledger-table", "inputs-table"),
    *("errata", "cli", "parameters", "times"),
)
# Made up for the page on the command line, which offers it.
_LABELS = ROOT / "book" / "_static" / "labels.csv"


def fill(html: str, rows: Mapping[str, Row]) -> str:
    """A notebook's table with printed numbers, ours, verdicts and links in their places."""

    def show(mark: re.Match[str]) -> str:
        identity, what = unescape(mark[1]), mark[2]
        row = rows.get(identity)
        if row is None:
            raise LedgerError(f"no published number has the id {identity!r}")
        if what not in ("description", "printed") and not isinstance(row, Entry):
            raise LedgerError(f"{identity} is an input, which has no {what}")
        return str(getattr(_ROW, what)(row))

    return _MARK.sub(show, html)


def value_text(value: float | str | None, printed: str) -> str:
    """A reproduced value with two digits more than the paper prints."""
    if value is None or isinstance(value, str):
        return value or ""
    places = 4 if "/" in printed else decimals(printed)
    if places == 0 and value.is_integer():
        return f"{value:,.0f}"
    return f"{value:,.{places + 2}f}"


def decimals(printed: str) -> int:
    """How many decimals a printed number has.

    >>> decimals("99.6%"), decimals("59,066")
    (1, 0)
    """
    return len(printed.rstrip("%").partition(".")[2])


def item_name(item: str) -> str:
    """An item as a reader calls it.

    >>> item_name("section-2.4")
    'Section 2.4'
    """
    return item.replace("-", " ").capitalize()


def fragment(name: str, ledger: Ledger, **more: Any) -> str:
    """A part of a page, from its template and what that needs beside the ledger."""
    published, entries = ledger.published, ledger.entries
    totals = Counter(e.verdict for e in entries)
    once = Counter(e.verdict for e in entries if e.id not in published.restated)
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.paper, entry.item), []).append(entry)
    order = list(dict.fromkeys(ERRATUM_KINDS.values()))
    errata = sorted(published.errata.values(), key=lambda e: order.index(e.id[0]))
    with mock.patch.dict(os.environ, COLUMNS="88"):  # whatever the width of the terminal is
        return render(
            f"{name}.md",
            ledger=ledger,
            papers=published.papers,
            names=[(key, paper.name) for key, paper in published.papers.items()],
            totals=totals,
            used=[verdict for verdict in VERDICTS if totals[verdict]],
            once=once,
            agree=sum(count for name, count in once.items() if VERDICTS[name].agrees),
            groups=groups,
            register={e: [row for row in entries if row.erratum == e.id] for e in errata},
            kinds=[(kind, kind) for kind in dict.fromkeys(e.kind for e in errata)],
            labels=_LABELS,
            answer=_answer,
            helps=cli.helps,
            **more,
        )


def render(template: str, **values: Any) -> str:
    """A template's text."""
    return _JINJA.get_template(template).render(values)


def _answer(command: str) -> str:
    """What a command prints."""
    words = [str(_LABELS) if w == _LABELS.name else w for w in shlex.split(command)]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if cli.main(words[1:]):
            raise ValueError(f"this command of a page has failed: {command}")
    return out.getvalue().rstrip()


_JINJA = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
)
_JINJA.filters["digits"] = value_text
_JINJA.globals |= {"VERDICTS": VERDICTS, "item_name": item_name, "zip": zip}
_ROW = _JINJA.get_template("row.html").module
