"""f1ci beside other packages: how fast (`speed`), and with which answers (`peers`).

Both programs run in an environment of the other packages and write their results to
``notebooks/data``, from which the page "Comparison with other packages" is made.
"""
