"""The verdicts: whether what our notebooks computed agrees with what the papers print.

Given here and nowhere else, once, when the book is built; ``python -m compendium.verdicts`` joins
the results with the published tables and prints the scoreboard. Values, deviations and bands are in
the printed unit (per cent where per cent is printed). No tolerance is typed by hand; what may
differ follows from the printed digits and the replicates. What each verdict means is said in
`VERDICTS`, which also makes the table on the ledger's page.

An erratum named on a number that agrees is itself an error, as are results that nothing published
asks for, numbers recorded twice, and results files that are missing or not as the run left them.
The command fails on an error or an open row.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from pathlib import Path

from compendium import ROOT, ledger, swhid, write
from compendium.ledger import Page, Record, csv_text, shown
from compendium.published import LedgerError, Number, Published, Row

__all__ = ["VERDICTS", "Entry", "Ledger", "Verdict", "allowed", "judge", "main"]


@dataclass(frozen=True)
class Verdict:
    """One line of the table of verdicts.

    Attributes
    ----------
    name, meaning : str
        For readers; the meaning is Markdown.
    tone : str
        Its colour in the style sheet: agrees, placed, weak, differs, open or missing.
    told : str
        How the headline goes on after the number of its rows; empty for a number that agrees.
    """

    name: str
    tone: str
    meaning: str
    told: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the number counts among those that agree."""
        return not self.told

    @property
    def passes(self) -> bool:
        """Whether ours is compatible with the printed number, counted as agreement or not."""
        return self.tone in ("agrees", "placed", "weak")


VERDICTS = {
    verdict.name: verdict
    for verdict in (
        Verdict("match", "agrees", "ours rounds to the printed number; of a tie, either way"),
        Verdict(
            "monte-carlo",
            "agrees",
            "the paper simulated; ours is within half a unit of the last printed digit plus four "
            "standard errors, theirs and ours together",
        ),
        Verdict(
            "in-band",
            "placed",
            "the number depends on a random split or training run that was not published; it lies "
            "in the central 99 % of at least 200 independent replications of all that the paper "
            "did for it, its simulation included, and this band is at most a fifth of the value "
            "wide",
        ),
        Verdict(
            "reconstructed",
            "placed",
            "the paper does not print the input, but only one is consistent with what it prints; "
            "from that one the number matches",
        ),
        Verdict(
            "not-contradicted",
            "weak",
            "as in-band, but the band is wider than a fifth of the value: hardly any number could "
            "fail, so this is not counted as agreement",
            "are not contradicted, by bands too wide to call it agreement",
        ),
        Verdict(
            "used-as-input",
            "weak",
            "the paper does not print the input, and this number served to find it; it agrees by "
            "construction",
            "were used to find an input that is not printed",
        ),
        Verdict(
            "erratum",
            "differs",
            "wrong in print, and proved so in the [register](/book/errata.md): a misprint, or a "
            "contradiction with the paper's own numbers or definitions",
            "are wrong in print (see the [register](/book/errata.md))",
        ),
        Verdict(
            "other-run",
            "differs",
            "differs from what the stated design gives; fits another run, which the "
            "[register](/book/errata.md) names, and which explains numbers that were not used to "
            "find it",
            "fit another run than the one that is described",
        ),
        Verdict(
            "unpublished-input",
            "missing",
            "needs an input that is not available to us; the row names it",
            "need an input that is not available to us",
        ),
        Verdict(
            "open",
            "open",
            "differs, and we do not understand why; the [register](/book/errata.md) lists what was "
            "tried. Without an entry there it is a defect of ours until shown otherwise",
            "differ and are not understood",
        ),
        Verdict(
            "not-recorded",
            "open",
            "no notebook of this build has computed it",
            "have not been computed in this build",
        ),
    )
}

STANDARD_ERRORS = 4
# A band wider than this part of the value is called too wide.
WIDEST = 0.2
# What an entry of the register makes of a row that differs, by the first letter of its id.
EXPLAINED = {"E": "erratum", "R": "other-run", "O": "open", "N": "open"}
# Double arithmetic may lose this part of a value; without it a tie would depend on the last bit.
ROUNDING = Fraction(1, 10**12)


