"""Systems where integers have 32 bits: whatever is counted has numpy's own index type.

`numpy.bincount` refuses wider integers there. Here `numpy.intp` is replaced by a narrower type, and
`numpy.bincount` by a function that accepts only that.
"""

import numpy as np
import pandas as pd
import pytest

import f1ci

TRUE = [0, 1, 2, 1, 0, 2, 1, 1, 0, 2] * 3
A = [0, 1, 2, 1, 0, 1, 1, 2, 0, 2] * 3
B = [0, 1, 1, 1, 0, 2, 1, 2, 0, 0] * 3
GROUPS = [k // 3 for k in range(30)]
T2, A2, B2 = (np.array(labels) == 1 for labels in (TRUE, A, B))
FLAGS = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 1]] * 4)
PAIR = (TRUE, A, B)
MODELS = {"a": A2, "b": B2}

CALLS = {
    "binary counts": lambda: f1ci.binary_counts(T2, A2, pos_label=True),
    "counts of text": lambda: f1ci.binary_counts(list("abab"), list("aabb"), pos_label="a"),
    "matrix": lambda: f1ci.confusion_matrix(TRUE, A),
    "matrix of a frame": lambda: f1ci.confusion_matrix(pd.Series(TRUE), pd.Series(A)),
    "macro": lambda: f1ci.f1_score_interval(TRUE, A, average="macro"),
    "each class": lambda: f1ci.f1_score_interval(TRUE, A, average=None),
    "some classes": lambda: f1ci.f1_score_interval(TRUE, A, average="micro", labels=[1, 2]),
    "macro, groups": lambda: f1ci.f1_score_interval(TRUE, A, average="macro", groups=GROUPS),
    "binary, groups": lambda: f1ci.f1_score_interval(T2, A2, pos_label=True, groups=GROUPS),
    "indicators": lambda: f1ci.f1_score_interval(FLAGS, FLAGS[::-1], average="macro"),
    "samples": lambda: f1ci.f1_score_interval(FLAGS, FLAGS[::-1], average="samples"),
    "difference": lambda: f1ci.difference_interval(*PAIR, "macro_f1"),
    "difference, groups": lambda: f1ci.difference_interval(*PAIR, "macro_f1", groups=GROUPS),
    "exact test": lambda: f1ci.difference_test(T2, A2, B2, pos_label=True),
    "test": lambda: f1ci.difference_test(*PAIR, "macro_f1"),
    "test, groups": lambda: f1ci.difference_test(*PAIR, "macro_f1", groups=GROUPS, rng=1),
    "joint": lambda: f1ci.joint_intervals(T2, MODELS, ["f1", "accuracy"], pos_label=True),
    "models": lambda: f1ci.compare_models(TRUE, {"a": A, "b": B, "c": TRUE}, "macro_f1"),
    "report": lambda: f1ci.classification_report(TRUE, A),
    "report, groups": lambda: f1ci.classification_report(TRUE, A, groups=GROUPS),
    "pilot": lambda: f1ci.pilot_sample_size(*PAIR, "macro_f1", difference=0.1, groups=GROUPS),
    "pilot of one": lambda: f1ci.pilot_interval_size(TRUE, A, "macro_f1", half_width=0.1),
    "mean, groups": lambda: f1ci.mean_interval(np.linspace(0.5, 0.9, 30), groups=GROUPS),
    "runs, groups": lambda: f1ci.repeated_interval(TRUE, [A, B], "macro_f1", groups=GROUPS),
    "shares": lambda: f1ci.score_interval(
        TRUE, A, "macro_f1", class_shares={0: 0.2, 1: 0.3, 2: 0.5}, groups=GROUPS
    ),
    "partitions": lambda: f1ci.bcv_partitions(30, stratify=TRUE, rng=1),
    "quantile": lambda: f1ci.equicoordinate_quantile(np.eye(4)),
}


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")
@pytest.mark.parametrize("name", CALLS)
def test_whatever_is_counted_has_the_index_type(name, monkeypatch):
    bincount = np.bincount

    def strict_bincount(codes, *arguments, **options):
        assert codes.dtype == np.int32, f"bincount of {codes.dtype}"
        return bincount(codes, *arguments, **options)

    monkeypatch.setattr(np, "intp", np.int32)
    monkeypatch.setattr(np, "bincount", strict_bincount)
    CALLS[name]()
