r"""The posterior road, part two: posteriors of precision, recall and F1, and the Bayes test.

Wang and Li (2019), sections 2 and 3. With a prior :math:`\mathrm{Be}(\lambda, \lambda)` precision
and recall have Beta posteriors (eqs. 5, 6). So has :math:`F^* = TP / (TP + FP + FN)`, of which
:math:`F_1 = 2 F^* / (1 + F^*)` is an increasing function:

.. math:: F^* \sim \mathrm{Be}(TP + \lambda, FP + FN + 2\lambda).

All that the paper writes with the beta-prime distribution (eqs. 7, 27 and 30)
follows from that Beta distribution seen through the map. Eqs. 25 and 26 are misprinted there: both
exponents are one too high.

The folds of a cross-validation repeat the same data. They enter as a smaller
number of independent, effective counts (eqs. 16 to 24), which need not be whole.

When it fails: the weight of the folds rests on empirical ranges of two correlations. The default
credits three repetitions with 0.3688 * 3 n = 1.1 n independent observations, more than
there are: so the posterior speaks of the models trained on these folds, on average. For the
score that the same algorithm would reach on other training data its intervals are too
short. The Bayes test takes the posteriors of the two models as independent, although
both come from the same folds: models that err on the same items are compared too cautiously.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from f1ci import _validation, metrics
from f1ci.metrics import Metric
from f1ci.results import BayesTest, EffectiveCounts, FloatOrArray, Interval, as_scalar

METRICS = ("precision", "recall", "f1")

Array = NDArray[np.float64]

# The Gauss-Legendre rule for a panel from 0 to 1. As many nodes follow the integrand's peak also
# where it lies thirty standard deviations from both centres, in a panel sixteen of them wide.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)
_NODES, _WEIGHTS = 0.5 + 0.5 * _NODES, 0.5 * _WEIGHTS

# Where the logarithm of an argument is below this, a power law is exact to the last digit.
_LOG_TINY = -600.0

# More draws than this may not fit in memory.
_MOST_DRAWS = 10**8

# From here on scipy's incomplete beta function is slower, and no better, than the formula of
# Lugannani and Rice, whose relative error is of the order of the power -3/2 of the smaller count.
_MANY = 1e7


def effective_counts(
    folds: ArrayLike, *, rho1: float | None = None, rho2: float | None = None
) -> EffectiveCounts:
    r"""How many independent counts the folds of an m x 2 cross-validation are worth.

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
    posterior : What to conclude from the effective counts.

    Notes
    -----
    With given correlations the weight is (eqs. 16 to 21, for any m)

    .. math:: w(\rho_1, \rho_2) = \frac{1}{1 + \rho_1 + 2 (m - 1) \rho_2}.

    It is 1 / (2m) at :math:`\rho_1 = \rho_2 = 1`: the counts are averaged, as in the
    earlier interval of Wang et al. (2015). A correlation that is not given is
    averaged out (eq. 22), :math:`\rho_1` over [0, 1/2] and :math:`\rho_2` over
    [1/4, 1/2], both ranges empirical. With :math:`k = 2 (m - 1)` and
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
    return _effective(_folds("folds", folds), rho1, rho2)


