"""Score limits of any smooth metric against definitions, other people's formulas, exact sums."""

import mpmath as mp
import numpy as np
import oracle
import pytest
from examples import ask, binary_tables, quiet
from scipy import optimize, stats

import f1ci
from f1ci.data.matrix import Matrix
from f1ci.methods.multinomial import Settings, score_limits
from f1ci.metrics import f1, fbeta, macro, macro_star, precision, weighted
from f1ci.metrics.averages import mean_of
from f1ci.samples import Table

Z = float(stats.norm.ppf(0.975))
LANG = Settings(bias=False, largest_factor=1.0, few=0.0)
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
    "weighted F1 of two classes": mean_of("weighted", f1, (0, 2)),
    "macro star": macro_star(),
}


def limits_of(tables, metric, z=Z, **options):
    """Score limits of tables of real counts, which the doors do not take."""
    return Table(metric, Matrix.of(np.asarray(tables, dtype=float)), **options).score_limits(z)


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


def trace_by_differences(slopes, q, step=1e-5):
    """tr(H S) from the change of the slopes towards each cell."""
    trace = np.zeros(q.shape[1])
    for cell in range(len(q)):
        moved = (1.0 - step * q[cell]) * q
        moved[cell] += step * q[cell]
        change = slopes(moved)[1] - slopes(q)[1]
        trace += (change[cell] - (q * change).sum(axis=0)) / step
    return trace


def macro_f1(table):
    """Macro F1 of one matrix, by its definition."""
    x, predicted, true = np.diagonal(table), table.sum(axis=0), table.sum(axis=1)
    return np.mean(2.0 * x / (predicted + true))


# Where other people have the limits


@pytest.mark.parametrize("right", [1, 7, 40, 99])
def test_of_two_cells_the_limits_are_wilsons(right):
    counts = np.array([[right], [100.0 - right]])
    expected = stats.binomtest(right, 100).proportion_ci(method="wilson")
    found = score_limits(share, counts, np.zeros(2, dtype=np.intp), Z)
    # Rounding, and Newton's steps, which converge quadratically.
    assert np.ravel(found) == pytest.approx(list(expected), abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.8), (1.0, 1.0), (0.5, 0.5), (0.3, 0.9)])
def test_tversky_limits_are_where_pearsons_statistic_is_z_squared(a, b):
    counts = np.array([[60.0], [11.0], [17.0], [300.0]])
    # One class: the line is 1.
    for end in score_limits(tversky(a, b), counts, np.zeros(4, dtype=np.intp), Z):
        found = oracle.pearson_statistic(60, 11, 17, a, b, mp.mpf(end[0]))
        # The settling rounds leave an error of this size.
        assert float(found) == pytest.approx(Z * Z, rel=1e-6)


@pytest.mark.parametrize("place", [0, 1])
def test_bare_limits_are_langs(place):
    """Lang (2008): the constrained maximum of the likelihood, here by SLSQP."""
    table = TABLES[place] + 1.0 * (place == 0)
    n = table.sum()
    for reached in limits_of(table, macro(f1), settings=LANG):
        found = optimize.minimize(
            lambda p: -(table.ravel() * np.log(p)).sum() / n,
            (table / n).ravel(),
            bounds=[(1e-9, 1.0)] * 9,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1.0},
                {"type": "eq", "fun": lambda p, to=reached: macro_f1(p.reshape(3, 3)) - to},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        p = n * found.x
        # SLSQP stops within about 1e-4 of the statistic.
        assert ((table.ravel() - p) ** 2 / p).sum() == pytest.approx(Z * Z, rel=2e-3)


# The line and the bias, by exact sums


def recall_statistic(tables, p):
    """Return the score statistic of macro recall of two classes at the true value.

    Given the recalls' sum the likeliest recalls solve one equation, here by bisection.
    """
    x, rows = tables[:, [0, 1], [0, 1]], tables.sum(axis=2)
    total = p[0] / (p[0] + p[1]) + p[3] / (p[2] + p[3])
    low = np.full(len(x), max(total - 1.0, 0.0) + 1e-12)
    high = np.full(len(x), min(total, 1.0) - 1e-12)
    for _ in range(60):
        a = 0.5 * (low + high)
        b = total - a
        slope = x[:, 0] / a - (rows[:, 0] - x[:, 0]) / (1 - a)
        slope = slope - x[:, 1] / b + (rows[:, 1] - x[:, 1]) / (1 - b)
        low, high = np.where(slope > 0, a, low), np.where(slope > 0, high, a)
    variance = (a * (1 - a) / rows[:, 0] + b * (1 - b) / rows[:, 1]) / 4.0
    return ((x / rows).sum(axis=1) - total) / 2.0 / np.sqrt(variance)


