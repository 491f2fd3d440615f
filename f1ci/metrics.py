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
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from f1ci import validation
from f1ci.results import FloatOrArray, plain

__all__ = [
    "METRICS",
    "BinaryMetric",
    "MatrixMetric",
    "Metric",
    "Tversky",
    "accuracy",
    "averaged",
    "correlation",
    "cosine",
    "f1",
    "fbeta",
    "get",
    "jaccard",
    "lift",
    "macro",
    "macro_f1",
    "macro_f1_star",
    "macro_star",
    "micro_f1",
    "overlap",
    "precision",
    "recall",
    "tversky",
]

# Arrays: real when a measure is evaluated, complex when it is differentiated by complex step.
Numbers: TypeAlias = Any
Partials: TypeAlias = tuple[Numbers, Numbers, Numbers]

_STEP = 1e-30  # a complex step has no cancellation, so it can be as small as one likes


class Metric:
    """A performance measure; see `BinaryMetric` and `MatrixMetric` for how to make one.

    Attributes
    ----------
    name : str
        What it is called in results and messages.
    unit_range : bool
        Whether its values lie in [0, 1], so that a logit transform makes sense.
    """

    name: str
    unit_range: bool
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
        return plain(self.estimate(validation.proportions(matrix, metric=self)))

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
        gradient: NDArray[np.float64] = self.evaluate(validation.proportions(matrix, metric=self))[
            1
        ]
        return gradient

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

    def _value(self, p: Numbers) -> Numbers:
        raise NotImplementedError

    def _evaluate(self, p: Numbers) -> tuple[Numbers, Numbers]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<metric {self.name}>"


@dataclass(frozen=True, repr=False, eq=False)
class BinaryMetric(Metric):
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
    unit_range : bool, optional
        Whether the values lie in [0, 1].

    Examples
    --------
    Youden's J is recall plus specificity minus 1. Having written it in terms of the
    three expectations, one has its interval:

    >>> from f1ci.metrics import BinaryMetric
    >>> from f1ci.delta import metric_interval
    >>> youden = BinaryMetric("youden", lambda eza, ea, ez: eza / ez - (ea - eza) / (1 - ez))
    >>> interval = metric_interval([[159, 47], [43, 286]], youden)
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.641 (0.573, 0.709)
    """

    name: str
    function: Callable[[Any, Any, Any], Any]
    derivatives: Callable[[Any, Any, Any], Partials] | None = None
    unit_range: bool = False

    binary = True

    def at(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Numbers:
        """The value at three arrays of expectations that broadcast together."""
        with np.errstate(all="ignore"):
            return _finite(np.asarray(self.function(eza, ea, ez)))

    def partials(self, eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
        """The derivatives of Table III: by E(ZA), by EA and by EZ."""
        with np.errstate(all="ignore"):
            if self.derivatives is not None:
                d1, d2, d3 = self.derivatives(eza, ea, ez)
            else:
                d1 = np.imag(self.function(eza + 1j * _STEP, ea, ez)) / _STEP
                d2 = np.imag(self.function(eza, ea + 1j * _STEP, ez)) / _STEP
                d3 = np.imag(self.function(eza, ea, ez + 1j * _STEP)) / _STEP
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


@dataclass(frozen=True, repr=False, eq=False)
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
    unit_range : bool, optional
        Whether the values lie in [0, 1].

    Examples
    --------
    Cohen's kappa:

    >>> import numpy as np
    >>> from f1ci.metrics import MatrixMetric
    >>> from f1ci.delta import metric_interval
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
    unit_range: bool = False

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


@dataclass(frozen=True, repr=False, eq=False)
class _ClassMetric(Metric):
    """A function of every class's three expectations, each of shape (..., r)."""

    name: str
    function: Callable[[Numbers, Numbers, Numbers], Numbers]
    derivatives: Callable[[Numbers, Numbers, Numbers], Partials]
    unit_range: bool
    averages: BinaryMetric | None = None  # the measure whose mean over classes this is

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


@dataclass(frozen=True, repr=False, eq=False)
class Tversky(BinaryMetric):
    """A Tversky index; `a` weighs the false positives and `b` the false negatives."""

    a: float = 0.5
    b: float = 0.5


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


def _accuracy_derivatives(eza: Numbers, ea: Numbers, ez: Numbers) -> Partials:
    one = np.ones(np.broadcast(eza, ea, ez).shape)
    return 2 * one, -one, -one


def _tversky(eza: Numbers, ea: Numbers, ez: Numbers, *, a: float, b: float) -> Numbers:
    return eza / (eza + a * (ea - eza) + b * (ez - eza))


