"""The data sets behind the worked examples, verified before they are read.

``notebooks/data/sources.csv`` lists every file with its number of rows, SHA-256,
origin, licence and citation. Each loader compares the hash first. The error for a
missing or altered file says which command makes it again.
"""

from __future__ import annotations

import csv
import hashlib
import io

from compendium import DATA, note_read, write


class DataError(ValueError):
    """A data file is missing, or does not have the bytes that its entry promises."""


def sources() -> dict[str, dict[str, str]]:
    """Return every data file's entry in ``sources.csv``, by file name."""
    with (DATA / "sources.csv").open(newline="", encoding="utf-8") as lines:
        return {row["file"]: row for row in csv.DictReader(lines)}


def read_verified(file: str) -> bytes:
    """Return the bytes of a data file after a check of their hash."""
    path, source = DATA / file, sources()[file]
    content = path.read_bytes() if path.is_file() else b""
    if (found := hashlib.sha256(content).hexdigest()) != source["sha256"]:
        raise DataError(
            f"{path} is missing or altered: its SHA-256 is {found}, not {source['sha256']}; "
            f"`{source['made_by']}` makes it"
        )
    note_read(f"data/{file}")
    return content


def register(file: str, text: str, **facts: str) -> None:
    """Write a data file of our own, and its entry in ``sources.csv``.

    `facts` are its columns `made_by`, `made_with` and `source`; an old entry's others stay.
    """
    write(DATA / file, text)
    entries = sources()
    ours = {
        "licence": "numbers are facts; the file is CC BY 4.0",
        "citation": "The packages named in made_with.",
    }
    entry = {
        **dict.fromkeys(next(iter(entries.values())), ""),
        **entries.get(file, ours),
        "file": file,
        "rows": str(text.count("\n") - file.endswith(".csv")),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        **facts,
    }
    lines = io.StringIO()
    writer = csv.DictWriter(lines, list(entry), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**entries, file: entry}.values())
    write(DATA / "sources.csv", lines.getvalue())
