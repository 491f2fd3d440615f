"""The built book: every page there, a broken notebook shown, nothing fetched from the network.

Two books are built, each once for all the tests. The small one has the real settings and the
notebooks below: one that is sound, one that fails and one that has not been run. The other is the
real one, computed with small numbers (`make quick`, so what is up to date is not computed again).
"""

import functools
import http.server
import json
import re
import shutil
import subprocess
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pandas as pd
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from compendium import ROOT, SITE, deposit, swhid
from compendium.published import Published
from crates import check, roc_validator
from pybtex.database import parse_string
from sphinx_external_toc.parsing import parse_toc_yaml
from trees import call, make_tree, notebook, put_data

import f1ci

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


def test_the_site_has_one_address():
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert settings["html"]["baseurl"] == SITE
    assert settings["sphinx"]["config"]["ogp_site_url"] == SITE


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
def test_the_site_is_a_crate_and_its_validator_would_say_if_it_were_not(book, tmp_path):
    html = Path(shutil.copytree(book[0] / "_build" / "html", tmp_path / "html"))
    code, said = roc_validator(html, tmp_path / "web")
    assert code == 0, said
    graph = check(html)
    assert {"notebooks/demo.ipynb", "results/figures/demo-figure-1.svg"} <= set(graph)
    assert "sizes = [25, 50, 100]" in graph["notebooks/demo.ipynb"]["description"]
    metadata = html / "ro-crate-metadata.json"
    crate = json.loads(metadata.read_text("utf-8"))
    for name in ("license", "author"):  # required; recommended
        lacking = [{k: v for k, v in e.items() if k != name or e["@id"] != "./"}
                   for e in crate["@graph"]]  # fmt: skip
        metadata.write_text(json.dumps({**crate, "@graph": lacking}), "utf-8")
        code, said = roc_validator(html, tmp_path / "web")
        assert code == 1, (name, said)


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
    row = 'href="ledger.html#lam/section-6/f1"'
    assert len(re.findall(rf"{row}[^>]*>0\.740</a>", text)) == 1
    assert len(re.findall(rf"{row}[^>]*>0\.74038</a>", text)) == 1
    assert '<span class="not-computed">not computed</span>' in text
    ledger = page(book, "book/ledger")
    assert re.search(r'<tr id="lam/section-6/f1"[^>]* data-verdict="match"', ledger)
    assert ledger.count('data-verdict="not-recorded"') == len(Published().rows) - 1


@pytest.mark.slow
def test_code_is_folded_and_launch_buttons_point_at_the_committed_notebook(book):
    text = page(book, "notebooks/demo")
    assert text.count("Show the code") >= 3
    for service in (
        "https://colab.research.google.com/github/f1ci/f1ci/blob/v0.1.0/notebooks/demo.ipynb",
        "https://mybinder.org/v2/gh/f1ci/f1ci/v0.1.0?urlpath=lab/tree/notebooks/demo.ipynb",
    ):
        assert service in text


@pytest.mark.slow
def test_parameters_of_every_notebook_are_listed(book):
    text = re.sub("<[^>]+>", "", page(book, "book/reexecute"))
    for words in ("A demonstration", "sample sizes", "[25, 50, 100]"):
        assert words in text


def faults(pages):
    """List what is wrong with finished pages: links that lead nowhere, images without a text."""
    places = {
        path: {"", "top", *(tag["id"] for tag in page.select("[id]"))}
        for path, page in pages.items()
    }
    for path, page in pages.items():
        where = "/".join(path.parts[-2:])
        for image in page.select('img:not([alt]), img[alt=""]'):
            yield f"{where}: an image has no alternative text ({image.get('src')})"
        tags = page.select("[href], [src]")
        for link in sorted({str(tag.get("href") or tag["src"]) for tag in tags}):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{where}: the link {link} leads nowhere"
            elif target.parent.name == "notebooks" and "/" in parts.fragment:
                continue  # a number, whose place the page's script looks for
            elif target in places and unquote(parts.fragment) not in places[target]:
                yield f"{where}: the link {link} names no place on its page"


