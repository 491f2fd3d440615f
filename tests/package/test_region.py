"""Score limits of any smooth metric against definitions, other people's formulas, exact sums."""

import numpy as np
import pytest
from examples import ask, binary_tables, quiet
from scipy import optimize, stats

import f1ci
from f1ci.data.matrix import CellCounts
from f1ci.methods import closed_form, region
from f1ci.metrics import f1, fbeta, macro, macro_star, precision, weighted
from f1ci.metrics.averages import mean_of
from f1ci.samples import TableSample

Z = float(stats.norm.ppf(0.975))
# The search ends when slopes promise less than 1e-7 of half the length.
SEARCH = 1e-6
# Three classes, some cells empty; many items; hardly an item wrong; nothing wrong.
TABLES = np.array(
    [
        [[2, 5, 0], [2, 70, 2], [2, 2, 15]],
        [[400, 30, 20], [25, 300, 25], [10, 40, 150]],
        [[20, 0, 0], [0, 19, 1], [0, 0, 20]],
        [[9, 0, 0], [0, 7, 0], [0, 0, 4]],
    ],
    dtype=float,
)
METRICS = {
    "macro F1": macro(f1),
    "macro F(2)": macro(fbeta(2)),
    "macro precision": macro(precision),
    "weighted F1": weighted(f1),
    "weighted precision": weighted(precision),
    "weighted F1 of two classes": mean_of("weighted", f1, (0, 1)),
    "macro star": macro_star(),
    "kappa": f1ci.metrics.get("kappa"),
    "mcc": f1ci.metrics.get("mcc"),
}


def limits_of(tables, metric, z=Z):
    """Score limits of tables of real counts, which the doors do not take."""
    return TableSample(metric, CellCounts.of(np.asarray(tables, dtype=float))).score_limits(z)


def region_limits(tables, metric, z=Z):
    """The range of a metric in Pearson's region, without variance factor and correction."""
    matrix = CellCounts.of(np.asarray(tables, dtype=float))
    return region.score_limits(
        lambda q: metric.slopes(CellCounts(matrix.cells, q)), matrix.counts, z
    )


def occupied(tables):
    """Tell which tables have items in every row and column."""
    return (tables.sum(axis=1) > 0).all(axis=1) & (tables.sum(axis=2) > 0).all(axis=1)


def sparse_tables(seed, number, r):
    """Tables with many empty cells, and items in every row and column."""
    rng = np.random.default_rng(seed)
    tables = rng.poisson(rng.choice([0.3, 1.0, 4.0], (number, 1, 1)) + 2.0 * np.eye(r))
    return tables[occupied(tables)].astype(float)


# The definition


@pytest.mark.parametrize("right", [0, 1, 7, 40, 99])
def test_of_two_cells_the_limits_are_wilsons(right):
    counts = np.array([[right], [100.0 - right]])
    found = region.score_limits(lambda p: (p[0], np.stack([1.0 - p[0], -p[0]])), counts, Z)
    expected = stats.binomtest(right, 100).proportion_ci(method="wilson")
    assert np.ravel(found) == pytest.approx(list(expected), abs=SEARCH)


def slsqp(metric, p, h, side, start):
    """The largest value of side times the metric in the region, by SLSQP from one start."""
    r = round(len(p) ** 0.5)

    def value(q):
        return -side * float(metric.value(q.reshape(r, r)))

    def slope(q):
        return -side * metric.gradient(q.reshape(r, r)).ravel() / q.sum()

    found = optimize.minimize(
        value,
        start,
        jac=slope,
        method="SLSQP",
        bounds=[(1e-9, 1.0)] * len(p),
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1.0, "jac": np.ones_like},
            {
                "type": "ineq",
                "fun": lambda q: 1.0 + h - (p * p / q).sum(),
                "jac": lambda q: p * p / (q * q),
            },
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    inside = (p * p / found.x).sum() <= 1.0 + h + 1e-7 and abs(found.x.sum() - 1.0) < 1e-9
    return -side * found.fun if inside else np.nan


