"""Single pages of the real book in a browser: for every eye, for the keyboard and on paper."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from compendium import ROOT, SITE
from compendium.published import Published
from pybtex.database import parse_string

pytestmark = pytest.mark.slow

ROWS = ".ledger-all tbody tr:visible"  # of the ledger
IDS = [*Published().rows]
ROW = "lam/section-6/f1"


def open_page(tab, address, page):
    tab.goto(f"{address}/{page}", wait_until="networkidle")


# One page of each kind: a widget and code, formulas, a table to filter, a notebook.
@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *[("book/index", "light"), ("book/lam", "light"), ("book/ledger", "light")],
        *[("notebooks/lam-coverage", "light"), ("notebooks/lam-coverage", "dark")],
        ("book/ledger", "dark"),
    ],
)
def test_axe_finds_no_serious_violation(tab, real_address, name, scheme):
    """For a reader who prefers light or dark colours, in which pages differ by colours alone."""
    tab.emulate_media(color_scheme=scheme)
    open_page(tab, real_address, f"{name}.html")
    assert tab.evaluate("document.documentElement.dataset.theme") == scheme
    # Five hundred formulas take axe six seconds; they are made alike.
    tab.evaluate("[...document.querySelectorAll('mjx-container')].slice(30).map((e) => e.remove())")
    rules = {} if scheme == "light" else {"runOnly": ["color-contrast"]}
    found = Axe().run(tab, options={"resultTypes": ["violations"], **rules}).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}" for v in serious] == []


def test_formulas_have_words_and_a_figure_a_still(tab, real_address):
    open_page(tab, real_address, "book/lam.html")
    tab.evaluate("() => MathJax.startup.promise")
    # Formulas that scroll stop the keyboard; at 1280 px that is next to none.
    assert tab.locator('mjx-container[tabindex="0"], .math[tabindex="0"]').count() <= 3
    # What a screen reader says of them is there.
    formulas = tab.locator(".bd-article mjx-container").count()
    assert tab.locator(".bd-article mjx-assistive-mml math").count() == formulas > 500
    open_page(tab, real_address, "notebooks/choosing-a-method.html")
    still, figure = tab.locator("figure.explorer-still"), tab.locator("#explorer")
    assert (still.is_visible(), figure.is_visible()) == (False, True)
    tab.emulate_media(media="print")
    assert (still.is_visible(), figure.is_visible()) == (True, False)


CODE = 'details:has-text("Show the code") div.cell_input'


@pytest.mark.parametrize(
    ("page", "button", "folded"),
    [
        ("book/compare", "Show the proof", ".toggle.proof p"),
        ("notebooks/lam-coverage", "Show the code", CODE),
    ],
)
def test_a_proof_and_code_unfold(tab, real_address, page, button, folded):
    open_page(tab, real_address, f"{page}.html")
    hidden = tab.locator(folded).first
    assert not hidden.is_visible()
    tab.get_by_text(button).first.click()
    hidden.wait_for(state="visible")


def test_without_scripts_the_ledger_unfolds_and_the_figure_is_a_picture(plain, real_address):
    plain.goto(f"{real_address}/book/index.html")
    assert plain.locator("figure.explorer-still").is_visible()
    plain.goto(f"{real_address}/notebooks/choosing-a-method.html")
    still = plain.locator("figure.explorer-still")
    assert still.bounding_box()["height"] > 200
    assert "Clopper-Pearson stays above" in still.locator("img").first.get_attribute("alt")
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
    words.fill("section-6 wald")
    assert rows.count() == 3
    # As a reader writes it; in the papers' tables there is one numbered 3.
    words.fill("Table 3")
    assert rows.count() == sum("/table-3/" in i for i in IDS)
    # The filters are in the address.
    tab.get_by_role("combobox", name="Paper").select_option("lam")
    shown = sum(i.startswith("lam/table-3/") for i in IDS)
    assert rows.count() == shown
    tab.reload(wait_until="networkidle")
    assert words.input_value() == "Table 3"
    assert rows.count() == shown


def test_the_whole_ledger_unfolds(tab, real_address):
    open_page(tab, real_address, "book/ledger.html")
    tab.get_by_role("button", name="Unfold all").click()
    assert tab.locator(ROWS).count() == len(IDS)
    tab.get_by_role("button", name="Fold all").click()
    assert tab.locator(ROWS).count() == 0


def test_the_ledger_sorts(tab, real_address):
    open_page(tab, real_address, "book/ledger.html?words=lam/table-3")
    tab.get_by_role("button", name="printed").click()
    heading = tab.locator("th:visible", has_text="printed")
    assert heading.get_attribute("aria-sort") == "ascending"
    rows = tab.locator(ROWS)
    found = [float(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert len(found) > 50
    assert found == sorted(found)


@pytest.fixture
def of_row(browser, real_address):
    """The ledger, opened by a link to a row which its filter hides."""
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        tab = context.new_page()
        open_page(tab, real_address, f"book/ledger.html?paper=yuan#{ROW}")
        yield tab


def test_a_link_reveals_its_row(of_row):
    target = of_row.locator(f'[id="{ROW}"]')
    assert target.is_visible()
    assert 0 < target.bounding_box()["y"] < of_row.viewport_size["height"]
    assert of_row.url.endswith(f"ledger.html#{ROW}")  # the filter that hid the row is gone


def test_the_citation_of_a_row_can_be_copied(of_row, real_book):
    copied = {}
    for form in ("text", "BibTeX"):
        of_row.get_by_role("button", name=f"Copy citation of {ROW} as {form}").click()
        copied[form] = of_row.evaluate("navigator.clipboard.readText()")
    record = json.loads((real_book / "records" / "lam-bert-suggestion-mining.json").read_text())
    note = f"printed 0.740, reproduced 0.74038 (match); results hash {record['results']}"
    place = f"{SITE}book/ledger.html#{ROW}"
    version = record["version"]
    assert copied["text"] == f"f1ci, version {version}, ledger row {ROW}: {note}. {place}"
    (entry,) = parse_string(copied["BibTeX"], "bibtex").entries.values()
    assert (entry.fields["note"], entry.fields["url"]) == (note, place)


def test_a_row_leads_to_the_place_where_its_notebook_shows_the_number(tab, real_address):
    tab.set_viewport_size({"width": 1000, "height": 200})
    tab.goto(f"{real_address}/notebooks/lam-bert-suggestion-mining.html#{ROW}")
    shown = tab.locator(f'a.ledger-number[href$="#{ROW}"]').first
    tab.wait_for_function("scrollY > 0")
    box = shown.bounding_box()
    assert 0 <= box["y"] < box["y"] + box["height"] <= 200


# Addresses and hosts


@pytest.mark.parametrize("place", ["book/ledger.html#%E0%A4%A", "book/index.html?q=%"])
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


def test_the_article_on_paper_is_whole(tab, real_address):
    open_page(tab, real_address, "book/article.html")
    tab.emulate_media(media="print")
    text = tab.locator("body").inner_text()
    source = (ROOT / "book" / "article.md").read_text("utf-8")
    for heading in re.findall(r"^#+ (.+)$", source, re.M):
        assert heading.replace("*", "") in text, heading
    for word in ("Show the code", "Copy citation", "Search"):
        assert word not in text, word
