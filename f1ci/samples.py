"""Samples: what a method knows of a score. Four kinds of data, one class each.

==============  ===========================================================================
`CountSample`   TP, FP and FN of one Tversky score: limits in closed form
`TableSample`   a confusion matrix and any metric: limits by Pearson's region
`UnitSample`    documents, patients, images: so many independent units
`Difference`    two of these, and how their estimates are correlated: limits by the ellipse
==============  ===========================================================================

Each has an estimate, its standard error, the range of the metric, and the limits that its kind of
data allows. `ByClass` puts samples side by side. `sample` makes the sample of any metric from any
data, `difference` that of B minus A. A method (see `f1ci.methods`) is a function of a sample and z,
the two-sided normal quantile of the level. Arrays have a batch of data sets last.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from f1ci import covariance
from f1ci.data.items import Items
from f1ci.data.labels import Codes
from f1ci.data.matrix import ALL_CELLS, CellCounts, Cells, smallest_classes, sums_by_code
from f1ci.data.units import UnitCounts
from f1ci.methods import closed_form, delta, ellipse, linear, region, units
from f1ci.methods.closed_form import Limits
from f1ci.methods.units import Moves
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.averages import settled
from f1ci.metrics.base import ExpectationMetric, expectations, is_f1, recall
from f1ci.metrics.shares import KnownShares
from f1ci.types import Array, Classes, FloatOrArray

# What the limits of a difference say if all units have the same one.
_IF_ALIKE = "the limits say only how many units may be of another kind"

# A metric whose value is computed by sums and roots is an end of its range within this.
_ROUNDING = 1e-12


class Sample:
    """What methods know of a score.

    Attributes
    ----------
    metric : Metric
        The metric.
    estimate, error : ndarray
        The sample metric and its standard error by the delta method.
    range : tuple of float
        The smallest and the largest possible value.
    ends : tuple of two Sample, or None
        If an average has classes without a score that count, because the caller named them or gave
        them a constant: the samples in which these classes have the least, and the largest score.
        They may have any, so the lower limit is that of the first, and the upper of the second.
    has_score_limits, has_cautious_limits, has_blur : bool
        The sample offers these limits, or the blurred error of Yuan and Jiang.
    is_f1 : bool
        The metric is the F1 of one class, and the items are independent.
    grouped : bool
        The items came in groups.
    matrix : CellCounts or None
        The confusion matrices, if they are known.
    units_left_out : int
        How many units have no score of their own.
    counts_them : str
        How to count what is left out, for a warning.
    classes : sequence or None
        What the classes are called.
    each : bool
        There is one score for each of the classes.
    constant : float
        What an undefined score counts; nan if nothing.
    logit_needs_error : bool
        Limits on the logit scale say nothing without a standard error.
    if_alike : str
        What limits on the logit scale say without a standard error, if that is something else than
        what the method says.
    trials : tuple or None
        Right items x, errors e and a weight w, if the score is x / (x + w e) and x of x + e
        independent trials were right.
    runs : int
        How many runs a mean is over, if it is one over runs.
    """

    metric: Metric
    estimate: Array
    error: Array
    range: tuple[float, float]
    ends: tuple[Sample, Sample] | None = None
    has_score_limits = False
    has_cautious_limits = False
    has_blur = False
    is_f1 = False
    grouped = False
    matrix: CellCounts | None = None
    units_left_out = 0
    counts_them = "zero_division=0 counts them as 0"
    classes: Classes | None = None
    each = False
    constant = np.nan
    logit_needs_error = True
    if_alike = ""
    runs = 0
    trials: tuple[Array, Array, float] | None = None

    @property
    def name(self) -> str:
        """What the score is called in results."""
        return self.metric.name

    @property
    def alike_runs(self) -> list[tuple[str, int]]:
        """The recipes whose runs all predict the same."""
        return []

    @property
    def parts(self) -> list[Sample]:
        """The samples of single models."""
        return [self]

    @property
    def part_names(self) -> Sequence[str]:
        """What the samples of single models are called."""
        return [self.name]

    @property
    def counted(self) -> Array:
        """The estimate, with the constant for a score that is undefined."""
        if np.isnan(self.constant):
            return self.estimate
        return np.where(np.isnan(self.estimate), self.constant, self.estimate)

    @property
    def over(self) -> tuple[Hashable, ...] | None:
        """The classes that an average of one data set is over; None for other scores."""
        classes = self.classes
        if self.each or classes is None or np.ndim(self.estimate):
            return None
        places = self.metric.over(len(classes))
        return None if places is None else tuple(classes[place] for place in places)

    def tell(self, classes: Classes | None, constant: float) -> None:
        """Tell the sample its classes, and what an undefined score counts."""
        for part in dict.fromkeys([self, *self.parts]):
            part.classes = classes if part.classes is None else part.classes
            part.constant = constant

    @property
    def left_out(self) -> tuple[int, ...]:
        """The classes that an average leaves out because they have no score."""
        return self.metric.left_out()

    def score_limits(self, z: FloatOrArray) -> Limits:
        """Return the values that a test with the standard error under each value accepts."""
        raise NotImplementedError

    def cautious_limits(self, z: FloatOrArray) -> Limits:
        """Return longer limits, which hardly ever cover less than the level."""
        raise NotImplementedError

    def logit_limits(self, z: FloatOrArray) -> Limits:
        """Return the limits of the delta method on a scale without borders."""
        return delta.logit(self.estimate, self.error, z, self.range)

    def blurred_error(self, z: FloatOrArray) -> Array:
        """Return the standard error with the correction of Yuan & Jiang, choice II."""
        raise NotImplementedError

    def counts_of_score(self) -> tuple[Array, Array, Array]:
        """Return TP, FP and FN of one Tversky score."""
        raise NotImplementedError


class CountSample(Sample):
    """TP, FP and FN of one Tversky score, of independent items."""

    has_score_limits = True
    has_cautious_limits = True

    def __init__(
        self, metric: Metric, tp: Array, fp: Array, fn: Array, matrix: CellCounts | None = None
    ) -> None:
        index = metric if isinstance(metric, Tversky) else metric.index
        if index is None:
            raise TypeError(f"{metric.name!r} is no Tversky score")
        self.metric = metric
        self.index = index
        self.counts = tp, fp, fn
        self.matrix = matrix
        self.range = metric.range
        self.has_blur = _can_blur(metric, matrix)
        self.is_f1 = is_f1(metric)
        a, b = index.a, index.b
        if a == b or min(a, b) == 0.0:
            self.trials = tp, fp * (a > 0.0) + fn * (b > 0.0), max(a, b)
        self.estimate, self.error = closed_form.tversky_moments(tp, fp, fn, index.a, index.b)

    def score_limits(self, z: FloatOrArray) -> Limits:
        return closed_form.tversky_limits(*self.counts, self.index.a, self.index.b, z)

    def cautious_limits(self, z: FloatOrArray) -> Limits:
        return closed_form.tversky_cautious_limits(*self.counts, self.index.a, self.index.b, z)

    def blurred_error(self, z: FloatOrArray) -> Array:
        if self.matrix is not None:
            return _blurred_error(self.metric, self.error, self.matrix, z)
        # What is added does not depend on the true negatives of a Tversky score.
        tp, fp, fn = self.counts
        v = tp + fp + fn
        with np.errstate(divide="ignore", invalid="ignore"):
            means = tp / v, (tp + fp) / v, (tp + fn) / v
        return delta.blurred_error(self.index, self.error, means, v, z)

    def counts_of_score(self) -> tuple[Array, Array, Array]:
        return self.counts


class TableSample(Sample):
    """A confusion matrix, or a batch of them, and any metric.

    Parameters
    ----------
    metric : Metric
        The metric.
    matrix : CellCounts
        Counts of independent items.
    fixed : bool
        The numbers of items of the true classes were chosen beforehand.
    """

    def __init__(self, metric: Metric, matrix: CellCounts, fixed: bool = False) -> None:
        self.metric = metric
        self.matrix = matrix
        self.table = matrix
        self.fixed = fixed
        self.range = metric.range
        self.has_score_limits = metric.smooth
        self.estimate, self.influence = metric.evaluate(matrix)
        with np.errstate(invalid="ignore", divide="ignore"):
            moves = self.influence / matrix.total
        strata = metric.strata(matrix.cells)
        error = linear.error_of(moves, matrix.counts, strata=strata, ddof=0)
        self.error = np.where(np.isnan(self.estimate), np.nan, error)
        self.has_blur = _can_blur(metric, matrix)

    def score_limits(self, z: FloatOrArray) -> Limits:
        shape = np.broadcast_shapes(np.shape(z), self.table.total.shape)
        z_of_table = np.broadcast_to(z, shape).reshape(-1, self.table.total.size)
        low = np.empty(z_of_table.shape)
        high = np.empty(z_of_table.shape)
        for places, alike in self._alike:
            low[:, places], high[:, places] = alike.score_limits(z_of_table[:, places])
        return low.reshape(shape), high.reshape(shape)

    @cached_property
    def _alike(self) -> list[tuple[Codes, CountSample | _Region]]:
        """The tables in which the same classes have a score, and what gives their limits.

        Fixed numbers of true items are known shares of the true classes.
        """
        matrix = self.table.some(slice(None))
        groups = settled(self.metric, matrix)
        if self.fixed:
            sizes, which = np.unique(matrix.true, axis=1, return_inverse=True)
            shares = (sizes / sizes.sum(axis=0)).T
            groups = [
                (places[which.ravel()[places] == k], KnownShares(metric, share))
                for places, metric in groups
                for k, share in enumerate(shares)
            ]
        return [(places, _limited(metric, matrix.some(places))) for places, metric in groups]

    def blurred_error(self, z: FloatOrArray) -> Array:
        return _blurred_error(self.metric, self.error, self.table, z)


def _limited(metric: Metric, matrix: CellCounts) -> CountSample | _Region:
    """Return what gives the score limits of a metric, for a flat batch of tables."""
    metric = metric.simplest(matrix.cells)
    if metric.index is not None:
        return CountSample(metric, *metric.counts(matrix))
    return _Region(metric, matrix)


class _Region:
    """A metric in Pearson's region of some tables: what does not depend on the level."""

    def __init__(self, metric: Metric, matrix: CellCounts) -> None:
        self.range = metric.range
        self.estimate, influence = metric.evaluate(matrix)
        with np.errstate(invalid="ignore", divide="ignore"):  # tables without items
            self.factor = _variance_factor(matrix, influence)
        self.perfect = metric.perfect(matrix)
        self.wrong = matrix.total - matrix.right.sum(axis=0)
        cells, self.counts = _cells_looked_at(matrix)
        self.evaluate = metric.at_shares(cells)

    def score_limits(self, z: Array) -> Limits:
        """Return the limits for quantiles (..., tables)."""
        # 1. The range of the metric in Pearson's region, with the variance factor.
        low, high = region.score_limits(self.evaluate, self.counts, z * np.sqrt(self.factor))
        # 2. The correction for one to three errors.
        nearer = closed_form.few_errors_factor(self.wrong, z)
        low, high = _near_perfect(low, high, self.perfect, nearer, self.range)
        return _beside(self.estimate, low, high, self.range)


