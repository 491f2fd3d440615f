"""No verdict on a paper's statement is typed: a computation decides it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compendium import NOTEBOOKS, sources


def decisions() -> Iterator[ast.expr]:
    """Yield what decides each statement: the last of four arguments, or of a tuple of four."""
    for path in sorted(NOTEBOOKS.glob("*.py")):
        for cell in sources.read(path).cells:
            if cell.cell_type == "code" and "claim" in cell.source:
                for node in ast.walk(ast.parse(cell.source)):
                    parts = node.elts if isinstance(node, ast.Tuple) else []
                    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("claim"):
                        parts = node.args
                    if len(parts) == 4:
                        yield parts[3]


def test_no_verdict_on_a_statement_is_typed() -> None:
    found = list(decisions())
    assert len(found) > 60
    # None says that nothing at hand can decide.
    typed = [d for d in found if isinstance(d, ast.Constant) and d.value is not None]
    assert [ast.unparse(decision) for decision in typed] == []
