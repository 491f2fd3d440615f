"""f1ci: how sure can one be of an F score?

Intervals, joint intervals, sample sizes, posteriors and tests for the F1 score
and its relatives, after published papers; see the book for which to use when.

Bring what you have as one of six kinds of data, and ask it: `Counts`, `Matrix`, `Labels`, `Units`,
`Scores`, `Runs`. For what people ask most there are functions that do both in one call.
"""

from f1ci import coverage, methods, metrics, plot, results
from f1ci.crossvalidation import bcv_partitions
from f1ci.judged import label_plan
from f1ci.kinds import Counts, Labels, Matrix, Runs, Scores, Units
from f1ci.methods.quantile import equicoordinate_quantile
from f1ci.planning import comparison_sample_size, sample_size
from f1ci.posteriors import bayes_test, effective_counts, posterior
from f1ci.results import Interval
from f1ci.shortcuts import (
    binary_counts,
    classification_report,
    compare_models,
    confusion_matrix,
    f1_interval,
    f1_score_interval,
    mean_interval,
    score_interval,
)
from f1ci.types import (
    DegenerateVarianceWarning,
    IntervalWarning,
    SmallSampleWarning,
    UndefinedMetricWarning,
)

__all__ = [
    "Counts",
    "DegenerateVarianceWarning",
    "Interval",
    "IntervalWarning",
    "Labels",
    "Matrix",
    "Runs",
    "Scores",
    "SmallSampleWarning",
    "UndefinedMetricWarning",
    "Units",
    "bayes_test",
    "bcv_partitions",
    "binary_counts",
    "classification_report",
    "compare_models",
    "comparison_sample_size",
    "confusion_matrix",
    "coverage",
    "effective_counts",
    "equicoordinate_quantile",
    "f1_interval",
    "f1_score_interval",
    "label_plan",
    "mean_interval",
    "methods",
    "metrics",
    "plot",
    "posterior",
    "results",
    "sample_size",
    "score_interval",
]
__version__ = "0.1.0"
