"""What each command answers: the options become arguments of f1ci's public functions.

Only this module asks for intervals, comparisons and plans.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import f1ci
from f1ci import _tables, metrics
from f1ci.cli.columns import Named, Predictions
from f1ci.cli.files import Column
from f1ci.cli.predictions import read, tables_of
from f1ci.cli.words import in_order, number, positive_class, refuse, some
from f1ci.data import checks
from f1ci.metrics.averages import mean_of
from f1ci.types import Fields, LabelsLike


class Answer(NamedTuple):
    """What a command prints, the same in rows for programs, and the exit code."""

    text: str
    rows: list[Fields]
    code: int = 0


def counts(options: Namespace) -> Answer:
    """Print intervals from the counts of one model."""
    of = counts_of(options.counts)
    names = ["precision", "recall", "f1"]
    if "TN" in of:
        names.append("accuracy")
    if options.metric or options.method:  # a method may be for F1 alone
        names = [options.metric or "f1"]
    if "TN" not in of:
        _refuse_without_negatives(names)
    matrix = f1ci.Matrix([[of.get("TN", 0), of["FP"]], [of["FN"], of["TP"]]])
    intervals = [
        matrix.interval(
            name,
            method=options.method,
            confidence_level=options.confidence_level,
            alternative=options.alternative,
        )
        for name in names
    ]
    rows = [{"name": interval.metric} | interval.to_dict() for interval in intervals]
    return Answer("\n".join(map(str, intervals)), rows)


def counts_of(words: Sequence[str]) -> dict[str, int]:
    """Return the counts by TP, FP, FN and perhaps TN, which may be named: "TP=77"."""
    names = ["TP", "FP", "FN", "TN"]
    found: dict[str, int] = {}
    for place, word in zip(names, words, strict=False):
        name, _, count = word.rpartition("=")
        name = (name or place).upper()
        if name not in names or name in found:
            refuse(f"give each of TP, FP, FN once, and TN if it is known; got {word!r}")
        if not re.fullmatch(r"[0-9]+|[0-9]{1,3}(,[0-9]{3})+", count):
            refuse(f"{name} must be a whole number of at least 0, got {word!r}")
        found[name] = int(count.replace(",", ""))
    missing = [name for name in names[:3] if name not in found]
    if missing or len(words) > len(names):
        rule = "give TP FP FN or TP FP FN TN, such as 77 44 10 or TP=77 FP=44 FN=10"
        refuse(f"{rule}; got {' '.join(words)!r}")
    return found


def _refuse_without_negatives(names: list[str]) -> None:
    """Refuse metrics that change with the true negatives."""
    for name in names:
        metric = metrics.get(name)
        few_and_many = metric.value([[[1, 3], [2, 7]], [[9, 3], [2, 7]]])
        if np.ptp(few_and_many) > 1e-9:  # more than rounding
            refuse(f"{metric.name} needs the true negatives: f1ci counts TP FP FN TN")


def report(options: Namespace) -> Answer:
    """Print precision, recall and F1 of every class, each with its interval."""
    predictions = read_labels(options, models=1)
    if len(predictions.models) != 1:
        listed = checks.listing(predictions.models)
        refuse(f"a report is for one model: name it with --pred; got {listed}")
    true, predicted = predictions.labels
    table = f1ci.classification_report(
        true,
        predicted,
        groups=predictions.groups,
        method=options.method,
        confidence_level=options.confidence_level,
        labels=options.labels or in_order([*true, *predicted]),
        **_given(options, "zero_division", "class_shares"),
    )
    head = f"{_shape(predictions)}, {len(table.classes)} classes"
    of_all = {"method": table.method, "confidence_level": table.confidence_level}
    return Answer(f"{head}\n\n{table}", [record | of_all for record in table.records()])


def compare(options: Namespace) -> Answer:
    """Say which of two or more models is better on the same items."""
    predictions = read_labels(options, models=2)
    metric, positive = compared_metric(options, predictions)
    comparison = _comparison(options, predictions, metric, positive)
    score = metric.name if positive is None else f"{metric.name} of {_tables.label(positive)}"
    test = next(iter(comparison.tests.values()))
    text = f"{_shape(predictions)}, {score}, method {test.interval.method}\n\n{comparison}"
    first = _tables.printable(predictions.models[0])
    fails = options.fail_if == "worse" and _is_any_worse(comparison, than=first)
    return Answer(text, _rows(comparison), int(fails))


def _comparison(
    options: Namespace, predictions: Predictions, metric: metrics.Metric, positive: str | None
) -> f1ci.results.ModelComparison:
    """Return the comparison of the models."""
    (true, *predicted), compared, arguments = _of_class(options, predictions, metric, positive)
    names = map(_tables.printable, predictions.models)
    return f1ci.compare_models(
        true,
        dict(zip(names, predicted, strict=True)),
        compared,
        margin=options.margin,
        groups=predictions.groups,
        method=options.method,
        confidence_level=options.confidence_level,
        **(_given(options, "labels", "zero_division") | arguments),
    )


def _is_any_worse(comparison: f1ci.results.ModelComparison, than: str) -> bool:
    """Tell if a model is worse than the first, by Holm's p-value."""
    tests = [(pair, test) for pair, test in comparison.tests.items() if pair[0] == than]
    return any(
        test.estimate < 0.0 and comparison.adjusted[pair] <= 1.0 - test.interval.confidence_level
        for pair, test in tests
    )


