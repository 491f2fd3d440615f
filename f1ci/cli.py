"""The command line: `f1ci` and `python -m f1ci`.

Files of labels are read row by row and only counted, so that memory depends on how many labels
and groups differ, not on how many rows there are. What is wrong with a file is said in a
sentence with line and column.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import functools
import io
import itertools
import json
import math
import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TextIO

import numpy as np

import f1ci
from f1ci import metrics, planning, report, tables, validation
from f1ci.intervals import labels_interval
from f1ci.methods import METHODS, names
from f1ci.results import Interval, IntervalWarning, p_value

__all__ = ["helps", "main", "parser"]

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

# What a positive label is called most often.
_POSITIVE = ("1", "true", "True", "TRUE", "yes", "pos", "positive")

_EXAMPLES = """\
examples:
  f1ci counts 77 44 10
  f1ci report labels.csv --true y --pred model_a
  f1ci compare labels.csv --true y --pred model_a model_b --groups document
  f1ci plan --beta 0.5 --half-width 0.02 --prevalence 0.615
  f1ci plan --difference 0.03 --disagreement 0.05 0.05 --score 0.8 --prevalence 0.3
  f1ci bayes folds.csv
  zcat labels.csv.gz | f1ci report - --true y --pred model_a --json

Files are comma, semicolon or tab separated, with a header line. `f1ci COMMAND --help` explains
the options of a command. Exit codes: 0, or 2 if something is wrong with the input."""

Row = dict[str, Any]


class Answer(NamedTuple):
    """What a command says, and the same in rows for machines."""

    text: str
    rows: list[Row]


class InputError(ValueError):
    """What is wrong with a file, in a sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IntervalWarning)
            options = parser().parse_args(arguments)
            answer: Answer = options.run(options)
        _write(answer, options.format)
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            sys.stderr.write(f"f1ci: note: {message}\n")
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, OverflowError) as error:  # every bad argument raises one
        sys.stderr.write(f"f1ci: {error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"f1ci: {error.filename}: {(error.strerror or str(error)).lower()}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser, which also documents the command line."""
    top = _Parser(
        prog="f1ci",
        description="How sure can one be of an F score? Intervals, reports, comparisons, plans.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"f1ci {f1ci.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    def command(name: str, run: Callable[[Any], Answer], text: str, example: str) -> Any:
        known = "\n".join(f"  {each.name:14}{each.summary}" for each in METHODS.values())
        shown = f"\nmethods:\n{known}\n" if name in ("counts", "report") else ""
        new = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"example: {example}\n{shown}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        new.set_defaults(run=run, format="text")
        new.add_argument(
            "--confidence-level", type=float, default=0.95, metavar="LEVEL", help="0.95 by default"
        )
        for form in ("json", "csv"):
            new.add_argument(
                f"--{form}",
                dest="format",
                action="store_const",
                const=form,
                help=f"print {form.upper()}",
            )
        return new

    def of_file(new: Any, models: int | None) -> None:
        new.add_argument("file", help="a file of labels with a header line; - reads standard input")
        new.add_argument("--true", required=True, metavar="COLUMN", help="the true labels")
        many = {"nargs": models, "metavar": ("A", "B")} if models else {"metavar": "COLUMN"}
        new.add_argument("--pred", required=True, help="the predicted labels", **many)
        new.add_argument("--groups", metavar="COLUMN", help="document, image or user of each item")

    def of_metric(new: Any, known: Sequence[str], default: str | None = None) -> None:
        text = f"one of {', '.join(known)}"
        new.add_argument("--metric", choices=known, default=default, metavar="NAME", help=text)
        new.add_argument("--beta", type=float, metavar="BETA", help="F-beta in the place of F1")

    one = command("counts", _counts, "intervals from counts of one model", "f1ci counts 77 44 10")
    for name, text in (("tp", "true positives"), ("fp", "false positives"), ("fn", "misses")):
        one.add_argument(name, type=int, help=text)
    one.add_argument("tn", type=int, nargs="?", help="true negatives, for the accuracy only")
    one.add_argument("--beta", type=float, help="F-beta in the place of F1")

    new = command(
        "report",
        _report,
        "precision, recall and F1 of every class, each with its interval",
        "f1ci report labels.csv --true y --pred model_a",
    )
    of_file(new, None)

    new = command(
        "compare",
        _compare,
        "is model B better than model A on the same items?",
        "f1ci compare labels.csv --true y --pred model_a model_b",
    )
    of_file(new, 2)
    of_metric(new, list(metrics.METRICS))
    new.add_argument("--positive", metavar="LABEL", help="the positive class, of two")
    new.add_argument("--margin", type=float, default=0.0, help="a difference that does not matter")
    new.add_argument("--power", type=float, default=0.8, help="of the plan for more items")
    for name in ("counts", "report"):
        of_method = commands.choices[name]
        of_method.add_argument("--method", metavar="NAME", help="score by default; see below")

    new = command(
        "plan",
        _plan,
        "how many items are needed?",
        "f1ci plan --beta 0.5 --half-width 0.02 --prevalence 0.615",
    )
    of_metric(new, ["f1", "recall", "jaccard"], "f1")
    new.add_argument("--half-width", type=float, help="of the interval that is wanted")
    new.add_argument("--standard-error", type=float, help="or its standard error")
    new.add_argument("--prevalence", type=float, help="share of truly positive items")
    new.add_argument("--bound", choices=planning.BOUNDS, default="sharp", help="sharp by default")
    new.add_argument("--difference", type=float, help="or a difference of two models to find")
    new.add_argument(
        "--disagreement",
        type=float,
        nargs=2,
        metavar=("POS", "NEG"),
        help="shares of items, positive and negative, that just one model gets right",
    )
    new.add_argument("--score", type=float, help="what both models score, about")
    new.add_argument("--power", type=float, default=0.8, help="0.8 by default")

    new = command(
        "bayes",
        _bayes,
        "is model B better than A, from counts of a repeated two-fold cross-validation?",
        "f1ci bayes folds.csv\n\nThe file has columns model, tp, fp, fn: for each model two rows "
        "for each repetition,\nin order. The model named first is A.",
    )
    new.add_argument("file", help="a file of counts with a header line; - reads standard input")
    of = ("f1", "precision", "recall")
    new.add_argument(
        "--metric", choices=of, default="f1", metavar="NAME", help=f"one of {', '.join(of)}"
    )
    new.add_argument("--rope", type=float, default=0.0, help="a difference that does not matter")
    return top


def helps() -> dict[str, str]:
    """The help of the command line and of each command, by how it is called, for a page."""
    top = parser()
    commands = next(a.choices for a in top._actions if isinstance(a.choices, dict))
    every = [top, *commands.values()]
    for each in every:  # whatever the width of the terminal is
        each.formatter_class = functools.partial(argparse.RawDescriptionHelpFormatter, width=88)
    return {each.prog: each.format_help() for each in every}


# Commands.


def _counts(options: Any) -> Answer:
    named = {name: getattr(options, name) for name in ("tp", "fp", "fn", "tn")}
    tp, fp, fn, tn = (validation.counts(name, n or 0) for name, n in named.items())
    asked = [metrics.precision, metrics.recall, _metric("f1", options.beta)]
    asked += [] if options.tn is None else [metrics.accuracy]
    fitting = [metric for metric in asked if options.method in (None, *names(metric))]
    found = [
        f1ci.metric_interval(
            [[tn, fp], [fn, tp]],
            metric,
            method=options.method,
            confidence_level=options.confidence_level,
        )
        for metric in fitting or asked[2:3]
    ]
    return Answer("\n".join(map(str, found)), [_row(each.metric, each) for each in found])


def _report(options: Any) -> Answer:
    level = validation.confidence_level(options.confidence_level)
    counted, labels, groups = _count_labels(options, [options.true, options.pred])
    r = len(labels)
    if options.groups is None:
        matrix = np.zeros((r, r), dtype=np.int64)
        for (true, predicted, _), n in counted:
            matrix[true, predicted] += n
        found = report.of_matrix(matrix, labels, options.method, level)
    else:
        table = np.zeros((groups, r, 3))
        for (true, predicted, group), n in counted:
            if true == predicted:
                table[group, true, 0] += n
            else:
                table[group, predicted, 1] += n
                table[group, true, 2] += n
        items = sum(n for _, n in counted)
        found = report.of_units(table, labels, items, True, options.method, level, one_class=True)
    rows = [
        {"name": str(name), "metric": metric}
        | dict(zip(("estimate", "low", "high"), ends, strict=True))
        | {"support": support, "method": found.method, "confidence_level": level}
        for name, parts, support in found.rows()
        for metric, ends in parts.items()
    ]
    return Answer(f"{_shape(found.items, groups)}, {r} classes\n\n{found}", rows)


def _compare(options: Any) -> Answer:
    a, b = options.pred
    counted, labels, groups = _count_labels(options, [options.true, a, b])
    metric, positive = _compared_metric(options, labels)
    keys = np.array([key for key, _ in counted], dtype=np.int32)
    if metric.binary:  # one class against the rest
        keys[:, :3] = keys[:, :3] == positive
    true, by_a, by_b, group = np.repeat(keys, [n for _, n in counted], axis=0).T
    of: dict[str, Any] = {
        "groups": group if groups else None,
        "pos_label": 1,
        "labels": None if metric.binary else range(len(labels)),
    }
    level = options.confidence_level
    test = f1ci.difference_test(
        true, by_a, by_b, metric, margin=options.margin, rng=0, confidence_level=level, **of
    )
    each = [labels_interval(true, by, metric, confidence_level=level, **of) for by in (by_a, by_b)]
    verdict, more = test.verdict(a, b), None
    if "not distinguished" in verdict and test.estimate:
        plan = planning.pilot_sample_size(
            true,
            by_a,
            by_b,
            metric,
            difference=abs(test.estimate),
            power=options.power,
            confidence_level=level,
            **of,
        )
        more = max(1, plan.items - (groups or len(true)))
        verdict += (
            f": about {_rounded(more)} more {'groups' if groups else 'items'} would be needed to "
            f"find a difference of this size with a power of {tables.percent(options.power)}"
        )
    found = dict(zip((a, b, f"{b} - {a}"), (*each, test.interval), strict=True))
    digits = tables.decimals([interval.length for interval in found.values()])
    table = [
        [
            tables.label(name),
            f"{x.estimate:.{digits}f}",
            f"{x.low:.{digits}f} to {x.high:.{digits}f}",
        ]
        for name, x in found.items()
    ]
    of_what = f"{metric.name} of {tables.label(labels[positive])}" if metric.binary else metric.name
    lines = [
        f"{_shape(len(true), groups)}, {of_what}",
        "",
        tables.as_text(["", metric.name, f"{tables.percent(level)} CI"], table),
        "",
        f"only {a} is right on {test.discordant[0]:,} items, only {b} on {test.discordant[1]:,}",
        f"intervals: {test.interval.method}; p-value of no difference ({test.method}): "
        + p_value(test.p_value),
        "",
        verdict,
    ]
    rows = [_row(name, interval) for name, interval in found.items()]
    rows[-1] |= {
        "p_value": test.p_value,
        "p_not_inferior": test.p_not_inferior,
        "p_equivalent": test.p_equivalent,
        "test": test.method,
        "verdict": verdict,
        "more_needed": more,
    }
    return Answer("\n".join(lines), rows)


def _plan(options: Any) -> Answer:
    asked = ["prevalence", "confidence_level"]
    asked += (
        ["half_width", "standard_error", "bound"]
        if options.difference is None
        else ["half_width", "standard_error", "difference", "disagreement", "score", "power"]
    )
    plan = f1ci.sample_size(
        _metric(options.metric, options.beta), **{name: getattr(options, name) for name in asked}
    )
    return Answer(str(plan), [dataclasses.asdict(plan)])


def _bayes(options: Any) -> Answer:
    folds: dict[str, list[list[float]]] = {}
    columns = ("model", "tp", "fp", "fn")
    for line, (model, *cells) in _records(options.file, columns):
        numbers = []
        for column, cell in zip(columns[1:], cells, strict=True):
            try:
                numbers.append(validation.weights(column, float(cell)).item())
            except ValueError:
                where = _at(options.file, line, column)
                raise InputError(f"{where}: a count is wanted, got {cell!r}") from None
        folds.setdefault(model.strip(), []).append(numbers)
    if len(folds) != 2 or len({len(each) for each in folds.values()}) != 1:
        found = ", ".join(f"{len(each)} of {name!r}" for name, each in folds.items()) or "no rows"
        raise InputError(
            f"{_name(options.file)}: wanted are two models with as many rows each, got {found}"
        )
    number = len(next(iter(folds.values())))
    if number % 2:
        raise InputError(
            f"{_name(options.file)}: wanted are two folds of each repetition, got {number} rows of "
            "each model"
        )
    shaped = {name: np.reshape(each, (-1, 2, 3)) for name, each in folds.items()}
    of_a, of_b = shaped.values()
    test = f1ci.bayes_test(of_a, of_b, options.metric, rope=options.rope)
    each = [
        f1ci.posterior(*f1ci.effective_counts(of), options.metric).interval(
            options.confidence_level
        )
        for of in shaped.values()
    ]
    names = [f"{letter} = {name}" for letter, name in zip("AB", shaped, strict=True)]
    lines = [f"{name}: {x}" for name, x in zip(names, each, strict=True)]
    rows = [_row(name, x) for name, x in zip(shaped, each, strict=True)]
    return Answer("\n".join([*lines, "", str(test)]), [*rows, dataclasses.asdict(test)])


# What they share.


def _metric(name: str, beta: float | None) -> metrics.Metric:
    if beta is None:
        return metrics.get(name)
    if name == "f1":
        return metrics.fbeta(beta)
    if not name.endswith("_f1"):
        raise InputError(f"--beta goes with F scores, got --beta {beta:g} --metric {name}")
    return metrics.averaged(name.removesuffix("_f1"), beta)


def _compared_metric(options: Any, labels: Sequence[str]) -> tuple[metrics.Metric, int]:
    """The metric, and the code of the positive class."""
    name = options.metric or ("f1" if len(labels) <= 2 or options.positive else "macro_f1")
    metric = _metric(name, options.beta)
    if not metric.binary:
        return metric, 0
    known = ", ".join(labels[:6]) + ", ..." * (len(labels) > 6)
    if len(labels) > 2 and options.positive is None:
        raise InputError(f"{name} is for two classes, got {len(labels)} ({known}); give --positive")
    wanted = _POSITIVE if options.positive is None else (options.positive,)
    found = [code for code, label in enumerate(labels) if label in wanted]
    if len(found) != 1:
        got = "nothing" if options.positive is None else repr(options.positive)
        raise InputError(f"--positive must name the positive class, one of {known}; got {got}")
    return metric, found[0]


def _row(name: str, interval: Interval) -> Row:
    fields = ("metric", "estimate", "low", "high", "standard_error", "method", "confidence_level")
    return {"name": name} | {field: getattr(interval, field) for field in fields}


def _shape(items: int, groups: int) -> str:
    return f"{items:,} items" + (f" in {groups:,} groups" if groups else "")


def _rounded(n: int) -> str:
    """To two digits, for people."""
    scale = 10 ** max(0, len(str(n)) - 2)
    return f"{round(n / scale) * scale:,}"


def _write(answer: Answer, form: str) -> None:
    out: Any = sys.stdout
    if hasattr(out, "reconfigure"):
        out.reconfigure(errors="backslashreplace")  # a terminal may lack letters
    if form == "text":
        out.write(answer.text + "\n")
    elif form == "json":
        rows = [{key: _finite(value) for key, value in row.items()} for row in answer.rows]
        out.write(json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        fields = dict.fromkeys(key for row in answer.rows for key in row)
        writer = csv.DictWriter(out, list(fields), lineterminator="\n")
        writer.writeheader()
        writer.writerows(answer.rows)
    out.flush()


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Files.


def _count_labels(
    options: Any, columns: list[str]
) -> tuple[list[tuple[tuple[int, ...], int]], list[str], int]:
    """How often each combination of labels, and of the group last, occurs; labels; groups."""
    width = len(columns)
    grouped = options.groups is not None
    wanted = [*columns, options.groups] if grouped else columns
    counts: dict[tuple[str, ...], int] = {}
    distinct: set[str] = set()
    for line, cells in _records(options.file, wanted):
        try:
            counts[cells] += 1
        except KeyError:
            counts[cells] = 1
            for column, cell in zip(wanted, cells, strict=True):
                _check_label(options.file, line, column, cell)
            distinct.update(map(str.strip, cells[:width]))
            if len(distinct) > _MOST_LABELS:
                raise InputError(
                    f"{_at(options.file, line, columns[0])}: more than {_MOST_LABELS:,} different "
                    f"labels, got {cells[0]!r} among them; are these scores or identifiers?"
                ) from None
    if not counts:
        raise InputError(f"{_name(options.file)}: no rows below the header")
    numeric = all(label.removeprefix("-").isdecimal() for label in distinct)
    labels = sorted(distinct, key=int if numeric else None)
    code = {label: place for place, label in enumerate(labels)}
    group: dict[str, int] = {}
    counted = [
        (
            (
                *(code[cell.strip()] for cell in cells[:width]),
                group.setdefault(cells[width].strip(), len(group)) if grouped else 0,
            ),
            n,
        )
        for cells, n in counts.items()
    ]
    return counted, labels, len(group)


def _check_label(path: str, line: int, column: str, cell: str) -> None:
    if not cell.strip():
        raise InputError(f"{_at(path, line, column)}: the label is missing, got {cell!r}")
    try:
        cell.encode()
    except UnicodeEncodeError:
        raise InputError(f"{_at(path, line, column)}: not UTF-8 text, got {cell!r}") from None


def _records(path: str, columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line number and the cells of these columns, row by row."""
    with _opened(path) as stream:
        head = stream.readline()
        reader = csv.reader(
            itertools.chain([head], stream),
            delimiter=max(",;\t", key=head.count),
            skipinitialspace=True,
            strict=True,
        )
        try:
            header = [name.strip() for name in next(reader, [])]
            for column in columns:
                if header.count(column) != 1:
                    raise InputError(
                        f"{_name(path)}, line 1: wanted is one column {column!r}, got the columns "
                        f"{validation.short(header)}"
                    )
            cells = operator.itemgetter(*map(header.index, columns))
            for row in reader:
                if len(row) == len(header):
                    yield reader.line_num, cells(row)
                elif row:
                    place = min(len(row), len(header))
                    raise InputError(
                        f"{_name(path)}, line {reader.line_num}, column {place}: the header has "
                        f"{len(header)} columns, got {len(row)}"
                    )
        except csv.Error as error:
            raise InputError(f"{_name(path)}, line {reader.line_num}: {error}") from None


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    # What is no UTF-8 passes here, and is refused where it is a label.
    options: Any = {"encoding": "utf-8-sig", "errors": "surrogateescape", "newline": ""}
    if path == "-":
        yield io.TextIOWrapper(sys.stdin.buffer, **options)
    else:
        with Path(path).open(**options) as stream:
            yield stream


def _at(path: str, line: int, column: str) -> str:
    return f"{_name(path)}, line {line}, column {column!r}"


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
