"""What the site offers for download, outside of the repository."""

import os
import re
import subprocess
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from compendium import ROOT, sources

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


@pytest.mark.slow
def test_an_offered_notebook_runs_on_its_own(real_book, tmp_path):
    """In an environment with a kernel and nothing else; its first code cell gets the rest.

    The repository's address stands for this tree's last commit here.
    """
    venv.create(tmp_path / "bare", with_pip=True)
    python = tmp_path / "bare" / "bin" / "python"
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    wanted = [re.search(rf"^{n}==\S+", lock, re.M)[0] for n in ("ipykernel", "nbclient")]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/f1ci/f1ci",
        "PIP_NO_COMPILE": "1",  # notebooks import few of the packages
    }
    install = [python, "-m", "pip", "install", "--quiet", *wanted]
    subprocess.run(install, env=environment, check=True)

    def error(source: Path) -> str:
        offered = nbformat.read(
            real_book / "html" / "notebooks" / f"{source.stem}.ipynb", as_version=4
        )
        cell = sources.parameters_cell(offered)
        quick = {p.name: p.quick for p in sources.declared_parameters(source)}
        cell.source = sources.parameters_cell(sources.read(source, quick)).source
        for one in offered.cells:
            if one.cell_type == "code":
                one.outputs = []
        place = tmp_path / f"{source.stem}.ipynb"
        nbformat.write(offered, place)
        ran = subprocess.run(
            [python, "-c", RUN_ALONE, place.name],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return ran.stderr[-1000:] if ran.returncode else ""

    first, *others = sorted((ROOT / "notebooks").glob("*.py"))
    failed = {first.stem: error(first)}  # it installs what the others find there
    environment["PIP_NO_DEPS"] = "1"  # the lock names all that is needed: seen with the first
    with ThreadPoolExecutor(2) as pool:
        failed |= dict(zip((s.stem for s in others), pool.map(error, others), strict=True))
    assert not any(failed.values()), failed
