"""The recipes, with data that their page does not show, and with the tools themselves if installed.

`test_pages.py` runs the page from top to bottom and compares what it prints.
"""

import contextlib
import gc
import io
import json

import numpy as np
import other_tools
import pandas as pd
import pytest
from sklearn.metrics import classification_report, multilabel_confusion_matrix
from test_pages import FENCE, ROOT

import f1ci


@pytest.fixture(scope="module")
def recipes():
    """All names of the page, once its code has run."""
    names: dict = {}
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        other_tools.stand_in_where_missing(patch)
        for fence in FENCE.finditer((ROOT / "book" / "recipes.md").read_text("utf-8")):
            if fence["info"].strip() == "python":
                exec(fence["body"], names)
    return names


def test_counts_come_back_from_a_report_without_labels(recipes):
    rng = np.random.default_rng(1)
    for classes in rng.integers(2, 9, 200):
        y_true, y_pred = rng.integers(0, classes, (2, rng.integers(1, 10_000)))
        report = classification_report(y_true, y_pred, output_dict=True, zero_division=0)
        labels = np.union1d(y_true, y_pred)
        tables = multilabel_confusion_matrix(y_true, y_pred, labels=labels)
        expected = {
            str(label): (tp, fp, fn)
            for label, ((_, fp), (fn, tp)) in zip(labels, tables.tolist(), strict=True)
            if tp
        }
        assert recipes["counts_of_report"](report) == expected


def test_logged_samples_of_both_kinds_of_task_are_read(recipes):
    # As lm-eval 0.4 writes them: responses and targets are text.
    choice = {"filter": "none", "filtered_resps": [["-3.5", "False"], ["-12.0", "False"]]}
    text = {"filter": "none", "filtered_resps": ["yes"], "resps": [["yes, I think"]]}
    lines = [json.dumps(choice | {"target": "1"}), json.dumps(text | {"target": "no"})]
    assert recipes["labels_of_samples"](lines) == (["1", "no"], ["0", "yes"])


def test_a_log_of_inspect_is_read(recipes, tmp_path):
    """A log that the tool itself writes as JSON."""
    pytest.importorskip("inspect_ai")
    from inspect_ai import log, model, scorer

    samples = [
        log.EvalSample(
            id=k,
            epoch=1,
            input="?",
            target=target,
            output=model.ModelOutput.from_content("none", answer),
            scores={"exact": scorer.Score(value="C", answer=answer)},
        )
        for k, (target, answer) in enumerate([("yes", "yes"), ("no", "yes")])
    ]
    spec = log.EvalSpec(
        created="2026-11-01T00:00:00+00:00",
        task="task",
        dataset=log.EvalDataset(),
        model="mockllm/model",
        config=log.EvalConfig(),
    )
    path = tmp_path / "run.json"
    log.write_eval_log(log.EvalLog(eval=spec, samples=samples), str(path), format="json")
    read = recipes["labels_of_log"](path.read_text("utf-8"))
    assert read == (["yes", "no"], ["yes", "yes"])


@pytest.fixture
def expected(recipes):
    x = f1ci.f1_score_interval(recipes["references"], recipes["predictions"], average="macro")
    return [x.estimate, x.low, x.high]


@pytest.mark.filterwarnings("ignore")  # what a tool warns of is its own business
def test_mlflow_logs_three_numbers(recipes, expected, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    frame = pd.DataFrame({"y": recipes["references"], "p": recipes["predictions"]})
    columns = {"targets": "y", "predictions": "p"}
    with mlflow.start_run():
        logged = mlflow.models.evaluate(
            data=frame, **columns, extra_metrics=[recipes["macro_f1_metric"]]
        )
    numbers = [logged.metrics[f"macro_f1/{name}"] for name in ("estimate", "low", "high")]
    assert numbers == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_inspect_reports_three_numbers(recipes, tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import exact
    from inspect_ai.solver import solver

    @solver
    def known_answers():
        async def solve(state, generate):  # noqa: ARG001
            state.output = ModelOutput.from_content("none", state.metadata["answer"])
            return state

        return solve

    labels, answers = recipes["references"], recipes["predictions"]
    documents = [k % 20 for k in range(len(labels))]
    samples = [
        Sample(input="?", target=label, metadata={"label": label, "answer": answer, "document": d})
        for label, answer, d in zip(labels, answers, documents, strict=True)
    ]
    metrics = [recipes["f1_interval"](group="document")]
    task = inspect_ai.Task(dataset=samples, solver=known_answers(), scorer=exact(), metrics=metrics)
    (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    gc.collect()  # what the tool leaves open is closed, and warned of, in here
    assert log.status == "success", log.error
    (score,) = log.results.scores
    x = f1ci.f1_score_interval(labels, answers, average="macro", groups=documents)
    numbers = [score.metrics[name].value for name in ("f1", "f1_low", "f1_high")]
    assert numbers == pytest.approx([x.estimate, x.low, x.high], rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_evaluate_combines_it_with_other_metrics(recipes, expected):
    evaluate = pytest.importorskip("evaluate")
    both = evaluate.combine([recipes["F1Interval"]()])
    columns = {name: recipes[name] for name in ("predictions", "references")}
    assert list(both.compute(**columns).values()) == pytest.approx(expected, rel=1e-12)
