"""Keep a run: the reference run, a certificate, and the article on paper.

**The reference run** is committed in ``book/reference``: the results files as they were, and
``run.json`` with platform, versions, parameters, sources and what was made. :func:`certify`
compares the last run with it, number by number, also those that the text quotes. On the same
platform every number must be the same to the last bit, because the seeds are fixed. On another
platform

- a *deterministic* number may differ by 1e-9 of its size: sums of a million terms in another order
  differ by up to 1e6 / 2^53, and no iteration here stops earlier than that;
- a *simulated* number may differ by four standard errors of the difference of two runs. The draws
  are the same, but a draw at a boundary may fall on its other side;
- a *trained* number may differ by a twentieth of its band. The classifiers' counts are data, and
  only a simulation from them may move. Without a simulation, the number is deterministic;
- a number that the *text* quotes may differ by a hundredth of its size if its notebook draws
  random numbers. Otherwise it is deterministic.

If a source differs from that of the reference run, its name is given, and the run does not agree.

``python -m compendium.deposit verify | reference | pdf`` is the command.
"""

from __future__ import annotations

import json
import math
import platform
import shutil
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import numpy as np
import yaml
from bs4 import BeautifulSoup

from compendium import SITE, RefusedError, differing, ledger, sources, swhid, verdicts, write
from compendium.ledger import STANDARD_ERRORS, Record
from compendium.published import LedgerError, Published
from compendium.render import render
from compendium.runs import QUICK, REFERENCE, Edition, Task, command, say, tasks

SUMMATION = 1e-9
PART_OF_BAND = 1 / 20
PART_OF_QUOTED = 1 / 100
HOW = ("exactly", "within", "not")  # two records of a number agree
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


# The reference run


