"""The calculator in Chromium: its kernels against the package, its interface on desktop and phone.

The page is opened from the file system, in the book's theme and without a server.
"""

from __future__ import annotations

import itertools
import math
import re
import shutil
import subprocess
import sys
import warnings
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from compendium import ROOT
from scipy import special, stats

import f1ci
from f1ci import metrics
from f1ci.methods import score

pytestmark = pytest.mark.slow

# What the calculator promises. Observed: below 2e-15, but for Beta quantiles of counts near 1e12,
# where SciPy's are up to 5e-11 off (judged with 40 digits).
PROMISED = 1e-9
LEVELS = [0.5, 0.95, 0.9999]
WEIGHTS = [(0.5, 0.5), (0.8, 0.2), (0.1, 0.9)]

CONF = """\
extensions = ["myst_parser"]
html_theme = "sphinx_book_theme"
html_static_path = ["book/_static"]
html_css_files = ["book.css"]
html_js_files = ["ledger.js"]
"""
PAGE = """\
# Calculator

```{raw} html
:file: _static/calculator.html
```
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with the block that the book's pages embed."""
    root = tmp_path_factory.mktemp("calculator")
    shutil.copytree(ROOT / "book" / "_static", root / "book" / "_static")
    (root / "conf.py").write_text(CONF)
    (root / "index.md").write_text("# Root\n\n```{toctree}\nbook/calculator\n```\n")
    (root / "book" / "calculator.md").write_text(PAGE)
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(root), str(root / "html")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return (root / "html" / "book" / "calculator.html").as_uri()


@pytest.fixture(scope="module")
def evaluate(browser, address):
    """``evaluate("c => ...", data)``: the expression for every element, as an array."""
    tab = browser.new_page()
    tab.goto(address)

    def call(expression, data):
        values = tab.evaluate(f"data => data.map({expression})", data)
        return np.array(values, dtype=float)

    yield call
    tab.close()


