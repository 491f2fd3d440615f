"""The real book, computed with few replicates (`make quick`), as files and as pages in a browser.

What is up to date is not computed again. `test_screens.py` looks at single pages of it.
"""

import json
import re
from pathlib import Path

import nbformat
import pytest
import yaml
from compendium import ROOT, references, swhid
from compendium.published import Published
from sites import (
    CONTRAST,
    ROLE_LEFT,
    SHIFT,
    TARGETS,
    faults,
    measured,
    read_pages,
    texts_of,
)
from sphinx_external_toc.parsing import parse_toc_yaml

pytestmark = pytest.mark.slow


def pages_of(folder):
    return list(parse_toc_yaml(folder / "stage" / "book" / "_toc.yml"))


def test_the_real_book_is_complete(real_book):
    documents = pages_of(real_book)
    assert [d for d in documents if not (real_book / "html" / f"{d}.html").is_file()] == []
    sources = {f"notebooks/{p.stem}" for p in (ROOT / "notebooks").glob("*.py")}
    pages = {f"book/{p.stem}" for p in (ROOT / "book").glob("[a-z]*.md")}
    assert set(documents) == sources | pages


def test_search_engines_find_every_page_and_the_root_has_a_title(real_book):
    html = real_book / "html"
    addresses = re.findall(
        r"<loc>https://f1ci\.github\.io/f1ci/(.*)\.html</loc>", (html / "sitemap.xml").read_text()
    )
    assert sorted(addresses) == sorted(pages_of(real_book))
    door = (html / "index.html").read_text("utf-8")
    assert "<title>How sure can one be of an F score?</title>" in door
    assert "url=book/index.html" in door


def test_the_readme_shows_the_figure_of_the_front_page(real_book):
    figure = real_book / "results" / "figures" / "choosing-a-method-front.svg"
    assert (ROOT / "book" / "_static" / "coverage.svg").read_bytes() == figure.read_bytes()


def test_the_manifest_lists_what_the_notebooks_make(real_book):
    """Every figure, every notebook with its tables, every results file, and nothing else."""
    listed = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8"))["manifest"]
    made = {
        f"_build/{p.relative_to(real_book).as_posix()}"
        for folder in ("executed", "results")
        for p in (real_book / folder).rglob("*")
        if p.is_file()
    }
    assert {item["file"] for item in listed} == made


def test_a_checker_can_read_what_the_manifest_lists(real_book):
    """Text and tables of the executed notebooks have their numbers, without the site."""
    for text in texts_of(real_book / "executed"):
        assert not ROLE_LEFT.search(text), text
        assert "…" not in text, text
    cells = 0
    for path in (real_book / "executed").glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                html = output.get("data", {}).get("text/html", "")
                shown = re.findall(r'data-show="(\w+)">(.*?)</span>', html)
                of_book = {"verdict", "tally"}  # only the book gives verdicts
                assert not [what for what, text in shown if what not in of_book and not text]
                cells += len(shown)
    assert cells > 900


@pytest.fixture(scope="module")
def site(real_book):
    return read_pages(real_book / "html")


def test_every_link_of_the_real_book_leads_somewhere(site):
    assert list(faults(site)) == []


def test_no_page_misses_a_number_or_has_an_id_twice(site):
    for path, page in site.items():
        # The page of the search has a box for readers without scripts.
        assert not page.classes & {"not-computed", "admonition error"} or path.stem == "search"
        assert not ROLE_LEFT.search(page.path.read_text("utf-8")), path.name
        assert sorted(page.ids) == sorted(set(page.ids)), path.name


def test_a_notebooks_page_says_what_it_was_computed_from(real_book):
    """`faults` follows its links: to its source, its data, its numbers and its figures."""
    page = real_book / "html" / "notebooks" / "takahashi-sleep-stages.html"
    text = page.read_text("utf-8")
    identifier = swhid(ROOT / "notebooks" / "takahashi-sleep-stages.py")
    hashed = 'results hash <code class="results-hash">'
    for fact in ("matrices = ", "numpy", hashed, f"<code>{identifier}</code>"):
        assert fact in text
    for file in ("../results/takahashi-sleep-stages.csv", "data/confusion-matrices.csv"):
        assert f'href="{file}"' in text
    ledger = (real_book / "html" / "ledger" / "ledger.json").read_text("utf-8")
    sources = {row["notebook"]: row["source"] for row in json.loads(ledger)["rows"]}
    assert sources["takahashi-sleep-stages"] == identifier


def test_a_page_quotes_the_ledger(real_book):
    row = 'href="../book/ledger.html#lam/section-6/f1"'
    assert re.search(rf"{row}[^>]*>0\.740", (real_book / "html/book/lam.html").read_text("utf-8"))
    ledger = (real_book / "html/book/ledger.html").read_text("utf-8")
    assert re.search(r'<tr id="lam/section-6/f1"[^>]* data-verdict="match"', ledger)


