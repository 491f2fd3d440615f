"""Pairs, parameters, runs, isolation and interruption of the notebooks.

The runs happen in small trees made here, as users start them. A kernel takes about two seconds of a
processor, and a Dask cluster as many again; tests share trees where they can.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import distributed
import nbformat
import psutil
import pytest
from compendium import (
    NOTEBOOKS,
    ROOT,
    SITE,
    RefusedError,
    book,
    check_names,
    deposit,
    pairs,
    references,
    roles,
    sources,
)
from compendium.runs import Edition, tasks
from sites import ROLE_LEFT
from trees import call, command, environment, files, make_tree, notebook, put_data, run

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
READS = """
# %%
from pathlib import Path

from compendium import data, ledger

page = ledger.open("draws")
fruit = data.read_verified("fruit.csv")
positives = page.given("lam/section-6/tp")
of_wald = page.ids("lam/section-6/wald/")
if Path("full").exists():
    raise OSError("No space left on device")  # which is no input
"""
BROKEN = notebook(
    "Broken",
    'from compendium import RESULTS\n\n(RESULTS / "broken.csv").write_text("half")',
    'print("before")',
    "1 / (seed - 1)",
    'print("never reached")',
)
ONE = ("--workers", "1")  # a process for one notebook; with two it starts a Dask cluster


def reason(root, name, text=""):
    """Why the runner would run a notebook again."""
    (task,) = tasks(Edition(root), [name], sources.values_in(text))
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
    pair = source.with_suffix(".ipynb")
    committed = pair.read_text("utf-8") if pair.exists() else ""
    assert committed == pairs.pair_text(source), f"{source.stem}: run `make pair`"
    for cell in nbformat.reads(committed, as_version=4).cells:
        shows = {kind for output in cell.get("outputs", []) for kind in output.data}
        assert shows == ({"text/markdown"} if cell.source.startswith("prose(") else set())
    cells = sources.read(source).cells
    (parameters,) = (c.source for c in cells if "parameters" in c.metadata.get("tags", []))
    # Papermill reads each line.
    declared = sources.declared(source)
    assert len(declared) == len(ast.parse(parameters).body) > 0
    defaults = {p.name: ast.literal_eval(p.default) for p in declared}
    for name, value in sources.quick_values(ROOT).get(source.stem, {}).items():
        assert type(value) is type(defaults[name])
        assert value != defaults[name]


def test_jupyter_reads_numbers_and_names_instead_of_roles():
    text = (
        "(shown)=\n{published}`lam/section-6/f1` in {doc}`a page </book/lam>`, {cite:t}`lam2024`,"
        " {eq}`eq-lam-f1` and {eq}`eq-none`; {glue:text}`lam-y::lam-y` is our own; ``{doc}`x` `` is"
        " code; [here](/book/lam.md).\n$$x$$ (eq-lam-2)\n\n:::{figure} x.svg\n:alt: x\n:::\n"
        "- {tally}`lam` numbers\n  agree\n- this entry stays"
    )
    known = {
        "published": {"lam/section-6/f1": ("0.740", "0.740")},
        "glue:text": {"lam-x": (1 / 3, "")},
    }
    assert roles.in_jupyter(text, known, references.names(ROOT)) == (
        "0.740 in a page, Lam et al. (2024), [(1.2)](../book/lam.md) and `eq-none`;"
        " {glue:text}`lam-y::lam-y` is our own; ``{doc}`x` `` is"
        " code; [here](../book/lam.md).\n$$x$$\n\n\n- this entry stays"
    )


def test_a_text_in_jupyter_has_no_label_and_no_link_to_a_site():
    """Every label has its name, and every link leads to a file of the repository."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            shown = [output.data["text/markdown"] for output in cell.get("outputs", [])]
            for text in shown or ([cell.source] if cell.cell_type == "markdown" else []):
                said = re.sub(r"```.*?```|`` .*? ``|``.*?``", "", text, flags=re.S)
                assert not ROLE_LEFT.search(said), (path.stem, text)
                assert not re.search(r"`(?:eq|thm|prop|cor|lem|def|rem|alg)-[a-z]", said), text
                assert SITE not in said, text
                for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", said):
                    assert (NOTEBOOKS / link).exists(), (path.stem, link)


