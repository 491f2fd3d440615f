"""The numbers that a notebook reads from the published tables, and those that it records.

A notebook opens the ledger once, and then names each number by its id::

    from compendium import ledger

    page = ledger.open("lam-coverage")
    given, printed, record, say = page
    record("lam/table-3/scenario-1/n-25/wald", 0.9048, deviation=0.2935)

``given`` reads an input that a paper prints. ``printed`` reads a printed result, for a computation
that starts from it or a figure that shows it. ``record`` stores our number for a printed number.
``say`` stores a number that the text quotes (``{glue:text}``). All values are in the printed unit.
Both kinds go to one CSV file for each notebook, written at the end of every cell and at exit. The
id of a published number contains a slash, and the key of a quoted number does not.
:mod:`compendium.verdicts` decides when the book is built whether numbers agree.
"""

from __future__ import annotations

import ast
import atexit
import csv
import io
import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from compendium import RESULTS, check_names, note_read, write
from compendium.published import LedgerError, Number, Published, Row, lines

MIN_SPLITS = 200
STANDARD_ERRORS = 4  # by which a simulated number may differ
STATEMENT = "statement"  # in the key of a paper's statement
_opened: list[Page] = []


@dataclass(frozen=True)
class Record:
    """The result of a notebook for one number; a results file has these columns.

    A published number has all of them. A number that the text quotes has only a value.
    """

    id: str
    value: float | str | None = None
    deviation: float | None = None
    replicates: int | None = None
    low: float | None = None
    high: float | None = None
    splits: int | None = None
    reconstructed: bool = False
    missing: str = ""

    @property
    def own_error(self) -> float | None:
        """Return the standard error of our value: 0 if it is exact, None without a deviation."""
        return self.error_of(self.replicates or math.inf)

    def error_of(self, replicates: float | None) -> float | None:
        """Return the standard error of a mean of so many replicates, or None if it is unknown."""
        if self.deviation is None or replicates is None:
            return None
        return self.deviation / math.sqrt(replicates)


COLUMNS = [field.name for field in fields(Record)]


class Page:
    """The part of the ledger that belongs to one notebook; `open` makes it.

    `folder` is where its results go, which `compendium.execute` and tests may redirect.
    """

    def __init__(
        self, name: str, *, folder: Path | None = None, published: Published | None = None
    ) -> None:
        self.name = name
        self.folder = folder or RESULTS
        self.published = published or Published()
        self.records: dict[str, Record] = {}
        self.quoted: dict[str, Record] = {}

    def __iter__(self) -> Iterator[Callable[..., Any]]:
        """Give the four functions of a page: ``given, printed, record, say = page``."""
        return iter((self.given, self.printed, self.record, self.say))

    def given(self, id: str) -> float:  # noqa: A002 (the ledger's own word)
        """Return an input as a paper prints it."""
        if id not in self.published.inputs:
            raise LedgerError(f"no input has the id {id!r}")
        return float(self.number(id).value)

    def printed(self, id: str) -> float:  # noqa: A002
        """Return a printed result, for a computation or a figure that uses it."""
        return float(self.number(self.published.named(id).id).value)

    def row(self, id: str) -> Row:  # noqa: A002
        """Return all printed facts of an input or a result."""
        if id not in self.published.everything:
            raise LedgerError(f"no input and no published number has the id {id!r}")
        note_read(id)
        return self.published.everything[id]

    def number(self, id: str) -> Number:  # noqa: A002
        """Return a printed input or result, exactly, with half a unit of its last digit."""
        row = self.row(id)
        if row.number is None:
            raise LedgerError(f"{id} is a word, {row.printed!r}, and not a number")
        return row.number

    def ids(self, prefix: str) -> list[str]:
        """Return the published numbers whose ids begin with `prefix`, in the tables' order."""
        note_read(f"{prefix}*")
        return [id for id in self.published.rows if id.startswith(prefix)]  # noqa: A001

    def say(self, key: str, value: float | str) -> None:
        """Store a value for the prose, which quotes it as ``{glue:text}`key```."""
        if "/" in key:
            raise LedgerError(f"a key for the text has no slash, got {key!r}")
        if key in self.quoted:
            raise LedgerError(f"{key} is quoted twice")
        if isinstance(value, numbers.Real):  # not numpy's, which the file would spell out
            value = int(value) if isinstance(value, numbers.Integral) else float(value)
        self.quoted[key] = Record(key, value)

    def record(
        self,
        id: str,  # noqa: A002 (the ledger's own word)
        value: float | str,
        *,
        deviation: float | None = None,
        replicates: int | None = None,
        band: tuple[float, float] | None = None,
        splits: int | None = None,
        reconstructed: bool = False,
    ) -> None:
        """Record the value computed for a published number.

        Parameters
        ----------
        id : str
            The published number's id. With ``R-...:`` before it, the value is that of the other run
            which this entry of the errata names for the number.
        value : float or str
            In the printed unit; a word where a word is printed.
        deviation : float, optional
            For a mean over replicates: the standard deviation of one replicate. (For another
            statistic: its standard error times the root of the number of replicates.)
        replicates : int, optional
            The number of replicates behind `value`; None if it is exact. With a band: the number in
            each replication, which shows that a build is quick.
        band : (low, high), optional
            The central 99 % of `splits` independent replications, at least 200.
        splits : int, optional
            The number of those replications.
        reconstructed : bool, optional
            Whether the input is not printed, but is the only input that fits the printed numbers.
        """
        low, high = band or (None, None)
        self._add(Record(id, value, deviation, replicates, low, high, splits, reconstructed))

    def state(self, section: str, text: str, decision: str) -> None:
        """Store a statement of the paper, with what our numbers say of it."""
        key = f"{self.name}-{STATEMENT}-{1 + sum(f'-{STATEMENT}-' in k for k in self.quoted)}"
        self.quoted[key] = Record(key, f"{decision} | {section} | {text}")

    def missing(self, id: str, what: str) -> None:  # noqa: A002
        """Record that a number cannot be computed because the input `what` is not published."""
        self._add(Record(id, missing=what.strip()))

    @property
    def path(self) -> Path:
        """Return the path of the file that `save` writes."""
        return self.folder / f"{self.name}.csv"

    def save(self) -> None:
        """Write the file unless it would be empty."""
        records = [*self.records.values(), *self.quoted.values()]
        if records:
            write(self.path, csv_text(COLUMNS, map(asdict, records)))

    def _add(self, record: Record) -> None:
        row = self.published.named(record.id)
        if record.id in self.records:
            raise LedgerError(f"{record.id} is recorded twice")
        note_read(row.id)
        self.records[record.id] = checked(record, row)


