"""Texts made from data: the templates of pages, tables and manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from compendium import show
from compendium.verdicts import VERDICTS

_JINJA = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
)
_JINJA.filters["digits"] = show.value_text
_JINJA.globals |= {"VERDICTS": VERDICTS, "zip": zip}
# How the book shows one number of the ledger, in a table and on the ledger's page.
ROW: Any = _JINJA.get_template("row.html").module


def render(template: str, **values: Any) -> str:
    """Return a template's text."""
    return _JINJA.get_template(template).render(values)
