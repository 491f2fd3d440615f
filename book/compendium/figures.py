"""One style for every figure of the book, and figure files with the same bytes each time.

Every figure is drawn in two widths: that of the book's text, and that of a phone, on which its
letters keep their size. The colours are those of Okabe and Ito (2008), which people with any kind
of colour vision can tell apart. The methods also differ by line style and marker. Figures have a
white ground and can be used anywhere. For dark pages the book draws them in other colours
(:mod:`compendium.pages`)::

    figure, axes = figures.subplots()
    axes.plot(f1, coverage, **figures.METHODS["wald"])
    figures.save(figure, "lam-coverage-figure-2")  # the last line of a cell: also shows it
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cycler import cycler
from IPython.display import SVG
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from compendium import RESULTS

COLOURS = {
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "black": "#000000",
    "grey": "#767676",
}
# The four methods of the exact road look the same in every figure.
METHODS: dict[str, dict[str, Any]] = {
    name: {"color": COLOURS[colour], "linestyle": line, "marker": marker, "label": label}
    for name, colour, line, marker, label in (
        ("clopper_pearson", "purple", "-", "D", "Clopper-Pearson"),
        ("wald", "vermilion", "--", "s", "Wald"),
        ("wilson_direct", "green", "-.", "^", "Wilson direct"),
        ("wilson_indirect", "blue", "-", "o", "Wilson score"),
    )
}
for _file in (Path(__file__).parents[1] / "_static" / "fonts").glob("*.ttf"):
    font_manager.fontManager.addfont(_file)  # the book's own letters
WIDTH = 6.375  # inches: the 612 pixels of the book's text
PHONE = 4.8  # inches; a label of 10 points has 10 pixels on a phone of 390 pixels


def subplots(
    rows: int = 1, columns: int = 1, *, height: float = 3.6, **options: Any
) -> tuple[Figure, Any]:
    """Return `plt.subplots` in the book's style, the default from then on.

    `height` is that on a phone, in inches; the wide figure is a tenth lower.
    """
    lines = cycler(color=[colour for name, colour in COLOURS.items() if name != "grey"])
    plt.style.use(["default", Path(__file__).with_suffix(".mplstyle"), {"axes.prop_cycle": lines}])
    return plt.subplots(rows, columns, figsize=(PHONE, height), **options)


def save(figure: Figure, name: str) -> SVG:
    """Save a figure in both widths; return an object that shows the wide one.

    The files are ``<RESULTS>/figures/<name>.svg`` and ``<name>.phone.svg``.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure; it is closed.
    name : str
        Begins with the notebook's name.
    """
    folder = RESULTS / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    height = figure.get_figheight()
    for ending, size in ((".phone", (PHONE, height)), ("", (WIDTH, 0.9 * height))):
        figure.set_size_inches(size)
        # A name, by which a page finds the other width. No date, no version: the same data give the
        # same bytes. The resolution is that of parts with thousands of points, which are drawn with
        # `rasterized=True`.
        figure.savefig(
            folder / f"{name}{ending}.svg",
            dpi=2 * figure.dpi,
            metadata={"Date": None, "Creator": None, "Title": name},
        )
    plt.close(figure)
    return SVG(filename=str(folder / f"{name}.svg"))
