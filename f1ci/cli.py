"""The command line: `f1ci` and `python -m f1ci`.

Files of labels are read row by row and only counted, so that memory depends on how many labels
and groups differ, not on how long the file is.
What is wrong with a file is said in a sentence with line and column.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import inspect
import io
import itertools
import json
import math
import operator
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

import f1ci
from f1ci import _tables, _validation, compare, counts, metrics, planning, report
from f1ci.intervals import interval_of_items
from f1ci.methods import METHODS, names
from f1ci.results import Interval, IntervalWarning, p_value

__all__ = ["helps", "main", "parser"]

# More different labels than this are scores or identifiers.
_MOST_LABELS = 1_000

# What a positive label is called most often.
_POSITIVE = ("1", "true", "True", "TRUE", "yes", "pos", "positive")

Row = dict[str, Any]


class Answer(NamedTuple):
    """What a command says, and the same in rows for machines."""

    text: str
    rows: list[Row]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IntervalWarning)
            options = parser().parse_args(arguments)
            answer = _COMMANDS[options.command][0](options)
        _write(answer, options.form)
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            sys.stderr.write(f"f1ci: note: {message}\n")
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        sys.stderr.write(f"f1ci: {error.filename}: {(error.strerror or str(error)).lower()}\n")
        return 2
    except (ValueError, TypeError) as error:  # what validation raises
        sys.stderr.write(f"f1ci: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


# Commands.


def _counts(options: Any) -> Answer:
    """Intervals from the counts of one model.

    {methods}

    example: f1ci counts 77 44 10
    """
    named = {name: getattr(options, name) for name in ("tp", "fp", "fn", "tn")}
    tp, fp, fn, tn = (_validation.counts(name, n or 0) for name, n in named.items())
    asked = [metrics.precision, metrics.recall, _metric("f1", options.beta)]
    asked += [] if options.tn is None else [metrics.accuracy]
    # A method for F1 only has nothing to say of the others.
    fitting = [metric for metric in asked if options.method in (None, *names(metric))]
    of = {"method": options.method, "confidence_level": options.confidence_level}
    matrix = [[tn, fp], [fn, tp]]
    found = [f1ci.metric_interval(matrix, metric, **of) for metric in fitting or asked[2:3]]
    return Answer("\n".join(map(str, found)), _rows({x.metric: x for x in found}))


def _report(options: Any) -> Answer:
    """Precision, recall and F1 of every class, each with its interval.

    {methods}

    example: f1ci report labels.csv --true y --pred model_a
    """
    level = _validation.confidence_level(options.confidence_level)
    found = _count(options, [options.true, options.pred])
    said = report.of_kinds(found, options.method, level)
    of = {"method": said.method, "confidence_level": level}
    text = f"{_shape(found)}, {len(found.classes)} classes\n\n{said}"
    return Answer(text, [row | of for row in said.records()])


def _compare(options: Any) -> Answer:
    """Is model B better than model A on the same items?

    With more than two classes the metric is macro_f1, or F1 of --positive.

    example: f1ci compare labels.csv --true y --pred model_a model_b --groups document
    """
    a, b = options.pred
    found = _count(options, [options.true, a, b])
    (metric, positive), of_class = _compared_metric(options, found.classes), ""
    if metric.binary:  # one class against the rest
        of_class = f" of {_tables.label(found.classes[positive])}"
        flags = (found.codes == positive).astype(int)
        found = counts.group_items(flags, ("negative", "positive"), found.groups, found.counts)
    compared = compare.compare(found, metric, None, options.confidence_level)
    test = compare.run_test(compared, margin=options.margin, rng=0)
    level = test.interval.confidence_level
    models = [found._replace(codes=found.codes[[0, k]]) for k in (1, 2)]
    each = [interval_of_items(metric, model, None, level) for model in models]
    intervals = dict(zip((a, b, f"{b} - {a}"), (*each, test.interval), strict=True))
    verdict, more = test.verdict(a, b), None
    if "not distinguished" in verdict and test.estimate:
        size = abs(test.estimate)
        power = planning.POWER if options.power is None else options.power
        plan = planning.pilot_plan(found, metric, size, power, level)
        more = max(1, plan.items - _units(found))
        scale = 10 ** max(0, len(str(more)) - 2)  # two digits will do
        verdict += (
            f": about {round(more / scale) * scale:,} more "
            f"{'items' if found.groups is None else 'groups'} would be needed to find a difference "
            f"of {size:.2g} with a power of {_tables.percent(power)}"
        )
    only_a, only_b = test.discordant
    text = (
        f"{_shape(found)}, {metric.name}{of_class}, method {test.interval.method}\n\n"
        f"{_text(intervals)}\n\nonly {a} is right on {only_a:,} items, only {b} on {only_b:,}\n"
        f"p-value of no difference ({test.method}): {p_value(test.p_value)}\n\n{verdict}"
    )
    rows = _rows(intervals)
    p_values = ("p_value", "p_not_inferior", "p_equivalent")
    rows[-1] |= {name: getattr(test, name) for name in p_values}
    rows[-1] |= {"test": test.method, "verdict": verdict, "more_needed": more}
    return Answer(text, rows)


def _plan(options: Any) -> Answer:
    """How many items are needed?

    Two models: give --difference, --disagreement, --score and --prevalence:
      f1ci plan --difference 0.03 --disagreement 0.05 0.05 --score 0.8 --prevalence 0.3

    example: f1ci plan --beta 0.5 --half-width 0.02 --prevalence 0.615
    """
    asked = ["half_width", "standard_error", "prevalence", "bound", "confidence_level"]
    asked += ["difference", "disagreement", "score", "power"]
    metric = _metric(options.metric or "f1", options.beta)
    plan: Any = f1ci.sample_size(metric, **{name: getattr(options, name) for name in asked})
    return Answer(str(plan), [dataclasses.asdict(plan)])


def _bayes(options: Any) -> Answer:
    """Is B better than A, by counts of a repeated two-fold cross-validation?

    The file has columns model, tp, fp, fn: for each model two rows for each
    repetition, in order. The model named first is A.

    example: f1ci bayes folds.csv
    """
    folds: dict[str, list[list[float]]] = {}
    columns = ("model", "tp", "fp", "fn")
    for line, (model, *cells) in _records(options.file, columns):
        for column, cell in zip(columns[1:], cells, strict=True):
            if not cell.strip().replace(".", "", 1).isdecimal():
                where = _at(options.file, line, column)
                raise ValueError(f"{where}: a count is wanted, got {cell!r}")
        folds.setdefault(model.strip(), []).append(list(map(float, cells)))
    numbers = [len(each) for each in folds.values()]
    if len(numbers) != 2 or numbers[0] != numbers[1] or numbers[0] % 2:
        got = ", ".join(f"{len(each)} of {name!r}" for name, each in folds.items()) or "no rows"
        raise ValueError(
            f"{_name(options.file)}: wanted are two rows for each repetition, and as many of one "
            f"model as of another, got {got}"
        )
    shaped = [np.reshape(each, (-1, 2, 3)) for each in folds.values()]
    metric, level = options.metric or "f1", options.confidence_level
    test = f1ci.bayes_test(shaped[0], shaped[1], metric, rope=options.rope)
    posteriors = [f1ci.posterior(*f1ci.effective_counts(each), metric) for each in shaped]
    found = dict(zip(folds, (each.interval(level) for each in posteriors), strict=True))
    a, b = map(_tables.label, folds)
    text = f"{_text(found)}\n\nA is {a}, B is {b}\n{test}"
    return Answer(text, [*_rows(found), dataclasses.asdict(test)])


# Help.


_TO_COMPARE = (
    "file,--true COLUMN,--pred A B,--groups COLUMN,--metric NAME,--beta BETA,--positive LABEL,"
    "--margin MARGIN,--power POWER"
)
_TO_PLAN = (
    "--metric NAME,--beta BETA,--half-width WIDTH,--standard-error ERROR,--prevalence SHARE,"
    "--bound NAME,--difference SIZE,--disagreement POS NEG,--score SCORE,--power POWER"
)
# The docstrings are the help, up to the options.
_COMMANDS = {
    "counts": (_counts, "tp,fp,fn,tn,--beta BETA,--method NAME"),
    "report": (_report, "file,--true COLUMN,--pred COLUMN,--groups COLUMN,--method NAME"),
    "compare": (_compare, _TO_COMPARE),
    "plan": (_plan, _TO_PLAN),
    "bayes": (_bayes, "file,--metric NAME,--rope SIZE"),
}

_NUMBER: Row = {"type": float}
_COUNT: Row = {"type": int}
_OPTIONS: dict[str, tuple[str, Row]] = {
    "tp": ("true positives", _COUNT),
    "fp": ("false positives", _COUNT),
    "fn": ("false negatives", _COUNT),
    "tn": ("true negatives, for the accuracy only", _COUNT | {"nargs": "?"}),
    "file": ("a file with a header line; - reads standard input", {}),
    "--true COLUMN": ("true labels", {"required": True}),
    "--pred COLUMN": ("predicted labels", {"required": True}),
    "--pred A B": ("columns of the labels that A and B predict", {"required": True}),
    "--groups COLUMN": ("document, image or user that the item belongs to", {}),
    "--method NAME": ("see below; score by default", {}),
    "--metric NAME": ("f1 by default; precision, recall, accuracy, macro_f1, ...", {}),
    "--beta BETA": ("F-beta in the place of F1", _NUMBER),
    "--positive LABEL": ("the positive class; the others are negative", {}),
    "--margin MARGIN": ("a difference that does not matter", _NUMBER | {"default": 0.0}),
    "--rope SIZE": ("a difference that does not matter", _NUMBER | {"default": 0.0}),
    "--half-width WIDTH": ("of the interval that is wanted", _NUMBER),
    "--standard-error ERROR": ("or the standard error that is wanted", _NUMBER),
    "--prevalence SHARE": ("share of truly positive items", _NUMBER),
    "--bound NAME": ("sharp, the default, or jiang", {"default": "sharp"}),
    "--difference SIZE": ("or a difference of two models to find", _NUMBER),
    "--disagreement POS NEG": ("shares of items, by class, that only one gets right", _NUMBER),
    "--score SCORE": ("what both models score, about", _NUMBER),
    "--power POWER": (f"probability to find the difference, {planning.POWER}", _NUMBER),
    "--confidence-level LEVEL": ("0.95 by default", _NUMBER | {"default": 0.95}),
    "--json": ("print JSON", {"dest": "form", "action": "store_const", "const": "json"}),
    "--csv": ("print CSV", {"dest": "form", "action": "store_const", "const": "csv"}),
}


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    return _parsers()["f1ci"]


def helps() -> dict[str, str]:
    """The help of the command line and of each command, by how it is called."""
    return {name: each.format_help() for name, each in _parsers().items()}


def _parsers() -> dict[str, argparse.ArgumentParser]:
    top = _Parser(
        prog="f1ci",
        description="How sure can one be of an F score? Intervals, reports, comparisons, plans.",
    )
    top.add_argument("--version", action="version", version=f"f1ci {f1ci.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", dest="command", required=True)
    found: dict[str, argparse.ArgumentParser] = {"f1ci": top}
    methods = "\n".join(["methods:", *(f"  {m.name:14}{m.summary}" for m in METHODS.values())])
    examples = []
    for name, (run, its) in _COMMANDS.items():
        title, _, below = (inspect.getdoc(run) or "").partition("\n\n")
        examples.append(below.rpartition("example: ")[2])
        new = commands.add_parser(
            name, help=title, description=title, epilog=below.replace("{methods}", methods)
        )
        new.set_defaults(form="text")
        for option in f"{its},--confidence-level LEVEL,--json,--csv".split(","):
            text, more = _OPTIONS[option]
            flag, *places = option.split()
            if len(places) == 1:
                more = more | {"metavar": places[0]}
            elif places:
                more = more | {"metavar": tuple(places), "nargs": len(places)}
            new.add_argument(flag, help=text, **more)
        found[new.prog] = new
    examples.append("zcat labels.csv.gz | f1ci report - --true y --pred model_a --json")
    shown = "\n  ".join(examples)
    top.epilog = (
        f"examples:\n  {shown}\n\n"
        "Files have a header line, and commas, semicolons or tabs between columns.\n"
        "`f1ci COMMAND --help` explains a command. The exit code is 0, or 2 after bad input."
    )
    return found


# What the commands share.


def _metric(name: str, beta: float | None) -> metrics.Metric:
    if beta is None:
        return metrics.get(name)
    if name == "f1":
        return metrics.fbeta(beta)
    if not name.endswith("_f1"):
        raise ValueError(f"--beta goes with F scores, got --beta {beta:g} --metric {name}")
    return metrics.averaged(name.removesuffix("_f1"), beta)


def _compared_metric(options: Any, labels: Sequence[Any]) -> tuple[metrics.Metric, int]:
    """The metric, and the code of the positive class."""
    name = options.metric or ("f1" if len(labels) <= 2 or options.positive else "macro_f1")
    metric = _metric(name, options.beta)
    if not metric.binary:
        return metric, 0
    wanted = _POSITIVE if options.positive is None else (options.positive,)
    found = [code for code, label in enumerate(labels) if label in wanted]
    if len(found) != 1 or (options.positive is None and len(labels) > 2):
        known = _validation.first_few(labels, 6)
        got = "nothing" if options.positive is None else repr(options.positive)
        raise ValueError(f"{name} needs --positive, the positive class among {known}; got {got}")
    return metric, found[0]


def _rows(found: Mapping[str, Interval]) -> list[Row]:
    fields = ("metric", "estimate", "low", "high", "standard_error", "method", "confidence_level")
    return [{"name": name} | {f: getattr(x, f) for f in fields} for name, x in found.items()]


def _text(found: Mapping[str, Interval]) -> str:
    """A table of intervals of one metric."""
    digits = _tables.decimals([x.length for x in found.values()])
    rows = []
    for name, x in found.items():
        estimate, low, high = (f"{number:.{digits}f}" for number in (x.estimate, *x))
        rows.append([_tables.label(name), estimate, f"{low} to {high}"])
    one = next(iter(found.values()))
    return _tables.as_text(["", one.metric, f"{_tables.percent(one.confidence_level)} CI"], rows)


def _units(found: counts.Items) -> int:
    """How many groups or, without groups, items there are."""
    return int(found.counts.sum() if found.groups is None else found.groups.max() + 1)


def _shape(found: counts.Items) -> str:
    groups = "" if found.groups is None else f" in {_units(found):,} groups"
    return f"{int(found.counts.sum()):,} items{groups}"


def _write(answer: Answer, form: str) -> None:
    out: Any = sys.stdout
    if isinstance(out, io.TextIOWrapper):
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


def _count(options: Any, columns: list[str]) -> counts.Items:
    """The rows of a file by kind, as labels in these columns and, if asked, groups."""
    width, path = len(columns), options.file
    wanted = [*columns, options.groups] if options.groups else columns
    number: dict[tuple[str, ...], int] = {}
    distinct: set[str] = set()
    for line, cells in _records(path, wanted):
        try:
            number[cells] += 1
        except KeyError:
            number[cells] = 1
            for column, cell in zip(wanted, cells, strict=True):
                fault = "the label is missing" * (not cell.strip())
                if not cell.isascii() and any("\udc80" <= c <= "\udcff" for c in cell):
                    fault = "not UTF-8 text"
                if fault:
                    where = _at(path, line, column)
                    raise ValueError(f"{where}: {fault}, got {cell!r}") from None
            distinct.update(map(str.strip, cells[:width]))
            if len(distinct) > _MOST_LABELS:
                raise ValueError(
                    f"{_at(path, line, columns[0])}: more than {_MOST_LABELS:,} different labels, "
                    f"got {cells[0]!r} among them; are these scores or identifiers?"
                ) from None
    if not number:
        raise ValueError(f"{_name(path)}: no rows below the header")
    labels = _in_order(distinct)
    code = {label: place for place, label in enumerate(labels)}
    codes = np.array([[code[cell.strip()] for cell in cells[:width]] for cells in number]).T
    groups = None
    if options.groups:
        names = _in_order({cells[-1].strip() for cells in number})
        place = {name: k for k, name in enumerate(names)}
        groups = np.array([place[cells[-1].strip()] for cells in number])
        _validation.at_least_two("groups", len(place))
    return counts.group_items(codes, labels, groups, np.array(list(number.values())))


def _in_order(names: set[str]) -> list[str]:
    """Sorted as Python sorts the same labels or groups, so that sums and random swaps agree."""
    numeric = all(name.removeprefix("-").isdecimal() for name in names)
    return sorted(sorted(names), key=int if numeric else None)


def _records(path: str, columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line number and the cells of these columns, row by row."""
    # What is no UTF-8 passes here, and is refused where it is a label.
    text: Any = {"encoding": "utf-8-sig", "errors": "surrogateescape", "newline": ""}
    with open(sys.stdin.fileno() if path == "-" else path, **text) as stream:  # noqa: PTH123
        head = stream.readline()
        lines = itertools.chain([head], stream)
        delimiter = max(",;\t", key=head.count)
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            for column in columns:
                if header.count(column) != 1:
                    got = _validation.short(header)
                    raise ValueError(
                        f"{_at(path, 1)}: wanted is one column {column!r}, got the columns {got}"
                    )
            cells = operator.itemgetter(*map(header.index, columns))
            for row in reader:
                if len(row) == len(header):
                    yield reader.line_num, cells(row)
                elif row:
                    raise ValueError(
                        f"{_at(path, reader.line_num)}, column {min(len(row), len(header))}: the "
                        f"header has {len(header)} columns, got {len(row)}"
                    )
        except csv.Error as error:
            raise ValueError(f"{_at(path, reader.line_num)}: {error}") from None


def _at(path: str, line: int, column: str | None = None) -> str:
    """A place in a file."""
    where = f"{_name(path)}, line {line}"
    return where if column is None else f"{where}, column {column!r}"


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