@pytest.mark.parametrize("name", METRICS)
def test_limits_are_the_range_in_the_region_as_slsqp_finds_it(name):
    """Sparse tables of 8 to 40 items; SLSQP starts from three places inside of the region."""
    metric, rng = METRICS[name], np.random.default_rng(5)
    tables = sparse_tables(4, 40, 3)[:12]
    tables = tables[np.isfinite(metric.value(tables))]
    behind = []
    for table, *ends in zip(tables, *region_limits(tables, metric), strict=True):
        n = table.sum()
        p, h = table.ravel() / n, Z * Z / n
        starts = [(p + 0.5 * h * rng.dirichlet(np.ones(9))) / (1 + 0.5 * h) for _ in range(3)]
        for side, end in zip((-1.0, 1.0), ends, strict=True):
            found = np.array([side * slsqp(metric, p, h, side, start) for start in starts])
            if np.isfinite(found).any():
                behind.append(side * end - np.nanmax(found))
    # SLSQP may end at a lesser value than the search, at a larger one only as it keeps the
    # constraints: to 1e-7, which is worth less than 1e-5 of a score.
    assert len(behind) > len(tables)
    assert min(behind) > -1e-5
    # In most cases both end at the same value.
    assert np.median(behind) < 1e-5


def test_the_least_pearson_statistic_at_a_limit_is_z_squared():
    """Minimum chi-square at the limit's value, by SLSQP: the test that the interval inverts."""
    for table in TABLES[:2] + np.array([1.0, 0.0])[:, None, None]:
        n = table.sum()
        p = table.ravel() / n
        for end in np.ravel(region_limits(table[None], macro(f1))):
            found = optimize.minimize(
                lambda q, p=p: (p * p / q).sum(),
                p,
                bounds=[(1e-9, 1.0)] * 9,
                constraints=[
                    {"type": "eq", "fun": lambda q: q.sum() - 1.0},
                    {
                        "type": "eq",
                        "fun": lambda q, end=end: macro(f1).value(q.reshape(3, 3)) - end,
                    },
                ],
                options={"ftol": 1e-14, "maxiter": 500},
            )
            # SLSQP stops within about 1e-4 of the statistic.
            assert n * (found.fun - 1.0) == pytest.approx(Z * Z, rel=1e-3)


# The variance factor, by exact sums


