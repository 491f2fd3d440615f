"""A wrong formula is noticed: by a verdict of the ledger, or by a check in a notebook.

Each test changes what one function of f1ci returns, as a small mistake in its formula would. Then
it runs the code of one notebook in this process. The change is noticed if the notebook stops at a
check of its own, or if a published number no longer agrees.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import compendium.figures
import compendium.ledger
import matplotlib.pyplot as plt
import pytest
from compendium import NOTEBOOKS, PUBLISHED, sources
from compendium.published import Published
from compendium.verdicts import Ledger

import f1ci

pytestmark = pytest.mark.slow

REFERENCE = {e.id: e for e in Ledger(Published(), PUBLISHED.parent / "reference").entries}
Function = Callable[..., Any]


def longer(by: float, method: str = "") -> Callable[[Function], Function]:
    """Change intervals: both limits move away from the estimate by a factor."""

    def change(function: Function) -> Function:
        def changed(*args: Any, **kwargs: Any) -> Any:
            found = function(*args, **kwargs)
            if method not in ("", kwargs.get("method")):
                return found
            ends = {
                end: found.estimate + by * (getattr(found, end) - found.estimate)
                for end in ("low", "high")
            }
            return replace(found, **ends)

        return changed

    return change


def times(factor: float, *fields: str) -> Callable[[Function], Function]:
    """Change a result: some fields are multiplied by a factor."""

    def change(function: Function) -> Function:
        def changed(*args: Any, **kwargs: Any) -> Any:
            found = function(*args, **kwargs)
            values = {field: factor * getattr(found, field) for field in fields}
            return (
                found._replace(**values) if hasattr(found, "_replace") else replace(found, **values)
            )

        return changed

    return change


def with_prior(added: float) -> Callable[[Function], Function]:
    """Change a posterior: its exponents are too high."""

    def change(function: Function) -> Function:
        def changed(*args: Any, prior: float = 1.0, **kwargs: Any) -> Any:
            return function(*args, prior=prior + added, **kwargs)

        return changed

    return change


BERT, SLEEP = "lam-bert-suggestion-mining", "takahashi-sleep-stages"
COVERAGE, BAYES, JUICE = "lam-coverage", "wangli-bayes-test", "jiang-orange-juice"
QUICK = {
    COVERAGE: {"replicates": 2_000},
    BAYES: {"draws": 2_000},
    JUICE: {"splits_made_anew": 2, "random_rules": 500},
}
CHANGES = {
    "the length of Wald's interval": (BERT, "f1_interval", longer(1.02, "wald")),
    "the length of Clopper-Pearson's": (BERT, "f1_interval", longer(1.02, "clopper_pearson")),
    "the length of Wilson direct": (BERT, "f1_interval", longer(1.02, "wilson_direct")),
    "the length of Wilson indirect": (BERT, "f1_interval", longer(1.02, "wilson_indirect")),
    "the delta method's standard error": (SLEEP, "metric_interval", times(1.01, "standard_error")),
    "the delta method's limits": (SLEEP, "metric_interval", longer(1.02, "delta")),
    "an exact coverage": (COVERAGE, "coverage.exact", times(1.005, "coverage")),
    "an exact expected length": (COVERAGE, "coverage.exact", times(1.01, "expected_length")),
    "the weight of six folds": (BAYES, "effective_counts", times(1.01, "tp", "fp", "fn")),
    "the exponents of a posterior": (BAYES, "posterior", with_prior(1.0)),
    "the probability of a hypothesis": (BAYES, "bayes_test", times(1.02, "p_h0")),
    "the standard error of F0.5": (JUICE, "metric_interval", times(1.01, "standard_error")),
    "a planned sample size": (JUICE, "sample_size", times(1.01, "positives", "total")),
}


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run a notebook's code; return the published numbers that no longer agree."""
    monkeypatch.setattr(compendium.ledger, "RESULTS", folder)
    monkeypatch.setattr(compendium.figures, "RESULTS", folder)
    code = "\n".join(
        c.source for c in sources.read(NOTEBOOKS / f"{name}.py").cells if c.cell_type == "code"
    )
    for parameter, value in QUICK.get(name, {}).items():
        code = re.sub(rf"^{parameter}: .*", f"{parameter} = {value!r}", code, flags=re.M)
    try:
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    finally:
        plt.close("all")
    compendium.ledger.opened().save()
    entries = Ledger(Published(), folder).entries
    return [e.id for e in entries if e.notebook == name and REFERENCE[e.id].passes and not e.passes]


@pytest.mark.parametrize("name", sorted({name for name, *_ in CHANGES.values()}))
def test_nothing_is_noticed_where_nothing_is_changed(name, tmp_path, monkeypatch):
    assert run(name, tmp_path, monkeypatch) == []


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_formula_is_noticed(what, tmp_path, monkeypatch):
    name, path, change = CHANGES[what]
    *modules, function = path.split(".")
    owner = f1ci
    for module in modules:
        owner = getattr(owner, module)
    monkeypatch.setattr(owner, function, change(getattr(owner, function)))
    try:
        wrong = run(name, tmp_path, monkeypatch)
    except AssertionError:
        return  # the notebook's own check has stopped it
    assert wrong
