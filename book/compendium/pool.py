"""Where a notebook's simulations run: in its process, in several, or on a Dask cluster.

The runner says which, through the environment. A notebook reads the same in every case and gives
the same numbers::

    from compendium.pool import executor

    with executor() as pool:
        f1ci.coverage.simulate(..., executor=pool)

:func:`start_kernel` is what every kernel of the runner calls first.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

_PATIENCE = 60  # seconds for the first worker to appear
PRINTED = 2_000_000  # characters that one cell may print


def executor() -> AbstractContextManager[Executor | None]:
    """Return an executor, or None to stay in this process.

    ``F1CI_SCHEDULER`` holds the address of a Dask scheduler; otherwise ``F1CI_PROCESSES`` says how
    many processes to use (one).
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
    """End this process when the runner ends, however that happens."""
    import psutil

    def wait(runner: psutil.Process) -> None:
        runner.wait()
        os._exit(1)

    if number := os.environ.get("F1CI_RUNNER"):
        threading.Thread(target=wait, args=[psutil.Process(int(number))], daemon=True).start()


def start_kernel() -> None:
    """Prepare a kernel: it ends with the runner, and what one cell prints is cut."""
    from IPython import get_ipython

    end_with_runner()
    left = dict.fromkeys((sys.stdout, sys.stderr), PRINTED)

    def renew(_: Any) -> None:
        left.update(dict.fromkeys(left, PRINTED))

    def limit(stream: Any) -> None:
        write = stream.write

        def limited(text: str) -> int:
            if left[stream] > 0:
                write(text[: left[stream]])
                left[stream] -= len(text)
                if left[stream] <= 0:
                    write(f"\n[cut here: a cell may print {PRINTED:,} characters]\n")
            return len(text)

        stream.write = limited

    for stream in left:
        limit(stream)
    get_ipython().events.register("pre_run_cell", renew)


@contextmanager
def _dask_executor(address: str) -> Iterator[Executor]:
    """Give the executor of a cluster whose workers compute with what this notebook computes with.

    Each worker is asked as it joins, at any time, and refuses to serve if it differs.
    """
    from distributed import Client, WorkerPlugin

    def sources() -> str:
        """Return a hash of what results depend on, computed where this runs."""
        import hashlib
        import platform
        from importlib.metadata import version
        from pathlib import Path

        import f1ci

        package = Path(str(f1ci.__file__)).parent
        shared = package.parent / "notebooks" / "shared"
        files = [*sorted(package.rglob("*.py")), *sorted(shared.glob("*.py"))]
        versions = [platform.python_version(), version("numpy"), version("scipy")]
        return hashlib.sha256(
            b"\0".join([*(f.read_bytes() for f in files), *(v.encode() for v in versions)])
        ).hexdigest()

    here = sources()

    class SameSources(WorkerPlugin):
        name = "f1ci-same-sources"

        def setup(self, worker: Any) -> None:
            if sources() != here:
                raise RuntimeError(
                    f"the Dask worker {worker.address} does not have this notebook's f1ci, "
                    "notebooks/shared, Python, numpy and scipy"
                )

    with Client(address, timeout="20s") as client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise RuntimeError(f"the Dask scheduler at {address} has no workers") from None
        client.register_plugin(SameSources())
        with client.get_executor(pure=False) as pool:
            yield pool
