"""Files of predictions: the table of cases that the calculator in the book reads too."""

import json
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
    is_table = "truth" in case or "column" in case.get("asks", "").lower()
    return "files" in case or (is_table and " = " not in case["text"])


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
    command = ["report", str(path), "--true", "target", "--pred", "filtered_resps"]
    assert cli.main(command) == 0
    assert "0.000" in capsys.readouterr().out
