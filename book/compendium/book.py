"""Build the book: stage a tree of pages and executed notebooks, and run Jupyter Book.

The staged tree has the repository's paths, because links for Binder point at the
committed notebooks of this version's tag. This module asks for the verdicts, fills in the tables of
the notebooks and the numbers that texts quote (:mod:`compendium.roles`), and writes the parts of
pages that are made from data; `templates` has their form. A notebook that failed, or was not run,
still gets a page, which says so. The command then ends with a non-zero exit code.

This module is also the book's Sphinx extension: it folds proofs, links names of f1ci to their
reference, and says what a page may load.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import yaml
from docutils import nodes
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx_design.dropdown import dropdown_title

from compendium import RefusedError, cells, deposit, pages, pairs, roles, show, swhid, write
from compendium.ledger import Record
from compendium.published import Erratum, LedgerError, Published, Row
from compendium.render import ROW, render
from compendium.runs import QUICK, REFERENCE, Edition, Task, command, say, seconds, tasks
from compendium.verdicts import VERDICTS, Entry, Ledger
from f1ci import __version__, cli

# The parts of pages that follow from the ledger and from the last runs.
FRAGMENTS = (
    *("sentence", "verdicts", "scoreboard", "ledger-table", "inputs-table"),
    *("statements", "errata", "decisions", "environment", "cli", "times"),
)
# A name of f1ci in a text: `f1ci.f1_interval`, `metrics.macro(...)`.
_NAME = re.compile(r"(?:f1ci\.)?([A-Za-z_][\w.]*)(?:\(.*)?$", re.S)


def build(edition: Edition, *, preview: bool = False) -> list[str]:
    """Build the site of an edition; return what went wrong.

    A preview goes into a folder of its own. Its pages quote the last run of each notebook, or else
    the reference run. The last site stays until the new one stands.
    """
    staged = edition.folder / "stage"
    shutil.rmtree(staged, ignore_errors=True)
    problems = stage(edition, staged, preview=preview)
    say("Building the book ...")
    strict = [] if preview else ["-W"]  # a preview may lack files of notebooks
    if said := _jupyter_book(edition.root, staged, strict):
        say(said)
        problems.append("Jupyter Book ended with warnings or errors, see above")
    html = staged / "_build" / "html"
    if not (html / "index.html").exists():
        return [*problems, "no site was built"]
    target = edition.folder / ("preview" if preview else "html")
    last = staged / "last"
    if target.exists():
        target.rename(last)
    html.rename(target)
    shutil.rmtree(last, ignore_errors=True)
    say(f"The site is in {target.relative_to(edition.root)}/index.html")
    return [] if preview else problems


def _open_to_visitors(html: Path, settings: dict[str, Any]) -> None:
    """Give the page at the root a title, and search engines a list of all pages."""
    if not (door := html / "index.html").exists():
        return  # nothing was built
    head = f'<!DOCTYPE html><html lang="en"><head><title>{settings["title"]}</title>'
    write(door, f"{head}{door.read_text('utf-8').strip()}</head></html>\n")
    base = settings["html"]["baseurl"]
    found = sorted(
        path for folder in ("book", "notebooks") for path in (html / folder).glob("*.html")
    )
    urls = "".join(f"<url><loc>{base}{p.relative_to(html).as_posix()}</loc></url>\n" for p in found)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    write(html / "sitemap.xml", f'<urlset xmlns="{space}">\n{urls}</urlset>\n')


def _jupyter_book(root: Path, staged: Path, options: list[str]) -> str:
    """Run Jupyter Book on a staged tree; return what it said if it failed, or ""."""
    program = "from jupyter_book.cli.main import main; main()"
    contents = ["--toc", str(staged / "book" / "_toc.yml")]
    always = ["--keep-going", "-n", "-q"]
    process = subprocess.run(
        [sys.executable, "-c", program, "build", str(staged), *contents, *options, *always],
        env={**os.environ, "PYTHONPATH": str(root / "book")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    _open_to_visitors(staged / "_build" / "html", _settings(root))
    return (process.stdout or "no word") if process.returncode else ""


# Staging


def stage(edition: Edition, staged: Path, *, preview: bool = False) -> list[str]:
    """Write the tree that Jupyter Book reads; return what is wrong with it."""
    results = _newest(edition, staged / "newest") if preview else edition.results
    ledger = Ledger(Published(edition.published), results)
    listed = tasks(edition)
    quoting = Quoting(ledger)
    # 1. Files: pages, settings, data, results, the ledger.
    _stage_files(edition, staged)
    ledger.write(staged / "_extra" / "ledger")
    if not preview:
        ledger.write(edition.folder / "ledger")
    # 2. Parts of pages that are made from data, and the numbers that pages quote.
    _write_fragments(edition, staged, ledger, listed)
    for page in (staged / "book").rglob("*.md"):
        write(page, quoting.on_page(page.read_text("utf-8"), page.name))
    # 3. Notebooks.
    for task in listed:
        _stage_notebook(edition, staged, task, quoting, late=bool(task.reason) and not preview)
    if preview:
        _tell_what_is_missing(ledger, quoting)
    old = [f"the notebook {t.name} must run: {t.reason}" for t in listed if t.reason]
    return [f"the ledger: {problem}" for problem in ledger.problems] + old


def _tell_what_is_missing(ledger: Ledger, quoting: Quoting) -> None:
    """Say which numbers no run at hand has computed, and which pages show so in red."""
    ids = [e.id for e in ledger.entries if e.verdict == "not-recorded"]
    for what, found in (("Not computed", ids), ("Numbers are missing on", quoting.incomplete)):
        if found:
            say(f"{what}: {', '.join(found)}")


def _newest(edition: Edition, folder: Path) -> Path:
    """Copy the results of each notebook's last run to a folder, or else of the reference run."""
    for results in (edition.root / REFERENCE, edition.results):
        if results.exists():
            shutil.copytree(results, folder, dirs_exist_ok=True)
    return folder


