"""Nothing that a computation decides is typed: verdicts on statements, and numbers in findings."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from compendium import NOTEBOOKS, ROOT, sources
from compendium.ledger import MIN_SPLITS
from compendium.published import Published
from scipy.stats import binom, binomtest, norm

import f1ci


def decisions() -> Iterator[ast.expr]:
    """Yield what decides each statement: the last of four arguments, or of a tuple of four."""
    for path in sorted(NOTEBOOKS.glob("*.py")):
        for cell in sources.read(path).cells:
            if cell.cell_type == "code" and "claim" in cell.source:
                for node in ast.walk(ast.parse(cell.source)):
                    parts = node.elts if isinstance(node, ast.Tuple) else []
                    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("claim"):
                        parts = node.args
                    if len(parts) == 4:
                        yield parts[3]


def test_no_verdict_on_a_statement_is_typed() -> None:
    found = list(decisions())
    assert len(found) > 60
    # None says that nothing at hand can decide.
    typed = [d for d in found if isinstance(d, ast.Constant) and d.value is not None]
    assert [ast.unparse(decision) for decision in typed] == []


# Numbers in texts

PUBLISHED = Published()
BOOK = ROOT / "book"
# A number with a decimal point, or of at least three digits.
NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d*\.\d+|\d{3,})(?!\w)")
# What is no result: roles, code, links, places, the index of F_0.5, the meaning of a level, and a
# licence.
NO_RESULT = re.compile(
    r"\{[\w:]+\}`[^`]+`"
    r"|^(`{3,})(?!\{).*?^\1|`[^`]*`"
    r"|\]\([^)]*\)|<[^>]*>"
    r"|\b(?:[Ss]ections?|version|F1 =) [\d.]+(?:(?:,| and| to) \d[\d.]*)*"
    r"|F_\{[\d.]+\}|\b95 (?:of|in) 100\b|CC BY [\d.]+",
    re.S | re.M,
)
# Years of publications, and of this text.
YEARS = {*re.findall(r"year\s*= \{(\d{4})\}", (BOOK / "references.bib").read_text("utf-8")), "2026"}
# The worked examples of pages that belong to no notebook: what the givens imply, by SciPy and f1ci.
SHARE = binomtest(30, 48).proportion_ci(method="wilson")
HALVES = {half: f1ci.sample_size(half_width=half).positives for half in (0.05, 0.025)}
Z, BONFERRONI = norm.ppf(0.975), norm.ppf(1 - 0.05 / 12)  # one interval, six intervals
OF_F1 = f1ci.f1_interval(30, 6, 12)
OF_F2 = f1ci.Matrix([[0, 6], [12, 30]]).interval(f1ci.metrics.fbeta(2))
# Of 90 items of class A all are found, and of 10 of class B half. F1 = 2 TP / (2 TP + FP + FN).
TWO_CLASSES = 2 * 90 / (2 * 90 + 5), 2 * 5 / (2 * 5 + 5)
# Six results with 70 true positives each, and a usual number of errors.
SIX = f1ci.effective_counts([[[70, 10, 10]] * 2] * 3).tp
# Fifteen documents of eight items with one error among them, and twelve images each better by 0.01.
FIFTEEN = f1ci.Units([[7, 0, 1], *[[8, 0, 0]] * 14])
ONE_ERROR = FIFTEEN.interval(method="logit")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", f1ci.IntervalWarning)
    ALIKE = f1ci.Scores({"a": np.full(12, 0.8), "b": np.full(12, 0.81)}).difference()
# A section of the chapter on score intervals has a worked example, too.
WILSON = "One class: Wilson's interval"
WORKED = {
    "lam": [f"{26 / 36:.2f}", f"{2 * (26 / 36) / (1 + 26 / 36):.2f}"],
    "takahashi": [
        *(f"{95 / 100:.2f}", *(f"{f1:.2f}" for f1 in TWO_CLASSES), f"{sum(TWO_CLASSES) / 2:.2f}"),
        *("180", "185"),  # 2 TP of class A, and with its errors
    ],
    "wangli": ["420", "140", f"{SIX / 420:.2f}", f"{SIX:.0f}"],
    "jiang": [f"{half:g}" for half in HALVES] + [f"{size:,}" for size in HALVES.values()],
    "yuan": [f"{Z:.2f}", f"{BONFERRONI:.2f}"],
    "joint-intervals": ["0.95", "100", f"{0.95**6:.2f}", f"{Z:.2f}", f"{BONFERRONI:.2f}"],
    # 80 of 100 positives are found, and 10 of 100 negatives are called positive.
    "another-prevalence": [
        *("0.95", "100", f"{Z:.2f}", f"{80 / 100}", f"{80 / 90:.2f}"),
        f"{2 * 80 / (2 * 80 + 10 + 20):.2f}",
        *("10,000", "9,900", f"{9_900 / 10:.0f}", f"{80 + 9_900 / 10:.0f}"),
        *(f"{80 / 1_070:.2f}", f"{2 * 80 / (2 * 80 + 990 + 20):.2f}"),
    ],
    "score": [
        *("0.9", "0.6", f"{(18 / 20 + 12 / 20) / 2:.2f}"),
        *(f"{30 / 48:.3f}", f"{SHARE.low:.2f}", f"{SHARE.high:.2f}"),
        *(f"{x:.2f}" for of in (OF_F1, OF_F2) for x in (of.estimate, of.low, of.high)),
    ],
    "article": [f"{MIN_SPLITS}"],
    "judge": ["0.95"],
    "units": [
        *("0.76", "0.93", "0.01", "0.8"),  # of eight images, of twelve; the true F1 of a figure
        *(f"{end:.3f}" for end in ONE_ERROR),
        *(f"{end:.3f}" for end in ALIKE.interval),
        f"{ALIKE.p_value:.4f}",
    ],
    "compare": [f"{2**8}", f"{2 * binom.sf(5, 8, 0.5):.2f}"],
}


def typed(text: str) -> set[str]:
    """Return the numbers of a text that no role, code or place accounts for."""
    found = NUMBER.findall(NO_RESULT.sub("", text))
    return {number.removeprefix("0") if "." in number else number for number in found} - YEARS


def part(text: str, *titles: str) -> str:
    """Return the sections with these titles."""
    sections = re.split(r"^## ", text, flags=re.M)
    return "\n".join(s for s in sections if s.partition("\n")[0] in titles)


def findings() -> Iterator[tuple[str, str, str]]:
    """Yield a name, the key of a paper or a page, and a text that says what was found."""
    for page in sorted(BOOK.glob("*.md")):
        whole = page.read_text("utf-8")
        told = part(whole, "In plain words", "Findings", WILSON)
        summary = whole if page.stem in ("article", "units") else told
        yield page.name, page.stem, summary
        yield f"pictures of {page.name}", page.stem, "\n".join(re.findall("^:alt: .*", whole, re.M))
    for path in sorted(NOTEBOOKS.glob("*.py")):
        cells = sources.read(path).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        told = part(text, "In plain words", "In short", "What we learn", "What to take")
        key = path.stem if path.stem in WORKED else path.stem.partition("-")[0]
        yield path.name, key, told
    for e in PUBLISHED.errata.values():
        yield e.id, e.paper, f"{e.right}\n{e.how_known}\n{e.consequence}"


def accounted(key: str) -> set[str]:
    """Return the numbers that may be typed: a paper's inputs, and those of a worked example."""
    inputs = [row.printed for row in PUBLISHED.inputs.values() if row.paper == key]
    return typed(" ".join([*inputs, *WORKED.get(key, [])]))


