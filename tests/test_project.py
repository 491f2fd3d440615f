"""The frame: one set of pins, a valid citation, a Makefile that explains itself, no stray paths."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from compendium import pins
from packaging.specifiers import SpecifierSet

import f1ci

ROOT = Path(__file__).resolve().parents[1]
PROJECT = pins.tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()

# The part of the Citation File Format 1.2.0 that CITATION.cff uses.
PERSON = {
    "type": "object",
    "required": ["family-names", "given-names"],
    "additionalProperties": False,
    "properties": {"family-names": {"type": "string"}, "given-names": {"type": "string"}},
}
ENTITY = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {"name": {"type": "string"}},
}
AUTHORS = {"type": "array", "minItems": 1, "items": {"anyOf": [PERSON, ENTITY]}}
REFERENCE = {
    "type": "object",
    "required": ["type", "title", "authors", "year"],
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["article", "conference-paper", "unpublished"]},
        "title": {"type": "string"},
        "authors": AUTHORS,
        "year": {"type": "integer", "minimum": 1900},
        "journal": {"type": "string"},
        "collection-title": {"type": "string"},
        "volume": {"type": "integer"},
        "doi": {"type": "string", "pattern": r"^10\.\d{4,9}/\S+$"},
        "identifiers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type", "value"],
                "additionalProperties": False,
                "properties": {"type": {"const": "other"}, "value": {"type": "string"}},
            },
        },
    },
}
CITATION = {
    "type": "object",
    "required": ["cff-version", "message", "title", "authors", "version", "date-released"],
    "additionalProperties": False,
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": {"type": "string"},
        "title": {"type": "string"},
        "abstract": {"type": "string"},
        "type": {"const": "software"},
        "authors": AUTHORS,
        "version": {"type": "string"},
        "date-released": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
        "license": {"type": "array", "items": {"enum": ["MIT", "CC-BY-4.0"]}},
        "repository-code": {"type": "string", "pattern": "^https://"},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "references": {"type": "array", "items": REFERENCE, "minItems": 5},
    },
}


def test_citation_file_is_valid_and_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    jsonschema.validate(citation, CITATION)
    assert citation["version"] == f1ci.__version__ == PROJECT["project"]["version"]


def test_a_broken_citation_file_is_found():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    del citation["authors"][0]["name"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(citation, CITATION)


def test_environment_has_the_versions_of_the_lock():
    versions = pins.locked_versions(LOCK)
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, _, pip = environment["dependencies"]
    assert python == f"python={pins.PYTHON}"
    assert pip["pip"][-1] == "--editable ."
    pinned = dict(line.split("==") for line in pip["pip"][:-1])
    assert pinned == {name: versions[name] for name in pins.direct_dependencies(PROJECT)}
    assert {"numpy", "scipy", "jupyter-book"} <= set(pinned)


def test_the_lock_differs_by_python_where_it_must():
    # NumPy dropped 3.10 before this project did: so markers are read, not skipped.
    assert pins.locked_versions(LOCK, "3.10")["numpy"] < pins.locked_versions(LOCK, "3.12")["numpy"]


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13"])
def test_every_direct_dependency_is_locked_with_a_hash(python):
    asked = PROJECT["project"]["dependencies"]
    for group in ("book", "test"):
        asked = asked + PROJECT["dependency-groups"][group]
    versions = pins.locked_versions(LOCK, python)
    for line in asked:
        requirement = pins.Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"python_version": python}):
            continue
        version = versions[pins.canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True)
    # One `==` and at least one hash for each package.
    blocks = re.split(r"\n(?=\S)", LOCK.strip())
    assert all("==" in block and "--hash=sha256:" in block for block in blocks)


def test_the_package_itself_needs_numpy_and_scipy_only():
    names = {pins.Requirement(line).name for line in PROJECT["project"]["dependencies"]}
    assert names == {"numpy", "scipy"}
    for path in (ROOT / "f1ci").glob("*.py"):
        top_level = re.findall(r"^(?:from|import) (\w+)", path.read_text(), flags=re.MULTILINE)
        ours = {"f1ci", "numpy", "scipy"}
        assert set(top_level) <= ours | sys.stdlib_module_names, path.name


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
def test_bare_make_prints_every_target():
    printed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert phony
    for target in phony[1].split():
        assert re.search(rf"^{target} +\S", printed, flags=re.MULTILINE), target


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["notebooks"], ".venv was made for elsewhere"),
        (["book", "VENV=a b"], "VENV is a path without spaces, got 'a b'"),
    ],
)
def test_an_environment_of_another_folder_is_refused(tmp_path, arguments, message):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".ready").write_text("elsewhere\n")
    outcome = subprocess.run(
        ["make", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 2
    assert message in outcome.stdout + outcome.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
@pytest.mark.parametrize("version", ["3.8.18", "3.9.25"])
def test_an_old_python_is_named_before_anything_is_made(tmp_path, version):
    # A program that answers as that Python would.
    old = tmp_path / "python3"
    info = tuple(map(int, version.split(".")))
    old.write_text(
        f'#!/bin/sh\nif test "$1" = --version; then echo "Python {version}"; exit; fi\n'
        f'exec {sys.executable} -c "import sys; sys.version_info = {info}; $2"\n'
    )
    old.chmod(0o755)
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    outcome = subprocess.run(
        ["make", "book", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 2
    assert f"Python 3.10 or newer is needed, and {old} is Python {version}" in outcome.stdout
    assert not (tmp_path / ".venv").exists()


def test_an_old_pip_would_refuse_the_package():
    """What pip compares with the Python that runs it."""
    allowed = SpecifierSet(PROJECT["project"]["requires-python"])
    assert not allowed.contains("3.8.18")
    assert not allowed.contains("3.9.25")
    assert allowed.contains("3.10.0")


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
def test_parameters_without_a_notebook_are_refused(tmp_path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".ready").write_text(f"{tmp_path}\n")
    outcome = subprocess.run(
        ["make", "notebook", "PARAMS=seed=1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 2
    assert "name the notebook: make notebook NAME=lam-coverage" in outcome.stdout


def test_the_readme_says_the_two_commands_first():
    first_screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:40])
    assert "make book" in first_screen
    assert "make test" in first_screen


def test_workflows_cover_the_supported_pythons():
    workflows = {
        p.stem: yaml.safe_load(p.read_text()) for p in ROOT.glob(".github/workflows/*.yml")
    }
    assert set(workflows) == {"test", "rebuild", "publish"}
    tested = workflows["test"]["jobs"]["test"]["strategy"]["matrix"]["python"]
    declared = [
        line.rsplit(" ", 1)[1]
        for line in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    ]
    assert tested == declared


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


def test_every_fault_of_the_table_has_its_test():
    table = (ROOT / "tests" / "FAULTS.md").read_text("utf-8")
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", table)
    assert len(named) > 40
    for file, test in named:
        assert re.search(rf"^def {test}\(", (ROOT / "tests" / file).read_text("utf-8"), re.M), test
    for row in table.splitlines():
        if row.startswith("|") and not row.startswith(("| **", "|---", "| fault")):
            assert "::test_" in row, row