@dataclass(frozen=True)
class Entry:
    """One row of the ledger; what does not apply to it is None or empty."""

    id: str
    paper: str
    item: str
    description: str
    kind: str
    printed: str
    value: float | str | None
    half_unit: float | None
    paper_error: float | None
    own_error: float | None
    low: float | None
    high: float | None
    splits: int | None
    verdict: str
    erratum: str
    notebook: str
    reason: str
    source: str = ""  # the Software Heritage identifier of the notebook's source

    @property
    def unexplained(self) -> bool:
        """Whether it differs and the register does not know it."""
        return self.verdict == "open" and not self.erratum


@dataclass(frozen=True)
class _Comparison:
    """Whether a record agrees with what is printed, and by which rule."""

    verdict: str  # "open" if it does not agree
    reason: str
    paper_error: float | None = None
    own_error: float | None = None


def _compare(row: Row, record: Record, paper_replicates: int | None) -> _Comparison:
    printed = row.number
    if printed is None:
        same = record.value == row.printed
        return _Comparison("match" if same else "open", "the same word" if same else "another word")
    assert isinstance(record.value, float)  # checked saw to it
    if record.low is not None and record.high is not None:
        margin = printed.half_unit + abs(Fraction(record.value)) * ROUNDING
        inside = record.low - margin <= printed.value <= record.high + margin
        place = "inside" if inside else "outside"
        width = (record.high - record.low) / abs(record.value)
        band = (
            f"the central 99 % of {record.splits} replications, {record.low:g} to "
            f"{record.high:g}, {width:.2g} of the value"
        )
        narrow = "in-band" if width <= WIDEST else "not-contradicted"
        return _Comparison(narrow if inside else "open", f"{place} {band}")

    paper_error = own_error = None
    allowed = printed.half_unit
    difference = abs(Fraction(record.value) - printed.value)
    hint = ""
    if record.deviation is not None:
        own_error = record.deviation / math.sqrt(record.replicates) if record.replicates else 0.0
        if paper_replicates is None:
            hint = "; replicates.csv does not say how many replicates the paper drew"
        else:
            paper_error = record.deviation / math.sqrt(paper_replicates)
            allowed += Fraction(STANDARD_ERRORS * math.hypot(paper_error, own_error))
    slack = abs(Fraction(record.value)) * ROUNDING
    if difference <= printed.half_unit + slack:
        verdict, reason = "match", "rounds to the printed number"
    else:
        verdict = "monte-carlo" if difference <= allowed + slack else "open"
        reason = f"differs by {float(difference):.3g}, allowed {float(allowed):.3g}{hint}"
        if verdict == "open" and not row.erratum and _rounds(100 * record.value, printed):
            reason += "; recorded as a proportion where per cent is printed?"
    return _Comparison(verdict, reason, paper_error, own_error)


def _rounds(value: float, printed: Number) -> bool:
    return abs(Fraction(value) - printed.value) <= printed.half_unit


def _entry(row: Row, recorded: tuple[Record, str] | None, published: Published) -> Entry:
    replicates = published.replicates(row.id)
    record, notebook = recorded or (Record(row.id), "")
    if recorded is None:
        compared = _Comparison("not-recorded", "no results at hand have it")
    elif record.missing:
        compared = _Comparison("unpublished-input", record.missing)
    else:
        compared = _compare(row, record, replicates)
    verdict, reason = compared.verdict, compared.reason
    mark, why = published.marks.get(row.id, ("", ""))
    if record.reconstructed:
        reason = f"from the reconstructed input: {reason}"
    if mark:
        reason += f"; {why}"
    if mark == "input" and VERDICTS[verdict].passes:
        verdict = "used-as-input"
    elif record.reconstructed and verdict in ("match", "monte-carlo"):
        verdict = "reconstructed"
    elif verdict == "open" and row.erratum:
        verdict, reason = EXPLAINED[row.erratum[0]], f"{row.erratum}: {reason}"
    elif row.erratum and record.replicates and replicates is None:
        reason += f"; how many replicates the paper drew is not known, see {row.erratum}"
    elif row.erratum and _too_noisy(record, replicates):
        reason += f"; too few replicates to show {row.erratum}"
    printed = row.number
    return Entry(
        id=row.id,
        paper=row.paper,
        item=row.item,
        description=row.description,
        kind=row.kind,
        printed=row.printed,
        value=record.value,
        half_unit=None if printed is None else float(printed.half_unit),
        paper_error=compared.paper_error,
        own_error=compared.own_error,
        low=record.low,
        high=record.high,
        splits=record.splits,
        verdict=verdict,
        erratum=row.erratum,
        notebook=notebook,
        reason=reason,
    )


