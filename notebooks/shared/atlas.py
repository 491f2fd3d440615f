"""The coverage atlas: how often intervals for an F score hold the truth, design by design.

Three families of designs, each from a rule and a seeded random stream:

1. one score of two classes (`binary_study`): exact sums over all counts that can occur;
2. averages over classes (`average_study`, `rare_study`, `validation_study`): simulated matrices;
3. differences of two F1 scores on the same items (`pair_study`): simulated tables.

A study is an `Atlas`: for each kind of score and each method one row a design, with coverage,
misses on either side and mean length. The methods beside those of `f1ci` (profile likelihood,
saddlepoint, pseudo-counts, posteriors, bootstrap, MOVER) are written here, from their formulas;
more rivals for macro F1 are in `notebooks.shared.rivals`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brute, fmin
from scipy.special import expit, gammaln, logit, ndtri
from scipy.stats import binom

import f1ci
from f1ci.metrics import Metric

from . import kernels

Array: TypeAlias = NDArray[np.float64]
Limits: TypeAlias = tuple[Array, Array]
Population: TypeAlias = tuple[Array, int]  # cell probabilities, and the items of a test set
Generator: TypeAlias = np.random.Generator
Flags: TypeAlias = NDArray[np.bool_]

LEVEL = 0.95
Z = float(ndtri(0.5 + LEVEL / 2))
GOOD = (0.93, 0.98)  # coverage between these is "kept"
PAIR = "paired F1 difference"

# Weights of false positives and false negatives.
SCORES = {
    "F(1/2)": (0.8, 0.2),
    "F(2)": (0.2, 0.8),
    "Jaccard": (1.0, 1.0),
    "Tversky(0.3, 0.9)": (0.3, 0.9),
    "F(4)": (1 / 17, 16 / 17),
}
AVERAGES: dict[str, Metric] = {
    "macro F1": f1ci.metrics.macro("f1"),
    "macro precision": f1ci.metrics.macro("precision"),
    "macro recall": f1ci.metrics.macro("recall"),
    "macro F(1/2)": f1ci.metrics.macro(f1ci.metrics.fbeta(0.5)),
    "macro F(2)": f1ci.metrics.macro(f1ci.metrics.fbeta(2)),
    "macro Jaccard": f1ci.metrics.macro("jaccard"),
    "weighted F1": f1ci.metrics.weighted("f1"),
    "weighted precision": f1ci.metrics.weighted("precision"),
    "macro* F1": f1ci.metrics.macro_star(),
}


def covered(limits: Limits, truth: float) -> tuple[Flags, Flags, Flags]:
    """Say where limits hold the truth, lie above it, and lie below it; nan does none of these."""
    low, high = limits
    with np.errstate(invalid="ignore"):
        return (low <= truth) & (truth <= high), low > truth, high < truth


def kept(coverage: Array) -> Flags:
    """Say which coverages lie between 93 and 98 %."""
    return (coverage >= GOOD[0]) & (coverage <= GOOD[1])


@dataclass
class Atlas:
    """Rows of coverage, misses and length; by kind of score and method, one a design."""

    rows: dict[tuple[str, str], list[list[float]]] = field(default_factory=dict)
    designs: dict[str, list[Any]] = field(default_factory=dict)
    # How often an interval has length zero, leaves the range, is undefined: summed over designs.
    faults: dict[tuple[str, str], Array] = field(default_factory=dict)

    def add(
        self,
        kind: str,
        method: str,
        limits: Limits,
        truth: float,
        chance: Array | None = None,
        least: float = 0.0,
        count_faults: bool = True,
    ) -> None:
        """Add the row of one design, from limits and the probabilities of their outcomes."""
        low, high = limits
        with np.errstate(invalid="ignore"):
            flags = (high <= low, (low < least - 1e-12) | (high > 1 + 1e-12), np.isnan(low))
        numbers = np.stack([*covered(limits, truth), high - low, *flags])
        numbers = np.nan_to_num(numbers) @ chance if chance is not None else numbers.mean(axis=1)
        self.rows.setdefault((kind, method), []).append(numbers[:4].tolist())
        if count_faults:
            now = self.faults.get((kind, method), np.zeros(3))
            self.faults[kind, method] = now + numbers[4:]

    def of(self, kind: str, method: str = "score") -> Array:
        """Return coverage, misses below and above, and length: one row a design."""
        return np.array(self.rows[kind, method])

    def lowest(self, kind: str, number: int = 3) -> list[Any]:
        """Return the designs in which the score interval reads the lowest coverage."""
        return [self.designs[kind][k] for k in self.of(kind)[:, 0].argsort()[:number]]

    def summaries(self, kind: str) -> Iterator[Summary]:
        """Summarise each method over the designs of one kind."""
        base = self.of(kind, "delta")
        for name, method in self.rows:
            if name == kind:
                rows = self.of(kind, method)
                faults = self.faults.get((kind, method), np.zeros(3)) / len(rows)
                yield Summary(method, rows, base[: len(rows)], faults)


@dataclass(frozen=True)
class Summary:
    """One method over all designs of a kind; `base` has the rows of the delta method."""

    method: str
    rows: Array
    base: Array
    faults: Array

    @property
    def ratio(self) -> Array:
        """Length over that of the delta method."""
        return np.asarray(self.rows[:, 3] / self.base[:, 3])

    @property
    def fair_ratio(self) -> Array:
        """The same where the delta method covers 94 % or more; nan if it never does."""
        fair = self.ratio[self.base[:, 0] >= 0.94]
        return fair if fair.size else np.array([np.nan])

    def numbers(self) -> dict[str, float]:
        """Return the numbers that the text may quote; coverages in per cent."""
        coverage = self.rows[:, 0]
        return {
            "mean": 100 * coverage.mean(),
            "worst": 100 * coverage.min(),
            "kept": 100 * kept(coverage).mean(),
            "over": 100 * (coverage >= GOOD[0]).mean(),
            "length": float(np.median(self.ratio)),
            "length-holds": float(np.median(self.fair_ratio)),
            "length-most": float(self.fair_ratio.max()),
        }

    def cells(self) -> list[str]:
        """Return the method's row of the table."""
        numbers, (_, below, above, _) = self.numbers(), self.rows.mean(axis=0)
        zero, outside, undefined = 100 * self.faults
        holds = numbers["length-holds"]
        return [
            self.method,
            f"{len(self.rows)}",
            f"{numbers['mean']:.1f}",
            f"{numbers['worst']:.1f}",
            f"{100 * below:.1f} / {100 * above:.1f}",
            f"{numbers['kept']:.0f}",
            f"{numbers['over']:.0f}",
            f"{100 * (self.rows[:, 0] < 0.91).mean():.0f}",
            f"{numbers['length']:.2f}",
            "" if np.isnan(holds) else f"{holds:.2f}",
            f"{zero:.1f} / {outside:.1f} / {undefined:.1f}",
        ]


