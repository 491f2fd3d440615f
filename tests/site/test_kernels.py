"""The calculator's kernels against the package, in Node."""

from __future__ import annotations

import itertools
import json
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scripts
from scipy import stats

import f1ci

pytestmark = pytest.mark.slow

STATIC = scripts.STATIC

# What the calculator promises, and what averages keep whose classes all have items.
PROMISED = 1e-6
EXACT = 1e-9
LEVELS = [0.5, 0.95, 0.9999]
WEIGHTS = [(0.5, 0.5), (0.8, 0.2), (0.1, 0.9)]
# The explorer's methods that need no sum over counts.
CLOSED_FORMS = """() => Object.entries(explorer.METHODS)
  .filter(([, { limits }]) => Object.values(f1ci).includes(limits)).map(([name]) => name)"""
(F1_METHODS,) = scripts.evaluate(CLOSED_FORMS, [0])


def evaluate(expression, data):
    """Return the value of ``"c => ..."`` for every element, as an array."""
    return np.array(scripts.evaluate(expression, data), dtype=float)


def count_vectors(number):
    """Counts of every size up to 1e12, and the edges."""
    rng = np.random.default_rng(20240915)
    sizes = rng.choice([1, 2, 5, 30, 300, 3000, 10**6, 10**9, 10**12], (number, 3))
    edges = [*itertools.product([0, 1, 7, 10**12], repeat=3)]
    return np.vstack([rng.integers(0, sizes, endpoint=True), edges])


COUNTS = count_vectors(2000)


