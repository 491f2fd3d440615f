"""How a call walks through the package: which rooms (modules) it enters, and how often."""

from __future__ import annotations

import sys
from pathlib import Path

import f1ci

ROOT = Path(f1ci.__file__).parent


def walk(function, *arguments, **options):
    """Call the function; return the set of rooms and the number of calls from room to room."""
    rooms, crossings, stack = set(), 0, []

    def watch(frame, event, _):
        nonlocal crossings
        path = Path(frame.f_code.co_filename)
        if ROOT not in path.parents:
            return
        room = path.relative_to(ROOT).with_suffix("").as_posix()
        if room.startswith("metrics/"):  # one room of several files
            room = "metrics"
        if event == "call":
            rooms.add(room)
            crossings += bool(stack) and stack[-1] != room
            stack.append(room)
        elif event == "return" and stack:
            stack.pop()

    sys.setprofile(watch)
    try:
        function(*arguments, **options)
    finally:
        sys.setprofile(None)
    return rooms, crossings
