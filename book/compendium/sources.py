"""Notebooks as text: their sources, their parameters, and the modules that they import.

``notebooks/x.py`` (percent format) is the source. Parameters are papermill's: one cell has the tag
``parameters``, and each of its lines has a name, a type, a literal and a comment.
``notebooks/quick.yml`` has the values that ``make quick`` passes.
"""

from __future__ import annotations

import ast
import hashlib
import shlex
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from nbformat import NotebookNode
from papermill.models import Parameter
from papermill.translators import PythonTranslator

from compendium import RefusedError

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def sources(folder: Path) -> list[Path]:
    """Return the notebooks' sources, in the order of their names."""
    return sorted(folder.glob("*.py"))


def read(source: Path) -> NotebookNode:
    """Return the notebook that a percent script stands for, with ids made from its cells."""
    notebook: NotebookNode = jupytext.read(source, fmt="py:percent")
    notebook.metadata = nbformat.from_dict(_METADATA)
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        key = f"{cell.cell_type}\n{cell.source}"
        seen[key] += 1
        cell.id = hashlib.sha256(f"{key}\n{seen[key]}".encode()).hexdigest()[:12]
    return notebook


def imported(source: Path, root: Path) -> set[Path]:
    """Return the files of the tree that a source imports from `notebooks` and `compendium`.

    What these files import is among them.
    """
    files: set[Path] = set()
    ahead = [source]
    while ahead:
        names = _imports(ahead.pop().read_text("utf-8"))
        new = {path for name in names for path in _places(name, root)} - files
        files |= new
        ahead += new
    return files


@cache  # many notebooks import the same modules
def _imports(text: str) -> set[str]:
    """Return the dotted name of each module that may be imported, anywhere in a file."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def _places(name: str, root: Path) -> Iterator[Path]:
    """Give the file of a module of `notebooks` or `compendium`; a name of other things has none."""
    above = {"notebooks": root, "compendium": root / "book"}.get(name.partition(".")[0])
    if above:
        path = above.joinpath(*name.split("."))
        yield from filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py"))


def declared(source: Path) -> list[Parameter]:
    """Return the parameters of a notebook, as papermill reads them; each default is a literal."""
    return _declared(source.name, source.read_text("utf-8"))


@cache
def _declared(name: str, text: str) -> list[Parameter]:
    cells = jupytext.reads(text, fmt="py:percent").cells
    tagged = [c for c in cells if "parameters" in c.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise RefusedError(f"{name}: a notebook has one cell tagged 'parameters'")
    parameters: list[Parameter] = PythonTranslator.inspect(tagged[0])
    return parameters


def quick_values(root: Path) -> dict[str, dict[str, Any]]:
    """Return the values that a quick run passes, by notebook."""
    path = root / "notebooks" / "quick.yml"
    return dict(yaml.safe_load(path.read_text("utf-8")) if path.exists() else {})


def values_in(text: str) -> dict[str, Any]:
    """Read ``"confidence_level=0.9 sizes=[10,20]"``: words as in a shell, values as in YAML."""
    try:
        pairs = [word.partition("=") for word in shlex.split(text)]
        return {name: yaml.safe_load(value) for name, _, value in pairs}
    except (ValueError, yaml.YAMLError) as error:
        raise RefusedError(f"the parameters {text!r} cannot be read: {error}") from None
