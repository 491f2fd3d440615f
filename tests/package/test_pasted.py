"""Matrices as people paste them: each text was printed by the program that its name says."""

import warnings

import numpy as np
import pandas as pd
import pytest

import f1ci
from f1ci._pasted import read_matrix

M = [[50, 3, 1], [4, 61, 2], [0, 5, 74]]
FRAME = pd.DataFrame(M, index=list("abc"), columns=list("abc"))
PAIRS = [(t, p) for t in range(3) for p in range(3) for _ in range(M[t][p])]
TRUE, PRED = np.array(list("abc"))[np.array(PAIRS).T]
CROSSTAB = pd.crosstab(TRUE, PRED, rownames=["true"], colnames=["predicted"], margins=True)
TABS = "\n".join("\t".join(map(str, row)) for row in M)
NAMED = "\n".join(["\ta\tb\tc", *map("\t".join, zip("abc", TABS.split("\n"), strict=True))])
MARKDOWN = """
|   | a | b | c |
|---|--:|--:|--:|
| a | 50 | 3 | 1 |
| b | 4 | 61 | 2 |
| c | 0 | 5 | 74 |
"""
LATEX = r"""
\toprule
 & a & b & c \\
\midrule
a & 50 & 3 & 1 \\
b & 4 & 61 & 2 \\
c & 0 & 5 & 74 \\
\bottomrule
"""
TORCH = """tensor([[50,  3,  1],
        [ 4, 61,  2],
        [ 0,  5, 74]], device='cuda:0')"""
TEXTS = {
    "numpy's repr": (repr(np.array(M)), "012"),
    "numpy's str": (str(np.array(M)), "012"),
    "a list": (repr(M), "012"),
    "a list of scalars": (repr([[np.int64(n) for n in row] for row in M]), "012"),
    "torch": (TORCH, "012"),
    "a spreadsheet": (TABS.replace("\n", "\r\n"), "012"),
    "a spreadsheet with names": (NAMED, "abc"),
    "pandas with numbers": (str(pd.DataFrame(M)), "012"),
    "pandas' str": (str(FRAME), "abc"),
    "pandas' CSV": (FRAME.to_csv(), "abc"),
    "semicolons and decimals": ("50.0;3.0;1.0\n4;61;2\n0;5;74\n", "012"),
    "a crosstab with totals": (str(CROSSTAB), "abc"),
    "Markdown": (MARKDOWN, "abc"),
    "LaTeX": (LATEX, "abc"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_programs_print_is_read(name):
    text, classes = TEXTS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        matrix, names = read_matrix(text)
    assert matrix.tolist() == M
    assert names == list(classes)
    notes = [str(warning.message) for warning in caught]
    assert notes == (["left out: the row and the column of totals"] if "totals" in name else [])


def test_totals_without_a_name_are_left_out():
    with pytest.warns(f1ci.IntervalWarning, match="column of totals"):
        matrix, _ = read_matrix("50 3 53\n4 61 65\n54 64 118")
    assert matrix.tolist() == [[50, 3], [4, 61]]


def test_thousands():
    assert read_matrix("1,234\t5\n6\t2,000")[0].tolist() == [[1234, 5], [6, 2000]]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "at least two of each, got ''"),
        ("hello", "at least two of each, got 'hello'"),
        ("1 2 3\n4 5 6", "as many rows as columns, at least two of each, got '1 2 3"),
        ("1 2\n3 -4", "a whole number of items is wanted, got '-4'"),
        ("a,b\n1,2.5\n3,4", "a whole number of items is wanted, got '2.5'"),
        ("1 2\n3 x", "a whole number of items is wanted, got 'x'"),
        (",a,b,Total\na,5,1,6\nb,2,7,9\nTotal,7,8,16", r"sums \[7, 8, 15\], got \[7, 8, 16\]"),
        ("7", "at least two of each, got '7'"),
    ],
)
def test_what_is_no_matrix_gets_a_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_matrix(text)