def _variance_factor(matrix: CellCounts, influence: Array) -> Array:
    """Return the factor on z^2, from the classes or strata and the predicted classes."""
    cells = matrix.cells
    shares = CellCounts(cells, matrix.counts / matrix.total)
    squares = CellCounts(cells, shares.counts * influence * influence)
    true = (shares.true, squares.true)
    if cells.stratified:
        true = cells.sums_of_strata(shares.counts), cells.sums_of_strata(squares.counts)
    predicted = (shares.predicted, squares.predicted)
    return region.variance_factor(shares.counts, influence, matrix.total, (true, predicted))


def _near_perfect(
    low: Array, high: Array, perfect: Array, factor: Array, range_: tuple[float, float]
) -> Limits:
    """Return limits nearer to the value of a perfect table, where that is an end of the range."""
    least, largest = range_
    if np.isfinite(largest):
        is_best = np.abs(perfect - largest) <= _ROUNDING
        high = np.where(is_best, largest - (largest - high) * factor, high)
    if np.isfinite(least):
        is_best = np.abs(perfect - least) <= _ROUNDING
        low = np.where(is_best, least + (low - least) * factor, low)
    return low, high


def _beside(estimate: Array, low: Array, high: Array, range_: tuple[float, float]) -> Limits:
    """Return limits in the range and on both sides of the estimate.

    A limit that cannot be computed is the end of the range.
    """
    least, largest = range_
    undefined = np.isnan(estimate)
    low = np.clip(np.where(np.isnan(low) | undefined, least, low), least, largest)
    high = np.clip(np.where(np.isnan(high) | undefined, largest, high), least, largest)
    return np.fmin(low, estimate), np.fmax(high, estimate)


