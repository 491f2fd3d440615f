"""The frame: modules without circles, what the package needs, what make refuses, no stray paths."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

import f1ci

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_versions_and_titles_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    for name in ("title", "version", "keywords"):
        assert zenodo[name] == citation[name]
    assert citation["version"] == f1ci.__version__ == PROJECT["project"]["version"]


# Our packages, by their folders; a folder of notebooks' shared code is a package for them.
PACKAGES = {
    "f1ci": ROOT / "f1ci",
    "compendium": ROOT / "book" / "compendium",
    "benchmarks": ROOT / "book" / "benchmarks",
    "notebooks.shared": ROOT / "notebooks" / "shared",
    "notebooks.own": ROOT / "notebooks" / "own",
}


def modules_of(packages):
    """Return the files of packages by their dotted names."""
    return {
        ".".join([name, *path.relative_to(folder).with_suffix("").parts]): path
        for name, folder in packages.items()
        for path in folder.rglob("*.py")
    }


def imported_by(path, modules):
    """Return the modules of ours that a file imports, wherever in the file it does."""
    named = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
    return named & modules.keys() - {name for name, file in modules.items() if file == path}


def test_no_module_imports_itself_in_a_circle():
    modules = modules_of(PACKAGES)
    assert {"f1ci.kinds", "compendium.book", "notebooks.shared.datasets"} <= set(modules)
    TopologicalSorter({m: imported_by(p, modules) for m, p in modules.items()}).prepare()


def test_modules_import_from_their_own_layer_and_from_those_above():
    """The table of layers in CONTRIBUTING.md is the graph of imports."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("| layer | modules |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(\w+)/?`", line.split("|")[2]) for line in table.splitlines()[2:]]
    layer = {module: place for place, row in enumerate(rows) for module in row}
    modules = modules_of({"f1ci": ROOT / "f1ci"})
    rooms = {name.split(".")[1] for name in modules if "." in name} - {"__init__", "__main__"}
    assert rooms == set(layer)
    for name, path in modules.items():
        room = name.partition(".")[2].partition(".")[0]
        if room in layer:
            # The registry of methods names the type of a sample.
            asked = {m.split(".")[1] for m in imported_by(path, modules) if "." in m}
            below = {other for other in asked if layer[other] > layer[room]}
            assert below <= ({"samples"} if name == "f1ci.methods.__init__" else set()), name


def test_notebooks_ask_the_public_modules_of_the_package():
    """One module of theirs, `shared/kernels.py`, has what a study needs of the inner ones.

    The questions of newcomers run with f1ci alone, so their one study asks the inner ones itself.
    """
    modules = modules_of({"f1ci": ROOT / "f1ci"})
    asked = {
        path.name: {name.split(".")[1] for name in imported_by(path, modules) if "." in name}
        for folder in (".", "own", "shared")
        for path in (ROOT / "notebooks" / folder).glob("*.py")
    }
    assert {"data", "methods", "samples"} <= asked.pop("kernels.py")
    assert asked.pop("questions.py") <= {"data", "samples", "metrics", "plot"}
    assert set().union(*asked.values()) <= {"coverage", "joint", "metrics", "plot"}


def test_the_package_itself_needs_numpy_and_scipy_only():
    names = {re.match(r"\w+", line)[0] for line in PROJECT["project"]["dependencies"]}
    assert names == {"numpy", "scipy"}
    for path in (ROOT / "f1ci").rglob("*.py"):
        top_level = re.findall(r"^(?:from|import) (\w+)", path.read_text(), flags=re.MULTILINE)
        ours = {"f1ci", "numpy", "scipy"}
        assert set(top_level) <= ours | sys.stdlib_module_names, path.name


@pytest.fixture
def make(tmp_path):
    """Run make in a folder whose Python only says what it is asked for, and how it shall end."""
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    program = tmp_path / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text(
        '#!/bin/sh\nfor a; do echo "<$a>"; done\ntest $2 = compendium.book || exit $END\n'
    )
    program.chmod(0o755)
    (tmp_path / ".venv" / ".ready").write_text(f"{tmp_path}\n")

    def run(*words, end=0):
        return subprocess.run(
            ["make", *words], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "END": str(end), "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
        )  # fmt: skip

    return run


def test_what_a_person_names_is_no_command(make, tmp_path):
    """The recipe gets it through the environment, and the shell does not read it again."""
    tricky = 'x"; touch made; $(shell touch made); "'
    ran = make("notebook", f"NAME={tricky} x", f"PARAMS={tricky}")
    assert f"<--params={tricky}>" in ran.stdout
    assert f"<{tricky} x>" in ran.stdout
    ran = make("site", f"OPTIONS={tricky}")
    assert "".join(f"<{word}>\n" for word in tricky.split()) in ran.stdout
    make("dist", f"WITH={tricky}", "PYTHON=.venv/bin/python")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(("end", "builds"), [(0, True), (1, False), (2, False), (3, True)])
def test_no_book_is_built_after_a_crash_of_the_runner(make, end, builds):
    """A notebook that failed (3) has its page; Python ends with 1 after an error of its own."""
    ran = make("book", end=end)
    assert ("<compendium.book>" in ran.stdout) == builds
    assert (ran.returncode == 0) == (end == 0)


def test_an_archive_without_git_is_refused(make, tmp_path):
    ran = make("archive")
    assert ran.returncode == 2
    assert "an archive needs a clone" in ran.stdout
    assert "compendium" not in ran.stdout  # nothing was computed before
    assert not (tmp_path / "_build").exists()


def test_the_check_of_a_release_passes(tmp_path):
    """The pinned twine reads what the pinned hatchling writes."""
    for name in ("pyproject.toml", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "f1ci", tmp_path / "f1ci")
    for words in (["hatchling", "build"], ["twine", "check", "--strict", "dist/*"]):
        subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, check=True)
    (archive,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in opened.getnames()}
    ours = {
        p.relative_to(ROOT).as_posix() for p in (ROOT / "f1ci").rglob("*.*") if p.suffix != ".pyc"
    }
    # hatchling adds .gitignore, and has no option to leave it out.
    assert names == {"LICENSE", "PKG-INFO", "pyproject.toml", ".gitignore", *ours}


def test_no_machine_path_and_no_package_index_in_the_repository():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    forbidden = re.compile(
        r"(?<![\w.<>~-])/(?:tmp|work|root|opt|home)/\w|https?://[a-z.]*(?:pypi|pythonhosted|npmjs)[a-z]*\."
    )
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path == Path(__file__) or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # an image
        assert not (found := forbidden.search(text)), f"{name}: {found[0]}"
