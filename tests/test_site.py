"""The built book: every page there, a broken notebook shown, nothing fetched from the network.

Two books are built, each once for all the tests. The small one has the real settings and the
notebooks below: one that is sound, one that fails and one that has not been run. The other is the
real one, computed with small numbers (`make quick`, so what is up to date is not computed again).
"""

from __future__ import annotations

import csv
import functools
import http.server
import re
import shutil
import threading
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from compendium import ROOT
from compendium import book as machinery
from compendium.published import Published
from trees import call, make_tree

DEMO = """\
# %% [markdown]
# # A demonstration
#
# How long is Wilson's interval? With $v$ relevant documents, $F_1 = 2F^*/(1+F^*)$, so
#
# $$F^* = \\frac{F_1}{2 - F_1}.$$

# %% tags=["parameters"]
sizes: tuple[int, ...] = (25, 50, 100)  # quick: (25,) — sample sizes
seed: int = 1  # root seed

# %%
import numpy as np
import pandas as pd

from compendium import DATA, figures, ledger

scale = float((DATA / "scale.csv").read_text())
f1 = np.linspace(0.05, 0.95, 40)

# %% [markdown]
# ## The lengths

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
pd.DataFrame({"n": [25, 50], "length": [0.4, 0.28]})
"""

BROKEN = """\
# %% [markdown]
# # A broken notebook
#
# Its text stays.

# %% tags=["parameters"]
divisor: int = 0  # what one is divided by

# %%
print("printed before the error")

# %%
1 / divisor
"""

IDLE = """\
# %% [markdown]
# # A notebook that was not run

# %% tags=["parameters"]
seed: int = 1  # root seed

# %%
seed
"""


INDEX = """\
# A small book

Of BERT the paper says {published}`lam/section-6/f1`, and we say {computed}`lam/section-6/f1|.5f`;
what a failed notebook owes is {computed}`lam/section-6/wald/low`. See {doc}`/notebooks/demo`.

:::{prf:theorem} One
:label: thm-one

Wilson, $1 = 1$.
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
"""