def posterior(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, metric: str | Metric = "f1", *, prior: float = 1.0
) -> Posterior:
    r"""Posterior distribution of precision, recall or F1, given counts.

    Parameters
    ----------
    tp, fp, fn : float or array_like
        True positives, false positives and false negatives: those of a hold-out
        set (section 2.1) or effective ones of a cross-validation (section 2.3).
        Fractions are legal. Arrays broadcast against each other.
    metric : {"f1", "precision", "recall"} or Metric
        What to infer.
    prior : float, default 1.0
        :math:`\lambda` of the prior :math:`\mathrm{Be}(\lambda, \lambda)` of precision and
        recall; 1 is uniform.

    Returns
    -------
    Posterior
        With methods ``pdf``, ``logpdf``, ``cdf``, ``sf``, ``ppf``, ``rvs``, ``mean``, ``mode``
        and ``interval``.

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
    :math:`1 - x = 2 (1 - t) / (2 - t)` and :math:`dx / dt = 2 / (2 - t)^2`, so that
    :math:`f(t) = x^{b - 1} (1 - x)^{a - 1} / B(b, a) \cdot dx / dt`: the density of
    :math:`x \sim \mathrm{Be}(b, a)` on another scale. The quantiles of eq. 30 are the
    same ones, since :math:`(1 - x) / x` has the beta-prime distribution with
    parameters a and b, and :math:`t = 2 / \{2 + (1 - x) / x\}`.

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
    '0.735 [0.665, 0.798]'

    The probability that recall exceeds 0.9:

    >>> recall = f1ci.posterior(77, 44, 10, "recall")
    >>> round(recall.sf(0.9), 3)
    0.263
    """
    name = _name(metric)
    strength = _validation.positive("prior", prior)
    given = {"tp": tp, "fp": fp, "fn": fn}
    counts = {count: _validation.weights(count, value) for count, value in given.items()}
    _validation.broadcastable(**counts)
    return _posterior(**counts, metric=name, prior=strength)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    r"""Posterior distribution of precision, recall or F1; made by `posterior`.

    Attributes
    ----------
    metric : str
        ``"precision"``, ``"recall"`` or ``"f1"``.
    hits : float or ndarray
        True positives.
    misses : float or ndarray
        False positives (precision), false negatives (recall) or both (F1).
    alpha, beta : float or ndarray
        Parameters of the Beta posterior of precision, of recall or, for F1, of
        :math:`F^* = F_1 / (2 - F_1)`.
    """

    metric: str
    hits: FloatOrArray
    misses: FloatOrArray
    alpha: FloatOrArray
    beta: FloatOrArray

    def pdf(self, x: ArrayLike) -> FloatOrArray:
        """Density at `x` (eq. 7 and 27; eqs. 25 and 26 with their exponents put right)."""
        return as_scalar(np.exp(self.logpdf(x)))

    def logpdf(self, x: ArrayLike) -> FloatOrArray:
        """Logarithm of the density at `x`."""
        t = np.asarray(x, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_t, log_c = np.log(t), np.log1p(-t)
            value = _log_density(self, log_t, log_c) - log_t - log_c
            # At 0 and 1: dF*/dF1 is 1/2 and 2 there, and the powers are 0, 1 or infinite.
            scale = np.log(2.0) if self.metric == "f1" else 0.0
            at_0 = _power_at_zero(self.alpha, self.beta) - scale
            at_1 = _power_at_zero(self.beta, self.alpha) + scale
        value = np.where(t == 0.0, at_0, np.where(t == 1.0, at_1, value))
        return as_scalar(np.where((t < 0.0) | (t > 1.0), -np.inf, value))

    def cdf(self, x: ArrayLike) -> FloatOrArray:
        """Probability of a value of at most `x`."""
        return as_scalar(special.betainc(self.alpha, self.beta, self._to_beta(x)))

    def sf(self, x: ArrayLike) -> FloatOrArray:
        """Probability of a value above `x`, exact also where `cdf` rounds to one."""
        return as_scalar(special.betaincc(self.alpha, self.beta, self._to_beta(x)))

    def ppf(self, q: ArrayLike) -> FloatOrArray:
        """Value below which the probability is `q`: nan unless 0 <= q <= 1."""
        return as_scalar(
            self._from_beta(special.betaincinv(self.alpha, self.beta, np.asarray(q, float)))
        )

    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: Any = None) -> FloatOrArray:
        """Random values; without `size`, one for each set of counts."""
        draws = _validation.generator(rng).beta(self.alpha, self.beta, size)
        return as_scalar(self._from_beta(draws))

    def mean(self) -> FloatOrArray:
        r"""Expected value.

        For F1 it is :math:`\alpha / n \cdot {}_2F_1(1, \beta; n + 1; \tfrac12)` with
        :math:`n = \alpha + \beta`: a series of positive terms, each less than half
        of the one before.
        """
        n = np.add(self.alpha, self.beta)
        value = np.divide(self.alpha, n)
        if self.metric == "f1":
            total = term = np.ones_like(n)
            for k in range(60):
                term = term * (self.beta + k) / (n + 1.0 + k) * 0.5
                total = total + term
            value = value * total
        return as_scalar(value)

    def mode(self) -> FloatOrArray:
        r"""Most probable value; nan if there is no single one.

        For precision and recall with a uniform prior it is the sample value (eqs. 5
        and 6). For F1 it solves :math:`2 t^2 + (a + 2b - 5) t - 2 (b - 1) = 0`, from the
        derivative of eq. 7, with :math:`a = \beta` and :math:`b = \alpha`.
        """
        alpha, beta = np.asarray(self.alpha), np.asarray(self.beta)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.metric == "f1":
                c = beta + 2.0 * alpha - 5.0
                root = np.sqrt(np.maximum(c * c + 16.0 * (alpha - 1.0), 0.0))
                inner = np.where(c > 0.0, 4.0 * (alpha - 1.0) / (c + root), (root - c) / 4.0)
            else:
                inner = (alpha - 1.0) / (alpha + beta - 2.0)
        # An exponent below zero makes the density infinite at that border.
        value = np.where(alpha < 1.0, 0.0, np.where(beta < 1.0, 1.0, inner))
        return as_scalar(np.where((alpha < 1.0) & (beta < 1.0), np.nan, value))

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Equal-tailed credible interval (eqs. 28 to 30).

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
        level = _validation.confidence_level(confidence_level)
        tail = 0.5 * (1.0 - level)
        low = self._from_beta(special.betaincinv(self.alpha, self.beta, tail))
        high = self._from_beta(special.betainccinv(self.alpha, self.beta, tail))
        with np.errstate(invalid="ignore", divide="ignore"):
            n = np.add(self.hits, self.misses)
            share = np.divide(self.hits, n)
            error = np.sqrt(share * np.divide(self.misses, n) / n)
            if self.metric == "f1":
                error = error * 2.0 / (1.0 + share) ** 2
            estimate = self._from_beta(share)
        ends = as_scalar(estimate), as_scalar(low), as_scalar(high), as_scalar(error)
        return Interval(*ends, level, "posterior", self.metric)

    def _to_beta(self, x: ArrayLike) -> Array:
        """From the metric to the Beta variable, with all values beyond [0, 1] moved to its ends."""
        t = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
        return t / (2.0 - t) if self.metric == "f1" else t

    def _from_beta(self, x: Any) -> Array:
        return np.asarray(2.0 * x / (1.0 + x) if self.metric == "f1" else x)