def test_the_line_is_the_second_order_variance_of_macro_recall():
    """Exact sums over all tables of 2 x 2 cells with 80 and 160 items."""
    p = np.array([0.36, 0.09, 0.165, 0.385])
    e = np.array([0.5 * 0.2 / 0.45, -0.5 * 0.8 / 0.45, -0.5 * 0.7 / 0.55, 0.5 * 0.3 / 0.55])
    zeta2 = np.array([(p * e * e)[:2].sum(), (p * e * e)[2:].sum()])
    zeta2 = zeta2 / zeta2.sum()
    line = (zeta2 * (1 - zeta2) / [0.45, 0.55]).sum()
    found = []
    for n in (80, 160):
        tables, chance = binary_tables(p, n)
        inside = (tables.sum(axis=2) > 0).all(axis=1)
        statistic = recall_statistic(tables[inside], p)
        chance = chance[inside] / chance[inside].sum()
        mean = chance @ statistic
        found.append((np.sqrt(n) * mean, n * (chance @ (statistic - mean) ** 2 - 1.0)))
    # Extrapolated to infinitely many items, what is left is of the order 1 / N^2. B is 0.
    mean, variance = 2.0 * np.array(found[1]) - np.array(found[0])
    assert mean == pytest.approx(0.0, abs=0.02)
    assert variance == pytest.approx(line, rel=0.06)


@pytest.mark.parametrize("name", METRICS)
def test_traces_in_closed_form_are_those_of_differences(name):
    """tr(H S) of averages against second differences of their slopes, cell by cell."""
    metric = METRICS[name]
    q = np.random.default_rng(1).dirichlet(np.ones(9), 4).T.copy()
    cells = Matrix.of(np.ones((3, 3))).cells
    by_differences = trace_by_differences(lambda p: metric.slopes(Matrix(cells, p)), q)
    # Difference quotients of one side, with steps of 1e-5.
    assert metric.trace(Matrix(cells, q)) == pytest.approx(by_differences, abs=2e-3)


def test_bias_of_macro_f1_is_that_of_exact_sums():
    """The mean of the estimate over all tables of 60 items, less the truth, is tr(H S) / 2N."""
    p, n = np.array([0.3, 0.2, 0.15, 0.35]), 60
    tables, chance = binary_tables(p, n)
    x, y, w, u = tables.reshape(-1, 4).T
    with np.errstate(invalid="ignore"):
        estimate = x / (2 * x + y + w) + u / (2 * u + y + w)
    truth = macro_f1(p.reshape(2, 2))
    defined = np.isfinite(estimate)
    mean = chance[defined] @ estimate[defined] / chance[defined].sum()
    trace = macro(f1).trace(Matrix(Matrix.of(np.ones((2, 2))).cells, p[:, None]))
    # The next term is smaller by a factor of the order 1 / N.
    assert 2 * n * (mean - truth) == pytest.approx(trace[0], rel=0.05)


# Properties


@pytest.mark.parametrize("name", METRICS)
def test_limits_widen_with_the_level(name):
    """At 8 levels, in 800 tables with many empty cells."""
    rng = np.random.default_rng(3)
    tables = rng.poisson(rng.choice([0.3, 1.0, 4.0], (800, 3, 3)) + 2.0 * np.eye(3))
    tables = tables[((tables.sum(axis=1) > 0) & (tables.sum(axis=2) > 0)).all(axis=1)]
    ends = [limits_of(tables, METRICS[name], z) for z in np.linspace(0.88, 3.6, 8)]
    low, high = np.moveaxis(ends, 1, 0)
    back = np.maximum(np.diff(low, axis=0), -np.diff(high, axis=0)).max(axis=0)
    # In such tables weighted precision has a limit that steps back in one of 200.
    allowed = 0.01 if name == "weighted precision" else 0.0
    assert np.mean(back > 1e-9) <= allowed


@pytest.mark.parametrize("name", METRICS)
def test_the_search_settles(name):
    """Ten times as many rounds change hardly a limit, in 150 tables with many empty cells."""
    tables = np.random.default_rng(8).poisson(0.6 + 4.0 * np.eye(4), (150, 4, 4))
    tables = tables[((tables.sum(axis=1) > 0) & (tables.sum(axis=2) > 0)).all(axis=1)]
    short = limits_of(tables, METRICS[name])
    long = limits_of(tables, METRICS[name], settings=Settings(rounds=1000))
    # A table that has settled keeps its limits. Whole steps alone settle in a third of them.
    assert np.mean(np.abs(np.subtract(short, long)) > 1e-4) <= 0.01


