"""Files of predictions: the table of cases that the calculator in the book reads too."""

import csv
import io
import json
import re
import warnings
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

import f1ci
from f1ci import cli
from f1ci.cli import answers, joining, predictions, words
from f1ci.cli.columns import Named

CASES = Path(__file__).parents[1] / "cases" / "pasted.json"


def cases():
    """The cases that are files, or could be; and one that is skipped if there is no table.

    Only the calculator reads variables of Python: who has them calls f1ci.
    """
    if not CASES.exists():  # a wheel is tested with this folder alone
        return [
            pytest.param(None, marks=pytest.mark.skip(reason="the table of cases is elsewhere"))
        ]
    of_files = [case for case in json.loads(CASES.read_text("utf-8")) if could_be_files(case)]
    return [pytest.param(case, id=case["name"]) for case in of_files]


def could_be_files(case):
    """Predictions that name their columns, or of which a column is asked for, may be in a file."""
    is_table = "truth" in case or re.search("[Ww]hich columns? (is|are)", case.get("asks", ""))
    may_be = "files" in case or (is_table and " = " not in case["text"])
    return may_be and not case.get("calculator") and "kind" not in case


# The cells of two models by truth, A and B, as the calculator names them.
CELLS = {
    "tp": (1, 1, 1),
    "fn": (1, 0, 0),
    "posA": (1, 1, 0),
    "posB": (1, 0, 1),
    "fp": (0, 1, 1),
    "tn": (0, 0, 0),
    "negA": (0, 0, 1),
    "negB": (0, 1, 0),
}


def counted_cells(labels, positive):
    """Items by truth, A and B."""
    columns = np.array(labels) == positive
    return {
        name: int((np.array(cell, bool) == columns.T).all(axis=1).sum())
        for name, cell in CELLS.items()
    }


def plain(sentence):
    """A sentence without what the command and the calculator write in their own way."""
    return sentence.translate(str.maketrans("", "", "'\"“”")).casefold().rstrip(".")


