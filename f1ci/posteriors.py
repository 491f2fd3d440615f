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

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from f1ci import _validation
from f1ci.metrics import Metric
from f1ci.results import BayesTest, EffectiveCounts, FloatOrArray, Interval, as_scalar

METRICS = ("precision", "recall", "f1")

Array = NDArray[np.float64]
Seed = int | np.random.Generator | np.random.SeedSequence | None

# More random values than this may not fit in memory.
_MOST_DRAWS = 10**8

# With a smaller prior and no counts, a visible share of the posterior lies beyond 1e-308.
_LEAST_PRIOR = 0.05

_LOG_TOLERANCE = math.log(1e-12)


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
    return _effective(_folds("folds", folds), rho1, rho2)


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
    metric : {"f1", "precision", "recall"} or Metric
        What to infer.
    prior : float, default 0.5
        :math:`\lambda` of the prior :math:`\mathrm{Be}(\lambda, \lambda)` of precision and
        recall. With 1/2 the intervals for F1 cover better than with the paper's uniform prior,
        ``prior=1``, when F1 is close to 1.

    Returns
    -------
    Posterior
        With methods ``pdf``, ``cdf``, ``sf``, ``ppf``, ``rvs``, ``mean``, ``mode`` and
        ``interval``.

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
    >>> round(recall.sf(0.9), 3)
    0.308
    """
    name = _name(metric)
    strength = _validation.positive("prior", prior)
    tp, fp, fn = _validation.broadcast(_validation.weights, tp=tp, fp=fp, fn=fn)
    return _posterior(tp, fp, fn, name, strength)


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
        """Return the density at `x` (eq. 7, and eqs. 25 to 27 with their exponents corrected)."""
        from scipy import stats  # slow to import

        t = self._argument("x", x)
        density = stats.beta.pdf(self._to_beta(t), self.alpha, self.beta)
        inside = np.clip(t, 0.0, 1.0)
        slope = 2.0 / (2.0 - inside) ** 2 if self.metric == "f1" else 1.0
        return as_scalar(np.where((t < 0.0) | (t > 1.0), 0.0, density * slope))

    def cdf(self, x: ArrayLike) -> FloatOrArray:
        """Return the probability of a value of at most `x`."""
        return as_scalar(
            special.betainc(self.alpha, self.beta, self._to_beta(self._argument("x", x)))
        )

    def sf(self, x: ArrayLike) -> FloatOrArray:
        """Return the probability of a value above `x`, with full precision in the upper tail."""
        return as_scalar(
            special.betaincc(self.alpha, self.beta, self._to_beta(self._argument("x", x)))
        )

    def ppf(self, q: ArrayLike) -> FloatOrArray:
        """Return the value below which the probability is `q`."""
        p = self._argument("q", q)
        _validation.refuse("q", p, ~((p >= 0.0) & (p <= 1.0)), "lie between 0 and 1")
        return as_scalar(self._from_beta(special.betaincinv(self.alpha, self.beta, p)))

    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: Seed = None) -> FloatOrArray:
        """Draw random values; without `size`, one for each set of counts."""
        generator = _validation.generator(rng)
        shape = size if isinstance(size, tuple) else () if size is None else (size,)
        for length in shape:
            _validation.positive_integer("size", length, maximum=_MOST_DRAWS)
        if math.prod(shape) > _MOST_DRAWS:
            raise ValueError(f"size must be at most {_MOST_DRAWS} values, got {size!r}")
        if size is not None:
            sizes = np.broadcast_to(0.0, shape)
            _validation.broadcast(_validation.real, size=sizes, alpha=self.alpha)
        return as_scalar(self._from_beta(generator.beta(self.alpha, self.beta, size)))

    def mean(self) -> FloatOrArray:
        r"""Return the expected value.

        For F1 it is :math:`\alpha / n \cdot {}_2F_1(1, \beta; n + 1; \tfrac12)` with
        :math:`n = \alpha + \beta`: a series of positive terms, each less than half
        of the previous term.
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
        r"""Return the most probable value; nan if there is more than one.

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
        # A negative exponent makes the density infinite at that end.
        value = np.where(alpha < 1.0, 0.0, np.where(beta < 1.0, 1.0, inner))
        return as_scalar(np.where((alpha < 1.0) & (beta < 1.0), np.nan, value))

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

    def _argument(self, name: str, value: ArrayLike) -> Array:
        """Check that `value` holds real numbers that broadcast against the counts."""
        return _validation.broadcast(_validation.real, **{name: value, "alpha": self.alpha})[0]

    def _to_beta(self, t: Array) -> Array:
        """Map the metric to the Beta variable; values beyond [0, 1] go to the nearest end."""
        t = np.clip(t, 0.0, 1.0)
        return t / (2.0 - t) if self.metric == "f1" else t

    def _from_beta(self, x: Array) -> Array:
        """Map the Beta variable to the metric."""
        return np.asarray(2.0 * x / (1.0 + x) if self.metric == "f1" else x)


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
    metric : {"f1", "precision", "recall"} or Metric
        What to compare.
    prior : float, default 0.5
        :math:`\lambda` of the prior :math:`\mathrm{Be}(\lambda, \lambda)`, as in `posterior`;
        at least 0.05.
    rope : float, default 0.0
        Half-width of a region of practical equivalence: differences up to this size,
        on the scale of the metric, do not matter.
    rho1, rho2 : float, optional
        Correlations between folds, as in `effective_counts`.

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

    With ``rope`` = :math:`\varepsilon > 0` there are three hypotheses, as in Benavoli et al.
    (2017): B is worse, :math:`\delta < -\varepsilon` (``p_h0``), the models are
    practically equivalent, :math:`|\delta| \le \varepsilon` (``p_rope``), or B is better,
    :math:`\delta > \varepsilon` (``p_h1``). The most probable hypothesis is accepted. Ties go to
    equivalence first, then to H0.

    The posteriors are independent, so with density f of A and distribution
    function G of B

    .. math:: P(\delta < -\varepsilon) = \int_\varepsilon^1 f(t)\, G(t - \varepsilon)\, dt,

    and the same with A and B exchanged for H1. The integral runs over the log odds of
    :math:`(t - \varepsilon) / (1 - \varepsilon)`, with all values kept as logarithms
    (`scipy.integrate.tanhsinh`). Probabilities down to 1e-300 have a relative error below 1e-8 for
    counts up to 1e12 (a test has them), and below 1e-7 for counts up to 1e15. ``p_rope`` is one
    minus the other two probabilities, so its absolute error is theirs.

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
    ('accept H1', 0.891)

    Is B better by more than 0.02?

    >>> test = f1ci.bayes_test(a, b, rope=0.02)
    >>> round(test.p_h0, 3), round(test.p_rope, 3), round(test.p_h1, 3)
    (0.037, 0.213, 0.75)
    """
    name = _name(metric)
    strength = _validation.positive("prior", prior)
    if strength < _LEAST_PRIOR:
        raise ValueError(f"prior must be at least {_LEAST_PRIOR} in a test, got {prior!r}")
    margin = _validation.probability("rope", rope)
    counts_a, counts_b = _folds("folds_a", folds_a), _folds("folds_b", folds_b)
    if counts_a.shape != counts_b.shape:
        sizes = f"{len(counts_a)} and {len(counts_b)} repetitions"
        raise ValueError(f"folds_a and folds_b must come from the same partitions, got {sizes}")
    a, b = (
        _posterior(*_effective(counts, rho1, rho2), name, strength)
        for counts in (counts_a, counts_b)
    )
    p_h0, p_h1 = _probability_of_exceeding(a, b, margin), _probability_of_exceeding(b, a, margin)
    if margin == 0.0:
        # The two add up to one except for rounding; after this, equal models tie exactly.
        p_h0, p_h1 = p_h0 / (p_h0 + p_h1), p_h1 / (p_h0 + p_h1)
    p_rope = max(0.0, 1.0 - p_h0 - p_h1) if margin else 0.0
    return BayesTest(p_h0, p_h1, p_rope, _decision(p_h0, p_h1, p_rope), name, margin)


