"""The command line: `f1ci` and `python -m f1ci`.

Each command reads its files, asks the public functions of f1ci and prints what they return. What is
wrong with a file is said in one sentence with line and column.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import gzip
import io
import itertools
import json
import math
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple, NoReturn

import f1ci
from f1ci import _pasted, _tables, _validation, metrics, planning
from f1ci.methods import METHODS, names
from f1ci.results import Interval, IntervalWarning, p_value

__all__ = ["helps", "main", "parser"]

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

# A longer line is no line of a table.
_LONGEST_LINE = 1 << 20

_MISSING = {"", "na", "nan", "none", "null", "<na>"}

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
    counts = [[options.tn or 0, options.fp], [options.fn, options.tp]]
    asked = [metrics.precision, metrics.recall, _metric("f1", options.beta)]
    asked += [] if options.tn is None else [metrics.accuracy]
    # A method for F1 alone has nothing to say of the others.
    fitting = [metric for metric in asked if options.method in (None, *names(metric))]
    of = {"method": options.method, "confidence_level": options.confidence_level}
    intervals = [f1ci.metric_interval(counts, metric, **of) for metric in fitting or asked[2:3]]
    rows = _rows({interval.metric: interval for interval in intervals})
    return Answer("\n".join(map(str, intervals)), rows)


def _report(options: Any) -> Answer:
    """Print precision, recall and F1 of every class, each with its interval."""
    table = _labels(options, [options.true, options.pred])
    groups = table.pop(options.groups, None)
    report = f1ci.classification_report(
        *table.values(),
        groups=groups,
        labels=options.labels,
        method=options.method,
        confidence_level=options.confidence_level,
    )
    return _reported(report, f"{_shape(len(table[options.true]), groups)}, ")


def _matrix(options: Any) -> Answer:
    """Print the same report from a confusion matrix; rows are true classes."""
    with _opened(options.file) as stream:
        matrix, classes, notes = _pasted.read_matrix(stream.read(_LONGEST_LINE))
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
    """Say whether model B is better than model A on the same items."""
    y_true, y_a, y_b, groups, (a, b) = _two_models(options)
    classes = sorted({*y_true, *y_a, *y_b})
    metric, positive = _compared_metric(options, classes)
    of_class = f" of {_tables.label(positive)}" if metric.binary else ""
    if metric.binary:
        y_true, y_a, y_b = ([x == positive for x in y] for y in (y_true, y_a, y_b))
    shared: Row = {"groups": groups, "confidence_level": options.confidence_level}
    test = f1ci.difference_test(
        y_true, y_a, y_b, metric, margin=options.margin, rng=0, pos_label=True, **shared
    )
    level = test.interval.confidence_level
    of = {"metric": metric, "method": options.method, "pos_label": True} | shared
    interval = f1ci.difference_interval(y_true, y_a, y_b, **of)
    single = {name: _single(y_true, y, metric, groups, level) for name, y in ((a, y_a), (b, y_b))}
    intervals = single | {f"{b} - {a}": interval}
    verdict, more = test.verdict(a, b), None
    if "not distinguished" in verdict and test.estimate:
        size, power = abs(test.estimate), options.power
        plan = planning.pilot_sample_size(
            y_true, y_a, y_b, metric, difference=size, power=power, pos_label=True, **shared
        )
        more = max(1, plan.items - (len(y_true) if groups is None else len(set(groups))))
        scale = 10 ** max(0, len(str(more)) - 2)  # two digits are enough
        verdict += (
            f": about {round(more / scale) * scale:,} more "
            f"{'items' if groups is None else 'groups'} would be needed to find a difference "
            f"of {size:.2g} with a power of {_tables.percent(power)}"
        )
    only_a, only_b = test.discordant
    text = (
        f"{_shape(len(y_true), groups)}, {metric.name}{of_class}, method {interval.method}\n\n"
        f"{_text(intervals)}\n\nonly {a} is right on {only_a:,} items, only {b} on {only_b:,}\n"
        f"p-value of no difference ({test.method}): {p_value(test.p_value)}\n\n{verdict}"
    )
    rows = _rows(intervals)
    rows[-1] |= {name: getattr(test, name) for name in ("p_value", "p_not_inferior")}
    rows[-1] |= {"p_equivalent": test.p_equivalent, "test": test.method}
    return Answer(text, [*rows[:-1], rows[-1] | {"verdict": verdict, "more_needed": more}])


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
    parsers = {"f1ci": top}
    examples = []

    def command(run: Any, example: str, metric: metrics.Metric | None) -> argparse.ArgumentParser:
        known = names(metric) if metric else []
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

    new = command(_report, "f1ci report labels.csv --true y --pred model_a", metrics.macro_f1)
    _file(new)
    new.add_argument("--pred", required=True, metavar="COLUMN", help="predicted labels")
    new.add_argument("--labels", nargs="+", metavar="LABEL", help="the classes, in their order")

    new = command(_matrix, "f1ci matrix matrix.txt", metrics.macro_f1)
    new.add_argument("file", help="a matrix as any program prints it; - reads standard input")

    new = command(
        _compare, "f1ci compare labels.csv --true y --pred model_a model_b", metrics.f1
    )
    _file(new)
    new.add_argument("file_b", nargs="?", help="a second file, with the predictions of model B")
    new.add_argument("--on", metavar="COLUMN", help="the column that joins the two files")
    new.add_argument(
        "--pred", required=True, nargs="+", metavar="COLUMN",
        help="columns of the labels that A and B predict; one name serves two files",
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
    new.add_argument("--delimiter", metavar="CHARACTER", help="between columns, if it is guessed wrong")


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


def _single(
    y_true: Any, y_pred: Any, metric: metrics.Metric, groups: Any, level: float
) -> Interval:
    """Return the interval of one of two models."""
    if groups is None:
        matrix = f1ci.confusion_matrix(y_true, y_pred)
        return f1ci.metric_interval(matrix, metric, confidence_level=level)
    joint = f1ci.joint_intervals(
        y_true, {"": y_pred}, [metric], groups=groups, pos_label=True, confidence_level=level
    )
    return joint["", metric.name]


def _rows(intervals: Mapping[str, Interval]) -> list[Row]:
    fields = ("metric", "estimate", "low", "high", "standard_error", "method", "confidence_level")
    return [{"name": name} | {f: getattr(x, f) for f in fields} for name, x in intervals.items()]


def _text(intervals: Mapping[str, Interval]) -> str:
    """Return a table of intervals of one metric."""
    digits = _tables.decimals([x.length for x in intervals.values()])
    rows = []
    for name, x in intervals.items():
        estimate, low, high = (f"{number:.{digits}f}" for number in (x.estimate, *x))
        rows.append([_tables.label(name), estimate, f"{low} to {high}"])
    first = next(iter(intervals.values()))
    head = ["", first.metric, f"{_tables.percent(first.confidence_level)} CI"]
    return _tables.as_text(head, rows)


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
        # A spreadsheet computes cells that begin like a formula; an apostrophe makes them text.
        writer.writerows(
            {k: f"'{v}" if isinstance(v, str) and v[:1] in "=+-@\t" and v else v for k, v in row.items()}
            for row in answer.rows
        )
    out.flush()


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Files


def _two_models(options: Any) -> tuple[list[str], list[str], list[str], Any, list[str]]:
    """Return truth, two predictions, groups and the two models' names, from one file or two."""
    pred, extra = options.pred, [options.groups] if options.groups else []
    if options.file_b is None:
        if len(pred) != 2 or options.on is not None:
            raise ValueError(f"one file needs --pred A B and no --on, got --pred {' '.join(pred)}")
        table = _labels(options, [options.true, *pred])
        groups = table.pop(options.groups, None)
        y_true, a, b = table[options.true], table[pred[0]], table[pred[1]]
        return y_true, a, b, groups, pred
    if options.on is None or len(pred) > 2:
        raise ValueError("two files need --on COLUMN and --pred with one name or two")
    rows = []
    for path, column in ((options.file, pred[0]), (options.file_b, pred[-1])):
        first = path == options.file
        wanted = [options.on, column, *([options.true, *extra] if first else [])]
        rows.append({})
        for line, cells in _records(path, wanted, options.delimiter):
            if cells[0] in rows[-1]:
                raise ValueError(
                    f"{_at(path, line, options.on)}: {_validation.short(cells[0])} comes twice"
                )
            _refuse_missing(path, line, wanted[: 3 if first else 2], cells)
            rows[-1][cells[0]] = cells[1:]
    both = [key for key in rows[0] if key in rows[1]]
    if not both:
        raise ValueError(f"no {options.on} of {options.file} occurs in {options.file_b}")
    for path, mine in zip((options.file, options.file_b), rows, strict=True):
        if alone := len(mine) - len(both):
            text = f"{alone:,} rows of {path} have no partner in the other file and are left out"
            warnings.warn(text, IntervalWarning, stacklevel=1)
    columns = [[rows[0][key][1] for key in both], *([row[key][0] for key in both] for row in rows)]
    y_true, y_a, y_b = _alike(dict(enumerate(columns))).values()
    groups = [rows[0][key][2] for key in both] if extra else None
    called = [options.file, options.file_b] if len(set(pred)) == 1 else pred
    return y_true, y_a, y_b, groups, called


