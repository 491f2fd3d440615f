"""The command line: `f1ci` and `python -m f1ci`.

Each command reads its files, asks the public functions of f1ci and prints what they return. What is
wrong with a file is said in one sentence with line and column.
"""

from __future__ import annotations

import argparse
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
from f1ci import _files, _tables, _validation, metrics, planning
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
        _write(text, rows, options.json)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where, what = error.filename or "standard input or output", error.strerror or str(error)
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
    of = {name: getattr(options, name) for name in ("method", "confidence_level", "alternative")}
    intervals = [f1ci.metric_interval(counts, metric, **of) for metric in fitting or asked[2:3]]
    rows = _rows({interval.metric: interval for interval in intervals})
    return "\n".join(map(str, intervals)), rows


def _report(options: Namespace) -> Answer:
    """Print precision, recall and F1 of every class, each with its interval."""
    (true, predicted), groups = _files.labels(options)
    printed = f1ci.classification_report(
        true,
        predicted,
        groups=groups,
        labels=options.labels or _files.in_order([*true, *predicted]),
        method=options.method,
        confidence_level=options.confidence_level,
    )
    of = {"method": printed.method, "confidence_level": printed.confidence_level}
    text = f"{_shape(len(true), groups)}, {len(printed.classes)} classes\n\n{printed}"
    return text, [row | of for row in printed.records()]


def _compare(options: Namespace) -> Answer:
    """Say which of two or more models is better on the same items."""
    labels, groups = _files.labels(options)
    metric, positive = _compared_metric(options, _files.in_order(itertools.chain(*labels)))
    of_class = f" of {_tables.label(positive)}" if metric.binary else ""
    columns: list[list[Any]] = list(labels)
    if metric.binary:  # all other classes are one
        columns = [[label == positive for label in column] for column in labels]
    comparison = f1ci.compare_models(
        columns[0],
        dict(zip(map(_tables.label, options.pred), columns[1:], strict=True)),
        metric,
        margin=options.margin,
        groups=groups,
        method=options.method,
        rng=0,
        confidence_level=options.confidence_level,
    )
    rows = _rows(comparison.intervals)
    for record, test in zip(comparison.records(), comparison.tests.values(), strict=True):
        rows.append({"name": f"{record['b']} - {record['a']}"} | record)
        rows[-1] |= {"p_not_inferior": test.p_not_inferior, "p_equivalent": test.p_equivalent}
        rows[-1] |= {"method": test.interval.method, "test": test.method}
    rows[-1] |= {"verdict": comparison.verdict()}
    shape = f"{_shape(len(labels[0]), groups)}, {metric.name}{of_class}"
    return f"{shape}, method {test.interval.method}, test {test.method}\n\n{comparison}", rows


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
    "--true": _COLUMN | {"required": True, "help": "true labels"},
    "--pred": _COLUMN | {"required": True, "nargs": 1, "help": "predicted labels"},
    "--pred+": _COLUMN | {"required": True, "nargs": "+", "help": "of each model"},
    "--groups": _COLUMN | {"help": "document, image or user of the item"},
    "--labels": {"nargs": "+", "metavar": "LABEL", "help": "the classes in their order, or some"},
    "--positive": {"metavar": "LABEL", "help": "the positive class"},
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
    "--alternative": {"default": "two-sided", "help": "greater or less: one limit"},
    "--json": {"action": "store_true", "help": "print json"},
}
_TABLE = "file --true --groups --pred"
_PLAN = "--half-width --standard-error --prevalence --difference --disagreement --score --power"

# Each command with its arguments, the methods that it takes, and an example.
_COMMANDS: list[tuple[Callable[[Namespace], Answer], str, Iterable[str], str]] = [
    (_counts, "tp fp fn tn --metric --method --alternative", METHODS, "77 44 10"),
    (_report, f"{_TABLE} --labels --method", known_methods(), "labels.csv --true y --pred a"),
    (
        _compare,
        f"{_TABLE}+ --metric --positive --margin --method",
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
    shown = "\n  ".join([*examples, "f1ci report - --true y --pred a --json"])
    raw = argparse.RawDescriptionHelpFormatter
    top = _Parser(
        prog="f1ci",
        description="How sure can we be of an F score? Intervals, reports, comparisons, plans.",
        formatter_class=raw,
        epilog=f"examples:\n  {shown}\n\n"
        "A file has a header line, and commas, semicolons, tabs or bars between columns.\n"
        "All models are columns of one file: first join two files, by `paste` or by pandas.\n"
        "`f1ci COMMAND --help` explains a command.\n"
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
        new.set_defaults(run=run)
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
