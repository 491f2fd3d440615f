"""Scores pooled over units whose items may depend on one another: effective counts.

With x, y and w the true positives, false positives and false negatives of all units, and
``F = x / (x + a y + b w)``, unit g moves the score by
``u_g = (x_g - F (x_g + a y_g + b w_g)) / (x + a y + b w)``. These sum to 0, and the delta method
(see `f1ci.methods.delta`) has the variance ``G / (G - 1) sum(u_g^2)`` for G units, whatever the
dependence inside them. It is right for hundreds of units of like size, and too small for ten.

**Few units, unlike sizes.** "score" and "cautious" make three amends. With h_g the share of the
relevant items that unit g holds:

1. u_g^2 is divided by 1 - h_g: a large unit pulls the score towards itself (Bell & McCaffrey
   2002; for units of one size this is the G / (G - 1)).
2. The ratio of that variance to the one of independent items is the design effect (Kish 1965),
   and the counts divided by it are the effective counts.
3. The quantile is Student's, with 1 / sum(h_g^2) - 1 degrees of freedom: G - 1 for units of one
   size, fewer if some are large.

The limits for the effective counts at that quantile stay inside [0, 1], and never have length
zero. "cautious" never takes a design effect to be below 1; for a = b it is close to Korn &
Graubard's interval (1998). Averages over classes and differences combine the classes' limits as in
`f1ci.methods.averages`, with the correlations that the units show.

When this fails: with very dependent items and scores near 0 or 1 even twenty units may all be
perfect. Then every unit is taken for one item, and coverage is below its level nevertheless. A
class found in one unit only counts as one item.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from f1ci._labels import Codes
from f1ci.counts import Items
from f1ci.methods.averages import PartCounts, ellipse, extremes
from f1ci.methods.delta import item_covariance
from f1ci.methods.score import Kernel, Limits, Sample, moments
from f1ci.metrics import UNIT, Metric, Parts, Tversky
from f1ci.results import Array, FloatOrArray

__all__ = ["Units", "sample_of_groups", "sample_of_units"]

# Effective counts of a part that are less than one item say nothing of its score.
_LEAST_ITEMS = 1.0

# The largest number below 1: at 1 quantiles are infinite, or older SciPy has none.
_LARGEST_SHARE = 1.0 - 2.0**-53

# A unit with all but this share of a class has no influence on its score except by rounding.
_ROUNDING = 1e-12

# A variance this small next to the squared influence of one item is rounding.
_ROUNDING_OF_VARIANCE = 1e-24


class Units(NamedTuple):
    """TP, FP and FN of units by class, listed for the pairs of unit and class that have any.

    Attributes
    ----------
    unit, of_class : ndarray of int, shape (pairs,)
        Which unit and which class a pair is.
    counts : ndarray, shape (3, pairs)
        True positives, false positives and false negatives.
    units, classes : int
        How many units and classes there are.
    """

    unit: Codes
    of_class: Codes
    counts: Array
    units: int
    classes: int

    def by_class(self, values: NDArray[Any]) -> Array:
        """Sum over the units."""
        return np.bincount(self.of_class, values, self.classes).astype(np.float64)

    def by_unit(self, values: NDArray[Any]) -> Array:
        """Sum over the classes."""
        return np.bincount(self.unit, values, self.units).astype(np.float64)

    def totals(self) -> Array:
        """Return TP, FP and FN of each class, shape (3, classes)."""
        return np.stack([self.by_class(row) for row in self.counts])

    def pooled(self) -> Units:
        """Return the units with all classes taken as one."""
        counts = np.stack([self.by_unit(row) for row in self.counts])
        return Units(np.arange(self.units), np.zeros(self.units, np.intp), counts, self.units, 1)

    def only(self, class_: int) -> Units:
        """Return the units with one class."""
        chosen = self.of_class == class_
        unit, counts = self.unit[chosen], self.counts[:, chosen]
        return Units(unit, np.zeros(len(unit), np.intp), counts, self.units, 1)


def units_of_table(table: Array) -> Units:
    """Return the units of a table (units, 3) or (units, classes, 3)."""
    by_class = table if table.ndim == 3 else table[:, None]
    unit, of_class = np.nonzero(by_class.any(axis=-1))
    return Units(unit, of_class, by_class[unit, of_class].T.copy(), *by_class.shape[:2])


def units_of_items(items: Items, model: int = 0) -> Units:
    """Return the units of a model's items in groups, with a pair for each class of a unit."""
    assert items.groups is not None  # noqa: S101 - the callers see to it
    true, predicted, r = items.codes[0], items.codes[model + 1], len(items.classes)
    wrong = true != predicted
    # A wrong item is a false positive of one class and a false negative of another.
    groups = np.concatenate([items.groups, items.groups[wrong]])
    code = groups * r + np.concatenate([predicted, true[wrong]])
    pairs, place = np.unique(code, return_inverse=True)
    kind = np.concatenate([wrong.astype(np.intp), np.full(wrong.sum(), 2)])
    number = np.concatenate([items.counts, items.counts[wrong]])
    counts = np.bincount(kind * len(pairs) + place, number, 3 * len(pairs)).reshape(3, -1)
    return Units(pairs // r, pairs % r, counts.astype(np.float64), int(items.groups.max()) + 1, r)


class _Scores(NamedTuple):
    """The scores of the classes, and how the units move them."""

    counts: Array  # TP, FP and FN of all units; zeros for errors without weight
    estimate: Array
    influence: Array  # by pair
    inflated: Array  # by pair; large units pull the score less towards themselves
    share: Array  # by pair: of the relevant items of the class
    effect: Array  # by class: the design effect
    item: Array  # by class: how far half an item moves the score


def _scores(units: Units, a: float, b: float) -> _Scores:
    totals = units.totals() * np.array([[1.0], [a > 0.0], [b > 0.0]])
    (x, y, w), (tp, fp, fn) = totals, units.counts
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate, single = moments(x, y, w, a, b)
        whole, k = x + a * y + b * w, units.of_class
        influence = np.nan_to_num((tp - estimate[k] * (tp + a * fp + b * fn)) / whole[k])
        relevant = tp + (fp if a else 0.0) + (fn if b else 0.0)
        share = np.nan_to_num(relevant / units.by_class(relevant)[k])
        # A unit that holds a class alone cannot move its score: what is left is rounding.
        others = 1.0 - share
        inflated = np.where(others > _ROUNDING, influence / np.sqrt(np.abs(others)), 0.0)
        variance = units.by_class(inflated**2)
        unknown = ~(variance > _ROUNDING_OF_VARIANCE / whole**2) | ~(single > 0)
        # Where nothing is known of the dependence each unit is taken for one item.
        items_per_unit = totals.sum(axis=0) / units.by_class(share > 0)
        effect = np.nan_to_num(np.where(unknown, items_per_unit, variance / single**2), nan=1.0)
        return _Scores(totals, estimate, influence, inflated, share, effect, np.sqrt(0.5) / whole)


def _student(squares: Array, z: FloatOrArray) -> Array:
    """Return Student's quantile for the degrees of freedom that units leave.

    Takes the sum of the squared shares of the units.
    """
    with np.errstate(divide="ignore"):
        degrees = np.maximum(1.0 / squares - 1.0, 1.0)
    # No units hold anything: the limits are 0 and 1 whatever the quantile.
    degrees = np.where(np.isfinite(degrees), degrees, 1.0)
    return np.asarray(special.stdtrit(degrees, np.minimum(special.ndtr(z), _LARGEST_SHARE)))


class _Pooled(NamedTuple):
    """A pooled score of one model: of one class, of each class, or an average over classes."""

    estimate: Array
    error: Array
    influence: Array  # by unit
    inflated: Array  # by unit
    item: Array
    # z, the least effect and the least number of items that count -> limits at shares of z
    limits: Callable[[Kernel, FloatOrArray, float, float], Callable[[FloatOrArray], Limits]]


def _error(units: Units, square: Array, estimate: Array) -> Array:
    variance = square * (units.units / (units.units - 1))
    return np.asarray(np.sqrt(np.where(np.isnan(estimate), np.nan, variance)))


def _by_class(units: Units, index: Tversky, each: bool) -> _Pooled:
    """Return the score of each class by itself, or of the only class."""
    a, b = index.a, index.b
    scores, chosen = _scores(units, a, b), slice(None) if each else 0
    estimate, squares = scores.estimate[chosen], units.by_class(scores.share**2)[chosen]

    def limits(
        kernel: Kernel, z: FloatOrArray, least_effect: float, least_items: float
    ) -> Callable[[FloatOrArray], Limits]:
        scale = z / _student(squares, z)
        worth = scale * scale / np.maximum(scores.effect[chosen], least_effect)
        counts = scores.counts[:, chosen] * worth
        tp, fp, fn = counts * (counts.sum(axis=0) > least_items)
        return lambda size: kernel.limits(tp, fp, fn, a, b, z * size)

    error = _error(units, units.by_class(scores.influence**2)[chosen], estimate)
    influence, inflated = units.by_unit(scores.influence), units.by_unit(scores.inflated)
    return _Pooled(estimate, error, influence, inflated, scores.item[chosen], limits)


def _average(units: Units, parts: Parts) -> _Pooled:
    """Return the mean over the classes."""
    (index,) = parts.scores
    scores, r, k = _scores(units, index.a, index.b), units.classes, units.of_class
    # 1. The classes' weights. A class that is never true has no weight, defined or not.
    true = units.counts[0] + units.counts[2]
    totals = units.by_class(true)
    with np.errstate(invalid="ignore"):
        shares = totals / totals.sum()
    weight = shares if parts.weighted else np.full(r, 1.0 / r)
    # Shares may add up to a little more than 1.
    estimate = np.clip(weight @ np.where(weight == 0.0, 0.0, scores.estimate), 0.0, 1.0)
    # 2. What units add to the classes' shares, which are random too, times their scores.
    random = np.zeros(units.units)
    if parts.weighted:
        known = np.nan_to_num(scores.estimate)
        random = units.by_unit(true * known[k]) - units.by_unit(true) * (weight @ known)
        random /= totals.sum()
    influence, inflated = (
        units.by_unit(values * weight[k]) + random for values in (scores.influence, scores.inflated)
    )
    # 3. The units' shares in the whole: those in each class, by how much its variance matters.
    variance = units.by_class(scores.inflated**2)
    matters = weight**2 * variance
    matters = matters if matters.sum() > 0 else np.where(weight == 0.0, 0.0, 1.0)
    with np.errstate(invalid="ignore"):
        matters = matters / matters.sum()
    squares = (units.by_unit(scores.share * matters[k]) ** 2).sum()
    correlation, deviation = _correlation(units, scores, random, parts.weighted)
    spread = deviation[r:] if parts.weighted else None

    def limits(
        kernel: Kernel, z: FloatOrArray, least_effect: float, least_items: float
    ) -> Callable[[FloatOrArray], Limits]:
        # 4. Effective counts at Student's quantile.
        scale = z / _student(squares, z)
        counts = scores.counts * (scale * scale / np.maximum(scores.effect, least_effect))
        tp, fp, fn = counts * (counts.sum(axis=0) > max(least_items, _LEAST_ITEMS))
        numbers = PartCounts(
            counts=(tp, fp, fn),
            a=index.a,
            b=index.b,
            objective=lambda values: parts.objective(values, shares),
            correlation=lambda vector: vector @ correlation,
            spread=None if spread is None else spread / scale,
        )

        def at(size: FloatOrArray) -> Limits:
            low, high = extremes(numbers, z * size, kernel)
            low, high = np.minimum(low, estimate), np.maximum(high, estimate)
            return np.maximum(low, 0.0), np.minimum(high, 1.0)

        return at

    error = _error(units, (influence**2).sum(), estimate)
    with np.errstate(invalid="ignore"):
        item = np.sqrt((np.where(weight == 0.0, 0.0, weight * scores.item) ** 2).sum())
    return _Pooled(estimate, error, influence, inflated, item, limits)


def _correlation(
    units: Units, scores: _Scores, random: Array, weighted: bool
) -> tuple[Array, Array]:
    """Return the correlations of the classes' scores, and their standard deviations.

    Half an item more tells any two classes apart. With `weighted` what the shares add is one
    more part.
    """
    from scipy.sparse import coo_array  # slow to import

    shape = units.units, units.classes
    moved = coo_array((scores.inflated, (units.unit, units.of_class)), shape).tocsr()
    product, item = (moved.T @ moved).toarray(), scores.item
    if weighted:
        column = (moved.T @ random)[:, None]
        product = np.block([[product, column], [column.T, random @ random]])
        item = np.append(item, 0.0)
    deviation = np.sqrt(np.diagonal(product))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = deviation[:, None] * deviation + item[:, None] * item
        correlation = np.where(scale > 0.0, product / scale, 0.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation, deviation


def sample_of_units(
    tables: list[Units], metric: Metric, *, each: bool = False, shares: bool = False
) -> Sample:
    """Return the sample of a score pooled over units, or of B minus A for two models' units.

    Parameters
    ----------
    tables : list of Units
        Of one model, or of A and B.
    metric : Metric
        A Tversky score, or an average of one over classes.
    each : bool
        One score for each class, as an array.
    shares : bool
        The counts of a unit are shares of one item. They vary less than whole items do.
    """
    if each and len(tables) == 2:
        classes = [[units.only(k) for units in tables] for k in range(tables[0].classes)]
        return _stacked([sample_of_units(pair, metric, shares=shares) for pair in classes])
    if metric.parts is not None:
        models = [_average(units, metric.parts) for units in tables]
    else:
        assert metric.index is not None  # noqa: S101 - the callers see to it
        models = [_by_class(units, metric.index, each) for units in tables]
    a, *others = models

    def least(kernel: Kernel) -> float:
        return 1.0 if kernel.cautious and not shares else 0.0

    if not others:

        def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
            low, high = a.limits(kernel, z, least(kernel), 0.0)(1.0)
            # An undefined average: nothing is known.
            undefined = np.isnan(a.estimate) & (metric.parts is not None)
            return np.where(undefined, 0.0, low), np.where(undefined, 1.0, high)

        return Sample(metric, a.estimate, a.error, UNIT, limits)
    b, units = others[0], tables[0]
    estimate, influence = b.estimate - a.estimate, b.influence - a.influence
    # As if half an item more told the models apart, so that they are never copies.
    product = np.sqrt((a.inflated**2).sum() * (b.inflated**2).sum()) + a.item * b.item
    points = ellipse(np.clip(a.inflated @ b.inflated / product, -1.0, 1.0))

    def difference(kernel: Kernel, z: FloatOrArray) -> Limits:
        if np.isnan(estimate):
            return np.array(-1.0), np.array(1.0)
        at_a, at_b = (x.limits(kernel, z, least(kernel), _LEAST_ITEMS) for x in (a, b))
        low, high = points.extremes(at_a(np.abs(points.by_a)), at_b(np.abs(points.by_b)))
        return np.minimum(low, estimate), np.maximum(high, estimate)

    error = _error(units, (influence**2).sum(), estimate)
    return Sample(metric, estimate, error, (-1.0, 1.0), difference)


def _stacked(samples: list[Sample]) -> Sample:
    """Return one sample of several differences."""

    def limits(kernel: Kernel, z: FloatOrArray) -> Limits:
        ends = [sample.limits(kernel, z) for sample in samples if sample.limits is not None]
        low, high = np.transpose(ends)
        return low, high

    estimate, error = (
        np.array([getattr(s, name) for s in samples]) for name in ("estimate", "error")
    )
    return samples[0]._replace(estimate=estimate, error=error, limits=limits)


def sample_of_groups(metric: Metric, items: Items, *, each: bool = False) -> Sample:
    """Return the sample of items in groups, of one model or of B minus A.

    Metrics that are not made of one Tversky score by class have no limits but those of the delta
    method.
    """
    score, counted = metric.single(items)
    models = range(len(items.codes) - 1)
    if score.index is not None or (score.parts is not None and len(score.parts.scores) == 1):
        tables = [units_of_items(counted, model) for model in models]
        if score.index is not None and not each:
            tables = [units.only(1) for units in tables]
        sample = sample_of_units(tables, score, each=each)
        matrix = items.matrix() if len(models) == 1 else None
        return sample._replace(metric=metric, matrix=matrix, mark="+groups")
    values, influences = zip(*(metric.evaluate(items.matrix(m)) for m in models), strict=True)
    estimate, influence, (low, high) = values[0], influences[0], metric.range
    if len(models) == 2:
        estimate, influence = values[1] - values[0], influences[1] - influences[0]
        low, high = low - high, high - low
    variance = item_covariance(influence[None], items.groups, items.counts)[0, 0]
    error = np.sqrt(np.where(np.isnan(estimate), np.nan, variance))
    matrix = items.matrix() if len(models) == 1 else None
    return Sample(metric, estimate, error, (low, high), matrix=matrix, mark="+groups")