def _name(metric: str | Metric) -> str:
    """Return the name of a metric that has a posterior."""
    name = metric.name if isinstance(metric, Metric) else metric
    return _validation.choice("metric", name, METRICS)


def _decision(p_h0: float, p_h1: float, p_rope: float) -> str:
    if p_rope > 0.0 and p_rope >= max(p_h0, p_h1):
        return "accept equivalence"
    return "accept H0" if p_h0 >= p_h1 else "accept H1"


def _folds(name: str, value: ArrayLike) -> Array:
    """Return the counts TP, FP, FN of m two-fold cross-validations, shape (m, 2, 3)."""
    array = _validation.weights(name, value)
    legal = array.ndim == 3 and array.shape[1:] == (2, 3) and array.size > 0
    expected = "(m, 2, 3), for m repetitions, 2 folds and the counts TP, FP, FN"
    return _validation.shaped(name, array, legal, expected)


def _effective(counts: Array, rho1: float | None, rho2: float | None) -> EffectiveCounts:
    one = None if rho1 is None else _validation.probability("rho1", rho1)
    two = None if rho2 is None else _validation.probability("rho2", rho2)
    tp, fp, fn = (_fold_weight(len(counts), one, two) * counts.sum(axis=(0, 1))).tolist()
    return EffectiveCounts(tp, fp, fn)