def _can_blur(metric: Metric, matrix: CellCounts | None) -> bool:
    """Tell if a metric is a function of E(ZA), EA and EZ of two classes."""
    two_classes = metric.binary if matrix is None else matrix.cells.r == 2
    return two_classes and isinstance(metric, ExpectationMetric)


def _blurred_error(metric: Metric, error: Array, matrix: CellCounts, z: FloatOrArray) -> Array:
    """Return the blurred standard error of a metric of the positive class."""
    if not isinstance(metric, ExpectationMetric):
        raise TypeError(f"{metric.name!r} is no function of E(ZA), EA and EZ")
    eza, ea, ez = expectations(matrix)
    return delta.blurred_error(metric, error, (eza[1], ea[1], ez[1]), matrix.total, z)


def _cells_looked_at(matrix: CellCounts) -> tuple[Cells, Array]:
    """Return the cells that probability may move to, and the counts in them.

    These are all cells. Of many classes they are the cells with items, the right ones, and the
    empty cells between the smallest classes.
    """
    cells = matrix.cells
    r = cells.r
    if r <= ALL_CELLS or cells.stratified:
        return cells, matrix.counts
    smallest = smallest_classes((matrix.true + matrix.predicted).min(axis=1))
    between = np.add.outer(smallest * r, smallest).ravel()
    places = np.unique(np.concatenate([cells.places, np.arange(r) * (r + 1), between]))
    counts = sums_by_code(np.searchsorted(places, cells.places), matrix.counts, len(places))
    return Cells(r, *np.divmod(places, r)), counts


