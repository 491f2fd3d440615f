"""The code on a notebook's page: what is folded, what is joined, and what its handle says."""

import nbformat
import pytest
from compendium import cells
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

TABLE = new_output("display_data", {"text/html": "<table></table>"})
FIGURE = new_output("display_data", {"image/svg+xml": "<svg></svg>", "text/plain": "an object"})
WARNING = new_output("stream", name="stderr", text="a warning")
ERROR = new_output("error", ename="ValueError", evalue="no", traceback=["no"])


def code(source, *outputs, tags=()):
    """A cell of code that has run."""
    return new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)})


def folded(*parts):
    """The cells of a page made from these cells."""
    notebook = new_notebook(cells=list(parts))
    cells.fold(notebook)
    nbformat.validate(notebook)
    return notebook.cells


def handle(cell):
    """What the handle of a cell says."""
    return cell.metadata.get("mystnb", {}).get("code_prompt_show")


def test_code_in_a_row_is_one_cell_that_looks_as_its_last_cell_does():
    figure = code("# Draw Figure 2: lengths.\nb", FIGURE)
    figure.metadata["mystnb"] = {"figure": {"caption": "Figure 2"}}
    first, second = folded(code("# Compute a.\na", WARNING), figure, code("c"))
    assert first.source == "# Compute a.\na\n\n# Draw Figure 2: lengths.\nb"
    assert first.outputs == [WARNING, FIGURE]
    assert first.metadata["mystnb"]["figure"] == {"caption": "Figure 2"}
    assert handle(first) == "Show the code: draw Figure 2"
    assert second.source == "c"


def test_text_results_parameters_and_shown_code_keep_cells_apart():
    parts = [
        code("a: int = 1", tags=["parameters"]),
        code("b"),
        new_markdown_cell("text"),
        code("c", TABLE),
        code("d", tags=["show-input"]),
        code("e"),
    ]
    assert [cell.source for cell in folded(*parts)] == ["a: int = 1", "b", "text", "c", "d", "e"]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (
            code("# Show F0.5 of both\n# models. And more.\nx"),
            "Show the code: show F0.5 of both models",
        ),
        (code("x", TABLE), "Show the code: make the table"),
        (code('say("x", 1)'), "Show the code: compute the numbers of the text"),
        (code("# 1. A fixed number.\nx"), None),
        (code("a: int = 1", tags=["parameters"]), "Show the parameters"),
        (code("x", ERROR), None),
    ],
)
def test_a_handle_says_what_the_code_does(cell, words):
    (only,) = folded(cell)
    assert handle(only) == words
