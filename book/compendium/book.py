"""Build the book: stage a tree of pages and executed notebooks, and run Jupyter Book.

The staged tree has the repository's paths, because links for Binder and Colab point at the
committed notebooks of this version's tag. This module asks for the verdicts, fills in the tables of
the notebooks, and writes the parts of pages that are made from data; `templates` has their form.
A notebook that failed, or was not run, still gets a page, which says so. The command then ends
with a non-zero exit code.

This module is also the book's Sphinx extension, with three roles.
``{published}`lam/section-6/wald/low``` gives the number as the paper prints it.
``{computed}`lam/section-6/wald/low``` gives our number, to the digits that the paper prints, or in
the format after a bar: ``{computed}`lam/section-6/wald/low|.5f```.
``{tally}`yuan-letter|erratum``` counts the numbers that a notebook recorded, here those with one
verdict. An unknown id is a warning, which fails the build. If no notebook of the build has
computed the value, the page says "not computed" in red.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat
import yaml
from docutils import nodes
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from compendium import RefusedError, deposit, read_json, show, sources, swhid, write
from compendium.execute import QUICK, Edition, Task, command, locked, say, seconds, tasks
from compendium.published import LedgerError, Published, Row
from compendium.verdicts import VERDICTS, Entry, Ledger
from f1ci import cli

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
# The parts of pages that follow from the ledger and from the last runs.
FRAGMENTS = (
    *("sentence", "verdicts", "power", "scoreboard", "ledger-table", "inputs-table"),
    *("errata", "cli", "parameters", "times"),
)
# A name of f1ci in a text: `f1ci.f1_interval`, `metrics.macro(...)`.
_NAME = re.compile(r"(?:f1ci\.)?([A-Za-z_][\w.]*)(?:\(.*)?$", re.S)
# Scripts that pages do not need: for live cells, which the book does not offer (a double
# declaration is an error in every browser); for icons, which the style sheet draws with a font;
# for mathematics on pages without formulas.
_IN_VAIN = re.compile(
    r"<script(?:[^>]*(?:thebe|fontawesome)[^>]*>|>[^<]*THEBE[^<]*)</script>", re.IGNORECASE
)
_MATHJAX = re.compile(r'<script[^>]* src="[^"]*mathjax[^>]*></script>')


def build(edition: Edition) -> list[str]:
    """Build the site of an edition into its ``html`` folder; return what went wrong."""
    staged = edition.folder / "stage"
    shutil.rmtree(staged, ignore_errors=True)
    problems = stage(edition, staged)
    say("Building the book ...")
    program = "from jupyter_book.cli.main import main; main()"
    options = ["build", str(staged), "--toc", str(staged / "book" / "_toc.yml")]
    strict = [] if edition.name == "site" else ["-W"]  # a preview may lack files of notebooks
    process = subprocess.run(
        [sys.executable, "-c", program, *options, *strict, "--keep-going", "-n", "-q"],
        env={**os.environ, "PYTHONPATH": str(edition.root / "book")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    html = staged / "_build" / "html"
    if process.returncode:
        say(process.stdout)
        problems.append("Jupyter Book ended with warnings or errors, see above")
    if not (html / "index.html").exists():
        return [*problems, "no site was built"]
    deposit.write_crate(edition, html)
    target = edition.folder / "html"
    shutil.rmtree(target, ignore_errors=True)
    html.rename(target)
    say(f"The site is in {target.relative_to(edition.root)}/index.html")
    return problems


# Staging


def stage(edition: Edition, staged: Path) -> list[str]:
    """Write the tree that Jupyter Book reads; return what is wrong with it."""
    root, extra = edition.root, staged / "_extra"
    _copy(root / "book", staged / "book", "compendium")
    settings = yaml.safe_load((root / "_config.yml").read_text("utf-8")) or {}
    settings.setdefault("repository", {})["branch"] = f"v{version('f1ci')}"
    settings.setdefault("sphinx", {}).setdefault("config", {})["release"] = version("f1ci")
    write(staged / "_config.yml", yaml.safe_dump(settings))
    (staged / "notebooks").mkdir()
    # Files that pages offer, at addresses that stay the same.
    _copy(root / "notebooks" / "data", extra / "notebooks" / "data")
    if edition.results.exists():
        for place in (staged, extra):
            _copy(edition.results, place / "results")
    published = Published(edition.published)
    ledger = Ledger(published, edition.results)
    generated = staged / "book" / "_generated"
    for folder in (edition.folder / "ledger", extra / "ledger", generated):
        ledger.write(folder)
    listed = tasks(edition)
    records = [t.record for t in listed if t.record]
    for name in FRAGMENTS:
        text = fragment(
            name,
            ledger,
            tasks=listed,
            quick=sources.quick_values(root),
            done=[record for record in records if not record["error"]],
            hashes={record["name"]: record["results"] for record in records},
            seconds=seconds,
        )
        write(generated / f"{name}.md", text)
    write(generated / "certificate.md", _certificate(edition, extra))
    for task in listed:
        _stage_notebook(edition, staged, task, ledger)
    late = [f"the notebook {t.name} must run: {t.reason}" for t in listed if t.reason]
    return [f"the ledger: {problem}" for problem in ledger.problems] + late


def _copy(source: Path, target: Path, *ignored: str) -> None:
    """Copy a folder without hidden, compiled and named files."""
    ignore = shutil.ignore_patterns("__pycache__", ".*", *ignored)
    shutil.copytree(source, target, ignore=ignore)


def _stage_notebook(edition: Edition, staged: Path, task: Task, ledger: Ledger) -> None:
    """Write a notebook as a page with provenance and folded code, and as a file to download."""
    executed = edition.executed(task.name)
    notebook = sources.read(edition.source(task.name))
    if executed.exists():
        notebook = nbformat.read(executed, as_version=4)
    sources.add_fetching(notebook)
    _fill_tables(notebook, {**ledger.published.inputs, **{e.id: e for e in ledger.entries}})
    if not task.reason:
        offered = nbformat.from_dict(notebook)
        sources.make_readable(offered, f"notebooks/{task.name}", _known(ledger))
        text = nbformat.writes(offered) + "\n"
        write(staged / "_extra" / "notebooks" / f"{task.name}.ipynb", text)
    shutil.copy(edition.source(task.name), staged / "_extra" / "notebooks")
    for cell in notebook.cells:
        broken = any(o.output_type == "error" for o in cell.get("outputs", []))
        tags = cell.metadata.setdefault("tags", [])
        if cell.cell_type == "code" and not broken and not {"show-input", "hide-input"} & {*tags}:
            tags.append("hide-input")
    first = notebook.cells[0]
    title, _, rest = first.source.partition("\n")
    first.source = "\n\n".join([title, _strip(edition, task), rest.strip()])
    (staged / "notebooks" / f"{task.name}.ipynb").write_text(nbformat.writes(notebook), "utf-8")


def _fill_tables(notebook: NotebookNode, rows: Mapping[str, Row]) -> None:
    """Replace the ids in a notebook's tables by printed numbers, our numbers and verdicts."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                html = output["data"]["text/html"]
                output["data"]["text/html"] = show.fill(html, partial(cell_content, rows))