@pytest.fixture(scope="module")
def window(browser):
    """One page for many tests: each new one would compile the book's scripts again."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    window = context.new_page()
    window.set_default_timeout(10_000)
    window.errors, window.asked = [], []
    window.on("pageerror", lambda error: window.errors.append(str(error)))
    window.on("request", lambda request: window.asked.append(request.url))
    yield window
    context.close()


@pytest.fixture
def tab(window, address):
    """The page as if it were new; its scripts must not err, and it asks for nothing but files."""
    window.goto("about:blank")
    window.errors.clear()
    window.asked.clear()
    window.goto(address)
    yield window
    assert window.errors == []
    assert [url for url in window.asked if not url.startswith(("file:", "data:"))] == []


# --- Kernels ---------------------------------------------------------------------------------


def count_vectors(number=2000):
    """Counts of every size up to 1e12, and the edges."""
    rng = np.random.default_rng(20240915)
    sizes = rng.choice([1, 2, 5, 30, 300, 3000, 10**6, 10**9, 10**12], (number, 3))
    huge = 10**12
    edges = [*itertools.product([0, 1, 7, huge], repeat=3)]
    return np.vstack([rng.integers(0, sizes, endpoint=True), edges])


COUNTS = count_vectors()


def test_normal_quantile(evaluate):
    tails = [*np.logspace(-300, -1, 300), *np.linspace(0.001, 0.999, 300)]
    ours = evaluate("p => f1ci.normalQuantile(p)", tails)
    # Wichura states 16 figures; SciPy's Cephes about as many. At p near 1/2 the quantile is near 0.
    np.testing.assert_allclose(ours, special.ndtri(tails), rtol=2e-15, atol=1e-15)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("method", "kernel"),
    [
        ("wilson_indirect", "wilsonIndirect"),
        ("wilson_direct", "wilsonDirect"),
        ("clopper_pearson", "clopperPearson"),
        ("wald", "wald"),
    ],
)
def test_f1_intervals(evaluate, method, kernel, level):
    tp, fp, fn = COUNTS[COUNTS.sum(axis=1) > 0].T
    with warnings.catch_warnings():  # Wald's intervals of length zero are meant to be here
        warnings.simplefilter("ignore", f1ci.DegenerateVarianceWarning)
        theirs = f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=level)
    ours = evaluate(f"c => f1ci.{kernel}(c[0], c[1], {level})", np.c_[tp, fp + fn].tolist())
    np.testing.assert_allclose(ours, np.c_[theirs.low, theirs.high], rtol=0, atol=PROMISED)
    # Nothing known, nothing said.
    assert evaluate(f"c => f1ci.{kernel}(c, c, {level})", [0]).tolist() == [[0, 1]]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("a", "b"), [*WEIGHTS, (1, 1), (1, 0), (0, 1)])
@pytest.mark.parametrize("method", ["score", "cautious"])
def test_tversky_intervals(evaluate, method, a, b, level):
    kernel = {"score": score.tversky_limits, "cautious": score.cautious_limits}[method]
    z = -special.ndtri((1 - level) / 2)
    theirs = np.transpose(kernel(*COUNTS.T.astype(float), a, b, z))
    ours = evaluate(f"c => f1ci.tversky.{method}(...c, {a}, {b}, {level})", COUNTS.tolist())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)
    # F1 has one answer, through whatever kernel.
    if a == b == 0.5:
        name = {"score": "wilsonIndirect", "cautious": "clopperPearson"}[method]
        again = evaluate(f"c => f1ci.{name}(c[0], c[1] + c[2], {level})", COUNTS.tolist())
        np.testing.assert_allclose(ours, again, rtol=4e-15, atol=0)


def test_score_limits_lie_where_pearsons_statistic_says(evaluate):
    """At a limit, the constrained likelihood has its maximum with a statistic of z^2 (by grid)."""
    z = 1.5
    level = 1 - 2 * stats.norm.sf(z)
    for x, y, w, a, b in [(7, 3, 4, 0.8, 0.2), (2, 1, 9, 0.1, 0.9), (30, 2, 1, 0.3, 0.5)]:
        ends = evaluate(f"c => f1ci.tverskyScore(...c, {level})", [[x, y, w, a, b]])[0]
        for end in ends:
            odds = end / (1 - end)
            # The probabilities with p1 = odds (a p2 + b p3): one free number, maximised.
            share = np.linspace(1e-9, 1 - 1e-9, 400_001)
            rest = 1 / (1 + odds * (a * share + b * (1 - share)))
            p = np.array([1 - rest, share * rest, (1 - share) * rest])
            counts = np.array([x, y, w])
            best = p[:, np.argmax((counts[:, None] * np.log(p)).sum(axis=0))]
            v = counts.sum()
            statistic = ((counts - v * best) ** 2 / (v * best)).sum()
            # The grid is 2.5e-6 wide, and the statistic has a slope of order v by the share.
            assert statistic == pytest.approx(z * z, abs=1e-3)


def matrices(r, number):
    rng = np.random.default_rng(r)
    sizes = rng.choice([1, 3, 20, 1000, 10**8], number)
    made = [
        rng.integers(0, n + 1, (r, r)) * (rng.random((r, r)) < 0.8)
        + np.diag(rng.integers(0, 4 * n + 1, r)) * (rng.random() < 0.9)
        for n in sizes
    ]
    return [m.astype(float) for m in made if m.sum() > 0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("r", [2, 3, 7])
def test_averages(evaluate, r, weighted):
    tables, flag = matrices(r, 300), str(weighted).lower()
    for a, b in WEIGHTS:
        ours = evaluate(
            f"m => f1ci.meanScore(m, {a}, {b}, 0.95, {flag})", [m.tolist() for m in tables]
        )
        z = -special.ndtri(0.025)
        limits = np.array([score.mean_limits(m, a, b, z, weighted=weighted) for m in tables])
        if weighted:
            excess = np.array([score.weighted_excess(m, a, b) for m in tables])
            limits[:, 0] = np.maximum(limits[:, 0] - excess, 0.0)
        np.testing.assert_allclose(ours, limits, rtol=0, atol=PROMISED)


def named(cells):
    """Counts by truth, A and B, by the names that the calculator gives them."""
    names = ["tn", "negA", "negB", "fp", "fn", "posB", "posA", "tp"]
    return dict(zip(names, (int(n) for n in np.ravel(cells)), strict=True))


def test_differences(evaluate):
    rng = np.random.default_rng(7)
    cells = np.array(
        [rng.integers(0, n + 1, (2, 2, 2)) for n in rng.choice([2, 5, 40, 2000], 1000)], float
    )
    z = -special.ndtri(0.025)
    for a, b in WEIGHTS:
        limits = np.transpose(score.difference_limits(cells, metrics.tversky(a, b), z))
        ours = evaluate(f"t => f1ci.differenceScore(t, {a}, {b}, 0.95)", [named(c) for c in cells])
        np.testing.assert_allclose(ours, limits, rtol=0, atol=PROMISED)
    small = [np.array([0, *c]).reshape(2, 2, 2) for c in itertools.product(range(3), repeat=7)]
    limits = np.transpose(score.difference_limits(np.array(small, float), metrics.f1, z))
    ours = evaluate("t => f1ci.differenceScore(t, 0.5, 0.5, 0.95)", [named(c) for c in small])
    np.testing.assert_allclose(ours, limits, rtol=0, atol=PROMISED)


def swapped(t):
    """The p-value by all swaps of the discordant items, in fractions."""
    positives = t["tp"] + t["fn"] + t["posA"] + t["posB"]

    def f1(tp, fp):
        return Fraction(2 * tp, tp + fp + positives) if tp else Fraction(0)

    def difference(k, j):
        n1, n0 = t["posA"] + t["posB"], t["negA"] + t["negB"]
        return f1(t["tp"] + k, t["fp"] + n0 - j) - f1(t["tp"] + n1 - k, t["fp"] + j)

    observed = abs(difference(t["posB"], t["negB"]))
    one, zero = t["posA"] + t["posB"], t["negA"] + t["negB"]
    swaps = itertools.product(
        itertools.product([0, 1], repeat=one), itertools.product([0, 1], repeat=zero)
    )
    extreme = sum(abs(difference(sum(p), sum(n))) >= observed for p, n in swaps)
    return extreme / 2 ** (one + zero)


def test_randomisation_against_all_swaps(evaluate):
    rng = np.random.default_rng(8)
    tables = [named(rng.integers(0, 4, 8)) for _ in range(150)]
    ours = evaluate("t => f1ci.randomisationTest(t)", tables)
    np.testing.assert_allclose(ours, [swapped(t) for t in tables], rtol=1e-13)


def test_randomisation_of_many_items(evaluate):
    """Against the double sum over SciPy's binomial probabilities."""
    rng = np.random.default_rng(9)
    tables = [named(rng.integers(0, 400, 8)) for _ in range(20)]
    expected = []
    for t in tables:
        n1, n0 = t["posA"] + t["posB"], t["negA"] + t["negB"]
        k, j = np.arange(n1 + 1)[:, None], np.arange(n0 + 1)
        positives = t["tp"] + t["fn"] + n1
        tp_b, tp_a = t["tp"] + k, t["tp"] + n1 - k
        fp_b, fp_a = t["fp"] + n0 - j, t["fp"] + j
        d = 2 * tp_b / (tp_b + fp_b + positives) - 2 * tp_a / (tp_a + fp_a + positives)
        p = stats.binom.pmf(k, n1, 0.5) * stats.binom.pmf(j, n0, 0.5)
        expected.append(p[np.abs(d) >= abs(d[t["posB"], t["negB"]]) - 1e-14].sum())
    ours = evaluate("t => f1ci.randomisationTest(t)", tables)
    np.testing.assert_allclose(ours, np.minimum(expected, 1), rtol=1e-11)  # SciPy's pmf: 1e-12
    # A hundred thousand discordant items still have an answer, close to the normal one: F1 moves
    # by FP + P for one more of TP and by -TP for one more of FP, over the same square.
    n1, n0, both = 50_300, 50_000, 500_000
    large = {"tp": both, "posA": 25_000, "posB": 25_300, "fn": 0, "fp": 0, "negA": 25_000}
    weight = (both + n1 / 2) / (n0 / 2 + both + n1)
    expected = 2 * stats.norm.sf(300 / math.sqrt(n1 + n0 * weight**2))
    p = evaluate("t => f1ci.randomisationTest(t)", [large | {"negB": 25_000}])[0]
    assert p == pytest.approx(expected, rel=0.01)


