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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from papermill.models import Parameter

from compendium import (
    ROOT,
    RefusedError,
    differing,
    sources,
    swhid,
    versions,
    write,
)
from compendium.published import Published

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
# Files on which the numbers and figures of every notebook may depend.
_COMMON = {
    "the package": ["f1ci/**/*.py"],
    "the figures' style": ["book/compendium/*.mplstyle"],
}
# What a record holds. A file that lacks any of it is no record.
_RECORD = {
    **dict.fromkeys(("name", "ended", "error", "version", "f1ci", "results", "machine"), str),
    **dict.fromkeys(("inputs", "outputs", "parameters", "packages"), dict),
    "blas": str,
    "seconds": float,
    "data": list,
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
        before = self._read(kind, name) or {"outputs": ()}
        for path in record["outputs"]:
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (made / path).replace(target)
        write(self._record(kind, name), json.dumps(record, indent=1) + "\n")
        self._remove(set(before["outputs"]) - set(record["outputs"]))
        if kind == "records":
            self._discard("failed", name)

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
            whole = all(isinstance(record[key], of) for key, of in _RECORD.items())
            outside = [p for p in record["outputs"] if p.startswith("/") or ".." in Path(p).parts]
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return record if whole and not outside else None

    def _discard(self, kind: str, name: str) -> None:
        """Remove the files of a run, its record first."""
        record = self._read(kind, name) or {"outputs": ()}
        self._record(kind, name).unlink(missing_ok=True)
        self._remove(record["outputs"])

    def _remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            (self.folder / path).unlink(missing_ok=True)

    def common_inputs(self) -> dict[str, str]:
        """Return a hash of each thing on which the numbers of every notebook may depend."""
        hashes = {"installed packages": short_hash(versions(PACKAGES))}
        for what, patterns in _COMMON.items():
            hashes[what] = self._hash(p for pattern in patterns for p in self.root.glob(pattern))
        return hashes

    def own_inputs(self, name: str) -> dict[str, str]:
        """Return a hash of a notebook's source, and of the modules that it imports."""
        source = self.source(name)
        modules = self._hash(sources.imported(source, self.root))
        return {"the notebook": swhid(source), "the modules it imports": modules}

    def readable(self) -> dict[str, str]:
        """Return what each data file and each printed number says that a notebook may read."""
        data = (self.root / "notebooks" / "data").glob("*.*")
        return {f"data/{p.name}": swhid(p) for p in data} | Published(self.published).facts

    def _hash(self, paths: Iterable[Path]) -> str:
        return short_hash({p.relative_to(self.root).as_posix(): swhid(p) for p in paths})


def short_hash(texts: Mapping[str, str]) -> str:
    """Return one short hash for several named texts."""
    text = "".join(f"{texts[k]}  {k}\n" for k in sorted(texts))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def what_it_says(name: str, readable: Mapping[str, str]) -> str:
    """Return a hash of what a file or a number says. A name that ends in "*" stands for many."""
    if name.endswith("*"):
        return short_hash({n: "" for n in readable if n.startswith(name[:-1])})
    return short_hash({name: readable.get(name, "")})


# Tasks


@dataclass
class Task:
    """One notebook with its parameters' values and its last runs."""

    name: str
    declared: list[Parameter]
    values: dict[str, Any]  # of all parameters
    passed: dict[str, Any]  # those that papermill passes
    inputs: dict[str, str]
    readable: dict[str, str]
    record: dict[str, Any] | None  # of its last complete run
    failed: str  # the error of a later run; empty if there is none
    reason: str  # to run it; empty if its last complete run is valid
    length: float  # seconds of the reference run; the longest start first

    @property
    def is_broken(self) -> bool:
        """Tell whether a page can show no more than how far a run came."""
        return bool(self.failed and self.reason)


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
    common, readable = edition.common_inputs(), edition.readable()
    return [
        _task(
            edition,
            name,
            {**quick.get(name, {}), **(given or {})},
            common,
            readable,
            lengths.get(name, math.inf),
        )
        for name in dict.fromkeys(names or known)
    ]


def _task(
    edition: Edition,
    name: str,
    passed: dict[str, Any],
    common: Mapping[str, str],
    readable: dict[str, str],
    length: float,
) -> Task:
    """Return one notebook with these values of its parameters."""
    declared = sources.declared(edition.source(name))
    sources.check_names(passed, declared, name)
    values = {p.name: passed.get(p.name, ast.literal_eval(p.default)) for p in declared}
    inputs = {**common, **edition.own_inputs(name)}
    inputs["parameters"] = short_hash({k: repr(v) for k, v in values.items()})
    record = edition.record(name)
    failed = (edition.failure(name) or {"error": ""})["error"]
    reason = _stale(edition, record, inputs, readable)
    if reason and failed:
        reason = f"failed last time: {failed}"
    return Task(name, declared, values, passed, inputs, readable, record, failed, reason, length)


def _stale(
    edition: Edition,
    record: dict[str, Any] | None,
    inputs: Mapping[str, str],
    readable: Mapping[str, str],
) -> str:
    """Return the reason to run a notebook, or "" if its last complete run is valid."""
    if record is None:
        return "never run"
    read = {n: what_it_says(n, readable) for n in record["inputs"] if n not in inputs}
    outputs = {path: swhid(edition.folder / path) for path in record["outputs"]}
    before = {**record["inputs"], **record["outputs"]}
    changed = differing(before, {**inputs, **read, **outputs})
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
