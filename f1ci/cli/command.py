"""The command `f1ci`: its options, what it writes, and its exit code."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

import f1ci
from f1ci.cli import answers
from f1ci.cli.answers import Answer
from f1ci.results import in_json
from f1ci.types import IntervalWarning

_EXAMPLES = """\
examples:
  f1ci counts TP=77 FP=44 FN=10
  f1ci doctor predictions.csv
  f1ci report predictions.csv
  f1ci report gold.txt pred.txt
  f1ci compare predictions.csv --true gold --pred bert svm
  f1ci compare run1/preds.csv run2/preds.csv --on id
  f1ci plan --metric f0.5 --half-width 0.02 --prevalence 0.615
  cat predictions.jsonl | f1ci report - --json

A file has a line for each item: CSV, tab-separated text, or JSON lines. f1ci says which columns it
takes; where the file leaves a doubt, it asks for --true or --pred.
The calculator in f1ci's book reads printed confusion matrices.
Limits are for items drawn at random, or for documents (--groups). For fixed numbers of items of
the classes use f1ci.Matrix(..., fixed='rows') in Python, and for other strata with known
shares f1ci.Labels(..., strata=, stratum_shares=).
The exit code is 0, 2 after bad input, and with --fail-if also 1. `f1ci COMMAND --help` explains a
command."""


_OPTIONS: dict[str, dict[str, Any]] = {
    "files": {"nargs": "+", "metavar": "FILE", "help": "one file, or two; - is standard input"},
    "counts": {
        "nargs": "+",
        "metavar": "COUNT",
        "help": "true positives, false positives, false negatives and, for metrics with them, true "
        "negatives; in any order as TP=77 FP=44 FN=10",
    },
    "--true": {"default": "", "metavar": "COLUMN", "help": "true labels"},
    "--pred": {"default": (), "nargs": "+", "metavar": "COLUMN", "help": "predicted labels"},
    "--pred of one": {"default": (), "nargs": 1, "metavar": "COLUMN", "help": "predicted labels"},
    "--groups": {"default": "", "metavar": "COLUMN", "help": "document, image or user of the item"},
    "--on": {"metavar": "COLUMN", "help": "the column that names the items in both files"},
    "--count": {"default": "", "metavar": "COLUMN", "help": "how many items a line stands for"},
    "--delimiter": {"metavar": "CHARACTER", "help": "between columns"},
    "--labels": {"nargs": "+", "metavar": "LABEL", "help": "the classes in their order, or some"},
    "--zero-division": {
        "type": float,
        "metavar": "0, 1 or nan",
        "help": "the score of a class without items",
    },
    "--class-shares": {
        "nargs": "+",
        "action": "extend",
        "metavar": "LABEL=SHARE",
        "help": "how frequent the true classes are where the score is wanted; the shares sum to 1 "
        "(for a label with a hyphen in front --class-shares=-1=0.98 --class-shares=1=0.02)",
    },
    "--metric": {"metavar": "NAME", "help": "f1 by default; f2, recall, macro_f1, ..."},
    "--method": {"metavar": "NAME", "help": "score by default; also cautious, logit, delta, ..."},
    "--positive": {"metavar": "LABEL", "help": "the positive class"},
    "--margin": {"type": float, "default": 0.0, "help": "a difference that does not matter"},
    "--fail-if": {"choices": ["worse"], "help": "exit with 1 if a model is worse than the first"},
    "--alternative": {"default": "two-sided", "help": "greater or less: one limit"},
    "--half-width": {"type": float, "required": True, "help": "half the length of the interval"},
    "--prevalence": {"type": float, "help": "share of truly positive items"},
    "--confidence-level": {"type": float, "default": 0.95, "metavar": "LEVEL"},
    "--json": {"action": "store_true", "help": "print json"},
}

_LEVEL = "--confidence-level, --json"
_SCORES = f"--labels, --zero-division, --class-shares, --method, {_LEVEL}"
_FILES = "files, --true, --groups, --on, --count, --delimiter"

# What answers a command, an example, and the options.
_COMMANDS = (
    (answers.counts, "77 44 10", f"counts, --metric, --method, --alternative, {_LEVEL}"),
    (
        answers.report,
        "predictions.csv --true gold --pred bert",
        f"{_FILES}, --pred of one, {_SCORES}",
    ),
    (
        answers.compare,
        "predictions.csv --true gold --pred bert svm",
        f"{_FILES}, --pred, --metric, --positive, --margin, --fail-if, {_SCORES}",
    ),
    (answers.doctor, "predictions.csv", "files, --delimiter, --json"),
    (
        answers.plan,
        "--metric f0.5 --half-width 0.02 --prevalence 0.615",
        f"--metric, --half-width, --prevalence, {_LEVEL}",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code.

    It is 0, or 2 after bad input, or 1 if --fail-if says so, or 130 after Ctrl-C.
    """
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IntervalWarning)
            answer = _answer(arguments)
        _write(f"{answer.text}\n")
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except (OSError, MemoryError, ValueError, TypeError) as error:
        _complain(_sentence(error))
        return 2
    for note in dict.fromkeys(str(warning.message) for warning in caught):
        _complain(f"note: {note}")
    return answer.code


def _answer(arguments: Sequence[str] | None) -> Answer:
    """Return what the command answers, as text or as JSON."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        return Answer(parser.format_help().rstrip("\n"), [])
    answer: Answer = options.run(options)
    if not options.json:
        return answer
    text = json.dumps(in_json(answer.rows), indent=2, ensure_ascii=False, allow_nan=False)
    return answer._replace(text=text)


def _sentence(error: Exception) -> str:
    """Return what is wrong, in one sentence."""
    if isinstance(error, MemoryError):
        return "the input does not fit into memory; give the columns of labels alone"
    if isinstance(error, OSError):
        where = error.filename or "standard input or output"
        return f"{where}: {(error.strerror or str(error)).lower()}"
    return str(error)


def _complain(text: str) -> None:
    """Write to standard error, if it is open, what is wrong or to be noted."""
    if sys.stderr is not None:
        sys.stderr.write(f"f1ci: {text}\n")


def _write(text: str) -> None:
    """Write to standard output, in letters that the terminal has."""
    out = sys.stdout
    if out is None:
        raise OSError("closed")
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")
    out.write(text)
    out.flush()


# The parsers


def helps() -> dict[str, str]:
    """Return the help of the command line and of each command, by how it is called."""
    top = ArgumentParser(prog="f1ci")
    commands = _add_commands(top)
    texts = {"f1ci": _parser().format_help()}
    for parser in commands.choices.values():
        texts[parser.prog] = parser.format_help()
    return texts


def _parser() -> ArgumentParser:
    """Return the parser of the whole command line."""
    parser = ArgumentParser(
        prog="f1ci",
        description="How sure can we be of an F score? Intervals, reports, comparisons, plans.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_EXAMPLES,
    )
    parser.add_argument("--version", action="version", version=f"f1ci {f1ci.__version__}")
    _add_commands(parser)
    return parser


def _add_commands(parser: ArgumentParser) -> argparse._SubParsersAction[ArgumentParser]:
    """Add the commands to a parser."""
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    for run, example, options in _COMMANDS:
        command = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        command.epilog = f"example: f1ci {run.__name__} {example}"
        command.set_defaults(run=run)
        for option in options.split(", "):
            command.add_argument(option.split()[0], **_OPTIONS[option])
    return commands
