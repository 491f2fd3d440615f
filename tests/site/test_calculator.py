"""The calculator's page in Chromium: one box, what was understood, the result, and texts to copy.

The page is opened from the file system, in the book's theme and without a server. The kernels are
in `test_kernels.py`, the reader is in `test_reader.py`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from compendium import ROOT
from compendium.book import shared_words
from scipy.stats import binom, binomtest

import f1ci

pytestmark = pytest.mark.slow

CONF = """\
extensions = ["myst_parser"]
html_theme = "sphinx_book_theme"
html_static_path = ["book/_static"]
html_css_files = ["book.css", "calculator.css"]
html_js_files = ["ledger.js"]
"""
BLOCK = "```{{raw}} html\n:file: _static/{}.html\n```\n"
FIRST = "F1 = 0.740 (95 % CI 0.669 to 0.801, Wilson score)"  # Lam, Gopal and Qian (2024), section 6


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with the blocks that the book's front page has."""
    root = tmp_path_factory.mktemp("calculator")
    shutil.copytree(ROOT / "book" / "_static", root / "book" / "_static")
    (root / "book" / "_static" / "words.js").write_text(shared_words(ROOT))
    (root / "conf.py").write_text(CONF)
    (root / "index.md").write_text("# Root\n\n```{toctree}\nbook/page\n```\n")
    blocks = "\n".join(BLOCK.format(name) for name in ("calculator", "explorer"))
    (root / "book" / "page.md").write_text("# Page\n\n" + blocks)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", root, root / "html"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return (root / "html" / "book" / "page.html").as_uri()


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


def answer(tab):
    """What the calculator says once it has taken in the last key, for which it waits 120 ms."""
    tab.evaluate("() => new Promise((done) => setTimeout(done, 130))")  # so its timer ends first
    return tab.locator("#calc-answer").inner_text()


def paste(tab, text):
    tab.locator("#calc-text").fill(text)
    return answer(tab)


def example(tab, name):
    tab.get_by_role("button", name=name, exact=True).click()
    return answer(tab)


def nothing_is_shown(tab):
    """No number of an earlier input is left anywhere, and nothing can be copied."""
    shown = tab.locator("#calc-result").inner_text()
    assert not re.search(r"\d", shown), shown
    assert tab.get_by_role("button", name="Copy").count() == 0
    assert tab.locator("svg.calc-drawing").count() == 0
    return shown


def copied(tab, button, name):
    button.click()
    tab.locator("#calc-copied", has_text=f"{name} copied.").wait_for()
    return tab.evaluate("navigator.clipboard.readText()")


def texts(tab):
    """Every text offered, by its name, as the clipboard gets it."""
    tab.evaluate("document.querySelector('.calc-copy details').open = true")
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


def upload(tab, **files):
    tab.locator("#calc-files").set_input_files(
        [
            {
                "name": name.replace("_", "."),
                "mimeType": "text/plain",
                "buffer": text if isinstance(text, bytes) else text.encode(),
            }
            for name, text in files.items()
        ]
    )
    return answer(tab)


# One box


def test_the_first_number_is_there_at_once(tab):
    assert answer(tab) == FIRST
    rows = tab.locator("#calc-tables table").first.locator("tbody tr").all_inner_texts()
    recall = f1ci.Matrix([[0, 44], [10, 77]]).interval("recall")
    numbers = [f"{x:.3f}" for x in (recall.estimate, recall.low, recall.high)]
    assert rows[2].split("\t") == ["Recall", *numbers]
    said = tab.locator("svg.calc-drawing").get_attribute("aria-label")
    assert f"Recall: {numbers[1]} to {numbers[2]}" in said


# What each example is understood as.
EXAMPLES = {
    "counts": "counts: TP 77, FP 44, FN 10",
    "confusion matrix": "a confusion matrix of 3 classes, true classes in rows",
    "report": "a report of 2 classes and 833 items",
    "precision and recall": "precision and recall, and 87 truly positive items",
    "predictions": "a table of predictions with 8 lines",
    "two models": "a table of predictions with 8 lines",
}


def test_every_example_is_understood_and_answered(tab):
    for name, said in EXAMPLES.items():
        assert re.search(r" = .*\(95 % CI ", example(tab, name)), name
        assert said in tab.locator("#calc-readings").inner_text()


