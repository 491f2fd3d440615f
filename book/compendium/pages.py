"""The pages that are made from data: the ledger, the errata, the API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from compendium.ledger import VERDICTS, Entry, Ledger
from compendium.published import PAPERS, Erratum, Published
from compendium.tables import badge, value_text

__all__ = ["PAPER_NAMES", "write"]

PAPER_NAMES = {
    "lam": "Lam, Gopal & Qian 2024",
    "takahashi": "Takahashi et al. 2022",
    "wangli": "Wang & Li 2019",
    "jiang": "Jiang 2020",
    "yuan": "Yuan & Jiang 2025",
}


def write(staged: Path, published: Published, ledger: Ledger) -> None:
    """Write the fragments that the pages include, and the data that the roles read."""
    generated = staged / "book" / "_generated"
    generated.mkdir(parents=True, exist_ok=True)
    ledger.write(generated)
    report = json.loads((generated / "ledger.json").read_text("utf-8"))
    report["inputs"] = [asdict(row) for row in published.inputs.values()]
    (generated / "ledger.json").write_text(
        json.dumps(report, indent=1, ensure_ascii=False), "utf-8"
    )
    fragments = {
        "scoreboard": _scoreboard(ledger, "paper", PAPERS, PAPER_NAMES),
        "scoreboard-items": _items(ledger),
        "ledger-table": _table(ledger.entries),
        "inputs-table": _inputs(published),
        "errata": _errata(published.errata.values()),
        "sentence": _sentence(ledger),
    }
    for name, text in fragments.items():
        (generated / f"{name}.md").write_text(text + "\n", "utf-8")


def _sentence(ledger: Ledger) -> str:
    totals = {v: sum(e.verdict == v for e in ledger.entries) for v in VERDICTS}
    agree = sum(totals[v] for v in ("match", "monte-carlo", "in-band", "reconstructed"))
    rest = [
        f"{totals[verdict]} {words}"
        for verdict, words in (
            ("erratum", "differ and have an entry in the [register of errata](/book/errata.md)"),
            ("unpublished-input", "need an input that was never published"),
            ("open", "differ and are not understood"),
            ("not-recorded", "have not been computed in this build"),
        )
        if totals[verdict]
    ]
    head = f"Of **{len(ledger.entries)}** published numbers, **{agree}** agree with ours"
    if totals["in-band"]:
        head += (
            f" ({totals['in-band']} of them depend on an unpublished random split, and lie within "
            "the range of independent repetitions)"
        )
    return f"{head}; {', '.join(rest)}." if rest else f"{head}."


def _scoreboard(
    ledger: Ledger, by: str, order: Iterable[str], names: dict[str, str] | None = None
) -> str:
    counts = ledger.counts(by)
    used = [v for v in VERDICTS if any(group[v] for group in counts.values())]
    head = "".join(f'<th scope="col">{badge(v)}</th>' for v in used)
    lines = []
    for key in (key for key in order if key in counts):
        cells = "".join(f"<td>{counts[key][v] or '·'}</td>" for v in used)
        name = escape((names or {}).get(key, key))
        lines.append(
            f'<tr><th scope="row">{name}</th>{cells}<td>{sum(counts[key].values())}</td></tr>'
        )
    sums = [sum(group[v] for group in counts.values()) for v in used]
    total = "".join(f"<td>{n}</td>" for n in [*sums, sum(sums)])
    lines.append(f'<tr class="total"><th scope="row">all</th>{total}</tr>')
    label = "paper" if by == "paper" else "item"
    return (
        '<div class="wide" tabindex="0"><table class="scoreboard"><thead><tr>'
        f'<th scope="col">{label}</th>{head}<th scope="col">all</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _items(ledger: Ledger) -> str:
    order = list(dict.fromkeys(f"{entry.paper}/{entry.item}" for entry in ledger.entries))
    return _scoreboard(ledger, "item", order)


def _table(entries: Sequence[Entry]) -> str:
    """Every row of the ledger, with its id as an anchor; `ledger.js` sorts and filters it."""
    rows = []
    for e in entries:
        where = f'; <a href="../notebooks/{e.notebook}.html">{e.notebook}</a>' if e.notebook else ""
        erratum = f' <a href="errata.html#{e.erratum.lower()}">{e.erratum}</a>' if e.erratum else ""
        rows.append(
            f'<tr id="{e.id}" data-paper="{e.paper}" data-verdict="{e.verdict}">'
            f'<td><a class="row-link" href="#{e.id}">{e.id}</a>'
            f"<br><small>{escape(e.description)}</small></td>"
            f'<td class="number">{escape(e.printed)}</td>'
            f'<td class="number">{value_text(e.value, e.printed)}</td>'
            f"<td>{badge(e.verdict)}{erratum}<br><small>{escape(e.reason)}{where}</small></td></tr>"
        )
    heads = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{name}</button></th>'
        for name in ("number", "printed", "reproduced", "verdict")
    )
    papers = "".join(f'<option value="{key}">{escape(PAPER_NAMES[key])}</option>' for key in PAPERS)
    used = [v for v in VERDICTS if any(e.verdict == v for e in entries)]
    verdicts = "".join(f'<option value="{v}">{v}</option>' for v in used)
    return (
        '<form class="ledger-filter">'
        '<label>Words <input type="search" name="text" placeholder="table-3 wald"></label> '
        f'<label>Paper <select name="paper"><option value="">all</option>{papers}</select></label> '
        f'<label>Verdict <select name="verdict"><option value="">all</option>{verdicts}</select>'
        f'</label> <output aria-live="polite">{len(entries)} rows</output></form>'
        '<div class="wide" tabindex="0"><table class="ledger" id="ledger-rows">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
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


def _errata(errata: Iterable[Erratum]) -> str:
    """The register, by paper."""
    parts = []
    paper = ""
    for erratum in errata:
        if erratum.paper != paper:
            paper = erratum.paper
            parts.append(f"## {PAPER_NAMES[paper]}")
        parts.append(_erratum(erratum))
    return "\n\n".join(parts)


def _erratum(erratum: Erratum) -> str:
    facts: dict[str, Any] = {
        "Where": erratum.place,
        "Printed": erratum.printed,
        "Right": erratum.right,
        "How we know": erratum.how_known,
        "What it changes": erratum.consequence,
    }
    lines = "\n".join(f"{name}\n: {text}\n" for name, text in facts.items() if text)
    notebooks = []
    for place in filter(None, map(str.strip, erratum.shown_in.split(";"))):
        name, mark, anchor = place.partition("#")
        target = f"../notebooks/{name}.html{mark}{anchor}"
        notebooks.append(f'<a href="{target}">{name}</a>')
    shown = f"\nShown in\n: {', '.join(notebooks)}\n" if notebooks else ""
    return f"({erratum.id})=\n### {erratum.id}: {erratum.kind}\n\n{lines}{shown}"
