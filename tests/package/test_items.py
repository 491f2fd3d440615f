"""Counting: against scikit-learn and against a loop, for labels of every kind."""

import tracemalloc
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix as sklearn_confusion_matrix
from sklearn.metrics import f1_score

import f1ci
from f1ci import _labels

KINDS = {
    "integers": (0, 1),
    "negative integers": (-1, 7),
    "far integers": (10**12, -(10**15)),
    "unsigned integers": (np.uint64(2**64 - 1), np.uint64(2**63)),
    "bytes of bits": (np.int8(-128), np.int8(127)),
    "booleans": (False, True),
    "whole floats": (3.0, 2.0),
    "strings": ("ham", "spam"),
    "bytes": (b"no", b"yes"),
    "tuples": ((0, 1), (1, 0)),
    "frozen sets": (frozenset(), frozenset({1})),
    "fractions": (Fraction(1, 2), Fraction(1, 3)),
    "mixed": ("1", 1),
}


def polars(labels):
    return pytest.importorskip("polars").Series("labels", list(labels))


def arrow(labels):
    return pytest.importorskip("pyarrow").array(list(labels))


def stored(dtype):
    """Labels in a column of pandas of a type that may need pyarrow."""
    return lambda labels: pd.Series(list(labels), dtype=dtype)


LIBRARIES = {
    "polars": (polars, [*"ab"]),
    "polars, numbers": (polars, [0, 1]),
    "pyarrow": (arrow, [*"ab"]),
    "pyarrow, booleans": (arrow, [False, True]),
    "nullable integers": (stored("Int64"), [0, 1]),
    "nullable booleans": (stored("boolean"), [False, True]),
    "text": (stored("string"), [*"ab"]),
    "categories": (stored("category"), [*"ab"]),
}
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": lambda labels: _labels.labels("labels", list(labels)),
    "series": lambda labels: pd.Series(list(labels), index=range(5, 5 + len(labels))),
    "categorical": lambda labels: pd.Series(list(labels)).astype("category"),
}
TRUE = [1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0]
PRED = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0]  # tp 4, fp 3, fn 1, tn 3


def loop(y_true, y_pred, classes):
    """The definition."""
    return [
        [sum(t == a and p == b for t, p in zip(y_true, y_pred, strict=True)) for b in classes]
        for a in classes
    ]


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


@pytest.mark.parametrize("name", LIBRARIES)
def test_labels_of_other_libraries(name):
    hold, (negative, positive) = LIBRARIES[name]
    named = [[positive if label else negative for label in column] for column in (TRUE, PRED)]
    held = [hold(column) for column in named]
    assert f1ci.binary_counts(*held, pos_label=positive) == (4, 3, 1, 3)
    assert f1ci.binary_counts(held[0], named[1], pos_label=positive) == (4, 3, 1, 3)


def test_the_two_sequences_may_come_in_different_containers():
    assert f1ci.binary_counts(pd.Series(TRUE), np.array(PRED)) == (4, 3, 1, 3)
    assert f1ci.binary_counts(pd.Series(TRUE, dtype="Int64"), PRED) == (4, 3, 1, 3)
    assert f1ci.binary_counts(np.array(TRUE, dtype=bool), [float(p) for p in PRED]) == (4, 3, 1, 3)


def test_counts_are_python_integers():
    assert all(type(count) is int for count in f1ci.binary_counts(TRUE, PRED))
    assert f1ci.confusion_matrix(TRUE, PRED).dtype == np.int64


def test_rows_are_true_and_columns_predicted():
    # One item, truly "a", predicted "b": scikit-learn's orientation.
    assert f1ci.confusion_matrix(["a"], ["b"]).tolist() == [[0, 1], [0, 0]]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=40))