THREE = [[50, 3, 1], [4, 61, 2], [0, 5, 74]]


def supports(tab):
    """How many items each class has, by the table."""
    rows = tab.locator("#calc-tables table").nth(1).locator("tbody tr").all_inner_texts()
    return [row.split("\t")[-1] for row in rows]


def test_a_matrix_has_an_average_and_its_classes(tab):
    interval = f1ci.Matrix(THREE).interval("macro_f1")
    said = f"macro F1 = {interval.estimate:.3f} (95 % CI {interval.low:.3f} to {interval.high:.3f}"
    assert paste(tab, table([], THREE, " ")).startswith(said)
    classes = tab.locator("#calc-tables table").nth(1).locator("tbody tr")
    assert classes.nth(1).inner_text().startswith("1\t0.897\t")  # 2 * 61 / (67 + 69)


def test_a_class_without_items_makes_the_limits_of_macro_f1_wide(tab):
    """The table's line of Python gives the same limits: the class is in its matrix."""
    unseen = [[50, 3, 1, 0], [4, 61, 2, 0], [0, 5, 74, 0], [0, 0, 0, 0]]
    with pytest.warns(f1ci.UndefinedMetricWarning):
        interval = f1ci.Matrix(unseen).interval("macro_f1")
    said = f"macro F1 = {interval.estimate:.3f} (95 % CI {interval.low:.3f} to {interval.high:.3f}"
    assert paste(tab, table([], unseen, " ")).startswith(said)
    assert "No item belongs to 3 or is predicted" in tab.locator("#calc-notes").inner_text()
    assert supports(tab) == ["54", "67", "79"]
    with pytest.warns(f1ci.UndefinedMetricWarning):
        assert tuple(run(texts(tab)["Python"])) == tuple(interval)


def test_many_classes_have_averages(tab):
    many = (np.eye(40, dtype=int) * 5 + np.eye(40, k=1, dtype=int)).tolist()
    interval = f1ci.Matrix(many).interval("macro_f1")
    said = f"macro F1 = {interval.estimate:.3f} (95 % CI {interval.low:.3f} to {interval.high:.3f}"
    assert paste(tab, table([], many, " ")).startswith(said)


def test_another_reading_is_one_click_away(tab):
    paste(tab, table([], THREE, " "))
    assert supports(tab) == ["54", "67", "79"]
    tab.get_by_label("predictions in rows (turned)").check()
    answer(tab)
    assert tab.locator(":focus").get_attribute("name") == "as"  # the keyboard stays there
    assert supports(tab) == ["54", "69", "77"]
    tab.goto(tab.url)
    tab.reload()  # the link holds the choice
    assert supports(tab) == ["54", "69", "77"]


def test_a_question_waits_for_its_answer(tab):
    assert paste(tab, "702 44 10 77") == "Answer the question above first."
    assert "In which order are these numbers?" in tab.locator("#calc-readings").inner_text()
    nothing_is_shown(tab)
    tab.get_by_label("counts: TP 77, FP 44, FN 10, TN 702").check()
    assert answer(tab) == FIRST
    paste(tab, "F1 = 0.74, n = 833")
    nothing_is_shown(tab)
    tab.get_by_label("F1, and 833 items in all").check()
    assert answer(tab).startswith("This is too little for an interval.")
    tab.get_by_label("F1, and 833 truly positive items").check()
    assert answer(tab).startswith("F1 = 0.735 to 0.745 (95 % CI ")


BAD = [
    ("text", "", "Type or paste what you have."),
    ("text", "TP=-3 FP=1 FN=1", "“-3” is not a number of items."),
    ("text", "0.9 0.1\n0.2 0.8", "give the counts"),
    ("text", "id,truth,pred\n1,1,1\n2,0,NA\n3,0,0\n", "Line 3 has no label in “pred”"),
    ("text", "id,y\n1,0,1\n", "Line 2 has 3 cells, the first line has 2."),
    ("text", "TP=77 FP=44 FN=ten", "“ten” is not a number of items."),
    # The browser says these two.
    ("level", "0.95", "greater than or equal to 50"),
    ("beta", "", "fill out this field"),
]


