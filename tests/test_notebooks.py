"""Pairs, parameters, cache, isolation and interruption of the notebooks' runs.

The runs happen in small trees made here, in processes of their own as users start
them; a kernel takes about two seconds, so tests share trees where they can.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from compendium import NOTEBOOKS, ROOT, sources
from compendium.execute import Edition, locked, tasks
from compendium.sources import ParameterError
from trees import call, command, environment, files, make_tree

DRAWS = '''\
# %% [markdown]
# # Draws
#
# A mean of random numbers.

# %% tags=["parameters"]
replicates: int = 2_000  # draws per block
seed: int = 7  # root seed

# %%
import numpy as np

from compendium import RESULTS
from compendium.pool import executor


def block_mean(sequence):
    """The mean of one block of draws."""
    return float(np.random.default_rng(sequence).normal(size=replicates).mean())


# %%
sequences = np.random.SeedSequence(seed).spawn(8)
with executor() as pool:
    means = list((pool.map if pool else map)(block_mean, sequences))

# %%
(RESULTS / "draws.csv").write_text("".join(f"{k},{m!r}\\n" for k, m in enumerate(means)))
type(pool).__name__
'''

BROKEN = """\
# %% [markdown]
# # Broken

# %% tags=["parameters"]
divisor: int = 0  # what one is divided by

# %%
from compendium import RESULTS

(RESULTS / "broken.csv").write_text("half")
print("before the error")

# %%
1 / divisor

# %%
print("never reached")
"""

SLOW = """\
# %% [markdown]
# # Slow

# %% tags=["parameters"]
pause: float = 60.0  # seconds

# %%
import time

from compendium import RESULTS
from compendium.pool import executor

(RESULTS / "slow.csv").write_text("half")

# %%
with executor() as pool:
    list(pool.map(time.sleep, [pause] * 4))
"""


def reason(root: Path, name: str, edition: str = "full", **options: object) -> str:
    """Why the runner would run a notebook again."""
    (task,) = tasks(Edition(root, edition), [name], **options)
    return task.reason


# --- the real notebooks ----------------------------------------------------------------------


def test_every_committed_pair_follows_from_its_source():
    assert sources.check(NOTEBOOKS) == []


# --- pairs -----------------------------------------------------------------------------------


def test_pair_is_deterministic_and_carries_no_outputs(tmp_path):
    root = make_tree(tmp_path, draws=DRAWS)
    pair = root / "notebooks" / "draws.ipynb"
    assert call(root, "sources", "pair").returncode == 0
    first = pair.read_bytes()
    pair.unlink()
    assert call(root, "sources", "pair").returncode == 0
    assert pair.read_bytes() == first
    assert call(root, "sources", "check").returncode == 0
    notebook = nbformat.reads(first.decode(), as_version=4)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert all(c.outputs == [] and c.execution_count is None for c in code)
    assert len({c.id for c in notebook.cells}) == len(notebook.cells)


@pytest.mark.parametrize(
    "change",
    [
        lambda nb: nb.cells[3].update(source="1"),
        lambda nb: nb.cells[3].update(id="other"),
        lambda nb: nb.cells[3].update(execution_count=1),
        lambda nb: nb.cells[2].metadata.update(tags=[]),
        lambda nb: nb.cells.pop(),
        lambda nb: nb.metadata.update(other=1),
    ],
)
def test_check_sees_drift(tmp_path, change):
    source = tmp_path / "draws.py"
    source.write_text(DRAWS, "utf-8")
    notebook = nbformat.reads(sources.pair_text(source), as_version=4)
    change(notebook)
    source.with_suffix(".ipynb").write_text(nbformat.writes(notebook) + "\n", "utf-8")
    (problem,) = sources.check(tmp_path)
    assert problem == "draws.ipynb does not follow from its source; run `make pair`"


def test_check_sees_missing_pairs_sources_titles_and_parameters(tmp_path):
    (tmp_path / "draws.py").write_text(DRAWS, "utf-8")
    (tmp_path / "bare.py").write_text("# %%\n1\n", "utf-8")
    (tmp_path / "lonely.ipynb").write_text("{}", "utf-8")
    problems = "\n".join(sources.check(tmp_path))
    assert "draws.ipynb does not follow from its source" in problems
    assert "bare.py: the first cell must be text that opens with a title" in problems
    assert "bare.py: a notebook has one code cell tagged 'parameters', this one has 0" in problems
    assert "lonely.ipynb has no source lonely.py" in problems


# --- parameters ------------------------------------------------------------------------------

CELL = """\
replicates: int = 1_000_000  # quick: 10_000 — replicates per condition
levels: tuple[float, ...] = (
    0.9,
    0.95,
)  # quick: (0.95,) — nominal levels
name: str = "é # not a comment"  # a label
sizes: list[int] = [10, 20]  # of the test sets
exact: bool = True  # whether to enumerate
path: str | None = None  # a table of one's own
half_width: float = 0.05  # planned half width"""


