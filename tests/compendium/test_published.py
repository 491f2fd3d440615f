"""The published numbers: well-formed, complete by the tables' dimensions, printed in the papers.

The papers themselves are not part of the project. Where their plain-text copies are at hand
(``../shared/papers`` beside the repository, or the folder named by ``F1CI_PAPERS``), every printed
string is looked up in them, and every table's decimals are compared with the table's text in
reading order. Such a check cannot find a digit that is right in the paper but filed under the
wrong id in running text: that takes a second, independent reader.
"""

import copy
import csv
import fnmatch
import math
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from compendium import NOTEBOOKS, ROOT
from compendium.published import MARKS, Number, Published, hashes, quotes, read_number

PAPERS = Path(os.environ.get("F1CI_PAPERS", ROOT.parent / "shared" / "papers"))

PUBLISHED = Published()
# The kinds of entries of the errata, and the letter that ids of each kind begin with: what is
# proved wrong in print, what fits another run, what is not understood, and what is no error.
ERRATUM_KINDS = {
    "misprint": "E",
    "wrong number": "E",
    "wrong statement": "E",
    "other run": "R",
    "open": "O",
    "gap": "N",
    "unstated choice": "N",
    "defect of our copy": "N",
    "remark": "N",
}
RESULTS, INPUTS = [*PUBLISHED.rows.values()], [*PUBLISHED.inputs.values()]
ITEMS = "table|section|equation|lemma|theorem|proposition|corollary|remark|appendix"


def declared(column):
    """How many cells of each table papers.csv promises: (paper, table) to a number."""
    found = {}
    for key, paper in PUBLISHED.papers.items():
        for cell in getattr(paper, column).split():
            table, cells = cell.split(":")
            found[key, table] = sum(math.prod(map(int, t.split("*"))) for t in cells.split("+"))
    return found


# Cells that hold a result (an interval is two rows), and cells that hold an input.
CELLS, INPUT_CELLS = declared("tables"), declared("inputs")

# Where each table's numbers stand in the text: from the last `start` before `end` up to `end`.
BLOCKS = {
    ("lam", "table-3"): ("Table 3*", "Table 4*"),
    ("lam", "table-4"): ("Table 4*", "Table 5\n"),
    ("takahashi", "table-1b"): ("b: Proportions", "Table 2\n"),
    ("takahashi", "table-3"): ("Table 3\n", "Table 4\n"),
    ("takahashi", "table-4"): ("Table 4\n", None),
    ("wangli", "table-2"): ("Task\t", "Table 2: CIs"),
    ("wangli", "table-3"): ("Decision\n", "Table 3: Decisions"),
    ("wangli", "table-4"): ("Decision\n", "Table 4: Decisions"),
    ("wangli", "table-5"): ("Decision\n", "Table 5: Decisions"),
    ("jiang", "proposition-1"): ("$V(\\max\\{a, b\\})$", "Remark 1"),
    ("yuan", "table-1"): ("Classifiers\t", "There are two statistical research problems"),
    ("yuan", "table-2"): ("Classifiers\t", "These brackets are"),
    ("yuan", "table-4"): ("Classifier\t", "(TEST SAMPLE SIZE=2000)"),
    ("yuan", "table-5"): ("Classifier\t", "Next, we sample, with replacement"),
    ("yuan", "table-6"): ("Classifier\t", "$P[M_4 \\in"),
    ("yuan", "table-7"): ("Classifier\t", "DECLARATIONS"),
}
DECIMAL = re.compile(r"(?<![\w.{])\d*\.\d+")  # the brace excludes the subscript of F_{0.5}


needs_papers = pytest.mark.skipif(
    "F1CI_PAPERS" not in os.environ and not PAPERS.is_dir(),
    reason="the papers' text is not at hand; name its folder in F1CI_PAPERS",
)


@pytest.fixture(scope="module")
def texts():
    return {
        key: (PAPERS / paper.text).read_text(encoding="utf-8").replace("\r\n", "\n")
        for key, paper in PUBLISHED.papers.items()
    }