def _stage_files(edition: Edition, staged: Path) -> None:
    """Copy the pages, the settings and the files that pages offer, at fixed addresses."""
    root, extra = edition.root, staged / "_extra"
    _copy(root / "book", staged / "book", "compendium")
    write(staged / "book" / "_static" / "words.js", shared_words(root))
    write(staged / "_config.yml", yaml.safe_dump(_settings(root)))
    (staged / "notebooks").mkdir()
    _copy(root / "notebooks" / "data", extra / "notebooks" / "data")
    if edition.results.exists():
        for place in (staged, extra):
            _copy(edition.results, place / "results")


def shared_words(root: Path) -> str:
    """Return the words that the command and the calculator know, as a script of its page."""
    words = (root / "f1ci" / "cli" / "words.json").read_text("utf-8")
    return f"// f1ci/cli/words.json\nvar WORDS = {words.strip()};\n"


def _settings(root: Path) -> dict[str, Any]:
    """Return the settings of the book. Its links lead to the tag of this version."""
    settings: dict[str, Any] = yaml.safe_load((root / "_config.yml").read_text("utf-8")) or {}
    settings.setdefault("repository", {})["branch"] = f"v{__version__}"
    settings.setdefault("sphinx", {}).setdefault("config", {})["release"] = __version__
    return settings


def _write_fragments(edition: Edition, staged: Path, ledger: Ledger, listed: list[Task]) -> None:
    """Write each part of a page that is made from data."""
    os.environ["COLUMNS"] = "88"  # of the command line's help, and not the terminal's width
    records = [task.record for task in listed if task.record]
    facts = {
        "tasks": listed,
        "done": records,
        "hashes": {record["name"]: record["results"] for record in records},
        "seconds": seconds,
        "reference": _read(edition.root / REFERENCE / "run.json"),
        "r": _computed_by_r(edition.root),
    }
    folder = staged / "book" / "_generated"
    for name in FRAGMENTS:
        write(folder / f"{name}.md", fragment(name, ledger, **facts))
    write(folder / "certificate.md", _certificate(edition, listed, staged / "_extra"))


