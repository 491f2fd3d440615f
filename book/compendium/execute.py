"""Run notebooks with papermill: in parallel, isolated, with progress, a time limit and a memory.

Each notebook runs in a kernel of its own and writes into a temporary folder; only when it has
ended is what it made moved into the edition's folder, and a record written of what it read. A run
counts as done as long as all that it read, and all that it made, is still the same: the source,
every file of the repository that it opened or imported, every printed value that it used, its
parameters, the lock and the installed packages. Hashes decide, not times.

``python -m compendium.execute --help`` is the command.
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
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any, NoReturn

import nbformat
import papermill
import psutil
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillExecutionError
from papermill.execute import remove_error_markers
from papermill.log import logger

from compendium import ROOT, differing, sources, swhid, versions, write
from compendium.published import LedgerError, Published
from compendium.sources import Parameter, ParameterError

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
_ROOMS = ("f1ci", "book", "notebooks")
_HEARTBEAT = 5.0  # seconds after which it is said again how far the notebooks are
REFERENCE = Path("book", "reference")  # the run that others are compared with
_STARTUP = Path("ipython", "profile_default", "startup", "watch.py")


class RefusedError(RuntimeError):
    """What cannot be done here and now, in a sentence."""


# --- what is known of a notebook's last run ---------------------------------------------------


@dataclass(frozen=True)
class Edition:
    """One set of runs of a tree's notebooks: ``full``, ``quick`` or ``custom`` (a reader's own).

    The three never share a folder, so that small numbers cannot enter the book.
    """

    root: Path = ROOT
    name: str = "full"

    def __post_init__(self) -> None:
        """Refuse to work on this tree for someone who stands in another one."""
        here = Path.cwd()
        if self.root == ROOT != here and (here / "book" / "compendium").is_dir():
            raise RefusedError(
                f"this environment computes with {ROOT}, not with {here}: make one for this folder"
            )

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

    @property
    def python_path(self) -> str:
        """What PYTHONPATH must be for programs that import this tree's packages."""
        path = [str(self.root), str(self.root / "book"), os.environ.get("PYTHONPATH", "")]
        return os.pathsep.join(filter(None, path))

    def names(self) -> list[str]:
        """Every notebook."""
        return [p.stem for p in sources.sources(self.root / "notebooks")]

    def source(self, name: str) -> Path:
        """The notebook as it is written."""
        return self.root / "notebooks" / f"{name}.py"

    def executed(self, name: str) -> Path:
        """The executed notebook, whole or up to its error."""
        return self.folder / "executed" / f"{name}.ipynb"

    def record(self, name: str) -> dict[str, Any] | None:
        """What is known of the last run, if there was one."""
        return _read(self._record(name))

    def stale(
        self, record: dict[str, Any] | None, values: Mapping[str, Any], published: Published
    ) -> str:
        """Why a notebook has to run with these values; empty if its last run still holds."""
        if record is None:
            return "never run"
        if record["error"]:
            return f"failed last time: {record['error']['summary']}"
        now = {
            "parameters": {k: sources.literal(v) for k, v in values.items()},
            "packages": versions(_PACKAGES),
            "files": {path: swhid(self.root / path) for path in record["read"]["files"]},
            "printed": {id_: published.facts(id_) for id_ in record["read"]["printed"]},
            "outputs": {path: swhid(self.folder / path) for path in record["outputs"]},
        }
        before = {**record, **record["read"]}
        changed = {what: differing(before[what], now[what]) for what in now}
        return ", ".join(f"{what} changed ({_first(k)})" for what, k in changed.items() if k)

    def publish(self, name: str, record: dict[str, Any], made: Path) -> None:
        """Put the files that a run made into their places, the record last.

        A kill at any moment leaves no record, or one that agrees with its files.
        """
        self.discard(name)
        shutil.copytree(made, self.folder, dirs_exist_ok=True, copy_function=os.replace)
        write(self._record(name), json.dumps(record, indent=1) + "\n")

    def discard(self, name: str) -> None:
        """Remove what the last run left, its record first."""
        record = self.record(name)
        self._record(name).unlink(missing_ok=True)
        for path in record["outputs"] if record else ():
            (self.folder / path).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Discard the runs of notebooks that are no more, and what killed runs left."""
        for path in (self.folder / "records").glob("*.json"):
            if not self.source(path.stem).exists():
                self.discard(path.stem)
        for path in self.folder.glob("running-*"):
            shutil.rmtree(path, ignore_errors=True)

    def _record(self, name: str) -> Path:
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


def _read(path: Path) -> dict[str, Any] | None:
    """What a JSON file holds, if there is one."""
    found: dict[str, Any] | None = json.loads(path.read_text("utf-8")) if path.exists() else None
    return found


def _combined(hashes: Mapping[str, str]) -> str:
    """One short hash for several named files."""
    text = "".join(f"{hashes[k]}  {k}\n" for k in sorted(hashes))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _first(names: Sequence[str]) -> str:
    """At most three names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


