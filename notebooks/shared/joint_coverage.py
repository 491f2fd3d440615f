"""Coverage and length of joint intervals: exact for one rule, simulated for several (`yuan`).

A test set of n cases enters the intervals through its joint cell counts alone, so a simulated test
set is one multinomial draw. For one rule only TP, FP and FN matter, and all tables that can occur
are summed over instead of drawn.

A `Study` says what is measured in each test set. It looks at four kinds of intervals, named as in
Tables VI and VII: "individual", "joint", "corrected" (joint and blurred) and
"corrected_individual". Results are a dictionary with names such as "1nn/joint/coverage" and "all/corrected/length" (a family of measures, a kind, a
quantity). "individual/m3" is the coverage of the third measure alone.

A critical value is computed

- for one or two measures, in every test set: a function of one correlation, tabulated;
- for three measures of one rule whose tables are enumerated: by a quadratic in the three
  correlations, fitted to the critical values of some examples; with 500 of them the
  residuals are of order 1e-3;
- otherwise once for all test sets of one population, from their mean correlation. It
  varies by less than one per cent from one test set to the next. This moves mean lengths
  and coverages by a few 1e-4, which `drift` measures.

A measure whose estimated variance is zero is left out of the critical value of its test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.special import ndtri

import f1ci
from f1ci.joint import rows_of_cells
from f1ci.metrics import BinaryMetric

Array = NDArray[np.float64]

# Accuracy of the critical value common to all test sets: it moves a coverage by 1e-4 at most.
COMMON = 1e-3
# Accuracy of the critical value of a single test set.
OWN = 5e-4
# Tables less likely than this are left out of exact sums.
LEAST = float(np.exp(-26.0))
# Joint cells per block of test sets.
BLOCK = 1 << 16
# Rounds of raking; those that can succeed need a few dozen.
RAKES = 100
# The level at which f1ci is asked for the blur, which is proportional to the squared quantile.
LEVEL = 0.95


class Moments(NamedTuple):
    """Mean of a quantity over test sets, and its standard deviation from one set to the next."""

    mean: float
    deviation: float


class Drift(NamedTuple):
    """Cost of computing a critical value once instead of in every test set.

    `deviation` is the standard deviation of the critical value from test set to test set.
    `coverage` is the change of coverage that the common value brings. `length` is the relative
    change of the mean length.
    """

    deviation: float
    coverage: float
    length: float


class Estimates(NamedTuple):
    """Measures of many test sets, with the covariance of choice I of the paper's remark 2.

    Attributes
    ----------
    value : ndarray, shape (tests, K)
        All measures of the first rule, then all of the second, and so on.
    covariance : ndarray, shape (tests, K, K)
        The covariance of the estimates.
    """

    value: Array
    covariance: Array

    @property
    def error(self) -> Array:
        """The standard errors, shape (tests, K)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))


@dataclass(frozen=True)
class Study:
    """What is measured in each test set.

    Attributes
    ----------
    metrics : sequence of BinaryMetric
        The measures of each rule.
    families : mapping of str to slice
        Which measures should hold together, and what to call them; by default those of one rule.
    level : float
        The nominal level.
    rescaled : bool
        Whether each length is divided by the true value, as in Table VII.
    corrected : bool
        Whether to look at blurred intervals as well.
    square : float, optional
        What stands for z^2 in the blurred variance; by default z^2, for 95 % about 3.84.
    examples : int
        From so many test sets the critical values of three or more measures follow. With 0
        examples, or with fewer test sets, all test sets have one common value.
    """

    metrics: Sequence[BinaryMetric]
    families: Mapping[str, slice] = field(default_factory=lambda: {"rule": slice(None)})
    level: float = 0.95
    rescaled: bool = False
    corrected: bool = True
    square: float | None = None
    examples: int = 0

    @property
    def z(self) -> float:
        """The two-sided normal quantile of the level."""
        return float(ndtri((1 + self.level) / 2))


def true_values(cells: ArrayLike, metrics: Sequence[BinaryMetric]) -> Array:
    """Return the measures of a population: all of the first rule, then all of the second."""
    return np.moveaxis(rows_of_cells(cells, metrics, method="delta").estimate, 0, -1)


