"""Figures repeat byte for byte, and each screen gets its own; tables fit a phone."""

import re
import shutil

import matplotlib as mpl
import pytest
from compendium import ROOT, figures, pages, write


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    with mpl.rc_context({"backend": "agg"}):
        yield tmp_path


def draw(name):
    figure, axes = figures.subplots(height=2.0)
    axes.plot([0, 1], [0, 1], **figures.METHODS["wald"])
    axes.plot([0, 1], [1, 0], ".", rasterized=True)
    axes.fill_between([0, 1], [0, 1], alpha=0.3)  # its clip path has an id made by chance
    axes.legend()
    return figures.save(figure, name)


def test_the_same_figure_has_the_same_bytes(results):
    shown = draw("a")
    files = [results / "figures" / f"a{width}.svg" for width in ("", ".phone")]
    before = [file.read_bytes() for file in files]
    mpl.rcParams["lines.linewidth"] = 9  # a user's own setting
    draw("a")
    assert [file.read_bytes() for file in files] == before
    assert shown.data is not None


def test_a_page_shows_a_figure_in_the_width_and_the_colours_of_its_screen(results):
    """A notebook's page has a copy under another name, whose text says which figure it is."""
    shown = draw("a")
    site = results / "site"
    shutil.copytree(results / "figures", site / "results" / "figures")
    write(site / "_images" / "4f2c.svg", shown.data)
    picture = '<img alt="A line." src="../_images/4f2c.svg" />'
    page = write(site / "notebooks" / "n.html", f'<div class="bd-article">{picture}</div>')
    pages.finish(site)
    found = page.read_text("utf-8")
    for mode, phone, wide in (
        ("light", "../results/figures/a.phone.svg", "../_images/4f2c.svg"),
        ("dark", "../_images/a.phone.dark.svg", "../_images/4f2c.dark.svg"),
    ):
        light_or_dark = found.partition(f'<picture class="in-{mode}">')[2].partition("</picture>")[
            0
        ]
        narrow = f'<source media="(max-width: 576px)" srcset="{phone}" width="461" height="192">'
        assert light_or_dark.startswith(narrow)
        assert f'alt="A line." src="{wide}" width="612" height="173"' in light_or_dark
    dark = (site / "_images" / "4f2c.dark.svg").read_text("utf-8")
    assert "#d55e00" in shown.data  # Wald's vermilion
    assert "#ff8a4c" in dark
    assert "#d55e00" not in dark
    assert "#ffffff" not in dark


def test_a_table_of_sentences_names_its_columns_in_each_cell():
    def table(cell):
        html = '<table class="table"><thead><tr><th class="head"><p>use &amp; why</p></th>'
        html += '<th class="head">b</th></tr></thead><tbody>'
        return f"{html}<tr><td>{cell}</td><td>x</td></tr></tbody></table>"

    def finished(html):
        return re.sub(".*", pages.as_cards, html, count=1)

    long = finished(table("A sentence that does not fit into a column of a phone."))
    assert 'class="table cards"' in long
    assert '<td data-label="use &amp; why">A sentence' in long
    assert '<td data-label="b">x' in long
    assert finished(table("0.74")) == table("0.74")


def test_a_figure_has_one_name():
    """The name of its place on the page, which its citation gives, is that of its file."""
    named = r'"name": "fig-([\w-]+)"'
    saved = r'figures\.save\([^,]+,\s*"([\w-]+)"'
    for path in sorted((ROOT / "notebooks").glob("*.py")):
        for cell in path.read_text("utf-8").split("\n# %%"):
            name, file = re.search(named, cell), re.search(saved, cell)
            assert not (name and file) or name[1] == file[1], path.name