# Intervals that serve every score


def logit_limits(estimate: Array, error: Array) -> Limits:
    """Return limits of the delta method on the logit scale; [0, 1] at a border."""
    border = (estimate <= 0) | (estimate >= 1)
    inside = np.where(border, 0.5, estimate)
    half = Z * error / (inside * (1 - inside))
    low, high = expit(logit(inside) - half), expit(logit(inside) + half)
    return np.where(border, 0, low), np.where(border, 1, high)


def symmetric_limits(estimate: Array, error: Array) -> Limits:
    """Return the estimate plus and minus z standard errors."""
    return estimate - Z * error, estimate + Z * error


def percentiles(values: Array) -> Limits:
    """Return the percentiles of drawn values, along the first axis."""
    low, high = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    return low, high


# One score of two classes: counts x = TP, y = FP, w = FN


@cache
def outcomes(largest: int) -> Array:
    """Return all counts (x, y, w) with at least one and at most `largest` relevant items."""
    x, y, w = np.indices(3 * (largest + 1,)).reshape(3, -1)
    v = x + y + w
    order = np.lexsort((y, x, v))
    order = order[(v[order] >= 1) & (v[order] <= largest)]
    return np.stack([x, y, w])[:, order].astype(float)


@cache
def orders(largest: int) -> Array:
    """Return the logarithm of how many orders of the items give these counts."""
    x, y, w = outcomes(largest)
    return np.asarray(gammaln(x + y + w + 1) - gammaln(x + 1) - gammaln(y + 1) - gammaln(w + 1))


def largest_number(relevant: int) -> int:
    """Return how many relevant items there may be if so many are expected."""
    return int(binom.isf(1e-9, round(relevant / 0.1), 0.1))


