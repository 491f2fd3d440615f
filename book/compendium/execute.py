"""Run notebooks with papermill: side by side, each in a process of its own, with a time limit.

A run writes into a temporary folder. When it has ended, its files move to the edition's
folder, and the record of the run is written last. A run is valid until a hash changes: of the
package, the shared code, the data, the printed numbers, the lock, the notebook itself, or a file
that the run made. ``python -m compendium.execute --help`` is the command.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import fcntl
import hashlib
import json
import math
import os
import platform
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NoReturn

import nbformat
import papermill
import psutil
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError
from papermill.models import Parameter

from compendium import (
    ROOT,
    RefusedError,
    differing,
    put,
    read_json,
    sources,
    swhid,
    versions,
    write,
)
from compendium.pool import end_with_runner
from compendium.published import Published

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
# Files on which the numbers of every notebook may depend, beside the notebook itself.
_SHARED = {
    "the package": ["f1ci/**/*.py"],
    "the shared code": ["notebooks/shared/*.py", "book/benchmarks/*.py"],
    "the data": ["notebooks/data/*.*"],
    "the machinery": ["book/compendium/*.py", "book/compendium/figures.mplstyle"],
    "the lock": ["requirements.lock"],
}
_RECORD = {"name", "error", "seconds", "parameters", "packages", "inputs", "outputs"}
REFERENCE = Path("book", "reference")  # other runs are compared with this run


# The last run of a notebook


@dataclass(frozen=True)
class Edition:
    """One set of runs of a tree's notebooks: ``full``, ``quick``, ``custom`` (a reader's own).

    They never share a folder, so a quick run cannot enter the book. ``seed`` is a run with another
    root seed, ``site`` a preview of pages, from runs that may be out of date.
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

    def running(self, name: str) -> Path:
        """Return the folder into which a notebook's run writes before it has ended."""
        return self.folder / f"running-{name}"

    def record(self, name: str) -> dict[str, Any] | None:
        """Return the record of the last run, or None if it cannot be read."""
        try:
            record = read_json(self._record(name))
        except (FileNotFoundError, RefusedError):
            return None
        return record if isinstance(record, dict) and record.keys() >= _RECORD else None

    def inputs(self) -> dict[str, str]:
        """Return a hash of each thing on which the numbers of every notebook may depend."""
        found = {
            "the printed numbers": short_hash({"": Published(self.published).facts}),
            "installed packages": short_hash(versions(_PACKAGES)),
        }
        for what, patterns in _SHARED.items():
            paths = [p for pattern in patterns for p in self.root.glob(pattern) if p.is_file()]
            found[what] = short_hash({p.relative_to(self.root).as_posix(): swhid(p) for p in paths})
        return found

    def publish(self, name: str, record: dict[str, Any], made: Path) -> None:
        """Move the files of a run to their places, the record last.

        A kill at any moment leaves no record, or one that agrees with its files.
        """
        self.discard(name)
        for path in record["outputs"]:
            put(made / path, self.folder / path)
        write(self._record(name), json.dumps(record, indent=1) + "\n")

    def discard(self, name: str) -> None:
        """Remove the files of the last run, its record first."""
        record = self.record(name) or {"outputs": ()}
        self._record(name).unlink(missing_ok=True)
        for path in record["outputs"]:
            (self.folder / path).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Discard the runs of deleted notebooks, and the files of killed runs."""
        for path in (self.folder / "records").glob("*.json"):
            if not self.source(path.stem).exists():
                self.discard(path.stem)
        for path in self.folder.glob("running-*"):
            shutil.rmtree(path, ignore_errors=True)

    def _record(self, name: str) -> Path:
        return self.folder / "records" / f"{name}.json"


@contextlib.contextmanager
def locked(edition: Edition) -> Iterator[None]:
    """Keep other commands out of an edition's folder until this process ends."""
    edition.folder.mkdir(parents=True, exist_ok=True)
    with (edition.folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RefusedError(
                f"another command is at work in {edition.folder}; wait for it to end"
            ) from None
        yield


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
    started: float = 0.0


def tasks(edition: Edition, names: Sequence[str] = (), text: str = "") -> list[Task]:
    """Return the notebooks of an edition, each with its values and the reason to run it."""
    known = edition.names()
    if unknown := [name for name in names if name not in known]:
        raise RefusedError(f"there is no notebook {unknown[0]!r}; there are {', '.join(known)}")
    run = edition.root / REFERENCE / "run.json"
    took = read_json(run)["took"] if run.exists() else {}
    quick = sources.quick_values(edition.root) if edition.name == "quick" else {}
    shared = edition.inputs()
    found = []
    for name in dict.fromkeys(names or known):
        declared = sources.declared(edition.source(name))
        passed = {**quick.get(name, {}), **sources.from_text(text, declared, name)}
        values = {p.name: passed.get(p.name, ast.literal_eval(p.default)) for p in declared}
        inputs = {**shared, "the notebook": swhid(edition.source(name))}
        inputs["parameters"] = short_hash({k: repr(v) for k, v in values.items()})
        record = edition.record(name)
        reason = "" if edition.name == "site" else _stale(edition, record, inputs)
        length = took.get(name, math.inf)
        found.append(Task(name, declared, values, passed, inputs, record, reason, length))
    return found


def _stale(edition: Edition, record: dict[str, Any] | None, inputs: Mapping[str, str]) -> str:
    """Return the reason to run a notebook, or "" if its last run is valid."""
    if record is None:
        return "never run"
    if record["error"]:
        return f"failed last time: {record['error']['summary']}"
    outputs = {path: swhid(edition.folder / path) for path in record["outputs"]}
    changed = differing({**record["inputs"], **record["outputs"]}, {**inputs, **outputs})
    return f"{', '.join(changed)} changed" if changed else ""


def run(
    edition: Edition, todo: Sequence[Task], *, workers: int = 2, time_limit: int = 1800
) -> list[str]:
    """Run the tasks, longest first, and return the names of those that failed.

    A failure stops nothing else. Ctrl-C stops everything and leaves every notebook
    either as it was or done. Everything that stops a task early is a failure.
    """
    edition.tidy()
    begin, failed = time.monotonic(), []

    def tell(text: str) -> None:
        left, since = len(waiting) + len(running), seconds(time.monotonic() - begin)
        say(f"{since:>12}  {text}; {len(todo) - left} of {len(todo)} notebooks done")

    waiting = sorted(todo, key=lambda task: task.length)
    running: dict[Future[dict[str, str] | None], tuple[Task, ProcessPoolExecutor]] = {}
    free = [_worker() for _ in range(workers)]
    while waiting or running:
        while waiting and free:
            task, worker = waiting.pop(), free.pop()
            task.started = time.monotonic()
            running[worker.submit(_run_one, edition, task, time_limit)] = task, worker
            tell(f"{task.name} starts: {task.reason or 'asked for'}")
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task, worker = running.pop(future)
            folder = edition.running(task.name)
            try:
                error = future.result()
                _publish(edition, task, folder, error)
            except Exception as fault:  # a full disk, for example
                worker = _worker()  # the old one may be dead
                error = _error(f"{type(fault).__name__}: {' '.join(str(fault).split())}")
            free.append(worker)
            shutil.rmtree(folder, ignore_errors=True)
            failed += [task.name] if error else []
            took = seconds(time.monotonic() - task.started)
            outcome = f"FAILED after {took}: {error['summary']}" if error else f"done in {took}"
            tell(f"{task.name} {outcome}")
    for worker in free:
        worker.shutdown()
    return sorted(failed)


# One notebook


def _worker() -> ProcessPoolExecutor:
    """Return a process that runs one notebook after another: it imports papermill once.

    It does not copy this process, because a copy would also hold the lock.
    """
    return ProcessPoolExecutor(1, get_context("spawn"), start_worker)


def start_worker() -> None:
    """Prepare the process of `_worker`: it ends with the runner, and prints nothing itself."""
    end_with_runner()
    with Path(os.devnull).open("w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)


def _run_one(edition: Edition, task: Task, time_limit: int) -> dict[str, str] | None:
    """Run one notebook with papermill; return the error that stopped it, if any."""
    folder = edition.running(task.name)
    executed = folder / "made" / "executed" / f"{task.name}.ipynb"
    results = folder / "made" / "results"
    for needed in (executed.parent, results):
        needed.mkdir(parents=True)
    nbformat.write(sources.read(edition.source(task.name)), folder / "input.ipynb")
    os.environ |= {
        "F1CI_RESULTS": str(results),
        "F1CI_DATA_READ": str(folder / "data"),
        "IPYTHONDIR": str(folder / "ipython"),  # without the user's settings
    }
    stopped = ""
    try:
        papermill.execute_notebook(
            folder / "input.ipynb",
            executed,
            task.passed,
            kernel_name="python3",
            cwd=edition.root / "notebooks",
            coalesce_streams=True,  # lines printed slowly stay in one box
            execution_timeout=time_limit,
        )
    except PapermillExecutionError:
        pass  # the notebook has its traceback
    except CellTimeoutError:
        stopped = f"the time limit of {seconds(time_limit)} ended"
    except DeadKernelError:
        stopped = "its process died"
    finally:
        _end_processes(folder)
    error = _clean(executed, stopped)
    made = [p.name for p in results.rglob("*") if p.is_file()]
    if strangers := sorted(name for name in made if not name.startswith(task.name)):
        error = error or _error(f"its files must begin with its name, not {', '.join(strangers)}")
    return error


def _end_processes(folder: Path) -> None:
    """End every process that a run in this folder has started."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("F1CI_RESULTS", "").startswith(f"{folder}{os.sep}"):
                process.kill()


def _clean(executed: Path, stopped: str) -> dict[str, str] | None:
    """Remove papermill's paths, times and banners from an executed notebook; return its error."""
    notebook = nbformat.read(executed, as_version=4)
    notebook.cells = [c for c in notebook.cells if "papermill-error" not in str(c.metadata)]
    notebook.metadata.pop("papermill", None)
    error, reached = None, 0
    for number, cell in enumerate(notebook.cells, 1):
        if cell.metadata.pop("papermill", {}).get("start_time"):
            reached = number
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "error" and error is None:
                summary = f"cell {number}: {output.ename}: {output.evalue}"
                error = _error(summary, "\n".join(output.traceback))
    executed.write_text(nbformat.writes(notebook) + "\n", "utf-8")
    if stopped:
        return _error(f"{stopped} in cell {reached} of {len(notebook.cells)}")
    return error


def _error(summary: str, traceback: str = "") -> dict[str, str]:
    """Return an error as one line that any terminal can show, and with its traceback."""
    line = re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", summary.strip().partition("\n")[0])
    return {"summary": line[:300], "traceback": traceback[-100_000:]}


def _publish(edition: Edition, task: Task, folder: Path, error: dict[str, str] | None) -> None:
    """Move the files of a run to their places and write its record."""
    made = folder / "made"
    if error:
        shutil.rmtree(made / "results")  # some of the results are worse than none
    outputs = {p.relative_to(made).as_posix(): swhid(p) for p in made.rglob("*") if p.is_file()}
    read = folder / "data"
    record = {
        "name": task.name,
        "error": error,
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - task.started, 1),
        "parameters": {k: repr(v) for k, v in task.values.items()},
        "packages": versions(_PACKAGES),
        "inputs": task.inputs,
        "data": sorted(set(read.read_text("utf-8").split())) if read.exists() else [],
        "version": version("f1ci"),
        "f1ci": task.inputs["the package"],
        # Numbers only: how a figure is drawn may differ from one machine to another.
        "results": short_hash({k: h for k, h in outputs.items() if k.endswith(".csv")}),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "outputs": outputs,
    }
    edition.publish(task.name, record, made)


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


# The command

QUICK = {"--quick": {"action": "store_true", "help": "few replicates, in another folder"}}


def command(work: Callable[..., bool], arguments: Mapping[str, Mapping[str, Any]]) -> NoReturn:
    """Run the work of a command line and end the process.

    `work` gets an edition and the values of the `arguments`, and returns whether all is well. The
    exit code is 0 if all is well, 1 if not (a notebook has failed), 2 if nothing could be done.
    """
    program = sys.modules["__main__"]
    parser = argparse.ArgumentParser(
        description=(program.__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    for name, how in arguments.items():
        parser.add_argument(name, **how)
    options = parser.parse_args()
    name = next((n for n in ("quick", "site") if getattr(options, n, False)), "full")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also in the background of a shell
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` ends it as Ctrl-C does
    try:
        sys.exit(not work(Edition(options.root.resolve(), name), options))
    except (RefusedError, OSError) as error:
        parser.exit(2, f"error: {error}\n")
    except KeyboardInterrupt:
        say("Stopped. The notebooks that have ended are kept.")
        os._exit(130)  # threads take seconds to notice that their kernels ended


def _main(edition: Edition, options: argparse.Namespace) -> bool:
    begin, workers, text = time.monotonic(), options.workers, options.params
    if min(workers, options.time_limit) < 1:
        raise RefusedError("a run needs at least one worker, and one second for each cell")
    names = options.names
    if options.seed is not None:  # for notebooks that draw random numbers
        text = f"{text} seed={options.seed}"
        parameters = {n: sources.declared(edition.source(n)) for n in names or edition.names()}
        names = [n for n, of in parameters.items() if any(p.name == "seed" for p in of)]
    listed = tasks(edition, names, text)
    if text:
        edition = replace(edition, name="custom" if options.seed is None else "seed")
    todo = [t for t in listed if t.reason or text or options.force]
    if kept := len(listed) - len(todo):
        say(f"{kept} of {len(listed)} notebooks are up to date (--force runs them anyway).")
    os.environ |= {
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
        "PYTHONPATH": f"{edition.root}{os.pathsep}{edition.root / 'book'}",
        "PYTHONHASHSEED": "0",
        "JUPYTER_PREFER_ENV_PATH": "1",
        "F1CI_RUNNER": str(os.getpid()),
        "F1CI_SCHEDULER": options.scheduler,
        "F1CI_PROCESSES": str(max(1, workers // max(1, len(todo)))),
        # The book fills in printed numbers and verdicts. A reader's own run has no book.
        "F1CI_IDS": "" if edition.name == "custom" else "1",
    }
    with locked(edition):
        failed = run(edition, todo, workers=workers, time_limit=options.time_limit)
    took, folder = seconds(time.monotonic() - begin), edition.folder.relative_to(edition.root)
    if todo:
        say(f"{len(todo) - len(failed)} of {len(todo)} notebooks ran in {took}, see {folder}/.")
    for name in failed:
        say(f"FAILED: {name}, up to its error in {folder}/executed/{name}.ipynb")
    return not failed


if __name__ == "__main__":
    values = 'values such as "confidence_level=0.9 replicates=1000"'
    command(
        _main,
        {
            "names": {"nargs": "*", "metavar": "NAME", "help": "all, if none is named"},
            **QUICK,
            "--params": {"default": "", "help": values},
            "--seed": {"type": int, "help": "another root seed, in a folder apart"},
            "--workers": {"type": int, "default": 2, "help": "notebooks at a time"},
            "--scheduler": {"default": "", "help": "address of a Dask scheduler"},
            "--force": {"action": "store_true", "help": "run even what is up to date"},
            "--time-limit": {"type": int, "default": 1800, "help": "seconds for each cell"},
        },
    )
