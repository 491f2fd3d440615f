"""Whether a run gives the numbers of the reference run, which is committed in ``book/reference``.

The reference run is the results files as they were, and ``run.json``: platform, versions, and for
each notebook its parameters, what it read and what it made. :func:`certify` compares the last run
with it, number by number. On the same platform (:func:`platform_facts` says what that is) every
number has to be the same to the last bit, for the seeds are fixed. On another one

- a *deterministic* number may differ by 1e-9 of its size: sums of a million terms in another order
  differ by up to 1e6 / 2^53, and no iteration here is stopped earlier than that;
- a *simulated* number may differ by four standard errors of the difference of two runs. The draws
  are the same, but one that falls on a boundary may fall to its other side;
- a *trained* number may differ by a twentieth of its band: the classifiers' counts are data, only
  what is simulated on top of them may move; without a simulation, it is a deterministic one.

A source of a number that is not that of the reference run is named, and the run does not agree:
``python -m compendium.verify --record`` makes the last run the reference, once that is meant.
"""

from __future__ import annotations

import json
import math
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from compendium import differing, ledger, pages, sources, swhid, write
from compendium.execute import REFERENCE, Edition, RefusedError, Task, command, require_done, tasks
from compendium.ledger import Record
from compendium.published import LedgerError, Published
from compendium.verdicts import STANDARD_ERRORS

SUMMATION = 1e-9
PART_OF_BAND = 1 / 20


