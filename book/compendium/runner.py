"""Run notebooks with papermill: in parallel, isolated, with progress, a cache and a time limit.

Each notebook runs in a process of its own and writes into a temporary folder; only when
it has ended does this module move what it made into the edition's folder. As a program
(``python -m compendium.runner job.json``) the module is that process.
"""

from __future__ import annotations

import json
import os
import platform
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
import psutil

from compendium import pairs, parameters
from compendium.records import Edition, combined_hash, file_hash

__all__ = ["Task", "run", "seconds", "tasks"]

_HEARTBEAT = 15.0  # seconds of silence after which a running notebook is mentioned again
# Runs in the kernel before the notebook: notes which data files it opens.
_WATCH = """\
import os, sys

def watch(folder, log):
    seen = set()
    notes = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def hook(event, args):
        if event == "open" and isinstance(args[0], (str, os.PathLike)) and args[0] not in seen:
            seen.add(args[0])
            path = os.path.abspath(os.fspath(args[0]))
            if isinstance(path, str) and path.startswith(folder + os.sep):
                os.write(notes, os.fsencode(os.path.relpath(path, folder)) + bytes([10]))

    sys.addaudithook(hook)

watch({folder!r}, {log!r})
del watch
"""


@dataclass
class Task:
    """One notebook with the values that it is to run with, and how far it is."""

    name: str
    values: dict[str, Any]  # those that differ from the source
    complete: dict[str, Any]  # all of them
    fingerprint: dict[str, Any]
    reason: str  # why it has to run; empty if its last run still holds
    expected: float | None  # seconds that its last run took
    cell: int = 0
    cells: int = 0
    started: float | None = None
    mentioned: float = 0.0
    process: subprocess.Popen[str] | None = field(default=None, repr=False)


