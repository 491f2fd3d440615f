"""The command line: `f1ci` and `python -m f1ci`.

Each command reads its files, asks the public functions of f1ci and prints what they return. One
sentence says what is wrong with a file, with line and column.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

import f1ci
from f1ci import _columns, _files, _joining, _tables, metrics
from f1ci._columns import Named, Predictions
from f1ci.data import checks
from f1ci.metrics.averages import mean_of
from f1ci.results import in_json
from f1ci.types import Fields, IntervalWarning, LabelsLike

# What a command prints, and the same in rows for programs.
Answer: TypeAlias = tuple[str, list[Fields]]

_EXAMPLES = """\
examples:
  f1ci counts 77 44 10
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
The exit code is 0, or 2 after bad input. `f1ci COMMAND --help` explains a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code: 0, or 2 after bad input."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IntervalWarning)
            parser = _parser()
            options = parser.parse_args(arguments)
            if options.command is None:
                _write(parser.format_help())
                return 0
            text, rows = options.run(options)
        if options.json:
            text = json.dumps(in_json(rows), indent=2, ensure_ascii=False, allow_nan=False)
        _write(f"{text}\n")
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = error.filename or "standard input or output"
        _complain(f"{where}: {(error.strerror or str(error)).lower()}")
        return 2
    except (ValueError, TypeError) as error:  # what validation raises
        _complain(str(error))
        return 2
    for note in dict.fromkeys(str(warning.message) for warning in caught):
        _complain(f"note: {note}")
    return 0


def _complain(text: str) -> None:
    """Write to standard error what is wrong, or what is to be noted."""
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


# Commands


def _counts(options: Namespace) -> Answer:
    """Print intervals from the counts of one model."""
    names = ["precision", "recall", "f1"]
    if options.tn is not None:
        names.append("accuracy")
    if options.metric or options.method:  # a method may be for F1 alone
        names = [options.metric or "f1"]
    if options.tn is None:
        _refuse_without_negatives(names)
    matrix = [[options.tn or 0, options.fp], [options.fn, options.tp]]
    intervals = [
        f1ci.Matrix(matrix).interval(
            name,
            method=options.method,
            confidence_level=options.confidence_level,
            alternative=options.alternative,
        )
        for name in names
    ]
    rows = [{"name": interval.metric} | interval.to_dict() for interval in intervals]
    return "\n".join(map(str, intervals)), rows


def _refuse_without_negatives(names: list[str]) -> None:
    """Refuse metrics that change with the true negatives."""
    for name in names:
        metric = metrics.get(name)
        few_and_many = metric.value([[[1, 3], [2, 7]], [[9, 3], [2, 7]]])
        if np.ptp(few_and_many) > 1e-9:  # more than rounding
            raise ValueError(f"{metric.name} needs the true negatives: f1ci counts TP FP FN TN")


def _report(options: Namespace) -> Answer:
    """Print precision, recall and F1 of every class, each with its interval."""
    predictions = _read(options)
    if len(predictions.models) != 1:
        listed = checks.listing(predictions.models)
        raise ValueError(f"a report is for one model: name it with --pred; got {listed}")
    true, predicted = predictions.labels
    report = f1ci.classification_report(
        true,
        predicted,
        groups=predictions.groups,
        labels=options.labels or _columns.in_order([*true, *predicted]),
        method=options.method,
        confidence_level=options.confidence_level,
        **_given(options, "zero_division"),
        **_known_shares(options),
    )
    shape = f"{_shape(predictions)}, {len(report.classes)} classes"
    of_all = {"method": report.method, "confidence_level": report.confidence_level}
    return f"{shape}\n\n{report}", [record | of_all for record in report.records()]


def _compare(options: Namespace) -> Answer:
    """Say which of two or more models is better on the same items."""
    predictions = _read(options)
    metric, positive = _compared_metric(options, predictions)
    (true, *predicted), compared, arguments = _of_class(options, predictions, metric, positive)
    names = map(_tables.printable, predictions.models)
    comparison = f1ci.compare_models(
        true,
        dict(zip(names, predicted, strict=True)),
        compared,
        margin=options.margin,
        groups=predictions.groups,
        method=options.method,
        rng=0,
        confidence_level=options.confidence_level,
        **(_given(options, "labels", "zero_division") | arguments),
    )
    score = metric.name if positive is None else f"{metric.name} of {_tables.label(positive)}"
    head = f"{_shape(predictions)}, {score}, {_methods(comparison)}"
    return f"{head}\n\n{comparison}", _rows(comparison)