def allowed(entry: Entry) -> tuple[float, float]:
    """Between which printed numbers our value would agree."""
    assert isinstance(entry.value, float)  # a word is another word or the same
    half = entry.half_unit or 0.0
    if entry.low is not None and entry.high is not None:
        return entry.low - half, entry.high + half
    reach = half + STANDARD_ERRORS * math.hypot(entry.paper_error or 0.0, entry.own_error or 0.0)
    return entry.value - reach, entry.value + reach


def judge(page: Page, ids: Sequence[str]) -> list[Entry]:
    """The verdicts on what a notebook has recorded so far, for a figure that shows what agrees."""
    recorded = page.records
    return [
        _entry(page.row(i), (recorded[i], page.name) if i in recorded else None, page.published)
        for i in ids
    ]


def known(page: Page) -> dict[str, Entry | Row]:
    """All that a notebook run by hand can show in its tables: verdicts on its own, and inputs."""
    return {**page.published.inputs, **{e.id: e for e in judge(page, page.ids(""))}}


def _too_noisy(record: Record, paper_replicates: int | None) -> bool:
    """Whether our own simulation is smaller than the paper's, as in a quick build."""
    return record.replicates is not None and record.replicates < (paper_replicates or math.inf)


def _moved(entry: Entry, published: Published) -> str:
    """What is wrong if a value that an entry of the register rests on is not what it was."""
    if entry.id not in published.expected or not isinstance(entry.value, float):
        return ""
    value, tolerance = published.expected[entry.id]
    noise = STANDARD_ERRORS * (entry.own_error or 0.0)
    if noise > tolerance:  # a quick build cannot tell
        tolerance += noise
    if abs(entry.value - value) <= tolerance:
        return ""
    return (
        f"{entry.id}: {entry.erratum} rests on {shown(value)} +- {shown(tolerance)}, "
        f"but ours is {shown(entry.value)}"
    )


