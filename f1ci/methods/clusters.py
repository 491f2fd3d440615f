"""Scores over units whose items may depend on one another: effective counts.

A unit (a document, an image, a user) moves a score by the sum u_g of its items' influences. With x,
y and w the true positives, false positives and false negatives of all units, and
``F = x / (x + a y + b w)``, that is
``u_g = (x_g - F (x_g + a y_g + b w_g)) / (x + a y + b w)``. These sum to 0, and the delta method
(see `f1ci.methods.delta`) has the variance ``G / (G - 1) sum(u_g^2)`` for G units, whatever the
dependence inside them. It is right for hundreds of units of like size, and too small for ten.

**Few units, unlike sizes.** "score", "cautious" and "logit" make amends. With h_g the share of unit
g in what the score depends on:

1. The variance is the jackknife's, (G - 1) / G sum((u_g / (1 - h_g))^2): without unit g the score
   moves by u_g / (1 - h_g), exactly if it is a proportion. A large unit pulls the score towards
   itself, which this undoes. For units of one size the factor is the same G / (G - 1).
2. The quantile is Student's, with 1 / sum(h_g^2) - 1 degrees of freedom: G - 1 for units of one
   size, fewer if some are large.
3. For "score" and "cautious", the ratio of that variance to the one of independent items is the
   design effect (Kish 1965). The sample is taken for one of independent items with its counts times
   (z / Student's quantile)^2 / design effect, the effective counts. Then every metric has the
   limits that it has for independent items. They stay inside the range, and never have length
   zero. "cautious" never takes a design effect to be below 1; for a = b it is close to Korn &
   Graubard's interval (1998).
4. The design effect is that under the value of each limit. Weigh the units so that the score moves:
   the variance changes by sum(u_g^3) / sum(u_g^2)^2 of itself for each unit of the score, that of
   independent items likewise. The difference is what the limits for independent items lack. The
   effect is taken to rise only, and to be doubled at most: few units say little of their skewness.
   Differences of two models cover their level without this step.

For a Tversky score h_g is the share of the relevant items. For another metric it is the share of
the variance that the unit would have if all items of a true class were alike. Counts of TP, FP and
FN by unit and class make no confusion matrix: their averages have logit limits, with each unit left
out in turn for the variance and for the bias.

When this fails: with very dependent items and scores near 0 or 1 even twenty units may all be
perfect. Then every unit is taken for one item, and coverage is below its level nevertheless. It is
too low, too, if a class of an average is found in one unit only, or if there are twenty units and
the large ones are much harder.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from f1ci.counts import Items
from f1ci.methods.score import (
    Limits,
    LimitsAt,
    Sample,
    correlation,
    difference_limits,
    influences,
    limits_of_metric,
    moments,
    tversky_limits,
)
from f1ci.metrics import Metric, Tversky
from f1ci.results import Array, FloatOrArray

# A unit with all but this share has no influence on the score except by rounding.
_ROUNDING = 1e-12

# Influences this small next to the sums that they come from are rounding.
_DIGITS = 1e-14

# By how much a limit's own design effect may exceed that of the estimate.
_MOST = 2.0


class Moved(NamedTuple):
    """A score of one model, or several scores (...), and how units move it.

    Attributes
    ----------
    estimate, single : ndarray, shape (...)
        The score, and its standard error if items were independent.
    influence, left_out, share : ndarray, shape (units, ...)
        How far each unit moves the score, how far the score moves without it, and its share in
        what the score depends on.
    items, item : ndarray, shape (...)
        How many items the score depends on, and how far half an item moves it.
    bias : ndarray or float
        By how much the estimate is too high on average; for averages by class only.
    cubes : ndarray or float
        The sum of the cubes of the items' influences.
    effective : callable or None
        Takes what an item is worth; returns the limits of so many independent items.
    """

    estimate: Array
    single: Array
    influence: Array
    left_out: Array
    share: Array
    items: Array
    item: Array
    bias: FloatOrArray = 0.0
    cubes: FloatOrArray = 0.0
    effective: Callable[[Array], LimitsAt] | None = None

    def at(self, z: FloatOrArray, least_effect: float, of_two: bool) -> LimitsAt:
        """Return the limits of the sample of independent items that says as much at z."""
        variance = (self.left_out**2).sum(axis=0)
        # Where nothing is known of the dependence each unit is taken for one item.
        known = (variance > 0.0) & (self.single > 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            per_unit = self.items / (self.share > 0.0).sum(axis=0)
            effect = np.where(known, variance / self.single**2, np.nan_to_num(per_unit, nan=1.0))
            worth = (z / student(self.share, z)) ** 2 / np.maximum(effect, least_effect)
            squares, cubes = ((self.influence**power).sum(axis=0) for power in (2, 3))
            lean = z * np.sqrt(variance) * (cubes / squares**2 - self.cubes / self.single**4)
            lean = np.where(known, lean, 0.0)
        assert self.effective is not None  # noqa: S101 - else there are no score limits
        if of_two:
            # Less than one item says nothing of a difference.
            return self.effective(np.where(worth * self.items > 1.0, worth, 0.0))
        low, high = (self.effective(worth / np.clip(1 + s * lean, 1, _MOST)) for s in (-1, 1))
        return lambda z, cautious: (low(z, cautious)[0], high(z, cautious)[1])


def without(influence: Array, share: Array) -> Array:
    """Return how far a score moves without each unit, scaled so that squares add up to V."""
    others = 1.0 - share
    # A unit that holds everything cannot move its score: what is left is rounding.
    moved = np.where(others > _ROUNDING, influence / np.maximum(others, _ROUNDING), 0.0)
    return np.asarray(moved * np.sqrt(1.0 - 1.0 / np.maximum((share > 0.0).sum(axis=0), 1)))


def student(share: Array, z: FloatOrArray) -> Array:
    """Return Student's quantile for the degrees of freedom that units with these shares leave."""
    # If no unit holds anything the limits are 0 and 1 whatever the quantile.
    degrees = np.maximum(1.0 / np.maximum((share**2).sum(axis=0), 1e-9) - 1.0, 1.0)
    return np.asarray(special.stdtrit(degrees, special.ndtr(z)))


