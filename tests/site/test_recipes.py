"""The recipes, with data that their page does not show, and with the tools themselves if installed.

`test_pages.py` runs the page from top to bottom and compares what it prints.
"""

import contextlib
import io
import json

import numpy as np
import other_tools
import pytest
from sklearn.metrics import classification_report, multilabel_confusion_matrix
from test_pages import FENCE, ROOT


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
