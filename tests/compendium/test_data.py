"""The data sets have the bytes, rows and classes that they should, and say so when not.

Expected numbers come from other sources than ``sources.csv``: the documentation of the data sets,
the papers, or the raw bytes counted without the loaders.
"""

import itertools
import re
import shutil

import pytest
from compendium import DATA, data

from notebooks.shared import datasets

# Beside the scripts in Python.
NOT_DATA = {
    "README.md",
    "LICENSE-ISLP.txt",
    "sources.csv",
    "yuan.R",
    "yuan_searches.R",
    "orange_juice_halves.R",
}


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the data folder that a test may damage."""
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    monkeypatch.setattr(data, "DATA", folder)
    return folder


def test_every_file_has_a_source_and_every_source_a_file():
    files = {path.name for path in DATA.iterdir() if path.suffix not in {"", ".py"}}
    assert files - NOT_DATA == set(data.sources())
    for source in data.sources().values():
        content = data.read_verified(source["file"])
        header = source["file"].endswith(".csv")
        assert content.count(b"\n") - header == int(source["rows"]), source["file"]
        assert b"\r" not in content
        assert all((source["source"], source["licence"], source["citation"]))


def test_printed_matrices():
    # Lam, section 6: 833 test observations, 87 of them suggestions; 44 false positives.
    assert datasets.confusion_matrix("lam/section-6/bert").to_numpy().tolist() == [
        [833 - 87 - 44, 44],
        [10, 87 - 10],
    ]
    toy = datasets.confusion_matrix("takahashi/table-1a").to_numpy()
    # Table 1b's margins: truth in columns there, so in rows here.
    assert toy.sum(axis=1).tolist() == [7, 74, 19]
    assert toy.sum(axis=0).tolist() == [6, 77, 17]


def fits_jiang(tp, fp, fn):
    """Tell if counts of 535 items round to what section 2.3 prints."""
    printed = {
        tp / 535: 0.535,
        (tp + fn) / 535: 0.615,
        tp / (tp + 0.8 * fp + 0.2 * fn): 0.861,
        tp / (tp + 0.64 * fp + 0.04 * fn): 0.900,
    }
    return all(abs(value - rounded) <= 0.0005 for value, rounded in printed.items())


def test_jiang_matrix_is_the_only_one():
    # tp / n and (tp + fn) / n leave these counts.
    ends = itertools.product(range(280, 292), range(90), range(30, 55))
    found = [counts for counts in ends if fits_jiang(*counts)]
    assert found == [(286, 47, 43)]
    matrix = datasets.confusion_matrix("jiang/section-2.3")
    assert matrix.to_numpy().tolist() == [[159, 47], [43, 286]]
    assert matrix.attrs["origin"] == "reconstructed"


@pytest.mark.parametrize("file", ["oj.csv", "yuan-abalone-rules.csv", "peers.json"])
def test_altered_and_missing_files_are_refused(copied, file):
    content = bytearray((copied / file).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / file).write_bytes(content)
    source = data.sources()[file]
    with pytest.raises(data.DataError, match=f"is [0-9a-f]{{64}}, not {source['sha256']}; `"):
        data.read_verified(file)
    (copied / file).unlink()
    with pytest.raises(data.DataError, match=re.escape(f"; `{source['made_by']}` makes it")):
        data.read_verified(file)


def test_a_file_made_anew_is_registered(copied):
    data.register("new.json", "{}\n", made_by="hand", made_with="nothing", source="a test")
    assert data.read_verified("new.json") == b"{}\n"
    assert set(data.sources()) > {"peers.json", "speed.json"}
    (copied / "new.json").write_text("{ }\n")
    with pytest.raises(data.DataError, match="`hand` makes it"):
        data.read_verified("new.json")


# Matrices of a reader's own

OWN = """\
name,true,predicted,count
svm,W,W,7
svm,W,N1,2
svm,N1,W,0
svm,N1,N1,5
rf,b,b,1
rf,b,a,2
rf,a,b,3
rf,a,a,4
"""


def test_own_matrices_have_true_classes_in_rows(tmp_path):
    (tmp_path / "own.csv").write_text(OWN)
    matrices = datasets.read_matrices(tmp_path / "own.csv")
    assert list(matrices) == ["svm", "rf"]
    assert matrices["svm"].to_numpy().tolist() == [[7, 2], [0, 5]]
    assert matrices["rf"].loc["a", "b"] == 3
    assert list(matrices["rf"].index) == list(matrices["rf"].columns) == ["b", "a"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count\n", "n\n", "columns"),
        ("W,N1,2", "W,N1,2.5", "'2.5'"),
        ("W,N1,2", "W,N1,-2", "'-2'"),
        ("svm,N1,W,0\n", "", "'svm' must have one line for each pair of its 2 classes, got 3"),
        ("svm,N1,W,0", "svm,W,N1,0", "got 4 lines for 3 pairs"),
        ("svm,N1,W,0", "svm,N2,W,0", "its 3 classes"),
    ],
)
def test_own_matrices_that_are_not_whole_say_what_is_missing(tmp_path, old, new, message):
    assert old in OWN
    (tmp_path / "own.csv").write_text(OWN.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(message)):
        datasets.read_matrices(tmp_path / "own.csv")