def test_sample_sizes(evaluate):
    for beta, half, share in itertools.product(
        [0.05, 0.5, 1, 2], [0.01, 0.037, 0.2], [0.01, 0.6, 1]
    ):
        plan = f1ci.sample_size(f1ci.metrics.fbeta(beta), half_width=half, prevalence=share)
        call = f"""b => {{
            const w = f1ci.fbetaWeights(b);
            const plan = f1ci.sampleSize(w.a, w.b, {half}, {share}, 0.95);
            return [plan.positives, plan.total];
        }}"""
        assert evaluate(call, [beta])[0].tolist() == [plan.positives, plan.total]


@pytest.mark.parametrize(
    ("precision", "recall", "positives"),
    [("0.64", "0.89", 87), ("0.5", "0.3", 23), ("0.875", "0.333", 48), ("1.00", "1.00", 150)],
)
def test_counts_that_fit_a_rounding(evaluate, precision, recall, positives):
    def rounds(value, total, printed):
        unit = Decimal(printed).as_tuple().exponent
        shares = Decimal(value) / Decimal(total)
        ways = (
            shares.quantize(Decimal(1).scaleb(unit), way)
            for way in (ROUND_HALF_UP, ROUND_HALF_EVEN)
        )
        return Decimal(printed) in ways

    expected = {
        (tp, fp)
        for tp in range(1, positives + 1)
        if rounds(tp, positives, recall)
        for fp in range(2000)
        if rounds(tp, tp + fp, precision)
    }

    def band(printed):
        half = 0.5 * 10.0 ** Decimal(printed).as_tuple().exponent
        return [float(printed) - half, min(1.0, float(printed) + half)]

    rows = evaluate(
        "c => f1ci.fittingCounts(...c).map(({tp, from, to}) => [tp, from, to])",
        [[band(precision), band(recall), positives]],
    )[0]
    found = {(int(tp), fp) for tp, low, high in rows for fp in range(int(low), int(high) + 1)}
    # Ties count as fitting in both directions; ROUND_HALF_DOWN is nobody's rounding but theirs.
    assert expected <= found
    for tp, fp in found - expected:
        tie = Decimal(precision) + Decimal(5).scaleb(Decimal(precision).as_tuple().exponent - 1)
        other = Decimal(recall) + Decimal(5).scaleb(Decimal(recall).as_tuple().exponent - 1)
        assert Decimal(tp) == tie * (tp + fp) or Decimal(tp) == other * positives


