"""The calculator and the explorer of coverage in Chromium: kernels, readers, interface.

The pages are opened from the file system, in the book's theme and without a server.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import oracle
import pytest
from axe_playwright_python.sync_playwright import Axe
from compendium import ROOT
from scipy import special
from test_pasted import CROSSTAB, TABS, TEXTS, M

import f1ci
from notebooks.shared import kernels, one_score

pytestmark = pytest.mark.slow

# What the calculator promises. Observed: below 2e-15, except for Beta quantiles of counts near
# 1e12, where SciPy's are up to 5e-11 off (judged with 40 digits).
PROMISED = 1e-9
LEVELS = [0.5, 0.95, 0.9999]
WEIGHTS = [(0.5, 0.5), (0.8, 0.2), (0.1, 0.9)]
F1_METHODS = {
    "wilson_indirect": "wilsonIndirect",
    "wilson_direct": "wilsonDirect",
    "clopper_pearson": "clopperPearson",
    "wald": "wald",
}

CONF = """\
extensions = ["myst_parser"]
html_theme = "sphinx_book_theme"
html_static_path = ["book/_static"]
html_css_files = ["book.css"]
html_js_files = ["ledger.js"]
"""
BLOCK = "```{{raw}} html\n:file: _static/{}.html\n```\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with the blocks that the book's front page has."""
    root = tmp_path_factory.mktemp("calculator")
    shutil.copytree(ROOT / "book" / "_static", root / "book" / "_static")
    (root / "conf.py").write_text(CONF)
    (root / "index.md").write_text("# Root\n\n```{toctree}\nbook/page\n```\n")
    blocks = "\n".join(BLOCK.format(name) for name in ("calculator", "explorer"))
    (root / "book" / "page.md").write_text("# Page\n\n" + blocks)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", root, root / "html"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return (root / "html" / "book" / "page.html").as_uri()


@pytest.fixture(scope="module")
def kernel_tab(browser, address):
    tab = browser.new_page()
    tab.goto(address)
    yield tab
    tab.close()


@pytest.fixture(scope="module")
def evaluate(kernel_tab):
    """``evaluate("c => ...", data)``: the expression for every element, as an array."""
    return lambda expression, data: np.array(
        kernel_tab.evaluate(f"data => data.map({expression})", data), dtype=float
    )


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


# Kernels


def count_vectors(number=2000):
    """Counts of every size up to 1e12, and the edges."""
    rng = np.random.default_rng(20240915)
    sizes = rng.choice([1, 2, 5, 30, 300, 3000, 10**6, 10**9, 10**12], (number, 3))
    edges = [*itertools.product([0, 1, 7, 10**12], repeat=3)]
    return np.vstack([rng.integers(0, sizes, endpoint=True), edges])


COUNTS = count_vectors()


