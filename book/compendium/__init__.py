"""Places, files and names that every module of the compendium uses.

Nothing in :mod:`f1ci` imports from here.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = NOTEBOOKS / "data"
PUBLISHED = ROOT / "book" / "published"
SITE = "https://f1ci.github.io/f1ci/"
# Where a notebook writes its results. `compendium.execute` sets another folder. So a run by hand
# never changes the results that the book is made from.
RESULTS = Path(os.environ.get("F1CI_RESULTS") or ROOT / "_build" / "custom" / "results")


class RefusedError(ValueError):
    """An error that says in a sentence what cannot be done here and now."""


def check_names(given: Iterable[str], known: Iterable[str], notebook: str) -> None:
    """Check that a notebook has the parameters of these names."""
    has = [*known]
    for name in given:
        if name not in has:
            names = ", ".join(has) or "none"
            raise RefusedError(f"{notebook} has no parameter {name!r}; it has {names}")


def write(path: Path, text: str) -> Path:
    """Write a file, in a new folder if need be, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def note_read(what: str) -> None:
    """Tell the runner that a notebook reads a data file, or a published number of this id."""
    if place := os.environ.get("F1CI_READ"):
        with Path(place).open("a", encoding="utf-8") as names:
            names.write(f"{what}\n")


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python and of installed packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def swhid(path: Path) -> str:
    """Return the Software Heritage identifier of a file (its Git blob hash), or "" if it is gone.

    >>> swhid(ROOT / "f1ci" / "py.typed")  # an empty file, the same in every repository
    'swh:1:cnt:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    if not path.is_file():
        return ""
    content = path.read_bytes()
    blob = b"blob %d\0" % len(content) + content
    return f"swh:1:cnt:{hashlib.sha1(blob, usedforsecurity=False).hexdigest()}"


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the keys of two tables whose values differ, or that one table lacks."""
    return sorted(k for k in before.keys() | now.keys() if before.get(k) != now.get(k))