COPIED = ("reexecute", "ledger", "errata")


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The tree of a small book, and what the command that built it said."""
    root = tmp_path_factory.mktemp("book")
    make_tree(root, demo=DEMO, broken=BROKEN, idle=IDLE)
    shutil.copytree(ROOT / "book" / "_static", root / "book" / "_static")
    for file in ("_config.yml", "book/references.bib", *(f"book/{p}.md" for p in COPIED)):
        shutil.copy(ROOT / file, root / file)
    (root / "book" / "index.md").write_text(INDEX, "utf-8")
    (root / "book" / "_toc.yml").write_text(TOC, "utf-8")
    # The notebooks that show the errata are not in this tree, nor what the register quotes of them.
    errata = root / "book" / "published" / "errata.csv"
    with errata.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    with errata.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        for line in lines:
            known = re.sub(r"\{glue:text\}`[^`]*`", "a number", line["how_known"])
            writer.writerow(line | {"shown_in": "demo", "how_known": known})
    (root / "notebooks" / "data" / "scale.csv").write_text("3.92\n")
    assert call(root, "execute", "demo", "broken").returncode == 1
    return root, call(root, "book")


def page(book, name: str) -> str:
    return (book[0] / "_build" / "html" / f"{name}.html").read_text("utf-8")


@pytest.mark.slow
def test_build_names_what_is_wrong_and_nothing_else(book):
    outcome = book[1]
    assert outcome.returncode == 1
    errors = [x for x in outcome.stdout.splitlines() if x.startswith("error:")]
    assert errors == [
        "error: the notebook broken failed: cell 4: ZeroDivisionError: division by zero",
        "error: the notebook idle must run: never run",
    ], outcome.stdout + outcome.stderr


@pytest.mark.slow
def test_every_entry_of_the_contents_has_a_page(book):
    listed = machinery.toc_documents(book[0] / "_build" / "stage")
    assert {"book/index", "book/ledger", "notebooks/demo", "notebooks/broken"} <= set(listed)
    html = book[0] / "_build" / "html"
    assert [d for d in listed if not (html / f"{d}.html").is_file()] == []


@pytest.mark.slow
def test_a_broken_notebook_has_a_page_with_its_traceback(book):
    text = page(book, "notebooks/broken")
    assert '<div class="error admonition">' in text
    assert "This notebook failed" in text
    assert "ZeroDivisionError" in text
    assert "printed before the error" in text
    assert "Its text stays." in text
    assert "Not run" in page(book, "notebooks/idle")


@pytest.mark.slow
def test_the_strip_says_what_a_page_was_computed_from(book):
    text = page(book, "notebooks/demo")
    for fact in ("sizes = (25, 50, 100)</dd>", "numpy", "results hash <code>"):
        assert fact in text
    for file in (
        'href="demo.ipynb"',
        'href="demo.py"',
        'href="../results/demo.csv"',
        'href="../results/figures/demo-figure-1.svg"',
        'href="data/scale.csv"',
    ):
        assert file in text  # and `machinery.check` follows them


@pytest.mark.slow
def test_numbers_are_quoted_from_the_ledger(book):
    text = page(book, "book/index")
    row = 'href="ledger.html#lam/section-6/f1"'
    assert len(re.findall(rf"{row}[^>]*>0\.740</a>", text)) == 1
    assert len(re.findall(rf"{row}[^>]*>0\.74038</a>", text)) == 1
    assert '<span class="not-computed">not computed</span>' in text
    ledger = page(book, "book/ledger")
    assert '<tr id="lam/section-6/f1" data-paper="lam" data-verdict="match">' in ledger
    assert ledger.count('data-verdict="not-recorded"') == len(Published().rows) - 1


@pytest.mark.slow
def test_code_is_folded_and_launch_buttons_point_at_the_committed_notebook(book):
    text = page(book, "notebooks/demo")
    assert text.count("Show the code") >= 3
    assert (
        "https://colab.research.google.com/github/f1ci/f1ci/blob/main/notebooks/demo.ipynb" in text
    )
    assert "https://mybinder.org/v2/gh/f1ci/f1ci/main?urlpath=lab/tree/notebooks/demo.ipynb" in text


@pytest.mark.slow
def test_parameters_of_every_notebook_are_listed(book):
    text = re.sub("<[^>]+>", "", page(book, "book/reexecute"))
    assert "A demonstration" in text
    assert "sample sizes" in text
    assert "(25, 50, 100)" in text


@pytest.mark.slow
def test_check_sees_what_it_is_for(book, tmp_path):
    html = tmp_path / "html"
    shutil.copytree(book[0] / "_build" / "html", html)
    assert machinery.check(html, ["book/index"]) == []
    (html / "results" / "demo.csv").unlink()
    index = html / "book" / "index.html"
    text = index.read_text("utf-8")
    index.write_text(
        text + '<a href="reexecute.html#nowhere"></a><img src="../index.html">', "utf-8"
    )
    assert machinery.check(html, ["book/index", "book/gone"]) == [
        "book/gone has no page",
        "book/index.html: an image has no alternative text (../index.html)",
        "book/index.html: the link reexecute.html#nowhere names no place on its page",
        "notebooks/demo.html: the link ../results/demo.csv leads nowhere",
    ]


@pytest.mark.slow
def test_an_entry_without_a_source_is_an_error(tmp_path):
    shutil.copytree(ROOT / "f1ci", tmp_path / "f1ci")
    shutil.copytree(ROOT / "book" / "published", tmp_path / "book" / "published")
    (tmp_path / "_config.yml").write_text("")
    (tmp_path / "book" / "index.md").write_text("# Title\n")
    toc = "format: jb-book\nroot: book/index\nchapters:\n- file: book/gone\n"
    (tmp_path / "book" / "_toc.yml").write_text(toc)
    outcome = call(tmp_path, "book")
    assert outcome.returncode == 1
    assert outcome.stdout == "error: the table of contents lists book/gone, which does not exist\n"


# --- in a real browser -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def address(book):
    """Where the small book is served on this machine."""
    yield from serve(book[0] / "_build" / "html")


def serve(folder: Path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def tab(browser):
    """A page that keeps the addresses it asked for and the errors of its scripts."""
    tab = browser.new_page()
    tab.asked, tab.errors = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    yield tab
    tab.close()


@pytest.mark.slow
def test_mathematics_renders(tab, address):
    tab.goto(f"{address}/notebooks/demo.html", wait_until="networkidle")
    tab.wait_for_selector("mjx-container", timeout=20_000)
    assert tab.locator("mjx-container").count() >= 3
    assert tab.locator("mjx-merror").count() == 0


@pytest.mark.slow
def test_code_unfolds(tab, address):
    tab.goto(f"{address}/notebooks/demo.html", wait_until="networkidle")
    code = tab.get_by_text("scale = float").first
    assert not code.is_visible()
    tab.get_by_text("Show the code").nth(1).click()
    assert code.is_visible()


@pytest.mark.slow
def test_the_ledger_sorts_and_filters(tab, address):
    tab.goto(f"{address}/book/ledger.html", wait_until="networkidle")
    rows = tab.locator("#ledger-rows tbody tr:visible")
    assert rows.count() == len(Published().rows)
    tab.get_by_label("Words").fill("section-6 wald")
    assert rows.count() == 3
    tab.get_by_label("Words").fill("")
    tab.get_by_label("Verdict").select_option("match")
    assert rows.count() == 1
    tab.get_by_label("Verdict").select_option("")
    tab.get_by_role("button", name="printed").click()
    heading = tab.locator("#ledger-rows th", has_text="printed")
    assert heading.get_attribute("aria-sort") == "ascending"
    first, second = (float(rows.nth(i).locator("td").nth(1).inner_text()) for i in (0, 1))
    assert first <= second


# --- the real book ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def real_book():
    """The real book, computed with small numbers: its folder and what the build said."""
    ran = call(ROOT, "execute", "--quick")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    built = call(ROOT, "book", "--quick")
    assert built.returncode == 0, built.stdout + built.stderr
    return ROOT / "_build" / "quick"


@pytest.fixture(scope="session")
def real_address(real_book):
    yield from serve(real_book / "html")


def real_pages(folder: Path) -> list[str]:
    return [*machinery.toc_documents(folder / "stage"), "search", "genindex"]


@pytest.mark.slow
def test_the_real_book_is_complete(real_book):
    documents = machinery.toc_documents(real_book / "stage")
    assert machinery.check(real_book / "html", documents) == []
    sources = {f"notebooks/{p.stem}" for p in (ROOT / "notebooks").glob("*.py")}
    pages = {f"book/{p.stem}" for p in (ROOT / "book").glob("*.md")}
    assert set(documents) == sources | pages


@pytest.mark.slow
def test_the_readme_shows_the_figure_of_the_front_page(real_book):
    figure = real_book / "results" / "figures" / "choosing-a-method-front.svg"
    assert (ROOT / "book" / "_static" / "coverage.svg").read_bytes() == figure.read_bytes()


@pytest.mark.slow
def test_no_page_misses_a_number(real_book):
    for document in machinery.toc_documents(real_book / "stage"):
        text = (real_book / "html" / f"{document}.html").read_text("utf-8")
        assert "not-computed" not in text, document
        assert 'class="error admonition"' not in text, document


@pytest.mark.slow
def test_no_page_asks_anything_of_the_network(browser, real_book, real_address):
    for document in real_pages(real_book):
        tab = browser.new_page()
        asked, errors = [], []
        tab.on("request", lambda request, asked=asked: asked.append(request.url))
        tab.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        tab.goto(f"{real_address}/{document}.html", wait_until="load")
        assert [u for u in asked if not u.startswith((real_address, "data:", "blob:"))] == []
        assert errors == [], document
        tab.close()


@pytest.mark.slow
@pytest.mark.parametrize("paper", Published().papers)
def test_the_chapters_mathematics_renders(tab, real_address, paper):
    tab.goto(f"{real_address}/book/{paper}.html", wait_until="networkidle")
    tab.wait_for_selector(".bd-article mjx-container", timeout=30_000)
    assert tab.locator(".bd-article mjx-container").count() > 50
    assert tab.locator("mjx-merror").count() == 0


@pytest.mark.slow
def test_search_finds_wilson(tab, real_address):
    tab.goto(f"{real_address}/search.html?q=Wilson", wait_until="networkidle")
    tab.wait_for_selector("#search-results li a", timeout=30_000)
    assert tab.locator("#search-results li").count() >= 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("install", "five-minutes"),
        ("calculator", "calculator"),
        ("weighted", "five-minutes"),
        ("imbalanced", "questions"),
        ("compare", "five-minutes"),
        ("Dice", "recipes"),
        ("Dice", "questions"),
    ],
)
def test_search_finds_what_people_look_for(tab, real_address, word, name):
    tab.goto(f"{real_address}/search.html?q={word}", wait_until="networkidle")
    tab.wait_for_selector(f"#search-results li a[href*='{name}.html']", timeout=30_000)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    [
        "book/index",
        "book/calculator",
        "book/recipes",
        "book/cli",
        "book/lam",
        "book/ledger",
        "book/errata",
        "notebooks/five-minutes",
        "notebooks/questions",
        "notebooks/lam-coverage",
    ],
)
def test_axe_finds_no_serious_violation(browser, real_address, name, scheme):
    tab = browser.new_page(color_scheme=scheme)
    tab.goto(f"{real_address}/{name}.html", wait_until="networkidle")
    found = Axe().run(tab).response["violations"]
    serious = [
        f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
    tab.close()
    assert serious == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "book/index",
        "book/calculator",
        "book/recipes",
        "book/cli",
        "book/lam",
        "book/ledger",
        "notebooks/five-minutes",
        "notebooks/questions",
        "notebooks/lam-coverage",
    ],
)
def test_pages_fit_a_phone(browser, real_address, name):
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(f"{real_address}/{name}.html", wait_until="networkidle")
    width = tab.evaluate("document.documentElement.scrollWidth")
    tab.close()
    assert width <= 390
