"""`python -m f1ci` is the command line."""

import sys

from f1ci.cli import main

if __name__ == "__main__":
    sys.exit(main())
