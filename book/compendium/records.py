"""What is known of a notebook's last run, and whether that run still holds.

A record is a JSON file written after everything else of a run is in its place. It
keeps a fingerprint of all that the results depend on, and a hash of every file that
the run left. A run counts as done only if both still agree with the files on disk.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from compendium import ROOT

__all__ = ["KEY_PACKAGES", "Edition", "Project", "combined_hash", "file_hash"]

KEY_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")


@dataclass(frozen=True)
class Project:
    """Where things are in a tree of the compendium."""

    root: Path = ROOT

    @property
    def notebooks(self) -> Path:
        """The sources and their pairs."""
        return self.root / "notebooks"

    @property
    def build(self) -> Path:
        """Everything derived; git ignores it."""
        return self.root / "_build"

    @property
    def python_path(self) -> str:
        """What PYTHONPATH must be for programs that import this tree's packages."""
        path = [str(self.root), str(self.root / "book"), os.environ.get("PYTHONPATH", "")]
        return os.pathsep.join(p for p in path if p)

    def fingerprint(self, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """All that the results of a notebook depend on, by kind and file.

        Other modules of the compendium count only if the notebook imports them,
        directly or through one another.
        """
        root, source = self.root, self.notebooks / f"{name}.py"
        data = [p for p in sorted((self.notebooks / "data").rglob("*")) if p.is_file()]
        single = [root / "requirements.lock", root / "book" / "published" / "inputs.csv"]
        given = {
            # A value that names a file stands for what the file holds.
            k: [v, file_hash(self.notebooks / v)]
            if isinstance(v, str) and (self.notebooks / v).is_file()
            else v
            for k, v in values.items()
        }
        return {
            "source": {source.name: file_hash(source)},
            "parameters": given,
            "f1ci": self._hashes(sorted((root / "f1ci").rglob("*.py"))),
            "compendium": self._hashes(_imported(source, root / "book" / "compendium")),
            "data": self._hashes(data),
            "inputs": self._hashes([p for p in single if p.exists()]),
            "packages": _versions(),
        }

    def _hashes(self, paths: list[Path]) -> dict[str, str]:
        return {p.relative_to(self.root).as_posix(): file_hash(p) for p in paths}


@dataclass(frozen=True)
class Edition:
    """One set of runs: ``full``, ``quick`` or ``custom`` (a reader's parameters).

    The three never share a folder, so that small numbers cannot enter the book.
    """

    project: Project
    name: str = "full"

    @property
    def folder(self) -> Path:
        """Where its executed notebooks, results and records are."""
        return self.project.build if self.name == "full" else self.project.build / self.name

    @property
    def results(self) -> Path:
        """Where its notebooks' numbers and figures are."""
        return self.folder / "results"

    def executed(self, name: str) -> Path:
        """The executed notebook, whole or up to its error."""
        return self.folder / "executed" / f"{name}.ipynb"

    def record(self, name: str) -> dict[str, Any] | None:
        """What is known of the last run, if there was one."""
        try:
            found: dict[str, Any] = json.loads(self._record_path(name).read_text("utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return found

    def stale(self, name: str, fingerprint: Mapping[str, Any]) -> str:
        """Why a notebook has to run; empty if its last run still holds."""
        record = self.record(name)
        if record is None:
            return "never run"
        if record["status"] != "done":
            return "failed last time"
        reasons = [
            f"{kind} changed ({_difference(record['fingerprint'].get(kind, {}), now)})"
            for kind, now in json.loads(json.dumps(fingerprint)).items()
            if record["fingerprint"].get(kind) != now
        ]
        for path, known in record["outputs"].items():
            file = self.folder / path
            if not file.exists() or file_hash(file) != known:
                reasons.append(f"{path} {'changed' if file.exists() else 'is gone'}")
        return ", ".join(reasons)

    def publish(self, name: str, record: dict[str, Any], made: Path) -> None:
        """Put the files that a run made into their places, the record last.

        A kill at any moment leaves no record, or one that agrees with its files.
        """
        self.discard(name)
        for file in sorted(p for p in made.rglob("*") if p.is_file()):
            target = self.folder / file.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
        path = self._record_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        draft.replace(path)

    def discard(self, name: str) -> None:
        """Remove what the last run left, its record first."""
        record = self.record(name)
        self._record_path(name).unlink(missing_ok=True)
        for path in record["outputs"] if record else ():
            (self.folder / path).unlink(missing_ok=True)

    def forget_removed(self, known: Collection[str]) -> None:
        """Discard the runs of notebooks that are no more."""
        for path in (self.folder / "records").glob("*.json"):
            if path.stem not in known:
                self.discard(path.stem)

    def _record_path(self, name: str) -> Path:
        return self.folder / "records" / f"{name}.json"


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def combined_hash(hashes: Mapping[str, str]) -> str:
    """One short hash for several named files."""
    text = "".join(f"{hashes[k]}  {k}\n" for k in sorted(hashes))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{p: version(p) for p in KEY_PACKAGES}}


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The names that differ between two hash tables, at most three."""
    names = sorted(k for k in before.keys() | now.keys() if before.get(k) != now.get(k))
    shown = [Path(n).name for n in names[:3]]
    return ", ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _imported(source: Path, package: Path) -> list[Path]:
    """The compendium's modules that a script imports, directly or through one another."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        for name in _import_names(waiting.pop()):
            parts = name.split(".")
            if parts[0] != package.name:
                continue
            modules = {package / "__init__.py"} | {package / f"{p}.py" for p in parts[1:2]}
            new = {m for m in modules if m.exists()} - found
            found |= new
            waiting += new
    return sorted(found)


def _import_names(script: Path) -> list[str]:
    """Every dotted name that a script imports."""
    names = []
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names += [a.name for a in node.names]
    return names
