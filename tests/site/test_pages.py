"""The pages' text: its code runs, its numbers are quoted and not typed, its ids exist."""

import contextlib
import io
import pkgutil
import re
import shlex
import shutil
import subprocess
import warnings
from pathlib import Path

import other_tools
import pytest
from compendium.published import Published
from compendium.verdicts import Ledger

import f1ci
from f1ci import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "book").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
REGISTER = list(Published().errata.values())

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)\s*$", re.M | re.S)
# What is not prose, or quotes a number: comments, code, mathematics, roles, addresses.
NOT_PROSE = [
    re.compile(r"<!--.*?-->", re.S),
    FENCE,
    re.compile(r"\$\$.*?\$\$(?: *\([\w-]+\))?", re.S),
    re.compile(r"\{[\w:.-]+\}`[^`]*`"),
    re.compile(r"`[^`\n]*`"),
    re.compile(r"\$[^$]*\$"),
    re.compile(r"\]\([^)\s]*\)"),
    re.compile(r"https?://\S+"),
    re.compile(r"^:[\w-]+:.*$", re.M),
]
# Decimals that are not results: places in a paper, versions, licences.
NUMBER = r"\d+(?:\.\d+)*"
NAMES = re.compile(
    r"(?:sections?|tables?|figures?|equations?|eqs?\.|remark|version|Python|CC BY|arXiv:)\s*\(?"
    rf"{NUMBER}(?:\s*(?:,|and|to)\s+{NUMBER})*",
    re.I,
)
DECIMAL = re.compile(r"(?<![\w/.-])\d*\.\d+(?![\w/-]*\.\d)\b")


def prose(text):
    for pattern in NOT_PROSE:
        text = pattern.sub(" ", text)
    return text


def typed_decimals(text):
    """Decimals in prose that neither name a place nor are quoted by a role."""
    return DECIMAL.findall(NAMES.sub(" ", prose(text)))


def markdown_of(path):
    """A page's text, or that of a notebook's text cells."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return text
    cells = re.split(r"^# %%", text, flags=re.M)
    return "\n".join(
        re.sub(r"^# ?", "", cell.partition("\n")[2], flags=re.M)
        for cell in cells
        if cell.startswith(" [markdown]")
    )


def register_text(entry):
    """An entry of the register as its page shows it, without what it quotes word by word."""
    shown = [entry.place, entry.printed, entry.right, entry.how_known, entry.consequence]
    return re.sub(r'"[^"{}]*"', " ", "\n\n".join(shown))


TEXTS = {path.name: markdown_of(path) for path in [*PAGES, *NOTEBOOKS]}
TEXTS |= {entry.id: register_text(entry) for entry in REGISTER}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_decimal_is_typed_by_hand_and_quoted_ids_exist(text):
    assert typed_decimals(text) == []
    published = Published()
    for role, content in re.findall(r"\{(published|computed)\}`([^`]+)`", text):
        identity = re.split(r"\\?\|", content)[0]
        assert identity in (published.rows if role == "computed" else published.everything)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_line_of_prose_begins_as_a_comment(text):
    """MyST takes a line that begins with % for a comment, and the line is missing on the page."""
    outside_code = FENCE.sub("", text)
    assert re.findall(r"^ *%.*", outside_code, flags=re.M) == []


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
    assert len(shown) == 5
    for command, answer in shown:
        assert cli.main(shlex.split(command)) == 0
        assert capsys.readouterr().out == answer
    assert "model_b is better than model_a" in text
    first = (ROOT / "book" / "_static" / "labels.csv").read_text().splitlines()[:4]
    assert "```text\n" + "\n".join(first) + "\n```" in text


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


@pytest.mark.parametrize("name", ["README.md", "CITATION.cff", ".zenodo.json"])
def test_files_outside_the_book_quote_its_tally(name):
    tally = Ledger(Published(), ROOT / "book" / "reference").tally
    text = " ".join((ROOT / name).read_text("utf-8").split())
    assert tally.replace("**", "") in text.replace("**", "")