def estimates(cells: ArrayLike, metrics: Sequence[BinaryMetric]) -> Estimates:
    """Return estimates and their covariance (proposition 1 and remark 2) from joint cells.

    The cells have the shape (tests, 2**(m + 1)). The index of a cell, in binary, reads
    Z A_1 ... A_m.
    """
    rows = [rows_of_cells(block, metrics, method="delta") for block in _blocks(cells)]
    value = np.concatenate([block.estimate.T for block in rows])
    covariance = np.concatenate([np.moveaxis(block.covariance, -1, 0) for block in rows])
    return Estimates(value, covariance)


def blurred(
    found: Estimates, cells: ArrayLike, metrics: Sequence[BinaryMetric], square: float
) -> Array:
    """Return the covariance of choice II, with `square` instead of z^2.

    `found` holds the estimates from the same cells.
    """
    rows = [
        rows_of_cells(block, metrics, method="blur", confidence_level=LEVEL)
        for block in _blocks(cells)
    ]
    variance = np.concatenate([np.diagonal(block.covariance) for block in rows])
    covariance = found.covariance.copy()
    k = np.arange(covariance.shape[-1])
    added = (variance - covariance[:, k, k]) / ndtri((1 + LEVEL) / 2) ** 2
    covariance[:, k, k] += square * added
    return covariance