def test_read_finds_types_defaults_quick_values_and_descriptions():
    found = {p.name: p for p in sources.read_parameters(CELL)}
    assert found["replicates"].default == 1_000_000
    assert found["replicates"].quick == 10_000
    assert found["replicates"].description == "replicates per condition"
    assert found["levels"].default == (0.9, 0.95)
    assert found["name"].default == "é # not a comment"
    assert {k: p.quick for k, p in found.items() if p.quick != p.default} == {
        "replicates": 10_000,
        "levels": (0.95,),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("replicates=1000", {"replicates": 1000}),
        ("replicates=1_000 exact=False", {"replicates": 1000, "exact": False}),
        ("replicates=1e6", {"replicates": 1_000_000}),
        ("half_width=1", {"half_width": 1.0}),
        ("levels=0.9,0.99", {"levels": (0.9, 0.99)}),
        ("levels=0.9,1", {"levels": (0.9, 1)}),
        ("levels=1,0", {"levels": (1, 0)}),
        ("sizes=5,10", {"sizes": [5, 10]}),
        ("sizes=[5]", {"sizes": [5]}),
        ("name='two words'", {"name": "two words"}),
        ("name=12", {"name": "12"}),
        ("path=None", {"path": None}),
        ("path=a=b.csv", {"path": "a=b.csv"}),
    ],
)
def test_from_text_converts_by_the_declared_type(text, expected):
    values = sources.from_text(text, sources.read_parameters(CELL), "x")
    assert values == expected
    assert [type(v) for v in values.values()] == [type(v) for v in expected.values()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("replicate=10", "x has no parameter 'replicate'; it has replicates, levels, name, sizes"),
        ("replicates", "a parameter is written name=value, got 'replicates'"),
        ("replicates=ten", "replicates must be int, got 'ten'"),
        ("replicates=1.5", "replicates must be int, got '1.5'"),
        ("replicates=True", "replicates must be int, got 'True'"),
        ("exact=2", "exact must be bool, got '2'"),
        ("levels=1,b", r"levels must be tuple\[float, \.\.\.\], got '1,b'"),
        ("levels=()", r"levels must be tuple\[float, \.\.\.\], got '\(\)'"),
        ("levels=a,b", r"levels must be tuple\[float, \.\.\.\], got 'a,b'"),
    ],
)
def test_from_text_refuses(text, message):
    with pytest.raises(ParameterError, match=message):
        sources.from_text(text, sources.read_parameters(CELL), "x")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("n = 3  # untyped", "a parameters cell holds only lines"),
        ("n: int = 3", "only lines 'name: type = value  # description', got 'n: int = 3'"),
        ("n: int = 3  # quick: 2", "only lines .*, got 'n: int = 3  # quick: 2'"),
        ("n: int = 3\nm: int = 4  # the other", "'n' must be a literal of the type int, got '3"),
        ("n: int = 10**6  # computed", "must be a literal"),
        ("n: int = 2.5  # wrong type", "'n' must be a literal of the type int, got '2.5'"),
        (
            "n: int = 3  # quick: 1.5 — wrong quick type",
            "'n' must be a literal of the type int, got '1.5'",
        ),
        ("n: np.int64 = 3  # foreign type", "a literal of the type np.int64, got '3'"),
        ("n: int =", "only lines .*, got 'n: int ='"),
    ],
)
def test_read_refuses(cell, message):
    with pytest.raises(ParameterError, match=message):
        sources.read_parameters(cell)