def plain(text):
    """The text without subscript marks (H_1 to H1) and with lists of numbers spaced out.

    A comma between digits stays only where it groups thousands: in 9,925 but not in 0.665,0.805.
    """

    def space_out(run):
        grouped = re.fullmatch(r"\d{1,3}(,\d{3})+", run[0])
        return run[0] if grouped else run[0].replace(",", ", ")

    return re.sub(r"\d[\d,]*\d", space_out, text.replace("_", ""))


def prints(text, printed):
    """Whether `printed` stands in the plain `text` as a number, or words, of its own.

    0.95 does not stand in 0.950, nor 925 in 9,925, nor 25 in 25%. A letter may follow: 132k.
    """
    before = r"(?<![\w.])(?<!\d,)"
    after = r"(?!\d|\.\d|,\d|\s?\\?%)"
    return re.search(before + re.escape(printed) + after, text) is not None


def test_rows_are_well_formed():
    for row in (*RESULTS, *INPUTS):
        assert re.fullmatch(rf"({ITEMS})-[a-z0-9.]+", row.item), row
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*){2,}", row.id), row
        assert row.id.startswith(f"{row.paper}/{row.item}/"), row
        assert row.description, row
    assert {row.paper for row in RESULTS} == set(PUBLISHED.papers)


@pytest.fixture(scope="module")
def tables():
    """The first two cells of each line, by table."""
    found = {}
    for path in PUBLISHED.folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as lines:
            found[path.stem] = [row[:2] for row in csv.reader(lines)][1:]
    return found


def test_an_id_stands_once(tables):
    """Elsewhere the last line of an id counts."""
    ids = [i for name in ("inputs", *PUBLISHED.papers) for i, _ in tables[name]]
    assert len(ids) == len(set(ids)) == len(PUBLISHED.everything)
    for name in ("papers", "errata", "expected"):
        assert len({i for i, _ in tables[name]}) == len(tables[name]), name
    for row in PUBLISHED.everything.values():
        read_number(row.printed)  # which raises what it cannot read


def test_every_name_is_known(tables):
    """Elsewhere what names nothing has no effect."""
    for name in ("replicates", "marks", "restated"):
        for pattern, _ in tables[name]:
            assert fnmatch.filter(PUBLISHED.rows, pattern), (name, pattern)
    for _, size in tables["replicates"]:
        assert PUBLISHED.everything[size].number.value.denominator == 1


def test_results_have_a_kind_and_marks_a_reason():
    for row in RESULTS:
        assert row.kind in ("deterministic", "simulated", "trained"), row
        assert row.marks <= set(MARKS), row
        assert "predicted" not in row.marks or row.erratum.startswith("R"), row
        assert bool(row.why) == bool(row.mark), row
        assert not row.erratum or PUBLISHED.errata[row.erratum].paper == row.paper, row


def test_entries_of_the_errata_are_whole():
    for entry in PUBLISHED.errata.values():
        letter = ERRATUM_KINDS[entry.kind]
        assert re.fullmatch(rf"{letter}-{entry.paper}-[1-9]\d*", entry.id), entry
        assert entry.paper in PUBLISHED.papers
        empty = [name for name, text in vars(entry).items() if not text]
        # Where a paper leaves something open, we took something; a remark may ask for nothing.
        assert empty == [] or (empty == ["right"] and entry.kind == "remark"), entry


def test_entries_of_the_errata_are_shown_in_a_notebook():
    for entry in PUBLISHED.errata.values():
        for place in entry.shown_in.split("; "):
            name, _, anchor = place.partition("#")
            # A place in the notebook, which names the entry in turn.
            source = (NOTEBOOKS / f"{name}.py").read_text("utf-8")
            assert f"\n# ({anchor})=\n" in source, entry.id
            assert entry.id in source, entry.id


def test_what_the_errata_explain_has_the_value_that_it_rests_on():
    named = {row.id for row in RESULTS if row.erratum}
    runs = {f"{r.erratum}:{r.id}" for r in RESULTS if r.erratum.startswith("R")}
    assert set(PUBLISHED.expected) == named | runs, "see book/published/expected.csv"
    for name, (value, tolerance) in PUBLISHED.expected.items():
        assert 0 < tolerance <= 0.01 * abs(value), name


# Tables that one program printed, with one joint quantile.
ONE_PROGRAM = {"yuan/table-2"}


