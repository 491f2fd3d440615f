"""Run notebooks with papermill: side by side, each in a process of its own, with a time limit.

A run writes into a temporary folder. When it has ended, its files move to the edition's
folder, and the record of the run is written last. :mod:`compendium.runs` says which notebooks must
run, and :mod:`compendium.one` runs one. ``python -m compendium.execute --help`` is the command.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from compendium import RefusedError, ledger, pairs, sources, swhid, versions
from compendium.published import Published
from compendium.runs import (
    PACKAGES,
    QUICK,
    Edition,
    Task,
    command,
    locked,
    say,
    seconds,
    short_hash,
    tasks,
)
from f1ci import __version__

_FULL = 1_000_000  # bytes; a disk with less free space is full
Error = dict[str, str]


class Progress:
    """Say which notebook starts or has ended, after which time, and how many are done."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.begin = time.monotonic()
        self.lock = threading.Lock()

    def tell(self, text: str, *, ended: bool = False) -> None:
        """Print one line."""
        with self.lock:
            self.done += ended
            since = seconds(time.monotonic() - self.begin)
            say(f"{since:>12}  {text}; {self.done} of {self.total} notebooks done")


def run(
    edition: Edition, todo: Sequence[Task], *, workers: int = 2, time_limit: int = 1800
) -> list[str]:
    """Run the tasks, longest first, and return the names of those that failed.

    A failure stops nothing else. Ctrl-C stops everything and leaves every notebook
    either as it was or done.
    """
    edition.tidy()
    progress = Progress(len(todo))
    longest_first = sorted(todo, key=lambda task: task.length, reverse=True)
    pool = ThreadPoolExecutor(workers)  # each thread waits for one process
    running = {
        pool.submit(_run, edition, task, time_limit, progress): task.name for task in longest_first
    }
    return sorted(running[ended] for ended in as_completed(running) if not ended.result())


def _run(edition: Edition, task: Task, time_limit: int, progress: Progress) -> bool:
    """Run one notebook, and return whether it succeeded. Whatever stops it early is a failure."""
    progress.tell(f"{task.name} starts: {task.reason or 'asked for'}")
    begin = time.monotonic()
    try:
        error = _execute(edition, task, time_limit)
        _publish(edition, task, error, time.monotonic() - begin)
    except Exception as fault:  # a full disk, for example
        error = _error(f"{type(fault).__name__}: {' '.join(str(fault).split())}")
    if error and shutil.disk_usage(edition.folder).free < _FULL:
        error = _error(f"no space is left in {edition.folder}; {error['summary']}")
    shutil.rmtree(edition.running(task.name), ignore_errors=True)
    took = seconds(time.monotonic() - begin)
    outcome = f"FAILED after {took}: {error['summary']}" if error else f"done in {took}"
    progress.tell(f"{task.name} {outcome}", ended=True)
    return not error


def _execute(edition: Edition, task: Task, time_limit: int) -> Error | None:
    """Run a notebook in a process of its own; return the error that stopped it, if any."""
    folder = edition.running(task.name)
    executed = folder / "made" / "executed" / f"{task.name}.ipynb"
    results = folder / "made" / "results"
    for needed in (executed.parent, results):
        needed.mkdir(parents=True)
    nbformat.write(sources.read(edition.source(task.name)), folder / "input.ipynb")
    environment = {
        "F1CI_RESULTS": str(results),
        "F1CI_DATA_READ": str(folder / "data"),
        "IPYTHONDIR": str(folder / "ipython"),  # without the user's settings
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "compendium.one", str(folder / "input.ipynb"), str(executed)],
        env={**os.environ, **environment},
        cwd=edition.root / "notebooks",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    stopped = _answer(process, {"values": task.passed, "time limit": time_limit})
    if not executed.exists():
        return _error(stopped)
    return _clean(executed, stopped) or _strangers(edition, task.name, results)


def _answer(process: subprocess.Popen[str], question: dict[str, Any]) -> str:
    """Return why a notebook was stopped, as its process says, or "".

    The input of the process stays open until then: its end would say that the runner has ended.
    """
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    stopped = process.stdout.read()
    if process.wait():
        stopped = "its process was ended"
    process.stdin.close()
    process.stdout.close()
    return stopped


def _clean(executed: Path, stopped: str) -> Error | None:
    """Remove papermill's paths, times and banners from an executed notebook; return its error."""
    notebook = nbformat.read(executed, as_version=4)
    notebook.cells = [c for c in notebook.cells if "papermill-error" not in str(c.metadata)]
    notebook.metadata.pop("papermill", None)
    error = None
    reached = 0
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
        place = f" in cell {reached} of {len(notebook.cells)}" if reached else ""
        return _error(f"{stopped}{place}")
    return error


def _strangers(edition: Edition, name: str, results: Path) -> Error | None:
    """Return an error if a run made links, or files that belong to no or another notebook."""
    made = [path for path in results.rglob("*") if path.is_symlink() or path.is_file()]
    if links := sorted(path.name for path in made if path.is_symlink()):
        return _error(f"it made links, which cannot be kept: {', '.join(links)}")
    if others := sorted(path.name for path in made if edition.owner(path.name) != name):
        return _error(f"these files belong to no notebook or to another one: {', '.join(others)}")
    return None


def _error(summary: str, traceback: str = "") -> Error:
    """Return an error as one line that any terminal can show, and with its traceback."""
    line = re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", summary.strip().partition("\n")[0])
    return {"summary": line[:300], "traceback": traceback[-100_000:]}


