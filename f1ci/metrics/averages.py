"""Averages over classes, and what a class without a score counts in them.

These are the averages of Takahashi et al. (2022), equations 1 to 3, of any binary metric, each
class against the rest.

A class may have no score: F1 of a class that is never true and never predicted is 0 / 0. The rule
for such a class belongs to the average. By default ("skip") the class is left out. With
``undefined=0.0`` or ``1.0`` it counts as that number. scikit-learn's ``zero_division`` says the
same. Limits treat the classes without a score as such whatever the probabilities: `settled` returns
the average in which they are named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from f1ci.data import Items, Matrix
from f1ci.metrics.base import (
    UNIT,
    ClassMetric,
    ExpectationMetric,
    Metric,
    Numbers,
    ShareRight,
    Slopes,
    Tversky,
    counts_of_class,
    expectations,
    precision,
    recall,
)
from f1ci.results import Array

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
    constant : float
        What a class without a score counts: 0 or 1, or nan if it is left out.
    absent : tuple of int or None
        The classes that have no score. None if the matrix tells.
    """

    name: str
    of: ExpectationMetric
    average: str
    range: tuple[float, float]
    smooth: bool = True
    chosen: tuple[int, ...] = ()
    constant: float = SKIP
    absent: tuple[int, ...] | None = None

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

    def counts(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        return counts_of_class(matrix, self._only_class or 0)

    def single(self, items: Items) -> Items:
        return items if self._only_class is None else items.one_class(self._only_class)

    def undefined(self, matrix: Matrix) -> NDArray[np.bool_] | None:
        """Tell which of all classes are averaged but have no score."""
        if self.average == "micro":
            return None
        with np.errstate(all="ignore"):
            missing = np.isnan(self.of.at(*expectations(matrix)))
        asked = np.zeros(len(missing), dtype=bool)
        asked[list(self.chosen) or slice(None)] = True
        if self.average == "weighted":  # a class that is never true has no weight
            missing = missing & ((matrix.true > 0.0) | (matrix.true[asked].sum(axis=0) == 0.0))
        return np.asarray(missing & asked.reshape(-1, *(1,) * (missing.ndim - 1)))

    def settled(self, undefined: NDArray[np.bool_]) -> Metric:
        """Return the average in which these classes have no score."""
        absent = tuple(np.flatnonzero(undefined).tolist())
        chosen = self.chosen or tuple(range(len(undefined)))
        if len(absent) == len(chosen):
            return self
        return replace(self, absent=absent, chosen=chosen if absent else self.chosen)

    def _chosen(self, *means: Numbers) -> list[Numbers]:
        """Return the means of the chosen classes, or the sums of all of them for "micro"."""
        kept = [x[list(self.chosen)] if self.chosen else x for x in means]
        if self.average == "micro":
            return [x.sum(axis=0, keepdims=True) for x in kept]
        return kept

    def _scores_and_weights(self, means: list[Numbers]) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return scores and weights of the chosen classes, and which of them have no score."""
        scores = self.of.at(*means)
        if self.absent is None:
            missing = np.isnan(scores)
        else:
            places = np.array(self.chosen or range(len(scores)))
            missing = np.isin(places, self.absent)
            missing = missing.reshape(-1, *(1,) * (scores.ndim - 1)) & np.ones_like(scores, bool)
        weights = np.ones_like(scores)
        if self.average == "weighted":
            weights = np.where(means[2].sum(axis=0) > 0.0, means[2], 1.0)
        if self.average != "micro":
            if np.isnan(self.constant):
                weights = np.where(missing, 0.0, weights)
            scores = np.where(missing, 0.0 if np.isnan(self.constant) else self.constant, scores)
        # A class without weight does not count, defined or not.
        return np.where(weights == 0.0, 0.0, scores), weights, missing

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        scores, weights, _ = self._scores_and_weights(self._chosen(eza, ea, ez))
        return (weights * scores).sum(axis=0) / weights.sum(axis=0)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        means = self._chosen(eza, ea, ez)
        scores, weights, missing = self._scores_and_weights(means)
        total = weights.sum(axis=0)
        slopes = weights * np.array(np.broadcast_arrays(*self.of.partials(*means)))
        slopes = np.where(missing | (weights == 0.0), 0.0, slopes)
        if self.average == "weighted":
            mean = (weights * scores).sum(axis=0) / total
            slopes[2] += np.where(weights == 0.0, 0.0, scores) - mean
        every = np.zeros((3, *np.shape(eza)))
        every[:, list(self.chosen) or slice(None)] = slopes
        by_right, by_predicted, by_true = every / total
        return by_right, by_predicted, by_true

    def share_absent(self, matrix: Matrix) -> Array:
        """Return the weight of the classes that have no score."""
        means = self._chosen(*expectations(matrix))
        _, weights, missing = self._scores_and_weights(means)
        return np.asarray((weights * missing).sum(axis=0) / weights.sum(axis=0))


class Micro(ShareRight, Mean):
    """The micro average of an F score over all classes: the share of items that are right."""

    def undefined(self, matrix: Matrix) -> None:
        """Return None: the share of right items is always defined."""


def mean_of(average: str, of: Metric, chosen: tuple[int, ...] = ()) -> Mean:
    """Return an average of a binary metric over all classes, or over those at some places."""
    if not isinstance(of, ExpectationMetric):
        raise ValueError(f"only a binary metric can be averaged, got {of.name!r}")
    name = f"{average}_{of.name}"
    if is_share_right(average, of) and not chosen:
        return Micro(name, of, average, of.range, of.smooth)
    return Mean(name, of, average, of.range, of.smooth, chosen)


def is_share_right(average: str, of: Metric) -> bool:
    """Tell if an average over all classes is the share of right items."""
    f_score = isinstance(of, Tversky) and round(of.a + of.b, 12) == 1.0
    return (average == "micro" and f_score) or (average == "weighted" and of == recall)


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
    of_precision: Mean = mean_of("macro", precision)
    of_recall: Mean = mean_of("macro", recall)

    def undefined(self, matrix: Matrix) -> NDArray[np.bool_] | None:
        """Tell which classes have no precision, and then which have no recall."""
        return np.concatenate(
            [self.of_precision.undefined(matrix), self.of_recall.undefined(matrix)]
        )

    def settled(self, undefined: NDArray[np.bool_]) -> MacroStar:
        """Return the average in which these classes have no precision, or no recall."""
        of_precision, of_recall = np.split(undefined, 2)
        return replace(
            self,
            of_precision=self.of_precision.settled(of_precision),
            of_recall=self.of_recall.settled(of_recall),
        )

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        p = self.of_precision.of_classes(eza, ea, ez)
        q = self.of_recall.of_classes(eza, ea, ez)
        return p * q / self._divisor(p, q)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        p = self.of_precision.of_classes(eza, ea, ez)
        q = self.of_recall.of_classes(eza, ea, ez)
        divisor = self._divisor(p, q)
        by_p = self.a * (q / divisor) ** 2
        by_q = self.b * (p / divisor) ** 2
        slopes_p = np.array(self.of_precision.slopes_of_classes(eza, ea, ez))
        slopes_q = np.array(self.of_recall.slopes_of_classes(eza, ea, ez))
        by_right, by_predicted, by_true = by_p * slopes_p + by_q * slopes_q
        return by_right, by_predicted, by_true

    def _divisor(self, p: Array, q: Array) -> Array:
        """Return a q + b p, or 1 where it is 0.

        Where no item is right all three are 0. The metric is 0 then, and so is its gradient on
        every cell that is not empty. Any other divisor makes them 0.
        """
        divisor = self.a * q + self.b * p
        return np.where(divisor == 0.0, 1.0, divisor)

    def share_absent(self, matrix: Matrix) -> Array:
        """Return the larger one of the two weights of classes without a score."""
        return np.maximum(
            self.of_precision.share_absent(matrix), self.of_recall.share_absent(matrix)
        )


def with_rule(metric: Metric, asked: tuple[int, ...], constant: float) -> Metric:
    """Return an average over the classes that are asked for, with its rule for undefined ones."""
    if isinstance(metric, MacroStar):
        means = [replace(m, chosen=asked, constant=constant) for m in _means_of(metric)]
        return replace(metric, of_precision=means[0], of_recall=means[1])
    if not isinstance(metric, Mean):
        return metric
    if asked and isinstance(metric, Micro):
        metric = Mean(metric.name, metric.of, metric.average, metric.range, metric.smooth)
    return replace(metric, chosen=asked, constant=constant)


def _means_of(metric: MacroStar) -> tuple[Mean, Mean]:
    return metric.of_precision, metric.of_recall
