r"""Posteriors of precision, recall and F1 from counts, and the Bayes test of two models.

Wang and Li (2019), sections 2 and 3. With a prior :math:`\mathrm{Be}(\lambda, \lambda)`, precision
and recall have Beta posteriors (eqs. 5, 6). So has :math:`F^* = TP / (TP + FP + FN)`, and
:math:`F_1 = 2 F^* / (1 + F^*)` is an increasing function of it:

.. math:: F^* \sim \mathrm{Be}(TP + \lambda, FP + FN + 2\lambda).

The paper writes the same posterior with the beta-prime distribution (eqs. 7, 27 and 30). Its
eqs. 25 and 26 are misprinted: both exponents are one too high.

The folds of a cross-validation repeat the same data. They count as a smaller number of
independent items, the effective counts (eqs. 16 to 24), which can be fractions.

When it fails: the weight of the folds rests on empirical ranges of two correlations. The default
credits three repetitions with 0.3688 * 3 n = 1.1 n independent items, more than there are. So the
posterior describes the average of the models trained on these folds. Its intervals are too short
for the score of the same algorithm with other training data. The Bayes test treats the posteriors
of the two models as independent, although both come from the same folds. It is too cautious if the
models err on the same items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from f1ci import metrics
from f1ci.data import checks
from f1ci.metrics import Metric
from f1ci.results import BayesTest, EffectiveCounts, Frozen, Interval
from f1ci.types import Array, FloatOrArray, as_scalar

# The metrics whose posterior is a Beta distribution, or a function of one.
_POSTERIOR_METRICS = {
    metric.name: metric for metric in (metrics.precision, metrics.recall, metrics.f1)
}


def effective_counts(
    folds: ArrayLike, *, rho1: float | None = None, rho2: float | None = None
) -> EffectiveCounts:
    r"""Return the number of independent counts that an m x 2 cross-validation is worth.

    Parameters
    ----------
    folds : array_like, shape (m, 2, 3)
        TP, FP and FN for each of m repetitions and two folds, in the order of
        `bcv_partitions`.
    rho1 : float, optional
        Correlation, in [0, 1], between the two folds of one repetition.
    rho2 : float, optional
        Correlation, in [0, 1], between folds of different repetitions.

    Returns
    -------
    EffectiveCounts
        The named tuple ``(tp, fp, fn)`` of floats: the sums over the folds, times one weight.

    Raises
    ------
    ValueError
        If `folds` has another shape or holds a negative or infinite number, or if
        a correlation does not lie in [0, 1].

    See Also
    --------
    posterior : The posterior of a metric from the effective counts.

    Notes
    -----
    With given correlations the weight is (eqs. 16 to 21, for any m)

    .. math:: w(\rho_1, \rho_2) = \frac{1}{1 + \rho_1 + 2 (m - 1) \rho_2}.

    At :math:`\rho_1 = \rho_2 = 1` it is 1 / (2m): the effective counts are the average fold, as in
    the earlier interval of Wang et al. (2015). A correlation that is not given is averaged out
    (eq. 22): :math:`\rho_1` over [0, 1/2] and :math:`\rho_2` over [1/4, 1/2]. Both ranges are
    empirical. With :math:`k = 2 (m - 1)` and
    :math:`h(x) = x \log x` the average over both is

    .. math:: \frac{8}{k} \left\{ h\left(\tfrac{3 + k}{2}\right) - h\left(\tfrac{2 + k}{2}\right)
              - h\left(\tfrac{6 + k}{4}\right) + h\left(\tfrac{4 + k}{4}\right) \right\},

    which is 0.3688 for m = 3, and :math:`2 \log \tfrac32` for m = 1.

    References
    ----------
    Wang and Li (2019), sections 2.2 and 2.3.

    Examples
    --------
    >>> import f1ci
    >>> folds = [[[40, 4, 6], [38, 5, 8]], [[41, 3, 5], [39, 5, 7]], [[40, 6, 6], [39, 4, 7]]]
    >>> tp, fp, fn = f1ci.effective_counts(folds)
    >>> f"{tp:.2f} {fp:.2f} {fn:.2f}"
    '87.41 9.96 14.38'

    The average fold:

    >>> f1ci.effective_counts(folds, rho1=1, rho2=1)
    EffectiveCounts(tp=39.5, fp=4.5, fn=6.5)
    """
    array = checks.weights("folds", folds)
    legal = array.ndim == 3 and array.shape[1:] == (2, 3) and array.size > 0
    expected = "(m, 2, 3), for m repetitions, 2 folds and the counts TP, FP, FN"
    checks.shaped("folds", array, legal, expected)
    weight = _fold_weight(len(array), rho1, rho2)
    tp, fp, fn = (weight * array.sum(axis=(0, 1))).tolist()
    return EffectiveCounts(tp, fp, fn)


def posterior(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, metric: str | Metric = "f1", *, prior: float = 0.5
) -> Posterior:
    r"""Return the posterior distribution of precision, recall or F1, given counts.

    Parameters
    ----------
    tp, fp, fn : float or array_like
        True positives, false positives and false negatives: those of a hold-out
        set (section 2.1) or effective ones of a cross-validation (section 2.3).
        Fractions are legal. Arrays broadcast against each other.
    metric : str or Metric, default "f1"
        The F1 score, precision or recall, by any of their names.
    prior : float, default 0.5
        :math:`\lambda` of the prior :math:`\mathrm{Be}(\lambda, \lambda)` of precision and
        recall. With 1/2 the intervals for F1 cover better than with the paper's uniform prior,
        ``prior=1``, when F1 is close to 1.

    Returns
    -------
    Posterior
        With methods ``pdf``, ``cdf``, ``ppf``, ``mean`` and ``interval``. Random values are
        ``ppf(rng.random(size))``.

    Raises
    ------
    ValueError
        If a count is negative or infinite, if `prior` is not above 0, or if the
        metric is unknown.

    See Also
    --------
    effective_counts : Counts of a cross-validation.
    bayes_test : Compare the posteriors of two models.

    Notes
    -----
    Precision has the posterior :math:`\mathrm{Be}(TP + \lambda, FP + \lambda)`, recall
    :math:`\mathrm{Be}(TP + \lambda, FN + \lambda)`. Eq. 7 for F1 is the density

    .. math:: f(t) = \frac{2^a (1 - t)^{a - 1} (2 - t)^{-a - b} t^{b - 1}}{B(a, b)},
              \qquad a = FP + FN + 2 \lambda, \quad b = TP + \lambda.

    Put :math:`x = t / (2 - t)`, that is :math:`t = 2 x / (1 + x)`. Then
    :math:`1 - x = 2 (1 - t) / (2 - t)` and :math:`dx / dt = 2 / (2 - t)^2`, so
    :math:`f(t) = x^{b - 1} (1 - x)^{a - 1} / B(b, a) \cdot dx / dt`: the density of
    :math:`x \sim \mathrm{Be}(b, a)` on another scale. The quantiles agree with eq. 30, because
    :math:`(1 - x) / x` has the beta-prime distribution with parameters a and b, and
    :math:`t = 2 / \{2 + (1 - x) / x\}`.

    References
    ----------
    Wang and Li (2019), sections 2.1, 2.3 and 2.4. Goutte and Gaussier (2005), *A
    probabilistic interpretation of precision, recall and F-score*, ECIR.

    Examples
    --------
    >>> import f1ci
    >>> f1 = f1ci.posterior(77, 44, 10)
    >>> low, high = f1.interval(0.95)
    >>> f"{f1.mean():.3f} [{low:.3f}, {high:.3f}]"
    '0.737 [0.667, 0.800]'

    The probability that recall exceeds 0.9:

    >>> recall = f1ci.posterior(77, 44, 10, "recall")
    >>> round(1 - recall.cdf(0.9), 3)
    0.308
    """
    name = _name_of(metric)
    prior = checks.positive("prior", prior)
    tp, fp, fn = np.broadcast_arrays(*checks.broadcast(checks.weights, tp=tp, fp=fp, fn=fn))
    misses = {"precision": fp, "recall": fn, "f1": fp + fn}[name]
    # Both priors of F1, that of precision and that of recall, count among its misses.
    prior_misses = 2.0 * prior if name == "f1" else prior
    return Posterior(
        metric=name,
        hits=as_scalar(tp.copy()),
        misses=as_scalar(misses.copy()),
        alpha=as_scalar(tp + prior),
        beta=as_scalar(misses + prior_misses),
    )


def _name_of(metric: str | Metric) -> str:
    """Return "f1", "precision" or "recall" for a metric by any of its names."""
    known = metrics.get(metric)
    if known != _POSTERIOR_METRICS.get(known.name):
        rule = f"metric must be one of {', '.join(map(repr, _POSTERIOR_METRICS))}"
        raise ValueError(f"{rule}, got {checks.short(metric)}")
    return known.name


@dataclass(frozen=True, slots=True, eq=False)
class Posterior(Frozen):
    r"""Posterior distribution of precision, recall or F1; made by `posterior`.

    Attributes
    ----------
    metric : str
        ``"precision"``, ``"recall"`` or ``"f1"``.
    hits : float or ndarray
        True positives.
    misses : float or ndarray
        False positives (precision), false negatives (recall) or both (F1).
    alpha : float or ndarray
        First parameter of the Beta posterior of precision, of recall or, for F1, of
        :math:`F^* = F_1 / (2 - F_1)`.
    beta : float or ndarray
        Second parameter of the same.
    """

    metric: str
    hits: FloatOrArray
    misses: FloatOrArray
    alpha: FloatOrArray
    beta: FloatOrArray

    def pdf(self, x: ArrayLike) -> FloatOrArray:
        """Return the density at `x` (eq. 7, and eqs. 25 to 27 with their exponents corrected)."""
        from scipy import stats  # slow to import

        t = checks.real("x", x)
        density = stats.beta.pdf(self._to_beta(t), self.alpha, self.beta)
        if self.metric == "f1":
            density = density * 2.0 / (2.0 - np.clip(t, 0.0, 1.0)) ** 2
        outside = (t < 0.0) | (t > 1.0)
        return as_scalar(np.where(outside, 0.0, density))

    def cdf(self, x: ArrayLike) -> FloatOrArray:
        """Return the probability of a value of at most `x`."""
        value = self._to_beta(checks.real("x", x))
        return as_scalar(special.betainc(self.alpha, self.beta, value))

    def ppf(self, q: ArrayLike) -> FloatOrArray:
        """Return the value below which the probability is `q`."""
        p = checks.real("q", q)
        checks.refuse("q", p, ~((p >= 0.0) & (p <= 1.0)), "lie between 0 and 1")
        return as_scalar(self._from_beta(special.betaincinv(self.alpha, self.beta, p)))

    def mean(self) -> FloatOrArray:
        r"""Return the expected value.

        For F1 it is :math:`\alpha / n \cdot {}_2F_1(1, \beta; n + 1; \tfrac12)` with
        :math:`n = \alpha + \beta`.
        """
        n = np.add(self.alpha, self.beta)
        value = np.divide(self.alpha, n)
        if self.metric == "f1":
            value = value * special.hyp2f1(1.0, self.beta, n + 1.0, 0.5)
        return as_scalar(value)

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the equal-tailed credible interval (eqs. 28 to 30).

        Parameters
        ----------
        confidence_level : float, default 0.95
            Posterior probability of the interval.

        Returns
        -------
        Interval
            Its estimate is the plain sample metric and its standard error that of
            the sample metric, both from the counts without the prior; ``nan`` if they are zero.
        """
        level = checks.confidence_level(confidence_level)
        tail = 0.5 * (1.0 - level)
        low = special.betaincinv(self.alpha, self.beta, tail)
        high = special.betainccinv(self.alpha, self.beta, tail)
        with np.errstate(invalid="ignore", divide="ignore"):
            n = np.add(self.hits, self.misses)
            share = np.divide(self.hits, n)
            standard_error = np.sqrt(share * np.divide(self.misses, n) / n)
            if self.metric == "f1":
                standard_error = standard_error * 2.0 / (1.0 + share) ** 2
        return Interval(
            estimate=as_scalar(self._from_beta(share)),
            low=as_scalar(self._from_beta(low)),
            high=as_scalar(self._from_beta(high)),
            standard_error=as_scalar(standard_error),
            confidence_level=level,
            method="posterior",
            metric=self.metric,
        )

    def _to_beta(self, value: Array) -> Array:
        """Map the metric to the Beta variable; values beyond [0, 1] go to the nearest end."""
        t = np.clip(value, 0.0, 1.0)
        return t / (2.0 - t) if self.metric == "f1" else t

    def _from_beta(self, value: Array) -> Array:
        """Map the Beta variable to the metric, or values beyond [0, 1] to the nearest end."""
        x = np.clip(value, 0.0, 1.0)
        return 2.0 * x / (1.0 + x) if self.metric == "f1" else x