def probabilities(relevant: int, q: float, share: float, mix: float) -> tuple[Array, Array]:
    """Return the chances of all outcomes, given that v > 0, and the shares of x, y and w.

    A share `q` of all items is expected to be relevant, `share` of these right, and `mix` of the
    others false positives.
    """
    n, most = round(relevant / q), largest_number(relevant)
    x, y, w = outcomes(most)
    p = np.array([share, (1 - share) * mix, (1 - share) * (1 - mix)])
    logs = orders(most) + x * np.log(p[0]) + y * np.log(p[1]) + w * np.log(p[2])
    v = np.arange(most + 1)
    chance_of_v = np.where(v <= int(binom.isf(1e-9, n, q)), binom.pmf(v, n, q), 0.0)
    chance = chance_of_v[(x + y + w).astype(int)] * np.exp(logs)
    return chance / chance.sum(), p


def estimate_and_error(x: Array, y: Array, w: Array, a: float, b: float) -> tuple[Array, Array]:
    """Return the score and the standard error of the delta method."""
    whole = x + a * y + b * w
    with np.errstate(invalid="ignore", divide="ignore"):
        f = x / whole
        return f, np.sqrt(x * (1 - f) ** 2 + f**2 * (a * a * y + b * b * w)) / whole


def constrained(counts: Array, a: float, b: float, t: ArrayLike) -> tuple[Array, Array]:
    """Return weights c and multiplier m of the likeliest probabilities, n / (1 + m c) / v.

    The constraint: the odds of the score are t, or sum of c n / (1 + m c) = 0 with
    c = (1, -t a, -t b). That is a quadratic equation in m.
    """
    x, y, w = counts
    t = np.asarray(t, dtype=float)
    c2, c3 = -t * a, -t * b
    two = c2 * c3 * (x + y + w)
    one = x * (c2 + c3) + y * c2 * (1 + c3) + w * c3 * (1 + c2)
    none = x + c2 * y + c3 * w
    root = np.sqrt(np.maximum(one**2 - 4 * two * none, 0))
    # Of its two roots the one nearer to zero has positive probabilities.
    return np.stack([np.ones_like(t), c2, c3]), 2 * none / -(one - root)


def likelihood_limits(counts: Array, a: float, b: float) -> Limits:
    """Return where twice the logarithm of the likelihood ratio is z^2, by bisection."""
    x, y, w = counts

    def statistic(t: Array) -> Array:
        c, m = constrained(counts, a, b, t)
        logs = np.log(np.maximum(1 + m * c, 1e-300))
        return np.asarray(2 * np.where(counts > 0, counts * logs, 0).sum(axis=0))

    f = x / (x + a * y + b * w)
    ends = []
    with np.errstate(all="ignore"):
        for border in (0.0, 1.0):
            inner, outer = f.copy(), np.full_like(f, border)
            for _ in range(45):
                middle = (inner + outer) / 2
                inside = statistic(middle / (1 - middle)) <= Z * Z
                inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
            ends.append(inner)
    return np.where(x == 0, 0, ends[0]), np.where(y + w == 0, 1, ends[1])


def signed_root(n: Array, a: float, b: float, odds: Array) -> Array:
    """Return r + log(u / r) / r for the score whose log odds these are.

    X = x - t (a y + b w) is a sum of independent terms. Under the likeliest probabilities p its
    cumulant generating function is v K(h), K(h) = log sum of p exp(h c). The saddlepoint is the
    tilted distribution e, proportional to p exp(h c), with the observed mean of c. Then r is the
    signed root of twice v (h X / v - K), and u = h sqrt(v K'').
    """
    v, t = n.sum(axis=0), np.exp(odds)
    # 1. The likeliest probabilities under the constraint.
    c, m = constrained(n, a, b, t)
    p = n / (1 + m * c) / v
    # 2. Every distribution with the observed mean is n / v + d tau. That log(e / p) is straight
    #    in c means sum of d log(e / p) = 0, nearly linear in the logit of tau's place between its
    #    bounds: five steps of Newton's method.
    d = np.stack([t * (a - b), 1 + t * b, -(1 + t * a)])
    bounds = -n / v / d
    least = np.where(d > 0, bounds, -np.inf).max(axis=0)
    wide = np.where(d < 0, bounds, np.inf).min(axis=0) - least
    place = np.zeros_like(t)
    for step in range(5):
        share = expit(place)
        e = n / v + d * (least + wide * share)
        straight = np.log(e / p)
        if step < 4:
            slope = (d * d / e).sum(axis=0) * wide * share * (1 - share)
            place = np.clip(place - (d * straight).sum(axis=0) / slope, -30, 30)
    # 3. The root and its correction.
    h = (straight[0] - straight[1]) / (c[0] - c[1])
    mean = (c * e).sum(axis=0)
    r = np.sign(h) * np.sqrt(2 * v * np.maximum((e * straight).sum(axis=0), 0))
    u = h * np.sqrt(v * ((c - mean) ** 2 * e).sum(axis=0))
    return np.asarray(r + np.log(u / r) / r)


