"""A wrong formula is noticed: by a verdict of the ledger, or by a check in a notebook.

Each test changes what one function of f1ci returns, as a small mistake in its formula would. Then
it runs the code of one notebook in this process. The change is noticed if the notebook stops at a
check of its own, or if a published number no longer agrees.
"""

from __future__ import annotations

import pickle
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import compendium.figures
import compendium.ledger
import matplotlib.pyplot as plt
import pytest
from compendium import NOTEBOOKS, PUBLISHED, sources
from compendium.published import Published
from compendium.verdicts import VERDICTS, Entry, Ledger

import f1ci

pytestmark = pytest.mark.slow

PUBLISHED_NUMBERS = Published()
REFERENCE = {e.id: e for e in Ledger(PUBLISHED_NUMBERS, PUBLISHED.parent / "reference").entries}
Function = Callable[..., Any]


def longer(method: str) -> Function:
    """Move both limits of a method away from the estimate, by 2 %."""

    def changed(function: Function, *args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if kwargs.get("method") != method:
            return found
        low, high = (x + 0.02 * (x - found.estimate) for x in (found.low, found.high))
        return replace(found, low=low, high=high)

    return changed


def times(factor: float, *fields: str) -> Function:
    """Multiply some fields of a result by a factor. A plan without a prevalence has no total."""

    def changed(function: Function, *args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        put = getattr(found, "_replace", partial(replace, found))
        known = {field: getattr(found, field) for field in fields}
        return put(**{k: factor * value for k, value in known.items() if value is not None})

    return changed


def with_higher_exponents(function: Function, *args: Any, prior: float = 1.0, **kwargs: Any) -> Any:
    """Take for a posterior the one with a prior of one more."""
    return function(*args, prior=prior + 1, **kwargs)


BERT, SLEEP = "lam-bert-suggestion-mining", "takahashi-sleep-stages"
COVERAGE, BAYES, JUICE = "lam-coverage", "wangli-bayes-test", "jiang-orange-juice"
QUICK = {
    COVERAGE: {"replicates": 2_000},
    BAYES: {"draws": 2_000},
    JUICE: {"splits_made_anew": 2, "random_rules": 500},
}
CHANGES = {
    "the length of Wald's interval": (BERT, "f1_interval", longer("wald")),
    "the length of Clopper-Pearson's": (BERT, "f1_interval", longer("clopper_pearson")),
    "the length of Wilson direct": (BERT, "f1_interval", longer("wilson_direct")),
    "the length of Wilson indirect": (BERT, "f1_interval", longer("wilson_indirect")),
    "the delta method's standard error": (SLEEP, "Matrix.interval", times(1.01, "standard_error")),
    "the delta method's limits": (SLEEP, "Matrix.interval", longer("delta")),
    "an exact coverage": (COVERAGE, "coverage.exact", times(1.005, "coverage")),
    "an exact expected length": (COVERAGE, "coverage.exact", times(1.01, "expected_length")),
    "the weight of six folds": (BAYES, "effective_counts", times(1.01, "tp", "fp", "fn")),
    "the exponents of a posterior": (BAYES, "posterior", with_higher_exponents),
    "the probability of a hypothesis": (BAYES, "bayes_test", times(1.02, "p_h0")),
    "the standard error of F0.5": (JUICE, "Matrix.interval", times(1.01, "standard_error")),
    "a planned sample size": (JUICE, "sample_size", times(1.01, "positives", "total")),
}


@pytest.fixture(scope="module", autouse=True)
def exact_coverages_once() -> Iterator[None]:
    """Compute each exact coverage once: the changes act on what it returns."""
    exact, known = f1ci.coverage.exact, {}

    def once(*args: Any, **kwargs: Any) -> Any:
        question = pickle.dumps((args, sorted(kwargs.items())))
        if question not in known:
            known[question] = exact(*args, **kwargs)
        return known[question]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f1ci.coverage, "exact", once)
        yield


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Function:
    """Run a notebook's code with some values; return the entries of the ledger."""
    monkeypatch.setattr(compendium.ledger, "RESULTS", tmp_path)
    monkeypatch.setattr(compendium.figures, "RESULTS", tmp_path)

    def entries(name: str, **values: Any) -> list[Entry]:
        cells = sources.read(NOTEBOOKS / f"{name}.py").cells
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        for parameter, value in (QUICK.get(name, {}) | values).items():
            code = re.sub(rf"^{parameter}: .*", f"{parameter} = {value!r}", code, flags=re.M)
        try:
            exec(compile(code, name, "exec"), {"__name__": "__main__"})
        finally:
            plt.close("all")
        compendium.ledger.opened().save()
        return [e for e in Ledger(PUBLISHED_NUMBERS, tmp_path).entries if e.notebook == name]

    return entries


def fits(entry: Entry) -> bool:
    """Tell whether our number fits the printed number."""
    return VERDICTS[entry.verdict].passes


def wrong(entries: list[Entry]) -> list[str]:
    """List the published numbers that agree in the reference run, and not here."""
    return [e.id for e in entries if fits(REFERENCE[e.id]) and not fits(e)]


@pytest.mark.parametrize("name", sorted({name for name, *_ in CHANGES.values()}))
def test_nothing_is_noticed_where_nothing_is_changed(name: str, run: Function) -> None:
    assert wrong(run(name)) == []


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_formula_is_noticed(
    what: str, run: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, path, change = CHANGES[what]
    place = f"f1ci.{path}"
    original = pkgutil.resolve_name(place)

    def changed(*args: Any, **kwargs: Any) -> Any:  # a function, so that it may be a method
        return change(original, *args, **kwargs)

    monkeypatch.setattr(place, changed)
    try:
        entries = run(name)
    except AssertionError:
        return  # the notebook's own check has stopped it
    assert wrong(entries)


def test_a_readers_own_matrix_fills_its_row(tmp_path: Path, run: Function) -> None:
    """The random forest of Table 4 classified 59,193 items."""
    wrong_items = 9_193
    cells = {("a", "a"): 25_000, ("a", "b"): wrong_items, ("b", "a"): 0, ("b", "b"): 25_000}
    lines = [f"rf,{true},{predicted},{n}" for (true, predicted), n in cells.items()]
    own = tmp_path / "own.txt"
    own.write_text("\n".join(["name,true,predicted,count", *lines, ""]))
    found = {e.id.removeprefix("takahashi/table-4/"): e for e in run(SLEEP, matrices=str(own))}
    # F1 of both classes, so their mean too.
    expected = 50_000 / (50_000 + wrong_items)
    assert found["rf/macro_f1/estimate"].value == pytest.approx(expected, abs=1e-12)
    # The others stay as they were.
    assert found["svm/macro_f1/estimate"].verdict == "unpublished-input"
