"""The pages' text: its code runs, its numbers are quoted and not typed, its ids exist."""

import re
import warnings
from pathlib import Path

import pytest
from compendium.published import Published

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "book").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))

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
    r"(?:sections?|tables?|figures?|equations?|eqs?\.|remark|version|Python|CC BY|arXiv:)\s*"
    rf"{NUMBER}(?:\s*(?:,|and|to)\s+{NUMBER})*",
    re.I,
)
DECIMAL = re.compile(r"(?<![\w/.-])\d*\.\d+(?![\w/-]*\.\d)\b")


def prose(text: str) -> str:
    for pattern in NOT_PROSE:
        text = pattern.sub(" ", text)
    return text


def typed_decimals(text: str) -> list[str]:
    """Decimals in prose that neither name a place nor are quoted by a role."""
    return DECIMAL.findall(NAMES.sub(" ", prose(text)))


def markdown_of(path: Path) -> str:
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


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.stem)
def test_no_decimal_is_typed_by_hand(path):
    assert typed_decimals(markdown_of(path)) == []


def test_a_typed_decimal_is_found_and_a_quoted_one_is_not():
    assert typed_decimals("The score is 0.74, or .731 elsewhere.") == ["0.74", ".731"]
    quoted = (
        "As {published}`lam/x/1.5` says in section 3.3 of version 0.1.0, $p = 0.4$ and `x=1.5`."
    )
    assert typed_decimals(quoted) == []


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.stem)
def test_quoted_ids_exist(path):
    published = Published()
    text = markdown_of(path)
    for role, content in re.findall(r"\{(published|computed)\}`([^`]+)`", text):
        identity = re.split(r"\\?\|", content)[0]
        known = published.rows if role == "computed" else {**published.rows, **published.inputs}
        assert identity in known


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.stem)
def test_the_code_of_a_page_runs(path):
    blocks = [
        match["body"]
        for match in FENCE.finditer(path.read_text("utf-8"))
        if match["info"].strip() == "python"
    ]
    if not blocks:
        pytest.skip("no Python on this page")
    namespace: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks:
            exec(compile(block, path.name, "exec"), namespace)
