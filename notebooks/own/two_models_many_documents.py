"""Simulated comparisons of two models, also on documents, and two mistakes.

Populations of two models are cell probabilities of shape (2, 2, 2): truth, prediction of A,
prediction of B. Counts of documents have a last axis of three: TP, FP and FN. Everything drawn
comes from the generator that is passed in.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

import f1ci
from f1ci.coverage import covers

Array: TypeAlias = NDArray[Any]
Generator: TypeAlias = np.random.Generator

F1 = f1ci.metrics.f1


# Two models on the same items


def gap(p: Array) -> float:
    """Return F1 of B minus F1 of A."""
    return float(F1.value(p.sum(axis=1)) - F1.value(p.sum(axis=2)))


def _pair(prevalence: float, only_b: Any, only_a: Any, both: Any) -> Array:
    """Return cells from three shares of all items, each for the negatives and the positives.

    `only_b` and `only_a` are predicted positive by one model, `both` by both.
    """
    p = np.zeros((2, 2, 2))
    p[:, 0, 1] = only_b
    p[:, 1, 0] = only_a
    p[:, 1, 1] = both
    p[:, 0, 0] = (1 - prevalence, prevalence) - p.sum(axis=(1, 2))
    return p


def equal_pair(prevalence: float, score: float, share: float, tilt: float) -> Array:
    """Return two models with one F1; `tilt` makes B find more, and err more.

    Both find a share `score` of the positives; a share `share` of them only one model finds.
    """
    flip = share * prevalence / 2
    both = max(prevalence * (1 - score) - flip, 0.0), prevalence * score - flip

    def cells(extra: float) -> Array:
        only_b = flip + extra, flip * (1 + tilt)
        return _pair(prevalence, only_b, (flip, flip * (1 - tilt)), both)

    if not tilt:
        return cells(0.0)
    return cells(optimize.brentq(lambda extra: gap(cells(extra)), -flip, 0.4))


def better_pair(
    prevalence: float, score: float, positive: float, negative: float, difference: float
) -> Array:
    """Return two models whose F1 differs by `difference`.

    They disagree on a share `positive` of all items that are positive, and `negative` that are
    not.
    """
    both = prevalence * (1 - score) - negative / 2, prevalence * score - positive / 2

    def cells(gain: float) -> Array:
        only_b = negative * (1 - gain) / 2, positive * (1 + gain) / 2
        only_a = negative * (1 + gain) / 2, positive * (1 - gain) / 2
        return _pair(prevalence, only_b, only_a, both)

    return cells(optimize.brentq(lambda gain: gap(cells(gain)) - difference, 0, 1))


def equal_precision(prevalence: float, precision: float, recalls: tuple[float, float]) -> Array:
    """Return two models with one precision and these recalls, whose errors are independent."""
    found = np.array(recalls)
    wrong = found * prevalence / (1 - prevalence) * (1 - precision) / precision
    return joint_shares(prevalence, found, wrong, 0.0)


def joint_shares(prevalence: float, found: Array, wrong: Array, shared: float) -> Array:
    """Return cells from the shares of positives found, and of negatives taken for positives.

    A share `shared` of the items is hard or easy for both models alike; the others are not.
    """
    p = np.empty((2, 2, 2))
    for true, share, (a, b) in ((1, prevalence, found), (0, 1 - prevalence, wrong)):
        both = shared * min(a, b) + (1 - shared) * a * b
        p[true] = share * np.array([[1 - a - b + both, b - both], [a - both, both]])
    return p


def unlike_pairs(count: int, rng: Generator) -> list[tuple[Array, int]]:
    """Draw populations of two models, and numbers of items, with seven positives or more.

    Prevalences are 3, 15 or 50 %; none, 60 or 95 % of the items are hard or easy for both.
    """
    pairs: list[tuple[Array, int]] = []
    while len(pairs) < count:
        n, prevalence = int(rng.choice([100, 250, 500])), float(rng.choice([0.03, 0.15, 0.5]))
        found = rng.beta(*[(4, 1), (2, 2)][rng.integers(2)], size=2)
        precision = rng.beta(*[(4, 1), (2, 2)][rng.integers(2)], size=2)
        wrong = found * prevalence / (1 - prevalence) * (1 - precision) / precision
        if n * prevalence >= 7 and wrong.max() < 0.6:
            shared = float(rng.choice([0.0, 0.6, 0.95]))
            pairs.append((joint_shares(prevalence, found, wrong, shared), n))
    return pairs


def mcnemar(only_a: Array, only_b: Array) -> dict[str, Array]:
    """Return three textbook p-values of McNemar's test, from the numbers of discordant items."""
    n, less = only_a + only_b, np.minimum(only_a, only_b)
    exact = np.minimum(2 * stats.binom.cdf(less, n, 0.5), 1)
    mid = 2 * stats.binom.cdf(less, n, 0.5) - stats.binom.pmf(less, n, 0.5)
    plain = special.chdtrc(1, (only_a - only_b) ** 2 / np.maximum(n, 1))
    return {"exact": exact, "mid-p": np.minimum(mid, 1), "without correction": plain}


