"""The Sphinx extension of the book: numbers quoted from the ledger, and pages mended for everyone.

``{published}`lam/section-6/wald/low``` gives the number as the paper prints it,
``{computed}`lam/section-6/wald/low``` the one that our notebooks computed, to as many
digits as the paper prints, or in a format of its own after a bar:
``{computed}`lam/section-6/wald/low|.5f```. Both link to the row of the ledger.
``{tally}`yuan-letter|erratum``` counts the numbers that a notebook recorded, here those with one
verdict. An unknown id is a warning, and so fails the build. Where no notebook of the build has
computed the value (because it failed, say), the page says "not computed" in red.

When the pages are written, their tables are made fit for every screen (:mod:`compendium.screens`).
What the theme gets wrong for screen readers and keyboards is mended, and a warning says so when
there is nothing to mend any more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from compendium import downloads, screens
from compendium.pages import decimals
from compendium.published import LedgerError
from compendium.verdicts import VERDICTS

__all__ = ["setup"]

LEDGER_PAGE = "book/ledger"
# What the theme and myst-nb write, and what a screen reader or a keyboard needs instead.
MENDED = {
    # The visible words name a folded cell better than the label that hides them.
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # A button's label must contain its visible text, "Search Ctrl+K".
    'search-button-field search-button__button pst-js-only" title="Search" aria-label="Search"': (
        'search-button-field search-button__button pst-js-only" title="Search"'
    ),
    # The icons' own titles contradict their button's label.
    'data-mode="light" title="Light"': 'data-mode="light"',
    'data-mode="dark"  title="Dark"': 'data-mode="dark"',
    'data-mode="auto"  title="System Settings"': 'data-mode="auto"',
}
# The arrows in the list of pages have no name; each gets that of the page above its list.
_ARROW = re.compile(r'>([^<>]+)</a>(<details[^>]*>)<summary><span class="toctree-toggle"')


class LedgerRole(SphinxRole):
    """A role that quotes a number of the ledger and links to its row."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look the row up, or report what is wrong."""
        rows = self.env.app.config.f1ci_ledger
        identity = self.text.partition("|")[0]
        try:
            shown = _shown(rows, self.name, self.text)
            if self.name == "tally":
                return [nodes.inline("", str(shown))], []
            row = rows[identity]
        except ValueError as error:
            report = self.inliner.reporter.warning(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, report)], [report]
        if shown is None:
            return [nodes.inline("", "not computed", classes=["not-computed"])], []
        builder = self.env.app.builder
        uri = builder.get_relative_uri(self.env.docname, LEDGER_PAGE) + f"#{identity}"
        link = nodes.reference(
            "", shown, internal=True, refuri=uri, classes=["ledger-number", self.name]
        )
        link["reftitle"] = f"{row['description']} ({row.get('verdict', 'an input')})"
        return [link], []


def _shown(rows: dict[str, dict[str, Any]], role: str, text: str) -> str | None:
    """What a role of the ledger shows; None if it has not been computed."""
    if role == "tally":
        return str(tally(rows.values(), text))
    identity, _, form = text.partition("|")
    if identity not in rows:
        raise ValueError(f"no published number has the id {identity!r}")
    return (
        _printed(rows[identity], form) if role == "published" else _computed(rows[identity], form)
    )


def tally(rows: Iterable[Mapping[str, Any]], of: str) -> int:
    """How many numbers a notebook recorded, or how many have one of some verdicts.

    `of` is the notebook's name, and verdicts after a bar: ``yuan-letter|erratum open``.
    """
    notebook, _, listed = of.partition("|")
    wanted = listed.split() or list(VERDICTS)
    if unknown := [name for name in wanted if name not in VERDICTS]:
        raise LedgerError(f"no verdict is called {unknown[0]!r}; there are {', '.join(VERDICTS)}")
    return sum(row.get("notebook") == notebook and row["verdict"] in wanted for row in rows)


def _printed(row: dict[str, Any], form: str) -> str:
    """The printed string, unchanged."""
    if form:
        raise ValueError(f"{row['id']}: a published number stands as it is, without a format")
    return str(row["printed"])


def _computed(row: dict[str, Any], form: str) -> str | None:
    """Our value, with the paper's number of decimals unless a format is given."""
    value = row.get("value")
    if value is None or isinstance(value, str):
        return value
    return format(value, form or f".{decimals(row['printed'])}f")


def _mend(app: Sphinx, error: Exception | None) -> None:
    """Mend every page; warn of patterns that are on none."""
    if error or app.builder.format != "html":
        return
    absent = set(MENDED)
    for path in Path(app.outdir).rglob("*.html"):
        mended = text = path.read_text("utf-8")
        for old, new in MENDED.items():
            if old in text:
                absent.discard(old)
                mended = mended.replace(old, new)
        mended = _ARROW.sub(
            r'>\1</a>\2<summary aria-label="Pages of: \1"><span class="toctree-toggle"', mended
        )
        if mended != text:
            path.write_text(mended, "utf-8")
    for old in sorted(absent):
        logging.getLogger(__name__).warning("no page has %r, which was to be mended", old)


def _without_thebe(_app: Any, _page: str, _template: str, context: dict[str, Any], _: Any) -> None:
    """Leave sphinx-thebe's scripts out of a page.

    Jupyter Book loads that extension always. The book does not offer its live cells,
    and its script is declared twice, which stops with an error in every browser.
    """
    for kind in ("script_files", "css_files"):
        context[kind] = [
            file
            for file in context[kind]
            if "thebe" not in f"{file.filename} {file.attributes.get('body')}".lower()
        ]


def _fit(_app: Any, _page: str, _template: str, context: dict[str, Any], _: Any) -> None:
    """Complete the tables of a page."""
    if "body" in context:
        context["body"] = screens.fit(context["body"])


def _make_downloads_readable(app: Sphinx, error: Exception | None) -> None:
    """Put what the roles show into the notebooks that the pages offer."""
    if error or app.builder.format != "html":
        return

    def number(role: str, text: str) -> str:
        return _shown(app.config.f1ci_ledger, role, text) or "(not computed)"

    downloads.write(
        Path(app.outdir),
        lambda document, values: downloads.Reader(app.env, document, number, values),
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Load the ledger that was staged with the pages, register the roles and the events."""
    path = Path(app.srcdir) / "book" / "_generated" / "ledger.json"
    ledger = json.loads(path.read_text("utf-8"))
    rows = {row["id"]: row for row in [*ledger["rows"], *ledger["inputs"]]}
    app.add_config_value("f1ci_ledger", rows, "env", [dict])
    for name in ("published", "computed", "tally"):
        app.add_role(name, LedgerRole())
    app.connect("html-page-context", _without_thebe, priority=900)
    app.connect("html-page-context", _fit, priority=900)
    app.connect("build-finished", _mend)
    app.connect("build-finished", _make_downloads_readable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
