"""Run one notebook with papermill, and end every process that it leaves behind.

``python -m compendium.one INPUT OUTPUT`` is a program for :mod:`compendium.execute`. Its first line
of standard input has the values of parameters and the time limit. When its input ends, the runner
has ended, and this process ends too. It prints why the notebook was stopped, or nothing if a cell
failed or all went well.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, NoReturn

import papermill
import psutil
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

# Characters that a cell may print. nbclient needs the square of the length of a line to read it.
LONGEST = 50_000
_ADOPT = (
    36  # PR_SET_CHILD_SUBREAPER of Linux: processes without a parent become children of this one
)


class Client(PapermillNotebookClient):  # type: ignore[misc]
    """Papermill's client, which keeps only the beginning of what a cell prints."""

    printed: tuple[int, int] = (-1, 0)  # a cell's number, and how much it has printed

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Keep an output of a cell, unless the cell has printed too much already."""
        if msg["msg_type"] == "stream":
            text = msg["content"]["text"]
            before = self.printed[1] if self.printed[0] == cell_index else 0
            self.printed = cell_index, before + len(text)
            if before > LONGEST:
                return None
            if before + len(text) > LONGEST:
                beginning = text[: LONGEST - before]
                notice = f"\n(The rest is cut: a cell may print {LONGEST:,} characters.)\n"
                msg["content"]["text"] = beginning + notice
        return super().process_message(msg, cell, cell_index)


class Engine(NBClientEngine):  # type: ignore[misc]
    """Papermill's engine with our client."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: Any, kernel_name: str, *, execution_timeout: int, socket: str, **_: Any
    ) -> Any:
        """Run a notebook. Its kernel listens at files, which need no network."""
        kernel = Config(KernelManager={"transport": "ipc", "ip": socket})
        client = Client(
            nb_man,
            kernel_name=kernel_name,
            timeout=execution_timeout,
            coalesce_streams=True,  # lines printed slowly stay in one box
            config=kernel,
        )
        return client.execute()


papermill_engines.register("f1ci", Engine)


def end_children() -> None:
    """End every process that this process or its children have started."""
    while children := psutil.Process().children(recursive=True):
        for child in children:
            child.kill()
        psutil.wait_procs(children, timeout=1)


def _end_with_runner() -> NoReturn:
    """Wait for the end of standard input, which is the end of the runner; end everything."""
    while os.read(0, 1):  # not sys.stdin, whose lock would hold up the end of this process
        pass
    end_children()
    os._exit(1)


def run(source: Path, target: Path, values: dict[str, Any], time_limit: int) -> str:
    """Run a notebook; return why it was stopped, or "" if a cell failed or all went well."""
    with tempfile.TemporaryDirectory() as sockets:  # whose path is short, as sockets want it
        try:
            papermill.execute_notebook(
                source,
                target,
                values,
                engine_name="f1ci",
                kernel_name="python3",
                execution_timeout=time_limit,
                progress_bar=False,
                socket=f"{sockets}/kernel",
            )
        except PapermillExecutionError:
            pass  # the notebook has its traceback
        except CellTimeoutError:
            return f"the time limit of {time_limit} s ended"
        except DeadKernelError:
            return "its process died"
    return ""


def _main() -> None:
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")  # the notebook cannot print there
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_runner, daemon=True).start()
    source, target = map(Path, sys.argv[1:])
    try:
        stopped = run(source, target, asked["values"], asked["time limit"])
    except Exception as error:  # whatever it is, the runner says so
        stopped = f"{type(error).__name__}: {error}"
    end_children()
    answer.write(stopped)


if __name__ == "__main__":
    _main()