@pytest.mark.parametrize("before", ["counts", "confusion matrix", "predictions"])
def test_bad_input_is_explained_and_no_old_answer_stays(tab, before):
    example(tab, before)
    for name, text, sentence in BAD:
        field = tab.locator(f"#calc-{name}")
        good = field.input_value()
        field.fill(text)
        assert answer(tab) == "Correct the marked field first."
        nothing_is_shown(tab)
        assert field.get_attribute("aria-invalid") == "true"
        error = tab.locator(f"#{field.get_attribute('aria-describedby')}")
        assert sentence in error.inner_text()
        field.fill(good)
        assert " = " in answer(tab)
        assert not error.is_visible()


def test_edges_are_said(tab):
    notes = tab.locator("#calc-notes")
    said = paste(tab, "TP=0 FP=0 FN=0")
    assert said == "F1 = undefined (95 % CI 0.000 to 1.000, Wilson score)"
    assert "any value is possible" in notes.inner_text()
    said = paste(tab, "TP=30 FP=0 FN=0")
    assert said == "F1 = 1.000 (95 % CI 0.940 to 1.000, Wilson score)"
    said = paste(tab, "4 1 0\n1 5 0\n0 0 0")
    assert said.startswith("F1 of 1 = 0.833")
    assert "No item belongs to 2 or is predicted as it: its score is not" in notes.inner_text()


def test_the_positive_class_is_named_and_can_be_changed(tab):
    assert paste(tab, "pos neg\n77 10\n44 702").startswith("F1 of pos = 0.740")
    assert tab.locator("#calc-notes").inner_text() == ""
    tab.locator("#calc-positive").select_option("neg")
    assert answer(tab).startswith("F1 of neg = 0.963")


REPORT = """\
      precision recall f1-score support
dog   0.9860    0.9410    0.9630       746
cat   0.6364    0.8851    0.7404        87
"""
UNNAMED = {
    "a matrix": "dog cat\n702 44\n10 77",
    "a report": REPORT,
    "one model": "truth,pred,count\ndog,dog,702\ndog,cat,44\ncat,dog,10\ncat,cat,77",
    "two models": "truth,m1,m2,count\ndog,dog,dog,9\ndog,cat,dog,4\ncat,dog,dog,1\ncat,cat,dog,7",
}


@pytest.mark.parametrize("text", UNNAMED.values(), ids=UNNAMED)
def test_the_positive_class_is_asked_for_if_the_names_do_not_say_it(tab, text):
    assert paste(tab, text) == "Answer the question above first."
    nothing_is_shown(tab)
    assert tab.locator("#calc-columns-error").inner_text() == "Which class is the positive one?"
    assert tab.locator("#calc-positive").input_value() == ""
    tab.locator("#calc-positive").select_option("cat")
    said = answer(tab)
    if "m1" in text:
        assert "F1 of “cat”" in tab.locator("#calc-notes").inner_text()
    else:
        assert said.startswith("F1 of cat = 0.740")


def test_an_old_number_never_stands_beside_a_new_text(tab):
    assert answer(tab) == FIRST
    tab.evaluate("() => { reader.read = () => null.fault; }")
    assert paste(tab, "TP=1 FP=2 FN=3") == "Correct the marked field first."
    nothing_is_shown(tab)
    assert tab.locator("#calc-text-error").inner_text() == "This text cannot be read."


# Scores and counts of units, and pairs

DICE = {"a": [0.91, 0.84, 0.79, 0.88, 0.93, 0.76], "b": [0.92, 0.86, 0.82, 0.89, 0.93, 0.8]}
PATIENTS = ["p1", "p1", "p2", "p2", "p3", "p4"]


def said_of_interval(interval):
    return f"{interval.estimate:.3f} (95 % CI {interval.low:.3f} to {interval.high:.3f}, "


