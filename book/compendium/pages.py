"""What finished pages get: figures for each screen, tables that fit a phone, nothing in vain.

A figure of the book has two files (:mod:`compendium.figures`): one as wide as the text, and one as
wide as a phone. For dark pages each is written again with other colours. A page names all four,
with their sizes, so that nothing moves when one of them comes. A table of sentences becomes cards
on a phone: each cell knows the name of its column.
"""

from __future__ import annotations

import os
import re
from functools import partial
from html import escape, unescape
from pathlib import Path

from compendium import write
from compendium.figures import COLOURS

# Scripts that pages do not need: for live cells, which the book does not offer (a double
# declaration is an error in every browser); for icons, which the style sheet draws with a font;
# for mathematics on pages without formulas.
_IN_VAIN = re.compile(
    r"<script(?:[^>]*(?:thebe|fontawesome)[^>]*>|>[^<]*THEBE[^<]*)</script>"
    # One name for all that unfolds: the words of each handle are its name.
    r'| aria-label="Toggle hidden content"',
    re.IGNORECASE,
)
_MATHJAX = re.compile(r'<script[^>]* src="[^"]*mathjax[^>]*></script>')
# The theme loads the search on every page; outside its own page it fails if an address has "?q=".
_SEARCH = re.compile(
    r'<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>'
)

# What a page may load: files of the site (also where it is opened as files), and nothing else.
# And what it loads first: its letters, which come too late otherwise.
_HEAD = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'self\' file: data: blob: '
    "'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self' file:\">"
    '<link rel="preload" as="font" crossorigin href="{up}_static/fonts/sans-normal.woff2">'
    '<link rel="preload" as="font" crossorigin href="{up}_static/fonts/sans-italic.woff2">'
)
SENTENCE = 40  # letters; a table with a longer cell is one of sentences
_TABLE = re.compile(r'<table class="table.*?</table>', re.S)
_HEADS = re.compile(r"<th [^>]*>(.*?)</th>", re.S)
_CELLS = re.compile(r"<td[^>]*>(.*?)</td>", re.S)
_CELL = re.compile("<td")
_ROW = re.compile("<tr.*?</tr>", re.S)
_IMAGE = re.compile(r'<img [^>]*?src="([^"]+\.svg)"[^>]*>')
_SIZE = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')
_NAME = re.compile(r"<title>([\w-]+)</title>")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
# The colours of lines on a dark ground. Greys go from the text's colour to the page's.
_DARK = {
    "blue": "#62b0e8",
    "vermilion": "#ff8a4c",
    "green": "#23b58a",
    "purple": "#e09fc4",
    "orange": "#f0b74a",
    "sky": "#3a86bd",
}
_NEW = {COLOURS[name].lower(): colour for name, colour in _DARK.items()}
_TEXT, _PAGE = (227, 230, 234), (20, 23, 27)


def finish(site: Path) -> None:
    """Finish every page of a built site."""
    for path in site.rglob("*.html"):
        before, article, text = path.read_text("utf-8").partition('class="bd-article"')
        text = _IMAGE.sub(partial(_pictures, page=path, site=site), text)
        text = before + article + _TABLE.sub(as_cards, text)
        text = _IN_VAIN.sub("", text)
        if not re.search(r'class="[^"]*\bmath\b', text):
            text = _MATHJAX.sub("", text)
        if path.name != "search.html":
            text = _SEARCH.sub("", text)
        head = _HEAD.format(up="../" * (len(path.relative_to(site).parts) - 1))
        path.write_text(text.replace("<head>", f"<head>{head}", 1), "utf-8")


def as_cards(table: re.Match[str]) -> str:
    """Return a table of sentences with the name of its column in each cell; others as they are."""
    heads = [_plain(cell) for cell in _HEADS.findall(table[0])]
    longest = max((len(_plain(cell)) for cell in _CELLS.findall(table[0])), default=0)
    if len(heads) < 2 or longest <= SENTENCE:
        return table[0]

    def row(found: re.Match[str]) -> str:
        names = iter(heads)
        return _CELL.sub(lambda _: f'<td data-label="{escape(next(names, ""))}"', found[0])

    return _ROW.sub(row, table[0]).replace('class="table', 'class="table cards', 1)


def _plain(html: str) -> str:
    """Return the text of markup."""
    return unescape(re.sub("<[^>]+>", "", html)).strip()


def darkened(svg: str) -> str:
    """Return a figure in the colours of dark pages.

    Letters on coloured discs keep theirs, which are next to black (#000001) and white (#fffffe).

    >>> darkened('<svg ><path style="fill: #0072b2; stroke: #ffffff"/><use fill="#000001"/>')
    '<svg fill="#e3e6ea" ><path style="fill: #62b0e8; stroke: #14171b"/><use fill="#000001"/>'
    """
    return _COLOUR.sub(_dark, svg).replace("<svg ", '<svg fill="#e3e6ea" ', 1)


def _dark(found: re.Match[str]) -> str:
    """Return the colour of dark pages for one of light pages."""
    colour = found[0]
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    if not red == green == blue:
        return _NEW.get(colour, colour)
    mixed = (round(t + (p - t) * red / 255) for t, p in zip(_TEXT, _PAGE, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _pictures(image: re.Match[str], page: Path, site: Path) -> str:
    """Return a figure for light pages and one for dark pages, each in the size of the screen."""
    wide = (page.parent / image[1]).resolve()
    if not wide.exists() or not _size(wide):
        return image[0]
    files = [wide]
    if name := _NAME.search(wide.read_text("utf-8")):
        narrow = site / "results" / "figures" / f"{name[1]}.phone.svg"
        files += [narrow] if narrow.exists() else []
    in_dark = [_darkened(path, site) for path in files]
    return _picture("light", image, files, page) + _picture("dark", image, in_dark, page)


def _darkened(path: Path, site: Path) -> Path:
    """Write a figure in the colours of dark pages, once."""
    dark = site / "_images" / f"{path.stem}.dark.svg"
    return dark if dark.exists() else write(dark, darkened(path.read_text("utf-8")))


def _picture(mode: str, image: re.Match[str], files: list[Path], page: Path) -> str:
    """Return a figure, wide or as a phone needs it."""
    (wide, size), *narrow = [(os.path.relpath(path, page.parent), _size(path)) for path in files]
    sources = [
        f'<source media="(max-width: 576px)" srcset="{path}" {size}>' for path, size in narrow
    ]
    shown = image[0].replace(f'src="{image[1]}"', f'src="{wide}" {size} loading="lazy"')
    shown = shown.replace("<img ", '<img class="dark-light" ', 1)  # the theme leaves it as it is
    return f'<picture class="in-{mode}">{"".join(sources)}{shown}</picture>'


def _size(path: Path) -> str:
    """Return the size of a figure in pixels, as attributes; "" if it has none in points."""
    if not (found := _SIZE.search(path.read_text("utf-8"))):
        return ""
    width, height = (round(float(points) * 4 / 3) for points in found.groups())
    return f'width="{width}" height="{height}"'
