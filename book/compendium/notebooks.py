"""Run the notebooks, write their pairs, check them: ``python -m compendium.notebooks --help``."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from compendium import ROOT, pairs, runner
from compendium.parameters import ParameterError
from compendium.records import Edition, Project

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, do what it says, return the exit code."""
    options = _parser().parse_args(arguments)
    # `kill` ends a run as tidily as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: _interrupt())
    try:
        return int(options.action(options))
    except ParameterError as error:
        _say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        _say("Stopped. What was done before stays done; nothing half-written is left.")
        return 130


def _pair(options: argparse.Namespace) -> int:
    folder = Project(options.root).notebooks
    for source in pairs.sources(folder):
        target, text = source.with_suffix(".ipynb"), pairs.pair_text(source)
        if not target.exists() or target.read_text("utf-8") != text:
            draft = target.with_suffix(".tmp")
            draft.write_text(text, "utf-8")
            draft.replace(target)
            _say(f"wrote {target.name}")
    return 0


def _check(options: argparse.Namespace) -> int:
    folder = Project(options.root).notebooks
    problems = pairs.check(folder)
    for problem in problems:
        _say(problem)
    if not problems:
        _say(f"{len(pairs.sources(folder))} notebooks: every pair follows from its source.")
    return 1 if problems else 0


def _run(options: argparse.Namespace) -> int:
    begin = time.monotonic()
    edition = Edition(
        Project(options.root), "custom" if options.params else "quick" if options.quick else "full"
    )
    tasks = runner.tasks(edition, options.names, options.params, quick=options.quick)
    todo = [t for t in tasks if t.reason or options.force]
    kept = len(tasks) - len(todo)
    if kept:
        _say(f"{kept} of {len(tasks)} notebooks are up to date (--force runs them anyway).")
    failed = runner.run(
        edition,
        todo,
        workers=options.workers,
        time_limit=options.time_limit,
        scheduler=options.scheduler,
        say=_say,
    )
    took = runner.seconds(time.monotonic() - begin)
    folder = edition.folder.relative_to(options.root)
    if todo:
        _say(f"{len(todo) - len(failed)} of {len(todo)} notebooks ran in {took}, see {folder}/.")
    for name in failed:
        _say(f"FAILED: {name}, up to its error in {folder}/executed/{name}.ipynb")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m compendium.notebooks", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    actions = parser.add_subparsers(required=True, metavar="run | pair | check")
    action = actions.add_parser("run", help="run those that need it, or those that are named")
    action.set_defaults(action=_run)
    action.add_argument("names", nargs="*", metavar="NAME", help="all, if none is named")
    action.add_argument("--quick", action="store_true", help="small numbers, in a folder apart")
    action.add_argument(
        "--params", default="", help='values such as "confidence_level=0.9 replicates=1000"'
    )
    action.add_argument("--workers", type=int, default=2, help="notebooks at a time (2)")
    action.add_argument(
        "--scheduler", default="", help="address of a Dask scheduler, tcp://host:port"
    )
    action.add_argument("--force", action="store_true", help="run even what is up to date")
    action.add_argument(
        "--time-limit", type=float, default=1800.0, help="seconds for one notebook (1800)"
    )
    action = actions.add_parser("pair", help="write each .ipynb from its .py")
    action.set_defaults(action=_pair)
    action = actions.add_parser("check", help="compare each .ipynb with its .py, cell by cell")
    action.set_defaults(action=_check)
    return parser


def _interrupt() -> None:
    raise KeyboardInterrupt


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
