"""Counting: against scikit-learn and against a loop, for labels of every kind."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix as sklearn_confusion_matrix
from sklearn.metrics import f1_score

import f1ci
from f1ci.data.labels import encode
from f1ci.data.labels import labels as read_labels

KINDS = {
    "negative integers": (-1, 7),
    "unsigned integers": (np.uint64(2**64 - 1), np.uint64(2**63)),
    "booleans": (False, True),
    "whole floats": (3.0, 2.0),
    "strings": ("ham", "spam"),
    "tuples": ((0, 1), (1, 0)),
    "mixed": ("1", 1),
}
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": lambda labels: read_labels("labels", list(labels)),
    "series": lambda labels: pd.Series(list(labels), index=range(5, 5 + len(labels))),
    "categorical": lambda labels: pd.Series(list(labels)).astype("category"),
}


def stored(dtype):
    """Labels in a column of pandas of a type that may need pyarrow."""
    return lambda labels: pd.Series(list(labels), dtype=dtype)


def an_array(dtype):
    return lambda labels: np.array(labels, dtype)


# Containers of other types, with labels that they can hold.
LIBRARIES = [
    (stored("Int64"), [0, 1]),
    (stored("boolean"), [False, True]),
    (stored("string"), [*"ab"]),
    *((an_array(dtype), [0, 1]) for dtype in ("f2", ">f2", "f4", np.longdouble, bool)),
]
TRUE = [1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0]
PRED = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0]  # tp 4, fp 3, fn 1, tn 3


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_any_kind_in_any_container(kind, container):
    negative, positive = KINDS[kind]
    y_true = [positive if label else negative for label in TRUE]
    y_pred = [positive if label else negative for label in PRED]
    hold = CONTAINERS[container]
    assert f1ci.binary_counts(hold(y_true), hold(y_pred), pos_label=positive) == (4, 3, 1, 3)
    assert f1ci.binary_counts(hold(y_true), hold(y_pred), pos_label=negative) == (3, 1, 3, 4)
    given_order = f1ci.confusion_matrix(hold(y_true), hold(y_pred), labels=[positive, negative])
    assert given_order.tolist() == [[4, 1], [3, 3]]


@pytest.mark.parametrize(("hold", "names"), LIBRARIES)
def test_labels_of_other_types_also_beside_a_list(hold, names):
    true, pred = ([names[label] for label in column] for column in (TRUE, PRED))
    for second in (hold(pred), pred):
        assert f1ci.binary_counts(hold(true), second, pos_label=names[1]) == (4, 3, 1, 3)


def test_counts_are_python_integers_rows_are_true_and_columns_predicted():
    assert all(type(count) is int for count in f1ci.binary_counts(TRUE, PRED))
    assert f1ci.confusion_matrix(TRUE, PRED).dtype == np.int64
    assert f1ci.confusion_matrix(["a"], ["b"]).tolist() == [[0, 1], [0, 0]]


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=40),
    st.permutations([-3, -2, -1, 0, 1, 2, 3, 99]),
)
def test_matrix_equals_scikit_learn_and_the_definition(pairs, order):
    pairs = [(0, 0), (1, 0), *pairs]  # a label in common, two classes
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    classes = sorted({*y_true, *y_pred})
    ours = f1ci.confusion_matrix(y_true, y_pred)
    assert ours.tolist() == [[pairs.count((a, b)) for b in classes] for a in classes]
    for labels in (None, order):
        theirs = sklearn_confusion_matrix(y_true, y_pred, labels=labels)
        found = f1ci.confusion_matrix(y_true, y_pred, labels=labels)
        np.testing.assert_array_equal(found, theirs)


def test_one_class_alone_is_no_error():
    assert f1ci.binary_counts([0, 0], [0, 0]) == (0, 0, 0, 2)
    assert f1ci.binary_counts(["ham"], ["ham"], pos_label="spam") == (0, 0, 0, 1)
    # A poor classifier, and no mistake in the types.
    assert f1ci.binary_counts([1, 1], [0, 0]) == (0, 0, 2, 0)


def test_several_sequences_share_one_list_of_classes():
    """Labels that cannot be sorted keep their order of appearance."""
    arrays = {"a": ["x", "y"], "b": [1, "x"], "c": ["y", "y"]}
    codes, classes = encode(arrays)
    assert classes == ["x", "y", 1]
    assert [[classes[code] for code in row] for row in codes] == [list(x) for x in arrays.values()]
    codes, classes = encode(arrays, wanted=["y", 1, "x", "never"])
    assert classes == ["y", 1, "x", "never"]
    assert codes.tolist() == [[2, 0], [1, 2], [0, 0]]


@pytest.mark.parametrize(
    ("y_true", "y_pred", "expected"),
    [
        # numpy's text types drop trailing NUL characters.
        (["a\0", "a"], ["a", "a\0"], [[0, 1], [1, 0]]),
        # As floats these would be one class.
        ([2**63 + 1, 2**63], [1, 2**63], [[0, 0, 0], [0, 1, 0], [1, 0, 0]]),
        ([2**63 + 1, -1], [2**63, -1], [[1, 0, 0], [0, 0, 0], [0, 1, 0]]),
        (np.array([2**53, 2**53 + 1]), np.array([1.0, 2.0**53]), [[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
    ],
)
def test_labels_keep_apart_what_python_keeps_apart(y_true, y_pred, expected):
    assert f1ci.confusion_matrix(y_true, y_pred).tolist() == expected


# Indicators

TRUE_ROWS = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
PRED_ROWS = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    "hold",
    [
        np.ndarray.tolist,
        lambda rows: rows.astype(bool),
        scipy.sparse.csr_matrix,
        scipy.sparse.coo_array,
        lambda rows: pd.DataFrame(rows).astype("Int64"),
        lambda rows: pd.DataFrame(rows).astype(object),
    ],
)
def test_indicators_in_any_container(hold):
    expected = f1_score(TRUE_ROWS, PRED_ROWS, average="macro")
    found = f1ci.f1_score_interval(hold(TRUE_ROWS), hold(PRED_ROWS), average="macro")
    assert found.estimate == pytest.approx(expected, abs=1e-15)


@pytest.mark.filterwarnings("ignore::f1ci.SmallSampleWarning")
def test_columns_of_indicators_are_matched_by_name():
    true = pd.DataFrame(TRUE_ROWS, columns=list("abc"))
    pred = pd.DataFrame(PRED_ROWS, columns=list("abc"))
    found = f1ci.f1_score_interval(true, pred[["c", "a", "b"]], average=None)
    assert found.classes == ("a", "b", "c")
    np.testing.assert_allclose(found.estimate, f1_score(TRUE_ROWS, PRED_ROWS, average=None))
