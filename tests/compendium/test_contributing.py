"""What CONTRIBUTING.md says of adding something, done as it is written in a copy of the repository.

A recipe may change only files that its section names, and the tests that the section names, or
that the recipe has changed, pass afterwards. So no recipe can forget a file.
"""

import contextlib
import fnmatch
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from compendium import ROOT, book
from compendium.runs import Edition
from sphinx_external_toc.parsing import parse_toc_yaml
from trees import call, change, notebook

SECTION = re.compile(r"^### (?P<title>.+)\n(?P<text>(?:(?!#{2,3} ).*\n)+)", re.M)
ADD = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Add something\n")[2]
SECTIONS = {found["title"]: found["text"] for found in SECTION.finditer(ADD.partition("\n## ")[0])}
PAGES = """\
      - file: book/fruit
      - file: notebooks/fruit
"""


def metric(root):
    place = root / "f1ci" / "metrics" / "__init__.py"
    informedness = """\
def _informedness(x: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return x / ez - (ea - x) / (1 - ez)


informedness = BinaryMetric("informedness", _informedness, range=(-1, 1))
METRICS: dict"""
    change(place, "METRICS: dict", informedness)
    change(place, "        *(correlation,", "        informedness,\n        *(correlation,")


def method(root):
    place = root / "f1ci" / "methods" / "__init__.py"
    agresti_coull = '''\
def plus_four(sample: Sample, z: FloatOrArray) -> Limits:
    """Return the delta method's limits, drawn towards the middle of the range."""
    low, high = symmetric(sample, z)
    return low / 2, (high + 1) / 2


@dataclass(frozen=True)
class Method:'''
    change(place, "@dataclass(frozen=True)\nclass Method:", agresti_coull)
    entry = """\
        Method("plus_four", plus_four, lambda sample: sample.is_f1, says="the middle."),
    )
}
"""
    change(place, "    )\n}\n", entry)
    names = '        - ``"wilson_indirect"``'
    listed = '        - ``"plus_four"``: the middle.\n'
    change(root / "f1ci" / "shortcuts.py", names, f"{listed}{names}")
    table = root / "tests" / "package" / "test_methods.py"
    change(
        table,
        '    "wilson_direct": ["f1"],\n',
        '    "wilson_direct": ["f1"],\n    "plus_four": ["f1"],\n',
    )


def kind(root):
    """Records of judges, say: labels under another name, which every question serves."""
    records = '''\


class Records(Labels):
    """Pairs (truth, prediction), one for each item."""

    def __init__(self, pairs: Sequence[tuple[object, object]]) -> None:
        truth, predicted = zip(*pairs, strict=True)
        super().__init__([*truth], [*predicted])
'''
    place = root / "f1ci" / "kinds.py"
    place.write_text(place.read_text("utf-8") + records, "utf-8")