def sets_of_tables():
    """Perfect tables, sparse ones, and ones in which every item is wrong."""
    rng = np.random.default_rng(2)
    yield np.array([np.diag(sizes) for sizes in rng.integers(1, 20, (40, 5))])
    yield rng.poisson(0.6 + 4.0 * np.eye(4), (60, 4, 4))
    yield rng.poisson(2.0, (40, 3, 3)) * (1 - np.eye(3))


@pytest.mark.parametrize("name", [*METRICS, "kappa", "mcc"])
def test_order_of_classes_and_batches_do_not_matter(name):
    """Where cells tie, rounding must not choose one of them."""
    metric = METRICS[name] if name in METRICS else f1ci.metrics.get(name)
    for tables in sets_of_tables():
        kept = ((tables.sum(axis=1) > 0) & (tables.sum(axis=2) > 0)).all(axis=1)
        tables = tables[kept & np.isfinite(metric.value(tables))]
        expected = np.array(limits_of(tables, metric))
        order = np.arange(tables.shape[1])[::-1]
        if "two classes" in name:
            order = [2, 1, 0, *range(3, len(order))]
        permuted = limits_of(tables[:, order][:, :, order], metric)
        alone = np.hstack([limits_of(table[None], metric) for table in tables])
        # Rounding, in rounds that amplify it.
        assert np.array(permuted) == pytest.approx(expected, abs=1e-9)
        assert alone == pytest.approx(expected, abs=1e-9)


def test_many_items_have_the_limits_of_the_delta_method():
    """27,000 items and more, where a search for the p-value asks for very small z."""
    a = np.array([[9, 1, 0], [1, 7, 2], [0, 1, 6]])
    b = np.array([[10, 0, 0], [0, 9, 1], [0, 0, 7]])
    for scale in (1_000, 1_000_000):
        found = f1ci.Matrix({"A": a * scale, "B": b * scale}).difference("macro_f1").interval
        delta = (
            f1ci.Matrix({"A": a * scale, "B": b * scale})
            .difference("macro_f1", method="delta")
            .interval
        )
        # The two differ by a share of 1 / sqrt(N) of the length.
        length = delta.high - delta.low
        assert tuple(found) == pytest.approx(tuple(delta), abs=0.02 * length)


def test_a_fixed_class_without_items_changes_nothing():
    metric = macro(precision)
    with_empty = quiet(
        ask, f1ci.Matrix, "interval", ([[0, 0, 0], [0, 22, 0], [0, 0, 13]],), metric, fixed="rows"
    )
    without = f1ci.Matrix([[22, 0], [0, 13]], fixed="rows").interval(metric)
    # The search stops at moves of 1e-7.
    assert tuple(with_empty) == pytest.approx(tuple(without), abs=1e-5)


def test_transposed_tables_have_mirrored_limits():
    """Recall of a table is precision of the transposed one: the larger of two lines counts."""
    recall, precise = (macro(name) for name in ("recall", "precision"))
    tables = TABLES[:3]
    expected = limits_of(tables, recall)
    found = limits_of(tables.transpose(0, 2, 1), precise)
    # Sums in another order.
    assert np.ravel(found) == pytest.approx(np.ravel(expected), abs=1e-9)


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
    s = np.concatenate([[0.0, 1e-9, 1e-6, 1e-3], np.arange(1, 81) / 40])
    tables = np.tile(np.array(table, dtype=float), (len(s), 1, 1))
    tables[(slice(None), *cell)] += s
    low, high = limits_of(tables, f1ci.metrics.get(name))
    assert np.abs(np.diff(low)).max() < 0.01
    # The room for few errors ends at four of them, none of which is reached here.
    assert np.abs(np.diff(high)[4:]).max() < 0.02


def test_where_no_cell_leads_further_out_nothing_bounds_the_value():
    """MCC is .5 at any shares of the two cells with items, and less with any other item.

    So its slopes are rounding there. At every level any value up to 1 may be true.
    """
    table = [[[1, 0, 0], [0, 0, 6], [0, 0, 0]]]
    mcc = f1ci.metrics.get("mcc")
    for z in np.linspace(0.9, 3.6, 28):
        assert limits_of(table, mcc, z)[1] == 1.0


@pytest.mark.parametrize("negatives", [24, 28, 36])
def test_no_right_item_and_one_item_of_a_class_have_limits_without_a_jump(negatives):
    """On the way the probability of right items can vanish, and macro star with its slopes."""
    table = [[[0, 1], [negatives, 0]]]
    highs = [limits_of(table, macro_star(), z)[1].item() for z in np.linspace(0.9, 3.6, 28)]
    assert np.diff(highs).min() > 0.0
    assert np.diff(highs).max() < 0.05
    assert highs[-1] < 0.5