@pytest.mark.parametrize("case", cases())
def test_cases(case, tmp_path, capsys, monkeypatch):
    """Each case is read as it is meant, or refused with the sentence that it states."""
    monkeypatch.chdir(tmp_path)
    files = case.get("files") or [{"name": "pasted.txt", "text": case["text"]}]
    for file in files:
        Path(file["name"]).write_text(file["text"], "utf-8", newline="")
    paths = [file["name"] for file in files]
    of_one = case.get("b") == ""
    code = cli.main(["report" if of_one else "compare", *paths])
    said = capsys.readouterr().err
    refused = case.get("asks", case.get("refuses"))
    if refused is not None:
        assert plain(case.get("command", refused)) in plain(said)
        assert code == 2
        return
    assert code == 0, said
    assert plain(case["note"]) in plain(said)
    with pytest.warns(f1ci.IntervalWarning):  # which columns were chosen
        read = predictions.read(paths, Named(), models=1 if of_one else 2)
    assert read.truth == case["truth"]
    assert read.models == [case["a"], case["b"]][: len(read.models)]
    assert len(read.models) == 2 - of_one
    if "matrix" in case:
        order = words.in_order(label for column in read.labels for label in column)
        assert order == case["labels"]
        assert f1ci.confusion_matrix(*read.labels, labels=order).tolist() == case["matrix"]
    else:
        _, positive = answers.compared_metric(Namespace(metric=None, positive=None), read)
        assert positive == case["positive"]
        assert counted_cells(read.labels, positive) == case["cells"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.csv", "b.csv"], ["a", "b"]),
        (["x/a.csv", "y/a.csv"], ["x/a.csv", "y/a.csv"]),
        (["a.csv", "a.tsv"], ["a.csv", "a.tsv"]),
    ],
)
def test_files_have_names_that_tell_them_apart(paths, names):
    assert joining.distinct_names(*paths) == names


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ("1.0,1\nx,x\n1,1.0\n", "'1', '1.0' are different classes: not all labels are numbers"),
        ("True,1\nx,x\n1,True\n", "'1', 'True' are different classes: not all labels are numbers"),
        ("1.0,1\n0,0\n1,1.0\n", "labels are read 1.0 as 1"),
        ("True,true\nfalse,false\n", "labels are read True as true"),
    ],
)
def test_labels_in_two_spellings_get_a_note(rows, note, tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text(f"truth,pred\n{rows}")
    assert cli.main(["report", str(path)]) == 0
    assert f"f1ci: note: {note}\n" in capsys.readouterr().err


def test_text_in_utf_16_that_says_so_is_read(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_bytes("truth,pred\nä,ä\nb,ä\nb,b\n".encode("utf-16"))
    assert cli.main(["report", str(path), "--json"]) == 0
    assert {"ä", "b"} < {row["name"] for row in json.loads(capsys.readouterr().out)}


def test_a_column_that_is_named_need_not_be_called_so(tmp_path, capsys):
    """Groups, a score and the key of two files are columns that are never chosen by themselves."""
    rows = [f"{k % 2},{k % 2 if k % 5 else 1},d{k % 6},u{k}" for k in range(60)]
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("\n".join(["gold,score,doc,who", *rows]))
    two.write_text("\n".join(["gold,score,doc,who", *reversed(rows)]))
    options = ["--pred", "score", "--groups", "doc", "--on", "who", "--json"]
    assert cli.main(["compare", str(one), str(two), *options]) == 0
    captured = capsys.readouterr()
    assert "matched by 'who'" in captured.err
    found = json.loads(captured.out)
    assert [row["name"] for row in found] == ["one", "two", "two - one"]
    assert found[-1]["estimate"] == 0.0


def test_a_list_of_one_response_is_that_response(tmp_path, capsys):
    """lm-evaluation-harness logs the answer of a task with generated text so."""
    rows = [{"doc_id": k, "target": "ab"[k % 2], "filtered_resps": ["ba"[k % 2]]} for k in range(8)]
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert cli.main(["report", str(path)]) == 0
    assert "0.000" in capsys.readouterr().out


def test_a_nameless_first_column_is_not_taken_for_the_truth(tmp_path, capsys):
    """The separator is a tab, although a tab opens the line: "model A" is one name, not two."""
    path = tmp_path / "predictions.tsv"
    path.write_text("\tmodel A\n" + "1\t1\n0\t0\n1\t0\n0\t0\n", "utf-8")
    assert cli.main(["report", str(path)]) == 2
    assert "which column is the truth? name it with --true; got the columns '', 'model A'" in (
        capsys.readouterr().err
    )


@pytest.mark.skipif(not CASES.exists(), reason="the table of cases is elsewhere")
def test_a_printed_matrix_is_refused_and_the_calculator_named(tmp_path, capsys):
    path = tmp_path / "x.txt"
    table = json.loads(CASES.read_text("utf-8"))
    matrices = [case for case in table if "matrix" in case and "truth" not in case]
    assert len(matrices) > 60
    for case in matrices:
        path.write_text(case["text"], "utf-8")
        assert cli.main(["report", str(path)]) == 2
        is_named = "the calculator in f1ci's book reads it" in capsys.readouterr().err
        # There the first column is called "true", as a column of the truth may be.
        assert is_named == (case["name"] != "two classes called true and false"), case["name"]


# What stands in one file


@pytest.fixture
def say(tmp_path, capsys, monkeypatch):
    """What a command says of files: its rows or None, and its notes or its refusal."""
    monkeypatch.chdir(tmp_path)

    def call(*texts, command="report", options=()):
        for k, text in enumerate(texts):
            data = text if isinstance(text, bytes) else text.encode()
            Path("ab"[k]).with_suffix(".txt").write_bytes(data)
        paths = ["a.txt", "b.txt"][: len(texts)]
        code = cli.main([command, *paths, *options, "--json"])
        captured = capsys.readouterr()
        assert code == (0 if captured.out else 2)
        return json.loads(captured.out or "null"), captured.err

    return call


def supports(rows):
    """The number of items of each class."""
    return {row["name"]: row["support"] for row in rows if row["metric"] == "f1"}


COUNTED = "truth,pred,count\na,a,{}\na,b,10\nb,b,20\n"


@pytest.mark.parametrize("cell", ["30", "30.0", "30."])
def test_counts_are_whole_numbers_however_written(say, cell):
    rows, notes = say(COUNTED.format(cell))
    assert supports(rows)["a"] == 40
    assert supports(rows)["b"] == 20
    assert "each line counts as often as 'count' says" in notes


@pytest.mark.parametrize("cell", ['"1,030"', "", "x", "-2", "10.5", "1e3"])
def test_a_cell_of_counts_that_is_no_number_is_refused_with_its_line(say, cell):
    """A column with one such cell was taken for an index, and 60 items were 3."""
    rows, said = say(COUNTED.format(cell))
    assert rows is None
    value = cell.strip('"')
    assert f"a.txt: line 2 has {value!r} in 'count'; a number of items is a whole number" in said


def test_a_line_is_an_item_if_a_column_names_the_items(say):
    text = "id,truth,pred,n\n7,a,a,3\n8,a,b,5\n9,b,b,2\n"
    rows, notes = say(text)
    assert supports(rows)["a"] == 2
    assert "each line is one item, because 'id' names them; if 'n' says how many items" in notes
    rows, notes = say(text, options=["--count", "n"])
    assert supports(rows)["a"] == 8
    assert "one item" not in notes


@pytest.mark.parametrize(
    "text",
    [
        ",truth,pred,count\n0,a,a,3\n1,a,b,5\n2,b,b,2\n",  # what pandas writes of either table
        "truth,pred,n\na,a,1\na,b,2\nb,b,3\n",
        "words,truth,pred,n\np,a,a,7\nq,a,b,7\nr,b,b,9\ns,b,b,9\n",
        "truth,pred,n,count\na,a,7,8\na,b,5,4\nb,b,3,3\n",
    ],
)
def test_a_doubt_about_counts_is_a_question_that_can_be_answered(say, text):
    rows, said = say(text)
    assert rows is None
    (name,) = re.findall("does '(.*?)' say how many items a line stands for", said)
    rows, _ = say(text, options=["--count", name])
    of_lines, _ = say(text.replace(f",{name}\n", ",other\n").replace(",n,", ",w,"))
    assert supports(rows)["a"] > supports(of_lines)["a"] == 2


def test_counts_have_a_bound(say):
    _, said = say(COUNTED.format(10**9))
    assert "adds up to 1,000,000,030 items, not to 1 to 10,000,000" in said
    _, said = say("truth,pred,count\na,a,0\nb,b,0\n")
    assert "adds up to 0 items" in said


def test_text_of_windows_is_read_with_a_note(say):
    """So a spreadsheet writes it in western Europe."""
    rows, notes = say("truth;pred\nmüde;müde\nwach;müde\nwach;wach\n".encode("cp1252"))
    assert supports(rows)["müde"] == 1
    assert "a.txt is not UTF-8 text, and is read as Windows-1252" in notes


@pytest.mark.parametrize(
    "data", ["truth,pred\n、,東\n".encode("shift-jis"), b"\x89PNG\r\n\x1a\n\0"]
)
def test_other_bytes_are_no_text(say, data):
    _, said = say(data)
    assert "this is no text, it begins with b'" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b"])
def test_a_string_of_json_may_hold_other_ends_of_lines(say, end):
    lines = [{"text": f"p{end}q", "truth": x, "pred": y} for x, y in ("aa", "ab", "bb")]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    rows, _ = say(text)
    assert supports(rows)["a"] == 2


def test_one_letter_in_two_encodings_is_one_class(say):
    rows, _ = say("truth,pred\n\u00e9,e\u0301\nx,x\ne\u0301,\u00e9\n")
    assert supports(rows)["\u00e9"] == 2


def test_labels_in_options_may_be_written_as_in_the_file(say):
    text = "truth,pred\n" + "1.0,1.0\n0.0,0.0\n1.0,0.0\n" * 5
    options = ["--class-shares", "1.0=0.3", "0.0=0.7", "--labels", "1.0", "0.0"]
    rows, _ = say(text, options=options)
    assert [row["name"] for row in rows if row["metric"] == "f1"][:2] == ["1", "0"]


def test_a_share_given_twice_is_refused(say):
    options = ["--class-shares", "a=0.3", "a=0.9", "b=0.1"]
    _, said = say("truth,pred\na,a\nb,b\n", options=options)
    assert "once for a label, such as spam=0.02 ham=0.98, got 'a=0.9'" in said


def test_a_model_is_not_its_own_truth(say):
    _, said = say("truth,pred\na,a\nb,b\n", options=["--pred", "truth"])
    assert "'truth' is the truth; name another column with --pred" in said


def test_a_model_is_a_column_with_the_labels_of_the_truth(say):
    text = "truth,mine,tone\na,a,x\na,b,y\nb,b,x\n"
    _, notes = say(text)
    assert "truth = truth, A = mine\n" in notes
    rows, said = say(
        text.replace("mine", "pred").replace("a,a,x", "a,c,x").replace("b,b,x", "b,d,x")
    )
    assert rows is None
    assert "which column is the model? name it with --pred; the labels of 'truth' are" in said
    assert "the labels of 'pred' are 'b', 'c', 'd'" in said


@pytest.mark.parametrize("name", ["doc", "doc_id"])
def test_two_files_with_other_groups_are_refused(say, name):
    one = f"id,gold,pred,{name}\n1,a,a,p\n2,a,b,p\n3,b,b,q\n"
    two = one.replace("3,b,b,q", "3,b,a,p")
    options = ["--groups", name, "--positive", "a"]
    _, said = say(one, two, command="compare", options=options)
    assert f"a.txt and b.txt: the files differ in {name!r}" in said
    rows, _ = say(one, two, command="compare", options=options[2:])
    assert [row["name"] for row in rows[:2]] == ["a", "b"]


@pytest.mark.parametrize("delimiter", [";;", ""])
def test_a_delimiter_is_one_character(say, delimiter):
    _, said = say("truth,pred\na,a\n", options=["--delimiter", delimiter])
    assert f"--delimiter must be one character, got {delimiter!r}" in said


def test_an_item_twice_in_one_file_gets_a_note(say):
    """A file with a line for each item and model pools the models."""
    _, notes = say("id,truth,prediction\n1,a,a\n1,a,b\n2,b,b\n2,b,b\n")
    assert "if those with the same 'id' are alike, name it with --groups" in notes


# Two files


def test_blank_lines_do_not_shift_labels(say):
    """An empty answer of a model, and an empty label, vanished in different lines."""
    gold, pred = "a b _ a b a a b", "a b a _ b a a b"
    files = [text.replace(" ", "\n").replace("_", "") for text in (gold, pred)]
    rows, said = say(*files, options=["--true", "a", "--pred", "b"])
    assert rows is None
    assert "item 3 stands in line 4 and in line 3, because of blank lines" in said
    rows, _ = say(files[0], files[0].replace("b", "a", 1), options=["--true", "a", "--pred", "b"])
    assert supports(rows)["a"] == 4
    shifted = "truth\n" + files[0], "pred\n\n" + files[0].replace("\n\n", "\n")
    _, said = say(*shifted)
    assert "item 1 stands in line 2 and in line 3, because of blank lines" in said


def test_two_ranges_of_numbers_are_not_matched_without_being_asked(say):
    """The numbers of one file begin at 1, and of the other at 0: each item met its neighbour."""
    gold = "id,truth,pred\n" + "".join(f"{k},{'ab'[k % 2]},a\n" for k in range(1, 41))
    other = "id,pred\n" + "".join(f"{k},{'ba'[k % 2]}\n" for k in range(40))
    rows, said = say(gold, other, command="compare", options=["--positive", "a"])
    assert rows is None
    assert "the column 'id' numbers 1 to 40 in one file and 0 to 39 in the other" in said
    options = ["--positive", "a", "--on", "id"]
    rows, notes = say(gold, other, command="compare", options=options)
    assert "matched by 'id'; 2 items are in one file only, and left out" in notes
    assert len(rows) == 3


def test_items_are_the_same_whether_1_or_1_0_names_them(say):
    gold = "id,truth\n" + "".join(f"{k}.0,{'ab'[k % 2]}\n" for k in range(6))
    pred = "id,pred\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in reversed(range(6)))
    rows, _ = say(gold, pred)
    assert {row["estimate"] for row in rows} == {1.0}


def test_labels_that_are_words_for_the_truth_are_no_names_of_columns(say):
    """Without names in the first line, each file lost its first item."""
    rows, _ = say("true\nfalse\ntrue\ntrue\nfalse", "true\ntrue\ntrue\nfalse\nfalse",
                  options=["--true", "a", "--pred", "b"])  # fmt: skip
    assert supports(rows)["true"] == 3


def test_a_line_is_named_in_its_own_file(say):
    gold = "id,truth\n" + "".join(f"k{k},{'ab'[k % 2]}\n" for k in range(6))
    pred = "id,pred\nk5,b\nk4,a\nk3,b\nk2,NA\nk1,b\nk0,a\n"
    _, said = say(gold, pred)
    assert "b.txt: line 5 has no label in 'pred', it has 'NA'" in said


def test_units_in_both_files_do_not_name_items_but_confirm_the_order(say):
    one = "doc_id,gold,pred\np,a,a\np,a,b\nq,b,b\nq,b,a\n"
    other = "doc_id,pred\np,a\np,a\nq,b\nq,b\n"
    options = ["--positive", "a"]
    _, notes = say(one, other, command="compare", options=options)
    assert "matched line by line" in notes
    moved = "doc_id,pred\np,a\nq,b\np,a\nq,b\n"
    rows, said = say(one, moved, command="compare", options=options)
    assert rows is None
    assert "the lines differ in 'doc_id'; are they in another order? give both files" in said


def test_truths_of_other_names_are_compared_too(say):
    one = "gold,pred_a\na,a\nb,a\nb,b\n"
    other = "label,pred_b\nb,b\na,a\nb,b\n"
    _, said = say(one, other, command="compare")
    assert "the true labels differ in 2 items of 3; the first is 'a' in line 2 and 'b' in" in said


# What is read is what was written


LABELS = [
    ["0", "1"],
    ["1.0", "0.0", "2"],
    ["True", "false", "TRUE"],
    ["a", "b", "c"],
    ["none", "favor", "against"],
    ["x,y", "x;y", 'x"y', "x\ty"],
    ["müde", "wach", "\u6771"],
    ["-1", "1", "10"],
    ["a", "A"],
    ["1", "1.0", "x"],
    ["a", "", "NA"],
    ["truth", "pred", "id"],
    ["B-PER", "O", "I-PER"],
]
NAMES = ["gold", "label", "y", "pred", "y_pred", "bert", "svm", "model A", "out;put", "u", "true"]
BESIDE = {
    "id": lambda rng, n: [str(k) for k in rng.permutation(n)],
    "": lambda _, n: [str(k) for k in range(n)],
    "text": lambda rng, n: [f'line {k}\nsays, "so"' for k in rng.integers(9, size=n)],
    "doc": lambda rng, n: [f"d{k}" for k in rng.integers(5, size=n)],
    "fold": lambda rng, n: [str(k) for k in rng.integers(2, size=n)],
    "score": lambda rng, n: [f"{x:.3f}" for x in rng.random(n)],
    "count": lambda rng, n: [str(k) for k in rng.integers(1, 4, size=n)],
}


def random_table(rng):
    """Columns of labels and of other things, in any order, by their names."""
    n = int(rng.integers(1, 30))
    pool = LABELS[rng.integers(len(LABELS))]
    names = rng.choice(NAMES, size=rng.integers(2, 4), replace=False)
    columns = {str(name): [pool[k] for k in rng.integers(len(pool), size=n)] for name in names}
    for name in rng.choice(list(BESIDE), size=rng.integers(3), replace=False):
        columns[str(name)] = BESIDE[name](rng, n)
    return {name: columns[name] for name in rng.permutation(list(columns))}


def as_text(columns, form):
    """The table as a program writes it."""
    rows = list(zip(*columns.values(), strict=True))
    if form == "json lines":
        lines = [dict(zip(columns, row, strict=True)) for row in rows]
        return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    if form == "json columns":
        return json.dumps({name: dict(enumerate(cells)) for name, cells in columns.items()})
    out = io.StringIO()
    writer = csv.writer(out, delimiter={"csv": ",", "tsv": "\t", "semicolons": ";"}[form])
    writer.writerows([columns, *rows])
    return out.getvalue()


def as_read(columns):
    """Labels as the page of the command says that they are read."""
    labels = {label for column in columns for label in column}
    if all(re.fullmatch(r"-?\d+(\.0*)?", label) for label in labels):
        return [[label.split(".")[0] for label in column] for column in columns]
    if {label.lower() for label in labels} <= {"true", "false"}:
        return [[label.lower() for label in column] for column in columns]
    return columns


def read_or_refused(texts, named, models):
    """What is read of texts, with the notes; None if a sentence refuses them."""
    for name, text in texts.items():
        Path(name).write_bytes(text.encode())
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            read = predictions.read(list(texts), named, models=models)
        except ValueError:
            return None, []
    return read, [str(note.message) for note in notes]


def counted(columns, named, notes):
    """Each column as often as the column of counts says."""
    says = [note for note in notes if note.startswith("each line counts as often")]
    name = named.counts or ("count" if says else None)
    times = [1] * len(next(iter(columns.values()))) if name is None else map(int, columns[name])
    times = list(times)
    return lambda cells: [
        cell for cell, often in zip(cells, times, strict=True) for _ in range(often)
    ]


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "json lines", "json columns"])
def test_what_is_read_of_a_table_is_what_was_written_or_refused(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng([1, len(form)])
    answered = 0
    for _ in range(150):
        columns = random_table(rng)
        labels = [name for name in columns if name in NAMES]
        named = Named()
        if rng.random() < 0.5:
            named = Named(truth=labels[0], models=labels[1:])
        read, notes = read_or_refused({"t.txt": as_text(columns, form)}, named, len(labels) - 1)
        if read is None:
            continue
        answered += 1
        expand = counted(columns, named, notes)
        assert not named.truth or [read.truth, *read.models] == labels
        written = as_read([columns[name] for name in (read.truth, *read.models)])
        assert read.labels == [expand(cells) for cells in written]
    assert answered > 50


@pytest.mark.parametrize("form", ["csv", "json lines"])
@pytest.mark.parametrize("by", ["id", "line"])
def test_what_is_read_of_two_files_is_what_was_written_or_refused(form, by, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng([2, len(form), len(by)])
    answered = 0
    for _ in range(150):
        n = int(rng.integers(1, 30))
        pool = LABELS[rng.integers(len(LABELS))]
        truth, *preds = [[pool[k] for k in rng.integers(len(pool), size=n)] for _ in range(3)]
        name = str(rng.choice(["pred", "label", "bert"]))
        ids = [f"k{k}" for k in range(n)]
        folds = [[str(fold) for fold in rng.integers(2, size=n)] for _ in range(2)]
        one = {"id": ids, "gold": truth, name: preds[0], "fold": folds[0]}
        other = {"id": ids, name: preds[1], "fold": folds[1]} | (
            {"gold": truth} if rng.random() < 0.5 else {}
        )
        kept = range(n)
        if by == "id":
            order = rng.permutation(n)[: rng.integers(1, n + 1)]
            other = {name: [cells[k] for k in order] for name, cells in other.items()}
            kept = sorted(order)
        else:
            one.pop("id")
            other.pop("id")
        named = Named(truth="gold", models=[name]) if rng.random() < 0.5 else Named()
        texts = {"a.txt": as_text(one, form), "b.txt": as_text(other, form)}
        read, _ = read_or_refused(texts, named, 2)
        if read is None:
            continue
        answered += 1
        assert (read.truth, read.models) == ("gold", ["a", "b"])
        written = [[column[k] for k in kept] for column in (truth, *preds)]
        assert read.labels == as_read(written)
    assert answered > 50
