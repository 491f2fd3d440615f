"""Intervals of the delta road.

Oracles: the published numbers and closed forms of Takahashi et al. (2022) and Jiang (2020); the R
code of Takahashi et al., Appendix D, run in R; the normal interval of one proportion. Random
Tversky indices are asked in test_oracle.py, other metrics item by item in test_joint.py.
"""

import warnings

import numpy as np
import pytest
from examples import MNN, TOY
from scipy import stats

import f1ci
from f1ci import metrics
from f1ci.metrics import fbeta, tversky
from f1ci.types import DegenerateVarianceWarning

Z = stats.norm.ppf(0.975)
ALL_BINARY = [
    *(metric for metric in metrics.METRICS.values() if metric.binary),
    fbeta(0.5),
    tversky(0.7, 0.1),
]


# Takahashi et al.


# The estimate and the standard error in R; those and the ends as printed. Table 4 has no errors.
@pytest.mark.parametrize(
    ("matrix", "metric", "in_r", "printed"),
    [
        (TOY, "micro_f1", (0.87, 0.0336303434416005), "0.870 0.0336 0.804 0.936"),
        (TOY, "macro_f1", (0.689392652968812, 0.0650420386654390), "0.689 0.0650 0.562 0.817"),
        (TOY, "macro_f1_star", (0.690553355086206, 0.0649258255825479), "0.691 0.0649 0.563 0.818"),
        (MNN, "micro_f1", (0.859276064063928, 0.00143080867085396), "0.859 - 0.856 0.862"),
        (MNN, "macro_f1", (0.805029303536755, 0.00197835568741566), "0.805 - 0.801 0.809"),
        (MNN, "macro_f1_star", (0.806916740326801, 0.00195579806090687), "0.807 - 0.803 0.811"),
    ],
)
def test_every_printed_digit_and_the_papers_r_code(matrix, metric, in_r, printed):
    """Sections 2 and 3, and Table 4's mixed neural network; Appendix D, run in R.

    Mended: as printed it does not set `a` and `b` to 0, lacks the line that adds to `a`
    (the first sum of Appendix B), and defines `flscores` but calls `f1scores`. R printed
    15 digits.
    """
    interval = f1ci.Matrix(matrix).interval(metric, method="delta")
    assert (interval.method, interval.metric, interval.confidence_level) == ("delta", metric, 0.95)
    ours = (interval.estimate, interval.standard_error, *interval)
    ends = in_r[0] - Z * in_r[1], in_r[0] + Z * in_r[1]
    assert ours == pytest.approx((*in_r, *ends), rel=1e-13)
    for number, text in zip(ours, printed.split(), strict=True):
        assert text == "-" or f"{number:.{len(text) - 2}f}" == text


# Jiang


# One interval


@pytest.mark.parametrize("n", [7, 49, 535, 10**6 + 3, 10**12 + 39])
@pytest.mark.parametrize("metric", ALL_BINARY, ids=lambda metric: metric.name)
def test_zero_variance_is_exactly_zero(n, metric):
    """A perfect classifier; the shares of n are not exact in binary.

    The lift of a perfect classifier is 1 / EZ, and does vary.
    """
    table = np.array([[n - n // 3, 0], [0, n // 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateVarianceWarning)
        interval = f1ci.Matrix(table).interval(metric, method="delta")
    if metric.name == "lift":
        assert interval.standard_error > 0.0
    else:
        assert interval.standard_error == 0.0
        assert interval.estimate == pytest.approx(1.0, abs=1e-15)


def test_small_variances_are_not_taken_for_zero():
    """One error among 10^12 items: recall 1 - 1e-12 has variance 1e-24."""
    interval = f1ci.Matrix([[5, 0], [1, 10**12 - 1]]).interval("recall", method="delta")
    assert interval.standard_error == pytest.approx(1e-12, rel=1e-6)
