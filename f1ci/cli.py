"""The command line: `f1ci` and `python -m f1ci`.

Each command reads its files, asks the public functions of f1ci and prints what they return. What is
wrong with a file is said in one sentence with line and column.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import math
import os
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import f1ci
from f1ci import _files, _pasted, _tables, _validation, metrics
from f1ci.results import Fields, IntervalWarning

# What a positive label is called most often.
_POSITIVE = ("1", "true", "True", "TRUE", "yes", "pos", "positive")


# What a command prints, and the same in rows for programs.
Answer: TypeAlias = tuple[str, list[Fields]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code: 0, or 2 after bad input."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IntervalWarning)
            options = _parsers()["f1ci"].parse_args(arguments)
            text, rows = options.run(options)
        _write(text, rows, options.json)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where, what = error.filename or "standard input or output", error.strerror or str(error)
        return _say(f"{where}: {what.lower()}")
    except (ValueError, TypeError) as error:  # what validation raises
        return _say(str(error))
    for note in dict.fromkeys(str(warning.message) for warning in caught):
        _say(f"note: {note}")
    return 0


def _say(text: str) -> int:
    """Say what is wrong, or what is to be noted; return the exit code of bad input."""
    if sys.stderr is not None:
        sys.stderr.write(f"f1ci: {text}\n")
    return 2


# Commands


def _counts(options: Namespace) -> Answer:
    """Print intervals from the counts of one model."""
    counts = [[options.tn or 0, options.fp], [options.fn, options.tp]]
    asked = ["precision", "recall", "f1", "accuracy"][: 3 if options.tn is None else 4]
    if options.metric or options.method:  # a method may be for F1 alone
        asked = [options.metric or "f1"]
    of = {name: getattr(options, name) for name in ("method", "confidence_level", "alternative")}
    intervals = [f1ci.metric_interval(counts, metric, **of) for metric in asked]
    return "\n".join(map(str, intervals)), [{"name": x.metric} | x.to_dict() for x in intervals]


def _report(options: Namespace) -> Answer:
    """Print precision, recall and F1 of every class, each with its interval."""
    _, (true, predicted), groups = _files.labels(options)
    printed = f1ci.classification_report(
        true,
        predicted,
        groups=groups,
        labels=options.labels or _files.in_order([*true, *predicted]),
        method=options.method,
        confidence_level=options.confidence_level,
    )
    return _reported(printed, _shape(len(true), groups))


def _matrix(options: Namespace) -> Answer:
    """Print the same report from a confusion matrix; rows are true classes."""
    with _files.opened(options.matrix) as stream:
        matrix, classes = _pasted.read_matrix(stream.read())
    of = {"method": options.method, "confidence_level": options.confidence_level}
    return _reported(f1ci.matrix_report(matrix, classes, **of), f"{matrix.sum():,} items")


def _reported(printed: f1ci.ClassificationReport, shape: str) -> Answer:
    of = {"method": printed.method, "confidence_level": printed.confidence_level}
    text = f"{shape}, {len(printed.classes)} classes\n\n{printed}"
    return text, [row | of for row in printed.records()]


def _compare(options: Namespace) -> Answer:
    """Say which of two or more models is better on the same items."""
    models, labels, groups = _files.labels(options)
    metric, positive = _compared_metric(options, _files.in_order(itertools.chain(*labels)))
    of_class = f" of {_tables.label(positive)}" if metric.binary else ""
    columns: list[list[Any]] = list(labels)
    if metric.binary:  # all other classes are one
        columns = [[label == positive for label in column] for column in labels]
    comparison = f1ci.compare_models(
        columns[0],
        dict(zip(map(_tables.label, models), columns[1:], strict=True)),
        metric,
        margin=options.margin,
        groups=groups,
        method=options.method,
        rng=0,
        confidence_level=options.confidence_level,
    )
    rows: list[Fields] = [{"name": name} | x.to_dict() for name, x in comparison.intervals.items()]
    for record, test in zip(comparison.records(), comparison.tests.values(), strict=True):
        rows.append({"name": f"{record['b']} - {record['a']}"} | record)
        rows[-1] |= {"p_not_inferior": test.p_not_inferior, "p_equivalent": test.p_equivalent}
        rows[-1] |= {"method": test.interval.method, "test": test.method}
    rows[-1] |= {"verdict": comparison.verdict()}
    shape = f"{_shape(len(labels[0]), groups)}, {metric.name}{of_class}"
    return f"{shape}, method {test.interval.method}, test {test.method}\n\n{comparison}", rows


def _plan(options: Namespace) -> Answer:
    """Say how many items keep the interval of a score narrow."""
    plan = f1ci.sample_size(
        options.metric or "f1",
        half_width=options.half_width,
        prevalence=options.prevalence,
        confidence_level=options.confidence_level,
    )
    return str(plan), [plan.to_dict()]


# The parser

_COLUMN: Fields = {"metavar": "COLUMN"}
_ARGUMENTS: dict[str, Fields] = {
    "tp": {"type": int, "help": "true positives"},
    "fp": {"type": int, "help": "false positives"},
    "fn": {"type": int, "help": "false negatives"},
    "tn": {"type": int, "nargs": "?", "help": "true negatives, for the accuracy only"},
    "file": {"help": "a file with a header line; - is standard input"},
    "matrix": {"help": "a printed matrix of items drawn at random; - is standard input"},
    "file_b": {"nargs": "?", "help": "a second file, with the predictions of model B"},
    "--on": _COLUMN | {"help": "the column that joins the two files"},
    "--true": _COLUMN | {"required": True, "help": "true labels"},
    "--pred": _COLUMN | {"required": True, "nargs": 1, "help": "predicted labels"},
    "--pred+": _COLUMN | {"required": True, "nargs": "+", "help": "of each model or both files"},
    "--groups": _COLUMN | {"help": "document, image or user of the item"},
    "--labels": {"nargs": "+", "metavar": "LABEL", "help": "the classes in their order, or some"},
    "--positive": {"metavar": "LABEL", "help": "the positive class"},
    "--delimiter": {"metavar": "CHARACTER", "help": "between columns"},
    "--metric": {"metavar": "NAME", "help": "f1 by default; f2, recall, macro_f1, ..."},
    "--method": {"metavar": "NAME", "help": "score by default; also cautious, logit, delta, ..."},
    "--margin": {"type": float, "default": 0.0, "help": "a difference that does not matter"},
    "--half-width": {"type": float, "required": True, "help": "half the length of the interval"},
    "--prevalence": {"type": float, "help": "share of truly positive items"},
    "--confidence-level": {"type": float, "default": 0.95, "metavar": "LEVEL"},
    "--alternative": {"default": "two-sided", "help": "greater or less: one limit"},
    "--json": {"action": "store_true", "help": "print json"},
}
_TABLE = "file --true --groups --delimiter --pred"
_COMPARE = f"{_TABLE}+ file_b --on --metric --positive --margin --method"

_PLAN = "--metric --half-width --prevalence"

# Each command with its function, its arguments and an example.
_COMMANDS: dict[str, tuple[Callable[[Namespace], Answer], str, str]] = {
    "counts": (_counts, "tp fp fn tn --metric --method --alternative", "77 44 10"),
    "report": (_report, f"{_TABLE} --labels --method", "x.csv --true y --pred a"),
    "matrix": (_matrix, "matrix --method", "matrix.txt"),
    "compare": (_compare, _COMPARE, "x.csv --true y --pred a b"),
    "plan": (_plan, _PLAN, "--metric f0.5 --half-width 0.02 --prevalence 0.615"),
}


def helps() -> dict[str, str]:
    """Return the help of the command line and of each command, by how it is called."""
    return {name: each.format_help() for name, each in _parsers().items()}


def _parsers() -> dict[str, ArgumentParser]:
    examples = [f"{name} {example}" for name, (_, _, example) in _COMMANDS.items()]
    more = ["compare a.csv b.csv --on id --true y --pred p", "report - --true y --pred a --json"]
    shown = "\n  ".join(f"f1ci {example}" for example in examples + more)
    top = ArgumentParser(
        prog="f1ci",
        description="How sure can we be of an F score? Intervals, reports, comparisons, plans.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"examples:\n  {shown}\n\n"
        "A file has a header line, and commas, semicolons, tabs or bars between columns.\n"
        "Limits are for items drawn at random, or for documents (--groups). For fixed numbers\n"
        "of items of the classes take f1ci.metric_interval(..., fixed='rows') in Python.\n"
        "`f1ci COMMAND --help` explains a command.\n"
        "The exit code is 0, or 2 after bad input.",
    )
    top.add_argument("--version", action="version", version=f"f1ci {f1ci.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    parsers = {"f1ci": top}
    for name, (run, words, example) in _COMMANDS.items():
        new = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        new.epilog = f"example: f1ci {name} {example}"
        new.set_defaults(run=run, on=None, file_b=None)
        for word in [*words.split(), "--confidence-level", "--json"]:
            new.add_argument(word.rstrip("+"), **_ARGUMENTS[word])
        parsers[new.prog] = new
    return parsers


# What the commands share


def _compared_metric(options: Namespace, classes: Sequence[str]) -> tuple[metrics.Metric, str]:
    """Return the metric and the positive class."""
    name = options.metric or ("f1" if len(classes) <= 2 or options.positive else "macro_f1")
    metric = metrics.get(name)
    if not metric.binary:
        return metric, ""
    usual = _POSITIVE if len(classes) <= 2 else ()
    wanted = usual if options.positive is None else (options.positive,)
    positive = [label for label in classes if label in wanted]
    if len(positive) != 1:
        among = f"the positive class among {_validation.listing(classes)}"
        got = _validation.short(options.positive)
        raise ValueError(f"{name} needs --positive, {among}; got {got}")
    return metric, positive[0]


def _shape(items: int, groups: list[str] | None) -> str:
    return f"{items:,} items" + ("" if groups is None else f" in {len(set(groups)):,} groups")


def _write(text: str, rows: list[Fields], as_json: bool) -> None:
    out = sys.stdout
    if out is None:
        raise OSError("closed")
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # a terminal may lack letters
    if as_json:
        finite = [{key: _finite(value) for key, value in row.items()} for row in rows]
        text = json.dumps(finite, indent=2, ensure_ascii=False, allow_nan=False)
    out.write(text + "\n")
    out.flush()


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
