"""The command line: what it prints is the package's; a file that is wrong gets one sentence."""

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
from examples import ask

import f1ci
from f1ci import cli
from f1ci.cli import files

RNG = np.random.default_rng(15)
N = 300
TRUE = (RNG.random(N) < 0.4).astype(int)
A = np.where(RNG.random(N) < 0.78, TRUE, 1 - TRUE)
B = np.where(RNG.random(N) < 0.82, TRUE, 1 - TRUE)
GROUPS = [f"d{item // 10}" for item in range(N)]
OF_PAIR = ["--true", "y", "--pred", "a", "b"]
OF_ONE = ["--true", "y", "--pred", "a"]

# A folder from which the package can be run.
ROOT = Path(f1ci.__file__).parents[1]


@pytest.fixture
def run(capsys):
    """What the command writes to standard output and to standard error."""

    def call(*arguments, code=0):
        try:
            found = cli.main(list(map(str, arguments)))
        except SystemExit as stop:  # argparse
            found = stop.code
        captured = capsys.readouterr()
        assert found == code, captured.err
        return captured.out, captured.err

    return call


@pytest.fixture
def in_json(run):
    """The records that the command prints."""
    return lambda *arguments: json.loads(run(*arguments, "--json")[0])


@pytest.fixture
def write(tmp_path):
    """A file of rows, with a first line."""

    def call(rows, head="y,a,b", name="x.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
        return path

    return call


@pytest.fixture
def labels(write):
    rows = zip(TRUE, A, B, GROUPS, strict=True)
    return write((f"{t},{a},{b},{g}" for t, a, b, g in rows), "y,a,b,doc", "labels.csv")


def process(*arguments, **options):
    """The same in a process of its own."""
    command = [sys.executable, "-m", "f1ci", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False, **options)


# What is printed


def test_the_installed_command_is_this_function():
    (command,) = entry_points(group="console_scripts", name="f1ci")
    assert command.load() is cli.main


def test_counts_of_the_paper(run):
    # Section 6 of Lam, Gopal and Qian (2024).
    out, err = run("counts", 77, 44, 10)
    assert out.splitlines()[-1] == "f1 = 0.740 (95 % CI 0.669 to 0.801, Wilson score)"
    assert not err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([702, "--metric", "mcc"], f1ci.Matrix([[702, 44], [10, 77]]).interval("mcc")),
        (["--metric", "f2"], f1ci.Matrix([[0, 44], [10, 77]]).interval("f2")),
        (["--metric", "f1", "--method", "logit"], f1ci.f1_interval(77, 44, 10, method="logit")),
    ],
)
def test_counts_as_json(in_json, arguments, expected):
    (row,) = in_json("counts", 77, 44, 10, *arguments)
    assert (row["estimate"], row["low"], row["high"]) == (expected.estimate, *expected)


@pytest.mark.parametrize(
    "words",
    ["TP=77 FP=44 FN=10", "fn=10 fp=44 tp=77", "77 44 10", "TP=77 44 10", "tn=0 tp=77 fn=10 fp=44"],
)
def test_counts_may_have_names(in_json, words):
    rows = in_json("counts", *words.split(), "--metric", "f1")
    assert [tuple(f1ci.f1_interval(77, 44, 10))] == [(row["low"], row["high"]) for row in rows]


def test_counts_may_have_thousands(in_json):
    rows = in_json("counts", "12,812", "1,044", 310, "--metric", "f1")
    assert rows[0]["low"] == f1ci.f1_interval(12_812, 1_044, 310).low


def test_counts_without_a_metric_have_several(in_json, run):
    rows = in_json("counts", 77, 44, 10, 900)
    assert [row["name"] for row in rows] == ["precision", "recall", "f1", "accuracy"]
    out, err = run("counts", 0, 0, 0, "--json")
    assert json.loads(out)[2]["estimate"] is None
    assert "note: f1 is undefined" in err