def tasks(
    edition: Edition, names: Sequence[str] = (), text: str = "", *, quick: bool = False
) -> list[Task]:
    """The notebooks of an edition, each with its parameters and why it has to run, if it has."""
    folder = edition.project.notebooks
    known = [p.stem for p in pairs.sources(folder)]
    for name in names:
        if name not in known:
            raise parameters.ParameterError(
                f"there is no notebook {name!r}; there are {', '.join(known) or 'none'}"
            )
    found = []
    for name in names or known:
        declared = pairs.declared_parameters(folder / f"{name}.py")
        values = parameters.quick_values(declared) if quick else {}
        values |= parameters.from_text(text, declared, name)
        complete = {p.name: values.get(p.name, p.default) for p in declared}
        fingerprint = edition.project.fingerprint(name, complete)
        record = edition.record(name)
        found.append(
            Task(
                name,
                values,
                complete,
                fingerprint,
                edition.stale(name, fingerprint),
                record["seconds"] if record and record["status"] == "done" else None,
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
    either as it was or done.
    """
    _remove_leftovers(edition.folder)
    edition.forget_removed([p.stem for p in pairs.sources(edition.project.notebooks)])
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in sorted(todo, key=lambda t: -(t.expected or float("inf"))):
        waiting.put(task)
    environment = _environment(edition, scheduler, max(1, workers // max(1, len(todo))))
    failed: list[str] = []
    stopping = threading.Event()
    show = _Progress(list(todo), workers, say)

    def work() -> None:
        while not stopping.is_set():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            with _temporary(edition.folder, task.name) as folder:
                outcome = _run_one(edition, task, folder, environment, time_limit, stopping, show)
                if stopping.is_set():
                    return
                if not _publish(edition, task, folder, outcome):
                    failed.append(task.name)
                show.ended(task, outcome)

    threads = [threading.Thread(target=work) for _ in range(min(workers, len(todo)))]
    for thread in threads:
        thread.start()
    try:
        while any(t.is_alive() for t in threads):
            show.heartbeat()
            time.sleep(0.1)
    finally:
        stopping.set()
        for task in todo:
            if task.process:
                _stop(task.process)
        for thread in threads:
            thread.join()
    return sorted(failed)


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
    notebook = pairs.read(edition.project.notebooks / f"{task.name}.py")
    cell = pairs.parameters_cell(notebook)
    cell.source = parameters.substitute(cell.source, task.values)
    job = {
        "input": str(folder / "input.ipynb"),
        "output": str(folder / "made" / "executed" / f"{task.name}.ipynb"),
        "outcome": str(folder / "outcome.json"),
        "cwd": str(edition.project.notebooks),
    }
    results = folder / "made" / "results"
    for needed in (Path(job["output"]).parent, results):
        needed.mkdir(parents=True)
    startup = folder / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    watch = _WATCH.format(folder=str(edition.project.notebooks / "data"), log=str(folder / "data"))
    (startup / "watch.py").write_text(watch, "utf-8")
    nbformat.write(notebook, job["input"])
    (folder / "job.json").write_text(json.dumps(job), "utf-8")

    task.started, task.cells = time.monotonic(), len(notebook.cells)
    show.started(task)
    with (folder / "log").open("w") as log:
        task.process = subprocess.Popen(
            [sys.executable, "-m", "compendium.runner", str(folder / "job.json")],
            stdin=subprocess.PIPE,  # its end tells the process that this one is gone
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={
                **environment,
                "F1CI_RESULTS": str(results),
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


def _publish(edition: Edition, task: Task, folder: Path, outcome: dict[str, Any]) -> bool:
    """Move what a run made to its place and record it; whether it was a success."""
    done = bool(outcome["status"] == "done")
    made = folder / "made"
    if not done:
        shutil.rmtree(made / "results")  # half of the results is worse than none
    _clean(made / "executed" / f"{task.name}.ipynb", folder / "input.ipynb")
    outputs = {p.relative_to(made).as_posix(): file_hash(p) for p in made.rglob("*") if p.is_file()}
    data = (folder / "data").read_text("utf-8") if (folder / "data").exists() else ""
    record = {
        "name": task.name,
        "edition": edition.name,
        **outcome,
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - (task.started or 0.0), 1),
        "fingerprint": task.fingerprint,
        "parameters": {k: parameters.write(v) for k, v in task.complete.items()},
        "data": sorted({f"data/{line}" for line in data.splitlines()}),
        "version": _package_version(edition.project.root),
        "f1ci": combined_hash(task.fingerprint["f1ci"]),
        "source": combined_hash(task.fingerprint["source"]),
        # Numbers only: how a figure is drawn may differ from one machine to another.
        "results": combined_hash({k: h for k, h in outputs.items() if _is_number_file(k)}),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "outputs": outputs,
    }
    edition.publish(task.name, record, made)
    return done


def _package_version(root: Path) -> str:
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
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
        "F1CI_SCHEDULER": scheduler,
        "F1CI_PROCESSES": str(processes),
    }


@contextmanager
def _temporary(folder: Path, name: str) -> Iterator[Path]:
    """A folder on the same disk as the edition, removed in any case."""
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=f"running-{os.getpid()}-{name}-", dir=folder))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary folders of runs that were killed."""
    for path in folder.glob("running-*"):
        if not psutil.pid_exists(int(path.name.split("-")[1])):
            shutil.rmtree(path, ignore_errors=True)


def _stop(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started; a kernel lives in a session of its own."""
    try:
        parent = psutil.Process(process.pid)
        family = [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        with suppress(psutil.NoSuchProcess):
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
        took = seconds(time.monotonic() - (task.started or 0.0))
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


def _main(path: str) -> None:
    """Run one notebook and write down how it ended."""
    import papermill
    from papermill.engines import NBClientEngine, papermill_engines
    from papermill.exceptions import PapermillExecutionError

    job = json.loads(Path(path).read_text("utf-8"))
    threading.Thread(target=_end_with_parent, daemon=True).start()

    class Engine(NBClientEngine):  # type: ignore[misc]
        """papermill's own engine, which also tells how far it is."""

        @classmethod
        def execute_managed_notebook(cls, manager: Any, *args: Any, **options: Any) -> None:
            begin = manager.cell_start

            def cell_start(cell: Any, cell_index: int | None = None, **more: Any) -> None:
                sys.stdout.write(f"cell {(cell_index or 0) + 1}\n")
                sys.stdout.flush()
                begin(cell, cell_index, **more)

            manager.cell_start = cell_start
            super().execute_managed_notebook(manager, *args, **options)

    papermill_engines.register("f1ci", Engine)
    try:
        papermill.execute_notebook(
            job["input"],
            job["output"],
            engine_name="f1ci",
            kernel_name="python3",
            cwd=job["cwd"],
            progress_bar=False,
        )
        outcome: dict[str, Any] = {"status": "done", "error": None}
    except PapermillExecutionError as error:
        outcome = _failure(
            f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}".splitlines()[0],
            "\n".join(error.traceback),
        )
    draft = Path(job["outcome"] + ".tmp")
    draft.write_text(json.dumps(outcome), "utf-8")
    draft.replace(job["outcome"])


def _end_with_parent() -> None:
    """Wait for the end of standard input, which is the parent's end; then end all of this."""
    sys.stdin.read()
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(1)


if __name__ == "__main__":
    _main(sys.argv[1])
