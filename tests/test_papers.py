"""A sixth paper takes its table, its line, its notebook and its chapter, and no other file."""

from __future__ import annotations

import json

import pytest
import yaml
from trees import call, make_tree

TABLE = """\
id,paper,item,description,printed,kind,erratum
toy/table-1/a/half,toy,table-1,Half of one,0.5,deterministic,
toy/table-1/a/third,toy,table-1,A third of one,0.333,deterministic,
toy/table-2/b/word,toy,table-2,What follows,Accept H1,deterministic,
"""
NOTEBOOK = """\
# %% [markdown]
# # Halves and thirds

# %% tags=["parameters"]
whole: float = 1.0  # what is divided

# %%
from compendium import ledger, show

given, printed, record, say = ledger.open("toy-division")
record("toy/table-1/a/half", whole / 2)
record("toy/table-1/a/third", whole / 3)
record("toy/table-2/b/word", "Accept H1")
show.grid({"a": "one"}, {"half": "half", "third": "third"}, lambda r, c: f"toy/table-1/{r}/{c}")
"""
TOC = """\
format: jb-book
root: book/index
parts:
  - caption: The papers
  - caption: Across
    chapters:
      - file: book/ledger
"""


@pytest.mark.slow
def test_a_sixth_paper_takes_four_files(tmp_path):
    root = make_tree(tmp_path, **{"toy-division": NOTEBOOK})
    published = root / "book" / "published"
    (published / "toy.csv").write_text(TABLE, "utf-8")
    with (published / "papers.csv").open("a", encoding="utf-8") as papers:
        papers.write("toy,Toy 2026,toy.txt,toy-division,table-1:1*2 table-2:1,\n")
    for name in ("index", "ledger", "lam", "takahashi", "wangli", "jiang", "yuan", "toy"):
        (root / "book" / f"{name}.md").write_text(f"# {name}\n", "utf-8")
    (root / "book" / "_toc.yml").write_text(TOC, "utf-8")
    (root / "_config.yml").write_text("")
    ran = call(root, "execute")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # The other papers' notebooks are not in this tree, so staging goes no further than the check
    # of the contents; what it staged and judged is there.
    built = call(root, "book")
    assert "which does not exist" in built.stdout, built.stdout + built.stderr
    ledger = json.loads((root / "_build/ledger/ledger.json").read_text("utf-8"))
    verdicts = {r["id"]: r["verdict"] for r in ledger["rows"] if r["paper"] == "toy"}
    assert verdicts == dict.fromkeys(verdicts, "match")
    assert len(verdicts) == 3
    assert ledger["errors"] == []
    staged = root / "_build" / "stage" / "book"
    chapters = yaml.safe_load((staged / "_toc.yml").read_text("utf-8"))["parts"][0]["chapters"]
    assert chapters[-1] == {"file": "book/toy", "sections": [{"file": "notebooks/toy-division"}]}
    assert '<th scope="col">Toy 2026</th>' in (staged / "_generated/scoreboard.md").read_text()
    page = (root / "_build/stage/notebooks/toy-division.ipynb").read_text("utf-8")
    assert "ledger.html#toy/table-1/a/third" in page
    assert ">0.333</a><br>0.33333<br><small>match</small>" in page
