"""Matrices as people paste them: each text was printed by the program that its name says."""

import numpy as np
import pandas as pd

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
