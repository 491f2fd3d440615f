"""What the site calls theorems, equations, works and notebooks: Jupyter shows it for their labels.

A theorem or an equation is numbered within its chapter, in the order of the pages' text; Sphinx
does the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pybtex.database import Entry, parse_file

Names = Mapping[tuple[str, str], str]
# The label of a formula stands behind it, that of a theorem or proof in the line below its head.
_LABEL = re.compile(
    r"^[ \t]*\$\$[ \t]*\((?P<eq>[\w-]+)\)|^:{3,}\{prf:(?P<kind>\w+)\}.*\n:label: (?P<prf>[\w-]+)",
    re.M,
)


@cache
def names(root: Path) -> Names:
    """Return what stands for a role with a label, by role and label."""
    return {**dict(_numbered(root)), **dict(_cited(root)), **dict(_titled(root))}


def _numbered(root: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Give the number of each theorem and equation, as a link to its page."""
    for number, pages in enumerate(_chapters(root), 1):
        seen: Counter[str] = Counter()
        for page in filter(Path.exists, (root / f"{page}.md" for page in pages)):
            for label in _LABEL.finditer(page.read_text("utf-8")):
                kind = (label["kind"] or "").title()
                seen[kind] += 1
                place = f"{number}.{seen[kind]}"
                role, text = ("prf:ref", f"{kind} {place}") if kind else ("eq", f"({place})")
                link = f"[{text}](../{page.relative_to(root).as_posix()})"
                yield (role, label["prf"] or label["eq"]), link


def _chapters(root: Path) -> Iterator[list[str]]:
    """Give the pages of each numbered chapter."""
    contents = root / "book" / "_toc.yml"
    parts = yaml.safe_load(contents.read_text("utf-8"))["parts"] if contents.exists() else []
    for part in parts:
        for chapter in part["chapters"] if part.get("numbered") else []:
            yield [chapter["file"], *(section["file"] for section in chapter.get("sections", []))]


def _cited(root: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Give authors and year of each work, as a subject and in brackets."""
    works = root / "book" / "references.bib"
    for key, work in parse_file(works).entries.items() if works.exists() else []:
        year, authors = work.fields["year"], _authors(work)
        yield ("cite:t", key), f"{authors} ({year})"
        yield ("cite:p", key), f"({authors}, {year})"


def _authors(work: Entry) -> str:
    """Return the last names of two authors, or of the first of several."""
    people: list[Any] = work.persons.get("author") or work.persons.get("editor") or []
    last = [" ".join(map(str, p.rich_prelast_names + p.rich_last_names)) for p in people]
    return f"{last[0]} et al." if len(last) > 2 else " and ".join(last)


def _titled(root: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Give the title of each notebook, as a link."""
    for source in (root / "notebooks").glob("*.py"):
        title = re.search(r"^# # (.+)", source.read_text("utf-8"), re.M)
        if title:
            yield ("doc", source.stem), f"[{title[1]}]({source.stem}.ipynb)"
