"""The verdicts: does our number agree with the printed number?

Only this module gives verdicts, when the book is built. ``python -m compendium.verdicts`` joins
the results with the published tables and prints the scoreboard. Values, deviations and bands are in
the printed unit (per cent if the paper prints per cent). No tolerance is typed by hand: it follows
from the printed digits and the replicates. `VERDICTS` says what each verdict means, and makes the
table on the ledger's page.

These are errors: an erratum of a number that agrees, a result for an unpublished id, a number
recorded twice, and a notebook that must run because its inputs changed or a file of its run is
missing or changed. The command fails on an error or an open row.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
import textwrap
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from compendium import ledger, swhid, write
from compendium.ledger import STANDARD_ERRORS, STATEMENT, Record, csv_text, shown
from compendium.published import ROW_COLUMNS, Number, Published, Row
from compendium.runs import REFERENCE, Edition, command, tasks


@dataclass(frozen=True)
class Verdict:
    """One line of the table of verdicts.

    Attributes
    ----------
    name, meaning : str
        For readers; the meaning is Markdown.
    tone : str
        Its colour in the style sheet: agrees, placed, weak, differs, open or missing.
    """

    name: str
    tone: str
    meaning: str

    @property
    def agrees(self) -> bool:
        """Tell whether the verdict counts as agreement."""
        return self.tone in ("agrees", "placed")

    @property
    def passes(self) -> bool:
        """Tell whether our number fits the printed number, also if that is no agreement."""
        return self.agrees or self.tone == "weak"


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _lines:
    VERDICTS = {line["name"]: Verdict(**line) for line in csv.DictReader(_lines)}

# A band is too wide if it is wider than this part of the value, or of 1 - coverage for a coverage:
# four standard errors of 10,000 test sets at .95 are a third of 1 - coverage.
WIDEST = 0.2
WIDEST_MISS = 0.5
# The verdict of a row that differs, by the first letter of its entry's id in the errata. (An entry
# R has one of two verdicts.)
EXPLAINED = {"E": "erratum", "O": "open", "N": "open"}
# What the repository keeps of the reference run's verdicts, and their tally in the README.
KEPT = REFERENCE / "verdicts.json"
_TALLY = re.compile(r"(<!-- tally: made by `make reference` -->\n).*?(\n<!-- end -->)", re.S)
# The part of a value that double arithmetic may lose.
ROUNDING = Fraction(1, 10**12)


# The published facts of a row, in the ledger's files.
COLUMNS = (
    *("id", "paper", "item", "description", "kind", "printed", "value"),
    *("paper_error", "own_error", "low", "high", "splits", "other", "other_error"),
    *("verdict", "erratum", "notebook", "reason", "source"),
)


@dataclass(frozen=True)
class Entry(Record, Row):
    """One row of the ledger: the printed number, the recorded number and the verdict.

    Attributes
    ----------
    run : Entry, optional
        The same row with the value of the other run that the errata name for it.
    notebook, source : str
        The notebook that recorded it, and the Software Heritage identifier of its source.
    """

    run: Entry | None = None
    notebook: str = ""
    source: str = ""

    @property
    def paper_error(self) -> float | None:
        """Return the standard error of the printed value."""
        return self.error_of(self.paper_replicates)

    @property
    def other(self) -> float | str | None:
        """Return the value of the other run that the errata name."""
        return None if self.run is None else self.run.value

    @property
    def other_error(self) -> float | None:
        """Return the standard error of a printed number in that run, with that of its fit."""
        if self.run is None or self.run.paper_error is None:
            return None
        return math.hypot(self.run.paper_error, self.run.own_error or 0.0)

    @property
    def verdict(self) -> str:
        """Return the verdict, a name in `VERDICTS`."""
        return self._judged[0]

    @property
    def reason(self) -> str:
        """Return the reason for the verdict."""
        return self._judged[1]

    @property
    def passes(self) -> bool:
        """Tell whether our number fits the printed number."""
        return VERDICTS[self.verdict].passes

    @property
    def stale(self) -> str:
        """Return the error if the errata explain a difference that is no difference."""
        # A quick build simulates less than the paper did, and may agree by chance.
        quick = self.replicates is not None and self.replicates < (
            self.paper_replicates or math.inf
        )
        if "open" in self.marks and self.verdict not in ("open", "not-recorded"):
            return f"{self.id}: is marked as open, but is {self.verdict} ({self.reason})"
        if not self.erratum or self.run or not self.passes or quick:
            return ""
        return (
            f"{self.id}: names {self.erratum}, but {self.value!r} agrees with the printed "
            f"{self.printed!r} ({self.reason})"
        )

    @property
    def moved(self) -> list[str]:
        """Return the error if a value on which an entry of the errata rests has changed."""
        found = []
        for e, whose in ((self, "ours is"), (self.run, "that run gives")):
            if e is None or e.expected is None or not isinstance(e.value, float):
                continue
            value, tolerance = e.expected
            # The error of a run's value is that of its fit, which does not move.
            noise = STANDARD_ERRORS * (e.own_error or 0.0) if e is self else 0.0
            if noise > tolerance:  # a quick build cannot tell
                tolerance += noise
            if abs(e.value - value) > tolerance:
                found.append(
                    f"{self.id}: {self.erratum} rests on {shown(value)} +- {shown(tolerance)}, "
                    f"but {whose} {shown(e.value)}"
                )
        return found

    @property
    def explained(self) -> bool:
        """Tell whether the other run gives the printed number, and is nearer if ours differs.

        Our number may agree too if the errata assign the rest of a table row to that run.
        """
        if self.run is None or not VERDICTS[self.run._compared[0]].passes:
            return False
        return self.number is None or self.agrees or self.run._distance < self._distance

    @property
    def agrees(self) -> bool:
        """Tell whether the stated design's number agrees, without regard to the errata."""
        return VERDICTS[self._compared[0]].passes

    @property
    def _distance(self) -> Fraction:
        """Return the distance of our value from the printed value."""
        assert isinstance(self.value, float)
        assert self.read is not None
        return abs(Fraction(self.value) - self.read.value)

    @cached_property
    def _judged(self) -> tuple[str, str]:
        """Return the verdict and the reason."""
        verdict, reason = self._compared
        if self.reconstructed:
            reason = f"from the reconstructed input: {reason}"
        if self.why:
            reason += f"; {self.why}"
        if self.run and self.agrees and not self.marks & {"input", "chosen"}:
            reason = f"{self.erratum} has the rest of its table row, or its table; ours {reason}"
        elif self.erratum and verdict == "open":
            reason = f"{self.erratum}: {reason}"
        if self.run:
            reason += f"; that run's {shown(self.other)} {self.run._compared[1]}"
        elif self.erratum.startswith("R"):
            reason += "; no results at hand have that run's value"
        return self._verdict, reason

    @property
    def _verdict(self) -> str:
        """Return the verdict: that of the comparison, or what is known beside it."""
        verdict = self._compared[0]
        if self.marks & {"input", "chosen"} and self.agrees:
            return "used-as-input"
        if self.run and self.agrees:
            return self._of_other_run
        if self.reconstructed and verdict in ("match", "monte-carlo"):
            return "reconstructed"
        if self.erratum and verdict == "open":
            is_run = self.erratum.startswith("R")
            return self._of_other_run if is_run else EXPLAINED[self.erratum[0]]
        return verdict

    @property
    def _of_other_run(self) -> str:
        """Return the verdict of a number that the errata assign to another run."""
        if self.run is None or not self.explained:
            return "open"
        if self.agrees and self.number is not None:
            return "either-run"
        if "predicted" not in self.marks:
            return "other-run-fitted"
        return "other-run-predicted" if self.run._is_narrow else "not-contradicted"

    @cached_property
    def _compared(self) -> tuple[str, str]:
        """Return the verdict of the comparison, "open" if they differ, and the rule."""
        if self.missing:
            return "unpublished-input", self.missing
        if self.value is None:
            return "not-recorded", "no results at hand have it"
        if self.read is None or isinstance(self.value, str):
            same = self.value == self.printed
            return ("match", "the same word") if same else ("open", "another word")
        return self._against_number(self.value, self.read)

    def _against_number(self, value: float, printed: Number) -> tuple[str, str]:
        """Return the verdict and the rule for a number."""
        # Double arithmetic may lose this much; without it a tie would depend on the last bit.
        slack = abs(Fraction(value)) * ROUNDING
        low, high = ledger.allowed(self, self)
        agrees = low - slack <= printed.value <= high + slack
        if self.low is not None and self.high is not None:
            return self._against_band(agrees, self.low, self.high)
        distance = abs(Fraction(value) - printed.value)
        if distance <= printed.half_unit + slack:
            return "match", "rounds to the printed number"
        rule = f"differs by {float(distance):.3g}, allowed {float(high - Fraction(value)):.3g}"
        return "monte-carlo" if agrees else "open", rule

    def _width(self, low: float, high: float) -> tuple[float, float, str]:
        """Return a band's width as a part, the widest that counts, and of what it is a part."""
        assert isinstance(self.value, float)
        scale, most, of = abs(self.value), WIDEST, "the value"
        if self.is_coverage:
            scale, most, of = 1 - self.value, WIDEST_MISS, "1 - coverage"
        return (high - low) / scale if scale > 0 else math.inf, most, of

    @property
    def _is_narrow(self) -> bool:
        """Tell whether so few numbers agree with our value that a prediction could fail."""
        width, most, _ = self._width(*map(float, ledger.allowed(self, self)))
        return width <= most

    def _against_band(self, agrees: bool, low: float, high: float) -> tuple[str, str]:
        """Return the verdict and the rule for a number with a band."""
        width, most, of = self._width(low, high)
        where = "inside" if agrees else "outside"
        rule = (
            f"{where} the central 99 % of {self.splits} replications, {low:g} to {high:g}, "
            f"{width:.2g} of {of}"
        )
        if not agrees:
            return "open", rule
        return "in-band" if width <= most else "not-contradicted", rule


