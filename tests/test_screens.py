"""What is completed in a page's body: lines that hold together, pictures that scroll alone."""

import pytest
from bs4 import BeautifulSoup
from compendium import screens


def mended(text):
    """A finished page with this text."""
    page = BeautifulSoup(f'<article class="bd-article">{text}</article>', "html.parser")
    screens.mend(page)
    return page


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("<p>see <a>R-yuan-10</a>.</p>", ["R-yuan-10"]),
        ("<p><code>--json</code> or <code>-h</code></p>", ["--json", "-h"]),
        ("<p>see <a>R-yuan-10 and others</a>, <em>F-beta</em></p>", []),
        ("<pre><span>--json</span></pre>", []),
    ],
)
def test_names_are_not_broken_at_their_hyphens(body, held):
    assert [box.get_text() for box in mended(body).select(".held")] == held


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("<p>blurred with z^2.</p>", "z<sup>2</sup>."),
        ("<td>10^6</td>", "10<sup>6</sup>"),
        ("<td>6e-14</td>", "6 × 10<sup>−14</sup>"),
        ("<td>1e-07</td>", "<td>10<sup>−7</sup>"),
        ("<td>5.4e+00</td>", "<td>5.4</td>"),
        ("<p>a &lt; 2e-09 b</p>", "a &lt; <span"),
        ("<code>1e-9</code>", "<code>1e-9</code>"),
        ('<span class="math">\\(z^2\\)</span>', "\\(z^2\\)"),
        ('<table class="sortable"><td>2.6e-06</td></table>', "2.6e-06"),
        ("<p>1/4e+12, 0x1e-5</p>", "1/4e+12, 0x1e-5"),
    ],
)
def test_powers_are_raised(body, html):
    assert html in str(mended(body))


FORMULA = '<span class="math">\\(x\\)</span>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>95 % of all</p>", "95\N{NO-BREAK SPACE}% of all"),
        ("<p><strong>87.5</strong>\n% for F(2)</p>", "87.5\N{NO-BREAK SPACE}% for F(2)"),
        ("<p><em>per</em> % of</p>", "per % of"),
        ("<pre>95 %</pre>", "95 %"),
        ("<p>in 2 min 06 s here</p>", "in 2~min~06~s here".replace("~", "\N{NO-BREAK SPACE}")),
        ("<td>0.94 ± 0.01</td>", "0.94~±~0.01".replace("~", "\N{NO-BREAK SPACE}")),
        ("<p>two min or 3 sheep</p>", "two min or 3 sheep"),
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


def test_a_grid_of_published_and_reproduced_numbers_stays_a_grid():
    cell = (
        '<td><span class="cell">0.2537<br/>0.267070<br/><small>not-contradicted</small></span></td>'
    )
    text = "<td>that is what the paper calls by another name</td>"
    head = "<thead><tr><th>rule</th><th>F1</th></tr></thead>"
    table = "<table>{}<tbody><tr><th>1NN</th>{}</tr></tbody></table>"
    assert not mended(table.format(head, cell)).select(".stacks")
    assert mended(table.format(head, text)).select(".stacks")


@pytest.mark.parametrize(
    ("cells", "stacked"),
    [
        (["confidence-intervals", "bootstrap percentile", "0.7404", "0.6703"], True),
        (["confidence-intervals", "0.7404", "0.6703", "0.8041"], False),
        (["A long name of a notebook that may be broken", "1 min 08 s"], False),
        (["score", "exact", "0.7404"], False),
    ],
)
def test_words_do_not_push_numbers_off_a_phone(cells, stacked):
    head = "".join(f"<th>{place}</th>" for place in range(len(cells)))
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    page = mended(f"<table><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>")
    assert bool(page.select(".stacks")) == stacked


def test_a_picture_scrolls_without_its_caption():
    page = mended('<figure><img src="a.svg"/><figcaption>A</figcaption></figure>')
    assert page.select_one("figure > div.picture > img")["src"] == "a.svg"
    assert page.select_one("figure > figcaption").get_text() == "A"
