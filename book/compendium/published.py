"""The left-hand side of the ledger: the printed numbers, read from `book/published/`.

- `papers.csv`: the papers, in the book's order,
- `<paper>.csv`: the numbers printed as results (Lam's Tables 5 and 6 are illegible in our copy),
- `inputs.csv`: their inputs (confusion matrices, probabilities, numbers of replicates),
- `replicates.csv`: the published numbers for which an input's number of replicates holds,
- `errata.csv`: the errata: errors (E), other runs (R), open rows (O) and remarks (N),
- `expected.csv`: our values on which these entries rest, and how far they may move; for a
  number that fits another run, also that run's value, under the name `R-...:id`,
- `marks.csv`: marks of rows, and why (`MARKS` lists them; a row may have several),
- `restated.csv`: rows that print the number of another row again,
- `hashes.csv`: a hash of each table's printed strings and of each entry's quotes. A digit that
  changes in this folder is noticed, also where the papers' text is not at hand.

``python -m compendium.published`` writes the hashes again, and with ``--new KEY NAME`` the files in
which a new paper begins.

A printed number is read exactly, into its value and half a unit of its last printed
digit, both as fractions. **A number keeps its printed unit**: "99.6%" is 99.6, and a notebook
records it in per cent. This rule also fits tables that have the sign in the heading alone.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import functools
import hashlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from compendium import PUBLISHED, ROOT, RefusedError, write

_Kind = TypeVar("_Kind")


class LedgerError(RefusedError):
    """An error for a table, a record or a printed number that the ledger cannot accept."""


# What a mark says of a published number.
MARKS = {
    "input": "it served to find an input that is not printed",
    "chosen": "a design that the paper leaves open was chosen because it gives this number",
    "cut": "its digits are cut off, not rounded",
    "predicted": "it was not used to find the other run that gives it",
    "open": "the other run to which its table row belongs does not give it",
}


@dataclass(frozen=True)
class Number:
    """A printed number: its value and half a unit of its last printed digit (0 for a fraction)."""

    value: Fraction
    half_unit: Fraction


_DECIMAL = re.compile(r"[±+-]?(?P<body>(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[+-]?\d+)?)%?")
_FRACTION = re.compile(r"-?\d+/[1-9]\d*")
_POWER = re.compile(r"10\^(?P<exponent>\d{1,2})")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_,. -]*")


@functools.cache
def read_number(printed: str) -> Number | None:
    """Return the number that `printed` stands for, or None for words such as "Accept H1".

    It reads decimals with or without a leading zero, with thousands separators, an exponent,
    a sign, "±" (the number follows it) or a per cent sign (the value stays in the printed unit).
    It also reads fractions such as "16/11", powers such as "10^6", and "a million".

    >>> read_number("99.6%")
    Number(value=Fraction(498, 5), half_unit=Fraction(1, 20))
    >>> read_number("59,066").half_unit
    Fraction(1, 2)
    """
    text = printed.strip().replace("\N{MINUS SIGN}", "-").replace("a million", "10^6")
    if _FRACTION.fullmatch(text):
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
    """One paper; no other place of the compendium lists the papers.

    Attributes
    ----------
    key, name : str
        The beginning of its ids, and its name for readers.
    text : str
        The file name of its plain-text copy, for the check of the printed strings.
    tables, inputs : str
        The numbers of results and inputs that its tables print: ``table-3:3*6*4 table-4:3*6*4``
        for three scenarios, six sizes and four methods; an interval counts as two.
    """

    key: str
    name: str
    text: str
    tables: str
    inputs: str


@dataclass(frozen=True)
class Row:
    """One published number or one input; an input has only the first five attributes.

    Attributes
    ----------
    id, paper, item, description, printed, kind, erratum : str
        As in the tables.
    paper_replicates : int, optional
        The number of the paper's replicates.
    mark, why : str
        What `marks.csv` says of the row, and the reason.
    expected : (value, tolerance), optional
        Our value on which the row's entry in the errata rests.
    """

    id: str
    paper: str
    item: str
    description: str
    printed: str
    kind: str = ""
    erratum: str = ""
    paper_replicates: int | None = None
    mark: str = ""
    why: str = ""
    expected: tuple[float, float] | None = None

    @property
    def number(self) -> Number | None:
        """Return the printed number, or None for a word."""
        return read_number(self.printed)

    @property
    def marks(self) -> frozenset[str]:
        """Return the row's marks, which are keys of `MARKS`."""
        return frozenset(self.mark.split())

    @property
    def read(self) -> Number | None:
        """Return the number for its digits: rounded, or cut off if it is marked so."""
        number = self.number
        if number is None or "cut" not in self.marks:
            return number
        return Number(number.value + number.half_unit, number.half_unit)

    @property
    def is_coverage(self) -> bool:
        """Tell from its description whether it is a coverage."""
        return "cover" in self.description.lower()


