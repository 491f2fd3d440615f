"""The command line, run as a user runs it: a process with arguments, a file or a pipe."""

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

import f1ci
from f1ci import cli

RNG = np.random.default_rng(15)
N = 300
TRUE = (RNG.random(N) < 0.4).astype(int)
A = np.where(RNG.random(N) < 0.78, TRUE, 1 - TRUE)
B = np.where(RNG.random(N) < 0.82, TRUE, 1 - TRUE)
GROUPS = [f"d{item // 10}" for item in range(N)]

# A folder from which the package can be run.
ROOT = Path(f1ci.__file__).parents[1]


def run(*arguments, text=None, code=0, **options):
    """What the process writes to standard output and to standard error."""
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(
        [sys.executable, "-m", "f1ci", *map(str, arguments)],
        input=data,
        capture_output=True,
        cwd=ROOT,
        check=False,
        **options,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err
    assert done.returncode == code, err
    return out, err


def here(capsys, *arguments, code=0):
    """The same without a process: a test of a sentence need not import SciPy again."""
    try:
        found = cli.main(list(map(str, arguments)))
    except SystemExit as stop:  # argparse
        found = stop.code
    captured = capsys.readouterr()
    assert found == code, captured.err
    return captured.out, captured.err


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "labels.csv"
    rows = zip(TRUE, A, B, GROUPS, strict=True)
    path.write_text("y,a,b,doc\n" + "".join(f"{t},{a},{b},{g}\n" for t, a, b, g in rows))
    return path


def test_the_installed_command_is_this_function():
    (command,) = entry_points(group="console_scripts", name="f1ci")
    assert command.load() is cli.main


def test_counts_of_the_paper():
    # Section 6 of Lam, Gopal and Qian (2024).
    out, err = run("counts", 77, 44, 10)
    assert out.splitlines()[-1] == "f1 = 0.740 (95 % CI 0.669 to 0.801, score)"
    assert not err


def test_counts_as_json(capsys):
    out, _ = here(capsys, "counts", 77, 44, 10, 702, "--json", "--metric", "mcc")
    (row,) = json.loads(out)
    assert row["estimate"] == f1ci.metric_interval([[702, 44], [10, 77]], "mcc").estimate
    rows = json.loads(here(capsys, "counts", 77, 44, 10, 900, "--json")[0])
    assert [row["name"] for row in rows] == ["precision", "recall", "f1", "accuracy"]
    (row,) = json.loads(here(capsys, "counts", 77, 44, 10, "--metric", "f2", "--json")[0])
    interval = f1ci.metric_interval([[900, 44], [10, 77]], f1ci.metrics.fbeta(2))
    assert (row["low"], row["high"]) == tuple(interval)
    out, _ = here(capsys, "counts", 77, 44, 10, "--json", "--method", "wilson_direct")
    (row,) = json.loads(out)
    assert row["low"] == f1ci.f1_interval(77, 44, 10, method="wilson_direct").low
    out, err = here(capsys, "counts", 0, 0, 0, "--json")
    assert json.loads(out)[2]["estimate"] is None
    assert "note: f1 is undefined" in err


@pytest.mark.parametrize(
    "metric",
    ["accuracy", "specificity", "mcc", "kappa", "npv", "macro_f1", "lift", "balanced_accuracy"],
)
def test_true_negatives_that_are_missing_are_not_zero(capsys, metric):
    _, err = here(capsys, "counts", 77, 44, 10, "--metric", metric, code=2)
    assert "needs the true negatives: f1ci counts TP FP FN TN" in err
    for known in ("f1", "f2", "recall", "precision", "jaccard"):
        assert here(capsys, "counts", 77, 44, 10, "--metric", known)[0]


@pytest.mark.parametrize("groups", [False, True])
def test_a_report_is_that_of_the_package(labels, groups):
    option = ["--groups", "doc"] if groups else []
    out, _ = run("report", labels, "--true", "y", "--pred", "a", *option)
    report = f1ci.classification_report(TRUE, A, groups=GROUPS if groups else None)
    assert out.endswith(f"\n\n{report}\n")
    assert out.startswith("300 items in 30 groups, 2 classes" if groups else "300 items, 2 ")
    of = ["report", "-", "--true", "y", "--pred", "a", "--json", *option]
    out, _ = run(*of, text=labels.read_text())
    for row, record in zip(json.loads(out), report.records(), strict=True):
        assert row == row | record | {"name": str(record["name"])}


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_comparison_is_that_of_the_package(capsys, labels, groups):
    option = [] if groups is None else ["--groups", "doc"]
    of = ["compare", labels, "--true", "y", "--pred", "a", "b"]
    out, _ = here(capsys, *of, "--margin", 0.2, "--json", *option)
    *each, difference = json.loads(out)
    test = f1ci.difference_test(TRUE, A, B, margin=0.2, groups=groups, rng=0)
    for name, predicted in (("a", A), ("b", B)):
        alone = f1ci.f1_score_interval(TRUE, predicted, groups=groups)
        (row,) = (row for row in each if row["name"] == name)
        assert (row["estimate"], row["low"], row["high"]) == (alone.estimate, *alone)
    expected = {"estimate": test.estimate, "low": test.interval.low, "high": test.interval.high}
    expected |= {"p_not_inferior": test.p_not_inferior, "p_value": test.p_value}
    assert difference == difference | expected | {"verdict": test.verdict("a", "b")}


def write(path, rows):
    path.write_text("\n".join(["y,a,b", *rows]) + "\n", "utf-8")
    return path


def test_plain_verdicts(capsys, tmp_path):
    rows = ["ham,ham,ham"] * 50 + ["spam,ham,spam"] * 30 + ["spam,spam,spam"] * 20
    path = write(tmp_path / "x.csv", rows)
    of = ["compare", path, "--true", "y", "--pred"]
    out, _ = here(capsys, *of, "a", "b", "--positive", "spam")
    assert out.splitlines()[-1] == "b is better than a"
    assert out.startswith("100 items, f1 of spam, method score, test exact\n")
    out, _ = here(capsys, *of, "b", "a", "--positive", "spam")
    assert out.splitlines()[-1] == "a is worse than b"
    _, err = here(capsys, *of, "a", "a", "--positive", "ham", code=2)
    assert err == "f1ci: a comparison needs at least two models, got 1\n"
    _, err = here(capsys, *of, "a", "b", code=2)
    assert err == "f1ci: f1 needs --positive, the positive class among 'ham', 'spam'; got None\n"


def test_the_columns_that_were_chosen_are_named(capsys, tmp_path):
    path = write(tmp_path / "x.csv", ["1,1,1", "0,1,0", "1,0,1", "0,0,0"])
    out, err = here(capsys, "compare", path)
    assert err == "f1ci: note: truth = y, A = a, B = b\n"
    named, err = here(capsys, "compare", path, "--true", "y", "--pred", "a", "b")
    assert (named, err) == (out, "")
    _, err = here(capsys, "report", path, code=2)
    assert "a report is for one model: name it with --pred; got 'a', 'b'" in err
    _, err = here(capsys, "report", path, "--pred", "c", code=2)
    assert "no column is called 'c'; got the columns 'y', 'a', 'b'" in err


def test_models_with_long_names_stay_apart(capsys, tmp_path):
    """Names were cut to 40 letters, and then two models were one."""
    names = [f"model_with_a_very_long_name_and_a_seed_number_{k}" for k in (1, 2)]
    rows = [f"{t},{t if k % 7 else 0},{t if k % 3 else 0},{k % 2}" for k, t in enumerate(TRUE)]
    path = tmp_path / "x.csv"
    path.write_text("\n".join([",".join(["y", *names, "baseline"]), *rows]))
    of = ["compare", path, "--true", "y", "--pred", *names]
    assert {row["name"] for row in json.loads(here(capsys, *of, "--json")[0])[:2]} == set(names)
    out, _ = here(capsys, *of, "baseline")
    first_column = [line.split()[0] for line in out.splitlines()[3:6]]
    assert len(set(first_column)) == 3
    assert "\nmodel_with…_number_2 - model_with…_number_1  " in out


def test_files_of_one_name_in_two_folders(capsys, tmp_path):
    paths = [tmp_path / run / "preds.csv" for run in ("one", "two")]
    for path, labels in zip(paths, (A, B), strict=True):
        path.parent.mkdir()
        rows = [f"{k},{TRUE[k]},{labels[k]}" for k in range(N)]
        path.write_text("\n".join(["id,y_true,y_pred", *rows]))
    rows = json.loads(here(capsys, "compare", *paths, "--json")[0])
    assert {row["name"] for row in rows[:2]} == {"one/preds.csv", "two/preds.csv"}
    assert rows[2]["estimate"] == f1ci.difference_test(TRUE, A, B).estimate


def test_objects_of_json_are_read_like_columns(capsys, labels, tmp_path):
    expected = here(capsys, "compare", labels, "--true", "y", "--pred", "a", "b")
    objects = [
        {"y": t, "a": a, "b": b}
        for t, a, b in zip(TRUE.tolist(), A.tolist(), B.tolist(), strict=True)
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, objects)))
    assert here(capsys, "compare", path, "--true", "y", "--pred", "a", "b") == expected


