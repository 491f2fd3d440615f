"""Tables hold ids; printed numbers, ours and verdicts are filled in, by the book or at once."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from compendium import extension, ledger, pages, screens, show, verdicts
from compendium.ledger import Page
from compendium.published import LedgerError, Published


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The opened page of a notebook that has recorded two numbers."""
    opened = Page("lam-x", folder=tmp_path)
    opened.record("lam/section-6/f1", 2 * 77 / (2 * 77 + 44 + 10))
    opened.record("lam/section-6/wald/low", 0.5)
    monkeypatch.setattr(ledger, "_opened", [opened])
    monkeypatch.delenv("F1CI_IDS", raising=False)
    return opened


def test_in_a_book_a_table_holds_ids_only(page, monkeypatch):
    monkeypatch.setenv("F1CI_IDS", "1")
    html = show.compare(["lam/section-6/f1"])._repr_html_()
    assert html.count('data-ledger="lam/section-6/f1"') == 4
    assert "0.740" not in html
    filled = pages.fill(html, verdicts.known(page))
    assert 'href="../book/ledger.html#lam/section-6/f1">0.740</a>' in filled
    assert ">0.74038</td>" in filled
    assert ">match</span>" in filled
    assert "data-ledger" not in filled


@pytest.mark.usefixtures("page")
def test_by_hand_a_table_fills_itself_in():
    html = show.grid(
        {"wald/low": "low & high", "tp": "none"},
        {"x": "X"},
        lambda row, _: "" if row == "tp" else f"lam/section-6/{row}",
    )._repr_html_()
    assert "low &amp; high" in html
    assert 'title="open: differs by' in html
    assert '<td class="number"></td>' in html


@pytest.mark.usefixtures("page")
def test_other_cells_are_escaped_and_printed_ones_are_not():
    table = show.table(["", "printed"], [["a < b", show.printed("lam/section-6/tp")]])
    html = table._repr_html_()
    assert "a &lt; b" in html
    assert ">77</a>" in html


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("lam/section-6/nothing", "no published number has the id 'lam/section-6/nothing'"),
        ("lam/section-6/tp", "lam/section-6/tp is an input, which has no value"),
    ],
)
def test_a_table_that_names_no_number_is_an_error(cell, message):
    html = show.compare([cell], names=["x"])
    with pytest.raises(LedgerError, match=message):
        html._repr_html_()


def test_a_changed_printed_number_turns_the_page_without_a_run(page, tmp_path, monkeypatch):
    monkeypatch.setenv("F1CI_IDS", "1")
    html = show.compare(["lam/section-6/f1"])._repr_html_()
    published = tmp_path / "published"
    published.mkdir()
    for table in Published().folder.glob("*.csv"):
        text = table.read_text("utf-8").replace(",0.740,", ",0.741,")
        (published / table.name).write_text(text, "utf-8")
    page.save()
    built = verdicts.Ledger(Published(published), tmp_path)
    filled = pages.fill(html, {entry.id: entry for entry in built.entries})
    assert ">0.741</a>" in filled
    assert ">open</span>" in filled


def test_a_tally_counts_by_notebook_and_verdict():
    rows = [
        {"id": "x/1/a", "notebook": "n", "verdict": "match"},
        {"id": "x/1/b", "notebook": "n", "verdict": "erratum"},
        {"id": "x/2/a", "notebook": "other", "verdict": "erratum"},
        {"id": "x/1/input"},
    ]
    assert extension.tally(rows, "n") == 2
    assert extension.tally(rows, "n|erratum open") == 1
    assert extension.tally(rows, "x/[12]/a|match erratum") == 2
    assert extension.tally(rows, "x/1/*") == 2
    with pytest.raises(LedgerError, match="no verdict is called 'errata'"):
        extension.tally(rows, "n|errata")


def test_what_is_no_longer_to_be_mended_is_a_warning(tmp_path):
    (tmp_path / "page.html").write_text('<p data-mode="dark" title="Dark">A</p>', "utf-8")
    equations = SimpleNamespace(equations={})
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        outdir=str(tmp_path),
        env=SimpleNamespace(get_domain=lambda _: equations),
    )
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append
    logger = logging.getLogger("sphinx.compendium.extension")
    logger.addHandler(handler)
    try:
        extension._finish({}, app, None)
    finally:
        logger.removeHandler(handler)
    assert (tmp_path / "page.html").read_text("utf-8") == '<p data-mode="dark">A</p>'
    assert len(records) == len(screens.MENDED) - 1
    assert all("was to be mended" in record.getMessage() for record in records)
