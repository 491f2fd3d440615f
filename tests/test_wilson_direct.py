"""Wilson direct: against numpy's roots of the quartic and bisection in 50 digits."""

import mpmath
import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy import stats

import f1ci

LEVELS = [0.001, 0.5, 0.95, 0.999, 1 - 1e-6, 1 - 1e-12]


def quartic_roots(tp, wrong, level):
    """Real roots in [0, 1] of equation 37 by numpy's companion matrix."""
    v = tp + wrong
    f = 2 * tp / (2 * tp + wrong)
    k = stats.norm.isf((1 - level) / 2) ** 2 / v
    quartic = Polynomial([2 * f**2, -4 * (k + f), 2 * (4 * k + 1), -5 * k, k])
    return quartic, sorted(
        root.real
        for root in quartic.roots()
        if abs(root.imag) < 1e-6 and -1e-6 < root.real < 1 + 1e-6
    )


# v = 1, 2 is where the paper's theorem is silent: k = 3.84 and 1.92 exceed 16/11 at level 0.95.
@pytest.mark.parametrize("v", [1, 2, 3, 10, 131, 5000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_wilson_direct_solves_the_quartic(v, level):
    for tp in {0, 1, v // 3, v // 2, v - 1, v}:
        low, high = f1ci.f1_interval(tp, v - tp, 0, method="wilson_direct", confidence_level=level)
        _, roots = quartic_roots(tp, v - tp, level)
        assert len(roots) == 2
        # Eigenvalues of a companion matrix are good to about the root of machine precision when
        # two roots are close, which they are for large v.
        np.testing.assert_allclose((low, high), roots, atol=1e-9)


def reference_wilson_direct(tp, wrong, level):
    """Bisection of equation 34 on each side of the estimate, in 50 digits."""
    with mpmath.workdps(50):
        tp, wrong = mpmath.mpf(tp), mpmath.mpf(wrong)
        z = mpmath.mpf(float(stats.norm.isf(0.5 * (1.0 - level))))
        estimate = 2 * tp / (2 * tp + wrong)
        k = z**2 / (tp + wrong)

        def excess(score):
            return 2 * (score - estimate) ** 2 - k * score * (1 - score) * (2 - score) ** 2

        ends = []
        for outside, empty in ((mpmath.mpf(0), tp == 0), (mpmath.mpf(1), wrong == 0)):
            inside = estimate
            for _ in range(0 if empty else 150):
                middle = (outside + inside) / 2
                if excess(middle) > 0:
                    outside = middle
                else:
                    inside = middle
            ends.append((outside + inside) / 2)
        return ends


SOME_COUNTS = [
    (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (1, 2), (3, 7), (77, 54), (5, 10**6),
    (10**12, 0), (0, 10**12), (10**12, 1), (1, 10**12), (10**12, 10**12), (10**6, 3 * 10**11),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")  # of the low level
@pytest.mark.parametrize("level", LEVELS)
def test_wilson_direct_is_right_to_twelve_digits(level):
    for tp, wrong in SOME_COUNTS:
        ours = tuple(f1ci.f1_interval(tp, wrong, 0, method="wilson_direct", confidence_level=level))
        expected = reference_wilson_direct(tp, wrong, level)
        assert max(abs(a - b) for a, b in zip(ours, expected, strict=True)) < 1e-12