def test_substitute_changes_values_and_nothing_else():
    values = {"replicates": 5_000, "levels": (0.5,), "name": "µ", "path": "a.csv"}
    changed = sources.substitute(CELL, values)
    assert changed.splitlines() == [
        "replicates: int = 5_000  # quick: 10_000 — replicates per condition",
        "levels: tuple[float, ...] = (0.5,)  # quick: (0.95,) — nominal levels",
        "name: str = 'µ'  # a label",
        "sizes: list[int] = [10, 20]  # of the test sets",
        "exact: bool = True  # whether to enumerate",
        "path: str | None = 'a.csv'  # a table of one's own",
        "half_width: float = 0.05  # planned half width",
    ]
    assert {p.name: p.default for p in sources.read_parameters(changed)} | values == {
        p.name: p.default for p in sources.read_parameters(changed)
    }


# --- runs ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A tree with a sound and a broken notebook, run once; and what the command said."""
    root = make_tree(tmp_path_factory.mktemp("ran"), draws=DRAWS, broken=BROKEN)
    return root, call(root, "execute")


@pytest.mark.slow
def test_a_failure_is_named_and_stops_nothing_else(ran):
    root, outcome = ran
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert "FAILED: broken" in outcome.stdout
    assert "cell 4: ZeroDivisionError: division by zero" in outcome.stdout
    build = root / "_build"
    assert {
        "executed/draws.ipynb",
        "records/draws.json",
        "results/draws.csv",
        "executed/broken.ipynb",
        "records/broken.json",
    } == {f for f in files(build) if not f.startswith("ipython/")}
    record = json.loads((build / "records" / "broken.json").read_text())
    assert record["status"] == "failed"
    assert "ZeroDivisionError" in record["error"]["traceback"]
    partial = (build / "executed" / "broken.ipynb").read_text()
    assert "before the error" in partial
    assert "ZeroDivisionError" in partial
    assert str(root) not in (build / "executed" / "draws.ipynb").read_text()


@pytest.mark.slow
def test_record_says_what_was_run(ran):
    record = Edition(ran[0]).record("draws")
    assert record["parameters"] == {"replicates": "2_000", "seed": "7"}
    assert record["status"] == "done"
    assert record["seconds"] > 0
    assert set(record["outputs"]) == {"executed/draws.ipynb", "results/draws.csv"}
    # What it imported, and nothing else of the compendium.
    assert record["read"]["files"].keys() == {
        "book/compendium/__init__.py",
        "book/compendium/pool.py",
        "notebooks/draws.py",
        "requirements.lock",
    }


@pytest.mark.slow
def test_a_notebook_runs_again_when_what_it_read_changed(ran, tmp_path):
    root = tmp_path / "tree"
    shutil.copytree(ran[0], root)
    assert reason(root, "draws") == ""
    assert reason(root, "broken") == "failed last time: cell 4: ZeroDivisionError: division by zero"
    assert reason(root, "draws", text="seed=8") == "parameters changed (seed)"
    for path in ("book/compendium/pool.py", "notebooks/draws.py"):
        text = (root / path).read_text("utf-8")
        (root / path).write_text(text + "\n", "utf-8")
        assert reason(root, "draws") == f"files changed ({path})"
        (root / path).write_text(text, "utf-8")
    (root / "requirements.lock").write_text("new")
    assert reason(root, "draws") == "files changed (requirements.lock)"
    (root / "requirements.lock").unlink()
    # What it neither imports nor opens: another room, the package (this one does without it), a
    # new data file, a chapter, a published number.
    for path in (
        "book/compendium/sources.py",
        "f1ci/results.py",
        "notebooks/data/new.csv",
        "book/lam.md",
    ):
        (root / path).write_text("changed")
    inputs = root / "book/published/inputs.csv"
    inputs.write_text(inputs.read_text("utf-8").replace(",25\n", ",26\n"), "utf-8")
    assert reason(root, "draws") == ""
    results = root / "_build" / "results" / "draws.csv"
    results.write_text("by hand")
    assert reason(root, "draws") == "outputs changed (results/draws.csv)"
    results.unlink()
    assert reason(root, "draws") == "outputs changed (results/draws.csv)"