def package_limits(function, *args, **options):
    """Both ends as rows; warnings are of no interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = function(*args, **options)
    return np.stack([interval.low, interval.high], axis=-1)


def tversky_limits(counts, a, b, method, level):
    x, y, w = np.asarray(counts).astype(np.int64).T
    matrix = np.stack([0 * x, y, w, x], axis=-1).reshape(-1, 2, 2)
    metric = f1ci.metrics.tversky(a, b)
    return package_limits(
        f1ci.metric_interval, matrix, metric, method=method, confidence_level=level
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", F1_METHODS)
def test_f1_intervals(evaluate, method, level):
    counts = COUNTS[COUNTS.sum(axis=1) > 0]
    kernel = F1_METHODS[method]
    tp, fp, fn = counts.T
    theirs = package_limits(f1ci.f1_interval, tp, fp, fn, method=method, confidence_level=level)
    ours = evaluate(f"c => f1ci.{kernel}(c[0], c[1], {level})", np.c_[tp, fp + fn].tolist())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)
    # Nothing known, nothing said.
    assert evaluate(f"c => f1ci.{kernel}(c, c, {level})", [0]).tolist() == [[0, 1]]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("a", "b"), [*WEIGHTS, (1, 1), (1, 0), (0, 1)])
@pytest.mark.parametrize("method", ["score", "cautious"])
def test_tversky_intervals(evaluate, method, a, b, level):
    defined = COUNTS[COUNTS @ (1, a, b) > 0]
    ours = evaluate(f"c => f1ci.tversky.{method}(...c, {a}, {b}, {level})", defined.tolist())
    theirs = tversky_limits(defined, a, b, method, level)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)


def matrices(r, number):
    """Tables with few items and with many, in which every class has some."""
    rng = np.random.default_rng(r)
    sizes = rng.choice([1, 3, 20, 1000, 10**8], (number, 1, 1))
    made = rng.integers(0, sizes, (number, r, r), endpoint=True) * (rng.random((r, r)) < 0.8)
    return made[((made.sum(axis=1) + made.sum(axis=2)) > 0).all(axis=1)]


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("r", [2, 3, 7])
def test_averages(evaluate, r, average):
    tables = matrices(r, 300)
    for a, b in WEIGHTS:
        metric = getattr(f1ci.metrics, average)(f1ci.metrics.tversky(a, b))
        flag = str(average == "weighted").lower()
        ours = evaluate(f"m => f1ci.meanScore(m, {a}, {b}, 0.95, {flag})", tables.tolist())
        theirs = package_limits(f1ci.metric_interval, tables, metric)
        # The page takes second derivatives by differences, to six digits. Of tables that do not
        # come to rest rounding may decide how far a round moves them.
        away = np.abs(np.array(ours) - theirs).max(axis=1)
        assert (away > 1e-5).mean() < 0.01
        assert away.max() < 0.02


def named(cells):
    """Counts by truth, A and B, by the names that the calculator gives them."""
    names = ["tn", "negA", "negB", "fp", "fn", "posB", "posA", "tp"]
    return dict(zip(names, (int(n) for n in np.ravel(cells)), strict=True))


def test_differences(evaluate):
    rng = np.random.default_rng(7)
    cells = [rng.integers(0, n + 1, (2, 2, 2)) for n in rng.choice([2, 5, 40, 500], 300)]
    cells += [np.array([1, *c]).reshape(2, 2, 2) for c in itertools.product((0, 2), repeat=7)]
    relevant = [
        c for c in cells if (c[1].sum() + np.array([c[0, 1].sum(), c[0, :, 1].sum()])).min()
    ]
    for a, b in WEIGHTS:
        metric = f1ci.metrics.tversky(a, b)
        theirs = [
            package_limits(f1ci.difference_interval, *kernels.labels(c), metric) for c in relevant
        ]
        call = f"t => f1ci.differenceScore(t, {a}, {b}, 0.95)"
        ours = evaluate(call, [named(c) for c in relevant])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)


def test_randomisation_of_few_and_of_many_items(evaluate):
    rng = np.random.default_rng(8)
    few = [rng.integers(0, 3, (2, 2, 2)) for _ in range(40)]
    few = [c for c in few if c[1].sum() and c[1, 1, 1]]
    # By all swaps, in fractions.
    expected = [oracle.swap_p_value(*kernels.labels(c), 0.5, 0.5) for c in few]
    ours = evaluate("t => f1ci.randomisationTest(t)", [named(c) for c in few])
    np.testing.assert_allclose(ours, [float(p) for p in expected], rtol=1e-13)
    many = [rng.integers(0, 400, (2, 2, 2)) for _ in range(20)]
    expected = [f1ci.methods.paired.exact_p_value(c, 0.5, 0.5) for c in many]
    ours = evaluate("t => f1ci.randomisationTest(t)", [named(c) for c in many])
    np.testing.assert_allclose(ours, expected, rtol=1e-10)


def test_sample_sizes(evaluate):
    call = """([b, half, share]) => {
        const w = f1ci.fbetaWeights(b);
        const plan = f1ci.sampleSize(w.a, w.b, half, share, 0.95);
        return [plan.positives, plan.total];
    }"""
    cases = [*itertools.product([0.05, 0.5, 1, 2], [0.01, 0.037, 0.2], [0.01, 0.6, 1])]
    plans = [
        f1ci.sample_size(f1ci.metrics.fbeta(beta), half_width=half, prevalence=share)
        for beta, half, share in cases
    ]
    assert evaluate(call, cases).tolist() == [[plan.positives, plan.total] for plan in plans]


@pytest.mark.parametrize(
    ("precision", "recall", "positives"),
    [("0.64", "0.89", 87), ("0.5", "0.3", 23), ("0.875", "0.333", 48), ("1.00", "1.00", 150)],
)
def test_counts_that_fit_a_rounding(evaluate, precision, recall, positives):
    def half(printed):
        return Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))

    def rounds(value, total, printed):  # a tie rounds to either side
        return abs(Fraction(value, total) - Fraction(printed)) <= half(printed)

    expected = {
        (tp, fp)
        for tp in range(1, positives + 1)
        if rounds(tp, positives, recall)
        for fp in range(2000)
        if rounds(tp, tp + fp, precision)
    }
    bands = [
        [float(x) - float(half(x)), min(1.0, float(x) + float(half(x)))]
        for x in (precision, recall)
    ]
    call = "c => f1ci.fittingCounts(...c).map(({tp, from, to}) => [tp, from, to])"
    rows = evaluate(call, [[*bands, positives]])[0]
    found = {(int(tp), fp) for tp, low, high in rows for fp in range(int(low), int(high) + 1)}
    assert found == expected


# Explorer of coverage


@pytest.mark.parametrize("method", F1_METHODS)
@pytest.mark.parametrize("v", [1, 7, 50, 200])
def test_the_explorer_has_the_exact_coverage_and_its_infimum(kernel_tab, method, v):
    found = kernel_tab.evaluate("([m, v]) => explorer.study(m, v, 0.95)", [F1_METHODS[method], v])
    # Inside every piece the coverage is f1ci's exact one, which sums over tables of counts.
    for piece in found["pieces"][:: max(1, len(found["pieces"]) // 12)]:
        f1, coverage = piece[len(piece) // 2]
        share = f1 / (2 - f1)
        exact = f1ci.coverage.exact(v, [share, 1 - share, 0, 0], method=method)
        assert coverage == pytest.approx(exact.coverage, abs=1e-8)
    interval = one_score.Interval.of(v, method, 0.95)
    # Its sides are 1e-11 from the end points; the slope is of order v.
    assert found["least"] == pytest.approx(interval.least_coverage()[0], abs=1e-7)


def test_the_explorer_says_what_it_draws(kernel_tab):
    explorer = kernel_tab.locator("#explorer")
    says, curve = explorer.locator(".explorer-says"), explorer.locator("polyline")
    # The table of "Choosing a method" has .838 at v = 50.
    assert "83.8 % at worst, near 0.0071" in says.inner_text()
    before = curve.get_attribute("points")
    lowest = max(float(pair.split(",")[1]) for pair in before.split())
    dot = float(explorer.locator(".least").get_attribute("cy"))
    assert lowest == pytest.approx(dot, abs=0.06)
    explorer.get_by_label("Relevant items v").fill("10")
    explorer.get_by_label("Wald").check()
    assert says.inner_text().startswith("Wald, v = 10:")
    assert curve.get_attribute("points") != before


# Formulas to copy


SHEET_FUNCTIONS = {
    "SQRT": np.sqrt,
    "ACOS": np.arccos,
    "COS": np.cos,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "PI": lambda: np.pi,
    "IF": lambda condition, yes, no: yes if condition else no,
    "NORM_S_INV": special.ndtri,
    "BETA_INV": lambda p, a, b: special.betaincinv(a, b, p),
}


def sheet(formula):
    """What a spreadsheet makes of a formula `=LET(name,value,...,result)`.

    Python agrees with spreadsheets on the rest of the grammar, if no sign stands before a power
    and no power in a power: Microsoft, "Calculation operators and precedence in Excel".
    """
    assert re.fullmatch(r"=LET\(.*\)", formula)
    assert not re.search(r"(^|[(,=])-[^,()]*\^|\^[\d.a-z]+\^", formula)
    text = formula[len("=LET(") : -1].replace("^", "**").replace("=", "==")
    text = re.sub(r"([A-Z])\.(?=[A-Z])", r"\1_", text)
    depth, parts = 0, [""]
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    names = {}
    with np.errstate(all="ignore"):
        for name, value in zip(parts[:-1:2], parts[1:-1:2], strict=True):
            # Cells (x1), R and C are no names in spreadsheets.
            assert re.fullmatch(r"[abd-qs-z][a-z]*|[rc][a-z]+", name)
            names[name] = np.float64(eval(value, SHEET_FUNCTIONS, names))
        return float(eval(parts[-1], SHEET_FUNCTIONS, names))


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
    if method in ("score", "cautious"):
        return tversky_limits(counts, weights["a"], weights["b"], method, level)
    return package_limits(f1ci.f1_interval, *counts.T, method=method, confidence_level=level)


@pytest.fixture(scope="module")
def formulas(kernel_tab):
    """The texts of the closed form for each row of counts."""
    call = """([method, weights, level, rows]) => rows.map(([x, y, w]) =>
        closedForm(method, {x, y, w, ...weights}, level))"""
    return lambda *asked: kernel_tab.evaluate(call, list(asked))


@pytest.mark.parametrize(("method", "weights"), FORMULAS)
def test_formulas_say_what_the_package_says(formulas, method, weights):
    counts = count_vectors(60)
    if method in ("cautious", "clopper_pearson"):
        # Beta quantiles of R and of SciPy part from one another beyond.
        counts = counts[counts.max(axis=1) <= 1e6]
    counts = counts[counts.sum(axis=1) > 0]
    texts, expected = [], []
    for level in LEVELS:
        texts += formulas(method, weights, level, counts.tolist())
        expected.append(limits_of_the_package(method, counts, weights, level))
    sheets = [[sheet(text[end]) for end in ("low", "high")] for text in texts]
    np.testing.assert_allclose(sheets, np.concatenate(expected), rtol=0, atol=PROMISED)
    in_r = evaluated_in_r([text["R"] for text in texts])
    np.testing.assert_allclose(in_r, np.concatenate(expected), rtol=0, atol=PROMISED)


# Pasted matrices

PLAIN = TABS.replace("\t", " ")
TOTALS = PLAIN.replace("1\n", "1 54\n").replace("2\n", "2 67\n") + " 79"
CARET = """          Reference
Prediction cat dog owl
       cat  50   4   0
       dog   3  61   5
       owl   1   2  74"""
# What programs print (and the tests of the command line have), then what people make of it.
FORMS = {  # text: (names, what is noted)
    **{text: (names, "totals" if "totals" in of else "") for of, (text, names) in TEXTS.items()},
    PLAIN.replace(" ", ","): ("012", ""),
    PLAIN.replace(" ", ", ").replace("\n", "; "): ("012", ""),
    "[[5.0e+01 3.0e+00 1.0e+00]\n [4. 61. 2.]\n [0. 5. 74.]]": ("012", ""),
    "array([[50, 3, 1], [4, 61, 2], [0, 5, 74]], dtype=int64)": ("012", ""),
    "$50$ & $3$ & $1$ \\\\ $4$ & $61$ & $2$ \\\\ $0$ & $5$ & $74$": ("012", ""),
    "\tcat\tdog\towl\ncat\t50\t3\t1\ndog\t4\t61\t2\nowl\t0\t5\t74": ("cat dog owl", ""),
    "1 50 3 1\n2 4 61 2\n3 0 5 74": ("123", "first column is read as names"),
    CARET: ("cat dog owl", "rows and columns were exchanged"),
    f"{TOTALS}\n54 69 77 200": ("012", "totals, were left out"),
    TOTALS: ("012", "last column, a total"),
    ",a,b,c,Sum\na,50,3,1,55\nb,4,61,2,67\nc,0,5,74,79": ("abc", "not all are sums"),
}


@pytest.mark.parametrize("text", FORMS)
def test_a_matrix_is_read_in_many_forms(kernel_tab, text):
    names, note = FORMS[text]
    found = kernel_tab.evaluate("text => reader.readMatrix(text)", text)
    assert found["matrix"] == M
    wanted = names.split() if isinstance(names, str) and " " in names else list(names)
    assert found["labels"] == wanted
    assert note in " ".join(found["notes"])
    assert bool(note) == bool(found["notes"])


def test_a_comma_may_stand_for_thousands(kernel_tab):
    found = kernel_tab.evaluate("text => reader.readMatrix(text)", "1,234 56\n78 2,345")
    assert found["matrix"] == [[1234, 56], [78, 2345]]


# Interface


def answer(tab):
    """What the calculator says once it has taken in the last key, for which it waits 120 ms."""
    tab.evaluate("() => new Promise((done) => setTimeout(done, 130))")  # so its timer ends first
    return tab.locator("#calc-answer").inner_text()


def choose(tab, mode):
    tab.locator(f"input[name=mode][value={mode}]").check()
    return answer(tab)


def copied(tab, button, name):
    button.click()
    tab.locator("#calc-copied", has_text=f"{name} copied.").wait_for()
    return tab.evaluate("navigator.clipboard.readText()")


def texts(tab):
    """Every text offered, by its name, as the clipboard gets it."""
    tab.evaluate("document.getElementById('calc-more').open = true")
    found = {}
    for button in tab.get_by_role("button", name="Copy:").all():
        name = button.get_attribute("aria-label").removeprefix("Copy: ")
        found[name] = copied(tab, button, name)
    return found


def run(code):
    """What the Python line gives, run as it is pasted."""
    *lines, last = code.split("\n")
    names = {}
    exec("\n".join(lines), names)
    assert last.startswith("print(")
    return eval(last[len("print") :], names)


def test_the_first_number_is_there_at_once(tab):
    # Lam, Gopal and Qian (2024), section 6.
    assert answer(tab) == "F1 = 0.740 (95 % CI 0.669 to 0.801, Wilson score)"
    rows = tab.locator("#calc-tables table").first.locator("tbody tr").all_inner_texts()
    assert rows[1].split("\t") == ["Wilson direct", "0.664", "0.799", "0.135"]
    assert "Wald: 0.674 to 0.807" in tab.locator("svg.calc-drawing").get_attribute("aria-label")


def test_it_works_by_keyboard_alone(tab):
    tab.keyboard.press("Tab")
    assert tab.locator(":focus").inner_text() == "Skip to the calculator"
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")  # to the first of all choices
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


@pytest.mark.parametrize(
    ("mode", "name", "text", "sentence"),
    [
        ("counts", "tp", "", "Give the number of true positives."),
        ("counts", "tp", "-3", "not “-3”"),
        ("counts", "level", "0.95", "write 95 for “0.95”"),
        ("counts", "beta", "0,5", "Write a decimal point, not a comma: “0.5”."),
        ("printed", "precision", "64", "“64” is above 1; write “64 %”"),
        ("files", "predictions", "id,y\n1,0,1", "Line 2 has 3 cells, the first line has 2."),
        ("matrix", "matrix", "\n\n5 1\n\n2 x", "“x” in line 5 is not a number"),
        ("matrix", "matrix", "a b\n5 1\n2 60.5", "“60.5” in line 3 is not a number"),
        ("matrix", "matrix", "5 2000000000000\n1 1", "“2000000000000” in line 1 is more than"),
        ("matrix", "matrix", "1 2 3\n4 5 6", "2 lines of 3 numbers; it needs as many lines as"),
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
    field.fill(before)
    assert " = " in answer(tab)
    assert error.count() == 0


def test_edges_are_said(tab):
    notes = tab.locator("#calc-notes")
    for name in ("tp", "fp", "fn"):
        tab.locator(f"#calc-{name}").fill("0")
    assert answer(tab) == "F1 = undefined (95 % CI 0.000 to 1.000, Wilson score)"
    assert "any value is possible" in notes.inner_text()
    tab.locator("#calc-tp").fill("30")
    assert answer(tab) == "F1 = 1.000 (95 % CI 0.940 to 1.000, Wilson score)"
    assert "Wald has no width" in notes.inner_text()
    choose(tab, "matrix")
    tab.locator("#calc-matrix").fill("4 1 0\n1 5 0\n0 0 0")
    # Two classes are left: the positive one comes first.
    assert answer(tab).startswith("F1 of 1 = 0.833")
    assert "no item belongs to the class or is predicted as it: 2." in notes.inner_text()
    assert "The last of the two classes, “1”, is the positive class" in notes.inner_text()


def test_a_pasted_matrix_gets_its_averages(tab):
    choose(tab, "matrix")
    tab.locator("#calc-matrix").fill(str(CROSSTAB))
    interval = f1ci.metric_interval(M, "macro_f1")
    said = "macro F1 = {:.3f} (95 % CI {:.3f} to {:.3f}, Wilson score)"
    said = said.format(interval.estimate, interval.low, interval.high)
    assert answer(tab) == said
    classes = tab.locator("#calc-tables table").nth(1).locator("tbody tr")
    assert classes.nth(1).inner_text().startswith("b\t0.897\t")  # 2 * 61 / (67 + 69)
    # The shared link holds the matrix as it was pasted.
    tab.goto(tab.url)
    tab.reload()
    assert answer(tab) == said


def test_printed_numbers_give_an_envelope(tab):
    # 43 or 44 false positives fit.
    tables = [f1ci.f1_interval(77, fp, 10) for fp in (43, 44)]
    low, high = min(i.low for i in tables), max(i.high for i in tables)
    said = choose(tab, "printed")
    assert f"F1 = 0.740 to 0.744 (95 % CI {low:.3f} to {high:.3f}, Wilson score" in said
    assert "over 2 tables of counts" in said
    for percent, name in (("64 %", "precision"), ("89%", "recall")):
        tab.locator(f"#calc-{name}").fill(percent)
    assert answer(tab) == said


@pytest.mark.parametrize(
    ("mode", "fields"),
    [
        ("matrix", {"matrix": "a&b c#d\n5 1\n2 7".replace("&", "+"), "level": "80", "beta": "2"}),
        ("models", {"posa": "3", "posb": "17", "posboth": "40", "nega": "0", "level": "90"}),
    ],
)
def test_a_link_brings_the_numbers_back(browser, tab, mode, fields):
    choose(tab, mode)
    for name, text in fields.items():
        tab.locator(f"#calc-form [name={name}]").fill(text)
    said = answer(tab)
    assert said[0] != "C"
    link = copied(tab, tab.get_by_role("button", name="Copy a link"), "Link")
    other = browser.new_page()
    other.goto(link)
    assert answer(other) == said
    for name, text in fields.items():
        assert other.locator(f"#calc-form [name={name}]").input_value() == text
    other.close()


def test_texts_to_copy_say_the_same(tab):
    tab.locator("#calc-level").fill("90")
    tab.locator("#calc-tn").fill("702")
    answer(tab)
    offered = texts(tab)
    interval = f1ci.f1_interval(77, 44, 10, confidence_level=0.9)
    low, high = f"{interval.low:.3f}", f"{interval.high:.3f}"
    assert offered["Sentence"] == (
        f"The classifier reached F1 = 0.740 (90 % CI {low} to {high}, Wilson score method) "
        "on 833 items, 87 of them positive."
    )
    assert (
        offered["LaTeX"]
        == rf"$F_{{1}} = 0.740$ (90\,\% CI ${low}$ to ${high}$, Wilson score method)"
    )
    assert "2309.14621" in offered["Reference"]
    assert tuple(run(offered["Python"])) == tuple(interval)


QUOTES = {
    "counts": {
        **{method: ("f1", method) for method in F1_METHODS},
        "precision/score": ("precision", None),
        "recall/cautious": ("recall", "cautious"),
        "accuracy/cautious": ("accuracy", "cautious"),
        "f0.5/cautious": (f1ci.metrics.fbeta(0.5), "cautious"),
        "f2/score": (f1ci.metrics.fbeta(2), None),
    },
    "matrix": {"macro": None, "weighted": None, "micro": None, "class 1/wilson_indirect": None},
    "models": {"difference": None, "A/wilson_indirect": None},
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
    numbers = re.search(r"[\d.]+ \(95 % CI (\S+) to ([\d.-]+)", said)
    assert numbers.group() in offered["Sentence"]
    if mode != "printed":
        found = run(offered["Python"])
        interval = found if isinstance(found, f1ci.Interval) else found.interval
        ends = [float(end) for end in numbers.groups()]
        assert ends == pytest.approx(tuple(interval), abs=5.1e-4)  # three decimals
    if isinstance(QUOTES[mode][key], tuple):
        metric, method = QUOTES[mode][key]
        expected = f1ci.metric_interval([[300, 44], [10, 77]], metric, method=method)
        assert tuple(interval) == tuple(expected)
    if key in ("macro", "weighted", "difference", "wilson_direct") or mode == "printed":
        assert "R" not in offered
        assert re.search(
            "No (closed form|formula)|roots of a quartic", tab.locator("#calc-texts").inner_text()
        )
    else:
        cells = [sheet(offered[f"Spreadsheet, {end}"]) for end in ("low", "high")]
        assert cells == pytest.approx(tuple(interval), abs=PROMISED)
    # A link holds what is quoted.
    tab.reload()
    assert answer(tab) == said


def test_planning(tab):
    plan = f1ci.sample_size("f1", half_width=0.02, prevalence=0.25)
    tab.get_by_text("How many items").click()
    tab.locator("#calc-half").fill("0.02")
    tab.locator("#calc-prevalence").fill("25 %")
    said = tab.locator("#calc-planned").inner_text()
    assert f"{plan.positives:,} truly positive items, so about {plan.total:,} items in all" in said


def test_two_models_from_counts(tab):
    said = choose(tab, "models")
    test = run(texts(tab)["Python"])
    low, high = test.interval.low, test.interval.high
    assert f"{test.estimate:.3f} (95 % CI {low:.3f} to {high:.3f}, Wilson score; " in said
    assert f"exact randomisation test p = {test.p_value:.4f})" in said
    assert test.estimate == pytest.approx(2 * 81 / (2 * 81 + 18 + 21) - 2 * 69 / (2 * 69 + 24 + 33))
    assert "B is better" in tab.locator("#calc-tables").inner_text()


# Predictions

ROWS = [
    ("u", 1, 1, 1),
    ("v", 1, 0, 1),
    ("w", 0, 0, 0),
    ("x", 0, 1, 0),
    ("y", 1, 1, 0),
    ("z", 1, 1, 1),
]


def said_of(rows):
    true, a, b = np.array([row[1:] for row in rows]).T
    test = f1ci.difference_test(true, a, b, method="exact")
    low, high = test.interval.low, test.interval.high
    return f"F1 of B minus F1 of A = {test.estimate:.3f} (95 % CI {low:.3f} to {high:.3f}"


def table(columns, rows, separator=","):
    return "\n".join(separator.join(map(str, line)) for line in [columns, *rows])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_pasted_predictions_are_compared(tab, separator):
    choose(tab, "files")
    text = table(["id", "y_true", "old", "new"], ROWS, separator)
    tab.locator("#calc-predictions").fill(text)
    assert answer(tab).startswith(said_of(ROWS))
    assert "6 items; F1 of “1”." in tab.locator("#calc-notes").inner_text()
    # Other columns may be chosen; the link holds counts and no predictions.
    tab.locator("#calc-column-a").select_option("new")
    tab.locator("#calc-column-b").select_option("old")
    swapped = [(key, true, b, a) for key, true, a, b in ROWS]
    said = answer(tab)
    assert said.startswith(said_of(swapped))
    link = copied(tab, tab.get_by_role("button", name="Copy a link"), "Link")
    assert "old" not in link
    tab.goto("about:blank")
    tab.goto(link)
    assert answer(tab) == said


def upload(tab, **files):
    tab.locator("#calc-files").set_input_files(
        [
            {"name": f"{name}.csv", "mimeType": "text/csv", "buffer": text.encode()}
            for name, text in files.items()
        ]
    )
    return answer(tab)


def test_two_files_are_joined_by_the_names_of_the_items(tab):
    choose(tab, "files")
    first = table(["id", "y", "pred"], [row[:3] for row in ROWS])
    second = table(["id", "y", "pred"], [(k, t, b) for k, t, _, b in ROWS[::-1][1:]])
    said = upload(tab, a=first, b=second)
    assert said.startswith(said_of(ROWS[:-1]))
    notes = tab.locator("#calc-notes").inner_text()
    assert "Matched by the column “id”." in notes
    assert "1 item is in one file only" in notes
    # Labels that differ are not passed over.
    upload(tab, a=first, b=second.replace("u,1", "u,0"))
    assert "differ in 1 item" in tab.locator("#calc-notes").inner_text()


# For everyone


def open_all(tab, address, mode):
    tab.goto(address)
    choose(tab, mode)
    for details in tab.locator("#calc details").all():
        details.evaluate("d => { d.open = true; }")


MODES = ["counts", "matrix", "printed", "models", "files"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(tab, address, mode, scheme):
    tab.emulate_media(color_scheme=scheme)
    open_all(tab, address, mode)
    found = Axe().run(tab, "#calc", {"resultTypes": ["violations"]}).response["violations"]
    assert [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found] == []


@pytest.mark.parametrize("mode", MODES)
def test_it_fits_a_phone(browser, address, mode):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    open_all(tab, address, mode)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    # No name of a row is broken: each stands on one line of about 1.5 times its size.
    heights = tab.evaluate(
        """() => [...document.querySelectorAll("#calc tbody th")].filter((e) => e.offsetParent)
        .map((e) => [e.innerText, e.getClientRects()[0].height])"""
    )
    assert [name for name, height in heights if height > 40] == []
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
