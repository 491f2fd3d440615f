"""Recording of numbers and tests of whole tables, for the notebooks of `yuan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from compendium.ledger import Page
from numpy.typing import NDArray

from notebooks.shared.joint_coverage import Moments
from notebooks.shared.joint_test import JointTest, joint_test

KINDS = ("corrected", "joint", "individual")
QUANTITIES = ("coverage", "length")


def mean(page: Page, identity: str, value: Moments, replicates: int | None = None) -> None:
    """Record an exact mean, or a mean over so many test sets of ours.

    The paper's own mean has the error of its test sets.
    """
    page.record(identity, value.mean, deviation=value.deviation, replicates=replicates)


def single_rules(page: Page, table: str, exact: Mapping[str, Mapping[str, Moments]]) -> None:
    """Record the exact coverages and lengths of each rule's intervals."""
    for rule, results in exact.items():
        for kind in KINDS:
            for quantity in QUANTITIES:
                key = f"{kind}/{quantity}"
                mean(page, f"{table}/{rule}/{key}", results[f"rule/{key}"])


def all_rules(
    page: Page,
    table: str,
    run: Mapping[str, Moments],
    exact: Mapping[str, Mapping[str, Moments]],
    replicates: int,
) -> Moments:
    """Record the simulated coverages and lengths over all rules; return the individual length.

    The individual length over all measures is exactly the mean of the rules' lengths.
    """
    lengths = [results["rule/individual/length"].mean for results in exact.values()]
    length = run["all/individual/length"]._replace(mean=float(np.mean(lengths)))
    mean(page, f"{table}/all/individual/length", length)
    for kind in KINDS:
        for quantity in QUANTITIES:
            key = f"all/{kind}/{quantity}"
            if key != "all/individual/length":
                mean(page, f"{table}/{key}", run[key], replicates)
    return length


def _compared(page: Page, identity: str) -> tuple[float, float, float, float]:
    """Return a printed number, ours, the standard error between them, and the last digit's unit."""
    record = page.records[identity]
    printed = page.number(identity)
    assert isinstance(record.value, float)
    rate = 1 / (page.row(identity).paper_replicates or 1) + 1 / (record.replicates or np.inf)
    error = (record.deviation or 0.0) * rate**0.5
    return float(printed.value), record.value, error, 2 * float(printed.half_unit)


def z_score(page: Page, identity: str) -> float:
    """Return how many standard errors, rounding included, a printed number is off ours."""
    printed, ours, error, unit = _compared(page, identity)
    return float((printed - ours) / np.hypot(error, unit / np.sqrt(12)))


def whole_table(page: Page, ids: Sequence[str], outcomes: Sequence[NDArray[Any]]) -> JointTest:
    """Return the joint test of recorded numbers, correlated as these outcomes of test sets."""
    printed, ours, errors, unit = zip(*(_compared(page, identity) for identity in ids), strict=True)
    together = np.corrcoef(np.stack(outcomes))[None]
    return joint_test(printed, ours, errors, unit=unit, correlation=together)