def test_a_missed_rare_class_is_covered():
    """Exact sum: 5 of 200 items are expected of a class that is never predicted, weighted F1."""
    n, k = 200, np.arange(30)
    tables = np.zeros((30, 2, 2))
    tables[:, 0, 0], tables[:, 1, 0] = n - k, k
    truth = 0.975 * 2 * 0.975 / 1.975
    low, high = limits_of(tables, weighted(f1))
    covered = stats.binom.pmf(k, n, 0.025) @ ((low <= truth) & (truth <= high))
    assert covered > 0.95  # the ellipsoid of class limits has .87 here


def test_a_class_that_is_hardly_ever_predicted_is_covered():
    """Exact sum over the tables in which each class has an item: .84 predictions are expected."""
    metric = macro(fbeta(0.5))
    p = np.array([26.46, 0.54, 2.7, 0.3]) / 30
    tables, chance = binary_tables(p, 30)
    kept = ((tables.sum(axis=1) + tables.sum(axis=2)) > 0).all(axis=1)
    low, high = limits_of(tables[kept], metric)
    truth = metric.value(p.reshape(2, 2))
    covered = chance[kept] @ ((low <= truth) & (truth <= high)) / chance[kept].sum()
    assert covered > 0.93  # with the line of the true classes alone it is .91


def occupied(tables):
    """The tables with items in every row and column."""
    return (tables.sum(axis=1) > 0).all(axis=1) & (tables.sum(axis=2) > 0).all(axis=1)


@pytest.mark.parametrize(
    ("name", "n", "p", "least"),
    [
        # The worst population that a search found with 3 expected items in every row and column.
        ("mcc", 40, np.array([33.05, 3.04, 3.67, 0.24]) / 40, 0.93),
        # Four per cent of errors; with room for few errors coverage is .86 to .94.
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


def test_two_fixed_rows_are_the_score_interval_of_two_proportions():
    """Macro recall of two classes: half the sum of two independent proportions.

    Mee's statistic (1984), with a factor that is close to N / (N - 1), that of Miettinen and
    Nurminen (1985). The two are the same for equal rows and variances, to the order of 1 / N.
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
    for end in f1ci.Matrix(matrix, fixed="rows").interval(metric):
        # The bounded minimum is good to half the digits.
        assert statistic(end) == pytest.approx(Z * Z, rel=1e-4)


# Where little is known


def net_benefit(eza, ea, ez):
    """Right positives less a quarter of the false ones, for each item."""
    return eza - (ea - eza) / 4.0 + 0.0 * ez


@pytest.mark.parametrize("errors", [0, 1, 2, 3, 4])
def test_there_is_room_only_beside_the_best_value_of_the_range(errors):
    """Lift and net benefit, where a perfect sample has another value for every prevalence."""
    table = [[80, 0], [errors, 20 - errors]]
    net = f1ci.metrics.BinaryMetric("net", net_benefit, range=(-0.25, 1.0))
    for metric in (f1ci.metrics.get("lift"), net):
        without_room = limits_of(table, metric, settings=Settings(few=0.0))
        assert tuple(f1ci.Matrix(table).interval(metric)) == pytest.approx(
            np.ravel(without_room), abs=1e-12
        )
    with_room = limits_of(table, f1ci.metrics.get("balanced_accuracy"))
    without_room = limits_of(
        table, f1ci.metrics.get("balanced_accuracy"), settings=Settings(few=0.0)
    )
    assert (with_room[1] > without_room[1]) == (1 <= errors <= 3)


def test_rounding_does_not_decide_if_there_is_room():
    """The correlation of a perfect test set computes as 1 - 1e-16 for one table in five."""
    sizes = np.arange(5.0, 45.0)
    tables = np.zeros((40, 3, 3))
    tables[:, range(3), range(3)] = np.stack([sizes, sizes[::-1], 7 + 3 * sizes], axis=1)
    tables[:, 0, 1] = 2
    _, with_room = limits_of(tables, f1ci.metrics.get("mcc"))
    _, without_room = limits_of(tables, f1ci.metrics.get("mcc"), settings=Settings(few=0.0))
    # Two errors: the one-sided Poisson limit of scipy, by Wilson's.
    poisson = stats.chi2.ppf(0.05, 4) / 2
    wilson = np.roots([1, -(4 + Z * Z), 4]).min()
    assert (1 - with_room) / (1 - without_room) == pytest.approx(poisson / wilson, rel=1e-9)


def test_settings_leave_out_the_parts():
    table = TABLES[2:3]
    full = limits_of(table, macro(f1))
    for settings in (Settings(bias=False), Settings(largest_factor=1.0), Settings(few=0.0)):
        assert (
            np.abs(np.subtract(limits_of(table, macro(f1), settings=settings), full)).max() > 1e-4
        )