def _columns(row: Row, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def entry(row: Row, published: Published, records: Mapping[str, Record], **of: Any) -> Entry:
    """Return a row of the ledger, from its published and recorded facts."""

    def joined(record: Record, of: Mapping[str, Any]) -> Entry:
        return Entry(**{**vars(row), **vars(record), "id": row.id, **of})

    name = f"{row.erratum}:{row.id}"
    if run := records.get(name):
        of["run"] = joined(run, {"expected": published.expected.get(name)})
    return joined(records.get(row.id, Record(row.id)), of)


@dataclass(frozen=True)
class Statement:
    """A sentence of a paper, and whether it holds by the numbers of a notebook."""

    notebook: str
    decision: str
    section: str
    text: str

    @property
    def paper(self) -> str:
        """Return the paper's key, with which the notebook's name begins."""
        return self.notebook.partition("-")[0]


class Ledger:
    """All entries, in the order of the published tables, and all errors found in the results."""

    def __init__(self, published: Published, results: Path) -> None:
        self.published = published
        records, notebooks, self.errors = ledger.read(results, published)
        self.quoted = {i: record.value for i, record in records.items() if "/" not in i}
        self.statements = [
            Statement(notebooks[i], *str(value).split(" | ", 2))
            for i, value in self.quoted.items()
            if i.startswith(f"{notebooks[i]}-{STATEMENT}-")
        ]
        order = list(published.papers)
        self.statements.sort(key=lambda statement: order.index(statement.paper))
        if not published.rows:
            self.errors.append(f"{published.folder}: no published numbers")
        folder = published.folder.parents[1] / "notebooks"
        self.notebooks = {name: swhid(folder / f"{name}.py") for name in notebooks.values()}
        self.entries = []
        for row in published.rows.values():
            name = notebooks.get(row.id, "")
            of = {"notebook": name, "source": self.notebooks.get(name, "")}
            self.entries.append(entry(row, published, records, **of))
        self.errors += [e.stale for e in self.entries if e.stale]
        self.errors += [problem for e in self.entries for problem in e.moved]

    @property
    def problems(self) -> list[str]:
        """Return every error, and every open row that the errata do not explain."""
        return self.errors + [
            f"{e.id} is open: {e.reason}"
            for e in self.entries
            if e.verdict == "open" and not (e.erratum.startswith(("O", "N")) or "open" in e.marks)
        ]

    @property
    def numbers(self) -> list[Entry]:
        """Return the entries without those that print the number of another row again."""
        return [e for e in self.entries if e.id not in self.published.restated]

    @property
    def once(self) -> Counter[str]:
        """Count the numbers of each verdict; a number that is printed twice counts once."""
        return Counter(e.verdict for e in self.numbers)

    @property
    def used(self) -> list[str]:
        """Return the verdicts that some row has, in the order of `VERDICTS`."""
        present = {e.verdict for e in self.entries}
        return [name for name in VERDICTS if name in present]

    @property
    def tally(self) -> str:
        """Return the count of all numbers in words, which every page and the README quote."""
        tones = Counter[str]()
        for name, count in self.once.items():
            tones[VERDICTS[name].tone] += count
        either = self.once["either-run"]
        runs = tones["differs"] - self.once["erratum"]
        too = f" ({either} of these fit the stated run too)" if either else ""
        counted = {
            "agree by construction, or in a check too weak to count": tones["weak"],
            "are wrong in print": self.once["erratum"],
            f"fit a run that differs from the run that the paper describes{too}": runs,
            "need an input that is not available to us": tones["missing"],
            "are not understood": self.once["open"],
            "are not computed in this build": self.once["not-recorded"],
        }
        agree = tones["agrees"] + tones["placed"]
        parts = [f"**{agree} of {self.once.total()}** published numbers agree with ours."]
        parts += [f"{count} {words}." for words, count in counted.items() if count]
        return " ".join(parts)

    @property
    def statement_tally(self) -> str:
        """Return the count of the papers' statements in words."""
        counts = Counter(statement.decision for statement in self.statements)
        return (
            f"**{counts['holds']} of {counts.total()}** statements of the papers hold, "
            f"{counts['does not hold']} do not, and {counts['cannot be tested']} cannot be tested."
        )

    @property
    def brief(self) -> str:
        """Return both tallies in one line, for the README."""
        return f"{self.tally.partition('.')[0]}, and {self.statement_tally.partition(',')[0]}."

    @property
    def by_row(self) -> dict[str, str]:
        """Return the verdict of every row, which the reference run keeps."""
        return {e.id: e.verdict for e in self.entries}

    def counts(self) -> dict[str, dict[str, int]]:
        """Count the numbers of each verdict, by paper; a number printed twice counts once."""
        groups: dict[str, Counter[str]] = {e.paper: Counter() for e in self.entries}
        for e in self.numbers:
            groups[e.paper][e.verdict] += 1
        return {key: {name: group[name] for name in VERDICTS} for key, group in groups.items()}

    def write(self, folder: Path) -> None:
        """Write `ledger.csv` and `ledger.json`."""
        lines = [_columns(e, COLUMNS) for e in self.entries]
        write(folder / "ledger.csv", csv_text(COLUMNS, lines))
        report = {
            "rows": lines,
            "inputs": [_columns(row, ROW_COLUMNS) for row in self.published.inputs.values()],
        }
        write(folder / "ledger.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")

    def scoreboard(self) -> Iterator[str]:
        """List the number of rows with each verdict, and every row that does not agree."""
        yield f"{len(self.entries)} published numbers, results of {len(self.notebooks)} notebooks"
        for verdict in VERDICTS.values():
            rows = [e for e in self.entries if e.verdict == verdict.name]
            if rows:
                yield f"{verdict.name}: {len(rows)}"
            for e in rows if not verdict.agrees else ():
                yield f"  {e.id}: printed {e.printed}, ours {shown(e.value)}; {e.reason}"
        yield f"errors: {len(self.errors)}"
        yield from (f"  {error}" for error in self.errors)


def keep(root: Path, published: Published) -> None:
    """Write what the repository keeps of the reference run's verdicts.

    That is the verdict of every row, so that a changed mark is noticed, and the README's tally.
    """
    built = Ledger(published, root / REFERENCE)
    write(root / KEPT, json.dumps(built.by_row, indent=1) + "\n")
    readme = root / "README.md"
    if readme.exists():
        said = textwrap.fill(built.brief, 118)
        write(readme, _TALLY.sub(f"\\1{said}\\2", readme.read_text("utf-8")))


def compared(pairs: Iterable[tuple[Entry, Entry]]) -> Iterator[str]:
    """List the numbers by their verdicts in two runs, as a table, and each number that differs."""
    yield "| in the reference run | in this run | numbers |\n|---|---|---:|"
    counts = Counter((before.verdict, now.verdict) for before, now in pairs)
    yield from (f"| {before} | {now} | {n} |" for (before, now), n in sorted(counts.items()))
    for before, now in pairs:
        if before.verdict != now.verdict:
            two = "; ".join(f"{shown(e.value)}, {e.verdict}" for e in (before, now))
            yield f"\n{now.id}: printed {now.printed}; {two}"


def _of_seed(edition: Edition) -> bool:
    """Compare a run with another root seed with the reference run; tell if its ledger is sound."""
    published = Published(edition.published)
    reference = Ledger(published, edition.root / REFERENCE).entries
    run = Ledger(published, edition.results)
    pairs = [(a, b) for a, b in zip(reference, run.entries, strict=True) if b.notebook]
    table = write(edition.folder / "verdicts.md", "\n".join(compared(pairs)) + "\n")
    sys.stdout.write(table.read_text("utf-8"))
    return not run.problems


def _main(edition: Edition, options: Namespace) -> bool:
    if options.seed:
        return _of_seed(replace(edition, name="seed"))
    built = Ledger(Published(edition.published), edition.results)
    stale = (task for task in tasks(edition) if task.reason)
    built.errors += [f"the notebook {task.name} must run: {task.reason}" for task in stale]
    built.write(edition.folder / "ledger")
    sys.stdout.write("\n".join(built.scoreboard()) + "\n")
    return not built.problems


if __name__ == "__main__":
    seed = {"action": "store_true", "help": "compare a run with another root seed"}
    command(_main, {"--seed": seed})
