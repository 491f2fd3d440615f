"""The Sphinx extension of the book: numbers quoted from the ledger, and pages mended for everyone.

``{published}`lam/section-6/wald/low``` gives the number as the paper prints it,
``{computed}`lam/section-6/wald/low``` the one that our notebooks computed, to as many
digits as the paper prints, or in a format of its own after a bar:
``{computed}`lam/section-6/wald/low|.5f```. Both link to the row of the ledger.
``{tally}`yuan-letter|erratum``` counts the numbers that a notebook recorded, here those with one
verdict. An unknown id is a warning, and so fails the build. Where no notebook of the build has
computed the value (because it failed, say), the page says "not computed" in red.

When the pages are written, they are made fit for every screen (:mod:`compendium.screens`), their
links are followed, and the notebooks that they offer get what their roles stand for
(:mod:`compendium.downloads`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from docutils import nodes
from myst_nb.ext.glue.roles import PasteTextRole
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from compendium import downloads, screens
from compendium.pages import decimals
from compendium.published import LedgerError
from compendium.verdicts import VERDICTS

Shown = defaultdict[str, dict[str, tuple[str, str]]]


class LedgerRole(SphinxRole):
    """A role that quotes a number of the ledger and links to its row."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Show what is asked for, or report what is wrong."""
        try:
            return [nodes.inline(self.rawtext, "", self._shown(), role=self.rawtext)], []
        except ValueError as error:
            report = self.inliner.reporter.warning(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, report)], [report]

    def _shown(self) -> nodes.Node:
        """A count, or a number with a link to its row; words, if it has not been computed."""
        rows = self.env.app.config.f1ci_ledger
        if self.name == "tally":
            return nodes.Text(str(tally(rows.values(), self.text)))
        identity, _, form = self.text.partition("|")
        if identity not in rows:
            raise ValueError(f"no published number has the id {identity!r}")
        row = rows[identity]
        shown = row["printed"] if self.name == "published" else row.get("value")
        if shown is None:
            return nodes.inline("", "not computed", classes=["not-computed"])
        if not isinstance(shown, str):
            shown = format(shown, form or f".{decimals(row['printed'])}f")
        uri = self.env.app.builder.get_relative_uri(self.env.docname, "book/ledger")
        return nodes.reference(
            *("", shown),
            internal=True,
            refuri=f"{uri}#{identity}",
            reftitle=f"{row['description']} ({row.get('verdict', 'an input')})",
            classes=["ledger-number", self.name],
        )


class GlueRole(PasteTextRole):  # type: ignore[misc]
    """A role that quotes what a notebook keeps for the prose, marked for `_remember`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Show it as myst-nb does."""
        shown, problems = super().run()
        return [nodes.inline(self.rawtext, "", *shown, role=self.rawtext)], problems


def tally(rows: Iterable[Mapping[str, Any]], of: str) -> int:
    """How many numbers a notebook recorded, or how many have one of some verdicts.

    `of` is the notebook's name, or a pattern of ids, and verdicts after a bar:
    ``yuan-letter|erratum open``, ``wangli/table-2/*|match``.
    """
    name, _, listed = of.partition("|")
    wanted = listed.split() or list(VERDICTS)
    if unknown := [name for name in wanted if name not in VERDICTS]:
        raise LedgerError(f"no verdict is called {unknown[0]!r}; there are {', '.join(VERDICTS)}")
    return sum(
        (fnmatchcase(row["id"], name) if "/" in name else row.get("notebook") == name)
        and row.get("verdict") in wanted
        for row in rows
    )


def _mark(_app: Sphinx, tree: nodes.document) -> None:
    """Wrap each reference of a page in the text of its role, before it is resolved."""
    for node in list(tree.findall(addnodes.pending_xref)):
        mark = nodes.inline(node.rawsource, role=node.rawsource)
        node.replace_self(mark)
        mark += node


def _remember(shown: Shown, _app: Sphinx, tree: nodes.document, document: str) -> None:
    """Note what the roles of a page have become: a text, and where it leads."""
    for node in list(tree.findall(lambda n: isinstance(n, nodes.inline) and "role" in n)):
        link = next(node.findall(nodes.reference), None)
        target = "" if link is None else link.get("refuri") or f"#{link['refid']}"
        shown[document][node["role"]] = node.astext(), target
        node.replace_self(node.children)


def faults(pages: Mapping[Path, BeautifulSoup]) -> Iterator[str]:
    """What is wrong with finished pages: links that lead nowhere, images without a text."""
    places = {
        path: {"", "top", *(tag["id"] for tag in page.select("[id]"))}
        for path, page in pages.items()
    }
    for path, page in pages.items():
        where = "/".join(path.parts[-2:])
        for image in page.select('img:not([alt]), img[alt=""]'):
            yield f"{where}: an image has no alternative text ({image.get('src')})"
        tags = page.select("[href], [src]")
        for link in sorted({str(tag.get("href") or tag["src"]) for tag in tags}):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{where}: the link {link} leads nowhere"
            elif target in places and unquote(parts.fragment) not in places[target]:
                yield f"{where}: the link {link} names no place on its page"


def _finish(shown: Shown, app: Sphinx, error: Exception | None) -> None:
    """Mend every page and warn of what is wrong with it; fill the notebooks that pages offer."""
    if error or app.builder.format != "html":
        return
    absent, pages = set(screens.MENDED), {}
    for path in Path(app.outdir).resolve().rglob("*.html"):
        if "_static" not in path.parts:
            page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
            absent -= screens.mend(page)
            path.write_text(str(page), "utf-8")
            pages[path] = page
    problems = [f"no page has {selector}, which was to be mended" for selector in sorted(absent)]
    for problem in [*problems, *faults(pages)]:
        logging.getLogger(__name__).warning("%s", problem)
    equations = app.env.get_domain("math").equations  # type: ignore[attr-defined]
    for label, (document, number) in equations.items():
        for roles in shown.values():
            roles[f":number:`{label}`"] = f"({number})", f"/{document}.html#equation-{label}"
    downloads.fill(Path(app.outdir), shown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Load the ledger that was staged with the pages, register the roles and the events."""
    path = Path(app.srcdir) / "book" / "_generated" / "ledger.json"
    ledger = json.loads(path.read_text("utf-8"))
    rows = {row["id"]: row for row in [*ledger["rows"], *ledger["inputs"]]}
    app.add_config_value("f1ci_ledger", rows, "env", [dict])
    for name in ("published", "computed", "tally"):
        app.add_role(name, LedgerRole())
    app.add_role_to_domain("glue", "text", GlueRole(), override=True)
    shown: Shown = defaultdict(dict)
    app.connect("doctree-read", _mark)
    app.connect("doctree-resolved", partial(_remember, shown))
    app.connect("build-finished", partial(_finish, shown))
    return {"parallel_read_safe": True, "parallel_write_safe": False}
