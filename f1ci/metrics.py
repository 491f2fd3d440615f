"""Performance measures: value and gradient, by name or as objects with parameters.

A measure of a binary classifier is a function of three expectations, as in Yuan &
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
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import _validation
from f1ci.results import Array, FloatOrArray, as_scalar

# Arrays: real when a measure is evaluated, complex when it is differentiated by complex step.
Numbers: TypeAlias = Any
Partials: TypeAlias = tuple[Numbers, Numbers, Numbers]

_STEP = 1e-30  # a complex step has no cancellation, so it can be as small as one likes

# A variance this small next to the squared slopes is rounding, and is really zero: one
# differing item among n makes it about 1 / n, and rounding about 1e-31.
ROUNDING = 1e-28

UNIT = (0.0, 1.0)
REAL = (-np.inf, np.inf)


class Metric:
    """A performance measure; see `BinaryMetric` and `MatrixMetric` for how to make one.

    Two measures are equal if they are of one kind and have the same name, functions and
    parameters.

    Attributes
    ----------
    name : str
        What it is called in results and messages.
    range : tuple of float
        The smallest and the largest value that it can have.
    kind : str
        Which methods apply: "f1", another "tversky" index, the "share" of items that are right,
        the "mean" of a Tversky index over classes, "macro_star", another "binary" measure
        or another function of the whole "matrix".
    """

    name: str
    range: tuple[float, float]
    kind: str
    binary = False

    def value(self, matrix: ArrayLike) -> FloatOrArray:
        """The measure, for one or more confusion matrices (rows true, columns predicted).

        Parameters
        ----------
        matrix : array_like, shape (..., r, r)
            Counts or probabilities.

        Returns
        -------
        float or ndarray, shape (...)
            ``nan`` where the measure is undefined.
        """
        return as_scalar(self.estimate(_validation.matrices(self, matrix, _validation.weights)))

    def gradient(self, matrix: ArrayLike) -> NDArray[np.float64]:
        """The derivatives with respect to the cell probabilities at ``matrix / total``.

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
        return np.asarray(self.evaluate(table)[1])

    def estimate(self, table: Numbers) -> Numbers:
        """`value` for validated float matrices: the kernel."""
        with np.errstate(all="ignore"):
            return _finite(self._value(_scaled(table)))

    def evaluate(self, table: Numbers) -> tuple[Numbers, Numbers]:
        """`value` and `gradient` for validated float matrices: the kernel."""
        with np.errstate(all="ignore"):
            p = _scaled(table)
            value, gradient = self._evaluate(p)
            value = _finite(value)
            mean = np.einsum("...ij,...ij->...", p, gradient)
            # An undefined value makes the whole gradient nan.
            gradient = gradient - (mean + 0.0 * value)[..., None, None]
        return value, gradient

    def moments(self, table: Numbers) -> tuple[Numbers, Numbers]:
        """Estimates and their standard errors for validated float matrices of counts."""
        estimate, influence = self.evaluate(table)
        n = table.sum(axis=(-2, -1))
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.einsum("...ij,...ij,...ij->...", table, influence, influence) / n
            scale = np.abs(influence).max(axis=(-2, -1))
            variance = np.where(variance <= ROUNDING * scale**2, 0.0, variance) / n
        return estimate, np.sqrt(np.where(np.isnan(estimate), np.nan, variance))

    def _value(self, p: Numbers) -> Numbers:
        raise NotImplementedError

    def _evaluate(self, p: Numbers) -> tuple[Numbers, Numbers]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<metric {self.name}>"


class Question(NamedTuple):
    """What the kernel of a method is asked: end points for some estimates of a metric.

    Attributes
    ----------
    metric : Metric
        The metric.
    counts : tuple of ndarray
        TP, FP and FN for a Tversky index; with equal weights TP, FP + FN and 0. For a share the
        right items, the wrong ones and 0. Nothing for other metrics.
    matrix : ndarray, shape (..., r, r)
        For all other metrics.
    estimate, error : ndarray
        The sample metric and its standard error by the delta method.
    level, z : float
        The level and its two-sided normal quantile.
    """

    metric: Metric
    counts: tuple[Array, ...]
    matrix: Any  # an array, or None where the counts say all
    estimate: Array
    error: Array
    level: float
    z: float


