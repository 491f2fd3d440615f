"""Keep a run: the reference run, and a certificate.

**The reference run** is committed in ``book/reference``: the results files as they were, and
``run.json`` with platform, versions, parameters, sources and what was made. :func:`certify`
compares the last run with it, number by number, also those that the text quotes. On every platform
a number may differ by `TOLERANCE` of its size: the seeds are fixed, so that the draws are the same,
but a processor may add in another order, and an iteration may stop elsewhere. How many numbers
agree to the last bit is counted and not demanded.

If a source differs from that of the reference run, its name is given, and the run does not agree.

``python -m compendium.deposit verify | reference`` is the command.
"""

from __future__ import annotations

import json
import math
import platform
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from compendium import RefusedError, differing, ledger, sources, swhid, verdicts, write
from compendium.ledger import Record
from compendium.published import LedgerError, Published
from compendium.render import render
from compendium.runs import QUICK, REFERENCE, Edition, Task, command, tasks

TOLERANCE = 1e-5  # of a number's size
HOW = ("exactly", "within", "not")  # two records of a number agree
NEAR_ZERO = 1e-9  # what is smaller than this is rounding


# The reference run


def platform_facts(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts of the platform on which the last bits of a number can depend."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    facts = {"system": platform.system(), "machine": platform.machine(), "simd": " ".join(found)}
    return {**facts, "blas kernel, threads": record["blas"], **record["packages"]}


def agreement(known: Record | None, found: Record | None) -> str:
    """Say how two records of one number agree: exactly, within (the tolerance), or not."""
    if repr(known) == repr(found):  # nan is the same as nan here
        return "exactly"
    if known is None or found is None:
        return "not"
    pairs = zip(astuple(known), astuple(found), strict=True)
    return "within" if all(before == now or _close(before, now) for before, now in pairs) else "not"


def _close(before: object, now: object) -> bool:
    """Tell whether two numbers of a run differ by no more than rounding explains."""
    if not (isinstance(before, float) and isinstance(now, float)):
        return False
    return math.isclose(before, now, rel_tol=TOLERANCE, abs_tol=NEAR_ZERO)


def certify(edition: Edition, listed: Sequence[Task]) -> dict[str, Any]:
    """Compare the last run with the reference run."""
    reference = json.loads((edition.root / REFERENCE / "run.json").read_text("utf-8"))
    run, compared = _facts(edition, listed), _compared(edition)
    ids = {how: [i for i in compared if compared[i][0] == how] for how in HOW}
    problems = [*differences(listed, reference, run), *(compared[i][1] for i in ids["not"])]
    return {
        "agrees": not problems,
        "problems": problems,
        "exactly": len(ids["exactly"]),
        "tolerance": TOLERANCE,
        "within tolerance": ids["within"],
        "not": ids["not"],
        "reference": {name: reference[name] for name in ("ended", "platform")},
        **run,
    }


def _compared(edition: Edition) -> dict[str, tuple[str, str]]:
    """Return how the two records of each number agree, and what they say."""
    published = Published(edition.published)
    before = _records(edition.root / REFERENCE, published)
    now = _records(edition.results, published)
    compared = {}
    for i in {**before, **now}:
        known, found = before.get(i), now.get(i)
        compared[i] = agreement(known, found), f"{i}: {_said(known)} before, {_said(found)} now"
    return compared


def differences(
    listed: Sequence[Task], reference: Mapping[str, Any], run: Mapping[str, Any]
) -> Iterator[str]:
    """List the notebooks that must run or have failed, and other differences than of numbers."""
    yield from (f"the notebook {t.name} must run: {t.reason}" for t in listed if t.reason)
    failed = (t for t in listed if t.failed and not t.reason)
    yield from (f"the notebook {t.name} failed when it ran again: {t.failed}" for t in failed)
    for what in ("sources", "parameters"):
        for name in differing(reference[what], run[what]):
            yield f"{what}: {name} is not that of the reference run"
    for name in sorted(reference["made"].keys() ^ run["made"].keys()):
        yield f"only one of the two runs made {name}"


def _said(record: Record | None) -> str:
    """Return what a record says, in words."""
    return ", ".join(str(x) for x in astuple(record)[1:] if x) if record else "nothing"


def _records(folder: Path, published: Published) -> dict[str, Record]:
    """Return every record in a folder of results files by its id."""
    records, _, problems = ledger.read(folder, published)
    if problems:
        raise LedgerError(problems[0])
    return records


def _facts(edition: Edition, listed: Iterable[Task]) -> dict[str, Any]:
    """Return the facts of the last run of every notebook."""
    records = {t.name: t.record for t in listed if t.record}
    if not records:
        raise RefusedError("no notebook has been run: `make notebooks` runs them")
    last = max(records.values(), key=lambda r: str(r["ended"]))
    # An executed notebook holds run times.
    made = {
        path: "" if path.endswith(".ipynb") else swhid(edition.folder / path)
        for record in records.values()
        for path in record["outputs"]
    }
    return {
        "version": last["version"],
        "ended": last["ended"],
        "took": {n: r["seconds"] for n, r in records.items()},
        "platform": platform_facts(last),
        "parameters": {n: r["parameters"] for n, r in records.items()},
        "sources": _sources(edition.root),
        "made": {path: made[path] for path in sorted(made)},
    }


def _sources(root: Path) -> dict[str, str]:
    """Return a hash of every source of a number. The machinery may change without a new run."""
    patterns = ("f1ci/**/*.py", "notebooks/**/*.py", "notebooks/data/*.*")
    files = sorted({path for pattern in patterns for path in root.glob(pattern)})
    return {path.relative_to(root).as_posix(): swhid(path) for path in files}


def make_reference(edition: Edition) -> None:
    """Make the last run the reference run, and write its manifest, ``codecheck.yml``."""
    listed = tasks(edition)
    if late := next((task for task in listed if task.reason), None):
        raise RefusedError(f"the notebook {late.name} must run first: {late.reason}")
    folder = edition.root / REFERENCE
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(edition.results, folder, ignore=shutil.ignore_patterns("figures"))
    run = _facts(edition, listed)
    write(folder / "run.json", json.dumps(run, indent=1) + "\n")
    verdicts.keep(edition.root, Published(edition.published))
    citation = yaml.safe_load((edition.root / "CITATION.cff").read_text("utf-8"))
    notebooks = {path: t.name for t in listed if t.record for path in t.record["outputs"]}
    made = {path: _comment(edition.source(notebooks[path]), path) for path in run["made"]}
    write(edition.root / "codecheck.yml", render("codecheck.yml", citation=citation, made=made))


def _comment(source: Path, file: str) -> str:
    """Describe a file by the title of its notebook."""
    title: str = sources.read(source).cells[0].source.partition("\n")[0]
    kinds = {".csv": "numbers", ".ipynb": "tables and text"}
    return f"{title.lstrip('# ')}: {kinds.get(Path(file).suffix, 'a figure')}"


# The command


def _main(edition: Edition, options: Namespace) -> bool:
    if options.what == "reference":
        make_reference(edition)
    else:
        certificate = certify(edition, tasks(edition))
        text = render("certificate.md", certificate=certificate)
        write(edition.folder / "certificate.json", json.dumps(certificate, indent=1) + "\n")
        write(edition.folder / "certificate.md", "# Certificate\n\n" + text)
        sys.stdout.write(text)
        return bool(certificate["agrees"])
    return True


if __name__ == "__main__":
    command(_main, {"what": {"choices": ["verify", "reference"]}, **QUICK})