def _labels(options: Any, columns: list[str]) -> dict[str, list[str]]:
    """Return the columns of a file, and its groups if they are asked for."""
    wanted = [*columns, options.groups] if options.groups else columns
    rows = []
    seen: dict[str, str] = {}  # each label is kept once
    for line, cells in _records(options.file, wanted, options.delimiter):
        _refuse_missing(options.file, line, wanted, cells)
        rows.append([seen.setdefault(cell, cell) for cell in cells])
    if not rows:
        raise ValueError(f"{_name(options.file)}: no rows below the header")
    table = {name: list(column) for name, column in zip(wanted, zip(*rows, strict=True), strict=True)}
    groups = {name: table.pop(name) for name in wanted[len(columns) :]}
    distinct = set().union(*table.values())
    if len(distinct) > _MOST_LABELS:
        raise ValueError(
            f"{_name(options.file)}: {len(distinct):,} different labels, "
            f"{_validation.short(rows[0][0])} among them; are these scores or identifiers?"
        )
    return _alike(table) | groups


def _alike(table: dict[Any, list[str]]) -> dict[Any, list[str]]:
    """Return labels in which 1.0 and 1, and True and true, are one label."""
    labels = set().union(*table.values())
    spelled: dict[str, str] = {}
    if {label.casefold() for label in labels} <= {"true", "false"}:
        spelled = {label: label.casefold() for label in labels}
    elif all(label.removeprefix("-").replace(".", "", 1).isdecimal() for label in labels):
        if all(float(label).is_integer() for label in labels):
            spelled = {label: str(int(float(label))) for label in labels}
    if len(set(spelled.values())) == len(labels) or not spelled:
        return table
    examples = ", ".join(f"{x} as {y}" for x, y in sorted(spelled.items()) if x != y)
    warnings.warn(f"labels are read {examples}", IntervalWarning, stacklevel=1)
    return {name: [spelled[label] for label in column] for name, column in table.items()}


