"""Notebook pairs: ``notebooks/x.py`` (percent format) is the source, ``x.ipynb`` follows.

The committed ``.ipynb`` carries no outputs, and its cell ids come from the cells'
content, so that the same source always gives the same bytes. It has one cell more
than its source, which fetches the repository where that is not installed, as on Colab; and it
has links in place of the book's roles.
``python -m compendium.sources pair`` writes the pairs, ``check`` compares them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from compendium import ROOT, downloads, parameters, write
from compendium.parameters import Parameter, ParameterError

__all__ = [
    "add_fetching",
    "check",
    "declared_parameters",
    "pair_text",
    "parameters_cell",
    "read",
    "sources",
]

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_FETCH = """\
# In the repository and on Binder this cell does nothing. Anywhere else (Colab, a notebook on its
# own) it fetches the repository and installs the versions that the book was computed with.
import importlib.util
import os
import sys

if importlib.util.find_spec("compendium") is None:
    if not os.path.isdir("f1ci-book"):
        !git clone --quiet --depth 1 https://github.com/f1ci/f1ci f1ci-book
    %pip install --quiet --require-hashes -r f1ci-book/requirements.lock
    sys.path[:0] = [os.path.abspath("f1ci-book"), os.path.abspath("f1ci-book/book")]
    %cd -q f1ci-book/notebooks"""


def sources(folder: Path) -> list[Path]:
    """The notebooks' sources, in the order of their names."""
    return sorted(folder.glob("*.py"))


def read(source: Path) -> NotebookNode:
    """The notebook that a percent script stands for, with ids made from its cells."""
    script = jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:percent")
    seen: dict[str, int] = {}
    cells = []
    for cell in script.cells:
        key = f"{cell.cell_type}\n{cell.source}"
        seen[key] = seen.get(key, 0) + 1
        identity = hashlib.sha256(f"{key}\n{seen[key]}".encode()).hexdigest()[:12]
        cells.append(_cell(cell.cell_type, cell.source, identity, dict(cell.metadata)))
    notebook: NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata=_METADATA)
    return notebook


def pair_text(source: Path) -> str:
    """What the committed ``.ipynb`` beside a source must contain."""
    notebook = read(source)
    downloads.readable(notebook, downloads.Outside(source.stem))
    add_fetching(notebook)
    return f"{nbformat.writes(notebook, version=4)}\n"


def add_fetching(notebook: NotebookNode) -> None:
    """Add the cell that fetches what a notebook needs where it stands alone."""
    notebook.cells.insert(1, _cell("code", _FETCH, "fetch", {"tags": ["remove-cell"]}))


def parameters_cell(notebook: NotebookNode) -> NotebookNode:
    """The one code cell tagged ``parameters``."""
    tagged: list[NotebookNode] = [
        c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])
    ]
    if len(tagged) != 1 or tagged[0].cell_type != "code":
        raise ParameterError(
            f"a notebook has one code cell tagged 'parameters', this one has {len(tagged)}"
        )
    return tagged[0]


def declared_parameters(source: Path) -> list[Parameter]:
    """The parameters of a notebook, read from its source."""
    try:
        return parameters.read(parameters_cell(read(source)).source)
    except ParameterError as error:
        raise ParameterError(f"{source.name}: {error}") from None


def check(folder: Path) -> list[str]:
    """What is wrong with the pairs in a folder, one sentence each; empty if all is well."""
    problems = []
    for source in sources(folder):
        notebook = read(source)
        first = notebook.cells[0] if notebook.cells else None
        if first is None or first.cell_type != "markdown" or not first.source.startswith("# "):
            problems.append(f"{source.name}: the first cell must be text that opens with a title")
        try:
            declared_parameters(source)
        except ParameterError as error:
            problems.append(str(error))
        problems += _compare(source)
    for pair in sorted(folder.glob("*.ipynb")):
        if not pair.with_suffix(".py").exists():
            problems.append(f"{pair.name} has no source {pair.stem}.py")
    return problems


def _compare(source: Path) -> list[str]:
    """Compare a committed pair with what its source stands for, cell by cell."""
    pair, remedy = source.with_suffix(".ipynb"), "run `make pair`"
    if not pair.exists():
        return [f"{source.name} has no pair {pair.name}; {remedy}"]
    text, expected_text = pair.read_text(encoding="utf-8"), pair_text(source)
    if text == expected_text:
        return []
    cells = nbformat.reads(text, as_version=4).cells
    expected = nbformat.reads(expected_text, as_version=4).cells
    differing = [k for k, (a, b) in enumerate(zip(cells, expected, strict=False), 1) if a != b]
    if differing:
        where = f"cell {differing[0]} differs"
    elif len(cells) != len(expected):
        where = f"it has {len(cells)} cells instead of {len(expected)}"
    else:
        where = "its metadata or layout differs"
    return [f"{pair.name} does not follow from {source.name}: {where}; {remedy}"]


def _cell(kind: str, source: str, identity: str, metadata: dict[str, object]) -> NotebookNode:
    new = getattr(nbformat.v4, f"new_{kind}_cell")
    cell: NotebookNode = new(source, id=identity, metadata=metadata)
    return cell


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the pairs, return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m compendium.sources",
        description="Write each notebook's .ipynb from its .py, or compare them cell by cell.",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    parser.add_argument("action", choices=["pair", "check"])
    options = parser.parse_args(arguments)
    folder = options.root / "notebooks"
    if options.action == "check":
        said = check(folder)
    else:
        said = []
        for source in sources(folder):
            target, text = source.with_suffix(".ipynb"), pair_text(source)
            if not target.exists() or target.read_text("utf-8") != text:
                said.append(f"wrote {write(target, text).name}")
    sys.stdout.write("".join(f"{line}\n" for line in said))
    return 1 if said and options.action == "check" else 0


if __name__ == "__main__":
    sys.exit(main())
