"""A small book, built once for all the tests: its numbers, its ledger, a broken notebook shown.

It has the real settings and the notebooks below: one that is sound, one that fails and one that has
not been run. The real book is that of `test_book.py`.
"""

import json
import re
import shutil

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from compendium import ROOT, SITE, deposit, swhid
from compendium.published import Published
from pybtex.database import parse_string
from sites import (
    ROLE_LEFT,
    ROWS,
    faults,
    parsed,
    read_pages,
    serve,
)
from trees import call, make_tree, notebook, put_data

DEMO = """\
# %% [markdown]
# # A demonstration
#
# How long is Wilson's interval? With $v$ relevant documents, $F_1 = 2F^*/(1+F^*)$, so
#
# $$F^* = \\frac{F_1}{2 - F_1}.$$

# %% tags=["parameters"]
sizes: list[int] = [25, 50, 100]  # sample sizes
seed: int = 1  # root seed

# %%
import numpy as np
import pandas as pd

from compendium import data, figures, ledger

scale = float(data.read_verified("scale.csv"))
f1 = np.linspace(0.05, 0.95, 40)

# %% [markdown]
# ## The lengths
#
# Of {published}`lam/section-6/f1` we get {computed}`lam/section-6/f1`; {glue:text}`demo-size`.

# %% mystnb={"image": {"alt": "Length against F1"}, "figure": {"caption": "Length.", "name": "f-1"}}
figure, axes = figures.subplots()
for (name, look), size in zip(figures.METHODS.items(), (20, 25, 50, 100)):
    axes.plot(f1, scale * np.sqrt(f1 * (1 - f1) / size), markevery=5, **look)
axes.set(xlabel="$F_1$", ylabel="length", title="Length by method")
axes.legend()
figures.save(figure, "demo-figure-1")

# %%
record = ledger.open("demo").record
record("lam/section-6/f1", 2 * 77 / (2 * 77 + 44 + 10))
ledger.opened().say("demo-size", 2.5)
pd.DataFrame({"n": [25, 50], "length": [0.4, 0.28]})
"""

BROKEN = notebook(
    "A broken notebook\n#\n# Its text stays.",
    'print("printed before the error")',
    "1 / divisor",
    parameters="divisor: int = 0  # what one is divided by",
)
IDLE = notebook("A notebook that was not run", "seed")


INDEX = """\
# A small book

Of BERT the paper says {published}`lam/section-6/f1`, and we say {computed}`lam/section-6/f1|.5f`;
what a failed notebook owes is {computed}`lam/section-6/wald/low`. See {doc}`/notebooks/demo`.

:::{prf:theorem} One
:label: thm-one

Wilson, $1 = 1$.
:::

:::{prf:proof}
Plain to see.
:::
"""

TOC = """\
format: jb-book
root: book/index
parts:
  - caption: Pages
    chapters:
      - file: book/reexecute
      - file: book/ledger
        sections:
          - file: book/errata
      - file: notebooks/demo
      - file: notebooks/broken
      - file: notebooks/idle
"""