# --- what is to be done -------------------------------------------------------------------


@dataclass
class Task:
    """One notebook with the values that it is to run with, its last run, and how far it is."""

    name: str
    declared: list[Parameter]
    values: dict[str, Any]
    record: dict[str, Any] | None  # of its last run, if there was one
    reason: str  # why it has to run; empty if its last run still holds
    expected: float | None  # seconds that its last run took, or the reference run
    cell: int = 0
    cells: int = 0
    started: float = 0.0  # on the clock that only goes forward; 0 if it has not
    ended: bool = False


def tasks(edition: Edition, names: Sequence[str] = (), text: str = "") -> list[Task]:
    """The notebooks of an edition, each with its parameters and why it has to run, if it has."""
    known, published = edition.names(), Published(edition.published)
    if text and not names:
        raise ParameterError(f"name the notebook whose parameters are {text!r}")
    for name in names:
        if name not in known:
            raise ParameterError(
                f"there is no notebook {name!r}; there are {', '.join(known) or 'none'}"
            )
    reference = _read(edition.root / REFERENCE / "run.json") or {}
    took = reference.get("took", {}) if edition.name == "full" else {}
    found = []
    for name in names or known:
        declared = sources.declared_parameters(edition.source(name))
        values = {p.name: p.quick if edition.name == "quick" else p.default for p in declared}
        values |= sources.from_text(text, declared, name)
        record = edition.record(name)
        reason = edition.stale(record, values, published)
        done = record is not None and record["status"] == "done"
        expected = record["seconds"] if record and done else took.get(name)
        found.append(Task(name, declared, values, record, reason, expected))
    return found


def require_done(edition: Edition) -> list[Task]:
    """The notebooks, if every one's last run still holds; else a refusal."""
    listed = tasks(edition)
    if late := next((t for t in listed if t.reason), None):
        raise RefusedError(f"the notebook {late.name} must run first: {late.reason}")
    return listed


def run(
    edition: Edition, todo: Sequence[Task], *, workers: int = 2, time_limit: float = 1800.0
) -> list[str]:
    """Run the tasks, longest first, and return the names of those that failed.

    A failure stops nothing else. Ctrl-C stops everything and leaves every notebook
    either as it was or done. Whatever keeps a task from its end is a failure.
    """
    edition.tidy()
    stopping, publishing, begin = threading.Event(), threading.Lock(), time.monotonic()

    def tell(text: str) -> None:
        say(f"{seconds(time.monotonic() - begin):>12}  {text}")

    def work(task: Task) -> bool:
        task.started = time.monotonic()
        before = f", {seconds(task.expected)} before" if task.expected else ""
        tell(f"{task.name} starts: {task.reason or 'asked for'}{before}")
        folder = edition.folder / f"running-{task.name}"
        try:
            error = _run_one(edition, task, folder, time_limit)
            with publishing:
                if not stopping.is_set():
                    _publish(edition, task, folder, error)
        except Exception as fault:  # a full disk, say: whatever stops a task is its failure
            error = _error(f"{type(fault).__name__}: {' '.join(str(fault).split())[:300]}")
        shutil.rmtree(folder, ignore_errors=True)
        if not stopping.is_set():
            task.ended = True
            took = seconds(time.monotonic() - task.started)
            failed = f"FAILED after {took}: {error['summary']}" if error else ""
            tell(f"{task.name} {failed or f'done in {took}{_left(todo, workers)}'}")
        return error is None

    pool = ThreadPoolExecutor(workers)
    order = sorted(todo, key=lambda t: -(t.expected or float("inf")))
    futures = {pool.submit(work, t): t.name for t in order}
    try:
        while wait(futures, timeout=_HEARTBEAT).not_done:
            running = [t for t in todo if t.cell and not t.ended]
            if running:
                cells = ", ".join(f"{t.name} in cell {t.cell} of {t.cells}" for t in running)
                tell(f"{cells}{_left(todo, workers)}")
    finally:
        with publishing:
            stopping.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        edition.tidy()
    return sorted(name for future, name in futures.items() if not future.result())


# --- one notebook -------------------------------------------------------------------------


