"""Logs that harnesses wrote: `logs/` has files of lm_eval 0.4.13 and inspect_ai 0.3.285.

They were written with `lm_eval --model dummy --log_samples` and with Inspect's `mockllm`, on twelve
made-up questions. Of the Inspect logs only events, messages and statistics were left out. The
expected accuracies are those that the two tools printed.
"""

import json
import shutil
from pathlib import Path

import pytest

from f1ci import cli
from f1ci.cli import harness

LOGS = Path(__file__).parent / "logs"


def report(path, capsys, *options):
    """The accuracy of a report as JSON, and its classes."""
    assert cli.main(["report", str(path), "--json", *options]) == 0
    rows = json.loads(capsys.readouterr().out)
    accuracy = next(row["estimate"] for row in rows if row["name"] == "accuracy")
    return accuracy, sorted({row["name"] for row in rows if row["metric"] == "f1"})


PRINTED = [
    ("lm_eval_number.jsonl", 7 / 12, ["0", "1"]),
    ("lm_eval_choice.jsonl", 6 / 12, ["no", "yes"]),
    ("inspect_mc.json", 6 / 12, ["A", "B", "C"]),
    ("inspect_sentiment.json", 4 / 12, ["neg", "pos"]),
]


@pytest.mark.parametrize(("name", "accuracy", "classes"), PRINTED)
def test_the_accuracy_is_that_of_the_harness(name, accuracy, classes, capsys):
    found, names = report(LOGS / name, capsys)
    assert found == accuracy
    assert set(classes) <= set(names)


def test_each_filter_is_a_model(capsys):
    log = str(LOGS / "lm_eval_filters.jsonl")
    assert cli.main(["compare", log]) == 0
    assert "A = prediction (strict), B = prediction (flexible)" in capsys.readouterr().err
    for name in ("strict", "flexible"):
        assert report(log, capsys, "--pred", f"prediction ({name})")[0] == 6 / 12


def test_a_directory_is_the_log_in_it(tmp_path, capsys):
    inside = tmp_path / "model"
    inside.mkdir()
    shutil.copy(LOGS / "lm_eval_number.jsonl", inside / "samples_a.jsonl")
    (inside / "results_a.json").write_text("{}")
    assert report(tmp_path, capsys)[0] == 7 / 12
    shutil.copy(LOGS / "lm_eval_choice.jsonl", inside / "samples_b.jsonl")
    assert cli.main(["report", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "name one of the logs in this directory" in error
    assert "samples_a.jsonl" in error
    assert "samples_b.jsonl" in error
    assert cli.main(["report", str(tmp_path / "model" / "samples_b.jsonl")]) == 0


def test_two_logs_are_compared_item_by_item(tmp_path, capsys):
    lines = (LOGS / "lm_eval_number.jsonl").read_text().splitlines()
    (tmp_path / "samples_turned.jsonl").write_text("\n".join(reversed(lines)))
    log = str(LOGS / "lm_eval_number.jsonl")
    command = ["compare", log, str(tmp_path / "samples_turned.jsonl"), "--json"]
    assert cli.main(command) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[-1]["estimate"] == 0.0
    assert rows[0]["estimate"] == pytest.approx(8 / 13)  # 4 of 7 and 4 of 6 are right


LOG = json.loads((LOGS / "inspect_mc.json").read_text())


def changed(**sample):
    return {**LOG, "samples": [{**one, **sample} for one in LOG["samples"]]}


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        ({**LOG, "samples": None}, "log of Inspect has no 'samples'"),
        (changed(scores={}), "sample 1 has no 'scores'; did the run end early"),
        (changed(scores={"judge": {"value": "C"}}), "the scorer 'judge' wrote no 'answer'"),
        ({**LOG, "samples": LOG["samples"] * 2}, "item 1 was answered more than once; .*Runs"),
    ],
)
def test_what_is_missing_is_named(log, sentence):
    with pytest.raises(ValueError, match=sentence):
        harness.rows([log], "run.json")


def test_doctor_says_what_a_log_can_answer(capsys):
    log = str(LOGS / "inspect_mc.json")
    assert cli.main(["doctor", log]) == 0
    shown = capsys.readouterr().out
    assert f"f1ci report {log} --true target --pred prediction" in shown
    assert "no compare" in shown
