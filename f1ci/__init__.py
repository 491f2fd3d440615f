"""f1ci: how sure can one be of an F score?

Intervals, joint intervals, sample sizes, posteriors and tests for the F1 score
and its relatives, after five papers; see the book for which to use when.
"""

from f1ci.normal import equicoordinate_quantile
from f1ci.planning import sample_size
from f1ci.results import BinaryCounts, Interval, SampleSize, UndefinedMetricWarning

__all__ = [
    "BinaryCounts",
    "Interval",
    "SampleSize",
    "UndefinedMetricWarning",
    "__version__",
    "equicoordinate_quantile",
    "sample_size",
]

__version__ = "0.1.0"
