"""Recording of numbers and tests of whole tables, for the notebooks of `yuan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from compendium.ledger import Page
from numpy.typing import ArrayLike

from notebooks.shared import joint_coverage
from notebooks.shared.joint_test import JointTest, joint_test

__all__ = ["as_band", "as_exact", "exact_coverages", "whole_table", "z_score"]

# The central 99 % of a normal distribution, in standard deviations.
BAND = 2 * 2.5758


def as_band(
    record: Callable[..., None], identity: str, values: ArrayLike, replicates: int | None = None
) -> None:
    """Record the mean over splits with the central 99 % of them, each from so many test sets."""
    found = np.asarray(values, dtype=np.float64)
    how: dict[str, Any] = {"band": joint_coverage.band(found), "splits": len(found)}
    if replicates is not None:
        how["replicates"] = replicates
    record(identity, found.mean(), **how)


def as_exact(
    record: Callable[..., None],
    identity: str,
    value: joint_coverage.Exact,
    *,
    error: float = 0.0,
    replicates: float = 1.0,
) -> None:
    """Record an exact value from the reconstructed population.

    Its deviation is that of one test set. The population itself may have an `error`, for example
    if printed true values come from a simulation. Then the deviation grows until the mean of
    `replicates` test sets has both errors.
    """
    deviation = float(np.hypot(value.deviation, error * np.sqrt(replicates)))
    record(identity, value.mean, deviation=deviation, reconstructed=True)


def _compared(page: Page, identity: str) -> tuple[float, float, float, float]:
    """Return a printed number, ours, the standard error between them, and the last digit's unit."""
    one, printed = page.records[identity], page.number(identity)
    assert isinstance(one.value, float)
    if one.low is not None and one.high is not None:
        error = (one.high - one.low) / BAND
    else:
        error = (one.deviation or 0.0) / np.sqrt(page.row(identity).paper_replicates or 1)
    return float(printed.value), one.value, float(error), 2 * float(printed.half_unit)


def z_score(page: Page, identity: str) -> float:
    """Return how many standard errors, rounding included, a printed number is off ours."""
    printed, ours, error, unit = _compared(page, identity)
    return float((printed - ours) / np.hypot(error, unit / np.sqrt(12)))


def exact_coverages(page: Page) -> list[str]:
    """Return the ids of the coverages that the notebook has recorded as exact so far."""
    return [i for i, one in page.records.items() if one.reconstructed and page.row(i).is_coverage]


def whole_table(page: Page, ids: Sequence[str], correlation: ArrayLike | None = None) -> JointTest:
    """Return the joint test of recorded numbers, whose errors have this correlation."""
    printed, ours, errors, unit = zip(*(_compared(page, identity) for identity in ids), strict=True)
    together = None if correlation is None else np.asarray(correlation)[None]
    return joint_test(printed, ours, errors, unit=unit, correlation=together)
