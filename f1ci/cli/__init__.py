"""The command line: `f1ci` and `python -m f1ci`.

`files` makes a table of a file, `joining` makes one of two, `columns` chooses the truth and the
models, `answers` asks the public functions of f1ci, and `command` has options and exit codes. The
calculator in the book knows the words in `words.json` too.
"""

from f1ci.cli.command import helps, main

__all__ = ["helps", "main"]