def bayes_test(
    folds_a: ArrayLike,
    folds_b: ArrayLike,
    metric: str | Metric = "f1",
    *,
    prior: float = 1.0,
    rope: float = 0.0,
    rho1: float | None = None,
    rho2: float | None = None,
    method: str = "quadrature",
    replicates: int = 1_000_000,
    rng: Any = None,
) -> BayesTest:
    r"""Probability that model B is better than model A.

    Parameters
    ----------
    folds_a, folds_b : array_like, shape (m, 2, 3)
        TP, FP and FN of each model for m repetitions and two folds, on the same partitions.
    metric : {"f1", "precision", "recall"} or Metric
        What to compare.
    prior : float, default 1.0
        :math:`\lambda` of the prior :math:`\mathrm{Be}(\lambda, \lambda)`.
    rope : float, default 0.0
        Half-width of a region of practical equivalence: differences up to this size,
        on the scale of the metric, do not matter.
    rho1, rho2 : float, optional
        Correlations between folds, as in `effective_counts`.
    method : {"quadrature", "monte_carlo"}
        Deterministic integration, or the share of random draws (eq. 33).
    replicates : int, default 1000000
        Number of draws, for ``"monte_carlo"``.
    rng : None, int or numpy.random.Generator, optional
        Source of the draws, for ``"monte_carlo"``.

    Returns
    -------
    BayesTest
        With ``p_h0``, ``p_h1``, ``p_rope`` and ``decision``.

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

    H0 is accepted if it is at least as probable as H1. (Eqs. 32, 33 and
    algorithm 1 of the paper have the opposite sign; its tables follow eq. 31.)

    With ``rope`` = :math:`\varepsilon > 0` there are three hypotheses, as Benavoli et al.
    (2017) have them: B is worse, :math:`\delta < -\varepsilon` (``p_h0``), the models are
    practically equivalent, :math:`|\delta| \le \varepsilon` (``p_rope``), or B is better,
    :math:`\delta > \varepsilon` (``p_h1``). The most probable one is accepted; of
    equally probable ones equivalence before H0, H0 before H1.

    The posteriors are independent, so with density f of A and distribution
    function G of B

    .. math:: P(\delta < -\varepsilon) = \int_\varepsilon^1 f(t)\, G(t - \varepsilon)\, dt,

    and the same with A and B exchanged for H1. The integral is computed on the
    log-odds scale of :math:`(t - \varepsilon) / (1 - \varepsilon)`, where the integrand is smooth
    and falls off exponentially, by Gauss-Legendre quadrature on panels that close in on both
    centres, with all values kept as logarithms: small probabilities, down to 1e-300, come with a
    relative error below 1e-8 for counts up to 1e12. ``p_rope`` is what the other two leave, and so
    has that error in absolute terms.

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
    >>> test.decision, round(test.p_h1, 3)
    ('accept H1', 0.886)

    Is B better by more than 0.02?

    >>> test = f1ci.bayes_test(a, b, rope=0.02)
    >>> round(test.p_h0, 3), round(test.p_rope, 3), round(test.p_h1, 3)
    (0.04, 0.217, 0.743)
    """
    name = _name(metric)
    _validation.choice("method", method, ("quadrature", "monte_carlo"))
    strength = _validation.positive("prior", prior)
    margin = _validation.probability("rope", rope)
    draws = _validation.positive_integer("replicates", replicates, maximum=_MOST_DRAWS)
    counts_a = _folds("folds_a", folds_a)
    counts_b = _folds("folds_b", folds_b)
    if counts_a.shape != counts_b.shape:
        got = f"{len(counts_a)} and {len(counts_b)} repetitions"
        raise ValueError(f"folds_a and folds_b must come from the same partitions, got {got}")
    effective = (_effective(counts, rho1, rho2) for counts in (counts_a, counts_b))
    a, b = (_posterior(*counts, name, strength) for counts in effective)
    if method == "quadrature":
        p_h0 = _probability_of_exceeding(a, b, margin)
        p_h1 = _probability_of_exceeding(b, a, margin)
        if margin == 0.0:
            # The two add up to one but for rounding: so do their shares, and equal models tie.
            p_h0, p_h1 = p_h0 / (p_h0 + p_h1), p_h1 / (p_h0 + p_h1)
    else:
        generator = _validation.generator(rng)
        difference = b.rvs(draws, rng=generator) - a.rvs(draws, rng=generator)
        p_h0 = float(np.mean(difference < -margin if margin else difference <= 0.0))
        p_h1 = float(np.mean(difference > margin))
    p_rope = max(0.0, 1.0 - p_h0 - p_h1) if margin else 0.0
    return BayesTest(p_h0, p_h1, p_rope, _decision(p_h0, p_h1, p_rope), name, margin, method)


