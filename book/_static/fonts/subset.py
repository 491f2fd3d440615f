"""Make the font files of the book from IBM Plex Sans: the letters that pages and figures use.

The source is version 5.3.0 of the npm package @fontsource-variable/ibm-plex-sans, under the SIL
Open Font License (OFL.txt). Its digits all have one width, so columns of numbers align. The files
bear another name than the source's, because they are no longer the whole family::

    pip install fonttools brotli
    python subset.py node_modules/@fontsource-variable/ibm-plex-sans/files
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

LETTERS = "".join(map(chr, range(0x20, 0x7F))) + (
    "\xa0§©°±²³·¹½×ßÄÖÜàáäçèéíñóöøúüăęğłńřśšýžʼβ–—‘’“”•…←→−≤≥≠≈"
)
FEATURES = ["kern", "liga", "ccmp", "mark", "frac", "numr", "dnom"]
NAMES = {1: "f1ci Sans", 3: "f1ci Sans 1.0", 4: "f1ci Sans", 6: "f1ciSans", 16: "f1ci Sans"}
# Of pages, with their weights; of figures, which matplotlib draws.
FACES = {
    "sans-normal.woff2": ("normal", (400, 700)),
    "sans-italic.woff2": ("italic", 400),
    "sans-regular.ttf": ("normal", 400),
    "sans-bold.ttf": ("normal", 600),
}

if __name__ == "__main__":
    source = Path(sys.argv[1])
    for file, (face, weight) in FACES.items():
        font = TTFont(source / f"ibm-plex-sans-latin-wght-{face}.woff2")
        options = subset.Options(
            layout_features=FEATURES, hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14]
        )
        worker = subset.Subsetter(options)
        worker.populate(text=LETTERS)
        worker.subset(font)
        font = instancer.instantiateVariableFont(font, {"wght": weight})
        bold = "bold" in file  # of another name, or matplotlib mixes the letters of both
        for number, name in NAMES.items():
            if font["name"].getDebugName(number):
                font["name"].setName(name + "-Bold" * (bold and number != 1), number, 3, 1, 0x409)
        if bold:
            font["name"].setName("Bold", 2, 3, 1, 0x409)
            font["OS/2"].usWeightClass, font["head"].macStyle = 700, 1
        font.flavor = "woff2" if file.endswith("woff2") else None
        font.save(Path(__file__).with_name(file))
