"""Notebooks outside the book read as its pages do: numbers and links in place of roles.

Jupyter knows Markdown, but not the roles of this book. When the pages are written, Sphinx knows
what each role stands for, and the text of each offered notebook gets it (`Reader`). The committed
notebooks, which Binder and Colab open, follow from their sources alone: printed numbers stand in
their text, and what is computed is a link to the page that has it (`Outside`).
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbformat import NotebookNode

from compendium.published import Published, Row

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

__all__ = ["Outside", "Reader", "glued", "readable", "write"]

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


class Reader:
    """What the roles on one page stand for, by what Sphinx has read."""

    def __init__(
        self,
        env: BuildEnvironment,
        document: str,
        number: Callable[[str, str], str],
        values: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.env = env
        self.document = document
        self.number = number  # what a role of the ledger shows
        self.values = values  # by page, then by name

    def __call__(self, name: str, text: str) -> str:
        """Markdown for a role, or an error that quotes it."""
        found: str = {
            "published": self._ledger,
            "computed": self._ledger,
            "tally": self._ledger,
            "glue:text": self._glue,
            "cite:t": self._cite,
            "cite:p": self._cite,
            "doc": self._doc,
            "ref": self._ref,
            "eq": self._eq,
            "number": self._label_of_equation,
            "prf:ref": self._theorem,
            "term": self._word,
            "func": self._code,
        }[name](name, text)
        return found

    def _ledger(self, name: str, text: str) -> str:
        shown = self.number(name, text)
        if name == "tally":
            return shown
        return _away(shown, "book/ledger", text.partition("|")[0])

    def _glue(self, _: str, text: str) -> str:
        from myst_nb.core.variables import format_plain_text  # slow, and no notebook needs it

        place, separator, rest = text.rpartition("::")
        key, _, form = rest.partition(":")
        page = self._absolute(place.removesuffix(".ipynb")) if separator else self.document
        return str(format_plain_text(self.values[page][key], form))

    def _absolute(self, target: str) -> str:
        folder = posixpath.dirname(self.document)
        return posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")

    def _cite(self, _: str, text: str) -> str:
        entries = self.env.get_domain("cite").bibdata.data.entries  # type: ignore[attr-defined]
        parts = []
        for key in text.split(","):
            entry = entries[key.strip()]
            names = ["".join(person.last_names) for person in entry.persons["author"]]
            who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
            parts.append(f"{who} ({entry.fields['year']})")
        return _away("; ".join(parts), "book/bibliography")

    def _titled(self, text: str) -> tuple[str, str]:
        match = _TITLED.fullmatch(text)
        return (match["title"], match["target"]) if match else ("", text)

    def _doc(self, _: str, text: str) -> str:
        title, target = self._titled(text)
        document = self._absolute(re.sub(r"\.(md|ipynb)$", "", target))
        return _away(title or self.env.titles[document].astext(), document)

    def _ref(self, _: str, text: str) -> str:
        title, target = self._titled(text)
        labels = self.env.get_domain("std").anonlabels  # type: ignore[attr-defined]
        named = self.env.get_domain("std").labels  # type: ignore[attr-defined]
        document, anchor = labels[target.lower()]
        shown = title or named.get(target.lower(), ("", "", target))[2]
        return _away(shown, document, anchor)

    def _eq(self, _: str, text: str) -> str:
        document, number = self.env.get_domain("math").equations[text]  # type: ignore[attr-defined]
        return _away(f"({number})", document, f"equation-{text}")

    def _label_of_equation(self, _: str, label: str) -> str:
        return self._eq("eq", label)

    def _theorem(self, _: str, text: str) -> str:
        title, target = self._titled(text)
        found = self.env.proof_list[target]  # type: ignore[attr-defined]
        document, kind = found["docname"], found["countertype"]
        number = ".".join(map(str, self.env.toc_fignumbers[document][kind][target]))
        return _away(title or f"{found['realtype'].title()} {number}", document, target)

    def _code(self, _: str, text: str) -> str:
        return f"`{text}`"

    def _word(self, _: str, text: str) -> str:
        return self._titled(text)[0] or text


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
        if name == "published":
            row = _printed().get(text)
            return _away(row.printed if row else "…", "book/ledger", text)
        if name == "computed":
            return _away("…", "book/ledger", text.partition("|")[0])
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
def _printed() -> dict[str, Row]:
    published = Published()
    return {**published.rows, **published.inputs}


def _away(title: str, document: str, anchor: str = "") -> str:
    """A link to a place of the published site."""
    return f"[{title}]({SITE}{document}.html{anchor and '#'}{anchor})"


def write(
    folder: Path, reader_of: Callable[[str, Mapping[str, Mapping[str, str]]], Reader]
) -> None:
    """Make every notebook in a finished site's folder readable."""
    paths = sorted(folder.glob("notebooks/*.ipynb"))
    notebooks = {f"notebooks/{p.stem}": nbformat.read(p, as_version=4) for p in paths}
    values = {document: dict(glued(notebook)) for document, notebook in notebooks.items()}
    for path, (document, notebook) in zip(paths, notebooks.items(), strict=True):
        readable(notebook, reader_of(document, values))
        path.write_text(nbformat.writes(notebook) + "\n", "utf-8")
