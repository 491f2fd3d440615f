"""Pairs, parameters, runs, isolation and interruption of the notebooks.

The runs happen in small trees made here, as users start them. A kernel takes about two seconds of a
processor, and a Dask cluster as many again; tests share trees where they can.
"""

import ast
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
from compendium import NOTEBOOKS, ROOT, RefusedError, book, pairs, sources
from compendium.runs import Edition, tasks
from trees import call, change, command, environment, files, make_tree, notebook, run

DRAWS = notebook(
    "Draws",
    """\
import numpy as np

from compendium import RESULTS
from compendium.pool import executor


def block_mean(sequence):
    return float(np.random.default_rng(sequence).normal(size=replicates).mean())""",
    """\
sequences = np.random.SeedSequence(seed).spawn(8)
with executor() as pool:
    means = list((pool.map if pool else map)(block_mean, sequences))""",
    """\
(RESULTS / "draws.csv").write_text("".join(f"{k},{m!r}\\n" for k, m in enumerate(means)))
type(pool).__name__""",
    parameters="replicates: int = 2_000  # draws per block\nseed: int = 7  # root seed",
)
BROKEN = notebook(
    "Broken",
    'from compendium import RESULTS\n\n(RESULTS / "broken.csv").write_text("half")',
    'print("before")',
    "1 / (seed - 1)",
    'print("never reached")',
)
ONE = ("--workers", "1")  # a process for one notebook; with two it starts a Dask cluster


def reason(root, name, edition="full", text=""):
    """Why the runner would run a notebook again."""
    (task,) = tasks(Edition(root, edition), [name], sources.values_in(text))
    return task.reason


def refused(outcome, message):
    """A command says in a sentence why it does nothing."""
    assert outcome.returncode == 2
    assert outcome.stderr.startswith("error: ") or "usage:" in outcome.stderr
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


# The real notebooks, and pairs


@pytest.mark.parametrize("source", sources.sources(NOTEBOOKS), ids=lambda p: p.stem)
def test_a_committed_pair_follows_from_its_source(source):
    committed = source.with_suffix(".ipynb").read_text("utf-8")
    assert committed == pairs.pair_text(source), f"{source.stem}: run `make pair`"
    assert committed.count('"outputs": []') == committed.count('"cell_type": "code"')
    cells = sources.read(source).cells
    (parameters,) = (c.source for c in cells if "parameters" in c.metadata.get("tags", []))
    # Papermill reads each line.
    declared = sources.declared(source)
    assert len(declared) == len(ast.parse(parameters).body) > 0
    defaults = {p.name: ast.literal_eval(p.default) for p in declared}
    for name, value in sources.quick_values(ROOT).get(source.stem, {}).items():
        assert type(value) is type(defaults[name])
        assert value != defaults[name]


def test_what_a_notebook_imports_is_known():
    """As anybody reads it in the files; with what the imported modules import."""
    found = sources.imported(NOTEBOOKS / "yuan-other-runs.py", ROOT)
    machinery = ("__init__", "data", "figures", "ledger", "pool", "published", "show")
    shared = ("datasets", "joint_coverage", "joint_test", "normal_classes", "printed_tables")
    shared += ("r_random", "recording")
    assert {p.relative_to(ROOT).as_posix() for p in found} == {
        *(f"book/compendium/{name}.py" for name in machinery),
        *(f"notebooks/shared/{name}.py" for name in shared),
        "notebooks/own/yuan_other_runs.py",
    }


def test_no_notebook_imports_the_machinery_that_judges_or_builds():
    imported = [sources.imported(path, ROOT) for path in sources.sources(NOTEBOOKS)]
    names = {p.stem for p in set().union(*imported) if p.parent.name == "compendium"}
    assert names == {"__init__", "data", "figures", "ledger", "pool", "published", "show"}


def test_a_module_of_one_notebook_has_its_name():
    for path in (NOTEBOOKS / "own").glob("*.py"):
        users = [p.stem for p in sources.sources(NOTEBOOKS) if path in sources.imported(p, ROOT)]
        assert users == [path.stem.replace("_", "-")], path.name


