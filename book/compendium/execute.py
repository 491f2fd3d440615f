"""Run notebooks with papermill, side by side, each with a time limit for its cells.

A run writes into a temporary folder. When it has ended, its files move to the edition's folder, and
the record of the run is written last. So a run that is stopped leaves nothing that counts, and a
run that fails takes nothing away.
:mod:`compendium.runs` says which notebooks must run. ``python -m compendium.execute --help`` is the
command.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import papermill
import psutil
from jupyter_client.manager import AsyncKernelManager
from papermill.exceptions import PapermillExecutionError
from threadpoolctl import threadpool_info
from traitlets.config import Config

from compendium import RefusedError, pairs, sources, swhid, versions, write
from compendium.runs import PACKAGES, QUICK, Edition, Task, command, say, seconds, short_hash, tasks
from f1ci import __version__


def run(
    edition: Edition, todo: Sequence[Task], *, workers: int = 2, time_limit: int = 1800
) -> list[str]:
    """Run the tasks, longest first, and return the names of those that failed.

    A failure stops nothing else. Ctrl-C stops everything, and every notebook that has not ended
    stays as it was. The edition must be locked.
    """
    for left in edition.folder.glob("running-*"):  # if the machine was switched off
        shutil.rmtree(left)
    with (
        tempfile.TemporaryDirectory(prefix="running-", dir=edition.folder) as place,
        tempfile.TemporaryDirectory() as short,  # a path that sockets can have
        _workers(workers, place, short) as pool,
    ):
        running = {
            pool.submit(_run, edition, task, Path(place, task.name), time_limit): task.name
            for task in sorted(todo, key=lambda task: task.length, reverse=True)
        }
        try:
            return sorted(_wait(running))
        except BrokenProcessPool:
            raise RefusedError("a process that runs notebooks was ended from outside") from None
        except KeyboardInterrupt:
            _end_workers()
            raise


def _wait(running: Mapping[Future[str], str]) -> Iterator[str]:
    """Say when each notebook has ended, and give the names of those that failed."""
    begin = time.monotonic()
    for done, ended in enumerate(as_completed(running), 1):
        name, error = running[ended], ended.result()
        since = seconds(time.monotonic() - begin)
        outcome = f"FAILED: {error}" if error else "done"
        say(f"{since:>12}  {name} {outcome}; {done} of {len(running)} notebooks done")
        if error:
            yield name


def _workers(number: int, place: str, short: str) -> ProcessPoolExecutor:
    """Return so many processes; if this process is killed, they end and remove the folders."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(number, spawn, _begin_worker, (place, short))


def _begin_worker(place: str, short: str) -> None:
    """Leave Ctrl-C to the process that started this one, and end with it."""
    tempfile.tempdir = short
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(place, short), daemon=True).start()


def _end_with_parent(*folders: str) -> None:
    """Wait for the end of the process that started this one, and leave nothing behind."""
    if parent := multiprocessing.parent_process():
        parent.join()
    _end(psutil.Process().children(recursive=True))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _end_workers() -> None:
    """End the processes that run notebooks, with all that they have started."""
    for worker in multiprocessing.active_children():
        family = psutil.Process(worker.pid).children(recursive=True)
        worker.kill()
        _end(family)


