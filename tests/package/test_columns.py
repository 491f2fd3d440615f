"""Files of predictions: the table of cases that the calculator in the book reads too."""

import json
from pathlib import Path

import numpy as np
import pytest

import f1ci
from f1ci import _columns, _joining, cli

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
    """Predictions that name their columns may stand in a file too."""
    return "files" in case or ("truth" in case and " = " not in case["text"])


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


def command_for(case, folder):
    """Write the files of a case into a folder; return the command that reads them."""
    files = case.get("files") or [{"name": "pasted.txt", "text": case["text"]}]
    for file in files:
        (folder / file["name"]).write_text(file["text"], "utf-8", newline="")
    paths = [str(folder / file["name"]) for file in files]
    return ["report" if case.get("b") == "" else "compare", *paths]


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("case", cases())
def test_cases(case, tmp_path, capsys):
    command = command_for(case, tmp_path)
    refused = "asks" in case or "refuses" in case
    assert cli.main(command) == (2 if refused else 0), capsys.readouterr().err
    if refused:
        return
    options = cli._parser().parse_args(command)
    predictions = cli._read(options)
    assert predictions.truth == case["truth"]
    assert predictions.models == [case["a"], case["b"]][: len(predictions.models)]
    if "matrix" in case:
        order = _columns.in_order(label for column in predictions.labels for label in column)
        assert order == case["labels"]
        assert f1ci.confusion_matrix(*predictions.labels, labels=order).tolist() == case["matrix"]
    else:
        _, positive = cli._compared_metric(options, predictions)
        assert positive == case["positive"]
        assert counted_cells(predictions.labels, positive) == case["cells"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.csv", "b.csv"], ["a", "b"]),
        (["x/a.csv", "y/a.csv"], ["x/a.csv", "y/a.csv"]),
        (["a.csv", "a.tsv"], ["a.csv", "a.tsv"]),
        (["a.csv", "a.csv"], ["a.csv (1)", "a.csv (2)"]),
    ],
)
def test_files_have_names_that_tell_them_apart(paths, names):
    assert _joining.distinct_names(paths) == names


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ("1.0,1\nx,x\n1,1.0\n", "'1', '1.0' are different classes: not all labels are numbers"),
        ("True,1\nx,x\n1,True\n", "'1', 'True' are different classes: not all labels are numbers"),
        (
            "\u00e9,e\u0301\nx,x\ne\u0301,\u00e9\n",
            "labels that look alike are different classes: accents differ",
        ),
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
