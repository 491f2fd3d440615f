"""Logs of evaluation harnesses: what was parsed becomes rows of an item, its truth, predictions.

Known by their keys are the samples of lm-evaluation-harness (``--log_samples``), whose answer is a
text or the choice with the largest likelihood, and the logs of Inspect as JSON, with an answer for
each scorer. A directory stands for the one log in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from f1ci.cli.words import refuse
from f1ci.data import checks

# The item, its truth, what made the prediction (a filter, a scorer), and the prediction.
Answer: TypeAlias = tuple[Any, Any, Any, Any]


def log_in(path: str) -> str:
    """Return the path of the one log in a directory; that of a file as it is."""
    if not Path(path).is_dir():
        return path
    logs = sorted(Path(path).rglob("samples_*.jsonl")) or sorted(Path(path).rglob("*.json"))
    if len(logs) != 1:
        names = checks.first_few([str(log.relative_to(path)) for log in logs]) or "none"
        refuse(f"{path}: name one of the logs in this directory", f"got {names}")
    return str(logs[0])


def rows(objects: list[Any], file: str) -> list[Any]:
    """Return the rows of a log, by the keys of its objects; objects of no log as they are."""
    first = objects[0] if objects and isinstance(objects[0], dict) else {}
    if {"filtered_resps", "target"} <= first.keys():
        answers = [_of_lm_eval(sample) for sample in objects]
    elif {"eval", "status"} <= first.keys():
        if not first.get("samples"):
            refuse(f"{file}: this log of Inspect has no 'samples'")
        answers = [answer for sample in first["samples"] for answer in _of_inspect(sample, file)]
    else:
        return objects
    names = {name for _, _, name, _ in answers}
    items: dict[Any, dict[str, Any]] = {}
    for key, target, name, answer in answers:
        column = "prediction" if len(names) == 1 else f"prediction ({name})"
        item = items.setdefault(key, {"id": key, "target": target})
        if column in item:
            what = f"{file}: the item {key!r} was answered more than once"
            refuse(what, "several runs on the same items are f1ci.Runs in Python")
        item[column] = answer
    return list(items.values())


def _of_lm_eval(sample: dict[str, Any]) -> Answer:
    """Return the answer in a sample of lm-evaluation-harness."""
    target, answer = sample["target"], sample["filtered_resps"]
    if isinstance(answer, list) and answer and isinstance(answer[0], list):
        likelihoods = [float(choice[0]) for choice in answer]
        chosen = likelihoods.index(max(likelihoods))
        texts = sample.get("arguments", {}).get(f"gen_args_{chosen}", {})
        answer = str(chosen) if str(target).isdecimal() else texts.get("arg_1", "").strip()
    return sample.get("doc_id"), target, sample.get("filter"), answer


def _of_inspect(sample: dict[str, Any], file: str) -> Iterator[Answer]:
    """Yield the answer of each scorer in a sample of Inspect."""
    if not sample.get("scores"):
        refuse(f"{file}: the sample {sample['id']!r} has no 'scores'", "did the run end early?")
    for name, score in sample["scores"].items():
        if score.get("answer") is None:
            what = f"{file}: the scorer {name!r} wrote no 'answer' for the sample {sample['id']!r}"
            refuse(what, "right or wrong alone is no predicted label")
        yield sample["id"], sample["target"], name, score["answer"]
