"""The runs of a tree's notebooks: where their files are, and which notebooks must run again.

A run is valid until a hash changes: of the package, the installed packages, the notebook, the
modules that it imports, a data file or a printed number that it has read, or a file that the run
made. Times of files do not matter. A run that fails leaves the last complete run as it is.
:mod:`compendium.execute` makes the runs.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import hashlib
import json
import math
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from papermill.models import Parameter

from compendium import (
    ROOT,
    RefusedError,
    check_names,
    differing,
    sources,
    swhid,
    versions,
    write,
)
from compendium.published import Published

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
# Files on which the numbers and figures of every notebook may depend.
_ALL_READ = {
    "the package": "f1ci/**/*.py",
    "the figures' style": "book/compendium/*.mplstyle",
}
# What a record holds. A file that lacks any of it is no record.
_RECORD = {
    **dict.fromkeys(("ended", "error", "version", "f1ci", "results", "machine", "blas"), str),
    **dict.fromkeys(("inputs", "outputs", "parameters", "packages"), dict),
    "seconds": float,
}
REFERENCE = Path("book", "reference")  # other runs are compared with this run


@dataclass(frozen=True)
class Edition:
    """One set of runs: ``full``, ``quick``, or runs with a reader's own parameters.

    Editions never share a folder, so only a full run can enter the book. Runs with a reader's own
    parameters are in the folder ``custom``, or in another one that the reader names.
    """

    root: Path = ROOT
    name: str = "full"

    @property
    def folder(self) -> Path:
        """Where its executed notebooks, results and records are; git ignores it."""
        return self.root / "_build" / ("" if self.name == "full" else self.name)

    @property
    def results(self) -> Path:
        """Where its notebooks' numbers and figures are."""
        return self.folder / "results"

    @property
    def published(self) -> Path:
        """What the papers print."""
        return self.root / "book" / "published"

    def names(self) -> list[str]:
        """Return the name of every notebook."""
        return [p.stem for p in sources.sources(self.root / "notebooks")]

    def source(self, name: str) -> Path:
        """Return the path of a notebook's source."""
        return self.root / "notebooks" / f"{name}.py"

    def executed(self, name: str) -> Path:
        """Return the path of the executed notebook of the last complete run."""
        return self.folder / "executed" / f"{name}.ipynb"

    def failed(self, name: str) -> Path:
        """Return the path of a notebook that failed later, up to its error."""
        return self.folder / "failed" / f"{name}.ipynb"

    def record(self, name: str) -> dict[str, Any] | None:
        """Return the record of a notebook's last complete run, or None if there is none."""
        return self._read("records", name)

    def failure(self, name: str) -> dict[str, Any] | None:
        """Return the record of a run that failed after the last complete run, or None."""
        return self._read("failed", name)

    def publish(self, record: Mapping[str, Any], made: Path) -> None:
        """Move the files of a run from the folder `made` to their places, the record last.

        A complete run replaces all earlier ones. A run that failed replaces an earlier failure.
        """
        name, kind = record["name"], "failed" if record["error"] else "records"
        for path in record["outputs"]:
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (made / path).replace(target)
        self._discard(kind, name, keep=record["outputs"])
        if kind == "records":
            self._discard("failed", name)
        write(self._record(kind, name), json.dumps(record, indent=1) + "\n")

    def discard_deleted(self) -> None:
        """Remove the files of notebooks that no longer exist."""
        for kind in ("records", "failed"):
            for path in (self.folder / kind).glob("*.json"):
                if not self.source(path.stem).exists():
                    self._discard(kind, path.stem)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait until no other command changes the folder, and then keep others from it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"Waiting for another run in {self.folder.relative_to(self.root)}/ to end ...")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _record(self, kind: str, name: str) -> Path:
        return self.folder / kind / f"{name}.json"

    def _read(self, kind: str, name: str) -> dict[str, Any] | None:
        """Return a record, or None if no whole record is there; it names files in here only."""
        try:
            record = json.loads(self._record(kind, name).read_text("utf-8"))
            whole = record["name"] == name
            whole &= all(isinstance(record[key], of) for key, of in _RECORD.items())
            outside = [p for p in record["outputs"] if p.startswith("/") or ".." in Path(p).parts]
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return record if whole and not outside else None

    def _discard(self, kind: str, name: str, keep: Collection[str] = ()) -> None:
        """Remove the record of a run, and then its files, except those that `keep` names."""
        record = self._read(kind, name) or {"outputs": ()}
        self._record(kind, name).unlink(missing_ok=True)
        for path in set(record["outputs"]) - set(keep):
            (self.folder / path).unlink(missing_ok=True)

    def facts(self) -> dict[str, str]:
        """Return what everything says now that a run may depend on, apart from its own code."""
        facts = {"installed packages": short_hash(versions(PACKAGES))}
        for what, pattern in _ALL_READ.items():
            facts[what] = self._hash(self.root.glob(pattern))
        data = (self.root / "notebooks" / "data").glob("*.*")
        facts |= {f"data/{path.name}": swhid(path) for path in data}
        return facts | Published(self.published).facts

    def own_facts(self, name: str, values: Mapping[str, Any]) -> dict[str, str]:
        """Return a hash of a notebook's source, its modules and its parameters' values."""
        source = self.source(name)
        return {
            "the notebook": swhid(source),
            "the modules it imports": self._hash(sources.imported(source, self.root)),
            "parameters": short_hash({k: repr(v) for k, v in values.items()}),
        }

    def _hash(self, paths: Iterable[Path]) -> str:
        return short_hash({p.relative_to(self.root).as_posix(): swhid(p) for p in paths})


