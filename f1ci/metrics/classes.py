"""Metrics: each knows its value, its gradient, and the scores that it is made of.

A metric of a binary classifier is a function of three expectations, as in Yuan &
Jiang (2025), section II: ``E(ZA)``, ``EA`` and ``EZ``, where Z is 1 for an item that
is truly positive and A is 1 for an item that is predicted positive. Their Table III
is implemented by `BinaryMetric` objects, with the gradient of the correlation
corrected (the table prints ``2(EA - 1)`` where ``2EA - 1`` is meant). A measure for
any number of classes is a function of the whole matrix of cell probabilities:
Takahashi et al. (2022), equations 1 to 3, generalised from F1 to F-beta.

Matrices follow scikit-learn's orientation: **rows are true classes, columns are
predicted classes**, and in a 2 x 2 matrix index 1 is the positive class. Takahashi
et al. print the transpose.

Every measure here depends on proportions only, so it takes counts or probabilities
alike. Its gradient is taken with respect to the cell probabilities of the matrix
scaled to total 1, along the directions that keep that total; it is therefore the
influence function of the measure, ``sum(p * gradient) = 0``, and the variance of the
estimate from n items is ``sum(p * gradient**2) / n``.

A measure that divides by zero (a class that is never predicted, or never true, as
the case may be) is ``nan``, and so is its gradient. `overlap`, the larger of precision
and recall, has a kink where EA = EZ: no derivative there, and no normal limit. The
one-sided derivative of the EA branch (precision) is used; the EZ branch has the same
standard error. At the kink an interval still covers its level in the limit, but misses
more often on one side than on the other; the mean of the two branches' derivatives
would have a smaller standard error and cover too little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _validation
from f1ci.counts import Items, Matrix
from f1ci.results import Array, FloatOrArray, as_scalar

# Real when a metric is evaluated, complex when it is differentiated by complex step.
Numbers: TypeAlias = Any
Slopes: TypeAlias = tuple[Numbers, Numbers, Numbers]

_STEP = 1e-30  # a complex step has no cancellation, so it can be as small as one likes

# An influence this small next to the slopes that it is the sum of is rounding, and is really zero.
_ROUNDING = 1e-14

UNIT = (0.0, 1.0)
REAL = (-np.inf, np.inf)


class Parts(NamedTuple):
    """The parts of an average: one or two Tversky scores of every class.

    Attributes
    ----------
    scores : tuple of Tversky
        The scores of each class.
    weighted : bool
        The average depends on the classes' shares of the items.
    chosen : tuple of int
        The classes that are averaged, if not all are.
    """

    scores: tuple[Tversky, ...]
    weighted: bool
    chosen: tuple[int, ...] = ()


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
    only : int
        The class that `index` is the score of.
    parts : Parts or None
        The scores of the classes, if the metric is an average of Tversky scores.
    smooth : bool
        True if the metric has no kink, so that it has score limits.
    """

    name: str
    range: tuple[float, float]
    binary: ClassVar[bool] = False
    index: Tversky | None = None
    only: int = 1
    parts: Parts | None = None
    smooth: bool = True

    def counts(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        """Return the true positives, false positives and false negatives of `index`."""
        tp = matrix.right[..., self.only]
        return tp, matrix.predicted[..., self.only] - tp, matrix.true[..., self.only] - tp

    def single(self, items: Items) -> tuple[Metric, Items]:
        """Return the same metric of the same items as the score of one class, if possible."""
        if self.index is None or self.index is self:
            return self, items
        codes = (items.codes == self.only).astype(np.int64)
        return self.index, items._replace(codes=codes, classes=("others", "chosen"))

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
        table = _validation.matrices(self, matrix, _validation.weights)
        return as_scalar(self.estimate(Matrix(table)))

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
        table = _validation.matrices(self, matrix, _validation.weights)
        return np.ascontiguousarray(self.evaluate(Matrix(table))[1])

    def estimate(self, matrix: Matrix) -> Array:
        """Return the value."""
        return self.evaluate(matrix)[0]

    def evaluate(self, matrix: Matrix) -> tuple[Array, Array]:
        """Return the value and the influence of each cell."""
        with np.errstate(all="ignore"):
            value, influence, size = self._evaluate(matrix)
            value = _finite(value)
            # An undefined value makes the whole influence nan.
            mean = np.asarray(matrix.sum(influence) / matrix.total + 0.0 * value)
            mean = mean.reshape(mean.shape + (1,) * (influence.ndim - mean.ndim))
            influence = influence - mean
            mean_size = np.asarray(matrix.sum(size) / matrix.total).reshape(mean.shape)
            rounding = np.abs(influence) <= _ROUNDING * (size + mean_size)
        return value, np.where(rounding, 0.0, influence)

    def moments(self, matrix: Matrix) -> tuple[Array, Array]:
        """Return the estimate and its standard error."""
        value, influence = self.evaluate(matrix)
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(matrix.sum(influence * influence)) / matrix.total
        return value, np.where(np.isnan(value), np.nan, error)

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        """Return the value, the slope by each cell, and the size of what the slope adds up."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<metric {self.name}>"


class ClassMetric(Metric):
    """A function of every class's E(ZA), EA and EZ, arrays of shape (..., r)."""

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """Return the value."""
        raise NotImplementedError

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        """Return the derivatives by E(ZA), EA and EZ of every class."""
        raise NotImplementedError

    def estimate(self, matrix: Matrix) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(_finite(self.of_classes(*expectations(matrix))))

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        of = expectations(matrix)
        slopes = self.slopes_of_classes(*of)
        size = matrix.by_cell(*(np.abs(slope) for slope in slopes))
        return self.of_classes(*of), matrix.by_cell(*slopes), size


class ExpectationMetric(ClassMetric):
    """A function of the E(ZA), EA and EZ of the positive class."""

    binary: ClassVar[bool] = True
    function: Callable[[Numbers, Numbers, Numbers], Numbers]

    def at(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """Return the value at three arrays of expectations that broadcast together."""
        with np.errstate(all="ignore"):
            return _finite(np.asarray(self.function(eza, ea, ez)))

    def partials(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        """Return the derivatives of Table III: by E(ZA), by EA and by EZ."""
        step = 1j * _STEP
        points = ((eza + step, ea, ez), (eza, ea + step, ez), (eza, ea, ez + step))
        d1, d2, d3 = (np.imag(self.function(*point)) / _STEP for point in points)
        return d1, d2, d3

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        return self.at(eza[..., 1], ea[..., 1], ez[..., 1])

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        slopes = np.broadcast_arrays(*self.partials(eza[..., 1], ea[..., 1], ez[..., 1]))
        # Only the positive class counts.
        d1, d2, d3 = (np.stack([np.zeros_like(slope), slope], axis=-1) for slope in slopes)
        return d1, d2, d3


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
    >>> from f1ci import metric_interval
    >>> def value(x, ea, ez):
    ...     return x / ez - (ea - x) / (1 - ez)
    >>> youden = BinaryMetric("youden", value, range=(-1, 1))
    >>> interval = metric_interval([[159, 47], [43, 286]], youden)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.641 (0.569, 0.704)
    """

    name: str
    function: Callable[[Numbers, Numbers, Numbers], Numbers]
    range: tuple[float, float] = REAL
    smooth: bool = True


@dataclass(frozen=True, repr=False)
class MatrixMetric(Metric):
    """A metric for any number of classes, a function of the cell probabilities.

    Parameters
    ----------
    name : str
        What the metric is called in results and messages.
    function : callable
        ``function(p)`` for arrays of shape (..., r, r) whose matrices sum to 1, rows
        true and columns predicted. For its derivatives see `BinaryMetric`.
    range : tuple of float, optional
        The smallest and the largest possible value, infinite if there is none.

    Examples
    --------
    Cohen's kappa:

    >>> import numpy as np
    >>> from f1ci.metrics import MatrixMetric
    >>> from f1ci import metric_interval
    >>> def kappa(p):
    ...     agreement = np.trace(p, axis1=-2, axis2=-1)
    ...     chance = (p.sum(axis=-1) * p.sum(axis=-2)).sum(axis=-1)
    ...     return (agreement - chance) / (1 - chance)
    >>> matrix = [[2, 5, 0], [2, 70, 2], [2, 2, 15]]
    >>> interval = metric_interval(matrix, MatrixMetric("kappa", kappa))
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.670 (0.498, 0.802)
    """

    name: str
    function: Callable[[Numbers], Numbers]
    range: tuple[float, float] = REAL

    def estimate(self, matrix: Matrix) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(_finite(self.function(shares(matrix))))

    def _evaluate(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        p = shares(matrix)
        gradient = np.empty(p.shape)
        for cell in np.ndindex(p.shape[-2:]):
            step = np.zeros(p.shape[-2:], dtype=complex)
            step[cell] = 1j * _STEP
            gradient[(..., *cell)] = np.imag(self.function(p + step)) / _STEP
        slopes = matrix.at_cells(gradient)
        return np.asarray(self.function(p)), slopes, np.abs(slopes)


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


def is_f1(metric: Metric) -> bool:
    """Tell if a metric is a Tversky score with weights of one half."""
    return isinstance(metric, Tversky) and metric.a == metric.b == 0.5


precision = Tversky("precision", 1.0, 0.0)
recall = Tversky("recall", 0.0, 1.0)


class ShareRight(Metric):
    """The share of items that are right: recall of one class to which every item belongs."""

    index = recall

    def counts(self, matrix: Matrix) -> tuple[Array, Array, Array]:
        right = matrix.right.sum(axis=-1)
        return right, 0.0 * right, matrix.total - right

    def single(self, items: Items) -> tuple[Metric, Items]:
        return recall, items.right_or_wrong()


class Accuracy(ShareRight, BinaryMetric):
    """The share of items that are right, of two classes."""


@dataclass(frozen=True, repr=False)
class Mean(ClassMetric):
    """The average of a binary metric over classes, each against the rest.

    The average is "macro", "weighted" by the true items, or "micro", the score of the counts of
    all classes together. Of the classes at the places `chosen`, errors count where they are errors,
    as scikit-learn has it for ``labels=``: an item of another class that is predicted as one of
    these is a false positive, and an item that is predicted as another class a false negative.
    """

    name: str
    of: ExpectationMetric
    average: str
    range: tuple[float, float]
    smooth: bool = True
    chosen: tuple[int, ...] = ()

    @cached_property
    def parts(self) -> Parts | None:  # type: ignore[override]
        if self.average == "micro" or not isinstance(self.of, Tversky):
            return None
        return Parts((self.of,), self.average == "weighted", self.chosen)

    def _weighed(self, *every: Numbers) -> tuple[Slopes, Numbers]:
        """Return the expectations of the classes, or of all in one, and their weights."""
        of = [x[..., list(self.chosen)] if self.chosen else x for x in every]
        if self.average == "micro":
            of = [x.sum(axis=-1, keepdims=True) for x in of]
        eza, ea, ez = of
        return (eza, ea, ez), ez if self.average == "weighted" else np.ones_like(ez)

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        of, weights = self._weighed(eza, ea, ez)
        # A class that is never true has no weight, defined or not.
        values = np.where(weights == 0, 0.0, weights * self.of.at(*of))
        return values.sum(axis=-1) / weights.sum(axis=-1)

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        of, weights = self._weighed(eza, ea, ez)
        slopes = weights * np.array(np.broadcast_arrays(*self.of.partials(*of)))
        if self.average == "weighted":
            slopes[2] += self.of.at(*of)
        slopes = np.where(weights == 0, 0.0, slopes)
        if self.average == "weighted":
            slopes[2] -= self.of_classes(eza, ea, ez)[..., None]
        every = np.zeros((3, *eza.shape), slopes.dtype)
        every[..., list(self.chosen) or slice(None)] = slopes
        d1, d2, d3 = every / weights.sum(axis=-1, keepdims=True)
        return d1, d2, d3


class Micro(ShareRight, Mean):
    """The micro average of an F score over all classes: the share of items that are right."""


def mean_of(average: str, of: Metric, chosen: tuple[int, ...] = ()) -> Mean:
    """Return an average of a binary metric over all classes, or over those at some places."""
    if not isinstance(of, ExpectationMetric):
        raise ValueError(f"only a binary metric can be averaged, got {of.name!r}")
    name, kept = f"{average}_{of.name}", (of.range, of.smooth)
    f_score = isinstance(of, Tversky) and round(of.a + of.b, 12) == 1.0
    right = (average == "micro" and f_score) or (average == "weighted" and of == recall)
    if right and not chosen:
        return Micro(name, of, "micro", *kept)  # the share of right items
    return Mean(name, of, average, *kept, chosen)


@dataclass(frozen=True, repr=False)
class MacroStar(ClassMetric):
    """F-beta of mean precision and mean recall."""

    name: str
    a: float
    b: float
    range: tuple[float, float] = UNIT

    parts = Parts((precision, recall), False)

    def _of(self, p: Numbers, q: Numbers) -> Slopes:
        """Return F-beta of the means of precisions and recalls, and its slopes by each of them."""
        mean_p, mean_q, r = p.mean(axis=-1), q.mean(axis=-1), p.shape[-1]
        divisor = self.a * mean_q + self.b * mean_p
        # Where no item is right all three are 0. The metric is 0 then, and so is its gradient on
        # every cell that is not empty. Any other divisor makes them 0.
        divisor = np.where(divisor == 0, 1.0, divisor)
        slopes = self.a / r * (mean_q / divisor) ** 2, self.b / r * (mean_p / divisor) ** 2
        return mean_p * mean_q / divisor, *slopes

    def of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        return self._of(eza / ea, eza / ez)[0]

    def slopes_of_classes(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Slopes:
        p, q = eza / ea, eza / ez  # precision and recall by class
        by_p, by_q = (slope[..., None] for slope in self._of(p, q)[1:])
        return by_p / ea + by_q / ez, -by_p * p / ea, -by_q * q / ez


def shares(matrix: Matrix) -> Array:
    """Return the cell probabilities, shape (..., r, r)."""
    return np.asarray(matrix.dense() / matrix.total[..., None, None])


def _finite(value: Numbers) -> Numbers:
    return np.where(np.isfinite(value), value, np.nan)


def expectations(matrix: Matrix) -> Slopes:
    """Return E(ZA), EA and EZ of each class against the rest, each of shape (..., r)."""
    n = matrix.total[..., None]
    return matrix.right / n, matrix.predicted / n, matrix.true / n
