"""Score limits of any smooth metric against definitions, other people's formulas, exact sums."""

import mpmath as mp
import numpy as np
import oracle
import pytest
from scipy import optimize, stats

import f1ci
from f1ci.methods.matrices import Average, Cells
from f1ci.methods.multinomial import limits, second_order, settled
from f1ci.metrics import f1, fbeta, macro, macro_star, precision, weighted

Z = float(stats.norm.ppf(0.975))
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
    "macro star": macro_star(),
}
AVERAGES = {name: Average(metric, Cells(3)) for name, metric in METRICS.items()}


def columns(tables):
    """Tables (B, r, r) as the kernel takes them."""
    return np.ascontiguousarray(tables.reshape(len(tables), -1).T)


def share(p):
    """The share of the first of two cells, and its slopes."""
    return p[0], np.stack([1.0 - p[0], -p[0]])


def tversky(a, b):
    """A Tversky score of the cells TP, FP, FN and TN."""

    def evaluate(p):
        whole = p[0] + a * p[1] + b * p[2]
        f = p[0] / whole
        return f, np.stack([1.0 - f, -a * f, -b * f, 0.0 * f]) / whole

    return evaluate


def value(table):
    """Macro F1 of one matrix, by its definition."""
    x, predicted, true = np.diagonal(table), table.sum(axis=0), table.sum(axis=1)
    return np.mean(2.0 * x / (predicted + true))


# Where other people have the limits


@pytest.mark.parametrize("right", [1, 7, 40, 99])
def test_of_two_cells_the_limits_are_wilsons(right):
    counts = np.array([[right], [100.0 - right]])
    expected = stats.binomtest(right, 100).proportion_ci(method="wilson")
    # Rounding, and Newton's steps, which converge quadratically.
    assert np.ravel(limits(counts, share, Z)) == pytest.approx(list(expected), abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.8), (1.0, 1.0), (0.5, 0.5), (0.3, 0.9)])
def test_tversky_limits_are_where_pearsons_statistic_is_z_squared(a, b):
    counts = np.array([[60.0], [11.0], [17.0], [300.0]])
    n = counts.sum()
    for side in (-1.0, 1.0):
        q = settled(counts / n, tversky(a, b), np.array([side]), np.array([Z * Z / n]))
        found = oracle.pearson_statistic(60, 11, 17, a, b, mp.mpf(tversky(a, b)(q)[0][0]))
        # The settling rounds leave an error of this size.
        assert float(found) == pytest.approx(Z * Z, rel=1e-6)


@pytest.mark.parametrize("place", [0, 1])
def test_bare_limits_are_langs(place):
    """Lang (2008): the constrained maximum of the likelihood, here by SLSQP."""
    table = TABLES[place] + 1.0 * (place == 0)
    n = table.sum()
    for side in (-1.0, 1.0):
        q = settled(
            columns(table[None]) / n, AVERAGES["macro F1"], np.array([side]), np.array([Z * Z / n])
        )
        reached = value(q.reshape(3, 3))
        found = optimize.minimize(
            lambda p: -(table.ravel() * np.log(p)).sum() / n,
            (table / n).ravel(),
            bounds=[(1e-9, 1.0)] * 9,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1.0},
                {"type": "eq", "fun": lambda p, to=reached: value(p.reshape(3, 3)) - to},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        p = n * found.x
        # SLSQP stops within about 1e-4 of the statistic.
        assert ((table.ravel() - p) ** 2 / p).sum() == pytest.approx(Z * Z, rel=2e-3)


# The terms of second order


@pytest.mark.parametrize("name", AVERAGES)
def test_slopes_and_closed_forms_are_the_derivatives(name):
    average = AVERAGES[name]
    q = np.random.default_rng(1).dirichlet(np.ones(9), 4).T.copy()
    slopes, step = average(q)[1], 1e-6
    slopes = slopes - (q * slopes).sum(axis=0)
    for cell in range(9):
        moved = [(1.0 - s) * q + s * np.eye(9)[:, [cell]] for s in (step, -step)]
        numeric = (average(moved[0])[0] - average(moved[1])[0]) / (2.0 * step)
        assert slopes[cell] == pytest.approx(numeric, abs=1e-7)
    bias, excess = average.second_order(q)
    numeric_bias, numeric_excess = second_order(q, average)
    # Difference quotients of one side, with steps of 1e-6.
    assert bias == pytest.approx(numeric_bias, abs=1e-3)
    assert excess == pytest.approx(numeric_excess, abs=1e-3)