@pytest.mark.parametrize("metric", ["accuracy", "specificity", "mcc", "macro_f1", "lift"])
def test_true_negatives_that_are_missing_are_not_zero(run, metric):
    _, err = run("counts", 77, 44, 10, "--metric", metric, code=2)
    assert "needs the true negatives: f1ci counts TP FP FN TN" in err


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_report_is_that_of_the_package(run, in_json, labels, groups):
    option = [] if groups is None else ["--groups", "doc"]
    out, _ = run("report", labels, *OF_ONE, *option)
    report = f1ci.classification_report(TRUE, A, groups=groups)
    assert out.endswith(f"\n\n{report}\n")
    assert out.startswith("300 items in 30 groups, 2 classes" if groups else "300 items, 2 ")
    rows = in_json("report", labels, *OF_ONE, *option)
    for row, record in zip(rows, report.records(), strict=True):
        assert row == row | record | {"name": str(record["name"])}


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_comparison_is_that_of_the_package(in_json, labels, groups):
    option = [] if groups is None else ["--groups", "doc"]
    *each, difference = in_json("compare", labels, *OF_PAIR, "--margin", 0.2, *option)
    test = f1ci.Labels(TRUE, {"a": A, "b": B}, groups=groups).difference(margin=0.2, rng=0)
    for name, predicted in (("a", A), ("b", B)):
        alone = f1ci.f1_score_interval(TRUE, predicted, groups=groups)
        (row,) = (row for row in each if row["name"] == name)
        assert (row["estimate"], row["low"], row["high"]) == (alone.estimate, *alone)
    expected = {"estimate": test.estimate, "low": test.interval.low, "high": test.interval.high}
    expected |= {"p_not_inferior": test.p_not_inferior, "p_value": test.p_value}
    assert difference == difference | expected | {"verdict": test.verdict()}


def test_the_verdict_comes_last_and_long_names_stay_apart(run, write):
    """Names were cut to 40 letters, and then two models were one."""
    names = [f"model_with_a_very_long_name_and_a_seed_number_{k}" for k in (1, 2)]
    rows = ["ham,ham,ham"] * 50 + ["spam,ham,spam"] * 30 + ["spam,spam,spam"] * 20
    path = write(rows, ",".join(["y", *names]))
    out, _ = run("compare", path, "--positive", "spam", "--true", "y", "--pred", *names)
    assert out.startswith("100 items, f1 of spam, method score\n")
    assert out.splitlines()[-1] == f"{names[1]} is better than {names[0]}"
    first_column = {line.split()[0] for line in out.splitlines()[3:5]}
    assert len(first_column) == 2


@pytest.mark.parametrize(
    ("arguments", "positive", "metric", "options"),
    [
        ([], None, "macro_f1", {}),
        (["--metric", "weighted_f2"], None, "weighted_f2", {}),
        (["--method", "delta"], None, "macro_f1", {"method": "delta"}),
        (["--positive", "x", "--metric", "recall"], "x", "recall", {}),
    ],
)
def test_options_reach_the_comparison(in_json, write, arguments, positive, metric, options):
    rows = [f"{t},{a},{b}" for t in "xyz" for a in "xyz" for b in "xyz"] * 2 + ["x,y,x"] * 20
    columns = np.array([row.split(",") for row in rows]).T
    if positive:
        columns = columns == positive
    expected = ask(
        f1ci.Labels,
        "difference",
        (columns[0], {"A": columns[1], "B": columns[2]}),
        metric,
        **options,
    ).interval
    found = in_json("compare", write(rows), *OF_PAIR, *arguments)[-1]
    assert found["name"] == "b - a"
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected), abs=1e-9)


def test_options_reach_the_report(run, write):
    path = write(["x,x,x", "y,y,x", "x,y,x", "y,x,y"] * 3)
    option = ["--labels", "y", "x", "z", "--zero-division", 0]
    out, _ = run("report", path, "--pred", "a", *option)
    columns = list("xyxy") * 3, list("xyyx") * 3
    expected = f1ci.classification_report(*columns, labels=["y", "x", "z"], zero_division=0)
    assert str(expected) in out


