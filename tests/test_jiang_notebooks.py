"""What the notebooks of Jiang share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

import f1ci
from notebooks.shared import tversky_index


@pytest.mark.parametrize(
    ("largest", "printed"),
    [(0.5, ".1549"), (0.6, ".1695"), (0.7, ".1861"), (0.8, ".2050"), (0.9, ".2262")],
)
def test_the_bound_is_the_papers_table(largest: float, printed: str) -> None:
    # Proposition 1 (iii).
    assert f"{tversky_index.jiang_bound(largest, 0.1):.4f}"[1:] == printed


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.8, 0.2), (0.2, 0.8), (1.0, 1.0)])
def test_no_rule_beats_the_sharp_bound_and_the_worst_rule_attains_it(a: float, b: float) -> None:
    index = f1ci.metrics.tversky(a, b)

    def minus(logs: np.ndarray) -> float:
        fp, fn = np.exp(logs)
        return -float(tversky_index.scaled_variance(index, np.array([[0.0, fp], [fn, 1.0]])))

    found = max(
        -optimize.minimize(minus, start, method="Nelder-Mead", options={"fatol": 1e-12}).fun
        for start in ([-9.0, 0.0], [0.0, 0.0], [-9.0, 3.0])
    )
    sharp = tversky_index.sharp_bound(a, b)
    # Nelder-Mead cannot reach "no false positive"; exp(-20) is as near as it gets.
    assert found == pytest.approx(sharp, rel=1e-4)
    attained = tversky_index.scaled_variance(index, tversky_index.worst_rule(b))
    assert float(attained) == pytest.approx(sharp, rel=1e-12)


def test_plans_are_the_papers() -> None:
    # Section 2.3: 10,250 and 16,667 with the standard error and V as rounded there.
    assert tversky_index.plan(0.2050, 0.2, 0.01, 0.615) == (10250, 16667)


def test_likely_tables_are_multinomial() -> None:
    cells = np.array([[0.3, 0.2], [0.1, 0.4]])
    tables, probability = tversky_index.likely_tables(12, cells)
    assert probability.sum() == pytest.approx(1, abs=1e-9)
    assert (tables.sum(axis=(1, 2)) == 12).all()
    expected = stats.multinomial.pmf(tables.reshape(-1, 4), 12, cells.ravel())
    assert probability == pytest.approx(expected, rel=1e-10)


def test_too_large_weights_have_another_bound() -> None:
    with pytest.raises(ValueError, match="a bound for a <="):
        tversky_index.sharp_bound(5, 1)