class ByClass(Sample):
    """Samples of one score each: the classes of a test set that was drawn by stratum.

    Parameters
    ----------
    alone : sequence of Sample
        The samples, of the same metric and kind of data.
    """

    def __init__(self, alone: Sequence[Sample]) -> None:
        first = alone[0]
        self.alone = alone
        self.metric = first.metric
        self.range = first.range
        self.grouped = first.grouped
        self.estimate = np.array([part.estimate for part in alone])
        self.error = np.array([part.error for part in alone])
        self.has_score_limits = all(part.has_score_limits for part in alone)

    def score_limits(self, z: FloatOrArray) -> Limits:
        low, high = zip(*(part.score_limits(z) for part in self.alone), strict=True)
        return np.array(low), np.array(high)

    def logit_limits(self, z: FloatOrArray) -> Limits:
        low, high = zip(*(part.logit_limits(z) for part in self.alone), strict=True)
        return np.array(low), np.array(high)


class Held(NamedTuple):
    """What units hold.

    Attributes
    ----------
    table : ndarray or sparse array, shape (units, K)
        The counts of each unit by cell.
    cells : Cells
        The cells of a confusion matrix.
    part : ndarray of int, shape (K,)
        The class that each cell belongs to.
    """

    table: units.Table
    cells: Cells
    part: Codes

    def evaluate(self, metric: Metric) -> units.Evaluate:
        """Return the function that gives a metric, and its influences, from counts by cell."""
        return lambda counts: metric.evaluate(CellCounts(self.cells, counts))

    def value_of(self, metric: Metric) -> units.ValueOf:
        """Return the function that gives a metric from counts by cell."""
        return lambda counts: metric.estimate(CellCounts(self.cells, counts))

    @property
    def total(self) -> CellCounts:
        """What all units hold together."""
        return CellCounts(self.cells, np.asarray(self.table.sum(axis=0)))