def test_matrix_equals_scikit_learn_and_the_definition(pairs):
    y_true, y_pred = map(list, zip(*[(0, 0), *pairs], strict=True))  # a label in common
    ours = f1ci.confusion_matrix(y_true, y_pred)
    classes = sorted({*y_true, *y_pred})
    if len(classes) > 1:  # scikit-learn warns of a single class
        np.testing.assert_array_equal(ours, sklearn_confusion_matrix(y_true, y_pred))
    assert ours.tolist() == loop(y_true, y_pred, classes)
    assert _labels.encode({"true": y_true, "predicted": y_pred})[1] == classes


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["a", "b", "c", "dd"])),
        min_size=1,
        max_size=40,
    ),
    st.permutations(["a", "b", "c", "dd", "never"]),
)
def test_matrix_in_a_given_order_of_labels(pairs, order):
    y_true, y_pred = map(list, zip(*[("a", "a"), *pairs], strict=True))
    ours = f1ci.confusion_matrix(y_true, y_pred, labels=order)
    np.testing.assert_array_equal(ours, sklearn_confusion_matrix(y_true, y_pred, labels=order))


def test_labels_in_a_file_are_counted_in_blocks(tmp_path):
    """Three million labels, first the negative ones; the memory is that of a block."""
    path, n = tmp_path / "labels.npy", 1_000_000
    np.save(path, np.repeat(np.array([[0, 0, 1], [1, 0, 1]], dtype=np.int8), n, axis=1))
    mapped = np.load(path, mmap_mode="r")
    tracemalloc.start()
    try:
        assert f1ci.binary_counts(mapped[0], mapped[1]) == (n, n, 0, n)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e6
    np.save(path, np.array([TRUE, PRED], dtype=np.int8))
    mapped = np.load(path, mmap_mode="r")
    assert f1ci.confusion_matrix(mapped[0], mapped[1]).tolist() == [[3, 3], [1, 4]]


def test_narrow_and_long_floats_are_labels_without_a_warning():
    for dtype in ("f2", ">f2", "f4", np.longdouble):
        true, pred = (np.array(labels, dtype) for labels in (TRUE, PRED))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert f1ci.binary_counts(true, pred) == f1ci.binary_counts(TRUE, PRED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="must hold classes, got the fraction inf"):
            f1ci.binary_counts(np.array([np.longdouble("1e4000"), 1]), [1, 1])
        with pytest.raises(ValueError, match=r"tp must be a whole number .*, got inf"):
            f1ci.f1_interval(np.longdouble("1e4000"), 1, 1)


def test_labels_of_which_some_cannot_be_hashed_are_quoted():
    labels = [Decimal(1), Decimal("sNaN")]
    with pytest.raises(TypeError, match=r"hashable labels, got Decimal\('sNaN'\)"):
        f1ci.binary_counts(labels, [1, 1])


class Unhashable:
    def __hash__(self):
        raise RuntimeError("no hash")

    def __repr__(self):
        return "Unhashable()"


def test_labels_whose_hash_raises_are_quoted():
    with pytest.raises(TypeError, match=r"hashable labels, got Unhashable\(\)"):
        f1ci.binary_counts([1, Unhashable()], [1, 1])
    for label in (Unhashable(), Decimal("sNaN"), [1]):
        with pytest.raises(TypeError, match="pos_label must be hashable, got "):
            f1ci.binary_counts([0, 1], [1, 1], pos_label=label)


def test_labels_that_cannot_be_sorted_keep_their_order_of_appearance():
    classes = _labels.encode({"true": ["b", 1, "a"], "predicted": ["b", "b", "b"]})[1]
    assert classes == ["b", 1, "a"]
    assert f1ci.confusion_matrix(["b", 1], ["b", "b"]).tolist() == [[1, 0], [1, 0]]


def test_no_positives_anywhere_is_not_an_error():
    assert f1ci.binary_counts([0, 0], [0, 0]) == (0, 0, 0, 2)
    assert f1ci.binary_counts(["ham"], ["ham"], pos_label="spam") == (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0], "hold labels among 0, got 1"),
        ([0, 1, 0], "labels must be distinct, got 0 twice"),
        ([], "labels must not be empty"),
    ],
)
def test_bad_label_lists_are_quoted(labels, message):
    with pytest.raises(ValueError, match=message):
        f1ci.confusion_matrix([0, 1], [1, 1], labels=labels)


