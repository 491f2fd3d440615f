"""What the site offers for download, outside of the repository."""

import os
import re
import subprocess
import venv
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from compendium import ROOT, sources

import f1ci

# Kernels of several processes that start at once may choose one another's ports; sockets that are
# files have names of their own.
RUN_ALONE = """\
import sys, nbformat, nbclient
from traitlets.config import Config
notebook = nbformat.read(sys.argv[1], as_version=4)
files = Config({"KernelManager": {"transport": "ipc", "ip": sys.argv[1] + ".socket"}})
nbclient.NotebookClient(notebook, timeout=1800, config=files).execute()
assert any("outputs" in cell and cell.outputs for cell in notebook.cells)
"""
# One that simulates, one with recorded data, one with labels: they take a minute together. All of
# them run from the repository in `make quick`; here it is the first cell that is tried.
TRIED = ("lam-bert-suggestion-mining", "speed", "five-minutes")


@pytest.mark.slow
def test_an_offered_notebook_runs_on_its_own(real_book, tmp_path):
    """In an environment with a kernel and nothing else; its first code cell gets the rest.

    The repository's address stands for a clone of this tree's last commit, with the version's tag.
    """
    clone, tag = tmp_path / "f1ci.git", f"v{f1ci.__version__}"
    subprocess.run(["git", "clone", "--quiet", "--bare", ROOT, clone], check=True)
    subprocess.run(["git", "tag", "--force", tag], cwd=clone, check=True)
    venv.create(tmp_path / "bare", with_pip=True)
    python = tmp_path / "bare" / "bin" / "python"
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    wanted = [re.search(rf"^{n}==\S+", lock, re.M)[0] for n in ("ipykernel", "nbclient")]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{clone}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/f1ci/f1ci",
        "PIP_NO_COMPILE": "1",  # notebooks import few of the packages
    }
    install = [python, "-m", "pip", "install", "--quiet", *wanted]
    subprocess.run(install, env=environment, check=True)
    quick = sources.quick_values(ROOT)

    def error(name: str) -> str:
        offered = nbformat.read(real_book / "html" / "notebooks" / f"{name}.ipynb", as_version=4)
        for cell in offered.cells:
            if cell.cell_type == "code":
                cell.outputs = []
            if "parameters" in cell.metadata.get("tags", []):
                cell.source += "".join(f"\n{k} = {v!r}" for k, v in quick.get(name, {}).items())
        nbformat.write(offered, tmp_path / f"{name}.ipynb")
        ran = subprocess.run(
            [python, "-c", RUN_ALONE, f"{name}.ipynb"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return ran.stderr[-1000:] if ran.returncode else ""

    first, *others = TRIED
    failed = {first: error(first)}  # it installs what the others find there
    environment["PIP_NO_DEPS"] = "1"  # the lock names all that is needed: seen with the first
    with ThreadPoolExecutor(2) as pool:
        failed |= dict(zip(others, pool.map(error, others), strict=True))
    assert not any(failed.values()), failed