def _name(metric: str | Metric) -> str:
    """The name of a metric that has a posterior."""
    if isinstance(metric, Metric):
        known = [name for name in METRICS if metric == metrics.METRICS[name]]
        metric = known[0] if known else metric.name
    return _validation.choice("metric", metric, METRICS)


def _decision(p_h0: float, p_h1: float, p_rope: float) -> str:
    if p_rope > 0.0 and p_rope >= max(p_h0, p_h1):
        return "accept equivalence"
    return "accept H0" if p_h0 >= p_h1 else "accept H1"


def _effective(counts: Array, rho1: float | None, rho2: float | None) -> EffectiveCounts:
    one = None if rho1 is None else _validation.probability("rho1", rho1)
    two = None if rho2 is None else _validation.probability("rho2", rho2)
    tp, fp, fn = (_fold_weight(len(counts), one, two) * counts.sum(axis=(0, 1))).tolist()
    return EffectiveCounts(tp, fp, fn)


def _fold_weight(repetitions: int, rho1: float | None, rho2: float | None) -> float:
    """1 / (1 + rho1 + k rho2), k = 2 (m - 1), averaged over each rho that is not given."""
    k = 2.0 * (repetitions - 1)
    if rho1 is not None:
        if rho2 is not None or not k:
            return 1.0 / (1.0 + rho1 + k * (rho2 or 0.0))
        return float(4.0 / k * np.log1p(k / 4.0 / (1.0 + rho1 + k / 4.0)))
    if rho2 is not None or not k:
        return float(2.0 * np.log1p(0.5 / (1.0 + k * (rho2 or 0.0))))
    # h(x + 1/2) - h(x) for h(x) = x log x, without the cancellation at large x.
    near, far = 1.0 + k / 4.0, 1.0 + k / 2.0
    steps = far * np.log1p(0.5 / far) - near * np.log1p(0.5 / near)
    return float(8.0 / k * (steps + 0.5 * np.log((far + 0.5) / (near + 0.5))))