def test_one_score_for_each_item_is_read_and_compared(tab):
    """The means and their difference are those of `Scores`, with groups and without."""
    rows = zip(PATIENTS, DICE["a"], DICE["b"], strict=True)
    said = paste(tab, table(["patient", "dice_a", "dice_b"], rows))
    test = f1ci.Scores(DICE, groups=PATIENTS)
    difference = test.difference()
    interval = difference.interval
    assert said.startswith("mean of B minus mean of A = " + said_of_interval(interval))
    assert f"p = {difference.p_value:.4f}" in said
    assert "Lines with the same “patient” are one unit." in tab.locator("#calc-notes").inner_text()
    assert tuple(run(texts(tab)["Python"]).interval) == pytest.approx(tuple(interval), abs=1e-9)
    tab.locator("#calc-quoted").select_option("mean dice_b")
    assert "mean dice_b = " + said_of_interval(test.interval(model="b")) in answer(tab)
    tab.locator("#calc-group").select_option("")
    of_items = f1ci.Scores(DICE).interval(model="b")
    assert "mean dice_b = " + said_of_interval(of_items) in answer(tab)
    tab.locator("#calc-b").select_option("")
    interval = f1ci.Scores(DICE).interval(model="a")
    assert answer(tab).startswith("mean dice_a = " + said_of_interval(interval))
    assert tuple(run(texts(tab)["Python"])) == pytest.approx(tuple(interval), abs=1e-9)


def test_counts_of_documents_are_read(tab):
    counts = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]]
    rows = [(f"d{k}", *row) for k, row in enumerate(counts)]
    said = paste(tab, table(["document", "tp", "fp", "fn"], rows))
    interval = f1ci.Units(counts).interval()
    assert said.startswith("F1 = " + said_of_interval(interval))
    assert "on 6 units." in texts(tab)["Sentence"]
    assert tuple(run(texts(tab)["Python"])) == pytest.approx(tuple(interval), abs=1e-9)


def test_few_units_get_the_note_that_python_has(tab):
    paste(tab, "doc,tp,fp,fn\na,8,1,2\nb,5,0,0\nc,9,4,3")
    with pytest.warns(f1ci.SmallSampleWarning) as warned:
        f1ci.Units([[8, 1, 2], [5, 0, 0], [9, 4, 3]]).interval()
    said = str(warned[0].message).partition("rests on ")[2]
    assert said in tab.locator("#calc-notes").inner_text()


def test_what_both_models_one_and_none_have_right_is_compared(tab):
    """The p-value is near that of McNemar's test in its mid-p form."""
    said = paste(tab, "both right 80, only A 12, only B 25, both wrong 8")
    p = binomtest(12, 37).pvalue - binom.pmf(12, 37, 0.5)
    assert said.startswith("accuracy of B minus accuracy of A = 0.104 (95 % CI ")
    assert "on 125 items. The models differ on 37 items." in texts(tab)["Sentence"]
    test = run(texts(tab)["Python"])
    shown = float(said.partition("p = ")[2].rstrip(")"))
    # The page takes all items for positives, and the package smooths the correlation by class.
    assert shown == pytest.approx(test.p_value, rel=0.02)
    assert shown == pytest.approx(p, rel=0.1)
    limits = re.search(r"CI (\S+) to ([\d.]+)", said).groups()
    assert [float(end) for end in limits] == pytest.approx(tuple(test.interval), abs=5.1e-4)


def test_printed_numbers_give_an_envelope(tab):
    # 43 or 44 false positives fit.
    intervals = [f1ci.f1_interval(77, fp, 10) for fp in (43, 44)]
    low, high = min(i.low for i in intervals), max(i.high for i in intervals)
    said = paste(tab, "precision 0.64 recall 0.89 positives 87")
    assert f"F1 = 0.740 to 0.744 (95 % CI {low:.3f} to {high:.3f}, Wilson score" in said
    assert "over 2 tables of counts" in said
    assert paste(tab, "P = 64 %, R = 89%, support 87") == said


# By keyboard, by link


