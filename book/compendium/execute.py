"""Run notebooks with papermill: side by side, each in a process of its own, with a time limit.

A run writes into a temporary folder. When it has ended, its files move to the edition's folder, and
the record of the run is written last. So a run that is stopped leaves nothing that counts.
:mod:`compendium.runs` says which notebooks must run, and :mod:`compendium.one` runs one.
``python -m compendium.execute --help`` is the command.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbformat import NotebookNode

from compendium import RefusedError, ledger, pairs, roles, sources, swhid, versions
from compendium.published import Published
from compendium.runs import (
    PACKAGES,
    QUICK,
    Edition,
    Task,
    command,
    say,
    seconds,
    short_hash,
    tasks,
)
from f1ci import __version__


def run(
    edition: Edition, todo: Sequence[Task], *, workers: int = 2, time_limit: int = 1800
) -> list[str]:
    """Run the tasks, longest first, and return the names of those that failed.

    A failure stops nothing else. Ctrl-C stops everything, and every notebook that has not ended
    stays as it was.
    """
    edition.folder.mkdir(parents=True, exist_ok=True)
    edition.discard_deleted()
    begin = time.monotonic()
    pool = ThreadPoolExecutor(workers)  # each thread waits for one process
    running = {
        pool.submit(_run, edition, task, time_limit): task.name
        for task in sorted(todo, key=lambda task: task.length, reverse=True)
    }
    failed = []
    try:
        for done, ended in enumerate(as_completed(running), 1):
            name, error = running[ended], ended.result()
            since = seconds(time.monotonic() - begin)
            outcome = f"FAILED: {error}" if error else "done"
            say(f"{since:>12}  {name} {outcome}; {done} of {len(todo)} notebooks done")
            failed += [name] if error else []
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        _end_children()
        raise
    return sorted(failed)


def _end_children() -> None:
    """End every notebook that runs, with all that it has started."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            child.kill()


def _run(edition: Edition, task: Task, time_limit: int) -> str:
    """Run one notebook and keep its files; return why it failed, or ""."""
    say(f"{'':>12}  {task.name} starts: {task.reason or 'asked for'}")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="running-", dir=edition.folder) as place:
        folder = Path(place)
        try:
            error = _execute(edition, task, folder, time_limit)
            _publish(edition, task, folder, error, time.monotonic() - begin)
        except OSError as fault:  # a full disk, or a process that was ended
            error = str(fault)
    return error


def _execute(edition: Edition, task: Task, folder: Path, time_limit: int) -> str:
    """Run a notebook in a process of its own; return the error that stopped it, or ""."""
    source = folder / "input.ipynb"
    executed = folder / "made" / "executed" / f"{task.name}.ipynb"
    for needed in (executed.parent, folder / "made" / "results"):
        needed.mkdir(parents=True)
    nbformat.write(sources.read(edition.source(task.name)), source)
    words = [str(source), str(executed), json.dumps(task.passed), str(time_limit)]
    errors = folder / "errors"
    code = _process(words, folder, edition.root / "notebooks", errors)
    if code < 0:  # a signal
        raise ChildProcessError("its process was ended")
    if executed.exists():
        _clean(executed)
    said = errors.read_text("utf-8", "replace").strip()
    return said.rpartition("\n")[2][:300] if code else ""


def _process(words: Sequence[str], folder: Path, place: Path, errors: Path) -> int:
    """Run `compendium.one` with these words at a place, and return its exit code."""
    environment = {
        "F1CI_RESULTS": str(folder / "made" / "results"),
        "F1CI_DATA_READ": str(folder / "data"),
        "IPYTHONDIR": str(folder / "ipython"),  # without the user's settings
    }
    with errors.open("w") as file:
        return subprocess.run(
            [sys.executable, "-m", "compendium.one", *words],
            env={**os.environ, **environment},
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,  # Ctrl-C reaches this process alone
            check=False,
        ).returncode


def _clean(executed: Path) -> None:
    """Remove papermill's paths, times and banners from an executed notebook."""
    notebook = nbformat.read(executed, as_version=4)
    notebook.cells = [c for c in notebook.cells if "papermill-error" not in str(c.metadata)]
    for part in (notebook, *notebook.cells):
        part.metadata.pop("papermill", None)
        part.metadata.pop("execution", None)
    _write(notebook, executed)


def _publish(edition: Edition, task: Task, folder: Path, error: str, took: float) -> None:
    """Put numbers into the text, move the files of a run to their places and write its record."""
    made = folder / "made"
    if not error:
        _quote_numbers(edition, task, made)
    kept = made / "executed" if error else made  # some of the results are worse than none
    outputs = {p.relative_to(made).as_posix(): swhid(p) for p in kept.rglob("*") if p.is_file()}
    record = {
        **_facts(task, outputs),
        "error": error,
        "seconds": round(took, 1),
        "data": _data_read(folder / "data"),
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
    known = roles.known_values(published, records)
    pairs.make_readable(notebook, f"notebooks/{task.name}", known)
    if task.passed:
        given = ", ".join(f"{name} = {value!r}" for name, value in task.passed.items())
        pairs.add_note(
            notebook,
            f"Run with {given}. The numbers in the text are those of this run. "
            "The words were written for the default values, and may not fit these numbers.",
        )
    _write(notebook, path)


def _write(notebook: NotebookNode, path: Path) -> None:
    path.write_text(nbformat.writes(notebook) + "\n", "utf-8")


# The command


def _having(edition: Edition, wanted: Iterable[str]) -> list[str]:
    """Return the notebooks that have all parameters of these names."""
    names = [
        name
        for name in edition.names()
        if set(wanted) <= {p.name for p in sources.declared(edition.source(name))}
    ]
    if wanted and not names:
        raise RefusedError(f"no notebook has the parameters {', '.join(sorted(wanted))}")
    return names


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
    """Say how many notebooks ran, and where each that failed shows its error."""
    folder = edition.folder.relative_to(edition.root)
    say(f"{total - len(failed)} of {total} notebooks ran in {seconds(took)}, see {folder}/.")
    for name in failed:
        say(f"FAILED: {name}, up to its error in {folder}/executed/{name}.ipynb")


def _main(edition: Edition, options: argparse.Namespace) -> bool:
    if min(options.workers, options.time_limit) < 1:
        raise RefusedError("a run needs at least one worker, and one second for each cell")
    given = sources.values_in(options.params)
    listed = tasks(edition, options.names or _having(edition, given), given)
    if given:
        edition = replace(edition, name=options.into)
    todo = [t for t in listed if t.reason or given or options.force]
    if kept := len(listed) - len(todo):
        say(f"{kept} of {len(listed)} notebooks are up to date (--force runs them anyway).")
    processes = options.workers // max(1, len(todo))
    _set_environment(edition.root, options.scheduler, max(1, processes))
    begin = time.monotonic()
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
