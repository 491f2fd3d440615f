"""The left-hand side of the ledger: what the papers print, read from `book/published/`.

- `papers.csv`: the papers, in the book's order,
- `<paper>.csv`: every number printed as a result,
- `inputs.csv`: what goes into them (confusion matrices, probabilities, numbers of replicates),
- `replicates.csv`: which published numbers an input's number of replicates holds for,
- `errata.csv`: the register: errors (E), other runs (R), what is open (O) and remarks (N),
- `expected.csv`: the values of ours that those entries rest on, and how far they may move,
- `marks.csv`: rows that cannot count as a check, or not as an independent one, and why,
- `restated.csv`: rows that print again what another row prints.

A printed number is read exactly as it stands, into its value and half a unit of its last printed
digit, both as fractions. **A number keeps its printed unit**: "99.6%" is 99.6, and whoever
recomputes it records per cent as well. That is the one rule that also fits the tables whose
heading, not whose cells, carries the sign.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path

from compendium import PUBLISHED

__all__ = [
    "ERRATUM_KINDS",
    "KINDS",
    "Erratum",
    "LedgerError",
    "Number",
    "Paper",
    "Published",
    "Row",
    "read_number",
]

KINDS = ("deterministic", "simulated", "trained")
# The kinds of entries of the register, and the letter that ids of each kind begin with: what is
# proved wrong in print, what fits another run, what is not understood, and what is no error.
ERRATUM_KINDS = {
    "misprint": "E",
    "wrong number": "E",
    "wrong statement": "E",
    "other run": "R",
    "open": "O",
    "gap": "N",
    "unstated choice": "N",
    "defect of our copy": "N",
    "remark": "N",
}
MARKS = ("input", "chosen")


class LedgerError(ValueError):
    """A table, a record or a printed number that the ledger cannot accept."""


@dataclass(frozen=True)
class Number:
    """A printed number: its value and half a unit of its last printed digit (0 for a fraction)."""

    value: Fraction
    half_unit: Fraction


_DECIMAL = re.compile(r"[±+-]?(?P<body>(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[+-]?\d+)?)%?")
_FRACTION = re.compile(r"(?P<sign>-?)(?P<body>\d+/[1-9]\d*)")
_POWER = re.compile(r"10\^(?P<exponent>\d{1,2})")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_,. -]*")
_IN_WORDS = {"a million": Fraction(10**6)}


@functools.cache
def read_number(printed: str) -> Number | None:
    """The number that `printed` stands for, or None if it is a word such as "Accept H1".

    Read are decimals with or without a leading zero, with thousands separators, an exponent,
    a sign, "±" (whose number is what follows it) or a per cent sign (which changes nothing: the
    value stays in the printed unit), fractions such as "16/11", powers such as "10^6", and
    "a million".

    >>> read_number("99.6%")
    Number(value=Fraction(498, 5), half_unit=Fraction(1, 20))
    >>> read_number("59,066").half_unit
    Fraction(1, 2)
    """
    text = printed.strip().replace("\N{MINUS SIGN}", "-")
    if text in _IN_WORDS:
        return Number(_IN_WORDS[text], Fraction(0))
    if match := _FRACTION.fullmatch(text):
        return Number(Fraction(text), Fraction(0))
    if match := _POWER.fullmatch(text):
        return Number(Fraction(10) ** int(match["exponent"]), Fraction(0))
    match = _DECIMAL.fullmatch(text)
    if match and match["body"][:1] not in ("", "e"):
        size = Decimal(match["body"].replace(",", ""))
        exponent = size.as_tuple().exponent
        assert isinstance(exponent, int)  # only "NaN" and "Infinity" have another kind
        value = Fraction(size) * (-1 if text.startswith("-") else 1)
        return Number(value, Fraction(10) ** exponent / 2)
    if _WORD.fullmatch(text):
        return None
    raise LedgerError(f"{printed!r} is neither a number nor a word that the ledger can read")


@dataclass(frozen=True)
class Paper:
    """One paper; nothing else of the compendium lists them.

    Attributes
    ----------
    key, name : str
        What ids begin with, and what readers see.
    text : str
        The file name of its plain-text copy, for the check of the printed strings.
    notebooks : str
        Its notebooks, in the order in which the book's contents list them below its chapter,
        ``book/<key>.md``.
    tables, inputs : str
        How many results, and how many inputs, its tables print: ``table-3:3*6*4 table-4:3*6*4``
        for three scenarios, six sizes and four methods; an interval counts as two.
    """

    key: str
    name: str
    text: str
    notebooks: str
    tables: str
    inputs: str


@dataclass(frozen=True)
class Row:
    """One published number, or one input (whose `kind` and `erratum` are empty)."""

    id: str
    paper: str
    item: str
    description: str
    printed: str
    kind: str = ""
    erratum: str = ""

    @property
    def number(self) -> Number | None:
        """The printed number, or None for a word."""
        return read_number(self.printed)

    @property
    def half_unit(self) -> float | None:
        """Half a unit of its last printed digit."""
        return None if self.number is None else float(self.number.half_unit)


@dataclass(frozen=True)
class Erratum:
    """One entry of the register; only errors have something `right`."""

    id: str
    paper: str
    kind: str
    place: str
    printed: str
    right: str
    how_known: str
    consequence: str
    shown_in: str


PAPER_COLUMNS = list(Paper.__dataclass_fields__)
INPUT_COLUMNS = ["id", "paper", "item", "description", "printed"]
PUBLISHED_COLUMNS = [*INPUT_COLUMNS, "kind", "erratum"]
REPLICATES_COLUMNS = ["rows", "input"]
ERRATUM_COLUMNS = list(Erratum.__dataclass_fields__)
EXPECTED_COLUMNS = ["id", "value", "tolerance"]
MARK_COLUMNS = ["rows", "mark", "why"]
RESTATED_COLUMNS = ["rows", "of"]

_ID = re.compile(r"(?P<paper>[a-z]+)(?:/[A-Za-z0-9_.*+-]+)+")
_ERRATUM_ID = re.compile(r"(?P<letter>[ERON])-(?P<paper>[a-z]+)-[1-9]\d*")


class Published:
    """All published tables of a folder, checked; the errors are listed together.

    A paper whose table is not there yet simply has no rows.
    """

    def __init__(self, folder: Path = PUBLISHED) -> None:
        self.folder = Path(folder)
        problems: list[str] = []
        papers = [Paper(**line) for line in self._lines("papers.csv", PAPER_COLUMNS, problems)]
        self.papers: Mapping[str, Paper] = {paper.key: paper for paper in papers}
        errata = [Erratum(**line) for line in self._lines("errata.csv", ERRATUM_COLUMNS, problems)]
        inputs = [Row(**line) for line in self._lines("inputs.csv", INPUT_COLUMNS, problems)]
        rows = [
            Row(**line)
            for paper in self.papers
            for line in self._lines(f"{paper}.csv", PUBLISHED_COLUMNS, problems)
        ]
        self.errata: Mapping[str, Erratum] = {erratum.id: erratum for erratum in errata}
        self.inputs: Mapping[str, Row] = {row.id: row for row in inputs}
        self.rows: Mapping[str, Row] = {row.id: row for row in rows}
        problems += _repeated([paper.key for paper in papers])
        problems += _repeated([entry.id for entry in errata] + [row.id for row in (*inputs, *rows)])
        self._replicates = self._replicates_of_rows(problems)
        self.expected: Mapping[str, tuple[float, float]] = self._expected_values(problems)
        self.marks: Mapping[str, tuple[str, str]] = self._marked_rows(problems)
        self.restated: Mapping[str, str] = self._restated_rows(problems)
        for row in (*inputs, *rows):
            problems += self._row_problems(row, is_input=row.id in self.inputs)
        for erratum in errata:
            problems += self._erratum_problems(erratum)
        if problems:
            raise LedgerError(f"{self.folder}:\n  " + "\n  ".join(problems))

    def replicates(self, id: str) -> int | None:  # noqa: A002 (the ledger's own word)
        """How many replicates the paper drew for a number; None if it does not say."""
        return self._replicates.get(id)

    def _replicates_of_rows(self, problems: list[str]) -> dict[str, int]:
        """The replicates of each row, by the first line of `replicates.csv` whose pattern fits."""
        found: dict[str, int] = {}
        for line in self._lines("replicates.csv", REPLICATES_COLUMNS, problems):
            pattern, name = line["rows"], line["input"]
            ids = [id for id in self.rows if fnmatchcase(id, pattern)]  # noqa: A001
            size = self.inputs[name].number if name in self.inputs else None
            if size is None or size.value < 2 or size.value.denominator != 1:
                problems.append(
                    f"replicates.csv: {name!r} is no number of replicates in inputs.csv"
                )
            elif not ids:
                problems.append(f"replicates.csv: {pattern!r} fits no published number")
            else:
                found = {**dict.fromkeys(ids, int(size.value)), **found}
        return found

    def _expected_values(self, problems: list[str]) -> dict[str, tuple[float, float]]:
        """The value that each row with an entry in the register is claimed to have."""
        found: dict[str, tuple[float, float]] = {}
        for line in self._lines("expected.csv", EXPECTED_COLUMNS, problems):
            row = self.rows.get(line["id"])
            try:
                value, tolerance = float(line["value"]), float(line["tolerance"])
            except ValueError:
                problems.append(f"expected.csv: no numbers for {line['id']!r}")
                continue
            if row is None or not row.erratum:
                problems.append(f"expected.csv: {line['id']!r} names nothing in the register")
            elif not 0 < tolerance <= 0.01 * abs(value):
                problems.append(f"expected.csv: a tolerance of {tolerance} for {line['id']!r}")
            found[line["id"]] = value, tolerance
        problems += [
            f"{row.id}: names {row.erratum}, but expected.csv does not say what ours is"
            for row in self.rows.values()
            if row.erratum and row.id not in found
        ]
        return found

    def _matching(self, name: str, pattern: str, problems: list[str]) -> list[str]:
        ids = [id for id in self.rows if fnmatchcase(id, pattern)]  # noqa: A001
        if not ids:
            problems.append(f"{name}: {pattern!r} fits no published number")
        return ids

    def _marked_rows(self, problems: list[str]) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for line in self._lines("marks.csv", MARK_COLUMNS, problems):
            if line["mark"] not in MARKS or not line["why"]:
                problems.append(f"marks.csv: {line['mark']!r} is not one of {', '.join(MARKS)}")
            for id in self._matching("marks.csv", line["rows"], problems):  # noqa: A001
                found[id] = line["mark"], line["why"]
        return found

    def _restated_rows(self, problems: list[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self._lines("restated.csv", RESTATED_COLUMNS, problems):
            if line["of"] not in self.rows:
                problems.append(f"restated.csv: no published number has the id {line['of']!r}")
            for id in self._matching("restated.csv", line["rows"], problems):  # noqa: A001
                found[id] = line["of"]
        problems += [
            f"restated.csv: {of!r} is itself restated" for of in found.values() if of in found
        ]
        return found

    def _lines(
        self, name: str, columns: list[str], problems: list[str]
    ) -> Iterator[dict[str, str]]:
        path = self.folder / name
        if not path.exists():
            return
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if sorted(reader.fieldnames or []) != sorted(columns):
                problems.append(f"{name}: its columns are {reader.fieldnames}, not {columns}")
                return
            for line in reader:
                if None in line or None in line.values():
                    problems.append(f"{name}:{reader.line_num}: not {len(columns)} cells")
                else:
                    yield {column: cell.strip() for column, cell in line.items()}

    def _row_problems(self, row: Row, *, is_input: bool) -> Iterator[str]:
        match = _ID.fullmatch(row.id)
        if not match:
            yield f"the id {row.id!r} is not of the form paper/item/..."
        elif match["paper"] != row.paper or row.paper not in self.papers:
            known = ", ".join(self.papers)
            yield f"{row.id}: its paper is {row.paper!r}, not its id's, one of {known}"
        try:
            row.number  # noqa: B018 (it raises if it cannot be read)
        except LedgerError as error:
            yield f"{row.id}: {error}"
            return
        if is_input:
            return
        if row.kind not in KINDS:
            yield f"{row.id}: its kind is {row.kind!r}, not one of {', '.join(KINDS)}"
        if row.erratum and row.erratum not in self.errata:
            yield f"{row.id}: the erratum {row.erratum!r} is not in errata.csv"
        elif row.erratum and self.errata[row.erratum].paper != row.paper:
            yield f"{row.id}: the erratum {row.erratum!r} belongs to another paper"

    def _erratum_problems(self, erratum: Erratum) -> Iterator[str]:
        match = _ERRATUM_ID.fullmatch(erratum.id)
        if not match or match["paper"] != erratum.paper or erratum.paper not in self.papers:
            yield (
                f"errata.csv: the id {erratum.id!r} is not E-<paper>-<number>, or with R, O or N, "
                f"for {erratum.paper!r}"
            )
        if erratum.kind not in ERRATUM_KINDS:
            known = ", ".join(ERRATUM_KINDS)
            yield f"{erratum.id}: its kind is {erratum.kind!r}, not one of {known}"
            return
        if match and match["letter"] != ERRATUM_KINDS[erratum.kind]:
            yield f"{erratum.id}: its kind is {erratum.kind!r}, whose ids begin with another letter"
        for column in ERRATUM_COLUMNS:
            needed = column != "right" or erratum.id.startswith("E")
            if bool(getattr(erratum, column)) != needed:
                yield f"{erratum.id}: {column!r} is {'empty' if needed else 'for errors only'}"


def _repeated(ids: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for id in ids:  # noqa: A001
        if id in seen:
            yield f"the id {id!r} stands there twice"
        seen.add(id)
