"""f1ci: how sure can one be of an F score?

Intervals, joint intervals, sample sizes, posteriors and tests for the F1 score
and its relatives, after five papers; see the book for which to use when.
"""

from f1ci.bcv import bcv_partitions
from f1ci.posterior import Posterior, bayes_test, effective_counts, posterior
from f1ci.results import (
    BayesTest,
    BinaryCounts,
    EffectiveCounts,
    Interval,
    UndefinedMetricWarning,
)

__all__ = [
    "BayesTest",
    "BinaryCounts",
    "EffectiveCounts",
    "Interval",
    "Posterior",
    "UndefinedMetricWarning",
    "__version__",
    "bayes_test",
    "bcv_partitions",
    "effective_counts",
    "posterior",
]

__version__ = "0.1.0"