def _posterior(tp: Any, fp: Any, fn: Any, metric: str, prior: float) -> Posterior:
    """The posterior for validated arguments."""
    of_f1 = metric == "f1"
    wrong = np.add(fp, fn) if of_f1 else fp if metric == "precision" else fn
    hits, misses, *_ = map(np.array, np.broadcast_arrays(tp, wrong, fp, fn))
    alpha, beta = hits + prior, misses + (2.0 * prior if of_f1 else prior)
    return Posterior(metric, as_scalar(hits), as_scalar(misses), as_scalar(alpha), as_scalar(beta))


def _power_at_zero(a: Any, b: Any) -> Array:
    """Logarithm of the Be(a, b) density at 0."""
    return np.where(np.less(a, 1.0), np.inf, np.where(np.equal(a, 1.0), np.log(b), -np.inf))


def _log_beta_variable(metric: str, log_t: Array, log_c: Array) -> tuple[Array, Array]:
    """Logarithms of x and 1 - x, for x = F* if t is F1; from those of t and c = 1 - t."""
    if metric != "f1":
        return log_t, log_c
    shift = np.log1p(np.exp(log_c))
    return log_t - shift, np.log(2.0) + log_c - shift


def _log_density(of: Posterior, log_t: Array, log_c: Array) -> Array:
    """Logarithm of the density times t (1 - t), from the logarithms of t and 1 - t.

    That is the density on the log-odds scale, and the same for F1 and F*, whose log odds differ
    by a constant. It is written in terms of deviances from the mean (Loader 2000): the
    terms of a log x + b log(1 - x) - log B(a, b) cancel to nothing for large counts.
    """
    a, b = np.asarray(of.alpha), np.asarray(of.beta)
    n = a + b
    deviance, *_ = _deviance(a, b, *_log_beta_variable(of.metric, log_t, log_c))
    constant = 0.5 * (np.log(a / n) + np.log(b) - np.log(2.0 * np.pi))
    return np.asarray(constant - (_stirling(a) + _stirling(b) - _stirling(n)) - deviance)


def _deviance(a: Array, b: Array, log_x: Array, log_y: Array) -> tuple[Array, Array, Array]:
    """Of x with y = 1 - x from the mean of Be(a, b), and the logarithms of x and y over theirs."""
    n = a + b
    to_x, to_y = log_x - np.log(a / n), log_y - np.log(b / n)
    return a * (np.expm1(to_x) - to_x) + b * (np.expm1(to_y) - to_y), to_x, to_y


def _stirling(z: Array) -> Array:
    """Logarithm of Gamma(z) less Stirling's (z - 1/2) log z - z + log(2 pi) / 2."""
    large = np.maximum(z, 10.0)
    square = large * large
    tail = (1 / 1680 - 1 / (1188 * square)) / square
    series = (1 / 12 - (1 / 360 - (1 / 1260 - tail) / square) / square) / large
    small = np.minimum(z, 10.0)
    direct = (
        special.gammaln(small) - (small - 0.5) * np.log(small) + small - 0.5 * np.log(2.0 * np.pi)
    )
    return np.asarray(np.where(z >= 10.0, series, direct))


def _log_cdf(of: Posterior, log_t: Array, log_c: Array) -> Array:
    """Logarithm of the distribution function, from the logarithms of t and 1 - t."""
    a, b = of.alpha, of.beta
    log_x, log_y = _log_beta_variable(of.metric, log_t, log_c)
    if np.minimum(a, b) >= _MANY:
        return _log_cdf_of_many(np.asarray(a), np.asarray(b), log_x, log_y)
    near_0 = special.betainc(a, b, np.exp(np.minimum(log_x, 0.0)))
    near_1 = special.betaincc(b, a, np.exp(np.minimum(log_y, 0.0)))
    with np.errstate(divide="ignore"):
        value = np.log(np.where(log_x < log_y, near_0, near_1))
        # Where x or 1 - x underflows, the power laws of both tails.
        value = np.where(log_x < _LOG_TINY, a * log_x - np.log(a) - special.betaln(a, b), value)
        above = np.exp(b * np.minimum(log_y, _LOG_TINY) - np.log(b) - special.betaln(a, b))
        value = np.where(log_y < _LOG_TINY, np.log1p(-np.minimum(above, 1.0)), value)
    return np.asarray(value)


