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
from f1ci.metrics.averages import Mean, settled, with_every_class
from f1ci.metrics.base import ExpectationMetric, expectations, is_f1
from f1ci.metrics.shares import KnownShares
from f1ci.types import Array, Classes, FloatOrArray

# Of more rows times classes than this, counts by group would take gigabytes. The score without a
# group is then taken from the group's influence.
_MOST_UNIT_COUNTS = 1 << 21

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
    unknown : tuple of ndarray, or None
        How much lower, and how much higher, the score may be because of classes that have no score
        but are counted as 0 or 1.
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
    unknown: tuple[FloatOrArray, FloatOrArray] | None = None
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
    def attainable(self) -> tuple[FloatOrArray, FloatOrArray]:
        """The range of the score, if classes without a score count as the constant."""
        if self.unknown is None:
            return self.range
        least, largest = self.range
        below, above = self.unknown
        return np.fmin(least + below, self.estimate), np.fmax(largest - above, self.estimate)

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
        return delta.logit(self.estimate, self.error, z, self.attainable)

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
    named : bool
        The classes were named by the caller, so that those without items exist too.
    """

    def __init__(
        self, metric: Metric, matrix: CellCounts, fixed: bool = False, named: bool = False
    ) -> None:
        self.metric = metric
        self.matrix = matrix
        self.table = matrix
        self.fixed = fixed
        self.named = named
        self.range = metric.range
        self.has_score_limits = metric.smooth
        self.estimate, self.influence = metric.evaluate(matrix)
        with np.errstate(invalid="ignore", divide="ignore"):
            moves = self.influence / matrix.total
        strata = metric.strata(matrix.cells)
        error = linear.error_of(moves, matrix.counts, strata=strata, ddof=0)
        self.error = np.where(np.isnan(self.estimate), np.nan, error)
        self.unknown = metric.unknown(matrix)
        self.has_blur = _can_blur(metric, matrix)

    def score_limits(self, z: FloatOrArray) -> Limits:
        shape = np.broadcast_shapes(np.shape(z), self.table.total.shape)
        matrix = self._repeated(shape)
        z_of_table = np.broadcast_to(z, shape).ravel()
        low = np.empty(matrix.total.shape)
        high = np.empty(matrix.total.shape)
        for places, metric, observed in self._settled(matrix):
            some = matrix.some(places)
            limits = _limits_of_table(metric, observed, some, z_of_table[places])
            low[places], high[places] = limits
        return low.reshape(shape), high.reshape(shape)

    def _repeated(self, shape: tuple[int, ...]) -> CellCounts:
        """Return the tables repeated to a shape with more dimensions in front, as a flat batch."""
        counts = self.table.counts
        cells, *batch = counts.shape
        more = len(shape) - len(batch)
        counts = counts.reshape(cells, *[1] * more, *batch)
        return CellCounts(
            self.table.cells, np.broadcast_to(counts, (cells, *shape)).reshape(cells, -1)
        )

    def _settled(self, matrix: CellCounts) -> list[tuple[Codes, Metric, Metric]]:
        """Return the metrics of the limits and of the estimate, for places of a flat batch.

        A class that exists, or counts as a constant, keeps its score in the limits: it may be
        anything, so the limits are as wide as not knowing it makes them. Any other class without a
        score is left out. Fixed numbers of true items are known shares of the true classes.
        """
        groups: list[tuple[Codes, Metric, Metric]]
        if self.named or self.unknown is not None:
            every = np.arange(matrix.total.size)
            groups = [(every, with_every_class(self.metric, matrix), self.metric)]
        else:
            groups = [(places, one, one) for places, one in settled(self.metric, matrix)]
        if not self.fixed:
            return groups
        sizes, which = np.unique(matrix.true, axis=1, return_inverse=True)
        shares = (sizes / sizes.sum(axis=0)).T
        return [
            (places[which.ravel()[places] == k], *(KnownShares(one, share) for one in metrics))
            for places, *metrics in groups
            for k, share in enumerate(shares)
        ]

    def blurred_error(self, z: FloatOrArray) -> Array:
        return _blurred_error(self.metric, self.error, self.table, z)


def _limits_of_table(metric: Metric, observed: Metric, matrix: CellCounts, z: Array) -> Limits:
    """Return the score limits of a metric, `observed` where its classes occur, for a flat batch."""
    if isinstance(metric, KnownShares):
        metric = metric.unless_needless(matrix.cells)
    if metric.index is not None:
        return CountSample(metric, *metric.counts(matrix)).score_limits(z)
    cells, counts = _cells_looked_at(matrix)

    def evaluate(q: Array) -> tuple[Array, Array]:
        return metric.slopes(CellCounts(cells, q))

    # 1. The range of the metric in Pearson's region, with the variance factor.
    estimate, influence = observed.evaluate(matrix)
    with np.errstate(invalid="ignore", divide="ignore"):  # tables without items
        factor = _variance_factor(matrix, influence)
        low, high = region.score_limits(evaluate, counts, z * np.sqrt(factor))
    # 2. The correction for one to three errors.
    wrong = matrix.total - matrix.right.sum(axis=0)
    nearer = closed_form.few_errors_factor(wrong, z)
    low, high = _near_perfect(low, high, metric.perfect(matrix), nearer, metric.range)
    return _beside(estimate, low, high, metric.range)


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


class UnitSample(Sample):
    """Units whose items may depend on one another: documents, patients, images.

    Parameters
    ----------
    metric : Metric
        The metric.
    moves : Moves
        The score, and how each unit moves it.
    grouped : bool
        The units are groups of items.
    matrix : CellCounts or None
        The confusion matrix of all items.
    """

    def __init__(
        self, metric: Metric, moves: Moves, grouped: bool = False, matrix: CellCounts | None = None
    ) -> None:
        self.metric = metric
        self.moves = moves
        self.grouped = grouped
        self.matrix = matrix
        self.range = metric.range
        self.estimate = moves.estimate
        self.error = np.sqrt((units.delta_moves(moves) ** 2).sum(axis=0))
        self.logit_needs_error = False  # alike units leave room for units of another kind

    def logit_limits(self, z: FloatOrArray) -> Limits:
        """Return the limits of the jackknife with Student's quantile, on the logit scale."""
        return units.limits(self.moves, z, self.attainable)

    def add_constant(self, known: float, constant: float) -> None:
        """Let the classes without a score count as a constant; `known` is the share of the others.

        The limits are then as wide as not knowing these classes makes them.
        """
        least, largest = self.range
        missing = 1.0 - known
        self.estimate = known * self.estimate + missing * constant
        self.error = known * self.error
        self.moves = Moves(
            self.estimate,
            known * self.moves.influence,
            known * self.moves.left_out,
            self.moves.share,
            known * self.moves.bias,
        )
        self.unknown = missing * (constant - least), missing * (largest - constant)


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
        if a.unknown is not None or b.unknown is not None:
            below_a, above_a = a.unknown or (0.0, 0.0)
            below_b, above_b = b.unknown or (0.0, 0.0)
            self.unknown = below_b + above_a, above_b + below_a
        self.has_score_limits = a.has_score_limits and b.has_score_limits
        self.has_cautious_limits = a.has_cautious_limits and b.has_cautious_limits

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

    def logit_limits(self, z: FloatOrArray) -> Limits:
        """Return limits on the scale of Fisher's z; of units with the jackknife's error."""
        if isinstance(self.a, UnitSample) and isinstance(self.b, UnitSample):
            return units.limits(units.change(self.a.moves, self.b.moves), z, self.attainable)
        return super().logit_limits(z)


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
    if isinstance(data, UnitCounts):
        return _units_of_counts(metric, data)
    if isinstance(data, Items):
        of_items = _sample_of_items(metric, data)
        of_items.classes = data.classes
        return of_items
    return _sample_of_matrix(metric, data, fixed)