def cell_content(rows: Mapping[str, Row], identity: str, what: str) -> str:
    """Return what a table of the book shows for a number."""
    if identity not in rows:
        raise LedgerError(f"no published number has the id {identity!r}")
    return str(getattr(_ROW, what)(rows[identity]))


def _known(ledger: Ledger) -> dict[str, dict[str, str]]:
    """Return the values that a notebook's text quotes, by role and id."""
    printed = {i: row.printed for i, row in ledger.published.everything.items()}
    computed = {e.id: show.value_text(e.value, e.printed) for e in ledger.entries}
    quoted = {i: v if isinstance(v, str) else f"{v:.6g}" for i, v in ledger.quoted.items()}
    return {"published": printed, "computed": computed, "glue:text": quoted}


def _strip(edition: Edition, task: Task) -> str:
    """Return the provenance of a page and its files, or a red box if it has no result."""
    record = task.record
    if not record or task.reason:
        error = (record or {}).get("error") or {}
        traceback = _ANSI.sub("", error.get("traceback", "")).strip("-\n ")
        return render("unfinished.md", task=task, traceback=traceback)
    return render(
        "provenance.html",
        full=edition.name == "full",
        record=record,
        took=seconds(record["seconds"]),
        source=swhid(edition.source(record["name"])),
    )


def _certificate(edition: Edition, extra: Path) -> str:
    """Compare a full run with the reference run, for the page and as JSON."""
    if edition.name != "full":
        return "This run has few replicates, so it is not compared with the reference run."
    try:
        certificate = deposit.certify(edition)
    except (RefusedError, FileNotFoundError) as error:
        return f"This run was not compared: {error}"
    write(extra / "certificate.json", json.dumps(certificate, indent=1) + "\n")
    return render("certificate.md", certificate=certificate)


# Templates


def fragment(name: str, ledger: Ledger, **more: Any) -> str:
    """Return a part of a page from its template, the ledger and the other facts that it needs."""
    published, entries = ledger.published, ledger.entries
    totals = Counter(e.verdict for e in entries)
    once = Counter(e.verdict for e in entries if e.id not in published.restated)
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.paper, entry.item), []).append(entry)
    errata = sorted(published.errata.values(), key=lambda entry: "ERON".index(entry.id[0]))
    with mock.patch.dict(os.environ, COLUMNS="88"):  # not the width of the terminal
        return render(
            f"{name}.md",
            ledger=ledger,
            papers=published.papers,
            totals=totals,
            used=[verdict for verdict in VERDICTS if totals[verdict]],
            once=once,
            agree=sum(count for name, count in once.items() if VERDICTS[name].agrees),
            groups=groups,
            register={e: [row for row in entries if row.erratum == e.id] for e in errata},
            helps=cli.helps,
            **more,
        )