class UnitSample(Sample):
    """Units whose items may depend on one another: documents, patients, images.

    Parameters
    ----------
    metric : Metric
        The metric.
    held : sequence of Held
        What the units hold; of several classes for a score of each.
    each : bool
        There is one score for each of several classes.
    grouped : bool
        The units are groups of items.
    matrix : CellCounts or None
        The confusion matrix of all items.
    of : Metric, optional
        The metric that gives the score from what units hold, if it is another one.
    strata : ndarray of int, optional
        The stratum from which each unit was drawn. Then there are no score limits, for which it
        was not tried what a unit that was not seen may be in each stratum.
    """

    def __init__(
        self,
        metric: Metric,
        held: Sequence[Held],
        *,
        each: bool = False,
        grouped: bool = False,
        matrix: CellCounts | None = None,
        of: Metric | None = None,
        strata: Codes | None = None,
    ) -> None:
        self.metric = metric
        self.of = metric if of is None else of
        self.held = held
        self.each = each
        self.grouped = grouped
        self.matrix = matrix
        self.range = metric.range
        self.has_score_limits = metric.smooth and strata is None
        moves = [
            units.moves_of(one.evaluate(self.of), one.value_of(self.of), one.table, one.part)[:4]
            for one in held
        ]
        estimate, influence, left_out, share = map(self._of_each, zip(*moves, strict=True))
        self.moves = Moves(estimate, influence, left_out, share, strata)
        self.estimate = self.moves.estimate
        self.error = np.sqrt((units.delta_moves(self.moves) ** 2).sum(axis=0))

    def _of_each(self, parts: Sequence[FloatOrArray]) -> Array:
        """Return the values of all classes, the last axis, or the value of the only score."""
        return np.stack(parts, axis=-1) if self.each else np.asarray(parts[0])

    def score_limits(self, z: FloatOrArray) -> Limits:
        """Return the limits of Pearson's region, whose kinds are units."""
        z_of_each = np.broadcast_to(z, len(self.held))
        limits = []
        for one, z_of_one in zip(self.held, z_of_each, strict=True):
            limits.append(units.score_limits(one.evaluate(self.of), one.table, z_of_one))
        low, high = (self._of_each(ends) for ends in zip(*limits, strict=True))
        return _beside(self.estimate, low, high, self.range)

    def logit_limits(self, z: FloatOrArray) -> Limits:
        """Return the limits of the jackknife with Student's quantile, on the logit scale."""
        return units.logit_limits(self.moves, z, self.range)