def test_options_reach_the_report(capsys, tmp_path):
    path = write(tmp_path / "x.csv", ["x,x,x", "y,y,x", "x,y,x", "y,x,y"] * 3)
    out, _ = here(capsys, "report", path, "--pred", "a", "--labels", "y", "x", "z")
    columns = list("xyxy") * 3, list("xyyx") * 3
    assert str(f1ci.classification_report(*columns, labels=["y", "x", "z"])) in out
    option = ["--labels", "y", "x", "z", "--zero-division", 0]
    out, _ = here(capsys, "report", path, "--pred", "a", *option)
    expected = f1ci.classification_report(*columns, labels=["y", "x", "z"], zero_division=0)
    assert str(expected) in out


def test_input_without_an_end_is_refused(capsys, monkeypatch):
    monkeypatch.setattr(cli._files, "_MOST_BYTES", 1 << 20)
    _, err = here(capsys, "report", "/dev/zero", code=2)
    assert "/dev/zero: more than 1 megabytes, or input without an end" in err


def test_more_classes_and_other_metrics(capsys, tmp_path):
    rows = [f"{t},{a},{b}" for t in "xyz" for a in "xyz" for b in "xyz" for _ in range(2)]
    path = write(tmp_path / "x.csv", rows + ["x,y,x"] * 20)
    of = ["compare", path, "--true", "y", "--pred", "a", "b", "--json"]
    table = [row.split(",") for row in rows + ["x,y,x"] * 20]
    columns = list(zip(*table, strict=True))
    expected = f1ci.difference_interval(*columns, "macro_f1")
    found = json.loads(here(capsys, *of)[0])[-1]
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected), abs=1e-9)
    assert found["name"] == "b - a"
    found = json.loads(here(capsys, *of, "--metric", "weighted_f2", "--method", "delta")[0])[-1]
    expected = f1ci.difference_interval(*columns, "weighted_f2", method="delta")
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected), abs=1e-12)
    of_x = json.loads(here(capsys, *of, "--positive", "x", "--metric", "recall")[0])[-1]
    flags = [[label == "x" for label in column] for column in columns]
    expected = f1ci.difference_interval(*flags, "recall")
    assert of_x["estimate"] == expected.estimate
    _, err = here(capsys, *of, "--metric", "recall", code=2)
    assert "recall needs --positive, the positive class among 'x', 'y', 'z'; got None" in err


