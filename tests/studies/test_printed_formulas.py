"""Formulas that papers print, as the notebooks have them, against f1ci."""

import numpy as np
import pytest

import f1ci
from f1ci import metrics
from f1ci.metrics import fbeta, tversky
from notebooks.own import yuan_gaussian as printed_gradients
from notebooks.shared.class_averages import standard_errors

# A few operations of 1e-16 each, on gradients that reach a few hundred at the tables below.
ROUNDING = {"rtol": 1e-12, "atol": 1e-11}

PRINTED = {
    "accuracy": metrics.accuracy,
    "F1 (Dice)": metrics.f1,
    "F0.5": fbeta(0.5),
    "Jaccard": metrics.jaccard,
    "Tversky": tversky(printed_gradients.TVERSKY_A, printed_gradients.TVERSKY_B),
    "correlation": metrics.correlation,
    "cosine": metrics.cosine,
    "lift": metrics.lift,
    "overlap": metrics.overlap,
}


def points():
    """Forty points E(ZA), EA and EZ."""
    cells = np.random.default_rng(1).dirichlet(np.full(4, 2.0), size=40) + 0.01
    _, fp, fn, tp = (cells / cells.sum(axis=1, keepdims=True)).T
    return [tuple(map(float, point)) for point in zip(tp, fp + tp, fn + tp, strict=True)]


@pytest.mark.parametrize("name", PRINTED)
def test_table_iii_values_and_derivatives(name):
    """As the notebooks have them from the paper, which misprints those of the correlation."""
    for point in points():
        value = PRINTED[name].at(*map(np.float64, point))
        np.testing.assert_allclose(value, printed_gradients.values(*point)[name], **ROUNDING)
        slopes = PRINTED[name].partials(*map(np.float64, point))
        derivatives = printed_gradients.printed(*point)[name]
        assert np.allclose(slopes, derivatives, **ROUNDING) == (name != "correlation")


def test_derivatives_of_the_correlation_once_they_are_mended():
    """The derivative by EZA is right, and so are the others once 2 (m - 1) is 2 m - 1."""
    for x, s, t in points():
        slopes = metrics.correlation.partials(*map(np.float64, (x, s, t)))
        derivatives = printed_gradients.printed(x, s, t)["correlation"]
        assert slopes[0] == pytest.approx(derivatives[0], rel=1e-12)
        scale = x / np.sqrt((s - s * s) * (t - t * t))
        for k, m in ((1, s), (2, t)):
            missing = scale / (2 * (m - m * m))
            assert slopes[k] - derivatives[k] == pytest.approx(missing, rel=1e-9)


@pytest.mark.parametrize("r", [2, 3, 6])
def test_appendix_closed_forms(r):
    """Takahashi et al. (2022), appendices A to C."""
    rng = np.random.default_rng(10)
    tables = rng.multinomial(200, rng.dirichlet(np.full(r * r, 2.0), size=25)) + 1
    for table in tables.reshape(-1, r, r):
        errors = [
            f1ci.Matrix(table).interval(metric, method="delta").standard_error
            for metric in ("micro_f1", "macro_f1", "macro_f1_star")
        ]
        assert errors == pytest.approx(list(standard_errors(table)), rel=1e-12)
