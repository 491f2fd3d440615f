"""A notebook's parameters: read from its cell tagged ``parameters``, converted, replaced.

Every line of that cell has one form, and this module insists on it::

    replicates: int = 1_000_000  # quick: 10_000 — replicates per condition
    confidence_level: float = 0.95  # nominal level of every interval

that is a name, a type, a literal default, and a comment that says what the parameter
is. The optional ``quick:`` value is the one that ``make quick`` passes. Values are
written into the cell itself before the notebook runs, so that a reader meets one
parameter cell, and it holds the numbers that were used.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import tokenize
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Parameter",
    "ParameterError",
    "from_text",
    "read",
    "substitute",
    "write",
]

_TYPES: dict[str, Any] = {t.__name__: t for t in (int, float, str, bool, list, tuple)}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_QUICK = re.compile(r"quick:\s*(?P<value>.+?)\s*(?:—|--|;)\s*(?P<description>.*)")


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
        What a quick run uses: the default, unless the comment names another value.
    """

    name: str
    type: str
    default: Any
    quick: Any
    description: str


def read(source: str) -> list[Parameter]:
    """The parameters that the source of a parameters cell declares."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ParameterError(f"the parameters cell is not Python: {error}") from None
    comments = _comments(source)
    found = []
    for node in tree.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            raise ParameterError(
                f"a parameters cell holds only lines 'name: type = value  # description', "
                f"got {ast.unparse(node)!r}"
            )
        name, annotation = node.target.id, ast.unparse(node.annotation)
        default = _literal(name, annotation, ast.unparse(node.value) if node.value else "")
        description = comments.get(node.end_lineno or node.lineno, "")
        quick = default
        if match := _QUICK.fullmatch(description):
            quick = _literal(name, annotation, match["value"])
            description = match["description"]
        if not description or description.startswith("quick:"):
            raise ParameterError(f"the parameter {name!r} has no comment that says what it is")
        found.append(Parameter(name, annotation, default, quick, description))
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
        values[name] = _convert(name, known[name].type, value)
    return values


def substitute(source: str, values: Mapping[str, Any]) -> str:
    """The source of a parameters cell with these values; what does not change stays as it is."""
    lines = source.splitlines(keepends=True)
    for node in reversed(ast.parse(source).body):
        assert isinstance(node, ast.AnnAssign)
        assert isinstance(node.target, ast.Name)
        name, old = node.target.id, node.value
        if old is None or name not in values or ast.literal_eval(old) == values[name]:
            continue
        # ast counts columns in UTF-8 bytes.
        first, last = old.lineno - 1, (old.end_lineno or old.lineno) - 1
        head = lines[first].encode()[: old.col_offset].decode()
        tail = lines[last].encode()[old.end_col_offset :].decode()
        lines[first : last + 1] = [f"{head}{write(values[name])}{tail}"]
    return "".join(lines)


def write(value: Any) -> str:
    """A literal as a person would write it: 1_000_000 rather than 1000000."""
    return f"{value:_}" if type(value) is int else repr(value)


def _comments(source: str) -> dict[int, str]:
    """The text of the comment on each line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        t.start[0]: t.string.lstrip("# ").rstrip() for t in tokens if t.type == tokenize.COMMENT
    }


def _literal(name: str, annotation: str, text: str) -> Any:
    """A value written as Python in the notebook, checked against its type."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ParameterError(
            f"the value of the parameter {name!r} must be a literal, got {text!r}"
        ) from None
    if not _fits(value, _type(name, annotation)):
        raise ParameterError(f"the parameter {name!r} is declared {annotation}, got {text}")
    return value


def _convert(name: str, annotation: str, text: str) -> Any:
    """A value written by a person on the command line: the first reading that fits the type."""
    kind, readings = _type(name, annotation), list[Any]([text])
    if text.lower() in _BOOLEANS:
        readings.append(_BOOLEANS[text.lower()])
    with contextlib.suppress(ValueError, SyntaxError):
        literal = ast.literal_eval(text)
        readings.insert(0, literal)
        if isinstance(literal, float) and literal.is_integer():
            readings.append(int(literal))  # 1e6 replicates
        if isinstance(literal, tuple):
            readings.append(list(literal))
    for reading in readings:
        if _fits(reading, kind):
            return float(reading) if kind is float else reading
    raise ParameterError(f"{name} must be {annotation}, got {text!r}")


def _type(name: str, annotation: str) -> Any:
    """The type that an annotation names; only built-in ones make sense for a parameter."""
    try:
        return eval(annotation, {"__builtins__": {}}, _TYPES)  # noqa: S307 (the notebook is ours)
    except (AttributeError, NameError, SyntaxError, TypeError):
        raise ParameterError(
            f"the parameter {name!r} must be declared as a built-in type, got {annotation!r}"
        ) from None


def _fits(value: Any, kind: Any) -> bool:
    """Whether a literal is of a type; whole numbers fit float, truth values do not fit int."""
    items = typing.get_args(kind)
    if isinstance(kind, types.UnionType):
        return any(_fits(value, k) for k in items)
    if items:
        return isinstance(value, typing.get_origin(kind)) and all(_fits(v, items[0]) for v in value)
    return type(value) is kind or (kind is float and type(value) is int)