def bayes_test(
    folds_a: ArrayLike,
    folds_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    prior: float = 0.5,
    rope: float = 0.0,
    rho1: float | None = None,
    rho2: float | None = None,
) -> BayesTest:
    r"""Return the probability that model B is better than model A.

    Parameters
    ----------
    folds_a, folds_b : array_like, shape (m, 2, 3)
        TP, FP and FN of each model for m repetitions and two folds, on the same partitions.
    metric : str or Metric, default "f1"
        The F1 score, precision or recall, by any of their names.
    prior : float, default 0.5
        :math:`\lambda` of the prior :math:`\mathrm{Be}(\lambda, \lambda)`, as in `posterior`.
    rope : float, default 0.0
        Half-width of a region of practical equivalence: differences up to this size,
        on the scale of the metric, do not matter.
    rho1, rho2 : float, optional
        Correlations between folds, as in `effective_counts`.

    Returns
    -------
    BayesTest
        With ``p_h0``, ``p_h1``, ``p_rope`` and ``most_probable``.

    Raises
    ------
    ValueError
        If folds have another shape, differ in number or hold a negative number, or
        if an option is out of its range.

    See Also
    --------
    bcv_partitions : The partitions to train and validate both models on.
    effective_counts : How the folds become one set of counts.

    Notes
    -----
    The hypotheses are those of eq. 31, with :math:`\delta = \nu_B - \nu_A`:

    .. math:: H_0: \delta \le 0, \qquad H_1: \delta > 0.

    The paper accepts H0 if it is at least as probable as H1. Here the result says which is more
    probable, and you decide how probable is enough. (Eqs. 32, 33 and algorithm 1 of the paper have
    the opposite sign; its tables follow eq. 31.)

    With ``rope`` = :math:`\varepsilon > 0` there are three hypotheses, as in Benavoli et al.
    (2017): B is worse, :math:`\delta < -\varepsilon` (``p_h0``), the models are
    practically equivalent, :math:`|\delta| \le \varepsilon` (``p_rope``), or B is better,
    :math:`\delta > \varepsilon` (``p_h1``). Of equally probable hypotheses the result names
    equivalence first, then H0.

    The posteriors are independent, so with the quantile function Q of A and the distribution
    function G of B

    .. math:: P(\delta < -\varepsilon) = \int_0^1 G\{Q(u) - \varepsilon\}\, du,

    and the same with A and B exchanged for H1 (`scipy.integrate.tanhsinh`). The probabilities have
    an absolute error below 1e-10 for up to 10^7 counts and priors from 1/2, and below 1e-7 for up
    to 10^9 counts and priors from 1/4. ``p_rope`` is one minus the other two probabilities.

    When it fails: counts know of new items, and nothing of new training. Take one recipe twice,
    whose threshold varies from fold to fold by 0.4 standard deviations of its scores. With 400
    items one of the two recalls is better with a probability of 0.95 or more in 31 % of all
    cross-validations, and with 2,000 items in 53 %, where 10 % are meant. With three positives
    this happens in 20 %, although the threshold is the same in all folds.

    References
    ----------
    Wang and Li (2019), section 3. Benavoli, Corani, Demsar and Zaffalon (2017),
    *Time for a change: a tutorial for comparing multiple classifiers through
    Bayesian analysis*, Journal of Machine Learning Research 18.

    Examples
    --------
    >>> import f1ci
    >>> a = [[[40, 9, 6], [38, 8, 8]], [[41, 7, 5], [39, 9, 7]], [[40, 8, 6], [39, 8, 7]]]
    >>> b = [[[41, 4, 5], [39, 5, 7]], [[42, 3, 4], [40, 5, 6]], [[40, 6, 6], [40, 4, 6]]]
    >>> test = f1ci.bayes_test(a, b)
    >>> test.most_probable, round(test.p_h1, 3)
    ('H1', 0.891)

    Is B better by more than 0.02?

    >>> test = f1ci.bayes_test(a, b, rope=0.02)
    >>> round(test.p_h0, 3), round(test.p_rope, 3), round(test.p_h1, 3)
    (0.037, 0.213, 0.75)
    """
    margin = checks.probability("rope", rope)
    # 1. The posterior of each model.
    a = posterior(*effective_counts(folds_a, rho1=rho1, rho2=rho2), metric, prior=prior)
    b = posterior(*effective_counts(folds_b, rho1=rho1, rho2=rho2), metric, prior=prior)
    _refuse_other_folds(np.shape(folds_a), np.shape(folds_b))
    # 2. The most probable hypothesis. Of equally probable ones it is the first.
    p_h0, p_h1, p_rope = _probabilities(a, b, margin)
    hypotheses = {"equivalence": p_rope, "H0": p_h0, "H1": p_h1}
    most_probable = max(hypotheses, key=hypotheses.__getitem__)
    return BayesTest(p_h0, p_h1, p_rope, most_probable, a.metric, margin)


