"""Figures repeat byte for byte and look the same whatever the user's matplotlib settings."""

import re

import matplotlib as mpl
import pytest
from compendium import ROOT, figures


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    with mpl.rc_context({"backend": "agg"}):
        yield tmp_path


def draw(name):
    figure, axes = figures.subplots(height=2.0)
    axes.plot([0, 1], [0, 1], **figures.METHODS["wald"])
    axes.plot([0, 1], [1, 0], ".", rasterized=True)
    axes.fill_between([0, 1], [0, 1], alpha=0.3)  # its clip path has an id made by chance
    axes.legend()
    return figures.save(figure, name)


def test_the_same_figure_has_the_same_bytes(results):
    shown = draw("a-1")
    mpl.rcParams["lines.linewidth"] = 9  # a user's own setting
    draw("a-2")
    first, second = (results / "figures" / f"a-{k}.svg" for k in (1, 2))
    assert first.read_bytes() == second.read_bytes()
    assert shown.data is not None


def test_a_figure_has_one_name():
    """The name of its place on the page, which its citation gives, is that of its file."""
    named = r'"name": "fig-([\w-]+)"'
    saved = r'figures\.save\([^,]+,\s*"([\w-]+)"'
    for path in sorted((ROOT / "notebooks").glob("*.py")):
        for cell in path.read_text("utf-8").split("\n# %%"):
            name, file = re.search(named, cell), re.search(saved, cell)
            assert not (name and file) or name[1] == file[1], path.name