def _blocks(cells: ArrayLike) -> list[Array]:
    """Return test sets in blocks, whose numbers fit into the cache."""
    counts = np.atleast_2d(np.asarray(cells, dtype=np.float64))
    return np.array_split(counts, -(-counts.size // BLOCK))


def rule_tables(cells: ArrayLike) -> list[Array]:
    """Return the table TN, FP, FN, TP of each rule, from joint cells of any number of rules."""
    flat = np.asarray(cells)
    rules = range(1, flat.size.bit_length() - 1)
    joint = flat.reshape([2] * (len(rules) + 1))
    return [joint.sum(axis=tuple(set(rules) - {rule})).ravel() for rule in rules]


def tables(n: int, cells: ArrayLike) -> tuple[NDArray[np.int64], Array]:
    """Return all tables of one rule that a test set of n cases can show, except faint ones.

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
        Their sum falls short of 1 by about 1e-9.
    """
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    blocks = f1ci.coverage.tables(n, p[[1, 2, 3, 0]], least=LEAST)
    counts, probability = map(np.concatenate, zip(*blocks, strict=True))
    return counts[:, [3, 0, 1, 2]], probability


@lru_cache(maxsize=4)
def _pair_quantile(level: float) -> Any:
    """Return the critical value of two measures, a function of arccos |correlation|."""
    angle = np.linspace(0.0, np.pi / 2, 401)
    matrices = np.ones((len(angle), 2, 2))
    matrices[:, 0, 1] = matrices[:, 1, 0] = np.cos(angle)
    return CubicSpline(angle, f1ci.equicoordinate_quantile(matrices, level, accuracy=OWN))


def _correlations(covariance: Array) -> Array:
    """Return correlation matrices; a measure without variance has no correlation with others."""
    scale = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    inverse = np.where(scale > 0, 1 / np.where(scale > 0, scale, 1.0), 0.0)
    rho = covariance * inverse[..., :, None] * inverse[..., None, :]
    k = np.arange(covariance.shape[-1])
    rho[..., k, k] = 1.0
    return np.clip(rho, -1.0, 1.0)


def critical_values(covariance: Array, level: float, *, examples: int) -> Array:
    """Return the critical value of each test set, shape (tests,), for one family of measures.

    Parameters
    ----------
    covariance : ndarray, shape (tests, k, k)
        Of test sets from one population.
    level : float
        The nominal level.
    examples : int
        From so many test sets the values of three or more measures follow. With 0 examples, or
        with fewer test sets, all test sets have one common value.
    """
    k = covariance.shape[-1]
    kept = np.diagonal(covariance, axis1=-2, axis2=-1) > 0
    if k == 2:
        rho = np.where(kept.all(axis=-1), _correlations(covariance)[:, 0, 1], 1.0)
        return np.asarray(_pair_quantile(level)(np.arccos(np.abs(rho))))
    values = np.full(len(covariance), ndtri((1 + level) / 2))
    # Test sets with the same measures left go together.
    pattern = kept @ (1 << np.arange(k))
    for code in np.unique(pattern[pattern > 0]):
        here = pattern == code
        left = np.flatnonzero(kept[here.argmax()])
        values[here] = _of_family(covariance[here][:, left[:, None], left], level, examples)
    return values


def _of_family(covariance: Array, level: float, examples: int) -> Array:
    """Return the critical values of test sets in which every measure has a variance."""
    rho = _correlations(covariance)
    if rho.shape[-1] > 2 and 0 < examples < len(rho):
        return _by_regression(rho, level, examples)
    common = f1ci.equicoordinate_quantile(rho.mean(axis=0), level, accuracy=COMMON)
    return np.full(len(rho), common)


def _by_regression(rho: Array, level: float, examples: int) -> Array:
    """Return critical values by a quadratic in the correlations, fitted to spread examples."""
    rows, columns = np.triu_indices(rho.shape[-1], 1)
    above = rho[:, rows, columns]
    first, second = np.triu_indices(above.shape[1])
    features = np.column_stack([np.ones(len(rho)), above, above[:, first] * above[:, second]])
    spread = np.linspace(0, len(rho) - 1, examples).astype(int)
    known = f1ci.equicoordinate_quantile(rho[spread], level, accuracy=OWN)
    fit = np.linalg.lstsq(features[spread], known, rcond=None)[0]
    values: Array = features @ fit
    return values


def quantities(study: Study, counts: NDArray[Any], truth: Array) -> dict[str, NDArray[Any]]:
    """Return what the paper averages, for each test set.

    Parameters
    ----------
    study : Study
    counts : ndarray, shape (tests, 2**(m + 1))
        Joint cells of the test sets.
    truth : ndarray, shape (measures,)
        What the intervals should hold, and what rescaled lengths are divided by.

    Returns
    -------
    dict of ndarray
        Every quantity of shape (tests,).
    """
    found = estimates(counts, study.metrics)
    results = _of_choice(study, ("individual", "joint"), found, truth)
    if study.corrected:
        square = study.z**2 if study.square is None else study.square
        choice_2 = found._replace(covariance=blurred(found, counts, study.metrics, square))
        results |= _of_choice(study, ("corrected_individual", "corrected"), choice_2, truth)
    return results


def _of_choice(
    study: Study, names: tuple[str, str], found: Estimates, truth: Array
) -> dict[str, NDArray[Any]]:
    """Return the quantities of individual and of joint intervals with one covariance."""
    miss = np.abs(found.value - truth)
    unit = truth if study.rescaled else 1.0
    individual = study.z * found.error
    results = {f"{names[0]}/m{k + 1}": held for k, held in enumerate((miss <= individual).T)}
    for family, some in study.families.items():
        joint = _joint_reach(study, found, some)
        for name, reach in zip(names, (individual, joint), strict=True):
            results[f"{family}/{name}/coverage"] = (miss <= reach)[:, some].all(axis=-1)
            results[f"{family}/{name}/length"] = 2 * (reach / unit)[:, some].mean(axis=-1)
    return results


def _joint_reach(study: Study, found: Estimates, some: slice) -> Array:
    """Return how far the joint intervals of a family reach."""
    covariance = found.covariance[:, some, some]
    q = critical_values(covariance, study.level, examples=study.examples)
    return q[:, None] * found.error


def exact(
    study: Study, n: int, cells: ArrayLike, *, truth: ArrayLike | None = None
) -> dict[str, Moments]:
    """Return coverage and mean length of the intervals for one rule, by enumeration.

    Parameters
    ----------
    study : Study
        Its one family is called "rule".
    n : int
        Size of a test set.
    cells : array_like, shape (4,)
        The population: TN, FP, FN, TP.
    truth : array_like, optional
        What the intervals should hold; by default the population's own values.
    """
    target = true_values(cells, study.metrics) if truth is None else np.asarray(truth)
    counts, probability = tables(n, cells)
    total = float(probability.sum())
    moments = {}
    for name, values in quantities(study, counts, target).items():
        mean = float(probability @ values)
        # The sum of p (v - mean)^2.
        variance = float(probability @ np.square(values, dtype=float)) - (2 - total) * mean**2
        moments[name] = Moments(mean, max(variance, 0.0) ** 0.5)
    return moments


def simulate(
    study: Study, n: int, cells: ArrayLike, *, replicates: int, rng: Any, truth: Any = None
) -> dict[str, Moments]:
    """Return mean and deviation of each quantity over `replicates` drawn test sets.

    Parameters
    ----------
    study : Study
    n : int
        Size of a test set.
    cells : array_like, shape (2**(m + 1),)
        The population: counts or probabilities of the joint cells of outcome and rules.
    replicates : int
    rng : None, int, SeedSequence or Generator
    truth : ndarray, optional
        What the intervals should hold; by default the population's own values.
    """
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    counts = np.random.default_rng(rng).multinomial(n, p, size=replicates)
    target = true_values(p, study.metrics) if truth is None else truth
    values = quantities(study, counts, target)
    return {name: Moments(float(x.mean()), float(x.std())) for name, x in values.items()}


def replications(
    study: Study,
    n: int,
    populations: ArrayLike,
    *,
    replicates: int,
    seed: np.random.SeedSequence,
    truth: ArrayLike | None = None,
    pool: Executor | None = None,
) -> dict[str, Array]:
    """Return the means of `simulate` for every population, each with a stream of its own.

    Parameters
    ----------
    study, n, replicates
        As in `simulate`.
    populations : array_like, shape (splits, 2**(m + 1))
    seed : SeedSequence
    truth : array_like, shape (measures,), optional
        As in `simulate`, for all populations.
    pool : Executor, optional
        Where to compute; here by default. The numbers do not depend on it.

    Returns
    -------
    dict of ndarray
        Every quantity of shape (splits,).
    """
    cells = np.asarray(populations, dtype=np.float64)
    run = partial(_run, study, n, replicates, truth)
    runs = list((pool.map if pool else map)(run, cells, seed.spawn(len(cells))))
    return {name: np.array([one[name].mean for one in runs]) for name in runs[0]}


def _run(
    study: Study, n: int, replicates: int, truth: Any, cells: Array, rng: Any
) -> dict[str, Moments]:
    """Simulate one population, in a process that may be another one."""
    return simulate(study, n, cells, replicates=replicates, rng=rng, truth=truth)


def rake(cells: ArrayLike, margins: ArrayLike) -> Array:
    """Return joint cells with given tables of each rule, by iterative proportional fitting.

    Of all distributions with these tables it is the nearest to `cells`, in the sense of
    Kullback and Leibler. The dependence of the rules beyond these tables stays.

    Parameters
    ----------
    cells : array_like, shape (2**(m + 1),)
        Counts or probabilities; the index of a cell, in binary, reads Z A_1 ... A_m.
    margins : array_like, shape (m, 4)
        The wanted table of each rule: TN, FP, FN, TP.

    Returns
    -------
    ndarray, shape (2**(m + 1),)
        Probabilities; all ``nan`` if a rule has no case in a cell that should have some, so
        that no weights can do it.
    """
    wanted = np.asarray(margins, dtype=np.float64)
    wanted = wanted / wanted.sum(axis=1, keepdims=True)
    m = len(wanted)
    p: Array = np.asarray(cells, dtype=np.float64).reshape([2] * (m + 1))
    p = p / p.sum()
    for _ in range(RAKES):
        worst = 0.0
        for rule in range(m):
            others = tuple(1 + i for i in range(m) if i != rule)
            found = p.sum(axis=others, keepdims=True)
            target = wanted[rule].reshape(found.shape)
            worst = max(worst, float(np.abs(found - target).max()))
            p = p * np.divide(target, found, out=np.zeros_like(found), where=found > 0)
        if worst < 1e-10:
            return p.ravel()
    return np.full(p.size, np.nan)


def drift(study: Study, n: int, cells: ArrayLike, *, replicates: int, rng: Any) -> Drift:
    """Compare the critical values of single test sets with the value common to all."""
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    counts = np.random.default_rng(rng).multinomial(n, p, size=replicates)
    found = estimates(counts, study.metrics)
    truth = true_values(p, study.metrics)
    own = own_critical_values(found.covariance, study.level, accuracy=COMMON)
    common = critical_values(found.covariance, study.level, examples=0)
    covered, length = np.transpose([_joint(found, truth, q) for q in (own, common)])
    changes = covered[1] - covered[0], length[1] / length[0] - 1
    return Drift(float(own.std()), *map(float, changes))


def _joint(found: Estimates, truth: Array, q: Array) -> tuple[float, float]:
    """Return how often intervals with these critical values all hold, and their mean length."""
    reach = q[:, None] * found.error
    held = (np.abs(found.value - truth) <= reach).all(axis=-1)
    return float(held.mean()), float((reach / truth).mean())


def own_critical_values(covariance: Array, level: float = 0.95, *, accuracy: float = OWN) -> Array:
    """Return the critical value of each single test set; all variances must be positive."""
    rho = _correlations(covariance)
    return np.asarray(f1ci.equicoordinate_quantile(rho, level, accuracy=accuracy))