def test_cells_that_are_left_out_change_nothing():
    table = TABLES[:1]
    kept = np.flatnonzero(table[0].ravel() + np.eye(3).ravel())
    some = Average(macro(f1), Cells(3, kept // 3, kept % 3))
    q = columns(table) / table.sum()
    for full, part in zip(
        AVERAGES["macro F1"].second_order(q), some.second_order(q[kept]), strict=True
    ):
        assert part == pytest.approx(full, rel=1e-12)


def test_the_statistic_has_the_mean_and_variance_of_second_order():
    """Exact sums over all tables of 3 cells, for the product of two probabilities."""
    p = np.array([0.3, 0.45, 0.25])

    def product(q):
        slopes = np.stack([q[1], q[0], 0.0 * q[0]])
        return q[0] * q[1], slopes - 2.0 * q[0] * q[1]

    def moments(n):
        """The mean and the variance of the statistic, scaled to have limits."""
        x, y = (axis.ravel().astype(float) for axis in np.meshgrid(*2 * [np.arange(n + 1)]))
        counts = np.stack([x, y, n - x - y])[:, x + y <= n]
        chance = stats.multinomial(n, p).pmf(counts.T)
        counts, chance = counts[:, chance > 1e-14], chance[chance > 1e-14]
        # The most likely q with q_1 q_2 = p_1 p_2 is (s e^u, s e^-u, rest); u by bisection.
        s = np.sqrt(p[0] * p[1])
        high = np.full(counts.shape[1], np.arccosh(0.5 / s))
        low = -high
        for _ in range(60):
            u = 0.5 * (low + high)
            slope = counts[0] - counts[1]
            slope = slope - 2.0 * counts[2] * s * np.sinh(u) / (1.0 - 2.0 * s * np.cosh(u))
            low, high = np.where(slope > 0.0, u, low), np.where(slope > 0.0, high, u)
        q = np.stack([s * np.exp(u), s * np.exp(-u), 1.0 - 2.0 * s * np.cosh(u)])
        e = product(q)[1]
        statistic = (counts * e).sum(axis=0) / np.sqrt(n * (q * e * e).sum(axis=0))
        mean = (chance * statistic).sum()
        return np.sqrt(n) * mean, n * ((chance * (statistic - mean) ** 2).sum() - 1.0)

    bias, excess = (float(term[0]) for term in second_order(p[:, None], product))
    e = product(p[:, None])[1][:, 0]
    error = np.sqrt((p * e * e).sum())
    skewness = (p * e**3).sum() / error**3
    # What is left after extrapolation is of order 1 / N^2.
    mean, variance = 2.0 * np.array(moments(240)) - moments(120)
    assert mean == pytest.approx(bias / error, rel=2e-3)
    # The last term goes when the bias is taken from the limits (the chapter's theorem).
    assert variance == pytest.approx(excess + skewness * bias / error, rel=0.02)


# Properties


@pytest.mark.parametrize(
    ("name", "most"),
    # The bias may take a weighted average back a little. Macro averages step back by rounding only.
    [("macro F1", 1e-12), ("macro F(2)", 1e-12), ("macro precision", 1e-12), ("weighted F1", 1e-3)],
)
def test_limits_widen_with_the_level(name, most):
    """At 14 levels, in 2,000 tables with many empty cells."""
    rng = np.random.default_rng(3)
    tables = rng.poisson(rng.choice([0.3, 1.0, 4.0], (2000, 3, 3)) + 2.0 * np.eye(3))
    average, counts = AVERAGES[name], columns(tables.astype(float))
    ends = [limits(counts, average, z, average.second_order) for z in np.linspace(0.88, 3.6, 14)]
    low, high = np.moveaxis(ends, 1, 0)
    assert np.diff(low, axis=0).max() < most
    assert np.diff(high, axis=0).min() > -most


def test_a_missed_rare_class_is_covered():
    """Exact sum: 5 of 200 items are expected of a class that is never predicted, weighted F1."""
    n, k = 200, np.arange(30)
    tables = np.zeros((30, 2, 2))
    tables[:, 0, 0], tables[:, 1, 0] = n - k, k
    average = Average(weighted(f1), Cells(2))
    truth = average(np.array([[0.975], [0.0], [0.025], [0.0]]))[0]
    low, high = limits(columns(tables), average, Z, average.second_order)
    covered = stats.binom.pmf(k, n, 0.025) @ ((low <= truth) & (truth <= high))
    assert covered > 0.95  # the ellipsoid of class limits has .87 here


def test_matthews_correlation_is_covered():
    """Exact sum over all tables of 40 items, at the worst population that a search found.

    It looked at populations that expect 3 items in every row and column.
    """
    p, n = np.array([33.05, 3.04, 3.67, 0.24]) / 40, 40
    places = np.indices((n + 1,) * 3).reshape(3, -1)
    places = places[:, places.sum(axis=0) <= n]
    tables = np.vstack([places, n - places.sum(axis=0)]).T
    chance = stats.multinomial(n, p).pmf(tables)
    tables, chance = tables[chance > 1e-9].reshape(-1, 2, 2), chance[chance > 1e-9]
    defined = (tables.sum(axis=1) > 0).all(axis=1) & (tables.sum(axis=2) > 0).all(axis=1)
    low, high = f1ci.metric_interval(tables[defined], "mcc")
    truth, chance = f1ci.metrics.mcc.value(p.reshape(2, 2)), chance[defined]
    assert chance @ ((low <= truth) & (truth <= high)) / chance.sum() > 0.93


# Class sizes that are fixed


def test_two_fixed_rows_are_the_score_interval_of_two_proportions():
    """Macro recall of two classes: half the sum of two independent proportions.

    Mee's statistic (1984), with a factor that is close to N / (N - 1), that of Miettinen and
    Nurminen (1985); the same for equal rows and variances, to the order of 1 / N.
    """
    right, n = np.array([12.0, 25.0]), np.array([20.0, 30.0])
    matrix = [[12, 8], [5, 25]]

    def statistic(mean):
        """Pearson's, at the likeliest pair of recalls with this mean."""

        def minus_likelihood(p):
            q = np.array([p, 2.0 * mean - p])
            return -(right * np.log(q) + (n - right) * np.log(1.0 - q)).sum()

        inside = max(1e-9, 2.0 * mean - 1.0 + 1e-9), min(1.0 - 1e-9, 2.0 * mean - 1e-9)
        p = optimize.minimize_scalar(
            minus_likelihood, bounds=inside, method="bounded", options={"xatol": 1e-12}
        ).x
        q = np.array([p, 2.0 * mean - p])
        share = q * (1.0 - q) / n
        share /= share.sum()
        factor = 1.0 + (share * (1.0 - share) / n).sum()
        return ((right - n * q) ** 2 / (n * q * (1.0 - q))).sum() / factor

    metric = f1ci.metrics.macro("recall")
    for end in f1ci.metric_interval(matrix, metric, fixed="rows"):
        # The bounded minimum is good to half the digits, the factor is taken after five rounds.
        assert statistic(end) == pytest.approx(Z * Z, rel=1e-4)


def test_fixed_rows_have_the_mean_and_variance_of_second_order():
    """Exact sums over all tables of two rows, the second twice as long, for macro F1."""
    average = Average(macro(f1), Cells(2), fixed=True)

    def cells(a, b):
        return np.stack([a, 1.0 - a, 2.0 * (1.0 - b), 2.0 * b]) / 3.0

    def bisected(low, high, too_low):
        for _ in range(45):
            middle = 0.5 * (low + high)
            more = too_low(middle)
            low, high = np.where(more, middle, low), np.where(more, high, middle)
        return 0.5 * (low + high)

    true = cells(np.array([0.6]), np.array([0.75]))

    def moments(n):
        """The mean and the variance of the statistic, scaled to have limits."""
        x, y = (axis.ravel().astype(float) for axis in np.indices((n + 1, 2 * n + 1)))
        chance = stats.binom.pmf(x, n, 0.6) * stats.binom.pmf(y, 2 * n, 0.75)
        x, y, chance = (axis[chance > 1e-12] for axis in (x, y, chance))
        zero, one = np.full_like(x, 1e-9), np.full_like(x, 1.0 - 1e-9)

        def too_low(a, b):
            return average(cells(a, b))[0] < average(true)[0]

        def second(a):
            """The recall of the second class that gives macro F1 its true value."""
            return bisected(zero, one, lambda b: too_low(a, b))

        def rising(a):
            """Is the likelihood rising along the curve of pairs with this macro F1?"""
            b = second(a)
            e = average(cells(a, b))[1]
            by_a, by_b = x / a - (n - x) / (1.0 - a), y / b - (2 * n - y) / (1.0 - b)
            return by_a * 2.0 * (e[3] - e[2]) > by_b * (e[0] - e[1])

        least = bisected(zero, one, lambda a: too_low(a, one))
        a = bisected(least, bisected(zero, one, lambda a: too_low(a, zero)), rising)
        q = cells(a, second(a))
        e = average(q)[1]
        observed = np.stack([x, n - x, 2 * n - y, y]) * e
        statistic = observed.sum(axis=0) / np.sqrt(3 * n * (q * e * e).sum(axis=0))
        mean = (chance * statistic).sum()
        return np.sqrt(3 * n) * mean, 3 * n * ((chance * (statistic - mean) ** 2).sum() - 1.0)

    bias, excess = (float(term[0]) for term in average.second_order(true))
    e = average(true)[1]
    error = np.sqrt((true * e * e).sum())
    skewness = (true * e**3).sum() / error**3
    # What is left after extrapolation is of order 1 / N^2.
    mean, variance = 2.0 * np.array(moments(60)) - moments(30)
    assert mean == pytest.approx(bias / error, rel=0.01)
    assert variance == pytest.approx(excess + skewness * bias / error, rel=0.02)


@pytest.mark.parametrize("name", AVERAGES)
def test_terms_of_fixed_rows_are_those_of_second_differences(name):
    """Second differences of the value within the rows, in all pairs of directions."""
    q = np.random.default_rng(2).dirichlet(np.ones(9))[:, None]
    average = Average(METRICS[name], Cells(3), fixed=True)
    rows = np.kron(np.eye(3), np.ones((3, 3)))
    away = 1e-4 * (np.eye(9) - rows * (q[:, 0] / (rows @ q[:, 0])))

    def at(*signs_and_cells):
        return average(q + sum(s * away[c] for s, c in signs_and_cells)[:, None])[0][0]

    second = np.empty((9, 9))
    for i, j in np.ndindex(9, 9):
        same = at((1, i), (1, j)) + at((-1, i), (-1, j))
        second[i, j] = (same - at((1, i), (-1, j)) - at((-1, i), (1, j))) / 4e-8
    p, e = q[:, 0], average(q)[1][:, 0]
    spread = np.diag(p) - sum(
        np.outer(p * row, p * row) / (p * row).sum() for row in (rows[0], rows[3], rows[6])
    )
    u = p * e / np.sqrt(p @ e**2)
    left = spread - np.outer(u, u)
    bias, excess = (float(term[0]) for term in average.second_order(q))
    assert bias == pytest.approx(0.5 * np.trace(second @ left), abs=1e-5)
    # The third cumulant of the influence, v and v, for one item.
    off = (np.eye(9) - rows * (p / (rows @ p))) - np.outer(e, u) / np.sqrt(p @ e**2)
    third = sum(p[c] * e[c] * off[c] @ second @ off[c] for c in range(9))
    square = np.trace(second @ left @ second @ left)
    # The degrees of freedom of the rows.
    part = rows[::3] @ (p * e * e) / (p @ e**2)
    freedom = (part * (1.0 - part) / (rows[::3] @ p)).sum()
    assert excess == pytest.approx(freedom - (0.5 * square + third) / (p @ e**2), abs=1e-4)
