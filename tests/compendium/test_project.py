"""The frame: one set of pins, a valid citation, a Makefile that explains itself, no stray paths."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import f1ci

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()


def test_zenodo_says_what_the_citation_file_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    for name in ("title", "version", "keywords"):
        assert zenodo[name] == citation[name]
    assert zenodo["description"] == citation["abstract"].strip()
    assert zenodo["creators"] == citation["authors"]
    assert zenodo["upload_type"] == citation["type"]
    assert zenodo["license"] == citation["license"][0]
    cited = {r["identifier"] for r in zenodo["related_identifiers"] if r["relation"] == "cites"}
    known = {r.get("doi") or r["identifiers"][0]["value"] for r in citation["references"]
             if "doi" in r or "identifiers" in r}  # fmt: skip
    assert cited == known
    (code,) = (r for r in zenodo["related_identifiers"] if r["relation"] == "isSupplementTo")
    assert code["identifier"] == citation["repository-code"] == PROJECT["project"]["urls"]["Source"]
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


def test_no_module_imports_itself_in_a_circle(tmp_path):
    modules = modules_of(PACKAGES)
    assert {"f1ci.intervals", "compendium.book", "notebooks.shared.datasets"} <= set(modules)
    TopologicalSorter({m: imported_by(p, modules) for m, p in modules.items()}).prepare()
    (tmp_path / "a.py").write_text("def f():\n    from f1ci import b")
    (tmp_path / "b.py").write_text("import f1ci.a")
    circle = modules_of({"f1ci": tmp_path})
    with pytest.raises(CycleError):
        TopologicalSorter({m: imported_by(p, circle) for m, p in circle.items()}).prepare()


def test_kernels_import_no_door():
    modules = modules_of({"f1ci": ROOT / "f1ci"})
    # The registry names the type of a sample.
    below = {"methods", "metrics", "data", "results", "samples"}
    for name, path in modules.items():
        if name.startswith("f1ci.methods."):
            rooms = {module.split(".")[1] for module in imported_by(path, modules)}
            assert {room for room in rooms if not room.startswith("_")} <= below, name


@pytest.mark.slow
def test_wheel_and_source_hold_f1ci_alone(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    package = {p.relative_to(ROOT).as_posix() for p in (ROOT / "f1ci").rglob("*.py")}
    package |= {"f1ci/py.typed"}
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        (metadata,) = (n for n in names if n.endswith("METADATA"))
        text = opened.read(metadata).decode()
    assert {n for n in names if ".dist-info/" not in n} == package
    assert any(n.endswith("licenses/LICENSE") for n in names)
    for line in (
        "Name: f1-score-ci",
        "License-Expression: MIT",
        "Requires-Python: >=3.10",
        "Project-URL: Documentation, https://f1ci.github.io/f1ci/",
        "Description-Content-Type: text/markdown",
        "Classifier: Programming Language :: Python :: 3.14",
    ):
        assert line in text
    with tarfile.open(source) as opened:
        held = {n.partition("/")[2] for n in opened.getnames()}
    # hatchling adds .gitignore, the licence and its own settings.
    beside = {"PKG-INFO", "LICENSE", "pyproject.toml", ".gitignore", "f1ci/README.md"}
    assert held == package | beside


def locked_versions(lock, python):
    """Version of each package that the lock's text gives on Linux for one version of Python."""
    linux = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    marker_values = {"python_version": python, "python_full_version": f"{python}.0", **linux}
    versions = {}
    for line in re.findall(r"^[A-Za-z0-9][^#\n\\]*", lock, flags=re.MULTILINE):
        requirement = Requirement(line.strip())
        if requirement.marker is None or requirement.marker.evaluate(marker_values):
            versions[canonicalize_name(requirement.name)] = str(requirement.specifier)[2:]
    return versions


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_every_direct_dependency_is_locked_with_a_hash(python):
    asked = PROJECT["project"]["dependencies"]
    for group in ("book", "test"):
        asked = asked + PROJECT["dependency-groups"][group]
    versions = locked_versions(LOCK, python)
    for line in asked:
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"python_version": python}):
            continue
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True)
    # One `==` and at least one hash for each package.
    blocks = re.split(r"\n(?=\S)", LOCK.strip())
    assert all("==" in block and "--hash=sha256:" in block for block in blocks)


