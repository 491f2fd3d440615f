"""Build the book: stage a tree of pages and executed notebooks, run Jupyter Book, check the result.

The staged tree mirrors the repository's paths, so that the links for Binder and Colab
point at the committed notebooks. Here the ledger is judged, and the tables of the notebooks are
filled in. A notebook that failed, or was not run, still gets its page, which says so; the command
then ends with a non-zero exit code.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import nbformat
import yaml
from nbformat import NotebookNode

from compendium import deposit, pages, sources, swhid, verify, write
from compendium.execute import (
    Edition,
    RefusedError,
    Task,
    command,
    locked,
    package_version,
    say,
    seconds,
    tasks,
)
from compendium.published import LedgerError, Paper, Published, Row
from compendium.verdicts import Entry, Ledger

__all__ = ["build", "check", "stage", "toc_documents"]

_REPOSITORY = "https://github.com/f1ci/f1ci"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_KEEP_OPEN = {"hide-cell", "hide-input", "remove-cell", "remove-input", "show-input"}


def build(edition: Edition) -> list[str]:
    """Build the site of an edition into its ``html`` folder; what went wrong, a sentence each."""
    staged = edition.folder / "stage"
    shutil.rmtree(staged, ignore_errors=True)
    problems = stage(edition, staged)
    documents = toc_documents(staged)
    if missing := [d for d in documents if not list(staged.glob(f"{d}.*"))]:
        return problems + [
            f"the table of contents lists {d}, which does not exist" for d in missing
        ]
    say(f"Building the book of {len(documents)} pages ...")
    command = "from jupyter_book.cli.main import main; main()"
    options = ["build", str(staged), "--toc", str(staged / "book" / "_toc.yml")]
    process = subprocess.run(
        [sys.executable, "-c", command, *options, "-W", "--keep-going", "-n", "-q"],
        env={**os.environ, "PYTHONPATH": edition.python_path},
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
    metadata = json.dumps(deposit.crate(edition, html), indent=1, ensure_ascii=False)
    write(html / "ro-crate-metadata.json", metadata + "\n")
    problems += check(html, documents)
    target = edition.folder / "html"
    shutil.rmtree(target, ignore_errors=True)
    html.rename(target)
    say(f"The site is in {target.relative_to(edition.root)}/index.html")
    return problems


# --- staging ------------------------------------------------------------------------------


def stage(edition: Edition, staged: Path) -> list[str]:
    """Write the tree that Jupyter Book reads; name the notebooks that are not as they should be."""
    root = edition.root
    shutil.copytree(
        root / "book",
        staged / "book",
        ignore=shutil.ignore_patterns("compendium", "__pycache__", ".*"),
    )
    shutil.copy(root / "_config.yml", staged / "_config.yml")
    (staged / "notebooks").mkdir()
    published = Published(edition.published)
    ledger = Ledger(published, edition.results)
    for place in (edition.folder, staged / "_extra"):
        ledger.write(place / "ledger")
    listed = tasks(edition)
    settings = yaml.safe_load((root / "_config.yml").read_text("utf-8")) or {}
    citing = pages.Citing(
        address=settings.get("html", {}).get("baseurl", "") + "book/ledger.html",
        version=package_version(root),
        hashes={t.name: t.record["results"] for t in listed if t.record},
    )
    pages.write_pages(staged, ledger, citing)
    problems = [f"the ledger: {error}" for error in ledger.errors]
    problems += [
        f"the ledger: {entry.id} is open: {entry.reason}"
        for entry in ledger.entries
        if entry.unexplained
    ]
    rows: dict[str, Entry | Row] = {**published.inputs, **{e.id: e for e in ledger.entries}}
    for task in listed:
        record = task.record
        if record is None:
            notebook = sources.read(edition.source(task.name))
        else:
            notebook = nbformat.read(edition.executed(task.name), as_version=4)
        try:
            _fill_tables(notebook, rows)
        except LedgerError as error:
            problems.append(f"{task.name}: {error}")
        if record is not None and not task.reason:
            _offer_files(edition, staged / "_extra", record, notebook)
        _dress(edition, task, notebook)
        (staged / "notebooks" / f"{task.name}.ipynb").write_text(nbformat.writes(notebook), "utf-8")
        if task.reason:
            failed = record and record["status"] == "failed"
            what = record["error"]["summary"] if record and failed else task.reason
            problems.append(
                f"the notebook {task.name} {'failed' if failed else 'must run'}: {what}"
            )
    _write_toc(staged, published.papers.values(), [t.name for t in listed])
    generated = staged / "book" / "_generated"
    done = [t.record for t in listed if t.record and t.record["status"] == "done"]
    for name, text in {
        "parameters": pages.render("parameters.md", tasks=listed, literal=sources.literal),
        "times": pages.render("times.md", done=done, seconds=seconds),
        "certificate": _certificate(edition, staged),
    }.items():
        (generated / f"{name}.md").write_text(text, "utf-8")
    figures = edition.results / "figures"
    if figures.exists():
        shutil.copytree(figures, staged / "results" / "figures")
    return problems


def _fill_tables(notebook: NotebookNode, rows: Mapping[str, Entry | Row]) -> None:
    """Put printed numbers, ours and verdicts where a notebook's tables name their ids."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output["data"]["text/html"] = pages.fill(output["data"]["text/html"], rows)


def _dress(edition: Edition, task: Task, notebook: NotebookNode) -> None:
    """Make a notebook a page: its strip at the top, its code folded."""
    for cell in notebook.cells:
        tags = cell.metadata.setdefault("tags", [])
        broken = any(o.output_type == "error" for o in cell.get("outputs", []))
        if cell.cell_type == "code" and not broken and not _KEEP_OPEN.intersection(tags):
            tags.append("hide-input")
    first = notebook.cells[0]
    title, _, rest = first.source.partition("\n")
    last = None if task.reason else task.record
    strip = _provenance(edition, last) if last else _unfinished(task)
    first.source = "\n\n".join([title, strip, rest.strip()])