def test_plans(capsys):
    # Jiang (2020), the example of section 5, by the sharp bound.
    out, _ = here(capsys, "plan", "--metric", "f0.5", "--half-width", 0.02, "--prevalence", 0.615)
    plan = f1ci.sample_size(f1ci.metrics.fbeta(0.5), half_width=0.02, prevalence=0.615)
    assert out == f"{plan}\n"
    (row,) = json.loads(here(capsys, "plan", "--half-width", 0.05, "--json")[0])
    assert (row["metric"], row["total"]) == ("f1", None)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"y,b\n1,1\n", "no column is called 'a'; got the columns 'y', 'b'"),
        (b"y,a,a\n1,1,1\n", "two columns have the same name, got the columns 'y', 'a', 'a'"),
        (b"y,a\n", "no rows below the header"),
        (b"y,a\n1,1\n1\n", "line 3: got 1 cells, the first line has 2"),
        (b"y,a\n1,1\n1,0,1\n", "line 3: got 3 cells, the first line has 2"),
        (b"y,a\n1,1\n\n0, \n", "line 4: column 'a': the label is missing, got ''"),
        (b"y,a\n1,1\nNA,0\n", "line 3: column 'y': the label is missing, got 'NA'"),
        (b"y,a\n1,1\n0,nan\n", "line 3: column 'a': the label is missing, got 'nan'"),
        (b"\x1f\x8b\x08 a file of gzip", "line 1: not UTF-8 text"),
        (b'y,a\nx,x\n"x,x\n', "line 3: opens a quote that nothing closes"),
        (b'y,a\nx,x\n"x"y,x\n', "line 3: ',' expected after '\"'"),
        (b"y,a\nx,x\nx,x\n", "needs at least two classes, got 1"),
        (
            b"y,a\n" + b"".join(b"0.%d,1\n" % k for k in range(1500)),
            "'y' has 1,500 different labels in 1,500 lines; are these scores or identifiers?",
        ),
        (
            b"y,a\n" + b"".join(b"%d,0.%d\n" % (k % 2, k) for k in range(1500)),
            "the labels of 'a' are '0.0', '0.1', '0.10', '0.100', ..., those of the truth 'y' are",
        ),
        (b'[{"y": 1, "a": 1}, 3]', "object 2 must have names, got 3"),
        (b'{"y": [1, 0], "a": [1]}', "the lists have different lengths"),
    ],
)
def test_a_bad_file_gets_one_sentence(capsys, tmp_path, content, sentence):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    out, err = here(capsys, "report", path, "--true", "y", "--pred", "a", code=2)
    assert sentence in err
    assert err.startswith("f1ci: ")
    assert err.count("\n") == 1
    assert not out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["count"], "invalid choice: 'count'"),
        (["counts", "1", "2", "x"], "argument fn: invalid int value: 'x'"),
        (["counts", "1", "2", "-3"], "matrix must be a whole number between 0 and 2**50, got -3"),
        (["counts", "1", "2", "3", "--method", "wald"], None),
        (["counts", "1", "2", "3", "--method", "bootstrap"], "method must be one of 'score'"),
        (["counts", "1", "2", "3", "--confidence-level", "95"], "did you mean 0.95?"),
        (["report", "nosuch.csv", "--true", "y", "--pred", "a"], "nosuch.csv: no such file"),
        (["report", str(ROOT), "--true", "y", "--pred", "a"], "is a directory"),
        (["report", "x.csv", "y.csv", "z.csv"], "give one file or two, got 3"),
        (["matrix", "x.txt"], "invalid choice: 'matrix'"),
        (["plan", "--half-width", "2"], "half_width must lie in (0, 1], got 2"),
    ],
)
def test_bad_arguments_get_one_sentence(capsys, arguments, sentence):
    out, err = here(capsys, *arguments, code=2 if sentence else 0)
    if sentence:
        assert sentence in err.splitlines()[-1]  # argparse says how it is used above
        assert not out


