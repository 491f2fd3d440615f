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
from bs4 import BeautifulSoup

from compendium.execute import Edition, RefusedError
from compendium.published import Published

__all__ = ["combined", "main"]

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_STYLE = """
@page { margin: 18mm 16mm; size: A4; }
body { background: #fff; }
.bd-article { padding: 0; }
.bd-article > section { break-before: page; }
:is(.headerlink, .copybtn, .downloads, .ledger-filter) { display: none !important; }
:is(.wide, .full-width, .pst-scrollable-table-container) {
  max-width: 100% !important;
  overflow: visible !important;
  width: 100% !important;
}
details.item tr, figure, table.table tr { break-inside: avoid; }
table.ledger { font-size: 0.7rem; }
"""


def combined(html: Path, documents: Sequence[str], address: str) -> str:
    """One page with the articles of several, in the first one's frame."""
    frame = BeautifulSoup((html / f"{documents[0]}.html").read_text("utf-8"), "html.parser")
    article = BeautifulSoup('<article class="bd-article"></article>', "html.parser").article
    assert article is not None
    for document in documents:
        page = BeautifulSoup((html / f"{document}.html").read_text("utf-8"), "html.parser")
        for link in page.select(".bd-article a[href]"):
            link["href"] = urljoin(f"{address}{document}.html", str(link["href"]))
        for image in page.select(".bd-article [src]"):
            image["loading"] = "eager"
        for fold in page.select(".bd-article details:not(.hide)"):
            fold["open"] = ""
        for script in page.select(".bd-article script, .bd-article .explorer"):
            script.decompose()
        for section in page.select(".bd-article > section"):
            article.append(section)
    assert frame.body is not None
    assert frame.head is not None
    scripts = [script for script in frame.select("script[src]") if "mathjax" in str(script["src"])]
    frame.body.clear()
    frame.body.append(article)
    for script in scripts:
        frame.body.append(script)
    style = frame.new_tag("style")
    style.string = _STYLE
    frame.head.append(style)
    return str(frame)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the edition that was built; return the exit code."""
    edition = Edition(name="quick" if "--quick" in (arguments or sys.argv[1:]) else "full")
    html = edition.folder / "html"
    try:
        program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
        if program is None:
            raise RefusedError(f"printing needs one of {', '.join(_PROGRAMS)}")
        if not (html / "book" / "ledger.html").is_file():
            raise RefusedError(f"there is no site in {html}: build it first")
    except RefusedError as error:
        sys.stdout.write(f"error: {error}\n")
        return 1
    settings = yaml.safe_load((edition.root / "_config.yml").read_text("utf-8"))
    documents = [
        "book/index",
        *(f"book/{key}" for key in Published(edition.published).papers),
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
    sys.stdout.write(f"The printed edition is {target.relative_to(edition.root)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
