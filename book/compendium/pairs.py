"""Write each notebook's pair for Jupyter, ``x.ipynb``, from its source ``x.py``.

The committed pair has no outputs, and its cell ids come from the cells' content: the same source
always gives the same bytes. It has an additional cell, which finds the repository. Jupyter does
not know the book's roles, so the text has numbers instead of roles: those that the papers print,
and our numbers of the reference run. An executed notebook has the numbers of its own run.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from compendium import ROOT, ledger, roles, sources, write
from compendium.published import Published
from compendium.runs import REFERENCE, Edition, command

_FIND = """\
# In the repository this cell finds the repository. Elsewhere it says what to do.
import importlib.util
import os
import sys

needs = {needs}
if None in map(importlib.util.find_spec, needs):
    beside = os.path.isdir("../book/compendium")
    root = os.path.abspath(".." if beside else ".")
    sys.path[:0] = [root, os.path.join(root, "book")]
    if None in map(importlib.util.find_spec, needs):
        get = "" if beside else "get the repository (`git clone https://github.com/f1ci/f1ci`), "
        raise ModuleNotFoundError(
            f"This notebook needs the book's packages: {get}run `make ready` in the repository, "
            "and choose the kernel of its .venv."
        )"""

_IN_BOOK = re.compile(r"^(?:from|import) (?:compendium|notebooks)\b", re.M)


def make_readable(notebook: NotebookNode, page: str, known: roles.Known) -> None:
    """Replace the book's roles in a notebook's text by what Jupyter shows."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = roles.in_jupyter(cell.source, known, page)


def add_under_title(notebook: NotebookNode, text: str) -> None:
    """Add a text under the title: where the numbers come from, or what a page was made from."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    notebook.cells[0].source = "\n\n".join([title, text, rest.strip()]).rstrip()


def add_finding(notebook: NotebookNode) -> None:
    """Add the cell that finds the repository. Tutorials need f1ci alone."""
    in_book = any(_IN_BOOK.search(c.source) for c in notebook.cells if c.cell_type == "code")
    needs = ("compendium", "papermill") if in_book else ("f1ci",)
    code = _FIND.replace("{needs}", json.dumps(needs))
    find = nbformat.v4.new_code_cell(code, id="find", metadata={"tags": ["remove-cell"]})
    notebook.cells.insert(1, find)


def pair_text(source: Path, root: Path = ROOT) -> str:
    """Return the text of the ``.ipynb`` that belongs to a source."""
    notebook = sources.read(source)
    published = Published()
    records, _, _ = ledger.read(root / REFERENCE, published)
    make_readable(notebook, f"notebooks/{source.stem}", roles.known_values(published, records))
    if (root / REFERENCE / f"{source.stem}.csv").exists():
        add_under_title(
            notebook, "*The numbers in the text are those of the book's reference run.*"
        )
    add_finding(notebook)
    return f"{nbformat.writes(notebook, version=4)}\n"


def _main(edition: Edition, _: object) -> bool:
    for source in sources.sources(edition.root / "notebooks"):
        pair, text = source.with_suffix(".ipynb"), pair_text(source, edition.root)
        if not pair.exists() or pair.read_text("utf-8") != text:
            sys.stdout.write(f"wrote {write(pair, text).name}\n")
    return True


if __name__ == "__main__":
    command(_main, {})
