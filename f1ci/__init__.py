"""f1ci: how sure can one be of an F score?

Intervals, joint intervals, sample sizes, posteriors and tests for the F1 score
and its relatives, after five papers; see the book for which to use when.
"""

from f1ci import coverage, metrics
from f1ci.counts import binary_counts, confusion_matrix
from f1ci.delta import difference_interval, joint_intervals, metric_interval
from f1ci.exact import f1_interval
from f1ci.results import (
    BinaryCounts,
    DegenerateVarianceWarning,
    Interval,
    JointIntervals,
    UndefinedMetricWarning,
)

__all__ = [
    "BinaryCounts",
    "DegenerateVarianceWarning",
    "Interval",
    "JointIntervals",
    "UndefinedMetricWarning",
    "__version__",
    "binary_counts",
    "confusion_matrix",
    "coverage",
    "difference_interval",
    "f1_interval",
    "joint_intervals",
    "metric_interval",
    "metrics",
]

__version__ = "0.1.0"
