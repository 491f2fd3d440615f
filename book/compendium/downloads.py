"""Notebooks outside the book read as its pages do: numbers and links in place of roles.

Jupyter knows Markdown, but not the roles of this book. When the pages are written, Sphinx knows
what each role stands for, and the text of each offered notebook gets it (`fill`). The committed
notebooks, which Binder and Colab open, follow from their sources alone: printed numbers stand in
their text, and what is computed is a link to the page that has it (`Outside`).
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urljoin

import nbformat
from nbformat import NotebookNode

from compendium.published import Published, Row

SITE = "https://f1ci.github.io/f1ci/"
# Code that is quoted stands first, so that a role in it is left alone.
_ROLE = re.compile(r"```.*?```|(?<!\{)`` ?.+? ?``|\{(?P<name>[\w:]+)\}`(?P<text>[^`]+)`", re.S)
_NUMBERED = re.compile(r"\$\$[ \t]*\((?P<label>[\w-]+)\)[ \t]*$", re.M)
_PAGE = re.compile(r"\]\((?:/|\.\./)(book|notebooks)/([\w-]+)\.(?:md|ipynb|html)")
_ANCHOR = re.compile(r"^\([\w.-]+\)=\n", re.M)
_TITLED = re.compile(r"(?P<title>.*\S)\s*<(?P<target>[^<>]+)>", re.S)


def readable(notebook: NotebookNode, resolve: Callable[[str, str], str]) -> None:
    """Put what `resolve` says of a role's name and text in the place of each role."""

    def role(match: re.Match[str]) -> str:
        return resolve(match["name"], match["text"]) if match["name"] else match[0]

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = _PAGE.sub(rf"]({SITE}\1/\2.html", _ANCHOR.sub("", cell.source))
            text = _NUMBERED.sub(lambda m: f"$$\n\n{resolve('number', m['label'])}", text)
            cell.source = _ROLE.sub(role, text)


def glued(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """The names and values, as they were written, that a notebook keeps for the prose."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            kept = output.get("metadata", {}).get("scrapbook", {})
            if kept:
                yield kept["name"], output["data"][kept["mime_prefix"] + "text/plain"]


def fill(folder: Path, shown: Mapping[str, Mapping[str, tuple[str, str]]]) -> None:
    """Make every notebook in a finished site's folder readable.

    `shown` has what Sphinx made of the roles of each page, ``:name:`text```: a text, and where it
    leads from there.
    """
    from myst_nb.core.variables import format_plain_text  # slow, and no notebook needs it

    notebooks = {
        p: nbformat.read(p, as_version=4) for p in sorted(folder.glob("notebooks/*.ipynb"))
    }
    values = {path.stem: dict(glued(notebook)) for path, notebook in notebooks.items()}
    for path, notebook in notebooks.items():
        page = f"notebooks/{path.stem}"

        def resolve(name: str, text: str, page: str = page) -> str:
            if name == "glue:text":
                place, _, rest = text.rpartition("::")
                key, _, form = rest.partition(":")
                return str(format_plain_text(values[Path(place or page).stem][key], form or "s"))
            title, target = shown[page][f":{name}:`{' '.join(text.split())}`"]
            return f"[{title}]({urljoin(f'{SITE}{page}.html', target)})" if target else title

        readable(notebook, resolve)
        path.write_text(nbformat.writes(notebook) + "\n", "utf-8")


_KINDS = {
    "def": "Definition",
    "thm": "Theorem",
    "prop": "Proposition",
    "lem": "Lemma",
    "cor": "Corollary",
    "rem": "Remark",
    "alg": "Algorithm",
}


class Outside:
    """What the roles of a notebook say where no book has been built."""

    def __init__(self, name: str) -> None:
        self.page = f"notebooks/{name}"

    def __call__(self, name: str, text: str) -> str:
        """Markdown for a role."""
        match = _TITLED.fullmatch(text)
        title, target = (match["title"], match["target"]) if match else ("", text)
        kind, _, rest = target.partition("-")
        chapter = f"book/{rest.partition('-')[0]}"
        if name in ("published", "computed"):
            row = _printed().get(text) if name == "published" else None
            return _away(row.printed if row else "…", "book/ledger", text.partition("|")[0])
        if name in ("glue:text", "tally"):
            return _away("…", self.page)
        if name in ("cite:t", "cite:p"):
            keys = [re.fullmatch(r"([a-z]+)(\d+)\w*", key.strip()) for key in text.split(",")]
            shown = "; ".join(f"{k[1].title()} ({k[2]})" for k in keys if k)
            return _away(shown or "the bibliography", "book/bibliography")
        if name == "doc":
            document = posixpath.normpath(posixpath.join("/notebooks", target)).lstrip("/")
            document = re.sub(r"\.(md|ipynb)$", "", document)
            return _away(title or posixpath.basename(document), document)
        if name in ("eq", "number"):
            return _away("the equation", chapter, f"equation-{target}") if name == "eq" else ""
        if name == "prf:ref":
            return _away(title or _KINDS.get(kind, "result").lower(), chapter, target)
        if name == "ref":
            entry = re.fullmatch(r"[ENRO]-\w+-\d+", target)
            place = ("book/errata", target.lower()) if entry else (self.page, "")
            return _away(title or target, *place)
        return f"`{title or text}`"


@functools.cache
def _printed() -> Mapping[str, Row]:
    return Published().everything


def _away(title: str, document: str, anchor: str = "") -> str:
    """A link to a place of the published site."""
    return f"[{title}]({SITE}{document}.html{anchor and '#'}{anchor})"
