"""How well joint intervals do: exactly for one rule, by simulation for several (`yuan`).

A test set of n cases enters the intervals through its joint cell counts alone, one
multinomial draw (`notebooks.shared.kernels.joint_from_cells`). For one rule only three counts matter,
TP, FP and FN, and all tables that can occur are summed over instead of drawn.

Four kinds of intervals are looked at, named as in Tables VI and VII: "individual" ones,
"joint" ones, "corrected" ones (joint and blurred), and "corrected_individual" ones. A
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

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from compendium.published import Number
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.special import ndtri

import f1ci
from f1ci.joint import joint_critical_value
from f1ci.methods.delta import blur_variance
from f1ci.methods.quantile import equicoordinate_quantile, normal_quantile
from f1ci.metrics import BinaryMetric
from notebooks.shared.kernels import joint_from_cells

__all__ = [
    "Drift",
    "Exact",
    "Intervals",
    "Study",
    "band",
    "consistent_tables",
    "drift",
    "exact",
    "on_grid",
    "quantities",
    "rake",
    "replications",
    "simulate",
    "tables",
    "true_values",
]

Array = NDArray[np.float64]
Kind = Literal["individual", "joint", "corrected", "corrected_individual"]
T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True)
class Intervals(Generic[T]):
    """The intervals of one kind for a family of measures: whether all hold, and mean length."""

    coverage: T
    length: T


@dataclass(frozen=True)
class Study(Generic[T]):
    """What the paper averages: test set by test set, averaged, or split by split.

    Attributes
    ----------
    single : dict
        Coverage of each measure by itself, for the two kinds of individual intervals.
    families : dict
        By the name of a rule, or "all", and the kind.
    """

    single: dict[Kind, list[T]]
    families: dict[tuple[str, Kind], Intervals[T]]

    def of(self, family: str, kind: Kind) -> Intervals[T]:
        """The intervals of one kind for the measures of a rule, or of "all"."""
        return self.families[family, kind]


@dataclass(frozen=True)
class Exact:
    """Exact mean of a quantity, and its standard deviation from one test set to the next."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Drift:
    """What it costs to compute a critical value once, not in every test set.

    `deviation` of the critical value from test set to test set; the change of `coverage`, and
    the relative change of the mean `length`, that its mean brings.
    """

    deviation: float
    coverage: float
    length: float


EXAMPLES = 500
# Of the critical value common to all test sets: it moves a coverage by 1e-4 at most.
ACCURACY = 1e-3
# Tables less likely than this are left out of exact sums.
LEAST = float(np.exp(-26.0))
# Test sets per block, whose numbers fit into the cache.
BLOCK = 1000
# Rounds of raking; those that can succeed need a few dozen.
RAKES = 100


def true_values(cells: ArrayLike, metrics: Sequence[BinaryMetric]) -> Array:
    """The measures of a population: all of the first rule, then all of the second, and so on."""
    p = np.asarray(cells, dtype=np.float64)
    p = p / p.sum(axis=-1, keepdims=True)
    # The index of a cell, in binary, reads Z A_1 ... A_m.
    places = np.arange(p.shape[-1].bit_length() - 2, -1, -1)
    bits = (np.arange(p.shape[-1])[:, None] >> places) & 1
    z, a = bits[:, :1], bits[:, 1:]
    three = p @ (z * a), p @ a, np.broadcast_to(p @ z, (p @ a).shape)
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
    blocks = f1ci.coverage.tables(n, p[[1, 2, 3, 0]], least=LEAST)
    counts, probability = map(np.concatenate, zip(*blocks, strict=True))
    return counts[:, [3, 0, 1, 2]], probability


@lru_cache(maxsize=4)
def _pair_quantile(level: float) -> Any:
    """The critical value of two measures, as a function of the angle arccos |correlation|."""
    angle = np.linspace(0.0, np.pi / 2, 401)
    matrices = np.ones((len(angle), 2, 2))
    matrices[:, 0, 1] = matrices[:, 1, 0] = np.cos(angle)
    return CubicSpline(angle, equicoordinate_quantile(matrices, level))


def _correlations(covariance: Array) -> Iterator[Array]:
    """Rows of correlation matrices, (k, tests) each; entries of measures without variance are 0.

    One row fits into the cache, all of them do not.
    """
    scale = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1)).T
    inverse = np.where(scale > 0, 1 / np.where(scale > 0, scale, 1.0), 0.0)
    for row, one in zip(np.moveaxis(covariance, 0, -1), inverse, strict=True):
        product = row * one
        product *= inverse
        yield np.clip(product, -1.0, 1.0, out=product)


