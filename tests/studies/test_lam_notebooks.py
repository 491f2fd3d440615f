"""What the notebooks of Lam, Gopal and Qian share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix, f1_score
from statsmodels.stats.proportion import proportion_confint

from notebooks.own import lam_bert_suggestion_mining as suggestions
from notebooks.own.lam_bert_suggestion_mining import Counts
from notebooks.shared import four_intervals

Z = float(stats.norm.ppf(0.975))

# Four intervals


def test_wilson_indirect_ends_are_wilsons_for_the_proportion() -> None:
    for right, v in ((0, 5), (77, 131), (131, 131)):
        share = np.array(proportion_confint(right, v, method="wilson"))
        ends = four_intervals.ends_at("wilson_indirect", 2 * right / (v + right), v, Z)
        assert np.array(ends) == pytest.approx(2 * share / (1 + share), abs=1e-12)


def test_coverages_of_two_methods_correlate_as_over_all_tables() -> None:
    n, cells, draws = 25, (0.4, 0.1, 0.1), 40_000
    methods = ("wald", "wilson_indirect")
    q, truth = sum(cells), four_intervals.truth(cells)
    v, tp = map(np.ravel, np.meshgrid(np.arange(1, n + 1), np.arange(n + 1), indexing="ij"))
    v, tp = v[tp <= v], tp[tp <= v]
    weight = stats.binom.pmf(v, n, q) * stats.binom.pmf(tp, v, cells[0] / q)
    low, high = four_intervals.end_points(
        np.stack([tp, v - tp, 0 * v, n - v], axis=1), methods, 0.95
    )
    held = (low <= truth) & (truth <= high)
    expected = np.cov(held.T.astype(float), aweights=weight)
    expected = expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1])
    coverage, _ = four_intervals.outcome_correlations(n, cells, methods, 0.95, draws=draws, seed=1)
    # Four times 1 / sqrt(draws), doubled because the outcomes are far from normal.
    assert coverage[0, 1] == pytest.approx(expected, abs=8 / draws**0.5)
    assert coverage[0, 0] == 1


# Two classifiers of which only the counts are known

FIRST, SECOND = Counts(58, 55, 29, 691), Counts(67, 40, 20, 706)


@pytest.mark.parametrize(
    ("labels", "disagreements"),
    # Apart: as many hits and false alarms as possible fall on different items.
    [(suggestions.nested, 9 + 15), (suggestions.disjoint, 29 + 20 + 95)],
)
def test_labels_have_the_counts_and_the_extreme_disagreement(labels, disagreements):
    truth, a, b = labels(FIRST, SECOND)
    for counts, predicted in ((FIRST, a), (SECOND, b)):
        (tn, fp), (fn, tp) = confusion_matrix(truth, predicted)
        assert Counts(tp, fp, fn, tn) == counts
        assert counts.f1 == pytest.approx(f1_score(truth, predicted), rel=1e-12)
    assert int((a != b).sum()) == disagreements
