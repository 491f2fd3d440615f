"""What a benchmark finds, as a person reads it, and the run that is kept with the book."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compendium import DATA

__all__ = ["RECORDING", "Comparison", "Growth", "Line", "load", "save", "share", "text"]

RECORDING = DATA / "bench.json"


@dataclass(frozen=True)
class Comparison:
    """Two ways to the same answer; `goal` bounds the ratio of ours to theirs.

    Attributes
    ----------
    question, other : str
        What is asked, and who else answers.
    ours, theirs : float
        Seconds, or what `unit` says.
    goal : float, optional
        The ratio that was promised.
    unit : {"s", "B"}
        Seconds or bytes.
    note : str
        What a reader has to know.
    """

    question: str
    other: str
    ours: float
    theirs: float
    goal: float | None = None
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        """Ours in units of theirs."""
        return self.ours / self.theirs

    @property
    def verdict(self) -> str:
        """Whether the goal was met, by word; empty without a goal."""
        if self.goal is None:
            return ""
        return "met" if self.ratio <= self.goal else "missed"

    def __str__(self) -> str:
        goal = "" if self.goal is None else f"  goal {share(self.goal)}: {self.verdict}"
        return (
            f"{self.question:<50}{text(self.ours, self.unit):>10}  {self.other:<46}"
            f"{text(self.theirs, self.unit):>10}  {share(self.ratio):>8} of it{goal}"
            f"{f'  ({self.note})' if self.note else ''}"
        )


@dataclass(frozen=True)
class Growth:
    """How times grow with a size: `seconds` has one list of times for each way."""

    question: str
    by: str
    sizes: Sequence[int]
    seconds: dict[str, list[float]]

    def __str__(self) -> str:
        lines = [f"{self.question:<50}" + "".join(f"{size:>11,}" for size in self.sizes)]
        for name, times in self.seconds.items():
            lines.append(f"  {name:<48}" + "".join(f"{text(took):>11}" for took in times))
        return "\n".join([f"{lines[0]}  {self.by}", *lines[1:]])


Line = Comparison | Growth


def load(path: Path = RECORDING) -> dict[str, Any]:
    """A recorded run, with `Comparison` and `Growth` objects again."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if found.pop("sha256", None) != _digest(found):
        raise ValueError(f"{path.name} is not as `make bench` recorded it")
    for section in found["sections"].values():
        section["comparisons"] = [Comparison(**line) for line in section["comparisons"]]
        section["growth"] = [Growth(**line) for line in section["growth"]]
    return found


def save(found: dict[str, Any], path: Path = RECORDING) -> None:
    """Record a run, with the hash by which `load` knows it again."""
    signed = {**found, "sha256": _digest(found)}
    path.write_text(json.dumps(signed, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _digest(found: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


_SCALES = {
    "s": {
        "years": 365.25 * 86400,
        "days": 86400.0,
        "h": 3600.0,
        "min": 60.0,
        "s": 1.0,
        "ms": 1e-3,
        "µs": 1e-6,
        "ns": 1e-9,
    },
    "B": {"GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1.0},
}


def text(value: float, unit: str = "s") -> str:
    """A duration or a number of bytes as a person writes it: 1.25 ms, 3.1 MB."""
    scales = list(_SCALES[unit].items())
    # What rounds to 1000 µs is 1 ms.
    name, size = next((s for s in scales if float(f"{value:.3g}") >= s[1]), scales[-1])
    number = float(f"{value / size:.3g}")
    return f"{number:,.0f} {name}" if number >= 100 else f"{number:g} {name}"


def share(ratio: float) -> str:
    """A ratio as a person writes it: 1.3, or 1/24."""
    if ratio >= 1:
        return f"{float(f'{ratio:.2g}'):,g}"
    if ratio == 0:
        return "0"
    inverse = float(f"{1 / ratio:.2g}")
    if inverse < 1.1:
        return "1"
    return f"1/{inverse:,g}" if inverse < 1e7 else f"1/{inverse:.0e}"