class _Engine(NBClientEngine):  # type: ignore[misc]
    """papermill's own engine, with an environment, a time limit and word of how far it is."""

    @classmethod
    def execute_managed_notebook(
        cls, manager: Any, kernel_name: str, *, client: Any, start: Any, **_: Any
    ) -> None:
        """Run the cells; `client` is for nbclient, `start` for the kernel."""
        client = PapermillNotebookClient(manager, kernel_name=kernel_name, log=logger, **client)
        client.execute(**start)


papermill_engines.register("f1ci", _Engine)
logger.setLevel("CRITICAL")  # what it has to say of a failure is in the record


def _run_one(
    edition: Edition, task: Task, folder: Path, time_limit: float
) -> dict[str, str] | None:
    """Run one notebook in a kernel of its own; what stopped it, if anything did."""
    executed = folder / "made" / "executed" / f"{task.name}.ipynb"
    results = folder / "made" / "results"
    for needed in (executed.parent, results):
        needed.mkdir(parents=True)
    write(folder / _STARTUP, "import compendium; compendium.watch(); del compendium\n")
    notebook = sources.read(edition.source(task.name), task.values)
    nbformat.write(notebook, folder / "input.ipynb")
    place = str(edition.root / "notebooks")
    environment = {
        **os.environ,
        "F1CI_RESULTS": str(results),
        "F1CI_NOTES": str(folder / "notes"),
        "IPYTHONDIR": str(folder / "ipython"),  # none of the user's own set-up
    }
    task.cells = len(notebook.cells)

    def begins(cell_index: int, **_: Any) -> None:
        task.cell = cell_index + 1

    def left(_: Any) -> float:
        return max(0.1, task.started + time_limit - time.monotonic())

    try:
        with (folder / "log").open("w") as log:
            papermill.execute_notebook(
                folder / "input.ipynb",
                executed,
                engine_name="f1ci",
                kernel_name="python3",
                progress_bar=False,
                client={"timeout_func": left, "on_cell_start": begins, "record_timing": False},
                start={"env": environment, "cwd": place, "stdout": log, "stderr": log},
            )
    except PapermillExecutionError as error:
        where = f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}"
        return _error(where.splitlines()[0], "\n".join(error.traceback))
    except CellTimeoutError:
        return _error(
            f"the time limit of {seconds(time_limit)} ended in cell {task.cell} of {task.cells}"
        )
    except DeadKernelError:
        said = (folder / "log").read_text("utf-8")
        return _error(f"its process died in cell {task.cell} of {task.cells}", said)
    made = sorted(p.name for p in results.rglob("*") if p.is_file())
    if strangers := [name for name in made if not name.startswith(task.name)]:
        return _error(f"what a notebook writes must bear its name, not {', '.join(strangers)}")
    return None


def _publish(edition: Edition, task: Task, folder: Path, error: dict[str, str] | None) -> None:
    """Move what a run made to its place and record it."""
    made, root = folder / "made", edition.root
    if error:
        shutil.rmtree(made / "results")  # half of the results is worse than none
    _clean(made / "executed" / f"{task.name}.ipynb")
    outputs = {p.relative_to(made).as_posix(): swhid(p) for p in made.rglob("*") if p.is_file()}
    files, printed = _noted(folder / "notes", root)
    files |= {f"notebooks/{task.name}.py", "book/compendium/__init__.py", "requirements.lock"}
    hashes = {path: swhid(root / path) for path in sorted(files)}
    # Nobody knows which of its states a file had that was written meanwhile: no hash fits.
    begin = (folder / _STARTUP).stat().st_mtime
    hashes |= {p: "" for p in files if hashes[p] and (root / p).stat().st_mtime > begin}
    package = {p.relative_to(root).as_posix(): swhid(p) for p in (root / "f1ci").rglob("*.py")}
    record = {
        "name": task.name,
        "status": "failed" if error else "done",
        "error": error,
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - task.started, 1),
        "parameters": {k: sources.literal(v) for k, v in task.values.items()},
        "packages": versions(_PACKAGES),
        "read": {"files": hashes, "printed": printed},
        "data": [p.removeprefix("notebooks/") for p in hashes if p.startswith("notebooks/data/")],
        "version": version("f1ci"),
        "f1ci": _combined(package),
        # Numbers only: how a figure is drawn may differ from one machine to another.
        "results": _combined(
            {k: h for k, h in outputs.items() if re.match(r"results/(?!figures/)", k)}
        ),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "outputs": outputs,
    }
    edition.publish(task.name, record, made)