def _methods(comparison: f1ci.results.ModelComparison) -> str:
    """Return how the models were compared, in words."""
    test = next(iter(comparison.tests.values()))
    return f"method {test.interval.method}, test {test.method}"


def _of_class(
    options: Namespace, predictions: Predictions, metric: metrics.Metric, positive: str | None
) -> tuple[list[LabelsLike], metrics.Metric, Fields]:
    """Return labels, metric and arguments of a comparison of all classes, or of one of them.

    Of three classes or more the others become one. If the shares of all are known, they stay apart.
    """
    columns: list[LabelsLike] = [*predictions.labels]
    shares = _known_shares(options)
    if positive is None:
        return columns, metric, shares
    if len(_classes(predictions)) <= 2:
        return columns, metric, {"pos_label": positive} | shares
    if shares and options.labels is None:
        of_one = replace(mean_of("macro", metric), name=metric.name)
        return columns, of_one, {"labels": [positive]} | shares
    return [[label == positive for label in column] for column in predictions.labels], metric, {}


def _classes(predictions: Predictions) -> list[str]:
    """Return the classes that occur, in order."""
    return _columns.in_order(label for column in predictions.labels for label in set(column))


def _rows(comparison: f1ci.results.ModelComparison) -> list[Fields]:
    """Return a row for each model and each pair; the last one has the verdict."""
    rows: list[Fields] = []
    for name, interval in comparison.intervals.items():
        rows.append({"name": name} | interval.to_dict())
    for record, test in zip(comparison.records(), comparison.tests.values(), strict=True):
        row: Fields = {"name": f"{record['b']} - {record['a']}"} | record
        row["p_not_inferior"] = test.p_not_inferior
        row["p_equivalent"] = test.p_equivalent
        row["method"] = test.interval.method
        row["test"] = test.method
        rows.append(row)
    rows[-1]["verdict"] = comparison.verdict()
    return rows


def _compared_metric(
    options: Namespace, predictions: Predictions
) -> tuple[metrics.Metric, str | None]:
    """Return the metric, and the positive class if the metric has one."""
    classes = _classes(predictions)
    binary = len(classes) <= 2 or options.positive is not None
    metric = metrics.get(options.metric or ("f1" if binary else "macro_f1"))
    if not metric.binary:
        return metric, None
    positive = options.positive
    if positive is None:
        positive = _columns.positive_class(classes)
    if positive not in classes:
        among = f"the positive class among {checks.listing(classes)}"
        got = checks.short(positive)
        raise ValueError(f"{metric.name} needs --positive, {among}; got {got}")
    return metric, positive


def _plan(options: Namespace) -> Answer:
    """Say how many items keep the interval of a score narrow."""
    plan = f1ci.sample_size(
        options.metric or "f1",
        half_width=options.half_width,
        prevalence=options.prevalence,
        confidence_level=options.confidence_level,
    )
    return str(plan), [plan.to_dict()]


# What the commands share


def _read(options: Namespace) -> Predictions:
    """Return the labels in one file or two; a note says which columns were chosen."""
    if len(options.files) > 2:
        raise ValueError(f"give one file or two, got {len(options.files)}")
    named = Named(options.true, options.pred, options.groups, options.on)
    tables = [_files.read(path, options.delimiter, named.names()) for path in options.files]
    if len(tables) == 2:
        table, notes = _joining.joined(tables[0], tables[1], named)
    else:
        table = tables[0]
        notes = []
    predictions = _columns.choose(table, named)
    if not (named.truth and named.models):
        notes.insert(0, _chosen(predictions))
    for note in [*notes, *predictions.notes]:
        warnings.warn(note, IntervalWarning, stacklevel=1)
    return predictions


def _chosen(predictions: Predictions) -> str:
    """Return which columns were chosen: "truth = gold, A = bert, B = svm"."""
    columns = [f"truth = {_tables.label(predictions.truth)}"]
    for letter, name in zip("AB", predictions.models, strict=False):
        columns.append(f"{letter} = {_tables.label(name)}")
    return ", ".join(columns)


def _shape(predictions: Predictions) -> str:
    """Return the numbers of items and of groups in words."""
    items = f"{len(predictions.labels[0]):,} items"
    if predictions.groups is None:
        return items
    return f"{items} in {len(set(predictions.groups)):,} groups"