COPIED = ("reexecute.md", "ledger.md", "errata.md")


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The tree of a small book, and what the command that built it said."""
    root = tmp_path_factory.mktemp("book")
    make_tree(root, demo=DEMO, broken=BROKEN, idle=IDLE)
    shutil.copytree(ROOT / "book" / "_static", root / "book" / "_static")
    for file in ("_config.yml", "CITATION.cff", "book/references.bib"):
        shutil.copy(ROOT / file, root / file)
    for file in COPIED:  # this tree lacks the notebooks that they quote
        text = (ROOT / "book" / file).read_text("utf-8")
        (root / "book" / file).write_text(re.sub(r"\{glue:text\}`[^`]*`", "something", text))
    (root / "book" / "index.md").write_text(INDEX, "utf-8")
    (root / "book" / "_toc.yml").write_text(TOC, "utf-8")
    # This tree lacks the notebooks that show the errata, and what the register quotes and cites.
    place = root / "book" / "published" / "errata.csv"
    errata = pd.read_csv(place, dtype=str, keep_default_na=False)
    errata = errata.replace(r"\{(?!published|computed)[\w:]+\}`[^`]*`", "something", regex=True)
    errata.assign(shown_in="demo").to_csv(place, index=False)
    put_data(root, "scale.csv", "3.92\n")
    assert call(root, "execute", "demo", "broken").returncode == 1
    return root, call(root, "book")


def page(book, name):
    return (book[0] / "_build" / "html" / f"{name}.html").read_text("utf-8")


@pytest.mark.slow
def test_build_names_what_is_wrong_and_nothing_else(book):
    outcome = book[1]
    assert outcome.returncode == 1
    stopped = "cell 4: ZeroDivisionError: division by zero"
    errors = [x for x in outcome.stdout.splitlines() if x.startswith("error:")]
    assert errors == [
        f"error: the notebook broken must run: failed last time: {stopped}",
        "error: the notebook idle must run: never run",
    ], outcome.stdout + outcome.stderr


@pytest.mark.slow
def test_a_broken_notebook_has_a_page_with_its_traceback(book):
    text = page(book, "notebooks/broken")
    assert '<div class="error admonition">' in text
    for words in ("This notebook failed", "ZeroDivisionError", "printed before", "Its text stays."):
        assert words in text
    assert "Not run" in page(book, "notebooks/idle")


@pytest.mark.slow
def test_the_strip_says_what_a_page_was_computed_from(book):
    text = page(book, "notebooks/demo")
    for fact in ("sizes = [25, 50, 100]", "numpy", "results hash <code>"):
        assert fact in text
    results = ("../results/demo.csv", "../results/figures/demo-figure-1.svg")
    for file in ("demo.ipynb", "demo.py", "data/scale.csv", *results):
        assert f'href="{file}"' in text  # and `faults` follows them


@pytest.mark.slow
def test_sources_have_their_software_heritage_identifiers(book):
    identifier = swhid(book[0] / "notebooks" / "demo.py")
    assert f"<code>{identifier}</code>" in page(book, "notebooks/demo")
    assert re.search(f'title="{identifier}"[^>]*>demo</a>', page(book, "book/ledger"))
    ledger = json.loads((book[0] / "_build/html/ledger/ledger.json").read_text("utf-8"))
    by_notebook = {row["notebook"]: row["source"] for row in ledger["rows"]}
    assert by_notebook == {"demo": identifier, "": ""}


@pytest.mark.slow
def test_numbers_are_quoted_from_the_ledger(book):
    text = page(book, "book/index")
    row = 'href="../book/ledger.html#lam/section-6/f1"'
    assert len(re.findall(rf"{row}[^>]*>0\.740</a>", text)) == 1
    assert len(re.findall(rf"{row}[^>]*>0\.74038</a>", text)) == 1
    assert '<span class="not-computed">not computed</span>' in text
    ledger = page(book, "book/ledger")
    assert re.search(r'<tr id="lam/section-6/f1"[^>]* data-verdict="match"', ledger)
    assert ledger.count('data-verdict="not-recorded"') == len(Published().rows) - 1


@pytest.mark.slow
def test_code_is_folded_and_no_button_leads_to_what_comes_with_the_release(book):
    text = page(book, "notebooks/demo")
    for handle in ("parameters", "code", "code: draw the figure", "code: make the table"):
        assert f">Show the {handle}<" in text, handle
    assert not re.findall("colab.research.google|mybinder.org", text)


@pytest.mark.slow
def test_check_sees_what_it_is_for(book, tmp_path):
    html = tmp_path / "html"
    shutil.copytree(book[0] / "_build" / "html", html)

    def problems():
        parsed.cache_clear()
        return list(faults(read_pages(html)))

    assert problems() == []
    (html / "results" / "demo.csv").unlink()
    index = html / "book" / "index.html"
    text = index.read_text("utf-8")
    index.write_text(
        text + '<a href="reexecute.html#nowhere"></a><img src="../index.html">', "utf-8"
    )
    assert problems() == [
        "book/index.html: an image has no alternative text (../index.html)",
        "book/index.html: the link reexecute.html#nowhere names no place on its page",
        "notebooks/demo.html: the link ../results/demo.csv leads nowhere",
    ]


# In a browser


@pytest.fixture(scope="session")
def address(book):
    """Where the small book is served on this machine."""
    yield from serve(book[0] / "_build" / "html")


@pytest.mark.slow
def test_mathematics_renders_and_code_unfolds(tab, address):
    tab.goto(f"{address}/notebooks/demo.html", wait_until="networkidle")
    tab.wait_for_selector("mjx-container", timeout=20_000)
    assert tab.locator("mjx-container").count() >= 3
    assert tab.locator("mjx-merror").count() == 0
    code = tab.get_by_text("scale = float").first
    assert not code.is_visible()
    tab.get_by_text("Show the code").first.click()
    assert code.is_visible()


@pytest.mark.slow
def test_the_ledger_is_folded_and_filters(tab, address):
    tab.goto(f"{address}/book/ledger.html", wait_until="networkidle")
    rows, words = tab.locator(ROWS), tab.get_by_label("Words")
    ids = [*Published().rows]
    assert rows.count() == 0
    # As a reader writes it; in the papers' tables there is one numbered 3 and another 1b.
    for sought, shown in (
        ("section-6 wald", 3),
        ("Table 3", sum("/table-3/" in i for i in ids)),
        ("table 1", sum("/table-1/" in i for i in ids)),
        ("", 0),
    ):
        words.fill(sought)
        assert rows.count() == shown, sought
    tab.locator("select[name=verdict]").select_option("match")
    assert rows.count() == 1
    tab.locator("select[name=verdict]").select_option("")
    tab.get_by_role("button", name="Unfold all").click()
    assert rows.count() == len(ids)
    tab.get_by_role("button", name="Fold all").click()
    assert rows.count() == 0


@pytest.mark.slow
def test_the_ledger_sorts(tab, address):
    tab.goto(f"{address}/book/ledger.html?words=lam/table-3", wait_until="networkidle")
    tab.get_by_role("button", name="printed").click()
    heading = tab.locator("th:visible", has_text="printed")
    assert heading.get_attribute("aria-sort") == "ascending"
    rows = tab.locator(ROWS)
    found = [float(rows.nth(i).locator("td").nth(1).inner_text()) for i in range(rows.count())]
    assert len(found) > 50
    assert found == sorted(found)


@pytest.mark.slow
def test_the_ledgers_filters_are_in_its_address(tab, address):
    tab.goto(f"{address}/book/ledger.html", wait_until="networkidle")
    tab.get_by_label("Words").fill("Table 3")
    tab.get_by_label("Paper").select_option("lam")
    shown = tab.locator(ROWS).count()
    assert tab.url.endswith("ledger.html?words=Table+3&paper=lam")
    tab.reload(wait_until="networkidle")
    assert tab.get_by_label("Words").input_value() == "Table 3"
    assert tab.locator(ROWS).count() == shown > 0


@pytest.mark.slow
def test_a_link_reveals_its_row_whatever_the_filter(tab, address):
    row = "lam/section-6/f1"
    tab.goto(f"{address}/book/ledger.html?paper=yuan#{row}", wait_until="networkidle")
    target = tab.locator(f'[id="{row}"]')
    assert target.is_visible()
    box = target.bounding_box()
    assert 0 < box["y"] < tab.viewport_size["height"]
    assert "paper=" not in tab.url
    assert tab.url.endswith(f"#{row}")


@pytest.mark.slow
def test_a_citation_is_copied(browser, book, address):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    row = "lam/section-6/f1"
    tab.goto(f"{address}/book/ledger.html#{row}", wait_until="networkidle")
    copied = []
    for form in ("text", "BibTeX"):
        tab.get_by_role("button", name=f"Copy citation of {row} as {form}").click()
        copied.append(tab.evaluate("navigator.clipboard.readText()"))
    context.close()
    record = json.loads((book[0] / "_build" / "records" / "demo.json").read_text())
    version, says = (
        f"f1ci, version {record['version']}",
        "printed 0.740, reproduced 0.74038 (match)",
    )
    place = f"https://f1ci.github.io/f1ci/book/ledger.html#{row}"
    note = f"{says}; results hash {record['results']}"
    assert copied[0] == f"{version}, ledger row {row}: {note}. {place}"
    (entry,) = parse_string(copied[1], "bibtex").entries.values()
    assert dict(entry.fields) == {
        "title": f"Ledger row {row}", "howpublished": version, "year": "2026", "note": note,
        "url": place,
    }  # fmt: skip


@pytest.mark.slow
def test_a_row_leads_to_the_place_where_its_notebook_shows_the_number(book, tab, address):
    row = "lam/section-6/f1"
    link = f'href="../notebooks/demo.html#{row}"'
    assert link in page(book, "book/ledger")
    tab.set_viewport_size({"width": 1000, "height": 200})
    tab.goto(f"{address}/notebooks/demo.html#{row}")
    shown = tab.locator(f'a.ledger-number[href$="#{row}"]').first
    top, bottom = shown.evaluate(
        "a => [a.getBoundingClientRect().top, a.getBoundingClientRect().bottom]"
    )
    assert 0 <= top < bottom <= 200
    assert tab.evaluate("scrollY") > 0


@pytest.mark.slow
def test_the_ledger_works_without_scripts(plain, address):
    plain.goto(f"{address}/book/ledger.html")
    assert plain.locator(ROWS).count() == 0
    assert not plain.locator("form.ledger-filter").is_visible()
    plain.locator("summary", has_text="Section 6").first.click()
    assert plain.locator(ROWS).count() == 19
    assert plain.locator(".copy-citation").count() == 0


@pytest.mark.slow
def test_a_proof_is_folded(tab, address):
    tab.goto(f"{address}/book/index.html", wait_until="networkidle")
    text = tab.get_by_text("Plain to see.")
    assert not text.is_visible()
    tab.get_by_text("Show the proof").click()
    assert text.is_visible()


@pytest.mark.slow
def test_links_on_paper_lead_to_the_site(book):
    place = book[0] / "_build" / "html" / "book" / "index.html"
    page = BeautifulSoup(deposit.on_paper(place, f"{SITE}book/index.html"), "html.parser")
    links = {link["href"] for link in page.select(".bd-article a[href]")}
    assert {f"{SITE}book/ledger.html#lam/section-6/f1", f"{SITE}notebooks/demo.html"} < links
    assert all(link.startswith("https://") for link in links)
    assert not page.select("nav, .bd-sidebar, form")


@pytest.mark.slow
def test_an_offered_notebook_reads_as_its_page_does(book):
    """Jupyter knows no roles: printed, computed and quoted numbers stand in their places."""
    path = book[0] / "_build" / "html" / "notebooks" / "demo.ipynb"
    text = "".join(c.source for c in nbformat.read(path, as_version=4).cells)
    row = f"({SITE}book/ledger.html#lam/section-6/f1)"
    assert f"Of [0.740]{row} we get [0.740]{row}; 2.5." in text
    executed = (book[0] / "_build" / "executed" / "demo.ipynb").read_text("utf-8")
    assert f"Of [0.740]{row} we get [0.740]{row}; 2.5." in executed


def test_a_committed_notebook_quotes_the_reference_run():
    """As Binder, Colab and Jupyter show it: of 131 relevant sentences 77 are found."""
    text = (ROOT / "notebooks" / "lam-bert-suggestion-mining.ipynb").read_text("utf-8")
    assert not ROLE_LEFT.search(text)
    assert "The score is 0.7404." in text  # 2 * 77 / (131 + 77)


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", ["book/ledger.html#%E0%A4%A", "notebooks/demo.html#%/", "book/index.html?q=%"]
)
def test_a_malformed_address_shows_its_page(tab, address, place):
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"{address}/{place}", wait_until="networkidle")
    assert errors == []


@pytest.mark.slow
def test_a_page_loads_nothing_from_elsewhere(tab, address):
    """Its policy forbids it, even if a text or a number could inject a script."""
    refused = []
    tab.on("console", lambda said: refused.extend([said.text] * (said.type == "error")))
    tab.goto(f"{address}/book/index.html", wait_until="networkidle")
    assert refused == []
    tab.evaluate("() => fetch('https://example.org/').catch(() => null)")
    assert any("Content Security Policy" in text for text in refused)