class Difference(Sample):
    """B minus A: two samples and the correlation of their estimates.

    Parameters
    ----------
    metric : Metric
        The metric of both.
    a, b : Sample
        The samples of the two models.
    error : ndarray
        The standard error of the difference.
    items : Items or None
        The items on which both were tested, if these are known one by one.
    models : tuple of str
        What the models are called.
    correlation : ndarray
        The correlation of the two estimates; zero for models on different items.
    """

    def __init__(
        self, metric: Metric, a: Sample, b: Sample, error: Array, correlation: Array
    ) -> None:
        self.metric = metric
        self.a = a
        self.b = b
        self.models = ("A", "B")
        self.items: Items | None = None
        self.correlation = correlation
        self.logit_needs_error = a.logit_needs_error
        self.estimate = b.estimate - a.estimate
        self.error = np.where(np.isnan(self.estimate), np.nan, error)
        least, largest = metric.range
        self.range = least - largest, largest - least
        self.grouped = a.grouped
        if a.ends or b.ends:
            worst_a, best_a = a.ends or (a, a)
            worst_b, best_b = b.ends or (b, b)
            self.ends = self._of(best_a, worst_b), self._of(worst_a, best_b)
        self.has_score_limits = a.has_score_limits and b.has_score_limits
        self.has_cautious_limits = a.has_cautious_limits and b.has_cautious_limits

    def _of(self, a: Any, b: Any) -> Difference:
        """Return the sample of other scores of the same models."""
        return Difference(self.metric, a, b, self.error, self.correlation)

    @property
    def name(self) -> str:
        """The name of the metric, and of the two models."""
        a, b = self.models
        return f"{self.metric.name} ({b} - {a})"

    @property
    def parts(self) -> list[Sample]:
        """The samples of the two models."""
        return [self.a, self.b]

    @property
    def part_names(self) -> Sequence[str]:
        """What the two models are called."""
        return self.models

    @property
    def counted(self) -> Array:
        """The difference, with the constant for a score that is undefined."""
        return np.asarray(self.b.counted - self.a.counted)

    @property
    def over(self) -> tuple[Hashable, ...] | None:
        """The classes that the averages of both models are over, if they are the same."""
        return self.b.over if self.a.over == self.b.over else None

    def score_limits(self, z: FloatOrArray) -> Limits:
        limits = self.a.score_limits, self.b.score_limits
        return ellipse.difference_limits(*limits, self.correlation, z)

    def cautious_limits(self, z: FloatOrArray) -> Limits:
        limits = self.a.cautious_limits, self.b.cautious_limits
        return ellipse.difference_limits(*limits, self.correlation, z)


class UnitDifference(Difference):
    """B minus A on the same units: limits on the scale of Fisher's z with the jackknife's error."""

    if_alike = _IF_ALIKE

    def __init__(self, metric: Metric, a: UnitSample, b: UnitSample) -> None:
        error = units.difference_error(a.moves, b.moves)
        super().__init__(metric, a, b, error, np.zeros_like(error))
        self.moves = units.change(a.moves, b.moves)
        self.has_score_limits = False

    def _of(self, a: Any, b: Any) -> Difference:
        return UnitDifference(self.metric, a, b)

    def logit_limits(self, z: FloatOrArray) -> Limits:
        return units.limits_of_difference(self.moves, z, self.range)


# From data to samples.


def sample(metric: Metric, data: Items | CellCounts | UnitCounts, *, fixed: bool = False) -> Sample:
    """Return the sample of a metric of one model.

    Parameters
    ----------
    metric : Metric
        The metric. Of an average its rule for classes without a score counts.
    data : Items, CellCounts or UnitCounts
        Items in groups become a `UnitSample`.
    fixed : bool
        The numbers of items of the true classes were chosen beforehand.
    """
    of_data = _sample(metric, data, fixed)
    of_data.ends = _ends(metric, data, fixed, of_data)
    return of_data


def _sample(metric: Metric, data: Items | CellCounts | UnitCounts, fixed: bool) -> Sample:
    if isinstance(data, UnitCounts):
        return _units_of_counts(metric, data)
    if isinstance(data, CellCounts):
        return _sample_of_matrix(metric, data, fixed)
    of_items = _sample_of_items(metric, data)
    of_items.classes = data.classes
    return of_items