def test_jupyter_reads_numbers_and_links_instead_of_roles():
    text = (
        "{published}`lam/section-6/f1` and {computed}`lam/section-6/f1|.5f`, {glue:text}`lam-x:.2f`"
        " and {glue:text}`lam-y` in {doc}`a page </book/lam>`, {eq}`eq-lam-1`; ``{doc}`x` `` is"
        " code.\n$$x$$ (eq-lam-2)\n:::{figure} x.svg\n:alt: x\n:::\n```{raw} html\n<p>\n```"
    )
    found = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    known = {
        "published": {"lam/section-6/f1": ("0.740", "0.740")},
        "computed": {"lam/section-6/f1": (154 / 208, "0.740")},
        "glue:text": {"lam-x": (1 / 3, "")},
    }
    pairs.make_readable(found, "notebooks/lam", known)
    row = "(https://f1ci.github.io/f1ci/book/ledger.html#lam/section-6/f1)"
    assert found.cells[0].source == (
        f"[0.740]{row} and [0.74038]{row}, 0.33"
        " and […](https://f1ci.github.io/f1ci/notebooks/lam.html)"
        " in a page, `eq-lam-1`; ``{doc}`x` `` is code.\n$$x$$"
        "\n[Figure on the page](https://f1ci.github.io/f1ci/notebooks/lam.html)\n"
    )


# Parameters

CELL = """\
replicates: int = 1_000_000  # replicates per condition
levels: list[float] = [0.9, 0.95]  # nominal levels
name: str = "a label"  # a label
exact: bool = True  # whether to enumerate
half_width: float = 0.05  # planned half width"""


