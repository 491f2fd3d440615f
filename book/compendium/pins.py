"""One set of pins: ``environment.yml`` (conda, Binder) from ``requirements.lock``.

The lock holds every package for every Python that f1ci supports, with hashes.
The environment lists the direct dependencies of the package and of the book
with the lock's versions for the Python it names, and installs the rest through
them.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from compendium import ROOT, write

PYTHON = "3.11"


def locked_versions(lock: str, python: str = PYTHON) -> dict[str, str]:
    """Version of each package that the lock's text gives on Linux for one version of Python."""
    marker_values = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
    }
    versions: dict[str, str] = {}
    for line in re.findall(r"^[A-Za-z0-9][^#\n\\]*", lock, flags=re.MULTILINE):
        requirement = Requirement(line.strip())
        if requirement.marker is None or requirement.marker.evaluate(marker_values):
            versions[canonicalize_name(requirement.name)] = str(requirement.specifier)[2:]
    return versions


def direct_dependencies(project: dict[str, Any]) -> list[str]:
    """Names that the package and the book ask for themselves."""
    asked = project["project"]["dependencies"] + project["dependency-groups"]["book"]
    return sorted({canonicalize_name(Requirement(line).name) for line in asked})


def environment(project: dict[str, Any], versions: dict[str, str]) -> str:
    """The text of ``environment.yml``."""
    pins = [f"      - {name}=={versions[name]}" for name in direct_dependencies(project)]
    head = f"""\
# Made from requirements.lock by `make lock`: the same versions, for conda and Binder.
name: f1ci
channels:
  - conda-forge
dependencies:
  - python={PYTHON}
  - pip
  - pip:
"""
    return head + "\n".join(pins) + "\n      - --editable .\n"


if __name__ == "__main__":
    text = environment(
        tomllib.loads((ROOT / "pyproject.toml").read_text()),
        locked_versions((ROOT / "requirements.lock").read_text()),
    )
    write(ROOT / "environment.yml", text)