def _publish(edition: Edition, task: Task, error: Error | None, took: float) -> None:
    """Put numbers into the text, move the files of a run to their places and write its record."""
    made = edition.running(task.name) / "made"
    if error:
        shutil.rmtree(made / "results")  # some of the results are worse than none
    else:
        _quote_numbers(edition, task, made)
    outputs = {p.relative_to(made).as_posix(): swhid(p) for p in made.rglob("*") if p.is_file()}
    record = {
        **_facts(task, outputs),
        "error": error,
        "seconds": round(took, 1),
        "data": _data_read(edition.running(task.name) / "data"),
        "outputs": outputs,
    }
    edition.publish(task.name, record, made)


def _facts(task: Task, outputs: dict[str, str]) -> dict[str, Any]:
    """Return what a run was made from, and where."""
    numbers = {path: hash_ for path, hash_ in outputs.items() if path.endswith(".csv")}
    return {
        "name": task.name,
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "parameters": {k: repr(v) for k, v in task.values.items()},
        "packages": versions(PACKAGES),
        "inputs": task.inputs,
        "version": __version__,
        "f1ci": task.inputs["the package"],
        # Numbers only: how a figure is drawn may differ from one machine to another.
        "results": short_hash(numbers),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def _data_read(path: Path) -> list[str]:
    """Return the data files that a run has read."""
    return sorted(set(path.read_text("utf-8").split())) if path.exists() else []


def _quote_numbers(edition: Edition, task: Task, made: Path) -> None:
    """Put the numbers of a run into its text: Jupyter does not know the book's roles."""
    path = made / "executed" / f"{task.name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    published = Published(edition.published)
    records, _, _ = ledger.read(made / "results", published)
    known = pairs.known_values(published, records)
    pairs.make_readable(notebook, f"notebooks/{task.name}", known)
    if task.passed:
        given = ", ".join(f"{name} = {value!r}" for name, value in task.passed.items())
        left_out = ""
        effort = {"seed", *sources.quick_values(edition.root).get(task.name, {})}
        if not effort.issuperset(task.passed):
            _leave_out(notebook)
            left_out = " Paragraphs that hold for the default values alone are left out."
        pairs.add_note(
            notebook,
            f"Run with {given}. Our numbers are those of this run, in the text and beside numbers "
            f"that a paper prints for its own values.{left_out}",
        )
    path.write_text(nbformat.writes(notebook) + "\n", "utf-8")


def _leave_out(notebook: NotebookNode) -> None:
    """Take out the text that holds for the default values of the parameters alone."""
    tag = "default-values"
    notebook.cells = [c for c in notebook.cells if tag not in c.metadata.get("tags", [])]


# The command


def _asked_for(edition: Edition, names: Sequence[str], text: str) -> list[str]:
    """Return the notebooks that are named, or else those that have the parameters of a text."""
    wanted = {word.partition("=")[0] for word in sources.words(text)}
    if names or not wanted:
        return list(names)
    having = [
        name
        for name in edition.names()
        if wanted <= {p.name for p in sources.declared(edition.source(name))}
    ]
    if not having:
        raise RefusedError(f"no notebook has the parameters {', '.join(sorted(wanted))}")
    return having


def _set_environment(root: Path, scheduler: str, processes: int) -> None:
    """Set what every notebook's process finds in its environment."""
    os.environ |= {
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
        "PYTHONPATH": f"{root}{os.pathsep}{root / 'book'}",
        "PYTHONHASHSEED": "0",
        "JUPYTER_PREFER_ENV_PATH": "1",
        "F1CI_SCHEDULER": scheduler,
        "F1CI_PROCESSES": str(processes),
    }


def _tell_outcome(edition: Edition, total: int, failed: Sequence[str], took: float) -> None:
    """Say how many notebooks ran, and name each that failed and the file that shows its error."""
    folder = edition.folder.relative_to(edition.root)
    done = total - len(failed)
    say(f"{done} of {total} notebooks ran in {seconds(took)}, see {folder}/.")
    for name in failed:
        record = edition.record(name)
        shown = record is not None and record["error"]
        place = f", up to its error in {folder}/executed/{name}.ipynb" if shown else ""
        say(f"FAILED: {name}{place}")


def _main(edition: Edition, options: argparse.Namespace) -> bool:
    if min(options.workers, options.time_limit) < 1:
        raise RefusedError("a run needs at least one worker, and one second for each cell")
    listed = tasks(edition, _asked_for(edition, options.names, options.params), options.params)
    if options.params:
        edition = replace(edition, name=options.into)
    todo = [t for t in listed if t.reason or options.params or options.force]
    if kept := len(listed) - len(todo):
        say(f"{kept} of {len(listed)} notebooks are up to date (--force runs them anyway).")
    processes = options.workers // max(1, len(todo))
    _set_environment(edition.root, options.scheduler, max(1, processes))
    begin = time.monotonic()
    with locked(edition):
        failed = run(edition, todo, workers=options.workers, time_limit=options.time_limit)
    if todo:
        _tell_outcome(edition, len(todo), failed, time.monotonic() - begin)
    return not failed


if __name__ == "__main__":
    values = 'values such as "confidence_level=0.9 replicates=1000"'
    command(
        _main,
        {
            "names": {"nargs": "*", "metavar": "NAME", "help": "all, if none is named"},
            **QUICK,
            "--params": {"default": "", "help": values},
            "--into": {"default": "custom", "help": "the folder for runs with such values"},
            "--workers": {"type": int, "default": 2, "help": "notebooks at a time"},
            "--scheduler": {"default": "", "help": "address of a Dask scheduler"},
            "--force": {"action": "store_true", "help": "run even what is up to date"},
            "--time-limit": {"type": int, "default": 1800, "help": "seconds for each cell"},
        },
    )
