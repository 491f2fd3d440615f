"""Averages over classes, and what a class without a score counts in them.

These are the averages of Takahashi et al. (2022), equations 1 to 3, of any binary metric, each
class against the rest.

A class may have no score: F1 of a class that is never true and never predicted is 0 / 0. The rule
for such a class belongs to the average. By default ("skip") the class is left out. With
``undefined=0`` or ``1`` it counts as that number, as scikit-learn's ``zero_division`` says. With
``undefined=nan`` the average is undefined, as in Takahashi et al. (2022).

Limits treat the classes without a score as such whatever the probabilities: `settled` returns the
average in which they are named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts
from f1ci.metrics.base import (
    FEW,
    UNIT,
    ClassMetric,
    ExpectationMetric,
    Metric,
    Numbers,
    ShareRight,
    Tversky,
    counts_of_class,
    expectations,
    precision,
    recall,
)
from f1ci.types import Array

# What a class without a score counts if it is left out.
SKIP = np.nan


@dataclass(frozen=True, repr=False)
class Mean(ClassMetric):
    """The average of a binary metric over classes, each against the rest.

    The average is "macro", "weighted" by the true items, or "micro", the score of the counts of
    all classes together. Of the classes at the places `chosen`, errors count where they are errors,
    as scikit-learn has it for ``labels=``: an item of another class that is predicted as one of
    these is a false positive, and an item that is predicted as another class a false negative.
    "samples", the mean over multilabel items, is of `f1ci.data.UnitCounts` only.

    Attributes
    ----------
    of : ExpectationMetric
        The metric of each class.
    average : str
        How classes are averaged.
    chosen : tuple of int
        The classes that are averaged, if not all are.
    undefined_as : float or None
        What a class without a score counts: 0 or 1, or None if it is left out.
    strict : bool
        The average is undefined if a class has no score.
    absent : tuple of int or None
        The classes that have no score. None if the matrix tells.
    """

    name: str
    of: ExpectationMetric
    average: str
    range: tuple[float, float]
    smooth: bool = True
    chosen: tuple[int, ...] = ()
    undefined_as: float | None = None
    strict: bool = False
    absent: tuple[int, ...] | None = None

    @property
    def of_class(self) -> Metric:
        """The metric of each class."""
        return self.of

    @property
    def over_items(self) -> bool:  # type: ignore[override]
        """True for the mean over items that may be of several classes."""
        return self.average == "samples"

    @property
    def averages(self) -> bool:  # type: ignore[override]
        """True, except for the mean over items."""
        return not self.over_items

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        """True if classes are weighed by their true items."""
        return self.average == "weighted"

    @property
    def constant(self) -> float:
        """What a class without a score counts: 0 or 1, or nan if it is left out."""
        return SKIP if self.undefined_as is None else self.undefined_as

    @cached_property
    def index(self) -> Tversky | None:  # type: ignore[override]
        only = self._only_class
        return None if only is None or not isinstance(self.of, Tversky) else self.of

    @cached_property
    def _only_class(self) -> int | None:
        """The place of the class, if all others that are chosen are left out."""
        if not self.chosen or not np.isnan(self.constant):
            return None
        kept = [place for place in self.chosen if place not in (self.absent or ())]
        return kept[0] if len(kept) == 1 else None

    def counts(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        return counts_of_class(matrix, self._only_class or 0)

    def single(self, items: Items) -> Items:
        return items if self._only_class is None else items.one_class(self._only_class)

    def undefined(self, matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell which of all classes are averaged but have no score."""
        if self.average == "micro" or self.strict:
            return None
        with np.errstate(all="ignore"):
            missing = np.isnan(self.of.at(*expectations(matrix)))
        asked = np.zeros(len(missing), dtype=bool)
        asked[list(self.chosen) or slice(None)] = True
        if self.weighted:  # a class that is never true has no weight
            missing = missing & ((matrix.true > 0.0) | (matrix.true[asked].sum(axis=0) == 0.0))
        return np.asarray(missing & asked.reshape(-1, *(1,) * (missing.ndim - 1)))

    def settled(self, undefined: NDArray[np.bool_], /) -> Mean:
        """Return the average in which these classes have no score."""
        absent = tuple(np.flatnonzero(undefined).tolist())
        if not absent:
            return replace(self, absent=())
        chosen = self.chosen or tuple(range(len(undefined)))
        return self if len(absent) == len(chosen) else replace(self, absent=absent, chosen=chosen)

    def _chosen(self, *means: Numbers) -> list[Numbers]:
        """Return the means of the chosen classes, or the sums of all of them for "micro"."""
        kept = [x[list(self.chosen)] if self.chosen else x for x in means]
        if self.average == "micro":
            return [x.sum(axis=0, keepdims=True) for x in kept]
        return kept

    def _weighed(
        self, scores: Array, means: list[Numbers]
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return scores and weights of the chosen classes, and which of them do not move.

        A class that has no score does not move, nor has one without weight any influence.
        """
        weights = np.ones_like(scores)
        if self.weighted:
            weights = np.where(means[2].sum(axis=0) > 0.0, means[2], 1.0)
        if self.absent == () or self.strict:
            return scores, weights, np.zeros((1,) * scores.ndim, dtype=bool)
        missing = self._missing(scores)
        if np.isnan(self.constant):
            weights = np.where(missing, 0.0, weights)
        fill = 0.0 if np.isnan(self.constant) else self.constant
        return np.where(missing, fill, scores), weights, missing

    def _missing(self, scores: Array) -> NDArray[np.bool_]:
        """Tell which of the chosen classes have no score; (classes, ...) or alike for a batch."""
        if self.average == "micro":
            return np.zeros(1, dtype=bool).reshape(-1, *(1,) * (scores.ndim - 1))
        if self.absent is None:
            return np.isnan(scores)
        places = self.chosen or range(len(scores))
        missing = np.array([place in self.absent for place in places])
        return missing.reshape(-1, *(1,) * (scores.ndim - 1))

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        means = self._chosen(eza, ea, ez)
        scores, weights, _ = self._weighed(self.of.at(*means), means)
        return _weighted_mean(scores, weights)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Array, Array]:
        means = self._chosen(eza, ea, ez)
        of_classes, partials = self.of.with_slopes(*means)
        scores, weights, missing = self._weighed(of_classes, means)
        mean = _weighted_mean(scores, weights)
        slopes = weights * np.array(np.broadcast_arrays(*partials))
        slopes = np.where(missing | (weights == 0.0), 0.0, slopes)
        if self.weighted:
            slopes[2] += np.where(missing, 0.0, np.nan_to_num(scores) - mean)
        slopes /= weights.sum(axis=0)
        if not self.chosen and self.average != "micro":
            return mean, slopes
        every = np.zeros((3, *np.shape(eza)))
        every[:, list(self.chosen) or slice(None)] = slopes
        return mean, every

    def perfect(self, matrix: CellCounts) -> Array:
        """Return the value if all items were right: the end of the range of Tversky scores."""
        best = self.range[1]
        is_reached = self.absent == () or self.undefined_as in (None, best)
        if isinstance(self.of, Tversky) and is_reached:
            return np.full(matrix.total.shape, best)
        return super().perfect(matrix)

    def over(self, classes: int, /) -> tuple[int, ...] | None:
        """Return the places of the classes that the settled average is over."""
        if self.average == "samples":
            return None
        absent = self.left_out()
        return tuple(k for k in self.chosen or range(classes) if k not in absent)

    def left_out(self) -> tuple[int, ...]:
        """Return the classes without a score, unless they count as a constant."""
        return self.absent or () if np.isnan(self.constant) else ()

    def over_some(self, places: tuple[int, ...], /) -> Mean:
        """Return the average over the classes at some places."""
        return replace(self, chosen=places)

    def counting(self, constant: float, /) -> Mean:
        """Return the average in which a class without a score counts so; nan leaves it out."""
        # nan is not equal to itself, and would make equal metrics differ.
        return replace(self, undefined_as=None if np.isnan(constant) else constant)

    def with_few_items(self, matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell in which of all classes few items matter to a Tversky score that is averaged."""
        if self.average == "micro" or not isinstance(self.of, Tversky):
            return None
        few = self.of.items_that_matter(matrix) < FEW
        if self.weighted:
            few &= matrix.true > 0.0
        averaged = np.zeros(len(few), dtype=bool)
        averaged[list(self.chosen) or slice(None)] = True
        averaged[list(self.absent or ())] = False
        few[~averaged] = False
        return np.asarray(few)


class Micro(ShareRight, Mean):
    """The micro average of an F score over all classes: the share of items that are right."""

    def undefined(self, matrix: CellCounts, /) -> None:
        """Return None: the share of right items is always defined."""

    def over_some(self, places: tuple[int, ...], /) -> Mean:
        """Return the micro average over some classes, which is no share of all items."""
        return Mean(self.name, self.of, self.average, self.range, self.smooth, places)


def _weighted_mean(scores: Array, weights: Array) -> Array:
    """Return the mean; a class without weight does not count, defined or not."""
    parts = np.where(weights == 0.0, 0.0, weights * scores)
    return np.asarray(parts.sum(axis=0) / weights.sum(axis=0))


def mean_of(average: str, of: Metric, chosen: tuple[int, ...] = ()) -> Mean:
    """Return an average of a binary metric over all classes, or over those at some places."""
    if not isinstance(of, ExpectationMetric):
        raise ValueError(f"only a binary metric can be averaged, got {of.name!r}")
    name = f"{average}_{of.name}"
    if is_share_right(average, of) and not chosen:
        return Micro(name, of, average, of.range, of.smooth)
    return Mean(name, of, average, of.range, of.smooth, chosen)


def with_undefined(metric: Mean, undefined: str | float) -> Mean:
    """Return the average with a rule for classes without a score: "skip", nan, 0 or 1."""
    if isinstance(undefined, str):
        checks.choice("undefined", undefined, ("skip",))
        return metric
    if undefined not in (0, 1) and undefined == undefined:
        raise ValueError(f"undefined must be 'skip', nan, 0 or 1, got {checks.short(undefined)}")
    if np.isnan(undefined):
        return replace(metric, strict=True)
    return replace(metric, undefined_as=float(undefined))


def is_share_right(average: str, of: Metric) -> bool:
    """Tell if an average over all classes is the share of right items."""
    f_score = isinstance(of, Tversky) and round(of.a + of.b, 12) == 1.0
    return (average == "micro" and f_score) or (average == "weighted" and of == recall)


MEAN_PRECISION = mean_of("macro", precision)
MEAN_RECALL = mean_of("macro", recall)


@dataclass(frozen=True, repr=False)
class MacroStar(ClassMetric):
    """F-beta of mean precision and mean recall.

    Attributes
    ----------
    a, b : float
        The weights of false positives and false negatives in F-beta.
    of_precision, of_recall : Mean
        The two means, each with its own rule for classes without a score.
    """

    name: str
    a: float
    b: float
    range: tuple[float, float] = UNIT
    of_precision: Mean = MEAN_PRECISION
    of_recall: Mean = MEAN_RECALL
    averages = True

    def undefined(self, matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell which classes have no precision, and then which have no recall."""
        of_precision = self.of_precision.undefined(matrix)
        of_recall = self.of_recall.undefined(matrix)
        if of_precision is None or of_recall is None:
            return None
        return np.concatenate([of_precision, of_recall])

    def settled(self, undefined: NDArray[np.bool_], /) -> MacroStar:
        """Return the average in which these classes have no precision, or no recall."""
        of_precision, of_recall = np.split(undefined, 2)
        return self._of_means(
            self.of_precision.settled(of_precision), self.of_recall.settled(of_recall)
        )

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        p = self.of_precision.of_classes(eza, ea, ez)
        q = self.of_recall.of_classes(eza, ea, ez)
        return p * q / self._divisor(p, q)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Array, Array]:
        p, slopes_p = self.of_precision.slopes_of_classes(eza, ea, ez)
        q, slopes_q = self.of_recall.slopes_of_classes(eza, ea, ez)
        divisor = self._divisor(p, q)
        by_p = self.a * (q / divisor) ** 2
        by_q = self.b * (p / divisor) ** 2
        return p * q / divisor, by_p * slopes_p + by_q * slopes_q

    def _divisor(self, p: Array, q: Array) -> Array:
        """Return a q + b p, or 1 where it is 0.

        Where no item is right all three are 0. The metric is 0 then, and so is its gradient on
        every cell that is not empty. Any other divisor makes them 0.
        """
        divisor = self.a * q + self.b * p
        return np.where(divisor == 0.0, 1.0, divisor)

    def over(self, classes: int, /) -> tuple[int, ...] | None:
        """Return the places of the classes that have a precision or a recall that counts."""
        of_precision = self.of_precision.over(classes) or ()
        of_recall = self.of_recall.over(classes) or ()
        return tuple(sorted({*of_precision, *of_recall}))

    def left_out(self) -> tuple[int, ...]:
        """Return the classes without a precision, then those without a recall."""
        return self.of_precision.left_out() + self.of_recall.left_out()

    @property
    def constant(self) -> float:
        """What a class without a precision, or a recall, counts."""
        return self.of_precision.constant

    def over_some(self, places: tuple[int, ...], /) -> MacroStar:
        """Return the average over the classes at some places."""
        return self._of_means(self.of_precision.over_some(places), self.of_recall.over_some(places))

    def counting(self, constant: float, /) -> MacroStar:
        """Return the average in which a class without a precision, or a recall, counts so."""
        return self._of_means(
            self.of_precision.counting(constant), self.of_recall.counting(constant)
        )

    def _of_means(self, of_precision: Mean, of_recall: Mean) -> MacroStar:
        return replace(self, of_precision=of_precision, of_recall=of_recall)

    def with_few_items(self, matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell in which classes few items matter to the precision or to the recall."""
        of_precision = self.of_precision.with_few_items(matrix)
        of_recall = self.of_recall.with_few_items(matrix)
        if of_precision is None or of_recall is None:
            return None
        return np.asarray(of_precision | of_recall)


def settled(metric: Metric, matrix: CellCounts) -> list[tuple[NDArray[np.intp], Metric]]:
    """Return the places of a flat batch by what is undefined there, with the settled metric."""
    every = np.arange(matrix.total.size)
    undefined = metric.undefined(matrix)
    if undefined is None:
        return [(every, metric)]
    by_table = undefined.reshape(len(undefined), -1)
    if (by_table == by_table[:, :1]).all():
        return [(every, metric.settled(by_table[:, 0]))]
    patterns, which = np.unique(by_table, axis=1, return_inverse=True)
    which = which.ravel()
    return [
        (np.flatnonzero(which == k), metric.settled(pattern))
        for k, pattern in enumerate(patterns.T)
    ]
