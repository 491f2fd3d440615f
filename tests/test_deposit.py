"""The deposit: an RO-Crate that names what is there and nothing else, an archive that repeats."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from compendium import ROOT, deposit
from compendium.execute import Edition
from crates import check, roc_validator
from trees import call, make_tree

NOTEBOOK = """\
# %% [markdown]
# # One F score

# %% tags=["parameters"]
seed: int = 1  # root seed

# %%
from compendium import DATA, ledger

record = ledger.open("one").record
record("lam/section-6/f1", float((DATA / "f1.txt").read_text()))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A clone with one notebook that was run, and a site of two pages."""
    root = make_tree(tmp_path_factory.mktemp("deposit") / "tree", one=NOTEBOOK)
    shutil.copy(ROOT / "CITATION.cff", root / "CITATION.cff")
    (root / "notebooks" / "data" / "f1.txt").write_text("0.7404")
    (root / ".gitignore").write_text("_build/\n__pycache__/\n")
    for arguments in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    assert call(root, "execute").returncode == 0
    assert call(root, "verdicts").returncode in (0, 1)  # most numbers have no notebook here
    html = root / "_build" / "html"
    shutil.copytree(root / "_build" / "results", html / "results")
    shutil.copytree(root / "_build" / "ledger", html / "ledger")
    for place in ("index.html", "book/ledger.html", "notebooks/one.ipynb"):
        (html / place).parent.mkdir(exist_ok=True)
        (html / place).write_text("a page")
    for place in ("notebooks/one.py", "notebooks/data/f1.txt"):
        (html / place).parent.mkdir(exist_ok=True)
        shutil.copy(root / place, html / place)
    return root


@pytest.mark.slow
def test_roc_validator_accepts_the_crate_and_would_say_if_it_did_not(tree, tmp_path):
    html = shutil.copytree(tree / "_build" / "html", tmp_path / "html")
    crate = deposit.crate(Edition(tree), html)
    metadata = html / "ro-crate-metadata.json"
    metadata.write_text(json.dumps(crate), "utf-8")
    code, said = roc_validator(html, tmp_path / "web")
    assert code == 0, said
    assert "is a valid ro-crate-1.1" in said
    root = next(entity for entity in crate["@graph"] if entity["@id"] == "./")
    for name in ("license", "author"):  # required; recommended
        lacking = {**root}
        del lacking[name]
        graph = [lacking if entity is root else entity for entity in crate["@graph"]]
        metadata.write_text(json.dumps({**crate, "@graph": graph}), "utf-8")
        code, said = roc_validator(html, tmp_path / "web")
        assert code == 1, (name, said)


@pytest.mark.slow
def test_the_crate_describes_the_site(tree):
    html = tree / "_build" / "html"
    graph = check(deposit.crate(Edition(tree), html), html)
    run = graph["#run-one"]
    assert run["instrument"] == {"@id": "notebooks/one.py"}
    assert run["object"] == [{"@id": "#one/seed"}, {"@id": "notebooks/data/f1.txt"}]
    assert run["result"] == [{"@id": "notebooks/one.ipynb"}, {"@id": "results/one.csv"}]
    assert graph["#one/seed"]["value"] == "1"
    rows = json.loads((html / "ledger" / "ledger.json").read_text("utf-8"))["rows"]
    assert [i for i in graph if i.startswith("book/ledger.html#")] == [
        f"book/ledger.html#{row['id']}" for row in rows
    ]
    assert graph["book/ledger.html#lam/section-6/f1"]["value"] == 0.7404
    assert "license" not in graph["notebooks/data/f1.txt"]  # its source decides
    assert graph["notebooks/one.py"]["license"] == {"@id": "https://spdx.org/licenses/MIT"}
    assert len(graph["./"]["citation"]) == 5


@pytest.mark.slow
def test_the_archive_repeats_byte_for_byte(tree):
    first = call(tree, "deposit")
    assert first.returncode == 0, first.stderr
    digest, place = first.stdout.split()
    path = tree / place
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    for file in tree.rglob("*"):  # times and rights are not those of the first archive
        if file.is_file() and ".git" not in file.parts:
            os.utime(file, (1_700_000_000, 1_700_000_000))
            file.chmod(0o600)
    assert call(tree, "deposit").stdout == first.stdout
    with zipfile.ZipFile(path) as opened:
        assert opened.testzip() is None
        names = {name.partition("/")[2] for name in opened.namelist()}
        top = path.stem
        sums = opened.read(f"{top}/checksums.sha256").decode().splitlines()
        for line in sums:
            known, name = line.split("  ")
            assert hashlib.sha256(opened.read(f"{top}/{name}")).hexdigest() == known
    assert {line.split("  ")[1] for line in sums} == names - {"checksums.sha256"}
    for name in (
        "site/index.html",
        "executed/one.ipynb",
        "results/one.csv",
        "ledger/ledger.json",
        "notebooks/data/f1.txt",
        "f1ci/__init__.py",
        "CITATION.cff",
    ):
        assert name in names
    assert not any("__pycache__" in name or name.startswith(".git/") for name in names)


@pytest.mark.slow
def test_what_is_not_finished_is_not_archived(tree, tmp_path):
    root = Path(shutil.copytree(tree, tmp_path / "tree"))
    shutil.rmtree(root / "_build" / "html")
    outcome = call(root, "deposit")
    assert outcome.returncode == 2
    assert outcome.stderr == "error: there is no site to archive: `make book` builds it\n"
    (root / "notebooks" / "data" / "f1.txt").write_text("0.75")
    assert "the notebook one must run first" in call(root, "deposit").stderr
    assert not list((root / "_build").glob("*.draft"))