def _log_cdf_of_many(a: Array, b: Array, log_x: Array, log_y: Array) -> Array:
    """Logarithm of the Be(a, b) distribution function for large counts.

    Lugannani and Rice: ``Phi(w) + phi(w) (1 / w - 1 / u)``, with w the signed root of twice the
    deviance of `_log_density` and u its slope by the log odds, on the scale of w.
    """
    n = a + b
    p, q = a / n, b / n
    sigma = np.sqrt(a * q)
    deviance, to_x, to_y = _deviance(a, b, log_x, log_y)
    odds = to_x - to_y  # log odds, from the centre
    w = np.sign(odds) * np.sqrt(2.0 * np.maximum(deviance, 0.0))
    u = np.where(a < b, a * np.expm1(to_x), -b * np.expm1(to_y)) / sigma
    centre = np.abs(odds) < 1e-4  # where 1 / w - 1 / u cancels: the first terms of its series
    skew = q - p
    curve = (skew**2 - 2.0 * p * q) / 8.0 - 5.0 * skew**2 / 24.0
    correction = (skew / 3.0 + curve * odds) / sigma
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.where(centre, correction, 1.0 / w - 1.0 / u)
    log_phi = -0.5 * w * w - 0.5 * np.log(2.0 * np.pi)
    main = special.log_ndtr(w)
    return np.asarray(main + np.log1p(correction * np.exp(log_phi - main)))


def _probability_of_exceeding(first: Posterior, second: Posterior, margin: float) -> float:
    """P(first > second + margin) for independent scalar posteriors of one metric.

    The integral of the density f of the first times the distribution function G of the
    second, f(t) G(t - margin), over the log odds z of (t - margin) / (1 - margin).
    """
    if margin == 1.0:
        return 0.0
    with np.errstate(divide="ignore"):
        log_margin, log_width = np.log(margin), np.log1p(-margin)

    def log_integrand(z: Array) -> Array:
        log_u, log_v = -np.logaddexp(0.0, -z), -np.logaddexp(0.0, z)
        log_t, log_c = np.logaddexp(log_margin, log_width + log_u), log_width + log_v
        log_s, log_d = log_width + log_u, np.logaddexp(log_margin, log_width + log_v)
        log_jacobian = log_width + log_u + log_v
        density = _log_density(first, log_t, log_c) - log_t - log_c
        return np.asarray(density + log_jacobian + _log_cdf(second, log_s, log_d))

    edges = _panel_edges(first, second, margin)
    widths = np.diff(edges)[:, None]
    values = log_integrand(edges[:-1, None] + widths * _NODES)
    return float(min(1.0, np.exp(special.logsumexp(values, b=widths * _WEIGHTS))))


def _panel_edges(first: Posterior, second: Posterior, margin: float) -> Array:
    """Edges that close in on the centres of both distributions, at distances that double."""
    left = 1.0 / (min(1.0, float(first.alpha)) + float(second.alpha))
    right = 1.0 / float(first.beta)
    # An exponential tail of this many units is below the smallest positive number.
    reach = 800.0 * max(left, right, 1.0)
    edges = [np.array([-reach, 0.0, reach])]
    for of, below, above in ((first, margin, 0.0), (second, 0.0, margin)):
        a, b = float(of.alpha), float(of.beta)
        odds = 2.0 * a / b if of.metric == "f1" else a / b
        # In units of the interval (margin, 1) for the first, (0, 1 - margin) for the second.
        u, v = odds / (1.0 + odds) - below, 1.0 / (1.0 + odds) - above
        centre = np.log(u) - np.log(v) if min(u, v) > 0.0 else 0.0
        # Its standard deviation on this scale, or less.
        scale = min(1.0, np.sqrt(1.0 / a + 1.0 / b))
        steps = scale * 2.0 ** np.arange(np.ceil(np.log2(2.0 * reach / scale)))
        edges += [centre - steps, np.array([centre]), centre + steps]
    return np.unique(np.concatenate(edges))


def _folds(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Counts TP, FP, FN of m two-fold cross-validations, shape (m, 2, 3)."""
    array = _validation.weights(name, value)
    legal = array.ndim == 3 and array.shape[1:] == (2, 3) and array.size > 0
    expected = "(m, 2, 3), for m repetitions, 2 folds and the counts TP, FP, FN"
    return _validation.shaped(name, array, legal, expected)