def _critical_values(covariances: Iterable[Array], level: float, *, each: bool) -> list[Array]:
    """A critical value for each test set of one population, shape (tests,), for each family."""
    found = []
    common: dict[int, list[tuple[Array, Array, Array]]] = {}
    for covariance in covariances:
        k = covariance.shape[-1]
        kept = np.diagonal(covariance, axis1=-2, axis2=-1) > 0
        if k == 2:
            rho = np.where(kept.all(axis=-1), next(_correlations(covariance))[1], 1.0)
            found.append(np.asarray(_pair_quantile(level)(np.arccos(np.abs(rho)))))
            continue
        values = np.full(len(covariance), ndtri((1 + level) / 2))
        found.append(values)
        pattern = kept @ (1 << np.arange(k))
        for code in np.unique(pattern[pattern > 0]):
            here = pattern == code
            measures = np.flatnonzero(kept[here.argmax()])
            whole = here.all() and len(measures) == k
            chosen = covariance if whole else covariance[here][:, measures[:, None], measures]
            if each and len(measures) > 2 and len(chosen) > EXAMPLES:
                values[here] = _by_regression(chosen, level)
            else:
                mean = np.stack([row.mean(axis=-1) for row in _correlations(chosen)])
                np.fill_diagonal(mean, 1.0)
                common.setdefault(len(mean), []).append((values, here, mean))
    for some in common.values():
        means = np.stack([mean for _, _, mean in some])
        quantiles = equicoordinate_quantile(means, level, accuracy=ACCURACY)
        for (values, here, _), quantile in zip(some, np.asarray(quantiles), strict=True):
            values[here] = quantile
    return found


def _by_regression(covariance: Array, level: float) -> Array:
    """Critical values by a quadratic in the correlations, fitted to evenly spread examples."""
    upper = np.triu_indices(covariance.shape[-1], 1)
    rho = np.stack(list(_correlations(covariance)))[upper].T
    first, second = np.triu_indices(rho.shape[1])
    features = np.column_stack([np.ones(len(rho)), rho, rho[:, first] * rho[:, second]])
    examples = np.linspace(0, len(rho) - 1, EXAMPLES).astype(int)
    known = joint_critical_value(covariance[examples], confidence_level=level)
    fit = np.linalg.lstsq(features[examples], known, rcond=None)[0]
    values: Array = features @ fit
    return values


def _joint(
    counts: NDArray[Any], metrics: Sequence[BinaryMetric], level: float, blurred: bool
) -> tuple[Array, Array, Array]:
    """Estimates, their covariances, and what the blur adds to the variances if wanted.

    The tests are last, so that sums over a few measures run along them.
    """
    estimate, covariance = joint_from_cells(counts, metrics, confidence_level=level)
    m = counts.shape[-1].bit_length() - 2
    p = np.ascontiguousarray(counts.T).reshape(*[2] * (m + 1), -1)
    n = counts.sum(axis=-1)
    added = np.zeros((m, len(metrics), len(counts)))
    for rule in range(m if blurred else 0):
        own = p.sum(axis=tuple(1 + i for i in range(m) if i != rule)) / n
        at = own[1, 1], own[0, 1] + own[1, 1], own[1, 0] + own[1, 1]
        for k, metric in enumerate(metrics):
            slopes = np.stack(metric.partials(*at))
            added[rule, k] = blur_variance(slopes, n, normal_quantile(level))
    last = np.ascontiguousarray(np.moveaxis(covariance, 0, -1))
    return np.ascontiguousarray(estimate.T), last, added.reshape(len(last), -1)


def quantities(
    counts: NDArray[Any],
    truth: Array,
    metrics: Sequence[BinaryMetric],
    rules: Sequence[str],
    level: float = 0.95,
    *,
    rescaled: bool = False,
    corrected: bool = True,
    each: bool = True,
    square: float | None = None,
) -> Study[NDArray[Any]]:
    """What the paper averages, for each test set.

    Parameters
    ----------
    counts : ndarray, shape (tests, 2**(m + 1))
        Joint cells of the test sets.
    truth : ndarray, shape (measures,)
        What the intervals should hold, and what lengths are divided by if `rescaled`.
    metrics, rules, level, rescaled, corrected
        As in `simulate`.
    each : bool
        Whether every test set has a critical value of its own.
    square : float, optional
        What stands for z^2 in the blurred variance; by default z^2, for 95 % about 3.84.

    Returns
    -------
    Study of ndarray
        Every quantity of shape (tests,).
    """
    size = len(metrics)
    blocks = [
        _joint(counts[start : start + BLOCK], metrics, level, corrected)
        for start in range(0, len(counts), BLOCK)
    ]
    estimate, plain, added = (
        np.moveaxis(np.concatenate(parts, axis=-1), -1, 0) for parts in zip(*blocks, strict=True)
    )
    diagonal = np.arange(estimate.shape[-1])
    choices: list[tuple[Kind, Kind, Array]] = [("individual", "joint", plain)]
    z = float(ndtri((1 + level) / 2))
    if corrected:
        blurred = plain.copy(order="K")
        blurred[:, diagonal, diagonal] += added if square is None else added * square / z**2
        choices.append(("corrected_individual", "corrected", blurred))
    miss = np.abs(estimate - truth)
    unit = truth if rescaled else np.ones_like(truth)
    single: dict[Kind, list[NDArray[Any]]] = {}
    families: dict[tuple[str, Kind], Intervals[NDArray[Any]]] = {}
    groups = {rule: slice(size * r, size * (r + 1)) for r, rule in enumerate(rules)}
    if len(rules) > 1:
        groups["all"] = slice(None)
    parts = [matrix[:, some, some] for *_, matrix in choices for some in groups.values()]
    quantiles = iter(_critical_values(parts, level, each=each))
    for individual, joint, covariance in choices:
        error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        held = miss <= z * error
        single[individual] = [held[:, k] for k in diagonal]
        for group, members in groups.items():
            mean_error = (error[:, members] / unit[members]).mean(axis=-1)
            all_held = np.asarray(held[:, members].all(axis=-1))
            families[group, individual] = Intervals(all_held, 2 * z * mean_error)
            q = next(quantiles)
            reached = miss[:, members] <= q[:, None] * error[:, members]
            all_held = np.asarray(reached.all(axis=-1))
            families[group, joint] = Intervals(all_held, 2 * q * mean_error)
    return Study(single, families)


