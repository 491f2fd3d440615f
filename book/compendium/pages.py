"""What readers see of the ledger: marks in tables filled in, and the pages made from data."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from typing import Any
from unittest import mock

from compendium import write
from compendium.published import Erratum, LedgerError, Published, Row
from compendium.verdicts import VERDICTS, Entry, Ledger
from f1ci import cli

__all__ = [
    "Citing",
    "badge",
    "command_line",
    "decimals",
    "fill",
    "tally",
    "value_text",
    "write_pages",
]

_MARK = re.compile(r'<span data-ledger="([^"]*)" data-show="(\w+)"></span>')


# --- one row, wherever it stands ------------------------------------------------------------


def fill(html: str, rows: Mapping[str, Entry | Row]) -> str:
    """A notebook's table with printed numbers, ours, verdicts and links in their places."""

    def show(mark: re.Match[str]) -> str:
        identity, what = unescape(mark[1]), mark[2]
        row = rows.get(identity)
        if row is None:
            raise LedgerError(f"no published number has the id {identity!r}")
        if what == "description":
            return escape(row.description)
        if what == "printed":
            return _link(row)
        if not isinstance(row, Entry):
            raise LedgerError(f"{identity} is an input, which has no {what}")
        if what == "value":
            return value_text(row.value, row.printed)
        return badge(row.verdict) if what == "verdict" else _cell(row)

    return _MARK.sub(show, html)


def badge(verdict: str) -> str:
    """A verdict by word and colour."""
    return f'<span class="verdict verdict-{VERDICTS[verdict].tone}">{verdict}</span>'


def value_text(value: float | str | None, printed: str, more: int = 2) -> str:
    """A reproduced value with a few digits more than the paper prints."""
    if value is None:
        return ""
    if isinstance(value, str):
        return escape(value)
    places = 4 if "/" in printed else decimals(printed)
    if places == 0 and float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.{places + more}f}"


def decimals(printed: str) -> int:
    """How many decimals a printed number has.

    >>> decimals("99.6%"), decimals("59,066")
    (1, 0)
    """
    return len(printed.rstrip("%").partition(".")[2])


def _cell(entry: Entry) -> str:
    title = escape(f"{entry.verdict}: {entry.reason}", quote=True)
    return (
        f'<span class="cell verdict-{VERDICTS[entry.verdict].tone}" title="{title}">'
        f"{_link(entry)}<br>{value_text(entry.value, entry.printed)}"
        f"<br><small>{entry.verdict}</small></span>"
    )


def _link(row: Entry | Row) -> str:
    href = f"../book/ledger.html#{row.id}"
    return f'<a class="ledger-number" href="{href}">{escape(row.printed)}</a>'


def tally(rows: Iterable[Mapping[str, Any]], of: str) -> int:
    """How many numbers a notebook recorded, or how many have one of some verdicts.

    `of` is the notebook's name, and verdicts after a bar: ``yuan-letter|erratum open``.
    """
    notebook, _, listed = of.partition("|")
    wanted = listed.split() or list(VERDICTS)
    if unknown := [name for name in wanted if name not in VERDICTS]:
        raise LedgerError(f"no verdict is called {unknown[0]!r}; there are {', '.join(VERDICTS)}")
    return sum(row.get("notebook") == notebook and row["verdict"] in wanted for row in rows)


# --- the pages ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Citing:
    """What a citation of a row says beside the row."""

    address: str = ""  # of the ledger's page
    version: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)  # of results, by notebook


def write_pages(staged: Path, ledger: Ledger, citing: Citing) -> None:
    """Write the fragments that the pages include, and the data that the roles read."""
    published = ledger.published
    generated = staged / "book" / "_generated"
    ledger.write(generated)
    names = {key: paper.name for key, paper in published.papers.items()}
    fragments = {
        "sentence": _sentence(ledger),
        "verdicts": _verdicts(),
        "power": _power(ledger),
        "scoreboard": _scoreboard(ledger, names),
        "ledger-table": _table(ledger.entries, names, citing),
        "inputs-table": _inputs(published),
        "errata": _register(ledger, names),
        "cli": command_line(),
    }
    for name, text in fragments.items():
        write(generated / f"{name}.md", text + "\n")


