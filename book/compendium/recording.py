"""What the notebooks computed, as records: made by `Results`, kept in one CSV file per notebook."""

from __future__ import annotations

import csv
import io
import math
import numbers
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from compendium import RESULTS
from compendium.published import LedgerError, Published, Row

__all__ = [
    "COLUMNS",
    "Record",
    "Results",
    "checked",
    "csv_text",
    "from_line",
    "shown",
    "write",
]

MIN_SPLITS = 200


@dataclass(frozen=True)
class Record:
    """What a notebook computed for one published number; a results file has these columns."""

    id: str
    value: float | str | None = None
    deviation: float | None = None
    replicates: int | None = None
    low: float | None = None
    high: float | None = None
    splits: int | None = None
    reconstructed: bool = False
    missing: str = ""


COLUMNS = [field.name for field in fields(Record)]


class Results:
    """The numbers of one notebook, checked as they are recorded, written by `save`.

    `folder` defaults to the compendium's, which the runner of the notebooks may redirect.
    """

    def __init__(
        self, name: str, *, folder: Path | None = None, published: Published | None = None
    ) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            raise LedgerError(f"the notebook's name must be lower-case-and-dashes, got {name!r}")
        self.name = name
        self.folder = folder or RESULTS
        self.published = published or Published()
        self.records: dict[str, Record] = {}

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
            The published number's id.
        value : float or str
            In the printed unit; a word where a word is printed.
        deviation : float, optional
            For a mean over replicates: the standard deviation of one replicate. (For another
            statistic: its standard error times the root of the number of replicates.)
        replicates : int, optional
            How many replicates `value` comes from; None if it is exact. With a band: how many
            each replication drew, so that a quick build is known to be one.
        band : (low, high), optional
            The central 99 % of `splits` independent replications, at least 200.
        splits : int, optional
            The number of those replications.
        reconstructed : bool, optional
            Whether the input is not printed, but is the only one consistent with what is.
        """
        try:
            low, high = (None, None) if band is None else band
        except (TypeError, ValueError):
            raise LedgerError(f"{id}: the band must be a pair (low, high), got {band!r}") from None
        self._add(
            Record(id, value, deviation, replicates, low, high, splits, reconstructed=reconstructed)
        )

    def missing(self, id: str, what: str) -> None:  # noqa: A002
        """Record that a number cannot be computed because `what` is not published."""
        if not isinstance(what, str) or not what.strip():
            raise LedgerError(f"{id}: say which input is missing, got {what!r}")
        self._add(Record(id, missing=what.strip()))

    @property
    def path(self) -> Path:
        """The file that `save` writes."""
        return self.folder / f"{self.name}.csv"

    def save(self) -> None:
        """Write the file, in one step so that a reader never sees half of it."""
        lines = [asdict(record) for record in self.records.values()]
        write(self.path, csv_text(COLUMNS, lines))

    def _add(self, record: Record) -> None:
        row = self.published.rows.get(record.id)
        if row is None:
            raise LedgerError(
                f"no published number has the id {record.id!r} (of {shown(record.value)})"
            )
        if record.id in self.records:
            raise LedgerError(
                f"{record.id} is recorded twice: {shown(self.records[record.id].value)}, "
                f"then {shown(record.value)}"
            )
        self.records[record.id] = checked(record, row)


def checked(record: Record, row: Row) -> Record:
    """The record with plain Python numbers, or an error that quotes what is wrong with it."""
    id = record.id  # noqa: A001

    def number(name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise LedgerError(f"{id}: the {name} must be a number, got {value!r}")
        if not math.isfinite(value):
            raise LedgerError(f"{id}: the {name} must be finite, got {value!r}")
        return float(value)

    def count(name: str, value: Any, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
            raise LedgerError(f"{id}: {name} must be an integer of at least {least}, got {value!r}")
        return int(value)

    if record.missing:
        if record != Record(id, missing=record.missing):
            raise LedgerError(f"{id}: a value and a missing input ({record.missing!r})")
        return record

    value: float | str
    if row.number is None:
        if not isinstance(record.value, str):
            raise LedgerError(f"{id}: {row.printed!r} is a word, got {record.value!r}")
        value = record.value
    else:
        value = number("value", record.value)

    deviation = replicates = low = high = splits = None
    if record.deviation is not None:
        if row.kind == "deterministic":
            raise LedgerError(f"{id}: deterministic, but has the deviation {record.deviation!r}")
        deviation = number("deviation", record.deviation)
        if deviation < 0:
            raise LedgerError(f"{id}: the deviation must not be negative, got {deviation!r}")
        if record.replicates is not None:
            replicates = count("replicates", record.replicates, 2)
    elif record.replicates is not None and record.low is not None:
        replicates = count("replicates", record.replicates, 2)
    elif record.replicates is not None:
        raise LedgerError(f"{id}: {record.replicates!r} replicates without a deviation")
    if record.low is not None or record.high is not None:
        low, high = number("band's low", record.low), number("band's high", record.high)
        if row.kind != "trained":
            raise LedgerError(f"{id}: {row.kind}, but has the band {(low, high)}")
        if deviation is not None or record.reconstructed:
            raise LedgerError(
                f"{id}: the band {(low, high)} goes with neither a deviation "
                f"({deviation!r}) nor reconstructed={record.reconstructed}"
            )
        if low > high:
            raise LedgerError(f"{id}: the band's low {low!r} is above its high {high!r}")
        if not isinstance(value, float) or not low <= value <= high:
            raise LedgerError(f"{id}: the value {value!r} is outside its own band {(low, high)}")
        splits = count("splits", record.splits, MIN_SPLITS)
    elif record.splits is not None:
        raise LedgerError(f"{id}: {record.splits!r} splits without a band")
    if not isinstance(record.reconstructed, bool):
        raise LedgerError(
            f"{id}: reconstructed must be True or False, got {record.reconstructed!r}"
        )
    return Record(id, value, deviation, replicates, low, high, splits, record.reconstructed)


def from_line(line: dict[str, str], row: Row) -> Record:
    """The record that a line of a results file holds."""

    def number(column: str) -> float | None:
        return float(line[column]) if line[column] else None

    def count(column: str) -> int | None:
        return int(line[column]) if line[column] else None

    return Record(
        id=row.id,
        value=(line["value"] or None) if row.number is None else number("value"),
        deviation=number("deviation"),
        replicates=count("replicates"),
        low=number("low"),
        high=number("high"),
        splits=count("splits"),
        reconstructed=line["reconstructed"] == "yes",
        missing=line["missing"],
    )


def _cell(value: float | str | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else value if isinstance(value, str) else repr(value)


def shown(value: object) -> str:
    """A value as a reader wants to see it."""
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def csv_text(columns: Sequence[str], lines: Iterable[dict[str, Any]]) -> str:
    """A table as CSV text: floats with all their digits, "yes" for True, nothing for None."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in line.items()} for line in lines)
    return text.getvalue()


def write(path: Path, text: str) -> Path:
    """Write a file in one step: what was there stays until all of the new text is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path