@pytest.mark.parametrize(
    ("redirect", "sentence"),
    [
        ("counts 1 2 3 >&-", "f1ci: standard input or output: closed"),
        ("counts 1 2 3 >/dev/full", "f1ci: standard input or output: no space left on device"),
        ("report - --true y --pred a <&-", "f1ci: standard input or output: bad file descriptor"),
        (
            "report - --true y --pred a <<X\ny,a\n1\nX\n",
            "f1ci: standard input, line 2: got 1 cells, the first line has 2\n",
        ),
        ("counts 0 0 0 2>&-", ""),
    ],
)
def test_closed_and_full_streams_get_a_sentence(redirect, sentence):
    command = ["sh", "-c", f"{sys.executable} -m f1ci {redirect}"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == (2 if sentence else 0)
    assert done.stderr.decode().startswith(sentence)
    assert done.stderr.count(b"\n") <= 1


def test_delimiters_inside_quotes_separate_nothing(capsys, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('"true, label, as, read";"pred"\n1;1\n0;1\n')
    of = ["report", path, "--true", "true, label, as, read", "--pred", "pred"]
    assert "accuracy" in here(capsys, *of)[0]
    assert "accuracy" in here(capsys, *of, "--delimiter", ";")[0]
    _, err = here(capsys, *of, "--delimiter", ";;", code=2)
    assert "must be a 1-character string" in err


def test_numbers_and_truth_values_are_spelled_alike(capsys, tmp_path):
    path = write(tmp_path / "x.csv", ["1,1.0,1", "0,0.0,0", "1,0.0,1"])
    out, err = here(capsys, "report", path, "--true", "y", "--pred", "a")
    assert f"\n\n{f1ci.classification_report([1, 0, 1], [1, 0, 0])}\n" in out
    assert err == "f1ci: note: labels are read 0.0 as 0, 1.0 as 1\n"
    path = write(tmp_path / "y.csv", ["True,true,1", "False,false,0", "True,TRUE,1"])
    out, err = here(capsys, "report", path, "--true", "y", "--pred", "a")
    assert "labels are read False as false, TRUE as true, True as true" in err
    _, err = here(capsys, "report", path, "--true", "y", "--pred", "b", code=2)
    assert "the labels of 'b' are '0', '1', those of the truth 'y' are 'False', 'True'" in err


def test_two_files_are_joined(capsys, tmp_path, labels):
    whole = here(capsys, "compare", labels, "--true", "y", "--pred", "a", "b", "--json")[0]
    one, other = tmp_path / "a.csv", tmp_path / "b.csv"
    ids = RNG.permutation(N)
    one.write_text("id,y,p\n" + "".join(f"{k},{TRUE[k]},{A[k]}\n" for k in range(N)))
    other.write_text("p;id\n" + "".join(f"{B[k]};{k}\n" for k in ids) + "1;extra\n")
    of = ["compare", one, other, "--on", "id", "--true", "y", "--pred", "p"]
    out, err = here(capsys, *of, "--json")
    assert json.loads(out) == json.loads(whole)
    assert err == "f1ci: note: matched by 'id'; items in one file only are left out: 1\n"
    with other.open("a") as stream:
        stream.write("0;7\n")
    assert "b.csv: the column 'id' names '7' twice" in here(capsys, *of, code=2)[1]


def test_more_than_two_models(capsys, labels):
    out, _ = here(capsys, "compare", labels, "--true", "y", "--pred", "a", "b", "y")
    assert out.splitlines()[-1] == "y is better than every other model"
    assert "p (Holm)" in out


def test_escape_codes_do_not_reach_the_terminal(capsys, tmp_path):
    path = tmp_path / "x.csv"
    red = "\x1b[31mred"
    path.write_text(f"y,{red},b\n{red},{red},b\nb,b,b\nb,{red},b\n")
    for arguments in (
        ["report", path, "--true", "y", "--pred", red],
        ["compare", path, "--true", "y", "--pred", red, "b", "--metric", "macro_f1"],
        ["compare", path, "--true", "y", "--pred", red, "b", "--positive", "x" * 10**5],
        ["report", path, "--true", "no", "--pred", red],
    ):
        cli.main(list(map(str, arguments)))
        shown = "".join(capsys.readouterr())
        assert "\x1b" not in shown
        assert len(shown) < 2000


def test_files_as_they_come(capsys, tmp_path):
    # A byte order mark, semicolons, spaces, quoted line breaks, Windows line ends, blank lines.
    path = tmp_path / "x.csv"
    path.write_bytes(
        '\ufeffnote;y ; a\r\n"two\r\nlines; here"; 10;10\r\n\r\nx;2;2 \r\nx;10;2\r\n'.encode()
    )
    out, _ = here(capsys, "report", path, "--true", "y", "--pred", "a")
    expected = f1ci.classification_report([10, 2, 10], [10, 2, 2])
    assert out.endswith(f"\n\n{expected}\n")  # 2 comes before 10
    path.write_text("y\ta\n東京\t東京\n京都\t東京\n", "utf-8")
    out, _ = here(capsys, "report", path, "--true", "y", "--pred", "a", "--json")
    assert {row["name"] for row in json.loads(out)} >= {"東京", "京都"}


def test_letters_that_a_terminal_lacks_do_not_stop_it():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = "y,a\n東,東\n京,東\n"
    out, _ = run("report", "-", "--true", "y", "--pred", "a", text=text, env=environment)
    assert r"\u6771" in out


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,a\n" + "".join(f"{k % 900},{k % 900}\n" for k in range(4000)))
    command = [sys.executable, "-m", "f1ci", "report", path, "--true", "y", "--pred", "a"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=ROOT, **pipes)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_help_shows_every_command_with_an_example(capsys):
    out, _ = here(capsys, "--help")
    for name in ("counts", "report", "compare", "plan"):
        assert f"\n  f1ci {name} " in out
        shown, _ = here(capsys, name, "--help")
        assert f"example: f1ci {name} " in shown
        assert shown == cli.helps()[f"f1ci {name}"]  # what pages show
    assert here(capsys)[0] == out  # f1ci alone
    assert here(capsys, "--version")[0] == f"f1ci {f1ci.__version__}\n"


def test_known_shares_of_the_classes(capsys, tmp_path):
    """Precision by Bayes' rule: recall 0.9, and 0.1 of the negatives are called positive."""
    lines = ["gold,a,b"]
    for gold, a, number in [("x", "x", 90), ("x", "y", 10), ("y", "x", 10), ("y", "y", 90)]:
        lines += [f"{gold},{a},{gold}"] * number
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines), "utf-8")
    shares = ["--class-shares", "x=0.01", "y=0.99"]
    assert cli.main(["report", str(path), "--true", "gold", "--pred", "a", "--json", *shares]) == 0
    rows = json.loads(capsys.readouterr().out)
    (row,) = (x for x in rows if (x["name"], x["metric"]) == ("x", "precision"))
    assert row["estimate"] == pytest.approx(0.009 / (0.009 + 0.099), abs=1e-12)
    command = ["compare", str(path), "--true", "gold", "--pred", "a", "b", "--positive", "x"]
    assert cli.main([*command, "--metric", "precision", "--json", *shares]) == 0
    models = json.loads(capsys.readouterr().out)
    assert models[1]["name"] == "a"
    assert models[1]["estimate"] == pytest.approx(row["estimate"], abs=1e-12)
    assert models[1]["low"] == pytest.approx(row["low"], abs=1e-6)
    for wrong, sentence in [
        ("x", "LABEL=SHARE, such as spam=0.02 ham=0.98, got 'x'"),
        ("x=much", "got 'x=much'"),
        ("x=0.5", "sum to 1, got {'x': 0.5} with the sum 0.5"),
    ]:
        assert cli.main([*command, "--class-shares", wrong]) == 2
        assert sentence in capsys.readouterr().err