class _OfExpectations(Metric):
    """A function of E(ZA), EA and EZ."""

    function: Callable[..., Any]
    derivatives: Callable[..., Partials] | None
    binary = True

    def at(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """The value at three arrays of expectations that broadcast together."""
        with np.errstate(all="ignore"):
            return _finite(np.asarray(self.function(eza, ea, ez)))

    def partials(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
        """The derivatives of Table III: by E(ZA), by EA and by EZ."""
        with np.errstate(all="ignore"):
            if self.derivatives is not None:
                return self.derivatives(eza, ea, ez)
            moved = (
                (eza + 1j * _STEP, ea, ez),
                (eza, ea + 1j * _STEP, ez),
                (eza, ea, ez + 1j * _STEP),
            )
            d1, d2, d3 = (np.imag(self.function(*at)) / _STEP for at in moved)
        return d1, d2, d3

    def _value(self, p: Numbers) -> Numbers:
        return self.at(*positive_expectations(p))

    def _evaluate(self, p: Numbers) -> tuple[Numbers, Numbers]:
        expectations = positive_expectations(p)
        d1, d2, d3 = self.partials(*expectations)
        gradient = np.zeros(p.shape)
        gradient[..., 0, 1] = d2
        gradient[..., 1, 0] = d3
        gradient[..., 1, 1] = d1 + d2 + d3
        return self.at(*expectations), gradient


@dataclass(frozen=True, repr=False)
class BinaryMetric(_OfExpectations):
    """A measure of a binary classifier, a function of E(ZA), EA and EZ.

    Parameters
    ----------
    name : str
        What it is called in results and messages.
    function : callable
        ``function(eza, ea, ez)`` for arrays of any shape.
    derivatives : callable, optional
        ``derivatives(eza, ea, ez)`` gives the three partial derivatives. Without it
        they are found by complex step, exactly to rounding, which asks that
        `function` be made of arithmetic and analytic functions (`numpy.sqrt`, not
        `abs`, `min` or `max`).
    range : tuple of float, optional
        The smallest and the largest possible value, infinite if there is none.

    Examples
    --------
    Youden's J is recall plus specificity minus 1. Having written it in terms of the
    three expectations, one has its interval:

    >>> from f1ci.metrics import BinaryMetric
    >>> from f1ci import metric_interval
    >>> def value(x, ea, ez):
    ...     return x / ez - (ea - x) / (1 - ez)
    >>> youden = BinaryMetric("youden", value, range=(-1, 1))
    >>> interval = metric_interval([[159, 47], [43, 286]], youden)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.641 (0.568, 0.704)
    """

    name: str
    function: Callable[[Any, Any, Any], Any]
    derivatives: Callable[[Any, Any, Any], Partials] | None = None
    range: tuple[float, float] = REAL
    kind: str = "binary"


@dataclass(frozen=True, repr=False)
class MatrixMetric(Metric):
    """A measure for any number of classes, a function of the cell probabilities.

    Parameters
    ----------
    name : str
        What it is called in results and messages.
    function : callable
        ``function(p)`` for arrays of shape (..., r, r) whose matrices sum to 1, rows
        true and columns predicted.
    derivatives : callable, optional
        ``derivatives(p)`` gives the partial derivatives, shape (..., r, r). Without it
        they are found by complex step, see `BinaryMetric`.
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
    0.670 (0.513, 0.827)
    """

    name: str
    function: Callable[[Any], Any]
    derivatives: Callable[[Any], Any] | None = None
    range: tuple[float, float] = REAL
    kind: str = "matrix"

    def _value(self, p: Numbers) -> Numbers:
        return np.asarray(self.function(p))

    def _evaluate(self, p: Numbers) -> tuple[Numbers, Numbers]:
        if self.derivatives is not None:
            return self._value(p), np.asarray(self.derivatives(p))
        gradient = np.empty(p.shape)
        for cell in np.ndindex(p.shape[-2:]):
            step = np.zeros(p.shape[-2:], dtype=complex)
            step[cell] = 1j * _STEP
            gradient[(..., *cell)] = np.imag(self.function(p + step)) / _STEP
        return self._value(p), gradient


def count_moments(
    tp: Numbers, fp: Numbers, fn: Numbers, a: float, b: float
) -> tuple[Numbers, Numbers]:
    """A Tversky index and its standard error, from counts of items."""
    whole = tp + a * fp + b * fn
    value = tp / whole
    wrong = (a * fp + b * fn) / whole  # 1 - value, exact at the borders
    return value, np.sqrt((tp * wrong**2 + (fp * a * a + fn * b * b) * value**2) / whole**2)


class _OfClasses(Metric):
    """A function of every class's three expectations, each of shape (..., r)."""

    range = UNIT
    function: Callable[..., Any]
    derivatives: Callable[..., Any]

    def _value(self, p: Numbers) -> Numbers:
        return self.function(*_class_expectations(p))

    def _evaluate(self, p: Numbers) -> tuple[Numbers, Numbers]:
        expectations = _class_expectations(p)
        d1, d2, d3 = self.derivatives(*expectations)
        # The cell of true class i and predicted class j adds to EZ of class i and to EA
        # of class j, and a diagonal cell to E(ZA) of its class.
        gradient = d3[..., :, None] + d2[..., None, :]
        diagonal = np.arange(p.shape[-1])
        gradient[..., diagonal, diagonal] += d1
        return self.function(*expectations), gradient


@dataclass(frozen=True, repr=False)
class Tversky(_OfExpectations):
    """A Tversky index; `a` weighs the false positives and `b` the false negatives."""

    name: str
    a: float
    b: float
    kind: str = "tversky"
    range: tuple[float, float] = UNIT

    def function(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """The value."""
        return eza / (eza + self.a * (ea - eza) + self.b * (ez - eza))

    def derivatives(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
        """The derivatives by E(ZA), EA and EZ."""
        # Table III's (g / eza)**2 is 1 / denominator**2, which does not break at eza = 0.
        a, b = self.a, self.b
        square = (eza + a * (ea - eza) + b * (ez - eza)) ** 2
        return (a * ea + b * ez) / square, -a * eza / square, -b * eza / square


@dataclass(frozen=True, repr=False)
class _Mean(_OfClasses):
    """The mean of a binary measure over classes, each against the rest."""

    name: str
    of: Any  # a binary measure
    weighted: bool  # by the classes' numbers of true items
    kind: str
    range: tuple[float, float]

    def function(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        values = self.of.at(eza, ea, ez)
        if self.weighted:
            # Shares may add up to a little more than 1.
            return np.clip(np.where(ez == 0, 0.0, ez * values).sum(axis=-1), *self.range)
        return values.mean(axis=-1)

    def derivatives(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
        d1, d2, d3 = self.of.partials(eza, ea, ez)
        if not self.weighted:
            r = np.shape(eza)[-1]
            return d1 / r, d2 / r, d3 / r
        # A class that is never true has no weight, defined or not.
        parts = ez * d1, ez * d2, ez * d3 + self.of.at(eza, ea, ez)
        d1, d2, d3 = (np.where(ez == 0, 0.0, part) for part in parts)
        return d1, d2, d3


@dataclass(frozen=True, repr=False)
class _MacroStar(_OfClasses):
    """F-beta of mean precision and mean recall."""

    name: str
    a: float
    b: float
    kind: str = "macro_star"

    def function(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        mean_precision, mean_recall = (eza / ea).mean(axis=-1), (eza / ez).mean(axis=-1)
        return mean_precision * mean_recall / self._divisor(mean_precision, mean_recall)

    def derivatives(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
        r = np.shape(eza)[-1]
        p, q = eza / ea, eza / ez  # precision and recall by class
        mean_p, mean_q = p.mean(axis=-1, keepdims=True), q.mean(axis=-1, keepdims=True)
        divisor = self._divisor(mean_p, mean_q)
        by_p = self.a / r * (mean_q / divisor) ** 2
        by_q = self.b / r * (mean_p / divisor) ** 2
        return by_p / ea + by_q / ez, -by_p * p / ea, -by_q * q / ez

    def _divisor(self, mean_precision: Numbers, mean_recall: Numbers) -> Numbers:
        """What the product of the means is divided by to give their F-beta.

        Where no item is right all three are 0. The measure is 0 then, and so is its gradient
        on every cell that is not empty, which any other divisor makes them.
        """
        divisor = self.a * mean_recall + self.b * mean_precision
        return np.where(divisor == 0, 1.0, divisor)


def _scaled(matrix: Numbers) -> Numbers:
    return matrix / matrix.sum(axis=(-2, -1), keepdims=True)


def _finite(value: Numbers) -> Numbers:
    return np.where(np.isfinite(value), value, np.nan)


def positive_expectations(p: Numbers) -> Partials:
    """E(ZA), EA and EZ of 2 x 2 matrices of probabilities."""
    return p[..., 1, 1], p[..., 0, 1] + p[..., 1, 1], p[..., 1, 0] + p[..., 1, 1]


def _class_expectations(p: Numbers) -> Partials:
    """E(ZA), EA and EZ of each class against the rest, each of shape (..., r)."""
    return np.diagonal(p, axis1=-2, axis2=-1), p.sum(axis=-2), p.sum(axis=-1)


# The measures of Table III.


def _accuracy(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return 2 * eza - ea - ez + 1


def _correlation(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return (eza - ea * ez) / np.sqrt(ez * (1 - ez) * ea * (1 - ea))


def _correlation_derivatives(eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
    d1 = 1 / np.sqrt(ez * (1 - ez) * ea * (1 - ea))
    d2 = d1 * ((2 * ea - 1) * eza - ea * ez) / (2 * ea * (1 - ea))
    d3 = d1 * ((2 * ez - 1) * eza - ea * ez) / (2 * ez * (1 - ez))
    return d1, d2, d3


def _cosine(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return eza / np.sqrt(ea * ez)


def _cosine_derivatives(eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
    d1 = 1 / np.sqrt(ea * ez)
    return d1, -d1 * eza / (2 * ea), -d1 * eza / (2 * ez)


def _lift(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return eza / (ea * ez)


def _lift_derivatives(eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
    d1 = 1 / (ea * ez)
    return d1, -d1 * eza / ea, -d1 * eza / ez


def _overlap(eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
    return eza / np.where(np.real(ea) <= np.real(ez), ea, ez)


def _overlap_derivatives(eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
    by_ea = ea <= ez
    smaller = np.minimum(ea, ez)
    slope = -eza / smaller**2
    return 1 / smaller, np.where(by_ea, slope, 0.0), np.where(by_ea, 0.0, slope)


def tversky(a: float, b: float) -> Tversky:
    """Tversky index: TP / (TP + a FP + b FN).

    Parameters
    ----------
    a, b : float
        Weights of the false positives and of the false negatives; not negative, and
        not both zero.

    Returns
    -------
    Tversky
        A metric with attributes `a` and `b`.

    Examples
    --------
    >>> from f1ci.metrics import tversky
    >>> round(tversky(a=0.8, b=0.2).value([[159, 47], [43, 286]]), 3)
    0.861
    """
    weights = _validation.number("a", a), _validation.number("b", b)
    if not (min(weights) >= 0.0 and 0.0 < max(weights) < np.inf):
        raise ValueError(
            f"a and b must be finite, not negative and not both 0, got a={_validation.short(a)}, "
            f"b={_validation.short(b)}"
        )
    a, b = weights
    return Tversky(f"tversky({a:g}, {b:g})", a, b, "f1" if a == b == 0.5 else "tversky")


def fbeta(beta: float) -> Tversky:
    """F-beta measure, (1 + beta^2) / (1/precision + beta^2/recall).

    It is the Tversky index with a = 1 / (1 + beta^2) and b = 1 - a (Jiang 2020, remark 1).

    Parameters
    ----------
    beta : float
        Above 0; how much more recall matters than precision.

    Returns
    -------
    Tversky
        A metric with attributes `a` and `b`.

    Examples
    --------
    >>> from f1ci.metrics import fbeta
    >>> half = fbeta(0.5)
    >>> half.a, half.b
    (0.8, 0.2)
    >>> round(half.value([[159, 47], [43, 286]]), 3)
    0.861
    """
    if not 1e-7 <= _validation.positive("beta", beta) <= 1e7:
        raise ValueError(f"beta must lie between 1e-7 and 1e7, got {_validation.short(beta)}")
    square = float(beta) ** 2
    name, kind = ("f1", "f1") if square == 1.0 else (f"fbeta({beta:g})", "tversky")
    return Tversky(name, 1 / (1 + square), square / (1 + square), kind)


accuracy = BinaryMetric("accuracy", _accuracy, range=UNIT, kind="share")
precision = Tversky("precision", 1.0, 0.0)
recall = Tversky("recall", 0.0, 1.0)
f1 = fbeta(1.0)
jaccard = Tversky("jaccard", 1.0, 1.0)
correlation = BinaryMetric("correlation", _correlation, _correlation_derivatives, (-1.0, 1.0))
cosine = BinaryMetric("cosine", _cosine, _cosine_derivatives, UNIT)
lift = BinaryMetric("lift", _lift, _lift_derivatives, (0.0, np.inf))
overlap = BinaryMetric("overlap", _overlap, _overlap_derivatives, UNIT)


# Averages over classes.


def _micro(p: Numbers) -> Numbers:
    return np.trace(p, axis1=-2, axis2=-1)


def _micro_derivatives(p: Numbers) -> Numbers:
    return np.broadcast_to(np.eye(p.shape[-1]), p.shape)


def get(metric: str | Metric) -> Metric:
    """The metric of that name, or the object itself; "mcc" and "matthews" are "correlation"."""
    if isinstance(metric, Metric):
        return metric
    name = ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    return METRICS[_validation.choice("metric", name, METRICS)]


def macro(metric: str | Metric) -> Metric:
    """The mean over classes of a binary measure, each class against the rest.

    Parameters
    ----------
    metric : str or BinaryMetric
        For instance "precision" or ``fbeta(2)``.

    Returns
    -------
    Metric
        Undefined as soon as the measure is undefined for one class.

    Examples
    --------
    >>> from f1ci.metrics import macro
    >>> round(macro("recall").value([[2, 5, 0], [2, 70, 2], [2, 2, 15]]), 3)
    0.674
    """
    return _mean("macro", metric)


def weighted(metric: str | Metric) -> Metric:
    """The mean over classes of a binary measure, weighted by their numbers of true items.

    Parameters
    ----------
    metric : str or BinaryMetric
        For instance "precision" or ``fbeta(2)``.

    Returns
    -------
    Metric
        A class that is never true has no weight, even where its measure is undefined.

    Examples
    --------
    >>> from f1ci.metrics import weighted
    >>> round(weighted("f1").value([[2, 5, 0], [2, 70, 2], [2, 2, 15]]), 3)
    0.866
    """
    return _mean("weighted", metric)


def _mean(average: str, metric: str | Metric) -> Metric:
    binary = get(metric)
    _validation.binary_metric(binary)
    kind = "mean" if isinstance(binary, Tversky) else "matrix"
    return _Mean(f"{average}_{binary.name}", binary, average == "weighted", kind, binary.range)


def macro_star(beta: float = 1.0) -> Metric:
    """F-beta of mean precision and mean recall over classes (Takahashi et al., equation 3).

    Parameters
    ----------
    beta : float, optional
        Above 0.

    Returns
    -------
    Metric
        Undefined as soon as one class is never predicted or never true.

    Examples
    --------
    >>> from f1ci.metrics import macro_star
    >>> round(macro_star().value([[2, 5, 0], [2, 70, 2], [2, 2, 15]]), 3)
    0.691
    """
    inner = fbeta(beta)
    return _MacroStar(f"macro_{inner.name}_star", inner.a, inner.b)


def averaged(average: str, beta: float = 1.0) -> Metric:
    """F-beta averaged over classes: "micro", "macro", "weighted" or "macro_star".

    The micro average is the accuracy, whatever `beta`: over all classes there are as
    many false positives as false negatives.
    """
    known = ("binary", "micro", "macro", "weighted", "macro_star")
    of, chosen = fbeta(beta), _validation.choice("average", average, known)
    if chosen == "micro":
        return micro_f1
    if chosen == "macro_star":
        return macro_star(beta)
    return of if chosen == "binary" else _mean(chosen, of)


micro_f1 = MatrixMetric("micro_f1", _micro, _micro_derivatives, UNIT, "share")
macro_f1 = macro(f1)
weighted_f1 = weighted(f1)
macro_f1_star = macro_star()

BINARY = (accuracy, precision, recall, f1, jaccard, correlation, cosine, lift, overlap)
OF_CLASSES = (micro_f1, macro_f1, weighted_f1, macro_f1_star)
METRICS: dict[str, Metric] = {metric.name: metric for metric in (*BINARY, *OF_CLASSES)}

# Other names that people know a metric by.
ALIASES = {"mcc": "correlation", "matthews": "correlation"}
