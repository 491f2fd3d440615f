"""How well joint intervals do: exactly for one rule, by simulation for several (`yuan`).

A test set of n cases enters the intervals through its joint cell counts alone, one
multinomial draw (`f1ci.joint.joint_from_cells`). For one rule only three counts matter,
TP, FP and FN, and all tables that can occur are summed over instead of drawn.

Three kinds of intervals are looked at, named as in Tables VI and VII: "individual" ones,
"joint" ones, and "corrected" ones (joint and blurred); and "corrected_individual" ones. A
critical value is computed

- for one or two measures, in every test set: a function of one correlation, tabulated;
- for three measures of one rule whose tables are enumerated: by a quadratic in the three
  correlations, fitted to `EXAMPLES` critical values; the residuals are of order 1e-3;
- otherwise once for all test sets of one population, from their mean correlation. It
  varies by less than one per cent from one test set to the next, which moves mean lengths
  and coverages by a few 1e-4; `drift` measures it.

Test sets in which a measure has an estimated variance of zero have a critical value of
their own, from the other measures, as in `f1ci.joint.joint_critical_value`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.special import gammaln, ndtri

from compendium.published import Number
from f1ci.joint import joint_critical_value, joint_from_cells
from f1ci.metrics import BinaryMetric
from f1ci.normal import equicoordinate_quantile

__all__ = [
    "Exact",
    "band",
    "consistent_tables",
    "drift",
    "exact",
    "expectations",
    "on_grid",
    "replications",
    "simulate",
    "tables",
    "true_values",
]

Array = NDArray[np.float64]

EXAMPLES = 500
# Of the critical value common to all test sets: it moves a coverage by 1e-4 at most.
ACCURACY = 1e-3
# Standard deviations of a count that enumeration goes to, and the least log probability kept.
REACH, FAINTEST = 7.0, -26.0


def expectations(cells: ArrayLike) -> tuple[Array, Array, Array]:
    """E(ZA), EA and EZ of each of m rules.

    Parameters
    ----------
    cells : array_like, shape (..., 2**(m + 1))
        Counts or probabilities; the index of a cell, in binary, reads Z A_1 ... A_m.

    Returns
    -------
    tuple of ndarray
        Each of shape (..., m).
    """
    p = np.asarray(cells, dtype=np.float64)
    p = p / p.sum(axis=-1, keepdims=True)
    places = np.arange(p.shape[-1].bit_length() - 2, -1, -1)
    bits = (np.arange(p.shape[-1])[:, None] >> places) & 1
    z, a = bits[:, :1], bits[:, 1:]
    return p @ (z * a), p @ a, np.broadcast_to(p @ z, (p @ a).shape)


def true_values(cells: ArrayLike, metrics: Sequence[BinaryMetric]) -> Array:
    """The measures of a population: all of the first rule, then all of the second, and so on."""
    three = expectations(cells)
    values = np.stack([metric.at(*three) for metric in metrics], axis=-1)
    return values.reshape(*values.shape[:-2], -1)


def tables(n: int, cells: ArrayLike) -> tuple[NDArray[np.int64], Array]:
    """All tables of one rule that a test set of n cases can show, but for faint ones.

    Parameters
    ----------
    n : int
        Size of a test set.
    cells : array_like, shape (4,)
        Counts or probabilities of the population: TN, FP, FN, TP.

    Returns
    -------
    counts : ndarray, shape (tables, 4)
    probability : ndarray, shape (tables,)
        They add up to 1 but for about 1e-9.
    """
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    ranges = []
    for share in p[1:]:
        reach = REACH * np.sqrt(n * share * (1 - share)) + REACH**2 / 4
        low, high = max(0, int(n * share - reach)), min(n, int(n * share + reach) + 1)
        ranges.append(np.arange(low, high + 1))
    fp, fn, tp = (axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij", sparse=False))
    counts = np.stack([n - fp - fn - tp, fp, fn, tp], axis=-1)
    counts = counts[counts[:, 0] >= 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(counts > 0, counts * np.log(p), 0.0).sum(axis=-1)
    log += gammaln(n + 1) - _log_factorial(n)[counts].sum(axis=-1)
    kept = log > FAINTEST
    return counts[kept], np.exp(log[kept])


@lru_cache(maxsize=4)
def _log_factorial(n: int) -> Array:
    logs: Array = gammaln(np.arange(n + 1) + 1.0)
    return logs


@lru_cache(maxsize=4)
def _pair_quantile(level: float) -> Any:
    """The critical value of two measures, as a function of the angle arccos |correlation|."""
    angle = np.linspace(0.0, np.pi / 2, 401)
    matrices = np.ones((len(angle), 2, 2))
    matrices[:, 0, 1] = matrices[:, 1, 0] = np.cos(angle)
    return CubicSpline(angle, equicoordinate_quantile(matrices, level))


def _correlation(covariance: Array) -> Array:
    """Correlation matrices; entries of measures without variance are 0."""
    scale = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    inverse = np.where(scale > 0, 1 / np.where(scale > 0, scale, 1.0), 0.0)
    return np.clip(covariance * inverse[..., :, None] * inverse[..., None, :], -1.0, 1.0)


def _critical_values(covariance: Array, level: float, *, each: bool) -> Array:
    """A critical value for each test set of one population, shape (tests,)."""
    k = covariance.shape[-1]
    kept = np.diagonal(covariance, axis1=-2, axis2=-1) > 0
    if k == 2:
        both = kept.all(axis=-1)
        rho = np.where(both, _correlation(covariance)[:, 0, 1], 1.0)
        return np.asarray(_pair_quantile(level)(np.arccos(np.abs(rho))))
    values = np.full(len(covariance), ndtri((1 + level) / 2))
    pattern = kept @ (1 << np.arange(k))
    for code in np.unique(pattern[pattern > 0]):
        here = pattern == code
        measures = np.flatnonzero(kept[here.argmax()])
        chosen = covariance[here][:, measures[:, None], measures]
        if each and len(measures) > 2 and len(chosen) > EXAMPLES:
            values[here] = _by_regression(chosen, level)
        else:
            mean = _correlation(chosen).mean(axis=0)
            np.fill_diagonal(mean, 1.0)
            values[here] = equicoordinate_quantile(mean, level, accuracy=ACCURACY)
    return values


def _by_regression(covariance: Array, level: float) -> Array:
    """Critical values by a quadratic in the correlations, fitted to evenly spread examples."""
    upper = np.triu_indices(covariance.shape[-1], 1)
    rho = _correlation(covariance)[:, upper[0], upper[1]]
    first, second = np.triu_indices(rho.shape[1])
    features = np.column_stack([np.ones(len(rho)), rho, rho[:, first] * rho[:, second]])
    examples = np.linspace(0, len(rho) - 1, EXAMPLES).astype(int)
    known = joint_critical_value(covariance[examples], confidence_level=level)
    fit = np.linalg.lstsq(features[examples], known, rcond=None)[0]
    values: Array = features @ fit
    return values


def _marginal(counts: NDArray[Any], rule: int) -> NDArray[Any]:
    """The table of one rule, shape (tests, 4), from the joint cells of several."""
    m = counts.shape[-1].bit_length() - 2
    full = counts.reshape(-1, *[2] * (m + 1))
    others = tuple(2 + i for i in range(m) if i != rule)
    marginal: NDArray[Any] = full.sum(axis=others)
    return marginal.reshape(-1, 4)


def _blurred_variances(
    counts: NDArray[Any], metrics: Sequence[BinaryMetric], level: float
) -> Array:
    """Of all measures; each rule's depend on its own table alone, which is small."""
    variances = []
    for rule in range(counts.shape[-1].bit_length() - 2):
        own = _marginal(counts, rule)
        _, covariance = joint_from_cells(own, metrics, method="blur", confidence_level=level)
        variances.append(np.diagonal(covariance, axis1=-2, axis2=-1))
    return np.concatenate(variances, axis=-1)


