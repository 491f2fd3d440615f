"""Metrics: each knows its value and its gradient.

A metric of a binary classifier is a function of three expectations, as in Yuan &
Jiang (2025), section II: ``E(ZA)``, ``EA`` and ``EZ``, where Z is 1 for an item that
is truly positive and A is 1 for an item that is predicted positive. Their Table III
is implemented by `BinaryMetric` objects, with the gradient of the correlation
corrected (the table prints ``2(EA - 1)`` where ``2EA - 1`` is meant). A measure for
any number of classes is a function of these three by class, or of the whole matrix of cell
probabilities.

Matrices follow scikit-learn's orientation: **rows are true classes, columns are
predicted classes**, and in a 2 x 2 matrix index 1 is the positive class. Takahashi
et al. print the transpose.

Every measure here depends on proportions only, so it takes counts or probabilities
alike. Its gradient is taken with respect to the cell probabilities of the matrix
scaled to total 1, along the directions that keep that total; it is therefore the
influence function of the measure, ``sum(p * gradient) = 0``, and the variance of the
estimate from n items is ``sum(p * gradient**2) / n``.

A score that divides by zero is ``nan``, and so is its gradient. `overlap`, the larger of precision
and recall, has a kink where EA = EZ: no derivative there, and no normal limit. The
one-sided derivative of the EA branch (precision) is used; the EZ branch has the same
standard error. At the kink an interval still covers its level in the limit, but misses
more often on one side than on the other; the mean of the two branches' derivatives
would have a smaller standard error and cover too little.

Arrays have the cells, or the classes, first and a batch of matrices last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.matrix import CellCounts, Cells, all_cells, dense
from f1ci.types import Array, FloatOrArray, as_scalar

# Real when a metric is evaluated, complex when it is differentiated by complex step.
Numbers: TypeAlias = Any
Slopes: TypeAlias = tuple[Numbers, Numbers, Numbers]

_STEP = 1e-30  # a complex step has no cancellation, so it can be as small as one likes

# An influence this small next to the slopes that it is the sum of is rounding, and is really zero.
_ROUNDING = 1e-14

# The derivatives of a `MatrixMetric` take the fourth power of the classes: 60 of them a second.
_MOST_CLASSES = 60

# Fewer items than this that matter to the score of a class are too few.
FEW = 3

UNIT = (0.0, 1.0)
REAL = (-np.inf, np.inf)


class Metric:
    """A performance metric. `BinaryMetric` and `MatrixMetric` make your own.

    Two metrics are equal if they are of one class and have the same name, functions and
    parameters.

    Attributes
    ----------
    name : str
        What the metric is called in results and messages.
    range : tuple of float
        The smallest and the largest value that it can have.
    binary : bool
        True if it takes 2 x 2 matrices only.
    index : Tversky or None
        The Tversky score of what `counts` returns, if the metric is one such score.
    smooth : bool
        True if the metric has no kink, so that it has score limits.
    averages : bool
        True for averages over classes or strata.
    over_items : bool
        True for the mean over items that may be of several classes.
    weighted : bool
        True for averages over classes that weigh these by their true items.
    constant : float
        What a class without a score counts in an average: 0 or 1, or nan if it is left out.
    """

    name: str
    range: tuple[float, float]
    binary: ClassVar[bool] = False
    index: Tversky | None = None
    smooth: bool = True
    averages: ClassVar[bool] = False
    over_items: ClassVar[bool] = False
    weighted: ClassVar[bool] = False

    @property
    def of_class(self) -> Metric:
        """The metric of each class, of an average; else the metric itself."""
        return self

    @property
    def constant(self) -> float:
        return np.nan

    def counts(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        """Return the true positives, false positives and false negatives of `index`."""
        return counts_of_class(matrix, 1)

    def single(self, items: Items) -> Items:
        """Return the items as `index` sees them: of one class, or not."""
        return items

    def value(self, matrix: ArrayLike) -> FloatOrArray:
        """Return the metric of one or more confusion matrices (rows true, columns predicted).

        Parameters
        ----------
        matrix : array_like, shape (..., r, r)
            Counts or probabilities.

        Returns
        -------
        float or ndarray, shape (...)
            ``nan`` where the metric is undefined.
        """
        table = checks.matrices(self, matrix, checks.weights)
        return as_scalar(self.estimate(CellCounts.of(table)))

    def gradient(self, matrix: ArrayLike) -> NDArray[np.float64]:
        """Return the derivatives with respect to the cell probabilities at ``matrix / total``.

        Parameters
        ----------
        matrix : array_like, shape (..., r, r)
            Counts or probabilities (rows true, columns predicted).

        Returns
        -------
        ndarray, shape (..., r, r)
            The influence function: its mean under ``matrix / total`` is zero.
        """
        table = checks.matrices(self, matrix, checks.weights)
        r = table.shape[-1]
        every = np.ascontiguousarray(np.moveaxis(table, (-2, -1), (0, 1)))
        listed = CellCounts(all_cells(r), every.reshape(r * r, *table.shape[:-2]))
        influence = self.evaluate(listed)[1]
        return np.ascontiguousarray(dense(listed.cells, influence))

    def estimate(self, matrix: CellCounts) -> Array:
        """Return the value."""
        return self.evaluate(matrix)[0]

    def evaluate(self, matrix: CellCounts) -> tuple[Array, Array]:
        """Return the value and the influence of each cell."""
        with np.errstate(all="ignore"):
            value, slopes, size = self.slopes_and_size(matrix)
            # An undefined value makes the whole influence nan.
            mean = matrix.sum(slopes) / matrix.total + 0.0 * value
            influence = slopes - mean
            mean_size = matrix.sum(size) / matrix.total
            rounding = np.abs(influence) <= _ROUNDING * (size + mean_size)
        return value, np.where(rounding, 0.0, influence)

    def slopes(self, matrix: CellCounts) -> tuple[Array, Array]:
        """Return the value and the slope by each cell, up to a constant for each matrix."""
        return self.slopes_and_size(matrix)[:2]

    def at_shares(self, cells: Cells) -> Callable[[Array], tuple[Array, Array]]:
        """Return the function of shares by cell (K, B) that gives the value and its slopes."""
        return lambda q: self.slopes(CellCounts(cells, q))

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        """Return the value, the slope by each cell, and the size of what the slope adds up."""
        raise NotImplementedError

    def perfect(self, matrix: CellCounts) -> Array:
        """Return the value if all items of each true class were right."""
        classes = np.arange(matrix.cells.r)
        return self.estimate(CellCounts(Cells(matrix.cells.r, classes, classes), matrix.true))

    def undefined(self, _matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell which parts of an average are undefined, shape (parts, ...); None without parts."""
        return None

    def settled(self, _undefined: NDArray[np.bool_], /) -> Metric:
        """Return the average that has no value for certain parts, whatever the matrix."""
        return self

    def over(self, _classes: int, /) -> tuple[int, ...] | None:
        """Return the places of the classes that an average is over; None for other metrics."""
        return None

    def left_out(self) -> tuple[int, ...]:
        """Return the classes that a settled average leaves out because they have no score."""
        return ()

    def over_some(self, _places: tuple[int, ...], /) -> Metric:
        """Return the average over the classes at some places."""
        raise TypeError(f"{self.name!r} is no average over classes")

    def counting(self, _constant: float, /) -> Metric:
        """Return the average in which a class without a score counts so; nan leaves it out."""
        return self

    def with_few_items(self, _matrix: CellCounts, /) -> NDArray[np.bool_] | None:
        """Tell in which classes of an average fewer than `FEW` items matter to the score."""
        return None

    def few_for_a_share(self, _matrix: CellCounts, /) -> tuple[int, float] | None:
        """Return the items, fewer than `FEW`, that stand for a known share, and the share."""
        return None

    def strata(self, _cells: Cells, /) -> NDArray[np.intp] | None:
        """Return the stratum of each cell, if shares of strata are known."""
        return None

    def simplest(self, _cells: Cells, /) -> Metric:
        """Return the metric without known shares that it does not depend on."""
        return self

    def __repr__(self) -> str:
        return f"<metric {self.name}>"