@pytest.fixture
def declared(tmp_path):
    (tmp_path / "x.py").write_text(notebook("X", parameters=CELL), "utf-8")
    return sources.declared(tmp_path / "x.py")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("replicates=1_000 exact=False", {"replicates": 1000, "exact": False}),
        ("levels=[0.9,0.99]", {"levels": [0.9, 0.99]}),
        ("name='two words'", {"name": "two words"}),
        ("name=a=b.csv", {"name": "a=b.csv"}),
    ],
)
def test_values_are_read_as_yaml(declared, text, expected):
    values = sources.values_in(text)
    sources.check_names(values, declared, "x")
    assert values == expected
    assert [type(v) for v in values.values()] == [type(v) for v in expected.values()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("replicate=10", "x has no parameter 'replicate'; it has replicates, levels, name"),
        ("replicates='8", "cannot be read: No closing quotation"),
        ("levels=[1", "cannot be read"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(declared, text, message):
    with pytest.raises(RefusedError, match=message):
        sources.check_names(sources.values_in(text), declared, "x")


# Runs


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A tree with a sound and a broken notebook, run once; and what the command said."""
    root = make_tree(tmp_path_factory.mktemp("ran"), draws=DRAWS, broken=BROKEN)
    (root / "notebooks" / "quick.yml").write_text("draws:\n  replicates: 1_000\n")
    return root, call(root, "execute")


@pytest.fixture
def copied(ran, tmp_path):
    """A copy of that tree, to be changed."""
    return Path(shutil.copytree(ran[0], tmp_path / "tree"))


@pytest.mark.slow
def test_a_failure_is_named_and_stops_nothing_else(ran):
    root, outcome = ran
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert "FAILED: broken" in outcome.stdout
    assert "cell 5: ZeroDivisionError: division by zero" in outcome.stdout
    assert "2 of 2 notebooks done" in outcome.stdout
    build = root / "_build"
    assert files(build) == {
        *("executed/draws.ipynb", "records/draws.json", "results/draws.csv"),
        *("executed/broken.ipynb", "records/broken.json"),
    }
    record = json.loads((build / "records" / "broken.json").read_text())
    assert record["error"] == "cell 5: ZeroDivisionError: division by zero"
    shown = (build / "executed" / "broken.ipynb").read_text()
    assert "before" in shown
    assert "Traceback" in shown
    executed = (build / "executed" / "draws.ipynb").read_text()
    assert str(root) not in executed
    assert "papermill" not in executed


@pytest.mark.slow
def test_a_broken_notebook_has_a_page_up_to_its_error_and_an_idle_one_says_so(copied):
    (copied / "notebooks" / "idle.py").write_text(notebook("Idle", "1"), "utf-8")
    (copied / "_config.yml").write_text("")
    staged = copied / "_build" / "stage"
    stopped = "cell 5: ZeroDivisionError: division by zero"
    assert book.stage(Edition(copied), staged)[-2:] == [
        f"the notebook broken must run: failed last time: {stopped}",
        "the notebook idle must run: never run",
    ]
    text = (staged / "notebooks" / "broken.ipynb").read_text("utf-8")
    for words in ("This notebook failed", "ZeroDivisionError", "before", "never reached"):
        assert words in text
    assert "Not run" in (staged / "notebooks" / "idle.ipynb").read_text("utf-8")


CHANGES = [  # a file, what it holds, what it holds then, and what has changed
    ("notebooks/draws.py", "Draws", "Drawn", "the notebook"),
    ("f1ci/__init__.py", '"""', '""" ', "the package"),
    ("book/compendium/pool.py", '"""', '""" ', "the modules it imports"),
    ("book/compendium/figures.mplstyle", "10", "11", "the figures' style"),
    ("book/published/inputs.csv", ",77\n", ",78\n", "the printed numbers"),
    ("_build/results/draws.csv", "0,", "00,", "results/draws.csv"),
    ("requirements.lock", "", "new", "the lock"),
    ("notebooks/data/new.csv", "", "new", "the data"),
    # No notebook imports these; a description and the errata's text have no part in a number.
    ("notebooks/shared/new.py", "", "new", ""),
    ("book/compendium/book.py", '"""', '""" ', ""),
    ("book/compendium/deposit.py", '"""', '""" ', ""),
    ("book/compendium/verdicts.py", '"""', '""" ', ""),
    ("book/published/errata.csv", "Table", "table", ""),
    ("notebooks/data/README.md", "", "new", ""),
    ("book/lam.md", "", "new", ""),
]


@pytest.mark.slow
def test_a_run_holds_until_something_changes(copied):
    assert reason(copied, "draws") == ""
    failed = "failed last time: cell 5: ZeroDivisionError: division by zero"
    assert reason(copied, "broken") == failed
    assert reason(copied, "draws", text="seed=8") == "parameters changed"
    for path, old, new, expected in CHANGES:
        place = copied / path
        place.parent.mkdir(exist_ok=True)
        before = place.read_text("utf-8") if old else ""
        assert old in before
        place.write_text(before.replace(old, new, 1), "utf-8")
        assert reason(copied, "draws") == (f"{expected} changed" if expected else ""), path
        place.unlink()
        if old:
            place.write_text(before, "utf-8")
    again = call(copied, "execute", "draws")
    assert "1 of 1 notebooks are up to date" in again.stdout
    assert "starts" not in again.stdout


@pytest.mark.slow
def test_quick_custom_and_full_runs_never_mix(copied):
    before = (copied / "_build" / "results" / "draws.csv").read_bytes()
    run(copied, "draws", "--quick", *ONE)
    assert Edition(copied, "quick").record("draws")["parameters"]["replicates"] == "1000"
    run(copied, "--quick", "--params", "replicates=10 seed=8", "--into", "seed", *ONE)
    values = Edition(copied, "seed").record("draws")["parameters"]
    assert values == {"replicates": "10", "seed": "8"}
    assert "replicates = 10\\n" in Edition(copied, "seed").executed("draws").read_text()
    assert reason(copied, "draws") == ""
    assert (copied / "_build" / "results" / "draws.csv").read_bytes() == before
    # What is gone goes with its results.
    (copied / "notebooks" / "draws.py").unlink()
    (copied / "notebooks" / "broken.py").unlink()
    assert call(copied, "execute").returncode == 0
    assert not {f for f in files(copied / "_build") if not f.startswith(("quick", "seed"))}


@pytest.mark.slow
def test_what_cannot_be_meant_is_refused_before_anything_runs(ran):
    for arguments, message in {
        ("drawn",): "there is no notebook 'drawn'; there are broken, draws",
        ("draws", "--params", "replicate=1"): "draws has no parameter 'replicate'",
        ("--params", "replicate=1"): "no notebook has the parameters replicate",
        ("--workers", "0"): "a run needs at least one worker",
        ("--time-limit", "-5"): "a run needs at least one worker, and one second",
    }.items():
        refused(call(ran[0], "execute", *arguments), message)


# Dask


def dask_program(place, what, packages, *options):
    """Start a scheduler or a worker of Dask that imports f1ci from a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard",
         "--scheduler-file", str(place), *options],
        env={**os.environ, "PYTHONPATH": str(packages)}, cwd=place.parent,
    )  # fmt: skip


@pytest.fixture
def cluster(ran, tmp_path):
    """The address of a Dask scheduler whose worker has the f1ci of the first tree."""
    place = tmp_path / "scheduler.json"
    programs = [dask_program(place, "scheduler", ran[0], "--port", "0")]
    try:
        while not place.exists():
            time.sleep(0.05)
        programs.append(dask_program(place, "worker", ran[0], "--no-nanny"))
        yield json.loads(place.read_text())["address"]
    finally:
        for program in programs:
            program.kill()
            program.wait()


