"""The runs of a tree's notebooks: where their files are, and which notebooks must run again.

A run is valid until a hash changes: of the package, the modules that the notebook imports, the
data, the printed numbers, the lock, the notebook itself, or a file that the run made. Times of
files do not matter. :mod:`compendium.execute` makes the runs.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
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
_COMMON = {
    "the package": ["f1ci/**/*.py"],
    "the figures' style": ["book/compendium/*.mplstyle"],
    "the data": [f"notebooks/data/*.{kind}" for kind in ("csv", "data", "json", "txt")],
    "the lock": ["requirements.lock"],
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
        """Return the path of the executed notebook, complete or up to its error."""
        return self.folder / "executed" / f"{name}.ipynb"

    def record(self, name: str) -> dict[str, Any] | None:
        """Return the record of a notebook's last run, or None if there is none."""
        path = self._record(name)
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None

    def publish(self, name: str, record: dict[str, Any], made: Path) -> None:
        """Move the files of a run from the folder `made` to their places, the record last."""
        self.discard(name)
        for path in record["outputs"]:
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (made / path).replace(target)
        write(self._record(name), json.dumps(record, indent=1) + "\n")

    def discard(self, name: str) -> None:
        """Remove the files of the last run, its record first."""
        record = self.record(name) or {"outputs": ()}
        self._record(name).unlink(missing_ok=True)
        for path in record["outputs"]:
            (self.folder / path).unlink(missing_ok=True)

    def discard_deleted(self) -> None:
        """Remove the files of notebooks that no longer exist."""
        for path in (self.folder / "records").glob("*.json"):
            if not self.source(path.stem).exists():
                self.discard(path.stem)

    def _record(self, name: str) -> Path:
        return self.folder / "records" / f"{name}.json"

    def common_inputs(self) -> dict[str, str]:
        """Return a hash of each thing on which the numbers of every notebook may depend."""
        hashes = {
            "the printed numbers": short_hash({"": Published(self.published).facts}),
            "installed packages": short_hash(versions(PACKAGES)),
        }
        for what, patterns in _COMMON.items():
            hashes[what] = self._hash(p for pattern in patterns for p in self.root.glob(pattern))
        return hashes

    def own_inputs(self, name: str) -> dict[str, str]:
        """Return a hash of a notebook's source, and of the modules that it imports."""
        source = self.source(name)
        modules = self._hash(sources.imported(source, self.root))
        return {"the notebook": swhid(source), "the modules it imports": modules}

    def _hash(self, paths: Iterable[Path]) -> str:
        return short_hash({p.relative_to(self.root).as_posix(): swhid(p) for p in paths})


def short_hash(texts: Mapping[str, str]) -> str:
    """Return one short hash for several named texts."""
    text = "".join(f"{texts[k]}  {k}\n" for k in sorted(texts))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# Tasks


@dataclass
class Task:
    """One notebook with its parameters' values and its last run."""

    name: str
    declared: list[Parameter]
    values: dict[str, Any]  # of all parameters
    passed: dict[str, Any]  # those that papermill passes
    inputs: dict[str, str]
    record: dict[str, Any] | None
    reason: str  # to run it; empty if its last run is valid
    length: float  # seconds of the reference run; the longest start first


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
    common = edition.common_inputs()
    return [
        _task(
            edition,
            name,
            {**quick.get(name, {}), **(given or {})},
            common,
            lengths.get(name, math.inf),
        )
        for name in dict.fromkeys(names or known)
    ]


def _task(
    edition: Edition,
    name: str,
    passed: dict[str, Any],
    common: Mapping[str, str],
    length: float,
) -> Task:
    """Return one notebook with these values of its parameters."""
    declared = sources.declared(edition.source(name))
    check_names(passed, (p.name for p in declared), name)
    values = {p.name: passed.get(p.name, ast.literal_eval(p.default)) for p in declared}
    inputs = {**common, **edition.own_inputs(name)}
    inputs["parameters"] = short_hash({k: repr(v) for k, v in values.items()})
    record = edition.record(name)
    reason = _stale(edition, record, inputs)
    return Task(name, declared, values, passed, inputs, record, reason, length)


def _stale(edition: Edition, record: dict[str, Any] | None, inputs: Mapping[str, str]) -> str:
    """Return the reason to run a notebook, or "" if its last run is valid."""
    if record is None:
        return "never run"
    if record["error"]:
        return f"failed last time: {record['error']}"
    outputs = {path: swhid(edition.folder / path) for path in record["outputs"]}
    changed = differing({**record["inputs"], **record["outputs"]}, {**inputs, **outputs})
    return f"{', '.join(changed)} changed" if changed else ""


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
    exit code is 0 if all is well, 1 if not (a notebook has failed), 2 if nothing could be done.
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
        sys.exit(not work(edition, options))
    except (RefusedError, OSError) as error:
        parser.exit(2, f"error: {error}\n")
    except KeyboardInterrupt:
        parser.exit(130, "Stopped. The notebooks that have ended are kept.\n")