def _read(path: Path) -> dict[str, Any]:
    """Return what a JSON file holds, or nothing if there is none."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def _computed_by_r(root: Path) -> str:
    """Return the longest list of R's packages in the table of data files."""
    path = root / "notebooks" / "data" / "sources.csv"
    if not path.exists():
        return ""
    with path.open(encoding="utf-8", newline="") as file:
        programs = [line["made_with"] for line in csv.DictReader(file)]
    return max((p for p in programs if p.startswith("R ")), key=len, default="").replace(";", ",")


def _copy(source: Path, target: Path, *ignored: str) -> None:
    """Copy a folder without hidden, compiled and named files."""
    ignore = shutil.ignore_patterns("__pycache__", ".*", *ignored)
    shutil.copytree(source, target, ignore=ignore)


class Quoting:
    """What texts and tables of the book quote from the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.rows: Mapping[str, Row] = {
            **ledger.published.inputs,
            **{e.id: e for e in ledger.entries},
        }
        said = {key: Record(key, value) for key, value in ledger.quoted.items()}
        records = {**said, **{e.id: e for e in ledger.entries}}
        badges = {e.id: (str(ROW.badge(e.verdict)), "") for e in ledger.entries}
        self.known = {**roles.known_values(ledger.published, records), "verdict": badges}
        self.facts = {i: row.description for i, row in ledger.published.inputs.items()}
        self.facts |= {e.id: f"{e.description} ({e.verdict})" for e in ledger.entries}
        self.tally = partial(tally, ledger.numbers)
        self.incomplete: list[str] = []

    def on_page(self, text: str, page: str) -> str:
        """Return a page's text with its numbers; an error names the page."""
        try:
            quoted = roles.in_book(text, self.known, self.facts, self.tally)
        except (LedgerError, KeyError) as error:
            raise LedgerError(f"{page}: {error}") from None
        if '"not-computed"' in quoted and page not in self.incomplete:
            self.incomplete.append(page)
        return quoted

    def in_table(self, identity: str, what: str) -> str:
        """Return what a table of the book shows for a number, or for all numbers in a line."""
        if what == "tally":
            counts = Counter(getattr(self.rows[name], "verdict", "") for name in identity.split())
            return ": " + ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name])
        if identity not in self.rows:
            raise LedgerError(f"no published number has the id {identity!r}")
        return str(getattr(ROW, what)(self.rows[identity]))


def tally(entries: Iterable[Entry], of: str) -> int:
    """Count the numbers that a notebook recorded, or those with one of the given verdicts.

    A number that is printed twice counts once, and one that is not computed does not count.
    `of` is the notebook's name or a pattern of ids, and the verdicts follow a bar:
    ``yuan-letter|erratum open``, ``wangli/table-2/*|match``.
    """
    name, _, listed = of.partition("|")
    wanted = {VERDICTS[verdict].name for verdict in listed.split() or VERDICTS} - {"not-recorded"}
    by_id = "/" in name
    return sum(
        (fnmatchcase(entry.id, name) if by_id else entry.notebook == name)
        and entry.verdict in wanted
        for entry in entries
    )


def _stage_notebook(
    edition: Edition, staged: Path, task: Task, quoting: Quoting, *, late: bool
) -> None:
    """Write a notebook as a page with provenance and folded code, and as a file to download."""
    executed = (edition.failed if task.is_broken else edition.executed)(task.name)
    source = edition.source(task.name)
    if executed.exists():
        notebook: NotebookNode = nbformat.read(executed, as_version=4)
    else:
        notebook = pairs.for_jupyter(source, edition.root)
    _fill_tables(notebook, quoting)
    offered = staged / "_extra" / "notebooks"
    shutil.copy(source, offered)
    if not late:
        write(offered / f"{task.name}.ipynb", nbformat.writes(notebook) + "\n")
    pairs.put_roles_back(notebook, source)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = quoting.on_page(cell.source, task.name)
    cells.fold(notebook)
    pairs.add_under_title(notebook, _strip(edition, task, late=late))
    write(staged / "notebooks" / f"{task.name}.ipynb", nbformat.writes(notebook))


