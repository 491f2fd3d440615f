"""f1ci beside other packages: how fast, and with which answers.

Nothing in :mod:`f1ci` imports from here, and nothing in the compendium's machinery. This
file imports nothing, since part of the package runs in an environment of the other packages.
"""