READER = """\
# %% [markdown]
# # Reader

# %% tags=["parameters"]
table: str = "own.csv"  # a table of one's own

# %%
from pathlib import Path

import f1ci
from compendium import DATA, ledger, show

page = ledger.open("reader")
given, printed, record, say = page
record("lam/section-6/f1", 0.7403846)
(DATA / "opened.csv").read_text(), Path(table).read_text()
float(given("lam/section-6/tp")), printed("lam/section-6/wald/low")

# %%
show.compare(["lam/section-6/f1"])

# %%
record("lam/section-6/wald/low", 0.6652)
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A tree with a notebook that opens data and the ledger, run once."""
    root = make_tree(tmp_path_factory.mktemp("reader"), reader=READER)
    (root / "notebooks/data/opened.csv").write_text("1")
    (root / "notebooks/data/other.csv").write_text("2")
    (root / "notebooks/own.csv").write_text("3")
    outcome = call(root, "execute")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return root


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("notebooks/data/opened.csv", "1", "2", "files changed (notebooks/data/opened.csv)"),
        ("notebooks/own.csv", "3", "4", "files changed (notebooks/own.csv)"),
        ("notebooks/data/other.csv", "2", "3", ""),
        ("f1ci/results.py", '"""', '""" ', "files changed (f1ci/results.py)"),
        # An input that it used, and one that it did not.
        ("book/published/inputs.csv", ",77\n", ",78\n", "printed changed (lam/section-6/tp)"),
        ("book/published/inputs.csv", ",702\n", ",703\n", ""),
        # A printed number from which it computes, and one that it only records.
        (
            "book/published/lam.csv",
            "lam/section-6/wald/low,lam,section-6,",
            "",
            "printed changed (lam/section-6/wald/low)",
        ),
        ("book/published/lam.csv", ",0.740,", ",0.741,", ""),
        ("book/compendium/verdicts.py", "STANDARD_ERRORS = 4", "STANDARD_ERRORS = 5", ""),
    ],
)
def test_only_what_a_notebook_read_counts(reader, path, old, new, expected):
    before = (reader / path).read_text("utf-8")
    try:
        if path.endswith("results.py"):
            (reader / path).write_text(before + "\n", "utf-8")
        elif not new:
            lines = [x for x in before.splitlines(keepends=True) if not x.startswith(old)]
            (reader / path).write_text("".join(lines), "utf-8")
        elif path.endswith("verdicts.py"):
            (reader / path).write_text(before.replace(old, new), "utf-8")
        else:
            change(reader / path, old, new)
        assert reason(reader, "reader") == expected
    finally:
        (reader / path).write_text(before, "utf-8")


@pytest.mark.slow
def test_tables_name_ids_and_what_is_recorded_is_saved(reader):
    executed = (reader / "_build/executed/reader.ipynb").read_text("utf-8")
    assert 'data-ledger=\\"lam/section-6/f1\\" data-show=\\"printed\\"' in executed
    assert "0.740<" not in executed
    lines = (reader / "_build/results/reader.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["lam/section-6/f1", "0.7403846"],
        ["lam/section-6/wald/low", "0.6652"],
    ]


@pytest.mark.slow
def test_papermill_alone_gives_the_numbers_of_make_notebook(reader, tmp_path):
    assert call(reader, "sources", "pair").returncode == 0
    own = call(reader, "execute", "reader", "--params", "table=data/other.csv")
    assert own.returncode == 0, own.stdout + own.stderr
    results = reader / "_build/custom/results/reader.csv"
    expected = results.read_bytes()
    results.unlink()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "papermill",
            "reader.ipynb",
            str(tmp_path / "out.ipynb"),
            "-p",
            "table",
            "data/other.csv",
        ],
        cwd=reader / "notebooks",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(reader), str(reader / "book")])},
        check=True,
        capture_output=True,
    )
    assert results.read_bytes() == expected
    out = (tmp_path / "out.ipynb").read_text("utf-8")
    custom = (reader / "_build/custom/executed/reader.ipynb").read_text("utf-8")
    # A reader's own run has no book to wait for: verdicts are there at once.
    for text in (out, custom):
        assert ">0.740</a>" in text
        assert "match</span>" in text


@pytest.mark.slow
def test_results_of_a_removed_notebook_go_with_it(ran, tmp_path):
    root = tmp_path / "tree"
    shutil.copytree(ran[0], root)
    (root / "notebooks" / "draws.py").unlink()
    (root / "notebooks" / "broken.py").unlink()
    assert call(root, "execute").returncode == 0
    assert {f for f in files(root / "_build") if not f.startswith("ipython/")} == set()


@pytest.mark.slow
def test_what_is_up_to_date_does_not_run(ran):
    outcome = call(ran[0], "execute", "draws")
    assert outcome.returncode == 0
    assert "1 of 1 notebooks are up to date" in outcome.stdout
    assert "starts" not in outcome.stdout