def test_jupyter_numbers_theorems_and_equations_as_the_site_does(real_book):
    names = {label: name for (_, label), name in references.names(ROOT).items()}
    link = re.compile(
        r'<a class="reference internal" href="[^"#]*#(?:equation-)?([\w-]+)">(.*?)</a>'
    )
    seen = set()
    for page in (real_book / "html").rglob("*.html"):
        for label, html in link.findall(page.read_text("utf-8")):
            if label in names:
                text = re.sub(r"<.*?>", "", html).strip()
                assert names[label].startswith(f"[{text}]("), label
                seen.add(label)
    assert len(seen) > 80


def test_no_offered_notebook_has_roles(real_book):
    offered, sources = real_book / "html" / "notebooks", ROOT / "notebooks"
    assert {p.stem for p in offered.glob("*.ipynb")} == {p.stem for p in sources.glob("*.py")}
    assert not any(ROLE_LEFT.search(text) for text in texts_of(offered))


SCREENS = {390: "dark", 1400: "light"}  # a phone's and a desk's


@pytest.fixture(scope="module")
def visits(browser, real_book, real_address):
    """What each page asks for, its scripts' errors, its formulas, and what a reader cannot use."""
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    asked, errors, found = [], [], {}
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda said: errors.extend([said.text] * (said.type == "error")))
    for document in [*pages_of(real_book), "search", "genindex"]:
        asked.clear()
        errors.clear()
        tab.set_viewport_size({"width": 390, "height": 844})
        tab.emulate_media(color_scheme="dark")
        tab.goto(f"{real_address}/{document}.html")
        # The theme fades colours otherwise, which are then measured half way.
        tab.add_style_tag(content="* { transition: none !important; }")
        wrong, faint = {}, {}
        for width, scheme in SCREENS.items():
            tab.emulate_media(color_scheme=scheme)
            wrong[width] = measured(tab, width)
            faint[scheme] = tab.evaluate(CONTRAST)
            if width == 390:
                shift, small = tab.evaluate(SHIFT), tab.evaluate(TARGETS)
        found[document] = {
            "wrong": wrong,
            "faint": faint,
            "shift": shift,
            "small": small,
            "asked": [*asked],
            "errors": [*errors],
            "formulas": tab.locator(".bd-article mjx-container").count(),
            "unreadable formulas": tab.locator("mjx-merror").count(),
        }
    tab.close()
    return found


def test_no_page_asks_anything_of_the_network(visits, real_address):
    own = (real_address, "data:", "blob:")
    assert [u for visit in visits.values() for u in visit["asked"] if not u.startswith(own)] == []
    assert {page: visit["errors"] for page, visit in visits.items() if visit["errors"]} == {}


def test_mathematics_renders(visits):
    assert {page for page, visit in visits.items() if visit["unreadable formulas"]} == set()
    assert all(visits[f"book/{paper}"]["formulas"] > 50 for paper in Published().papers)


@pytest.mark.parametrize("width", SCREENS)
def test_every_page_fits_its_screen(visits, width):
    """A figure for a phone is 461 px wide with labels of 10 points, which are 13 px.

    At 75 % of that they have 10 px, the least that is read without effort.
    """
    found = {page: visit["wrong"][width] for page, visit in visits.items()}
    assert {page: wrong for page, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("scheme", SCREENS.values())
def test_every_text_has_the_contrast_of_wcag_aa(visits, scheme):
    found = {page: visit["faint"][scheme] for page, visit in visits.items()}
    assert {page: faint for page, faint in found.items() if faint} == {}


def test_a_finger_hits_every_control(visits):
    assert {page: visit["small"] for page, visit in visits.items() if visit["small"]} == {}


def test_no_page_jumps_while_it_loads(visits):
    """Web Vitals call a shift of 0.1 or less good; formulas, which come last, are in it."""
    shifts = {page: visit["shift"] for page, visit in visits.items()}
    assert {page: shift for page, shift in shifts.items() if shift > 0.1} == {}


# The pages that a search must find first.
SEARCHES = {
    "install": {"five-minutes"},
    "calculator": {"calculator"},
    "compare": {"compare"},
    "macro f1": {"takahashi"},
    "is model b better": {"compare"},
    "f1_score_interval": {"api-intervals"},
    "docker": {"reexecute"},
    "Wilson": set(),
}


def test_search_puts_the_guide_first_and_before_the_api(tab, real_address):
    for word, names in SEARCHES.items():
        tab.goto(f"{real_address}/search.html?q={word}", wait_until="domcontentloaded")
        tab.wait_for_selector(".search-summary:has-text('finished')", timeout=30_000)
        links = tab.locator("#search-results li > a")
        found = [link.get_attribute("href") for link in links.all()]
        first = {Path(re.split("[?#]", link)[0]).stem for link in found[: len(names)]}
        assert first == names, word
        assert "_" in word or "/api" not in found[0], word