def _offer_files(
    edition: Edition, extra: Path, record: dict[str, Any], notebook: NotebookNode
) -> None:
    """Put what a strip offers at addresses that stay the same from build to build."""
    source, name = edition.root / "notebooks", record["name"]
    wanted = {f"notebooks/{name}.py": source / f"{name}.py"}
    wanted |= {p: edition.folder / p for p in record["outputs"] if p.startswith("results/")}
    wanted |= {f"notebooks/{path}": source / path for path in record["data"]}
    for place, origin in wanted.items():
        (extra / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(origin, extra / place)
    offered = copy.deepcopy(notebook)
    sources.add_fetching(offered)
    (extra / "notebooks" / f"{name}.ipynb").write_text(nbformat.writes(offered) + "\n", "utf-8")


def _unfinished(task: Task) -> str:
    """The red box on the page of a notebook that has no result to show."""
    error = (task.record or {}).get("error") or {"summary": "", "traceback": ""}
    traceback = _ANSI.sub("", error["traceback"]).strip("-\n ") or error["summary"]
    return pages.render("unfinished.md", task=task, traceback=traceback)


def _provenance(edition: Edition, record: dict[str, Any]) -> str:
    """The strip that says what a page was computed from, and offers its files."""
    made = sorted(p for p in record["outputs"] if p.startswith("results/"))
    return pages.render(
        "provenance.html",
        full=edition.name == "full",
        record=record,
        took=seconds(record["seconds"]),
        numbers=[p for p in made if not p.startswith("results/figures/")],
        drawings=[p for p in made if p.startswith("results/figures/")],
        repository=_REPOSITORY,
        source=swhid(edition.source(record["name"])),
    )


def _write_toc(staged: Path, papers: Iterable[Paper], names: Iterable[str]) -> None:
    """Complete the contents.

    The part without chapters gets those of the papers, each with its notebooks; notebooks that are
    not listed then come at the end, in a part of their own.
    """
    path = staged / "book" / "_toc.yml"
    toc = yaml.safe_load(path.read_text("utf-8"))
    chapters = [{"file": f"book/{p.key}", "sections": _files(p.notebooks.split())} for p in papers]
    for part in toc.get("parts", []):
        part.setdefault("chapters", chapters)
    if rest := [f for f in _files(names) if f["file"] not in _documents(toc)]:
        toc.setdefault("parts", []).append({"caption": "Notebooks", "chapters": rest})
    path.write_text(yaml.safe_dump(toc, sort_keys=False, allow_unicode=True), "utf-8")


def _files(notebooks: Iterable[str]) -> list[dict[str, str]]:
    """Notebooks as entries of a table of contents."""
    return [{"file": f"notebooks/{name}"} for name in notebooks]


def toc_documents(staged: Path) -> list[str]:
    """Every page that the staged table of contents lists, without its extension."""
    return list(_documents(yaml.safe_load((staged / "book" / "_toc.yml").read_text("utf-8"))))


def _documents(toc: Any) -> Iterator[str]:
    """Every page that a table of contents lists, in order."""
    if isinstance(toc, dict):
        yield from (toc[key] for key in ("root", "file") if key in toc)
        toc = list(toc.values())
    for item in toc if isinstance(toc, list) else ():
        yield from _documents(item)


def _certificate(edition: Edition, staged: Path) -> str:
    """How a full run compares with the reference run, offered as JSON too."""
    if edition.name != "full":
        return "These are small numbers, for a quick look; there is nothing to compare them with."
    try:
        certificate = verify.certify(edition)
    except (RefusedError, LedgerError, FileNotFoundError) as error:
        return f"This run was not compared: {error}"
    write(staged / "_extra" / "certificate.json", json.dumps(certificate, indent=1) + "\n")
    return verify.markdown(certificate)


# --- the finished site --------------------------------------------------------------------


def check(html: Path, documents: Iterable[str]) -> list[str]:
    """What is wrong with a finished site: missing pages, broken links, images without a text."""
    problems = [
        f"{document} has no page"
        for document in documents
        if not (html / f"{document}.html").exists()
    ]
    pages = {
        p.resolve(): _Page(p.read_text("utf-8"))
        for p in sorted(html.rglob("*.html"))
        if "_static" not in p.parts
    }
    for path, page in pages.items():
        where = path.relative_to(html.resolve()).as_posix()
        problems += [f"{where}: an image has no alternative text ({s})" for s in page.silent_images]
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                problems.append(f"{where}: the link {link} leads nowhere")
            elif target in pages and unquote(parts.fragment) not in pages[target].ids:
                problems.append(f"{where}: the link {link} names no place on its page")
    return problems


class _Page(HTMLParser):
    """The links, anchors and images of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = {"", "top"}
        self.silent_images: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.update(v for k in ("id", "name") if (v := values.get(k)))
        self.links.update(v for k in ("href", "src") if (v := values.get(k)))
        if tag == "img" and not values.get("alt"):
            self.silent_images.append(values.get("src") or "")


def _main(options: argparse.Namespace) -> int:
    edition = Edition(options.root, "quick" if options.quick else "full")
    with locked(edition):
        problems = build(edition)
    for problem in problems:
        say(f"error: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    flag = {"action": "store_true", "help": "from the runs with small numbers"}
    does = "Build the site from the notebooks' last runs."
    sys.exit(command(_main, does, {"--quick": flag}))