# Parameters


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("replicate=10", "x has no parameter 'replicate'; it has replicates, name"),
        ("replicates='8", "cannot be read: No closing quotation"),
        ("levels=[1", "cannot be read"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(tmp_path, text, message):
    parameters = 'replicates: int = 1_000  # replicates\nname: str = "a label"  # a label'
    (tmp_path / "x.py").write_text(notebook("X", parameters=parameters), "utf-8")
    declared = sources.declared(tmp_path / "x.py")
    values = sources.values_in("replicates=1_000 name='two words=a.csv'")
    known = [parameter.name for parameter in declared]
    check_names(values, known, "x")
    assert values == {"replicates": 1000, "name": "two words=a.csv"}
    with pytest.raises(RefusedError, match=message):
        check_names(sources.values_in(text), known, "x")


# Runs


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A tree with a sound and a broken notebook, run once; and what the command said."""
    root = make_tree(tmp_path_factory.mktemp("ran"), draws=DRAWS + READS, broken=BROKEN)
    put_data(root, "fruit.csv", "fruit,n\nfig,1\n")
    (root / "notebooks" / "quick.yml").write_text("draws:\n  replicates: 1_000\n")
    return root, call(root, "execute")


@pytest.fixture
def copied(ran, tmp_path):
    """A copy of that tree, to be changed."""
    return Path(shutil.copytree(ran[0], tmp_path / "tree"))


@pytest.mark.slow
def test_a_failure_is_named_and_stops_nothing_else(ran):
    root, outcome = ran
    assert outcome.returncode == 3, outcome.stdout + outcome.stderr
    assert "FAILED: broken" in outcome.stdout
    assert "cell 6: ZeroDivisionError: division by zero" in outcome.stdout
    assert "2 of 2 notebooks done" in outcome.stdout
    build = root / "_build"
    assert files(build) == {
        *("executed/draws.ipynb", "records/draws.json", "results/draws.csv"),
        *("failed/broken.ipynb", "failed/broken.json"),
    }
    assert Edition(root).failure("broken")["error"] == "cell 6: ZeroDivisionError: division by zero"
    shown = (build / "failed" / "broken.ipynb").read_text()
    assert "before" in shown
    assert "Traceback" in shown
    executed = (build / "executed" / "draws.ipynb").read_text()
    assert str(root) not in executed
    assert '"papermill": {' not in executed
    assert "data/fruit.csv" in Edition(root).record("draws")["inputs"]


@pytest.mark.slow
def test_a_broken_notebook_has_a_page_up_to_its_error_and_an_idle_one_says_so(copied):
    (copied / "notebooks" / "idle.py").write_text(notebook("Idle", "1"), "utf-8")
    (copied / "_config.yml").write_text("")
    staged = copied / "_build" / "stage"
    stopped = "cell 6: ZeroDivisionError: division by zero"
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
    ("_build/results/draws.csv", "0,", "00,", "results/draws.csv"),
    # What it has read, and an id that begins as those that it has listed.
    ("notebooks/data/fruit.csv", "1", "2", "data/fruit.csv"),
    ("book/published/inputs.csv", ",77\n", ",78\n", "lam/section-6/tp"),
    ("book/published/lam.csv", "section-6/wald/low", "section-6/wald/l", "lam/section-6/wald/*"),
    # It has not read these.
    ("notebooks/data/new.csv", "", "new", ""),
    ("book/published/inputs.csv", ",44\n", ",45\n", ""),
    ("book/published/jiang.csv", ",0.8", ",0.9", ""),
    # No notebook imports these; a description and the errata's text have no part in a number.
    ("notebooks/shared/new.py", "", "new", ""),
    ("book/compendium/verdicts.py", '"""', '""" ', ""),
    ("book/published/errata.csv", "Table", "table", ""),
    ("book/lam.md", "", "new", ""),
]


@pytest.mark.slow
def test_a_run_holds_until_something_changes(copied):
    assert reason(copied, "draws") == ""
    failed = "failed last time: cell 6: ZeroDivisionError: division by zero"
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
    assert reason(copied, "draws") == ""
    assert (copied / "_build" / "results" / "draws.csv").read_bytes() == before


@pytest.mark.slow
def test_what_is_gone_goes_with_its_results(copied):
    for name in ("draws", "broken"):
        (copied / "notebooks" / f"{name}.py").unlink()
    assert call(copied, "execute").returncode == 0
    assert files(copied / "_build") == set()


@pytest.mark.slow
def test_what_cannot_be_meant_is_refused_before_anything_runs(ran):
    for arguments, message in {
        ("drawn",): "there is no notebook 'drawn'; there are broken, draws",
        ("draws", "--params", "replicate=1"): "draws has no parameter 'replicate'",
        ("--params", "replicate=1"): "no notebook has the parameters replicate",
        ("--workers", "0"): "a run needs at least one worker",
    }.items():
        refused(call(ran[0], "execute", *arguments), message)


# Dask


@pytest.mark.slow
def test_processes_and_a_dask_cluster_give_the_same_bits(copied):
    results = copied / "_build" / "results" / "draws.csv"
    expected = results.read_bytes()  # from the run of two notebooks, one process each
    run(copied, "draws", "--force", "--workers", "2")
    assert results.read_bytes() == expected
    with distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=":0") as cluster:
        run(copied, "draws", "--force", "--scheduler", cluster.scheduler_address)
        assert results.read_bytes() == expected
        assert "ClientExecutor" in (copied / "_build/executed/draws.ipynb").read_text()


# Papermill alone


READER = (
    notebook(
        "Reader",
        """\
from compendium import ledger, show

given, printed, record, say = ledger.open("reader")
record("lam/section-6/f1", share)
say("reader-share", share)""",
        'show.compare(["lam/section-6/f1"], caption="F1")',
        parameters="share: float = 0.75  # what is recorded\nseed: int = 1  # root seed",
    ).replace("# # Reader", "# # Reader\n#\n# In short: {glue:text}`reader-share:.4f`.")
    + """
# %% [markdown]
# The share is {glue:text}`reader-share:.4f`, or {computed}`lam/section-6/f1`.

# %% [markdown] tags=["default-values"]
# It is the share of the paper.
"""
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A tree whose notebook has run as the reference run, and has its pair."""
    root = make_tree(tmp_path_factory.mktemp("reader"), reader=READER)
    run(root, "reader")
    reference = root / "book" / "reference"
    reference.mkdir()
    shutil.copy(root / "_build/results/reader.csv", reference)
    assert call(root, "pairs").returncode == 0
    return root


def papermill(root, *parameters):
    """Run the pair of the reader's notebook with papermill alone; return what ran and its end."""
    out = root / "out.ipynb"
    words = [sys.executable, "-m", "papermill", "reader.ipynb", out, *parameters]
    path = os.pathsep.join([str(root), str(root / "book")])
    process = subprocess.run(
        words, cwd=root / "notebooks", env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return nbformat.read(out, as_version=4), process


def texts(executed):
    """What a reader sees of the texts of a notebook."""
    for cell in executed.cells:
        if cell.cell_type == "markdown":
            yield cell.source
        elif cell.source.startswith("prose("):
            yield from (output.data["text/markdown"] for output in cell.outputs)


def test_before_a_run_the_text_has_the_numbers_of_the_reference_run(reader):
    pair = nbformat.read(reader / "notebooks" / "reader.ipynb", as_version=4)
    title, opening, *rest = texts(pair)
    assert "until you run the notebook those of the book's reference run" in title
    assert opening == "In short: 0.7500."
    assert rest == ["The share is 0.7500, or 0.750.", "It is the share of the paper."]


@pytest.mark.slow
def test_a_run_with_other_parameters_has_no_sentence_with_the_reference_runs_numbers(reader):
    """By papermill alone, without an option, and wherever in the text a number stands."""
    executed, process = papermill(reader, "-p", "share", "0.74", "-p", "seed", "2")
    assert process.returncode == 0, process.stderr
    _, opening, *rest = texts(executed)
    assert opening == "In short: 0.7400."  # which a later cell computes
    assert rest == [
        "The share is 0.7400, or 0.740.",
        "*(A text about the default values of the parameters is left out.)*",
    ]
    assert "0.75" not in "".join(texts(executed))


@pytest.mark.slow
def test_a_misspelt_parameter_is_refused_by_papermill_alone(reader):
    executed, process = papermill(reader, "-p", "shares", "0.74")
    assert process.returncode != 0
    assert "reader has no parameter 'shares'; it has share, seed" in process.stderr
    assert "0.75" not in "".join(texts(executed))


@pytest.mark.slow
def test_papermill_alone_gives_what_make_notebook_gives(reader):
    """The same numbers and the same texts; another seed is no other value of what is said."""
    run(reader, "reader", "--params", "seed=2")
    folder = reader / "_build" / "custom"
    made = nbformat.read(folder / "executed" / "reader.ipynb", as_version=4)
    results = folder / "results" / "reader.csv"
    expected = results.read_bytes()
    lines = [line.split(",")[:2] for line in expected.decode().splitlines()[1:]]
    assert lines == [["lam/section-6/f1", "0.75"], ["reader-share", "0.75"]]
    results.unlink()
    executed, _ = papermill(reader, "-p", "seed", "2")
    assert results.read_bytes() == expected
    assert [*texts(executed)] == [*texts(made)]
    assert "It is the share of the paper." in texts(made)
    table = str(made.cells)
    assert 'data-show="printed">0.740</span>' in table
    assert 'data-show="value">0.75' in table
    assert 'data-show="verdict"></span>' in table  # only the book gives verdicts


# Faults

WAITS = notebook(
    "Waits",
    'import time\n\nfrom compendium import RESULTS\n\n(RESULTS / "waits.csv").write_text("half")',
    "time.sleep(600)",
)


@pytest.mark.slow
def test_a_cell_without_end_is_a_failure_with_a_sentence(tmp_path):
    root = make_tree(tmp_path, waits=WAITS)
    said = call(root, "execute", "--time-limit", "2", *ONE).stdout
    assert "FAILED: waits" in said
    assert reason(root, "waits").startswith("failed last time: CellTimeoutError: A cell timed out")


@pytest.mark.slow
@pytest.mark.parametrize("signal", ["terminate", "kill"])
def test_a_runner_that_is_stopped_or_killed_leaves_no_process_and_no_folder(tmp_path, signal):
    root = make_tree(tmp_path, waits=WAITS)
    with tempfile.TemporaryDirectory() as short:  # as the sockets of kernels want it
        process = subprocess.Popen(
            command(root, "execute", *ONE), env={**environment(), "TMPDIR": short}
        )
        while not [*root.glob("_build/running-*/*/made/results/waits.csv")]:
            assert process.poll() is None
            time.sleep(0.05)
        family = psutil.Process(process.pid).children(recursive=True)
        assert len(family) >= 2  # papermill's process, and the kernel
        # Where pytest runs in the background, nobody hears Ctrl-C.
        getattr(process, signal)()
        process.wait()
        _, alive = psutil.wait_procs(family, timeout=60)
        assert alive == []
        assert [*Path(short).iterdir()] == []
    assert [path.name for path in (root / "_build").iterdir()] == [".lock"]
    assert process.returncode == {"terminate": 130, "kill": -9}[signal]
    assert reason(root, "waits") == "never run"


@pytest.mark.slow
def test_a_forced_run_that_fails_takes_no_result_away(copied):
    before = {f: (copied / "_build" / f).read_bytes() for f in files(copied / "_build")}
    (copied / "notebooks" / "full").touch()
    outcome = call(copied, "execute", "draws", "--force", *ONE)
    assert outcome.returncode == 3
    failed = "cell 7: OSError: No space left on device"
    assert f"FAILED: {failed}" in outcome.stdout
    after = {f: (copied / "_build" / f).read_bytes() for f in files(copied / "_build")}
    assert after.keys() - before.keys() == {"failed/draws.ipynb", "failed/draws.json"}
    assert {f: after[f] for f in before} == before
    # The complete run is valid, and a certificate does not pass over the failure.
    (task,) = tasks(Edition(copied), ["draws"])
    assert (task.reason, task.failed) == ("", failed)
    problems = list(
        deposit.differences([task], *[{"sources": {}, "parameters": {}, "made": {}}] * 2)
    )
    assert problems == [f"the notebook draws failed when it ran again: {failed}"]
    # Without a complete run its page shows how far it came; a run that ends well forgets it.
    (copied / "_build" / "results" / "draws.csv").unlink()
    assert reason(copied, "draws") == f"failed last time: {failed}"
    (copied / "notebooks" / "full").unlink()
    run(copied, "draws", *ONE)
    assert files(copied / "_build") == before.keys()


DAMAGED = ["", "[]", "7", "{", '{"error": "", "inputs": {}}', "\udcff"]


@pytest.mark.slow
def test_a_damaged_record_runs_again_and_names_no_file_outside_its_folder(copied):
    path = copied / "_build" / "records" / "draws.json"
    (copied / "victim").touch()
    whole = path.read_text()
    outside = whole.replace('"outputs": {', '"outputs": {"../victim": "",')
    assert outside != whole
    for text in (whole[:300], outside, *DAMAGED):
        path.write_text(text, errors="surrogateescape")
        assert reason(copied, "draws") == "never run"
        assert "the notebook draws must run: never run" in call(copied, "verdicts").stdout
    path.write_text(outside)
    run(copied, "draws", *ONE)
    assert (copied / "victim").exists()
    assert reason(copied, "draws") == ""


@pytest.mark.slow
def test_two_runs_exclude_each_other(copied):
    words = command(copied, "execute", "draws")
    with Edition(copied).locked():
        second = subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True)
        assert second.stdout.readline() == "Waiting for another run in _build/ to end ...\n"
        assert second.poll() is None
    said, _ = second.communicate(timeout=60)
    assert said == "1 of 1 notebooks are up to date (--force runs them anyway).\n"


ENDS_SLOWLY = notebook(
    "Ends slowly",
    """\
import time

handlers = get_ipython().kernel.shell_handlers
info = handlers["kernel_info_request"]  # the last thing that papermill asks for


async def slow(*message):
    await info(*message)
    time.sleep(1)


handlers["kernel_info_request"] = slow""",
)


@pytest.mark.slow
def test_no_line_of_a_healthy_run_looks_like_a_failure(tmp_path, capfd):
    run(make_tree(tmp_path, ends=ENDS_SLOWLY), *ONE)
    assert "ERROR" not in capfd.readouterr().err


def test_the_last_site_stays_until_the_next_one_stands(tmp_path, monkeypatch):
    edition = Edition(tmp_path)
    site = tmp_path / "_build" / "html" / "index.html"
    site.parent.mkdir(parents=True)
    site.write_text("last")
    made = tmp_path / "_build" / "stage" / "_build" / "html" / "index.html"

    def build(*_):
        assert site.read_text() == "last"
        if sound:
            made.parent.mkdir(parents=True)
            made.write_text("next")
        return ""

    monkeypatch.setattr(book, "stage", lambda *_, **__: [])
    monkeypatch.setattr(book, "_jupyter_book", build)
    sound = False
    assert book.build(edition) == ["no site was built"]
    assert site.read_text() == "last"
    sound = True
    assert book.build(edition) == []
    assert site.read_text() == "next"