def saddlepoint_limits(counts: Array, a: float, b: float) -> Limits:
    """Return where the tail probability of the constraint is that of z, by the saddlepoint.

    Barndorff-Nielsen's form of Lugannani and Rice's formula: `signed_root` is z or -z there.
    """
    x, y, w = counts
    n = counts + 1e-6  # so that no logarithm is infinite
    ends = []
    with np.errstate(all="ignore"):
        for side, start in zip((1, -1), kernels.tversky_limits(x, y, w, a, b, Z), strict=True):
            old = logit(start)
            now, excess_old = old - 0.05 * side, signed_root(n, a, b, old) - side * Z
            for _ in range(5):  # secants
                excess = signed_root(n, a, b, now) - side * Z
                step = -excess * (now - old) / (excess - excess_old)
                old, excess_old = now, excess
                now = now + np.where(np.abs(excess) > 1e-9, np.clip(step, -1, 1), 0)
            ends.append(expit(now))
        # At the end of the support half the probability of the outcome counts, as it does inside.
        p = (1 - LEVEL) ** (1 / (x + y + w))
        alone = (1 / p - 1) / np.where(w == 0, a, b)
    right = y + w == 0
    low = np.where(x == 0, 0, np.where(right, p / (p + (1 - p) * max(a, b)), ends[0]))
    one_kind = (x == 0) & ((y == 0) | (w == 0))
    return low, np.where(right, 1, np.where(one_kind, alone / (1 + alone), ends[1]))


def binary_methods(counts: Array, a: float, b: float) -> dict[str, Limits]:
    """Return limits by every method that needs no random numbers."""
    x, y, w = counts
    f, error = estimate_and_error(x, y, w, a, b)
    whole = x + a * y + b * w
    slopes = ((a * (x + y) + b * (x + w)) ** 2 + (a * a + b * b) * x * x) / whole**4
    return {
        "delta": symmetric_limits(f, error),
        "logit": logit_limits(f, error),
        "blur": symmetric_limits(f, np.sqrt(error**2 + Z**2 * slopes / 2)),
        "pseudo-counts": symmetric_limits(*estimate_and_error(x + 2, y + 1, w + 1, a, b)),
        "profile likelihood": likelihood_limits(counts, a, b),
        "saddlepoint": saddlepoint_limits(counts, a, b),
        "score": kernels.tversky_limits(x, y, w, a, b, Z),
        "cautious": kernels.tversky_limits(x, y, w, a, b, Z, "cautious"),
    }


def drawn_counts(counts: Array, draws: int, rng: Generator) -> Iterator[tuple[str, Array]]:
    """Draw from posteriors with three priors, and resample: shape (3, draws, outcomes)."""
    for name, prior in (("1/3", 1 / 3), ("1/2", 0.5), ("1", 1.0)):
        shape = (3, draws, counts.shape[1])
        yield f"posterior, prior {name}", rng.standard_gamma(counts[:, None] + prior, shape)
    v = counts.sum(axis=0)
    again = rng.multinomial(v.astype(int), (counts / v).T, (draws, v.size))
    yield "bootstrap", np.moveaxis(again.astype(float), -1, 0)


def sampled_methods(counts: Array, draws: int, rng: Generator) -> dict[str, dict[str, Limits]]:
    """Return percentiles of every score from the same draws, by kind and method."""
    found: dict[str, dict[str, Limits]] = {kind: {} for kind in SCORES}
    for name, (x, y, w) in drawn_counts(counts, draws, rng):
        for kind, (a, b) in SCORES.items():
            found[kind][name] = percentiles(x / (x + a * y + b * w))
    return found


