"""F scores from labels: the door that joins the exact road and the delta road.

The F1 score of a binary classifier has intervals that need no large sample: those of
`f1ci.exact` (Lam, Gopal and Qian 2024). F-beta with another beta, averages over classes
(Takahashi et al. 2022) and test sets whose items come in clusters have the delta method of
`f1ci.delta`, which is good in large samples and too short in small ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from f1ci import classwise, metrics, validation
from f1ci.counts import binary_counts
from f1ci.delta import interval_from_labels
from f1ci.exact import METHODS, f1_interval
from f1ci.results import Interval

__all__ = ["f1_score_interval"]

_AVERAGES = ("binary", "micro", "macro", "macro_star")
_DELTA_METHODS = ("delta", "logit")


def f1_score_interval(
    y_true: Any,
    y_pred: Any,
    *,
    average: str = "binary",
    pos_label: Hashable = 1,
    labels: Sequence[Hashable] | None = None,
    beta: float = 1.0,
    method: str | None = None,
    groups: Any = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Confidence interval for an F score, from true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : sequence
        True and predicted labels, of any hashable kind.
    average : {"binary", "micro", "macro", "macro_star"}
        The score of the positive class; or over all classes the micro average, the mean
        of the classes' F scores, or the F score of mean precision and mean recall
        (Takahashi et al. 2022, equations 1, 2 and 3).
    pos_label : hashable, default 1
        The positive class if `average` is "binary".
    labels : sequence, optional
        The classes to average over; by default those that occur.
    beta : float, default 1.0
        Weight of recall against precision.
    method : str, optional
        For the binary F1 score a method of `f1_interval`, by default
        "wilson_indirect". For any score "delta", the default of all others, or "logit",
        the delta method on the logit scale, which stays inside [0, 1]. For the micro and
        macro averages of F1 also "wilson_indirect" and "clopper_pearson", which hold with
        rare classes and near-perfect scores too; see `f1ci.metric_interval`.
    groups : sequence, optional
        What cluster each item belongs to (a patient, a document): items of one cluster
        may depend on one another. Needs "delta" or "logit", and uses "delta" by default.
    confidence_level : float, default 0.95
        Nominal probability that the interval holds the true score.

    Returns
    -------
    Interval
        The estimate is the plain sample score, whatever the method.

    Examples
    --------
    >>> import f1ci
    >>> y_true = [1, 1, 1, 1, 0, 0, 1, 0]
    >>> y_pred = [1, 1, 0, 1, 0, 1, 1, 0]
    >>> low, high = f1ci.f1_score_interval(y_true, y_pred)
    >>> f"[{low:.2f}, {high:.2f}]"
    '[0.46, 0.95]'
    >>> y_true = ["a", "a", "a", "b", "b", "c", "c", "c"]
    >>> y_pred = ["a", "a", "b", "b", "b", "c", "c", "a"]
    >>> interval = f1ci.f1_score_interval(y_true, y_pred, average="macro")
    >>> f"{interval.estimate:.2f} +- {interval.standard_error:.2f}"
    '0.76 +- 0.15'
    """
    validation.choice("average", average, _AVERAGES)
    weight = validation.positive("beta", beta)
    plain = weight == 1.0 and groups is None
    exact = average == "binary" and plain
    if exact:
        known: tuple[str, ...] = (*METHODS, *_DELTA_METHODS)
    elif average in ("micro", "macro") and plain:
        known = (*_DELTA_METHODS, *classwise.METHODS)
    else:
        known = _DELTA_METHODS
    chosen = known[0] if method is None else validation.choice("method", method, known)
    if exact and chosen in METHODS:
        tp, fp, fn, _ = binary_counts(y_true, y_pred, pos_label=pos_label)
        return f1_interval(tp, fp, fn, method=chosen, confidence_level=confidence_level)
    metric = metrics.fbeta(weight) if average == "binary" else metrics.averaged(average, weight)
    return interval_from_labels(
        y_true,
        y_pred,
        metric,
        pos_label=pos_label,
        labels=None if average == "binary" else labels,
        groups=groups,
        method=chosen if chosen in classwise.METHODS else "delta",
        transform="logit" if chosen == "logit" else None,
        confidence_level=confidence_level,
    )