def _refuse_other_folds(shape_a: tuple[int, ...], shape_b: tuple[int, ...]) -> None:
    """Refuse models that were tested on different numbers of folds."""
    if shape_a != shape_b:
        raise ValueError(f"folds_b must have shape {shape_a}, as folds_a, got shape {shape_b}")


def _probabilities(a: Posterior, b: Posterior, margin: float) -> tuple[float, float, float]:
    """Return the probabilities that B is worse, that it is better, and that they are equivalent."""
    worse = _probability_of_exceeding(a, b, margin)
    better = _probability_of_exceeding(b, a, margin)
    if margin:
        return worse, better, max(0.0, 1.0 - worse - better)
    # The two add up to one except for rounding. After this, equal models tie exactly.
    total = worse + better
    return worse / total, better / total, 0.0


def _fold_weight(repetitions: int, rho1: float | None, rho2: float | None) -> float:
    """Return the average of 1 / (1 + rho1 + 2 (m - 1) rho2) over each rho that is not given."""
    rho1_points, rho1_shares = _correlation("rho1", rho1, 0.0, 0.5)
    rho2_points, rho2_shares = _correlation("rho2", rho2, 0.25, 0.5)
    others = 2.0 * (repetitions - 1)
    weights = 1.0 / np.add.outer(rho1_points, 1.0 + others * rho2_points)
    return float(rho1_shares @ weights @ rho2_shares)


