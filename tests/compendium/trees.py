"""Small trees of the compendium for tests, and its commands as users start them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import runpy
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from unittest import mock

from compendium import ROOT


def notebook(title: str, *cells: str, parameters: str = "seed: int = 1  # root seed") -> str:
    """Return the source of a notebook with these code cells."""
    head = f'# %% [markdown]\n# # {title}\n\n# %% tags=["parameters"]\n{parameters}\n'
    return head + "".join(f"\n# %%\n{cell}\n" for cell in cells)


def make_tree(root: Path, **notebooks: str) -> Path:
    """Make a tree of the compendium with these notebooks and none of the real ones."""
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("f1ci", "book/compendium", "book/published"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignore)
    (root / "notebooks" / "data").mkdir(parents=True)
    for name, source in notebooks.items():
        (root / "notebooks" / f"{name}.py").write_text(source, "utf-8")
    return root


def put_data(root: Path, name: str, text: str) -> None:
    """Write a data file and the list of sources, whose one line describes it."""
    folder = root / "notebooks" / "data"
    (folder / name).write_text(text)
    head = (ROOT / "notebooks" / "data" / "sources.csv").read_text("utf-8").splitlines()[0]
    line = f"{name},1,{hashlib.sha256(text.encode()).hexdigest()},by hand,,a market,CC0,Nobody"
    (folder / "sources.csv").write_text(f"{head}\n{line}\n")


def command(root: Path, module: str, *arguments: str) -> list[str]:
    """Return the command line of one of the compendium's programs, for another tree."""
    return [sys.executable, "-m", f"compendium.{module}", "--root", str(root), *arguments]


def environment() -> dict[str, str]:
    """Return an environment in which programs import this tree's packages."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book")])}


def call(root: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of the compendium's programs on another tree, in this process: imports take time."""
    words = command(root, module, *arguments)
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", words[2:]),
        mock.patch.dict(os.environ),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            runpy.run_module(f"compendium.{module}", run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the notebooks of a tree, all of which have to succeed."""
    ran = call(root, "execute", *arguments)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran


def change(path: Path, old: str, new: str) -> None:
    """Replace what a file holds, which has to be there."""
    text = path.read_text("utf-8")
    assert old in text, (path, old)
    path.write_text(text.replace(old, new, 1), "utf-8")


def files(folder: Path) -> set[str]:
    """Return every file below a folder, except the lock."""
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    return found - {".lock"}
