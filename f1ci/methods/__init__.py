"""The registry: every method for an interval, once.

A method is a function of a sample (see `f1ci.samples`) and of z, the two-sided normal quantile of
the level. It returns the lower and the upper limit. The public functions and the sentences that
refuse an unknown name read this registry. A new method is one function and one entry:

>>> from f1ci import f1_interval, methods
>>> def half(sample, z):
...     return 0.5 * sample.estimate, 0.5 + 0.5 * sample.estimate
>>> methods.METHODS["toy"] = methods.Method("toy", half)
>>> print(tuple(f1_interval(3, 1, 1, method="toy")))
(0.375, 0.875)
>>> del methods.METHODS["toy"]

The default is "score" where the sample has such limits, and "logit" otherwise. Neither has length
zero or leaves the metric's range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from f1ci.data import checks
from f1ci.methods import anytime, delta, wilson_direct
from f1ci.methods.closed_form import Limits
from f1ci.types import Array, FloatOrArray

if TYPE_CHECKING:
    from f1ci.samples import Sample


def score(sample: Sample, z: FloatOrArray) -> Limits:
    """Return Wilson's limits: the values that a test with the error under each value accepts."""
    return sample.score_limits(z)


def cautious(sample: Sample, z: FloatOrArray) -> Limits:
    """Return longer limits, which hardly ever cover less than the level."""
    return sample.cautious_limits(z)


def direct(sample: Sample, z: FloatOrArray) -> Limits:
    """Return the limits of Wilson direct, for the F1 of one class."""
    return wilson_direct.limits(*sample.counts_of_score(), z)


def at_every_look(sample: Sample, z: FloatOrArray) -> Limits:
    """Return limits that hold at all looks at once, for a score that is a share of trials."""
    if sample.trials is None:
        raise TypeError(f"{sample.name!r} is no share of trials")
    return anytime.limits(*sample.trials, z)


def logit(sample: Sample, z: FloatOrArray) -> Limits:
    """Return limits of the delta method on a scale without borders."""
    return sample.logit_limits(z)


def symmetric(sample: Sample, z: FloatOrArray) -> Limits:
    """Return the estimate plus and minus z standard errors."""
    return _or_everything(sample, delta.symmetric(sample.estimate, sample.error, z))


def blur(sample: Sample, z: FloatOrArray) -> Limits:
    """Return the estimate plus and minus z blurred standard errors."""
    limits = delta.symmetric(sample.estimate, sample.blurred_error(z), z)
    return _or_everything(sample, limits)


def _or_everything(sample: Sample, limits: Limits) -> Limits:
    """Return the limits. Without relevant items every F1 is possible (Lam, Gopal and Qian 2024)."""
    low, high = limits
    if sample.is_f1:
        return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
    return limits


def _always(_: Sample) -> bool:
    return True