def _ends(
    metric: Metric, data: Items | CellCounts | UnitCounts, fixed: bool, of_data: Sample
) -> tuple[Sample, Sample] | None:
    """Return the samples in which classes that have no score, but count, have the least or largest.

    None if there is no such class.
    """
    if not metric.averages or not (data.named or metric.constant == metric.constant):
        return None
    if of_data.matrix is not None:
        undefined = metric.undefined(of_data.matrix)
        if undefined is None or not undefined.any():
            return None
    worst, best = (_sample(metric.counting(end), data, fixed) for end in metric.range)
    is_known = np.array_equal(worst.estimate, best.estimate, equal_nan=True)
    return None if is_known else (worst, best)


def _sample_of_items(metric: Metric, items: Items) -> Sample:
    if items.groups is not None:
        return _units_of_items(metric, items)
    return _sample_of_matrix(metric, items.matrix())


def _sample_of_matrix(metric: Metric, data: CellCounts, fixed: bool = False) -> Sample:
    patterns = settled(metric, data)
    one = patterns[0][1] if len(patterns) == 1 else metric
    if one.index is not None and not fixed:
        return CountSample(one, *one.counts(data), data)
    return TableSample(one, data, fixed)


def difference(metric: Metric, data: Items | UnitCounts) -> Difference:
    """Return the sample of metric(B) - metric(A) of two models on the same items.

    The divisor of the variance is n - 1 (Yuan & Jiang 2025, remark 2). For units the factor is
    G / (G - 1) with G units.
    """
    a = sample(metric, data.of_models(0))
    b = sample(metric, data.of_models(1))
    if isinstance(a, UnitSample) and isinstance(b, UnitSample):
        of_pair: Difference = UnitDifference(metric, a, b)
    elif isinstance(data, Items):
        error = covariance.error_of_difference(metric, data)
        r = covariance.correlation(covariance.smoothed(data, [(0, metric), (1, metric)]))
        of_pair = Difference(metric, a, b, error, r)
    of_pair.items = data if isinstance(data, Items) else None
    return of_pair


def unpaired(a: Sample, b: Sample) -> Difference:
    """Return the sample of B minus A of models on different items."""
    return Difference(a.metric, a, b, np.hypot(a.error, b.error), np.zeros(()))


def _units_of_items(metric: Metric, items: Items) -> UnitSample:
    """Return the sample of items in groups."""
    matrix = items.matrix()
    patterns = settled(metric, matrix)
    if len(patterns) == 1:
        metric = patterns[0][1]
    if metric.index is None:
        each = items.counts.ndim > 1
        counts = items.counts.T if each else items.counts[None]
        held = [_held_by_groups(items, of_one, matrix) for of_one in counts]
        of_groups = items.strata_of_groups()
        return UnitSample(metric, held, each=each, grouped=True, matrix=matrix, strata=of_groups)
    counts = metric.single(items).unit_counts()
    return _units_of_index(metric, metric.index, counts, grouped=True, matrix=matrix)


def _held_by_groups(items: Items, counts: Array, matrix: CellCounts) -> Held:
    """Return what groups of items hold, by cell, of rows of items with these counts."""
    from scipy.sparse import csr_array  # slow to import

    if items.groups is None:
        raise TypeError("only items in groups have units")
    cells = matrix.cells
    place = items.by_row(np.arange(float(len(cells.true))), 0, cells).astype(np.intp)
    looked_at, _ = _cells_looked_at(CellCounts(cells, matrix.counts.reshape(len(cells.true), -1)))
    if looked_at is not cells:
        place = np.searchsorted(looked_at.places, cells.places)[place]
    shape = int(items.groups.max()) + 1, len(looked_at.true)
    table = csr_array((counts, (items.groups, place)), shape)
    return Held(table, looked_at, looked_at.true)


