r"""Counts that come in units: documents with spans, images with objects, users with clicks.

What a unit holds may depend on one another; units may not. With x, y and w the true positives,
false positives and false negatives of all units, and ``F = x / (x + a y + b w)``, unit g moves
the score by ``u_g = (x_g - F (x_g + a y_g + b w_g)) / (x + a y + b w)``. These sum to 0, and the
delta method (see `f1ci.methods.delta`) has the variance ``G / (G - 1) sum(u_g^2)`` for G units,
whatever the dependence inside them. It is right for hundreds of units of like size, and too
small for ten.

**Few units, unlike sizes.** The default, "score", makes three amends. With h_g the share of the
relevant items that unit g holds:

1. u_g^2 is divided by 1 - h_g: a large unit pulls the score towards itself (Bell & McCaffrey
   2002; for units of one size this is the G / (G - 1)).
2. The ratio of that variance to the one of independent items is the design effect (Kish 1965),
   and the counts divided by it are the effective counts.
3. The quantile is Student's, with 1 / sum(h_g^2) - 1 degrees of freedom: G - 1 for units of one
   size, fewer if some are large.

The score interval for the effective counts at that quantile stays inside [0, 1] and has a
length always. "cautious" does the same with `f1ci.methods.score.cautious_limits`, and never takes a
design effect to be below 1; for a = b it is close to Korn & Graubard's interval (1998).
Averages over classes and differences combine the classes' limits as in `f1ci.methods.score`, with
the correlations that the units show.

When this fails: with very dependent items and scores near 0 or 1 even twenty units may all be
perfect. Then every unit is taken for one item, and coverage is below its level nevertheless. A
class found in one unit only counts as one item.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from f1ci import _validation, methods
from f1ci import metrics as _metrics
from f1ci._labels import Codes
from f1ci.counts import Items
from f1ci.methods import delta, score
from f1ci.methods.quantile import normal_quantile
from f1ci.metrics import Metric, count_moments
from f1ci.results import (
    Array,
    DegenerateVarianceWarning,
    Interval,
    UndefinedMetricWarning,
    as_scalar,
    warn,
)

METHODS = ("score", "cautious", "delta", "logit")
# Of metrics whose counts by unit say all.
KINDS = ("f1", "tversky", "share", "mean")
AVERAGES = ("micro", "macro", "weighted", "samples")

# Effective counts of a part worth less than so many items say nothing of its score.
_LEAST_WORTH = 1.0

# The largest number below 1: at 1 quantiles are infinite, or older SciPy has none.
_LARGEST_SHARE = 1.0 - 2.0**-53

# A variance this small next to the squared influence of one item is rounding.
_ROUNDING = 1e-24


def clustered_interval(
    counts: ArrayLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval for a score pooled over documents, images, users or other units.

    Parameters
    ----------
    counts : array_like of int, shape (units, 3) or (units, classes, 3)
        True positives, false positives and false negatives of each unit; true negatives
        are not needed.
    metric : str or Metric, default "f1"
        A Tversky score: "f1", "precision", "recall", "jaccard", ``f1ci.metrics.fbeta(2)``.
    average : {None, "micro", "macro", "weighted", "samples"}, optional
        For counts by class: every class by itself; the score of all classes' counts; the mean
        of the classes' scores, plain or weighted by the classes' true items. "samples" is the
        mean of the units' scores, where a unit with nothing to find and nothing found counts 0
        (as scikit-learn has it).
    method : {"score", "cautious", "delta", "logit"}, optional
        "score", the default, is made for few units too; "cautious" is longer; "delta" is the
        plain cluster-robust normal interval and "logit" the same on the logit scale.
    confidence_level : float, default 0.95
        The nominal level.

    Returns
    -------
    Interval
        Floats, or one entry for each class. The standard error is the delta method's.

    Warns
    -----
    UndefinedMetricWarning
        If no unit holds a relevant item.
    DegenerateVarianceWarning
        If the standard error is zero, and the method is "delta" or "logit".

    Examples
    --------
    Spans found in six documents:

    >>> from f1ci.clustered import clustered_interval
    >>> spans = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]]
    >>> interval = clustered_interval(spans)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.795 (0.622, 0.902)
    """
    table = _unit_counts("counts", counts)
    return _answer([table], _metrics.get(metric), average, method, confidence_level)


