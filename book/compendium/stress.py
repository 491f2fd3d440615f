"""A coverage study on a Dask cluster that loses a worker on purpose.

Batches have random streams of their own, and results are added up in the order of the
batches; so a batch that is computed again, elsewhere, gives the same bits. This module
puts that to the test: it kills a worker's process in the middle of a study.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from f1ci import coverage

__all__ = ["LostWorker", "lose_a_worker", "study"]

DESIGN = (0.4, 0.1, 0.1, 0.4)

# Without MALLOC_TRIM_THRESHOLD_, which Dask would set for its workers: it makes the C library
# return every large array to the system at once, and two thirds of the time go into that.
WORKER_ENVIRONMENT = {"OMP_NUM_THREADS": 1}


@dataclass(frozen=True)
class LostWorker:
    """How a study with a lost worker went.

    Attributes
    ----------
    bits : bytes
        The pickled result.
    seconds : float
        How long it took, without the cluster's start.
    killed : int
        The process that was ended.
    ended : bool
        Whether that process is gone.
    done_at_loss : int
        How many replicates were done then.
    reports : int
        How often progress was reported.
    """

    bits: bytes
    seconds: float
    killed: int
    ended: bool
    done_at_loss: int
    reports: int


def study(
    replicates: int,
    *,
    executor: object = None,
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """The pickled result of a simulation with a fixed seed."""
    result = coverage.simulate(
        60,
        DESIGN,
        method="wilson_direct",
        replicates=replicates,
        rng=20261118,
        executor=executor,  # type: ignore[arg-type]
        progress=progress,
    )
    return pickle.dumps(result)


def lose_a_worker(
    replicates: int, *, say: Callable[[str], None] | None = None, at: float = 0.3
) -> LostWorker:
    """Run the study on two local workers and kill one of them when a share `at` is done."""
    import dask
    from distributed import Client, LocalCluster

    killed = done_at_loss = reports = 0
    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ": WORKER_ENVIRONMENT}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        begin = time.perf_counter()

        def progress(done: int, total: int) -> None:
            nonlocal killed, done_at_loss, reports
            reports += 1
            if not killed and done >= at * total:
                killed, done_at_loss = min(client.run(os.getpid).values()), done
                os.kill(killed, signal.SIGKILL)
                if say is not None:
                    say(f"{done:,} of {total:,} replicates done; killed worker {killed}")
            elif say is not None and reports % 100 == 0:
                say(f"{done:,} of {total:,} replicates, {time.perf_counter() - begin:.0f} s")

        pool = client.get_executor(pure=False)
        bits = study(replicates, executor=pool, progress=progress)
        seconds = time.perf_counter() - begin
        ended = not psutil.pid_exists(killed)
        pool.shutdown(wait=True)
    return LostWorker(bits, seconds, killed, ended, done_at_loss, reports)
