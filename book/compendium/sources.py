"""Notebooks as text: their sources, the pairs that follow from them, and their parameters.

``notebooks/x.py`` (percent format) is the source, ``x.ipynb`` follows. The committed ``.ipynb``
carries no outputs, and its cell ids come from the cells' content, so that the same source always
gives the same bytes. It has one cell more than its source, which fetches the repository where that
is not installed, as on Colab; and it has links in place of the book's roles.
``python -m compendium.sources pair`` writes the pairs, ``check`` compares them.

Every line of the cell tagged ``parameters`` has one form, and this module insists on it::

    replicates: int = 1_000_000  # replicates per condition
    confidence_level: float = 0.95  # nominal level of every interval

that is a name, a type, a literal default, and a comment that says what the parameter
is. The values that ``make quick`` passes are in ``notebooks/quick.yml``.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from nbformat import NotebookNode

from compendium import downloads, write

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
_LINE = re.compile(
    r"^(?P<head>(?P<name>\w+): (?P<type>[^=\n]+) = )(?P<value>(?s:.+?))"
    r"(?P<tail>  # (?P<description>.+))$",
    re.MULTILINE,
)


def sources(folder: Path) -> list[Path]:
    """The notebooks' sources, in the order of their names."""
    return sorted(folder.glob("*.py"))


def read(source: Path, values: Mapping[str, Any] | None = None) -> NotebookNode:
    """The notebook that a percent script stands for, with ids made from its cells.

    With `values`, its parameters have these.
    """
    notebook: NotebookNode = jupytext.reads(source.read_text("utf-8"), fmt="py:percent")
    notebook.metadata = nbformat.from_dict(_METADATA)
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        key = f"{cell.cell_type}\n{cell.source}"
        seen[key] += 1
        cell.id = hashlib.sha256(f"{key}\n{seen[key]}".encode()).hexdigest()[:12]
    if values is not None:
        cell = parameters_cell(notebook)
        cell.source = substitute(cell.source, values)
    return notebook


def pair_text(source: Path) -> str:
    """What the committed ``.ipynb`` beside a source must contain."""
    notebook = read(source)
    downloads.readable(notebook, partial(downloads.outside, f"notebooks/{source.stem}"))
    add_fetching(notebook)
    return f"{nbformat.writes(notebook, version=4)}\n"


def add_fetching(notebook: NotebookNode) -> None:
    """Add the cell that fetches what a notebook needs where it stands alone."""
    fetch = nbformat.v4.new_code_cell(_FETCH, id="fetch", metadata={"tags": ["remove-cell"]})
    notebook.cells.insert(1, fetch)


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
        found = read_parameters(parameters_cell(read(source)).source)
    except ParameterError as error:
        raise ParameterError(f"{source.name}: {error}") from None
    listed = source.with_name("quick.yml")
    quick = (
        yaml.safe_load(listed.read_text("utf-8")).get(source.stem, {}) if listed.exists() else {}
    )
    return [replace(p, quick=quick.get(p.name, p.default)) for p in found]


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
        if drifted(source):
            problems.append(f"{source.stem}.ipynb does not follow from its source; run `make pair`")
    for pair in sorted(folder.glob("*.ipynb")):
        if not pair.with_suffix(".py").exists():
            problems.append(f"{pair.name} has no source {pair.stem}.py")
    return problems


def drifted(source: Path) -> bool:
    """Whether the committed pair of a source is missing, or not what the source stands for."""
    pair = source.with_suffix(".ipynb")
    return not pair.exists() or pair.read_text("utf-8") != pair_text(source)


# --- parameters ---------------------------------------------------------------------------


