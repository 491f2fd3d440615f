"""What a reader's own matrices change in the notebook of the sleep stages, without a kernel."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import compendium.figures
import compendium.ledger
import pytest
from compendium import NOTEBOOKS, sources

NAME = "takahashi-sleep-stages"
Records = dict[str, dict[str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Records]:
    """Run the notebook's code with other parameters, in this process."""
    monkeypatch.setattr(compendium.ledger, "RESULTS", tmp_path)
    monkeypatch.setattr(compendium.figures, "RESULTS", tmp_path)

    def execute(**values: object) -> Records:
        notebook = sources.read(NOTEBOOKS / f"{NAME}.py", values)
        code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
        exec(compile(code, NAME, "exec"), {"__name__": "__main__"})
        compendium.ledger.opened().save()
        with (tmp_path / f"{NAME}.csv").open(newline="") as lines:
            return {line["id"]: line for line in csv.DictReader(lines)}

    return execute


def made_up(name: str, right: int, wrong: int) -> list[str]:
    """Two classes with `right` items each on the diagonal, the first taken for the second."""
    cells = {("a", "a"): right, ("a", "b"): wrong, ("b", "a"): 0, ("b", "b"): right}
    return [f"{name},{true},{predicted},{n}" for (true, predicted), n in cells.items()]


def test_own_matrices_fill_table_4(tmp_path: Path, run: Callable[..., Records]) -> None:
    path = tmp_path / "own.csv"
    # 59,193 items, as many as the random forest classified.
    lines = ["name,true,predicted,count", *made_up("rf", 25_000, 9_193)]
    path.write_text("\n".join(lines) + "\n")
    records = run(matrices=str(path))
    one, other = 50_000 / (50_000 + 9_193), 50_000 / (50_000 + 9_193)  # F1 of both classes
    macro = records["takahashi/table-4/rf/macro_f1/estimate"]
    assert float(macro["value"]) == pytest.approx((one + other) / 2, abs=1e-12)
    assert not macro["missing"]
    micro = records["takahashi/table-4/rf/micro_f1/estimate"]
    assert float(micro["value"]) == pytest.approx(50_000 / 59_193, abs=1e-12)
    # The others stay as they were.
    svm = records["takahashi/table-4/svm/macro_f1/estimate"]
    assert svm["missing"] == "the confusion matrix of the support vector machine"
    assert not svm["value"]


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [("rf", 1, "59193 items"), ("mnn", 9_193, "one of .'svm', 'rf', 'mlp'., got 'mnn'")],
)
def test_a_matrix_of_something_else_is_refused(
    tmp_path: Path, run: Callable[..., Records], name: str, wrong: int, message: str
) -> None:
    path = tmp_path / "own.csv"
    lines = ["name,true,predicted,count", *made_up(name, 25_000, wrong)]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=message):
        run(matrices=str(path))