def binary_study(atlas: Atlas, designs: int, draws: int, rng: Generator) -> None:
    """Sum over all outcomes of the designs of every score of two classes."""
    shares, mixes = np.arange(0.05, 1, 0.1), (0.05, 0.25, 0.5, 0.75, 0.95)
    grid = [
        (r, q, float(s), m) for r in (10, 20, 40) for q in (0.1, 0.5) for s in shares for m in mixes
    ]
    grid = grid[:: max(1, len(grid) // designs)]
    likely = {design: probabilities(*design) for design in grid}  # the same for all scores
    sampled = sampled_methods(outcomes(largest_number(10)), draws, rng)
    for kind, (a, b) in SCORES.items():
        atlas.designs[kind] = grid
        for relevant in (10, 20, 40):
            counts = outcomes(largest_number(relevant))
            found = binary_methods(counts, a, b)
            if relevant == 10:
                found |= sampled[kind]
            for design in grid:
                if design[0] == relevant:
                    chance, p = likely[design]
                    truth = float(p[0] / (p[0] + a * p[1] + b * p[2]))
                    for method, limits in found.items():
                        atlas.add(kind, method, limits, truth, chance)


def coverage_curve(method: Limits, kind: str, shares: Array, relevant: int = 20) -> Array:
    """Return true scores and exact coverage, shape (2, shares), with equal kinds of errors."""
    a, b = SCORES[kind]
    points = []
    for share in shares:
        chance, p = probabilities(relevant, 0.5, share, 0.5)
        truth = p[0] / (p[0] + a * p[1] + b * p[2])
        points.append((truth, (chance * covered(method, truth)[0]).sum()))
    return np.array(points).T


# Averages over classes: confusion matrices, shape (..., r, r)


def population(rng: Generator) -> Population:
    """Draw the cell probabilities of several classes, and a size of test sets."""
    r = int(rng.choice([3, 5, 10, 20], p=[0.4, 0.3, 0.25, 0.05]))
    n = int(rng.choice([50, 100, 200, 500, 1000]))
    prevalence = rng.dirichlet(np.full(r, rng.choice([0.5, 1.0, 5.0, 50.0])))
    right = rng.beta(*[(8, 2), (2, 2), (50, 1), (400, 2)][rng.integers(4)], size=r)
    cells = np.diag(right * prevalence)
    for k in range(r):
        others = np.arange(r) != k
        cells[k, others] = (1 - right[k]) * prevalence[k] * rng.dirichlet(np.ones(r - 1))
    return cells, n


def populations(count: int, rng: Generator) -> tuple[list[Population], list[Population]]:
    """Draw populations whose smallest class expects 3 items or more, and some rare ones, 1 to 3."""
    ordinary: list[Population] = []
    rare: list[Population] = []
    while len(ordinary) < count:
        cells, n = population(rng)
        smallest = n * cells.sum(axis=1).min()
        if smallest >= 3:
            ordinary.append((cells, n))
        elif smallest >= 1 and len(rare) < count // 5:
            rare.append((cells, n))
    return ordinary, rare


def matrices(cells: Array, n: int, count: int, rng: Generator) -> Array:
    """Draw test sets of n items: their tables of counts."""
    return rng.multinomial(n, cells.ravel(), count).reshape(-1, *cells.shape).astype(float)


def value(matrix: ArrayLike, metric: Metric) -> Array:
    """Return a metric's value; nan, without a warning, where it is undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(metric.value(matrix))


def value_and_error(matrix: Array, metric: Metric) -> tuple[Array, Array]:
    """Return a metric's value and the standard error of the delta method, from its gradient."""
    n = matrix.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        gradient = metric.gradient(matrix)
        p = matrix / n[..., None, None]
        mean = (p * gradient).sum(axis=(-2, -1))
        square = (p * gradient**2).sum(axis=(-2, -1))
    return value(matrix, metric), np.sqrt(np.maximum(square - mean**2, 0) / n)


def limits_of(matrix: ArrayLike, metric: Metric, method: str = "score") -> Limits:
    """Return f1ci's limits of a metric; undefined scores and rare classes are outcomes here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = f1ci.metric_interval(matrix, metric, method=method, confidence_level=LEVEL)
    return np.asarray(interval.low), np.asarray(interval.high)


def average_methods(m: Array, metric: Metric) -> dict[str, Limits]:
    """Return limits by every method that needs no random numbers, from defined scores."""
    r = m.shape[-1]
    f, error = value_and_error(m, metric)
    # Two right items and two wrong ones for each class.
    more = m + 2 * np.eye(r) + (1 - np.eye(r)) / (r - 1)
    return {
        "delta": symmetric_limits(f, error),
        "logit": logit_limits(f, error),
        "pseudo-counts": symmetric_limits(*value_and_error(more, metric)),
        "score": limits_of(m, metric),
    }


def measure_average(
    atlas: Atlas, name: str, metric: Metric, cells: Array, m: Array, count_faults: bool = True
) -> bool:
    """Add one design, from the test sets in which the score is defined, if that is half of them."""
    defined = ~np.isnan(value(m, metric))
    if defined.mean() < 0.5:
        return False
    truth = float(value(cells, metric))
    for method, limits in average_methods(m[defined], metric).items():
        atlas.add(name, method, limits, truth, count_faults=count_faults)
    return True


def average_study(
    atlas: Atlas, designs: Sequence[Population], replicates: int, rng: Generator
) -> None:
    """Measure macro F1, and in half the designs and half as many test sets the other averages."""
    for place, (cells, n) in enumerate(designs):
        m = matrices(cells, n, replicates, rng)
        for name, metric in AVERAGES.items():
            first = name == "macro F1"
            some = m if first else m[: replicates // 2]
            if (first or place % 2 == 0) and measure_average(atlas, name, metric, cells, some):
                atlas.designs.setdefault(name, []).append((cells, n))


# How the algorithm is changed to see what its parts do.
VARIANTS: dict[str, dict[str, Any]] = {
    "as they are": {},
    "no room": {"few": 0},
    "no bounds": {"bounds": (1e-3, np.inf)},
}


def variants_study(
    designs: Sequence[Population], metric: Metric, replicates: int, rng: Generator
) -> dict[str, Array]:
    """Return the coverage of the variants in the same test sets, by design."""
    rows: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for cells, n in designs:
        m = matrices(cells, n, replicates, rng)
        m = m[~np.isnan(value(m, metric))]
        for name, changes in VARIANTS.items():
            limits = kernels.changed_limits(m, metric, Z, **changes)
            rows[name].append(float(covered(limits, float(value(cells, metric)))[0].mean()))
    return {name: np.array(row) for name, row in rows.items()}


def rare_study(
    atlas: Atlas, designs: Sequence[Population], replicates: int, rng: Generator
) -> None:
    """Measure macro F1 where a class expects one to three items."""
    for cells, n in designs:
        m = matrices(cells, n, replicates, rng)
        if measure_average(atlas, "macro F1 rare", AVERAGES["macro F1"], cells, m, False):
            atlas.designs.setdefault("macro F1 rare", []).append((cells, n))


def random_population(rng: Generator) -> Population:
    """Draw cell probabilities and a size of test sets in which each class expects eight items.

    Two to ten classes, more or less unequal, predicted badly, well or almost perfectly.
    """
    r = int(rng.choice([2, 3, 5, 10]))
    prevalence = np.maximum(rng.dirichlet(np.full(r, rng.choice([0.5, 1.0, 5.0]))), 0.005)
    prevalence /= prevalence.sum()
    accuracy = rng.beta(*[(8, 2), (2, 2), (50, 1)][rng.integers(3)], size=r)
    cells = np.diag(accuracy * prevalence)
    for i in range(r):
        others = np.arange(r) != i
        wrong = (1.0 - accuracy[i]) * prevalence[i]
        cells[i, others] = wrong * rng.dirichlet(np.ones(r - 1))
    smallest = (cells.sum(axis=0) + cells.sum(axis=1) - cells.diagonal()).min()
    return cells, int(np.ceil(rng.choice([8, 20, 100]) / smallest))


def validation_study(atlas: Atlas, count: int, replicates: int, rng: Generator) -> None:
    """Measure macro F1 in random populations that are drawn by another rule."""
    for _ in range(count):
        cells, n = random_population(rng)
        m = matrices(cells, n, replicates, rng)
        measure_average(atlas, "macro F1 validation", AVERAGES["macro F1"], cells, m, False)


# Differences of two F1 scores on the same items: tables (..., truth, A, B)


def pair_of_classifiers(rng: Generator) -> Population:
    """Draw the cell probabilities of truth and two classifiers, and a size of test sets."""
    while True:
        n = int(rng.choice([50, 100, 200, 500, 1000]))
        positive = rng.uniform(0.05, 0.6)
        recall = rng.beta(*[(8, 2), (2, 2), (50, 1)][rng.integers(3)])
        recalls = np.clip([recall, recall + rng.normal(0, 0.05)], 0.05, 0.995)
        wrong = rng.uniform(0.1, 1.5, 2) * (1 - recalls) * positive / (1 - positive)
        copied = rng.choice([0.0, 0.5, 0.9])
        if n * positive >= 10:
            return paired_cells(positive, recalls, np.minimum(wrong, 0.5), copied), n


def paired_cells(positive: float, recalls: Array, wrong: Array, copied: float) -> Array:
    """Return cell probabilities of two classifiers; a share `copied` of predictions is copied."""
    cells = np.empty((2, 2, 2))
    for true, share, (p, q) in ((1, positive, recalls), (0, 1 - positive, wrong)):
        both = (1 - copied) * p * q + copied * min(p, q)
        cells[true] = share * np.array([[1 - p - q + both, q - both], [p - both, both]])
    return cells


def paired_f1(c: Array) -> tuple[Array, Array]:
    """Return F1 of A and of B."""
    f1 = f1ci.metrics.f1
    return value(c.sum(axis=-1), f1), value(c.sum(axis=-2), f1)


def paired_error(c: Array) -> tuple[Array, Array, Array]:
    """Return the standard errors of A's and B's F1, and their correlation."""
    n = c.sum(axis=(-3, -2, -1))
    f1, axes = f1ci.metrics.f1, (-3, -2, -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_a = f1.gradient(c.sum(axis=-1))[..., :, :, None] + np.zeros(c.shape)
        of_b = f1.gradient(c.sum(axis=-2))[..., :, None, :] + np.zeros(c.shape)
        p = c / n[..., None, None, None]
        of_a = of_a - (p * of_a).sum(axis=axes, keepdims=True)
        of_b = of_b - (p * of_b).sum(axis=axes, keepdims=True)
        a, b = (p * of_a**2).sum(axis=axes), (p * of_b**2).sum(axis=axes)
        return np.sqrt(a / n), np.sqrt(b / n), (p * of_a * of_b).sum(axis=axes) / np.sqrt(a * b)


def paired_methods(c: Array) -> dict[str, Limits]:
    """Return limits of B's F1 minus A's by every method."""
    f, g = paired_f1(c)
    a, b, rho = paired_error(c)
    f_more, g_more = paired_f1(c + 0.5)
    a_more, b_more, rho_more = paired_error(c + 0.5)
    low_f, high_f = limits_of(c.sum(axis=-1), f1ci.metrics.f1)
    low_g, high_g = limits_of(c.sum(axis=-2), f1ci.metrics.f1)

    def joined(s: Array, t: Array, correlation: Array) -> Array:
        return np.sqrt(np.maximum(s * s + t * t - 2 * correlation * s * t, 0))

    return {
        "delta": symmetric_limits(g - f, joined(a, b, np.nan_to_num(rho))),
        "pseudo-counts": symmetric_limits(g_more - f_more, joined(a_more, b_more, rho_more)),
        "MOVER": (
            g - f - joined(g - low_g, high_f - f, rho_more),
            g - f + joined(high_g - g, f - low_f, rho_more),
        ),
        "score": kernels.difference_limits(c, Z),
        "equation": kernels.equation_limits(c[: len(c) // 20], Z),
        "cautious": kernels.difference_limits(c[: len(c) // 20], Z, "cautious"),
    }


def pair_study(atlas: Atlas, designs: int, replicates: int, rng: Generator) -> None:
    """Measure the difference of two F1 scores."""
    for _ in range(designs):
        cells, n = pair_of_classifiers(rng)
        atlas.designs.setdefault(PAIR, []).append((cells, n))
        f, g = paired_f1(cells)
        for method, limits in paired_methods(matrices(cells, n, replicates, rng)).items():
            truth, faults = float(g - f), method not in ("equation", "cautious")
            atlas.add(PAIR, method, limits, truth, least=-1.0, count_faults=faults)


# A search for the worst population


def worst_binary(kind: str, steps: int) -> tuple[float, float, float]:
    """Return the share of right items and the mix of errors where one score is covered worst.

    And its exact coverage there, at 20 expected relevant items: on a grid, refined by Nelder and
    Mead's method.
    """
    a, b = SCORES[kind]
    x, y, w = outcomes(largest_number(20))
    limits = kernels.tversky_limits(x, y, w, a, b, Z)

    def coverage(point: Array) -> float:
        share, mix = point
        if not (0 < share < 1 and 0 < mix < 1):  # where the search's last steps may stray
            return 1.0
        chance, p = probabilities(20, 0.5, share, mix)
        truth = p[0] / (p[0] + a * p[1] + b * p[2])
        return float((chance * covered(limits, truth)[0]).sum())

    square = ((0.02, 0.98), (0.02, 0.98))
    (share, mix), worst, *_ = brute(
        coverage, square, Ns=steps, full_output=True, finish=fmin, disp=False
    )
    return float(share), float(mix), float(worst)


def worst_of_two_classes(metric: Metric, n: int, steps: int) -> tuple[Array, float]:
    """Return the population of two classes in which an average is covered worst, and its coverage.

    Coverage is the exact sum over all test sets of n items in which the score is defined. Each
    class expects 3 items or more. A grid over the share of one class and the recalls of both is
    refined by Nelder and Mead's method.
    """
    three = np.indices(3 * (n + 1,)).reshape(3, -1)
    counts = np.vstack([three, n - three.sum(axis=0)])[:, three.sum(axis=0) <= n].astype(float)
    tables = counts.T.reshape(-1, 2, 2)
    defined = ~np.isnan(value(tables, metric))
    counts, limits = counts[:, defined], limits_of(tables[defined], metric)
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=0)

    def cells_at(point: Array) -> Array:
        share, one, other = point
        right = np.array([[one, 1 - one], [1 - other, other]])
        return np.asarray(right * np.array([[share], [1 - share]]))

    def coverage(point: Array) -> float:
        cells = cells_at(point)
        if cells.min() <= 0 or not each_class_expects_three(cells, n):
            return 1.0
        chance = np.exp(ways + np.log(cells.ravel()) @ counts)
        truth = float(value(cells, metric))
        return float((chance * covered(limits, truth)[0]).sum() / chance.sum())

    box = ((3 / n, 0.5), (0.02, 0.98), (0.02, 0.98))
    point, worst, *_ = brute(coverage, box, Ns=steps, full_output=True, finish=fmin, disp=False)
    return cells_at(point), float(worst)


Coverage: TypeAlias = Callable[[Array, int, int, Generator], float]


def measured_again(
    designs: Sequence[Population], coverage: Coverage, count: int, rng: Generator
) -> float:
    """Return the least coverage of some designs, in fresh test sets."""
    return min(coverage(cells, n, count, rng) for cells, n in designs)


def average_coverage(metric: Metric) -> Coverage:
    """Return the coverage of the score interval in drawn test sets, as a function of the cells.

    Only test sets in which the score is defined count; where these are less than half, it is 1.
    """

    def coverage(cells: Array, n: int, count: int, rng: Generator) -> float:
        m = matrices(cells, n, count, rng)
        m = m[~np.isnan(value(m, metric))]
        if len(m) < count / 2:
            return 1.0
        return float(covered(limits_of(m, metric), float(value(cells, metric)))[0].mean())

    return coverage


def pair_coverage(cells: Array, n: int, count: int, rng: Generator) -> float:
    """Return the coverage of the score interval for a difference in drawn test sets."""
    f, g = paired_f1(cells)
    limits = kernels.difference_limits(matrices(cells, n, count, rng), Z)
    return float(covered(limits, float(g - f))[0].mean())


def each_class_expects_three(cells: Array, n: int) -> bool:
    """Say whether the smallest class expects 3 items or more."""
    return bool(n * cells.sum(axis=1).min() >= 3 - 1e-9)


def steps_back(m: Array, metric: Metric, quantiles: Array, **changes: Any) -> Array:
    """Return by how much a limit steps back, at most, as the normal quantile rises."""
    ends = [kernels.changed_limits(m, metric, z, **changes) for z in quantiles.tolist()]
    low, high = np.moveaxis(np.array(ends), 1, 0)
    return np.asarray(np.maximum(np.diff(low, axis=0), -np.diff(high, axis=0)).max(axis=0))


def scattered_matrices(r: int, count: int, rng: Generator) -> Array:
    """Draw matrices of r classes with many small counts."""
    size = np.exp(rng.uniform(-3, rng.choice([1, 3, 6], (count, 1, 1)), (count, r, r)))
    m = np.floor(size * np.exp(rng.normal(0, 2, (count, r, 1))))
    return np.asarray(m[m.sum(axis=(1, 2)) > 0])