def _tversky_derivatives(eza: Numbers, ea: Numbers, ez: Numbers, *, a: float, b: float) -> Partials:
    # The table's (g / eza)**2 is 1 / denominator**2, which does not break at eza = 0.
    square = (eza + a * (ea - eza) + b * (ez - eza)) ** 2
    return (a * ea + b * ez) / square, -a * eza / square, -b * eza / square


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
    a, b = validation.tversky_weights(a, b)
    return _make_tversky(f"tversky({a:g}, {b:g})", a, b)


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
    square = validation.positive("beta", beta) ** 2
    name = "f1" if square == 1.0 else f"fbeta({beta:g})"
    return _make_tversky(name, 1 / (1 + square), square / (1 + square))


def _make_tversky(name: str, a: float, b: float) -> Tversky:
    weights = {"a": a, "b": b}
    return Tversky(
        name, partial(_tversky, **weights), partial(_tversky_derivatives, **weights), True, a, b
    )


accuracy = BinaryMetric("accuracy", _accuracy, _accuracy_derivatives, True)
precision = _make_tversky("precision", 1.0, 0.0)
recall = _make_tversky("recall", 0.0, 1.0)
f1 = fbeta(1.0)
jaccard = _make_tversky("jaccard", 1.0, 1.0)
correlation = BinaryMetric("correlation", _correlation, _correlation_derivatives)
cosine = BinaryMetric("cosine", _cosine, _cosine_derivatives, True)
lift = BinaryMetric("lift", _lift, _lift_derivatives)
overlap = BinaryMetric("overlap", _overlap, _overlap_derivatives, True)


# Averages over classes.


def _micro(p: Numbers) -> Numbers:
    return np.trace(p, axis1=-2, axis2=-1)


def _micro_derivatives(p: Numbers) -> Numbers:
    return np.broadcast_to(np.eye(p.shape[-1]), p.shape)


def _macro(eza: Numbers, ea: Numbers, ez: Numbers, *, metric: BinaryMetric) -> Numbers:
    return metric.at(eza, ea, ez).mean(axis=-1)


def _macro_derivatives(eza: Numbers, ea: Numbers, ez: Numbers, *, metric: BinaryMetric) -> Partials:
    d1, d2, d3 = metric.partials(eza, ea, ez)
    r = np.shape(eza)[-1]
    return d1 / r, d2 / r, d3 / r


def _macro_star(eza: Numbers, ea: Numbers, ez: Numbers, *, a: float, b: float) -> Numbers:
    mean_precision, mean_recall = (eza / ea).mean(axis=-1), (eza / ez).mean(axis=-1)
    return mean_precision * mean_recall / _weighted(mean_precision, mean_recall, a, b)


def _macro_star_derivatives(
    eza: Numbers, ea: Numbers, ez: Numbers, *, a: float, b: float
) -> Partials:
    r = np.shape(eza)[-1]
    p, q = eza / ea, eza / ez  # precision and recall by class
    mean_p, mean_q = p.mean(axis=-1, keepdims=True), q.mean(axis=-1, keepdims=True)
    weighted = _weighted(mean_p, mean_q, a, b)
    by_p, by_q = a / r * (mean_q / weighted) ** 2, b / r * (mean_p / weighted) ** 2
    return by_p / ea + by_q / ez, -by_p * p / ea, -by_q * q / ez


def _weighted(mean_precision: Numbers, mean_recall: Numbers, a: float, b: float) -> Numbers:
    """What the product of the means is divided by to give their F-beta.

    Where no item is right all three are 0. The measure is 0 then, and so is its gradient
    on every cell that is not empty, which any other divisor makes them.
    """
    weighted = a * mean_recall + b * mean_precision
    return np.where(weighted == 0, 1.0, weighted)


def get(metric: str | Metric) -> Metric:
    """The metric of that name, or the object itself."""
    if isinstance(metric, Metric):
        return metric
    return METRICS[validation.choice("metric", metric, METRICS)]


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
    binary: Any = get(metric)
    validation.binary_metric(binary)
    return _ClassMetric(
        f"macro_{binary.name}",
        partial(_macro, metric=binary),
        partial(_macro_derivatives, metric=binary),
        binary.unit_range,
        binary,
    )


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
    weights = {"a": inner.a, "b": inner.b}
    return _ClassMetric(
        f"macro_{inner.name}_star",
        partial(_macro_star, **weights),
        partial(_macro_star_derivatives, **weights),
        True,
    )


def averaged(average: str, beta: float = 1.0) -> Metric:
    """F-beta averaged over classes: "micro", "macro" or "macro_star".

    The micro average is the accuracy, whatever `beta`: over all classes there are as
    many false positives as false negatives.
    """
    validation.choice("average", average, ("micro", "macro", "macro_star"))
    inner = fbeta(beta)
    if average == "micro":
        return micro_f1
    return macro(inner) if average == "macro" else macro_star(beta)


micro_f1 = MatrixMetric("micro_f1", _micro, _micro_derivatives, True)
macro_f1 = macro(f1)
macro_f1_star = macro_star()

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        accuracy,
        precision,
        recall,
        f1,
        jaccard,
        correlation,
        cosine,
        lift,
        overlap,
        micro_f1,
        macro_f1,
        macro_f1_star,
    )
}
