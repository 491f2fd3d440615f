"""The calculator's scripts in Node, which Playwright brings with it; no page is needed."""

import json
import subprocess

from compendium import ROOT
from compendium.book import shared_words
from playwright._impl._driver import compute_driver_executable

STATIC = ROOT / "book" / "_static"
NAMES = (
    *("f1ci", "averages", "units", "cells", "matrices", "tables", "numbers", "scores", "reader"),
    *("results", "explorer"),
)


def evaluate(expression, data, *files):
    """Return the value of a function of JavaScript for each of the data; more files come last."""
    parts = ["var module = undefined;", shared_words(ROOT)]
    parts += [(STATIC / f"{name}.js").read_text("utf-8") for name in NAMES]
    parts += [file.read_text("utf-8") for file in files]
    parts.append(f"console.log(JSON.stringify({json.dumps(data)}.map({expression})));")
    node = compute_driver_executable()[0]
    ran = subprocess.run(
        [node, "-"], input="\n".join(parts), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