def _sample_of_items(metric: Metric, items: Items) -> Sample:
    if items.groups is not None:
        return _units_of_items(metric, items)
    return _sample_of_matrix(metric, items.matrix(), named=items.named)


def _sample_of_matrix(
    metric: Metric, data: CellCounts, fixed: bool = False, named: bool = True
) -> Sample:
    patterns = settled(metric, data)
    one = patterns[0][1] if len(patterns) == 1 else metric
    is_counts = one.index is not None and not fixed
    if is_counts and not (named and one.left_out()):
        return CountSample(one, *one.counts(data), data)
    return TableSample(one, data, fixed, named)


def difference(metric: Metric, data: Items | UnitCounts) -> Difference:
    """Return the sample of metric(B) - metric(A) of two models on the same items.

    The divisor of the variance is n - 1 (Yuan & Jiang 2025, remark 2). For units the factor is
    G / (G - 1) with G units.
    """
    a = sample(metric, data.of_models(0))
    b = sample(metric, data.of_models(1))
    if isinstance(a, UnitSample) and isinstance(b, UnitSample):
        of_pair = difference_of_units(metric, a, b)
        of_pair.items = data if isinstance(data, Items) else None
        return of_pair
    if isinstance(data, UnitCounts):
        raise TypeError("unit counts make units")
    error = covariance.error_of_difference(metric, data)
    r = covariance.correlation(covariance.smoothed(data, [(0, metric), (1, metric)]))
    of_pair = Difference(metric, a, b, error, r)
    of_pair.items = data
    return of_pair


def difference_of_units(metric: Metric, a: UnitSample, b: UnitSample) -> Difference:
    """Return the sample of B minus A on the same units."""
    error = units.difference_error(a.moves, b.moves)
    return Difference(metric, a, b, error, np.zeros_like(error))


def unpaired(a: Sample, b: Sample) -> Difference:
    """Return the sample of B minus A of models on different items."""
    return Difference(a.metric, a, b, np.hypot(a.error, b.error), np.zeros(()))


