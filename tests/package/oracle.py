"""Another way to every answer: slow, in fractions or with 30 digits, by loops and definitions.

Nothing here is imported from f1ci, and no formula is taken from its kernels: intervals are judged
by the equations that define their end points, tests by listing all outcomes.
"""

from fractions import Fraction
from itertools import product

import mpmath as mp

mp.mp.dps = 30


# --- counts ----------------------------------------------------------------------------------


def binary_counts(true, predicted, positive):
    """TP, FP, FN and TN, item by item."""
    cells = [0, 0, 0, 0]
    for y, p in zip(true, predicted, strict=True):
        cells[(0 if y == positive else 1) if p == positive else (2 if y == positive else 3)] += 1
    return tuple(cells)


def tversky(tp, fp, fn, a, b):
    """The score, as a fraction."""
    return Fraction(tp) / (Fraction(tp) + Fraction(a) * fp + Fraction(b) * fn)


# --- intervals for one score -----------------------------------------------------------------


def quantile(level):
    """The normal quantile of a two-sided level."""
    return mp.sqrt(2) * mp.erfinv(mp.mpf(level))


def exact_number(value):
    """A fraction or float as it is."""
    value = Fraction(value)
    return mp.mpf(value.numerator) / value.denominator


def variance(tp, fp, fn, a, b):
    """The delta method's: squared influences of the items, summed over the squared whole."""
    f = tversky(tp, fp, fn, a, b)
    whole = tp + Fraction(a) * fp + Fraction(b) * fn
    squares = tp * (1 - f) ** 2 + fp * (f * Fraction(a)) ** 2 + fn * (f * Fraction(b)) ** 2
    return squares / whole**2


def normal_ends(tp, fp, fn, a, b, level, *, blurred=False):
    """Estimate plus and minus z standard errors (Jiang 2020); blurred as in Yuan & Jiang."""
    z, square = quantile(level), exact_number(variance(tp, fp, fn, a, b))
    if blurred:
        # The score is x / (x + a (p - x) + b (t - x)) in the expectations x, p and t.
        a, b = Fraction(a), Fraction(b)
        whole = tp + a * fp + b * fn
        slopes = ((a * (tp + fp) + b * (tp + fn)) / whole**2, a * tp / whole**2, b * tp / whole**2)
        square += z**2 / 2 * exact_number(sum(slope**2 for slope in slopes))
    centre, half = exact_number(tversky(tp, fp, fn, a, b)), z * mp.sqrt(square)
    return centre - half, centre + half


def logit_ends(tp, fp, fn, a, b, level):
    """The same on the scale of log odds."""
    f = exact_number(tversky(tp, fp, fn, a, b))
    half = quantile(level) * mp.sqrt(exact_number(variance(tp, fp, fn, a, b))) / (f * (1 - f))
    return tuple(1 / (1 + mp.exp(-(mp.log(f / (1 - f)) + side * half))) for side in (-1, 1))


def pearson_statistic(tp, fp, fn, a, b, score):
    """The least Pearson statistic of all probabilities under which the score is `score`.

    A score is where a linear function c of the probabilities is 0. They are in proportion to
    n / sqrt(u + (largest e) - e) for e = c or -c, with u > 0 by bisection; if the cell of the
    largest e is empty, it may hold what the others leave.
    """
    counts = [mp.mpf(n) for n in (tp, fp, fn)]
    v, t = sum(counts), score / (1 - score)
    c = [mp.mpf(1), -t * exact_number(a), -t * exact_number(b)]
    above = sum(n * x for n, x in zip(counts, c, strict=True)) < 0
    e = c if above else [-x for x in c]

    def sums(u):
        """The sums of q, of e q and of n^2 / q, without their common factor."""
        roots = [mp.sqrt(u + max(e) - x) for x in e]
        cells = [(n / r, x, n * r) for n, r, x in zip(counts, roots, e, strict=True) if n]
        return (sum(q for q, _, _ in cells), sum(x * q for q, x, _ in cells)), sum(
            w for _, _, w in cells
        )

    low, high = mp.mpf(10) ** -60, mp.mpf(10) ** 60
    for _ in range(260):
        middle = mp.sqrt(low * high)
        low, high = (middle, high) if sums(middle)[0][1] > 0 else (low, middle)
    (total, mean), inverse = sums(low)
    if mean < 0:  # the empty cell makes up for the rest
        total -= mean / max(e)
    return total * inverse / v - v


def beta_tails(tp, fp, fn, a, b, low, high):
    """Tail probabilities of the cautious limits; both are half of one minus the level.

    Errors are worth V / A each, with A their weighted and V their squarely weighted sum; at the
    lower limit there is one more of the heavier kind (Fay and Feuer 1997).
    """
    a, b = Fraction(a), Fraction(b)
    errors, squares, heavier = a * fp + b * fn, a * a * fp + b * b * fn, max(a, b)
    tails = []
    for end, right, sum_, square, below in (
        (low, tp, errors + heavier, squares + heavier**2, True),
        (high, tp + 1, errors, squares, False),
    ):
        worth = exact_number(square / sum_)
        share = mp.mpf(end) * worth / (1 - mp.mpf(end) + mp.mpf(end) * worth)
        effective = exact_number(sum_**2 / square)
        limits = (0, share) if below else (share, 1)
        tails.append(mp.betainc(right, effective, *limits, regularized=True))
    return tails


# --- clusters and differences ----------------------------------------------------------------


def cluster_variance(rows, a, b):
    """The score of all units, and its squared standard error with the divisor units - 1."""
    a, b = Fraction(a), Fraction(b)
    whole = sum(tp + a * fp + b * fn for tp, fp, fn in rows)
    score = Fraction(sum(row[0] for row in rows)) / whole
    total = sum(((tp - score * (tp + a * fp + b * fn)) / whole) ** 2 for tp, fp, fn in rows)
    return score, total * Fraction(len(rows), len(rows) - 1)


def score_and_influences(true, predicted, a, b):
    """The score, and how much each item moves it."""
    tp, fp, fn, _ = binary_counts(true, predicted, 1)
    whole = tp + a * fp + b * fn or Fraction(1)
    f = tp / whole
    moves = {(1, 1): 1 - f, (0, 1): -a * f, (1, 0): -b * f, (0, 0): 0}
    return f, [moves[pair] / whole for pair in zip(true, predicted, strict=True)]


def studentised(true, one, other, a, b):
    """The squared difference of two scores over its variance by the delta method."""
    f, moves_f = score_and_influences(true, one, a, b)
    g, moves_g = score_and_influences(true, other, a, b)
    if f == g:
        return 0
    variance = sum((y - x) ** 2 for x, y in zip(moves_f, moves_g, strict=True))
    return (g - f) ** 2 / variance if variance else float("inf")


def swap_p_value(true, by_a, by_b, a, b):
    """The share of all swaps of A's and B's predictions that differ as much as what was seen.

    The difference is judged by its square over its variance, in fractions.
    """
    a, b = Fraction(a), Fraction(b)
    weights = a / (a + b), b / (a + b)
    seen = studentised(true, by_a, by_b, *weights)
    # An item on which the models agree stays as it is.
    both = [{(x, y), (y, x)} for x, y in zip(by_a, by_b, strict=True)]
    swaps = list(product(*both))
    extreme = sum(studentised(true, *zip(*swap, strict=True), *weights) >= seen for swap in swaps)
    return Fraction(extreme, len(swaps))
