"""The printed edition: guide, chapters and ledger as one PDF, made from the finished site.

The pages' articles are put behind each other into one page, unfolded, and Chromium prints it.
Links to what is printed lead there, and the others to the site: every number can be followed.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag

from compendium.downloads import SITE
from compendium.execute import QUICK, Edition, RefusedError, command, say
from compendium.published import Published

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# What paper cannot do: scripts, forms, hidden code and files.
_FOR_SCREENS = (
    ".bd-article :is(script, .explorer, .calculator, .ledger-filter, .copy-citation, .headerlink,"
    " .provenance > :not(:first-child), details.hide)"
)


def combined(html: Path, documents: Sequence[str], address: str) -> str:
    """One page with the articles of several, in the first one's frame."""
    sections: list[Tag] = []
    for document in reversed(documents):
        page = BeautifulSoup((html / f"{document}.html").read_text("utf-8"), "html.parser")
        for part in page.select(".bd-article [id]"):
            part["id"] = f"{document}:{part['id']}"  # of all pages each has an id of its own
        for link in page.select(".bd-article a[href]"):
            target = urljoin(f"{document}.html", str(link["href"]))
            name, _, place = target.partition("#")
            name = name.removesuffix(".html")
            inside = f"#{name}:{place}" if place else f"#{name}"
            link["href"] = inside if name in documents else urljoin(address, target)
        for image in page.select(".bd-article [src]"):
            image["loading"] = "eager"
        for part in page.select(_FOR_SCREENS):
            part.decompose()
        for fold in page.select(".bd-article details"):
            fold["open"] = ""
        article = page.new_tag("div", id=document)
        article.extend(page.select(".bd-article > section"))
        sections.insert(0, article)
    article = page.new_tag("article", attrs={"class": "bd-article"})
    article.extend(sections)
    scripts = page.select('script[src*="mathjax"]')
    head, body = page.select("html > head, html > body")
    body.clear()
    body.extend([article, *scripts])
    head.append(page.new_tag("link", rel="stylesheet", href="../_static/pdf.css"))
    return str(page)


def print_pages(html: Path, documents: Sequence[str], address: str, target: Path) -> None:
    """Print pages of the site in `html`."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise RefusedError(f"printing needs one of {', '.join(_PROGRAMS)}")
    if not html.is_dir():
        raise RefusedError(f"there is no site in {html}: build it first")
    page = html / "book" / "all.html"
    page.write_text(combined(html, documents, address), "utf-8")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *(program, "--headless", "--no-sandbox", "--disable-gpu"),
                *("--disable-dev-shm-usage", f"--user-data-dir={profile}"),
                *("--allow-file-access-from-files", "--virtual-time-budget=120000"),
                *("--no-pdf-header-footer", "--generate-pdf-document-outline"),
                *(f"--print-to-pdf={target}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
        )
    page.unlink()


def _main(edition: Edition) -> bool:
    html = edition.folder / "html"
    documents = [
        *("book/index", "notebooks/five-minutes", "book/recipes", "notebooks/questions"),
        *(f"book/{key}" for key in Published(edition.published).papers),
        *("book/score", "book/compare", "book/ledger", "book/errata", "book/bibliography"),
    ]
    print_pages(html, documents, SITE, html / "f1ci.pdf")
    say(f"The printed edition is {html.relative_to(edition.root)}/f1ci.pdf")
    return True


if __name__ == "__main__":
    command(_main, QUICK)
