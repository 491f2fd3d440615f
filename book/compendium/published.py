"""The left-hand side of the ledger: what the papers print, read from `book/published/`.

- `papers.csv`: the papers, in the book's order,
- `<paper>.csv`: the numbers printed as results (Lam's Tables 5 and 6 are illegible in our copy),
- `inputs.csv`: what goes into them (confusion matrices, probabilities, numbers of replicates),
- `replicates.csv`: which published numbers an input's number of replicates holds for,
- `errata.csv`: the register: errors (E), other runs (R), what is open (O) and remarks (N),
- `expected.csv`: the values of ours that those entries rest on, and how far they may move; for a
  number that fits another run, that run's value as well, under the name `R-...:id`,
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

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
_Kind = TypeVar("_Kind")


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


_INPUT_COLUMNS = ("id", "paper", "item", "description", "printed")
_ID = re.compile(r"(?P<paper>[a-z]+)(?:/[A-Za-z0-9_.*+-]+)+")
_ERRATUM_ID = re.compile(r"(?P<letter>[ERON])-(?P<paper>[a-z]+)-[1-9]\d*")


class Published:
    """All published tables of a folder, checked; the errors are listed together.

    A paper whose table is not there yet simply has no rows.
    """

    def __init__(self, folder: Path = PUBLISHED) -> None:
        self.folder = Path(folder)
        self._problems: list[str] = []
        self._seen: set[str] = set()
        self.papers: Mapping[str, Paper] = self._table("papers", Paper)
        self.errata: Mapping[str, Erratum] = self._table("errata", Erratum)
        self.inputs: Mapping[str, Row] = self._table("inputs", Row, _INPUT_COLUMNS)
        self.rows: Mapping[str, Row] = {
            id_: row for paper in self.papers for id_, row in self._table(paper, Row).items()
        }
        self._replicates: dict[str, int] = {}
        for rows, name in self._lines("replicates.csv", ("rows", "input")):
            size = self.inputs[name].number if name in self.inputs else None
            if size is None or size.value < 2 or size.value.denominator != 1:
                self._say(f"replicates.csv: {name!r} is no number of replicates in inputs.csv")
            else:
                for id_ in self._matching("replicates.csv", rows):
                    self._replicates.setdefault(id_, int(size.value))
        self.expected: Mapping[str, tuple[float, float]] = self._expected_values()
        self.marks: dict[str, tuple[str, str]] = {}
        for rows, mark, why in self._lines("marks.csv", ("rows", "mark", "why")):
            if mark not in MARKS or not why:
                self._say(f"marks.csv: {mark!r} is not one of {', '.join(MARKS)}")
            self.marks |= dict.fromkeys(self._matching("marks.csv", rows), (mark, why))
        self.restated: dict[str, str] = {}
        for rows, of in self._lines("restated.csv", ("rows", "of")):
            if of not in self.rows:
                self._say(f"restated.csv: no published number has the id {of!r}")
            self.restated |= dict.fromkeys(self._matching("restated.csv", rows), of)
        for of in self.restated.keys() & set(self.restated.values()):
            self._say(f"restated.csv: {of!r} is itself restated")
        for row in (*self.inputs.values(), *self.rows.values()):
            self._check_row(row)
        for erratum in self.errata.values():
            self._check_erratum(erratum)
        if self._problems:
            raise LedgerError(f"{self.folder}:\n  " + "\n  ".join(self._problems))

    def named(self, name: str) -> Row | None:
        """The row of an id, or of `R-...:id`, its value in the run that its entry names."""
        run, mark, identity = name.rpartition(":")
        row = self.rows.get(identity)
        fits = row is not None and (not mark or (run == row.erratum and run.startswith("R")))
        return row if fits else None

    def replicates(self, id: str) -> int | None:  # noqa: A002 (the ledger's own word)
        """How many replicates the paper drew for a number; None if it does not say."""
        return self._replicates.get(id)

    def _say(self, problem: str) -> None:
        self._problems.append(problem)

    def _expected_values(self) -> dict[str, tuple[float, float]]:
        """The value that each row with an entry in the register is claimed to have."""
        found: dict[str, tuple[float, float]] = {}
        for name, *numbers in self._lines("expected.csv", ("id", "value", "tolerance")):
            row = self.named(name)
            try:
                value, tolerance = map(float, numbers)
            except ValueError:
                self._say(f"expected.csv: no numbers for {name!r}")
                continue
            if row is None or not row.erratum:
                self._say(f"expected.csv: {name!r} names nothing in the register")
            elif not 0 < tolerance <= 0.01 * abs(value):
                self._say(f"expected.csv: a tolerance of {tolerance} for {name!r}")
            found[name] = value, tolerance
        for row in filter(lambda row: row.erratum, self.rows.values()):
            for name, whose in ((row.id, "ours"), (f"{row.erratum}:{row.id}", "that run's")):
                if self.named(name) and name not in found:
                    self._say(
                        f"{row.id}: names {row.erratum}, but expected.csv does not say what "
                        f"{whose} is"
                    )
        return found

    def _matching(self, name: str, pattern: str) -> list[str]:
        """The published numbers that a pattern in a table fits."""
        ids = [id_ for id_ in self.rows if fnmatchcase(id_, pattern)]
        if not ids:
            self._say(f"{name}: {pattern!r} fits no published number")
        return ids

    def _table(
        self, name: str, kind: Callable[..., _Kind], columns: Sequence[str] = ()
    ) -> dict[str, _Kind]:
        """The lines of a table by what their first column says, which is said once."""
        columns = columns or list(kind.__dataclass_fields__)  # type: ignore[attr-defined]
        found = {}
        for first, *rest in self._lines(f"{name}.csv", columns):
            if first in self._seen:
                self._say(f"the id {first!r} stands there twice")
            self._seen.add(first)
            found[first] = kind(first, *rest)
        return found

    def _lines(self, name: str, columns: Sequence[str]) -> Iterator[list[str]]:
        """The cells of each line of a table, in the order of the columns."""
        path = self.folder / name
        if not path.exists():
            return
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if sorted(reader.fieldnames or []) != sorted(columns):
                self._say(f"{name}: its columns are {reader.fieldnames}, not {columns}")
                return
            for line in reader:
                if None in line or None in line.values():
                    self._say(f"{name}:{reader.line_num}: not {len(columns)} cells")
                else:
                    yield [line[column].strip() for column in columns]

    def _check_row(self, row: Row) -> None:
        match = _ID.fullmatch(row.id)
        if not match:
            self._say(f"the id {row.id!r} is not of the form paper/item/...")
        elif match["paper"] != row.paper or row.paper not in self.papers:
            known = ", ".join(self.papers)
            self._say(f"{row.id}: its paper is {row.paper!r}, not its id's, one of {known}")
        try:
            row.number  # noqa: B018 (it raises if it cannot be read)
        except LedgerError as error:
            self._say(f"{row.id}: {error}")
        if row.id in self.rows and row.kind not in KINDS:
            self._say(f"{row.id}: its kind is {row.kind!r}, not one of {', '.join(KINDS)}")
        if row.erratum and row.erratum not in self.errata:
            self._say(f"{row.id}: the erratum {row.erratum!r} is not in errata.csv")
        elif row.erratum and self.errata[row.erratum].paper != row.paper:
            self._say(f"{row.id}: the erratum {row.erratum!r} belongs to another paper")

    def _check_erratum(self, erratum: Erratum) -> None:
        match = _ERRATUM_ID.fullmatch(erratum.id)
        if not match or match["paper"] != erratum.paper or erratum.paper not in self.papers:
            self._say(
                f"errata.csv: the id {erratum.id!r} is not E-<paper>-<number>, or with R, O or N, "
                f"for {erratum.paper!r}"
            )
        if erratum.kind not in ERRATUM_KINDS:
            known = ", ".join(ERRATUM_KINDS)
            self._say(f"{erratum.id}: its kind is {erratum.kind!r}, not one of {known}")
        elif not erratum.id.startswith(ERRATUM_KINDS[erratum.kind]):
            self._say(
                f"{erratum.id}: its kind is {erratum.kind!r}, whose ids begin with another letter"
            )
        for column, cell in vars(erratum).items():
            needed = column != "right" or erratum.id.startswith("E")
            if bool(cell) != needed:
                self._say(f"{erratum.id}: {column!r} is {'empty' if needed else 'for errors only'}")
