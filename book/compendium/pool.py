"""Where a notebook's simulations run: here, in several processes, or on a Dask cluster.

The runner says which, through the environment, so that a notebook reads the same in
every case and gives the same numbers::

    from compendium.pool import executor

    with executor() as pool:
        f1ci.coverage.simulate(..., executor=pool)
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import cloudpickle

_PATIENCE = 60  # seconds for the first worker to appear


def executor() -> AbstractContextManager[Executor | None]:
    """An executor, or None to stay in this process.

    ``F1CI_SCHEDULER`` holds the address of a Dask scheduler whose workers can import
    the same f1ci; else ``F1CI_PROCESSES`` says how many processes to use (one).
    """
    if address := os.environ.get("F1CI_SCHEDULER"):
        return _dask_executor(address)
    processes = int(os.environ.get("F1CI_PROCESSES", "1"))
    if processes > 1:
        # Fresh processes: a fork of a kernel would inherit its threads' locks.
        return _Pool(processes, multiprocessing.get_context("spawn"), _end_with_parent)
    return nullcontext()


class _Pool(ProcessPoolExecutor):
    """Processes that, like Dask's, also run functions that a notebook defines itself."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        return super().submit(_call, cloudpickle.dumps(partial(function, *args, **options)))


def _end_with_parent() -> None:
    """Leave no worker behind where the notebook's process was killed."""

    def wait() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _call(pickled: bytes) -> Any:
    return pickle.loads(pickled)()


@contextmanager
def _dask_executor(address: str) -> Iterator[Executor]:
    """The executor of a cluster that has the same f1ci, or a sentence that says it has not."""
    from distributed import Client

    def source_hash() -> str:
        """A hash of the installed f1ci, computed where this runs."""
        import hashlib
        from pathlib import Path

        import f1ci

        files = sorted(Path(str(f1ci.__file__)).parent.rglob("*.py"))
        return hashlib.sha256(b"\0".join(f.read_bytes() for f in files)).hexdigest()

    with Client(address, timeout="20s") as client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise RuntimeError(f"the Dask scheduler at {address} has no workers") from None
        here = source_hash()
        others = [worker for worker, there in client.run(source_hash).items() if there != here]
        if others:
            named = ", ".join(sorted(others))
            raise RuntimeError(f"these Dask workers do not have this notebook's f1ci: {named}")
        with client.get_executor(pure=False) as pool:
            yield pool