@pytest.mark.slow
def test_processes_and_a_dask_cluster_give_the_same_bits(copied, cluster):
    results = copied / "_build" / "results" / "draws.csv"
    expected = results.read_bytes()  # from the run of two notebooks, one process each
    for options in (("--workers", "2"), ("--scheduler", cluster)):
        run(copied, "draws", "--force", *options)
        assert results.read_bytes() == expected
        assert "ClientExecutor" in (copied / "_build/executed/draws.ipynb").read_text()
    # A worker with another f1ci than the notebook's computes nothing.
    change(copied / "f1ci" / "__init__.py", '"""', '""" ')
    again = call(copied, "execute", "draws", "--scheduler", cluster)
    assert again.returncode == 1
    assert "do not have this notebook's f1ci" in again.stdout
    assert not results.exists()


# Papermill alone


@pytest.mark.slow
def test_papermill_alone_gives_the_numbers_of_make_notebook(tmp_path):
    reader = notebook(
        "Reader",
        """\
from compendium import ledger, show

given, printed, record, say = ledger.open("reader")
record("lam/section-6/f1", share)
say("reader-share", share)""",
        '# %% [markdown] tags=["default-values"]\n# It is the share of the paper.',
        "# %% [markdown]\n# The share is {glue:text}`reader-share:.4f`.",
        'show.compare(["lam/section-6/f1"])',
        parameters="share: float = 0.7403846  # what is recorded",
    )
    root = make_tree(tmp_path, reader=reader)
    assert call(root, "pairs").returncode == 0
    run(root, "reader", "--params", "share=0.74")
    results = root / "_build/custom/results/reader.csv"
    expected = results.read_bytes()
    lines = [line.split(",")[:2] for line in expected.decode().splitlines()[1:]]
    assert lines == [["lam/section-6/f1", "0.74"], ["reader-share", "0.74"]]
    results.unlink()
    subprocess.run(
        [sys.executable, "-m", "papermill", "reader.ipynb", tmp_path / "out.ipynb", "-p", "share",
         "0.74"],
        cwd=root / "notebooks",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "book")])},
        check=True, capture_output=True,
    )  # fmt: skip
    assert results.read_bytes() == expected
    # A table shows both numbers wherever it is opened, and no verdict; the text has the run's.
    executed = root / "_build/custom/executed/reader.ipynb"
    for path in (tmp_path / "out.ipynb", executed):
        text = path.read_text()
        assert 'data-show=\\"printed\\">0.740</span>' in text
        assert 'data-show=\\"value\\">0.74' in text
        assert 'data-show=\\"verdict\\"></span>' in text
    custom = [cell.source for cell in nbformat.read(executed, 4).cells]
    assert custom[-2] == "The share is 0.7400."
    # What is true for the default values alone is left out, and the notebook says so.
    assert "Run with share = 0.74." in custom[0]
    assert "default values alone are left out" in custom[0]
    assert "It is the share of the paper." not in custom
    assert "It is the share of the paper." in (root / "notebooks/reader.ipynb").read_text()


# Faults

ENDLESS = notebook(
    "Endless",
    "import time\n\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n"
    "        pass",
)
DIES = notebook("Dies", "import os\n\nos._exit(0)", "1")


@pytest.mark.slow
def test_a_cell_without_end_and_a_dead_kernel_are_failures_with_a_sentence(tmp_path):
    root = make_tree(tmp_path, endless=ENDLESS, dies=DIES)
    for name, options, expected in (
        ("endless", ("--time-limit", "6"), "CellTimeoutError: A cell timed out"),
        ("dies", (), "DeadKernelError: Kernel died"),
    ):
        said = call(root, "execute", name, *options, *ONE).stdout
        assert f"FAILED: {name}" in said
        assert reason(root, name).startswith(f"failed last time: {expected}")


WAITS = notebook(
    "Waits",
    'import time\n\nfrom compendium import RESULTS\n\n(RESULTS / "waits.csv").write_text("half")',
    "time.sleep(600)",
)


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_an_ended_run_leaves_nothing_that_counts_as_done(tmp_path, end):
    root = make_tree(tmp_path, waits=WAITS)
    with subprocess.Popen(command(root, "execute", *ONE), env=environment()) as process:
        while not [*root.glob("_build/running-*/*/made/results/waits.csv")]:
            assert process.poll() is None
            time.sleep(0.05)
        family = psutil.Process(process.pid).children(recursive=True)
        assert len(family) >= 2  # papermill's process, and the kernel
        process.send_signal(end)
        process.wait()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []
    assert files(root / "_build") == set()
    assert process.returncode == 130
    assert reason(root, "waits") == "never run"