def short_hash(texts: Mapping[str, str]) -> str:
    """Return one short hash for several named texts."""
    text = "".join(f"{texts[k]}  {k}\n" for k in sorted(texts))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# Tasks


@dataclass
class Task:
    """One notebook with its parameters' values and its last runs."""

    name: str
    declared: list[Parameter]
    values: dict[str, Any]  # of all parameters
    passed: dict[str, Any]  # those that papermill passes
    facts: dict[str, str]  # what everything says now that the run may depend on
    always: dict[str, str]  # of these, what every notebook depends on
    record: dict[str, Any] | None  # of its last complete run
    failed: str  # the error of a later run; empty if there is none
    length: float = math.inf  # seconds of the reference run; the longest start first
    reason: str = ""  # to run it; empty if its last complete run is valid

    @property
    def is_broken(self) -> bool:
        """Tell whether a page can show no more than how far a run came."""
        return bool(self.failed and self.reason)

    def inputs(self, read: Iterable[str]) -> dict[str, str]:
        """Return what a run depends on that reads these; "lam/*" is for ids that begin so."""
        inputs = {}
        for name in read:
            inputs[name] = self.facts.get(name, "")
            if name.endswith("*"):
                inputs[name] = short_hash({i: "" for i in self.facts if i.startswith(name[:-1])})
        return {**inputs, **self.always}


def tasks(
    edition: Edition, names: Sequence[str] = (), given: Mapping[str, Any] | None = None
) -> list[Task]:
    """Return the notebooks of an edition, each with its values and the reason to run it.

    `given` are a reader's own values. They come after those of a quick run.
    """
    known = edition.names()
    if unknown := [name for name in names if name not in known]:
        raise RefusedError(f"there is no notebook {unknown[0]!r}; there are {', '.join(known)}")
    reference = edition.root / REFERENCE / "run.json"
    lengths = json.loads(reference.read_text("utf-8"))["took"] if reference.exists() else {}
    quick = sources.quick_values(edition.root) if edition.name == "quick" else {}
    facts, listed = edition.facts(), []
    for name in dict.fromkeys(names or known):
        task = _task(edition, name, {**quick.get(name, {}), **(given or {})}, facts)
        task.length = lengths.get(name, math.inf)
        listed.append(task)
    return listed


def _task(edition: Edition, name: str, passed: dict[str, Any], facts: dict[str, str]) -> Task:
    """Return one notebook with these values of its parameters."""
    declared = sources.declared(edition.source(name))
    check_names(passed, (p.name for p in declared), name)
    values = {p.name: passed.get(p.name, ast.literal_eval(p.default)) for p in declared}
    always = {what: facts[what] for what in ("installed packages", *_ALL_READ)}
    always |= edition.own_facts(name, values)
    record = edition.record(name)
    failed = (edition.failure(name) or {"error": ""})["error"]
    task = Task(name, declared, values, passed, facts, always, record, failed)
    task.reason = _stale(edition, task)
    if task.is_broken:
        task.reason = f"failed last time: {failed}"
    return task


def _stale(edition: Edition, task: Task) -> str:
    """Return the reason to run a notebook, or "" if its last complete run is valid."""
    if task.record is None:
        return "never run"
    inputs, outputs = task.record["inputs"], task.record["outputs"]
    now = {**task.inputs(inputs), **{path: swhid(edition.folder / path) for path in outputs}}
    changed = differing({**inputs, **outputs}, now)
    more = f" and {len(changed) - 4} more" if len(changed) > 4 else ""
    return f"{', '.join(changed[:4])}{more} changed" if changed else ""


# Messages


def seconds(value: float) -> str:
    """Return a duration as text."""
    if value < 9.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def say(line: str) -> None:
    """Print a line at once, also into a pipe."""
    print(line, flush=True)


# The frame of each command

QUICK = {"--quick": {"action": "store_true", "help": "few replicates, in another folder"}}


def command(work: Callable[..., bool], arguments: Mapping[str, Mapping[str, Any]]) -> NoReturn:
    """Run the work of a command line and end the process.

    `work` gets an edition and the values of the `arguments`, and returns whether all is well. The
    exit code is 0 if all is well, 3 if not (a notebook has failed), 2 if nothing could be done.
    (Python ends with 1 after an error that nobody foresaw.)
    """
    program = sys.modules["__main__"]
    parser = argparse.ArgumentParser(description=(program.__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    for name, how in arguments.items():
        parser.add_argument(name, **how)
    options = parser.parse_args()
    edition = Edition(options.root.resolve(), "quick" if getattr(options, "quick", 0) else "full")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` ends it as Ctrl-C does
    try:
        sys.exit(0 if work(edition, options) else 3)
    except (RefusedError, OSError) as error:
        parser.exit(2, f"error: {error}\n")
    except KeyboardInterrupt:
        parser.exit(130, "Stopped. The notebooks that have ended are kept.\n")