@pytest.mark.slow
def test_quick_custom_and_full_runs_never_mix(ran):
    root = ran[0]
    before = (root / "_build" / "results" / "draws.csv").read_bytes()
    assert call(root, "execute", "draws", "--quick").returncode == 0
    custom = call(root, "execute", "draws", "--params", "replicates=10 seed=8")
    assert custom.returncode == 0, custom.stdout + custom.stderr
    assert Edition(root, "quick").record("draws")["parameters"]["replicates"] == "1_000"
    executed = nbformat.read(root / "_build" / "custom" / "executed" / "draws.ipynb", as_version=4)
    # One parameter cell, which holds the values that were used.
    assert [c.source for c in executed.cells if "parameters" in str(c.metadata.get("tags"))] == [
        "replicates: int = 10  # draws per block\nseed: int = 8  # root seed"
    ]
    assert reason(root, "draws") == ""
    assert (root / "_build" / "results" / "draws.csv").read_bytes() == before


@pytest.mark.slow
def test_unknown_parameters_and_notebooks_are_refused_before_anything_runs(ran):
    outcome = call(ran[0], "execute", "draws", "--params", "replicate=10")
    assert outcome.returncode == 2
    assert outcome.stderr == (
        "error: draws has no parameter 'replicate'; it has replicates, seed\n"
    )
    outcome = call(ran[0], "execute", "drawn")
    assert outcome.returncode == 2
    assert outcome.stderr == "error: there is no notebook 'drawn'; there are broken, draws\n"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_ended_run_leaves_nothing_that_counts_as_done(tmp_path, end):
    root = make_tree(tmp_path, slow=SLOW)
    with subprocess.Popen(
        command(root, "execute"), env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        runner = psutil.Process(process.pid)
        # The kernel, two processes of its pool and what counts their resources.
        while len(family := runner.children(recursive=True)) < 4:
            assert process.poll() is None
            time.sleep(0.05)
        assert list((root / "_build").glob("running-*/made/results/slow.csv"))
        process.send_signal(end)
        process.wait(timeout=20)
    _, alive = psutil.wait_procs(family, timeout=20)
    assert alive == []
    left = files(root / "_build")
    assert not {f for f in left if f.startswith(("results/", "records/", "executed/"))}
    if end != signal.SIGKILL:
        assert process.returncode == 130
        assert not {f for f in left if f.startswith("running-")}
    assert reason(root, "slow") == "never run"


@pytest.mark.slow
def test_time_limit_names_the_cell(tmp_path):
    root = make_tree(tmp_path, slow=SLOW)
    outcome = call(root, "execute", "--time-limit", "5")
    assert outcome.returncode == 1
    assert "the time limit of 5.0 s ended in cell 4 of 4" in outcome.stdout
    assert reason(root, "slow").startswith("failed last time: the time limit")
    assert not (root / "_build" / "results" / "slow.csv").exists()


CLUSTER = """\
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.mark.slow
def test_a_fresh_clone_starts_with_what_took_longest_in_the_reference_run(tmp_path):
    # Each twice as long as the one before, against the order of their names.
    took = {"apple": 1.0, "pear": 2.0, "quince": 4.0}
    root = make_tree(tmp_path, **dict.fromkeys(took, DRAWS.replace('"draws.csv"', 'f"{name}.csv"')))
    for name in took:
        change(
            root / "notebooks" / f"{name}.py",
            "# %%\nsequences",
            f'# %%\nname = "{name}"\nsequences',
        )
    (root / "book" / "reference").mkdir()
    (root / "book" / "reference" / "run.json").write_text(json.dumps({"took": took}), "utf-8")
    outcome = call(root, "execute", "--workers", "1")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    starts = [line.split()[2] for line in outcome.stdout.splitlines() if " starts: " in line]
    assert starts == ["quince", "pear", "apple"]
    assert "3.0 s left" in outcome.stdout  # once quince is done


@pytest.mark.slow
def test_processes_and_a_dask_cluster_give_the_same_bits(ran, tmp_path):
    root = ran[0]
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    results = root / "_build" / "results" / "draws.csv"
    expected = results.read_bytes()  # from the run of two notebooks, one process each
    assert call(root, "execute", "draws", "--force", "--workers", "2").returncode == 0
    assert results.read_bytes() == expected
    assert "_Pool" in (root / "_build" / "executed" / "draws.ipynb").read_text()
    with subprocess.Popen(
        [sys.executable, str(script)],
        env={**environment(), "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as cluster:
        address = cluster.stdout.readline().strip()
        outcome = call(root, "execute", "draws", "--force", "--scheduler", address)
        cluster.stdin.close()
        cluster.wait(timeout=20)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert results.read_bytes() == expected
    executed = nbformat.read(root / "_build" / "executed" / "draws.ipynb", as_version=4)
    assert "ClientExecutor" in str(executed.cells[-1].outputs)


# --- faults ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_keeps_a_task_from_its_end_is_a_failure(tmp_path):
    root = make_tree(tmp_path, draws=DRAWS)
    outcome = subprocess.run(
        ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *command(root, "execute")],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode in (1, 2), outcome.stdout + outcome.stderr
    assert "1 of 1 notebooks ran" not in outcome.stdout
    assert "Traceback" not in outcome.stderr
    assert reason(root, "draws").startswith(("never run", "failed last time"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mount", "complaint"),
    [
        ("mount -t tmpfs -o size=16k none {}", "0 of 1 notebooks ran"),
        ("mount --bind {0} {0} && mount -o remount,bind,ro {0}", "Read-only file system"),
    ],
)
def test_a_full_or_locked_disk_is_a_failure(tmp_path, mount, complaint):
    # A mount namespace of its own: a real full disk, which ends with the program.
    root = make_tree(tmp_path, draws=DRAWS)
    build = root / "_build"
    build.mkdir()
    inside = f'{mount.format(build)} && exec "$@"'
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if subprocess.run([*alone, mount.format(build)], check=False, capture_output=True).returncode:
        pytest.skip("no mounts on this machine")
    outcome = subprocess.run(
        [*alone, inside, "sh", *command(root, "execute")],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode in (1, 2), outcome.stdout + outcome.stderr
    assert complaint in outcome.stdout + outcome.stderr
    assert "1 of 1 notebooks ran" not in outcome.stdout
    assert "Traceback" not in outcome.stderr


@pytest.mark.slow
def test_two_builds_at_once(tmp_path):
    root = make_tree(tmp_path, slow=SLOW)
    with subprocess.Popen(
        command(root, "execute"), env=environment(), stdout=subprocess.PIPE, text=True
    ) as first:
        while not list((root / "_build").glob("running-*")):
            assert first.poll() is None
            time.sleep(0.05)
        second = call(root, "execute")
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=20)
    assert second.returncode == 2
    assert f"another command (process {first.pid}) is at work in" in second.stderr


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    root = make_tree(tmp_path, draws=DRAWS)
    (root / "_build").write_text("in the way")
    outcome = call(root, "execute")
    assert outcome.returncode == 2
    assert outcome.stderr.startswith("error: ")
    assert "_build" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_run_needs_a_worker(tmp_path):
    root = make_tree(tmp_path, draws=DRAWS)
    outcome = call(root, "execute", "--workers", "0")
    assert outcome.returncode == 2
    assert "a run needs at least one worker, not 0" in outcome.stderr


def test_two_commands_in_one_folder_do_not_collide(tmp_path):
    root = make_tree(tmp_path, draws=DRAWS)
    with locked(Edition(root)):
        outcome = call(root, "execute")
    assert outcome.returncode == 2
    assert f"another command (process {os.getpid()}) is at work in" in outcome.stderr


@pytest.mark.parametrize("module", ["execute", "verdicts", "book"])
def test_an_environment_does_not_compute_for_another_tree(tmp_path, module):
    copy = make_tree(tmp_path, draws=DRAWS)
    outcome = subprocess.run(
        [sys.executable, "-m", f"compendium.{module}"],
        cwd=copy,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode in (1, 2)
    assert f"this environment computes with {ROOT}, not with {copy}" in (
        outcome.stdout + outcome.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["draws", "--params", "seed='8"], "cannot be read: No closing quotation"),
        (["--params", "seed=8"], "name the notebook whose parameters are 'seed=8'"),
    ],
)
def test_parameters_that_cannot_be_meant_are_refused(tmp_path, arguments, message):
    root = make_tree(tmp_path, draws=DRAWS)
    outcome = call(root, "execute", *arguments)
    assert outcome.returncode == 2
    assert message in outcome.stderr