def package_limits(function, *args, **options):
    """Both ends as rows; warnings are of no interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = function(*args, **options)
    interval = getattr(interval, "interval", interval)
    return np.stack([interval.low, interval.high], axis=-1)


@pytest.mark.parametrize("method", F1_METHODS)
def test_f1_intervals(method):
    counts = COUNTS[COUNTS.sum(axis=1) > 0]
    kernel = f"explorer.METHODS.{method}.limits"
    tp, fp, fn = counts.T
    for level in LEVELS:
        theirs = package_limits(f1ci.f1_interval, tp, fp, fn, method=method, confidence_level=level)
        ours = evaluate(f"c => {kernel}(c[0], c[1], {level})", np.c_[tp, fp + fn].tolist())
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)
    # Nothing known, nothing said.
    assert evaluate(f"c => {kernel}(c, c, 0.95)", [0]).tolist() == [[0, 1]]


@pytest.mark.parametrize(("a", "b"), [*WEIGHTS, (1, 1), (1, 0), (0, 1)])
def test_tversky_intervals(a, b):
    defined = COUNTS[COUNTS @ (1, a, b) > 0]
    x, y, w = defined.astype(np.int64).T
    tables = np.stack([0 * x, y, w, x], axis=-1).reshape(-1, 2, 2)
    metric = f1ci.metrics.tversky(a, b)
    for level in LEVELS:
        ours = evaluate(f"c => f1ci.tverskyScore(...c, {a}, {b}, {level})", defined.tolist())
        theirs = package_limits(f1ci.Matrix(tables).interval, metric, confidence_level=level)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)


# Averages over classes


def matrices(r, number, rng):
    """Matrices with few items and with many, sparse and dense, nearly perfect and perfect.

    Some classes are never true, and some are never predicted.
    """
    sizes = rng.choice([1, 3, 20, 1000, 10**8], (number, 1, 1))
    filled = rng.choice([0.1, 0.3, 0.8, 1.0], (number, 1, 1))
    made = rng.integers(0, sizes, (number, r, r), endpoint=True)
    made *= rng.random((number, r, r)) < filled
    right = rng.integers(0, 5 * sizes, (number, r, 1), endpoint=True) * np.eye(r, dtype=int)
    kind = rng.integers(0, 4, (number, 1, 1))
    made = np.select([kind == 0, kind == 1], [right, made // 4 + right], made)
    for axis in (1, 2):
        absent = (rng.random((number, r)) < 0.1) & (rng.random((number, 1)) < 0.3)
        made[np.broadcast_to(np.expand_dims(absent, axis), made.shape)] = 0
    return made[made.sum(axis=(1, 2)) > 0]


def unseen(tables):
    """Count the classes without items."""
    return (tables.sum(axis=1) + tables.sum(axis=2) == 0).sum(axis=1)


def check_averages(tables, weights, level, nearness):
    """Compare estimates and limits on the page with those of the package."""
    a, b = weights
    for average in ("macro", "weighted"):
        metric = getattr(f1ci.metrics, average)(f1ci.metrics.tversky(a, b))
        call = f"averages.scoreLimits(m, {a}, {b}, {level}, {str(average == 'weighted').lower()})"
        ours = evaluate(f"m => ((x) => [x.low, x.estimate, x.high])({call})", tables.tolist())
        low, high = package_limits(f1ci.Matrix(tables).interval, metric, confidence_level=level).T
        theirs = np.stack([low, metric.value(tables), high], axis=-1)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=nearness)


@pytest.mark.parametrize("r", range(2, 13))
def test_averages_of_5000_matrices(r):
    rng = np.random.default_rng(r)
    for weights, level in zip(WEIGHTS, (0.95, 0.8, 0.9999), strict=True):
        tables = matrices(r, 250, rng)
        tables = tables[unseen(tables) == 0]
        assert 3 * len(tables) * 11 > 4_500
        check_averages(tables, weights, level, EXACT)


@pytest.mark.parametrize("r", [3, 5, 9])
def test_averages_of_classes_without_items(r):
    """A class that was named may score anything, so limits of macro F1 are wide.

    Where the score of such a class is almost 0 or 1, rounding decides where its search ends.
    """
    rng = np.random.default_rng(r)
    for level in (0.8, 0.95, 0.9999):
        tables = matrices(r, 250, rng)
        tables = tables[unseen(tables) > 0]
        check_averages(tables, (0.5, 0.5), level, PROMISED)


def test_averages_of_more_than_30_classes():
    """Of these not all cells are looked at, and many classes are alike in size."""
    rng = np.random.default_rng(30)
    for r in (30, 31, 40, 100):
        right = np.eye(r, dtype=int) * rng.integers(0, 9, (4, r, 1))
        tables = right + rng.poisson(np.array([0.002, 0.02, 0.1, 1.0])[:, None, None], (4, r, r))
        tables = tables[unseen(tables) == 0]
        assert len(tables)
        check_averages(tables, (0.5, 0.5), 0.95, PROMISED)


def named(cells):
    """Counts by truth, A and B, by the names that the calculator gives them."""
    names = ["tn", "negA", "negB", "fp", "fn", "posB", "posA", "tp"]
    return dict(zip(names, (int(n) for n in np.ravel(cells)), strict=True))


def labels(cells):
    """Truth, A and B of every item."""
    return np.repeat([*itertools.product((0, 1), repeat=3)], np.ravel(cells), axis=0).T


def both(cells):
    """The labels of A and B."""
    y_true, a, b = labels(cells)
    return f1ci.Labels(y_true, {"A": a, "B": b})


def test_differences():
    rng = np.random.default_rng(7)
    cells = [rng.integers(0, n + 1, (2, 2, 2)) for n in rng.choice([2, 5, 40, 500], 200)]
    cells += [np.array([1, *c]).reshape(2, 2, 2) for c in itertools.product((0, 2), repeat=7)]
    relevant = [
        c for c in cells if (c[1].sum() + np.array([c[0, 1].sum(), c[0, :, 1].sum()])).min()
    ]
    for a, b in WEIGHTS:
        metric = f1ci.metrics.tversky(a, b)
        theirs = [package_limits(both(c).difference, metric) for c in relevant]
        call = f"t => f1ci.differenceScore(t, {a}, {b}, 0.95)"
        ours = evaluate(call, [named(c) for c in relevant])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=PROMISED)


# Scores over units

METRICS = {(0.5, 0.5): "f1", (1, 0): "precision", (0, 1): "recall", (1, 1): "jaccard"}


def units(rng, number):
    """TP, FP and FN of a few units and of many, empty ones and large ones among them."""
    sizes = rng.choice([2, 5, 50, 1000], number)
    tables = [rng.integers(0, size, (rng.integers(2, 40), 3)) for size in sizes]
    return [table for table in tables if table[:, 0].sum() > 0]


def test_score_limits_of_units():
    tables = units(np.random.default_rng(5), 150)
    for (a, b), metric in METRICS.items():
        theirs = [package_limits(f1ci.Units(table).interval, metric) for table in tables]
        call = f"t => units.scoreLimits(t.map(([x, y, w]) => ({{ x, y, w }})), {a}, {b}, 0.95)"
        ours = evaluate(call, [table.tolist() for table in tables])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)


OF_SCORES = "s => { const of = (v) => v.map((x) => ({ x, y: 0, w: 1 - x })); "


@pytest.mark.filterwarnings("ignore::f1ci.SmallSampleWarning")
def test_means_of_scores_and_their_differences():
    rng = np.random.default_rng(6)
    pairs = [rng.beta(5, 1, (2, rng.integers(2, 60))).round(2) for _ in range(150)]
    pairs[:10] = [pair[::-1] * [[1], [0]] + pair[:1] * [[0], [1]] for pair in pairs[:10]]
    ours = evaluate(
        OF_SCORES + "return units.scoreLimits(of(s[0]), 0, 1, 0.8) }",
        [pair.tolist() for pair in pairs],
    )
    tests = [f1ci.Scores({"a": a, "b": b}) for a, b in pairs]
    theirs = [package_limits(test.interval, model="a", confidence_level=0.8) for test in tests]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)
    call = (
        "const d = units.difference(of(s[0]), of(s[1]), 0, 1, 0.95); return [d.low, d.high, d.p] }"
    )
    ours = evaluate(OF_SCORES + call, [pair.tolist() for pair in pairs])
    results = [test.difference() for test in tests]
    theirs = [[*test.interval, test.p_value] for test in results]
    np.testing.assert_allclose(ours[:, :2], np.array(theirs)[:, :2], rtol=0, atol=EXACT)
    known = np.isfinite(ours[:, 2])
    # The package finds the level at which zero enters to 1e-8.
    np.testing.assert_allclose(ours[known, 2], np.array(theirs)[known, 2], rtol=0, atol=1e-8)


def test_the_quantiles_of_student():
    cases = [*itertools.product([0.5, 0.95, 0.9999], [1, 1.3, 2.7, 10.1, 400.5])]
    expected = [stats.t.ppf((1 + level) / 2, df) for level, df in cases]
    ours = evaluate("c => units.studentQuantile(...c)", cases)
    np.testing.assert_allclose(ours, expected, rtol=EXACT)


def test_p_values_of_differences():
    """The package finds the level at which zero enters to 1e-9 in z."""
    rng = np.random.default_rng(8)
    tables = [rng.integers(0, n, (2, 2, 2)) for n in [3] * 40 + [40] * 20 + [4000] * 5]
    tables = [c for c in tables if c[1].sum() and c[1, 1, 1]]
    tests = [f1ci.Labels(y, {"A": a, "B": b}) for y, a, b in map(labels, tables)]
    for metric, (a, b) in {"f1": (0.5, 0.5), "recall": (0, 1)}.items():
        expected = [test.difference(metric).p_value for test in tests]
        ours = evaluate(f"t => f1ci.differenceP(t, {a}, {b})", [named(c) for c in tables])
        np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-8)


def test_sample_sizes():
    call = """([b, half, share]) => {
        const plan = f1ci.sampleSize(b, half, share, 0.95);
        return [plan.positives, plan.total];
    }"""
    cases = [*itertools.product([0.05, 0.5, 1, 2, 9], [0.01, 0.037, 0.2], [0.01, 0.6, 1])]
    plans = [
        f1ci.sample_size(f1ci.metrics.fbeta(beta), half_width=half, prevalence=share)
        for beta, half, share in cases
    ]
    assert evaluate(call, cases).tolist() == [[plan.positives, plan.total] for plan in plans]


def band(printed):
    """The values that are rounded to a printed share."""
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return half, [float(printed) - float(half), min(1.0, float(printed) + float(half))]


def rounds(value, printed):  # a tie rounds to either side
    return abs(value - Fraction(printed)) <= band(printed)[0]


FITTING = """([bands, positives]) => f1ci.fittingCounts(bands, positives)
  .flatMap(({tp, from, to}) => [tp, from, Math.min(to, 599)])"""


@pytest.mark.parametrize(
    ("printed", "positives"),
    [
        ({"precision": "0.64", "recall": "0.89"}, 87),
        ({"f1": "0.74"}, 87),
        ({"precision": "1.00", "recall": "1.00"}, 150),
    ],
)
def test_counts_that_fit_a_rounding(printed, positives):
    """Every pair of TP and FP is tried."""
    expected = set()
    for tp, fp in itertools.product(range(1, positives + 1), range(600)):
        scores = {
            "precision": Fraction(tp, tp + fp),
            "recall": Fraction(tp, positives),
            "f1": Fraction(2 * tp, tp + fp + positives),
        }
        if all(rounds(scores[name], text) for name, text in printed.items()):
            expected.add((tp, fp))
    bands = {name: band(text)[1] for name, text in printed.items()}
    found = evaluate(FITTING, [[bands, positives]])[0].astype(int).reshape(-1, 3)
    assert {(tp, fp) for tp, low, high in found for fp in range(low, high + 1)} == expected


# The files for others


EXAMPLES = json.loads((STATIC / "f1ci.json").read_text())


def test_the_examples_are_right():
    """The results beside f1ci.js are those of the package, to their eight digits or more."""
    for example in EXAMPLES:
        call = f"given => [f1ci.{example['function']}(...given)].flat()"
        np.testing.assert_allclose(
            evaluate(call, [example["arguments"]])[0], np.ravel(example["result"]), atol=1e-8
        )
    low, high = f1ci.f1_interval(77, 44, 10)  # Lam, Gopal and Qian (2024), section 6
    by_name = {e["function"]: e["result"] for e in EXAMPLES}
    assert by_name["wilsonIndirect"] == pytest.approx([low, high], abs=1e-9)


def test_every_kernel_has_a_type_and_every_type_a_kernel():
    types = re.findall(r"^  (\w+)\(", (STATIC / "f1ci.d.ts").read_text(), re.M)
    (names,) = scripts.evaluate("() => Object.keys(f1ci)", [0])
    assert set(names) == set(types), "f1ci.js and f1ci.d.ts name different kernels"
    assert {example["function"] for example in EXAMPLES} <= set(types)
