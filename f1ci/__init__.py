"""f1ci: how sure can one be of an F score?

========================================  ============================================
you have                                  use
========================================  ============================================
TP, FP and FN, as a paper prints them     ``f1_interval(tp, fp, fn)``
true and predicted labels                 ``score_interval(y_true, y_pred, "macro_f1")``
the same, for all classes                 ``classification_report(y_true, y_pred)``
several models on one test set            ``compare_models(y_true, {"a": a, "b": b})``
a confusion matrix                        ``Matrix(matrix).interval("macro_f1")``
items that come in units (documents)      ``Labels(y_true, y_pred, groups=documents)``
TP, FP and FN of each unit                ``Units(counts).interval("f1")``
one score for each unit (Dice, images)    ``mean_interval(scores)``, ``Scores(scores)``
several seeds of one recipe               ``Runs(y_true, [first, second])``
two models, a question                    ``Labels(y_true, {"a": a, "b": b}).difference()``
several scores to compare freely          ``Labels(y_true, models).joint(["f1", "recall"])``
a test set to plan                        ``sample_size``, or ``Labels(...).plan()``
========================================  ============================================

Six kinds of data (`Counts`, `Matrix`, `Labels`, `Units`, `Scores`, `Runs`) read and check what you
bring, and have the same methods: ``interval``, ``difference``, ``compare``, ``joint``, ``report``
and ``plan``. The functions ask the question that most people have in one call. The methods are
those of five papers, and some of our own; the book says which to use when.
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