def platform_facts(packages: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of the platform on which the last bits of a number can depend."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    facts = {"system": platform.system(), "machine": platform.machine(), "simd": " ".join(found)}
    return {**facts, **packages}


def allowed(record: Record, size: float, random: bool = True) -> float:
    """Return how much a number of this size may differ on another platform.

    `random` says whether the notebook that recorded it draws random numbers.
    """
    reach = SUMMATION * abs(size)
    if "/" not in record.id and random:
        return PART_OF_QUOTED * abs(size)
    if record.replicates and record.deviation is not None:
        reach += STANDARD_ERRORS * record.deviation * math.sqrt(2 / record.replicates)
    elif record.replicates and record.low is not None and record.high is not None:
        reach += PART_OF_BAND * (record.high - record.low)
    return reach


def _agreement(known: Record | None, found: Record | None, same: bool, random: bool) -> str:
    """Say how two records of one number agree: exactly, within (the tolerance), or not."""
    if repr(known) == repr(found):  # nan is the same as nan here
        return "exactly"
    if known is None or found is None or same:
        return "not"
    pairs = zip(astuple(known), astuple(found), strict=True)
    changed = [(b, n) for b, n in pairs if repr(b) != repr(n)]
    numbers = all(isinstance(x, float) for pair in changed for x in pair)
    small = numbers and all(abs(b - n) <= allowed(known, b, random) for b, n in changed)
    return "within" if small else "not"


def certify(edition: Edition, listed: Sequence[Task]) -> dict[str, Any]:
    """Compare the last run with the reference run."""
    reference = json.loads((edition.root / REFERENCE / "run.json").read_text("utf-8"))
    run = _facts(edition, listed)
    same = run["platform"] == reference["platform"]
    compared = _compared(edition, reference["parameters"], same)
    ids: dict[str, list[str]] = {how: [] for how in HOW}
    for i, (how, _) in compared.items():
        ids[how].append(i)
    problems = [*_differences(listed, reference, run), *(compared[i][1] for i in ids["not"])]
    return {
        "agrees": not problems,
        "problems": problems,
        "exactly": len(ids["exactly"]),
        "quoted": sum("/" not in i for i in compared),
        "within tolerance": ids["within"],
        "not": ids["not"],
        "same platform": same,
        "reference": {name: reference[name] for name in ("ended", "platform")},
        **run,
    }


def _compared(
    edition: Edition, parameters: Mapping[str, Any], same: bool
) -> dict[str, tuple[str, str]]:
    """Return how the two records of each number agree, and what they say."""
    published = Published(edition.published)
    before, made_by = _records(edition.root / REFERENCE, published)
    now, _ = _records(edition.results, published)
    compared = {}
    for i in {**before, **now}:
        known, found = before.get(i), now.get(i)
        random = "seed" in parameters.get(made_by.get(i, ""), ())
        said = f"{i}: {_said(known)} in the reference run, {_said(found)} in this one"
        compared[i] = _agreement(known, found, same, random), said
    return compared


def _differences(
    listed: Sequence[Task], reference: Mapping[str, Any], run: Mapping[str, Any]
) -> Iterator[str]:
    """List the notebooks that must run; and in what two runs differ except their numbers."""
    yield from (f"the notebook {t.name} must run: {t.reason}" for t in listed if t.reason)
    for what in ("sources", "parameters"):
        for name in differing(reference[what], run[what]):
            yield f"{what}: {name} is not that of the reference run"
    for name in sorted(reference["made"].keys() ^ run["made"].keys()):
        yield f"only one of the two runs made {name}"


def _said(record: Record | None) -> str:
    """Return what a record says, in words."""
    return ", ".join(str(x) for x in astuple(record)[1:] if x) if record else "nothing"


def _records(folder: Path, published: Published) -> tuple[dict[str, Record], dict[str, str]]:
    """Return every record in a folder of results files by its id, and its notebook."""
    records, notebooks, problems = ledger.read(folder, published)
    if problems:
        raise LedgerError(problems[0])
    return records, notebooks


def _facts(edition: Edition, listed: Iterable[Task]) -> dict[str, Any]:
    """Return the facts of the last run of every notebook."""
    records = {t.name: t.record for t in listed if t.record and not t.record["error"]}
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
        "platform": platform_facts(last["packages"]),
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


# The article on paper


def on_paper(page: Path, address: str) -> str:
    """Return a page of the site with its article alone; links lead to the site at an address."""
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    article, scripts = soup.select_one(".bd-article"), soup.select('script[src*="mathjax"]')
    head, body = soup.head, soup.body
    if not (article and head and body):
        raise RefusedError(f"{page} is no page of the site")
    for link in article.select("a[href]"):
        link["href"] = urljoin(address, str(link["href"]))
    for script in article.select("script"):
        script.decompose()
    body.clear()
    body.extend([article, *scripts])
    head.append(soup.new_tag("link", rel="stylesheet", href="../_static/pdf.css"))
    return str(soup)


def print_article(html: Path) -> Path:
    """Print the article of the site in `html` with Chromium; return the PDF's path."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None or not html.is_dir():
        raise RefusedError(f"printing needs a site in {html} and one of {', '.join(PROGRAMS)}")
    text = on_paper(html / "book" / "article.html", f"{SITE}book/article.html")
    page = write(html / "book" / "on-paper.html", text)
    target = html / "article.pdf"
    options = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-pdf-header-footer"
    options += " --allow-file-access-from-files --virtual-time-budget=120000"
    with tempfile.TemporaryDirectory() as profile:
        places = [f"--user-data-dir={profile}", f"--print-to-pdf={target}", page.as_uri()]
        subprocess.run([program, *options.split(), *places], check=True, capture_output=True)
    page.unlink()
    return target


# The command


def _main(edition: Edition, options: Namespace) -> bool:
    if options.what == "reference":
        make_reference(edition)
    elif options.what == "pdf":
        say(f"Printed {print_article(edition.folder / 'html').relative_to(edition.root)}")
    else:
        certificate = certify(edition, tasks(edition))
        text = render("certificate.md", certificate=certificate)
        write(edition.folder / "certificate.json", json.dumps(certificate, indent=1) + "\n")
        write(edition.folder / "certificate.md", "# Certificate\n\n" + text)
        sys.stdout.write(text)
        return bool(certificate["agrees"])
    return True


if __name__ == "__main__":
    command(_main, {"what": {"choices": ["verify", "reference", "pdf"]}, **QUICK})
