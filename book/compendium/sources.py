"""Notebooks as text: their sources and their parameters.

``notebooks/x.py`` (percent format) is the source. Parameters are papermill's: one cell has the tag
``parameters``, and each of its lines has a name, a type, a literal and a comment.
``notebooks/quick.yml`` has the values that ``make quick`` passes.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from nbformat import NotebookNode
from papermill.models import Parameter
from papermill.translators import PythonTranslator

from compendium import RefusedError, read_text

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def sources(folder: Path) -> list[Path]:
    """Return the notebooks' sources, in the order of their names."""
    return sorted(folder.glob("*.py"))


def read(source: Path) -> NotebookNode:
    """Return the notebook that a percent script stands for, with ids made from its cells."""
    notebook: NotebookNode = jupytext.reads(read_text(source), fmt="py:percent")
    notebook.metadata = nbformat.from_dict(_METADATA)
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        key = f"{cell.cell_type}\n{cell.source}"
        seen[key] += 1
        cell.id = hashlib.sha256(f"{key}\n{seen[key]}".encode()).hexdigest()[:12]
    return notebook


def declared(source: Path) -> list[Parameter]:
    """Return the parameters of a notebook, as papermill reads them; each default is a literal."""
    tagged = [c for c in read(source).cells if "parameters" in c.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise RefusedError(f"{source.name}: a notebook has one cell tagged 'parameters'")
    parameters: list[Parameter] = PythonTranslator.inspect(tagged[0])
    return parameters


def quick_values(root: Path) -> dict[str, dict[str, Any]]:
    """Return the values that a quick run passes, by notebook."""
    path = root / "notebooks" / "quick.yml"
    try:
        return dict(yaml.safe_load(read_text(path)) if path.exists() else {})
    except yaml.YAMLError as error:
        raise RefusedError(f"{path} cannot be read: {error}") from None


def words(text: str) -> list[str]:
    """Return the words of a text, as a shell would. An unclosed quote is an error."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise RefusedError(f"the parameters {text!r} cannot be read: {error}") from None


def from_text(text: str, parameters: Iterable[Parameter], notebook: str) -> dict[str, Any]:
    """Convert ``"confidence_level=0.9 sizes=[10,20]"`` to values, which are read as YAML."""
    known = [p.name for p in parameters]
    values = {}
    for word in words(text):
        name, _, value = word.partition("=")
        if name not in known:
            has = ", ".join(known) or "none"
            raise RefusedError(f"{notebook} has no parameter {name!r}; it has {has}")
        values[name] = _value(name, value)
    return values


def _value(name: str, text: str) -> Any:
    """Return the value that YAML reads in a text: a number, a text, a truth value or a list."""
    try:
        value = yaml.safe_load(text)
        json.dumps(value)
    except yaml.YAMLError as error:
        raise RefusedError(f"{name}={text} cannot be read: {error}") from None
    except TypeError:
        kind = type(value).__name__
        raise RefusedError(
            f"{name}={text} is a {kind}, which no parameter takes; two pairs of quotes make it "
            f"a text: {name}='\"{text}\"'"
        ) from None
    return value