def _fill_tables(notebook: NotebookNode, quoting: Quoting) -> None:
    """Replace each number in a notebook's tables by the ledger's view of it."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                html = output["data"]["text/html"]
                output["data"]["text/html"] = show.fill(html, quoting.in_table)


def _strip(edition: Edition, task: Task, *, late: bool) -> str:
    """Return the provenance of a page and its files, or a red box if it has no result."""
    record = task.record
    if not record or late or task.is_broken:
        return render("unfinished.md", task=task)
    return render(
        "provenance.html",
        full=edition.name == "full",
        record=record,
        took=seconds(record["seconds"]),
        source=swhid(edition.source(record["name"])),
    )


def _certificate(edition: Edition, listed: list[Task], extra: Path) -> str:
    """Compare a full run with the reference run, for the page and as JSON."""
    if edition.name != "full":
        return "This run has few replicates, so it is not compared with the reference run."
    try:
        certificate = deposit.certify(edition, listed)
    except (RefusedError, FileNotFoundError) as error:
        return f"This run was not compared: {error}"
    write(extra / "certificate.json", json.dumps(certificate, indent=1) + "\n")
    return render("certificate.md", certificate=certificate)


# Templates


def fragment(name: str, ledger: Ledger, **more: Any) -> str:
    """Return a part of a page from its template, the ledger and the other facts that it needs."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in ledger.entries:
        groups.setdefault((entry.paper, entry.item), []).append(entry)
    errata = sorted(ledger.published.errata.values(), key=lambda e: "ERON".index(e.id[0]))
    return render(
        f"{name}.md",
        ledger=ledger,
        papers=ledger.published.papers,
        groups=groups,
        errata={e: [row for row in ledger.entries if row.erratum == e.id] for e in errata},
        decisions=decisions(ledger.published),
        opening=opening,
        helps=cli.helps,
        **more,
    )


def decisions(published: Published) -> dict[str, list[Erratum]]:
    """Return the entries of each paper that say what we took where the paper leaves it open."""
    found: dict[str, list[Erratum]] = {}
    for entry in published.errata.values():
        if entry.right and not entry.id.startswith("E"):
            found.setdefault(entry.paper, []).append(entry)
    return found


def opening(text: str) -> str:
    """Return the first two sentences of an entry; the entry has the others.

    >>> opening("It is cut. See `a. B`. The rest")
    'It is cut. See `a. B`.'
    """
    return " ".join(re.split(r"(?<=\.)\s+(?=[A-Z(`{$](?!`))", text)[:2])


# Inside Sphinx


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


def unlink_folds(_app: Sphinx, doctree: nodes.document, _: str) -> None:
    """Take the links out of what folds a part: a button must not hold other controls."""
    for title in doctree.findall(dropdown_title):
        for link in [*title.findall(nodes.reference)]:
            link.replace_self(nodes.inline("", "", *link.children))
        for tag in [*title.findall(nodes.raw)]:
            if re.match(r"</?a\b", tag.astext()):
                tag.parent.remove(tag)


def finish(app: Sphinx, error: Exception | None) -> None:
    """Finish the pages, see :mod:`compendium.pages`."""
    if not error:
        pages.finish(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what happens to the pages."""
    app.connect("doctree-resolved", link_names)
    app.connect("doctree-resolved", fold_proofs)
    app.connect("doctree-resolved", unlink_folds)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": False}


# The command


def _main(edition: Edition, options: Namespace) -> bool:
    with edition.locked():
        problems = build(edition, preview=options.preview)
    for problem in problems:
        say(f"error: {problem}")
    return not problems


if __name__ == "__main__":
    preview = {"action": "store_true", "help": "pages from earlier runs, which may be out of date"}
    command(_main, {**QUICK, "--preview": preview})
