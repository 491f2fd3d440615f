"""The pages' text: its code runs and prints what is shown, no line is lost, its names exist."""

import contextlib
import io
import pkgutil
import re
import shlex
import shutil
import subprocess
import warnings

import other_tools
import pytest
from compendium import ROOT, sources
from compendium.published import Published
from compendium.verdicts import Ledger

import f1ci
from f1ci import cli

PAGES = sorted((ROOT / "book").glob("*.md"))

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)\s*$", re.M | re.S)


def texts():
    """Each page, the text of each notebook, and each entry of the errata."""
    for path in PAGES:
        yield path.name, path.read_text("utf-8")
    for path in sorted((ROOT / "notebooks").glob("*.py")):
        cells = sources.read(path).cells
        yield path.name, "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    for entry in Published().errata.values():
        yield entry.id, "\n".join(map(str, vars(entry).values()))


def test_no_line_of_text_begins_as_a_comment():
    """MyST takes a line that begins with % for a comment, and the line is missing on the page."""
    for name, text in texts():
        assert re.findall(r"^ *%.*", FENCE.sub("", text), flags=re.M) == [], name


def printed_and_shown(text):
    """What each Python block of a page prints, and the block of text right below it, if any."""
    fences = list(FENCE.finditer(text))
    namespace: dict = {}
    found = []
    for fence, below in zip(fences, [*fences[1:], None], strict=False):
        if fence["info"].strip() != "python":
            continue
        out = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stdout(out):
            warnings.simplefilter("error")
            exec(compile(fence["body"], "page", "exec"), namespace)
        adjacent = below and not text[fence.end() : below.start()].strip()
        shown = below["body"] if below and adjacent and below["info"].strip() == "text" else None
        found.append((out.getvalue(), shown))
    return found


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.stem)
def test_the_code_of_a_page_runs_and_prints_what_is_shown(path, monkeypatch):
    other_tools.stand_in_where_missing(monkeypatch)
    found = printed_and_shown(path.read_text("utf-8"))
    if not found:
        pytest.skip("no Python on this page")
    for out, shown in found:
        assert shown is None or shown == out
        # Every recipe shows what it prints.
        assert path.stem != "recipes" or (shown or "") == out
    assert path.stem != "recipes" or len(found) > 10


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_the_recipe_in_r_gives_our_numbers():
    """R's prop.test and binom.test have Wilson's and Clopper and Pearson's intervals."""
    text = (ROOT / "book" / "recipes.md").read_text("utf-8")
    fences = list(FENCE.finditer(text))
    (place,) = (k for k, fence in enumerate(fences) if fence["info"].strip() == "r")
    recipe = fences[place]["body"]
    more = "for (tp in c(0, 1, 19, 20)) cat(sprintf('%.12f', t(f1_interval(tp, 15, 5))), '\\n')"
    ran = subprocess.run(
        ["Rscript", "-e", recipe + more], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith(fences[place + 1]["body"])
    numbers = [[float(x) for x in line.split()] for line in ran.stdout.splitlines()[-4:]]
    for tp, row in zip((0, 1, 19, 20), numbers, strict=True):
        ours = [
            end
            for method in ("wilson_indirect", "clopper_pearson")
            for end in f1ci.f1_interval(tp, 15, 5, method=method)
        ]
        # R prints twelve decimals.
        assert row == pytest.approx(ours, rel=0, abs=1e-11)


def test_the_page_of_the_command_line_shows_what_it_prints(monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "book" / "_static")
    text = (ROOT / "book" / "cli.md").read_text("utf-8")
    shown = re.findall(r"```console\n\$ f1ci (.*)\n((?:.*\n)*?)```", text)
    assert len(shown) == 6
    for command, answer in shown:
        assert cli.main(shlex.split(command)) == 0
        assert capsys.readouterr().out == answer
    assert "model_b is better than model_a" in text
    first = (ROOT / "book" / "_static" / "labels.csv").read_text().splitlines()[:4]
    assert "```text\n" + "\n".join(first) + "\n```" in text


def test_every_target_of_make_that_a_page_names_exists():
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = {
        (path.name, target)
        for path in [*PAGES, *ROOT.glob("*.md"), ROOT / "notebooks" / "README.md"]
        for target in re.findall(r"`make ([a-z]+)", path.read_text("utf-8"))
    }
    assert len(named) > 10
    assert {(page, target) for page, target in named if target not in targets} == set()


def test_every_public_name_has_a_reference_and_every_reference_a_name():
    named = set()
    for path in (ROOT / "book").glob("api-*.md"):
        text = path.read_text("utf-8")
        module = re.search(r"currentmodule:: (.*)", text)[1]
        for name in re.findall(r"^(?:\.\. auto\w+::|  ) +([A-Za-z_][\w.]*)$", text, re.M):
            full = name if name.startswith("f1ci") else f"{module}.{name}"
            assert pkgutil.resolve_name(full), full
            named.add(full.removeprefix("f1ci."))
    assert set(f1ci.__all__) - named == set()


def test_the_readme_quotes_the_tally_of_the_book():
    """The book's pages are made with it, and no other file outside the book has it."""
    found = Ledger(Published(), ROOT / "book" / "reference")
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert found.brief in text
    for name in ("CITATION.cff", ".zenodo.json"):
        assert "numbers agree" not in (ROOT / name).read_text("utf-8")


def test_every_chapter_of_a_paper_names_the_limits_that_all_share():
    """One file leads each reader to the page on units, two models, another prevalence and so on."""
    for paper in Published().papers:
        assert "```{include} _limits.md" in (ROOT / "book" / f"{paper}.md").read_text("utf-8"), (
            paper
        )
    limits = (ROOT / "book" / "_limits.md").read_text("utf-8")
    for place in ("chapter-units", "chapter-compare", "another-prevalence", "question-threshold"):
        assert place in limits
