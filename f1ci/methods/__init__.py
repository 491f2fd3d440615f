"""The registry: every method for an interval, once.

A method is a function of a `Sample` (a metric, its estimate and standard error, and what they come
from; see `f1ci.methods.score`) and of z, the two-sided normal quantile of the level. It returns
the lower and the upper limit. The public functions and the sentences that refuse an unknown name
read this registry. A new method is one function and one entry:

>>> from f1ci import f1_interval, methods
>>> def half(sample, z):
...     return 0.5 * sample.estimate, 0.5 + 0.5 * sample.estimate
>>> toy = methods.Method("toy", half)
>>> methods.METHODS["toy"] = toy
>>> print(tuple(f1_interval(3, 1, 1, method="toy")))
(0.375, 0.875)
>>> del methods.METHODS["toy"]

The default is "score" wherever it applies, and "logit" for all other metrics. Neither has a length
of zero or leaves the metric's range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from f1ci import _validation
from f1ci.methods import delta, score, wilson_direct
from f1ci.methods.score import Limits, Sample
from f1ci.metrics import Metric
from f1ci.metrics.classes import is_f1
from f1ci.results import Array, FloatOrArray


@dataclass(frozen=True)
class Method:
    """A method for intervals.

    Attributes
    ----------
    name : str
        What ``method=`` calls it.
    limits : callable
        Takes a `Sample` and z; returns the lower and the upper limit.
    applies_to : callable
        Tells for which metrics the method is; by default for all of them.
    f1_name : str or None
        What the paper on F1 calls it; F1 knows it by this name too.
    needs_limits : bool
        The method needs a sample that has score limits.
    needs_one_sample : bool
        The method is for one model and independent items only.
    at_zero_error : str
        What the method does where the standard error is zero, if that needs a warning.
    error : callable or None
        Gives the standard error to use instead of the delta method's.
    """

    name: str
    limits: Callable[[Sample, FloatOrArray], Limits]
    applies_to: Callable[[Metric], bool] = lambda metric: True  # noqa: ARG005
    f1_name: str | None = None
    needs_limits: bool = False
    needs_one_sample: bool = False
    at_zero_error: str = ""
    error: Callable[[Sample, FloatOrArray], Array] | None = None


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "score",
            # Wilson's idea: the values that a test with the standard error under each value does
            # not reject.
            # Wilson (1927); Lam, Gopal and Qian (2024), Wilson indirect; f1ci.methods.score
            score.score,
            lambda metric: metric.smooth,
            f1_name="wilson_indirect",
            needs_limits=True,
        ),
        Method(
            "cautious",
            # Longer, to hold at least the level: Clopper-Pearson, carried on to other scores.
            # Clopper and Pearson (1934); Fay and Feuer (1997); f1ci.methods.score
            partial(score.score, cautious=True),
            lambda metric: metric.index is not None,
            f1_name="clopper_pearson",
            needs_limits=True,
        ),
        Method(
            "wilson_direct",
            # The same test on the scale of F1, with its large-sample variance.
            # Lam, Gopal and Qian (2024), section 4; f1ci.methods.wilson_direct
            wilson_direct.wilson_direct,
            is_f1,
            needs_one_sample=True,
        ),
        Method(
            "logit",
            # The delta method on a scale without borders: logit, logarithm, or the metric's own.
            # Agresti (2013), section 3.1; f1ci.methods.delta
            delta.logit,
            at_zero_error="the interval is the whole range",
        ),
        Method(
            "delta",
            # The estimate plus and minus z standard errors of the delta method.
            # Takahashi et al. (2022); Jiang (2020); Lam, Gopal and Qian (2024), Wald
            delta.symmetric,
            f1_name="wald",
            at_zero_error="the interval has length zero",
        ),
        Method(
            "blur",
            # The same with a larger standard error, for metrics of two classes.
            # Yuan and Jiang (2025), remark 2, choice II
            delta.symmetric,
            lambda metric: metric.binary,
            needs_one_sample=True,
            error=delta.blurred,
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


def known(metric: Metric) -> dict[str, Method]:
    """Return the methods that apply to a metric by all their names, the default first."""
    fitting = [method for method in METHODS.values() if method.applies_to(metric)]
    by_name = {method.name: method for method in fitting}
    if is_f1(metric):
        by_name |= {method.f1_name: method for method in fitting if method.f1_name}
    return by_name


def choose(name: str, sample: Sample) -> tuple[str, Method]:
    """Return the named method for a sample and its name."""
    fitting = {
        name: method
        for name, method in known(sample.metric).items()
        if (sample.limits is not None or not method.needs_limits)
        and (sample.independent or not (method.needs_one_sample or name == method.f1_name))
    }
    what = repr(sample.metric.name)
    if not sample.independent:
        what = f"{what} of items in groups" if sample.mark else f"differences of {what}"
    return pick(name, fitting, what)


def pick(name: str | None, fitting: Mapping[str, Method], what: str) -> tuple[str, Method]:
    """Return the method of this name, or the first. An unknown name gets the known ones."""
    chosen = next(iter(fitting)) if name is None else name
    if not isinstance(chosen, str) or chosen not in fitting:
        listed, got = ", ".join(map(repr, fitting)), _validation.short(name)
        meant = _ELSEWHERE.get(str(name).lower().replace("-", "_"), "")
        hint = f"; it is called {meant!r} here" if meant in fitting else ""
        raise ValueError(f"method must be one of {listed} for {what}, got {got}{hint}")
    return chosen, fitting[chosen]
