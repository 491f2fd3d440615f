"""The frame: modules without circles, what the package needs, what make refuses, no stray paths."""

import ast
import json
import re
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
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


def test_no_module_imports_itself_in_a_circle(tmp_path):
    modules = modules_of(PACKAGES)
    assert {"f1ci.kinds", "compendium.book", "notebooks.shared.datasets"} <= set(modules)
    TopologicalSorter({m: imported_by(p, modules) for m, p in modules.items()}).prepare()
    (tmp_path / "a.py").write_text("def f():\n    from f1ci import b")
    (tmp_path / "b.py").write_text("import f1ci.a")
    circle = modules_of({"f1ci": tmp_path})
    with pytest.raises(CycleError):
        TopologicalSorter({m: imported_by(p, circle) for m, p in circle.items()}).prepare()


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


def test_the_package_itself_needs_numpy_and_scipy_only():
    names = {re.match(r"\w+", line)[0] for line in PROJECT["project"]["dependencies"]}
    assert names == {"numpy", "scipy"}
    for path in (ROOT / "f1ci").rglob("*.py"):
        top_level = re.findall(r"^(?:from|import) (\w+)", path.read_text(), flags=re.MULTILINE)
        ours = {"f1ci", "numpy", "scipy"}
        assert set(top_level) <= ours | sys.stdlib_module_names, path.name


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
def test_what_a_person_names_is_no_command(tmp_path):
    """The recipe gets it through the environment, and the shell does not read it again."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    program = tmp_path / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor a; do echo "<$a>"; done\n')
    program.chmod(0o755)
    (tmp_path / ".venv" / ".ready").write_text(f"{tmp_path}\n")
    tricky = 'x"; touch made; $(shell touch made); "'
    words = ["make", "notebook", f"NAME={tricky} x", f"PARAMS={tricky}"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"<--params={tricky}>" in ran.stdout
    assert f"<{tricky} x>" in ran.stdout
    assert not (tmp_path / "made").exists()


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