# --- Formulas to copy ------------------------------------------------------------------------


SHEET_WORD = re.compile(r"\s*(\d+\.?\d*(?:[eE][-+]?\d+)?|[A-Za-z][A-Za-z.]*|[-+*/^(),=])")
SHEET_FUNCTIONS = {
    "SQRT": math.sqrt,
    "ACOS": math.acos,
    "COS": math.cos,
    "MAX": max,
    "MIN": min,
    "PI": lambda: math.pi,
    "NORM.S.INV": lambda p: float(special.ndtri(p)),
    "BETA.INV": lambda p, a, b: float(special.betaincinv(a, b, p)),
}


class Sheet:
    """What a spreadsheet makes of a formula: its grammar, and the functions that occur.

    Powers bind less than a sign before a number (-2^2 is 4), and from the left.
    """

    def __init__(self, formula):
        assert formula.startswith("=")
        text = formula[1:]
        self.words = SHEET_WORD.findall(text)
        assert "".join(self.words) == text
        self.place, self.names = 0, {}

    def value(self):
        tree = self.binary(0)
        assert self.place == len(self.words)
        return self.run(tree)

    def next(self):
        self.place += 1
        return self.words[self.place - 1]

    def peek(self):
        return self.words[self.place] if self.place < len(self.words) else ""

    def binary(self, level):
        if level == 4:
            return self.single()
        left = self.binary(level + 1)
        while self.peek() and self.peek() in ("=", "+-", "*/", "^")[level]:
            left = (self.next(), left, self.binary(level + 1))
        return left

    def single(self):
        word = self.next()
        if word == "-":
            return ("0-", self.single())
        if word == "(":
            inside = self.binary(0)
            assert self.next() == ")"
            return inside
        if word[0].isdigit():
            return float(word)
        if self.peek() != "(":
            return word
        self.next()
        arguments = []
        while self.peek() != ")":
            arguments.append(self.binary(0))
            if self.peek() == ",":
                self.next()
        self.next()
        return (word, *arguments)

    def run(self, tree):
        if isinstance(tree, float):
            return tree
        if isinstance(tree, str):
            return self.names[tree.lower()]
        head, *parts = tree
        if head == "LET":
            for name, part in zip(parts[:-1:2], parts[1:-1:2], strict=True):
                # Cells (x1), R and C are no names in spreadsheets.
                assert re.fullmatch(r"[a-z]+", name)
                assert name not in ("r", "c")
                self.names[name] = self.run(part)
            return self.run(parts[-1])
        if head == "IF":
            return self.run(parts[1] if self.run(parts[0]) else parts[2])
        values = [self.run(part) for part in parts]
        if any(isinstance(value, float) and math.isnan(value) for value in values):
            return math.nan
        if head in SHEET_FUNCTIONS:
            return SHEET_FUNCTIONS[head](*values)
        if head == "0-":
            return -values[0]
        x, y = values
        if head == "/" and y == 0.0:
            return math.nan  # #DIV/0!
        operations = {"=": float.__eq__, "+": float.__add__, "-": float.__sub__}
        operations |= {"*": float.__mul__, "/": float.__truediv__, "^": float.__pow__}
        return operations[head](x, y)


def test_the_evaluator_follows_spreadsheets():
    # Microsoft, "Calculation operators and precedence in Excel": negation before powers.
    assert Sheet("=-2^2").value() == 4
    assert Sheet("=2^3^2").value() == 64
    assert Sheet("=8/4/2-1-1").value() == -1
    assert Sheet("=LET(x,3,y,x+1,IF(x=3,MAX(x,y)*2e-1,1/0))").value() == pytest.approx(0.8)
    assert Sheet("=COS(PI())+ACOS(MIN(1,2))").value() == -1