def _units_of_counts(metric: Metric, data: UnitCounts) -> UnitSample:
    """Return the sample of TP, FP and FN by unit of one model."""
    index = _index_of_units(metric)
    table = data.tables[0]
    if metric.over_items:
        return _mean_over_units(metric, index, table)
    if not metric.averages:
        return _units_of_index(metric, index, table, grouped=data.grouped)
    held = _held_by_classes(index, metric.weighted, table)
    of_classes = metric.over_some(tuple(range(table.shape[2])))
    return UnitSample(settled(of_classes, held.total)[0][1], [held], grouped=data.grouped)


def _held_by_classes(index: Tversky, weighted: bool, table: Array) -> Held:
    """Return what units hold, from TP, FP and FN by class, (units, 3, classes).

    The matrix has one more class, "nothing", for spans that only the truth, or only the model has.
    """
    matter = np.array([True, index.a > 0.0, index.b > 0.0 or weighted])
    r = table.shape[2]
    classes = np.arange(r)
    nothing = np.full(r, r)
    true, predicted = np.stack([[classes, nothing, classes], [classes, classes, nothing]])[
        :, matter
    ]
    cells = Cells(r + 1, true.ravel(), predicted.ravel())
    counts = table[:, matter].reshape(len(table), -1)
    return Held(counts, cells, np.tile(classes, matter.sum()))


# The cells TP, FP and FN of a matrix of two classes.
_COUNTED = np.array([1, 0, 1]), np.array([1, 1, 0])


def _units_of_index(metric: Metric, index: Tversky, table: Array, **of_sample: Any) -> UnitSample:
    """Return the sample of a Tversky score from TP, FP and FN of units, (units, 3, ...)."""
    matter = np.flatnonzero([True, index.a > 0.0, index.b > 0.0])
    true, predicted = (classes[matter] for classes in _COUNTED)
    cells = Cells(2, true, predicted)
    tables = table[:, matter].reshape(len(table), len(matter), -1)
    part = np.zeros(len(matter), dtype=np.intp)
    held = [Held(tables[:, :, k], cells, part) for k in range(tables.shape[2])]
    return UnitSample(metric, held, each=table.ndim > 2, of=index, **of_sample)


def mean_of_scores(metric: Metric, scores: Array, groups: Codes | None = None) -> UnitSample:
    """Return the sample of a mean of the scores of units, or of groups of them.

    Units whose score is nan are left out. A score, and what it lacks to 1, are right and missed
    parts of an item, so that the mean is their recall.
    """
    known = ~np.isnan(scores)
    value = np.where(known, scores, 0.0)
    table = np.stack([value, 0.0 * value, known - value], axis=-1)
    if groups is not None:
        table = np.stack([np.bincount(groups, column) for column in table.T], axis=-1)
    return _units_of_index(metric, recall, table, grouped=groups is not None)


def _mean_over_units(metric: Metric, index: Tversky, table: Array) -> UnitSample:
    """Return the sample of the mean of the units' own scores. Undefined ones are left out."""
    tp, fp, fn = np.moveaxis(table.sum(axis=2), 1, 0)
    scores = closed_form.tversky_moments(tp, fp, fn, index.a, index.b)[0]
    scores = np.where(np.isnan(scores), metric.constant, scores)
    sample_of_units = mean_of_scores(metric, scores)
    sample_of_units.units_left_out = int(np.isnan(scores).sum())
    return sample_of_units


def _index_of_units(metric: Metric) -> Tversky:
    """Return the Tversky score that unit counts are asked for, or of which they give an average."""
    index = metric.of_class
    if isinstance(index, Tversky):
        return index
    raise ValueError(
        "counts TP, FP and FN by unit are for Tversky scores ('f1', 'precision', 'recall', "
        f"'jaccard', fbeta(beta)) and their averages, got {metric.name!r}"
    )