def _noted(notes: Path, root: Path) -> tuple[set[str], dict[str, str]]:
    """The files of this tree that a notebook opened, and the printed values that it asked for.

    A compiled module stands for its source; the printed tables count value by value.
    """
    files, printed = set(), {}
    for line in notes.read_text("utf-8").splitlines() if notes.exists() else ():
        kind, name, value = line.split("\t")
        if kind == "printed":
            printed[name] = value
        elif name.startswith(f"{root}{os.sep}"):
            path = Path(source_from_cache(name) if name.endswith(".pyc") else name)
            room, *inner = path.relative_to(root).parts
            if room in _ROOMS and not {"published", "__pycache__"} & set(inner):
                files.add("/".join([room, *inner]))
    return files, printed


def _clean(executed: Path) -> None:
    """Take papermill's paths, times and banners out of an executed notebook."""
    notebook = remove_error_markers(nbformat.read(executed, as_version=4))
    for part in (notebook, *notebook.cells):
        part.metadata.pop("papermill", None)
    executed.write_text(nbformat.writes(notebook) + "\n", "utf-8")


def _error(summary: str, traceback: str = "") -> dict[str, str]:
    return {"summary": summary, "traceback": traceback}


# --- what a person sees meanwhile ---------------------------------------------------------


def _left(todo: Sequence[Task], workers: int) -> str:
    """The time left by what each notebook took before, shared among the workers."""
    now, still = time.monotonic(), [t for t in todo if not t.ended]
    if not still:
        return ""
    if any(t.expected is None for t in still):
        return f"; {len(todo) - len(still)} of {len(todo)} notebooks done"
    rest = [max(0.0, (t.expected or 0.0) - (t.started and now - t.started)) for t in still]
    return f"; about {seconds(max(*rest, sum(rest) / workers))} left"


def seconds(value: float) -> str:
    """A duration as a person says it."""
    if value < 9.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def say(line: str) -> None:
    """Print a line now, though the output be a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# --- the command --------------------------------------------------------------------------


QUICK = {"--quick": {"action": "store_true", "help": "small numbers, in a folder apart"}}


def command(work: Callable[..., bool], arguments: Mapping[str, Mapping[str, Any]]) -> NoReturn:
    """Run the program that this process was started with, and end it.

    `work` gets an edition and the values of the `arguments`, and says whether all is well. What
    the program is for is the first line of its module.
    """
    program = sys.modules["__main__"]
    parser = argparse.ArgumentParser(
        prog=f"python -m {program.__spec__.name if program.__spec__ else ''}",
        description=(program.__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    for name, how in arguments.items():
        parser.add_argument(name, **how)
    options = vars(parser.parse_args())
    root, name = options.pop("root"), "quick" if options.pop("quick", False) else "full"
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` ends it as Ctrl-C does
    try:
        sys.exit(not work(Edition(root.resolve(), name), **options))
    except (RefusedError, LedgerError, OSError, ParameterError) as error:
        parser.exit(2, f"error: {error}\n")
    except KeyboardInterrupt:
        say("Stopped. What was done before stays done; nothing half-written is left.")
        os._exit(130)  # threads would take seconds to see that their kernels are gone


def _main(
    edition: Edition,
    names: Sequence[str],
    params: str,
    workers: int,
    scheduler: str,
    force: bool,
    time_limit: float,
) -> bool:
    begin = time.monotonic()
    if params:
        edition = replace(edition, name="custom")
    listed = tasks(edition, names, params)
    todo = [t for t in listed if t.reason or force]
    if workers < 1:
        raise RefusedError(f"a run needs at least one worker, not {workers}")
    if kept := len(listed) - len(todo):
        say(f"{kept} of {len(listed)} notebooks are up to date (--force runs them anyway).")
    os.environ |= {
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
        "PYTHONPATH": edition.python_path,
        "PYTHONHASHSEED": "0",
        "PYTHONPYCACHEPREFIX": "",  # compiled modules stand beside their sources
        "JUPYTER_PREFER_ENV_PATH": "1",
        "F1CI_SCHEDULER": scheduler,
        "F1CI_PROCESSES": str(max(1, workers // max(1, len(todo)))),
        # The book fills in what is printed and the verdicts; a reader's own run has no book.
        "F1CI_IDS": "" if edition.name == "custom" else "1",
    }
    with locked(edition):
        failed = run(edition, todo, workers=workers, time_limit=time_limit)
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
            "--workers": {"type": int, "default": 2, "help": "notebooks at a time"},
            "--scheduler": {"default": "", "help": "address of a Dask scheduler"},
            "--force": {"action": "store_true", "help": "run even what is up to date"},
            "--time-limit": {"type": float, "default": 1800.0, "help": "seconds for each"},
        },
    )
