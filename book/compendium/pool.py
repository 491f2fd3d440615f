"""Run a notebook's simulations in its process, in several processes, or on a Dask cluster.

The runner chooses by variables of the environment. The notebook's code and its numbers are the same
in every case::

    from compendium.pool import executor

    with executor() as pool:
        f1ci.coverage.simulate(..., executor=pool)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext

# Dask's own value returns each large array to the system at once, which takes most of the time.
_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 10**9, "MALLOC_MMAP_THRESHOLD_": 10**9}


def executor() -> AbstractContextManager[Executor | None]:
    """Return an executor, or None to stay in this process.

    ``F1CI_SCHEDULER`` is the address of a Dask scheduler. Without it, ``F1CI_PROCESSES`` is the
    number of processes (by default one).
    """
    if address := os.environ.get("F1CI_SCHEDULER"):
        return _cluster(address)
    processes = int(os.environ.get("F1CI_PROCESSES", "1"))
    return _local_cluster(processes) if processes > 1 else nullcontext()


@contextmanager
def _local_cluster(processes: int) -> Iterator[Executor]:
    """Return the executor of a Dask cluster on this machine."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ": _MEMORY}),
        LocalCluster(processes, threads_per_worker=1, dashboard_address=None) as cluster,
        _cluster(cluster.scheduler_address) as pool,
    ):
        yield pool


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Return the executor of a cluster, whose workers must have this notebook's f1ci."""
    from distributed import Client

    with Client(address, timeout="20s") as client:
        client.wait_for_workers(1, timeout=60)
        with client.get_executor(pure=False) as pool:
            yield pool
