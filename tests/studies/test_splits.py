"""The committed counts on random halves are what their seeds and the regression make."""

import numpy as np
import pytest
import statsmodels.api as sm

from notebooks.data import make_splits as splits
from notebooks.shared import datasets


@pytest.mark.parametrize("i", [2, 500])
def test_orange_juice_against_statsmodels(i):
    """The same half, from NumPy's spawn and another library's logistic regression."""
    assert datasets.split_counts("orange-juice").shape == (splits.HALVES, 2, 2)
    frame = datasets.orange_juice()
    x = sm.add_constant(frame[["LoyalCH", "PriceDiff"]].to_numpy())
    z = (frame["Purchase"] == "CH").to_numpy().astype(int)
    child = np.random.SeedSequence(splits.SEED).spawn(i + 1)[i]
    order = np.random.default_rng(child).permutation(1070)
    train, rest = order[:535], order[535:]
    a = sm.Logit(z[train], x[train]).fit(disp=False).predict(x[rest]) > 0.5
    expected = [[np.sum((z[rest] == i) & (a == j)) for j in (0, 1)] for i in (0, 1)]
    assert datasets.split_counts("orange-juice")[i].tolist() == expected
