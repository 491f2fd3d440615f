r"""Several runs of one recipe on one test set: five seeds, one number.

The question is about new items *and* new runs of the same recipe. Items and runs are crossed: every
run predicts every item (Owen 2007, Annals of Applied Statistics 1, 386-411). Let theta_s be the
score of run s of S, and e_si the influence of item i of N on it. The variance of the mean score is

    Var_i(mean_s e_si) / N + Var_s(theta_s) / S - Var(r_si) / (N S),

with the residuals ``r_si = e_si - mean_s e_si``, and divisors N - 1, S - 1 and (N - 1)(S - 1). The
first two terms both hold the noise of the residuals, so the third takes it away once. What the runs
add to the variance of the items is at least 0. The limits are symmetric on the logit scale of the
metric's range. With V_i, V_s and V_r for the three terms, the square of the half length is

    V_i t_i^2 + (V_s t_s^2 - V_r z^2)+,

where t_i and t_s are Student's quantiles of N - 1 and S - 1 degrees of freedom, and z is that of
the noise, which is known as well as the items are. Each term has its own quantile as in the
modified large-sample intervals of Graybill and Wang (1980, JASA 75, 869-873). Two recipes share the
items, but not the runs.

When it fails: two or three runs tell little of a seed's variance, so their intervals are long. If
one seed in ten fails altogether, the intervals of three or five runs cover about 43 % instead of
95 %, and those of ten runs 65 %: so many runs are needed that several of them failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from f1ci.covariance import moves_of_rows
from f1ci.data.items import Items
from f1ci.data.units import UnitCounts
from f1ci.methods import default, delta, linear
from f1ci.methods.closed_form import Limits
from f1ci.metrics import Metric
from f1ci.samples import Sample, UnitSample, difference, sample
from f1ci.types import Array, FloatOrArray


class Recipe(NamedTuple):
    """The runs of one recipe.

    Attributes
    ----------
    samples : list of Sample
        The sample of each run.
    moves : ndarray, shape (runs, rows)
        How far a unit, an item or a group, moves each run's score.
    number : ndarray, shape (rows,)
        The number of such units; 0 for a unit without items.
    strata : ndarray of int, shape (rows,), or None
        The stratum of each row.
    """

    samples: list[Sample]
    moves: Array
    number: Array
    strata: NDArray[np.intp] | None

    @property
    def scores(self) -> Array:
        """The score of each run."""
        return np.array([float(one.counted) for one in self.samples])

    def end(self, side: int) -> Recipe:
        """Return the runs in which classes without a score have the least (0) or largest (1)."""
        return self._replace(samples=[_end(one, side) for one in self.samples])

    def variance(self, moves: Array) -> float:
        """Return the variances of sums of moves (runs, rows), added up over the runs."""
        return float(np.trace(linear.covariance_of(moves, self.number, strata=self.strata)))


def _end(one: Sample, side: int) -> Sample:
    return one if one.ends is None else one.ends[side]


def recipe(metric: Metric, data: Items | UnitCounts, runs: list[int]) -> Recipe:
    """Return the runs of one recipe, which are models of the data."""
    samples = [sample(metric, data.of_models(run)) for run in runs]
    if isinstance(data, Items) and data.groups is None:
        moves = np.array([moves_of_rows(metric, data, run) for run in runs])
        return Recipe(samples, moves, data.counts, data.drawn_strata)
    of_units = [one.moves for one in samples if isinstance(one, UnitSample)]
    moves = np.array([one.influence for one in of_units])
    holds = np.array([one.share > 0.0 for one in of_units]).any(axis=0)
    return Recipe(samples, moves, np.asarray(holds, dtype=np.float64), of_units[0].strata)


@dataclass(frozen=True)
class _Variance:
    """The variance of a mean over runs, in independent parts.

    Attributes
    ----------
    of_items : float
        The variance that new items give.
    degrees : float
        The degrees of freedom of this variance.
    of_runs : list of (float, float, float)
        For each recipe the variance between runs, the noise of items in it, and the degrees of
        freedom.
    """

    of_items: float
    degrees: float
    of_runs: list[tuple[float, float, float]]

    @property
    def total(self) -> float:
        """The variance."""
        return self.of_items + sum(max(between - noise, 0.0) for between, noise, _ in self.of_runs)

    def half_length(self, z: FloatOrArray) -> Array:
        """Return the root of the sum of squares of the parts' half lengths."""
        square = self.of_items * stdtrit(self.degrees, ndtr(z)) ** 2
        for between, noise, degrees in self.of_runs:
            more = between * stdtrit(degrees, ndtr(z)) ** 2 - noise * np.square(z)
            square = square + np.maximum(more, 0.0)
        return np.asarray(np.sqrt(square))


