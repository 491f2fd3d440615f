"""The reference run: what agrees with it, what does not, and that nothing slips through.

The tree has one notebook, whose numbers come from f1ci and from a data file; it is tampered with in
every way that the compendium promises to notice.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from compendium import ROOT, sources, swhid, verify
from compendium.execute import Edition
from compendium.ledger import Record
from trees import call, make_tree

NOTEBOOK = """\
# %% [markdown]
# # One F score

# %% tags=["parameters"]
seed: int = 1  # root seed

# %% mystnb={"figure": {"caption": "One bar. Its height is F1.", "name": "fig-one"}}
import f1ci
from compendium import DATA, RESULTS, ledger

tp, fp, fn = (int(x) for x in (DATA / "counts.txt").read_text().split())
page = ledger.open("one")
page.record("lam/section-6/f1", f1ci.f1_interval(tp, fp, fn).estimate)
figures = RESULTS / "figures"
figures.mkdir(parents=True)
_ = (figures / "one-bar.svg").write_text("<svg/>")
"""
ID = "lam/section-6/f1"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A tree whose last run is its reference run."""
    root = make_tree(tmp_path_factory.mktemp("verify") / "tree", one=NOTEBOOK)
    shutil.copy(ROOT / "CITATION.cff", root / "CITATION.cff")
    (root / "notebooks" / "data" / "counts.txt").write_text("77 44 10")
    assert call(root, "execute").returncode == 0
    assert call(root, "verify").returncode == 2  # there is no reference run yet
    assert call(root, "verify", "--record").returncode == 0
    return root


@pytest.fixture
def tree(run, tmp_path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "tree"))


def certificate(root: Path, status: int) -> dict:
    """What `make verify` finds, after the run."""
    outcome = call(root, "verify")
    assert outcome.returncode == status, outcome.stdout + outcome.stderr
    found = json.loads((root / "_build" / "certificate.json").read_text("utf-8"))
    assert found["agrees"] == (status == 0)
    assert (root / "_build" / "certificate.md").read_text("utf-8").endswith(outcome.stdout)
    return found


@pytest.mark.slow
def test_the_reference_run_agrees_with_itself(tree):
    found = certificate(tree, 0)
    assert (found["exactly"], found["within tolerance"], found["not"]) == (1, [], [])
    assert (found["figures"], found["figures that differ in a byte"]) == (1, [])
    assert found["same platform"]
    assert {"python", "numpy", "machine"} <= set(found["platform"])
    assert found["parameters"] == {"one": {"seed": "1"}}
    assert {"f1ci/methods/exact.py", "notebooks/one.py", "notebooks/data/counts.txt"} <= set(
        found["sources"]
    )


@pytest.mark.slow
def test_the_manifest_lists_what_was_made(tree):
    config = yaml.safe_load((tree / "codecheck.yml").read_text("utf-8"))
    assert config["manifest"] == [
        {"file": "_build/executed/one.ipynb", "comment": "One F score: tables and text"},
        {"file": "_build/results/figures/one-bar.svg",
         "comment": "One F score: One bar. Its height is F1."},
        {"file": "_build/results/one.csv", "comment": "One F score: numbers"},
    ]  # fmt: skip
    assert all((tree / item["file"]).is_file() for item in config["manifest"])


@pytest.mark.slow
@pytest.mark.parametrize("place", ["book/reference", "_build/results"])
def test_a_changed_number_is_found(tree, place):
    file = tree / place / "one.csv"
    before = file.read_text("utf-8")
    after = before.replace("0.740384615384615", "0.740384615384614")  # in the 15th digit
    assert after != before
    file.write_text(after, "utf-8")
    assert certificate(tree, 1)["not"] == [ID]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "before", "after", "moves"),
    [
        ("notebooks/data/counts.txt", "77 44", "78 44", True),
        ("f1ci/intervals.py", "from __future__", "# A remark.\nfrom __future__", False),
        ("notebooks/one.py", "estimate)", "low)", True),
        ("notebooks/one.py", "seed: int = 1", "seed: int = 2", False),
    ],
)
def test_a_changed_source_is_found(tree, file, before, after, moves):
    path = tree / file
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), "utf-8")
    assert "must run" in certificate(tree, 1)["problems"][0]
    assert call(tree, "execute", "--force").returncode == 0
    found = certificate(tree, 1)
    assert f"{file} is not that of the reference run" in found["problems"]
    assert found["not"] == ([ID] if moves else [])


