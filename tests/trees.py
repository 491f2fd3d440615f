"""Small trees of the compendium for tests, and its commands as users start them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from compendium import ROOT


def make_tree(root: Path, **notebooks: str) -> Path:
    """A tree of the compendium with these notebooks and none of the real ones."""
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("f1ci", "book/compendium", "book/published"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignore)
    (root / "notebooks" / "data").mkdir(parents=True)
    for name, source in notebooks.items():
        (root / "notebooks" / f"{name}.py").write_text(source, "utf-8")
    return root


def command(root: Path, module: str, *arguments: str) -> list[str]:
    """The command line of one of the compendium's programs, for another tree."""
    return [sys.executable, "-m", f"compendium.{module}", "--root", str(root), *arguments]


def environment() -> dict[str, str]:
    """An environment in which programs import this tree's packages."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book")])}


def call(root: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of the compendium's programs on another tree."""
    return subprocess.run(
        command(root, module, *arguments),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def files(folder: Path) -> set[str]:
    """Every file below a folder, but the lock."""
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    return found - {".lock"}