def _sentence(ledger: Ledger) -> str:
    """The headline: every number once, however often the papers print it."""
    entries = [e for e in ledger.entries if e.id not in ledger.published.restated]
    totals = {name: sum(e.verdict == name for e in entries) for name in VERDICTS}
    agree = sum(totals[name] for name, verdict in VERDICTS.items() if verdict.agrees)
    rest = [
        f"{totals[name]} {verdict.told}"
        for name, verdict in VERDICTS.items()
        if verdict.told and totals[name]
    ]
    head = (
        f"The papers' results have **{len(ledger.entries)}** rows here. Of the **{len(entries)}** "
        f"that do not restate another, **{agree}** agree with ours"
    )
    within = [
        f"{totals[name]} {how}"
        for name, how in (
            ("match", "to the printed digits"),
            ("monte-carlo", "within the noise of a simulation"),
            ("reconstructed", "from an input found from other printed numbers"),
            ("in-band", "within the range of repetitions with other random splits"),
        )
        if totals[name]
    ]
    head += f": {', '.join(within)}" if within else ""
    return f"{head}. Of the rest, {', '.join(rest)}." if rest else f"{head}."


def _power(ledger: Ledger) -> str:
    """How many numbers of each verdict a wrong value of ours would turn."""
    found = {factor: ledger.power(factor) for factor in (0.5, 1.01, 2.0)}
    head = "| verdict | " + " | ".join(f"ours times {factor:g}" for factor in found) + " |"
    lines = [head, "|---|" + "---:|" * len(found)]
    for name in found[2.0]:
        cells = " | ".join("{} of {}".format(*found[factor][name]) for factor in found)
        lines.append(f"| {badge(name)} | {cells} |")
    return "\n".join(lines)


def _verdicts() -> str:
    lines = [f"| {badge(name)} | {verdict.meaning} |" for name, verdict in VERDICTS.items()]
    return "\n".join(["| verdict | meaning |", "|---|---|", *lines])


def _scoreboard(ledger: Ledger, names: Mapping[str, str]) -> str:
    """The counts by verdict and paper; `names` gives the order and what each is called."""
    counts = ledger.counts("paper")
    papers = [key for key in names if key in counts]
    lines = []
    for verdict in VERDICTS:
        found = [counts[key][verdict] for key in papers]
        if any(found):
            cells = "".join(f"<td>{n or '·'}</td>" for n in [*found, sum(found)])
            lines.append(f'<tr><th scope="row">{badge(verdict)}</th>{cells}</tr>')
    sums = [sum(counts[key].values()) for key in papers]
    last = "".join(f"<td>{n}</td>" for n in [*sums, sum(sums)])
    lines.append(f'<tr class="total"><th scope="row">all</th>{last}</tr>')
    head = "".join(f'<th scope="col">{escape(names[key])}</th>' for key in papers)
    return (
        '<div class="wide" tabindex="0"><table class="scoreboard"><thead><tr>'
        f'<th scope="col">verdict</th>{head}<th scope="col">all</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _table(entries: Sequence[Entry], names: Mapping[str, str], citing: Citing) -> str:
    """Every row of the ledger, with its id as an anchor, in a folded part for each item.

    The parts open without a script; `ledger.js` filters and sorts them, and copies citations.
    """
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.paper, entry.item), []).append(entry)
    parts = []
    for (paper, item), rows in groups.items():
        counts = Counter(e.verdict for e in rows)
        told = " ".join(f"<span>{counts[v]} {badge(v)}</span>" for v in VERDICTS if counts[v])
        title = f"{escape(names[paper])}: {item_name(item)}"
        parts.append(
            f'<details class="item" id="{paper}/{item}"><summary>{title} '
            f'<span class="counts">{told}</span></summary><table class="ledger sortable">'
            f'<caption class="for-readers">{title}</caption>'
            f"{_head(('number', 'printed', 'reproduced', 'verdict'))}"
            f"<tbody>{''.join(_row(e, citing) for e in rows)}</tbody></table></details>"
        )
    used = {v: v for v in VERDICTS if any(e.verdict == v for e in entries)}
    form = _form({"Paper": names, "Verdict": used}, "Table 3 Wald", len(entries))
    return (
        f'<div class="ledger-all full-width" data-address="{escape(citing.address)}" '
        f'data-version="{escape(citing.version)}">{form}{"".join(parts)}</div>'
    )


