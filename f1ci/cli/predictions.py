"""Read the predictions in one file or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from f1ci import _tables
from f1ci.cli import files, harness
from f1ci.cli.columns import Named, Predictions, chosen
from f1ci.cli.files import Table
from f1ci.cli.joining import joined
from f1ci.cli.words import refuse
from f1ci.types import IntervalWarning, warn


def read(
    paths: Sequence[str], named: Named, delimiter: str | None = None, models: int = 1
) -> Predictions:
    """Return the labels in one file or two; a note says which columns were chosen.

    Parameters
    ----------
    paths : sequence of str
        One path, or two of files with the same items; "-" is standard input.
    named : Named
        The columns that a person names.
    delimiter : str, optional
        The character between columns. By default it is found in the first line.
    models : int
        The number of models, if no one names them.
    """
    if len(paths) > 2:
        refuse(f"give one file or two, got {len(paths)}")
    with tables_of(paths, delimiter) as tables:
        table = tables[0] if len(tables) == 1 else joined(tables[0], tables[1], named)
        predictions = chosen(table, named, models)
    if not (named.truth and named.models):
        _note_columns(predictions)
    return predictions


@contextmanager
def tables_of(paths: Sequence[str], delimiter: str | None = None) -> Iterator[list[Table]]:
    """Yield the table of each file.

    If there is no answer, and the columns are not a truth beside models by their names or number,
    the text may be a printed matrix, and the calculator is named.
    """
    paths = [harness.log_in(path) for path in paths]
    names = ["standard input" if path == "-" else path for path in paths]
    texts = [files.text_of(path, name) for path, name in zip(paths, names, strict=True)]
    tables: list[Table] = []
    try:
        tables += [files.table(*text, delimiter) for text in zip(texts, names, strict=True)]
        yield tables
    except ValueError as error:
        said = [column.says for table in tables for column in table.columns]
        truths = said.count("truth") + said.count("label")
        if truths and ("model" in said or len(said) > truths + 1):
            raise
        advice = "if this is a printed confusion matrix, the calculator in f1ci's book reads it"
        raise ValueError(f"{error}; {advice}") from None


def _note_columns(predictions: Predictions) -> None:
    """Say which columns were chosen: "truth = gold, A = bert, B = svm"."""
    columns = [f"truth = {_tables.label(predictions.truth)}"]
    for letter, name in zip("AB", predictions.models, strict=False):
        columns.append(f"{letter} = {_tables.label(name)}")
    warn(", ".join(columns), IntervalWarning)