def _quantities(
    counts: NDArray[Any],
    truth: Array,
    metrics: Sequence[BinaryMetric],
    rules: Sequence[str],
    level: float,
    *,
    rescaled: bool,
    corrected: bool,
    each: bool,
) -> dict[str, NDArray[Any]]:
    """What the paper averages, for each test set; see `simulate` for the names."""
    size = len(metrics)
    estimate, plain = joint_from_cells(counts, metrics, confidence_level=level)
    diagonal = np.arange(estimate.shape[-1])
    choices = {"": plain}
    if corrected:
        choices["corrected_"] = plain.copy()
        choices["corrected_"][:, diagonal, diagonal] = _blurred_variances(counts, metrics, level)
    z = float(ndtri((1 + level) / 2))
    miss = np.abs(estimate - truth)
    unit = truth if rescaled else np.ones_like(truth)
    found: dict[str, Any] = {}
    groups = {rule: np.arange(size * r, size * (r + 1)) for r, rule in enumerate(rules)}
    if len(rules) > 1:
        groups["all"] = diagonal
    for name, covariance in choices.items():
        error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        held = miss <= z * error
        for k in diagonal:
            found[f"{name}individual/m{k + 1}"] = held[:, k]
        for group, members in groups.items():
            mean_error = (error[:, members] / unit[members]).mean(axis=-1)
            found[f"{group}/{name}individual/coverage"] = held[:, members].all(axis=-1)
            found[f"{group}/{name}individual/length"] = 2 * z * mean_error
            part = covariance[:, members[:, None], members] if group != "all" else covariance
            q = _critical_values(part, level, each=each)
            kind = "corrected" if name else "joint"
            reached = miss[:, members] <= q[:, None] * error[:, members]
            found[f"{group}/{kind}/coverage"] = reached.all(axis=-1)
            found[f"{group}/{kind}/length"] = 2 * q * mean_error
    return found