def test_the_package_itself_needs_numpy_and_scipy_only():
    names = {Requirement(line).name for line in PROJECT["project"]["dependencies"]}
    assert names == {"numpy", "scipy"}
    for path in (ROOT / "f1ci").rglob("*.py"):
        top_level = re.findall(r"^(?:from|import) (\w+)", path.read_text(), flags=re.MULTILINE)
        ours = {"f1ci", "numpy", "scipy"}
        assert set(top_level) <= ours | sys.stdlib_module_names, path.name


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")


def make(folder, *arguments):
    """Run make in a folder, and return what it said and its exit code."""
    outcome = subprocess.run(["make", *arguments], cwd=folder, capture_output=True, text=True)
    return outcome.stdout + outcome.stderr, outcome.returncode


@pytest.fixture
def bare(tmp_path):
    """A folder with what an environment is made from."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def put_program(path, text):
    """Write a program of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@needs_make
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["notebooks"], ".venv was made for elsewhere"),
        # Also where the other folder's lock is newer, so that make would install this folder there.
        (["ledger", "--assume-new=requirements.lock"], ".venv was made for elsewhere"),
        (["book", "VENV=a b"], "VENV is a path without spaces, got 'a b'"),
    ],
)
def test_an_environment_of_another_folder_is_refused(bare, arguments, message):
    (bare / ".venv").mkdir()
    (bare / ".venv" / ".ready").write_text("elsewhere\n")
    said, code = make(bare, *arguments)
    assert code == 2
    assert message in said


@needs_make
@pytest.mark.parametrize("version", ["3.8.18", "3.9.25"])
def test_an_old_python_is_named_before_anything_is_made(bare, version):
    # A program that answers as that Python would.
    info = tuple(map(int, version.split(".")))
    old = put_program(
        bare / "python3",
        f'if test "$1" = --version; then echo "Python {version}"; exit; fi\n'
        f'exec {sys.executable} -c "import sys; sys.version_info = {info}; $2"',
    )
    said, code = make(bare, "book", f"PYTHON={old}")
    assert code == 2
    assert f"Python 3.10 or newer is needed, and {old} is Python {version}" in said
    assert not (bare / ".venv").exists()


@needs_make
def test_parameters_without_a_notebook_are_refused(bare):
    (bare / ".venv").mkdir()
    (bare / ".venv" / ".ready").write_text(f"{bare}\n")
    said, code = make(bare, "notebook", "PARAMS=seed=1")
    assert code == 2
    assert "name the notebook: make notebook NAME=lam-coverage" in said


@needs_make
def test_what_a_person_names_is_no_command(bare):
    """The recipe gets it through the environment, and the shell does not read it again."""
    put_program(bare / ".venv" / "bin" / "python", 'for a; do echo "<$a>"; done')
    (bare / ".venv" / ".ready").write_text(f"{bare}\n")
    tricky = 'x"; touch made; $(shell touch made); "'
    said, code = make(
        bare, "notebook", f"NAME={tricky} x", f"SCHEDULER={tricky}", f"PARAMS={tricky}"
    )
    assert code == 0
    assert f"<--scheduler>\n<{tricky}>\n<--params={tricky}>" in said
    assert f"<{tricky} x>" in said
    assert not (bare / "made").exists()


def test_workflows_may_read_only_and_run_what_was_reviewed():
    for path in ROOT.glob(".github/workflows/*.yml"):
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {"contents": "read"}, path.name
        for name, job in workflow["jobs"].items():
            used = [step["uses"] for step in job["steps"] if "uses" in step]
            assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) for action in used)
            # The job that may publish runs no command of ours.
            assert "permissions" not in job or (name == "deploy" and "run" not in str(job["steps"]))


def test_every_fault_has_a_test_that_exists():
    rows = (ROOT / "tests" / "FAULTS.md").read_text("utf-8").splitlines()
    faults = [row for row in rows if row.startswith("| ") and not row.endswith("| | |")][1:]
    for row in faults:
        tests = re.findall(r"`(\w+/\w+\.py)::(\w+)`", row)
        assert tests, row
        for file, name in tests:
            assert f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8"), name


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