def least_statistic(tables, p):
    """Return the signed root of the least X^2 at the true mean of two recalls.

    Over the class sizes the least X^2 of recalls r is N {(sum of s sqrt(1 + t^2 / n))^2 - 1} with
    the observed shares s, sizes n and t^2 = n (observed - r)^2 / r (1 - r) of both classes. What is
    left is a minimum in one unknown, found by golden section.
    """
    sizes = tables.sum(axis=2)
    n = sizes.sum(axis=1)
    observed = tables[:, [0, 1], [0, 1]] / sizes
    total = p[0] / (p[0] + p[1]) + p[3] / (p[2] + p[3])

    def statistic(first):
        recalls = np.stack([first, total - first], axis=1)
        square = (observed - recalls) ** 2 / (recalls * (1.0 - recalls))
        return n * ((sizes / n[:, None] * np.sqrt(1.0 + square)).sum(axis=1) ** 2 - 1.0)

    low = np.full(len(n), max(total - 1.0, 0.0) + 1e-9)
    high = np.full(len(n), min(total, 1.0) - 1e-9)
    golden = (5**0.5 - 1.0) / 2.0
    for _ in range(45):
        a, b = high - golden * (high - low), low + golden * (high - low)
        left = statistic(a) < statistic(b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    root = np.sqrt(np.maximum(statistic(0.5 * (low + high)), 0.0))
    return np.copysign(root, observed.sum(axis=1) - total)


def factor_of(metric, p):
    """The variance factor of one item, less 1."""
    shares = CellCounts(CellCounts.of(np.ones((2, 2))).cells, np.ravel(p))
    _, e = metric.evaluate(shares)
    parts = CellCounts(shares.cells, shares.counts * e * e)
    classes = [(shares.true, parts.true)]
    return float(region.variance_factor(shares.counts, e, np.array(100.0), classes) - 1.0) * 100.0


def test_the_variance_factor_is_that_of_exact_sums_for_macro_recall():
    """All tables of 2 x 2 cells with 80 and 160 items."""
    p = np.array([0.36, 0.09, 0.165, 0.385])
    found = []
    for n in (80, 160):
        tables, chance = binary_tables(p, n)
        inside = (tables.sum(axis=2) > 0).all(axis=1)
        chance = chance[inside] / chance[inside].sum()
        r = least_statistic(tables[inside].astype(float), p)
        mean = chance @ r
        found.append((np.sqrt(n) * mean, n * (chance @ (r - mean) ** 2 - 1.0)))
    # Extrapolated to infinitely many items, what is left is of the order 1 / N^2.
    mean, variance = 2.0 * np.array(found[1]) - np.array(found[0])
    assert mean == pytest.approx(0.0, abs=0.02)
    assert variance == pytest.approx(factor_of(macro("recall"), p), rel=0.06)


def test_the_signed_root_is_where_the_limit_meets_the_truth():
    """The statistic of the test above and the search agree."""
    tables = np.array([[[12, 8], [5, 25]], [[9, 1], [3, 7]]], dtype=float)
    p = np.array([0.3, 0.2, 0.15, 0.35])
    truth = 0.5 * (0.3 / 0.5 + 0.35 / 0.5)
    for table, root in zip(tables, least_statistic(tables, p), strict=True):
        low, high = region_limits(table[None], macro("recall"), abs(root))
        met = low[0] if root > 0 else high[0]
        assert met == pytest.approx(truth, abs=1e-6)


# What follows from the definition


@pytest.mark.parametrize("name", METRICS)
def test_limits_contain_the_estimate_and_widen_with_the_level(name):
    """At 8 levels, in tables of three classes with many empty cells."""
    metric, tables = METRICS[name], sparse_tables(3, 700, 3)
    estimate = metric.value(tables)
    tables, estimate = tables[np.isfinite(estimate)], estimate[np.isfinite(estimate)]
    ends = [limits_of(tables, metric, z) for z in np.linspace(0.88, 3.6, 8)]
    low, high = np.moveaxis(ends, 1, 0)
    assert (low <= estimate).all()
    assert (estimate <= high).all()
    assert (np.diff(low, axis=0) <= 1e-9).all()
    assert (np.diff(high, axis=0) >= -1e-9).all()


def test_monotone_maps_map_the_limits():
    """The limits of one less macro F1, and of its odds, are those of macro F1, mapped."""

    def macro_f1(q):
        right = np.diagonal(q, axis1=-2, axis2=-1)
        return (2 * right / (q.sum(axis=-1) + q.sum(axis=-2))).mean(axis=-1)

    for table in TABLES[:3]:
        low, high = f1ci.Matrix(table.astype(int)).interval("macro_f1")
        own = f1ci.metrics.MatrixMetric("loss", lambda q: 1.0 - macro_f1(q), range=(0.0, 1.0))
        loss = f1ci.Matrix(table.astype(int)).interval(own)
        assert (1.0 - loss.high, 1.0 - loss.low) == pytest.approx((low, high), abs=1e-6)


def test_metrics_in_order_have_limits_in_order():
    """Jaccard is at most F1, class by class, and so are the ends of their averages."""
    tables = sparse_tables(9, 300, 3)
    jaccard = region_limits(tables, macro("jaccard"))
    larger = region_limits(tables, macro(f1))
    assert (np.subtract(larger, jaccard) > -1e-7).all()


def test_a_symmetric_table_does_not_rest_between_two_extremes():
    """Perfect and of equal classes: errors of one class cost more than errors spread evenly."""
    low, _ = limits_of([20 * np.eye(4)], weighted(f1))
    q = 0.25 * np.eye(4)  # the share x of the first class goes to the second
    h = Z * Z / 80
    x = optimize.brentq(lambda x: 0.0625 * (3 / 0.25 + 1 / (0.25 - x)) - 1 - h, 0.0, 0.24)
    q[0, 0], q[0, 1] = 0.25 - x, x
    assert low <= weighted(f1).value(q) + SEARCH


def test_transposed_tables_have_mirrored_limits():
    """Recall of a table is precision of the transposed one: the larger of two factors counts."""
    recall, precise = (macro(name) for name in ("recall", "precision"))
    expected = limits_of(TABLES[:3], recall)
    found = limits_of(TABLES[:3].transpose(0, 2, 1), precise)
    assert np.ravel(found) == pytest.approx(np.ravel(expected), abs=SEARCH)


def test_many_items_have_the_limits_of_the_delta_method():
    """27,000 items and more, where a search for the p-value asks for very small z."""
    a = np.array([[9, 1, 0], [1, 7, 2], [0, 1, 6]])
    b = np.array([[10, 0, 0], [0, 9, 1], [0, 0, 7]])
    for scale in (1_000, 1_000_000, 10_000_000_000):
        found = f1ci.Matrix({"A": a * scale, "B": b * scale}).difference("macro_f1").interval
        delta = (
            f1ci.Matrix({"A": a * scale, "B": b * scale})
            .difference("macro_f1", method="delta")
            .interval
        )
        # The two differ by a share of 1 / sqrt(N) of the length.
        length = delta.high - delta.low
        assert tuple(found) == pytest.approx(tuple(delta), abs=0.02 * length)


def test_perfect_tables_have_length_at_any_size():
    lengths = []
    for scale in (1, 1000, 10**6, 10**9, 10**11):
        low, high = f1ci.Matrix(scale * np.diag([9, 7, 4])).interval("macro_f1")
        assert high == 1.0
        lengths.append(1.0 - low)
    assert (np.diff(lengths) < 0.0).all()
    assert lengths[-1] > 0.0


@pytest.mark.parametrize(
    ("name", "table", "cell"),
    [
        ("macro_f1_star", [[1, 3, 0], [0, 4, 0], [5, 2, 6]], (1, 2)),
        ("balanced_accuracy", [[2, 0, 0], [6, 4, 0], [3, 0, 1]], (0, 1)),
        ("weighted_precision", [[60, 0], [0, 20]], (0, 1)),
    ],
)
def test_limits_do_not_jump_between_neighbouring_tables(name, table, cell):
    """Real counts in one cell, from none over almost none to two."""
    s = np.concatenate([[0.0, 1e-9, 1e-6], np.geomspace(1e-4, 0.02, 20), np.arange(1, 81) / 40])
    tables = np.tile(np.array(table, dtype=float), (len(s), 1, 1))
    tables[(slice(None), *cell)] += s
    low, high = limits_of(tables, f1ci.metrics.get(name))
    assert np.abs(np.diff(low)).max() < 0.01
    # The correction for few errors ends at four of them, none of which is reached here.
    assert np.abs(np.diff(high)[23:]).max() < 0.02


# What is not known


@pytest.mark.parametrize("metric", ["macro_f1", "balanced_accuracy", "macro_precision", "kappa"])
def test_a_class_that_exists_but_was_not_seen_makes_limits_wide(metric):
    """A row of a matrix is a class that exists. One item of it can only tell more."""
    unseen = quiet(ask, f1ci.Matrix, "interval", ([[27, 3, 0], [2, 18, 0], [0, 0, 0]],), metric)
    seen = quiet(ask, f1ci.Matrix, "interval", ([[27, 3, 0], [2, 18, 0], [0, 0, 1]],), metric)
    assert unseen.low <= seen.low + 1e-6
    assert unseen.high >= seen.high - 1e-6 or metric == "kappa"
    y, a = [0] * 30 + [1] * 20, [0] * 27 + [1] * 3 + [0] * 2 + [1] * 18
    named = quiet(f1ci.score_interval, y, a, metric, labels=[0, 1, 2])
    assert tuple(named) == pytest.approx(tuple(unseen), abs=SEARCH)


def test_a_class_that_was_not_seen_is_as_unknown_in_any_test_set():
    """Two classes of three have a score of almost 1, the third one may score anything."""
    for scale in (10**6, 10**9, 10**10, 10**12):
        table = [[scale, 5, 0], [7, scale, 0], [0, 0, 0]]
        found = quiet(f1ci.Matrix(table).interval, "macro_f1")
        assert tuple(found) == pytest.approx((2 / 3, 1.0), abs=1e-4)


def test_no_right_item_and_one_item_of_a_class_have_limits_without_a_jump():
    """On the way the probability of right items can vanish, and macro star with its slopes."""
    for negatives in (24, 28, 36):
        table = [[[0, 1], [negatives, 0]]]
        highs = [limits_of(table, macro_star(), z)[1].item() for z in np.linspace(0.9, 3.6, 28)]
        assert np.diff(highs).min() > 0.0
        assert np.diff(highs).max() < 0.06


# Coverage, by exact sums


def test_a_missed_rare_class_is_covered():
    """5 of 200 items are expected of a class that is never predicted, weighted F1."""
    n, k = 200, np.arange(30)
    tables = np.zeros((30, 2, 2))
    tables[:, 0, 0], tables[:, 1, 0] = n - k, k
    truth = 0.975 * 2 * 0.975 / 1.975
    low, high = limits_of(tables, weighted(f1))
    covered = stats.binom.pmf(k, n, 0.025) @ ((low <= truth) & (truth <= high))
    assert covered > 0.95  # the ellipsoid of class limits has .87 here


def test_a_class_that_is_hardly_ever_predicted_is_covered():
    """The tables in which each class has an item: .84 predictions are expected."""
    metric = macro(fbeta(0.5))
    p = np.array([26.46, 0.54, 2.7, 0.3]) / 30
    tables, chance = binary_tables(p, 30)
    kept = ((tables.sum(axis=1) + tables.sum(axis=2)) > 0).all(axis=1)
    low, high = limits_of(tables[kept], metric)
    truth = metric.value(p.reshape(2, 2))
    covered = chance[kept] @ ((low <= truth) & (truth <= high)) / chance[kept].sum()
    assert covered > 0.93  # with the factor of the true classes alone it is less


@pytest.mark.parametrize(
    ("name", "n", "p", "least"),
    [
        # The worst population that a search found with 3 expected items in every row and column.
        ("mcc", 40, np.array([33.05, 3.04, 3.67, 0.24]) / 40, 0.93),
        # Four per cent of errors; with the correction for few errors coverage is .86 to .94.
        ("lift", 60, [0.68, 0.02, 0.02, 0.28], 0.94),
        # Wilson's interval for a share of ten items and more is within two points of its level.
        ("specificity", 30, [0.45, 0.2, 0.08, 0.27], 0.93),
        ("npv", 30, [0.45, 0.2, 0.08, 0.27], 0.93),
        ("kappa", 30, [0.45, 0.2, 0.08, 0.27], 0.93),
    ],
)
def test_named_metrics_are_covered(name, n, p, least):
    """Exact sums over all tables with items in every row and column."""
    metric = f1ci.metrics.get(name)
    tables, chance = binary_tables(p, n, least=1e-9)
    kept = occupied(tables)
    low, high = quiet(ask, f1ci.Matrix, "interval", (tables[kept],), metric)
    truth = metric.value(np.reshape(p, (2, 2)))
    covered = chance[kept] @ ((low <= truth) & (truth <= high)) / chance[kept].sum()
    assert least < covered < 0.98


# Class sizes that are fixed


def test_fixed_rows_are_known_shares_of_the_true_classes():
    table = TABLES[0].astype(int)
    shares = table.sum(axis=1) / table.sum()
    for metric in ("macro_f1", "kappa", "balanced_accuracy"):
        fixed = f1ci.Matrix(table, fixed="rows").interval(metric)
        known = f1ci.Matrix(table, class_shares=list(shares)).interval(metric)
        assert tuple(fixed) == pytest.approx(tuple(known), abs=SEARCH)


def test_fixed_sizes_change_nothing_for_recalls():
    metric = f1ci.metrics.get("macro_recall")
    table = [[22, 3], [2, 13]]
    shares = f1ci.Matrix(table, fixed="rows").interval(metric)
    free = f1ci.Matrix(table).interval(metric)
    # Recalls do not depend on the sizes of the classes, so nothing changes for them at all.
    assert tuple(shares) == pytest.approx(tuple(free), abs=SEARCH)


# The correction for one to three errors


def net_benefit(eza, ea, ez):
    """Right positives less a quarter of the false ones, for each item."""
    return eza - (ea - eza) / 4.0 + 0.0 * ez


def without_correction(table, metric):
    """The limits with the variance factor alone: the level of z without few errors."""
    matrix = CellCounts.of(np.asarray([table], dtype=float))
    _, e = metric.evaluate(matrix)
    shares = CellCounts(matrix.cells, matrix.counts / matrix.total)
    parts = CellCounts(matrix.cells, shares.counts * e * e)
    classes = [(shares.true, parts.true), (shares.predicted, parts.predicted)]
    factor = region.variance_factor(shares.counts, e, matrix.total, classes)
    return np.ravel(region_limits([table], metric, Z * np.sqrt(factor)))


@pytest.mark.parametrize("errors", [0, 1, 2, 3, 4])
def test_the_correction_is_only_beside_the_best_value_of_the_range(errors):
    """Lift and net benefit, where a perfect sample has another value for every prevalence."""
    table = [[80, 0], [errors, 20 - errors]]
    net = f1ci.metrics.BinaryMetric("net", net_benefit, range=(-0.25, 1.0))
    for metric in (f1ci.metrics.get("lift"), net):
        found = f1ci.Matrix(table).interval(metric)
        assert tuple(found) == pytest.approx(without_correction(table, metric), abs=SEARCH)
    metric = f1ci.metrics.get("balanced_accuracy")
    corrected = limits_of([table], metric)[1][0] - without_correction(table, metric)[1]
    assert (corrected > 1e-4) == (1 <= errors <= 3)


def test_rounding_does_not_decide_if_there_is_a_correction():
    """The correlation of a perfect test set computes as 1 - 1e-16 for one table in five."""
    sizes = np.arange(5.0, 45.0)
    tables = np.zeros((40, 3, 3))
    tables[:, range(3), range(3)] = np.stack([sizes, sizes[::-1], 7 + 3 * sizes], axis=1)
    tables[:, 0, 1] = 2
    mcc = f1ci.metrics.get("mcc")
    _, corrected = limits_of(tables, mcc)
    bare = np.array([without_correction(table, mcc)[1] for table in tables])
    # Two errors: the one-sided Poisson limit of scipy, by Wilson's.
    poisson = stats.chi2.ppf(0.05, 4) / 2
    wilson = np.roots([1, -(4 + Z * Z), 4]).min()
    assert (1 - corrected) / (1 - bare) == pytest.approx(poisson / wilson, rel=1e-4)
    assert closed_form.few_errors_factor(np.array(2.0), Z) == pytest.approx(poisson / wilson)
