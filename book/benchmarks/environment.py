"""What benchmarks share: R, versions, the machine, and timing in turns.

Without f1ci and scipy, so that it also runs where only the other packages are.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import os
import platform
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["best_times", "machine", "quiet", "run_r", "versions"]


def run_r(code: str, *arguments: str, given: str = "") -> str:
    """What a piece of R prints, with text on its standard input; OSError if there is no R."""
    program = shutil.which("Rscript")
    if program is None:
        raise OSError("Rscript was not found")
    done = subprocess.run(
        [program, "--vanilla", "-e", code, *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def versions(packages: Iterable[str]) -> dict[str, str | None]:
    """The versions of Python, of packages, of R and its mvtnorm; None for what is absent."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    found |= {"R": None, "mvtnorm": None}
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        print_versions = 'cat(paste(getRversion(), packageVersion("mvtnorm")))'
        found["R"], found["mvtnorm"] = run_r(print_versions).split()
    return found


def machine() -> dict[str, Any]:
    """What the times were measured on."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next((x.partition(":")[2].strip() for x in lines if "model name" in x), model)
    return {"processor": model, "cores": os.cpu_count(), "system": platform.system()}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings and the progress bars of other packages."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def best_times(*calls: Callable[[], object], seconds: float) -> list[float]:
    """Best time of each call, taken in turns until each has used about `seconds`.

    Short calls are timed in loops of a hundredth of a second. A call that takes longer
    than `seconds` is timed once or twice.
    """
    loops = []
    best = []
    begin = time.perf_counter()
    for call in calls:
        first = _seconds(call)
        if first < seconds:
            first = min(first, _seconds(call))
        loops.append(max(1, int(min(0.01, seconds) / max(first, 1e-7))))
        best.append(first)
    while time.perf_counter() - begin < seconds * len(calls):
        for i, (call, count) in enumerate(zip(calls, loops, strict=True)):
            best[i] = min(best[i], _seconds(call, count))
    return best


def _seconds(call: Callable[[], object], count: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count