def test_plans(run, in_json):
    # Jiang (2020), the example of section 5, by the sharp bound.
    out, _ = run("plan", "--metric", "f0.5", "--half-width", 0.02, "--prevalence", 0.615)
    plan = f1ci.sample_size(f1ci.metrics.fbeta(0.5), half_width=0.02, prevalence=0.615)
    assert out == f"{plan}\n"
    (row,) = in_json("plan", "--half-width", 0.05)
    assert (row["metric"], row["total"]) == ("f1", None)


def test_help_shows_every_command_with_an_example(run):
    out, _ = run("--help")
    for name in ("counts", "report", "compare", "doctor", "plan"):
        assert f"\n  f1ci {name} " in out
        shown, _ = run(name, "--help")
        assert f"example: f1ci {name} " in shown
        assert shown == cli.helps()[f"f1ci {name}"]  # what pages show
    assert run()[0] == out  # f1ci alone
    assert run("--version")[0] == f"f1ci {f1ci.__version__}\n"


SHARES = ["--class-shares", "x=0.01", "y=0.99"]


@pytest.fixture
def balanced(write):
    """A file with 100 x and 100 y: a finds nine tenths of each, and b is perfect."""
    right = ["x,x,x"] * 90 + ["y,y,y"] * 90
    wrong = ["x,y,x"] * 10 + ["y,x,y"] * 10
    return write(right + wrong)


def test_known_shares_of_the_classes(in_json, balanced):
    """Precision by Bayes' rule: recall 0.9, and 0.1 of the negatives are called positive."""
    rows = in_json("report", balanced, *OF_ONE, *SHARES)
    (row,) = (x for x in rows if (x["name"], x["metric"]) == ("x", "precision"))
    assert row["estimate"] == pytest.approx(0.009 / (0.009 + 0.099), abs=1e-12)
    options = ["--positive", "x", "--metric", "precision", *SHARES]
    perfect, model, _ = in_json("compare", balanced, *OF_PAIR, *options)
    assert model["estimate"] == pytest.approx(row["estimate"], abs=1e-12)
    # Of a perfect model it matters that the shares are those of the true classes.
    gold = ["x"] * 100 + ["y"] * 100
    known = {"class_shares": {"x": 0.01, "y": 0.99}, "pos_label": "x"}
    expected = f1ci.score_interval(gold, gold, "precision", **known)
    assert (perfect["low"], perfect["high"]) == tuple(expected)


def test_known_shares_of_a_label_with_a_hyphen(in_json, write):
    path = write(["1,1", "-1,-1", "1,-1", "-1,1"] * 10, "y,a")
    rows = in_json("report", path, "--class-shares=-1=0.75", "--class-shares=1=0.25")
    (row,) = (x for x in rows if (x["name"], x["metric"]) == ("1", "precision"))
    assert row["estimate"] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize(
    ("models", "options", "code"),
    [
        ("a b", [], 0),
        ("a b", ["--fail-if", "worse"], 0),  # b is better
        ("b a", ["--fail-if", "worse"], 1),
        ("b a", [], 0),
        ("b a", ["--fail-if", "worse", "--json"], 1),
        ("b b2", ["--fail-if", "worse"], 0),  # worse in one item, which shows nothing
        ("b b2 a", ["--fail-if", "worse"], 1),
        ("a b b2", ["--fail-if", "worse"], 0),
    ],
)
def test_a_pipeline_may_ask_for_an_exit_code(run, write, models, options, code):
    right = [f"{y},{y},{y},{y}" for y in (0, 1)] * 40
    path = write([*right, *["1,0,1,1"] * 20, "1,1,1,0"], "y,a,b,b2")
    out, _ = run("compare", path, "--true", "y", "--pred", *models.split(), *options, code=code)
    assert "verdict" in out if "--json" in options else "than" in out or "distinguished" in out


# Files; test_columns.py has those that the calculator reads too


def test_the_columns_that_were_chosen_are_named(run, write):
    path = write(["1,1,1", "0,1,0", "1,0,1", "0,0,0"])
    out, err = run("compare", path)
    assert err == "f1ci: note: truth = y, A = a, B = b\n"
    assert run("compare", path, *OF_PAIR) == (out, "")
    _, err = run("report", path, code=2)
    assert "which column is the model? name it with --pred; got 'a', 'b'" in err


