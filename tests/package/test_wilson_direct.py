"""Wilson direct: against bisection of equation 34 in 50 digits."""

import mpmath
import pytest
from scipy import stats

import f1ci

LEVELS = [0.001, 0.5, 0.95, 0.999, 1 - 1e-6, 1 - 1e-12]


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
    (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (1, 2), (0, 10), (130, 1), (3, 7), (77, 54), (5, 10**6),
    (10**12, 0), (0, 10**12), (10**12, 1), (1, 10**12), (10**12, 10**12), (10**6, 3 * 10**11),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")  # of the low level
@pytest.mark.parametrize("level", LEVELS)
def test_wilson_direct_is_right_to_twelve_digits(level):
    for tp, wrong in SOME_COUNTS:
        ours = tuple(f1ci.f1_interval(tp, wrong, 0, method="wilson_direct", confidence_level=level))
        expected = reference_wilson_direct(tp, wrong, level)
        assert max(abs(a - b) for a, b in zip(ours, expected, strict=True)) < 1e-12