class ClassMetric(Metric):
    """A function of every class's E(ZA), EA and EZ, arrays of shape (r, ...)."""

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """Return the value."""
        raise NotImplementedError

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Array, Array]:
        """Return the value, and its derivatives by E(ZA), EA and EZ of every class, (3, r, ...)."""
        raise NotImplementedError

    def estimate(self, matrix: CellCounts) -> Array:
        with np.errstate(all="ignore"):
            return finite(self.of_classes(*expectations(matrix)))

    def slopes(self, matrix: CellCounts) -> tuple[Array, Array]:
        value, by_class = self.slopes_of_classes(*expectations(matrix))
        return finite(value), matrix.cells.by_cell(by_class)

    def at_shares(self, cells: Cells) -> Callable[[Array], tuple[Array, Array]]:
        def evaluate(q: Array) -> tuple[Array, Array]:
            value, by_class = self.slopes_of_classes(*cells.by_class(q))
            return finite(value), cells.by_cell(by_class)

        return evaluate

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        value, by_class = self.slopes_of_classes(*expectations(matrix))
        size = matrix.cells.by_cell(np.abs(by_class))
        return finite(value), matrix.cells.by_cell(by_class), size


class ExpectationMetric(ClassMetric):
    """A function of the E(ZA), EA and EZ of the positive class."""

    binary: ClassVar[bool] = True
    function: Callable[[Numbers, Numbers, Numbers], Numbers]

    def at(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Array:
        """Return the value at three arrays of expectations that broadcast together."""
        with np.errstate(all="ignore"):
            return finite(self.function(eza, ea, ez))

    def partials(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        """Return the derivatives of Table III: by E(ZA), by EA and by EZ."""
        step = 1j * _STEP
        by_right = np.imag(self.function(eza + step, ea, ez)) / _STEP
        by_predicted = np.imag(self.function(eza, ea + step, ez)) / _STEP
        by_true = np.imag(self.function(eza, ea, ez + step)) / _STEP
        return by_right, by_predicted, by_true

    def with_slopes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Array, Slopes]:
        """Return the value and the derivatives."""
        return self.at(eza, ea, ez), self.partials(eza, ea, ez)

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        return self.at(eza[1], ea[1], ez[1])

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Array, Array]:
        value, partials = self.with_slopes(eza[1], ea[1], ez[1])
        by_class = np.zeros((3, 2, *value.shape))
        by_class[:, 1] = np.broadcast_arrays(*partials)
        return value, by_class


