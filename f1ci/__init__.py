"""f1ci: how sure can one be of an F score?

Intervals, joint intervals, sample sizes, posteriors and tests for the F1 score
and its relatives, after published papers; see the book for which to use when.
"""

from f1ci import coverage, methods, metrics, plot
from f1ci.clustered import clustered_difference, clustered_interval
from f1ci.compare import difference_interval, difference_test, unpaired_difference
from f1ci.crossvalidation import bcv_partitions
from f1ci.data import binary_counts, confusion_matrix
from f1ci.intervals import f1_interval, f1_score_interval, metric_interval, score_interval
from f1ci.joint import joint_intervals
from f1ci.means import mean_difference, mean_interval
from f1ci.methods.quantile import equicoordinate_quantile
from f1ci.planning import (
    comparison_sample_size,
    pilot_interval_size,
    pilot_sample_size,
    sample_size,
)
from f1ci.posteriors import Posterior, bayes_test, effective_counts, posterior
from f1ci.repeated import RepeatedInterval, repeated_difference, repeated_interval
from f1ci.report import ClassificationReport, classification_report, matrix_report
from f1ci.results import (
    BayesTest,
    BinaryCounts,
    DegenerateVarianceWarning,
    DifferenceSampleSize,
    DifferenceTest,
    EffectiveCounts,
    Interval,
    IntervalWarning,
    JointIntervals,
    PilotSize,
    SampleSize,
    SmallSampleWarning,
    UndefinedMetricWarning,
)
from f1ci.several import ModelComparison, compare_models

__all__ = [
    "BayesTest",
    "BinaryCounts",
    "ClassificationReport",
    "DegenerateVarianceWarning",
    "DifferenceSampleSize",
    "DifferenceTest",
    "EffectiveCounts",
    "Interval",
    "IntervalWarning",
    "JointIntervals",
    "ModelComparison",
    "PilotSize",
    "Posterior",
    "RepeatedInterval",
    "SampleSize",
    "SmallSampleWarning",
    "UndefinedMetricWarning",
    "bayes_test",
    "bcv_partitions",
    "binary_counts",
    "classification_report",
    "clustered_difference",
    "clustered_interval",
    "compare_models",
    "comparison_sample_size",
    "confusion_matrix",
    "coverage",
    "difference_interval",
    "difference_test",
    "effective_counts",
    "equicoordinate_quantile",
    "f1_interval",
    "f1_score_interval",
    "joint_intervals",
    "matrix_report",
    "mean_difference",
    "mean_interval",
    "methods",
    "metric_interval",
    "metrics",
    "pilot_interval_size",
    "pilot_sample_size",
    "plot",
    "posterior",
    "repeated_difference",
    "repeated_interval",
    "sample_size",
    "score_interval",
    "unpaired_difference",
]
__version__ = "0.1.0"
