"""The searches for the runs of Yuan and Jiang: what is counted as a hit, and what chance gives."""

from __future__ import annotations

import numpy as np
import pytest
from in_r import in_r, r_has

from notebooks.data import make_yuan_searches as searches
from notebooks.shared import datasets
from notebooks.shared.r_random import RRandom


def test_the_search_finds_what_is_there_and_nothing_beside_it() -> None:
    """The paper's split and sample are those of R's seeds 499 and 599; see `test_splits.py`."""
    found = searches.splits(range(497, 502))
    assert (found.tried, found.hits, found.note) == (50, 1, "fit: seed 499 in way 1")
    found = searches.table_1(range(598, 601))
    assert (found.tried, found.hits, found.note) == (6, 1, "fit: seed 599 in way 1")


@pytest.mark.skipif(not r_has(), reason="R is not on this machine")
def test_ten_ways_to_split_are_those_of_r() -> None:
    code = """
    n <- 200; ways <- function(seed) { s <- function() set.seed(seed)
      s(); a <- sample(2, n, TRUE, c(.8, .2)) == 2; s(); b <- runif(n) < .2
      s(); five <- sample(5, n, TRUE); s(); ten <- sample(10, n, TRUE)
      s(); hundred <- sample(100, n, TRUE); s(); x <- rnorm(n)
      cbind(a, b, five <= 1, five > 4, ten <= 2, ten > 8, hundred <= 20, hundred > 80,
            x < qnorm(.2), x > qnorm(.8)) }
    cat(t(ways(7)) + 0)"""
    theirs = in_r(code).reshape(200, 10).astype(bool)
    np.testing.assert_array_equal(np.column_stack([*searches.masks(7, 200)]), theirs)


def test_r_before_3_6_rounds() -> None:
    # What set.seed(1); sample(1:10, 5, replace = TRUE) gave in R until 2019.
    assert searches.old_sample(RRandom(1), 10, 5).tolist() == [3, 4, 6, 10, 3]


def test_chance_is_that_of_streams_without_a_seed() -> None:
    """Streams that NumPy draws agree with the printed list as often as the normal density says."""
    wanted, _ = searches.section_3a()
    wanted = wanted._replace(sets=200, least=2, printed=np.round(200 * wanted.printed) / 200)
    rng = np.random.default_rng(5)
    tried = 4000
    cells = rng.multinomial(wanted.n, wanted.population, size=200 * tried)
    held = wanted.flags(cells).reshape(tried, 200, -1).sum(axis=1)
    # Every pair of numbers that agrees is counted, as the density counts it.
    agree = wanted.agreeing(held)
    pairs = float((agree * (agree - 1) / 2).sum())
    # Four standard errors of a sum whose terms are mostly 0, 1 or 3.
    assert abs(pairs - wanted.chance(tried)) < 4 * np.sqrt(3 * pairs)


FOUND = ["split", "table-1", "codings-both", "3a-one-seed"]


def test_the_stored_counts_are_of_these_searches() -> None:
    """Chance would seldom find what is claimed to be found, and finds the rest."""
    stored = datasets.yuan_searches()
    assert list(stored.columns) == ["tried", "hits", "by_chance", "note"]
    assert stored.loc["split", "tried"] == 10 * 3001
    assert stored.loc[FOUND, "hits"].tolist() == [1] * len(FOUND)
    assert (stored.loc[FOUND, "by_chance"] < 0.01).all()
    rest = stored.drop(index=FOUND)
    surplus = (rest["hits"] - rest["by_chance"]).abs()
    # The number by chance is an estimate as well: four standard errors of a difference.
    assert (surplus < 4 * np.sqrt(rest["hits"] + rest["by_chance"] + 1)).all()