def _check_range(value: tuple[float, float]) -> None:
    """Check that the range of a metric of one's own is a smaller and a larger number."""
    ends = checks.real("range", value)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        got = checks.short(value)
        raise ValueError(f"range must be the smallest and the largest value, got {got}")


@dataclass(frozen=True, repr=False)
class BinaryMetric(ExpectationMetric):
    """A metric of a binary classifier, a function of E(ZA), EA and EZ.

    Parameters
    ----------
    name : str
        What the metric is called in results and messages.
    function : callable
        ``function(eza, ea, ez)`` for arrays of any shape. Its derivatives are found by complex
        step, exactly to rounding. So it must be made of arithmetic and analytic functions
        (`numpy.sqrt`, not `abs`, `min` or `max`).
    range : tuple of float, optional
        The smallest and the largest possible value, infinite if there is none.
    smooth : bool, optional
        Say False if the metric has a kink. Then it has no score limits.

    Examples
    --------
    Youden's J is recall plus specificity minus 1. Write it in terms of the three expectations,
    and you have its interval:

    >>> from f1ci.metrics import BinaryMetric
    >>> from f1ci import Matrix
    >>> def value(x, ea, ez):
    ...     return x / ez - (ea - x) / (1 - ez)
    >>> youden = BinaryMetric("youden", value, range=(-1, 1))
    >>> interval = Matrix([[159, 47], [43, 286]]).interval(youden)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.641 (0.569, 0.704)
    """

    name: str
    function: Callable[[Numbers, Numbers, Numbers], Numbers]
    range: tuple[float, float] = REAL
    smooth: bool = True

    def __post_init__(self) -> None:
        _check_range(self.range)


@dataclass(frozen=True, repr=False)
class MatrixMetric(Metric):
    """A metric for any number of classes, a function of the cell probabilities.

    Parameters
    ----------
    name : str
        What the metric is called in results and messages.
    function : callable
        ``function(p)`` for arrays of shape (..., r, r) whose matrices sum to 1, rows
        true and columns predicted. For its derivatives see `BinaryMetric`. At most 60 classes.
    range : tuple of float, optional
        The smallest and the largest possible value, infinite if there is none.

    Examples
    --------
    Cohen's kappa:

    >>> import numpy as np
    >>> from f1ci.metrics import MatrixMetric
    >>> from f1ci import Matrix
    >>> def kappa(p):
    ...     agreement = np.trace(p, axis1=-2, axis2=-1)
    ...     chance = (p.sum(axis=-1) * p.sum(axis=-2)).sum(axis=-1)
    ...     return (agreement - chance) / (1 - chance)
    >>> matrix = [[2, 5, 0], [2, 70, 2], [2, 2, 15]]
    >>> interval = Matrix(matrix).interval(MatrixMetric("kappa", kappa))
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.670 (0.491, 0.803)
    """

    name: str
    function: Callable[[Numbers], Numbers]
    range: tuple[float, float] = REAL

    def __post_init__(self) -> None:
        _check_range(self.range)

    def estimate(self, matrix: CellCounts) -> Array:
        with np.errstate(all="ignore"):
            return finite(self.function(shares(matrix)))

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        p = shares(matrix)
        cells = matrix.cells
        if cells.r > _MOST_CLASSES:
            rule = f"{self.name!r} takes at most {_MOST_CLASSES} classes"
            why = "its derivatives take the fourth power of their number"
            raise ValueError(f"{rule}, because {why}, got {cells.r}")
        slopes = np.empty(matrix.counts.shape)
        step = np.zeros((cells.r, cells.r), dtype=complex)
        for k, (true, predicted) in enumerate(zip(cells.true, cells.predicted, strict=True)):
            step[true, predicted] = 1j * _STEP
            slopes[k] = np.imag(self.function(p + step)) / _STEP
            step[true, predicted] = 0.0
        return finite(self.function(p)), slopes, np.abs(slopes)