@pytest.mark.parametrize(("name", "key", "text"), [*findings()], ids=lambda x: x[:20])
def test_no_number_is_typed(name: str, key: str, text: str) -> None:
    """Every number of a finding is a role, an input as printed, or computed in this file."""
    assert typed(text) - accounted(key) == set(), name


# Letters

FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.S)
CODE = re.compile(r"^(`{3,}).*?^\1|`[^`\n]*`", re.S | re.M)
# What the ten letters of the page on notation stand for, and how papers write it otherwise.
OTHER_LETTERS = {
    "n": r"(?<![\\A-Za-z\d])N(?!\(|\\bigl|[A-Za-z])",
    "p": r"\\pi_\{?(?:c\b|\d)|\\pi\(",
    "q": r"(?<![\\A-Za-z])q\^|Binomial\}\(n, q\)",
    "theta": r"\\tau|\\nu_[AB]|\\nabla g|(?<![\\A-Za-z])(?:g_k|g\(\\hat p|M_k)",
    "psi": r"(?<![\\A-Za-z])(?:H_[jk]|g_C|e_c)\b",
    "z": r"\\tilde q|(?<![\\A-Za-z])q(?:\(\\alpha|_\{?1 ?-)",
    "kappa": r"(?<![\\A-Za-z])k = z\^2",
    "pi": r"[bn](?:\\,)?\\mathrm E\[Z\]",
    "G": r"(?<![\\A-Za-z])G_|\\mathcal G",
    "varphi": r"\\phi\b|\\varphi_",
}


def formulas() -> Iterator[tuple[str, str]]:
    """Yield each formula of the book's text, with the name of its page."""
    for page in sorted(BOOK.glob("*.md")):
        if page.stem != "notation":  # it quotes the papers' letters
            yield from (
                (page.name, f) for f in FORMULA.findall(CODE.sub("", page.read_text("utf-8")))
            )
    for path in sorted(NOTEBOOKS.glob("*.py")):
        for cell in sources.read(path).cells:
            if cell.cell_type == "markdown":
                yield from ((path.name, f) for f in FORMULA.findall(CODE.sub("", cell.source)))


def test_one_letter_has_one_meaning() -> None:
    """The ten letters of the page on notation are the only ones for what they mean."""
    notation = (BOOK / "notation.md").read_text("utf-8")
    found = [*formulas()]
    assert len(found) > 2000
    for letter, others in OTHER_LETTERS.items():
        assert re.search(rf"^\| \$\\?{letter}(?![a-z])", notation, flags=re.M), letter
        wrong = [(page, formula) for page, formula in found if re.search(others, formula)]
        assert wrong == [], letter