def test_two_files_are_joined(run, in_json, write, labels):
    one = write([f"{k},{TRUE[k]},{A[k]}" for k in range(N)], "id,y,p", "a.csv")
    other = write([f"{B[k]};{k}" for k in RNG.permutation(N)] + ["1;extra"], "p;id", "b.csv")
    of = ["compare", one, other, "--on", "id", "--true", "y", "--pred", "p"]
    assert in_json(*of) == in_json("compare", labels, *OF_PAIR)
    note = "f1ci: note: matched by 'id'; 1 item is in one file only, and left out\n"
    assert run(*of)[1] == note
    with other.open("a") as stream:
        stream.write("0;7\n")
    assert "the column 'id' names '7' twice in " in run(*of, code=2)[1]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"y,b\n1,1\n", "no column is called 'a'; got the columns 'y', 'b'"),
        (b"y,a\n", "no rows below the header"),
        (
            b"\x1f\x8b\x08 a file of gzip",
            "this is no text, it begins with b'\\x1f\\x8b\\x08 a fi'; unpack a packed file",
        ),
        (b"y,a\nx,x\nx,x\n", "needs at least two classes, got 1"),
        (
            b"y,a\n" + b"".join(b"0.%d,1\n" % k for k in range(1500)),
            "'y' has 1,500 different labels in 1,500 lines; are these scores or identifiers?",
        ),
        (b"y,a\nTrue,1\nFalse,0\n", "the labels of 'a' are '0', '1'; those of the truth 'y' are"),
    ],
)
def test_a_bad_file_gets_one_sentence(run, tmp_path, content, sentence):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    out, err = run("report", path, *OF_ONE, code=2)
    assert sentence in err
    assert err.startswith("f1ci: ")
    assert err.count("\n") == 1
    assert not out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["counts", 1, 2, "x"], "FN must be a whole number of at least 0, got 'x'"),
        (["counts", 1, 2, -3], "FN must be a whole number of at least 0, got '-3'"),
        (["counts", 1, 2], "such as 77 44 10 or TP=77 FP=44 FN=10; got '1 2'"),
        (["counts", 1, 2, 3, 4, 5], "or TP=77 FP=44 FN=10; got '1 2 3 4 5'"),
        (["counts", "TP=1", "TP=2", "FN=3"], "give each of TP, FP, FN once, and TN if it is known"),
        (["counts", "TP=1", "FX=2", "FN=3"], "and TN if it is known; got 'FX=2'"),
        (["counts", "1,2", "3", "4"], "TP must be a whole number of at least 0, got '1,2'"),
        (["counts", "77.5", "3", "4"], "TP must be a whole number of at least 0, got '77.5'"),
        (["counts", 1, 2, 3, "--method", "bootstrap"], "method must be one of 'score'"),
        (["counts", 1, 2, 3, "--confidence-level", 95], "did you mean 0.95?"),
        (["report", "nosuch.csv", *OF_ONE], "nosuch.csv: no such file"),
        (["report", "x.csv", "y.csv", "z.csv"], "give one file or two, got 3"),
        (["plan", "--half-width", 2], "half_width must lie in (0, 1], got 2"),
    ],
)
def test_bad_arguments_get_one_sentence(run, arguments, sentence):
    out, err = run(*arguments, code=2)
    assert sentence in err.splitlines()[-1]  # argparse says how it is used above
    assert not out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a", "a", "--positive", "ham"], "a comparison needs at least two models, got 1"),
        (
            ["a", "b"],
            "which class is the positive one? name it with --positive; got None and the classes",
        ),
        (["a", "c"], "no column is called 'c'; got the columns 'y', 'a', 'b'"),
        (
            ["a", "b", "--metric", "recall"],
            "name it with --positive; got None and the classes 'ham', 'spam'",
        ),
        (
            ["a", "b", "--positive", "ham", "--class-shares", "x"],
            "LABEL=SHARE once for a label, such as spam=0.02 ham=0.98, got 'x'",
        ),
        (["a", "b", "--positive", "ham", "--class-shares", "ham=much"], "got 'ham=much'"),
    ],
)
def test_bad_comparisons_get_one_sentence(run, write, arguments, sentence):
    path = write(["ham,ham,ham", "spam,spam,ham", "spam,ham,spam"])
    _, err = run("compare", path, "--true", "y", "--pred", *arguments, code=2)
    assert err.startswith("f1ci: ")
    assert sentence in err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_endless_input_ends_with_a_sentence(run, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10**7)
    _, err = run("report", "/dev/zero", code=2)
    assert err.startswith("f1ci: /dev/zero: there are more than 10,000,000 bytes; give the columns")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt, 130, ""),
        (MemoryError, 2, "f1ci: the input does not fit into memory; give the columns of labels"),
    ],
)
def test_what_stops_the_reading_leaves_no_traceback(run, monkeypatch, error, code, said):
    def stop(*_):
        raise error

    monkeypatch.setattr(files, "text_of", stop)
    _, err = run("report", "x.csv", code=code)
    assert err.startswith(said)
    assert err.count("\n") == bool(said)


