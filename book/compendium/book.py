"""Build the book: stage a tree of pages and executed notebooks, and run Jupyter Book.

The staged tree mirrors the repository's paths, so that the links for Binder and Colab
point at the committed notebooks. Here the ledger is judged, and the tables of the notebooks are
filled in. A notebook that failed, or was not run, still gets its page, which says so; the command
then ends with a non-zero exit code.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode
from sphinx_external_toc.parsing import parse_toc_data, parse_toc_yaml

from compendium import deposit, pages, sources, swhid, verify, write
from compendium.downloads import SITE
from compendium.execute import (
    QUICK,
    Edition,
    RefusedError,
    Task,
    command,
    locked,
    say,
    seconds,
    tasks,
)
from compendium.published import LedgerError, Paper, Published, Row
from compendium.verdicts import Ledger

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


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
    program = "from jupyter_book.cli.main import main; main()"
    options = ["build", str(staged), "--toc", str(staged / "book" / "_toc.yml")]
    process = subprocess.run(
        [sys.executable, "-c", program, *options, "-W", "--keep-going", "-n", "-q"],
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
    target = edition.folder / "html"
    shutil.rmtree(target, ignore_errors=True)
    html.rename(target)
    say(f"The site is in {target.relative_to(edition.root)}/index.html")
    return problems


# --- staging ------------------------------------------------------------------------------


def stage(edition: Edition, staged: Path) -> list[str]:
    """Write the tree that Jupyter Book reads; name the notebooks that are not as they should be."""
    root, extra = edition.root, staged / "_extra"
    _copy(root / "book", staged / "book", "compendium")
    shutil.copy(root / "_config.yml", staged / "_config.yml")
    (staged / "notebooks").mkdir()
    # What pages offer, at addresses that stay the same from build to build.
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
    for name in pages.FRAGMENTS:
        text = pages.fragment(
            name,
            ledger,
            address=f"{SITE}book/ledger.html",
            version=version("f1ci"),
            tasks=listed,
            done=[t.record for t in listed if t.record and t.record["status"] == "done"],
            hashes={t.name: t.record["results"] for t in listed if t.record},
            literal=sources.literal,
            seconds=seconds,
        )
        write(generated / f"{name}.md", text)
    write(generated / "certificate.md", _certificate(edition, extra))
    _write_toc(staged, published.papers.values(), [t.name for t in listed])
    problems = [f"the ledger: {problem}" for problem in ledger.problems]
    rows: dict[str, Row] = {**published.inputs, **{e.id: e for e in ledger.entries}}
    for task in listed:
        problems += _stage_notebook(edition, staged, task, rows)
    return problems


def _copy(source: Path, target: Path, *ignored: str) -> None:
    """Copy a folder without what is hidden, compiled or named."""
    ignore = shutil.ignore_patterns("__pycache__", ".*", *ignored)
    shutil.copytree(source, target, ignore=ignore)


def _stage_notebook(
    edition: Edition, staged: Path, task: Task, rows: Mapping[str, Row]
) -> list[str]:
    """Write a notebook as a page, with its strip and its code folded, and as what that offers."""
    problems = []
    if task.record is None:
        notebook = sources.read(edition.source(task.name))
    else:
        notebook = nbformat.read(edition.executed(task.name), as_version=4)
    sources.add_fetching(notebook)
    try:
        _fill_tables(notebook, rows)
    except LedgerError as error:
        problems.append(f"{task.name}: {error}")
    offered = staged / "_extra" / "notebooks"
    shutil.copy(edition.source(task.name), offered)
    if not task.reason:
        (offered / f"{task.name}.ipynb").write_text(nbformat.writes(notebook) + "\n", "utf-8")
    else:
        problems.append(f"the notebook {task.name} must run: {task.reason}")
    for cell in notebook.cells:
        broken = any(o.output_type == "error" for o in cell.get("outputs", []))
        tags = cell.metadata.setdefault("tags", [])
        if cell.cell_type == "code" and not broken and "show-input" not in tags:
            tags.append("hide-input")
    first = notebook.cells[0]
    title, _, rest = first.source.partition("\n")
    first.source = "\n\n".join([title, _strip(edition, task), rest.strip()])
    (staged / "notebooks" / f"{task.name}.ipynb").write_text(nbformat.writes(notebook), "utf-8")
    return problems


def _fill_tables(notebook: NotebookNode, rows: Mapping[str, Row]) -> None:
    """Put printed numbers, ours and verdicts where a notebook's tables name their ids."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output["data"]["text/html"] = pages.fill(output["data"]["text/html"], rows)


def _strip(edition: Edition, task: Task) -> str:
    """What a page was computed from, with its files; or a red box, if it has no result to show."""
    record = task.record
    if record is None or task.reason:
        error = (record or {}).get("error") or {}
        traceback = _ANSI.sub("", error.get("traceback", "")).strip("-\n ")
        return pages.render("unfinished.md", task=task, traceback=traceback)
    return pages.render(
        "provenance.html",
        full=edition.name == "full",
        record=record,
        took=seconds(record["seconds"]),
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
    if rest := [f for f in _files(names) if f["file"] not in parse_toc_data(toc)]:
        toc.setdefault("parts", []).append({"caption": "Notebooks", "chapters": rest})
    path.write_text(yaml.safe_dump(toc, sort_keys=False, allow_unicode=True), "utf-8")


def _files(notebooks: Iterable[str]) -> list[dict[str, str]]:
    """Notebooks as entries of a table of contents."""
    return [{"file": f"notebooks/{name}"} for name in notebooks]


def toc_documents(staged: Path) -> list[str]:
    """Every page that the staged table of contents lists, without its extension."""
    return list(parse_toc_yaml(staged / "book" / "_toc.yml"))


def _certificate(edition: Edition, extra: Path) -> str:
    """How a full run compares with the reference run, offered as JSON too."""
    if edition.name != "full":
        return "These are small numbers, for a quick look; there is nothing to compare them with."
    try:
        certificate = verify.certify(edition)
    except (RefusedError, LedgerError, FileNotFoundError) as error:
        return f"This run was not compared: {error}"
    write(extra / "certificate.json", json.dumps(certificate, indent=1) + "\n")
    return pages.render("certificate.md", certificate=certificate)


def _main(edition: Edition) -> bool:
    with locked(edition):
        problems = build(edition)
    for problem in problems:
        say(f"error: {problem}")
    return not problems


if __name__ == "__main__":
    command(_main, QUICK)