@dataclass(frozen=True)
class Exact:
    """Exact mean of a quantity, and its standard deviation from one test set to the next."""

    mean: float
    deviation: float


def exact(
    n: int,
    cells: ArrayLike,
    metrics: Sequence[BinaryMetric],
    *,
    level: float = 0.95,
    rescaled: bool = False,
) -> dict[str, Exact]:
    """Coverage and mean length of the intervals for one rule, by enumeration.

    Parameters
    ----------
    n : int
        Size of a test set.
    cells : array_like, shape (4,)
        The population: TN, FP, FN, TP.
    metrics : sequence of BinaryMetric
    level : float
    rescaled : bool
        Whether each length is divided by the true value, as in Table VII.

    Returns
    -------
    dict of str to Exact
        The names are those of `simulate`, for one rule called "rule".
    """
    counts, probability = tables(n, cells)
    truth = true_values(cells, metrics)
    values = _quantities(
        counts, truth, metrics, ["rule"], level, rescaled=rescaled, corrected=True, each=True
    )
    found = {}
    for name, value in values.items():
        mean = float(probability @ value)
        spread = float(probability @ (value - mean) ** 2)
        found[name.removeprefix("rule/")] = Exact(mean, spread**0.5)
    return found


def simulate(
    n: int,
    cells: ArrayLike,
    metrics: Sequence[BinaryMetric],
    rules: Sequence[str],
    *,
    replicates: int,
    rng: Any,
    truth: Array | None = None,
    level: float = 0.95,
    rescaled: bool = False,
    corrected: bool = True,
) -> dict[str, float]:
    """One run of the paper's simulation: means over `replicates` test sets.

    Parameters
    ----------
    n : int
        Size of a test set.
    cells : array_like, shape (2**(m + 1),)
        The population: counts or probabilities of the joint cells of outcome and rules.
    metrics : sequence of BinaryMetric
    rules : sequence of str
        The m rules' names, for the names of the quantities.
    replicates : int
    rng : None, int, SeedSequence or Generator
    truth : ndarray, optional
        What the intervals should hold; by default the population's own values.
    level : float
    rescaled : bool
        Whether each length is divided by the true value.
    corrected : bool
        Whether to look at blurred intervals as well.

    Returns
    -------
    dict of str to float
        ``individual/m1`` and so on: coverages of single measures; ``<rule>/<kind>/coverage``
        and ``<rule>/<kind>/length``, also for ``all`` rules together, where a kind is
        ``individual``, ``joint`` or ``corrected``; and the same for blurred individual
        intervals, ``corrected_individual``.
    """
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    counts = np.random.default_rng(rng).multinomial(n, p, size=replicates)
    target = true_values(p, metrics) if truth is None else truth
    values = _quantities(
        counts,
        target,
        metrics,
        rules,
        level,
        rescaled=rescaled,
        corrected=corrected,
        each=False,
    )
    return {name: float(value.mean()) for name, value in values.items()}


def replications(
    n: int,
    populations: ArrayLike,
    metrics: Sequence[BinaryMetric],
    rules: Sequence[str],
    *,
    replicates: int,
    seed: np.random.SeedSequence,
    truths: ArrayLike | None = None,
    rescaled: bool = False,
    corrected: bool = True,
    pool: Executor | None = None,
) -> dict[str, Array]:
    """`simulate` for every population, each with a random stream of its own.

    Parameters
    ----------
    populations : array_like, shape (splits, 2**(m + 1))
    seed : SeedSequence
    truths : array_like, shape (splits, measures), optional
        As `truth` in `simulate`, for each population.
    pool : Executor, optional
        Where to compute; here by default. The numbers do not depend on it.
    n, metrics, rules, replicates, rescaled, corrected
        As in `simulate`.

    Returns
    -------
    dict of str to ndarray
        For each quantity of `simulate` its values, shape (splits,).
    """
    cells = np.asarray(populations, dtype=np.float64)
    options = {"replicates": replicates, "rescaled": rescaled, "corrected": corrected}
    run = partial(_run, n, metrics, rules, options)
    targets = true_values(cells, metrics) if truths is None else np.asarray(truths)
    runs = list((pool.map if pool else map)(run, cells, targets, seed.spawn(len(cells))))
    return {name: np.array([one[name] for one in runs]) for name in runs[0]}


