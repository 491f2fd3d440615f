"""Is a site a good RO-Crate? By the files that it names, and by RO-Crate's own validator."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import requests
import requests_cache
import urllib3
from compendium import ROOT, swhid


def check(html: Path) -> dict[str, dict[str, Any]]:
    """Return a crate's entities by their names; it names every file as it is, and nothing else."""
    crate = json.loads((html / "ro-crate-metadata.json").read_text("utf-8"))
    graph = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(graph) == len(crate["@graph"])  # each described once
    files = {i for i, e in graph.items() if e["@type"] == "File"}
    assert {part["@id"] for part in graph["./"]["hasPart"]} == files
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
    """Return what RO-Crate's own validator says of all that is required or recommended.

    Its memory of the web is filled first with the one address that it asks for.
    """
    with requests_cache.CachedSession(memory) as session:
        session.mount("https://", _Shelf(ROOT / "tests" / "site" / "ro-crate-1.1-context.jsonld"))
        session.get("https://w3id.org/ro/crate/1.1/context")
    program = Path(sys.executable).with_name("rocrate-validator")
    asked = "-y --disable-color validate -p ro-crate-1.1 -l recommended --skip-availability-check"
    more = ["--no-paging", "--offline", "-v", "--cache-path", str(memory), str(html)]
    done = subprocess.run([program, *asked.split(), *more], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