def open(name: str) -> Page:  # noqa: A001 (notebooks say ledger.open)
    """Return the ledger's page of a notebook, which saves itself."""
    from IPython import get_ipython

    page = Page(name)
    if (shell := get_ipython()) is not None:
        _check_parameters(shell.user_ns["In"], name)
        shell.events.register("post_run_cell", lambda _: page.save())
    _opened.append(page)
    atexit.register(page.save)
    return page


def _check_parameters(cells: Sequence[str], notebook: str) -> None:
    """Refuse a parameter that a notebook does not have, which papermill only mentions.

    Papermill writes the values that it was given into a new cell, below that of the parameters.
    """
    for declared, given in pairwise(cells):
        if given.startswith("# Parameters\n"):
            check_names(_assigned(given), _assigned(declared), notebook)


def _assigned(code: str) -> list[str]:
    """Return the names to which the lines of a cell assign values."""
    nodes = ast.walk(ast.parse(code))
    return [node.id for node in nodes if isinstance(node, ast.Name) and type(node.ctx) is ast.Store]


def opened() -> Page:
    """Return the page that this notebook opened."""
    if not _opened:
        raise LedgerError("this notebook has not opened the ledger")
    return _opened[-1]


def checked(record: Record, row: Row) -> Record:
    """Return the record with Python's numbers, or refuse it if it does not fit its number."""
    if record.missing:
        return record
    has_band = (record.low, record.high, record.splits) != (None, None, None)
    _refuse_mixtures(record, row, has_band)
    new = replace(record)
    if row.number is not None:
        new = replace(new, value=_float(record, "value", record.value))
    if record.deviation is not None:
        deviation = _float(record, "deviation", record.deviation)
        _refuse(record, deviation < 0, f"the deviation must not be negative, got {deviation}")
        new = replace(new, deviation=deviation)
    if has_band:
        new = _with_band(new)
    if record.replicates is not None:
        new = replace(new, replicates=_count(record, "replicates", record.replicates, 2))
    return new


def _with_band(record: Record) -> Record:
    """Return a record with Python's numbers in its band."""
    low = _float(record, "band's low", record.low)
    high = _float(record, "band's high", record.high)
    inside = isinstance(record.value, float) and low <= record.value <= high
    _refuse(record, not inside, f"the value {record.value!r} is outside its band {(low, high)}")
    splits = _count(record, "splits", record.splits, MIN_SPLITS)
    return replace(record, low=low, high=high, splits=splits)


