"""Fold the code on a notebook's page: code in a row has one handle, which says what the code does.

The comment at the head of the last cell in a row names the handle, or else what the cell shows.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

# The sentence at the head of a cell: "# Draw Figure 2: coverages above, lengths below."
_COMMENT = re.compile(r"(?:# .*\n)+")
_SENTENCE = re.compile(r"([A-Z])([a-z]+ .+?)(?:[.:;](?= |$)|$)")
_SHOWN = {
    "image/svg+xml": "draw the figure",
    "image/png": "draw the figure",
    "text/html": "make the table",
    "text": "print these lines",
}


def fold(notebook: NotebookNode) -> None:
    """Fold the code of a notebook, unless readers must see it; join code in a row.

    Cells that nobody is to see go.
    """
    joined: list[NotebookNode] = []
    for cell in notebook.cells:
        if "remove-cell" in _tags(cell):
            continue
        _fold(cell)
        if joined and _is_silent(joined[-1]) and _is_folded(cell):
            joined[-1] = _join(joined[-1], cell)
        else:
            joined.append(cell)
    notebook.cells = joined


def _fold(cell: NotebookNode) -> None:
    """Fold the code of one cell and name its handle."""
    broken = any(output.output_type == "error" for output in cell.get("outputs", []))
    if cell.cell_type != "code" or broken or "show-input" in _tags(cell):
        return
    cell.metadata["tags"] = sorted({*_tags(cell), "hide-input"})
    if name := _name(cell):
        cell.metadata["mystnb"] = {**cell.metadata.get("mystnb", {}), "code_prompt_show": name}


def _name(cell: NotebookNode) -> str:
    """Return the name of a cell's handle, or "" if neither a comment nor a result tells it."""
    if {"parameters", "injected-parameters"} & {*_tags(cell)}:
        return "Show the parameters"
    comment = _COMMENT.match(f"{cell.source}\n")
    text = " ".join(line.removeprefix("# ") for line in comment[0].splitlines()) if comment else ""
    if sentence := _SENTENCE.match(text):
        return f"Show the code: {sentence[1].lower()}{sentence[2]}"
    forms = {form for output in _results(cell) for form in output.get("data", {"text": ""})}
    names = [name for form, name in _SHOWN.items() if form in forms]
    if not forms and "say(" in cell.source:
        names = ["compute the numbers of the text"]
    return f"Show the code: {names[0]}" if names else ""


def _results(cell: NotebookNode) -> list[NotebookNode]:
    """Return what a page shows of a cell: everything except warnings."""
    return [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]


def _is_folded(cell: NotebookNode) -> bool:
    """Tell whether the code of a cell is folded."""
    return cell.cell_type == "code" and "hide-input" in _tags(cell)


def _is_silent(cell: NotebookNode) -> bool:
    """Tell whether a cell is folded code that shows nothing. The parameters stand alone."""
    alone = {"parameters", "injected-parameters"} & {*_tags(cell)}
    return _is_folded(cell) and not alone and not _results(cell)


def _join(first: NotebookNode, second: NotebookNode) -> NotebookNode:
    """Return two cells of code as one, which looks as the second cell does."""
    second.source = f"{first.source}\n\n{second.source}"
    second.outputs = [*first.get("outputs", []), *second.get("outputs", [])]
    second.metadata["mystnb"] = {
        **first.metadata.get("mystnb", {}),
        **second.metadata.get("mystnb", {}),
    }
    return second


def _tags(cell: NotebookNode) -> list[str]:
    """Return the tags of a cell."""
    return list(cell.metadata.get("tags", []))
