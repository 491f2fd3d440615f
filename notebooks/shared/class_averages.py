"""The three averages of Takahashi et al. (2022): closed forms, and coverage by exact sums."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from compendium.data import read_verified
from numpy.typing import NDArray

import f1ci

MEASURES = {"micro_f1": "micro F1", "macro_f1": "macro F1", "macro_f1_star": "macro* F1"}

# In the paper an average is undefined as soon as a class has no score. f1ci leaves the class out.
AS_IN_PAPER = {
    "micro_f1": f1ci.metrics.micro_f1,
    "macro_f1": f1ci.metrics.macro("f1", undefined=np.nan),
    "macro_f1_star": f1ci.metrics.macro_star(undefined=np.nan),
}
BLOCK = 8192  # tables whose numbers fit into a processor's cache
Array = NDArray[np.float64]
Ends = tuple[Array, Array]
Counts = NDArray[np.int64]


class ClosedForms(NamedTuple):
    """The sums of Appendices A to C for one matrix.

    `first` and `second` are the two sums of Appendix B. The R code of Appendix D calls them a and
    b. Their sum times `scale` is the variance of macro F1.
    """

    micro: float
    first: float
    second: float
    scale: float
    precision: float
    recall: float
    var_precision: float
    var_recall: float
    covariance: float


def appendix_d() -> dict[str, str]:
    """Return the R code of Appendix D and what R says of it.

    The keys are ``code`` (as printed), ``printed`` (R's answer to it), ``lines`` (what mends it) and
    ``mended`` (R's answer then). ``data/run_appendix_d.py`` makes the last three.
    """
    answers: dict[str, str] = json.loads(read_verified("takahashi-appendix-d.json"))
    return {"code": read_verified("takahashi-appendix-d.R").decode("utf-8"), **answers}


def closed_forms(matrix: Counts) -> ClosedForms:
    """Return the paper's sums for a matrix with true classes in rows."""
    n = float(matrix.sum())
    p = matrix / n
    # The variance of a share (equation 4).
    right = np.trace(p)
    micro = right * (1 - right) / n
    scale = n * len(matrix) ** 2
    return ClosedForms(micro, *_macro_sums(p), 2 / scale, *_macro_star_parts(p, scale))


def _macro_sums(p: Array) -> tuple[float, float]:
    """Return the two sums of Appendix B."""
    right = np.diag(p)
    s = p.sum(axis=1) + p.sum(axis=0)
    f = 2 * right / s
    miss = s - 2 * right
    confused = p - np.diag(right)
    first = (f * miss / s**2 * (miss / s + f / 2)).sum()
    second = (confused * np.outer(f / s, f / s)).sum()
    return float(first), float(second)


def _macro_star_parts(p: Array, scale: float) -> list[float]:
    """Return mean precision, mean recall, their variances and their covariance (Appendix C)."""
    right = np.diag(p)
    true = p.sum(axis=1)
    predicted = p.sum(axis=0)
    wrong_of_true = true - right
    wrong_of_predicted = predicted - right
    confused = p - np.diag(right)
    diagonal = (right * wrong_of_predicted * wrong_of_true / (predicted * true) ** 2).sum()
    beside = (confused * np.outer(right / true**2, right / predicted**2)).sum()
    return [
        (right / predicted).mean(),
        (right / true).mean(),
        (right * wrong_of_predicted / predicted**3).sum() / scale,
        (right * wrong_of_true / true**3).sum() / scale,
        (diagonal + beside) / scale,
    ]


def macro_star_variance(forms: ClosedForms) -> float:
    """Return the variance of macro* F1 from its three parts, section 3.3."""
    p, r = forms.precision, forms.recall
    total = (
        r**4 * forms.var_precision + 2 * (p * r) ** 2 * forms.covariance + p**4 * forms.var_recall
    )
    return 4 * total / (p + r) ** 4


def standard_errors(matrix: Counts) -> Array:
    """Return the standard errors of micro, macro and macro* F1 by the closed forms."""
    forms = closed_forms(matrix)
    macro = (forms.first + forms.second) * forms.scale
    return np.sqrt([forms.micro, macro, macro_star_variance(forms)])


def end_points(
    counts: Counts, measures: Sequence[str], level: float, method: str = "delta"
) -> Ends:
    """Return lower and upper ends for a batch of tables, shape (tables, measures)."""
    low, high = np.empty((2, len(counts), len(measures)))
    with warnings.catch_warnings():
        # Undefined and degenerate intervals are outcomes here, and are counted.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        for start in range(0, len(counts), BLOCK):
            block = slice(start, start + BLOCK)
            for k, m in enumerate(measures):
                low[block, k], high[block, k] = f1ci.Matrix(counts[block]).interval(
                    AS_IN_PAPER[m], method=method, confidence_level=level
                )
    return low, high


def one_measure(measure: str, level: float, method: str = "delta") -> Callable[[Counts], Ends]:
    """Return a function from tables to the ends of one measure, shape (tables,)."""

    def ends(counts: Counts) -> Ends:
        low, high = end_points(counts, (measure,), level, method)
        return low[:, 0], high[:, 0]

    return ends


def fewer_cells(design: Array, measure: str) -> Array:
    """Return a design with the same distribution of a measure and fewer cells above zero.

    Micro F1 sees right and wrong items only. Macro F1 and its variance see the diagonal and the
    sums p_ij + p_ji, so the cells below the diagonal can be moved above it.
    """
    if measure == "micro_f1":
        right = np.trace(design)
        return np.array([[right, 1 - right], [0, 0]])
    if measure == "macro_f1":
        return np.asarray(np.triu(design) + np.tril(design, -1).T)
    return design


def exact_coverage(
    n: int, design: Array, measure: str, level: float, method: str = "delta"
) -> f1ci.coverage.Coverage:
    """Return the exact coverage of the interval for a measure.

    Tables that are less likely than 1e-12 are left out; `enumerated` says how much was kept.
    """
    return f1ci.coverage.exact(
        n,
        fewer_cells(design, measure),
        method=one_measure(measure, level, method),
        truth=f1ci.metrics.get(measure).value(design),
        least=1e-12,
    )


def outcome_correlation(
    n: int, design: Array, truth: Sequence[float], level: float, *, draws: int, seed: int
) -> Array:
    """Return how the coverages of the three measures correlate over test sets that define all."""
    counts = np.random.default_rng(seed).multinomial(n, design.ravel(), draws)
    low, high = end_points(counts.reshape(-1, *design.shape), list(MEASURES), level)
    held = f1ci.coverage.covers(low, high, truth)[np.isfinite(low).all(axis=1)]
    return np.asarray(np.corrcoef(held, rowvar=False))


def undefined_probability(n: int, design: Array, measure: str) -> float:
    """Return the probability that n items leave a measure undefined (prop-takahashi-undefined).

    The measure is undefined if a group of cells is empty. For macro F1 a group is a class's row and
    column together, for macro* F1 it is a row or a column. The probability is found by inclusion
    and exclusion over the groups.
    """
    rows = [np.arange(len(design))[:, None] == k for k in range(len(design))]
    groups = {
        "micro_f1": [],
        "macro_f1": [row | row.T for row in rows],
        "macro_f1_star": [np.broadcast_to(x, design.shape) for row in rows for x in (row, row.T)],
    }[measure]
    total = 0.0
    for size in range(1, len(groups) + 1):
        for chosen in combinations(groups, size):
            elsewhere = float(design[~np.any(chosen, axis=0)].sum())
            total -= (-1) ** size * elsewhere**n
    return total


def wilson_coverage(accuracy: float, n: int, level: float) -> float:
    """Return the exact coverage of Wilson's interval for a proportion.

    `f1ci` has it as an interval for F1. Without false negatives F1 is a function of the share of
    right items, which carries the interval over.
    """
    design = [accuracy, 1 - accuracy, 0, 0]
    return float(
        f1ci.coverage.exact(n, design, method="wilson_indirect", confidence_level=level).coverage
    )
