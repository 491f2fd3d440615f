"""Metrics by name, or as functions with parameters.

The metrics of a binary classifier are those of Table III of Yuan & Jiang (2025), and shares of
the negative class. Averages over classes are those of Takahashi et al. (2022), equations 1 to 3,
for any binary metric. `f1ci.metrics.base` says what a metric knows, and how to make your own;
`f1ci.metrics.agreement` has kappa and the correlation of any number of classes.
"""

from __future__ import annotations

import difflib
import re
from importlib import import_module

import numpy as np

from f1ci.data import checks
from f1ci.metrics.agreement import SIGNED, Correlation, Kappa
from f1ci.metrics.agreement import mcc as mcc
from f1ci.metrics.agreement import npv as npv
from f1ci.metrics.agreement import specificity as specificity
from f1ci.metrics.averages import MacroStar, Mean, mean_of, with_undefined
from f1ci.metrics.base import UNIT, Accuracy, Numbers
from f1ci.metrics.base import BinaryMetric as BinaryMetric
from f1ci.metrics.base import ExpectationMetric as ExpectationMetric
from f1ci.metrics.base import MatrixMetric as MatrixMetric
from f1ci.metrics.base import Metric as Metric
from f1ci.metrics.base import Tversky as Tversky
from f1ci.metrics.base import precision as precision
from f1ci.metrics.base import recall as recall

# With weights of errors from the one to the other, limits keep ten digits and their length.
_LEAST_WEIGHT, _LARGEST_WEIGHT = 1e-15, 1e6


# The metrics of Table III.