def _units_of_items(metric: Metric, items: Items) -> UnitSample:
    """Return the sample of items in groups."""
    matrix = items.matrix()
    patterns = settled(metric, matrix)
    if len(patterns) == 1:
        metric = patterns[0][1]
    if metric.index is not None:
        counts = metric.single(items).unit_counts()
        moves = units.moves_of_counts(counts, metric.index.a, metric.index.b)
        return UnitSample(metric, moves, True, matrix)
    if isinstance(metric, Mean) and metric.average != "micro" and isinstance(metric.of, Tversky):
        if items.asked * len(items.counts) > _MOST_UNIT_COUNTS:
            return _units_by_influence(metric, items, matrix)
        counts = items.each_class().unit_counts()
        sample_of_classes = _mean_over_classes(metric, metric.of, counts, True)
        sample_of_classes.matrix = matrix
        return sample_of_classes
    return _units_by_influence(metric, items, matrix)


def _units_by_influence(metric: Metric, items: Items, matrix: CellCounts) -> UnitSample:
    """Return the sample of items in groups from how each group moves the score."""
    estimate, by_cell = metric.evaluate(matrix)
    influence = np.nan_to_num(items.by_row(by_cell, 0, matrix.cells))
    sample_of_units = UnitSample(metric, _moves_of_items(estimate, influence, items), True, matrix)
    sample_of_units.unknown = metric.unknown(matrix)
    return sample_of_units


def _moves_of_items(estimate: Array, influence: Array, items: Items) -> Moves:
    """Return how groups move a score, in each data set of a batch."""
    groups = items.groups
    if groups is None:
        raise TypeError("only items in groups have units")
    if items.counts.ndim == 1:
        return units.moves_of_items(estimate, influence, items.counts, items.codes[0], groups)
    each = [
        units.moves_of_items(
            estimate[k], influence[:, k], items.counts[:, k], items.codes[0], groups
        )
        for k in range(items.counts.shape[1])
    ]
    parts = list(zip(*each, strict=True))[:4]
    return Moves(*(np.stack(part, axis=-1) for part in parts))


def _units_of_counts(metric: Metric, data: UnitCounts) -> UnitSample:
    """Return the sample of TP, FP and FN by unit of one model."""
    index = _index_of_units(metric)
    table = data.tables[0]
    if not isinstance(metric, Mean):
        return UnitSample(metric, units.moves_of_counts(table, index.a, index.b), data.grouped)
    if metric.average == "micro":
        moves = units.moves_of_counts(table.sum(axis=2), index.a, index.b)
        return UnitSample(metric, moves, data.grouped)
    if metric.average == "samples":
        return _mean_over_units(metric, index, table)
    return _mean_over_classes(metric, index, table, data.grouped)


def _mean_over_classes(metric: Mean, index: Tversky, table: Array, grouped: bool) -> UnitSample:
    """Return the sample of a mean of the classes' scores, from their counts by unit."""
    tp, fp, fn = table.sum(axis=0)
    defined = tp + (index.a > 0.0) * fp + (index.b > 0.0) * fn > 0.0
    if not defined.any():
        nothing = np.zeros(len(table))
        return UnitSample(metric, Moves(np.array(np.nan), nothing, nothing, nothing), grouped)
    true = tp + fn
    weighted = metric.average == "weighted" and bool(true.any())
    weight = true if weighted else np.ones(len(true))
    moves = units.moves_of_average(table[:, :, defined], index.a, index.b, weighted)
    # A class without weight is not missed.
    sample_of_units = UnitSample(metric.settled(~defined & (weight > 0.0)), moves, grouped)
    if not np.isnan(metric.constant) and not defined.all():
        sample_of_units.add_constant(weight[defined].sum() / weight.sum(), metric.constant)
    return sample_of_units


def _mean_over_units(metric: Mean, index: Tversky, table: Array) -> UnitSample:
    """Return the sample of the mean of the units' own scores. Undefined ones are left out."""
    tp, fp, fn = np.moveaxis(table.sum(axis=2), 1, 0)
    scores = closed_form.tversky_moments(tp, fp, fn, index.a, index.b)[0]
    scores = np.where(np.isnan(scores), metric.constant, scores)
    sample_of_units = UnitSample(metric, units.moves_of_scores(scores))
    sample_of_units.units_left_out = int(np.isnan(scores).sum())
    return sample_of_units


def _index_of_units(metric: Metric) -> Tversky:
    """Return the Tversky score that unit counts are asked for, or of which they give an average."""
    index = metric.of if isinstance(metric, Mean) else metric
    if isinstance(index, Tversky):
        return index
    raise ValueError(
        "counts TP, FP and FN by unit are for Tversky scores ('f1', 'precision', 'recall', "
        f"'jaccard', fbeta(beta)) and their averages, got {metric.name!r}"
    )
