"""What is kept of a run: the reference run, and what agrees with it.

The tree has one notebook, whose numbers come from f1ci and from a data file; it is tampered with in
every way that the compendium promises to notice.
"""

import ast
import json
import shutil
from pathlib import Path

import nbformat
import numpy as np
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

# %%
from threadpoolctl import threadpool_info

kernels = {f"{b['architecture']}, {b['num_threads']}" for b in threadpool_info()}
print("; ".join(sorted(kernels)))
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
    # The kernel that ran, as another process than the notebook's says.
    (executed,) = nbformat.read(tree / "_build/executed/one.ipynb", 4).cells[-1].outputs
    assert executed.text == f"{found['platform']['blas kernel, threads']}\n"
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
    # In the fifth digit; a number that only the text quotes; nan agrees with nan alone.
    [
        ("0.74038", "0.74040", ID),
        ("one-fp,44", "one-fp,45", "one-fp"),
        ("one-fp,44", "one-fp,nan", "one-fp"),
    ],
)
def test_a_changed_number_is_found(tree, place, old, new, name):
    change(tree / place / "one.csv", old, new)
    assert certificate(tree, 3)["not"] == [name]


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
    found = certificate(tree, 3)
    assert "must run" in found["problems"][0]
    assert f"sources: {file} is not that of the reference run" in found["problems"]
    assert found["not"] == []
    assert call(tree, "deposit", "reference").returncode == 2  # what must run is no reference


@pytest.mark.slow
def test_what_is_made_no_more_or_anew_is_found(tree):
    change(tree / "book/reference/run.json", '"made": {', '"made": {"results/figures/two.svg": "",')
    found = certificate(tree, 3)
    assert found["problems"] == ["only one of the two runs made results/figures/two.svg"]
    (tree / "book" / "reference" / "one.csv").unlink()
    assert certificate(tree, 3)["not"] == [ID, "one-fp"]


OF_KERNEL = notebook(
    "Sums of products",
    """\
import numpy as np
from compendium import ledger

page = ledger.open("sums")
for k in range(1, 5):
    a = np.random.default_rng(k).normal(size=(150, 150))
    page.say(f"sums-{k}", float((a @ a).sum()))""",
)


@pytest.mark.slow
def test_a_run_with_another_kernel_of_linear_algebra_agrees(tmp_path, monkeypatch):
    """What a user's environment says does not count; what a processor offers may differ."""
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    root = make_tree(tmp_path, sums=OF_KERNEL)
    shutil.copy(ROOT / "CITATION.cff", root / "CITATION.cff")
    run(root)
    pinned = Edition(root).record("sums")["blas"]
    assert pinned.endswith(", 1")
    assert call(root, "deposit", "reference").returncode == 0
    # A processor without the kernel that is pinned.
    monkeypatch.setattr(np, "show_config", lambda **_: {"SIMD Extensions": {"found": []}})
    run(root, "--force")
    found = certificate(root, 0)
    assert found["not"] == []
    if Edition(root).record("sums")["blas"] == pinned:
        pytest.skip("this processor has one kernel")
    assert "Haswell" in pinned
    assert found["within tolerance"] != []


@pytest.mark.parametrize(
    ("before", "now", "how"),
    [
        (0.5, 0.5, "exactly"),
        (0.5, 0.5 * (1 + 9e-6), "within"),
        (0.5, 0.5 * (1 + 2e-5), "not"),
        (3e-12, -1e-12, "within"),
        ("0.50", "0.51", "not"),
        (0.5, None, "not"),
    ],
)
def test_one_tolerance_for_every_number(before, now, how):
    records = [value and Record("a/b", value) for value in (before, now)]
    assert deposit.agreement(*records) == how


def test_the_reference_run_is_complete():
    """Every notebook is in it, with the parameters of its source: a full run, not a quick one."""
    edition = Edition()
    found = json.loads((ROOT / "book" / "reference" / "run.json").read_text("utf-8"))
    assert set(found["parameters"]) == set(edition.names()), "run make reference"
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
