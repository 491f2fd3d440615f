"""Write each notebook's pair for Jupyter and papermill, ``x.ipynb``, from its source ``x.py``.

Jupyter does not know the book's roles, so they are replaced. A text that quotes numbers of the
notebook's own run becomes a cell of code that shows the text with these numbers: the text is an
output, and so it is about the run that a reader makes, whoever runs it. Its code is hidden, and
until the first run its output has the numbers of the reference run. No other cell of the committed
pair has an output. The pair has an additional cell, which finds the repository. Its cell ids come
from the cells' content: the same source always gives the same bytes.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from compendium import ROOT, ledger, references, roles, sources, write
from compendium.published import Published
from compendium.runs import REFERENCE, Edition, command

_FIND = """\
# In the repository this cell finds the repository. Elsewhere it says what to do.
import os
import sys
from importlib.util import find_spec

needs = {needs}
beside = os.path.isdir("../book/compendium")
if not find_spec("compendium"):
    root = os.path.abspath(".." if beside else ".")
    sys.path[:0] = [root, os.path.join(root, "book")]
if None in map(find_spec, needs):
    get = "" if beside else "get the repository (`git clone https://github.com/f1ci/f1ci`), "
    raise ModuleNotFoundError(
        f"This notebook needs the book's packages: {get}run `make ready` in the repository, "
        "and choose the kernel of its .venv."
    )
{prose}"""
_PROSE = "from compendium.roles import prose  # shows a text with the numbers of this run"
_PROSE_OR_NAMES = """\
try:
    from compendium.roles import prose  # shows a text with the numbers of this run
except ImportError:  # f1ci alone: the text has names where it would have numbers
    from IPython.display import Markdown as prose"""
_IN_BOOK = re.compile(r"^(?:from|import) (?:compendium|notebooks)\b", re.M)
_NOTE = (
    "*The numbers in the text are outputs: those of your run, and until you run the notebook those "
    "of the book's reference run.*"
)
JUPYTER_ONLY = "jupyter-only"  # the tag of cells that the book's page does not have


def for_jupyter(source: Path, root: Path = ROOT) -> NotebookNode:
    """Return the notebook that Jupyter and papermill run, from its source."""
    notebook = sources.read(source)
    make = _Maker(source, root)
    title, *cells = notebook.cells
    head, _, rest = title.source.partition("\n")
    opening = make.text_cell(
        new_markdown_cell(rest.strip(), id=f"{title.id}-text", metadata={"tags": [JUPYTER_ONLY]})
    )
    title.source = head
    notebook.cells = [title, _finding(notebook)]
    if rest:  # as code, it needs what the other cell finds
        notebook.cells.insert(1 + (opening.cell_type == "code"), opening)
    for cell in cells:
        notebook.cells += make.cells(cell)
    if any(cell.get("outputs") for cell in notebook.cells):
        add_under_title(notebook, _NOTE)
    return notebook


def put_roles_back(notebook: NotebookNode, source: Path) -> None:
    """Make a notebook for Jupyter, which has run, a page: with the texts of its source."""
    texts = {cell.id: cell for cell in sources.read(source).cells if cell.cell_type == "markdown"}
    notebook.cells = [
        texts.get(cell.id, cell)
        for cell in notebook.cells
        if JUPYTER_ONLY not in cell.metadata.get("tags", [])
    ]


class _Maker:
    """What makes cells for Jupyter from those of one source."""

    def __init__(self, source: Path, root: Path) -> None:
        published = Published(Edition(root).published)
        records, notebooks, _ = ledger.read(root / REFERENCE, published)
        others = {i: record for i, record in records.items() if notebooks[i] != source.stem}
        self.names = references.names(root)
        self.reference = roles.known_values(published, records)
        self.fixed = roles.known_values(published, others)  # whatever the notebook computes
        effort = {"seed", *sources.quick_values(root).get(source.stem, {})}
        self.defaults = {
            parameter.name: ast.literal_eval(parameter.default)
            for parameter in sources.declared(source)
            if parameter.name not in effort
        }

    def cells(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        """Give what stands for a cell: a figure has its caption and its description below it."""
        if cell.cell_type == "markdown":
            yield self.text_cell(cell)
            return
        if "remove-cell" in cell.metadata.get("tags", []):
            cell.metadata["jupyter"] = {"source_hidden": True}
        yield cell
        shown = cell.metadata.get("mystnb", {})
        if caption := shown.get("figure", {}).get("caption"):
            text = f"**Figure.** {self._in_jupyter(caption)}"
            if alternative := shown.get("image", {}).get("alt"):
                said = f"<summary>The figure in words</summary>{alternative}"
                text += f"\n\n<details>{said}</details>"
            tags = {"tags": [JUPYTER_ONLY]}
            yield new_markdown_cell(text, id=f"{cell.id}-caption", metadata=tags)

    def text_cell(self, cell: NotebookNode) -> NotebookNode:
        """Return a text for Jupyter: as code that shows it, if it depends on the run."""
        text = self._in_jupyter(cell.source)
        shown = roles.with_numbers(text, self.reference)
        where = self.defaults if "default-values" in cell.metadata.get("tags", []) else {}
        if shown == text and not where:
            cell.source = text
            return cell
        values = "".join(f", {name}={value!r}" for name, value in where.items())
        shows: NotebookNode = new_code_cell(
            f'prose(r"""\n{text}\n"""{values})',
            id=cell.id,
            metadata={**cell.metadata, "jupyter": {"source_hidden": True}},
            outputs=[new_output("display_data", {"text/markdown": shown})],
        )
        return shows

    def _in_jupyter(self, text: str) -> str:
        return roles.in_jupyter(text, self.fixed, self.names)


def add_under_title(notebook: NotebookNode, text: str) -> None:
    """Add a text under the title: where the numbers come from, or what a page was made from."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    notebook.cells[0].source = "\n\n".join([title, text, rest.strip()]).rstrip()


def _finding(notebook: NotebookNode) -> NotebookNode:
    """Return the cell that finds the repository. Tutorials need f1ci alone."""
    in_book = any(_IN_BOOK.search(c.source) for c in notebook.cells if c.cell_type == "code")
    needs = ("compendium", "papermill") if in_book else ("f1ci",)
    code = _FIND.replace("{needs}", json.dumps(needs))
    code = code.replace("{prose}", _PROSE if in_book else _PROSE_OR_NAMES)
    metadata = {"tags": ["remove-cell", JUPYTER_ONLY], "jupyter": {"source_hidden": True}}
    find: NotebookNode = new_code_cell(code, id="find", metadata=metadata)
    return find


def pair_text(source: Path, root: Path = ROOT) -> str:
    """Return the text of the ``.ipynb`` that belongs to a source."""
    return f"{nbformat.writes(for_jupyter(source, root), version=4)}\n"


def _main(edition: Edition, _: object) -> bool:
    for source in sources.sources(edition.root / "notebooks"):
        pair, text = source.with_suffix(".ipynb"), pair_text(source, edition.root)
        if not pair.exists() or pair.read_text("utf-8") != text:
            sys.stdout.write(f"wrote {write(pair, text).name}\n")
    return True


if __name__ == "__main__":
    command(_main, {})
