"""The data sets behind the worked examples, verified before they are read.

``notebooks/data/sources.csv`` lists every file with its number of rows, SHA-256,
origin, licence and citation. Each loader compares the hash first: a file that is
missing or altered raises an error that says which command makes it again.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from typing import Any

from compendium import DATA


class MissingDataError(FileNotFoundError):
    """A data file is not where it should be."""


class AlteredDataError(ValueError):
    """A data file does not have the bytes that its entry in sources.csv promises."""


@dataclass(frozen=True)
class Source:
    """One row of ``sources.csv``: where a data file comes from and what it must be."""

    file: str
    rows: int
    sha256: str
    made_by: str
    made_with: str
    source: str
    licence: str
    citation: str


def sources() -> dict[str, Source]:
    """Every data file's entry in ``sources.csv``, by file name."""
    with (DATA / "sources.csv").open(newline="", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = list(csv.DictReader(lines))
    return {row["file"]: Source(**{**row, "rows": int(row["rows"])}) for row in rows}


def read_verified(file: str) -> bytes:
    """The bytes of a data file, once they are known to be the right ones."""
    known = sources()
    if file not in known:
        raise ValueError(f"file must be one of {', '.join(map(repr, known))}, got {file!r}")
    source = known[file]
    path = DATA / file
    if not path.is_file():
        raise MissingDataError(f"{path} is missing; `{source.made_by}` makes it")
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise AlteredDataError(
            f"{path} is altered: its SHA-256 should be {source.sha256} but is {found}; "
            f"`{source.made_by}` makes it again"
        )
    return content
