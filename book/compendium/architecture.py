"""The figure of f1ci's rooms, drawn from its imports: ``python -m compendium.architecture``.

A room stands above every room that it imports from. A line is left out where a longer way leads
there as well.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path

from compendium import ROOT, write

__all__ = ["PLACE", "draw", "imports"]

PLACE = ROOT / "book" / "_static" / "architecture.svg"
_WIDTH, _ROW, _BOX = 920, 76, (104, 30)


def imports(package: Path) -> dict[str, set[str]]:
    """The rooms of a package, each with the rooms that it imports from, wherever it does."""
    rooms = {p.stem: ast.parse(p.read_text("utf-8")) for p in package.glob("[a-z]*.py")}
    found: dict[str, set[str]] = {}
    for room, tree in rooms.items():
        named = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                named |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
        parts = (name.split(".") for name in named if name.startswith(f"{package.name}."))
        found[room] = {p[1] for p in parts if p[1] in rooms} - {room}
    return found


def draw(rooms: Mapping[str, set[str]]) -> str:
    """The figure as SVG; a cycle among the imports is an error."""
    TopologicalSorter(rooms).prepare()

    @cache
    def below(room: str) -> frozenset[str]:
        return frozenset(rooms[room]).union(*(below(r) for r in rooms[room]))

    @cache
    def level(room: str) -> int:
        return 1 + max((level(r) for r in rooms[room]), default=-1)

    rows = [sorted(r for r in rooms if level(r) == n) for n in range(max(map(level, rooms)) + 1)]
    height, (width, tall) = _ROW * len(rows), _BOX
    place = {
        room: (_WIDTH * (k + 0.5) / len(row), height - _ROW * (n + 0.5))
        for n, row in enumerate(rows)
        for k, room in enumerate(row)
    }
    lines, boxes = [], []
    for room, (x, y) in place.items():
        direct = {r for r in rooms[room] if not any(r in below(o) for o in rooms[room])}
        ends = (place[r] for r in sorted(direct))
        lines += [f'<path d="M{x:.0f} {y:.0f}L{to:.0f} {down:.0f}"/>' for to, down in ends]
        boxes.append(
            f'<rect x="{x - width / 2:.0f}" y="{y - tall / 2:.0f}" width="{width}" '
            f'height="{tall}" rx="4"/><text x="{x:.0f}" y="{y + 5:.0f}">{escape(room)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">\n'
        "<title>The rooms of f1ci; a room imports from those below it</title>\n"
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>\n'
        f'<g fill="none" stroke="#767676">{"".join(lines)}</g>\n'
        '<g fill="#fff" stroke="#0072B2" font-family="sans-serif" font-size="14" '
        'text-anchor="middle"><style>text{fill:#000;stroke:none}</style>'
        f"{''.join(boxes)}</g>\n</svg>\n"
    )


if __name__ == "__main__":
    write(PLACE, draw(imports(ROOT / "f1ci")))