def test_a_table_row_comes_from_one_run():
    """Coverage and length, or both ends of an interval; all of a table that one program made."""
    runs = {}
    for row in RESULTS:
        line, _, column = row.id.rpartition("/")
        table = f"{row.paper}/{row.item}"
        if table in ONE_PROGRAM:
            assert runs.setdefault(table, row.erratum) == row.erratum, row.id
        if column in ("coverage", "length", "low", "high"):
            run = row.erratum if row.erratum.startswith("R") else ""
            assert runs.setdefault(line, run) == run, line


def test_tables_are_complete():
    results, inputs = (Counter((r.paper, r.item) for r in rows) for rows in (RESULTS, INPUTS))
    assert {table: results[table] for table in CELLS} == CELLS
    assert {table: inputs[table] for table in INPUT_CELLS} == INPUT_CELLS
    tables = {key for key in results if key[1].startswith("table-")}
    assert tables <= set(CELLS), "write its dimensions into book/published/papers.csv"


def committed_hashes():
    with (PUBLISHED.folder / "hashes.csv").open(encoding="utf-8", newline="") as file:
        return {line["what"]: line["sha256"] for line in csv.DictReader(file)}


def test_no_printed_string_and_no_quote_has_changed():
    """The hashes stand for the papers where their text is not at hand.

    After an intended change ``python -m compendium.published`` writes them again. Then the tests
    must pass with the papers' text at hand.
    """
    assert hashes(PUBLISHED) == committed_hashes(), "run python -m compendium.published"


@pytest.mark.parametrize("kind", ["rows", "inputs"])
def test_a_changed_digit_changes_a_hash(kind):
    rows = getattr(PUBLISHED, kind)
    row = next(row for row in rows.values() if row.printed.endswith("6"))
    changed = copy.copy(PUBLISHED)
    setattr(changed, kind, {**rows, row.id: replace(row, printed=f"{row.printed[:-1]}7")})
    assert hashes(changed) != committed_hashes()


# What the typesetting of a formula or of quotation marks may add to the words of a quote.
TYPESETTING = re.compile(r"\\(?:mathrm|mathcal|mathit|text|left|right|mid|[,;])|[\s$\\{}|“”\"']")


def letters(text):
    """Return a text without typesetting."""
    return TYPESETTING.sub("", text.replace("_", ""))


@needs_papers
def test_quotes_are_verbatim(texts):
    sources = {key: letters(text) for key, text in texts.items()}
    wrong = [
        (entry.id, quote)
        for entry in PUBLISHED.errata.values()
        for quote in quotes(entry, PUBLISHED.everything)
        for part in quote.split("[...]")
        if letters(part) not in sources[entry.paper]
    ]
    assert wrong == []


@needs_papers
@pytest.mark.parametrize("paper", PUBLISHED.papers)
def test_every_number_is_printed_in_its_paper(paper, texts):
    rows = [row for row in PUBLISHED.everything.values() if row.paper == paper]
    text = plain(texts[paper])
    assert [row.id for row in rows if not prints(text, row.printed)] == []


@needs_papers
@pytest.mark.parametrize(("paper", "item"), BLOCKS)
def test_table_reads_as_printed(paper, item, texts):
    """The decimals of the table's text, in reading order, are those of our rows, in order."""
    start, end = BLOCKS[paper, item]
    text = texts[paper]
    stop = len(text) if end is None else text.index(end)
    block = text[text.rindex(start, 0, stop) : stop]
    ours = [row.printed for row in RESULTS if (row.paper, row.item) == (paper, item)]
    assert DECIMAL.findall(block) == [printed for printed in ours if DECIMAL.fullmatch(printed)]


def test_restated_numbers_are_the_same_to_the_digits_that_both_print():
    for name, of in PUBLISHED.restated.items():
        assert of not in PUBLISHED.restated
        again, first = PUBLISHED.rows[name].number, PUBLISHED.rows[of].number
        if name == "jiang/section-2.4/coverage":  # per cent of the 10,000 that `covered` counts
            first = Number(first.value / 100, first.half_unit / 100)
        assert abs(again.value - first.value) <= again.half_unit + first.half_unit, (name, of)
