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
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import f1ci
from f1ci import _files, _pasted, _tables, _validation, metrics, planning
from f1ci.methods import METHODS, names
from f1ci.results import Interval, IntervalWarning

__all__ = ["helps", "main", "parser"]

# What a positive label is called most often.
_POSITIVE = ("1", "true", "True", "TRUE", "yes", "pos", "positive")

Row = dict[str, Any]


class Answer(NamedTuple):
    """What a command prints, and the same in rows for programs."""

    text: str
    rows: list[Row]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code: 0, or 2 after bad input."""
    said = ""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IntervalWarning)
            options = parser().parse_args(arguments)
            answer = options.run(options)
        _write(answer, options.form)
        notes = dict.fromkeys(str(warning.message) for warning in caught)
        said = "".join(f"f1ci: note: {note}\n" for note in notes)
        code = 0
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = error.filename or "standard output"
        said, code = f"f1ci: {where}: {(error.strerror or str(error)).lower()}\n", 2
    except (ValueError, TypeError) as error:  # what validation raises
        said, code = f"f1ci: {error}\n", 2
    except KeyboardInterrupt:
        return 130
    if sys.stderr is not None:
        sys.stderr.write(said)
    return code


# Commands


def _counts(options: Any) -> Answer:
    """Print intervals from the counts of one model."""
    for name in ("tp", "fp", "fn"):
        _validation.counts(name, getattr(options, name))
    counts = [[options.tn or 0, options.fp], [options.fn, options.tp]]
    asked = [metrics.precision, metrics.recall, _metric("f1", options.beta)]
    asked += [] if options.tn is None else [metrics.accuracy]
    # A method for F1 alone has nothing to say of the others.
    fitting = [metric for metric in asked if options.method in (None, *names(metric))]
    of = {name: getattr(options, name) for name in ("method", "confidence_level", "alternative")}
    intervals = [f1ci.metric_interval(counts, metric, **of) for metric in fitting or asked[2:3]]
    rows = _rows({interval.metric: interval for interval in intervals})
    return Answer("\n".join(map(str, intervals)), rows)


def _report(options: Any) -> Answer:
    """Print precision, recall and F1 of every class, each with its interval."""
    table = _files.columns(options, [options.true, options.pred])
    groups = table.pop(options.groups, None)
    report = f1ci.classification_report(
        *table.values(),
        groups=groups,
        labels=options.labels or _files.in_order(itertools.chain(*table.values())),
        method=options.method,
        confidence_level=options.confidence_level,
    )
    return _reported(report, f"{_shape(len(table[options.true]), groups)}, ")


def _matrix(options: Any) -> Answer:
    """Print the same report from a confusion matrix; rows are true classes."""
    with _files.opened(options.file) as stream:
        matrix, classes, notes = _pasted.read_matrix(stream.read(_files.LONGEST_LINE))
    report = f1ci.matrix_report(
        matrix, classes, method=options.method, confidence_level=options.confidence_level
    )
    for note in notes:
        warnings.warn(note, IntervalWarning, stacklevel=1)
    return _reported(report, f"{matrix.sum():,} items, ")


def _reported(report: f1ci.ClassificationReport, shape: str) -> Answer:
    of = {"method": report.method, "confidence_level": report.confidence_level}
    text = f"{shape}{len(report.classes)} classes\n\n{report}"
    return Answer(text, [row | of for row in report.records()])


def _compare(options: Any) -> Answer:
    """Say which of two or more models is better on the same items."""
    y_true, named, groups = _files.models(options)
    predictions = {_tables.label(name): labels for name, labels in named.items()}
    classes = _files.in_order(itertools.chain(y_true, *predictions.values()))
    metric, positive = _compared_metric(options, classes)
    of_class = f" of {_tables.label(positive)}" if metric.binary else ""
    shared: Row = {"groups": groups, "confidence_level": options.confidence_level}
    if metric.binary:
        shared["pos_label"] = positive
        y_true = _files.one_against_rest(y_true, positive)
        predictions = {a: _files.one_against_rest(y, positive) for a, y in predictions.items()}
    comparison = f1ci.compare_models(
        y_true, predictions, metric, margin=options.margin, rng=0, **shared
    )
    (a, b), test = next(iter(comparison.tests.items()))
    verdict, more = comparison.verdict(), None
    only_a, only_b = test.discordant
    below = f"only {a} is right on {only_a:,} items, only {b} on {only_b:,}\n"
    if len(predictions) > 2:
        below = ""
    elif "not distinguished" in verdict and test.estimate:
        size, power = abs(test.estimate), options.power
        plan = planning.pilot_sample_size(
            y_true,
            predictions[a],
            predictions[b],
            metric,
            difference=size,
            power=power,
            **shared,
        )
        more = max(1, plan.items - (len(y_true) if groups is None else len(set(groups))))
        scale = 10 ** max(0, len(str(more)) - 2)  # two digits are enough
        verdict += (
            f": about {round(more / scale) * scale:,} more "
            f"{'items' if groups is None else 'groups'} would be needed to find a difference "
            f"of {size:.2g} with a power of {_tables.percent(power)}"
        )
    head, rows, _ = comparison._table()
    text = (
        f"{_shape(len(y_true), groups)}, {metric.name}{of_class}, "
        f"method {test.interval.method}, test {test.method}\n\n"
        f"{_tables.as_text(head, rows)}\n\n{below}{verdict}"
    )
    of_pairs = [
        {"name": f"{b} - {a}"} | record | {"p_not_inferior": test.p_not_inferior}
        | {"p_equivalent": test.p_equivalent, "method": test.interval.method, "test": test.method}
        for record, ((a, b), test) in zip(
            comparison.records(), comparison.tests.items(), strict=True
        )
    ]  # fmt: skip
    of_pairs[-1] |= {"verdict": verdict, "more_needed": more}
    return Answer(text, [*_rows(comparison.intervals), *of_pairs])


def _plan(options: Any) -> Answer:
    """Say how many items are needed, for one score or to find a difference of two models."""
    metric = _metric(options.metric or "f1", options.beta)
    of_one = ("half_width", "standard_error")
    of_two = ("difference", "disagreement", "score")
    asked = {name: getattr(options, name) for name in (*of_one, *of_two, "prevalence")}
    asked = {name: value for name, value in asked.items() if value is not None}
    asked["confidence_level"] = options.confidence_level
    if "difference" in asked:
        if missing := [name for name in (*of_two, "prevalence") if name not in asked]:
            raise ValueError(f"--difference also needs --{', --'.join(missing)}")
        plan: Any = f1ci.comparison_sample_size(metric, power=options.power, **asked)
    else:
        plan = f1ci.sample_size(metric, **asked)
    return Answer(str(plan), [dataclasses.asdict(plan)])


# The parser


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    return _parsers()["f1ci"]


def helps() -> dict[str, str]:
    """Return the help of the command line and of each command, by how it is called."""
    return {name: each.format_help() for name, each in _parsers().items()}


def _parsers() -> dict[str, argparse.ArgumentParser]:
    top = _Parser(
        prog="f1ci",
        description="How sure can we be of an F score? Intervals, reports, comparisons, plans.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"f1ci {f1ci.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    parsers: dict[str, argparse.ArgumentParser] = {"f1ci": top}
    examples = []

    def command(run: Any, example: str, metric: metrics.Metric | None) -> argparse.ArgumentParser:
        known = [name for name in (names(metric) if metric else []) if name in METHODS]
        methods = [f"  {name:14}{METHODS[name].summary}" for name in known]
        new: argparse.ArgumentParser = commands.add_parser(
            run.__name__.strip("_"),
            help=run.__doc__,
            description=run.__doc__,
            epilog="\n".join([*(["methods:"] if methods else []), *methods, f"example: {example}"]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        new.set_defaults(form="text", run=run)
        if methods:
            new.add_argument("--method", metavar="NAME", help="see below; score by default")
        new.add_argument("--confidence-level", type=float, default=0.95, metavar="LEVEL")
        for form in ("json", "csv"):
            new.add_argument(
                f"--{form}", dest="form", action="store_const", const=form, help=f"print {form}"
            )
        parsers[new.prog] = new
        examples.append(example)
        return new

    new = command(_counts, "f1ci counts 77 44 10", metrics.f1)
    for name, meaning in (("tp", "true positives"), ("fp", "false positives")):
        new.add_argument(name, type=int, help=meaning)
    new.add_argument("fn", type=int, help="false negatives")
    new.add_argument("tn", type=int, nargs="?", help="true negatives, for the accuracy only")
    new.add_argument("--beta", type=float, help="F-beta instead of F1")
    new.add_argument("--alternative", default="two-sided", help="two-sided, or one: greater, less")

    new = command(_report, "f1ci report labels.csv --true y --pred model_a", metrics.macro_f1)
    _file(new)
    new.add_argument("--pred", required=True, metavar="COLUMN", help="predicted labels")
    new.add_argument("--labels", nargs="+", metavar="LABEL", help="the classes, in their order")

    new = command(_matrix, "f1ci matrix matrix.txt", metrics.macro_f1)
    new.add_argument("file", help="a matrix as any program prints it; - reads standard input")

    new = command(_compare, "f1ci compare labels.csv --true y --pred model_a model_b", None)
    _file(new)
    new.add_argument("file_b", nargs="?", help="a second file, with the predictions of model B")
    new.add_argument("--on", metavar="COLUMN", help="the column that joins the two files")
    new.add_argument(
        "--pred", required=True, nargs="+", metavar="COLUMN",
        help="columns of predicted labels, one for each model; one name serves two files",
    )  # fmt: skip
    new.add_argument("--metric", metavar="NAME", help="f1 by default; recall, macro_f1, ...")
    new.add_argument("--beta", type=float, help="F-beta instead of F1")
    new.add_argument("--positive", metavar="LABEL", help="the positive class")
    new.add_argument("--margin", type=float, default=0.0, help="a difference that does not matter")
    new.add_argument("--power", type=float, default=planning.POWER, help="of a further test set")
    examples.append("f1ci compare a.csv b.csv --on id --true y --pred p")

    new = command(_plan, "f1ci plan --beta 0.5 --half-width 0.02 --prevalence 0.615", None)
    new.add_argument("--metric", metavar="NAME", help="f1 by default; precision, recall, ...")
    new.add_argument("--beta", type=float, help="F-beta instead of F1")
    new.add_argument("--half-width", type=float, help="half the length of the interval")
    new.add_argument("--standard-error", type=float, help="or the standard error")
    new.add_argument("--prevalence", type=float, help="share of truly positive items")
    new.add_argument("--difference", type=float, help="or a difference of two models to find")
    new.add_argument(
        "--disagreement", type=float, nargs=2, metavar=("POS", "NEG"),
        help="shares of items, by class, that only one model gets right",
    )  # fmt: skip
    new.add_argument("--score", type=float, help="what both models score, about")
    new.add_argument("--power", type=float, default=planning.POWER, help="to find the difference")
    examples.append(
        "f1ci plan --difference 0.03 --disagreement 0.05 0.05 --score 0.8 --prevalence 0.3"
    )
    shown = "\n  ".join([*examples, "cat labels.csv | f1ci report - --true y --pred a --json"])
    top.epilog = (
        f"examples:\n  {shown}\n\n"
        "Files have a header line, and commas, semicolons, tabs or bars between columns; they may\n"
        "be compressed by gzip. `f1ci COMMAND --help` explains a command.\n"
        "The exit code is 0, or 2 after bad input."
    )
    return parsers


def _file(new: argparse.ArgumentParser) -> None:
    new.add_argument("file", help="a file with a header line; - reads standard input")
    new.add_argument("--true", required=True, metavar="COLUMN", help="true labels")
    new.add_argument("--groups", metavar="COLUMN", help="document, image or user of the item")
    new.add_argument("--delimiter", metavar="CHARACTER", help="between columns")


# What the commands share


def _metric(name: str, beta: float | None) -> metrics.Metric:
    if beta is None:
        return metrics.get(name)
    if name == "f1":
        return metrics.fbeta(beta)
    if not name.endswith("_f1"):
        raise ValueError(f"--beta goes with F scores, got --beta {beta:g} --metric {name}")
    return metrics.averaged(name.removesuffix("_f1"), beta)


def _compared_metric(options: Any, classes: Sequence[str]) -> tuple[metrics.Metric, str]:
    """Return the metric and the positive class."""
    name = options.metric or ("f1" if len(classes) <= 2 or options.positive else "macro_f1")
    metric = _metric(name, options.beta)
    if not metric.binary:
        return metric, ""
    wanted = _POSITIVE if options.positive is None else (options.positive,)
    positive = [label for label in classes if label in wanted]
    if len(positive) != 1 or (options.positive is None and len(classes) > 2):
        known = _validation.first_few([_tables.label(label)[:40] for label in classes], 6)
        got = "nothing" if options.positive is None else _validation.short(options.positive)
        raise ValueError(f"{name} needs --positive, the positive class among {known}; got {got}")
    return metric, positive[0]


def _rows(intervals: Mapping[str, Interval]) -> list[Row]:
    fields = ("metric", "estimate", "low", "high", "standard_error", "method", "confidence_level")
    return [{"name": name} | {f: getattr(x, f) for f in fields} for name, x in intervals.items()]


def _shape(items: int, groups: Any) -> str:
    return f"{items:,} items" + ("" if groups is None else f" in {len(set(groups)):,} groups")


def _write(answer: Answer, form: str) -> None:
    out: Any = sys.stdout
    if out is None:
        raise OSError("it is closed")
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # a terminal may lack letters
    if form == "text":
        out.write(answer.text + "\n")
    elif form == "json":
        rows = [{key: _finite(value) for key, value in row.items()} for row in answer.rows]
        out.write(json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        writer = csv.DictWriter(
            out, list(dict.fromkeys(key for row in answer.rows for key in row)), lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows({key: _as_cell(v) for key, v in row.items()} for row in answer.rows)
    out.flush()


def _as_cell(value: Any) -> Any:
    """Return a cell that a spreadsheet does not take for a formula."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"'{value}" if formula else value


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
