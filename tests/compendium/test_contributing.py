"""A data set, a page and a sixth paper, added as CONTRIBUTING.md says."""

import json
import shutil

import pytest
import yaml
from compendium import ROOT, book
from compendium.runs import Edition
from sphinx_external_toc.parsing import parse_toc_yaml
from trees import call, change, make_tree, notebook, put_data, run

import f1ci

TABLE = """\
id,paper,item,description,printed,kind,erratum
toy/table-1/a/half,toy,table-1,Half of one,0.5,deterministic,
toy/table-1/a/third,toy,table-1,A third of one,0.333,deterministic,
toy/table-2/b/word,toy,table-2,What follows,Accept H1,deterministic,
"""
DIVISION = notebook(
    "Halves and thirds",
    """\
from compendium import data, ledger, show

whole = float(data.read_verified("fruit.csv").split(b",")[-1])
given, printed, record, say = ledger.open("toy-division")
record("toy/table-1/a/half", whole / 2)
record("toy/table-1/a/third", whole / 3)
record("toy/table-2/b/word", "Accept H1")
show.grid({"a": "one"}, {"half": "half", "third": "third"}, lambda r, c: f"toy/table-1/{r}/{c}")""",
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A tree to which somebody has added all three, and what its notebook needs."""
    root = make_tree(tmp_path_factory.mktemp("tree"), **{"toy-division": DIVISION})
    put_data(root, "fruit.csv", "fruit,n\nfig,1\n")
    (root / "book" / "published" / "toy.csv").write_text(TABLE, "utf-8")
    with (root / "book" / "published" / "papers.csv").open("a", encoding="utf-8") as papers:
        papers.write("toy,Toy 2026,toy.txt,table-1:1*2 table-2:1,\n")
    shutil.copy(ROOT / "_config.yml", root / "_config.yml")
    toc = (ROOT / "book" / "_toc.yml").read_text("utf-8")
    (root / "book" / "_toc.yml").write_text(toc + "      - file: book/fruit\n", "utf-8")
    (root / "book" / "fruit.md").write_text("# Fruit\n", "utf-8")
    run(root)
    return root


@pytest.mark.slow
def test_a_page_and_a_paper_take_their_files(root):
    staged = root / "_build" / "stage"
    assert book.stage(Edition(root), staged) == []
    assert list(parse_toc_yaml(staged / "book" / "_toc.yml"))[-1] == "book/fruit"
    assert (staged / "book" / "fruit.md").exists()
    # Binder and the sources that pages link to are those of the page's version.
    settings = yaml.safe_load((staged / "_config.yml").read_text("utf-8"))
    assert settings["repository"]["branch"] == f"v{f1ci.__version__}"

    ledger = json.loads((root / "_build/ledger/ledger.json").read_text("utf-8"))
    verdicts = [row["verdict"] for row in ledger["rows"] if row["paper"] == "toy"]
    assert verdicts == ["match"] * 3
    scoreboard = (staged / "book" / "_generated" / "scoreboard.md").read_text()
    assert '<th scope="col">Toy 2026</th>' in scoreboard
    page = (staged / "notebooks/toy-division.ipynb").read_text("utf-8")
    assert "ledger.html#toy/table-1/a/third" in page
    assert ">0.333</a><br>0.33333<br><small>match</small>" in page


@pytest.mark.slow
def test_a_preview_quotes_each_notebooks_last_run_and_tells_what_is_missing(root, capsys):
    """The reference run, which knows no number of the new paper, stands for all others."""
    shutil.copytree(ROOT / "book" / "reference", root / "book" / "reference")
    with (root / "book" / "published" / "toy.csv").open("a", encoding="utf-8") as table:
        table.write("toy/table-2/b/new,toy,table-2,Not computed,0.2,deterministic,\n")
    change(root / "book" / "fruit.md", "# Fruit", "# Fruit\n\n{computed}`toy/table-2/b/new`")
    staged = root / "_build" / "staged"
    assert book.stage(Edition(root), staged, preview=True) == []
    said = capsys.readouterr().out
    assert said == "Not computed: toy/table-2/b/new\nNumbers are missing on: fruit.md\n"
    ledger = json.loads((staged / "_extra/ledger/ledger.json").read_text("utf-8"))
    ours = {row["id"]: row["value"] for row in ledger["rows"]}
    assert ours["toy/table-1/a/third"] == 1 / 3
    assert ours["lam/section-6/f1"] == pytest.approx(154 / 208)


@pytest.mark.slow
def test_a_data_set_takes_its_file_and_its_line(root):
    assert "data/fruit.csv" in Edition(root).record("toy-division")["inputs"]
    change(root / "notebooks" / "data" / "fruit.csv", "1", "2")
    changed = call(root, "execute")
    assert changed.returncode == 3
    assert "DataError" in changed.stdout