def evaluated_in_r(codes):
    """What R makes of each piece of code, shape (codes, 2)."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("no R on this machine")
    lines = [f"cat(sprintf('%.17g', as.numeric({{\n{code}\n}})), '\\n')" for code in codes]
    done = subprocess.run(
        [rscript, "--vanilla", "-"],
        input="options(warn = 1)\n" + "\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return np.array([line.split() for line in done.stdout.splitlines()], dtype=float)


def beta_of(beta):
    square = beta * beta
    return {"beta": beta, "a": 1 / (1 + square), "b": square / (1 + square)}


SHARE = {"a": 1, "b": 1}
# A method of the calculator, its weights, and the same for the package.
FORMULAS = [
    ("wilson_indirect", beta_of(1)),
    ("clopper_pearson", beta_of(1)),
    ("wald", beta_of(1)),
    *((method, weights) for method in ("score", "cautious") for weights in (SHARE, beta_of(1))),
    *((m, beta_of(beta)) for m in ("score", "cautious") for beta in (0.1, 0.5, 0.9, 2, 10)),
]


def limits_of_the_package(method, counts, weights, level):
    a, b = weights["a"], weights["b"]
    if method in ("score", "cautious"):
        kernel = {"score": score.tversky_limits, "cautious": score.cautious_limits}[method]
        return np.transpose(kernel(*counts.T, a, b, -special.ndtri((1 - level) / 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.DegenerateVarianceWarning)
        found = f1ci.f1_interval(*counts.T, method=method, confidence_level=level)
    return np.c_[found.low, found.high]


@pytest.fixture(scope="module")
def formulas(browser, address):
    """The texts of the closed form for each row of counts."""
    tab = browser.new_page()
    tab.goto(address)
    call = """([method, weights, level, rows]) => rows.map(([x, y, w]) =>
        closedForm(method, {x, y, w, ...weights}, level))"""
    yield lambda *asked: tab.evaluate(call, list(asked))
    tab.close()


@pytest.mark.parametrize(("method", "weights"), FORMULAS)
def test_formulas_say_what_the_package_says(formulas, method, weights):
    counts = count_vectors(60)
    if method in ("cautious", "clopper_pearson"):
        # Beta quantiles of R and of SciPy part from one another beyond.
        counts = counts[counts.max(axis=1) <= 1e6]
    counts = counts[counts.sum(axis=1) > 0].astype(float)
    texts, expected = [], []
    for level in LEVELS:
        texts += formulas(method, weights, level, counts.tolist())
        expected.append(limits_of_the_package(method, counts, weights, level))
    sheets = [[Sheet(text[end]).value() for end in ("low", "high")] for text in texts]
    np.testing.assert_allclose(sheets, np.concatenate(expected), rtol=0, atol=PROMISED)
    in_r = evaluated_in_r([text["R"] for text in texts])
    np.testing.assert_allclose(in_r, np.concatenate(expected), rtol=0, atol=PROMISED)


def test_what_has_no_closed_form_gets_none(formulas):
    assert formulas("wilson_direct", beta_of(1), 0.95, [[5, 1, 1]]) == [None]
    assert formulas("score", beta_of(2), 0.95, [[0, 0, 0]]) == [None]


# --- Interface -------------------------------------------------------------------------------


def answer(tab):
    """What the calculator says once it has taken in the last key, for which it waits 120 ms."""
    tab.evaluate("() => new Promise((done) => setTimeout(done, 130))")  # so its timer ends first
    return tab.locator("#calc-answer").inner_text()


def choose(tab, mode):
    tab.locator(f"input[name=mode][value={mode}]").check()
    return answer(tab)


def test_the_first_number_is_there_at_once(tab):
    # Lam, Gopal and Qian (2024), section 6.
    assert answer(tab) == "F1 = 0.740 (95 % CI 0.669 to 0.801, Wilson indirect)"
    cells = tab.locator("#calc-tables table").first.locator("tbody tr").all_inner_texts()
    assert [row.split("\t") for row in cells] == [
        ["Wilson indirect", "0.669", "0.801", "0.133"],
        ["Wilson direct", "0.664", "0.799", "0.135"],
        ["Clopper–Pearson", "0.665", "0.805", "0.139"],
        ["Wald", "0.674", "0.807", "0.134"],
    ]
    assert tab.locator("svg.calc-drawing circle").count() == 4
    assert "Wald: 0.674 to 0.807" in tab.locator("svg.calc-drawing").get_attribute("aria-label")


def test_it_works_by_keyboard_alone(tab):
    tab.locator("input[name=mode][value=counts]").focus()
    for text in ["5", "1", "2", "9", "90", "2"]:
        tab.keyboard.press("Tab")
        tab.keyboard.press("Control+a")
        tab.keyboard.type(text)
    interval = f1ci.metric_interval([[9, 1], [2, 5]], f1ci.metrics.fbeta(2))
    assert answer(tab).startswith(f"F2 = {interval.estimate:.3f} (90 % CI ")
    for _ in range(6):
        tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("ArrowRight")
    assert answer(tab).startswith("macro F2 = ")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert answer(tab).startswith("F1 of B minus F1 of A = 0.098")


@pytest.mark.parametrize(
    ("mode", "name", "text", "sentence"),
    [
        ("counts", "tp", "", "Give the number of true positives."),
        ("counts", "tp", "-3", "not “-3”"),
        ("counts", "fp", "4.5", "not “4.5”"),
        ("counts", "fn", "2000000000000", "“2000000000000” is more than"),
        ("counts", "tn", "x", "not “x”"),
        ("counts", "level", "0.95", "write 95 for “0.95”"),
        ("counts", "level", "100", "between 0 and 100, “100” does not"),
        ("counts", "beta", "0", "Beta lies between 0.01 and 100"),
        ("counts", "beta", "0,5", "Write a decimal point, not a comma: “0.5”."),
        ("matrix", "matrix", "", "Paste a matrix"),
        ("matrix", "matrix", "5 1\n2", "each needs 2; line 2 has 1"),
        ("matrix", "matrix", "5 1\n2 x", "“x” in line 2 is not a number"),
        ("matrix", "matrix", "5", "two classes"),
        ("printed", "precision", "64", "“64” is above 1; write “64 %”"),
        ("printed", "recall", "abc", "“abc” is not a number"),
        ("models", "negnone", "", "Give the number of negatives that both have wrong."),
    ],
)
def test_bad_input_is_explained_beside_its_field(tab, mode, name, text, sentence):
    choose(tab, mode)
    field = tab.locator(f"#calc-form [name={name}]")
    before = field.input_value()
    field.fill(text)
    assert answer(tab) == "Correct the marked field first."
    assert field.get_attribute("aria-invalid") == "true"
    error = tab.locator(f"#{field.get_attribute('aria-describedby')}")
    assert sentence in error.inner_text()
    gap = error.bounding_box()["y"] - field.bounding_box()["y"] - field.bounding_box()["height"]
    assert 0 <= gap < 20
    assert not tab.locator("#calc-texts").is_visible()
    field.fill(before or "0")
    assert " = " in answer(tab)
    assert error.count() == 0


def test_edges_are_said(tab):
    for name in ("tp", "fp", "fn"):
        tab.locator(f"#calc-{name}").fill("0")
    assert answer(tab) == "F1 = undefined (95 % CI 0.000 to 1.000, Wilson indirect)"
    assert "any value is possible" in tab.locator("#calc-notes").inner_text()
    tab.locator("#calc-tp").fill("30")
    assert answer(tab) == "F1 = 1.000 (95 % CI 0.940 to 1.000, Wilson indirect)"
    assert "Wald has no width" in tab.locator("#calc-notes").inner_text()
    tab.locator("#calc-fn").fill("1")
    assert "Wald leaves the range" in (answer(tab) and tab.locator("#calc-notes").inner_text())
    choose(tab, "printed")
    tab.locator("#calc-support").fill("3")
    assert answer(tab).startswith("No counts of 3 truly positive items give this")
    choose(tab, "matrix")
    tab.locator("#calc-matrix").fill("4 1 0\n1 5 0\n0 0 0")
    assert answer(tab).startswith("macro F1 = 0.817")
    assert (
        "Left out, since no item is of it or predicted as it: 2."
        in tab.locator("#calc-notes").inner_text()
    )
    choose(tab, "models")
    for name in ("posa", "posb", "nega", "negb"):
        tab.locator(f"#calc-{name}").fill("0")
    assert "p = 1.000" in answer(tab)
    assert "differ on no item" in tab.locator("#calc-notes").inner_text()


MATRIX = [[52, 6, 2], [9, 40, 1], [3, 2, 15]]


@pytest.mark.parametrize(
    "text",
    [
        "52 6 2\n9 40 1\n3 2 15",
        "52,6,2\n9,40,1\n3,2,15",
        "52\t6\t2\n9\t40\t1\n3\t2\t15\n",
        "[[52, 6, 2],\n [9, 40, 1],\n [3, 2, 15]]",
        "[[52 6 2]\n [9 40 1]\n [3 2 15]]",
        "52, 6, 2; 9, 40, 1; 3, 2, 15",
        "\tcat\tgrey dog\towl\ncat\t52\t6\t2\ngrey dog\t9\t40\t1\nowl\t3\t2\t15",
        "cat dog owl\n52 6 2\n9 40 1\n3 2 15",
        "cat 52 6 2\ndog 9 40 1\nowl 3 2 15",
        ",0,1,2\n0,52,6,2\n1,9,40,1\n2,3,2,15",
        "0 1 2\n0 52 6 2\n1 9 40 1\n2 3 2 15",
    ],
)
def test_a_matrix_may_be_pasted_in_many_forms(tab, text):
    choose(tab, "matrix")
    tab.locator("#calc-matrix").fill(text)
    z = -special.ndtri(0.025)
    low, high = score.mean_limits(np.array(MATRIX, float), 0.5, 0.5, z)
    estimate = f1ci.metrics.macro_f1.value(MATRIX)
    said = f"macro F1 = {estimate:.3f} (95 % CI {low:.3f} to {high:.3f}, score method)"
    assert answer(tab) == said
    classes = tab.locator("#calc-tables table").nth(1).locator("tbody tr")
    assert classes.count() == 3
    if "dog" in text:
        assert re.match(r"(grey )?dog\t0\.816\t", classes.nth(1).inner_text())
    # The shared link holds the matrix as it was pasted.
    tab.goto(tab.url)
    tab.reload()
    assert answer(tab) == said


def test_printed_numbers_give_an_envelope(tab):
    # 43 or 44 false positives fit.
    tables = [f1ci.f1_interval(77, fp, 10) for fp in (43, 44)]
    low, high = min(i.low for i in tables), max(i.high for i in tables)
    said = choose(tab, "printed")
    assert f"F1 = 0.740 to 0.744 (95 % CI {low:.3f} to {high:.3f}, Wilson indirect" in said
    assert "over 2 tables of counts" in said
    for percent, name in (("64 %", "precision"), ("89%", "recall")):
        tab.locator(f"#calc-{name}").fill(percent)
    assert answer(tab) == said
    tab.locator("#calc-precision").fill("0.0")
    assert " (95 % CI 0.000 to " in answer(tab)


@pytest.mark.parametrize(
    ("mode", "fields"),
    [
        ("counts", {"tp": "5", "fp": "0", "fn": "3", "tn": "8", "level": "99.9", "beta": "0.5"}),
        ("matrix", {"matrix": "a&b c#d\n5 1\n2 7", "level": "80", "beta": "2"}),
        ("printed", {"precision": "97.4 %", "recall": "0.910", "support": "411", "level": "95"}),
        ("models", {"posa": "3", "posb": "17", "posboth": "40", "nega": "0", "level": "90"}),
    ],
)
def test_a_link_brings_the_numbers_back(browser, tab, mode, fields):
    choose(tab, mode)
    for name, text in fields.items():
        tab.locator(f"#calc-form [name={name}]").fill(text)
    said = answer(tab)
    assert said[0] != "C"
    tab.get_by_role("button", name="Copy a link").click()
    tab.locator("#calc-copied", has_text="Link copied.").wait_for()
    link = tab.evaluate("navigator.clipboard.readText()")
    other = browser.new_page()
    other.goto(link)
    assert answer(other) == said
    for name, text in fields.items():
        assert other.locator(f"#calc-form [name={name}]").input_value() == text
    other.close()


def texts(tab):
    """Every text offered, by its name, as the clipboard gets it."""
    tab.evaluate("document.getElementById('calc-more').open = true")
    found = {}
    for button in tab.get_by_role("button", name="Copy:").all():
        name = button.get_attribute("aria-label").removeprefix("Copy: ")
        button.click()
        tab.locator("#calc-copied", has_text=f"{name} copied.").wait_for()
        found[name] = tab.evaluate("navigator.clipboard.readText()")
    return found


@pytest.mark.parametrize("method", ["wilson_indirect", "wilson_direct", "clopper_pearson", "wald"])
@pytest.mark.parametrize("level", ["95", "90"])
def test_texts_to_copy_say_the_same(tab, method, level):
    tab.locator("#calc-level").fill(level)
    answer(tab)
    tab.locator("#calc-quoted").select_option(method)
    offered = texts(tab)
    interval = f1ci.f1_interval(77, 44, 10, method=method, confidence_level=int(level) / 100)
    name = {"clopper_pearson": "Clopper–Pearson"}.get(method, method.replace("_", " ").capitalize())
    low, high = f"{interval.low:.3f}", f"{interval.high:.3f}"
    assert offered["Sentence"] == f"F1 = 0.740 ({level} % CI {low} to {high}, {name})"
    assert offered["LaTeX"] == rf"$F_{{1}} = 0.740$ ({level}\,\% CI ${low}$ to ${high}$)"
    assert tuple(eval(offered["Python"], {"f1ci": f1ci})) == tuple(interval)
    closed = method != "wilson_direct"
    assert ("R" in offered) == closed
    if closed:
        cells = [Sheet(offered[f"Spreadsheet, {end}"]).value() for end in ("low", "high")]
        # The same steps in another order: some roundings of 1e-16, not the 1e-9 that is promised.
        assert cells == pytest.approx(tuple(interval), rel=1e-12)
    else:
        assert "roots of a quartic equation" in tab.locator("#calc-texts").inner_text()


QUOTES = {
    "counts": {
        "precision/score": ("precision", None),
        "recall/cautious": ("recall", "cautious"),
        "jaccard/score": ("jaccard", None),
        "accuracy/cautious": ("accuracy", "cautious"),
        "f0.5/cautious": (f1ci.metrics.fbeta(0.5), "cautious"),
        "f2/score": (f1ci.metrics.fbeta(2), None),
    },
    "matrix": {"macro": None, "weighted": None, "micro": None, "class 1/wilson_indirect": None},
    "models": {"difference": None, "A/wilson_indirect": None, "B/wilson_indirect": None},
    "printed": {"wald": None},
}


@pytest.mark.parametrize(("mode", "key"), [(m, key) for m in QUOTES for key in QUOTES[m]])
def test_whatever_is_shown_can_be_quoted_with_its_formula(tab, mode, key):
    """The Python line gives the sentence's numbers, and so do the formulas, if there are any."""
    choose(tab, mode)
    if mode == "counts":
        tab.locator("#calc-tn").fill("300")
        answer(tab)
    tab.locator("#calc-quoted").select_option(key)
    said = answer(tab)
    offered = texts(tab)
    assert offered["Sentence"] == said
    ends = [float(x) for x in re.search(r" CI (\S+) to ([\d.-]+)", said).groups()]
    if mode != "printed":
        names = {"f1ci": f1ci, "np": np}
        *items, last = offered["Python"].split("; ")
        exec("; ".join(items), names)
        interval = eval(last, names)
        assert ends == pytest.approx(tuple(interval), abs=5.1e-4)  # three decimals
    if isinstance(QUOTES[mode][key], tuple):
        metric, method = QUOTES[mode][key]
        expected = f1ci.metric_interval([[300, 44], [10, 77]], metric, method=method)
        assert tuple(interval) == tuple(expected)
    if key in ("macro", "weighted", "difference", "wald"):
        assert "R" not in offered
        assert re.search("No (closed form|formula)", tab.locator("#calc-texts").inner_text())
    else:
        cells = [Sheet(offered[f"Spreadsheet, {end}"]).value() for end in ("low", "high")]
        assert cells == pytest.approx(tuple(interval), abs=PROMISED)
    # A link holds what is quoted.
    tab.reload()
    assert answer(tab) == said