@dataclass(frozen=True)
class Erratum:
    """One entry of the errata.

    Of an error, `right` says what is right. Of another entry it says what we took where the paper
    leaves something open; a remark may have none.
    """

    id: str
    paper: str
    kind: str
    place: str
    printed: str
    right: str
    how_known: str
    consequence: str
    shown_in: str


def lines(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the lines of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        names = reader.fieldnames or []
        listed = list(reader)
    if sorted(names) != sorted(columns):
        raise LedgerError(f"{path.name}: its columns are {names}, not {list(columns)}")
    for line in listed:
        if None in line or None in line.values():
            raise LedgerError(f"{path.name}: not {len(columns)} cells in {line}")
    return [{column: line[column].strip() for column in columns} for line in listed]


_INPUT_COLUMNS = ("id", "paper", "item", "description", "printed")
ROW_COLUMNS = (*_INPUT_COLUMNS, "kind", "erratum")


class Published:
    """All published tables of a folder; a cell that cannot be read is an error.

    A paper whose table does not exist yet has no rows. ``tests/compendium/test_published.py``
    checks the rest: forms of ids, one run for each table row, complete entries of the errata.
    """

    def __init__(self, folder: Path = PUBLISHED) -> None:
        self.folder = Path(folder)
        self.papers: Mapping[str, Paper] = self._table("papers", Paper)
        self.errata: Mapping[str, Erratum] = self._table("errata", Erratum)
        self.inputs: Mapping[str, Row] = self._table("inputs", Row, _INPUT_COLUMNS)
        self.rows: dict[str, Row] = {}
        for paper in self.papers:
            self.rows |= self._table(paper, Row, ROW_COLUMNS)
        self.expected: Mapping[str, tuple[float, float]] = {
            name: (float(value), float(tolerance))
            for name, value, tolerance in self._cells("expected", ("id", "value", "tolerance"))
        }
        restated = self._of_rows("restated", "of")
        self.restated: Mapping[str, str] = {id_: of for id_, (of,) in restated.items()}
        self._add_facts()
        self.everything: Mapping[str, Row] = {**self.inputs, **self.rows}

    def _add_facts(self) -> None:
        """Add to each row its replicates, its marks and the value on which its entry rests."""
        inputs = self._of_rows("replicates", "input")
        marks = self._of_rows("marks", "mark", "why")
        for id_, row in self.rows.items():
            mark, why = marks.get(id_, ("", ""))
            replicates = None
            if id_ in inputs and (number := self.inputs[inputs[id_][0]].number):
                replicates = int(number.value)
            expected = self.expected.get(id_)
            known = replace(row, paper_replicates=replicates, expected=expected)
            self.rows[id_] = replace(known, mark=mark, why=why)

    def named(self, name: str) -> Row:
        """Return the row of an id, or of `R-...:id` for its value in the other run."""
        run, mark, identity = name.rpartition(":")
        row = self.rows.get(identity)
        if row is None or (mark and not (run == row.erratum and run.startswith("R"))):
            raise LedgerError(f"no published number has the id {name!r}")
        return row

    @property
    def facts(self) -> dict[str, str]:
        """Return the printed facts that notebooks can read, as one text for each id."""
        rows = self.everything.items()
        return {
            i: " ".join(filter(None, (r.printed, r.erratum, r.mark, str(r.paper_replicates or ""))))
            for i, r in rows
        }

    def _of_rows(self, name: str, *columns: str) -> dict[str, list[str]]:
        """Return the entries of a table for the published numbers; the first pattern counts."""
        found: dict[str, list[str]] = {}
        for pattern, *said in self._cells(name, ("rows", *columns)):
            ids = fnmatch.filter(self.rows, pattern)
            found = {**dict.fromkeys(ids, said), **found}
        return found

    def _table(
        self, name: str, kind: Callable[..., _Kind], columns: Sequence[str] = ()
    ) -> dict[str, _Kind]:
        """Return the lines of a table by their first column."""
        columns = columns or list(kind.__dataclass_fields__)  # type: ignore[attr-defined]
        return {cells[0]: kind(*cells) for cells in self._cells(name, columns)}

    def _cells(self, name: str, columns: Sequence[str]) -> list[list[str]]:
        """Return the cells of each line of a table, in the columns' order; none without a table."""
        path = self.folder / f"{name}.csv"
        return [list(line.values()) for line in lines(path, columns)] if path.exists() else []


_ROLE = re.compile(r"\{published\}`([^`|]+)`")
_QUOTE = re.compile(r'"([^"]+)"')


def quotes(erratum: Erratum, rows: Mapping[str, Row]) -> list[str]:
    """Return what an entry quotes from its paper, with the printed numbers in their places."""
    text = _ROLE.sub(lambda role: rows[role[1]].printed, erratum.printed)
    return _QUOTE.findall(text)


def hashes(published: Published) -> dict[str, str]:
    """Return a hash of the printed strings of each table, and of the quotes of each entry."""
    texts: dict[str, list[str]] = {}
    for kind, rows in (("results", published.rows), ("inputs", published.inputs)):
        for row in rows.values():
            texts.setdefault(f"{kind}/{row.paper}/{row.item}", []).append(f"{row.id} {row.printed}")
    for erratum in published.errata.values():
        if quoted := quotes(erratum, published.everything):
            texts[f"quotes/{erratum.id}"] = quoted
    return {
        name: hashlib.sha256("\n".join(parts).encode()).hexdigest()
        for name, parts in sorted(texts.items())
    }


def begin(key: str, name: str, root: Path = ROOT) -> str:
    """Write the files in which a paper begins, and return what CONTRIBUTING.md says of the rest."""
    folder = root / "book" / "published"
    if not re.fullmatch(r"[a-z]+", key):
        raise LedgerError(f"a key has small letters only, got {key!r}")
    if key in Published(folder).papers:
        raise LedgerError(f"the paper {key!r} exists")
    write(folder / f"{key}.csv", f"{','.join(ROW_COLUMNS)}\n")
    with (folder / "papers.csv").open("a", encoding="utf-8", newline="") as table:
        csv.writer(table, lineterminator="\n").writerow([key, name, f"{key}.txt", "", ""])
    templates = Path(__file__).with_name("templates")
    begun = {"chapter.txt": f"book/{key}.md", "notebook.txt": f"notebooks/{key}-results.py"}
    for template, place in begun.items():
        text = (templates / f"new-{template}").read_text("utf-8")
        write(root / place, text.replace("<key>", key).replace("<name>", name))
    contents = root / "book" / "_toc.yml"
    text, papers = contents.read_text("utf-8"), [*Published(folder).papers][:-1]
    # After the chapter of the last paper there, so that no other chapter has another number.
    last = max(papers, key=lambda paper: text.find(f"- file: book/{paper}\n"))
    chapter = re.search(rf"^( +)- file: book/{last}\n(?:\1 .*\n)*", text, re.M)
    assert chapter, f"{last} has no chapter in the contents"
    indent = chapter[1]
    line = f"{indent}- file: book/{key}\n{indent}  sections:\n"
    line += f"{indent}    - file: notebooks/{key}-results\n"
    write(contents, text[: chapter.end()] + line + text[chapter.end() :])
    recipes = (root / "CONTRIBUTING.md").read_text("utf-8")
    return recipes.partition("### A paper\n")[2].partition("\n### ")[0].strip()


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write the hashes of the printed numbers again.")
    parser.add_argument("--new", nargs=2, metavar=("KEY", "NAME"), help="begin a paper first")
    if new := parser.parse_args().new:
        try:
            sys.stdout.write(f"{begin(*new)}\n")
        except RefusedError as error:
            parser.exit(2, f"error: {error}\n")
    found = hashes(Published())
    listed = "".join(f"{name},{digest}\n" for name, digest in found.items())
    write(PUBLISHED / "hashes.csv", f"what,sha256\n{listed}")


if __name__ == "__main__":
    _main()