def _of_class(
    options: Namespace, predictions: Predictions, metric: metrics.Metric, positive: str | None
) -> tuple[list[LabelsLike], metrics.Metric, Fields]:
    """Return labels, metric and arguments of a comparison of all classes, or of one of them.

    Of three classes or more the others become one. If the shares of all are known, they stay apart.
    """
    columns: list[LabelsLike] = [*predictions.labels]
    shares = _given(options, "class_shares")
    if positive is None:
        return columns, metric, shares
    if len(_classes(predictions)) <= 2:
        return columns, metric, {"pos_label": positive} | shares
    if shares:
        if options.labels:
            got = checks.listing(options.labels)
            refuse(f"--class-shares with --positive takes all classes: omit --labels {got}")
        of_one = replace(mean_of("macro", metric), name=metric.name)
        return columns, of_one, {"labels": [positive]} | shares
    return [[label == positive for label in column] for column in predictions.labels], metric, {}


def _classes(predictions: Predictions) -> list[str]:
    """Return the classes that occur, in order."""
    return in_order(label for column in predictions.labels for label in set(column))


def _rows(comparison: f1ci.results.ModelComparison) -> list[Fields]:
    """Return a row for each model and each pair; the last one has the verdict."""
    rows: list[Fields] = []
    for name, interval in comparison.intervals.items():
        rows.append({"name": name, "rank": comparison.ranks[name]} | interval.to_dict())
    for record, test in zip(comparison.records(), comparison.tests.values(), strict=True):
        row: Fields = {"name": f"{record['b']} - {record['a']}"} | record
        row["p_not_inferior"] = test.p_not_inferior
        row["p_equivalent"] = test.p_equivalent
        row["method"] = test.interval.method
        rows.append(row)
    rows[-1]["verdict"] = comparison.verdict()
    return rows


def compared_metric(
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
        positive = positive_class(classes)
    if positive not in classes:
        got = f"got {checks.short(positive)} and the classes {checks.listing(classes)}"
        refuse(f"which class is the positive one? name it with --positive; {got}")
    return metric, positive


def plan(options: Namespace) -> Answer:
    """Say how many items keep the interval of a score narrow."""
    size = f1ci.sample_size(
        options.metric or "f1",
        half_width=options.half_width,
        prevalence=options.prevalence,
        confidence_level=options.confidence_level,
    )
    return Answer(str(size), [size.to_dict()])


def doctor(options: Namespace) -> Answer:
    """Say what the columns of a file seem to hold, what can be answered, and what is missing."""
    if "-" in options.files:
        refuse("doctor reads a file more than once: give its path, got '-'")
    with tables_of(options.files, options.delimiter) as tables:
        rows = [_seen(column) for table in tables for column in table.columns]
    shown = [[_tables.printable(value) for value in row.values()] for row in rows]
    parts = [_tables.as_text(list(rows[0]), shown)]
    for command, models in (("report", 1), ("compare", 2)):
        parts.append(_what_to_ask(command, options, models))
        rows.append({"command": command, "answer": parts[-1]})
    return Answer("\n\n".join(parts), rows)


def _seen(column: Column) -> Fields:
    """Return what a column seems to hold."""
    row: Fields = {"file": column.file, "column": column.name, "lines": len(column.cells)}
    values = {"different": len(set(column.cells)), "values": some(column.cells)}
    return row | {"name_says": column.says or "-"} | values


def _what_to_ask(command: str, options: Namespace, models: int) -> str:
    """Return the command with all names of columns, or why there is no answer."""
    try:
        found = read(options.files, Named(), options.delimiter, models)
    except ValueError as error:
        return f"no {command}: {error}"
    names = ["--true", found.truth, "--pred", *found.models]
    return f"f1ci {shlex.join([command, *options.files, *names])}"


# What the commands share


def read_labels(options: Namespace, models: int) -> Predictions:
    """Return the labels of the files; labels in the options are then written in the same way."""
    named = Named(options.true, options.pred, options.groups, options.count, options.on)
    predictions = read(options.files, named, options.delimiter, models)
    spelled = predictions.spelled
    if options.labels:
        options.labels = [spelled.get(label, label) for label in options.labels]
    if options.class_shares:
        options.class_shares = _shares(options.class_shares, spelled)
    if "positive" in options:
        options.positive = spelled.get(options.positive, options.positive)
    return predictions


def _shares(words: Sequence[str], spelled: dict[str, str]) -> dict[str, float]:
    """Return the shares of "spam=0.02" and others by their labels."""
    rule = "--class-shares takes LABEL=SHARE once for a label, such as spam=0.02 ham=0.98"
    shares: dict[str, float] = {}
    for word in words:
        label, equals, share = word.rpartition("=")
        label = spelled.get(label, label)
        try:
            number_of = float(share if equals and label not in shares else "")
        except ValueError:
            raise ValueError(f"{rule}, got {checks.short(word)}") from None
        shares[label] = number_of
    return shares


def _shape(predictions: Predictions) -> str:
    """Return the numbers of items and of groups in words."""
    items = number(len(predictions.labels[0]), "item")
    if predictions.groups is None:
        return items
    return f"{items} in {number(len(set(predictions.groups)), 'group')}"


def _given(options: Namespace, *names: str) -> Fields:
    """Return the options that were given, by name."""
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}
