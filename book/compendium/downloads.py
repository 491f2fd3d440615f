"""Notebooks outside the book read as its pages do: numbers and links in place of roles.

Jupyter knows Markdown, but not the roles of this book. When the pages are written, Sphinx knows
what each role stands for, and the text of each offered notebook gets it (`fill`). The committed
notebooks, which Binder and Colab open, follow from their sources alone: printed numbers stand in
their text, and what is computed is a link to the page that has it (`outside`).
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Mapping
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


def fill(folder: Path, shown: Mapping[str, Mapping[str, tuple[str, str]]]) -> None:
    """Make every notebook in a finished site's folder readable.

    `shown` has what Sphinx made of the roles of each page, ``:name:`text```: a text, and where it
    leads from there.
    """
    for path in folder.glob("notebooks/*.ipynb"):
        page = f"notebooks/{path.stem}"

        def resolve(name: str, text: str, page: str = page) -> str:
            title, target = shown[page][f":{name}:`{' '.join(text.split())}`"]
            return f"[{title}]({urljoin(f'{SITE}{page}.html', target)})" if target else title

        notebook = nbformat.read(path, as_version=4)
        readable(notebook, resolve)
        nbformat.write(notebook, path)


def outside(page: str, name: str, text: str) -> str:
    """What a role on a page says where no book has been built, and nothing has a number."""
    match = _TITLED.fullmatch(text)
    title, target = (match["title"], match["target"]) if match else ("", text)
    if name in ("published", "computed"):
        row = _printed().get(text) if name == "published" else None
        return _away(row.printed if row else "…", "book/ledger", text.partition("|")[0])
    if name in ("glue:text", "tally"):
        return _away("…", page)
    if name in ("cite:t", "cite:p"):
        keys = [re.fullmatch(r"([a-z]+)(\d+)\w*", key.strip()) for key in text.split(",")]
        shown = "; ".join(f"{k[1].title()} ({k[2]})" for k in keys if k)
        return _away(shown or "the bibliography", "book/bibliography")
    if name == "doc":
        document = posixpath.normpath(posixpath.join("/notebooks", target)).lstrip("/")
        document = re.sub(r"\.(md|ipynb)$", "", document)
        return _away(title or posixpath.basename(document), document)
    if name in ("eq", "prf:ref"):
        what, anchor = ("equation", "equation-") if name == "eq" else ("statement", "")
        return _away(title or f"the {what}", f"book/{target.split('-')[1]}", f"{anchor}{target}")
    if name == "ref":
        entry = re.fullmatch(r"[ENRO]-\w+-\d+", target)
        return _away(title or target, *(("book/errata", target.lower()) if entry else (page, "")))
    return "" if name == "number" else f"`{title or text}`"


@functools.cache
def _printed() -> Mapping[str, Row]:
    return Published().everything


def _away(title: str, document: str, anchor: str = "") -> str:
    """A link to a place of the published site."""
    return f"[{title}]({SITE}{document}.html{anchor and '#'}{anchor})"
