"""The identifier of a version is Git's own hash of its tree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from compendium import ROOT
from compendium.identity import identifier


def git(folder: Path, *words: str) -> str:
    """Return what Git says in a folder."""
    call = ["git", "-C", str(folder), *words]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


def test_the_identifier_of_a_folder_is_gits_hash_of_a_tree(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "run").write_text("#!/bin/sh\n")
    (tmp_path / "a" / "run").chmod(0o755)
    # A folder sorts behind "a-b" and "a.txt", because its name counts as "a/".
    for name, text in {"a-b": "", "a.txt": "1\n", "ü": "2\n"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link").symlink_to("a.txt")
    (tmp_path / "empty").mkdir()
    before = identifier(tmp_path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    assert before == f"swh:1:dir:{git(tmp_path, 'write-tree')}"
    (tmp_path / "a.txt").write_text("3\n")
    (tmp_path / ".git").rename(tmp_path.parent / "git")
    assert identifier(tmp_path) != before


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository's history")
def test_the_identifier_of_this_version_is_gits_hash_of_its_tree(tmp_path: Path) -> None:
    packed = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", tmp_path], input=packed.stdout, check=True)
    call = [sys.executable, "-m", "compendium.identity", str(tmp_path)]
    said = subprocess.run(call, cwd=ROOT / "book", capture_output=True, text=True, check=True)
    assert said.stdout == f"swh:1:dir:{git(ROOT, 'rev-parse', 'HEAD^{tree}')}\n"