def platform_facts(packages: Mapping[str, str]) -> dict[str, str]:
    """What the last bits of a number can depend on, beside its sources."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    facts = {"system": platform.system(), "machine": platform.machine(), "simd": " ".join(found)}
    return {**facts, **packages}


def allowed(record: Record, size: float) -> float:
    """How much a number of this size, recorded in this way, may differ on another platform."""
    reach = SUMMATION * abs(size)
    if record.replicates and record.deviation is not None:
        reach += STANDARD_ERRORS * record.deviation * math.sqrt(2 / record.replicates)
    elif record.replicates and record.low is not None and record.high is not None:
        reach += PART_OF_BAND * (record.high - record.low)
    return reach


def _agreement(known: Record | None, found: Record | None, same_platform: bool) -> str:
    """How two records of one number agree: exactly, within (the tolerance), or not."""
    if known == found:
        return "exactly"
    if known is None or found is None or same_platform:
        return "not"
    changed = [(b, n) for b, n in zip(astuple(known), astuple(found), strict=True) if b != n]
    numbers = all(isinstance(x, float) for pair in changed for x in pair)
    small = numbers and all(abs(b - n) <= allowed(known, b) for b, n in changed)
    return "within" if small else "not"


def certify(edition: Edition) -> dict[str, Any]:
    """Compare the last run with the reference run."""
    folder = edition.root / REFERENCE
    reference = json.loads((folder / "run.json").read_text("utf-8"))
    listed = tasks(edition)
    run = _facts(edition, listed)
    same = run["platform"] == reference["platform"]
    published = Published(edition.published)
    before, now = (_records(place, published) for place in (folder, edition.results))
    how = {i: _agreement(before.get(i), now.get(i), same) for i in {**before, **now}}
    problems = [f"the notebook {t.name} must run: {t.reason}" for t in listed if t.reason]
    problems += [
        f"{of}{name} is not that of the reference run"
        for what, of in {"sources": "", "parameters": "what was passed to "}.items()
        for name in differing(reference[what], run[what])
    ]
    problems += [
        f"{name} was made by {'the reference' if name in reference['made'] else 'this'} run alone"
        for name in sorted(reference["made"].keys() ^ run["made"].keys())
    ]
    problems += [
        f"{i}: {_said(before.get(i))} in the reference run, {_said(now.get(i))} in this one"
        for i in how
        if how[i] == "not"
    ]
    drawn = [name for name in reference["made"] if "/figures/" in name]
    changed = differing(reference["made"], run["made"])
    return {
        "agrees": not problems,
        "problems": problems,
        "exactly": sum(agreement == "exactly" for agreement in how.values()),
        "within tolerance": [i for i in how if how[i] == "within"],
        "not": [i for i in how if how[i] == "not"],
        "figures": len(drawn),
        "figures that differ in a byte": [name for name in drawn if name in changed],
        "same platform": same,
        "reference": {name: reference[name] for name in ("ended", "platform")},
        **run,
    }


def _said(record: Record | None) -> str:
    if record is None:
        return "nothing"
    said = {name: value for name, value in vars(record).items() if value and name != "id"}
    return ", ".join(f"{name} {value!r}" for name, value in said.items())


def _records(folder: Path, published: Published) -> dict[str, Record]:
    """Every record in a folder of results files, by its id."""
    records, _, problems = ledger.read(folder, published)
    if problems:
        raise LedgerError(problems[0])
    return records


def _facts(edition: Edition, listed: Iterable[Task]) -> dict[str, Any]:
    """What is to be said of the last run of every notebook."""
    records = {t.name: t.record for t in listed if t.record and t.record["status"] == "done"}
    if not records:
        raise RefusedError("no notebook has been run: `make notebooks` runs them")
    read = sorted({p for r in records.values() for p in r["read"]["files"]})
    last = max(records.values(), key=lambda r: str(r["ended"]))
    made = {p: swhid(edition.folder / p) for r in records.values() for p in r["outputs"]}
    return {
        "version": last["version"],
        "ended": last["ended"],
        "took": {n: r["seconds"] for n, r in records.items()},
        "platform": platform_facts(last["packages"]),
        "parameters": {n: r["parameters"] for n, r in records.items()},
        # The machinery may change without a reason to doubt a number.
        "sources": {
            p: swhid(edition.root / p)
            for p in read
            if p.startswith(("f1ci/", "notebooks/")) and not p.endswith(".ipynb")
        },
        # An executed notebook holds run times.
        "made": {p: "" if p.endswith(".ipynb") else made[p] for p in sorted(made)},
    }


def make_reference(edition: Edition) -> None:
    """Make the last run the reference run, and write its manifest, ``codecheck.yml``."""
    listed = require_done(edition)
    folder = edition.root / REFERENCE
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(edition.results, folder, ignore=shutil.ignore_patterns("figures"))
    run = _facts(edition, listed)
    write(folder / "run.json", json.dumps(run, indent=1) + "\n")
    citation = yaml.safe_load((edition.root / "CITATION.cff").read_text("utf-8"))
    made = {p: _comment(edition, Path(p)) for p in run["made"]}
    manifest = pages.render("codecheck.yml", citation=citation, made=made)
    write(edition.root / "codecheck.yml", manifest)


def _comment(edition: Edition, file: Path) -> str:
    """What a file is: the caption of a figure, or the title of its notebook."""
    name = max((n for n in edition.names() if file.stem.startswith(n)), key=len)
    cells = sources.read(edition.source(name)).cells
    title: str = cells[0].source.partition("\n")[0].lstrip("# ")
    if file.stem == name:
        return f"{title}: {'numbers' if file.suffix == '.csv' else 'tables and text'}"
    shown = [c.metadata.get("mystnb", {}).get("figure") for c in cells if file.stem in c.source]
    captions = [figure["caption"] for figure in shown if figure]
    return f"{title}: {captions[0] if captions else 'a figure'}"


def _main(edition: Edition, record: bool) -> bool:
    if record:
        make_reference(edition)
        return True
    certificate = certify(edition)
    text = pages.render("certificate.md", certificate=certificate)
    write(edition.folder / "certificate.json", json.dumps(certificate, indent=1) + "\n")
    write(edition.folder / "certificate.md", "# Certificate\n\n" + text)
    sys.stdout.write(text)
    return bool(certificate["agrees"])


if __name__ == "__main__":
    command(_main, {"--record": {"action": "store_true", "help": "make it the reference run"}})