@functools.cache
def parsed(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def read_pages(html):
    """Every page of a site."""
    return {
        p.resolve(): parsed(p) for p in sorted(html.rglob("*.html")) if "_static" not in p.parts
    }


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


# --- in a real browser -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def address(book):
    """Where the small book is served on this machine."""
    yield from serve(book[0] / "_build" / "html")


def serve(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def window(browser):
    """One page for many tests: each new one would compile the book's scripts again."""
    window = browser.new_page()
    yield window
    window.close()


@pytest.fixture
def tab(window):
    """The page, as if it were new."""
    window.goto("about:blank")
    window.set_viewport_size({"width": 1280, "height": 720})
    window.emulate_media(media="null")
    return window


@pytest.mark.slow
def test_mathematics_renders_and_code_unfolds(tab, address):
    tab.goto(f"{address}/notebooks/demo.html", wait_until="networkidle")
    tab.wait_for_selector("mjx-container", timeout=20_000)
    assert tab.locator("mjx-container").count() >= 3
    assert tab.locator("mjx-merror").count() == 0
    code = tab.get_by_text("scale = float").first
    assert not code.is_visible()
    tab.get_by_text("Show the code").nth(1).click()
    assert code.is_visible()


ROWS = ".ledger-all tbody tr:visible"


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


@pytest.fixture
def plain(browser):
    """A page of a browser without scripts."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()


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
    html, documents = book[0] / "_build" / "html", ["book/index", "notebooks/demo"]
    page = BeautifulSoup(deposit.combined(html, documents, SITE), "html.parser")
    links = {link["href"] for link in page.select(".bd-article a[href]")}
    assert {f"{SITE}book/ledger.html#lam/section-6/f1", f"{SITE}notebooks/demo.html"} < links
    assert all(link.startswith("https://") for link in links)


def text_on_paper(html, documents, target):
    """What poppler, which is not ours, reads in the printed pages."""
    if not any(map(shutil.which, deposit.PROGRAMS)):
        pytest.skip("no Chromium on this machine")
    if not shutil.which("pdftotext"):
        pytest.skip("no pdftotext on this machine")
    deposit.print_pages(html, documents, target)
    read = subprocess.run(
        ["pdftotext", "-layout", str(target), "-"], check=True, capture_output=True, text=True
    )
    return read.stdout


@pytest.mark.slow
def test_paper_has_what_pages_fold_and_not_what_only_screens_can_do(book, tmp_path):
    html = book[0] / "_build" / "html"
    documents = ["book/index", "notebooks/demo", "book/ledger"]
    text = text_on_paper(html, documents, tmp_path / "some.pdf")
    for heading in ("A small book", "A demonstration", "The lengths", "The scoreboard"):
        assert heading in text
    assert "Plain to see." in text
    # The last columns: of a data frame, of the ledger's scoreboard, of a folded row.
    assert re.search(r"n +length\n(.*\n)*.*50 +0\.28", text)
    assert re.search(r"verdict +.* all\n", text)
    assert "rounds to the printed number" in text
    for word in ("Show the code", "Unfold all", "Copy citation", "Search", "Contents", "executed"):
        assert word not in text, word
    assert not (html / "book" / "all.html").exists()


# --- the real book ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def real_address(real_book):
    yield from serve(real_book / "html")


def pages_of(folder):
    return list(parse_toc_yaml(folder / "stage" / "book" / "_toc.yml"))


def real_pages(folder):
    return [*pages_of(folder), "search", "genindex"]


@pytest.mark.slow
def test_the_real_book_is_complete(real_book):
    documents = pages_of(real_book)
    assert [d for d in documents if not (real_book / "html" / f"{d}.html").is_file()] == []
    sources = {f"notebooks/{p.stem}" for p in (ROOT / "notebooks").glob("*.py")}
    pages = {f"book/{p.stem}" for p in (ROOT / "book").glob("*.md") if p.stem != "README"}
    assert set(documents) == sources | pages


@pytest.mark.slow
def test_the_readme_shows_the_figure_of_the_front_page(real_book):
    figure = real_book / "results" / "figures" / "choosing-a-method-front.svg"
    assert (ROOT / "book" / "_static" / "coverage.svg").read_bytes() == figure.read_bytes()


@pytest.mark.slow
def test_the_manifest_lists_what_the_notebooks_make(real_book):
    """Every figure, every notebook with its tables, every results file, and nothing else."""
    listed = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8"))["manifest"]
    made = {
        f"_build/{p.relative_to(real_book).as_posix()}"
        for folder in ("executed", "results")
        for p in (real_book / folder).rglob("*")
        if p.is_file()
    }
    assert {item["file"] for item in listed} == made


@pytest.mark.slow
def test_every_link_of_the_real_book_leads_somewhere(real_book):
    assert list(faults(read_pages(real_book / "html"))) == []


@pytest.mark.slow
def test_no_page_asks_anything_of_the_network(visits, real_address):
    own = (real_address, "data:", "blob:")
    assert [u for visit in visits.values() for u in visit["asked"] if not u.startswith(own)] == []
    assert {page: visit["errors"] for page, visit in visits.items() if visit["errors"]} == {}


@pytest.mark.slow
@pytest.mark.parametrize("paper", Published().papers)
def test_the_chapters_mathematics_renders(tab, real_address, paper):
    tab.goto(f"{real_address}/book/{paper}.html", wait_until="networkidle")
    tab.wait_for_selector(".bd-article mjx-container", timeout=30_000)
    assert tab.locator(".bd-article mjx-container").count() > 50
    assert tab.locator("mjx-merror").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("install", {"five-minutes"}),
        ("calculator", {"calculator"}),
        ("weighted", {"five-minutes"}),
        ("imbalanced", {"questions"}),
        ("compare", {"compare"}),
        ("Dice", {"questions", "recipes"}),
        ("macro f1", {"takahashi"}),
        ("compare two models", {"compare"}),
        ("is model b better", {"compare"}),
        ("confidence interval f1", {"lam"}),
        ("p-value", {"compare"}),
        ("statistically significant", {"compare"}),
        ("f1_score_interval", {"api-intervals"}),
        ("docker", {"reexecute"}),
        ("Wilson", set()),
        ("F-beta", set()),
    ],
)
def test_search_puts_the_guide_first_and_before_the_api(tab, real_address, word, names):
    tab.goto(f"{real_address}/search.html?q={word}", wait_until="networkidle")
    tab.wait_for_selector("#search-results li a", timeout=30_000)
    links = tab.locator("#search-results li > a")
    found = [link.get_attribute("href") for link in links.all()]
    assert {Path(re.split("[?#]", link)[0]).stem for link in found[: len(names)]} == names
    assert "_" in word or "/api" not in found[0]
    assert word != "Wilson" or len(found) >= 3


@pytest.fixture(scope="module", params=["light", "dark"])
def coloured(browser, request):
    """A page for a reader who prefers light or dark colours, and what axe is to look at.

    On dark pages colours alone differ.
    """
    tab = browser.new_page(color_scheme=request.param)
    yield tab, {"runOnly": ["color-contrast"]} if request.param == "dark" else None
    tab.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *(f"book/{p}" for p in ("index", "calculator", "recipes", "cli", "lam")),
        *(f"book/{p}" for p in ("ledger", "errata")),
        *(f"notebooks/{n}" for n in ("five-minutes", "questions", "lam-coverage")),
    ],
)
def test_axe_finds_no_serious_violation(coloured, real_address, name):
    tab, options = coloured
    tab.goto(f"{real_address}/{name}.html", wait_until="networkidle")
    found = Axe().run(tab, options=options).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}" for v in serious] == []


# What a page does at the width of its window. Whatever reaches beyond the window's edge must be in
# a box that scrolls, shows so by a fading edge, and takes the keyboard's focus.
MEASURE = """() => {
  const edge = innerWidth, found = [];
  const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX)
    && e.scrollWidth > e.clientWidth + 1;
  const name = (e) => `${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 40)}`;
  if (document.documentElement.scrollWidth > edge) found.push("the page scrolls sideways");
  for (const e of document.querySelectorAll(".bd-article table, .bd-sidebar-primary summary"))
    if (!(e.ariaLabel || e.caption)) found.push(`without a name: ${name(e)}`);
  for (const e of document.querySelectorAll(".bd-article *")) {
    const box = e.getBoundingClientRect();
    if (!box.width || !box.height || e.closest(".for-readers, mjx-assistive-mml")) continue;
    const formula = e.closest("mjx-container");
    if (formula && formula !== e) continue;
    let parent = e.parentElement;
    while (parent && !scrolls(parent)) parent = parent.parentElement;
    if (box.right > edge + 1 && !parent?.matches(".bd-article *"))
      found.push(`cut: ${name(e)}`);
    if (scrolls(e) && getComputedStyle(e).maskImage === "none" && !e.matches("textarea"))
      found.push(`no cue: ${name(e)}`);
    if (scrolls(e) && e.tabIndex < 0) found.push(`out of the keyboard's reach: ${name(e)}`);
    if (e.tagName === "IMG" && e.closest("figure") && e.naturalWidth > 600
        && box.width < 0.85 * Math.min(e.naturalWidth, 691)) found.push(`small: ${e.src}`);
  }
  return found;
}"""


def measured(tab, address, until="networkidle"):
    tab.goto(address, wait_until=until)
    tab.evaluate("() => window.MathJax?.startup?.promise")
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    return tab.evaluate(MEASURE)


WIDTHS = {390: "networkidle", 1400: "load"}  # a phone's and a desk's, the second time at once


@pytest.fixture(scope="module")
def visits(browser, real_book, real_address):
    """What each page asks for, the errors of its scripts, and what does not fit, by width."""
    tab = browser.new_page()
    asked, errors, found = [], [], {}
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for document in real_pages(real_book):
        asked.clear()
        errors.clear()
        wrong = {}
        for width, until in WIDTHS.items():
            tab.set_viewport_size({"width": width, "height": 844})
            wrong[width] = measured(tab, f"{real_address}/{document}.html", until)
        found[document] = {"asked": [*asked], "errors": [*errors], "wrong": wrong}
    tab.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_its_screen(visits, width):
    """A figure of the book is 691 px wide with labels of 9 points, which are 12 px.

    At 85 % of that they have 10 px, the least that is read without effort.
    """
    found = {page: visit["wrong"][width] for page, visit in visits.items()}
    assert {page: wrong for page, wrong in found.items() if wrong} == {}


@pytest.mark.slow
def test_measuring_sees_what_it_is_for(tab, address):
    tab.set_viewport_size({"width": 390, "height": 844})
    assert measured(tab, f"{address}/book/index.html") == []
    tab.evaluate(
        """() => document.querySelector(".bd-article").insertAdjacentHTML("beforeend",
        '<p style="width: 500px" class="out">far</p><div style="overflow-x: auto" class="silent">'
        + '<div style="width: 900px">wide</div></div>')"""
    )
    assert {
        "the page scrolls sideways",
        "cut: P.out far",
        "no cue: DIV.silent wide",
        "out of the keyboard's reach: DIV.silent wide",
    } <= set(tab.evaluate(MEASURE))


@pytest.mark.slow
def test_no_page_misses_a_number_or_has_an_id_twice(real_book):
    for document in pages_of(real_book):
        page = parsed(real_book / "html" / f"{document}.html")
        assert not page.select(".not-computed, .error.admonition"), document
        assert not ROLE_LEFT.search(page.select_one(".bd-article").get_text()), document
        ids = [tag["id"] for tag in page.select(".bd-article [id]")]
        assert sorted(ids) == sorted(set(ids)), document


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_chapter_on_paper_is_whole(real_book, tmp_path):
    text = text_on_paper(real_book / "html", ["book/lam"], tmp_path / "lam.pdf")
    assert re.match(r"(1\.\s+)?Lam et al\. \(2024\)", text)
    assert "Coverage without simulation" in text
    assert "telescoping sum" in text  # in a proof
    assert re.search(r"method +printed +computed\n", text)
    assert re.search(r"Wilson direct +0\.664 to 0\.799 +0\.6640 to 0\.7987", text)


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [*Published().papers, "score", "compare"])
def test_a_chapter_shows_a_figure_and_begins_with_what_was_found(real_book, chapter):
    article = parsed(real_book / "html" / "book" / f"{chapter}.html").select_one(".bd-article")
    assert article.select("figure img")
    first = article.select_one("h2").get_text()
    opening = str(article).partition("<h2>")[0]
    assert first.startswith(("Findings", "In plain words")) or re.search(
        "<strong>(Result|Findings)", opening
    )


@pytest.mark.slow
def test_citations_are_sound(real_book):
    """Each block parses, names the package's version, and its address is a place of the book."""
    text = (ROOT / "book" / "cite.md").read_text("utf-8")
    blocks = re.findall(r"^```(json|bibtex)\n(.*?)^```", text, re.M | re.S)
    assert [kind for kind, _ in blocks] == ["bibtex", "json"] * 3
    addresses = re.findall(r"<(https://[^>]*)>", text)
    for kind, block in blocks:
        if kind == "json":
            (item,) = json.loads(block)
            addresses.append(item["URL"])
            assert item["version"] == f1ci.__version__
        else:
            (entry,) = parse_string(block, "bibtex").entries.values()
            addresses.append(entry.fields["url"])
            version = entry.fields.get("version") or entry.fields["howpublished"].split()[-1]
            assert version == f1ci.__version__
    for address in addresses:
        place = address.removeprefix("https://f1ci.github.io/f1ci/") or "index.html"
        file, _, anchor = place.partition("#")
        page = parsed(real_book / "html" / file)
        assert not anchor or page.find(id=anchor), address


@pytest.mark.slow
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


ROLE_LEFT = re.compile(r"\{[\w:]+\}`|^\([\w-]+\)=$|\$\$ *\([\w-]+\)", re.M)


def texts_of(folder):
    """The text cells of a folder's notebooks."""
    for path in sorted(folder.glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        yield from (cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.slow
def test_an_offered_notebook_reads_as_its_page_does(book):
    """Jupyter knows no roles: printed, computed and quoted numbers stand in their places."""
    path = book[0] / "_build" / "html" / "notebooks" / "demo.ipynb"
    text = "".join(c.source for c in nbformat.read(path, as_version=4).cells)
    row = f"({SITE}book/ledger.html#lam/section-6/f1)"
    assert f"Of [0.740]{row} we get [0.74038]{row}; 2.5." in text


@pytest.mark.slow
def test_no_offered_notebook_has_roles(real_book):
    offered, sources = real_book / "html" / "notebooks", ROOT / "notebooks"
    assert {p.stem for p in offered.glob("*.ipynb")} == {p.stem for p in sources.glob("*.py")}
    assert not any(ROLE_LEFT.search(text) for text in texts_of(offered))


def test_committed_notebooks_have_no_roles_and_printed_numbers():
    """Binder and Colab open these, and Jupyter knows no roles."""
    rows, quoted = Published().everything, 0
    for text in texts_of(ROOT / "notebooks"):
        assert not ROLE_LEFT.search(text), text
        for shown, row in re.findall(r"\[([^]]*)\]\([^)]*ledger\.html#([^)]*)\)", text):
            assert shown in (rows[row].printed, "…")
            quoted += shown != "…"
    assert quoted > 50