def _accuracy(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return 2 * eza - ea - ez + 1


def _correlation(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return (eza - ea * ez) / np.sqrt(ez * (1 - ez) * ea * (1 - ea))


def _cosine(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return eza / np.sqrt(ea * ez)


def _lift(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return eza / (ea * ez)


def _overlap(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return eza / np.where(np.real(ea) <= np.real(ez), ea, ez)


def tversky(a: float, b: float) -> Tversky:
    """Return the Tversky index TP / (TP + a FP + b FN).

    Parameters
    ----------
    a, b : float
        Weights of the false positives and of the false negatives: 0, or from 1e-15 to 1e6, and
        not both 0.

    Returns
    -------
    Tversky
        A metric with attributes `a` and `b`.

    Examples
    --------
    >>> from f1ci.metrics import tversky
    >>> round(tversky(a=0.8, b=0.2).value([[159, 47], [43, 286]]), 3)
    0.861
    """
    weights = checks.number("a", a), checks.number("b", b)
    if not all(x == 0.0 or _LEAST_WEIGHT <= x <= _LARGEST_WEIGHT for x in weights) or a == b == 0:
        rule = f"be 0, not both, or lie between {_LEAST_WEIGHT:g} and {_LARGEST_WEIGHT:g}"
        raise ValueError(f"weights of errors must {rule}, got a={a!r}, b={b!r}")
    return Tversky(f"tversky({a:g}, {b:g})", float(a), float(b))


def fbeta(beta: float) -> Tversky:
    """Return F-beta, (1 + beta^2) / (1/precision + beta^2/recall).

    It is the Tversky index with a = 1 / (1 + beta^2) and b = 1 - a (Jiang 2020, remark 1).

    Parameters
    ----------
    beta : float
        Above 0; how much more recall matters than precision.

    Returns
    -------
    Tversky
        A metric with attributes `a` and `b`.

    Examples
    --------
    >>> from f1ci.metrics import fbeta
    >>> half = fbeta(0.5)
    >>> half.a, half.b
    (0.8, 0.2)
    >>> round(half.value([[159, 47], [43, 286]]), 3)
    0.861
    """
    if not 1e-7 <= checks.positive("beta", beta) <= 1e7:
        raise ValueError(f"beta must lie between 1e-7 and 1e7, got {checks.short(beta)}")
    square = float(beta) ** 2
    name = "f1" if square == 1.0 else f"fbeta({beta:g})"
    return Tversky(name, 1 / (1 + square), square / (1 + square))


def tversky_weights(
    metric: Metric, has: str = "is known from TP, FP and FN"
) -> tuple[float, float]:
    """Return the weights of false positives and false negatives; refuse any other metric."""
    if not isinstance(metric, Tversky):
        raise ValueError(
            "only a Tversky score ('f1', 'precision', 'recall', 'jaccard', fbeta(beta), "
            f"tversky(a, b)) {has}, got {metric.name!r}"
        )
    return metric.a, metric.b


accuracy = Accuracy("accuracy", _accuracy, range=UNIT)
f1 = fbeta(1.0)
jaccard = Tversky("jaccard", 1.0, 1.0)
correlation = Correlation("correlation", _correlation, range=SIGNED)
cosine = BinaryMetric("cosine", _cosine, range=UNIT)
lift = BinaryMetric("lift", _lift, range=(0.0, np.inf))
# The larger one of precision and recall, which has a kink where they are equal.
overlap = BinaryMetric("overlap", _overlap, range=UNIT, smooth=False)


# Averages over classes.


def get(metric: str | Metric) -> Metric:
    """Return the metric of a name, or the object itself.

    Parameters
    ----------
    metric : str or Metric
        A name in `METRICS`; an F score such as "f2" or "f0.5"; or an average of a binary metric:
        "macro_precision", "weighted_recall", "micro_f1" (scikit-learn's "precision_macro" too).

    Returns
    -------
    Metric

    Examples
    --------
    >>> from f1ci import metrics
    >>> metrics.get("f2"), metrics.get("macro_precision"), metrics.get("sensitivity")
    (<metric fbeta(2)>, <metric macro_precision>, <metric recall>)
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        return METRICS[checks.choice("metric", metric, METRICS)]
    name = metric if metric in METRICS else re.sub("[ -]", "_", metric.strip().lower())
    name = ALIASES.get(name, name)
    if name in METRICS:
        return METRICS[name]
    if _is_fbeta(name):
        return fbeta(float(name[1:]))
    averaged = _average(name)
    if averaged is not None:
        return averaged
    near = difflib.get_close_matches(name, [*METRICS, *ALIASES, *_AVERAGED], n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(METRICS)}"
    raise ValueError(f"metric must have a known name, got {checks.short(metric)}{hint}")


def _average(name: str) -> Metric | None:
    """Return the average of a name such as "macro_precision" or "precision_macro"; else None."""
    for average in ("macro", "weighted", "micro"):
        of = name.removeprefix(f"{average}_").removesuffix(f"_{average}")
        if of != name and (of in METRICS or of in ALIASES or _is_fbeta(of)):
            return mean_of(average, get(of))
    return None


def _is_fbeta(name: str) -> bool:
    return re.fullmatch(r"f\d+(\.\d+)?", name) is not None


def macro(metric: str | Metric, *, undefined: str | float = "skip") -> Metric:
    """Return the mean over classes of a binary metric, each class against the rest.

    Parameters
    ----------
    metric : str or BinaryMetric
        For instance "precision" or ``fbeta(2)``.
    undefined : {"skip", nan, 0, 1}, default "skip"
        What a class without a score does: it is left out, makes the average undefined, or counts
        0 or 1.

    Returns
    -------
    Metric
        A class for which the metric is undefined is left out.

    Examples
    --------
    >>> from f1ci.metrics import macro
    >>> round(macro("recall").value([[2, 5, 0], [2, 70, 2], [2, 2, 15]]), 3)
    0.674
    """
    return with_undefined(mean_of("macro", get(metric)), undefined)


def weighted(metric: str | Metric, *, undefined: str | float = "skip") -> Metric:
    """Return the mean over classes of a binary metric, weighted by their numbers of true items.

    Parameters
    ----------
    metric : str or BinaryMetric
        For instance "precision" or ``fbeta(2)``.
    undefined : {"skip", nan, 0, 1}, default "skip"
        What a class without a score does: it is left out, makes the average undefined, or counts
        0 or 1.

    Returns
    -------
    Metric
        A class that is never true has no weight, even where its metric is undefined.

    Examples
    --------
    >>> from f1ci.metrics import weighted
    >>> round(weighted("f1").value([[2, 5, 0], [2, 70, 2], [2, 2, 15]]), 3)
    0.866
    """
    return with_undefined(mean_of("weighted", get(metric)), undefined)


def macro_star(beta: float = 1.0, *, undefined: str | float = "skip") -> Metric:
    """Return F-beta of mean precision and mean recall (Takahashi et al., equation 3).

    Parameters
    ----------
    beta : float, optional
        Above 0.
    undefined : {"skip", nan, 0, 1}, default "skip"
        What a class without precision or recall does; see `macro`.

    Returns
    -------
    Metric
        A class that is never predicted has no precision, and one that is never true no recall:
        the mean leaves it out.

    Examples
    --------
    >>> from f1ci.metrics import macro_star
    >>> round(macro_star().value([[2, 5, 0], [2, 70, 2], [2, 2, 15]]), 3)
    0.691
    """
    inner = fbeta(beta)
    of_precision = with_undefined(mean_of("macro", precision), undefined)
    of_recall = with_undefined(mean_of("macro", recall), undefined)
    name = f"macro_{inner.name}_star"
    return MacroStar(name, inner.a, inner.b, UNIT, of_precision, of_recall)


def check(metric: Metric) -> None:
    """Check a metric of your own, in the manner of scikit-learn's ``check_estimator``.

    Its slopes are compared with differences of its values; it is asked for tables with empty cells
    and with a class without items; perfect tables must stay inside its range; its limits must
    contain the estimate, stay in the range and widen with the level; and in one small population
    the default interval of level 0.95 must cover at least 0.9, by an exact sum over all tables.

    Parameters
    ----------
    metric : Metric
        A `BinaryMetric`, a `MatrixMetric` or another `Metric`.

    Raises
    ------
    ValueError
        If something is wrong; the message quotes the table and the numbers.

    Examples
    --------
    The range of informedness is from -1 to 1:

    >>> from f1ci import metrics
    >>> def informedness(x, ea, ez):
    ...     return x / ez - (ea - x) / (1 - ez)
    >>> metrics.check(metrics.BinaryMetric("informedness", informedness, range=(-1, 1)))
    >>> metrics.check(metrics.BinaryMetric("informedness", informedness, range=(0, 1)))
    Traceback (most recent call last):
    ...
    ValueError: 'informedness' is outside of its range (0, 1): -0.2 for [[3, 2], [4, 1]]
    """
    # It asks for intervals, which are made of metrics: they are imported when it is called.
    import_module("f1ci.checking").check(metric)


micro_f1 = mean_of("micro", f1)
macro_f1 = macro(f1)
weighted_f1 = weighted(f1)
macro_f1_star = macro_star()

balanced_accuracy = Mean("balanced_accuracy", recall, "macro", UNIT)

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *(accuracy, precision, recall, specificity, npv, f1, jaccard),
        *(correlation, cosine, lift, overlap),
        *(micro_f1, macro_f1, weighted_f1, macro_f1_star, balanced_accuracy, mcc),
        *map(Kappa, ("kappa", "linear_kappa", "quadratic_kappa"), range(3)),
    )
}
# Of all that `get` takes, names that a mistyped one may have meant.
_AVERAGED = [f"{a}_{of}" for a in ("macro", "weighted", "micro") for of in ("precision", "recall")]

# Other names that people know a metric by.
ALIASES = {
    "acc": "accuracy",
    "f1_score": "f1",
    "matthews": "mcc",
    "matthews_corrcoef": "mcc",
    "phi": "correlation",
    "sensitivity": "recall",
    "tpr": "recall",
    "tnr": "specificity",
    "ppv": "precision",
    "dice": "f1",
    "iou": "jaccard",
    "cohen_kappa": "kappa",
}