def _fold_weight(repetitions: int, rho1: float | None, rho2: float | None) -> float:
    """Average 1 / (1 + rho1 + k rho2), k = 2 (m - 1), over each rho that is not given."""
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


def _posterior(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, metric: str, prior: float) -> Posterior:
    """Return the posterior for validated arguments."""
    of_f1 = metric == "f1"
    wrong = np.add(fp, fn) if of_f1 else fp if metric == "precision" else fn
    hits, misses, *_ = map(np.array, np.broadcast_arrays(tp, wrong, fp, fn))
    alpha, beta = hits + prior, misses + (2.0 * prior if of_f1 else prior)
    return Posterior(metric, as_scalar(hits), as_scalar(misses), as_scalar(alpha), as_scalar(beta))


def _probability_of_exceeding(first: Posterior, second: Posterior, margin: float) -> float:
    """Return P(first > second + margin) for independent scalar posteriors of one metric.

    1. Let z be the log odds of a number u between 0 and 1. The first metric is
       t = margin + (1 - margin) u, and the second must stay below s = (1 - margin) u.
    2. Integrate, over z, the density of the first at t times P(second < s). If the second has the
       narrower distribution, integrate its density at s times P(first > t): the same number.
    3. Divide by the integral of that density, so that no normalising constant is needed.
    """
    if margin == 1.0:
        return 0.0
    scales = [min(1.0, math.sqrt(float(1 / of.alpha + 1 / of.beta))) for of in (first, second)]
    narrow = int(scales[1] < scales[0])
    of, other = (second, first) if narrow else (first, second)

    def log_integrand(z: Array) -> Array:
        log_u, log_v = _log_shares(z)
        t = np.logaddexp(log_margin, log_width + log_u), log_width + log_v
        s = log_width + log_u, np.logaddexp(log_margin, log_width + log_v)
        at, beside = (s, t) if narrow else (t, s)
        jacobian = log_u + log_v + log_width - at[0] - at[1]
        tail = _log_tail(other, *beside, above=bool(narrow))
        return np.asarray(_log_density(of, *at) + jacobian + tail)

    def log_density(z: Array) -> Array:
        return _log_density(of, *_log_shares(z))

    with np.errstate(all="ignore"):
        log_margin, log_width = np.log(margin), np.log1p(-margin)
        # The peak lies between both centres, or a few standard deviations beyond.
        odds = [_log_odds(first), _log_odds(second)]
        u = (special.expit(odds) - [margin, 0.0]) / (1.0 - margin)
        centres = special.logit(np.clip(u, 1e-300, 1.0 - 1e-16))
        beyond = 10.0 * max(scales)
        ends = float(centres.min() - beyond), float(centres.max() + beyond)
        log_product = _log_integral(log_integrand, ends, scales[narrow])
        around = odds[narrow] - 2.0, odds[narrow] + 2.0
        log_whole = _log_integral(log_density, around, scales[narrow])
        return min(1.0, math.exp(log_product - log_whole))


