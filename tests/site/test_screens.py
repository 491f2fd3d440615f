"""Single pages of the real book in a browser: for every eye, for the keyboard and on paper."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from compendium import ROOT
from sites import ROWS, article_on_paper

pytestmark = pytest.mark.slow


# One page of each kind: a widget, code, formulas, a table to filter, lists, a notebook.
@pytest.mark.parametrize(
    "name",
    [
        *(f"book/{p}" for p in ("index", "calculator", "recipes", "lam", "ledger", "errata")),
        *(f"notebooks/{n}" for n in ("five-minutes", "lam-coverage")),
    ],
)
def test_axe_finds_no_serious_violation(tab, real_address, name):
    """For a reader who prefers light or dark colours, in which pages differ by colours alone."""
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        tab.emulate_media(color_scheme=scheme)
        tab.goto(f"{real_address}/{name}.html", wait_until="networkidle")
        assert tab.evaluate("document.documentElement.dataset.theme") == scheme
        # Five hundred formulas take axe six seconds; they are made alike.
        tab.evaluate(
            "[...document.querySelectorAll('mjx-container')].slice(30).map((e) => e.remove())"
        )
        options = {"resultTypes": ["violations"], **rules}
        found = Axe().run(tab, options=options).response["violations"]
        serious = [v for v in found if v["impact"] in ("serious", "critical")]
        assert [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}" for v in serious] == []


def test_a_formula_is_no_stop_for_the_keyboard(tab, real_address):
    tab.goto(f"{real_address}/book/lam.html", wait_until="networkidle")
    tab.wait_for_selector(".bd-article mjx-container", timeout=30_000)
    tab.evaluate("() => MathJax.startup.promise")
    # Those that scroll are; at 1280 px that is next to none.
    stops = tab.locator('mjx-container[tabindex="0"], .math[tabindex="0"]').count()
    assert stops <= 3
    # What a screen reader says of them is still there.
    formulas = tab.locator(".bd-article mjx-container").count()
    assert tab.locator(".bd-article mjx-assistive-mml math").count() == formulas > 500


def test_the_figure_of_coverage_has_a_still_for_paper_and_without_scripts(plain, tab, real_address):
    plain.goto(f"{real_address}/book/lam.html")
    still = plain.locator("figure.explorer-still")
    assert still.bounding_box()["height"] > 200
    assert "Clopper-Pearson stays above" in still.locator("img").get_attribute("alt")
    assert not plain.locator("#explorer").is_visible()
    tab.goto(f"{real_address}/book/lam.html", wait_until="networkidle")
    still, figure = tab.locator("figure.explorer-still"), tab.locator("#explorer")
    assert (still.is_visible(), figure.is_visible()) == (False, True)
    tab.emulate_media(media="print")
    assert (still.is_visible(), figure.is_visible()) == (True, False)


def test_the_ledgers_headings_stay_in_sight(tab, real_address):
    tab.goto(f"{real_address}/book/ledger.html?words=lam/table-3", wait_until="networkidle")
    tab.locator(ROWS).nth(40).scroll_into_view_if_needed()
    bar, form, heading = (
        tab.locator(what).bounding_box()
        for what in (".bd-header-article", "form.ledger-filter", "details.item[open] th >> nth=0")
    )
    for above, below in ((bar, form), (form, heading)):
        assert above["y"] + above["height"] == pytest.approx(below["y"], abs=2)
    assert heading["y"] < 200


def test_the_article_on_paper_is_whole(real_book):
    text = article_on_paper(real_book / "html")
    source = (ROOT / "book" / "article.md").read_text("utf-8")
    for heading in re.findall(r"^#+ (.+)$", source, re.M):
        assert heading.replace("*", "") in re.sub(r"\s+", " ", text), heading
    for word in ("Show the code", "Copy citation", "Search", "Contents"):
        assert word not in text, word
