"""The registry: every method for an interval, once.

A method is a kernel for each kind of metric that it applies to (see `f1ci.metrics.Metric`) and
a few words. The functions of `f1ci.intervals` and `f1ci.compare`, their docstrings and the
sentences that refuse an unknown name read this registry; a new method is one kernel and one entry:

>>> from f1ci import f1_interval, methods
>>> def half(asked):
...     return 0.5 * asked.estimate, 0.5 + 0.5 * asked.estimate
>>> toy = methods.Method("toy", "Halfway to each border.", "nobody", {"f1": half})
>>> with methods.registered(toy):
...     print(tuple(f1_interval(3, 1, 1, method="toy")))
(0.375, 0.875)

The default of a metric is the first method that applies to it, in the order of the registry:
score intervals where there are any, the logit scale for all other metrics. Neither has a length
of zero or leaves the metric's range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from f1ci import _validation
from f1ci.methods import delta, exact, score
from f1ci.metrics import Metric, Question
from f1ci.results import Array

Kernel: TypeAlias = Callable[[Question], tuple[Array, Array]]
Function = TypeVar("Function", bound=Callable[..., Any])

SCORES = ("f1", "tversky", "share", "mean", "macro_star")
EVERY = (*SCORES, "binary", "matrix")


@dataclass(frozen=True)
class Method:
    """A method for intervals.

    Attributes
    ----------
    name : str
        What ``method=`` calls it.
    summary, reference : str
        What it is, in a line, and where it comes from.
    kernels : mapping of str to callable
        For each kind of metric the function from a `Question` to the end points.
    f1_name : str or None
        What the paper on F1 calls it; F1 knows it by this name too.
    binary_only : bool
        Whether it is for metrics of two classes only.
    error : callable or None
        Gives the standard error to use in the place of the delta method's.
    border : str
        What it does where the standard error is zero, if that needs a warning.
    costly : bool
        Whether equal counts are worth finding, to compute them once.
    differences : mapping of str to callable
        The same as `kernels` for the difference of two scores on the same items; the question's
        matrix counts items by true class, prediction of A and prediction of B.
    """

    name: str
    summary: str
    reference: str
    kernels: Mapping[str, Kernel] = field(repr=False)
    f1_name: str | None = None
    binary_only: bool = False
    error: Callable[[Question], Array] | None = field(default=None, repr=False)
    border: str = ""
    costly: bool = False
    differences: Mapping[str, Kernel] = field(default_factory=dict, repr=False)

    def applies_to(self, metric: Metric) -> bool:
        """Whether there is such an interval for the metric."""
        return metric.kind in self.kernels and (metric.binary or not self.binary_only)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "score",
            "Wilson's idea: the values that a test with the standard error under each value "
            "does not reject.",
            "Wilson (1927); Lam, Gopal and Qian (2024), Wilson indirect; f1ci.methods.score",
            dict.fromkeys(SCORES, score.score) | {"f1": exact.wilson_indirect},
            f1_name="wilson_indirect",
            differences=dict.fromkeys(SCORES, score.difference),
        ),
        Method(
            "cautious",
            "Longer, to hold at least the level: Clopper-Pearson and its like.",
            "Clopper and Pearson (1934); Fay and Feuer (1997); f1ci.methods.score",
            dict.fromkeys(SCORES, score.cautious) | {"f1": exact.clopper_pearson},
            f1_name="clopper_pearson",
            costly=True,
            differences=dict.fromkeys(SCORES, score.cautious_difference),
        ),
        Method(
            "wilson_direct",
            "The same test on the scale of F1, with its large-sample variance.",
            "Lam, Gopal and Qian (2024), section 4",
            {"f1": exact.wilson_direct},
        ),
        Method(
            "logit",
            "The delta method on a scale without borders: logit, logarithm, or the metric's own.",
            "Agresti (2013), section 3.1; f1ci.methods.delta",
            dict.fromkeys(EVERY, delta.logit),
            border="the interval is the whole range",
            differences=dict.fromkeys(EVERY, delta.difference_logit),
        ),
        Method(
            "delta",
            "The estimate plus and minus z standard errors of the delta method.",
            "Takahashi et al. (2022); Jiang (2020); Lam, Gopal and Qian (2024), Wald",
            dict.fromkeys(EVERY, delta.symmetric) | {"f1": exact.wald},
            f1_name="wald",
            border="the interval has length zero",
            differences=dict.fromkeys(EVERY, delta.symmetric),
        ),
        Method(
            "blur",
            "The same with a larger standard error, for metrics of two classes.",
            "Yuan and Jiang (2025), remark 2, choice II",
            dict.fromkeys(EVERY, delta.symmetric) | {"f1": exact.wald},
            binary_only=True,
            error=delta.blurred,
        ),
    )
}

# The same by kind and by every name that is legal for it.
BY_KIND = {
    kind: {name: each for name, each in METHODS.items() if kind in each.kernels} for kind in EVERY
}
BY_KIND["f1"] |= {each.f1_name: each for each in METHODS.values() if each.f1_name}


@contextmanager
def registered(method: Method) -> Iterator[None]:
    """Make a method known for a while."""
    registers = [METHODS, *(BY_KIND[kind] for kind in method.kernels)]
    for register in registers:
        register[method.name] = method
    try:
        yield
    finally:
        for register in registers:
            del register[method.name]


def names(metric: Metric) -> list[str]:
    """The methods that apply to a metric, its default first."""
    return [name for name, each in BY_KIND[metric.kind].items() if each.applies_to(metric)]


def choose(method: Any, known: Mapping[str, Method], what: str) -> tuple[str, Method]:
    """The method of that name, or the first; another name gets the list of those there are."""
    name = next(iter(known)) if method is None else method
    if not isinstance(name, str) or name not in known:
        listed, got = ", ".join(map(repr, known)), _validation.short(method)
        raise ValueError(f"method must be one of {listed} for {what}, got {got}")
    return name, known[name]


def documented(*kinds: str) -> Callable[[Function], Function]:
    """Write the methods for these kinds of metrics into a docstring, at `{methods}`."""

    def write(function: Function) -> Function:
        if function.__doc__:
            shown = {name: each for kind in kinds for name, each in BY_KIND[kind].items()}
            lines = []
            for name, each in shown.items():
                text = each.summary if name == each.name else f"Is {each.name!r}."
                lines.append(f'{" " * 8}- "{name}": {text}')
            function.__doc__ = function.__doc__.replace("        {methods}", "\n".join(lines))
        return function

    return write
