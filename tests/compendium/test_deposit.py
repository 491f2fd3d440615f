"""What is kept of a run: the reference run, and what agrees with it.

The tree has one notebook, whose numbers come from f1ci and from a data file; it is tampered with in
every way that the compendium promises to notice.
"""

import ast
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from compendium import ROOT, deposit, sources, swhid
from compendium.ledger import Record
from compendium.runs import Edition
from trees import call, change, make_tree, notebook, put_data, run

NOTEBOOK = (
    notebook("One F score")
    + """
# %%
import f1ci
from compendium import RESULTS, data, ledger

tp, fp, fn = (int(x) for x in data.read_verified("counts.txt").split())
page = ledger.open("one")
page.record("lam/section-6/f1", f1ci.f1_interval(tp, fp, fn).estimate)
page.say("one-fp", fp)
figures = RESULTS / "figures"
figures.mkdir(parents=True)
_ = (figures / "one-bar.svg").write_text("<svg/>")
"""
)
ID = "lam/section-6/f1"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A tree whose last run is its reference run."""
    root = make_tree(tmp_path_factory.mktemp("deposit") / "tree", one=NOTEBOOK)
    shutil.copy(ROOT / "CITATION.cff", root / "CITATION.cff")
    put_data(root, "counts.txt", "77 44 10")
    run(root)
    assert call(root, "deposit", "verify").returncode == 2  # there is no reference run yet
    assert call(root, "deposit", "reference").returncode == 0
    return root


@pytest.fixture
def tree(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "tree"))


def certificate(root, status):
    """What `make verify` finds, after the run."""
    outcome = call(root, "deposit", "verify")
    assert outcome.returncode == status, outcome.stdout + outcome.stderr
    found = json.loads((root / "_build" / "certificate.json").read_text("utf-8"))
    assert found["agrees"] == (status == 0)
    assert (root / "_build" / "certificate.md").read_text("utf-8").endswith(outcome.stdout)
    return found


@pytest.mark.slow
def test_the_reference_run_agrees_with_itself(tree):
    found = certificate(tree, 0)
    assert (found["exactly"], found["within tolerance"], found["not"]) == (2, [], [])
    assert found["quoted"] == 1
    assert found["same platform"]
    assert found["parameters"] == {"one": {"seed": "1"}}
    assert {"f1ci/kinds.py", "notebooks/data/counts.txt"} <= set(found["sources"])
    config = yaml.safe_load((tree / "codecheck.yml").read_text("utf-8"))
    assert config["manifest"] == [
        {"file": "_build/executed/one.ipynb", "comment": "One F score: tables and text"},
        {"file": "_build/results/figures/one-bar.svg", "comment": "One F score: a figure"},
        {"file": "_build/results/one.csv", "comment": "One F score: numbers"},
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("place", ["book/reference", "_build/results"])
@pytest.mark.parametrize(
    ("old", "new", "name"),
    # In the 15th digit; a number that only the text quotes; nan agrees with nan alone.
    [
        ("0.740384615384615", "0.740384615384614", ID),
        ("one-fp,44", "one-fp,45", "one-fp"),
        ("one-fp,44", "one-fp,nan", "one-fp"),
    ],
)
def test_a_changed_number_is_found(tree, place, old, new, name):
    change(tree / place / "one.csv", old, new)
    assert certificate(tree, 1)["not"] == [name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("f1ci/kinds.py", "from __future__", "# A remark.\nfrom __future__"),
        ("notebooks/data/counts.txt", "77 44", "78 44"),
    ],
)
def test_a_changed_source_is_found(tree, file, before, after):
    change(tree / file, before, after)
    found = certificate(tree, 1)
    assert "must run" in found["problems"][0]
    assert f"sources: {file} is not that of the reference run" in found["problems"]
    assert found["not"] == []
    assert call(tree, "deposit", "reference").returncode == 2  # what must run is no reference


@pytest.mark.slow
def test_what_is_made_no_more_or_anew_is_found(tree):
    change(tree / "book/reference/run.json", '"made": {', '"made": {"results/figures/two.svg": "",')
    found = certificate(tree, 1)
    assert found["problems"] == ["only one of the two runs made results/figures/two.svg"]
    (tree / "book" / "reference" / "one.csv").unlink()
    assert certificate(tree, 1)["not"] == [ID, "one-fp"]


@pytest.mark.slow
@pytest.mark.parametrize(("now", "status"), [("0.74038461539", 0), ("0.7403847", 1)])
def test_another_platform_has_its_tolerance(tree, now, status):
    reference = tree / "book" / "reference"
    machine = json.loads((reference / "run.json").read_text("utf-8"))["platform"]["machine"]
    change(reference / "run.json", f'"machine": "{machine}"', '"machine": "another"')
    change(reference / "one.csv", "0.7403846153846154", now)
    found = certificate(tree, status)
    assert not found["same platform"]
    assert found["not" if status else "within tolerance"] == [ID]


def test_tolerances_follow_from_the_kind():
    plain = Record("a/b", 0.5)
    assert deposit.allowed(plain, 0.5) == pytest.approx(5e-10)
    # Two runs of 200 replicates: the standard error of their difference is 0.3 sqrt(2/200) = 0.03.
    simulated = replace(plain, deviation=0.3, replicates=200)
    assert deposit.allowed(simulated, 0.5) == pytest.approx(4 * 0.03)
    # An exact value that carries a deviation for the paper's own error has none itself.
    assert deposit.allowed(replace(plain, deviation=0.3), 0.5) == pytest.approx(5e-10)
    trained = Record("a/b", 0.5, low=0.4, high=0.6, splits=200)
    assert deposit.allowed(trained, 0.5) == pytest.approx(5e-10)
    assert deposit.allowed(replace(trained, replicates=100), 0.5) == pytest.approx(0.01)
    # A number of the text, in a notebook with random numbers and in one without.
    assert deposit.allowed(Record("a", 0.5), 0.5, True) == pytest.approx(0.005)
    assert deposit.allowed(Record("a", 0.5), 0.5, False) == pytest.approx(5e-10)


def test_the_reference_run_is_complete():
    """Every notebook is in it, with the parameters of its source: a full run, not a quick one."""
    edition = Edition()
    found = json.loads((ROOT / "book" / "reference" / "run.json").read_text("utf-8"))
    assert sorted(found["parameters"]) == edition.names()
    for name, values in found["parameters"].items():
        declared = sources.declared(edition.source(name))
        assert values == {p.name: repr(ast.literal_eval(p.default)) for p in declared}, name
    recorded = {Path(p).name for p in found["made"] if p.endswith(".csv")}
    assert recorded == {p.name for p in (ROOT / "book" / "reference").glob("*.csv")}
    manifest = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8"))["manifest"]
    assert [item["file"] for item in manifest] == [f"_build/{p}" for p in found["made"]]


def test_a_git_blob_hash(tmp_path):
    # The example of the Git book, chapter 10.2: `echo 'test content' | git hash-object -w --stdin`.
    (tmp_path / "file").write_text("test content\n")
    assert swhid(tmp_path / "file") == "swh:1:cnt:d670460b4b4aece5915caf5c68d12f560a9fe3e4"
    assert swhid(tmp_path / "none") == ""