def render(template: str, **values: Any) -> str:
    """Return a template's text."""
    return _JINJA.get_template(template).render(values)


_JINJA = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
)
_JINJA.filters["digits"] = show.value_text
_JINJA.globals |= {"VERDICTS": VERDICTS, "zip": zip}
_ROW: Any = _JINJA.get_template("row.html").module


# Inside Sphinx


class LedgerRole(SphinxRole):
    """Quote a number of the ledger and link to its row."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Show the number, or report what is wrong."""
        try:
            return [self._shown()], []
        except (ValueError, KeyError) as error:
            report = self.inliner.reporter.warning(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, report)], [report]

    def _shown(self) -> nodes.Node:
        """Return a count, or a number with a link to its row, or "not computed"."""
        rows = self.env.app.config.f1ci_ledger
        if self.name == "tally":
            return nodes.Text(str(tally(rows.values(), self.text)))
        identity, _, form = self.text.partition("|")
        if identity not in rows:
            raise ValueError(f"no published number has the id {identity!r}")
        row = rows[identity]
        shown = row["printed"] if self.name == "published" else row.get("value")
        if shown is None:
            return nodes.inline("", "not computed", classes=["not-computed"])
        if not isinstance(shown, str):
            shown = format(shown, form or f".{show.decimals(row['printed'])}f")
        uri = self.env.app.builder.get_relative_uri(self.env.docname, "book/ledger")
        return nodes.reference(
            *("", shown),
            internal=True,
            refuri=f"{uri}#{identity}",
            reftitle=f"{row['description']} ({row.get('verdict', 'an input')})",
            classes=["ledger-number", self.name],
        )


def tally(rows: Iterable[Mapping[str, Any]], of: str) -> int:
    """Count the numbers that a notebook recorded, or those with one of the given verdicts.

    `of` is the notebook's name or a pattern of ids, and the verdicts follow a bar:
    ``yuan-letter|erratum open``, ``wangli/table-2/*|match``.
    """
    name, _, listed = of.partition("|")
    wanted = {VERDICTS[verdict].name for verdict in listed.split() or VERDICTS}
    return sum(
        (fnmatchcase(row["id"], name) if "/" in name else row.get("notebook") == name)
        and row.get("verdict") in wanted
        for row in rows
    )


def fold_proofs(_app: Sphinx, doctree: nodes.document, _: str) -> None:
    """Fold proofs."""
    for part in [*doctree.findall(nodes.Element)]:
        if (ids := part.get("ids")) in (["proof"], ["proof-content"]):
            part["ids"] = []  # sphinx-proof gives all proofs of a page one id
            if ids == ["proof"]:
                folded = nodes.container("", *part.children, is_div=True, classes=["toggle"])
                part.replace_self(folded)  # which keeps the class "proof"


def link_names(app: Sphinx, doctree: nodes.document, document: str) -> None:
    """Link every name of f1ci in a page's text to its reference."""
    objects = app.env.get_domain("py").objects  # type: ignore[attr-defined]
    for literal in [*doctree.findall(nodes.literal)]:
        name = _NAME.match(literal.astext())
        entry = objects.get(f"f1ci.{name[1]}") if name else None
        if entry and not isinstance(literal.parent, nodes.reference | nodes.title):
            address = f"{app.builder.get_relative_uri(document, entry.docname)}#{entry.node_id}"
            link = nodes.reference("", "", internal=True, refuri=address)
            literal.replace_self(link)
            link += literal


def finish(app: Sphinx, error: Exception | None) -> None:
    """Take out scripts that a page does not need."""
    for path in [] if error else Path(app.outdir).rglob("*.html"):
        text = _IN_VAIN.sub("", path.read_text("utf-8"))
        if not re.search(r'class="[^"]*\bmath\b', text):
            text = _MATHJAX.sub("", text)
        path.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Load the ledger that was staged with the pages, register the roles and the events."""
    ledger = read_json(Path(app.srcdir) / "book" / "_generated" / "ledger.json")
    rows = {row["id"]: row for row in [*ledger["rows"], *ledger["inputs"]]}
    app.add_config_value("f1ci_ledger", rows, "env", [dict])
    for name in ("published", "computed", "tally"):
        app.add_role(name, LedgerRole())
    app.connect("doctree-resolved", link_names)
    app.connect("doctree-resolved", fold_proofs)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": False}


# The command


def _main(edition: Edition, _: object) -> bool:
    with locked(edition):
        problems = build(edition)
    for problem in problems:
        say(f"error: {problem}")
    return not problems


if __name__ == "__main__":
    site = {"action": "store_true", "help": "a preview, from runs that may be out of date"}
    command(_main, {**QUICK, "--site": site})