def agreeing_but(only_a: Array, only_b: Array, n: int) -> Array:
    """Return tables of n items of two classes alike, of which both models have a tenth wrong."""
    wrong = 0.1 * n
    right = n - wrong - only_a - only_b
    table = np.zeros((*np.shape(only_a), 2, 2, 2))
    for true in (0, 1):
        for guess_a, guess_b, count in (
            (true, true, right),
            (true, 1 - true, only_a),
            (1 - true, true, only_b),
            (1 - true, 1 - true, wrong),
        ):
            table[..., true, guess_a, guess_b] = count / 2
    return table


def tables(p: Array, n: int, count: int, rng: Generator) -> Array:
    """Draw test sets of n items: tables of shape (count, 2, 2, 2)."""
    return rng.multinomial(n, p.ravel(), count).reshape(-1, 2, 2, 2)


# Documents


class Coverage(NamedTuple):
    """How often limits hold the truth, end too low, begin too high; and their mean length."""

    covered: float
    too_low: float
    too_high: float
    length: float


def coverage(low: Array, high: Array, truth: float) -> Coverage:
    """Count how often limits hold the truth."""
    return Coverage(
        float(np.mean(covers(low, high, truth))),
        float(np.mean(~covers(-np.inf, high, truth))),
        float(np.mean(~covers(low, np.inf, truth))),
        float(np.mean(high - low)),
    )


def unlike_sizes(shape: Any, rng: Generator) -> Array:
    """Draw sizes of documents: eight items on average, lognormal, at least one."""
    return np.asarray(np.maximum(1, np.rint(8 * np.exp(rng.normal(-0.5, 1.0, shape)))), dtype=int)


def two_collections(
    units: int, skewed: bool, correlation: float, right: tuple[float, float], rng: Generator
) -> list[Array]:
    """Draw counts by document of two models that share the documents' and the items' difficulty."""
    sizes = unlike_sizes(units, rng) if skewed else np.full(units, 8)
    unit = np.repeat(np.arange(units), sizes)
    of_units = _two_alike(units, rng)[:, unit]
    of_items = _two_alike(len(unit), rng)
    score = np.sqrt(correlation) * of_units + np.sqrt(1 - correlation) * of_items
    gold = rng.random(len(unit)) < 0.7
    return [
        _counts_by_unit(unit, gold, row < special.ndtri(share))
        for row, share in zip(score, right, strict=True)
    ]


def _counts_by_unit(unit: Array, gold: Array, is_right: Array) -> Array:
    """Return TP, FP and FN of each document."""
    cells = (gold & is_right, ~gold & ~is_right, gold & ~is_right)
    return np.stack([np.bincount(unit[c], minlength=unit[-1] + 1) for c in cells], axis=-1)


def _two_alike(width: int, rng: Generator) -> Array:
    """Draw normal numbers for two models, which have the correlation 0.8."""
    first = rng.standard_normal(width)
    second = 0.8 * first + np.sqrt(1 - 0.8**2) * rng.standard_normal(width)
    return np.stack([first, second])


def f1_of_collections(right: float) -> float:
    """Return the F1 of a model in `two_collections` that is right with this probability."""
    return 2 * 0.7 * right / (2 * 0.7 * right + 1 - right)


# Two ways to go wrong


def cross_validated(rng: Generator, n: int = 200, folds: int = 10) -> tuple[Array, Array, Array]:
    """Cross-validate two equally good linear rules, each on a feature of its own.

    Return the truth, both models' predictions, and the fold of each item.
    """
    y = (rng.random(n) < 0.4).astype(int)
    x = rng.standard_normal((n, 2)) + y[:, None]
    fold = rng.permutation(n) % folds
    predicted = np.zeros((2, n), dtype=int)
    for k in range(folds):
        train, test = fold != k, fold == k
        mean = np.stack([x[train & (y == c)].mean(axis=0) for c in (0, 1)])
        share = y[train].mean()
        cut = mean.mean(axis=0) + np.log((1 - share) / share) / (mean[1] - mean[0])
        predicted[:, test] = (x[test] > cut).T
    return y, predicted, fold


def fold_scores(y: Array, predicted: Array, fold: Array) -> Array:
    """Return F1 in each fold; 0 where nothing is relevant."""
    both, either = (np.bincount(fold, weights=weight) for weight in (y & predicted, y + predicted))
    return np.asarray(2 * both / np.maximum(either, 1))


def tuned(n: int, rng: Generator) -> tuple[float, tuple[int, int, int]]:
    """Draw a test set and choose the threshold with its best F1: 30 % positives, 3/2 sd higher.

    Return the true F1 with that threshold, and the counts TP, FP and FN in the test set.
    """
    y = rng.random(n) < 0.3
    x = rng.standard_normal(n) + 1.5 * y
    order = np.argsort(-x)
    tp = np.cumsum(y[order])
    k = int((2 * tp / (np.arange(1, n + 1) + y.sum())).argmax())
    right, wrong = (
        share * stats.norm.sf(x[order[k]] - shift) for share, shift in ((0.3, 1.5), (0.7, 0))
    )
    truth = float(2 * right / (0.3 + right + wrong))
    return truth, (int(tp[k]), int(k + 1 - tp[k]), int(y.sum() - tp[k]))
