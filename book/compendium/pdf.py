"""The printed edition: the chapters and the ledger as one PDF, made from the finished site.

The pages' articles are put behind each other into one page, unfolded, and Chromium prints it.
Links within the book lead to the site, so that every number can still be followed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

import yaml
from bs4 import BeautifulSoup, Tag

from compendium.execute import Edition, Project
from compendium.published import Published

__all__ = ["combined", "main"]

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def combined(html: Path, documents: Sequence[str], address: str) -> str:
    """One page with the articles of several, in the first one's frame."""
    sections: list[Tag] = []
    for document in reversed(documents):
        page = BeautifulSoup((html / f"{document}.html").read_text("utf-8"), "html.parser")
        for link in page.select(".bd-article a[href]"):
            link["href"] = urljoin(f"{address}{document}.html", str(link["href"]))
        for image in page.select(".bd-article [src]"):
            image["loading"] = "eager"
        for fold in page.select(".bd-article details:not(.hide)"):
            fold["open"] = ""
        for script in page.select(".bd-article script, .bd-article .explorer"):
            script.decompose()
        sections[:0] = page.select(".bd-article > section")
    article = page.new_tag("article", attrs={"class": "bd-article"})
    article.extend(sections)
    scripts = page.select('script[src*="mathjax"]')
    assert page.body is not None
    assert page.head is not None
    page.body.clear()
    page.body.extend([article, *scripts])
    page.head.append(page.new_tag("link", rel="stylesheet", href="../_static/pdf.css"))
    return str(page)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the edition that was built; return the exit code."""
    project = Project()
    edition = Edition(project, "quick" if "--quick" in (arguments or sys.argv[1:]) else "full")
    html = edition.folder / "html"
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None or not (html / "book" / "ledger.html").is_file():
        needed = f"there is no site in {html}: build it first"
        if program is None:
            needed = f"printing needs one of {', '.join(_PROGRAMS)}"
        sys.stdout.write(f"error: {needed}\n")
        return 1
    settings = yaml.safe_load((project.root / "_config.yml").read_text("utf-8"))
    documents = [
        "book/index",
        *(f"book/{key}" for key in Published(project.published).papers),
        *("book/score", "book/compare", "book/ledger", "book/errata", "book/bibliography"),
    ]
    page = html / "book" / "all.html"
    page.write_text(combined(html, documents, settings["html"]["baseurl"]), "utf-8")
    target = html / "f1ci.pdf"
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *(program, "--headless", "--no-sandbox", "--disable-gpu"),
                *("--disable-dev-shm-usage", f"--user-data-dir={profile}"),
                *("--allow-file-access-from-files", "--virtual-time-budget=120000"),
                *("--no-pdf-header-footer", f"--print-to-pdf={target}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
        )
    page.unlink()
    sys.stdout.write(f"The printed edition is {target.relative_to(project.root)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