def _refuse_missing(path: str, line: int, columns: Sequence[str], cells: Sequence[str]) -> None:
    for column, cell in zip(columns, cells, strict=False):
        if cell.casefold() in _MISSING:
            where, got = _at(path, line, column), _validation.short(cell)
            raise ValueError(f"{where}: the label is missing, got {got}")
        if not cell.isascii() and any("\udc80" <= c <= "\udcff" for c in cell):
            raise ValueError(f"{_at(path, line, column)}: not UTF-8 text, got {cell[:80]!r}")


def _opened(path: str) -> IO[str]:
    """Return a file of text: UTF-8 or UTF-16, compressed by gzip or not."""
    if path == "-" and sys.stdin is None:
        raise OSError(None, "it is closed", "standard input")
    binary: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: PTH123, SIM115
    if binary.peek(2)[:2] == b"\x1f\x8b":
        binary = io.BufferedReader(gzip.GzipFile(fileobj=binary))
    wide = binary.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
    # What is no UTF-8 passes here, and is refused where it is a label.
    encoding = "utf-16" if wide else "utf-8-sig"
    return io.TextIOWrapper(binary, encoding, errors="surrogateescape", newline="")


def _lines(stream: IO[str], path: str) -> Iterator[str]:
    while line := stream.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise ValueError(f"{_name(path)}: a line of more than {_LONGEST_LINE:,} characters")
        yield line


def _records(
    path: str, columns: Sequence[str], delimiter: str | None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of these columns, row by row."""
    with _opened(path) as stream:
        lines = _lines(stream, path)
        head = next(lines, "")
        if delimiter is None:  # one inside quotes separates nothing
            delimiter = max(",;\t|", key=lambda d: len(next(csv.reader([head], delimiter=d), [])))
        elif len(delimiter) != 1:
            raise ValueError(f"--delimiter must be one character, got {delimiter!r}")
        reader = csv.reader(
            itertools.chain([head], lines), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        try:
            header = [name.strip() for name in next(reader, [])]
            for column in columns:
                if header.count(column) != 1:
                    got = _validation.short(header)
                    raise ValueError(
                        f"{_at(path, 1)}: wanted is one column {column!r}, got the columns {got}"
                    )
            places = [header.index(column) for column in columns]
            for row in reader:
                if len(row) == len(header):
                    yield reader.line_num, [row[place].strip() for place in places]
                elif row:
                    raise ValueError(
                        f"{_at(path, reader.line_num)}, column {min(len(row), len(header))}: the "
                        f"header has {len(header)} columns, got {len(row)}"
                    )
        except csv.Error as error:
            raise ValueError(f"{_at(path, reader.line_num)}: {error}") from None


def _at(path: str, line: int, column: str | None = None) -> str:
    """Return a place in a file."""
    where = f"{_name(path)}, line {line}"
    return where if column is None else f"{where}, column {column!r}"


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
