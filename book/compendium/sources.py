"""Notebooks as text: their sources, the pairs made from them, and their parameters.

``notebooks/x.py`` (percent format) is the source, and ``x.ipynb`` is made from it. The committed
``.ipynb`` has no outputs, and its cell ids come from the cells' content: the same source always
gives the same bytes. It has an additional cell, which fetches the repository if it is not
installed, as on Colab. Jupyter does not know the book's roles: the pair has a printed number
instead of its role, and a link to the page instead of a computed number.
``python -m compendium.sources`` writes the pairs.

Parameters are papermill's: one cell has the tag ``parameters``, and each of its lines has a name, a
type, a literal and a comment. ``notebooks/quick.yml`` has the values that ``make quick`` passes.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from nbformat import NotebookNode
from papermill.models import Parameter
from papermill.translators import PythonTranslator

from compendium import SITE, RefusedError, read_text, write
from compendium.published import Published

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
        !git clone --quiet --depth 1 --branch v{version} https://github.com/f1ci/f1ci f1ci-book
    %pip install --quiet --require-hashes -r f1ci-book/requirements.lock
    sys.path[:0] = [os.path.abspath("f1ci-book"), os.path.abspath("f1ci-book/book")]
    %cd -q f1ci-book/notebooks"""
# Quoted code comes first: a role in it stays.
_ROLE = re.compile(r"```.*?```|(?<!\{)`` ?.+? ?``|\{(?P<name>[\w:]+)\}`(?P<text>[^`]+)`", re.S)
_ANCHOR = re.compile(r"^\([\w.-]+\)=\n|(?<=\$\$)[ \t]*\([\w-]+\)[ \t]*$", re.M)
_PAGE = re.compile(r"\]\((?:/|\.\./)(book|notebooks)/([\w-]+)\.(?:md|ipynb|html)")
_TITLED = re.compile(r"(?P<title>.*\S)\s*<[^<>]+>", re.S)


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


def pair_text(source: Path) -> str:
    """Return the text of the ``.ipynb`` that belongs to a source."""
    notebook = read(source)
    printed = {i: row.printed for i, row in Published().everything.items()}
    make_readable(notebook, f"notebooks/{source.stem}", {"published": printed})
    add_fetching(notebook)
    return f"{nbformat.writes(notebook, version=4)}\n"


def make_readable(
    notebook: NotebookNode, page: str, known: Mapping[str, Mapping[str, str]]
) -> None:
    """Replace the book's roles by what Jupyter shows.

    `known` has the values of each role by their ids. Other roles become links to the page.
    """

    def role(match: re.Match[str]) -> str:
        name, text = match["name"], str(match["text"])
        if name in ("published", "computed"):
            identity = text.partition("|")[0]
            value = known.get(name, {}).get(identity, "…")
            return f"[{value}]({SITE}book/ledger.html#{identity})"
        if name in ("glue:text", "tally"):
            return known.get(name, {}).get(text.partition(":")[0], f"[…]({SITE}{page}.html)")
        if not name:
            return match[0]
        titled = _TITLED.fullmatch(text)
        return titled["title"] if titled else f"`{text}`"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = _PAGE.sub(rf"]({SITE}\1/\2.html", _ANCHOR.sub("", cell.source))
            cell.source = _ROLE.sub(role, text)


def add_fetching(notebook: NotebookNode) -> None:
    """Add the cell that fetches the repository for a notebook outside it."""
    code = _FETCH.replace("{version}", version("f1ci"))
    fetch = nbformat.v4.new_code_cell(code, id="fetch", metadata={"tags": ["remove-cell"]})
    notebook.cells.insert(1, fetch)


# Parameters


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


def from_text(text: str, parameters: Iterable[Parameter], notebook: str) -> dict[str, Any]:
    """Convert ``"confidence_level=0.9 sizes=[10,20]"`` to values, which are read as YAML."""
    known = [p.name for p in parameters]
    try:
        words = [word.partition("=") for word in shlex.split(text)]
        values = {name: yaml.safe_load(value) for name, _, value in words}
    except (ValueError, yaml.YAMLError) as error:  # an unclosed quote or bracket
        raise RefusedError(f"the parameters {text!r} cannot be read: {error}") from None
    if unknown := [name for name in values if name not in known]:
        raise RefusedError(
            f"{notebook} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}"
        )
    return values


# The command


def _main(edition: Edition, _: object) -> bool:
    for source in sources(edition.root / "notebooks"):
        pair, text = source.with_suffix(".ipynb"), pair_text(source)
        if not pair.exists() or pair.read_text("utf-8") != text:
            sys.stdout.write(f"wrote {write(pair, text).name}\n")
    return True


if __name__ == "__main__":
    from compendium.execute import Edition, command

    command(_main, {})