def paper(root):
    program = [sys.executable, "-m", "compendium.published", "--new", "toy", "Toy 2027"]
    said = subprocess.run(
        program, cwd=root, env=environment(root), capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == SECTIONS["A paper"].strip()
    rows = """\
toy/table-1/a/half,toy,table-1,Half of one,0.5,deterministic,
toy/table-1/a/third,toy,table-1,A third of one,0.333,deterministic,
toy/table-1/b/half,toy,table-1,Half of two,1,deterministic,
toy/table-1/b/third,toy,table-1,A third of two,0.676,deterministic,E-toy-1
"""
    folder = root / "book" / "published"
    append(folder / "toy.csv", rows)
    append(folder / "inputs.csv", "toy/table-2/two,toy,table-2,The other number,2\n")
    change(folder / "papers.csv", "toy.txt,,", "toy.txt,table-1:2*2,table-2:1")
    entry = "E-toy-1,toy,misprint,table 1,0.676,0.667,by division,No other number"
    append(folder / "errata.csv", f"{entry},toy-results#shown-e-toy-1\n")
    append(folder / "expected.csv", "toy/table-1/b/third,0.6666667,1e-7\n")
    computed = """
two = given("toy/table-2/two")
for row, number in {"a": 1, "b": two}.items():
    record(f"toy/table-1/{row}/half", number / 2)
    record(f"toy/table-1/{row}/third", number / 3)

# %% [markdown]
# (shown-e-toy-1)=
# Two thirds are misprinted ({ref}`E-toy-1 <E-toy-1>`).
"""
    append(root / "notebooks" / "toy-results.py", computed)
    subprocess.run(program[:3], cwd=root, env=environment(root), check=True)
    call(root, "pairs")
    assert call(root, "execute", "--", "toy-results").returncode == 0
    shown(root)


def shown(root):
    """The preview quotes the run of the new paper's notebook, and the reference run of all others.

    It names the one number that nobody has computed.
    """
    append(
        root / "book" / "published" / "toy.csv",
        "toy/table-2/new,toy,table-2,Not computed,0.2,deterministic,\n",
    )
    append(root / "book" / "toy.md", "\n{computed}`toy/table-2/new`\n")
    staged, said = root / "_build" / "staged", io.StringIO()
    with contextlib.redirect_stdout(said):
        book.stage(Edition(root), staged, preview=True)
    lines = "Not computed: toy/table-2/new\nNumbers are missing on: toy.md\n"
    assert said.getvalue() == lines
    rows = json.loads((staged / "_extra/ledger/ledger.json").read_text("utf-8"))["rows"]
    ours = {row["id"]: row["value"] for row in rows}
    assert ours["toy/table-1/a/third"] == 1 / 3
    assert ours["lam/section-6/f1"] == pytest.approx(154 / 208)
    verdicts = {row["id"]: row["verdict"] for row in rows if row["paper"] == "toy"}
    assert verdicts == {
        "toy/table-1/a/half": "match",
        "toy/table-1/a/third": "match",
        "toy/table-1/b/half": "match",
        "toy/table-1/b/third": "erratum",
        "toy/table-2/new": "not-recorded",
    }
    scoreboard = (staged / "book" / "_generated" / "scoreboard.md").read_text("utf-8")
    assert '<th scope="col">Toy 2027</th>' in scoreboard
    assert "book/toy" in [*parse_toc_yaml(staged / "book" / "_toc.yml")]
    change(
        root / "book" / "published" / "toy.csv",
        "toy/table-2/new,toy,table-2,Not computed,0.2,deterministic,\n",
        "",
    )


def form(root):
    case = {"name": "counts with a wish", "text": "TP=1 FP=2 FN=3", "counts": [1, 2, 3, None]}
    change(root / "tests" / "cases" / "pasted.json", "[\n", f"[\n{json.dumps(case)},\n")


def data_set(root):
    folder = root / "notebooks" / "data"
    (folder / "fruit.csv").write_text("fruit,n\nfig,1\n", "utf-8")
    digest = hashlib.sha256((folder / "fruit.csv").read_bytes()).hexdigest()
    append(folder / "sources.csv", f"fruit.csv,1,{digest},by hand,,a market,CC0,Nobody\n")


def page(root):
    (root / "book" / "fruit.md").write_text("# Fruit\n\n{computed}`lam/section-6/f1`\n", "utf-8")
    append(root / "book" / "_toc.yml", PAGES.splitlines(keepends=True)[0])


def new_notebook(root):
    (root / "notebooks" / "fruit.py").write_text(notebook("Fruit", "1 + seed"), "utf-8")
    append(root / "book" / "_toc.yml", PAGES.splitlines(keepends=True)[1])
    call(root, "pairs")


def bug(root):
    named = (
        "\n\ndef test_a_fault_of_yesterday():\n    assert f1ci.f1_interval(1, 0, 0).high == 1.0\n"
    )
    append(root / "tests" / "package" / "test_intervals.py", named)
    append(root / "CHANGELOG.md", "- A fault of yesterday is mended.\n")


RECIPES = {
    "A metric": metric,
    "A method": method,
    "A kind of data, or a question": kind,
    "A paper": paper,
    "A form that the calculator reads": form,
    "A data set": data_set,
    "A page": page,
    "A notebook": new_notebook,
    "A bug": bug,
}


def append(path, text):
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def environment(root):
    """Return an environment in which programs import the copy's packages."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "book")])}


def hashes(root):
    """Return the hash of each file that is not built."""
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if not (name := path.relative_to(root).as_posix()).startswith(("_build/", "."))
    }


@pytest.mark.slow
@pytest.mark.parametrize("title", SECTIONS)
def test_a_recipe_works_as_it_is_written(title, tmp_path):
    root = tmp_path / "f1ci"
    built = shutil.ignore_patterns(".venv*", ".git", "_build", "dist", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, root, ignore=built)
    before = hashes(root)
    RECIPES[title](root)
    after = hashes(root)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    text = SECTIONS[title]
    assert changed, "the recipe does nothing"
    named = [re.sub(r"<\w+>", "*", name) for name in re.findall(r"`([\w<>./:-]+)`", text)]
    forgotten = {n for n in changed if not any(fnmatch.fnmatch(n, pattern) for pattern in named)}
    assert not forgotten
    tests = {name for name in [*named, *changed] if re.match(r"tests/[\w/]+\.py", name)}
    if tests:
        program = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sorted(tests)]
        ran = subprocess.run(
            program, cwd=root, env=environment(root), capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stdout