def _combined(function: Callable[[list[T]], S], studies: Sequence[Study[T]]) -> Study[S]:
    """A study whose every quantity is a function of that quantity in other studies."""
    first = studies[0]
    return Study(
        {
            kind: [function([s.single[kind][k] for s in studies]) for k in range(len(values))]
            for kind, values in first.single.items()
        },
        {
            key: Intervals(
                function([s.families[key].coverage for s in studies]),
                function([s.families[key].length for s in studies]),
            )
            for key in first.families
        },
    )


def exact(
    n: int,
    cells: ArrayLike,
    metrics: Sequence[BinaryMetric],
    *,
    level: float = 0.95,
    rescaled: bool = False,
    square: float | None = None,
) -> Study[Exact]:
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
    square : float, optional
        As in `quantities`.

    Returns
    -------
    Study of Exact
        Of one rule, called "rule".
    """
    counts, probability = tables(n, cells)
    truth = true_values(cells, metrics)
    values = quantities(counts, truth, metrics, ["rule"], level, rescaled=rescaled, square=square)

    def moments(values: list[NDArray[Any]]) -> Exact:
        mean = float(probability @ values[0])
        return Exact(mean, float(probability @ (values[0] - mean) ** 2) ** 0.5)

    return _combined(moments, [values])


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
    square: float | None = None,
) -> Study[float]:
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
    square : float, optional
        As in `quantities`.

    Returns
    -------
    Study of float
    """
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    counts = np.random.default_rng(rng).multinomial(n, p, size=replicates)
    target = true_values(p, metrics) if truth is None else truth
    values = quantities(
        counts,
        target,
        metrics,
        rules,
        level,
        rescaled=rescaled,
        corrected=corrected,
        each=False,
        square=square,
    )
    return _combined(lambda values: float(values[0].mean()), [values])


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
    square: float | None = None,
    pool: Executor | None = None,
) -> Study[Array]:
    """`simulate` for every population, each with a random stream of its own.

    Parameters
    ----------
    populations : array_like, shape (splits, 2**(m + 1))
    seed : SeedSequence
    truths : array_like, shape (splits, measures), optional
        As `truth` in `simulate`, for each population.
    pool : Executor, optional
        Where to compute; here by default. The numbers do not depend on it.
    n, metrics, rules, replicates, rescaled, corrected, square
        As in `simulate`.

    Returns
    -------
    Study of ndarray
        Every quantity of shape (splits,).
    """
    cells = np.asarray(populations, dtype=np.float64)
    options: dict[str, Any] = {"replicates": replicates, "rescaled": rescaled}
    options |= {"corrected": corrected, "square": square}
    run = partial(_run, n, metrics, rules, options)
    targets = true_values(cells, metrics) if truths is None else np.asarray(truths)
    runs = list((pool.map if pool else map)(run, cells, targets, seed.spawn(len(cells))))
    return _combined(np.array, runs)


def _run(
    n: int,
    metrics: Sequence[BinaryMetric],
    rules: Sequence[str],
    options: dict[str, Any],
    cells: Array,
    truth: Array,
    rng: np.random.SeedSequence,
) -> Study[float]:
    return simulate(n, cells, metrics, rules, truth=truth, rng=rng, **options)


def rake(cells: ArrayLike, margins: ArrayLike) -> Array:
    """Joint cells with given tables of each rule, by iterative proportional fitting.

    Of all distributions with these tables it is the nearest to `cells`, in the sense of
    Kullback and Leibler: what the rules have to do with one another beyond them stays.

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
) -> Drift:
    """Compare a critical value of each test set's own with the one common to all."""
    p = np.asarray(cells, dtype=np.float64) / np.sum(cells)
    truth = true_values(p, metrics)
    counts = np.random.default_rng(rng).multinomial(n, p, size=replicates)
    estimate, covariance = joint_from_cells(counts, metrics, method=method, confidence_level=level)
    error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    own = joint_critical_value(covariance, confidence_level=level)
    (common,) = _critical_values([covariance], level, each=False)
    miss = np.abs(estimate - truth)
    covered = [(miss <= q[:, None] * error).all(axis=-1).mean() for q in (own, common)]
    length = [(q[:, None] * error / truth).mean() for q in (own, common)]
    return Drift(
        deviation=float(own.std()),
        coverage=float(covered[1] - covered[0]),
        length=float(length[1] / length[0] - 1),
    )


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