def _given(options: Namespace, *names: str) -> Fields:
    """Return the options that were given, by name."""
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _known_shares(options: Namespace) -> Fields:
    """Return the known shares of the true classes, if they were given."""
    if options.class_shares is None:
        return {}
    return {"class_shares": dict(map(_share, options.class_shares))}


def _share(text: str) -> tuple[str, float]:
    """Return the label and the number of "spam=0.02"."""
    label, equals, share = text.rpartition("=")
    try:
        return label, float(share if equals else "")
    except ValueError:
        rule = "--class-shares takes LABEL=SHARE, such as spam=0.02 ham=0.98"
        raise ValueError(f"{rule}, got {checks.short(text)}") from None


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
    _add_counts(commands.add_parser("counts", help=_counts.__doc__, description=_counts.__doc__))
    _add_report(commands.add_parser("report", help=_report.__doc__, description=_report.__doc__))
    _add_compare(
        commands.add_parser("compare", help=_compare.__doc__, description=_compare.__doc__)
    )
    _add_plan(commands.add_parser("plan", help=_plan.__doc__, description=_plan.__doc__))
    return commands


def _add_counts(parser: ArgumentParser) -> None:
    parser.set_defaults(run=_counts)
    parser.epilog = "example: f1ci counts 77 44 10"
    parser.add_argument("tp", type=int, help="true positives")
    parser.add_argument("fp", type=int, help="false positives")
    parser.add_argument("fn", type=int, help="false negatives")
    parser.add_argument("tn", type=int, nargs="?", help="true negatives, for metrics with them")
    _add_metric(parser)
    _add_method(parser)
    parser.add_argument("--alternative", default="two-sided", help="greater or less: one limit")
    _add_common(parser)


def _add_report(parser: ArgumentParser) -> None:
    parser.set_defaults(run=_report)
    parser.epilog = "example: f1ci report predictions.csv --true gold --pred bert"
    _add_files(parser)
    parser.add_argument("--pred", nargs=1, default=(), metavar="COLUMN", help="predicted labels")
    _add_classes(parser)
    _add_method(parser)
    _add_common(parser)


def _add_compare(parser: ArgumentParser) -> None:
    parser.set_defaults(run=_compare)
    parser.epilog = "example: f1ci compare predictions.csv --true gold --pred bert svm"
    _add_files(parser)
    parser.add_argument(
        "--pred", nargs="+", default=(), metavar="COLUMN", help="predicted labels of each model"
    )
    _add_metric(parser)
    parser.add_argument("--positive", metavar="LABEL", help="the positive class")
    parser.add_argument(
        "--margin", type=float, default=0.0, help="a difference that does not matter"
    )
    _add_classes(parser)
    _add_method(parser)
    _add_common(parser)


def _add_plan(parser: ArgumentParser) -> None:
    parser.set_defaults(run=_plan)
    parser.epilog = "example: f1ci plan --metric f0.5 --half-width 0.02 --prevalence 0.615"
    _add_metric(parser)
    parser.add_argument(
        "--half-width", type=float, required=True, help="half the length of the interval"
    )
    parser.add_argument("--prevalence", type=float, help="share of truly positive items")
    _add_common(parser)


def _add_files(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="one file, or two; - is standard input"
    )
    parser.add_argument("--true", default="", metavar="COLUMN", help="true labels")
    parser.add_argument(
        "--groups", default="", metavar="COLUMN", help="document, image or user of the item"
    )
    parser.add_argument(
        "--on", default="", metavar="COLUMN", help="the column that names the items in both files"
    )
    parser.add_argument("--delimiter", metavar="CHARACTER", help="between columns")


def _add_classes(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--labels", nargs="+", metavar="LABEL", help="the classes in their order, or some"
    )
    parser.add_argument(
        "--zero-division",
        type=float,
        metavar="0, 1 or nan",
        help="the score of a class without items",
    )
    parser.add_argument(
        "--class-shares",
        nargs="+",
        action="extend",
        metavar="LABEL=SHARE",
        help="how frequent the true classes are where the score is wanted; the shares sum to 1 "
        "(for a label with a hyphen in front --class-shares=-1=0.98 --class-shares=1=0.02)",
    )


def _add_metric(parser: ArgumentParser) -> None:
    parser.add_argument("--metric", metavar="NAME", help="f1 by default; f2, recall, macro_f1, ...")


def _add_method(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--method", metavar="NAME", help="score by default; also cautious, logit, delta, ..."
    )


def _add_common(parser: ArgumentParser) -> None:
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="LEVEL")
    parser.add_argument("--json", action="store_true", help="print json")
