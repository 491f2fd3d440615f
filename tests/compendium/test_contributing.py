"""What CONTRIBUTING.md says of a data set, a page and a paper, done once."""

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
from compendium import ledger, show

given, printed, record, say = ledger.open("toy-division")
record("toy/table-1/a/half", whole / 2)
record("toy/table-1/a/third", whole / 3)
record("toy/table-2/b/word", "Accept H1")
show.grid({"a": "one"}, {"half": "half", "third": "third"}, lambda r, c: f"toy/table-1/{r}/{c}")""",
    parameters="whole: float = 1.0  # what is divided",
)
FRUIT = notebook(
    "Read a data set",
    'from compendium import data\n\nassert data.read_verified("fruit.csv")[-2:] == b"3\\n"',
)


@pytest.mark.slow
def test_a_data_set_takes_its_file_and_its_line(tmp_path):
    root = make_tree(tmp_path, fruit=FRUIT)
    put_data(root, "fruit.csv", "fruit,n\nfig,3\n")
    run(root)
    assert Edition(root).record("fruit")["data"] == ["data/fruit.csv"]
    change(root / "notebooks" / "data" / "fruit.csv", "3", "4")
    changed = call(root, "execute")
    assert changed.returncode == 1
    assert "DataError" in changed.stdout


@pytest.mark.slow
def test_a_page_takes_its_file_and_its_line(tmp_path):
    root = make_tree(tmp_path)
    shutil.copy(ROOT / "_config.yml", root / "_config.yml")
    shutil.copy(ROOT / "book" / "_toc.yml", root / "book" / "_toc.yml")
    toc = root / "book" / "_toc.yml"
    toc.write_text(toc.read_text("utf-8") + "      - file: book/fruit\n", "utf-8")
    (root / "book" / "fruit.md").write_text("# Fruit\n", "utf-8")
    staged = root / "_build" / "stage"
    book.stage(Edition(root), staged)
    assert list(parse_toc_yaml(staged / "book" / "_toc.yml"))[-1] == "book/fruit"
    assert (staged / "book" / "fruit.md").exists()
    # Binder, Colab and the sources that pages link to are those of the page's version.
    settings = yaml.safe_load((staged / "_config.yml").read_text("utf-8"))
    assert settings["repository"]["branch"] == f"v{f1ci.__version__}"


@pytest.mark.slow
def test_a_sixth_paper_takes_its_files(tmp_path):
    root = make_tree(tmp_path, **{"toy-division": DIVISION})
    published = root / "book" / "published"
    (published / "toy.csv").write_text(TABLE, "utf-8")
    with (published / "papers.csv").open("a", encoding="utf-8") as papers:
        papers.write("toy,Toy 2026,toy.txt,table-1:1*2 table-2:1,\n")
    (root / "book" / "toy.md").write_text("# A toy\n", "utf-8")
    (root / "_config.yml").write_text("")
    run(root)
    staged = root / "_build" / "stage"
    assert book.stage(Edition(root), staged) == []
    ledger = json.loads((root / "_build/ledger/ledger.json").read_text("utf-8"))
    verdicts = {r["id"]: r["verdict"] for r in ledger["rows"] if r["paper"] == "toy"}
    assert verdicts == dict.fromkeys(verdicts, "match")
    assert len(verdicts) == 3
    scoreboard = (staged / "book" / "_generated" / "scoreboard.md").read_text()
    assert '<th scope="col">Toy 2026</th>' in scoreboard
    page = (root / "_build/stage/notebooks/toy-division.ipynb").read_text("utf-8")
    assert "ledger.html#toy/table-1/a/third" in page
    assert ">0.333</a><br>0.33333<br><small>match</small>" in page