def _log_integral(
    log_of: Callable[[Array], Array], ends: tuple[float, float], scale: float
) -> float:
    """Return the logarithm of the integral of a function with one peak between `ends`."""
    from scipy import integrate, optimize  # slow to import

    peak: float = optimize.minimize_scalar(
        lambda z: -log_of(np.asarray(z)), bounds=ends, method="bounded"
    ).x

    def from_peak(x: Array, sign: float) -> Array:
        value = log_of(peak + sign * scale * x)
        return np.asarray(np.where(np.isnan(value), -np.inf, value))  # at an infinite x

    halves = [
        integrate.tanhsinh(
            from_peak, 0.0, np.inf, args=(sign,), log=True, rtol=_LOG_TOLERANCE
        ).integral
        for sign in (-1.0, 1.0)
    ]
    return float(special.logsumexp(halves)) + math.log(scale)


def _log_shares(z: Array) -> tuple[Array, Array]:
    """Return the logarithms of u and 1 - u from the log odds of u."""
    return -np.logaddexp(0.0, -z), -np.logaddexp(0.0, z)


def _log_odds(of: Posterior) -> float:
    """Return the log odds of the metric at the mean of the Beta variable."""
    return float(np.log((2.0 if of.metric == "f1" else 1.0) * of.alpha / of.beta))


def _beta_shares(metric: str, log_t: Array, log_c: Array) -> tuple[Array, Array]:
    """Return the logarithms of the Beta variable x and of 1 - x, from those of t and 1 - t."""
    if metric != "f1":
        return log_t, log_c
    shift = np.log1p(np.exp(log_c))
    return log_t - shift, np.log(2.0) + log_c - shift


def _log_density(of: Posterior, log_t: Array, log_c: Array) -> Array:
    """Return the logarithm of the density on the log-odds scale, except for a constant.

    It is a log(x / mean) + b log((1 - x) / (1 - mean)), less a sum that is zero (the terms with
    expm1). Without that sum the digits would cancel for large counts.
    """
    n = np.add(of.alpha, of.beta)
    log_x, log_y = _beta_shares(of.metric, log_t, log_c)
    to_x, to_y = log_x - np.log(of.alpha / n), log_y - np.log(of.beta / n)
    return np.asarray(of.alpha * (to_x - np.expm1(to_x)) + of.beta * (to_y - np.expm1(to_y)))


def _log_tail(of: Posterior, log_t: Array, log_c: Array, *, above: bool) -> Array:
    """Return the log probability below (or above) t, from the logarithms of t and 1 - t."""
    log_x, log_y = _beta_shares(of.metric, log_t, log_c)
    lower, upper = special.betainc, special.betaincc
    near_0 = (upper if above else lower)(of.alpha, of.beta, np.exp(log_x))
    near_1 = (lower if above else upper)(of.beta, of.alpha, np.exp(log_y))
    tail = np.where(log_x < log_y, near_0, near_1)
    # Below 1e-308, the first term of the power series: the integrand still rises to its peak.
    first = of.alpha * log_x + of.beta * log_y - special.betaln(of.alpha, of.beta)
    first -= np.log(of.beta if above else of.alpha)
    return np.asarray(np.where(tail > 0.0, np.log(tail), first))
