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
    "quick_values",
    "read",
    "substitute",
    "write",
]

_TYPES: dict[str, Any] = {t.__name__: t for t in (int, float, str, bool, list, tuple, dict)}
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


def quick_values(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The values of a quick run that differ from the defaults."""
    return {p.name: p.quick for p in parameters if p.quick != p.default}


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
    """The source of a parameters cell with other values; comments and layout stay."""
    lines = source.splitlines(keepends=True)
    nodes = [n for n in ast.parse(source).body if isinstance(n, ast.AnnAssign) and n.value]
    for node in reversed(nodes):
        name = typing.cast(ast.Name, node.target).id
        if name not in values:
            continue
        old = typing.cast(ast.expr, node.value)
        # ast counts columns in UTF-8 bytes.
        first, last = old.lineno - 1, typing.cast(int, old.end_lineno) - 1
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
    """A value written by a person on the command line."""
    kind = _type(name, annotation)
    kinds = typing.get_args(kind) if typing.get_origin(kind) is types.UnionType else (kind,)
    if bool in kinds and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if int in kinds and isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e6 replicates
    if list in {typing.get_origin(k) or k for k in kinds} and isinstance(value, tuple):
        value = list(value)
    if str in kinds and not (value is None and types.NoneType in kinds):
        value = text
    if not _fits(value, kind):
        raise ParameterError(f"{name} must be {annotation}, got {text!r}")
    return float(value) if float in kinds and type(value) is int and int not in kinds else value


def _type(name: str, annotation: str) -> Any:
    """The type that an annotation names; only built-in ones make sense for a parameter."""
    try:
        return _read_type(ast.parse(annotation, mode="eval").body)
    except (AttributeError, KeyError, TypeError, SyntaxError):
        raise ParameterError(
            f"the parameter {name!r} must be declared as a built-in type, got {annotation!r}"
        ) from None


def _read_type(node: ast.expr) -> Any:
    """The type that a piece of an annotation stands for; KeyError or TypeError for others."""
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Constant(value=value) if value is Ellipsis:
            return Ellipsis
        case ast.Name(id=word):
            return _TYPES[word]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _read_type(left) | _read_type(right)
        case ast.Subscript(value=ast.Name(id=word), slice=ast.Tuple(elts=items)):
            return _TYPES[word].__class_getitem__(tuple(map(_read_type, items)))
        case ast.Subscript(value=ast.Name(id=word), slice=item):
            return _TYPES[word].__class_getitem__(_read_type(item))
    raise TypeError(ast.unparse(node))


def _fits(value: Any, kind: Any) -> bool:
    """Whether a literal is of a type; whole numbers fit float, truth values do not fit int."""
    if kind is None or kind is types.NoneType:
        return value is None
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return any(_fits(value, k) for k in arguments)
    if origin is None:
        if isinstance(value, bool):
            return kind is bool
        return isinstance(value, (int, float) if kind is float else kind)
    if not isinstance(value, origin):
        return False
    if origin is dict:
        key, item = arguments
        return all(_fits(k, key) and _fits(v, item) for k, v in value.items())
    if origin is tuple and arguments[-1] is not Ellipsis:
        return len(value) == len(arguments) and all(map(_fits, value, arguments))
    return all(_fits(v, arguments[0]) for v in value)
