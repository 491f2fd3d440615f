"""Run notebooks with papermill: in parallel, isolated, with progress, a time limit and a memory.

Each notebook runs in a process of its own and writes into a temporary folder; only when it has
ended is what it made moved into the edition's folder, and a record written of what it read. A run
counts as done as long as all that it read, and all that it made, is still the same: the source,
every file of the repository that it opened or imported, every printed value that it used, its
parameters, the lock and the installed packages. Hashes decide, not times.

``python -m compendium.execute --help`` is the command. The module is also the program that runs one
notebook (``python -m compendium.execute --job ...``).
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
import psutil

from compendium import ROOT, parameters, sources, versions, write
from compendium.parameters import ParameterError
from compendium.published import LedgerError, Published

__all__ = [
    "Edition",
    "Project",
    "RefusedError",
    "Task",
    "locked",
    "main",
    "package_version",
    "run",
    "seconds",
    "tasks",
]

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
_HEARTBEAT = 15.0  # seconds of silence after which a running notebook is mentioned again
# Runs in the kernel before the notebook: notes which files of the repository it opens. Imported
# modules are among them; a compiled one stands for its source. What the papers print is noted
# value by value instead, by `compendium.ledger`.
_WATCH = """\
import importlib.util, os, sys

def watch(root, log):
    seen = set()
    notes = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    rooms = tuple(os.path.join(root, room) + os.sep for room in ("f1ci", "book", "notebooks"))
    printed = os.path.join(root, "book", "published") + os.sep

    def hook(event, args):
        if event == "open" and isinstance(args[0], (str, os.PathLike)) and args[0] not in seen:
            seen.add(args[0])
            path = os.path.abspath(os.fspath(args[0]))
            if not isinstance(path, str) or not path.startswith(rooms):
                return
            if path.startswith(printed):
                return
            if path.endswith(".pyc"):
                path = importlib.util.source_from_cache(path)
            os.write(notes, os.fsencode("file\\t" + os.path.relpath(path, root) + "\\t\\n"))

    sys.addaudithook(hook)