class RunsSample(Sample):
    """The mean score over the runs of one recipe, or of recipe B minus that of recipe A.

    Parameters
    ----------
    recipes : list of Recipe
        One recipe, or A and B.
    singles : list of Sample
        The sample of each run, or of each run of B minus each run of A.
    """

    def __init__(self, recipes: list[Recipe], singles: list[Sample]) -> None:
        self.recipes = recipes
        self.singles = singles
        self.metric = singles[0].metric
        self.range = singles[0].range
        self.grouped = singles[0].grouped
        self.logit_needs_error = False  # the limits are then those of single runs
        self.models = ("A", "B")
        self.items = None
        self.runs = sum(len(part.samples) for part in recipes)
        means = [
            np.asarray(np.array([one.estimate for one in part.samples]).mean()) for part in recipes
        ]
        self.estimate = np.asarray(_change(means))
        self.variance = _variance(recipes)
        self.error = np.asarray(np.sqrt(self.variance.total))
        if any(one.ends for one in singles):
            self.ends = self._end(0), self._end(1)

    @property
    def name(self) -> str:
        """The name of the metric, and of the two recipes."""
        a, b = self.models
        return self.metric.name + f" ({b} - {a})" * (len(self.recipes) == 2)

    def _end(self, side: int) -> RunsSample:
        """Return the sample of the lower (0) or the upper (1) limit, if classes have no score."""
        *of_a, of_last = self.recipes
        recipes = [*(part.end(1 - side) for part in of_a), of_last.end(side)]
        return RunsSample(recipes, [_end(one, side) for one in self.singles])

    @property
    def parts(self) -> list[Sample]:
        """The samples of the runs."""
        return [one for part in self.recipes for one in part.samples]

    @property
    def part_names(self) -> Sequence[str]:
        """What the runs are called."""
        names = [""] if len(self.recipes) == 1 else [f" of {name}" for name in self.models]
        recipes = zip(names, self.recipes, strict=True)
        return [f"run {k + 1}{name}" for name, of in recipes for k in range(len(of.samples))]

    @property
    def alike_runs(self) -> list[tuple[str, int]]:
        """The recipes whose runs all predict the same, and their numbers of runs."""
        names = [""] if len(self.recipes) == 1 else [f" of {name}" for name in self.models]
        recipes = zip(names, self.recipes, strict=True)
        alike = [(name, of) for name, of in recipes if not np.ptp(of.moves, axis=0).any()]
        return [(name, len(of.samples)) for name, of in alike]

    @property
    def counted(self) -> Array:
        """The mean of the scores, or the change of this mean."""
        return np.asarray(_change([np.asarray(part.scores.mean()) for part in self.recipes]))

    @property
    def scores(self) -> Array:
        """The score of each run; of two recipes those of A, then those of B."""
        return np.concatenate([part.scores for part in self.recipes])

    @property
    def share_of_runs(self) -> float:
        """The part of the runs in the variance, from 0 to 1."""
        total = self.variance.total
        return 1.0 - self.variance.of_items / total if total > 0.0 else 0.0

    def logit_limits(self, z: FloatOrArray) -> Limits:
        """Return limits on the logit scale; without a variance those of single runs."""
        if not self.variance.total > 0.0:
            return self._limits_of_single_runs(z)
        half = self.variance.half_length(z)
        low, high = delta.logit(self.estimate, half, 1.0, self.range)
        return np.minimum(low, self.estimate), np.maximum(high, self.estimate)

    def _limits_of_single_runs(self, z: FloatOrArray) -> Limits:
        """Return limits as if there were one run, whichever says least."""
        limits = [default(one)[1].limits(one, z) for one in self.singles]
        low = np.fmin.reduce([low for low, _ in limits])
        high = np.fmax.reduce([high for _, high in limits])
        return np.minimum(low, self.estimate), np.maximum(high, self.estimate)


def runs_of_one(metric: Metric, data: Items | UnitCounts, runs: list[int]) -> RunsSample:
    """Return the sample of the mean score over the runs of one recipe."""
    of_recipe = recipe(metric, data, runs)
    return RunsSample([of_recipe], of_recipe.samples)


def runs_of_two(
    metric: Metric, data: Items | UnitCounts, runs_a: list[int], runs_b: list[int]
) -> RunsSample:
    """Return the sample of the mean score of recipe B minus that of recipe A."""
    recipes = [recipe(metric, data, runs_a), recipe(metric, data, runs_b)]
    pairs: list[Sample] = [difference(metric, data.of_models(a, b)) for a in runs_a for b in runs_b]
    return RunsSample(recipes, pairs)


def _change(means: list[Array]) -> Array:
    """Return the mean of one recipe, or that of B minus that of A."""
    return means[0] if len(means) == 1 else means[1] - means[0]


def _variance(recipes: list[Recipe]) -> _Variance:
    """Return the variance of the mean over runs of one recipe, or of B minus A."""
    # 1. The items: each moves the mean over the runs.
    number = np.maximum.reduce([part.number for part in recipes])
    both = recipes[0]._replace(number=number)
    of_items = both.variance(_change([part.moves.mean(axis=0) for part in recipes])[None])
    # 2. The runs, less the noise of items within runs, which the items' part holds already.
    of_runs = []
    for part in recipes:
        runs = len(part.samples)
        between = float(part.scores.var(ddof=1)) / runs
        residual = part.moves - part.moves.mean(axis=0)
        noise = part.variance(residual) / (runs * (runs - 1.0))
        of_runs.append((between, noise, runs - 1.0))
    return _Variance(of_items, float(number.sum()) - 1.0, of_runs)