def clustered_difference(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    average: str | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval for how much better B is than A on the same units: score of B - score of A.

    Parameters
    ----------
    counts_a, counts_b : array_like of int, shape (units, 3) or (units, classes, 3)
        The counts of both models, the same unit in the same row.
    metric, average, method, confidence_level
        See `clustered_interval`; "logit" has no meaning for a difference.

    Returns
    -------
    Interval
        Above 0 where B is better than A.

    Examples
    --------
    >>> from f1ci.clustered import clustered_difference
    >>> a = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]]
    >>> b = [[9, 1, 1], [5, 1, 0], [10, 2, 2], [2, 1, 1], [8, 0, 0], [5, 1, 2]]
    >>> interval = clustered_difference(a, b)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.071 (-0.005, 0.177)
    """
    a = _unit_counts("counts_a", counts_a)
    b = _unit_counts("counts_b", counts_b)
    _validation.shaped("counts_b", b, b.shape == a.shape, str(a.shape))
    return _answer([a, b], _metrics.get(metric), average, method, confidence_level)


def label_counts(
    true: Codes, predicted: Codes, groups: Any, r: int, items: Array | None = None
) -> Array:
    """Codes of classes by item as counts by unit and class, shape (units, r, 3).

    With `items` each code stands for so many items.
    """
    units = int(groups.max()) + 1

    def by_class(which: NDArray[np.bool_], codes: Codes) -> NDArray[Any]:
        number = None if items is None else items[which]
        flat = np.bincount(groups[which] * r + codes[which], number, units * r)
        return flat.reshape(units, r)

    right = true == predicted
    tables = [by_class(right, true), by_class(~right, predicted), by_class(~right, true)]
    return np.stack(tables, axis=-1).astype(np.float64)


def of_kinds(
    metric: Any, kinds: Items, method: str, z: float, *, each: bool = False
) -> tuple[Array, Array, Array, Array]:
    """`cluster_limits` for kinds of items in groups, of one or two models.

    The metric is a Tversky index, a mean of one over classes, or accuracy; with `each` the
    index of every class.
    """
    (true, *each_model), items, groups, classes = kinds
    tables = [label_counts(true, by, groups, len(classes), items) for by in each_model]
    if metric.kind == "share":  # right and wrong items
        totals = [table.sum(axis=1) for table in tables]
        shares = [np.stack([t[:, 0], t[:, 1], 0.0 * t[:, 2]], axis=-1) for t in totals]
        return cluster_limits(shares, 1.0, 0.0, None, method, z)
    if metric.kind == "mean":
        average = "weighted" if metric.weighted else "macro"
        return cluster_limits(tables, metric.of.a, metric.of.b, average, method, z)
    if not each:
        tables = [table[:, 1] for table in tables]
    return cluster_limits(tables, metric.a, metric.b, None, method, z)


def _answer(
    tables: list[Array], metric: Metric, average: Any, method: Any, confidence_level: Any
) -> Interval:
    a, b = _validation.tversky(metric)
    if average is not None:
        _validation.choice("average", average, AVERAGES)
        expected = f"(units, classes, 3) for average={average!r}"
        _validation.shaped("counts", tables[0], tables[0].ndim == 3, expected)
    known = METHODS if len(tables) == 1 else METHODS[:-1]
    method = "score" if method is None else _validation.choice("method", method, known)
    level = _validation.confidence_level(confidence_level)
    found = cluster_limits(tables, a, b, average, method, normal_quantile(level))
    estimate, low, high, error = map(as_scalar, found)
    if np.isnan(estimate).any():
        text = "is undefined, because no unit holds a relevant item; nan was returned"
        warn(f"{metric.name} {text}", UndefinedMetricWarning)
    border = methods.METHODS[method].border
    if border and np.any(error == 0.0):
        text = f"has a standard error of zero, so that {border}; method='score' avoids this"
        warn(f"{metric.name} {text}", DegenerateVarianceWarning)
    name = metric.name if average is None else f"{average}_{metric.name}"
    name += "" if len(tables) == 1 else " (B - A)"
    return Interval(estimate, low, high, error, level, method, name)


def _unit_counts(name: str, value: ArrayLike) -> Array:
    """TP, FP and FN by unit, shape (units, 3), or by unit and class, (units, classes, 3)."""
    array = _validation.counts(name, value)
    legal = array.ndim in (2, 3) and array.shape[-1] == 3 and array.size > 0
    expected = "(units, 3) or (units, classes, 3), for the counts TP, FP and FN"
    _validation.shaped(name, array, legal, expected)
    _validation.at_least_two("units", len(array))
    return array


@np.errstate(divide="ignore", invalid="ignore")
def cluster_limits(
    tables: list[Array], a: float, b: float, average: str | None, method: str, z: float
) -> tuple[Array, Array, Array, Array]:
    """Estimate, limits and standard error: the kernel, for one model's counts or two models'."""
    least = 1.0 if method == "cautious" else 0.0
    if average == "micro":
        tables = [table.sum(axis=1) for table in tables]
    if average in ("macro", "weighted"):
        return _combined(tables, a, b, average, method, z, least)
    if average == "samples":
        # Each unit's score is a share of one right item, which varies less than a whole one.
        least = 0.0
        scores = [_moments(table.sum(axis=1), a, b)[0] for table in tables]
        tables = [np.stack([s, 1.0 - s, 0.0 * s], -1) for s in map(np.nan_to_num, scores)]
        a, b = 1.0, 0.0
    if len(tables) == 2 and tables[0].ndim == 2:
        return _combined([table[:, None] for table in tables], a, b, "macro", method, z, least)
    if len(tables) == 2:
        parts = [
            cluster_limits([table[:, k] for table in tables], a, b, None, method, z)
            for k in range(tables[0].shape[1])
        ]
        return tuple(np.array(column) for column in zip(*parts, strict=True))  # type: ignore
    return _one(tables[0], a, b, method, z, least)


def _one(
    table: Array, a: float, b: float, method: str, z: float, least: float = 0.0
) -> tuple[Array, Array, Array, Array]:
    """One score, or one for each class, with a design effect of at least `least`."""
    estimate, influence, held, worth = _parts(table, a, b, least)
    units = len(table)
    error = np.sqrt(units / (units - 1) * (influence**2).sum(axis=0))
    error = np.where(np.isnan(estimate), np.nan, error)
    if method in ("delta", "logit"):
        return estimate, *_normal(estimate, error, z, method), error
    tp, fp, fn = np.moveaxis(table.sum(axis=0), -1, 0) * (worth * (z / _student(held, z)) ** 2)
    return estimate, *_kernel(method)(tp, fp, fn, a, b, z), error


class _Average(NamedTuple):
    """A mean over the classes of one model, or the score of its one class."""

    estimate: Array
    moved: Array  # by each unit
    inflated: Array  # the same, where large units pull the score less towards themselves
    item: Array  # how far half an item in each class moves it
    limits: Callable[[Array], score.Limits]  # at shares of the normal quantile


def _combined(
    tables: list[Array], a: float, b: float, average: str, method: str, z: float, least: float
) -> tuple[Array, Array, Array, Array]:
    """A mean over classes, of one model or of B minus A."""
    units = len(tables[0])
    first, *other = (_average(table, a, b, average, method, z, least) for table in tables)
    estimate, moved, bottom = first.estimate, first.moved, 0.0
    if other:
        second = other[0]
        estimate, moved, bottom = second.estimate - estimate, second.moved - moved, -1.0
    error = np.sqrt(units / (units - 1) * (moved**2).sum())
    if method in ("delta", "logit"):
        return estimate, *_normal(estimate, error, z, method), error
    if np.isnan(estimate):
        return estimate, np.array(bottom), np.ones(()), error
    if not other:
        return estimate, *first.limits(np.ones(())), error
    # As if half an item more told the models apart, so that they are never copies.
    product = np.sqrt((first.inflated**2).sum() * (second.inflated**2).sum())
    product = product + first.item * second.item
    correlation = np.clip(first.inflated @ second.inflated / product, -1.0, 1.0)
    low, high = score.paired_extremes(correlation, first.limits, second.limits)
    return estimate, np.minimum(low, estimate), np.maximum(high, estimate), error


def _average(
    table: Array, a: float, b: float, average: str, method: str, z: float, least: float
) -> _Average:
    estimates, influence, held, worth = _parts(table, a, b, least)
    units, r = table.shape[:2]
    true = table[..., 0] + table[..., 2]
    weight = true.sum(axis=0) / true.sum() if average == "weighted" else np.full(r, 1.0 / r)
    # A class that is never true has no weight, defined or not.
    estimate = weight @ np.where(weight == 0.0, 0.0, estimates)
    # Shares may add up to a little more than 1.
    estimate = np.clip(estimate, 0.0, 1.0)
    extra = np.zeros((units, 0))
    if average == "weighted":  # the shares are random too
        scores = np.nan_to_num(estimates)[:, None]
        extra = ((true - true.sum(axis=1, keepdims=True) * weight) / true.sum()) @ scores
    inflated = influence / np.sqrt(np.maximum(1.0 - held, _ROUNDING))
    variance = (inflated**2).sum(axis=0)
    # The units' shares in the whole: those in each part, by how much its variance matters.
    matters = weight**2 * variance
    mean = matters if matters.sum() > 0 else np.where(weight == 0.0, 0.0, 1.0)
    scale = z / _student(held @ (mean / mean.sum()), z)
    counts = np.moveaxis(table.sum(axis=0), -1, 0) * (worth * scale**2)
    # Errors without weight leave items irrelevant.
    counts = counts * np.array([[1.0], [a > 0.0], [b > 0.0]])
    # Two units at a high level may leave next to nothing of an item, which is nothing known.
    counts = counts * (counts.sum(axis=0) > _LEAST_WORTH)
    parts = np.concatenate([inflated, extra], axis=1)
    deviation = np.sqrt((parts**2).sum(axis=0))
    # Half an item more as well, so that no two classes are copies of one another.
    item = np.sqrt(0.5) / _moments(table.sum(axis=0), a, b)[2]
    each = np.append(item, np.zeros(extra.shape[1]))
    product = deviation[:, None] * deviation + each[:, None] * each
    correlation = np.where(product > 0.0, parts.T @ parts / product, 0.0)
    np.fill_diagonal(correlation, 1.0)
    spread, objective = None, score.sum_of(weight)
    if extra.shape[1]:
        spread, objective = deviation[-1:] / scale, score.sum_of(np.append(weight, 1.0))

    def limits(size: Array) -> score.Limits:
        low, high = score.extremes(
            tuple(counts), a, b, z * size, objective, correlation, _kernel(method), spread
        )
        low, high = np.minimum(low, estimate), np.maximum(high, estimate)
        return np.maximum(low, 0.0), np.minimum(high, 1.0)

    total = extra.sum(axis=1)
    of_item = np.sqrt((np.where(weight == 0.0, 0.0, weight * item) ** 2).sum())
    moved, inflated = influence @ weight + total, inflated @ weight + total
    return _Average(estimate, moved, inflated, of_item, limits)


def _moments(counts: Array, a: float, b: float) -> tuple[Array, Array, Array]:
    """Score, its standard error if items were independent, and whole, of counts (..., 3)."""
    tp, fp, fn = np.moveaxis(counts, -1, 0)
    return *count_moments(tp, fp, fn, a, b), tp + a * fp + b * fn


def _parts(table: Array, a: float, b: float, least: float) -> tuple[Array, Array, Array, Array]:
    """Scores (...), the units' influences (units, ...) and shares in the relevant items, worths.

    A worth says how many independent items each item is worth: one over the design effect.
    """
    estimate, single, whole = _moments(table.sum(axis=0), a, b)
    tp, fp, fn = np.moveaxis(table, -1, 0)
    influence = np.nan_to_num((tp - estimate * (tp + a * fp + b * fn)) / whole)
    relevant = tp + (fp if a else 0.0) + (fn if b else 0.0)
    held = np.nan_to_num(relevant / relevant.sum(axis=0))
    clustered = (influence**2 / np.maximum(1.0 - held, _ROUNDING)).sum(axis=0)
    unknown = ~(clustered > _ROUNDING / whole**2) | ~(single > 0)
    effect = clustered / single**2
    effect = np.where(unknown, relevant.sum(axis=0) / (held > 0).sum(axis=0), effect)
    return estimate, influence, held, 1.0 / np.maximum(np.nan_to_num(effect, nan=1.0), least)


def _student(held: Array, z: float) -> Array:
    """Student's quantile for the degrees of freedom that units of these shares leave."""
    degrees = np.maximum(1.0 / (held**2).sum(axis=0) - 1.0, 1.0)
    # No units hold anything: the limits are 0 and 1 whatever the quantile.
    degrees = np.where(np.isfinite(degrees), degrees, 1.0)
    quantile: Array = special.stdtrit(degrees, np.minimum(special.ndtr(z), _LARGEST_SHARE))
    return quantile


def _kernel(method: str) -> score.Kernel:
    return score.cautious_limits if method == "cautious" else score.tversky_limits


def _normal(estimate: Array, error: Array, z: float, method: str) -> tuple[Array, Array]:
    if method == "logit":
        return delta.transformed(estimate, error, z, (0.0, 1.0))
    return estimate - z * error, estimate + z * error
