"""Tables show printed numbers and ours; the book adds verdicts and links."""

import re

import pytest
from compendium import book, ledger, roles, show, verdicts
from compendium.ledger import Page
from compendium.published import LedgerError, Published


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The opened page of a notebook that has recorded two numbers."""
    opened = Page("lam-x", folder=tmp_path)
    opened.record("lam/section-6/f1", 2 * 77 / (2 * 77 + 44 + 10))
    opened.record("lam/section-6/wald/low", 0.5)
    monkeypatch.setattr(ledger, "_opened", [opened])
    return opened


def filled(html, page, published):
    """A table as the book shows it."""
    page.save()
    built = verdicts.Ledger(published, page.folder)
    return show.fill(html, book.Quoting(built).in_table)


def printed(name):
    """What the paper prints; no digit is typed here, so a changed digit fails no test of tables."""
    return Published().everything[f"lam/section-6/{name}"].printed


def test_the_book_adds_verdicts_and_links_to_a_table(page):
    html = show.compare(["lam/section-6/f1"], caption="F1")._repr_html_()
    assert html.count('data-ledger="lam/section-6/f1"') == 4
    shown = filled(html, page, Published())
    assert f'href="../book/ledger.html#lam/section-6/f1">{printed("f1")}</a>' in shown
    assert ">0.74038</td>" in shown
    assert ">match</span>" in shown
    assert "data-ledger" not in shown


@pytest.mark.usefixtures("page")
def test_without_the_book_a_table_shows_both_numbers_and_no_verdict():
    html = show.grid(
        {"wald/low": "low & high", "tp": "none"},
        {"x": "X"},
        lambda row, _: "" if row == "tp" else f"lam/section-6/{row}",
        caption="Wald's limit",
        corner="method",
    )._repr_html_()
    assert "low &amp; high" in html
    assert f'data-show="cell">{printed("wald/low")}<br>0.50000</span></td>' in html
    assert '<td class="number"></td>' in html
    table = show.table(
        ["relation", "printed"],
        [["a < b", show.printed("lam/section-6/tp")]],
        caption="Counts & relations. See the second column",
    )
    assert "<td>a &lt; b</td><td><span" in table._repr_html_()
    assert f">{printed('tp')}</span>" in table._repr_html_()
    assert '<table class="comparison" id="tab-counts-relations">' in table._repr_html_()
    caption = "<caption><b>Counts &amp; relations.</b> See the second column</caption>"
    assert caption in table._repr_html_()


def test_a_column_without_a_name_is_refused():
    with pytest.raises(ValueError, match=r"a column of the table 'F1' has no name: \['', 'x'\]"):
        show.table(["", "x"], [], caption="F1")


def test_a_table_of_more_than_twenty_lines_is_folded_under_its_verdicts(page):
    own = [[f"{k}", "<b>"] for k in range(21)]
    assert "<details" not in show.table(["k", "x"], own[:20], caption="Own")._repr_html_()
    long = show.table(["k", "x & y"], own, caption="Own & whole. Look.")._repr_html_()
    assert '<details class="long"><summary>Own &amp; whole, 21 rows</summary>' in long
    # A cell of a grid has two lines. The book counts the verdicts.
    ids = ["lam/section-6/f1", "lam/section-6/wald/low"]
    names = {f"{k}": f"row {k}" for k in range(11)}
    html = show.grid(
        names, {"a": "A"}, lambda row, _: ids[row == "0"], caption="Both", corner="row"
    )._repr_html_()
    assert "Both, 11 rows<span" in html
    shown = filled(html, page, Published())
    assert "<summary>Both, 11 rows: 10 match, 1 open</summary>" in shown


@pytest.mark.parametrize(
    ("value", "printed", "form", "shown"),
    [
        (2 / 3, "0.667", "", "0.667"),
        (2 / 3, "0.667", ".5f", "0.66667"),
        (88.0, "", ",d", "88"),
        (16007.0, "", ",", "16,007"),
        (2.5, "", "", "2.5"),
        ("Accept H1", "Accept H1", "", "Accept H1"),
        (None, "0.1", "", ""),
    ],
)
def test_a_text_quotes_a_number_in_its_format_or_to_the_printed_digits(value, printed, form, shown):
    assert show.quote(value, printed, form) == shown


KNOWN = {
    "published": {"lam/x": ("0.740", "0.740")},
    "computed": {"lam/x": (154 / 208, "0.740"), "lam/y": (None, "1")},
    "glue:text": {"lam-z": (1 / 3, "")},
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "{published}`lam/x`",
            (
                '<a class="ledger-number published" href="../book/ledger.html#lam/x" '
                'title="F1 &amp; more (match)">0.740</a>'
            ),
        ),
        (
            r"{computed}`lam/x\|.5f`",  # as in a table
            (
                '<a class="ledger-number computed" href="../book/ledger.html#lam/x" '
                'title="F1 &amp; more (match)">0.74038</a>'
            ),
        ),
        ("{glue:text}`../notebooks/lam.ipynb::lam-z:.2f`", "0.33"),
        ("{glue:text}`lam-w`", '<span class="not-computed">not computed</span>'),
        ("{tally}`lam/*|match`", "12"),
        ("```md\n{tally}`lam/*|match`\n```", "```md\n{tally}`lam/*|match`\n```"),
        ("```{glossary}\nx\n  {tally}`lam/*|match`\n```", "```{glossary}\nx\n  12\n```"),
    ],
)
def test_a_page_quotes_the_ledger(text, shown):
    facts = {"lam/x": "F1 & more (match)", "lam/y": "another"}
    assert roles.in_book(text, KNOWN, facts, {"lam/*|match": 12}.get) == shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{published}`lam/v`", "lam.md: no published number has the id 'lam/v'"),
        ("{tally}`lam/*|errata`", "lam.md: 'errata'"),
    ],
)
def test_a_page_that_quotes_what_there_is_not_is_named(page, text, message):
    page.save()
    quoting = book.Quoting(verdicts.Ledger(Published(), page.folder))
    with pytest.raises(LedgerError, match=re.escape(message)):
        quoting.on_page(text, "lam.md")
