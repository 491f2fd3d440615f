"""Run a notebook's simulations in its process, in several processes, or on a Dask cluster.

The runner chooses by variables of the environment. The notebook's code and its numbers are the same
in every case::

    from compendium.pool import executor

    with executor() as pool:
        f1ci.coverage.simulate(..., executor=pool)
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

_PATIENCE = 60  # seconds for the first worker to appear


def executor() -> AbstractContextManager[Executor | None]:
    """Return an executor, or None to stay in this process.

    ``F1CI_SCHEDULER`` is the address of a Dask scheduler. Without it, ``F1CI_PROCESSES`` is the
    number of processes (by default one).
    """
    if address := os.environ.get("F1CI_SCHEDULER"):
        return _dask_executor(address)
    processes = int(os.environ.get("F1CI_PROCESSES", "1"))
    if processes > 1:
        from loky import ProcessPoolExecutor

        pool: AbstractContextManager[Executor] = ProcessPoolExecutor(
            processes, initializer=end_with_runner
        )
        return pool
    return nullcontext()


def end_with_runner() -> None:
    """End this process when the runner ends, for whatever reason."""
    import psutil

    def wait(runner: psutil.Process) -> None:
        runner.wait()
        os._exit(1)

    if number := os.environ.get("F1CI_RUNNER"):
        threading.Thread(target=wait, args=[psutil.Process(int(number))], daemon=True).start()


@contextmanager
def _dask_executor(address: str) -> Iterator[Executor]:
    """Return the executor of a cluster whose workers have this notebook's f1ci and versions.

    The workers are asked once, at the beginning.
    """
    from distributed import Client

    def sources() -> str:
        """Return the versions and the source on which results depend, where this runs."""
        import numpy
        import scipy

        import f1ci

        files = sorted(Path(str(f1ci.__file__)).parent.rglob("*.py"))
        text = "".join(path.read_text("utf-8") for path in files)
        return f"{sys.version} {numpy.__version__} {scipy.__version__} {text}"

    with Client(address, timeout="20s") as client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise RuntimeError(f"the Dask scheduler at {address} has no workers") from None
        here = sources()
        if others := [worker for worker, its in client.run(sources).items() if its != here]:
            raise RuntimeError(
                f"the Dask workers {', '.join(others)} do not have this notebook's f1ci, "
                "Python, numpy and scipy"
            )
        with client.get_executor(pure=False) as pool:
            yield pool