def moved_by_table(table: Array, index: Tversky) -> Moved:
    """Return how units move a Tversky score, from counts (units, 3) or (units, classes, 3)."""
    a, b = index.a, index.b
    tp, fp, fn = np.moveaxis(table * [1.0, a > 0.0, b > 0.0], -1, 0)
    totals = tp.sum(axis=0), fp.sum(axis=0), fn.sum(axis=0)
    estimate, single = moments(*totals, a, b)
    relevant, whole = tp + fp + fn, tp + a * fp + b * fn
    items, all_whole = relevant.sum(axis=0), whole.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        influence = tp - estimate * whole
        influence = np.where(np.abs(influence) <= _DIGITS * (tp + whole), 0.0, influence)
        influence, share = (np.nan_to_num(x) for x in (influence / all_whole, relevant / items))
        item = np.sqrt(0.5) / all_whole
        cubes = totals[0] * (1.0 - estimate) ** 3
        cubes -= (a**3 * totals[1] + b**3 * totals[2]) * estimate**3
        cubes /= all_whole**3

    def effective(worth: Array) -> LimitsAt:
        counts = totals[0] * worth, totals[1] * worth, totals[2] * worth
        return partial(tversky_limits, *counts, a, b)

    left_out = without(influence, share)
    return Moved(estimate, single, influence, left_out, share, items, item, 0.0, cubes, effective)


def moved_by_classes(table: Array, index: Tversky, weighted: bool) -> Moved:
    """Return how units move the mean over classes of a score, from counts (units, classes, 3)."""
    each, totals = moved_by_table(table, index), table.sum(axis=0)

    def averaged(counts: Array) -> tuple[Array, Array]:
        """Return the mean and the weights of the classes, from their counts (..., classes, 3)."""
        tp, fp, fn = np.moveaxis(counts, -1, 0)
        value = moments(tp, fp, fn, index.a, index.b)[0]
        weight = tp + fn if weighted else np.ones_like(tp)
        weight = weight / weight.sum(axis=-1, keepdims=True)
        # Without its only unit a class stays as it is.
        value = np.where(np.isnan(value), each.estimate, value)
        # A class that is never true has no weight, defined or not. Weights may add up to 1 + 1e-16.
        mean = (weight * np.where(weight == 0.0, 0.0, value)).sum(axis=-1)
        return np.clip(mean, 0.0, 1.0), weight

    with np.errstate(invalid="ignore"):
        (estimate, weight), (others, _) = averaged(totals), averaged(totals - table)
    known = np.where(weight == 0.0, 0.0, each.estimate)
    influence = each.influence @ weight
    if weighted:  # the shares of the classes are random, too
        true = table[..., 0] + table[..., 2]
        influence = influence + true @ (known - weight @ known) / true.sum()
    # A unit's share is that in the classes, which count by how much their variance matters.
    matters = np.nan_to_num(np.where(weight == 0.0, 0.0, weight * each.single) ** 2)
    matters = matters if matters.any() else np.where(weight == 0.0, 0.0, 1.0)
    share, error = each.share @ (matters / matters.sum()), np.sqrt(matters.sum())
    last = len(table) - 1
    left_out = (estimate - others) * np.sqrt(last / len(table))
    bias, items = last * (others.mean() - estimate), each.items.sum()
    return Moved(estimate, error, influence, left_out, share, items, error, bias)