def _refuse(record: Record, wrong: object, why: str) -> None:
    if wrong:
        raise LedgerError(f"{record.id}: {why}")


def _float(record: Record, name: str, value: Any) -> float:
    """Return a finite number as a float."""
    known = isinstance(value, numbers.Real) and not isinstance(value, bool)
    finite = known and math.isfinite(value)
    _refuse(record, not finite, f"the {name} must be finite, got {value!r}")
    return float(value)


def _count(record: Record, name: str, value: Any, least: int) -> int:
    """Return a count as an integer."""
    fits = isinstance(value, numbers.Integral) and int(value) >= least
    _refuse(record, not fits, f"{name} must be an integer of at least {least}, got {value!r}")
    return int(value)


def _refuse_mixtures(record: Record, row: Row, has_band: bool) -> None:
    """Refuse what does not go together: a word and a number, a band and a deviation, ..."""
    if row.number is None:
        _refuse(record, not isinstance(record.value, str), f"a word, got {record.value!r}")
    varies = record.deviation is not None
    fixed = row.kind == "deterministic"
    _refuse(record, varies and fixed, f"deterministic, but has a deviation, {record.deviation}")
    if has_band:
        band = (record.low, record.high)
        _refuse(record, row.kind != "trained", f"{row.kind}, but has the band {band}")
        beside = varies or record.reconstructed
        why = "a band goes with neither a deviation nor reconstructed=True"
        _refuse(record, beside, why)
    alone = record.replicates is not None and not varies and not has_band
    _refuse(record, alone, f"{record.replicates!r} replicates without a deviation")


def allowed(record: Record, row: Row) -> tuple[Fraction, Fraction]:
    """Return the range of printed numbers with which our value agrees.

    It follows from the printed digits, from our band and, if the paper simulated the number, from
    four standard errors of the difference.
    """
    if row.read is None or not isinstance(record.value, float):
        raise LedgerError(f"{row.id} is a word, and has no range of numbers that agree")
    reach = row.read.half_unit
    error = record.error_of(row.paper_replicates)
    if error is not None:
        reach += Fraction(STANDARD_ERRORS * math.hypot(error, record.own_error or 0.0))
    low = record.value if record.low is None else record.low
    high = record.value if record.high is None else record.high
    return Fraction(low) - reach, Fraction(high) + reach


def from_line(line: dict[str, str], row: Row | None) -> Record:
    """Return the record in a line of a results file; `row` is None for a quoted number."""
    if row is None:
        return Record(line["id"], _said(line["value"]))
    kinds: dict[str, Callable[[str], Any]] = {
        "value": float if row.number else str,
        **dict.fromkeys(("deviation", "low", "high"), float),
        **dict.fromkeys(("replicates", "splits"), int),
        "reconstructed": "yes".__eq__,
        "missing": str,
    }
    found = {name: kind(line[name]) for name, kind in kinds.items() if line[name]}
    return checked(Record(line["id"], **found), row)


def _said(text: str) -> float | str:
    """Return the number that a notebook said, or its text: "0.50" was formatted, and stays so."""
    try:
        value = float(text)
    except ValueError:
        return text
    return value if text in (repr(value), f"{value:.0f}") else text


def read(
    results: Path, published: Published
) -> tuple[dict[str, Record], dict[str, str], list[str]]:
    """Return all records of a folder by their ids, the notebook of each, and all problems."""
    records: dict[str, Record] = {}
    notebooks: dict[str, str] = {}
    problems = []
    for path in sorted(results.glob("*.csv")):
        try:
            for line in lines(path, COLUMNS):
                row = published.named(line["id"]) if "/" in line["id"] else None
                record = from_line(line, row)
                if records.setdefault(record.id, record) is not record:
                    who = f"{notebooks[record.id]}, {path.stem}"
                    problems.append(f"{record.id} is recorded twice: {who}")
                notebooks.setdefault(record.id, path.stem)
        except ValueError as error:
            problems.append(f"{path.name}: {error}")
    return records, notebooks, problems


def shown(value: object) -> str:
    """Return a value as text for a reader."""
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def csv_text(columns: Sequence[str], table: Iterable[dict[str, Any]]) -> str:
    """Return a table as CSV text: floats with all digits, "yes" for True, nothing for None."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for line in table:
        # The writer writes numbers as Python does, and nothing for None.
        writer.writerow(
            {k: "yes" if v is True else "" if v is False else v for k, v in line.items()}
        )
    return text.getvalue()