@pytest.mark.slow
def test_what_is_made_no_more_or_anew_is_found(tree):
    run = json.loads((tree / "book/reference/run.json").read_text("utf-8"))
    run["made"]["results/figures/two.svg"] = ""
    (tree / "book/reference/run.json").write_text(json.dumps(run), "utf-8")
    found = certificate(tree, 1)
    assert found["problems"] == ["results/figures/two.svg was made by the reference run alone"]
    (tree / "book" / "reference" / "one.csv").unlink()
    assert certificate(tree, 1)["not"] == [ID]


@pytest.mark.slow
def test_another_platform_has_its_tolerance(tree):
    reference = tree / "book" / "reference"
    run = json.loads((reference / "run.json").read_text("utf-8"))
    run["platform"]["machine"] = "another"
    (reference / "run.json").write_text(json.dumps(run), "utf-8")
    text = (reference / "one.csv").read_text("utf-8")
    for printed, status, kind in (
        ("0.74038461539", 0, "within tolerance"),
        ("0.7403847", 1, "not"),
    ):
        (reference / "one.csv").write_text(text.replace("0.7403846153846154", printed), "utf-8")
        found = certificate(tree, status)
        assert found[kind] == [ID]
        assert not found["same platform"]


@pytest.mark.slow
def test_a_run_that_is_not_done_is_no_reference(tree):
    with (tree / "notebooks" / "one.py").open("a", encoding="utf-8") as file:
        file.write("\n# %%\n1 / 0\n")
    before = (tree / "book" / "reference" / "run.json").read_bytes()
    outcome = call(tree, "verify", "--record")
    assert outcome.returncode == 2
    assert "the notebook one must run first: files changed (notebooks/one.py)" in outcome.stderr
    assert (tree / "book" / "reference" / "run.json").read_bytes() == before


def test_tolerances_follow_from_the_kind():
    plain = Record("a", 0.5)
    assert verify.allowed(plain, 0.5) == pytest.approx(5e-10)
    # Two runs of 200 replicates: the standard error of their difference is 0.3 sqrt(2/200) = 0.03.
    simulated = replace(plain, deviation=0.3, replicates=200)
    assert verify.allowed(simulated, 0.5) == pytest.approx(4 * 0.03)
    # An exact value that carries a deviation for the paper's own error has none itself.
    assert verify.allowed(replace(plain, deviation=0.3), 0.5) == pytest.approx(5e-10)
    trained = Record("a", 0.5, low=0.4, high=0.6, splits=200)
    assert verify.allowed(trained, 0.5) == pytest.approx(5e-10)
    assert verify.allowed(replace(trained, replicates=100), 0.5) == pytest.approx(0.01)


def test_the_reference_run_is_complete():
    """Every notebook is in it, with the parameters of its source: a full run, not a quick one."""
    edition = Edition()
    run = json.loads((ROOT / "book" / "reference" / "run.json").read_text("utf-8"))
    assert sorted(run["parameters"]) == edition.names()
    for name, values in run["parameters"].items():
        declared = sources.declared_parameters(edition.source(name))
        assert values == {p.name: sources.literal(p.default) for p in declared}, name
    recorded = {Path(p).name for p in run["made"] if p.endswith(".csv")}
    assert recorded == {p.name for p in (ROOT / "book" / "reference").glob("*.csv")}
    manifest = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8"))["manifest"]
    assert [item["file"] for item in manifest] == [f"_build/{p}" for p in run["made"]]


def test_a_git_blob_hash(tmp_path):
    # The example of the Git book, chapter 10.2: `echo 'test content' | git hash-object -w --stdin`.
    (tmp_path / "file").write_text("test content\n")
    assert swhid(tmp_path / "file") == "swh:1:cnt:d670460b4b4aece5915caf5c68d12f560a9fe3e4"
    assert swhid(tmp_path / "none") == ""