@dataclass(frozen=True)
class Method:
    """A method for intervals.

    Attributes
    ----------
    name : str
        What ``method=`` calls it.
    limits : callable
        Takes a sample and z; returns the lower and the upper limit.
    serves : callable
        Tells for which samples the method is; by default for all of them.
    paper_name : str or None
        What the paper on F1 calls it; the F1 of one class knows it by this name too.
    at_zero_error : str
        What the method does where the standard error is zero, if that needs a warning.
    error : callable or None
        Gives the standard error that the method uses instead of the delta method's.
    leaves_range : bool
        Limits are the estimate plus and minus a multiple of the error, also outside of the range.
    by_error : bool
        Limits depend on the estimate and its error only. So joint intervals take the correlations
        that were observed.
    two_sided : bool
        Each of the two limits is for itself no limit of any level.
    says : str
        What the interval is, and how it covers, for F1 of one class, in a docstring.
    """

    name: str
    limits: Callable[[Sample, FloatOrArray], Limits]
    serves: Callable[[Sample], bool] = _always
    paper_name: str | None = None
    at_zero_error: str = ""
    error: Callable[[Sample, FloatOrArray], Array] | None = None
    leaves_range: bool = False
    by_error: bool = False
    two_sided: bool = False
    says: str = ""


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        # Wilson (1927); Lam, Gopal and Qian (2024), Wilson indirect; f1ci.methods.closed_form
        Method(
            "score",
            score,
            lambda sample: sample.has_score_limits,
            "wilson_indirect",
            says=(
                "Wilson interval for TP / (TP + FP + FN), mapped to F1. Coverage is close to "
                "the level on average; it can fall to about 0.84 for F1 very close to 0 or 1."
            ),
        ),
        # Clopper and Pearson (1934); Fay and Feuer (1997); f1ci.methods.closed_form
        Method(
            "cautious",
            cautious,
            lambda sample: sample.has_cautious_limits,
            "clopper_pearson",
            says=("Clopper-Pearson interval, mapped to F1. Coverage is never below the level."),
        ),
        # Lam, Gopal and Qian (2024), section 4; f1ci.methods.wilson_direct
        Method(
            "wilson_direct",
            direct,
            lambda sample: sample.is_f1,
            says=("score interval computed on the scale of F1 (Lam et al., section 3.2.3)."),
        ),
        # Robbins (1970); f1ci.methods.anytime
        Method(
            "anytime",
            at_every_look,
            lambda sample: sample.trials is not None,
            two_sided=True,
            says=(
                "for looking again and again while items come in (Robbins 1970). With the "
                "probability of the level it contains the true score at every look; 1.5 to "
                '1.9 times as long as "score" for 20 to 1000 relevant items.'
            ),
        ),
        # Agresti (2013), section 3.1; f1ci.methods.delta
        Method(
            "logit",
            logit,
            at_zero_error="the interval is the whole range",
            by_error=True,
            says=(
                "delta-method interval for log(F1 / (1 - F1)), transformed back; stays in (0, 1)."
            ),
        ),
        # Takahashi et al. (2022); Jiang (2020); Lam, Gopal and Qian (2024), Wald
        Method(
            "delta",
            symmetric,
            paper_name="wald",
            at_zero_error="the interval has length zero",
            leaves_range=True,
            by_error=True,
            says=(
                "estimate plus and minus z standard errors (Wald). May leave [0, 1]; has "
                "length zero at 0 and 1."
            ),
        ),
        # Yuan and Jiang (2025), remark 2, choice II
        Method(
            "blur",
            blur,
            lambda sample: sample.has_blur,
            error=lambda sample, z: sample.blurred_error(z),
            leaves_range=True,
            by_error=True,
            says=('"delta" with the larger variance of Yuan and Jiang (2025).'),
        ),
    )
}


# What other packages call them.
_ELSEWHERE = {
    "wilson": "score",
    "exact": "cautious",
    "beta": "cautious",
    "clopper_pearson": "cautious",
    "normal": "delta",
    "wald": "delta",
}


def default(sample: Sample) -> tuple[str, Method]:
    """Return the default method for a sample, and its name."""
    name = "score" if sample.has_score_limits else "logit"
    return name, METHODS[name]


def choose(name: str, sample: Sample, what: str) -> tuple[str, Method]:
    """Return the named method for a sample, and its name.

    An unknown name, or a method that does not serve this sample, raises an error that lists those
    that do; `what` describes the sample there.
    """
    serving = {method.name: method for method in METHODS.values() if method.serves(sample)}
    if sample.is_f1:
        serving |= {method.paper_name: method for method in METHODS.values() if method.paper_name}
    chosen = one_of(name, serving, what)
    return chosen, serving[chosen]


def one_of(name: object, serving: Iterable[str], what: str) -> str:
    """Return the name if it is one of the methods that serve; else say which ones do."""
    names = list(serving)
    if isinstance(name, str) and name in names:
        return name
    meant = _ELSEWHERE.get(str(name).lower().replace("-", "_"), "")
    hint = f"; it is called {meant!r} here" if meant in names else ""
    if "boot" in str(name).lower():
        hint = "; f1ci does not resample, because the bootstrap of a perfect score has length zero:"
        hint += f" {names[0]!r} is hardly different in large test sets, and better in small ones"
    listed = ", ".join(map(repr, names))
    raise ValueError(f"method must be one of {listed} for {what}, got {checks.short(name)}{hint}")