def test_python_of_other_scores(tab):
    tab.locator("#calc-beta").fill("2")
    answer(tab)
    offered = texts(tab)
    assert offered["Python"] == "f1ci.metric_interval([[0, 44], [10, 77]], f1ci.metrics.fbeta(2))"
    low, high = score.tversky_limits(77.0, 44.0, 10.0, 0.2, 0.8, -special.ndtri(0.025))
    assert f"{low:.3f} to {high:.3f}, score method" in offered["Sentence"]


def test_planning(tab):
    plan = f1ci.sample_size("f1", half_width=0.02, prevalence=0.25)
    tab.get_by_text("How many items").click()
    tab.locator("#calc-half").fill("0.02")
    tab.locator("#calc-prevalence").fill("25 %")
    said = tab.locator("#calc-planned").inner_text()
    assert f"{plan.positives:,} truly positive items, so about {plan.total:,} items in all" in said
    tab.locator("#calc-half").fill("3")
    assert "“3” does not" in tab.locator("#calc-half-error").inner_text()


def test_two_models(tab):
    said = choose(tab, "models")
    t = {"tp": 60, "posA": 9, "posB": 21, "fn": 12, "fp": 10, "negA": 8, "negB": 14}
    cells = np.array([0, 8, 14, 10, 12, 21, 9, 60], float).reshape(2, 2, 2)
    low, high = score.difference_limits(cells, metrics.f1, -special.ndtri(0.025))
    assert f"(95 % CI {low:.3f} to {high:.3f}, score method; " in said
    assert named(cells) == t | {"tn": 0}
    p = tab.evaluate("t => f1ci.randomisationTest(t)", t)
    assert f"exact randomisation test p = {p:.4f})" in said
    assert "B is better" in tab.locator("#calc-tables").inner_text()
    # The items, written out for the package.
    known = {"np": np, "f1ci": f1ci}
    items, call = texts(tab)["Python"].split("; ")
    exec(items, known)
    difference = eval(call, known)
    f1_a, f1_b = 2 * 69 / (2 * 69 + 24 + 33), 2 * 81 / (2 * 81 + 18 + 21)
    assert difference.estimate == pytest.approx(f1_b - f1_a, rel=1e-12)
    assert f"{difference.estimate:.3f} (95 %" in said