class ParameterError(ValueError):
    """A parameter is unknown, has an unusable value or is not declared as it should be."""


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell.

    Attributes
    ----------
    name, type, description : str
        As they are written in the cell.
    default : object
        The paper's own value.
    quick : object
        What a quick run uses: the default, unless ``quick.yml`` names another value.
    """

    name: str
    type: str
    default: Any
    quick: Any
    description: str


def read_parameters(source: str) -> list[Parameter]:
    """The parameters that the source of a parameters cell declares."""
    if rest := _LINE.sub("", source).strip():
        raise ParameterError(
            f"a parameters cell holds only lines 'name: type = value  # description', "
            f"got {rest.splitlines()[0]!r}"
        )
    found = []
    for line in _LINE.finditer(source):
        name, kind = line["name"], line["type"]
        default = _literal(name, kind, line["value"])
        found.append(Parameter(name, kind, default, default, line["description"]))
    return found


def from_text(text: str, parameters: Iterable[Parameter], notebook: str) -> dict[str, Any]:
    """Convert ``"confidence_level=0.9 replicates=1000"`` by the types that the cell declares."""
    known = {p.name: p for p in parameters}
    values = {}
    try:
        words = shlex.split(text)
    except ValueError as error:  # an unclosed quote
        raise ParameterError(f"the parameters {text!r} cannot be read: {error}") from None
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ParameterError(f"a parameter is written name=value, got {word!r}")
        if name not in known:
            raise ParameterError(
                f"{notebook} has no parameter {name!r}; it has {', '.join(known) or 'none'}"
            )
        kind = known[name].type
        fitting = [reading for reading in _readings(value) if _fits(reading, kind)]
        if not fitting:
            raise ParameterError(f"{name} must be {kind}, got {value!r}")
        values[name] = float(fitting[0]) if kind == "float" else fitting[0]
    return values


def substitute(source: str, values: Mapping[str, Any]) -> str:
    """The source of a parameters cell with these values; what does not change stays as it is."""

    def line(match: re.Match[str]) -> str:
        value = values.get(match["name"], default := ast.literal_eval(match["value"]))
        return match[0] if value == default else f"{match['head']}{literal(value)}{match['tail']}"

    return _LINE.sub(line, source)


def literal(value: Any) -> str:
    """A literal as a person would write it: 1_000_000 rather than 1000000."""
    return f"{value:_}" if type(value) is int else repr(value)


def _literal(name: str, annotation: str, text: str) -> Any:
    """A value written as Python in the notebook, checked against its type."""
    with contextlib.suppress(ValueError, SyntaxError):
        if _fits(value := ast.literal_eval(text), annotation):
            return value
    raise ParameterError(
        f"the parameter {name!r} must be a literal of the type {annotation}, got {text!r}"
    )


def _readings(text: str) -> Iterator[Any]:
    """What a person may mean by a word on the command line, the likeliest first."""
    with contextlib.suppress(ValueError, SyntaxError):
        value = ast.literal_eval(text)
        yield value
        if isinstance(value, float) and value.is_integer():
            yield int(value)  # 1e6 replicates
        if isinstance(value, tuple):
            yield list(value)
    yield text


def _fits(value: Any, annotation: str) -> bool:
    """Whether a literal is of a type; whole numbers fit float, truth values do not fit int."""
    kind = _annotation(value)
    return any(t in (kind, kind.replace("int", "float")) for t in annotation.split(" | "))


def _annotation(value: Any) -> str:
    """The type of a literal, as one annotates it."""
    if value is None:
        return "None"
    if not isinstance(value, list | tuple):
        return type(value).__name__
    items = {_annotation(item) for item in value}
    item = "float" if items == {"int", "float"} else " | ".join(sorted(items))
    return f"list[{item}]" if isinstance(value, list) else f"tuple[{item}, ...]"


# --- the command --------------------------------------------------------------------------


def _main(edition: Edition, action: str) -> bool:
    folder = edition.root / "notebooks"
    if action == "check":
        problems = check(folder)
        sys.stdout.writelines(f"{problem}\n" for problem in problems)
        return not problems
    for source in sources(folder):
        if drifted(source):
            pair = write(source.with_suffix(".ipynb"), pair_text(source))
            sys.stdout.write(f"wrote {pair.name}\n")
    return True


if __name__ == "__main__":
    from compendium.execute import Edition, command

    command(_main, {"action": {"choices": ["pair", "check"]}})
