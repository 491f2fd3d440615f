"""Finished pages made fit for a narrow screen, a keyboard and a screen reader.

What the parsers and the theme write is taken as it is and completed, once for pages and notebooks.
What the theme gets wrong for screen readers is mended, and the build warns when there is nothing to
mend any more;
a table gets a caption, headings that head something, and the names of its columns in its cells, so
that its rows can stand one below the other on a phone; one too wide for the text may use the
margin. Pictures scroll without their captions, powers are raised, and no line ends inside a name
or begins with the stop after a formula.
What is measured in the browser (which parts scroll) is `book/_static/screen.js`'s work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

# Jupyter Book always loads the scripts of live cells, which the book does not offer; one of them
# is declared twice, which stops with an error in every browser.
_UNUSED = 'script[src*="thebe"], link[href*="thebe"], script:-soup-contains("THEBE")'
# Which attribute of what the theme and myst-nb write misleads a screen reader.
MENDED = {
    # The visible words name a folded cell better than the label that hides them.
    'summary[aria-label="Toggle hidden content"]': "aria-label",
    # A button's label must contain its visible text, "Search Ctrl+K".
    '.search-button-field[title="Search"][aria-label]': "aria-label",
    # The icons' own titles contradict their button's label.
    '[data-mode="light"][title]': "title",
    '[data-mode="dark"][title]': "title",
    '[data-mode="auto"][title]': "title",
}

_ROLES = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "td": "cell"}
_CODE = ["pre", "code", "script", "style", "textarea"]
# A number as a program prints it, 6e-14, and a power in plain text, z^2.
_POWER = re.compile(r"(?<![\w.,/])(\d+(?:\.\d+)?)e([+-]\d+)\b|(?<=\w)\^(\d+)\b")
# A number stays on one line with its unit, its sign and its error, an entry of the register and an
# option with all their parts, and a formula with its brackets and stops.
_IN_A_NUMBER = re.compile(
    r"(?<=\d)\s(?=%|±|(?:min|ms|s|h)\b)|(?<=\d\s±)\s(?=\d)|(?<=\d\smin)\s(?=\d)"
)
_NAME = re.compile(r"[ERON]-[a-z]+-\d+|-{1,2}[a-z][a-z-]*")
_BEFORE_FORMULA = re.compile(r"[(\[]+$")
_AFTER_FORMULA = re.compile(r"^[,.;:?!)\]]+")
# Characters. A column of this many is text, which is to be read and not to be scrolled past; so are
# several that fill a phone's line together with the first, which may be broken.
_TEXT, _PHONE, _FIRST = 26, 36, 18
_WORD = re.compile("[A-Za-z]{3}")
# What fits beside the margin; longer cells are broken there anyway.
_LINE, _BROKEN = 88, 44


def mend(page: BeautifulSoup) -> set[str]:
    """Complete a finished page; give which of `MENDED` there was something to mend of."""
    for tag in page.select(_UNUSED):
        tag.decompose()
    found = set()
    for tag in page.select(", ".join(MENDED)):
        for selector, attribute in MENDED.items():
            if tag.css.match(selector):
                del tag[attribute]
                found.add(selector)
    # The arrows in the list of pages have no name; each gets that of the page above its list.
    for arrow in page.select("a + details > summary:has(> .toctree-toggle)"):
        link = arrow.find_previous("a")
        arrow["aria-label"] = f"Pages of: {link.get_text() if link else ''}"
    if article := page.select_one("article.bd-article"):
        _fit(article)
    return found


def _fit(page: Tag) -> None:
    """Complete the text of a page."""
    counts: dict[str, int] = {}
    for table in page.find_all("table"):
        _name(table, counts)
        rows = [row.find_all(["th", "td"], recursive=False) for row in table.find_all("tr")]
        _scope(table)
        if table.select_one("[colspan], [rowspan]"):
            continue
        if len({len(row) for row in rows}) != 1 or not table.thead or len(rows) < 2:
            continue
        if _is_text(table, rows):
            _stack(table, rows)
        box = table.parent
        if box and {"wide", "pst-scrollable-table-container"}.intersection(_classes(box)):
            longest = [max(map(_length, column)) for column in zip(*rows, strict=True)]
            if sum(min(size, _BROKEN) + 3 for size in longest) > _LINE:
                box["class"] = " ".join([*_classes(box), "full-width"])
    _tell_apart(page)
    _fold_proofs(page)
    for picture in page.select("figure img"):
        # It scrolls without its caption where it is too wide.
        picture.wrap(Tag(name="div", attrs={"class": "picture"}))
    _raise_powers(page)
    _hold_together(page)


def _name(table: Tag, counts: dict[str, int]) -> None:
    """A caption for those who do not see where the table stands: the heading above it."""
    if table.caption:
        return
    heading = table.find_previous(["h1", "h2", "h3", "h4"])
    name = heading.get_text().removesuffix("#").strip() if heading else "Table"
    counts[name] = counts.get(name, 0) + 1
    caption = Tag(name="caption", attrs={"class": "for-readers"})
    caption.string = name if counts[name] == 1 else f"{name}, table {counts[name]}"
    table.insert(0, caption)


def _scope(table: Tag) -> None:
    """Headings say what they head; one without words is no heading."""
    for cell in table.find_all("th"):
        if not cell.get_text(strip=True):
            cell.name = "td"
            del cell["scope"]
        elif not cell.has_attr("scope"):
            cell["scope"] = "col" if cell.find_parent("thead") else "row"


def _is_text(table: Tag, rows: Sequence[Sequence[Tag]]) -> bool:
    """Whether a table is better read row by row than looked at as a grid."""
    columns = range(1, len(rows[0]))
    if "dataframe" in _classes(table) or len(columns) > 6 or table.select_one(".cell"):
        return False
    if any(cell.get_text(strip=True) == "verdict" for cell in rows[0]):
        return True
    longest = [max(map(_length, column)) for column in zip(*rows[1:], strict=True)]
    words = [i for i in columns if any(_WORD.search(row[i].get_text()) for row in rows[1:])]
    together = min(longest[0], _FIRST) + sum(longest[i] for i in words)
    return max(longest[1:], default=0) > _TEXT or together > _PHONE


def _stack(table: Tag, rows: Sequence[Sequence[Tag]]) -> None:
    """Let rows stand one below the other: names in the cells, and roles that outlast `display`."""
    table["class"] = " ".join([*_classes(table), "stacks"])
    table["role"] = "table"
    for part in table.find_all(["thead", "tbody", "tr", "td", "th"]):
        heads = "columnheader" if part.find_parent("thead") else "rowheader"
        part["role"] = heads if part.name == "th" else _ROLES[part.name]
    names = [cell.get_text(" ", strip=True) for cell in rows[0]]
    for row in rows[1:]:
        for cell, name in zip(row[1:], names[1:], strict=True):
            if name and cell.get_text(strip=True) and "\\" not in name:
                cell["data-label"] = name


def _hold_together(page: Tag) -> None:
    """Let no line begin with a sign, a stop or a part that belongs to what stands before it."""
    for text in page.find_all(string=_NAME):
        if _NAME.fullmatch(text) and not text.find_parent("pre"):
            text.wrap(Tag(name="span", attrs={"class": "held"}))
    for text in page.find_all(string=re.compile(r"%|\d\s(?:±|min|ms|s|h)")):
        if text.find_parent(_CODE):
            continue
        last = text.previous_sibling.get_text()[-1:] if text.previous_sibling else ""
        held = _IN_A_NUMBER.sub("\N{NO-BREAK SPACE}", last + text)
        text.replace_with(held.removeprefix(last))
    for formula in page.select("span.math"):
        before, after = formula.previous_sibling, formula.next_sibling
        box = formula.wrap(Tag(name="span", attrs={"class": "held"}))
        if isinstance(before, NavigableString) and (bracket := _BEFORE_FORMULA.search(before)):
            before.replace_with(before[: bracket.start()])
            box.insert(0, bracket[0])
        if isinstance(after, NavigableString) and (stop := _AFTER_FORMULA.match(after)):
            after.replace_with(after[stop.end() :])
            box.append(stop[0])
        if len(box.contents) == 1:
            box.unwrap()


def _raise_powers(page: Tag) -> None:
    """Write powers as people do; not where numbers are sorted, which a script reads."""
    for text in page.find_all(string=_POWER):
        if not (text.find_parent(_CODE) or text.find_parent(class_=["math", "sortable"])):
            text.replace_with(BeautifulSoup(_POWER.sub(_raised, escape(text)), "html.parser"))


def _raised(power: re.Match[str]) -> str:
    factor, exponent, plain = power.groups()
    if plain:
        return f"<sup>{plain}</sup>"
    if not int(exponent):
        return factor
    ten = f"10<sup>{int(exponent)}</sup>".replace("-", "\N{MINUS SIGN}")
    return ten if factor == "1" else f'<span class="held">{factor} × {ten}</span>'


def _tell_apart(page: Tag) -> None:
    """Name each folded cell by its first line of code, for those who hear the names in a row."""
    for fold in page.select("details.hide"):
        code = fold.find("pre")
        lines = code.get_text().strip().splitlines() if code else []
        if fold.summary and lines:
            hint = Tag(name="span", attrs={"class": "for-readers"})
            hint.string = f" that begins with {lines[0][:60]}"
            fold.summary.append(hint)


def _fold_proofs(page: Tag) -> None:
    """Fold each proof under the name of what it proves; `screen.js` unfolds them for printing."""
    for proof in page.select("div.proof#proof"):
        theorem = proof.find_previous("div", class_="proof", id=lambda name: name != "proof")
        title = theorem.select_one(".caption-number") if theorem else None
        name = title.get_text(strip=True) if title else ""
        summary = Tag(name="summary")
        summary.string = f"Proof of {name}" if name else "Proof"
        proof.name = "details"
        proof["class"] = "fold"
        # One id on every proof of a page is none.
        proof["id"] = f"proof-of-{theorem['id']}" if theorem else "a-proof"
        first = proof.find("p")
        if first and first.contents and str(first.contents[0]).startswith("Proof. "):
            first.contents[0].replace_with(str(first.contents[0]).removeprefix("Proof. "))
        proof.insert(0, summary)
    for content in page.select("#proof-content"):
        del content["id"]


def _length(cell: Tag) -> int:
    """About as many characters as are seen: a formula's source is twice as long as it looks."""
    formulas = sum(len(part.get_text()) for part in cell.find_all("span", class_="math"))
    return len(cell.get_text(" ", strip=True)) - formulas // 2


def _classes(tag: Tag) -> list[str]:
    return [name for name in tag.get_attribute_list("class") if name]