def _end(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


class _KernelManager(AsyncKernelManager):
    """Ends a kernel without an interrupt, which a kernel that is still busy reports as an error."""

    async def _async_interrupt_kernel(self) -> None:
        pass


def _run(edition: Edition, task: Task, folder: Path, time_limit: int) -> str:
    """Run one notebook in a folder and keep its files; return why it failed, or ""."""
    say(f"{'':>12}  {task.name} starts: {task.reason or 'asked for'}")
    begin = time.monotonic()
    made = folder / "made"
    executed = made / "executed" / f"{task.name}.ipynb"
    for needed in (executed.parent, made / "results", made / "failed"):
        needed.mkdir(parents=True)
    os.environ |= {
        "F1CI_RESULTS": str(made / "results"),
        "F1CI_READ": str(folder / "read"),
        "IPYTHONDIR": str(folder / "ipython"),  # without the user's settings
    }
    try:
        error = _execute(edition, task, executed, time_limit)
        _finish(executed)
        _publish(edition, task, folder, error, time.monotonic() - begin)
    except OSError as fault:  # a full disk
        error = str(fault)
    return error


def _execute(edition: Edition, task: Task, executed: Path, time_limit: int) -> str:
    """Run a notebook with papermill; return the error that stopped it, or ""."""
    # The kernel listens at files, not at ports that another kernel may choose.
    files = {"transport": "ipc", "ip": f"{tempfile.mkdtemp()}/kernel"}
    try:
        papermill.execute_notebook(
            pairs.for_jupyter(edition.source(task.name), edition.root),
            executed,
            task.passed,
            cwd=edition.root / "notebooks",
            kernel_name="python3",
            execution_timeout=time_limit,
            progress_bar=False,
            coalesce_streams=True,  # lines printed slowly stay in one box
            kernel_manager_class=_KernelManager,
            config=Config(KernelManager=files),
        )
    except PapermillExecutionError as error:
        said = f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    else:
        said = ""
    return said.partition("\n")[0][:300]


def _finish(executed: Path) -> None:
    """Take papermill's traces out of an executed notebook."""
    if not executed.exists():  # the kernel did not start
        return
    notebook = nbformat.read(executed, as_version=4)
    notebook.cells = [c for c in notebook.cells if "papermill-error" not in str(c.metadata)]
    for part in (notebook, *notebook.cells):
        part.metadata.pop("papermill", None)
        part.metadata.pop("execution", None)
    write(executed, nbformat.writes(notebook) + "\n")


def _publish(edition: Edition, task: Task, folder: Path, error: str, took: float) -> None:
    """Move the files of a run to their places, and write its record."""
    made, noted = folder / "made", folder / "read"
    if error:  # some of the results are worse than none
        for executed in (made / "executed").iterdir():
            executed.rename(made / "failed" / executed.name)
    kept = made / "failed" if error else made
    outputs = {p.relative_to(made).as_posix(): swhid(p) for p in kept.rglob("*") if p.is_file()}
    read = sorted(set(noted.read_text("utf-8").splitlines())) if noted.exists() else []
    record = {
        **_facts(task, read, outputs),
        "error": error,
        "seconds": round(took, 1),
        "outputs": outputs,
    }
    edition.publish(record, made)


def _facts(task: Task, read: Iterable[str], outputs: dict[str, str]) -> dict[str, Any]:
    """Return what a run was made from, and where."""
    numbers = {path: hash_ for path, hash_ in outputs.items() if path.endswith(".csv")}
    return {
        "name": task.name,
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "parameters": {k: repr(v) for k, v in task.values.items()},
        "packages": versions(PACKAGES),
        "blas": _blas(),
        "inputs": task.inputs(read),
        "version": __version__,
        "f1ci": task.facts["the package"],
        # Numbers only: how a figure is drawn may differ from one machine to another.
        "results": short_hash(numbers),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def _blas() -> str:
    """Return the kernel of linear algebra, and its threads: this process has the notebook's."""
    libraries = [found for found in threadpool_info() if found["user_api"] == "blas"]
    kernels = {f"{b.get('architecture', b['internal_api'])}, {b['num_threads']}" for b in libraries}
    return "; ".join(sorted(kernels))


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
    """Set what every notebook's process finds in its environment.

    On one kernel of linear algebra and one thread, a number has the same last bits each time.
    """
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    if {"AVX2", "X86_V3"} & set(found):  # what the kernel Haswell needs, by NumPy's two names
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": f"{root}{os.pathsep}{root / 'book'}",
        "PYTHONHASHSEED": "0",
        "JUPYTER_PREFER_ENV_PATH": "1",
        "F1CI_SCHEDULER": scheduler,
        "F1CI_PROCESSES": str(processes),
    }


def _main(edition: Edition, options: argparse.Namespace) -> bool:
    if min(options.workers, options.time_limit) < 1:
        raise RefusedError("a run needs at least one worker, and one second for each cell")
    given = sources.values_in(options.params)
    target = replace(edition, name=options.into) if given else edition
    with target.locked():
        target.discard_deleted()
        listed = tasks(edition, options.names or _having(edition, given), given)
        todo = [t for t in listed if t.reason or given or options.force]
        if kept := len(listed) - len(todo):
            say(f"{kept} of {len(listed)} notebooks are up to date (--force runs them anyway).")
        return not todo or _run_all(target, todo, options)


def _run_all(edition: Edition, todo: Sequence[Task], options: argparse.Namespace) -> bool:
    """Run notebooks; say how many ran, and where each that failed shows its error."""
    _set_environment(edition.root, options.scheduler, max(1, options.workers // len(todo)))
    begin, folder = time.monotonic(), edition.folder.relative_to(edition.root)
    failed = run(edition, todo, workers=options.workers, time_limit=options.time_limit)
    took = seconds(time.monotonic() - begin)
    say(f"{len(todo) - len(failed)} of {len(todo)} notebooks ran in {took}, see {folder}/.")
    for name in failed:
        say(f"FAILED: {name}, up to its error in {folder}/failed/{name}.ipynb")
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
