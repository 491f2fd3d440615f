"""Run one notebook with papermill, in the process of its own that `compendium.execute` starts.

``python -m compendium.one INPUT OUTPUT VALUES SECONDS`` passes the values of parameters (as JSON)
and stops a cell after so many seconds. The exit code is 0 if every cell has run. If not,
the last line of standard error says why, and the output has the traceback of a cell that failed.
"""

from __future__ import annotations

import json
import sys
import tempfile

import papermill
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config


def run(source: str, target: str, values: str, seconds: str) -> None:
    """Run a notebook. Its kernel listens at files, not at ports that another kernel may choose."""
    with tempfile.TemporaryDirectory() as sockets:  # whose path is short, as sockets want it
        papermill.execute_notebook(
            source,
            target,
            json.loads(values),
            kernel_name="python3",
            execution_timeout=int(seconds),
            progress_bar=False,
            coalesce_streams=True,  # lines printed slowly stay in one box
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
        )


if __name__ == "__main__":
    try:
        run(*sys.argv[1:])
    except PapermillExecutionError as error:
        reason, place = error.evalue, f"cell {error.cell_index + 1}: {error.ename}"
    except Exception as error:
        reason, place = str(error), type(error).__name__
    else:
        sys.exit(0)
    sys.exit(f"{place}: {reason.partition(chr(10))[0]}")
