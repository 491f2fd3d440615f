"""The command line: `f1ci` and `python -m f1ci`.

Each command reads its files, asks the public functions of f1ci and prints what they return. What is
wrong with a file is said in one sentence with line and column.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import itertools
import json
import math
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import f1ci
from f1ci import _files, _pasted, _tables, _validation, metrics, planning
from f1ci.methods import METHODS, names
from f1ci.report import known_methods
from f1ci.results import DifferenceSampleSize, Fields, Interval, IntervalWarning, SampleSize

__all__ = ["helps", "main"]

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
        _write(text, rows, options.form)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where, what = error.filename or "standard output", error.strerror or str(error)
        return _say(f"{where}: {what.lower()}")
    except (ValueError, TypeError) as error:  # what validation raises
        return _say(str(error))
    except KeyboardInterrupt:
        return 130
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
    asked = [metrics.precision, metrics.recall, metrics.get(options.metric or "f1")]
    asked += [] if options.tn is None else [metrics.accuracy]
    # A method for F1 alone has nothing to say of the others.
    fitting = [metric for metric in asked if options.method in (None, *names(metric))]
    of = {name: getattr(options, name) for name in ("method", "confidence_level")}
    intervals = [f1ci.metric_interval(counts, metric, **of) for metric in fitting or asked[2:3]]
    rows = _rows({interval.metric: interval for interval in intervals})
    return "\n".join(map(str, intervals)), rows


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
    return _reported(printed, f"{_shape(len(true), groups)}, ")


def _matrix(options: Namespace) -> Answer:
    """Print the same report from a confusion matrix; rows are true classes."""
    with _files.opened(options.matrix) as stream:
        matrix, classes, notes = _pasted.read_matrix(stream.read(_files.LONGEST_LINE))
    printed = f1ci.matrix_report(
        matrix, classes, method=options.method, confidence_level=options.confidence_level
    )
    for note in notes:
        warnings.warn(note, IntervalWarning, stacklevel=1)
    return _reported(printed, f"{matrix.sum():,} items, ")


def _reported(printed: f1ci.ClassificationReport, shape: str) -> Answer:
    of = {"method": printed.method, "confidence_level": printed.confidence_level}
    text = f"{shape}{len(printed.classes)} classes\n\n{printed}"
    return text, [row | of for row in printed.records()]


def _compare(options: Namespace) -> Answer:
    """Say which of two or more models is better on the same items."""
    models, columns, groups = _files.labels(options)
    classes = _files.in_order(itertools.chain(*columns))
    metric, positive = _compared_metric(options, classes)
    of_class = f" of {_tables.label(positive)}" if metric.binary else ""
    of: Fields = {"groups": groups, "confidence_level": options.confidence_level}
    labels: list[list[Any]] = list(columns)
    if metric.binary:  # all other classes are one
        labels = [[label == positive for label in column] for column in columns]
    y_true, predictions = labels[0], dict(zip(map(_tables.label, models), labels[1:], strict=True))
    comparison = f1ci.compare_models(
        y_true, predictions, metric, margin=options.margin, method=options.method, rng=0, **of
    )
    rows = _rows(comparison.intervals)
    for record, test in zip(comparison.records(), comparison.tests.values(), strict=True):
        rows.append({"name": f"{record['b']} - {record['a']}"} | record)
        rows[-1] |= {"p_not_inferior": test.p_not_inferior, "p_equivalent": test.p_equivalent}
        rows[-1] |= {"method": test.interval.method, "test": test.method}
    shape = _shape(len(y_true), groups)
    text = f"{shape}, {metric.name}{of_class}, method {test.interval.method}, test {test.method}"
    text, more = f"{text}\n\n{comparison}", None
    if len(predictions) == 2:
        only_a, only_b = test.discordant or (0, 0)
        a, b = predictions
        text += f"\nonly {a} is right on {only_a:,} items, only {b} on {only_b:,}"
        if "not distinguished" in comparison.verdict() and test.estimate:
            of |= {"difference": abs(test.estimate), "power": options.power}
            plan = planning.pilot_sample_size(y_true, predictions[a], predictions[b], metric, **of)
            more = max(1, plan.items - len(y_true if groups is None else set(groups)))
            text += (
                f"\nabout {more:,} more {'items' if groups is None else 'groups'} would be needed "
                f"to find a difference of {abs(test.estimate):.2g} "
                f"with a power of {_tables.percent(options.power)}"
            )
    rows[-1] |= {"verdict": comparison.verdict(), "more_needed": more}
    return text, rows


def _plan(options: Namespace) -> Answer:
    """Say how many items are needed, for one score or to find a difference of two models."""
    of_two = ("difference", "disagreement", "score")
    every = ("half_width", "standard_error", *of_two, "prevalence", "confidence_level")
    asked = {name: getattr(options, name) for name in every if getattr(options, name) is not None}
    metric = options.metric or "f1"
    if options.difference is None:
        plan: SampleSize | DifferenceSampleSize = f1ci.sample_size(metric, **asked)
    elif missing := [name for name in (*of_two, "prevalence") if name not in asked]:
        raise ValueError(f"--difference also needs --{', --'.join(missing)}")
    else:
        plan = f1ci.comparison_sample_size(metric, power=options.power, **asked)
    return str(plan), [dataclasses.asdict(plan)]


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
    "--pred+": _COLUMN
    | {"required": True, "nargs": "+", "help": "of each model; one name serves two files"},
    "--groups": _COLUMN | {"help": "document, image or user of the item"},
    "--labels": {"nargs": "+", "metavar": "LABEL", "help": "the classes in their order, or some"},
    "--positive": {"metavar": "LABEL", "help": "the positive class"},
    "--delimiter": {"metavar": "CHARACTER", "help": "between columns"},
    "--metric": {"metavar": "NAME", "help": "f1 by default; f2, recall, macro_f1, ..."},
    "--method": {"metavar": "NAME", "help": "see below; score by default"},
    "--margin": {"type": float, "default": 0.0, "help": "a difference that does not matter"},
    "--half-width": {"type": float, "help": "half the length of the interval"},
    "--standard-error": {"type": float, "help": "or the standard error"},
    "--prevalence": {"type": float, "help": "share of truly positive items"},
    "--difference": {"type": float, "help": "or a difference of two models to find"},
    "--disagreement": {"type": float, "nargs": 2, "metavar": ("POS", "NEG")}
    | {"help": "shares of items, by class, that only one model gets right"},
    "--score": {"type": float, "help": "what both models score, about"},
    "--power": {"type": float, "default": planning.POWER, "help": "to find a difference"},
    "--confidence-level": {"type": float, "default": 0.95, "metavar": "LEVEL"},
    "--json": {"dest": "form", "action": "store_const", "const": "json", "help": "print json"},
    "--csv": {"dest": "form", "action": "store_const", "const": "csv", "help": "print csv"},
}
_TABLE = "file --true --groups --delimiter --pred"
_PLAN = "--half-width --standard-error --prevalence --difference --disagreement --score --power"

# Each command with its arguments, the methods that it takes, and an example.
_COMMANDS: list[tuple[Callable[[Namespace], Answer], str, Iterable[str], str]] = [
    (_counts, "tp fp fn tn --metric --method", METHODS, "77 44 10"),
    (_report, f"{_TABLE} --labels --method", known_methods(), "labels.csv --true y --pred a"),
    (_matrix, "matrix --method", known_methods(), "matrix.txt"),
    (
        _compare,
        f"{_TABLE}+ file_b --on --metric --positive --margin --power --method",
        [name for name, method in METHODS.items() if not method.needs_one_sample],
        "labels.csv --true y --pred a b",
    ),
    (_plan, f"--metric {_PLAN}", (), "--metric f0.5 --half-width 0.02 --prevalence 0.615"),
]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def helps() -> dict[str, str]:
    """Return the help of the command line and of each command, by how it is called."""
    return {name: each.format_help() for name, each in _parsers().items()}


def _parsers() -> dict[str, argparse.ArgumentParser]:
    examples = [f"f1ci {run.__name__.strip('_')} {example}" for run, _, _, example in _COMMANDS]
    more = ["compare a.csv b.csv --on id --true y --pred p", "report - --true y --pred a --json"]
    shown = "\n  ".join([*examples, *(f"f1ci {example}" for example in more)])
    raw = argparse.RawDescriptionHelpFormatter
    top = _Parser(
        prog="f1ci",
        description="How sure can we be of an F score? Intervals, reports, comparisons, plans.",
        formatter_class=raw,
        epilog=f"examples:\n  {shown}\n\n"
        "Files have a header line, and commas, semicolons, tabs or bars between columns; they may\n"
        "be compressed by gzip. `f1ci COMMAND --help` explains a command.\n"
        "The exit code is 0, or 2 after bad input.",
    )
    top.add_argument("--version", action="version", version=f"f1ci {f1ci.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    parsers: dict[str, argparse.ArgumentParser] = {"f1ci": top}
    for (run, words, methods, _), example in zip(_COMMANDS, examples, strict=True):
        lines = [f"  {name:14}{METHODS[name].summary}" for name in methods]
        new: argparse.ArgumentParser = commands.add_parser(
            run.__name__.strip("_"),
            help=run.__doc__,
            description=run.__doc__,
            epilog="\n".join([*["methods:"][: len(lines)], *lines, f"example: {example}"]),
            formatter_class=raw,
        )
        new.set_defaults(form="text", run=run, on=None, file_b=None)
        for word in [*words.split(), "--confidence-level", "--json", "--csv"]:
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
    wanted = _POSITIVE if options.positive is None else (options.positive,)
    positive = [label for label in classes if label in wanted]
    if len(positive) != 1 or (options.positive is None and len(classes) > 2):
        known = _validation.first_few([_tables.label(label)[:40] for label in classes], 6)
        got = "nothing" if options.positive is None else _validation.short(options.positive)
        raise ValueError(f"{name} needs --positive, the positive class among {known}; got {got}")
    return metric, positive[0]


def _rows(intervals: Mapping[str, Interval]) -> list[Fields]:
    fields = ("metric", "estimate", "low", "high", "standard_error", "method", "confidence_level")
    return [{"name": name} | {f: getattr(x, f) for f in fields} for name, x in intervals.items()]


def _shape(items: int, groups: list[str] | None) -> str:
    return f"{items:,} items" + ("" if groups is None else f" in {len(set(groups)):,} groups")


def _write(text: str, rows: list[Fields], form: str) -> None:
    out = sys.stdout
    if out is None:
        raise OSError("it is closed")
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # a terminal may lack letters
    if form == "text":
        out.write(text + "\n")
    elif form == "json":
        finite = [{key: _finite(value) for key, value in row.items()} for row in rows]
        out.write(json.dumps(finite, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        columns = list(dict.fromkeys(key for row in rows for key in row))
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _as_cell(v) for key, v in row.items()} for row in rows)
    out.flush()


def _as_cell(value: object) -> object:
    """Return a cell that a spreadsheet does not take for a formula."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"'{value}" if formula else value


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
