"""f1ci: how sure can one be of an F score?

Intervals, joint intervals, sample sizes, posteriors and tests for the F1 score
and its relatives, after five papers; see the book for which to use when.
"""

from f1ci import coverage as coverage
from f1ci import methods as methods
from f1ci import metrics as metrics
from f1ci import plot as plot
from f1ci.clustered import clustered_difference as clustered_difference
from f1ci.clustered import clustered_interval as clustered_interval
from f1ci.compare import difference_interval as difference_interval
from f1ci.compare import difference_test as difference_test
from f1ci.counts import binary_counts as binary_counts
from f1ci.counts import confusion_matrix as confusion_matrix
from f1ci.crossvalidation import bcv_partitions as bcv_partitions
from f1ci.intervals import f1_interval as f1_interval
from f1ci.intervals import f1_score_interval as f1_score_interval
from f1ci.intervals import metric_interval as metric_interval
from f1ci.joint import joint_intervals as joint_intervals
from f1ci.methods.quantile import equicoordinate_quantile as equicoordinate_quantile
from f1ci.planning import sample_size as sample_size
from f1ci.posteriors import Posterior as Posterior
from f1ci.posteriors import bayes_test as bayes_test
from f1ci.posteriors import effective_counts as effective_counts
from f1ci.posteriors import posterior as posterior
from f1ci.report import ClassificationReport as ClassificationReport
from f1ci.report import classification_report as classification_report
from f1ci.results import BayesTest as BayesTest
from f1ci.results import BinaryCounts as BinaryCounts
from f1ci.results import DegenerateVarianceWarning as DegenerateVarianceWarning
from f1ci.results import DifferenceSampleSize as DifferenceSampleSize
from f1ci.results import DifferenceTest as DifferenceTest
from f1ci.results import EffectiveCounts as EffectiveCounts
from f1ci.results import Interval as Interval
from f1ci.results import IntervalWarning as IntervalWarning
from f1ci.results import JointIntervals as JointIntervals
from f1ci.results import SampleSize as SampleSize
from f1ci.results import SmallSampleWarning as SmallSampleWarning
from f1ci.results import UndefinedMetricWarning as UndefinedMetricWarning

__all__ = [name for name in dir() if not name.startswith("_")]
__version__ = "0.1.0"
