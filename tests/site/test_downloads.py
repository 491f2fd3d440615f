"""What the site offers for download, outside of the repository."""

import os
import subprocess
import sysconfig
import venv

import nbformat
import pytest
from compendium import ROOT

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


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A folder, and a Python and its environment that have the lock's packages and none of ours.

    Those packages are the ones that these tests run with: pip finds the lock's versions in place.
    The repository's address stands for a clone of this tree's last commit, with the version's tag.
    """
    folder = tmp_path_factory.mktemp("alone")
    clone, tag = folder / "f1ci.git", f"v{f1ci.__version__}"
    subprocess.run(["git", "clone", "--quiet", "--bare", ROOT, clone], check=True)
    subprocess.run(["git", "tag", "--force", tag], cwd=clone, check=True)
    venv.create(folder / "bare")
    environment = os.environ | {
        "PYTHONPATH": sysconfig.get_path("purelib"),  # whose links, to this tree, are not followed
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{clone}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/f1ci/f1ci",
        "PIP_NO_INDEX": "1",
    }
    return folder, folder / "bare" / "bin" / "python", environment


# It runs from the repository in `make quick`; here it is the first cell that is tried.
@pytest.mark.slow
def test_an_offered_notebook_fetches_what_it_needs_if_that_is_asked_for(real_book, alone):
    name = "lam-bert-suggestion-mining"
    folder, python, environment = alone
    offered = nbformat.read(real_book / "html" / "notebooks" / f"{name}.ipynb", as_version=4)
    for cell in offered.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    find = next(cell for cell in offered.cells if cell.id == "find")
    find.source = find.source.replace('install = "google.colab" in sys.modules', "install = True")
    nbformat.write(offered, folder / f"{name}.ipynb")
    ran = subprocess.run(
        [python, "-c", RUN_ALONE, f"{name}.ipynb"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-1000:]