def item_name(item: str) -> str:
    """An item as a reader calls it.

    >>> item_name("section-2.4")
    'Section 2.4'
    """
    return escape(item.replace("-", " ").capitalize())


def _row(e: Entry, citing: Citing) -> str:
    page = f'<a href="../notebooks/{e.notebook}.html" title="{e.source}">{e.notebook}</a>'
    where = f"; {page}" if e.notebook else ""
    erratum = f' <a href="errata.html#{e.erratum.lower()}">{e.erratum}</a>' if e.erratum else ""
    return (
        f'<tr id="{e.id}" data-paper="{e.paper}" data-verdict="{e.verdict}"'
        f' data-hash="{citing.hashes.get(e.notebook, "")}">'
        f'<td><a class="row-link" href="#{e.id}">{e.id}</a>'
        f"<br><small>{escape(e.description)}</small></td>"
        f'<td class="number">{escape(e.printed)}</td>'
        f'<td class="number">{value_text(e.value, e.printed)}</td>'
        f"<td>{badge(e.verdict)}{erratum}<br><small>{escape(e.reason)}{where}</small></td></tr>"
    )


def _head(names: Sequence[str]) -> str:
    cells = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{name}</button></th>'
        for name in names
    )
    return f"<thead><tr>{cells}</tr></thead>"


def _form(choices: Mapping[str, Mapping[str, str]], words: str, count: int) -> str:
    """What `ledger.js` filters by: words, a paper and one thing more."""
    fields = "".join(
        f'<label>{label} <select name="{field}"><option value="">all</option>'
        + "".join(f'<option value="{key}">{escape(text)}</option>' for key, text in options.items())
        + "</select></label> "
        for field, (label, options) in zip(("paper", "verdict"), choices.items(), strict=True)
    )
    return (
        '<form class="ledger-filter" hidden>'
        f'<label>Words <input type="search" name="words" placeholder="{words}"></label> {fields}'
        f'<output aria-live="polite">{count} rows</output></form>'
    )