def _correlation(name: str, value: float | None, low: float, high: float) -> tuple[Array, Array]:
    """Return a given correlation, or points of its range, and the share of each.

    Twelve points of Gauss's rule leave no error: the pole is far from the ranges of both.
    """
    if value is not None:
        return np.array([checks.probability(name, value)]), np.ones(1)
    points, weights = np.polynomial.legendre.leggauss(12)
    middle = (low + high) / 2.0
    return middle + (high - low) / 2.0 * points, weights / 2.0


def _probability_of_exceeding(first: Posterior, second: Posterior, margin: float) -> float:
    """Return P(first > second + margin) for independent scalar posteriors of one metric.

    The probability is the mean, over the narrower distribution, of the other one's tail. The
    integral runs over the narrower one's own tail probability u, up to where the margin ends it.
    """
    # Whatever the caller does about underflow: a tail of 1e-320 is as good as 0 here.
    with np.errstate(under="ignore"):
        if _inverse_size(first) <= _inverse_size(second):
            return _mean_over_first(first, second, margin)
        return _mean_over_second(first, second, margin)


def _inverse_size(posterior: Posterior) -> float:
    """Return a number that is small for a narrow posterior: 1 / alpha + 1 / beta."""
    return float(1.0 / posterior.alpha + 1.0 / posterior.beta)


