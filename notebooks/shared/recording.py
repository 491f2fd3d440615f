"""Recording of numbers and tests of whole tables, for the notebooks of `yuan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from compendium.ledger import Page
from numpy.typing import ArrayLike

from notebooks.shared.joint_coverage import Moments
from notebooks.shared.joint_test import JointTest, joint_test


def as_exact(record: Callable[..., None], identity: str, value: Moments) -> None:
    """Record an exact mean; the paper's own mean has the error of its test sets."""
    record(identity, value.mean, deviation=value.deviation)


def as_simulated(
    record: Callable[..., None], identity: str, value: Moments, replicates: int
) -> None:
    """Record a mean over so many test sets of ours."""
    record(identity, value.mean, deviation=value.deviation, replicates=replicates)


def _compared(page: Page, identity: str) -> tuple[float, float, float, float]:
    """Return a printed number, ours, the standard error between them, and the last digit's unit."""
    one, printed = page.records[identity], page.number(identity)
    assert isinstance(one.value, float)
    variance = (one.deviation or 0.0) ** 2
    rates = [1 / (page.row(identity).paper_replicates or 1), 1 / (one.replicates or np.inf)]
    error = np.sqrt(variance * sum(rates))
    return float(printed.value), one.value, float(error), 2 * float(printed.half_unit)


def z_score(page: Page, identity: str) -> float:
    """Return how many standard errors, rounding included, a printed number is off ours."""
    printed, ours, error, unit = _compared(page, identity)
    return float((printed - ours) / np.hypot(error, unit / np.sqrt(12)))


def whole_table(page: Page, ids: Sequence[str], correlation: ArrayLike | None = None) -> JointTest:
    """Return the joint test of recorded numbers, whose errors have this correlation."""
    printed, ours, errors, unit = zip(*(_compared(page, identity) for identity in ids), strict=True)
    together = None if correlation is None else np.asarray(correlation)[None]
    return joint_test(printed, ours, errors, unit=unit, correlation=together)
