"""What is deposited: RO-Crate metadata of the built site, and one archive of everything.

:func:`crate` describes the site as an RO-Crate 1.1: pages, notebooks, figures, results, data, the
runs that made them with their parameters, every row of the ledger, authors and licences.
``python -m compendium.deposit`` writes the archive, whose bytes follow from the files' names and
contents alone.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import subprocess
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from compendium import swhid
from compendium.execute import Edition, RefusedError, command, require_done, say

_SPDX = "https://spdx.org/licenses/"
_TYPES = {".ipynb": "application/x-ipynb+json", ".py": "text/x-python", ".data": "text/csv"}
# What a deposit holds beside the repository.
_BUILT = {"html": "site", "executed": "executed", "results": "results", "ledger": "ledger"}


def crate(edition: Edition, html: Path) -> dict[str, Any]:
    """The RO-Crate metadata of a site, as JSON-LD."""
    citation = yaml.safe_load((edition.root / "CITATION.cff").read_text("utf-8"))
    authors = [
        {"@id": f"#author-{k}", "@type": "Organization", "name": a["name"],
         "url": citation["repository-code"]}
        for k, a in enumerate(citation["authors"], 1)
    ]  # fmt: skip
    licences = [
        {"@id": _SPDX + name, "@type": "CreativeWork", "name": name, "identifier": name}
        for name in citation["license"]
    ]
    papers = [
        {"@id": f"#paper-{k}", "@type": "ScholarlyArticle", "name": p["title"],
         "author": ", ".join(f"{a['given-names']} {a['family-names']}" for a in p["authors"]),
         "datePublished": str(p["year"])}
        for k, p in enumerate(citation["references"], 1)
    ]  # fmt: skip
    places = ("book/*.html", "notebooks/**/*", "results/**/*", "ledger/*", "certificate.json")
    found = {p for place in places for p in html.glob(place) if p.is_file()}
    files = [_file(p, html) for p in sorted(found)]
    records = [r for r in map(edition.record, edition.names()) if r and r["status"] == "done"]
    runs = [entity for record in records for entity in _run(record, html)]
    rows = json.loads((html / "ledger" / "ledger.json").read_text("utf-8"))["rows"]
    values = [
        {"@id": f"book/ledger.html#{r['id']}", "@type": "PropertyValue", "name": r["id"],
         "value": "not computed" if r["value"] is None else r["value"],
         "description": f"{r['description']}; printed {r['printed']}, verdict {r['verdict']}"}
        for r in rows
    ]  # fmt: skip
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": citation["title"],
        "description": citation["abstract"].strip(),
        "version": citation["version"],
        "datePublished": str(citation["date-released"]),
        "url": citation["repository-code"],
        "keywords": citation["keywords"],
        "author": _ids(authors),
        "publisher": _ids(authors),
        "license": _ids(licences),
        "citation": _ids(papers),
        "hasPart": _ids(files),
        "mentions": _ids(e for e in runs if e["@type"] == "CreateAction"),
        "variableMeasured": _ids(values),
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    graph = [descriptor, root, *authors, *licences, *papers, *files, *runs, *values]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}


def _ids(entities: Iterable[Mapping[str, Any]]) -> list[dict[str, str]] | dict[str, str]:
    """References to entities; to a single one without a list, as RO-Crate recommends."""
    found = [{"@id": str(entity["@id"])} for entity in entities]
    return found[0] if len(found) == 1 else found


def _file(path: Path, html: Path) -> dict[str, Any]:
    """One file of the site."""
    place = path.relative_to(html).as_posix()
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    code = path.suffix == ".py"
    licence = "MIT" if code else "CC-BY-4.0"
    return {
        "@id": place,
        "@type": ["File", "SoftwareSourceCode"] if code else "File",
        "name": place,
        "encodingFormat": kind,
        "contentSize": str(path.stat().st_size),
        "identifier": swhid(path),
        # Data keep the licences of their sources, which the page beside them states.
        **({} if "/data/" in place else {"license": {"@id": _SPDX + licence}}),
    }


def _run(record: Mapping[str, Any], html: Path) -> Iterator[dict[str, Any]]:
    """The run of a notebook: with which script and parameters, from which data, what it made."""
    name = record["name"]
    parameters = [
        {"@id": f"#{name}/{p}", "@type": "PropertyValue", "name": p, "value": v}
        for p, v in record["parameters"].items()
    ]
    made = [f"notebooks/{name}.ipynb", *(p for p in record["outputs"] if p.startswith("results/"))]
    used = [{"@id": f"notebooks/{p}"} for p in record["data"]]
    yield {
        "@id": f"#run-{name}",
        "@type": "CreateAction",
        "name": f"Run of {name} with f1ci {record['version']}",
        "endTime": record["ended"],
        "instrument": {"@id": f"notebooks/{name}.py"},
        "object": _ids(parameters + [e for e in used if (html / e["@id"]).exists()]),
        "result": _ids({"@id": p} for p in made if (html / p).exists()),
    }
    yield from parameters


def archive(edition: Edition) -> Path:
    """Write the archive of the repository and of what was built from it."""
    root, built = edition.root, edition.folder
    require_done(edition)
    if not (built / "html" / "index.html").exists():
        raise RefusedError("there is no site to archive: `make book` builds it")
    name = f"f1ci-{version('f1ci')}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=False)
    if listed.returncode:
        raise RefusedError(f"{root} is not a clone: {listed.stderr.decode().strip()}")
    tracked = filter(None, listed.stdout.decode().split("\0"))
    places = {place: root / place for place in tracked if (root / place).is_file()}
    for folder, place in _BUILT.items():
        for path in filter(Path.is_file, (built / folder).rglob("*")):
            places[f"{place}/{path.relative_to(built / folder).as_posix()}"] = path
    contents = {place: path.read_bytes() for place, path in sorted(places.items())}
    sums = [f"{hashlib.sha256(what).hexdigest()}  {place}\n" for place, what in contents.items()]
    contents["checksums.sha256"] = "".join(sums).encode()
    target = built / f"{name}.zip"
    draft = target.with_suffix(".draft")
    with zipfile.ZipFile(draft, "w") as deposit:
        for place, content in contents.items():
            # Without the time and the rights that the file has here.
            entry = zipfile.ZipInfo(f"{name}/{place}")  # of 1 January 1980
            entry.external_attr = 0o644 << 16
            deposit.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return draft.replace(target)


def _main(edition: Edition) -> bool:
    path = archive(edition)
    say(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(edition.root)}")
    return True


if __name__ == "__main__":
    command(_main, {})