@dataclass(frozen=True, repr=False)
class Tversky(ExpectationMetric):
    """A Tversky index; `a` weighs the false positives and `b` the false negatives."""

    name: str
    a: float
    b: float
    range: tuple[float, float] = UNIT

    @cached_property
    def index(self) -> Tversky:  # type: ignore[override]
        return self

    def function(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """Return the value."""
        return eza / (eza + self.a * (ea - eza) + self.b * (ez - eza))

    def partials(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        return self.with_slopes(eza, ea, ez)[1]

    def with_slopes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> tuple[Array, Slopes]:
        divisor = eza + self.a * (ea - eza) + self.b * (ez - eza)
        share = eza / divisor
        by_right = (1.0 - (1.0 - self.a - self.b) * share) / divisor
        return finite(share), (by_right, -self.a * share / divisor, -self.b * share / divisor)

    def items_that_matter(self, matrix: CellCounts) -> Array:
        """Return the relevant items by class: right ones, and errors of the kinds that count."""
        matter = np.array(matrix.right)
        if self.a > 0.0:
            matter += matrix.predicted - matrix.right
        if self.b > 0.0:
            matter += matrix.true - matrix.right
        return matter


def is_f1(metric: Metric) -> bool:
    """Tell if a metric is a Tversky score with weights of one half."""
    return isinstance(metric, Tversky) and metric.a == metric.b == 0.5


precision = Tversky("precision", 1.0, 0.0)
recall = Tversky("recall", 0.0, 1.0)


class ShareRight(Metric):
    """The share of items that are right: recall of one class to which every item belongs.

    Accuracy and the micro average compute it alike, so their limits are the same to the last digit.
    """

    index = recall

    def counts(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        is_right = matrix.cells.right
        right = matrix.counts[is_right].sum(axis=0)
        return right, 0.0 * right, matrix.counts[~is_right].sum(axis=0)

    def single(self, items: Items) -> Items:
        return items.right_or_wrong()

    def over(self, _classes: int, /) -> None:
        """Return None: the share of right items is over items."""
        return

    def with_few_items(self, _matrix: CellCounts, /) -> None:
        """Return None: all items matter."""
        return

    def estimate(self, matrix: CellCounts) -> Array:
        right, _, wrong = self.counts(matrix)
        with np.errstate(invalid="ignore"):
            return np.asarray(right / (right + wrong))

    def slopes(self, matrix: CellCounts) -> tuple[Array, Array]:
        return self.slopes_and_size(matrix)[:2]

    def slopes_and_size(self, matrix: CellCounts) -> tuple[Array, Array, Array]:
        is_right = matrix.cells.right.reshape(-1, *(1,) * matrix.total.ndim)
        slopes = np.ones_like(matrix.counts) * is_right
        return self.estimate(matrix), slopes, slopes


class Accuracy(ShareRight, BinaryMetric):
    """The share of items that are right, of any number of classes.

    It is one of the metrics of two classes of Table III, too.
    """

    binary = False


def counts_of_class(matrix: CellCounts, place: int) -> tuple[Array, Array, Array]:
    """Return TP, FP and FN of one class against the rest."""
    tp = matrix.right[place]
    return tp, matrix.predicted[place] - tp, matrix.true[place] - tp


def shares(matrix: CellCounts) -> Array:
    """Return the cell probabilities, shape (..., r, r)."""
    return np.asarray(matrix.dense() / matrix.total[..., None, None])


def finite(value: Numbers) -> Array:
    """Return the values, with nan instead of infinite ones."""
    return np.where(np.isfinite(value), value, np.nan)


def expectations(matrix: CellCounts) -> Slopes:
    """Return E(ZA), EA and EZ of each class against the rest, each of shape (r, ...)."""
    eza, ea, ez = matrix.by_class / matrix.total
    return eza, ea, ez