def _run(
    n: int,
    metrics: Sequence[BinaryMetric],
    rules: Sequence[str],
    options: dict[str, Any],
    cells: Array,
    truth: Array,
    rng: np.random.SeedSequence,
) -> dict[str, float]:
    return simulate(n, cells, metrics, rules, truth=truth, rng=rng, **options)


def band(values: ArrayLike) -> tuple[float, float]:
    """The central 99 % of independent replications."""
    low, high = np.quantile(np.asarray(values, dtype=np.float64), [0.005, 0.995])
    return float(low), float(high)


def drift(
    n: int,
    cells: ArrayLike,
    metrics: Sequence[BinaryMetric],
    *,
    replicates: int,
    rng: Any,
    method: str = "delta",
    level: float = 0.95,
) -> dict[str, float]:
    """What it costs to compute the critical value of all measures once, not in every test set.

    Returns
    -------
    dict of str to float
        ``deviation`` of the critical value from test set to test set; the change of
        ``coverage``, and the relative change of the mean ``length``, that its mean brings.
    """
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    truth = true_values(p, metrics)
    counts = np.random.default_rng(rng).multinomial(n, p, size=replicates)
    estimate, covariance = joint_from_cells(counts, metrics, method=method, confidence_level=level)
    error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    own = joint_critical_value(covariance, confidence_level=level)
    common = _critical_values(covariance, level, each=False)
    miss = np.abs(estimate - truth)
    covered = [(miss <= q[:, None] * error).all(axis=-1).mean() for q in (own, common)]
    length = [(q[:, None] * error / truth).mean() for q in (own, common)]
    return {
        "deviation": float(own.std()),
        "coverage": float(covered[1] - covered[0]),
        "length": float(length[1] / length[0] - 1),
    }


def consistent_tables(
    total: int, f_half: Number, accuracy: Number, lift: Number | None = None
) -> set[tuple[int, int, int]]:
    """All (Z, TP, A) of a population whose measures round to the printed ones.

    Parameters
    ----------
    total : int
        Size of the population.
    f_half, accuracy, lift : Number
        Printed F0.5, accuracy and, if there is one, lift.

    Returns
    -------
    set of tuple
        Numbers of positives (less than half of all), of true and of predicted positives.
    """
    f, half = float(f_half.value), float(f_half.half_unit)
    wrong, slack = float(1 - accuracy.value) * total, float(accuracy.half_unit) * total
    found = set()
    z = np.arange(1, total // 2)[:, None]
    for errors in range(int(np.ceil(wrong - slack)), int(np.floor(wrong + slack)) + 1):
        # TP / (0.8 A + 0.2 Z) = f with A = errors - Z + 2 TP, solved for TP. The solution is
        # off by what f is off by, times a slope: look at enough integers around it.
        centre = f * (0.8 * errors - 0.6 * z) / (1 - 1.6 * f)
        reach = int(np.ceil(half * np.abs(0.8 * errors - 0.6 * z).max() / (1 - 1.6 * f) ** 2)) + 1
        tp = np.round(centre).astype(int) + np.arange(-reach, reach + 1)
        a = errors - z + 2 * tp
        with np.errstate(divide="ignore", invalid="ignore"):
            fits = np.abs(tp / (0.8 * a + 0.2 * z) - f) <= half + 1e-12
            if lift is not None:
                value = tp * total / (a * z)
                fits &= np.abs(value - float(lift.value)) <= float(lift.half_unit) + 1e-12
        fits &= (tp >= 0) & (tp <= np.minimum(a, z))
        zs = np.broadcast_to(z, tp.shape)
        found |= {
            (int(i), int(j), int(k)) for i, j, k in zip(zs[fits], tp[fits], a[fits], strict=True)
        }
    return found


def on_grid(printed: Number, replicates: int) -> bool:
    """Whether a printed share is the rounded share of some whole number of replicates."""
    nearest = round(printed.value * replicates)
    return any(
        abs(Fraction(k, replicates) - printed.value) <= printed.half_unit
        for k in (nearest - 1, nearest, nearest + 1)
    )
