"""A Sphinx extension: two roles that quote the ledger, so that no number is typed by hand.

``{published}`lam/section-6/wald/low``` gives the number as the paper prints it,
``{computed}`lam/section-6/wald/low``` the one that our notebooks computed, to as many
digits as the paper prints, or in a format of its own after a bar:
``{computed}`lam/section-6/wald/low|.5f```. Both link to the row of the ledger.
An unknown id is a warning, and so fails the build. Where no notebook of the build has
computed the value (because it failed, say), the page says "not computed" in red.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

LEDGER_PAGE = "book/ledger"


class LedgerRole(SphinxRole):
    """What both roles share: the row, and the link to it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look the row up and link to it, or report what is wrong."""
        identity, _, form = self.text.partition("|")
        row = self.env.app.f1ci_ledger.get(identity)
        if row is None:
            return self._problem(f"no published number has the id {identity!r}")
        try:
            shown = self.show(row, form)
        except ValueError as error:
            return self._problem(f"{identity}: {error}")
        if shown is None:
            return [nodes.inline("", "not computed", classes=["not-computed"])], []
        builder = self.env.app.builder
        uri = builder.get_relative_uri(self.env.docname, LEDGER_PAGE) + f"#{identity}"
        link = nodes.reference(
            "", shown, internal=True, refuri=uri, classes=["ledger-number", self.name]
        )
        link["reftitle"] = f"{row['description']} ({row.get('verdict', 'an input')})"
        return [link], []

    def show(self, row: dict[str, Any], form: str) -> str | None:
        """The text of the link."""
        raise NotImplementedError

    def _problem(self, message: str) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        report = self.inliner.reporter.warning(message, line=self.lineno)
        return [self.inliner.problematic(self.rawtext, self.rawtext, report)], [report]


class Published(LedgerRole):
    """The number as printed."""

    def show(self, row: dict[str, Any], form: str) -> str | None:
        """The printed string, unchanged."""
        if form:
            raise ValueError("a published number is quoted as it stands, without a format")
        return str(row["printed"])


class Computed(LedgerRole):
    """The number as reproduced."""

    def show(self, row: dict[str, Any], form: str) -> str | None:
        """Our value, with the paper's number of decimals unless a format is given."""
        value = row.get("value")
        if value is None:
            return None
        if isinstance(value, str):
            return value
        return format(value, form or f".{decimals(row['printed'])}f")


def decimals(printed: str) -> int:
    """How many decimals a printed number has.

    >>> decimals("99.6%"), decimals("59,066")
    (1, 0)
    """
    return len(printed.rstrip("%").partition(".")[2])


def setup(app: Sphinx) -> dict[str, bool]:
    """Load the ledger that was staged with the pages, and register the roles."""
    path = Path(app.srcdir) / "book" / "_generated" / "ledger.json"
    ledger = json.loads(path.read_text("utf-8"))
    app.f1ci_ledger = {row["id"]: row for row in [*ledger["rows"], *ledger["inputs"]]}
    app.add_role("published", Published())
    app.add_role("computed", Computed())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