@pytest.mark.parametrize("closed", [["stdout"], ["stderr"], ["stdout", "stderr"]])
def test_a_stream_may_be_closed(monkeypatch, closed):
    for name in closed:
        monkeypatch.setattr(sys, name, None)
    assert cli.main(["counts", "0", "0", "0"]) == (2 if "stdout" in closed else 0)


# The terminal


def test_escape_codes_do_not_reach_the_terminal(capsys, write):
    red = "\x1b[31mred"
    path = write([f"{red},{red},b", "b,b,b", f"b,{red},b"], f"y,{red},b")
    for arguments in (
        ["report", path, "--true", "y", "--pred", red],
        ["compare", path, "--true", "y", "--pred", red, "b", "--positive", "x" * 10**5],
    ):
        cli.main(list(map(str, arguments)))
        shown = "".join(capsys.readouterr())
        assert "\x1b" not in shown
        assert len(shown) < 2000


def test_a_process_reads_its_input_and_writes_what_the_terminal_can_show():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = "y,a\n東,東\n京,東\n".encode()
    done = process("report", "-", *OF_ONE, input=text, env=environment)
    assert done.returncode == 0
    assert rb"\u6771" in done.stdout
    assert not done.stderr


def test_a_class_of_three_with_known_shares_has_one_interval(in_json, write):
    """Of a perfect model a comparison did not know that the shares are those of true classes."""
    path = write(["x,x,x", "y,y,y", "z,y,z", "x,z,x", "z,z,z"] * 9, "gold,a,b")
    known = ["--true", "gold", "--class-shares", "x=0.01", "y=0.3", "z=0.69"]
    of_b = in_json("report", path, "--pred", "b", *known)
    for metric in ("precision", "recall", "f1"):
        options = ["--pred", "a", "b", "--positive", "x", "--metric", metric]
        rows = in_json("compare", path, *options, *known)
        (compared,) = (row for row in rows if row["name"] == "b")
        (alone,) = (row for row in of_b if (row["name"], row["metric"]) == ("x", metric))
        assert compared["metric"] == metric
        limits = compared["low"], compared["high"]
        # The search for a limit ends within 1e-7 of the way to it; its cells come in another order.
    assert limits == pytest.approx((alone["low"], alone["high"]), abs=1e-7)


def test_a_doctor_says_what_a_file_holds_and_what_can_be_answered(run, write, labels):
    *_, report, _, compare = run("doctor", labels)[0].splitlines()
    assert report.endswith("which column is the model? name it with --pred; got 'a', 'b'")
    assert compare == f"f1ci compare {labels} --true y --pred a b"
    assert run(*compare.split()[1:])[0].startswith("300 items, f1 of 1,")
    path = write([f"{t},{a}" for t, a in zip(TRUE, A, strict=True)], "gold,my model")
    *_, report, _, compare = run("doctor", path)[0].splitlines()
    assert report == f"f1ci report {path} --true gold --pred 'my model'"
    assert compare.startswith(f"no compare: {path}: which columns are the models?")
    assert run("doctor", "-", code=2)[1].endswith("give its path, got '-'\n")
