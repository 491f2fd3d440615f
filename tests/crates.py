"""Is a site a good RO-Crate? By the files that it names, and by RO-Crate's own validator."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import requests
import requests_cache
import urllib3
from compendium import ROOT, swhid


def check(crate: dict[str, Any], html: Path) -> dict[str, dict[str, Any]]:
    """The crate names every file, as it is, and nothing else; its entities by their names."""
    graph = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(graph) == len(crate["@graph"])  # each described once
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    root = graph["./"]

    def references(value: Any) -> list[str]:
        if isinstance(value, list):
            return [x for item in value for x in references(item)]
        return [value["@id"]] if isinstance(value, dict) else []

    for entity in crate["@graph"][1:]:
        for name, value in entity.items():
            assert [x for x in references(value) if x not in graph] == [], (entity["@id"], name)
            assert not (isinstance(value, list) and len(value) == 1), (entity["@id"], name)
    files = {i for i, e in graph.items() if "File" in e["@type"]}
    assert set(references(root["hasPart"])) == files
    for name in files:
        assert graph[name]["contentSize"] == str((html / name).stat().st_size)
        assert graph[name]["identifier"] == swhid(html / name)
    return graph


class _Shelf(requests.adapters.BaseAdapter):
    """Answers every request with one file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.content = path.read_bytes()

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 200, str(request.url), request
        answer.headers["Content-Type"] = "application/ld+json"
        answer.raw = urllib3.HTTPResponse(
            io.BytesIO(self.content), status=200, preload_content=False, request_method="GET"
        )
        return answer

    def close(self) -> None: ...


def roc_validator(html: Path, memory: Path) -> tuple[int, str]:
    """Exit code and words of RO-Crate's own validator, on all that is required or recommended.

    Its memory of the web is filled first with the one address that it asks for.
    """
    with requests_cache.CachedSession(memory) as session:
        session.mount("https://", _Shelf(ROOT / "tests" / "data" / "ro-crate-1.1-context.jsonld"))
        session.get("https://w3id.org/ro/crate/1.1/context")
    program = Path(sys.executable).with_name("rocrate-validator")
    asked = "-p ro-crate-1.1 -l recommended --skip-availability-check --no-paging --offline -v"
    done = subprocess.run(
        [
            program,
            "-y",
            "--disable-color",
            "validate",
            *asked.split(),
            "--cache-path",
            memory,
            html,
        ],
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr
