"""What CONTRIBUTING.md says of a data set and of a page, done once."""

from __future__ import annotations

import hashlib
import shutil

import pytest
from compendium import ROOT, book
from compendium.execute import Edition
from trees import call, make_tree

NOTEBOOK = """\
# %% [markdown]
# # Read a data set

# %% tags=["parameters"]
seed: int = 1  # root seed

# %%
from compendium import data

assert data.read_verified("fruit.csv") == b"fruit,n\\nfig,3\\n"
"""


@pytest.mark.slow
def test_a_data_set_takes_its_file_and_its_line(tmp_path):
    root = make_tree(tmp_path, fruit=NOTEBOOK)
    folder = root / "notebooks" / "data"
    head = (ROOT / "notebooks" / "data" / "sources.csv").read_text("utf-8").splitlines()[0]
    content = b"fruit,n\nfig,3\n"
    digest = hashlib.sha256(content).hexdigest()
    line = f"fruit.csv,1,{digest},by hand,,a market,CC0,Nobody (2026)"
    (folder / "sources.csv").write_text(f"{head}\n{line}\n", "utf-8")
    (folder / "fruit.csv").write_bytes(content)
    ran = call(root, "execute")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (folder / "fruit.csv").write_bytes(content.replace(b"3", b"4"))
    changed = call(root, "execute")
    assert changed.returncode == 1
    assert "AlteredDataError" in changed.stdout


def test_a_page_takes_its_file_and_its_line(tmp_path):
    root = make_tree(tmp_path)
    shutil.copy(ROOT / "_config.yml", root / "_config.yml")
    shutil.copy(ROOT / "book" / "_toc.yml", root / "book" / "_toc.yml")
    toc = root / "book" / "_toc.yml"
    toc.write_text(toc.read_text("utf-8") + "      - file: book/fruit\n", "utf-8")
    staged = root / "_build" / "stage"
    for written in (False, True):
        if written:
            (root / "book" / "fruit.md").write_text("# Fruit\n", "utf-8")
            shutil.rmtree(staged)
        book.stage(Edition(root), staged)
        assert book.toc_documents(staged)[-1] == "book/fruit"
        assert (staged / "book" / "fruit.md").exists() == written
