"""What the notebooks of Lam, Gopal and Qian share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix, f1_score

from notebooks.own import lam_bert_suggestion_mining as suggestions
from notebooks.own.lam_bert_suggestion_mining import Counts
from notebooks.shared import four_intervals

Z = float(stats.norm.ppf(0.975))

# Four intervals


def tables_and_chances(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return TP, FP, FN and TN of all test sets of scenario 1 with a relevant item."""
    v, tp = np.array([(v, tp) for v in range(1, n + 1) for tp in range(v + 1)]).T
    chances = stats.binom.pmf(v, n, 0.6) * stats.binom.pmf(tp, v, 0.4 / 0.6)
    return np.stack([tp, v - tp, 0 * v, n - v], axis=1), chances


def test_coverages_of_two_methods_correlate_as_over_all_tables() -> None:
    n, cells, draws = 25, (0.4, 0.1, 0.1), 40_000
    methods = ("wald", "wilson_indirect")
    tables, chances = tables_and_chances(n)
    low, high = four_intervals.end_points(tables, methods, 0.95)
    truth = four_intervals.truth(cells)
    held = ((low <= truth) & (truth <= high)).astype(float)
    moments = np.cov(held.T, aweights=chances)
    expected = moments[0, 1] / np.sqrt(moments[0, 0] * moments[1, 1])
    found, _ = four_intervals.outcome_correlations(n, cells, methods, 0.95, draws=draws, seed=1)
    # Four times 1 / sqrt(draws), doubled because the outcomes are far from normal.
    assert found[0, 1] == pytest.approx(expected, abs=8 / draws**0.5)


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
