"""What the compendium needs beside the methods, and what every room of it shares.

Where things are, writing a file in one step, the versions of packages, and the note of what a
notebook reads. Nothing in :mod:`f1ci` imports from here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = NOTEBOOKS / "data"
PUBLISHED = ROOT / "book" / "published"
# Where a notebook leaves its results. `compendium.execute` points it at a folder of its own; what a
# person runs by hand never lands among the results that the book is made from.
RESULTS = Path(os.environ.get("F1CI_RESULTS") or ROOT / "_build" / "custom" / "results")


def write(path: Path, text: str) -> Path:
    """Write a file in one step: what was there stays until all of the new text is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The versions of Python and of installed packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def swhid(path: Path) -> str:
    """The Software Heritage identifier of a file, which is its Git blob hash; empty if it is gone.

    >>> swhid(ROOT / "f1ci" / "py.typed")  # an empty file, the same in every repository
    'swh:1:cnt:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    if not path.is_file():
        return ""
    content = path.read_bytes()
    blob = b"blob %d\0" % len(content) + content
    return f"swh:1:cnt:{hashlib.sha1(blob, usedforsecurity=False).hexdigest()}"


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The names under which two tables have different things, or only one has anything."""
    return sorted(k for k in before.keys() | now.keys() if before.get(k) != now.get(k))


def note(kind: str, name: str, value: str = "") -> None:
    """Note that a notebook has read something, if someone wants to know."""
    if path := os.environ.get("F1CI_NOTES"):
        with open(path, "a", encoding="utf-8") as notes:  # noqa: PTH123 (one line, one write)
            notes.write(f"{kind}\t{name}\t{value}\n")


def watch() -> None:
    """Note every file that this process opens from now on, modules among them."""
    seen = set()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            path = os.path.abspath(arguments[0])  # noqa: PTH100 (a Path costs more than the file)
            if path not in seen:
                seen.add(path)
                note("file", path)

    sys.addaudithook(hook)