watch({root!r}, {log!r})
del watch
"""


class RefusedError(RuntimeError):
    """What cannot be done here and now, in a sentence."""


# --- what is known of a notebook's last run ---------------------------------------------------


@dataclass(frozen=True)
class Project:
    """Where things are in a tree of the compendium."""

    root: Path = ROOT

    def __post_init__(self) -> None:
        """Refuse to work on this tree for someone who stands in another one."""
        here = Path.cwd()
        if self.root == ROOT != here and (here / "book" / "compendium").is_dir():
            raise RefusedError(
                f"this environment computes with {ROOT}, not with {here}: make one for this folder"
            )

    @property
    def notebooks(self) -> Path:
        """The sources and their pairs."""
        return self.root / "notebooks"

    @property
    def build(self) -> Path:
        """Everything derived; git ignores it."""
        return self.root / "_build"

    @property
    def published(self) -> Path:
        """What the papers print."""
        return self.root / "book" / "published"

    @property
    def python_path(self) -> str:
        """What PYTHONPATH must be for programs that import this tree's packages."""
        path = [str(self.root), str(self.root / "book"), os.environ.get("PYTHONPATH", "")]
        return os.pathsep.join(p for p in path if p)

    def names(self) -> list[str]:
        """Every notebook."""
        return [p.stem for p in sources.sources(self.notebooks)]

    def hashes(self, paths: Sequence[str]) -> dict[str, str]:
        """The hash of each file, by its path from the root; empty for one that is gone."""
        return {p: _hash(self.root / p) for p in paths}


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

    def stale(self, name: str, values: Mapping[str, Any], published: Published) -> str:
        """Why a notebook has to run with these values; empty if its last run still holds."""
        record = self.record(name)
        if record is None:
            return "never run"
        if record["status"] != "done":
            return "failed last time"
        now = {
            "parameters": {k: parameters.write(v) for k, v in values.items()},
            "packages": versions(_PACKAGES),
            "files": self.project.hashes(list(record["read"]["files"])),
            "printed": _printed(published, record["read"]["printed"]),
        }
        before = {**record, **record["read"]}
        reasons = [
            f"{what} changed ({_difference(before[what], found)})"
            for what, found in now.items()
            if before[what] != found
        ]
        return ", ".join(reasons + self._altered_outputs(record))

    def altered(self) -> list[str]:
        """Every notebook whose results are missing, or not as its run left them, in a sentence."""
        problems = []
        for name in self.project.names():
            record = self.record(name)
            if record is None or record["status"] != "done":
                what = "has not been run" if record is None else "failed when it was last run"
                problems.append(f"the notebook {name} {what}")
            else:
                problems += [f"{name}: {found}" for found in self._altered_outputs(record)]
        return problems

    def _altered_outputs(self, record: Mapping[str, Any]) -> list[str]:
        return [
            f"{path} {'changed' if found else 'is gone'}"
            for path, known in record["outputs"].items()
            if (found := _hash(self.folder / path)) != known
        ]

    def publish(self, name: str, record: dict[str, Any], made: Path) -> None:
        """Put the files that a run made into their places, the record last.

        A kill at any moment leaves no record, or one that agrees with its files.
        """
        self.discard(name)
        for file in sorted(p for p in made.rglob("*") if p.is_file()):
            target = self.folder / file.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
        write(self._record_path(name), json.dumps(record, indent=1) + "\n")

    def discard(self, name: str) -> None:
        """Remove what the last run left, its record first."""
        record = self.record(name)
        self._record_path(name).unlink(missing_ok=True)
        for path in record["outputs"] if record else ():
            (self.folder / path).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Discard the runs of notebooks that are no more, and what killed runs left."""
        for path in (self.folder / "records").glob("*.json"):
            if path.stem not in self.project.names():
                self.discard(path.stem)
        for path in self.folder.glob("running-*"):
            if not psutil.pid_exists(int(path.name.split("-")[1])):
                shutil.rmtree(path, ignore_errors=True)

    def _record_path(self, name: str) -> Path:
        return self.folder / "records" / f"{name}.json"


@contextlib.contextmanager
def locked(edition: Edition) -> Iterator[None]:
    """Keep other commands out of an edition's folder; the lock ends with this process."""
    edition.folder.mkdir(parents=True, exist_ok=True)
    with (edition.folder / ".lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise RefusedError(
                f"another command (process {lock.read().strip() or 'unknown'}) is at work in "
                f"{edition.folder}; wait for it to end"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _hash(path: Path) -> str:
    """SHA-256 of a file; empty if it is gone."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _combined(hashes: Mapping[str, str]) -> str:
    """One short hash for several named files."""
    text = "".join(f"{hashes[k]}  {k}\n" for k in sorted(hashes))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The names that differ between two tables, at most three."""
    names = sorted(k for k in before.keys() | now.keys() if before.get(k) != now.get(k))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _printed(published: Published, names: Mapping[str, str]) -> dict[str, str]:
    """What the papers print now for the values that a notebook used."""
    rows = {**published.inputs, **published.rows}
    now = {}
    for name in names:
        kind, identity = name.split(" ", 1)
        if kind == "replicates":
            now[name] = repr(published.replicates(identity))
        else:
            row = rows.get(identity)
            now[name] = "" if row is None else row.erratum if kind == "entry" else row.printed
    return now


# --- what is to be done -------------------------------------------------------------------


@dataclass
class Task:
    """One notebook with the values that it is to run with, and how far it is."""

    name: str
    values: dict[str, Any]  # those that differ from the source
    complete: dict[str, Any]  # all of them
    reason: str  # why it has to run; empty if its last run still holds
    expected: float | None  # seconds that its last run took
    cell: int = 0
    cells: int = 0
    started: float | None = None
    mentioned: float = 0.0
    begin: float = 0.0  # by the clock that file times follow
    process: subprocess.Popen[str] | None = field(default=None, repr=False)


def tasks(
    edition: Edition, names: Sequence[str] = (), text: str = "", *, quick: bool = False
) -> list[Task]:
    """The notebooks of an edition, each with its parameters and why it has to run, if it has."""
    folder, known = edition.project.notebooks, edition.project.names()
    published = Published(edition.project.published)
    if text and not names:
        raise ParameterError(f"name the notebook whose parameters are {text!r}")
    for name in names:
        if name not in known:
            raise ParameterError(
                f"there is no notebook {name!r}; there are {', '.join(known) or 'none'}"
            )
    found = []
    for name in names or known:
        declared = sources.declared_parameters(folder / f"{name}.py")
        values = parameters.quick_values(declared) if quick else {}
        values |= parameters.from_text(text, declared, name)
        complete = {p.name: values.get(p.name, p.default) for p in declared}
        record = edition.record(name)
        done = record is not None and record["status"] == "done"
        found.append(
            Task(
                name,
                values,
                complete,
                edition.stale(name, complete, published),
                record["seconds"] if record and done else None,
            )
        )
    return found


def run(
    edition: Edition,
    todo: Sequence[Task],
    *,
    workers: int = 2,
    time_limit: float = 1800.0,
    scheduler: str = "",
    say: Callable[[str], None],
) -> list[str]:
    """Run the tasks, longest first, and return the names of those that failed.

    A failure stops nothing else. Ctrl-C stops everything and leaves every notebook
    either as it was or done. Whatever keeps a task from its end is a failure.
    """
    edition.tidy()
    environment = _environment(edition, scheduler, max(1, workers // max(1, len(todo))))
    stopping = threading.Event()
    show = _Progress(list(todo), workers, say)

    def work(task: Task) -> bool:
        if stopping.is_set():
            return False
        try:
            with _temporary(edition.folder, task.name) as folder:
                outcome = _run_one(edition, task, folder, environment, time_limit, stopping, show)
                if stopping.is_set():
                    return False
                _publish(edition, task, folder, outcome)
        except Exception as error:  # a full disk, say: whatever stops a task is its failure
            said = " ".join(str(error).split())[:300]
            outcome = _failure(f"{type(error).__name__}: {said}")
        show.ended(task, outcome)
        return bool(outcome["status"] == "done")

    with ThreadPoolExecutor(workers) as pool:
        order = sorted(todo, key=lambda t: -(t.expected or float("inf")))
        futures: dict[Future[bool], str] = {pool.submit(work, t): t.name for t in order}
        try:
            while wait(futures, timeout=0.1).not_done:
                show.heartbeat()
        finally:
            stopping.set()
            for task in todo:
                if task.process:
                    _stop(task.process)
    return sorted(name for future, name in futures.items() if not future.result())


def seconds(value: float) -> str:
    """A duration as a person says it."""
    if value < 9.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


# --- one notebook -------------------------------------------------------------------------


def _run_one(
    edition: Edition,
    task: Task,
    folder: Path,
    environment: Mapping[str, str],
    time_limit: float,
    stopping: threading.Event,
    show: _Progress,
) -> dict[str, Any]:
    """Run one notebook in a process of its own; tell how it ended."""
    task.begin = time.time()
    notebook = sources.read(edition.project.notebooks / f"{task.name}.py")
    cell = sources.parameters_cell(notebook)
    cell.source = parameters.substitute(cell.source, task.values)
    executed = folder / "made" / "executed" / f"{task.name}.ipynb"
    results = folder / "made" / "results"
    startup = folder / "ipython" / "profile_default" / "startup"
    for needed in (executed.parent, results, startup):
        needed.mkdir(parents=True)
    watch = _WATCH.format(root=str(edition.project.root), log=str(folder / "notes"))
    (startup / "watch.py").write_text(watch, "utf-8")
    nbformat.write(notebook, folder / "input.ipynb")

    task.started, task.cells = time.monotonic(), len(notebook.cells)
    show.started(task)
    with (folder / "log").open("w") as log:
        task.process = subprocess.Popen(
            [sys.executable, "-m", "compendium.execute", "--job", str(executed)],
            cwd=edition.project.notebooks,
            stdin=subprocess.PIPE,  # its end tells the process that this one is gone
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={
                **environment,
                "F1CI_RESULTS": str(results),
                "F1CI_NOTES": str(folder / "notes"),
                "IPYTHONDIR": str(folder / "ipython"),  # none of the user's own set-up
            },
            start_new_session=True,  # Ctrl-C is for this process to pass on
        )
    if stopping.is_set():
        _stop(task.process)
    expired = threading.Event()

    def expire(process: subprocess.Popen[str]) -> None:
        expired.set()
        _stop(process)

    timer = threading.Timer(time_limit, expire, [task.process])
    timer.start()
    try:
        for line in task.process.stdout or ():
            if line.startswith("cell "):
                task.cell = int(line.split()[1])
                show.moved(task)
        task.process.wait()
    finally:
        timer.cancel()
        _stop(task.process)
        for stream in (task.process.stdin, task.process.stdout):
            if stream:
                stream.close()
    if expired.is_set():
        return _failure(
            f"the time limit of {seconds(time_limit)} ended in cell {task.cell} of {task.cells}"
        )
    if not (folder / "outcome.json").exists():
        return _failure("the process that ran it died", (folder / "log").read_text("utf-8"))
    outcome: dict[str, Any] = json.loads((folder / "outcome.json").read_text("utf-8"))
    strangers = [
        p.relative_to(results).as_posix()
        for p in results.rglob("*")
        if p.is_file() and not p.name.startswith(task.name)
    ]
    if outcome["status"] == "done" and strangers:
        return _failure(
            f"what a notebook writes must bear its name, not {', '.join(sorted(strangers))}"
        )
    return outcome


def _publish(edition: Edition, task: Task, folder: Path, outcome: dict[str, Any]) -> None:
    """Move what a run made to its place and record it."""
    made, root = folder / "made", edition.project.root
    if outcome["status"] != "done":
        shutil.rmtree(made / "results")  # half of the results is worse than none
    _clean(made / "executed" / f"{task.name}.ipynb", folder / "input.ipynb")
    outputs = {p.relative_to(made).as_posix(): _hash(p) for p in made.rglob("*") if p.is_file()}
    source = f"notebooks/{task.name}.py"
    files = {source, "requirements.lock"}
    printed = {}
    if (folder / "notes").exists():
        for line in (folder / "notes").read_text("utf-8").splitlines():
            kind, name, value = line.split("\t")
            if kind == "file":
                files.add(name)
            else:
                printed[f"{kind} {name}"] = value
    hashes = {
        # Nobody knows which of its states a file had that was written meanwhile: no hash fits.
        path: "" if _written_since(root / path, task.begin) else known
        for path, known in edition.project.hashes(sorted(files)).items()
    }
    package = [p.relative_to(root).as_posix() for p in (root / "f1ci").rglob("*.py")]
    record = {
        "name": task.name,
        "edition": edition.name,
        **outcome,
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - (task.started or 0.0), 1),
        "parameters": {k: parameters.write(v) for k, v in task.complete.items()},
        "packages": versions(_PACKAGES),
        "read": {"files": hashes, "printed": printed},
        "data": sorted(
            p.removeprefix("notebooks/") for p in files if p.startswith("notebooks/data/")
        ),
        "version": package_version(root),
        "f1ci": _combined(edition.project.hashes(package)),
        # Numbers only: how a figure is drawn may differ from one machine to another.
        "results": _combined({k: h for k, h in outputs.items() if _is_number_file(k)}),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "outputs": outputs,
    }
    edition.publish(task.name, record, made)


def _written_since(path: Path, begin: float) -> bool:
    return path.exists() and path.stat().st_mtime > begin


def package_version(root: Path) -> str:
    """The version that f1ci's own source states."""
    text = (root / "f1ci" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return found[1] if found else "unknown"


def _is_number_file(path: str) -> bool:
    return path.startswith("results/") and not path.startswith("results/figures/")


def _clean(executed: Path, unexecuted: Path) -> None:
    """Take papermill's paths, times and banners out of an executed notebook."""
    if not executed.exists():  # the process died before the first cell
        shutil.copy(unexecuted, executed)
    notebook = nbformat.read(executed, as_version=4)
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
    notebook.cells = [
        c for c in notebook.cells if "papermill-error-cell-tag" not in c.metadata.get("tags", [])
    ]
    executed.write_text(nbformat.writes(notebook) + "\n", "utf-8")


def _failure(summary: str, traceback: str = "") -> dict[str, Any]:
    return {"status": "failed", "error": {"summary": summary, "traceback": traceback}}


def _environment(edition: Edition, scheduler: str, processes: int) -> dict[str, str]:
    """What the processes and their kernels see."""
    return {
        "OMP_NUM_THREADS": "1",
        **os.environ,
        "PYTHONPATH": edition.project.python_path,
        "PYTHONHASHSEED": "0",
        "PYTHONPYCACHEPREFIX": "",  # compiled modules stand beside their sources
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
        "F1CI_SCHEDULER": scheduler,
        "F1CI_PROCESSES": str(processes),
        # The book fills in what is printed and the verdicts; a reader's own run has no book.
        "F1CI_IDS": "" if edition.name == "custom" else "1",
    }


@contextlib.contextmanager
def _temporary(folder: Path, name: str) -> Iterator[Path]:
    """A folder on the same disk as the edition, removed in any case."""
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=f"running-{os.getpid()}-{name}-", dir=folder))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _stop(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started; a kernel lives in a session of its own."""
    try:
        parent = psutil.Process(process.pid)
        family = [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()


# --- what a person sees meanwhile ---------------------------------------------------------


class _Progress:
    """Progress lines: which notebook, how far, how long still."""

    def __init__(self, todo: list[Task], workers: int, say: Callable[[str], None]) -> None:
        self._todo, self._workers, self._say = todo, workers, say
        self._width = max((len(t.name) for t in todo), default=0)
        self._begin = time.monotonic()
        self._ended: set[str] = set()
        self._lock = threading.Lock()

    def started(self, task: Task) -> None:
        before = f", {seconds(task.expected)} last time" if task.expected else ""
        self._line(task, f"starts: {task.reason or 'asked for'}{before}")

    def moved(self, task: Task) -> None:
        if time.monotonic() - task.mentioned > 1.0:
            self._mention(task)

    def heartbeat(self) -> None:
        for task in self._todo:
            running = task.started and task.name not in self._ended
            if running and time.monotonic() - task.mentioned > _HEARTBEAT:
                self._mention(task)

    def ended(self, task: Task, outcome: Mapping[str, Any]) -> None:
        self._ended.add(task.name)
        took = seconds(time.monotonic() - task.started if task.started else 0.0)
        if outcome["status"] == "done":
            self._line(task, f"done in {took}{self._left()}")
        else:
            self._line(task, f"FAILED after {took}: {outcome['error']['summary']}")

    def _mention(self, task: Task) -> None:
        self._line(task, f"cell {task.cell} of {task.cells}{self._left()}")

    def _line(self, task: Task, text: str) -> None:
        with self._lock:
            task.mentioned = time.monotonic()
            elapsed = seconds(task.mentioned - self._begin)
            self._say(f"{elapsed:>12}  {task.name:{self._width}}  {text}")

    def _left(self) -> str:
        """The time left by what each notebook took last time, shared among the workers."""
        now = time.monotonic()
        open_tasks = [t for t in self._todo if t.name not in self._ended]
        if not open_tasks:
            return ""
        if any(t.expected is None for t in open_tasks):
            return f"; {len(self._ended)} of {len(self._todo)} notebooks done"
        rest = [
            max(0.0, (t.expected or 0.0) - (now - t.started if t.started else 0.0))
            for t in open_tasks
        ]
        busy = [0.0] * self._workers
        for r in sorted(rest, reverse=True):
            busy[busy.index(min(busy))] += r
        return f"; about {seconds(max(busy))} left"


# --- inside the process of one notebook ---------------------------------------------------


def _run_job(executed: Path) -> int:
    """Run the notebook ``../../input.ipynb`` and write down how it ended."""
    import papermill
    from papermill.engines import NBClientEngine, papermill_engines
    from papermill.exceptions import PapermillExecutionError

    folder = executed.parents[2]
    threading.Thread(target=_end_with_parent, daemon=True).start()

    class Engine(NBClientEngine):  # type: ignore[misc]
        """papermill's own engine, which also tells how far it is."""

        @classmethod
        def execute_managed_notebook(cls, manager: Any, *args: Any, **options: Any) -> None:
            begin = manager.cell_start

            def cell_start(cell: Any, cell_index: int | None = None, **more: Any) -> None:
                _say(f"cell {(cell_index or 0) + 1}")
                begin(cell, cell_index, **more)

            manager.cell_start = cell_start
            super().execute_managed_notebook(manager, *args, **options)

    papermill_engines.register("f1ci", Engine)
    try:
        papermill.execute_notebook(
            folder / "input.ipynb",
            executed,
            engine_name="f1ci",
            kernel_name="python3",
            progress_bar=False,
        )
        outcome: dict[str, Any] = {"status": "done", "error": None}
    except PapermillExecutionError as error:
        outcome = _failure(
            f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}".splitlines()[0],
            "\n".join(error.traceback),
        )
    write(folder / "outcome.json", json.dumps(outcome))
    return 0


def _end_with_parent() -> None:
    """Wait for the end of standard input, which is the parent's end; then end all of this."""
    sys.stdin.read()
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(1)


# --- the command --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run what it says, return the exit code."""
    options = _parser().parse_args(arguments)
    if options.job:
        return _run_job(options.job)
    # `kill` ends a run as tidily as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: _interrupt())
    try:
        return _run(options)
    except (RefusedError, LedgerError, OSError, ParameterError) as error:
        _say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        _say("Stopped. What was done before stays done; nothing half-written is left.")
        return 130


def _run(options: argparse.Namespace) -> int:
    begin = time.monotonic()
    kind = "custom" if options.params else "quick" if options.quick else "full"
    root = options.root.resolve()
    edition = Edition(Project(root), kind)
    listed = tasks(edition, options.names, options.params, quick=options.quick)
    todo = [t for t in listed if t.reason or options.force]
    kept = len(listed) - len(todo)
    if kept:
        _say(f"{kept} of {len(listed)} notebooks are up to date (--force runs them anyway).")
    with locked(edition):
        failed = run(
            edition,
            todo,
            workers=options.workers,
            time_limit=options.time_limit,
            scheduler=options.scheduler,
            say=_say,
        )
    took = seconds(time.monotonic() - begin)
    folder = edition.folder.relative_to(root)
    if todo:
        _say(f"{len(todo) - len(failed)} of {len(todo)} notebooks ran in {took}, see {folder}/.")
    for name in failed:
        _say(f"FAILED: {name}, up to its error in {folder}/executed/{name}.ipynb")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m compendium.execute",
        description="Run the notebooks that need it, or those that are named.",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, if none is named")
    parser.add_argument("--quick", action="store_true", help="small numbers, in a folder apart")
    parser.add_argument(
        "--params", default="", help='values such as "confidence_level=0.9 replicates=1000"'
    )
    parser.add_argument("--workers", type=_at_least_one, default=2, help="notebooks at a time (2)")
    parser.add_argument(
        "--scheduler", default="", help="address of a Dask scheduler, tcp://host:port"
    )
    parser.add_argument("--force", action="store_true", help="run even what is up to date")
    parser.add_argument(
        "--time-limit", type=float, default=1800.0, help="seconds for one notebook (1800)"
    )
    return parser


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, got {text!r}")
    return int(text)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