def test_several_sequences_share_one_list_of_classes():
    arrays = {"a": ["x", "y"], "b": [1, "x"], "c": ["y", "y"]}
    codes, classes = _labels.encode(arrays)
    assert [[classes[code] for code in row] for row in codes] == [list(x) for x in arrays.values()]
    codes, classes = _labels.encode(arrays, wanted=["y", 1, "x", "never"])
    assert classes == ["y", 1, "x", "never"]
    assert codes.tolist() == [[2, 0], [1, 2], [0, 0]]
    with pytest.raises(ValueError, match="hold labels among 'x', got 'y'"):
        _labels.encode({"a": ["x", "y"]}, wanted=["x"])


def test_one_class_predicted_where_all_items_are_of_another():
    # A poor classifier, and no mistake in the types.
    assert f1ci.binary_counts([1, 1], [0, 0]) == (0, 0, 2, 0)


def test_labels_keep_apart_what_python_keeps_apart():
    # numpy's text types drop trailing NUL characters.
    assert f1ci.confusion_matrix(["a\0", "a"], ["a", "a\0"]).tolist() == [[0, 1], [1, 0]]


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
        lambda rows: pytest.importorskip("polars").DataFrame(rows),
    ],
)
def test_indicators_in_any_container(hold):
    expected = f1_score(TRUE_ROWS, PRED_ROWS, average="macro")
    found = f1ci.f1_score_interval(hold(TRUE_ROWS), hold(PRED_ROWS), average="macro")
    assert found.estimate == pytest.approx(expected, abs=1e-15)


def test_columns_of_indicators_are_matched_by_name():
    true = pd.DataFrame(TRUE_ROWS, columns=list("abc"))
    pred = pd.DataFrame(PRED_ROWS, columns=list("abc"))
    found = f1ci.f1_score_interval(true, pred[["c", "a", "b"]], average=None)
    assert found.classes == ("a", "b", "c")
    np.testing.assert_allclose(found.estimate, f1_score(TRUE_ROWS, PRED_ROWS, average=None))


# Messages


@pytest.mark.parametrize(
    ("y_true", "y_pred", "expected"),
    [
        ([2**63 + 1, 2**63], [1, 2**63], [[0, 0, 0], [0, 1, 0], [1, 0, 0]]),
        ([2**63 + 1, -1], [2**63, -1], [[1, 0, 0], [0, 0, 0], [0, 1, 0]]),
        (np.array([2**53, 2**53 + 1]), np.array([1.0, 2.0**53]), [[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
    ],
)
def test_wide_integers_stay_apart(y_true, y_pred, expected):
    # As floats they would be one class.
    assert f1ci.confusion_matrix(y_true, y_pred).tolist() == expected


def test_wide_integers_in_binary():
    wide = [2**63 + 1, 2**63]
    assert f1ci.binary_counts(wide, wide[::-1], pos_label=2**63) == (0, 1, 1, 0)
    with pytest.raises(ValueError, match="at most two classes, got 3"):
        f1ci.binary_counts(wide, [-5, -5], pos_label=2**63)


def test_messages_stay_short():
    long = "x" * 10**6
    for call in (
        lambda: f1ci.binary_counts(long, [1]),
        lambda: f1ci.binary_counts([1], [1], pos_label=[long]),
        lambda: f1ci.binary_counts([1, 0], [1, 1], pos_label=(1,)),
        lambda: f1ci.binary_counts([long, "a"], [long, "a"], pos_label="b"),
        lambda: f1ci.f1_interval(long, 1, 1),
        lambda: f1ci.f1_interval(1, 1, 1, method=long),
        lambda: f1ci.f1_interval(10**5000, 1, 1),
        lambda: f1ci.metric_interval([[1, 2], [3, 4]], long),
        lambda: f1ci.f1_interval(1, 1, 1, confidence_level=long),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 500