def test_it_works_by_keyboard_alone(tab):
    tab.keyboard.press("Tab")
    assert tab.locator(":focus").inner_text() == "Skip to the calculator"
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Control+a")
    tab.keyboard.type("TP=5 FP=1 FN=2 TN=9")
    answer(tab)
    for _ in range(6 + 1):  # examples, and what folds the rest
        tab.keyboard.press("Tab")
    for text in ("90", "2"):
        tab.keyboard.press("Tab")
        tab.keyboard.press("Control+a")
        tab.keyboard.type(text)
    interval = f1ci.Matrix([[9, 1], [2, 5]]).interval(f1ci.metrics.fbeta(2))
    assert answer(tab).startswith(f"F2 = {interval.estimate:.3f} (90 % CI ")
    for _ in range(1 + 1 + 5):  # back to the second example
        tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("Enter")
    assert answer(tab).startswith("macro F2 = ")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a+b c#d e\n5 1 0\n2 7 1\n1 0 4", {"level": "80", "beta": "2"}),
        ("truth,A,B,count\n1,1,0,3\n1,0,1,17\n1,1,1,40\n0,0,0,9\n", {"level": "90"}),
    ],
)
def test_a_link_brings_the_numbers_back(browser, tab, text, fields):
    paste(tab, text)
    for name, value in fields.items():
        tab.locator(f"#calc-{name}").fill(value)
    said = answer(tab)
    assert re.match("F|macro", said)
    link = copied(tab, tab.get_by_role("button", name="Copy a link"), "Link")
    other = browser.new_page()
    other.goto(link)
    assert answer(other) == said
    other.close()


# Texts to copy


def test_texts_to_copy_say_the_same(tab):
    paste(tab, "TP=77 FP=44 FN=10 TN=702")
    tab.locator("#calc-level").fill("90")
    answer(tab)
    offered = texts(tab)
    interval = f1ci.f1_interval(77, 44, 10, confidence_level=0.9)
    low, high = f"{interval.low:.3f}", f"{interval.high:.3f}"
    assert offered["Sentence"] == (
        f"The classifier reached F1 = 0.740 (90 % CI {low} to {high}, Wilson score method) "
        "on 833 items, 87 of them positive."
    )
    assert offered["LaTeX"] == offered["Sentence"].replace("%", r"\%")
    assert "2309.14621" in offered["Reference"]
    assert tuple(run(offered["Python"])) == tuple(interval)


COUNTS = "TP=77 FP=44 FN=10 TN=300"
MATRIX = "cat dog owl\n52 6 2\n9 40 1\n3 2 15"


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (COUNTS, ["F1", "F2", "F0.5", "precision", "accuracy", "jaccard"]),
        (MATRIX, ["macro F2", "weighted F2", "micro F2", "F2 of dog"]),
    ],
)
def test_whatever_is_shown_can_be_quoted_with_its_code(tab, text, titles):
    """The line of Python gives the sentence's numbers."""
    paste(tab, text)
    tab.locator("#calc-beta").fill("2" if text == MATRIX else "1")
    answer(tab)
    for title in titles:
        tab.locator("#calc-quoted").select_option(title)
        said = answer(tab)
        offered = texts(tab)
        numbers = re.search(r"[\d.]+ \(95 % CI (\S+) to ([\d.-]+)", said)
        assert numbers.group() in offered["Sentence"]
        ends = [float(end) for end in numbers.groups()]
        interval = tuple(run(offered["Python"]))
        assert ends == pytest.approx(interval, abs=5.1e-4), title  # three decimals
        if "macro" in title:
            assert "Wilson, E. B. (1927)" in offered["Reference"]
            assert "For this score: The f1ci authors" in offered["Reference"]
    # A link holds what is quoted.
    tab.reload()
    assert answer(tab) == said


def test_planning(tab):
    plan = f1ci.sample_size("f1", half_width=0.02, prevalence=0.25)
    tab.get_by_text("How many items").click()
    tab.locator("#calc-half").fill("0.02")
    tab.locator("#calc-prevalence").fill("0.25")
    answer(tab)
    said = tab.locator("#calc-planned").inner_text()
    assert f"{plan.positives:,} truly positive items, so about {plan.total:,} items in all" in said


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
    test = f1ci.Labels(true, {"A": a, "B": b}).difference()
    low, high = test.interval.low, test.interval.high
    said = f"F1 of B minus F1 of A = {test.estimate:.3f} (95 % CI {low:.3f} to {high:.3f}, "
    return f"{said}Wilson score; p = {test.p_value:.3f}".replace("-", "−")


def table(columns, rows, separator=","):
    return "\n".join(separator.join(map(str, line)) for line in [columns, *rows]).lstrip()