def _mean_over_first(first: Posterior, second: Posterior, margin: float) -> float:
    """Return the mean over the first variable of the second one's lower tail."""

    def tail_of_second(u: Array) -> Array:
        """Return P(second < t - margin), where the first variable exceeds t with probability u."""
        t = first._from_beta(special.betainccinv(first.alpha, first.beta, u))
        x = second._to_beta(t - margin)
        return np.asarray(special.betainc(second.alpha, second.beta, x))

    x = first._to_beta(np.array(margin))
    return _integral(tail_of_second, special.betaincc(first.alpha, first.beta, x))


def _mean_over_second(first: Posterior, second: Posterior, margin: float) -> float:
    """Return the mean over the second variable of the first one's upper tail."""

    def tail_of_first(u: Array) -> Array:
        """Return P(first > t + margin), where the second variable is below t with probability u."""
        t = second._from_beta(special.betaincinv(second.alpha, second.beta, u))
        x = first._to_beta(t + margin)
        return np.asarray(special.betaincc(first.alpha, first.beta, x))

    x = second._to_beta(np.array(1.0 - margin))
    return _integral(tail_of_first, special.betainc(second.alpha, second.beta, x))


def _integral(function: Callable[[Array], Array], end: float) -> float:
    """Return the integral of a function from 0 to `end`."""
    from scipy import integrate  # slow to import

    if not end > 0.0:
        return 0.0
    return float(integrate.tanhsinh(function, 0.0, end, rtol=1e-11, minlevel=5).integral)