def moved_by_items(metric: Metric, items: Items, model: int) -> Moved:
    """Return how groups of items move any metric."""
    assert items.groups is not None  # noqa: S101 - the callers see to it
    groups, counts, true = items.groups, items.counts, items.codes[0]
    (estimate, influence), n = influences(metric, items, model), counts.sum()
    sums, sizes = (np.bincount(groups, counts * x) for x in (influence, np.abs(influence)))
    square = counts * influence**2
    # What an item of each true class adds to the variance.
    by_class = np.bincount(true, square) / np.maximum(np.bincount(true, counts), 1.0)
    matters = counts * (by_class[true] if by_class.any() else 1.0)
    share = np.bincount(groups, matters) / matters.sum()
    sums = np.where(np.abs(sums) <= _DIGITS * sizes, 0.0, sums) / n
    error, item = np.sqrt(square.sum()) / n, np.sqrt(0.5) * np.ptp(influence) / n

    def effective(worth: Array) -> LimitsAt:
        some = items._replace(counts=counts * worth).matrix(model)
        return partial(limits_of_metric, metric, some, False)

    left_out, cubes = without(sums, share), np.array((counts * influence**3).sum() / n**3)
    return Moved(estimate, error, sums, left_out, share, n, item, 0.0, cubes, effective)


def sample_of_units(metric: Metric, models: list[Moved], whole_items: bool = True) -> Sample:
    """Return the sample of a score over units, or of B minus A for two models.

    Without `whole_items` the counts of a unit are shares of one item, which vary less.
    """
    a, b = models[0], models[-1]
    two, (low, high) = len(models) == 2, metric.range
    of_a, of_b = ((x.estimate, x.influence, x.left_out, x.bias) for x in (a, b))
    estimate, influence, left_out, bias = (
        np.asarray(y - x if two else x) for x, y in zip(of_a, of_b, strict=True)
    )
    units = len(influence)
    error = np.sqrt((influence**2).sum(axis=0) * (units / max(units - 1, 1)))
    error = np.where(np.isnan(estimate), np.nan, error)

    def error_at(z: FloatOrArray) -> Array:
        share = 0.5 * (a.share + b.share)
        return np.asarray(np.sqrt((left_out**2).sum(axis=0)) * (student(share, z) / z))

    shared = correlation(a.left_out, b.left_out, a.item * b.item) if two else np.zeros(())

    def limits(z: FloatOrArray, cautious: bool) -> Limits:
        least = float(cautious and whole_items)
        of = [model.at(z, least, two) for model in models]
        ends = difference_limits(of[0], of[1], shared, z, cautious) if two else of[0](z, cautious)
        return np.fmin(ends[0], estimate), np.fmax(ends[1], estimate)

    span = (low - high, high - low) if two else (low, high)
    at = limits if metric.smooth and a.effective is not None else None
    return Sample(metric, estimate, error, span, at, error_at=error_at, bias=bias)


def sample_of_groups(metric: Metric, items: Items) -> Sample:
    """Return the sample of items in groups, of one model or of B minus A."""
    (score, counted), models = metric.single(items), range(len(items.codes) - 1)
    if score.index is None:
        moved = [moved_by_items(score, counted, model) for model in models]
    else:
        moved = [moved_by_table(counted.by_group(m)[:, 1], score.index) for m in models]
    sample = sample_of_units(metric, moved)._replace(mark="+groups")
    return sample._replace(matrix=items.matrix()) if len(models) == 1 else sample