PREDICTIONS = table(["id", "y_true", "old", "new"], ROWS)


def test_pasted_predictions_are_compared(tab):
    assert paste(tab, PREDICTIONS).startswith(said_of(ROWS))
    assert "A = old, B = new; F1 of “1”; truth = y_true." in tab.locator("#calc-notes").inner_text()
    test = run(texts(tab)["Python"])
    y_true, a, b = np.array(ROWS)[:, 1:].astype(int).T
    expected = f1ci.Labels(y_true, {"A": a, "B": b}).difference().p_value
    assert test.p_value == pytest.approx(expected)


def test_other_columns_may_be_chosen_and_a_link_holds_no_predictions(tab):
    paste(tab, PREDICTIONS)
    tab.locator("#calc-a").select_option("new")
    tab.locator("#calc-b").select_option("old")
    said = answer(tab)
    assert said.startswith(said_of([(key, true, b, a) for key, true, a, b in ROWS]))
    link = copied(tab, tab.get_by_role("button", name="Copy a link"), "Link")
    assert "old" not in link
    tab.goto("about:blank")
    tab.goto(link)
    assert answer(tab) == said


def test_columns_that_are_not_certain_are_asked_for(tab):
    text = table(["first", "second", "third"], [row[1:] for row in ROWS])
    assert paste(tab, text) == "Answer the question above first."
    nothing_is_shown(tab)
    assert "Which column is the truth?" in tab.locator("#calc-columns-error").inner_text()
    assert tab.locator("#calc-truth").input_value() == ""
    tab.locator("#calc-truth").select_option("first")
    assert answer(tab).startswith(said_of(ROWS))


def test_two_files_are_joined_by_the_names_of_the_items(tab):
    first = table(["id", "y", "pred"], [row[:3] for row in ROWS])
    second = table(["id", "y", "pred"], [(k, t, b) for k, t, _, b in ROWS[::-1][1:]])
    said = upload(tab, bert_csv=first, svm_csv=second)
    assert said.startswith(said_of(ROWS[:-1]))
    notes = tab.locator("#calc-notes").inner_text()
    assert "A = bert, B = svm" in notes
    assert "matched by “id”; 1 item is in one file only, and left out" in notes
    assert "bert.csv and svm.csv" in tab.locator("#calc-loaded").inner_text()
    # Labels that differ are not passed over.
    assert (
        upload(tab, a_csv=first, b_csv=second.replace("u,1", "u,0"))
        == "Correct the marked field first."
    )
    nothing_is_shown(tab)
    assert "differ in 1 item of 5." in tab.locator("#calc-text-error").inner_text()
    tab.get_by_role("button", name="Remove").click()
    assert answer(tab) == FIRST


def test_files_of_other_kinds(tab):
    text = table(["id", "truth", "pred"], [(k, t, "é" if a else "o") for k, t, a, _ in ROWS])
    text = text.replace(",1,", ",é,").replace(",0,", ",o,")
    expected = upload(tab, a_csv=text)
    assert expected.startswith("F1 of é = 0.750")
    for encoding in ("utf-8-sig", "utf-16", "latin-1"):
        assert upload(tab, a_csv=text.encode(encoding)) == expected
    assert upload(tab, a_xlsx=b"PK\x03\x04") == "Correct the marked field first."
    nothing_is_shown(tab)
    assert "save it as CSV" in tab.locator("#calc-text-error").inner_text()


# For everyone


def open_all(tab, name):
    example(tab, name)
    for details in tab.locator("#calc details").all():
        details.evaluate("d => { d.open = true; }")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(tab, address, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.goto(address)
    questions = {"question": "u,v,w\n1,1,0\n0,0,0\n1,0,1\n0,1,1\n", "error": "hello"}
    for name in ("counts", "confusion matrix", "two models", *questions):
        if name in questions:
            paste(tab, questions[name])
        else:
            open_all(tab, name)
        options = {"resultTypes": ["violations"]}
        found = Axe().run(tab, ".bd-article", options).response["violations"]
        wrong = [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found]
        assert wrong == [], name


def test_it_fits_a_phone(browser, address):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    tab.goto(address)
    for name in EXAMPLES:
        open_all(tab, name)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, name
    tab.close()
