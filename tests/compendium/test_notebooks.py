"""Pairs, parameters, runs, isolation and interruption of the notebooks.

The runs happen in small trees made here, in processes of their own as users start them. A kernel
takes about two seconds; tests share trees where they can.
"""

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest
from compendium import NOTEBOOKS, ROOT, RefusedError, execute, pairs, sources
from compendium.runs import Edition, tasks
from distributed import Client
from trees import call, change, command, environment, files, make_tree, notebook, run

DRAWS = notebook(
    "Draws",
    """\
import numpy as np

from compendium import DATA, RESULTS
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
SLOW = notebook(
    "Slow",
    """\
import time

from compendium import RESULTS
from compendium.pool import executor

(RESULTS / "slow.csv").write_text("half")""",
    "with executor() as pool:\n    list((pool.map if pool else map)(time.sleep, [60] * 4))",
)
QUICK = "draws:\n  replicates: 1_000\n"


def reason(root, name, edition="full", text=""):
    """Why the runner would run a notebook again."""
    (task,) = tasks(Edition(root, edition), [name], text)
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
    cells = sources.read(source).cells
    (parameters,) = (c.source for c in cells if "parameters" in c.metadata.get("tags", []))
    # Papermill reads each line.
    assert len(sources.declared(source)) == len(ast.parse(parameters).body) > 0
    first = cells[0]
    assert (first.cell_type, first.source[:2]) == ("markdown", "# ")
    assert {p.stem for p in NOTEBOOKS.glob("*.ipynb")} == {p.stem for p in NOTEBOOKS.glob("*.py")}


def test_quick_values_are_known_and_smaller_work():
    for name, values in sources.quick_values(ROOT).items():
        defaults = {
            p.name: ast.literal_eval(p.default) for p in sources.declared(NOTEBOOKS / f"{name}.py")
        }
        for parameter, value in values.items():
            assert type(value) is type(defaults[parameter]), (name, parameter)
            assert value != defaults[parameter], (name, parameter)


def test_a_pair_is_deterministic_and_carries_no_outputs(tmp_path):
    root = make_tree(tmp_path, draws=DRAWS)
    pair = root / "notebooks" / "draws.ipynb"
    assert call(root, "pairs").returncode == 0
    first = pair.read_bytes()
    pair.unlink()
    assert call(root, "pairs").returncode == 0
    assert pair.read_bytes() == first
    found = nbformat.reads(first.decode(), as_version=4)
    nbformat.validate(found)
    code = [c for c in found.cells if c.cell_type == "code"]
    assert all(c.outputs == [] and c.execution_count is None for c in code)
    assert len({c.id for c in found.cells}) == len(found.cells)
    found.cells[3].update(source="1")
    pair.write_text(nbformat.writes(found) + "\n", "utf-8")
    assert pair.read_text("utf-8") != pairs.pair_text(pair.with_suffix(".py"))


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
    values = sources.from_text(text, declared, "x")
    assert values == expected
    assert [type(v) for v in values.values()] == [type(v) for v in expected.values()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("replicate=10", "x has no parameter 'replicate'; it has replicates, levels, name"),
        ("replicates='8", "cannot be read: No closing quotation"),
        ("levels=[1", "cannot be read"),
        ("half_width=2020-01-01", "half_width=2020-01-01 is a date, which no parameter takes"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(declared, text, message):
    with pytest.raises(RefusedError, match=message):
        sources.from_text(text, declared, "x")


# Runs


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A tree with a sound and a broken notebook, run once; and what the command said."""
    root = make_tree(tmp_path_factory.mktemp("ran"), draws=DRAWS, broken=BROKEN)
    (root / "notebooks" / "quick.yml").write_text(QUICK)
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
    assert "ZeroDivisionError" in record["error"]["traceback"]
    assert "before" in (build / "executed" / "broken.ipynb").read_text()
    executed = (build / "executed" / "draws.ipynb").read_text()
    assert str(root) not in executed
    assert "papermill" not in executed


@pytest.mark.slow
def test_a_run_holds_until_something_changes(copied):
    root = copied
    assert reason(root, "draws") == ""
    assert reason(root, "broken") == "failed last time: cell 5: ZeroDivisionError: division by zero"
    assert reason(root, "draws", text="seed=8") == "parameters changed"
    for path, old, new, expected in (
        ("notebooks/draws.py", "Draws", "Drawn", "the notebook"),
        ("f1ci/__init__.py", '"""', '""" ', "the package"),
        ("book/compendium/pool.py", '"""', '""" ', "the shared code"),
        # No notebook imports these.
        ("book/compendium/book.py", '"""', '""" ', ""),
        ("book/compendium/deposit.py", '"""', '""" ', ""),
        ("book/compendium/verdicts.py", '"""', '""" ', ""),
        ("book/published/inputs.csv", ",77\n", ",78\n", "the printed numbers"),
        ("_build/results/draws.csv", "0,", "00,", "results/draws.csv"),
        # A description and the register's text have no part in a number.
        ("book/published/errata.csv", "Table", "table", ""),
        ("requirements.lock", "", "new", "the lock"),
        ("notebooks/data/new.csv", "", "new", "the data"),
        ("notebooks/shared/new.py", "", "new", "the shared code"),
        ("notebooks/data/README.md", "", "new", ""),
        ("book/lam.md", "", "new", ""),
    ):
        place = root / path
        place.parent.mkdir(exist_ok=True)
        before = place.read_text("utf-8") if old else ""
        assert old in before
        place.write_text(before.replace(old, new, 1), "utf-8")
        assert reason(root, "draws") == (f"{expected} changed" if expected else ""), path
        place.unlink()
        if old:
            place.write_text(before, "utf-8")
    again = call(root, "execute", "draws")
    assert "1 of 1 notebooks are up to date" in again.stdout
    assert "starts" not in again.stdout


@pytest.mark.slow
def test_quick_custom_and_full_runs_never_mix(copied):
    before = (copied / "_build" / "results" / "draws.csv").read_bytes()
    run(copied, "draws", "--quick")
    run(copied, "draws", "--params", "replicates=10 seed=8")
    assert Edition(copied, "quick").record("draws")["parameters"]["replicates"] == "1000"
    executed = (copied / "_build" / "custom" / "executed" / "draws.ipynb").read_text()
    assert "replicates = 10\\n" in executed
    assert reason(copied, "draws") == ""
    assert (copied / "_build" / "results" / "draws.csv").read_bytes() == before
    run(copied, "--quick", "--params", "replicates=1000 seed=8", "--into", "seed")
    values = Edition(copied, "seed").record("draws")["parameters"]
    assert values == {"replicates": "1000", "seed": "8"}
    # What is gone goes with its results.
    (copied / "notebooks" / "draws.py").unlink()
    (copied / "notebooks" / "broken.py").unlink()
    assert call(copied, "execute").returncode == 0
    apart = ("quick", "custom", "seed")
    assert not {f for f in files(copied / "_build") if not f.startswith(apart)}


@pytest.mark.slow
def test_what_cannot_be_meant_is_refused_before_anything_runs(ran):
    for arguments, message in {
        ("drawn",): "there is no notebook 'drawn'; there are broken, draws",
        ("draws", "--params", "replicate=1"): "draws has no parameter 'replicate'",
        ("--params", "replicates=8", "--", "broken"): "broken has no parameter 'replicates'",
        ("--params", "replicate=1"): "no notebook has the parameters replicate",
        ("--workers", "0"): "a run needs at least one worker",
        ("--time-limit", "-5"): "a run needs at least one worker, and one second",
        ("--time-limit", "nan"): "invalid int value: 'nan'",
    }.items():
        refused(call(ran[0], "execute", *arguments), message)
    assert "1 of 1 notebooks are up to date" in call(ran[0], "execute", "draws", "draws").stdout


def dask_program(place, what, packages, *options):
    """Start a scheduler or a worker of Dask that imports f1ci from a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard",
         "--scheduler-file", str(place), *options],
        env={**os.environ, "PYTHONPATH": str(packages)}, cwd=place.parent,
    )  # fmt: skip


@pytest.fixture
def cluster(copied, tmp_path):
    """The address of a scheduler with one worker, and a function that starts another worker."""
    place = tmp_path / "scheduler.json"
    programs = [dask_program(place, "scheduler", copied, "--port", "0")]

    def start(packages):
        programs.append(dask_program(place, "worker", packages, "--no-nanny"))
        return programs[-1]

    try:
        while not place.exists():
            time.sleep(0.05)
        start(copied)
        yield json.loads(place.read_text())["address"], start
    finally:
        for program in programs:
            program.kill()
            program.wait()


@pytest.mark.slow
def test_processes_and_a_dask_cluster_give_the_same_bits(copied, cluster):
    results = copied / "_build" / "results" / "draws.csv"
    expected = results.read_bytes()  # from the run of two notebooks, one process each
    for options in (("--workers", "2"), ("--scheduler", cluster[0])):
        run(copied, "draws", "--force", *options)
        assert results.read_bytes() == expected
        assert "_SameCode" in (copied / "_build/executed/draws.ipynb").read_text()


# The tasks of this notebook wait until somebody writes the file "joined".
WAITING = DRAWS.replace(
    "def block_mean(sequence):\n",
    """\
def block_mean(sequence):
    import time
    from pathlib import Path

    Path({folder!r}, "started").touch()
    while not Path({folder!r}, "joined").exists():
        time.sleep(0.05)
    time.sleep(0.1)
""",
).replace("spawn(8)", "spawn(80)")


@pytest.mark.slow
def test_a_late_dask_worker_with_another_f1ci_is_named(copied, cluster, tmp_path):
    """It joins when the first task runs already, and nothing counts as done."""
    address, start = cluster
    other = Path(shutil.copytree(copied / "f1ci", tmp_path / "other" / "f1ci"))
    change(other / "__init__.py", '"""', '""" ')
    source = WAITING.replace("{folder!r}", repr(str(tmp_path)))
    (copied / "notebooks" / "draws.py").write_text(source, "utf-8")

    def join_late():
        while not (tmp_path / "started").exists():
            time.sleep(0.05)
        start(other.parent)
        with Client(address) as client:
            client.wait_for_workers(2)
        (tmp_path / "joined").touch()

    late = threading.Thread(target=join_late)
    late.start()
    again = call(copied, "execute", "draws", "--scheduler", address)
    late.join()
    assert again.returncode == 1
    assert "does not have this notebook's f1ci" in again.stdout
    assert not (copied / "_build" / "results" / "draws.csv").exists()


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
    run(root)
    assert call(root, "pairs").returncode == 0
    run(root, "reader", "--params", "share=0.74")
    full, results = (root / place / "results/reader.csv" for place in ("_build", "_build/custom"))
    lines = [line.split(",")[:2] for line in full.read_text().splitlines()[1:]]
    assert lines == [["lam/section-6/f1", "0.7403846"], ["reader-share", "0.7403846"]]
    expected = results.read_bytes()
    results.unlink()
    subprocess.run(
        [sys.executable, "-m", "papermill", "reader.ipynb", tmp_path / "out.ipynb", "-p", "share",
         "0.74"],
        cwd=root / "notebooks",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "book")])},
        check=True, capture_output=True,
    )  # fmt: skip
    assert results.read_bytes() == expected
    # A table shows both numbers wherever it is opened, and the text has its own; no verdict.
    places = (root / "_build", root / "_build" / "custom")
    for text in (
        (tmp_path / "out.ipynb").read_text(),
        *((place / "executed/reader.ipynb").read_text() for place in places),
    ):
        assert 'data-show=\\"printed\\">0.740</span>' in text
        assert 'data-show=\\"value\\">0.74' in text
        assert 'data-show=\\"verdict\\"></span>' in text
    full, custom = (
        [cell.source for cell in nbformat.read(place / "executed/reader.ipynb", 4).cells]
        for place in places
    )
    assert (full[-2], custom[-2]) == ("The share is 0.7404.", "The share is 0.7400.")
    # What is true for the default values alone is left out, and the notebook says so.
    assert "Run with share = 0.74." in custom[0]
    assert "default values alone are left out" in custom[0]
    assert "It is the share of the paper." in full
    assert "It is the share of the paper." not in custom


# Faults


FAULTY = {
    "slow": notebook(
        "Slow",
        "import time\n\nwhile True:\n    try:\n        time.sleep(60)\n"
        "    except BaseException:\n        pass",
    ),
    "leaves": notebook("Leaves", "import sys\n\nsys.exit(0)", "1"),
    "dies": notebook("Dies", 'import os\n\nos.write(2, b"\\xff last")\nos._exit(0)', "1"),
    "floods": notebook("Floods", 'raise ValueError("\\x1b[31m" + "z" * 1_000_000)'),
    "prints": notebook("Prints", 'for _ in range(50):\n    print("x" * 1_000_000)', 'print("end")'),
    "forks": notebook(
        "Forks",
        "import subprocess\n\n"
        'subprocess.Popen(["/bin/sleep", "6171"], env={}, start_new_session=True)',
    ),
    "kills": notebook("Kills", "import os\n\nos.kill(os.getppid(), 9)", "1"),
    "strange": notebook(
        "Strange", 'from compendium import RESULTS\n\n(RESULTS / "other.csv").write_text("")'
    ),
    "forks-not": notebook(
        "Forks not",
        "from ipykernel.kernelapp import IPKernelApp\n\nIPKernelApp.instance().transport",
    ),
    "writes": notebook(
        "Writes", 'from compendium import RESULTS\n\n(RESULTS / "forks-not.csv").write_text("")'
    ),
    "links": notebook(
        "Links",
        'from compendium import RESULTS\n\n(RESULTS / "links.csv").symlink_to("/etc/passwd")',
    ),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """What a run says of notebooks that go wrong in ways of their own."""
    root = make_tree(tmp_path_factory.mktemp("faulty"), **FAULTY)
    return root, call(root, "execute", "--time-limit", "9", "--workers", "3")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("slow", "failed last time: the time limit of 9 s ended in cell 3 of 3"),
        ("leaves", "failed last time: cell 3: SystemExit: 0"),
        ("dies", "failed last time: its process died in cell 3 of 4"),
        ("floods", "failed last time: cell 3: ValueError:  [31mzzz"),
        ("prints", ""),
        ("forks", ""),
        ("kills", "failed last time: its process was ended"),
        ("strange", "failed last time: these files belong to no notebook or to another one: other"),
        (
            "writes",
            "failed last time: these files belong to no notebook or to another one: forks-n",
        ),
        ("links", "failed last time: it made links, which cannot be kept: links.csv"),
    ],
)
def test_whatever_goes_wrong_is_a_failure_with_a_sentence(faulty, name, expected):
    root, outcome = faulty
    assert outcome.returncode == 1, outcome.stderr
    found = reason(root, name)
    assert found.startswith(expected)
    assert len(found) < 400
    assert bool(found) == bool(expected)
    assert (root / "_build" / "records" / f"{name}.json").stat().st_size < 200_000
    assert not (root / "_build" / "results" / f"{name}.csv").exists()
    assert max(map(len, outcome.stdout.splitlines())) < 500


@pytest.mark.slow
def test_what_a_cell_leaves_behind_is_ended(faulty):
    """Also a process of a session of its own, in which no variable names its notebook."""
    assert reason(faulty[0], "forks") == ""
    assert not [p for p in psutil.process_iter(["cmdline"]) if "6171" in (p.info["cmdline"] or [])]


@pytest.mark.slow
def test_a_kernel_needs_no_network(faulty):
    """Also where the loopback is down; two kernels that start at once choose no common port."""
    *_, last = nbformat.read(Edition(faulty[0]).executed("forks-not"), as_version=4).cells
    assert last.outputs[0].data["text/plain"] == "'ipc'"


@pytest.mark.slow
def test_a_cell_that_prints_without_end_is_cut_and_says_so(faulty):
    path = Edition(faulty[0]).executed("prints")
    assert path.stat().st_size < 60_000
    *_, long, last = nbformat.read(path, as_version=4).cells
    (printed,) = long.outputs
    assert printed.text.endswith("(The rest is cut: a cell may print 50,000 characters.)\n")
    assert last.outputs[0].text == "end\n"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_ended_run_leaves_nothing_that_counts_as_done(tmp_path, end):
    """And while it is at work, a second command says so."""
    root = make_tree(tmp_path, slow=SLOW)
    with subprocess.Popen(
        command(root, "execute"), env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        while not (root / "_build/running-slow/made/results/slow.csv").exists():
            assert process.poll() is None
            time.sleep(0.05)
        runner = psutil.Process(process.pid)
        # papermill, the kernel, Dask's two nannies' workers, and what these start.
        while len(family := runner.children(recursive=True)) < 4:
            time.sleep(0.05)
        second = call(root, "execute")
        process.send_signal(end)
        process.wait(timeout=20)
    refused(second, "another command is at work in")
    _, alive = psutil.wait_procs(family, timeout=20)
    assert alive == []
    left = files(root / "_build")
    assert not {f for f in left if f.startswith(("results/", "records/", "executed/"))}
    if end != signal.SIGKILL:
        assert process.returncode == 130
    assert reason(root, "slow") == "never run"


def test_a_fresh_clone_starts_with_what_took_longest_in_the_reference_run(tmp_path, monkeypatch):
    # Each twice as long as the one before, against the order of their names.
    took = {"apple": 1.0, "pear": 2.0, "quince": 4.0}
    root, started = make_tree(tmp_path, **{name: notebook(name, "1") for name in took}), []
    (root / "book" / "reference").mkdir()
    (root / "book" / "reference" / "run.json").write_text(json.dumps({"took": took}), "utf-8")
    monkeypatch.setattr(execute, "_run", lambda _, task, *_more: not started.append(task.name))
    edition = Edition(root)
    assert execute.run(edition, tasks(edition), workers=1) == []
    assert started == ["quince", "pear", "apple"]


def test_a_full_disk_is_named(tmp_path, monkeypatch, capsys):
    """The notebook's process may find other words, such as a kernel that died."""
    root = make_tree(tmp_path, draws=DRAWS)
    monkeypatch.setattr(execute, "_execute", lambda *_: execute._error("Kernel died"))
    monkeypatch.setattr(execute, "_publish", lambda *_: None)
    monkeypatch.setattr(execute.shutil, "disk_usage", lambda _: SimpleNamespace(free=10_000))
    edition = Edition(root)
    assert execute.run(edition, tasks(edition)) == ["draws"]
    assert f"no space is left in {edition.folder}; Kernel died" in capsys.readouterr().out


@pytest.mark.slow
def test_a_record_cannot_name_a_file_outside_its_folder(copied):
    victim = copied / "victim.txt"
    victim.write_text("")
    change(copied / "_build/records/draws.json", '"outputs": {', '"outputs": {"../victim.txt": "",')
    assert reason(copied, "draws") == "never run"
    run(copied, "draws")
    assert victim.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "module", "message"),
    [
        ("_build", "in the way", "execute", "_build"),
        ("notebooks/latin.py", b"# %%\n# caf\xe9", "execute", "latin.py cannot be read"),
        ("notebooks/quick.yml", "draws: [", "execute --quick", "quick.yml cannot be read"),
        ("book/reference/run.json", "{", "execute", "run.json cannot be read"),
        ("book/published/lam.csv", 'id,"x', "verdicts", "lam.csv cannot be read"),
        ("book/published/papers.csv", b"\xff", "execute", "papers.csv cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, path, text, module, message):
    root = make_tree(tmp_path, draws=DRAWS)
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(call(root, *module.split()), message)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"error": null}'])
def test_a_record_that_cannot_be_read_is_made_again(copied, text):
    (copied / "_build" / "records" / "draws.json").write_text(text)
    assert reason(copied, "draws") == "never run"


@pytest.mark.slow
def test_a_dask_scheduler_without_workers_is_named(monkeypatch):
    from compendium import pool
    from distributed import LocalCluster

    monkeypatch.setattr(pool, "_PATIENCE", 1)
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        monkeypatch.setenv("F1CI_SCHEDULER", cluster.scheduler_address)
        with pytest.raises(RuntimeError, match=r"scheduler at .* has no workers"), pool.executor():
            pass
