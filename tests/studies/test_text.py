"""The text of notebooks and pages: no line is lost, and no verdict on a statement is typed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from compendium import NOTEBOOKS, ROOT, sources

SOURCES = sorted(NOTEBOOKS.glob("*.py"))
PAGES = sorted((ROOT / "book").glob("*.md"))


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a page, or of a notebook's text, that are not in a code block."""
    texts = [path.read_text("utf-8")]
    if path.suffix == ".py":
        texts = [c.source for c in sources.read(path).cells if c.cell_type == "markdown"]
    for text in texts:
        yield from re.sub(r"^(`{3,}|~{3,}).*?^\1", "", text, flags=re.M | re.S).splitlines()


@pytest.mark.parametrize("path", [*SOURCES, *PAGES], ids=lambda path: path.name)
def test_no_line_of_text_begins_with_a_percent_sign(path: Path) -> None:
    # MyST takes such a line for a comment, and the page loses it.
    assert [line for line in text_lines(path) if line.lstrip().startswith("%")] == []


def decisions(path: Path) -> Iterator[ast.expr]:
    """Yield what decides each statement: the last of four arguments, or of a tuple of four."""
    for cell in sources.read(path).cells:
        if cell.cell_type == "code" and "claim" in cell.source:
            for node in ast.walk(ast.parse(cell.source)):
                parts = node.elts if isinstance(node, ast.Tuple) else []
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("claim"):
                    parts = node.args
                if len(parts) == 4:
                    yield parts[3]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_verdict_on_a_statement_is_typed(path: Path) -> None:
    for decision in decisions(path):
        # None says that nothing at hand can decide.
        assert not isinstance(decision, ast.Constant) or decision.value is None


def test_there_are_statements_to_look_at() -> None:
    assert sum(1 for path in SOURCES for _ in decisions(path)) > 60