class Ledger:
    """All entries, in the order of the published tables, and all errors found in the results."""

    def __init__(self, published: Published, results: Path) -> None:
        self.published = published
        self.errors: list[str] = []
        self.notebooks: list[str] = []
        if not published.rows:
            self.errors.append(f"{published.folder}: no published numbers")
        self.records = records = self._read(Path(results))
        notebooks = published.folder.parents[1] / "notebooks"
        identifiers = {name: swhid(notebooks / f"{name}.py") for name in self.notebooks}
        judged = (_entry(row, records.get(row.id), published) for row in published.rows.values())
        self.entries = [replace(e, source=identifiers.get(e.notebook, "")) for e in judged]
        self.errors += [
            f"{entry.id}: names {entry.erratum}, but {entry.value!r} agrees with the printed "
            f"{entry.printed!r} ({entry.reason})"
            for entry in self.entries
            if entry.erratum
            and VERDICTS[entry.verdict].passes
            and not _too_noisy(records[entry.id][0], published.replicates(entry.id))
        ]
        self.errors += filter(None, (_moved(entry, published) for entry in self.entries))

    def _read(self, folder: Path) -> dict[str, tuple[Record, str]]:
        """Each recorded id with its record and its notebook; what is wrong goes to the errors."""
        records: dict[str, tuple[Record, str]] = {}
        for path in sorted(folder.glob("*.csv")):
            self.notebooks.append(path.stem)
            found, problems = ledger.read(path, self.published)
            self.errors += problems
            for record in found:
                other, notebook = records.setdefault(record.id, (record, path.stem))
                if other is not record:
                    self.errors.append(
                        f"{record.id} is recorded twice: {shown(other.value)} by {notebook}, "
                        f"{shown(record.value)} by {path.stem}"
                    )
        return records

    @property
    def ok(self) -> bool:
        """Whether there is no error and no open row that the register does not know."""
        return not self.errors and not any(entry.unexplained for entry in self.entries)

    def power(self, factor: float) -> dict[str, tuple[int, int]]:
        """How many numbers of each verdict would turn if ours were `factor` times, and of how many.

        A number turns if it would no longer pass, or, for one that the register explains, if
        it would pass or leave its expected value. (A band moves with its value.)
        """
        found: dict[str, tuple[int, int]] = {}

        def times(value: float | None) -> float | None:
            return None if value is None else value * factor

        for entry in self.entries:
            if not isinstance(entry.value, float) or entry.value == 0:
                continue
            record, notebook = self.records[entry.id]
            moved = replace(
                record, value=entry.value * factor, low=times(record.low), high=times(record.high)
            )
            row = self.published.rows[entry.id]
            after = _entry(row, (moved, notebook), self.published)
            turned = VERDICTS[after.verdict].passes != VERDICTS[entry.verdict].passes or bool(
                _moved(after, self.published)
            )
            caught, of = found.get(entry.verdict, (0, 0))
            found[entry.verdict] = caught + turned, of + 1
        return {name: found[name] for name in VERDICTS if name in found}

    def counts(self, of: str = "paper") -> dict[str, dict[str, int]]:
        """How many rows have each verdict, by paper or by "item" (written paper/item)."""
        groups: dict[str, Counter[str]] = {}
        for entry in self.entries:
            key = entry.paper if of == "paper" else f"{entry.paper}/{entry.item}"
            groups.setdefault(key, Counter())[entry.verdict] += 1
        return {
            key: {verdict: group[verdict] for verdict in VERDICTS} for key, group in groups.items()
        }

    def write(self, folder: Path) -> None:
        """Write `ledger.csv` and `ledger.json`."""
        lines = [asdict(entry) for entry in self.entries]
        columns = [field.name for field in fields(Entry)]
        write(folder / "ledger.csv", csv_text(columns, lines))
        report = {
            "total": len(lines),
            "notebooks": self.notebooks,
            "by_paper": self.counts(),
            "by_item": self.counts("item"),
            "errors": self.errors,
            "rows": lines,
            "inputs": [asdict(row) for row in self.published.inputs.values()],
        }
        write(folder / "ledger.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")

    def scoreboard(self) -> Iterator[str]:
        """The counts by paper and verdict, then every row that a reader must know of, in full."""
        yield f"{len(self.entries)} published numbers, results of {len(self.notebooks)} notebooks\n"
        counts = self.counts()
        used = [v for v in VERDICTS if any(group[v] for group in counts.values())]
        table = [["", *used, "all"]]
        for paper in (paper for paper in self.published.papers if paper in counts):
            group = counts[paper]
            table.append([paper, *(str(group[v]) for v in used), str(sum(group.values()))])
        sums = [sum(group[v] for group in counts.values()) for v in used]
        table.append(["all", *map(str, sums), str(sum(sums))])
        widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
        for name, *cells in table:
            padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            yield "  ".join([name.ljust(widths[0]), *padded])
        for verdict in (name for name, verdict in VERDICTS.items() if not verdict.agrees):
            rows = [entry for entry in self.entries if entry.verdict == verdict]
            if rows:
                yield f"\n{verdict} ({len(rows)})"
            for entry in rows:
                ours = "" if entry.value is None else f", ours {shown(entry.value)}"
                by = f" [{entry.notebook}]" if entry.notebook else ""
                yield f"  {entry.id}: printed {entry.printed}{ours}; {entry.reason}{by}"
        if self.errors:
            yield f"\nerrors ({len(self.errors)})"
            yield from (f"  {error}" for error in self.errors)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the ledger, print its scoreboard; 1 if a row is open or something is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m compendium.ledger",
        description="Compare every published number with what the notebooks computed.",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree (for tests)")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="results files to take as they are (instead of checking those of the full run)",
    )
    parser.add_argument("--published", type=Path, metavar="DIR", help="the published tables")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="where ledger.csv and ledger.json go"
    )
    options = parser.parse_args(arguments)
    from compendium.execute import Edition, RefusedError  # notebooks do without it

    try:
        edition = Edition(options.root.resolve())
        published = Published(options.published or edition.published)
        built = Ledger(published, options.results or edition.results)
        if options.results is None:
            built.errors += edition.altered()
        built.write(options.output or edition.folder / "ledger")
    except (LedgerError, OSError, RefusedError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write("\n".join(built.scoreboard()) + "\n")
    return 0 if built.ok else 1


if __name__ == "__main__":
    sys.exit(main())
