"""Statements of a paper, each beside the number that decides about it.

A notebook makes one `claim` for each sentence of the paper that a computation can test, and shows
them with `table`. The sentence stays the paper's; the number and the decision are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compendium import show
from IPython.display import HTML

DECISIONS = {True: "holds", False: "does not hold", None: "cannot be tested"}


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, and what a computation says about it.

    Attributes
    ----------
    section : str
        The place in the paper.
    text : str
        The statement, in the paper's words where they are short.
    value : str
        The number that decides.
    holds : bool or None
        Whether the statement holds; None if nothing at hand can decide.
    """

    section: str
    text: str
    value: str
    holds: bool | None

    @property
    def decision(self) -> str:
        """Return the decision in words."""
        return DECISIONS[self.holds]


def claim(section: str, text: str, value: object, holds: object) -> Claim:
    """Return a statement with the number that decides about it.

    Parameters
    ----------
    section, text, value, holds
        See `Claim`. A value that is no text is shown with three significant digits; any
        truth value will do for `holds`, numpy's included.

    Examples
    --------
    >>> claim("6", "the interval is longer than .1", 0.1334, 0.1334 > 0.1).decision
    'holds'
    """
    words = value if isinstance(value, str) else f"{value:.3g}"
    return Claim(section, text, words, None if holds is None else bool(holds))


def table(claims: Iterable[Claim]) -> HTML:
    """Return a table of statements, one line each."""
    rows = [[c.section, c.text, c.value, c.decision] for c in claims]
    return show.table(["section", "the paper says", "computed", ""], rows)
