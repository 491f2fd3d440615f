"""The committed counts on random halves are what their seeds and the regression make."""

import csv

import numpy as np
import pytest
import sklearn
import statsmodels.api as sm
from compendium import data

from notebooks.data import make_splits as splits
from notebooks.shared import datasets


def same_scikit_learn():
    made_with = data.sources()[splits.FILE]["made_with"]
    return f"scikit-learn {sklearn.__version__}" in made_with.split("; ")


def test_committed_counts_are_complete():
    counts = datasets.split_counts("orange-juice")
    assert counts.shape == (splits.HALVES, 2, 2)
    assert (counts.sum(axis=(1, 2)) == 535).all()
    assert counts.min() >= 0
    with (data.DATA / splits.FILE).open(newline="") as lines:
        _, *rows = csv.reader(lines)
    assert [row[0] for row in rows] == [str(i) for i in range(splits.HALVES)]
    # No two halves are the same: the seeds' children differ.
    assert len({tuple(row[1:]) for row in rows}) > 0.9 * len(rows)


@pytest.mark.parametrize("i", [0, 999])
def test_a_half_can_be_made_again_alone(i):
    committed = datasets.split_counts("orange-juice")[i]
    again = splits.half(i)
    if same_scikit_learn():
        np.testing.assert_array_equal(again, committed)
    else:
        np.testing.assert_array_equal(again.sum(axis=1), committed.sum(axis=1))


@pytest.mark.parametrize("i", [2, 500])
def test_orange_juice_against_statsmodels(i):
    """The same half, from NumPy's spawn and another library's logistic regression."""
    frame = datasets.orange_juice()
    x = sm.add_constant(frame[["LoyalCH", "PriceDiff"]].to_numpy())
    z = (frame["Purchase"] == "CH").to_numpy().astype(int)
    child = np.random.SeedSequence(splits.SEED).spawn(i + 1)[i]
    order = np.random.default_rng(child).permutation(1070)
    train, rest = order[:535], order[535:]
    a = sm.Logit(z[train], x[train]).fit(disp=False).predict(x[rest]) > 0.5
    expected = [[np.sum((z[rest] == i) & (a == j)) for j in (0, 1)] for i in (0, 1)]
    assert datasets.split_counts("orange-juice")[i].tolist() == expected


def test_a_file_made_anew_is_noted(monkeypatch, tmp_path, capsys):
    committed = datasets.split_counts("orange-juice")
    for name in ("sources.csv", "oj.csv"):
        (tmp_path / name).write_bytes((data.DATA / name).read_bytes())
    monkeypatch.setattr(data, "DATA", tmp_path)
    before = data.sources()
    splits.main(4)
    after = data.sources()
    np.testing.assert_array_equal(datasets.split_counts("orange-juice"), committed[:4])
    entry = after.pop(splits.FILE)
    assert entry["rows"] == "4"
    assert f"scikit-learn {sklearn.__version__}" in entry["made_with"]
    before.pop(splits.FILE)
    assert after == before
    assert capsys.readouterr().err == ""
