"""Statements of a paper, each beside the number that decides about it.

A notebook makes one claim for each sentence of the paper that a computation can test, and shows
them as a table. The sentence stays the paper's; the number and the decision are ours.
"""

from __future__ import annotations

from compendium import ledger, show
from IPython.display import HTML

DECISIONS = {True: "holds", False: "does not hold", None: "cannot be tested"}


class Claims:
    """The statements of a paper, in the order in which a notebook adds them.

    Examples
    --------
    >>> claim = Claims()
    >>> claim("6", "the interval is longer than .1", 0.1334, 0.1334 > 0.1)
    >>> claim.rows
    [['6', 'the interval is longer than .1', '0.133', 'holds']]
    """

    def __init__(self) -> None:
        self.rows: list[list[str]] = []

    def __call__(self, section: str, text: str, value: object, holds: object) -> None:
        """Add a statement with the number that decides about it.

        Parameters
        ----------
        section : str
            The place in the paper.
        text : str
            The statement, in the paper's words where they are short.
        value : float or str
            The number that decides. A number is shown with three significant digits.
        holds : bool or None
            Whether the statement holds; None if nothing at hand can decide.
        """
        words = value if isinstance(value, str) else f"{value:.3g}"
        decision = DECISIONS[None if holds is None else bool(holds)]
        self.rows.append([section, text, words, decision])

    def table(self) -> HTML:
        """Return a table of the statements, one line each, and give them to the ledger."""
        for section, text, _, decision in self.rows:
            ledger.opened().state(section, text, decision)
        return show.table(
            ["section", "the paper says", "computed", "it"],
            self.rows,
            caption="The paper's statements. What decides about each of them, by our numbers.",
        )