MODES = ["counts", "matrix", "printed", "models"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, address, mode, scheme):
    context = browser.new_context(color_scheme=scheme)
    tab = context.new_page()
    tab.goto(f"{address}#calc?mode={mode}")
    answer(tab)
    for details in tab.locator("#calc details").all():
        details.evaluate("d => { d.open = true; }")
    first = "#calc-matrix" if mode == "matrix" else "#calc-level"
    found = []
    for text in (None, "wrong"):
        if text:
            tab.locator(first).fill(text)
            answer(tab)
        found += Axe().run(tab, "#calc").response["violations"]
    context.close()
    assert [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found] == []


@pytest.mark.parametrize("mode", MODES)
def test_it_fits_a_phone(browser, address, mode):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    tab.goto(f"{address}#calc?mode={mode}")
    answer(tab)
    for details in tab.locator("#calc details").all():
        details.evaluate("d => { d.open = true; }")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    small = tab.evaluate(
        """() => [...document.querySelectorAll("#calc :is(input, button, select, summary)")]
        .filter((e) => e.type !== "radio" && e.offsetParent)
        .filter((e) => e.getBoundingClientRect().height < 24)
        .map((e) => e.outerHTML)"""
    )
    tab.close()
    assert small == []  # WCAG 2.2, target size (minimum)


def test_without_scripts_the_formula_is_there(browser, address):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(address)
    assert "replace each end point p by 2p / (1 + p)" in tab.locator("#calc").inner_text()
    assert not tab.locator("#calc-form").is_visible()
    context.close()
