"""What is completed in a page's body: lines that hold together, pictures that scroll alone."""

import pytest
from bs4 import BeautifulSoup
from compendium import screens


def mended(text):
    """A finished page with this text."""
    page = BeautifulSoup(f'<article class="bd-article">{text}</article>', "html.parser")
    screens.mend(page)
    return page


FORMULA = '<span class="math">\\(x\\)</span>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>95 % of all</p>", "95\N{NO-BREAK SPACE}% of all"),
        ("<p><strong>87.5</strong>\n% for F(2)</p>", "87.5\N{NO-BREAK SPACE}% for F(2)"),
        ("<p><em>per</em> % of</p>", "per % of"),
        ("<pre>95 %</pre>", "95 %"),
    ],
)
def test_no_line_begins_with_what_belongs_to_the_one_before(body, text):
    assert mended(body).get_text() == text


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ("at ", ", then", "\\(x\\),"),
        ("forms (", "). The", "(\\(x\\))."),
        ("for (", " and", "(\\(x\\)"),
        ("if ", " is", None),
    ],
)
def test_a_formula_keeps_its_brackets_and_stops(before, after, held):
    page = mended(f"<p>{before}{FORMULA}{after}</p>")
    assert page.get_text() == f"{before}\\(x\\){after}"
    assert [box.get_text() for box in page.select(".held")] == ([held] if held else [])


def test_scripts_that_only_live_cells_need_are_left_out():
    page = BeautifulSoup(
        '<link href="sphinx-thebe.css"/><script>const THEBE_JS_URL = ""</script>'
        '<script src="sphinx-thebe.js"></script><script src="screen.js"></script>',
        "html.parser",
    )
    screens.mend(page)
    assert str(page) == '<script src="screen.js"></script>'


def test_a_picture_scrolls_without_its_caption():
    page = mended('<figure><img src="a.svg"/><figcaption>A</figcaption></figure>')
    assert page.select_one("figure > div.picture > img")["src"] == "a.svg"
    assert page.select_one("figure > figcaption").get_text() == "A"
