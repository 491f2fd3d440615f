"""Checks of a metric of one's own: `f1ci.metrics.check` says what they are.

Every check asks the metric as users do, so that it also serves metrics of `f1ci` itself.
"""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np

from f1ci import coverage
from f1ci.data import checks
from f1ci.kinds import Matrix
from f1ci.metrics import Metric
from f1ci.types import Array

# Tables at which a metric is asked: two classes, and three.
_TABLES = {
    2: [[[30, 4], [6, 20]], [[3, 2], [4, 1]], [[5, 0], [0, 3]], [[9, 0], [4, 2]], [[0, 4], [3, 0]]],
    3: [
        [[20, 3, 1], [2, 15, 4], [1, 2, 9]],
        [[9, 0, 0], [3, 0, 2], [0, 1, 4]],
        [[0, 2, 1], [3, 0, 1], [1, 2, 0]],
        [[15, 0, 0], [0, 9, 0], [0, 0, 14]],
        [[12, 3, 0], [4, 9, 0], [0, 0, 0]],
    ],
}

# A step of differences, and how far they may be from slopes: third derivatives times step^2, and
# rounding over step.
_STEP, _NEAR = 1e-6, 1e-6

# The population of the coverage, with four expected items or more in each row and column.
_DESIGN, _ITEMS, _LEAST_COVERAGE = (0.4, 0.1, 0.15, 0.35), 24, 0.9


def check(metric: Metric) -> None:
    """Check a metric; raise an error that says what is wrong."""
    if not isinstance(metric, Metric):
        raise TypeError(f"metric must be a Metric, got {checks.short(metric)}")
    tables = [np.array(table, dtype=float) for table in _TABLES[2 if metric.binary else 3]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for table in tables:
            _check_value(metric, table)
            _check_limits(metric, table)
        for table in (tables[0], tables[0].T):
            _check_slopes(metric, table)
        _check_batch(metric, tables)
        _check_coverage(metric)


def _fail(metric: Metric, what: str, table: Array) -> None:
    """Refuse the metric, and quote the table."""
    raise ValueError(f"{metric.name!r} {what} for {table.astype(int).tolist()}")


def _check_value(metric: Metric, table: Array) -> None:
    """Check the value of one table: one number, in the range, of shares as of counts."""
    value = metric.value(table)
    if not isinstance(value, float):
        _fail(metric, f"is not one number: {checks.short(value)}", table)
    least, largest = metric.range
    if not (np.isnan(value) or least <= value <= largest):
        _fail(metric, f"is outside of its range {metric.range}: {value:.6g}", table)
    of_shares = metric.value(table / table.sum())
    if not np.isclose(of_shares, value, rtol=1e-9, atol=1e-12, equal_nan=True):
        _fail(metric, f"is {value:.6g} from counts and {of_shares:.6g} from shares", table)


def _check_slopes(metric: Metric, table: Array) -> None:
    """Check the slopes against central differences of the value, in every cell."""
    p = table / table.sum()
    slopes = metric.gradient(p)
    for cell in np.ndindex(p.shape):
        step = np.zeros(p.shape)
        step[cell] = _STEP
        difference = (metric.value(p + step) - metric.value(p - step)) / (2.0 * _STEP)
        if not np.isclose(slopes[cell], difference, rtol=_NEAR, atol=_NEAR):
            what = f"has the slope {slopes[cell]:.6g} in cell {cell}, where differences give"
            _fail(metric, f"{what} {difference:.6g}", table)


def _check_limits(metric: Metric, table: Array) -> None:
    """Check that limits are in the range, contain the estimate, and widen with the level."""
    narrow, wide = (Matrix(table).interval(metric, confidence_level=level) for level in (0.8, 0.95))
    least, largest = metric.range
    ends = (least, wide.low, narrow.low, narrow.estimate, narrow.high, wide.high, largest)
    known = [end for end in ends if not np.isnan(end)]
    # The search ends with about seven digits.
    slack = 1e-6 * max(1.0, abs(wide.high - wide.low))
    if any(left > right + slack for left, right in pairwise(known)):
        limits = f"{wide.low:.6g} to {wide.high:.6g} around {narrow.low:.6g} to {narrow.high:.6g}"
        _fail(
            metric, f"has limits of the levels 0.95 and 0.8 that are not in order, {limits}", table
        )


def _check_batch(metric: Metric, tables: list[Array]) -> None:
    """Check that several tables have the values that they have one by one."""
    values = np.asarray(metric.value(tables))
    for table, value in zip(tables, values.tolist(), strict=True):
        alone = metric.value(table)
        if not np.isclose(value, alone, rtol=1e-9, atol=1e-12, equal_nan=True):
            _fail(metric, f"is {value:.6g} among other tables and {alone:.6g} alone", table)


def _check_coverage(metric: Metric) -> None:
    """Check the coverage of the default interval where the metric is defined, by an exact sum."""
    blocks = coverage.tables(_ITEMS, np.reshape(_DESIGN, (2, 2)), least=1e-12)
    counts, chance = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    occupied = ((counts.sum(axis=1) > 0) & (counts.sum(axis=2) > 0)).all(axis=1)
    interval = Matrix(counts[occupied]).interval(metric)
    truth = metric.value(np.reshape(_DESIGN, (2, 2)))
    covered = (interval.low <= truth) & (truth <= interval.high)
    share = float((chance[occupied] * covered).sum() / chance[occupied].sum())
    if not share >= _LEAST_COVERAGE:
        name = f"{metric.name!r} is covered with probability {share:.3f} instead of 0.95"
        raise ValueError(f"{name} in test sets of {_ITEMS} items with the shares {_DESIGN}")