def _inputs(published: Published) -> str:
    rows = "".join(
        f'<tr id="{row.id}"><td><a class="row-link" href="#{row.id}">{row.id}</a></td>'
        f'<td>{escape(row.description)}</td><td class="number">{escape(row.printed)}</td></tr>'
        for row in published.inputs.values()
    )
    return (
        '<div class="wide" tabindex="0"><table class="ledger"><thead><tr><th scope="col">input</th>'
        f'<th scope="col">what it is</th><th scope="col">printed</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


_SECTIONS = {"E": "Errors", "R": "Other runs", "O": "Not understood", "N": "Remarks"}


def _register(ledger: Ledger, names: Mapping[str, str]) -> str:
    """A summary table of all entries, which `ledger.js` sorts and filters, then each in full."""
    rows: dict[str, list[Entry]] = {}
    for entry in ledger.entries:
        rows.setdefault(entry.erratum, []).append(entry)
    order = list(_SECTIONS)
    entries = sorted(ledger.published.errata.values(), key=lambda e: order.index(e.id[0]))
    lines = [
        f'<tr data-paper="{e.paper}" data-verdict="{e.kind}">'
        f'<td><a href="#{e.id.lower()}">{e.id}</a></td><td>{escape(names[e.paper])}</td>'
        f"<td>{e.kind}</td><td>{escape(e.place)}</td>"
        f'<td class="number">{len(rows.get(e.id, [])) or "·"}</td></tr>'
        for e in entries
    ]
    kinds = {e.kind: e.kind for e in entries}
    heads = ("entry", "paper", "kind", "where", "rows")
    form = _form({"Paper": names, "Kind": kinds}, "E-lam misprint", len(lines))
    summary = (
        f'<div class="ledger-all">{form}<div class="wide"><table class="ledger sortable">'
        f"{_head(heads)}<tbody>{''.join(lines)}</tbody></table></div></div>"
    )
    parts = [summary]
    section = ""
    for erratum in entries:
        if erratum.id[0] != section:
            section = erratum.id[0]
            parts.append(f"## {_SECTIONS[section]}")
        parts.append(_erratum(erratum, rows.get(erratum.id, [])))
    return "\n\n".join(parts)


def _erratum(erratum: Erratum, rows: Sequence[Entry]) -> str:
    remark = erratum.id.startswith("N")
    facts = {
        "Where": erratum.place,
        "In the paper" if remark else "Printed": erratum.printed,
        "Right": erratum.right,
        "What we found" if remark else "How we know": erratum.how_known,
        "What it changes": erratum.consequence,
    }
    lines = "\n".join(f"{name}\n: {text}\n" for name, text in facts.items() if text)
    notebooks = []
    for place in filter(None, map(str.strip, erratum.shown_in.split(";"))):
        name, mark, anchor = place.partition("#")
        target = f"../notebooks/{name}.html{mark}{anchor}"
        notebooks.append(f'<a href="{target}">{name}</a>')
    shown = f"\nComputed in\n: {', '.join(notebooks)}\n" if notebooks else ""
    links = [
        f'<a href="ledger.html#{row.id}">{row.id.partition("/")[2]}</a> ({escape(row.printed)}; '
        f"ours {value_text(row.value, row.printed)})"
        for row in rows
    ]
    listed = f"\nRows\n: {', '.join(links)}\n" if links else ""
    return f"({erratum.id})=\n### {erratum.id}: {erratum.kind}\n\n{lines}{shown}{listed}"


# What the page on the command line runs. The file is made up; its first lines are shown.
COMMANDS = (
    "f1ci counts 77 44 10",
    "f1ci report labels.csv --true y --pred model_a",
    "f1ci compare labels.csv --true y --pred model_a model_b",
    "f1ci compare labels.csv --true y --pred model_a model_b --groups document",
    "f1ci plan --half-width 0.05 --prevalence 0.25",
    "f1ci plan --difference 0.03 --disagreement 0.05 0.05 --score 0.8 --prevalence 0.25",
)


def command_line() -> str:
    """What commands answer, and the help of each, from the program itself."""
    lines = ["document,y,model_a,model_b"]
    for k in range(240):
        document, y = k // 12, k % 5 < 2
        hard = document % 4 == 0  # for both models
        wrong_a, wrong_b = k % (2 if hard else 11) == 0, k % (3 if hard else 19) == 0
        lines.append(f"{document},{y:d},{y ^ wrong_a:d},{y ^ wrong_b:d}")
    parts = ["## What it answers", "The first lines of `labels.csv`:", _block("text", lines[:4])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        path.write_text("\n".join(lines) + "\n", "utf-8")
        for command in COMMANDS:
            words = [str(path) if word == path.name else word for word in shlex.split(command)]
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                failed = cli.main(words[1:])
            if failed:
                raise ValueError(f"this command of a page has failed: {command}")
            parts.append(_block("console", [f"$ {command}", out.getvalue().rstrip()]))
    parts.append("## Every option")
    with mock.patch.dict(os.environ, COLUMNS="88"):  # whatever the width of the terminal is
        helps = cli.helps()
    for name, text in helps.items():
        parts += [f"### {name}", _block("text", [text.rstrip()])]
    return "\n\n".join(parts)


def _block(language: str, lines: Iterable[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"])
