"""Single pages of the real book in a browser: for every eye, for the keyboard and on paper."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from compendium import ROOT, SITE, deposit
from compendium.published import Published
from pybtex.database import parse_string
from sites import article_on_paper

pytestmark = pytest.mark.slow

ROWS = ".ledger-all tbody tr:visible"  # of the ledger
IDS = [*Published().rows]
ROW = "lam/section-6/f1"


def open_page(tab, address, page):
    tab.goto(f"{address}/{page}", wait_until="networkidle")


# One page of each kind: a widget, code, formulas, a table to filter, lists, a notebook.
@pytest.mark.parametrize(
    "name",
    [
        *(f"book/{page}" for page in ("index", "recipes", "lam", "ledger", "errata")),
        *(f"notebooks/{name}" for name in ("five-minutes", "lam-coverage")),
    ],
)
def test_axe_finds_no_serious_violation(tab, real_address, name):
    """For a reader who prefers light or dark colours, in which pages differ by colours alone."""
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        tab.emulate_media(color_scheme=scheme)
        open_page(tab, real_address, f"{name}.html")
        assert tab.evaluate("document.documentElement.dataset.theme") == scheme
        # Five hundred formulas take axe six seconds; they are made alike.
        tab.evaluate(
            "[...document.querySelectorAll('mjx-container')].slice(30).map((e) => e.remove())"
        )
        options = {"resultTypes": ["violations"], **rules}
        found = Axe().run(tab, options=options).response["violations"]
        serious = [v for v in found if v["impact"] in ("serious", "critical")]
        assert [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}" for v in serious] == []


def test_formulas_proofs_code_and_the_still_of_a_figure(tab, real_address):
    """On the page of lam, a proof of compare, and the code of a notebook."""
    open_page(tab, real_address, "book/lam.html")
    tab.wait_for_selector(".bd-article mjx-container", timeout=30_000)
    tab.evaluate("() => MathJax.startup.promise")
    # Formulas that scroll stop the keyboard; at 1280 px that is next to none.
    assert tab.locator('mjx-container[tabindex="0"], .math[tabindex="0"]').count() <= 3
    # What a screen reader says of them is there.
    formulas = tab.locator(".bd-article mjx-container").count()
    assert tab.locator(".bd-article mjx-assistive-mml math").count() == formulas > 500
    still, figure = tab.locator("figure.explorer-still"), tab.locator("#explorer")
    assert (still.is_visible(), figure.is_visible()) == (False, True)
    tab.emulate_media(media="print")
    assert (still.is_visible(), figure.is_visible()) == (True, False)

    tab.emulate_media(media="null")
    for page, button, folded in (
        ("book/compare", "Show the proof", ".toggle.proof p"),
        (
            "notebooks/lam-coverage",
            "Show the code",
            'details:has-text("Show the code") div.cell_input',
        ),
    ):
        open_page(tab, real_address, f"{page}.html")
        hidden = tab.locator(folded).first
        assert not hidden.is_visible()
        tab.get_by_text(button).first.click()
        hidden.wait_for(state="visible")


def test_without_scripts_the_ledger_unfolds_and_the_figure_is_a_picture(plain, real_address):
    plain.goto(f"{real_address}/book/lam.html")
    still = plain.locator("figure.explorer-still")
    assert still.bounding_box()["height"] > 200
    assert "Clopper-Pearson stays above" in still.locator("img").get_attribute("alt")
    assert not plain.locator("#explorer").is_visible()
    plain.goto(f"{real_address}/book/ledger.html")
    assert plain.locator(ROWS).count() == 0
    assert not plain.locator("form.ledger-filter").is_visible()
    plain.locator("summary", has_text="Section 6").first.click()
    assert plain.locator(ROWS).count() == sum(i.startswith("lam/section-6/") for i in IDS)
    assert plain.locator(".copy-citation").count() == 0


# The ledger


def test_the_ledger_is_folded_and_filters(tab, real_address):
    open_page(tab, real_address, "book/ledger.html")
    rows, words = tab.locator(ROWS), tab.get_by_label("Words")
    assert rows.count() == 0
    # As a reader writes it; in the papers' tables there is one numbered 3 and another 1b.
    for sought, shown in (
        ("section-6 wald", 3),
        ("table 1", sum("/table-1/" in i for i in IDS)),
        ("Table 3", sum("/table-3/" in i for i in IDS)),
    ):
        words.fill(sought)
        assert rows.count() == shown, sought
    # The filters are in the address.
    tab.get_by_label("Paper").select_option("lam")
    shown = sum(i.startswith("lam/table-3/") for i in IDS)
    assert rows.count() == shown
    assert tab.url.endswith("ledger.html?words=Table+3&paper=lam")
    tab.reload(wait_until="networkidle")
    assert words.input_value() == "Table 3"
    assert rows.count() == shown
    tab.get_by_label("Paper").select_option("")
    words.fill("")
    assert rows.count() == 0
    tab.get_by_role("button", name="Unfold all").click()
    assert rows.count() == len(IDS)
    tab.get_by_role("button", name="Fold all").click()
    assert rows.count() == 0


def test_the_ledger_sorts_and_its_headings_stay_in_sight(tab, real_address):
    open_page(tab, real_address, "book/ledger.html?words=lam/table-3")
    tab.get_by_role("button", name="printed").click()
    heading = tab.locator("th:visible", has_text="printed")
    assert heading.get_attribute("aria-sort") == "ascending"
    rows = tab.locator(ROWS)
    found = [float(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert len(found) > 50
    assert found == sorted(found)
    rows.nth(40).scroll_into_view_if_needed()
    bar, form, heading = (
        tab.locator(what).bounding_box()
        for what in (".bd-header-article", "form.ledger-filter", "details.item[open] th >> nth=0")
    )
    for above, below in ((bar, form), (form, heading)):
        assert above["y"] + above["height"] == pytest.approx(below["y"], abs=2)


def test_a_link_reveals_its_row_whose_citation_can_be_copied(browser, real_book, real_address):
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        tab = context.new_page()
        open_page(tab, real_address, f"book/ledger.html?paper=yuan#{ROW}")
        target = tab.locator(f'[id="{ROW}"]')
        assert target.is_visible()
        assert 0 < target.bounding_box()["y"] < tab.viewport_size["height"]
        assert tab.url.endswith(f"ledger.html#{ROW}")  # the filter that hid the row is gone
        copied = []
        for form in ("text", "BibTeX"):
            tab.get_by_role("button", name=f"Copy citation of {ROW} as {form}").click()
            copied.append(tab.evaluate("navigator.clipboard.readText()"))
    record = (real_book / "records" / "lam-bert-suggestion-mining.json").read_text()
    version, results = (
        re.search(rf'"{key}": "([^"]*)"', record)[1] for key in ("version", "results")
    )
    note = f"printed 0.740, reproduced 0.74038 (match); results hash {results}"
    place = f"{SITE}book/ledger.html#{ROW}"
    assert copied[0] == f"f1ci, version {version}, ledger row {ROW}: {note}. {place}"
    (entry,) = parse_string(copied[1], "bibtex").entries.values()
    assert {name: entry.fields[name] for name in ("note", "url")} == {"note": note, "url": place}


def test_a_row_leads_to_the_place_where_its_notebook_shows_the_number(tab, real_address):
    tab.set_viewport_size({"width": 1000, "height": 200})
    tab.goto(f"{real_address}/notebooks/lam-bert-suggestion-mining.html#{ROW}")
    shown = tab.locator(f'a.ledger-number[href$="#{ROW}"]').first
    tab.wait_for_function("scrollY > 0")
    box = shown.bounding_box()
    assert 0 <= box["y"] < box["y"] + box["height"] <= 200


# Addresses and hosts


@pytest.mark.parametrize(
    "place", ["book/ledger.html#%E0%A4%A", "notebooks/lam-geometry.html#%/", "book/index.html?q=%"]
)
def test_a_malformed_address_shows_its_page(tab, real_address, place):
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    open_page(tab, real_address, place)
    assert errors == []


def test_a_page_loads_nothing_from_elsewhere(tab, real_address):
    """Its policy forbids it, even if a text or a number could inject a script."""
    refused = []
    tab.on("console", lambda said: refused.extend([said.text] * (said.type == "error")))
    open_page(tab, real_address, "book/glossary.html")
    assert refused == []
    tab.evaluate("() => fetch('https://example.org/').catch(() => null)")
    assert any("Content Security Policy" in text for text in refused)


# Paper


def test_the_article_on_paper_is_whole_and_its_links_lead_to_the_site(real_book):
    place = real_book / "html" / "book" / "article.html"
    page = BeautifulSoup(deposit.on_paper(place, f"{SITE}book/article.html"), "html.parser")
    links = {link["href"] for link in page.select(".bd-article a[href]")}
    assert any(link.startswith(f"{SITE}book/ledger.html") for link in links)
    assert all(link.startswith("https://") for link in links)
    assert not page.select("nav, .bd-sidebar, form")

    text = article_on_paper(real_book / "html")
    source = (ROOT / "book" / "article.md").read_text("utf-8")
    for heading in re.findall(r"^#+ (.+)$", source, re.M):
        assert heading.replace("*", "") in re.sub(r"\s+", " ", text), heading
    for word in ("Show the code", "Copy citation", "Search", "Contents"):
        assert word not in text, word
